/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A file a command writes: opened, closed, and what is said when it cannot be
 * written. "-" is stdout, which is never closed here.
 */
#ifndef APP_OUTPUT_FILE_H
#define APP_OUTPUT_FILE_H

#include <stdbool.h>
#include <stdio.h>

/* False for NULL too. */
bool output_is_stdout(const char *path);

/* Open for writing. Returns 0, or an exit code after the one line on stderr;
 * *out is NULL then. */
int output_open(const char *path, FILE **out);

/* Do both go into one file, whatever it was called? Devices and pipes do not count. */
bool output_same_file(FILE *a, FILE *b);

/* The one line for a write that failed; `err` is -errno, or 0 where the reason
 * is not known. Returns an exit code. */
int output_failed(const char *path, int err);

/* Close a file after a writer that answered `err` (0 or -errno). Returns 0, or
 * an exit code after the one line on stderr. */
int output_close(const char *path, FILE *out, int err);

#endif
