/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Frames: an Ethernet/IPv4/UDP frame with correct lengths and checksums, and
 * the stamp that lets a receiver tell our frames, their queue and their order.
 * Pure functions on memory the caller owns.
 */
#ifndef DXMIT_FRAME_H
#define DXMIT_FRAME_H

#include <stddef.h>
#include <stdint.h>

#include <dxmit/error.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

#define DXMIT_FCS_BYTES 4          /* IEEE 802.3: appended by the device */
#define DXMIT_L1_OVERHEAD_BYTES 20 /* preamble 7, SFD 1, inter-packet gap 12 */
#define DXMIT_ETH_HEADER_BYTES 14
#define DXMIT_UDP_HEADERS_BYTES 42 /* Ethernet 14 + IPv4 20 + UDP 8 */
#define DXMIT_UDP_MIN_LENGTH 60    /* shortest frame built here, without FCS */

enum dxmit_payload {
	DXMIT_PAYLOAD_ZERO = 0,  /* all zero */
	DXMIT_PAYLOAD_BYTE = 1,  /* payload_byte repeated */
	DXMIT_PAYLOAD_COUNT = 2, /* 0, 1, 2 … 255, 0 … */
	DXMIT_PAYLOAD_NONE = 3,  /* packet.h: none, but padding of the frame */
};

struct dxmit_udp_spec {
	size_t size;     /* sizeof(struct dxmit_udp_spec) */
	uint32_t length; /* bytes without FCS, DXMIT_UDP_MIN_LENGTH up */
	uint8_t destination_mac[6];
	uint8_t source_mac[6];
	uint32_t source_ip; /* host byte order */
	uint32_t destination_ip;
	uint16_t source_port; /* host byte order */
	uint16_t destination_port;
	uint8_t ttl;  /* 0: 64 */
	uint8_t dscp; /* 0 … 63 */
	enum dxmit_payload payload;
	uint8_t payload_byte;
};

/**
 * Write the frame into buf (`room` bytes). The IPv4 identification is 0 and
 * DF is set (RFC 6864: atomic datagram). The UDP checksum is computed and 0 is
 * sent as 0xffff (RFC 768).
 * Returns the length, -EINVAL (length, dscp or payload out of range) or
 * -EMSGSIZE (does not fit room, or over 65535 bytes of IP).
 */
int dxmit_udp_build(const struct dxmit_udp_spec *spec, void *buf, size_t room);

/**
 * Internet checksum (RFC 1071) of len bytes added to the partial sum `sum`;
 * returns the new partial sum. Fold with dxmit_checksum_fold().
 */
uint32_t dxmit_checksum_add(uint32_t sum, const void *data, size_t len);
/** Fold a partial sum and complement it; host byte order as loaded. */
uint16_t dxmit_checksum_fold(uint32_t sum);

/*
 * The stamp, version 1: 16 bytes, big endian, at the start of the UDP payload.
 *
 *	0  magic    0x44584d54 ("DXMT")
 *	4  version  1
 *	5  flags    0
 *	6  queue    TX queue that sent it
 *	8  sequence 0, 1, 2 … per queue
 */
#define DXMIT_STAMP_MAGIC 0x44584d54u
#define DXMIT_STAMP_VERSION 1
#define DXMIT_STAMP_BYTES 16

struct dxmit_stamp {
	uint16_t queue;
	uint64_t sequence;
};

/**
 * Write a stamp into a frame made by dxmit_udp_build() and update its UDP
 * checksum incrementally (RFC 1624, eqn. 3). `frame` must be at least
 * DXMIT_UDP_MIN_LENGTH long.
 */
void dxmit_stamp_write(void *frame, const struct dxmit_stamp *stamp);

/**
 * Read the stamp of a received frame of `length` bytes. It is found under VLAN
 * tags, MPLS, IPv4 and IPv6, in GRE and VXLAN, too; not in a fragment.
 * Returns 1 if it carries one (any version we know), else 0.
 */
int dxmit_stamp_read(const void *frame, size_t length, struct dxmit_stamp *stamp);

/*
 * The stamp, version 2: 32 bytes, of which the first 16 are as in version 1, so
 * that dxmit_stamp_read() takes both.
 *
 *	16 stream   number of the stream, from 0
 *	18 flow     48 bits: packets with the same changing fields have the same
 *	24 time     CLOCK_REALTIME, nanoseconds since 1970 (UTC)
 */
#define DXMIT_STAMP_FULL_VERSION 2
#define DXMIT_STAMP_FULL_BYTES 32

struct dxmit_stamp_full {
	uint64_t sequence;
	uint64_t flow; /* below 2^48 */
	uint64_t time_ns;
	uint16_t queue;
	uint16_t stream;
};

struct dxmit_stamp_place;

/** dxmit_stamp_write_at() for version 2; the payload has DXMIT_STAMP_FULL_BYTES. */
void dxmit_stamp_write_full(void *frame, const struct dxmit_stamp_place *place,
			    const struct dxmit_stamp_full *stamp);

/** dxmit_stamp_read() for version 2. Returns 1 if it carries one, else 0. */
int dxmit_stamp_read_full(const void *frame, size_t length,
			  struct dxmit_stamp_full *stamp);

/*
 * The header of the kernel's pktgen (struct pktgen_hdr in net/core/pktgen.c, Linux
 * 6.1): 16 bytes, big endian, at the start of the UDP payload.
 *
 *	0  magic    0xbe9be955
 *	4  sequence 32 bits
 *	8  seconds  of CLOCK_REALTIME, the low 32 bits
 *	12 microseconds
 */
#define DXMIT_PKTGEN_MAGIC 0xbe9be955u
#define DXMIT_PKTGEN_BYTES 16

/** dxmit_stamp_write_at() for pktgen's header. */
void dxmit_pktgen_write(void *frame, const struct dxmit_stamp_place *place,
			uint32_t sequence, uint64_t time_ns);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
#endif
