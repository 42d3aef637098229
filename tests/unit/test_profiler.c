/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Guards the profiler: a process that works in one function is seen to work there,
 * by root and by an ordinary user; rounds add up; rings that wrap, are damaged or
 * hold other records are survived.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "profiler.h"
#include "profiler_functions.h"
#include "profiler_hits.h"
#include "profiler_ring.h"

#define HERE " [test_profiler]"
#define HITS_WANTED 200u
#define CPU_MOST_NS 5000000000ull

/* comparison_free() for a cell that has nothing but functions. */
static void free_cell(struct comparison_cell *cell)
{
	size_t i;

	for (i = 0; i < cell->functions; i++)
		free(cell->function[i].name);
	free(cell->function);
	*cell = (struct comparison_cell){ 0 };
}

static uint64_t hits_of(const struct comparison_cell *cell, const char *name)
{
	size_t i;

	for (i = 0; i < cell->functions; i++)
		if (strcmp(cell->function[i].name, name) == 0)
			return cell->function[i].hits;
	return 0;
}

/* ---- functions ---- */

static void rounds_add_up(void **state)
{
	struct profiler_functions f = { 0 };
	struct comparison_cell cell = { 0 };

	(void)state;
	assert_int_equal(profiler_functions_add(&f, "copy", true, 3), 0);
	assert_int_equal(profiler_functions_add(&f, "copy", false, 4), 0);
	assert_int_equal(profiler_functions_add(&f, "send", true, 5), 0);
	assert_int_equal(profiler_functions_merge(&f, 13, &cell), 0);
	assert_int_equal(cell.functions, 3);
	assert_string_equal(cell.function[0].name, "send");
	assert_int_equal(profiler_functions_add(&f, "copy", true, 6), 0);
	assert_int_equal(profiler_functions_add(&f, "wait", true, 1), 0);
	assert_int_equal(profiler_functions_merge(&f, 7, &cell), 0);
	assert_int_equal(cell.functions, 4);
	assert_int_equal(cell.profile_hits, 20);
	assert_string_equal(cell.function[0].name, "copy");
	assert_true(cell.function[0].kernel);
	assert_int_equal(cell.function[0].hits, 9);
	assert_string_equal(cell.function[2].name, "copy");
	assert_false(cell.function[2].kernel);
	assert_int_equal(cell.function[2].hits, 4);
	assert_int_equal(profiler_functions_merge(&f, 0, &cell), 0);
	assert_int_equal(cell.functions, 4);
	free_cell(&cell);
}

/* The first are kept; the sum counts all. */
static void the_first_are_kept(void **state)
{
	struct profiler_functions f = { 0 };
	struct comparison_cell cell = { 0 };
	char name[16];
	uint32_t i;

	(void)state;
	for (i = 1; i <= 1000; i++) {
		snprintf(name, sizeof(name), "f%u", i);
		assert_int_equal(profiler_functions_add(&f, name, true, i), 0);
	}
	assert_int_equal(profiler_functions_merge(&f, 500500, &cell), 0);
	assert_int_equal(cell.functions, PROFILER_FUNCTIONS_MOST);
	assert_string_equal(cell.function[0].name, "f1000");
	assert_string_equal(cell.function[63].name, "f937");
	assert_int_equal(cell.profile_hits, 500500);
	free_cell(&cell);
}

static void addresses_are_counted(void **state)
{
	struct profiler_hits hits = { 0 };
	uint64_t sum = 0;
	uint32_t i;

	(void)state;
	for (i = 0; i < 30000; i++)
		profiler_hits_add(&hits, i & 1 ? HIT_USER : HIT_KERNEL, i & 1 ? 7 : 0,
				  (i % 10000) * 16);
	assert_int_equal(hits.used, 10000);
	profiler_hits_by_process(&hits);
	for (i = 0; i < hits.used; i++) {
		assert_int_equal(hits.hit[i].count, 3);
		assert_int_equal(hits.hit[i].pid, i < 5000 ? 0 : 7);
		sum += hits.hit[i].count;
	}
	assert_int_equal(sum, 30000);
	assert_int_equal(hits.uncounted, 0);
	profiler_hits_free(&hits);
	profiler_hits_free(&hits);
}

/* ---- rings ---- */

#define RING_DATA 512u

struct plain_ring {
	struct perf_event_mmap_page page;
	uint64_t data[RING_DATA / sizeof(uint64_t)];
};

static struct profiler_ring ring_of(struct plain_ring *plain, uint64_t at)
{
	memset(plain, 0, sizeof(*plain));
	plain->page.data_offset = offsetof(struct plain_ring, data);
	plain->page.data_size = RING_DATA;
	plain->page.data_head = plain->page.data_tail = at;
	return (struct profiler_ring){ .page = &plain->page };
}

/* As the kernel writes it: in units of 8 bytes, across the end. */
static void put(struct plain_ring *plain, uint16_t size, uint64_t value)
{
	struct perf_event_header header = { .type = PERF_RECORD_SAMPLE, .size = size };
	uint64_t at = plain->page.data_head / 8, i;

	memcpy(&plain->data[at % (RING_DATA / 8)], &header, sizeof(header));
	for (i = 1; i < size / 8u; i++)
		plain->data[(at + i) % (RING_DATA / 8)] = value;
	plain->page.data_head += size;
}

struct taken {
	uint64_t value[64];
	uint32_t count;
};

static void take(void *context, const struct perf_event_header *record)
{
	struct taken *taken = context;
	uint64_t last;

	memcpy(&last, (const char *)record + record->size - 8, sizeof(last));
	taken->value[taken->count++ % 64] = last;
}

/* Every place where a record may begin, also where counts of bytes overflow. */
static void rings_wrap(void **state)
{
	static const uint64_t bases[] = { 0, 0 - (uint64_t)RING_DATA };
	struct plain_ring plain;
	uint64_t at;
	uint32_t i;

	(void)state;
	for (at = 0; at < 2 * RING_DATA; at += 8) {
		struct profiler_ring ring = ring_of(&plain, bases[at & 8 ? 1 : 0] + at);
		struct taken taken = { 0 };

		for (i = 0; i < RING_DATA / 24; i++)
			put(&plain, 24, 100 + i);
		assert_int_equal(profiler_ring_drain(&ring, take, &taken), 0);
		assert_int_equal(taken.count, RING_DATA / 24);
		for (i = 0; i < taken.count; i++)
			assert_int_equal(taken.value[i], 100 + i);
		assert_true(plain.page.data_tail == plain.page.data_head);
		assert_int_equal(profiler_ring_drain(&ring, take, &taken), 0);
		assert_int_equal(taken.count, RING_DATA / 24);
	}
}

static void long_records_are_passed_over(void **state)
{
	struct plain_ring plain;
	struct profiler_ring ring = ring_of(&plain, 480);
	struct taken taken = { 0 };

	(void)state;
	put(&plain, 24, 1);
	put(&plain, 400, 2);
	put(&plain, 64, 3);
	assert_int_equal(profiler_ring_drain(&ring, take, &taken), 0);
	assert_int_equal(taken.count, 2);
	assert_int_equal(taken.value[0], 1);
	assert_int_equal(taken.value[1], 3);
}

static void damaged_rings_are_emptied(void **state)
{
	static const struct {
		uint16_t size;
		uint64_t ahead; /* of the head, before the tail */
	} cases[] = {
		{ 0, 24 }, { 7, 24 }, { 32, 24 }, { 24, RING_DATA + 24 }, { 24, 4 }
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct perf_event_header header = { .type = PERF_RECORD_SAMPLE,
						    .size = cases[i].size };
		struct plain_ring plain;
		struct profiler_ring ring = ring_of(&plain, 8 * i);
		struct taken taken = { 0 };

		memcpy(&plain.data[i], &header, sizeof(header));
		plain.page.data_head += cases[i].ahead;
		assert_int_equal(profiler_ring_drain(&ring, take, &taken), 1);
		assert_int_equal(taken.count, 0);
		assert_true(plain.page.data_tail == plain.page.data_head);
	}
}

/* ---- a process that works ---- */

static uint64_t cpu_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static __attribute__((noinline)) uint32_t busy_function(uint32_t seed)
{
	uint32_t i;

	for (i = 0; i < 2000000; i++) {
		seed = seed * 1664525u + 1013904223u;
		__asm__ volatile("" : "+r"(seed));
	}
	return seed;
}

/* The CPU this thread stays on. */
static uint32_t stay_here(void)
{
	int cpu = sched_getcpu();
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	sched_setaffinity(0, sizeof(set), &set);
	return (uint32_t)cpu;
}

/* Work until the function has been hit often enough. */
static int sample_busy_function(struct profiler *profiler, struct comparison_cell *cell)
{
	uint64_t end_ns = cpu_ns() + CPU_MOST_NS;
	uint32_t seed = 1;
	int err = 0;

	while (!err && cpu_ns() < end_ns &&
	       hits_of(cell, "busy_function" HERE) < HITS_WANTED) {
		int i;

		if (profiler_start(profiler))
			return -EIO;
		for (i = 0; i < 50; i++) {
			seed = busy_function(seed);
			profiler_drain(profiler);
		}
		if (profiler_stop(profiler))
			return -EIO;
		err = profiler_collect(profiler, cell);
	}
	return err;
}

/* Of what ran in this program, nine parts in ten were there. What else the CPU did
 * meanwhile is not ours to say. */
static bool is_seen(const struct comparison_cell *cell, const char **what)
{
	uint64_t here = 0, busy = hits_of(cell, "busy_function" HERE);
	size_t i;

	for (i = 0; i < cell->functions; i++) {
		const struct comparison_function *f = &cell->function[i];

		if (i && f->hits > cell->function[i - 1].hits)
			*what = "not most hits first";
		if (strstr(f->name, HERE) && !f->kernel)
			here += f->hits;
	}
	if (busy < HITS_WANTED)
		*what = "few hits";
	else if (busy * 10 < here * 9)
		*what = "not the major share";
	else if (busy > cell->profile_hits)
		*what = "more hits than there are";
	return !*what;
}

/* Events this process has open. */
static uint32_t open_events(void)
{
	char path[64], link[64];
	uint32_t count = 0;
	int fd;

	for (fd = 0; fd < 1024; fd++) {
		ssize_t length;

		snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
		length = readlink(path, link, sizeof(link) - 1);
		if (length <= 0)
			continue;
		link[length] = '\0';
		count += strcmp(link, "anon_inode:[perf_event]") == 0;
	}
	return count;
}

static void a_busy_function_is_seen(void **state)
{
	struct comparison_cell cell = { 0 };
	struct profiler_counts counts;
	struct profiler *profiler;
	const char *how, *what = NULL;
	uint32_t cpu = stay_here(), twice[2] = { cpu, cpu };
	int err = profiler_open(twice, 2, getpid(), 1000, &profiler, &how);

	(void)state;
	if (err) {
		assert_null(profiler);
		assert_non_null(strchr(how, ';'));
		print_message("# skipped: %s: %s\n", strerror(-err), how);
		skip();
	}
	assert_int_equal(open_events(), 1); /* for one CPU, named twice */
	assert_int_equal(sample_busy_function(profiler, &cell), 0);
	if (!is_seen(&cell, &what))
		fail_msg("%s (%s): %s", what, how,
			 cell.functions ? cell.function[0].name : "nothing");
	profiler_counts(profiler, &counts);
	assert_int_equal(counts.samples - counts.idle, cell.profile_hits);
	profiler_close(&profiler);
	profiler_close(&profiler);
	assert_int_equal(open_events(), 0);
	free_cell(&cell);
}

/* In a child without privileges; its exit code: 0 seen, 77 refused, else not seen. */
static int as_ordinary_user(void)
{
	struct comparison_cell cell = { 0 };
	struct profiler *profiler;
	const char *how, *what = NULL;
	uint32_t cpu = stay_here();
	int err;

	if (geteuid() == 0 &&
	    (setresgid(65534, 65534, 65534) || setresuid(65534, 65534, 65534)))
		return 1;
	prctl(PR_SET_DUMPABLE, 1);
	err = profiler_open(&cpu, 1, getpid(), 1000, &profiler, &how);
	if (err || access("/proc/self/exe", R_OK)) {
		print_message("# %s\n", err ? how : "the program is not readable");
		profiler_close(&profiler);
		return 77;
	}
	err = sample_busy_function(profiler, &cell);
	if (err || !is_seen(&cell, &what))
		print_message("# %s: %s\n", how, what ? what : strerror(-err));
	profiler_close(&profiler);
	free_cell(&cell);
	return err || what;
}

static void an_ordinary_user_sees_his_own(void **state)
{
	pid_t pid = fork();
	int status;

	(void)state;
	assert_true(pid >= 0);
	if (pid == 0)
		_exit(as_ordinary_user());
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	if (WEXITSTATUS(status) == 77) {
		print_message("# skipped: an ordinary user may not sample here\n");
		skip();
	}
	assert_int_equal(WEXITSTATUS(status), 0);
}

/* A sender that ended before its names were looked up costs its names, not more. */
static void a_process_that_ends_is_survived(void **state)
{
	struct comparison_cell cell = { 0 };
	struct profiler *profiler;
	const char *how;
	uint32_t cpu = stay_here();
	int ready[2], err;
	char byte = 0;
	pid_t pid;

	(void)state;
	assert_int_equal(pipe(ready), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		uint32_t seed = 1, i;

		for (i = 0; i < 30 && (i || read(ready[0], &byte, 1) == 1); i++)
			seed = busy_function(seed);
		_exit(0);
	}
	err = profiler_open(&cpu, 1, pid, 2000, &profiler, &how);
	if (!err)
		err = profiler_start(profiler);
	assert_int_equal(write(ready[1], &byte, 1), 1);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	close(ready[0]);
	close(ready[1]);
	if (err) {
		print_message("# skipped: %s\n", how);
		skip();
	}
	assert_int_equal(profiler_stop(profiler), 0);
	assert_int_equal(profiler_collect(profiler, &cell), 0);
	assert_int_equal(hits_of(&cell, "busy_function" HERE), 0);
	assert_true(cell.profile_hits > 0);
	profiler_close(&profiler);
	free_cell(&cell);
	assert_true(profiler_open(&cpu, 0, pid, 2000, &profiler, &how) < 0);
	assert_null(profiler);
	cpu = 1u << 30;
	assert_true(profiler_open(&cpu, 1, pid, 2000, &profiler, &how) < 0);
	assert_non_null(strchr(how, ';'));
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(rounds_add_up),
		cmocka_unit_test(the_first_are_kept),
		cmocka_unit_test(addresses_are_counted),
		cmocka_unit_test(rings_wrap),
		cmocka_unit_test(long_records_are_passed_over),
		cmocka_unit_test(damaged_rings_are_emptied),
		cmocka_unit_test(a_busy_function_is_seen),
		cmocka_unit_test(an_ordinary_user_sees_his_own),
		cmocka_unit_test(a_process_that_ends_is_survived),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("profiler", tests, NULL, NULL);
}
