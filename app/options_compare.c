/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Options of `dxmit compare` together: what goes together is judged here as far as
 * it can be known without looking at the machine.
 */
#include <inttypes.h>

#include "leg.h"
#include "message.h"
#include "options.h"

/* Of settings times legs: each is a child process a round. */
#define MAX_CELLS 4096

static int check_sizes(const struct config *config, option_set given)
{
	(void)config;
	if (option_in(given, OPT_SIZE) && option_in(given, OPT_SIZES))
		return fail(EXIT_USAGE, "--sizes",
			    "contradicts --size; leave one of them out");
	return 0;
}

/* Bytes, and so bit/s, are known from a count of packets of one size alone. */
static int check_witness(const struct config *config, option_set given)
{
	if (!option_in(given, OPT_WITNESS) || config->compare.sizes.count ||
	    config->sizes.entries <= 1)
		return 0;
	return fail(EXIT_USAGE, "--witness",
		    "counts packets, and --size mixes them; compare one size after the "
		    "other with --sizes");
}

static int check_rings(const struct config *config)
{
	const struct number_list *rings = &config->compare.rings;
	size_t i;

	for (i = 0; i < rings->count; i++)
		if (rings->value[i] & (rings->value[i] - 1))
			return fail(EXIT_USAGE, "--rings",
				    "%" PRIu32 " is not a power of two; use 64, 512 or "
				    "the like",
				    rings->value[i]);
	return 0;
}

static int check_queues(const struct config *config, option_set given)
{
	const struct number_list *queues = &config->compare.queues;
	size_t i;

	for (i = 0; i < queues->count && option_in(given, OPT_SANDBOX); i++)
		if (queues->value[i] > config->sandbox_queues)
			return fail(EXIT_USAGE, "--queues",
				    "%" PRIu32 " are more than the sandbox has; use "
				    "--sandbox=%" PRIu32,
				    queues->value[i], queues->value[i]);
	return 0;
}

static size_t at_least_one(const struct number_list *list)
{
	return list->count ? list->count : 1;
}

static int check_cells(const struct config *config, size_t legs)
{
	const struct compare_config *c = &config->compare;
	/* Each list has at most DXMIT_MAX_QUEUES numbers: 2^40 in all. */
	uint64_t cells = (uint64_t)legs * at_least_one(&c->sizes) *
			 at_least_one(&c->queues) * at_least_one(&c->batches) *
			 at_least_one(&c->rings);

	if (cells > MAX_CELLS)
		return fail(EXIT_USAGE, "--legs",
			    "%" PRIu64
			    " combinations of legs, sizes, queues, batches and "
			    "rings are too many; use at most %d",
			    cells, MAX_CELLS);
	return 0;
}

static int check_legs(const struct config *config)
{
	struct legs legs;
	int code = legs_parse(config->compare.legs, &legs);

	if (!code)
		code = check_cells(config, legs.count);
	legs_free(&legs);
	return code;
}

int options_check_compare(const struct config *config, option_set given)
{
	int code = check_sizes(config, given);

	if (!code)
		code = check_witness(config, given);
	if (!code)
		code = check_rings(config);
	if (!code)
		code = check_queues(config, given);
	return code ? code : check_legs(config);
}
