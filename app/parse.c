/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Values from text: numbers, times, lists and addresses, each taken
 * whole or refused with a reason.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "parse.h"

#define SHOWN_CHARACTERS 40 /* of a refused text; keeps the reason short */

bool parse_is_digit(char c)
{
	return c >= '0' && c <= '9';
}

int parse_hex_value(char c)
{
	if (parse_is_digit(c))
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return -1;
}

void parse_printable(char *buf, size_t len, const char *text)
{
	size_t i;

	for (i = 0; i + 1 < len && text[i]; i++)
		buf[i] = text[i] >= ' ' && text[i] <= '~' ? text[i] : '?';
	buf[i] = '\0';
	if (text[i] && i >= 3)
		memset(buf + i - 3, '.', 3);
}

bool parse_refuse(struct parse_reason *reason, const char *text, const char *what)
{
	char shown[SHOWN_CHARACTERS + 1];

	parse_printable(shown, sizeof(shown), text);
	snprintf(reason->text, sizeof(reason->text), "'%s' is %s", shown, what);
	return false;
}

/* The multiplier a suffix stands for; 0 if it is none. */
static uint64_t suffix_multiplier(const char *text, enum parse_suffix suffix)
{
	uint64_t unit = suffix == PARSE_BINARY ? 1024 : 1000;

	if (text[0] == '\0')
		return 1;
	if (text[1] != '\0' || suffix == PARSE_PLAIN)
		return 0;
	switch (text[0]) {
	case 'k':
	case 'K':
		return unit;
	case 'M':
		return unit * unit;
	case 'G':
		return unit * unit * unit;
	default:
		return 0;
	}
}

bool parse_number(const char *text, enum parse_suffix suffix, uint64_t *value,
		  struct parse_reason *reason)
{
	unsigned long long n;
	uint64_t multiplier, product;
	char *end;

	/* strtoull() would take "-1" for 2^64 - 1, and skip blanks. */
	if (text[0] == '-' && parse_is_digit(text[1]))
		return parse_refuse(reason, text, "negative");
	if (!parse_is_digit(text[0]))
		return parse_refuse(reason, text, "not a whole number");
	errno = 0;
	n = strtoull(text, &end, 10);
	multiplier = suffix_multiplier(end, suffix);
	if (multiplier == 0)
		return parse_refuse(reason, text, "not a whole number");
	if (errno == ERANGE || __builtin_mul_overflow((uint64_t)n, multiplier, &product))
		return parse_refuse(reason, text, "too large for 64 bits");
	*value = product;
	return true;
}

/*
 * The digits after a decimal point times `scale`, which must come out whole.
 * Advances *text past them. Returns false if they are finer than 1 / scale.
 */
static bool parse_fraction(const char **text, uint64_t scale, uint64_t *value)
{
	const char *digits = *text;
	size_t count = 0, used;
	uint64_t fraction = 0;

	while (parse_is_digit(digits[count]))
		count++;
	*text = digits + count;
	while (count > 0 && digits[count - 1] == '0')
		count--;
	for (used = 0; used < count; used++) {
		if (scale % 10 != 0)
			return false;
		scale /= 10;
		fraction = fraction * 10 + (uint64_t)(digits[used] - '0');
	}
	*value = fraction * scale;
	return true;
}

static const struct parse_unit *find_unit(const char *text,
					  const struct parse_unit *units)
{
	for (; units->name; units++)
		if (strcmp(text, units->name) == 0)
			return units;
	return NULL;
}

bool parse_decimal(const char *text, const struct parse_unit *units, uint64_t *value,
		   const struct parse_unit **found, struct parse_reason *reason)
{
	unsigned long long whole;
	uint64_t result, fraction = 0;
	const struct parse_unit *unit;
	const char *point;
	char *end;

	if (text[0] == '-' && (parse_is_digit(text[1]) || text[1] == '.'))
		return parse_refuse(reason, text, "negative");
	if (!parse_is_digit(text[0]))
		return parse_refuse(reason, text, "not a number");
	errno = 0;
	whole = strtoull(text, &end, 10);
	point = end;
	if (end[0] == '.') {
		if (!parse_is_digit(end[1]))
			return parse_refuse(reason, text, "not a number");
		end += 1 + strspn(end + 1, "0123456789");
	}
	unit = find_unit(end, units);
	if (!unit)
		return parse_refuse(reason, text, "not a number with a known unit");
	if (*point == '.') {
		point++;
		if (!parse_fraction(&point, unit->scale, &fraction))
			return parse_refuse(reason, text, "finer than can be kept");
	}
	if (errno == ERANGE ||
	    __builtin_mul_overflow((uint64_t)whole, unit->scale, &result) ||
	    __builtin_add_overflow(result, fraction, &result))
		return parse_refuse(reason, text, "too large for 64 bits");
	*value = result;
	*found = unit;
	return true;
}

bool parse_time_ns(const char *text, uint64_t *ns, struct parse_reason *reason)
{
	static const struct parse_unit units[] = {
		{ "", 1000000000, 0 }, { "s", 1000000000, 0 },  { "ms", 1000000, 0 },
		{ "us", 1000, 0 },     { "m", 60000000000, 0 }, { NULL, 0, 0 },
	};
	const struct parse_unit *unit;

	return parse_decimal(text, units, ns, &unit, reason);
}

bool parse_factor_micro(const char *text, uint64_t *micro, struct parse_reason *reason)
{
	static const struct parse_unit units[] = { { "x", 1000000, 0 }, { NULL, 0, 0 } };
	const struct parse_unit *unit;

	return parse_decimal(text, units, micro, &unit, reason);
}

/* One number of a list at *text; advances past it. */
static bool parse_list_number(const char **text, uint32_t max, uint32_t *value)
{
	unsigned long long n;
	char *end;

	if (!parse_is_digit(**text))
		return false;
	errno = 0;
	n = strtoull(*text, &end, 10);
	if (errno == ERANGE || n > max)
		return false;
	*value = (uint32_t)n;
	*text = end;
	return true;
}

static bool list_has(const struct number_list *list, uint32_t value)
{
	size_t i;

	for (i = 0; i < list->count; i++)
		if (list->value[i] == value)
			return true;
	return false;
}

/* Append first … last; NULL, or why not. */
static const char *list_append(struct number_list *list, uint32_t first, uint32_t last,
			       const struct parse_list_limits *limits)
{
	uint32_t i;

	if (last < first)
		return "a list with a range that runs backwards";
	if (last - first >= limits->max_count - list->count)
		return "a list of too many numbers";
	for (i = 0; i <= last - first; i++) {
		uint32_t value = first + i;

		if (limits->distinct && list_has(list, value))
			return "a list that names a number twice";
		list->value[list->count++] = value;
	}
	return NULL;
}

/* Fill the list from text; NULL, or why not. */
static const char *list_fill(const char *text, const struct parse_list_limits *limits,
			     struct number_list *list)
{
	static const char not_a_list[] = "not a list of numbers in range";

	for (;;) {
		uint32_t first, last;
		const char *why;

		if (!parse_list_number(&text, limits->max_value, &first))
			return not_a_list;
		last = first;
		if (*text == '-') {
			text++;
			if (!parse_list_number(&text, limits->max_value, &last))
				return not_a_list;
		}
		why = list_append(list, first, last, limits);
		if (why)
			return why;
		if (*text == '\0')
			return NULL;
		if (*text++ != ',')
			return not_a_list;
	}
}

bool parse_list(const char *text, const struct parse_list_limits *limits,
		struct number_list *list, struct parse_reason *reason)
{
	struct number_list filled = { NULL, 0 };
	const char *why;

	filled.value = calloc(limits->max_count, sizeof(*filled.value));
	if (!filled.value)
		return parse_refuse(reason, text, "more than the memory holds");
	why = list_fill(text, limits, &filled);
	if (why) {
		free(filled.value);
		return parse_refuse(reason, text, why);
	}
	*list = filled;
	return true;
}

bool parse_mac(const char *text, uint8_t mac[6], struct parse_reason *reason)
{
	static const char not_a_mac[] = "not a MAC address";
	char separator = text[0] && text[1] ? text[2] : '\0';
	uint8_t bytes[6];
	int i;

	if (separator != ':' && separator != '-')
		return parse_refuse(reason, text, not_a_mac);
	/* Every read is guarded by the one before it, so the end is not passed. */
	for (i = 0; i < 6; i++) {
		const char *pair = text + 3 * i;
		int high = parse_hex_value(pair[0]);
		int low = high < 0 ? -1 : parse_hex_value(pair[1]);

		if (low < 0 || pair[2] != (i < 5 ? separator : '\0'))
			return parse_refuse(reason, text, not_a_mac);
		bytes[i] = (uint8_t)(high << 4 | low);
	}
	memcpy(mac, bytes, sizeof(bytes));
	return true;
}

bool parse_ipv4(const char *text, uint32_t *address, struct parse_reason *reason)
{
	struct in_addr in;

	if (inet_pton(AF_INET, text, &in) != 1)
		return parse_refuse(reason, text, "not an IPv4 address");
	*address = ntohl(in.s_addr);
	return true;
}

bool parse_hex_byte(const char *text, uint8_t *byte, struct parse_reason *reason)
{
	int high, low = -1;

	if (text[0] == '0' && text[1] == 'x') {
		high = parse_hex_value(text[2]);
		if (high >= 0)
			low = parse_hex_value(text[3]);
		if (low >= 0 && text[4] == '\0') {
			*byte = (uint8_t)(high << 4 | low);
			return true;
		}
	}
	return parse_refuse(reason, text, "not a byte");
}

/* One side of a map, up to `end`: "10.0.0.0/8", or an address alone. */
static bool parse_network(const char *text, const char *end, uint32_t *network,
			  uint32_t *mask, struct parse_reason *reason)
{
	char copy[32];
	size_t length = (size_t)(end - text);
	char *slash;
	uint64_t prefix = 32;

	if (length >= sizeof(copy))
		return parse_refuse(reason, text, "not an IPv4 network");
	memcpy(copy, text, length);
	copy[length] = '\0';
	slash = strchr(copy, '/');
	if (slash) {
		*slash++ = '\0';
		if (!parse_number(slash, PARSE_PLAIN, &prefix, reason))
			return false;
		if (prefix > 32)
			return parse_refuse(reason, slash,
					    "longer than an address, a prefix of 32");
	}
	if (!parse_ipv4(copy, network, reason))
		return false;
	*mask = prefix ? UINT32_MAX << (32 - prefix) : 0;
	if (*network & ~*mask)
		return parse_refuse(reason, text, "an address and no network");
	return true;
}

bool parse_address_maps(const char *text, struct address_maps *maps,
			struct parse_reason *reason)
{
	const char *at = text, *middle, *end;
	struct address_maps read;
	uint32_t mask;

	for (read.count = 0;; at = end + 1) {
		struct address_map *map = &read.map[read.count];

		end = strchrnul(at, ',');
		middle = memchr(at, '=', (size_t)(end - at));
		if (!middle)
			return parse_refuse(reason, at, "no pair OLD=NEW");
		if (read.count++ == ADDRESS_MAPS)
			return parse_refuse(reason, text, "too many pairs");
		if (!parse_network(at, middle, &map->from, &map->mask, reason) ||
		    !parse_network(middle + 1, end, &map->to, &mask, reason))
			return false;
		if (mask != map->mask)
			return parse_refuse(reason, at,
					    "a pair with different prefix lengths");
		if (!*end)
			break;
	}
	*maps = read;
	return true;
}
