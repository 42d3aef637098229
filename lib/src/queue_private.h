/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The cold part of a queue, and the steps that build and take down one.
 */
#ifndef DXMIT_QUEUE_PRIVATE_H
#define DXMIT_QUEUE_PRIVATE_H

#include <poll.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <xdp/xsk.h>

#include <dxmit/queue.h>

#include "internal.h"

/* Descriptors one poll() call can cover: 64 entries of DXMIT_KERNEL_BUDGET each. */
#define POLL_ENTRIES 64

/* Frame memory. area is NULL when there is none. */
struct umem_memory {
	void *area;
	size_t mapped_bytes; /* rounded up to page_size */
	size_t used_bytes;   /* registered: whole chunks */
	uint32_t page_size;
	uint32_t huge_missing; /* AUTO: 2 MiB pages that were not to be had */
};

/* A frame of several chunks: its descriptors in flight, and how many of them have
 * been completed. A count of 0: not in flight. */
struct segment_state {
	uint8_t count;
	uint8_t done;
};

struct dxmit_queue_private {
	struct dxmit_queue_options options; /* with every default filled in */
	struct umem_memory memory;

	struct xsk_umem *umem;
	struct xsk_socket *xsk;
	struct xsk_ring_prod tx;
	struct xsk_ring_prod fill; /* libxdp wants one; never used */
	struct xsk_ring_cons completion;
	int fd;              /* owned by umem; -1: none */
	int program_link_fd; /* zero-copy program; -1: none */
	int direct_fd;       /* the module, once it took the socket; -1: none */
	uint32_t direct_budget, direct_batch; /* as it was told, with direct_fd */
	uint64_t wait_end_ns;                 /* open: for what a closed queue holds */

	/* With segments > 1 only; by frame. */
	struct segment_state *segment_state;
	uint32_t descs_in_flight; /* descriptors submitted, not completed */

	struct dxmit_queue_info info;

	/* Kicks: written by the sending thread only. */
	struct pollfd poll_entry[POLL_ENTRIES];
	bool distrust_poll; /* the last answer was a loss */
	bool unsettled;     /* the last call did not say that all went well */
	int last_error;

	/* Progress: consumer + completion producer at the last change, and
	 * since when they stand still (0: they do not). */
	uint32_t progress_mark;
	uint64_t still_since_ns;
};

/* Every step takes what it needs from `p->options`, leaves what it made in
 * `p`, and on failure fills *error and returns -errno; dxmit_queue_close()
 * undoes whatever subset exists. */

int dxmit_umem_allocate(struct dxmit_queue_private *p, struct dxmit_error *error);
void dxmit_umem_free(struct umem_memory *memory);

/*
 * The kernel gives back what a closed socket held (its queue, locked memory,
 * huge pages) late: up to 56 ms seen on 6.12. Sleeps for a millisecond and
 * returns true until bind_wait_ms are over.
 */
bool dxmit_socket_wait(struct dxmit_queue_private *p);
int dxmit_socket_register_umem(struct dxmit_queue_private *p, struct dxmit_error *error);
int dxmit_socket_bind(struct dxmit_queue_private *p, const char *ifname,
		      struct dxmit_error *error);
int dxmit_socket_set_limits(struct dxmit_queue_private *p, struct dxmit_error *error);
int dxmit_socket_read_mode(struct dxmit_queue_private *p, struct dxmit_error *error);

/* Zero-copy only: make the driver accept kicks, attaching a program if needed. */
int dxmit_zerocopy_prepare(struct dxmit_queue_private *p, const char *ifname,
			   struct dxmit_error *error);
/* Attach the "pass" program on a link held in p->program_link_fd. */
int dxmit_zerocopy_attach(struct dxmit_queue_private *p, const char *ifname,
			  struct dxmit_error *error);

/* Before any system call: options that exclude the direct path. */
int dxmit_direct_check(const struct dxmit_queue_options *o, struct dxmit_error *error);
/* Ask the module for the socket, which is bound; DXMIT_DIRECT_AUTO records why it
 * was not given. */
int dxmit_direct_attach(struct dxmit_queue_private *p, struct dxmit_error *error);
/* Add the path as it is now to *info. */
void dxmit_direct_info(const struct dxmit_queue_private *p,
		       struct dxmit_queue_info *info);

/* Frames of several chunks (segments.c): make the state for them, if there are any. */
int dxmit_segments_open(struct dxmit_queue *q);
/* 0, or what submit answers to that length. */
int dxmit_segments_length(const struct dxmit_queue *q, uint32_t length);
/* Write the descriptors of the i-th reserved frame from the `at`-th free slot on;
 * returns how many. They are announced, or given up, for the first n together. */
uint32_t dxmit_segments_write(struct dxmit_queue *q, uint32_t i, uint32_t at,
			      uint32_t length);
void dxmit_segments_publish(struct dxmit_queue *q, uint32_t n, uint32_t descs);
void dxmit_segments_cancel(struct dxmit_queue *q, uint32_t n);

/* Lay out rings and free frames for the first descriptor. */
void dxmit_ring_start(struct dxmit_queue *q);

#endif
