/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Captures of any content, under every policy: read, or refused with a reason;
 * what becomes of them can be sent: frames of legal length, ticks that do not go
 * back, and every frame on exactly one queue.
 */
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "replay.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define QUEUES 3
#define SLOTS 8u
#define ROOM 2048u

#define CHECK(condition)          \
	do {                      \
		if (!(condition)) \
			abort();  \
	} while (0)

/* One file for all runs; its name stays. */
static const char *file_with(const uint8_t *data, size_t size)
{
	static char path[32];
	static int fd = -1;

	if (fd < 0) {
		fd = memfd_create("fuzz", MFD_CLOEXEC);
		CHECK(fd >= 0);
		snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	}
	CHECK(ftruncate(fd, 0) == 0);
	CHECK(pwrite(fd, data, size, 0) == (ssize_t)size);
	return path;
}

/* The last byte, which hardly matters to a capture, chooses the policies. */
static struct replay_setup setup_from(const uint8_t *data, size_t size)
{
	static const struct address_map map = { 0x0a000000, 0xc6120000, 0xffff0000 };
	unsigned int choice = size ? data[size - 1] : 0;

	return (struct replay_setup){
		.config = { .path = file_with(data, size),
			    .loops = choice & 3,
			    .bad_record = choice & 4 ? BAD_RECORD_STOP : BAD_RECORD_SKIP,
			    .snapped = (enum snapped)((choice >> 3) % 3),
			    .speed_micro = choice & 32 ? 3 : 0,
			    .max_gap_ns = choice & 64 ? 1000 : 0 },
		.rewrite = { .map = &map, .maps = 1, .fix_checksums = size & 1 },
		.oversize = (enum oversize)(choice % 3),
		.mtu = 1500,
		.frame_size = ROOM,
		.count = choice & 128 ? 5 : UINT64_MAX,
	};
}

static void check_frames(const struct replay *r)
{
	uint64_t due = 0, bytes = 0;
	size_t i;

	CHECK(r->frames == r->stats.records && r->frames > 0);
	for (i = 0; i < r->frames; i++) {
		CHECK(r->frame[i].length >= REPLAY_MIN_LENGTH);
		CHECK(r->frame[i].length <= r->longest && r->longest <= ROOM);
		CHECK(r->frame[i].due >= due);
		due = r->frame[i].due;
		bytes += r->frame[i].length;
	}
	CHECK(bytes == r->stats.bytes && bytes == r->bytes_used);
}

static void check_queues(struct replay *r)
{
	static uint8_t memory[SLOTS * ROOM];
	uint32_t lengths[SLOTS];
	uint64_t frames = 0;
	size_t i;

	CHECK(replay_spread(r, QUEUES) == 0);
	for (i = 0; i < QUEUES; i++) {
		struct dxmit_queue q = { .umem = memory,
					 .fixed_slots = 1,
					 .tx_mask = SLOTS - 1,
					 .frames = SLOTS,
					 .frame_size = ROOM };

		frames += r->queue[i].frames;
		CHECK(replay_attach(&r->queue[i], &q) == 0);
		if (r->queue[i].count)
			CHECK(replay_fill(&r->queue[i], &q, SLOTS, lengths) == SLOTS);
	}
	CHECK(frames == r->frames);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct replay_setup setup = setup_from(data, size);
	char text[CAPTURE_TEXT_LEN];
	struct replay replay;
	int err = replay_open(&setup, -1, &replay);

	capture_fault_text(&replay.stats.fault, text);
	CHECK(!strpbrk(text, ";\n"));
	if (err) {
		CHECK(err < 0 && replay.stats.fault.reason[0]);
	} else {
		CHECK(replay.in_memory);
		check_frames(&replay);
		check_queues(&replay);
	}
	replay_close(&replay);
	return 0;
}
