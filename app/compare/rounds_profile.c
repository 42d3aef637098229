/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Where the CPUs spend their time in each leg. In runs of its own after the rounds,
 * because taking samples costs time itself and must not be in the figures.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "leg_window.h"
#include "message.h"
#include "profiler.h"
#include "yardstick.h"

#define LOST_SHARE 100       /* one sample of so many does not matter */
#define WINDOW_NS 1000000000 /* at least: about a thousand samples */

/* What is wrong with a profile, though the others may be right. */
static void tell_profile(const struct leg_run *run)
{
	struct profiler_counts counts;

	if (run->end == LEG_INTERRUPTED || run->profile_error)
		return;
	if (run->end != LEG_MEASURED || !run->profiler) {
		warn(run->leg->name,
		     "has no profile: it did not send for a whole window");
		return;
	}
	profiler_counts(run->profiler, &counts);
	if (counts.lost * LOST_SHARE > counts.samples)
		warn(run->leg->name,
		     "%" PRIu64 " samples of its profile were lost; shares are of the "
		     "%" PRIu64 " others",
		     counts.lost, counts.samples);
}

/* Returns why it has no samples, or NULL. */
static const char *profile_cell(struct compare *c, struct compare_setting *setting,
				const struct leg *leg, struct comparison_cell *cell)
{
	struct leg_run run = { .leg = leg,
			       .setting = setting,
			       .profile = cell,
			       .window_ns = c->config->compare.window_ns,
			       .warm_up_ns = c->config->compare.warm_up_ns };
	char what[RESTORE_TEXT];
	const char *error;

	if (run.window_ns < WINDOW_NS)
		run.window_ns = WINDOW_NS;
	if (compare_wait_link(c))
		leg_measure(c, &run);
	error = run.profile_error;
	/* What may be sampled is the same for all; without memory it is not told. */
	if (run.profile_how && !c->result.profile_how)
		c->result.profile_how = strdup(run.profile_how);
	tell_profile(&run);
	if (leg_is_pktgen(leg->kind))
		yardstick_clean_up(leg->kind, &c->nic, setting->plan);
	leg_run_close(&run);
	if (!restore_apply(&c->before, leg->kind == LEG_EXEC, what))
		warn(c->nic.name, "%s (after leg %s)", what, leg->name);
	return error;
}

void compare_profile(struct compare *c)
{
	const char *error = NULL;
	size_t i, j;

	for (i = 0; i < c->settings && !error; i++)
		for (j = 0; j < c->legs.count && !error && !compare_stopped(c); j++) {
			struct comparison_cell *cell =
				&c->result.cell[i * c->legs.count + j];

			if (cell->unavailable || cell->failure)
				continue;
			progress_profile(c, cell->leg);
			error = profile_cell(c, &c->setting[i], &c->legs.leg[j], cell);
		}
	progress_end(c);
	if (error)
		warn("--profile", "no samples: %s", error);
}
