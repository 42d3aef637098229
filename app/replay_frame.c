/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * From a record to a frame: which records can be sent, how long the frame is,
 * and when it is due.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "replay.h"

#define TAG_BYTES 4u
#define MAX_TAGS 2u /* that are allowed on top of the MTU */

typedef unsigned __int128 u128;

int replay_bad(struct replay *r, int err, const struct capture_fault *fault)
{
	if (!r->stats.faulty)
		r->stats.fault = *fault;
	r->stats.faulty = true;
	r->stats.bad++;
	return r->setup.config.bad_record == BAD_RECORD_STOP ? err : 0;
}

static struct capture_fault fault_at(const struct capture_record *record)
{
	return (struct capture_fault){ .record = record->number,
				       .offset = record->offset };
}

static int bad_record(struct replay *r, const struct capture_record *record)
{
	struct capture_fault fault = fault_at(record);

	if (record->captured < DXMIT_ETH_HEADER_BYTES)
		snprintf(fault.reason, sizeof(fault.reason),
			 "%" PRIu32 " bytes are less than an Ethernet header",
			 record->captured);
	else
		snprintf(fault.reason, sizeof(fault.reason),
			 "a frame of %" PRIu32 " bytes is not possible",
			 record->original);
	return replay_bad(r, -EPROTO, &fault);
}

/* Longest frame that may be sent, with these tags. */
static uint32_t limit(const struct replay *r, uint32_t tags)
{
	uint32_t max = r->setup.mtu + DXMIT_ETH_HEADER_BYTES +
		       (tags < MAX_TAGS ? tags : MAX_TAGS) * TAG_BYTES;

	if (r->setup.oversize == OVERSIZE_SEND || max > r->setup.frame_size)
		return r->setup.frame_size;
	return max;
}

static int too_long(struct replay *r, const struct capture_record *record,
		    uint32_t length, uint32_t max)
{
	struct capture_fault fault = fault_at(record);
	bool most = r->setup.oversize == OVERSIZE_SEND ||
		    max < r->setup.mtu + DXMIT_ETH_HEADER_BYTES;

	if (r->setup.oversize == OVERSIZE_SKIP) {
		r->stats.skipped++;
		return 0;
	}
	snprintf(fault.reason, sizeof(fault.reason),
		 "%" PRIu32 " bytes without FCS, but %" PRIu32 " is the most %s", length,
		 max, most ? "that is replayed" : "the MTU allows");
	r->stats.fault = fault;
	return -EMSGSIZE;
}

/* Bytes the frame will have, 0 to leave it out, or -errno. */
static int decide_length(struct replay *r, const struct capture_record *record,
			 uint32_t tags)
{
	bool snapped = record->original > record->captured;
	uint32_t length = record->captured, max = limit(r, tags);

	if (snapped && r->setup.config.snapped == SNAPPED_SKIP) {
		r->stats.skipped++;
		return 0;
	}
	if (snapped && r->setup.config.snapped == SNAPPED_PAD)
		length = record->original;
	if (length > max)
		return too_long(r, record, length, max);
	r->stats.snapped += snapped;
	if (length < REPLAY_MIN_LENGTH) {
		r->stats.padded++;
		length = REPLAY_MIN_LENGTH;
	}
	return (int)length;
}

int replay_make_frame(struct replay *r, const struct capture_record *record, uint8_t *buf,
		      uint32_t *hash)
{
	struct flow_headers headers;
	int length;

	if (record->captured < DXMIT_ETH_HEADER_BYTES ||
	    record->captured > CAPTURE_MAX_LENGTH ||
	    record->original > CAPTURE_MAX_LENGTH)
		return bad_record(r, record);
	flow_find(record->bytes, record->captured, &headers);
	length = decide_length(r, record, headers.tags);
	if (length <= 0)
		return length;
	memcpy(buf, record->bytes, record->captured);
	memset(buf + record->captured, 0, (uint32_t)length - record->captured);
	/* Again, now that what was cut off is there. */
	flow_find(buf, (uint32_t)length, &headers);
	*hash = flow_hash(buf, &headers);
	rewrite_frame(&r->setup.rewrite, buf, &headers);
	r->stats.records++;
	r->stats.bytes += (uint32_t)length;
	return length;
}

/* ---- time ---- */

/*
 * Recorded time since the first frame. A frame recorded before its predecessor
 * is due at once after it: clocks step back, and captures of several interfaces
 * are merged carelessly.
 */
static uint64_t recorded_ns(struct replay *r, uint64_t time_ns)
{
	struct replay_clock *c = &r->clock;
	uint64_t max_gap_ns = r->setup.config.max_gap_ns;

	if (c->frames == 0)
		c->first_ns = c->latest_ns = time_ns;
	if (time_ns > c->latest_ns) {
		uint64_t gap_ns = time_ns - c->latest_ns;

		if (max_gap_ns && gap_ns > max_gap_ns)
			c->cut_ns += gap_ns - max_gap_ns;
		c->latest_ns = time_ns;
	}
	return c->latest_ns - c->first_ns - c->cut_ns;
}

uint64_t replay_tick(struct replay *r, uint64_t time_ns)
{
	uint64_t speed = r->setup.config.speed_micro;
	u128 due = r->clock.frames;

	if (speed)
		due = (u128)recorded_ns(r, time_ns) * 1000000u / speed;
	/* Half of the range, so that a sum of two never wraps: 292 years. */
	r->clock.due = due > INT64_MAX ? INT64_MAX : (uint64_t)due;
	r->clock.frames++;
	return r->clock.due;
}

/* After the last frame comes a mean gap, so that a loop keeps the mean rate. */
uint64_t replay_pass_ticks(const struct replay *r)
{
	const struct replay_clock *c = &r->clock;

	if (!r->setup.config.speed_micro)
		return c->frames;
	return c->frames > 1 ? c->due + c->due / (c->frames - 1) : 0;
}
