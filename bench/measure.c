/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * measure: run a sender pinned to a CPU, judge it by counters of the device it
 * sends on, and never wait for it longer than told. The window measured opens
 * with the first counter movement and closes when the sender is asked to stop,
 * so neither its start nor its end counts.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "median.h"
#include "softirqd.h"

#define COPIES_MAX 16
#define ARGS_MAX 64
#define STEP_NS 4000000 /* between two looks at the counters: 4 ms */
/* From SIGINT to SIGKILL: xdpsock sleeps 1 s per socket before it ends. */
#define GRACE_NS 4000000000ull

struct run {
	const char *counters; /* files, comma-separated, added up */
	const char *log;
	double seconds; /* of sending before it is asked to stop */
	double limit;   /* for the first movement to show */
	int cpu, copies, cpus;
	char **argv;
	pid_t pid[COPIES_MAX];
	int softirqd[COPIES_MAX]; /* of the CPUs used; 0: not visible */
	int softirqds;
	int alive, status;
	int input; /* write end of the senders' stdin, kept open */
};

struct sample {
	uint64_t ns, packets, cpu_ns;
};

static uint64_t read_number(const char *path, uint64_t fallback)
{
	FILE *file = fopen(path, "r");
	unsigned long long value;

	if (!file)
		return fallback;
	if (fscanf(file, "%llu", &value) != 1)
		value = fallback;
	fclose(file);
	return value;
}

static uint64_t read_counters(const char *list)
{
	char copy[1024], *path, *rest = NULL;
	uint64_t sum = 0;

	snprintf(copy, sizeof(copy), "%s", list);
	for (path = strtok_r(copy, ",", &rest); path; path = strtok_r(NULL, ",", &rest))
		sum += read_number(path, 0);
	return sum;
}

/* CPU time of every thread of a process: first field of its schedstat, ns. */
static uint64_t process_cpu_ns(pid_t pid)
{
	char path[64];
	struct dirent *entry;
	uint64_t sum = 0;
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
	dir = opendir(path);
	while (dir && (entry = readdir(dir))) {
		char file[384];

		if (entry->d_name[0] == '.')
			continue;
		snprintf(file, sizeof(file), "%s/%s/schedstat", path, entry->d_name);
		sum += read_number(file, 0);
	}
	if (dir)
		closedir(dir);
	return sum;
}

/* A sender may leave the work to a child of its own, as trafgen does. */
static uint64_t tree_cpu_ns(pid_t pid)
{
	uint64_t sum = process_cpu_ns(pid);
	char path[64];
	int child;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/task/%d/children", (int)pid, (int)pid);
	file = fopen(path, "r");
	while (file && fscanf(file, "%d", &child) == 1)
		sum += process_cpu_ns(child);
	if (file)
		fclose(file);
	return sum;
}

static struct sample take_sample(const struct run *run)
{
	struct sample s = { .packets = read_counters(run->counters) };
	int i;

	s.ns = bench_clock_ns(CLOCK_MONOTONIC);
	for (i = 0; i < run->copies; i++)
		s.cpu_ns += tree_cpu_ns(run->pid[i]);
	for (i = 0; i < run->softirqds; i++)
		s.cpu_ns += bench_softirqd_ns(run->softirqd[i]);
	return s;
}

static int pin(int cpu, int cpus)
{
	cpu_set_t set;
	int i;

	CPU_ZERO(&set);
	for (i = 0; i < cpus; i++)
		CPU_SET((size_t)(cpu + i), &set);
	return sched_setaffinity(0, sizeof(set), &set);
}

/* Every "%q" and "%c" of an argument becomes the copy's queue and CPU. */
static char *expand(const char *text, int queue, int cpu)
{
	char *out = calloc(1, strlen(text) * 4 + 1), *to = out;

	for (; out && *text; text++) {
		if (text[0] == '%' && (text[1] == 'q' || text[1] == 'c'))
			to += sprintf(to, "%d", *++text == 'q' ? queue : cpu);
		else
			*to++ = *text;
	}
	return out;
}

static void exec_copy(const struct run *run, int copy, int input)
{
	char *argv[ARGS_MAX + 1];
	int log = open(run->log, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644), i;

	for (i = 0; i < ARGS_MAX && run->argv[i]; i++)
		argv[i] = expand(run->argv[i], copy, run->cpu + copy);
	argv[i] = NULL;
	setpgid(0, 0);
	if (log < 0 || pin(run->cpu + copy, run->cpus))
		_exit(126);
	dup2(input, 0);
	dup2(log, 1);
	dup2(log, 2);
	execvp(argv[0], argv);
	_exit(127);
}

static int start(struct run *run)
{
	int ends[2], i;

	if (pipe2(ends, O_CLOEXEC))
		return -errno;
	run->input = ends[1];
	for (i = 0; i < run->copies; i++) {
		run->pid[i] = fork();
		if (run->pid[i] < 0)
			return -errno;
		if (run->pid[i] == 0)
			exec_copy(run, i, ends[0]);
		setpgid(run->pid[i], run->pid[i]);
		run->alive++;
	}
	close(ends[0]);
	return 0;
}

static void reap(struct run *run)
{
	int i, status;

	for (i = 0; i < run->copies; i++)
		if (run->pid[i] > 0 && waitpid(run->pid[i], &status, WNOHANG) > 0) {
			run->pid[i] = 0;
			run->alive--;
			if (status)
				run->status = status;
		}
}

/* Each copy leads a process group of its own, so its children go with it. */
static void signal_all(const struct run *run, int sig)
{
	int i;

	for (i = 0; i < run->copies; i++)
		if (run->pid[i] > 0)
			kill(-run->pid[i], sig);
}

static void pause_step(void)
{
	struct timespec step = { .tv_nsec = STEP_NS };

	nanosleep(&step, NULL);
}

/* Returns 0 with the window in first and last, or -1: nothing ever moved. */
static int watch(struct run *run, struct sample *first, struct sample *last)
{
	struct sample before = take_sample(run), now;
	uint64_t begin_ns = before.ns;

	for (now = before; now.packets == before.packets; now = take_sample(run)) {
		if (!run->alive || (double)(now.ns - begin_ns) > run->limit * 1e9)
			return -1;
		pause_step();
		reap(run);
	}
	*first = *last = now;
	while (run->alive && (double)(now.ns - first->ns) < run->seconds * 1e9) {
		pause_step();
		reap(run);
		if (!run->alive)
			break; /* ended by itself: keep the last look at it */
		now = take_sample(run);
		if (now.packets != last->packets)
			*last = now;
	}
	return 0;
}

static void stop(struct run *run)
{
	uint64_t deadline = bench_clock_ns(CLOCK_MONOTONIC) + GRACE_NS;

	signal_all(run, SIGINT);
	while (run->alive && bench_clock_ns(CLOCK_MONOTONIC) < deadline) {
		pause_step();
		reap(run);
	}
	signal_all(run, SIGKILL);
	while (run->alive) {
		pause_step();
		reap(run);
	}
	close(run->input);
}

static int usage(void)
{
	fputs("usage: measure COUNTER[,COUNTER] SECONDS LIMIT CPU CPUS COPIES LOG "
	      "COMMAND…\n",
	      stderr);
	return 2;
}

int main(int argc, char **argv)
{
	struct sample first, last;
	struct run run = { 0 };
	double seconds;
	int moved;

	if (argc < 9 || argc > ARGS_MAX)
		return usage();
	run.counters = argv[1];
	run.seconds = strtod(argv[2], NULL);
	run.limit = strtod(argv[3], NULL);
	run.cpu = (int)strtol(argv[4], NULL, 10);
	run.cpus = (int)strtol(argv[5], NULL, 10);
	run.copies = (int)strtol(argv[6], NULL, 10);
	run.log = argv[7];
	run.argv = argv + 8;
	if (run.copies < 1 || run.copies > COPIES_MAX || run.cpus < 1)
		return usage();
	while (run.softirqds < run.copies * run.cpus && run.softirqds < COPIES_MAX) {
		run.softirqd[run.softirqds] = bench_softirqd_pid(run.cpu + run.softirqds);
		run.softirqds++;
	}
	signal(SIGPIPE, SIG_IGN);
	if (start(&run)) {
		perror("measure");
		stop(&run);
		return 1;
	}
	moved = watch(&run, &first, &last);
	stop(&run);
	if (moved < 0 || last.packets == first.packets) {
		printf("failed=nothing-sent status=%d\n", run.status);
		return 1;
	}
	seconds = (double)(last.ns - first.ns) / 1e9;
	printf("packets=%llu seconds=%.4f pps=%.0f cpu_s_per_mpkt=%.4f\n",
	       (unsigned long long)(last.packets - first.packets), seconds,
	       (double)(last.packets - first.packets) / seconds,
	       (double)(last.cpu_ns - first.cpu_ns) / 1e3 /
		       (double)(last.packets - first.packets));
	return 0;
}
