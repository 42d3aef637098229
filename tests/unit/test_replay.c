/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a replay makes of a capture: which records become frames and how long,
 * which queue gets them and how many, in what order, when they are due; from
 * memory and as a stream alike.
 */
#include "capture_fixture.h"

#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <time.h>

#include "replay.h"

#define START_NS 1700000000000000000ull
#define MS 1000000ull
#define QUEUES 4
#define ROOM 2048u
#define SLOTS 64u

static struct file file;
static uint8_t frame[4096];

static struct replay_setup setup_of(size_t bytes)
{
	return (struct replay_setup){
		.config = { .path = file_written(&file, bytes), .loops = 1 },
		.mtu = 1500,
		.frame_size = ROOM,
		.count = UINT64_MAX,
	};
}

/* ---- lengths ---- */

static int open_one(uint32_t captured, uint32_t original,
		    const struct replay_setup *options, struct replay *r)
{
	struct replay_setup setup;

	file_begin(&file, false, false, true);
	make_frame(frame, sizeof(frame), 1, 1);
	put_record(&file, START_NS, frame, captured, captured, original);
	setup = setup_of(file.used);
	setup.config.bad_record = options->config.bad_record;
	setup.config.snapped = options->config.snapped;
	setup.oversize = options->oversize;
	return replay_open(&setup, -1, r);
}

/* Returns the length it is sent with, 0 if it is not, or an error. */
static int length_of(uint32_t captured, uint32_t original,
		     const struct replay_setup *options)
{
	struct replay r;
	int answer = open_one(captured, original, options, &r);
	uint32_t i;

	if (answer == 0) {
		assert_int_equal(r.frames, 1);
		answer = (int)r.frame[0].length;
		assert_int_equal(answer, r.longest);
		assert_int_equal(answer, r.uniform);
		assert_memory_equal(r.bytes, frame, captured);
		for (i = captured; i < (uint32_t)answer; i++)
			assert_int_equal(r.bytes[i], 0);
	}
	replay_close(&r);
	return answer == -ENODATA ? 0 : answer;
}

/* C19: shorter than an Ethernet header is refused, else filled up. */
static void test_short_records(void **state)
{
	const struct replay_setup skip = { 0 };
	const struct replay_setup stop = { .config.bad_record = BAD_RECORD_STOP };
	uint32_t length;

	(void)state;
	for (length = 0; length < 70; length++) {
		int expected = length < 14 ? 0 : length < 60 ? 60 : (int)length;

		assert_int_equal(length_of(length, length, &skip), expected);
		assert_int_equal(length_of(length, length, &stop),
				 length < 14 ? -EPROTO : expected);
	}
}

static void test_snapped_records(void **state)
{
	struct replay_setup options = { 0 };

	(void)state;
	assert_int_equal(length_of(100, 1000, &options), 1000);
	assert_int_equal(length_of(20, 30, &options), 60);
	assert_int_equal(length_of(100, 2000, &options), -EMSGSIZE);
	assert_int_equal(length_of(100, 50, &options), 100);
	assert_int_equal(length_of(100, 0xffffffff, &options), 0);
	options.config.snapped = SNAPPED_SEND;
	assert_int_equal(length_of(100, 1000, &options), 100);
	assert_int_equal(length_of(100, 2000, &options), 100);
	options.config.snapped = SNAPPED_SKIP;
	assert_int_equal(length_of(100, 1000, &options), 0);
	assert_int_equal(length_of(100, 100, &options), 100);
}

/* C18 */
static void test_long_records(void **state)
{
	static const uint32_t lengths[] = { 1514, 1515, 1519, 2048, 2049, 4096 };
	struct replay_setup options = { 0 };
	size_t i;

	(void)state;
	for (i = 0; i < 6; i++) {
		int length = (int)lengths[i];

		options.oversize = OVERSIZE_REFUSE;
		assert_int_equal(length_of(lengths[i], lengths[i], &options),
				 length <= 1514 ? length : -EMSGSIZE);
		options.oversize = OVERSIZE_SKIP;
		assert_int_equal(length_of(lengths[i], lengths[i], &options),
				 length <= 1514 ? length : 0);
		options.oversize = OVERSIZE_SEND;
		assert_int_equal(length_of(lengths[i], lengths[i], &options),
				 length <= 2048 ? length : -EMSGSIZE);
	}
}

/* One tag is 4 bytes on top of the MTU. */
static void test_tags_on_top_of_the_mtu(void **state)
{
	struct replay_setup setup;
	struct replay r;
	uint32_t length;

	(void)state;
	for (length = 1518; length <= 1519; length++) {
		file_begin(&file, false, false, true);
		make_frame(frame, length, 1, 1);
		frame[12] = 0x81;
		frame[13] = 0;
		put_frame(&file, START_NS, frame, length);
		setup = setup_of(file.used);
		assert_int_equal(replay_open(&setup, -1, &r),
				 length == 1518 ? 0 : -EMSGSIZE);
		assert_int_equal(r.stats.fault.record, length == 1518 ? 0 : 1);
		replay_close(&r);
	}
}

/* Good ones around a bad one, then a cut: all that is good is kept. */
static void test_the_good_ones_are_kept(void **state)
{
	struct replay_setup setup;
	struct replay r;

	(void)state;
	file_begin(&file, true, false, true);
	make_frame(frame, 100, 1, 1);
	put_frame(&file, START_NS, frame, 100);
	put_frame(&file, START_NS, frame, 13);
	put_frame(&file, START_NS, frame, 99);
	put_frame(&file, START_NS, frame, 98);
	setup = setup_of(file.used - 1);
	assert_int_equal(replay_open(&setup, -1, &r), 0);
	assert_int_equal(r.frames, 2);
	assert_int_equal(r.frame[1].length, 99);
	assert_int_equal(r.stats.records, 2);
	assert_int_equal(r.stats.bytes, 199);
	assert_int_equal(r.stats.bad, 2);
	assert_int_equal(r.stats.fault.record, 2); /* the first */
	assert_int_equal(r.stats.fault.offset, file.record_at[1]);
	replay_close(&r);
}

static void test_nothing_to_send(void **state)
{
	struct replay_setup setup;
	struct replay r;

	(void)state;
	file_begin(&file, false, false, false);
	setup = setup_of(file.used);
	assert_int_equal(replay_open(&setup, -1, &r), -ENODATA);
	replay_close(&r);
	setup = setup_of(0);
	assert_int_equal(replay_open(&setup, -1, &r), -EPROTO);
	replay_close(&r);
	replay_close(&r);
}

/* ---- queues ---- */

/* As much of a queue as frames are written to. */
static struct dxmit_queue *fake_queue(void)
{
	struct dxmit_queue *q = calloc(1, sizeof(*q));

	assert_non_null(q);
	q->umem = malloc(SLOTS * ROOM);
	assert_non_null(q->umem);
	q->fixed_slots = 1;
	q->tx_mask = SLOTS - 1;
	q->frames = SLOTS;
	q->frame_size = ROOM;
	return q;
}

static void free_queue(struct dxmit_queue *q)
{
	free(q->umem);
	free(q);
}

#define FLOWS 37u
#define FRAMES 333u

/* Frame number i carries i, belongs to flow i % FLOWS, and has this length. */
static uint32_t nth_length(uint32_t i)
{
	return 60 + i * 13 % 1400;
}

static void make_flows(void)
{
	uint32_t i;

	file_begin(&file, true, true, true);
	for (i = 0; i < FRAMES; i++) {
		make_frame(frame, nth_length(i), i % FLOWS, i);
		put_frame(&file, START_NS + i * MS, frame, nth_length(i));
	}
}

/* What a queue sent of it. */
struct seen {
	uint64_t frames;
	int64_t last[FLOWS]; /* number of frames sent before it, of each flow */
};

/* Take what is there of a queue; every frame must be right and in order. */
static uint32_t take(struct replay_queue *queue, struct dxmit_queue *q, uint32_t wanted,
		     struct seen *seen)
{
	uint32_t lengths[SLOTS], n = replay_fill(queue, q, wanted, lengths), i;

	assert_true(n <= wanted);
	for (i = 0; i < n; i++) {
		const uint8_t *bytes = dxmit_frame(q, i);
		uint32_t mark;
		int64_t *last;

		memcpy(&mark, bytes + 42, sizeof(mark));
		assert_true(mark < FRAMES);
		make_frame(frame, nth_length(mark), mark % FLOWS, mark);
		assert_int_equal(lengths[i], nth_length(mark));
		assert_memory_equal(bytes, frame, lengths[i]);
		last = &seen->last[mark % FLOWS];
		if (*last == 0) /* its first, maybe not of its first pass */
			assert_int_equal(mark, mark % FLOWS);
		else
			assert_int_equal(mark, (*last + FLOWS - 1) >= FRAMES
						       ? mark % FLOWS
						       : *last + FLOWS - 1);
		*last = mark + 1;
	}
	q->tx_position += n;
	seen->frames += n;
	return n;
}

/* Send a whole replay through fake queues; returns the frames of all. */
static uint64_t run(const struct replay_setup *setup, size_t queues)
{
	struct seen *seen = calloc(queues, sizeof(*seen));
	struct dxmit_queue *q[QUEUES];
	struct replay r;
	uint64_t total = 0;
	size_t i, open = queues, f, owners;

	assert_non_null(seen);
	assert_int_equal(replay_open(setup, -1, &r), 0);
	assert_int_equal(replay_spread(&r, queues), 0);
	for (i = 0; i < queues; i++) {
		q[i] = fake_queue();
		assert_int_equal(replay_attach(&r.queue[i], q[i]), 0);
	}
	assert_int_equal(replay_start(&r), 0);
	while (open) {
		for (i = 0, open = 0; i < queues; i++) {
			uint64_t left = r.queue[i].count - seen[i].frames;
			uint32_t wanted = 1 + (uint32_t)(seen[i].frames % SLOTS);

			if (left == 0 || replay_ended(&r.queue[i]))
				continue;
			open++;
			take(&r.queue[i], q[i], left < wanted ? (uint32_t)left : wanted,
			     &seen[i]);
		}
	}
	replay_stop(&r);
	for (i = 0; i < queues; i++) {
		total += seen[i].frames;
		free_queue(q[i]);
	}
	for (f = 0; f < FLOWS; f++) { /* no flow is on two queues */
		for (i = 0, owners = 0; i < queues; i++)
			owners += seen[i].last[f] != 0;
		assert_true(owners <= 1);
	}
	if (!r.stats.in_memory)
		assert_int_equal(r.error, 0);
	replay_close(&r);
	free(seen);
	return total;
}

static void test_every_count_is_exact(void **state)
{
	static const uint64_t counts[] = { 0, 1, 2, 332, 333, 334, 1000, 3330 };
	struct replay_setup setup;
	uint32_t queues, i, streamed;

	(void)state;
	make_flows();
	for (streamed = 0; streamed < 2; streamed++)
		for (queues = 1; queues <= QUEUES; queues *= 2)
			for (i = 0; i < 8; i++) {
				setup = setup_of(file.used);
				setup.memory_bytes = streamed; /* 0: the default */
				setup.config.loops = i;        /* 0: endless */
				setup.count = counts[i];
				assert_int_equal(run(&setup, queues),
						 i && counts[i] > i * FRAMES ? i * FRAMES
									     : counts[i]);
				setup.count = UINT64_MAX;
				if (i)
					assert_int_equal(run(&setup, queues), i * FRAMES);
			}
}

/* A capture that looks short and is long in memory is streamed after all. */
static void test_too_large_for_memory(void **state)
{
	struct replay_setup setup;
	struct replay r;

	(void)state;
	make_flows();
	setup = setup_of(file.used);
	setup.memory_bytes = file.used;
	assert_int_equal(replay_open(&setup, -1, &r), 0);
	assert_false(r.stats.in_memory);
	assert_int_equal(r.stats.records, 0);
	assert_null(r.frame);
	replay_close(&r);
	assert_int_equal(run(&setup, 2), FRAMES);
}

/* The reader stops where the file breaks off, and says so. */
static void test_a_stream_that_breaks_off(void **state)
{
	struct replay_setup setup;
	struct replay r;
	struct seen seen = { 0 };
	struct dxmit_queue *q = fake_queue();
	uint32_t policy;

	(void)state;
	make_flows();
	for (policy = 0; policy < 2; policy++) {
		memset(&seen, 0, sizeof(seen));
		setup = setup_of(file.record_at[200] + 5);
		setup.memory_bytes = 1;
		setup.config.bad_record = policy ? BAD_RECORD_STOP : BAD_RECORD_SKIP;
		assert_int_equal(replay_open(&setup, -1, &r), 0);
		assert_int_equal(replay_spread(&r, 1), 0);
		assert_int_equal(replay_start(&r), 0);
		while (!replay_ended(&r.queue[0]))
			take(&r.queue[0], q, SLOTS, &seen);
		replay_stop(&r);
		assert_int_equal(seen.frames, 200);
		assert_int_equal(r.error, policy ? -EPROTO : 0);
		assert_int_equal(r.stats.fault.record, 201);
		assert_int_equal(r.stats.fault.offset, file.record_at[200]);
		assert_int_equal(r.stats.bad, 1);
		replay_close(&r);
	}
	free_queue(q);
}

/* Stopped while the ring is full and nobody takes frames. */
static void test_a_reader_that_waits_is_stopped(void **state)
{
	struct replay_setup setup;
	struct replay r;
	struct timespec pause = { .tv_nsec = 20000000 };

	(void)state;
	make_flows();
	setup = setup_of(file.used);
	setup.memory_bytes = 1;
	setup.config.loops = 0;
	assert_int_equal(replay_open(&setup, -1, &r), 0);
	assert_int_equal(replay_spread(&r, 2), 0);
	assert_int_equal(replay_start(&r), 0);
	nanosleep(&pause, NULL);
	replay_stop(&r);
	assert_int_equal(r.error, 0);
	replay_close(&r);
}

/* Memory for a multiple of what is sent, where that is not much. */
static void test_frames_that_stay_where_they_are(void **state)
{
	static const struct {
		uint32_t sent, frames, room, suited;
	} cases[] = {
		{ 0, 512, 2048, 512 },     { 1, 512, 2048, 512 },
		{ 3, 512, 2048, 513 },     { 64, 512, 2048, 512 },
		{ 511, 512, 2048, 1022 },  { 1000, 512, 2048, 1000 },
		{ 2048, 512, 2048, 2048 }, { 2049, 512, 2048, 512 },
		{ 2049, 512, 64, 2049 },   { UINT32_MAX, 512, 64, 512 },
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct replay_queue queue = { .frames = cases[i].sent };

		assert_int_equal(replay_frames(&queue, cases[i].frames, cases[i].room),
				 cases[i].suited);
	}
}

/* A frame is written once and not again, as long as nobody else writes it. */
static void test_laid_once(void **state)
{
	struct dxmit_queue *q = fake_queue();
	uint32_t lengths[SLOTS], i;
	struct replay_setup setup;
	struct replay r;

	(void)state;
	file_begin(&file, false, false, true);
	for (i = 0; i < SLOTS / 4; i++) {
		make_frame(frame, 100, 1, i);
		put_frame(&file, START_NS, frame, 100);
	}
	setup = setup_of(file.used);
	setup.config.loops = 0;
	assert_int_equal(replay_open(&setup, -1, &r), 0);
	assert_int_equal(replay_spread(&r, 1), 0);
	assert_int_equal(replay_attach(&r.queue[0], q), 0);
	assert_int_equal(replay_fill(&r.queue[0], q, SLOTS, lengths), SLOTS);
	memset(q->umem, 0x77, SLOTS * ROOM);
	assert_int_equal(replay_fill(&r.queue[0], q, SLOTS, lengths), SLOTS);
	for (i = 0; i < SLOTS * ROOM; i++)
		assert_int_equal(q->umem[i], 0x77);
	/* one off, and each is another one's */
	q->tx_position++;
	assert_int_equal(replay_fill(&r.queue[0], q, SLOTS, lengths), SLOTS);
	for (i = 0; i < SLOTS; i++) {
		make_frame(frame, 100, 1, i % (SLOTS / 4));
		assert_memory_equal(dxmit_frame(q, i), frame, 100);
	}
	replay_close(&r);
	free_queue(q);
}

/* ---- time ---- */

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
		cmocka_unit_test(test_short_records),
		cmocka_unit_test(test_snapped_records),
		cmocka_unit_test(test_long_records),
		cmocka_unit_test(test_tags_on_top_of_the_mtu),
		cmocka_unit_test(test_the_good_ones_are_kept),
		cmocka_unit_test(test_nothing_to_send),
		cmocka_unit_test(test_every_count_is_exact),
		cmocka_unit_test(test_too_large_for_memory),
		cmocka_unit_test(test_a_stream_that_breaks_off),
		cmocka_unit_test(test_a_reader_that_waits_is_stopped),
		cmocka_unit_test(test_frames_that_stay_where_they_are),
		cmocka_unit_test(test_laid_once),
		cmocka_unit_test(test_recorded_times),
		cmocka_unit_test(test_rate),
		cmocka_unit_test(test_several_are_due),
		cmocka_unit_test(test_wild_times),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
