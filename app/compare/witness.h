/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The witness of a comparison: counters that say what left, and that no sender can
 * influence but by sending.
 */
#ifndef APP_WITNESS_H
#define APP_WITNESS_H

#include <stdbool.h>
#include <stdint.h>

#include <dxmit/dxmit.h>
#include "sandbox.h"
#include "witness_command.h"

struct witness {
	struct dxmit_nic_watch *watch;
	bool received;                  /* its received frames count, not its sent ones */
	const char *text;               /* "far end", "device tx_packets" … */
	struct witness_command command; /* of the user's, in its place */
};

struct witness_count {
	uint64_t ns; /* CLOCK_MONOTONIC */
	uint64_t packets, bytes;
	bool link; /* up and with carrier */
	/* CPU time that the reading itself took from the legs; else 0. */
	uint64_t cost_ns;
};

/* The far end of the sandbox, or the device. Returns 0 or -errno. */
int witness_open(const struct sandbox *sandbox, const struct dxmit_nic *nic,
		 struct witness *out);
/* The device's counters: one netlink request. Returns 0 or -errno; -ENODEV: it is
 * gone. */
int witness_read(const struct witness *witness, struct witness_count *out);
void witness_close(struct witness *witness);

#endif
