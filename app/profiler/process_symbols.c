/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The reader of process_symbols.h. Between sampling and reading a file may have been
 * deleted, replaced by another program or by something that is not a file: a file is
 * read only if it is a regular one and still the one that is mapped.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "process_symbols.h"

/* Together; past that files stay without names. */
#define OBJECTS_MOST 256u
#define OBJECTS_MOST_BYTES (256u << 20)

struct object {
	uint32_t major, minor;
	uint64_t inode;
	struct symbols symbols;
};

/* Devices without a number of their own (btrfs, overlayfs) are called differently by
 * stat() and by the list of mappings; then the inode has to do. */
static bool is_mapped_file(const struct mapping *mapping, const struct stat *st)
{
	if (!S_ISREG(st->st_mode) || st->st_ino != mapping->inode)
		return false;
	if (major(st->st_dev) == 0 || mapping->major == 0)
		return true;
	return major(st->st_dev) == mapping->major && minor(st->st_dev) == mapping->minor;
}

/* Open for reading what is surely the mapped file, or -1. Looking comes first, by
 * O_PATH: opening a fifo could wait, opening a device could do anything. */
static int open_checked(const char *path, const struct mapping *mapping)
{
	int fd = -1, seen = open(path, O_PATH | O_CLOEXEC);
	char again[64];
	struct stat st;

	if (seen < 0)
		return -1;
	if (fstat(seen, &st) == 0 && is_mapped_file(mapping, &st)) {
		snprintf(again, sizeof(again), "/proc/self/fd/%d", seen);
		fd = open(again, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	}
	close(seen);
	return fd;
}

/*
 * The file by the mapping itself, which a privileged reader may open even if it was
 * deleted; by its name, as this process sees it; by its name in the process's root.
 */
static int open_mapped(int pid, const struct mapping *mapping)
{
	char path[4200];
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/map_files/%" PRIx64 "-%" PRIx64, pid,
		 mapping->start, mapping->end);
	fd = open_checked(path, mapping);
	if (fd >= 0 || mapping->path[0] != '/')
		return fd;
	fd = open_checked(mapping->path, mapping);
	if (fd < 0 && snprintf(path, sizeof(path), "/proc/%d/root%s", pid,
			       mapping->path) < (int)sizeof(path))
		fd = open_checked(path, mapping);
	return fd;
}

static struct object *known_object(struct process_symbols *symbols,
				   const struct mapping *mapping)
{
	size_t i;

	for (i = 0; i < symbols->objects; i++) {
		struct object *object = &symbols->object[i];

		if (object->inode == mapping->inode && object->major == mapping->major &&
		    object->minor == mapping->minor)
			return object;
	}
	return NULL;
}

/* The mapping's file with its functions; an empty table where it cannot be read, so
 * that this is not tried for each address. NULL if there is no room. */
static struct object *object_of(struct process_symbols *symbols,
				const struct mapping *mapping)
{
	struct object *object = known_object(symbols, mapping);
	int fd;

	if (object)
		return object;
	if (symbols->objects == OBJECTS_MOST ||
	    symbols->objects_bytes > OBJECTS_MOST_BYTES)
		return NULL;
	if (!symbols->object)
		symbols->object = calloc(OBJECTS_MOST, sizeof(*symbols->object));
	if (!symbols->object)
		return NULL;
	object = &symbols->object[symbols->objects++];
	object->major = mapping->major;
	object->minor = mapping->minor;
	object->inode = mapping->inode;
	fd = open_mapped(symbols->pid, mapping);
	if (fd >= 0) {
		(void)symbols_read_elf(fd, &object->symbols);
		close(fd);
	}
	symbols->objects_bytes +=
		object->symbols.room * sizeof(struct symbol) + object->symbols.names_room;
	return object;
}

int process_symbols_select(struct process_symbols *symbols, int pid)
{
	char path[64];
	FILE *in;
	int err;

	process_maps_free(&symbols->maps);
	symbols->pid = pid;
	symbols->readable = false;
	snprintf(path, sizeof(path), "/proc/%d/maps", pid);
	in = fopen(path, "re");
	if (!in)
		return 0;
	err = process_maps_read(in, &symbols->maps);
	fclose(in);
	symbols->readable = err == 0;
	return err == -ENOMEM ? err : 0;
}

const char *process_symbols_name(struct process_symbols *symbols, uint64_t address,
				 char out[SYMBOL_NAME_BYTES])
{
	const struct mapping *mapping = process_maps_find(&symbols->maps, address);
	char file[SYMBOL_NAME_BYTES], text[2 * SYMBOL_NAME_BYTES + 2];
	const struct object *object = NULL;
	const char *function = NULL;

	if (!mapping)
		return symbols_clean_name("[unknown]", strlen("[unknown]"), out);
	mapping_name(mapping, file, sizeof(file));
	if (mapping->inode)
		object = object_of(symbols, mapping);
	if (object)
		function = symbols_find(&object->symbols,
					address - mapping->start + mapping->offset);
	if (function)
		snprintf(text, sizeof(text), "%s %s", function, file);
	else
		snprintf(text, sizeof(text), "%s", file);
	return symbols_clean_name(text, strlen(text), out);
}

void process_symbols_free(struct process_symbols *symbols)
{
	size_t i;

	for (i = 0; i < symbols->objects; i++)
		symbols_free(&symbols->object[i].symbols);
	free(symbols->object);
	process_maps_free(&symbols->maps);
	*symbols = (struct process_symbols){ 0 };
}
