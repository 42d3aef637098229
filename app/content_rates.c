/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Rates of what is really sent: where --oversize skip leaves sizes out, they must
 * not count, or fewer bits go out than asked.
 */
#include <errno.h>

#include "content.h"
#include "message.h"
#include "planning.h"

static int convert(const struct stream_config *wish, const struct dxmit_nic *nic,
		   struct content_stream *stream)
{
	struct rate_basis basis = stream->lengths;
	char words[RATE_TEXT_BYTES];
	int err;

	basis.link_bps = nic->speed_mbps * 1000000u;
	err = rate_convert(&wish->rate, &basis, &stream->weight);
	if (err == -ENODATA)
		return fail(EXIT_USAGE, "streams",
			    "the rate of %s, %s, cannot be had: %s reports no link "
			    "speed; use packets or bits per second",
			    stream->name, rate_text(&wish->rate, words), nic->name);
	if (err)
		return fail(EXIT_USAGE, "streams",
			    "the rate of %s, %s, is out of range; use what comes to "
			    "0.000001 pps up to 10^12 pps",
			    stream->name, rate_text(&wish->rate, words));
	return 0;
}

/* The rates that streams ask for, as packets, are their weights. */
int content_set_rates(const struct config *config, const struct dxmit_nic *nic,
		      struct content *c)
{
	uint32_t i;

	c->rate_micro_pps = 0;
	for (i = 0; config->streams && i < c->streams; i++) {
		int code;

		if (!config->stream[i].rate.micro)
			continue;
		code = convert(&config->stream[i], nic, &c->stream[i]);
		if (code)
			return code;
		if (__builtin_add_overflow(c->rate_micro_pps, c->stream[i].weight,
					   &c->rate_micro_pps))
			return fail(EXIT_USAGE, "streams",
				    "their rates add up to more than can be counted; "
				    "use lower ones");
	}
	return 0;
}

/* Add a stream's lengths to a mean, by its share of the weights. */
static void mean_add(const struct content_stream *stream, uint64_t weights,
		     struct rate_basis *mean)
{
	/* In 2^-32 of the whole. */
	uint64_t share = (uint64_t)(((unsigned __int128)stream->weight << 32) / weights);

	mean->frames += share;
	mean->l2_bytes += (uint64_t)((unsigned __int128)share * stream->lengths.l2_bytes /
				     stream->lengths.frames);
}

static void mean_lengths(const struct content *c, struct rate_basis *mean)
{
	uint64_t weights = 0;
	uint32_t i;

	*mean = c->stream[0].lengths;
	if (c->streams == 1)
		return;
	*mean = (struct rate_basis){ 0 };
	for (i = 0; i < c->streams; i++)
		weights += c->stream[i].weight;
	for (i = 0; i < c->streams; i++)
		mean_add(&c->stream[i], weights, mean);
}

int content_schedule(const struct content *c, const struct dxmit_nic *nic,
		     struct config *config, struct schedule *schedule)
{
	struct rate_basis lengths;

	mean_lengths(c, &lengths);
	if (c->rate_micro_pps)
		config->rate =
			(struct rate){ .unit = RATE_PPS, .micro = c->rate_micro_pps };
	return make_schedule(config, nic, &lengths, schedule);
}
