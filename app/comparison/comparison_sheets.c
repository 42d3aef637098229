/* SPDX-License-Identifier: BSD-2-Clause */
/* The tables that a comparison is shown as. */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "comparison_fields.h"
#include "comparison_sheets.h"

#define FEW_LEGS 3

/* ---- settings ---- */

static bool is_first_of_setting(const struct comparison *c, size_t i)
{
	size_t k;

	for (k = 0; k < i; k++)
		if (comparison_same_setting(&c->cell[k], &c->cell[i]))
			return false;
	return true;
}

size_t comparison_next_block(const struct comparison *c, size_t i)
{
	do
		i++;
	while (i < c->cells && !is_first_of_setting(c, i));
	return i;
}

int comparison_block(const struct comparison *c, const struct judgement *j, size_t first,
		     struct comparison_block *block)
{
	size_t i;

	memset(block, 0, sizeof(*block));
	block->cell = calloc(c->cells, sizeof(*block->cell));
	if (!block->cell)
		return -ENOMEM;
	for (i = first; i < c->cells; i++)
		if (comparison_same_setting(&c->cell[first], &c->cell[i]))
			block->cell[block->cells++] = i;
	while (block->base < block->cells &&
	       j->cell[block->cell[block->base]].rounds == 0)
		block->base++;
	return 0;
}

bool comparison_few_legs(const struct judgement *j, const struct comparison_block *block)
{
	size_t legs = 0, i;

	for (i = 0; i < block->cells; i++)
		legs += j->cell[block->cell[i]].rounds > 0;
	return legs <= FEW_LEGS;
}

/* "BEFORE value AFTER", unless the value is 0. */
static void add_setting(char buf[COMPARISON_TITLE], const char *before, uint32_t value,
			const char *after)
{
	size_t at = strlen(buf);

	if (value)
		snprintf(buf + at, COMPARISON_TITLE - at, "%s%s%" PRIu32 "%s",
			 at ? ", " : "", before, value, after);
}

const char *comparison_title(const struct comparison_cell *cell,
			     enum judgement_axis without, char buf[COMPARISON_TITLE])
{
	buf[0] = '\0';
	if (without != AXIS_SIZE && !cell->wire_size)
		strcpy(buf, "frames of several sizes");
	if (without != AXIS_SIZE)
		add_setting(buf, "", cell->wire_size, "-byte frames");
	if (without != AXIS_QUEUES)
		add_setting(buf, "", cell->queues,
			    cell->queues == 1 ? " queue" : " queues");
	if (without != AXIS_BATCH)
		add_setting(buf, "batch ", cell->batch, "");
	if (without != AXIS_RING)
		add_setting(buf, "ring ", cell->ring, "");
	return buf;
}

/* ---- legs ---- */

static void put_median(struct sheet *sheet,
		       const char *(*figure)(double, char[TEXT_NUMBER_BYTES]),
		       const struct judgement_cell *judged,
		       const struct statistics_summary *summary)
{
	char buf[TEXT_NUMBER_BYTES];

	sheet_put(sheet, "%s", judged->rounds ? figure(summary->median, buf) : "-");
}

static const char *or_unknown(const char *text)
{
	return text && *text ? text : "-";
}

static void rates_row(const struct comparison_cell *cell,
		      const struct judgement_cell *judged, struct sheet *sheet)
{
	char buf[TEXT_NUMBER_BYTES];

	sheet_put(sheet, "%s", or_unknown(cell->leg));
	sheet_put(sheet, "%s", or_unknown(cell->mode));
	sheet_put(sheet, "%s", or_unknown(cell->path));
	put_median(sheet, figure_scaled, judged, &judged->pps);
	sheet_put(sheet, "%s",
		  judged->rounds > 1 ? figure_share(judged->pps.spread, buf) : "-");
	put_median(sheet, figure_scaled, judged, &judged->l1_bps);
	put_median(sheet, figure_scaled, judged, &judged->l2_bps);
	put_median(sheet, figure_plain, judged, &judged->ns_per_packet);
	sheet_put(sheet, "%zu", judged->rounds);
}

void comparison_rates_sheet(const struct comparison *c, const struct judgement *j,
			    const struct comparison_block *block, struct sheet *sheet)
{
	size_t i;

	memset(sheet, 0, sizeof(*sheet));
	sheet_column(sheet, SHEET_TEXT, "leg");
	sheet_column(sheet, SHEET_TEXT, "mode");
	sheet_column(sheet, SHEET_TEXT, "path");
	sheet_column(sheet, SHEET_NUMBER, "pps");
	sheet_column(sheet, SHEET_NUMBER, "±");
	sheet_column(sheet, SHEET_NUMBER, "L1 bit/s");
	sheet_column(sheet, SHEET_NUMBER, "L2 bit/s");
	sheet_column(sheet, SHEET_NUMBER, "ns/pkt");
	sheet_column(sheet, SHEET_NUMBER, "n");
	for (i = 0; i < block->cells; i++)
		rates_row(&c->cell[block->cell[i]], &j->cell[block->cell[i]], sheet);
}

static void costs_row(const struct comparison_cell *cell,
		      const struct judgement_cell *judged, struct sheet *sheet)
{
	char buf[TEXT_NUMBER_BYTES];

	sheet_put(sheet, "%s", or_unknown(cell->leg));
	put_median(sheet, figure_plain, judged, &judged->cpu);
	put_median(sheet, figure_plain, judged, &judged->cpu_user);
	put_median(sheet, figure_plain, judged, &judged->cpu_system);
	put_median(sheet, figure_plain, judged, &judged->cpu_softirq);
	put_median(sheet, figure_scaled, judged, &judged->packets_per_kick);
	put_median(sheet, figure_scaled, judged, &judged->kicks_per_second);
	sheet_put(sheet, "%s", figure_count(judged->lost, buf));
}

void comparison_costs_sheet(const struct comparison *c, const struct judgement *j,
			    const struct comparison_block *block, struct sheet *sheet)
{
	size_t i;

	memset(sheet, 0, sizeof(*sheet));
	sheet_column(sheet, SHEET_TEXT, "leg");
	sheet_column(sheet, SHEET_NUMBER, "CPU µs/pkt");
	sheet_column(sheet, SHEET_NUMBER, "user");
	sheet_column(sheet, SHEET_NUMBER, "system");
	sheet_column(sheet, SHEET_NUMBER, "softirq");
	sheet_column(sheet, SHEET_NUMBER, "pkt/kick");
	sheet_column(sheet, SHEET_NUMBER, "kicks/s");
	sheet_column(sheet, SHEET_NUMBER, "lost");
	for (i = 0; i < block->cells; i++)
		if (j->cell[block->cell[i]].rounds)
			costs_row(&c->cell[block->cell[i]], &j->cell[block->cell[i]],
				  sheet);
}

/* ---- pairs ---- */

/* "[1.171, 1.196]" */
static void put_interval(struct sheet *sheet, bool known, const char *low,
			 const char *high)
{
	if (known)
		sheet_put(sheet, "[%s, %s]", low, high);
	else
		sheet_put(sheet, "-");
}

/* The verdict in words, without the numbers that have columns of their own. */
static void put_verdict(struct sheet *sheet, const struct statistics_effect *effect)
{
	char words[JUDGEMENT_TEXT];

	size_t length;

	judgement_verdict_text(effect, words);
	length = strcspn(words, effect->verdict == VERDICT_TOO_FEW ? "" : "[;(");
	while (length > 0 && words[length - 1] == ' ')
		length--;
	sheet_put(sheet, "%.*s", (int)length, words);
}

void comparison_effect_heads(bool time, struct sheet *sheet)
{
	sheet_column(sheet, SHEET_NUMBER, "rate ×");
	sheet_column(sheet, SHEET_TEXT, "95 %");
	if (time) {
		sheet_column(sheet, SHEET_NUMBER, "ns/pkt");
		sheet_column(sheet, SHEET_TEXT, "95 %");
	}
	sheet_column(sheet, SHEET_NUMBER, "sees");
	sheet_column(sheet, SHEET_TEXT, "verdict");
}

static void put_difference(struct sheet *sheet, const struct statistics_effect *effect)
{
	char low[TEXT_NUMBER_BYTES], high[TEXT_NUMBER_BYTES];

	sheet_put(sheet, "%s",
		  effect->rounds ? figure_difference(effect->difference, low) : "-");
	put_interval(sheet, effect->verdict != VERDICT_TOO_FEW,
		     figure_difference(effect->difference_low, low),
		     figure_difference(effect->difference_high, high));
}

void comparison_effect_cells(const struct statistics_effect *rate,
			     const struct statistics_effect *time, struct sheet *sheet)
{
	bool known = rate->verdict != VERDICT_TOO_FEW;
	char low[TEXT_NUMBER_BYTES], high[TEXT_NUMBER_BYTES];

	sheet_put(sheet, "%s", rate->rounds ? figure_plain(rate->ratio, low) : "-");
	put_interval(sheet, known, figure_plain(rate->low, low),
		     figure_plain(rate->high, high));
	if (time)
		put_difference(sheet, time);
	sheet_put(sheet, "%s", known ? figure_share(rate->smallest, low) : "-");
	put_verdict(sheet, rate);
}

static void pairs_row(const struct comparison *c, const struct judgement_pair *pair,
		      bool all, struct sheet *sheet)
{
	sheet_put(sheet, "%s", or_unknown(c->cell[pair->b].leg));
	if (all)
		sheet_put(sheet, "%s", or_unknown(c->cell[pair->a].leg));
	comparison_effect_cells(&pair->rate, &pair->ns_per_packet, sheet);
}

static bool is_in_block(const struct comparison_block *block, size_t cell)
{
	size_t i;

	for (i = 0; i < block->cells; i++)
		if (block->cell[i] == cell)
			return true;
	return false;
}

bool comparison_pair_is_shown(const struct judgement *j,
			      const struct judgement_pair *pair,
			      const struct comparison_block *block, bool all)
{
	if (!is_in_block(block, pair->a) || j->cell[pair->a].rounds == 0 ||
	    j->cell[pair->b].rounds == 0)
		return false;
	return all || (block->base < block->cells && pair->a == block->cell[block->base]);
}

void comparison_pairs_sheet(const struct comparison *c, const struct judgement *j,
			    const struct comparison_block *block, bool all,
			    struct sheet *sheet)
{
	char head[TEXT_NUMBER_BYTES + 16] = "leg";
	size_t i;

	memset(sheet, 0, sizeof(*sheet));
	if (!all && block->base < block->cells)
		snprintf(head, sizeof(head), "against %.*s", TEXT_NUMBER_BYTES,
			 or_unknown(c->cell[block->cell[block->base]].leg));
	sheet_column(sheet, SHEET_TEXT, head);
	if (all)
		sheet_column(sheet, SHEET_TEXT, "against");
	comparison_effect_heads(true, sheet);
	for (i = 0; i < j->pairs; i++)
		if (comparison_pair_is_shown(j, &j->pair[i], block, all))
			pairs_row(c, &j->pair[i], all, sheet);
}
