/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * One attachment: a socket on the direct path, and what its parts may assume.
 *
 * Locks, outermost first: rtnl, attachments_lock, xs->mutex, then either
 * pool->xsk_tx_list_lock or the transmit queue's. What changes in a
 * struct attachment changes under xs->mutex; owner and id under
 * attachments_lock, too.
 */
#ifndef DXMIT_INTERNAL_H
#define DXMIT_INTERNAL_H

#include <linux/fs.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/net.h>
#include <linux/netdevice.h>
#include <linux/skbuff.h>
#include <net/xdp_sock.h>
#include <net/xdp_sock_drv.h>

#include "dxmit_ioctl.h"

/* Frames per transmit lock and doorbell. 1, 16 and 64 cost 1055, 1039 and 1023
 * instructions a frame (bench/cost.sh, dummy); on a NIC what counts is the doorbell,
 * of which 16 leaves one in 16. More only keeps others longer from the queue. */
#define BATCH_DEFAULT 16
/* Descriptors taken at once, unless the batch is larger or the ring smaller. Taking
 * costs some 300 instructions, however few there are. */
#define TAKE_DEFAULT 16

/* How long DETACH and close wait for a driver that is full before what is kept is
 * lost: a NIC takes its next frame within microseconds, a stalled one never. */
#define SETTLE_WAIT_MS 200

/* Heads of skbs are cut from these pages (heads.c). 16: 512 KiB, enough for some
 * 1100 short or 270 long frames in a device. */
#define HEAD_PAGES 16

struct head_page {
	struct page *page;
	u32 refs;                /* those of its references that are ours */
};

struct heads {
	u8 *at;                  /* the next head, on the current page */
	u8 *end;
	struct head_page *in_hand;
	u32 victim;
	struct head_page pages[HEAD_PAGES];
};

struct attachment {
	struct proto_ops ops;            /* first: found again from sock->ops */
	const struct proto_ops *stock;
	struct list_head list;           /* attachments_lock */
	struct rcu_head rcu;
	struct xdp_sock *xs;
	struct net_device *dev;          /* compared only, no reference is held */
	const void *owner;               /* private_data of the /dev/dxmit file */
	u64 id;
	bool active;
	bool draining;                   /* DETACH or close waits for the driver */
	bool in_chain;                   /* the last descriptor had a successor */
	u16 queue_id;                    /* the socket's own, while active */
	u32 batch;                       /* frames per transmit lock */
	u32 take;                        /* descriptors taken at once */
	u32 budget;
	u32 flags;
	u32 shadow_every;
	u32 shadow_left;

	/*
	 * Frames taken from the ring whose completion is still owed, in ring order:
	 * pool->tx_descs[first … first + count - 1]. One with length 0 is not to be
	 * sent. The first two may have their skb already.
	 */
	u32 kept_first;
	u32 kept_count;
	struct sk_buff *skb[2];

	struct heads heads;
	struct dxmit_ioc_stats stats;    /* only its counters */
};

/* attach.c */
int attach_socket(struct dxmit_ioc_attach *request, const void *owner);
/* The stock path is the socket's own again. Under xs->mutex, and nothing kept. */
void give_back(struct attachment *at);
int attachments_init(void);
void attachments_exit(void);

/* manage.c */
int detach_socket(struct dxmit_ioc_which which, const void *caller);
int attachment_stats(struct dxmit_ioc_stats *stats, const void *caller);
int attachment_list(struct dxmit_ioc_list *list);
/* Under attachments_lock: counters and state of the moment; stats->fd is 0. */
void attachment_snapshot(struct attachment *at, struct dxmit_ioc_stats *stats);

/* The list and the life of its members. */
extern struct mutex attachments_lock;
extern struct list_head attachments;
/*
 * Send what is kept, or after the deadline (jiffies) drop it, and give the socket
 * back. Under xs->mutex. False: the driver is full; call again after a while with
 * the mutex let go. Nothing new is taken from the ring meanwhile.
 */
bool settle(struct attachment *at, unsigned long deadline);

/* debugfs.c */
void debugfs_start(void);
void debugfs_stop(void);

/* heads.c; under xs->mutex, heads_alloc() with BH off */
void *heads_alloc(struct heads *heads, u32 size);
/* What the driver still has frees itself. */
void heads_free(struct heads *heads);

/* frame.c; under xs->mutex, BH off */
/* NULL: no memory, or validation has dropped it, and then its length is 0. */
struct sk_buff *frame_build(struct attachment *at, struct xdp_desc *desc);

/* xmit.c; all under xs->mutex */
int direct_kick(struct attachment *at);
/* Send what is kept, as far as the driver takes it. */
void direct_flush(struct attachment *at);
/* Drop and complete what is kept, without touching the device. */
void direct_purge(struct attachment *at);

#endif
