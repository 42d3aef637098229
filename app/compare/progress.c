/* SPDX-License-Identifier: BSD-2-Clause */
/* What a comparison says on stderr while it runs. */
#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

#include "compare.h"
#include "sender.h"

/* Rounds in all: those asked for, or those that --until will take. */
static size_t rounds_to_come(const struct compare *c)
{
	uint32_t asked = c->config->compare.rounds;

	return c->predicted > asked ? c->predicted : asked;
}

/* By the rounds so far; 0: not known yet. */
static double seconds_left(const struct compare *c, uint32_t round)
{
	double spent = (double)(clock_ns() - c->start_ns) / 1e9;
	size_t rounds = rounds_to_come(c);

	return round && round <= rounds
		       ? spent / (double)round * (double)(rounds + 1 - round)
		       : 0;
}

/* A terminal keeps one line; a log gets them all. */
static void show(struct compare *c, const char *line)
{
	bool terminal = isatty(STDERR_FILENO);

	if (!terminal && !c->config->verbose)
		return;
	fprintf(stderr, terminal ? "\r\033[K%s" : "%s\n", line);
	fflush(stderr);
	c->told = terminal;
}

void progress_round(struct compare *c, uint32_t round, const char *leg)
{
	const char *of = !c->config->compare.until_ppm ? ""
			 : c->predicted                ? "about "
						       : "at least ";
	double left = seconds_left(c, round);
	char line[160], rest[48] = "";

	if (left > 0)
		snprintf(rest, sizeof(rest), ", about %.0f s left", left);
	if (round == 0)
		snprintf(line, sizeof(line), "warming up: %s", leg);
	else
		snprintf(line, sizeof(line), "round %" PRIu32 " of %s%zu: %.60s%s", round,
			 of, rounds_to_come(c), leg, rest);
	show(c, line);
}

void progress_profile(struct compare *c, const char *leg)
{
	char line[160];

	snprintf(line, sizeof(line), "profile: %s", leg);
	show(c, line);
}

void progress_end(struct compare *c)
{
	if (c->told)
		fputs("\r\033[K", stderr);
	c->told = false;
}
