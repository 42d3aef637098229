/* SPDX-License-Identifier: BSD-2-Clause */
/* A complete small sender: COUNT stamped UDP frames on queue 0 of INTERFACE. */
#include <inttypes.h>
#include <net/if.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <dxmit/dxmit.h>

/* Ends on any device: a kick answers -ETIMEDOUT when nothing moves for 2 s. */
static int send_all(struct dxmit_queue *q, uint64_t count)
{
	static struct dxmit_udp_spec udp; /* zero is the default */
	struct dxmit_stamp stamp = { 0, 0 };
	uint8_t frame[DXMIT_UDP_MIN_LENGTH];
	int err;

	udp.size = sizeof(udp);
	udp.length = sizeof(frame);
	err = dxmit_udp_build(&udp, frame, sizeof(frame));
	while (err >= 0 && (stamp.sequence < count || q->in_flight > 0)) {
		uint64_t left = count - stamp.sequence;
		uint32_t i, n = dxmit_reserve(q, left < 64 ? (uint32_t)left : 64);

		for (i = 0; i < n; i++, stamp.sequence++) {
			memcpy(dxmit_frame(q, i), frame, sizeof(frame));
			dxmit_stamp_write(dxmit_frame(q, i), &stamp);
		}
		err = dxmit_submit(q, n, sizeof(frame));
		err = err < 0 ? err : dxmit_kick(q);
		err = err < 0 ? err : dxmit_reclaim(q);
	}
	return err < 0 ? err : 0;
}

int main(int argc, char **argv)
{
	static struct dxmit_queue_options options; /* queue 0, copy mode */
	static struct dxmit_queue_stats stats;
	struct dxmit_queue *q;
	struct dxmit_error error;
	char text[256];
	int err;

	options.size = sizeof(options);
	options.ifindex = argc == 3 ? (int)if_nametoindex(argv[1]) : 0;
	if (dxmit_queue_open(&options, &q, &error) != 0) {
		dxmit_error_text(&error, text, sizeof(text));
		fprintf(stderr, "send_udp INTERFACE COUNT: %s\n", text);
		return 1;
	}
	err = send_all(q, strtoull(argv[2], NULL, 10));
	stats.size = sizeof(stats);
	dxmit_queue_stats(q, &stats);
	printf("submitted %" PRIu64 " completed %" PRIu64 " lost %" PRIu64 ": %s\n",
	       stats.submitted, stats.completed, stats.lost, strerror(-err));
	dxmit_queue_close(&q);
	return err != 0;
}
