/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A compiled program of modifiers.
 *
 * It is a flat array of operations, run over blocks of MODIFY_BLOCK frames: one
 * operation is a loop over the frames of the block, and only then comes the next
 * operation. So choosing the operation is paid once per block and no branch or
 * indirect call depends on a frame. Between operations a block's frames have
 * three things each, in arrays that stay in the first-level cache:
 *
 *	value     what a field becomes           made by VALUE_*, taken by STORE_*
 *	delta     one's complement change of a   made by STORE_*, DELTA_* and SUM,
 *	          stretch of the frame           taken by ADD
 *	changed   per checksum, all that changes made by ADD, taken by SUM
 *	          below it
 *
 * A program is, for each modifier, VALUE, STORE and one ADD per checksum that
 * covers it; then, innermost first, for each checksum SUM, and an ADD for each
 * outer checksum that covers this one. Checksums are thus updated once per
 * packet however many fields change below them.
 *
 * The shape that nearly everybody uses, one field under one or two checksums,
 * at an even offset, becomes VALUE and UPDATE_*, in which store and checksums
 * are one loop and nothing goes through the arrays but the value.
 */
#ifndef DXMIT_MODIFY_PRIVATE_H
#define DXMIT_MODIFY_PRIVATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <dxmit/modify.h>

/* A block's frames of 64 bytes and its arrays fit into 32 KiB of first-level
 * cache with room to spare; the switch between operations is lost in it. */
#define MODIFY_BLOCK 64u
#define MODIFY_MAX_CHECKSUMS DXMIT_PACKET_MAX_CHECKSUMS

enum modify_op_kind {
	MODIFY_VALUE_COUNT = 0, /* first + index * step */
	MODIFY_VALUE_STEADY,    /* the same, new in each packet and never over */
	MODIFY_VALUE_LIST,
	MODIFY_VALUE_RANDOM,
	MODIFY_STORE_2, /* by bytes of the window; with delta */
	MODIFY_STORE_4,
	MODIFY_STORE_8,
	MODIFY_DELTA_2, /* the same without storing */
	MODIFY_DELTA_4,
	MODIFY_DELTA_8,
	MODIFY_SET, /* changed = delta */
	MODIFY_ADD, /* changed += delta */
	MODIFY_SUM,
	MODIFY_UPDATE_2, /* STORE_*, and both checksums of `sum` */
	MODIFY_UPDATE_4,
	MODIFY_UPDATE_8,
};

/* Index of packet p: p / every, and of that the rest by `count` (0: never over). */
struct modify_value {
	uint64_t every, count;
	uint64_t first, step; /* modulo 2^64, so a step down is one too */
	uint64_t key;         /* RANDOM */
	uint64_t choices;     /* RANDOM: values to choose from; 0: 2^64 */
	const uint64_t *list;
	bool per_queue;
};

/* 2, 4 or 8 bytes that hold the field: loaded, changed and stored as one. */
struct modify_window {
	uint32_t at;
	uint32_t shift; /* of the field in it, as a big-endian number */
	uint64_t mask;  /* of the field in it, as loaded by this machine */
	uint64_t cover; /* bytes that count for the delta, likewise */
};

struct modify_sum {
	uint32_t at;
	uint16_t zero; /* what a computed 0 becomes: 0xffff for UDP (RFC 768) */
};

struct modify_op {
	enum modify_op_kind kind;
	uint32_t changed; /* SET, ADD, SUM: of which checksum */
	uint32_t swap;    /* SET, ADD: the delta begins at an odd byte of the sum
			       (RFC 1071, section 2 B) */
	uint32_t sums;    /* UPDATE: 0, 1 or 2 */
	struct modify_value value;
	struct modify_window window;
	struct modify_sum sum[2]; /* SUM: the first */
};

struct dxmit_modify {
	uint64_t cycle;
	uint64_t queue, queues;
	uint64_t *lists; /* of all modifiers */
	uint32_t ops;
	struct modify_op op[];
};

/* The finalizer of splitmix64: any two inputs that differ give outputs that have
 * nothing to do with each other. */
static inline uint64_t modify_mix(uint64_t x)
{
	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
	x = (x ^ x >> 27) * 0x94d049bb133111ebu;
	return x ^ x >> 31;
}

#endif
