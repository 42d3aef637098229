/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A witness of the user's: a command for the shell that prints one number, the
 * packets it has seen so far. For what the device does not count, such as frames
 * that a hook drops, and for far ends in other namespaces.
 */
#ifndef APP_WITNESS_COMMAND_H
#define APP_WITNESS_COMMAND_H

#include <stdbool.h>
#include <stdint.h>

struct witness_command {
	const char *text;  /* NULL: there is none */
	uint64_t packets;  /* what it said last */
	const char *fault; /* what was wrong with it, after -EPROTO */
	bool shares_cpus;  /* it has none but the legs' own */
};

struct witness_count;

/*
 * Run it and wait, at most 5 s and not past a stop signal (readable stop_fd), for
 * the number. Sets packets, ns and cost_ns of *out. Returns 0, -EINTR, -EPROTO (see
 * `fault`), or what kept it from being started.
 */
int witness_command_read(struct witness_command *witness, int stop_fd,
			 struct witness_count *out);

#endif
