/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A scripted kernel behind a fake ring: sendto(), poll() and the clock are
 * wrapped at link time (see ../CMakeLists.txt), so that the library's own
 * objects run unchanged against it.
 */
#ifndef FAKE_KERNEL_H
#define FAKE_KERNEL_H

#include "fake_ring.h"

#include <errno.h>
#include <sys/socket.h>
#include <time.h>

#define FRAME 2048u
#define SECOND 1000000000ull

/* The kernel as one test wants it. */
static struct {
	struct fake f;
	uint32_t budget;
	bool stale;  /* 6.1, 6.12: publish only an empty ring */
	bool keeps;  /* takes frames and does not complete them */
	bool silent; /* answers 0 and does nothing: 6.1, 6.12 with a
					full completion ring */
	int error;   /* the answer, instead of transmitting */
	int kept;    /* the answer while frames are taken and not completed: the
			module's, of a driver that refuses them */
	uint64_t now_ns;
	uint32_t sendtos, polls, clocks;
	nfds_t entries; /* of the last poll() */
} kernel;

/* Visible, since a linker may bind a shared library's references to them. */
#pragma GCC visibility push(default)
ssize_t __wrap_sendto(int fd, const void *buf, size_t len, int flags,
		      const struct sockaddr *to, socklen_t to_len);
int __wrap_poll(struct pollfd *fds, nfds_t n, int timeout);
int __wrap___poll_chk(struct pollfd *fds, nfds_t n, int timeout, size_t room);
int __wrap_clock_gettime(clockid_t clock, struct timespec *now);
#pragma GCC visibility pop

/* __xsk_generic_xmit(): up to a budget, then EAGAIN if more is left. */
static int transmit(void)
{
	struct fake *f = &kernel.f;
	uint32_t n;

	if (kernel.silent)
		return 0;
	if (kernel.error == EBUSY && fake_waiting(f)) {
		fake_take(f);
		fake_complete(f, 0);
	}
	for (n = 0; n < kernel.budget && kernel.error == 0 && fake_waiting(f); n++) {
		fake_take(f);
		if (!kernel.keeps)
			fake_complete(f, 0);
	}
	if (!kernel.stale || fake_waiting(f) == 0)
		fake_publish(f);
	if (kernel.error)
		return kernel.error;
	if (kernel.kept && f->held_count)
		return kernel.kept;
	return fake_waiting(f) ? EAGAIN : 0;
}

ssize_t __wrap_sendto(int fd, const void *buf, size_t len, int flags,
		      const struct sockaddr *to, socklen_t to_len)
{
	assert_int_equal(fd, FAKE_FD);
	assert_true(!buf && !len && flags == MSG_DONTWAIT && !to && !to_len);
	kernel.sendtos++;
	errno = transmit();
	return errno ? -1 : 0;
}

int __wrap_poll(struct pollfd *fds, nfds_t n, int timeout)
{
	nfds_t i;

	assert_int_equal(timeout, 0);
	kernel.polls++;
	kernel.entries = n;
	for (i = 0; i < n; i++) {
		assert_int_equal(fds[i].fd, FAKE_FD);
		assert_int_equal(fds[i].events, POLLOUT);
		(void)transmit(); /* poll hides every error */
	}
	return (int)n;
}

int __wrap___poll_chk(struct pollfd *fds, nfds_t n, int timeout, size_t room)
{
	assert_true(n * sizeof(*fds) <= room);
	return __wrap_poll(fds, n, timeout);
}

int __wrap_clock_gettime(clockid_t clock, struct timespec *now)
{
	assert_int_equal(clock, CLOCK_MONOTONIC);
	kernel.clocks++;
	now->tv_sec = (time_t)(kernel.now_ns / SECOND);
	now->tv_nsec = (long)(kernel.now_ns % SECOND);
	return 0;
}

/* A queue to kick, on a kernel that works. */
static inline struct dxmit_queue *boot(uint32_t ring, enum dxmit_kick_method kick)
{
	const struct fake_shape shape = { ring, ring, ring, FRAME, 0, UINT32_MAX - 20 };
	uint32_t i;

	memset(&kernel, 0, sizeof(kernel));
	fake_open(&kernel.f, shape);
	kernel.budget = DXMIT_KERNEL_BUDGET;
	kernel.now_ns = 5 * SECOND;
	kernel.f.priv.info.kick = kick;
	for (i = 0; i < POLL_ENTRIES; i++)
		kernel.f.priv.poll_entry[i] =
			(struct pollfd){ .fd = FAKE_FD, .events = POLLOUT };
	return &kernel.f.q;
}

static inline void halt(void)
{
	fake_close(&kernel.f);
}

static inline void submit(struct dxmit_queue *q, uint32_t n)
{
	assert_int_equal(dxmit_reserve(q, n), n);
	assert_int_equal(dxmit_submit(q, n, 60), 0);
}

#endif
