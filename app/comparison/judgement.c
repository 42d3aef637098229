/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The judgement of a comparison: what its samples say about each cell and each pair
 * of legs. Curves are judgement_curve.c.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "comparison_fields.h"
#include "judgement_figures.h"

/* The rounds of every cell, and room for one series of each of two. */
struct work {
	const struct comparison *comparison;
	struct judged_rounds *rounds;
	double *a, *b;
};

/* ---- cells ---- */

/* What nobody knows in a round is left out of the median. */
static void summarize(struct work *work, const struct judged_rounds *rounds,
		      enum figure figure, struct statistics_summary *out)
{
	size_t n = 0, i;

	for (i = 0; i < rounds->rounds; i++)
		if (!isnan(rounds->round[i].figure[figure]))
			work->a[n++] = rounds->round[i].figure[figure];
	statistics_summarize(work->a, n, out);
}

static uint64_t sum_lost(const struct judged_rounds *rounds)
{
	uint64_t sum = 0;
	size_t i;

	for (i = 0; i < rounds->rounds; i++) {
		if (rounds->round[i].lost == COMPARISON_UNKNOWN)
			return COMPARISON_UNKNOWN;
		sum += rounds->round[i].lost;
	}
	return rounds->rounds ? sum : COMPARISON_UNKNOWN;
}

static void judge_cell(struct work *work, const struct judged_rounds *rounds,
		       struct judgement_cell *out)
{
	struct statistics_summary *summary[FIGURES] = {
		[FIGURE_PPS] = &out->pps,
		[FIGURE_L1_BPS] = &out->l1_bps,
		[FIGURE_L2_BPS] = &out->l2_bps,
		[FIGURE_NS_PER_PACKET] = &out->ns_per_packet,
		[FIGURE_CPU] = &out->cpu,
		[FIGURE_CPU_USER] = &out->cpu_user,
		[FIGURE_CPU_SYSTEM] = &out->cpu_system,
		[FIGURE_CPU_SOFTIRQ] = &out->cpu_softirq,
		[FIGURE_KICKS_PER_SECOND] = &out->kicks_per_second,
		[FIGURE_PACKETS_PER_KICK] = &out->packets_per_kick,
	};
	enum figure figure;

	out->rounds = rounds->rounds;
	out->lost = sum_lost(rounds);
	for (figure = 0; figure < FIGURES; figure++)
		summarize(work, rounds, figure, summary[figure]);
}

/* ---- pairs ---- */

static bool comparable(double value)
{
	return value > 0 && isfinite(value);
}

/* The values of a figure in the rounds in which both cells have one. */
static size_t pair_rounds(struct work *work, const struct judged_rounds *a,
			  const struct judged_rounds *b, enum figure figure)
{
	size_t n = 0, i = 0, k = 0;

	while (i < a->rounds && k < b->rounds) {
		const struct judged_round *x = &a->round[i], *y = &b->round[k];

		if (x->round == y->round && comparable(x->figure[figure]) &&
		    comparable(y->figure[figure])) {
			work->a[n] = x->figure[figure];
			work->b[n++] = y->figure[figure];
		}
		i += x->round <= y->round;
		k += y->round <= x->round;
	}
	return n;
}

/* All with the same seed: no pair's interval depends on what else was compared. */
static int judge_effect(struct work *work, const struct judgement_pair *pair,
			enum figure figure, struct statistics_effect *out)
{
	size_t n =
		pair_rounds(work, &work->rounds[pair->a], &work->rounds[pair->b], figure);

	return statistics_compare(work->a, work->b, n, work->comparison->seed, out);
}

static bool cell_is_final(const struct comparison_cell *cell,
			  const struct judgement_cell *judged)
{
	return cell->unavailable || cell->failure ||
	       (judged->rounds >= STATISTICS_MIN_ROUNDS && !(judged->pps.median > 0));
}

static int judge_pair(struct work *work, const struct judgement *judgement,
		      struct judgement_pair *pair)
{
	const struct comparison_cell *cell = work->comparison->cell;
	int err = judge_effect(work, pair, FIGURE_PPS, &pair->rate);

	if (!err)
		err = judge_effect(work, pair, FIGURE_NS_PER_PACKET,
				   &pair->ns_per_packet);
	if (!err)
		err = judge_effect(work, pair, FIGURE_CPU, &pair->cpu);
	pair->final = cell_is_final(&cell[pair->a], &judgement->cell[pair->a]) ||
		      cell_is_final(&cell[pair->b], &judgement->cell[pair->b]);
	return err;
}

/* Put the pairs down if there is room for them, and return how many there are. */
static size_t list_pairs(const struct comparison *comparison, struct judgement_pair *pair)
{
	size_t pairs = 0, a, b;

	for (a = 0; a < comparison->cells; a++)
		for (b = a + 1; b < comparison->cells; b++) {
			if (!comparison_same_setting(&comparison->cell[a],
						     &comparison->cell[b]))
				continue;
			if (pair)
				pair[pairs] = (struct judgement_pair){ .a = a, .b = b };
			pairs++;
		}
	return pairs;
}

static int judge_pairs(struct work *work, struct judgement *out)
{
	size_t pairs = list_pairs(work->comparison, NULL);
	int err = 0;

	if (!pairs)
		return 0;
	out->pair = calloc(pairs, sizeof(*out->pair));
	if (!out->pair)
		return -ENOMEM;
	list_pairs(work->comparison, out->pair);
	for (out->pairs = 0; out->pairs < pairs && !err; out->pairs++)
		err = judge_pair(work, out, &out->pair[out->pairs]);
	return err;
}

/* ---- the whole ---- */

static void work_free(struct work *work)
{
	size_t i;

	for (i = 0; work->rounds && i < work->comparison->cells; i++)
		free(work->rounds[i].round);
	free(work->rounds);
	free(work->a);
	free(work->b);
}

static int work_prepare(struct work *work)
{
	const struct comparison *comparison = work->comparison;
	size_t longest = 1, i;
	int err = 0;

	work->rounds = calloc(comparison->cells, sizeof(*work->rounds));
	if (!work->rounds)
		return -ENOMEM;
	for (i = 0; i < comparison->cells && !err; i++) {
		err = judged_rounds(&comparison->cell[i], &work->rounds[i]);
		if (work->rounds[i].rounds > longest)
			longest = work->rounds[i].rounds;
	}
	work->a = calloc(longest, sizeof(*work->a));
	work->b = calloc(longest, sizeof(*work->b));
	return !err && work->a && work->b ? 0 : -ENOMEM;
}

int judge(const struct comparison *comparison, struct judgement *out)
{
	struct work work = { .comparison = comparison };
	size_t i;
	int err;

	*out = (struct judgement){ 0 };
	if (!comparison->cells)
		return 0;
	out->cell = calloc(comparison->cells, sizeof(*out->cell));
	err = out->cell ? work_prepare(&work) : -ENOMEM;
	if (!err) {
		out->cells = comparison->cells;
		for (i = 0; i < out->cells; i++)
			judge_cell(&work, &work.rounds[i], &out->cell[i]);
		err = judge_pairs(&work, out);
	}
	if (!err)
		err = judge_curves(comparison, out);
	work_free(&work);
	return err;
}

void judgement_free(struct judgement *judgement)
{
	size_t i;

	for (i = 0; i < judgement->curves; i++)
		free(judgement->curve[i].cell);
	free(judgement->curve);
	free(judgement->pair);
	free(judgement->cell);
	*judgement = (struct judgement){ 0 };
}

double judgement_half_width(const struct statistics_effect *effect)
{
	if (effect->verdict == VERDICT_TOO_FEW)
		return NAN;
	return expm1((log(effect->high) - log(effect->low)) / 2);
}

double judgement_precision(const struct judgement *judgement)
{
	double widest = 0;
	size_t i;

	for (i = 0; i < judgement->pairs; i++) {
		const struct judgement_pair *pair = &judgement->pair[i];

		if (pair->final)
			continue;
		if (pair->rate.verdict == VERDICT_TOO_FEW)
			return INFINITY;
		widest = fmax(widest, judgement_half_width(&pair->rate));
	}
	return widest;
}

size_t judgement_rounds(const struct judgement *judgement, double half_width)
{
	size_t most = 0, i;

	for (i = 0; i < judgement->pairs; i++) {
		const struct judgement_pair *pair = &judgement->pair[i];
		size_t rounds = statistics_rounds_for_width(&pair->rate, half_width);

		if (pair->final)
			continue;
		if (rounds == 0)
			return 0;
		most = rounds > most ? rounds : most;
	}
	return most;
}
