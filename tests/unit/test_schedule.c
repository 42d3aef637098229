/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Guards when packets are due: that the two ways to ask, how many by t and when
 * is packet g, say the same; that counts are the rate's integral exactly, over
 * ramps, steps, silences and bursts; and that nothing is lost past 2^32 and 2^53
 * packets or at the limits.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <errno.h>
#include <string.h>

#include "rate.h"
#include "schedule.h"

typedef unsigned __int128 u128;

#define SECOND 1000000000ull
#define PPS 1000000ull /* in micro-packets per second */

static uint64_t random_state = 88172645463325252ull;

static uint64_t random_below(uint64_t limit)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return random_state % limit;
}

static void add(struct schedule *s, uint64_t from, uint64_t to, uint64_t length_ns)
{
	assert_int_equal(schedule_add(s, from, to, length_ns), 0);
}

/* T(g) is the first nanosecond by which more than g are due. */
static void both_ways_agree_at(const struct schedule *s, uint64_t g)
{
	uint64_t t = schedule_time_ns(s, g);

	if (t == SCHEDULE_NEVER) {
		assert_true(schedule_due(s, UINT64_MAX - 1) <= g);
		return;
	}
	assert_true(schedule_due(s, t) > g);
	if (t)
		assert_true(schedule_due(s, t - 1) <= g);
}

/* Packets so far, first and last, around each limit of the segments. */
static void both_ways_agree(const struct schedule *s)
{
	uint64_t last = 0, t;
	uint32_t i, step;

	for (i = 0; i < s->segments; i++) {
		const struct schedule_segment *at = &s->segment[i];
		uint64_t n = schedule_due(s, at->start_ns), g;

		for (g = n > 20 ? n - 20 : 0; g < n + 20; g++)
			both_ways_agree_at(s, g);
		for (step = 0; step < 200; step++) {
			t = at->start_ns + random_below(at->length_ns > 1u << 30
								? 1u << 30
								: at->length_ns);
			both_ways_agree_at(s, schedule_due(s, t));
			both_ways_agree_at(s, schedule_due(s, t) / 2);
		}
	}
	for (step = 0, t = 0; step < 1000; step++) {
		uint64_t due = schedule_due(s, t);

		assert_true(due >= last);
		last = due;
		t += random_below(50000000);
	}
}

/* A ramp of whole packets: (from + to) * seconds / 2, and the same in reverse. */
static void ramps_have_their_integral(void **state)
{
	static const struct {
		uint64_t from, to, length_ns, packets;
	} ramps[] = {
		{ 0, 1000, 10 * SECOND, 5000 },
		{ 1000, 0, 10 * SECOND, 5000 },
		{ 1000, 1000000, 10 * SECOND, 5005000 },
		{ 1000000, 1000, 10 * SECOND, 5005000 },
		{ 1, 2, 3 * SECOND, 5 }, /* 4.5: the fifth begins in it */
		{ 0, 1, SECOND, 1 },
		{ 0, 2, SECOND / 2, 1 },
		{ 7, 7, 3 * SECOND, 21 },
		{ 0, 100, 1, 1 },
		{ 999999999, 1, 86400 * SECOND, 43200000000000ull },
		{ 0, 1000000000, 3600000 * SECOND, 1800000000000000ull },
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(ramps) / sizeof(ramps[0]); i++) {
		struct schedule s = { 0 };
		uint64_t end = ramps[i].length_ns, n = ramps[i].packets, g;

		add(&s, ramps[i].from * PPS, ramps[i].to * PPS, end);
		assert_true(schedule_due(&s, end) == n);
		assert_true(schedule_due(&s, UINT64_MAX) == n);
		assert_true(schedule_time_ns(&s, n) == SCHEDULE_NEVER);
		assert_true(schedule_time_ns(&s, n - 1) <= end);
		assert_true(schedule_time_ns(&s, 0) == 0);
		for (g = n > 100 ? n - 100 : 0; g <= n; g++)
			both_ways_agree_at(&s, g);
		both_ways_agree(&s);
	}
}

/* From 0 to R in D, packet g is due at D * sqrt(2 g / (R D)): squares are whole. */
static void ramps_follow_the_parabola(void **state)
{
	struct schedule up = { 0 }, down = { 0 };
	uint64_t root;

	(void)state;
	add(&up, 0, 2000 * PPS, 1000 * SECOND); /* N = t^2 */
	add(&down, 2000 * PPS, 0, 1000 * SECOND);
	for (root = 0; root < 1000; root++)
		assert_true(schedule_time_ns(&up, root * root) == root * SECOND);
	for (root = 1; root <= 1000; root++) /* seen from its end */
		assert_true(schedule_time_ns(&down, 1000000 - root * root) ==
			    (1000 - root) * SECOND);
	/* sqrt(2) and sqrt(999999), rounded up to a nanosecond. */
	assert_true(schedule_time_ns(&up, 2) == 1414213563);
	assert_true(schedule_time_ns(&up, 999999) == 999999500000);
}

/* In its first nanosecond the rate falls by a tenth of the smallest unit, so that
 * the packet is not complete by a part in 10^16. */
static void falling_ramps_are_rounded_down(void **state)
{
	struct schedule s = { 0 };

	(void)state;
	add(&s, 1000000000 * PPS, 1000000000 * PPS - 1, 10);
	assert_true(schedule_due(&s, 0) == 1);
	assert_true(schedule_due(&s, 1) == 1);
	assert_true(schedule_time_ns(&s, 1) == 2);
}

/* 500, a silence, 250, then a ramp and a rate that holds. */
static void steps_begin_and_end_where_they_should(void **state)
{
	struct schedule s = { 0 };

	(void)state;
	add(&s, 100 * PPS, 100 * PPS, 5 * SECOND);
	add(&s, 0, 0, 2 * SECOND);
	add(&s, 50 * PPS, 50 * PPS, 5 * SECOND);
	add(&s, 50 * PPS, 150 * PPS, 10 * SECOND);
	add(&s, 10 * PPS, 10 * PPS, SCHEDULE_ENDLESS);
	assert_true(schedule_due(&s, 0) == 1);
	assert_true(schedule_time_ns(&s, 499) == 4990000000);
	assert_true(schedule_due(&s, 5 * SECOND - 1) == 500);
	assert_true(schedule_due(&s, 5 * SECOND) == 500);
	assert_true(schedule_due(&s, 7 * SECOND - 1) == 500);
	assert_true(schedule_time_ns(&s, 500) == 7 * SECOND);
	assert_true(schedule_due(&s, 7 * SECOND) == 501);
	assert_true(schedule_due(&s, 12 * SECOND - 1) == 750);
	assert_true(schedule_time_ns(&s, 750) == 12 * SECOND);
	assert_true(schedule_due(&s, 22 * SECOND - 1) == 1750);
	assert_true(schedule_time_ns(&s, 1750) == 22 * SECOND);
	assert_true(schedule_time_ns(&s, 1751) == 22 * SECOND + SECOND / 10);
	assert_true(schedule_time_ns(&s, 1750 + 10 * 86400) == (22 + 86400) * SECOND);
	both_ways_agree(&s);
}

/* A packet begun in one step ends in the next one: 1.5 + 1.5 is 3. */
static void fractions_are_carried_over(void **state)
{
	struct schedule s = { 0 };
	uint32_t i;

	(void)state;
	for (i = 0; i < SCHEDULE_MAX_SEGMENTS; i++)
		add(&s, 3 * PPS, 3 * PPS, SECOND / 2);
	for (i = 0; i < SCHEDULE_MAX_SEGMENTS * 3 / 2; i++)
		assert_true(schedule_time_ns(&s, i) == (i * SECOND + 2) / 3);
	assert_true(schedule_due(&s, UINT64_MAX) == SCHEDULE_MAX_SEGMENTS * 3 / 2);
	both_ways_agree(&s);
}

static void a_silent_start_waits(void **state)
{
	struct schedule s = { 0 };

	(void)state;
	add(&s, 0, 0, 3 * SECOND);
	add(&s, 2 * PPS, 2 * PPS, SECOND);
	assert_true(schedule_due(&s, 0) == 0);
	assert_true(schedule_due(&s, 3 * SECOND - 1) == 0);
	assert_true(schedule_time_ns(&s, 0) == 3 * SECOND);
	assert_true(schedule_due(&s, 9 * SECOND) == 2);
	both_ways_agree(&s);
}

static void bursts(void **state)
{
	struct schedule s = { 0 };

	(void)state;
	schedule_set_bursts(&s, 64, SECOND / 100);
	assert_true(schedule_is_limited(&s));
	assert_true(schedule_due(&s, 0) == 64);
	assert_true(schedule_due(&s, SECOND / 100 - 1) == 64);
	assert_true(schedule_due(&s, SECOND / 100) == 128);
	assert_true(schedule_time_ns(&s, 63) == 0);
	assert_true(schedule_time_ns(&s, 64) == SECOND / 100);
	assert_true(schedule_time_ns(&s, 6400) == SECOND);
	assert_true(schedule_mean_micro_pps(&s, 5 * SECOND) == 6400 * PPS);
	schedule_set_bursts(&s, UINT64_MAX, 1);
	assert_true(schedule_due(&s, UINT64_MAX) == UINT64_MAX);
	schedule_set_bursts(&s, 1, SCHEDULE_MAX_NS);
	assert_true(schedule_time_ns(&s, UINT64_MAX) == SCHEDULE_NEVER);
}

static void random_schedules_agree_both_ways(void **state)
{
	uint32_t turn, i;

	(void)state;
	for (turn = 0; turn < 300; turn++) {
		struct schedule s = { 0 };
		u128 twice = 0;

		for (i = 0; i < 1 + turn % 9; i++) {
			uint64_t limit = 1ull << random_below(50);
			uint64_t from = random_below(3) ? random_below(limit) : 0;
			uint64_t to = random_below(2) ? from : random_below(limit);
			uint64_t length =
				1 + random_below(1ull << (1 + random_below(40)));

			add(&s, from, to, length);
			twice += ((u128)from + to) * length;
		}
		both_ways_agree(&s);
		assert_true(
			schedule_due(&s, UINT64_MAX) ==
			(uint64_t)((twice + 2 * SECOND * PPS - 1) / (2 * SECOND * PPS)));
	}
}

/* The largest of everything: nothing wraps, and the mean comes back. */
static void limits_hold(void **state)
{
	struct schedule s = { 0 };
	uint64_t g;

	(void)state;
	add(&s, 0, RATE_MAX_MICRO_PPS, SCHEDULE_MAX_NS / 2);
	add(&s, RATE_MAX_MICRO_PPS, 0, SCHEDULE_MAX_NS / 2);
	assert_int_equal(schedule_add(&s, 1, 1, 1), -ERANGE);
	assert_true(schedule_mean_micro_pps(&s, SCHEDULE_MAX_NS) ==
		    RATE_MAX_MICRO_PPS / 2);
	for (g = 1; g && g < 1ull << 63; g *= 2) {
		both_ways_agree_at(&s, g - 1);
		both_ways_agree_at(&s, g);
		both_ways_agree_at(&s, g + 1);
	}
	for (g = (1ull << 53) - 40; g < (1ull << 53) + 40; g++)
		both_ways_agree_at(&s, g);
	memset(&s, 0, sizeof(s));
	assert_int_equal(schedule_add(&s, 1, 2, SCHEDULE_ENDLESS), -ERANGE);
	assert_int_equal(schedule_add(&s, 1, 1, 0), -ERANGE);
	assert_int_equal(schedule_add(&s, RATE_MAX_MICRO_PPS + 1, 1, 1), -ERANGE);
	add(&s, 1, 1, SCHEDULE_ENDLESS);
	assert_int_equal(schedule_add(&s, 1, 1, 1), -ERANGE);
	assert_true(schedule_length_ns(&s) == SCHEDULE_ENDLESS);
}

static void means(void **state)
{
	struct schedule s = { 0 };

	(void)state;
	assert_false(schedule_is_limited(&s));
	assert_true(schedule_mean_micro_pps(&s, SECOND) == 0);
	add(&s, 1000 * PPS, 3000 * PPS, 10 * SECOND);
	assert_true(schedule_mean_micro_pps(&s, 10 * SECOND) == 2000 * PPS);
	assert_true(schedule_mean_micro_pps(&s, 5 * SECOND) == 1500 * PPS);
	assert_true(schedule_mean_micro_pps(&s, 99 * SECOND) == 2000 * PPS);
	assert_true(schedule_peak_micro_pps(&s, 0, UINT64_MAX) == 3000 * PPS);
	assert_true(schedule_peak_micro_pps(&s, SECOND, 2 * SECOND) == 1400 * PPS);
	add(&s, 500 * PPS, 0, 10 * SECOND);
	assert_true(schedule_peak_micro_pps(&s, 12 * SECOND, 90 * SECOND) == 400 * PPS);
	assert_true(schedule_peak_micro_pps(&s, 21 * SECOND, 22 * SECOND) == 0);
	assert_true(schedule_mean_micro_pps(&s, 20 * SECOND) == 1125 * PPS);
	assert_true(schedule_length_ns(&s) == 20 * SECOND);
	add(&s, 10 * PPS, 10 * PPS, SECOND);
	assert_true(schedule_length_ns(&s) == 21 * SECOND);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(ramps_have_their_integral),
		cmocka_unit_test(ramps_follow_the_parabola),
		cmocka_unit_test(falling_ramps_are_rounded_down),
		cmocka_unit_test(steps_begin_and_end_where_they_should),
		cmocka_unit_test(fractions_are_carried_over),
		cmocka_unit_test(a_silent_start_waits),
		cmocka_unit_test(bursts),
		cmocka_unit_test(random_schedules_agree_both_ways),
		cmocka_unit_test(limits_hold),
		cmocka_unit_test(means),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("schedule", tests, NULL, NULL);
}
