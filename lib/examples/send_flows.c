/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * COUNT frames of 1000 flows on queue 0 of INTERFACE: a packet made of layers, whose
 * source address and port change together, with right checksums.
 */
#include <inttypes.h>
#include <net/if.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <dxmit/dxmit.h>

#define ROOM 256

static int build(uint8_t frame[ROOM], struct dxmit_packet_map *map)
{
	const struct dxmit_field_value ip[] = {
		{ DXMIT_FIELD_IPV4_SOURCE, 0xc6120001, 0 },      /* 198.18.0.1 */
		{ DXMIT_FIELD_IPV4_DESTINATION, 0xc6130001, 0 }, /* 198.19.0.1 */
	};
	const struct dxmit_layer layer[] = {
		{ .kind = DXMIT_LAYER_ETHERNET },
		{ .kind = DXMIT_LAYER_IPV4, .fields = 2, .field = ip },
		{ .kind = DXMIT_LAYER_UDP },
	};
	const struct dxmit_packet_spec spec = {
		.size = sizeof(spec), .layer = layer, .layers = 3, .length = 60
	};

	map->size = sizeof(*map);
	return dxmit_packet_build(&spec, frame, ROOM, map, NULL);
}

/* An address of ten, and with each of them a port of a hundred. */
static int compile(const uint8_t *frame, const struct dxmit_packet_map *map,
		   struct dxmit_modify **program)
{
	struct dxmit_modifier field[] = {
		{ .bits = 32,
		  .kind = DXMIT_MODIFY_RANGE,
		  .first = 0xc6120001,
		  .last = 0xc612000a },
		{ .bits = 16,
		  .kind = DXMIT_MODIFY_RANGE,
		  .nested = 1,
		  .first = 49152,
		  .last = 49251 },
	};
	const struct dxmit_modify_spec spec = {
		.size = sizeof(spec),
		.modifier = field,
		.modifiers = 2,
		.checksum = map->checksum,
		.checksums = map->checksums,
		.frame = frame,
		.length = map->length,
	};

	dxmit_packet_field(map, 1, DXMIT_FIELD_IPV4_SOURCE, &field[0].bit);
	dxmit_packet_field(map, 2, DXMIT_FIELD_UDP_SOURCE, &field[1].bit);
	return dxmit_modify_compile(&spec, program, NULL);
}

/* Ends on any device: a kick answers -ETIMEDOUT when nothing moves for 2 s. */
static int send_all(struct dxmit_queue *q, uint64_t count)
{
	struct dxmit_modify *program = NULL;
	struct dxmit_packet_map map;
	uint8_t frame[ROOM];
	uint32_t i, n;
	int err = build(frame, &map);

	if (err >= 0)
		err = compile(frame, &map, &program);
	while (err >= 0 && (q->submitted < count || q->in_flight > 0)) {
		uint64_t left = count - q->submitted;

		n = dxmit_reserve(q, left < 64 ? (uint32_t)left : 64);
		for (i = 0; i < n; i++)
			memcpy(dxmit_frame(q, i), frame, map.length);
		dxmit_modify_run(program, q, n, q->submitted);
		err = dxmit_submit(q, n, map.length);
		err = err < 0 ? err : dxmit_kick(q);
		err = err < 0 ? err : dxmit_reclaim(q);
	}
	dxmit_modify_free(&program);
	return err < 0 ? err : 0;
}

int main(int argc, char **argv)
{
	struct dxmit_queue_options options = { .size = sizeof(options) };
	struct dxmit_queue *q;
	struct dxmit_error error;
	char text[256];
	int err;

	options.ifindex = argc == 3 ? (int)if_nametoindex(argv[1]) : 0;
	if (dxmit_queue_open(&options, &q, &error) != 0) {
		dxmit_error_text(&error, text, sizeof(text));
		fprintf(stderr, "send_flows INTERFACE COUNT: %s\n", text);
		return 1;
	}
	err = send_all(q, strtoull(argv[2], NULL, 10));
	printf("submitted %" PRIu64 ": %s\n", q->submitted, strerror(-err));
	dxmit_queue_close(&q);
	return err != 0;
}
