/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The judgement of a comparison: what its samples say about each cell, about each
 * pair of legs under one setting, and about each curve. Pure.
 */
#ifndef APP_JUDGEMENT_H
#define APP_JUDGEMENT_H

#include "comparison.h"
#include "statistics.h"

/*
 * Medians over the rounds, disturbed ones left out. A figure nobody knows has a
 * median that is NaN; so has one per packet or per kick where there were none. L2
 * rates count the FCS, L1 rates 20 bytes a frame more.
 */
struct judgement_cell {
	size_t rounds; /* samples used; 0: the cell has none */
	struct statistics_summary pps, l1_bps, l2_bps, ns_per_packet;
	/* CPU seconds per million packets, which is µs per packet. cpu is user +
	 * system + ksoftirqd; softirq is the part of it spent there. */
	struct statistics_summary cpu, cpu_user, cpu_system, cpu_softirq;
	struct statistics_summary kicks_per_second, packets_per_kick;
	uint64_t lost; /* over these rounds; COMPARISON_UNKNOWN: not known of all */
};

/*
 * Two cells that differ in the leg alone: what `b` is against `a`, from the rounds
 * in which both have a sample (none, if one of them cannot run: rounds is 0). The
 * three effects may differ in rounds, where a figure is unknown or 0 in some.
 */
struct judgement_pair {
	size_t a, b;                            /* cells */
	struct statistics_effect rate;          /* of pps */
	struct statistics_effect ns_per_packet; /* difference in ns; its verdict is
						    about time: FASTER is more ns */
	struct statistics_effect cpu;           /* CPU time per packet, likewise; µs */
	bool final; /* a leg of it cannot run, broke off, or sends nothing: more
			 rounds will not make it more precise */
};

enum judgement_axis { AXIS_SIZE, AXIS_QUEUES, AXIS_BATCH, AXIS_RING, AXES };

/*
 * Cells of one leg that differ along one axis alone: a curve, at least two of them.
 * Cells without samples, and those that stand nowhere on the axis (several sizes,
 * the default batch), are not in it. The knee is that of pps, but of the L1 rate
 * along sizes: there it is where the link, and not the sender, starts to bind.
 */
struct judgement_curve {
	enum judgement_axis axis;
	size_t *cell; /* in ascending order of the axis */
	size_t cells;
	size_t knee; /* index into cell; `cells`: none, or beyond the last */
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

/* "2.05 times as fast [1.98, 2.11]", "3.1 % slower [1.2 %, 5.0 %]", "no difference
 * seen (±1.2 %); 1.9 % would have shown", "too few rounds (3 of 6)" … */
#define JUDGEMENT_TEXT 128
void judgement_verdict_text(const struct statistics_effect *effect,
			    char buf[JUDGEMENT_TEXT]);
/* The same of a time, by its difference: "12.5 ns more [10.1, 14.2]" … */
void judgement_time_text(const struct statistics_effect *effect, const char *unit,
			 char buf[JUDGEMENT_TEXT]);

/* Half width of an interval of 95 % of the ratio, as a ratio (0.012: ±1.2 %); NaN if
 * there is none. */
double judgement_half_width(const struct statistics_effect *effect);

/*
 * The widest half width of the rate's interval among all pairs but the final ones;
 * what --until waits for. Infinite while one has too few rounds, 0 if there is none
 * to wait for. To stop when an interval happens to be narrow costs little: those of
 * such runs held the true ratio in 92 … 97 % (1000 runs each of ±2 … 10 % asked for,
 * 5 % of noise, 0 … 10 % outliers, looked at after every round from the 6th, 10th or
 * 15th on). To stop at the first verdict would not be sound.
 */
double judgement_precision(const struct judgement *judgement);

/* How many rounds that will take in all, by the spreads so far; 0: nobody knows. */
size_t judgement_rounds(const struct judgement *judgement, double half_width);

#endif
