/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Values from text: numbers, times, lists and addresses, each taken
 * whole or refused with a reason. Pure; nothing is rounded, wrapped or ignored.
 *
 * Every parser returns true and stores the value, or returns false, leaves the
 * value alone and writes a reason such as "'abc' is not a whole number".
 */
#ifndef APP_PARSE_H
#define APP_PARSE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "config.h"

#define PARSE_REASON_LEN 128

struct parse_reason {
	char text[PARSE_REASON_LEN];
};

/* What the letters k, M and G after a whole number mean. */
enum parse_suffix {
	PARSE_PLAIN = 0, /* no letter is allowed */
	PARSE_BINARY,    /* powers of 1024, for bytes */
	PARSE_DECIMAL,   /* powers of 1000, for counts */
};

/*
 * Write "'TEXT' is WHAT" into the reason and return false. The text is cut
 * after 40 characters and shown without control characters, so that the reason
 * stays one line.
 */
bool parse_refuse(struct parse_reason *reason, const char *text, const char *what);

/* Copy `text` for display: control characters become '?', the end is cut. */
void parse_printable(char *buf, size_t len, const char *text);

/* Digits and letters of the C locale, whatever the locale of the process. */
bool parse_is_digit(char c);
/* Of a hexadecimal digit; -1: it is none. */
int parse_hex_value(char c);

/* A whole number: decimal digits and perhaps a suffix. */
bool parse_number(const char *text, enum parse_suffix suffix, uint64_t *value,
		  struct parse_reason *reason);

/* A unit that may stand after a decimal number. */
struct parse_unit {
	const char *name; /* NULL ends the list */
	uint64_t scale;   /* of the value: a power of ten times a small number */
	int kind;         /* for the caller */
};

/* A decimal number and a unit (which may be ""), exactly, in units of 1 / scale. */
bool parse_decimal(const char *text, const struct parse_unit *units, uint64_t *value,
		   const struct parse_unit **found, struct parse_reason *reason);

/* "2", "0.5", "1.5s", "200ms", "500us", "3m" (minutes), in nanoseconds. */
bool parse_time_ns(const char *text, uint64_t *ns, struct parse_reason *reason);

/* "2x", "0.5x", in 1e-6. */
bool parse_factor_micro(const char *text, uint64_t *micro, struct parse_reason *reason);

/*
 * "10.0.0.1=10.0.0.2,192.168.0.0/16=10.9.0.0/16": addresses or networks, each
 * side with the same prefix length and no bits behind it.
 */
bool parse_address_maps(const char *text, struct address_maps *maps,
			struct parse_reason *reason);

struct parse_list_limits {
	uint32_t max_value;
	uint32_t max_count; /* numbers after ranges were written out */
	bool distinct;      /* a number named twice is refused */
};

/*
 * "0,2,4-7". The values are allocated; free(list->value). Whatever *list held
 * before is overwritten.
 */
bool parse_list(const char *text, const struct parse_list_limits *limits,
		struct number_list *list, struct parse_reason *reason);

/* "02:00:00:00:00:02", or with dashes. */
bool parse_mac(const char *text, uint8_t mac[6], struct parse_reason *reason);

/* "198.18.0.1", in host byte order. */
bool parse_ipv4(const char *text, uint32_t *address, struct parse_reason *reason);

/* "0x5a": one byte in two hexadecimal digits. */
bool parse_hex_byte(const char *text, uint8_t *byte, struct parse_reason *reason);

#endif
