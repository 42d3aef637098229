/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Scalars of frame expressions: one number, address or set of TCP flags, by the
 * type of its field.
 */
#include <arpa/inet.h>
#include <endian.h>
#include <inttypes.h>
#include <string.h>

#include "expression_parser.h"
#include "parse.h"

#define MAC_TEXT 17 /* characters of 02:00:00:00:00:01 */

/* Bits in the byte of RFC 9293, section 3.1, from the lowest. */
static const char *const tcp_flags[] = { "fin", "syn", "rst", "psh",
					 "ack", "urg", "ece", "cwr" };

bool expression_number(struct expression_parser *p, const char *what, uint64_t max,
		       uint64_t *value)
{
	const char *begin = p->at;
	bool hex = begin[0] == '0' && begin[1] == 'x' && parse_hex_value(begin[2]) >= 0;
	unsigned int base = hex ? 16 : 10;
	bool fits = true;
	uint64_t n = 0;

	if (hex)
		p->at += 2;
	for (;; p->at++) {
		int digit = parse_hex_value(*p->at);

		if (digit < 0 || (unsigned int)digit >= base)
			break;
		fits = fits && !__builtin_mul_overflow(n, base, &n) &&
		       !__builtin_add_overflow(n, (unsigned int)digit, &n);
	}
	if (p->at == begin)
		return expression_refuse(p, begin, "%s needs a number; use 0 to %" PRIu64,
					 what, max);
	if (!fits || n > max)
		return expression_refuse(p, begin,
					 "the number is too large for %s; use 0 to "
					 "%" PRIu64,
					 what, max);
	*value = n;
	return true;
}

static bool scalar_mac(struct expression_parser *p, const char *name, uint64_t *value)
{
	uint64_t mac = 0;
	int i;

	/* A character is read only after all before it were good. */
	for (i = 0; i < MAC_TEXT; i++) {
		int digit = parse_hex_value(p->at[i]);

		if (i % 3 == 2 ? p->at[i] != ':' : digit < 0)
			return expression_refuse(p, p->at,
						 "%s needs a MAC address; use six pairs "
						 "of hexadecimal digits such as "
						 "02:00:00:00:00:01",
						 name);
		if (i % 3 != 2)
			mac = mac << 4 | (unsigned int)digit;
	}
	p->at += MAC_TEXT;
	*value = mac;
	return true;
}

/* Copy an address out of the expression; its two dots end it. */
static const char *address_text(struct expression_parser *p, const char *characters,
				char buf[INET6_ADDRSTRLEN])
{
	size_t n = 0;

	while (p->at[n] && strchr(characters, p->at[n]) &&
	       !(p->at[n] == '.' && p->at[n + 1] == '.') && n < INET6_ADDRSTRLEN - 1) {
		buf[n] = p->at[n];
		n++;
	}
	buf[n] = '\0';
	return p->at + n;
}

static bool scalar_ipv4(struct expression_parser *p, const char *name, uint64_t *value)
{
	char text[INET6_ADDRSTRLEN];
	const char *end = address_text(p, "0123456789.", text);
	struct in_addr in;

	if (inet_pton(AF_INET, text, &in) != 1)
		return expression_refuse(p, p->at,
					 "%s needs an IPv4 address; use four numbers "
					 "such as 198.18.0.1",
					 name);
	p->at = end;
	*value = ntohl(in.s_addr);
	return true;
}

static bool scalar_ipv6(struct expression_parser *p, const char *name,
			struct expression_number *number)
{
	char text[INET6_ADDRSTRLEN];
	const char *end = address_text(p, "0123456789abcdefABCDEF:.", text);
	uint64_t half[2];
	struct in6_addr in;

	if (inet_pton(AF_INET6, text, &in) != 1)
		return expression_refuse(p, p->at,
					 "%s needs an IPv6 address; use one such as "
					 "2001:2::1",
					 name);
	memcpy(half, &in, sizeof(half));
	p->at = end;
	number->high = be64toh(half[0]);
	number->value = be64toh(half[1]);
	return true;
}

/* The flag at p->at as a bit, "none" as 0; -1: there is none. */
static int tcp_flag(const struct expression_parser *p, size_t length)
{
	size_t i;

	if (length == 4 && memcmp(p->at, "none", 4) == 0)
		return 0;
	for (i = 0; i < sizeof(tcp_flags) / sizeof(tcp_flags[0]); i++)
		if (length == 3 && memcmp(p->at, tcp_flags[i], 3) == 0)
			return 1 << i;
	return -1;
}

static bool scalar_tcp_flags(struct expression_parser *p, uint64_t *value)
{
	uint64_t flags = 0;

	if (parse_is_digit(*p->at))
		return expression_number(p, "flags", 255, value);
	for (;;) {
		size_t length = expression_word(p);
		int flag = tcp_flag(p, length);

		if (flag < 0)
			return expression_refuse(
				p, p->at,
				"not a TCP flag; use fin, syn, rst, psh, "
				"ack, urg, ece and cwr joined by +, none "
				"or a number");
		flags |= (unsigned int)flag;
		p->at += length;
		if (*p->at != '+')
			break;
		p->at++;
	}
	*value = flags;
	return true;
}

bool expression_scalar(struct expression_parser *p,
		       const struct expression_target *target,
		       struct expression_number *number)
{
	uint64_t max =
		target->bits >= 64 ? UINT64_MAX : (UINT64_C(1) << target->bits) - 1;

	number->high = 0;
	switch (target->type) {
	case DXMIT_TYPE_MAC:
		return scalar_mac(p, target->name, &number->value);
	case DXMIT_TYPE_IPV4:
		return scalar_ipv4(p, target->name, &number->value);
	case DXMIT_TYPE_IPV6:
		return scalar_ipv6(p, target->name, number);
	case DXMIT_TYPE_TCP_FLAGS:
		return scalar_tcp_flags(p, &number->value);
	default:
		return expression_number(p, target->name, max, &number->value);
	}
}
