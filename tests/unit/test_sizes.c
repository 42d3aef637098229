/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Sizes of frames: what the text may say, what is refused, and cycles in which
 * every choice occurs exactly as often as its weight says, evenly spread.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "parse.h"
#include "sizes.h"

#define MIN 64
#define MAX 4100

/* "64:7 594:4" */
static void written_out(const struct size_mix *mix, char *buf, size_t len)
{
	size_t i, at = 0;

	buf[0] = '\0';
	for (i = 0; i < mix->entries && at < len; i++)
		at += (size_t)snprintf(buf + at, len - at, "%s%u:%u", i ? " " : "",
				       mix->entry[i].wire_size, mix->entry[i].weight);
}

static void test_what_is_read(void **state)
{
	static const struct {
		const char *text, *entries;
		bool random;
		uint32_t shortest, longest;
	} cases[] = {
		{ "64", "64:1", false, 64, 64 },
		{ "1518,64", "1518:1 64:1", false, 64, 1518 },
		{ "2k", "2048:1", false, 2048, 2048 },
		{ "64:7,594:4,1518:1", "64:7 594:4 1518:1", false, 64, 1518 },
		{ "imix", "64:7 594:4 1518:1", false, 64, 1518 },
		{ "64-67", "64:1 65:1 66:1 67:1", false, 64, 67 },
		{ "100-120:8", "100:1 108:1 116:1", false, 100, 116 },
		{ "100-100:8,64:2", "100:1 64:2", false, 64, 100 },
		{ "random:64-66", "64:1 65:1 66:1", true, 64, 66 },
		{ "random:imix", "64:7 594:4 1518:1", true, 64, 1518 },
	};
	char seen[256];
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct parse_reason reason;
		struct size_mix mix;

		assert_true(sizes_parse(cases[i].text, MIN, MAX, &mix, &reason));
		written_out(&mix, seen, sizeof(seen));
		assert_string_equal(seen, cases[i].entries);
		assert_int_equal(mix.random, cases[i].random);
		assert_int_equal(sizes_shortest(&mix), cases[i].shortest);
		assert_int_equal(sizes_longest(&mix), cases[i].longest);
		sizes_free(&mix);
		assert_null(mix.entry);
	}
}

static void test_what_is_refused(void **state)
{
	static const char *const cases[][2] = {
		{ "", "'' is not a whole number" },
		{ "abc", "'abc' is not a whole number" },
		{ "-1", "'-1' is negative" },
		{ "63", "'63' is out of range" },
		{ "4101", "'4101' is out of range" },
		{ "64,", "'' is not a whole number" },
		{ ",64", "'' is not a whole number" },
		{ "64:0", "'0' is not a number from 1 to 1000000" },
		{ "64:1000001", "'1000001' is not a number from 1 to 1000000" },
		{ "64:", "'' is not a whole number" },
		{ "64-", "'' is not a whole number" },
		{ "100-64", "'64' is below the start of its range" },
		{ "64-100:0", "'0' is not a number from 1 to 1000000" },
		{ "64:1:2", "'1:2' is not a whole number" },
		{ "random:", "'' is not a whole number" },
		{ "imix,64", "'imix' is not a whole number" },
		{ "64:1000000,65:1000000",
		  "'64:1000000,65:1000000' is of weights whose sum exceeds 1048576" },
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct parse_reason reason;
		struct size_mix mix = { .entries = 77 };

		assert_false(sizes_parse(cases[i][0], MIN, MAX, &mix, &reason));
		assert_string_equal(reason.text, cases[i][1]);
		assert_int_equal(mix.entries, 77);
	}
}

static void test_order_of_imix(void **state)
{
	static const uint64_t weight[] = { 7, 4, 1 };
	static const uint32_t want[] = { 0, 1, 0, 0, 1, 0, 2, 1, 0, 0, 1, 0 };
	uint32_t *order;
	int cycle = cycle_make(weight, 3, false, &order);

	(void)state;
	assert_int_equal(cycle, 12);
	assert_memory_equal(order, want, sizeof(want));
	free(order);
}

/* At every point of the cycle no choice is more than one frame off its share. */
static void even(const uint64_t *weight, size_t choices)
{
	uint64_t count[64] = { 0 }, sum = 0, at;
	uint32_t *order;
	int cycle = cycle_make(weight, choices, false, &order);
	size_t i;

	for (i = 0; i < choices; i++)
		sum += weight[i];
	assert_true(cycle > 0 && sum % (uint64_t)cycle == 0);
	for (at = 0; at < (uint64_t)cycle; at++) {
		count[order[at]]++;
		for (i = 0; i < choices; i++) {
			double share = (double)(at + 1) * (double)weight[i] / (double)sum;

			assert_true((double)count[i] - share <= (double)choices / 2);
			assert_true(share - (double)count[i] <= (double)choices / 2);
		}
	}
	for (i = 0; i < choices; i++)
		assert_int_equal(count[i] * (sum / (uint64_t)cycle), weight[i]);
	free(order);
}

static void test_cycles_are_exact_and_even(void **state)
{
	static const uint64_t one[] = { 1000 }, equal[] = { 5, 5, 5, 5 },
			      two[] = { 1000000, 1 }, three[] = { 7, 4, 1 },
			      rates[] = { 1000000000, 250000000, 500000 };

	(void)state;
	even(one, 1);
	even(equal, 4);
	even(two, 2);
	even(three, 3);
	even(rates, 3);
}

static void test_shuffled_cycles_are_exact(void **state)
{
	static const uint64_t weight[] = { 3, 2, 1 };
	uint32_t *order, *again;
	size_t count[3] = { 0 }, repeats = 0;
	int cycle = cycle_make(weight, 3, true, &order), i;

	(void)state;
	assert_true(cycle >= 4096 && cycle % 6 == 0);
	for (i = 0; i < cycle; i++) {
		count[order[i]]++;
		repeats += i && order[i] == order[i - 1];
	}
	assert_int_equal(count[0], cycle / 2);
	assert_int_equal(count[1], cycle / 3);
	assert_int_equal(count[2], cycle / 6);
	assert_true(repeats > (size_t)cycle / 4); /* an even order has none of many */
	assert_int_equal(cycle_make(weight, 3, true, &again), cycle);
	assert_memory_equal(order, again, (size_t)cycle * sizeof(*order));
	free(order);
	free(again);
}

static void test_cycles_that_cannot_be(void **state)
{
	static const uint64_t zero[] = { 1, 0 }, large[] = { 1048576, 1 };
	uint32_t *order;

	(void)state;
	assert_int_equal(cycle_make(zero, 2, false, &order), -EINVAL);
	assert_int_equal(cycle_make(zero, 0, false, &order), -EINVAL);
	assert_int_equal(cycle_make(large, 2, false, &order), -EINVAL);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_what_is_read),
		cmocka_unit_test(test_what_is_refused),
		cmocka_unit_test(test_order_of_imix),
		cmocka_unit_test(test_cycles_are_exact_and_even),
		cmocka_unit_test(test_shuffled_cycles_are_exact),
		cmocka_unit_test(test_cycles_that_cannot_be),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
