/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the fields of a comparison are called in its documents. Writers and the
 * reader go through the same tables, so that what is written is read again.
 * Internal to this folder.
 */
#ifndef APP_COMPARISON_FIELDS_H
#define APP_COMPARISON_FIELDS_H

#include "comparison.h"

/* A uint64_t of a sample. */
struct comparison_counter {
	const char *key; /* in JSON, and as the head of its CSV column */
	size_t offset;
	bool required; /* else absence is COMPARISON_UNKNOWN */
};
#define COMPARISON_COUNTERS 12
extern const struct comparison_counter comparison_counters[COMPARISON_COUNTERS];

static inline uint64_t comparison_count(const struct comparison_sample *sample, size_t i)
{
	return *(const uint64_t *)((const char *)sample + comparison_counters[i].offset);
}

/* A text of a cell or of the comparison; NULL where it is absent. */
struct comparison_word {
	const char *section; /* object in the document; NULL: not in one of its own */
	const char *key;
	const char *name; /* for people, where two comparisons are told apart by it */
	size_t offset;
};
#define COMPARISON_WORDS 9
extern const struct comparison_word comparison_words[COMPARISON_WORDS];
#define COMPARISON_CELL_WORDS 6
extern const struct comparison_word comparison_cell_words[COMPARISON_CELL_WORDS];

static inline char **comparison_word_at(void *of, const struct comparison_word *word)
{
	return (char **)((char *)of + word->offset);
}

static inline const char *comparison_word(const void *of,
					  const struct comparison_word *word)
{
	return *(char *const *)((const char *)of + word->offset);
}

/* A number of a cell's setting. */
struct comparison_setting {
	const char *key; /* in JSON, CSV and for people */
	size_t offset;
};
#define COMPARISON_SETTINGS 4 /* in the order of enum judgement_axis */
extern const struct comparison_setting comparison_settings[COMPARISON_SETTINGS];

static inline uint32_t comparison_setting(const struct comparison_cell *cell, size_t i)
{
	return *(const uint32_t *)((const char *)cell + comparison_settings[i].offset);
}

/* The same size, queues, batch and ring? */
bool comparison_same_setting(const struct comparison_cell *a,
			     const struct comparison_cell *b);

/* Two legs may have the same name, to compare A with A: how many of its name come
 * before this cell under its setting. */
size_t comparison_namesakes(const struct comparison *c, size_t cell);
/* Which of the legs the cell is of, 0 …: the same under every setting. */
size_t comparison_leg(const struct comparison *c, size_t cell);

#endif
