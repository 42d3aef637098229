/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What was asked of the timing, as text and as plain data: one rate, a list of
 * steps and ramps, or bursts; and the schedule that comes of it once the length
 * of the frames and the speed of the link are known. Pure.
 */
#ifndef APP_PROFILE_H
#define APP_PROFILE_H

#include <stdbool.h>
#include <stdint.h>

#include "rate.h"
#include "schedule.h"

struct profile_step {
	struct rate from, to; /* the same: steady */
	uint64_t length_ns;   /* SCHEDULE_ENDLESS: until the run ends */
};

struct profile {
	uint32_t steps; /* 0: none asked */
	struct profile_step step[SCHEDULE_MAX_SEGMENTS];
};

struct bursts {
	uint64_t packets; /* at once; 0: none asked */
	uint64_t period_ns;
};

/*
 * Steps separated by commas: RATE:TIME is steady, START:END:TIME a ramp, and a
 * last RATE alone holds until the run ends. "1kpps:1Mpps:10,1Mpps". A rate may
 * be 0; a profile that ends in silence is refused, since nothing would tell it
 * from its end.
 */
bool profile_parse(const char *text, struct profile *profile,
		   struct parse_reason *reason);

/* "N:TIME", as in "64:10ms". */
bool bursts_parse(const char *text, struct bursts *bursts, struct parse_reason *reason);

/*
 * Whichever of the three is asked; none is a schedule without a limit. 0,
 * -ENODATA or -ERANGE as rate_convert(), with *which then the rate at fault.
 */
int profile_schedule(const struct rate *rate, const struct profile *profile,
		     const struct bursts *bursts, const struct rate_basis *basis,
		     struct schedule *schedule, struct rate *which);

#define PROFILE_TEXT_BYTES 128
/* What was asked, in words; "" if nothing was. */
const char *profile_text(const struct rate *rate, const struct profile *profile,
			 const struct bursts *bursts, char buf[PROFILE_TEXT_BYTES]);

#endif
