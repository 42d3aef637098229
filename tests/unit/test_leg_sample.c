/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a leg that ran comes to: its own words read, counters that move too seldom,
 * samples of a window and of a whole life, and what disturbs them.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "leg_check.h"
#include "leg_window.h"

#define MS 1000000ull

/* ---- what it says ---- */

#define TOTAL                                                       \
	"\"total\":{\"packets\":1000,\"seconds\":0.5,\"kicks\":10," \
	"\"lost\":2,\"cpu_user_seconds\":0.1,\"cpu_system_seconds\":0.3}"

static void test_a_document(void **state)
{
	struct leg_answer a;

	(void)state;
	leg_answer_read("{" TOTAL ",\"ledger\":{\"invalid\":0},\"queues\":[{\"mode\":"
			"\"copy\",\"path\":\"kernel\",\"placement\":\"yes, node 1\"}]}",
			&a);
	assert_true(a.valid && !a.fault);
	assert_true(a.packets == 1000 && a.kicks == 10 && a.lost == 2);
	assert_true(a.user_ns == 100 * MS && a.system_ns == 300 * MS);
	assert_string_equal(a.mode, "copy");
	assert_string_equal(a.path, "kernel");
}

static void test_no_document(void **state)
{
	static const char *const texts[] = { "",
					     "{",
					     "[]",
					     "{\"total\":3}",
					     "{\"total\":{\"packets\":-1}}",
					     "{\"queues\":[3,null]}" };
	struct leg_answer a;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		leg_answer_read(texts[i], &a);
		assert_int_equal(a.valid, texts[i][0] == '{' && texts[i][1]);
		assert_true(a.packets == COMPARISON_UNKNOWN);
		assert_true(a.kicks == COMPARISON_UNKNOWN &&
			    a.lost == COMPARISON_UNKNOWN);
		assert_false(a.fault);
	}
}

static void test_what_was_not_asked(void **state)
{
	static const struct {
		const char *queues, *note;
	} cases[] = {
		{ "{\"placement\":\"no: CPU 3 instead of 1\"}",
		  "placement: no: CPU 3 instead of 1" },
		{ "{\"path\":\"direct\",\"path_lost\":true}",
		  "the direct path was lost during the run" },
		{ "{\"path\":\"direct\"},{\"path\":\"kernel\"}",
		  "queues differ in mode or path" },
	};
	struct leg_answer a;
	char text[512];
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		snprintf(text, sizeof(text), "{%s,\"queues\":[%s]}", TOTAL,
			 cases[i].queues);
		leg_answer_read(text, &a);
		assert_true(a.fault);
		assert_string_equal(a.note, cases[i].note);
	}
	leg_answer_read("{" TOTAL ",\"ledger\":{\"invalid\":1}}", &a);
	assert_true(a.fault);
	leg_answer_read("{" TOTAL ",\"queues\":[{\"placement\":\"unverified: x\"}]}", &a);
	assert_false(a.fault);
}

static void check_reason(const char *text, const char *reason)
{
	char copy[256];

	snprintf(copy, sizeof(copy), "%s", text);
	assert_string_equal(leg_answer_reason(copy), reason);
}

static void test_reasons(void **state)
{
	(void)state;
	check_reason("", "");
	check_reason("dxmit: va: is down; x\n", "va: is down; x");
	check_reason("dxmit: a: warning: b\ndxmit: c: d; e\nlater\n", "c: d; e");
	check_reason("first\nlast\n", "last");
	check_reason("dxmit: a: warning: b\n", "a: warning: b");
}

/* ---- samples ---- */

static struct compare_setting setting = { .wire_size = 128, .queues = 1 };
static const struct leg copy = { .kind = LEG_COPY };
static uint32_t cpu;

/* A window of 500 ms in which 1000 kicks moved a million frames. */
static struct leg_run good_run(void)
{
	struct leg_run run = {
		.leg = &copy,
		.setting = &setting,
		.end = LEG_MEASURED,
		.moved = true,
		.link_after = true,
		.looks = 40,
		.started_ns = 10 * MS,
		.asked_ns = 610 * MS,
		.changes = 40,
		.before = { .ns = 0, .packets = 50 },
		.begin = { .ns = 100 * MS, .packets = 200050 },
		.last = { .ns = 600 * MS, .packets = 1200050 },
		.after = { .ns = 700 * MS, .packets = 1300050 },
		.cpu = { .process_ns = 400 * MS,
			 .user_ticks = 10,
			 .system_ticks = 30,
			 .ksoftirqd_ns = 50 * MS,
			 .idle_ns = 20 * MS },
		.answer = { .valid = true,
			    .packets = 1300000,
			    .seconds = 0.65,
			    .kicks = 1300,
			    .lost = 7,
			    .user_ns = 1,
			    .system_ns = 2 },
	};

	setting.cpus = (struct cpu_watch){ .cpu = &cpu, .cpus = 1 };
	return run;
}

static void test_a_window(void **state)
{
	struct compare c = { 0 };
	struct leg_run run = good_run();
	struct comparison_sample s;

	(void)state;
	assert_true(leg_sample(&c, &run, &s));
	assert_true(s.packets == 1000000 && s.ns == 500 * MS);
	assert_true(s.bytes == 124000000);
	assert_true(s.cpu_user_ns == 100 * MS && s.cpu_system_ns == 300 * MS);
	assert_true(s.ksoftirqd_ns == 50 * MS);
	assert_true(s.kicks == 1000); /* their share */
	assert_true(s.lost == 7);     /* all of them */
	assert_true(s.life_packets == 1300000 && s.life_own == 1300000);
}

static void test_a_life(void **state)
{
	struct compare c = { .counters_seldom = true };
	struct leg_run run = good_run();
	struct comparison_sample s;

	(void)state;
	assert_true(leg_sample(&c, &run, &s));
	assert_true(s.packets == 1300000 && s.ns == 650 * MS);
	assert_true(s.cpu_user_ns == 1 && s.cpu_system_ns == 2);
	assert_true(s.kicks == 1300);
	run.answer.valid = false; /* a foreign sender: by the clock outside */
	assert_true(leg_sample(&c, &run, &s));
	assert_true(s.packets == 1300000 && s.ns == 600 * MS);
	assert_true(s.life_own == COMPARISON_UNKNOWN && s.kicks == COMPARISON_UNKNOWN);
}

static void test_nothing_in_the_window(void **state)
{
	struct compare c = { 0 };
	struct leg_run run = good_run();
	struct comparison_sample s;

	(void)state;
	run.last.packets = run.begin.packets;
	assert_false(leg_sample(&c, &run, &s));
	run.last.packets = run.begin.packets - 1; /* set back */
	assert_false(leg_sample(&c, &run, &s));
}

static void test_counters_that_move_seldom(void **state)
{
	struct leg_run run = good_run();

	(void)state;
	assert_false(leg_counters_seldom(&run));
	run.changes = 1; /* a million frames in one step */
	assert_true(leg_counters_seldom(&run));
	run.changes = 0;
	assert_true(leg_counters_seldom(&run));
	run.changes = 1; /* a sender that is slow */
	run.last.packets = run.begin.packets + 512;
	assert_false(leg_counters_seldom(&run));
	run.looks = run.changes = 4; /* a short window */
	run.last.packets = run.begin.packets + 1000000;
	assert_false(leg_counters_seldom(&run));
}

/* ---- disturbances ---- */

static void check(const struct leg_run *run, enum disturbance wanted, const char *note)
{
	uint64_t governors = leg_governors(&setting.cpus);
	struct compare c = { 0 };
	struct comparison_sample s;
	struct leg_check seen;

	leg_sample(&c, run, &s);
	leg_check(&c, run, governors, &s, &seen);
	assert_int_equal(seen.disturbance, wanted);
	assert_string_equal(seen.note, note);
}

static void test_disturbances(void **state)
{
	struct leg_run run = good_run();

	(void)state;
	check(&run, UNDISTURBED, "");
	run.cpu.process_ns = 300 * MS; /* of 500, with 50 and 20 idle: 130 missing */
	check(&run, DISTURBED, "26 % of its CPUs was taken by other processes");
	run.cpu.idle_ns = 150 * MS;
	check(&run, UNDISTURBED, "");
	run.cpu.idle_ns = 50 * MS;
	run.cpu.steal_ns = 100 * MS;
	check(&run, DISTURBED, "20 % of its CPUs was taken by other virtual machines");
	run = good_run();
	run.answer.packets = 1000000; /* 300,000 more were seen */
	check(&run, DISTURBED, "23 % of the frames seen were not its own");
	/* At its end a leg in zero-copy mode resets the device. */
	run = good_run();
	run.link_after = false;
	check(&run, UNDISTURBED, "");
	run = good_run();
	run.answer.fault = true;
	strcpy(run.answer.note, "placement: no");
	run.cpu.process_ns = 100 * MS;
	check(&run, SPOILED, "placement: no");
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_document),
		cmocka_unit_test(test_no_document),
		cmocka_unit_test(test_what_was_not_asked),
		cmocka_unit_test(test_reasons),
		cmocka_unit_test(test_a_window),
		cmocka_unit_test(test_a_life),
		cmocka_unit_test(test_nothing_in_the_window),
		cmocka_unit_test(test_counters_that_move_seldom),
		cmocka_unit_test(test_disturbances),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
