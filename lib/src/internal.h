/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What every room of the library shares: errors, sized structs, sizes, time.
 */
#ifndef DXMIT_INTERNAL_H
#define DXMIT_INTERNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <dxmit/error.h>

/* Frames are packed at this distance at least: one cache line each. */
#define MIN_FRAME_ROOM 64

/* The rule an option broke: error.extra at DXMIT_STAGE_OPTIONS. */
#define RULE_POWER_OF_TWO 1 /* and at most `limit` */
#define RULE_FRAME_SIZE 2
#define RULE_AT_LEAST 3
#define RULE_AT_MOST 4
#define RULE_EQUAL 5

/* Fill *error (if not NULL) and return -code. */
int dxmit_error_set(struct dxmit_error *error, enum dxmit_stage stage, int code,
		    const char *object, uint64_t value, uint64_t limit, uint64_t extra);

/*
 * Structs whose first member is their size cross versions. From a caller: what
 * it lacks is zero; a member that only it knows must be zero. Returns 0,
 * -EINVAL if its size is below `least`, -E2BIG if it asks for something we do
 * not know.
 */
int dxmit_copy_in(void *to, size_t to_size, const void *from, size_t least);
/* To a caller: what it lacks is cut, what we lack is zeroed. Returns 0, or
 * -EINVAL if the caller's size is not even there. */
int dxmit_copy_out(void *to, const void *from, size_t from_size);

/* The smallest power of two that is not below n; n is at most 2^31. */
static inline uint32_t power_of_two_from(uint32_t n)
{
	uint32_t p = 1;

	while (p < n)
		p <<= 1;
	return p;
}

/* Chunks of the longest frame. */
static inline uint32_t segments_of(uint32_t max_length, uint32_t frame_size)
{
	return max_length <= frame_size
		       ? 1
		       : max_length / frame_size + (max_length % frame_size != 0);
}

/* How many frames there are where none are asked for: what the ring holds. */
static inline uint32_t default_frames(uint32_t ring_size, uint32_t segments)
{
	return ring_size >= segments ? ring_size / segments : 1;
}

/*
 * Bytes from one frame to the next: a power of two that holds the longest frame
 * and divides a chunk, or is a multiple of it. The kernel wants that no
 * descriptor crosses the edge of a chunk (xp_aligned_validate_desc in
 * net/xdp/xsk_queue.h), not that each has one of its own.
 */
static inline uint32_t frame_room(uint32_t max_length, uint32_t frame_size)
{
	uint32_t room = power_of_two_from(max_length);

	if (max_length == 0)
		return frame_size;
	return room < MIN_FRAME_ROOM ? MIN_FRAME_ROOM : room;
}

/* Bytes of frame memory: whole chunks. */
static inline uint64_t umem_bytes(uint32_t frames, uint32_t room, uint32_t frame_size)
{
	uint64_t bytes = (uint64_t)frames * room;

	return (bytes + frame_size - 1) / frame_size * frame_size;
}

static inline bool is_power_of_two(uint32_t n)
{
	return n && (n & (n - 1)) == 0;
}

uint64_t dxmit_monotonic_ns(void);

#endif
