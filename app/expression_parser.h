/* SPDX-License-Identifier: BSD-2-Clause */
/* What the parts of the parser of frame expressions share. */
#ifndef APP_EXPRESSION_PARSER_H
#define APP_EXPRESSION_PARSER_H

#include "expression.h"

struct expression_parser {
	const char *text; /* the whole */
	const char *at;   /* how far it is read */
	struct expression *out;
	struct expression_error *error;
};

/* What a value is for. */
struct expression_target {
	enum dxmit_field_id field; /* DXMIT_FIELD_NONE: bytes */
	enum dxmit_field_type type;
	uint32_t bit, bits;
	const char *name; /* for messages */
};

struct expression_number {
	uint64_t value, high;
};

/* expression.c: write the error for the place `at`; false. */
bool expression_refuse(struct expression_parser *p, const char *at, const char *format,
		       ...) __attribute__((format(printf, 3, 4)));
/* The word at p->at, a-z, 0-9 and "_"; its length. */
size_t expression_word(const struct expression_parser *p);

/* Is the word of `length` characters at p->at this one? */
bool expression_word_is(const struct expression_parser *p, size_t length,
			const char *word);
/* The same word for a message. */
#define EXPRESSION_SHOWN 24
const char *expression_shown(const struct expression_parser *p, size_t length,
			     char buf[EXPRESSION_SHOWN]);
/* The layer that is being read. */
struct expression_layer *expression_last(const struct expression_parser *p);

/* expression_arguments.c: everything from the ":" behind a layer's name on. */
bool expression_arguments(struct expression_parser *p);

/* expression_scalar.c: one number or address of the target's type, at p->at. */
bool expression_scalar(struct expression_parser *p,
		       const struct expression_target *target,
		       struct expression_number *number);
/* Decimal, or hexadecimal after 0x, up to max. `what` is for messages. */
bool expression_number(struct expression_parser *p, const char *what, uint64_t max,
		       uint64_t *value);

/*
 * expression_value.c: a whole value at p->at. *first is the value for the layer;
 * if it changes, a modifier for layer `layer` is appended. (Bytes without a
 * change become a list of one.)
 */
bool expression_value(struct expression_parser *p, uint32_t layer,
		      const struct expression_target *target,
		      struct expression_number *first);

#endif
