/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The schema of configuration files, made from the option table: which keys
 * there are, and their way from YAML to text and back by libcyaml. Every value
 * stays text here; what it means is option_store()'s to say, as on the command
 * line.
 */
#ifndef APP_CONFIG_SCHEMA_H
#define APP_CONFIG_SCHEMA_H

#include <cyaml/cyaml.h>
#include <stdio.h>

#include "options.h"

/* What a stream of `streams:` says about itself. */
enum config_stream_key {
	CONFIG_STREAM_NAME,
	CONFIG_STREAM_FRAME,
	CONFIG_STREAM_SIZE,
	CONFIG_STREAM_WEIGHT,
	CONFIG_STREAM_RATE,
	CONFIG_STREAM_KEYS /* how many there are */
};

struct stream_text {
	char *value[CONFIG_STREAM_KEYS]; /* NULL: the key is absent */
};

/* A file as text, in the order of the option table. NULL: the key is absent. */
struct config_text {
	char *value[OPTIONS];         /* a scalar */
	char **item[OPTIONS];         /* or a list of them */
	uint32_t item_count[OPTIONS]; /* how many */
	struct stream_text *stream;   /* `streams`, the one key that is no option */
	uint32_t streams;
};

struct config_schema {
	struct cyaml_schema_value root;
	struct cyaml_schema_field field[OPTIONS + 2]; /* and the end */
};

/* The commands that read configuration files. */
#define CONFIG_COMMANDS (COMMAND_TX | COMMAND_PLAN | COMMAND_PROBE)

#define CONFIG_STREAMS_KEY "streams"

/* Whether the option is a key too: all of those commands are, but for the ones
 * that are about the file itself or that ask for an answer. */
bool config_is_key(const struct option_row *row);

/* Whether its value may be a list. It means the same as its items joined by
 * commas, so that the option's own parser judges it. */
bool config_takes_list(const struct option_row *row);

#define CONFIG_LEGAL_LEN (OPTION_LEGAL_LEN + 32)
/* option_legal(), and what a file may say for options without a value. */
void config_legal(const struct option_row *row, char legal[CONFIG_LEGAL_LEN]);

/*
 * Fill in the schema, in which the keys marked in `list` hold lists and all
 * others scalars: libcyaml has no value that may be either.
 */
void config_schema_make(struct config_schema *schema, const bool list[OPTIONS]);

/* Read YAML by the schema. config_text_free() with the same one is due. */
cyaml_err_t config_text_load(const struct config_schema *schema, const char *yaml,
			     size_t length, struct config_text **text);

void config_text_free(const struct config_schema *schema, struct config_text *text);

/* Write the scalars and streams of `text` as YAML. */
cyaml_err_t config_text_save(const struct config_text *text, FILE *out);

#endif
