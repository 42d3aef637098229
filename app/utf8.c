/* SPDX-License-Identifier: BSD-2-Clause */
/* Texts of others made fit to be shown, and how wide they are. */
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "utf8.h"

/*
 * The character at `text` and its bytes. 0 for what is no UTF-8 (RFC 3629: not the
 * shortest form, a surrogate, beyond U+10FFFF, cut), and then one byte.
 */
static uint32_t decode(const char *text, size_t *bytes)
{
	static const uint32_t least[] = { 0, 0, 0x80, 0x800, 0x10000 };
	const unsigned char *at = (const unsigned char *)text;
	size_t length = at[0] < 0x80         ? 1
			: at[0] >> 5 == 0x06 ? 2
			: at[0] >> 4 == 0x0e ? 3
			: at[0] >> 3 == 0x1e ? 4
					     : 0;
	uint32_t character = length == 1 ? at[0] : at[0] & (0x7fu >> length);
	size_t i;

	*bytes = 1;
	for (i = 1; i < length; i++) {
		if (at[i] >> 6 != 0x02)
			return 0;
		character = character << 6 | (at[i] & 0x3f);
	}
	if (length == 0 || character < least[length] || character > 0x10ffff ||
	    (character >= 0xd800 && character <= 0xdfff))
		return 0;
	*bytes = length;
	return character;
}

struct range {
	uint32_t first, last;
};

static bool is_in(uint32_t character, const struct range *range, size_t ranges)
{
	for (; ranges > 0; ranges--, range++)
		if (character >= range->first && character <= range->last)
			return true;
	return false;
}
#define IS_IN(character, table) \
	is_in(character, table, sizeof(table) / sizeof((table)[0]))

static bool is_shown(uint32_t character)
{
	/* C0, C1, line and paragraph separators, directions, byte order mark. */
	static const struct range hidden[] = {
		{ 0, 0x1f },        { 0x7f, 0x9f },     { 0x200e, 0x200f },
		{ 0x2028, 0x202e }, { 0x2066, 0x2069 }, { 0xfeff, 0xfeff },
		{ 0xfff9, 0xfffb }, /* annotations */
	};

	return !IS_IN(character, hidden);
}

char *utf8_clean(const char *text)
{
	char *clean, *to;
	size_t bytes;

	text = text ? text : "";
	clean = to = malloc(strlen(text) + 1);
	if (!clean)
		return NULL;
	for (; *text; text += bytes) {
		uint32_t character = decode(text, &bytes);

		if (is_shown(character)) {
			memcpy(to, text, bytes);
			to += bytes;
		} else {
			*to++ = *text == '\n' || *text == '\t' ? ' ' : '?';
		}
	}
	*to = '\0';
	return clean;
}

static size_t columns_of(uint32_t character)
{
	/* Marks that stand on the character before; joiners; variants. */
	static const struct range none[] = {
		{ 0x300, 0x36f },
		{ 0x200b, 0x200d },
		{ 0x20d0, 0x20ff },
		{ 0xfe00, 0xfe0f },
	};
	/* Unicode's East Asian wide and full width, by blocks. */
	static const struct range two[] = {
		{ 0x1100, 0x115f }, { 0x2e80, 0xa4cf },   { 0xac00, 0xd7a3 },
		{ 0xf900, 0xfaff }, { 0xfe30, 0xfe6f },   { 0xff00, 0xff60 },
		{ 0xffe0, 0xffe6 }, { 0x1f300, 0x1faff }, { 0x20000, 0x3fffd },
	};

	return IS_IN(character, none) ? 0 : IS_IN(character, two) ? 2 : 1;
}

size_t utf8_width(const char *text)
{
	size_t columns = 0, bytes;

	for (; *text; text += bytes)
		columns += columns_of(decode(text, &bytes));
	return columns;
}

size_t utf8_fitting(const char *text, size_t columns)
{
	size_t at = 0, bytes, width;

	for (; text[at]; at += bytes) {
		width = columns_of(decode(text + at, &bytes));
		if (width > columns)
			break;
		columns -= width;
	}
	return at;
}
