/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * `streams:` of a configuration file: a list of mappings, one for each stream.
 * A key that is an option as well is read as that option is.
 */
#ifndef APP_CONFIG_STREAMS_H
#define APP_CONFIG_STREAMS_H

#include "config_schema.h"
#include "config_walk.h"

/* The row of a stream's key; NULL: there is no such key. */
const struct option_row *config_stream_row(const char *key);

/* Which of the stream's values it is. */
enum config_stream_key config_stream_id(const struct option_row *row);

/* How messages call it: "size of stream 1" for the first one, 0. */
#define CONFIG_STREAM_KEY_LEN 48
void config_stream_key(size_t stream, const struct option_row *row,
		       char key[CONFIG_STREAM_KEY_LEN]);

/*
 * Read the streams of `text` into config->stream, which owns them; strings point
 * into `text`. Returns 0, or an exit code after the one line on stderr.
 */
int config_streams_apply(const char *name, const struct config_marks *marks,
			 const struct config_text *text, struct config *config);

#endif
