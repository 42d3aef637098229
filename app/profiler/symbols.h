/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Tables of functions: which one an address is in. Filled from the kernel's list or
 * from a program's file; neither is trusted.
 */
#ifndef APP_SYMBOLS_H
#define APP_SYMBOLS_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* Names are cut to fit this, with their terminator. */
#define SYMBOL_NAME_BYTES 128

struct symbol {
	uint64_t start, end; /* end: the first address beyond */
	uint32_t name;       /* where in `names` */
	uint32_t rank;       /* of two names for one address the lower is taken */
};

struct symbols {
	struct symbol *symbol; /* by start, after symbols_sort() */
	size_t count, room;
	char *names;
	size_t names_bytes, names_room;
};

/*
 * Add a function of `length` characters' name. With `bytes` 0 its size is unknown
 * and it reaches to the next one. Returns 0, -ENOMEM, or -E2BIG when there are more
 * than any program has.
 */
int symbols_add(struct symbols *symbols, uint64_t start, uint64_t bytes, const char *name,
		size_t length, uint32_t rank);

/* After the last symbols_add(): order them, one name for each address. Where one
 * begins within another, the other ends there. */
void symbols_sort(struct symbols *symbols);

/* The function at an address, or NULL. The text is of the table. */
const char *symbols_find(const struct symbols *symbols, uint64_t address);

/* Idempotent; the table is then empty. */
void symbols_free(struct symbols *symbols);

/* Copy a name without what no terminal or document should get: all but printable
 * ASCII becomes '?'. Cut to fit. Returns `out`. */
const char *symbols_clean_name(const char *name, size_t length,
			       char out[SYMBOL_NAME_BYTES]);

/*
 * symbols_kernel.c: functions from a text as /proc/kallsyms has it, those of modules
 * called "NAME [MODULE]". Where the kernel hides its addresses (all are zero) the
 * table stays empty. Returns 0 or -errno.
 */
int symbols_read_kernel(FILE *kallsyms, struct symbols *out);

/*
 * symbols_elf.c: functions of an ELF file by their offset in that file, which does
 * not depend on where the file is mapped. `fd` is a regular file; it is only read,
 * never mapped, so it may be cut meanwhile. Anything but a sound ELF file gives an
 * empty table. Returns 0 or -ENOMEM.
 */
int symbols_read_elf(int fd, struct symbols *out);

#endif
