/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What can be read back from a queue: what was obtained, its counters, why it is
 * stalled, and where its memory lies. Included by queue.h.
 */
#ifndef DXMIT_QUEUE_INFO_H
#define DXMIT_QUEUE_INFO_H

#include <dxmit/queue.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/** What was obtained. Constant after open, but for the path: see there. */
struct dxmit_queue_info {
	size_t size; /* set by the caller before the call */
	int fd;      /* the socket; do not close */
	int ifindex;
	uint32_t queue;
	enum dxmit_mode mode;        /* as the kernel reports it (XDP_OPTIONS) */
	enum dxmit_kick_method kick; /* SENDTO or POLL */
	uint32_t ring_size;
	uint32_t completion_size;
	uint32_t frames;
	uint32_t frame_size;      /* UMEM chunk, bytes */
	uint32_t frame_room;      /* bytes from one frame to the next */
	uint32_t budget;          /* frames per kick; 32 where fixed; the
				       module's on the direct path */
	uint32_t budget_settable; /* 1 if the kernel has XDP_MAX_TX_SKB_BUDGET */
	uint64_t sndbuf;          /* bytes, as read back */
	uint64_t sndbuf_wanted;   /* bytes asked; clamped if larger */
	uint32_t sndbuf_frames;   /* frames that certainly fit in it */
	uint32_t bind_retries;
	uint64_t umem_bytes;
	uint32_t page_size;        /* bytes: 4096 or 2097152 */
	uint32_t huge_missing;     /* AUTO only: 2 MiB pages that were missing */
	uint32_t program_attached; /* 1: zero-copy needed one and it is ours */
	/* A socket can lose the direct path: detached from outside (ECANCELED), or
	 * another one got onto its frame memory (EPROTO). budget, direct_batch and
	 * path then are those of the kernel's path. */
	enum dxmit_path path;
	int direct_errno;        /* why it is not the direct one; 0 if it is, or was
				      not asked for. See dxmit_direct_text() */
	uint32_t direct_refusal; /* the module's reason, 0: none */
	uint32_t direct_batch;   /* frames per lock; 0 on the kernel's path */
	uint32_t segments;       /* descriptors of the longest frame; above 1
				      the sizes of the rings and the budget are
				      descriptors, several a frame */
};

/** Fill *info (info->size bytes). Returns 0 or -EINVAL. No privilege. On the
 * direct path one ioctl(), else no system call. */
int dxmit_queue_info(const struct dxmit_queue *q, struct dxmit_queue_info *info);

/** Counters since open. */
struct dxmit_queue_stats {
	size_t size;         /* set by the caller before the call */
	uint64_t submitted;  /* frames handed over */
	uint64_t completed;  /* frames reclaimed */
	uint64_t in_flight;  /* submitted - completed */
	uint64_t unread;     /* completions waiting for reclaim: one a chunk */
	uint64_t unconsumed; /* descriptors the kernel has not taken, as far
					as it publishes that */
	uint64_t lost;       /* kicks that answered EBUSY: a frame dropped */
	uint64_t kicks;      /* system calls made by dxmit_kick() */
	uint64_t retries;    /* of these, answered EAGAIN, ENOBUFS, … */
	uint64_t down;       /* of these, answered ENETDOWN */
	uint64_t invalid;    /* kernel: descriptors refused (XDP_STATISTICS) */
	uint64_t stalled_ns; /* time without progress; 0 while it flows */
	int last_error;      /* errno of the last failed kick, or 0 */
};

/** Fill *stats. One getsockopt(). Returns 0 or -errno. */
int dxmit_queue_stats(const struct dxmit_queue *q, struct dxmit_queue_stats *stats);

/**
 * After dxmit_kick() answered -ETIMEDOUT: fill *error so that dxmit_error_text()
 * says what is outstanding and whether its completions only wait to be read
 * ("N completions unread"). Reads two indices; no system call.
 */
void dxmit_queue_stalled(const struct dxmit_queue *q, struct dxmit_error *error);

/** Where the frame memory really is. */
struct dxmit_residence {
	size_t size;            /* set by the caller before the call */
	int verified;           /* 1: every page was looked up */
	int reason;             /* errno why not, when verified is 0 */
	uint64_t pages;         /* pages looked up */
	uint64_t pages_on_node; /* of these, on the node asked for; all pages
					when no node was asked for */
	int node;               /* node holding most of them, -1 unknown */
};

/**
 * Ask the kernel (move_pages) on which node each page of the UMEM lies.
 * Always returns 0 unless arguments are bad (-EINVAL): what cannot be checked
 * is "unverified" with its reason, not an error.
 */
int dxmit_queue_residence(const struct dxmit_queue *q, struct dxmit_residence *out);

/**
 * Bytes of locked memory opening a queue with these options charges to the
 * user (RLIMIT_MEMLOCK), without opening it. Pure. 0 if options are invalid.
 */
uint64_t dxmit_queue_locked_bytes(const struct dxmit_queue_options *options);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
#endif
