/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Opening the events of profiler_events.h. Who may watch what is decided in the
 * kernel by kernel.perf_event_paranoid, CAP_PERFMON and CAP_SYS_ADMIN
 * (Documentation/admin-guide/perf-security.rst): it is tried, not guessed.
 */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "procfs.h"
#include "profiler_events.h"

/* Of a process; past that threads are not watched. Senders have one per queue. */
#define THREADS_MOST 1024u

static struct perf_event_attr attributes(enum profiler_scope scope,
					 enum profiler_clock clock, uint32_t hz)
{
	uint64_t most = procfs_number("/proc/sys/kernel/perf_event_max_sample_rate", hz);
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.type = PERF_TYPE_HARDWARE,
		.config = PERF_COUNT_HW_CPU_CYCLES,
		.sample_freq = hz < most ? hz : most,
		.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID,
		.freq = 1,
		.disabled = 1,
		.inherit = scope != PROFILER_CPUS,
		.exclude_kernel = scope == PROFILER_PROCESS_USER,
		.exclude_hv = scope == PROFILER_PROCESS_USER,
	};

	if (clock == PROFILER_TIMER) {
		attr.type = PERF_TYPE_SOFTWARE;
		attr.config = PERF_COUNT_SW_CPU_CLOCK;
	}
	if (attr.sample_freq == 0)
		attr.sample_freq = 1;
	return attr;
}

static int open_event(const struct perf_event_attr *attr, int thread, uint32_t cpu)
{
	struct perf_event_attr copy = *attr; /* the kernel may write its size */
	long fd = syscall(SYS_perf_event_open, &copy, thread, (int)cpu, -1,
			  PERF_FLAG_FD_CLOEXEC);

	return fd < 0 ? -errno : (int)fd;
}

/* The first event of a CPU brings the ring, the others write to it. */
static int add_event(struct profiler_events *events, int fd, bool first)
{
	int err;

	events->fd[events->fds++] = fd;
	if (!first)
		return ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, events->fd[events->fds - 2]) <
				       0
			       ? -errno
			       : 0;
	err = profiler_ring_map(fd, &events->ring[events->rings]);
	if (!err)
		events->rings++;
	/* Not a matter of what may be watched. */
	return err == -EPERM ? -ENOMEM : err;
}

/* Threads that ended meanwhile are passed over, unless all have. */
static int open_cpu(struct profiler_events *events, const struct perf_event_attr *attr,
		    const int *thread, size_t threads, uint32_t cpu)
{
	bool first = true;
	size_t i;
	int err;

	for (i = 0; i < threads; i++) {
		int fd = open_event(attr, thread[i], cpu);

		if (fd == -ESRCH)
			continue;
		if (fd < 0)
			return fd;
		err = add_event(events, fd, first);
		if (err)
			return err;
		first = false;
	}
	return first ? -ESRCH : 0;
}

static int open_all(struct profiler_events *events, const struct perf_event_attr *attr,
		    const int *thread, size_t threads, const uint32_t *cpu, size_t cpus)
{
	int err = 0;
	size_t i;

	events->fd = calloc(threads * cpus, sizeof(*events->fd));
	events->ring = calloc(cpus, sizeof(*events->ring));
	if (!events->fd || !events->ring)
		err = -ENOMEM;
	for (i = 0; !err && i < cpus; i++)
		err = open_cpu(events, attr, thread, threads, cpu[i]);
	if (err)
		profiler_events_close(events);
	return err;
}

/*
 * The threads a process has. One that is started while its events are opened, by a
 * thread that has none yet, is missed; listing again would count those twice that
 * have inherited theirs.
 */
static size_t list_threads(int pid, int thread[THREADS_MOST])
{
	char path[64];
	struct dirent *entry;
	size_t count = 0;
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%d/task", pid);
	dir = opendir(path);
	while (dir && count < THREADS_MOST && (entry = readdir(dir)) != NULL)
		if (entry->d_name[0] != '.')
			thread[count++] = (int)strtol(entry->d_name, NULL, 10);
	if (dir)
		closedir(dir);
	return count;
}

/* Is it this user who may not, so that less may be allowed? */
static bool is_forbidden(int err)
{
	return err == -EACCES || err == -EPERM;
}

static const char *explain_forbidden(int err)
{
	uint64_t paranoid = procfs_number("/proc/sys/kernel/perf_event_paranoid", 0);

	/* Debian and others refuse all above 2; to the kernel itself that is 2. */
	if (paranoid > 2)
		return "kernel.perf_event_paranoid above 2 forbids all sampling on some "
		       "systems; sysctl kernel.perf_event_paranoid=0, or run with "
		       "CAP_PERFMON (2 allows the sender alone, 1 with the kernel)";
	if (err == -EPERM)
		return "perf_event_open() is refused, as containers do by seccomp; run "
		       "outside, or allow it and CAP_PERFMON";
	return "neither the CPUs nor the sender may be watched, it has another user's "
	       "rights or more; sysctl kernel.perf_event_paranoid=0, or run with "
	       "CAP_PERFMON";
}

static const char *explain(int err)
{
	if (is_forbidden(err))
		return explain_forbidden(err);
	switch (err) {
	case -ESRCH:
		return "the process to be sampled has ended; look why it did";
	case -ENODEV:
		return "a CPU to be sampled is offline; choose others (--cpus)";
	case -EMFILE:
	case -ENFILE:
		return "too many open files, each CPU (and thread) takes one; "
		       "raise ulimit -n";
	case -ENOMEM:
		return "no memory for samples; sysctl kernel.perf_event_mlock_kb=2048";
	case -EINVAL:
		return "no such CPU to be sampled; choose others (--cpus)";
	case -ENOSYS:
		return "this kernel cannot sample; it needs CONFIG_PERF_EVENTS";
	default:
		return "the kernel refused to sample; see perf_event_open(2)";
	}
}

/* One scope, by the better clock that this machine has. */
static int open_scope(enum profiler_scope scope, const uint32_t *cpu, size_t cpus,
		      int pid, uint32_t hz, struct profiler_events *out)
{
	int thread[THREADS_MOST] = { -1 }, err = -ENODEV, clock;
	size_t threads = 1;

	if (scope != PROFILER_CPUS)
		threads = list_threads(pid, thread);
	if (threads == 0)
		return -ESRCH;
	for (clock = 0; err && !is_forbidden(err) && clock < PROFILER_CLOCKS; clock++) {
		struct perf_event_attr attr =
			attributes(scope, (enum profiler_clock)clock, hz);

		out->scope = scope;
		out->clock = (enum profiler_clock)clock;
		err = open_all(out, &attr, thread, threads, cpu, cpus);
	}
	return err;
}

int profiler_events_open(const uint32_t *cpu, size_t cpus, int pid, uint32_t hz,
			 struct profiler_events *out, const char **why)
{
	int err = -EACCES, scope;

	*out = (struct profiler_events){ 0 };
	if (cpus == 0) {
		*why = explain(-EINVAL);
		return -EINVAL;
	}
	for (scope = 0; is_forbidden(err) && scope < PROFILER_SCOPES; scope++) {
		if (scope != PROFILER_CPUS && pid <= 0)
			break;
		err = open_scope((enum profiler_scope)scope, cpu, cpus, pid, hz, out);
	}
	if (err)
		*why = explain(err);
	return err;
}

int profiler_events_switch(struct profiler_events *events, bool on)
{
	unsigned long request = on ? PERF_EVENT_IOC_ENABLE : PERF_EVENT_IOC_DISABLE;
	int err = 0;
	size_t i;

	for (i = 0; i < events->fds; i++)
		if (ioctl(events->fd[i], request, 0) < 0 && !err)
			err = -errno;
	return err;
}

void profiler_events_close(struct profiler_events *events)
{
	size_t i;

	for (i = 0; i < events->rings; i++)
		profiler_ring_unmap(&events->ring[i]);
	for (i = 0; i < events->fds; i++)
		close(events->fd[i]);
	free(events->ring);
	free(events->fd);
	events->ring = NULL;
	events->fd = NULL;
	events->rings = events->fds = 0;
}
