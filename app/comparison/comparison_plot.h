/* SPDX-License-Identifier: BSD-2-Clause */
/* The plots of a comparison in an HTML page, drawn by gnuplot(1). */
#ifndef APP_COMPARISON_PLOT_H
#define APP_COMPARISON_PLOT_H

#include "comparison_sheets.h"

/* A page that plots are put into. All share one deadline; after the first that
 * fails, `err` is set and no more are tried. */
#define PLOTS 60 /* at most, so that a page of a large sweep can be read */
struct canvas {
	FILE *out;
	uint64_t deadline_ns; /* of clock_ns() */
	uint32_t drawn;
	uint32_t left_out; /* beyond PLOTS */
	int err;           /* of gnuplot_draw() */
};

/* Each puts figures with captions, or nothing where there is nothing to draw. */
/* A bar per leg of a setting: rates, time per packet, CPU time. */
void comparison_plot_bars(struct canvas *canvas, const struct comparison *c,
			  const struct judgement *j,
			  const struct comparison_block *block);
/* Every sample of a setting, in the order they were taken. */
void comparison_plot_rounds(struct canvas *canvas, const struct comparison *c,
			    const struct judgement *j,
			    const struct comparison_block *block);
/* The curves of all legs along one axis, a picture per remaining setting. */
void comparison_plot_curves(struct canvas *canvas, const struct comparison *c,
			    const struct judgement *j);

/* ---- plot_script.c: what the pictures have in common ---- */
#define PLOT_WIDTH 480 /* small enough to be read on a telephone */
#define PLOT_NAME 22   /* columns of a leg's name in a picture */

/* A script that begins with a terminal of that height; plot_end() is due. */
struct plot {
	struct canvas *canvas;
	FILE *script; /* NULL: there is no memory, or no gnuplot */
	char *text;
	size_t length;
};
bool plot_begin(struct plot *plot, struct canvas *canvas, uint32_t height);
/* The same with a list of the legs of those cells below, and `axis` for what is
 * written between it and the lower axis. */
bool plot_begin_keyed(struct plot *plot, struct canvas *canvas,
		      const struct comparison *c, const size_t *cell, size_t cells,
		      uint32_t axis);
#define PLOT_AXIS 56         /* numbers and a label */
#define PLOT_AXIS_UPRIGHT 74 /* the same with upright numbers */
/* Draw it and put it into the page, with a caption above it. */
void plot_end(struct plot *plot, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* "M" and 1e-6 for values up to 2.5e6. */
struct plot_unit {
	const char *prefix;
	double factor;
};
struct plot_unit plot_unit(double largest);
/* "n" and 1 for a time of up to 10 µs in ns, "µ" and 1e-3 for a longer one. */
struct plot_unit plot_time_unit(double largest_ns);

/* Of a leg by its number (comparison_leg()); the same in every picture. */
const char *plot_colour(size_t leg);
int plot_mark(size_t leg);

#endif
