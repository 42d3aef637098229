/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The tables of packets: kinds of layers, their fields, and which kind may stand
 * on which. Everything that has to know a header's layout reads it here.
 */
#include "packet.h"

#define ROW(layer_, name_, bit_, bits_, ...)                               \
	{                                                                  \
		.layer = DXMIT_LAYER_##layer_, .name = name_, .bit = bit_, \
		.bits = bits_, __VA_ARGS__                                 \
	}
#define IS(type_) .type = DXMIT_TYPE_##type_
#define AUTO(role_) .role = DXMIT_ROLE_##role_

/* Locally administered addresses (IEEE 802): they belong to nobody. */
#define SOURCE_MAC 0x020000000001u
#define DESTINATION_MAC 0x020000000002u
/* 198.18.0.0/15 is for benchmarks (RFC 2544, appendix C.2.2), and so is
 * 2001:2::/48 (RFC 5180, section 8). */
#define SOURCE_IPV4 0xc6120001u
#define DESTINATION_IPV4 0xc6120002u
#define IPV6_HIGH 0x2001000200000000u

static const struct dxmit_layer_info layers[DXMIT_LAYER_KINDS] = {
	[DXMIT_LAYER_ETHERNET] = { "eth", "Ethernet", "IEEE 802.3", 14 },
	[DXMIT_LAYER_VLAN] = { "vlan", "VLAN tag", "IEEE 802.1Q", 4 },
	[DXMIT_LAYER_SVLAN] = { "svlan", "service VLAN tag", "IEEE 802.1ad", 4 },
	[DXMIT_LAYER_MPLS] = { "mpls", "MPLS label", "RFC 3032", 4 },
	[DXMIT_LAYER_ARP] = { "arp", "ARP", "RFC 826", 28 },
	[DXMIT_LAYER_IPV4] = { "ip4", "IPv4", "RFC 791", 20 },
	[DXMIT_LAYER_IPV6] = { "ip6", "IPv6", "RFC 8200", 40 },
	[DXMIT_LAYER_UDP] = { "udp", "UDP", "RFC 768", 8 },
	[DXMIT_LAYER_TCP] = { "tcp", "TCP", "RFC 9293", 20 },
	[DXMIT_LAYER_ICMP] = { "icmp", "ICMP", "RFC 792", 8 },
	[DXMIT_LAYER_ICMPV6] = { "icmp6", "ICMPv6", "RFC 4443", 8 },
	[DXMIT_LAYER_GRE] = { "gre", "GRE", "RFC 2784, RFC 2890", 4 },
	[DXMIT_LAYER_VXLAN] = { "vxlan", "VXLAN", "RFC 7348", 8 },
	[DXMIT_LAYER_RAW] = { "raw", "raw bytes", "none", 0 },
};

/* clang-format off */
static const struct dxmit_field fields[DXMIT_FIELDS] = {
	[DXMIT_FIELD_ETHERNET_DESTINATION] = ROW(ETHERNET, "dst", 0, 48, IS(MAC),
		.fallback = DESTINATION_MAC, .help = "destination MAC address"),
	[DXMIT_FIELD_ETHERNET_SOURCE] = ROW(ETHERNET, "src", 48, 48, IS(MAC),
		.fallback = SOURCE_MAC, .help = "source MAC address"),
	[DXMIT_FIELD_ETHERNET_TYPE] = ROW(ETHERNET, "type", 96, 16, IS(HEX), AUTO(NEXT),
		.help = "ethertype"),

	[DXMIT_FIELD_VLAN_PRIORITY] = ROW(VLAN, "pcp", 0, 3,
		.help = "priority code point"),
	[DXMIT_FIELD_VLAN_DROP_ELIGIBLE] = ROW(VLAN, "dei", 3, 1,
		.help = "drop eligible indicator"),
	[DXMIT_FIELD_VLAN_ID] = ROW(VLAN, "id", 4, 12, .fallback = 1,
		.help = "VLAN identifier"),
	[DXMIT_FIELD_VLAN_TYPE] = ROW(VLAN, "type", 16, 16, IS(HEX), AUTO(NEXT),
		.help = "ethertype"),
	[DXMIT_FIELD_SVLAN_PRIORITY] = ROW(SVLAN, "pcp", 0, 3,
		.help = "priority code point"),
	[DXMIT_FIELD_SVLAN_DROP_ELIGIBLE] = ROW(SVLAN, "dei", 3, 1,
		.help = "drop eligible indicator"),
	[DXMIT_FIELD_SVLAN_ID] = ROW(SVLAN, "id", 4, 12, .fallback = 1,
		.help = "VLAN identifier"),
	[DXMIT_FIELD_SVLAN_TYPE] = ROW(SVLAN, "type", 16, 16, IS(HEX), AUTO(NEXT),
		.help = "ethertype"),

	/* Labels 0 to 15 are reserved (RFC 3032, section 2.1). */
	[DXMIT_FIELD_MPLS_LABEL] = ROW(MPLS, "label", 0, 20, .fallback = 16,
		.help = "label"),
	[DXMIT_FIELD_MPLS_CLASS] = ROW(MPLS, "tc", 20, 3,
		.help = "traffic class (RFC 5462)"),
	[DXMIT_FIELD_MPLS_BOTTOM] = ROW(MPLS, "bottom", 23, 1, AUTO(NEXT),
		.help = "bottom of stack"),
	[DXMIT_FIELD_MPLS_TTL] = ROW(MPLS, "ttl", 24, 8, .fallback = 64,
		.help = "time to live"),

	[DXMIT_FIELD_ARP_HARDWARE] = ROW(ARP, "hw_type", 0, 16, .fallback = 1,
		.help = "hardware type"),
	[DXMIT_FIELD_ARP_PROTOCOL] = ROW(ARP, "proto_type", 16, 16, IS(HEX),
		.fallback = 0x0800, .help = "protocol type"),
	[DXMIT_FIELD_ARP_HARDWARE_BYTES] = ROW(ARP, "hw_bytes", 32, 8, .fallback = 6,
		.help = "bytes of a hardware address"),
	[DXMIT_FIELD_ARP_PROTOCOL_BYTES] = ROW(ARP, "proto_bytes", 40, 8, .fallback = 4,
		.help = "bytes of a protocol address"),
	[DXMIT_FIELD_ARP_OPERATION] = ROW(ARP, "op", 48, 16, .fallback = 1,
		.help = "operation: 1 request, 2 reply"),
	[DXMIT_FIELD_ARP_SENDER_MAC] = ROW(ARP, "sender_mac", 64, 48, IS(MAC),
		.fallback = SOURCE_MAC, .help = "sender MAC address"),
	[DXMIT_FIELD_ARP_SENDER_IP] = ROW(ARP, "sender_ip", 112, 32, IS(IPV4),
		.fallback = SOURCE_IPV4, .help = "sender IPv4 address"),
	[DXMIT_FIELD_ARP_TARGET_MAC] = ROW(ARP, "target_mac", 144, 48, IS(MAC),
		.help = "target MAC address"),
	[DXMIT_FIELD_ARP_TARGET_IP] = ROW(ARP, "target_ip", 192, 32, IS(IPV4),
		.fallback = DESTINATION_IPV4, .help = "target IPv4 address"),

	[DXMIT_FIELD_IPV4_VERSION] = ROW(IPV4, "version", 0, 4, .fallback = 4,
		.help = "version"),
	[DXMIT_FIELD_IPV4_IHL] = ROW(IPV4, "ihl", 4, 4, AUTO(LENGTH),
		.help = "header length in 32-bit words"),
	[DXMIT_FIELD_IPV4_TOS] = ROW(IPV4, "tos", 8, 8, IS(HEX),
		.help = "DSCP and ECN as one byte"),
	[DXMIT_FIELD_IPV4_DSCP] = ROW(IPV4, "dscp", 8, 6,
		.help = "differentiated services code point (RFC 2474)"),
	[DXMIT_FIELD_IPV4_ECN] = ROW(IPV4, "ecn", 14, 2,
		.help = "explicit congestion notification (RFC 3168)"),
	[DXMIT_FIELD_IPV4_LENGTH] = ROW(IPV4, "length", 16, 16, AUTO(LENGTH),
		.help = "total length in bytes"),
	[DXMIT_FIELD_IPV4_ID] = ROW(IPV4, "id", 32, 16, .help = "identification"),
	[DXMIT_FIELD_IPV4_RESERVED] = ROW(IPV4, "reserved", 48, 1,
		.help = "reserved flag"),
	[DXMIT_FIELD_IPV4_DONT_FRAGMENT] = ROW(IPV4, "df", 49, 1, .fallback = 1,
		.help = "do not fragment"),
	[DXMIT_FIELD_IPV4_MORE_FRAGMENTS] = ROW(IPV4, "mf", 50, 1,
		.help = "more fragments"),
	[DXMIT_FIELD_IPV4_FRAGMENT_OFFSET] = ROW(IPV4, "fragment", 51, 13,
		.help = "fragment offset in units of 8 bytes"),
	[DXMIT_FIELD_IPV4_TTL] = ROW(IPV4, "ttl", 64, 8, .fallback = 64,
		.help = "time to live"),
	[DXMIT_FIELD_IPV4_PROTOCOL] = ROW(IPV4, "proto", 72, 8, AUTO(NEXT),
		.help = "protocol"),
	[DXMIT_FIELD_IPV4_CHECKSUM] = ROW(IPV4, "checksum", 80, 16, IS(HEX),
		AUTO(CHECKSUM), .help = "header checksum"),
	[DXMIT_FIELD_IPV4_SOURCE] = ROW(IPV4, "src", 96, 32, IS(IPV4),
		.fallback = SOURCE_IPV4, .help = "source address"),
	[DXMIT_FIELD_IPV4_DESTINATION] = ROW(IPV4, "dst", 128, 32, IS(IPV4),
		.fallback = DESTINATION_IPV4, .help = "destination address"),

	[DXMIT_FIELD_IPV6_VERSION] = ROW(IPV6, "version", 0, 4, .fallback = 6,
		.help = "version"),
	[DXMIT_FIELD_IPV6_CLASS] = ROW(IPV6, "class", 4, 8, IS(HEX),
		.help = "traffic class: DSCP and ECN as one byte"),
	[DXMIT_FIELD_IPV6_DSCP] = ROW(IPV6, "dscp", 4, 6,
		.help = "differentiated services code point (RFC 2474)"),
	[DXMIT_FIELD_IPV6_ECN] = ROW(IPV6, "ecn", 10, 2,
		.help = "explicit congestion notification (RFC 3168)"),
	[DXMIT_FIELD_IPV6_FLOW_LABEL] = ROW(IPV6, "flow", 12, 20, IS(HEX),
		.help = "flow label"),
	[DXMIT_FIELD_IPV6_LENGTH] = ROW(IPV6, "length", 32, 16, AUTO(LENGTH),
		.help = "payload length in bytes"),
	[DXMIT_FIELD_IPV6_NEXT_HEADER] = ROW(IPV6, "next", 48, 8, AUTO(NEXT),
		.help = "next header"),
	[DXMIT_FIELD_IPV6_HOP_LIMIT] = ROW(IPV6, "hops", 56, 8, .fallback = 64,
		.help = "hop limit"),
	[DXMIT_FIELD_IPV6_SOURCE] = ROW(IPV6, "src", 64, 128, IS(IPV6),
		.fallback_high = IPV6_HIGH, .fallback = 1, .help = "source address"),
	[DXMIT_FIELD_IPV6_DESTINATION] = ROW(IPV6, "dst", 192, 128, IS(IPV6),
		.fallback_high = IPV6_HIGH, .fallback = 2,
		.help = "destination address"),

	/* 9 is discard (RFC 863). */
	[DXMIT_FIELD_UDP_SOURCE] = ROW(UDP, "src", 0, 16, .fallback = 4660,
		.help = "source port"),
	[DXMIT_FIELD_UDP_DESTINATION] = ROW(UDP, "dst", 16, 16, .fallback = 9,
		.help = "destination port; 4789 under VXLAN"),
	[DXMIT_FIELD_UDP_LENGTH] = ROW(UDP, "length", 32, 16, AUTO(LENGTH),
		.help = "length in bytes"),
	[DXMIT_FIELD_UDP_CHECKSUM] = ROW(UDP, "checksum", 48, 16, IS(HEX),
		AUTO(CHECKSUM), .help = "checksum; 0 under VXLAN over IPv4"),

	[DXMIT_FIELD_TCP_SOURCE] = ROW(TCP, "src", 0, 16, .fallback = 4660,
		.help = "source port"),
	[DXMIT_FIELD_TCP_DESTINATION] = ROW(TCP, "dst", 16, 16, .fallback = 9,
		.help = "destination port"),
	[DXMIT_FIELD_TCP_SEQUENCE] = ROW(TCP, "seq", 32, 32,
		.help = "sequence number"),
	[DXMIT_FIELD_TCP_ACKNOWLEDGMENT] = ROW(TCP, "ack", 64, 32,
		.help = "acknowledgment number"),
	[DXMIT_FIELD_TCP_OFFSET] = ROW(TCP, "offset", 96, 4, AUTO(LENGTH),
		.help = "header length in 32-bit words"),
	[DXMIT_FIELD_TCP_RESERVED] = ROW(TCP, "reserved", 100, 4,
		.help = "reserved bits"),
	[DXMIT_FIELD_TCP_FLAGS] = ROW(TCP, "flags", 104, 8, IS(TCP_FLAGS),
		.fallback = 0x10, .help = "control bits"),
	[DXMIT_FIELD_TCP_WINDOW] = ROW(TCP, "window", 112, 16, .fallback = 65535,
		.help = "window"),
	[DXMIT_FIELD_TCP_CHECKSUM] = ROW(TCP, "checksum", 128, 16, IS(HEX),
		AUTO(CHECKSUM), .help = "checksum"),
	[DXMIT_FIELD_TCP_URGENT] = ROW(TCP, "urgent", 144, 16,
		.help = "urgent pointer"),

	[DXMIT_FIELD_ICMP_TYPE] = ROW(ICMP, "type", 0, 8, .fallback = 8,
		.help = "type: 8 echo, 0 echo reply"),
	[DXMIT_FIELD_ICMP_CODE] = ROW(ICMP, "code", 8, 8, .help = "code"),
	[DXMIT_FIELD_ICMP_CHECKSUM] = ROW(ICMP, "checksum", 16, 16, IS(HEX),
		AUTO(CHECKSUM), .help = "checksum"),
	[DXMIT_FIELD_ICMP_ID] = ROW(ICMP, "id", 32, 16, .fallback = 1,
		.help = "identifier"),
	[DXMIT_FIELD_ICMP_SEQUENCE] = ROW(ICMP, "seq", 48, 16,
		.help = "sequence number"),
	[DXMIT_FIELD_ICMPV6_TYPE] = ROW(ICMPV6, "type", 0, 8, .fallback = 128,
		.help = "type: 128 echo request, 129 echo reply"),
	[DXMIT_FIELD_ICMPV6_CODE] = ROW(ICMPV6, "code", 8, 8, .help = "code"),
	[DXMIT_FIELD_ICMPV6_CHECKSUM] = ROW(ICMPV6, "checksum", 16, 16, IS(HEX),
		AUTO(CHECKSUM), .help = "checksum"),
	[DXMIT_FIELD_ICMPV6_ID] = ROW(ICMPV6, "id", 32, 16, .fallback = 1,
		.help = "identifier"),
	[DXMIT_FIELD_ICMPV6_SEQUENCE] = ROW(ICMPV6, "seq", 48, 16,
		.help = "sequence number"),

	[DXMIT_FIELD_GRE_KEY_PRESENT] = ROW(GRE, "key_present", 2, 1, AUTO(LENGTH),
		.help = "whether a key follows"),
	[DXMIT_FIELD_GRE_VERSION] = ROW(GRE, "version", 13, 3, .help = "version"),
	[DXMIT_FIELD_GRE_PROTOCOL] = ROW(GRE, "proto", 16, 16, IS(HEX), AUTO(NEXT),
		.help = "protocol type, an ethertype"),
	[DXMIT_FIELD_GRE_KEY] = ROW(GRE, "key", 32, 32, AUTO(OPTIONAL),
		.help = "key"),
	[DXMIT_FIELD_VXLAN_FLAGS] = ROW(VXLAN, "flags", 0, 8, IS(HEX),
		.fallback = 0x08, .help = "flags"),
	[DXMIT_FIELD_VXLAN_VNI] = ROW(VXLAN, "vni", 32, 24, .fallback = 1,
		.help = "VXLAN network identifier"),
};
/* clang-format on */

#define ON(under_, kind_, next_)                                            \
	{                                                                   \
		.under = DXMIT_LAYER_##under_, .kind = DXMIT_LAYER_##kind_, \
		.next = next_                                               \
	}
/* Ethertypes: 0x88b5 is for local experiments (IEEE 802); MPLS in GRE is
 * RFC 4023; 0x6558 is Ethernet in GRE (RFC 1701). */
#define TYPED(under_)                                                                 \
	ON(under_, MPLS, 0x8847), ON(under_, IPV4, 0x0800), ON(under_, IPV6, 0x86dd), \
		ON(under_, RAW, 0x88b5)
#define TAGGED(under_) ON(under_, ARP, 0x0806), TYPED(under_)
/* Protocol numbers of IANA; IP in IP is RFC 2003 and RFC 2473; 253 is for
 * experiments (RFC 3692). */
#define ROUTED(under_)                                                \
	ON(under_, UDP, 17), ON(under_, TCP, 6), ON(under_, GRE, 47), \
		ON(under_, IPV4, 4), ON(under_, IPV6, 41), ON(under_, RAW, 253)

static const struct packet_pair pairs[] = {
	TAGGED(ETHERNET),
	ON(ETHERNET, VLAN, 0x8100),
	ON(ETHERNET, SVLAN, 0x88a8),
	TAGGED(VLAN),
	ON(VLAN, VLAN, 0x8100),
	TAGGED(SVLAN),
	ON(SVLAN, VLAN, 0x8100),
	ON(SVLAN, SVLAN, 0x88a8),
	/* The bottom-of-stack bit: MPLS has no field for what follows. */
	ON(MPLS, MPLS, 0),
	ON(MPLS, IPV4, 1),
	ON(MPLS, IPV6, 1),
	ON(MPLS, RAW, 1),
	ROUTED(IPV4),
	ON(IPV4, ICMP, 1),
	ROUTED(IPV6),
	ON(IPV6, ICMPV6, 58),
	TYPED(GRE),
	ON(GRE, ETHERNET, 0x6558),
	ON(UDP, VXLAN, 4789),
	ON(UDP, RAW, PACKET_NO_NEXT),
	ON(VXLAN, ETHERNET, PACKET_NO_NEXT),
	ON(VXLAN, RAW, PACKET_NO_NEXT),
	ON(TCP, RAW, PACKET_NO_NEXT),
	ON(ICMP, RAW, PACKET_NO_NEXT),
	ON(ICMPV6, RAW, PACKET_NO_NEXT),
	ON(ARP, RAW, PACKET_NO_NEXT),
};

/* The field in which a layer says what follows. */
static const enum dxmit_field_id next_field[DXMIT_LAYER_KINDS] = {
	[DXMIT_LAYER_ETHERNET] = DXMIT_FIELD_ETHERNET_TYPE,
	[DXMIT_LAYER_VLAN] = DXMIT_FIELD_VLAN_TYPE,
	[DXMIT_LAYER_SVLAN] = DXMIT_FIELD_SVLAN_TYPE,
	[DXMIT_LAYER_MPLS] = DXMIT_FIELD_MPLS_BOTTOM,
	[DXMIT_LAYER_IPV4] = DXMIT_FIELD_IPV4_PROTOCOL,
	[DXMIT_LAYER_IPV6] = DXMIT_FIELD_IPV6_NEXT_HEADER,
	[DXMIT_LAYER_GRE] = DXMIT_FIELD_GRE_PROTOCOL,
	[DXMIT_LAYER_UDP] = DXMIT_FIELD_UDP_DESTINATION,
};

const struct dxmit_field *dxmit_field(enum dxmit_field_id id)
{
	if ((unsigned int)id >= DXMIT_FIELDS || !fields[id].name)
		return NULL;
	return &fields[id];
}

const struct dxmit_layer_info *dxmit_layer_info(enum dxmit_layer_kind kind)
{
	if ((unsigned int)kind >= DXMIT_LAYER_KINDS || !layers[kind].name)
		return NULL;
	return &layers[kind];
}

const struct packet_pair *dxmit_packet_pair(enum dxmit_layer_kind under,
					    enum dxmit_layer_kind kind)
{
	size_t i;

	for (i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++)
		if (pairs[i].under == under && pairs[i].kind == kind)
			return &pairs[i];
	return NULL;
}

enum dxmit_field_id dxmit_packet_next_field(enum dxmit_layer_kind kind)
{
	return next_field[kind];
}

uint64_t dxmit_packet_field_max(const struct dxmit_field *field)
{
	return field->bits >= 64 ? UINT64_MAX : (UINT64_C(1) << field->bits) - 1;
}
