/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A kernel side of one AF_XDP transmit queue in plain memory: it takes
 * descriptors, checks every one against the ownership rules, and completes
 * them one kick later, so that frames are in flight while the sender runs.
 */
#ifndef BENCH_FAKE_RING_H
#define BENCH_FAKE_RING_H

#include <stdbool.h>
#include <stdint.h>

#include <dxmit/queue.h>

struct fake_frame {
	uint32_t completed_at; /* position of its last completion */
	uint32_t held;         /* 1 from taken to completed */
};

struct fake_ring {
	/* The index words both sides share, a cache line each, as in the kernel. */
	struct {
		uint32_t value;
		char pad[60];
	} tx_producer, tx_consumer, cq_producer, cq_consumer;
	struct xdp_desc *descs;
	uint64_t *addrs;
	uint8_t *umem;

	/* The kernel's own. */
	uint32_t mask;            /* both rings */
	uint32_t frame_shift;     /* frame size is 1 << frame_shift */
	uint32_t length;          /* every descriptor must say this */
	bool fixed;               /* slot i must hold frame i */
	struct fake_frame *frame; /* one per frame */
	uint64_t *in_flight;      /* addresses taken by the last kick */
	uint32_t in_flight_count;
	uint64_t taken;
	uint64_t violations;
};

/* Make the rings and a `queue` on them; 0 or -ENOMEM. */
int fake_ring_open(struct fake_ring *ring, struct dxmit_queue *queue, uint32_t size,
		   uint32_t frame_shift, uint32_t length, bool fixed);
void fake_ring_close(struct fake_ring *ring, struct dxmit_queue *queue);

/*
 * One kick: complete what the last one took, take everything published.
 * Returns how many were taken.
 */
uint32_t fake_ring_kick(struct fake_ring *ring);

#endif
