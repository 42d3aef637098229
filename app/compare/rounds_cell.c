/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A cell in a round: one leg under one setting, measured until it was undisturbed,
 * at most three times; and what becomes of a leg that does not run.
 */
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "leg_check.h"
#include "leg_window.h"
#include "message.h"
#include "rounds.h"
#include "yardstick.h"

/* The kernel gives a queue back some 50 ms after its socket was closed (13 to 56 were
 * seen on Linux 6.1 to 6.18). Our own legs wait for it, a foreign sender need not. */
#define QUEUE_BACK_NS 200000000ull
#define ATTEMPTS 3
#define PATIENCE 4       /* disturbed samples to keep before that counts as usual */
#define ERROR_LIMIT 8192 /* bytes of its standard error, from the end */
#define TAIL_LIMIT 1024  /* likewise, of what an exec leg wrote */

/* What an attempt was. */
enum outcome {
	OUTCOME_SAMPLE,   /* something to keep, or to repeat */
	OUTCOME_NO_LEG,   /* it cannot run, or not any more; the cell says why */
	OUTCOME_LINK,     /* no link: to be repeated once it is back */
	OUTCOME_GONE,     /* no interface */
	OUTCOME_BLIND,    /* no witness */
	OUTCOME_STOPPED,  /* by the user */
	OUTCOME_MISMATCH, /* its books do not balance: to be repeated */
	OUTCOME_IDLE,     /* not started, or idle in the window: to be repeated */
};

struct attempt {
	struct leg_run run;
	struct comparison_sample sample;
	struct leg_check check;
	bool usable; /* it gave a sample, be it a spoiled one */
	char reason[256];
};

/* ---- reasons ---- */

static bool by_signal(const struct leg_run *run)
{
	return run->child.ended && WIFSIGNALED(run->child.status);
}

static int exit_status(const struct leg_run *run)
{
	return run->child.ended && WIFEXITED(run->child.status)
		       ? WEXITSTATUS(run->child.status)
		       : EXIT_RUNTIME;
}

/* Its own words, or what is known from outside. */
static void find_reason(struct attempt *a)
{
	char *text = leg_child_text(a->run.child.err, ERROR_LIMIT);
	const char *said = text ? leg_answer_reason(text) : "";
	const char *when = a->run.end == LEG_MEASURED ? "at its end"
			   : a->run.moved             ? "while it was sending"
						      : "before it sent anything";

	if (a->run.end == LEG_NO_PROCESS)
		snprintf(a->reason, sizeof(a->reason),
			 "its process could not be started: %s, see `ulimit -a`",
			 strerror(-a->run.error));
	else if (a->run.end == LEG_NEVER_SENT)
		snprintf(a->reason, sizeof(a->reason), "nothing was seen to leave%s%s",
			 *said ? ": " : "", said);
	else if (by_signal(&a->run) && !a->run.killed)
		snprintf(a->reason, sizeof(a->reason), "ended by signal %d (%s) %s",
			 WTERMSIG(a->run.child.status),
			 strsignal(WTERMSIG(a->run.child.status)), when);
	else if (a->run.killed)
		snprintf(a->reason, sizeof(a->reason),
			 "did not end when asked and had to be killed");
	else if (*said && a->run.leg->kind != LEG_EXEC)
		snprintf(a->reason, sizeof(a->reason), "%s", said);
	else
		snprintf(a->reason, sizeof(a->reason), "ended with code %d %s%s%s",
			 exit_status(&a->run), when, *said ? ": " : "", said);
	free(text);
}

/* The last lines an exec leg wrote, to either descriptor. */
static char *tail(const struct leg_run *run)
{
	char *out = leg_child_text(run->child.out, TAIL_LIMIT), *err, *from;

	if (out && !*out) {
		free(out);
		out = leg_child_text(run->child.err, TAIL_LIMIT);
	}
	err = out;
	/* Not from the middle of a line. */
	from = out && strlen(out) == TAIL_LIMIT ? strchr(out, '\n') : NULL;
	if (from) {
		err = strdup(from + 1);
		free(out);
	}
	return err;
}

static void set_text(char **to, const char *text)
{
	if (*to || !text)
		return;
	*to = strdup(text); /* without memory it stays unknown */
}

/* The mode and path obtained, of the first run that told. */
static void set_obtained(const struct compare *c, const struct leg_run *run,
			 struct comparison_cell *cell)
{
	const struct leg_answer *a = &run->answer;

	set_text(&cell->witness, leg_witness(c, run->leg));
	if (run->leg->kind == LEG_EXEC) {
		free(cell->output);
		cell->output = tail(run);
		set_text(&cell->mode, leg_kind_name(LEG_EXEC));
		return;
	}
	set_text(&cell->mode, a->mode[0] ? a->mode : NULL);
	set_text(&cell->path, a->path[0] ? a->path : NULL);
}

/* ---- one attempt ---- */

/* What its end means, a whole window or not. */
static enum outcome judge_end(const struct attempt *a)
{
	switch (a->run.end) {
	case LEG_INTERRUPTED:
		return OUTCOME_STOPPED;
	case LEG_GONE:
		return OUTCOME_GONE;
	case LEG_NO_WITNESS:
		return OUTCOME_BLIND;
	case LEG_LINK_LOST:
		return OUTCOME_LINK;
	case LEG_NO_PROCESS:
		return OUTCOME_IDLE;
	case LEG_MEASURED:
		if (a->run.killed || by_signal(&a->run))
			return OUTCOME_NO_LEG;
		/* A command that is stopped answers what it likes. */
		if (a->run.leg->kind == LEG_EXEC || exit_status(&a->run) == EXIT_DONE)
			return OUTCOME_SAMPLE;
		return exit_status(&a->run) == EXIT_MISMATCH ? OUTCOME_MISMATCH
							     : OUTCOME_NO_LEG;
	default:
		/* A command may have taken the interface down itself. */
		return a->run.link_after || a->run.leg->kind == LEG_EXEC ? OUTCOME_NO_LEG
									 : OUTCOME_LINK;
	}
}

static enum outcome try_leg(struct compare *c, struct attempt *a)
{
	uint64_t governors = leg_governors(&a->run.setting->cpus);
	enum outcome outcome;

	leg_measure(c, &a->run);
	if (leg_is_pktgen(a->run.leg->kind))
		yardstick_clean_up(a->run.leg->kind, &c->nic, a->run.setting->plan);
	outcome = judge_end(a);
	/* A stop by the user cuts its grace, which is no fault of the leg's. */
	if (a->run.killed && compare_stopped(c))
		outcome = OUTCOME_STOPPED;
	if (outcome == OUTCOME_NO_LEG || outcome == OUTCOME_MISMATCH ||
	    outcome == OUTCOME_IDLE)
		find_reason(a);
	if (outcome != OUTCOME_SAMPLE)
		return outcome;
	a->usable = leg_sample(c, &a->run, &a->sample);
	leg_check(c, &a->run, governors, &a->sample, &a->check);
	if (!a->usable) {
		snprintf(a->reason, sizeof(a->reason),
			 "nothing was seen to leave while it was measured");
		/* Because it was never its turn: that is no fault of the leg's. */
		a->usable = a->check.disturbance == DISTURBED;
		a->check.disturbance = SPOILED;
	}
	memcpy(a->sample.note, a->check.note, sizeof(a->sample.note));
	return a->usable ? OUTCOME_SAMPLE : OUTCOME_IDLE;
}

/* Undo what the leg left behind. Returns 0 or an exit code. */
static int put_back(struct compare *c, const struct leg *leg)
{
	char what[RESTORE_TEXT];

	if (restore_apply(&c->before, leg->kind == LEG_EXEC, what))
		return 0;
	return fail(EXIT_RUNTIME, c->nic.name, "%s (after leg %s)", what, leg->name);
}

/* ---- the attempts together ---- */

/* Without the right, the module or the device it needs, a leg ends before it has
 * sent anything, the first time. */
static int give_up(struct compare *c, const struct attempt *a,
		   struct comparison_cell *cell, uint32_t round, int code)
{
	bool unable = round == 0 && !a->run.moved && a->run.end == LEG_DIED &&
		      a->run.leg->kind != LEG_EXEC && !by_signal(&a->run);
	char **text = unable ? &cell->unavailable : &cell->failure;

	*text = strdup(a->reason);
	if (!*text)
		return compare_out_of_memory();
	if (!unable && !c->result.exit_code)
		c->result.exit_code = code;
	return 0;
}

/* The best that the attempts of a round gave. */
static int keep(struct compare *c, struct attempt *a, struct comparison_cell *cell,
		uint32_t round, uint32_t place)
{
	a->sample.round = round;
	a->sample.place = place;
	a->sample.disturbed = a->check.disturbance == SPOILED;
	c->measured++;
	c->kept += a->check.disturbance == DISTURBED;
	return comparison_add_sample(cell, &a->sample) ? compare_out_of_memory() : 0;
}

static int no_interface(const struct compare *c)
{
	if (dxmit_nic_active_tx_queues(c->nic.ifindex) == -ENODEV)
		return fail(EXIT_RUNTIME, c->nic.name,
			    "was deleted or moved to another network namespace; the "
			    "results so far stand, check `ip link`");
	return fail(EXIT_RUNTIME, c->nic.name,
		    "lost its link and did not get it back in time; the results so far "
		    "stand, see --carrier-wait");
}

/* The better of two samples of one round. */
static void choose(struct attempt *best, const struct attempt *a)
{
	if (best->usable && (best->check.disturbance < a->check.disturbance ||
			     (best->check.disturbance == a->check.disturbance &&
			      best->check.badness <= a->check.badness)))
		return;
	*best = *a;
}

/* On a machine that is hardly ever quiet, repeating only takes time. */
static bool worth_repeating(const struct compare *c, const struct attempt *a)
{
	if (a->check.disturbance == DISTURBED && c->kept > PATIENCE &&
	    c->kept * 2 > c->measured)
		return false;
	return a->check.disturbance != UNDISTURBED;
}

/* What an attempt that was not undisturbed leads to. Sets *again. */
static int after_attempt(struct compare *c, struct attempt *a, enum outcome outcome,
			 bool last, struct comparison_cell *cell, uint32_t round,
			 bool *again)
{
	*again = !last;
	switch (outcome) {
	case OUTCOME_NO_LEG:
		*again = false;
		return give_up(c, a, cell, round, EXIT_RUNTIME);
	case OUTCOME_MISMATCH:
		return last ? give_up(c, a, cell, round, EXIT_MISMATCH) : 0;
	case OUTCOME_IDLE:
		return last ? give_up(c, a, cell, round, EXIT_RUNTIME) : 0;
	case OUTCOME_LINK:
		if (!last && (compare_wait_link(c) || c->interrupted))
			return 0;
		*again = false;
		return no_interface(c);
	case OUTCOME_GONE:
		*again = false;
		return no_interface(c);
	case OUTCOME_BLIND:
		*again = false;
		return compare_no_witness(c);
	case OUTCOME_STOPPED:
		*again = false;
		return 0;
	default:
		*again = !last && round > 0 && worth_repeating(c, a);
		if (*again)
			leg_wait_quiet(c, a->run.setting);
		return 0;
	}
}

/* Measure once, and put the interface back. */
static int attempt(struct compare *c, struct attempt *a, struct attempt *best,
		   struct comparison_cell *cell, uint32_t round, bool last, bool *again)
{
	enum outcome outcome;
	int code;

	compare_sleep(c, c->config->compare.cool_down_ns);
	if (a->run.leg->kind == LEG_EXEC)
		compare_sleep(c, QUEUE_BACK_NS);
	/* A program that a leg took off may have reset the device. */
	if (!compare_wait_link(c)) {
		*again = false;
		return c->interrupted ? 0 : no_interface(c);
	}
	outcome = try_leg(c, a);
	if (outcome == OUTCOME_SAMPLE) {
		c->counters_seldom |=
			!c->witness.command.text && leg_counters_seldom(&a->run);
		set_obtained(c, &a->run, cell);
		choose(best, a);
	}
	leg_run_close(&a->run);
	code = put_back(c, a->run.leg);
	return code ? code : after_attempt(c, a, outcome, last, cell, round, again);
}

int round_cell(struct compare *c, struct compare_setting *setting, const struct leg *leg,
	       struct comparison_cell *cell, uint32_t round, uint32_t place)
{
	struct attempt best = { 0 };
	bool again = true;
	int number, code = 0;

	for (number = 1; again && !code; number++) {
		struct attempt a = { .run = { .leg = leg,
					      .setting = setting,
					      .window_ns = c->config->compare.window_ns,
					      .warm_up_ns =
						      c->config->compare.warm_up_ns } };

		cell->repeated += number > 1;
		code = attempt(c, &a, &best, cell, round, number == ATTEMPTS, &again);
	}
	if (round == 0 || !best.usable)
		return code;
	number = keep(c, &best, cell, round, place);
	return code ? code : number;
}
