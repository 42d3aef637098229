/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Guards the JSON document of a comparison: what is written is read again to the last
 * packet, what is derived in it is not believed, and damage of any kind is refused
 * with a line that names the place.
 */
#include "message.h" /* before cmocka.h, which has a macro fail() */

#include "comparison_fixture.h"

#include <inttypes.h>
#include <jansson.h>
#include <sys/wait.h>
#include <unistd.h>

static char *json_of(const struct comparison *c)
{
	char *text = NULL;
	size_t length;
	FILE *out = open_memstream(&text, &length);

	assert_non_null(out);
	assert_int_equal(comparison_write_json(c, out), 0);
	assert_int_equal(fclose(out), 0);
	return text;
}

static void parse(const char *text, struct comparison *c)
{
	assert_int_equal(comparison_parse("test", text, strlen(text), c), EXIT_DONE);
}

/* ---- round trip ---- */

static void assert_same_text(const char *a, const char *b)
{
	if (a && b)
		assert_string_equal(a, b);
	else
		assert_true(a == b);
}

static void assert_same_cell(const struct comparison_cell *a,
			     const struct comparison_cell *b)
{
	size_t i;

	assert_string_equal(a->leg, b->leg);
	assert_int_equal(a->wire_size, b->wire_size);
	assert_int_equal(a->queues, b->queues);
	assert_int_equal(a->batch, b->batch);
	assert_int_equal(a->ring, b->ring);
	assert_int_equal(a->repeated, b->repeated);
	assert_same_text(a->unavailable, b->unavailable);
	assert_same_text(a->failure, b->failure);
	assert_same_text(a->mode, b->mode);
	assert_same_text(a->path, b->path);
	assert_same_text(a->witness, b->witness);
	assert_same_text(a->output, b->output);
	assert_int_equal(a->samples, b->samples);
	for (i = 0; i < a->samples; i++)
		/* There are no holes before the last member. */
		assert_memory_equal(&a->sample[i], &b->sample[i],
				    offsetof(struct comparison_sample, note) +
					    sizeof(a->sample[i].note));
	assert_int_equal(a->functions, b->functions);
	assert_int_equal(a->profile_hits, b->profile_hits);
	for (i = 0; i < a->functions; i++) {
		assert_string_equal(a->function[i].name, b->function[i].name);
		assert_int_equal(a->function[i].kernel, b->function[i].kernel);
		assert_int_equal(a->function[i].hits, b->function[i].hits);
	}
}

static void assert_same(const struct comparison *a, const struct comparison *b)
{
	size_t i;

	assert_same_text(a->kernel, b->kernel);
	assert_same_text(a->machine, b->machine);
	assert_same_text(a->hostname, b->hostname);
	assert_same_text(a->version, b->version);
	assert_same_text(a->interface, b->interface);
	assert_same_text(a->driver, b->driver);
	assert_same_text(a->placement, b->placement);
	assert_same_text(a->profile_how, b->profile_how);
	assert_same_text(a->command_line, b->command_line);
	assert_int_equal(a->cpus, b->cpus);
	assert_int_equal(a->start_unix_ns, b->start_unix_ns);
	assert_true(a->window_seconds == b->window_seconds);
	assert_true(a->warm_up_seconds == b->warm_up_seconds);
	assert_true(a->cool_down_seconds == b->cool_down_seconds);
	assert_true(a->until == b->until);
	assert_int_equal(a->seed, b->seed);
	assert_int_equal(a->rounds, b->rounds);
	assert_int_equal(a->interrupted, b->interrupted);
	assert_int_equal(a->out_of_time, b->out_of_time);
	assert_int_equal(a->exit_code, b->exit_code);
	assert_int_equal(a->cells, b->cells);
	for (i = 0; i < a->cells; i++)
		assert_same_cell(&a->cell[i], &b->cell[i]);
}

static void what_is_written_is_read_again(void **state)
{
	struct comparison c, again;
	struct comparison_sample *sample;
	char *text;

	(void)state;
	fixture_comparison(&c);
	c.interrupted = true;
	c.exit_code = 3;
	c.until = 0.015;
	sample = &c.cell[0].sample[2];
	memset(sample, 0, sizeof(*sample));
	sample->round = 3;
	sample->ns = 999999937;
	sample->packets = 9007199254740993; /* no double */
	sample->bytes = INT64_MAX;
	sample->kicks = COMPARISON_UNKNOWN;
	sample->life_own = UINT64_MAX - 1; /* no integer of jansson */
	sample->disturbed = true;
	strcpy(sample->note, "governor \"powersave\", µ");
	c.cell[1].repeated = 4;
	text = json_of(&c);
	parse(text, &again);
	assert_same(&c, &again);
	comparison_free(&again);
	comparison_free(&c);
	free(text);
}

/* Members are added, never renamed: these are promised to every reader. */
/* clang-format off */
static const char *const promised[] = {
	"schema", "version", "command", "command_line", "start_unix_ns", "host",
	"hostname", "kernel", "cpu_model", "dxmit_version", "cpus", "interface", "name",
	"driver", "method", "placement", "profile_how", "rounds_for_1_percent", "window_seconds", "warm_up_seconds",
	"cool_down_seconds", "seed", "until", "rounds", "interrupted", "out_of_time",
	"exit_code", "cells", "leg", "size", "queues", "batch", "ring", "unavailable",
	"failure", "mode", "path", "witness", "output", "repeated", "summary", "pps",
	"l1_bps", "l2_bps", "ns_per_packet", "cpu_us_per_packet",
	"cpu_user_us_per_packet", "cpu_system_us_per_packet",
	"cpu_softirq_us_per_packet", "kicks_per_second", "packets_per_kick", "lost",
	"median", "low", "high", "spread", "samples", "round", "place", "window_ns",
	"packets", "bytes", "kicks", "cpu_user_ns", "cpu_system_ns", "ksoftirqd_ns",
	"softirq_ns", "life_packets", "life_own", "disturbed", "note", "profile", "hits",
	"functions", "pairs", "a", "b", "leg_a", "leg_b", "ratio", "ratio_low",
	"ratio_high", "difference", "difference_low", "difference_high",
	"smallest_effect", "verdict", "curves",
};
/* clang-format on */

static void every_promised_member_is_there(void **state)
{
	struct comparison c;
	char *text, member[64];
	size_t i;

	(void)state;
	fixture_comparison(&c);
	text = json_of(&c);
	for (i = 0; i < sizeof(promised) / sizeof(promised[0]); i++) {
		snprintf(member, sizeof(member), "\"%s\":", promised[i]);
		if (!strstr(text, member))
			fail_msg("no %s", member);
	}
	comparison_free(&c);
	free(text);
}

static void missing_members_are_unknown(void **state)
{
	static const char text[] =
		"{\"schema\":\"dxmit-comparison\",\"version\":1,\"cells\":[{\"leg\":"
		"\"a\",\"samples\":[{\"round\":1,\"window_ns\":5,\"packets\":2,"
		"\"bytes\":120,\"from_the_future\":[{}]}]}],\"other\":null}";
	struct comparison c;

	(void)state;
	parse(text, &c);
	assert_null(c.kernel);
	assert_null(c.cell[0].mode);
	assert_int_equal(c.cell[0].sample[0].packets, 2);
	assert_int_equal(c.cell[0].sample[0].kicks, COMPARISON_UNKNOWN);
	assert_int_equal(c.cell[0].sample[0].cpu_user_ns, COMPARISON_UNKNOWN);
	assert_false(c.cell[0].sample[0].disturbed);
	comparison_free(&c);
}

/* Other programs read the derived part; dxmit judges by the samples. */
static void what_is_derived_is_written_and_not_believed(void **state)
{
	struct comparison c, again;
	json_t *json, *pair, *cells;
	char *text, *changed, *anew;

	(void)state;
	fixture_comparison(&c);
	text = json_of(&c);
	json = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
	assert_non_null(json);
	pair = json_array_get(json_object_get(json, "pairs"), 0);
	assert_string_equal(json_string_value(json_object_get(pair, "leg_b")), "direct");
	pair = json_object_get(pair, "pps");
	assert_string_equal(json_string_value(json_object_get(pair, "verdict")),
			    "faster");
	assert_true(json_real_value(json_object_get(pair, "ratio")) > 1.24);
	assert_true(json_real_value(json_object_get(pair, "ratio")) < 1.26);
	json_object_set_new(pair, "verdict", json_string("slower"));
	json_object_set_new(pair, "ratio", json_integer(7));
	cells = json_object_get(json, "cells");
	json_object_set_new(json_array_get(cells, 1), "summary", json_integer(3));
	changed = json_dumps(json, 0);
	parse(changed, &again);
	anew = json_of(&again);
	assert_string_equal(anew, text);
	comparison_free(&again);
	comparison_free(&c);
	json_decref(json);
	free(text);
	free(changed);
	free(anew);
}

static void figures_nobody_knows_are_null(void **state)
{
	struct comparison c;
	char *text;
	json_t *json, *cell, *sample;

	(void)state;
	fixture_comparison(&c);
	c.cell[0].sample[0].kicks = COMPARISON_UNKNOWN;
	c.window_seconds = 0.0 / 0.0;
	text = json_of(&c);
	assert_null(strstr(text, "nan"));
	json = json_loads(text, 0, NULL);
	cell = json_array_get(json_object_get(json, "cells"), 2);
	assert_true(
		json_is_null(json_object_get(json_object_get(cell, "summary"), "pps")));
	cell = json_array_get(json_object_get(json, "cells"), 0);
	sample = json_array_get(json_object_get(cell, "samples"), 0);
	assert_true(json_is_null(json_object_get(sample, "kicks")));
	json_decref(json);
	comparison_free(&c);
	free(text);
}

/* ---- damage ---- */

/* The line on stderr and the exit code, in a child: a process prints one line. */
static int parse_in_child(const char *text, size_t length, char *line, size_t room)
{
	int ends[2], status;
	ssize_t n;
	pid_t child;

	assert_int_equal(pipe(ends), 0);
	child = fork();
	assert_true(child >= 0);
	if (child == 0) {
		struct comparison c;
		int code;

		dup2(ends[1], STDERR_FILENO);
		code = comparison_parse("F", text, length, &c);
		comparison_free(&c);
		_exit(code);
	}
	close(ends[1]);
	n = read(ends[0], line, room - 1);
	line[n > 0 ? n : 0] = '\0';
	close(ends[0]);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status));
	return WEXITSTATUS(status);
}

#define REMEDY "; give a file that 'dxmit compare --json' wrote\n"
#define HEAD "\"schema\":\"dxmit-comparison\",\"version\":1"
#define CELLS(cells) "{" HEAD ",\"cells\":" cells "}"
#define SAMPLES(samples) CELLS("[{\"leg\":\"a\",\"samples\":" samples "}]")
#define SAMPLE(members) \
	SAMPLES("[{\"round\":1,\"window_ns\":1,\"packets\":1,\"bytes\":1" members "}]")

static const struct {
	const char *text, *line; /* after "dxmit: F: " */
} wrong[] = {
	{ "", "line 1: is no JSON: '[' or '{' expected near end of file" REMEDY },
	{ "{", "line 1: is no JSON: string or '}' expected near end of file" REMEDY },
	{ "[]", "schema is missing: this is no comparison" REMEDY },
	{ "{}", "schema is missing: this is no comparison" REMEDY },
	{ "{\"schema\":1}", "schema is missing: this is no comparison" REMEDY },
	{ "{\"schema\":\"dxmit-report\"}",
	  "schema is \"dxmit-report\" and not \"dxmit-comparison\"" REMEDY },
	{ "{\"schema\":\"\\u001b[31m\"}",
	  "schema is \"?[31m\" and not \"dxmit-comparison\"" REMEDY },
	{ "{\"schema\":\"dxmit-comparison\"}", "version is no number from 1 up" REMEDY },
	{ "{\"schema\":\"dxmit-comparison\",\"version\":2}",
	  "version is 2, and this dxmit knows those up to 1; use the dxmit that wrote "
	  "it, or a newer one\n" },
	{ "{" HEAD "}", "cells is missing" REMEDY },
	{ CELLS("{}"), "cells is no array" REMEDY },
	{ CELLS("[]"), "cells is empty" REMEDY },
	{ CELLS("[7]"), "cells[0] is no object" REMEDY },
	{ CELLS("[{}]"), "cells[0].leg is missing" REMEDY },
	{ CELLS("[{\"leg\":\"a\"},{\"leg\":[]}]"), "cells[1].leg is no text" REMEDY },
	{ CELLS("[{\"leg\":\"a\",\"size\":-1}]"),
	  "cells[0].size is no whole number from 0 up" REMEDY },
	{ CELLS("[{\"leg\":\"a\",\"queues\":4294967296}]"),
	  "cells[0].queues is 4294967296, more than 4294967295" REMEDY },
	{ SAMPLES("3"), "cells[0].samples is no array" REMEDY },
	{ SAMPLES("[null]"), "cells[0].samples[0] is no object" REMEDY },
	{ SAMPLES("[{}]"), "cells[0].samples[0].window_ns is missing" REMEDY },
	{ SAMPLES("[{\"round\":1,\"window_ns\":0,\"packets\":1,\"bytes\":1}]"),
	  "cells[0].samples[0].window_ns is 0" REMEDY },
	{ SAMPLE(",\"kicks\":1.5"),
	  "cells[0].samples[0].kicks is no whole number from 0 up" REMEDY },
	{ SAMPLE(",\"kicks\":\"18446744073709551616\""),
	  "cells[0].samples[0].kicks is no whole number from 0 up" REMEDY },
	{ SAMPLE(",\"kicks\":\"+1\""),
	  "cells[0].samples[0].kicks is no whole number from 0 up" REMEDY },
	{ SAMPLE(",\"lost\":9999999999999999999"),
	  "line 1: is no JSON: too big integer near '9999999999999999999'" REMEDY },
	{ SAMPLE(",\"disturbed\":1"),
	  "cells[0].samples[0].disturbed is neither true nor false" REMEDY },
	{ SAMPLE(",\"note\":1"), "cells[0].samples[0].note is no text" REMEDY },
	{ CELLS("[{\"leg\":\"a\",\"profile\":{}}]"),
	  "cells[0].profile.hits is missing" REMEDY },
	{ CELLS("[{\"leg\":\"a\",\"profile\":{\"hits\":1,\"functions\":[{}]}}]"),
	  "cells[0].profile.functions[0].name is missing" REMEDY },
	{ "{" HEAD ",\"host\":3,\"cells\":[{\"leg\":\"a\"}]}",
	  "host is no object" REMEDY },
	{ "{" HEAD ",\"host\":{\"kernel\":3},\"cells\":[{\"leg\":\"a\"}]}",
	  "host.kernel is no text" REMEDY },
	{ "{" HEAD ",\"method\":{\"until\":-0.5},\"cells\":[{\"leg\":\"a\"}]}",
	  "method.until is no number from 0 up" REMEDY },
	{ "{" HEAD ",\"method\":{\"until\":1e999},\"cells\":[{\"leg\":\"a\"}]}",
	  "line 1: is no JSON: real number overflow near '1e999'" REMEDY },
	{ "{" HEAD ",\"method\":{\"until\":NaN},\"cells\":[{\"leg\":\"a\"}]}",
	  "line 1: is no JSON: invalid token near 'NaN'" REMEDY },
	{ "{" HEAD "," HEAD "}",
	  "line 1: is no JSON: duplicate object key near '\"schema\"'" REMEDY },
};

static void damage_is_refused_with_its_place(void **state)
{
	char line[512], expected[512];
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		int code = parse_in_child(wrong[i].text, strlen(wrong[i].text), line,
					  sizeof(line));

		snprintf(expected, sizeof(expected), "dxmit: F: %s", wrong[i].line);
		assert_string_equal(line, expected);
		assert_int_equal(code, EXIT_USAGE);
	}
}

static void a_file_cut_anywhere_is_refused(void **state)
{
	struct comparison c, cut;
	char *text, *copy;
	size_t length, i;

	(void)state;
	fixture_comparison(&c);
	c.cells = 2;
	c.cell[0].samples = c.cell[1].samples = 1;
	text = json_of(&c);
	c.cells = FIXTURE_LEGS;
	comparison_free(&c);
	length = strlen(text) - 2; /* without "}\n" */
	for (i = 0; i <= length; i++) {
		/* Of that size, so that reads past its end are seen. */
		copy = malloc(i + 1);
		assert_non_null(copy);
		memcpy(copy, text, i);
		assert_int_equal(comparison_parse("cut", copy, i, &cut), EXIT_USAGE);
		assert_null(cut.cell);
		free(copy);
	}
	free(text);
}

static void assert_refused(const char *reason, const char *begin, const char *part,
			   size_t times, const char *end)
{
	size_t length = strlen(begin) + times * strlen(part) + strlen(end), i;
	char *text = malloc(length + 1), *at = text, line[512];

	assert_non_null(text);
	at = stpcpy(at, begin);
	for (i = 0; i < times; i++)
		at = stpcpy(at, part);
	stpcpy(at, end);
	assert_int_equal(parse_in_child(text, length, line, sizeof(line)), EXIT_USAGE);
	if (!strstr(line, reason))
		fail_msg("no '%s' in '%s'", reason, line);
	free(text);
}

/* Before anything is allocated for them, or judged. */
static void too_much_is_refused(void **state)
{
	static const char large[] = "is larger than such a document may be";

	(void)state;
	assert_refused(large, "[", "{},", 600000, "{}]");
	assert_refused(large, "[", "1,", 4000000, "1]");
	assert_refused(large, "\"", "aaaaaaaaaaaaaaaa", 5 << 20, "\"");
	assert_refused("maximum parsing depth", "", "[", 100000, "");
	assert_refused("cells has 65 legs of one setting, more than 64",
		       "{" HEAD ",\"cells\":[", "{\"leg\":\"a\",\"size\":64},", 64,
		       "{\"leg\":\"b\",\"size\":64}]}");
	assert_refused("cells has 5001 parts, more than 2048", "{" HEAD ",\"cells\":[",
		       "{\"leg\":\"a\"},", 5000, "{\"leg\":\"a\"}]}");
}

static void files_that_cannot_be_read(void **state)
{
	struct comparison c;

	(void)state;
	assert_int_equal(comparison_read_json("/nonexistent/x", &c), EXIT_USAGE);
	assert_null(c.cell);
	assert_int_equal(comparison_read_json("/", &c), EXIT_USAGE);
	assert_int_equal(comparison_read_json("/dev/zero", &c), EXIT_USAGE);
	assert_int_equal(comparison_read_json("/dev/null", &c), EXIT_USAGE);
}

static void a_full_disk_is_an_error(void **state)
{
	struct comparison c;
	FILE *full = fopen("/dev/full", "w");

	(void)state;
	if (!full)
		skip();
	fixture_comparison(&c);
	assert_true(comparison_write_json(&c, full) < 0);
	comparison_free(&c);
	fclose(full);
}

static void freeing_is_idempotent(void **state)
{
	struct comparison c;

	(void)state;
	fixture_comparison(&c);
	comparison_free(&c);
	assert_int_equal(c.cells, 0);
	comparison_free(&c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_written_is_read_again),
		cmocka_unit_test(every_promised_member_is_there),
		cmocka_unit_test(missing_members_are_unknown),
		cmocka_unit_test(what_is_derived_is_written_and_not_believed),
		cmocka_unit_test(figures_nobody_knows_are_null),
		cmocka_unit_test(damage_is_refused_with_its_place),
		cmocka_unit_test(too_much_is_refused),
		/* From here on errors are silent: a process prints the first one. */
		cmocka_unit_test(a_file_cut_anywhere_is_refused),
		cmocka_unit_test(files_that_cannot_be_read),
		cmocka_unit_test(a_full_disk_is_an_error),
		cmocka_unit_test(freeing_is_idempotent),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
