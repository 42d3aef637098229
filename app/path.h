/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Which way through the kernel the frames of a run take, in words: the kernel's
 * own path, or the direct one of the module.
 */
#ifndef APP_PATH_H
#define APP_PATH_H

#include "report.h"

#define PATH_WORDS 80
#define PATH_REASON 256

/* "kernel" or "direct", as on the command line. */
const char *path_name(enum dxmit_path path);
/* "auto", "kernel" or "direct": what was asked. */
const char *path_asked_name(enum dxmit_direct asked);

/* "direct path", "kernel path", "direct path on 2 of 4 queues"; while no queue is
 * open, what would be tried. Returns buf. */
const char *path_words(const struct report *report, char buf[PATH_WORDS]);

/* Was the queue on the direct path once, and is not any more? */
bool path_was_lost(const struct dxmit_queue_info *info);

/* Lines for the report: who lost the direct path, why it was not obtained (if
 * verbose), and what the module counted. */
void path_text(const struct report *report, FILE *out);

#endif
