/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Gaps between departures: how far apart the frames of a queue were handed to
 * the kernel, against what the schedule asked. A frame's time is the clock at
 * the turn of the loop that submitted and kicked it; what kernel and NIC add is
 * not in it. Kept at low rates only (GAPS_MAX_PPS), where a frame has a turn of
 * its own. Pure; one writer, read when it has ended.
 *
 * A histogram has 128 buckets for every power of two, so a value read from it
 * is at most 1/128 too high; values below 256 ns are exact, and so are the least,
 * the greatest, the mean and the share within GAPS_NEAR_NS.
 */
#ifndef APP_GAPS_H
#define APP_GAPS_H

#include <stdint.h>

#define GAPS_MAX_PPS 10000  /* of a queue */
#define GAPS_NEAR_NS 20000u /* from the gap asked for */

#define GAPS_SUB_BITS 7
#define GAPS_BUCKETS ((64 - GAPS_SUB_BITS + 1) << GAPS_SUB_BITS)

struct gaps_histogram {
	uint64_t count, min_ns, max_ns;
	unsigned __int128 sum_ns;
	uint64_t bucket[GAPS_BUCKETS];
};

struct gaps {
	uint64_t last_ns; /* when the last frame left; 0: none has */
	uint64_t near;    /* gaps within GAPS_NEAR_NS */
	struct gaps_histogram gap;
	struct gaps_histogram error; /* distance from the gap asked for */
};

/* `frames` left together at now_ns, and the schedule had asked_ns before each. */
void gaps_note(struct gaps *gaps, uint64_t now_ns, uint32_t frames, uint64_t asked_ns);

/* Add another queue's to these. */
void gaps_merge(struct gaps *to, const struct gaps *from);

struct gaps_percentiles {
	uint64_t min_ns, p50_ns, p90_ns, p99_ns, p999_ns, max_ns;
	double mean_ns;
};

struct gaps_summary {
	uint64_t count; /* 0: none were kept, and the rest is 0 */
	double near;    /* share within GAPS_NEAR_NS, 0 to 1 */
	struct gaps_percentiles gap, error;
};

void gaps_summarize(const struct gaps *gaps, struct gaps_summary *summary);

/* Which bucket a value falls into, and the greatest value that does. */
uint32_t gaps_bucket(uint64_t ns);
uint64_t gaps_bucket_top_ns(uint32_t bucket);

#endif
