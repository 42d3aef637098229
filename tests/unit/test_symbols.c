/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Guards names of functions: from the kernel's list and from ELF files, sound and
 * damaged; what lies before, between and after functions has no name.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "elf_fixture.h"
#include "symbols.h"

struct expected {
	uint64_t address;
	const char *name; /* NULL: none */
};

static void assert_names(const struct symbols *symbols, const struct expected *expected,
			 size_t count)
{
	size_t i;

	for (i = 0; i < count; i++) {
		const char *name = symbols_find(symbols, expected[i].address);
		const char *wanted = expected[i].name;

		if (!name != !wanted || (name && strcmp(name, wanted) != 0))
			fail_msg("%llx is %s, not %s",
				 (unsigned long long)expected[i].address,
				 name ? name : "nothing", wanted ? wanted : "nothing");
	}
}

#define ASSERT_NAMES(symbols, expected) \
	assert_names(symbols, expected, sizeof(expected) / sizeof(expected[0]))

static int read_kernel(const char *text, size_t bytes, struct symbols *out)
{
	FILE *in = fmemopen((void *)(uintptr_t)text, bytes, "r");
	int err;

	assert_non_null(in);
	*out = (struct symbols){ 0 };
	err = symbols_read_kernel(in, out);
	fclose(in);
	return err;
}

/* Modules are listed after the kernel, each in an order of its own. */
static const char kallsyms[] =
	"0000000000000000 A fixed_percpu_data\n"
	"0000000000004000 D cpu_tss_rw\n"
	"ffffffff81000000 T _stext\n"
	"ffffffff81000000 T startup_64\n"
	"ffffffff81000100 t local_one\n"
	"ffffffff81000100 T __global_one\n"
	"ffffffff81000200 W weak_one\n"
	"ffffffff81000280 d not_code\n"
	"ffffffff81000300 T last_one\n"
	"ffffffffc0201080 t veth_xmit\t[veth]\n"
	"ffffffffc0201000 t veth_open\t[veth]\n"
	"ffffffffc0300000 T dxmit_direct_xmit\t[dxmit]\n"
	"ffffffffc0400010 t bpf_prog_6deef7357e7b4530_pass\t[bpf]\n";

static void functions_of_the_kernel(void **state)
{
	static const struct expected expected[] = {
		{ 0, NULL },
		{ 0x4000, NULL },
		{ 0xffffffff80ffffff, NULL },
		{ 0xffffffff81000000, "startup_64" },
		{ 0xffffffff810000ff, "startup_64" },
		{ 0xffffffff81000100, "__global_one" }, /* global before local */
		{ 0xffffffff81000290, "weak_one" },     /* data is no function */
		{ 0xffffffff81000300, "last_one" },
		{ 0xffffffff81000fff, "last_one" }, /* to the end of its page */
		{ 0xffffffff81001000, NULL },       /* between kernel and module */
		{ 0xffffffffc0200fff, NULL },
		{ 0xffffffffc0201000, "veth_open [veth]" },
		{ 0xffffffffc0201081, "veth_xmit [veth]" },
		{ 0xffffffffc0202000, NULL }, /* between two modules */
		{ 0xffffffffc0300fff, "dxmit_direct_xmit [dxmit]" },
		{ 0xffffffffc0400011, "bpf_prog_6deef7357e7b4530_pass [bpf]" },
		{ 0xffffffffc0401000, NULL },
		{ UINT64_MAX, NULL },
	};
	struct symbols symbols;

	(void)state;
	assert_int_equal(read_kernel(kallsyms, strlen(kallsyms), &symbols), 0);
	ASSERT_NAMES(&symbols, expected);
	symbols_free(&symbols);
	assert_null(symbols_find(&symbols, 0xffffffff81000000));
	symbols_free(&symbols);
}

static void hidden_addresses_name_nothing(void **state)
{
	static const char text[] = "0000000000000000 T _stext\n"
				   "0000000000000000 T startup_64\n"
				   "0000000000000000 t veth_xmit\t[veth]\n";
	struct symbols symbols;

	(void)state;
	assert_int_equal(read_kernel(text, strlen(text), &symbols), 0);
	assert_int_equal(symbols.count, 0);
	assert_null(symbols_find(&symbols, 0));
	symbols_free(&symbols);
}

/* Lines of any other form are left out; the others stand. */
static void other_lines_are_left_out(void **state)
{
	static const struct expected expected[] = {
		{ 0xffffffff81000000, "kept" },
		{ 0xffffffff81000100, "b?d" },
		{ 0xffffffff81000200, "last" },
	};
	static char text[8192];
	struct symbols symbols;
	int length;

	(void)state;
	length = snprintf(text, sizeof(text),
			  "\n \nffffffff\nxyz T no\nffffffff81000010\n"
			  "ffffffff81000020 T\nffffffff81000030 T \n"
			  "ffffffff81000040  T no\nffffffff81000050 Tno\n"
			  "%04000d T no\nffffffff81000060 %02000d no\n"
			  "ffffffff81000000 T kept\nffffffff81000100 T b\033d\n"
			  "ffffffff81000200 T last", /* without an end of its line */
			  1, 1);
	assert_int_equal(read_kernel(text, (size_t)length, &symbols), 0);
	assert_int_equal(symbols.count, 3);
	ASSERT_NAMES(&symbols, expected);
	symbols_free(&symbols);
}

static void long_names_are_cut(void **state)
{
	static char text[1024];
	struct symbols symbols;
	const char *name;

	(void)state;
	snprintf(text, sizeof(text), "ffffffff81000000 T %0500d\t[module]\n", 7);
	assert_int_equal(read_kernel(text, strlen(text), &symbols), 0);
	name = symbols_find(&symbols, 0xffffffff81000000);
	assert_non_null(name);
	assert_int_equal(strlen(name), SYMBOL_NAME_BYTES - 1);
	symbols_free(&symbols);
}

/* A file with just these bytes. */
static int file_of(const void *bytes, size_t length)
{
	int fd = memfd_create("elf", MFD_CLOEXEC);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, bytes, length), (ssize_t)length);
	return fd;
}

static void read_elf(const void *bytes, size_t length, struct symbols *out)
{
	int fd = file_of(bytes, length);

	*out = (struct symbols){ 0 };
	assert_int_equal(symbols_read_elf(fd, out), 0);
	close(fd);
}

static void functions_of_a_file(void **state)
{
	static const struct expected expected[] = {
		{ 0, NULL },          { 0xfff, NULL },
		{ 0x1000, "first" },  { 0x100f, "first" },
		{ 0x1010, NULL }, /* its size is known */
		{ 0x101f, NULL },     { 0x1020, "second" },
		{ 0x103f, "second" }, /* as long as the longer of both names says */
		{ 0x1040, "third" },  { 0x1050, NULL },
		{ 0x1060, "open" },   { 0x107f, "open" }, /* no size: to the next one */
		{ 0x1087, "e?l" },    { 0x1088, NULL },
		{ 0x10a0, NULL }, /* data */
		{ 0x10b0, NULL }, /* of another file */
		{ 0x2fff, NULL },     { 0x3000, "far" },
		{ 0x300f, "far" },    { 0x3010, NULL },
		{ 0x401000, NULL }, /* offsets, not addresses */
	};
	struct elf_fixture f;
	struct symbols symbols;

	(void)state;
	elf_fixture_init(&f);
	read_elf(&f, sizeof(f), &symbols);
	ASSERT_NAMES(&symbols, expected);
	symbols_free(&symbols);
}

/* Cut anywhere, or with any byte changed, it gives names or none. */
static void damaged_files_are_survived(void **state)
{
	static const uint8_t damage[] = { 0x01, 0x80, 0xff };
	struct elf_fixture f;
	struct symbols symbols;
	size_t i, k;

	(void)state;
	elf_fixture_init(&f);
	for (i = 0; i < sizeof(f); i++) {
		read_elf(&f, i, &symbols);
		symbols_free(&symbols);
	}
	for (i = 0; i < sizeof(f); i++) {
		for (k = 0; k < sizeof(damage); k++) {
			((uint8_t *)&f)[i] ^= damage[k];
			read_elf(&f, sizeof(f), &symbols);
			symbols_free(&symbols);
			((uint8_t *)&f)[i] ^= damage[k];
		}
	}
}

/* What a header claims is not believed: not sizes, not numbers of sections. */
static void claims_are_not_believed(void **state)
{
	struct elf_fixture f;
	struct symbols symbols;

	(void)state;
	elf_fixture_init(&f);
	f.section[1].sh_size = 1ull << 40;
	read_elf(&f, sizeof(f), &symbols);
	assert_int_equal(symbols.count, 0);
	elf_fixture_init(&f);
	f.section[2].sh_size = 1ull << 40;
	read_elf(&f, sizeof(f), &symbols);
	assert_int_equal(symbols.count, 0);
	elf_fixture_init(&f);
	f.header.e_shnum = 0; /* the number is in the first section */
	f.section[0].sh_size = 3;
	read_elf(&f, sizeof(f), &symbols);
	assert_int_equal(symbols.count, 0);
	f.section[0].sh_size = 1ull << 32;
	read_elf(&f, sizeof(f), &symbols);
	assert_int_equal(symbols.count, 0);
	read_elf("#!/bin/sh\n", 10, &symbols);
	assert_int_equal(symbols.count, 0);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(functions_of_the_kernel),
		cmocka_unit_test(hidden_addresses_name_nothing),
		cmocka_unit_test(other_lines_are_left_out),
		cmocka_unit_test(long_names_are_cut),
		cmocka_unit_test(functions_of_a_file),
		cmocka_unit_test(damaged_files_are_survived),
		cmocka_unit_test(claims_are_not_believed),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("symbols", tests, NULL, NULL);
}
