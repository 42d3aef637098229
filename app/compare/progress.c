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

void progress_show(struct compare *c, uint32_t round, const char *what)
{
	bool terminal = isatty(STDERR_FILENO);
	double left = seconds_left(c, round);
	char line[160];
	int n;

	if (!terminal && !c->config->verbose)
		return;
	if (round == 0)
		n = snprintf(line, sizeof(line), "warming up: %s", what);
	else
		n = snprintf(line, sizeof(line), "round %" PRIu32 " of %s%zu: %s", round,
			     !c->config->compare.until_ppm ? ""
			     : c->predicted                ? "about "
							   : "at least ",
			     rounds_to_come(c), what);
	if (left > 0 && n > 0 && (size_t)n < sizeof(line))
		snprintf(line + n, sizeof(line) - (size_t)n, ", about %.0f s left", left);
	/* A terminal keeps one line; a log gets them all. */
	fprintf(stderr, terminal ? "\r\033[K%s" : "%s\n", line);
	fflush(stderr);
	c->told = terminal;
}

void progress_end(struct compare *c)
{
	if (c->told)
		fputs("\r\033[K", stderr);
	c->told = false;
}
