/* SPDX-License-Identifier: BSD-2-Clause */
/* A table as plain data. */
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "sheet.h"
#include "utf8.h"

#define FIRST_ROOM 16 /* and doubled whenever it is full */

static bool make_room(struct sheet *sheet)
{
	size_t cells = sheet->cells, room = cells ? 2 * cells : FIRST_ROOM;
	char **grown;

	if (cells > 0 && (cells < FIRST_ROOM || (cells & (cells - 1)) != 0))
		return true;
	grown = reallocarray(sheet->cell, room, sizeof(*grown));
	if (grown)
		sheet->cell = grown;
	return grown != NULL;
}

/* Takes the text; NULL is one that could not be made. */
static void append(struct sheet *sheet, char *text)
{
	if (text && !sheet->failed && make_room(sheet)) {
		sheet->cell[sheet->cells++] = text;
		return;
	}
	free(text);
	sheet->failed = true;
}

bool sheet_has_room(const struct sheet *sheet)
{
	return sheet->columns < SHEET_COLUMNS;
}

void sheet_column(struct sheet *sheet, enum sheet_kind kind, const char *head)
{
	sheet->kind[sheet->columns++] = kind;
	append(sheet, utf8_clean(head));
}

void sheet_put(struct sheet *sheet, const char *format, ...)
{
	va_list args;
	char *text;
	int length;

	va_start(args, format);
	length = vasprintf(&text, format, args);
	va_end(args);
	if (length < 0) {
		sheet->failed = true;
		return;
	}
	append(sheet, utf8_clean(text));
	free(text);
}

size_t sheet_rows(const struct sheet *sheet)
{
	return sheet->columns ? sheet->cells / sheet->columns - 1 : 0;
}

void sheet_free(struct sheet *sheet)
{
	size_t i;

	for (i = 0; i < sheet->cells; i++)
		free(sheet->cell[i]);
	free(sheet->cell);
	memset(sheet, 0, sizeof(*sheet));
}
