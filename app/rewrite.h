/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Changes to frames of a capture before they are sent: MAC addresses, IPv4
 * networks, checksums. Pure; a frame keeps its length.
 */
#ifndef APP_REWRITE_H
#define APP_REWRITE_H

#include <stdbool.h>
#include <stdint.h>

#include "config.h"
#include "flow.h"

struct rewrite {
	const uint8_t *destination_mac; /* NULL: as captured */
	const uint8_t *source_mac;
	const struct address_map *map; /* the first that fits an address counts */
	uint32_t maps;
	bool fix_checksums;
};

/*
 * Apply the changes to a frame of at least 14 bytes whose headers flow_find()
 * has found.
 *
 * Addresses are mapped in IPv4 headers and in ARP. Checksums they are part of are
 * updated (RFC 1624): right ones stay right, wrong ones wrong.
 *
 * fix_checksums computes those of IPv4, TCP, UDP, ICMP and ICMPv6 anew, for
 * captures from a host that left them to its device. Those of transports stay as they are
 * in fragments, behind an IPv6 routing header, and where the frame ends before
 * the packet; so does a UDP checksum of 0 over IPv4, which means "none".
 */
void rewrite_frame(const struct rewrite *rewrite, uint8_t *frame,
		   const struct flow_headers *headers);

#endif
