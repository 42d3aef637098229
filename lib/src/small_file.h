/* SPDX-License-Identifier: BSD-2-Clause */
/* Reading the small text files of /proc and /sys. */
#ifndef DXMIT_SRC_SMALL_FILE_H
#define DXMIT_SRC_SMALL_FILE_H

#include <stddef.h>

/* Read the file below the directory `dir` (AT_FDCWD: as usual) into buf, always
 * terminated and cut to len. Returns its length or -errno. */
int dxmit_file_text(int dir, const char *path, char *buf, size_t len);

/* The decimal number such a file begins with. Returns 0, -EINVAL or -errno. */
int dxmit_file_number(int dir, const char *path, long *number);

#endif
