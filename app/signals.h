/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Signals as a descriptor: SIGINT, SIGTERM and SIGHUP are read from a signalfd
 * by the main thread, so no code runs in a handler.
 */
#ifndef APP_SIGNALS_H
#define APP_SIGNALS_H

/* Block the stop signals for this thread and all it starts, ignore SIGPIPE.
 * Returns a descriptor that becomes readable at each one, or -errno. */
int signals_open(void);

/* Take one signal if there is one. Returns its number or 0; never blocks. */
int signals_take(int fd);

#endif
