/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the functions of running programs are called: address → mapping → file →
 * function. Files are read once and kept until the end.
 */
#ifndef APP_PROCESS_SYMBOLS_H
#define APP_PROCESS_SYMBOLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "process_maps.h"
#include "symbols.h"

struct object;

struct process_symbols {
	int pid;
	bool readable; /* else nothing is known of it: gone, or not ours to see */
	struct process_maps maps;

	struct object *object; /* files, of all processes so far */
	size_t objects;
	size_t objects_bytes; /* that their tables take */
};

/* Look at another process from now on. Returns 0 or -ENOMEM. */
int process_symbols_select(struct process_symbols *symbols, int pid);

/*
 * Call an address of that process: "FUNCTION [FILE]", "[FILE]" where the file has no
 * name for it, "[vdso]", "[anonymous]" for code made at run time, or "[unknown]".
 * Returns `out`.
 */
const char *process_symbols_name(struct process_symbols *symbols, uint64_t address,
				 char out[SYMBOL_NAME_BYTES]);

/* Idempotent. */
void process_symbols_free(struct process_symbols *symbols);

#endif
