/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Frame expressions: what they mean in bytes and modifiers, and for each that is
 * none the place, the reason and the legal values.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bytes_fixture.h"
#include "expression.h"

static uint8_t frame[2048];
static struct dxmit_packet_map map;

static struct expression *parsed(const char *text)
{
	struct expression_error error;
	struct expression *e;

	if (!expression_parse(text, &e, &error))
		fail_msg("%s: at %zu: %s", text, error.at, error.text);
	return e;
}

static int built(const struct expression *e, uint32_t length)
{
	static const uint8_t mac[6] = { 2, 0, 0, 0, 0, 0x77 };
	const struct expression_rest rest = { .length = length, .source_mac = mac };
	struct expression_error error;

	return expression_build(e, &rest, frame, sizeof(frame), &map, &error);
}

static void bytes(void **state)
{
	static const struct {
		const char *text;
		size_t at;
		const char *hex;
	} rows[] = {
		{ "eth", 0, "020000000002 020000000077 88b5" },
		{ "eth:0a:0B:0c:0d:0e:0f", 0, "0a0b0c0d0e0f 020000000077" },
		{ "eth:00:00:00:00:00:01>00:00:00:00:00:02,type=0x1234", 0,
		  "000000000002 000000000001 1234" },
		{ "eth/vlan:100,pcp=5/ip4", 12, "8100 a064 0800 45" },
		{ "eth/svlan:7/vlan:0x10/ip6", 12, "88a8 0007 8100 0010 86dd" },
		{ "eth/mpls:100/mpls:200,ttl=9,tc=1/ip4", 12,
		  "8847 00064040 000c8309 45" },
		{ "eth/arp:10.0.0.1>10.0.0.2,op=2", 20,
		  "0002 020000000077 0a000001 000000000000 0a000002" },
		/* Inside a tunnel nobody has the interface's address. */
		{ "eth/ip4/gre/eth/arp", 60, "020000000001" },
		{ "eth/ip4:10.0.0.1>10.0.0.2/udp:1000>2000", 26,
		  "0a000001 0a000002 03e8 07d0" },
		{ "eth/ip4:10.0.0.2/udp:9", 26, "c6120001 0a000002 1234 0009" },
		{ "eth/ip4:tos=0xb8,ttl=1,df=0,id=0xffff,options=01020304/tcp", 14,
		  "46 b8 .... ffff 0000 01 06 .... ........ ........ 01020304" },
		{ "eth/ip6:2001:db8::1>fe80::dec0:1,flow=0xfffff,hops=2/icmp6:7,seq=8",
		  14,
		  "600fffff .... 3a 02 20010db8000000000000000000000001"
		  "fe8000000000000000000000dec00001 8000 .... 0007 0008" },
		{ "eth/ip4/tcp:80,flags=syn+ack,seq=4294967295,options=020405b4", 36,
		  "0050 ffffffff 00000000 60 12 ffff" },
		{ "eth/ip4/tcp:flags=none", 46, "50 00" },
		{ "eth/ip4/tcp:flags=0xff", 46, "50 ff" },
		{ "eth/ip4/icmp:3,type=0,seq=1", 34, "00 00 .... 0003 0001" },
		{ "eth/ip4/gre:0xcafebabe/ip6", 34, "2000 86dd cafebabe 60" },
		{ "eth/ip4/udp/vxlan:0xabcdef/eth/ip4", 34,
		  "1234 12b5 .... 0000 08000000 abcdef00 020000000002" },
		{ "eth/ip4/udp/raw:deadBEEF", 42, "deadbeef 00" },
		{ "eth/raw:hex=0102", 12, "88b5 0102" },
		/* The first value of what changes is in the template. */
		{ "eth/ip4:inc(10.0.0.5..10.0.0.9)>10.1.0.0/16/udp:list(7|8)>rand", 26,
		  "0a000005 0a010000 0007 0009" },
		{ "eth/ip4/udp:checksum=0,length=7", 38, "0007 0000" },
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct expression *e = parsed(rows[i].text);

		assert_true(built(e, 0) >= 60);
		frame_bytes_are(rows[i].text, frame, rows[i].at, rows[i].hex);
		expression_free(e);
	}
}

static void padding(void **state)
{
	struct expression *e = parsed("eth/ip4/tcp/pad");

	(void)state;
	assert_int_equal(built(e, 100), 100);
	frame_bytes_are("pad", frame, 16, "0028");
	assert_int_equal(map.payload_bytes, 0);
	expression_free(e);
	e = parsed("eth/ip4/tcp");
	assert_int_equal(built(e, 100), 100);
	frame_bytes_are("no pad", frame, 16, "0056");
	assert_int_equal(built(e, 53), -EMSGSIZE);
	expression_free(e);
}

/* A modifier and the figures it must have. */
/* One modifier each, of the third layer. */
static const struct {
	const char *text;
	struct expression_modifier m;
} modifier_rows[] = {
	{ "udp:1000-2000",
	  { .field = DXMIT_FIELD_UDP_DESTINATION,
	    .change = EXPRESSION_RANGE,
	    .bit = 16,
	    .bits = 16,
	    .first = 1000,
	    .last = 2000 } },
	{ "udp:src=dec(9..1,step=2,hold=3,queue=4,nested)@255",
	  { .field = DXMIT_FIELD_UDP_SOURCE,
	    .change = EXPRESSION_RANGE,
	    .bits = 16,
	    .first = 9,
	    .last = 1,
	    .step = 2,
	    .hold = 3,
	    .queue_step = 4,
	    .nested = true,
	    .link = 255 } },
	{ "udp:rand(5..6,seed=7,period=100,each_queue)",
	  { .field = DXMIT_FIELD_UDP_DESTINATION,
	    .change = EXPRESSION_RANDOM,
	    .bit = 16,
	    .bits = 16,
	    .first = 5,
	    .last = 6,
	    .seed = 7,
	    .period = 100,
	    .each_queue = true } },
	{ "udp:rand",
	  { .field = DXMIT_FIELD_UDP_DESTINATION,
	    .change = EXPRESSION_RANDOM,
	    .bit = 16,
	    .bits = 16 } },
	{ "udp:inc(step=3)",
	  { .field = DXMIT_FIELD_UDP_DESTINATION,
	    .change = EXPRESSION_INCREMENT,
	    .bit = 16,
	    .bits = 16,
	    .first = 9,
	    .step = 3 } },
	{ "udp:dec()",
	  { .field = DXMIT_FIELD_UDP_DESTINATION,
	    .change = EXPRESSION_DECREMENT,
	    .bit = 16,
	    .bits = 16,
	    .first = 9 } },
	{ "udp:list(3|0x2|1,hold=2)@1",
	  { .field = DXMIT_FIELD_UDP_DESTINATION,
	    .change = EXPRESSION_LIST,
	    .bit = 16,
	    .bits = 16,
	    .list_values = 3,
	    .hold = 2,
	    .link = 1 } },
	{ "udp:byte8-11=inc(0..9)",
	  { .change = EXPRESSION_RANGE, .bit = 64, .bits = 32, .last = 9 } },
	{ "udp:byte9=0x5a",
	  { .change = EXPRESSION_LIST, .bit = 72, .bits = 8, .list_values = 1 } },
};

static void modifiers(void **state)
{
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(modifier_rows) / sizeof(modifier_rows[0]); i++) {
		char text[128];
		struct expression *e;
		struct expression_modifier m;

		snprintf(text, sizeof(text), "eth/ip4/%s", modifier_rows[i].text);
		e = parsed(text);
		assert_int_equal(e->modifiers, 1);
		m = e->modifier[0];
		assert_int_equal(m.layer, 2);
		assert_true(m.at > 8);
		m.at = 0;
		m.layer = 0;
		if (memcmp(&m, &modifier_rows[i].m, sizeof(m)))
			fail_msg("%s: another modifier", text);
		expression_free(e);
	}
}

static void addresses_change(void **state)
{
	struct expression *e =
		parsed("eth/ip4:10.0.0.0/8@1>10.0.0.1-10.0.0.9@1/udp/vxlan/eth/"
		       "ip6:2001:2::/64>list(::1|::5)/tcp:flags=list(syn|ack+fin)");
	struct expression_error error;
	uint32_t bit = 0;

	(void)state;
	assert_int_equal(e->modifiers, 5);
	assert_int_equal(e->modifier[0].first, 0x0a000000);
	assert_int_equal(e->modifier[0].last, 0x0affffff);
	assert_int_equal(e->modifier[0].link, 1);
	assert_int_equal(e->modifier[1].first, 0x0a000001);
	assert_int_equal(e->modifier[1].last, 0x0a000009);
	assert_int_equal(e->modifier[1].link, 1);
	/* The lower half of an IPv6 address. */
	assert_int_equal(e->modifier[2].bit, 64 + 64);
	assert_int_equal(e->modifier[2].bits, 64);
	assert_int_equal(e->modifier[2].first, 0);
	assert_true(e->modifier[2].last == UINT64_MAX);
	assert_int_equal(e->listed[e->modifier[3].list_from + 1], 5);
	assert_int_equal(e->listed[e->modifier[4].list_from], 2);
	assert_int_equal(e->listed[e->modifier[4].list_from + 1], 0x11);
	assert_int_equal(built(e, 0), 50 + 14 + 40 + 20);
	assert_int_equal(expression_modifier_bit(&e->modifier[3], &map, &bit, &error), 0);
	assert_int_equal(bit, 8 * (64 + 24 + 8));
	expression_free(e);
	e = parsed("eth/ip4/udp:byte18-25=rand");
	assert_int_equal(built(e, 60), 60);
	assert_int_equal(expression_modifier_bit(&e->modifier[0], &map, &bit, &error), 0);
	assert_int_equal(built(e, 59), 59);
	assert_int_equal(expression_modifier_bit(&e->modifier[0], &map, &bit, &error),
			 -EMSGSIZE);
	assert_int_equal(error.at, strlen("eth/ip4/udp:byte18-25=") + 1);
	expression_free(e);
}

/* The place, from 1, and words of the reason. */
static const struct {
	const char *text;
	size_t at;
	const char *words;
} error_rows[] = {
	{ "", 1, "a layer is missing; use eth, vlan" },
	{ "pad", 1, "'pad' is no layer" },
	{ "ether/ip4", 1, "'ether' is no layer; use eth, " },
	{ "eth/", 5, "a layer is missing" },
	{ "eth//ip4", 5, "a layer is missing" },
	{ "eth ip4", 4, "unexpected after eth; use / and a layer" },
	{ "ip4/udp", 1, "the first layer is IPv4; begin with Ethernet" },
	{ "eth/udp", 5, "UDP (layer 2) cannot follow Ethernet; put it on IPv4" },
	{ "eth/ip4/udp/vxlan", 13, "cannot be the last; add Ethernet" },
	{ "eth/vlan/vlan/vlan/ip4", 15, "third VLAN tag" },
	{ "eth/pad/ip4", 8, "nothing can follow pad" },
	{ "eth/vlan:4096", 10, "too large for id; use 0 to 4095" },
	{ "eth/vlan:", 10, "id needs a number; use 0 to 4095" },
	{ "eth/vlan:1>2", 10, "vlan has no two ends" },
	{ "eth/vlan:1,2", 12, "only the first argument" },
	{ "eth/vlan:99999999999999999999", 10, "too large" },
	{ "eth/ip4:ttl=256", 13, "too large for ttl; use 0 to 255" },
	{ "eth/ip4:ttl=-1", 13, "ttl needs a number" },
	{ "eth/ip4:ttl=1x", 14, "ttl does not end here" },
	{ "eth/ip4:ttl=1,ttl=2", 19, "ttl is given twice" },
	{ "eth/ip4:tl=1", 9, "'tl' is no key of ip4; use version, ihl, tos" },
	{ "eth/ip4:10.0.0", 9, "dst needs an IPv4 address" },
	{ "eth/ip4:10.0.0.256", 9, "dst needs an IPv4 address" },
	{ "eth/ip4:10.0.0.1>", 18, "dst needs an IPv4 address" },
	{ "eth/ip4:10.0.0.1/16", 18, "bits behind its prefix" },
	{ "eth/ip4:10.0.0.0/33", 18, "too large for a prefix; use 0 to 32" },
	{ "eth/ip6:2001::/63", 16, "use /64 to /128" },
	{ "eth/ip6:::1-1::1", 12, "differ in their upper 64 bits" },
	{ "eth/ip6:list(::1|1::1)", 18, "differ in their upper 64 bits" },
	{ "eth/ip6:10.0.0.1", 9, "dst needs an IPv6 address" },
	{ "eth:02:00:00:00:00", 5, "dst needs a MAC address" },
	{ "eth/ip4/tcp:flags=sin", 19, "not a TCP flag; use fin, syn" },
	{ "eth/ip4/tcp:flags=syn+", 23, "not a TCP flag" },
	{ "eth/ip4/udp:9@1", 14, "only what changes can be linked" },
	{ "eth/ip4/udp:1-2@0", 16, "0 is no link; use @1 to @255" },
	{ "eth/ip4/udp:2-1", 14, "runs the wrong way; use LOW-HIGH" },
	{ "eth/ip4/udp:inc(2..1)", 17, "runs the wrong way; use (LOW..HIGH)" },
	{ "eth/ip4/udp:dec(1..2)", 17, "use dec(HIGH..LOW)" },
	{ "eth/ip4/udp:inc(1)", 18, "a range needs its end; use A..B" },
	{ "eth/ip4/udp:inc(1..2", 21, "not closed" },
	{ "eth/ip4/udp:inc(1..2,step=0)", 22, "step cannot be 0" },
	{ "eth/ip4/udp:inc(1..2,seed=1)", 22, "seed has no effect here" },
	{ "eth/ip4/udp:inc(1..2,stop=1)", 22, "no such setting; use step" },
	{ "eth/ip4/udp:inc(1..2,step)", 22, "step needs a value" },
	{ "eth/ip4/udp:list", 17, "a list needs values; use list(A|B|C)" },
	{ "eth/ip4/udp:list(1|2,step=1)", 22, "no effect in a list" },
	{ "eth/ip4/udp:list()", 18, "dst needs a number" },
	{ "eth/ip4/udp:increase(1)", 13, "dst needs a number" },
	{ "eth/ip4/udp:byte0-8=0", 17, "1 to 8 bytes" },
	{ "eth/ip4/udp:byte9", 18, "bytes need a value" },
	{ "eth/ip4/udp:byte9=256", 19, "too large for bytes; use 0 to 255" },
	{ "eth/ip4:options=0", 18, "half a byte" },
	{ "eth/ip4:options=xx", 17, "takes hexadecimal digits" },
	{ "eth/ip4:options=00,options=00", 28, "given twice" },
	{ "eth/ip4:options="
	  "0000000000000000000000000000000000000000"
	  "000000000000000000000000000000000000000000",
	  5, "41 bytes of options; use at most 40" },
	{ "eth/raw:file=", 14, "a file name is missing" },
	{ "eth/raw:00/udp", 12, "UDP (layer 3) cannot follow raw bytes" },
	{ "eth/\x1b[31m", 5, "a layer is missing" },
};

static void errors(void **state)
{
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(error_rows) / sizeof(error_rows[0]); i++) {
		struct expression_error error;
		struct expression *e;

		if (expression_parse(error_rows[i].text, &e, &error))
			fail_msg("%s: is accepted", error_rows[i].text);
		assert_null(e);
		if (error.at != error_rows[i].at ||
		    !strstr(error.text, error_rows[i].words))
			fail_msg("%s: at %zu: %s", error_rows[i].text, error.at,
				 error.text);
		assert_non_null(strstr(error.text, "; "));
	}
}

static void limits(void **state)
{
	struct expression_error error;
	struct expression *e;
	char text[8192];
	size_t at, i;

	(void)state;
	at = (size_t)snprintf(text, sizeof(text), "eth");
	for (i = 0; i < 15; i++)
		at += (size_t)snprintf(text + at, sizeof(text) - at, "/ip4");
	expression_free(parsed(text));
	snprintf(text + at, sizeof(text) - at, "/ip4");
	assert_false(expression_parse(text, &e, &error));
	assert_non_null(strstr(error.text, "too many layers; use at most 16"));
	at = (size_t)snprintf(text, sizeof(text), "eth/ip4/udp:byte0=1");
	for (i = 1; i < 64; i++)
		at += (size_t)snprintf(text + at, sizeof(text) - at, ",byte0=1");
	expression_free(parsed(text));
	snprintf(text + at, sizeof(text) - at, ",byte0=1");
	assert_false(expression_parse(text, &e, &error));
	assert_non_null(strstr(error.text, "too many modifiers; use at most 64"));
}

static void files(void **state)
{
	char name[] = "/tmp/dxmit-expression-XXXXXX", text[64];
	int fd = mkstemp(name);
	struct expression_error error;
	struct expression *e;

	(void)state;
	assert_true(fd >= 0);
	assert_int_equal(write(fd, "a,b/c", 5), 5);
	close(fd);
	snprintf(text, sizeof(text), "eth/ip4/udp/raw:file=%s", name);
	e = parsed(text);
	assert_true(expression_load(e, &error));
	assert_int_equal(built(e, 0), 60);
	frame_bytes_are(text, frame, 42, "612c622f63 00");
	expression_free(e);
	e = parsed(text);
	unlink(name);
	assert_false(expression_load(e, &error));
	assert_non_null(strstr(error.text, "cannot be read: No such file"));
	expression_free(e);
	e = parsed("eth/raw:file=/dev/null");
	assert_false(expression_load(e, &error));
	assert_non_null(strstr(error.text, "is empty; use a file of 1 to"));
	expression_free(e);
	e = parsed("eth/raw:file=/dev/zero");
	assert_false(expression_load(e, &error));
	assert_non_null(strstr(error.text, "is too long"));
	expression_free(e);
}

/* The help names every key the parser takes. */
static void help_is_complete(void **state)
{
	char *text = NULL;
	size_t length = 0;
	FILE *out = open_memstream(&text, &length);
	int id, kind;

	(void)state;
	expression_help(out);
	fclose(out);
	for (kind = 1; kind < DXMIT_LAYER_KINDS; kind++)
		assert_non_null(strstr(
			text, dxmit_layer_info((enum dxmit_layer_kind)kind)->title));
	for (id = 1; id < DXMIT_FIELDS; id++)
		assert_non_null(strstr(text, dxmit_field((enum dxmit_field_id)id)->help));
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(bytes),     cmocka_unit_test(padding),
		cmocka_unit_test(modifiers), cmocka_unit_test(addresses_change),
		cmocka_unit_test(errors),    cmocka_unit_test(limits),
		cmocka_unit_test(files),     cmocka_unit_test(help_is_complete),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
