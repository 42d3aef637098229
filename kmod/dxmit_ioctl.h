/* SPDX-License-Identifier: (GPL-2.0-only WITH Linux-syscall-note) OR BSD-2-Clause */
/*
 * The interface of /dev/dxmit: put one AF_XDP socket on the direct transmit
 * path and take it off again. Module and library carry their own version of
 * this file and upgrade independently: structures never change size, reserved
 * members are zero both ways, and unknown flags are refused (EINVAL).
 *
 * Every request answers EFAULT for memory it cannot use and leaves nothing behind;
 * a request this module does not know answers ENOTTY. Requests of all threads
 * may run at once.
 */
#ifndef DXMIT_IOCTL_H
#define DXMIT_IOCTL_H

#include <linux/ioctl.h>
#include <linux/types.h>

#define DXMIT_ABI_VERSION 1
#define DXMIT_DEVICE "/dev/dxmit"

/* Flags of DXMIT_IOC_ATTACH. */
#define DXMIT_ATTACH_VALIDATE (1u << 0)  /* validate every packet, as the stock
					    path does: the honest comparison */
#define DXMIT_ATTACH_FLAGS DXMIT_ATTACH_VALIDATE

#define DXMIT_BATCH_MAX 64
#define DXMIT_BUDGET_MAX 65536
#define DXMIT_BUDGET_DEFAULT 16384

/* Why ATTACH said no, and the errno that goes with it. EINVAL (a member out of
 * range), EBADF, ENOMEM and EINTR come without a reason. */
enum dxmit_refusal {
	DXMIT_REFUSED_NOT = 0,
	DXMIT_REFUSED_NOT_XDP,          /* ENOTSOCK, EPROTOTYPE: not AF_XDP */
	DXMIT_REFUSED_NOT_BOUND,        /* ENXIO; also when its device is gone */
	DXMIT_REFUSED_ZEROCOPY,         /* EOPNOTSUPP, as up to TX_METADATA */
	DXMIT_REFUSED_RX_RING,          /* it has one */
	DXMIT_REFUSED_NO_TX_RING,
	DXMIT_REFUSED_MULTI_BUFFER,
	DXMIT_REFUSED_TX_METADATA,
	DXMIT_REFUSED_SHARED_POOL,      /* EBUSY */
	DXMIT_REFUSED_IN_FLIGHT,        /* EBUSY: stock frames, for 2 s */
	DXMIT_REFUSED_DEVICE,           /* EOPNOTSUPP: not Ethernet or loopback */
	DXMIT_REFUSED_QUEUE,            /* ERANGE: beyond the active TX queues */
	DXMIT_REFUSED_BUSY_POLL,        /* EOPNOTSUPP */
	DXMIT_REFUSED_ATTACHED,         /* EALREADY; or somebody is at it */
	DXMIT_REFUSED_PRIVILEGE,        /* EPERM: CAP_NET_ADMIN over its netns */
};

struct dxmit_ioc_info {
	__u32 abi_version;
	__u32 attach_flags;             /* that this module knows */
	__u32 batch_max;
	__u32 batch_default;
	char version[16];
	__u64 reserved[4];
};

struct dxmit_ioc_attach {
	__s32 fd;                       /* the AF_XDP socket */
	__u32 flags;
	__u32 batch;                    /* frames per lock, 1 … 64; 0: default */
	__u32 budget;                   /* frames per kick, 1 … 65536; 0: 16384 */
	__u32 shadow_every;             /* validate every Nth packet on the side; 0: none */
	__u32 refusal;                  /* out: enum dxmit_refusal; also valid
					   when the request fails */
	__u64 id;                       /* out: never used twice; 0 on error */
	__u64 reserved[2];
};

/*
 * DETACH, as STATS, names an attachment by its socket, or with fd -1 by id. EBADF,
 * ENOTSOCK; ENOENT: no such attachment, for DETACH also one that ended before;
 * EPERM: neither CAP_NET_ADMIN over the socket's network namespace, nor the file
 * that attached.
 */
struct dxmit_ioc_which {
	__s32 fd;
	__u32 flags;                    /* 0 */
	__u64 id;
	__u64 reserved[2];
};

struct dxmit_ioc_stats {
	__s32 fd;                       /* in, as in dxmit_ioc_which */
	__u32 flags;                    /* in: 0 */
	__u64 id;                       /* in and out */
	__u32 active;                   /* 0: detached, forwarding to the stock path */
	__s32 ifindex;
	__u32 queue;
	__u32 kept;                     /* frames kept now */
	__u64 kicks;
	__u64 packets;                  /* handed to the driver */
	__u64 bytes;
	__u64 kept_total;               /* times a frame had to be kept */
	__u64 dropped_driver;           /* NET_XMIT_DROP, or an error of the driver */
	__u64 dropped_link;             /* device not running, or no carrier */
	__u64 dropped_validate;
	__u64 dropped_close;            /* kept, and not sent at the end */
	__u64 invalid;                  /* descriptors completed, but not sent */
	__u64 no_skb;                   /* ENOBUFS answers */
	__u64 validations_skipped;
	__u64 shadow_checks;
	__u64 shadow_mismatches;
	__u64 assertions;               /* failed: sent back to the stock path */
	__u64 reserved[4];
};

/* The active ones over whose network namespace the caller has CAP_NET_ADMIN. */
struct dxmit_ioc_list {
	__u64 ids;                      /* user pointer to __u64[count] */
	__u32 count;                    /* in: room; out: how many there are */
	__u32 flags;                    /* 0 */
	__u64 reserved[2];
};

#define DXMIT_IOC_MAGIC 0xdb
#define DXMIT_IOC_INFO _IOR(DXMIT_IOC_MAGIC, 0, struct dxmit_ioc_info)
#define DXMIT_IOC_ATTACH _IOWR(DXMIT_IOC_MAGIC, 1, struct dxmit_ioc_attach)
#define DXMIT_IOC_DETACH _IOW(DXMIT_IOC_MAGIC, 2, struct dxmit_ioc_which)
#define DXMIT_IOC_STATS _IOWR(DXMIT_IOC_MAGIC, 3, struct dxmit_ioc_stats)
#define DXMIT_IOC_LIST _IOWR(DXMIT_IOC_MAGIC, 4, struct dxmit_ioc_list)

#endif
