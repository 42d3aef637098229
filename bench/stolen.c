/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * stolen: how much of a CPU a program gets that never gives it up. Reads the clock
 * over and over; where two readings are further apart than a limit, the CPU was
 * away: with the host, an interrupt or another program. A frame that falls due in
 * such a time is late, whatever the sender does.
 */
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "median.h"

#define LIMIT_NS 20000u /* what pacing.sh calls near */

int main(int argc, char **argv)
{
	uint64_t begin_ns, last_ns, away_ns = 0, longest_ns = 0, times = 0;
	uint64_t seconds = argc == 3 ? strtoull(argv[2], NULL, 10) : 0;
	cpu_set_t set;

	if (seconds < 1 || seconds > 3600) {
		fputs("usage: stolen CPU SECONDS\n", stderr);
		return 2;
	}
	CPU_ZERO(&set);
	CPU_SET(strtoul(argv[1], NULL, 10), &set);
	if (sched_setaffinity(0, sizeof(set), &set)) {
		perror("stolen");
		return 1;
	}
	begin_ns = last_ns = bench_clock_ns(CLOCK_MONOTONIC);
	while (last_ns - begin_ns < seconds * 1000000000u) {
		uint64_t now_ns = bench_clock_ns(CLOCK_MONOTONIC);
		uint64_t gap_ns = now_ns - last_ns;

		if (gap_ns > LIMIT_NS) {
			times++;
			away_ns += gap_ns;
			longest_ns = gap_ns > longest_ns ? gap_ns : longest_ns;
		}
		last_ns = now_ns;
	}
	printf("away=%.3f times=%.1f longest_us=%.1f\n",
	       100.0 * (double)away_ns / (double)(last_ns - begin_ns),
	       (double)times / (double)seconds, (double)longest_ns / 1e3);
	return 0;
}
