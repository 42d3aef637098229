/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Guards the HTML page of a comparison: well-formed, alone, without markup of others,
 * with plots if there is a gnuplot, and complete without one, or with one that hangs,
 * fails or writes rubbish.
 */
#include "comparison_fixture.h"

#include <errno.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "comparison_runs.h"
#include "gnuplot.h"
#include "sender.h"

static void html(const struct comparison *c, const struct judgement *j, FILE *out)
{
	assert_int_equal(comparison_html(c, j, out), 0);
}

static void assert_has(const char *text, const char *part)
{
	if (!strstr(text, part))
		fail_msg("no '%s' in:\n%.500s\n", part, text);
}

static size_t count(const char *text, const char *part)
{
	size_t found = 0;

	while ((text = strstr(text, part)) != NULL) {
		found++;
		text += strlen(part);
	}
	return found;
}

/* ---- programs in the place of gnuplot ---- */

static char directory[] = "/tmp/dxmit-html-XXXXXX";
static char *usual_path;

static void write_program(const char *text)
{
	char path[64];
	FILE *out;

	snprintf(path, sizeof(path), "%s/gnuplot", directory);
	unlink(path);
	if (!text)
		return;
	out = fopen(path, "w");
	assert_non_null(out);
	fprintf(out, "#!/bin/sh\n%s\n", text);
	fclose(out);
	assert_int_equal(chmod(path, 0755), 0);
}

/* NULL: there is none. */
static void use_program(const char *text)
{
	write_program(text);
	setenv("PATH", directory, 1);
}

static int set_up(void **state)
{
	(void)state;
	usual_path = strdup(getenv("PATH"));
	/* Whatever a script could do would be done there. */
	return usual_path && mkdtemp(directory) ? chdir(directory) : -1;
}

static int tear_down(void **state)
{
	(void)state;
	write_program(NULL);
	unlink("x");
	free(usual_path);
	return rmdir(directory);
}

static int use_usual_path(void **state)
{
	(void)state;
	setenv("PATH", usual_path, 1);
	return 0;
}

static void need_gnuplot(void)
{
	static const char script[] = "set terminal svg\nplot x\n";
	char *svg;

	if (gnuplot_draw(script, strlen(script), clock_ns() + 30000000000u, &svg))
		skip();
	free(svg);
}

/* ---- a page ---- */

#define DEPTH 64
#define NAME 24

/* The name of the tag at `at`, which is behind '<'. */
static void tag_name(const char *at, char name[NAME])
{
	size_t length = strcspn(at, " \t\n/>");

	if (length >= NAME)
		length = NAME - 1;
	memcpy(name, at, length);
	name[length] = '\0';
}

/* Each element is closed by its own tag; void ones are those of HTML's head. */
static void assert_well_formed(const char *page)
{
	char open[DEPTH][NAME], name[NAME];
	const char *at = page, *end;
	size_t depth = 0;

	assert_int_equal(strncmp(page, "<!DOCTYPE html>\n<html", 21), 0);
	at = strchr(page + 1, '<');
	for (; at; at = strchr(end, '<')) {
		bool closing = at[1] == '/';

		end = strchr(at, '>');
		assert_non_null(end);
		tag_name(at + 1 + closing, name);
		if (closing) {
			assert_true(depth > 0);
			assert_string_equal(open[--depth], name);
		} else if (end[-1] != '/' && strcmp(name, "meta") != 0) {
			assert_true(depth < DEPTH);
			strcpy(open[depth++], name);
		}
	}
	assert_int_equal(depth, 0);
}

/* The value of every id is there once, and whatever is referred to is there. */
static void assert_ids_are_unique(const char *page)
{
	const char *at = page;
	char id[64], whole[80];
	size_t length, ids = 0;

	while ((at = strpbrk(at, "'\"")) != NULL) {
		bool defines = at - page > 4 && strncmp(at - 4, " id=", 4) == 0;

		length = strcspn(at + 1, "'\"<>");
		if (defines && length < sizeof(id) - 1) {
			snprintf(id, sizeof(id), "%.*s", (int)length, at + 1);
			snprintf(whole, sizeof(whole), " id='%s'", id);
			length = count(page, whole);
			snprintf(whole, sizeof(whole), " id=\"%s\"", id);
			if (length + count(page, whole) != 1)
				fail_msg("id %s is there more than once", id);
			ids++;
		}
		at++;
	}
	assert_true(ids > 20);
}

static void assert_alone(const char *page)
{
	assert_int_equal(count(page, "<script"), 0);
	assert_int_equal(count(page, "<link"), 0);
	assert_int_equal(count(page, "<img"), 0);
	assert_int_equal(count(page, "src="), 0);
	/* The names of SVG's and its links' namespaces are no addresses to load. */
	assert_int_equal(count(page, "http://") + count(page, "https://"),
			 count(page, "http://www.w3.org/2000/svg") +
				 count(page, "http://www.w3.org/1999/xlink"));
	assert_has(page, "default-src 'none'");
	assert_has(page, "<meta name=\"viewport\"");
}

/* ---- tests ---- */

static void the_page_has_tables_and_plots(void **state)
{
	struct comparison c;
	char *page;

	(void)state;
	need_gnuplot();
	fixture_comparison(&c);
	page = written(html, &c);
	assert_well_formed(page);
	assert_alone(page);
	assert_ids_are_unique(page);
	/* Rate, time, CPU time, samples. */
	assert_int_equal(count(page, "<svg"), 4);
	assert_int_equal(count(page, "</svg>"), 4);
	assert_int_equal(count(page, "<figcaption>"), 4);
	assert_int_equal(count(page, "plot4-gpPt0"), 1);
	assert_int_equal(count(page, "Plots are missing"), 0);
	assert_int_equal(count(page, "<title>"), 1);
	assert_int_equal(count(page, "<?xml"), 0);
	assert_int_equal(count(page, "\"black\""), 0);
	assert_has(page, "<figcaption>Rate, Mpps: ");
	assert_has(page, "<td class=\"number\">1.002M</td>");
	assert_has(page, "<dt>profile</dt><dd>all on the senders&#39; CPUs, by a timer");
	assert_has(page,
		   "<dt>not run</dt><dd>zerocopy: the driver has no zero-copy mode");
	free(page);
	comparison_free(&c);
}

static void sweeps_have_curves(void **state)
{
	struct comparison c = { 0 };
	char *page;
	size_t i;

	(void)state;
	need_gnuplot();
	c.cells = 6;
	c.cell = calloc(c.cells, sizeof(*c.cell));
	assert_non_null(c.cell);
	for (i = 0; i < c.cells; i++) {
		fixture_cell(&c.cell[i], i % 2 ? "direct" : "copy", "kernel",
			     1000000 + 1000 * i);
		c.cell[i].wire_size = 64u << (i / 2);
	}
	page = written(html, &c);
	assert_well_formed(page);
	assert_has(page, "<figcaption>Rate by size, Mpps; 1 queue: medians");
	assert_has(page, "<figcaption>L1 rate by size, Mbit/s; 1 queue: medians");
	/* Three of the curves, four of each size. */
	assert_int_equal(count(page, "<svg"), 3 + 3 * 4);
	free(page);
	comparison_free(&c);
}

static void names_are_no_markup(void **state)
{
	static const char name[] = "<script>alert(\"1\")</script> & 'x' `id` $(id)";
	struct comparison c;
	char *page;

	(void)state;
	fixture_comparison(&c);
	free(c.cell[0].leg);
	c.cell[0].leg = owned(name);
	free(c.cell[3].leg);
	c.cell[3].leg = owned("'.system('touch x').'");
	free(c.interface);
	c.interface = owned("</title><b>");
	free(c.cell[4].output);
	c.cell[4].output = owned("</pre><script>\n\033[31m");
	page = written(html, &c);
	assert_well_formed(page);
	assert_alone(page);
	assert_has(page, "&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt; &amp; "
			 "&#39;x&#39; `id` $(id)");
	assert_has(page, "&lt;/pre&gt;&lt;script&gt;\n?[31m");
	assert_has(page, "<title>dxmit compare: &lt;/title&gt;&lt;b&gt;</title>");
	assert_int_not_equal(access("x", F_OK), 0);
	free(page);
	comparison_free(&c);
}

/* What the page is with that in the place of gnuplot; free() it. */
static char *page_with(const char *program)
{
	struct comparison c;
	char *page;

	use_program(program);
	fixture_comparison(&c);
	page = written(html, &c);
	comparison_free(&c);
	assert_well_formed(page);
	assert_int_equal(count(page, "<svg"), 0);
	assert_has(page, "<td class=\"number\">1.002M</td>");
	return page;
}

static void a_page_without_gnuplot(void **state)
{
	char *page;

	(void)state;
	page = page_with(NULL);
	assert_int_equal(count(page, "there is no gnuplot(1) here"), 1);
	free(page);
}

static void a_page_with_a_gnuplot_that_fails(void **state)
{
	static const char *const program[] = {
		"exit 1",        "echo '<svg></svg>'; exit 3",
		"echo rubbish",  "exec <&-; echo '<svg>'",
		"kill -SEGV $$",
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(program) / sizeof(program[0]); i++) {
		char *page = page_with(program[i]);

		assert_int_equal(count(page, "gnuplot(1) failed"), 1);
		free(page);
	}
}

static void assert_no_child(void)
{
	assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
	assert_int_equal(errno, ECHILD);
}

static void a_gnuplot_that_hangs_is_ended(void **state)
{
	/* Deaf, silent with its output closed, and endless. */
	static const char *const program[] = {
		"while :; do read x || :; done",
		"exec >&-; while :; do read x || :; done",
		"while :; do echo x; done",
	};
	size_t length = 4 << 20, i; /* more than a pipe takes */
	char *script = calloc(1, length), *svg;

	(void)state;
	assert_non_null(script);
	memset(script, '#', length);
	for (i = 0; i < sizeof(program) / sizeof(program[0]); i++) {
		int err;

		use_program(program[i]);
		err = gnuplot_draw(script, length, clock_ns() + 300000000u, &svg);
		/* The endless one may reach the limit of a picture first. */
		assert_true(err == -ETIMEDOUT || (i == 2 && err == -EFBIG));
		assert_null(svg);
		assert_no_child();
	}
	free(script);
}

static void only_tags_of_a_picture_are_changed(void **state)
{
	static const char svg[] =
		"<?xml version=\"1.0\"?>\n<svg>\n<title>t</title><g id=\"a\" "
		"stroke='black'><use xlink:href='#b'/><text> id='a' \"black\" > "
		"'black'</text></g>\n</svg>\nrest";
	char *text = NULL;
	size_t length;
	FILE *out = open_memstream(&text, &length);

	(void)state;
	assert_non_null(out);
	gnuplot_put_svg(svg, "p-", out);
	assert_int_equal(fclose(out), 0);
	assert_string_equal(text, "<svg>\n<g id=\"p-a\" stroke='currentColor'><use "
				  "xlink:href='#p-b'/><text> id='a' \"black\" > "
				  "'black'</text></g>\n</svg>");
	free(text);
}

static void quoted_texts_stay_texts(void **state)
{
	char *text = NULL;
	size_t length;
	FILE *out = open_memstream(&text, &length);

	(void)state;
	assert_non_null(out);
	gnuplot_put_text(out, "a'b\\", 22);
	gnuplot_put_text(out, "漢字漢字", 5);
	gnuplot_put_text(out, "a\n!id\r\\\n", 22);
	assert_int_equal(fclose(out), 0);
	assert_string_equal(text, "'a''b\\''漢字…''a !id?\\ '");
	free(text);
}

/* A document may come from anybody. */
static void names_are_no_commands(void **state)
{
	struct comparison c;
	char *page;
	int ran;

	(void)state;
	need_gnuplot();
	fixture_comparison(&c);
	free(c.cell[0].leg);
	c.cell[0].leg = owned("x\n!touch ran\n#");
	page = written(html, &c);
	ran = unlink("ran") == 0;
	assert_false(ran);
	assert_int_equal(count(page, "Plots are missing"), 0);
	assert_int_equal(count(page, "<svg"), 4);
	free(page);
	comparison_free(&c);
}

static void two_runs_are_a_page(void **state)
{
	struct comparison a, b;
	struct comparison_run run[] = { { "<old>", &a }, { "new", &b } };
	char *page = NULL;
	size_t length;
	FILE *out = open_memstream(&page, &length);

	(void)state;
	assert_non_null(out);
	fixture_comparison(&a);
	fixture_comparison(&b);
	free(b.kernel);
	b.kernel = owned("7.0");
	assert_int_equal(comparison_runs_html(run, 2, out), 0);
	assert_int_equal(fclose(out), 0);
	assert_well_formed(page);
	assert_alone(page);
	assert_has(page, "<h2>new against &lt;old&gt;</h2>");
	assert_has(page, "<dt>kernel</dt><dd>7.0 (was 6.12.1-test)</dd>");
	free(page);
	comparison_free(&a);
	comparison_free(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(the_page_has_tables_and_plots, use_usual_path),
		cmocka_unit_test_setup(sweeps_have_curves, use_usual_path),
		cmocka_unit_test_setup(names_are_no_markup, use_usual_path),
		cmocka_unit_test_teardown(a_page_without_gnuplot, use_usual_path),
		cmocka_unit_test_teardown(a_page_with_a_gnuplot_that_fails,
					  use_usual_path),
		cmocka_unit_test_teardown(a_gnuplot_that_hangs_is_ended, use_usual_path),
		cmocka_unit_test(only_tags_of_a_picture_are_changed),
		cmocka_unit_test(quoted_texts_stay_texts),
		cmocka_unit_test(names_are_no_commands),
		cmocka_unit_test_setup(two_runs_are_a_page, use_usual_path),
	};

	signal(SIGPIPE, SIG_IGN); /* as main.c does */
	return cmocka_run_group_tests(tests, set_up, tear_down);
}
