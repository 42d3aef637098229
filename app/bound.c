/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The checks of bound.h, one function a limit. The thresholds are shares of
 * the run: below them a limit was touched now and then, which costs little.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

#include "bound.h"
#include "ledger.h"

#define SHARE_RETRIES 0.10 /* of the kicks */
#define SHARE_STARVED 0.10 /* starved turns against kicks */
#define SHARE_LOST 0.001   /* of the packets */
#define SHARE_PAUSED 0.01  /* of the time */
#define SHARE_CPU 0.90     /* CPU time of a thread against wall time */
#define SHARE_RATE 0.99    /* reached of asked */
#define SHARE_KERNEL 0.50  /* kernel time of the CPU time */

static struct bound *add(struct report *report, const char *name)
{
	/* One a check, and there are no more checks than places. */
	struct bound *bound = &report->bound[report->bounds++];

	memset(bound, 0, sizeof(*bound));
	bound->name = name;
	return bound;
}

static void say(char buf[160], const char *format, ...)
	__attribute__((format(printf, 2, 3)));

static void say(char buf[160], const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(buf, 160, format, args);
	va_end(args);
}

static double share(uint64_t part, uint64_t whole)
{
	return whole ? (double)part / (double)whole : 0;
}

static void check_carrier(struct report *report)
{
	const struct span *total = &report->total;
	struct bound *bound;

	if (total->down == 0 && share(total->lost, total->packets) < SHARE_LOST &&
	    share(total->paused_ns, total->ns) < SHARE_PAUSED)
		return;
	bound = add(report, "carrier");
	say(bound->evidence,
	    "%" PRIu64 " frames lost, %" PRIu64 " kicks found the interface "
	    "down, %.3f s waited for the link",
	    total->lost, total->down, (double)total->paused_ns / 1e9);
	say(bound->remedy, "see `ip -s link show %s`", report->nic->name);
}

/* One kick may move fewer frames than wait in the ring. */
static void check_budget(struct report *report, const struct report_queue *queue)
{
	struct bound *bound;

	if (queue->info.mode != DXMIT_MODE_COPY ||
	    queue->info.kick != DXMIT_KICK_SENDTO ||
	    queue->info.budget >= report->total.packets ||
	    span_packets_per_kick(&report->total) < 0.9 * queue->info.budget ||
	    share(report->total.retries, report->total.kicks) < SHARE_RETRIES)
		return;
	bound = add(report, "budget");
	say(bound->evidence, "%.1f packets per kick with a budget of %" PRIu32,
	    span_packets_per_kick(&report->total), queue->info.budget);
	say(bound->remedy,
	    queue->info.budget_settable ? "leave out --budget, or raise it to %" PRIu32
					: "use --kick poll; the ring holds %" PRIu32,
	    queue->info.ring_size);
}

static void check_sndbuf(struct report *report, const struct report_queue *queue)
{
	/* The ring holds as many of the longest. */
	uint32_t frames =
		queue->info.ring_size / (queue->info.segments ? queue->info.segments : 1);
	struct bound *bound;

	/* Frames on the direct path are not charged to the socket. */
	if (queue->info.mode != DXMIT_MODE_COPY ||
	    queue->info.path == DXMIT_PATH_DIRECT ||
	    queue->info.sndbuf_frames >= frames ||
	    share(report->total.retries, report->total.kicks) < SHARE_RETRIES)
		return;
	bound = add(report, "send buffer");
	say(bound->evidence,
	    "%" PRIu64 " KiB hold about %" PRIu32 " of %" PRIu32 " frames; %" PRIu64
	    " of %" PRIu64 " kicks were sent back",
	    queue->info.sndbuf / 1024, queue->info.sndbuf_frames, frames,
	    report->total.retries, report->total.kicks);
	say(bound->remedy,
	    "run with CAP_NET_ADMIN, or `sysctl net.core.wmem_max=%" PRIu64 "`",
	    queue->info.sndbuf_wanted);
}

static void check_driver(struct report *report, const struct report_queue *queue)
{
	struct bound *bound;

	if (report->bounds ||
	    share(report->total.retries, report->total.kicks) < SHARE_RETRIES)
		return;
	bound = add(report, "driver busy");
	say(bound->evidence,
	    "%" PRIu64 " of %" PRIu64 " kicks were sent back with %.1f "
	    "packets per kick, below the budget of %" PRIu32,
	    report->total.retries, report->total.kicks,
	    span_packets_per_kick(&report->total), queue->info.budget);
	say(bound->remedy, "a longer device ring: `ethtool -G %s tx N`",
	    report->nic->name);
}

static void check_completions(struct report *report, const struct report_queue *queue)
{
	struct bound *bound;

	if (report->total.starved <= SHARE_STARVED * (double)report->total.kicks)
		return;
	bound = add(report, "completions");
	say(bound->evidence,
	    "all %" PRIu32 " frames were in flight in %" PRIu64 " turns of "
	    "the loop, for %" PRIu64 " kicks: the device is the limit",
	    queue->info.frames, report->total.starved, report->total.kicks);
	say(bound->remedy, "more frames (--ring, --frames) only if the device is bursty");
}

static void check_node(struct report *report)
{
	uint32_t remote = 0;
	struct bound *bound;
	size_t i;

	for (i = 0; i < report->plan->queues; i++) {
		const struct report_queue *queue = &report->queue[i];

		if (queue->plan->remote ||
		    (report->plan->nic_node >= 0 && queue->residence.verified &&
		     queue->residence.node != report->plan->nic_node))
			remote++;
	}
	if (!remote)
		return;
	bound = add(report, "remote node");
	say(bound->evidence,
	    "%" PRIu32 " of %zu queues ran or had memory off node %" PRId32, remote,
	    report->plan->queues, report->plan->nic_node);
	say(bound->remedy, "`dxmit plan -i %s` shows why; --numa nic, or fewer queues",
	    report->nic->name);
}

static void check_rate(struct report *report)
{
	double asked = (double)report->asked_micro_pps / 1e6;
	double reached = span_pps(&report->total);
	struct bound *bound;

	if (asked == 0 || reached < SHARE_RATE * asked)
		return;
	bound = add(report, "rate asked");
	say(bound->evidence, "asked %.6g pps, reached %.6g", asked, reached);
}

/* Where the kernel takes most of a CPU: a path that does less, if there is one. */
static const char *lighter_path(const struct report *report, double in_kernel)
{
	const struct dxmit_queue_info *info = &report->queue[0].info;

	if (in_kernel < SHARE_KERNEL || info->mode != DXMIT_MODE_COPY ||
	    info->path == DXMIT_PATH_DIRECT)
		return "";
	if (info->direct_errno == ENOENT)
		return ", or the module's direct path (`modprobe dxmit`)";
	return report->config->direct == DXMIT_DIRECT_OFF
		       ? ", or --path auto with the module dxmit"
		       : "";
}

static void check_cpu(struct report *report)
{
	uint64_t cpu_ns = report->total.cpu_user_ns + report->total.cpu_system_ns;
	double busy = report->plan->queues ? share(cpu_ns, report->total.ns) /
						     (double)report->plan->queues
					   : 0;
	struct bound *bound;
	double in_kernel;

	if (report->bounds)
		return;
	in_kernel = share(report->total.cpu_system_ns, cpu_ns);
	bound = add(report, "cpu");
	say(bound->evidence,
	    "each sending thread had its CPU for %.0f %% of the time, "
	    "%.0f %% of that in the kernel",
	    100 * busy, 100 * in_kernel);
	if (busy < SHARE_CPU)
		say(bound->remedy, "other work shares these CPUs: --cpus, or stop it");
	else
		say(bound->remedy, "more queues (-q)%s", lighter_path(report, in_kernel));
}

void bound_fill(struct report *report)
{
	report->bounds = 0;
	if (!report->plan->queues || !report->total.packets)
		return;
	check_carrier(report);
	check_rate(report);
	check_budget(report, &report->queue[0]);
	check_sndbuf(report, &report->queue[0]);
	check_completions(report, &report->queue[0]);
	check_driver(report, &report->queue[0]);
	check_node(report);
	check_cpu(report);
}

bool bound_worth_telling(const struct report *report)
{
	uint32_t i;

	for (i = 0; i < report->bounds; i++)
		if (strcmp(report->bound[i].name, "cpu") != 0 &&
		    strcmp(report->bound[i].name, "rate asked") != 0)
			return true;
	return false;
}
