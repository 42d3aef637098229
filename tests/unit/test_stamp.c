/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The larger stamp and pktgen's header: bytes where they are documented, checksums
 * right after every one, and readers that take what they know only.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include <dxmit/packet.h>

#include "checksum_fixture.h"

#define LENGTH 90

static const struct dxmit_stamp_place place = { .at = 42, .checksum_at = 40, .udp = 1 };

static void build(uint8_t frame[LENGTH])
{
	const struct dxmit_udp_spec spec = { .size = sizeof(spec),
					     .length = LENGTH,
					     .source_ip = 0x0a000001,
					     .destination_ip = 0x0a000002,
					     .payload = DXMIT_PAYLOAD_COUNT };

	assert_int_equal(dxmit_udp_build(&spec, frame, LENGTH), LENGTH);
}

static void checksum_is_right(const uint8_t *frame)
{
	uint32_t sum = slow_sum(17 + LENGTH - 34, frame + 26, 8);

	assert_int_equal(slow_sum(sum, frame + 34, LENGTH - 34), 0xffff);
	assert_true(frame[40] || frame[41]);
}

static uint64_t big(const uint8_t *at, size_t bytes)
{
	uint64_t n = 0;
	size_t i;

	for (i = 0; i < bytes; i++)
		n = n << 8 | at[i];
	return n;
}

static void test_full_stamp(void **state)
{
	struct dxmit_stamp_full stamp = { .queue = 513, .stream = 7 }, back;
	struct dxmit_stamp first;
	uint8_t frame[LENGTH];
	uint64_t i;

	(void)state;
	build(frame);
	for (i = 0; i < 70000; i++) { /* passes a sum of 0 */
		stamp.sequence = i;
		stamp.flow = i * 0x100000001u & UINT64_MAX >> 16;
		stamp.time_ns = 1764590000000000000u + i * 12345;
		dxmit_stamp_write_full(frame, &place, &stamp);
		checksum_is_right(frame);
	}
	assert_int_equal(big(frame + 42, 4), 0x44584d54);
	assert_int_equal(frame[46], 2);
	assert_int_equal(frame[47], 0);
	assert_int_equal(big(frame + 48, 2), 513);
	assert_int_equal(big(frame + 50, 8), 69999);
	assert_int_equal(big(frame + 58, 2), 7);
	assert_true(big(frame + 60, 6) == stamp.flow);
	assert_true(big(frame + 66, 8) == stamp.time_ns);
	assert_int_equal(frame[74], 32); /* the payload goes on */
	assert_int_equal(dxmit_stamp_read_full(frame, LENGTH, &back), 1);
	assert_memory_equal(&back, &stamp, offsetof(struct dxmit_stamp_full, stream) + 2);
	assert_int_equal(dxmit_stamp_read(frame, LENGTH, &first), 1);
	assert_int_equal(first.queue, 513);
	assert_int_equal(first.sequence, 69999);
}

static void test_readers_take_what_they_know(void **state)
{
	const struct dxmit_stamp first = { .queue = 1, .sequence = 2 };
	const struct dxmit_stamp_full stamp = { .queue = 1 };
	struct dxmit_stamp_full full;
	struct dxmit_stamp small;
	uint8_t frame[LENGTH];

	(void)state;
	build(frame);
	assert_int_equal(dxmit_stamp_read_full(frame, LENGTH, &full), 0);
	dxmit_stamp_write(frame, &first);
	assert_int_equal(dxmit_stamp_read_full(frame, LENGTH, &full), 0);
	dxmit_stamp_write_full(frame, &place, &stamp);
	frame[46] = 3; /* a version of the future */
	assert_int_equal(dxmit_stamp_read(frame, LENGTH, &small), 0);
	assert_int_equal(dxmit_stamp_read_full(frame, LENGTH, &full), 0);
	frame[46] = 2;
	frame[39] = 8 + 31; /* UDP length: too short for it */
	assert_int_equal(dxmit_stamp_read_full(frame, LENGTH, &full), 0);
}

static void test_pktgen_header(void **state)
{
	uint8_t frame[LENGTH];
	uint32_t i;

	(void)state;
	build(frame);
	for (i = 0; i < 70000; i++) {
		dxmit_pktgen_write(frame, &place, i, 1764590000123456789u + i);
		checksum_is_right(frame);
	}
	assert_int_equal(big(frame + 42, 4), 0xbe9be955);
	assert_int_equal(big(frame + 46, 4), 69999);
	assert_int_equal(big(frame + 50, 4), 1764590000);
	assert_int_equal(big(frame + 54, 4), 123526);
	assert_int_equal(frame[58], 16);
}

/* No checksum is kept as none; a place without one leaves the header alone. */
static void test_without_checksum(void **state)
{
	static const struct dxmit_stamp_place bare = { .at = 42 };
	uint8_t frame[LENGTH], before[LENGTH];

	(void)state;
	build(frame);
	memset(frame + 40, 0, 2);
	dxmit_pktgen_write(frame, &place, 1, 1);
	assert_int_equal(big(frame + 40, 2), 0);
	build(frame);
	memcpy(before, frame, LENGTH);
	dxmit_pktgen_write(frame, &bare, 1, 1);
	assert_memory_equal(frame, before, 42);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_full_stamp),
		cmocka_unit_test(test_readers_take_what_they_know),
		cmocka_unit_test(test_pktgen_header),
		cmocka_unit_test(test_without_checksum),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
