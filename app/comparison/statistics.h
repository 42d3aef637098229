/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The statistics of a comparison: medians, spreads, and the ratio of two series
 * with its interval and verdict. Pure; the same seed gives the same answer.
 */
#ifndef APP_STATISTICS_H
#define APP_STATISTICS_H

#include <stddef.h>
#include <stdint.h>

/* Fewer have no interval of 95 %: even the whole range of five values holds their
 * true median in 1 - 2 / 2^5 = 93.75 % of all cases only. */
#define STATISTICS_MIN_ROUNDS 6

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

/*
 * What b is against a. Ratio and difference are 20 % trimmed means: of the log
 * ratios of the rounds, and of the rounds' differences. Intervals are of 95 %, by a
 * bootstrap of the same; statistics_effect.c says what was measured of them. The
 * verdict goes by the ratio. With too few rounds intervals, `smallest` and `spread`
 * are NaN, and without any all is.
 */
struct statistics_effect {
	size_t rounds;     /* pairs used; of unpaired series the shorter one */
	double ratio;      /* b / a */
	double low, high;  /* its interval */
	double difference; /* b - a, in the unit of the values */
	double difference_low, difference_high;
	double smallest; /* effect (as |ratio - 1|) that this many rounds of
				    this spread would have shown 4 times of 5 */
	double spread;   /* standard deviation of the log ratios as the interval
				    has it: its standard error * sqrt(rounds) */
	enum statistics_verdict verdict;
};

/* n may be 0: all is NaN. */
void statistics_summarize(const double *value, size_t n, struct statistics_summary *out);

/*
 * a[i] and b[i] were measured in the same round; all are above 0. Exchanging a and b
 * gives the inverse, exactly: times are judged as the rates they come from. Returns
 * 0, -EINVAL (a value that is not above 0, or infinite) or -ENOMEM; *out then knows
 * nothing.
 */
int statistics_compare(const double *a, const double *b, size_t n, uint64_t seed,
		       struct statistics_effect *out);

/* The same for two series of different days: not paired. The interval knows what
 * varied within each series. What differs between the days alone, such as the load
 * of neighbours, it cannot know. */
int statistics_compare_unpaired(const double *a, size_t na, const double *b, size_t nb,
				uint64_t seed, struct statistics_effect *out);

/*
 * How many rounds of the spread seen in `effect` give an interval of ±half_width
 * (0.01: 1 %), and how many, judged once at the end, would show an effect of that
 * size 4 times of 5. Never below STATISTICS_MIN_ROUNDS; 0: nobody knows.
 *
 * A prediction knows the spread only as well as the rounds so far. From 15 rounds,
 * half of all predictions for 3 % under 10 % of noise in each leg were 0.6 … 1.5
 * times their median, and 82 … 90 % of the runs found it in the rounds predicted.
 */
size_t statistics_rounds_for_width(const struct statistics_effect *effect,
				   double half_width);
size_t statistics_rounds_for_effect(const struct statistics_effect *effect, double size);

/*
 * The knee of a curve: the index after which more x no longer pays (the smallest x
 * whose y is within `share`, such as 0.05, of the best). x ascends, y is to be large
 * and may be NaN. Returns n if there is no curve (fewer than 3 points known), or if
 * it still rises at its end: the knee is the last point then, or lies beyond.
 */
size_t statistics_knee(const double *x, const double *y, size_t n, double share);

/* A generator for orders and bootstraps; not for secrets. Any state is fine. */
uint64_t statistics_random(uint64_t *state);
/* Shuffle n items in place. */
void statistics_shuffle(size_t *item, size_t n, uint64_t *state);

#endif
