/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Batches by sendmmsg(): fill, hand over, go on with what was not taken.
 *
 * ENOBUFS as the first answer means that the kernel had the message and threw it
 * away (a full queueing discipline, a driver that refused, no memory): lost, and not
 * sent again. Behind others in the same call it cannot be told from EAGAIN, because
 * sendmmsg() then says only how many went before: that message is tried again.
 * EAGAIN (send buffer full) and ENETDOWN took nothing and are tried again.
 */
#include <errno.h>
#include <poll.h>
#include <stdlib.h>

#include "message.h"
#include "yardstick_parts.h"

static uint32_t messages_of(const struct yardstick_thread *t, uint32_t frames)
{
	return (frames + t->per_message - 1) / t->per_message;
}

int yardstick_messages_open(struct yardstick_thread *t)
{
	uint32_t messages = messages_of(t, t->batch), i;
	struct dxmit_queue *q = &t->frames.memory;

	t->message = calloc(messages, sizeof(*t->message));
	t->piece = calloc(t->batch, sizeof(*t->piece));
	if (!t->message || !t->piece)
		return -ENOMEM;
	for (i = 0; i < t->batch; i++)
		t->piece[i] = (struct iovec){
			.iov_base = (uint8_t *)dxmit_frame(q, i) + t->skip,
			.iov_len = t->run->content.longest - t->skip,
		};
	for (i = 0; i < messages; i++)
		t->message[i].msg_hdr.msg_iov = t->piece + (size_t)i * t->per_message;
	return 0;
}

void yardstick_messages_close(struct yardstick_thread *t)
{
	free(t->message);
	free(t->piece);
	t->message = NULL;
	t->piece = NULL;
}

/* The kernel copies, so every batch may begin at the first frame. */
static void fill(struct yardstick_thread *t, uint32_t n)
{
	struct dxmit_queue *q = &t->frames.memory;
	uint32_t left, i;

	content_fill(&t->frames.content, q, n);
	q->submitted += n;
	if (t->run->content.length == 0)
		for (i = 0; i < n; i++)
			t->piece[i].iov_len = t->frames.content.lengths[i] - t->skip;
	for (i = 0, left = n; left; i++) {
		uint32_t frames = left < t->per_message ? left : t->per_message;

		t->message[i].msg_hdr.msg_iovlen = frames;
		left -= frames;
	}
}

/* What the first message was answered. *done: how many messages are past. */
static int answered(struct yardstick_thread *t, int error, uint32_t *done)
{
	switch (error) {
	case ENOBUFS:
	case ENOMEM:
		t->share.lost += t->message[*done].msg_hdr.msg_iovlen;
		(*done)++;
		return EXIT_DONE;
	case EINTR:
	case ECONNREFUSED: /* of an earlier datagram, by ICMP: this one was not sent */
		return EXIT_DONE;
	case EAGAIN:
		return yardstick_stuck(t, POLLOUT, error);
	case ENETDOWN:
	case ENETUNREACH: /* likewise, or the route went with the link */
	case EHOSTUNREACH:
		return yardstick_stuck(t, 0, error);
	default:
		return yardstick_broken(t, "sendmmsg", error);
	}
}

/* Returns an exit code; EXIT_DONE also if the run is to end. */
static int hand_over(struct yardstick_thread *t, uint32_t messages)
{
	uint32_t done = 0;

	while (done < messages) {
		int n = sendmmsg(t->fd, t->message + done, messages - done, MSG_DONTWAIT);
		int code = EXIT_DONE;

		t->share.kicks++;
		if (n > 0) {
			yardstick_moved(t);
			for (; n > 0; n--, done++)
				t->share.packets += t->message[done].msg_hdr.msg_iovlen;
			if (done == messages)
				break;
		} else {
			code = answered(t, n < 0 ? errno : EAGAIN, &done);
		}
		if (code || yardstick_pause(t))
			return code;
	}
	return EXIT_DONE;
}

int yardstick_messages_send(struct yardstick_thread *t)
{
	uint64_t left = t->count;

	while (left && !yardstick_pause(t)) {
		uint32_t n = left < t->batch ? (uint32_t)left : t->batch;
		int code;

		fill(t, n);
		code = hand_over(t, messages_of(t, n));
		if (code)
			return code;
		left -= t->count == UINT64_MAX ? 0 : n;
	}
	return EXIT_DONE;
}
