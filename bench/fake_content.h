/* SPDX-License-Identifier: BSD-2-Clause */
/* What changing frames cost over static ones; see fake_content.c. */
#ifndef BENCH_FAKE_CONTENT_H
#define BENCH_FAKE_CONTENT_H

#include <stdint.h>

#define FAKE_ROUNDS_MAX 99

/* Rows and medians on stdout. `frames` is a multiple of 1024. */
void fake_content_rows(uint32_t rounds, uint64_t frames);

/* The sender's part of one kind alone, for instruction counters; 0, or 2 if there
 * is no such kind. */
int fake_content_count(const char *name, uint32_t batch, uint64_t frames);

#endif
