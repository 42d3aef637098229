/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Laying out text for people: scaled numbers and fields wrapped to 80 columns.
 */
#ifndef APP_TEXT_H
#define APP_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define TEXT_COLUMNS 80
#define TEXT_NUMBER_BYTES 48

/*
 * Write a number with four significant digits and a decimal prefix, then the
 * unit: "148.8M" for unit "", "148.8 Mpps" for "pps". Values from 1e21 up and
 * values that are not finite are written without a prefix. Returns buf.
 */
const char *text_scaled(double value, const char *unit, char buf[TEXT_NUMBER_BYTES]);

/* A time given in nanoseconds: "416.8 ns", "4.517 us", "1.002 s". Returns buf. */
const char *text_time(double ns, char buf[TEXT_NUMBER_BYTES]);

/* Bytes with a binary prefix: "4.00 MiB". Returns buf. */
const char *text_bytes(uint64_t bytes, char buf[TEXT_NUMBER_BYTES]);

/* A count in at most 8 columns: exact below 1e8, else scaled. Returns buf. */
const char *text_count(uint64_t count, char buf[TEXT_NUMBER_BYTES]);

/*
 * Print "  NAME   TEXT", the text wrapped at spaces to 80 columns and
 * continued under its own first column. Control characters (an interface name
 * may hold some) are printed as '?'.
 */
void text_field(FILE *out, const char *name, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* Print text wrapped to 80 columns from column 0. */
void text_paragraph(FILE *out, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* True if `out` is a terminal that can move its cursor. */
bool text_is_terminal(FILE *out);

/* Lines of the terminal behind `out`; 24 when it does not say. */
unsigned int text_terminal_lines(FILE *out);

#endif
