/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Documents of comparisons of any content: refused with a line or read, and what was
 * read can be judged, shown, and written as a document that says the same again.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "comparison_runs.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t length);

static char *json_of(const struct comparison *c, size_t *length)
{
	char *text = NULL;
	FILE *out = open_memstream(&text, length);

	if (!out || comparison_write_json(c, out))
		abort();
	fclose(out);
	return text;
}

static void check_round_trip(const struct comparison *c)
{
	size_t length, second_length;
	char *text = json_of(c, &length), *second;
	struct comparison again;

	if (comparison_parse("again", text, length, &again))
		abort();
	second = json_of(&again, &second_length);
	if (length != second_length || memcmp(text, second, length) != 0)
		abort();
	comparison_free(&again);
	free(second);
	free(text);
}

static void show(const struct comparison *c)
{
	const struct comparison_run runs[] = { { "a", c }, { "b", c } };
	struct judgement judgement;
	char *text = NULL;
	size_t length;
	FILE *out = open_memstream(&text, &length);

	if (!out || judge(c, &judgement))
		abort();
	comparison_text_verbose(c, &judgement, out);
	comparison_markdown(c, &judgement, out);
	comparison_csv(c, out);
	comparison_runs_text(runs, 2, out);
	fclose(out);
	free(text);
	judgement_free(&judgement);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t length)
{
	struct comparison c;

	/* Only the first error of a process is printed: one line a search. */
	if (comparison_parse("fuzz", (const char *)data, length, &c) == 0) {
		check_round_trip(&c);
		show(&c);
	}
	comparison_free(&c);
	return 0;
}
