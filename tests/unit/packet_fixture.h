/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * For tests of packets: what their checksums have to be, and every legal stack of
 * layers up to a depth.
 */
#ifndef TESTS_PACKET_FIXTURE_H
#define TESTS_PACKET_FIXTURE_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include <dxmit/packet.h>
#include "checksum_fixture.h"
#include "packet.h"

#define TEST_FRAME_ROOM 70000

/* What a checksum field of a frame has to hold by the map. */
static inline unsigned int right_checksum(const uint8_t *frame,
					  const struct dxmit_packet_checksum *c)
{
	unsigned int sum = 0;

	if (c->pseudo_to) {
		uint32_t bytes = c->to - c->from;

		sum = slow_sum(0, frame + c->pseudo_from, c->pseudo_to - c->pseudo_from);
		sum = (sum + c->protocol) % 0xffff;
		sum = (sum + bytes % 0xffff) % 0xffff;
	}
	sum = slow_sum(sum, frame + c->from, c->at - c->from);
	sum = slow_sum(sum, frame + c->at + 2, c->to - c->at - 2);
	sum = 0xffff - sum;
	/* A sum of ffff and one of 0 are the same number; the headers are never
	 * all zero, so ffff is the one that occurs. */
	if (sum == 0xffff)
		sum = 0;
	return c->udp && sum == 0 ? 0xffff : sum;
}

/* Calls `each` for every stack that dxmit_packet_pair() allows and dxmit_packet_check()
 * accepts, of up to `depth` layers; returns how many there were. */
typedef void (*stack_fn)(const struct dxmit_layer *layer, uint32_t layers, void *arg);

static inline unsigned int grow_stack(struct dxmit_layer *layer, uint32_t layers,
				      uint32_t depth, stack_fn each, void *arg)
{
	const struct dxmit_packet_spec spec = { sizeof(spec),       layer, layers, 0,
						DXMIT_PAYLOAD_ZERO, 0 };
	struct dxmit_packet_error error = { 0 };
	unsigned int count = 0;
	int kind;

	if (layers && !dxmit_packet_check(&spec, &error)) {
		each(layer, layers, arg);
		count++;
	} else if (layers && error.problem != DXMIT_PACKET_OPEN) {
		return 0;
	}
	if (layers == depth)
		return count;
	for (kind = 1; kind < DXMIT_LAYER_KINDS; kind++) {
		layer[layers] =
			(struct dxmit_layer){ .kind = (enum dxmit_layer_kind)kind };
		if (kind == DXMIT_LAYER_RAW) {
			layer[layers].bytes = "dxmit!!";
			layer[layers].byte_count = 7;
		}
		count += grow_stack(layer, layers + 1, depth, each, arg);
	}
	return count;
}

static inline unsigned int each_stack(uint32_t depth, stack_fn each, void *arg)
{
	struct dxmit_layer layer[DXMIT_PACKET_MAX_LAYERS];

	return grow_stack(layer, 0, depth, each, arg);
}

#endif
