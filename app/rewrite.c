/* SPDX-License-Identifier: BSD-2-Clause */
/* The changes of rewrite.h. Checksums: RFC 1071, with the pseudo headers of
 * RFC 768, RFC 9293 and RFC 8200. */
#include <string.h>

#include <dxmit/frame.h>

#include "rewrite.h"
#include "wire.h"

#define ETHERTYPE_ARP 0x0806

/* Protocol numbers of IANA. */
enum { IP_ICMP = 1, IP_TCP = 6, IP_UDP = 17, IP_ICMPV6 = 58 };

static void fix_ipv4(uint8_t *ip)
{
	uint16_t checksum;

	memset(ip + 10, 0, 2);
	checksum = dxmit_checksum_fold(dxmit_checksum_add(0, ip, (ip[0] & 15u) * 4));
	memcpy(ip + 10, &checksum, 2);
}

/* Addresses, length and protocol, as a partial sum. */
static uint32_t pseudo_sum(const uint8_t *frame, const struct flow_headers *h,
			   uint32_t bytes)
{
	const uint8_t tail[8] = { (uint8_t)(bytes >> 24),
				  (uint8_t)(bytes >> 16),
				  (uint8_t)(bytes >> 8),
				  (uint8_t)bytes,
				  0,
				  0,
				  0,
				  h->protocol };
	bool ipv4 = h->network == FLOW_IPV4;
	uint32_t sum = dxmit_checksum_add(0, tail, sizeof(tail));

	return dxmit_checksum_add(sum, frame + h->network_at + (ipv4 ? 12 : 8),
				  ipv4 ? 8 : 32);
}

/* Where the checksum is in the transport's header; 0: we know none. */
static uint32_t checksum_offset(const struct flow_headers *h)
{
	switch (h->protocol) {
	case IP_TCP:
		return 16;
	case IP_UDP:
		return 6;
	case IP_ICMP:
		return h->network == FLOW_IPV4 ? 2 : 0;
	case IP_ICMPV6:
		return h->network == FLOW_IPV6 ? 2 : 0;
	default:
		return 0;
	}
}

static void fix_transport(uint8_t *frame, const struct flow_headers *h)
{
	uint8_t *transport = frame + h->transport_at;
	uint32_t bytes = h->end - h->transport_at;
	uint32_t at = checksum_offset(h), sum;
	uint16_t checksum;

	if (!at || at + 2 > bytes)
		return;
	if (h->protocol == IP_UDP) {
		uint32_t udp_bytes = get16(transport + 4);

		if (udp_bytes < 8 || udp_bytes > bytes ||
		    (h->network == FLOW_IPV4 && !get16(transport + at)))
			return;
		bytes = udp_bytes;
	}
	memset(transport + at, 0, 2);
	sum = h->protocol == IP_ICMP ? 0 : pseudo_sum(frame, h, bytes);
	checksum = dxmit_checksum_fold(dxmit_checksum_add(sum, transport, bytes));
	if (h->protocol == IP_UDP && checksum == 0)
		checksum = 0xffff; /* RFC 768: 0 would be "none" */
	memcpy(transport + at, &checksum, 2);
}

/* ---- addresses ---- */

/* RFC 1624, eqn. 3: ~(~HC + ~m + m'), for the two halves of an address. */
static uint16_t updated(uint16_t checksum, uint32_t old, uint32_t new)
{
	uint32_t sum = (uint16_t)~checksum;

	sum += (uint16_t) ~(old >> 16) + (uint16_t)~old;
	sum += (new >> 16) + (uint16_t) new;
	sum = (sum & 0xffff) + (sum >> 16);
	sum = (sum & 0xffff) + (sum >> 16);
	return (uint16_t)~sum;
}

/* Map the address at `at`; the old and the new one, the same if none fits. */
static void map_address(const struct rewrite *rewrite, uint8_t *at, uint32_t *old,
			uint32_t *new)
{
	uint32_t i;

	*old = *new = (uint32_t)get16(at) << 16 | get16(at + 2);
	for (i = 0; i < rewrite->maps; i++) {
		const struct address_map *map = &rewrite->map[i];

		if ((*old & map->mask) == map->from) {
			*new = map->to | (*old & ~map->mask);
			break;
		}
	}
	put16(at, *new >> 16);
	put16(at + 2, *new);
}

/* The transport's checksum, which covers the addresses; NULL: there is none. It
 * is in the first fragment, if the packet is in fragments. */
static uint8_t *covering_checksum(uint8_t *frame, const struct flow_headers *h)
{
	uint32_t at = checksum_offset(h);
	uint8_t *checksum = frame + h->transport_at + at;

	if (!h->transport_at || !at || h->transport_at + at + 2 > h->end ||
	    (h->protocol != IP_TCP && h->protocol != IP_UDP) ||
	    get16(frame + h->network_at + 6) & 0x1fff)
		return NULL;
	return h->protocol == IP_UDP && !get16(checksum) ? NULL : checksum;
}

static void map_ipv4(const struct rewrite *rewrite, uint8_t *frame,
		     const struct flow_headers *h)
{
	uint8_t *ip = frame + h->network_at;
	uint8_t *transport = covering_checksum(frame, h);
	uint32_t at, old, new;

	for (at = 12; at <= 16; at += 4) {
		map_address(rewrite, ip + at, &old, &new);
		if (old == new)
			continue;
		put16(ip + 10, updated(get16(ip + 10), old, new));
		if (transport)
			put16(transport, updated(get16(transport), old, new));
	}
	if (transport && h->protocol == IP_UDP && !get16(transport))
		put16(transport, 0xffff); /* RFC 768: 0 would be "none" */
}

/* RFC 826, for Ethernet and IPv4: sender and target. */
static void map_arp(const struct rewrite *rewrite, uint8_t *frame,
		    const struct flow_headers *h)
{
	static const uint8_t kind[6] = { 0, 1, 8, 0, 6, 4 };
	uint8_t *arp = frame + h->network_at;
	uint32_t old, new;

	if (h->network_at + 28 > h->length || memcmp(arp, kind, sizeof(kind)) != 0)
		return;
	map_address(rewrite, arp + 14, &old, &new);
	map_address(rewrite, arp + 24, &old, &new);
}

void rewrite_frame(const struct rewrite *rewrite, uint8_t *frame,
		   const struct flow_headers *h)
{
	if (rewrite->destination_mac)
		memcpy(frame, rewrite->destination_mac, 6);
	if (rewrite->source_mac)
		memcpy(frame + 6, rewrite->source_mac, 6);
	if (rewrite->maps && h->network == FLOW_IPV4)
		map_ipv4(rewrite, frame, h);
	if (rewrite->maps && h->ethertype == ETHERTYPE_ARP)
		map_arp(rewrite, frame, h);
	if (!rewrite->fix_checksums || h->network == FLOW_OTHER)
		return;
	if (h->network == FLOW_IPV4)
		fix_ipv4(frame + h->network_at);
	if (h->transport_at && !h->fragment && !h->cut && !h->routed)
		fix_transport(frame, h);
}
