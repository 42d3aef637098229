/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One AF_XDP transmit queue: its memory, its rings and the four verbs that
 * drive them.
 *
 *	dxmit_reclaim()   take back the frames the kernel has completed
 *	dxmit_reserve()   get frames to fill
 *	dxmit_submit()    hand filled frames over
 *	dxmit_kick()      make the kernel transmit
 *
 * A frame is always in one state, and only these calls move it:
 *
 *	free -> reserved -> submitted -> completed -> free
 *	     reserve     submit      (kernel)     reclaim
 *
 * A reservation lives until the next submit or reserve; not submitting it
 * gives it back. Between submit and completion a frame belongs to the kernel
 * and must not be written: some drivers (virtio-net on newer kernels) transmit
 * from it in copy mode too.
 *
 * Threads: one thread per queue. Different queues share nothing and need no
 * lock. Errors are negative errno values; a full ring is 0 frames reserved,
 * never an error. The library does not print, exit, start threads, parse text
 * or keep global state.
 */
#ifndef DXMIT_QUEUE_H
#define DXMIT_QUEUE_H

#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <linux/if_xdp.h>

#include <dxmit/error.h>
#include <dxmit/settings.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/**
 * What to open. Zero the struct, set `size` to its sizeof, `ifindex` and
 * `queue`; every other zero means the default. Fields are only ever added at
 * the end.
 */
struct dxmit_queue_options {
	size_t size; /* sizeof(struct dxmit_queue_options) */
	int ifindex;
	uint32_t queue;           /* an active TX queue of that interface */
	uint32_t ring_size;       /* TX descriptors, power of two; 512 */
	uint32_t frames;          /* UMEM frames; ring_size */
	uint32_t frame_size;      /* UMEM chunk, bytes, 2048 or 4096; 2048 */
	uint32_t completion_size; /* power of two; covers `frames` */
	uint32_t budget;          /* frames per kick, 32 … ring_size; ring_size.
				       Kernels before 6.17 have 32, fixed */
	uint32_t sndbuf;          /* bytes; enough for the whole ring */
	uint32_t bind_wait_ms;    /* wait for a queue, locked memory or huge pages
				       that a closed one still holds; DXMIT_BIND_WAIT_MS */
	int32_t node_plus_1;      /* NUMA node + 1; 0: no preference */
	enum dxmit_mode mode;
	enum dxmit_huge huge;
	enum dxmit_kick_method kick;
	uint32_t fixed_slots;     /* 1: ring slot i always sends frame i; needs
				       frames == ring_size. Once every slot was
				       written and verified, submit() of the same
				       length writes no descriptors. */
	uint32_t carrier_wait_ms; /* zero-copy: wait for carrier after a program
				       had to be attached; 10000 */
	uint32_t max_length;      /* longest frame that will be sent, bytes
				       without FCS; frame_size. Short frames are
				       packed: several share a chunk and its pages.
				       Longer than a chunk: see multi_buffer */
	/* The three after the first are -EINVAL where it is DXMIT_DIRECT_OFF. */
	enum dxmit_direct direct;
	uint32_t direct_batch;        /* frames the module takes per lock, 1 …
				       DXMIT_DIRECT_MAX_BATCH; the module's choice */
	uint32_t direct_validate;     /* 1: validate every frame, as the kernel's path
				       does; for comparisons */
	uint32_t direct_shadow_every; /* validate every Nth frame on the side and
					    count those it would change; none */
	uint32_t multi_buffer;        /* 1: max_length may exceed frame_size, up to
				     DXMIT_MAX_SEGMENTS chunks. A frame then takes a
				     descriptor and a completion per chunk, its bytes
				     stay contiguous, and `frames` is ring_size / chunks
				     of the longest frame where it is 0. Needs
				     Linux 6.6; not with zero-copy, fixed_slots or
				     DXMIT_DIRECT_REQUIRE. Without effect where one
				     chunk is enough */
};

struct dxmit_queue_private;

/**
 * The hot part of a queue: everything the inline verbs touch. Its layout is
 * ABI, frozen for soname 0; read it if you like, change it only through the
 * verbs. All `uint32_t` positions run freely and wrap at 2^32.
 */
struct dxmit_queue {
	/* Shared with the kernel. */
	uint32_t *tx_producer;       /* we store-release, the kernel acquires */
	const uint32_t *tx_consumer; /* the kernel stores, we load-acquire */
	struct xdp_desc *tx_descs;
	const uint32_t *cq_producer; /* the kernel stores, we load-acquire */
	uint32_t *cq_consumer;       /* we store-release, the kernel acquires */
	const uint64_t *cq_addrs;

	/* Ours alone. */
	uint8_t *umem;        /* address 0 of the frame memory */
	uint64_t *free_addrs; /* FIFO of free frames; unused with fixed slots */
	uint32_t tx_mask;     /* ring sizes - 1 */
	uint32_t cq_mask;
	uint32_t free_mask;
	uint32_t frame_size; /* from one frame to the next, a power of two */
	uint32_t frames;
	uint32_t fixed_slots;     /* 1 while slot i sends frame i */
	uint32_t fixed_length;    /* length in the descriptors already written */
	uint32_t fixed_unwritten; /* slots still to write in this lap */
	uint32_t tx_position;     /* next TX slot to write */
	uint32_t cq_position;     /* next completion to read */
	uint32_t free_head;       /* next free frame to hand out */
	uint32_t free_tail;       /* where the next reclaimed frame goes */
	uint32_t in_flight;       /* submitted, not completed */
	uint32_t reserved;        /* size of the current reservation */
	uint64_t submitted;       /* totals since open; the last four are */
	uint64_t completed;       /* written by dxmit_kick() */
	uint64_t kicks;           /* system calls made */
	uint64_t retries;         /* of these, answered EAGAIN, ENOBUFS … */
	uint64_t down;            /* of these, answered ENETDOWN */
	uint64_t lost;            /* of these, answered EBUSY: a frame dropped */

	struct dxmit_queue_private *priv;
	uint32_t segments; /* chunks of the longest frame; above 1 positions count
				descriptors, and all else frames */
};

/* ---- life cycle ------------------------------------------------------- */

/**
 * Open a transmit queue: allocate UMEM on the wanted node, touch it from the
 * calling thread (pin the thread first), register it, make the rings, bind.
 *
 * @options  see the struct; copied
 * @out      the handle, or NULL on error
 * @error    may be NULL; filled on failure with stage, errno and figures,
 *           and readable through dxmit_error_text()
 *
 * Privilege: CAP_NET_RAW in the interface's network namespace; frame memory
 * beyond RLIMIT_MEMLOCK needs CAP_IPC_LOCK; a send buffer beyond
 * net.core.wmem_max needs CAP_NET_ADMIN (otherwise it is clamped, see
 * dxmit_queue_info). The direct path needs the module, the right to open
 * /dev/dxmit and CAP_NET_ADMIN; both may be dropped once the queue is open.
 * Blocks at most bind_wait_ms (+ carrier_wait_ms).
 *
 * Returns 0, or -EINVAL (options), -ENODEV, -ENXIO (no such TX queue), -EBUSY
 * (queue taken), -EPERM, -ENOBUFS (locked-memory limit), -ENOMEM,
 * -EOPNOTSUPP (zero-copy, or frames of several chunks, not supported), with
 * DXMIT_DIRECT_REQUIRE also what dxmit_direct_text() explains, or another errno of
 * the kernel.
 */
int dxmit_queue_open(const struct dxmit_queue_options *options, struct dxmit_queue **out,
		     struct dxmit_error *error);

/**
 * Close: unmap the rings, close the socket, free the memory, detach a program
 * this queue attached. Frames still in flight may or may not be sent. Sets
 * *queue to NULL; calling it again, or with NULL, does nothing.
 */
void dxmit_queue_close(struct dxmit_queue **queue);

/* ---- slow paths of the verbs (called by the inline part) --------------- */

int dxmit_queue_check_lap(struct dxmit_queue *q);
int dxmit_queue_unfix(struct dxmit_queue *q, uint32_t available);
/* The verbs of a queue with segments > 1; `lengths` may be NULL. */
int dxmit_queue_reclaim_segments(struct dxmit_queue *q, uint32_t available);
uint32_t dxmit_queue_reserve_segments(struct dxmit_queue *q, uint32_t wanted);
int dxmit_queue_submit_segments(struct dxmit_queue *q, uint32_t n, uint32_t length,
				const uint32_t *lengths);

/* ---- the four verbs --------------------------------------------------- */

/* Fixed slots: the frame of a ring position. Computed, never read from the
 * ring, whose memory others can write. */
static inline uint64_t dxmit_slot_addr_(const struct dxmit_queue *q, uint32_t position)
{
	return (uint64_t)(position & q->tx_mask) * q->frame_size;
}

/**
 * Take back every frame the kernel has completed so far.
 * Returns how many, or -EPROTO if the kernel completed more than was in
 * flight or a frame that does not exist (the queue must then be closed).
 * A frame of several chunks is counted once all of them have been completed.
 */
static inline int dxmit_reclaim(struct dxmit_queue *q)
{
	/* Acquire pairs with the kernel's release of its completion producer:
	 * the addresses up to it are written. */
	uint32_t available =
		__atomic_load_n(q->cq_producer, __ATOMIC_ACQUIRE) - q->cq_position;
	uint32_t i;

	if (available == 0)
		return 0;
	if (available > q->in_flight) /* more chunks than frames are no surprise */
		return q->segments > 1 ? dxmit_queue_reclaim_segments(q, available)
				       : -EPROTO;

	if (q->fixed_slots) {
		/* Slots complete in the order they were submitted, unless the
		 * device reorders; then the queue goes over to the free list. */
		uint32_t slot = q->tx_position - q->in_flight;
		uint64_t differs = 0;

		for (i = 0; i < available; i++)
			differs |= q->cq_addrs[(q->cq_position + i) & q->cq_mask] ^
				   dxmit_slot_addr_(q, slot + i);
		if (__builtin_expect(differs != 0, 0)) {
			int err = dxmit_queue_unfix(q, available);

			if (err)
				return err;
		}
	}
	if (!q->fixed_slots) {
		if (__builtin_expect(q->segments > 1, 0))
			return dxmit_queue_reclaim_segments(q, available);
		for (i = 0; i < available; i++) {
			uint64_t addr = q->cq_addrs[(q->cq_position + i) & q->cq_mask];

			if (addr >= (uint64_t)q->frames * q->frame_size ||
			    (addr & (q->frame_size - 1)))
				return -EPROTO;
			q->free_addrs[(q->free_tail + i) & q->free_mask] = addr;
		}
		q->free_tail += available;
	}
	q->cq_position += available;
	q->in_flight -= available;
	q->completed += available;
	/* Release: the kernel may overwrite the entries only now that they
	 * have been read. */
	__atomic_store_n(q->cq_consumer, q->cq_position, __ATOMIC_RELEASE);
	return (int)available;
}

/**
 * Reserve up to `wanted` free frames; fill them through dxmit_frame(q, 0 …).
 * Returns how many there are, 0 when everything is in flight. A later reserve
 * or submit ends the reservation; frames not submitted stay free.
 */
static inline uint32_t dxmit_reserve(struct dxmit_queue *q, uint32_t wanted)
{
	uint32_t ring_size = q->tx_mask + 1;
	uint32_t n = q->frames - q->in_flight;

	if (__builtin_expect(q->segments > 1, 0))
		return dxmit_queue_reserve_segments(q, wanted);
	if (n > wanted)
		n = wanted;
	/* A frame in the ring is in flight, so in_flight alone proves there is
	 * room; ask the kernel's index only when there are more frames than
	 * slots. */
	if (__builtin_expect(n > ring_size - q->in_flight || q->in_flight > ring_size,
			     0)) {
		uint32_t used = q->tx_position -
				__atomic_load_n(q->tx_consumer, __ATOMIC_ACQUIRE);

		/* A stale index (6.1, 6.12) can be more than a lap behind;
		 * no more can be in the ring than is in flight. */
		if (used > q->in_flight)
			used = q->in_flight;
		if (n > ring_size - used)
			n = ring_size - used;
	}
	q->reserved = n;
	return n;
}

/** UMEM address of the i-th frame of the current reservation. */
static inline uint64_t dxmit_frame_addr(const struct dxmit_queue *q, uint32_t i)
{
	return q->fixed_slots ? dxmit_slot_addr_(q, q->tx_position + i)
			      : q->free_addrs[(q->free_head + i) & q->free_mask];
}

/** The i-th frame of the current reservation: frame_size writable bytes. */
static inline void *dxmit_frame(const struct dxmit_queue *q, uint32_t i)
{
	return q->umem + dxmit_frame_addr(q, i);
}

/** Index of that frame in the UMEM, 0 … frames - 1. */
static inline uint32_t dxmit_frame_index(const struct dxmit_queue *q, uint32_t i)
{
	/* A power of two, and a division would cost more than a field update. */
	return (uint32_t)(dxmit_frame_addr(q, i) >> __builtin_ctz(q->frame_size));
}

static inline int dxmit_length_ok_(const struct dxmit_queue *q, uint32_t length)
{
	return length >= DXMIT_MIN_LENGTH && length <= q->frame_size;
}

static inline void dxmit_publish_(struct dxmit_queue *q, uint32_t n)
{
	q->tx_position += n;
	q->free_head += n;
	q->in_flight += n;
	q->submitted += n;
	q->reserved = 0;
	/* Release: descriptors and frame bytes are visible to the kernel before
	 * the index that announces them. */
	__atomic_store_n(q->tx_producer, q->tx_position, __ATOMIC_RELEASE);
}

static inline void dxmit_write_desc_(struct dxmit_queue *q, uint32_t i, uint32_t length)
{
	struct xdp_desc *desc = &q->tx_descs[(q->tx_position + i) & q->tx_mask];

	desc->addr = dxmit_frame_addr(q, i);
	desc->len = length;
	desc->options = 0; /* a stale bit here blocks the ring for ever */
}

/**
 * Submit the first `n` frames of the reservation, each `length` bytes long
 * (without FCS). Nothing is transmitted before a kick.
 * Returns 0, or, with the ring untouched: -EINVAL if length is below
 * DXMIT_MIN_LENGTH (such frames kill some devices), -EMSGSIZE if it exceeds
 * the frame (its chunks, if it has several), -ENOSPC if `n` exceeds the reservation.
 */
static inline int dxmit_submit(struct dxmit_queue *q, uint32_t n, uint32_t length)
{
	uint32_t i;

	if (!dxmit_length_ok_(q, length))
		return length < DXMIT_MIN_LENGTH ? -EINVAL : -EMSGSIZE;
	if (n > q->reserved)
		return -ENOSPC;

	if (q->fixed_length == length && q->fixed_unwritten == 0) {
		dxmit_publish_(q, n); /* every descriptor says this already */
		return 0;
	}
	/* Which never has fixed slots, so that these do not pay for it. */
	if (__builtin_expect(q->segments > 1, 0))
		return dxmit_queue_submit_segments(q, n, length, NULL);
	for (i = 0; i < n; i++)
		dxmit_write_desc_(q, i, length);
	if (q->fixed_slots) {
		if (q->fixed_length != length) {
			q->fixed_length = length;
			q->fixed_unwritten = q->tx_mask + 1;
		}
		q->fixed_unwritten -= n < q->fixed_unwritten ? n : q->fixed_unwritten;
		dxmit_publish_(q, n);
		return q->fixed_unwritten == 0 ? dxmit_queue_check_lap(q) : 0;
	}
	dxmit_publish_(q, n);
	return 0;
}

/**
 * As dxmit_submit(), with a length per frame: lengths[0 … n-1]. On error no
 * frame has been submitted.
 */
static inline int dxmit_submit_lengths(struct dxmit_queue *q, uint32_t n,
				       const uint32_t *lengths)
{
	uint32_t i;

	if (__builtin_expect(q->segments > 1, 0))
		return dxmit_queue_submit_segments(q, n, 0, lengths);
	if (n > q->reserved)
		return -ENOSPC;
	for (i = 0; i < n; i++)
		if (!dxmit_length_ok_(q, lengths[i]))
			return lengths[i] < DXMIT_MIN_LENGTH ? -EINVAL : -EMSGSIZE;
	for (i = 0; i < n; i++)
		dxmit_write_desc_(q, i, lengths[i]);
	q->fixed_length = 0; /* descriptors now differ: write them all again */
	q->fixed_unwritten = q->tx_mask + 1;
	dxmit_publish_(q, n);
	return 0;
}

/** What the kernel's answer to a kick means for the sender. */
enum dxmit_answer {
	DXMIT_PROGRESS = 0, /* go on */
	DXMIT_RETRY = 1,    /* nothing is wrong; reclaim and kick again */
	DXMIT_LOST = 2,     /* one frame was dropped and completed; go on */
	DXMIT_GONE = 3,     /* this queue will never send again */
};

/** Classify an errno of sendto() on an AF_XDP socket (0 is success). Pure. */
enum dxmit_answer dxmit_classify(int error);

/**
 * Make the kernel transmit what was submitted. One system call at most in the
 * ordinary case, none when nothing is waiting. On the direct path the kernel may
 * have taken frames that the driver then refused; so while frames are in flight
 * and the last call did not say that all went well, there is one more.
 *
 * Returns 0 (DXMIT_PROGRESS), 1 (DXMIT_RETRY: budget, send buffer or driver
 * busy, or the interface is down), 2 (DXMIT_LOST: one frame dropped, already
 * counted in q->lost), or
 *	-ENXIO      the interface is gone or moved to another namespace
 *	-EINVAL     the kernel refuses the ring; the queue must be closed
 *	-ETIMEDOUT  stalled: frames outstanding and no progress for
 *	            DXMIT_STALL_NS. dxmit_queue_stalled() explains it. Calling
 *	            again is allowed and answers 0 … 2 once progress resumes.
 */
int dxmit_kick(struct dxmit_queue *q);

/**
 * The verbs in one call: reclaim, reserve up to `wanted`, let `fill` write
 * each frame and return its length, submit, kick.
 * `fill(arg, frame, room)` gets `room` writable bytes and returns the length
 * (without FCS), or 0 to stop early.
 * Returns frames submitted (0 … wanted), or a negative error of the verbs;
 * with -EINVAL or -EMSGSIZE from a bad length nothing was submitted.
 */
int dxmit_send(struct dxmit_queue *q, uint32_t wanted,
	       uint32_t (*fill)(void *arg, void *frame, uint32_t room), void *arg);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#include <dxmit/queue_info.h>
#endif
