/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Flows of frames that were not made here: where the headers are, and a hash
 * that is the same for all frames of a conversation. Pure; nothing in the frame
 * is trusted.
 */
#ifndef APP_FLOW_H
#define APP_FLOW_H

#include <stdbool.h>
#include <stdint.h>

enum flow_network {
	FLOW_OTHER = 0, /* neither of these, or damaged */
	FLOW_IPV4,
	FLOW_IPV6,
};

/* Offsets from the start of the frame. */
struct flow_headers {
	uint32_t tags; /* VLAN tags */
	uint16_t ethertype;
	enum flow_network network;
	uint32_t network_at;
	uint32_t transport_at; /* 0: none to be found */
	uint32_t length;       /* of the frame */
	uint32_t end;          /* of the IP packet; never past the frame */
	uint8_t protocol;      /* of the transport, with transport_at */
	bool fragment;         /* the packet is one of several */
	bool cut;              /* IP says it is longer than the frame is */
	bool routed;           /* by an IPv6 routing header: the destination in the
				    checksum is not the one in the header */
};

/* Find the headers of a frame of at least 14 bytes. */
void flow_find(const uint8_t *frame, uint32_t length, struct flow_headers *headers);

/*
 * Hash of addresses, protocol and ports. Symmetric: both directions of a
 * conversation have the same, so that request and answer stay in order.
 * Fragments hash without ports, since all but the first have none. Frames that
 * are not IP hash their MAC addresses and ethertype.
 */
uint32_t flow_hash(const uint8_t *frame, const struct flow_headers *headers);

#endif
