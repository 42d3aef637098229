/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Requests to a network device by ioctl(2): its flags, and what ethtool(8) asks.
 * Each opens a socket of its own for as long as it takes. Return 0 or -errno;
 * -ENODEV: there is no such interface.
 */
#ifndef APP_DEVICE_REQUEST_H
#define APP_DEVICE_REQUEST_H

#include <net/if.h>

/* A request of netdevice(7), with the name or index it wants in *ifr. */
int device_request(unsigned long number, struct ifreq *ifr);
/* IFF_UP, IFF_RUNNING … (netdevice(7)). */
int device_flags(const char *interface, short *flags);

/* `request` is one of the structs of linux/ethtool.h, with its cmd. */
int device_ethtool(const char *interface, void *request);

#endif
