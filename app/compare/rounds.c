/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The rounds of a comparison. Each measures every cell once: settings in an order
 * that changes from round to round and, next to one another because pairs are made
 * of them, the legs of a setting in one that changes too. Round 0 warms up, shows
 * which legs can run at all, and is thrown away.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "judgement.h"
#include "message.h"
#include "rounds.h"
#include "sender.h"
#include "statistics.h"

#define UNTIL_LIMIT_NS 600000000000ull /* for --until without --time-limit */

static struct comparison_cell *cell_of(struct compare *c, size_t setting, size_t leg)
{
	return &c->result.cell[setting * c->legs.count + leg];
}

static bool can_run(const struct comparison_cell *cell)
{
	return !cell->unavailable && !cell->failure;
}

/* ---- a round ---- */

struct order {
	size_t *setting, *leg;
	uint64_t random; /* of statistics.h */
};

static void order_free(struct order *order)
{
	free(order->setting);
	free(order->leg);
}

static int order_make(const struct compare *c, struct order *order)
{
	size_t i;

	order->random = c->result.seed;
	order->setting = calloc(c->settings, sizeof(size_t));
	order->leg = calloc(c->legs.count, sizeof(size_t));
	if (!order->setting || !order->leg)
		return -ENOMEM;
	for (i = 0; i < c->settings; i++)
		order->setting[i] = i;
	for (i = 0; i < c->legs.count; i++)
		order->leg[i] = i;
	return 0;
}

/* Returns 0, or an exit code that ends the comparison. */
static int run_setting(struct compare *c, struct order *order, size_t setting,
		       uint32_t round, uint32_t *place)
{
	size_t i;
	int code = 0;

	if (round)
		statistics_shuffle(order->leg, c->legs.count, &order->random);
	for (i = 0; i < c->legs.count && !code && !c->interrupted; i++) {
		struct comparison_cell *cell = cell_of(c, setting, order->leg[i]);

		if (!can_run(cell))
			continue;
		progress_round(c, round, cell->leg);
		code = round_cell(c, &c->setting[setting], &c->legs.leg[order->leg[i]],
				  cell, round, (*place)++);
	}
	return code;
}

static int run_round(struct compare *c, struct order *order, uint32_t round)
{
	uint32_t place = 0;
	size_t i;
	int code = 0;

	if (round)
		statistics_shuffle(order->setting, c->settings, &order->random);
	for (i = 0; i < c->settings && !code && !c->interrupted; i++)
		code = run_setting(c, order, order->setting[i], round, &place);
	if (!code && !c->interrupted)
		c->result.rounds = round;
	return code;
}

/* ---- the end ---- */

static bool any_can_run(struct compare *c)
{
	size_t i;

	for (i = 0; i < c->result.cells; i++)
		if (can_run(&c->result.cell[i]))
			return true;
	return false;
}

/* Have all pairs the precision that was asked for? */
static bool precise(struct compare *c, int *code)
{
	struct judgement judgement;
	double width;

	if (judge(&c->result, &judgement))
		*code = compare_out_of_memory();
	width = *code ? 0 : judgement_precision(&judgement);
	c->predicted = *code ? 0 : judgement_rounds(&judgement, c->result.until);
	judgement_free(&judgement);
	return width <= c->result.until;
}

static bool time_is_up(const struct compare *c)
{
	const struct compare_config *asked = &c->config->compare;
	uint64_t limit_ns = asked->time_limit_ns;

	if (!limit_ns && asked->until_ppm)
		limit_ns = UNTIL_LIMIT_NS;
	return limit_ns && clock_ns() - c->start_ns >= limit_ns;
}

/* Is there to be a round of this number? */
static bool another(struct compare *c, uint32_t round, int *code)
{
	const struct compare_config *asked = &c->config->compare;

	if (c->interrupted || !any_can_run(c))
		return false;
	if (round > asked->rounds && (!asked->until_ppm || precise(c, code)))
		return false;
	if (*code || !time_is_up(c))
		return *code == 0;
	c->result.out_of_time = true;
	return false;
}

/* The one line for what is wrong with the whole. */
static int verdict(struct compare *c)
{
	const struct comparison_cell *unable = NULL;
	size_t i;

	for (i = 0; i < c->result.cells; i++) {
		const struct comparison_cell *cell = &c->result.cell[i];

		if (cell->failure)
			return fail(c->result.exit_code ? c->result.exit_code
							: EXIT_RUNTIME,
				    cell->leg,
				    "broke off: %s; the results of the others stand",
				    cell->failure);
		if (cell->unavailable && !unable)
			unable = cell;
	}
	if (unable && !c->interrupted && !any_can_run(c))
		return fail(EXIT_RUNTIME, unable->leg,
			    "cannot run here, nor can any "
			    "other leg: %s",
			    unable->unavailable);
	return c->result.exit_code;
}

static void tell_noise(const struct compare *c)
{
	/* A tenth: the median does not mind. */
	if (c->kept * 10 > c->measured)
		warn(c->nic.name,
		     "the machine was never quiet: %" PRIu64 " of %" PRIu64
		     " samples are disturbed and were kept all the same",
		     c->kept, c->measured);
}

int compare_rounds(struct compare *c)
{
	struct order order = { 0 };
	int code = order_make(c, &order) ? compare_out_of_memory() : 0;
	uint32_t round;

	c->start_ns = clock_ns();
	for (round = 0; !code && another(c, round, &code); round++)
		code = run_round(c, &order, round);
	order_free(&order);
	progress_end(c);
	tell_noise(c);
	c->result.interrupted = c->interrupted;
	if (!code)
		code = verdict(c);
	c->result.exit_code = code;
	return code;
}
