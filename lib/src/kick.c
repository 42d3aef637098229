/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The kick: entering the kernel so that it transmits, and what its answer
 * means; and dxmit_send(), all verbs in one call, which ends in one. Nobody
 * outside this file has to know which errno says what.
 *
 * Facts relied on (net/xdp/xsk.c, 6.1 to 7.3):
 *  - sendto() sends up to the budget and answers EAGAIN when more is left.
 *  - poll() drives one budget for each entry that names the socket, if it was
 *    bound with XDP_USE_NEED_WAKEUP, and hides every error.
 *  - EBUSY means that exactly one frame was dropped and completed.
 *  - A socket on the direct path of the module (kmod/xmit.c) may have frames
 *    that were taken out of the ring and then refused by the driver. They go
 *    with the next kick, which sendto() asks for by EAGAIN, ENOBUFS or EBUSY and
 *    poll() does not ask for. A socket can be put there from outside, so this is
 *    minded on every socket in copy mode.
 *  - The consumer index may be stale after an EAGAIN (6.1, 6.12) but is always
 *    published once the ring is empty.
 */
#include <errno.h>
#include <sys/socket.h>
#include <time.h>

#include "queue_private.h"

uint64_t dxmit_monotonic_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

enum dxmit_answer dxmit_classify(int error)
{
	switch (error) {
	case 0:
		return DXMIT_PROGRESS;
	case EAGAIN:  /* budget, send buffer, driver busy, completion ring */
	case ENOBUFS: /* no skb */
	case ENOMEM:
	case EINTR:
	case ENETDOWN: /* administratively down: nothing consumed */
		return DXMIT_RETRY;
	case EBUSY:
		return DXMIT_LOST;
	default: /* ENXIO, ENODEV, EINVAL, EBADF …: never again */
		return DXMIT_GONE;
	}
}

/* Descriptors the kernel has not taken, as far as it publishes that. */
static uint32_t unconsumed(const struct dxmit_queue *q)
{
	/* Acquire: slots before this index may be rewritten after it is read. */
	return q->tx_position - __atomic_load_n(q->tx_consumer, __ATOMIC_ACQUIRE);
}

static int kick_sendto(struct dxmit_queue *q)
{
	struct dxmit_queue_private *p = q->priv;
	int error = 0;
	enum dxmit_answer answer;

	q->kicks++;
	if (sendto(p->fd, NULL, 0, MSG_DONTWAIT, NULL, 0) < 0)
		error = errno;
	answer = dxmit_classify(error);
	p->distrust_poll = answer == DXMIT_LOST;
	p->unsettled = error != 0;
	if (error == 0)
		return DXMIT_PROGRESS;

	p->last_error = error;
	if (answer == DXMIT_LOST)
		q->lost++;
	else if (error == ENETDOWN)
		q->down++;
	else if (answer == DXMIT_RETRY)
		q->retries++;
	return answer == DXMIT_GONE ? -error : (int)answer;
}

/*
 * One poll() for all that waits. It cannot say why something was left, so then
 * sendto() is asked; after a loss sendto() alone is used until frames flow
 * again, because each poll entry would lose one more frame without a word.
 */
static int kick_poll(struct dxmit_queue *q, uint32_t waiting)
{
	struct dxmit_queue_private *p = q->priv;
	uint32_t covered = POLL_ENTRIES * DXMIT_KERNEL_BUDGET;

	if (p->distrust_poll)
		return kick_sendto(q);
	if (covered > waiting)
		covered = waiting;
	q->kicks++;
	p->unsettled = true;
	if (poll(p->poll_entry, (covered + DXMIT_KERNEL_BUDGET - 1) / DXMIT_KERNEL_BUDGET,
		 0) < 0 ||
	    unconsumed(q) > waiting - covered)
		return kick_sendto(q);
	return DXMIT_PROGRESS;
}

/*
 * Progress is any movement of the two indices the kernel writes. The clock is
 * read only while nothing moves.
 */
static int check_progress(struct dxmit_queue *q, int answer)
{
	struct dxmit_queue_private *p = q->priv;
	uint32_t mark = __atomic_load_n(q->tx_consumer, __ATOMIC_RELAXED) +
			__atomic_load_n(q->cq_producer, __ATOMIC_RELAXED);
	uint64_t now;

	if (mark != p->progress_mark || q->in_flight == 0) {
		p->progress_mark = mark;
		p->still_since_ns = 0;
		return answer;
	}
	now = dxmit_monotonic_ns();
	if (p->still_since_ns == 0)
		p->still_since_ns = now;
	return now - p->still_since_ns >= DXMIT_STALL_NS ? -ETIMEDOUT : answer;
}

int dxmit_kick(struct dxmit_queue *q)
{
	struct dxmit_queue_private *p = q->priv;
	uint32_t waiting = unconsumed(q);
	int answer = DXMIT_PROGRESS;

	if (p->info.mode == DXMIT_MODE_ZEROCOPY) {
		/* The driver says when it sleeps; it may do so with frames
		 * taken but not completed. */
		if (q->in_flight && xsk_ring_prod__needs_wakeup(&p->tx))
			answer = kick_sendto(q);
	} else if (waiting) {
		answer = p->info.kick == DXMIT_KICK_POLL ? kick_poll(q, waiting)
							 : kick_sendto(q);
	} else if (p->unsettled && q->in_flight) {
		answer = kick_sendto(q);
	}
	return answer < 0 ? answer : check_progress(q, answer);
}

/* fill_frames() where a frame has several descriptors. */
static int fill_segments(struct dxmit_queue *q, uint32_t wanted,
			 uint32_t (*fill)(void *arg, void *frame, uint32_t room),
			 void *arg)
{
	uint32_t room = q->segments * q->priv->options.frame_size;
	uint32_t got = dxmit_reserve(q, wanted);
	uint32_t n, descs = 0;

	for (n = 0; n < got; n++) {
		uint32_t length = fill(arg, dxmit_frame(q, n), room);
		int err;

		if (length == 0)
			break;
		err = dxmit_segments_length(q, length);
		if (err) {
			dxmit_segments_cancel(q, n);
			return err;
		}
		descs += dxmit_segments_write(q, n, descs, length);
	}
	dxmit_segments_publish(q, n, descs);
	return (int)n;
}

/*
 * Descriptors are written while `fill` makes the frames and announced together
 * at the end, so that a bad length, however late, submits nothing.
 */
static int fill_frames(struct dxmit_queue *q, uint32_t wanted,
		       uint32_t (*fill)(void *arg, void *frame, uint32_t room), void *arg)
{
	uint32_t got, n;

	if (q->segments > 1)
		return fill_segments(q, wanted, fill, arg);
	got = dxmit_reserve(q, wanted);
	q->fixed_length = 0; /* descriptors differ: submit() must write them */
	for (n = 0; n < got; n++) {
		uint32_t length = fill(arg, dxmit_frame(q, n), q->frame_size);

		if (length == 0)
			break;
		if (!dxmit_length_ok_(q, length)) {
			q->reserved = 0;
			return length < DXMIT_MIN_LENGTH ? -EINVAL : -EMSGSIZE;
		}
		dxmit_write_desc_(q, n, length);
	}
	dxmit_publish_(q, n);
	return (int)n;
}

int dxmit_send(struct dxmit_queue *q, uint32_t wanted,
	       uint32_t (*fill)(void *arg, void *frame, uint32_t room), void *arg)
{
	int err = dxmit_reclaim(q);
	int sent = 0;

	if (err >= 0)
		err = sent = fill_frames(q, wanted, fill, arg);
	if (err >= 0)
		err = dxmit_kick(q);
	return err < 0 ? err : sent;
}
