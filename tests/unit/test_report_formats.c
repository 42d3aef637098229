/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Guards the machine-readable reports: JSON, CSV and Prometheus are parsed
 * back and compared with the structure they were written from, and a full disk
 * or a closed pipe is an error.
 */
#include "report_fixture.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <regex.h>
#include <signal.h>
#include <unistd.h>

#include "json_parts.h"

static void write_report_json(const struct report *report, FILE *out)
{
	assert_int_equal(report_json(report, out), 0);
}

static void write_plan_json(const struct report *report, FILE *out)
{
	assert_int_equal(plan_json(report, out), 0);
}

static json_t *parsed(void (*print)(const struct report *, FILE *),
		      const struct report *report)
{
	char *text = printed(print, report);
	json_error_t error;
	json_t *json = json_loads(text, JSON_REJECT_DUPLICATES, &error);

	if (!json)
		fail_msg("%s at line %d", error.text, error.line);
	free(text);
	return json;
}

/* The value at "a.b.2.c"; the test fails when it is not there. */
static const json_t *at(const json_t *json, const char *path)
{
	char key[64];

	while (*path) {
		size_t length = strcspn(path, ".");

		assert_true(length < sizeof(key));
		memcpy(key, path, length);
		key[length] = 0;
		json = json_is_array(json) ? json_array_get(json, strtoul(key, NULL, 10))
					   : json_object_get(json, key);
		if (!json)
			fail_msg("no %s", path);
		path += length + (path[length] == '.');
	}
	return json;
}

static json_int_t integer_at(const json_t *json, const char *path)
{
	assert_true(json_is_integer(at(json, path)));
	return json_integer_value(at(json, path));
}

static void assert_real_at(const json_t *json, const char *path, double value)
{
	assert_true(json_is_real(at(json, path)));
	/* 15 digits are written. */
	assert_true(json_real_value(at(json, path)) >= value * (1 - 1e-14));
	assert_true(json_real_value(at(json, path)) <= value * (1 + 1e-14));
}

static const char *text_at(const json_t *json, const char *path)
{
	assert_true(json_is_string(at(json, path)));
	return json_string_value(at(json, path));
}

/* Fields are added, never renamed: these are promised to every reader. */
/* clang-format off */
static const char *const promised[] = {
	"schema", "version", "command", "host.hostname", "host.kernel", "host.machine",
	"host.cpus", "host.dxmit_version", "interface.name", "interface.driver",
	"interface.mtu", "interface.mac", "interface.tx_queues", "interface.rx_queues",
	"interface.node", "interface.zerocopy", "interface.speed_mbps", "config.size",
	"config.batch", "config.ring", "config.frames", "config.frame_size",
	"config.budget", "config.sndbuf", "config.kick", "config.mode", "config.path",
	"config.rate", "config.count", "config.duration", "config.stamp",
	"plan.queues.0.cpu", "plan.queues.0.core", "plan.queues.0.node",
	"plan.queues.0.memory_node", "plan.queues.0.reason", "plan.queues.0.bytes",
	"plan.queues.0.frames", "plan.queues.0.ring", "plan.notes", "plan.bytes",
	"plan.resident_bytes", "queues.0.queue", "queues.0.cpu", "queues.0.cpu_seen",
	"queues.0.node", "queues.0.pages", "queues.0.placement", "queues.0.packets",
	"queues.0.pps", "queues.0.l1_bps", "queues.0.l2_bps", "queues.0.ns_per_packet",
	"queues.0.kicks", "queues.0.packets_per_kick", "queues.0.lost",
	"queues.0.retries", "queues.0.in_flight", "queues.0.invalid",
	"queues.0.cpu_user_seconds", "queues.0.cpu_system_seconds", "queues.0.mode",
	"queues.0.kick", "queues.0.budget", "queues.0.sndbuf", "queues.0.page_size",
	"total.packets", "total.seconds", "total.pps", "total.l1_bps", "total.l2_bps",
	"total.ns_per_packet", "total.cpu_seconds", "total.max_rss_bytes",
	"device.tx_packets", "device.tx_dropped", "far_end.packets", "ledger.queued",
	"ledger.sent", "ledger.dropped", "ledger.invalid", "ledger.in_flight",
	"ledger.foreign", "ledger.skipped", "ledger.unexplained", "ledger.settled",
	"ledger.closed", "ledger.witness", "bounds.0.name", "bounds.0.evidence",
	"bounds.0.remedy", "interrupted", "exit_code", "config.path_asked",
	"queues.0.path", "queues.0.path_reason", "queues.0.path_lost",
	"queues.0.direct_batch", "queues.0.direct", "config.rate_asked",
	"total.asked_pps", "total.asked_packets", "total.given_up", "total.gaps",
	"queues.0.given_up", "queues.0.gaps", "queues.0.bytes", "total.bytes",
	"config.frame_shortest", "streams",
};
/* clang-format on */

static void json_has_every_promised_field(void **state)
{
	struct fixture f;
	json_t *json;
	size_t i;

	(void)state;
	fixture_init(&f);
	json = parsed(write_report_json, &f.report);
	for (i = 0; i < sizeof(promised) / sizeof(promised[0]); i++)
		assert_non_null(at(json, promised[i]));
	assert_int_equal(json_array_size(at(json, "queues")), FIXTURE_QUEUES);
	assert_int_equal(json_array_size(at(json, "plan.queues")), FIXTURE_QUEUES);
	json_decref(json);
}

static void json_tells_the_pace(void **state)
{
	struct fixture f;
	json_t *json;

	(void)state;
	fixture_init(&f);
	json = parsed(write_report_json, &f.report);
	assert_true(json_is_null(at(json, "total.asked_pps")));
	assert_true(json_is_null(at(json, "total.asked_packets")));
	assert_true(json_is_null(at(json, "total.gaps")));
	json_decref(json);
	fixture_rate(&f, 7000000000);
	f.config.duration_ns = 500000000; /* of a run of 1 s */
	f.queue[1].given_up = 12;
	f.queue[1].gaps.count = 3;
	f.report.gaps.count = 6998;
	f.report.gaps.near = 0.5;
	f.report.gaps.gap.p999_ns = 9;
	f.report.gaps.error.p99_ns = 7;
	json = parsed(write_report_json, &f.report);
	assert_real_at(json, "total.asked_pps", 7000);
	assert_real_at(json, "config.rate", 7000);
	assert_string_equal(text_at(json, "config.rate_asked"), "7.000 kpps");
	assert_int_equal(integer_at(json, "total.asked_packets"), 3500);
	assert_int_equal(integer_at(json, "total.given_up"), 12);
	assert_int_equal(integer_at(json, "queues.1.given_up"), 12);
	assert_true(json_is_null(at(json, "queues.0.gaps")));
	assert_int_equal(integer_at(json, "queues.1.gaps.count"), 3);
	assert_int_equal(integer_at(json, "total.gaps.near_ns"), 20000);
	assert_real_at(json, "total.gaps.near_share", 0.5);
	assert_int_equal(integer_at(json, "total.gaps.p999_ns"), 9);
	assert_int_equal(integer_at(json, "total.gaps.off_asked.p99_ns"), 7);
	json_decref(json);
	f.config.count_given = true;
	f.config.count = 3499;
	json = parsed(write_report_json, &f.report);
	assert_int_equal(integer_at(json, "total.asked_packets"), 3499);
	json_decref(json);
}

static void json_tells_the_path_and_why(void **state)
{
	struct fixture f;
	json_t *json;

	(void)state;
	fixture_init(&f);
	f.config.direct = DXMIT_DIRECT_AUTO;
	f.queue[0].info.path = DXMIT_PATH_DIRECT;
	f.queue[0].info.direct_batch = 16;
	f.queue[0].direct_valid = true;
	f.queue[0].direct.shadow_mismatches = 12;
	f.queue[1].info.direct_errno = EPROTO;
	json = parsed(write_report_json, &f.report);
	assert_string_equal(text_at(json, "config.path_asked"), "auto");
	assert_string_equal(text_at(json, "config.path"), "direct");
	assert_string_equal(text_at(json, "queues.0.path"), "direct");
	assert_true(json_is_null(at(json, "queues.0.path_reason")));
	assert_int_equal(integer_at(json, "queues.0.direct_batch"), 16);
	assert_int_equal(integer_at(json, "queues.0.direct.shadow_mismatches"), 12);
	assert_string_equal(text_at(json, "queues.1.path"), "kernel");
	assert_non_null(strstr(text_at(json, "queues.1.path_reason"), "another socket"));
	assert_true(json_is_true(at(json, "queues.1.path_lost")));
	assert_true(json_is_null(at(json, "queues.1.direct_batch")));
	assert_true(json_is_null(at(json, "queues.1.direct")));
	json_decref(json);
}

static void json_gives_every_value_back(void **state)
{
	const uint64_t big = (1ull << 53) + 1; /* no double holds it */
	struct fixture f;
	json_t *json;

	(void)state;
	fixture_init(&f);
	f.report.total.packets = f.queue[1].run.packets = big;
	f.report.ledger.unexplained = -(int64_t)big;
	f.report.device_before.tx_packets = 100;
	f.report.device_after.tx_packets = 100 + big;
	f.report.device_before.rx_packets = 5; /* the driver was reset */
	json = parsed(write_report_json, &f.report);
	assert_string_equal(text_at(json, "schema"), "dxmit-report");
	assert_int_equal(integer_at(json, "version"), 1);
	assert_string_equal(text_at(json, "command"), "tx");
	assert_true(integer_at(json, "total.packets") == (json_int_t)big);
	assert_true(integer_at(json, "queues.1.packets") == (json_int_t)big);
	assert_true(integer_at(json, "ledger.unexplained") == -(json_int_t)big);
	assert_true(integer_at(json, "device.tx_packets") == (json_int_t)big);
	assert_int_equal(integer_at(json, "device.rx_packets"), -5);
	assert_real_at(json, "queues.0.pps", 14880952);
	assert_real_at(json, "queues.0.l1_bps", 14880952.0 * 84 * 8);
	assert_real_at(json, "queues.0.l2_bps", 14880952.0 * 64 * 8);
	assert_real_at(json, "queues.0.ns_per_packet", 1e9 / 14880952);
	assert_real_at(json, "queues.0.cpu_system_seconds", 0.75);
	assert_real_at(json, "total.cpu_seconds", 2);
	assert_int_equal(integer_at(json, "config.budget"), 32);
	assert_string_equal(text_at(json, "config.kick"), "poll");
	assert_string_equal(text_at(json, "queues.1.placement"), "yes, node 1");
	assert_true(json_is_null(at(json, "config.rate")));
	assert_true(json_is_null(at(json, "config.count")));
	assert_true(json_is_true(at(json, "ledger.closed")));
	json_decref(json);
}

static void json_of_an_empty_run_is_valid(void **state)
{
	struct fixture f;
	json_t *json;
	uint32_t i;

	(void)state;
	fixture_init(&f);
	memset(&f.report.total, 0, sizeof(f.report.total));
	for (i = 0; i < FIXTURE_QUEUES; i++) {
		memset(&f.queue[i], 0, sizeof(f.queue[i]));
		f.queue[i].plan = &f.planned[i];
		f.queue[i].cpu_seen = -1;
	}
	f.report.ledger.witness = NULL;
	f.report.device_valid = false;
	f.report.asked_micro_pps = UINT64_MAX;
	f.report.max_rss_bytes = UINT64_MAX;
	strcpy(f.nic.name, "n\xff\"\\\n"); /* not UTF-8, and worth escaping */
	json = parsed(write_report_json, &f.report);
	assert_real_at(json, "total.pps", 0);
	assert_real_at(json, "total.ns_per_packet", 0);
	assert_string_equal(text_at(json, "interface.name"), "n?\"\\\n");
	assert_true(json_is_null(at(json, "device")));
	assert_true(json_is_null(at(json, "ledger.witness")));
	assert_true(json_is_null(at(json, "queues.0.cpu_seen")));
	assert_true(integer_at(json, "total.max_rss_bytes") == INT64_MAX);
	json_decref(json);
}

static void numbers_json_has_no_word_for(void **state)
{
	struct json_maker maker = json_make_object();

	(void)state;
	json_set_real(&maker, "nan", NAN);
	json_set_real(&maker, "infinite", INFINITY);
	json_set_limit(&maker, "unlimited", 0);
	json_set_known(&maker, "unknown", -1);
	assert_int_equal(maker.failed, 0);
	assert_real_at(maker.json, "nan", 0);
	assert_real_at(maker.json, "infinite", 0);
	assert_true(json_is_null(at(maker.json, "unlimited")));
	assert_true(json_is_null(at(maker.json, "unknown")));
	json_decref(maker.json);

	/* A value that could not be made must not leave a document with a hole. */
	maker = json_make_object();
	json_set_part(&maker, "part", (struct json_maker){ NULL, 1 });
	assert_int_equal(json_write(maker, stderr), -ENOMEM);
}

static void plan_json_is_the_plan_alone(void **state)
{
	struct fixture f;
	json_t *json;

	(void)state;
	fixture_init(&f);
	f.report.command = "plan";
	f.report.queue = NULL;
	f.plan.fewer_cpus_than_queues = 1;
	json = parsed(write_plan_json, &f.report);
	assert_string_equal(text_at(json, "command"), "plan");
	assert_int_equal(integer_at(json, "plan.queues.1.cpu"), 3);
	assert_int_equal(integer_at(json, "plan.queues.1.memory_node"), 1);
	assert_int_equal(integer_at(json, "plan.resident_bytes"), 8519680);
	assert_non_null(strstr(text_at(json, "plan.notes.0"), "fewer CPUs"));
	assert_int_equal(integer_at(json, "config.ring"), 2048);
	assert_true(json_is_null(at(json, "config.budget"))); /* not known yet */
	assert_int_equal(integer_at(json, "interface.irqs.0.cpu"), 6);
	assert_null(json_object_get(json, "ledger"));
	json_decref(json);
}

static void json_write_errors_are_returned(void **state)
{
	struct fixture f;
	FILE *full = fopen("/dev/full", "w");
	int ends[2];
	FILE *pipe_end;

	(void)state;
	fixture_init(&f);
	assert_non_null(full);
	assert_int_equal(report_json(&f.report, full), -ENOSPC);
	assert_int_equal(plan_json(&f.report, full), -ENOSPC);
	fclose(full);

	signal(SIGPIPE, SIG_IGN);
	assert_int_equal(pipe(ends), 0);
	close(ends[0]);
	pipe_end = fdopen(ends[1], "w");
	assert_non_null(pipe_end);
	assert_int_equal(report_json(&f.report, pipe_end), -EPIPE);
	fclose(pipe_end);
}

static void write_csv(const struct report *report, FILE *out)
{
	report_csv_header(out);
	report_csv_interval(report, out);
}

static void csv_is_read_back(void **state)
{
	static const char *const names[] = {
		"time_unix_ns", "interval", "queue",     "cpu",   "packets",
		"pps",          "l1_bps",   "l2_bps",    "kicks", "packets_per_kick",
		"lost",         "retries",  "in_flight",
	};
	/* Of queue 1, in the order of the names. */
	static const char *const values[] = {
		"1700000000500000000",
		"4",
		"1",
		"3",
		"1000",
		"2000.000",
		"1344000.000",
		"1024000.000",
		"100",
		"10.000",
		"3",
		"2",
		"7",
	};
	struct fixture f;
	char *text, *head, *row, *end, *next;
	size_t i;

	(void)state;
	fixture_init(&f);
	f.report.interval_index = 4;
	f.report.total.ns = 500000000;
	text = printed(write_csv, &f.report);
	head = text;
	row = strstr(head, "\r\n") + 2; /* queue 0 */
	row = strstr(row, "\r\n") + 2;  /* queue 1 */
	end = strstr(row, "\r\n");
	assert_non_null(end);
	assert_string_equal(end, "\r\n"); /* and nothing after it */
	*strstr(head, "\r\n") = 0;
	*end = 0;
	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		next = strsep(&head, ",");
		assert_non_null(next);
		assert_string_equal(next, names[i]);
		next = strsep(&row, ",");
		assert_non_null(next);
		assert_string_equal(next, values[i]);
	}
	assert_null(head);
	assert_null(row);
	free(text);
}

/* The grammar of the exposition format, stricter than a scraper needs. */
#define METRIC "[a-z][a-z0-9_]*"
#define LABEL "[a-z]+=\"([^\"\\\\\n]|\\\\[\\\\\"n])*\""
#define NUMBER "-?[0-9]+(\\.[0-9]+)?(e[+-][0-9]+)?"
static const char prometheus_line[] =
	"^(# HELP " METRIC " .+|# TYPE " METRIC " (counter|gauge)|" METRIC "\\{" LABEL
	"(," LABEL ")*\\} " NUMBER ")$";

static void prometheus_is_well_formed(void **state)
{
	struct fixture f;
	char *text, *rest, *line, type[64] = "", kind[16] = "", name[64];
	regex_t grammar;

	(void)state;
	fixture_init(&f);
	strcpy(f.nic.name, "n\"\\\n0");
	assert_int_equal(regcomp(&grammar, prometheus_line, REG_EXTENDED), 0);
	text = printed(report_prometheus, &f.report);
	assert_true(text[strlen(text) - 1] == '\n');
	text[strlen(text) - 1] = 0;
	for (rest = text; (line = strsep(&rest, "\n")) != NULL;) {
		if (regexec(&grammar, line, 0, NULL, 0) != 0)
			fail_msg("not exposition format: %s", line);
		if (sscanf(line, "# TYPE %63s %15s", type, kind) == 2) {
			const char *tail = strrchr(type, '_');

			/* Counters, and only they, are called …_total. */
			assert_int_equal(strcmp(kind, "counter") == 0,
					 tail && strcmp(tail, "_total") == 0);
		} else if (line[0] != '#') {
			/* A sample follows the TYPE line of its own metric. */
			assert_int_equal(sscanf(line, "%63[^{]", name), 1);
			assert_string_equal(name, type);
			assert_non_null(strstr(line, "{interface=\"n\\\"\\\\\\n0\""));
		}
	}
	regfree(&grammar);
	free(text);
}

static void prometheus_gives_values_back(void **state)
{
	struct fixture f;
	char *text;

	(void)state;
	fixture_init(&f);
	f.queue[1].run.packets = UINT64_MAX;
	text = printed(report_prometheus, &f.report);
	assert_non_null(strstr(text,
			       "\ndxmit_packets_total{interface=\"nic0\",queue=\"1\"} "
			       "18446744073709551615\n"));
	assert_non_null(
		strstr(text, "\ndxmit_lost_total{interface=\"nic0\",queue=\"0\"} 5\n"));
	assert_non_null(
		strstr(text, "\ndxmit_in_flight{interface=\"nic0\",queue=\"0\"} 7\n"));
	assert_non_null(strstr(text, "\ndxmit_ledger_sent_total{interface=\"nic0\"} "
				     "29761880\n"));
	assert_non_null(strstr(text, "\ndxmit_ledger_closed{interface=\"nic0\"} 1\n"));
	assert_non_null(strstr(text, "\ndxmit_l1_bps{interface=\"nic0\"} 19999999488\n"));
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(json_has_every_promised_field),
		cmocka_unit_test(json_tells_the_pace),
		cmocka_unit_test(json_tells_the_path_and_why),
		cmocka_unit_test(json_gives_every_value_back),
		cmocka_unit_test(json_of_an_empty_run_is_valid),
		cmocka_unit_test(numbers_json_has_no_word_for),
		cmocka_unit_test(plan_json_is_the_plan_alone),
		cmocka_unit_test(json_write_errors_are_returned),
		cmocka_unit_test(csv_is_read_back),
		cmocka_unit_test(prometheus_is_well_formed),
		cmocka_unit_test(prometheus_gives_values_back),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
