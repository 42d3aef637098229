/* SPDX-License-Identifier: BSD-2-Clause */
/* What the plots of a comparison have in common: script, colours, units, page. */
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "comparison_plot.h"
#include "gnuplot.h"
#include "utf8.h"

#define CHARACTER 7   /* width of one, in units of the picture */
#define KEY_SAMPLE 44 /* the mark beside a name, and gaps */
#define KEY_ROW 18
#define TOP 8    /* margin above and below */
#define AREA 200 /* inside the axes */

/* Told apart by people of any colour vision (M. Okabe and K. Ito, "Color Universal
 * Design", 2008), but for black and yellow, which one of the page's two backgrounds
 * would swallow. */
static const char *const colour[] = {
	"#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#8a8a8a",
};

/* gnuplot's: filled circle, square, triangle, downward one, diamond, pentagon; then
 * the same hollow. */
static const int mark[] = { 7, 5, 9, 11, 13, 15, 6, 4, 8, 10, 12, 14 };

const char *plot_colour(size_t leg)
{
	return colour[leg % (sizeof(colour) / sizeof(colour[0]))];
}

int plot_mark(size_t leg)
{
	return mark[leg % (sizeof(mark) / sizeof(mark[0]))];
}

struct plot_unit plot_unit(double largest)
{
	static const struct plot_unit unit[] = {
		{ "", 1 }, { "k", 1e-3 }, { "M", 1e-6 }, { "G", 1e-9 }, { "T", 1e-12 },
	};
	size_t i = 0;

	while (i + 1 < sizeof(unit) / sizeof(unit[0]) && largest * unit[i].factor >= 1000)
		i++;
	return unit[i];
}

struct plot_unit plot_time_unit(double largest_ns)
{
	return largest_ns < 10000 ? (struct plot_unit){ "n", 1 }
				  : (struct plot_unit){ "µ", 1e-3 };
}

/* How many names stand beside each other in a list below a picture. */
static size_t key_columns(const struct comparison *c, const size_t *cell, size_t cells)
{
	size_t widest = 1, columns, i;

	for (i = 0; i < cells; i++) {
		size_t width = utf8_width(c->cell[cell[i]].leg);

		width = width < PLOT_NAME ? width : PLOT_NAME;
		widest = widest < width ? width : widest;
	}
	columns = PLOT_WIDTH / (widest * CHARACTER + KEY_SAMPLE);
	return columns ? columns : 1;
}

bool plot_begin(struct plot *plot, struct canvas *canvas, uint32_t height)
{
	*plot = (struct plot){ .canvas = canvas };
	if (canvas->err)
		return false;
	if (canvas->drawn == PLOTS) {
		canvas->left_out++;
		return false;
	}
	plot->script = open_memstream(&plot->text, &plot->length);
	if (!plot->script)
		return false;
	fprintf(plot->script,
		"set encoding utf8\n"
		"set terminal svg size %d,%" PRIu32
		" dynamic noenhanced font 'sans-serif,12'\n"
		"set border 3 lw 0.8\n"
		"set tics nomirror scale 0.5\n"
		"set grid lw 0.5 lt 1 lc rgb '#999999'\n"
		"unset key\n",
		PLOT_WIDTH, height);
	return true;
}

bool plot_begin_keyed(struct plot *plot, struct canvas *canvas,
		      const struct comparison *c, const size_t *cell, size_t cells,
		      uint32_t axis)
{
	size_t columns = key_columns(c, cell, cells);
	size_t key = KEY_ROW * ((cells + columns - 1) / columns);
	double height = (double)(TOP + AREA + axis + key + TOP);

	if (!plot_begin(plot, canvas, (uint32_t)height))
		return false;
	/* gnuplot guesses how much room a key needs, and is wrong about it. */
	fprintf(plot->script,
		"set tmargin at screen %g\n"
		"set bmargin at screen %g\n"
		"set key at screen 0.5, screen %g center bottom horizontal maxcols %zu "
		"samplen 1.5\n",
		1 - TOP / height, (double)(axis + key + TOP) / height, TOP / height,
		columns);
	return true;
}

static void put_figure(struct canvas *canvas, const char *svg, const char *caption)
{
	char prefix[24];

	snprintf(prefix, sizeof(prefix), "plot%" PRIu32 "-", ++canvas->drawn);
	fputs("<figure><figcaption>", canvas->out);
	put_html(canvas->out, caption);
	fputs("</figcaption>\n", canvas->out);
	gnuplot_put_svg(svg, prefix, canvas->out);
	fputs("</figure>\n", canvas->out);
}

void plot_end(struct plot *plot, const char *format, ...)
{
	struct canvas *canvas = plot->canvas;
	char caption[256], *svg = NULL;
	va_list args;

	va_start(args, format);
	vsnprintf(caption, sizeof(caption), format, args);
	va_end(args);
	canvas->err = fclose(plot->script) == EOF
			      ? -ENOMEM
			      : gnuplot_draw(plot->text, plot->length,
					     canvas->deadline_ns, &svg);
	if (!canvas->err)
		put_figure(canvas, svg, caption);
	free(svg);
	free(plot->text);
}
