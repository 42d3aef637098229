/* SPDX-License-Identifier: BSD-2-Clause */
/* From a parsed frame expression to the bytes of its frame. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "expression.h"
#include "parse.h"
#include "wire.h"

bool expression_load(struct expression *e, struct expression_error *error)
{
	struct expression_layer *layer = &e->layer[e->layers - 1]; /* raw is the last */
	char shown[64];
	size_t n;
	FILE *file;

	if (!layer->file || layer->bytes)
		return true;
	parse_printable(shown, sizeof(shown), layer->file);
	memset(error, 0, sizeof(*error));
	error->at = layer->at;
	layer->bytes = malloc(DXMIT_PACKET_MAX_LENGTH + 1);
	file = layer->bytes ? fopen(layer->file, "re") : NULL;
	if (!file) {
		snprintf(error->text, sizeof(error->text),
			 "file '%s' cannot be read: %s; check its name and rights", shown,
			 strerror(errno));
		return false;
	}
	n = fread(layer->bytes, 1, DXMIT_PACKET_MAX_LENGTH + 1, file);
	if (ferror(file) || n == 0 || n > DXMIT_PACKET_MAX_LENGTH) {
		snprintf(error->text, sizeof(error->text),
			 "file '%s' %s; use a file of 1 to %d bytes", shown,
			 ferror(file) ? "cannot be read"
			 : n          ? "is too long"
				      : "is empty",
			 DXMIT_PACKET_MAX_LENGTH);
		fclose(file);
		return false;
	}
	fclose(file);
	layer->byte_count = (uint32_t)n;
	return true;
}

/* ---- what the expression leaves to us ---- */

static bool is_set(const struct expression *e, uint32_t layer, enum dxmit_field_id field)
{
	const struct expression_layer *l = &e->layer[layer];
	uint32_t i;

	for (i = l->value_from; i < l->value_from + l->values; i++)
		if (e->value[i].field == field)
			return true;
	return false;
}

/* The sender's MAC address: in the outermost Ethernet, and in ARP if that is
 * not in a tunnel. */
static enum dxmit_field_id mac_field(const struct expression *e, uint32_t layer)
{
	enum dxmit_field_id field = DXMIT_FIELD_NONE;
	uint32_t i;

	if (layer == 0 && e->layer[0].kind == DXMIT_LAYER_ETHERNET)
		field = DXMIT_FIELD_ETHERNET_SOURCE;
	else if (e->layer[layer].kind == DXMIT_LAYER_ARP)
		field = DXMIT_FIELD_ARP_SENDER_MAC;
	for (i = 1; i < layer; i++)
		if (e->layer[i].kind == DXMIT_LAYER_ETHERNET)
			return DXMIT_FIELD_NONE;
	return field && !is_set(e, layer, field) ? field : DXMIT_FIELD_NONE;
}

/* The layers for the library; their fields are in `value`. */
static void make_layers(const struct expression *e, const uint8_t *source_mac,
			struct dxmit_layer *layer, struct dxmit_field_value *value)
{
	uint32_t used = 0, i;

	for (i = 0; i < e->layers; i++) {
		const struct expression_layer *from = &e->layer[i];
		enum dxmit_field_id mac = source_mac ? mac_field(e, i) : DXMIT_FIELD_NONE;

		layer[i] = (struct dxmit_layer){
			.kind = from->kind,
			.fields = from->values,
			.field = &value[used],
			.bytes = from->bytes,
			.byte_count = from->byte_count,
		};
		memcpy(&value[used], &e->value[from->value_from],
		       from->values * sizeof(*value));
		used += from->values;
		if (mac == DXMIT_FIELD_NONE)
			continue;
		value[used++] =
			(struct dxmit_field_value){ .field = mac,
						    .value = mac_number(source_mac) };
		layer[i].fields++;
	}
}

int expression_build(const struct expression *e, const struct expression_rest *rest,
		     void *buf, size_t room, struct dxmit_packet_map *map,
		     struct expression_error *error)
{
	struct dxmit_field_value value[EXPRESSION_MAX_VALUES + DXMIT_PACKET_MAX_LAYERS];
	struct dxmit_layer layer[DXMIT_PACKET_MAX_LAYERS];
	const struct dxmit_packet_spec spec = {
		.size = sizeof(spec),
		.layer = layer,
		.layers = e->layers,
		.length = rest->length,
		.payload = e->pad ? DXMIT_PAYLOAD_NONE : rest->payload,
		.payload_byte = rest->payload_byte,
	};
	struct dxmit_packet_error why;
	int length;

	make_layers(e, rest->source_mac, layer, value);
	if (map)
		map->size = sizeof(*map);
	length = dxmit_packet_build(&spec, buf, room, map, &why);
	if (length < 0) {
		memset(error, 0, sizeof(*error));
		if (why.problem == DXMIT_PACKET_SHORT)
			error->need = (uint32_t)why.limit;
		else if (why.problem != DXMIT_PACKET_ROOM && why.layer < e->layers)
			error->at = e->layer[why.layer].at;
		dxmit_packet_text(&why, error->text, sizeof(error->text));
	}
	return length;
}

int expression_modifier_bit(const struct expression_modifier *m,
			    const struct dxmit_packet_map *map, uint32_t *bit,
			    struct expression_error *error)
{
	const struct dxmit_packet_layer *layer = &map->layer[m->layer];

	*bit = 8 * layer->offset + m->bit;
	if (*bit + m->bits <= 8 * map->length)
		return 0;
	memset(error, 0, sizeof(*error));
	error->at = m->at;
	snprintf(error->text, sizeof(error->text),
		 "the field ends at byte %" PRIu32 " of a frame of %" PRIu32
		 "; use a longer frame, or other bytes",
		 (*bit + m->bits + 7) / 8, map->length);
	return -EMSGSIZE;
}
