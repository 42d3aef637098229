/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Guards dxmit_send(): the callback's frames, its early end, bad lengths early
 * and late, a full ring, what is answered when the kernel fails, and that it
 * mixes with the other verbs on fixed slots.
 */
#include "fake_kernel.h"

/* What the callback shall do, and what it saw. */
struct script {
	uint32_t calls;
	uint32_t stop_at; /* answer 0 at this call */
	uint32_t bad_at;  /* answer bad_length at this call */
	uint32_t bad_length;
	void *frame[256];
};

static uint32_t fill(void *arg, void *frame, uint32_t room)
{
	struct script *s = arg;

	assert_int_equal(room, FRAME);
	assert_true(s->calls < 256);
	s->frame[s->calls] = frame;
	memset(frame, (int)s->calls, room);
	if (++s->calls == s->stop_at)
		return 0;
	return s->calls == s->bad_at ? s->bad_length : 59 + s->calls;
}

static void frames_go_out_as_filled(void **state)
{
	struct dxmit_queue *q = boot(128, DXMIT_KICK_SENDTO);
	struct script s = { 0 };
	uint32_t i;

	(void)state;
	kernel.error = ENETDOWN; /* so that they stay to be looked at */
	assert_int_equal(dxmit_send(q, 100, fill, &s), 100);
	assert_int_equal(s.calls, 100);
	assert_int_equal(fake_waiting(&kernel.f), 100);
	for (i = 0; i < 100; i++) {
		const struct xdp_desc *desc = fake_next_desc(&kernel.f);
		uint8_t *frame = q->umem + desc->addr;

		assert_int_equal(desc->len, 60 + i);
		assert_ptr_equal(frame, s.frame[i]);
		assert_int_equal(frame[0], i);
		assert_int_equal(frame[FRAME - 1], i);
		fake_take(&kernel.f);
	}
	assert_int_equal(kernel.sendtos, 1);
	halt();
}

static void callback_may_end_early(void **state)
{
	struct dxmit_queue *q = boot(128, DXMIT_KICK_SENDTO);
	struct script s = { .stop_at = 71 };

	(void)state;
	assert_int_equal(dxmit_send(q, 100, fill, &s), 70);
	assert_int_equal(s.calls, 71);
	assert_int_equal(q->submitted, 70);
	s = (struct script){ .stop_at = 1 };
	kernel.error = 0;
	assert_int_equal(dxmit_send(q, 100, fill, &s), 0);
	s = (struct script){ 0 };
	assert_int_equal(dxmit_send(q, 0, fill, &s), 0);
	assert_int_equal(s.calls, 0);
	assert_int_equal(q->submitted, 70);
	halt();
}

/* Nothing of the call is submitted, however many frames were good. */
static void bad_length_submits_nothing(void **state)
{
	static const struct {
		uint32_t length;
		int answer;
	} bad[] = { { 1, -EINVAL }, { 13, -EINVAL }, { FRAME + 1, -EMSGSIZE } };
	static const uint32_t at[] = { 1, 2, 64, 65, 100 };
	size_t i, j;

	(void)state;
	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		for (j = 0; j < sizeof(at) / sizeof(at[0]); j++) {
			struct dxmit_queue *q = boot(128, DXMIT_KICK_SENDTO);
			struct script s = { .bad_at = at[j],
					    .bad_length = bad[i].length };

			assert_int_equal(dxmit_send(q, 100, fill, &s), bad[i].answer);
			assert_int_equal(s.calls, at[j]);
			assert_int_equal(q->submitted, 0);
			assert_int_equal(fake_waiting(&kernel.f), 0);
			assert_int_equal(kernel.sendtos, 0);
			assert_int_equal(dxmit_submit(q, 1, 60), -ENOSPC);
			/* The frames are free still. */
			s = (struct script){ 0 };
			assert_int_equal(dxmit_send(q, 128, fill, &s), 128);
			halt();
		}
}

static void full_ring_is_zero(void **state)
{
	struct dxmit_queue *q = boot(64, DXMIT_KICK_SENDTO);
	struct script s = { 0 };

	(void)state;
	kernel.keeps = true;
	kernel.budget = 64;
	assert_int_equal(dxmit_send(q, 100, fill, &s), 64);
	assert_int_equal(dxmit_send(q, 100, fill, &s), 0);
	assert_int_equal(s.calls, 64);
	/* It reclaims first. */
	fake_complete(&kernel.f, 0);
	assert_int_equal(dxmit_send(q, 100, fill, &s), 1);
	assert_int_equal(s.calls, 65);
	halt();
}

static void failures_are_passed_on(void **state)
{
	static const struct {
		int error, answer;
	} cases[] = {
		{ EAGAIN, 10 },  { EBUSY, 10 },     { ENETDOWN, 10 },
		{ ENOBUFS, 10 }, { ENXIO, -ENXIO }, { EINVAL, -EINVAL },
	};
	struct script s;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct dxmit_queue *q = boot(64, DXMIT_KICK_SENDTO);

		s = (struct script){ 0 };
		kernel.error = cases[i].error;
		assert_int_equal(dxmit_send(q, 10, fill, &s), cases[i].answer);
		halt();
	}
	/* A completion that cannot be: nothing is submitted after it. */
	s = (struct script){ 0 };
	fake_post((boot(64, DXMIT_KICK_SENDTO), &kernel.f), 0);
	assert_int_equal(dxmit_send(&kernel.f.q, 10, fill, &s), -EPROTO);
	assert_int_equal(s.calls, 0);
	halt();
}

/* submit() of one length relies on descriptors it wrote; a send in between
 * writes others. */
static void mixes_with_fixed_slots(void **state)
{
	struct dxmit_queue *q = boot(32, DXMIT_KICK_SENDTO);
	int bad;

	(void)state;
	q->fixed_slots = 1;
	for (bad = 0; bad < 2; bad++) {
		struct script s = { .bad_at = bad ? 8 : 0, .bad_length = 13 };
		uint32_t lap, i;

		for (lap = 0; lap < 2; lap++) {
			submit(q, 32);
			assert_int_equal(dxmit_kick(q), DXMIT_PROGRESS);
			assert_int_equal(dxmit_reclaim(q), 32);
		}
		assert_int_equal(q->fixed_unwritten, 0);
		assert_int_equal(dxmit_send(q, 8, fill, &s), bad ? -EINVAL : 8);
		assert_int_equal(dxmit_reclaim(q), bad ? 0 : 8);
		submit(q, 32);
		for (i = 0; i < 32; i++) {
			assert_int_equal(fake_next_desc(&kernel.f)->len, 60);
			fake_take(&kernel.f);
		}
		fake_send_all(&kernel.f);
		assert_int_equal(dxmit_reclaim(q), 32);
		assert_int_equal(q->fixed_slots, 1);
	}
	halt();
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(frames_go_out_as_filled),
		cmocka_unit_test(callback_may_end_early),
		cmocka_unit_test(bad_length_submits_nothing),
		cmocka_unit_test(full_ring_is_zero),
		cmocka_unit_test(failures_are_passed_on),
		cmocka_unit_test(mixes_with_fixed_slots),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("send", tests, NULL, NULL);
}
