/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Compiling modifiers: from fields, kinds of values and the checksums of the
 * packet to the flat program that modify_private.h describes and modify_run.c
 * runs.
 */
#include <endian.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "internal.h"
#include "modify_private.h"

/* A field, resolved. */
struct field {
	struct modify_value value;
	struct modify_window window;
	enum modify_op_kind value_kind;
	uint32_t bytes;  /* of the window */
	uint64_t span;   /* bytes of the window that the field lies in, as a mask */
	uint64_t values; /* until it starts over; 0: never */
};

/* That a change of a field changes a checksum. */
struct effect {
	uint32_t checksum, swap;
	uint64_t cover;
};

struct compile {
	const struct dxmit_modify_spec *spec;
	struct dxmit_modify *program;
	uint64_t *lists;                    /* next free place in program->lists */
	bool touched[MODIFY_MAX_CHECKSUMS]; /* `changed` of it has been set */
	/* The modifier that a nested one goes on from. */
	const struct field *digit;
	struct field field[DXMIT_MODIFY_MAX];
};

/* ---- values ---- */

static uint64_t field_max(const struct dxmit_modifier *m)
{
	return UINT64_MAX >> (64 - m->bits);
}

/* first … last in steps: how many; 0: 2^64. */
static uint64_t range_values(uint64_t first, uint64_t last, uint64_t step)
{
	return (last > first ? last - first : first - last) / step + 1;
}

/* Values of a field that is stepped through round its end: 2^bits over what that
 * has in common with the step; 0: 2^63 or more. */
static uint64_t wrapping_values(uint32_t bits, uint64_t step)
{
	uint32_t even = (uint32_t)__builtin_ctzll(step);

	if (even >= bits)
		return 1;
	return bits - even < 63 ? UINT64_C(1) << (bits - even) : 0;
}

static int resolve_list(struct compile *c, const struct dxmit_modifier *m,
			struct field *f)
{
	uint32_t i;

	if (!m->list || !m->list_values)
		return -EINVAL;
	for (i = 0; i < m->list_values; i++)
		if (m->list[i] > field_max(m))
			return -ERANGE;
	memcpy(c->lists, m->list, m->list_values * sizeof(*m->list));
	f->value_kind = MODIFY_VALUE_LIST;
	f->value.first = 0;
	f->value.list = c->lists;
	f->value.count = m->list_values;
	f->values = m->list_values;
	c->lists += m->list_values;
	return 0;
}

static int resolve_random(const struct dxmit_modifier *m, uint32_t index, struct field *f)
{
	uint64_t last = m->first || m->last ? m->last : field_max(m);

	if (last < m->first)
		return -ERANGE;
	f->value_kind = MODIFY_VALUE_RANDOM;
	f->value.choices = range_values(m->first, last, f->value.step);
	f->value.key = modify_mix(m->seed + 1) ^ modify_mix(~(uint64_t)index);
	f->value.count = m->period;
	f->values = m->period;
	return m->period >> 63 ? -ERANGE : 0;
}

static int resolve_range(const struct dxmit_modifier *m, struct field *f)
{
	uint64_t step = f->value.step;

	f->value_kind = MODIFY_VALUE_COUNT;
	if (m->kind == DXMIT_MODIFY_RANGE) {
		f->values = range_values(m->first, m->last, step);
		if (f->values >> 63) /* as good as never */
			f->values = 0;
		f->value.count = f->values;
	} else {
		/* The field itself wraps. */
		f->values = wrapping_values(m->bits, step);
	}
	if (m->kind == DXMIT_MODIFY_DECREMENT ||
	    (m->kind == DXMIT_MODIFY_RANGE && m->last < m->first))
		f->value.step = -step;
	return 0;
}

/* The first modifier of this link, before `index`; NULL if that is it. */
static const struct field *link_leader(const struct compile *c, uint32_t index)
{
	uint32_t link = c->spec->modifier[index].link, i;

	for (i = 0; link && i < index; i++)
		if (c->spec->modifier[i].link == link)
			return &c->field[i];
	return NULL;
}

static uint64_t product(uint64_t a, uint64_t b)
{
	uint64_t result;

	return __builtin_mul_overflow(a, b, &result) ? UINT64_MAX : result;
}

/* When it advances. */
static int resolve_turns(struct compile *c, uint32_t index, struct field *f)
{
	const struct dxmit_modifier *m = &c->spec->modifier[index];
	const struct field *leader = link_leader(c, index);

	f->value.per_queue = m->per_queue;
	f->value.every = m->hold ? m->hold : 1;
	if (leader) {
		if (m->nested || m->hold || m->per_queue)
			return -EINVAL;
		f->value.per_queue = leader->value.per_queue;
		f->value.every = leader->value.every;
		return 0;
	}
	if (m->nested) {
		if (!c->digit || m->per_queue)
			return -EINVAL;
		f->value.per_queue = c->digit->value.per_queue;
		f->value.every = c->digit->values ? product(product(c->digit->value.every,
								    c->digit->values),
							    f->value.every)
						  : UINT64_MAX;
	}
	c->digit = f;
	return 0;
}

static int resolve_value(struct compile *c, uint32_t index, struct field *f)
{
	const struct dxmit_modifier *m = &c->spec->modifier[index];
	int err;

	if (m->first > field_max(m) || m->last > field_max(m) || m->step > field_max(m))
		return -ERANGE;
	f->value.first = m->first;
	f->value.step = m->step ? m->step : 1;
	if (m->kind == DXMIT_MODIFY_LIST)
		err = resolve_list(c, m, f);
	else if (m->kind == DXMIT_MODIFY_RANDOM)
		err = resolve_random(m, index, f);
	else if ((unsigned int)m->kind <= DXMIT_MODIFY_RANGE)
		err = resolve_range(m, f);
	else
		err = -EINVAL;
	if (!err)
		err = resolve_turns(c, index, f);
	f->value.first += c->spec->queue * m->queue_step;
	if (f->value_kind == MODIFY_VALUE_COUNT && !f->value.count && f->value.every == 1)
		f->value_kind = MODIFY_VALUE_STEADY;
	return err;
}

/* ---- windows ---- */

/* Bytes of a window as the mask that a load of that many gives. */
static uint64_t byte_mask(const uint8_t *byte, uint32_t bytes)
{
	uint16_t two;
	uint32_t four;
	uint64_t eight;

	memcpy(&two, byte, sizeof(two));
	memcpy(&four, byte, sizeof(four));
	memcpy(&eight, byte, sizeof(eight));
	return bytes == 2 ? two : bytes == 4 ? four : eight;
}

/* The bytes of a window that lie in from … to but not in the two at `hole`. */
static uint64_t covered(const struct field *f, uint32_t from, uint32_t to, uint32_t hole)
{
	uint8_t byte[8] = { 0 };
	uint32_t i;

	for (i = 0; i < f->bytes; i++) {
		uint32_t at = f->window.at + i;

		if (at >= from && at < to && at != hole && at != hole + 1)
			byte[i] = 0xff;
	}
	return byte_mask(byte, f->bytes);
}

static uint64_t swap_bytes(uint64_t big_endian, uint32_t bytes)
{
	if (bytes == 2)
		return htobe16((uint16_t)big_endian);
	if (bytes == 4)
		return htobe32((uint32_t)big_endian);
	return htobe64(big_endian);
}

/* Does the window hold bytes first … last of a frame? */
static bool fits(uint32_t at, uint32_t bytes, uint32_t first, uint32_t last,
		 uint32_t length)
{
	return at <= first && last < at + bytes && at + bytes <= length;
}

/*
 * The narrowest window, at an even offset if there is one: sums then need no
 * swap. It may begin before the field, and does so at the end of the frame.
 */
static int choose_window(const struct dxmit_modifier *m, uint32_t length, struct field *f)
{
	uint32_t first = m->bit / 8, last = (m->bit + m->bits - 1) / 8;
	uint32_t odd, bytes, i;

	for (odd = 0; odd < 2; odd++)
		for (bytes = 2; bytes <= 8; bytes *= 2) {
			uint32_t ends = length > bytes ? length - bytes : 0;
			uint32_t at[2] = { odd ? first : first & ~1u,
					   odd ? ends : ends & ~1u };

			for (i = 0; i < 2; i++)
				if (fits(at[i], bytes, first, last, length)) {
					f->window.at = at[i];
					f->bytes = bytes;
					return 0;
				}
		}
	return -EINVAL; /* wider than 8 bytes */
}

static int resolve_window(const struct compile *c, uint32_t index, struct field *f)
{
	const struct dxmit_modifier *m = &c->spec->modifier[index];
	uint32_t length = c->spec->length, in_window;
	int err;

	if (m->bits < 1 || m->bits > 64)
		return -EINVAL;
	if ((uint64_t)m->bit + m->bits > (uint64_t)length * 8)
		return -EMSGSIZE;
	err = choose_window(m, length, f);
	if (err)
		return err;
	in_window = m->bit - 8 * f->window.at;
	f->window.shift = 8 * f->bytes - in_window - m->bits;
	f->window.mask = swap_bytes(field_max(m) << f->window.shift, f->bytes);
	f->window.cover = UINT64_MAX;
	f->span = covered(f, m->bit / 8, (m->bit + m->bits - 1) / 8 + 1, UINT32_MAX - 1);
	return 0;
}

/* ---- effects on checksums ---- */

/* A UDP checksum that is 0 in the template is none, and stays so (RFC 768). */
static bool is_kept(const struct dxmit_modify_spec *spec, uint32_t checksum)
{
	const struct dxmit_packet_checksum *s = &spec->checksum[checksum];
	const uint8_t *frame = spec->frame;

	return !s->udp || frame[s->at] || frame[s->at + 1];
}

/* A stretch of the frame that a checksum sums up. */
static bool effect_on(const struct field *f, uint32_t from, uint32_t to, uint32_t hole,
		      struct effect *effect)
{
	effect->cover = covered(f, from, to, hole);
	effect->swap = (f->window.at - from) & 1;
	if ((effect->cover & f->span) == f->span)
		effect->cover = UINT64_MAX; /* other bytes do not change */
	return (effect->cover & f->span) != 0;
}

/* Returns how many there are. */
static uint32_t find_effects(const struct compile *c, const struct field *f,
			     struct effect effect[2 * MODIFY_MAX_CHECKSUMS])
{
	uint32_t i, n = 0;

	for (i = 0; i < c->spec->checksums; i++) {
		const struct dxmit_packet_checksum *s = &c->spec->checksum[i];

		if (!is_kept(c->spec, i))
			continue;
		effect[n].checksum = i;
		n += effect_on(f, s->from, s->to, s->at, &effect[n]);
		effect[n].checksum = i;
		n += effect_on(f, s->pseudo_from, s->pseudo_to, s->at, &effect[n]);
	}
	return n;
}

static bool covers(const struct dxmit_modify_spec *spec, uint32_t outer, uint32_t inner)
{
	return outer != inner && is_kept(spec, outer) &&
	       spec->checksum[inner].at >= spec->checksum[outer].from &&
	       spec->checksum[inner].at < spec->checksum[outer].to;
}

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
			if (covers(c->spec, outer, effect[i].checksum))
				return false;
	}
	return true;
}

static void emit_field(struct compile *c, const struct field *f)
{
	struct effect effect[2 * MODIFY_MAX_CHECKSUMS];
	uint32_t n = find_effects(c, f, effect), i;
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
			if (covers(spec, outer, i))
				emit_add(c, outer,
					 (spec->checksum[i].at -
					  spec->checksum[outer].from) &
						 1);
	}
}

/* ---- the whole ---- */

static uint64_t greatest_divisor(uint64_t a, uint64_t b)
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
		cycle = product(cycle, packets / greatest_divisor(cycle, packets));
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
			    covers(spec, i, inner))
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
		int err = resolve_window(c, i, f);

		*which = i;
		if (!err)
			err = resolve_value(c, i, f);
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
