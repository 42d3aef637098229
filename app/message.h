/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Exit codes and the one line that goes to stderr with them:
 *	dxmit: OBJECT: REASON; REMEDY
 */
#ifndef APP_MESSAGE_H
#define APP_MESSAGE_H

#include <stdbool.h>
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

/* The same from a library error; the exit code follows from its stage. */
int fail_library(const struct dxmit_error *error);

/* Print "dxmit: OBJECT: warning: TEXT"; never changes the exit code. */
void warn(const char *object, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

#endif
