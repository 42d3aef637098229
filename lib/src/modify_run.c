/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Running a program of modifiers; modify_private.h explains its structure. Each
 * operation is a loop over the frames of one block. The loops come in variants
 * by constant arguments of inlined functions, so that none of them asks per
 * frame what the whole program has in common.
 */
#include <byteswap.h>
#include <endian.h>
#include <string.h>

#include "modify_private.h"

#define INLINE static inline __attribute__((always_inline))

struct block {
	uint32_t n;
	uint64_t number; /* of this queue's first packet in it */
	uint8_t *const *frame;
	uint64_t value[MODIFY_BLOCK];
	uint32_t delta[MODIFY_BLOCK]; /* below 2^19 */
	uint32_t changed[MODIFY_MAX_CHECKSUMS][MODIFY_BLOCK];
};

/* ---- values ---- */

/* Where a modifier's index stands in the packet of a block, without a division
 * per packet: numbers in a block are evenly spaced. */
struct counter {
	uint64_t index, rest;       /* number / every % count, number % every */
	uint64_t index_by, rest_by; /* the same of the distance */
	uint64_t every, count;
};

static struct counter counter_start(const struct modify_value *v, uint64_t number,
				    uint64_t by)
{
	struct counter c = { .every = v->every, .count = v->count };

	c.index = number / v->every;
	c.rest = number % v->every;
	c.index_by = by / v->every;
	c.rest_by = by % v->every;
	if (v->count) {
		c.index %= v->count;
		c.index_by %= v->count;
	}
	return c;
}

INLINE void counter_next(struct counter *c, bool held)
{
	/* At most 2 * count - 1 before the subtraction: count is below 2^63. */
	c->index += c->index_by;
	if (held) {
		uint64_t carry;

		c->rest += c->rest_by;
		carry = c->rest >= c->every;
		c->rest -= carry ? c->every : 0;
		c->index += carry;
	}
	c->index -= c->count && c->index >= c->count ? c->count : 0;
}

/* Evenly onto 0 … choices - 1 by the upper half of a product; 0: all of it. */
INLINE uint64_t choose(uint64_t random, uint64_t choices)
{
	return choices ? (uint64_t)((unsigned __int128)random * choices >> 64) : random;
}

INLINE uint64_t value_of(const struct modify_value *v, enum modify_op_kind kind,
			 uint64_t index)
{
	if (kind == MODIFY_VALUE_LIST)
		return v->first + v->list[index];
	if (kind == MODIFY_VALUE_RANDOM)
		index = choose(modify_mix(v->key + index * 0x9e3779b97f4a7c15u),
			       v->choices);
	return v->first + index * v->step;
}

INLINE void make_values(struct block *b, const struct modify_value *v,
			enum modify_op_kind kind, struct counter c, bool held)
{
	uint32_t i;

	for (i = 0; i < b->n; i++) {
		b->value[i] = value_of(v, kind, c.index);
		counter_next(&c, held);
	}
}

/* Index and number are the same, but for the distance: no chain from packet to
 * packet. */
INLINE void steady_values(struct block *b, const struct modify_value *v,
			  enum modify_op_kind kind, uint64_t number, uint64_t by)
{
	uint32_t i;

	for (i = 0; i < b->n; i++)
		b->value[i] = value_of(v, kind, number + i * by);
}

static void run_value(const struct dxmit_modify *program, const struct modify_op *op,
		      struct block *b)
{
	const struct modify_value *v = &op->value;
	uint64_t by = v->per_queue ? 1 : program->queues;
	uint64_t number = b->number * by + (v->per_queue ? 0 : program->queue);
	struct counter c = counter_start(v, number, by);
	bool held = v->every > 1;

	if (op->kind == MODIFY_VALUE_STEADY)
		steady_values(b, v, MODIFY_VALUE_COUNT, number, by);
	else if (op->kind == MODIFY_VALUE_RANDOM && !held && !v->count)
		steady_values(b, v, MODIFY_VALUE_RANDOM, number, by);
	else if (op->kind == MODIFY_VALUE_RANDOM && !held)
		make_values(b, v, MODIFY_VALUE_RANDOM, c, false);
	else if (op->kind == MODIFY_VALUE_RANDOM)
		make_values(b, v, MODIFY_VALUE_RANDOM, c, true);
	else if (op->kind == MODIFY_VALUE_LIST)
		make_values(b, v, MODIFY_VALUE_LIST, c, true);
	else if (held)
		make_values(b, v, MODIFY_VALUE_COUNT, c, true);
	else
		make_values(b, v, MODIFY_VALUE_COUNT, c, false);
}

/* ---- fields ---- */

/* `bytes` is a constant wherever these are inlined. */
INLINE uint64_t load(const uint8_t *at, uint32_t bytes)
{
	uint16_t two;
	uint32_t four;
	uint64_t eight;

	if (bytes == 2)
		return memcpy(&two, at, 2), two;
	if (bytes == 4)
		return memcpy(&four, at, 4), four;
	return memcpy(&eight, at, 8), eight;
}

INLINE void store(uint8_t *at, uint64_t word, uint32_t bytes)
{
	const uint16_t two = (uint16_t)word;
	const uint32_t four = (uint32_t)word;

	if (bytes == 2)
		memcpy(at, &two, 2);
	else if (bytes == 4)
		memcpy(at, &four, 4);
	else
		memcpy(at, &word, 8);
}

INLINE uint64_t as_loaded(uint64_t big_endian, uint32_t bytes)
{
	if (bytes == 2)
		return htobe16((uint16_t)big_endian);
	if (bytes == 4)
		return htobe32((uint32_t)big_endian);
	return htobe64(big_endian);
}

/* The one's complement sum of ~old and new, below 2^19, congruent to what a sum
 * over these bytes changes by (RFC 1624, eqn. 3: ~m + m'). */
INLINE uint32_t difference(uint64_t old, uint64_t new, uint32_t bytes)
{
	uint64_t sum;

	if (bytes == 2)
		return (uint16_t)~old + (uint32_t) new;
	if (bytes == 4)
		sum = (uint64_t)(uint32_t)~old + new;
	else
		sum = (~old & UINT32_MAX) + (~old >> 32) + (new &UINT32_MAX) +
		      (new >> 32);
	return (uint32_t)(sum & 0xffff) + (uint32_t)(sum >> 16);
}

INLINE uint64_t changed_word(const struct modify_window *w, uint64_t old, uint64_t value,
			     uint32_t bytes)
{
	return (old & ~w->mask) | (as_loaded(value << w->shift, bytes) & w->mask);
}

INLINE void change_fields(struct block *b, const struct modify_window *w, uint32_t bytes,
			  bool storing)
{
	const struct modify_window window = *w;
	uint32_t i;

	for (i = 0; i < b->n; i++) {
		uint8_t *at = b->frame[i] + window.at;
		uint64_t old = load(at, bytes);
		uint64_t new = changed_word(&window, old, b->value[i], bytes);

		if (storing)
			store(at, new, bytes);
		b->delta[i] = difference(old & window.cover, new &window.cover, bytes);
	}
}

/* ---- checksums ---- */

INLINE uint32_t fold(uint32_t sum)
{
	sum = (sum & 0xffff) + (sum >> 16);
	return (sum & 0xffff) + (sum >> 16);
}

INLINE uint32_t swapped(uint32_t delta, uint32_t swap)
{
	return swap ? bswap_16((uint16_t)fold(delta)) : delta;
}

/* RFC 1624, eqn. 3: HC' = ~(~HC + ~m + m'). */
INLINE uint16_t updated(uint16_t checksum, uint32_t delta, uint16_t zero)
{
	uint16_t result = (uint16_t)~fold((uint16_t)~checksum + delta);

	return result ? result : zero;
}

static void add_delta(struct block *b, const struct modify_op *op)
{
	uint32_t *changed = b->changed[op->changed];
	uint32_t i;

	if (op->kind == MODIFY_SET)
		for (i = 0; i < b->n; i++)
			changed[i] = swapped(b->delta[i], op->swap);
	else
		for (i = 0; i < b->n; i++)
			changed[i] += swapped(b->delta[i], op->swap);
}

static void update_sum(struct block *b, const struct modify_op *op)
{
	const uint32_t *changed = b->changed[op->changed];
	const struct modify_sum sum = op->sum[0];
	uint32_t i;

	for (i = 0; i < b->n; i++) {
		uint8_t *at = b->frame[i] + sum.at;
		uint16_t old = (uint16_t)load(at, 2);
		uint16_t new = updated(old, changed[i], sum.zero);

		store(at, new, 2);
		b->delta[i] = difference(old, new, 2);
	}
}

/* One field and its checksums at once. */
INLINE void update_fields(struct block *b, const struct modify_op *op, uint32_t bytes,
			  uint32_t sums)
{
	const struct modify_window window = op->window;
	const struct modify_sum first = op->sum[0], second = op->sum[1];
	uint32_t i;

	for (i = 0; i < b->n; i++) {
		uint8_t *frame = b->frame[i];
		uint64_t old = load(frame + window.at, bytes);
		uint64_t new = changed_word(&window, old, b->value[i], bytes);
		uint32_t delta = difference(old, new, bytes);

		store(frame + window.at, new, bytes);
		if (sums > 0)
			store(frame + first.at,
			      updated((uint16_t)load(frame + first.at, 2), delta,
				      first.zero),
			      2);
		if (sums > 1)
			store(frame + second.at,
			      updated((uint16_t)load(frame + second.at, 2), delta,
				      second.zero),
			      2);
	}
}

INLINE void update(struct block *b, const struct modify_op *op, uint32_t bytes)
{
	if (op->sums == 2)
		update_fields(b, op, bytes, 2);
	else if (op->sums == 1)
		update_fields(b, op, bytes, 1);
	else
		update_fields(b, op, bytes, 0);
}

/* ---- the program ---- */

static void run_op(const struct dxmit_modify *program, const struct modify_op *op,
		   struct block *b)
{
	switch (op->kind) {
	case MODIFY_VALUE_COUNT:
	case MODIFY_VALUE_STEADY:
	case MODIFY_VALUE_LIST:
	case MODIFY_VALUE_RANDOM:
		run_value(program, op, b);
		break;
	case MODIFY_STORE_2:
		change_fields(b, &op->window, 2, true);
		break;
	case MODIFY_STORE_4:
		change_fields(b, &op->window, 4, true);
		break;
	case MODIFY_STORE_8:
		change_fields(b, &op->window, 8, true);
		break;
	case MODIFY_DELTA_2:
		change_fields(b, &op->window, 2, false);
		break;
	case MODIFY_DELTA_4:
		change_fields(b, &op->window, 4, false);
		break;
	case MODIFY_DELTA_8:
		change_fields(b, &op->window, 8, false);
		break;
	case MODIFY_SET:
	case MODIFY_ADD:
		add_delta(b, op);
		break;
	case MODIFY_SUM:
		update_sum(b, op);
		break;
	case MODIFY_UPDATE_2:
		update(b, op, 2);
		break;
	case MODIFY_UPDATE_4:
		update(b, op, 4);
		break;
	case MODIFY_UPDATE_8:
		update(b, op, 8);
		break;
	}
}

static void run_block(const struct dxmit_modify *program, struct block *b)
{
	uint32_t i;

	for (i = 0; i < program->ops; i++)
		run_op(program, &program->op[i], b);
}

void dxmit_modify_frames(const struct dxmit_modify *program, uint8_t *const *frame,
			 uint32_t n, uint64_t number)
{
	struct block b;
	uint32_t done;

	for (done = 0; done < n; done += b.n) {
		b.n = n - done < MODIFY_BLOCK ? n - done : MODIFY_BLOCK;
		b.number = number + done;
		b.frame = frame + done;
		run_block(program, &b);
	}
}

void dxmit_modify_run(const struct dxmit_modify *program, const struct dxmit_queue *q,
		      uint32_t n, uint64_t number)
{
	uint8_t *frame[MODIFY_BLOCK];
	struct block b; /* mostly arrays: not cleared */
	uint32_t done, i;

	b.frame = frame;
	for (done = 0; done < n; done += b.n) {
		b.n = n - done < MODIFY_BLOCK ? n - done : MODIFY_BLOCK;
		b.number = number + done;
		for (i = 0; i < b.n; i++)
			frame[i] = dxmit_frame(q, done + i);
		run_block(program, &b);
	}
}
