/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * An embedder that never reads completions: it reserves, submits and kicks
 * until the library objects, and never reclaims.
 *
 *	never_reads INTERFACE [RING [FRAMES [SLEEP_US]]]
 *
 * SLEEP_US is slept between two kicks. Prints one JSON object with what the
 * last kick answered, how long after the last progress that was, and the
 * library's figures; then reclaims and prints whether the queue works again.
 * Exit: 0, 1 with the reason, 2 usage. Gives up after 10 s.
 */
#include <inttypes.h>
#include <net/if.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <dxmit/dxmit.h>

#define GIVE_UP_NS 10000000000ull

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static uint64_t unread(const struct dxmit_queue *q)
{
	struct dxmit_queue_stats stats = { .size = sizeof(stats) };

	return dxmit_queue_stats(q, &stats) == 0 ? stats.unread : UINT64_MAX;
}

static int submit_all(struct dxmit_queue *q)
{
	const struct dxmit_udp_spec udp = { .size = sizeof(udp),
					    .length = DXMIT_UDP_MIN_LENGTH };
	uint32_t i, n = dxmit_reserve(q, 64);
	int err = 0;

	for (i = 0; i < n && err >= 0; i++)
		err = dxmit_udp_build(&udp, dxmit_frame(q, i), q->frame_size);
	return err < 0 ? err : dxmit_submit(q, n, udp.length);
}

/* Kick without ever reclaiming; *still_ns is how long nothing had moved. */
static int kick_until_refused(struct dxmit_queue *q, unsigned int sleep_us,
			      uint64_t *still_ns)
{
	uint64_t begin = now_ns(), moved = begin, before = 0;
	int answer = 0;

	while (answer >= 0 && now_ns() - begin < GIVE_UP_NS) {
		uint64_t seen = q->submitted + unread(q);

		if (seen != before)
			moved = now_ns();
		before = seen;
		answer = submit_all(q);
		if (answer >= 0)
			answer = dxmit_kick(q);
		if (sleep_us)
			usleep(sleep_us);
	}
	*still_ns = now_ns() - moved;
	return answer;
}

static void report(struct dxmit_queue *q, int answer, uint64_t still_ns)
{
	struct dxmit_queue_stats stats = { .size = sizeof(stats) };
	struct dxmit_error stalled;
	char text[256];
	int reclaimed, kick;

	dxmit_queue_stats(q, &stats);
	dxmit_queue_stalled(q, &stalled);
	dxmit_error_text(&stalled, text, sizeof(text));
	reclaimed = dxmit_reclaim(q);
	kick = submit_all(q);
	kick = kick < 0 ? kick : dxmit_kick(q);
	printf("{\"answer\":\"%s\",\"still_seconds\":%.3f,\"submitted\":%" PRIu64
	       ",\"in_flight\":%" PRIu64 ",\"unread\":%" PRIu64 ",\"unconsumed\":%" PRIu64
	       ",\"stalled_seconds\":%.3f,\"reclaimed\":%d,\"kick_after\":%d,\"text\":\"%s\"}\n",
	       answer < 0 ? strerror(-answer) : "none", (double)still_ns / 1e9,
	       stats.submitted, stats.in_flight, stats.unread, stats.unconsumed,
	       (double)stats.stalled_ns / 1e9, reclaimed, kick, text);
}

int main(int argc, char **argv)
{
	struct dxmit_queue_options options = { .size = sizeof(options) };
	struct dxmit_error error;
	struct dxmit_queue *q;
	uint64_t still_ns;
	char text[256];
	int answer;

	if (argc < 2 || argc > 5) {
		fprintf(stderr,
			"usage: never_reads INTERFACE [RING [FRAMES [SLEEP_US]]]\n");
		return 2;
	}
	options.ifindex = (int)if_nametoindex(argv[1]);
	options.ring_size = argc > 2 ? (uint32_t)strtoul(argv[2], NULL, 10) : 0;
	options.frames = argc > 3 ? (uint32_t)strtoul(argv[3], NULL, 10) : 0;
	if (dxmit_queue_open(&options, &q, &error)) {
		dxmit_error_text(&error, text, sizeof(text));
		fprintf(stderr, "never_reads: %s: %s\n", error.object, text);
		return 1;
	}
	answer = kick_until_refused(
		q, argc > 4 ? (unsigned int)strtoul(argv[4], NULL, 10) : 0, &still_ns);
	report(q, answer, still_ns);
	dxmit_queue_close(&q);
	return 0;
}
