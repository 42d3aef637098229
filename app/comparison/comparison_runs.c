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

/* The cell of `c` that is the same leg under the same setting as `like` of `other`,
 * or NULL. */
static const struct comparison_cell *
find_cell(const struct comparison *c, const struct comparison *other, size_t like)
{
	const struct comparison_cell *cell = &other->cell[like];
	size_t namesakes = comparison_namesakes(other, like), i;

	for (i = 0; i < c->cells; i++)
		if (comparison_same_setting(&c->cell[i], cell) &&
		    strcmp(c->cell[i].leg, cell->leg) == 0 && namesakes-- == 0)
			return &c->cell[i];
	return NULL;
}

/* ---- rates ---- */

/* The rates of the rounds. Returns how many, or -ENOMEM; free(*pps) is due in both
 * cases. */
static ssize_t rates_of(const struct comparison_cell *cell, double **pps)
{
	struct judged_rounds rounds;
	int err = judged_rounds(cell, &rounds);
	ssize_t n = 0;
	size_t i;

	*pps = err ? NULL : calloc(rounds.rounds + 1, sizeof(**pps));
	for (i = 0; *pps && i < rounds.rounds; i++)
		if (rounds.round[i].figure[FIGURE_PPS] > 0)
			(*pps)[n++] = rounds.round[i].figure[FIGURE_PPS];
	free(rounds.round);
	return *pps ? n : -ENOMEM;
}

struct change {
	struct statistics_summary was, is; /* pps */
	struct statistics_effect effect;
};

/* Returns 0 or -errno; -ENODATA where one of them has nothing to compare. */
static int compare_cells(const struct comparison_cell *base,
			 const struct comparison_cell *cell, uint64_t seed,
			 struct change *change)
{
	double *a, *b = NULL;
	ssize_t na = rates_of(base, &a);
	ssize_t nb = na < 0 ? na : rates_of(cell, &b);
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
		    const struct comparison_cell *cell, uint64_t seed, bool titled,
		    struct sheet *sheet)
{
	char buf[TEXT_NUMBER_BYTES], title[COMPARISON_TITLE];
	struct change change;
	int err = compare_cells(base, cell, seed, &change);

	if (err == -ENOMEM)
		sheet->failed = true;
	if (err)
		return;
	sheet_put(sheet, "%s", cell->leg);
	if (titled)
		sheet_put(sheet, "%s", comparison_title(cell, AXES, title));
	sheet_put(sheet, "%s", figure_scaled(change.was.median, buf));
	sheet_put(sheet, "%s", figure_scaled(change.is.median, buf));
	comparison_effect_cells(&change.effect, NULL, sheet);
}

void comparison_runs_sheet(const struct comparison_run *base,
			   const struct comparison_run *run, struct sheet *sheet)
{
	const struct comparison *c = run->comparison;
	bool titled = comparison_next_block(c, 0) < c->cells;
	size_t i;

	memset(sheet, 0, sizeof(*sheet));
	sheet_column(sheet, SHEET_TEXT, "leg");
	if (titled)
		sheet_column(sheet, SHEET_TEXT, "setting");
	sheet_column(sheet, SHEET_NUMBER, "was pps");
	sheet_column(sheet, SHEET_NUMBER, "is pps");
	comparison_effect_heads(false, sheet);
	for (i = 0; i < c->cells; i++) {
		const struct comparison_cell *was = find_cell(base->comparison, c, i);

		if (was)
			put_row(was, &c->cell[i], c->seed, titled, sheet);
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
		const struct comparison_cell *is = &c->cell[i];
		const struct comparison_cell *was = find_cell(base, c, i);

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
		if (!find_cell(other->comparison, c, i) && only++ < NAMED)
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

		if (cell->samples == 0 && find_cell(other->comparison, c, i))
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
