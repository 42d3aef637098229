/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A table as plain data, and ways to show it: for a terminal, as Markdown, as HTML.
 * Texts are cleaned (utf8.h) when they are put in and escaped when they are shown.
 */
#ifndef APP_SHEET_H
#define APP_SHEET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#define SHEET_COLUMNS 72

enum sheet_kind {
	SHEET_TEXT,   /* to the left */
	SHEET_NUMBER, /* to the right */
};

struct sheet {
	size_t columns;
	enum sheet_kind kind[SHEET_COLUMNS];
	char **cell; /* row by row; the first row has the heads */
	size_t cells;
	bool failed; /* for want of memory; then it is shown as that */
};

/* First all columns, then the cells row by row, each in turn. Columns beyond
 * SHEET_COLUMNS are left out with their cells: ask sheet_has_room(). */
void sheet_column(struct sheet *sheet, enum sheet_kind kind, const char *head);
bool sheet_has_room(const struct sheet *sheet);
void sheet_put(struct sheet *sheet, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/* Rows without the heads. */
size_t sheet_rows(const struct sheet *sheet);
void sheet_free(struct sheet *sheet);

void sheet_text(const struct sheet *sheet, FILE *out);
void sheet_markdown(const struct sheet *sheet, FILE *out);
void sheet_html(const struct sheet *sheet, FILE *out);

/* One text with what HTML or Markdown would take for markup escaped. */
void put_html(FILE *out, const char *text);
void put_markdown(FILE *out, const char *text);

#endif
