/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Guards what is said to have bound the rate: each limit appears for its own
 * trace, just past its threshold and not before, with the figures as evidence
 * and the remedy that fits; the CPU only when nothing else does.
 */
#include "report_fixture.h"

#include <errno.h>

#include "bound.h"

/* A run without a trace of any limit: one queue, a second, a million packets
 * in ten thousand kicks by a thread that had its CPU for itself. */
static void quiet(struct fixture *f)
{
	struct report *r = &f->report;

	fixture_init(f);
	f->plan.queues = 1;
	f->queue[0].info.sndbuf_frames = 2048;
	r->total = (struct span){ .ns = 1000000000,
				  .packets = 1000000,
				  .completed = 1000000,
				  .kicks = 10000,
				  .cpu_user_ns = 250000000,
				  .cpu_system_ns = 700000000 };
	r->bounds = 5; /* from before; must not survive */
}

static void assert_only(struct fixture *f, const char *name)
{
	bound_fill(&f->report);
	if (f->report.bounds != 1 || strcmp(f->report.bound[0].name, name) != 0)
		fail_msg("%u bounds, the first is %s, not %s", f->report.bounds,
			 f->report.bound[0].name, name);
}

/* The evidence names the figures; text in `parts` is separated by '|'. */
static void assert_told(const char *text, const char *parts)
{
	char copy[200], *rest = copy, *part;

	snprintf(copy, sizeof(copy), "%s", parts);
	while ((part = strsep(&rest, "|")) != NULL)
		if (!strstr(text, part))
			fail_msg("no \"%s\" in \"%s\"", part, text);
}

static void cpu_when_nothing_else(void **state)
{
	struct fixture f;

	(void)state;
	quiet(&f);
	assert_only(&f, "cpu");
	assert_told(f.report.bound[0].evidence, "95 %|74 % of that in the kernel");
	assert_told(f.report.bound[0].remedy, "-q");
	f.report.total.cpu_system_ns = 600000000;
	assert_only(&f, "cpu");
	assert_told(f.report.bound[0].evidence, "85 %");
	assert_told(f.report.bound[0].remedy, "--cpus");
	assert_false(bound_worth_telling(&f.report));
}

/* The module is named only where it would help. */
static void the_direct_path_is_named_if_it_helps(void **state)
{
	static const struct {
		enum dxmit_direct asked;
		int direct_errno;
		enum dxmit_path path;
		const char *remedy;
	} cases[] = {
		{ DXMIT_DIRECT_AUTO, ENOENT, DXMIT_PATH_KERNEL,
		  "more queues (-q), or the module's direct path (`modprobe dxmit`)" },
		{ DXMIT_DIRECT_AUTO, EOPNOTSUPP, DXMIT_PATH_KERNEL, "more queues (-q)" },
		{ DXMIT_DIRECT_AUTO, 0, DXMIT_PATH_DIRECT, "more queues (-q)" },
		{ DXMIT_DIRECT_OFF, 0, DXMIT_PATH_KERNEL,
		  "more queues (-q), or --path auto with the module dxmit" },
	};
	struct fixture f;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		quiet(&f);
		f.config.direct = cases[i].asked;
		f.queue[0].info.direct_errno = cases[i].direct_errno;
		f.queue[0].info.path = cases[i].path;
		assert_only(&f, "cpu");
		assert_string_equal(f.report.bound[0].remedy, cases[i].remedy);
		/* Most of the time is the sender's own. */
		f.report.total.cpu_user_ns = 600000000;
		f.report.total.cpu_system_ns = 350000000;
		assert_only(&f, "cpu");
		assert_string_equal(f.report.bound[0].remedy, "more queues (-q)");
	}
}

static void nothing_sent_tells_nothing(void **state)
{
	struct fixture f;

	(void)state;
	quiet(&f);
	f.report.total.packets = 0;
	f.report.total.down = 5;
	bound_fill(&f.report);
	assert_int_equal(f.report.bounds, 0);
	quiet(&f);
	f.plan.queues = 0;
	bound_fill(&f.report);
	assert_int_equal(f.report.bounds, 0);
	assert_false(bound_worth_telling(&f.report));
}

static void carrier(void **state)
{
	struct fixture f;

	(void)state;
	quiet(&f);
	f.report.total.lost = 999;
	f.report.total.paused_ns = 9999999;
	assert_only(&f, "cpu");
	quiet(&f);
	f.report.total.lost = 1000;
	assert_only(&f, "carrier");
	assert_told(f.report.bound[0].evidence, "1000 frames lost|0 kicks|0.000 s");
	assert_told(f.report.bound[0].remedy, "ip -s link show nic0");
	assert_true(bound_worth_telling(&f.report));
	quiet(&f);
	f.report.total.paused_ns = 1234000000;
	assert_only(&f, "carrier");
	assert_told(f.report.bound[0].evidence, "0 frames lost|1.234 s");
	quiet(&f);
	f.report.total.down = 1;
	assert_only(&f, "carrier");
	assert_told(f.report.bound[0].evidence, "1 kicks");
}

static void rate(void **state)
{
	struct fixture f;

	(void)state;
	quiet(&f);
	f.report.asked_micro_pps = 1011000000000ull;
	assert_only(&f, "cpu"); /* 98.9 % of it: something else */
	f.report.asked_micro_pps = 1010000000000ull;
	assert_only(&f, "rate asked");
	assert_told(f.report.bound[0].evidence, "asked 1.01e+06 pps|reached 1e+06");
	assert_string_equal(f.report.bound[0].remedy, "");
	assert_false(bound_worth_telling(&f.report));
}

/* Kicks that were sent back with the budget used up. */
static void budget_used_up(struct fixture *f)
{
	quiet(f);
	f->queue[0].info.kick = DXMIT_KICK_SENDTO;
	f->report.total.kicks = 1000000 / 32;
	f->report.total.retries = f->report.total.kicks / 2;
}

static void budget(void **state)
{
	struct fixture f;

	(void)state;
	budget_used_up(&f);
	assert_only(&f, "budget");
	assert_told(f.report.bound[0].evidence, "32.0 packets per kick|budget of 32");
	assert_told(f.report.bound[0].remedy, "--kick poll");
	assert_true(bound_worth_telling(&f.report));
	f.queue[0].info.budget_settable = 1;
	assert_only(&f, "budget");
	assert_told(f.report.bound[0].remedy, "--budget|2048");
	/* Not with poll, not in zero-copy mode, not if few kicks were sent back,
	 * not if they moved much less, and not if it covers the whole run. */
	f.queue[0].info.kick = DXMIT_KICK_POLL;
	assert_only(&f, "driver busy");
	budget_used_up(&f);
	f.queue[0].info.mode = DXMIT_MODE_ZEROCOPY;
	assert_only(&f, "driver busy");
	budget_used_up(&f);
	f.report.total.retries = f.report.total.kicks / 11;
	assert_only(&f, "cpu");
	budget_used_up(&f);
	f.report.total.kicks = f.report.total.retries = 1000000 / 28;
	assert_only(&f, "driver busy");
	budget_used_up(&f);
	f.queue[0].info.budget = 1000000;
	f.report.total.kicks = f.report.total.retries = 1;
	assert_only(&f, "driver busy");
}

static void send_buffer(void **state)
{
	struct fixture f;

	(void)state;
	quiet(&f);
	f.queue[0].info.sndbuf = 212992;
	f.queue[0].info.sndbuf_wanted = 6291456;
	f.queue[0].info.sndbuf_frames = 69;
	f.report.total.retries = 999;
	assert_only(&f, "cpu");
	f.report.total.retries = 1000;
	assert_only(&f, "send buffer");
	assert_told(f.report.bound[0].evidence,
		    "208 KiB|about 69 of 2048 frames|1000 of 10000 kicks");
	assert_told(f.report.bound[0].remedy, "CAP_NET_ADMIN|wmem_max=6291456");
	assert_true(bound_worth_telling(&f.report));
	f.queue[0].info.sndbuf_frames = 2048;
	assert_only(&f, "driver busy");
	f.queue[0].info.sndbuf_frames = 69;
	f.queue[0].info.path = DXMIT_PATH_DIRECT; /* charges it to nobody */
	assert_only(&f, "driver busy");
	f.queue[0].info.path = DXMIT_PATH_KERNEL;
	f.queue[0].info.mode = DXMIT_MODE_ZEROCOPY;
	assert_only(&f, "driver busy");
}

static void driver_busy(void **state)
{
	struct fixture f;

	(void)state;
	quiet(&f);
	f.report.total.retries = 4321;
	assert_only(&f, "driver busy");
	assert_told(f.report.bound[0].evidence,
		    "4321 of 10000 kicks|100.0 packets per kick|budget of 32");
	assert_told(f.report.bound[0].remedy, "ethtool -G nic0");
	assert_true(bound_worth_telling(&f.report));
}

static void completions(void **state)
{
	struct fixture f;

	(void)state;
	quiet(&f);
	f.report.total.starved = 1000;
	assert_only(&f, "cpu");
	f.report.total.starved = 1001;
	assert_only(&f, "completions");
	assert_told(f.report.bound[0].evidence, "all 2048 frames|1001 turns|10000 kicks");
	assert_told(f.report.bound[0].remedy, "--ring, --frames");
	assert_true(bound_worth_telling(&f.report));
}

static void remote_node(void **state)
{
	struct fixture f;

	(void)state;
	quiet(&f);
	f.plan.queues = 2;
	f.report.total.cpu_user_ns *= 2;
	f.planned[1].remote = 1;
	assert_only(&f, "remote node");
	assert_told(f.report.bound[0].evidence, "1 of 2 queues|node 1");
	assert_told(f.report.bound[0].remedy, "dxmit plan -i nic0|--numa nic");
	assert_true(bound_worth_telling(&f.report));
	f.planned[1].remote = 0;
	f.queue[0].residence.node = f.queue[1].residence.node = 0;
	assert_only(&f, "remote node");
	assert_told(f.report.bound[0].evidence, "2 of 2 queues");
	/* What was not verified, or has no node to be off, is not said. */
	f.queue[0].residence.verified = f.queue[1].residence.verified = 0;
	assert_only(&f, "cpu");
	f.queue[0].residence.verified = f.queue[1].residence.verified = 1;
	f.plan.nic_node = -1;
	assert_only(&f, "cpu");
}

/* All at once: they fit, in a fixed order, and the CPU is not among them. */
static void several_at_once(void **state)
{
	static const char *const names[] = {
		"carrier",     "rate asked",  "budget",
		"send buffer", "completions", "remote node"
	};
	struct fixture f;
	uint32_t i;

	(void)state;
	budget_used_up(&f);
	f.report.total.down = 1;
	f.report.asked_micro_pps = 1000000000000ull;
	f.queue[0].info.sndbuf_frames = 1;
	f.report.total.starved = UINT64_MAX / 2;
	f.planned[0].remote = 1;
	bound_fill(&f.report);
	assert_int_equal(f.report.bounds, 6);
	for (i = 0; i < 6; i++) {
		assert_string_equal(f.report.bound[i].name, names[i]);
		assert_true(strlen(f.report.bound[i].evidence) < 159);
	}
	assert_true(f.report.bounds <= REPORT_MAX_BOUNDS);
	assert_true(bound_worth_telling(&f.report));
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(cpu_when_nothing_else),
		cmocka_unit_test(the_direct_path_is_named_if_it_helps),
		cmocka_unit_test(nothing_sent_tells_nothing),
		cmocka_unit_test(carrier),
		cmocka_unit_test(rate),
		cmocka_unit_test(budget),
		cmocka_unit_test(send_buffer),
		cmocka_unit_test(driver_busy),
		cmocka_unit_test(completions),
		cmocka_unit_test(remote_node),
		cmocka_unit_test(several_at_once),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("bound", tests, NULL, NULL);
}
