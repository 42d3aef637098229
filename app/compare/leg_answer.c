/* SPDX-License-Identifier: BSD-2-Clause */
/* Reading of leg_answer.h. */
#include <jansson.h>
#include <stdio.h>
#include <string.h>

#include "comparison.h"
#include "leg_answer.h"

#define PREFIX "dxmit: "

static uint64_t count_of(const json_t *object, const char *key)
{
	const json_t *value = json_object_get(object, key);

	return json_is_integer(value) && json_integer_value(value) >= 0
		       ? (uint64_t)json_integer_value(value)
		       : COMPARISON_UNKNOWN;
}

static uint64_t time_ns_of(const json_t *object, const char *key)
{
	const json_t *value = json_object_get(object, key);
	double seconds = json_number_value(value);

	return json_is_number(value) && seconds >= 0 && seconds < 1e9
		       ? (uint64_t)(seconds * 1e9)
		       : COMPARISON_UNKNOWN;
}

static void complain(struct leg_answer *out, const char *what, const char *detail)
{
	if (out->fault)
		return;
	out->fault = true;
	snprintf(out->note, sizeof(out->note), "%s%s", what, detail);
}

/* Placement that could not be checked is not a wrong one. */
static void read_placement(const json_t *queue, struct leg_answer *out)
{
	const char *text = json_string_value(json_object_get(queue, "placement"));

	if (text && strncmp(text, "no", 2) == 0)
		complain(out, "placement: ", text);
}

static void read_queue(const json_t *queue, struct leg_answer *out)
{
	const char *mode = json_string_value(json_object_get(queue, "mode"));
	const char *path = json_string_value(json_object_get(queue, "path"));

	if (mode && !out->mode[0])
		snprintf(out->mode, sizeof(out->mode), "%s", mode);
	if (path && !out->path[0])
		snprintf(out->path, sizeof(out->path), "%s", path);
	if ((mode && strcmp(mode, out->mode) != 0) ||
	    (path && strcmp(path, out->path) != 0))
		complain(out, "queues differ in mode or path", "");
	if (json_is_true(json_object_get(queue, "path_lost")))
		complain(out, "the direct path was lost during the run", "");
	read_placement(queue, out);
}

static void read_total(const json_t *document, struct leg_answer *out)
{
	const json_t *total = json_object_get(document, "total");
	const json_t *ledger = json_object_get(document, "ledger");

	out->packets = count_of(total, "packets");
	out->seconds = json_number_value(json_object_get(total, "seconds"));
	out->kicks = count_of(total, "kicks");
	out->lost = count_of(total, "lost");
	out->user_ns = time_ns_of(total, "cpu_user_seconds");
	out->system_ns = time_ns_of(total, "cpu_system_seconds");
	out->invalid = count_of(ledger, "invalid");
	if (out->invalid != COMPARISON_UNKNOWN && out->invalid > 0)
		complain(out, "the kernel refused descriptors as invalid", "");
}

void leg_answer_read(const char *json, struct leg_answer *out)
{
	json_t *document = json_loads(json, 0, NULL);
	const json_t *queues = json_object_get(document, "queues"), *queue;
	size_t i;

	memset(out, 0, sizeof(*out));
	out->valid = json_is_object(document);
	read_total(document, out);
	json_array_foreach(queues, i, queue) read_queue(queue, out);
	json_decref(document);
}

const char *leg_answer_reason(char *text)
{
	char *line, *rest = NULL;
	const char *last = "";

	for (line = strtok_r(text, "\n", &rest); line;
	     line = strtok_r(NULL, "\n", &rest)) {
		if (strncmp(line, PREFIX, strlen(PREFIX)) != 0) {
			last = line;
			continue;
		}
		last = line + strlen(PREFIX);
		if (!strstr(line, ": warning: "))
			return last;
	}
	return last;
}
