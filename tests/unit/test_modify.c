/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Modifiers as sequences of values on plain data: every kind, how modifiers move
 * against each other and over queues, cycles, and numbers past 2^32 and 2^53.
 * Checksums are in test_modify_checksum.c, errors in test_modify_refusals.c.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include <dxmit/modify.h>

#define LENGTH 64

static uint8_t template[LENGTH];

static struct dxmit_modify *compile(const struct dxmit_modifier *m, uint32_t n,
				    uint32_t queue, uint32_t queues)
{
	const struct dxmit_modify_spec spec = {
		.size = sizeof(spec),
		.modifier = m,
		.modifiers = n,
		.frame = template,
		.length = LENGTH,
		.queue = queue,
		.queues = queues,
	};
	struct dxmit_modify *program;

	assert_int_equal(dxmit_modify_compile(&spec, &program, NULL), 0);
	return program;
}

/* The field as a number, bit by bit. */
static uint64_t read_field(const uint8_t *frame, const struct dxmit_modifier *m)
{
	uint64_t value = 0;
	uint32_t i;

	for (i = m->bit; i < m->bit + m->bits; i++)
		value = value << 1 | (frame[i / 8] >> (7 - i % 8) & 1);
	return value;
}

/* What packet `number` of a queue has in the field. */
static uint64_t value_at(const struct dxmit_modify *program, uint64_t number,
			 const struct dxmit_modifier *m)
{
	uint8_t frame[LENGTH];
	uint8_t *const frames[] = { frame };

	memcpy(frame, template, LENGTH);
	dxmit_modify_frames(program, frames, 1, number);
	return read_field(frame, m);
}

static void expect(const struct dxmit_modifier *m, const uint64_t *want, uint32_t n)
{
	struct dxmit_modify *program = compile(m, 1, 0, 1);
	uint32_t i;

	for (i = 0; i < n; i++)
		assert_int_equal(value_at(program, i, m), want[i]);
	dxmit_modify_free(&program);
}

#define EXPECT(modifier, ...)                                         \
	do {                                                          \
		const struct dxmit_modifier m_ = modifier;            \
		const uint64_t want_[] = { __VA_ARGS__ };             \
		expect(&m_, want_, sizeof(want_) / sizeof(want_[0])); \
	} while (0)
#define FIELD(...) ((struct dxmit_modifier){ .bit = 8 * 20, .bits = 8, __VA_ARGS__ })

static void test_each_kind(void **state)
{
	static const uint64_t list[] = { 7, 7, 200 };

	(void)state;
	EXPECT(FIELD(.kind = DXMIT_MODIFY_INCREMENT), 0, 1, 2, 3);
	EXPECT(FIELD(.first = 254), 254, 255, 0, 1);
	EXPECT(FIELD(.first = 250, .step = 4), 250, 254, 2, 6);
	EXPECT(FIELD(.kind = DXMIT_MODIFY_DECREMENT, .first = 1), 1, 0, 255, 254);
	EXPECT(FIELD(.kind = DXMIT_MODIFY_DECREMENT, .first = 5, .step = 3), 5, 2, 255);
	EXPECT(FIELD(.kind = DXMIT_MODIFY_RANGE, .first = 9, .last = 11), 9, 10, 11, 9);
	EXPECT(FIELD(.kind = DXMIT_MODIFY_RANGE, .first = 11, .last = 9), 11, 10, 9, 11);
	EXPECT(FIELD(.kind = DXMIT_MODIFY_RANGE, .first = 0, .last = 10, .step = 4), 0, 4,
	       8, 0);
	EXPECT(FIELD(.kind = DXMIT_MODIFY_RANGE, .first = 3, .last = 3), 3, 3, 3);
	EXPECT(FIELD(.kind = DXMIT_MODIFY_LIST, .list = list, .list_values = 3), 7, 7,
	       200, 7, 7);
	EXPECT(FIELD(.kind = DXMIT_MODIFY_RANGE, .last = 2, .hold = 3), 0, 0, 0, 1, 1, 1,
	       2, 2, 2, 0);
}

/* A field of any width at any bit, with nothing else changed. */
static void test_every_place_and_width(void **state)
{
	uint32_t bit, bits, i;

	(void)state;
	for (i = 0; i < LENGTH; i++)
		template[i] = (uint8_t)(i * 37 + 11);
	for (bit = 0; bit < LENGTH * 8; bit++)
		for (bits = 1; bits <= 64 && bit + bits <= LENGTH * 8; bits++) {
			const uint64_t max = UINT64_MAX >> (64 - bits);
			struct dxmit_modifier m = { .bit = bit, .bits = bits };
			struct dxmit_modify *program;
			uint8_t frame[LENGTH], back[LENGTH];
			uint8_t *const frames[] = { frame };

			if (bit % 8 + bits > 64)
				continue;
			m.first = max - max / 3;
			program = compile(&m, 1, 0, 1);
			memcpy(frame, template, LENGTH);
			dxmit_modify_frames(program, frames, 1, 5);
			assert_true(read_field(frame, &m) == ((m.first + 5) & max));
			/* Give the field its old value, bit by bit. */
			memcpy(back, frame, LENGTH);
			for (i = bit; i < bit + bits; i++) {
				const uint8_t one = (uint8_t)(0x80 >> i % 8);

				back[i / 8] = (uint8_t)((back[i / 8] & ~one) |
							(template[i / 8] & one));
			}
			assert_memory_equal(back, template, LENGTH);
			dxmit_modify_free(&program);
		}
}

/* An odometer: 3 by 2 by 2. */
static void test_nested(void **state)
{
	static const uint64_t list[] = { 50, 60 };
	const struct dxmit_modifier m[] = {
		{ .bit = 160, .bits = 8, .kind = DXMIT_MODIFY_RANGE, .last = 2 },
		{ .bit = 200,
		  .bits = 8,
		  .kind = DXMIT_MODIFY_LIST,
		  .list = list,
		  .list_values = 2,
		  .nested = 1 },
		{ .bit = 240,
		  .bits = 16,
		  .kind = DXMIT_MODIFY_RANGE,
		  .first = 9,
		  .last = 8,
		  .nested = 1 },
	};
	struct dxmit_modify *program = compile(m, 3, 0, 1);
	uint64_t p;

	(void)state;
	assert_int_equal(dxmit_modify_cycle(program), 12);
	for (p = 0; p < 30; p++) {
		assert_int_equal(value_at(program, p, &m[0]), p % 3);
		assert_int_equal(value_at(program, p, &m[1]), list[p / 3 % 2]);
		assert_int_equal(value_at(program, p, &m[2]), 9 - p / 6 % 2);
	}
	dxmit_modify_free(&program);
}

/* Side by side: each goes round on its own; the whole after 3 * 4. */
static void test_side_by_side(void **state)
{
	const struct dxmit_modifier m[] = {
		{ .bit = 160, .bits = 8, .kind = DXMIT_MODIFY_RANGE, .last = 2 },
		{ .bit = 200, .bits = 8, .kind = DXMIT_MODIFY_RANGE, .last = 3 },
	};
	struct dxmit_modify *program = compile(m, 2, 0, 1);
	uint64_t p;

	(void)state;
	assert_int_equal(dxmit_modify_cycle(program), 12);
	for (p = 0; p < 30; p++) {
		assert_int_equal(value_at(program, p, &m[0]), p % 3);
		assert_int_equal(value_at(program, p, &m[1]), p % 4);
	}
	dxmit_modify_free(&program);
}

/* The linked pair is one digit of the odometer, between two others. */
static void test_linked(void **state)
{
	const struct dxmit_modifier m[] = {
		{ .bit = 160, .bits = 8, .kind = DXMIT_MODIFY_RANGE, .last = 1 },
		{ .bit = 168,
		  .bits = 8,
		  .kind = DXMIT_MODIFY_RANGE,
		  .last = 4,
		  .nested = 1,
		  .link = 7 },
		{ .bit = 176, .bits = 8, .first = 100, .link = 7 },
		{ .bit = 184,
		  .bits = 8,
		  .kind = DXMIT_MODIFY_RANGE,
		  .last = 2,
		  .nested = 1 },
	};
	struct dxmit_modify *program = compile(m, 4, 0, 1);
	uint64_t p;

	(void)state;
	for (p = 0; p < 200; p++) {
		assert_int_equal(value_at(program, p, &m[0]), p % 2);
		assert_int_equal(value_at(program, p, &m[1]), p / 2 % 5);
		assert_int_equal(value_at(program, p, &m[2]), 100 + p / 2);
		assert_int_equal(value_at(program, p, &m[3]), p / 10 % 3);
	}
	dxmit_modify_free(&program);
}

/* N flows over Q queues: each exactly as often as the others. */
static void test_flows_over_queues(void **state)
{
	static const uint32_t queues[] = { 1, 2, 3, 4 };
	const struct dxmit_modifier m = { .bit = 160,
					  .bits = 32,
					  .kind = DXMIT_MODIFY_RANGE,
					  .first = 1000,
					  .last = 1000 + 11 };
	uint32_t i, q;
	uint64_t k;

	(void)state;
	for (i = 0; i < 4; i++) {
		uint32_t count[12] = { 0 };

		for (q = 0; q < queues[i]; q++) {
			struct dxmit_modify *program = compile(&m, 1, q, queues[i]);

			assert_int_equal(dxmit_modify_cycle(program), 12);
			for (k = 0; k < 120 / queues[i]; k++) {
				uint64_t flow = value_at(program, k, &m) - 1000;

				assert_int_equal(flow, (k * queues[i] + q) % 12);
				count[flow]++;
			}
			dxmit_modify_free(&program);
		}
		for (q = 0; q < 12; q++)
			assert_int_equal(count[q], 10);
	}
}

static void test_per_queue(void **state)
{
	const struct dxmit_modifier m[] = {
		{ .bit = 160,
		  .bits = 16,
		  .kind = DXMIT_MODIFY_RANGE,
		  .first = 10,
		  .last = 14,
		  .per_queue = 1,
		  .queue_step = 1000 },
		{ .bit = 184, .bits = 8, .nested = 1 },
	};
	uint32_t q;
	uint64_t k;

	(void)state;
	for (q = 0; q < 4; q++) {
		struct dxmit_modify *program = compile(m, 2, q, 4);

		for (k = 0; k < 20; k++) {
			assert_int_equal(value_at(program, k, &m[0]),
					 1000 * q + 10 + k % 5);
			assert_int_equal(value_at(program, k, &m[1]), k / 5);
		}
		dxmit_modify_free(&program);
	}
}

static void test_random(void **state)
{
	const struct dxmit_modifier m[] = {
		{ .bit = 160,
		  .bits = 32,
		  .kind = DXMIT_MODIFY_RANDOM,
		  .seed = 1,
		  .first = 100,
		  .last = 190,
		  .step = 10 },
		{ .bit = 224, .bits = 64, .kind = DXMIT_MODIFY_RANDOM, .seed = 1 },
		{ .bit = 320,
		  .bits = 16,
		  .kind = DXMIT_MODIFY_RANDOM,
		  .seed = 1,
		  .period = 50 },
	};
	struct dxmit_modify *program = compile(m, 3, 0, 1), *again = compile(m, 3, 0, 1);
	uint32_t count[10] = { 0 }, i;
	uint64_t p, ones = 0, same = 0;

	(void)state;
	for (p = 0; p < 10000; p++) {
		uint64_t v = value_at(program, p, &m[0]);
		uint64_t wide = value_at(program, p, &m[1]);

		assert_true(v >= 100 && v <= 190 && v % 10 == 0);
		count[v / 10 - 10]++;
		ones += (uint64_t)__builtin_popcountll(wide);
		same += (wide & 0xffff) == value_at(program, p, &m[2]);
		assert_int_equal(value_at(program, p, &m[2]),
				 value_at(again, p % 50, &m[2]));
	}
	for (i = 0; i < 10; i++) /* 1000 ± 5 standard deviations */
		assert_in_range(count[i], 850, 1150);
	assert_in_range(ones, 316000, 324000);
	assert_true(same < 10); /* the same seed, not the same numbers */
	dxmit_modify_free(&program);
	dxmit_modify_free(&again);
}

/* A packet's value does not depend on how the numbers are split over queues. */
static void test_random_does_not_depend_on_queues(void **state)
{
	const struct dxmit_modifier m = {
		.bit = 160, .bits = 48, .kind = DXMIT_MODIFY_RANDOM, .seed = 42
	};
	struct dxmit_modify *one = compile(&m, 1, 0, 1), *of_three;
	uint64_t p;
	uint32_t q;

	(void)state;
	for (q = 0; q < 3; q++) {
		of_three = compile(&m, 1, q, 3);
		for (p = q; p < 1000; p += 3)
			assert_int_equal(value_at(of_three, p / 3, &m),
					 value_at(one, p, &m));
		dxmit_modify_free(&of_three);
	}
	dxmit_modify_free(&one);
}

/* A run of n frames equals n runs of one, over block ends and large numbers. */
static void test_runs_past_2_32_and_2_53(void **state)
{
	static const uint64_t starts[] = { 0, 1, (UINT64_C(1) << 32) - 70,
					   (UINT64_C(1) << 53) - 70,
					   (UINT64_C(1) << 61) - 70 };
	static const uint64_t list[] = { 1, 2, 3, 5, 7, 11, 13 };
	const struct dxmit_modifier m[] = {
		{ .bit = 112, .bits = 64 },
		{ .bit = 184, .bits = 8, .kind = DXMIT_MODIFY_RANGE, .last = 96 },
		{ .bit = 200, .bits = 32, .kind = DXMIT_MODIFY_RANDOM, .period = 1000 },
		{ .bit = 240,
		  .bits = 8,
		  .kind = DXMIT_MODIFY_LIST,
		  .list = list,
		  .list_values = 7,
		  .nested = 1 },
		{ .bit = 256, .bits = 24, .hold = 3 },
	};
	static uint8_t frame[200][LENGTH];
	uint8_t *frames[200];
	struct dxmit_modify *program = compile(m, 5, 1, 3);
	uint32_t s, i;

	(void)state;
	for (s = 0; s < sizeof(starts) / sizeof(starts[0]); s++) {
		for (i = 0; i < 200; i++)
			frames[i] = memcpy(frame[i], template, LENGTH);
		dxmit_modify_frames(program, frames, 200, starts[s]);
		for (i = 0; i < 200; i++) {
			uint64_t k = starts[s] + i, p = k * 3 + 1;

			assert_true(read_field(frame[i], &m[0]) == p);
			assert_int_equal(read_field(frame[i], &m[1]), p % 97);
			assert_int_equal(read_field(frame[i], &m[2]),
					 value_at(program, k, &m[2]));
			assert_int_equal(read_field(frame[i], &m[3]), list[p / 1000 % 7]);
			assert_int_equal(read_field(frame[i], &m[4]), p / 3 & 0xffffff);
		}
	}
	dxmit_modify_free(&program);
}

/* On a queue's reservation, with fixed slots over the end of the ring and from a
 * free list. */
static void test_runs_on_a_queue(void **state)
{
	enum { FRAMES = 128 };
	static uint8_t umem[FRAMES * LENGTH];
	static uint64_t free_addrs[FRAMES];
	const struct dxmit_modifier m = { .bit = 160, .bits = 32 };
	struct dxmit_modify *program = compile(&m, 1, 0, 1);
	struct dxmit_queue q = {
		.umem = umem,
		.free_addrs = free_addrs,
		.tx_mask = FRAMES - 1,
		.free_mask = FRAMES - 1,
		.frame_size = LENGTH,
		.frames = FRAMES,
		.tx_position = UINT32_MAX - 50,
	};
	uint32_t i;

	(void)state;
	for (i = 0; i < FRAMES; i++)
		free_addrs[i] = (uint64_t)((i * 5 + 3) % FRAMES) * LENGTH;
	for (q.fixed_slots = 0; q.fixed_slots < 2; q.fixed_slots++) {
		memset(umem, 0, sizeof(umem));
		dxmit_modify_run(program, &q, 100, 7000);
		for (i = 0; i < FRAMES; i++)
			assert_int_equal(read_field(dxmit_frame(&q, i), &m),
					 i < 100 ? 7000 + i : 0);
	}
	dxmit_modify_free(&program);
}

static void test_cycles(void **state)
{
	const struct dxmit_modifier cases[] = {
		{ .bits = 16 },
		{ .bits = 16, .step = 6 },
		{ .bits = 64 },
		{ .bits = 32, .kind = DXMIT_MODIFY_RANGE, .last = 999999 },
		{ .bits = 32, .kind = DXMIT_MODIFY_RANDOM },
		{ .bits = 32, .kind = DXMIT_MODIFY_RANDOM, .period = 1000000 },
		{ .bits = 8, .hold = 10 },
	};
	static const uint64_t want[] = { 65536, 32768, 0, 1000000, 0, 1000000, 2560 };
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct dxmit_modify *program = compile(&cases[i], 1, 0, 1);

		assert_int_equal(dxmit_modify_cycle(program), want[i]);
		dxmit_modify_free(&program);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_each_kind),
		cmocka_unit_test(test_every_place_and_width),
		cmocka_unit_test(test_nested),
		cmocka_unit_test(test_side_by_side),
		cmocka_unit_test(test_linked),
		cmocka_unit_test(test_flows_over_queues),
		cmocka_unit_test(test_per_queue),
		cmocka_unit_test(test_random),
		cmocka_unit_test(test_random_does_not_depend_on_queues),
		cmocka_unit_test(test_runs_past_2_32_and_2_53),
		cmocka_unit_test(test_runs_on_a_queue),
		cmocka_unit_test(test_cycles),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
