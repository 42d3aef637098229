/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The profiler: where CPUs spend their time, by sampling instruction pointers of
 * kernel and programs with perf_event_open(2), as shares of functions.
 */
#ifndef APP_PROFILER_H
#define APP_PROFILER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "comparison.h"

struct profiler;

/*
 * Prepare to sample `cpus` CPUs (all that runs there) about `hz` times a second
 * each. Where only the process `pid` may be watched (perf_event_paranoid), that is
 * done instead, with all its threads; kernel addresses may be forbidden too. *how
 * (static) says what is sampled: "all of CPUs 0, 1", "the process alone, without
 * the kernel" … Returns 0, or -errno with *how saying what is missing and the
 * remedy.
 */
int profiler_open(const uint32_t *cpu, size_t cpus, int pid, uint32_t hz,
		  struct profiler **out, const char **how);
/* Begin and end of the window. */
int profiler_start(struct profiler *profiler);
int profiler_stop(struct profiler *profiler);
/* Between both, at least every 100 ms: take samples out of the kernel's rings. */
void profiler_drain(struct profiler *profiler);
/*
 * Add what was sampled to the cell's functions (by name and by kernel or not), most
 * hits first, and forget it. Must be called while the processes sampled still
 * exist, or their user functions are "[pid]". Returns 0 or -ENOMEM.
 */
int profiler_collect(struct profiler *profiler, struct comparison_cell *cell);
void profiler_close(struct profiler **profiler);

#endif
