/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Never to be too far ahead of the interface at the far end: an emulated NIC drops
 * what it has no room for, and does not count it.
 */
#ifndef VM_FAR_END_H
#define VM_FAR_END_H

#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>

struct far_end {
	const char *interface; /* NULL: do not wait */
	uint64_t before;       /* what it had received at the start */
};

static inline uint64_t far_end_received(const struct far_end *far_end)
{
	char path[128];
	uint64_t packets = 0;
	FILE *file;

	snprintf(path, sizeof(path), "/sys/class/net/%s/statistics/rx_packets",
		 far_end->interface);
	file = fopen(path, "r");
	if (file && fscanf(file, "%" SCNu64, &packets) != 1)
		packets = 0;
	if (file)
		fclose(file);
	return packets;
}

static inline void far_end_start(struct far_end *far_end)
{
	if (far_end->interface)
		far_end->before = far_end_received(far_end);
}

/* Until all but `room` of the frames sent have arrived, for a second at most. */
static inline void far_end_wait(const struct far_end *far_end, uint64_t sent,
				uint64_t room)
{
	int turn;

	for (turn = 0; far_end->interface && turn < 2000; turn++) {
		if (sent <= far_end_received(far_end) - far_end->before + room)
			return;
		usleep(500);
	}
}

#endif
