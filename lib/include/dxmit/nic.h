/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a network interface is and can do: plain data, read once from the
 * kernel (netlink, ethtool, sysfs). Nothing here changes a setting.
 */
#ifndef DXMIT_NIC_H
#define DXMIT_NIC_H

#include <stddef.h>
#include <stdint.h>

#include <dxmit/error.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

#define DXMIT_NAME_LEN 16 /* IFNAMSIZ, with the terminator */
#define DXMIT_MAX_IRQS 256

enum dxmit_zerocopy {
	DXMIT_ZEROCOPY_UNKNOWN = 0, /* the kernel does not say: before 6.3 */
	DXMIT_ZEROCOPY_NO = 1,
	DXMIT_ZEROCOPY_YES = 2,
};

/** One interrupt of the interface's device. */
struct dxmit_irq {
	uint32_t number;
	int32_t cpu;   /* lowest CPU it is delivered to, -1 unknown */
	uint32_t cpus; /* how many CPUs it may be delivered to */
};

struct dxmit_nic {
	char name[DXMIT_NAME_LEN]; /* canonical name, also when an alternative
					name was asked for */
	int ifindex;
	uint32_t tx_queues; /* active */
	uint32_t rx_queues;
	uint32_t tx_queues_max;
	uint32_t rx_queues_max;
	uint32_t mtu; /* bytes */
	uint8_t mac[6];
	uint8_t up;       /* IFF_UP */
	uint8_t carrier;  /* IFF_LOWER_UP */
	uint8_t ethernet; /* ARPHRD_ETHER or ARPHRD_LOOPBACK */
	uint8_t loopback;
	int32_t node;        /* NUMA node of the device, -1 unknown */
	uint64_t speed_mbps; /* link speed in Mbit/s, 0 unknown */
	enum dxmit_zerocopy zerocopy;
	char driver[32]; /* "" when it has none to name */
	char bus[32];    /* bus address, "" for virtual devices */
	uint32_t irqs;
	struct dxmit_irq irq[DXMIT_MAX_IRQS];
};

/**
 * Read the facts of interface `name` (canonical or alternative name) in the
 * calling thread's network namespace. No privilege needed. A fact that cannot
 * be had is left at its "unknown" value.
 * Returns 0, -ENODEV, or the errno of the netlink socket; *error (may be NULL)
 * tells the stage.
 */
int dxmit_nic_read(const char *name, struct dxmit_nic *nic, struct dxmit_error *error);

/** As dxmit_nic_read(), by interface index. */
int dxmit_nic_read_index(int ifindex, struct dxmit_nic *nic, struct dxmit_error *error);

/**
 * Number of TX queues active now. One ioctl in the ordinary case; cheap enough
 * to repeat during a run. Returns the count, or -errno (-ENODEV).
 */
int dxmit_nic_active_tx_queues(int ifindex);

/** The interface's own counters (IFLA_STATS64), since it was created. */
struct dxmit_nic_counters {
	uint64_t tx_packets, tx_bytes, tx_dropped, tx_errors;
	uint64_t rx_packets, rx_bytes, rx_dropped;
	uint32_t mtu;
	uint8_t up;
	uint8_t carrier;
};

struct dxmit_nic_watch;

/**
 * Open a netlink session for repeated counter reads. Threads: one at a time.
 * Returns 0 or -errno.
 */
int dxmit_nic_watch_open(int ifindex, struct dxmit_nic_watch **out);
/** Read counters, MTU and link state now. Returns 0, -ENODEV or -errno. */
int dxmit_nic_watch_read(struct dxmit_nic_watch *watch,
			 struct dxmit_nic_counters *counters);
/** Close; sets *watch to NULL; NULL-safe. */
void dxmit_nic_watch_close(struct dxmit_nic_watch **watch);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
#endif
