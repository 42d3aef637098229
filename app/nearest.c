/* SPDX-License-Identifier: BSD-2-Clause */
/* How far a mistyped word is from a known one: edit distance on short words. */
#include <string.h>

#include "nearest.h"

#define WORD_MAX 32 /* longer words match nothing */

/* Levenshtein's distance, one row at a time; both words fit WORD_MAX. */
static size_t edit_distance(const char *a, const char *b)
{
	size_t row[WORD_MAX + 1];
	size_t length = strlen(b);
	size_t i, j;

	for (j = 0; j <= length; j++)
		row[j] = j;
	for (i = 1; a[i - 1]; i++) {
		size_t diagonal = row[0];

		row[0] = i;
		for (j = 1; j <= length; j++) {
			size_t best = diagonal + (a[i - 1] != b[j - 1]);

			diagonal = row[j];
			if (best > row[j] + 1)
				best = row[j] + 1;
			if (best > row[j - 1] + 1)
				best = row[j - 1] + 1;
			row[j] = best;
		}
	}
	return row[length];
}

bool nearest_matches(const char *typed, const char *known)
{
	size_t typed_length = strlen(typed);
	size_t known_length = strlen(known);

	if (typed_length == 0 || typed_length > WORD_MAX || known_length > WORD_MAX)
		return false;
	if (strncmp(typed, known, typed_length) == 0)
		return true;
	return edit_distance(typed, known) <= (known_length > 5 ? 2 : 1);
}
