/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The sockets that fuzz.c attaches and detaches, and the thread that meanwhile
 * sends through them, closes, reopens and shares them.
 */
#ifndef FUZZ_SENDER_H
#define FUZZ_SENDER_H

#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <linux/if_xdp.h>
#include <sys/socket.h>

#include <dxmit/queue.h>

#define SLOTS 8
#define RING 128u
#define LENGTH 60u

/* One queue of the interface. The sending thread has it; the calling one reads
 * fd and share, which may be closed, or be something else, by then: relaxed. */
struct slot {
	struct dxmit_queue *queue;
	bool in_flight[RING];
	int fd, share;
};

static struct slot slots[SLOTS];
static unsigned int slot_count;
static int ifindex;
static bool stop; /* main() writes, the sender reads; only a flag: relaxed */

/* Of the sending thread, until it is joined. */
static uint64_t submitted, completed, false_completions, opened, shared, stalls;
static uint64_t wrong; /* both threads: relaxed */

__attribute__((format(printf, 1, 2))) static void complain(const char *format, ...)
{
	va_list args;

	if (__atomic_fetch_add(&wrong, 1, __ATOMIC_RELAXED) >= 20)
		return;
	va_start(args, format);
	printf("wrong: ");
	vprintf(format, args);
	printf("\n");
	va_end(args);
}

/* xorshift64*: each thread its own. */
static uint64_t next(uint64_t *state)
{
	*state ^= *state >> 12;
	*state ^= *state << 25;
	*state ^= *state >> 27;
	return *state * 2685821657736338717u;
}

static void set_fd(int *where, int fd)
{
	__atomic_store_n(where, fd, __ATOMIC_RELAXED);
}

static int get_fd(const int *where)
{
	return __atomic_load_n(where, __ATOMIC_RELAXED);
}

static void slot_open(struct slot *slot)
{
	struct dxmit_queue_options options = {
		.size = sizeof(options),
		.ifindex = ifindex,
		.queue = (uint32_t)(slot - slots),
		.ring_size = RING,
		.bind_wait_ms = 20, /* a copy of the descriptor may hold it */
	};
	int fd;

	if (open_filled(&options, LENGTH, &slot->queue, &fd, NULL))
		return;
	memset(slot->in_flight, 0, sizeof(slot->in_flight));
	set_fd(&slot->fd, fd);
	opened++;
}

static void slot_unshare(struct slot *slot)
{
	int fd = slot->share;

	set_fd(&slot->share, -1);
	if (fd >= 0)
		close(fd);
}

static void slot_close(struct slot *slot)
{
	slot_unshare(slot);
	set_fd(&slot->fd, -1);
	dxmit_queue_close(&slot->queue);
}

/* A second socket on the same pool: through the queue itself while the socket is
 * on the stock path, through queue 65535 while it is attached. */
static void slot_share(struct slot *slot, bool inert)
{
	struct sockaddr_xdp address = {
		.sxdp_family = AF_XDP,
		.sxdp_flags = XDP_SHARED_UMEM,
		.sxdp_ifindex = (uint32_t)ifindex,
		.sxdp_queue_id = inert ? UINT16_MAX : (uint32_t)(slot - slots),
		.sxdp_shared_umem_fd = (uint32_t)slot->fd,
	};
	int fd = socket(AF_XDP, SOCK_RAW | SOCK_CLOEXEC, 0);
	int entries = 16;

	if (setsockopt(fd, SOL_XDP, XDP_TX_RING, &entries, sizeof(entries)) ||
	    bind(fd, (struct sockaddr *)&address, sizeof(address))) {
		close(fd);
		return;
	}
	set_fd(&slot->share, fd);
	shared++;
}

static void slot_reclaim(struct slot *slot)
{
	struct dxmit_queue *queue = slot->queue;
	int i, n = dxmit_reclaim(queue);

	if (n < 0)
		complain("reclaim answers %d", n);
	for (i = 0; i < n; i++) {
		uint64_t addr =
			queue->free_addrs[(queue->free_tail - (uint32_t)n + (uint32_t)i) &
					  queue->free_mask];
		bool *frame = &slot->in_flight[addr / queue->frame_size];

		false_completions += !*frame;
		*frame = false;
		completed++;
	}
}

static void slot_send(struct slot *slot, uint32_t n)
{
	uint32_t i;
	int err;

	n = dxmit_reserve(slot->queue, n);
	for (i = 0; i < n; i++)
		slot->in_flight[dxmit_frame_index(slot->queue, i)] = true;
	submitted += n;
	dxmit_submit(slot->queue, n, LENGTH);
	err = dxmit_kick(slot->queue);
	if (err == -ETIMEDOUT)
		stalls++;
	else if (err < 0)
		complain("a kick answers %d", err);
	slot_reclaim(slot);
}

static void *sender(void *arg)
{
	uint64_t state = *(const uint64_t *)arg ^ 0x9e3779b97f4a7c15u;

	while (!__atomic_load_n(&stop, __ATOMIC_RELAXED)) {
		uint32_t dice = (uint32_t)(next(&state) >> 32);
		struct slot *slot = &slots[dice % slot_count];

		dice = dice / SLOTS % 1000;
		if (!slot->queue)
			slot_open(slot);
		else if (dice < 8)
			slot_close(slot);
		else if (dice < 100 && slot->share >= 0)
			slot_unshare(slot);
		else if (dice < 28)
			slot_share(slot, dice < 18);
		else
			slot_send(slot, dice % 65);
	}
	return NULL;
}

/* Nothing may be missing once the kernel has been asked for it again and again. */
static uint64_t settle(struct slot *slot)
{
	time_t deadline = time(NULL) + 20;

	if (!slot->queue)
		return 0;
	slot_unshare(slot);
	while (slot->queue->in_flight && time(NULL) < deadline)
		slot_send(slot, 0);
	return slot->queue->in_flight;
}

#endif
