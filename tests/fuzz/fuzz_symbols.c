/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Lists of functions and of mappings of any content: the kernel's text, a process's
 * text, an ELF file. What comes of them can be searched and has clean names.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "process_maps.h"
#include "symbols.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define CHECK(condition)          \
	do {                      \
		if (!(condition)) \
			abort();  \
	} while (0)

static void check_name(const char *name)
{
	size_t length = strlen(name), i;

	CHECK(length < SYMBOL_NAME_BYTES);
	for (i = 0; i < length; i++)
		CHECK(name[i] >= ' ' && name[i] <= '~');
}

/* In order, without overlap, and each found where it is and not beyond. */
static void check_symbols(const struct symbols *symbols)
{
	size_t i;

	for (i = 0; i < symbols->count; i++) {
		const struct symbol *s = &symbols->symbol[i];
		const char *name = symbols_find(symbols, s->start);

		CHECK(i == 0 || s[-1].end <= s->start);
		if (s->start == UINT64_MAX)
			continue;
		CHECK(s->end > s->start);
		CHECK(name == symbols->names + s->name);
		CHECK(name == symbols_find(symbols, s->end - 1));
		CHECK(name != symbols_find(symbols, s->end));
		check_name(name);
	}
	CHECK(!symbols->count || !symbols_find(symbols, symbols->symbol[0].start - 1) ||
	      symbols->symbol[0].start == 0);
}

static FILE *text_of(const uint8_t *data, size_t size)
{
	FILE *in = size ? fmemopen((void *)(uintptr_t)data, size, "r") : NULL;

	CHECK(in || size == 0);
	return in;
}

static void kernel(const uint8_t *data, size_t size)
{
	struct symbols symbols = { 0 };
	FILE *in = text_of(data, size);

	if (!in)
		return;
	if (symbols_read_kernel(in, &symbols) == 0)
		check_symbols(&symbols);
	else
		CHECK(!symbols.count);
	symbols_free(&symbols);
	fclose(in);
}

static void elf(const uint8_t *data, size_t size)
{
	struct symbols symbols = { 0 };
	int fd = memfd_create("fuzz", MFD_CLOEXEC);

	CHECK(fd >= 0 && write(fd, data, size) == (ssize_t)size);
	CHECK(symbols_read_elf(fd, &symbols) == 0);
	check_symbols(&symbols);
	symbols_free(&symbols);
	close(fd);
}

static void maps(const uint8_t *data, size_t size)
{
	char name[SYMBOL_NAME_BYTES];
	struct process_maps maps;
	FILE *in = text_of(data, size);
	size_t i;

	if (!in)
		return;
	CHECK(process_maps_read(in, &maps) == 0);
	for (i = 0; i < maps.count; i++) {
		const struct mapping *m = &maps.mapping[i];

		CHECK(m->end > m->start && !strchr(m->path, '\n'));
		CHECK(i == 0 || m[-1].start <= m->start);
		(void)process_maps_find(&maps, m->start);
		(void)process_maps_find(&maps, m->end);
		CHECK(mapping_name(m, name, sizeof(name)) == name);
		CHECK(name[0] == '[' && strlen(name) < sizeof(name));
	}
	process_maps_free(&maps);
	fclose(in);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (size >= 4 && memcmp(data, "\177ELF", 4) == 0)
		elf(data, size);
	kernel(data, size);
	maps(data, size);
	return 0;
}
