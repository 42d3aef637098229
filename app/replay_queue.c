/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The sending thread's side of a replay: the next frames into the memory of
 * its queue, and when they are due.
 *
 * In memory, a frame of the queue's memory that still holds what is to be sent
 * next is not written again. Frames come back in the order in which they went,
 * so where their number is a multiple of the capture's there is no copy after the
 * first lap; and replay_frames() sees to that for small captures. Of 1000 frames
 * of 1514 bytes one costs 440 to 480 ns of CPU copied, 405 to 430 laid once, and
 * 390 to 410 if all are the same (ifb, Linux 6.18, a busy machine).
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "replay.h"

#define BACKLOG_NS 100000000ull /* as in pace.c */
/* Frame memory is locked, and beyond the caches a copy costs no more. */
#define LAID_MAX_BYTES (4u << 20)
#define RING_POLL_NS 200000ull /* an empty ring is looked at this often */

uint32_t replay_frames(const struct replay_queue *queue, uint32_t frames, uint32_t room)
{
	uint64_t suited;

	if (!queue->frames)
		return frames;
	suited = ((uint64_t)frames + queue->frames - 1) / queue->frames * queue->frames;
	return suited * room <= LAID_MAX_BYTES ? (uint32_t)suited : frames;
}

int replay_attach(struct replay_queue *queue, const struct dxmit_queue *q)
{
	if (!queue->replay->in_memory)
		return 0;
	queue->laid = malloc(q->frames * sizeof(*queue->laid));
	if (!queue->laid)
		return -ENOMEM;
	memset(queue->laid, 0xff, q->frames * sizeof(*queue->laid)); /* nothing */
	return 0;
}

/* ---- frames ---- */

static inline void advance(struct replay_queue *queue)
{
	if (++queue->next == queue->frames) {
		queue->next = 0;
		queue->base += queue->replay->pass;
	}
}

static uint32_t fill_from_memory(struct replay_queue *queue, struct dxmit_queue *q,
				 uint32_t n, uint32_t *lengths)
{
	uint32_t i;

	for (i = 0; i < n; i++) {
		const struct replay_frame *frame = &queue->frame[queue->next];
		uint32_t *laid = &queue->laid[dxmit_frame_index(q, i)];

		if (*laid != queue->next) {
			memcpy(dxmit_frame(q, i), frame->bytes, frame->length);
			*laid = queue->next;
		}
		lengths[i] = frame->length;
		advance(queue);
	}
	return n;
}

static uint32_t fill_from_ring(struct replay_queue *queue, struct dxmit_queue *q,
			       uint32_t n, uint32_t *lengths)
{
	struct replay_ring *ring = &queue->ring;
	uint32_t tail = atomic_load_explicit(&ring->tail, memory_order_relaxed);
	/* Acquire pairs with the reader's release: the slots are written. */
	uint32_t there = atomic_load_explicit(&ring->head, memory_order_acquire) - tail;
	uint32_t i;

	if (n > there)
		n = there;
	for (i = 0; i < n; i++) {
		const struct replay_slot *slot = replay_ring_slot(ring, tail + i);

		memcpy(dxmit_frame(q, i), slot->bytes, slot->length);
		lengths[i] = slot->length;
	}
	/* Release: the reader may write them again only now. */
	atomic_store_explicit(&ring->tail, tail + n, memory_order_release);
	return n;
}

uint32_t replay_fill(struct replay_queue *queue, struct dxmit_queue *q, uint32_t n,
		     uint32_t *lengths)
{
	return queue->replay->in_memory ? fill_from_memory(queue, q, n, lengths)
					: fill_from_ring(queue, q, n, lengths);
}

bool replay_ended(struct replay_queue *queue)
{
	struct replay_ring *ring = &queue->ring;

	/* Acquire before the head is read: it then is the last one. */
	return !queue->replay->in_memory &&
	       atomic_load_explicit(&queue->replay->ended, memory_order_acquire) &&
	       atomic_load_explicit(&ring->head, memory_order_acquire) ==
		       atomic_load_explicit(&ring->tail, memory_order_relaxed);
}

/* ---- time ---- */

/* Ticks below this are due by then. */
static uint64_t ticks_due(const struct replay *r, uint64_t ns)
{
	return r->setup.config.speed_micro ? ns + 1 : schedule_due(r->setup.schedule, ns);
}

/* When a tick is due, with what was given up; SCHEDULE_NEVER stays that. */
static uint64_t due_ns(const struct replay_queue *queue, uint64_t tick)
{
	const struct replay_setup *setup = &queue->replay->setup;
	uint64_t ns = setup->config.speed_micro ? tick
						: schedule_time_ns(setup->schedule, tick);

	return ns == SCHEDULE_NEVER ? ns : ns + queue->shift_ns;
}

/* The tick of frame number i from here; false if there is none yet. */
static bool tick_of(const struct replay_queue *queue, uint32_t i, uint64_t *tick)
{
	const struct replay_ring *ring = &queue->ring;
	uint32_t tail;

	if (queue->replay->in_memory) {
		uint64_t at = (uint64_t)queue->next + i;

		if (!queue->frames)
			return false;
		*tick = queue->base + at / queue->frames * queue->replay->pass +
			queue->frame[at % queue->frames].due;
		return true;
	}
	tail = atomic_load_explicit(&ring->tail, memory_order_relaxed);
	if (i >= atomic_load_explicit(&ring->head, memory_order_acquire) - tail)
		return false;
	*tick = replay_ring_slot(ring, tail + i)->due;
	return true;
}

/* Held up for long: what is due is sent now, and the rest as much later. */
static void give_up_backlog(struct replay_queue *queue, uint64_t elapsed_ns,
			    uint64_t tick)
{
	uint64_t due = due_ns(queue, tick);

	if (elapsed_ns > BACKLOG_NS && elapsed_ns - BACKLOG_NS > due)
		queue->shift_ns += elapsed_ns - BACKLOG_NS - due;
}

uint32_t replay_due(struct replay_queue *queue, uint64_t elapsed_ns, uint32_t max)
{
	uint64_t tick, due;
	uint32_t n = 0;

	if (!queue->replay->timed)
		return max;
	if (!tick_of(queue, 0, &tick))
		return 0;
	give_up_backlog(queue, elapsed_ns, tick);
	if (elapsed_ns < queue->shift_ns)
		return 0;
	due = ticks_due(queue->replay, elapsed_ns - queue->shift_ns);
	while (n < max && tick_of(queue, n, &tick) && tick < due)
		n++;
	return n;
}

/* Has the schedule come to its end, as this queue keeps it? */
static bool schedule_is_over(const struct replay_queue *queue, uint64_t elapsed_ns)
{
	const struct replay_setup *setup = &queue->replay->setup;
	uint64_t length_ns;

	if (!queue->replay->timed || setup->config.speed_micro)
		return false;
	length_ns = schedule_length_ns(setup->schedule);
	return length_ns != SCHEDULE_ENDLESS && elapsed_ns >= queue->shift_ns &&
	       elapsed_ns - queue->shift_ns >= length_ns;
}

uint64_t replay_next_ns(const struct replay_queue *queue, uint64_t elapsed_ns)
{
	uint64_t tick;

	/* The next frame may be long in coming, and never come to this queue while
	 * the reader waits for one that has ended. */
	if (!tick_of(queue, 0, &tick))
		return schedule_is_over(queue, elapsed_ns) ? SCHEDULE_NEVER
							   : elapsed_ns + RING_POLL_NS;
	return queue->replay->timed ? due_ns(queue, tick) : 0;
}
