/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Runs a command and makes one of its system calls fail: the K-th of its kind,
 * counted over all threads from the command's own start on.
 *
 *	fault LOG CALL ERRNO K[+] COMMAND…
 *
 * "K+" fails the K-th and all after it; 0 none. LOG gets the number of calls
 * seen and the line "failed" if one was failed. The exit status is the
 * command's, or 128 + signal.
 *
 * A seccomp filter asks this program about the calls of interest only, so that
 * the rest runs at full speed and nothing traces the command. The start of
 * dxmit, after the dynamic linker and the constructors of its libraries, is
 * its first fcntl(0, F_GETFD).
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include <linux/filter.h>
#include <linux/seccomp.h>

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

#define CALL(name)                \
	{                         \
#name, SYS_##name \
	}
static const struct {
	const char *name;
	int number;
} calls[] = {
	CALL(bind),
	CALL(brk),
	CALL(capget),
	CALL(capset),
	CALL(clock_nanosleep),
	CALL(clone3),
	CALL(close),
	CALL(eventfd2),
	CALL(fcntl),
	CALL(getrusage),
	CALL(getsockname),
	CALL(getsockopt),
	CALL(ioctl),
	CALL(madvise),
	CALL(mbind),
	CALL(mmap),
	CALL(move_pages),
	CALL(mprotect),
	CALL(munmap),
	CALL(newfstatat),
	CALL(openat),
	CALL(ppoll),
	CALL(prctl),
	CALL(prlimit64),
	CALL(read),
	CALL(recvmsg),
	CALL(rt_sigaction),
	CALL(rt_sigprocmask),
	CALL(sched_getaffinity),
	CALL(sched_setaffinity),
	CALL(sched_yield),
	CALL(sendmsg),
	CALL(sendto),
	CALL(set_mempolicy),
	CALL(setsockopt),
	CALL(signalfd4),
	CALL(socket),
	CALL(unshare),
	CALL(write),
#ifdef SYS_poll /* not on newer architectures */
	CALL(poll),
#endif
};

static const struct {
	const char *name;
	int number;
} errors[] = {
	{ "EPERM", EPERM },
	{ "EINTR", EINTR },
	{ "EIO", EIO },
	{ "ENXIO", ENXIO },
	{ "EBADF", EBADF },
	{ "EAGAIN", EAGAIN },
	{ "ENOMEM", ENOMEM },
	{ "EACCES", EACCES },
	{ "EFAULT", EFAULT },
	{ "EBUSY", EBUSY },
	{ "ENODEV", ENODEV },
	{ "EINVAL", EINVAL },
	{ "ENFILE", ENFILE },
	{ "EMFILE", EMFILE },
	{ "ENOSPC", ENOSPC },
	{ "EPIPE", EPIPE },
	{ "ENOSYS", ENOSYS },
	{ "ENOPROTOOPT", ENOPROTOOPT },
	{ "EOPNOTSUPP", EOPNOTSUPP },
	{ "ENETDOWN", ENETDOWN },
	{ "ENOBUFS", ENOBUFS },
};

struct job {
	int call;
	int error;
	unsigned long at; /* 0: none */
	bool ever_after;
	bool started;
	unsigned long seen;
	bool failed;
};

/* How the command's descriptor of the listener gets here: both wait for the
 * other's number. 0: not yet. */
struct meeting {
	int listener_plus_1; /* set by the command's process */
	int taken;           /* set by this one */
};

static _Noreturn void die(const char *what)
{
	perror(what);
	exit(125);
}

static int install_filter(int call)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)call, 1, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_fcntl, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_USER_NOTIF),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = { .len = ARRAY_SIZE(code), .filter = code };
	long fd = syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER,
			  SECCOMP_FILTER_FLAG_NEW_LISTENER, &program);

	/* Privileges allow it without no_new_privs, which the command shall
	 * find as ever. */
	if (fd < 0 && errno == EACCES && prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0)
		fd = syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER,
			     SECCOMP_FILTER_FLAG_NEW_LISTENER, &program);
	if (fd < 0)
		die("seccomp");
	return (int)fd;
}

static pid_t start(char **command, int call, struct meeting *meeting)
{
	pid_t pid = fork();

	if (pid < 0)
		die("fork");
	if (pid > 0)
		return pid;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	/* No call from here to exec that might be the one of interest. */
	__atomic_store_n(&meeting->listener_plus_1, install_filter(call) + 1,
			 __ATOMIC_RELEASE);
	while (!__atomic_load_n(&meeting->taken, __ATOMIC_ACQUIRE))
		;
	execvp(command[0], command);
	die(command[0]);
}

static int take_listener(int pidfd, struct meeting *meeting)
{
	struct pollfd gone = { .fd = pidfd, .events = POLLIN };
	int plus_1, fd;

	do {
		plus_1 = __atomic_load_n(&meeting->listener_plus_1, __ATOMIC_ACQUIRE);
		if (poll(&gone, 1, 0) > 0)
			exit(125);
	} while (!plus_1);
	fd = (int)syscall(SYS_pidfd_getfd, pidfd, plus_1 - 1, 0);
	if (fd < 0)
		die("pidfd_getfd");
	__atomic_store_n(&meeting->taken, 1, __ATOMIC_RELEASE);
	return fd;
}

static bool is_due(struct job *job, const struct seccomp_data *data)
{
	if (!job->started) {
		job->started = data->nr == SYS_fcntl && data->args[0] == 0 &&
			       data->args[1] == F_GETFD;
		return false;
	}
	if (data->nr != job->call)
		return false;
	job->seen++;
	return job->at &&
	       (job->seen == job->at || (job->ever_after && job->seen > job->at));
}

/* A thread waits to be told whether its call is made. */
static void answer(struct job *job, int listener)
{
	struct seccomp_notif question = { 0 };
	struct seccomp_notif_resp reply = { 0 };

	if (ioctl(listener, SECCOMP_IOCTL_NOTIF_RECV, &question))
		return; /* killed meanwhile */
	reply.id = question.id;
	if (is_due(job, &question.data)) {
		reply.error = -job->error;
		job->failed = true;
	} else {
		reply.flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE;
	}
	(void)ioctl(listener, SECCOMP_IOCTL_NOTIF_SEND, &reply);
}

/* Until the command ends; returns its wait status. */
static int supervise(struct job *job, pid_t pid, struct meeting *meeting)
{
	int pidfd = (int)syscall(SYS_pidfd_open, pid, 0);
	struct pollfd fd[2] = { { .fd = pidfd, .events = POLLIN }, { .events = POLLIN } };
	int status;

	if (pidfd < 0)
		die("pidfd_open");
	fd[1].fd = take_listener(pidfd, meeting);
	while (poll(fd, 2, -1) > 0 && !(fd[0].revents & POLLIN)) {
		if (fd[1].revents & POLLIN)
			answer(job, fd[1].fd);
		else if (fd[1].revents)
			fd[1].fd = -1; /* nobody is left to ask */
	}
	if (waitpid(pid, &status, 0) != pid)
		die("waitpid");
	return status;
}

static void parse(struct job *job, char **argv)
{
	char *rest;
	size_t i;

	job->call = -1;
	for (i = 0; i < ARRAY_SIZE(calls); i++)
		if (strcmp(calls[i].name, argv[2]) == 0)
			job->call = calls[i].number;
	for (i = 0; i < ARRAY_SIZE(errors); i++)
		if (strcmp(errors[i].name, argv[3]) == 0)
			job->error = errors[i].number;
	job->at = strtoul(argv[4], &rest, 10);
	job->ever_after = strcmp(rest, "+") == 0;
	if (job->call < 0 || !job->error || (*rest && !job->ever_after)) {
		fprintf(stderr, "fault: unknown: %s %s %s\n", argv[2], argv[3], argv[4]);
		exit(125);
	}
}

int main(int argc, char **argv)
{
	struct job job = { 0 };
	struct meeting *meeting;
	FILE *log;
	int status;

	if (argc < 6) {
		fputs("usage: fault LOG CALL ERRNO K[+] COMMAND…\n", stderr);
		return 125;
	}
	parse(&job, argv);
	log = fopen(argv[1], "we");
	meeting = mmap(NULL, sizeof(*meeting), PROT_READ | PROT_WRITE,
		       MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (!log || meeting == MAP_FAILED)
		die(argv[1]);
	status = supervise(&job, start(argv + 5, job.call, meeting), meeting);
	fprintf(log, "%lu\n%s", job.seen, job.failed ? "failed\n" : "");
	fclose(log);
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}
