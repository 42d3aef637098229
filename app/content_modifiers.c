/* SPDX-License-Identifier: BSD-2-Clause */
/* From a frame expression, or --flows, to the modifiers of the library. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "content.h"
#include "message.h"
#include "template.h"

static const enum dxmit_modify_kind kinds[] = {
	[EXPRESSION_RANGE] = DXMIT_MODIFY_RANGE,
	[EXPRESSION_INCREMENT] = DXMIT_MODIFY_INCREMENT,
	[EXPRESSION_DECREMENT] = DXMIT_MODIFY_DECREMENT,
	[EXPRESSION_RANDOM] = DXMIT_MODIFY_RANDOM,
	[EXPRESSION_LIST] = DXMIT_MODIFY_LIST,
};

static int translate(const struct expression *e, const struct expression_modifier *from,
		     const struct dxmit_packet_map *map, struct dxmit_modifier *to)
{
	struct expression_error error;

	*to = (struct dxmit_modifier){
		.bits = from->bits,
		.kind = kinds[from->change],
		.link = from->link,
		.nested = from->nested,
		.per_queue = from->each_queue,
		.first = from->first,
		.last = from->last,
		.step = from->step,
		.hold = from->hold,
		.queue_step = from->queue_step,
		.seed = from->seed,
		.period = from->period,
		.list = e->listed + from->list_from,
		.list_values = from->list_values,
	};
	if (expression_modifier_bit(from, map, &to->bit, &error))
		return fail(EXIT_USAGE, "--frame", "at character %zu: %s", from->at,
			    error.text);
	return 0;
}

/* --flows: exactly so many, one after the other, by the source port where they
 * fit above the one given, else by the source address. */
static int make_flows(const struct config *config, struct dxmit_modifier *to)
{
	const struct dxmit_udp_spec *frame = &config->frame;
	uint64_t flows = config->flows;
	bool by_port = frame->source_port + flows <= UINT16_MAX + UINT64_C(1);
	uint64_t first = by_port ? frame->source_port : frame->source_ip;

	if (!by_port && frame->source_ip + flows > UINT32_MAX + UINT64_C(1))
		return fail(EXIT_USAGE, "--flows",
			    "%" PRIu64 " addresses do not fit above --src-ip; "
			    "use fewer, or a lower address",
			    flows);
	*to = (struct dxmit_modifier){
		.bit = 8 * (by_port ? 34 : 26), /* of Ethernet, IPv4 and UDP */
		.bits = by_port ? 16 : 32,
		.kind = DXMIT_MODIFY_RANGE,
		.first = first,
		.last = first + flows - 1,
	};
	return 0;
}

/* Both would write the same bytes, and one of them in vain. */
static int check_stamp(const struct config *config, const struct content_stream *stream,
		       uint32_t i)
{
	const struct dxmit_modifier *m = &stream->modifier[i];
	uint32_t begin = 8 * stream->stamp.at;
	uint32_t end = begin + 8 * template_stamp_bytes(config);

	if (!config->stamp || m->bit >= end || m->bit + m->bits <= begin)
		return 0;
	return fail(EXIT_USAGE, "--stamp",
		    "covers bytes %" PRIu32 " to %" PRIu32 " of the frame, which --frame "
		    "changes at character %zu; leave one of them out",
		    begin / 8, end / 8 - 1, stream->expression->modifier[i].at);
}

int content_add_modifiers(const struct config *config, struct content_stream *stream)
{
	const struct expression *e = stream->expression;
	uint32_t n = e ? e->modifiers : config->flows != 0, i;
	int code = 0;

	if (n == 0)
		return 0;
	stream->modifier = calloc(n, sizeof(*stream->modifier));
	if (!stream->modifier)
		return fail(EXIT_RUNTIME, "--frame",
			    "there is no memory for its modifiers; free some and try "
			    "again");
	stream->modifiers = n;
	if (!e)
		return make_flows(config, stream->modifier);
	for (i = 0; !code && i < n; i++) {
		code = translate(e, &e->modifier[i], &stream->map, &stream->modifier[i]);
		if (!code)
			code = check_stamp(config, stream, i);
	}
	return code;
}

static const char *refusal(int err)
{
	switch (err) {
	case -ERANGE:
		return "a value or step exceeds the field; use smaller ones";
	case -EINVAL:
		return "it is wider than 8 bytes, nested in nothing, or linked and timed "
		       "by itself; see --frame help";
	default:
		return strerror(-err);
	}
}

struct dxmit_modify_spec content_modify_spec(const struct content_stream *stream,
					     const struct content_variant *shortest)
{
	return (struct dxmit_modify_spec){
		.size = sizeof(struct dxmit_modify_spec),
		.modifier = stream->modifier,
		.modifiers = stream->modifiers,
		.checksum = stream->map.checksum,
		.checksums = stream->map.checksums,
		.frame = shortest->frame,
		.length = shortest->length,
	};
}

int content_try_modifiers(const struct content_stream *stream,
			  const struct content_variant *shortest)
{
	const struct dxmit_modify_spec spec = content_modify_spec(stream, shortest);
	struct dxmit_modify *program;
	uint32_t which = 0;
	int err = dxmit_modify_compile(&spec, &program, &which);

	dxmit_modify_free(&program);
	if (!err)
		return 0;
	return fail(EXIT_USAGE, "--frame", "at character %zu: %s",
		    stream->expression ? stream->expression->modifier[which].at : 0,
		    refusal(err));
}
