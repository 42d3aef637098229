/* SPDX-License-Identifier: BSD-2-Clause */
/* Numbers from files of /proc and /sys. */
#ifndef APP_PROCFS_H
#define APP_PROCFS_H

#include <stdint.h>

/* The number a file holds; `missing` where there is none or it is negative. */
uint64_t procfs_number(const char *path, uint64_t missing);

#endif
