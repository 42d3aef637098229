/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The arithmetic of schedule.h. Areas are twice the integral of the rate, in
 * nanoseconds times 1e-6 packets per second; AREA_PER_PACKET of them make one
 * packet. With the limits of schedule.h no area exceeds 2^126.
 */
#include <errno.h>

#include "rate.h"
#include "schedule.h"

typedef unsigned __int128 u128;

#define AREA_PER_PACKET 2000000000000000ull

static bool is_silent(const struct schedule_segment *s)
{
	return s->from_micro_pps == 0 && s->to_micro_pps == 0;
}

/* Of a whole segment that has an end. */
static u128 whole_area(const struct schedule_segment *s)
{
	return ((u128)s->from_micro_pps + s->to_micro_pps) * s->length_ns;
}

/*
 * Of the first t_ns of a segment, rounded down: 2 from t + (to - from) t^2 / D.
 * t^2 / D is divided first, and its rest apart, so that 128 bits hold it.
 */
static u128 area_by(const struct schedule_segment *s, uint64_t t_ns)
{
	bool rising = s->to_micro_pps >= s->from_micro_pps;
	uint64_t change = rising ? s->to_micro_pps - s->from_micro_pps
				 : s->from_micro_pps - s->to_micro_pps;
	u128 flat = (u128)s->from_micro_pps * t_ns * 2;
	u128 square, bend, rest;

	if (!change)
		return flat;
	square = (u128)t_ns * t_ns;
	rest = square % s->length_ns * change;
	bend = square / s->length_ns * change + rest / s->length_ns;
	if (rising)
		return flat + bend;
	return flat - bend - (rest % s->length_ns != 0);
}

int schedule_add(struct schedule *schedule, uint64_t from_micro_pps,
		 uint64_t to_micro_pps, uint64_t length_ns)
{
	struct schedule_segment s = { .length_ns = length_ns,
				      .from_micro_pps = from_micro_pps,
				      .to_micro_pps = to_micro_pps };

	if (schedule->segments == SCHEDULE_MAX_SEGMENTS)
		return -ENOSPC;
	if (from_micro_pps > RATE_MAX_MICRO_PPS || to_micro_pps > RATE_MAX_MICRO_PPS)
		return -ERANGE;
	if (schedule->segments) {
		const struct schedule_segment *last =
			&schedule->segment[schedule->segments - 1];

		if (last->length_ns == SCHEDULE_ENDLESS)
			return -ERANGE;
		s.start_ns = last->start_ns + last->length_ns;
		s.before = last->before + whole_area(last);
	}
	if (length_ns == SCHEDULE_ENDLESS
		    ? from_micro_pps != to_micro_pps
		    : length_ns == 0 || length_ns > SCHEDULE_MAX_NS - s.start_ns)
		return -ERANGE;
	schedule->segment[schedule->segments++] = s;
	return 0;
}

void schedule_set_bursts(struct schedule *schedule, uint64_t packets, uint64_t period_ns)
{
	schedule->burst_packets = packets;
	schedule->burst_ns = period_ns;
}

uint64_t schedule_length_ns(const struct schedule *schedule)
{
	const struct schedule_segment *last;

	if (!schedule->segments)
		return SCHEDULE_ENDLESS;
	last = &schedule->segment[schedule->segments - 1];
	return last->length_ns == SCHEDULE_ENDLESS ? SCHEDULE_ENDLESS
						   : last->start_ns + last->length_ns;
}

/* The segment t_ns falls into, NULL past the end. There is at least one. */
static const struct schedule_segment *segment_at(const struct schedule *schedule,
						 uint64_t t_ns)
{
	const struct schedule_segment *s = schedule->segment;
	const struct schedule_segment *end = s + schedule->segments;

	while (s + 1 < end && t_ns >= s[1].start_ns)
		s++;
	return t_ns - s->start_ns < s->length_ns ? s : NULL;
}

/* Of the whole schedule up to t_ns. */
static u128 total_area(const struct schedule *schedule, uint64_t t_ns)
{
	const struct schedule_segment *s = segment_at(schedule, t_ns);

	if (s)
		return s->before + area_by(s, t_ns - s->start_ns);
	s = &schedule->segment[schedule->segments - 1];
	return s->before + whole_area(s);
}

static uint64_t saturated(u128 value)
{
	return value > UINT64_MAX ? UINT64_MAX : (uint64_t)value;
}

uint64_t schedule_due(const struct schedule *schedule, uint64_t t_ns)
{
	const struct schedule_segment *s;
	u128 area;

	if (schedule->burst_packets)
		return saturated(((u128)t_ns / schedule->burst_ns + 1) *
				 schedule->burst_packets);
	s = segment_at(schedule, t_ns);
	if (s && !is_silent(s))
		return saturated((s->before + area_by(s, t_ns - s->start_ns)) /
					 AREA_PER_PACKET +
				 1);
	/* Where nothing flows, only what was begun is due. */
	area = s ? s->before : total_area(schedule, t_ns);
	return saturated((area + AREA_PER_PACKET - 1) / AREA_PER_PACKET);
}

/* The first nanosecond of a segment by which it has that area. A ramp's
 * equation is quadratic; halving finds its root exactly, in 60 steps at most. */
static uint64_t time_of_area(const struct schedule_segment *s, u128 area)
{
	uint64_t low = 0, high = s->length_ns;

	if (s->from_micro_pps == s->to_micro_pps) {
		u128 rate = (u128)s->from_micro_pps * 2;

		return saturated((area + rate - 1) / rate);
	}
	while (low < high) {
		uint64_t middle = low + (high - low) / 2;

		if (area_by(s, middle) >= area)
			high = middle;
		else
			low = middle + 1;
	}
	return low;
}

uint64_t schedule_time_ns(const struct schedule *schedule, uint64_t packet)
{
	u128 area = (u128)packet * AREA_PER_PACKET;
	uint32_t i;

	if (schedule->burst_packets)
		return saturated((u128)(packet / schedule->burst_packets) *
				 schedule->burst_ns);
	for (i = 0; i < schedule->segments; i++) {
		const struct schedule_segment *s = &schedule->segment[i];

		if (is_silent(s))
			continue;
		if (s->length_ns == SCHEDULE_ENDLESS || area < s->before + whole_area(s))
			return saturated((u128)s->start_ns +
					 time_of_area(s, area - s->before));
	}
	return SCHEDULE_NEVER;
}

static uint64_t rate_at(const struct schedule_segment *s, uint64_t t_ns)
{
	uint64_t from = s->from_micro_pps, to = s->to_micro_pps;

	if (to == from)
		return from;
	if (to > from)
		return from + (uint64_t)((u128)(to - from) * t_ns / s->length_ns);
	return from - (uint64_t)((u128)(from - to) * t_ns / s->length_ns);
}

uint64_t schedule_peak_micro_pps(const struct schedule *schedule, uint64_t first_ns,
				 uint64_t last_ns)
{
	uint64_t peak = schedule->burst_packets ? UINT64_MAX : 0;
	uint32_t i;

	for (i = 0; i < schedule->segments; i++) {
		const struct schedule_segment *s = &schedule->segment[i];
		uint64_t first = first_ns > s->start_ns ? first_ns - s->start_ns : 0;
		uint64_t last = last_ns - s->start_ns;
		uint64_t rate;

		if (last_ns < s->start_ns || first > s->length_ns)
			continue;
		/* The highest is at one end: rates change evenly. */
		rate = rate_at(s, s->to_micro_pps > s->from_micro_pps
					  ? (last < s->length_ns ? last : s->length_ns)
					  : first);
		if (rate > peak)
			peak = rate;
	}
	return peak;
}

uint64_t schedule_mean_micro_pps(const struct schedule *schedule, uint64_t t_ns)
{
	if (schedule->burst_packets)
		return saturated((u128)schedule->burst_packets * (AREA_PER_PACKET / 2) /
				 schedule->burst_ns);
	if (!schedule->segments)
		return 0;
	if (t_ns > schedule_length_ns(schedule))
		t_ns = schedule_length_ns(schedule);
	if (t_ns == 0)
		return schedule->segment[0].from_micro_pps;
	return saturated(total_area(schedule, t_ns) / 2 / t_ns);
}
