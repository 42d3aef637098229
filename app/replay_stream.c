/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reading ahead: a thread that reads a capture too large for the memory, or a
 * pipe, and hands each frame to the queue of its flow through a ring. It waits
 * for the slowest queue, so the order between queues stays roughly the file's.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#include "privileges.h"
#include "replay.h"

/* 1024 frames last 68 us at 14.88 Mpps and over a millisecond at what copy mode
 * reaches, which is many times the reader's pause. */
#define RING_SLOTS 1024u
#define RING_SLOTS_ALL 65536u /* of all queues together */
#define RING_SLOTS_MIN 64u
#define FULL_PAUSE_NS 50000
#define CACHE_LINE 64u

static int make_ring(struct replay_ring *ring, uint32_t slots, uint32_t room)
{
	ring->stride = (sizeof(struct replay_slot) + room + CACHE_LINE - 1) / CACHE_LINE *
		       CACHE_LINE;
	ring->mask = slots - 1;
	ring->slots = malloc(slots * ring->stride);
	return ring->slots ? 0 : -ENOMEM;
}

void replay_ring_free(struct replay_ring *ring)
{
	free(ring->slots);
	ring->slots = NULL;
}

static bool stopped(const struct replay *r)
{
	return atomic_load_explicit(&r->stop, memory_order_relaxed);
}

/* The next free slot; NULL when told to stop. A queue that is full sends at its
 * own pace, so this waits for time to pass and not for a lock. */
static struct replay_slot *free_slot(struct replay *r, struct replay_ring *ring)
{
	const struct timespec pause = { .tv_nsec = FULL_PAUSE_NS };
	uint32_t head = atomic_load_explicit(&ring->head, memory_order_relaxed);

	/* Acquire pairs with the sender's release: it has read the slot. */
	while (head - atomic_load_explicit(&ring->tail, memory_order_acquire) >
	       ring->mask) {
		if (stopped(r))
			return NULL;
		nanosleep(&pause, NULL);
	}
	return replay_ring_slot(ring, head);
}

static void push(struct replay *r, const uint8_t *bytes, uint32_t length, uint32_t hash,
		 uint64_t due)
{
	struct replay_ring *ring = &replay_queue_of(r, hash)->ring;
	struct replay_slot *slot = free_slot(r, ring);

	if (!slot)
		return;
	slot->due = due;
	slot->length = length;
	memcpy(slot->bytes, bytes, length);
	/* Release: the slot is written before the position that announces it. */
	atomic_store_explicit(&ring->head,
			      atomic_load_explicit(&ring->head, memory_order_relaxed) + 1,
			      memory_order_release);
}

/* One pass over the file. Returns 0 at its end, or -errno. */
static int read_pass(struct replay *r, uint8_t *buf, uint64_t base, uint64_t *left)
{
	struct capture_record record;
	struct capture_fault fault;
	uint32_t hash;
	int answer;

	while (*left && !stopped(r)) {
		answer = capture_next(r->capture, &record, &fault);
		if (answer == -EPROTO)
			return replay_bad(r, answer, &fault);
		if (answer < 0)
			r->stats.fault = fault;
		if (answer <= 0)
			return answer;
		answer = replay_make_frame(r, &record, buf, &hash);
		if (answer < 0)
			return answer;
		if (answer == 0)
			continue;
		push(r, buf, (uint32_t)answer, hash,
		     base + replay_tick(r, record.time_ns));
		--*left;
	}
	return -ECANCELED;
}

/* Later passes meet the same records again: the statistics are those of one. */
static void count_pass(struct replay *r, struct replay_stats *first)
{
	uint64_t loops = r->stats.loops + 1;

	if (loops == 1)
		*first = r->stats;
	r->stats = *first;
	r->stats.loops = loops;
}

static int read_all(struct replay *r, uint8_t *buf)
{
	uint64_t left = r->setup.count, loops = r->setup.config.loops, base = 0;
	struct replay_stats first;
	int err;

	for (;;) {
		err = read_pass(r, buf, base, &left);
		if (err)
			return err == -ECANCELED ? 0 : err;
		count_pass(r, &first);
		base += replay_pass_ticks(r);
		if (!r->clock.frames || (loops && r->stats.loops >= loops))
			return 0;
		memset(&r->clock, 0, sizeof(r->clock));
		err = capture_rewind(r->capture, &r->stats.fault);
		if (err)
			return err;
	}
}

static void *reader_main(void *arg)
{
	struct replay *r = arg;
	uint8_t *buf = malloc(r->setup.frame_size);

	r->privileges_error = privileges_drop();
	r->error = buf ? read_all(r, buf) : -ENOMEM;
	free(buf);
	/* Release: what was pushed comes before. */
	atomic_store_explicit(&r->ended, true, memory_order_release);
	return NULL;
}

static uint32_t ring_slots(const struct replay *r)
{
	uint32_t slots = RING_SLOTS;

	while (slots > RING_SLOTS_MIN && slots * r->queues > RING_SLOTS_ALL)
		slots /= 2;
	return slots;
}

int replay_stream_start(struct replay *r)
{
	size_t i;
	int err;

	for (i = 0; i < r->queues; i++) {
		err = make_ring(&r->queue[i].ring, ring_slots(r), r->longest);
		if (err)
			return err;
	}
	r->stop_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (r->stop_fd < 0)
		return -errno;
	capture_stop_on(r->capture, r->stop_fd);
	err = pthread_create(&r->thread, NULL, reader_main, r);
	r->started = err == 0;
	return -err;
}

void replay_stream_stop(struct replay *r)
{
	const uint64_t one = 1;

	if (r->started) {
		atomic_store_explicit(&r->stop, true, memory_order_relaxed);
		if (write(r->stop_fd, &one, sizeof(one)) > 0)
			pthread_join(r->thread, NULL);
		r->started = false;
	}
	if (r->stop_fd >= 0)
		close(r->stop_fd);
	r->stop_fd = -1;
}
