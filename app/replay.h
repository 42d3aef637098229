/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Replay: the frames of a capture as the content of the queues.
 *
 *	file -> record -> frame -> queue of its flow -> frame memory
 *	capture.c   replay_frame.c   replay.c        replay_queue.c
 *
 * A capture of up to REPLAY_MEMORY_BYTES is read before the run, and the
 * queues take its frames from memory. A longer one, or a pipe, is read during
 * the run by a thread (replay_stream.c) that feeds a ring per queue.
 *
 * Frames of a flow go through one queue, in the order of the file. A frame is due
 * at a tick: a nanosecond of the recorded time, or a frame number when a rate
 * is asked; so all queues together keep the order of time, too.
 */
#ifndef APP_REPLAY_H
#define APP_REPLAY_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <dxmit/dxmit.h>
#include "capture.h"
#include "config.h"
#include "rewrite.h"
#include "schedule.h"

#define REPLAY_MEMORY_BYTES (256ull << 20)
#define REPLAY_MIN_LENGTH 60 /* without FCS: IEEE 802.3, minFrameSize */

/* Everything that decides what is sent. */
struct replay_setup {
	struct replay_config config;
	struct rewrite rewrite;
	enum oversize oversize;
	uint32_t mtu;        /* of the interface */
	uint32_t chunk_size; /* of the frame memory, bytes */
	uint32_t frame_size; /* bytes a frame may have, whatever the MTU */
	/* Of packets, over all queues; NULL or without a limit: none. Kept. */
	const struct schedule *schedule;
	uint64_t count;        /* frames over all queues; UINT64_MAX: no limit */
	uint64_t memory_bytes; /* 0: REPLAY_MEMORY_BYTES */
};

struct replay_stats {
	uint64_t records; /* that are sent, per pass */
	uint64_t bytes;   /* of these, without FCS, per pass */
	uint64_t bad;     /* no frames; the place where the file breaks off */
	uint64_t skipped; /* left out by --oversize or --snapped */
	uint64_t snapped; /* sent, though part of the frame was not recorded */
	uint64_t padded;  /* sent, filled up to REPLAY_MIN_LENGTH */
	uint64_t loops;   /* whole passes sent */
	bool in_memory;
	bool faulty; /* `fault` is the first bad thing that was found */
	struct capture_fault fault;
};

struct replay_frame {
	uint64_t due;   /* tick since the beginning of the pass */
	uint8_t *bytes; /* while loading: their offset */
	uint32_t length;
	uint32_t hash; /* of the flow */
};

/* One frame on its way from the reader to a sender. */
struct replay_slot {
	uint64_t due;
	uint32_t length;
	uint8_t bytes[];
};

/* One producer, the reader; one consumer, the queue's sender. Positions run
 * freely; each is released by its writer after the slot was written or read. */
struct replay_ring {
	uint8_t *slots;
	size_t stride;
	uint32_t mask;
	_Atomic uint32_t head __attribute__((aligned(128))); /* next to write */
	_Atomic uint32_t tail __attribute__((aligned(128))); /* next to read */
};

/* What one sender takes frames from; but for the ring its thread's own. */
struct replay_queue {
	const struct replay *replay;
	struct replay_frame *frame; /* in memory: those of this queue */
	uint32_t frames;
	uint32_t next;
	uint32_t *laid;    /* per frame of memory: which frame[] it holds */
	uint64_t base;     /* tick at which this pass began */
	uint64_t shift_ns; /* schedule given up after hold-ups */
	uint64_t count;    /* frames to send; UINT64_MAX: until it ends */
	struct replay_ring ring;
};

/* Ticks of a pass while it is read. */
struct replay_clock {
	uint64_t first_ns, latest_ns; /* recorded */
	uint64_t cut_ns;              /* taken out of pauses so far */
	uint64_t frames;
	uint64_t due; /* of the latest frame */
};

struct replay {
	struct replay_setup setup;
	struct replay_stats stats;
	struct replay_clock clock;
	bool in_memory;   /* constant; as in stats, which the reader writes */
	bool timed;       /* frames have a tick before which they are not sent */
	uint32_t longest; /* bytes without FCS; streams: that there can be */
	uint32_t shortest;
	uint32_t uniform; /* the length of all frames, if there is only one */
	uint64_t pass;    /* ticks from one pass to the next; in memory */

	struct capture *capture; /* open while it is streamed */
	struct replay_frame *frame;
	size_t frames, frames_room;
	uint8_t *bytes;
	size_t bytes_used, bytes_room;

	struct replay_queue *queue;
	size_t queues;

	/* The reader. */
	pthread_t thread;
	bool started;
	int stop_fd; /* readable: give up */
	_Atomic bool stop;
	_Atomic bool ended; /* released after the last frame was pushed */
	int error;          /* of the reader, once it is joined */
	int privileges_error;
};

/* ---- before the run (replay.c) ---- */

/*
 * Open a capture and, if it is small enough, read it. stop_fd: see
 * capture_open(). Returns 0 or -errno with replay->stats.fault filled: of
 * capture_open(), -EPROTO under BAD_RECORD_STOP, -EMSGSIZE for a frame that
 * OVERSIZE_REFUSE refuses, -ENODATA if nothing in it can be sent, -ENOMEM.
 * replay_close() is due in every case.
 */
int replay_open(const struct replay_setup *setup, int stop_fd, struct replay *replay);

/* Divide the flows over so many queues. 0 or -ENOMEM. */
int replay_spread(struct replay *replay, size_t queues);

/* Start reading ahead, when the capture is streamed. 0 or -errno. */
int replay_start(struct replay *replay);

/* No more frames are wanted: end the reader. Then stats are final, but for
 * loops in memory, and replay->error is what replay_open() would have said. */
void replay_stop(struct replay *replay);

/* Idempotent; also for a struct that is all zero but stop_fd = -1. */
void replay_close(struct replay *replay);

/* ---- the sending thread (replay_queue.c) ---- */

/*
 * How many frames of memory suit a queue that would have `frames` of `room`
 * bytes: a multiple of those it sends, if that is not too much, so that each
 * stays where it was laid. Pure.
 */
uint32_t replay_frames(const struct replay_queue *queue, uint32_t frames, uint32_t room);

/* Make a queue ready to be filled. 0 or -ENOMEM. */
int replay_attach(struct replay_queue *queue, const struct dxmit_queue *q);

/*
 * Write the next frames, n at most, into the reservation of `q`, and their
 * lengths. Returns how many; fewer only if the reader has no more at the
 * moment. All of them must be submitted.
 */
uint32_t replay_fill(struct replay_queue *queue, struct dxmit_queue *q, uint32_t n,
		     uint32_t *lengths);

/*
 * Of the next `max` frames, those due `elapsed_ns` after the start. All, if the
 * replay is not timed. A backlog over 100 ms is given up: the schedule moves.
 */
uint32_t replay_due(struct replay_queue *queue, uint64_t elapsed_ns, uint32_t max);

/* When the next frame is due, in ns since the start, where it is known;
 * SCHEDULE_NEVER after the end of the schedule. */
uint64_t replay_next_ns(const struct replay_queue *queue, uint64_t elapsed_ns);

/* Whether every frame of the stream has been taken. */
bool replay_ended(struct replay_queue *queue);

/* ---- one record, one frame (replay_frame.c) ---- */

/*
 * Make a frame of a record into buf (setup.frame_size bytes). Returns its
 * length, 0 if it is left out (and counted), or -errno with stats.fault.
 */
int replay_make_frame(struct replay *replay, const struct capture_record *record,
		      uint8_t *buf, uint32_t *hash);

/* The tick of the frame just made. */
uint64_t replay_tick(struct replay *replay, uint64_t time_ns);

/* Ticks from the beginning of this pass to that of the next. */
uint64_t replay_pass_ticks(const struct replay *replay);

/* Note a bad record or a damaged file. Returns 0, or `err` if the policy is to
 * stop. */
int replay_bad(struct replay *replay, int err, const struct capture_fault *fault);

/* ---- reading ahead (replay_stream.c) ---- */

int replay_stream_start(struct replay *replay);
void replay_stream_stop(struct replay *replay);
void replay_ring_free(struct replay_ring *ring);

/* The queue of a flow. The hash's high bits choose: the low ones of a product are
 * what modulo would use up. */
static inline struct replay_queue *replay_queue_of(const struct replay *replay,
						   uint32_t hash)
{
	return &replay->queue[(uint64_t)hash * replay->queues >> 32];
}

static inline struct replay_slot *replay_ring_slot(const struct replay_ring *ring,
						   uint32_t position)
{
	return (struct replay_slot *)(ring->slots +
				      (position & ring->mask) * ring->stride);
}

#endif
