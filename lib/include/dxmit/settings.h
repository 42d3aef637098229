/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The settings of a queue: its modes, its sizes with their limits and defaults,
 * and its waits.
 */
#ifndef DXMIT_SETTINGS_H
#define DXMIT_SETTINGS_H

enum dxmit_mode {
	DXMIT_MODE_COPY = 0,     /* default; never attaches an XDP program */
	DXMIT_MODE_ZEROCOPY = 1, /* or an error: never falls back */
};

enum dxmit_huge {
	DXMIT_HUGE_AUTO = 0, /* 2 MiB pages if reserved and the frames fill
				     one, else 4 KiB */
	DXMIT_HUGE_ON = 1,   /* 2 MiB pages or -ENOMEM */
	DXMIT_HUGE_OFF = 2,
};

/** How dxmit_kick() enters the kernel. */
enum dxmit_kick_method {
	DXMIT_KICK_AUTO = 0, /* sendto if the budget covers the ring, and always
				     on the direct path; else poll */
	DXMIT_KICK_SENDTO = 1,
	DXMIT_KICK_POLL = 2, /* one poll() naming the socket many times */
};

/** Whether to ask for the direct path of the kernel module (dxmit.ko). */
enum dxmit_direct {
	DXMIT_DIRECT_OFF = 0, /* default: the kernel's own path */
	DXMIT_DIRECT_AUTO,    /* if it can be had, else the kernel's own path */
	DXMIT_DIRECT_REQUIRE, /* or an error */
};

/** The way a queue's frames take through the kernel. */
enum dxmit_path {
	DXMIT_PATH_KERNEL = 0, /* the kernel's own */
	DXMIT_PATH_DIRECT,     /* that of the module */
};

/** Frames the module takes per lock at most (its header's DXMIT_BATCH_MAX). */
#define DXMIT_DIRECT_MAX_BATCH 64

/** How long the library waits by itself. */
#define DXMIT_STALL_NS 2000000000ull /* no progress for this long: stalled */
#define DXMIT_BIND_WAIT_MS 500       /* default wait for a busy queue */

/** The shortest frame any path accepts: an Ethernet header. */
#define DXMIT_MIN_LENGTH 14

/**
 * Ring size where none is given. Every frame of a ring is read by the kernel
 * once a lap, so a long one falls out of the cache. ns of CPU per frame for
 * 2048 and 512 (Linux 6.18, AMD EPYC with 1 MiB of L2, bench/results/kick.txt):
 * ifb, 60 bytes, 365 and 346; ifb, 1514 bytes, 434 and 372; veth, 1514 bytes,
 * 845 and 767. Shorter rings gain nothing more and hold fewer frames than a NIC
 * may keep until it completes them (512 are 50 us at 10 Mpps).
 */
#define DXMIT_DEFAULT_RING 512

/** Sizes of a queue: bytes of a chunk, descriptors, frames. */
#define DXMIT_DEFAULT_FRAME_SIZE 2048
#define DXMIT_MAX_FRAME_SIZE 4096
#define DXMIT_MAX_RING (1u << 20)
/** Chunks of a frame: MAX_SKB_FRAGS of Linux, where every chunk is one fragment
 * (virtio-net; where the first is copied, one more would be possible). */
#define DXMIT_MAX_SEGMENTS 17
#define DXMIT_MAX_FRAMES (1u << 24)

/**
 * Frames one kick moves where the kernel does not let us choose (TX_BATCH_SIZE
 * in net/xdp/xsk.c, 6.1 to 6.16; the default from 6.17 on).
 */
#define DXMIT_KERNEL_BUDGET 32

/**
 * What a queued frame charges to the send buffer at most, on top of its chunk
 * (which drivers that attach UMEM pages charge whole): sk_buff, shared info and
 * slab rounding. virtio-net was seen to charge about 3 KB for 2048-byte chunks.
 */
#define DXMIT_SKB_OVERHEAD_BYTES 1024

#endif
