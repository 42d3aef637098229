/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Several threads attach and detach the same new socket at once, and sometimes
 * it is closed under them.
 *
 *	attachers INTERFACE ROUNDS THREADS
 *
 * Each round opens a socket, so that the first ATTACH of all is raced for, too.
 * Checks that a socket is attached once at most at any time and is listed once,
 * that the losers are told so, and that the socket sends in the end. Prints one
 * line KEY=VALUE … Exit: 0, 1 when something was wrong, 2 usage.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <net/if.h>
#include <sys/ioctl.h>

#include <dxmit/queue.h>

#include "dxmit_ioctl.h"
#include "filled_queue.h"

#define RING 64u
#define THREADS 8u
#define TRIES 40

static struct dxmit_queue *queue;
static int device, fd;
static pthread_barrier_t together;
/* Changed by all threads. `holders`: those between a success of ATTACH and their
 * DETACH; relaxed, the kernel's own locks order the requests. */
static int holders;
static uint64_t attached, refused, wrong;

static void count(uint64_t *what)
{
	__atomic_fetch_add(what, 1, __ATOMIC_RELAXED);
}

static void complain(const char *what)
{
	count(&wrong);
	fprintf(stderr, "wrong: %s\n", what);
}

static void attach_and_detach(bool may_be_closed)
{
	struct dxmit_ioc_attach attach = { .fd = fd };
	struct dxmit_ioc_which which = { .fd = fd };

	if (ioctl(device, DXMIT_IOC_ATTACH, &attach)) {
		count(&refused);
		if (errno != EALREADY && !(may_be_closed && errno == EBADF))
			complain("ATTACH refused");
		return;
	}
	count(&attached);
	if (__atomic_fetch_add(&holders, 1, __ATOMIC_RELAXED) != 0)
		complain("attached twice");
	__atomic_fetch_sub(&holders, 1, __ATOMIC_RELAXED);
	if (ioctl(device, DXMIT_IOC_DETACH, &which) && !(may_be_closed && errno == EBADF))
		complain("DETACH");
}

static void *attacher(void *arg)
{
	bool may_be_closed = *(const bool *)arg;
	int i;

	pthread_barrier_wait(&together);
	for (i = 0; i < TRIES; i++)
		attach_and_detach(may_be_closed);
	return NULL;
}

static int queue_open(const char *interface)
{
	struct dxmit_queue_options options = {
		.size = sizeof(options),
		.ifindex = (int)if_nametoindex(interface),
		.ring_size = RING,
		.bind_wait_ms = 5000,
	};

	return open_filled(&options, 60, &queue, &fd, NULL);
}

/* A full ring goes out and comes back, attached or not. */
static void must_send(void)
{
	uint64_t target = queue->completed + RING;
	int turn;

	if (dxmit_reserve(queue, RING) != RING || dxmit_submit(queue, RING, 60))
		complain("submit");
	/* The far end of a veth may free them later, and on another CPU. */
	for (turn = 0; turn < 10000 && queue->completed < target; turn++) {
		if (dxmit_kick(queue) < 0 || dxmit_reclaim(queue) < 0)
			break;
		if (queue->completed < target)
			usleep(200);
	}
	if (queue->completed != target)
		complain("completed");
}

static void must_list(uint32_t wanted)
{
	struct dxmit_ioc_list list = { 0 };

	if (ioctl(device, DXMIT_IOC_LIST, &list) || list.count != wanted)
		complain("LIST");
}

static void round_of(unsigned int threads, bool close_early)
{
	struct dxmit_ioc_attach attach = { .fd = fd };
	pthread_t thread[THREADS];
	unsigned int i;

	for (i = 0; i < threads; i++)
		if (pthread_create(&thread[i], NULL, attacher, &close_early))
			exit(1);
	pthread_barrier_wait(&together);
	if (close_early)
		dxmit_queue_close(&queue);
	for (i = 0; i < threads; i++)
		pthread_join(thread[i], NULL);
	must_list(0);
	if (close_early)
		return;
	must_send();
	attach.fd = fd;
	if (ioctl(device, DXMIT_IOC_ATTACH, &attach))
		complain("ATTACH after the race");
	must_list(1);
	must_send();
	dxmit_queue_close(&queue);
	must_list(0);
}

int main(int argc, char **argv)
{
	unsigned int rounds, threads, i;

	if (argc != 4) {
		fprintf(stderr, "usage: attachers INTERFACE ROUNDS THREADS\n");
		return 2;
	}
	rounds = (unsigned int)strtoul(argv[2], NULL, 10);
	threads = (unsigned int)strtoul(argv[3], NULL, 10);
	device = open(DXMIT_DEVICE, O_RDWR | O_CLOEXEC);
	if (device < 0 || threads < 1 || threads > THREADS ||
	    pthread_barrier_init(&together, NULL, threads + 1)) {
		fprintf(stderr, "attachers: cannot start\n");
		return 1;
	}
	for (i = 0; i < rounds; i++) {
		if (queue_open(argv[1])) {
			fprintf(stderr, "attachers: no queue\n");
			return 1;
		}
		round_of(threads, i % 4 == 3);
	}
	printf("wrong=%" PRIu64 " rounds=%u attached=%" PRIu64 " refused=%" PRIu64 "\n",
	       wrong, rounds, attached, refused);
	return wrong ? 1 : 0;
}
