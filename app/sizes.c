/* SPDX-License-Identifier: BSD-2-Clause */
/* The text of --size and the cycle of sizes.h. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "parse.h"
#include "sizes.h"

#define ENTRIES_MAX 65536
#define WEIGHT_MAX 1000000
#define ITEM_MAX 64          /* characters between two commas */
#define SHUFFLED_LEAST 4096u /* so that the order does not repeat at once */

/*
 * The "simple IMIX": IP datagrams of 40, 576 and 1500 bytes at 7:4:1, as
 * Ethernet frames with FCS (the first one padded). TRex's profile stl/imix.py has
 * the same: 60, 590 and 1514 bytes without FCS at 28:16:4.
 */
#define IMIX "64:7,594:4,1518:1"

struct reading {
	uint32_t min, max;
	struct size_mix *mix;
	struct parse_reason *reason;
};

static bool out_of_memory(struct parse_reason *reason)
{
	snprintf(reason->text, sizeof(reason->text), "there is no memory for it");
	return false;
}

static bool add(struct reading *r, const char *item, uint64_t size, uint64_t weight)
{
	struct size_mix *mix = r->mix;

	if (mix->entries == ENTRIES_MAX)
		return parse_refuse(r->reason, item, "one size too many");
	/* Grown by powers of two: a range adds them one by one. */
	if ((mix->entries & (mix->entries - 1)) == 0) {
		size_t room = mix->entries ? 2 * mix->entries : 1;
		struct size_entry *grown =
			realloc(mix->entry, room * sizeof(*mix->entry));

		if (!grown)
			return out_of_memory(r->reason);
		mix->entry = grown;
	}
	mix->entry[mix->entries++] = (struct size_entry){ .wire_size = (uint32_t)size,
							  .weight = (uint32_t)weight };
	return true;
}

static bool read_size(struct reading *r, const char *text, uint64_t *size)
{
	if (!parse_number(text, PARSE_BINARY, size, r->reason))
		return false;
	if (*size < r->min || *size > r->max)
		return parse_refuse(r->reason, text, "out of range");
	return true;
}

/* What follows a colon; 1 if there is none. */
static bool read_number(struct reading *r, const char *text, uint64_t *number)
{
	*number = 1;
	if (!text)
		return true;
	if (!parse_number(text, PARSE_PLAIN, number, r->reason))
		return false;
	if (*number < 1 || *number > WEIGHT_MAX)
		return parse_refuse(r->reason, text, "not a number from 1 to 1000000");
	return true;
}

/* SIZE[:WEIGHT] or FIRST-LAST[:STEP]; cuts `item` apart. */
static bool read_item(struct reading *r, char *item)
{
	char *colon = strchr(item, ':');
	char *dash = item[0] ? strchr(item + 1, '-') : NULL; /* "-1" is no range */
	uint64_t first, last, number;

	if (colon)
		*colon++ = '\0';
	if (dash)
		*dash++ = '\0';
	if (!read_size(r, item, &first) || !read_number(r, colon, &number))
		return false;
	if (!dash)
		return add(r, item, first, number);
	if (!read_size(r, dash, &last))
		return false;
	if (last < first)
		return parse_refuse(r->reason, dash, "below the start of its range");
	for (; first <= last; first += number)
		if (!add(r, item, first, 1))
			return false;
	return true;
}

static bool read_items(struct reading *r, const char *text)
{
	char item[ITEM_MAX];

	for (;;) {
		size_t len = strcspn(text, ",");

		if (len >= sizeof(item))
			return parse_refuse(r->reason, text, "not a size");
		memcpy(item, text, len);
		item[len] = '\0';
		if (!read_item(r, item))
			return false;
		if (text[len] == '\0')
			return true;
		text += len + 1;
	}
}

static bool check_cycle(const struct size_mix *mix, const char *text,
			struct parse_reason *reason)
{
	uint64_t sum = 0;
	size_t i;

	for (i = 0; i < mix->entries; i++)
		sum += mix->entry[i].weight;
	return sum <= SIZES_MAX_CYCLE ||
	       parse_refuse(reason, text, "of weights whose sum exceeds 1048576");
}

bool sizes_parse(const char *text, uint32_t min, uint32_t max, struct size_mix *mix,
		 struct parse_reason *reason)
{
	struct size_mix read = { 0 };
	struct reading r = { .min = min, .max = max, .mix = &read, .reason = reason };
	const char *items = text;

	if (strncmp(items, "random:", 7) == 0) {
		read.random = true;
		items += 7;
	}
	if (strcmp(items, "imix") == 0)
		items = IMIX;
	if (!read_items(&r, items) || !check_cycle(&read, text, reason)) {
		sizes_free(&read);
		return false;
	}
	*mix = read;
	return true;
}

void sizes_free(struct size_mix *mix)
{
	free(mix->entry);
	memset(mix, 0, sizeof(*mix));
}

void sizes_mean(const struct size_mix *mix, uint64_t *bytes, uint64_t *frames)
{
	size_t i;

	*bytes = 0;
	*frames = 0;
	for (i = 0; i < mix->entries; i++) {
		*bytes += (uint64_t)mix->entry[i].wire_size * mix->entry[i].weight;
		*frames += mix->entry[i].weight;
	}
}

uint32_t sizes_longest(const struct size_mix *mix)
{
	uint32_t longest = 0;
	size_t i;

	for (i = 0; i < mix->entries; i++)
		if (mix->entry[i].wire_size > longest)
			longest = mix->entry[i].wire_size;
	return longest;
}

uint32_t sizes_shortest(const struct size_mix *mix)
{
	uint32_t shortest = UINT32_MAX;
	size_t i;

	for (i = 0; i < mix->entries; i++)
		if (mix->entry[i].wire_size < shortest)
			shortest = mix->entry[i].wire_size;
	return shortest;
}

/* ---- the cycle ---- */

struct turn {
	uint64_t position; /* (2j + 1) of ... */
	uint64_t weight;   /* ... 2 * this */
	uint32_t choice;
};

static int compare_turns(const void *left, const void *right)
{
	const struct turn *a = left, *b = right;
	/* Both factors are below 2^22. */
	uint64_t x = a->position * b->weight, y = b->position * a->weight;

	if (x != y)
		return x < y ? -1 : 1;
	return a->choice < b->choice ? -1 : a->choice > b->choice;
}

static uint64_t common_divisor(uint64_t a, uint64_t b)
{
	while (b) {
		uint64_t rest = a % b;

		a = b;
		b = rest;
	}
	return a;
}

/* Fisher and Yates, with a fixed seed: runs can be compared. */
static void shuffle(uint32_t *order, uint32_t cycle)
{
	uint64_t state = 0x9e3779b97f4a7c15u; /* any but 0 */
	uint32_t i;

	for (i = cycle - 1; i > 0; i--) {
		uint32_t at, kept = order[i];

		state ^= state << 13; /* xorshift64 */
		state ^= state >> 7;
		state ^= state << 17;
		at = (uint32_t)(state % (i + 1));
		order[i] = order[at];
		order[at] = kept;
	}
}

static void lay_turns(struct turn *turn, const uint64_t *weight, size_t choices,
		      uint64_t divisor)
{
	size_t i;
	uint64_t j;

	for (i = 0; i < choices; i++)
		for (j = 0; j < weight[i] / divisor; j++)
			*turn++ = (struct turn){ .position = 2 * j + 1,
						 .weight = weight[i] / divisor,
						 .choice = (uint32_t)i };
}

int cycle_make(const uint64_t *weight, size_t choices, bool random, uint32_t **order)
{
	uint64_t divisor = 0, cycle = 0, repeats, i;
	struct turn *turn;

	for (i = 0; i < choices; i++)
		divisor = common_divisor(weight[i], divisor);
	for (i = 0; i < choices; i++) {
		if (weight[i] == 0 || weight[i] / divisor > SIZES_MAX_CYCLE - cycle)
			return -EINVAL;
		cycle += weight[i] / divisor;
	}
	if (cycle == 0)
		return -EINVAL;
	repeats = random ? (SHUFFLED_LEAST + cycle - 1) / cycle : 1;
	turn = calloc(cycle, sizeof(*turn));
	*order = calloc(cycle * repeats, sizeof(**order));
	if (!turn || !*order) {
		free(turn);
		free(*order);
		return -ENOMEM;
	}
	lay_turns(turn, weight, choices, divisor);
	qsort(turn, cycle, sizeof(*turn), compare_turns);
	for (i = 0; i < cycle * repeats; i++)
		(*order)[i] = turn[i % cycle].choice;
	free(turn);
	if (random)
		shuffle(*order, (uint32_t)(cycle * repeats));
	return (int)(cycle * repeats);
}
