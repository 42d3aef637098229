/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Guards the kick: what each errno means, when poll() is used and how many
 * entries it gets, what is counted, and when a queue is stalled.
 */
#include "fake_kernel.h"

static void every_errno_has_its_meaning(void **state)
{
	static const struct {
		int error;
		enum dxmit_answer answer;
	} known[] = {
		{ 0, DXMIT_PROGRESS },    { EAGAIN, DXMIT_RETRY },
		{ ENOBUFS, DXMIT_RETRY }, { ENOMEM, DXMIT_RETRY },
		{ EINTR, DXMIT_RETRY },   { ENETDOWN, DXMIT_RETRY },
		{ EBUSY, DXMIT_LOST },
	};
	int error;
	size_t i;

	(void)state;
	for (error = 0; error <= 133; error++) {
		enum dxmit_answer expected = DXMIT_GONE;

		for (i = 0; i < sizeof(known) / sizeof(known[0]); i++)
			if (known[i].error == error)
				expected = known[i].answer;
		if (dxmit_classify(error) != expected)
			fail_msg("errno %d is %d", error, dxmit_classify(error));
	}
}

static void nothing_waiting_makes_no_call(void **state)
{
	struct dxmit_queue *q = boot(64, DXMIT_KICK_SENDTO);

	(void)state;
	assert_int_equal(dxmit_kick(q), DXMIT_PROGRESS);
	submit(q, 20);
	assert_int_equal(dxmit_kick(q), DXMIT_PROGRESS);
	assert_int_equal(dxmit_kick(q), DXMIT_PROGRESS);
	assert_int_equal(kernel.sendtos, 1);
	assert_int_equal(q->kicks, 1);
	assert_int_equal(kernel.polls + kernel.clocks, 1); /* the last: still */
	halt();
}

/* Each answer of sendto(): what the caller gets, which counter moves. */
static void sendto_answers(void **state)
{
	static const struct {
		int error, answer;
		uint32_t lost, retries, down;
	} cases[] = {
		{ 0, DXMIT_PROGRESS, 0, 0, 0 },    { EAGAIN, DXMIT_RETRY, 0, 1, 0 },
		{ ENOBUFS, DXMIT_RETRY, 0, 1, 0 }, { ENOMEM, DXMIT_RETRY, 0, 1, 0 },
		{ EINTR, DXMIT_RETRY, 0, 1, 0 },   { ENETDOWN, DXMIT_RETRY, 0, 0, 1 },
		{ EBUSY, DXMIT_LOST, 1, 0, 0 },    { ENXIO, -ENXIO, 0, 0, 0 },
		{ EINVAL, -EINVAL, 0, 0, 0 },      { EBADF, -EBADF, 0, 0, 0 },
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct dxmit_queue *q = boot(64, DXMIT_KICK_SENDTO);

		submit(q, 5);
		kernel.error = cases[i].error;
		assert_int_equal(dxmit_kick(q), cases[i].answer);
		assert_int_equal(q->kicks, 1);
		assert_int_equal(q->lost, cases[i].lost);
		assert_int_equal(q->retries, cases[i].retries);
		assert_int_equal(q->down, cases[i].down);
		assert_int_equal(q->priv->last_error, cases[i].error);
		halt();
	}
}

/* C9: a budget that is used up is progress on every kernel, never a stall. */
static void budget_is_progress(void **state)
{
	int stale, calls;

	(void)state;
	for (stale = 0; stale < 2; stale++) {
		struct dxmit_queue *q = boot(1024, DXMIT_KICK_SENDTO);

		kernel.stale = stale;
		submit(q, 1024);
		for (calls = 1; calls <= 32; calls++) {
			assert_int_equal(dxmit_kick(q),
					 calls < 32 ? DXMIT_RETRY : DXMIT_PROGRESS);
			kernel.now_ns += 3 * SECOND;
			assert_int_equal(dxmit_reclaim(q), 32);
		}
		assert_int_equal(kernel.sendtos, 32);
		assert_int_equal(q->retries, 31);
		assert_int_equal(q->in_flight, 0);
		halt();
	}
}

static void poll_gets_an_entry_per_budget(void **state)
{
	static const uint32_t waiting[] = { 1, 31, 32, 33, 64, 65, 1000, 2047, 2048 };
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(waiting) / sizeof(waiting[0]); i++) {
		struct dxmit_queue *q = boot(4096, DXMIT_KICK_POLL);

		kernel.stale = i % 2;
		submit(q, waiting[i]);
		assert_int_equal(dxmit_kick(q), DXMIT_PROGRESS);
		assert_int_equal(kernel.entries, (waiting[i] + 31) / 32);
		assert_int_equal(kernel.polls, 1);
		assert_int_equal(kernel.sendtos, 0);
		assert_int_equal(q->kicks, 1);
		assert_int_equal(dxmit_reclaim(q), waiting[i]);
		halt();
	}
}

/* Past 64 entries the rest is for the next kick. Where the index is published
 * that is known; where it is stale, sendto() is asked and says so. */
static void poll_is_capped(void **state)
{
	int stale;

	(void)state;
	for (stale = 0; stale < 2; stale++) {
		struct dxmit_queue *q = boot(4096, DXMIT_KICK_POLL);

		kernel.stale = stale;
		submit(q, 4096);
		assert_int_equal(dxmit_kick(q), stale ? DXMIT_RETRY : DXMIT_PROGRESS);
		assert_int_equal(kernel.entries, 64);
		assert_int_equal(kernel.sendtos, stale);
		assert_int_equal(fake_waiting(&kernel.f), 2048 - 32 * stale);
		assert_int_equal(dxmit_kick(q), DXMIT_PROGRESS);
		assert_int_equal(kernel.entries, 64);
		assert_int_equal(fake_waiting(&kernel.f), 0);
		assert_int_equal(dxmit_reclaim(q), 4096);
		halt();
	}
}

/* Each sendto() loses exactly one frame; poll() would lose one an entry, so it
 * is not used again before a sendto() has got through. */
static void poll_is_distrusted_after_a_loss(void **state)
{
	struct dxmit_queue *q = boot(4096, DXMIT_KICK_POLL);
	uint32_t i, left;

	(void)state;
	submit(q, 1000);
	kernel.error = EBUSY;
	assert_int_equal(dxmit_kick(q), DXMIT_LOST);
	assert_int_equal(kernel.polls, 1);
	left = fake_waiting(&kernel.f);
	for (i = 1; i <= 5; i++) {
		assert_int_equal(dxmit_kick(q), DXMIT_LOST);
		assert_int_equal(fake_waiting(&kernel.f), left - i);
		assert_int_equal(q->lost, 1 + i);
	}
	assert_int_equal(kernel.polls, 1);
	kernel.error = 0;
	assert_int_equal(dxmit_kick(q), DXMIT_RETRY); /* a budget by sendto() */
	assert_int_equal(kernel.polls, 1);
	assert_int_equal(dxmit_kick(q), DXMIT_PROGRESS);
	assert_int_equal(kernel.polls, 2);
	assert_int_equal(dxmit_reclaim(q), 1000);
	halt();
}

/* poll() hides errors: sendto() is asked why nothing went. */
static void poll_asks_sendto_for_reasons(void **state)
{
	static const struct {
		int error, answer;
	} cases[] = {
		{ ENETDOWN, DXMIT_RETRY }, { ENXIO, -ENXIO },       { EINVAL, -EINVAL },
		{ ENOBUFS, DXMIT_RETRY },  { EAGAIN, DXMIT_RETRY },
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct dxmit_queue *q = boot(64, DXMIT_KICK_POLL);

		submit(q, 40);
		kernel.error = cases[i].error;
		assert_int_equal(dxmit_kick(q), cases[i].answer);
		assert_int_equal(kernel.polls, 1);
		assert_int_equal(kernel.sendtos, 1);
		assert_int_equal(q->kicks, 2);
		assert_int_equal(q->down, cases[i].error == ENETDOWN);
		halt();
	}
}

/* C12, C11: nothing moves for exactly two seconds of calls. `answer` is what
 * the kernel makes of kicks meanwhile. */
static void stalls_after_two_seconds(struct dxmit_queue *q, int answer)
{
	uint64_t since_ns;

	kernel.now_ns += 7 * SECOND; /* the time before does not count */
	since_ns = kernel.now_ns;
	while (kernel.now_ns < since_ns + 2 * SECOND) {
		assert_int_equal(dxmit_kick(q), answer);
		kernel.now_ns += SECOND / 4;
	}
	kernel.now_ns = since_ns + 2 * SECOND - 1;
	assert_int_equal(dxmit_kick(q), answer);
	kernel.now_ns++;
	assert_int_equal(dxmit_kick(q), -ETIMEDOUT);
	assert_int_equal(dxmit_kick(q), -ETIMEDOUT);
}

static void never_completing_is_stalled(void **state)
{
	struct dxmit_queue *q = boot(64, DXMIT_KICK_SENDTO);

	(void)state;
	kernel.keeps = true;
	submit(q, 20);
	assert_int_equal(dxmit_kick(q), DXMIT_PROGRESS); /* taken */
	stalls_after_two_seconds(q, DXMIT_PROGRESS);
	assert_int_equal(kernel.sendtos, 1);
	/* It recovers when one completes, and can stall again. */
	fake_complete(&kernel.f, 0);
	assert_int_equal(dxmit_kick(q), DXMIT_PROGRESS);
	stalls_after_two_seconds(q, DXMIT_PROGRESS);
	while (kernel.f.held_count)
		fake_complete(&kernel.f, 0);
	assert_int_equal(dxmit_reclaim(q), 20);
	assert_int_equal(dxmit_kick(q), DXMIT_PROGRESS);
	/* With nothing in flight there is nothing to wait for. */
	kernel.now_ns += 10 * SECOND;
	assert_int_equal(dxmit_kick(q), DXMIT_PROGRESS);
	halt();
}

/* A driver that takes nothing, on both methods; also a full completion ring
 * that nobody reads, which older kernels answer with 0. */
static void never_taking_is_stalled(void **state)
{
	static const struct {
		enum dxmit_kick_method kick;
		int error, answer;
		bool silent;
	} cases[] = {
		{ DXMIT_KICK_SENDTO, EAGAIN, DXMIT_RETRY, false },
		{ DXMIT_KICK_POLL, EAGAIN, DXMIT_RETRY, false },
		{ DXMIT_KICK_SENDTO, ENETDOWN, DXMIT_RETRY, false },
		{ DXMIT_KICK_POLL, ENETDOWN, DXMIT_RETRY, false },
		{ DXMIT_KICK_SENDTO, 0, DXMIT_PROGRESS, true },
		{ DXMIT_KICK_POLL, 0, DXMIT_PROGRESS, true },
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct dxmit_queue *q = boot(64, cases[i].kick);

		submit(q, 20);
		kernel.error = cases[i].error;
		kernel.silent = cases[i].silent;
		stalls_after_two_seconds(q, cases[i].answer);
		kernel.error = 0;
		kernel.silent = false;
		assert_int_equal(dxmit_kick(q), DXMIT_PROGRESS);
		assert_int_equal(dxmit_reclaim(q), 20);
		halt();
	}
}

static void zero_copy_kicks_on_demand(void **state)
{
	struct dxmit_queue *q = boot(64, DXMIT_KICK_SENDTO);

	(void)state;
	q->priv->info.mode = DXMIT_MODE_ZEROCOPY;
	submit(q, 4);
	assert_int_equal(dxmit_kick(q), DXMIT_PROGRESS);
	assert_int_equal(kernel.sendtos, 0); /* the driver is awake */
	kernel.f.tx_flags = XDP_RING_NEED_WAKEUP;
	kernel.keeps = true;
	assert_int_equal(dxmit_kick(q), DXMIT_PROGRESS);
	assert_int_equal(dxmit_kick(q), DXMIT_PROGRESS);
	assert_int_equal(kernel.sendtos, 2); /* taken, still asleep */
	while (kernel.f.held_count)
		fake_complete(&kernel.f, 0);
	assert_int_equal(dxmit_reclaim(q), 4);
	assert_int_equal(dxmit_kick(q), DXMIT_PROGRESS);
	assert_int_equal(kernel.sendtos, 2); /* nothing in flight */
	halt();
}

/* On the direct path of the module frames wait behind an empty ring: they go
 * with a kick, which is due until sendto() says that all went well. */
static void kept_frames_are_kicked_again(void **state)
{
	static const int answers[] = { EAGAIN, ENOBUFS, EBUSY };
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(answers) / sizeof(answers[0]); i++) {
		struct dxmit_queue *q = boot(64, DXMIT_KICK_SENDTO);
		int answer = (int)dxmit_classify(answers[i]);

		submit(q, 5);
		kernel.keeps = true;
		kernel.kept = answers[i];
		assert_int_equal(dxmit_kick(q), answer);
		assert_int_equal(fake_waiting(&kernel.f), 0);
		assert_int_equal(dxmit_kick(q), answer);
		assert_int_equal(dxmit_kick(q), answer);
		assert_int_equal(kernel.sendtos, 3);
		while (kernel.f.held_count)
			fake_complete(&kernel.f, 0);
		assert_int_equal(dxmit_kick(q), DXMIT_PROGRESS);
		assert_int_equal(kernel.sendtos, 4);
		assert_int_equal(dxmit_kick(q), DXMIT_PROGRESS);
		assert_int_equal(kernel.sendtos, 4); /* all went well */
		assert_int_equal(dxmit_reclaim(q), 5);
		halt();
	}
}

/* poll() does not tell of them, so sendto() is asked, once if it knows of none. */
static void kept_frames_are_found_after_a_poll(void **state)
{
	struct dxmit_queue *q = boot(64, DXMIT_KICK_POLL);

	(void)state;
	submit(q, 5);
	kernel.keeps = true;
	kernel.kept = EAGAIN;
	assert_int_equal(dxmit_kick(q), DXMIT_PROGRESS);
	assert_int_equal(kernel.sendtos, 0);
	assert_int_equal(dxmit_kick(q), DXMIT_RETRY);
	assert_int_equal(dxmit_kick(q), DXMIT_RETRY);
	assert_int_equal(kernel.sendtos, 2);
	kernel.kept = 0; /* with the device, which completes later */
	assert_int_equal(dxmit_kick(q), DXMIT_PROGRESS);
	assert_int_equal(dxmit_kick(q), DXMIT_PROGRESS);
	assert_int_equal(kernel.sendtos, 3);
	assert_int_equal(kernel.polls, 1);
	halt();
}

/* A last answer that was no progress is no reason to kick for nothing. */
static void nothing_in_flight_makes_no_call(void **state)
{
	struct dxmit_queue *q = boot(64, DXMIT_KICK_SENDTO);

	(void)state;
	submit(q, 1);
	kernel.error = EBUSY;
	assert_int_equal(dxmit_kick(q), DXMIT_LOST);
	assert_int_equal(dxmit_reclaim(q), 1);
	assert_int_equal(dxmit_kick(q), DXMIT_PROGRESS);
	assert_int_equal(kernel.sendtos, 1);
	halt();
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_errno_has_its_meaning),
		cmocka_unit_test(nothing_waiting_makes_no_call),
		cmocka_unit_test(sendto_answers),
		cmocka_unit_test(budget_is_progress),
		cmocka_unit_test(poll_gets_an_entry_per_budget),
		cmocka_unit_test(poll_is_capped),
		cmocka_unit_test(poll_is_distrusted_after_a_loss),
		cmocka_unit_test(poll_asks_sendto_for_reasons),
		cmocka_unit_test(never_completing_is_stalled),
		cmocka_unit_test(never_taking_is_stalled),
		cmocka_unit_test(zero_copy_kicks_on_demand),
		cmocka_unit_test(kept_frames_are_kicked_again),
		cmocka_unit_test(kept_frames_are_found_after_a_poll),
		cmocka_unit_test(nothing_in_flight_makes_no_call),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("kick", tests, NULL, NULL);
}
