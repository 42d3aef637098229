/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The judgement of a comparison: what its samples say about each cell, about each
 * pair of legs under one setting, and about each curve. Pure.
 */
#ifndef APP_JUDGEMENT_H
#define APP_JUDGEMENT_H

#include "comparison.h"
#include "statistics.h"

/* Medians over the rounds, disturbed ones left out. A figure nobody knows has a
 * median that is NaN. */
struct judgement_cell {
	size_t rounds; /* samples used; 0: the cell has none */
	struct statistics_summary pps, l1_bps, l2_bps, ns_per_packet;
	/* CPU seconds per million packets, which is µs per packet. cpu is user +
	 * system + ksoftirqd; softirq is the part of it spent there. */
	struct statistics_summary cpu, cpu_user, cpu_system, cpu_softirq;
	struct statistics_summary kicks_per_second, packets_per_kick;
	uint64_t lost; /* over all rounds, or COMPARISON_UNKNOWN */
};

/* Two cells that differ in the leg alone: what `b` is against `a`. */
struct judgement_pair {
	size_t a, b;                            /* cells */
	struct statistics_effect rate;          /* of pps */
	struct statistics_effect ns_per_packet; /* difference in ns; its verdict is
						    about time: FASTER is more ns */
	struct statistics_effect cpu;           /* CPU time per packet, likewise */
};

enum judgement_axis { AXIS_SIZE, AXIS_QUEUES, AXIS_BATCH, AXIS_RING, AXES };

/* Cells of one leg that differ along one axis alone: a curve. */
struct judgement_curve {
	enum judgement_axis axis;
	size_t *cell; /* in ascending order of the axis */
	size_t cells;
	size_t knee; /* index into cell; `cells`: none */
};

struct judgement {
	struct judgement_cell *cell; /* as in the comparison */
	size_t cells;
	struct judgement_pair *pair; /* every pair, the earlier leg is `a` */
	size_t pairs;
	struct judgement_curve *curve;
	size_t curves;
};

/* Returns 0 or -ENOMEM; judgement_free() is due in both cases. */
int judge(const struct comparison *comparison, struct judgement *out);
void judgement_free(struct judgement *judgement);

/* "2.05 times as fast [1.98, 2.11]", "no difference seen (±1.2 %)" … */
#define JUDGEMENT_TEXT 128
void judgement_verdict_text(const struct statistics_effect *effect,
			    char buf[JUDGEMENT_TEXT]);

/* The widest half width of the rate's interval among all pairs, as a ratio; what
 * --until waits for. Infinite while a pair has too few rounds. */
double judgement_precision(const struct judgement *judgement);

#endif
