/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What is no packet: each illegal stack, field and size is refused, by the layer
 * that is to blame, and in words that say why and what to do.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <regex.h>
#include <stdlib.h>
#include <string.h>

#include "packet_fixture.h"

static uint8_t frame[TEST_FRAME_ROOM];
static struct dxmit_packet_error error;

static int build_in(const struct dxmit_layer *layer, uint32_t layers, uint32_t length,
		    size_t room)
{
	const struct dxmit_packet_spec spec = { sizeof(spec),       layer, layers, length,
						DXMIT_PAYLOAD_ZERO, 0 };

	error = (struct dxmit_packet_error){ 0 };
	return dxmit_packet_build(&spec, frame, room, NULL, &error);
}

/* A stack of kinds, ended by NONE. */
static int build_kinds(const enum dxmit_layer_kind *kind)
{
	struct dxmit_layer layer[DXMIT_PACKET_MAX_LAYERS + 2] = { { 0 } };
	uint32_t layers = 0;

	for (; kind[layers] != DXMIT_LAYER_NONE; layers++)
		layer[layers].kind = kind[layers];
	return build_in(layer, layers, 0, sizeof(frame));
}

#define KINDS(...) \
	build_kinds((const enum dxmit_layer_kind[]){ __VA_ARGS__, DXMIT_LAYER_NONE })

static void is_refused(int answer, int expected, enum dxmit_packet_problem problem,
		       uint32_t layer, const char *words)
{
	char text[256];
	regex_t regex;

	assert_int_equal(answer, expected);
	assert_int_equal(error.problem, problem);
	assert_int_equal(error.layer, layer);
	assert_true(dxmit_packet_text(&error, text, sizeof(text)) < (int)sizeof(text));
	assert_int_equal(regcomp(&regex, "^[^;\n]+; [^;\n]+$", REG_EXTENDED), 0);
	if (regexec(&regex, text, 0, NULL, 0) || !strstr(text, words))
		fail_msg("unexpected words: %s", text);
	regfree(&regex);
}

#define E DXMIT_LAYER_ETHERNET
#define I4 DXMIT_LAYER_IPV4
#define I6 DXMIT_LAYER_IPV6
#define U DXMIT_LAYER_UDP
#define V DXMIT_LAYER_VLAN

static void stacks(void **state)
{
	enum dxmit_layer_kind many[18];
	size_t i;

	(void)state;
	is_refused(build_in(NULL, 0, 0, 100), -EINVAL, DXMIT_PACKET_NO_LAYERS, 0,
		   "begin with Ethernet");
	is_refused(KINDS(I4, U), -EINVAL, DXMIT_PACKET_FIRST, 0, "first layer is IPv4");
	is_refused(KINDS(E, U), -EINVAL, DXMIT_PACKET_ORDER, 1,
		   "UDP (layer 2) cannot follow Ethernet; put it on IPv4 or IPv6");
	is_refused(KINDS(E, E), -EINVAL, DXMIT_PACKET_ORDER, 1, "GRE or VXLAN");
	is_refused(KINDS(E, I6, DXMIT_LAYER_ICMP), -EINVAL, DXMIT_PACKET_ORDER, 2,
		   "ICMP (layer 3) cannot follow IPv6; put it on IPv4");
	is_refused(KINDS(E, I4, DXMIT_LAYER_ICMPV6), -EINVAL, DXMIT_PACKET_ORDER, 2,
		   "put it on IPv6");
	is_refused(KINDS(E, V, DXMIT_LAYER_SVLAN), -EINVAL, DXMIT_PACKET_ORDER, 2,
		   "service VLAN tag");
	is_refused(KINDS(E, V, V, V), -EINVAL, DXMIT_PACKET_TAGS, 3, "third VLAN tag");
	is_refused(KINDS(E, I4, DXMIT_LAYER_RAW, DXMIT_LAYER_RAW), -EINVAL,
		   DXMIT_PACKET_ORDER, 3, "raw bytes (layer 4)");
	is_refused(KINDS(E, DXMIT_LAYER_MPLS), -EINVAL, DXMIT_PACKET_OPEN, 1,
		   "MPLS label (layer 2) cannot be the last");
	is_refused(KINDS(E, I4, U, DXMIT_LAYER_VXLAN), -EINVAL, DXMIT_PACKET_OPEN, 3,
		   "add Ethernet or raw");
	is_refused(KINDS(E, DXMIT_LAYER_KINDS), -EINVAL, DXMIT_PACKET_KIND, 1,
		   "no known kind");
	for (i = 0; i < 17; i++)
		many[i] = i ? I4 : E;
	many[17] = DXMIT_LAYER_NONE;
	is_refused(build_kinds(many), -EINVAL, DXMIT_PACKET_MANY, 0, "at most 16");
	many[16] = DXMIT_LAYER_NONE;
	assert_int_equal(build_kinds(many), 14 + 15 * 20);
	/* Two tags inside, too: a count per frame, not per packet. */
	assert_true(KINDS(E, V, V, I4, U, DXMIT_LAYER_VXLAN, E, V, V, I4) > 0);
}

static void fields(void **state)
{
	struct dxmit_field_value set[2] = { { DXMIT_FIELD_IPV4_TTL, 255, 0 },
					    { DXMIT_FIELD_IPV4_TTL, 256, 0 } };
	struct dxmit_layer layer[2] = { { .kind = E },
					{ .kind = I4, .fields = 2, .field = set } };

	(void)state;
	is_refused(build_in(layer, 2, 0, 100), -EINVAL, DXMIT_PACKET_VALUE, 1,
		   "256 does not fit ip4.ttl (layer 2); use 0 to 255");
	set[1].value = 1;
	set[1].high = 1;
	is_refused(build_in(layer, 2, 0, 100), -EINVAL, DXMIT_PACKET_VALUE, 1,
		   "does not fit");
	set[1].high = 0;
	assert_int_equal(build_in(layer, 2, 0, 100), 60);
	set[1].field = DXMIT_FIELD_UDP_SOURCE;
	is_refused(build_in(layer, 2, 0, 100), -EINVAL, DXMIT_PACKET_FIELD, 1,
		   "src is no field of IPv4 (layer 2)");
	set[1].field = DXMIT_FIELDS;
	is_refused(build_in(layer, 2, 0, 100), -EINVAL, DXMIT_PACKET_FIELD, 1,
		   "(unknown)");
	layer[1].field = NULL;
	is_refused(build_in(layer, 2, 0, 100), -EINVAL, DXMIT_PACKET_ARGUMENT, 1,
		   "argument");
}

static void bytes(void **state)
{
	static const uint8_t some[70000];
	struct dxmit_layer layer[3] = { { .kind = E },
					{ .kind = I4, .bytes = some, .byte_count = 40 } };

	(void)state;
	assert_int_equal(build_in(layer, 2, 0, 100), 74);
	layer[1].byte_count = 41;
	is_refused(build_in(layer, 2, 0, 100), -EINVAL, DXMIT_PACKET_OPTIONS, 1,
		   "at most 40");
	layer[1].bytes = NULL;
	is_refused(build_in(layer, 2, 0, 100), -EINVAL, DXMIT_PACKET_ARGUMENT, 1,
		   "argument");
	layer[1] = (struct dxmit_layer){ .kind = I6, .bytes = some, .byte_count = 1 };
	is_refused(build_in(layer, 2, 0, 100), -EINVAL, DXMIT_PACKET_BYTES, 1,
		   "takes no bytes");
	layer[1] = (struct dxmit_layer){ .kind = DXMIT_LAYER_RAW,
					 .bytes = some,
					 .byte_count = 66001 };
	is_refused(build_in(layer, 2, 0, sizeof(frame)), -EINVAL, DXMIT_PACKET_LONG, 1,
		   "at most 66000");
}

static void sizes(void **state)
{
	struct dxmit_layer layer[3] = { { .kind = E }, { .kind = I4 }, { .kind = U } };

	(void)state;
	assert_int_equal(build_in(layer, 3, 42, 42), 42);
	is_refused(build_in(layer, 3, 41, 100), -EMSGSIZE, DXMIT_PACKET_SHORT, 0,
		   "41 bytes without FCS are too short for the layers; use at least 42");
	is_refused(build_in(layer, 3, 100, 99), -EMSGSIZE, DXMIT_PACKET_ROOM, 0,
		   "buffer of 99");
	is_refused(build_in(layer, 3, 0, 59), -EMSGSIZE, DXMIT_PACKET_ROOM, 0,
		   "60 bytes");
	assert_int_equal(build_in(layer, 3, 14 + 65535, sizeof(frame)), 14 + 65535);
	is_refused(build_in(layer, 3, 14 + 65536, sizeof(frame)), -EMSGSIZE,
		   DXMIT_PACKET_LONG, 1, "IPv4 (layer 2)");
	layer[1].kind = I6;
	assert_int_equal(build_in(layer, 3, 54 + 65535, sizeof(frame)), 54 + 65535);
	is_refused(build_in(layer, 3, 54 + 65536, sizeof(frame)), -EMSGSIZE,
		   DXMIT_PACKET_LONG, 1, "IPv6 (layer 2)");
	is_refused(build_in(layer, 1, 66001, sizeof(frame)), -EMSGSIZE, DXMIT_PACKET_LONG,
		   0, "at most 66000");
}

static void arguments(void **state)
{
	const struct dxmit_layer layer[] = { { .kind = E } };
	struct dxmit_packet_spec spec = { sizeof(spec),       layer, 1, 60,
					  DXMIT_PAYLOAD_ZERO, 0 };
	struct {
		struct dxmit_packet_spec spec;
		uint64_t newer;
	} larger = { { sizeof(larger), layer, 1, 60, DXMIT_PAYLOAD_ZERO, 0 }, 0 };
	struct dxmit_packet_map map = { .size = 0 };
	char text[8] = "before";

	(void)state;
	assert_int_equal(dxmit_packet_build(NULL, frame, 100, NULL, NULL), -EINVAL);
	assert_int_equal(dxmit_packet_build(&spec, NULL, 100, NULL, &error), -EINVAL);
	is_refused(-EINVAL, -EINVAL, DXMIT_PACKET_ARGUMENT, 0, "argument");
	assert_int_equal(dxmit_packet_build(&spec, frame, 100, &map, &error), -EINVAL);
	spec.payload = (enum dxmit_payload)(DXMIT_PAYLOAD_NONE + 1);
	assert_int_equal(dxmit_packet_build(&spec, frame, 100, NULL, NULL), -EINVAL);
	spec.size = 4;
	assert_int_equal(dxmit_packet_build(&spec, frame, 100, NULL, NULL), -EINVAL);
	/* Of a newer caller, only what we know. */
	assert_int_equal(dxmit_packet_build(&larger.spec, frame, 100, NULL, &error), 60);
	assert_int_equal(error.problem, DXMIT_PACKET_FINE);
	assert_int_equal(dxmit_packet_text(&error, text, sizeof(text)), 0);
	assert_string_equal(text, "");
	larger.newer = 1;
	assert_int_equal(dxmit_packet_build(&larger.spec, frame, 100, NULL, NULL),
			 -EINVAL);
}

/* Any stack at random: no crash, and a refusal always names a layer and says
 * something. */
static void at_random(void **state)
{
	struct dxmit_field_value set[4];
	struct dxmit_layer layer[6];
	char text[256];
	unsigned int turn, seed = 1, built = 0;
	uint32_t i, n, k;

	(void)state;
	for (turn = 0; turn < 200000; turn++) {
		n = (uint32_t)rand_r(&seed) % 6 + 1;
		for (i = 0; i < n; i++) {
			layer[i] = (struct dxmit_layer){
				.kind = i ? (enum dxmit_layer_kind)(rand_r(&seed) % 16)
					  : E,
				.fields = (uint32_t)rand_r(&seed) % 8 == 0,
				.field = &set[i % 4],
				.bytes = frame + 1000,
				.byte_count = rand_r(&seed) % 4 ? 0 : 5,
			};
			k = (uint32_t)rand_r(&seed) % (DXMIT_FIELDS + 1);
			set[i % 4] = (struct dxmit_field_value){
				(enum dxmit_field_id)k, (uint64_t)rand_r(&seed) % 300, 0
			};
		}
		if (build_in(layer, n, (uint32_t)rand_r(&seed) % 200, 190) > 0) {
			built++;
			continue;
		}
		assert_true(error.problem != DXMIT_PACKET_FINE && error.layer < n);
		assert_true(dxmit_packet_text(&error, text, sizeof(text)) > 0);
	}
	assert_true(built > 1000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(stacks),    cmocka_unit_test(fields),
		cmocka_unit_test(bytes),     cmocka_unit_test(sizes),
		cmocka_unit_test(arguments), cmocka_unit_test(at_random),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
