/* SPDX-License-Identifier: BSD-2-Clause */
/* Plots of one setting of a comparison: bars of the legs, and every sample. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "comparison_fields.h"
#include "comparison_plot.h"
#include "gnuplot.h"

#define BAR 26   /* height of a bar and its gap, in units of the picture */
#define FRAME 62 /* of the axis below the bars */

/* ---- bars ---- */

struct bars {
	size_t summary; /* offset in struct judgement_cell */
	const char *caption, *unit;
	struct plot_unit (*scale)(double); /* NULL: the unit is as it is */
};

static const struct bars bars[] = {
	{ offsetof(struct judgement_cell, pps), "Rate", "pps", plot_unit },
	{ offsetof(struct judgement_cell, ns_per_packet), "Time per packet", "s",
	  plot_time_unit },
	{ offsetof(struct judgement_cell, cpu), "CPU time per packet", "µs", NULL },
};

static const struct statistics_summary *summary_of(const struct bars *of,
						   const struct judgement *j, size_t cell)
{
	return (const void *)((const char *)&j->cell[cell] + of->summary);
}

static bool has_bar(const struct bars *of, const struct judgement *j, size_t cell)
{
	return j->cell[cell].rounds > 0 && isfinite(summary_of(of, j, cell)->median);
}

static double largest_bar(const struct bars *of, const struct judgement *j,
			  const struct comparison_block *block)
{
	double largest = 0;
	size_t i;

	for (i = 0; i < block->cells; i++)
		if (has_bar(of, j, block->cell[i]))
			largest = fmax(largest, summary_of(of, j, block->cell[i])->high);
	return largest;
}

/* Names on the axis, and a line of data per bar: place, median, quartiles, colour. */
static void put_bars(FILE *script, const struct bars *of, const struct comparison *c,
		     const struct judgement *j, const struct comparison_block *block,
		     double factor)
{
	size_t place = 0, i;

	fputs("set ytics (", script);
	for (i = 0; i < block->cells; i++)
		if (has_bar(of, j, block->cell[i])) {
			fputs(place ? "," : "", script);
			gnuplot_put_text(script, c->cell[block->cell[i]].leg, PLOT_NAME);
			fprintf(script, " %zu", ++place);
		}
	fputs(")\n$bars << END\n", script);
	place = 0;
	for (i = 0; i < block->cells; i++) {
		const struct statistics_summary *s = summary_of(of, j, block->cell[i]);

		if (has_bar(of, j, block->cell[i]))
			fprintf(script, "%zu %.17g %.17g %.17g 0x%s\n", ++place,
				s->median * factor, s->low * factor, s->high * factor,
				plot_colour(comparison_leg(c, block->cell[i])) + 1);
	}
	fputs("END\n", script);
}

static void plot_bars(struct canvas *canvas, const struct bars *of,
		      const struct comparison *c, const struct judgement *j,
		      const struct comparison_block *block)
{
	double largest = largest_bar(of, j, block);
	struct plot_unit unit =
		of->scale ? of->scale(largest) : (struct plot_unit){ "", 1 };
	size_t shown = 0, i;
	struct plot plot;

	for (i = 0; i < block->cells; i++)
		shown += has_bar(of, j, block->cell[i]);
	if (!(largest > 0) || !plot_begin(&plot, canvas, (uint32_t)(FRAME + BAR * shown)))
		return;
	put_bars(plot.script, of, c, j, block, unit.factor);
	/* Room on the right for the figures. */
	fprintf(plot.script,
		"set xrange [0:%.17g]\n"
		"set yrange [%zu.6:0.4]\n"
		"set xlabel '%s%s'\n"
		"unset grid\n"
		"set grid x lw 0.5 lt 1 lc rgb '#999999'\n"
		"set style fill solid 0.85 noborder\n"
		"plot $bars using 2:1:(0):2:($1-0.33):($1+0.33):5 with boxxyerror lc rgb "
		"variable, "
		"'' using 2:1:3:4 with xerrorbars pt 0 lw 1.2 lc rgb 'black', "
		"'' using 4:1:(sprintf(' %%.4g', $2)) with labels left offset 0.6,0\n",
		1.22 * largest * unit.factor, shown, unit.prefix, of->unit);
	plot_end(&plot, "%s, %s%s: medians of the rounds, with quartiles", of->caption,
		 unit.prefix, of->unit);
}

void comparison_plot_bars(struct canvas *canvas, const struct comparison *c,
			  const struct judgement *j, const struct comparison_block *block)
{
	size_t i;

	for (i = 0; i < sizeof(bars) / sizeof(bars[0]); i++)
		plot_bars(canvas, &bars[i], c, j, block);
}

/* ---- every sample ---- */

static double rate_of(const struct comparison_sample *sample)
{
	return (double)sample->packets * 1e9 / (double)sample->ns;
}

/* Samples of a leg against its median, at the round and the place within it. */
static void put_samples(FILE *script, const struct comparison_cell *cell, double median,
			size_t index, bool disturbed)
{
	size_t i;

	fprintf(script, "$%s%zu << END\n", disturbed ? "disturbed" : "samples", index);
	for (i = 0; i < cell->samples; i++) {
		const struct comparison_sample *sample = &cell->sample[i];

		if (sample->disturbed == disturbed)
			fprintf(script, "%" PRIu32 " %" PRIu32 " %.17g\n", sample->round,
				sample->place, 100 * rate_of(sample) / median);
	}
	fputs("END\n", script);
}

static size_t count_disturbed(const struct comparison_cell *cell)
{
	size_t count = 0, i;

	for (i = 0; i < cell->samples; i++)
		count += cell->sample[i].disturbed;
	return count;
}

static void plot_samples(FILE *script, const struct comparison_cell *cell, size_t index,
			 size_t leg, size_t legs)
{
	fprintf(script,
		"%s$samples%zu using ($1+$2/%zu.0):3 with points pt %d ps 0.6 lc rgb "
		"'%s' title ",
		index ? ", " : "plot ", index, legs, plot_mark(leg), plot_colour(leg));
	gnuplot_put_text(script, cell->leg, PLOT_NAME);
	if (count_disturbed(cell) > 0)
		fprintf(script,
			", $disturbed%zu using ($1+$2/%zu.0):3 with points pt 2 ps 0.8 "
			"lc rgb '%s' notitle",
			index, legs, plot_colour(leg));
}

/* The cells of the block that have a rate, into `cell`. Returns how many. */
static size_t measured(const struct comparison_block *block, const struct judgement *j,
		       size_t *cell)
{
	size_t count = 0, i;

	for (i = 0; i < block->cells; i++)
		if (j->cell[block->cell[i]].rounds &&
		    j->cell[block->cell[i]].pps.median > 0)
			cell[count++] = block->cell[i];
	return count;
}

void comparison_plot_rounds(struct canvas *canvas, const struct comparison *c,
			    const struct judgement *j,
			    const struct comparison_block *block)
{
	size_t *cell = calloc(block->cells, sizeof(*cell));
	size_t cells = cell ? measured(block, j, cell) : 0, i;
	struct plot plot;

	if (cells && plot_begin_keyed(&plot, canvas, c, cell, cells, PLOT_AXIS)) {
		for (i = 0; i < cells; i++) {
			double median = j->cell[cell[i]].pps.median;

			put_samples(plot.script, &c->cell[cell[i]], median, i, false);
			put_samples(plot.script, &c->cell[cell[i]], median, i, true);
		}
		fputs("set xlabel 'round'\n"
		      "set ylabel '% of the median'\n"
		      "set xrange [0.8:*]\n"
		      "set offsets 0,0,graph 0.05,graph 0.05\n",
		      plot.script);
		for (i = 0; i < cells; i++)
			plot_samples(plot.script, &c->cell[cell[i]], i,
				     comparison_leg(c, cell[i]), cells);
		fputc('\n', plot.script);
		plot_end(&plot, "Every sample, in %% of its leg's median rate (crosses: "
				"disturbed, not used)");
	}
	free(cell);
}
