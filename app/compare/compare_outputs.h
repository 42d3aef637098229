/* SPDX-License-Identifier: BSD-2-Clause */
/* The files a comparison writes. */
#ifndef APP_COMPARE_OUTPUTS_H
#define APP_COMPARE_OUTPUTS_H

#include <stdio.h>

#include "comparison.h"
#include "config.h"

enum compare_format {
	COMPARE_TEXT,
	COMPARE_JSON,
	COMPARE_CSV,
	COMPARE_MARKDOWN,
	COMPARE_HTML,
	COMPARE_FORMATS
};

struct compare_outputs {
	const char *path[COMPARE_FORMATS]; /* NULL: not asked for */
	FILE *file[COMPARE_FORMATS];
	bool verbose; /* of the text */
};

/*
 * Open what was asked for, before anything else happens, so that a bad path is
 * known at once; the text goes to standard output unless that has another format.
 * Returns 0, or an exit code after the one line on stderr; closing is due in both
 * cases.
 */
int compare_outputs_open(const struct config *config, struct compare_outputs *out);
/* Returns 0, or an exit code after the one line on stderr. */
int compare_outputs_write(const struct comparison *comparison,
			  struct compare_outputs *outputs);
void compare_outputs_close(struct compare_outputs *outputs);

#endif
