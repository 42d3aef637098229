/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A queue over plain memory, and a kernel that takes its descriptors and posts
 * completions the way net/xdp/xsk.c does, checking each descriptor it takes.
 */
#ifndef FAKE_RING_H
#define FAKE_RING_H

#include <stdarg.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "queue_private.h"

#define FAKE_FD 77 /* no call on it reaches a real kernel */

struct fake_shape {
	uint32_t ring; /* TX descriptors */
	uint32_t completion;
	uint32_t frames;
	uint32_t frame_size;
	uint32_t fixed;
	uint32_t start; /* first value of every position */
};

struct fake {
	struct dxmit_queue q;
	struct dxmit_queue_private priv;
	struct fake_shape shape;

	/* The shared words, each in one direction. */
	uint32_t tx_producer, tx_consumer, cq_producer, cq_consumer, tx_flags;

	/* The kernel's own. */
	uint32_t taken; /* its TX position, published or not */
	uint64_t *held; /* frames taken and not completed, oldest first */
	uint32_t held_count;
};

/* Ring memory is full of 0xff, as left by somebody else. */
static inline void fake_open(struct fake *f, struct fake_shape shape)
{
	struct dxmit_queue *q = &f->q;

	memset(f, 0, sizeof(*f));
	f->shape = shape;
	f->tx_producer = f->tx_consumer = f->cq_producer = f->cq_consumer = shape.start;
	f->taken = shape.start;
	f->held = calloc(shape.frames + 1, sizeof(*f->held));
	q->tx_producer = &f->tx_producer;
	q->tx_consumer = &f->tx_consumer;
	q->cq_producer = &f->cq_producer;
	q->cq_consumer = &f->cq_consumer;
	q->tx_descs = malloc(shape.ring * sizeof(*q->tx_descs));
	q->cq_addrs = malloc(shape.completion * sizeof(*q->cq_addrs));
	q->free_mask = power_of_two_from(shape.frames) - 1;
	q->free_addrs = malloc((q->free_mask + 1) * sizeof(*q->free_addrs));
	q->umem = malloc((size_t)shape.frames * shape.frame_size);
	assert_true(f->held && q->tx_descs && q->cq_addrs && q->free_addrs && q->umem);
	memset(q->tx_descs, 0xff, shape.ring * sizeof(*q->tx_descs));
	memset((void *)(uintptr_t)q->cq_addrs, 0xff,
	       shape.completion * sizeof(*q->cq_addrs));
	memset(q->free_addrs, 0xff, (q->free_mask + 1) * sizeof(*q->free_addrs));
	q->tx_mask = shape.ring - 1;
	q->cq_mask = shape.completion - 1;
	q->frame_size = shape.frame_size;
	q->frames = shape.frames;
	q->fixed_slots = shape.fixed;
	q->priv = &f->priv;
	f->priv.fd = FAKE_FD;
	f->priv.program_link_fd = -1;
	f->priv.direct_fd = -1;
	f->priv.tx.flags = &f->tx_flags;
	f->priv.progress_mark = 2 * shape.start;
	f->priv.info.kick = DXMIT_KICK_SENDTO;
	dxmit_ring_start(q);
}

static inline void fake_close(struct fake *f)
{
	free(f->q.tx_descs);
	free((void *)(uintptr_t)f->q.cq_addrs);
	free(f->q.free_addrs);
	free(f->q.umem);
	free(f->held);
}

/* Descriptors announced and not yet taken. */
static inline uint32_t fake_waiting(const struct fake *f)
{
	return f->tx_producer - f->taken;
}

static inline const struct xdp_desc *fake_next_desc(const struct fake *f)
{
	return &f->q.tx_descs[f->taken & f->q.tx_mask];
}

/* Take one descriptor; the consumer index stays as it was published. */
static inline void fake_take(struct fake *f)
{
	const struct xdp_desc *desc = fake_next_desc(f);

	assert_true(fake_waiting(f) > 0 && fake_waiting(f) <= f->shape.ring);
	assert_int_equal(desc->options, 0);
	assert_in_range(desc->len, DXMIT_MIN_LENGTH, f->shape.frame_size);
	assert_int_equal(desc->addr % f->shape.frame_size, 0);
	assert_true(desc->addr < (uint64_t)f->shape.frames * f->shape.frame_size);
	assert_true(f->held_count < f->shape.frames);
	f->held[f->held_count++] = desc->addr;
	f->taken++;
}

static inline void fake_publish(struct fake *f)
{
	f->tx_consumer = f->taken;
}

/* Post one completion, of any address. */
static inline void fake_post(struct fake *f, uint64_t addr)
{
	assert_true(f->cq_producer - f->cq_consumer < f->shape.completion);
	((uint64_t *)(uintptr_t)f->q.cq_addrs)[f->cq_producer & f->q.cq_mask] = addr;
	f->cq_producer++;
}

/* Complete the i-th of the frames that are held; returns its address. */
static inline uint64_t fake_complete(struct fake *f, uint32_t i)
{
	uint64_t addr;

	assert_true(i < f->held_count);
	addr = f->held[i];
	f->held_count--;
	memmove(f->held + i, f->held + i + 1, (f->held_count - i) * sizeof(*f->held));
	fake_post(f, addr);
	return addr;
}

/* Everything that waits is taken and completed in order, and published. */
static inline void fake_send_all(struct fake *f)
{
	while (fake_waiting(f))
		fake_take(f);
	fake_publish(f);
	while (f->held_count)
		fake_complete(f, 0);
}

#endif
