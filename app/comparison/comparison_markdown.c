/* SPDX-License-Identifier: BSD-2-Clause */
/* A comparison as Markdown, to be put into mails, issues and repositories. */
#include <stdlib.h>

#include "comparison_sheets.h"

static void say_item(void *to, const char *name, const char *text)
{
	fprintf(to, "- %s: ", name);
	put_markdown(to, text);
	fputc('\n', to);
}

static void put_sheet(const char *title, struct sheet *sheet, FILE *out)
{
	if (sheet_rows(sheet) > 0) {
		fprintf(out, "\n%s:\n\n", title);
		sheet_markdown(sheet, out);
	}
	sheet_free(sheet);
}

static void put_block(const struct comparison *c, const struct judgement *j,
		      const struct comparison_block *block, FILE *out)
{
	const struct speaker speaker = { say_item, out };
	char title[COMPARISON_TITLE];
	struct sheet sheet;

	fprintf(out, "\n## %s\n\n",
		comparison_title(&c->cell[block->cell[0]], AXES, title));
	comparison_rates_sheet(c, j, block, &sheet);
	sheet_markdown(&sheet, out);
	sheet_free(&sheet);
	fputc('\n', out);
	comparison_remarks(c, block, &speaker);
	comparison_pairs_sheet(c, j, block, comparison_few_legs(j, block), &sheet);
	put_sheet("Differences", &sheet, out);
	comparison_costs_sheet(c, j, block, &sheet);
	put_sheet("CPU time and system calls", &sheet, out);
	comparison_profile_sheet(c, block, &sheet);
	put_sheet("Shares of the CPU samples", &sheet, out);
}

void comparison_markdown(const struct comparison *c, const struct judgement *j, FILE *out)
{
	const struct speaker speaker = { say_item, out };
	struct comparison_block block;
	size_t i;

	fputs("# dxmit compare\n\n", out);
	comparison_conditions(c, &speaker);
	for (i = 0; i < c->cells; i = comparison_next_block(c, i)) {
		if (comparison_block(c, j, i, &block) == 0)
			put_block(c, j, &block, out);
		else
			fputs("\n(out of memory)\n", out);
		free(block.cell);
	}
	if (j->curves)
		fputs("\n## Curves\n\n", out);
	comparison_curves(c, j, &speaker);
	fprintf(out, "\n%s\n", comparison_legend);
}
