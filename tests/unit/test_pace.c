/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Guards the schedule with a fake clock against rational arithmetic: counts
 * exact at any moment, each packet of the run sent by one queue at its time,
 * no drift past 2^32 ns or 2^53 packets, bounded catching up, no bursts but
 * those that were asked for, and an end where the schedule ends.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>

#include "pace.h"
#include "rate.h"

typedef unsigned __int128 u128;

#define MAX_QUEUES 7u
#define SECOND 1000000000ull
#define SLOW 100000000u           /* micro-packets a second; below frames never bunch */
#define SCALE 1000000000000000ull /* ns times micro-packets per packet */

/* 0.25, 1, 10, 999, 150000, 10^9 packets a second; and two that no count of
 * nanoseconds divides. */
static const uint64_t rates[] = {
	250000,           1000000,           10000000,
	999000000,        150000000000ull,   1000000000000000ull,
	3000000,          14880952380952ull, 10000000000ull,
	1000000000000ull,
};
#define RATES (sizeof(rates) / sizeof(rates[0]))

/* A steady rate; the schedule is overwritten by the next call. */
static const struct schedule *steady(uint64_t rate)
{
	static struct schedule schedule;

	schedule.segments = 0;
	assert_int_equal(schedule_add(&schedule, rate, rate, SCHEDULE_ENDLESS), 0);
	return &schedule;
}

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
	/* At low rates a later frame would hold the next one off. */
	uint64_t gap_ns = packet_ns(1, rate) / (rate < SLOW ? 2 : 1), t = 0;
	uint32_t i, step;

	for (i = 0; i < queues; i++) {
		pace_init(&pace[i], steady(rate), queues, i, 64);
		pace_start(&pace[i], start);
	}
	for (step = 0; step < 3000; step++) {
		uint64_t all = 0;

		for (i = 0; i < queues; i++) {
			sent[i] += pace_due(&pace[i], start + t, sent[i]);
			assert_true(pace_due(&pace[i], start + t, sent[i]) == 0);
			assert_true(pace[i].given_up == 0);
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

	pace_init(&pace, steady(rate), queues, (uint32_t)(g % queues), 64);
	pace_start(&pace, start);
	assert_true(pace_next_ns(&pace, sent) == at_ns);
	assert_true(pace_gap_ns(&pace, sent) ==
		    (sent ? packet_ns(g, rate) - packet_ns(g - queues, rate) : 0));
	assert_true(pace_due(&pace, at_ns, sent) == 1);
	assert_true(pace_due(&pace, at_ns, sent + 1) == 0);
	if (at_ns > start)
		assert_true(pace_due(&pace, at_ns - 1, sent) == 0);
	assert_true(pace.given_up == 0);
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
	pace_init(&pace, steady(rates[4]), 2, 0, 64);
	pace_start(&pace, 10 * SECOND);
	assert_true(pace_due(&pace, 10 * SECOND - 1, 0) == 0);
	assert_true(pace_due(&pace, 0, 0) == 0);
	assert_true(pace_due(&pace, 10 * SECOND, 0) == 1);
}

static void without_a_rate_all_is_due(void **state)
{
	static const struct schedule none;
	struct pace pace;

	(void)state;
	pace_init(&pace, NULL, 4, 3, 64);
	pace_start(&pace, SECOND);
	assert_true(pace_due(&pace, SECOND, UINT64_MAX) == UINT64_MAX);
	assert_true(pace_next_ns(&pace, 1000) <= SECOND);
	pace_init(&pace, &none, 4, 3, 64);
	assert_true(pace_due(&pace, SECOND, 0) == UINT64_MAX);
}

/* Held up for a second to a day: at most a tenth of a second's worth, or the
 * batch, at once; then the schedule goes on as if nothing had been. */
static void held_up(uint64_t rate, uint32_t queues, uint64_t now)
{
	uint64_t recent = packets_by(now, rate) - packets_by(now - SECOND / 10, rate);
	uint64_t most = recent / queues + 1 > 64 ? recent / queues + 1 : 64;
	uint64_t sent, due, gap_ns = packet_ns(queues, rate);
	struct pace pace;

	pace_init(&pace, steady(rate), queues, queues - 1, 64);
	pace_start(&pace, 0);
	sent = pace_due(&pace, now, 0);
	assert_true(sent <= most);
	if (packets_by(now, rate) / queues > most + 1)
		assert_true(sent == most && pace.given_up > 0);
	assert_true(pace_due(&pace, now, sent) == 0);
	/* What is next lies on the grid that all queues share. */
	due = pace_next_ns(&pace, sent);
	assert_true(due > now && due <= now + gap_ns + 1);
	assert_true(due == packet_ns((sent + pace.given_up) * queues + queues - 1, rate));
	assert_true(pace_due(&pace, due - 1, sent) == 0);
	assert_true(pace_due(&pace, due, sent) == 1);
	due = pace_due(&pace, now + 10 * gap_ns + 1, sent);
	assert_in_range(due, most < 10 ? most : 10, most < 11 ? most : 11);
}

/* The same below 100 a second: one by one, half a gap apart, then on the grid. */
static void held_up_slowly(uint64_t rate, uint32_t queues, uint64_t now)
{
	uint64_t recent = packets_by(now, rate) - packets_by(now - SECOND / 10, rate);
	uint64_t most = recent / queues + 1 > 2 ? recent / queues + 1 : 2;
	uint64_t all = packets_by(now, rate) / queues; /* the last queue's */
	uint64_t sent = 0, late = 0, gap_ns = packet_ns(queues, rate), last = 0;
	struct pace pace;

	pace_init(&pace, steady(rate), queues, queues - 1, 64);
	pace_start(&pace, 0);
	while (sent < 2 * most + 5) {
		if (pace_due(&pace, now, sent)) {
			uint64_t grid_ns = packet_ns(
				(sent + pace.given_up) * queues + queues - 1, rate);

			assert_true(pace_due(&pace, now, sent) == 0);
			assert_true(!last || now - last >= gap_ns / 2 - 1);
			late += now > grid_ns;
			last = now;
			sent++;
		}
		assert_true(pace_next_ns(&pace, sent) > now);
		now = pace_next_ns(&pace, sent);
	}
	assert_true(pace.given_up == (all > most ? all - most : 0));
	/* Each that is caught up wins half a gap. */
	assert_in_range(late, 0, 2 * most);
}

static void backlog_is_bounded(void **state)
{
	static const uint64_t held_ns[] = { SECOND, 3600 * SECOND, 86400 * SECOND };
	uint32_t rate, queues, i;

	(void)state;
	for (rate = 0; rate < RATES; rate++)
		for (queues = 1; queues <= MAX_QUEUES; queues++)
			for (i = 0; i < 3; i++)
				(rates[rate] < SLOW ? held_up_slowly : held_up)(
					rates[rate], queues, held_ns[i]);
}

/* A ramp that a hold-up of a second interrupts is where it would have been. */
static void a_ramp_keeps_its_time(void **state)
{
	struct schedule ramp = { 0 };
	uint64_t now = 4 * SECOND, due;
	struct pace pace;

	(void)state;
	assert_int_equal(schedule_add(&ramp, 0, 10000000000, 10 * SECOND), 0);
	pace_init(&pace, &ramp, 1, 0, 64);
	pace_start(&pace, 0);
	/* 500 t^2: 12500 by the fifth second, 495 of them in its last tenth, and
	 * a packet that may be begun. */
	due = pace_due(&pace, 5 * SECOND, 8001);
	assert_int_equal(due, 496);
	assert_int_equal(pace.given_up, 12501 - 8001 - 496);
	now = pace_next_ns(&pace, 8001 + due);
	assert_true(now == schedule_time_ns(&ramp, 12501));
	assert_int_equal(pace_due(&pace, 10 * SECOND, 8001 + 496 + 37499 - 300), 300);
	assert_true(pace_next_ns(&pace, 8001 + 496 + 37499) == SCHEDULE_NEVER);
}

/* Over all queues the end comes with the last packet, and none is sent twice;
 * a sender that looks late still sends what the last moments had. */
static void profiles_end_exactly(void **state)
{
	static const uint64_t looks_ns[] = { 1000, 777777, 20000000, 99999999 };
	struct schedule s = { 0 };
	uint32_t queues, i, look;

	(void)state;
	assert_int_equal(schedule_add(&s, 5000000, 2000000000000, 3 * SECOND), 0);
	assert_int_equal(schedule_add(&s, 0, 0, SECOND / 3), 0);
	assert_int_equal(schedule_add(&s, 150000000000, 150000000000, 2 * SECOND), 0);
	for (queues = 1; queues <= MAX_QUEUES; queues++)
		for (look = 1; look < 4; look++) {
			uint64_t all = 0;

			for (i = 0; i < queues; i++) {
				uint64_t sent = 0, now = 0;
				struct pace pace;

				pace_init(&pace, &s, queues, i, 64);
				pace_start(&pace, 0);
				while (pace_next_ns(&pace, sent) != SCHEDULE_NEVER) {
					sent += pace_due(&pace, now, sent);
					now += looks_ns[look];
				}
				assert_int_equal(pace.given_up, 0);
				all += sent;
			}
			/* (5 + 2000000) * 3 / 2 = 3000007.5, and 300000 */
			assert_int_equal(all, 3300008);
		}
}

/* N at once over all queues, a burst that was missed once, none made up for. */
static void bursts_are_whole(void **state)
{
	struct schedule s = { 0 };
	uint32_t queues, i;

	(void)state;
	schedule_set_bursts(&s, 64, SECOND);
	for (queues = 1; queues <= MAX_QUEUES; queues++) {
		uint64_t first = 0, second = 0, after = 0;

		for (i = 0; i < queues; i++) {
			uint64_t sent, due;
			struct pace pace;

			pace_init(&pace, &s, queues, i, 64);
			pace_start(&pace, 0);
			sent = pace_due(&pace, 0, 0);
			first += sent;
			assert_int_equal(pace_due(&pace, SECOND - 1, sent), 0);
			assert_true(pace_next_ns(&pace, sent) == SECOND);
			due = pace_due(&pace, SECOND + 3000000, sent);
			second += due;
			sent += due;
			due = pace_due(&pace, 9 * SECOND + 500000000, sent);
			after += due;
			assert_in_range(due, 64 / queues, 64 / queues + 1);
		}
		assert_int_equal(first, 64);
		assert_int_equal(second, 64);
		assert_in_range(after, 64, 64 + queues);
	}
}

/* C10: 10 pps in batches of 64, n 30, by a loop that is up to 3 ms late and is
 * once held up for a second: never two frames together, else 100 ms apart; all
 * but one of those that were missed are given up. */
static void low_rates_never_burst(void **state)
{
	uint64_t now = 0, sent = 0, last = 0, held_at = 15;
	struct pace pace;

	(void)state;
	random_state = 4101842887655102017ull;
	pace_init(&pace, steady(10000000), 1, 0, 64);
	pace_start(&pace, 0);
	while (sent < 30) {
		uint64_t due = pace_due(&pace, now, sent);

		assert_true(due <= 1);
		if (due) {
			uint64_t gap_ns = now - last;

			/* The one missed and those on its heels: half a gap. */
			if (sent && (sent < held_at || sent > held_at + 3))
				assert_in_range(gap_ns, 95000000, 105000000);
			else if (sent)
				assert_true(gap_ns >= 50000000);
			last = now;
			sent++;
			if (sent == held_at)
				now += SECOND + 40000000;
		}
		now += 1 + random_below(3000000);
	}
	assert_int_equal(pace.given_up, 8);
	assert_in_range(last, 2900000000u + 800000000, 2900000000u + 805000000);
}

/* C22: ten seconds at each rate, with a loop that looks when told to. */
static void ten_seconds_are_exact(void **state)
{
	uint32_t rate;

	(void)state;
	for (rate = 0; rate < RATES; rate++) {
		uint64_t now = 7, sent = 0, turns = 0;
		struct pace pace;

		pace_init(&pace, steady(rates[rate]), 1, 0, 64);
		pace_start(&pace, now);
		while (now < 7 + 10 * SECOND && turns < 3000000) {
			sent += pace_due(&pace, now, sent);
			assert_true(pace_next_ns(&pace, sent) > now);
			now = pace_next_ns(&pace, sent) +
			      (rates[rate] >= 1000000000000ull ? 5000 : 0);
			turns++;
		}
		assert_true(now >= 7 + 10 * SECOND);
		assert_true(pace.given_up == 0);
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
		cmocka_unit_test(a_ramp_keeps_its_time),
		cmocka_unit_test(profiles_end_exactly),
		cmocka_unit_test(bursts_are_whole),
		cmocka_unit_test(low_rates_never_burst),
		cmocka_unit_test(ten_seconds_are_exact),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("pace", tests, NULL, NULL);
}
