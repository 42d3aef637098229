/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * When the frames of a replay are due: by their recorded times or at a rate, from
 * memory and as a stream alike.
 */
#include "replay_fixture.h"

#include <sched.h>

static bool streamed;
static struct schedule schedule;

/* The times are in milliseconds; -1 ends them. */
static void open_times(const int *times_ms, uint64_t speed_micro, uint64_t max_gap_ns,
		       uint64_t rate_micro_pps, struct replay *r)
{
	struct replay_setup setup;
	uint32_t i;

	file_begin(&file, false, false, true);
	for (i = 0; times_ms[i] >= 0; i++) {
		make_frame(frame, 60, 1, i);
		put_frame(&file, START_NS + (uint64_t)times_ms[i] * MS, frame, 60);
	}
	setup = setup_of(file.used);
	setup.config.loops = 0;
	setup.config.speed_micro = speed_micro;
	setup.config.max_gap_ns = max_gap_ns;
	memset(&schedule, 0, sizeof(schedule));
	if (rate_micro_pps)
		assert_int_equal(schedule_add(&schedule, rate_micro_pps, rate_micro_pps,
					      SCHEDULE_ENDLESS),
				 0);
	setup.schedule = &schedule;
	setup.memory_bytes = streamed; /* 0: the default */
	assert_int_equal(replay_open(&setup, -1, r), 0);
	assert_int_equal(replay_spread(r, 1), 0);
	assert_int_equal(replay_start(r), 0);
}

/* Each frame is due at its time, not before; -1 ends the list. */
static void check_due(struct replay *r, const int64_t *due_ns)
{
	struct dxmit_queue *q = fake_queue();
	uint32_t lengths[SLOTS];

	assert_int_equal(replay_attach(&r->queue[0], q), 0);
	for (; *due_ns >= 0; due_ns++) {
		uint64_t ns = (uint64_t)*due_ns;

		/* 200 us, which no time here is: the reader has none yet */
		while (streamed && replay_next_ns(&r->queue[0], 0) == 200000)
			sched_yield();
		assert_int_equal(replay_next_ns(&r->queue[0], 0), ns);
		if (ns)
			assert_int_equal(replay_due(&r->queue[0], ns - 1, 1), 0);
		assert_int_equal(replay_due(&r->queue[0], ns, 1), 1);
		assert_int_equal(replay_fill(&r->queue[0], q, 1, lengths), 1);
	}
	free_queue(q);
	replay_close(r);
}

#define S INT64_C(1000000000)

static void check_recorded_times(void)
{
	static const int times[] = { 500, 510, 505, 530, 30530, -1 };
	static const int64_t plain[] = { 0, 10000000, 10000000, 30000000, 30030000000,
					 /* the next pass, a mean gap later */
					 37537500000, 37547500000, -1 };
	static const int64_t twice[] = { 0, 5000000, 5000000, 15000000, 15015000000, -1 };
	static const int64_t half[] = {
		0, 20000000, 20000000, 60000000, 60060000000, -1
	};
	static const int64_t cut[] = { 0, 10000000, 10000000, 30000000, 1030000000, -1 };
	struct replay r;

	open_times(times, 1000000, 0, 0, &r);
	check_due(&r, plain);
	open_times(times, 2000000, 0, 0, &r);
	check_due(&r, twice);
	open_times(times, 500000, 0, 0, &r);
	check_due(&r, half);
	open_times(times, 1000000, (uint64_t)S, 0, &r);
	check_due(&r, cut);
}

static void test_recorded_times(void **state)
{
	(void)state;
	check_recorded_times();
	streamed = true;
	check_recorded_times();
	streamed = false;
}

/* A rate of 3 per second is kept exactly over any number of passes. */
static void test_rate(void **state)
{
	static const int times[] = { 0, 0, -1 };
	static const int64_t due[] = { 0, 333333334, 666666667, S, 1333333334, -1 };
	struct replay r;

	(void)state;
	open_times(times, 0, 0, 3000000, &r);
	check_due(&r, due);
}

static void test_several_are_due(void **state)
{
	static const int times[] = { 0, 1, 2, 3, 100, -1 };
	struct replay r;

	(void)state;
	open_times(times, 1000000, 0, 0, &r);
	assert_int_equal(replay_due(&r.queue[0], 2 * MS, 512), 3);
	assert_int_equal(replay_due(&r.queue[0], 2 * MS, 2), 2);
	assert_int_equal(replay_due(&r.queue[0], 99 * MS, 512), 4);
	/* held up for a second: 100 ms of it are caught up, not more */
	assert_int_equal(replay_due(&r.queue[0], 1000 * MS, 512), 5);
	assert_int_equal(replay_next_ns(&r.queue[0], 0), 900 * MS);
	replay_close(&r);

	open_times(times, 0, 0, 0, &r); /* as fast as possible */
	assert_int_equal(replay_due(&r.queue[0], 0, 512), 512);
	replay_close(&r);
}

/* Times no clock ever showed. */
static void test_wild_times(void **state)
{
	uint8_t *times;
	struct replay_setup setup;
	struct replay r;
	size_t i;

	(void)state;
	for (i = 0; i < 8; i++) {
		file_begin(&file, false, false, true);
		make_frame(frame, 60, 1, 1);
		put_frame(&file, START_NS, frame, 60);
		put_frame(&file, START_NS + 1, frame, 60);
		put_frame(&file, START_NS + 2, frame, 60);
		times = file.bytes + file.record_at[i & 1];
		memset(times, i & 2 ? 0xff : 0, 4);
		memset(times + 4, i & 4 ? 0xff : 0x7f, 4);
		setup = setup_of(file.used);
		setup.config.speed_micro = 1;
		assert_int_equal(replay_open(&setup, -1, &r), 0);
		assert_int_equal(r.frames, 3);
		assert_true(r.frame[0].due == 0 && r.frame[0].due <= r.frame[1].due &&
			    r.frame[1].due <= r.frame[2].due &&
			    r.frame[2].due <= INT64_MAX);
		replay_close(&r);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_recorded_times),
		cmocka_unit_test(test_rate),
		cmocka_unit_test(test_several_are_due),
		cmocka_unit_test(test_wild_times),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
