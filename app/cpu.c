/* SPDX-License-Identifier: BSD-2-Clause */
/* The CPU a sending thread runs on: cpu.h. */
#include <errno.h>
#include <sched.h>
#include <sys/resource.h>
#include <time.h>

#include "cpu.h"

int cpu_pin(uint32_t cpu)
{
	size_t bytes = CPU_ALLOC_SIZE(cpu + 1);
	cpu_set_t *set = CPU_ALLOC(cpu + 1);
	int err = 0;

	if (!set)
		return -ENOMEM;
	CPU_ZERO_S(bytes, set);
	CPU_SET_S(cpu, bytes, set);
	if (sched_setaffinity(0, bytes, set) < 0)
		err = -errno;
	CPU_FREE(set);
	return err;
}

static uint64_t timeval_ns(const struct timeval *t)
{
	return (uint64_t)t->tv_sec * 1000000000u + (uint64_t)t->tv_usec * 1000u;
}

/* The clock is exact; getrusage() counts ticks and serves only to divide it into
 * user and system. */
void cpu_time(uint64_t *user_ns, uint64_t *system_ns)
{
	struct timespec cpu = { 0 };
	struct rusage usage = { 0 };
	uint64_t all_ns, user_ticks_ns, ticks_ns;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &cpu);
	getrusage(RUSAGE_THREAD, &usage);
	all_ns = (uint64_t)cpu.tv_sec * 1000000000u + (uint64_t)cpu.tv_nsec;
	user_ticks_ns = timeval_ns(&usage.ru_utime);
	ticks_ns = user_ticks_ns + timeval_ns(&usage.ru_stime);
	*user_ns = ticks_ns ? (uint64_t)((double)all_ns * (double)user_ticks_ns /
					 (double)ticks_ns)
			    : 0;
	*system_ns = all_ns - *user_ns;
}
