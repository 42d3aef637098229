/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Netlink requests of the library: one link by name or index (rtnetlink), XDP
 * features and active queues of a device (the "netdev" generic family).
 */
#ifndef DXMIT_SRC_NETLINK_H
#define DXMIT_SRC_NETLINK_H

#include <stdbool.h>
#include <stdint.h>
#include <netlink/msg.h>
#include <netlink/netlink.h>

#include <dxmit/nic.h>

/* Longest wait for an answer. rtnetlink answers inside the sending call, so
 * only a broken kernel or a lost message ever makes this expire. */
#define DXMIT_NETLINK_TIMEOUT_MS 1000

/* A session; zeroed or opened, one thread at a time. */
struct dxmit_netlink {
	struct nl_sock *socket;
	int family;        /* generic family number, 0 for rtnetlink */
	uint32_t sequence; /* of the request being answered */
	bool answered;
	int error; /* the kernel's answer, 0 or -errno */
	void (*parse)(struct nlmsghdr *header, void *arg);
	void *arg;
};

/* What one RTM_NEWLINK says. */
struct dxmit_link {
	int ifindex; /* 0: no answer parsed */
	char name[DXMIT_NAME_LEN];
	uint32_t flags; /* IFF_* */
	uint16_t type;  /* ARPHRD_* */
	uint8_t mac[6];
	uint32_t tx_queues_max; /* IFLA_NUM_TX_QUEUES */
	uint32_t rx_queues_max;
	char kind[16];       /* "veth", "ifb" …; "" for real devices */
	char parent_bus[16]; /* "" for virtual devices */
	char parent[64];     /* device name on that bus */
	struct dxmit_nic_counters counters;
};

/* Open rtnetlink (`family` NULL) or a generic family. Returns 0, -ENOENT (the
 * kernel has no such family) or -errno. */
int dxmit_netlink_open(struct dxmit_netlink *netlink, const char *family);
/* Idempotent; a zeroed session is fine. */
void dxmit_netlink_close(struct dxmit_netlink *netlink);

/* Read one link. Returns 0, -ENODEV or -errno. */
int dxmit_netlink_link(struct dxmit_netlink *netlink, int ifindex,
		       struct dxmit_link *link);
/* The same by canonical or alternative name. */
int dxmit_netlink_link_named(struct dxmit_netlink *netlink, const char *name,
			     struct dxmit_link *link);

/* Both need a session of the family "netdev". */
/* XDP feature bits of a device (Linux 6.3). Returns 0 or -errno. */
int dxmit_netlink_xdp_features(struct dxmit_netlink *netlink, int ifindex,
			       uint64_t *features);
/* Active queues (Linux 6.8); both 0 while the device is down. Returns 0 or
 * -errno. */
int dxmit_netlink_queues(struct dxmit_netlink *netlink, int ifindex, uint32_t *tx,
			 uint32_t *rx);

#endif
