/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The rare paths of the ring verbs: the first lap, its verification, and the
 * change from fixed slots to the free list when a device reorders.
 */
#include "queue_private.h"

void dxmit_ring_start(struct dxmit_queue *q)
{
	uint32_t i;

	for (i = 0; i < q->frames; i++)
		q->free_addrs[i] = (uint64_t)i * q->frame_size;
	q->free_head = 0;
	q->free_tail = q->frames;

	q->fixed_length = 0;
	q->fixed_unwritten = q->tx_mask + 1;

	q->tx_position = *q->tx_producer;
	q->cq_position = *q->cq_consumer;
}

/*
 * Called when a whole lap of fixed slots has been written with one length.
 * Reads every descriptor back; if memory holds anything else, the next lap is
 * written again, so submit() never relies on descriptors nobody verified.
 */
int dxmit_queue_check_lap(struct dxmit_queue *q)
{
	uint32_t i;

	for (i = 0; i <= q->tx_mask; i++) {
		const struct xdp_desc *desc = &q->tx_descs[i];

		if (desc->addr != dxmit_slot_addr_(q, i) ||
		    desc->len != q->fixed_length || desc->options != 0)
			q->fixed_unwritten = q->tx_mask + 1;
	}
	return 0;
}

/*
 * Called by reclaim when a completion is not that of the oldest frame in
 * flight. Every frame outside the in-flight range becomes free, in ring order,
 * so that a reservation stays what it was; reclaim then adds the completed ones
 * one by one. `available` completions are unread.
 */
int dxmit_queue_unfix(struct dxmit_queue *q, uint32_t available)
{
	uint32_t oldest = q->tx_position - q->in_flight;
	uint32_t ring_size = q->tx_mask + 1;
	uint32_t slot;
	uint32_t n = 0;

	if (available > q->in_flight || q->in_flight > ring_size)
		return -EPROTO;
	for (slot = q->tx_position; slot != oldest + ring_size; slot++)
		q->free_addrs[n++] = dxmit_slot_addr_(q, slot);
	q->free_head = 0;
	q->free_tail = n;
	q->fixed_slots = 0;
	q->fixed_length = 0;
	q->fixed_unwritten = ring_size;
	return 0;
}
