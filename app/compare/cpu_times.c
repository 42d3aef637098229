/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * CPU times of cpu_times.h. The CPU clock of a process is exact; /proc/PID/stat
 * knows ticks and serves only to divide it into user and system. What CPUs did is
 * in /proc/stat, in ticks of 10 ms whatever HZ is (proc(5), USER_HZ).
 */
#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cpu_times.h"

#define MAX_PROCESSES 64 /* descendants of a leg that are looked at */

void cpu_watch_find_pktgen(struct cpu_watch *watch)
{
	kernel_threads_free(&watch->kpktgend);
	(void)kernel_threads_find("kpktgend_", watch->cpu, watch->cpus, &watch->kpktgend);
}

int cpu_watch_open(const uint32_t *cpu, size_t cpus, struct cpu_watch *out)
{
	size_t i, j;

	memset(out, 0, sizeof(*out));
	out->cpu = calloc(cpus, sizeof(*out->cpu));
	if (!out->cpu)
		return -ENOMEM;
	for (i = 0; i < cpus; i++) {
		for (j = 0; j < out->cpus && out->cpu[j] != cpu[i]; j++)
			;
		if (j == out->cpus)
			out->cpu[out->cpus++] = cpu[i];
	}
	return kernel_threads_find("ksoftirqd/", out->cpu, out->cpus, &out->ksoftirqd);
}

void cpu_watch_close(struct cpu_watch *watch)
{
	free(watch->cpu);
	kernel_threads_free(&watch->ksoftirqd);
	kernel_threads_free(&watch->kpktgend);
	memset(watch, 0, sizeof(*watch));
}

/* ---- processes ---- */

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
		times->process_ns += process_cpu_ns(list[i]);
		add_ticks(list[i], times);
		count = add_children(list[i], list, count);
	}
}

/* ---- CPUs ---- */

static bool is_watched(const struct cpu_watch *watch, uint32_t cpu)
{
	size_t i;

	for (i = 0; i < watch->cpus; i++)
		if (watch->cpu[i] == cpu)
			return true;
	return false;
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
	out->ksoftirqd_ns = kernel_threads_ns(&watch->ksoftirqd);
	out->kpktgend_ns = kernel_threads_ns(&watch->kpktgend);
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
