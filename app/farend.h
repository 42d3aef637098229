/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The far-end witness: counts our frames, known by their content, where they
 * arrive. It shares no code and no counter with the sender.
 */
#ifndef APP_FAREND_H
#define APP_FAREND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define FAREND_MAX_TESTS 144 /* 16 layers of 9 words at most */
/* Where the kernel takes a VLAN tag out of a frame that arrives. */
#define FAREND_TAG_AT 12
#define FAREND_TAG_BYTES 4

/* `width` bytes (1, 2 or 4) of an arriving frame must have this value. */
struct farend_test {
	uint32_t at; /* without the outermost VLAN tag */
	uint32_t width;
	uint32_t value; /* host byte order */
};

/* How frames of one kind are known: every test holds. */
struct farend_match {
	bool ipv4; /* they are IPv4 without a tag */
	uint32_t tests;
	struct farend_test test[FAREND_MAX_TESTS];
};

struct farend {
	int fd;           /* -1: closed */
	uint64_t packets; /* accumulated by farend_read() */
};

/*
 * Count frames that arrive at the interface and are of one of `matches` kinds, or
 * all if there are none. An interface the calling thread's network namespace does not
 * have, or a missing CAP_NET_RAW, is told in one line (message.h).
 * Counting starts here, at 0. Returns EXIT_DONE or an exit code.
 */
int farend_open(const char *interface, const struct farend_match *match, size_t matches,
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
