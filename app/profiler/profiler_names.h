/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * From sampled addresses to functions.
 */
#ifndef APP_PROFILER_NAMES_H
#define APP_PROFILER_NAMES_H

#include <stdint.h>
#include <stdio.h>

#include "profiler_functions.h"
#include "profiler_hits.h"

/*
 * Name all hits. `kallsyms` is /proc/kallsyms, read anew from its begin, since modules
 * come and go; NULL: without. Functions are told apart where they ran for the program
 * of `pid`, for what it has started, or for no program (kernel threads, interrupts of
 * an idle CPU). Every other program is one entry, "[NAME]", and one for what the
 * kernel did meanwhile. Hits of the idle loop are no function's: *idle. Returns 0 or
 * -ENOMEM.
 */
int profiler_names_find(struct profiler_hits *hits, FILE *kallsyms, int pid,
			struct profiler_functions *out, uint64_t *idle);

#endif
