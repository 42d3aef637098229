/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Attaches and detaches a sending socket again and again while a second thread
 * kicks it by sendto, poll and io_uring, and checks that every completion
 * belongs to a frame in flight and that none is lost.
 *
 *	hammer INTERFACE FAR CYCLES FRAMES [bind | bind=QUEUE]
 *
 * FRAMES are sent on each path in each cycle, and a cycle begins when the interface
 * FAR is no more than a thousand frames behind. With `bind` a third thread tries
 * all the time to bind another socket to the same memory pool and queue, or
 * with bind=65535 by the one queue number that is let in during an attachment.
 *
 * Prints one line KEY=VALUE …: `kernel_lost` are frames that were completed and
 * not sent, on either path, so that at the far end arrive submitted -
 * kernel_lost; `demoted` counts attachments that another socket on the pool
 * ended; `uring` is 0 where io_uring is not to be had, else sends and polls done
 * through it; of `binds` tries, `shared` got onto the pool.
 * Exit: 0, 1 when something was wrong, 2 usage.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <net/if.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include <dxmit/frame.h>
#include <dxmit/queue.h>

#include "dxmit_ioctl.h"
#include "far_end.h"
#include "filled_queue.h"
#include "uring.h"

#define RING 256u
#define NO_QUEUE UINT32_MAX
#define SHARED_PAUSE_US 50000
/* Times ATTACH is tried while the other socket happens to be on the pool. */
#define ATTACH_TRIES 10000
#define FAR_END_ROOM 1000u

enum { SEND, POLL };

static struct dxmit_queue *queue;
static const char *interface;
static struct far_end far_end;
static uint32_t bind_queue = NO_QUEUE;
static int fd, device;
static bool in_flight[RING];
static uint64_t false_completions, kernel_lost, demoted, refused;
static uint64_t uring_done;    /* kicker() writes, read once it has ended */
static uint64_t binds, shared; /* binder() */
static bool stop;              /* main writes, the others read; only a flag: relaxed */

static bool stopped(void)
{
	return __atomic_load_n(&stop, __ATOMIC_RELAXED);
}

/* ---- the second thread ---- */

/* One send in this thread, one by a worker thread of the kernel's, and a poll
 * that stays armed until the socket wakes it. */
static void kick_by_uring(struct uring *u, bool *polled)
{
	static const uint8_t flags[] = { 0, IOSQE_ASYNC };
	struct io_uring_cqe done;
	struct io_uring_sqe *sqe;
	unsigned int i;

	for (i = 0; i < 2; i++) {
		sqe = uring_next(u);
		if (!sqe)
			break;
		sqe->opcode = IORING_OP_SEND;
		sqe->fd = fd;
		sqe->flags = flags[i];
		sqe->msg_flags = MSG_DONTWAIT;
		sqe->user_data = SEND;
	}
	sqe = *polled ? NULL : uring_next(u);
	if (sqe) {
		sqe->opcode = IORING_OP_POLL_ADD;
		sqe->fd = fd;
		sqe->poll32_events = POLLOUT;
		sqe->user_data = POLL;
		*polled = true;
	}
	uring_enter(u);
	while (uring_reap(u, &done)) {
		*polled &= done.user_data != POLL;
		uring_done += done.res >= 0 || done.res == -EAGAIN;
	}
}

static void *kicker(void *arg)
{
	struct pollfd entry = { .fd = fd, .events = POLLOUT };
	struct uring u = { 0 };
	bool uring = uring_open(&u) == 0, polled = false;

	while (!stopped()) {
		sendto(fd, NULL, 0, MSG_DONTWAIT, NULL, 0);
		poll(&entry, 1, 0);
		if (uring)
			kick_by_uring(&u, &polled);
	}
	if (uring)
		close(u.fd);
	return arg;
}

/* ---- the third thread ---- */

/* Alternately without rings of its own, as for the same queue, and with. */
static int bind_once(bool rings)
{
	struct sockaddr_xdp address = {
		.sxdp_family = AF_XDP,
		.sxdp_flags = XDP_SHARED_UMEM,
		.sxdp_ifindex = if_nametoindex(interface),
		.sxdp_queue_id = bind_queue,
		.sxdp_shared_umem_fd = (uint32_t)fd,
	};
	int other = socket(AF_XDP, SOCK_RAW | SOCK_CLOEXEC, 0);
	int entries = 16, err;

	if (other < 0)
		return -errno;
	setsockopt(other, SOL_XDP, XDP_TX_RING, &entries, sizeof(entries));
	if (rings) {
		setsockopt(other, SOL_XDP, XDP_UMEM_FILL_RING, &entries, sizeof(entries));
		setsockopt(other, SOL_XDP, XDP_UMEM_COMPLETION_RING, &entries,
			   sizeof(entries));
	}
	err = bind(other, (struct sockaddr *)&address, sizeof(address)) ? -errno : 0;
	if (!err)
		sendto(other, NULL, 0, MSG_DONTWAIT, NULL, 0);
	close(other);
	return err;
}

/* After each success it leaves the pool alone for a while, or ATTACH would hardly
 * ever find it so: closing a bound socket takes longer than binding. */
static void *binder(void *arg)
{
	while (!stopped()) {
		if (bind_once(binds++ % 4 == 3) == 0) {
			shared++;
			usleep(SHARED_PAUSE_US);
		}
		usleep(100);
	}
	return arg;
}

/* ---- the sender ---- */

static int reclaim(void)
{
	int n = dxmit_reclaim(queue);
	int i;

	for (i = 0; i < n; i++) {
		uint64_t addr =
			queue->free_addrs[(queue->free_tail - (uint32_t)n + (uint32_t)i) &
					  queue->free_mask];
		bool *frame = &in_flight[addr / queue->frame_size];

		false_completions += !*frame;
		*frame = false;
	}
	return n;
}

/* `target` frames in all, and wait for them only if told to. */
static int send_until(uint64_t target, bool settle, struct dxmit_stamp *stamp)
{
	int err = 0;

	while (err >= 0 && (queue->submitted < target || (settle && queue->in_flight))) {
		uint64_t left = target - queue->submitted;
		uint32_t n = dxmit_reserve(queue, left < 64 ? (uint32_t)left : 64);
		uint32_t i;

		for (i = 0; i < n; i++, stamp->sequence++) {
			dxmit_stamp_write(dxmit_frame(queue, i), stamp);
			in_flight[dxmit_frame_index(queue, i)] = true;
		}
		dxmit_submit(queue, n, 60);
		err = dxmit_kick(queue);
		if (err >= 0)
			err = reclaim();
	}
	return err < 0 ? err : 0;
}

/* Frames this device dropped, as the stock path counts them. */
static uint64_t device_drops(void)
{
	char path[128], text[32] = "";
	int file;

	snprintf(path, sizeof(path), "/sys/class/net/%s/statistics/tx_dropped",
		 interface);
	file = open(path, O_RDONLY | O_CLOEXEC);
	if (file < 0)
		return 0;
	if (read(file, text, sizeof(text) - 1) < 0)
		text[0] = '\0';
	close(file);
	return strtoull(text, NULL, 10);
}

/* A small budget leaves frames in the ring, where the stock path would find them:
 * after each of our polls it runs, and must be inert. */
static int attach(bool small_budget)
{
	struct dxmit_ioc_attach request = { .fd = fd, .budget = small_budget ? 8 : 0 };
	int tries, err = -EBUSY;

	for (tries = 0; err == -EBUSY && tries < ATTACH_TRIES; tries++) {
		err = ioctl(device, DXMIT_IOC_ATTACH, &request) ? -errno : 0;
		if (request.refusal != DXMIT_REFUSED_SHARED_POOL)
			break;
		refused++;
		usleep(200);
	}
	return err;
}

/* Another socket on the pool may have ended the attachment before. */
static int detach(void)
{
	struct dxmit_ioc_which which = { .fd = fd };
	struct dxmit_ioc_stats stats = { .fd = fd };
	int err = ioctl(device, DXMIT_IOC_DETACH, &which) ? -errno : 0;

	if (ioctl(device, DXMIT_IOC_STATS, &stats))
		return -errno;
	/* What had no link is in the device's counter already. */
	kernel_lost +=
		stats.dropped_driver + stats.dropped_validate + stats.dropped_close;
	if (err == -ENOENT && stats.assertions == 1 && bind_queue != NO_QUEUE) {
		demoted++;
		return 0;
	}
	return err;
}

static int open_all(void)
{
	struct dxmit_queue_options options = {
		.size = sizeof(options),
		.ifindex = (int)if_nametoindex(interface),
		.ring_size = RING,
	};

	device = open(DXMIT_DEVICE, O_RDWR | O_CLOEXEC);
	if (device < 0 || open_filled(&options, 60, &queue, &fd, NULL))
		return -EIO;
	return 0;
}

static int run(unsigned int cycles, uint64_t frames)
{
	struct dxmit_stamp stamp = { 0 };
	unsigned int cycle;
	int err = 0;

	/* No pause between paths: frames are in flight at each change. */
	far_end_start(&far_end);
	for (cycle = 0; cycle < cycles && !err; cycle++) {
		far_end_wait(&far_end, queue->completed, FAR_END_ROOM);
		err = attach(cycle % 2);
		if (!err)
			err = send_until(queue->submitted + frames, false, &stamp);
		if (!err)
			err = detach();
		if (!err)
			err = send_until(queue->submitted + frames, false, &stamp);
	}
	return err ? err : send_until(queue->submitted, true, &stamp);
}

/* With the threads around it. */
static int run_hammered(unsigned int cycles, uint64_t frames)
{
	pthread_t second, third;
	bool binding = bind_queue != NO_QUEUE;
	int err;

	if (pthread_create(&second, NULL, kicker, NULL) ||
	    (binding && pthread_create(&third, NULL, binder, NULL)))
		return -EAGAIN;
	err = run(cycles, frames);
	__atomic_store_n(&stop, true, __ATOMIC_RELAXED);
	pthread_join(second, NULL);
	if (binding)
		pthread_join(third, NULL);
	return err;
}

int main(int argc, char **argv)
{
	uint64_t drops;
	int err;

	if (argc != 5 && (argc != 6 || strncmp(argv[5], "bind", 4) != 0)) {
		fprintf(stderr,
			"usage: hammer INTERFACE FAR CYCLES FRAMES [bind | bind=QUEUE]\n");
		return 2;
	}
	interface = argv[1];
	far_end.interface = argv[2];
	if (argc == 6)
		bind_queue = argv[5][4] ? (uint32_t)strtoul(argv[5] + 5, NULL, 10) : 0;
	if (open_all()) {
		fprintf(stderr, "hammer: cannot start\n");
		return 1;
	}
	drops = device_drops();
	err = run_hammered((unsigned int)atoi(argv[3]), strtoul(argv[4], NULL, 10));
	kernel_lost += device_drops() - drops;
	printf("error=%d submitted=%" PRIu64 " completed=%" PRIu64 " false=%" PRIu64
	       " lost=%" PRIu64 " kernel_lost=%" PRIu64 " uring=%" PRIu64
	       " demoted=%" PRIu64 " refused=%" PRIu64 " binds=%" PRIu64
	       " shared=%" PRIu64 "\n",
	       err, queue->submitted, queue->completed, false_completions, queue->lost,
	       kernel_lost, uring_done, demoted, refused, binds, shared);
	err |= false_completions || queue->submitted != queue->completed;
	dxmit_queue_close(&queue);
	return err ? 1 : 0;
}
