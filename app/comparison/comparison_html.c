/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A comparison as one HTML page that needs nothing else: no network, no script. Plots
 * are SVG inside it. Every text of others goes through put_html().
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "comparison_plot.h"
#include "comparison_runs.h"
#include "html_page.h"
#include "sender.h"

#define DRAWING_NS 30000000000u /* for all plots of a page */
#define PLOTTED_BLOCKS 6 /* settings with plots of their own; more have tables alone */

static void say_term(void *to, const char *name, const char *text)
{
	fprintf(to, "<dt>%s</dt><dd>", name);
	put_html(to, text);
	fputs("</dd>\n", to);
}

static void put_sheet(const char *title, struct sheet *sheet, FILE *out)
{
	if (sheet_rows(sheet) > 0) {
		fprintf(out, "<h3>%s</h3>\n", title);
		sheet_html(sheet, out);
	}
	sheet_free(sheet);
}

/* ---- what it comes to ---- */

/* "direct against copy: 1.25 times as fast [1.24, 1.26]". */
static void put_finding(const struct comparison *c, const struct judgement_pair *pair,
			FILE *out)
{
	char words[JUDGEMENT_TEXT], time[JUDGEMENT_TEXT];

	judgement_verdict_text(&pair->rate, words);
	judgement_time_text(&pair->ns_per_packet, "ns", time);
	fputs("<li><b>", out);
	html_text(out, c->cell[pair->b].leg);
	fputs("</b> against ", out);
	html_text(out, c->cell[pair->a].leg);
	fputs(": <b>", out);
	put_html(out, words);
	fputs("</b>; per packet: ", out);
	put_html(out, time);
	fputs("</li>\n", out);
}

static void put_findings(const struct comparison *c, const struct judgement *j,
			 const struct comparison_block *block, FILE *out)
{
	size_t found = 0, i;

	for (i = 0; i < j->pairs; i++)
		if (comparison_pair_is_shown(j, &j->pair[i], block, false)) {
			fputs(found++ ? "" : "<ul>\n", out);
			put_finding(c, &j->pair[i], out);
		}
	fputs(found ? "</ul>\n" : "", out);
}

/* ---- a setting ---- */

static void put_outputs(const struct comparison *c, const struct comparison_block *block,
			FILE *out)
{
	size_t i;

	for (i = 0; i < block->cells; i++) {
		const struct comparison_cell *cell = &c->cell[block->cell[i]];

		if (!cell->output || !*cell->output)
			continue;
		fputs("<details><summary>what ", out);
		html_text(out, cell->leg);
		fputs(" printed last</summary><pre>", out);
		html_lines(out, cell->output);
		fputs("</pre></details>\n", out);
	}
}

/* Those against the base; if there are many, all of them on demand. */
static void put_pairs(const struct comparison *c, const struct judgement *j,
		      const struct comparison_block *block, FILE *out)
{
	bool few = comparison_few_legs(j, block);
	struct sheet sheet;

	comparison_pairs_sheet(c, j, block, few, &sheet);
	put_sheet("Differences", &sheet, out);
	if (few)
		return;
	comparison_pairs_sheet(c, j, block, true, &sheet);
	fputs("<details><summary>Every pair</summary>\n", out);
	sheet_html(&sheet, out);
	fputs("</details>\n", out);
	sheet_free(&sheet);
}

static void put_tables(const struct comparison *c, const struct judgement *j,
		       const struct comparison_block *block, FILE *out)
{
	const struct speaker speaker = { say_term, out };
	struct sheet sheet;

	comparison_rates_sheet(c, j, block, &sheet);
	put_sheet("Rates", &sheet, out);
	fputs("<dl>\n", out);
	comparison_remarks(c, block, &speaker);
	fputs("</dl>\n", out);
	put_pairs(c, j, block, out);
	comparison_costs_sheet(c, j, block, &sheet);
	put_sheet("CPU time and system calls", &sheet, out);
	comparison_profile_sheet(c, block, &sheet);
	put_sheet("Where the CPUs were: shares of the samples", &sheet, out);
	put_outputs(c, block, out);
}

static void put_block(const struct comparison *c, const struct judgement *j,
		      const struct comparison_block *block, bool plots,
		      struct canvas *canvas)
{
	char title[COMPARISON_TITLE];

	fputs("<section><h2>", canvas->out);
	put_html(canvas->out, comparison_title(&c->cell[block->cell[0]], AXES, title));
	fputs("</h2>\n", canvas->out);
	put_findings(c, j, block, canvas->out);
	if (plots) {
		fputs("<div class=\"plots\">\n", canvas->out);
		comparison_plot_bars(canvas, c, j, block);
		comparison_plot_rounds(canvas, c, j, block);
		fputs("</div>\n", canvas->out);
	}
	put_tables(c, j, block, canvas->out);
	fputs("</section>\n", canvas->out);
}

static size_t count_blocks(const struct comparison *c)
{
	size_t blocks = 0, i;

	for (i = 0; i < c->cells; i = comparison_next_block(c, i))
		blocks++;
	return blocks;
}

/* ---- the page ---- */

static void put_curves(const struct comparison *c, const struct judgement *j,
		       struct canvas *canvas)
{
	const struct speaker speaker = { say_term, canvas->out };

	if (j->curves == 0)
		return;
	fputs("<section><h2>Curves</h2>\n<div class=\"plots\">\n", canvas->out);
	comparison_plot_curves(canvas, c, j);
	fputs("</div>\n<dl>\n", canvas->out);
	comparison_curves(c, j, &speaker);
	fputs("</dl></section>\n", canvas->out);
}

static void put_conditions(const struct comparison *c, FILE *out)
{
	const struct speaker speaker = { say_term, out };

	fputs("<section><h2>Conditions</h2>\n<dl>\n", out);
	comparison_conditions(c, &speaker);
	fputs("</dl></section>\n", out);
}

static void put_missing_plots(const struct canvas *canvas)
{
	char text[96];

	snprintf(text, sizeof(text), "%" PRIu32 " more plots are left out.",
		 canvas->left_out);
	if (canvas->left_out)
		html_paragraph(canvas->out, text);
	if (canvas->err)
		html_paragraph(
			canvas->out,
			canvas->err == -ENOENT
				? "Plots are missing: there is no gnuplot(1) here. "
				  "Install gnuplot-nox and write the page again with "
				  "'dxmit report FILE --html PAGE', where FILE is what "
				  "--json wrote."
			: canvas->err == -ETIMEDOUT
				? "Some plots are missing: gnuplot(1) took too long."
				: "Some plots are missing: gnuplot(1) failed.");
}

int comparison_html(const struct comparison *c, const struct judgement *j, FILE *out)
{
	struct canvas canvas = { .out = out, .deadline_ns = clock_ns() + DRAWING_NS };
	bool plots = count_blocks(c) <= PLOTTED_BLOCKS;
	struct comparison_block block;
	size_t i;
	int err = 0;

	html_begin(out, "dxmit compare", c->interface);
	put_curves(c, j, &canvas);
	for (i = 0; i < c->cells && !err; i = comparison_next_block(c, i)) {
		err = comparison_block(c, j, i, &block);
		if (!err)
			put_block(c, j, &block, plots, &canvas);
		free(block.cell);
	}
	put_missing_plots(&canvas);
	put_conditions(c, out);
	html_paragraph(out, comparison_legend);
	html_end(out);
	return err;
}

/* ---- several runs ---- */

int comparison_runs_html(const struct comparison_run *run, size_t runs, FILE *out)
{
	const struct speaker speaker = { say_term, out };
	struct sheet sheet;
	size_t i;

	html_begin(out, "dxmit report", run[0].name);
	for (i = 1; i < runs; i++) {
		fputs("<section><h2>", out);
		html_text(out, run[i].name);
		fputs(" against ", out);
		html_text(out, run[0].name);
		fputs("</h2>\n<dl>\n", out);
		comparison_runs_remarks(&run[0], &run[i], &speaker);
		fputs("</dl>\n", out);
		comparison_runs_sheet(&run[0], &run[i], &sheet);
		if (sheet_rows(&sheet) || sheet.failed)
			sheet_html(&sheet, out);
		else
			html_paragraph(out, comparison_runs_nothing);
		sheet_free(&sheet);
		fputs("</section>\n", out);
	}
	html_paragraph(out, comparison_runs_legend);
	html_end(out);
	return 0;
}
