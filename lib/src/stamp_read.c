/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Finding the stamp in a received frame: a walk over its layers, from the outside
 * in, to a UDP payload that begins with the magic. What the builder of packets can
 * put under UDP is known here; each step takes bytes off, so the walk ends.
 */
#include <endian.h>
#include <string.h>

#include <dxmit/frame.h>

#include "internal.h"

enum step {
	STEP_NONE, /* no stamp of ours */
	STEP_ETHERNET,
	STEP_TYPE,     /* what `next` says, an ethertype */
	STEP_PROTOCOL, /* what `next` says, an IP protocol */
	STEP_FOUND,
};

struct walk {
	const uint8_t *at;
	size_t left;
	uint16_t next;
};

static uint16_t get16(const uint8_t *at)
{
	return (uint16_t)(at[0] << 8 | at[1]);
}

static bool take(struct walk *w, size_t bytes)
{
	if (w->left < bytes)
		return false;
	w->at += bytes;
	w->left -= bytes;
	return true;
}

static enum step ethernet(struct walk *w)
{
	if (!take(w, DXMIT_ETH_HEADER_BYTES))
		return STEP_NONE;
	w->next = get16(w->at - 2);
	return STEP_TYPE;
}

static enum step vlan(struct walk *w)
{
	if (!take(w, 4))
		return STEP_NONE;
	w->next = get16(w->at - 2);
	return STEP_TYPE;
}

/* MPLS does not say what it carries; the version of IP does. */
static enum step mpls(struct walk *w)
{
	do {
		if (!take(w, 4))
			return STEP_NONE;
	} while (!(w->at[-2] & 1));
	if (w->left == 0)
		return STEP_NONE;
	w->next = w->at[0] >> 4 == 4 ? 0x0800 : 0x86dd;
	return STEP_TYPE;
}

/* RFC 791; a fragment has no whole UDP. Padding of the frame is cut off. */
static enum step ipv4(struct walk *w)
{
	size_t header, bytes;

	if (w->left < 20 || w->at[0] >> 4 != 4)
		return STEP_NONE;
	header = (size_t)(w->at[0] & 15) * 4;
	bytes = get16(w->at + 2);
	if (header < 20 || bytes < header || bytes > w->left ||
	    (get16(w->at + 6) & 0x3fff) != 0)
		return STEP_NONE;
	w->next = w->at[9];
	w->left = bytes;
	return take(w, header) ? STEP_PROTOCOL : STEP_NONE;
}

static enum step ipv6(struct walk *w)
{
	size_t bytes;

	if (w->left < 40 || w->at[0] >> 4 != 6)
		return STEP_NONE;
	bytes = 40u + get16(w->at + 4);
	if (bytes > w->left)
		return STEP_NONE;
	w->next = w->at[6];
	w->left = bytes;
	return take(w, 40) ? STEP_PROTOCOL : STEP_NONE;
}

/* RFC 2784 and 2890: checksum, key and sequence number have 4 bytes each. */
static enum step gre(struct walk *w)
{
	size_t header = 4;

	if (w->left < header || (w->at[1] & 7) != 0)
		return STEP_NONE;
	header += (w->at[0] & 0x80 ? 4u : 0u) + (w->at[0] & 0x20 ? 4u : 0u) +
		  (w->at[0] & 0x10 ? 4u : 0u);
	w->next = get16(w->at + 2);
	return take(w, header) ? STEP_TYPE : STEP_NONE;
}

static bool is_stamp(const struct walk *w)
{
	uint64_t word, version;

	if (w->left < DXMIT_STAMP_BYTES)
		return false;
	memcpy(&word, w->at, sizeof(word));
	word = be64toh(word);
	version = word >> 24 & 0xff;
	return word >> 32 == DXMIT_STAMP_MAGIC &&
	       (version == DXMIT_STAMP_VERSION || version == DXMIT_STAMP_FULL_VERSION);
}

static enum step udp(struct walk *w)
{
	size_t bytes;
	uint16_t port;

	if (w->left < 8)
		return STEP_NONE;
	port = get16(w->at + 2);
	bytes = get16(w->at + 4);
	if (bytes < 8 || bytes > w->left)
		return STEP_NONE;
	w->left = bytes;
	take(w, 8);
	if (is_stamp(w))
		return STEP_FOUND;
	/* VXLAN: the I flag, or it is none (RFC 7348, section 5). */
	if (port == 4789 && take(w, 8) && w->at[-8] & 0x08)
		return STEP_ETHERNET;
	return STEP_NONE;
}

static enum step by_type(struct walk *w)
{
	switch (w->next) {
	case 0x8100:
	case 0x88a8:
		return vlan(w);
	case 0x8847:
		return mpls(w);
	case 0x0800:
		return ipv4(w);
	case 0x86dd:
		return ipv6(w);
	case 0x6558:
		return STEP_ETHERNET;
	default:
		return STEP_NONE;
	}
}

static enum step by_protocol(struct walk *w)
{
	switch (w->next) {
	case 17:
		return udp(w);
	case 47:
		return gre(w);
	case 4:
		return ipv4(w);
	case 41:
		return ipv6(w);
	default:
		return STEP_NONE;
	}
}

/* Leaves w at the stamp. */
static bool find_stamp(struct walk *w)
{
	enum step step = STEP_ETHERNET;

	while (step != STEP_NONE && step != STEP_FOUND)
		step = step == STEP_ETHERNET ? ethernet(w)
		       : step == STEP_TYPE   ? by_type(w)
					     : by_protocol(w);
	return step == STEP_FOUND;
}

int dxmit_stamp_read(const void *frame, size_t length, struct dxmit_stamp *stamp)
{
	struct walk w = { .at = frame, .left = length };
	uint64_t word[2];

	if (!find_stamp(&w))
		return 0;
	memcpy(word, w.at, sizeof(word));
	stamp->queue = (uint16_t)be64toh(word[0]);
	stamp->sequence = be64toh(word[1]);
	return 1;
}

int dxmit_stamp_read_full(const void *frame, size_t length,
			  struct dxmit_stamp_full *stamp)
{
	struct walk w = { .at = frame, .left = length };
	uint64_t word[DXMIT_STAMP_FULL_BYTES / 8];
	size_t i;

	if (!find_stamp(&w) || w.at[4] != DXMIT_STAMP_FULL_VERSION ||
	    w.left < sizeof(word))
		return 0;
	memcpy(word, w.at, sizeof(word));
	for (i = 0; i < sizeof(word) / sizeof(word[0]); i++)
		word[i] = be64toh(word[i]);
	*stamp = (struct dxmit_stamp_full){
		.queue = (uint16_t)word[0],
		.sequence = word[1],
		.stream = (uint16_t)(word[2] >> 48),
		.flow = word[2] & UINT64_MAX >> 16,
		.time_ns = word[3],
	};
	return 1;
}
