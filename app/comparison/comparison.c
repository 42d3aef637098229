/* SPDX-License-Identifier: BSD-2-Clause */
/* A comparison as plain data: what its fields are called, growing, and the end. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "comparison_fields.h"

#define SAMPLE(member) #member, offsetof(struct comparison_sample, member)
const struct comparison_counter comparison_counters[COMPARISON_COUNTERS] = {
	{ SAMPLE(start_unix_ns), false },
	{ "window_ns", offsetof(struct comparison_sample, ns), true },
	{ SAMPLE(packets), true },
	{ SAMPLE(bytes), true },
	{ SAMPLE(kicks), false },
	{ SAMPLE(lost), false },
	{ SAMPLE(cpu_user_ns), false },
	{ SAMPLE(cpu_system_ns), false },
	{ SAMPLE(ksoftirqd_ns), false },
	{ SAMPLE(softirq_ns), false },
	{ SAMPLE(life_packets), false },
	{ SAMPLE(life_own), false },
};

#define WHOLE(member) offsetof(struct comparison, member)
const struct comparison_word comparison_words[COMPARISON_WORDS] = {
	{ NULL, "command_line", NULL, WHOLE(command_line) },
	{ "host", "hostname", "host", WHOLE(hostname) },
	{ "host", "kernel", "kernel", WHOLE(kernel) },
	{ "host", "cpu_model", "machine", WHOLE(machine) },
	{ "host", "dxmit_version", "dxmit", WHOLE(version) },
	{ "interface", "name", "interface", WHOLE(interface) },
	{ "interface", "driver", "driver", WHOLE(driver) },
	{ "method", "placement", "placement", WHOLE(placement) },
	{ "method", "profile_how", NULL, WHOLE(profile_how) },
};

#define CELL(member) offsetof(struct comparison_cell, member)
const struct comparison_word comparison_cell_words[COMPARISON_CELL_WORDS] = {
	{ NULL, "unavailable", NULL, CELL(unavailable) },
	{ NULL, "failure", NULL, CELL(failure) },
	{ NULL, "mode", "mode", CELL(mode) },
	{ NULL, "path", "path", CELL(path) },
	{ NULL, "witness", "witness", CELL(witness) },
	{ NULL, "output", NULL, CELL(output) },
};

const struct comparison_setting comparison_settings[COMPARISON_SETTINGS] = {
	{ "size", CELL(wire_size) },
	{ "queues", CELL(queues) },
	{ "batch", CELL(batch) },
	{ "ring", CELL(ring) },
};

bool comparison_same_setting(const struct comparison_cell *a,
			     const struct comparison_cell *b)
{
	size_t i;

	for (i = 0; i < COMPARISON_SETTINGS; i++)
		if (comparison_setting(a, i) != comparison_setting(b, i))
			return false;
	return true;
}

size_t comparison_namesakes(const struct comparison *c, size_t cell)
{
	size_t count = 0, i;

	for (i = 0; i < cell; i++)
		count += strcmp(c->cell[i].leg, c->cell[cell].leg) == 0 &&
			 comparison_same_setting(&c->cell[i], &c->cell[cell]);
	return count;
}

/* All legs are under the first setting; one that is not comes after them. */
size_t comparison_leg(const struct comparison *c, size_t cell)
{
	size_t namesakes = comparison_namesakes(c, cell), leg = 0, i;

	for (i = 0; i < c->cells; i++) {
		if (!comparison_same_setting(&c->cell[i], &c->cell[0]))
			continue;
		if (strcmp(c->cell[i].leg, c->cell[cell].leg) == 0 && namesakes-- == 0)
			break;
		leg++;
	}
	return leg;
}

/* Room is not kept: it is what the number of samples says. */
static bool is_full(size_t samples)
{
	return (samples & (samples - 1)) == 0; /* 0, 1, 2, 4, 8 … */
}

int comparison_add_sample(struct comparison_cell *cell,
			  const struct comparison_sample *sample)
{
	if (is_full(cell->samples)) {
		size_t room = cell->samples ? 2 * cell->samples : 1;
		void *grown = reallocarray(cell->sample, room, sizeof(*sample));

		if (!grown)
			return -ENOMEM;
		cell->sample = grown;
	}
	cell->sample[cell->samples++] = *sample;
	return 0;
}

static void free_cell(struct comparison_cell *cell)
{
	size_t i;

	for (i = 0; i < COMPARISON_CELL_WORDS; i++)
		free(*comparison_word_at(cell, &comparison_cell_words[i]));
	for (i = 0; i < cell->functions; i++)
		free(cell->function[i].name);
	free(cell->leg);
	free(cell->function);
	free(cell->sample);
}

void comparison_free(struct comparison *comparison)
{
	size_t i;

	for (i = 0; i < COMPARISON_WORDS; i++)
		free(*comparison_word_at(comparison, &comparison_words[i]));
	for (i = 0; i < comparison->cells; i++)
		free_cell(&comparison->cell[i]);
	free(comparison->cell);
	memset(comparison, 0, sizeof(*comparison));
}
