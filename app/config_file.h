/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Configuration files: options as YAML. A key is the name of a long option, its
 * value what would stand after it on the command line; switches are true or
 * false, and lists may be YAML's own. Whatever else is in a file is an error
 * that names file, line and key.
 */
#ifndef APP_CONFIG_FILE_H
#define APP_CONFIG_FILE_H

#include <stdio.h>

#include "options.h"

/* Largest file that is read; one of every option has a few kilobytes. */
#define CONFIG_FILE_MAX_BYTES 1048576

/* A file that was read. It owns the strings that a config got from it. */
struct config_file;
struct config_text;

/*
 * Read a file; "-" is standard input. Returns 0, or an exit code after the one
 * line on stderr; *file is NULL then. config_file_free() is due.
 */
int config_file_read(const char *path, struct config_file **file);

/* The same for text in memory, which messages call `name`. */
int config_file_parse(const char *name, const char *yaml, size_t length,
		      struct config_file **file);

/*
 * Store its options in *config, which has the defaults and the command line
 * already: what that gave, or contradicts, is left alone, and so are options
 * that another command takes; but all are checked. `given` and `text` (what was
 * given for each option, NULL for switches) are extended by what was stored.
 * Returns 0, or an exit code after the one line on stderr.
 */
int config_file_apply(struct config_file *file, const struct command *command,
		      struct config *config, option_set *given,
		      const char *text[OPTIONS]);

/*
 * Where what messages call `object`, such as "-s", "--size" or "streams", was
 * taken from, as "FILE:LINE: key size". False if it was not taken from `file`.
 */
bool config_file_place(const void *file, const char *object, char *buf, size_t len);

/* Its keys and values as text. */
const struct config_text *config_file_text(const struct config_file *file);

/* NULL is allowed. */
void config_file_free(struct config_file *file);

/*
 * Print the options in `given`, and the streams of `file` (NULL: none), as a
 * configuration file that reads back to the same, and the defaults of the
 * command's other options as comments.
 * Returns 0, or an exit code after the one line on stderr.
 */
int config_dump(const struct command *command, option_set given,
		const char *const text[OPTIONS], const struct config_file *file,
		FILE *out);

#endif
