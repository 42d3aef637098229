/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Guards the verbs of a queue whose frames take several chunks, over plain
 * memory: the descriptors of a frame, whole frames only in the ring, completions
 * by chunk folded into frames, and those that cannot be.
 */
#include "fake_ring.h"

#include <errno.h>
#include <linux/if_xdp.h>

/* Linux 6.6 */
#ifndef XDP_PKT_CONTD
#define XDP_PKT_CONTD (1 << 0)
#endif

#define CHUNK 4096u
#define SEGMENTS 3u
#define ROOM 16384u
#define RING 16u
#define FRAMES 12u

/* The kernel's side: fake_ring.h takes frames of one descriptor. */
static void take(struct fake *f)
{
	const struct xdp_desc *desc = fake_next_desc(f);

	assert_true(fake_waiting(f) > 0 && fake_waiting(f) <= RING);
	assert_in_range(desc->len, 1, CHUNK);
	assert_int_equal(desc->addr % CHUNK, 0);
	assert_true(desc->addr < (uint64_t)FRAMES * ROOM);
	assert_true((desc->options & ~(uint32_t)XDP_PKT_CONTD) == 0);
	assert_true(!desc->options || desc->len == CHUNK);
	f->held[f->held_count++] = desc->addr;
	f->taken++;
}

static void take_all(struct fake *f)
{
	while (fake_waiting(f))
		take(f);
	fake_publish(f);
}

static void open_at(struct fake *f, uint32_t start)
{
	/* A completion ring and a list of held ones for every chunk. */
	const struct fake_shape shape = { RING, 64, FRAMES, ROOM, 0, start };

	fake_open(f, shape);
	f->held = realloc(f->held, FRAMES * SEGMENTS * sizeof(*f->held));
	assert_non_null(f->held);
	f->priv.options.frames = FRAMES;
	f->priv.options.frame_size = CHUNK;
	f->priv.options.max_length = 9014;
	assert_int_equal(dxmit_segments_open(&f->q), 0);
	assert_int_equal(f->q.segments, SEGMENTS);
}

static void close_it(struct fake *f)
{
	free(f->priv.segment_state);
	fake_close(f);
}

/* ---- descriptors ---- */

static void descriptors_of_every_length(void **state)
{
	static const struct {
		uint32_t length, count, last;
	} cases[] = {
		{ 14, 1, 14 },  { 4096, 1, 4096 }, { 4097, 2, 1 },      { 8192, 2, 4096 },
		{ 8193, 3, 1 }, { 9014, 3, 822 },  { 12288, 3, CHUNK },
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		uint32_t n, start = UINT32_MAX - (uint32_t)i % 4;
		uint64_t addr;
		struct fake f;

		open_at(&f, start);
		assert_int_equal(dxmit_reserve(&f.q, 1), 1);
		addr = dxmit_frame_addr(&f.q, 0);
		if (i % 2)
			assert_int_equal(dxmit_submit(&f.q, 1, cases[i].length), 0);
		else
			assert_int_equal(dxmit_submit_lengths(&f.q, 1, &cases[i].length),
					 0);
		assert_int_equal(fake_waiting(&f), cases[i].count);
		assert_int_equal(f.q.in_flight, 1);
		for (n = 0; n < cases[i].count; n++) {
			const struct xdp_desc *desc =
				&f.q.tx_descs[(start + n) & f.q.tx_mask];
			bool last = n + 1 == cases[i].count;

			assert_int_equal(desc->addr, addr + n * CHUNK);
			assert_int_equal(desc->len, last ? cases[i].last : CHUNK);
			assert_int_equal(desc->options, last ? 0 : XDP_PKT_CONTD);
		}
		close_it(&f);
	}
}

static void lengths_are_checked_first(void **state)
{
	static const struct {
		uint32_t length;
		int answer;
	} cases[] = {
		{ 0, -EINVAL },
		{ 13, -EINVAL },
		{ SEGMENTS * CHUNK + 1, -EMSGSIZE },
		{ UINT32_MAX, -EMSGSIZE },
	};
	uint32_t lengths[2] = { 9014, 0 };
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct fake f;

		open_at(&f, 7);
		assert_int_equal(dxmit_reserve(&f.q, 2), 2);
		lengths[1] = cases[i].length;
		assert_int_equal(dxmit_submit(&f.q, 2, cases[i].length), cases[i].answer);
		assert_int_equal(dxmit_submit_lengths(&f.q, 2, lengths), cases[i].answer);
		assert_int_equal(fake_waiting(&f), 0);
		assert_int_equal(f.q.in_flight, 0);
		assert_int_equal(dxmit_submit(&f.q, 3, 60), -ENOSPC);
		close_it(&f);
	}
}

/* There is room for frames of any length, or there is none. */
static void room_is_counted_in_descriptors(void **state)
{
	struct fake f;

	(void)state;
	open_at(&f, UINT32_MAX - 5);
	assert_int_equal(dxmit_reserve(&f.q, 100), RING / SEGMENTS);
	assert_int_equal(dxmit_submit(&f.q, 5, 9014), 0);
	assert_int_equal(dxmit_reserve(&f.q, 100), 0); /* one descriptor is left */
	take_all(&f); /* the ring is empty, the frames are not back */
	assert_int_equal(dxmit_reserve(&f.q, 100), 5);
	assert_int_equal(dxmit_submit(&f.q, 5, 60), 0);
	assert_int_equal(dxmit_reserve(&f.q, 100), FRAMES - 10);
	assert_int_equal(dxmit_submit(&f.q, 2, 9014), 0);
	take_all(&f);
	assert_int_equal(dxmit_reserve(&f.q, 100), 0); /* no frame is left */
	close_it(&f);
}

/* An index that is not published (6.1, 6.12) is not believed beyond what can be. */
static void stale_consumer_index(void **state)
{
	struct fake f;

	(void)state;
	open_at(&f, UINT32_MAX - 5);
	assert_int_equal(dxmit_reserve(&f.q, 5), 5);
	assert_int_equal(dxmit_submit(&f.q, 5, 9014), 0);
	while (fake_waiting(&f))
		take(&f);
	assert_int_equal(dxmit_reserve(&f.q, 5), 0);
	while (f.held_count)
		fake_complete(&f, 0);
	assert_int_equal(dxmit_reclaim(&f.q), 5);
	assert_int_equal(dxmit_reserve(&f.q, 5), 5);
	close_it(&f);
}

/* ---- completions ---- */

static void chunks_are_folded_into_frames(void **state)
{
	static const uint32_t lengths[3] = { 9014, 60, 5000 };
	/* Which of those held comes next, and what reclaim then answers. */
	static const struct {
		uint32_t i, frames;
	} steps[] = { { 0, 0 }, { 2, 1 }, { 0, 0 }, { 1, 0 }, { 1, 1 }, { 0, 1 } };
	struct fake f;
	uint64_t first;
	size_t i;

	(void)state;
	open_at(&f, UINT32_MAX - 1);
	assert_int_equal(dxmit_reserve(&f.q, 3), 3);
	first = dxmit_frame_addr(&f.q, 0);
	assert_int_equal(dxmit_submit_lengths(&f.q, 3, lengths), 0);
	take_all(&f);
	assert_int_equal(f.held_count, 6);
	for (i = 0; i < 6; i++) {
		uint32_t before = f.q.in_flight;

		fake_complete(&f, steps[i].i);
		assert_int_equal(dxmit_reclaim(&f.q), steps[i].frames);
		assert_int_equal(f.q.in_flight, before - steps[i].frames);
		assert_int_equal(f.cq_consumer, f.cq_producer);
	}
	assert_int_equal(f.q.completed, 3);
	assert_int_equal(f.q.in_flight, 0);
	assert_int_equal(f.priv.descs_in_flight, 0);
	/* The last to come back is the last in the list: the first one. */
	assert_int_equal(f.q.free_addrs[(f.q.free_tail - 1) & f.q.free_mask], first);
	close_it(&f);
}

static void completions_that_cannot_be(void **state)
{
	/* Two frames of three chunks, at 0 and ROOM, are in flight. */
	static const uint64_t wrong[] = {
		CHUNK,
		2 * CHUNK,
		3 * CHUNK,
		1,
		2 * ROOM,
		ROOM + CHUNK,
		ROOM + 1,
		FRAMES * (uint64_t)ROOM,
		UINT64_MAX,
		UINT64_MAX - 4095,
		(FRAMES - 1) * ROOM,
	};
	struct fake f;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		open_at(&f, 0);
		assert_int_equal(dxmit_reserve(&f.q, 2), 2);
		assert_int_equal(dxmit_submit(&f.q, 2, 9014), 0);
		take_all(&f);
		fake_post(&f, wrong[i]);
		assert_int_equal(dxmit_reclaim(&f.q), -EPROTO);
		assert_int_equal(f.cq_consumer, 0);
		assert_int_equal(dxmit_reclaim(&f.q), -EPROTO); /* and it stays so */
		close_it(&f);
	}
	/* One twice; and more than were submitted. */
	open_at(&f, 0);
	assert_int_equal(dxmit_reserve(&f.q, 1), 1);
	assert_int_equal(dxmit_submit(&f.q, 1, 8192), 0);
	take_all(&f);
	fake_complete(&f, 0);
	assert_int_equal(dxmit_reclaim(&f.q), 0);
	fake_post(&f, 0);
	assert_int_equal(dxmit_reclaim(&f.q), -EPROTO);
	fake_complete(&f, 0);
	assert_int_equal(dxmit_reclaim(&f.q), -EPROTO);
	close_it(&f);
}

/* ---- dxmit_send() ---- */

static uint32_t next_length(void *arg, void *frame, uint32_t room)
{
	const uint32_t **length = arg;

	assert_int_equal(room, SEGMENTS * CHUNK);
	memset(frame, 0x5a, room);
	return *(*length)++;
}

static void send_submits_whole_frames_or_none(void **state)
{
	static const uint32_t bad[] = { 9014, 5000, SEGMENTS * CHUNK + 1 };
	const uint32_t *at = bad;
	struct fake f;

	(void)state;
	open_at(&f, UINT32_MAX - 1);
	assert_int_equal(dxmit_send(&f.q, 3, next_length, &at), -EMSGSIZE);
	assert_int_equal(fake_waiting(&f), 0);
	assert_int_equal(f.q.in_flight, 0);
	/* What was given up is not in flight. */
	fake_post(&f, 0);
	assert_int_equal(dxmit_reclaim(&f.q), -EPROTO);
	close_it(&f);
}

/* ---- a long walk ---- */

static uint32_t next_random(uint32_t *seed)
{
	*seed ^= *seed << 13;
	*seed ^= *seed >> 17;
	*seed ^= *seed << 5;
	return *seed;
}

/* Frames of all lengths go out and come back chunk by chunk, across the wrap. */
static void walk(uint32_t start, uint32_t seed)
{
	uint64_t submitted = 0, completed = 0;
	uint32_t step, lengths[FRAMES], n, i;
	struct fake f;

	open_at(&f, start);
	for (step = 0; step < 20000; step++) {
		int answer;

		n = dxmit_reserve(&f.q, next_random(&seed) % (FRAMES + 1));
		for (i = 0; i < n; i++)
			lengths[i] = 14 + next_random(&seed) % (SEGMENTS * CHUNK - 13);
		if (n) { /* not all that was reserved */
			n = 1 + next_random(&seed) % n;
			assert_int_equal(dxmit_submit_lengths(&f.q, n, lengths), 0);
			submitted += n;
			/* All or nothing: a frame ends where the ring does. */
			assert_int_equal(
				f.q.tx_descs[(f.tx_producer - 1) & f.q.tx_mask].options,
				0);
		}
		for (i = next_random(&seed) % RING; i && fake_waiting(&f); i--)
			take(&f);
		if (next_random(&seed) % 2 || !fake_waiting(&f))
			fake_publish(&f);
		for (i = next_random(&seed) % RING; i && f.held_count; i--)
			fake_complete(&f, 0);
		answer = dxmit_reclaim(&f.q);
		assert_true(answer >= 0);
		completed += (uint32_t)answer;
		assert_int_equal(f.q.submitted, submitted);
		assert_int_equal(f.q.completed, completed);
		assert_int_equal(f.q.in_flight, submitted - completed);
		assert_int_equal(f.priv.descs_in_flight, fake_waiting(&f) + f.held_count);
	}
	assert_true(submitted > 20000);
	take_all(&f);
	while (f.held_count)
		fake_complete(&f, 0);
	assert_int_equal(dxmit_reclaim(&f.q), submitted - completed);
	assert_int_equal(dxmit_reserve(&f.q, FRAMES), RING / SEGMENTS);
	close_it(&f);
}

static void walks_across_the_wrap(void **state)
{
	(void)state;
	walk(0, 1);
	walk(UINT32_MAX - 10000, 2);
	walk(UINT32_MAX, 3);
}

/* ---- sizes ---- */

static void sizes_of_a_queue(void **state)
{
	struct dxmit_queue_options o = { .size = sizeof(o), .ifindex = 1 };

	(void)state;
	/* 512 descriptors hold 170 frames of three; each has the next power of two. */
	o.frame_size = 4096;
	o.max_length = 9014;
	assert_int_equal(dxmit_queue_locked_bytes(&o), 0); /* not asked for */
	o.multi_buffer = 1;
	assert_int_equal(dxmit_queue_locked_bytes(&o), 170 * 16384);
	o.max_length = DXMIT_MAX_SEGMENTS * 4096;
	assert_int_equal(dxmit_queue_locked_bytes(&o), 30 * 131072);
	o.max_length++;
	assert_int_equal(dxmit_queue_locked_bytes(&o), 0);
	o.max_length = 4096;
	assert_int_equal(dxmit_queue_locked_bytes(&o), 512 * 4096);
	o.max_length = 9014;
	o.ring_size = 2; /* not even one */
	assert_int_equal(dxmit_queue_locked_bytes(&o), 0);
	o.ring_size = 4;
	assert_int_equal(dxmit_queue_locked_bytes(&o), 16384);
	o.completion_size = 2;
	assert_int_equal(dxmit_queue_locked_bytes(&o), 0);
	o.completion_size = 0;
	o.frames = 4;
	o.fixed_slots = 1;
	assert_int_equal(dxmit_queue_locked_bytes(&o), 0);
	o.fixed_slots = 0;
	o.mode = DXMIT_MODE_ZEROCOPY;
	assert_int_equal(dxmit_queue_locked_bytes(&o), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(descriptors_of_every_length),
		cmocka_unit_test(lengths_are_checked_first),
		cmocka_unit_test(room_is_counted_in_descriptors),
		cmocka_unit_test(stale_consumer_index),
		cmocka_unit_test(chunks_are_folded_into_frames),
		cmocka_unit_test(completions_that_cannot_be),
		cmocka_unit_test(send_submits_whole_frames_or_none),
		cmocka_unit_test(walks_across_the_wrap),
		cmocka_unit_test(sizes_of_a_queue),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
