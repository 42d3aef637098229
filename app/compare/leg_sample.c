/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * From a measured leg to a sample of the comparison: what was sent in which time,
 * what it cost, and whether anything was in the way.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cpu.h"
#include "leg_window.h"

/* A counter that is refreshed moves in steps of many frames, a slow sender in small
 * ones. 20 values put the edges of a window within 5 %. */
#define SELDOM_CHANGES 20
#define SELDOM_STEP 8192 /* frames; more than any kick moves */

/* Frames from one reading to a later one: none, if the counters were set back, as
 * drivers may do that begin anew with a program. */
static uint64_t moved(const struct witness_count *from, const struct witness_count *to)
{
	return to->packets > from->packets ? to->packets - from->packets : 0;
}

bool leg_counters_seldom(const struct leg_run *run)
{
	uint64_t frames = moved(&run->begin, &run->last);
	uint32_t enough =
		run->looks / 2 < SELDOM_CHANGES ? run->looks / 2 : SELDOM_CHANGES;

	if (run->end != LEG_MEASURED || run->leg->kind == LEG_PKTGEN_RX ||
	    run->changes >= enough)
		return false;
	/* None at all in a window, but some before: such a counter, too. */
	return run->changes == 0 ? run->moved : frames / run->changes > SELDOM_STEP;
}

const char *leg_witness(const struct compare *c, const struct leg *leg)
{
	static const char *const seldom[] = {
		"device rx_packets, refreshed seldom: over the leg's whole life",
		"device tx_packets, refreshed seldom: over the leg's whole life",
	};

	if (leg->kind == LEG_PKTGEN_RX)
		return "the sender itself: no counter of the device moves";
	if (c->witness.command.text)
		return c->witness.command.text;
	if (!c->counters_seldom)
		return c->witness.text;
	return seldom[!c->witness.received];
}

/* Bytes of a frame in the counters, or 0 if lengths differ. */
static uint64_t frame_bytes(const struct leg_run *run)
{
	return run->setting->wire_size ? run->setting->wire_size - DXMIT_FCS_BYTES : 0;
}

/* Of frames of one length they are known; counters of some devices leave the
 * Ethernet header out. */
static void set_bytes(const struct leg_run *run, const struct witness_count *from,
		      const struct witness_count *to, struct comparison_sample *out)
{
	uint64_t each = frame_bytes(run);

	out->bytes = each ? out->packets * each : to->bytes - from->bytes;
}

static void from_window(const struct leg_run *run, struct comparison_sample *out)
{
	out->ns = run->last.ns - run->begin.ns;
	/* The command read at the end ran in place of the leg, within the window. */
	if (out->ns > run->last.cost_ns)
		out->ns -= run->last.cost_ns;
	out->packets = moved(&run->begin, &run->last);
	set_bytes(run, &run->begin, &run->last, out);
	cpu_split(run->cpu.process_ns, run->cpu.user_ticks, run->cpu.system_ticks,
		  &out->cpu_user_ns, &out->cpu_system_ns);
	out->cpu_system_ns += leg_is_pktgen(run->leg->kind) ? run->cpu.kpktgend_ns : 0;
	out->ksoftirqd_ns = run->cpu.ksoftirqd_ns;
	out->softirq_ns = run->cpu.softirq_ns;
}

/* The leg's whole life, in its own seconds. A foreign sender tells none: then with
 * its start, and until it was asked to end. */
static void from_life(const struct leg_run *run, struct comparison_sample *out)
{
	const struct leg_answer *a = &run->answer;

	out->ns = a->valid && a->seconds > 0 ? (uint64_t)(a->seconds * 1e9)
					     : run->asked_ns - run->started_ns;
	out->packets = moved(&run->before, &run->after);
	if (run->leg->kind == LEG_PKTGEN_RX)
		out->packets = a->packets == COMPARISON_UNKNOWN ? 0 : a->packets;
	set_bytes(run, &run->before, &run->after, out);
	out->cpu_user_ns = a->user_ns != COMPARISON_UNKNOWN && a->valid
				   ? a->user_ns
				   : cpu_timeval_ns(&run->child.usage.ru_utime);
	out->cpu_system_ns = a->system_ns != COMPARISON_UNKNOWN && a->valid
				     ? a->system_ns
				     : cpu_timeval_ns(&run->child.usage.ru_stime);
	out->ksoftirqd_ns = run->cpu_life.ksoftirqd_ns;
	out->softirq_ns = run->cpu_life.softirq_ns;
}

/* What a sender counts only over its life, as the share of the window. */
static uint64_t share(uint64_t count, uint64_t packets, uint64_t of)
{
	if (count == COMPARISON_UNKNOWN || of == 0 || packets > of)
		return count;
	return (uint64_t)((double)count * (double)packets / (double)of + 0.5);
}

static void set_life(const struct leg_run *run, struct comparison_sample *out)
{
	const struct leg_answer *a = &run->answer;

	out->life_packets = moved(&run->before, &run->after);
	out->life_own = a->valid ? a->packets : COMPARISON_UNKNOWN;
	if (run->leg->kind == LEG_PKTGEN_RX) /* its own witness */
		out->life_packets = a->valid ? a->packets : 0;
	out->kicks = COMPARISON_UNKNOWN;
	out->lost = COMPARISON_UNKNOWN;
	if (!a->valid)
		return;
	out->kicks = share(a->kicks, out->packets, a->packets);
	/* A loss is told, whenever it was. */
	out->lost = a->lost;
}

bool leg_sample(const struct compare *c, const struct leg_run *run,
		struct comparison_sample *out)
{
	memset(out, 0, sizeof(*out));
	out->start_unix_ns = run->start_unix_ns;
	if (c->counters_seldom || run->leg->kind == LEG_PKTGEN_RX)
		from_life(run, out);
	else
		from_window(run, out);
	set_life(run, out);
	return out->packets > 0 && out->ns > 0;
}
