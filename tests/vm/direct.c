/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Sends through a queue of libdxmit with the socket put on the direct path of
 * the kernel module: what a program of one's own has to do.
 *
 *	direct INTERFACE COUNT [WORD …]
 *
 * Words: stock (do not attach), late (attach once frames are in flight),
 * validate, shadow=N, batch=N, budget=N, length=N, ring=N, sndbuf=N (bytes),
 * priority=N, mark=N (of the socket), gap_us=N (pause after each kick), poll
 * (kick by poll), plain (no stamps), stay (sleep while still attached), tamper
 * (announce more descriptors than the ring has, once), bad=KIND (every tenth
 * descriptor is bad: short, empty, outside, metadata, chain, unknown).
 * Prints lines KEY=VALUE. Exit: 0, 1 when it could not send, 2 usage.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
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

#define AT_ONCE 512u
#define FAR_END_ROOM 128u

struct sender {
	struct dxmit_queue *q;
	struct dxmit_ioc_attach attach;
	int device, fd;
	bool stock, late, plain, stay, tamper, poll;
	const char *bad;
	struct far_end far_end;
	uint32_t queue, length, ring, gap_us, sndbuf, priority, mark;
	uint64_t count;
};

static bool parse_number(struct sender *s, const char *key, const char *text)
{
	uint32_t n = (uint32_t)strtoul(text, NULL, 10);

	if (strcmp(key, "shadow") == 0)
		s->attach.shadow_every = n;
	else if (strcmp(key, "batch") == 0)
		s->attach.batch = n;
	else if (strcmp(key, "budget") == 0)
		s->attach.budget = n;
	else if (strcmp(key, "length") == 0)
		s->length = n;
	else if (strcmp(key, "queue") == 0)
		s->queue = n;
	else if (strcmp(key, "ring") == 0)
		s->ring = n;
	else if (strcmp(key, "gap_us") == 0)
		s->gap_us = n;
	else if (strcmp(key, "sndbuf") == 0)
		s->sndbuf = n;
	else if (strcmp(key, "priority") == 0)
		s->priority = n;
	else if (strcmp(key, "mark") == 0)
		s->mark = n;
	else
		return false;
	return true;
}

static bool parse(struct sender *s, char *word)
{
	char *value = strchr(word, '=');

	if (value) {
		*value++ = '\0';
		if (strcmp(word, "bad") == 0)
			s->bad = value;
		else if (strcmp(word, "follow") == 0)
			s->far_end.interface = value;
		else
			return parse_number(s, word, value);
	} else if (strcmp(word, "validate") == 0) {
		s->attach.flags |= DXMIT_ATTACH_VALIDATE;
	} else {
		s->stock |= strcmp(word, "stock") == 0;
		s->late |= strcmp(word, "late") == 0;
		s->plain |= strcmp(word, "plain") == 0;
		s->poll |= strcmp(word, "poll") == 0;
		s->stay |= strcmp(word, "stay") == 0;
		s->tamper |= strcmp(word, "tamper") == 0;
	}
	return true;
}

static int attach(struct sender *s)
{
	s->device = open(DXMIT_DEVICE, O_RDWR | O_CLOEXEC);
	if (s->device < 0) {
		perror(DXMIT_DEVICE);
		return -errno;
	}
	s->attach.fd = s->fd;
	if (ioctl(s->device, DXMIT_IOC_ATTACH, &s->attach) == 0)
		return 0;
	printf("attach=%d\nrefusal=%u\n", -errno, s->attach.refusal);
	return -errno;
}

/* 0, as every socket begins, needs no privilege. */
static int label(const struct sender *s)
{
	if (s->priority &&
	    setsockopt(s->fd, SOL_SOCKET, SO_PRIORITY, &s->priority, sizeof(s->priority)))
		return -errno;
	if (s->mark && setsockopt(s->fd, SOL_SOCKET, SO_MARK, &s->mark, sizeof(s->mark)))
		return -errno;
	return 0;
}

static int open_queue(struct sender *s, const char *interface)
{
	struct dxmit_queue_options options = {
		.size = sizeof(options),
		.ifindex = (int)if_nametoindex(interface),
		.queue = s->queue,
		.ring_size = s->ring,
		.sndbuf = s->sndbuf,
		/* Else it is the completion ring that bounds a batch. */
		.completion_size = s->tamper ? 1024 : 0,
		/* poll() does not say that a frame was lost. */
		.kick = s->poll ? DXMIT_KICK_POLL : DXMIT_KICK_SENDTO,
	};
	struct dxmit_error error;
	char text[256];

	if (open_filled(&options, s->length, &s->q, &s->fd, &error)) {
		dxmit_error_text(&error, text, sizeof(text));
		fprintf(stderr, "direct: %s\n", text);
		return -EIO;
	}
	return label(s);
}

/* What the library refuses to write; not kicked yet, so not read yet. */
static void spoil(const struct sender *s, uint32_t position)
{
	struct xdp_desc *desc = &s->q->tx_descs[position & s->q->tx_mask];

	if (strcmp(s->bad, "short") == 0)
		desc->len = 5;
	else if (strcmp(s->bad, "empty") == 0)
		desc->len = 0;
	else if (strcmp(s->bad, "outside") == 0)
		desc->addr = UINT64_C(1) << 40;
	else if (strcmp(s->bad, "metadata") == 0)
		desc->options = 1u << 1; /* XDP_TX_METADATA, Linux 6.8 */
	else if (strcmp(s->bad, "chain") == 0)
		desc->options = 1u << 0; /* XDP_PKT_CONTD, Linux 6.6 */
	else
		desc->options = 1u << 30;
}

static void submit_some(struct sender *s, struct dxmit_stamp *stamp)
{
	uint32_t position = s->q->tx_position;
	uint64_t left = s->count - s->q->submitted;
	uint32_t n = dxmit_reserve(s->q, left < AT_ONCE ? (uint32_t)left : AT_ONCE);
	uint32_t i;

	for (i = 0; i < n; i++, stamp->sequence++)
		if (!s->plain)
			dxmit_stamp_write(dxmit_frame(s->q, i), stamp);
	dxmit_submit(s->q, n, s->length);
	for (i = 0; s->bad && i < n; i++)
		if ((position + i) % 10 == 9)
			spoil(s, position + i);
}

/* Until all came back, or an error: which. */
static int send_all(struct sender *s)
{
	struct dxmit_stamp stamp = { 0 };
	int err = 0;

	far_end_start(&s->far_end);
	while (err >= 0 && (s->q->submitted < s->count || s->q->in_flight)) {
		submit_some(s, &stamp);
		err = dxmit_kick(s->q);
		if (err >= 0)
			err = dxmit_reclaim(s->q);
		if (err >= 0 && s->late && s->device < 0)
			err = attach(s);
		if (s->gap_us)
			usleep(s->gap_us);
		far_end_wait(&s->far_end, s->q->completed, FAR_END_ROOM);
	}
	return err < 0 ? err : 0;
}

/* A producer index from outside the library's control. */
static void announce_too_many(const struct sender *s)
{
	uint32_t producer = __atomic_load_n(s->q->tx_producer, __ATOMIC_RELAXED);
	uint32_t i;

	for (i = 0; i <= s->q->tx_mask; i++)
		s->q->tx_descs[i] = (struct xdp_desc){ .len = 60 };
	__atomic_store_n(s->q->tx_producer, producer + 5000, __ATOMIC_RELEASE);
	printf("tamper=%zd\n", sendto(s->fd, NULL, 0, MSG_DONTWAIT, NULL, 0));
}

/* When the interface goes, sends fail before the module has let go of the socket. */
static int read_stats(const struct sender *s, struct dxmit_ioc_stats *stats, bool gone)
{
	int turn, err = 0;

	for (turn = 0; turn < 2000 && !err; turn++) {
		*stats = (struct dxmit_ioc_stats){ .fd = s->fd };
		err = ioctl(s->device, DXMIT_IOC_STATS, stats);
		if (!gone || !stats->active)
			break;
		usleep(1000);
	}
	return err;
}

static void print_stats(const struct sender *s, int error)
{
	struct dxmit_ioc_stats stats;

	if (read_stats(s, &stats, error == -ENXIO)) {
		printf("stats=%d\n", -errno);
		return;
	}
#define PRINT(name) printf(#name "=%" PRIu64 "\n", (uint64_t)stats.name)
	PRINT(active);
	PRINT(packets);
	PRINT(bytes);
	PRINT(kept);
	PRINT(kept_total);
	PRINT(dropped_driver);
	PRINT(dropped_link);
	PRINT(dropped_validate);
	PRINT(dropped_close);
	PRINT(invalid);
	PRINT(validations_skipped);
	PRINT(shadow_checks);
	PRINT(shadow_mismatches);
	PRINT(assertions);
#undef PRINT
}

static void print_queue(const struct sender *s, int err)
{
	struct dxmit_queue_stats stats = { .size = sizeof(stats) };

	dxmit_queue_stats(s->q, &stats);
	printf("error=%d\nsubmitted=%" PRIu64 "\ncompleted=%" PRIu64 "\nlost=%" PRIu64
	       "\nkernel_invalid=%" PRIu64 "\nunconsumed=%" PRIu64 "\n",
	       err, stats.submitted, stats.completed, stats.lost, stats.invalid,
	       stats.unconsumed);
}

/* DETACH completes what was kept. */
static void detach(const struct sender *s)
{
	struct dxmit_ioc_which which = { .fd = s->fd };

	printf("detach=%d\n", ioctl(s->device, DXMIT_IOC_DETACH, &which) ? -errno : 0);
	dxmit_reclaim(s->q);
	printf("completed_at_end=%" PRIu64 "\n", s->q->completed);
}

int main(int argc, char **argv)
{
	struct sender s = { .device = -1, .length = 60, .ring = 512 };
	int i, err;

	for (i = 3; i < argc; i++)
		if (!parse(&s, argv[i]))
			argc = 0;
	if (argc < 3) {
		fprintf(stderr, "usage: direct INTERFACE COUNT [WORD …]\n");
		return 2;
	}
	s.count = strtoul(argv[2], NULL, 10);
	if (open_queue(&s, argv[1]) || (!s.stock && !s.late && attach(&s)))
		return 1;
	err = send_all(&s);
	print_queue(&s, err);
	if (s.tamper)
		announce_too_many(&s);
	if (s.device >= 0)
		print_stats(&s, err);
	fflush(stdout);
	if (s.stay)
		pause();
	if (s.device >= 0)
		detach(&s);
	dxmit_queue_close(&s.q);
	return err ? 1 : 0;
}
