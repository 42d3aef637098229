/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a process has mapped for execution, from the text of /proc/PID/maps.
 */
#ifndef APP_PROCESS_MAPS_H
#define APP_PROCESS_MAPS_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct mapping {
	uint64_t start, end;
	uint64_t offset; /* of its start in the file */
	uint32_t major, minor;
	uint64_t inode; /* 0: no file */
	char *path;     /* "" for anonymous memory; "[vdso]" … */
};

struct process_maps {
	struct mapping *mapping;
	size_t count;
};

/* Read executable mappings; lines of another form are left out, as is what is
 * beyond the 65530 a process may have. Returns 0 or -errno; then it is empty. */
int process_maps_read(FILE *in, struct process_maps *out);

/* The mapping of an address, or NULL. */
const struct mapping *process_maps_find(const struct process_maps *maps,
					uint64_t address);

/*
 * The file a mapping is of, without its directory, in brackets: "[libc.so.6]";
 * "[vdso]"; "[anonymous]". Returns `out`.
 */
const char *mapping_name(const struct mapping *mapping, char *out, size_t bytes);

/* Idempotent. */
void process_maps_free(struct process_maps *maps);

#endif
