/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Attaches and detaches a sending socket again and again while a second thread
 * calls sendto and poll on it, and checks that every completion belongs to a
 * frame in flight and that none is lost.
 *
 *	hammer INTERFACE CYCLES FRAMES
 *
 * FRAMES are sent on each path in each cycle. Prints one line KEY=VALUE …
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
#include <unistd.h>
#include <net/if.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include <dxmit/frame.h>
#include <dxmit/queue.h>

#include "dxmit_ioctl.h"

#define RING 256u

static struct dxmit_queue *queue;
static int fd, device;
static bool in_flight[RING];
static uint64_t false_completions;
static bool stop; /* main writes, hammer() reads; only a flag: relaxed */

static void *hammer(void *arg)
{
	struct pollfd entry = { .fd = fd, .events = POLLOUT };

	while (!__atomic_load_n(&stop, __ATOMIC_RELAXED)) {
		sendto(fd, NULL, 0, MSG_DONTWAIT, NULL, 0);
		poll(&entry, 1, 0);
	}
	return arg;
}

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

static int open_all(const char *interface)
{
	struct dxmit_queue_options options = {
		.size = sizeof(options),
		.ifindex = (int)if_nametoindex(interface),
		.ring_size = RING,
	};
	struct dxmit_queue_info info = { .size = sizeof(info) };
	struct dxmit_udp_spec udp = { .size = sizeof(udp), .length = 60 };
	uint32_t i;

	device = open(DXMIT_DEVICE, O_RDWR | O_CLOEXEC);
	if (device < 0 || dxmit_queue_open(&options, &queue, NULL))
		return -EIO;
	dxmit_queue_info(queue, &info);
	fd = info.fd;
	for (i = 0; i < RING; i++)
		dxmit_udp_build(&udp, queue->umem + (size_t)i * queue->frame_size, 64);
	return 0;
}

static int run(unsigned int cycles, uint64_t frames)
{
	struct dxmit_stamp stamp = { 0 };
	unsigned int cycle;
	int err = 0;

	/* No pause between paths: frames are in flight at each change. */
	for (cycle = 0; cycle < cycles && !err; cycle++) {
		struct dxmit_ioc_attach attach = { .fd = fd };
		struct dxmit_ioc_which which = { .fd = fd };

		err = ioctl(device, DXMIT_IOC_ATTACH, &attach) ? -errno : 0;
		if (!err)
			err = send_until(queue->submitted + frames, false, &stamp);
		if (!err)
			err = ioctl(device, DXMIT_IOC_DETACH, &which) ? -errno : 0;
		if (!err)
			err = send_until(queue->submitted + frames, false, &stamp);
	}
	return err ? err : send_until(queue->submitted, true, &stamp);
}

int main(int argc, char **argv)
{
	pthread_t thread;
	int err;

	if (argc != 4) {
		fprintf(stderr, "usage: hammer INTERFACE CYCLES FRAMES\n");
		return 2;
	}
	if (open_all(argv[1]) || pthread_create(&thread, NULL, hammer, NULL)) {
		fprintf(stderr, "hammer: cannot start\n");
		return 1;
	}
	err = run((unsigned int)atoi(argv[2]), strtoul(argv[3], NULL, 10));
	__atomic_store_n(&stop, true, __ATOMIC_RELAXED);
	pthread_join(thread, NULL);
	printf("error=%d submitted=%" PRIu64 " completed=%" PRIu64 " false=%" PRIu64
	       " lost=%" PRIu64 "\n",
	       err, queue->submitted, queue->completed, false_completions, queue->lost);
	err |= false_completions || queue->submitted != queue->completed;
	dxmit_queue_close(&queue);
	return err ? 1 : 0;
}
