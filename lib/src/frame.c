/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The Ethernet/IPv4/UDP frame and writing the stamp into its payload, with their
 * Internet checksums.
 *
 * Checksums are one's complement sums of 16-bit words, so they may be taken in
 * the machine's own byte order as long as the result is stored in it too
 * (RFC 1071, section 2 B). Headers are written byte by byte: a frame may start
 * at any address.
 */
#include <endian.h>
#include <errno.h>
#include <string.h>

#include <dxmit/frame.h>
#include <dxmit/packet.h>

#include "internal.h"

/* Offsets from the start of the frame. */
enum {
	ETHERTYPE_AT = 12,
	IP_AT = DXMIT_ETH_HEADER_BYTES,
	IP_LENGTH_AT = IP_AT + 2,
	IP_FRAGMENT_AT = IP_AT + 6,
	IP_TTL_AT = IP_AT + 8,
	IP_PROTOCOL_AT = IP_AT + 9,
	IP_CHECKSUM_AT = IP_AT + 10,
	IP_SOURCE_AT = IP_AT + 12,
	IP_DESTINATION_AT = IP_AT + 16,
	UDP_AT = IP_AT + 20,
	UDP_LENGTH_AT = UDP_AT + 4,
	UDP_CHECKSUM_AT = UDP_AT + 6,
	PAYLOAD_AT = DXMIT_UDP_HEADERS_BYTES,
};

enum {
	IP_HEADER_BYTES = 20,
	IP_MAX_BYTES = 65535,
	IP_VERSION_IHL = 0x45, /* IPv4, five 32-bit words of header */
	IP_DONT_FRAGMENT = 0x4000,
	IP_DEFAULT_TTL = 64,
	IP_PROTOCOL_UDP = 17,
	ETHERTYPE_IPV4 = 0x0800,
	DSCP_MAX = 63,
};

static void put16(uint8_t *at, uint16_t value)
{
	at[0] = (uint8_t)(value >> 8);
	at[1] = (uint8_t)value;
}

static void put32(uint8_t *at, uint32_t value)
{
	put16(at, (uint16_t)(value >> 16));
	put16(at + 2, (uint16_t)value);
}

/* 64-bit words as two 32-bit addends: no carry is lost below 2^31 words. */
static uint64_t sum64(uint64_t word)
{
	return (word & UINT32_MAX) + (word >> 32);
}

static uint32_t fold32(uint64_t sum)
{
	sum = sum64(sum);
	return (uint32_t)sum64(sum);
}

uint32_t dxmit_checksum_add(uint32_t sum, const void *data, size_t len)
{
	const uint8_t *at = data;
	uint64_t total = sum;
	uint64_t word;

	for (; len >= sizeof(word); at += sizeof(word), len -= sizeof(word)) {
		memcpy(&word, at, sizeof(word));
		total += sum64(word);
	}
	if (len > 0) {
		word = 0; /* padded with zero bytes (RFC 1071) */
		memcpy(&word, at, len);
		total += sum64(word);
	}
	return fold32(total);
}

uint16_t dxmit_checksum_fold(uint32_t sum)
{
	sum = (sum & 0xffff) + (sum >> 16);
	sum = (sum & 0xffff) + (sum >> 16);
	return (uint16_t)~sum;
}

/* RFC 768: 0 in the field means "no checksum", so a sum of 0 goes out as its
 * other one's complement form. */
static void store_udp_checksum(uint8_t *field, uint16_t checksum)
{
	if (checksum == 0)
		checksum = 0xffff;
	memcpy(field, &checksum, sizeof(checksum));
}

static void write_ethernet(uint8_t *frame, const struct dxmit_udp_spec *spec)
{
	memcpy(frame, spec->destination_mac, sizeof(spec->destination_mac));
	memcpy(frame + 6, spec->source_mac, sizeof(spec->source_mac));
	put16(frame + ETHERTYPE_AT, ETHERTYPE_IPV4);
}

static void write_ip(uint8_t *frame, const struct dxmit_udp_spec *spec)
{
	uint8_t *ip = frame + IP_AT;
	uint16_t checksum;

	memset(ip, 0, IP_HEADER_BYTES);
	ip[0] = IP_VERSION_IHL;
	ip[1] = (uint8_t)(spec->dscp << 2); /* ECN: not capable */
	put16(frame + IP_LENGTH_AT, (uint16_t)(spec->length - IP_AT));
	put16(frame + IP_FRAGMENT_AT, IP_DONT_FRAGMENT);
	frame[IP_TTL_AT] = spec->ttl ? spec->ttl : IP_DEFAULT_TTL;
	frame[IP_PROTOCOL_AT] = IP_PROTOCOL_UDP;
	put32(frame + IP_SOURCE_AT, spec->source_ip);
	put32(frame + IP_DESTINATION_AT, spec->destination_ip);
	checksum = dxmit_checksum_fold(dxmit_checksum_add(0, ip, IP_HEADER_BYTES));
	memcpy(frame + IP_CHECKSUM_AT, &checksum, sizeof(checksum));
}

static void write_payload(uint8_t *frame, const struct dxmit_udp_spec *spec)
{
	uint8_t *payload = frame + PAYLOAD_AT;
	size_t len = spec->length - PAYLOAD_AT;
	size_t i;

	if (spec->payload == DXMIT_PAYLOAD_COUNT) {
		for (i = 0; i < len; i++)
			payload[i] = (uint8_t)i;
		return;
	}
	memset(payload, spec->payload == DXMIT_PAYLOAD_BYTE ? spec->payload_byte : 0,
	       len);
}

/* Headers, pseudo header (RFC 768) and payload; the payload is in place. */
static void write_udp(uint8_t *frame, const struct dxmit_udp_spec *spec)
{
	uint16_t udp_bytes = (uint16_t)(spec->length - UDP_AT);
	uint8_t pseudo[4] = { 0, IP_PROTOCOL_UDP };
	uint32_t sum;

	put16(frame + UDP_AT, spec->source_port);
	put16(frame + UDP_AT + 2, spec->destination_port);
	put16(frame + UDP_LENGTH_AT, udp_bytes);
	put16(frame + UDP_CHECKSUM_AT, 0);

	put16(pseudo + 2, udp_bytes);
	sum = dxmit_checksum_add(0, pseudo, sizeof(pseudo));
	sum = dxmit_checksum_add(sum, frame + IP_SOURCE_AT, 8);
	sum = dxmit_checksum_add(sum, frame + UDP_AT, udp_bytes);
	store_udp_checksum(frame + UDP_CHECKSUM_AT, dxmit_checksum_fold(sum));
}

int dxmit_udp_build(const struct dxmit_udp_spec *from, void *buf, size_t room)
{
	uint8_t *frame = buf;
	struct dxmit_udp_spec copy;
	const struct dxmit_udp_spec *spec = &copy;

	if (!buf || dxmit_copy_in(&copy, sizeof(copy), from, sizeof(copy)) ||
	    spec->length < DXMIT_UDP_MIN_LENGTH || spec->dscp > DSCP_MAX ||
	    (unsigned int)spec->payload > DXMIT_PAYLOAD_COUNT)
		return -EINVAL;
	if (spec->length > room || spec->length - IP_AT > IP_MAX_BYTES)
		return -EMSGSIZE;

	write_ethernet(frame, spec);
	write_ip(frame, spec);
	write_payload(frame, spec);
	write_udp(frame, spec);
	return (int)spec->length;
}

/* Inline, so that in dxmit_stamp_write() the offsets are constants. */
static inline void write_stamp(uint8_t *at, uint8_t *field, bool udp,
			       const struct dxmit_stamp *stamp)
{
	uint64_t old[2], new[2];
	uint16_t checksum;
	uint64_t sum;

	memcpy(old, at, sizeof(old));
	new[0] = htobe64((uint64_t)DXMIT_STAMP_MAGIC << 32 |
			 (uint32_t)DXMIT_STAMP_VERSION << 24 | stamp->queue);
	new[1] = htobe64(stamp->sequence);
	memcpy(at, new, sizeof(new));

	if (!field)
		return;
	memcpy(&checksum, field, sizeof(checksum));
	if (udp && checksum == 0) /* this frame carries none */
		return;
	/* RFC 1624, eqn. 3: ~(~HC + ~m + m'), over all eight words at once. */
	sum = (uint16_t)~checksum + sum64(~old[0]) + sum64(~old[1]) + sum64(new[0]) +
	      sum64(new[1]);
	checksum = dxmit_checksum_fold(fold32(sum));
	if (udp)
		store_udp_checksum(field, checksum);
	else
		memcpy(field, &checksum, sizeof(checksum));
}

void dxmit_stamp_write(void *frame, const struct dxmit_stamp *stamp)
{
	uint8_t *bytes = frame;

	write_stamp(bytes + PAYLOAD_AT, bytes + UDP_CHECKSUM_AT, true, stamp);
}

void dxmit_stamp_write_at(void *frame, const struct dxmit_stamp_place *place,
			  const struct dxmit_stamp *stamp)
{
	uint8_t *bytes = frame;

	write_stamp(bytes + place->at,
		    place->checksum_at ? bytes + place->checksum_at : NULL, place->udp,
		    stamp);
}
