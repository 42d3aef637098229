/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What an embedder, or broken memory, may do to a real queue: rings filled
 * with 0xff, lengths no device should see, completions that cannot be.
 *
 *	ring_memory INTERFACE scribble LENGTH COUNT fixed|free
 *	ring_memory INTERFACE lengths
 *	ring_memory INTERFACE completions fixed|free
 *	ring_memory INTERFACE options
 *
 * Prints one word a finding. Exit: 0, 1 with a line on stderr, 2 usage.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <net/if.h>

#include <dxmit/dxmit.h>

#define RING 64
#define TURNS_MAX 10000000u
#define METADATA_OPTION (1u << 1) /* XDP_TX_METADATA, Linux 6.8 */

static struct dxmit_queue *open_queue(const char *interface, bool fixed)
{
	struct dxmit_queue_options options = {
		.size = sizeof(options),
		.ifindex = (int)if_nametoindex(interface),
		.ring_size = RING,
		.budget = RING,
		.fixed_slots = fixed,
	};
	struct dxmit_error error;
	struct dxmit_queue *q;
	char text[256];

	if (dxmit_queue_open(&options, &q, &error) == 0)
		return q;
	dxmit_error_text(&error, text, sizeof(text));
	fprintf(stderr, "ring_memory: %s\n", text);
	exit(1);
}

static int build_frame(uint8_t *frame, size_t room, uint32_t length)
{
	struct dxmit_udp_spec spec = {
		.size = sizeof(spec),
		.length = length,
		.destination_mac = { 2, 0, 0, 0, 0, 2 },
		.source_mac = { 2, 0, 0, 0, 0, 1 },
		.source_ip = 0xc6120001,
		.destination_ip = 0xc6120002,
		.source_port = 4660,
		.destination_port = 9,
	};

	return dxmit_udp_build(&spec, frame, room);
}

/* Send `count` stamped frames, kicking whenever nothing more fits. */
static int send_stamped(struct dxmit_queue *q, uint32_t length, uint64_t count)
{
	uint8_t frame[4096];
	uint32_t turn, i, n;
	int answer;

	if (build_frame(frame, sizeof(frame), length) < 0)
		return -EINVAL;
	for (turn = 0; q->completed < count && turn < TURNS_MAX; turn++) {
		answer = dxmit_reclaim(q);
		if (answer < 0)
			return answer;
		/* 7 does not divide the ring: laps begin anywhere in a batch. */
		n = dxmit_reserve(q, count - q->submitted < 7
					     ? (uint32_t)(count - q->submitted)
					     : 7);
		for (i = 0; i < n; i++) {
			struct dxmit_stamp stamp = { .sequence = q->submitted + i };

			memcpy(dxmit_frame(q, i), frame, length);
			dxmit_stamp_write(dxmit_frame(q, i), &stamp);
		}
		if (n)
			dxmit_submit(q, n, length);
		answer = dxmit_kick(q);
		if (answer < 0)
			return answer;
	}
	return q->completed == count ? 0 : -EIO;
}

static int scribble(const char *interface, char **argv)
{
	struct dxmit_queue *q = open_queue(interface, strcmp(argv[2], "fixed") == 0);
	struct dxmit_queue_stats stats = { .size = sizeof(stats) };
	int err;

	memset(q->tx_descs, 0xff, RING * sizeof(*q->tx_descs));
	err = send_stamped(q, (uint32_t)strtoul(argv[0], NULL, 10),
			   strtoull(argv[1], NULL, 10));
	dxmit_queue_stats(q, &stats);
	printf("sent %s completed %" PRIu64 " invalid %" PRIu64 "\n",
	       err ? strerror(-err) : "ok", stats.completed, stats.invalid);
	dxmit_queue_close(&q);
	return 0;
}

static void tell(const char *what, int answer)
{
	printf("%s %s\n", what, answer < 0 ? strerrorname_np(-answer) : "ok");
}

static uint32_t fill_13(void *arg, void *frame, uint32_t room)
{
	(void)arg;
	(void)room;
	memset(frame, 0xee, 13);
	return 13;
}

/* Each length in turn; `untouched` is what the kernel would see. */
static int lengths(const char *interface)
{
	static const uint32_t bad[] = { 0, 1, 13, 2049, UINT32_MAX };
	uint32_t mixed[] = { 60, 13 }, one[] = { 14 };
	struct dxmit_queue *q = open_queue(interface, false);
	uint32_t producer = *q->tx_producer;
	struct xdp_desc before[RING];
	char what[32];
	size_t i;

	memcpy(before, q->tx_descs, sizeof(before));
	memset(q->umem, 0xee, (size_t)q->frames * q->frame_size);
	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		snprintf(what, sizeof(what), "length-%" PRIu32, bad[i]);
		dxmit_reserve(q, 1);
		tell(what, dxmit_submit(q, 1, bad[i]));
	}
	dxmit_reserve(q, 2);
	tell("mixed", dxmit_submit_lengths(q, 2, mixed));
	tell("callback", dxmit_send(q, 1, fill_13, NULL));
	printf("untouched %s\n",
	       *q->tx_producer == producer && q->in_flight == 0 &&
			       memcmp(before, q->tx_descs, sizeof(before)) == 0
		       ? "yes"
		       : "no");
	dxmit_reserve(q, 1);
	tell("length-14", dxmit_submit_lengths(q, 1, one));
	tell("kick", dxmit_kick(q));
	printf("completed %d\n", dxmit_reclaim(q));
	dxmit_queue_close(&q);
	return 0;
}

/* The completion ring is shared memory: write into it what no kernel should. */
static void complete_falsely(struct dxmit_queue *q, uint32_t n, uint64_t addr)
{
	uint32_t *producer = (uint32_t *)(uintptr_t)q->cq_producer;
	uint64_t *addrs = (uint64_t *)(uintptr_t)q->cq_addrs;
	uint32_t i;

	for (i = 0; i < n; i++)
		addrs[(*producer + i) & q->cq_mask] = addr;
	__atomic_store_n(producer, *producer + n, __ATOMIC_RELEASE);
}

static int completions(const char *interface, bool fixed)
{
	struct dxmit_queue *q = open_queue(interface, fixed);

	tell("healthy", send_stamped(q, 60, 3 * RING));
	complete_falsely(q, 1, 0);
	tell("none-in-flight", dxmit_reclaim(q));
	dxmit_queue_close(&q);

	q = open_queue(interface, fixed);
	dxmit_reserve(q, 4);
	dxmit_submit(q, 4, 60);
	complete_falsely(q, 5, 0);
	tell("five-of-four", dxmit_reclaim(q));
	dxmit_queue_close(&q);

	q = open_queue(interface, fixed);
	dxmit_reserve(q, 4);
	dxmit_submit(q, 4, 60);
	complete_falsely(q, 1, (uint64_t)q->frames * q->frame_size);
	tell("no-such-frame", dxmit_reclaim(q));
	dxmit_queue_close(&q);
	return 0;
}

/* A descriptor the kernel refuses with EINVAL blocks the ring for ever. */
static int options_bit(const char *interface)
{
	struct dxmit_queue *q = open_queue(interface, false);

	dxmit_reserve(q, 1);
	dxmit_submit(q, 1, 60);
	q->tx_descs[0].options = METADATA_OPTION;
	tell("first-kick", dxmit_kick(q));
	dxmit_queue_close(&q);
	return 0;
}

int main(int argc, char **argv)
{
	const char *what = argc > 2 ? argv[2] : "";

	if (strcmp(what, "scribble") == 0 && argc == 6)
		return scribble(argv[1], argv + 3);
	if (strcmp(what, "lengths") == 0)
		return lengths(argv[1]);
	if (strcmp(what, "completions") == 0 && argc == 4)
		return completions(argv[1], strcmp(argv[3], "fixed") == 0);
	if (strcmp(what, "options") == 0)
		return options_bit(argv[1]);
	fprintf(stderr,
		"usage: ring_memory INTERFACE scribble|lengths|completions|options\n");
	return 2;
}
