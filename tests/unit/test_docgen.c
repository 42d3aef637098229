/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Manual page and completion: every option of the table is in both, the page
 * is clean for mandoc, and bash really completes with the script.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "docgen.h"
#include "options.h"

#define DOCUMENT_MAX (256 * 1024)
#define PLACEHOLDERS "@HEADER@\n@COMMANDS@\n@OPTIONS@\n@FRAME@\n"

static char document[DOCUMENT_MAX];
static char script_path[] = "/tmp/dxmit-completion-XXXXXX";

static bool make_man(const char *prose_text)
{
	FILE *prose = fmemopen((char *)prose_text, strlen(prose_text), "r");
	FILE *out = fmemopen(document, sizeof(document), "w");
	bool complete;

	assert_non_null(prose);
	assert_non_null(out);
	complete = docgen_man(prose, out);
	assert_int_equal(fclose(out), 0);
	fclose(prose);
	return complete;
}

/* Undo roff's "\-" and "\e", so that texts can be looked for. */
static void unescape(char *text)
{
	char *to = text;

	for (; *text; text++) {
		if (text[0] == '\\' && text[1] == '-')
			*to++ = *++text;
		else if (text[0] == '\\' && text[1] == 'e')
			*to++ = '\\', text++;
		else
			*to++ = *text;
	}
	*to = '\0';
}

static void assert_contains(const char *text)
{
	if (!strstr(document, text))
		fail_msg("not found: %s", text);
}

static void test_man_has_every_option(void **state)
{
	size_t i;

	(void)state;
	assert_true(make_man(PLACEHOLDERS));
	unescape(document);
	for (i = 0; i < OPTIONS; i++) {
		const struct option_row *row = &option_table[i];
		char text[OPTION_LEGAL_LEN + 64], legal[OPTION_LEGAL_LEN];

		snprintf(text, sizeof(text), "\\fB--%s\\fR", row->name);
		assert_contains(text);
		assert_contains(row->help);
		option_legal(row, legal);
		if (row->argument) {
			snprintf(text, sizeof(text), "Value (%s): %s.\n", row->unit,
				 legal);
			assert_contains(text);
		}
		if (row->fallback) {
			snprintf(text, sizeof(text), "Default: %s.\n", row->fallback);
			assert_contains(text);
		}
	}
}

static void test_man_needs_its_placeholders(void **state)
{
	(void)state;
	assert_false(make_man("@HEADER@\n@COMMANDS@\n"));
	assert_false(make_man("@HEADER@\n@COMMANDS@\n@OPTIONS@\n"));
	assert_false(make_man("@HEADER@\n@COMMANDS@\n@FRAME@\n@OPTIONS@"));
	assert_false(make_man("@HEADER@\n@OPTIONS@\ntext\n"));
}

/* The prose lies in the tree this file was compiled from. */
static FILE *open_prose(void)
{
	char path[4096];
	char *slash;

	snprintf(path, sizeof(path), "%s", __FILE__);
	slash = strrchr(path, '/');
	if (!slash)
		return NULL;
	snprintf(slash, sizeof(path) - (size_t)(slash - path), "/../../app/dxmit.1.in");
	return fopen(path, "r");
}

static void test_man_is_clean(void **state)
{
	FILE *prose, *lint;

	(void)state;
	prose = open_prose();
	if (!prose || system("command -v mandoc >/dev/null 2>&1") != 0)
		skip();
	lint = popen("mandoc -T lint -W warning >&2", "w");
	assert_non_null(lint);
	assert_true(docgen_man(prose, lint));
	fclose(prose);
	assert_int_equal(pclose(lint), 0);
}

static void test_completion_has_every_option(void **state)
{
	FILE *out = fmemopen(document, sizeof(document), "w");
	size_t i;

	(void)state;
	assert_non_null(out);
	docgen_bash(out);
	assert_int_equal(fclose(out), 0);
	for (i = 0; i < OPTIONS; i++) {
		const struct option_row *row = &option_table[i];
		char text[64];

		snprintf(text, sizeof(text), " --%s ", row->name);
		if (i > 0) /* the first one stands after a quote */
			assert_contains(text);
		assert_contains(row->help);
	}
}

static int write_script(void **state)
{
	int fd = mkstemp(script_path);
	FILE *out = fd < 0 ? NULL : fdopen(fd, "w");

	(void)state;
	if (!out)
		return -1;
	docgen_bash(out);
	return fclose(out);
}

static int remove_script(void **state)
{
	(void)state;
	return unlink(script_path);
}

/* What bash offers with the cursor at the end of these words. */
static void complete(const char *words, char *offered, size_t len)
{
	char shell[1024];
	FILE *bash;
	size_t n;

	snprintf(shell, sizeof(shell),
		 "bash -c '. %s; COMP_WORDS=(%s); "
		 "COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _dxmit; "
		 "echo -n \"${COMPREPLY[*]}\"'",
		 script_path, words);
	bash = popen(shell, "r");
	assert_non_null(bash);
	n = fread(offered, 1, len - 1, bash);
	offered[n] = '\0';
	assert_int_equal(pclose(bash), 0);
}

static void test_bash_completes(void **state)
{
	static const struct {
		const char *words, *offered;
	} cases[] = {
		{ "dxmit \"\"",
		  "tx plan probe compare report attach detach --help --version" },
		{ "dxmit p", "plan probe" },
		{ "dxmit tx --fr", "--frames --frame-size --frame" },
		{ "dxmit tx --fo", "--force" },
		{ "dxmit plan --fo", "" },
		{ "dxmit tx --huge \"\"", "auto on off" },
		{ "dxmit tx --huge = o", "on off" },
		{ "dxmit tx --path \"\"", "auto kernel direct" },
		{ "dxmit attach --l", "--list" },
		{ "dxmit detach --l", "" },
		{ "dxmit tx --huge =", "auto on off" },
		{ "dxmit tx --link-loss g", "go" },
		{ "dxmit tx -q a", "all" },
		{ "dxmit tx --profile \"\"", "" },
		{ "dxmit compare --queues \"\"", "" },
		{ "dxmit compare --profile --rou", "--rounds" },
		{ "dxmit compare -d \"\"", "0.5" },
		{ "dxmit tx -d \"\"", "" },
		{ "dxmit tx -i l", "lo" },
		{ "dxmit tx --interface = l", "lo" },
		{ "dxmit tx --json /dev/nul", "/dev/null" },
		{ "dxmit report /dev/nul", "/dev/null" },
		{ "dxmit report --ht", "--html" },
	};
	char offered[4096];
	size_t i;

	(void)state;
	if (system("command -v bash >/dev/null 2>&1") != 0)
		skip();
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		complete(cases[i].words, offered, sizeof(offered));
		assert_string_equal(offered, cases[i].offered);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_man_has_every_option),
		cmocka_unit_test(test_man_needs_its_placeholders),
		cmocka_unit_test(test_man_is_clean),
		cmocka_unit_test(test_completion_has_every_option),
		cmocka_unit_test_setup_teardown(test_bash_completes, write_script,
						remove_script),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
