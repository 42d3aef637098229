/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Guards what people read of a comparison: tables that are aligned and fit, figures
 * nobody knows, legs without figures and why, and texts of others, which must not
 * become markup or commands to a terminal.
 */
#include "comparison_fixture.h"

#include "comparison_sheets.h"
#include "utf8.h"

static void assert_has(const char *text, const char *part)
{
	if (!strstr(text, part))
		fail_msg("no '%s' in:\n%.500s\n", part, text);
}

static void assert_has_not(const char *text, const char *part)
{
	if (strstr(text, part))
		fail_msg("'%s' in:\n%.500s\n", part, text);
}

static void csv(const struct comparison *c, const struct judgement *j, FILE *out)
{
	(void)j;
	comparison_csv(c, out);
}

/* ---- texts of others ---- */

static void assert_clean(const char *text, const char *clean)
{
	char *cleaned = utf8_clean(text);

	assert_non_null(cleaned);
	assert_string_equal(cleaned, clean);
	free(cleaned);
}

static void texts_are_cleaned(void **state)
{
	(void)state;
	assert_clean(NULL, "");
	assert_clean("plain µ é 漢 😀", "plain µ é 漢 😀");
	assert_clean("\033[2J\a\r", "?[2J??");
	assert_clean("a\nb\tc", "a b c");
	assert_clean("\xc2\x9b"
		     "31m", /* CSI in C1 */
		     "?31m");
	assert_clean("\xe2\x80\xae"
		     "x",
		     "?x"); /* right to left */
	assert_clean("\xc0\xaf \xed\xa0\x80 \xf5\x80\x80\x80 \xe2\x82", "?? ??? ???? ??");
	assert_clean("\xff", "?");
}

static void widths_are_columns(void **state)
{
	(void)state;
	assert_int_equal(utf8_width(""), 0);
	assert_int_equal(utf8_width("µs/pkt"), 6);
	assert_int_equal(utf8_width("漢字"), 4);
	assert_int_equal(utf8_width("e\xcc\x81"), 1); /* combining acute */
	assert_int_equal(utf8_fitting("漢字", 3), 3);
	assert_int_equal(utf8_fitting("µs", 1), 2);
}

/* ---- text ---- */

/* The line that begins with `begin`; free() it. */
static char *line_of(const char *text, const char *begin)
{
	const char *at = text;

	while (at && strncmp(at, begin, strlen(begin)) != 0) {
		at = strchr(at, '\n');
		at = at ? at + 1 : NULL;
	}
	if (!at)
		fail_msg("no line '%s' in:\n%.500s\n", begin, text);
	return strndup(at, strcspn(at, "\n"));
}

static void assert_line(const char *text, const char *line)
{
	char *found = line_of(text, line);

	assert_string_equal(found, line);
	free(found);
}

/* Rates 1.002M and 1.2525M: medians of rounds that rise by 0.1 %. */
static void the_legs_are_a_table(void **state)
{
	struct comparison c;
	char *text;

	(void)state;
	fixture_comparison(&c);
	c.cell[0].sample[0].lost = COMPARISON_UNKNOWN;
	text = written(comparison_text, &c);
	assert_has(text,
		   "\n64-byte frames, 1 queue\n"
		   "leg           mode  path       pps       ±  L1 bit/s  L2 bit/s  "
		   "ns/pkt  n\n"
		   "copy          copy  kernel  1.002M  0.22 %    673.7M    513.3M  "
		   " 997.5  6\n"
		   "direct        copy  direct  1.253M  0.22 %    842.1M    641.6M  "
		   " 798.0  6\n"
		   "zerocopy      -     -            -       -         -         -  "
		   "     -  0\n");
	assert_line(text, "  not run      zerocopy: the driver has no zero-copy mode");
	assert_line(text, "  broke off    exec:./other: ended by signal 11");
	assert_has(text, "\nleg     CPU µs/pkt   user  system  softirq  pkt/kick  "
			 "kicks/s  lost\n"
			 "copy         0.948  0.100   0.798    0.299     32.08   31.25k  "
			 "   -\n"
			 "direct       0.758  0.080   0.638    0.239     32.08   39.06k  "
			 "   6\n");
	free(text);
	comparison_free(&c);
}

static void the_differences_are_a_table(void **state)
{
	struct comparison c;
	char *text, *line;

	(void)state;
	fixture_comparison(&c);
	text = written(comparison_text, &c);
	line = line_of(text, "direct  copy ");
	assert_has(line, " 1.250  [1.2");
	assert_has(line, " -199.5  [-");
	assert_has(line, "1.25 times as fast");
	free(line);
	line = line_of(text, "same    copy ");
	assert_has(line, " 1.000  [");
	assert_has(line, "no difference seen");
	free(line);
	free(text);
	comparison_free(&c);
}

static void too_few_rounds_have_no_interval(void **state)
{
	struct comparison c;
	char *text, *line, verdict[64];

	(void)state;
	snprintf(verdict, sizeof(verdict), "too few rounds (3 of %d)",
		 STATISTICS_MIN_ROUNDS);
	fixture_comparison(&c);
	c.cell[0].samples = c.cell[1].samples = 3;
	text = written(comparison_text, &c);
	line = line_of(text, "direct  copy ");
	assert_has(line, "1.250  -");
	assert_has(line, verdict);
	assert_has_not(line, "[");
	free(line);
	free(text);
	comparison_free(&c);
}

/* With more than three legs those against the first; all of them if asked. */
static void pairs_are_against_the_first_leg(void **state)
{
	struct comparison c;
	char *text;

	(void)state;
	fixture_comparison(&c);
	free(c.cell[2].unavailable);
	c.cell[2].unavailable = NULL;
	fixture_samples(&c.cell[2], 900000);
	text = written(comparison_text, &c);
	free(line_of(text, "against copy "));
	free(line_of(text, "zerocopy "));
	assert_has_not(text, "\nsame          direct ");
	free(text);
	text = written(comparison_text_verbose, &c);
	free(line_of(text, "same      direct "));
	free(text);
	comparison_free(&c);
}

static void profiles_stand_side_by_side(void **state)
{
	struct comparison c;
	char *text;

	(void)state;
	fixture_comparison(&c);
	text = written(comparison_text, &c);
	assert_has(text, "\nfunction           in        copy  direct\n"
			 "sock_wfree         kernel  60.0 %  60.0 %\n"
			 "validate_xmit_skb  kernel  10.0 %  0.50 %\n");
	c.cell[0].function[1].hits = 9; /* below 1 % in every leg */
	free(text);
	text = written(comparison_text, &c);
	assert_has_not(text, "validate_xmit_skb");
	free(text);
	comparison_free(&c);
}

static void what_happened_is_said(void **state)
{
	struct comparison c;
	char *text;

	(void)state;
	fixture_comparison(&c);
	c.interrupted = true;
	c.out_of_time = true;
	c.cell[0].repeated = 2;
	c.cell[0].sample[1].disturbed = true;
	strcpy(c.cell[0].sample[1].note, "carrier lost");
	strcpy(c.cell[1].sample[3].note, "never quiet");
	c.cell[1].sample[0].life_own += 7;
	text = written(comparison_text, &c);
	assert_line(text, "  ended        early, by a signal");
	assert_line(text, "  ended        by --time-limit, before --until was reached");
	assert_line(text, "  repeated     copy: 2 disturbed rounds");
	assert_line(text,
		    "  left out     copy: 1 disturbed round, the last: carrier lost");
	assert_line(text,
		    "  kept         direct: 1 disturbed round, the last: never quiet");
	assert_has(text, "direct: 15000007 sent as it says itself, 15000000 seen");
	assert_line(text, "  placement    queue 0 on CPU 1, node 0");
	assert_line(text, "  profile      all on the senders' CPUs, by a timer");
	assert_line(text, "  begun        2025-12-01 14:40:00 UTC");
	free(text);
	comparison_free(&c);
}

static void outputs_of_other_senders_are_shown_if_asked(void **state)
{
	struct comparison c;
	char *text;

	(void)state;
	fixture_comparison(&c);
	free(c.cell[4].output);
	c.cell[4].output = owned("sent 3\n\n\033[2Jlast\n");
	text = written(comparison_text_verbose, &c);
	assert_has(text, "\n  printed      exec:./other:\n    sent 3\n    ?[2Jlast\n");
	free(text);
	text = written(comparison_text, &c);
	assert_has_not(text, "sent 3");
	free(text);
	comparison_free(&c);
}

static void assert_lines_fit(const char *text, size_t columns)
{
	while (*text) {
		size_t length = strcspn(text, "\n");
		char *line = strndup(text, length);

		if (utf8_width(line) > columns)
			fail_msg("wider than %zu: '%s'", columns, line);
		assert_true(length == 0 || line[length - 1] != ' ');
		free(line);
		text += length + (text[length] == '\n');
	}
}

static void nothing_is_wider_than_the_terminal(void **state)
{
	struct comparison c;
	char *text;

	(void)state;
	fixture_comparison(&c);
	free(c.cell[0].leg);
	c.cell[0].leg = owned("exec:/a/very/long/way/to/漢字/a/program --with options");
	free(c.cell[1].leg);
	c.cell[1].leg = owned("af_packet-bypass:batch=64");
	text = written(comparison_text_verbose, &c);
	assert_lines_fit(text, 100);
	assert_has(text, "exec:/a/very/long/way…");
	free(text);
	comparison_free(&c);
}

static void a_terminal_is_not_commanded(void **state)
{
	struct comparison c;
	char *text;

	(void)state;
	fixture_comparison(&c);
	free(c.cell[0].leg);
	c.cell[0].leg = owned("\033]0;title\a");
	free(c.kernel);
	c.kernel = owned("\033[2J");
	text = written(comparison_text, &c);
	assert_has_not(text, "\033");
	assert_has_not(text, "\a");
	free(text);
	comparison_free(&c);
}

/* ---- curves ---- */

/* One leg whose rate does not grow beyond a batch of 64. */
static void knees_are_named(void **state)
{
	static const uint32_t batch[] = { 16, 32, 64, 128 };
	static const uint64_t pps[] = { 500000, 700000, 990000, 1000000 };
	struct comparison c = { 0 };
	char *text;
	size_t i;

	(void)state;
	c.cells = 4;
	c.cell = calloc(c.cells, sizeof(*c.cell));
	assert_non_null(c.cell);
	for (i = 0; i < c.cells; i++) {
		fixture_cell(&c.cell[i], "copy", "kernel", pps[i]);
		c.cell[i].batch = batch[i];
	}
	text = written(comparison_text, &c);
	assert_has(text, "\ncurves\n  batch        copy, 64-byte frames, 1 queue: 501.2 "
			 "kpps at 16,");
	assert_has(text, "knee at batch 64\n");
	assert_has(text, "\n64-byte frames, 1 queue, batch 128\n");
	free(text);
	comparison_free(&c);
}

/* ---- Markdown ---- */

static void markdown_has_tables_and_no_markup_of_others(void **state)
{
	struct comparison c;
	char *text;

	(void)state;
	fixture_comparison(&c);
	free(c.cell[1].leg);
	c.cell[1].leg = owned("a|b <i> *c* `d` [e](f)");
	text = written(comparison_markdown, &c);
	assert_has(text, "\n## 64-byte frames, 1 queue\n\n| leg | mode | path | pps |");
	assert_has(text, "\n|---|---|---|---:|---:|---:|---:|---:|---:|\n"
			 "| copy | copy | kernel | 1.002M | 0.22 % |");
	assert_has(text, "\n| a\\|b \\<i\\> \\*c\\* \\`d\\` \\[e\\](f) | copy |");
	assert_has(text, "\n- not run: zerocopy: the driver has no zero-copy mode\n");
	free(text);
	comparison_free(&c);
}

/* ---- CSV ---- */

static size_t count_fields(const char *line)
{
	size_t fields = 1;
	bool quoted = false;

	for (; *line && *line != '\r'; line++) {
		quoted ^= *line == '"';
		fields += *line == ',' && !quoted;
	}
	return fields;
}

static void csv_has_a_row_per_sample(void **state)
{
	struct comparison c;
	char *text, *line;
	size_t rows = 0, fields;

	(void)state;
	fixture_comparison(&c);
	free(c.cell[1].leg);
	c.cell[1].leg = owned("exec:./x, \"y\"");
	c.cell[0].sample[0].kicks = COMPARISON_UNKNOWN;
	text = written(csv, &c);
	fields = count_fields(text);
	for (line = text; *line; line = strstr(line, "\r\n") + 2, rows++)
		assert_int_equal(count_fields(line), fields);
	assert_int_equal(rows, 1 + 3 * FIXTURE_ROUNDS + 2);
	assert_has(text,
		   "leg,wire_bytes,queues,batch,ring,unavailable,failure,mode,path,"
		   "witness,round,place,start_unix_ns,window_ns,packets,bytes,kicks,"
		   "lost,");
	assert_has(text, "\r\ncopy,64,1,0,0,,,copy,kernel,far end,1,0,"
			 "1764600000000000000,1000000000,1000000,60000000,,1,");
	assert_has(text, ",1000000.000,672000000.000,512000000.000,1000.000,0,\r\n");
	assert_has(text, "\r\n\"exec:./x, \"\"y\"\"\",64,1,");
	assert_has(text, "\r\nzerocopy,64,1,0,0,the driver has no zero-copy mode,,");
	free(text);
	comparison_free(&c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(texts_are_cleaned),
		cmocka_unit_test(widths_are_columns),
		cmocka_unit_test(the_legs_are_a_table),
		cmocka_unit_test(the_differences_are_a_table),
		cmocka_unit_test(too_few_rounds_have_no_interval),
		cmocka_unit_test(pairs_are_against_the_first_leg),
		cmocka_unit_test(profiles_stand_side_by_side),
		cmocka_unit_test(what_happened_is_said),
		cmocka_unit_test(outputs_of_other_senders_are_shown_if_asked),
		cmocka_unit_test(nothing_is_wider_than_the_terminal),
		cmocka_unit_test(a_terminal_is_not_commanded),
		cmocka_unit_test(knees_are_named),
		cmocka_unit_test(markdown_has_tables_and_no_markup_of_others),
		cmocka_unit_test(csv_has_a_row_per_sample),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
