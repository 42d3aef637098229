/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A foreign command as a leg. Between us and the shell stand two guards, because
 * the kernel tells only the direct child of a process that it died, and a command
 * may have children of its own: a guard adopts them and ends them all, when the
 * command has ended, when it is told to, and when the one above it is gone. There
 * are two since one could be killed together with `dxmit compare`.
 */
#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cpu.h"
#include "leg_child.h"
#include "leg_start.h"
#include "message.h"

#define SHELL "/bin/sh"
#define NOT_STARTED 127 /* as a shell says it */
#define BY_SIGNAL 128

static void watched_signals(sigset_t *set)
{
	sigemptyset(set);
	sigaddset(set, SIGINT);
	sigaddset(set, SIGTERM);
	sigaddset(set, SIGCHLD);
}

void leg_shell(const char *command)
{
	/* Ignored in this program, but not for others. */
	signal(SIGPIPE, SIG_DFL);
	signal(SIGXFSZ, SIG_DFL);
	execl(SHELL, SHELL, "-c", command, (char *)NULL);
	fail(EXIT_RUNTIME, SHELL, "cannot be run: %s; check that it is there",
	     strerror(errno));
	_exit(NOT_STARTED);
}

struct task {
	const char *command;
	const uint32_t *cpu;
	size_t cpus;
};

static _Noreturn void be_shell(const struct task *task, pid_t guard)
{
	sigset_t none;
	int err = cpu_pin_to(task->cpu, task->cpus);

	if (prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0) || getppid() != guard)
		_exit(NOT_STARTED);
	if (err) {
		fail(EXIT_RUNTIME, "exec", "cannot be put on its CPUs: %s; see --cpus",
		     strerror(-err));
		_exit(NOT_STARTED);
	}
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	leg_shell(task->command);
}

static int exit_code(int status)
{
	return WIFEXITED(status) ? WEXITSTATUS(status) : BY_SIGNAL + WTERMSIG(status);
}

/* Reap what has ended: adopted children, and the one guarded, with which its group
 * goes. While it is not reaped its number is nobody else's group. True: it has ended. */
static bool reap(pid_t guarded, int *status)
{
	siginfo_t ended = { .si_pid = 0 };

	while (waitid(P_ALL, 0, &ended, WEXITED | WNOHANG | WNOWAIT) == 0 &&
	       ended.si_pid > 0) {
		if (ended.si_pid == guarded)
			kill(-guarded, SIGKILL);
		if (waitpid(ended.si_pid, status, 0) == guarded)
			return true;
		ended.si_pid = 0;
	}
	return false;
}

/* Until it has ended; for as long as that takes, since whoever started us has the
 * deadline, and kills us by it. */
static int wait_for(pid_t guarded, int end_signal, const sigset_t *signals)
{
	int status = 0;

	do {
		siginfo_t info;

		if (sigwaitinfo(signals, &info) < 0)
			continue;
		if (info.si_signo == SIGINT)
			kill(-guarded, SIGINT);
		if (info.si_signo == SIGTERM)
			kill(-guarded, end_signal);
	} while (!reap(guarded, &status));
	return exit_code(status);
}

/* Run `run` in a child and guard it; end_signal makes that one end at once. */
static int guard(const struct task *task, void (*run)(const struct task *, pid_t guard),
		 int end_signal, pid_t parent)
{
	pid_t self = getpid(), guarded;
	struct leg_strangers strangers;
	sigset_t signals;
	int code;

	watched_signals(&signals);
	sigprocmask(SIG_BLOCK, &signals, NULL);
	/* Instead of SIGKILL, or the command would stay alone. */
	if (prctl(PR_SET_PDEATHSIG, SIGTERM, 0, 0, 0) || getppid() != parent)
		return EXIT_INTERNAL;
	/* Just forked, it has no child. */
	if (leg_child_adopt(&strangers))
		return EXIT_INTERNAL;
	guarded = fork();
	if (guarded == 0) {
		setpgid(0, 0);
		run(task, self);
	}
	if (guarded < 0)
		return fail(EXIT_RUNTIME, "exec", "no process: %s; check `ulimit -u`",
			    strerror(errno));
	(void)setpgid(guarded, guarded);
	code = wait_for(guarded, end_signal, &signals);
	leg_child_end_adopted(&strangers);
	leg_strangers_free(&strangers);
	return code;
}

static void be_inner_guard(const struct task *task, pid_t outer)
{
	_exit(guard(task, be_shell, SIGKILL, outer));
}

/* What the command leaves behind is found by it. */
static int check_proc(void)
{
	return access("/proc/self/stat", F_OK) == 0
		       ? 0
		       : fail(EXIT_RUNTIME, "/proc",
			      "is not there, and without it a command's children "
			      "cannot be ended; mount it");
}

int leg_exec(const char *command, const uint32_t *cpu, size_t cpus)
{
	const struct task task = { command, cpu, cpus };
	int code = check_proc();

	return code ? code : guard(&task, be_inner_guard, SIGTERM, getppid());
}
