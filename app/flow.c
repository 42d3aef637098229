/* SPDX-License-Identifier: BSD-2-Clause */
/* The header walk and the hash of flow.h. */
#include <string.h>

#include "flow.h"
#include "wire.h"

enum {
	ETHERTYPE_AT = 12,
	ETHERNET_BYTES = 14,
	TAG_BYTES = 4,
	MAX_TAGS = 4, /* no device or capture has more */

	ETHERTYPE_IPV4 = 0x0800,
	ETHERTYPE_IPV6 = 0x86dd,
	ETHERTYPE_VLAN = 0x8100,  /* IEEE 802.1Q */
	ETHERTYPE_QINQ = 0x88a8,  /* IEEE 802.1ad */
	ETHERTYPE_QINQ2 = 0x9100, /* before there was a standard */

	IPV4_BYTES = 20,
	IPV4_FRAGMENT_MASK = 0x3fff, /* "more fragments" and the offset */
	IPV6_BYTES = 40,
	MAX_EXTENSIONS = 8, /* RFC 8200 lists six kinds, one of them twice */

	PORTS_BYTES = 4,
};

/* Protocol numbers of IANA. */
enum {
	IP_HOP_BY_HOP = 0,
	IP_TCP = 6,
	IP_UDP = 17,
	IP_ROUTING = 43,
	IP_FRAGMENT = 44,
	IP_AUTHENTICATION = 51,
	IP_DESTINATION = 60,
	IP_SCTP = 132,
	IP_UDP_LITE = 136,
};

static bool is_tag(uint16_t ethertype)
{
	return ethertype == ETHERTYPE_VLAN || ethertype == ETHERTYPE_QINQ ||
	       ethertype == ETHERTYPE_QINQ2;
}

/* Where the IP packet that claims `bytes` ends. */
static void set_end(struct flow_headers *h, uint32_t bytes, uint32_t length)
{
	h->end = h->network_at + bytes;
	h->cut = h->end > length;
	if (h->cut)
		h->end = length;
}

static void find_ipv4(const uint8_t *frame, uint32_t length, struct flow_headers *h)
{
	const uint8_t *ip = frame + h->network_at;
	uint32_t header, total;

	if (length - h->network_at < IPV4_BYTES || ip[0] >> 4 != 4)
		return;
	header = (ip[0] & 15u) * 4;
	total = get16(ip + 2);
	if (header < IPV4_BYTES || header > length - h->network_at || total < header)
		return;
	h->network = FLOW_IPV4;
	h->protocol = ip[9];
	h->fragment = get16(ip + 6) & IPV4_FRAGMENT_MASK;
	set_end(h, total, length);
	if (h->network_at + header < h->end)
		h->transport_at = h->network_at + header;
}

/* Bytes of an extension header, 0 if it is none (RFC 8200; for the
 * authentication header RFC 4302). */
static uint32_t extension_bytes(uint8_t protocol, const uint8_t *at)
{
	switch (protocol) {
	case IP_HOP_BY_HOP:
	case IP_ROUTING:
	case IP_DESTINATION:
		return (at[1] + 1u) * 8;
	case IP_FRAGMENT:
		return 8;
	case IP_AUTHENTICATION:
		return (at[1] + 2u) * 4;
	default:
		return 0;
	}
}

static void find_ipv6(const uint8_t *frame, uint32_t length, struct flow_headers *h)
{
	const uint8_t *ip = frame + h->network_at;
	uint32_t at = h->network_at + IPV6_BYTES, i;

	if (length - h->network_at < IPV6_BYTES || ip[0] >> 4 != 6)
		return;
	h->network = FLOW_IPV6;
	h->protocol = ip[6];
	set_end(h, IPV6_BYTES + get16(ip + 4), length);
	for (i = 0; i < MAX_EXTENSIONS && at + 8 <= h->end; i++) {
		uint32_t bytes = extension_bytes(h->protocol, frame + at);

		if (!bytes)
			break;
		if (h->protocol == IP_FRAGMENT)
			h->fragment = get16(frame + at + 2) & 0xfff9;
		if (h->protocol == IP_ROUTING && frame[at + 3])
			h->routed = true;
		h->protocol = frame[at];
		at += bytes;
	}
	if (at < h->end)
		h->transport_at = at;
}

void flow_find(const uint8_t *frame, uint32_t length, struct flow_headers *h)
{
	uint32_t at = ETHERTYPE_AT;

	memset(h, 0, sizeof(*h));
	h->length = length;
	h->ethertype = get16(frame + at);
	while (is_tag(h->ethertype) && h->tags < MAX_TAGS &&
	       at + TAG_BYTES + 2 <= length) {
		at += TAG_BYTES;
		h->tags++;
		h->ethertype = get16(frame + at);
	}
	h->network_at = at + 2;
	if (h->ethertype == ETHERTYPE_IPV4)
		find_ipv4(frame, length, h);
	else if (h->ethertype == ETHERTYPE_IPV6)
		find_ipv6(frame, length, h);
}

/* ---- hash ---- */

/* The finalizer of MurmurHash3 (public domain, Austin Appleby): every bit of
 * the input changes half of the output. */
static uint64_t mix(uint64_t x)
{
	x ^= x >> 33;
	x *= 0xff51afd7ed558ccdull;
	x ^= x >> 33;
	x *= 0xc4ceb9fe1a85ec53ull;
	return x ^ x >> 33;
}

/* One end of a conversation. */
static uint64_t end_hash(const uint8_t *address, uint32_t bytes, uint16_t port)
{
	uint64_t hash = port, word;

	for (; bytes; address += 8, bytes -= bytes < 8 ? bytes : 8) {
		word = 0;
		memcpy(&word, address, bytes < 8 ? bytes : 8);
		hash = mix(hash ^ word) + 1;
		if (bytes < 8)
			break;
	}
	return hash;
}

static bool has_ports(const struct flow_headers *h)
{
	return h->transport_at && !h->fragment &&
	       h->transport_at + PORTS_BYTES <= h->end &&
	       (h->protocol == IP_TCP || h->protocol == IP_UDP ||
		h->protocol == IP_SCTP || h->protocol == IP_UDP_LITE);
}

uint32_t flow_hash(const uint8_t *frame, const struct flow_headers *h)
{
	const uint8_t *source = frame + 6, *destination = frame;
	uint16_t source_port = 0, destination_port = 0;
	uint64_t kind = h->ethertype;
	uint32_t bytes = 6;

	if (h->network != FLOW_OTHER) {
		bytes = h->network == FLOW_IPV4 ? 4 : 16;
		source = frame + h->network_at + (h->network == FLOW_IPV4 ? 12 : 8);
		destination = source + bytes;
		kind = h->protocol;
	}
	if (has_ports(h)) {
		source_port = get16(frame + h->transport_at);
		destination_port = get16(frame + h->transport_at + 2);
	}
	/* A sum does not know which end came first. */
	return (uint32_t)mix(end_hash(source, bytes, source_port) +
			     end_hash(destination, bytes, destination_port) + kind);
}
