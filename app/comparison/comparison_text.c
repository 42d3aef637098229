/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A comparison as text for people: the conditions, then for each setting the legs,
 * what they cost, how they differ, and where their time went; last the curves.
 */
#include <stdlib.h>
#include <string.h>

#include "comparison_sheets.h"
#include "text.h"
#include "utf8.h"

static void say_field(void *to, const char *name, const char *text)
{
	text_field(to, name, "%s", text);
}

static void put_sheet(struct sheet *sheet, FILE *out)
{
	if (sheet_rows(sheet) > 0) {
		fputc('\n', out);
		sheet_text(sheet, out);
	}
	sheet_free(sheet);
}

/* Line by line, each as it was printed but for what would command the terminal. */
static void put_output(const struct comparison_cell *cell, FILE *out)
{
	char *copy = strdup(cell->output), *rest = copy, *line, *clean;

	text_field(out, "printed", "%s:", cell->leg);
	while (rest && (line = strsep(&rest, "\n")) != NULL) {
		clean = utf8_clean(line);
		if (clean && *clean)
			fprintf(out, "    %s\n", clean);
		free(clean);
	}
	free(copy);
}

static void put_outputs(const struct comparison *c, const struct comparison_block *block,
			FILE *out)
{
	size_t i;

	for (i = 0; i < block->cells; i++)
		if (c->cell[block->cell[i]].output)
			put_output(&c->cell[block->cell[i]], out);
}

static void put_block(const struct comparison *c, const struct judgement *j,
		      const struct comparison_block *block, bool verbose, FILE *out)
{
	bool all = verbose || comparison_few_legs(j, block);
	const struct speaker speaker = { say_field, out };
	char title[COMPARISON_TITLE];
	struct sheet sheet;

	fprintf(out, "\n%s\n", comparison_title(&c->cell[block->cell[0]], AXES, title));
	comparison_rates_sheet(c, j, block, &sheet);
	sheet_text(&sheet, out);
	sheet_free(&sheet);
	comparison_remarks(c, block, &speaker);
	if (verbose)
		put_outputs(c, block, out);
	comparison_costs_sheet(c, j, block, &sheet);
	put_sheet(&sheet, out);
	comparison_pairs_sheet(c, j, block, all, &sheet);
	put_sheet(&sheet, out);
	comparison_profile_sheet(c, block, &sheet);
	put_sheet(&sheet, out);
}

static void put_all(const struct comparison *c, const struct judgement *j, bool verbose,
		    FILE *out)
{
	const struct speaker speaker = { say_field, out };
	struct comparison_block block;
	size_t i;

	text_paragraph(out, "dxmit compare");
	comparison_conditions(c, &speaker);
	for (i = 0; i < c->cells; i = comparison_next_block(c, i)) {
		if (comparison_block(c, j, i, &block) == 0)
			put_block(c, j, &block, verbose, out);
		else
			text_paragraph(out, "(out of memory)");
		free(block.cell);
	}
	if (j->curves)
		fputs("\ncurves\n", out);
	comparison_curves(c, j, &speaker);
	fputc('\n', out);
	text_paragraph(out, "%s", comparison_legend);
}

void comparison_text(const struct comparison *c, const struct judgement *j, FILE *out)
{
	put_all(c, j, false, out);
}

void comparison_text_verbose(const struct comparison *c, const struct judgement *j,
			     FILE *out)
{
	put_all(c, j, true, out);
}
