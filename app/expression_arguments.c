/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What stands behind the name of a layer in a frame expression: the short form,
 * KEY=VALUE for its fields, bytes. Values are read in expression_value.c.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "expression_parser.h"
#include "parse.h"

#define MAX_BYTE 65535   /* of a layer that can be named */
#define MAX_BYTES_WIDE 8 /* of bytes that change together */

struct expression_short expression_short(enum dxmit_layer_kind kind)
{
	static const struct expression_short shorts[DXMIT_LAYER_KINDS] = {
		[DXMIT_LAYER_ETHERNET] = { DXMIT_FIELD_ETHERNET_SOURCE,
					   DXMIT_FIELD_ETHERNET_DESTINATION },
		[DXMIT_LAYER_VLAN] = { DXMIT_FIELD_NONE, DXMIT_FIELD_VLAN_ID },
		[DXMIT_LAYER_SVLAN] = { DXMIT_FIELD_NONE, DXMIT_FIELD_SVLAN_ID },
		[DXMIT_LAYER_MPLS] = { DXMIT_FIELD_NONE, DXMIT_FIELD_MPLS_LABEL },
		[DXMIT_LAYER_ARP] = { DXMIT_FIELD_ARP_SENDER_IP,
				      DXMIT_FIELD_ARP_TARGET_IP },
		[DXMIT_LAYER_IPV4] = { DXMIT_FIELD_IPV4_SOURCE,
				       DXMIT_FIELD_IPV4_DESTINATION },
		[DXMIT_LAYER_IPV6] = { DXMIT_FIELD_IPV6_SOURCE,
				       DXMIT_FIELD_IPV6_DESTINATION },
		[DXMIT_LAYER_UDP] = { DXMIT_FIELD_UDP_SOURCE,
				      DXMIT_FIELD_UDP_DESTINATION },
		[DXMIT_LAYER_TCP] = { DXMIT_FIELD_TCP_SOURCE,
				      DXMIT_FIELD_TCP_DESTINATION },
		[DXMIT_LAYER_ICMP] = { DXMIT_FIELD_NONE, DXMIT_FIELD_ICMP_ID },
		[DXMIT_LAYER_ICMPV6] = { DXMIT_FIELD_NONE, DXMIT_FIELD_ICMPV6_ID },
		[DXMIT_LAYER_GRE] = { DXMIT_FIELD_NONE, DXMIT_FIELD_GRE_KEY },
		[DXMIT_LAYER_VXLAN] = { DXMIT_FIELD_NONE, DXMIT_FIELD_VXLAN_VNI },
	};

	return shorts[kind];
}

/* ---- keys ---- */

static enum dxmit_field_id find_field(const struct expression_parser *p, size_t length,
				      enum dxmit_layer_kind kind)
{
	int id;

	for (id = 1; id < DXMIT_FIELDS; id++) {
		const struct dxmit_field *field = dxmit_field((enum dxmit_field_id)id);

		if (field->layer == kind && expression_word_is(p, length, field->name))
			return (enum dxmit_field_id)id;
	}
	return DXMIT_FIELD_NONE;
}

static bool has_options(enum dxmit_layer_kind kind)
{
	return kind == DXMIT_LAYER_IPV4 || kind == DXMIT_LAYER_TCP;
}

static bool refuse_key(struct expression_parser *p, size_t length)
{
	enum dxmit_layer_kind kind = expression_last(p)->kind;
	char list[160] = "", shown[EXPRESSION_SHOWN];
	size_t at = 0;
	int id;

	for (id = 1; id < DXMIT_FIELDS; id++) {
		const struct dxmit_field *field = dxmit_field((enum dxmit_field_id)id);

		if (field->layer == kind)
			at += (size_t)snprintf(list + at, sizeof(list) - at, "%s, ",
					       field->name);
	}
	return expression_refuse(p, p->at, "'%s' is no key of %s; use %s%sbyteN",
				 expression_shown(p, length, shown),
				 dxmit_layer_info(kind)->name, list,
				 has_options(kind)         ? "options, "
				 : kind == DXMIT_LAYER_RAW ? "hex, file, "
							   : "");
}

/* ---- arguments ---- */

static bool set_field(struct expression_parser *p, const char *at,
		      enum dxmit_field_id field, const struct expression_number *number)
{
	struct expression_layer *layer = expression_last(p);
	uint32_t i;

	for (i = layer->value_from; i < layer->value_from + layer->values; i++)
		if (p->out->value[i].field == field)
			return expression_refuse(p, at,
						 "%s is given twice; leave one of them "
						 "out",
						 dxmit_field(field)->name);
	if (p->out->values == EXPRESSION_MAX_VALUES)
		return expression_refuse(p, at, "too many fields; use at most %d",
					 EXPRESSION_MAX_VALUES);
	layer->values++;
	p->out->value[p->out->values++] = (struct dxmit_field_value){
		.field = field, .value = number->value, .high = number->high
	};
	return true;
}

static bool read_field(struct expression_parser *p, enum dxmit_field_id field)
{
	const struct dxmit_field *row = dxmit_field(field);
	const struct expression_target target = {
		.field = field,
		.type = row->type,
		.bit = row->bit,
		.bits = row->bits,
		.name = row->name,
	};
	const char *begin = p->at;
	struct expression_number number;

	return expression_value(p, p->out->layers - 1, &target, &number) &&
	       set_field(p, begin, field, &number);
}

/* Hexadecimal digits up to the end of the argument, as bytes of the layer. */
static bool read_hex(struct expression_parser *p, const char *what)
{
	struct expression_layer *layer = expression_last(p);
	size_t digits = strspn(p->at, "0123456789abcdefABCDEF"), i;
	const char *end = p->at + digits;
	struct parse_reason ignored;
	char pair[5] = "0x";

	if (layer->bytes || layer->file)
		return expression_refuse(p, p->at,
					 "the bytes are given twice; leave one of them "
					 "out");
	if (digits == 0 || (*end && !strchr(",/", *end)))
		return expression_refuse(p, end,
					 "%s takes hexadecimal digits; use two for each "
					 "byte",
					 what);
	if (digits % 2)
		return expression_refuse(p, end,
					 "half a byte; use two hexadecimal digits for "
					 "each");
	if (digits / 2 > DXMIT_PACKET_MAX_LENGTH)
		return expression_refuse(p, p->at, "too many bytes; use at most %d",
					 DXMIT_PACKET_MAX_LENGTH);
	layer->bytes = malloc(digits / 2);
	if (!layer->bytes)
		return expression_refuse(p, p->at, "out of memory; free some");
	for (i = 0; i < digits / 2; i++) {
		memcpy(pair + 2, p->at + 2 * i, 2);
		if (!parse_hex_byte(pair, &layer->bytes[i], &ignored))
			return expression_refuse(p, p->at, "no bytes; use hex digits");
	}
	layer->byte_count = (uint32_t)(digits / 2);
	p->at = end;
	return true;
}

/* A file's name has no end of its own: it is the rest. */
static bool read_file_name(struct expression_parser *p)
{
	struct expression_layer *layer = expression_last(p);

	if (layer->bytes || layer->file)
		return expression_refuse(p, p->at,
					 "the bytes are given twice; leave one of them "
					 "out");
	if (*p->at == '\0')
		return expression_refuse(p, p->at,
					 "a file name is missing; use file=NAME at the "
					 "end of the expression");
	layer->file = strdup(p->at);
	if (!layer->file)
		return expression_refuse(p, p->at, "out of memory; free some");
	p->at += strlen(p->at);
	return true;
}

/* byteN= or byteN-M=; p->at is behind "byte". */
static bool read_bytes(struct expression_parser *p)
{
	struct expression_target target = { .type = DXMIT_TYPE_HEX, .name = "bytes" };
	const char *begin = p->at;
	struct expression_number number;
	uint64_t from, to;

	if (!expression_number(p, "byte", MAX_BYTE, &from))
		return false;
	to = from;
	if (*p->at == '-') {
		p->at++;
		if (!expression_number(p, "byte", MAX_BYTE, &to))
			return false;
	}
	if (to < from || to - from >= MAX_BYTES_WIDE)
		return expression_refuse(
			p, begin, "no range of 1 to %d bytes; use byteN or byteN-M",
			MAX_BYTES_WIDE);
	if (*p->at != '=')
		return expression_refuse(p, p->at, "bytes need a value; use byteN=VALUE");
	p->at++;
	target.bit = (uint32_t)from * 8;
	target.bits = (uint32_t)(to - from + 1) * 8;
	return expression_value(p, p->out->layers - 1, &target, &number);
}

static bool is_bytes_key(const struct expression_parser *p)
{
	return strncmp(p->at, "byte", 4) == 0 && parse_is_digit(p->at[4]);
}

/* KEY=VALUE; `length` is that of the key. */
static bool read_key(struct expression_parser *p, size_t length)
{
	enum dxmit_layer_kind kind = expression_last(p)->kind;
	enum dxmit_field_id field = find_field(p, length, kind);
	bool options = has_options(kind) && expression_word_is(p, length, "options");
	bool hex = kind == DXMIT_LAYER_RAW && expression_word_is(p, length, "hex");
	bool file = kind == DXMIT_LAYER_RAW && expression_word_is(p, length, "file");

	if (field == DXMIT_FIELD_NONE && !options && !hex && !file)
		return refuse_key(p, length);
	p->at += length + 1;
	if (file)
		return read_file_name(p);
	if (options || hex)
		return read_hex(p, options ? "options" : "hex");
	return read_field(p, field);
}

/* Is there a ">" in this argument, outside of parentheses? The "/" of a prefix
 * does not end it. */
static bool has_two_ends(const struct expression_parser *p)
{
	unsigned int depth = 0;
	const char *c;

	for (c = p->at; *c; c++) {
		if (*c == '(')
			depth++;
		else if (*c == ')' && depth)
			depth--;
		else if (depth)
			continue;
		else if (*c == '>')
			return true;
		else if (*c == ',' || (*c == '/' && !parse_is_digit(c[1])))
			return false;
	}
	return false;
}

/* [LEFT>]RIGHT */
static bool read_short(struct expression_parser *p)
{
	enum dxmit_layer_kind kind = expression_last(p)->kind;
	struct expression_short s = expression_short(kind);

	if (kind == DXMIT_LAYER_RAW)
		return read_hex(p, "raw");
	if (!has_two_ends(p))
		return read_field(p, s.right);
	if (s.left == DXMIT_FIELD_NONE)
		return expression_refuse(p, p->at, "%s has no two ends; use one value",
					 dxmit_layer_info(kind)->name);
	if (!read_field(p, s.left))
		return false;
	if (*p->at != '>')
		return expression_refuse(p, p->at,
					 "the first value is not followed by >; use "
					 "SOURCE>DESTINATION");
	p->at++;
	return read_field(p, s.right);
}

bool expression_arguments(struct expression_parser *p)
{
	bool first = true;

	do {
		size_t length;
		bool ok;

		p->at++; /* the ":" or "," */
		length = expression_word(p);
		if (is_bytes_key(p)) {
			p->at += 4;
			ok = read_bytes(p);
		} else if (length && p->at[length] == '=') {
			ok = read_key(p, length);
		} else if (first) {
			ok = read_short(p);
		} else {
			return expression_refuse(
				p, p->at,
				"only the first argument of a layer goes "
				"without a key; use KEY=VALUE");
		}
		if (!ok)
			return false;
		first = false;
	} while (*p->at == ',');
	return true;
}
