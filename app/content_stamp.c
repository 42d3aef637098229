/* SPDX-License-Identifier: BSD-2-Clause */
/* Stamps of a batch, a loop for each format. */
#include <time.h>

#include "content.h"

static uint32_t stream_of(const struct content_queue *cq, uint32_t i)
{
	return cq->content->streams == 1 ? 0 : cq->slot[i];
}

static uint64_t realtime_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static void stamp_sequence(struct content_queue *cq, const struct dxmit_queue *q,
			   uint32_t n)
{
	struct dxmit_stamp stamp = { .queue = cq->queue, .sequence = q->submitted };
	uint32_t i;

	for (i = 0; i < n; i++, stamp.sequence++)
		dxmit_stamp_write_at(dxmit_frame(q, i),
				     &cq->content->stream[stream_of(cq, i)].stamp,
				     &stamp);
}

/* Packets of a stream whose modifiers are at the same point of their cycle belong
 * to one flow; without an end to the cycle each is one of its own. */
static uint64_t flow_of(const struct content_queue *cq, struct content_turn *turn)
{
	uint64_t cycle = turn->program ? dxmit_modify_cycle(turn->program) : 1;
	uint64_t number = turn->stamped++ * cq->queues + cq->index;

	return cycle ? number % cycle : number;
}

static void stamp_full(struct content_queue *cq, const struct dxmit_queue *q, uint32_t n)
{
	struct dxmit_stamp_full stamp = { .queue = cq->queue,
					  .sequence = q->submitted,
					  .time_ns = realtime_ns() };
	uint32_t i;

	for (i = 0; i < n; i++, stamp.sequence++) {
		uint32_t s = stream_of(cq, i);

		stamp.stream = (uint16_t)s;
		stamp.flow = flow_of(cq, &cq->turn[s]);
		dxmit_stamp_write_full(dxmit_frame(q, i), &cq->content->stream[s].stamp,
				       &stamp);
	}
}

static void stamp_pktgen(struct content_queue *cq, const struct dxmit_queue *q,
			 uint32_t n)
{
	uint64_t time_ns = realtime_ns();
	uint32_t i;

	for (i = 0; i < n; i++)
		dxmit_pktgen_write(dxmit_frame(q, i),
				   &cq->content->stream[stream_of(cq, i)].stamp,
				   (uint32_t)(q->submitted + i), time_ns);
}

void content_stamp(struct content_queue *cq, const struct dxmit_queue *q, uint32_t n)
{
	if (cq->content->stamp_format == STAMP_FULL)
		stamp_full(cq, q, n);
	else if (cq->content->stamp_format == STAMP_PKTGEN)
		stamp_pktgen(cq, q, n);
	else
		stamp_sequence(cq, q, n);
}
