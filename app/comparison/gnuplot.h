/* SPDX-License-Identifier: BSD-2-Clause */
/* gnuplot(1), run as a program that turns a script into an SVG picture. */
#ifndef APP_GNUPLOT_H
#define APP_GNUPLOT_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/*
 * Let gnuplot draw what `script` says to `set terminal svg` on its standard output.
 * Without a shell, without privileges, and killed at deadline_ns of clock_ns().
 * Returns 0 and *svg, all it wrote (free() is due), or -errno: -ENOENT where there
 * is no gnuplot, -ETIMEDOUT, -EPROTO if it failed or wrote no picture.
 */
int gnuplot_draw(const char *script, size_t length, uint64_t deadline_ns, char **svg);

/*
 * The picture as a part of an HTML page: without what stands before the <svg>, with
 * `prefix` before all its ids, since several stand in one page, and with black as
 * the colour of the text around it.
 */
void gnuplot_put_svg(const char *svg, const char *prefix, FILE *out);

/* Any text, cleaned (utf8.h), in single quotes, in which gnuplot replaces nothing; cut
 * to `columns`. */
void gnuplot_put_text(FILE *script, const char *text, size_t columns);

#endif
