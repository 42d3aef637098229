/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Sampled addresses, counted: what the profiler keeps between the kernel's rings and
 * the names.
 */
#ifndef APP_PROFILER_HITS_H
#define APP_PROFILER_HITS_H

#include <stddef.h>
#include <stdint.h>

enum hit_kind {
	HIT_KERNEL,
	HIT_USER,
	HIT_GUEST, /* of a virtual machine that ran here */
};

struct hit {
	uint64_t address;
	uint64_t count; /* 0: a free slot */
	uint32_t pid;   /* in whose context; 0: the idle task's */
	enum hit_kind kind;
};

struct profiler_hits {
	struct hit *hit; /* a hash table */
	size_t room;     /* its slots: 0 or a power of two */
	size_t used;
};

/* Count one; without memory it is of no function. */
void profiler_hits_add(struct profiler_hits *hits, enum hit_kind kind, uint32_t pid,
		       uint64_t address);

/* Order those in use to the front, by process. After it nothing may be added. */
void profiler_hits_by_process(struct profiler_hits *hits);

/* Forget all. Idempotent. */
void profiler_hits_free(struct profiler_hits *hits);

#endif
