/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * af_packet-ring: frames in a ring shared with the kernel (PACKET_TX_RING, version
 * 2), which a call of send() takes from there.
 *
 * A slot is available, requested, or being sent; the kernel sends the pages
 * themselves and makes the slot available again when it has freed the packet
 * (tpacket_snd() and tpacket_destruct_skb() in net/packet/af_packet.c, 6.1 to 7.3).
 * A frame that was refused, with ENOBUFS too, stays requested and is tried again by
 * the next call: so nothing is lost here that the sender could know of.
 */
#include <errno.h>
#include <net/ethernet.h>
#include <poll.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <linux/if_packet.h>

#include "message.h"
#include "sender.h"
#include "yardstick_packet.h"

/* Where the frame begins in its slot: the kernel reckons so for a socket without
 * PACKET_TX_HAS_OFF. */
#define DATA_AT (TPACKET2_HDRLEN - sizeof(struct sockaddr_ll))
#define DRAIN_NS UINT64_C(30000000) /* for what is still being sent at the end */

static struct tpacket2_hdr *slot(const struct yardstick_thread *t, uint32_t position)
{
	const struct dxmit_queue *q = &t->frames.memory;

	return (struct tpacket2_hdr *)((uint8_t *)t->frames.map +
				       (size_t)(position & q->tx_mask) * q->frame_size);
}

/* Acquire pairs with the kernel's writes before it gave the slot back. */
static uint32_t status(const struct yardstick_thread *t, uint32_t position)
{
	return __atomic_load_n(&slot(t, position)->tp_status, __ATOMIC_ACQUIRE);
}

/* Blocks are mapped one after the other, so slots are a plain array if a block
 * holds a whole number of them. */
static int map_ring(struct yardstick_thread *t)
{
	struct dxmit_queue *q = &t->frames.memory;
	uint32_t page = (uint32_t)sysconf(_SC_PAGESIZE), room;
	struct tpacket_req request;

	room = yardstick_room(&t->run->content, DATA_AT);
	request.tp_frame_size = room;
	request.tp_block_size = room > page ? room : page;
	request.tp_block_nr =
		(t->plan->ring_size * (room < page ? room : page) + page - 1) / page;
	request.tp_frame_nr = request.tp_block_nr * (request.tp_block_size / room);
	if (setsockopt(t->fd, SOL_PACKET, PACKET_TX_RING, &request, sizeof(request)))
		return -errno;
	t->frames.map_bytes = (size_t)request.tp_block_nr * request.tp_block_size;
	t->frames.map = mmap(NULL, t->frames.map_bytes, PROT_READ | PROT_WRITE,
			     MAP_SHARED, t->fd, 0);
	if (t->frames.map == MAP_FAILED) {
		t->frames.map = NULL;
		return -errno;
	}
	q->umem = (uint8_t *)t->frames.map + DATA_AT;
	q->frame_size = room;
	q->frames = request.tp_frame_nr;
	q->tx_mask = q->frames - 1;
	q->fixed_slots = 1;
	return content_queue_lay(&t->frames.content, q);
}

static int open_ring(struct yardstick_thread *t)
{
	const char *name = t->run->yardstick->nic->name;
	int version = TPACKET_V2, code = yardstick_packet_socket(t), err;

	if (code)
		return code;
	if (setsockopt(t->fd, SOL_PACKET, PACKET_VERSION, &version, sizeof(version)))
		return yardstick_packet_refused(name, "PACKET_VERSION", errno);
	err = map_ring(t);
	if (err)
		return yardstick_packet_refused(name, "PACKET_TX_RING", -err);
	return yardstick_packet_bind(t);
}

/* Fill what is free, up to n frames. Returns how many. */
static uint32_t request(struct yardstick_thread *t, uint32_t n)
{
	struct dxmit_queue *q = &t->frames.memory;
	const struct content *content = &t->run->content;
	uint32_t i;

	for (i = 0; i < n && status(t, q->tx_position + i) == TP_STATUS_AVAILABLE;)
		i++;
	n = i;
	content_fill(&t->frames.content, q, n);
	for (i = 0; i < n; i++) {
		struct tpacket2_hdr *header = slot(t, q->tx_position + i);

		header->tp_len =
			content->length ? content->length : t->frames.content.lengths[i];
		/* Release: the kernel sees frame and length before the status. */
		__atomic_store_n(&header->tp_status, TP_STATUS_SEND_REQUEST,
				 __ATOMIC_RELEASE);
	}
	q->tx_position += n;
	q->submitted += n;
	return n;
}

/* Returns an exit code. */
static int kick(struct yardstick_thread *t)
{
	ssize_t n = send(t->fd, NULL, 0, MSG_DONTWAIT);

	t->share.kicks++;
	if (n > 0) {
		yardstick_moved(t);
		return EXIT_DONE;
	}
	if (n < 0 && errno == EINTR)
		return EXIT_DONE;
	if (n == 0 || errno == EAGAIN)
		return yardstick_stuck(t, POLLOUT, EAGAIN);
	if (errno == ENETDOWN || errno == ENOBUFS || errno == ENOMEM)
		return yardstick_stuck(t, 0, errno);
	return yardstick_broken(t, "send", errno);
}

/* How many are in this state. */
static uint32_t slots_in(const struct yardstick_thread *t, uint32_t state)
{
	const struct dxmit_queue *q = &t->frames.memory;
	uint32_t n = 0, i;

	for (i = 0; i < q->frames; i++)
		n += status(t, i) == state;
	return n;
}

/* Requested ones that the kernel did not take are not sent once the socket is
 * closed; the others are accepted. */
static void drain(struct yardstick_thread *t)
{
	uint64_t end_ns = clock_ns() + DRAIN_NS;
	uint32_t waiting;

	while (slots_in(t, TP_STATUS_SENDING) && clock_ns() < end_ns)
		poll(NULL, 0, 1);
	waiting =
		slots_in(t, TP_STATUS_SEND_REQUEST) + slots_in(t, TP_STATUS_WRONG_FORMAT);
	t->share.packets = t->frames.memory.submitted - waiting;
}

static int send_ring(struct yardstick_thread *t)
{
	struct dxmit_queue *q = &t->frames.memory;
	int code = EXIT_DONE;

	while (!code && !yardstick_pause(t)) {
		uint64_t left = t->count - q->submitted;
		uint32_t n = left < t->batch ? (uint32_t)left : t->batch;

		n = request(t, n);
		if (n == 0 && left == 0 && slots_in(t, TP_STATUS_SEND_REQUEST) == 0)
			break;
		code = kick(t);
	}
	drain(t);
	return code;
}

const struct yardstick_way yardstick_ring_way = {
	.open = open_ring,
	.send = send_ring,
};
