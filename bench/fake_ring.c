/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The kernel side of one AF_XDP transmit queue in plain memory. Checked of every
 * descriptor: its address, length and options, and that the sender owned the
 * frame, that is, had read the completion of its last transmission.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "fake_ring.h"

#define ALIGNMENT 4096

static void *zeroed(size_t bytes)
{
	void *memory = NULL;

	if (posix_memalign(&memory, ALIGNMENT, bytes))
		return NULL;
	return memset(memory, 0, bytes);
}

static void lay_queue(struct fake_ring *ring, struct dxmit_queue *q)
{
	uint32_t i;

	*q = (struct dxmit_queue){
		.tx_producer = &ring->tx_producer.value,
		.tx_consumer = &ring->tx_consumer.value,
		.tx_descs = ring->descs,
		.cq_producer = &ring->cq_producer.value,
		.cq_consumer = &ring->cq_consumer.value,
		.cq_addrs = ring->addrs,
		.umem = ring->umem,
		.free_addrs = zeroed((ring->mask + 1) * sizeof(uint64_t)),
		.tx_mask = ring->mask,
		.cq_mask = ring->mask,
		.free_mask = ring->mask,
		.frame_size = 1u << ring->frame_shift,
		.frames = ring->mask + 1,
		.fixed_slots = ring->fixed,
		.fixed_unwritten = ring->mask + 1,
		.free_tail = ring->mask + 1,
	};
	for (i = 0; q->free_addrs && i <= ring->mask; i++) {
		ring->frame[i].completed_at = UINT32_MAX; /* before position 0 */
		q->free_addrs[i] = (uint64_t)i << ring->frame_shift;
		if (ring->fixed)
			ring->descs[i].addr = (uint64_t)i << ring->frame_shift;
	}
}

int fake_ring_open(struct fake_ring *ring, struct dxmit_queue *queue, uint32_t size,
		   uint32_t frame_shift, uint32_t length, bool fixed)
{
	memset(ring, 0, sizeof(*ring));
	ring->mask = size - 1;
	ring->frame_shift = frame_shift;
	ring->length = length;
	ring->fixed = fixed;
	ring->descs = zeroed(size * sizeof(*ring->descs));
	ring->addrs = zeroed(size * sizeof(*ring->addrs));
	ring->umem = zeroed((size_t)size << frame_shift);
	ring->frame = zeroed(size * sizeof(*ring->frame));
	ring->in_flight = zeroed(size * sizeof(*ring->in_flight));
	if (ring->descs)
		/* Stale bits, as a ring may hold before its first lap. */
		memset(ring->descs, 0xff, size * sizeof(*ring->descs));
	memset(queue, 0, sizeof(*queue));
	if (!ring->descs || !ring->addrs || !ring->umem || !ring->frame ||
	    !ring->in_flight)
		goto free_all;
	lay_queue(ring, queue);
	if (queue->free_addrs)
		return 0;
free_all:
	fake_ring_close(ring, queue);
	return -ENOMEM;
}

void fake_ring_close(struct fake_ring *ring, struct dxmit_queue *queue)
{
	free(queue->free_addrs);
	free(ring->in_flight);
	free(ring->frame);
	free(ring->umem);
	free(ring->addrs);
	free(ring->descs);
	memset(ring, 0, sizeof(*ring));
}

/* Returns the number of broken rules. */
static uint32_t complete(struct fake_ring *ring, uint32_t reclaimed)
{
	uint32_t produced = ring->cq_producer.value;
	uint32_t n = ring->in_flight_count;
	uint32_t i;

	for (i = 0; i < n; i++) {
		uint64_t addr = ring->in_flight[i];
		struct fake_frame *frame = &ring->frame[addr >> ring->frame_shift];

		ring->addrs[(produced + i) & ring->mask] = addr;
		frame->completed_at = produced + i;
		frame->held = 0;
	}
	__atomic_store_n(&ring->cq_producer.value, produced + n, __ATOMIC_RELEASE);
	return produced + n - reclaimed > ring->mask + 1;
}

static uint32_t take(struct fake_ring *ring, uint32_t n, uint32_t reclaimed)
{
	uint32_t consumer = ring->tx_consumer.value;
	uint32_t bad = 0, i;

	for (i = 0; i < n; i++) {
		uint32_t slot = (consumer + i) & ring->mask;
		const struct xdp_desc *desc = &ring->descs[slot];
		uint64_t number = desc->addr >> ring->frame_shift;
		struct fake_frame *frame = &ring->frame[number & ring->mask];

		bad += number > ring->mask || desc->len != ring->length ||
		       desc->options != 0 || desc->addr != number << ring->frame_shift ||
		       (ring->fixed && number != slot) || frame->held ||
		       (int32_t)(reclaimed - frame->completed_at) <= 0;
		frame->held = 1;
		ring->in_flight[i] = (number & ring->mask) << ring->frame_shift;
	}
	ring->in_flight_count = n;
	__atomic_store_n(&ring->tx_consumer.value, consumer + n, __ATOMIC_RELEASE);
	return bad;
}

/* Never inlined: the sender must not be compiled knowing what this does. */
__attribute__((noinline)) uint32_t fake_ring_kick(struct fake_ring *ring)
{
	/* Acquire pairs with the release of reclaim() and of submit(). */
	uint32_t reclaimed = __atomic_load_n(&ring->cq_consumer.value, __ATOMIC_ACQUIRE);
	uint32_t n = __atomic_load_n(&ring->tx_producer.value, __ATOMIC_ACQUIRE) -
		     ring->tx_consumer.value;

	if (n > ring->mask + 1) {
		ring->violations++;
		return 0;
	}
	ring->violations += complete(ring, reclaimed);
	ring->violations += take(ring, n, reclaimed);
	ring->taken += n;
	return n;
}
