/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A queue opened, used and closed again and again by one process:
 *
 *	reopen INTERFACE QUEUE TIMES
 *
 * Each time sends one stamped frame, numbered from 0. Prints how often bind
 * had to be retried in all. Exit: 0, 1 with the library's reason, 2 usage.
 */
#include <inttypes.h>
#include <net/if.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <dxmit/dxmit.h>

/* Ends on any device: a kick answers -ETIMEDOUT when nothing moves for 2 s. */
static int send_one(struct dxmit_queue *q, uint16_t queue, uint64_t sequence)
{
	const struct dxmit_stamp stamp = { .queue = queue, .sequence = sequence };
	const struct dxmit_udp_spec udp = { .size = sizeof(udp),
					    .length = DXMIT_UDP_MIN_LENGTH };
	int err;

	if (dxmit_reserve(q, 1) != 1)
		return -ENOBUFS;
	err = dxmit_udp_build(&udp, dxmit_frame(q, 0), q->frame_size);
	if (err < 0)
		return err;
	dxmit_stamp_write(dxmit_frame(q, 0), &stamp);
	err = dxmit_submit(q, 1, udp.length);
	while (err >= 0 && q->in_flight) {
		err = dxmit_kick(q);
		if (err >= 0)
			err = dxmit_reclaim(q);
	}
	return err < 0 ? err : 0;
}

static int use_once(const struct dxmit_queue_options *options, uint64_t sequence,
		    uint64_t *retries)
{
	struct dxmit_queue_info info = { .size = sizeof(info) };
	struct dxmit_error error;
	struct dxmit_queue *q;
	char text[256];
	int err = dxmit_queue_open(options, &q, &error);

	if (err) {
		dxmit_error_text(&error, text, sizeof(text));
		fprintf(stderr, "reopen: time %" PRIu64 ": %s: %s\n", sequence,
			error.object, text);
		return err;
	}
	dxmit_queue_info(q, &info);
	*retries += info.bind_retries;
	err = send_one(q, (uint16_t)options->queue, sequence);
	if (err)
		fprintf(stderr, "reopen: time %" PRIu64 ": %s\n", sequence,
			strerror(-err));
	dxmit_queue_close(&q);
	return err;
}

int main(int argc, char **argv)
{
	struct dxmit_queue_options options = { .size = sizeof(options), .ring_size = 64 };
	uint64_t retries = 0, times, i;

	if (argc != 4) {
		fprintf(stderr, "usage: reopen INTERFACE QUEUE TIMES\n");
		return 2;
	}
	options.ifindex = (int)if_nametoindex(argv[1]);
	options.queue = (uint32_t)strtoul(argv[2], NULL, 10);
	times = strtoull(argv[3], NULL, 10);
	for (i = 0; i < times; i++)
		if (use_once(&options, i, &retries))
			return 1;
	printf("%" PRIu64 "\n", retries);
	return 0;
}
