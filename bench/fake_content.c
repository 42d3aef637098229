/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What changing frames cost over static ones, in nanoseconds per 64-byte frame,
 * in the sender's loop on a fake kernel. In each round every kind is sent after a
 * run of static frames of its own; a row has both and their difference, so that
 * slow drifts of the machine fall out.
 */
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <dxmit/frame.h>

#include "fake_content.h"
#include "fake_sender.h"
#include "median.h"

#define LENGTH 60 /* 64 on the wire, less the FCS */
#define KINDS (sizeof(kinds) / sizeof(kinds[0]))

/* How the command lays out its queues, and the layout with the worst caching:
 * each frame on a page half of its own, 4 MiB in all. */
static const struct layout {
	const char *name;
	uint32_t ring, shift; /* of the distance between frames */
} layouts[] = {
	{ "default", 512, 6 },
	{ "spread", 2048, 11 },
};
#define LAYOUTS (sizeof(layouts) / sizeof(layouts[0]))

/* Frames handed over at a time; the command's default is 512. */
static const uint32_t batches[] = { 64, 512 };
#define BATCHES (sizeof(batches) / sizeof(batches[0]))

static const uint64_t dns_and_others[] = { 53, 80, 123, 443 };

static const struct {
	const char *name;
	uint32_t modifiers;
	struct dxmit_modifier modifier[3];
} kinds[] = {
	/* The first two are the ones with an aim: 6 and 12 ns. */
	{ "increment_ip", 1, { { .bit = 30 * 8, .bits = 32, .first = 0x0a000000 } } },
	{ "flows_1m_random",
	  2,
	  { { .bit = 26 * 8,
	      .bits = 32,
	      .kind = DXMIT_MODIFY_RANDOM,
	      .period = 1000000,
	      .first = 0x0a000000,
	      .last = 0x0affffff },
	    { .bit = 30 * 8,
	      .bits = 32,
	      .kind = DXMIT_MODIFY_RANDOM,
	      .period = 1000000,
	      .first = 0x0b000000,
	      .last = 0x0bffffff } } },
	{ "random_ip",
	  1,
	  { { .bit = 30 * 8, .bits = 32, .kind = DXMIT_MODIFY_RANDOM } } },
	{ "range_1m_ip",
	  1,
	  { { .bit = 30 * 8, .bits = 32, .kind = DXMIT_MODIFY_RANGE, .last = 999999 } } },
	{ "list_port",
	  1,
	  { { .bit = 36 * 8,
	      .bits = 16,
	      .kind = DXMIT_MODIFY_LIST,
	      .list = dns_and_others,
	      .list_values = 4 } } },
	{ "odometer_3",
	  3,
	  { { .bit = 34 * 8, .bits = 16, .kind = DXMIT_MODIFY_RANGE, .last = 99 },
	    { .bit = 26 * 8,
	      .bits = 32,
	      .kind = DXMIT_MODIFY_RANGE,
	      .last = 999,
	      .nested = 1 },
	    { .bit = 30 * 8, .bits = 32, .nested = 1 } } },
	{ "odd_bits_payload",
	  1,
	  { { .bit = 45 * 8 + 3, .bits = 21, .kind = DXMIT_MODIFY_RANDOM } } },
};

static const struct dxmit_packet_checksum checksums[] = {
	{ .at = 40,
	  .from = 34,
	  .to = LENGTH,
	  .pseudo_from = 26,
	  .pseudo_to = 34,
	  .protocol = 17,
	  .udp = 1 },
	{ .at = 24, .from = 14, .to = 34 },
};

static void build_template(uint8_t frame[LENGTH])
{
	const struct dxmit_udp_spec spec = { .size = sizeof(spec),
					     .length = LENGTH,
					     .source_ip = 0x0a000001,
					     .destination_ip = 0x0a000002,
					     .source_port = 4660,
					     .destination_port = 9 };

	if (dxmit_udp_build(&spec, frame, LENGTH) != LENGTH)
		exit(1);
}

static struct dxmit_modify *compile(size_t kind, const uint8_t *frame)
{
	const struct dxmit_modify_spec spec = {
		.size = sizeof(spec),
		.modifier = kinds[kind].modifier,
		.modifiers = kinds[kind].modifiers,
		.checksum = checksums,
		.checksums = 2,
		.frame = frame,
		.length = LENGTH,
	};
	struct dxmit_modify *program;

	if (dxmit_modify_compile(&spec, &program, NULL))
		exit(1);
	return program;
}

static void check(const struct fake_ring *ring, int err)
{
	if (err == 0 && ring->violations == 0)
		return;
	fprintf(stderr, "fake_content: error %d, %llu rules broken\n", err,
		(unsigned long long)ring->violations);
	exit(1);
}

/* Nanoseconds per frame, the fake kernel's part included. */
static double send_ns(const struct layout *layout, uint32_t batch, uint64_t frames,
		      const struct dxmit_modify *program, const uint8_t *frame)
{
	static struct control control;
	struct fake_ring ring;
	struct dxmit_queue queue;
	struct sender sender = { .queue = &queue,
				 .control = &control,
				 .ring = &ring,
				 .batch = batch,
				 .length = LENGTH,
				 .cpu = (uint32_t)sched_getcpu(),
				 .program = program };
	uint64_t begin_ns, ns;
	uint32_t i;

	if (fake_ring_open(&ring, &queue, layout->ring, layout->shift, LENGTH, true))
		exit(1);
	for (i = 0; i < layout->ring; i++)
		memcpy(ring.umem + ((size_t)i << layout->shift), frame, LENGTH);
	sender.count = layout->ring * 4; /* to warm up */
	check(&ring, fake_sender_run(&sender));
	sender.count += frames;
	begin_ns = bench_clock_ns(CLOCK_THREAD_CPUTIME_ID);
	check(&ring, fake_sender_run(&sender));
	ns = bench_clock_ns(CLOCK_THREAD_CPUTIME_ID) - begin_ns;
	fake_ring_close(&ring, &queue);
	return (double)ns / (double)frames;
}

static double extra[LAYOUTS][BATCHES][KINDS][FAKE_ROUNDS_MAX];

static void run_round(uint32_t round, uint64_t frames, const uint8_t *frame,
		      struct dxmit_modify *const program[])
{
	size_t l, b, i;

	for (l = 0; l < LAYOUTS; l++)
		for (b = 0; b < BATCHES; b++)
			for (i = 0; i < KINDS; i++) {
				size_t k = (i + round) % KINDS;
				double still = send_ns(&layouts[l], batches[b], frames,
						       NULL, frame);
				double moving = send_ns(&layouts[l], batches[b], frames,
							program[k], frame);

				extra[l][b][k][round] = moving - still;
				printf("row layout=%s batch=%u content=%s round=%u "
				       "static_ns=%.3f content_ns=%.3f extra_ns=%.3f\n",
				       layouts[l].name, batches[b], kinds[k].name, round,
				       still, moving, moving - still);
			}
}

void fake_content_rows(uint32_t rounds, uint64_t frames)
{
	struct dxmit_modify *program[KINDS];
	uint8_t frame[LENGTH];
	uint32_t round;
	size_t l, b, k;

	build_template(frame);
	for (k = 0; k < KINDS; k++)
		program[k] = compile(k, frame);
	for (round = 0; round < rounds; round++)
		run_round(round, frames, frame, program);
	for (l = 0; l < LAYOUTS; l++)
		for (b = 0; b < BATCHES; b++)
			for (k = 0; k < KINDS; k++)
				printf("median layout=%s batch=%u content=%s rounds=%u "
				       "extra_ns=%.2f\n",
				       layouts[l].name, batches[b], kinds[k].name, rounds,
				       bench_median(extra[l][b][k], rounds));
	for (k = 0; k < KINDS; k++)
		dxmit_modify_free(&program[k]);
}

int fake_content_count(const char *name, uint32_t batch, uint64_t frames)
{
	struct dxmit_modify *program = NULL;
	uint8_t frame[LENGTH];
	size_t k;

	build_template(frame);
	for (k = 0; k < KINDS; k++)
		if (strcmp(kinds[k].name, name) == 0)
			program = compile(k, frame);
	if (!program && strcmp(name, "static") != 0)
		return 2;
	send_ns(&layouts[0], batch, frames, program, frame);
	dxmit_modify_free(&program);
	return 0;
}
