/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Sends on the direct path while the kernel's fault injection lets one memory
 * allocation after another fail, in ATTACH, LIST and STATS too.
 *
 *	fail_alloc INTERFACE COUNT
 *
 * The kernel needs FAULT_INJECTION, FAILSLAB and FAIL_PAGE_ALLOC; what may fail
 * is set in debugfs by the caller. Before each system call the Nth allocation of
 * this thread is told to fail, N going round. Prints lines KEY=VALUE: `injected`
 * are kicks in which one did, `enobufs` those that said so, `kept` those after
 * which frames were kept uncompleted, `odd` answers no failed allocation
 * explains. Exit: 0, 1 when something was wrong, 2 usage, 77 no fault injection.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
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
#include "filled_queue.h"

#define RING 256u
#define AT_ONCE 64u
/* Allocations a kick of 64 frames makes are fewer. */
#define NTH_MAX 8u
#define KICKS_WITHOUT_PROGRESS 100000u

static struct dxmit_queue *queue;
static int fd, device, nth_file;
static uint64_t injected, enobufs, kept, odd;

/* The nth allocation from here on fails. */
static void arm(unsigned int nth)
{
	char text[16];
	int n = snprintf(text, sizeof(text), "%u", nth);

	odd += pwrite(nth_file, text, (size_t)n, 0) != n;
}

/* Did it come to that? The kernel counts down to 0. */
static bool disarm(void)
{
	char text[16] = "";
	ssize_t n = pread(nth_file, text, sizeof(text) - 1, 0);

	arm(0);
	return n > 0 && atoi(text) == 0;
}

/* With the first, then the second allocation failing and so on, until there are
 * no more of them: how many there were that made it fail. */
static unsigned int fail_each(unsigned long command, void *argument)
{
	unsigned int nth, failed = 0;
	bool reached = true;

	for (nth = 1; reached; nth++) {
		int err;

		arm(nth);
		err = ioctl(device, command, argument) ? errno : 0;
		reached = disarm();
		if (err) {
			odd += err != ENOMEM || !reached;
			failed++;
		} else if (reached && command == DXMIT_IOC_ATTACH) {
			struct dxmit_ioc_which which = { .fd = fd };

			odd += ioctl(device, DXMIT_IOC_DETACH, &which) != 0;
		}
	}
	return failed;
}

static struct dxmit_ioc_stats stats_now(void)
{
	struct dxmit_ioc_stats stats = { .fd = fd };

	odd += ioctl(device, DXMIT_IOC_STATS, &stats) != 0;
	return stats;
}

/* The library would not kick a ring that is empty, and here frames can wait
 * behind it. */
static void kick(unsigned int nth)
{
	int err;

	arm(nth);
	err = sendto(fd, NULL, 0, MSG_DONTWAIT, NULL, 0) < 0 ? errno : 0;
	injected += disarm();
	enobufs += err == ENOBUFS;
	odd += err != 0 && err != ENOBUFS && err != EAGAIN;
	if (err == ENOBUFS)
		kept += stats_now().kept > 0;
}

static int send_all(uint64_t count)
{
	struct dxmit_stamp stamp = { 0 };
	unsigned int nth = 0, still = 0;

	while (queue->submitted < count || queue->in_flight) {
		uint64_t left = count - queue->submitted;
		uint32_t n =
			dxmit_reserve(queue, left < AT_ONCE ? (uint32_t)left : AT_ONCE);
		uint32_t i;
		int back;

		for (i = 0; i < n; i++, stamp.sequence++)
			dxmit_stamp_write(dxmit_frame(queue, i), &stamp);
		dxmit_submit(queue, n, 60);
		kick(1 + nth++ % NTH_MAX);
		back = dxmit_reclaim(queue);
		if (back < 0)
			return back;
		still = back ? 0 : still + 1;
		if (still > KICKS_WITHOUT_PROGRESS)
			return -ETIMEDOUT;
	}
	return 0;
}

static int open_all(const char *interface)
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

static void print_result(int err)
{
	struct dxmit_ioc_stats stats = stats_now();

	printf("error=%d\nsubmitted=%" PRIu64 "\ncompleted=%" PRIu64 "\ninjected=%" PRIu64
	       "\nenobufs=%" PRIu64 "\nkept=%" PRIu64 "\nodd=%" PRIu64 "\n",
	       err, queue->submitted, queue->completed, injected, enobufs, kept, odd);
	printf("packets=%" PRIu64 "\nno_skb=%" PRIu64 "\ndropped=%" PRIu64 "\n",
	       (uint64_t)stats.packets, (uint64_t)stats.no_skb,
	       (uint64_t)(stats.dropped_driver + stats.dropped_link +
			  stats.dropped_validate + stats.dropped_close));
}

int main(int argc, char **argv)
{
	struct dxmit_ioc_attach attach = { 0 };
	struct dxmit_ioc_stats stats = { 0 };
	__u64 ids[8];
	struct dxmit_ioc_list list = { .ids = (uintptr_t)ids, .count = 8 };
	int err;

	if (argc != 3) {
		fprintf(stderr, "usage: fail_alloc INTERFACE COUNT\n");
		return 2;
	}
	nth_file = open("/proc/thread-self/fail-nth", O_RDWR | O_CLOEXEC);
	if (nth_file < 0)
		return 77;
	if (open_all(argv[1])) {
		fprintf(stderr, "fail_alloc: cannot start\n");
		return 1;
	}
	attach.fd = stats.fd = fd;
	printf("attach_failed=%u\n", fail_each(DXMIT_IOC_ATTACH, &attach));
	printf("list_failed=%u\n", fail_each(DXMIT_IOC_LIST, &list));
	printf("stats_failed=%u\n", fail_each(DXMIT_IOC_STATS, &stats));
	err = send_all(strtoull(argv[2], NULL, 10));
	print_result(err);
	err |= odd || queue->submitted != queue->completed;
	dxmit_queue_close(&queue);
	return err ? 1 : 0;
}
