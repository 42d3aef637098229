/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The figures every output derives from the counters of a run. Pure.
 */
#include <errno.h>
#include <string.h>

#include "report.h"

double span_pps(const struct span *span)
{
	return span->ns ? (double)span->packets * 1e9 / (double)span->ns : 0;
}

/* Bits per second of the frames and so many bytes more for each. */
static double bps(const struct span *span, uint32_t more)
{
	double bytes = (double)span->bytes + (double)span->packets * more;

	return span->ns ? bytes * 8e9 / (double)span->ns : 0;
}

/* L2: the frame with its FCS. L1: preamble, SFD and inter-packet gap too. */
double span_l2_bps(const struct span *span)
{
	return bps(span, DXMIT_FCS_BYTES);
}

double span_l1_bps(const struct span *span)
{
	return bps(span, DXMIT_FCS_BYTES + DXMIT_L1_OVERHEAD_BYTES);
}

double span_ns_per_packet(const struct span *span)
{
	return span->packets ? (double)span->ns / (double)span->packets : 0;
}

double span_packets_per_kick(const struct span *span)
{
	return span->kicks ? (double)span->packets / (double)span->kicks : 0;
}

double span_kicks_per_second(const struct span *span)
{
	return span->ns ? (double)span->kicks * 1e9 / (double)span->ns : 0;
}

void span_add(struct span *a, const struct span *b)
{
	if (b->ns > a->ns)
		a->ns = b->ns;
	if (b->paused_ns > a->paused_ns)
		a->paused_ns = b->paused_ns;
	a->packets += b->packets;
	a->completed += b->completed;
	a->lost += b->lost;
	a->kicks += b->kicks;
	a->retries += b->retries;
	a->down += b->down;
	a->starved += b->starved;
	a->cpu_user_ns += b->cpu_user_ns;
	a->cpu_system_ns += b->cpu_system_ns;
	a->bytes += b->bytes;
}

/* move_pages(2): why pages cannot be looked up. */
static const char *residence_reason(int reason)
{
	switch (reason) {
	case ENOSYS:
		return "this kernel has no NUMA support";
	case EPERM:
	case EACCES:
		return "move_pages is not permitted here";
	case 0:
		return "the pages were not looked up";
	default:
		return strerror(reason);
	}
}

enum placement report_placement(const struct report_queue *queue)
{
	const struct dxmit_residence *pages = &queue->residence;
	bool cpu_known = queue->cpu_seen >= 0;

	if (!queue->opened)
		return PLACEMENT_UNVERIFIED;
	if ((cpu_known && (uint32_t)queue->cpu_seen != queue->plan->cpu) ||
	    queue->cpu_other)
		return PLACEMENT_NO;
	if (pages->verified && pages->pages_on_node != pages->pages)
		return PLACEMENT_NO;
	return pages->verified && cpu_known ? PLACEMENT_YES : PLACEMENT_UNVERIFIED;
}

static void placement_no(const struct report_queue *queue, char *buf, size_t len)
{
	const struct dxmit_residence *pages = &queue->residence;

	if (pages->verified && pages->pages_on_node != pages->pages)
		snprintf(buf, len, "no: %llu of %llu pages are off node %d",
			 (unsigned long long)(pages->pages - pages->pages_on_node),
			 (unsigned long long)pages->pages, queue->plan->memory_node);
	else if (queue->cpu_seen >= 0 && (uint32_t)queue->cpu_seen != queue->plan->cpu)
		snprintf(buf, len, "no: ran on CPU %d, planned CPU %u", queue->cpu_seen,
			 queue->plan->cpu);
	else
		snprintf(buf, len, "no: %u times seen off CPU %u", queue->cpu_other,
			 queue->plan->cpu);
}

void report_placement_text(const struct report_queue *queue, char *buf, size_t len)
{
	const char *reason;

	switch (report_placement(queue)) {
	case PLACEMENT_NO:
		placement_no(queue, buf, len);
		return;
	case PLACEMENT_YES:
		if (queue->plan->memory_node < 0)
			snprintf(buf, len, "yes, no node asked for");
		else
			snprintf(buf, len, "yes, node %d", queue->plan->memory_node);
		return;
	case PLACEMENT_UNVERIFIED:
		break;
	}
	if (!queue->opened)
		reason = "the queue was not opened";
	else if (!queue->residence.verified)
		reason = residence_reason(queue->residence.reason);
	else
		reason = "the thread's CPU was not sampled";
	snprintf(buf, len, "unverified: %s", reason);
}
