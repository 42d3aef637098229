/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What bound the rate: the limits a finished run shows traces of, with the
 * evidence and the command that would lift each. Pure.
 */
#ifndef APP_BOUND_H
#define APP_BOUND_H

#include "report.h"

/* Fill report->bound and report->bounds from the rest of the report. The CPU
 * is named only when nothing else is. */
void bound_fill(struct report *report);

/* True if the run was limited by something the user may want to hear of: not
 * simply by the CPU, nor by the rate or count asked for. */
bool bound_worth_telling(const struct report *report);

#endif
