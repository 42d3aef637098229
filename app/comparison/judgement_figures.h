/* SPDX-License-Identifier: BSD-2-Clause */
/* What the samples of a cell mean: figures derived from their counts and times. */
#ifndef APP_JUDGEMENT_FIGURES_H
#define APP_JUDGEMENT_FIGURES_H

#include "comparison.h"
#include "judgement.h"

enum figure {
	FIGURE_PPS,
	FIGURE_L1_BPS,
	FIGURE_L2_BPS,
	FIGURE_NS_PER_PACKET,
	FIGURE_CPU, /* µs per packet, as the next three */
	FIGURE_CPU_USER,
	FIGURE_CPU_SYSTEM,
	FIGURE_CPU_SOFTIRQ,
	FIGURE_KICKS_PER_SECOND,
	FIGURE_PACKETS_PER_KICK,
	FIGURES
};

struct judged_round {
	uint32_t round;
	uint64_t lost;
	double figure[FIGURES]; /* NaN: nobody knows */
};

/* The samples of a cell that count, by ascending round. */
struct judged_rounds {
	struct judged_round *round;
	size_t rounds;
};

/* Returns 0 or -ENOMEM; free(out->round) is due in both cases. */
int judged_rounds(const struct comparison_cell *cell, struct judged_rounds *out);

/* A curve for each leg along each axis. Needs out->cell. Returns 0 or -ENOMEM. */
int judge_curves(const struct comparison *comparison, struct judgement *out);

#endif
