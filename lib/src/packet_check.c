/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Which stacks of layers are legal, and for one that is not, which layer is to
 * blame and why, in words.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

#include "packet.h"

#define MAX_TAGS 2

static int refuse(struct dxmit_packet_error *error, enum dxmit_packet_problem problem)
{
	error->problem = problem;
	return -EINVAL;
}

static bool is_tag(enum dxmit_layer_kind kind)
{
	return kind == DXMIT_LAYER_VLAN || kind == DXMIT_LAYER_SVLAN;
}

/* The kind of layer i, and how it stands on the one before it. */
static int check_place(const struct dxmit_packet_spec *spec, uint32_t i,
		       struct dxmit_packet_error *error)
{
	const struct dxmit_layer *layer = spec->layer;
	uint32_t tags = 0;

	if (!dxmit_layer_info(error->kind)) {
		error->value = (uint64_t)error->kind;
		return refuse(error, DXMIT_PACKET_KIND);
	}
	if (i == 0)
		return error->kind == DXMIT_LAYER_ETHERNET
			       ? 0
			       : refuse(error, DXMIT_PACKET_FIRST);
	if (!dxmit_packet_pair(error->under, error->kind))
		return refuse(error, DXMIT_PACKET_ORDER);
	while (tags <= i && is_tag(layer[i - tags].kind))
		tags++;
	return tags > MAX_TAGS ? refuse(error, DXMIT_PACKET_TAGS) : 0;
}

static int check_fields(const struct dxmit_layer *layer, struct dxmit_packet_error *error)
{
	uint32_t i;

	if (layer->fields && !layer->field)
		return refuse(error, DXMIT_PACKET_ARGUMENT);
	for (i = 0; i < layer->fields; i++) {
		const struct dxmit_field_value *set = &layer->field[i];
		const struct dxmit_field *field = dxmit_field(set->field);

		error->field = set->field;
		if (!field || field->layer != layer->kind)
			return refuse(error, DXMIT_PACKET_FIELD);
		error->value = set->value;
		error->limit = dxmit_packet_field_max(field);
		if (set->value > error->limit || (set->high && field->bits <= 64))
			return refuse(error, DXMIT_PACKET_VALUE);
	}
	error->field = DXMIT_FIELD_NONE;
	return 0;
}

static int check_bytes(const struct dxmit_layer *layer, struct dxmit_packet_error *error)
{
	if (layer->byte_count == 0)
		return 0;
	if (!layer->bytes)
		return refuse(error, DXMIT_PACKET_ARGUMENT);
	error->value = layer->byte_count;
	if (layer->kind == DXMIT_LAYER_RAW) {
		error->limit = DXMIT_PACKET_MAX_LENGTH;
		return layer->byte_count > error->limit ? refuse(error, DXMIT_PACKET_LONG)
							: 0;
	}
	if (layer->kind != DXMIT_LAYER_IPV4 && layer->kind != DXMIT_LAYER_TCP)
		return refuse(error, DXMIT_PACKET_BYTES);
	error->limit = PACKET_MAX_OPTIONS;
	return layer->byte_count > error->limit ? refuse(error, DXMIT_PACKET_OPTIONS) : 0;
}

int dxmit_packet_check(const struct dxmit_packet_spec *spec,
		       struct dxmit_packet_error *error)
{
	enum dxmit_layer_kind last = DXMIT_LAYER_NONE;
	uint32_t i;

	error->value = spec->layers;
	error->limit = DXMIT_PACKET_MAX_LAYERS;
	if (spec->layers == 0 || !spec->layer)
		return refuse(error, DXMIT_PACKET_NO_LAYERS);
	if (spec->layers > DXMIT_PACKET_MAX_LAYERS)
		return refuse(error, DXMIT_PACKET_MANY);
	for (i = 0; i < spec->layers; i++) {
		const struct dxmit_layer *layer = &spec->layer[i];

		error->layer = i;
		error->under = last;
		error->kind = last = layer->kind;
		if (check_place(spec, i, error) || check_fields(layer, error) ||
		    check_bytes(layer, error))
			return -EINVAL;
	}
	if (last == DXMIT_LAYER_MPLS || last == DXMIT_LAYER_VXLAN)
		return refuse(error, DXMIT_PACKET_OPEN);
	return 0;
}

/* ---- in words ---- */

static const char *title(enum dxmit_layer_kind kind)
{
	const struct dxmit_layer_info *info = dxmit_layer_info(kind);

	return info ? info->title : "an unknown layer";
}

/* The layers `kind` may stand on, as "IPv4 or IPv6". */
static void list_under(enum dxmit_layer_kind kind, char *buf, size_t len)
{
	const char *found = NULL;
	size_t at = 0;
	int under;

	buf[0] = '\0';
	for (under = 1; under < DXMIT_LAYER_KINDS; under++) {
		if (!dxmit_packet_pair((enum dxmit_layer_kind)under, kind))
			continue;
		if (found && at < len)
			at += (size_t)snprintf(buf + at, len - at, "%s%s", at ? ", " : "",
					       found);
		found = title((enum dxmit_layer_kind)under);
	}
	if (found && at < len)
		snprintf(buf + at, len - at, "%s%s", at ? " or " : "", found);
}

static int order_text(const struct dxmit_packet_error *e, char *buf, size_t len)
{
	char under[128];

	list_under(e->kind, under, sizeof(under));
	return snprintf(buf, len, "%s (layer %" PRIu32 ") cannot follow %s; put it on %s",
			title(e->kind), e->layer + 1, title(e->under),
			under[0] ? under : "nothing, it is always the first");
}

static int field_text(const struct dxmit_packet_error *e, char *buf, size_t len)
{
	const struct dxmit_field *field = dxmit_field(e->field);

	if (e->problem == DXMIT_PACKET_FIELD || !field)
		return snprintf(buf, len,
				"the field %s is no field of %s (layer %" PRIu32
				"); set only the layer's own",
				field ? field->name : "(unknown)", title(e->kind),
				e->layer + 1);
	return snprintf(buf, len,
			"%" PRIu64 " does not fit %s.%s (layer %" PRIu32
			"); use 0 to %" PRIu64,
			e->value, dxmit_layer_info(field->layer)->name, field->name,
			e->layer + 1, e->limit);
}

static int size_text(const struct dxmit_packet_error *e, char *buf, size_t len)
{
	switch (e->problem) {
	case DXMIT_PACKET_OPTIONS:
		return snprintf(buf, len,
				"%s (layer %" PRIu32 ") has %" PRIu64
				" bytes of options; use at most %" PRIu64,
				title(e->kind), e->layer + 1, e->value, e->limit);
	case DXMIT_PACKET_SHORT:
		return snprintf(buf, len,
				"%" PRIu64 " bytes without FCS are too short for the "
				"layers; use at least %" PRIu64,
				e->value, e->limit);
	case DXMIT_PACKET_LONG:
		return snprintf(buf, len,
				"%" PRIu64 " bytes from %s (layer %" PRIu32
				") on are more than its length can say; use at most "
				"%" PRIu64,
				e->value, title(e->kind), e->layer + 1, e->limit);
	default:
		return snprintf(buf, len,
				"%" PRIu64 " bytes do not fit the buffer of %" PRIu64
				"; make the frame shorter",
				e->value, e->limit);
	}
}

/* Problems of the stack as such. */
static int stack_text(const struct dxmit_packet_error *e, char *buf, size_t len)
{
	switch (e->problem) {
	case DXMIT_PACKET_NO_LAYERS:
		return snprintf(buf, len, "no layers; begin with Ethernet");
	case DXMIT_PACKET_MANY:
		return snprintf(buf, len,
				"%" PRIu64 " layers are too many; use at most %" PRIu64,
				e->value, e->limit);
	case DXMIT_PACKET_KIND:
		return snprintf(buf, len,
				"layer %" PRIu32 " is of no known kind (%" PRIu64
				"); use one of packet.h, or a newer libdxmit",
				e->layer + 1, e->value);
	case DXMIT_PACKET_FIRST:
		return snprintf(buf, len, "the first layer is %s; begin with Ethernet",
				title(e->kind));
	case DXMIT_PACKET_TAGS:
		return snprintf(buf, len,
				"layer %" PRIu32 " is a third VLAN tag; use at most two",
				e->layer + 1);
	case DXMIT_PACKET_OPEN:
		return snprintf(buf, len,
				"%s (layer %" PRIu32 ") cannot be the last; add %s",
				title(e->kind), e->layer + 1,
				e->kind == DXMIT_LAYER_MPLS ? "IPv4, IPv6 or raw bytes"
							    : "Ethernet or raw bytes");
	case DXMIT_PACKET_BYTES:
		return snprintf(buf, len,
				"%s (layer %" PRIu32
				") takes no bytes; give them to IPv4 or TCP (options) or "
				"to a raw layer",
				title(e->kind), e->layer + 1);
	default:
		return snprintf(buf, len,
				"an argument is none (layer %" PRIu32
				"); check sizes, pointers and enums",
				e->layer + 1);
	}
}

int dxmit_packet_text(const struct dxmit_packet_error *error, char *buf, size_t len)
{
	if (len)
		buf[0] = '\0';
	switch (error->problem) {
	case DXMIT_PACKET_FINE:
		return 0;
	case DXMIT_PACKET_ORDER:
		return order_text(error, buf, len);
	case DXMIT_PACKET_FIELD:
	case DXMIT_PACKET_VALUE:
		return field_text(error, buf, len);
	case DXMIT_PACKET_OPTIONS:
	case DXMIT_PACKET_SHORT:
	case DXMIT_PACKET_LONG:
	case DXMIT_PACKET_ROOM:
		return size_text(error, buf, len);
	default:
		return stack_text(error, buf, len);
	}
}
