/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reading the JSON document of a comparison back. What is derived in it is not
 * looked at. Unknown members are left alone; optional ones that are missing are
 * unknown.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "comparison_fields.h"
#include "json_reader.h"
#include "message.h"
#include "parse.h"

#define REMEDY "give a file that 'dxmit compare --json' wrote"

/* Each pair of legs is judged, so these bound its work; far above what anybody would
 * measure. */
#define MAX_CELLS 2048
#define MAX_LEGS 64         /* under one setting */
#define MAX_FUNCTIONS 16384 /* of a profile; the rest has no share to speak of */

#define MAX_COUNT (COMPARISON_UNKNOWN - 1) /* of what has to be known */

/* ---- cells ---- */

static bool read_sample(struct json_reader *r, const json_t *json,
			struct comparison_sample *sample)
{
	size_t i;

	memset(sample, 0, sizeof(*sample));
	for (i = 0; i < COMPARISON_COUNTERS; i++) {
		const struct comparison_counter *counter = &comparison_counters[i];
		uint64_t *number = (uint64_t *)((char *)sample + counter->offset);

		*number = COMPARISON_UNKNOWN;
		if (counter->required && !json_require(r, json, counter->key))
			return false;
		if (!json_read_u64(r, json, counter->key,
				   counter->required ? MAX_COUNT : UINT64_MAX, number))
			return false;
	}
	if (sample->ns == 0)
		return json_wrong(r, "window_ns", "is 0");
	return json_require(r, json, "round") &&
	       json_read_u32(r, json, "round", &sample->round) &&
	       json_read_u32(r, json, "place", &sample->place) &&
	       json_read_bool(r, json, "disturbed", &sample->disturbed) &&
	       json_read_note(r, json, "note", sample->note, sizeof(sample->note));
}

static bool read_samples(struct json_reader *r, const json_t *json, size_t index,
			 struct comparison_cell *cell)
{
	const json_t *samples;
	size_t i;

	if (!json_read_array(r, json, "samples", &samples))
		return false;
	for (i = 0; i < json_array_size(samples); i++) {
		const json_t *part = json_array_get(samples, i);
		struct comparison_sample sample;

		snprintf(r->at, sizeof(r->at), "cells[%zu].samples[%zu]", index, i);
		if (!json_is_object(part))
			return json_wrong(r, "", "is no object");
		strcat(r->at, ".");
		if (!read_sample(r, part, &sample))
			return false;
		if (comparison_add_sample(cell, &sample))
			return json_no_memory(r);
	}
	return true;
}

static bool read_function(struct json_reader *r, const json_t *json,
			  struct comparison_function *function)
{
	if (!json_is_object(json))
		return json_wrong(r, "", "is no object");
	strcat(r->at, ".");
	return json_require(r, json, "name") && json_require(r, json, "hits") &&
	       json_read_text(r, json, "name", &function->name) &&
	       json_read_bool(r, json, "kernel", &function->kernel) &&
	       json_read_u64(r, json, "hits", MAX_COUNT, &function->hits);
}

static bool read_functions(struct json_reader *r, const json_t *functions, size_t index,
			   struct comparison_cell *cell)
{
	size_t count = json_array_size(functions), i;

	if (count == 0)
		return true;
	if (count > MAX_FUNCTIONS)
		return json_wrong(r, "functions", "has %zu parts, more than %d", count,
				  MAX_FUNCTIONS);
	cell->function = calloc(count, sizeof(*cell->function));
	if (!cell->function)
		return json_no_memory(r);
	cell->functions = count;
	for (i = 0; i < count; i++) {
		snprintf(r->at, sizeof(r->at), "cells[%zu].profile.functions[%zu]", index,
			 i);
		if (!read_function(r, json_array_get(functions, i), &cell->function[i]))
			return false;
	}
	return true;
}

static bool read_profile(struct json_reader *r, const json_t *json, size_t index,
			 struct comparison_cell *cell)
{
	const json_t *profile, *functions;

	snprintf(r->at, sizeof(r->at), "cells[%zu].", index);
	if (!json_read_object(r, json, "profile", &profile))
		return false;
	if (!profile)
		return true;
	snprintf(r->at, sizeof(r->at), "cells[%zu].profile.", index);
	return json_require(r, profile, "hits") &&
	       json_read_u64(r, profile, "hits", MAX_COUNT, &cell->profile_hits) &&
	       json_read_array(r, profile, "functions", &functions) &&
	       read_functions(r, functions, index, cell);
}

static bool read_cell(struct json_reader *r, const json_t *json, size_t index,
		      struct comparison_cell *cell)
{
	size_t i;

	snprintf(r->at, sizeof(r->at), "cells[%zu]", index);
	if (!json_is_object(json))
		return json_wrong(r, "", "is no object");
	strcat(r->at, ".");
	if (!json_require(r, json, "leg") || !json_read_text(r, json, "leg", &cell->leg))
		return false;
	for (i = 0; i < COMPARISON_SETTINGS; i++)
		if (!json_read_u32(
			    r, json, comparison_settings[i].key,
			    (uint32_t *)((char *)cell + comparison_settings[i].offset)))
			return false;
	for (i = 0; i < COMPARISON_CELL_WORDS; i++)
		if (!json_read_text(r, json, comparison_cell_words[i].key,
				    comparison_word_at(cell, &comparison_cell_words[i])))
			return false;
	return json_read_u32(r, json, "repeated", &cell->repeated) &&
	       read_samples(r, json, index, cell) && read_profile(r, json, index, cell);
}

static bool check_legs(struct json_reader *r, const struct comparison *c)
{
	size_t i, j, legs;

	r->at[0] = '\0';
	for (i = 0; i < c->cells; i++) {
		for (j = 0, legs = 0; j < c->cells; j++)
			legs += comparison_same_setting(&c->cell[i], &c->cell[j]);
		if (legs > MAX_LEGS)
			return json_wrong(r, "cells",
					  "has %zu legs of one setting, more than %d",
					  legs, MAX_LEGS);
	}
	return true;
}

static bool read_cells(struct json_reader *r, const json_t *document,
		       struct comparison *c)
{
	const json_t *cells;
	size_t count, i;

	r->at[0] = '\0';
	if (!json_require(r, document, "cells") ||
	    !json_read_array(r, document, "cells", &cells))
		return false;
	count = json_array_size(cells);
	if (count == 0)
		return json_wrong(r, "cells", "is empty");
	if (count > MAX_CELLS)
		return json_wrong(r, "cells", "has %zu parts, more than %d", count,
				  MAX_CELLS);
	c->cell = calloc(count, sizeof(*c->cell));
	if (!c->cell)
		return json_no_memory(r);
	c->cells = count;
	for (i = 0; i < count; i++)
		if (!read_cell(r, json_array_get(cells, i), i, &c->cell[i]))
			return false;
	return check_legs(r, c);
}

/* ---- the document ---- */

static bool read_words(struct json_reader *r, const json_t *document,
		       struct comparison *c)
{
	size_t i;

	for (i = 0; i < COMPARISON_WORDS; i++) {
		const struct comparison_word *word = &comparison_words[i];
		const json_t *object = document;

		r->at[0] = '\0';
		if (word->section) {
			if (!json_read_object(r, document, word->section, &object))
				return false;
			snprintf(r->at, sizeof(r->at), "%s.", word->section);
		}
		if (!json_read_text(r, object, word->key, comparison_word_at(c, word)))
			return false;
	}
	return true;
}

/* After read_words(), which made sure that the parts are objects. */
static bool read_method(struct json_reader *r, const json_t *document,
			struct comparison *c)
{
	const json_t *method = json_member(document, "method");
	const json_t *host = json_member(document, "host");

	snprintf(r->at, sizeof(r->at), "host.");
	if (!json_read_u32(r, host, "cpus", &c->cpus))
		return false;
	snprintf(r->at, sizeof(r->at), "method.");
	return json_read_real(r, method, "window_seconds", &c->window_seconds) &&
	       json_read_real(r, method, "warm_up_seconds", &c->warm_up_seconds) &&
	       json_read_real(r, method, "cool_down_seconds", &c->cool_down_seconds) &&
	       json_read_u64(r, method, "seed", UINT64_MAX, &c->seed) &&
	       json_read_real(r, method, "until", &c->until);
}

static bool read_outcome(struct json_reader *r, const json_t *document,
			 struct comparison *c)
{
	uint64_t code = 0;

	r->at[0] = '\0';
	if (!json_read_u64(r, document, "start_unix_ns", MAX_COUNT, &c->start_unix_ns) ||
	    !json_read_u32(r, document, "rounds", &c->rounds) ||
	    !json_read_bool(r, document, "interrupted", &c->interrupted) ||
	    !json_read_bool(r, document, "out_of_time", &c->out_of_time) ||
	    !json_read_u64(r, document, "exit_code", UINT8_MAX, &code))
		return false;
	c->exit_code = (int)code;
	return true;
}

static bool check_schema(struct json_reader *r, const json_t *document)
{
	const char *schema = json_string_value(json_member(document, "schema"));
	const json_t *version = json_member(document, "version");
	char shown[64];

	if (!json_is_object(document) || !schema)
		return json_wrong(r, "schema", "is missing: this is no comparison");
	parse_printable(shown, sizeof(shown), schema);
	if (strcmp(schema, COMPARISON_SCHEMA) != 0)
		return json_wrong(r, "schema",
				  "is \"%s\" and not \"" COMPARISON_SCHEMA "\"", shown);
	if (!json_is_integer(version) || json_integer_value(version) < 1)
		return json_wrong(r, "version", "is no number from 1 up");
	if (json_integer_value(version) <= COMPARISON_VERSION)
		return true;
	r->code = fail(EXIT_USAGE, r->name,
		       "version is %" JSON_INTEGER_FORMAT
		       ", and this dxmit knows those up to %d; use the dxmit that wrote "
		       "it, or a newer one",
		       json_integer_value(version), COMPARISON_VERSION);
	return false;
}

static bool read_document(struct json_reader *r, const json_t *document,
			  struct comparison *c)
{
	return check_schema(r, document) && read_words(r, document, c) &&
	       read_method(r, document, c) && read_outcome(r, document, c) &&
	       read_cells(r, document, c);
}

/* Takes the reference. */
static int take(struct json_reader *r, json_t *document, struct comparison *out)
{
	memset(out, 0, sizeof(*out));
	if (document && !read_document(r, document, out))
		comparison_free(out);
	json_decref(document);
	return r->code;
}

int comparison_parse(const char *name, const char *text, size_t length,
		     struct comparison *out)
{
	struct json_reader reader = { .name = name, .remedy = REMEDY };

	return take(&reader, json_reader_load(&reader, text, length), out);
}

int comparison_read_json(const char *path, struct comparison *out)
{
	struct json_reader reader = { .remedy = REMEDY };

	return take(&reader, json_reader_load_file(&reader, path), out);
}
