/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The kernel's functions, from the text of /proc/kallsyms: a line
 *	ADDRESS TYPE NAME
 * or, for a module's or a BPF program's,
 *	ADDRESS TYPE NAME <tab>[MODULE]
 * (kernel/kallsyms.c, s_show()). Sizes are not in it.
 */
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "symbols.h"

/* The kernel's names have at most 512 characters (KSYM_NAME_LEN), modules' 56. */
#define LINE_BYTES 1024
#define TEXT_MOST_BYTES (256ull << 20)
#define PAGE_BYTES 4096u

/* Types of functions, nm(1): text, weak; a small letter is a local name. */
static bool is_function(char type)
{
	return type == 't' || type == 'T' || type == 'w' || type == 'W';
}

/* Where a word that begins at `text` ends. */
static size_t word_length(const char *text)
{
	return strcspn(text, " \t\n");
}

/* Lines of another form are left out. */
static int add_line(const char *line, struct symbols *out)
{
	char name[LINE_BYTES];
	uint64_t address;
	size_t length, module;
	char *rest;

	if (strspn(line, "0123456789abcdef") == 0)
		return 0;
	address = strtoull(line, &rest, 16);
	if (address == 0 || rest[0] != ' ' || !is_function(rest[1]) || rest[2] != ' ')
		return 0;
	line = rest + 3;
	length = word_length(line);
	if (length == 0)
		return 0;
	memcpy(name, line, length);
	line += length;
	line += strspn(line, " \t");
	module = word_length(line);
	if (module) {
		name[length++] = ' ';
		memcpy(name + length, line, module);
		length += module;
	}
	/* A name for the linker to see is the better known one. */
	return symbols_add(out, address, 0, name, length,
			   rest[1] == 't' || rest[1] == 'w');
}

static const char *module_of(const struct symbols *symbols, size_t i)
{
	const char *module = strchr(symbols->names + symbols->symbol[i].name, ' ');

	return module ? module : "";
}

/*
 * The last function of a module, or of the kernel itself, does not reach to the next
 * module, which may be far away: it is taken to end with its page.
 */
static void end_modules(struct symbols *symbols)
{
	size_t i;

	for (i = 0; i < symbols->count; i++) {
		struct symbol *symbol = &symbols->symbol[i];
		uint64_t page_end = (symbol->start | (PAGE_BYTES - 1)) + 1;

		if (i + 1 < symbols->count &&
		    strcmp(module_of(symbols, i), module_of(symbols, i + 1)) == 0)
			continue;
		if (page_end > symbol->start && page_end < symbol->end)
			symbol->end = page_end;
	}
}

int symbols_read_kernel(FILE *kallsyms, struct symbols *out)
{
	char line[LINE_BYTES];
	uint64_t bytes = 0;
	bool within = false; /* a line longer than any should be */
	int err = 0;

	while (!err && fgets(line, sizeof(line), kallsyms)) {
		size_t length = strlen(line);
		bool whole = length > 0 && line[length - 1] == '\n';

		bytes += length + 1;
		if (!within)
			err = add_line(line, out);
		within = !whole;
		if (bytes > TEXT_MOST_BYTES)
			err = -E2BIG;
	}
	if (!err && ferror(kallsyms))
		err = -EIO;
	if (err) {
		symbols_free(out);
		return err;
	}
	symbols_sort(out);
	end_modules(out);
	return 0;
}
