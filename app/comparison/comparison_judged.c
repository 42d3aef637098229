/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The judgement of a comparison as parts of its JSON document. Rates say L1 or L2,
 * and L2 counts the FCS; what nobody knows is null.
 */
#include "comparison_fields.h"
#include "comparison_judged.h"

static void set_summary(struct json_maker *to, const char *key,
			const struct statistics_summary *summary)
{
	struct json_maker part = json_make_object();

	json_set_finite(&part, "median", summary->median);
	json_set_finite(&part, "low", summary->low);
	json_set_finite(&part, "high", summary->high);
	json_set_finite(&part, "spread", summary->spread);
	json_set_part(to, key, part);
}

struct json_maker comparison_summary_part(const struct judgement_cell *cell)
{
	const struct {
		const char *key;
		const struct statistics_summary *summary;
	} figure[] = {
		{ "pps", &cell->pps },
		{ "l1_bps", &cell->l1_bps },
		{ "l2_bps", &cell->l2_bps },
		{ "ns_per_packet", &cell->ns_per_packet },
		{ "cpu_us_per_packet", &cell->cpu },
		{ "cpu_user_us_per_packet", &cell->cpu_user },
		{ "cpu_system_us_per_packet", &cell->cpu_system },
		{ "cpu_softirq_us_per_packet", &cell->cpu_softirq },
		{ "kicks_per_second", &cell->kicks_per_second },
		{ "packets_per_kick", &cell->packets_per_kick },
	};
	struct json_maker part = json_make_object();
	size_t i;

	json_set_u64(&part, "rounds", cell->rounds);
	for (i = 0; i < sizeof(figure) / sizeof(figure[0]); i++)
		if (cell->rounds)
			set_summary(&part, figure[i].key, figure[i].summary);
		else
			json_set_null(&part, figure[i].key);
	json_set_exact(&part, "lost", cell->rounds ? cell->lost : COMPARISON_UNKNOWN);
	return part;
}

/* A rate that is larger is faster; a time is only more. */
static const char *verdict_name(enum statistics_verdict verdict, bool rate)
{
	switch (verdict) {
	case VERDICT_NONE:
		return "no_difference";
	case VERDICT_FASTER:
		return rate ? "faster" : "more";
	case VERDICT_SLOWER:
		return rate ? "slower" : "less";
	case VERDICT_TOO_FEW:
		break;
	}
	return "too_few_rounds";
}

static struct json_maker effect_part(const struct statistics_effect *effect, bool rate)
{
	struct json_maker part = json_make_object();
	bool known = effect->verdict != VERDICT_TOO_FEW;
	const double nothing = 0.0 / 0.0;
	size_t needed;

	json_set_u64(&part, "rounds", effect->rounds);
	json_set_finite(&part, "ratio", effect->rounds ? effect->ratio : nothing);
	json_set_finite(&part, "ratio_low", known ? effect->low : nothing);
	json_set_finite(&part, "ratio_high", known ? effect->high : nothing);
	json_set_finite(&part, "difference",
			effect->rounds ? effect->difference : nothing);
	json_set_finite(&part, "difference_low",
			known ? effect->difference_low : nothing);
	json_set_finite(&part, "difference_high",
			known ? effect->difference_high : nothing);
	json_set_finite(&part, "smallest_effect", known ? effect->smallest : nothing);
	/* That would show so much four times of five. */
	needed = statistics_rounds_for_effect(effect, 0.01);
	json_set_known(&part, "rounds_for_1_percent", needed ? (int64_t)needed : -1);
	json_set_text(&part, "verdict", verdict_name(effect->verdict, rate));
	return part;
}

struct json_maker comparison_pairs_part(const struct comparison *c,
					const struct judgement *j)
{
	struct json_maker pairs = json_make_array();
	size_t i;

	for (i = 0; i < j->pairs; i++) {
		const struct judgement_pair *pair = &j->pair[i];
		struct json_maker part = json_make_object();

		json_set_u64(&part, "a", pair->a);
		json_set_u64(&part, "b", pair->b);
		json_set_text(&part, "leg_a", c->cell[pair->a].leg);
		json_set_text(&part, "leg_b", c->cell[pair->b].leg);
		json_set_part(&part, "pps", effect_part(&pair->rate, true));
		json_set_part(&part, "ns_per_packet",
			      effect_part(&pair->ns_per_packet, false));
		json_set_part(&part, "cpu_us_per_packet", effect_part(&pair->cpu, false));
		json_append_part(&pairs, part);
	}
	return pairs;
}

static void append_number(struct json_maker *to, uint64_t number)
{
	json_append_part(to, (struct json_maker){ json_integer((json_int_t)number), 0 });
}

struct json_maker comparison_curves_part(const struct comparison *c,
					 const struct judgement *j)
{
	struct json_maker curves = json_make_array();
	size_t i, k;

	for (i = 0; i < j->curves; i++) {
		const struct judgement_curve *curve = &j->curve[i];
		struct json_maker part = json_make_object(), cells = json_make_array();

		for (k = 0; k < curve->cells; k++)
			append_number(&cells, curve->cell[k]);
		json_set_text(&part, "axis", comparison_settings[curve->axis].key);
		json_set_text(&part, "leg",
			      curve->cells ? c->cell[curve->cell[0]].leg : NULL);
		json_set_part(&part, "cells", cells);
		json_set_known(&part, "knee_cell",
			       curve->knee < curve->cells
				       ? (int64_t)curve->cell[curve->knee]
				       : -1);
		json_append_part(&curves, part);
	}
	return curves;
}
