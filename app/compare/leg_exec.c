/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A foreign command as a leg. Between us and the shell stands a guard, because
 * the kernel tells only the direct child of a process that it died, and a command
 * may have children of its own: the guard adopts them and ends them all, when the
 * command has ended, when it is told to, and when `dxmit compare` is gone.
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

static _Noreturn void be_shell(const char *command, const uint32_t *cpu, size_t cpus,
			       pid_t guard)
{
	sigset_t none;
	int err = cpu_pin_to(cpu, cpus);

	setpgid(0, 0);
	if (prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0) || getppid() != guard)
		_exit(NOT_STARTED);
	if (err) {
		fail(EXIT_RUNTIME, "exec", "cannot be put on its CPUs: %s; see --cpus",
		     strerror(-err));
		_exit(NOT_STARTED);
	}
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	leg_shell(command);
}

static int exit_code(int status)
{
	return WIFEXITED(status) ? WEXITSTATUS(status) : BY_SIGNAL + WTERMSIG(status);
}

/* Reap what has ended: adopted children, and the shell, with which its group goes.
 * While it is not reaped its number is nobody else's group. True: it has ended. */
static bool reap(pid_t shell, int *status)
{
	siginfo_t ended = { .si_pid = 0 };

	while (waitid(P_ALL, 0, &ended, WEXITED | WNOHANG | WNOWAIT) == 0 &&
	       ended.si_pid > 0) {
		if (ended.si_pid == shell)
			kill(-shell, SIGKILL);
		if (waitpid(ended.si_pid, status, 0) == shell)
			return true;
		ended.si_pid = 0;
	}
	return false;
}

/* Until the shell has ended; for as long as that takes, since whoever started us has
 * the deadline, and kills us by it. */
static int guard_shell(pid_t shell, const sigset_t *signals)
{
	int status = 0;

	do {
		siginfo_t info;

		if (sigwaitinfo(signals, &info) < 0)
			continue;
		if (info.si_signo == SIGINT)
			kill(-shell, SIGINT);
		if (info.si_signo == SIGTERM)
			kill(-shell, SIGKILL);
	} while (!reap(shell, &status));
	return exit_code(status);
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
	pid_t parent = getppid(), guard = getpid(), shell;
	struct leg_strangers strangers;
	sigset_t signals;
	int code = check_proc();

	if (code)
		return code;
	watched_signals(&signals);
	sigprocmask(SIG_BLOCK, &signals, NULL);
	/* Instead of SIGKILL, or the command would stay alone. */
	if (prctl(PR_SET_PDEATHSIG, SIGTERM, 0, 0, 0) || getppid() != parent)
		return EXIT_INTERNAL;
	/* Just forked, it has no child. */
	if (leg_child_adopt(&strangers))
		return EXIT_INTERNAL;
	shell = fork();
	if (shell == 0)
		be_shell(command, cpu, cpus, guard);
	if (shell < 0)
		return fail(EXIT_RUNTIME, "exec", "no process: %s; check `ulimit -u`",
			    strerror(errno));
	(void)setpgid(shell, shell);
	code = guard_shell(shell, &signals);
	leg_child_end_adopted(&strangers);
	leg_strangers_free(&strangers);
	return code;
}
