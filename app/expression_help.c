/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The syntax of frame expressions and a row for every layer and field, made from
 * the tables that the parser and the builder use.
 */
#include <arpa/inet.h>
#include <endian.h>
#include <inttypes.h>
#include <string.h>

#include "expression.h"

static const char syntax[] =
	"A frame expression is a packet in one line: its layers from the outside in,\n"
	"joined by /. After : come a layer's fields, joined by commas: the short form\n"
	"first, if wanted, then KEY=VALUE. What is not said has a default; lengths, next\n"
	"protocols and checksums are right by themselves, and wrong only if they are set.\n"
	"Quote the expression, for > ( ) and | mean something to the shell.\n"
	"\n"
	"  --frame 'eth/vlan:100/ip4:10.0.0.1>10.0.0.2/udp:1000>2000-2999'\n"
	"  --frame 'eth/ip4:src=rand(10.0.0.0..10.0.255.255,seed=7)/tcp:80,flags=syn/pad'\n"
	"  --frame 'eth/ip6/udp/vxlan:42/eth/ip4:10.0.0.0/24@1/udp:inc(1..256)@1'\n"
	"\n"
	"Values:\n"
	"  V                        a number (decimal, or hexadecimal after 0x), address,\n"
	"                           or TCP flags as syn+ack\n"
	"  A-B                      changes from packet to packet: A to B, then again\n"
	"  ADDRESS/BITS             all addresses of the prefix, in order\n"
	"  inc(A..B)  dec(B..A)     upwards, downwards, then again\n"
	"  rand(A..B)               at random, the same in every run\n"
	"  list(A|B|C)              one after the other, then again\n"
	"  inc  dec  rand           the whole range of the field\n"
	"  ...@N                    goes together with every other @N, N from 1 to 255\n"
	"Settings in the parentheses, after a comma:\n"
	"  step=N  hold=N           of the steps; packets that each value stays\n"
	"  seed=N  period=N         of rand: another order; again after N packets\n"
	"  queue=N                  add N for each queue number\n"
	"  nested                   advance when the change before has gone through\n"
	"  each_queue               every queue counts for itself\n"
	"Every layer also takes byteN=VALUE and byteN-M=VALUE, up to 8 bytes counted from\n"
	"its first one. The payload fills the rest of the frame and is --payload's;\n"
	"/pad at the end makes the rest padding of the frame instead.\n";

static void print_address(int family, const struct dxmit_field *field, FILE *out)
{
	uint64_t half[2] = { htobe64(field->fallback_high), htobe64(field->fallback) };
	uint32_t word = htonl((uint32_t)field->fallback);
	char text[INET6_ADDRSTRLEN];

	if (inet_ntop(family, family == AF_INET ? (void *)&word : (void *)half, text,
		      sizeof(text)))
		fputs(text, out);
}

static void print_mac(uint64_t mac, FILE *out)
{
	int shift;

	for (shift = 40; shift >= 0; shift -= 8)
		fprintf(out, "%02x%s", (unsigned int)(mac >> shift & 0xff),
			shift ? ":" : "");
}

static void print_fallback(enum dxmit_field_id id, FILE *out)
{
	const struct dxmit_field *field = dxmit_field(id);

	if (id == DXMIT_FIELD_ETHERNET_SOURCE || id == DXMIT_FIELD_ARP_SENDER_MAC)
		fputs("the interface's", out);
	else if (field->role == DXMIT_ROLE_OPTIONAL)
		fputs("absent", out);
	else if (field->role != DXMIT_ROLE_PLAIN)
		fputs("automatic", out);
	else if (field->type == DXMIT_TYPE_MAC)
		print_mac(field->fallback, out);
	else if (field->type == DXMIT_TYPE_IPV4)
		print_address(AF_INET, field, out);
	else if (field->type == DXMIT_TYPE_IPV6)
		print_address(AF_INET6, field, out);
	else if (field->type == DXMIT_TYPE_TCP_FLAGS)
		fputs("ack", out);
	else
		fprintf(out, field->type == DXMIT_TYPE_HEX ? "0x%" PRIx64 : "%" PRIu64,
			field->fallback);
}

static void print_short(enum dxmit_layer_kind kind, FILE *out)
{
	struct expression_short s = expression_short(kind);

	if (kind == DXMIT_LAYER_RAW)
		fputs(":HEX", out);
	if (s.right == DXMIT_FIELD_NONE)
		return;
	if (s.left != DXMIT_FIELD_NONE)
		fprintf(out, ":[%s>]%s", dxmit_field(s.left)->name,
			dxmit_field(s.right)->name);
	else
		fprintf(out, ":%s", dxmit_field(s.right)->name);
}

static void print_layer(enum dxmit_layer_kind kind, FILE *out)
{
	const struct dxmit_layer_info *info = dxmit_layer_info(kind);
	int id;

	fprintf(out, "\n  %s", info->name);
	print_short(kind, out);
	fprintf(out, "   %s (%s)\n", info->title, info->reference);
	for (id = 1; id < DXMIT_FIELDS; id++) {
		const struct dxmit_field *field = dxmit_field((enum dxmit_field_id)id);

		if (field->layer != kind)
			continue;
		fprintf(out, "    %-12s %3u bit%s  %s; default ", field->name,
			field->bits, field->bits == 1 ? " " : "s", field->help);
		print_fallback((enum dxmit_field_id)id, out);
		putc('\n', out);
	}
	if (kind == DXMIT_LAYER_IPV4 || kind == DXMIT_LAYER_TCP)
		fputs("    options                hexadecimal digits, at most 40 bytes; "
		      "default none\n",
		      out);
	if (kind == DXMIT_LAYER_RAW)
		fputs("    hex                    hexadecimal digits\n"
		      "    file                   a file's content; its name is the rest of "
		      "the expression\n",
		      out);
}

void expression_help(FILE *out)
{
	int kind;

	fputs(syntax, out);
	fputs("\nLayers and their keys:\n", out);
	for (kind = 1; kind < DXMIT_LAYER_KINDS; kind++)
		print_layer((enum dxmit_layer_kind)kind, out);
}
