/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Guards whose a sample is: the sender's functions, the kernel's, another program's,
 * nobody's while a CPU is idle.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "profiler_names.h"

static const char kallsyms[] = "ffffffff81000000 T dev_hard_start_xmit\n"
			       "ffffffff81000100 t pv_native_safe_halt\n"
			       "ffffffff81000200 T default_idle\n"
			       "ffffffff81000300 t clear_page\n"
			       "ffffffffc0201000 t veth_xmit\t[veth]\n";

#define XMIT 0xffffffff81000010
#define HALT 0xffffffff81000110
#define IDLE 0xffffffff81000210
#define CLEAR 0xffffffff81000310
#define VETH 0xffffffffc0201010
#define NOWHERE 0xffffffffff000000

static uint64_t hits_of(const struct profiler_functions *f, const char *name, bool kernel)
{
	size_t i;

	for (i = 0; i < f->room; i++)
		if (f->slot[i].name && f->slot[i].kernel == kernel &&
		    strcmp(f->slot[i].name, name) == 0)
			return f->slot[i].hits;
	return 0;
}

/* Names all, once the table says `text`; NULL: there is none. */
static uint64_t find(struct profiler_hits *hits, const char *text, int pid,
		     struct profiler_functions *out)
{
	FILE *in = text ? fmemopen((void *)(uintptr_t)text, strlen(text), "r") : NULL;
	uint64_t idle = 0;

	*out = (struct profiler_functions){ 0 };
	assert_int_equal(profiler_names_find(hits, in, pid, out, &idle), 0);
	profiler_hits_free(hits);
	if (in)
		fclose(in);
	return idle;
}

static void add(struct profiler_hits *hits, enum hit_kind kind, int pid, uint64_t address,
		uint32_t times)
{
	while (times--)
		profiler_hits_add(hits, kind, (uint32_t)pid, address);
}

static void kernel_and_sender(void **state)
{
	struct profiler_hits hits = { 0 };
	struct profiler_functions f;

	(void)state;
	add(&hits, HIT_KERNEL, getpid(), XMIT, 5);
	add(&hits, HIT_KERNEL, getpid(), XMIT + 4, 6);
	add(&hits, HIT_KERNEL, getpid(), VETH, 3);
	add(&hits, HIT_KERNEL, getpid(), IDLE, 2); /* not the idle task's */
	add(&hits, HIT_KERNEL, getpid(), NOWHERE, 1);
	add(&hits, HIT_USER, getpid(), (uintptr_t)kernel_and_sender, 7);
	add(&hits, HIT_USER, getpid(), 16, 8);
	add(&hits, HIT_GUEST, getpid(), XMIT, 9);
	assert_int_equal(find(&hits, kallsyms, getpid(), &f), 0);
	assert_int_equal(f.used, 7);
	assert_int_equal(hits_of(&f, "dev_hard_start_xmit", true), 11);
	assert_int_equal(hits_of(&f, "veth_xmit [veth]", true), 3);
	assert_int_equal(hits_of(&f, "default_idle", true), 2);
	assert_int_equal(hits_of(&f, "[kernel]", true), 1);
	assert_int_equal(hits_of(&f, "kernel_and_sender [test_profiler_names]", false),
			 7);
	assert_int_equal(hits_of(&f, "[unknown]", false), 8);
	assert_int_equal(hits_of(&f, "[guest]", false), 9);
	profiler_functions_free(&f);
}

/* Waiting is left out, an interrupt's work in the idle task is not. */
static void idle_time(void **state)
{
	struct profiler_hits hits = { 0 };
	struct profiler_functions f;

	(void)state;
	add(&hits, HIT_KERNEL, 0, HALT, 5);
	add(&hits, HIT_KERNEL, 0, IDLE, 6);
	add(&hits, HIT_KERNEL, 0, VETH, 7);
	add(&hits, HIT_USER, 0, VETH, 2); /* of another PID namespace */
	assert_int_equal(find(&hits, kallsyms, getpid(), &f), 11);
	assert_int_equal(f.used, 2);
	assert_int_equal(hits_of(&f, "veth_xmit [veth]", true), 7);
	assert_int_equal(hits_of(&f, "[unknown process]", false), 2);
	profiler_functions_free(&f);
}

static void without_names(void **state)
{
	static const char hidden[] = "0000000000000000 T dev_hard_start_xmit\n";
	struct profiler_hits hits = { 0 };
	struct profiler_functions f;
	int i;

	(void)state;
	for (i = 0; i < 2; i++) {
		add(&hits, HIT_KERNEL, getpid(), XMIT, 5);
		add(&hits, HIT_KERNEL, 0, VETH, 4);
		assert_int_equal(find(&hits, i ? hidden : NULL, getpid(), &f), 4);
		assert_int_equal(f.used, 1);
		assert_int_equal(hits_of(&f, "[kernel]", true), 5);
		profiler_functions_free(&f);
	}
}

/* A child with a name that is hard to read, and one of its own; both wait. */
static pid_t start(const char *name)
{
	pid_t pid = fork();

	assert_true(pid >= 0);
	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		prctl(PR_SET_NAME, name);
		raise(SIGSTOP);
		_exit(0);
	}
	assert_int_equal(waitpid(pid, NULL, WUNTRACED), pid);
	return pid;
}

static void end(pid_t pid)
{
	kill(pid, SIGKILL);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
}

static void other_programs(void **state)
{
	struct profiler_hits hits = { 0 };
	struct profiler_functions f;
	pid_t sender = start("sender"), other = start("a) S (\033[1m"), gone = start("x");

	(void)state;
	end(gone);
	add(&hits, HIT_USER, other, (uintptr_t)start, 3);
	add(&hits, HIT_KERNEL, other, CLEAR, 4);
	add(&hits, HIT_KERNEL, other, XMIT, 5);
	add(&hits, HIT_KERNEL, sender, XMIT, 6);
	add(&hits, HIT_USER, sender, (uintptr_t)start, 7);
	add(&hits, HIT_USER, gone, (uintptr_t)start, 8);
	add(&hits, HIT_KERNEL, gone, CLEAR, 9);
	assert_int_equal(find(&hits, kallsyms, sender, &f), 0);
	assert_int_equal(f.used, 6);
	assert_int_equal(hits_of(&f, "[a) S (?[1m]", false), 3);
	assert_int_equal(hits_of(&f, "[a) S (?[1m]", true), 9);
	assert_int_equal(hits_of(&f, "dev_hard_start_xmit", true), 6);
	assert_int_equal(hits_of(&f, "start [test_profiler_names]", false), 7);
	assert_int_equal(hits_of(&f, "[unknown process]", false), 8);
	assert_int_equal(hits_of(&f, "[unknown process]", true), 9);
	profiler_functions_free(&f);
	end(other);
	end(sender);
}

/* What the sender has started is told apart, too; kernel threads are the kernel. */
static void children_and_kernel_threads(void **state)
{
	struct profiler_hits hits = { 0 };
	struct profiler_functions f;
	pid_t child = start("child");
	char name[16] = "";
	FILE *in = fopen("/proc/2/comm", "re");

	(void)state;
	if (in && !fgets(name, sizeof(name), in))
		name[0] = '\0';
	if (in)
		fclose(in);
	add(&hits, HIT_USER, child, (uintptr_t)start, 7);
	if (strcmp(name, "kthreadd\n") == 0)
		add(&hits, HIT_KERNEL, 2, XMIT, 5);
	assert_int_equal(find(&hits, kallsyms, getpid(), &f), 0);
	assert_int_equal(hits_of(&f, "start [test_profiler_names]", false), 7);
	if (strcmp(name, "kthreadd\n") == 0)
		assert_int_equal(hits_of(&f, "dev_hard_start_xmit", true), 5);
	profiler_functions_free(&f);
	end(child);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(kernel_and_sender),
		cmocka_unit_test(idle_time),
		cmocka_unit_test(without_names),
		cmocka_unit_test(other_programs),
		cmocka_unit_test(children_and_kernel_threads),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("profiler names", tests, NULL, NULL);
}
