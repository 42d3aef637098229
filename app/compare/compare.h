/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One `dxmit compare` from start to end: what it holds, and the steps over it.
 * cmd_compare.c runs them in order; each has a file of its own.
 */
#ifndef APP_COMPARE_H
#define APP_COMPARE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <dxmit/dxmit.h>
#include "comparison.h"
#include "config.h"
#include "cpu_times.h"
#include "leg.h"
#include "leg_child.h"
#include "restore.h"
#include "sandbox.h"
#include "witness.h"

/* What all legs of some cells have in common. */
struct compare_setting {
	uint32_t wire_size; /* bytes with FCS; 0: several */
	uint32_t queues;
	uint32_t batch, ring; /* 0: each leg's own default */
	/* The user's configuration with that; it owns nothing. Queues and CPUs
	 * are those of the plan, so that every leg has the same. */
	struct config config;
	struct size_entry size; /* what config.sizes is, if swept */
	uint32_t *queue, *cpu;  /* what config.queues and config.cpus are */
	struct dxmit_plan *plan;
	struct cpu_watch cpus; /* of the plan */
};

struct compare {
	const struct config *config;
	int signal_fd;
	struct sandbox sandbox;
	struct dxmit_nic nic;
	struct legs legs;
	struct compare_setting *setting;
	size_t settings;
	struct witness witness;
	struct leg_strangers strangers;
	struct restore_state before; /* what the interface was */
	struct comparison result;    /* cell s * legs + l is leg l under setting s */
	uint64_t start_ns;           /* CLOCK_MONOTONIC */
	size_t predicted;            /* rounds that --until will take; 0: not known */
	uint64_t measured;           /* samples in the result */
	uint64_t kept;               /* of these, disturbed, but not quieter again */
	bool counters_seldom;        /* the device's counters move in large steps */
	bool interrupted;
	bool told; /* something is on the line of progress */
};

/* compare_setup.c: interface, settings, plans, witness. Each returns 0 or an exit
 * code after the one line on stderr. */
int compare_open(struct compare *c);
void compare_close(struct compare *c);
/* Wait, bounded, until the interface is up and has carrier. False: it has not, or
 * the user stopped us. */
bool compare_wait_link(struct compare *c);
/* The witness is a command, and it failed. Returns the exit code. */
int compare_no_witness(const struct compare *c);
/* The exit code after the one line. */
int compare_out_of_memory(void);
/* CLOCK_REALTIME. */
uint64_t compare_unix_ns(void);
/* Look at the stop signal; true: it came, now or before. */
bool compare_stopped(struct compare *c);
/* Sleep, but not past a stop signal. */
void compare_sleep(struct compare *c, uint64_t ns);

/* rounds.c: everything that is measured. Returns an exit code. */
int compare_rounds(struct compare *c);
/* rounds_profile.c: each leg once more under the profiler. */
void compare_profile(struct compare *c);

/* progress.c: on stderr. */
void progress_round(struct compare *c, uint32_t round, const char *leg);
void progress_profile(struct compare *c, const char *leg);
void progress_end(struct compare *c);

#endif
