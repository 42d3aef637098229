/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Processes of leg_child.h. Four things keep them from outliving us: a process
 * group that can be killed as a whole, adoption of what leaves the group, the
 * kernel's signal at the death of the parent, and deadlines for every wait.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "leg_child.h"
#include "message.h"
#include "sender.h"

#define HURRY_NS 150000000ull     /* grace once the user wants to end */
#define KILLED_NS 5000000000ull   /* for a killed process to be gone */
#define TRIM_NS 50000000ull       /* between two looks at what it wrote */
#define KEPT_BYTES (1 << 20)      /* of that, at least */
#define BLOCK_BYTES 512           /* of st_blocks, stat(2) */
#define ADOPTED_NS 1000000000ull  /* for all that it started */
#define ADOPTED_STEP_NS 2000000ll /* between two looks for those */

/* ---- children, however they became ours ---- */

static FILE *open_children(void)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/self/task/%d/children", (int)getpid());
	return fopen(path, "re");
}

static int list_children(struct leg_strangers *out)
{
	FILE *file = open_children();
	int pid, err = 0;

	while (file && !err && fscanf(file, "%d", &pid) == 1) {
		pid_t *grown = reallocarray(out->pid, out->count + 1, sizeof(*grown));

		if (!grown) {
			err = -ENOMEM;
			break;
		}
		out->pid = grown;
		grown[out->count++] = pid;
	}
	if (file)
		fclose(file);
	return err;
}

int leg_child_adopt(struct leg_strangers *strangers)
{
	memset(strangers, 0, sizeof(*strangers));
	/* Refused by no kernel since 3.4. */
	(void)prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
	return list_children(strangers);
}

void leg_strangers_free(struct leg_strangers *strangers)
{
	free(strangers->pid);
	memset(strangers, 0, sizeof(*strangers));
}

static bool is_stranger(const struct leg_strangers *strangers, pid_t pid)
{
	size_t i;

	for (i = 0; i < strangers->count; i++)
		if (strangers->pid[i] == pid)
			return true;
	return false;
}

/* Returns how many there were. */
static size_t kill_children(const struct leg_strangers *strangers)
{
	FILE *file = open_children();
	size_t count = 0;
	int pid;

	while (file && fscanf(file, "%d", &pid) == 1) {
		if (is_stranger(strangers, pid))
			continue;
		kill(pid, SIGKILL);
		count++;
	}
	if (file)
		fclose(file);
	return count;
}

/* Each turn may bring up the children of those it ended. */
void leg_child_end_adopted(const struct leg_strangers *strangers)
{
	const struct timespec step = { .tv_nsec = ADOPTED_STEP_NS };
	uint64_t deadline_ns = clock_ns() + ADOPTED_NS;

	while (kill_children(strangers) > 0 && clock_ns() < deadline_ns) {
		while (waitpid(-1, NULL, WNOHANG) > 0)
			;
		nanosleep(&step, NULL);
	}
	while (waitpid(-1, NULL, WNOHANG) > 0)
		;
}

/* ---- in the child ---- */

static void default_signals(void)
{
	static const int stops[] = { SIGINT, SIGTERM, SIGHUP, SIGALRM };
	size_t i;

	for (i = 0; i < sizeof(stops) / sizeof(stops[0]); i++)
		signal(stops[i], SIG_DFL);
}

static bool redirect(const struct leg_child *child)
{
	int input = open("/dev/null", O_RDONLY | O_CLOEXEC);

	return input >= 0 && dup2(input, STDIN_FILENO) >= 0 &&
	       dup2(child->out, STDOUT_FILENO) >= 0 &&
	       dup2(child->err, STDERR_FILENO) >= 0;
}

/* The parent may have died before the kernel was asked to tell. */
static bool follow(pid_t parent)
{
	return prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0) == 0 && getppid() == parent;
}

static _Noreturn void be_child(const struct leg_child *child, pid_t parent,
			       const void *affinity, size_t affinity_bytes,
			       int (*run)(const void *context), const void *context)
{
	sigset_t none;
	int code;

	setpgid(0, 0);
	default_signals();
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	if (!follow(parent) || !redirect(child))
		_exit(EXIT_INTERNAL);
	(void)sched_setaffinity(0, affinity_bytes, affinity);
	message_begin_again();
	code = run(context);
	fflush(stdout);
	_exit(code);
}

/* ---- in the parent ---- */

static void close_fd(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

int leg_child_start(struct leg_child *child, const struct leg_strangers *strangers,
		    const void *affinity, size_t affinity_bytes,
		    int (*run)(const void *context), const void *context)
{
	sigset_t all, before;
	pid_t parent = getpid();
	int err = 0;

	memset(child, 0, sizeof(*child));
	child->strangers = strangers;
	child->pidfd = -1;
	child->out = memfd_create("dxmit-stdout", MFD_CLOEXEC);
	child->err = memfd_create("dxmit-stderr", MFD_CLOEXEC);
	if (child->out < 0 || child->err < 0)
		return -errno;
	fflush(NULL); /* or the child would write it once more */
	/* A signal before the child has its own handlers would run ours. */
	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, &before);
	child->pid = fork();
	if (child->pid == 0)
		be_child(child, parent, affinity, affinity_bytes, run, context);
	if (child->pid < 0) {
		err = -errno;
		child->pid = 0;
	}
	sigprocmask(SIG_SETMASK, &before, NULL);
	if (err)
		return err;
	(void)setpgid(child->pid, child->pid); /* whoever comes first */
	child->pidfd = (int)syscall(SYS_pidfd_open, child->pid, 0);
	return child->pidfd < 0 ? -errno : 0;
}

bool leg_child_ended(struct leg_child *child)
{
	siginfo_t info = { .si_pid = 0 };

	if (child->ended || child->pid <= 0)
		return child->ended;
	if (waitid(P_PID, (id_t)child->pid, &info, WEXITED | WNOHANG | WNOWAIT) ||
	    info.si_pid != child->pid)
		return false;
	/* While it is not reaped its number is nobody else's group. */
	kill(-child->pid, SIGKILL);
	child->ended =
		wait4(child->pid, &child->status, WNOHANG, &child->usage) == child->pid;
	return child->ended;
}

/* A hole in front, since the writer goes on where it was. */
static void trim(int fd)
{
	struct stat file;

	if (fd >= 0 && fstat(fd, &file) == 0 && file.st_size > KEPT_BYTES &&
	    (off_t)file.st_blocks * BLOCK_BYTES > 2 * KEPT_BYTES)
		(void)fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0,
				file.st_size - KEPT_BYTES);
}

void leg_child_trim(const struct leg_child *child)
{
	trim(child->out);
	trim(child->err);
}

/* Until it has ended, the deadline has come or, with a grace to cut, a stop. */
static void wait_for_end(struct leg_child *child, uint64_t deadline_ns, int stop_fd)
{
	while (!leg_child_ended(child)) {
		uint64_t now_ns = clock_ns();
		uint64_t left_ns = deadline_ns > now_ns ? deadline_ns - now_ns : 0;
		uint64_t sleep_ns = left_ns < TRIM_NS ? left_ns : TRIM_NS;
		struct timespec timeout = { .tv_nsec = (long)sleep_ns };
		struct pollfd fd[] = { { .fd = child->pidfd, .events = POLLIN },
				       { .fd = stop_fd, .events = POLLIN } };

		if (left_ns == 0)
			return;
		leg_child_trim(child);
		if (ppoll(fd, 2, &timeout, NULL) > 0 && fd[1].revents) {
			/* Left readable for whoever looks after the run. */
			stop_fd = -1;
			if (deadline_ns > now_ns + HURRY_NS)
				deadline_ns = now_ns + HURRY_NS;
		}
	}
}

bool leg_child_stop(struct leg_child *child, int signal, uint64_t grace_ns, int stop_fd)
{
	bool in_time;

	if (child->pid <= 0)
		return true;
	if (!leg_child_ended(child)) {
		kill(child->pid, signal);
		wait_for_end(child, clock_ns() + grace_ns, stop_fd);
	}
	in_time = child->ended;
	if (!child->ended) {
		kill(-child->pid, SIGKILL);
		wait_for_end(child, clock_ns() + KILLED_NS, -1);
	}
	leg_child_end_adopted(child->strangers);
	return in_time;
}

char *leg_child_text(int fd, size_t limit)
{
	struct stat file;
	size_t at = 0, size;
	off_t from;
	char *text;

	if (fd < 0 || fstat(fd, &file))
		file.st_size = 0;
	from = (size_t)file.st_size > limit ? file.st_size - (off_t)limit : 0;
	size = (size_t)(file.st_size - from);
	text = calloc(1, size + 1);
	while (text && at < size) {
		ssize_t n = pread(fd, text + at, size - at, from + (off_t)at);

		if (n <= 0)
			break;
		at += (size_t)n;
	}
	return text;
}

void leg_child_close(struct leg_child *child)
{
	if (child->pid > 0 && !child->ended)
		leg_child_stop(child, SIGKILL, KILLED_NS, -1);
	close_fd(&child->pidfd);
	close_fd(&child->out);
	close_fd(&child->err);
	child->pid = 0;
}
