/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A comparison as one JSON document: the conditions, every sample, and what
 * follows from them. Fields are added, never renamed. Whoever reads it back
 * (comparison_read.c) takes the samples and judges anew.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "comparison_fields.h"
#include "comparison_judged.h"
#include "judgement.h"

/* The texts of one object of the document; NULL is the document itself. */
static void set_words(struct json_maker *to, const struct comparison *c,
		      const char *section)
{
	size_t i;

	for (i = 0; i < COMPARISON_WORDS; i++) {
		const struct comparison_word *word = &comparison_words[i];

		if (section && word->section ? strcmp(section, word->section) == 0
					     : section == word->section)
			json_set_text(to, word->key, comparison_word(c, word));
	}
}

static struct json_maker host_part(const struct comparison *c)
{
	struct json_maker part = json_make_object();

	set_words(&part, c, "host");
	json_set_known(&part, "cpus", c->cpus ? (int64_t)c->cpus : -1);
	return part;
}

static struct json_maker interface_part(const struct comparison *c)
{
	struct json_maker part = json_make_object();

	set_words(&part, c, "interface");
	return part;
}

/* How it was measured. The seed is a text, since programs that read numbers as
 * floating point would change it. */
static struct json_maker method_part(const struct comparison *c)
{
	struct json_maker part = json_make_object();
	char seed[24];

	snprintf(seed, sizeof(seed), "%" PRIu64, c->seed);
	set_words(&part, c, "method");
	json_set_real(&part, "window_seconds", c->window_seconds);
	json_set_real(&part, "warm_up_seconds", c->warm_up_seconds);
	json_set_real(&part, "cool_down_seconds", c->cool_down_seconds);
	json_set_text(&part, "seed", seed);
	json_set_limit(&part, "until", c->until);
	return part;
}

static struct json_maker sample_part(const struct comparison_sample *sample)
{
	struct json_maker part = json_make_object();
	size_t i;

	json_set_u64(&part, "round", sample->round);
	json_set_u64(&part, "place", sample->place);
	for (i = 0; i < COMPARISON_COUNTERS; i++)
		json_set_exact(&part, comparison_counters[i].key,
			       comparison_count(sample, i));
	json_set_bool(&part, "disturbed", sample->disturbed);
	json_set_text(&part, "note", sample->note[0] ? sample->note : NULL);
	return part;
}

static struct json_maker functions_part(const struct comparison_cell *cell)
{
	struct json_maker functions = json_make_array();
	size_t i;

	for (i = 0; i < cell->functions; i++) {
		const struct comparison_function *function = &cell->function[i];
		struct json_maker part = json_make_object();

		json_set_text(&part, "name", function->name);
		json_set_bool(&part, "kernel", function->kernel);
		json_set_exact(&part, "hits", function->hits);
		json_append_part(&functions, part);
	}
	return functions;
}

static void set_profile(struct json_maker *to, const struct comparison_cell *cell)
{
	struct json_maker part;

	if (!cell->profile_hits) {
		json_set_null(to, "profile");
		return;
	}
	part = json_make_object();
	json_set_exact(&part, "hits", cell->profile_hits);
	json_set_part(&part, "functions", functions_part(cell));
	json_set_part(to, "profile", part);
}

static struct json_maker cell_part(const struct comparison_cell *cell,
				   const struct judgement_cell *judged)
{
	struct json_maker part = json_make_object();
	struct json_maker samples = json_make_array();
	size_t i;

	json_set_text(&part, "leg", cell->leg);
	for (i = 0; i < COMPARISON_SETTINGS; i++)
		json_set_u64(&part, comparison_settings[i].key,
			     comparison_setting(cell, i));
	for (i = 0; i < COMPARISON_CELL_WORDS; i++)
		json_set_text(&part, comparison_cell_words[i].key,
			      comparison_word(cell, &comparison_cell_words[i]));
	json_set_u64(&part, "repeated", cell->repeated);
	json_set_part(&part, "summary", comparison_summary_part(judged));
	for (i = 0; i < cell->samples; i++)
		json_append_part(&samples, sample_part(&cell->sample[i]));
	json_set_part(&part, "samples", samples);
	set_profile(&part, cell);
	return part;
}

static struct json_maker cells_part(const struct comparison *c, const struct judgement *j)
{
	struct json_maker cells = json_make_array();
	size_t i;

	for (i = 0; i < c->cells; i++)
		json_append_part(&cells, cell_part(&c->cell[i], &j->cell[i]));
	return cells;
}

static struct json_maker document_part(const struct comparison *c,
				       const struct judgement *j)
{
	struct json_maker document = json_make_object();

	json_set_text(&document, "schema", COMPARISON_SCHEMA);
	json_set_i64(&document, "version", COMPARISON_VERSION);
	json_set_text(&document, "command", "compare");
	set_words(&document, c, NULL);
	json_set_exact(&document, "start_unix_ns", c->start_unix_ns);
	json_set_part(&document, "host", host_part(c));
	json_set_part(&document, "interface", interface_part(c));
	json_set_part(&document, "method", method_part(c));
	json_set_u64(&document, "rounds", c->rounds);
	json_set_bool(&document, "interrupted", c->interrupted);
	json_set_bool(&document, "out_of_time", c->out_of_time);
	json_set_i64(&document, "exit_code", c->exit_code);
	json_set_part(&document, "cells", cells_part(c, j));
	json_set_part(&document, "pairs", comparison_pairs_part(c, j));
	json_set_part(&document, "curves", comparison_curves_part(c, j));
	return document;
}

int comparison_write_json(const struct comparison *c, FILE *out)
{
	struct judgement judgement;
	int err = judge(c, &judgement);

	if (!err)
		err = json_write(document_part(c, &judgement), out);
	judgement_free(&judgement);
	return err;
}
