/* SPDX-License-Identifier: BSD-2-Clause */
/* Where the legs' CPUs spent their time, function by function, side by side. */
#include <stdlib.h>
#include <string.h>

#include "comparison_sheets.h"

#define ROWS 60          /* of functions, those with the largest shares */
#define LEAST_SHARE 0.01 /* in at least one leg, else a function is left out */

struct row {
	const char *name;
	bool kernel;
	double largest; /* share among the legs */
};

static double share_of(const struct comparison_cell *cell,
		       const struct comparison_function *function)
{
	return cell->profile_hits ? (double)function->hits / (double)cell->profile_hits
				  : 0;
}

static bool is_same(const struct row *row, const struct comparison_function *function)
{
	return row->kernel == function->kernel && strcmp(row->name, function->name) == 0;
}

/* Largest first; names decide between equals, so that the order is always the same. */
static int by_share(const void *one, const void *two)
{
	const struct row *a = one, *b = two;

	if (a->largest != b->largest)
		return a->largest < b->largest ? 1 : -1;
	return strcmp(a->name, b->name);
}

/* Note the function; once there are ROWS, in place of a smaller one. */
static void note(struct row *row, size_t *rows,
		 const struct comparison_function *function, double share)
{
	size_t i, least = 0;

	for (i = 0; i < *rows && !is_same(&row[i], function); i++)
		if (row[i].largest < row[least].largest)
			least = i;
	if (i < *rows) {
		if (row[i].largest < share)
			row[i].largest = share;
		return;
	}
	if (*rows < ROWS)
		i = (*rows)++;
	else if (row[least].largest < share)
		i = least;
	else
		return;
	row[i] = (struct row){ function->name, function->kernel, share };
}

static size_t collect(const struct comparison *c, const struct comparison_block *block,
		      struct row *row)
{
	size_t rows = 0, i, k;

	for (i = 0; i < block->cells; i++) {
		const struct comparison_cell *cell = &c->cell[block->cell[i]];

		for (k = 0; k < cell->functions; k++) {
			double share = share_of(cell, &cell->function[k]);

			if (share >= LEAST_SHARE)
				note(row, &rows, &cell->function[k], share);
		}
	}
	qsort(row, rows, sizeof(*row), by_share);
	return rows;
}

static void put_share(struct sheet *sheet, const struct comparison_cell *cell,
		      const struct row *row)
{
	char buf[TEXT_NUMBER_BYTES];
	size_t i;

	for (i = 0; i < cell->functions && !is_same(row, &cell->function[i]); i++)
		;
	sheet_put(sheet, "%s",
		  i < cell->functions
			  ? figure_share(share_of(cell, &cell->function[i]), buf)
			  : "0");
}

/* Legs that were profiled are columns. */
static bool is_column(const struct comparison *c, const struct comparison_block *block,
		      size_t i)
{
	return c->cell[block->cell[i]].profile_hits > 0;
}

void comparison_profile_sheet(const struct comparison *c,
			      const struct comparison_block *block, struct sheet *sheet)
{
	struct row row[ROWS];
	size_t rows = collect(c, block, row), i, k;

	memset(sheet, 0, sizeof(*sheet));
	sheet_column(sheet, SHEET_TEXT, "function");
	sheet_column(sheet, SHEET_TEXT, "in");
	for (i = 0; i < block->cells && sheet_has_room(sheet); i++)
		if (is_column(c, block, i))
			sheet_column(sheet, SHEET_NUMBER, c->cell[block->cell[i]].leg);
	for (k = 0; k < rows; k++) {
		sheet_put(sheet, "%s", row[k].name);
		sheet_put(sheet, "%s", row[k].kernel ? "kernel" : "user");
		for (i = 0; i < block->cells; i++)
			if (is_column(c, block, i))
				put_share(sheet, &c->cell[block->cell[i]], &row[k]);
	}
}
