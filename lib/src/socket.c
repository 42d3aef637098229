/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The AF_XDP socket: registration of the frame memory, rings, bind, budget and
 * send buffer. libxdp makes socket and rings; this file tells its failures
 * apart and sets what it does not know.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "queue_private.h"

/* include/uapi/linux/if_xdp.h, Linux 6.17 */
#ifndef XDP_MAX_TX_SKB_BUDGET
#define XDP_MAX_TX_SKB_BUDGET 9
#endif

/* include/uapi/linux/if_xdp.h, Linux 6.6 */
#ifndef XDP_USE_SG
#define XDP_USE_SG (1 << 4)
#endif

#define FRAGMENT_BYTES 4096

static uint32_t segments(const struct dxmit_queue_private *p)
{
	return segments_of(p->options.max_length, p->options.frame_size);
}

/* A failed creation does not say which call failed; only socket() itself
 * makes a descriptor and needs a privilege, so ask once more for one. */
static enum dxmit_stage failed_stage(int err)
{
	int fd;

	if (err == -EMFILE || err == -ENFILE)
		return DXMIT_STAGE_SOCKET;
	fd = socket(AF_XDP, SOCK_RAW | SOCK_CLOEXEC, 0);

	if (fd < 0)
		return DXMIT_STAGE_SOCKET;
	close(fd);
	return DXMIT_STAGE_UMEM;
}

bool dxmit_socket_wait(struct dxmit_queue_private *p)
{
	const struct timespec pause = { .tv_nsec = 1000000 };

	if (dxmit_monotonic_ns() >= p->wait_end_ns)
		return false;
	nanosleep(&pause, NULL);
	return true;
}

/* The locked memory of all of a user's sockets counts together. */
int dxmit_socket_register_umem(struct dxmit_queue_private *p, struct dxmit_error *error)
{
	const struct xsk_umem_config config = {
		.fill_size = 1, /* required by the kernel, unused */
		.comp_size = p->options.completion_size,
		.frame_size = p->options.frame_size,
	};
	struct rlimit limit = { 0 };
	int err;

	getrlimit(RLIMIT_MEMLOCK, &limit);
	do {
		err = xsk_umem__create(&p->umem, p->memory.area, p->memory.used_bytes,
				       &p->fill, &p->completion, &config);
	} while (err == -ENOBUFS && p->memory.used_bytes <= limit.rlim_cur &&
		 dxmit_socket_wait(p));
	if (err < 0) {
		enum dxmit_stage stage = failed_stage(err);

		p->umem = NULL;
		return dxmit_error_set(error, stage, -err,
				       stage == DXMIT_STAGE_SOCKET ? "AF_XDP socket"
								   : "frame memory",
				       p->memory.used_bytes, limit.rlim_cur, 0);
	}
	p->fd = xsk_umem__fd(p->umem);
	/* A forked child holding the socket would keep the queue busy. */
	fcntl(p->fd, F_SETFD, FD_CLOEXEC);
	return 0;
}

static int bind_once(struct dxmit_queue_private *p, const char *ifname)
{
	const bool zerocopy = p->options.mode == DXMIT_MODE_ZEROCOPY;
	const struct xsk_socket_config config = {
		.tx_size = p->options.ring_size,
		.libxdp_flags = XSK_LIBXDP_FLAGS__INHIBIT_PROG_LOAD,
		/* Need-wakeup lets poll() transmit in copy mode. */
		.bind_flags = (zerocopy ? XDP_ZEROCOPY : XDP_COPY) | XDP_USE_NEED_WAKEUP |
			      (segments(p) > 1 ? XDP_USE_SG : 0),
	};
	int err = xsk_socket__create(&p->xsk, ifname, p->options.queue, p->umem, NULL,
				     &p->tx, &config);

	if (err < 0)
		p->xsk = NULL;
	/* glibc's if_nametoindex(), called in there, names a socket that it cannot
	 * open ENOENT; an interface that does not exist is ENODEV. */
	return err == -ENOENT ? -EMFILE : err;
}

/*
 * EBUSY is retried until the stated wait is over. Some zero-copy drivers bind
 * only with a program attached: EINVAL gets one more try with ours.
 */
int dxmit_socket_bind(struct dxmit_queue_private *p, const char *ifname,
		      struct dxmit_error *error)
{
	bool zerocopy = p->options.mode == DXMIT_MODE_ZEROCOPY;
	int err = bind_once(p, ifname);

	while (err == -EBUSY && dxmit_socket_wait(p)) {
		p->info.bind_retries++;
		err = bind_once(p, ifname);
	}
	if (err == -EINVAL && zerocopy && dxmit_zerocopy_attach(p, ifname, NULL) == 0)
		err = bind_once(p, ifname);
	if (err == 0)
		return 0;
	if (zerocopy && (err == -EOPNOTSUPP || err == -EINVAL))
		return dxmit_error_set(error, DXMIT_STAGE_MODE, -err, ifname,
				       p->options.queue, 0, 0);
	/* Everything else that bind() calls invalid was checked before. */
	if (err == -EINVAL && segments(p) > 1)
		return dxmit_error_set(error, DXMIT_STAGE_SEGMENTS, EOPNOTSUPP, ifname,
				       p->options.max_length, p->options.frame_size, 0);
	if (err == -ENOMEM)
		return dxmit_error_set(error, DXMIT_STAGE_RING, ENOMEM, ifname,
				       p->options.ring_size, 0, 0);
	return dxmit_error_set(error, DXMIT_STAGE_BIND, -err, ifname, p->options.queue,
			       p->options.bind_wait_ms, 0);
}

/* Budget: what the kernel accepted is what we have; it cannot be read back. */
static int set_budget(struct dxmit_queue_private *p, struct dxmit_error *error)
{
	uint32_t ring = p->options.ring_size;
	uint32_t budget = p->options.budget ? p->options.budget : ring;

	p->info.budget = DXMIT_KERNEL_BUDGET;
	if (budget < DXMIT_KERNEL_BUDGET)
		budget = DXMIT_KERNEL_BUDGET;
	if (ring < DXMIT_KERNEL_BUDGET)
		return 0; /* the kernel refuses any; the ring is the limit */
	if (setsockopt(p->fd, SOL_XDP, XDP_MAX_TX_SKB_BUDGET, &budget, sizeof(budget)) ==
	    0) {
		p->info.budget = budget;
		p->info.budget_settable = 1;
		return 0;
	}
	/* The module has a budget of its own. */
	if (p->options.budget > DXMIT_KERNEL_BUDGET && p->direct_fd < 0)
		return dxmit_error_set(error, DXMIT_STAGE_OPTIONS, EOPNOTSUPP, "budget",
				       p->options.budget, DXMIT_KERNEL_BUDGET, 0);
	return 0;
}

static uint64_t read_sndbuf(int fd)
{
	int value = 0;
	socklen_t len = sizeof(value);

	if (getsockopt(fd, SOL_SOCKET, SO_SNDBUF, &value, &len) < 0 || value < 0)
		return 0;
	return (uint64_t)value;
}

/* What a descriptor charges: a chunk, but each of several has a page to itself
 * (xsk_build_skb() in net/xdp/xsk.c). */
static uint64_t charge_bytes(const struct dxmit_queue_private *p)
{
	uint32_t chunk = p->options.frame_size;

	if (segments(p) > 1 && chunk < FRAGMENT_BYTES)
		chunk = FRAGMENT_BYTES;
	return chunk + DXMIT_SKB_OVERHEAD_BYTES;
}

/*
 * Send buffer: room for every frame of the ring. The kernel doubles what it is
 * given (socket(7)), so half is asked. Forcing needs CAP_NET_ADMIN; without it
 * the value is clamped to net.core.wmem_max, which the read-back shows.
 */
static void set_sndbuf(struct dxmit_queue_private *p)
{
	uint64_t per_descriptor = charge_bytes(p);
	uint64_t wanted = p->options.sndbuf;
	int half;

	if (!wanted) {
		uint64_t now = read_sndbuf(p->fd);

		wanted = per_descriptor * p->options.ring_size;
		if (wanted > INT_MAX)
			wanted = INT_MAX;
		if (wanted < now)
			wanted = now;
	}
	half = (int)(wanted / 2);
	if (setsockopt(p->fd, SOL_SOCKET, SO_SNDBUFFORCE, &half, sizeof(half)) < 0)
		(void)setsockopt(p->fd, SOL_SOCKET, SO_SNDBUF, &half, sizeof(half));
	p->info.sndbuf = read_sndbuf(p->fd);
	p->info.sndbuf_wanted = (uint64_t)half * 2;
	p->info.sndbuf_frames =
		(uint32_t)(p->info.sndbuf / (per_descriptor * segments(p)));
}

int dxmit_socket_set_limits(struct dxmit_queue_private *p, struct dxmit_error *error)
{
	if (p->options.mode == DXMIT_MODE_ZEROCOPY) {
		p->info.budget = p->options.ring_size; /* the driver's own */
		return 0;
	}
	set_sndbuf(p);
	return set_budget(p, error);
}

int dxmit_socket_read_mode(struct dxmit_queue_private *p, struct dxmit_error *error)
{
	struct xdp_options options = { 0 };
	socklen_t len = sizeof(options);

	if (getsockopt(p->fd, SOL_XDP, XDP_OPTIONS, &options, &len) < 0)
		return dxmit_error_set(error, DXMIT_STAGE_MODE, errno, "socket",
				       p->options.queue, 0, 1);
	p->info.mode = options.flags & XDP_OPTIONS_ZEROCOPY ? DXMIT_MODE_ZEROCOPY
							    : DXMIT_MODE_COPY;
	if (p->info.mode != p->options.mode)
		return dxmit_error_set(error, DXMIT_STAGE_MODE, EOPNOTSUPP, "socket",
				       p->options.queue, 0, 0);
	return 0;
}
