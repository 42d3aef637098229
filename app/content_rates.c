/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Rates in bits of what is really sent: where --oversize skip leaves sizes out,
 * they must not count, or fewer bits go out than asked.
 */
#include "content.h"
#include "message.h"

/* The rates that streams ask for, as packets, are their weights. */
int content_set_rates(const struct config *config, struct content *c)
{
	uint32_t i;

	c->rate_micro_pps = 0;
	for (i = 0; i < c->streams; i++) {
		struct content_stream *stream = &c->stream[i];
		int code;

		if (!config->streams || !config->stream[i].rate.micro)
			continue;
		code = stream_rate(config, i, &stream->lengths, &stream->weight);
		if (code)
			return code;
		if (__builtin_add_overflow(c->rate_micro_pps, stream->weight,
					   &c->rate_micro_pps))
			return stream_rates_overflow();
	}
	return 0;
}

void content_lengths(const struct content *c, struct rate_basis *lengths)
{
	uint64_t weights = 0;
	uint32_t i;

	*lengths = c->stream[0].lengths;
	if (c->streams == 1)
		return;
	*lengths = (struct rate_basis){ 0 };
	for (i = 0; i < c->streams; i++)
		weights += c->stream[i].weight;
	for (i = 0; i < c->streams; i++)
		stream_mean_add(c->stream[i].weight, weights, &c->stream[i].lengths,
				lengths);
}
