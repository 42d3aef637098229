/* SPDX-License-Identifier: BSD-2-Clause */
/* The CPU a sending thread runs on: staying there, and the time it spent. */
#ifndef APP_CPU_H
#define APP_CPU_H

#include <stdint.h>

/* Pin the calling thread to one CPU. Returns 0, -EINVAL if there is no such CPU any
 * more, or -errno. */
int cpu_pin(uint32_t cpu);

/* CPU time of the calling thread so far, in user and in system mode. */
void cpu_time(uint64_t *user_ns, uint64_t *system_ns);

#endif
