/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Guards the statistics of a comparison on plain numbers: medians, quartiles, knees,
 * shuffles, ratios with their intervals, and every way to have too few values.
 * Whether the intervals are right is test_statistics_proof.c.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <errno.h>
#include <float.h>
#include <math.h>

#include "statistics.h"

#define CLOSE(x, y) \
	assert_true(fabs((x) - (double)(y)) < 1e-9 * fmax(1, fabs((double)(y))))

static void summaries(void **state)
{
	const double odd[] = { 9, 1, 5, 3, 7 }, even[] = { 4, 1, 3, 2 }, one[] = { 8 };
	struct statistics_summary sum;

	(void)state;
	statistics_summarize(odd, 5, &sum);
	CLOSE(sum.median, 5);
	CLOSE(sum.low, 3);
	CLOSE(sum.high, 7);
	CLOSE(sum.spread, 1.4826 * 2 / 5);
	assert_true(odd[0] == 9 && odd[4] == 7);
	statistics_summarize(even, 4, &sum);
	CLOSE(sum.median, 2.5);
	CLOSE(sum.low, 1.75);
	CLOSE(sum.high, 3.25);
	statistics_summarize(one, 1, &sum);
	CLOSE(sum.median, 8);
	CLOSE(sum.low, 8);
	assert_true(isnan(sum.spread));
	statistics_summarize(NULL, 0, &sum);
	assert_true(isnan(sum.median) && isnan(sum.low) && isnan(sum.high));
}

/* One wild value moves neither the median nor the spread. */
static void a_summary_is_robust(void **state)
{
	const double value[] = { 100, 101, 99, 100, 102, 98, 1e12 };
	struct statistics_summary sum;

	(void)state;
	statistics_summarize(value, 7, &sum);
	CLOSE(sum.median, 100);
	assert_true(sum.spread < 0.02);
}

static void knees(void **state)
{
	const double x[] = { 1, 2, 4, 8, 16 };
	const double bends[] = { 10, 50, 96, 100, 99 }, flat[] = { 7, 7, 7, 7, 7 };
	const double rises[] = { 1, 2, 4, 8, 16 }, holes[] = { 10, NAN, 96, 100, NAN };
	const double falls[] = { 9, 5, 3, 2, 1 }, few[] = { 2, NAN, 1, NAN, NAN };

	(void)state;
	assert_int_equal(statistics_knee(x, bends, 5, 0.05), 2);
	assert_int_equal(statistics_knee(x, bends, 5, 0.03), 3);
	assert_int_equal(statistics_knee(x, flat, 5, 0.05), 0);
	assert_int_equal(statistics_knee(x, falls, 5, 0.05), 0);
	assert_int_equal(statistics_knee(x, rises, 5, 0.05), 5);
	assert_int_equal(statistics_knee(x, holes, 5, 0.05), 2);
	assert_int_equal(statistics_knee(x, few, 5, 0.05), 5);
	assert_int_equal(statistics_knee(x, bends, 2, 0.05), 2);
	assert_int_equal(statistics_knee(x, bends, 0, 0.05), 0);
}

/* Every order of three items comes up about equally often, and none is lost. */
static void shuffles(void **state)
{
	uint64_t seed = 5;
	uint32_t seen[27] = { 0 }, orders = 0, i;

	(void)state;
	for (i = 0; i < 6000; i++) {
		size_t item[] = { 0, 1, 2 };

		statistics_shuffle(item, 3, &seed);
		assert_int_equal(item[0] + item[1] + item[2], 3);
		seen[item[0] * 9 + item[1] * 3 + item[2]]++;
	}
	for (i = 0; i < 27; i++) {
		orders += seen[i] > 0;
		assert_true(!seen[i] || (seen[i] > 850 && seen[i] < 1150));
	}
	assert_int_equal(orders, 6);
	statistics_shuffle(NULL, 0, &seed);
}

/* The first outputs of splitmix64 from state 0, as its authors' code gives them. */
static void the_generator_is_splitmix64(void **state)
{
	uint64_t seed = 0;

	(void)state;
	assert_true(statistics_random(&seed) == 0xe220a8397b1dcdafu);
	assert_true(statistics_random(&seed) == 0x6e789e6aa1b965f4u);
}

static const double leg_a[] = { 100, 110, 120, 130, 125, 115, 105, 95, 100, 108 };
static const double leg_b[] = { 202, 217, 243, 262, 246, 233, 209, 191, 199, 217 };

static void twice_as_fast(void **state)
{
	struct statistics_effect effect, again;

	(void)state;
	assert_int_equal(statistics_compare(leg_a, leg_b, 10, 1, &effect), 0);
	assert_int_equal(effect.rounds, 10);
	assert_int_equal(effect.verdict, VERDICT_FASTER);
	assert_true(effect.ratio > 1.99 && effect.ratio < 2.03);
	assert_true(effect.low > 1.98 && effect.low < effect.ratio);
	assert_true(effect.high < 2.04 && effect.high > effect.ratio);
	assert_true(effect.difference > 108 && effect.difference < 114);
	assert_true(effect.difference_low < effect.difference &&
		    effect.difference < effect.difference_high);
	assert_true(effect.smallest > 0.005 && effect.smallest < 0.03);
	assert_true(effect.spread > 0.005 && effect.spread < 0.03);
	assert_int_equal(statistics_compare(leg_a, leg_b, 10, 1, &again), 0);
	assert_true(effect.low == again.low && effect.high == again.high);
	assert_true(effect.difference_low == again.difference_low);
	assert_int_equal(statistics_compare(leg_a, leg_b, 10, 2, &again), 0);
	assert_true(effect.low != again.low && effect.ratio == again.ratio);
	assert_true(fabs(effect.low - again.low) < 0.005);
}

/* b against a, and the times that belong to the rates, are the same judgement. */
static void exchange_is_the_inverse(void **state)
{
	struct statistics_effect effect, inverse, times;
	double time_a[10], time_b[10];
	size_t i;

	(void)state;
	for (i = 0; i < 10; i++) {
		time_a[i] = 1e9 / leg_a[i];
		time_b[i] = 1e9 / leg_b[i];
	}
	statistics_compare(leg_a, leg_b, 10, 3, &effect);
	statistics_compare(leg_b, leg_a, 10, 3, &inverse);
	statistics_compare(time_a, time_b, 10, 3, &times);
	CLOSE(inverse.low, 1 / effect.high);
	CLOSE(inverse.high, 1 / effect.low);
	CLOSE(inverse.difference_low, -effect.difference_high);
	CLOSE(inverse.smallest, effect.smallest);
	assert_int_equal(inverse.verdict, VERDICT_SLOWER);
	CLOSE(times.low, inverse.low);
	CLOSE(times.high, inverse.high);
	assert_int_equal(times.verdict, VERDICT_SLOWER);
}

/* A drift that both legs share is no noise of the ratio. */
static void a_shared_drift_cancels(void **state)
{
	double a[12], b[12];
	struct statistics_effect effect;
	size_t i;

	(void)state;
	for (i = 0; i < 12; i++) {
		a[i] = 1e6 * (1 + 0.1 * (double)i);
		b[i] = a[i] * (i % 2 ? 1.031 : 1.029);
	}
	statistics_compare(a, b, 12, 4, &effect);
	assert_int_equal(effect.verdict, VERDICT_FASTER);
	assert_true(effect.high - effect.low < 0.002);
}

static void equal_series(void **state)
{
	struct statistics_effect effect;

	(void)state;
	assert_int_equal(statistics_compare(leg_a, leg_a, 10, 1, &effect), 0);
	assert_int_equal(effect.verdict, VERDICT_NONE);
	assert_true(effect.ratio == 1 && effect.low == 1 && effect.high == 1);
	assert_true(effect.smallest == 0 && effect.difference == 0);
	assert_int_equal(statistics_rounds_for_effect(&effect, 0.01),
			 STATISTICS_MIN_ROUNDS);
}

static void assert_nothing_known(const struct statistics_effect *effect)
{
	assert_int_equal(effect->verdict, VERDICT_TOO_FEW);
	assert_true(isnan(effect->low) && isnan(effect->high));
	assert_true(isnan(effect->difference_low) && isnan(effect->difference_high));
	assert_true(isnan(effect->smallest) && isnan(effect->spread));
	assert_int_equal(statistics_rounds_for_width(effect, 0.01), 0);
	assert_int_equal(statistics_rounds_for_effect(effect, 0.01), 0);
}

static void too_few(void **state)
{
	struct statistics_effect effect;
	size_t n;

	(void)state;
	for (n = 0; n < STATISTICS_MIN_ROUNDS; n++) {
		assert_int_equal(statistics_compare(leg_a, leg_b, n, 1, &effect), 0);
		assert_nothing_known(&effect);
		assert_int_equal(effect.rounds, n);
		assert_true(n ? effect.ratio > 1.9 : isnan(effect.ratio));
		assert_int_equal(
			statistics_compare_unpaired(leg_a, 10, leg_b, n, 1, &effect), 0);
		assert_nothing_known(&effect);
	}
	assert_int_equal(statistics_compare(leg_a, leg_b, n, 1, &effect), 0);
	assert_int_equal(effect.verdict, VERDICT_FASTER);
}

static void values_that_are_none(void **state)
{
	const double bad[] = { 0, -1, NAN, INFINITY };
	double value[10];
	struct statistics_effect effect;
	size_t i, k;

	(void)state;
	for (i = 0; i < 4; i++) {
		for (k = 0; k < 10; k++)
			value[k] = k == 7 ? bad[i] : 1;
		assert_int_equal(statistics_compare(leg_a, value, 10, 1, &effect),
				 -EINVAL);
		assert_nothing_known(&effect);
		assert_int_equal(statistics_compare(value, leg_a, 10, 1, &effect),
				 -EINVAL);
		assert_int_equal(
			statistics_compare_unpaired(value, 10, leg_a, 10, 1, &effect),
			-EINVAL);
		assert_nothing_known(&effect);
	}
}

/* The largest and the smallest numbers there are. */
static void extreme_values(void **state)
{
	double a[8], b[8];
	struct statistics_effect effect;
	size_t i;

	(void)state;
	for (i = 0; i < 8; i++) {
		a[i] = i % 2 ? DBL_MAX : DBL_MIN;
		b[i] = i % 3 ? DBL_MAX : DBL_MIN;
	}
	assert_int_equal(statistics_compare(a, b, 8, 1, &effect), 0);
	assert_int_equal(effect.verdict, VERDICT_NONE);
	assert_true(statistics_rounds_for_effect(&effect, 1e-300) > 1000000);
}

static void unpaired_series(void **state)
{
	const double short_b[] = { 216, 230, 250, 240, 196, 221, 215 };
	struct statistics_effect effect;

	(void)state;
	assert_int_equal(statistics_compare_unpaired(leg_a, 10, short_b, 7, 1, &effect),
			 0);
	assert_int_equal(effect.rounds, 7);
	assert_int_equal(effect.verdict, VERDICT_FASTER);
	assert_true(effect.low < 2.02 && effect.high > 2.02);
	/* Here the drift does not cancel. */
	assert_true(effect.high - effect.low > 0.1);
	assert_int_equal(statistics_compare_unpaired(leg_a, 10, leg_a, 9, 1, &effect), 0);
	assert_int_equal(effect.verdict, VERDICT_NONE);
}

/* By hand: (1.96 * 0.1 * n / (n - 1) / ln 1.01)^2 = n at 390, and so on. */
static void rounds_needed(void **state)
{
	struct statistics_effect effect = { .rounds = 1000000, .spread = 0.1 };

	(void)state;
	assert_in_range(statistics_rounds_for_width(&effect, 0.01), 388, 392);
	assert_in_range(statistics_rounds_for_effect(&effect, 0.01), 792, 797);
	assert_int_equal(statistics_rounds_for_width(&effect, 1), STATISTICS_MIN_ROUNDS);
	assert_int_equal(statistics_rounds_for_width(&effect, 0), 0);
	assert_int_equal(statistics_rounds_for_width(&effect, -1), 0);
	assert_int_equal(statistics_rounds_for_width(&effect, NAN), 0);
	/* Few rounds know their spread badly, so more are asked for. */
	effect.rounds = 10;
	assert_true(statistics_rounds_for_effect(&effect, 0.01) > 900);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(summaries),
		cmocka_unit_test(a_summary_is_robust),
		cmocka_unit_test(knees),
		cmocka_unit_test(shuffles),
		cmocka_unit_test(the_generator_is_splitmix64),
		cmocka_unit_test(twice_as_fast),
		cmocka_unit_test(exchange_is_the_inverse),
		cmocka_unit_test(a_shared_drift_cancels),
		cmocka_unit_test(equal_series),
		cmocka_unit_test(too_few),
		cmocka_unit_test(values_that_are_none),
		cmocka_unit_test(extreme_values),
		cmocka_unit_test(unpaired_series),
		cmocka_unit_test(rounds_needed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
