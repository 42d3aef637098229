/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Flows and changes of captured frames: both directions of a conversation hash
 * alike, other flows spread, fragments stay together; checksums agree with a
 * sum taken here; and nothing is read or written outside the frame.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "flow.h"
#include "rewrite.h"
#include "wire.h"

#define FRAME_BYTES 128

struct parts {
	unsigned int tags, ipv6, protocol, extension;
	uint16_t fragment; /* of IPv4, or of IPv6's extension 44 */
	uint8_t from, to;  /* last byte of the address */
	uint16_t from_port, to_port;
};

/* Returns where the transport begins. The frame is FRAME_BYTES long. */
static uint32_t make(uint8_t *frame, const struct parts *p)
{
	uint32_t at = 12, i;

	memset(frame, 0, FRAME_BYTES);
	frame[5] = p->to;
	frame[11] = p->from;
	for (i = 0; i < p->tags; i++, at += 4)
		put16(frame + at, i + 1 < p->tags ? 0x88a8 : 0x8100);
	put16(frame + at, p->ipv6 ? 0x86dd : 0x0800);
	at += 2;
	if (!p->ipv6) {
		frame[at] = 0x45;
		put16(frame + at + 2, FRAME_BYTES - at);
		put16(frame + at + 6, p->fragment);
		frame[at + 8] = 64;
		frame[at + 9] = (uint8_t)p->protocol;
		frame[at + 15] = p->from;
		frame[at + 19] = p->to;
		at += 20;
	} else {
		frame[at] = 0x60;
		put16(frame + at + 4, FRAME_BYTES - at - 40);
		frame[at + 6] = (uint8_t)(p->extension ? p->extension : p->protocol);
		frame[at + 23] = p->from;
		frame[at + 39] = p->to;
		at += 40;
		if (p->extension) {
			frame[at] = (uint8_t)p->protocol;
			if (p->extension == 44)
				put16(frame + at + 2, p->fragment);
			at += 8;
		}
	}
	for (i = at; i < FRAME_BYTES; i++)
		frame[i] = (uint8_t)(i * 37);
	put16(frame + at, p->from_port);
	put16(frame + at + 2, p->to_port);
	if (p->protocol == 17)
		put16(frame + at + 4, FRAME_BYTES - at);
	if (p->protocol == 6)
		frame[at + 12] = 0x50;
	return at;
}

static uint32_t hash_of(const struct parts *p)
{
	struct flow_headers headers;
	uint8_t frame[FRAME_BYTES];

	make(frame, p);
	flow_find(frame, sizeof(frame), &headers);
	return flow_hash(frame, &headers);
}

static struct parts reversed(struct parts p)
{
	return (struct parts){ p.tags, p.ipv6, p.protocol, p.extension, p.fragment,
			       p.to,   p.from, p.to_port,  p.from_port };
}

static const struct parts shapes[] = {
	{ 0, 0, 17, 0, 0, 1, 2, 1000, 53 }, { 1, 0, 6, 0, 0, 1, 2, 1000, 80 },
	{ 2, 0, 132, 0, 0, 1, 2, 5, 6 },    { 0, 1, 17, 0, 0, 1, 2, 1000, 53 },
	{ 1, 1, 6, 0, 0, 1, 2, 1000, 80 },  { 0, 1, 6, 60, 0, 1, 2, 1000, 80 },
	{ 0, 1, 17, 44, 0, 1, 2, 7, 8 },    { 0, 0, 1, 0, 0, 1, 2, 0, 0 },
};
#define SHAPES (sizeof(shapes) / sizeof(shapes[0]))

static void test_headers_are_found(void **state)
{
	struct flow_headers h;
	uint8_t frame[FRAME_BYTES];
	size_t i;

	(void)state;
	for (i = 0; i < SHAPES; i++) {
		uint32_t at = make(frame, &shapes[i]);

		flow_find(frame, sizeof(frame), &h);
		assert_int_equal(h.tags, shapes[i].tags);
		assert_int_equal(h.network, shapes[i].ipv6 ? FLOW_IPV6 : FLOW_IPV4);
		assert_int_equal(h.network_at, 14 + 4 * shapes[i].tags);
		assert_int_equal(h.transport_at, at);
		assert_int_equal(h.protocol, shapes[i].protocol);
		assert_int_equal(h.end, FRAME_BYTES);
		assert_false(h.fragment);
		assert_false(h.cut);
		flow_find(frame, FRAME_BYTES - 1, &h);
		assert_true(h.cut);
		assert_int_equal(h.end, FRAME_BYTES - 1);
	}
}

static void test_both_directions_are_one_flow(void **state)
{
	size_t i, j;

	(void)state;
	for (i = 0; i < SHAPES; i++) {
		struct parts back = reversed(shapes[i]), other = shapes[i];

		assert_int_equal(hash_of(&shapes[i]), hash_of(&back));
		other.to = 3;
		assert_int_not_equal(hash_of(&shapes[i]), hash_of(&other));
		other = shapes[i];
		other.from_port++;
		if (shapes[i].protocol != 1)
			assert_int_not_equal(hash_of(&shapes[i]), hash_of(&other));
	}
	/* ports stay with their address */
	for (j = 0; j < 2; j++) {
		struct parts a = { 0, 0, 17, 0, 0, 1, 2, 10, 20 };
		struct parts b = { 0, 0, 17, 0, 0, 1, 2, 20, 10 };

		assert_int_not_equal(hash_of(&a), hash_of(&b));
	}
}

/* First and later fragments, and the whole stays apart for all we know. */
static void test_fragments_stay_together(void **state)
{
	static const uint16_t ipv4[] = { 0x2000, 0x2001, 0x0002, 0x0100 };
	static const uint16_t ipv6[] = { 0x0001, 0x0009, 0x0010, 0x0800 };
	size_t i;

	(void)state;
	for (i = 0; i < 4; i++) {
		struct parts a = { 0, 0, 17, 0, ipv4[0], 1, 2, 1000, 53 }, b = a;

		b.fragment = ipv4[i];
		b.from_port = (uint16_t)(77 + i);
		assert_int_equal(hash_of(&a), hash_of(&b));
		a = (struct parts){ 0, 1, 17, 44, ipv6[0], 1, 2, 1000, 53 };
		b = a;
		b.fragment = ipv6[i];
		b.from_port = (uint16_t)(77 + i);
		assert_int_equal(hash_of(&a), hash_of(&b));
	}
}

/* 4096 flows over 4 queues: each within a tenth of its share. */
static void test_flows_spread(void **state)
{
	uint32_t share[4] = { 0 }, i;

	(void)state;
	for (i = 0; i < 4096; i++) {
		struct parts p = { 0, 0, 17, 0, 0, 1, 2, (uint16_t)i, 53 };

		share[(uint64_t)hash_of(&p) * 4 >> 32]++;
	}
	for (i = 0; i < 4; i++)
		assert_in_range(share[i], 922, 1126);
}

/* ---- checksums ---- */

static uint32_t sum16(const uint8_t *at, uint32_t bytes)
{
	uint32_t sum = 0, i;

	for (i = 0; i < bytes; i++)
		sum += i & 1 ? at[i] : (uint32_t)at[i] << 8;
	return sum;
}

/* All ones where the checksum in it is right. */
static uint32_t folded(uint32_t sum)
{
	while (sum >> 16)
		sum = (sum & 0xffff) + (sum >> 16);
	return sum;
}

static uint32_t pseudo(const uint8_t *frame, const struct flow_headers *h)
{
	bool ipv4 = h->network == FLOW_IPV4;

	return sum16(frame + h->network_at + (ipv4 ? 12 : 8), ipv4 ? 8 : 32) +
	       h->protocol + (h->end - h->transport_at);
}

static void test_checksums_are_fixed(void **state)
{
	static const uint8_t mac[6] = { 2, 9, 9, 9, 9, 9 };
	static const uint8_t protocols[] = { 6, 17, 1, 58 };
	const struct rewrite all = { .destination_mac = mac, .fix_checksums = true };
	struct flow_headers h;
	uint8_t frame[FRAME_BYTES];
	unsigned int i, ipv6;

	(void)state;
	for (i = 0; i < 8; i++) {
		struct parts p = { 1, i & 1, protocols[i / 2], 0, 0, 1, 2, 7, 8 };

		ipv6 = i & 1;
		if ((p.protocol == 1 && ipv6) || (p.protocol == 58 && !ipv6))
			continue;
		make(frame, &p);
		flow_find(frame, sizeof(frame), &h);
		rewrite_frame(&all, frame, &h);
		assert_memory_equal(frame, mac, 6);
		assert_int_equal(frame[11], 1);
		if (!ipv6)
			assert_int_equal(folded(sum16(frame + h.network_at, 20)), 0xffff);
		assert_int_equal(
			folded(sum16(frame + h.transport_at, h.end - h.transport_at) +
			       (p.protocol == 1 ? 0 : pseudo(frame, &h))),
			0xffff);
	}
}

/* Right checksums stay right when addresses change, in first fragments too. */
static void test_addresses_are_mapped(void **state)
{
	static const struct address_map map[] = {
		{ 0x00000001, 0xc6120009, 0xffffffff },
		{ 0x00000000, 0xffff0000, 0xfffffff0 },
	};
	const struct rewrite fix = { .fix_checksums = true };
	const struct rewrite change = { .map = map, .maps = 2 };
	static const uint8_t source[4] = { 0xc6, 0x12, 0, 9 };
	static const uint8_t destination[4] = { 0xff, 0xff, 0, 2 };
	uint8_t frame[FRAME_BYTES], anew[FRAME_BYTES];
	struct flow_headers h;
	unsigned int port;

	(void)state;
	for (port = 0; port < 65536; port += 257) {
		struct parts p = {
			1, 0, port & 1 ? 6 : 17, 0, 0, 1, 2, (uint16_t)port, 8
		};

		make(frame, &p);
		flow_find(frame, sizeof(frame), &h);
		rewrite_frame(&fix, frame, &h);
		rewrite_frame(&change, frame, &h);
		assert_memory_equal(frame + h.network_at + 12, source, 4);
		assert_memory_equal(frame + h.network_at + 16, destination, 4);
		memcpy(anew, frame, sizeof(anew));
		rewrite_frame(&fix, anew, &h);
		assert_memory_equal(frame, anew, sizeof(anew));

		/* its first fragment, made out of the whole */
		put16(frame + h.network_at + 6, 0x2000);
		flow_find(frame, sizeof(frame), &h);
		assert_true(h.fragment);
		memcpy(anew, frame + h.transport_at, 20);
		rewrite_frame(&change, frame, &h); /* nothing fits any more */
		assert_memory_equal(anew, frame + h.transport_at, 20);
	}
}

static void test_arp_is_mapped(void **state)
{
	static const struct address_map map = { 0x0a000000, 0xc6120000, 0xffff0000 };
	static const uint8_t arp[28] = { 0,  1, 8, 0, 6, 4, 0, 1, 2, 0, 0,  0, 0, 1,
					 10, 0, 1, 2, 0, 0, 0, 0, 0, 0, 10, 1, 3, 4 };
	static const uint8_t mapped[4] = { 0xc6, 0x12, 1, 2 };
	const struct rewrite change = { .map = &map, .maps = 1 };
	struct flow_headers h;
	uint8_t frame[60] = { 0 };

	(void)state;
	put16(frame + 12, 0x0806);
	memcpy(frame + 14, arp, sizeof(arp));
	flow_find(frame, 41, &h); /* cut: left alone */
	rewrite_frame(&change, frame, &h);
	assert_memory_equal(frame + 14, arp, sizeof(arp));
	flow_find(frame, sizeof(frame), &h);
	rewrite_frame(&change, frame, &h);
	assert_memory_equal(frame + 28, mapped, 4);
	assert_memory_equal(frame + 38, arp + 24, 4); /* another network */
}

/* Transports that cannot be summed, and UDP that wants no checksum. */
static void test_checksums_left_alone(void **state)
{
	const struct rewrite fix = { .fix_checksums = true }, nothing = { 0 };
	struct parts p = { 0, 0, 17, 0, 0x2000, 1, 2, 7, 8 };
	uint8_t frame[FRAME_BYTES], before[FRAME_BYTES];
	struct flow_headers h;
	uint32_t at = make(frame, &p);

	(void)state;
	memcpy(before, frame, sizeof(frame));
	flow_find(frame, sizeof(frame), &h);
	rewrite_frame(&nothing, frame, &h);
	assert_memory_equal(frame, before, sizeof(frame));
	rewrite_frame(&fix, frame, &h); /* a fragment */
	assert_memory_equal(frame + 34, before + 34, sizeof(frame) - 34);
	p.fragment = 0;
	make(frame, &p);
	flow_find(frame, sizeof(frame) - 1, &h);
	rewrite_frame(&fix, frame, &h); /* cut */
	assert_memory_equal(frame + 34, before + 34, sizeof(frame) - 34);
	put16(frame + at + 6, 0);
	flow_find(frame, sizeof(frame), &h);
	rewrite_frame(&fix, frame, &h); /* none wanted */
	assert_int_equal(frame[at + 6] << 8 | frame[at + 7], 0);
}

/* Any bytes, any length, in a block of exactly that length: for the address
 * sanitizer, and a guard for everyone else. */
static void test_nonsense_stays_inside(void **state)
{
	static const struct address_map map = { 0, 0x01020304, 0 };
	const struct rewrite fix = { .fix_checksums = true, .map = &map, .maps = 1 };
	uint32_t random = 1, round, i;
	struct flow_headers h;

	(void)state;
	for (round = 0; round < 200000; round++) {
		uint32_t length = 14 + round % (FRAME_BYTES - 14);
		uint8_t whole[FRAME_BYTES], *frame = malloc(length);

		assert_non_null(frame);
		make(whole, &shapes[round % SHAPES]);
		if (round % 9 == 0)
			put16(whole + 12, 0x0806);
		memcpy(frame, whole, length);
		for (i = 0; i < 3; i++) {
			random = random * 1664525 + 1013904223;
			frame[random % length] = (uint8_t)(random >> 24);
		}
		flow_find(frame, length, &h);
		assert_true(h.end <= length && h.transport_at <= length);
		flow_hash(frame, &h);
		rewrite_frame(&fix, frame, &h);
		free(frame);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_headers_are_found),
		cmocka_unit_test(test_both_directions_are_one_flow),
		cmocka_unit_test(test_fragments_stay_together),
		cmocka_unit_test(test_flows_spread),
		cmocka_unit_test(test_checksums_are_fixed),
		cmocka_unit_test(test_checksums_left_alone),
		cmocka_unit_test(test_addresses_are_mapped),
		cmocka_unit_test(test_arp_is_mapped),
		cmocka_unit_test(test_nonsense_stays_inside),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
