/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Guards the profiler's reading of the kernel's rings, on plain memory: records across
 * the end, records that were not asked for, rings that are damaged.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

#include "profiler_ring.h"

#define RING_DATA 512u

struct plain_ring {
	struct perf_event_mmap_page page;
	uint64_t data[RING_DATA / sizeof(uint64_t)];
};

static struct profiler_ring ring_of(struct plain_ring *plain, uint64_t at)
{
	memset(plain, 0, sizeof(*plain));
	plain->page.data_offset = offsetof(struct plain_ring, data);
	plain->page.data_size = RING_DATA;
	plain->page.data_head = plain->page.data_tail = at;
	return (struct profiler_ring){ .page = &plain->page };
}

/* As the kernel writes it: in units of 8 bytes, across the end. */
static void put(struct plain_ring *plain, uint16_t size, uint64_t value)
{
	struct perf_event_header header = { .type = PERF_RECORD_SAMPLE, .size = size };
	uint64_t at = plain->page.data_head / 8, i;

	memcpy(&plain->data[at % (RING_DATA / 8)], &header, sizeof(header));
	for (i = 1; i < size / 8u; i++)
		plain->data[(at + i) % (RING_DATA / 8)] = value;
	plain->page.data_head += size;
}

struct taken {
	uint64_t value[64];
	uint32_t count;
};

static void take(void *context, const struct perf_event_header *record)
{
	struct taken *taken = context;
	uint64_t last;

	memcpy(&last, (const char *)record + record->size - 8, sizeof(last));
	taken->value[taken->count++ % 64] = last;
}

/* Every place where a record may begin, also where counts of bytes overflow. */
static void rings_wrap(void **state)
{
	static const uint64_t bases[] = { 0, 0 - (uint64_t)RING_DATA };
	struct plain_ring plain;
	uint64_t at;
	uint32_t i;

	(void)state;
	for (at = 0; at < 2 * RING_DATA; at += 8) {
		struct profiler_ring ring = ring_of(&plain, bases[at & 8 ? 1 : 0] + at);
		struct taken taken = { 0 };

		for (i = 0; i < RING_DATA / 24; i++)
			put(&plain, 24, 100 + i);
		assert_int_equal(profiler_ring_drain(&ring, take, &taken), 0);
		assert_int_equal(taken.count, RING_DATA / 24);
		for (i = 0; i < taken.count; i++)
			assert_int_equal(taken.value[i], 100 + i);
		assert_true(plain.page.data_tail == plain.page.data_head);
		assert_int_equal(profiler_ring_drain(&ring, take, &taken), 0);
		assert_int_equal(taken.count, RING_DATA / 24);
	}
}

static void long_records_are_passed_over(void **state)
{
	struct plain_ring plain;
	struct profiler_ring ring = ring_of(&plain, 480);
	struct taken taken = { 0 };

	(void)state;
	put(&plain, 24, 1);
	put(&plain, 400, 2);
	put(&plain, 64, 3);
	assert_int_equal(profiler_ring_drain(&ring, take, &taken), 0);
	assert_int_equal(taken.count, 2);
	assert_int_equal(taken.value[0], 1);
	assert_int_equal(taken.value[1], 3);
}

static void a_full_ring_is_seen(void **state)
{
	struct plain_ring plain;
	struct profiler_ring ring = ring_of(&plain, 0 - (uint64_t)64);
	struct taken taken = { 0 };
	uint32_t i;

	(void)state;
	for (i = 0; i < RING_DATA / 64; i++) {
		assert_false(profiler_ring_is_full(&ring));
		put(&plain, 64, i);
	}
	assert_true(profiler_ring_is_full(&ring));
	assert_int_equal(profiler_ring_drain(&ring, take, &taken), 0);
	assert_int_equal(taken.count, RING_DATA / 64);
	assert_false(profiler_ring_is_full(&ring));
}

static void damaged_rings_are_emptied(void **state)
{
	static const struct {
		uint16_t size;
		uint64_t ahead; /* of the head, before the tail */
	} cases[] = {
		{ 0, 24 }, { 7, 24 }, { 32, 24 }, { 24, RING_DATA + 24 }, { 24, 4 }
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct perf_event_header header = { .type = PERF_RECORD_SAMPLE,
						    .size = cases[i].size };
		struct plain_ring plain;
		struct profiler_ring ring = ring_of(&plain, 8 * i);
		struct taken taken = { 0 };

		memcpy(&plain.data[i], &header, sizeof(header));
		plain.page.data_head += cases[i].ahead;
		assert_int_equal(profiler_ring_drain(&ring, take, &taken), 1);
		assert_int_equal(taken.count, 0);
		assert_true(plain.page.data_tail == plain.page.data_head);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(rings_wrap),
		cmocka_unit_test(long_records_are_passed_over),
		cmocka_unit_test(a_full_ring_is_seen),
		cmocka_unit_test(damaged_rings_are_emptied),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("profiler ring", tests, NULL, NULL);
}
