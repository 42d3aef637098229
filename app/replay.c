/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A replay before its run: the capture is read into memory, or found to be one
 * that is streamed, and its flows are divided over the queues.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "replay.h"

#define FRAMES_FIRST 1024
#define BYTES_FIRST (256u * 1024)

/* For a capture in memory: its bytes, and what is kept of a frame twice. */
static bool is_too_large(const struct replay *r)
{
	uint64_t bytes = r->bytes_used + r->frames * 2 * sizeof(*r->frame);
	uint64_t max = r->setup.memory_bytes;

	return bytes > (max ? max : REPLAY_MEMORY_BYTES);
}

/* Make room for one more, by doubling. */
static int grow(void **memory, size_t *room, size_t wanted, size_t first, size_t size)
{
	size_t now = *room ? *room : first;
	void *larger;

	if (wanted <= *room)
		return 0;
	while (now < wanted)
		now *= 2;
	larger = realloc(*memory, now * size);
	if (!larger)
		return -ENOMEM;
	*memory = larger;
	*room = now;
	return 0;
}

static int out_of_memory(struct replay *r)
{
	r->stats.fault =
		(struct capture_fault){ .offset = -1, .reason = "out of memory" };
	return -ENOMEM;
}

/* Keep the frame that replay_make_frame() put at the end of the bytes. */
static void keep(struct replay *r, uint32_t length, uint32_t hash, uint64_t time_ns)
{
	r->frame[r->frames++] = (struct replay_frame){
		.due = replay_tick(r, time_ns),
		.bytes = (uint8_t *)(uintptr_t)r->bytes_used,
		.length = length,
		.hash = hash,
	};
	r->bytes_used += length;
	if (length > r->longest)
		r->longest = length;
	if (r->frames == 1 || length < r->shortest)
		r->shortest = length;
	r->uniform = r->frames == 1 || r->uniform == length ? length : 0;
}

/* Returns 1 after a record, 0 at the end, or -errno. */
static int load_record(struct replay *r)
{
	struct capture_record record;
	struct capture_fault fault;
	uint32_t hash;
	int answer = capture_next(r->capture, &record, &fault);

	if (answer < 0 && answer != -EPROTO) {
		r->stats.fault = fault;
		return answer;
	}
	if (answer < 0) /* the file breaks off here */
		return replay_bad(r, answer, &fault);
	if (answer == 0)
		return 0;
	if (grow((void **)&r->frame, &r->frames_room, r->frames + 1, FRAMES_FIRST,
		 sizeof(*r->frame)) ||
	    grow((void **)&r->bytes, &r->bytes_room, r->bytes_used + r->setup.frame_size,
		 BYTES_FIRST, 1))
		return out_of_memory(r);
	answer = replay_make_frame(r, &record, r->bytes + r->bytes_used, &hash);
	if (answer < 0)
		return answer;
	if (answer > 0)
		keep(r, (uint32_t)answer, hash, record.time_ns);
	return 1;
}

static void forget_frames(struct replay *r)
{
	free(r->frame);
	free(r->bytes);
	r->frame = NULL;
	r->bytes = NULL;
	r->frames = r->frames_room = 0;
	r->bytes_used = r->bytes_room = 0;
}

static int load(struct replay *r)
{
	int answer;

	do {
		answer = load_record(r);
	} while (answer > 0 && !is_too_large(r));
	if (answer < 0)
		return answer;
	if (answer > 0) { /* larger than it looked: start over, as a stream */
		forget_frames(r);
		memset(&r->stats, 0, sizeof(r->stats));
		memset(&r->clock, 0, sizeof(r->clock));
		r->longest = r->uniform = 0;
		return capture_rewind(r->capture, &r->stats.fault);
	}
	capture_close(&r->capture);
	r->in_memory = r->stats.in_memory = true;
	r->pass = replay_pass_ticks(r);
	return 0;
}

/* Nothing to send is an error, and the reason is what was found first. */
static int check_any(struct replay *r)
{
	if (!r->in_memory || r->frames)
		return 0;
	if (!r->stats.faulty)
		r->stats.fault = (struct capture_fault){
			.offset = -1,
			.reason = "it holds no packet that can be sent",
		};
	return -ENODATA;
}

int replay_open(const struct replay_setup *setup, int stop_fd, struct replay *r)
{
	uint64_t max = setup->memory_bytes ? setup->memory_bytes : REPLAY_MEMORY_BYTES;
	int64_t size;
	int err;

	memset(r, 0, sizeof(*r));
	r->setup = *setup;
	r->stop_fd = -1;
	r->timed = setup->config.speed_micro ||
		   (setup->schedule && schedule_is_limited(setup->schedule));
	err = capture_open(setup->config.path, stop_fd, &r->capture, &r->stats.fault);
	if (err)
		return err;
	size = capture_size(r->capture);
	if (size >= 0 && (uint64_t)size <= max)
		err = load(r);
	if (err)
		return err;
	if (!r->in_memory) { /* whatever may come */
		r->shortest = REPLAY_MIN_LENGTH;
		r->longest = setup->mtu + DXMIT_ETH_HEADER_BYTES + 8;
		/* Beyond it what one chunk holds, which every kernel takes. */
		if (setup->oversize == OVERSIZE_SEND && r->longest < setup->chunk_size)
			r->longest = setup->chunk_size;
		if (r->longest > setup->frame_size)
			r->longest = setup->frame_size;
		r->setup.frame_size = r->longest;
	}
	return check_any(r);
}

/* ---- queues ---- */

/* Frames of a queue in so many passes; what cannot be counted has no end. */
static uint64_t frames_of_passes(const struct replay_queue *queue, uint64_t passes)
{
	uint64_t frames;

	if (__builtin_mul_overflow(passes, queue->frames, &frames))
		return UINT64_MAX;
	return frames;
}

/* How many frames each queue has per pass, and how many of a run. */
static void count_frames(struct replay *r)
{
	uint64_t passes = r->setup.count / (r->frames ? r->frames : 1);
	uint64_t rest = r->setup.count % (r->frames ? r->frames : 1);
	uint64_t loops = r->setup.config.loops;
	size_t i;

	if (loops && (passes >= loops || r->setup.count == UINT64_MAX)) {
		passes = loops;
		rest = 0;
	}
	for (i = 0; i < r->frames; i++) {
		struct replay_queue *queue = replay_queue_of(r, r->frame[i].hash);

		queue->frames++;
		queue->count += i < rest;
	}
	for (i = 0; i < r->queues; i++) {
		struct replay_queue *queue = &r->queue[i];
		uint64_t whole = frames_of_passes(queue, passes);

		if (__builtin_add_overflow(queue->count, whole, &queue->count))
			queue->count = UINT64_MAX;
		/* Endless: what of it a queue gets is not limited. */
		if (!loops && r->setup.count == UINT64_MAX)
			queue->count = queue->frames ? UINT64_MAX : 0;
	}
}

static int hand_out(struct replay *r)
{
	size_t i;

	for (i = 0; i < r->queues; i++) {
		struct replay_queue *queue = &r->queue[i];

		queue->frame = malloc((queue->frames + 1u) * sizeof(*queue->frame));
		if (!queue->frame)
			return -ENOMEM;
		queue->frames = 0;
	}
	for (i = 0; i < r->frames; i++) {
		struct replay_frame *frame = &r->frame[i];
		struct replay_queue *queue = replay_queue_of(r, frame->hash);

		frame->bytes = r->bytes + (uintptr_t)frame->bytes;
		queue->frame[queue->frames++] = *frame;
	}
	free(r->frame);
	r->frame = NULL;
	return 0;
}

int replay_spread(struct replay *r, size_t queues)
{
	size_t i;

	/* Rings have lines of their own in the cache. */
	if (posix_memalign((void **)&r->queue, _Alignof(struct replay_queue),
			   queues * sizeof(*r->queue)))
		return -ENOMEM;
	memset(r->queue, 0, queues * sizeof(*r->queue));
	r->queues = queues;
	for (i = 0; i < queues; i++) {
		r->queue[i].replay = r;
		r->queue[i].count = r->in_memory ? 0 : UINT64_MAX;
	}
	if (!r->in_memory)
		return 0;
	count_frames(r);
	return hand_out(r);
}

int replay_start(struct replay *r)
{
	return r->in_memory ? 0 : replay_stream_start(r);
}

void replay_stop(struct replay *r)
{
	replay_stream_stop(r);
}

void replay_close(struct replay *r)
{
	size_t i;

	replay_stream_stop(r);
	capture_close(&r->capture);
	for (i = 0; i < r->queues; i++) {
		free(r->queue[i].frame);
		free(r->queue[i].laid);
		replay_ring_free(&r->queue[i].ring);
	}
	free(r->queue);
	r->queue = NULL;
	r->queues = 0;
	forget_frames(r);
}
