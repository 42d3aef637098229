/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Hits by function, and how they become those of a cell of a comparison.
 */
#ifndef APP_PROFILER_FUNCTIONS_H
#define APP_PROFILER_FUNCTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "comparison.h"

/* A cell keeps this many, those with the most hits. */
#define PROFILER_FUNCTIONS_MOST 64u

struct profiler_functions {
	struct comparison_function *slot; /* a hash table; name NULL: free */
	size_t room;                      /* its slots: 0 or a power of two */
	size_t used;
};

/* Add hits of a function. Returns 0 or -ENOMEM. */
int profiler_functions_add(struct profiler_functions *functions, const char *name,
			   bool kernel, uint64_t hits);

/*
 * Add them to what the cell has, most hits first, and forget them; `hits` is added to
 * the cell's profile_hits. A function that was not among the first of an earlier
 * round has lost that round's hits; the sum has not. Returns 0, or -ENOMEM with the
 * cell as it was.
 */
int profiler_functions_merge(struct profiler_functions *functions, uint64_t hits,
			     struct comparison_cell *cell);

/* Idempotent. */
void profiler_functions_free(struct profiler_functions *functions);

#endif
