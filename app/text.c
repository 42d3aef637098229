/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Laying out text for people: scaled numbers and fields wrapped to 80 columns.
 */
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "text.h"

#define FIELD_INDENT 15  /* "  " and a name of up to 12 characters */
#define FIELD_BYTES 4096 /* the longest field: 256 interrupts */

const char *text_scaled(double value, const char *unit, char buf[TEXT_NUMBER_BYTES])
{
	static const char prefix[][2] = { "", "k", "M", "G", "T", "P", "E" };
	size_t step = 0;
	int decimals;

	if (!isfinite(value) || value >= 999.95e18) {
		snprintf(buf, TEXT_NUMBER_BYTES, "%.3g%s%s", value, *unit ? " " : "",
			 unit);
		return buf;
	}
	/* 999.95 is where "%.1f" starts to print 1000.0. */
	while (value >= 999.95) {
		value /= 1000;
		step++;
	}
	decimals = value >= 99.995 ? 1 : value >= 9.9995 ? 2 : value >= 0.99995 ? 3 : 4;
	/* A whole number below 1000 is exact, so it needs no decimals. */
	if (step == 0 && value == (double)(long long)value)
		decimals = 0;
	snprintf(buf, TEXT_NUMBER_BYTES, "%.*f%s%s%s", decimals, value, *unit ? " " : "",
		 prefix[step], unit);
	return buf;
}

const char *text_time(double ns, char buf[TEXT_NUMBER_BYTES])
{
	static const char unit[][3] = { "ns", "us", "ms", "s" };
	size_t step = 0;

	for (; ns >= 1000 && step < 3; step++)
		ns /= 1000;
	snprintf(buf, TEXT_NUMBER_BYTES, "%.4g %s", ns, unit[step]);
	return buf;
}

const char *text_bytes(uint64_t bytes, char buf[TEXT_NUMBER_BYTES])
{
	static const char unit[][4] = { "B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB" };
	double value = (double)bytes;
	size_t step = 0;

	while (value >= 1024) {
		value /= 1024;
		step++;
	}
	snprintf(buf, TEXT_NUMBER_BYTES, "%.*f %s",
		 value == (double)(long long)value ? 0
		 : value < 10                      ? 2
						   : 1,
		 value, unit[step]);
	return buf;
}

const char *text_count(uint64_t count, char buf[TEXT_NUMBER_BYTES])
{
	if (count >= 100000000)
		return text_scaled((double)count, "", buf);
	snprintf(buf, TEXT_NUMBER_BYTES, "%llu", (unsigned long long)count);
	return buf;
}

/* Print one word; returns the columns it took. */
static size_t put_word(FILE *out, const char *word, size_t length)
{
	size_t i;

	for (i = 0; i < length; i++) {
		unsigned char c = (unsigned char)word[i];

		fputc(c < 0x20 || c == 0x7f ? '?' : c, out);
	}
	return length;
}

/* Print text from `column` on, wrapped, continued at `indent`. */
static void put_wrapped(FILE *out, size_t column, size_t indent, const char *text)
{
	bool line_empty = true;

	while (*text) {
		size_t length = strcspn(text, " ");

		if (!line_empty && column + 1 + length > TEXT_COLUMNS) {
			fprintf(out, "\n%*s", (int)indent, "");
			column = indent;
			line_empty = true;
		}
		if (!line_empty) {
			fputc(' ', out);
			column++;
		}
		/* A word wider than the line is cut, not left to run over. */
		if (column + length > TEXT_COLUMNS)
			length = TEXT_COLUMNS - column;
		column += put_word(out, text, length);
		line_empty = false;
		text += length;
		text += strspn(text, " ");
	}
	fputc('\n', out);
}

void text_field(FILE *out, const char *name, const char *format, ...)
{
	char text[FIELD_BYTES];
	va_list args;
	int column;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	column = fprintf(out, "  %-*s", FIELD_INDENT - 3, name);
	if (column < 0)
		return;
	fputc(' ', out);
	put_wrapped(out, (size_t)column + 1, FIELD_INDENT, text);
}

void text_paragraph(FILE *out, const char *format, ...)
{
	char text[FIELD_BYTES];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	put_wrapped(out, 0, 0, text);
}

bool text_is_terminal(FILE *out)
{
	const char *term = getenv("TERM");
	int fd = fileno(out);

	return fd >= 0 && isatty(fd) && term && *term && strcmp(term, "dumb") != 0;
}

unsigned int text_terminal_lines(FILE *out)
{
	struct winsize size;

	if (ioctl(fileno(out), TIOCGWINSZ, &size) < 0 || size.ws_row == 0)
		return 24;
	return size.ws_row;
}
