/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The ledger: what became of every frame, from the counts of several
 * witnesses. Pure.
 */
#ifndef APP_LEDGER_H
#define APP_LEDGER_H

#include "report.h"

/*
 * Fill report->ledger from the report's totals, device counters, far end and
 * queues. `settled` and `skipped` are kept as they are.
 */
void ledger_fill(struct report *report);

/* Frames that the device's counters say it dropped in this run. */
uint64_t ledger_device_drops(const struct report *report);

#endif
