/* SPDX-License-Identifier: BSD-2-Clause */
/* What the kernel must know to send UDP datagrams as dxmit's frames are: that the
 * source address is its own, and the MAC address of the next hop. */
#ifndef APP_YARDSTICK_NETWORK_H
#define APP_YARDSTICK_NETWORK_H

#include <stdint.h>

/* Addresses are in host byte order. */

/*
 * Where a socket bound to the interface sends datagrams for `destination`: *hop is
 * the destination or a gateway, and mac its address in the neighbour table. Returns
 * 0, -ENOENT (no usable neighbour; *hop is valid), -ENETUNREACH or another -errno.
 */
int yardstick_next_hop(int ifindex, uint32_t destination, uint32_t *hop, uint8_t mac[6]);

/* Both of the whole host, needing CAP_NET_ADMIN; for networks of our own. Return 0
 * or -errno. */
int yardstick_add_address(int ifindex, uint32_t address);
int yardstick_add_neighbour(int ifindex, uint32_t address, const uint8_t mac[6]);

#endif
