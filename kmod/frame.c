// SPDX-License-Identifier: GPL-2.0-only
/*
 * One frame: from its descriptor to an skb that needs no validation.
 *
 * Why skipping is safe. validate_xmit_skb() (7.3) handles unreadable frags,
 * VLAN tags beside the data, TLS sockets, GSO, frag lists, partial checksums
 * and xfrm. The skbs made here are linear, untagged, CHECKSUM_NONE, not GSO, and
 * have neither socket nor secpath: for such it returns the skb unchanged on
 * any device. Sockets that could ask for more (metadata, multi-buffer) are
 * refused at ATTACH, and descriptors with option bits are not sent.
 * DXMIT_ATTACH_VALIDATE and shadow_every prove it on the running machine.
 */
#include "internal.h"

static struct sk_buff *build(struct attachment *at, u64 addr, u32 len)
{
	struct xdp_sock *xs = at->xs;
	struct net_device *dev = xs->dev;
	u32 headroom = max_t(u32, NET_SKB_PAD, L1_CACHE_ALIGN(dev->needed_headroom));
	u32 size = SKB_DATA_ALIGN(headroom + len + dev->needed_tailroom) +
		   SKB_DATA_ALIGN(sizeof(struct skb_shared_info));
	struct sk_buff *skb;
	void *data;

	data = heads_alloc(&at->heads, size);
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

struct sk_buff *frame_build(struct attachment *at, struct xdp_desc *desc)
{
	struct sk_buff *skb = build(at, desc->addr, desc->len);

	if (unlikely(!skb))
		return NULL;
	skb = check(at, skb);
	if (unlikely(!skb)) {
		desc->len = 0;
		dev_core_stats_tx_dropped_inc(at->xs->dev);
		at->stats.dropped_validate++;
	}
	return skb;
}
