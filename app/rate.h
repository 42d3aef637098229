/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Rates as people say them (packets, bits on layer 2 or layer 1, a share of the
 * link) and their one conversion into packets per second. Pure.
 */
#ifndef APP_RATE_H
#define APP_RATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct parse_reason;

enum rate_unit {
	RATE_PPS = 0,
	RATE_L2_BPS,  /* bits of the frames with their FCS */
	RATE_L1_BPS,  /* the same with preamble, SFD and gap: 20 bytes a frame */
	RATE_PERCENT, /* of the link's speed, on layer 1 */
};

/* All zero: as fast as possible; in a profile, nothing. */
struct rate {
	enum rate_unit unit;
	uint64_t micro; /* millionths of the unit */
};

/* What a conversion depends on. A mean that is no whole number of bytes (three
 * sizes in turn) is given exactly, by the sum of a cycle. */
struct rate_basis {
	uint64_t l2_bytes; /* of `frames` frames together, FCS included */
	uint64_t frames;
	uint64_t link_bps; /* 0: unknown */
};

/* Most that can be asked: 10^12 packets per second, see schedule.h. */
#define RATE_MAX_MICRO_PPS 1000000000000000000ull

/*
 * "10", "0.25pps", "2.5kpps", "1M"; "500Mbps" and "500Mbps-l2"; "1Gbps-l1";
 * "50%". The rule of parse.h: true and stored, or false and a reason. 0 is a
 * rate here; who has no use for it refuses it.
 */
bool rate_parse(const char *text, struct rate *rate, struct parse_reason *reason);

/*
 * In millionths of a packet per second, rounded down. 0, or
 *	-ENODATA  a share of a link whose speed is unknown
 *	-ERANGE   not 0 and below a millionth, or over RATE_MAX_MICRO_PPS
 */
int rate_convert(const struct rate *rate, const struct rate_basis *basis,
		 uint64_t *micro_pps);

#define RATE_TEXT_BYTES 64
/* In words: "10 pps", "500 Mbit/s L2", "50 % of the link (L1)". */
const char *rate_text(const struct rate *rate, char buf[RATE_TEXT_BYTES]);

#endif
