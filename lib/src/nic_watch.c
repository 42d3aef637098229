/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Repeated reads of one interface's counters and link state over a kept
 * netlink session: one send and one receive per read.
 */
#include <errno.h>
#include <stdlib.h>

#include <dxmit/nic.h>
#include "netlink.h"

struct dxmit_nic_watch {
	struct dxmit_netlink netlink;
	int ifindex;
};

int dxmit_nic_watch_open(int ifindex, struct dxmit_nic_watch **out)
{
	struct dxmit_nic_watch *watch;
	struct dxmit_link link;
	int err;

	*out = NULL;
	watch = calloc(1, sizeof(*watch));
	if (!watch)
		return -ENOMEM;
	watch->ifindex = ifindex;
	err = dxmit_netlink_open(&watch->netlink, NULL);
	if (!err)
		err = dxmit_netlink_link(&watch->netlink, ifindex, &link);
	if (err)
		dxmit_nic_watch_close(&watch);
	*out = watch;
	return err;
}

int dxmit_nic_watch_read(struct dxmit_nic_watch *watch,
			 struct dxmit_nic_counters *counters)
{
	struct dxmit_link link;
	int err = dxmit_netlink_link(&watch->netlink, watch->ifindex, &link);

	if (!err)
		*counters = link.counters;
	return err;
}

void dxmit_nic_watch_close(struct dxmit_nic_watch **watch)
{
	if (!watch || !*watch)
		return;
	dxmit_netlink_close(&(*watch)->netlink);
	free(*watch);
	*watch = NULL;
}
