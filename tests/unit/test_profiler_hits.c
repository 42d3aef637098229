/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Guards the profiler's counting: of addresses, and of functions over rounds, of which
 * the first are kept.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "profiler_functions.h"
#include "profiler_hits.h"

/* comparison_free() for a cell that has nothing but functions. */
static void free_cell(struct comparison_cell *cell)
{
	size_t i;

	for (i = 0; i < cell->functions; i++)
		free(cell->function[i].name);
	free(cell->function);
	*cell = (struct comparison_cell){ 0 };
}

static void rounds_add_up(void **state)
{
	struct profiler_functions f = { 0 };
	struct comparison_cell cell = { 0 };

	(void)state;
	assert_int_equal(profiler_functions_add(&f, "copy", true, 3), 0);
	assert_int_equal(profiler_functions_add(&f, "copy", false, 4), 0);
	assert_int_equal(profiler_functions_add(&f, "send", true, 5), 0);
	assert_int_equal(profiler_functions_merge(&f, 13, &cell), 0);
	assert_int_equal(cell.functions, 3);
	assert_string_equal(cell.function[0].name, "send");
	assert_int_equal(profiler_functions_add(&f, "copy", true, 6), 0);
	assert_int_equal(profiler_functions_add(&f, "wait", true, 1), 0);
	assert_int_equal(profiler_functions_merge(&f, 7, &cell), 0);
	assert_int_equal(cell.functions, 4);
	assert_int_equal(cell.profile_hits, 20);
	assert_string_equal(cell.function[0].name, "copy");
	assert_true(cell.function[0].kernel);
	assert_int_equal(cell.function[0].hits, 9);
	assert_string_equal(cell.function[2].name, "copy");
	assert_false(cell.function[2].kernel);
	assert_int_equal(cell.function[2].hits, 4);
	assert_int_equal(profiler_functions_merge(&f, 0, &cell), 0);
	assert_int_equal(cell.functions, 4);
	free_cell(&cell);
}

/* The first are kept; the sum counts all. */
static void the_first_are_kept(void **state)
{
	struct profiler_functions f = { 0 };
	struct comparison_cell cell = { 0 };
	char name[16];
	uint32_t i;

	(void)state;
	for (i = 1; i <= 1000; i++) {
		snprintf(name, sizeof(name), "f%u", i);
		assert_int_equal(profiler_functions_add(&f, name, true, i), 0);
	}
	assert_int_equal(profiler_functions_merge(&f, 500500, &cell), 0);
	assert_int_equal(cell.functions, PROFILER_FUNCTIONS_MOST);
	assert_string_equal(cell.function[0].name, "f1000");
	assert_string_equal(cell.function[63].name, "f937");
	assert_int_equal(cell.profile_hits, 500500);
	free_cell(&cell);
}

static void addresses_are_counted(void **state)
{
	struct profiler_hits hits = { 0 };
	uint64_t sum = 0;
	uint32_t i;

	(void)state;
	for (i = 0; i < 30000; i++)
		profiler_hits_add(&hits, i & 1 ? HIT_USER : HIT_KERNEL, i & 1 ? 7 : 0,
				  (i % 10000) * 16);
	assert_int_equal(hits.used, 10000);
	profiler_hits_by_process(&hits);
	for (i = 0; i < hits.used; i++) {
		assert_int_equal(hits.hit[i].count, 3);
		assert_int_equal(hits.hit[i].pid, i < 5000 ? 0 : 7);
		sum += hits.hit[i].count;
	}
	assert_int_equal(sum, 30000);
	profiler_hits_free(&hits);
	profiler_hits_free(&hits);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(rounds_add_up),
		cmocka_unit_test(the_first_are_kept),
		cmocka_unit_test(addresses_are_counted),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("profiler hits", tests, NULL, NULL);
}
