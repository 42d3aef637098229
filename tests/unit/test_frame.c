/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Frames and stamps against an independent reading of the RFCs: every length
 * from 60 to 9000, the UDP zero-checksum rule, incremental updates, and what
 * must be refused.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <string.h>

#include <dxmit/frame.h>

#include "checksum_fixture.h"

#define LENGTH_MAX 9000

static uint8_t frame[65536 + 64];

/* What the checksum field of this UDP frame has to hold. */
static unsigned int right_udp_checksum(const uint8_t *f)
{
	unsigned int udp_bytes = big16(f + 38);
	unsigned int sum = slow_sum(17 + udp_bytes, f + 26, 8);

	sum = slow_sum(sum, f + 34, 6); /* up to the checksum field */
	sum = slow_sum(sum, f + 42, udp_bytes - 8);
	sum = 0xffff - sum;
	return sum == 0 ? 0xffff : sum;
}

static unsigned int right_ip_checksum(const uint8_t *f)
{
	return 0xffff - slow_sum(slow_sum(0, f + 14, 10), f + 26, 8);
}

static struct dxmit_udp_spec example(uint32_t length)
{
	struct dxmit_udp_spec spec = {
		.size = sizeof(spec),
		.length = length,
		.destination_mac = { 0x02, 0, 0, 0, 0, 0x02 },
		.source_mac = { 0x02, 0, 0, 0, 0, 0x01 },
		.source_ip = 0xc0000201,      /* 192.0.2.1 */
		.destination_ip = 0xc6336402, /* 198.51.100.2 */
		.source_port = 49152,
		.destination_port = 9,
		.payload = DXMIT_PAYLOAD_COUNT,
	};

	return spec;
}

static uint64_t random64(uint64_t *state)
{
	/* xorshift64: the same numbers in every run */
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

/* RFC 1071, section 3: 00 01 f2 03 f4 f5 f6 f7 sums to dd f2. */
static void test_rfc1071_example(void **state)
{
	static const uint8_t data[] = { 0x00, 0x01, 0xf2, 0x03, 0xf4, 0xf5, 0xf6, 0xf7 };
	uint16_t sum = (uint16_t)~dxmit_checksum_fold(dxmit_checksum_add(0, data, 8));
	const uint8_t *bytes = (const uint8_t *)&sum;
	uint32_t parts;

	(void)state;
	assert_int_equal(big16(bytes), 0xddf2);
	/* The same in two parts, and with a last odd byte: ddf2 + 0100. */
	parts = dxmit_checksum_add(dxmit_checksum_add(0, data, 2), data + 2, 6);
	sum = (uint16_t)~dxmit_checksum_fold(parts);
	assert_int_equal(big16(bytes), 0xddf2);
	sum = (uint16_t)~dxmit_checksum_fold(dxmit_checksum_add(parts, "\x01", 1));
	assert_int_equal(big16(bytes), 0xdef2);
	assert_int_equal(dxmit_checksum_add(7, NULL, 0), 7);
}

/* RFC 1624, section 4: a field going from 5555 to 3285 beside a rest that sums
 * to cd7a takes the checksum from dd2f to 0000, not to ffff. */
static void test_rfc1624_example(void **state)
{
	static const uint8_t before[] = { 0xcd, 0x7a, 0x55, 0x55 };
	static const uint8_t after[] = { 0xcd, 0x7a, 0x32, 0x85 };
	uint16_t sum = dxmit_checksum_fold(dxmit_checksum_add(0, before, 4));

	(void)state;
	assert_int_equal(big16((const uint8_t *)&sum), 0xdd2f);
	sum = dxmit_checksum_fold(dxmit_checksum_add(0, after, 4));
	assert_int_equal(sum, 0x0000);
}

static void test_checksum_any_alignment_and_carry(void **state)
{
	/* Sums to 1 ffff ffff with the start value: folding carries twice. */
	static const uint64_t carries_twice = 0x1ffffffff;
	uint8_t data[300];
	uint64_t seed = 1;
	size_t start, len, i;
	uint32_t folded_twice = dxmit_checksum_add(UINT32_MAX, &carries_twice, 8);

	(void)state;
	assert_int_equal(folded_twice, 1);
	for (i = 0; i < sizeof(data); i++) /* many ff: carries everywhere */
		data[i] = random64(&seed) % 3 ? 0xff : (uint8_t)random64(&seed);
	for (start = 0; start < 9; start++)
		for (len = 0; start + len <= sizeof(data); len++) {
			uint32_t sum = dxmit_checksum_add(0xffffffff, data + start, len);
			uint16_t folded = dxmit_checksum_fold(sum);

			/* 0xffffffff is one's complement zero */
			assert_int_equal((0xffff - big16((uint8_t *)&folded)) % 0xffff,
					 slow_sum(0, data + start, len) % 0xffff);
		}
}

static void check_frame(uint32_t length)
{
	assert_int_equal(big16(frame + 12), 0x0800);
	assert_int_equal(frame[14], 0x45);
	assert_int_equal(big16(frame + 16), length - 14);
	assert_int_equal(big16(frame + 38), length - 34);
	assert_int_equal(big16(frame + 24), right_ip_checksum(frame));
	assert_int_equal(big16(frame + 40), right_udp_checksum(frame));
}

static void test_every_length(void **state)
{
	uint32_t length, i;

	(void)state;
	for (length = 60; length <= LENGTH_MAX; length++) {
		struct dxmit_udp_spec spec = example(length);

		spec.payload = (enum dxmit_payload)(length % 3);
		spec.payload_byte = 0xa5;
		memset(frame, 0xee, length + 8);
		assert_int_equal(dxmit_udp_build(&spec, frame, length), length);
		check_frame(length);
		for (i = 42; i < length; i++) {
			uint8_t want[] = { 0, 0xa5, (uint8_t)(i - 42) };

			assert_int_equal(frame[i], want[length % 3]);
		}
		for (i = length; i < length + 8; i++)
			assert_int_equal(frame[i], 0xee);
	}
}

/* Every byte of one frame, spelled out from RFC 791 and RFC 768; checksums
 * from a separate calculation. */
static void test_whole_frame(void **state)
{
	/* clang-format off */
	static const uint8_t want[60] = {
		0x02, 0, 0, 0, 0, 0x02, 0x02, 0, 0, 0, 0, 0x01, 0x08, 0x00,
		0x45, 0xb8, 0x00, 0x2e, 0x00, 0x00, 0x40, 0x00, 0x11, 0x11, 0x7c, 0xd0,
		192, 0, 2, 1, 198, 51, 100, 2,
		0xc0, 0x00, 0x00, 0x09, 0x00, 0x1a, 0x4a, 0x70,
		1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
	};
	/* clang-format on */
	struct dxmit_udp_spec spec = example(60);

	(void)state;
	spec.dscp = 46;
	spec.ttl = 17;
	spec.payload = DXMIT_PAYLOAD_BYTE;
	spec.payload_byte = 1;
	assert_int_equal(dxmit_udp_build(&spec, frame, sizeof(frame)), 60);
	assert_memory_equal(frame, want, sizeof(want));
	spec.ttl = 0;
	assert_int_equal(dxmit_udp_build(&spec, frame, sizeof(frame)), 60);
	assert_int_equal(frame[22], 64);
}

/* RFC 768: a checksum that comes out as 0 is sent as ffff. The source port is
 * chosen so that it does. */
static void test_zero_checksum_is_sent_as_ones(void **state)
{
	uint32_t length;

	(void)state;
	for (length = 60; length < 200; length++) {
		struct dxmit_udp_spec spec = example(length);

		spec.source_port = 0;
		dxmit_udp_build(&spec, frame, sizeof(frame));
		spec.source_port = (uint16_t)big16(frame + 40);
		assert_int_equal(dxmit_udp_build(&spec, frame, sizeof(frame)), length);
		assert_int_equal(big16(frame + 40), 0xffff);
		check_frame(length);
	}
}

static void check_stamp(uint32_t length, uint16_t queue, uint64_t sequence)
{
	struct dxmit_stamp stamp = { queue, sequence };
	struct dxmit_stamp seen = { 0, 0 };
	unsigned int i;

	dxmit_stamp_write(frame, &stamp);
	check_frame(length);
	assert_int_equal(big16(frame + 42), 0x4458);
	assert_int_equal(big16(frame + 44), 0x4d54);
	assert_int_equal(big16(frame + 46), 0x0100);
	assert_int_equal(big16(frame + 48), queue);
	for (i = 0; i < 8; i++)
		assert_int_equal(frame[50 + i], (uint8_t)(sequence >> (56 - 8 * i)));
	assert_int_equal(dxmit_stamp_read(frame, length, &seen), 1);
	assert_int_equal(seen.queue, queue);
	assert_int_equal(seen.sequence, sequence);
}

static void test_stamps_keep_the_checksum(void **state)
{
	static const uint32_t lengths[] = { 60, 61, 63, 64, 1514, 9000 };
	uint64_t seed = 42;
	size_t l;
	uint64_t i;

	(void)state;
	for (l = 0; l < sizeof(lengths) / sizeof(lengths[0]); l++) {
		struct dxmit_udp_spec spec = example(lengths[l]);

		dxmit_udp_build(&spec, frame, sizeof(frame));
		for (i = 0; i < 2000; i++)
			check_stamp(lengths[l], 3, i);
		for (i = 0; i < 2000; i++)
			check_stamp(lengths[l], (uint16_t)random64(&seed),
				    random64(&seed));
		check_stamp(lengths[l], 0xffff, UINT64_MAX);
		check_stamp(lengths[l], 0xffff, UINT64_MAX); /* same again */
		check_stamp(lengths[l], 0, 0);
	}
}

/* Over 65536 sequence numbers in a row the checksum takes the value that would
 * be 0: it must be ffff there, go on rightly after it, and never be 0. */
static void test_stamps_cross_the_zero_checksum(void **state)
{
	struct dxmit_udp_spec spec = example(60);
	unsigned int ones = 0;
	uint64_t i;

	(void)state;
	dxmit_udp_build(&spec, frame, sizeof(frame));
	for (i = 0; i <= 0xffff; i++) {
		check_stamp(60, 0, i);
		ones += big16(frame + 40) == 0xffff;
	}
	assert_in_range(ones, 1, 2);
	/* A frame sent without checksum keeps having none. */
	frame[40] = frame[41] = 0;
	dxmit_stamp_write(frame, &(struct dxmit_stamp){ 1, 2 });
	assert_int_equal(big16(frame + 40), 0);
}

static void test_foreign_frames_have_no_stamp(void **state)
{
	/* offset and the value that makes it not one of ours */
	static const uint8_t spoil[][2] = {
		{ 12, 0x86 }, { 14, 0x46 }, { 14, 0x65 }, { 20, 0x20 }, { 21, 0x01 },
		{ 23, 6 },    { 16, 0xff }, { 17, 0x13 }, { 38, 0x01 }, { 39, 23 },
		{ 42, 0 },    { 45, 0 },    { 46, 0 },    { 46, 3 },
	};
	struct dxmit_udp_spec spec = example(60);
	struct dxmit_stamp stamp = { 5, 6 };
	struct dxmit_stamp seen = { 77, 88 };
	size_t i;

	(void)state;
	dxmit_udp_build(&spec, frame, sizeof(frame));
	assert_int_equal(dxmit_stamp_read(frame, 60, &seen), 0);
	dxmit_stamp_write(frame, &stamp);
	for (i = 0; i < 60; i++) /* cut short */
		assert_int_equal(dxmit_stamp_read(frame, i, &seen), 0);
	for (i = 0; i < sizeof(spoil) / sizeof(spoil[0]); i++) {
		uint8_t kept = frame[spoil[i][0]];

		frame[spoil[i][0]] = spoil[i][1];
		assert_int_equal(dxmit_stamp_read(frame, 60, &seen), 0);
		frame[spoil[i][0]] = kept;
	}
	assert_int_equal(seen.queue, 77);
	assert_int_equal(seen.sequence, 88);
	assert_int_equal(dxmit_stamp_read(frame, 64, &seen), 1); /* padded */
	assert_int_equal(seen.queue, 5);
}

/* Refused, and nothing written. */
static void refused(struct dxmit_udp_spec spec, size_t room, int err)
{
	size_t i;

	memset(frame, 0xee, 128);
	assert_int_equal(dxmit_udp_build(&spec, frame, room), err);
	for (i = 0; i < 128; i++)
		assert_int_equal(frame[i], 0xee);
}

static void test_bad_specs_are_refused(void **state)
{
	static const uint32_t too_short[] = { 0, 1, 13, 14, 41, 42, 59 };
	struct dxmit_udp_spec spec;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(too_short) / sizeof(too_short[0]); i++)
		refused(example(too_short[i]), sizeof(frame), -EINVAL);
	refused(example(60), 59, -EMSGSIZE);
	refused(example(1514), 1513, -EMSGSIZE);
	refused(example(65535 + 15), sizeof(frame), -EMSGSIZE);
	refused(example(UINT32_MAX), SIZE_MAX, -EMSGSIZE);

	spec = example(60);
	spec.dscp = 64;
	refused(spec, sizeof(frame), -EINVAL);
	spec = example(60);
	spec.payload = (enum dxmit_payload)3;
	refused(spec, sizeof(frame), -EINVAL);
	spec = example(60);
	spec.size = 0;
	refused(spec, sizeof(frame), -EINVAL);
	spec.size = sizeof(spec) - 1;
	refused(spec, sizeof(frame), -EINVAL);

	spec = example(65535 + 14); /* the longest there is */
	assert_int_equal(dxmit_udp_build(&spec, frame, sizeof(frame)), 65549);
	check_frame(65549);
}

/* A caller built against a later, longer spec: fine while the new fields are
 * at their default, refused when they ask for something. */
static void test_longer_spec(void **state)
{
	struct {
		struct dxmit_udp_spec spec;
		uint64_t later;
	} longer = { example(60), 0 };

	(void)state;
	longer.spec.size = sizeof(longer);
	assert_int_equal(dxmit_udp_build(&longer.spec, frame, sizeof(frame)), 60);
	longer.later = 1;
	assert_int_equal(dxmit_udp_build(&longer.spec, frame, sizeof(frame)), -EINVAL);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rfc1071_example),
		cmocka_unit_test(test_rfc1624_example),
		cmocka_unit_test(test_checksum_any_alignment_and_carry),
		cmocka_unit_test(test_every_length),
		cmocka_unit_test(test_whole_frame),
		cmocka_unit_test(test_zero_checksum_is_sent_as_ones),
		cmocka_unit_test(test_stamps_keep_the_checksum),
		cmocka_unit_test(test_stamps_cross_the_zero_checksum),
		cmocka_unit_test(test_foreign_frames_have_no_stamp),
		cmocka_unit_test(test_bad_specs_are_refused),
		cmocka_unit_test(test_longer_spec),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
