/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Whether a measured leg can be trusted: what else used its CPUs, whether the
 * machine changed, and whether the leg was what was asked.
 */
#ifndef APP_LEG_CHECK_H
#define APP_LEG_CHECK_H

#include <stdbool.h>
#include <stdint.h>

#include "compare.h"
#include "leg_window.h"

/* From good to worse. */
enum disturbance {
	UNDISTURBED,
	DISTURBED, /* by the machine: better repeated, but a figure all the same */
	SPOILED,   /* not what was asked: no figure */
};

struct leg_check {
	enum disturbance disturbance;
	double badness; /* of two disturbed samples the lower one is better */
	char note[LEG_NOTE];
};

/* What the frequency governors of the CPUs are, as a number; to be compared with
 * what it was before. */
uint64_t leg_governors(const struct cpu_watch *watch);

/* `governors` is what they were before the leg, `sample` what it came to. */
void leg_check(const struct compare *c, const struct leg_run *run, uint64_t governors,
	       const struct comparison_sample *sample, struct leg_check *out);

/* Wait until the CPUs of a setting are idle, at most half a second. */
void leg_wait_quiet(struct compare *c, const struct compare_setting *setting);

#endif
