/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The tables and remarks that a comparison is shown as, the same for people at a
 * terminal, in Markdown and in HTML.
 */
#ifndef APP_COMPARISON_SHEETS_H
#define APP_COMPARISON_SHEETS_H

#include "comparison.h"
#include "judgement.h"
#include "sheet.h"
#include "text.h"

/* The cells of one setting, as indices into the comparison. */
struct comparison_block {
	size_t *cell;
	size_t cells;
	size_t base; /* index into `cell` of the leg that the others are held
			against: the first that has samples; `cells`: none */
};

/* The block of the setting of which cell `first` is the first one. Returns 0 or
 * -ENOMEM; free(block->cell) is due in both cases. */
int comparison_block(const struct comparison *c, const struct judgement *j, size_t first,
		     struct comparison_block *block);
/* The next first cell of a setting after cell `i`; c->cells: there is none. */
size_t comparison_next_block(const struct comparison *c, size_t i);

/* So few legs were measured that every pair of them is shown. */
bool comparison_few_legs(const struct judgement *j, const struct comparison_block *block);

#define COMPARISON_TITLE 96
/* "64-byte frames, 2 queues, batch 32, ring 512" but for what `without` (AXES:
 * nothing) names; defaults are left out. */
const char *comparison_title(const struct comparison_cell *cell,
			     enum judgement_axis without, char buf[COMPARISON_TITLE]);

/* ---- tables; sheet_free() is due ---- */
/* A row per leg: what it obtained, rates, time per packet, losses. */
void comparison_rates_sheet(const struct comparison *c, const struct judgement *j,
			    const struct comparison_block *block, struct sheet *sheet);
/* A row per leg: CPU time, system calls. */
void comparison_costs_sheet(const struct comparison *c, const struct judgement *j,
			    const struct comparison_block *block, struct sheet *sheet);
/* A row per pair of legs: against the base, or all of them. */
void comparison_pairs_sheet(const struct comparison *c, const struct judgement *j,
			    const struct comparison_block *block, bool all,
			    struct sheet *sheet);
/* Are both of this block and measured, and if not all: is one of them the base? */
bool comparison_pair_is_shown(const struct judgement *j,
			      const struct judgement_pair *pair,
			      const struct comparison_block *block, bool all);
/* The columns of such a row: what a rate is against another, and, if it is to be
 * there, a time per packet (else NULL). */
void comparison_effect_heads(bool time, struct sheet *sheet);
void comparison_effect_cells(const struct statistics_effect *rate,
			     const struct statistics_effect *time, struct sheet *sheet);
/* A row per function, a column per leg; no row if nothing was profiled. */
void comparison_profile_sheet(const struct comparison *c,
			      const struct comparison_block *block, struct sheet *sheet);

/* ---- remarks ---- */
/* Who takes remarks: a name and a text that is clean (utf8.h). */
struct speaker {
	void (*say)(void *to, const char *name, const char *text);
	void *to;
};
void speak(const struct speaker *speaker, const char *name, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* Machine, interface, placement, method. */
void comparison_conditions(const struct comparison *c, const struct speaker *speaker);
/* Legs that could not run or broke off, rounds repeated, counts that differ. */
void comparison_remarks(const struct comparison *c, const struct comparison_block *block,
			const struct speaker *speaker);
/* Curves with their knees. */
void comparison_curves(const struct comparison *c, const struct judgement *j,
		       const struct speaker *speaker);

/* What the columns of the tables mean. */
extern const char comparison_legend[];

/* Figures as they are shown; "-" for what is not known. */
const char *figure_scaled(double value, char buf[TEXT_NUMBER_BYTES]);
const char *figure_plain(double value, char buf[TEXT_NUMBER_BYTES]);
const char *figure_share(double value, char buf[TEXT_NUMBER_BYTES]); /* "1.2 %" */
const char *figure_count(uint64_t count, char buf[TEXT_NUMBER_BYTES]);
/* With a sign: "-66.9". */
const char *figure_difference(double value, char buf[TEXT_NUMBER_BYTES]);

#endif
