/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Guards the profiler: a process that works in one function is seen to work there,
 * by root and by an ordinary user, whichever of its threads it is; one that ends
 * costs no more than its names.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "profiler.h"

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

/* A thread that works, and is the only one that does. */
struct worker {
	sem_t begin;
	struct profiler *profiler;
	struct comparison_cell cell;
	int err;
};

static void *work(void *context)
{
	struct worker *worker = context;

	while (sem_wait(&worker->begin) && errno == EINTR)
		;
	if (worker->profiler)
		worker->err = sample_busy_function(worker->profiler, &worker->cell);
	return NULL;
}

/*
 * In a child without privileges, by a thread that was there `before` the profiler, or
 * came after it. Exit code: 0 seen, 77 refused, else not seen.
 */
static int as_ordinary_user(bool before)
{
	struct worker worker = { .err = 0 };
	const char *how, *what = NULL;
	uint32_t cpu = stay_here();
	pthread_t thread;
	int err;

	if (geteuid() == 0 &&
	    (setresgid(65534, 65534, 65534) || setresuid(65534, 65534, 65534)))
		return 1;
	prctl(PR_SET_DUMPABLE, 1);
	sem_init(&worker.begin, 0, 0);
	if (before && pthread_create(&thread, NULL, work, &worker))
		return 1;
	err = profiler_open(&cpu, 1, getpid(), 1000, &worker.profiler, &how);
	if (!before && pthread_create(&thread, NULL, work, &worker))
		return 1;
	sem_post(&worker.begin);
	pthread_join(thread, NULL);
	profiler_close(&worker.profiler);
	if (err || access("/proc/self/exe", R_OK)) {
		print_message("# %s\n", err ? how : "the program is not readable");
		return 77;
	}
	if (worker.err || !is_seen(&worker.cell, &what))
		print_message("# %s: %s\n", how, what ? what : strerror(-worker.err));
	free_cell(&worker.cell);
	return worker.err || what;
}

static void sees_his_own(bool before)
{
	pid_t pid = fork();
	int status;

	assert_true(pid >= 0);
	if (pid == 0)
		_exit(as_ordinary_user(before));
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	if (WEXITSTATUS(status) == 77) {
		print_message("# skipped: an ordinary user may not sample here\n");
		skip();
	}
	assert_int_equal(WEXITSTATUS(status), 0);
}

static void an_ordinary_user_sees_his_threads(void **state)
{
	(void)state;
	sees_his_own(true);
}

static void and_those_to_come(void **state)
{
	(void)state;
	sees_his_own(false);
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
		cmocka_unit_test(a_busy_function_is_seen),
		cmocka_unit_test(an_ordinary_user_sees_his_threads),
		cmocka_unit_test(and_those_to_come),
		cmocka_unit_test(a_process_that_ends_is_survived),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("profiler", tests, NULL, NULL);
}
