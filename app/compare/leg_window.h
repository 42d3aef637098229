/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One leg, once: from the start of its process through its first frame, the
 * warm-up and the window, to its end.
 */
#ifndef APP_LEG_WINDOW_H
#define APP_LEG_WINDOW_H

#include <stdbool.h>
#include <stdint.h>

#include "compare.h"
#include "leg_answer.h"
#include "leg_child.h"

enum leg_end {
	LEG_MEASURED,    /* the window is whole */
	LEG_DIED,        /* by itself, before its window was over */
	LEG_NEVER_SENT,  /* it ran, but nothing moved */
	LEG_LINK_LOST,   /* the interface lost its link in the window */
	LEG_GONE,        /* the interface itself is gone */
	LEG_NO_WITNESS,  /* the command that is the witness failed */
	LEG_INTERRUPTED, /* the user wants to end */
	LEG_NO_PROCESS,  /* fork() failed; `error` says why */
};

struct profiler;

struct leg_run {
	const struct leg *leg;
	struct compare_setting *setting; /* its watch on CPUs learns threads */
	struct comparison_cell *profile; /* gets samples of the window; NULL: none */
	uint64_t window_ns, warm_up_ns;

	struct leg_child child;
	struct profiler *profiler;
	const char *profile_how;   /* what is sampled; NULL: nothing */
	const char *profile_error; /* NULL, or why there are no samples */
	enum leg_end end;
	int error;       /* -errno */
	bool moved;      /* it sent something */
	bool killed;     /* it did not end when asked */
	bool link_after; /* when it had ended; a program that goes may take it */

	uint64_t started_ns, asked_ns; /* its process; to end it */
	uint64_t start_unix_ns;        /* CLOCK_REALTIME at the window's begin */
	struct witness_count before, begin, last, after; /* by the witness */
	struct witness_count device;                     /* the last look at it */
	struct cpu_times cpu_life, cpu; /* since before its start; in the window */
	uint32_t looks, changes;        /* in the window: of the counters */
	struct leg_answer answer;
};

/*
 * Measure a leg. `run` has leg, setting, window and warm-up. Whatever happens the
 * process and all it started is gone afterwards; child.err and child.out hold what
 * it wrote until leg_run_close().
 */
void leg_measure(struct compare *c, struct leg_run *run);
void leg_run_close(struct leg_run *run);

/* leg_sample.c: what it comes to. False: nothing that could be used at all. */
bool leg_sample(const struct compare *c, const struct leg_run *run,
		struct comparison_sample *out);
/* What the results call the witness of a leg. */
const char *leg_witness(const struct compare *c, const struct leg *leg);
/* Do the device's counters move too seldom for windows of this length? */
bool leg_counters_seldom(const struct leg_run *run);

#endif
