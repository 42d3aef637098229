/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Stop signals: the first SIGINT, SIGTERM or SIGHUP makes a descriptor readable,
 * a second one ends the process at once, wherever it is.
 */
#ifndef APP_SIGNALS_H
#define APP_SIGNALS_H

/* Take over the stop signals. A SIGHUP that is ignored, as
 * under nohup, stays so. Returns a descriptor that becomes readable at the
 * first one, or -errno. The process then has 2 s to end by itself. */
int signals_open(void);

/* Take the stop if there is one. Returns 1 or 0; never blocks. */
int signals_take(int fd);

#endif
