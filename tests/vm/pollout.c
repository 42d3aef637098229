/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Fills a transmit ring and waits in poll(POLLOUT) without a time limit, again
 * and again: it must always wake.
 *
 *	pollout INTERFACE [WORD …]
 *
 * Words: stock (do not attach), ring=N, budget=N (of the attachment), turns=N,
 * kept (first fill the device until it takes no more: frames are kept). It only
 * kicks through poll. Prints one line KEY=VALUE …; `woken` are the turns that
 * ended with POLLOUT, `max_ms` the longest of them. An alarm ends a poll that
 * never does, after 10 s.
 * Exit: 0, 1 when a poll did not wake, 2 usage.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <net/if.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include <dxmit/queue.h>

#include "dxmit_ioctl.h"
#include "filled_queue.h"

#define ALARM_SECONDS 10

struct waiter {
	struct dxmit_queue *q;
	struct dxmit_ioc_attach attach;
	int device, fd;
	bool stock, kept;
	uint32_t ring, turns;
};

static void on_alarm(int number)
{
	(void)number;
}

static uint64_t now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000u + (uint64_t)now.tv_nsec / 1000000u;
}

static bool parse(struct waiter *w, const char *word)
{
	const char *value = strchr(word, '=');
	uint32_t n = value ? (uint32_t)strtoul(value + 1, NULL, 10) : 0;

	if (strcmp(word, "stock") == 0)
		w->stock = true;
	else if (strcmp(word, "kept") == 0)
		w->kept = true;
	else if (strncmp(word, "ring=", 5) == 0)
		w->ring = n;
	else if (strncmp(word, "budget=", 7) == 0)
		w->attach.budget = n;
	else if (strncmp(word, "turns=", 6) == 0)
		w->turns = n;
	else
		return false;
	return true;
}

static int open_all(struct waiter *w, const char *interface)
{
	struct dxmit_queue_options options = {
		.size = sizeof(options),
		.ifindex = (int)if_nametoindex(interface),
		.ring_size = w->ring,
		.budget = DXMIT_KERNEL_BUDGET,
	};

	if (open_filled(&options, 60, &w->q, &w->fd, NULL))
		return -EIO;
	if (w->stock)
		return 0;
	w->device = open(DXMIT_DEVICE, O_RDWR | O_CLOEXEC);
	w->attach.fd = w->fd;
	return w->device < 0 || ioctl(w->device, DXMIT_IOC_ATTACH, &w->attach) ? -errno
									       : 0;
}

/* Every free frame into the ring; nothing is kicked. */
static bool fill(struct waiter *w)
{
	if (dxmit_reclaim(w->q) < 0)
		return false;
	return dxmit_submit(w->q, dxmit_reserve(w->q, w->ring), 60) == 0;
}

static uint32_t kept(const struct waiter *w)
{
	struct dxmit_ioc_stats stats = { .fd = w->fd };

	return !w->stock && ioctl(w->device, DXMIT_IOC_STATS, &stats) == 0 ? stats.kept
									   : 0;
}

/* Until the device takes no more. */
static void fill_device(struct waiter *w)
{
	uint32_t turn;

	for (turn = 0; turn < 64 && !kept(w) && fill(w); turn++)
		sendto(w->fd, NULL, 0, MSG_DONTWAIT, NULL, 0);
}

/* One full ring. True: woken with POLLOUT; *ms is how long that took. */
static bool wait_once(struct waiter *w, uint64_t *ms)
{
	struct pollfd entry = { .fd = w->fd, .events = POLLOUT };
	uint64_t begin = now_ms();
	int n;

	if (!fill(w))
		return false;
	alarm(ALARM_SECONDS);
	n = poll(&entry, 1, -1);
	alarm(0);
	*ms = now_ms() - begin;
	return n == 1 && (entry.revents & POLLOUT);
}

int main(int argc, char **argv)
{
	struct waiter w = { .device = -1, .ring = 512, .turns = 100 };
	struct sigaction action = { .sa_handler = on_alarm };
	uint64_t ms, longest = 0;
	uint32_t woken = 0;
	int i;

	for (i = 2; i < argc; i++)
		if (!parse(&w, argv[i]))
			argc = 0;
	if (argc < 2) {
		fprintf(stderr, "usage: pollout INTERFACE [WORD …]\n");
		return 2;
	}
	sigaction(SIGALRM, &action, NULL);
	if (open_all(&w, argv[1])) {
		fprintf(stderr, "pollout: cannot start\n");
		return 1;
	}
	if (w.kept)
		fill_device(&w);
	printf("kept=%d ", kept(&w) > 0);
	while (woken < w.turns && wait_once(&w, &ms)) {
		longest = ms > longest ? ms : longest;
		woken++;
	}
	printf("woken=%u max_ms=%" PRIu64 "\n", woken, longest);
	dxmit_queue_close(&w.q);
	return woken == w.turns ? 0 : 1;
}
