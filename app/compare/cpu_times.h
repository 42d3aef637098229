/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * CPU time: of a leg's process, of the kernel's threads that work for it, and of
 * the CPUs it runs on.
 */
#ifndef APP_CPU_TIMES_H
#define APP_CPU_TIMES_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "kernel_threads.h"

/* The CPUs looked at, and the kernel's threads bound to them. */
struct cpu_watch {
	uint32_t *cpu;
	size_t cpus;
	struct kernel_threads ksoftirqd;
	struct kernel_threads kpktgend; /* none where pktgen is not loaded */
};

/* Since some time in the past; cpu_times_since() makes differences. */
struct cpu_times {
	uint64_t process_ns;               /* of the process and its descendants */
	uint64_t user_ticks, system_ticks; /* for cpu_split() */
	uint64_t ksoftirqd_ns, kpktgend_ns;
	/* Of the CPUs, by the kernel's ticks of 10 ms. */
	uint64_t softirq_ns, idle_ns, steal_ns;
};

/* Distinct CPUs out of `cpu`. Returns 0 or -ENOMEM; cpu_watch_close() is due. */
int cpu_watch_open(const uint32_t *cpu, size_t cpus, struct cpu_watch *out);
/* pktgen's threads come with its module, which a leg may load. */
void cpu_watch_find_pktgen(struct cpu_watch *watch);
void cpu_watch_close(struct cpu_watch *watch);

/* Now; pid 0: no process. What cannot be read is 0. */
void cpu_times_read(const struct cpu_watch *watch, pid_t pid, struct cpu_times *out);
void cpu_times_since(struct cpu_times *now, const struct cpu_times *before);

#endif
