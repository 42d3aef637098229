/* SPDX-License-Identifier: BSD-2-Clause */
/* The streams of a configuration, as streams.h says. */
#include <stdio.h>
#include <stdlib.h>

#include "message.h"
#include "streams.h"
#include "template.h"

size_t streams_count(const struct config *config)
{
	return config->streams ? config->streams : 1;
}

const struct size_mix *stream_sizes(const struct config *config, size_t stream)
{
	if (config->streams && config->stream[stream].sizes.entries)
		return &config->stream[stream].sizes;
	return &config->sizes;
}

const char *stream_frame(const struct config *config, size_t stream)
{
	if (config->streams && config->stream[stream].frame)
		return config->stream[stream].frame;
	return config->frame_text;
}

uint64_t stream_weight(const struct config *config, size_t stream)
{
	uint64_t weight = config->streams ? config->stream[stream].weight : 1;

	return weight ? weight : 1;
}

void stream_name(const struct config *config, size_t stream, char name[STREAM_NAME_LEN])
{
	if (config->streams && config->stream[stream].name)
		snprintf(name, STREAM_NAME_LEN, "%s", config->stream[stream].name);
	else
		snprintf(name, STREAM_NAME_LEN, "%zu", stream + 1);
}

uint32_t streams_shortest(const struct config *config)
{
	uint32_t shortest = UINT32_MAX, longest = 0;
	size_t i;

	for (i = 0; i < streams_count(config); i++) {
		const struct size_mix *sizes = stream_sizes(config, i);

		if (sizes_shortest(sizes) < shortest)
			shortest = sizes_shortest(sizes);
		if (sizes_longest(sizes) > longest)
			longest = sizes_longest(sizes);
	}
	return shortest < longest ? shortest - DXMIT_FCS_BYTES : 0;
}

/* Shares are made of the rates, or of weights. */
static int check_rates(const struct config *config)
{
	size_t with_rate = 0, i;

	for (i = 0; i < config->streams; i++)
		with_rate += config->stream[i].rate.micro != 0;
	if (with_rate && with_rate < config->streams)
		return fail(EXIT_USAGE, "streams",
			    "%zu of %zu have no rate; give all of them a rate, or none",
			    config->streams - with_rate, config->streams);
	if (with_rate &&
	    (config->rate.micro || config->profile.steps || config->bursts.packets))
		return fail(EXIT_USAGE, "--rate",
			    "is the sum of the streams' own rates; leave it out, and "
			    "--profile and --burst, or give the streams weights");
	return 0;
}

/*
 * Is the expression one, and do its layers fit the shortest size? Without a size,
 * *sizes becomes the one that they need.
 */
static int check_frame(const struct config *config, const char *frame, bool size_given,
		       struct size_mix *sizes)
{
	struct config one = *config;
	int code;

	one.frame_text = frame;
	if (size_given)
		one.wire_size = sizes_shortest(sizes);
	code = template_check(&one, size_given);
	if (code || size_given)
		return code;
	if (!sizes->entry)
		sizes->entry = calloc(1, sizeof(*sizes->entry));
	if (!sizes->entry)
		return fail(EXIT_RUNTIME, "-s", "out of memory; free some and try again");
	sizes->entries = 1;
	sizes->entry[0] = (struct size_entry){ .wire_size = one.wire_size, .weight = 1 };
	return 0;
}

static int check_frames(struct config *config, bool size_given)
{
	int code = 0;
	size_t i;

	if (config->frame_text)
		code = check_frame(config, config->frame_text, size_given,
				   &config->sizes);
	for (i = 0; !code && i < config->streams; i++) {
		struct stream_config *s = &config->stream[i];

		if (!s->frame)
			continue;
		if (s->sizes.entries || !size_given)
			code = check_frame(config, s->frame, s->sizes.entries > 0,
					   &s->sizes);
		else
			code = check_frame(config, s->frame, true, &config->sizes);
	}
	return code;
}

int streams_resolve(struct config *config, bool size_given)
{
	size_t i;
	int code = check_frames(config, size_given);

	if (!code)
		code = check_rates(config);
	if (code)
		return code;
	config->wire_size = 0;
	for (i = 0; i < streams_count(config); i++) {
		uint32_t longest = sizes_longest(stream_sizes(config, i));

		if (longest > config->wire_size)
			config->wire_size = longest;
	}
	return 0;
}
