/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Frame expressions: a packet in one line, such as
 *
 *	eth/vlan:100/ip4:10.0.0.1>10.0.0.0/24/udp:1000>2000-2999,checksum=0
 *
 * read into layers, set fields and modifiers. The grammar:
 *
 *	frame    = layer *( "/" layer ) [ "/pad" ]
 *	layer    = name [ ":" argument *( "," argument ) ]
 *	argument = [ value ">" ] value          ; only as the first one
 *	         | key "=" value                ; a field of the layer
 *	         | "byte" N [ "-" M ] "=" value ; bytes N to M of the layer
 *	         | ( "hex" | "options" ) "=" digits | "file=" the rest
 *	value    = scalar
 *	         | scalar "-" scalar            ; as inc(A..B)
 *	         | address "/" bits             ; all addresses of the prefix
 *	         | change [ "(" [ scalar ".." scalar ] *( "," setting ) ")" ]
 *	         | "list(" scalar *( "|" scalar ) *( "," setting ) ")"
 *	           ; each but the first form perhaps followed by "@" N
 *	change   = "inc" | "dec" | "rand"
 *	setting  = ( "step" | "seed" | "hold" | "period" | "queue" ) "=" N
 *	         | "nested" | "each_queue"
 *
 * "pad": what the layers leave of the length is no payload, but frame padding.
 * Pure but for expression_load(); nothing is rounded, wrapped or ignored.
 */
#ifndef APP_EXPRESSION_H
#define APP_EXPRESSION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <dxmit/packet.h>

#define EXPRESSION_MAX_VALUES 256   /* fields set in all layers together */
#define EXPRESSION_MAX_MODIFIERS 64 /* as many as one program takes */
#define EXPRESSION_MAX_LISTED 4096  /* values in all lists together */
#define EXPRESSION_MAX_LINK 255

enum expression_change {
	EXPRESSION_RANGE,     /* first … last, upwards or downwards, again */
	EXPRESSION_INCREMENT, /* from first on, wraps with the field */
	EXPRESSION_DECREMENT, /* likewise downwards */
	EXPRESSION_RANDOM,    /* any of first … last; 0 and 0: the whole field */
	EXPRESSION_LIST,      /* list[0], list[1] … again */
};

/* A field that changes. Its first value is set in the layer, too. */
struct expression_modifier {
	size_t at; /* position in the text, from 1; for messages */
	uint32_t layer;
	enum dxmit_field_id field; /* DXMIT_FIELD_NONE: bytes of the layer */
	uint32_t bit;              /* from the layer's first bit */
	uint32_t bits;             /* 1 … 64; of an IPv6 address the lower half */
	enum expression_change change;
	uint64_t first, last; /* host byte order */
	uint64_t step;        /* 0: not given, as all below */
	uint64_t hold;        /* packets for which each value stays */
	uint64_t queue_step;  /* added for each queue number */
	uint64_t seed;
	uint64_t period; /* RANDOM: again after so many */
	uint32_t link;   /* @N; modifiers with the same number go together */
	bool nested;     /* advances when the one before is through */
	bool each_queue; /* every queue counts for itself */
	uint32_t list_from, list_values; /* in expression.listed */
};

struct expression_layer {
	size_t at; /* position in the text, from 1 */
	enum dxmit_layer_kind kind;
	uint32_t value_from, values; /* in expression.value */
	uint8_t *bytes;              /* options, raw; allocated */
	uint32_t byte_count;
	char *file; /* raw: whose content is bytes; allocated */
};

struct expression {
	uint32_t layers, values, modifiers, listed_values;
	bool pad;
	struct expression_layer layer[DXMIT_PACKET_MAX_LAYERS];
	struct dxmit_field_value value[EXPRESSION_MAX_VALUES];
	struct expression_modifier modifier[EXPRESSION_MAX_MODIFIERS];
	uint64_t listed[EXPRESSION_MAX_LISTED];
};

#define EXPRESSION_ERROR_LEN 256
struct expression_error {
	size_t at;     /* position in the text, from 1; 0: of no single place */
	uint32_t need; /* not 0: the frame is too short, this is long enough */
	char text[EXPRESSION_ERROR_LEN]; /* "REASON; REMEDY", one line */
};

/*
 * Read `text`. Returns true and an expression to be freed with
 * expression_free(), or false and *error. The stack is legal then, and so is
 * every value; whether the packet fits a length is not yet known. Opens no file.
 */
bool expression_parse(const char *text, struct expression **out,
		      struct expression_error *error);
/* Read the file of a raw layer, if there is one, into its bytes. */
bool expression_load(struct expression *expression, struct expression_error *error);
void expression_free(struct expression *expression); /* NULL is fine */

/* What the expression does not say. */
struct expression_rest {
	uint32_t length; /* bytes without FCS; 0: the shortest */
	enum dxmit_payload payload;
	uint8_t payload_byte;
	/* NULL, or the MAC address to send from, and to name as the sender in
	 * ARP, where the expression says none. */
	const uint8_t *source_mac;
};

/* Build the frame with the first value of every modifier. Returns its length, or
 * -errno of dxmit_packet_build() and *error. */
int expression_build(const struct expression *expression,
		     const struct expression_rest *rest, void *buf, size_t room,
		     struct dxmit_packet_map *map, struct expression_error *error);

/*
 * First bit of a modifier's field, from the first bit of the frame. Returns 0, or
 * -EMSGSIZE and *error if it is not within the frame.
 */
int expression_modifier_bit(const struct expression_modifier *modifier,
			    const struct dxmit_packet_map *map, uint32_t *bit,
			    struct expression_error *error);

/* The fields whose values may stand first in a layer, without their keys. */
struct expression_short {
	enum dxmit_field_id left;  /* before ">"; NONE: there is no ">" */
	enum dxmit_field_id right; /* after it, or alone; NONE: no short form */
};
struct expression_short expression_short(enum dxmit_layer_kind kind);

/* Print the syntax and every layer with its fields, from the field table. */
void expression_help(FILE *out);

#endif
