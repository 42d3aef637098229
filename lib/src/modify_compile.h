/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the parts of the compiler of modifiers share: modify.c makes the program,
 * modify_value.c says which values a field goes through, modify_window.c where it
 * lies and which checksums it changes.
 */
#ifndef DXMIT_MODIFY_COMPILE_H
#define DXMIT_MODIFY_COMPILE_H

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

static inline uint64_t field_max(const struct dxmit_modifier *m)
{
	return UINT64_MAX >> (64 - m->bits);
}

static inline uint64_t product(uint64_t a, uint64_t b)
{
	uint64_t result;

	return __builtin_mul_overflow(a, b, &result) ? UINT64_MAX : result;
}

/* Fill the value and value_kind of a field, or its window; 0 or -errno. */
int dxmit_modify_value_(struct compile *c, uint32_t index, struct field *f);
int dxmit_modify_window_(const struct compile *c, uint32_t index, struct field *f);

/* The checksums that a change of the field changes; returns how many. */
uint32_t dxmit_modify_effects_(const struct compile *c, const struct field *f,
			       struct effect effect[2 * MODIFY_MAX_CHECKSUMS]);

/* Is the checksum `inner` itself summed up by `outer`? */
bool dxmit_modify_covers_(const struct dxmit_modify_spec *spec, uint32_t outer,
			  uint32_t inner);

#endif
