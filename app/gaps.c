/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The histograms of gaps.h. A bucket's number is the place of the value's
 * highest bit, then the seven bits below it; values of eight bits have a bucket
 * each.
 */
#include <string.h>

#include "gaps.h"

#define SUB (1u << GAPS_SUB_BITS)

uint32_t gaps_bucket(uint64_t ns)
{
	uint32_t shift;

	if (ns < SUB)
		return (uint32_t)ns;
	shift = 63 - GAPS_SUB_BITS - (uint32_t)__builtin_clzll(ns);
	return (shift << GAPS_SUB_BITS) + (uint32_t)(ns >> shift);
}

uint64_t gaps_bucket_top_ns(uint32_t bucket)
{
	uint32_t shift;
	uint64_t first;

	if (bucket < 2 * SUB)
		return bucket;
	shift = (bucket >> GAPS_SUB_BITS) - 1;
	first = (uint64_t)(SUB + bucket % SUB) << shift;
	return first + ((1ull << shift) - 1);
}

static void add(struct gaps_histogram *h, uint64_t ns)
{
	if (h->count == 0 || ns < h->min_ns)
		h->min_ns = ns;
	if (ns > h->max_ns)
		h->max_ns = ns;
	h->count++;
	h->sum_ns += ns;
	h->bucket[gaps_bucket(ns)]++;
}

void gaps_note(struct gaps *gaps, uint64_t now_ns, uint32_t frames, uint64_t asked_ns)
{
	uint64_t gap_ns = now_ns - gaps->last_ns;
	uint32_t i;

	for (i = 0; i < frames; i++) {
		uint64_t error_ns =
			gap_ns > asked_ns ? gap_ns - asked_ns : asked_ns - gap_ns;

		if (gaps->last_ns) {
			add(&gaps->gap, gap_ns);
			add(&gaps->error, error_ns);
			gaps->near += error_ns <= GAPS_NEAR_NS;
		}
		gaps->last_ns = now_ns;
		gap_ns = 0;
	}
}

static void merge(struct gaps_histogram *to, const struct gaps_histogram *from)
{
	uint32_t i;

	if (from->count == 0)
		return;
	if (to->count == 0 || from->min_ns < to->min_ns)
		to->min_ns = from->min_ns;
	if (from->max_ns > to->max_ns)
		to->max_ns = from->max_ns;
	to->count += from->count;
	to->sum_ns += from->sum_ns;
	for (i = 0; i < GAPS_BUCKETS; i++)
		to->bucket[i] += from->bucket[i];
}

void gaps_merge(struct gaps *to, const struct gaps *from)
{
	to->near += from->near;
	merge(&to->gap, &from->gap);
	merge(&to->error, &from->error);
}

/* The least value with at least `permille` of all at or below it. */
static uint64_t percentile_ns(const struct gaps_histogram *h, uint32_t permille)
{
	unsigned __int128 wanted = (unsigned __int128)h->count * permille;
	unsigned __int128 seen = 0;
	uint64_t top_ns;
	uint32_t i;

	for (i = 0; i < GAPS_BUCKETS - 1; i++) {
		seen += (unsigned __int128)h->bucket[i] * 1000;
		if (seen >= wanted && seen)
			break;
	}
	top_ns = gaps_bucket_top_ns(i);
	return top_ns < h->max_ns ? top_ns : h->max_ns;
}

static void percentiles(const struct gaps_histogram *h, struct gaps_percentiles *out)
{
	out->min_ns = h->min_ns;
	out->p50_ns = percentile_ns(h, 500);
	out->p90_ns = percentile_ns(h, 900);
	out->p99_ns = percentile_ns(h, 990);
	out->p999_ns = percentile_ns(h, 999);
	out->max_ns = h->max_ns;
	out->mean_ns = (double)h->sum_ns / (double)h->count;
}

void gaps_summarize(const struct gaps *gaps, struct gaps_summary *summary)
{
	memset(summary, 0, sizeof(*summary));
	if (gaps->gap.count == 0)
		return;
	summary->count = gaps->gap.count;
	summary->near = (double)gaps->near / (double)gaps->gap.count;
	percentiles(&gaps->gap, &summary->gap);
	percentiles(&gaps->error, &summary->error);
}
