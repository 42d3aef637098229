/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A walk through the events of libyaml before libcyaml loads the file. libcyaml
 * tells the line of an error only in its log, the line of a good key nowhere,
 * and overlooks second documents and what follows a NUL.
 */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <yaml.h>

#include "config_schema.h"
#include "config_streams.h"
#include "config_walk.h"
#include "message.h"
#include "nearest.h"

#define SHOWN_LEN 64 /* of a key nobody knows, in a message */

struct walk {
	const char *name;
	const char *yaml;
	yaml_parser_t parser;
	yaml_event_t event; /* the current one, all zero before the first */
	struct config_marks *marks;
	char key[CONFIG_STREAM_KEY_LEN]; /* the current one, for messages */
	char legal[CONFIG_LEGAL_LEN];    /* its values */
	int code;                        /* exit code once something was refused */
};

/* ---- errors ---- */

int config_refuse(const char *name, size_t line, const char *key, const char *format, ...)
{
	char object[512], text[1024];
	va_list args;

	snprintf(object, sizeof(object), "%s:%zu", name, line);
	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	if (key)
		return fail(EXIT_USAGE, object, "key %s: %s", key, text);
	return fail(EXIT_USAGE, object, "%s", text);
}

static size_t line_of(const struct walk *walk)
{
	return walk->event.start_mark.line + 1;
}

/* Refuse the current event. */
static bool refuse(struct walk *walk, const char *what)
{
	walk->code = config_refuse(walk->name, line_of(walk), NULL, "%s", what);
	return false;
}

static bool refuse_value(struct walk *walk, const char *what)
{
	walk->code = config_refuse(walk->name, line_of(walk), walk->key, "%s; use %s",
				   what, walk->legal);
	return false;
}

/* The reader names the byte, not the line. */
static size_t line_of_byte(const struct walk *walk, size_t offset)
{
	size_t i, line = 1;

	for (i = 0; i < offset; i++)
		line += walk->yaml[i] == '\n';
	return line;
}

static bool refuse_yaml(struct walk *walk)
{
	const yaml_parser_t *parser = &walk->parser;

	switch (parser->error) {
	case YAML_MEMORY_ERROR:
		walk->code = fail(EXIT_RUNTIME, walk->name,
				  "out of memory; free some and try again");
		break;
	case YAML_READER_ERROR:
		walk->code = config_refuse(
			walk->name, line_of_byte(walk, parser->problem_offset), NULL,
			"no text in UTF-8: %s; save it as UTF-8", parser->problem);
		break;
	default:
		walk->code = config_refuse(
			walk->name, parser->problem_mark.line + 1, NULL,
			"no valid YAML: %s; write KEY: VALUE lines, indented by blanks, "
			"and quote values with characters special to YAML",
			parser->problem);
		break;
	}
	return false;
}

static bool refuse_key(struct walk *walk, const char *key)
{
	const struct option_row *near = NULL;
	char shown[SHOWN_LEN], remedy[OPTION_FLAG_LEN + 64];
	size_t i;

	parse_printable(shown, sizeof(shown), key);
	key += strspn(key, "-"); /* as typed on the command line */
	for (i = 0; !near && i < OPTIONS; i++)
		if (config_is_key(&option_table[i]) &&
		    nearest_matches(key, option_table[i].name))
			near = &option_table[i];
	if (near)
		snprintf(remedy, sizeof(remedy), "perhaps '%s' is meant, see",
			 near->name);
	else
		snprintf(remedy, sizeof(remedy), "use long options without --, see");
	walk->code = config_refuse(walk->name, line_of(walk), shown[0] ? shown : "''",
				   "no such key; %s 'dxmit tx --help'", remedy);
	return false;
}

/* ---- events ---- */

static bool plain_event(struct walk *walk, const yaml_char_t *anchor,
			const yaml_char_t *tag)
{
	if (anchor)
		return refuse(walk, "anchors (&) are not taken; leave it out and write "
				    "values out, or quote a value that begins with &");
	if (tag)
		return refuse(walk, "tags (!) are not taken; leave it out, or quote a "
				    "value that begins with !");
	return true;
}

static bool scalar_event(struct walk *walk)
{
	const char *value = (const char *)walk->event.data.scalar.value;

	if (strlen(value) != walk->event.data.scalar.length)
		return refuse(walk, "a NUL character cannot be part of a value; leave it "
				    "out");
	return plain_event(walk, walk->event.data.scalar.anchor,
			   walk->event.data.scalar.tag);
}

static bool next(struct walk *walk)
{
	yaml_event_delete(&walk->event);
	if (!yaml_parser_parse(&walk->parser, &walk->event))
		return refuse_yaml(walk);
	switch (walk->event.type) {
	case YAML_ALIAS_EVENT:
		return refuse(walk, "aliases (*) are not taken; write the value out, or "
				    "quote one that begins with *");
	case YAML_SCALAR_EVENT:
		return scalar_event(walk);
	case YAML_SEQUENCE_START_EVENT:
		return plain_event(walk, walk->event.data.sequence_start.anchor,
				   walk->event.data.sequence_start.tag);
	case YAML_MAPPING_START_EVENT:
		return plain_event(walk, walk->event.data.mapping_start.anchor,
				   walk->event.data.mapping_start.tag);
	default:
		return true;
	}
}

/* ---- the document ---- */

/* The current event is a scalar, or it is refused. */
static bool walk_scalar(struct walk *walk)
{
	if (walk->event.type == YAML_MAPPING_START_EVENT)
		return refuse_value(walk, "keys stand where a value belongs");
	if (walk->event.type == YAML_SEQUENCE_START_EVENT)
		return refuse_value(walk, "a list stands where one value belongs");
	if (walk->event.data.scalar.length == 0)
		return refuse_value(walk, "has no value");
	return true;
}

static bool walk_list(struct walk *walk)
{
	size_t items = 0;

	while (next(walk)) {
		if (walk->event.type == YAML_SEQUENCE_END_EVENT)
			return items || refuse_value(walk, "is an empty list");
		if (!walk_scalar(walk))
			return false;
		items++;
	}
	return false;
}

static bool walk_value(struct walk *walk, const struct option_row *row)
{
	if (!next(walk))
		return false;
	if (walk->event.type != YAML_SEQUENCE_START_EVENT || !config_takes_list(row))
		return walk_scalar(walk);
	walk->marks->list[row - option_table] = true;
	return walk_list(walk);
}

static const struct option_row *row_of_key(const char *key)
{
	size_t i;

	for (i = 0; i < OPTIONS; i++)
		if (config_is_key(&option_table[i]) &&
		    strcmp(option_table[i].name, key) == 0)
			return &option_table[i];
	return NULL;
}

/* The current event is walk->key; note its line, once. */
static bool mark(struct walk *walk, size_t *line)
{
	if (*line == 0) {
		*line = line_of(walk);
		return true;
	}
	walk->code =
		config_refuse(walk->name, line_of(walk), walk->key,
			      "is in line %zu already; leave one of them out", *line);
	return false;
}

/* The current event is a word: a key. */
static bool walk_word(struct walk *walk)
{
	return walk->event.type == YAML_SCALAR_EVENT ||
	       refuse(walk, "a key must be one word; write KEY: VALUE");
}

static bool walk_stream_key(struct walk *walk, size_t stream)
{
	const struct option_row *row;
	char shown[SHOWN_LEN];

	if (!walk_word(walk))
		return false;
	row = config_stream_row((const char *)walk->event.data.scalar.value);
	if (!row) {
		parse_printable(shown, sizeof(shown),
				(const char *)walk->event.data.scalar.value);
		walk->code = config_refuse(walk->name, line_of(walk), shown,
					   "no key of a stream; use name, frame, size, "
					   "weight or rate");
		return false;
	}
	config_stream_key(stream, row, walk->key);
	config_legal(row, walk->legal);
	return mark(walk, &walk->marks->stream_line[stream][config_stream_id(row)]) &&
	       next(walk) && walk_scalar(walk);
}

static bool walk_stream(struct walk *walk)
{
	size_t stream = walk->marks->streams++;

	if (stream == CONFIG_MAX_STREAMS)
		return refuse_value(walk, "are too many");
	if (walk->event.type != YAML_MAPPING_START_EVENT)
		return refuse_value(walk, "an entry has no keys");
	walk->marks->stream_start[stream] = line_of(walk);
	while (next(walk)) {
		if (walk->event.type == YAML_MAPPING_END_EVENT)
			return true;
		if (!walk_stream_key(walk, stream))
			return false;
	}
	return false;
}

/* The current event is the key. */
static bool walk_streams(struct walk *walk)
{
	static const char legal[] = "a list of at most 256 entries with keys such as "
				    "name, frame, size, weight and rate";

	strcpy(walk->key, CONFIG_STREAMS_KEY);
	strcpy(walk->legal, legal);
	_Static_assert(CONFIG_MAX_STREAMS == 256, "as the text says");
	_Static_assert(sizeof(legal) <= sizeof(walk->legal), "the text fits");
	if (!mark(walk, &walk->marks->streams_line) || !next(walk))
		return false;
	if (walk->event.type != YAML_SEQUENCE_START_EVENT)
		return refuse_value(walk, "is no list");
	while (next(walk)) {
		if (walk->event.type == YAML_SEQUENCE_END_EVENT)
			return walk->marks->streams ||
			       refuse_value(walk, "is an empty list");
		if (!walk_stream(walk))
			return false;
		strcpy(walk->key, CONFIG_STREAMS_KEY);
		strcpy(walk->legal, legal);
	}
	return false;
}

/* The current event is a key; go through its value too. */
static bool walk_key(struct walk *walk)
{
	const struct option_row *row;
	const char *key;

	if (!walk_word(walk))
		return false;
	key = (const char *)walk->event.data.scalar.value;
	if (strcmp(key, CONFIG_STREAMS_KEY) == 0)
		return walk_streams(walk);
	row = row_of_key(key);
	if (!row)
		return refuse_key(walk, key);
	snprintf(walk->key, sizeof(walk->key), "%s", row->name);
	config_legal(row, walk->legal);
	return mark(walk, &walk->marks->line[row - option_table]) &&
	       walk_value(walk, row);
}

static bool walk_document(struct walk *walk)
{
	if (!next(walk)) /* the start of the stream */
		return false;
	if (!next(walk))
		return false;
	if (walk->event.type == YAML_STREAM_END_EVENT)
		return refuse(walk, "holds nothing; write KEY: VALUE lines, with long "
				    "options as keys");
	if (!next(walk))
		return false;
	if (walk->event.type != YAML_MAPPING_START_EVENT)
		return refuse(walk, "holds no keys; write KEY: VALUE lines, with long "
				    "options as keys");
	for (;;) {
		if (!next(walk))
			return false;
		if (walk->event.type == YAML_MAPPING_END_EVENT)
			break;
		if (!walk_key(walk))
			return false;
	}
	if (!next(walk)) /* the end of the document */
		return false;
	if (!next(walk))
		return false;
	return walk->event.type == YAML_STREAM_END_EVENT ||
	       refuse(walk, "a second document begins; use a file for each");
}

int config_walk(const char *name, const char *yaml, size_t length,
		struct config_marks *marks)
{
	struct walk walk = { .name = name, .yaml = yaml, .marks = marks };

	memset(marks, 0, sizeof(*marks));
	if (!yaml_parser_initialize(&walk.parser))
		return fail(EXIT_RUNTIME, name, "out of memory; free some and try again");
	/* Else a byte order mark would choose UTF-16. */
	yaml_parser_set_encoding(&walk.parser, YAML_UTF8_ENCODING);
	yaml_parser_set_input_string(&walk.parser, (const unsigned char *)yaml, length);
	walk_document(&walk);
	yaml_event_delete(&walk.event);
	yaml_parser_delete(&walk.parser);
	return walk.code;
}
