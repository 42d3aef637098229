/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The reader of process_maps.h. A line (proc_pid_maps(5)) is
 *	START-END PERMISSIONS OFFSET MAJOR:MINOR INODE   PATH
 * with numbers in hexadecimal but for the inode. The path may hold anything but a
 * line's end, and a deleted file's has " (deleted)" behind it.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "process_maps.h"

#define MAPPINGS_MOST 65530u /* vm.max_map_count, as the kernel has it */
#define LINE_BYTES 8192      /* PATH_MAX, of which any character may be escaped */
#define DELETED " (deleted)"

/* Returns whether the line is an executable mapping's; *path is within it then. */
static bool parse_line(char *line, struct mapping *out, char **path)
{
	char permissions[5] = "";
	int at = 0;

	if (sscanf(line,
		   "%" SCNx64 "-%" SCNx64 " %4s %" SCNx64 " %" SCNx32 ":%" SCNx32
		   " %" SCNu64 "%n",
		   &out->start, &out->end, permissions, &out->offset, &out->major,
		   &out->minor, &out->inode, &at) != 7)
		return false;
	if (at == 0 || strlen(permissions) != 4 || permissions[2] != 'x' ||
	    out->end <= out->start)
		return false;
	*path = line + at + strspn(line + at, " ");
	(*path)[strcspn(*path, "\n")] = '\0';
	return true;
}

static int add(struct process_maps *maps, size_t *room, const struct mapping *mapping,
	       const char *path)
{
	struct mapping *array = maps->mapping;
	char *copy;

	if (maps->count == *room) {
		*room = *room ? *room * 2 : 16;
		array = realloc(array, *room * sizeof(*array));
		if (!array)
			return -ENOMEM;
		maps->mapping = array;
	}
	copy = strdup(path);
	if (!copy)
		return -ENOMEM;
	array[maps->count] = *mapping;
	array[maps->count++].path = copy;
	return 0;
}

/* The kernel lists them in order; what is not the kernel's text may not. */
static int compare(const void *left, const void *right)
{
	const struct mapping *a = left, *b = right;

	return a->start < b->start ? -1 : a->start > b->start;
}

int process_maps_read(FILE *in, struct process_maps *out)
{
	char line[LINE_BYTES], *path;
	bool within = false;
	size_t room = 0, lines = 0;
	int err = 0;

	*out = (struct process_maps){ 0 };
	while (!err && lines < MAPPINGS_MOST && fgets(line, sizeof(line), in)) {
		struct mapping mapping = { 0 };
		bool whole = strchr(line, '\n') != NULL;

		if (!within && parse_line(line, &mapping, &path))
			err = add(out, &room, &mapping, path);
		within = !whole;
		lines++;
	}
	/* A process that ends meanwhile gives an error, not just an end. */
	if (!err && ferror(in))
		err = -ESRCH;
	if (err)
		process_maps_free(out);
	else if (out->count)
		qsort(out->mapping, out->count, sizeof(*out->mapping), compare);
	return err;
}

const struct mapping *process_maps_find(const struct process_maps *maps, uint64_t address)
{
	size_t low = 0, high = maps->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (maps->mapping[middle].start <= address)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == 0 || address >= maps->mapping[low - 1].end)
		return NULL;
	return &maps->mapping[low - 1];
}

const char *mapping_name(const struct mapping *mapping, char *out, size_t bytes)
{
	const char *base = strrchr(mapping->path, '/');
	size_t length;

	base = base ? base + 1 : mapping->path;
	length = strlen(base);
	if (length > strlen(DELETED) &&
	    strcmp(base + length - strlen(DELETED), DELETED) == 0)
		length -= strlen(DELETED);
	if (length == 0)
		snprintf(out, bytes, "[anonymous]");
	else if (base[0] == '[')
		snprintf(out, bytes, "%.*s", (int)length, base);
	else
		snprintf(out, bytes, "[%.*s]", (int)length, base);
	return out;
}

void process_maps_free(struct process_maps *maps)
{
	size_t i;

	for (i = 0; i < maps->count; i++)
		free(maps->mapping[i].path);
	free(maps->mapping);
	*maps = (struct process_maps){ 0 };
}
