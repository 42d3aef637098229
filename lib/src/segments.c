/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Frames of several chunks (AF_XDP multi-buffer, Linux 6.6): the verbs of a queue
 * whose longest frame exceeds a chunk. The bytes of a frame are contiguous in the
 * frame memory; only its descriptors are several, one for each chunk, all but the
 * last with XDP_PKT_CONTD. So these verbs count frames towards the caller and
 * descriptors towards the two rings.
 *
 * Facts relied on (net/xdp/xsk.c, 6.6 to 7.3):
 *  - Each descriptor has a completion of its own. Those of a frame come in order,
 *    but not necessarily at once: up to 6.17 addresses are posted in the order
 *    of the ring while the count follows the frames that are done.
 *  - A frame is dropped whole, with one EBUSY.
 *  - One of more than DXMIT_MAX_SEGMENTS chunks is dropped, and 6.12 then loses
 *    completions: such a frame is never submitted.
 */
#include <errno.h>
#include <stdlib.h>

#include "queue_private.h"

/* include/uapi/linux/if_xdp.h, Linux 6.6 */
#ifndef XDP_PKT_CONTD
#define XDP_PKT_CONTD (1 << 0)
#endif

int dxmit_segments_open(struct dxmit_queue *q)
{
	struct dxmit_queue_private *p = q->priv;
	const struct dxmit_queue_options *o = &p->options;

	q->segments = segments_of(o->max_length, o->frame_size);
	if (q->segments == 1)
		return 0;
	p->segment_state = calloc(o->frames, sizeof(*p->segment_state));
	return p->segment_state ? 0 : -ENOMEM;
}

static struct segment_state *state_of(const struct dxmit_queue *q, uint32_t i)
{
	return &q->priv->segment_state[dxmit_frame_index(q, i)];
}

static uint32_t chunk_of(const struct dxmit_queue *q)
{
	return q->priv->options.frame_size;
}

int dxmit_segments_length(const struct dxmit_queue *q, uint32_t length)
{
	if (length < DXMIT_MIN_LENGTH)
		return -EINVAL;
	return length > q->segments * chunk_of(q) ? -EMSGSIZE : 0;
}

uint32_t dxmit_segments_write(struct dxmit_queue *q, uint32_t i, uint32_t at,
			      uint32_t length)
{
	struct segment_state *state = state_of(q, i);
	uint64_t addr = dxmit_frame_addr(q, i);
	uint32_t chunk = chunk_of(q), count = 0;

	do {
		struct xdp_desc *desc =
			&q->tx_descs[(q->tx_position + at + count) & q->tx_mask];
		bool more = length > chunk;

		desc->addr = addr + (uint64_t)count * chunk;
		desc->len = more ? chunk : length;
		desc->options = more ? XDP_PKT_CONTD : 0;
		length -= desc->len;
		count++;
	} while (length);
	state->count = (uint8_t)count;
	state->done = 0;
	return count;
}

void dxmit_segments_cancel(struct dxmit_queue *q, uint32_t n)
{
	while (n-- > 0)
		state_of(q, n)->count = 0;
	q->reserved = 0;
}

void dxmit_segments_publish(struct dxmit_queue *q, uint32_t n, uint32_t descs)
{
	q->tx_position += descs;
	q->free_head += n;
	q->in_flight += n;
	q->priv->descs_in_flight += descs;
	q->submitted += n;
	q->reserved = 0;
	/* Release: descriptors and frame bytes are visible to the kernel before the
	 * index that announces them. It moves over whole frames only. */
	__atomic_store_n(q->tx_producer, q->tx_position, __ATOMIC_RELEASE);
}

/*
 * A completion is that of the next chunk of a frame in flight, or the kernel
 * (or whoever writes into the ring) is not to be trusted any more. Returns the
 * frame's address if this was its last chunk, UINT64_MAX if not, and in *wrong
 * whether it is none of ours.
 */
static uint64_t complete_one(struct dxmit_queue *q, uint64_t addr, bool *wrong)
{
	uint64_t frame = addr / q->frame_size * q->frame_size;
	struct segment_state *state;

	*wrong = true;
	if (addr >= (uint64_t)q->frames * q->frame_size)
		return UINT64_MAX;
	state = &q->priv->segment_state[addr / q->frame_size];
	if (state->count == 0 || addr != frame + (uint64_t)state->done * chunk_of(q))
		return UINT64_MAX;
	*wrong = false;
	if (++state->done < state->count)
		return UINT64_MAX;
	state->count = 0;
	return frame;
}

int dxmit_queue_reclaim_segments(struct dxmit_queue *q, uint32_t available)
{
	uint32_t i, whole = 0;

	if (available > q->priv->descs_in_flight)
		return -EPROTO;
	for (i = 0; i < available; i++) {
		bool wrong;
		uint64_t frame = complete_one(
			q, q->cq_addrs[(q->cq_position + i) & q->cq_mask], &wrong);

		if (wrong)
			return -EPROTO;
		if (frame != UINT64_MAX)
			q->free_addrs[(q->free_tail + whole++) & q->free_mask] = frame;
	}
	q->free_tail += whole;
	q->cq_position += available;
	q->priv->descs_in_flight -= available;
	q->in_flight -= whole;
	q->completed += whole;
	/* Release: the kernel may overwrite the entries only now that they
	 * have been read. */
	__atomic_store_n(q->cq_consumer, q->cq_position, __ATOMIC_RELEASE);
	return (int)whole;
}

/* The lengths are not known yet: there is room for that many of the longest. */
uint32_t dxmit_queue_reserve_segments(struct dxmit_queue *q, uint32_t wanted)
{
	uint32_t used =
		q->tx_position - __atomic_load_n(q->tx_consumer, __ATOMIC_ACQUIRE);
	uint32_t n = q->frames - q->in_flight;
	uint32_t room;

	/* A stale index, as in dxmit_reserve(). */
	if (used > q->priv->descs_in_flight)
		used = q->priv->descs_in_flight;
	room = (q->tx_mask + 1 - used) / q->segments;
	if (n > room)
		n = room;
	if (n > wanted)
		n = wanted;
	q->reserved = n;
	return n;
}

int dxmit_queue_submit_segments(struct dxmit_queue *q, uint32_t n, uint32_t length,
				const uint32_t *lengths)
{
	uint32_t i, descs = 0;
	int err = lengths ? 0 : dxmit_segments_length(q, length);

	if (err)
		return err;
	if (n > q->reserved)
		return -ENOSPC;
	for (i = 0; lengths && i < n; i++) {
		err = dxmit_segments_length(q, lengths[i]);
		if (err)
			return err;
	}
	for (i = 0; i < n; i++)
		descs += dxmit_segments_write(q, i, descs, lengths ? lengths[i] : length);
	dxmit_segments_publish(q, n, descs);
	return 0;
}
