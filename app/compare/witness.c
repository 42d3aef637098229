/* SPDX-License-Identifier: BSD-2-Clause */
/* The witness of witness.h. */
#include <string.h>

#include "sender.h"
#include "witness.h"

int witness_open(const struct sandbox *sandbox, const struct dxmit_nic *nic,
		 struct witness *out)
{
	int ifindex = sandbox->open ? sandbox->far_ifindex : nic->ifindex;

	/* ifb counts what it is given as received and sends none of it: ledger.c. */
	out->received = sandbox->open || strcmp(nic->driver, "ifb") == 0;
	out->text = sandbox->open   ? "far end"
		    : out->received ? "device rx_packets"
				    : "device tx_packets";
	return dxmit_nic_watch_open(ifindex, &out->watch);
}

int witness_read(const struct witness *witness, struct witness_count *out)
{
	struct dxmit_nic_counters now;
	int err = dxmit_nic_watch_read(witness->watch, &now);

	out->ns = clock_ns();
	out->cost_ns = 0;
	if (err)
		return err;
	out->packets = witness->received ? now.rx_packets : now.tx_packets;
	out->bytes = witness->received ? now.rx_bytes : now.tx_bytes;
	out->link = now.up && now.carrier;
	return 0;
}

void witness_close(struct witness *witness)
{
	dxmit_nic_watch_close(&witness->watch);
}
