/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the queues of a replay send: which gets a frame, how many and in what
 * order; from memory and as a stream alike.
 */
#include "replay_fixture.h"

#include <errno.h>
#include <time.h>

#define QUEUES 4
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
		/* With so many flows no queue is left out of a whole pass. */
		assert_true(seen[i].frames || setup->count < FRAMES);
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

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_count_is_exact),
		cmocka_unit_test(test_too_large_for_memory),
		cmocka_unit_test(test_a_stream_that_breaks_off),
		cmocka_unit_test(test_a_reader_that_waits_is_stopped),
		cmocka_unit_test(test_frames_that_stay_where_they_are),
		cmocka_unit_test(test_laid_once),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
