/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Threads found by their names: of the CPUs asked for alone, and all that have the
 * same name, as pktgen's of several network namespaces have.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "kernel_threads.h"

/* A process called `name`, until it is killed; it has the name when this returns. */
static pid_t start(const char *name)
{
	int ready[2];
	char byte = 0;
	pid_t pid;

	assert_int_equal(pipe(ready), 0);
	pid = fork();
	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		prctl(PR_SET_NAME, name);
		(void)!write(ready[1], &byte, 1);
		for (;;)
			pause();
	}
	assert_true(pid > 0);
	assert_int_equal(read(ready[0], &byte, 1), 1);
	close(ready[0]);
	close(ready[1]);
	return pid;
}

static void end(pid_t pid)
{
	kill(pid, SIGKILL);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
}

static int has(const struct kernel_threads *threads, pid_t pid)
{
	size_t i;

	for (i = 0; i < threads->count; i++)
		if (threads->pid[i] == pid)
			return 1;
	return 0;
}

static void all_of_a_name_are_found(void **state)
{
	const uint32_t cpu[] = { 40713, 40714 };
	const pid_t first = start("testd/40713"), second = start("testd/40713");
	const pid_t next = start("testd/40714"), other = start("testd/4071");
	const pid_t longer = start("testd/40713x"), none = start("testd/");
	struct kernel_threads threads;

	(void)state;
	assert_int_equal(kernel_threads_find("testd/", cpu, 1, &threads), 0);
	assert_true(has(&threads, first) && has(&threads, second));
	assert_int_equal(threads.count, 2);
	kernel_threads_free(&threads);
	assert_int_equal(kernel_threads_find("testd/", cpu, 2, &threads), 0);
	assert_true(has(&threads, next));
	assert_int_equal(threads.count, 3);
	end(first);
	end(second);
	end(next);
	end(other);
	end(longer);
	end(none);
	/* Gone, they count nothing. */
	assert_int_equal(kernel_threads_ns(&threads), 0);
	kernel_threads_free(&threads);
	kernel_threads_free(&threads);
}

static void times_are_those_of_the_process(void **state)
{
	struct kernel_threads threads = { .pid = (pid_t[]){ getpid() }, .count = 1 };
	uint64_t before_ns = kernel_threads_ns(&threads), now_ns;

	(void)state;
	do
		now_ns = process_cpu_ns(getpid());
	while (now_ns == before_ns);
	assert_true(now_ns > before_ns);
	assert_true(kernel_threads_ns(&threads) >= now_ns);
	assert_int_equal(process_cpu_ns(0), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_of_a_name_are_found),
		cmocka_unit_test(times_are_those_of_the_process),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
