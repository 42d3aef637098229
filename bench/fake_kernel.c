/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * fake_kernel: what the sender's side costs per 64-byte frame, in nanoseconds,
 * with a kernel that lives in plain memory. The loop is fake_sender.c. The fake
 * kernel's own cost is measured with the same kicks and no sender, and subtracted.
 * What changing frames cost is fake_content.c.
 */
#include <errno.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <dxmit/queue.h>

#include "fake_content.h"
#include "fake_ring.h"
#include "fake_sender.h"
#include "median.h"

#define RING 2048
#define FRAME_SHIFT 11 /* 2048 bytes */
#define LENGTH 60      /* 64 on the wire, less the FCS */
#define ROUNDS_MAX 99

static const uint32_t batches[] = { 32, 64, 256, 1024 };
#define BATCHES (sizeof(batches) / sizeof(batches[0]))

/* The same kicks with nobody on the other side: descriptors stand, the index
 * words are moved by hand. */
__attribute__((noinline)) static void kernel_alone(struct fake_ring *ring, uint32_t batch,
						   uint64_t frames)
{
	uint64_t done;

	for (done = 0; done < frames; done += batch) {
		__atomic_store_n(&ring->cq_consumer.value, ring->cq_producer.value,
				 __ATOMIC_RELEASE);
		__atomic_store_n(&ring->tx_producer.value,
				 ring->tx_producer.value + batch, __ATOMIC_RELEASE);
		fake_ring_kick(ring);
	}
}

struct result {
	double whole_ns[ROUNDS_MAX], kernel_ns[ROUNDS_MAX], user_ns[ROUNDS_MAX];
};

static double per_frame_ns(uint64_t begin_ns, uint64_t frames)
{
	return (double)(bench_clock_ns(CLOCK_THREAD_CPUTIME_ID) - begin_ns) /
	       (double)frames;
}

static void check(const struct fake_ring *ring, uint64_t frames, int err)
{
	if (err == 0 && ring->violations == 0 && ring->taken == frames)
		return;
	fprintf(stderr, "fake_kernel: error %d, %llu rules broken, %llu of %llu frames\n",
		err, (unsigned long long)ring->violations,
		(unsigned long long)ring->taken, (unsigned long long)frames);
	exit(1);
}

/* `which` is 0 for both parts, 1 for the sender with the kernel, 2 for the
 * kernel alone: instruction counters want one part per process. */
static void run_once(bool fixed, uint32_t batch, uint64_t frames, int which,
		     struct result *result, uint32_t round)
{
	static struct control control;
	struct fake_ring ring;
	struct dxmit_queue queue;
	struct sender sender = { .queue = &queue,
				 .control = &control,
				 .ring = &ring,
				 .batch = batch,
				 .length = LENGTH,
				 .cpu = (uint32_t)sched_getcpu() };
	uint64_t warm = RING * 4, begin_ns, total = warm;

	if (fake_ring_open(&ring, &queue, RING, FRAME_SHIFT, LENGTH, fixed))
		exit(1);
	sender.count = warm;
	check(&ring, total, fake_sender_run(&sender));
	if (which != 2) {
		total += frames;
		sender.count = total;
		begin_ns = bench_clock_ns(CLOCK_THREAD_CPUTIME_ID);
		check(&ring, total, fake_sender_run(&sender));
		result->whole_ns[round] = per_frame_ns(begin_ns, frames);
	}
	if (which != 1) {
		total += frames;
		begin_ns = bench_clock_ns(CLOCK_THREAD_CPUTIME_ID);
		kernel_alone(&ring, batch, frames);
		result->kernel_ns[round] = per_frame_ns(begin_ns, frames);
		check(&ring, total, 0);
	}
	result->user_ns[round] = result->whole_ns[round] - result->kernel_ns[round];
	fake_ring_close(&ring, &queue);
}

static void run_rounds(uint32_t rounds, uint64_t frames)
{
	static struct result results[2 * BATCHES];
	uint32_t round, i;

	for (round = 0; round < rounds; round++)
		for (i = 0; i < 2 * BATCHES; i++) {
			uint32_t at = (uint32_t)((i + round * 3) % (2 * BATCHES));
			bool fixed = at < BATCHES;
			struct result *r = &results[at];

			run_once(fixed, batches[at % BATCHES], frames, 0, r, round);
			printf("row mode=%s batch=%u round=%u whole_ns=%.3f "
			       "kernel_ns=%.3f user_ns=%.3f\n",
			       fixed ? "fixed" : "free", batches[at % BATCHES], round,
			       r->whole_ns[round], r->kernel_ns[round],
			       r->user_ns[round]);
		}
	for (i = 0; i < 2 * BATCHES; i++)
		printf("median mode=%s batch=%u rounds=%u user_ns=%.2f kernel_ns=%.2f\n",
		       i < BATCHES ? "fixed" : "free", batches[i % BATCHES], rounds,
		       bench_median(results[i].user_ns, rounds),
		       bench_median(results[i].kernel_ns, rounds));
}

/*
 *	fake_kernel [ROUNDS [FRAMES]]               rows and medians
 *	fake_kernel count fixed|free BATCH FRAMES sender|kernel
 *	                                            one part, for instruction counters
 *	fake_kernel content [ROUNDS [FRAMES]]       frames that change, over static ones
 *	fake_kernel count content NAME BATCH FRAMES the sender's part of one of them
 */
int main(int argc, char **argv)
{
	struct result one;
	bool content = argc > 1 && !strcmp(argv[1], "content");
	uint64_t frames;
	long rounds;

	if (argc == 6 && !strcmp(argv[1], "count") && !strcmp(argv[2], "content"))
		return fake_content_count(argv[3], (uint32_t)strtoul(argv[4], NULL, 10),
					  strtoull(argv[5], NULL, 10));
	if (argc == 6 && !strcmp(argv[1], "count")) {
		run_once(!strcmp(argv[2], "fixed"), (uint32_t)strtoul(argv[3], NULL, 10),
			 strtoull(argv[4], NULL, 10), strcmp(argv[5], "kernel") ? 1 : 2,
			 &one, 0);
		return 0;
	}
	argc -= content;
	argv += content;
	rounds = argc > 1 ? strtol(argv[1], NULL, 10) : 15;
	if (rounds < 1 || rounds > ROUNDS_MAX) {
		fputs("usage: fake_kernel [content] [ROUNDS 1-99 [FRAMES]]\n", stderr);
		return 2;
	}
	/* A whole number of the largest batch, so that every batch is full. */
	frames = argc > 2 ? strtoull(argv[2], NULL, 10) / 1024 * 1024 : 1024 * 2048;
	if (content)
		fake_content_rows((uint32_t)rounds, frames);
	else
		run_rounds((uint32_t)rounds, frames);
	return 0;
}
