/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Medians and spreads of a series, the knee of a curve, and random numbers. What one
 * series is against another is statistics_effect.c.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "statistics.h"

/* The median absolute deviation of a normal distribution, times this, is its
 * standard deviation: 1 / quantile(0.75). */
#define MAD_TO_DEVIATION 1.4826

static int ascending(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* Between the two neighbours, in proportion: type 7 of Hyndman and Fan, "Sample
 * Quantiles in Statistical Packages", 1996. */
static double quantile(const double *sorted, size_t n, double share)
{
	double at = share * (double)(n - 1);
	size_t below = (size_t)at;

	if (below + 1 >= n)
		return sorted[n - 1];
	return sorted[below] + (at - (double)below) * (sorted[below + 1] - sorted[below]);
}

static double relative_spread(double *sorted, size_t n, double median)
{
	size_t i;

	if (n < 2 || !(median > 0))
		return NAN;
	for (i = 0; i < n; i++)
		sorted[i] = fabs(sorted[i] - median);
	qsort(sorted, n, sizeof(*sorted), ascending);
	return MAD_TO_DEVIATION * quantile(sorted, n, 0.5) / median;
}

void statistics_summarize(const double *value, size_t n, struct statistics_summary *out)
{
	double *sorted = n ? malloc(n * sizeof(*sorted)) : NULL;

	*out = (struct statistics_summary){ NAN, NAN, NAN, NAN };
	if (!sorted)
		return;
	memcpy(sorted, value, n * sizeof(*sorted));
	qsort(sorted, n, sizeof(*sorted), ascending);
	out->median = quantile(sorted, n, 0.5);
	out->low = quantile(sorted, n, 0.25);
	out->high = quantile(sorted, n, 0.75);
	out->spread = relative_spread(sorted, n, out->median);
	free(sorted);
}

size_t statistics_knee(const double *x, const double *y, size_t n, double share)
{
	size_t known = 0, last = 0, i;
	double best = -INFINITY;

	for (i = 0; i < n; i++) {
		if (isnan(x[i]) || isnan(y[i]))
			continue;
		known++;
		last = i;
		if (y[i] > best)
			best = y[i];
	}
	if (known < 3)
		return n;
	for (i = 0; i < last; i++)
		if (!isnan(x[i]) && y[i] >= best * (1 - share))
			return i;
	return n;
}

/* splitmix64: Steele, Lea, Flood, "Fast Splittable Pseudorandom Number Generators",
 * OOPSLA 2014. */
uint64_t statistics_random(uint64_t *state)
{
	uint64_t x = *state += 0x9e3779b97f4a7c15u;

	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
	x = (x ^ x >> 27) * 0x94d049bb133111ebu;
	return x ^ x >> 31;
}

/* Fisher and Yates. The remainder favours the first i of 2^64 by less than anybody
 * could see. */
void statistics_shuffle(size_t *item, size_t n, uint64_t *state)
{
	size_t i;

	for (i = n; i > 1; i--) {
		size_t other = (size_t)(statistics_random(state) % i);
		size_t kept = item[i - 1];

		item[i - 1] = item[other];
		item[other] = kept;
	}
}
