/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Guards the gaps between departures: every value in one bucket and close to its
 * top, percentiles of known samples, the share near what was asked, and queues
 * that are put together.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "gaps.h"

static struct gaps *new_gaps(void)
{
	struct gaps *gaps = calloc(1, sizeof(*gaps));

	assert_non_null(gaps);
	return gaps;
}

static void buckets_follow_one_another(void **state)
{
	uint32_t i;

	(void)state;
	for (i = 0; i < GAPS_BUCKETS; i++) {
		uint64_t top = gaps_bucket_top_ns(i);

		assert_int_equal(gaps_bucket(top), i);
		if (i + 1 < GAPS_BUCKETS)
			assert_int_equal(gaps_bucket(top + 1), i + 1);
		if (i)
			assert_true(top - gaps_bucket_top_ns(i - 1) <= 1 + top / 128);
	}
	assert_true(gaps_bucket_top_ns(GAPS_BUCKETS - 1) == UINT64_MAX);
	for (i = 0; i < 256; i++)
		assert_int_equal(gaps_bucket_top_ns(gaps_bucket(i)), i);
}

/* 1 to 1000 us, in an order of its own. */
static void percentiles_of_a_thousand(void **state)
{
	struct gaps *gaps = new_gaps();
	struct gaps_summary sum;
	uint64_t now = 77;
	uint32_t i;

	(void)state;
	gaps_note(gaps, now, 1, 0);
	for (i = 0; i < 1000; i++) {
		now += 1000 * (1 + i * 7 % 1000);
		gaps_note(gaps, now, 1, 500000);
	}
	gaps_summarize(gaps, &sum);
	assert_int_equal(sum.count, 1000);
	assert_int_equal(sum.gap.min_ns, 1000);
	assert_in_range(sum.gap.p50_ns, 500000, 500000 + 500000 / 128);
	assert_in_range(sum.gap.p90_ns, 900000, 900000 + 900000 / 128);
	assert_in_range(sum.gap.p99_ns, 990000, 990000 + 990000 / 128);
	assert_in_range(sum.gap.p999_ns, 999000, 1000000);
	assert_int_equal(sum.gap.max_ns, 1000000);
	assert_true(sum.gap.mean_ns == 500500);
	/* 480 to 520 us are near. */
	assert_true(sum.near == 0.041);
	assert_int_equal(sum.error.min_ns, 0);
	assert_int_equal(sum.error.max_ns, 500000);
	free(gaps);
}

/* Frames of one kick have no gap between them, and all of them count. */
static void frames_together_have_no_gap(void **state)
{
	struct gaps *gaps = new_gaps();
	struct gaps_summary sum;

	(void)state;
	gaps_note(gaps, 1000, 3, 50000);
	gaps_note(gaps, 51000, 1, 50000);
	gaps_summarize(gaps, &sum);
	assert_int_equal(sum.count, 3);
	assert_int_equal(sum.gap.p50_ns, 0);
	assert_int_equal(sum.gap.max_ns, 50000);
	assert_int_equal(sum.error.max_ns, 50000);
	assert_true(sum.near == 1.0 / 3);
	free(gaps);
}

static void the_limit_of_near(void **state)
{
	struct gaps *gaps = new_gaps();
	struct gaps_summary sum;

	(void)state;
	gaps_note(gaps, 1000000, 1, 0);
	gaps_note(gaps, 1120000, 1, 100000);
	gaps_note(gaps, 1240001, 1, 100000);
	gaps_note(gaps, 1320001, 1, 100000);
	gaps_note(gaps, 1400000, 1, 100000);
	gaps_summarize(gaps, &sum);
	assert_true(sum.near == 0.5);
	free(gaps);
}

static void queues_are_merged(void **state)
{
	struct gaps *all = new_gaps(), *one = new_gaps(), *two = new_gaps();
	struct gaps_summary sum;

	(void)state;
	gaps_merge(all, one); /* nothing yet */
	gaps_note(one, 1, 1, 0);
	gaps_note(one, 11, 1, 10);
	gaps_note(two, 1, 1, 0);
	gaps_note(two, 31, 1, 10);
	gaps_note(two, UINT64_MAX, 1, 10);
	gaps_merge(all, two);
	gaps_merge(all, one);
	gaps_summarize(all, &sum);
	assert_int_equal(sum.count, 3);
	assert_int_equal(sum.gap.min_ns, 10);
	assert_int_equal(sum.gap.p50_ns, 30);
	assert_true(sum.gap.max_ns == UINT64_MAX - 31);
	assert_true(sum.near == 2.0 / 3);
	free(all);
	free(one);
	free(two);
}

static void nothing_is_nothing(void **state)
{
	struct gaps *gaps = new_gaps();
	struct gaps_summary sum;

	(void)state;
	gaps_note(gaps, 5, 1, 1);
	gaps_summarize(gaps, &sum);
	assert_int_equal(sum.count, 0);
	assert_int_equal(sum.gap.max_ns, 0);
	free(gaps);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(buckets_follow_one_another),
		cmocka_unit_test(percentiles_of_a_thousand),
		cmocka_unit_test(frames_together_have_no_gap),
		cmocka_unit_test(the_limit_of_near),
		cmocka_unit_test(queues_are_merged),
		cmocka_unit_test(nothing_is_nothing),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("gaps", tests, NULL, NULL);
}
