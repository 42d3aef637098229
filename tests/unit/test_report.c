/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Guards the figures of a report and its text: rates at the extremes, 80
 * columns, the words of ledger and placement, a terminal or none.
 */
#include "report_fixture.h"

#include <math.h>
#include <pty.h>
#include <regex.h>
#include <unistd.h>

#include "text.h"

static void figures_of_nothing_are_zero(void **state)
{
	const struct span empty = { 0 };
	const struct span no_time = { .packets = UINT64_MAX, .kicks = UINT64_MAX };
	const struct span no_packets = { .ns = UINT64_MAX };

	(void)state;
	assert_true(span_pps(&empty) == 0);
	assert_true(span_l1_bps(&empty) == 0);
	assert_true(span_l2_bps(&empty) == 0);
	assert_true(span_ns_per_packet(&empty) == 0);
	assert_true(span_packets_per_kick(&empty) == 0);
	assert_true(span_kicks_per_second(&empty) == 0);
	assert_true(span_pps(&no_time) == 0);
	assert_true(span_kicks_per_second(&no_time) == 0);
	assert_true(span_ns_per_packet(&no_packets) == 0);
}

/* 10 Gbit/s of 64-byte frames is 14,880,952 frames/s (RFC 2544 practice). */
static void figures_of_line_rate(void **state)
{
	const struct span second = { .ns = 1000000000,
				     .packets = 14880952,
				     .bytes = 14880952ull * 60,
				     .kicks = 232514 };
	const uint64_t big = (1ull << 53) + 2;
	const struct span century = { .ns = big, .packets = big, .kicks = big / 2 };

	(void)state;
	assert_true(span_pps(&second) == 14880952);
	assert_true(span_l1_bps(&second) == 14880952.0 * 84 * 8);
	assert_true(span_l2_bps(&second) == 14880952.0 * 64 * 8);
	assert_true(fabs(span_ns_per_packet(&second) - 67.2) < 0.001);
	assert_true(fabs(span_packets_per_kick(&second) - 64) < 0.001);
	assert_true(span_pps(&century) == 1e9);
	assert_true(span_ns_per_packet(&century) == 1);
	assert_true(span_packets_per_kick(&century) == 2);
}

static void spans_add_up(void **state)
{
	struct span a = { 5, 1, 2, 3, 4, 5, 6, 7, 3, 9, 10, 11 };
	const struct span b = { 9, 1ull << 53, 20, 30, 40, 50, 60, 70, 8, 90, 100, 110 };

	(void)state;
	span_add(&a, &b);
	assert_int_equal(a.ns, 9);
	assert_true(a.packets == (1ull << 53) + 1);
	assert_int_equal(a.completed, 22);
	assert_int_equal(a.lost, 33);
	assert_int_equal(a.kicks, 44);
	assert_int_equal(a.retries, 55);
	assert_int_equal(a.down, 66);
	assert_int_equal(a.starved, 77);
	assert_int_equal(a.paused_ns, 8); /* the longer: side by side */
	assert_int_equal(a.cpu_user_ns, 99);
	assert_int_equal(a.cpu_system_ns, 110);
	assert_int_equal(a.bytes, 121);
}

static void numbers_are_scaled(void **state)
{
	static const struct {
		double value;
		const char *unit, *text;
	} cases[] = {
		{ 0, "", "0" },
		{ 0.25, "", "0.2500" },
		{ 1, "pps", "1 pps" },
		{ 67.2, "", "67.20" },
		{ 999, "", "999" },
		{ 999.94, "", "999.9" },
		{ 999.96, "", "1.000k" },
		{ 1000, "pps", "1.000 kpps" },
		{ 9999.6, "", "10.00k" },
		{ 148809523, "pps", "148.8 Mpps" },
		{ 999999999, "", "1.000G" },
		{ 18446744073709551615.0, "", "18.45E" },
		{ 1e30, "", "1e+30" },
	};
	char buf[TEXT_NUMBER_BYTES];
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_string_equal(text_scaled(cases[i].value, cases[i].unit, buf),
				    cases[i].text);
	assert_string_equal(text_bytes(4 << 20, buf), "4 MiB");
	assert_string_equal(text_bytes(1536, buf), "1.50 KiB");
	assert_string_equal(text_count(99999999, buf), "99999999");
	assert_string_equal(text_count(100000000, buf), "100.0M");
}

static void assert_80_columns(const char *text)
{
	size_t column = 0, lines = 0;

	for (; *text; text++) {
		assert_true((unsigned char)*text >= 0x20 || *text == '\n');
		column = *text == '\n' ? 0 : column + 1;
		lines += *text == '\n';
		if (column > TEXT_COLUMNS)
			fail_msg("wider than 80: …%.60s", text - 60);
	}
	assert_true(lines > 0);
	assert_int_equal(column, 0);
}

/* The largest figures a run can have, and the longest names. */
static void make_extreme(struct fixture *f)
{
	struct span fast = { .ns = 10000000000ull,
			     .packets = 1488000000,
			     .bytes = 1488000000ull * 60,
			     .kicks = 1488000000,
			     .lost = UINT64_MAX,
			     .down = UINT64_MAX,
			     .paused_ns = 10000000000ull,
			     .cpu_user_ns = 10000000000ull };
	uint32_t i;

	fixture_init(f);
	f->planned[1].queue = 1023;
	f->planned[1].cpu = 255;
	f->planned[1].core = 127;
	f->planned[1].resident_bytes = f->planned[1].umem_bytes = 16ull << 30;
	f->planned[1].remote = f->planned[1].serves_irq = 1;
	f->plan.nic_node_unknown = f->plan.fewer_cpus_than_queues = 1;
	f->queue[1].cpu_seen = 255;
	f->queue[1].run = f->queue[1].interval = fast;
	f->report.total = fast;
	f->report.interval_index = 999999;
	fixture_rate(f, RATE_MAX_MICRO_PPS);
	f->config.rate.unit = RATE_PERCENT;
	f->queue[0].given_up = UINT64_MAX;
	f->report.gaps.count = UINT64_MAX;
	f->report.gaps.near = 1;
	f->report.gaps.gap = f->report.gaps.error =
		(struct gaps_percentiles){ UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX,
					   UINT64_MAX, UINT64_MAX, 1e19 };
	f->report.ledger =
		(struct ledger){ UINT64_MAX, UINT64_MAX, UINT64_MAX,         UINT64_MAX,
				 UINT64_MAX, UINT64_MAX, UINT64_MAX,         INT64_MIN,
				 false,      false,      "device tx_packets" };
	memset(f->nic.name, 'n', sizeof(f->nic.name) - 1);
	memset(f->nic.driver, 'd', sizeof(f->nic.driver) - 1);
	memset(f->nic.bus, 'b', sizeof(f->nic.bus) - 1);
	f->nic.name[3] = '\033';
	f->nic.irqs = DXMIT_MAX_IRQS;
	for (i = 0; i < DXMIT_MAX_IRQS; i++)
		f->nic.irq[i] = (struct dxmit_irq){ 1000 + i, 255, 256 };
	f->report.bounds = REPORT_MAX_BOUNDS;
	for (i = 0; i < REPORT_MAX_BOUNDS; i++) {
		f->report.bound[i].name = "send buffer";
		memset(f->report.bound[i].evidence, 'e', 159);
		memset(f->report.bound[i].remedy, 'r', 159);
	}
}

static void no_line_is_wider_than_80(void **state)
{
	static void (*const writers[])(const struct report *, FILE *) = {
		report_text_header,
		report_text_interval,
		report_text_final,
		plan_text,
	};
	struct fixture f;
	size_t i;
	int reason;

	(void)state;
	for (reason = 0; reason <= DXMIT_REASON_SHARED; reason++) {
		char *text;

		make_extreme(&f);
		f.planned[1].reason = (enum dxmit_reason)reason;
		text = printed(plan_text, &f.report);
		assert_80_columns(text);
		free(text);
	}
	for (i = 0; i < sizeof(writers) / sizeof(writers[0]); i++) {
		char *text;

		make_extreme(&f);
		text = printed(writers[i], &f.report);
		assert_80_columns(text);
		free(text);
		fixture_init(&f);
		text = printed(writers[i], &f.report);
		assert_80_columns(text);
		free(text);
	}
}

static bool matches(const char *text, const char *pattern)
{
	char *copy, *rest, *line;
	regex_t regex;
	int found;

	assert_int_equal(regcomp(&regex, pattern, REG_EXTENDED | REG_NEWLINE), 0);
	found = regexec(&regex, text, 0, NULL, 0) == 0;
	regfree(&regex);
	if (found)
		return true;
	print_message("# no \"%s\" in:\n", pattern);
	rest = copy = strdup(text);
	while ((line = strsep(&rest, "\n")) != NULL)
		print_message("# %s\n", line);
	free(copy);
	return false;
}

static void final_report_says_everything(void **state)
{
	struct fixture f;
	char *text;

	(void)state;
	fixture_init(&f);
	fixture_rate(&f, 30000000000000ull);
	text = printed(report_text_final, &f.report);
	assert_true(matches(text, "^L2 rates count 64 bytes a frame \\(with FCS\\), "
				  "L1 rates 84 "));
	assert_true(matches(text, "^ +1 +3 +1 +14\\.88M +10\\.00G +7\\.619G +67\\.20 +"
				  "232\\.5k +64\\.00 +5$"));
	assert_true(matches(text, "^total +29\\.76M +20\\.00G +15\\.24G .* 10$"));
	assert_true(matches(text, "^  queued +29761904$"));
	assert_true(matches(text, "^  sent +29761880 \\(witness: far end\\)$"));
	assert_true(matches(text, "^  dropped +10$"));
	assert_true(matches(text, "^  in flight +14$"));
	assert_true(matches(text, "^ledger closed$"));
	assert_true(matches(text, "^  rate +asked 30\\.00 Mpps, reached 29\\.76 Mpps$"));
	assert_true(matches(text, "^  cost +2\\.000 CPU seconds \\(0\\.500 user, 1\\.500 "
				  "system\\), 67\\.2 ns a "
				  "packet;$"));
	assert_true(matches(text, "^ +12 MiB resident$"));
	free(text);
}

/* A share of the link, with hold-ups and gaps. */
static void pace_is_told(void **state)
{
	struct fixture f;
	char *text;

	(void)state;
	fixture_init(&f);
	fixture_rate(&f, 7000000000);
	f.config.rate = (struct rate){ RATE_PERCENT, 12500000 };
	f.queue[0].given_up = 30;
	f.queue[1].given_up = 12;
	f.report.gaps = (struct gaps_summary){
		.count = 6998,
		.near = 0.99125,
		.gap = { 1, 142857, 142990, 150000, 1500000, 2000000001, 142900 },
		.error = { 0, 999, 1000, 19500, 1357143, 1999857144, 120 },
	};
	text = printed(report_text_final, &f.report);
	assert_true(matches(text, "^  rate +asked 12\\.5 % of the link \\(L1\\), 7\\.000 "
				  "kpps, reached 29\\.76 Mpps$"));
	assert_true(matches(text, "^  given up +42 packets of the schedule"));
	assert_true(matches(text, "^  gaps +p50 142\\.9 us, p90 143 us, p99 150 us, "
				  "p99\\.9 1\\.5 ms, max 2 s$"));
	assert_true(matches(text, "^  gap error +p50 999 ns, p90 1 us, p99 19\\.5 us, "));
	assert_true(matches(text, "^ +99\\.12 % of 6998 gaps within 20 us of what was "
				  "asked$"));
	free(text);
}

static void bounds_are_told_when_they_matter(void **state)
{
	struct fixture f;
	char *text;

	(void)state;
	fixture_init(&f);
	strcpy(f.report.bound[0].remedy, "--budget 2048");
	text = printed(report_text_final, &f.report);
	assert_true(matches(text, "^  bound by +budget: every kick moved 32 frames; "
				  "--budget 2048$"));
	free(text);
	f.report.tell_bounds = false;
	text = printed(report_text_final, &f.report);
	assert_null(strstr(text, "bound by"));
	free(text);
}

static void open_ledger_is_told(void **state)
{
	struct fixture f;
	char *text;

	(void)state;
	fixture_init(&f);
	f.report.ledger.closed = f.report.ledger.settled = false;
	f.report.ledger.unexplained = 179;
	f.report.ledger.witness = "none";
	text = printed(report_text_final, &f.report);
	assert_true(matches(text, "^ledger NOT closed: 179 frames unexplained$"));
	assert_true(matches(text, "^  settled +no"));
	assert_true(matches(text, "^  sent +[0-9]+ \\(no witness"));
	assert_null(strstr(text, "ledger closed"));
	free(text);
}

static void placement_is_told_per_node(void **state)
{
	struct fixture f;
	char *text;

	(void)state;
	fixture_init(&f);
	text = printed(report_text_final, &f.report);
	assert_true(matches(text, "^  placement +verified: 2 queues on the planned CPUs, "
				  "all 2048 pages on node 1$"));
	/* One line is enough when all is well. */
	assert_null(strstr(strstr(text, "  placement") + 1, "  placement"));
	free(text);

	f.planned[1].memory_node = f.planned[1].cpu_node = 0;
	text = printed(report_text_final, &f.report);
	assert_true(matches(text, "all 1024 pages on node 1$"));
	assert_true(matches(text, "all 1024 pages on node 0$"));
	free(text);

	f.queue[0].residence.pages_on_node = 1012;
	f.queue[1].residence.verified = 0;
	f.queue[1].residence.reason = ENOSYS;
	text = printed(report_text_final, &f.report);
	assert_true(matches(text, "queue 0: no: 12 of 1024 pages are off node 1$"));
	assert_true(matches(text, "queue 1: unverified: .* no NUMA support$"));
	free(text);

	fixture_init(&f);
	f.queue[0].cpu_seen = 5;
	f.queue[1].cpu_seen = -1;
	text = printed(report_text_final, &f.report);
	assert_true(matches(text, "queue 0: no: ran on CPU 5, planned CPU 2$"));
	assert_true(matches(text, "queue 1: unverified: "));
	free(text);
}

static void plan_text_shows_settings_and_memory(void **state)
{
	struct fixture f;
	char *text;

	(void)state;
	fixture_init(&f);
	f.planned[1].serves_irq = 1;
	text = printed(plan_text, &f.report);
	assert_true(matches(text, "^  interface +nic0, driver ixgbe$"));
	assert_true(matches(text, "^  link .* 10\\.00 Gbit/s, MTU 1500$"));
	assert_true(matches(text, "ring 2048, .* 2048 frames of$"));
	assert_true(matches(text, "^ +1 +3 +2 +1 +1 +4\\.00  free core on the NIC"));
	assert_true(matches(text, "^  memory +UMEM 8 MiB \\(8\\.12 MiB resident"));
	assert_true(matches(text, "^  interrupts +\\(number>CPU\\) 24>6$"));
	assert_true(matches(text, "^  note +1 queue is on a CPU that also serves"));
	free(text);
}

static void interval_is_one_line_without_a_terminal(void **state)
{
	struct fixture f;
	char *text;

	(void)state;
	fixture_init(&f);
	f.report.interval_index = 3;
	text = printed(report_text_interval, &f.report);
	assert_string_equal(text, "interval=3 s=0.500 pps=4.000k L1=2.688M "
				  "pkt/kick=10 lost=6\n");
	free(text);
}

/* What one interval draws on a terminal of `rows` lines. */
static void draw(const struct report *report, unsigned short rows, char *buf, size_t len)
{
	struct winsize size = { .ws_row = rows, .ws_col = TEXT_COLUMNS };
	int master, slave;
	size_t used = 0;
	ssize_t got;
	FILE *out;

	assert_int_equal(openpty(&master, &slave, NULL, NULL, &size), 0);
	out = fdopen(slave, "w");
	assert_non_null(out);
	report_text_interval(report, out);
	fclose(out);
	/* What was written comes first, then EIO: the other end is closed. */
	while ((got = read(master, buf + used, len - 1 - used)) > 0)
		used += (size_t)got;
	assert_true(used > 0);
	buf[used] = 0;
	close(master);
}

static void interval_redraws_on_a_terminal(void **state)
{
	struct fixture f;
	char text[2048];

	(void)state;
	fixture_init(&f);
	setenv("TERM", "xterm", 1);
	draw(&f.report, 24, text, sizeof(text));
	assert_null(strstr(text, "\033[3A")); /* nothing to draw over yet */
	assert_true(matches(text, "^ +0 +2 +1 +2\\.000k"));
	assert_non_null(strstr(text, "total"));

	f.report.interval_index = 1;
	draw(&f.report, 24, text, sizeof(text));
	assert_int_equal(strncmp(text, "\033[3A", 4), 0);

	draw(&f.report, 5, text, sizeof(text)); /* no room for the queues */
	assert_int_equal(strncmp(text, "\033[1A", 4), 0);
	assert_false(strchr(text, '\n') != strrchr(text, '\n'));

	setenv("TERM", "dumb", 1);
	draw(&f.report, 24, text, sizeof(text));
	assert_int_equal(strncmp(text, "interval=1 ", 11), 0);
	assert_null(strchr(text, '\033'));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(figures_of_nothing_are_zero),
		cmocka_unit_test(figures_of_line_rate),
		cmocka_unit_test(pace_is_told),
		cmocka_unit_test(spans_add_up),
		cmocka_unit_test(numbers_are_scaled),
		cmocka_unit_test(no_line_is_wider_than_80),
		cmocka_unit_test(final_report_says_everything),
		cmocka_unit_test(bounds_are_told_when_they_matter),
		cmocka_unit_test(open_ledger_is_told),
		cmocka_unit_test(placement_is_told_per_node),
		cmocka_unit_test(plan_text_shows_settings_and_memory),
		cmocka_unit_test(interval_is_one_line_without_a_terminal),
		cmocka_unit_test(interval_redraws_on_a_terminal),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
