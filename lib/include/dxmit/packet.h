/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Packets made of layers: a stack of headers, each a kind and the fields that
 * are not left at their defaults, becomes the bytes of one frame. Lengths, next
 * protocols and checksums come out right by themselves; they are wrong only
 * where a field was set to a wrong value on purpose.
 *
 * One table of fields (dxmit_field()) serves everybody who has to know where a
 * field lies: this builder, modifiers, parsers of expressions, documents.
 *
 * Pure functions on memory the caller owns; any thread.
 */
#ifndef DXMIT_PACKET_H
#define DXMIT_PACKET_H

#include <stddef.h>
#include <stdint.h>

#include <dxmit/frame.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

#define DXMIT_PACKET_MAX_LAYERS 16
#define DXMIT_PACKET_MAX_CHECKSUMS 16 /* no layer has more than one */
/* The longest frame: an IPv6 packet of 40 + 65535 bytes behind what may stand
 * before it, rounded up. */
#define DXMIT_PACKET_MAX_LENGTH 66000

/** Values are ABI; new ones are added at the end. */
enum dxmit_layer_kind {
	DXMIT_LAYER_NONE = 0,
	DXMIT_LAYER_ETHERNET, /* IEEE 802.3, Ethernet II */
	DXMIT_LAYER_VLAN,     /* IEEE 802.1Q customer tag, TPID 0x8100 */
	DXMIT_LAYER_SVLAN,    /* IEEE 802.1ad service tag, TPID 0x88a8 */
	DXMIT_LAYER_MPLS,     /* RFC 3032, one label */
	DXMIT_LAYER_ARP,      /* RFC 826, IPv4 over Ethernet */
	DXMIT_LAYER_IPV4,     /* RFC 791 */
	DXMIT_LAYER_IPV6,     /* RFC 8200 */
	DXMIT_LAYER_UDP,      /* RFC 768 */
	DXMIT_LAYER_TCP,      /* RFC 9293 */
	DXMIT_LAYER_ICMP,     /* RFC 792, echo */
	DXMIT_LAYER_ICMPV6,   /* RFC 4443, echo */
	DXMIT_LAYER_GRE,      /* RFC 2784, with the key of RFC 2890 */
	DXMIT_LAYER_VXLAN,    /* RFC 7348 */
	DXMIT_LAYER_RAW,      /* bytes of the caller's; always the last */
	DXMIT_LAYER_KINDS
};

/** A field of a layer. Values are ABI; new ones are added at the end. */
enum dxmit_field_id {
	DXMIT_FIELD_NONE = 0,
	DXMIT_FIELD_ETHERNET_DESTINATION,
	DXMIT_FIELD_ETHERNET_SOURCE,
	DXMIT_FIELD_ETHERNET_TYPE,
	DXMIT_FIELD_VLAN_PRIORITY,
	DXMIT_FIELD_VLAN_DROP_ELIGIBLE,
	DXMIT_FIELD_VLAN_ID,
	DXMIT_FIELD_VLAN_TYPE,
	DXMIT_FIELD_SVLAN_PRIORITY,
	DXMIT_FIELD_SVLAN_DROP_ELIGIBLE,
	DXMIT_FIELD_SVLAN_ID,
	DXMIT_FIELD_SVLAN_TYPE,
	DXMIT_FIELD_MPLS_LABEL,
	DXMIT_FIELD_MPLS_CLASS,
	DXMIT_FIELD_MPLS_BOTTOM,
	DXMIT_FIELD_MPLS_TTL,
	DXMIT_FIELD_ARP_HARDWARE,
	DXMIT_FIELD_ARP_PROTOCOL,
	DXMIT_FIELD_ARP_HARDWARE_BYTES,
	DXMIT_FIELD_ARP_PROTOCOL_BYTES,
	DXMIT_FIELD_ARP_OPERATION,
	DXMIT_FIELD_ARP_SENDER_MAC,
	DXMIT_FIELD_ARP_SENDER_IP,
	DXMIT_FIELD_ARP_TARGET_MAC,
	DXMIT_FIELD_ARP_TARGET_IP,
	DXMIT_FIELD_IPV4_VERSION,
	DXMIT_FIELD_IPV4_IHL,
	DXMIT_FIELD_IPV4_TOS,
	DXMIT_FIELD_IPV4_DSCP,
	DXMIT_FIELD_IPV4_ECN,
	DXMIT_FIELD_IPV4_LENGTH,
	DXMIT_FIELD_IPV4_ID,
	DXMIT_FIELD_IPV4_RESERVED,
	DXMIT_FIELD_IPV4_DONT_FRAGMENT,
	DXMIT_FIELD_IPV4_MORE_FRAGMENTS,
	DXMIT_FIELD_IPV4_FRAGMENT_OFFSET,
	DXMIT_FIELD_IPV4_TTL,
	DXMIT_FIELD_IPV4_PROTOCOL,
	DXMIT_FIELD_IPV4_CHECKSUM,
	DXMIT_FIELD_IPV4_SOURCE,
	DXMIT_FIELD_IPV4_DESTINATION,
	DXMIT_FIELD_IPV6_VERSION,
	DXMIT_FIELD_IPV6_CLASS,
	DXMIT_FIELD_IPV6_DSCP,
	DXMIT_FIELD_IPV6_ECN,
	DXMIT_FIELD_IPV6_FLOW_LABEL,
	DXMIT_FIELD_IPV6_LENGTH,
	DXMIT_FIELD_IPV6_NEXT_HEADER,
	DXMIT_FIELD_IPV6_HOP_LIMIT,
	DXMIT_FIELD_IPV6_SOURCE,
	DXMIT_FIELD_IPV6_DESTINATION,
	DXMIT_FIELD_UDP_SOURCE,
	DXMIT_FIELD_UDP_DESTINATION,
	DXMIT_FIELD_UDP_LENGTH,
	DXMIT_FIELD_UDP_CHECKSUM,
	DXMIT_FIELD_TCP_SOURCE,
	DXMIT_FIELD_TCP_DESTINATION,
	DXMIT_FIELD_TCP_SEQUENCE,
	DXMIT_FIELD_TCP_ACKNOWLEDGMENT,
	DXMIT_FIELD_TCP_OFFSET,
	DXMIT_FIELD_TCP_RESERVED,
	DXMIT_FIELD_TCP_FLAGS,
	DXMIT_FIELD_TCP_WINDOW,
	DXMIT_FIELD_TCP_CHECKSUM,
	DXMIT_FIELD_TCP_URGENT,
	DXMIT_FIELD_ICMP_TYPE,
	DXMIT_FIELD_ICMP_CODE,
	DXMIT_FIELD_ICMP_CHECKSUM,
	DXMIT_FIELD_ICMP_ID,
	DXMIT_FIELD_ICMP_SEQUENCE,
	DXMIT_FIELD_ICMPV6_TYPE,
	DXMIT_FIELD_ICMPV6_CODE,
	DXMIT_FIELD_ICMPV6_CHECKSUM,
	DXMIT_FIELD_ICMPV6_ID,
	DXMIT_FIELD_ICMPV6_SEQUENCE,
	DXMIT_FIELD_GRE_KEY_PRESENT,
	DXMIT_FIELD_GRE_VERSION,
	DXMIT_FIELD_GRE_PROTOCOL,
	DXMIT_FIELD_GRE_KEY,
	DXMIT_FIELD_VXLAN_FLAGS,
	DXMIT_FIELD_VXLAN_VNI,
	DXMIT_FIELDS
};

/** How people write the value of a field. */
enum dxmit_field_type {
	DXMIT_TYPE_NUMBER = 0,
	DXMIT_TYPE_HEX, /* a number, customarily in hexadecimal */
	DXMIT_TYPE_MAC,
	DXMIT_TYPE_IPV4,
	DXMIT_TYPE_IPV6,
	DXMIT_TYPE_TCP_FLAGS,
};

/** Where the value of a field comes from when it is not set. */
enum dxmit_field_role {
	DXMIT_ROLE_PLAIN = 0, /* its default */
	DXMIT_ROLE_LENGTH,    /* the bytes of the header or of what follows */
	DXMIT_ROLE_NEXT,      /* what follows */
	DXMIT_ROLE_CHECKSUM,  /* the content */
	DXMIT_ROLE_OPTIONAL,  /* it is there only if it is set */
};

struct dxmit_field {
	const char *name; /* unique in its layer */
	enum dxmit_layer_kind layer;
	enum dxmit_field_type type;
	enum dxmit_field_role role;
	uint16_t bit;           /* from the first bit of the layer, as sent */
	uint16_t bits;          /* 1 … 64, or 128; most significant bit first */
	uint64_t fallback;      /* the default, host byte order */
	uint64_t fallback_high; /* its upper 64 bits (128-bit fields) */
	const char *help;       /* a noun phrase */
};

struct dxmit_layer_info {
	const char *name;      /* short, as in an expression */
	const char *title;     /* as in a sentence */
	const char *reference; /* the standard */
	uint32_t header_bytes; /* without options */
};

/**
 * The row of a field, or of a kind of layer; NULL for numbers out of range and
 * the NONE of each. Static data, never freed.
 */
const struct dxmit_field *dxmit_field(enum dxmit_field_id id);
const struct dxmit_layer_info *dxmit_layer_info(enum dxmit_layer_kind kind);

/**
 * A field that is set. Fields of up to 64 bits: `value`, in host byte order
 * (a MAC address is a number of 48 bits, an IPv4 address one of 32). Fields of
 * 128 bits: `high` and `value` are their upper and lower half.
 */
struct dxmit_field_value {
	enum dxmit_field_id field;
	uint64_t value;
	uint64_t high; /* 0 for shorter fields */
};

struct dxmit_layer {
	enum dxmit_layer_kind kind;
	uint32_t fields; /* how many are set; of two settings the last wins */
	const struct dxmit_field_value *field;
	/* IPv4, TCP: options, at most 40 bytes, padded here to a multiple of 4
	 * with zeros. Raw: the content. Others: none. */
	const void *bytes;
	uint32_t byte_count;
};

/**
 * A packet. The first layer is Ethernet. What the layers leave of `length` is
 * filled with payload and belongs to the innermost layer; with
 * DXMIT_PAYLOAD_NONE it is padding of the frame, zero and in no other length.
 */
struct dxmit_packet_spec {
	size_t size; /* sizeof(struct dxmit_packet_spec) */
	const struct dxmit_layer *layer;
	uint32_t layers;
	uint32_t length; /* bytes without FCS; 0: as the layers need, but 60 */
	enum dxmit_payload payload;
	uint8_t payload_byte;
};

struct dxmit_packet_layer {
	enum dxmit_layer_kind kind;
	uint32_t offset;       /* bytes from the start of the frame */
	uint32_t header_bytes; /* with options; raw: its bytes */
};

/**
 * An Internet checksum (RFC 1071) that was computed: the 16-bit field at `at`
 * makes the sum over from … to, of the pseudo header's addresses at pseudo_from
 * … pseudo_to, of its protocol and of its length (to - from) 0xffff. All even.
 * `to` may be odd: then a zero byte follows in the sum (not in the frame).
 */
struct dxmit_packet_checksum {
	uint32_t layer; /* its index */
	uint32_t at;
	uint32_t from, to;               /* bytes covered, `to` excluded */
	uint32_t pseudo_from, pseudo_to; /* both 0: no pseudo header */
	uint8_t protocol;                /* in the pseudo header */
	uint8_t udp;                     /* 1: 0 is sent as 0xffff (RFC 768) */
};

/** What was built, and where. */
struct dxmit_packet_map {
	size_t size;     /* set by the caller before the call */
	uint32_t length; /* bytes without FCS */
	/* Behind the last header, and behind raw bytes; payload_bytes of the
	 * kind the caller asked for. Frame padding follows. */
	uint32_t payload_at;
	uint32_t payload_bytes;
	uint32_t layers;
	uint32_t checksums; /* innermost first: an outer one may cover an inner */
	struct dxmit_packet_layer layer[DXMIT_PACKET_MAX_LAYERS];
	struct dxmit_packet_checksum checksum[DXMIT_PACKET_MAX_CHECKSUMS];
};

/** Why a packet was refused. Values are ABI; new ones are added at the end. */
enum dxmit_packet_problem {
	DXMIT_PACKET_FINE = 0,
	DXMIT_PACKET_ARGUMENT,  /* a struct, pointer or enum that is none */
	DXMIT_PACKET_NO_LAYERS, /* the stack is empty */
	DXMIT_PACKET_MANY,      /* `value` layers; `limit` are possible */
	DXMIT_PACKET_KIND,      /* `value` is no kind of layer */
	DXMIT_PACKET_FIRST,     /* the first layer is not Ethernet */
	DXMIT_PACKET_ORDER,     /* the layer cannot follow the one under it */
	DXMIT_PACKET_TAGS,      /* a third VLAN tag */
	DXMIT_PACKET_OPEN,      /* the last layer has to be followed by another */
	DXMIT_PACKET_FIELD,     /* the field belongs to another layer */
	DXMIT_PACKET_VALUE,     /* `value` exceeds the field's `limit` */
	DXMIT_PACKET_BYTES,     /* the layer takes no bytes */
	DXMIT_PACKET_OPTIONS,   /* `value` bytes of options; `limit` */
	DXMIT_PACKET_SHORT,     /* `value` bytes; the layers need `limit` */
	DXMIT_PACKET_LONG,      /* `value` bytes from the layer on; `limit` */
	DXMIT_PACKET_ROOM,      /* `value` bytes; the buffer has `limit` */
};

struct dxmit_packet_error {
	enum dxmit_packet_problem problem;
	uint32_t layer;              /* index of the layer concerned */
	enum dxmit_layer_kind kind;  /* of that layer */
	enum dxmit_layer_kind under; /* of the one before it */
	enum dxmit_field_id field;   /* or DXMIT_FIELD_NONE */
	uint64_t value;
	uint64_t limit;
};

/**
 * Write the frame into buf (`room` bytes) and describe it in *map and, if it is
 * refused, why in *error; both may be NULL. Does not allocate.
 *
 * UDP carries a checksum, except around VXLAN over IPv4, where it is 0
 * (RFC 7348, section 5). The IPv4 identification is 0 and DF is set (RFC 6864).
 * A field that is set stays as it is, right or wrong: for a length, next
 * protocol or checksum that means it is not computed.
 *
 * Returns the length, -EINVAL (a stack, field or value that is not legal) or
 * -EMSGSIZE (SHORT, LONG, ROOM). buf is then unchanged or partly written.
 */
int dxmit_packet_build(const struct dxmit_packet_spec *spec, void *buf, size_t room,
		       struct dxmit_packet_map *map, struct dxmit_packet_error *error);

/**
 * Write "REASON; REMEDY" for a refused packet into buf (always terminated,
 * truncated to len). Returns the length it would have had; 0 for FINE.
 */
int dxmit_packet_text(const struct dxmit_packet_error *error, char *buf, size_t len);

/**
 * First bit of a field, counted from the first bit of the frame, in a packet
 * that was built. Its width is in dxmit_field(). Returns 0, -EINVAL (no such
 * layer, or a field of another kind) or -ENOENT (an optional field that this
 * layer does not have).
 */
int dxmit_packet_field(const struct dxmit_packet_map *map, uint32_t layer,
		       enum dxmit_field_id field, uint32_t *bit);

/**
 * Where a stamp (frame.h) goes in a built packet: the start of the payload of
 * UDP, and the checksum that has to follow it. Checksums further out need no
 * change, for the sum over an inner packet with its checksum stays the same.
 */
struct dxmit_stamp_place {
	uint32_t at;
	uint32_t checksum_at; /* 0: no checksum covers it */
	uint32_t udp;         /* a computed 0 is sent as 0xffff */
};

/**
 * Find that place. Returns 0, -ENOENT (the last layer is not UDP) or -EMSGSIZE
 * (its payload is shorter than a stamp).
 */
int dxmit_stamp_locate(const struct dxmit_packet_map *map,
		       struct dxmit_stamp_place *place);

/** dxmit_stamp_write() for a frame whose stamp is at *place. */
void dxmit_stamp_write_at(void *frame, const struct dxmit_stamp_place *place,
			  const struct dxmit_stamp *stamp);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
#endif
