/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Values of frame expressions: a scalar, or what changes from packet to packet:
 * a range, a prefix, inc(), dec(), rand(), list(), each perhaps with @LINK.
 */
#include <inttypes.h>
#include <string.h>

#include "expression_parser.h"
#include "parse.h"

#define ALL UINT64_MAX

static const char value_forms[] =
	"a value, A-B, inc(A..B), dec(A..B), rand(A..B) or list(A|B)";

static bool list_add(struct expression_parser *p, struct expression_modifier *m,
		     const struct expression_number *number)
{
	struct expression *out = p->out;

	if (out->listed_values == EXPRESSION_MAX_LISTED)
		return expression_refuse(p, p->at,
					 "too many values in lists; use at most %d",
					 EXPRESSION_MAX_LISTED);
	if (m->list_values++ == 0)
		m->list_from = out->listed_values;
	out->listed[out->listed_values++] = number->value;
	return true;
}

/* ---- settings in parentheses ---- */

struct setting {
	const char *word;
	uint64_t *number; /* NULL: it is a flag */
	bool *flag;
	uint64_t max;
};

/* A setting begins at p->at if a word of this list does. */
static bool find_setting(const struct expression_parser *p, struct expression_modifier *m,
			 struct setting *found)
{
	const struct setting settings[] = {
		{ "step", &m->step, NULL, ALL },
		{ "seed", &m->seed, NULL, ALL },
		{ "hold", &m->hold, NULL, ALL },
		{ "period", &m->period, NULL, ALL },
		{ "queue", &m->queue_step, NULL, ALL },
		{ "nested", NULL, &m->nested, 0 },
		{ "each_queue", NULL, &m->each_queue, 0 },
	};
	size_t length = expression_word(p), i;

	for (i = 0; i < sizeof(settings) / sizeof(settings[0]); i++)
		if (expression_word_is(p, length, settings[i].word)) {
			*found = settings[i];
			return true;
		}
	return false;
}

static bool read_setting(struct expression_parser *p, struct expression_modifier *m)
{
	const char *begin = p->at;
	struct setting found;

	if (!find_setting(p, m, &found))
		return expression_refuse(p, begin,
					 "no such setting; use step, seed, hold, period, "
					 "queue, nested or each_queue");
	p->at += expression_word(p);
	if (found.flag) {
		*found.flag = true;
		return true;
	}
	if (*p->at++ != '=')
		return expression_refuse(p, begin, "%s needs a value; use %s=N",
					 found.word, found.word);
	if (!expression_number(p, found.word, found.max, found.number))
		return false;
	if ((found.number == &m->step || found.number == &m->hold) && !*found.number)
		return expression_refuse(p, begin, "%s cannot be 0; use 1 or more",
					 found.word);
	if ((found.number == &m->seed || found.number == &m->period) &&
	    m->change != EXPRESSION_RANDOM)
		return expression_refuse(p, begin,
					 "%s has no effect here; use it with rand()",
					 found.word);
	if (found.number == &m->step && m->change == EXPRESSION_LIST)
		return expression_refuse(p, begin,
					 "step has no effect in a list; leave it out");
	return true;
}

/* From here to the closing parenthesis; `first` says that none came before. */
static bool read_settings(struct expression_parser *p, struct expression_modifier *m,
			  bool first)
{
	while (*p->at != ')') {
		if (!first && *p->at++ != ',')
			return expression_refuse(
				p, p->at - 1,
				"the parenthesis is not closed; use ) or "
				"a comma and a setting");
		first = false;
		if (!read_setting(p, m))
			return false;
	}
	p->at++;
	return true;
}

/* ---- what changes ---- */

/* A .. B; a modifier knows only the lower half of an IPv6 address. */
static bool set_range(struct expression_parser *p, const char *at,
		      struct expression_modifier *m, const struct expression_number *a,
		      const struct expression_number *b)
{
	if (a->high != b->high)
		return expression_refuse(p, at,
					 "the ends differ in their upper 64 bits; use "
					 "addresses of one /64");
	m->first = a->value;
	m->last = b->value;
	return true;
}

static bool read_ends(struct expression_parser *p, const struct expression_target *t,
		      struct expression_modifier *m, struct expression_number *first)
{
	bool down = m->change == EXPRESSION_DECREMENT;
	const char *begin = p->at;
	struct expression_number b;

	if (!expression_scalar(p, t, first))
		return false;
	if (p->at[0] != '.' || p->at[1] != '.')
		return expression_refuse(p, p->at, "a range needs its end; use A..B");
	p->at += 2;
	if (!expression_scalar(p, t, &b) || !set_range(p, begin, m, first, &b))
		return false;
	if (down ? m->first < m->last : m->first > m->last)
		return expression_refuse(p, begin, "the range runs the wrong way; use %s",
					 down ? "dec(HIGH..LOW)" : "(LOW..HIGH)");
	if (m->change != EXPRESSION_RANDOM)
		m->change = EXPRESSION_RANGE;
	return true;
}

/* inc, dec, rand, alone or with parentheses. */
static bool read_change(struct expression_parser *p, const struct expression_target *t,
			struct expression_modifier *m, struct expression_number *first)
{
	struct setting ignored;
	bool bare = true;

	if (t->field != DXMIT_FIELD_NONE) {
		const struct dxmit_field *row = dxmit_field(t->field);

		*first = (struct expression_number){ row->fallback, row->fallback_high };
	}
	m->first = m->change == EXPRESSION_RANDOM ? 0 : first->value;
	if (*p->at != '(')
		return true;
	p->at++;
	if (*p->at != ')' && !find_setting(p, m, &ignored)) {
		bare = false;
		if (!read_ends(p, t, m, first))
			return false;
	}
	return read_settings(p, m, bare);
}

static bool read_list(struct expression_parser *p, const struct expression_target *t,
		      struct expression_modifier *m, struct expression_number *first)
{
	struct expression_number n;

	if (*p->at++ != '(')
		return expression_refuse(p, p->at - 1,
					 "a list needs values; use list(A|B|C)");
	do {
		const char *begin = p->at;

		if (!expression_scalar(p, t, &n))
			return false;
		if (m->list_values == 0)
			*first = n;
		if (n.high != first->high)
			return expression_refuse(p, begin,
						 "the values differ in their upper 64 "
						 "bits; use addresses of one /64");
		if (!list_add(p, m, &n))
			return false;
	} while (*p->at == '|' && p->at++);
	return read_settings(p, m, false);
}

/* ADDRESS/BITS, the address being read: all of them in order. */
static bool read_prefix(struct expression_parser *p, const struct expression_target *t,
			struct expression_modifier *m,
			const struct expression_number *first)
{
	uint64_t width = t->type == DXMIT_TYPE_IPV4 ? 32 : 128, bits, host;
	const char *begin = ++p->at;

	if (!expression_number(p, "a prefix", width, &bits))
		return false;
	if (width - bits > 64)
		return expression_refuse(p, begin,
					 "only the lower 64 bits can change; use /64 to "
					 "/128");
	host = width - bits == 64 ? ALL : (UINT64_C(1) << (width - bits)) - 1;
	if (first->value & host)
		return expression_refuse(p, begin,
					 "the address has bits behind its prefix; use "
					 "the first address of the prefix, or A-B");
	m->change = EXPRESSION_RANGE;
	m->first = first->value;
	m->last = first->value | host;
	return true;
}

static bool read_dash(struct expression_parser *p, const struct expression_target *t,
		      struct expression_modifier *m,
		      const struct expression_number *first)
{
	const char *begin = p->at++;
	struct expression_number b;

	if (!expression_scalar(p, t, &b) || !set_range(p, begin, m, first, &b))
		return false;
	if (m->first > m->last)
		return expression_refuse(p, begin,
					 "the range runs the wrong way; use LOW-HIGH, or "
					 "dec(HIGH..LOW)");
	m->change = EXPRESSION_RANGE;
	return true;
}

static bool read_link(struct expression_parser *p, struct expression_modifier *m)
{
	const char *begin = p->at++;
	uint64_t link;

	if (!expression_number(p, "a link", EXPRESSION_MAX_LINK, &link))
		return false;
	if (link == 0)
		return expression_refuse(p, begin, "0 is no link; use @1 to @%d",
					 EXPRESSION_MAX_LINK);
	m->link = (uint32_t)link;
	return true;
}

/* The change named at p->at, if one is; -1: none. A list is the last. */
static int find_change(const struct expression_parser *p)
{
	static const struct {
		const char *word;
		enum expression_change change;
	} changes[] = {
		{ "inc", EXPRESSION_INCREMENT },
		{ "dec", EXPRESSION_DECREMENT },
		{ "rand", EXPRESSION_RANDOM },
		{ "list", EXPRESSION_LIST },
	};
	size_t length = expression_word(p), i;

	for (i = 0; i < sizeof(changes) / sizeof(changes[0]); i++)
		/* dec: begins an IPv6 address */
		if (expression_word_is(p, length, changes[i].word) &&
		    p->at[length] != ':')
			return (int)changes[i].change;
	return -1;
}

/* One value; *changes says whether *m describes a change. */
static bool read_value(struct expression_parser *p, const struct expression_target *t,
		       struct expression_modifier *m, struct expression_number *first,
		       bool *changes)
{
	bool address = t->type == DXMIT_TYPE_IPV4 || t->type == DXMIT_TYPE_IPV6;
	int change = find_change(p);

	*changes = true;
	if (change >= 0) {
		m->change = (enum expression_change)change;
		p->at += expression_word(p);
		return change == EXPRESSION_LIST ? read_list(p, t, m, first)
						 : read_change(p, t, m, first);
	}
	if (!expression_scalar(p, t, first))
		return false;
	/* After "/" a digit is a prefix; layers begin with letters. */
	if (address && p->at[0] == '/' && parse_is_digit(p->at[1]))
		return read_prefix(p, t, m, first);
	if (*p->at == '-')
		return read_dash(p, t, m, first);
	*changes = t->field == DXMIT_FIELD_NONE;
	if (!*changes)
		return true;
	m->change = EXPRESSION_LIST; /* bytes are set by a list of one */
	return list_add(p, m, first);
}

bool expression_value(struct expression_parser *p, uint32_t layer,
		      const struct expression_target *target,
		      struct expression_number *first)
{
	bool half = target->type == DXMIT_TYPE_IPV6;
	struct expression_modifier m = {
		.at = (size_t)(p->at - p->text) + 1,
		.layer = layer,
		.field = target->field,
		.bit = target->bit + (half ? 64 : 0),
		.bits = half ? 64 : target->bits,
	};
	bool changes;

	*first = (struct expression_number){ 0, 0 };
	if (!read_value(p, target, &m, first, &changes))
		return false;
	if (*p->at == '@' && !changes)
		return expression_refuse(
			p, p->at, "only what changes can be linked; use %s", value_forms);
	if (*p->at == '@' && !read_link(p, &m))
		return false;
	if (*p->at && !strchr(",/>", *p->at))
		return expression_refuse(p, p->at, "%s does not end here; use %s",
					 target->name, value_forms);
	if (!changes)
		return true;
	if (p->out->modifiers == EXPRESSION_MAX_MODIFIERS)
		return expression_refuse(p, p->at, "too many modifiers; use at most %d",
					 EXPRESSION_MAX_MODIFIERS);
	p->out->modifier[p->out->modifiers++] = m;
	return true;
}
