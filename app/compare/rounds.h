/* SPDX-License-Identifier: BSD-2-Clause */
/* The parts of rounds.c and its cells. */
#ifndef APP_ROUNDS_H
#define APP_ROUNDS_H

#include "compare.h"

/*
 * Measure a cell in a round, again if it was disturbed, and put the interface back.
 * What becomes of the leg is in the cell. Returns 0, or an exit code, after the one
 * line on stderr, where no other leg can run any more either.
 */
int round_cell(struct compare *c, struct compare_setting *setting, const struct leg *leg,
	       struct comparison_cell *cell, uint32_t round, uint32_t place);

#endif
