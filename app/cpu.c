/* SPDX-License-Identifier: BSD-2-Clause */
/* The CPUs a sender runs on: cpu.h. */
#include <errno.h>
#include <sched.h>
#include <sys/resource.h>
#include <time.h>

#include "cpu.h"

int cpu_pin_to(const uint32_t *cpu, size_t cpus)
{
	uint32_t highest = 0;
	size_t bytes, i;
	cpu_set_t *set;
	int err = 0;

	for (i = 0; i < cpus; i++)
		highest = cpu[i] > highest ? cpu[i] : highest;
	bytes = CPU_ALLOC_SIZE(highest + 1);
	set = CPU_ALLOC(highest + 1);
	if (!set)
		return -ENOMEM;
	CPU_ZERO_S(bytes, set);
	for (i = 0; i < cpus; i++)
		CPU_SET_S(cpu[i], bytes, set);
	if (sched_setaffinity(0, bytes, set) < 0)
		err = -errno;
	CPU_FREE(set);
	return err;
}

int cpu_pin(uint32_t cpu)
{
	return cpu_pin_to(&cpu, 1);
}

uint64_t cpu_timeval_ns(const struct timeval *t)
{
	return (uint64_t)t->tv_sec * 1000000000u + (uint64_t)t->tv_usec * 1000u;
}

void cpu_split(uint64_t all_ns, uint64_t user_ticks, uint64_t system_ticks,
	       uint64_t *user_ns, uint64_t *system_ns)
{
	uint64_t ticks = user_ticks + system_ticks;

	*user_ns = ticks ? (uint64_t)((double)all_ns * (double)user_ticks / (double)ticks)
			 : 0;
	*system_ns = all_ns - *user_ns;
}

void cpu_time(uint64_t *user_ns, uint64_t *system_ns)
{
	struct timespec cpu = { 0 };
	struct rusage usage = { 0 };

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &cpu);
	getrusage(RUSAGE_THREAD, &usage);
	cpu_split((uint64_t)cpu.tv_sec * 1000000000u + (uint64_t)cpu.tv_nsec,
		  cpu_timeval_ns(&usage.ru_utime), cpu_timeval_ns(&usage.ru_stime),
		  user_ns, system_ns);
}
