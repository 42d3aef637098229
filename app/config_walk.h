/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Where each key of a configuration file stands, for messages, and everything
 * of YAML that dxmit does not take, refused with its line.
 */
#ifndef APP_CONFIG_WALK_H
#define APP_CONFIG_WALK_H

#include "config_schema.h"

#define CONFIG_MAX_STREAMS 256

struct config_marks {
	size_t line[OPTIONS]; /* of the key, from 1; 0: it is absent */
	bool list[OPTIONS];   /* its value is a list */
	size_t streams_line;  /* of the key `streams` */
	size_t streams;       /* how many it has, and where each begins */
	size_t stream_start[CONFIG_MAX_STREAMS];
	size_t stream_line[CONFIG_MAX_STREAMS][CONFIG_STREAM_KEYS];
};

/*
 * Print "dxmit: NAME:LINE: key KEY: TEXT", without the key if that is NULL.
 * Returns EXIT_USAGE.
 */
int config_refuse(const char *name, size_t line, const char *key, const char *format, ...)
	__attribute__((format(printf, 4, 5)));

/*
 * Go through a file of `length` bytes once. Afterwards it is a mapping of known
 * keys, each there once, whose values are scalars or lists of scalars, without
 * NUL, anchors, aliases and tags. Returns 0, or an exit code after the one line
 * on stderr. Memory is bounded by the file's size.
 */
int config_walk(const char *name, const char *yaml, size_t length,
		struct config_marks *marks);

#endif
