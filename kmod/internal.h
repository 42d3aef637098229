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

/* Frames per transmit lock. Taking 8 to 64 at once ran as fast or faster by the
 * clock than one by one, although it costs more instructions (many skbs are
 * alive at once); past 16 nothing more was gained. */
#define BATCH_DEFAULT 16
/* Frames a kick moves at most: a sender that keeps filling its ring from another
 * thread must not hold this one in the kernel for ever. */
#define BUDGET_DEFAULT 16384

/* A frame taken from the ring whose completion is still owed. */
struct kept_frame {
	struct sk_buff *skb;     /* NULL: none could be had yet, see addr, len */
	u64 addr;
	u32 len;                 /* 0: not to be sent, only to be completed */
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
	u16 queue_id;                    /* the socket's own, while active */
	u32 batch;
	u32 budget;
	u32 flags;
	u32 shadow_every;
	u32 shadow_left;

	/* Kept in ring order: kept[first … first + count - 1]. */
	u32 kept_first;
	u32 kept_count;
	struct kept_frame kept[DXMIT_BATCH_MAX];

	struct dxmit_ioc_stats stats;    /* only its counters */
};

/* attach.c */
int attach_socket(struct dxmit_ioc_attach *request, const void *owner);
/* The stock path is the socket's own again. Under xs->mutex, and nothing kept. */
void give_back(struct attachment *at);
int attachments_init(void);
void attachments_exit(void);

/* manage.c */
int detach_socket(const struct dxmit_ioc_which *which, const void *caller);
int attachment_stats(struct dxmit_ioc_stats *stats, const void *caller);
int attachment_list(struct dxmit_ioc_list *list);
/* Under attachments_lock: counters and state of the moment; stats->fd is 0. */
void attachment_snapshot(struct attachment *at, struct dxmit_ioc_stats *stats);

/* The list and the life of its members. */
extern struct mutex attachments_lock;
extern struct list_head attachments;
/* Send or drop what is kept, and give the socket back. Under xs->mutex. */
void deactivate(struct attachment *at);

/* debugfs.c */
void debugfs_start(void);
void debugfs_stop(void);

/* xmit.c; all under xs->mutex */
int direct_kick(struct attachment *at);
/* Send what is kept if the driver takes it, drop and complete the rest. */
void direct_flush(struct attachment *at);
/* Drop and complete what is kept, without touching the device. */
void direct_purge(struct attachment *at);

#endif
