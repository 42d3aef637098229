/* SPDX-License-Identifier: BSD-2-Clause */
/* One queue's way through the content: content.h says how. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "content.h"

/* ---- life ---- */

/* Where each stream is in its order after the first n packets of the run. */
static void set_positions(struct content_queue *cq, uint64_t n)
{
	const struct content *c = cq->content;
	uint32_t i;

	/* `begin` and `taken` count a whole turn and a part of one for now. */
	for (i = 0; i < c->cycle; i++) {
		struct content_turn *turn = &cq->turn[c->order[i]];

		turn->begin++;
		turn->taken += i < n % c->cycle;
	}
	for (i = 0; i < c->streams; i++) {
		struct content_turn *turn = &cq->turn[i];
		uint64_t before = n / c->cycle * turn->begin + turn->taken;

		turn->at = (uint32_t)(before % c->stream[i].cycle);
		turn->begin = turn->taken = 0;
	}
	cq->at = (uint32_t)(n % c->cycle);
}

static int compile(const struct content *c, const struct content_stream *stream,
		   uint32_t index, uint32_t queues, struct dxmit_modify **program)
{
	struct dxmit_modify_spec spec =
		content_modify_spec(stream, &c->variant[stream->first]);

	spec.queue = index;
	spec.queues = queues;
	return stream->modifiers ? dxmit_modify_compile(&spec, program, NULL) : 0;
}

int content_queue_open(struct content_queue *cq, const struct content *c, uint32_t index,
		       uint32_t queues, uint64_t first, uint32_t batch)
{
	uint32_t i;
	int err = 0;

	cq->content = c;
	cq->batch = batch;
	cq->index = index;
	cq->queues = queues;
	cq->turn = calloc(c->streams, sizeof(*cq->turn));
	cq->lengths = calloc(batch, sizeof(*cq->lengths));
	cq->slot = calloc(batch, sizeof(*cq->slot));
	cq->frame = calloc(batch, sizeof(*cq->frame));
	if (!cq->turn || !cq->lengths || !cq->slot || !cq->frame)
		return -ENOMEM;
	set_positions(cq, first);
	for (i = 0; !err && i < c->streams; i++)
		err = compile(c, &c->stream[i], index, queues, &cq->turn[i].program);
	return err;
}

int content_queue_lay(struct content_queue *cq, const struct dxmit_queue *q)
{
	const struct content_variant *first = &cq->content->variant[0];
	uint32_t i;

	cq->laid = calloc(q->frames, sizeof(*cq->laid));
	if (!cq->laid)
		return -ENOMEM;
	for (i = 0; i < q->frames; i++)
		memcpy(q->umem + (uint64_t)i * q->frame_size, first->frame,
		       first->length);
	return 0;
}

void content_queue_close(struct content_queue *cq)
{
	uint32_t i;

	for (i = 0; cq->turn && i < cq->content->streams; i++)
		dxmit_modify_free(&cq->turn[i].program);
	free(cq->turn);
	free(cq->laid);
	free(cq->lengths);
	free(cq->slot);
	free(cq->frame);
	memset(cq, 0, sizeof(*cq));
}

/* ---- filling ---- */

static uint32_t next_of(const uint32_t *order, uint32_t cycle, uint32_t *at)
{
	uint32_t choice = order[*at];

	*at = *at + 1 == cycle ? 0 : *at + 1;
	return choice;
}

/* Which stream and variant each frame becomes; those that hold another variant
 * are laid. */
static void lay_batch(struct content_queue *cq, const struct dxmit_queue *q, uint32_t n)
{
	const struct content *c = cq->content;
	uint32_t i;

	for (i = 0; i < n; i++) {
		uint32_t s = next_of(c->order, c->cycle, &cq->at);
		struct content_turn *turn = &cq->turn[s];
		uint32_t v = next_of(c->stream[s].order, c->stream[s].cycle, &turn->at);
		uint32_t *laid = &cq->laid[dxmit_frame_index(q, i)];

		if (*laid != v)
			memcpy(dxmit_frame(q, i), c->variant[v].frame,
			       c->variant[v].length);
		*laid = v;
		cq->slot[i] = s;
		cq->lengths[i] = c->variant[v].length;
		turn->taken++;
		turn->bytes += c->variant[v].length;
	}
}

/* Each program runs over the frames of its stream, which are gathered first. */
static void run_programs(struct content_queue *cq, const struct dxmit_queue *q,
			 uint32_t n)
{
	uint32_t streams = cq->content->streams, begin = 0, i;

	for (i = 0; i < streams; i++) {
		cq->turn[i].begin = begin;
		begin += cq->turn[i].taken;
		cq->turn[i].taken = 0;
	}
	for (i = 0; i < n; i++) {
		struct content_turn *turn = &cq->turn[cq->slot[i]];

		cq->frame[turn->begin + turn->taken++] = dxmit_frame(q, i);
	}
	for (i = 0; i < streams; i++) {
		struct content_turn *turn = &cq->turn[i];

		if (turn->program && turn->taken)
			dxmit_modify_frames(turn->program, cq->frame + turn->begin,
					    turn->taken, turn->packets);
		turn->packets += turn->taken;
		turn->taken = 0;
	}
}

void content_fill(struct content_queue *cq, const struct dxmit_queue *q, uint32_t n)
{
	const struct content *c = cq->content;
	struct content_turn *turn = cq->turn;

	if (c->variants > 1) {
		lay_batch(cq, q, n);
		run_programs(cq, q, n);
	} else {
		if (turn->program)
			dxmit_modify_run(turn->program, q, n, turn->packets);
		turn->packets += n;
		turn->bytes += (uint64_t)n * c->length;
	}
	if (c->stamp)
		content_stamp(cq, q, n);
}
