/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Guards the verbs of a queue over plain memory: lengths, reservations, dirty
 * ring memory, the descriptors that may stay unwritten, completions that
 * cannot be, and the one-call send. The random walk is in test_ring_walk.c.
 */
#include "fake_ring.h"

#include <errno.h>

#define RING 8u
#define FRAME 2048u

static const struct fake_shape fixed = { RING, RING, RING, FRAME, 1, UINT32_MAX - 2 };
static const struct fake_shape listed = { RING, RING, RING, FRAME, 0, UINT32_MAX - 2 };

/* What submit must leave alone when it refuses. */
static void assert_untouched(const struct fake *f, const struct fake *before,
			     const struct xdp_desc *descs)
{
	assert_int_equal(f->tx_producer, before->tx_producer);
	assert_int_equal(f->q.tx_position, before->q.tx_position);
	assert_int_equal(f->q.in_flight, before->q.in_flight);
	assert_int_equal(f->q.submitted, before->q.submitted);
	assert_int_equal(f->q.free_head, before->q.free_head);
	assert_memory_equal(f->q.tx_descs, descs, RING * sizeof(*descs));
}

static void lengths_of(struct fake_shape shape)
{
	static const struct {
		uint32_t length;
		int answer;
	} cases[] = {
		{ 0, -EINVAL },
		{ 1, -EINVAL },
		{ 13, -EINVAL },
		{ 14, 0 },
		{ FRAME, 0 },
		{ FRAME + 1, -EMSGSIZE },
		{ UINT32_MAX, -EMSGSIZE },
	};
	struct xdp_desc descs[RING];
	uint32_t lengths[3];
	size_t i, at;

	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct fake f, before;

		fake_open(&f, shape);
		memcpy(descs, f.q.tx_descs, sizeof(descs));
		assert_int_equal(dxmit_reserve(&f.q, 3), 3);
		before = f;
		assert_int_equal(dxmit_submit(&f.q, 2, cases[i].length), cases[i].answer);
		if (cases[i].answer)
			assert_untouched(&f, &before, descs);
		else
			assert_int_equal(fake_waiting(&f), 2);
		fake_close(&f);
		/* The bad length is found wherever it stands. */
		for (at = 0; at < 3 && cases[i].answer; at++) {
			fake_open(&f, shape);
			assert_int_equal(dxmit_reserve(&f.q, 3), 3);
			before = f;
			lengths[0] = lengths[1] = lengths[2] = 60;
			lengths[at] = cases[i].length;
			assert_int_equal(dxmit_submit_lengths(&f.q, 3, lengths),
					 cases[i].answer);
			assert_untouched(&f, &before, descs);
			fake_close(&f);
		}
	}
}

static void lengths_are_checked_first(void **state)
{
	(void)state;
	lengths_of(fixed);
	lengths_of(listed);
}

static void more_than_reserved_is_refused(void **state)
{
	static const uint32_t lengths[RING] = { 60, 60, 60, 60, 60, 60, 60, 60 };
	struct fake f;
	int kind;

	(void)state;
	for (kind = 0; kind < 2; kind++) {
		fake_open(&f, kind ? fixed : listed);
		assert_int_equal(dxmit_submit(&f.q, 1, 60), -ENOSPC);
		assert_int_equal(dxmit_reserve(&f.q, 3), 3);
		assert_int_equal(dxmit_submit(&f.q, 4, 60), -ENOSPC);
		assert_int_equal(dxmit_submit_lengths(&f.q, 4, lengths), -ENOSPC);
		assert_int_equal(fake_waiting(&f), 0);
		/* A refusal does not end the reservation; a submit does. */
		assert_int_equal(dxmit_submit(&f.q, 2, 60), 0);
		assert_int_equal(dxmit_submit(&f.q, 1, 60), -ENOSPC);
		assert_int_equal(fake_waiting(&f), 2);
		fake_close(&f);
	}
}

static void reservation_is_given_back(void **state)
{
	struct fake f;
	int kind;

	(void)state;
	for (kind = 0; kind < 2; kind++) {
		uint64_t first, third;

		fake_open(&f, kind ? fixed : listed);
		assert_int_equal(dxmit_reserve(&f.q, 5), 5);
		first = dxmit_frame_addr(&f.q, 0);
		third = dxmit_frame_addr(&f.q, 2);
		/* Not used at all: the same frames come again. */
		assert_int_equal(dxmit_reserve(&f.q, RING + 1), RING);
		assert_int_equal(dxmit_frame_addr(&f.q, 0), first);
		/* Used in part: the rest is free, nothing is lost. */
		assert_int_equal(dxmit_submit(&f.q, 2, 60), 0);
		assert_int_equal(dxmit_reserve(&f.q, RING), RING - 2);
		assert_int_equal(dxmit_frame_addr(&f.q, 0), third);
		assert_int_equal(dxmit_frame_index(&f.q, 0), third / FRAME);
		assert_ptr_equal(dxmit_frame(&f.q, 0), f.q.umem + third);
		assert_int_equal(dxmit_submit(&f.q, RING - 2, 60), 0);
		assert_int_equal(dxmit_reserve(&f.q, 1), 0);
		fake_send_all(&f);
		assert_int_equal(dxmit_reserve(&f.q, 1), 0); /* not reclaimed yet */
		assert_int_equal(dxmit_reclaim(&f.q), RING);
		assert_int_equal(dxmit_reserve(&f.q, RING), RING);
		fake_close(&f);
	}
}

/* C20: options are 0 and lengths right from the first lap on, over memory full
 * of 0xff, on every submit form and across the wrap of the positions. */
static void dirty_ring_memory(void **state)
{
	uint32_t lengths[RING];
	struct fake f;
	int kind, round;

	(void)state;
	for (kind = 0; kind < 2; kind++) {
		fake_open(&f, kind ? fixed : listed);
		for (round = 0; round < 40; round++) {
			uint32_t n = dxmit_reserve(&f.q, 1 + (uint32_t)round % 5);
			uint32_t i, length = round % 9 < 7 ? 60 : 61;

			for (i = 0; i < n; i++)
				lengths[i] = length;
			if (round % 2)
				assert_int_equal(dxmit_submit(&f.q, n, length), 0);
			else
				assert_int_equal(dxmit_submit_lengths(&f.q, n, lengths),
						 0);
			for (i = 0; i < n; i++) {
				assert_int_equal(fake_next_desc(&f)->len, length);
				fake_take(&f); /* checks options and address */
			}
			fake_send_all(&f);
			/* Written 0 each time: a stale bit does not survive. */
			if (!kind)
				f.q.tx_descs[f.q.tx_position & f.q.tx_mask].options = 1;
			assert_int_equal(dxmit_reclaim(&f.q), n);
		}
		fake_close(&f);
	}
}

static void submit_fixed(struct fake *f, uint32_t n, uint32_t length)
{
	assert_int_equal(dxmit_reserve(&f->q, n), n);
	assert_int_equal(dxmit_submit(&f->q, n, length), 0);
	fake_send_all(f);
	assert_int_equal(dxmit_reclaim(&f->q), n);
}

/* Does submitting one frame write its descriptor? */
static bool next_is_written(struct fake *f, uint32_t length)
{
	struct xdp_desc *desc = &f->q.tx_descs[f->q.tx_position & f->q.tx_mask];
	bool written;

	desc->len = 999;
	assert_int_equal(dxmit_reserve(&f->q, 1), 1);
	assert_int_equal(dxmit_submit(&f->q, 1, length), 0);
	written = desc->len == length;
	desc->len = length;
	fake_send_all(f);
	assert_int_equal(dxmit_reclaim(&f->q), 1);
	return written;
}

static void descriptors_are_skipped_after_a_lap(void **state)
{
	struct fake f;

	(void)state;
	fake_open(&f, fixed);
	submit_fixed(&f, 5, 60);
	assert_true(next_is_written(&f, 60)); /* 6 of 8 */
	submit_fixed(&f, 2, 60);
	assert_int_equal(f.q.fixed_unwritten, 0);
	assert_false(next_is_written(&f, 60));
	submit_fixed(&f, 3, 60);
	assert_true(next_is_written(&f, 61)); /* another length */
	submit_fixed(&f, 6, 61);
	assert_true(next_is_written(&f, 61)); /* the lap's last */
	assert_false(next_is_written(&f, 61));
	assert_int_equal(dxmit_reserve(&f.q, 1), 1);
	assert_int_equal(dxmit_submit_lengths(&f.q, 1, &(uint32_t){ 62 }), 0);
	fake_send_all(&f);
	assert_int_equal(dxmit_reclaim(&f.q), 1);
	assert_true(next_is_written(&f, 61)); /* lengths differ now */
	fake_close(&f);
}

/* A lap that does not read back as written is written again, all of it, before
 * anything is skipped. */
static void lap_is_verified(void **state)
{
	int field;

	(void)state;
	for (field = 0; field < 3; field++) {
		struct fake f;
		struct xdp_desc *desc;
		uint64_t addr;

		fake_open(&f, fixed);
		submit_fixed(&f, 7, 60);
		/* A slot that is neither in flight nor next. */
		desc = &f.q.tx_descs[(f.q.tx_position + 3) & f.q.tx_mask];
		addr = desc->addr;
		if (field == 0)
			desc->addr = addr ^ FRAME;
		else if (field == 1)
			desc->len = 1000;
		else
			desc->options = 1;
		submit_fixed(&f, 1, 60);
		assert_int_equal(f.q.fixed_unwritten, RING);
		submit_fixed(&f, 7, 60); /* fake_take() checks each */
		assert_int_equal(desc->addr, addr);
		assert_int_equal(desc->len, 60);
		assert_int_equal(desc->options, 0);
		submit_fixed(&f, 1, 60);
		assert_int_equal(f.q.fixed_unwritten, 0);
		assert_int_equal(f.q.fixed_slots, 1);
		fake_close(&f);
	}
}

static void submit_some(struct fake *f, uint32_t n)
{
	assert_int_equal(dxmit_reserve(&f->q, n), n);
	assert_int_equal(dxmit_submit(&f->q, n, 60), 0);
	while (fake_waiting(f))
		fake_take(f);
	fake_publish(f);
}

/* Posts `addr` after the completions of `good` frames. */
static int reclaim_after(struct fake_shape shape, uint32_t in_flight, uint32_t good,
			 uint64_t addr)
{
	struct fake f;
	int answer;

	fake_open(&f, shape);
	submit_some(&f, in_flight);
	while (good--)
		fake_complete(&f, 0);
	fake_post(&f, addr);
	answer = dxmit_reclaim(&f.q);
	if (answer < 0) {
		assert_int_equal(f.q.completed, 0);
		assert_int_equal(f.q.in_flight, in_flight);
	}
	fake_close(&f);
	return answer;
}

static void impossible_completions(void **state)
{
	int kind;

	(void)state;
	for (kind = 0; kind < 2; kind++) {
		struct fake_shape shape = kind ? fixed : listed;

		assert_int_equal(reclaim_after(shape, 3, 2, 2 * FRAME), 3);
		/* More than are in flight, from none on. */
		assert_int_equal(reclaim_after(shape, 0, 0, 0), -EPROTO);
		assert_int_equal(reclaim_after(shape, 3, 3, 0), -EPROTO);
		/* Frames that do not exist. */
		assert_int_equal(reclaim_after(shape, 3, 1, RING * FRAME), -EPROTO);
		assert_int_equal(reclaim_after(shape, 3, 1, UINT64_MAX), -EPROTO);
		assert_int_equal(reclaim_after(shape, 3, 1, 1ull << 32), -EPROTO);
		assert_int_equal(reclaim_after(shape, 3, 1, FRAME + 1), -EPROTO);
	}
}

static void reordering_ends_fixed_slots(void **state)
{
	struct fake f;
	uint64_t reserved[2];
	uint32_t i;

	(void)state;
	fake_open(&f, fixed);
	submit_some(&f, 6);
	fake_complete(&f, 0);
	assert_int_equal(dxmit_reclaim(&f.q), 1);
	assert_int_equal(f.q.fixed_slots, 1);
	/* It happens in the middle of a reservation, which stays valid. */
	assert_int_equal(dxmit_reserve(&f.q, 2), 2);
	for (i = 0; i < 2; i++)
		reserved[i] = dxmit_frame_addr(&f.q, i);
	fake_complete(&f, 3);
	fake_complete(&f, 0);
	assert_int_equal(dxmit_reclaim(&f.q), 2);
	assert_int_equal(f.q.fixed_slots, 0);
	assert_int_equal(f.q.in_flight, 3);
	for (i = 0; i < 2; i++)
		assert_int_equal(dxmit_frame_addr(&f.q, i), reserved[i]);
	assert_int_equal(dxmit_submit(&f.q, 2, 60), 0);
	for (i = 0; i < 2; i++) {
		assert_int_equal(fake_next_desc(&f)->addr, reserved[i]);
		fake_take(&f);
	}
	fake_send_all(&f);
	assert_int_equal(dxmit_reclaim(&f.q), 5);
	assert_int_equal(dxmit_reserve(&f.q, RING), RING);
	fake_close(&f);
}

/* More frames than slots: the published consumer limits, stale or not. */
static void more_frames_than_slots(void **state)
{
	const struct fake_shape shape = { RING, 32, 3 * RING, FRAME, 0, UINT32_MAX - 9 };
	struct fake f;

	(void)state;
	fake_open(&f, shape);
	assert_int_equal(dxmit_reserve(&f.q, 100), RING);
	assert_int_equal(dxmit_submit(&f.q, RING, 60), 0);
	assert_int_equal(dxmit_reserve(&f.q, 100), 0);
	fake_take(&f);
	fake_take(&f);
	assert_int_equal(dxmit_reserve(&f.q, 100), 0); /* taken, not published */
	fake_publish(&f);
	assert_int_equal(dxmit_reserve(&f.q, 100), 2);
	assert_int_equal(dxmit_submit(&f.q, 2, 60), 0);
	submit_some(&f, 0);
	submit_some(&f, RING);
	submit_some(&f, 6);
	assert_int_equal(f.q.in_flight, 3 * RING);
	assert_int_equal(dxmit_reserve(&f.q, 1), 0); /* room, but no frame */
	fake_send_all(&f);
	assert_int_equal(dxmit_reclaim(&f.q), 3 * RING);
	fake_close(&f);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(lengths_are_checked_first),
		cmocka_unit_test(more_than_reserved_is_refused),
		cmocka_unit_test(reservation_is_given_back),
		cmocka_unit_test(dirty_ring_memory),
		cmocka_unit_test(descriptors_are_skipped_after_a_lap),
		cmocka_unit_test(lap_is_verified),
		cmocka_unit_test(impossible_completions),
		cmocka_unit_test(reordering_ends_fixed_slots),
		cmocka_unit_test(more_frames_than_slots),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("ring", tests, NULL, NULL);
}
