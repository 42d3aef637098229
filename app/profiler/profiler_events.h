/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The events that sample: which kind this machine has and this user may open, as
 * much as is allowed.
 */
#ifndef APP_PROFILER_EVENTS_H
#define APP_PROFILER_EVENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "profiler_ring.h"

/* What is watched: as much as is allowed, from the first to the last. */
enum profiler_scope {
	PROFILER_CPUS,         /* all that runs on the CPUs */
	PROFILER_PROCESS,      /* one process there, in the kernel too */
	PROFILER_PROCESS_USER, /* one process there, outside the kernel */
	PROFILER_SCOPES
};

enum profiler_clock {
	PROFILER_CYCLES, /* the processor's counter: sees everything */
	PROFILER_TIMER,  /* an interrupt of a timer */
	PROFILER_CLOCKS
};

struct profiler_events {
	enum profiler_scope scope;
	enum profiler_clock clock;
	int *fd;
	size_t fds;
	struct profiler_ring *ring; /* one for each CPU */
	size_t rings;
};

/*
 * Open them, at rest. Those of a process are its threads of now and those that they
 * start. Returns 0, or -errno with *why (static) saying what is missing and the
 * remedy.
 */
int profiler_events_open(const uint32_t *cpu, size_t cpus, int pid, uint32_t hz,
			 struct profiler_events *out, const char **why);

/* Let all run or rest. Returns 0 or -errno. */
int profiler_events_switch(struct profiler_events *events, bool on);

/* Idempotent. */
void profiler_events_close(struct profiler_events *events);

#endif
