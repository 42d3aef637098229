/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Modifiers: fields that change from packet to packet, with the checksums that
 * cover them. Compiled once into a flat program, which is then applied to the
 * frames of a reservation at a few nanoseconds each.
 *
 * The value of a field in a packet is a function of the packet's number alone.
 * So a frame may be used again for any later packet, runs are reproducible, and
 * queues need not know of each other: queue i of Q gives its k-th packet the
 * number k * Q + i, and together they go through the numbers 0, 1, 2 … With N
 * flows packet p belongs to flow p mod N.
 */
#ifndef DXMIT_MODIFY_H
#define DXMIT_MODIFY_H

#include <stddef.h>
#include <stdint.h>

#include <dxmit/packet.h>
#include <dxmit/queue.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

#define DXMIT_MODIFY_MAX 64 /* modifiers in a program */

/** Values are ABI; new ones are added at the end. */
enum dxmit_modify_kind {
	DXMIT_MODIFY_INCREMENT = 0, /* first, first + step …, wraps with the field */
	DXMIT_MODIFY_DECREMENT = 1, /* first, first - step …, wraps likewise */
	DXMIT_MODIFY_RANGE = 2,     /* first, first ± step … up to last, again */
	DXMIT_MODIFY_RANDOM = 3,    /* any of the values a range would have */
	DXMIT_MODIFY_LIST = 4,      /* list[0], list[1] …, again */
};

/**
 * One field and its values. Zero the struct; 0 is a default throughout. Values
 * are in host byte order.
 *
 * How modifiers move against each other. Each has an index into its values. It
 * advances with every packet (or every `hold` packets), so that fields vary side
 * by side. With `nested` set it advances when the modifier before it in the
 * array has gone through its values, as the digits of an odometer do: a range of
 * 10 and a nested one of 20 make 200 combinations. Modifiers with the same
 * `link` share the index of the first of them, each going round after its own
 * number of values; the first alone counts as the one before what follows.
 */
struct dxmit_modifier {
	uint32_t bit;  /* of the frame, the first sent being 0: 8 * byte + bit.
			    See dxmit_packet_field() */
	uint32_t bits; /* width, 1 … 64; all within 8 bytes. Of an IPv6 address
			    give the lower half: its bit + 64 */
	enum dxmit_modify_kind kind;
	uint32_t link;        /* 0: not linked */
	uint32_t nested;      /* 1: see above */
	uint32_t per_queue;   /* 1: each queue counts its own packets, 0, 1, 2 … */
	uint64_t first;       /* RANDOM: first and last 0 mean the whole field */
	uint64_t last;        /* RANGE, RANDOM; RANGE may go down to it */
	uint64_t step;        /* 0: 1 */
	uint64_t hold;        /* packets each value is kept for; 0: 1 */
	uint64_t queue_step;  /* added to the value once for each queue number */
	uint64_t seed;        /* RANDOM; modifiers with the same seed differ too */
	uint64_t period;      /* RANDOM: start over after so many; 0: never */
	const uint64_t *list; /* LIST; copied */
	uint32_t list_values;
};

struct dxmit_modify_spec {
	size_t size; /* sizeof(struct dxmit_modify_spec) */
	const struct dxmit_modifier *modifier;
	uint32_t modifiers;
	/* Of the packet, as in its map: innermost first. */
	const struct dxmit_packet_checksum *checksum;
	uint32_t checksums;
	/* The template: bytes that no modifier changes stay as in it, a UDP
	 * checksum that is 0 in it stays 0 (RFC 768: none). */
	const void *frame;
	uint32_t length; /* bytes without FCS */
	uint32_t queue;  /* i and Q of the numbering; Q 0: 1 */
	uint32_t queues;
};

struct dxmit_modify;

/**
 * Compile. The program does not refer to the spec's memory afterwards. `which`
 * may be NULL; on an error it is the index of the modifier at fault.
 * Returns 0, -EINVAL (kind, width, nesting without a modifier before, an empty
 * list, a checksum outside the frame), -ERANGE (a value or step exceeds the
 * field), -EMSGSIZE (the field is not within the frame), -E2BIG (too many
 * modifiers or checksums) or -ENOMEM.
 */
int dxmit_modify_compile(const struct dxmit_modify_spec *spec, struct dxmit_modify **out,
			 uint32_t *which);

/** Free it, set *program to NULL. Again, or with NULL, does nothing. */
void dxmit_modify_free(struct dxmit_modify **program);

/**
 * How many packets of all queues together until everything repeats: the number
 * of flows if the modifiers are on addresses and ports. 0: never, or more than
 * 2^64 - 1.
 */
uint64_t dxmit_modify_cycle(const struct dxmit_modify *program);

/**
 * Apply to the first n frames of the current reservation of q, which hold the
 * template or what this program made of it; the first one becomes the packet
 * `number` of this queue (0, 1, 2 … per queue; usually q->submitted). A program
 * is only read: different threads may run it, each on its own queue.
 */
void dxmit_modify_run(const struct dxmit_modify *program, const struct dxmit_queue *q,
		      uint32_t n, uint64_t number);

/** The same for n frames anywhere. */
void dxmit_modify_frames(const struct dxmit_modify *program, uint8_t *const *frame,
			 uint32_t n, uint64_t number);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
#endif
