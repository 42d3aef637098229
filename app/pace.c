/* SPDX-License-Identifier: BSD-2-Clause */
/* The arithmetic of pace.h, in 128 bits so that no run is too long for it. */
#include "pace.h"

typedef unsigned __int128 u128;

/* Nanoseconds times micro-packets per second that make one packet. */
#define NS_MICRO_PER_PACKET 1000000000000000ull

/* After a hold-up, catch up on at most this much of the schedule at once. */
#define BACKLOG_NS 100000000ull

void pace_init(struct pace *pace, uint64_t rate_micro_pps, uint32_t queues,
	       uint32_t index, uint32_t batch)
{
	u128 backlog = (u128)rate_micro_pps * BACKLOG_NS / NS_MICRO_PER_PACKET / queues;

	pace->rate_micro_pps = rate_micro_pps;
	pace->start_ns = 0;
	pace->queues = queues;
	pace->index = index;
	pace->backlog_max = backlog > batch ? (uint64_t)backlog : batch;
	if (rate_micro_pps < 1000000000u) /* below 1000 pps: never a burst */
		pace->backlog_max = 1;
}

void pace_start(struct pace *pace, uint64_t now_ns)
{
	pace->start_ns = now_ns;
}

/* How long `packets` of this queue take. */
static uint64_t duration_ns(const struct pace *pace, uint64_t packets)
{
	return (uint64_t)((u128)packets * pace->queues * NS_MICRO_PER_PACKET /
			  pace->rate_micro_pps);
}

/* Packets of this queue due by now, since start_ns. */
static uint64_t due_total(const struct pace *pace, uint64_t now_ns)
{
	u128 all;

	if (now_ns < pace->start_ns)
		return 0;
	all = (u128)(now_ns - pace->start_ns) * pace->rate_micro_pps /
	      NS_MICRO_PER_PACKET;
	if (all < pace->index)
		return 0;
	return (uint64_t)((all - pace->index) / pace->queues) + 1;
}

uint64_t pace_due(struct pace *pace, uint64_t now_ns, uint64_t sent)
{
	uint64_t total;

	if (!pace->rate_micro_pps)
		return UINT64_MAX;
	total = due_total(pace, now_ns);
	if (total <= sent)
		return 0;
	if (total - sent > pace->backlog_max) {
		pace->start_ns += duration_ns(pace, total - sent - pace->backlog_max);
		return pace->backlog_max;
	}
	return total - sent;
}

uint64_t pace_next_ns(const struct pace *pace, uint64_t sent)
{
	u128 packet = (u128)sent * pace->queues + pace->index;
	u128 offset;

	if (!pace->rate_micro_pps)
		return pace->start_ns;
	offset = (packet * NS_MICRO_PER_PACKET + pace->rate_micro_pps - 1) /
		 pace->rate_micro_pps;
	return pace->start_ns + (uint64_t)offset;
}
