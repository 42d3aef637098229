/* SPDX-License-Identifier: BSD-2-Clause */
/* Guards the command line of `dxmit report`: the files it names, and what it refuses. */
#include "options_fixture.h"

static void files_stand_anywhere(void **state)
{
	struct words words;
	struct config config;

	(void)state;
	parse_good("report a.json --markdown m -v - --html h", &words, &config);
	assert_int_equal(config.inputs, 2);
	assert_string_equal(config.input[0], "a.json");
	assert_string_equal(config.input[1], "-");
	assert_string_equal(config.markdown, "m");
	assert_string_equal(config.html, "h");
	assert_true(config.verbose);
	config_free(&config);
	parse_good("report --json j --csv c -- --odd", &words, &config);
	assert_int_equal(config.inputs, 1);
	assert_string_equal(config.input[0], "--odd");
	config_free(&config);
}

static void wrong_lines(void **state)
{
	static const struct wrong_line wrong[] = {
		{ "report",
		  "report: no file is named; give what 'dxmit compare --json FILE' "
		  "wrote" },
		{ "report a b --json c",
		  "--json: has no effect on several files; name one file" },
		{ "report a b --csv c",
		  "--csv: has no effect on several files; name one file" },
		{ "report - -", "-: standard input can be read only once; name it once" },
		{ "report a --html x --csv x",
		  "--html: names the same output as --csv; give each its own" },
		{ "report a --prometheus p",
		  "--prometheus: is no option of 'dxmit report' but of 'dxmit tx'; leave "
		  "it out" },
		{ "plan --sandbox a",
		  "a: 'dxmit plan' takes no such argument; options begin with -, see "
		  "'dxmit plan --help'" },
	};

	(void)state;
	CHECK_WRONG_LINES(wrong);
}

static void files_are_limited(void **state)
{
	char line[256] = "report", seen[256];
	size_t i;

	(void)state;
	for (i = 0; i <= CONFIG_INPUTS; i++)
		strcat(line, " a");
	assert_int_equal(parse_in_child(line, STDERR_FILENO, seen, sizeof(seen)),
			 EXIT_USAGE);
	assert_string_equal(seen,
			    "dxmit: report: too many files are named; use at most 32\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(files_stand_anywhere),
		cmocka_unit_test(wrong_lines),
		cmocka_unit_test(files_are_limited),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
