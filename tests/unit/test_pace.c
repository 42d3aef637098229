/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Guards the schedule with a fake clock against rational arithmetic: counts
 * exact at any moment, each packet of the run sent by one queue at its time,
 * no drift past 2^32 ns or 2^53 packets, bounded catching up, no bursts.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>

#include "pace.h"

typedef unsigned __int128 u128;

#define MAX_QUEUES 7u
#define SECOND 1000000000ull
#define SCALE 1000000000000000ull /* ns times micro-packets per packet */

/* 0.25, 1, 10, 999, 150000, 10^9 packets a second; and two that no count of
 * nanoseconds divides. */
static const uint64_t rates[] = {
	250000,    1000000,           10000000,
	999000000, 150000000000ull,   1000000000000000ull,
	3000000,   14880952380952ull,
};
#define RATES (sizeof(rates) / sizeof(rates[0]))

/* Before, at and past where 32 and 53 bits end. */
static const uint64_t starts[] = {
	0, 1, (1ull << 32) - 5 * SECOND / 10, (1ull << 53) - 3, 1ull << 62,
};
#define STARTS (sizeof(starts) / sizeof(starts[0]))

static uint64_t random_state;

static uint64_t random_below(uint64_t limit)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return random_state % limit;
}

/* When packet g of the run is due: the first whole ns at or after g / rate. */
static uint64_t packet_ns(uint64_t g, uint64_t rate)
{
	return (uint64_t)(((u128)g * SCALE + rate - 1) / rate);
}

/* How many packets of the run are due t after its start. */
static uint64_t packets_by(uint64_t t, uint64_t rate)
{
	return (uint64_t)((u128)t * rate / SCALE) + 1;
}

/* Steps below a packet's time, so that nothing is ever given up. */
static void count_is_exact(uint64_t rate, uint64_t start, uint32_t queues)
{
	uint64_t sent[MAX_QUEUES] = { 0 };
	struct pace pace[MAX_QUEUES];
	uint64_t gap_ns = packet_ns(1, rate), t = 0;
	uint32_t i, step;

	for (i = 0; i < queues; i++) {
		pace_init(&pace[i], rate, queues, i, 64);
		pace_start(&pace[i], start);
	}
	for (step = 0; step < 3000; step++) {
		uint64_t all = 0;

		for (i = 0; i < queues; i++) {
			sent[i] += pace_due(&pace[i], start + t, sent[i]);
			assert_true(pace_due(&pace[i], start + t, sent[i]) == 0);
			assert_true(pace[i].start_ns == start);
			all += sent[i];
		}
		assert_true(all == packets_by(t, rate));
		t += 1 + random_below(gap_ns);
	}
}

static void counts_are_exact(void **state)
{
	uint32_t rate, start, queues;

	(void)state;
	random_state = 88172645463325252ull;
	for (rate = 0; rate < RATES; rate++)
		for (start = 0; start < STARTS; start++)
			for (queues = 1; queues <= MAX_QUEUES; queues++)
				count_is_exact(rates[rate], starts[start], queues);
}

/* Packet g belongs to queue g mod Q alone, due in its very nanosecond. */
static void packet_is_due(uint64_t rate, uint64_t start, uint32_t queues, uint64_t g)
{
	uint64_t sent = g / queues, at_ns = start + packet_ns(g, rate);
	struct pace pace;

	pace_init(&pace, rate, queues, (uint32_t)(g % queues), 64);
	pace_start(&pace, start);
	assert_true(pace_next_ns(&pace, sent) == at_ns);
	assert_true(pace_due(&pace, at_ns, sent) == 1);
	assert_true(pace_due(&pace, at_ns, sent + 1) == 0);
	if (at_ns > start)
		assert_true(pace_due(&pace, at_ns - 1, sent) == 0);
	assert_true(pace.start_ns == start);
}

static void packets_are_spaced_evenly(void **state)
{
	uint32_t rate, start, queues;
	uint64_t g;

	(void)state;
	for (rate = 0; rate < RATES; rate++)
		for (start = 0; start < STARTS; start++)
			for (queues = 1; queues <= MAX_QUEUES; queues++)
				for (g = 0; g < 300; g++)
					packet_is_due(rates[rate], starts[start], queues,
						      g);
}

/* 2^32 and 2^53 packets, and 2^32 ns at every rate: no bit is lost. */
static void large_numbers(void **state)
{
	uint32_t rate, queues;
	uint64_t g;

	(void)state;
	for (queues = 1; queues <= MAX_QUEUES; queues++) {
		for (g = (1ull << 32) - 40; g < (1ull << 32) + 40; g++)
			packet_is_due(rates[5], 12345, queues, g);
		for (g = (1ull << 53) - 40; g < (1ull << 53) + 40; g++) {
			packet_is_due(rates[5], 12345, queues, g);
			packet_is_due(rates[7], 12345, queues, g);
		}
		for (rate = 0; rate < RATES; rate++) {
			uint64_t near = packets_by(1ull << 32, rates[rate]);

			for (g = near > 5 ? near - 5 : 0; g < near + 5; g++)
				packet_is_due(rates[rate], 0, queues, g);
		}
	}
}

static void before_the_start_nothing_is_due(void **state)
{
	struct pace pace;

	(void)state;
	pace_init(&pace, rates[4], 2, 0, 64);
	pace_start(&pace, 10 * SECOND);
	assert_true(pace_due(&pace, 10 * SECOND - 1, 0) == 0);
	assert_true(pace_due(&pace, 0, 0) == 0);
	assert_true(pace_due(&pace, 10 * SECOND, 0) == 1);
}

static void without_a_rate_all_is_due(void **state)
{
	struct pace pace;

	(void)state;
	pace_init(&pace, 0, 4, 3, 64);
	pace_start(&pace, SECOND);
	assert_true(pace_due(&pace, SECOND, UINT64_MAX) == UINT64_MAX);
	assert_true(pace_next_ns(&pace, 1000) <= SECOND);
}

/* Held up for a second to a day: at most a tenth of a second's worth, or the
 * batch, at once; then the schedule goes on from there, at the same rate. */
static void backlog_is_bounded(void **state)
{
	static const uint64_t held_ns[] = { SECOND, 3600 * SECOND, 86400 * SECOND };
	uint32_t rate, queues, i;

	(void)state;
	for (rate = 0; rate < RATES; rate++)
		for (queues = 1; queues <= MAX_QUEUES; queues++)
			for (i = 0; i < 3; i++) {
				uint64_t most = rates[rate] / 10 / 1000000 / queues;
				uint64_t now = held_ns[i], sent = 5, due, gap_ns;
				struct pace pace;

				pace_init(&pace, rates[rate], queues, queues - 1, 64);
				pace_start(&pace, 0);
				if (most < 64)
					most = 64;
				if (rates[rate] < 1000000000u)
					most = 1;
				due = pace_due(&pace, now, sent);
				assert_true(due <= most);
				if (packets_by(now, rates[rate]) / queues >
				    most + sent + 1)
					assert_true(due == most);
				sent += due;
				assert_in_range(pace_due(&pace, now, sent), 0, 1);
				/* From now on one packet a gap again. */
				sent += pace_due(&pace, now, sent);
				gap_ns = packet_ns(queues, rates[rate]);
				due = pace_due(&pace, now + 10 * gap_ns, sent);
				assert_in_range(due, most < 10 ? most : 10,
						most < 11 ? most : 11);
			}
}

/* C10: 10 pps in batches of 64, n 30, by a loop that is up to 3 ms late and is
 * once held up for a second: never two frames together, else 100 ms apart. */
static void low_rates_never_burst(void **state)
{
	uint64_t now = 0, sent = 0, last = 0, held_at = 15;
	struct pace pace;

	(void)state;
	random_state = 4101842887655102017ull;
	pace_init(&pace, 10000000, 1, 0, 64);
	pace_start(&pace, 0);
	while (sent < 30) {
		uint64_t due = pace_due(&pace, now, sent);

		assert_true(due <= 1);
		if (due) {
			uint64_t gap_ns = now - last;

			if (sent && sent != held_at && sent != held_at + 1)
				assert_in_range(gap_ns, 95000000, 105000000);
			if (sent)
				assert_true(gap_ns > 3000000);
			last = now;
			sent++;
			if (sent == held_at)
				now += SECOND + 40000000;
		}
		now += 1 + random_below(3000000);
	}
	/* The second was given up, not caught up. */
	assert_in_range(last, 2900000000u + 900000000, 2900000000u + 1105000000);
}

/* C22: ten seconds at each rate, with a loop that looks when told to. */
static void ten_seconds_are_exact(void **state)
{
	uint32_t rate;

	(void)state;
	for (rate = 0; rate < RATES; rate++) {
		uint64_t now = 7, sent = 0, turns = 0;
		struct pace pace;

		pace_init(&pace, rates[rate], 1, 0, 512);
		pace_start(&pace, now);
		while (now < 7 + 10 * SECOND && turns < 3000000) {
			sent += pace_due(&pace, now, sent);
			assert_true(pace_next_ns(&pace, sent) > now);
			now = pace_next_ns(&pace, sent) +
			      (rates[rate] > 1000000000000ull ? 5000 : 0);
			turns++;
		}
		assert_true(now >= 7 + 10 * SECOND);
		assert_true(pace.start_ns == 7);
		sent += pace_due(&pace, now, sent);
		assert_true(sent == packets_by(now - 7, rates[rate]));
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(counts_are_exact),
		cmocka_unit_test(packets_are_spaced_evenly),
		cmocka_unit_test(large_numbers),
		cmocka_unit_test(before_the_start_nothing_is_due),
		cmocka_unit_test(without_a_rate_all_is_due),
		cmocka_unit_test(backlog_is_bounded),
		cmocka_unit_test(low_rates_never_burst),
		cmocka_unit_test(ten_seconds_are_exact),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("pace", tests, NULL, NULL);
}
