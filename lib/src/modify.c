/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Compiling modifiers: from fields, kinds of values and the checksums of the
 * packet to the flat program that modify_private.h describes and modify_run.c
 * runs.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "internal.h"
#include "modify_compile.h"

/* ---- operations ---- */

static struct modify_op *emit(struct compile *c, enum modify_op_kind kind)
{
	struct modify_op *op = &c->program->op[c->program->ops++];

	memset(op, 0, sizeof(*op));
	op->kind = kind;
	return op;
}

/* STORE_2 … of the window's width; the three of each kind stand together. */
static struct modify_op *emit_window(struct compile *c, enum modify_op_kind two,
				     const struct field *f, uint64_t cover)
{
	uint32_t wider = f->bytes == 2 ? 0 : f->bytes == 4 ? 1 : 2;
	struct modify_op *op = emit(c, (enum modify_op_kind)(two + wider));

	op->window = f->window;
	op->window.cover = cover;
	return op;
}

static void emit_add(struct compile *c, uint32_t checksum, uint32_t swap)
{
	struct modify_op *op = emit(c, c->touched[checksum] ? MODIFY_ADD : MODIFY_SET);

	op->changed = checksum;
	op->swap = swap;
	c->touched[checksum] = true;
}

static struct modify_sum sum_of(const struct compile *c, uint32_t checksum)
{
	const struct dxmit_packet_checksum *s = &c->spec->checksum[checksum];

	return (struct modify_sum){ .at = s->at, .zero = s->udp ? 0xffff : 0 };
}

/* Are store and checksums one loop? */
static bool is_simple(const struct compile *c, const struct effect *effect, uint32_t n)
{
	uint32_t i, outer;

	/* Past two fields it pays to update checksums once for all of them. */
	if (n > 2 || c->spec->modifiers > 2)
		return false;
	for (i = 0; i < n; i++) {
		if (effect[i].swap || effect[i].cover != UINT64_MAX)
			return false;
		for (outer = 0; outer < c->spec->checksums; outer++)
			if (dxmit_modify_covers_(c->spec, outer, effect[i].checksum))
				return false;
	}
	return true;
}

static void emit_field(struct compile *c, const struct field *f)
{
	struct effect effect[2 * MODIFY_MAX_CHECKSUMS];
	uint32_t n = dxmit_modify_effects_(c, f, effect), i;
	struct modify_op *op = emit(c, f->value_kind);

	op->value = f->value;
	if (is_simple(c, effect, n)) {
		op = emit_window(c, MODIFY_UPDATE_2, f, UINT64_MAX);
		op->sums = n;
		for (i = 0; i < n; i++)
			op->sum[i] = sum_of(c, effect[i].checksum);
		return;
	}
	for (i = 0; i < n; i++) /* while the old bytes are there */
		if (effect[i].cover != UINT64_MAX) {
			emit_window(c, MODIFY_DELTA_2, f, effect[i].cover);
			emit_add(c, effect[i].checksum, effect[i].swap);
		}
	emit_window(c, MODIFY_STORE_2, f, UINT64_MAX);
	for (i = 0; i < n; i++)
		if (effect[i].cover == UINT64_MAX)
			emit_add(c, effect[i].checksum, effect[i].swap);
}

/* A changed checksum is a change to those that cover it. */
static void emit_sums(struct compile *c)
{
	const struct dxmit_modify_spec *spec = c->spec;
	uint32_t i, outer;

	for (i = 0; i < spec->checksums; i++) {
		struct modify_op *op;

		if (!c->touched[i])
			continue;
		op = emit(c, MODIFY_SUM);
		op->changed = i;
		op->sum[0] = sum_of(c, i);
		for (outer = i + 1; outer < spec->checksums; outer++)
			if (dxmit_modify_covers_(spec, outer, i))
				emit_add(c, outer,
					 (spec->checksum[i].at -
					  spec->checksum[outer].from) &
						 1);
	}
}

/* ---- the whole ---- */

static uint64_t common_divisor(uint64_t a, uint64_t b)
{
	while (b) {
		uint64_t rest = a % b;

		a = b;
		b = rest;
	}
	return a;
}

/* Packets until all fields have gone round together; 0: never. */
static uint64_t whole_cycle(const struct compile *c)
{
	uint64_t cycle = 1;
	uint32_t i;

	for (i = 0; i < c->spec->modifiers; i++) {
		const struct field *f = &c->field[i];
		uint64_t packets = product(f->value.every, f->values);

		if (f->value.per_queue)
			packets = product(packets, c->program->queues);
		if (packets == 0 || packets == UINT64_MAX)
			return 0;
		cycle = product(cycle, packets / common_divisor(cycle, packets));
		if (cycle == UINT64_MAX)
			return 0;
	}
	return cycle;
}

static bool range_is_in(uint32_t from, uint32_t to, uint32_t length)
{
	return from <= to && to <= length;
}

static int check_spec(const struct dxmit_modify_spec *spec)
{
	uint32_t i, inner;

	if (spec->modifiers > DXMIT_MODIFY_MAX || spec->checksums > MODIFY_MAX_CHECKSUMS)
		return -E2BIG;
	if ((spec->modifiers && !spec->modifier) ||
	    (spec->checksums && !spec->checksum) || !spec->frame ||
	    spec->length < DXMIT_MIN_LENGTH || spec->length > DXMIT_PACKET_MAX_LENGTH)
		return -EINVAL;
	for (i = 0; i < spec->checksums; i++) {
		const struct dxmit_packet_checksum *s = &spec->checksum[i];

		if (!range_is_in(s->from, s->to, spec->length) ||
		    !range_is_in(s->pseudo_from, s->pseudo_to, spec->length) ||
		    s->at > spec->length - 2)
			return -EINVAL;
		for (inner = i + 1; inner < spec->checksums; inner++)
			if (spec->checksum[inner].at < spec->length - 1 &&
			    dxmit_modify_covers_(spec, i, inner))
				return -EINVAL; /* not innermost first */
	}
	return 0;
}

/* Room for the longest program of these modifiers. */
static int allocate(struct compile *c)
{
	const struct dxmit_modify_spec *spec = c->spec;
	size_t n = spec->checksums, values = 0, i;
	size_t ops = spec->modifiers * (2 + 4 * n) + n * (n + 1);

	for (i = 0; i < spec->modifiers; i++)
		values += spec->modifier[i].kind == DXMIT_MODIFY_LIST
				  ? spec->modifier[i].list_values
				  : 0;
	c->program = calloc(1, sizeof(*c->program) + ops * sizeof(struct modify_op));
	if (!c->program)
		return -ENOMEM;
	c->program->queue = spec->queue;
	c->program->queues = spec->queues ? spec->queues : 1;
	c->program->lists = calloc(values + 1, sizeof(*c->program->lists));
	c->lists = c->program->lists;
	return c->lists ? 0 : -ENOMEM;
}

static int compile_all(struct compile *c, uint32_t *which)
{
	uint32_t i;

	for (i = 0; i < c->spec->modifiers; i++) {
		struct field *f = &c->field[i];
		int err = dxmit_modify_window_(c, i, f);

		*which = i;
		if (!err)
			err = dxmit_modify_value_(c, i, f);
		if (err)
			return err;
		emit_field(c, f);
	}
	emit_sums(c);
	c->program->cycle = whole_cycle(c);
	return 0;
}

int dxmit_modify_compile(const struct dxmit_modify_spec *from, struct dxmit_modify **out,
			 uint32_t *which)
{
	struct dxmit_modify_spec spec;
	struct compile *c;
	uint32_t ignored;
	int err;

	*out = NULL;
	err = dxmit_copy_in(&spec, sizeof(spec), from, sizeof(spec));
	if (!err)
		err = check_spec(&spec);
	if (err)
		return err;
	c = calloc(1, sizeof(*c));
	if (!c)
		return -ENOMEM;
	c->spec = &spec;
	err = allocate(c);
	if (!err)
		err = compile_all(c, which ? which : &ignored);
	if (err)
		dxmit_modify_free(&c->program);
	*out = c->program;
	free(c);
	return err;
}

void dxmit_modify_free(struct dxmit_modify **program)
{
	if (!program || !*program)
		return;
	free((*program)->lists);
	free(*program);
	*program = NULL;
}

uint64_t dxmit_modify_cycle(const struct dxmit_modify *program)
{
	return program->cycle;
}
