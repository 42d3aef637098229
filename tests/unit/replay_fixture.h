/* SPDX-License-Identifier: BSD-2-Clause */
/* Replays of a capture just written, and a queue that frames can be written to. */
#ifndef TESTS_REPLAY_FIXTURE_H
#define TESTS_REPLAY_FIXTURE_H

#include "capture_fixture.h"

#include <stdlib.h>

#include "replay.h"

#define START_NS 1700000000000000000ull
#define MS 1000000ull
#define ROOM 2048u
#define SLOTS 64u

static struct file file;
static uint8_t frame[4096];

static inline struct replay_setup setup_of(size_t bytes)
{
	return (struct replay_setup){
		.config = { .path = file_written(&file, bytes), .loops = 1 },
		.mtu = 1500,
		.frame_size = ROOM,
		.count = UINT64_MAX,
	};
}

/* As much of a queue as frames are written to. */
static inline struct dxmit_queue *fake_queue(void)
{
	struct dxmit_queue *q = calloc(1, sizeof(*q));

	assert_non_null(q);
	q->umem = malloc(SLOTS * ROOM);
	assert_non_null(q->umem);
	q->fixed_slots = 1;
	q->tx_mask = SLOTS - 1;
	q->frames = SLOTS;
	q->frame_size = ROOM;
	return q;
}

static inline void free_queue(struct dxmit_queue *q)
{
	free(q->umem);
	free(q);
}

#endif
