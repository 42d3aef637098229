/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * CPU time of a CPU's ksoftirqd. On a veth the far end's receive work runs in
 * softirq; the kernel charges most of it to the sender but hands some to
 * ksoftirqd, which must be counted too when senders are compared.
 */
#ifndef BENCH_SOFTIRQD_H
#define BENCH_SOFTIRQD_H

#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Process id of ksoftirqd/CPU, or 0 where it is not visible. */
static inline int bench_softirqd_pid(int cpu)
{
	char wanted[32], name[32], path[300];
	struct dirent *entry;
	DIR *dir = opendir("/proc");
	int pid = 0;

	snprintf(wanted, sizeof(wanted), "ksoftirqd/%d\n", cpu);
	while (dir && pid == 0 && (entry = readdir(dir))) {
		FILE *file;

		if (entry->d_name[0] < '1' || entry->d_name[0] > '9')
			continue;
		snprintf(path, sizeof(path), "/proc/%s/comm", entry->d_name);
		file = fopen(path, "r");
		if (!file)
			continue;
		if (fgets(name, sizeof(name), file) && !strcmp(name, wanted))
			pid = (int)strtol(entry->d_name, NULL, 10);
		fclose(file);
	}
	if (dir)
		closedir(dir);
	return pid;
}

/* Its CPU time so far in ns; 0 for pid 0. */
static inline uint64_t bench_softirqd_ns(int pid)
{
	unsigned long long ns = 0;
	char path[64];
	FILE *file;

	if (pid == 0)
		return 0;
	snprintf(path, sizeof(path), "/proc/%d/schedstat", pid);
	file = fopen(path, "r");
	if (!file)
		return 0;
	if (fscanf(file, "%llu", &ns) != 1)
		ns = 0;
	fclose(file);
	return ns;
}

#endif
