/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * `streams:` of a configuration file. Values are stored by option_store() into a
 * config of their own and moved from there, so that a stream's size or rate is
 * read exactly as the run's.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config_streams.h"
#include "message.h"

/* Keys that are no options. They borrow places of the same kind. */
static const struct option_row name_row = {
	.name = "name",
	.type = VALUE_FILE,
	.argument = "NAME",
	.legal = "a name for the report",
	.offset = offsetof(struct config, json),
};
static const struct option_row weight_row = {
	.name = "weight",
	.type = VALUE_NUMBER,
	.argument = "N",
	.min = 1,
	.max = SIZES_MAX_CYCLE,
	.offset = offsetof(struct config, count),
	.bytes = sizeof(((struct config *)0)->count),
};
/* Until there is an option of that name; what it means is the sender's to say. */
static const struct option_row frame_row = {
	.name = "frame",
	.type = VALUE_FILE,
	.argument = "EXPRESSION",
	.legal = "a packet expression",
	.offset = offsetof(struct config, csv),
};

static const char *const keys[CONFIG_STREAM_KEYS] = {
	[CONFIG_STREAM_NAME] = "name", [CONFIG_STREAM_FRAME] = "frame",
	[CONFIG_STREAM_SIZE] = "size", [CONFIG_STREAM_WEIGHT] = "weight",
	[CONFIG_STREAM_RATE] = "rate",
};

static const struct option_row *option_named(const char *name)
{
	size_t i;

	for (i = 0; i < OPTIONS; i++)
		if (strcmp(option_table[i].name, name) == 0)
			return &option_table[i];
	return NULL;
}

static const struct option_row *row_of(enum config_stream_key id)
{
	const struct option_row *row;

	if (id == CONFIG_STREAM_NAME)
		return &name_row;
	if (id == CONFIG_STREAM_WEIGHT)
		return &weight_row;
	row = option_named(keys[id]);
	return row ? row : &frame_row;
}

const struct option_row *config_stream_row(const char *key)
{
	size_t id;

	for (id = 0; id < CONFIG_STREAM_KEYS; id++)
		if (strcmp(keys[id], key) == 0)
			return row_of((enum config_stream_key)id);
	return NULL;
}

enum config_stream_key config_stream_id(const struct option_row *row)
{
	size_t id = 0;

	while (strcmp(keys[id], row->name) != 0)
		id++;
	return (enum config_stream_key)id;
}

void config_stream_key(size_t stream, const struct option_row *row,
		       char key[CONFIG_STREAM_KEY_LEN])
{
	snprintf(key, CONFIG_STREAM_KEY_LEN, "%s of stream %zu", row->name, stream + 1);
}

/* Where the streams are read. */
struct reader {
	const char *name; /* of the file */
	const struct config_marks *marks;
	size_t stream; /* the current one's number */
};

static int refuse(const struct reader *reader, const struct option_row *row,
		  const char *reason)
{
	char key[CONFIG_STREAM_KEY_LEN], legal[CONFIG_LEGAL_LEN];
	enum config_stream_key id = config_stream_id(row);

	config_stream_key(reader->stream, row, key);
	config_legal(row, legal);
	return config_refuse(reader->name, reader->marks->stream_line[reader->stream][id],
			     key, "%s; use %s", reason, legal);
}

static int read_value(const struct reader *reader, enum config_stream_key id,
		      const char *text, struct config *scratch)
{
	const struct option_row *row = row_of(id);
	struct parse_reason reason;

	if (!text)
		return 0;
	if (!option_store(row, text, scratch, &reason))
		return refuse(reader, row, reason.text);
	/* 0 stands for "no rate". */
	if (id == CONFIG_STREAM_RATE && scratch->rate.micro == 0)
		return refuse(reader, row, "max cannot be kept by one of several");
	return 0;
}

static int read_stream(const struct reader *reader, const struct stream_text *text,
		       struct stream_config *stream)
{
	struct config scratch = { 0 };
	int code = 0;
	size_t id;

	for (id = 0; !code && id < CONFIG_STREAM_KEYS; id++)
		code = read_value(reader, (enum config_stream_key)id, text->value[id],
				  &scratch);
	if (!code) {
		*stream = (struct stream_config){
			.name = text->value[CONFIG_STREAM_NAME],
			.frame = text->value[CONFIG_STREAM_FRAME],
			.sizes = scratch.sizes,
			.weight = scratch.count,
			.rate = scratch.rate,
		};
		memset(&scratch.sizes, 0, sizeof(scratch.sizes)); /* moved */
	}
	config_free(&scratch);
	return code;
}

/* Shares come from the weights or from the rates, not from both. */
static int check_rates(struct reader *reader, const struct config_text *text)
{
	const bool rates = text->stream[0].value[CONFIG_STREAM_RATE] != NULL;

	for (reader->stream = 0; reader->stream < text->streams; reader->stream++) {
		char *const *value = text->stream[reader->stream].value;
		size_t line = reader->marks->stream_start[reader->stream];

		if (rates != (value[CONFIG_STREAM_RATE] != NULL))
			return config_refuse(reader->name, line, CONFIG_STREAMS_KEY,
					     "some streams have a rate and others none; "
					     "use a rate in each of them or weights");
		if (rates && value[CONFIG_STREAM_WEIGHT])
			return config_refuse(reader->name, line, CONFIG_STREAMS_KEY,
					     "stream %zu has a weight beside its rate, "
					     "which says the same; leave one of them out",
					     reader->stream + 1);
	}
	return 0;
}

int config_streams_apply(const char *name, const struct config_marks *marks,
			 const struct config_text *text, struct config *config)
{
	struct reader reader = { .name = name, .marks = marks };
	int code;

	if (!text->streams)
		return 0;
	config->stream = calloc(text->streams, sizeof(*config->stream));
	if (!config->stream)
		return fail(EXIT_RUNTIME, name, "out of memory; free some and try again");
	config->streams = text->streams;
	for (; reader.stream < text->streams; reader.stream++) {
		code = read_stream(&reader, &text->stream[reader.stream],
				   &config->stream[reader.stream]);
		if (code)
			return code;
	}
	return check_rates(&reader, text);
}
