/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The builder of packets. Five passes over a stack that was found legal: lay out
 * (where each header is), write headers (defaults, lengths, what follows, then
 * the fields that are set), payload, checksums from the innermost layer to the
 * outermost, since an outer one may cover an inner one.
 */
#include <errno.h>
#include <string.h>

#include "internal.h"
#include "packet.h"

#define IP_MAX_BYTES 65535 /* what a 16-bit length can say */
#define GRE_KEY_BYTES 4
#define IPV6_HEADER_BYTES 40

struct build {
	const struct dxmit_packet_spec *spec;
	struct dxmit_packet_map *map;
	uint8_t *frame;
	uint32_t end; /* of the content; padding of the frame follows */
};

/* ---- bits ---- */

static void put_bits64(uint8_t *at, uint32_t bit, uint32_t bits, uint64_t value)
{
	while (bits) { /* from the least significant bit on */
		uint32_t last = bit + bits - 1;
		uint32_t here = last % 8 + 1; /* bits of this byte up to `last` */
		uint32_t n = here < bits ? here : bits;
		uint8_t mask = (uint8_t)(((1u << n) - 1) << (8 - here));

		at[last / 8] = (uint8_t)((at[last / 8] & ~mask) |
					 ((value << (8 - here)) & mask));
		value >>= n;
		bits -= n;
	}
}

static void put_value(uint8_t *header, const struct dxmit_field *field, uint64_t value,
		      uint64_t high)
{
	if (field->bits <= 64) {
		put_bits64(header, field->bit, field->bits, value);
		return;
	}
	put_bits64(header, field->bit, 64, high);
	put_bits64(header, field->bit + 64u, 64, value);
}

static void put_number(uint8_t *header, enum dxmit_field_id id, uint64_t value)
{
	put_value(header, dxmit_field(id), value, 0);
}

/* ---- layout ---- */

/* How `layer` sets a field, or NULL. */
static const struct dxmit_field_value *field_set(const struct dxmit_layer *layer,
						 enum dxmit_field_id field)
{
	uint32_t i;

	for (i = layer->fields; i-- > 0;)
		if (layer->field[i].field == field)
			return &layer->field[i];
	return NULL;
}

static uint32_t header_bytes(const struct dxmit_layer *layer)
{
	uint32_t bytes = dxmit_layer_info(layer->kind)->header_bytes;

	if (layer->kind == DXMIT_LAYER_RAW)
		return layer->byte_count;
	if (layer->kind == DXMIT_LAYER_GRE && field_set(layer, DXMIT_FIELD_GRE_KEY))
		bytes += GRE_KEY_BYTES;
	return bytes + (layer->byte_count + 3) / 4 * 4;
}

static int refuse_size(struct dxmit_packet_error *error,
		       enum dxmit_packet_problem problem, uint64_t value, uint64_t limit)
{
	error->problem = problem;
	error->value = value;
	error->limit = limit;
	return -EMSGSIZE;
}

/* Every layer's offset; the payload begins where the last one ends. */
static void lay_out(struct build *b)
{
	struct dxmit_packet_map *map = b->map;
	uint32_t at = 0, i;

	map->layers = b->spec->layers;
	for (i = 0; i < map->layers; i++) {
		struct dxmit_packet_layer *layer = &map->layer[i];

		layer->kind = b->spec->layer[i].kind;
		layer->offset = at;
		layer->header_bytes = header_bytes(&b->spec->layer[i]);
		at += layer->header_bytes;
	}
	map->payload_at = at;
}

/* What a layer's 16-bit length has to say. */
static uint32_t said_bytes(const struct dxmit_packet_layer *layer, uint32_t end)
{
	uint32_t bytes = end - layer->offset;

	if (layer->kind == DXMIT_LAYER_IPV6)
		return bytes - IPV6_HEADER_BYTES;
	return layer->kind == DXMIT_LAYER_IPV4 || layer->kind == DXMIT_LAYER_UDP ? bytes
										 : 0;
}

static int fit(struct build *b, size_t room, struct dxmit_packet_error *error)
{
	struct dxmit_packet_map *map = b->map;
	uint32_t need = map->payload_at, length = b->spec->length, i;

	if (length == 0)
		length = need < DXMIT_UDP_MIN_LENGTH ? DXMIT_UDP_MIN_LENGTH : need;
	if (length < need)
		return refuse_size(error, DXMIT_PACKET_SHORT, length, need);
	b->end = b->spec->payload == DXMIT_PAYLOAD_NONE ? need : length;
	for (i = 0; i < map->layers; i++) {
		uint32_t said = said_bytes(&map->layer[i], b->end);

		error->layer = i;
		error->kind = map->layer[i].kind;
		if (said > IP_MAX_BYTES)
			return refuse_size(error, DXMIT_PACKET_LONG, said, IP_MAX_BYTES);
	}
	error->layer = 0;
	error->kind = map->layer[0].kind;
	if (length > DXMIT_PACKET_MAX_LENGTH)
		return refuse_size(error, DXMIT_PACKET_LONG, length,
				   DXMIT_PACKET_MAX_LENGTH);
	if (length > room)
		return refuse_size(error, DXMIT_PACKET_ROOM, length, room);
	map->length = length;
	map->payload_bytes = b->end - need;
	return 0;
}

/* ---- headers ---- */

static void put_defaults(uint8_t *header, enum dxmit_layer_kind kind)
{
	int id;

	for (id = 1; id < DXMIT_FIELDS; id++) {
		const struct dxmit_field *field = dxmit_field((enum dxmit_field_id)id);

		if (field->layer == kind && field->role == DXMIT_ROLE_PLAIN)
			put_value(header, field, field->fallback, field->fallback_high);
	}
}

static void put_lengths(const struct build *b, uint32_t i, uint8_t *header)
{
	const struct dxmit_packet_layer *layer = &b->map->layer[i];
	uint32_t said = said_bytes(layer, b->end);

	switch (layer->kind) {
	case DXMIT_LAYER_IPV4:
		put_number(header, DXMIT_FIELD_IPV4_IHL, layer->header_bytes / 4);
		put_number(header, DXMIT_FIELD_IPV4_LENGTH, said);
		break;
	case DXMIT_LAYER_IPV6:
		put_number(header, DXMIT_FIELD_IPV6_LENGTH, said);
		break;
	case DXMIT_LAYER_UDP:
		put_number(header, DXMIT_FIELD_UDP_LENGTH, said);
		break;
	case DXMIT_LAYER_TCP:
		put_number(header, DXMIT_FIELD_TCP_OFFSET, layer->header_bytes / 4);
		break;
	case DXMIT_LAYER_GRE:
		put_number(header, DXMIT_FIELD_GRE_KEY_PRESENT,
			   field_set(&b->spec->layer[i], DXMIT_FIELD_GRE_KEY) != NULL);
		break;
	default:
		break;
	}
}

/* Nothing above is like raw bytes above. */
static void put_next(const struct build *b, uint32_t i, uint8_t *header)
{
	const struct dxmit_packet_map *map = b->map;
	enum dxmit_layer_kind kind = map->layer[i].kind;
	enum dxmit_field_id field = dxmit_packet_next_field(kind);
	const struct packet_pair *pair = dxmit_packet_pair(
		kind, i + 1 < map->layers ? map->layer[i + 1].kind : DXMIT_LAYER_RAW);

	if (field != DXMIT_FIELD_NONE && pair && pair->next != PACKET_NO_NEXT)
		put_number(header, field, pair->next);
}

static void write_header(const struct build *b, uint32_t i)
{
	const struct dxmit_layer *layer = &b->spec->layer[i];
	uint8_t *header = b->frame + b->map->layer[i].offset;
	uint32_t n;

	memset(header, 0, b->map->layer[i].header_bytes);
	if (layer->byte_count)
		memcpy(header + dxmit_layer_info(layer->kind)->header_bytes, layer->bytes,
		       layer->byte_count);
	put_defaults(header, layer->kind);
	put_lengths(b, i, header);
	put_next(b, i, header);
	for (n = 0; n < layer->fields; n++)
		put_value(header, dxmit_field(layer->field[n].field),
			  layer->field[n].value, layer->field[n].high);
}

static void write_payload(const struct build *b)
{
	uint8_t *payload = b->frame + b->map->payload_at;
	uint32_t bytes = b->map->payload_bytes, i;

	memset(payload,
	       b->spec->payload == DXMIT_PAYLOAD_BYTE ? b->spec->payload_byte : 0, bytes);
	if (b->spec->payload == DXMIT_PAYLOAD_COUNT)
		for (i = 0; i < bytes; i++)
			payload[i] = (uint8_t)i;
	memset(b->frame + b->end, 0, b->map->length - b->end);
}

/* ---- checksums ---- */

static const struct {
	enum dxmit_field_id field; /* NONE: the layer has no checksum */
	uint8_t protocol;          /* in the pseudo header */
	bool pseudo;
} sums[DXMIT_LAYER_KINDS] = {
	[DXMIT_LAYER_IPV4] = { DXMIT_FIELD_IPV4_CHECKSUM, 0, false },
	[DXMIT_LAYER_UDP] = { DXMIT_FIELD_UDP_CHECKSUM, 17, true },
	[DXMIT_LAYER_TCP] = { DXMIT_FIELD_TCP_CHECKSUM, 6, true },
	[DXMIT_LAYER_ICMP] = { DXMIT_FIELD_ICMP_CHECKSUM, 1, false },
	/* RFC 4443, section 2.3: unlike ICMP, with a pseudo header. */
	[DXMIT_LAYER_ICMPV6] = { DXMIT_FIELD_ICMPV6_CHECKSUM, 58, true },
};

/* VXLAN over IPv4: "It SHOULD be transmitted as zero" (RFC 7348, section 5). Over
 * IPv6 zero needs a receiver set up for it (RFC 6936). */
static bool goes_without(const struct dxmit_packet_map *map, uint32_t i)
{
	return map->layer[i].kind == DXMIT_LAYER_UDP && i + 1 < map->layers &&
	       map->layer[i + 1].kind == DXMIT_LAYER_VXLAN &&
	       map->layer[i - 1].kind == DXMIT_LAYER_IPV4;
}

/* The addresses of the IP header right under a transport. */
static void find_addresses(const struct dxmit_packet_layer *ip,
			   struct dxmit_packet_checksum *sum)
{
	enum dxmit_field_id first = ip->kind == DXMIT_LAYER_IPV6
					    ? DXMIT_FIELD_IPV6_SOURCE
					    : DXMIT_FIELD_IPV4_SOURCE;
	const struct dxmit_field *source = dxmit_field(first);

	sum->pseudo_from = ip->offset + source->bit / 8u;
	sum->pseudo_to = sum->pseudo_from + 2u * source->bits / 8u;
}

/* The pseudo header has a 32-bit length and a protocol (RFC 8200, section 8.1);
 * that of IPv4 sums up to the same. */
static uint16_t compute(const uint8_t *frame, const struct dxmit_packet_checksum *sum)
{
	uint32_t bytes = sum->to - sum->from;
	uint8_t pseudo[8] = { (uint8_t)(bytes >> 24),
			      (uint8_t)(bytes >> 16),
			      (uint8_t)(bytes >> 8),
			      (uint8_t)bytes,
			      0,
			      0,
			      0,
			      sum->protocol };
	uint32_t partial = dxmit_checksum_add(0, frame + sum->from, bytes);
	uint16_t checksum;

	if (sum->pseudo_to) {
		partial = dxmit_checksum_add(partial, pseudo, sizeof(pseudo));
		partial = dxmit_checksum_add(partial, frame + sum->pseudo_from,
					     sum->pseudo_to - sum->pseudo_from);
	}
	checksum = dxmit_checksum_fold(partial);
	return sum->udp && checksum == 0 ? 0xffff : checksum;
}

static void write_checksum(struct build *b, uint32_t i)
{
	struct dxmit_packet_map *map = b->map;
	const struct dxmit_packet_layer *layer = &map->layer[i];
	enum dxmit_field_id field = sums[layer->kind].field;
	struct dxmit_packet_checksum *sum = &map->checksum[map->checksums];
	uint16_t checksum;

	if (field == DXMIT_FIELD_NONE || field_set(&b->spec->layer[i], field) ||
	    goes_without(map, i))
		return;
	sum->layer = i;
	sum->at = layer->offset + dxmit_field(field)->bit / 8u;
	sum->from = layer->offset;
	sum->to = layer->kind == DXMIT_LAYER_IPV4 ? layer->offset + layer->header_bytes
						  : b->end;
	sum->protocol = sums[layer->kind].protocol;
	sum->udp = layer->kind == DXMIT_LAYER_UDP;
	if (sums[layer->kind].pseudo)
		find_addresses(layer - 1, sum);
	checksum = compute(b->frame, sum); /* its own field is still 0 */
	memcpy(b->frame + sum->at, &checksum, sizeof(checksum));
	map->checksums++;
}

/* ---- public ---- */

static int build(struct build *b, size_t room, struct dxmit_packet_error *error)
{
	int err = dxmit_packet_check(b->spec, error);
	uint32_t i;

	if (err)
		return err;
	memset(error, 0, sizeof(*error));
	lay_out(b);
	err = fit(b, room, error);
	if (err)
		return err;
	for (i = 0; i < b->map->layers; i++)
		write_header(b, i);
	write_payload(b);
	for (i = b->map->layers; i-- > 0;)
		write_checksum(b, i);
	return 0;
}

int dxmit_packet_build(const struct dxmit_packet_spec *from, void *buf, size_t room,
		       struct dxmit_packet_map *map, struct dxmit_packet_error *error)
{
	struct dxmit_packet_error why = { .problem = DXMIT_PACKET_ARGUMENT };
	struct dxmit_packet_map made = { .size = sizeof(made) };
	struct dxmit_packet_spec spec;
	struct build b = { .spec = &spec, .map = &made, .frame = buf };
	int err = -EINVAL;

	if (buf && !dxmit_copy_in(&spec, sizeof(spec), from, sizeof(size_t)) &&
	    (unsigned int)spec.payload <= DXMIT_PAYLOAD_NONE)
		err = build(&b, room, &why);
	if (!err && map && dxmit_copy_out(map, &made, sizeof(made))) {
		why = (struct dxmit_packet_error){ .problem = DXMIT_PACKET_ARGUMENT };
		err = -EINVAL;
	}
	if (!err)
		memset(&why, 0, sizeof(why));
	if (error)
		*error = why;
	return err ? err : (int)made.length;
}

int dxmit_packet_field(const struct dxmit_packet_map *map, uint32_t layer,
		       enum dxmit_field_id id, uint32_t *bit)
{
	const struct dxmit_field *field = dxmit_field(id);

	if (!field || layer >= map->layers || field->layer != map->layer[layer].kind)
		return -EINVAL;
	if (field->bit + (uint32_t)field->bits > 8 * map->layer[layer].header_bytes)
		return -ENOENT;
	*bit = 8 * map->layer[layer].offset + field->bit;
	return 0;
}

int dxmit_stamp_locate(const struct dxmit_packet_map *map,
		       struct dxmit_stamp_place *place)
{
	uint32_t at = map->payload_at, i;

	if (map->layers == 0 || map->layer[map->layers - 1].kind != DXMIT_LAYER_UDP)
		return -ENOENT;
	if (map->payload_bytes < DXMIT_STAMP_BYTES)
		return -EMSGSIZE;
	*place = (struct dxmit_stamp_place){ .at = at };
	for (i = 0; i < map->checksums; i++)
		if (map->checksum[i].from <= at &&
		    at + DXMIT_STAMP_BYTES <= map->checksum[i].to) {
			place->checksum_at = map->checksum[i].at;
			place->udp = map->checksum[i].udp;
			break;
		}
	return 0;
}
