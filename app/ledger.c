/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The rules of ledger.h.
 *
 *  queued     descriptors submitted
 *  in_flight  queued, but never completed
 *  invalid    refused by the kernel (its own statistics)
 *  witness    frames somebody saw leave: the far end's count of our frames by
 *             content, else the device's tx_packets. A completion is not one.
 *  dropped    EBUSY losses, or as many more as the device counts as dropped,
 *             but never a frame that the witness saw
 *  sent       the witness, but never more than completed - dropped
 *  foreign    frames the device sent that were not ours
 *
 * What then is missing is unexplained, and only that is a mismatch.
 */
#include <string.h>

#include "ledger.h"

static uint64_t min_u64(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static uint64_t max_u64(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

static uint64_t minus(uint64_t a, uint64_t b)
{
	return a > b ? a - b : 0;
}

static bool is_ifb(const struct report *report)
{
	return strcmp(report->nic->driver, "ifb") == 0;
}

/*
 * ifb counts what it is given as received and what it then passes on as sent;
 * the rest it threw away. Its rx_dropped is too low with several queues: they
 * share that counter without a lock (drivers/net/ifb.c, seen on 6.18).
 */
uint64_t ledger_device_drops(const struct report *report)
{
	const struct dxmit_nic_counters *a = &report->device_before;
	const struct dxmit_nic_counters *b = &report->device_after;

	if (!report->device_valid)
		return 0;
	if (is_ifb(report))
		return minus(b->rx_packets - a->rx_packets,
			     b->tx_packets - a->tx_packets);
	return minus(b->tx_dropped, a->tx_dropped) + minus(b->tx_errors, a->tx_errors);
}

static uint64_t device_sent(const struct report *report)
{
	if (!report->device_valid)
		return 0;
	return minus(report->device_after.tx_packets, report->device_before.tx_packets);
}

static uint64_t witness(struct report *report)
{
	struct ledger *l = &report->ledger;

	if (report->far_end_present) {
		l->witness = "far end";
		return report->far_end_packets;
	}
	if (report->device_valid) {
		l->witness = "device tx_packets";
		/* What ifb sends was redirected to it, never ours. */
		return is_ifb(report) ? 0 : device_sent(report);
	}
	l->witness = "none";
	return 0;
}

void ledger_fill(struct report *report)
{
	struct ledger *l = &report->ledger;
	uint64_t seen = witness(report);
	uint64_t completed = report->total.completed;
	size_t i;

	l->queued = report->total.packets;
	l->in_flight = minus(l->queued, completed);
	l->invalid = 0;
	for (i = 0; i < report->plan->queues; i++)
		l->invalid += report->queue[i].invalid;

	l->dropped = max_u64(report->total.lost,
			     min_u64(ledger_device_drops(report),
				     minus(completed, min_u64(seen, completed))));
	l->sent = min_u64(seen, minus(completed, l->dropped));
	/* Whether an invalid descriptor is completed depends on the kernel and on
	 * what is wrong with it; one that is not is not in flight either. */
	l->in_flight -= min_u64(
		l->in_flight, minus(l->invalid, minus(completed, l->dropped + l->sent)));
	l->foreign =
		minus(device_sent(report), minus(l->queued, l->dropped + l->invalid));
	l->unexplained =
		(int64_t)(l->queued - l->sent - l->dropped - l->invalid - l->in_flight);
	l->closed = l->unexplained == 0;
}
