// SPDX-License-Identifier: GPL-2.0-only
/*
 * The direct transmit path: which descriptors are taken, and how their frames
 * get to the driver, without the per-packet validation (frame.c says why).
 *
 * Descriptors are taken many at once, because the kernel's call for that costs
 * about as much for one as for ten. Their skbs are made one ahead of the
 * hand-over: with only two of them alive the allocator gives again what the
 * driver has just freed.
 */
#include <linux/etherdevice.h>
#include <linux/if_xdp.h>

#include "compat.h"
#include "internal.h"

#define NOT_ALONE U32_MAX
#define RING_EMPTY 1

/* The i-th frame whose completion is owed. */
static struct xdp_desc *kept(struct attachment *at, u32 i)
{
	return &at->xs->pool->tx_descs[at->kept_first + i];
}

/* Give the i-th kept frame its skb. Tells whether it has one. */
static bool build_kept(struct attachment *at, u32 i)
{
	if (!at->skb[i] && likely(kept(at, i)->len))
		at->skb[i] = frame_build(at, kept(at, i));
	return at->skb[i];
}

/* The first kept frame is done with: its completion is due. */
static void pass_first(struct attachment *at)
{
	at->skb[0] = at->skb[1];
	at->skb[1] = NULL;
	at->kept_first++;
	at->kept_count--;
}

/*
 * One skb to the driver: 0, it has it; -EAGAIN, it does not want it now; -EBUSY,
 * it dropped it.
 */
static int hand_over(struct attachment *at, struct netdev_queue *txq, bool more)
{
	unsigned int len = kept(at, 0)->len;
	int ret = NETDEV_TX_BUSY;

	if (likely(!netif_xmit_frozen_or_drv_stopped(txq)))
		ret = netdev_start_xmit(at->skb[0], at->xs->dev, txq, more);
	if (unlikely(!dev_xmit_complete(ret)))
		return -EAGAIN;
	/* Congestion may have sent it; else only OK has. */
	if (unlikely(ret != NETDEV_TX_OK && ret != NET_XMIT_CN)) {
		at->stats.dropped_driver++;
		return -EBUSY;
	}
	at->stats.packets++;
	at->stats.bytes += len;
	return 0;
}

/*
 * Under the transmit lock, BH off: hand over up to `batch` kept frames, in order,
 * until the driver will not take one, or has dropped one: each EBUSY stands for
 * exactly one loss, as on the stock path. The first has its skb, or could have
 * none. `more`, with which the driver may put off its doorbell, is said only when
 * the next skb exists and follows in this same section. A frame with no length is
 * not sent, only completed in its turn.
 */
static int hand_over_batch(struct attachment *at, struct netdev_queue *txq)
{
	u32 left = min(at->batch, at->kept_count);
	int ret = 0;

	for (; left && ret == 0; left--) {
		if (likely(at->skb[0])) {
			ret = hand_over(at, txq, left > 1 && build_kept(at, 1));
			if (ret == -EAGAIN)
				break;
		} else if (kept(at, 0)->len) {
			at->stats.no_skb++;
			return -ENOBUFS;
		} else if (left > 1) {
			build_kept(at, 1);
		}
		pass_first(at);
	}
	return ret;
}

/*
 * One transmit lock for a batch of what is kept, BH off. Completes what the driver
 * took, and says what became of the rest: 0, or what the kick answers. The
 * kernel's __dev_direct_xmit() (net/core/dev.c; 6.1, 6.12 and 7.3 agree) does for
 * each packet, and here:
 *
 *	netif_running, netif_carrier_ok   kept, for each batch: one_round()
 *	validate_xmit_skb_list            skipped: what makes it change nothing is
 *	                                  settled once per socket, at ATTACH
 *	skb_set_queue_mapping             kept: frame_build()
 *	skb_get_tx_queue                  once per batch; its range check on
 *	                                  every kick: direct_kick()
 *	local_bh_disable/enable           kept, for each round: direct_kick()
 *	dev_xmit_recursion_inc/dec        kept, for each batch
 *	HARD_TX_LOCK/UNLOCK               kept, for each batch
 *	netif_xmit_frozen_or_drv_stopped  kept, for each packet: hand_over()
 *	netdev_start_xmit                 kept, with xmit-more inside a batch
 *	NETDEV_TX_BUSY                    the frame stays first in line; the stock
 *	                                  path throws its skb away and builds it
 *	                                  again
 *	drop: tx_dropped, kfree_skb       kept, one frame for each kick: lose_one()
 *
 * The first skb is built before the lock is taken, the others while it is held.
 * That lengthens the wait of others who send on the same queue, which a socket
 * that owns its queue has none of, to a batch times the cost of one frame.
 */
static int dxmit_direct_xmit(struct attachment *at)
{
	struct net_device *dev = at->xs->dev;
	struct netdev_queue *txq = netdev_get_tx_queue(dev, at->queue_id);
	u32 before = at->kept_count;
	int ret;

	build_kept(at, 0);
	dev_xmit_recursion_inc();
	HARD_TX_LOCK(dev, txq, smp_processor_id());
	ret = hand_over_batch(at, txq);
	HARD_TX_UNLOCK(dev, txq);
	dev_xmit_recursion_dec();
	if (likely(at->kept_count != before))
		xsk_tx_completed(at->xs->pool, before - at->kept_count);
	return ret;
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

/*
 * Take up to `wanted` descriptors: how many, or NOT_ALONE. Nothing is kept when
 * this is called. They stay in pool->tx_descs, which only the call above writes;
 * those that are no frame lose their length.
 */
static u32 take(struct attachment *at, u32 wanted)
{
	struct xdp_desc *desc = at->xs->pool->tx_descs;
	u32 n = peek_alone(at, wanted);
	u32 i;

	if (unlikely(n == NOT_ALONE))
		return n;
	for (i = 0; i < n; i++, desc++) {
		bool part = at->in_chain || desc->options;

		/* 7.3 gives us the descriptors of a chain one by one. */
		at->in_chain = desc->options & DXMIT_PKT_CONTD;
		if (unlikely(part || desc->len < ETH_HLEN)) {
			desc->len = 0;
			at->stats.invalid++;
		}
	}
	at->kept_first = 0;
	at->kept_count = n;
	return n;
}

/* The first kept frame will not be sent: free and complete it. */
static void drop_first(struct attachment *at)
{
	kfree_skb(at->skb[0]);
	pass_first(at);
	xsk_tx_completed(at->xs->pool, 1);
}

/* As the stock path: one frame is lost for each kick without a link. 0: the one
 * in line was no frame. */
static int lose_one(struct attachment *at)
{
	bool frame = kept(at, 0)->len != 0;

	drop_first(at);
	if (!frame)
		return 0;
	dev_core_stats_tx_dropped_inc(at->xs->dev);
	at->stats.dropped_link++;
	return -EBUSY;
}

static bool has_link(const struct net_device *dev)
{
	return likely(netif_running(dev) && netif_carrier_ok(dev));
}

/*
 * Send what is kept. If nothing is, take up to `wanted` descriptors first. BH off.
 * 0: go on; RING_EMPTY; else what the kick answers. A socket that is not alone any
 * more goes back to the stock path for good: nothing is kept, so there is no debt.
 */
static int one_round(struct attachment *at, u32 wanted)
{
	struct net_device *dev = at->xs->dev;
	int ret = 0;

	if (!at->kept_count) {
		u32 n;

		if (unlikely(at->draining))
			return -EAGAIN;
		n = take(at, has_link(dev) ? wanted : 1);
		if (unlikely(n == NOT_ALONE)) {
			at->stats.assertions++;
			give_back(at);
			return -EAGAIN;
		}
		if (!n)
			return RING_EMPTY;
	}
	while (at->kept_count && ret == 0)
		ret = has_link(dev) ? dxmit_direct_xmit(at) : lose_one(at);
	at->stats.kept_total += at->kept_count;
	return ret;
}

int direct_kick(struct attachment *at)
{
	u32 left = at->budget;
	int ret = 0;

	at->stats.kicks++;
	if (unlikely(at->queue_id >= at->xs->dev->real_num_tx_queues))
		return 0;       /* as the stock path: nothing, and no error */
	while (ret == 0 && left) {
		u32 wanted = min(at->take, left);

		local_bh_disable();
		ret = one_round(at, wanted);
		local_bh_enable();
		left -= wanted;
		cond_resched();
	}
	if (ret == RING_EMPTY)
		return 0;
	return ret ? ret : -EAGAIN;
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
	int ret = 0;

	local_bh_disable();
	while (at->kept_count && ret == 0 && has_link(dev) &&
	       at->queue_id < dev->real_num_tx_queues)
		ret = dxmit_direct_xmit(at);
	local_bh_enable();
}
