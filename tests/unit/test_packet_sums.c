/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The checksums of packets by the map: every legal stack, even and odd lengths,
 * recomputed another way; what is set stays as it is; the stamp keeps them right.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "packet_fixture.h"

#define DEPTH 5

static uint8_t frame[TEST_FRAME_ROOM];
static struct dxmit_packet_map map;

static int build(const struct dxmit_layer *layer, uint32_t layers, uint32_t length)
{
	const struct dxmit_packet_spec spec = {
		sizeof(spec), layer, layers, length, DXMIT_PAYLOAD_COUNT, 0
	};

	map = (struct dxmit_packet_map){ .size = sizeof(map) };
	return dxmit_packet_build(&spec, frame, sizeof(frame), &map, NULL);
}

/* Every checksum is the right one, and they are listed from the inside out. */
static void sums_are_right(void)
{
	uint32_t i;

	for (i = 0; i < map.checksums; i++) {
		const struct dxmit_packet_checksum *c = &map.checksum[i];

		assert_int_equal(big16(frame + c->at), right_checksum(frame, c));
		assert_true(c->from <= c->at && c->at + 2 <= c->to &&
			    c->to <= map.length);
		assert_int_equal((c->at | c->from | c->pseudo_from | c->pseudo_to) & 1,
				 0);
		if (i)
			assert_true(c->layer < map.checksum[i - 1].layer);
	}
}

/* The layers that have a checksum of their own, by their standards. */
static uint32_t sums_expected(const struct dxmit_layer *layer, uint32_t layers)
{
	uint32_t n = 0, i;

	for (i = 0; i < layers; i++) {
		enum dxmit_layer_kind above =
			i + 1 < layers ? layer[i + 1].kind : DXMIT_LAYER_NONE;

		switch (layer[i].kind) {
		case DXMIT_LAYER_UDP:
			n += !(above == DXMIT_LAYER_VXLAN &&
			       layer[i - 1].kind == DXMIT_LAYER_IPV4);
			break;
		case DXMIT_LAYER_IPV4:
		case DXMIT_LAYER_TCP:
		case DXMIT_LAYER_ICMP:
		case DXMIT_LAYER_ICMPV6:
			n++;
			break;
		default:
			break;
		}
	}
	return n;
}

static void one_stack(const struct dxmit_layer *layer, uint32_t layers, void *arg)
{
	uint32_t least, extra;

	(void)arg;
	assert_true(build(layer, layers, 0) >= 60);
	least = map.payload_at;
	for (extra = 0; extra < 4; extra++) {
		assert_int_equal(build(layer, layers, least + extra), least + extra);
		assert_int_equal(map.checksums, sums_expected(layer, layers));
		sums_are_right();
	}
	assert_int_equal(build(layer, layers, 9000), 9000);
	sums_are_right();
}

static void every_stack(void **state)
{
	unsigned int stacks = each_stack(DEPTH, one_stack, NULL);

	(void)state;
	assert_true(stacks > 300);
}

static void every_length(void **state)
{
	const struct dxmit_layer stack[] = {
		{ .kind = DXMIT_LAYER_ETHERNET }, { .kind = DXMIT_LAYER_IPV6 },
		{ .kind = DXMIT_LAYER_UDP },      { .kind = DXMIT_LAYER_VXLAN },
		{ .kind = DXMIT_LAYER_ETHERNET }, { .kind = DXMIT_LAYER_VLAN },
		{ .kind = DXMIT_LAYER_IPV4 },     { .kind = DXMIT_LAYER_TCP },
	};
	uint32_t length;

	(void)state;
	for (length = 128; length <= 9000; length++) {
		assert_int_equal(build(stack, 8, length), length);
		assert_int_equal(map.checksums, 3);
		sums_are_right();
	}
}

/* A port that makes the sum ffff: sent as ffff, not as 0 (RFC 768). */
static void zero_is_sent_as_ffff(void **state)
{
	struct dxmit_field_value port = { DXMIT_FIELD_UDP_SOURCE, 0, 0 };
	struct dxmit_layer stack[] = {
		{ .kind = DXMIT_LAYER_ETHERNET },
		{ .kind = DXMIT_LAYER_IPV4 },
		{ .kind = DXMIT_LAYER_UDP, .fields = 1, .field = &port },
	};
	unsigned int turn;

	(void)state;
	for (turn = 0; turn < 2; turn++) {
		stack[1].kind = turn ? DXMIT_LAYER_IPV6 : DXMIT_LAYER_IPV4;
		port.value = 0;
		build(stack, 3, 80);
		port.value = big16(frame + map.checksum[0].at);
		build(stack, 3, 80);
		assert_int_equal(map.checksum[0].udp, 1);
		assert_int_equal(big16(frame + map.checksum[0].at), 0xffff);
	}
	/* TCP has no such rule. */
	port.field = DXMIT_FIELD_TCP_SOURCE;
	port.value = 0;
	stack[2].kind = DXMIT_LAYER_TCP;
	build(stack, 3, 80);
	port.value = big16(frame + map.checksum[0].at);
	build(stack, 3, 80);
	assert_int_equal(map.checksum[0].udp, 0);
	assert_int_equal(big16(frame + map.checksum[0].at), 0);
}

/* What is set on purpose stays, and the map does not promise it. */
static void what_is_set_wins(void **state)
{
	static const struct dxmit_field_value eth[] = { { DXMIT_FIELD_ETHERNET_TYPE,
							  0x86dd, 0 } };
	static const struct dxmit_field_value ip[] = {
		{ DXMIT_FIELD_IPV4_LENGTH, 21, 0 },
		{ DXMIT_FIELD_IPV4_CHECKSUM, 0xbad0, 0 },
		{ DXMIT_FIELD_IPV4_PROTOCOL, 99, 0 },
		{ DXMIT_FIELD_IPV4_IHL, 15, 0 },
		{ DXMIT_FIELD_IPV4_TTL, 1, 0 },
		{ DXMIT_FIELD_IPV4_TTL, 2, 0 },
	};
	static const struct dxmit_field_value udp[] = {
		{ DXMIT_FIELD_UDP_LENGTH, 7, 0 },
		{ DXMIT_FIELD_UDP_CHECKSUM, 0, 0 },
	};
	struct dxmit_layer stack[] = {
		{ .kind = DXMIT_LAYER_ETHERNET, .fields = 1, .field = eth },
		{ .kind = DXMIT_LAYER_IPV4, .fields = 6, .field = ip },
		{ .kind = DXMIT_LAYER_UDP, .fields = 2, .field = udp },
	};

	(void)state;
	assert_int_equal(build(stack, 3, 60), 60);
	assert_int_equal(map.checksums, 0);
	assert_int_equal(big16(frame + 12), 0x86dd);
	assert_int_equal(frame[14], 0x4f);
	assert_int_equal(big16(frame + 16), 21);
	assert_int_equal(frame[22], 2); /* the last setting wins */
	assert_int_equal(frame[23], 99);
	assert_int_equal(big16(frame + 24), 0xbad0);
	assert_int_equal(big16(frame + 38), 7);
	assert_int_equal(big16(frame + 40), 0);
	/* The protocol of the pseudo header is the layer's, not the field's. */
	stack[2].fields = 1;
	build(stack, 3, 60);
	assert_int_equal(map.checksums, 1);
	assert_int_equal(map.checksum[0].protocol, 17);
	sums_are_right();
}

/* ---- the stamp ---- */

/* Whatever a frame holds, reading it stays within it: seen by a sanitizer. */
static void read_damaged(uint32_t headers)
{
	static unsigned int seed = 1;
	struct dxmit_stamp stamp;
	unsigned int turn;

	for (turn = 0; turn < 300; turn++) {
		size_t length = (size_t)rand_r(&seed) % 402;
		uint8_t *copy = malloc(length ? length : 1);

		memcpy(copy, frame, length);
		copy[(size_t)rand_r(&seed) % headers % (length ? length : 1)] =
			(uint8_t)rand_r(&seed);
		(void)dxmit_stamp_read(copy, length, &stamp);
		free(copy);
	}
}

static void stamp_one(const struct dxmit_layer *layer, uint32_t layers, void *arg)
{
	unsigned int *stamped = arg;
	struct dxmit_stamp stamp = { .queue = 3 };
	struct dxmit_stamp_place place;
	size_t at;
	int err;

	assert_true(build(layer, layers, 401) == 401);
	err = dxmit_stamp_locate(&map, &place);
	assert_int_equal(err, layer[layers - 1].kind == DXMIT_LAYER_UDP ? 0 : -ENOENT);
	if (err)
		return;
	for (stamp.sequence = 0; stamp.sequence < 5000; stamp.sequence += 97) {
		dxmit_stamp_write_at(frame, &place, &stamp);
		sums_are_right();
	}
	assert_memory_equal(frame + place.at, "DXMT\x01\0\0\x03", 8);
	stamp = (struct dxmit_stamp){ 0, 0 };
	assert_int_equal(dxmit_stamp_read(frame, 401, &stamp), 1);
	assert_int_equal(stamp.queue, 3);
	assert_int_equal(stamp.sequence, 5000 / 97 * 97);
	/* A stack that is cut holds none, and is not read beyond its end. */
	for (at = 0; at < 401; at++) {
		uint8_t *cut = malloc(at ? at : 1);

		memcpy(cut, frame, at);
		assert_int_equal(dxmit_stamp_read(cut, at, &stamp), 0);
		free(cut);
	}
	read_damaged(map.payload_at);
	++*stamped;
}

static void stamp_keeps_them_right(void **state)
{
	unsigned int stamped = 0;

	(void)state;
	each_stack(DEPTH, stamp_one, &stamped);
	assert_true(stamped > 20);
}

/* No checksum of its own, but one further out that has to follow. */
static void stamp_under_an_outer_checksum(void **state)
{
	static const struct dxmit_field_value none[] = { { DXMIT_FIELD_UDP_CHECKSUM, 0,
							   0 } };
	struct dxmit_layer stack[] = {
		{ .kind = DXMIT_LAYER_ETHERNET },
		{ .kind = DXMIT_LAYER_IPV6 },
		{ .kind = DXMIT_LAYER_UDP },
		{ .kind = DXMIT_LAYER_VXLAN },
		{ .kind = DXMIT_LAYER_ETHERNET },
		{ .kind = DXMIT_LAYER_IPV4 },
		{ .kind = DXMIT_LAYER_UDP, .fields = 1, .field = none },
	};
	const struct dxmit_stamp stamp = { .queue = 1, .sequence = 12345 };
	struct dxmit_stamp_place place;

	(void)state;
	build(stack, 7, 200);
	assert_int_equal(dxmit_stamp_locate(&map, &place), 0);
	assert_int_equal(place.checksum_at, 14 + 40 + 6);
	dxmit_stamp_write_at(frame, &place, &stamp);
	assert_int_equal(big16(frame + map.payload_at - 2), 0);
	sums_are_right();
	/* And without any. */
	stack[2].fields = 1;
	stack[2].field = none;
	build(stack, 7, 200);
	assert_int_equal(dxmit_stamp_locate(&map, &place), 0);
	assert_int_equal(place.checksum_at, 0);
	dxmit_stamp_write_at(frame, &place, &stamp);
	sums_are_right();
	build(stack, 7, map.payload_at + 15);
	assert_int_equal(dxmit_stamp_locate(&map, &place), -EMSGSIZE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_stack),
		cmocka_unit_test(every_length),
		cmocka_unit_test(zero_is_sent_as_ffff),
		cmocka_unit_test(what_is_set_wins),
		cmocka_unit_test(stamp_keeps_them_right),
		cmocka_unit_test(stamp_under_an_outer_checksum),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
