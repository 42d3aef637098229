/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A comparison with known figures: three legs that were measured in six rounds, one
 * that could not run and one that broke off; and a way to catch what is written.
 */
#ifndef UNIT_COMPARISON_FIXTURE_H
#define UNIT_COMPARISON_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "judgement.h"

#define FIXTURE_ROUNDS 6
#define FIXTURE_LEGS 5

static inline char *owned(const char *text)
{
	char *copy = strdup(text);

	assert_non_null(copy);
	return copy;
}

/* Rounds of one second, the rate rising by 0.1 % from one to the next. */
static inline void fixture_samples(struct comparison_cell *cell, uint64_t pps)
{
	uint32_t i;

	for (i = 0; i < FIXTURE_ROUNDS; i++) {
		struct comparison_sample sample = {
			.round = i + 1,
			.place = i % 3,
			.start_unix_ns = 1764600000000000000u + i,
			.ns = 1000000000,
			.packets = pps + i * pps / 1000,
			.bytes = 60 * (pps + i * pps / 1000),
			.kicks = pps / 32,
			.lost = 1,
			.cpu_user_ns = 100000000,
			.cpu_system_ns = 800000000,
			.ksoftirqd_ns = 50000000,
			.softirq_ns = 300000000,
			.life_packets = 2 * pps,
			.life_own = 2 * pps,
		};

		assert_int_equal(comparison_add_sample(cell, &sample), 0);
	}
}

static inline void fixture_cell(struct comparison_cell *cell, const char *leg,
				const char *path, uint64_t pps)
{
	cell->leg = owned(leg);
	cell->wire_size = 64;
	cell->queues = 1;
	if (!pps)
		return;
	cell->mode = owned("copy");
	cell->path = owned(path);
	cell->witness = owned("far end");
	fixture_samples(cell, pps);
}

static inline void fixture_functions(struct comparison_cell *cell, uint64_t validate)
{
	cell->function = calloc(2, sizeof(*cell->function));
	assert_non_null(cell->function);
	cell->functions = 2;
	cell->function[0] =
		(struct comparison_function){ owned("sock_wfree"), true, 600 };
	cell->function[1] = (struct comparison_function){ owned("validate_xmit_skb"),
							  true, validate };
	cell->profile_hits = 1000;
}

/* comparison_free() is due. */
static inline void fixture_comparison(struct comparison *c)
{
	memset(c, 0, sizeof(*c));
	c->kernel = owned("6.12.1-test");
	c->machine = owned("Processor 9000");
	c->hostname = owned("bench");
	c->version = owned("0.1.0");
	c->cpus = 4;
	c->interface = owned("dxmit0");
	c->driver = owned("veth");
	c->placement = owned("queue 0 on CPU 1, node 0");
	c->command_line = owned("dxmit compare --sandbox");
	c->start_unix_ns = 1764600000000000000u;
	c->window_seconds = 1;
	c->warm_up_seconds = 0.25;
	c->seed = 18446744073709551557u; /* beyond int64_t and double */
	c->rounds = FIXTURE_ROUNDS;
	c->cell = calloc(FIXTURE_LEGS, sizeof(*c->cell));
	assert_non_null(c->cell);
	c->cells = FIXTURE_LEGS;
	fixture_cell(&c->cell[0], "copy", "kernel", 1000000);
	fixture_cell(&c->cell[1], "direct", "direct", 1250000);
	fixture_cell(&c->cell[2], "zerocopy", NULL, 0);
	c->cell[2].unavailable = owned("the driver has no zero-copy mode");
	fixture_cell(&c->cell[3], "same", "kernel", 1000000);
	fixture_cell(&c->cell[4], "exec:./other", NULL, 0);
	c->cell[4].failure = owned("ended by signal 11");
	c->cell[4].output = owned("about to crash\n");
	c->profile_how = owned("all on the senders' CPUs, by a timer");
	fixture_functions(&c->cell[0], 100);
	fixture_functions(&c->cell[1], 5);
}

/* What a writer of a judged comparison prints; free() it. */
static inline char *written(void (*write)(const struct comparison *,
					  const struct judgement *, FILE *),
			    const struct comparison *c)
{
	struct judgement judgement;
	char *text = NULL;
	size_t length;
	FILE *out = open_memstream(&text, &length);

	assert_non_null(out);
	assert_int_equal(judge(c, &judgement), 0);
	write(c, &judgement, out);
	judgement_free(&judgement);
	assert_int_equal(fclose(out), 0);
	return text;
}

#endif
