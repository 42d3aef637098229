/* SPDX-License-Identifier: BSD-2-Clause */
/* What the files that build packets share: the tables, and the legal stacks. */
#ifndef DXMIT_SRC_PACKET_H
#define DXMIT_SRC_PACKET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <dxmit/packet.h>

/* Options of IPv4 and TCP: their headers have at most 15 words of 4 bytes. */
#define PACKET_MAX_OPTIONS 40
#define PACKET_NO_NEXT UINT32_MAX

/* `kind` may follow `under`, which says so by `next`. */
struct packet_pair {
	enum dxmit_layer_kind under, kind;
	uint32_t next; /* PACKET_NO_NEXT: it does not say so */
};

/* NULL: it may not. */
const struct packet_pair *dxmit_packet_pair(enum dxmit_layer_kind under,
					    enum dxmit_layer_kind kind);
/* The field that holds packet_pair.next, or DXMIT_FIELD_NONE. */
enum dxmit_field_id dxmit_packet_next_field(enum dxmit_layer_kind kind);
/* The largest value of a field; of 128-bit fields, of either half. */
uint64_t dxmit_packet_field_max(const struct dxmit_field *field);

/* Is the stack legal, whatever its length? Returns 0 or -EINVAL and *error. */
int dxmit_packet_check(const struct dxmit_packet_spec *spec,
		       struct dxmit_packet_error *error);

#endif
