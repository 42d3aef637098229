/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Making the content of a run: templates of every stream in every length. The
 * shortest one comes first and stands for all where only headers matter: a field
 * that modifiers may change lies in every length at the same place, and so do the
 * checksums.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "content.h"
#include "message.h"
#include "template.h"

#define ROUNDED_CYCLE (SIZES_MAX_CYCLE / 2) /* whatever is rounded up fits, too */

struct build {
	struct config config; /* the run's; frame_text is the current stream's */
	const struct dxmit_nic *nic;
	struct content *content;
	uint8_t frame[DXMIT_PACKET_MAX_LENGTH]; /* the one being made */
};

static int out_of_memory(void)
{
	return fail(EXIT_RUNTIME, "frames",
		    "there is no memory for them; use fewer sizes");
}

/* ---- variants ---- */

static int build(struct build *b, const struct content_stream *stream, uint32_t wire_size,
		 struct template *template)
{
	return template_build(&b->config, stream->expression, b->nic->mac,
			      wire_size - DXMIT_FCS_BYTES, b->frame, sizeof(b->frame),
			      template);
}

static int add_variant(struct build *b, const struct content_stream *stream,
		       uint32_t wire_size, struct template *template)
{
	struct content *c = b->content;
	struct content_variant *variant = &c->variant[c->variants];
	int code = build(b, stream, wire_size, template);

	if (code)
		return code;
	variant->length = template->map.length;
	variant->frame = malloc(variant->length);
	if (!variant->frame)
		return out_of_memory();
	memcpy(variant->frame, b->frame, variant->length);
	c->variants++;
	return 0;
}

/* VLAN tags do not count against the MTU (IEEE 802.1Q). */
static uint32_t tag_bytes(const struct dxmit_packet_map *map)
{
	uint32_t bytes = 0, i;

	for (i = 1; i < map->layers; i++) {
		if (map->layer[i].kind != DXMIT_LAYER_VLAN &&
		    map->layer[i].kind != DXMIT_LAYER_SVLAN)
			break;
		bytes += map->layer[i].header_bytes;
	}
	return bytes;
}

/* Longest legal frame on the wire, with FCS (IEEE 802.3: MTU + 18). */
static uint32_t wire_max(const struct build *b, const struct dxmit_packet_map *map)
{
	return b->nic->mtu + DXMIT_ETH_HEADER_BYTES + tag_bytes(map) + DXMIT_FCS_BYTES;
}

static int too_long(const struct build *b, uint32_t size, uint32_t max)
{
	return fail(EXIT_USAGE, "-s",
		    "%" PRIu32 " bytes exceed the MTU %" PRIu32 " of %s; "
		    "use at most %" PRIu32 ", raise the MTU, or see --oversize",
		    size, b->nic->mtu, b->nic->name, max);
}

/* Warn of what is left out of a stream. */
static int leave_out(struct build *b, const struct content_stream *stream,
		     const struct size_mix *sizes, uint32_t max)
{
	if (sizes_shortest(sizes) <= max) {
		warn("-s",
		     "sizes above %" PRIu32 " exceed the MTU %" PRIu32
		     " of %s and are left out",
		     max, b->nic->mtu, b->nic->name);
		return 0;
	}
	if (b->config.streams > 1)
		return fail(EXIT_USAGE, stream->name,
			    "this stream has no size that the MTU %" PRIu32
			    " allows; give it one up to %" PRIu32 ", or see --oversize",
			    b->nic->mtu, max);
	b->content->skip_all = true;
	warn("-s",
	     "%" PRIu32 " bytes exceed the MTU %" PRIu32 " of %s (at most %" PRIu32
	     " with FCS): every frame is skipped",
	     sizes_shortest(sizes), b->nic->mtu, b->nic->name, max);
	return 0;
}

/* Sizes that the MTU allows, or all of them if it is not to be minded. */
static int choose_sizes(struct build *b, struct content_stream *stream,
			const struct size_mix *sizes, struct size_entry *usable,
			size_t *n)
{
	uint32_t max = wire_max(b, &stream->map);
	size_t i;
	int code = 0;

	if (sizes_longest(sizes) <= max || b->config.oversize == OVERSIZE_SEND)
		max = UINT32_MAX;
	else if (b->config.oversize == OVERSIZE_REFUSE)
		code = too_long(b, sizes_longest(sizes), max);
	else
		code = leave_out(b, stream, sizes, max);
	if (b->content->skip_all) /* none is sent, but there must be one */
		max = UINT32_MAX;
	for (i = *n = 0; i < sizes->entries; i++) {
		if (sizes->entry[i].wire_size > max)
			continue;
		usable[(*n)++] = sizes->entry[i];
		stream->lengths.frames += sizes->entry[i].weight;
		stream->lengths.l2_bytes +=
			(uint64_t)sizes->entry[i].weight * sizes->entry[i].wire_size;
	}
	return code;
}

/* The shortest one changes places with the first. */
static void shortest_first(struct size_entry *usable, size_t n, uint32_t *order,
			   uint32_t cycle, uint32_t first)
{
	size_t shortest = 0, i;
	struct size_entry kept;

	for (i = 0; i < n; i++)
		if (usable[i].wire_size < usable[shortest].wire_size)
			shortest = i;
	kept = usable[0];
	usable[0] = usable[shortest];
	usable[shortest] = kept;
	for (i = 0; i < cycle; i++) {
		if (order[i] == 0)
			order[i] = (uint32_t)shortest;
		else if (order[i] == shortest)
			order[i] = 0;
		order[i] += first;
	}
}

static int make_order(const struct size_entry *usable, size_t n, bool random,
		      struct content_stream *stream)
{
	uint64_t *weight = calloc(n, sizeof(*weight));
	size_t i;
	int cycle;

	if (!weight)
		return out_of_memory();
	for (i = 0; i < n; i++)
		weight[i] = usable[i].weight;
	cycle = cycle_make(weight, n, random, &stream->order);
	free(weight);
	if (cycle == -ENOMEM)
		return out_of_memory();
	if (cycle < 0)
		return fail(EXIT_USAGE, "-s",
			    "the weights make a cycle of more than %u frames; "
			    "use smaller ones",
			    SIZES_MAX_CYCLE);
	stream->cycle = (uint32_t)cycle;
	return 0;
}

static int make_variants(struct build *b, struct content_stream *stream,
			 const struct size_entry *usable, size_t n)
{
	struct content_variant *grown;
	struct template ignored;
	size_t i;
	int code = 0;

	grown = realloc(b->content->variant, (b->content->variants + n) * sizeof(*grown));
	if (!grown)
		return out_of_memory();
	b->content->variant = grown;
	for (i = 0; !code && i < n; i++) {
		uint32_t body = usable[i].wire_size - DXMIT_FCS_BYTES -
				DXMIT_ETH_HEADER_BYTES - tag_bytes(&stream->map);

		code = add_variant(b, stream, usable[i].wire_size, &ignored);
		if (body > b->content->mtu)
			b->content->mtu = body;
	}
	return code;
}

/* What the shortest frame tells of all: layers, checksums, how it is known. */
static int learn(struct build *b, size_t index, const struct size_mix *sizes,
		 struct content_stream *stream)
{
	struct template template;
	int code = 0;

	if (b->config.frame_text)
		code = template_read("--frame", b->config.frame_text,
				     &stream->expression);
	if (!code)
		code = build(b, stream, sizes_shortest(sizes), &template);
	if (code)
		return code;
	stream->map = template.map;
	stream->stamp = template.stamp;
	template_match(&template, stream->expression, &b->content->match[index]);
	return content_add_modifiers(&b->config, stream);
}

static int make_stream(struct build *b, size_t index, const struct size_mix *sizes,
		       struct content_stream *stream)
{
	struct size_entry *usable = calloc(sizes->entries, sizeof(*usable));
	size_t n;
	int code;

	if (!usable)
		return out_of_memory();
	stream->first = b->content->variants;
	code = learn(b, index, sizes, stream);
	if (!code)
		code = choose_sizes(b, stream, sizes, usable, &n);
	if (!code)
		code = make_order(usable, n, sizes->random, stream);
	if (!code) {
		shortest_first(usable, n, stream->order, stream->cycle, stream->first);
		code = make_variants(b, stream, usable, n);
	}
	free(usable);
	return code ? code
		    : content_try_modifiers(stream, &b->content->variant[stream->first]);
}

/* ---- the whole ---- */

static int make_streams(struct build *b, const struct config *config)
{
	struct content *c = b->content;
	size_t streams = streams_count(config), i;
	int code = 0;

	c->stream = calloc(streams, sizeof(*c->stream));
	c->match = calloc(streams, sizeof(*c->match));
	if (!c->stream || !c->match)
		return out_of_memory();
	c->streams = (uint32_t)streams;
	for (i = 0; !code && i < streams; i++) {
		stream_name(config, i, c->stream[i].name);
		c->stream[i].weight = stream_weight(config, i);
		b->config.frame_text = stream_frame(config, i);
		code = make_stream(b, i, stream_sizes(config, i), &c->stream[i]);
	}
	return code;
}

/* Rates in bits have hardly a common measure: to a millionth of the whole. */
static void round_weights(uint64_t *weight, uint32_t streams)
{
	uint64_t all = 0;
	uint32_t i;

	for (i = 0; i < streams; i++)
		all += weight[i];
	for (i = 0; i < streams; i++) {
		weight[i] =
			(uint64_t)((unsigned __int128)weight[i] * ROUNDED_CYCLE / all);
		weight[i] += weight[i] == 0;
	}
}

static int order_streams(struct content *c)
{
	uint64_t *weight = calloc(c->streams, sizeof(*weight));
	uint32_t i;
	int cycle;

	if (!weight)
		return out_of_memory();
	for (i = 0; i < c->streams; i++)
		weight[i] = c->stream[i].weight;
	cycle = cycle_make(weight, c->streams, false, &c->order);
	if (cycle == -EINVAL && c->rate_micro_pps) {
		round_weights(weight, c->streams);
		cycle = cycle_make(weight, c->streams, false, &c->order);
	}
	free(weight);
	if (cycle == -ENOMEM)
		return out_of_memory();
	if (cycle < 0)
		return fail(EXIT_USAGE, "streams",
			    "their shares repeat only after more than %u frames; "
			    "use rates or weights with a larger common measure",
			    SIZES_MAX_CYCLE);
	c->cycle = (uint32_t)cycle;
	return 0;
}

static void measure(struct content *c)
{
	uint32_t i;
	bool same = true;

	for (i = 0; i < c->variants; i++) {
		if (c->variant[i].length > c->longest)
			c->longest = c->variant[i].length;
		same = same && c->variant[i].length == c->variant[0].length;
	}
	c->length = same ? c->longest : 0;
}

uint32_t content_shortest(const struct content *content)
{
	uint32_t shortest = UINT32_MAX, i;

	for (i = 0; i < content->streams; i++) {
		const struct content_stream *stream = &content->stream[i];

		if (content->variant[stream->first].length < shortest)
			shortest = content->variant[stream->first].length;
	}
	return shortest;
}

int content_make(const struct config *config, const struct dxmit_nic *nic,
		 struct content *content)
{
	struct build *b = calloc(1, sizeof(*b));
	int code;

	if (!b)
		return out_of_memory();
	b->config = *config;
	b->nic = nic;
	b->content = content;
	code = make_streams(b, config);
	if (!code)
		code = content_set_rates(config, nic, content);
	if (!code)
		code = order_streams(content);
	free(b);
	if (code)
		return code;
	measure(content);
	content->stamp = config->stamp;
	content->stamp_format = config->stamp_format;
	/* Flows are not among what template_match() knows to change. */
	content->matches = config->flows ? 0 : content->streams;
	return 0;
}

void content_free(struct content *content)
{
	uint32_t i;

	for (i = 0; i < content->variants; i++)
		free(content->variant[i].frame);
	for (i = 0; i < content->streams; i++) {
		free(content->stream[i].order);
		expression_free(content->stream[i].expression);
		free(content->stream[i].modifier);
	}
	free(content->variant);
	free(content->stream);
	free(content->order);
	free(content->match);
	memset(content, 0, sizeof(*content));
}
