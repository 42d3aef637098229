/* SPDX-License-Identifier: BSD-2-Clause */
/* Two comparisons held against each other, leg by leg. */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "comparison_fields.h"
#include "comparison_runs.h"
#include "judgement_figures.h"

static bool is_same_cell(const struct comparison_cell *a, const struct comparison_cell *b)
{
	return strcmp(a->leg, b->leg) == 0 && comparison_same_setting(a, b);
}

static const struct comparison_cell *find_cell(const struct comparison *c,
					       const struct comparison_cell *like)
{
	size_t i;

	for (i = 0; i < c->cells; i++)
		if (is_same_cell(&c->cell[i], like))
			return &c->cell[i];
	return NULL;
}

/* ---- rates ---- */

/* What is known of a figure over the rounds. Returns how many, or -ENOMEM;
 * free(*value) is due in both cases. */
static ssize_t series(const struct comparison_cell *cell, enum figure figure,
		      double **value)
{
	struct judged_rounds rounds;
	int err = judged_rounds(cell, &rounds);
	ssize_t n = 0;
	size_t i;

	*value = err ? NULL : calloc(rounds.rounds + 1, sizeof(**value));
	for (i = 0; *value && i < rounds.rounds; i++)
		if (rounds.round[i].figure[figure] > 0)
			(*value)[n++] = rounds.round[i].figure[figure];
	free(rounds.round);
	return *value ? n : -ENOMEM;
}

struct change {
	struct statistics_summary was, is;
	struct statistics_effect effect;
};

/* Returns 0 or -errno; -ENODATA where one of them has nothing to compare. */
static int compare_cells(const struct comparison_cell *base,
			 const struct comparison_cell *cell, enum figure figure,
			 uint64_t seed, struct change *change)
{
	double *a, *b = NULL;
	ssize_t na = series(base, figure, &a);
	ssize_t nb = na < 0 ? na : series(cell, figure, &b);
	int err = nb < 0 ? (int)nb : na == 0 || nb == 0 ? -ENODATA : 0;

	if (!err) {
		statistics_summarize(a, (size_t)na, &change->was);
		statistics_summarize(b, (size_t)nb, &change->is);
		err = statistics_compare_unpaired(a, (size_t)na, b, (size_t)nb, seed,
						  &change->effect);
	}
	free(a);
	free(b);
	return err;
}

static void put_row(const struct comparison_cell *base,
		    const struct comparison_cell *cell, uint64_t seed,
		    struct sheet *sheet)
{
	char buf[TEXT_NUMBER_BYTES], title[COMPARISON_TITLE];
	struct change rate, time;
	int err = compare_cells(base, cell, FIGURE_PPS, seed, &rate);

	if (!err)
		err = compare_cells(base, cell, FIGURE_NS_PER_PACKET, seed, &time);
	if (err == -ENOMEM)
		sheet->failed = true;
	if (err)
		return;
	sheet_put(sheet, "%s", cell->leg);
	sheet_put(sheet, "%s", comparison_title(cell, AXES, title));
	sheet_put(sheet, "%s", figure_scaled(rate.was.median, buf));
	sheet_put(sheet, "%s", figure_scaled(rate.is.median, buf));
	comparison_effect_cells(&rate.effect, &time.effect, sheet);
}

void comparison_runs_sheet(const struct comparison_run *base,
			   const struct comparison_run *run, struct sheet *sheet)
{
	const struct comparison *c = run->comparison;
	size_t i;

	memset(sheet, 0, sizeof(*sheet));
	sheet_column(sheet, SHEET_TEXT, "leg");
	sheet_column(sheet, SHEET_TEXT, "setting");
	sheet_column(sheet, SHEET_NUMBER, "was pps");
	sheet_column(sheet, SHEET_NUMBER, "is pps");
	comparison_effect_heads(sheet);
	for (i = 0; i < c->cells; i++) {
		const struct comparison_cell *was =
			find_cell(base->comparison, &c->cell[i]);

		if (was)
			put_row(was, &c->cell[i], c->seed, sheet);
	}
}

/* ---- conditions ---- */

static const char *or_unknown(const char *text)
{
	return text && *text ? text : "unknown";
}

static void say_words(const struct comparison *base, const struct comparison *c,
		      const struct speaker *speaker)
{
	size_t i;

	for (i = 0; i < COMPARISON_WORDS; i++) {
		const struct comparison_word *word = &comparison_words[i];
		const char *was = or_unknown(comparison_word(base, word));
		const char *is = or_unknown(comparison_word(c, word));

		if (word->name && strcmp(was, is) != 0)
			speak(speaker, word->name, "%s (was %s)", is, was);
	}
}

static void say_number(double was, double is, const char *name, const char *unit,
		       const struct speaker *speaker)
{
	if (was != is)
		speak(speaker, name, "%g%s (was %g%s)", is, unit, was, unit);
}

static void say_numbers(const struct comparison *base, const struct comparison *c,
			const struct speaker *speaker)
{
	say_number(base->cpus, c->cpus, "CPUs", "", speaker);
	say_number(base->window_seconds, c->window_seconds, "window", " s", speaker);
	say_number(base->warm_up_seconds, c->warm_up_seconds, "warm-up", " s", speaker);
	say_number(base->cool_down_seconds, c->cool_down_seconds, "cool-down", " s",
		   speaker);
	say_number(base->rounds, c->rounds, "rounds", "", speaker);
}

/* What the same leg obtained. */
static void say_obtained(const struct comparison *base, const struct comparison *c,
			 const struct speaker *speaker)
{
	char title[COMPARISON_TITLE];
	size_t i, k;

	for (i = 0; i < c->cells; i++) {
		const struct comparison_cell *is = &c->cell[i],
					     *was = find_cell(base, is);

		for (k = 0; was && k < COMPARISON_CELL_WORDS; k++) {
			const struct comparison_word *word = &comparison_cell_words[k];
			const char *a = comparison_word(was, word);
			const char *b = comparison_word(is, word);

			if (word->name && a && b && strcmp(a, b) != 0)
				speak(speaker, word->name, "%s, %s: %s (was %s)", is->leg,
				      comparison_title(is, AXES, title), b, a);
		}
	}
}

/* ---- what cannot be compared ---- */

#define NAMED 8 /* cells of one run alone */

static void say_only(const struct comparison_run *of, const struct comparison_run *other,
		     const struct speaker *speaker)
{
	const struct comparison *c = of->comparison;
	char title[COMPARISON_TITLE];
	size_t only = 0, i;

	for (i = 0; i < c->cells; i++)
		if (!find_cell(other->comparison, &c->cell[i]) && only++ < NAMED)
			speak(speaker, "alone", "%s: %s, %s", of->name, c->cell[i].leg,
			      comparison_title(&c->cell[i], AXES, title));
	if (only > NAMED)
		speak(speaker, "alone", "%s: %zu more", of->name, only - NAMED);
}

/* Legs that did not run in one of both. */
static void say_missing(const struct comparison_run *of,
			const struct comparison_run *other, const struct speaker *speaker)
{
	const struct comparison *c = of->comparison;
	size_t i;

	for (i = 0; i < c->cells; i++) {
		const struct comparison_cell *cell = &c->cell[i];
		const char *why = cell->unavailable ? cell->unavailable : cell->failure;

		if (cell->samples == 0 && find_cell(other->comparison, cell))
			speak(speaker, "no figures", "%s: %s: %s", of->name, cell->leg,
			      or_unknown(why));
	}
}

void comparison_runs_remarks(const struct comparison_run *base,
			     const struct comparison_run *run,
			     const struct speaker *speaker)
{
	say_words(base->comparison, run->comparison, speaker);
	say_numbers(base->comparison, run->comparison, speaker);
	say_obtained(base->comparison, run->comparison, speaker);
	say_only(base, run, speaker);
	say_only(run, base, speaker);
	say_missing(base, run, speaker);
	say_missing(run, base, speaker);
}
