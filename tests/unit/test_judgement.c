/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Guards the judgement of a comparison on plain data: figures by hand, which samples
 * count, which cells are paired and in which rounds, curves and knees, and cells that
 * are empty, broken or full of unknowns.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include <string.h>

#include "judgement.h"

#define CLOSE(x, y) \
	assert_true(fabs((x) - (double)(y)) < 1e-9 * fmax(1, fabs((double)(y))))
#define MOST_CELLS 16
#define MOST_SAMPLES 16

/* A comparison on the test's own memory. */
struct made {
	struct comparison comparison;
	struct comparison_cell cell[MOST_CELLS];
	struct comparison_sample sample[MOST_CELLS][MOST_SAMPLES];
	struct judgement judgement;
};

static void make(struct made *made)
{
	memset(made, 0, sizeof(*made));
	made->comparison.cell = made->cell;
	made->comparison.seed = 1;
}

static struct comparison_cell *add_cell(struct made *made, const char *leg,
					uint32_t wire_size, uint32_t queues,
					uint32_t batch)
{
	size_t at = made->comparison.cells++;
	struct comparison_cell *cell = &made->cell[at];

	assert_true(at < MOST_CELLS);
	cell->leg = (char *)leg;
	cell->wire_size = wire_size;
	cell->queues = queues;
	cell->batch = batch;
	cell->sample = made->sample[at];
	return cell;
}

/* A second in which so many packets of 60 bytes went out. */
static struct comparison_sample *add_sample(struct comparison_cell *cell, uint32_t round,
					    uint64_t packets)
{
	struct comparison_sample *sample = &cell->sample[cell->samples++];

	assert_true(cell->samples <= MOST_SAMPLES);
	*sample = (struct comparison_sample){
		.round = round,
		.ns = 1000000000,
		.packets = packets,
		.bytes = packets * 60,
		.kicks = packets / 50,
		.cpu_user_ns = packets * 20,
		.cpu_system_ns = packets * 300,
		.ksoftirqd_ns = packets * 80,
		.softirq_ns = packets * 100,
	};
	return sample;
}

static void add_rounds(struct comparison_cell *cell, uint32_t rounds, uint64_t packets)
{
	uint32_t i;

	for (i = 1; i <= rounds; i++)
		add_sample(cell, i, packets + packets / 1000 * (i * 7 % 5));
}

static void judge_it(struct made *made)
{
	assert_int_equal(judge(&made->comparison, &made->judgement), 0);
	assert_int_equal(made->judgement.cells, made->comparison.cells);
}

static void figures_by_hand(void **state)
{
	struct made made;
	struct comparison_cell *cell;
	struct comparison_sample *sample;
	const struct judgement_cell *judged;

	(void)state;
	make(&made);
	cell = add_cell(&made, "copy", 64, 1, 64);
	sample = add_sample(cell, 1, 1000000);
	sample->ns = 500000000;
	sample->lost = 7;
	judge_it(&made);
	judged = &made.judgement.cell[0];
	assert_int_equal(judged->rounds, 1);
	CLOSE(judged->pps.median, 2000000);
	CLOSE(judged->l2_bps.median, 2000000 * 64.0 * 8);
	CLOSE(judged->l1_bps.median, 2000000 * 84.0 * 8);
	CLOSE(judged->ns_per_packet.median, 500);
	CLOSE(judged->cpu.median, 0.4);
	CLOSE(judged->cpu_user.median, 0.02);
	CLOSE(judged->cpu_system.median, 0.3);
	CLOSE(judged->cpu_softirq.median, 0.1);
	CLOSE(judged->kicks_per_second.median, 40000);
	CLOSE(judged->packets_per_kick.median, 50);
	assert_int_equal(judged->lost, 7);
	assert_int_equal(made.judgement.pairs, 0);
	assert_int_equal(made.judgement.curves, 0);
	judgement_free(&made.judgement);
	judgement_free(&made.judgement);
}

static void disturbed_samples_do_not_count(void **state)
{
	struct made made;
	struct comparison_cell *cell;

	(void)state;
	make(&made);
	cell = add_cell(&made, "copy", 64, 1, 0);
	add_sample(cell, 1, 100)->lost = 1;
	add_sample(cell, 2, 900000)->disturbed = true;
	cell->sample[1].lost = 5;
	add_sample(cell, 2, 300)->lost = 2;
	add_sample(cell, 3, 200);
	add_sample(cell, 4, 1)->ns = 0;
	add_sample(cell, 5, COMPARISON_UNKNOWN);
	judge_it(&made);
	assert_int_equal(made.judgement.cell[0].rounds, 3);
	CLOSE(made.judgement.cell[0].pps.median, 200);
	assert_int_equal(made.judgement.cell[0].lost, 3);
	judgement_free(&made.judgement);
}

static void what_nobody_knows(void **state)
{
	struct made made;
	struct comparison_cell *cell;
	const struct judgement_cell *judged = NULL;
	uint32_t i;

	(void)state;
	make(&made);
	cell = add_cell(&made, "exec", 64, 1, 0);
	for (i = 1; i <= 3; i++) {
		struct comparison_sample *sample = add_sample(cell, i, 1000);

		sample->kicks = COMPARISON_UNKNOWN;
		sample->ksoftirqd_ns = COMPARISON_UNKNOWN;
		if (i == 2)
			sample->lost = COMPARISON_UNKNOWN;
	}
	add_cell(&made, "direct", 64, 1, 0)->unavailable = (char *)"no module";
	judge_it(&made);
	judged = made.judgement.cell;
	CLOSE(judged[0].pps.median, 1000);
	assert_true(isnan(judged[0].kicks_per_second.median));
	assert_true(isnan(judged[0].packets_per_kick.median));
	assert_true(isnan(judged[0].cpu.median));
	CLOSE(judged[0].cpu_user.median, 0.02);
	assert_true(judged[0].lost == COMPARISON_UNKNOWN);
	assert_int_equal(judged[1].rounds, 0);
	assert_true(isnan(judged[1].pps.median));
	assert_true(judged[1].lost == COMPARISON_UNKNOWN);
	judgement_free(&made.judgement);
}

/* Nothing was sent: a rate of 0, and no figure per packet. */
static void a_leg_that_sends_nothing(void **state)
{
	struct made made;
	const struct judgement *judged;

	(void)state;
	make(&made);
	add_rounds(add_cell(&made, "copy", 64, 1, 0), 8, 100000);
	add_rounds(add_cell(&made, "dead", 64, 1, 0), 8, 0);
	judge_it(&made);
	judged = &made.judgement;
	assert_true(judged->cell[1].pps.median == 0);
	assert_true(isnan(judged->cell[1].ns_per_packet.median));
	assert_true(isnan(judged->cell[1].packets_per_kick.median));
	assert_int_equal(judged->pairs, 1);
	assert_int_equal(judged->pair[0].rate.rounds, 0);
	assert_int_equal(judged->pair[0].rate.verdict, VERDICT_TOO_FEW);
	assert_true(judged->pair[0].final);
	assert_true(judgement_precision(judged) == 0);
	judgement_free(&made.judgement);
}

static void pairs_are_of_one_setting(void **state)
{
	struct made made;
	const struct judgement_pair *pair;

	(void)state;
	make(&made);
	add_rounds(add_cell(&made, "copy", 64, 1, 0), 8, 100000);
	add_rounds(add_cell(&made, "direct", 64, 1, 0), 8, 200000);
	add_rounds(add_cell(&made, "udp", 64, 1, 0), 8, 50000);
	add_rounds(add_cell(&made, "copy", 128, 1, 0), 8, 100000);
	add_rounds(add_cell(&made, "direct", 128, 2, 0), 8, 100000);
	add_rounds(add_cell(&made, "udp", 128, 1, 64), 8, 100000);
	add_cell(&made, "direct", 128, 1, 0)->ring = 512;
	judge_it(&made);
	pair = made.judgement.pair;
	assert_int_equal(made.judgement.pairs, 3);
	assert_true(pair[0].a == 0 && pair[0].b == 1);
	assert_true(pair[1].a == 0 && pair[1].b == 2);
	assert_true(pair[2].a == 1 && pair[2].b == 2);
	CLOSE(pair[0].rate.ratio, 2);
	assert_int_equal(pair[0].rate.verdict, VERDICT_FASTER);
	assert_int_equal(pair[0].ns_per_packet.verdict, VERDICT_SLOWER);
	CLOSE(pair[0].ns_per_packet.ratio, 0.5);
	assert_true(fabs(pair[0].ns_per_packet.difference + 5000) < 50);
	assert_int_equal(pair[0].cpu.verdict, VERDICT_NONE);
	CLOSE(pair[0].cpu.ratio, 1);
	CLOSE(pair[1].rate.ratio, 0.5);
	judgement_free(&made.judgement);
}

/* By the number of the round, whatever the order and the gaps. Round 3 is too fast
 * by far in both: paired with another it would show. */
static void rounds_are_paired_by_number(void **state)
{
	const uint32_t order_a[] = { 1, 2, 3, 4, 5, 6, 7, 8 };
	const uint32_t order_b[] = { 9, 8, 3, 7, 5, 4, 2, 6 };
	struct made made;
	struct comparison_cell *a, *b;
	uint32_t i;

	(void)state;
	make(&made);
	a = add_cell(&made, "copy", 64, 1, 0);
	b = add_cell(&made, "direct", 64, 1, 0);
	for (i = 0; i < 8; i++) {
		add_sample(a, order_a[i], 1000 * (order_a[i] == 3 ? 100 : order_a[i]));
		add_sample(b, order_b[i], 3000 * (order_b[i] == 3 ? 100 : order_b[i]));
	}
	a->sample[4].disturbed = true; /* round 5 */
	judge_it(&made);
	assert_int_equal(made.judgement.pair[0].rate.rounds, 6);
	CLOSE(made.judgement.pair[0].rate.low, 3);
	CLOSE(made.judgement.pair[0].rate.high, 3);
	judgement_free(&made.judgement);
}

/* A figure unknown in some rounds is compared in the others. */
static void effects_have_rounds_of_their_own(void **state)
{
	struct made made;
	uint32_t i;

	(void)state;
	make(&made);
	add_rounds(add_cell(&made, "copy", 64, 1, 0), 9, 100000);
	add_rounds(add_cell(&made, "direct", 64, 1, 0), 9, 110000);
	made.cell[0].sample[2].cpu_user_ns = COMPARISON_UNKNOWN;
	for (i = 6; i < 9; i++) {
		struct comparison_sample *sample = &made.cell[1].sample[i];

		sample->cpu_user_ns = sample->cpu_system_ns = sample->ksoftirqd_ns = 0;
	}
	judge_it(&made);
	assert_int_equal(made.judgement.pair[0].rate.rounds, 9);
	assert_int_equal(made.judgement.pair[0].rate.verdict, VERDICT_FASTER);
	assert_int_equal(made.judgement.pair[0].cpu.rounds, 5);
	assert_int_equal(made.judgement.pair[0].cpu.verdict, VERDICT_TOO_FEW);
	judgement_free(&made.judgement);
}

/* What else is compared does not change a pair. */
static void a_pair_stands_for_itself(void **state)
{
	struct made alone, among;

	(void)state;
	make(&alone);
	add_rounds(add_cell(&alone, "copy", 64, 1, 0), 8, 100000);
	add_rounds(add_cell(&alone, "direct", 64, 1, 0), 8, 103000);
	alone.cell[1].sample[3].packets += 5000;
	alone.cell[1].sample[6].packets -= 1000;
	judge_it(&alone);
	make(&among);
	add_rounds(add_cell(&among, "udp", 64, 1, 0), 8, 60000);
	add_rounds(add_cell(&among, "copy", 64, 1, 0), 8, 100000);
	add_rounds(add_cell(&among, "direct", 64, 1, 0), 8, 103000);
	among.cell[2].sample[3].packets += 5000;
	among.cell[2].sample[6].packets -= 1000;
	judge_it(&among);
	assert_true(alone.judgement.pair[0].rate.low == among.judgement.pair[2].rate.low);
	assert_true(alone.judgement.pair[0].rate.high ==
		    among.judgement.pair[2].rate.high);
	judgement_free(&alone.judgement);
	judgement_free(&among.judgement);
}

static void curves_and_their_knees(void **state)
{
	static const uint32_t batch[] = { 64, 1, 16, 256 };
	static const uint64_t packets[] = { 98000, 20000, 60000, 100000 };
	struct made made;
	const struct judgement_curve *curve;
	size_t i;

	(void)state;
	make(&made);
	for (i = 0; i < 4; i++) {
		add_rounds(add_cell(&made, "copy", 64, 1, batch[i]), 3, packets[i]);
		add_rounds(add_cell(&made, "udp", 64, 1, batch[i]), i ? 3 : 0, 50000);
	}
	add_rounds(add_cell(&made, "copy", 64, 1, 0), 3, 90000);
	add_rounds(add_cell(&made, "copy", 64, 2, 1), 3, 90000);
	judge_it(&made);
	curve = made.judgement.curve;
	assert_int_equal(made.judgement.curves, 3);
	/* Queues 1 and 2 with batches of 1: two points have no knee. */
	assert_int_equal(curve[0].axis, AXIS_QUEUES);
	assert_int_equal(curve[0].cells, 2);
	assert_true(curve[0].cell[0] == 2 && curve[0].cell[1] == 9);
	assert_int_equal(curve[0].knee, 2);
	assert_int_equal(curve[1].axis, AXIS_BATCH);
	assert_int_equal(curve[1].cells, 4);
	assert_true(curve[1].cell[0] == 2 && curve[1].cell[1] == 4 &&
		    curve[1].cell[2] == 0 && curve[1].cell[3] == 6);
	assert_int_equal(curve[1].knee, 2);
	/* udp has no sample for 64. It is flat. */
	assert_int_equal(curve[2].cells, 3);
	assert_true(curve[2].cell[0] == 3 && curve[2].cell[2] == 7);
	assert_int_equal(curve[2].knee, 0);
	judgement_free(&made.judgement);
}

/* Along sizes the L1 rate has the knee: here a link of 100 Mbit/s binds from 256 on,
 * where packets per second have long begun to fall. */
static void the_knee_of_sizes(void **state)
{
	static const uint32_t size[] = { 64, 128, 256, 512 };
	static const uint64_t packets[] = { 50000, 50000, 45000, 23000 };
	struct made made;
	size_t i;

	(void)state;
	make(&made);
	for (i = 0; i < 4; i++)
		add_sample(add_cell(&made, "copy", size[i], 1, 0), 1, packets[i])->bytes =
			packets[i] * (size[i] - 4);
	add_sample(add_cell(&made, "copy", 0, 1, 0), 1, 70000);
	judge_it(&made);
	assert_int_equal(made.judgement.curves, 1);
	assert_int_equal(made.judgement.curve[0].axis, AXIS_SIZE);
	assert_int_equal(made.judgement.curve[0].cells, 4);
	assert_int_equal(made.judgement.curve[0].knee, 2);
	judgement_free(&made.judgement);
}

/* A against A: two legs of one name are a pair and two curves. */
static void the_same_leg_twice(void **state)
{
	struct made made;
	const struct judgement *judged = &made.judgement;
	size_t i;

	(void)state;
	make(&made);
	for (i = 0; i < 3; i++) {
		add_rounds(add_cell(&made, "copy", 64, (uint32_t)i + 1, 0), 8, 100000);
		add_rounds(add_cell(&made, "copy", 64, (uint32_t)i + 1, 0), 8, 100000);
	}
	judge_it(&made);
	assert_int_equal(judged->pairs, 3);
	assert_int_equal(judged->pair[0].rate.verdict, VERDICT_NONE);
	assert_int_equal(judged->curves, 2);
	assert_true(judged->curve[0].cell[0] == 0 && judged->curve[0].cell[2] == 4);
	assert_true(judged->curve[1].cell[0] == 1 && judged->curve[1].cell[2] == 5);
	judgement_free(&made.judgement);
}

static void precision(void **state)
{
	struct made made;
	double both;
	size_t rounds;

	(void)state;
	make(&made);
	judge_it(&made);
	assert_true(judgement_precision(&made.judgement) == 0);
	add_rounds(add_cell(&made, "copy", 64, 1, 0), 8, 100000);
	add_rounds(add_cell(&made, "direct", 64, 1, 0), 8, 200000);
	made.cell[1].sample[2].packets *= 2;
	made.cell[1].sample[3].packets *= 2;
	judge_it(&made);
	both = judgement_precision(&made.judgement);
	assert_true(both > 0.05 && both < 1);
	CLOSE(both, judgement_half_width(&made.judgement.pair[0].rate));
	/* An interval of half the width takes four times the rounds, nearly. */
	rounds = judgement_rounds(&made.judgement, both);
	assert_in_range(rounds, 7, 9);
	assert_in_range(judgement_rounds(&made.judgement, both / 2), 3 * rounds,
			4 * rounds);
	judgement_free(&made.judgement);
	/* The widest counts, not the last: here copy against direct. */
	add_rounds(add_cell(&made, "copy", 64, 2, 0), 8, 100000);
	add_rounds(add_cell(&made, "direct", 64, 2, 0), 8, 200000);
	judge_it(&made);
	assert_int_equal(made.judgement.pairs, 2);
	CLOSE(judgement_precision(&made.judgement), both);
	judgement_free(&made.judgement);
	made.comparison.cells = 2;
	memset(&made.cell[2], 0, 2 * sizeof(made.cell[2]));
	/* One that will not come is not waited for, one that may still come is. */
	add_cell(&made, "zerocopy", 64, 1, 0)->unavailable = (char *)"no driver";
	judge_it(&made);
	assert_int_equal(made.judgement.pairs, 3);
	CLOSE(judgement_precision(&made.judgement), both);
	judgement_free(&made.judgement);
	made.cell[2].unavailable = NULL;
	add_rounds(&made.cell[2], STATISTICS_MIN_ROUNDS - 1, 100000);
	judge_it(&made);
	assert_true(isinf(judgement_precision(&made.judgement)));
	assert_int_equal(judgement_rounds(&made.judgement, both), 0);
	judgement_free(&made.judgement);
	made.cell[2].failure = (char *)"killed by signal 9";
	judge_it(&made);
	assert_int_equal(judgement_rounds(&made.judgement, both), rounds);
	CLOSE(judgement_precision(&made.judgement), both);
	judgement_free(&made.judgement);
}

/* Numbers as a hand-made file may hold them: no crash, no endless text. */
static void absurd_numbers(void **state)
{
	struct made made;
	char text[JUDGEMENT_TEXT];
	uint32_t i;

	(void)state;
	make(&made);
	add_cell(&made, "a", UINT32_MAX, UINT32_MAX, UINT32_MAX);
	add_cell(&made, "b", UINT32_MAX, UINT32_MAX, UINT32_MAX);
	for (i = 0; i < 8; i++) {
		struct comparison_sample *sample =
			add_sample(&made.cell[0], UINT32_MAX - i % 7, 1);

		sample->ns = 1;
		sample->packets = sample->bytes = sample->kicks = UINT64_MAX - 1;
		sample->lost = sample->cpu_user_ns = UINT64_MAX - 1;
		add_sample(&made.cell[1], UINT32_MAX - i % 7, 1)->ns = UINT64_MAX - 1;
	}
	judge_it(&made);
	assert_int_equal(made.judgement.pair[0].rate.rounds, 8);
	judgement_verdict_text(&made.judgement.pair[0].rate, text);
	assert_true(strlen(text) < JUDGEMENT_TEXT - 1);
	judgement_time_text(&made.judgement.pair[0].ns_per_packet, "ns", text);
	assert_true(strlen(text) < JUDGEMENT_TEXT - 1);
	judgement_free(&made.judgement);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(figures_by_hand),
		cmocka_unit_test(disturbed_samples_do_not_count),
		cmocka_unit_test(what_nobody_knows),
		cmocka_unit_test(a_leg_that_sends_nothing),
		cmocka_unit_test(pairs_are_of_one_setting),
		cmocka_unit_test(rounds_are_paired_by_number),
		cmocka_unit_test(effects_have_rounds_of_their_own),
		cmocka_unit_test(a_pair_stands_for_itself),
		cmocka_unit_test(curves_and_their_knees),
		cmocka_unit_test(the_knee_of_sizes),
		cmocka_unit_test(the_same_leg_twice),
		cmocka_unit_test(precision),
		cmocka_unit_test(absurd_numbers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
