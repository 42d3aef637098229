/* SPDX-License-Identifier: GPL-2.0-only */
/* Every difference between the kernels this module builds for. */
#ifndef DXMIT_COMPAT_H
#define DXMIT_COMPAT_H

#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/version.h>
#include <net/xdp_sock.h>
#include <net/xsk_buff_pool.h>

#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 1, 0)
#error dxmit needs Linux 6.1 or newer: older kernels lack the exported calls it uses.
#endif

/* The compiler calls this a note, not a warning. */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(7, 4, 0)
#pragma message "dxmit was tested up to Linux 7.3: run its tests on this kernel first."
#endif

/* XDP_PKT_CONTD of 6.6; older kernels throw away a descriptor that has it. */
#define DXMIT_PKT_CONTD (1u << 0)

/* 6.6: several descriptors a packet. */
static inline bool dxmit_multi_buffer(const struct xdp_sock *xs)
{
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 6, 0)
	return xs->sg;
#else
	return false;
#endif
}

/* 6.6: a packet of several descriptors, half built. */
static inline bool dxmit_half_a_packet(const struct xdp_sock *xs)
{
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 6, 0)
	return READ_ONCE(xs->skb) != NULL;
#else
	return false;
#endif
}

/* 6.8: metadata in front of the frame. */
static inline bool dxmit_tx_metadata(const struct xdp_sock *xs)
{
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 8, 0)
	return xs->pool->tx_metadata_len != 0;
#else
	return false;
#endif
}

/*
 * Descriptors pool->tx_descs has room for: the size of the TX ring. Needed
 * because xsk_tx_peek_release_desc_batch() of 6.1 and 6.12 bounds what it writes
 * there by its argument and by the producer index, which user space can set to
 * anything. The array comes from kvcalloc() and its size is a power of two.
 */
static inline u32 dxmit_descs_room(const struct xsk_buff_pool *pool)
{
#if LINUX_VERSION_CODE >= KERNEL_VERSION(7, 3, 0)
	return pool->tx_descs_nentries;
#else
	if (is_vmalloc_addr(pool->tx_descs))
		return PAGE_SIZE / sizeof(*pool->tx_descs);
	return ksize(pool->tx_descs) / sizeof(*pool->tx_descs);
#endif
}

#endif
