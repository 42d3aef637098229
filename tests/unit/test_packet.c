/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The bytes of packets made of layers, against headers written down by hand from
 * the standards; and the table of fields they come from.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "bytes_fixture.h"
#include "packet_fixture.h"

#define L(kind_, ...)                                    \
	{                                                \
		.kind = DXMIT_LAYER_##kind_, __VA_ARGS__ \
	}
#define SET(...)                                                              \
	.field = (const struct dxmit_field_value[]){ __VA_ARGS__ },           \
	.fields = sizeof((const struct dxmit_field_value[]){ __VA_ARGS__ }) / \
		  sizeof(struct dxmit_field_value)
#define F(id, value_)                                      \
	{                                                  \
		.field = DXMIT_FIELD_##id, .value = value_ \
	}

static uint8_t frame[TEST_FRAME_ROOM];
static struct dxmit_packet_map map;

static int build_payload(const struct dxmit_layer *layer, size_t layers, uint32_t length,
			 enum dxmit_payload payload)
{
	const struct dxmit_packet_spec spec = {
		.size = sizeof(spec),
		.layer = layer,
		.layers = (uint32_t)layers,
		.length = length,
		.payload = payload,
		.payload_byte = 0x5a,
	};

	memset(frame, 0xee, sizeof(frame));
	map = (struct dxmit_packet_map){ .size = sizeof(map) };
	return dxmit_packet_build(&spec, frame, sizeof(frame), &map, NULL);
}

#define BUILD(length, ...)                                                  \
	build_payload((const struct dxmit_layer[]){ __VA_ARGS__ },          \
		      sizeof((const struct dxmit_layer[]){ __VA_ARGS__ }) / \
			      sizeof(struct dxmit_layer),                   \
		      length, DXMIT_PAYLOAD_ZERO)

static void bytes_are(size_t at, const char *hex)
{
	frame_bytes_are("packet", frame, at, hex);
}

/* ---- the table ---- */

/* These show the same bits at two widths. */
static bool is_part_of_another(enum dxmit_field_id id)
{
	return id == DXMIT_FIELD_IPV4_DSCP || id == DXMIT_FIELD_IPV4_ECN ||
	       id == DXMIT_FIELD_IPV6_DSCP || id == DXMIT_FIELD_IPV6_ECN;
}

static void fields_fill_their_headers(void **state)
{
	int kind, id;

	(void)state;
	assert_null(dxmit_field(DXMIT_FIELD_NONE));
	assert_null(dxmit_field(DXMIT_FIELDS));
	assert_null(dxmit_layer_info(DXMIT_LAYER_NONE));
	assert_null(dxmit_layer_info(DXMIT_LAYER_KINDS));
	for (kind = 1; kind < DXMIT_LAYER_KINDS; kind++) {
		const struct dxmit_layer_info *info =
			dxmit_layer_info((enum dxmit_layer_kind)kind);
		uint8_t taken[512] = { 0 };
		uint32_t bits = 0, i;

		for (id = 1; id < DXMIT_FIELDS; id++) {
			const struct dxmit_field *f =
				dxmit_field((enum dxmit_field_id)id);

			if ((int)f->layer != kind ||
			    is_part_of_another((enum dxmit_field_id)id) ||
			    f->role == DXMIT_ROLE_OPTIONAL)
				continue;
			for (i = f->bit; i < f->bit + (uint32_t)f->bits; i++)
				assert_int_equal(taken[i]++, 0);
			bits += f->bits;
			assert_true(f->bit + f->bits <= 8 * info->header_bytes);
		}
		/* What is left over is reserved in these two. */
		if (kind == DXMIT_LAYER_GRE)
			bits += 2 + 10;
		if (kind == DXMIT_LAYER_VXLAN)
			bits += 24 + 8;
		assert_int_equal(bits, 8 * info->header_bytes);
	}
}

static void rows_are_sound(void **state)
{
	int id, other;

	(void)state;
	for (id = 1; id < DXMIT_FIELDS; id++) {
		const struct dxmit_field *f = dxmit_field((enum dxmit_field_id)id);

		assert_non_null(f);
		assert_true((f->bits >= 1 && f->bits <= 64) || f->bits == 128);
		assert_true(f->fallback <= dxmit_packet_field_max(f));
		assert_true(f->bits == 128 || f->fallback_high == 0);
		assert_true(f->help && f->help[0]);
		for (other = 1; other < id; other++) {
			const struct dxmit_field *g =
				dxmit_field((enum dxmit_field_id)other);

			if (g->layer == f->layer)
				assert_string_not_equal(g->name, f->name);
		}
	}
}

/* ---- layers ---- */

static void ethernet(void **state)
{
	(void)state;
	assert_int_equal(BUILD(60, L(ETHERNET)), 60);
	bytes_are(0, "020000000002 020000000001 88b5 0000");
	assert_int_equal(map.layers, 1);
	assert_int_equal(map.payload_at, 14);
	assert_int_equal(map.payload_bytes, 46);
	assert_int_equal(map.checksums, 0);
	assert_int_equal(frame[60], 0xee);
	assert_int_equal(BUILD(14, L(ETHERNET, SET(F(ETHERNET_TYPE, 0x9000),
						   F(ETHERNET_SOURCE, 0xaabbccddeeff)))),
			 14);
	bytes_are(0, "020000000002 aabbccddeeff 9000 ee");
}

static void tags(void **state)
{
	(void)state;
	BUILD(60, L(ETHERNET), L(VLAN, SET(F(VLAN_ID, 100), F(VLAN_PRIORITY, 5))),
	      L(IPV4));
	bytes_are(12, "8100 a064 0800 45");
	BUILD(62, L(ETHERNET), L(SVLAN, SET(F(SVLAN_ID, 4095))),
	      L(VLAN, SET(F(VLAN_DROP_ELIGIBLE, 1), F(VLAN_ID, 2))), L(IPV6));
	bytes_are(12, "88a8 0fff 8100 1002 86dd 60");
	BUILD(60, L(ETHERNET), L(VLAN), L(VLAN), L(ARP));
	bytes_are(12, "8100 0001 8100 0001 0806 0001");
	BUILD(60, L(ETHERNET), L(VLAN));
	bytes_are(12, "8100 0001 88b5 00");
}

static void mpls(void **state)
{
	(void)state;
	BUILD(80, L(ETHERNET),
	      L(MPLS, SET(F(MPLS_LABEL, 0xfffff), F(MPLS_CLASS, 5), F(MPLS_TTL, 7))),
	      L(MPLS), L(IPV4), L(UDP));
	bytes_are(12, "8847 fffffa07 00010140 45");
	assert_int_equal(map.layer[3].offset, 22);
	/* A wrong bottom bit only when it is asked for. */
	BUILD(80, L(ETHERNET), L(MPLS, SET(F(MPLS_BOTTOM, 0))), L(IPV6));
	bytes_are(14, "00010040 60");
}

static void arp(void **state)
{
	(void)state;
	BUILD(0, L(ETHERNET, SET(F(ETHERNET_DESTINATION, 0xffffffffffff))), L(ARP));
	assert_int_equal(map.length, 60);
	bytes_are(0, "ffffffffffff 020000000001 0806 0001 0800 06 04 0001 "
		     "020000000001 c6120001 000000000000 c6120002 00");
	assert_int_equal(map.checksums, 0);
}

/* RFC 791, section 3.1. */
static void ipv4(void **state)
{
	static const uint8_t router_alert[] = { 0x94, 4, 0, 0 }; /* RFC 2113 */

	(void)state;
	BUILD(60, L(ETHERNET), L(IPV4));
	bytes_are(14, "45 00 002e 0000 4000 40 fd .... c6120001 c6120002 00");
	BUILD(100, L(ETHERNET),
	      L(IPV4, .bytes = router_alert, .byte_count = 4,
		SET(F(IPV4_DSCP, 46), F(IPV4_ECN, 2), F(IPV4_ID, 0x1234),
		    F(IPV4_DONT_FRAGMENT, 0), F(IPV4_MORE_FRAGMENTS, 1),
		    F(IPV4_FRAGMENT_OFFSET, 0x1fff), F(IPV4_TTL, 1),
		    F(IPV4_SOURCE, 0x0a000001), F(IPV4_DESTINATION, 0x0a000002))),
	      L(TCP));
	bytes_are(14, "46 ba 0056 1234 3fff 01 06 .... 0a000001 0a000002 94040000");
	assert_int_equal(map.layer[2].offset, 38);
	/* Padded to whole words. */
	BUILD(100, L(ETHERNET), L(IPV4, .bytes = "\x01", .byte_count = 1), L(UDP));
	bytes_are(14, "46");
	bytes_are(34, "01000000");
	BUILD(100, L(ETHERNET), L(IPV4, SET(F(IPV4_TOS, 0xb9))), L(UDP));
	bytes_are(14, "45 b9");
}

/* RFC 8200, section 3. */
static void ipv6(void **state)
{
	(void)state;
	BUILD(62, L(ETHERNET),
	      L(IPV6, SET(F(IPV6_DSCP, 46), F(IPV6_ECN, 1), F(IPV6_FLOW_LABEL, 0xabcde),
			  F(IPV6_HOP_LIMIT, 3),
			  { DXMIT_FIELD_IPV6_DESTINATION, 0x1122334455667788,
			    0xfe80000000000001 })),
	      L(UDP));
	bytes_are(14, "6b9abcde 0008 11 03 20010002000000000000000000000001"
		      "fe800000000000011122334455667788 1234 0009 0008");
	BUILD(62, L(ETHERNET), L(IPV6, SET(F(IPV6_CLASS, 0xff))));
	bytes_are(14, "6ff00000 0008 fd 40");
}

static void udp_and_tcp(void **state)
{
	static const uint8_t mss[] = { 2, 4, 0x05, 0xb4 }; /* RFC 9293, 3.7.1 */

	(void)state;
	BUILD(61, L(ETHERNET), L(IPV4),
	      L(UDP, SET(F(UDP_SOURCE, 1), F(UDP_DESTINATION, 65535))));
	bytes_are(34, "0001 ffff 001b");
	BUILD(0, L(ETHERNET), L(IPV4),
	      L(TCP, .bytes = mss, .byte_count = 4,
		SET(F(TCP_SEQUENCE, 0xdeadbeef), F(TCP_ACKNOWLEDGMENT, 7),
		    F(TCP_FLAGS, 0x02), F(TCP_WINDOW, 512), F(TCP_URGENT, 3))));
	bytes_are(34, "1234 0009 deadbeef 00000007 60 02 0200 .... 0003 020405b4");
	assert_int_equal(map.length, 60);
	BUILD(60, L(ETHERNET), L(IPV4), L(TCP));
	bytes_are(46, "50 10 ffff");
}

static void echo(void **state)
{
	(void)state;
	BUILD(60, L(ETHERNET), L(IPV4),
	      L(ICMP, SET(F(ICMP_ID, 0x1234), F(ICMP_SEQUENCE, 2))));
	bytes_are(23, "01");
	bytes_are(34, "08 00 .... 1234 0002");
	BUILD(70, L(ETHERNET), L(IPV6), L(ICMPV6, SET(F(ICMPV6_TYPE, 129))));
	bytes_are(20, "3a");
	bytes_are(54, "81 00 .... 0001 0000");
}

static void gre(void **state)
{
	(void)state;
	BUILD(100, L(ETHERNET), L(IPV4), L(GRE), L(IPV6), L(UDP));
	bytes_are(23, "2f");
	bytes_are(34, "0000 86dd 60");
	BUILD(100, L(ETHERNET), L(IPV6), L(GRE, SET(F(GRE_KEY, 0xcafebabe))), L(ETHERNET),
	      L(IPV4));
	bytes_are(20, "2f");
	bytes_are(54, "2000 6558 cafebabe 020000000002");
	assert_int_equal(map.layer[3].offset, 62);
	BUILD(100, L(ETHERNET), L(IPV4), L(GRE), L(MPLS), L(IPV4));
	bytes_are(34, "0000 8847 00010140 45");
}

static void vxlan(void **state)
{
	(void)state;
	BUILD(110, L(ETHERNET), L(IPV4), L(UDP), L(VXLAN, SET(F(VXLAN_VNI, 0x123456))),
	      L(ETHERNET), L(IPV4), L(UDP));
	bytes_are(34, "1234 12b5 004c 0000 08000000 12345600 020000000002");
	/* Two of IPv4 and the inner UDP's: none outside. */
	assert_int_equal(map.checksums, 3);
	assert_int_equal(map.checksum[0].at, 50 + 14 + 20 + 6);
	assert_int_equal(map.checksum[1].at, 50 + 14 + 10);
	assert_int_equal(map.checksum[2].at, 14 + 10);
	BUILD(130, L(ETHERNET), L(IPV6), L(UDP), L(VXLAN), L(ETHERNET), L(IPV4), L(UDP));
	assert_int_equal(map.checksums, 3);
	assert_int_equal(map.checksum[2].at, 14 + 40 + 6);
	assert_int_not_equal(big16(frame + 60), 0);
}

static void ip_in_ip(void **state)
{
	(void)state;
	BUILD(100, L(ETHERNET), L(IPV4), L(IPV4), L(UDP));
	bytes_are(23, "04");
	BUILD(100, L(ETHERNET), L(IPV4), L(IPV6), L(UDP));
	bytes_are(23, "29");
}

/* ---- payload ---- */

static void payload_fills_the_rest(void **state)
{
	const struct dxmit_layer stack[] = { L(ETHERNET), L(IPV4), L(UDP),
					     L(RAW, .bytes = "abc", .byte_count = 3) };

	(void)state;
	build_payload(stack, 4, 61, DXMIT_PAYLOAD_COUNT);
	bytes_are(38, "001b");
	bytes_are(42, "616263 00 01 02");
	assert_int_equal(map.payload_at, 45);
	assert_int_equal(map.payload_bytes, 16);
	assert_int_equal(frame[60], 15);
	build_payload(stack, 3, 61, DXMIT_PAYLOAD_BYTE);
	bytes_are(42, "5a5a5a");
	assert_int_equal(frame[60], 0x5a);
	assert_int_equal(frame[61], 0xee);
	/* None: what the layers do not need is padding. */
	build_payload(stack, 4, 61, DXMIT_PAYLOAD_NONE);
	bytes_are(16, "001f");
	bytes_are(38, "000b");
	bytes_are(42, "616263 0000");
	assert_int_equal(frame[60], 0);
	assert_int_equal(map.payload_bytes, 0);
	assert_int_equal(map.checksum[0].to, 45);
	build_payload(stack, 4, 45, DXMIT_PAYLOAD_NONE);
	assert_int_equal(frame[45], 0xee);
}

/* ---- the other builder ---- */

static void equals_the_plain_builder(void **state)
{
	static uint8_t plain[9000];
	const struct dxmit_layer stack[] = { L(ETHERNET), L(IPV4), L(UDP) };
	struct dxmit_udp_spec spec = {
		.size = sizeof(spec),
		.destination_mac = { 2, 0, 0, 0, 0, 2 },
		.source_mac = { 2, 0, 0, 0, 0, 1 },
		.source_ip = 0xc6120001,
		.destination_ip = 0xc6120002,
		.source_port = 4660,
		.destination_port = 9,
		.payload = DXMIT_PAYLOAD_COUNT,
	};

	(void)state;
	for (spec.length = 60; spec.length <= sizeof(plain); spec.length++) {
		assert_int_equal(dxmit_udp_build(&spec, plain, sizeof(plain)),
				 spec.length);
		assert_int_equal(
			build_payload(stack, 3, spec.length, DXMIT_PAYLOAD_COUNT),
			spec.length);
		assert_memory_equal(frame, plain, spec.length);
	}
}

static void fields_are_found(void **state)
{
	uint32_t bit = 0;

	(void)state;
	BUILD(100, L(ETHERNET), L(VLAN), L(IPV4), L(GRE), L(IPV4), L(UDP));
	assert_int_equal(dxmit_packet_field(&map, 2, DXMIT_FIELD_IPV4_SOURCE, &bit), 0);
	assert_int_equal(bit, 8 * (18 + 12));
	assert_int_equal(dxmit_packet_field(&map, 1, DXMIT_FIELD_VLAN_ID, &bit), 0);
	assert_int_equal(bit, 8 * 14 + 4);
	assert_int_equal(dxmit_packet_field(&map, 3, DXMIT_FIELD_GRE_KEY, &bit), -ENOENT);
	assert_int_equal(dxmit_packet_field(&map, 1, DXMIT_FIELD_UDP_SOURCE, &bit),
			 -EINVAL);
	assert_int_equal(dxmit_packet_field(&map, 6, DXMIT_FIELD_UDP_SOURCE, &bit),
			 -EINVAL);
	assert_int_equal(dxmit_packet_field(&map, 2, DXMIT_FIELDS, &bit), -EINVAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(fields_fill_their_headers),
		cmocka_unit_test(rows_are_sound),
		cmocka_unit_test(ethernet),
		cmocka_unit_test(tags),
		cmocka_unit_test(mpls),
		cmocka_unit_test(arp),
		cmocka_unit_test(ipv4),
		cmocka_unit_test(ipv6),
		cmocka_unit_test(udp_and_tcp),
		cmocka_unit_test(echo),
		cmocka_unit_test(gre),
		cmocka_unit_test(vxlan),
		cmocka_unit_test(ip_in_ip),
		cmocka_unit_test(payload_fills_the_rest),
		cmocka_unit_test(equals_the_plain_builder),
		cmocka_unit_test(fields_are_found),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
