/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Guards names of addresses in processes: the list of mappings, this very process,
 * and files that are no longer what was mapped.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <unistd.h>

#include "elf_fixture.h"
#include "process_symbols.h"

static void read_maps(const char *text, struct process_maps *out)
{
	FILE *in = fmemopen((void *)(uintptr_t)text, strlen(text), "r");

	assert_non_null(in);
	assert_int_equal(process_maps_read(in, out), 0);
	fclose(in);
}

static void assert_mapping(const struct process_maps *maps, uint64_t address,
			   const char *name)
{
	const struct mapping *mapping = process_maps_find(maps, address);
	char text[64] = "";

	if (mapping)
		mapping_name(mapping, text, sizeof(text));
	assert_string_equal(text, name);
}

static void mappings(void **state)
{
	static const char text[] =
		"55e0c000-55e0d000 r--p 00000000 fe:01 123   /usr/bin/dxmit\n"
		"55e0d000-55e0f000 r-xp 00001000 fe:01 123   /usr/bin/dxmit\n"
		"55e0f000-55e10000 rw-p 00003000 fe:01 123   /usr/bin/dxmit\n"
		"7f000000-7f001000 r-xp 00000000 00:00 0 \n"
		"7f001000-7f002000 r-xp 00000000 00:1f 9   /a b/c d.so (deleted)\n"
		"7f003000-7f004000 r-xp 00000000 00:00 0          [vdso]\n"
		"7f005000-7f006000 --xp 00000000 00:00 0\n"
		"not a mapping\n"
		"7f00a000-7f009000 r-xp 00000000 00:00 0 /backwards\n"
		"7f00a000-7f00b000 x 00000000 00:00 0 /short\n"
		"ffffffffff600000-ffffffffff601000 --xp 00000000 00:00 0  [vsyscall]";
	struct process_maps maps;
	const struct mapping *mapping;

	(void)state;
	read_maps(text, &maps);
	assert_int_equal(maps.count, 6);
	assert_mapping(&maps, 0x55e0cfff, "");
	assert_mapping(&maps, 0x55e0d000, "[dxmit]");
	assert_mapping(&maps, 0x55e0efff, "[dxmit]");
	assert_mapping(&maps, 0x55e0f000, "");
	assert_mapping(&maps, 0x7f000800, "[anonymous]");
	assert_mapping(&maps, 0x7f001800, "[c d.so]");
	assert_mapping(&maps, 0x7f002800, "");
	assert_mapping(&maps, 0x7f003800, "[vdso]");
	assert_mapping(&maps, 0x7f009800, "");
	assert_mapping(&maps, 0xffffffffff600000, "[vsyscall]");
	mapping = process_maps_find(&maps, 0x55e0d000);
	assert_non_null(mapping);
	assert_int_equal(mapping->offset, 0x1000);
	assert_int_equal(mapping->major, 0xfe);
	assert_int_equal(mapping->minor, 1);
	assert_int_equal(mapping->inode, 123);
	process_maps_free(&maps);
	process_maps_free(&maps);
}

/* Out of order, as no kernel writes them, they are found all the same. */
static void mappings_out_of_order(void **state)
{
	static char text[8 * 100], *end = text;
	struct process_maps maps;
	unsigned int i;

	(void)state;
	for (i = 0; i < 8; i++)
		end += sprintf(end, "%x000-%x800 r-xp 0 0:0 0 /f%u\n", 8 - i, 8 - i,
			       8 - i);
	read_maps(text, &maps);
	assert_int_equal(maps.count, 8);
	assert_mapping(&maps, 0x1000, "[f1]");
	assert_mapping(&maps, 0x5123, "[f5]");
	assert_mapping(&maps, 0x5800, "");
	assert_mapping(&maps, 0x87ff, "[f8]");
	process_maps_free(&maps);
}

static __attribute__((noinline)) void known_function(void)
{
	__asm__ volatile("nop\n\tnop\n\tnop");
}

static void assert_name(struct process_symbols *symbols, uintptr_t address,
			const char *expected)
{
	char name[SYMBOL_NAME_BYTES];

	assert_string_equal(process_symbols_name(symbols, address, name), expected);
}

static void this_process(void **state)
{
	struct process_symbols symbols = { 0 };
	int no_code = 0;

	(void)state;
	known_function();
	assert_int_equal(process_symbols_select(&symbols, getpid()), 0);
	assert_true(symbols.readable);
	assert_name(&symbols, (uintptr_t)known_function,
		    "known_function [test_process_symbols]");
	assert_name(&symbols, (uintptr_t)known_function + 3,
		    "known_function [test_process_symbols]");
	assert_name(&symbols, (uintptr_t)this_process,
		    "this_process [test_process_symbols]");
	assert_name(&symbols, (uintptr_t)getppid, "getppid [libc.so.6]");
	assert_name(&symbols, (uintptr_t)&no_code, "[unknown]");
	assert_name(&symbols, 0, "[unknown]");
	process_symbols_free(&symbols);
	process_symbols_free(&symbols);
}

static void code_made_at_run_time(void **state)
{
	void *code = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS,
			  -1, 0);
	struct process_symbols symbols = { 0 };

	(void)state;
	assert_true(code != MAP_FAILED);
	assert_int_equal(process_symbols_select(&symbols, getpid()), 0);
	assert_name(&symbols, (uintptr_t)code, "[anonymous]");
	munmap(code, 4096);
	process_symbols_free(&symbols);
}

static void a_process_that_is_gone(void **state)
{
	struct process_symbols symbols = { 0 };
	pid_t pid = fork();

	(void)state;
	assert_true(pid >= 0);
	if (pid == 0)
		_exit(0);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	assert_int_equal(process_symbols_select(&symbols, pid), 0);
	assert_false(symbols.readable);
	assert_name(&symbols, (uintptr_t)known_function, "[unknown]");
	process_symbols_free(&symbols);
}

/* ---- files that change under us ---- */

struct place {
	char directory[64], file[96], other[96];
};

static int set_up(void **state)
{
	static struct place place;

	snprintf(place.directory, sizeof(place.directory), "%s/XXXXXX",
		 access("/var/tmp", W_OK) == 0 ? "/var/tmp" : "/tmp");
	if (!mkdtemp(place.directory))
		return -1;
	snprintf(place.file, sizeof(place.file), "%s/code", place.directory);
	/* What the list of mappings calls the file once it is deleted. */
	snprintf(place.other, sizeof(place.other), "%s/code (deleted)", place.directory);
	*state = &place;
	return 0;
}

static int tear_down(void **state)
{
	const struct place *place = *state;

	unlink(place->file);
	unlink(place->other);
	return rmdir(place->directory);
}

/* An ELF file whose first function is called `first`, at offset 0x1000. */
static void write_elf(const char *path, const char *first)
{
	struct elf_fixture f;
	FILE *out = fopen(path, "w");

	assert_non_null(out);
	elf_fixture_init(&f);
	memcpy(f.names + elf_fixture_name("first"), first, strlen("first"));
	assert_int_equal(fwrite(&f, sizeof(f), 1, out), 1);
	fclose(out);
	assert_int_equal(truncate(path, 0x2000), 0);
}

/* The file's second page, where its code is. */
static void *map_code(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	void *code;

	assert_true(fd >= 0);
	code = mmap(NULL, 0x1000, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0x1000);
	close(fd);
	if (code == MAP_FAILED) {
		print_message("# skipped: no code may be mapped from %s\n", path);
		skip();
	}
	return code;
}

/* What it is called by a reader who has not seen the file before. */
static void name_anew(const void *code, char name[SYMBOL_NAME_BYTES])
{
	struct process_symbols symbols = { 0 };

	assert_int_equal(process_symbols_select(&symbols, getpid()), 0);
	process_symbols_name(&symbols, (uintptr_t)code + 4, name);
	process_symbols_free(&symbols);
}

/* Its own name if the file can still be reached, else the file's; never another's. */
static void assert_own_name(const void *code)
{
	char name[SYMBOL_NAME_BYTES];

	name_anew(code, name);
	if (strcmp(name, "[code]") != 0)
		assert_string_equal(name, "first [code]");
}

static void files_that_change(void **state)
{
	const struct place *place = *state;
	char name[SYMBOL_NAME_BYTES];
	void *code;

	write_elf(place->file, "first");
	code = map_code(place->file);
	name_anew(code, name);
	assert_string_equal(name, "first [code]");
	unlink(place->file);
	assert_own_name(code);
	write_elf(place->file, "wrong");
	assert_own_name(code);
	write_elf(place->other, "wrong");
	assert_own_name(code);
	unlink(place->file);
	assert_int_equal(mkfifo(place->file, 0600), 0);
	assert_own_name(code); /* and does not wait for a writer */
	munmap(code, 0x1000);
}

/* A fifo with the very number that the mapping has is not opened. */
static void only_regular_files_are_opened(void **state)
{
	const struct place *place = *state;
	struct mapping mapping = { .start = 0x1000, .end = 0x2000 };
	struct process_symbols symbols = { .pid = getpid(), .readable = true };
	struct stat st;

	unlink(place->file);
	assert_int_equal(mkfifo(place->file, 0600), 0);
	assert_int_equal(stat(place->file, &st), 0);
	mapping.inode = st.st_ino;
	mapping.major = major(st.st_dev);
	mapping.minor = minor(st.st_dev);
	mapping.path = strdup(place->file);
	symbols.maps.mapping = malloc(sizeof(mapping));
	assert_non_null(symbols.maps.mapping);
	symbols.maps.mapping[0] = mapping;
	symbols.maps.count = 1;
	assert_name(&symbols, 0x1000, "[code]");
	process_symbols_free(&symbols);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(mappings),
		cmocka_unit_test(mappings_out_of_order),
		cmocka_unit_test(this_process),
		cmocka_unit_test(code_made_at_run_time),
		cmocka_unit_test(a_process_that_is_gone),
		cmocka_unit_test(files_that_change),
		cmocka_unit_test(only_regular_files_are_opened),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("process_symbols", tests, set_up, tear_down);
}
