/* SPDX-License-Identifier: BSD-2-Clause */
/* One queue's part of a schedule. */
#include <stdbool.h>
#include <stddef.h>

#include "pace.h"

/* After a hold-up, catch up on at most this much of the schedule at once. */
#define BACKLOG_NS 100000000ull
/* Below this rate frames never bunch. A sender that may send one frame for each
 * time it wakes up falls behind where that takes longer than a gap: 14 % of 999
 * packets per second were lost on a busy CPU, with waits of 4 ms. */
#define SLOW_MICRO_PPS 100000000u

void pace_init(struct pace *pace, const struct schedule *schedule, uint32_t queues,
	       uint32_t index, uint32_t batch)
{
	*pace = (struct pace){
		.schedule = schedule && schedule_is_limited(schedule) ? schedule : NULL,
		.queues = queues,
		.index = index,
		.batch = batch,
	};
}

void pace_start(struct pace *pace, uint64_t now_ns)
{
	pace->start_ns = now_ns;
}

/* Of the packets of the run due so far, those that are this queue's. */
static uint64_t ours(const struct pace *pace, uint64_t all)
{
	return all <= pace->index ? 0 : (all - 1 - pace->index) / pace->queues + 1;
}

/* When a packet of this queue, the nth from 0, is due after the start. */
static uint64_t time_ns(const struct pace *pace, uint64_t n)
{
	if (n > (UINT64_MAX - pace->index) / pace->queues)
		return SCHEDULE_NEVER;
	return schedule_time_ns(pace->schedule, n * pace->queues + pace->index);
}

static uint64_t window_start_ns(uint64_t t_ns)
{
	return t_ns > BACKLOG_NS ? t_ns - BACKLOG_NS : 0;
}

/* Frames must not bunch at t_ns after the start, nor did they shortly before. */
static bool is_slow(const struct pace *pace, uint64_t t_ns)
{
	return schedule_peak_micro_pps(pace->schedule, window_start_ns(t_ns), t_ns) <
	       SLOW_MICRO_PPS;
}

static uint64_t backlog_max(const struct pace *pace, uint64_t t_ns, bool slow)
{
	const struct schedule *schedule = pace->schedule;
	uint64_t recent = schedule_due(schedule, t_ns);
	uint64_t least = slow ? 2 : pace->batch; /* 2: the one due, one missed */

	if (t_ns > BACKLOG_NS)
		recent -= schedule_due(schedule, t_ns - BACKLOG_NS);
	if (schedule->burst_packets)
		least = (schedule->burst_packets - 1) / pace->queues + 1;
	recent = recent / pace->queues + 1; /* and the one that is begun */
	return recent > least ? recent : least;
}

/* From this queue's packet n to its next one. */
static uint64_t gap_after_ns(const struct pace *pace, uint64_t n)
{
	uint64_t next_ns = time_ns(pace, n + 1);

	return next_ns == SCHEDULE_NEVER ? 0 : next_ns - time_ns(pace, n);
}

uint64_t pace_due(struct pace *pace, uint64_t now_ns, uint64_t sent)
{
	uint64_t t_ns, due, most;
	bool slow;

	if (!pace->schedule)
		return UINT64_MAX;
	if (now_ns < pace->start_ns || now_ns < pace->not_before_ns)
		return 0;
	t_ns = now_ns - pace->start_ns;
	due = ours(pace, schedule_due(pace->schedule, t_ns));
	if (due <= sent + pace->given_up)
		return 0;
	due -= sent + pace->given_up;
	slow = is_slow(pace, t_ns);
	most = due > 1 ? backlog_max(pace, t_ns, slow) : 1;
	if (due > most) {
		pace->given_up += due - most;
		due = most;
	}
	if (!slow)
		return due;
	pace->not_before_ns = now_ns + gap_after_ns(pace, sent + pace->given_up) / 2;
	return 1;
}

uint64_t pace_next_ns(const struct pace *pace, uint64_t sent)
{
	uint64_t t_ns;

	if (!pace->schedule)
		return pace->start_ns;
	t_ns = time_ns(pace, sent + pace->given_up);
	if (t_ns > SCHEDULE_NEVER - pace->start_ns)
		return SCHEDULE_NEVER;
	t_ns += pace->start_ns;
	return t_ns > pace->not_before_ns ? t_ns : pace->not_before_ns;
}

uint64_t pace_gap_ns(const struct pace *pace, uint64_t sent)
{
	uint64_t n = sent + pace->given_up;

	return n && pace->schedule ? gap_after_ns(pace, n - 1) : 0;
}
