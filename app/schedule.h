/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The schedule of a run: when each packet is due. Packet g is due at T(g), and
 * T says it for all queues together; pace.h divides the packets.
 *
 * A schedule is a list of segments, in each of which the rate is steady or
 * changes evenly, or it is bursts. The rate's integral N(t) is the packets that
 * belong to the first t of the run, and T(g) is where N passes g: packet 0 at
 * the start (or where a silent start ends), packet 1 a gap later. All of it is
 * exact: integers of 128 bits, nothing added up, so nothing drifts. Pure.
 *
 * Times are nanoseconds since the start of the run, rates 1e-6 packets per
 * second. Limits that keep 128 bits enough: SCHEDULE_MAX_NS of segments with an
 * end, RATE_MAX_MICRO_PPS.
 */
#ifndef APP_SCHEDULE_H
#define APP_SCHEDULE_H

#include <stdbool.h>
#include <stdint.h>

#define SCHEDULE_MAX_SEGMENTS 64
#define SCHEDULE_MAX_NS 1000000000000000000ull /* 10^9 s */
#define SCHEDULE_ENDLESS UINT64_MAX            /* a length */
#define SCHEDULE_NEVER UINT64_MAX              /* a time */

struct schedule_segment {
	uint64_t start_ns;
	uint64_t length_ns; /* SCHEDULE_ENDLESS: for ever, at a steady rate */
	uint64_t from_micro_pps, to_micro_pps;
	/* Twice the integral of the rate over all segments before. Twice,
	 * because a ramp's own is half a product. */
	unsigned __int128 before;
};

/* All zero: no limit, everything is due at once. */
struct schedule {
	uint32_t segments;
	struct schedule_segment segment[SCHEDULE_MAX_SEGMENTS];
	uint64_t burst_packets; /* bursts instead of segments; 0: none */
	uint64_t burst_ns;      /* from one burst to the next */
};

/*
 * Append a segment. 0, or -ERANGE: too long, too fast, an endless ramp, or
 * after an endless segment; -ENOSPC: too many.
 */
int schedule_add(struct schedule *schedule, uint64_t from_micro_pps,
		 uint64_t to_micro_pps, uint64_t length_ns);

/* `packets` at once, every `period_ns`; neither is 0. */
void schedule_set_bursts(struct schedule *schedule, uint64_t packets, uint64_t period_ns);

static inline bool schedule_is_limited(const struct schedule *schedule)
{
	return schedule->segments || schedule->burst_packets;
}

/* How many packets are due by t_ns, those of that very nanosecond included. */
uint64_t schedule_due(const struct schedule *schedule, uint64_t t_ns);

/* When packet g is due: the first nanosecond t with schedule_due(t) > g.
 * SCHEDULE_NEVER after the last one. */
uint64_t schedule_time_ns(const struct schedule *schedule, uint64_t packet);

/* The highest rate from first_ns to last_ns; of bursts, UINT64_MAX. */
uint64_t schedule_peak_micro_pps(const struct schedule *schedule, uint64_t first_ns,
				 uint64_t last_ns);

/* The mean over the first t_ns, or until the end if that comes first. */
uint64_t schedule_mean_micro_pps(const struct schedule *schedule, uint64_t t_ns);

/* When it ends; SCHEDULE_ENDLESS if it does not. */
uint64_t schedule_length_ns(const struct schedule *schedule);

#endif
