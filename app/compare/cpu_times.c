/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * CPU times of cpu_times.h. The CPU clock of a process is exact; /proc/PID/stat
 * knows ticks and serves only to divide it into user and system. What CPUs did is
 * in /proc/stat, in ticks of 10 ms whatever HZ is (proc(5), USER_HZ).
 */
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cpu_times.h"

#define MAX_PROCESSES 64 /* descendants of a leg that are looked at */

/* ---- kernel threads ---- */

/* Process whose name is `name`, or 0. */
static pid_t find_process(const char *name)
{
	char path[300], comm[32];
	struct dirent *entry;
	DIR *dir = opendir("/proc");
	pid_t pid = 0;

	while (dir && !pid && (entry = readdir(dir))) {
		FILE *file;

		if (entry->d_name[0] < '1' || entry->d_name[0] > '9')
			continue;
		snprintf(path, sizeof(path), "/proc/%s/comm", entry->d_name);
		file = fopen(path, "re");
		if (!file)
			continue;
		if (fgets(comm, sizeof(comm), file) &&
		    strcspn(comm, "\n") == strlen(name) &&
		    strncmp(comm, name, strlen(name)) == 0)
			pid = (pid_t)strtol(entry->d_name, NULL, 10);
		fclose(file);
	}
	if (dir)
		closedir(dir);
	return pid;
}

static void find_threads(const struct cpu_watch *watch, const char *prefix, pid_t *pid)
{
	char name[32];
	size_t i;

	for (i = 0; i < watch->cpus; i++) {
		snprintf(name, sizeof(name), "%s%" PRIu32, prefix, watch->cpu[i]);
		pid[i] = find_process(name);
	}
}

void cpu_watch_find_pktgen(struct cpu_watch *watch)
{
	find_threads(watch, "kpktgend_", watch->kpktgend);
}

int cpu_watch_open(const uint32_t *cpu, size_t cpus, struct cpu_watch *out)
{
	size_t i, j;

	memset(out, 0, sizeof(*out));
	out->cpu = calloc(cpus, sizeof(*out->cpu));
	out->ksoftirqd = calloc(cpus, sizeof(*out->ksoftirqd));
	out->kpktgend = calloc(cpus, sizeof(*out->kpktgend));
	if (!out->cpu || !out->ksoftirqd || !out->kpktgend)
		return -ENOMEM;
	for (i = 0; i < cpus; i++) {
		for (j = 0; j < out->cpus && out->cpu[j] != cpu[i]; j++)
			;
		if (j == out->cpus)
			out->cpu[out->cpus++] = cpu[i];
	}
	find_threads(out, "ksoftirqd/", out->ksoftirqd);
	return 0;
}

void cpu_watch_close(struct cpu_watch *watch)
{
	free(watch->cpu);
	free(watch->ksoftirqd);
	free(watch->kpktgend);
	memset(watch, 0, sizeof(*watch));
}

/* ---- processes ---- */

/* A kernel thread is a process of one thread, and anybody may read its clock. */
static uint64_t process_ns(pid_t pid)
{
	struct timespec cpu;
	clockid_t clock;

	if (pid <= 0 || clock_getcpuclockid(pid, &clock) || clock_gettime(clock, &cpu))
		return 0;
	return (uint64_t)cpu.tv_sec * 1000000000u + (uint64_t)cpu.tv_nsec;
}

static uint64_t threads_ns(const pid_t *pid, size_t n)
{
	uint64_t sum = 0;
	size_t i;

	for (i = 0; i < n; i++)
		sum += process_ns(pid[i]);
	return sum;
}

/* utime and stime are fields 14 and 15, of which the 2nd may hold any character
 * but ends with the last parenthesis (proc(5)). */
static void add_ticks(pid_t pid, struct cpu_times *times)
{
	char path[64], line[1024], *at;
	unsigned long long user, system;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	file = fopen(path, "re");
	if (!file)
		return;
	at = fgets(line, sizeof(line), file) ? strrchr(line, ')') : NULL;
	fclose(file);
	if (at && sscanf(at + 1, " %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %llu %llu",
			 &user, &system) == 2) {
		times->user_ticks += user;
		times->system_ticks += system;
	}
}

static size_t add_children(pid_t pid, pid_t *list, size_t count)
{
	char path[64];
	FILE *file;
	int child;

	snprintf(path, sizeof(path), "/proc/%d/task/%d/children", (int)pid, (int)pid);
	file = fopen(path, "re");
	while (file && count < MAX_PROCESSES && fscanf(file, "%d", &child) == 1)
		list[count++] = child;
	if (file)
		fclose(file);
	return count;
}

/* A sender may leave the work to a child of its own, as trafgen does. */
static void add_processes(pid_t pid, struct cpu_times *times)
{
	pid_t list[MAX_PROCESSES] = { pid };
	size_t count = 1, i;

	for (i = 0; i < count; i++) {
		times->process_ns += process_ns(list[i]);
		add_ticks(list[i], times);
		count = add_children(list[i], list, count);
	}
}

/* ---- CPUs ---- */

static int is_watched(const struct cpu_watch *watch, uint32_t cpu)
{
	size_t i;

	for (i = 0; i < watch->cpus; i++)
		if (watch->cpu[i] == cpu)
			return 1;
	return 0;
}

static void add_cpus(const struct cpu_watch *watch, struct cpu_times *times)
{
	uint64_t tick_ns = 1000000000u / (uint64_t)sysconf(_SC_CLK_TCK);
	FILE *file = fopen("/proc/stat", "re");
	char line[512];

	while (file && fgets(line, sizeof(line), file)) {
		unsigned long long idle, wait, irq, softirq, steal;
		uint32_t cpu;

		if (sscanf(line, "cpu%" SCNu32 " %*u %*u %*u %llu %llu %llu %llu %llu",
			   &cpu, &idle, &wait, &irq, &softirq, &steal) != 6 ||
		    !is_watched(watch, cpu))
			continue;
		times->softirq_ns += softirq * tick_ns;
		times->idle_ns += (idle + wait) * tick_ns;
		times->steal_ns += steal * tick_ns;
	}
	if (file)
		fclose(file);
}

void cpu_times_read(const struct cpu_watch *watch, pid_t pid, struct cpu_times *out)
{
	memset(out, 0, sizeof(*out));
	if (pid > 0)
		add_processes(pid, out);
	out->ksoftirqd_ns = threads_ns(watch->ksoftirqd, watch->cpus);
	out->kpktgend_ns = threads_ns(watch->kpktgend, watch->cpus);
	add_cpus(watch, out);
}

/* Counts of processes that ended in between are gone. */
static uint64_t since(uint64_t now, uint64_t before)
{
	return now > before ? now - before : 0;
}

void cpu_times_since(struct cpu_times *now, const struct cpu_times *before)
{
	now->process_ns = since(now->process_ns, before->process_ns);
	now->user_ticks = since(now->user_ticks, before->user_ticks);
	now->system_ticks = since(now->system_ticks, before->system_ticks);
	now->ksoftirqd_ns = since(now->ksoftirqd_ns, before->ksoftirqd_ns);
	now->kpktgend_ns = since(now->kpktgend_ns, before->kpktgend_ns);
	now->softirq_ns = since(now->softirq_ns, before->softirq_ns);
	now->idle_ns = since(now->idle_ns, before->idle_ns);
	now->steal_ns = since(now->steal_ns, before->steal_ns);
}

void cpu_times_split(const struct cpu_times *times, uint64_t *user_ns,
		     uint64_t *system_ns)
{
	uint64_t ticks = times->user_ticks + times->system_ticks;

	*user_ns = ticks ? (uint64_t)((double)times->process_ns *
				      (double)times->user_ticks / (double)ticks)
			 : 0;
	*system_ns = times->process_ns - *user_ns;
}
