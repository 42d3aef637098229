/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The ways a sender can enter the kernel to have an AF_XDP ring transmitted:
 * sendto, poll with many entries, and io_uring where liburing is present.
 */
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/socket.h>
#ifdef BENCH_HAVE_LIBURING
#include <liburing.h>
#endif

#include "kick_method.h"

const char *const kick_method_names[METHOD_COUNT] = {
	[METHOD_SENDTO] = "sendto",
	[METHOD_POLL] = "poll",
	[METHOD_POLL_CAPPED] = "poll30",
	[METHOD_URING] = "uring",
};

struct kicker {
	enum kick_method method;
	int fd;
	uint32_t budget;
	uint32_t entries;
	struct pollfd *poll;
#ifdef BENCH_HAVE_LIBURING
	struct io_uring uring;
#endif
};

static int harmless(int error)
{
	return error == 0 || error == EAGAIN || error == EBUSY || error == ENOBUFS;
}

#ifdef BENCH_HAVE_LIBURING
static int uring_open(struct kicker *k)
{
	struct io_uring_params params = {
		.flags = IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_COOP_TASKRUN,
	};
	int err = io_uring_queue_init_params(k->entries, &k->uring, &params);

	if (err < 0)
		return err;
	return io_uring_register_files(&k->uring, &k->fd, 1);
}

/*
 * MSG_DONTWAIT is what keeps io_uring from arming a poll and trying again
 * later: each entry drives one budget and completes with EAGAIN.
 */
static int uring_kick(struct kicker *k, uint32_t n)
{
	struct io_uring_cqe *cqe;
	unsigned int head, seen = 0;
	uint32_t i;
	int err;

	for (i = 0; i < n; i++) {
		struct io_uring_sqe *sqe = io_uring_get_sqe(&k->uring);

		io_uring_prep_send(sqe, 0, NULL, 0, MSG_DONTWAIT);
		sqe->flags |= IOSQE_FIXED_FILE;
	}
	err = io_uring_submit_and_wait(&k->uring, n);
	if (err < 0)
		return err;
	err = 0;
	io_uring_for_each_cqe(&k->uring, head, cqe)
	{
		if (cqe->res < 0 && !harmless(-cqe->res))
			err = cqe->res;
		seen++;
	}
	io_uring_cq_advance(&k->uring, seen);
	return err;
}
#endif

static int poll_open(struct kicker *k)
{
	uint32_t i;

	k->poll = calloc(k->entries, sizeof(*k->poll));
	if (!k->poll)
		return -ENOMEM;
	for (i = 0; i < k->entries; i++)
		k->poll[i].fd = k->fd;
	return 0;
}

struct kicker *kicker_open(enum kick_method method, int fd, uint32_t budget,
			   uint32_t ring)
{
	struct kicker *k = calloc(1, sizeof(*k));
	int err = 0;

	if (!k)
		return NULL;
	k->method = method;
	k->fd = fd;
	k->budget = budget;
	k->entries = (ring + budget - 1) / budget;
	if (method == METHOD_POLL_CAPPED && k->entries > POLL_STACK_ENTRIES)
		k->entries = POLL_STACK_ENTRIES;
	if (method == METHOD_POLL || method == METHOD_POLL_CAPPED)
		err = poll_open(k);
#ifdef BENCH_HAVE_LIBURING
	else if (method == METHOD_URING)
		err = uring_open(k);
#else
	else if (method == METHOD_URING)
		err = -ENOSYS;
#endif
	if (err) {
		free(k);
		errno = -err;
		return NULL;
	}
	return k;
}

void kicker_close(struct kicker *k)
{
	if (!k)
		return;
#ifdef BENCH_HAVE_LIBURING
	if (k->method == METHOD_URING)
		io_uring_queue_exit(&k->uring);
#endif
	free(k->poll);
	free(k);
}

int kicker_kick(struct kicker *k, uint32_t pending)
{
	uint32_t n = (pending + k->budget - 1) / k->budget;
	ssize_t ret;

	if (n > k->entries)
		n = k->entries;
	if (n == 0)
		return 0;
	switch (k->method) {
	case METHOD_SENDTO:
		ret = sendto(k->fd, NULL, 0, MSG_DONTWAIT, NULL, 0);
		break;
	case METHOD_POLL:
	case METHOD_POLL_CAPPED:
		ret = poll(k->poll, n, 0);
		break;
#ifdef BENCH_HAVE_LIBURING
	case METHOD_URING:
		return uring_kick(k, n);
#endif
	default:
		return -ENOSYS;
	}
	return ret < 0 && !harmless(errno) ? -errno : 0;
}
