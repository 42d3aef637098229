/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Pacing: how many frames one queue may send by now. The schedule is that of
 * the whole run; queue i of Q sends the packets with g mod Q = i, so the rate is
 * never divided, the aggregate is evenly spaced and no queue needs to know of
 * another. Pure: time is an argument.
 */
#ifndef APP_PACE_H
#define APP_PACE_H

#include <stdint.h>

#include "schedule.h"

struct pace {
	const struct schedule *schedule; /* NULL: unlimited */
	uint64_t start_ns;
	uint64_t queues;        /* Q */
	uint64_t index;         /* i */
	uint64_t batch;         /* may be caught up in one burst anyway */
	uint64_t given_up;      /* packets of the schedule that were passed over */
	uint64_t not_before_ns; /* at low rates: no frame sooner after the last */
};

/* The schedule must outlive the pace; one without a limit is as none. */
void pace_init(struct pace *pace, const struct schedule *schedule, uint32_t queues,
	       uint32_t index, uint32_t batch);

/* The run begins. */
void pace_start(struct pace *pace, uint64_t now_ns);

/*
 * Frames due at `now_ns` beyond the `sent` ones; UINT64_MAX when unlimited. Of a
 * backlog (the sender was held up) what the last tenth of a second asked for is
 * caught up, or the batch if that is more, or one burst where bursts were asked for.
 * The rest is given up: the schedule goes on as it is, and what it had for the time
 * lost is not sent.
 *
 * Frames that are caught up are due at once, but for rates below 100 packets per
 * second, where frames never bunch: they are due one by one, no sooner than half a
 * gap after one another, and without the batch, but at least one.
 */
uint64_t pace_due(struct pace *pace, uint64_t now_ns, uint64_t sent);

/* When the frame after `sent` ones is due; in the past when unlimited,
 * SCHEDULE_NEVER when the schedule has ended. */
uint64_t pace_next_ns(const struct pace *pace, uint64_t sent);

/* The gap the schedule has on this queue before the frame after `sent` ones. */
uint64_t pace_gap_ns(const struct pace *pace, uint64_t sent);

#endif
