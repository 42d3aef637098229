/* SPDX-License-Identifier: BSD-2-Clause */
/* Ways to show a table: for a terminal, as Markdown, as HTML. */
#include <string.h>

#include "sheet.h"
#include "text.h"
#include "utf8.h"

#define MAX_COLUMNS 100 /* of a terminal; a wider table is shown in parts */
#define MAX_CELL 22     /* of one cell there but the last, which may be longer */
#define GAP 2           /* between two columns */

static const char *cell_at(const struct sheet *sheet, size_t row, size_t column)
{
	return sheet->cell[row * sheet->columns + column];
}

/* False, and said, for a table that lacks cells. */
static bool is_whole(const struct sheet *sheet, FILE *out)
{
	if (sheet->failed)
		fputs("(out of memory for this table)\n", out);
	return !sheet->failed;
}

/* ---- for a terminal ---- */

static size_t width_of(const struct sheet *sheet, size_t column)
{
	size_t widest = 0, row;

	for (row = 0; row <= sheet_rows(sheet); row++) {
		size_t width = utf8_width(cell_at(sheet, row, column));

		if (width > widest)
			widest = width;
	}
	return widest < MAX_CELL ? widest : MAX_CELL;
}

static void pad(size_t columns, FILE *out)
{
	fprintf(out, "%*s", (int)columns, "");
}

/* Cut with an ellipsis where it is wider than its column. `rest` is what was left
 * blank before it and not written yet, so that no line ends in blanks. Returns what
 * is left blank after it. */
static size_t put_cell(const char *text, size_t width, enum sheet_kind kind, size_t rest,
		       FILE *out)
{
	size_t wide = utf8_width(text), blank = wide < width ? width - wide : 0;

	if (!*text)
		return rest + width;
	pad(rest + (kind == SHEET_NUMBER ? blank : 0), out);
	if (wide > width)
		fprintf(out, "%.*s…", (int)utf8_fitting(text, width - 1), text);
	else
		fputs(text, out);
	return kind == SHEET_NUMBER ? 0 : blank;
}

/* The first column, and those from `first` up to `end`. */
static void put_row(const struct sheet *sheet, const size_t *width, size_t row,
		    size_t first, size_t end, FILE *out)
{
	size_t rest = put_cell(cell_at(sheet, row, 0), width[0], sheet->kind[0], 0, out);
	size_t column;

	for (column = first; column < end; column++) {
		const char *text = cell_at(sheet, row, column);

		rest = put_cell(text,
				column + 1 == sheet->columns &&
						sheet->kind[column] == SHEET_TEXT
					? SIZE_MAX
					: width[column],
				sheet->kind[column], rest + GAP, out);
	}
	fputc('\n', out);
}

/* How many columns from `first` on fit beside the first one: the end of them. */
static size_t fitting_end(const struct sheet *sheet, const size_t *width, size_t first)
{
	size_t total = width[0], end = first;

	do
		total += GAP + width[end++];
	while (end < sheet->columns && total + GAP + width[end] <= MAX_COLUMNS);
	return end;
}

void sheet_text(const struct sheet *sheet, FILE *out)
{
	size_t width[SHEET_COLUMNS], column, first, end, row;

	if (!is_whole(sheet, out))
		return;
	for (column = 0; column < sheet->columns; column++)
		width[column] = width_of(sheet, column);
	for (first = 1; first < sheet->columns; first = end) {
		end = fitting_end(sheet, width, first);
		for (row = 0; row <= sheet_rows(sheet); row++)
			put_row(sheet, width, row, first, end, out);
	}
}

/* ---- Markdown (GitHub's, with tables) ---- */

void put_markdown(FILE *out, const char *text)
{
	for (; *text; text++) {
		/* A bar ends a cell even in code. */
		if (strchr("\\`*_[]<>#|~$", *text))
			fputc('\\', out);
		fputc(*text, out);
	}
}

void sheet_markdown(const struct sheet *sheet, FILE *out)
{
	size_t row, column;

	if (!is_whole(sheet, out))
		return;
	for (row = 0; row <= sheet_rows(sheet); row++) {
		for (column = 0; column < sheet->columns; column++) {
			fputs(column ? " | " : "| ", out);
			put_markdown(out, cell_at(sheet, row, column));
		}
		fputs(" |\n", out);
		for (column = 0; row == 0 && column < sheet->columns; column++)
			fputs(sheet->kind[column] == SHEET_NUMBER ? "|---:" : "|---",
			      out);
		if (row == 0)
			fputs("|\n", out);
	}
}

/* ---- HTML ---- */

void put_html(FILE *out, const char *text)
{
	for (; *text; text++)
		switch (*text) {
		case '&':
			fputs("&amp;", out);
			break;
		case '<':
			fputs("&lt;", out);
			break;
		case '>':
			fputs("&gt;", out);
			break;
		case '"':
			fputs("&quot;", out);
			break;
		case '\'':
			fputs("&#39;", out);
			break;
		default:
			fputc(*text, out);
		}
}

static void html_row(const struct sheet *sheet, size_t row, FILE *out)
{
	size_t column;

	fputs("<tr>", out);
	for (column = 0; column < sheet->columns; column++) {
		const char *tag = row == 0      ? "th scope=\"col\""
				  : column == 0 ? "th scope=\"row\""
						: "td";

		fprintf(out, "<%s%s>", tag,
			sheet->kind[column] == SHEET_NUMBER ? " class=\"number\"" : "");
		put_html(out, cell_at(sheet, row, column));
		fprintf(out, "</%.2s>", tag);
	}
	fputs("</tr>\n", out);
}

void sheet_html(const struct sheet *sheet, FILE *out)
{
	size_t row;

	if (!is_whole(sheet, out))
		return;
	fputs("<div class=\"table\"><table>\n<thead>\n", out);
	html_row(sheet, 0, out);
	fputs("</thead>\n<tbody>\n", out);
	for (row = 1; row <= sheet_rows(sheet); row++)
		html_row(sheet, row, out);
	fputs("</tbody>\n</table></div>\n", out);
}
