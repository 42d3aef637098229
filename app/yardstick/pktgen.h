/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The kernel's pktgen by its files in /proc/net/pktgen: a thread of the kernel per
 * CPU, to which devices are added, NAME@NUMBER so that one interface can have
 * several (Documentation/networking/pktgen.rst, net/core/pktgen.c, 6.1 to 7.3).
 * Its settings outlive whoever made them.
 */
#ifndef APP_PKTGEN_H
#define APP_PKTGEN_H

#include <stdbool.h>
#include <stdint.h>

#include <dxmit/dxmit.h>

#define PKTGEN_NAME 32 /* of a device there, with its number */

void pktgen_name(const char *interface, uint32_t queue, char name[PKTGEN_NAME]);

/*
 * Write a line to a file there: "pgctrl", "kpktgend_0", or a device. Waits as long as
 * the kernel does: "start" until all have stopped. Returns 0 or -errno: -ENOENT where
 * there is no such file, or no pktgen.
 */
int pktgen_write(const char *file, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* What a thread of the kernel has. */
struct pktgen_thread {
	uint32_t ours;    /* devices of the plan */
	uint32_t running; /* of these */
	uint32_t others;  /* devices of anybody else */
};

/* Returns 0 or -errno. */
int pktgen_read_thread(uint32_t cpu, const char *interface, const struct dxmit_plan *plan,
		       struct pktgen_thread *thread);

struct pktgen_counts {
	uint64_t packets, errors;
	uint64_t ns;   /* from start to stop */
	bool finished; /* it was started, and has stopped */
};

/* Returns 0 or -errno; -EPROTO if the file says something else. */
int pktgen_read_counts(const char *device, struct pktgen_counts *counts);

/* CPU time so far of the kernel's threads of that CPU, in ns; 0 where they cannot
 * be seen. Every network namespace has some; those not at work add nothing. */
uint64_t pktgen_cpu_ns(uint32_t cpu);

/*
 * Stop and remove the plan's devices, if there are any; takes about a quarter of a
 * second then, for the kernel sleeps. With them goes whatever else the same threads
 * have. Returns 0, or -EBUSY if some are still there.
 */
int pktgen_remove(const char *interface, const struct dxmit_plan *plan);

#endif
