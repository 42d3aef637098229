/* SPDX-License-Identifier: BSD-2-Clause */
/* From options or a frame expression to a template, and how it is recognised. */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "template.h"
#include "message.h"
#include "parse.h"
#include "wire.h"

#define FIXED_LAYERS 3
#define FIXED_VALUES 8
#define MAX_SHOWN 40 /* characters of an expression in a message */

static int fail_at(const char *object, const char *text,
		   const struct expression_error *error)
{
	char shown[MAX_SHOWN];

	if (error->at == 0 || error->at > strlen(text) + 1)
		return fail(EXIT_USAGE, object, "%s", error->text);
	parse_printable(shown, sizeof(shown), text + error->at - 1);
	if (shown[0] == '\0')
		return fail(EXIT_USAGE, object, "at the end: %s", error->text);
	return fail(EXIT_USAGE, object, "at character %zu, '%s': %s", error->at, shown,
		    error->text);
}

int template_read(const char *object, const char *text, struct expression **out)
{
	struct expression_error error;

	if (!expression_parse(text, out, &error))
		return fail_at(object, text, &error);
	if (!expression_load(*out, &error)) {
		expression_free(*out);
		*out = NULL;
		return fail_at(object, text, &error);
	}
	return EXIT_DONE;
}

/* ---- building ---- */

/* The fixed options are three layers with these fields. */
static int build_fixed(const struct config *config, const uint8_t source_mac[6],
		       const struct expression_rest *rest, void *buf, size_t room,
		       struct dxmit_packet_map *map, struct dxmit_packet_error *error)
{
	const struct dxmit_udp_spec *f = &config->frame;
	const uint8_t *mac = config->source_mac_given ? f->source_mac : source_mac;
	const struct dxmit_field_value value[FIXED_VALUES] = {
		{ DXMIT_FIELD_ETHERNET_DESTINATION, mac_number(f->destination_mac), 0 },
		{ DXMIT_FIELD_ETHERNET_SOURCE, mac_number(mac), 0 },
		{ DXMIT_FIELD_IPV4_SOURCE, f->source_ip, 0 },
		{ DXMIT_FIELD_IPV4_DESTINATION, f->destination_ip, 0 },
		{ DXMIT_FIELD_IPV4_TTL, f->ttl, 0 },
		{ DXMIT_FIELD_IPV4_DSCP, f->dscp, 0 },
		{ DXMIT_FIELD_UDP_SOURCE, f->source_port, 0 },
		{ DXMIT_FIELD_UDP_DESTINATION, f->destination_port, 0 },
	};
	const struct dxmit_layer layer[FIXED_LAYERS] = {
		{ .kind = DXMIT_LAYER_ETHERNET, .fields = 2, .field = value },
		{ .kind = DXMIT_LAYER_IPV4, .fields = 4, .field = value + 2 },
		{ .kind = DXMIT_LAYER_UDP, .fields = 2, .field = value + 6 },
	};
	const struct dxmit_packet_spec spec = {
		.size = sizeof(spec),
		.layer = layer,
		.layers = FIXED_LAYERS,
		.length = rest->length,
		.payload = rest->payload,
		.payload_byte = rest->payload_byte,
	};

	return dxmit_packet_build(&spec, buf, room, map, error);
}

/* Lengths in messages are those of -s, with FCS. */
static int fail_size(const char *why, uint32_t length, uint32_t need)
{
	return fail(EXIT_USAGE, "-s",
		    "%" PRIu32 " bytes are too short for %s; use at least %" PRIu32,
		    length + DXMIT_FCS_BYTES, why, need + DXMIT_FCS_BYTES);
}

uint32_t template_stamp_bytes(const struct config *config)
{
	return config->stamp_format == STAMP_FULL ? DXMIT_STAMP_FULL_BYTES
						  : DXMIT_STAMP_BYTES;
}

static int place_stamp(const struct config *config, struct template *template)
{
	const struct dxmit_packet_map *map = &template->map;
	int err = dxmit_stamp_locate(map, &template->stamp);

	if (err == -ENOENT)
		return fail(EXIT_USAGE, "--stamp",
			    "goes into the payload of UDP, and the layers of --frame end "
			    "in %s; leave it out, or end them in udp",
			    dxmit_layer_info(map->layer[map->layers - 1].kind)->title);
	if (!err && map->payload_bytes < template_stamp_bytes(config))
		err = -EMSGSIZE;
	if (err && map->payload_bytes < map->length - map->payload_at)
		return fail(EXIT_USAGE, "--stamp",
			    "needs payload, and pad leaves none; leave one of them out");
	if (err)
		return fail_size("the stamp", map->length,
				 map->payload_at + template_stamp_bytes(config));
	return EXIT_DONE;
}

int template_build(const struct config *config, const struct expression *expression,
		   const uint8_t source_mac[6], uint32_t length, void *buf, size_t room,
		   struct template *out)
{
	const struct expression_rest rest = {
		.length = length,
		.payload = config->frame.payload,
		.payload_byte = config->frame.payload_byte,
		.source_mac = source_mac,
	};
	struct expression_error error = { 0 };
	struct dxmit_packet_error why = { 0 };
	int answer;

	memset(out, 0, sizeof(*out));
	out->frame = buf;
	out->map.size = sizeof(out->map);
	if (expression) {
		answer =
			expression_build(expression, &rest, buf, room, &out->map, &error);
	} else {
		answer = build_fixed(config, source_mac, &rest, buf, room, &out->map,
				     &why);
		dxmit_packet_text(&why, error.text, sizeof(error.text));
	}
	if (answer < 0 && error.need)
		return fail_size("the layers of --frame", length, error.need);
	if (answer < 0)
		return expression && config->frame_text
			       ? fail_at("--frame", config->frame_text, &error)
			       : fail(EXIT_USAGE, "-s", "%s", error.text);
	return config->stamp ? place_stamp(config, out) : EXIT_DONE;
}

/* ---- what the far end looks at ---- */

/* Fields by which a frame is told from foreign ones, whole bytes each. */
static const enum dxmit_field_id identity[] = {
	DXMIT_FIELD_ETHERNET_TYPE,    DXMIT_FIELD_VLAN_TYPE,
	DXMIT_FIELD_SVLAN_TYPE,       DXMIT_FIELD_ARP_OPERATION,
	DXMIT_FIELD_ARP_SENDER_IP,    DXMIT_FIELD_ARP_TARGET_IP,
	DXMIT_FIELD_IPV4_PROTOCOL,    DXMIT_FIELD_IPV4_SOURCE,
	DXMIT_FIELD_IPV4_DESTINATION, DXMIT_FIELD_IPV6_NEXT_HEADER,
	DXMIT_FIELD_IPV6_SOURCE,      DXMIT_FIELD_IPV6_DESTINATION,
	DXMIT_FIELD_UDP_SOURCE,       DXMIT_FIELD_UDP_DESTINATION,
	DXMIT_FIELD_TCP_SOURCE,       DXMIT_FIELD_TCP_DESTINATION,
	DXMIT_FIELD_ICMP_TYPE,        DXMIT_FIELD_ICMPV6_TYPE,
	DXMIT_FIELD_GRE_PROTOCOL,     DXMIT_FIELD_VXLAN_VNI,
};

/* Do modifiers reach into bytes from … to of the frame? */
static bool is_modified(const struct expression *e, const struct dxmit_packet_map *map,
			uint32_t from, uint32_t to)
{
	struct expression_error ignored;
	uint32_t i, bit;

	for (i = 0; e && i < e->modifiers; i++) {
		const struct expression_modifier *m = &e->modifier[i];

		if (!expression_modifier_bit(m, map, &bit, &ignored) && bit < 8 * to &&
		    8 * from < bit + m->bits)
			return true;
	}
	return false;
}

/* Test bytes from … to. The kernel takes the first tag off before anybody sees
 * the frame (skb_vlan_untag() in net/core/dev.c), so bytes behind it move. */
static void match_bytes(const struct template *template, const struct expression *e,
			uint32_t from, uint32_t to, bool tagged,
			struct farend_match *match)
{
	const uint8_t *frame = template->frame;

	while (from < to && match->tests < FAREND_MAX_TESTS) {
		uint32_t width = to - from >= 4 ? 4 : to - from >= 2 ? 2 : 1, i;
		struct farend_test *test = &match->test[match->tests];

		*test = (struct farend_test){ .at = from, .width = width };
		for (i = 0; i < width; i++)
			test->value = test->value << 8 | frame[from + i];
		if (tagged)
			test->at -= FAREND_TAG_BYTES;
		if (!(tagged && from < FAREND_TAG_AT + FAREND_TAG_BYTES) &&
		    !is_modified(e, &template->map, from, from + width))
			match->tests++;
		from += width;
	}
}

void template_match(const struct template *template, const struct expression *expression,
		    struct farend_match *match)
{
	const struct dxmit_packet_map *map = &template->map;
	uint16_t type = (uint16_t)(template->frame[12] << 8 | template->frame[13]);
	bool tagged = type == 0x8100 || type == 0x88a8;
	uint32_t i, bit;
	size_t f;

	memset(match, 0, sizeof(*match));
	match->ipv4 = type == 0x0800 && !is_modified(expression, map, 12, 14);
	for (i = map->layers; i-- > 0;)
		for (f = 0; f < sizeof(identity) / sizeof(identity[0]); f++)
			if (!dxmit_packet_field(map, i, identity[f], &bit))
				match_bytes(template, expression, bit / 8,
					    (bit + dxmit_field(identity[f])->bits) / 8,
					    tagged, match);
}

/* ---- options ---- */

static int check_built(struct config *config, const struct expression *expression,
		       bool size_given)
{
	static const uint8_t any_mac[6] = { 2 };
	uint8_t frame[DXMIT_PACKET_MAX_LENGTH];
	struct template template;
	uint32_t length = size_given ? config->wire_size - DXMIT_FCS_BYTES : 0;
	bool stamp = config->stamp;
	int code;

	if (size_given)
		return template_build(config, expression, any_mac, length, frame,
				      sizeof(frame), &template);
	/* Without -s the stamp counts to what the layers need. */
	config->stamp = false;
	code = template_build(config, expression, any_mac, 0, frame, sizeof(frame),
			      &template);
	config->stamp = stamp;
	if (code)
		return code;
	length = template.map.payload_at + (stamp ? template_stamp_bytes(config) : 0);
	if (length < template.map.length)
		length = template.map.length;
	config->wire_size = length + DXMIT_FCS_BYTES;
	return template_build(config, expression, any_mac, length, frame, sizeof(frame),
			      &template);
}

int template_check(struct config *config, bool size_given)
{
	struct expression *expression;
	int code;

	if (!config->frame_text)
		return EXIT_DONE;
	code = template_read("--frame", config->frame_text, &expression);
	if (code)
		return code;
	code = check_built(config, expression, size_given);
	expression_free(expression);
	return code;
}
