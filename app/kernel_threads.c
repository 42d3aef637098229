/* SPDX-License-Identifier: BSD-2-Clause */
/* Threads of the kernel: kernel_threads.h. Each is a process of one thread. */
#include <dirent.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "kernel_threads.h"

/* TASK_COMM_LEN is 16; kernel threads may show more. */
#define NAME_BYTES 64

static bool read_name(const char *pid, char name[NAME_BYTES])
{
	char path[300];
	FILE *file;
	bool read;

	snprintf(path, sizeof(path), "/proc/%s/comm", pid);
	file = fopen(path, "re");
	if (!file)
		return false;
	read = fgets(name, NAME_BYTES, file) != NULL;
	fclose(file);
	if (read)
		name[strcspn(name, "\n")] = '\0';
	return read;
}

static bool is_wanted(const char *name, const char *prefix, const uint32_t *cpu,
		      size_t cpus)
{
	size_t length = strlen(prefix), i;
	unsigned long number;
	char *end;

	if (strncmp(name, prefix, length) != 0 || name[length] < '0' ||
	    name[length] > '9')
		return false;
	number = strtoul(name + length, &end, 10);
	for (i = 0; i < cpus && *end == '\0'; i++)
		if (cpu[i] == number)
			return true;
	return false;
}

static int add(struct kernel_threads *threads, pid_t pid)
{
	pid_t *grown =
		reallocarray(threads->pid, threads->count + 1, sizeof(*threads->pid));

	if (!grown)
		return -ENOMEM;
	threads->pid = grown;
	threads->pid[threads->count++] = pid;
	return 0;
}

int kernel_threads_find(const char *prefix, const uint32_t *cpu, size_t cpus,
			struct kernel_threads *out)
{
	DIR *processes = opendir("/proc");
	struct dirent *entry;
	char name[NAME_BYTES];
	int err = 0;

	*out = (struct kernel_threads){ 0 };
	while (processes && !err && (entry = readdir(processes)))
		if (entry->d_name[0] >= '1' && entry->d_name[0] <= '9' &&
		    read_name(entry->d_name, name) && is_wanted(name, prefix, cpu, cpus))
			err = add(out, (pid_t)strtol(entry->d_name, NULL, 10));
	if (processes)
		closedir(processes);
	if (err)
		kernel_threads_free(out);
	return err;
}

uint64_t kernel_threads_ns(const struct kernel_threads *threads)
{
	uint64_t sum = 0;
	size_t i;

	for (i = 0; i < threads->count; i++)
		sum += process_cpu_ns(threads->pid[i]);
	return sum;
}

void kernel_threads_free(struct kernel_threads *threads)
{
	free(threads->pid);
	*threads = (struct kernel_threads){ 0 };
}

uint64_t process_cpu_ns(pid_t pid)
{
	struct timespec cpu;
	clockid_t clock;

	if (pid <= 0 || clock_getcpuclockid(pid, &clock) || clock_gettime(clock, &cpu))
		return 0;
	return (uint64_t)cpu.tv_sec * 1000000000u + (uint64_t)cpu.tv_nsec;
}
