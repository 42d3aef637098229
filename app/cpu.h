/* SPDX-License-Identifier: BSD-2-Clause */
/* The CPUs a sender runs on: staying there, and the time it spent. */
#ifndef APP_CPU_H
#define APP_CPU_H

#include <stddef.h>
#include <stdint.h>
#include <sys/time.h>

/* Pin the calling thread to one CPU, or to some. Returns 0, -EINVAL if there is no
 * such CPU any more, or -errno. */
int cpu_pin(uint32_t cpu);
int cpu_pin_to(const uint32_t *cpu, size_t cpus);

/* CPU time of the calling thread so far, in user and in system mode. */
void cpu_time(uint64_t *user_ns, uint64_t *system_ns);

/* The kernel's exact clocks know only the sum, its ticks both, roughly: divide the
 * one by the other. Any unit of ticks will do. */
void cpu_split(uint64_t all_ns, uint64_t user_ticks, uint64_t system_ticks,
	       uint64_t *user_ns, uint64_t *system_ns);

/* Of struct rusage. */
uint64_t cpu_timeval_ns(const struct timeval *t);

#endif
