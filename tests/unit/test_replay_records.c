/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Which records of a capture become frames of a replay, how long these are, and
 * what is said of the others.
 */
#include "replay_fixture.h"

#include <errno.h>

static int open_one(uint32_t captured, uint32_t original,
		    const struct replay_setup *options, struct replay *r)
{
	struct replay_setup setup;

	file_begin(&file, false, false, true);
	make_frame(frame, sizeof(frame), 1, 1);
	put_record(&file, START_NS, frame, captured, captured, original);
	setup = setup_of(file.used);
	setup.config.bad_record = options->config.bad_record;
	setup.config.snapped = options->config.snapped;
	setup.oversize = options->oversize;
	return replay_open(&setup, -1, r);
}

/* Returns the length it is sent with, 0 if it is not, or an error. */
static int length_of(uint32_t captured, uint32_t original,
		     const struct replay_setup *options)
{
	struct replay r;
	int answer = open_one(captured, original, options, &r);
	uint32_t i;

	if (answer == 0) {
		assert_int_equal(r.frames, 1);
		answer = (int)r.frame[0].length;
		assert_int_equal(answer, r.longest);
		assert_int_equal(answer, r.uniform);
		assert_memory_equal(r.bytes, frame, captured);
		for (i = captured; i < (uint32_t)answer; i++)
			assert_int_equal(r.bytes[i], 0);
	}
	replay_close(&r);
	return answer == -ENODATA ? 0 : answer;
}

/* C19: shorter than an Ethernet header is refused, else filled up. */
static void test_short_records(void **state)
{
	const struct replay_setup skip = { 0 };
	const struct replay_setup stop = { .config.bad_record = BAD_RECORD_STOP };
	uint32_t length;

	(void)state;
	for (length = 0; length < 70; length++) {
		int expected = length < 14 ? 0 : length < 60 ? 60 : (int)length;

		assert_int_equal(length_of(length, length, &skip), expected);
		assert_int_equal(length_of(length, length, &stop),
				 length < 14 ? -EPROTO : expected);
	}
}

static void test_snapped_records(void **state)
{
	struct replay_setup options = { 0 };

	(void)state;
	assert_int_equal(length_of(100, 1000, &options), 1000);
	assert_int_equal(length_of(20, 30, &options), 60);
	assert_int_equal(length_of(100, 2000, &options), -EMSGSIZE);
	assert_int_equal(length_of(100, 50, &options), 100);
	assert_int_equal(length_of(100, 0xffffffff, &options), 0);
	options.config.snapped = SNAPPED_SEND;
	assert_int_equal(length_of(100, 1000, &options), 100);
	assert_int_equal(length_of(100, 2000, &options), 100);
	options.config.snapped = SNAPPED_SKIP;
	assert_int_equal(length_of(100, 1000, &options), 0);
	assert_int_equal(length_of(100, 100, &options), 100);
}

/* C18 */
static void test_long_records(void **state)
{
	static const uint32_t lengths[] = { 1514, 1515, 1519, 2048, 2049, 4096 };
	struct replay_setup options = { 0 };
	size_t i;

	(void)state;
	for (i = 0; i < 6; i++) {
		int length = (int)lengths[i];

		options.oversize = OVERSIZE_REFUSE;
		assert_int_equal(length_of(lengths[i], lengths[i], &options),
				 length <= 1514 ? length : -EMSGSIZE);
		options.oversize = OVERSIZE_SKIP;
		assert_int_equal(length_of(lengths[i], lengths[i], &options),
				 length <= 1514 ? length : 0);
		options.oversize = OVERSIZE_SEND;
		assert_int_equal(length_of(lengths[i], lengths[i], &options),
				 length <= 2048 ? length : -EMSGSIZE);
	}
}

/* One tag is 4 bytes on top of the MTU. */
static void test_tags_on_top_of_the_mtu(void **state)
{
	struct replay_setup setup;
	struct replay r;
	uint32_t length;

	(void)state;
	for (length = 1518; length <= 1519; length++) {
		file_begin(&file, false, false, true);
		make_frame(frame, length, 1, 1);
		frame[12] = 0x81;
		frame[13] = 0;
		put_frame(&file, START_NS, frame, length);
		setup = setup_of(file.used);
		assert_int_equal(replay_open(&setup, -1, &r),
				 length == 1518 ? 0 : -EMSGSIZE);
		assert_int_equal(r.stats.fault.record, length == 1518 ? 0 : 1);
		replay_close(&r);
	}
}

/* Good ones around a bad one, then a cut: all that is good is kept. */
static void test_the_good_ones_are_kept(void **state)
{
	struct replay_setup setup;
	struct replay r;

	(void)state;
	file_begin(&file, true, false, true);
	make_frame(frame, 100, 1, 1);
	put_frame(&file, START_NS, frame, 100);
	put_frame(&file, START_NS, frame, 13);
	put_frame(&file, START_NS, frame, 99);
	put_frame(&file, START_NS, frame, 98);
	setup = setup_of(file.used - 1);
	assert_int_equal(replay_open(&setup, -1, &r), 0);
	assert_int_equal(r.frames, 2);
	assert_int_equal(r.frame[1].length, 99);
	assert_int_equal(r.stats.records, 2);
	assert_int_equal(r.stats.bytes, 199);
	assert_int_equal(r.stats.bad, 2);
	assert_int_equal(r.stats.fault.record, 2); /* the first */
	assert_int_equal(r.stats.fault.offset, file.record_at[1]);
	replay_close(&r);
}

static void test_nothing_to_send(void **state)
{
	struct replay_setup setup;
	struct replay r;

	(void)state;
	file_begin(&file, false, false, false);
	setup = setup_of(file.used);
	assert_int_equal(replay_open(&setup, -1, &r), -ENODATA);
	replay_close(&r);
	setup = setup_of(0);
	assert_int_equal(replay_open(&setup, -1, &r), -EPROTO);
	replay_close(&r);
	replay_close(&r);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_short_records),
		cmocka_unit_test(test_snapped_records),
		cmocka_unit_test(test_long_records),
		cmocka_unit_test(test_tags_on_top_of_the_mtu),
		cmocka_unit_test(test_the_good_ones_are_kept),
		cmocka_unit_test(test_nothing_to_send),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
