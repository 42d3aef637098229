/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Pacing: how many frames one queue may send by now. An absolute schedule in
 * integers: packet g of the whole run is due at start + g / rate, and queue i
 * of Q sends the packets with g mod Q = i, so the aggregate is evenly spaced
 * and no queue needs to know of another. Pure: time is an argument.
 */
#ifndef APP_PACE_H
#define APP_PACE_H

#include <stdint.h>

struct pace {
	uint64_t rate_micro_pps; /* of the whole run; 0: unlimited */
	uint64_t start_ns;       /* moves forward when a backlog is given up */
	uint64_t queues;         /* Q */
	uint64_t index;          /* i */
	uint64_t backlog_max;    /* frames that may be caught up in one burst */
};

/* `batch` is the burst that is allowed anyway. */
void pace_init(struct pace *pace, uint64_t rate_micro_pps, uint32_t queues,
	       uint32_t index, uint32_t batch);

/* The run begins. */
void pace_start(struct pace *pace, uint64_t now_ns);

/*
 * Frames due at `now_ns` beyond the `sent` ones; UINT64_MAX when unlimited. A
 * backlog over backlog_max (the sender was held up for long) is given up: the
 * schedule moves, the frames are sent later.
 */
uint64_t pace_due(struct pace *pace, uint64_t now_ns, uint64_t sent);

/* When frame number `sent` is due; in the past when unlimited. */
uint64_t pace_next_ns(const struct pace *pace, uint64_t sent);

#endif
