/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Exit codes and the one line that goes to stderr with them:
 *	dxmit: OBJECT: REASON; REMEDY
 */
#ifndef APP_MESSAGE_H
#define APP_MESSAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <dxmit/error.h>

enum exit_code {
	EXIT_DONE = 0,
	EXIT_RUNTIME = 1,  /* something failed while running */
	EXIT_USAGE = 2,    /* the request itself is wrong */
	EXIT_MISMATCH = 3, /* the counts do not match the wire */
	EXIT_INTERNAL = 4, /* a defect of dxmit or a broken kernel answer */
};

/*
 * Print "dxmit: OBJECT: TEXT" and return `code`, so that a caller can write
 * `return fail(EXIT_USAGE, "-s", "…")`. Only the first error of a process is
 * printed (later ones are consequences); any thread.
 */
int fail(enum exit_code code, const char *object, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* For a child process: whatever its parent printed, its first error is its own. */
void message_begin_again(void);

/*
 * For as long as this is set, fail() calls its object as `place` says: it writes
 * the text and returns true, or leaves it. NULL ends that. Of the thread that
 * reads the options, before there are others.
 */
void message_set_place(bool (*place)(const void *context, const char *object, char *buf,
				     size_t len),
		       const void *context);

/* The same from a library error; the exit code follows from its stage. */
int fail_library(const struct dxmit_error *error);

/* Print "dxmit: OBJECT: warning: TEXT"; never changes the exit code. */
void warn(const char *object, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

#endif
