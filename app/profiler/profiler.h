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

/* Since profiler_open(), as far as drained or collected. */
struct profiler_counts {
	uint64_t samples; /* taken out of the rings, `idle` included */
	uint64_t idle;    /* of those collected: the CPU had nothing to do */
	uint64_t lost;    /* at least; the ring was full: drain more often */
};

/*
 * Prepare to sample `cpus` CPUs (all that runs there) about `hz` times a second
 * each. Where only the process `pid` may be watched (perf_event_paranoid), that is
 * done instead, with all its threads; kernel addresses may be forbidden too. *how
 * (static) says what is sampled: "all on the senders' CPUs, …", "the sender alone,
 * without the kernel, …", and what to know of it. Returns 0, or -errno with *how
 * saying what is missing and the remedy: "REASON; REMEDY".
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
 * hits first, and forget it. Called:
 *	"veth_xmit [veth]", "dev_hard_start_xmit"   of a module; of the kernel itself
 *	"[kernel]"                  its names are hidden; or a BPF filter
 *	"memcpy [libc.so.6]"        of a file of the sender's program
 *	"[libc.so.6]", "[vdso]"     the file has no name for it
 *	"[cc1]"                     another program; also by kernel or not. An interrupt
 *	                            that works for the sender meanwhile is in it
 *	"[unknown process]"         it is gone: collect while the sender still exists
 * Idle time is left out, so that shares are of the time in which something ran.
 * Takes 0.1 s of CPU time and more, so outside of windows. Returns 0 or -ENOMEM.
 */
int profiler_collect(struct profiler *profiler, struct comparison_cell *cell);
void profiler_counts(const struct profiler *profiler, struct profiler_counts *out);
/* Idempotent. */
void profiler_close(struct profiler **profiler);

#endif
