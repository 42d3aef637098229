/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Guards the words of an error: for every stage, code and rule one line of
 * "REASON; REMEDY" that holds its figures, fits 512 bytes, and is safe in any
 * buffer.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>

#include "internal.h"

#define LAST_STAGE DXMIT_STAGE_DIRECT
#define LAST_ERRNO 133
#define LONG_NAME "an_object_name_of_31_characters"

static void assert_sound(const struct dxmit_error *error)
{
	char text[512], *half;
	int length = dxmit_error_text(error, text, sizeof(text));
	size_t i;

	assert_in_range(length, 1, sizeof(text) - 1);
	assert_int_equal(strlen(text), length);
	half = strstr(text, "; ");
	/* Of queues the reason has two parts. */
	if (half && error->stage == DXMIT_STAGE_QUEUE)
		half = strstr(half + 2, "; ");
	if (!half || half - text < 8 || strlen(half) < 10 || strstr(half + 2, "; "))
		fail_msg("stage %d, code %d: not two halves: %s", error->stage,
			 error->code, text);
	for (i = 0; i < (size_t)length; i++)
		assert_true((unsigned char)text[i] >= 0x20);
	assert_false(text[length - 1] == '.' || text[length - 1] == ' ');
}

static void every_error_has_two_halves(void **state)
{
	static const uint64_t figures[] = { 0, 1, 4096, UINT64_MAX };
	struct dxmit_error error;
	int stage, code;
	uint64_t rule;
	size_t i;

	(void)state;
	for (stage = DXMIT_STAGE_OPTIONS; stage <= LAST_STAGE + 1; stage++)
		for (code = 1; code <= LAST_ERRNO; code++)
			for (i = 0; i < 4; i++)
				for (rule = 0; rule <= RULE_EQUAL + 1; rule++) {
					dxmit_error_set(&error, (enum dxmit_stage)stage,
							code, LONG_NAME, figures[i],
							figures[3 - i], rule);
					assert_sound(&error);
				}
}

/* A stage's figures and remedy are in its text, each part separated by '|'. */
static void assert_says(enum dxmit_stage stage, int code, uint64_t value, uint64_t limit,
			uint64_t extra, const char *parts)
{
	char text[512], copy[256], *rest = copy, *part;
	struct dxmit_error error;

	assert_int_equal(
		dxmit_error_set(&error, stage, code, "nic0", value, limit, extra), -code);
	dxmit_error_text(&error, text, sizeof(text));
	snprintf(copy, sizeof(copy), "%s", parts);
	while ((part = strsep(&rest, "|")) != NULL)
		if (!strstr(text, part))
			fail_msg("no \"%s\" in \"%s\"", part, text);
}

static void options_name_what_is_legal(void **state)
{
	const enum dxmit_stage stage = DXMIT_STAGE_OPTIONS;

	(void)state;
	assert_says(stage, EINVAL, 31, 1048576, RULE_POWER_OF_TWO,
		    "31 |power of two|1048576");
	assert_says(stage, EINVAL, 3000, 0, RULE_FRAME_SIZE, "3000|2048 or 4096");
	assert_says(stage, EINVAL, 16, 32, RULE_AT_LEAST, "16 is too small|at least 32");
	assert_says(stage, EINVAL, 99, 64, RULE_AT_MOST, "99 is too large|at most 64");
	assert_says(stage, EINVAL, 12, 64, RULE_EQUAL, "12 |use 64");
	assert_says(stage, EOPNOTSUPP, 512, 32, 0, "32 frames per kick|512|6.17");
	assert_says(stage, E2BIG, 0, 0, 0, "newer libdxmit");
}

static void steps_name_their_remedy(void **state)
{
	(void)state;
	assert_says(DXMIT_STAGE_INTERFACE, ENODEV, 0, 0, 0, "no such interface|ip link");
	assert_says(DXMIT_STAGE_INTERFACE, EMFILE, 0, 0, 0, "Too many open files");
	assert_says(DXMIT_STAGE_QUEUE, ENXIO, 4, 1, 8,
		    "1 TX queue (max 8)|queue 4 does not exist|ethtool -L nic0");
	assert_says(DXMIT_STAGE_QUEUE, ENXIO, 4, 4, 8, "4 TX queues (max 8)");
	assert_says(DXMIT_STAGE_HUGE_PAGES, ENOMEM, 2, 1, 0,
		    "2 pages of 2 MiB|1 are free|vm.nr_hugepages=2");
	assert_says(DXMIT_STAGE_MEMORY, ENOMEM, 4194304, 0, 0,
		    "4096 KiB|Cannot allocate");
	assert_says(DXMIT_STAGE_RING, ENOMEM, 2048, 0, 0, "2048 descriptors|smaller");
	assert_says(DXMIT_STAGE_SOCKET, EPERM, 0, 0, 0, "CAP_NET_RAW|setcap");
	assert_says(DXMIT_STAGE_SOCKET, EAFNOSUPPORT, 0, 0, 0, "CONFIG_XDP_SOCKETS");
	assert_says(DXMIT_STAGE_SOCKET, EMFILE, 0, 0, 0, "ulimit -n");
	assert_says(DXMIT_STAGE_BIND, EMFILE, 0, 0, 0, "ulimit -n");
	assert_says(DXMIT_STAGE_SOCKET, ENFILE, 0, 0, 0, "Too many open files in system");
	assert_says(DXMIT_STAGE_BIND, EBUSY, 3, 500, 0, "queue 3|500 ms|another queue");
	assert_says(DXMIT_STAGE_BIND, ENETDOWN, 3, 500, 0, "ip link set nic0 up");
	assert_says(DXMIT_STAGE_BIND, ENODEV, 3, 500, 0, "gone");
	assert_says(DXMIT_STAGE_BIND, EIO, 3, 500, 0, "queue 3|Input/output error");
	assert_says(DXMIT_STAGE_MODE, EOPNOTSUPP, 5, 0, 0, "zero-copy|queue 5|copy mode");
	assert_says(DXMIT_STAGE_MODE, EINVAL, 5, 0, 1, "read back the mode of queue 5");
	assert_says(DXMIT_STAGE_PROGRAM, EPERM, 0, 0, 0, "CAP_BPF and CAP_NET_ADMIN");
	assert_says(DXMIT_STAGE_PROGRAM, EINVAL, 0, 0, 0, "cannot load");
	assert_says(DXMIT_STAGE_PROGRAM, EINVAL, 1, 0, 0, "cannot attach");
	assert_says(DXMIT_STAGE_DIRECT, ENOENT, 0, 0, 0, "not loaded|modprobe dxmit");
	assert_says(DXMIT_STAGE_DIRECT, EPERM, 14, 0, 0, "CAP_NET_ADMIN");
	assert_says(DXMIT_STAGE_CARRIER, ETIMEDOUT, 10000, 0, 0, "10000 ms|cable");
}

/* C5: the limit with its size; no `ulimit` where there is no limit. */
static void locked_memory_names_the_limit(void **state)
{
	const enum dxmit_stage stage = DXMIT_STAGE_UMEM;
	struct dxmit_error error;
	char text[512];

	(void)state;
	assert_says(stage, ENOBUFS, 4194304, 65536, 0,
		    "4096 KiB|limit is 64 KiB|ulimit -l 4096|CAP_IPC_LOCK");
	dxmit_error_set(&error, stage, ENOBUFS, "nic0", 4194304, (uint64_t)RLIM_INFINITY,
			0);
	dxmit_error_text(&error, text, sizeof(text));
	assert_null(strstr(text, "ulimit"));
	assert_says(stage, ENOMEM, 4194304, 65536, 0, "4096 KiB|Cannot allocate memory");
}

/* Every size of buffer: terminated, cut, the full length returned, nothing
 * written past it. */
static void any_buffer_is_safe(void **state)
{
	struct dxmit_error error;
	char full[512], text[512];
	int stage;

	(void)state;
	for (stage = DXMIT_STAGE_NONE; stage <= LAST_STAGE; stage++) {
		size_t size;
		int length;

		dxmit_error_set(&error, (enum dxmit_stage)stage, EPERM, LONG_NAME, 1, 2,
				3);
		length = dxmit_error_text(&error, full, sizeof(full));
		assert_int_equal(dxmit_error_text(&error, NULL, 0), length);
		for (size = 0; size < 300; size++) {
			memset(text, '#', sizeof(text));
			assert_int_equal(dxmit_error_text(&error, text, size), length);
			assert_int_equal(text[size], '#');
			if (size == 0)
				continue;
			assert_true(memchr(text, '\0', size) != NULL);
			assert_memory_equal(text, full, strlen(text));
			assert_int_equal(strlen(text), (size_t)length < size
							       ? (size_t)length
							       : size - 1);
		}
	}
	strcpy(text, "left alone");
	assert_int_equal(dxmit_error_text(NULL, text, sizeof(text)), 0);
	assert_string_equal(text, "");
}

static void long_names_are_cut(void **state)
{
	struct dxmit_error error;

	(void)state;
	assert_int_equal(dxmit_error_set(&error, DXMIT_STAGE_BIND, EBUSY,
					 LONG_NAME "_and_more", 1, 2, 3),
			 -EBUSY);
	assert_string_equal(error.object, LONG_NAME);
	assert_int_equal(dxmit_error_set(NULL, DXMIT_STAGE_BIND, EBUSY, "x", 1, 2, 3),
			 -EBUSY);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_error_has_two_halves),
		cmocka_unit_test(options_name_what_is_legal),
		cmocka_unit_test(steps_name_their_remedy),
		cmocka_unit_test(locked_memory_names_the_limit),
		cmocka_unit_test(any_buffer_is_safe),
		cmocka_unit_test(long_names_are_cut),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("error", tests, NULL, NULL);
}
