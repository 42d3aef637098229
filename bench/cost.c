/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * cost: nanoseconds per 64-byte frame from submit to completion, in blocks, on
 * the stock path or on the kernel module's. Under QEMU's -icount a nanosecond is
 * an instruction: cost.sh runs it so.
 *
 *	cost INTERFACE BLOCKS [stock] [validate] [batch=N]
 *
 * The ring is long and every kick moves all of it, so that the sender's own
 * instructions and the system call's are spread over many frames.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <net/if.h>
#include <sys/ioctl.h>

#include <dxmit/frame.h>
#include <dxmit/queue.h>

#include "dxmit_ioctl.h"
#include "median.h"

#define RING 8192u
#define LENGTH 60u         /* 64 on the wire, less the FCS */
#define BLOCK (RING * 32u) /* frames timed at once: 262,144 */
#define WARM_UP BLOCK      /* descriptors written, caches of the kernel filled */

static int open_queue(const char *interface, struct dxmit_queue **q)
{
	struct dxmit_queue_options options = {
		.size = sizeof(options),
		.ifindex = (int)if_nametoindex(interface),
		.ring_size = RING,
		.fixed_slots = 1,
		.max_length = LENGTH,
	};
	struct dxmit_udp_spec udp = { .size = sizeof(udp), .length = LENGTH };
	struct dxmit_error error;
	char text[256];
	uint32_t i;

	if (dxmit_queue_open(&options, q, &error)) {
		dxmit_error_text(&error, text, sizeof(text));
		fprintf(stderr, "cost: %s\n", text);
		return -1;
	}
	for (i = 0; i < (*q)->frames; i++)
		dxmit_udp_build(&udp, (*q)->umem + (size_t)i * (*q)->frame_size,
				(*q)->frame_size);
	return 0;
}

static int attach(const struct dxmit_queue *q, struct dxmit_ioc_attach *request)
{
	struct dxmit_queue_info info = { .size = sizeof(info) };
	int device = open(DXMIT_DEVICE, O_RDWR | O_CLOEXEC);

	if (device < 0)
		return -errno;
	dxmit_queue_info(q, &info);
	request->fd = info.fd;
	return ioctl(device, DXMIT_IOC_ATTACH, request) ? -errno : 0;
}

static int send_frames(struct dxmit_queue *q, uint64_t count)
{
	uint64_t end = q->submitted + count;
	int err = 0;

	while (err >= 0 && q->completed < end) {
		uint64_t left = end - q->submitted;
		uint32_t n = dxmit_reserve(q, left < RING ? (uint32_t)left : RING);

		dxmit_submit(q, n, LENGTH);
		err = dxmit_kick(q);
		if (err >= 0)
			err = dxmit_reclaim(q);
	}
	return err < 0 || q->lost ? -EIO : 0;
}

static int time_blocks(struct dxmit_queue *q, int blocks)
{
	int err = send_frames(q, WARM_UP);

	while (!err && blocks--) {
		uint64_t begin_ns = bench_clock_ns(CLOCK_MONOTONIC);

		err = send_frames(q, BLOCK);
		printf(" %.1f",
		       (double)(bench_clock_ns(CLOCK_MONOTONIC) - begin_ns) / BLOCK);
	}
	putchar('\n');
	return err;
}

int main(int argc, char **argv)
{
	struct dxmit_ioc_attach request = { 0 };
	struct dxmit_queue *q;
	bool stock = false;
	int i, err;

	if (argc < 3) {
		fputs("usage: cost INTERFACE BLOCKS [stock] [validate] [batch=N]\n",
		      stderr);
		return 2;
	}
	for (i = 3; i < argc; i++) {
		if (strncmp(argv[i], "batch=", 6) == 0)
			request.batch = (uint32_t)strtoul(argv[i] + 6, NULL, 10);
		if (strcmp(argv[i], "validate") == 0)
			request.flags |= DXMIT_ATTACH_VALIDATE;
		stock |= strcmp(argv[i], "stock") == 0;
	}
	if (open_queue(argv[1], &q))
		return 1;
	err = stock ? 0 : attach(q, &request);
	if (!err)
		err = time_blocks(q, (int)strtol(argv[2], NULL, 10));
	dxmit_queue_close(&q);
	if (err)
		fprintf(stderr, "cost: %s\n", strerror(-err));
	return err ? 1 : 0;
}
