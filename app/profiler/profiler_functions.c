/* SPDX-License-Identifier: BSD-2-Clause */
/* The counting of profiler_functions.h: open addressing, at most half full. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "profiler_functions.h"

#define ROOM_FIRST 256u

/* FNV-1a (draft-eastlake-fnv-17). */
static size_t slot_of(const struct profiler_functions *functions, const char *name)
{
	uint64_t hash = 0xcbf29ce484222325ull;

	for (; *name; name++)
		hash = (hash ^ (unsigned char)*name) * 0x100000001b3ull;
	return (size_t)(hash ^ (hash >> 32)) & (functions->room - 1);
}

/* The slot of a function, which may be free. */
static struct comparison_function *find(struct profiler_functions *functions,
					const char *name, bool kernel)
{
	size_t i = slot_of(functions, name);

	while (functions->slot[i].name && (functions->slot[i].kernel != kernel ||
					   strcmp(functions->slot[i].name, name) != 0))
		i = (i + 1) & (functions->room - 1);
	return &functions->slot[i];
}

static int grow(struct profiler_functions *functions)
{
	struct profiler_functions larger = { .room = functions->room ? functions->room * 2
								     : ROOM_FIRST,
					     .used = functions->used };
	size_t i;

	larger.slot = calloc(larger.room, sizeof(*larger.slot));
	if (!larger.slot)
		return -ENOMEM;
	for (i = 0; i < functions->room; i++) {
		const struct comparison_function *f = &functions->slot[i];

		if (f->name)
			*find(&larger, f->name, f->kernel) = *f;
	}
	free(functions->slot);
	*functions = larger;
	return 0;
}

int profiler_functions_add(struct profiler_functions *functions, const char *name,
			   bool kernel, uint64_t hits)
{
	struct comparison_function *slot;

	if (functions->used >= functions->room / 2 && grow(functions))
		return -ENOMEM;
	slot = find(functions, name, kernel);
	if (!slot->name) {
		slot->name = strdup(name);
		if (!slot->name)
			return -ENOMEM;
		slot->kernel = kernel;
		functions->used++;
	}
	slot->hits += hits;
	return 0;
}

/* Most hits first, free slots last; equal ones by name, so that a document does not
 * depend on chance. */
static int compare(const void *left, const void *right)
{
	const struct comparison_function *a = left, *b = right;

	if (!a->name || !b->name)
		return !a->name - !b->name;
	if (a->hits != b->hits)
		return a->hits > b->hits ? -1 : 1;
	if (strcmp(a->name, b->name) != 0)
		return strcmp(a->name, b->name);
	return (int)b->kernel - (int)a->kernel;
}

int profiler_functions_merge(struct profiler_functions *functions, uint64_t hits,
			     struct comparison_cell *cell)
{
	size_t i, count;
	struct comparison_function *kept;
	int err = 0;

	for (i = 0; !err && i < cell->functions; i++)
		err = profiler_functions_add(functions, cell->function[i].name,
					     cell->function[i].kernel,
					     cell->function[i].hits);
	count = functions->used < PROFILER_FUNCTIONS_MOST ? functions->used
							  : PROFILER_FUNCTIONS_MOST;
	kept = calloc(count ? count : 1, sizeof(*kept));
	if (err || !kept) {
		free(kept);
		profiler_functions_free(functions);
		return -ENOMEM;
	}
	if (functions->used)
		qsort(functions->slot, functions->room, sizeof(*functions->slot),
		      compare);
	for (i = 0; i < cell->functions; i++)
		free(cell->function[i].name);
	free(cell->function);
	for (i = 0; i < count; i++) {
		kept[i] = functions->slot[i];
		functions->slot[i].name = NULL; /* the cell's now */
	}
	if (count == 0) {
		free(kept);
		kept = NULL;
	}
	cell->function = kept;
	cell->functions = count;
	cell->profile_hits += hits;
	profiler_functions_free(functions);
	return 0;
}

void profiler_functions_free(struct profiler_functions *functions)
{
	size_t i;

	for (i = 0; i < functions->room; i++)
		free(functions->slot[i].name);
	free(functions->slot);
	*functions = (struct profiler_functions){ 0 };
}
