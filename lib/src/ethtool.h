/* SPDX-License-Identifier: BSD-2-Clause */
/* The ethtool ioctls the library reads: channels, driver, speed. */
#ifndef DXMIT_SRC_ETHTOOL_H
#define DXMIT_SRC_ETHTOOL_H

#include <stdint.h>

struct dxmit_channels {
	uint32_t tx, rx;         /* active, combined ones included */
	uint32_t tx_max, rx_max; /* 0: the driver does not say */
};

/* A socket for the calls below; close() it. Returns the descriptor or -errno. */
int dxmit_ethtool_open(void);

/* Each needs no privilege and returns 0 or -errno; -EOPNOTSUPP when the driver
 * does not answer that question. */
int dxmit_ethtool_channels(int fd, const char *name, struct dxmit_channels *out);
/* Driver name and bus address; "" where it has none. */
int dxmit_ethtool_driver(int fd, const char *name, char driver[32], char bus[32]);
/* Link speed in Mbit/s, 0 unknown. */
int dxmit_ethtool_speed(int fd, const char *name, uint64_t *speed_mbps);
/* Name of an interface index (16 bytes). */
int dxmit_ethtool_name(int fd, int ifindex, char name[16]);

#endif
