/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Threads of the kernel by their names ("ksoftirqd/0", "kpktgend_0"), and the CPU
 * time they took.
 */
#ifndef APP_KERNEL_THREADS_H
#define APP_KERNEL_THREADS_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct kernel_threads {
	pid_t *pid;
	size_t count;
};

/*
 * Those called PREFIX and then the number of one of `cpu`; several may have the same
 * name, since every network namespace has pktgen's. What is not visible from here is
 * left out. Returns 0, or -ENOMEM with *out empty; kernel_threads_free() is due.
 */
int kernel_threads_find(const char *prefix, const uint32_t *cpu, size_t cpus,
			struct kernel_threads *out);

/* Since they began; those that have ended count nothing. No privilege is needed. */
uint64_t kernel_threads_ns(const struct kernel_threads *threads);

/* Idempotent. */
void kernel_threads_free(struct kernel_threads *threads);

/* The same of any process, by its CPU clock; 0 where there is none. */
uint64_t process_cpu_ns(pid_t pid);

#endif
