/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The statistics of a comparison: medians, spreads, and the ratio of two series
 * with its interval and verdict. Pure; the same seed gives the same answer.
 */
#ifndef APP_STATISTICS_H
#define APP_STATISTICS_H

#include <stddef.h>
#include <stdint.h>

#define STATISTICS_MIN_ROUNDS 5 /* fewer have no interval of 95 % */

struct statistics_summary {
	double median;
	double low, high; /* quartiles */
	double spread;    /* robust standard deviation, as a share of the median */
};

enum statistics_verdict {
	VERDICT_TOO_FEW = 0, /* rounds for an interval */
	VERDICT_NONE,        /* no difference seen at this precision */
	VERDICT_FASTER,      /* b is above a: the interval lies above 1 */
	VERDICT_SLOWER,
};

/* What b is against a. Intervals are of 95 %. */
struct statistics_effect {
	size_t rounds;     /* pairs used */
	double ratio;      /* b / a */
	double low, high;  /* its interval */
	double difference; /* b - a, in the unit of the values */
	double difference_low, difference_high;
	double smallest; /* effect (as |ratio - 1|) that this many rounds of
				    this spread would have shown 4 times of 5 */
	double spread;   /* standard deviation of the log ratios, robust */
	enum statistics_verdict verdict;
};

void statistics_summarize(const double *value, size_t n, struct statistics_summary *out);

/* a[i] and b[i] were measured in the same round; all are above 0. Returns 0,
 * -EINVAL (a value that is not) or -ENOMEM. */
int statistics_compare(const double *a, const double *b, size_t n, uint64_t seed,
		       struct statistics_effect *out);

/* The same for two series of different days: not paired. */
int statistics_compare_unpaired(const double *a, size_t na, const double *b, size_t nb,
				uint64_t seed, struct statistics_effect *out);

/* How many rounds of the spread seen in `effect` give an interval of ±half_width
 * (0.01: 1 %), and how many would show an effect of that size 4 times of 5. */
size_t statistics_rounds_for_width(const struct statistics_effect *effect,
				   double half_width);
size_t statistics_rounds_for_effect(const struct statistics_effect *effect, double size);

/*
 * The knee of a curve: the index after which more x no longer pays (the smallest x
 * whose y is within `share`, such as 0.05, of the best). y is to be large. Returns
 * n if there is no curve (n < 3).
 */
size_t statistics_knee(const double *x, const double *y, size_t n, double share);

/* A generator for orders and bootstraps; not for secrets. */
uint64_t statistics_random(uint64_t *state);
/* Shuffle n items in place. */
void statistics_shuffle(size_t *item, size_t n, uint64_t *state);

#endif
