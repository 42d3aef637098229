/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Values of options: each type's way from the text of an option into struct
 * config, and the words for what is legal.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "options.h"

#define INTERFACE_NAME_MAX 127 /* ALTIFNAMSIZ - 1: alternative names count too */
#define LIST_MAX DXMIT_MAX_QUEUES
#define SANDBOX_QUEUES 2 /* when --sandbox names no number */

typedef bool (*store_fn)(const struct option_row *row, const char *text,
			 struct config *config, struct parse_reason *reason);

static void *place_of(const struct option_row *row, struct config *config)
{
	return (char *)config + row->offset;
}

static void put_number(const struct option_row *row, struct config *config, uint64_t n)
{
	void *place = place_of(row, config);

	switch (row->bytes) {
	case 1:
		*(uint8_t *)place = (uint8_t)n;
		break;
	case 2:
		*(uint16_t *)place = (uint16_t)n;
		break;
	case 4:
		*(uint32_t *)place = (uint32_t)n;
		break;
	default:
		*(uint64_t *)place = n;
		break;
	}
}

static bool in_range(const struct option_row *row, uint64_t n)
{
	return (n >= row->min && n <= row->max) || (n == 0 && row->zero);
}

static bool put_in_range(const struct option_row *row, const char *text, uint64_t n,
			 struct config *config, struct parse_reason *reason)
{
	if (!in_range(row, n))
		return parse_refuse(reason, text, "out of range");
	put_number(row, config, n);
	return true;
}

static bool store_switch(const struct option_row *row, const char *text,
			 struct config *config, struct parse_reason *reason)
{
	(void)text;
	(void)reason;
	put_number(row, config, row->min);
	return true;
}

static bool store_number(const struct option_row *row, const char *text,
			 struct config *config, struct parse_reason *reason)
{
	uint64_t n;

	return parse_number(text, row->suffix, &n, reason) &&
	       put_in_range(row, text, n, config, reason);
}

static bool store_power_of_two(const struct option_row *row, const char *text,
			       struct config *config, struct parse_reason *reason)
{
	uint64_t n;

	if (!parse_number(text, row->suffix, &n, reason))
		return false;
	if (in_range(row, n) && (n & (n - 1)) != 0)
		return parse_refuse(reason, text, "not a power of two");
	return put_in_range(row, text, n, config, reason);
}

static bool store_time(const struct option_row *row, const char *text,
		       struct config *config, struct parse_reason *reason)
{
	uint64_t ns;

	return parse_time_ns(text, &ns, reason) &&
	       put_in_range(row, text, ns, config, reason);
}

static bool store_rate(const struct option_row *row, const char *text,
		       struct config *config, struct parse_reason *reason)
{
	struct rate *rate = place_of(row, config);
	struct rate read = { 0 };

	if (strcmp(text, "max") != 0) {
		if (!rate_parse(text, &read, reason))
			return false;
		if (read.micro == 0)
			return parse_refuse(reason, text, "no rate");
	}
	*rate = read;
	return true;
}

static bool store_sizes(const struct option_row *row, const char *text,
			struct config *config, struct parse_reason *reason)
{
	struct size_mix read;

	if (!sizes_parse(text, (uint32_t)row->min, (uint32_t)row->max, &read, reason))
		return false;
	sizes_free(&config->sizes);
	config->sizes = read;
	config->wire_size = sizes_longest(&read);
	return true;
}

static bool store_profile(const struct option_row *row, const char *text,
			  struct config *config, struct parse_reason *reason)
{
	return profile_parse(text, place_of(row, config), reason);
}

static bool store_burst(const struct option_row *row, const char *text,
			struct config *config, struct parse_reason *reason)
{
	return bursts_parse(text, place_of(row, config), reason);
}

static const struct option_choice *find_choice(const struct option_row *row,
					       const char *text)
{
	const struct option_choice *choice;

	for (choice = row->choices; choice->word; choice++)
		if (strcmp(choice->word, text) == 0)
			return choice;
	return NULL;
}

static bool store_choice(const struct option_row *row, const char *text,
			 struct config *config, struct parse_reason *reason)
{
	const struct option_choice *choice = find_choice(row, text);

	if (!choice)
		return parse_refuse(reason, text, "not one of its words");
	put_number(row, config, choice->value);
	return true;
}

static bool store_speed(const struct option_row *row, const char *text,
			struct config *config, struct parse_reason *reason)
{
	const struct option_choice *choice = find_choice(row, text);
	uint64_t micro;

	if (choice) {
		put_number(row, config, choice->value);
		return true;
	}
	return parse_factor_micro(text, &micro, reason) &&
	       put_in_range(row, text, micro, config, reason);
}

static bool store_address_maps(const struct option_row *row, const char *text,
			       struct config *config, struct parse_reason *reason)
{
	return parse_address_maps(text, place_of(row, config), reason);
}

static bool store_list(const struct option_row *row, const char *text,
		       struct config *config, struct parse_reason *reason)
{
	const struct parse_list_limits limits = {
		.max_value = (uint32_t)row->max,
		.max_count = LIST_MAX,
		.distinct = row->type == VALUE_LIST,
	};
	struct number_list *list = place_of(row, config);
	struct number_list read = { NULL, 0 };

	if (row->type != VALUE_LIST || strcmp(text, "all") != 0)
		if (!parse_list(text, &limits, &read, reason))
			return false;
	free(list->value);
	*list = read;
	return true;
}

static bool store_numbers(const struct option_row *row, const char *text,
			  struct config *config, struct parse_reason *reason)
{
	const struct parse_list_limits limits = {
		.max_value = (uint32_t)row->max,
		.max_count = LIST_MAX,
		.distinct = true,
	};
	struct number_list *list = place_of(row, config);
	struct number_list read = { NULL, 0 };
	size_t i;

	if (!parse_list(text, &limits, &read, reason))
		return false;
	for (i = 0; i < read.count; i++)
		if (read.value[i] < row->min) {
			free(read.value);
			return parse_refuse(reason, text, "out of range");
		}
	free(list->value);
	*list = read;
	return true;
}

static bool store_percent(const struct option_row *row, const char *text,
			  struct config *config, struct parse_reason *reason)
{
	static const struct parse_unit units[] = { { "%", 10000, 0 }, { NULL, 0, 0 } };
	const struct parse_unit *unit;
	uint64_t ppm;

	return parse_decimal(text, units, &ppm, &unit, reason) &&
	       put_in_range(row, text, ppm, config, reason);
}

static bool store_text(const struct option_row *row, const char *text,
		       struct config *config, struct parse_reason *reason)
{
	if (text[0] == '\0')
		return parse_refuse(reason, text, "empty");
	*(const char **)place_of(row, config) = text;
	return true;
}

static bool store_interface(const struct option_row *row, const char *text,
			    struct config *config, struct parse_reason *reason)
{
	/* What the kernel's dev_valid_name() refuses. */
	if (strlen(text) > INTERFACE_NAME_MAX || strpbrk(text, "/: \t\n\v\f\r") ||
	    strcmp(text, ".") == 0 || strcmp(text, "..") == 0)
		return parse_refuse(reason, text, "not an interface name");
	return store_text(row, text, config, reason);
}

static bool store_mac(const struct option_row *row, const char *text,
		      struct config *config, struct parse_reason *reason)
{
	return parse_mac(text, place_of(row, config), reason);
}

static bool store_ipv4(const struct option_row *row, const char *text,
		       struct config *config, struct parse_reason *reason)
{
	return parse_ipv4(text, place_of(row, config), reason);
}

static bool store_payload(const struct option_row *row, const char *text,
			  struct config *config, struct parse_reason *reason)
{
	const struct option_choice *choice = find_choice(row, text);
	uint8_t byte = 0;

	if (!choice && !parse_hex_byte(text, &byte, reason))
		return false;
	put_number(row, config, choice ? choice->value : DXMIT_PAYLOAD_BYTE);
	config->frame.payload_byte = byte;
	return true;
}

static bool store_numa(const struct option_row *row, const char *text,
		       struct config *config, struct parse_reason *reason)
{
	const struct option_choice *choice = find_choice(row, text);
	uint64_t node = 0;

	if (!choice) {
		if (!parse_number(text, PARSE_PLAIN, &node, reason))
			return false;
		if (!in_range(row, node))
			return parse_refuse(reason, text, "out of range");
	}
	put_number(row, config, choice ? choice->value : DXMIT_NUMA_NODE);
	config->node = (int32_t)node;
	return true;
}

static bool store_sandbox(const struct option_row *row, const char *text,
			  struct config *config, struct parse_reason *reason)
{
	if (text)
		return store_number(row, text, config, reason);
	put_number(row, config, SANDBOX_QUEUES);
	return true;
}

bool option_store(const struct option_row *row, const char *text, struct config *config,
		  struct parse_reason *reason)
{
	static const store_fn store[] = {
		[VALUE_SWITCH] = store_switch,
		[VALUE_NUMBER] = store_number,
		[VALUE_POWER_OF_TWO] = store_power_of_two,
		[VALUE_TIME] = store_time,
		[VALUE_SIZES] = store_sizes,
		[VALUE_RATE] = store_rate,
		[VALUE_PROFILE] = store_profile,
		[VALUE_BURST] = store_burst,
		[VALUE_ADDRESS_MAPS] = store_address_maps,
		[VALUE_SPEED] = store_speed,
		[VALUE_CHOICE] = store_choice,
		[VALUE_LIST] = store_list,
		[VALUE_REPEAT_LIST] = store_list,
		[VALUE_NUMBERS] = store_numbers,
		[VALUE_PERCENT] = store_percent,
		[VALUE_LEGS] = store_text,
		[VALUE_COMMAND] = store_text,
		[VALUE_INTERFACE] = store_interface,
		[VALUE_FILE] = store_text,
		[VALUE_TOPOLOGY] = store_text,
		[VALUE_FRAME] = store_text,
		[VALUE_MAC] = store_mac,
		[VALUE_IPV4] = store_ipv4,
		[VALUE_PAYLOAD] = store_payload,
		[VALUE_NUMA] = store_numa,
		[VALUE_SANDBOX] = store_sandbox,
	};

	return store[row->type](row, text, config, reason);
}

void option_mark_given(const struct option_row *row, struct config *config,
		       option_set *set)
{
	if (row->given)
		*(bool *)((char *)config + row->given) = true;
	*set |= OPTION_BIT(row - option_table);
}

void option_flag(const struct option_row *row, char flag[OPTION_FLAG_LEN])
{
	if (row->letter)
		snprintf(flag, OPTION_FLAG_LEN, "-%c", row->letter);
	else
		snprintf(flag, OPTION_FLAG_LEN, "--%s", row->name);
}

/* The words of a choice as "a, b or c". */
static void legal_choices(const struct option_row *row, char legal[OPTION_LEGAL_LEN])
{
	const struct option_choice *choice;
	size_t at = 0;

	for (choice = row->choices; choice->word; choice++) {
		const char *joint = choice == row->choices ? ""
				    : choice[1].word       ? ", "
							   : " or ";

		at += (size_t)snprintf(legal + at, OPTION_LEGAL_LEN - at, "%s%s", joint,
				       choice->word);
	}
}

static const char *suffix_text(enum parse_suffix suffix)
{
	switch (suffix) {
	case PARSE_BINARY:
		return " (k, M, G: powers of 1024)";
	case PARSE_DECIMAL:
		return " (k, M, G: powers of 1000)";
	default:
		return "";
	}
}

static void legal_number(const struct option_row *row, const char *what,
			 char legal[OPTION_LEGAL_LEN])
{
	char upper[32] = "up";

	if (row->max != UINT64_MAX)
		snprintf(upper, sizeof(upper), "to %llu", (unsigned long long)row->max);
	snprintf(legal, OPTION_LEGAL_LEN, "%s from %llu %s%s", what,
		 (unsigned long long)row->min, upper, suffix_text(row->suffix));
}

static void legal_time(const struct option_row *row, char legal[OPTION_LEGAL_LEN])
{
	snprintf(legal, OPTION_LEGAL_LEN, "%sa time from %g to %.0f s (units s, ms, m)",
		 row->zero ? "0 or " : "", (double)row->min / 1e9,
		 (double)row->max / 1e9);
}

void option_legal(const struct option_row *row, char legal[OPTION_LEGAL_LEN])
{
	legal[0] = '\0';
	if (row->legal) {
		snprintf(legal, OPTION_LEGAL_LEN, "%s", row->legal);
		return;
	}
	switch (row->type) {
	case VALUE_NUMBER:
	case VALUE_SANDBOX:
		legal_number(row, "a whole number", legal);
		break;
	case VALUE_POWER_OF_TWO:
		legal_number(row, "a power of two", legal);
		break;
	case VALUE_TIME:
		legal_time(row, legal);
		break;
	case VALUE_CHOICE:
		legal_choices(row, legal);
		break;
	default:
		break;
	}
}
