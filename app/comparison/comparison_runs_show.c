/* SPDX-License-Identifier: BSD-2-Clause */
/* Two or more comparisons held against the first of them: as text and as Markdown. */
#include "comparison_runs.h"
#include "text.h"

const char comparison_runs_nothing[] = "They have no leg and setting in common.";

const char comparison_runs_legend[] =
	"Only cells with the same leg and setting are compared. Their rounds were not "
	"measured side by side, so that everything that changed in between is in the "
	"differences: the intervals say how sure the numbers are, not what the reason is. "
	"\"sees\" is the smallest difference that these rounds would have shown four "
	"times of five.";

static void say_field(void *to, const char *name, const char *text)
{
	text_field(to, name, "%s", text);
}

static void say_item(void *to, const char *name, const char *text)
{
	fprintf(to, "- %s: ", name);
	put_markdown(to, text);
	fputc('\n', to);
}

void comparison_runs_text(const struct comparison_run *run, size_t runs, FILE *out)
{
	const struct speaker speaker = { say_field, out };
	struct sheet sheet;
	size_t i;

	for (i = 1; i < runs; i++) {
		text_paragraph(out, "%s against %s", run[i].name, run[0].name);
		comparison_runs_remarks(&run[0], &run[i], &speaker);
		comparison_runs_sheet(&run[0], &run[i], &sheet);
		fputc('\n', out);
		if (sheet_rows(&sheet) || sheet.failed)
			sheet_text(&sheet, out);
		else
			text_paragraph(out, "%s", comparison_runs_nothing);
		sheet_free(&sheet);
		fputc('\n', out);
	}
	text_paragraph(out, "%s", comparison_runs_legend);
}

void comparison_runs_markdown(const struct comparison_run *run, size_t runs, FILE *out)
{
	const struct speaker speaker = { say_item, out };
	struct sheet sheet;
	size_t i;

	for (i = 1; i < runs; i++) {
		fputs("# ", out);
		put_markdown(out, run[i].name);
		fputs(" against ", out);
		put_markdown(out, run[0].name);
		fputs("\n\n", out);
		comparison_runs_remarks(&run[0], &run[i], &speaker);
		comparison_runs_sheet(&run[0], &run[i], &sheet);
		fputc('\n', out);
		if (sheet_rows(&sheet) || sheet.failed)
			sheet_markdown(&sheet, out);
		else
			fprintf(out, "%s\n", comparison_runs_nothing);
		sheet_free(&sheet);
		fputc('\n', out);
	}
	fprintf(out, "%s\n", comparison_runs_legend);
}
