// SPDX-License-Identifier: GPL-2.0-only
/*
 * The direct transmit path: from descriptors to the driver, without the
 * per-packet validation.
 *
 * Why skipping is safe. validate_xmit_skb() (7.3) handles unreadable frags,
 * VLAN tags beside the data, TLS sockets, GSO, frag lists, partial checksums
 * and xfrm. The skbs made here are linear, untagged, CHECKSUM_NONE, not GSO, and
 * have neither socket nor secpath: for such it returns the skb unchanged on
 * any device. Sockets that could ask for more (metadata, multi-buffer) are
 * refused at ATTACH, and descriptors with option bits are not sent.
 * DXMIT_ATTACH_VALIDATE and shadow_every prove it on the running machine.
 */
#include <linux/etherdevice.h>
#include <linux/if_xdp.h>

#include "compat.h"
#include "internal.h"

#define NOT_ALONE U32_MAX

/* What a batch of transmissions came to. */
struct outcome {
	u32 consumed;            /* frames whose completion is due */
	bool dropped;            /* the last of them was dropped: EBUSY */
};

static struct sk_buff *build_frame(struct attachment *at, u64 addr, u32 len)
{
	struct xdp_sock *xs = at->xs;
	struct net_device *dev = xs->dev;
	u32 headroom = max_t(u32, NET_SKB_PAD, L1_CACHE_ALIGN(dev->needed_headroom));
	u32 size = SKB_DATA_ALIGN(headroom + len + dev->needed_tailroom) +
		   SKB_DATA_ALIGN(sizeof(struct skb_shared_info));
	struct sk_buff *skb;
	void *data;

	data = napi_alloc_frag(size);
	if (unlikely(!data))
		return NULL;
	skb = napi_build_skb(data, size);
	if (unlikely(!skb)) {
		skb_free_frag(data);
		return NULL;
	}
	skb_reserve(skb, headroom);
	memcpy(__skb_put(skb, len), xsk_buff_raw_get_data(xs->pool, addr), len);
	skb->dev = dev;
	skb->priority = READ_ONCE(xs->sk.sk_priority);
	skb->mark = READ_ONCE(xs->sk.sk_mark);
	skb_set_queue_mapping(skb, at->queue_id);
	return skb;
}

/* Does validation leave this skb as it is? Counts when not; NULL if it is gone. */
static struct sk_buff *validate(struct attachment *at, struct sk_buff *skb, bool shadow)
{
	unsigned int len = skb->len;
	bool again = false;
	struct sk_buff *valid = validate_xmit_skb_list(skb, skb->dev, &again);

	if (shadow)
		at->stats.shadow_checks++;
	if (likely(valid == skb && skb->len == len && !skb_is_nonlinear(skb) &&
		   skb->ip_summed == CHECKSUM_NONE && !skb->next))
		return skb;
	if (shadow)
		at->stats.shadow_mismatches++;
	if (valid != skb) {
		kfree_skb_list(valid);
		return NULL;
	}
	return skb;
}

static struct sk_buff *check(struct attachment *at, struct sk_buff *skb)
{
	if (at->flags & DXMIT_ATTACH_VALIDATE)
		return validate(at, skb, false);
	if (at->shadow_every && --at->shadow_left == 0) {
		at->shadow_left = at->shadow_every;
		return validate(at, skb, true);
	}
	at->stats.validations_skipped++;
	return skb;
}

/*
 * Under the transmit lock, BH off: hand over kept frames, in order, until the
 * driver will not take one, or has dropped one: each EBUSY stands for exactly
 * one loss, as on the stock path. With `more` the driver may put off its
 * doorbell. A frame with no length is not sent, only completed in its turn.
 */
static struct outcome hand_over(struct attachment *at, struct netdev_queue *txq)
{
	struct outcome out = { 0 };

	while (at->kept_count && !out.dropped) {
		struct kept_frame *frame = &at->kept[at->kept_first];
		bool more = at->kept_count > 1 && frame[1].skb;
		unsigned int len = frame->len;

		if (len) {
			int ret = NETDEV_TX_BUSY;

			if (likely(frame->skb && !netif_xmit_frozen_or_drv_stopped(txq)))
				ret = netdev_start_xmit(frame->skb, at->xs->dev, txq, more);
			if (unlikely(!dev_xmit_complete(ret)))
				break;
			/* Congestion may have sent it; else only OK has. */
			out.dropped = unlikely(ret != NETDEV_TX_OK && ret != NET_XMIT_CN);
			if (!out.dropped) {
				at->stats.packets++;
				at->stats.bytes += len;
			}
		}
		at->kept_first++;
		at->kept_count--;
		out.consumed++;
	}
	at->stats.dropped_driver += out.dropped;
	return out;
}

/*
 * One transmit lock for all that is kept, BH off. Completes what the driver
 * took. The kernel's __dev_direct_xmit() (net/core/dev.c; 6.1, 6.12 and 7.3
 * agree) does for each packet, and here:
 *
 *	netif_running, netif_carrier_ok   kept, for each batch: one_batch()
 *	validate_xmit_skb_list            skipped: what makes it change nothing is
 *	                                  settled once per socket, at ATTACH
 *	skb_set_queue_mapping             kept: build_frame()
 *	skb_get_tx_queue                  once per batch; its range check on
 *	                                  every kick: direct_kick()
 *	local_bh_disable/enable           kept, for each batch: direct_kick()
 *	dev_xmit_recursion_inc/dec        kept, for each batch
 *	HARD_TX_LOCK/UNLOCK               kept, for each batch
 *	netif_xmit_frozen_or_drv_stopped  kept, for each packet: hand_over()
 *	netdev_start_xmit                 kept, with xmit-more inside a batch
 *	NETDEV_TX_BUSY                    the frame stays first in line; the stock
 *	                                  path throws its skb away and builds it
 *	                                  again
 *	drop: tx_dropped, kfree_skb       kept, one frame for each kick: lose_one()
 */
static struct outcome dxmit_direct_xmit(struct attachment *at)
{
	struct net_device *dev = at->xs->dev;
	struct netdev_queue *txq = netdev_get_tx_queue(dev, at->queue_id);
	struct outcome out;

	dev_xmit_recursion_inc();
	HARD_TX_LOCK(dev, txq, smp_processor_id());
	out = hand_over(at, txq);
	HARD_TX_UNLOCK(dev, txq);
	dev_xmit_recursion_dec();
	if (out.consumed)
		xsk_tx_completed(at->xs->pool, out.consumed);
	at->stats.kept_total += at->kept_count;
	return out;
}

/* What ATTACH has made sure of. Under the list's lock it stays so. */
static bool alone(const struct xdp_sock *xs)
{
	const struct xsk_buff_pool *pool = xs->pool;

	return refcount_read(&xs->sk.sk_wmem_alloc) == 1 && !dxmit_half_a_packet(xs) &&
	       list_is_singular(&pool->xsk_tx_list) &&
	       list_first_entry(&pool->xsk_tx_list, struct xdp_sock, tx_list) == xs;
}

/*
 * The kernel's batch call serves every socket on the pool's list, and with more
 * than one writes past pool->tx_descs when that is smaller than the batch. A bind
 * with XDP_SHARED_UMEM to queue 65535 gets onto the list, so it is held still.
 */
static u32 peek_alone(struct attachment *at, u32 wanted)
{
	struct xsk_buff_pool *pool = at->xs->pool;
	unsigned long flags;
	u32 n = NOT_ALONE;

	spin_lock_irqsave(&pool->xsk_tx_list_lock, flags);
	if (likely(alone(at->xs)))
		n = xsk_tx_peek_release_desc_batch(pool, wanted);
	spin_unlock_irqrestore(&pool->xsk_tx_list_lock, flags);
	return n;
}

/* Take up to `wanted` descriptors: how many, or NOT_ALONE. Nothing is kept when
 * this is called. */
static u32 take(struct attachment *at, u32 wanted)
{
	struct xsk_buff_pool *pool = at->xs->pool;
	u32 n = peek_alone(at, wanted);
	u32 i;

	if (unlikely(n == NOT_ALONE))
		return n;
	for (i = 0; i < n; i++) {
		const struct xdp_desc *desc = &pool->tx_descs[i];
		bool valid = desc->options == 0 && desc->len >= ETH_HLEN;

		at->kept[i].skb = NULL;
		at->kept[i].addr = desc->addr;
		at->kept[i].len = valid ? desc->len : 0;
		at->stats.invalid += !valid;
	}
	at->kept_first = 0;
	at->kept_count = n;
	return n;
}

/* Give every kept frame that lacks one its skb. Stops where there is no memory. */
static void build_kept(struct attachment *at)
{
	u32 i;

	for (i = at->kept_first; i < at->kept_first + at->kept_count; i++) {
		struct kept_frame *frame = &at->kept[i];

		if (frame->skb || !frame->len)
			continue;
		frame->skb = build_frame(at, frame->addr, frame->len);
		if (unlikely(!frame->skb)) {
			at->stats.no_skb++;
			return;
		}
		frame->skb = check(at, frame->skb);
		if (unlikely(!frame->skb)) {
			frame->len = 0;
			dev_core_stats_tx_dropped_inc(at->xs->dev);
			at->stats.dropped_validate++;
		}
	}
}

/* The first kept frame will not be sent: free and complete it. */
static void drop_first(struct attachment *at)
{
	struct kept_frame *frame = &at->kept[at->kept_first];

	kfree_skb(frame->skb);
	frame->skb = NULL;
	at->kept_first++;
	at->kept_count--;
	xsk_tx_completed(at->xs->pool, 1);
}

/* As the stock path: one frame is lost for each kick without a link. 1: the one
 * in line was no frame. */
static int lose_one(struct attachment *at)
{
	bool frame = at->kept[at->kept_first].len != 0;

	drop_first(at);
	if (!frame)
		return 1;
	dev_core_stats_tx_dropped_inc(at->xs->dev);
	at->stats.dropped_link++;
	return -EBUSY;
}

/*
 * One batch, BH off. 1: go on; 0: the ring is empty; else what the kick answers.
 * A socket that is not alone any more goes back to the stock path for good:
 * nothing is kept, so there is no debt.
 */
static int one_batch(struct attachment *at, u32 wanted)
{
	struct net_device *dev = at->xs->dev;
	bool link = netif_running(dev) && netif_carrier_ok(dev);
	struct outcome out;
	u32 n;

	if (!at->kept_count) {
		n = take(at, likely(link) ? wanted : 1);
		if (unlikely(n == NOT_ALONE)) {
			at->stats.assertions++;
			give_back(at);
			return -EAGAIN;
		}
		if (!n)
			return 0;
	}
	if (unlikely(!link))
		return lose_one(at);
	build_kept(at);
	out = dxmit_direct_xmit(at);
	if (unlikely(out.dropped))
		return -EBUSY;
	if (unlikely(at->kept_count))
		return at->kept[at->kept_first].skb ? -EAGAIN : -ENOBUFS;
	return 1;
}

int direct_kick(struct attachment *at)
{
	u32 left = at->budget;
	int ret = 1;

	at->stats.kicks++;
	if (unlikely(at->queue_id >= at->xs->dev->real_num_tx_queues))
		return 0;       /* as the stock path: nothing, and no error */
	while (ret == 1 && left) {
		u32 batch = min(at->batch, left);

		local_bh_disable();
		ret = one_batch(at, batch);
		local_bh_enable();
		left -= batch;
		cond_resched();
	}
	return ret == 1 ? -EAGAIN : ret;
}

void direct_purge(struct attachment *at)
{
	while (at->kept_count) {
		at->stats.dropped_close++;
		drop_first(at);
	}
}

void direct_flush(struct attachment *at)
{
	struct net_device *dev = at->xs->dev;

	if (at->kept_count && netif_running(dev) && netif_carrier_ok(dev) &&
	    at->queue_id < dev->real_num_tx_queues) {
		local_bh_disable();
		build_kept(at);
		dxmit_direct_xmit(at);
		local_bh_enable();
	}
	direct_purge(at);
}
