/* SPDX-License-Identifier: BSD-2-Clause */
/* Frames of the yardsticks: memory for them, and which of them UDP can send. */
#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#include "yardstick_parts.h"

#define MIN_ROOM 64 /* a cache line */

static uint32_t power_of_two(uint32_t at_least)
{
	uint32_t power = 1;

	while (power < at_least)
		power <<= 1;
	return power;
}

uint32_t yardstick_room(const struct content *content, uint32_t before)
{
	uint32_t room = power_of_two(content->longest + before);

	return room < MIN_ROOM ? MIN_ROOM : room;
}

int yardstick_frames_map(struct yardstick_frames *frames, const struct content *content,
			 uint32_t slots)
{
	struct dxmit_queue *q = &frames->memory;

	q->frame_size = yardstick_room(content, 0);
	q->frames = power_of_two(slots);
	q->tx_mask = q->frames - 1;
	q->fixed_slots = 1;
	frames->map_bytes = (size_t)q->frames * q->frame_size;
	frames->map = mmap(NULL, frames->map_bytes, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
	if (frames->map == MAP_FAILED) {
		frames->map = NULL;
		return -errno;
	}
	q->umem = frames->map;
	return content_queue_lay(&frames->content, q);
}

void yardstick_frames_close(struct yardstick_frames *frames)
{
	if (frames->content.content)
		content_queue_close(&frames->content);
	if (frames->map)
		munmap(frames->map, frames->map_bytes);
	frames->map = NULL;
}

/* ---- what a UDP socket and pktgen can send ---- */

static uint16_t load16(const uint8_t *at)
{
	return (uint16_t)(at[0] << 8 | at[1]);
}

static uint32_t load32(const uint8_t *at)
{
	return (uint32_t)load16(at) << 16 | load16(at + 2);
}

/* RFC 791 and 768. Identification 0 and DF are what dxmit's own layers have. */
static const char *read_headers(const struct content_variant *variant,
				struct yardstick_udp *udp)
{
	const uint8_t *frame = variant->frame, *ip = frame + 14, *datagram = frame + 34;

	if (variant->length < YARDSTICK_UDP_HEADERS || load16(frame + 12) != 0x0800)
		return "the layers are not Ethernet, IPv4 and UDP alone";
	if (ip[0] != 0x45 || ip[9] != 17)
		return "the layers are not Ethernet, IPv4 without options and UDP";
	if (load16(ip + 4) != 0 || load16(ip + 6) != 0x4000)
		return "the IPv4 identification or fragment field is set";
	if (load16(ip + 2) != variant->length - 14u ||
	    load16(datagram + 4) != variant->length - 34u)
		return "a length field is not that of the frame";
	if (load16(datagram + 6) == 0)
		return "there is no UDP checksum";
	memcpy(udp->destination_mac, frame, 6);
	memcpy(udp->source_mac, frame + 6, 6);
	udp->source_ip = load32(ip + 12);
	udp->destination_ip = load32(ip + 16);
	udp->source_port = load16(datagram);
	udp->destination_port = load16(datagram + 2);
	udp->tos = ip[1];
	udp->ttl = ip[8];
	return NULL;
}

bool yardstick_udp_headers(const struct content *content, struct yardstick_udp *udp,
			   const char **why)
{
	struct yardstick_udp first, next;
	uint32_t i;

	*why = NULL;
	/* All bytes are compared, those between members too. */
	memset(&first, 0, sizeof(first));
	memset(&next, 0, sizeof(next));
	for (i = 0; i < content->streams; i++)
		if (content->stream[i].modifiers)
			*why = "fields change from packet to packet";
	for (i = 0; !*why && i < content->variants; i++) {
		*why = read_headers(&content->variant[i], i ? &next : &first);
		if (!*why && i && memcmp(&first, &next, sizeof(first)))
			*why = "streams differ in their headers";
	}
	*udp = first;
	return !*why;
}
