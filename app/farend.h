/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The far-end witness: counts our frames, known by their content, where they
 * arrive. It shares no code and no counter with the sender.
 */
#ifndef APP_FAREND_H
#define APP_FAREND_H

#include <stdint.h>

#include <dxmit/frame.h>

struct farend {
	int fd;           /* -1: closed */
	uint64_t packets; /* accumulated by farend_read() */
};

/*
 * Count frames that arrive at the interface and carry the ethertype, protocol,
 * addresses and UDP ports of `spec`; its MAC addresses, length and payload do
 * not matter. An interface the calling thread's network namespace does not
 * have, or a missing CAP_NET_RAW, is told in one line (message.h).
 * Counting starts here, at 0. Returns EXIT_DONE or an exit code.
 */
int farend_open(const char *interface, const struct dxmit_udp_spec *spec,
		struct farend *out);

/*
 * Frames seen since farend_open(). The kernel's counter has 32 bits and starts
 * again at each read: read at least every few minutes (2^32 frames at 10 Mpps
 * are 429 s); once a second is customary. One thread at a time; no privilege.
 * Returns 0 or -errno (*packets is then unchanged).
 */
int farend_read(struct farend *farend, uint64_t *packets);

/* Idempotent. */
void farend_close(struct farend *farend);

#endif
