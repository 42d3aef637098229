/* SPDX-License-Identifier: BSD-2-Clause */
/* The tables of symbols.h: an array by address, names in one block beside it. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "symbols.h"

/* A kernel with every module has some 300000. */
#define SYMBOLS_MOST (4u << 20)
#define NAMES_MOST (256u << 20)

/* Room for `more` beyond `used`, by doubling. Returns the array, or NULL, and then
 * the old one is still good. */
static void *grown(void *array, size_t used, size_t more, size_t *room, size_t each)
{
	size_t wanted = *room ? *room : 1024;

	if (used + more <= *room)
		return array;
	while (wanted < used + more)
		wanted *= 2;
	array = realloc(array, wanted * each);
	if (array)
		*room = wanted;
	return array;
}

const char *symbols_clean_name(const char *name, size_t length,
			       char out[SYMBOL_NAME_BYTES])
{
	size_t i;

	for (i = 0; i < length && i < SYMBOL_NAME_BYTES - 1; i++)
		out[i] = (char)(name[i] >= ' ' && name[i] <= '~' ? name[i] : '?');
	out[i] = '\0';
	return out;
}

int symbols_add(struct symbols *symbols, uint64_t start, uint64_t bytes, const char *name,
		size_t length, uint32_t rank)
{
	uint64_t end = bytes <= UINT64_MAX - start ? start + bytes : UINT64_MAX;
	char clean[SYMBOL_NAME_BYTES];
	void *array;

	symbols_clean_name(name, length, clean);
	length = strlen(clean) + 1;
	if (symbols->count >= SYMBOLS_MOST || symbols->names_bytes >= NAMES_MOST)
		return -E2BIG;
	array = grown(symbols->symbol, symbols->count, 1, &symbols->room,
		      sizeof(*symbols->symbol));
	if (!array)
		return -ENOMEM;
	symbols->symbol = array;
	array = grown(symbols->names, symbols->names_bytes, length, &symbols->names_room,
		      1);
	if (!array)
		return -ENOMEM;
	symbols->names = array;
	symbols->symbol[symbols->count++] =
		(struct symbol){ .start = start,
				 .end = end,
				 .name = (uint32_t)symbols->names_bytes,
				 .rank = rank };
	memcpy(symbols->names + symbols->names_bytes, clean, length);
	symbols->names_bytes += length;
	return 0;
}

/* By address. Of several names for one, the lowest rank comes first; then the name
 * without underscores at its begin, which is the one that is documented; then the
 * shorter; then by the alphabet, so that every run calls a function the same. */
static int compare(const void *left, const void *right, void *names)
{
	const struct symbol *a = left, *b = right;
	const char *name_a = (const char *)names + a->name;
	const char *name_b = (const char *)names + b->name;
	size_t length_a, length_b;

	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	if (a->rank != b->rank)
		return a->rank < b->rank ? -1 : 1;
	if ((*name_a == '_') != (*name_b == '_'))
		return *name_a == '_' ? 1 : -1;
	length_a = strlen(name_a);
	length_b = strlen(name_b);
	if (length_a != length_b)
		return length_a < length_b ? -1 : 1;
	return strcmp(name_a, name_b);
}

/* One after another: of several at one address the first stays, as long as the
 * longest of them. */
static void drop_aliases(struct symbols *symbols)
{
	size_t from, to = 0;

	for (from = 1; from < symbols->count; from++) {
		struct symbol *kept = &symbols->symbol[to];
		const struct symbol *next = &symbols->symbol[from];

		if (next->start != kept->start)
			symbols->symbol[++to] = *next;
		else if (next->end > kept->end)
			kept->end = next->end;
	}
	if (symbols->count)
		symbols->count = to + 1;
}

void symbols_sort(struct symbols *symbols)
{
	size_t i;

	if (symbols->count == 0)
		return;
	qsort_r(symbols->symbol, symbols->count, sizeof(*symbols->symbol), compare,
		symbols->names);
	drop_aliases(symbols);
	for (i = 0; i < symbols->count; i++) {
		struct symbol *symbol = &symbols->symbol[i];
		uint64_t next = i + 1 < symbols->count ? symbol[1].start : UINT64_MAX;

		if (symbol->end == symbol->start || symbol->end > next)
			symbol->end = next;
	}
}

const char *symbols_find(const struct symbols *symbols, uint64_t address)
{
	size_t low = 0, high = symbols->count;

	/* The first that begins beyond the address; the one before it may hold it. */
	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (symbols->symbol[middle].start <= address)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == 0 || address >= symbols->symbol[low - 1].end)
		return NULL;
	return symbols->names + symbols->symbol[low - 1].name;
}

void symbols_free(struct symbols *symbols)
{
	free(symbols->symbol);
	free(symbols->names);
	*symbols = (struct symbols){ 0 };
}
