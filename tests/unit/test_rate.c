/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Guards rates as text and their conversion: each unit, which bytes it counts,
 * that the mean of several sizes is exact, and that a profile or bursts become
 * the schedule they describe.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "parse.h"
#include "profile.h"

#define UNTOUCHED 4711u
#define SECOND 1000000000ull

static const struct rate_basis frame_64 = { 64, 1, 10000000000 };

static void rates_are_read(void **state)
{
	static const struct {
		const char *text;
		enum rate_unit unit;
		uint64_t micro;
		const char *why;
	} cases[] = {
		{ "0.25", RATE_PPS, 250000, NULL },
		{ "0.25pps", RATE_PPS, 250000, NULL },
		{ "10pps", RATE_PPS, 10000000, NULL },
		{ "999", RATE_PPS, 999000000, NULL },
		{ "2.5kpps", RATE_PPS, 2500000000, NULL },
		{ "150k", RATE_PPS, 150000000000, NULL },
		{ "1Mpps", RATE_PPS, 1000000000000, NULL },
		{ "14.880952Mpps", RATE_PPS, 14880952000000, NULL },
		{ "1G", RATE_PPS, 1000000000000000, NULL },
		{ "1000Gpps", RATE_PPS, RATE_MAX_MICRO_PPS, NULL },
		{ "0.000001", RATE_PPS, 1, NULL },
		{ "0", RATE_PPS, 0, NULL },
		{ "500Mbps", RATE_L2_BPS, 500000000000000, NULL },
		{ "9.6kbps-l2", RATE_L2_BPS, 9600000000, NULL },
		{ "1Gbps-l1", RATE_L1_BPS, 1000000000000000, NULL },
		{ "1bps-l1", RATE_L1_BPS, 1000000, NULL },
		{ "50%", RATE_PERCENT, 50000000, NULL },
		{ "100%", RATE_PERCENT, 100000000, NULL },
		{ "0.01%", RATE_PERCENT, 10000, NULL },
		{ "100.000001%", 0, 0, "more than the link carries" },
		{ "1000.1Gpps", 0, 0, "too large" },
		{ "99999999999Gbps", 0, 0, "too large for 64 bits" },
		{ "0.0000001", 0, 0, "finer than can be kept" },
		{ "-10pps", 0, 0, "negative" },
		{ "1mpps", 0, 0, "not a number with a known unit" },
		{ "1Kpps", 0, 0, "not a number with a known unit" },
		{ "1Mbps-l3", 0, 0, "not a number with a known unit" },
		{ "1MBps", 0, 0, "not a number with a known unit" },
		{ "1Mbit", 0, 0, "not a number with a known unit" },
		{ "10 pps", 0, 0, "not a number with a known unit" },
		{ "max", 0, 0, "not a number" },
		{ "%", 0, 0, "not a number" },
		{ "", 0, 0, "not a number" },
	};
	char expected[PARSE_REASON_LEN];
	struct parse_reason reason;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct rate rate = { RATE_PPS, UNTOUCHED };
		bool ok = rate_parse(cases[i].text, &rate, &reason);

		if (ok != !cases[i].why)
			fail_msg("'%s' gave %d", cases[i].text, ok);
		assert_int_equal(rate.micro, ok ? cases[i].micro : UNTOUCHED);
		assert_int_equal(rate.unit, cases[i].unit);
		snprintf(expected, sizeof(expected), "'%s' is %s", cases[i].text,
			 ok ? "" : cases[i].why);
		if (!ok)
			assert_string_equal(reason.text, expected);
	}
}

static uint64_t converted(const char *text, const struct rate_basis *basis)
{
	struct parse_reason reason;
	uint64_t micro_pps = UNTOUCHED;
	struct rate rate;

	assert_true(rate_parse(text, &rate, &reason));
	assert_int_equal(rate_convert(&rate, basis, &micro_pps), 0);
	return micro_pps;
}

/* 64 bytes with FCS are 512 bits on L2 and 672 on L1. */
static void rates_are_converted(void **state)
{
	static const struct rate_basis frame_1518 = { 1518, 1, 0 };
	/* IMIX 7:4:1 of 64, 594 and 1518 bytes: 4342 in 12 frames. */
	static const struct rate_basis imix = { 7 * 64 + 4 * 594 + 1518, 12, 1000000000 };

	(void)state;
	assert_int_equal(converted("999", &frame_64), 999000000);
	assert_int_equal(converted("512Mbps", &frame_64), 1000000000000);
	assert_int_equal(converted("512Mbps-l2", &frame_64), 1000000000000);
	assert_int_equal(converted("672Mbps-l1", &frame_64), 1000000000000);
	assert_int_equal(converted("100%", &frame_64), 14880952380952);
	assert_int_equal(converted("10Gbps-l1", &frame_64), 14880952380952);
	assert_int_equal(converted("50%", &frame_64), 7440476190476);
	assert_int_equal(converted("0%", &frame_64), 0);
	assert_int_equal(converted("1Gbps-l1", &frame_1518), 81274382314);
	assert_int_equal(converted("1bps", &frame_1518), 82);
	assert_int_equal(converted("4342bps", &imix), 1500000);
	assert_int_equal(converted("100%", &imix),
			 1000000000ull * 12 * 1000000 / 8 / (4342 + 240));
}

static void conversions_are_refused(void **state)
{
	static const struct rate_basis unknown = { 64, 1, 0 };
	static const struct rate percent = { RATE_PERCENT, 50000000 };
	static const struct rate slow = { RATE_L2_BPS, 511 };
	static const struct rate fast = { RATE_L1_BPS, UINT64_MAX };
	static const struct rate_basis quick = { 64, 1, UINT64_MAX };
	uint64_t micro_pps = UNTOUCHED;

	(void)state;
	assert_int_equal(rate_convert(&percent, &unknown, &micro_pps), -ENODATA);
	assert_int_equal(rate_convert(&slow, &frame_64, &micro_pps), -ERANGE);
	assert_int_equal(rate_convert(&percent, &quick, &micro_pps), -ERANGE);
	assert_int_equal(rate_convert(&fast, &frame_64, &micro_pps), 0);
	assert_int_equal(micro_pps, UINT64_MAX / 672);
}

static void rates_in_words(void **state)
{
	static const char *const cases[][2] = {
		{ "2.5kpps", "2.500 kpps" },
		{ "500Mbps", "500.0 Mbit/s L2" },
		{ "1Gbps-l1", "1.000 Gbit/s L1" },
		{ "12.5%", "12.5 % of the link (L1)" },
	};
	char words[RATE_TEXT_BYTES];
	struct parse_reason reason;
	struct rate rate;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		assert_true(rate_parse(cases[i][0], &rate, &reason));
		assert_string_equal(rate_text(&rate, words), cases[i][1]);
	}
}

static void profiles_become_schedules(void **state)
{
	static const struct rate none;
	static const struct bursts no_bursts;
	struct parse_reason reason;
	struct profile profile;
	struct schedule s;
	struct rate which;

	(void)state;
	assert_true(profile_parse("512kbps:2.5,0:500ms,1k:672kbps-l1:10,50%", &profile,
				  &reason));
	assert_int_equal(profile.steps, 4);
	assert_int_equal(
		profile_schedule(&none, &profile, &no_bursts, &frame_64, &s, &which), 0);
	assert_int_equal(s.segments, 4);
	assert_int_equal(s.segment[0].from_micro_pps, 1000000000);
	assert_int_equal(s.segment[0].length_ns, 2500000000);
	assert_int_equal(s.segment[1].to_micro_pps, 0);
	assert_int_equal(s.segment[2].start_ns, 3 * SECOND);
	assert_int_equal(s.segment[2].from_micro_pps, 1000000000);
	assert_int_equal(s.segment[2].to_micro_pps, 1000000000);
	assert_int_equal(s.segment[3].start_ns, 13 * SECOND);
	assert_int_equal(s.segment[3].from_micro_pps, 7440476190476);
	assert_true(s.segment[3].length_ns == SCHEDULE_ENDLESS);
	/* The rate at fault is told. */
	assert_int_equal(profile_schedule(&none, &profile, &no_bursts,
					  &(struct rate_basis){ 64, 1, 0 }, &s, &which),
			 -ENODATA);
	assert_int_equal(which.micro, 50000000);
}

static void one_of_three_is_scheduled(void **state)
{
	static const struct profile no_profile;
	static const struct bursts no_bursts, bursts = { 64, SECOND };
	static const struct rate none, rate = { RATE_L2_BPS, 512000000 };
	char words[PROFILE_TEXT_BYTES];
	struct schedule s;
	struct rate which;

	(void)state;
	assert_int_equal(
		profile_schedule(&none, &no_profile, &no_bursts, &frame_64, &s, &which),
		0);
	assert_false(schedule_is_limited(&s));
	assert_string_equal(profile_text(&none, &no_profile, &no_bursts, words), "");
	assert_int_equal(
		profile_schedule(&none, &no_profile, &bursts, &frame_64, &s, &which), 0);
	assert_int_equal(s.burst_packets, 64);
	assert_string_equal(profile_text(&none, &no_profile, &bursts, words),
			    "bursts of 64 every 1000 ms");
	assert_int_equal(
		profile_schedule(&rate, &no_profile, &no_bursts, &frame_64, &s, &which),
		0);
	assert_int_equal(s.burst_packets, 0);
	assert_int_equal(s.segments, 1);
	assert_int_equal(s.segment[0].from_micro_pps, 1000000);
}

static void profiles_are_refused(void **state)
{
	static const char *const cases[][2] = {
		{ "", "'' is not a number" },
		{ ",", "'' is not a number" },
		{ "1k:", "'' is not a number" },
		{ "1k:5,", "'' is not a number" },
		{ ":5", "'' is not a number" },
		{ "1k:2k:3:4", "'1k:2k:3:4' is not a list of steps" },
		{ "1k:0", "'0' is out of range" },
		{ "1k:-1", "'-1' is negative" },
		{ "1k:5h", "'5h' is not a number with a known unit" },
		{ "1k,2k:5",
		  "'1k,2k:5' is a list with a step without time before its end" },
		{ "1k:5,0:5", "'1k:5,0:5' is a list that ends in silence" },
		{ "0:0:5", "'0:0:5' is a list that ends in silence" },
		{ "1k:1000000001", "'1000000001' is out of range" },
		{ "1k:999999999,1k:2", "'1k:999999999,1k:2' is too long" },
		{ "max:5", "'max' is not a number" },
	};
	struct profile profile = { .steps = UNTOUCHED };
	char many[SCHEDULE_MAX_SEGMENTS * 4 + 4] = "", *end = many;
	struct parse_reason reason;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		if (profile_parse(cases[i][0], &profile, &reason))
			fail_msg("'%s' is taken", cases[i][0]);
		assert_string_equal(reason.text, cases[i][1]);
		assert_int_equal(profile.steps, UNTOUCHED);
	}
	for (i = 0; i < SCHEDULE_MAX_SEGMENTS; i++)
		end += sprintf(end, "1:1,");
	end[-1] = '\0';
	assert_true(profile_parse(many, &profile, &reason));
	assert_int_equal(profile.steps, SCHEDULE_MAX_SEGMENTS);
	strcpy(end - 1, ",1");
	assert_false(profile_parse(many, &profile, &reason));
}

static void bursts_are_read(void **state)
{
	static const char *const wrong[] = { "",       "64",     "64:",   ":1",  "0:1",
					     "64:0",   "64:1:1", "64:1,", "x:1", "64:-1",
					     "1.5:1s", "64:1h",  "64,1" };
	struct bursts bursts = { UNTOUCHED, UNTOUCHED };
	struct parse_reason reason;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		if (bursts_parse(wrong[i], &bursts, &reason))
			fail_msg("'%s' is taken", wrong[i]);
	assert_int_equal(bursts.packets, UNTOUCHED);
	assert_true(bursts_parse("64:10ms", &bursts, &reason));
	assert_int_equal(bursts.packets, 64);
	assert_int_equal(bursts.period_ns, 10000000);
	assert_true(bursts_parse("1k:1us", &bursts, &reason));
	assert_int_equal(bursts.packets, 1000);
	assert_int_equal(bursts.period_ns, 1000);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(rates_are_read),
		cmocka_unit_test(rates_are_converted),
		cmocka_unit_test(conversions_are_refused),
		cmocka_unit_test(rates_in_words),
		cmocka_unit_test(profiles_become_schedules),
		cmocka_unit_test(one_of_three_is_scheduled),
		cmocka_unit_test(profiles_are_refused),
		cmocka_unit_test(bursts_are_read),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("rate", tests, NULL, NULL);
}
