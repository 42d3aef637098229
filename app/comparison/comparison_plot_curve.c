/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Plots of the curves of a sweep: all legs along one axis, a picture for each setting
 * of the other axes. Knees are ringed.
 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "comparison_fields.h"
#include "comparison_plot.h"
#include "gnuplot.h"

#define DRAWN_WIDTH 400 /* of the axis, about */
#define TIC_WIDTH 30    /* a number below the axis needs */
#define MAX_TICS 16
#define LOGARITHMIC_FROM 8 /* times from the first value to the last */

/* What of a cell is drawn. */
struct figure {
	size_t summary; /* offset in struct judgement_cell */
	const char *name, *unit;
	struct plot_unit (*scale)(double);
	bool sizes_only;
};

static const struct figure figures[] = {
	{ offsetof(struct judgement_cell, pps), "Rate", "pps", plot_unit, false },
	{ offsetof(struct judgement_cell, l1_bps), "L1 rate", "bit/s", plot_unit, true },
	{ offsetof(struct judgement_cell, ns_per_packet), "Time per packet", "s",
	  plot_time_unit, false },
};

/* The curves in one picture, as indices into the judgement. */
struct picture {
	const struct comparison *c;
	const struct judgement *j;
	const struct figure *figure;
	enum judgement_axis axis;
	size_t *curve, *leg_cell; /* leg_cell: the first cell of each */
	size_t curves;
};

static const struct statistics_summary *summary_of(const struct picture *p, size_t cell)
{
	return (const void *)((const char *)&p->j->cell[cell] + p->figure->summary);
}

static bool has_point(const struct picture *p, size_t cell)
{
	return p->j->cell[cell].rounds > 0 && isfinite(summary_of(p, cell)->median);
}

static uint32_t value_of(const struct picture *p, size_t cell)
{
	return comparison_setting(&p->c->cell[cell], p->axis);
}

/* ---- extents ---- */

struct extent {
	double largest;       /* y */
	uint32_t first, last; /* x */
	uint32_t tic[MAX_TICS];
	size_t tics; /* MAX_TICS: too many to name each */
};

/* In ascending order, each once. */
static void add_tic(struct extent *e, uint32_t value)
{
	size_t at = e->tics;

	while (at > 0 && e->tic[at - 1] > value)
		at--;
	if (e->tics == MAX_TICS || (at > 0 && e->tic[at - 1] == value))
		return;
	memmove(&e->tic[at + 1], &e->tic[at], (e->tics - at) * sizeof(e->tic[0]));
	e->tic[at] = value;
	e->tics++;
}

static struct extent extent_of(const struct picture *p)
{
	struct extent e = { .first = UINT32_MAX };
	size_t i, k;

	for (i = 0; i < p->curves; i++) {
		const struct judgement_curve *curve = &p->j->curve[p->curve[i]];

		for (k = 0; k < curve->cells; k++) {
			uint32_t value = value_of(p, curve->cell[k]);

			if (!has_point(p, curve->cell[k]))
				continue;
			e.largest = fmax(e.largest, summary_of(p, curve->cell[k])->high);
			e.first = value < e.first ? value : e.first;
			e.last = value > e.last ? value : e.last;
			if (e.tics < MAX_TICS)
				add_tic(&e, value);
		}
	}
	return e;
}

/* Sizes and queues are proportional; batches and rings go by powers of two. */
static bool is_logarithmic(const struct picture *p, const struct extent *e)
{
	return (p->axis == AXIS_BATCH || p->axis == AXIS_RING) && e->first > 0 &&
	       e->last / e->first >= LOGARITHMIC_FROM;
}

/* Where a value is on the axis, from 0 to 1. */
static double place_of(const struct extent *e, bool logarithmic, uint32_t value)
{
	return logarithmic
		       ? log2((double)value / e->first) / log2((double)e->last / e->first)
		       : (double)(value - e->first) / (e->last - e->first);
}

/* Neighbours among the tics would touch each other if written along the axis. */
static bool is_crowded(const struct extent *e, bool logarithmic)
{
	size_t i;

	for (i = 1; i < e->tics; i++)
		if (DRAWN_WIDTH * (place_of(e, logarithmic, e->tic[i]) -
				   place_of(e, logarithmic, e->tic[i - 1])) <
		    TIC_WIDTH)
			return true;
	return false;
}

/* ---- the script ---- */

static void put_axis(FILE *script, const struct picture *p, const struct extent *e)
{
	static const char *const label[AXES] = {
		[AXIS_SIZE] = "frame with FCS, bytes",
		[AXIS_QUEUES] = "queues",
		[AXIS_BATCH] = "batch, frames",
		[AXIS_RING] = "ring, descriptors",
	};
	bool logarithmic = is_logarithmic(p, e);
	double margin = 0.04 * (e->last - e->first);
	size_t i;

	if (logarithmic)
		fprintf(script, "set logscale x 2\nset xrange [%g:%g]\n", e->first / 1.2,
			e->last * 1.2);
	else
		fprintf(script, "set xrange [%g:%g]\n", e->first - margin,
			e->last + margin);
	fprintf(script, "set xlabel '%s'\n", label[p->axis]);
	if (e->tics == MAX_TICS)
		return;
	fprintf(script, "set xtics %s (", is_crowded(e, logarithmic) ? "rotate" : "");
	for (i = 0; i < e->tics; i++)
		fprintf(script, "%s'%" PRIu32 "' %" PRIu32, i ? "," : "", e->tic[i],
			e->tic[i]);
	fputs(")\n", script);
}

/* By sizes, the knee is that of the L1 rate. */
static bool shows_knee(const struct picture *p)
{
	return p->axis != AXIS_SIZE || p->figure->sizes_only;
}

/* Returns whether the curve has a knee that is shown. */
static bool put_data(FILE *script, const struct picture *p, size_t index, double factor)
{
	const struct judgement_curve *curve = &p->j->curve[p->curve[index]];
	bool knee = shows_knee(p) && curve->knee < curve->cells &&
		    has_point(p, curve->cell[curve->knee]);
	size_t i;

	fprintf(script, "$curve%zu << END\n", index);
	for (i = 0; i < curve->cells; i++) {
		const struct statistics_summary *s = summary_of(p, curve->cell[i]);

		if (has_point(p, curve->cell[i]))
			fprintf(script, "%" PRIu32 " %.17g %.17g %.17g\n",
				value_of(p, curve->cell[i]), s->median * factor,
				s->low * factor, s->high * factor);
	}
	fprintf(script, "END\n$knee%zu << END\n", index);
	if (knee)
		fprintf(script, "%" PRIu32 " %.17g\n",
			value_of(p, curve->cell[curve->knee]),
			summary_of(p, curve->cell[curve->knee])->median * factor);
	fputs("END\n", script);
	return knee;
}

static void put_plots(FILE *script, const struct picture *p)
{
	size_t i;

	for (i = 0; i < p->curves; i++) {
		size_t leg = comparison_leg(p->c, p->leg_cell[i]);

		fprintf(script,
			"%s$curve%zu using 1:2:3:4 with yerrorlines lw 1.4 pt %d ps 0.7 "
			"lc rgb '%s' title ",
			i ? ", " : "plot ", i, plot_mark(leg), plot_colour(leg));
		gnuplot_put_text(script, p->c->cell[p->leg_cell[i]].leg, PLOT_NAME);
		fprintf(script,
			", $knee%zu using 1:2 with points pt 6 ps 1.8 lw 1.6 lc rgb '%s' "
			"notitle",
			i, plot_colour(leg));
	}
	fputc('\n', script);
}

static bool begin(struct plot *plot, struct canvas *canvas, const struct picture *p,
		  const struct extent *e)
{
	bool upright = is_crowded(e, is_logarithmic(p, e));

	return plot_begin_keyed(plot, canvas, p->c, p->leg_cell, p->curves,
				upright ? PLOT_AXIS_UPRIGHT : PLOT_AXIS);
}

static void draw(struct canvas *canvas, const struct picture *p)
{
	struct extent e = extent_of(p);
	struct plot_unit unit = p->figure->scale(e.largest);
	char title[COMPARISON_TITLE];
	struct plot plot;
	bool knees = false;
	size_t i;

	if (e.tics < 2 || !(e.largest > 0) || !begin(&plot, canvas, p, &e))
		return;
	put_axis(plot.script, p, &e);
	fprintf(plot.script, "set yrange [0:%.17g]\nset ylabel '%s%s'\n",
		1.08 * e.largest * unit.factor, unit.prefix, p->figure->unit);
	for (i = 0; i < p->curves; i++)
		knees |= put_data(plot.script, p, i, unit.factor);
	put_plots(plot.script, p);
	comparison_title(&p->c->cell[p->leg_cell[0]], p->axis, title);
	plot_end(&plot, "%s by %s, %s%s%s%s: medians, with quartiles%s", p->figure->name,
		 comparison_settings[p->axis].key, unit.prefix, p->figure->unit,
		 *title ? "; " : "", title, knees ? "; rings: knees" : "");
}

/* ---- which curves go into one picture ---- */

/* The same axis, and the same setting along the others. */
static bool is_together(const struct comparison *c, const struct judgement_curve *a,
			const struct judgement_curve *b)
{
	size_t i;

	if (a->axis != b->axis || a->cells == 0 || b->cells == 0)
		return false;
	for (i = 0; i < COMPARISON_SETTINGS; i++)
		if (i != a->axis && comparison_setting(&c->cell[a->cell[0]], i) !=
					    comparison_setting(&c->cell[b->cell[0]], i))
			return false;
	return true;
}

static bool is_first(const struct comparison *c, const struct judgement *j, size_t curve)
{
	size_t i;

	for (i = 0; i < curve; i++)
		if (is_together(c, &j->curve[i], &j->curve[curve]))
			return false;
	return j->curve[curve].cells > 0;
}

static void draw_with(struct canvas *canvas, struct picture *p, size_t first)
{
	const struct judgement *j = p->j;
	size_t i;

	p->axis = j->curve[first].axis;
	p->curves = 0;
	for (i = first; i < j->curves; i++)
		if (is_together(p->c, &j->curve[first], &j->curve[i])) {
			p->curve[p->curves] = i;
			p->leg_cell[p->curves++] = j->curve[i].cell[0];
		}
	for (i = 0; i < sizeof(figures) / sizeof(figures[0]); i++) {
		p->figure = &figures[i];
		if (!figures[i].sizes_only || p->axis == AXIS_SIZE)
			draw(canvas, p);
	}
}

void comparison_plot_curves(struct canvas *canvas, const struct comparison *c,
			    const struct judgement *j)
{
	struct picture picture = { .c = c, .j = j };
	size_t i;

	picture.curve = calloc(j->curves + 1, sizeof(*picture.curve));
	picture.leg_cell = calloc(j->curves + 1, sizeof(*picture.leg_cell));
	for (i = 0; picture.curve && picture.leg_cell && i < j->curves; i++)
		if (!canvas->err && is_first(c, j, i))
			draw_with(canvas, &picture, i);
	free(picture.curve);
	free(picture.leg_cell);
}
