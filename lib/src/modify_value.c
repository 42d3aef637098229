/* SPDX-License-Identifier: BSD-2-Clause */
/* Compiling modifiers: the values of a field, and when it takes the next one. */
#include <errno.h>
#include <string.h>

#include "modify_compile.h"

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

int dxmit_modify_value_(struct compile *c, uint32_t index, struct field *f)
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
