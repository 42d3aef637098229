/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What is said of a comparison beside its tables: the conditions, what could not run
 * or was repeated, and where its curves bend.
 */
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "comparison_fields.h"
#include "comparison_sheets.h"
#include "utf8.h"

#define POINTS 8 /* of a curve that are named */

const char comparison_legend[] =
	"Packets are those the witness saw. L2 rates count each frame with its FCS, L1 "
	"rates 20 bytes more (preamble and gap too). Figures are medians over the rounds, "
	"± is their robust spread. CPU time is user + system + ksoftirqd, in µs per "
	"packet; softirq is the part of it spent there. \"sees\" is the smallest "
	"difference that these rounds would have shown four times of five.";

void speak(const struct speaker *speaker, const char *name, const char *format, ...)
{
	char *text, *clean = NULL;
	va_list args;
	int length;

	va_start(args, format);
	length = vasprintf(&text, format, args);
	va_end(args);
	if (length >= 0) {
		clean = utf8_clean(text);
		free(text);
	}
	speaker->say(speaker->to, name, clean ? clean : "(out of memory)");
	free(clean);
}

static const char *or_unknown(const char *text)
{
	return text && *text ? text : "unknown";
}

/* ---- conditions ---- */

/* In UTC, so that the same file says the same everywhere. */
static void say_time(const struct speaker *speaker, const struct comparison *c)
{
	time_t seconds = (time_t)(c->start_unix_ns / 1000000000u);
	struct tm parts;
	char text[64];

	if (c->start_unix_ns == 0 || c->start_unix_ns == COMPARISON_UNKNOWN ||
	    !gmtime_r(&seconds, &parts) ||
	    strftime(text, sizeof(text), "%Y-%m-%d %H:%M:%S UTC", &parts) == 0)
		return;
	speak(speaker, "begun", "%s", text);
}

static void say_method(const struct speaker *speaker, const struct comparison *c)
{
	char until[32] = "";

	if (c->until > 0)
		snprintf(until, sizeof(until), ", until ±%.3g %%", 100 * c->until);
	speak(speaker, "method",
	      "%" PRIu32 " round%s, windows of %g s after %g s to warm up%s%s; medians "
	      "and robust spreads (±), paired by rounds",
	      c->rounds, c->rounds == 1 ? "" : "s", c->window_seconds, c->warm_up_seconds,
	      c->cool_down_seconds > 0 ? ", pauses between" : "", until);
}

void comparison_conditions(const struct comparison *c, const struct speaker *speaker)
{
	char cpus[32] = "";

	speak(speaker, "interface", "%s (%s)", or_unknown(c->interface),
	      c->driver && *c->driver ? c->driver : "driver unknown");
	speak(speaker, "host", "%s, Linux %s", or_unknown(c->hostname),
	      or_unknown(c->kernel));
	if (c->cpus)
		snprintf(cpus, sizeof(cpus), ", %" PRIu32 " CPU%s", c->cpus,
			 c->cpus == 1 ? "" : "s");
	speak(speaker, "machine", "%s%s", or_unknown(c->machine), cpus);
	if (c->version)
		speak(speaker, "dxmit", "%s", c->version);
	speak(speaker, "placement", "%s", or_unknown(c->placement));
	say_time(speaker, c);
	say_method(speaker, c);
	if (c->profile_how)
		speak(speaker, "profile", "%s", c->profile_how);
	if (c->interrupted)
		speak(speaker, "ended", "early, by a signal");
	if (c->out_of_time)
		speak(speaker, "ended", "by --time-limit, before --until was reached");
	if (c->command_line)
		speak(speaker, "command", "%s", c->command_line);
}

/* ---- remarks ---- */

static void say_noted(const struct speaker *speaker, const struct comparison_cell *cell,
		      const char *name, bool disturbed)
{
	const char *note = "";
	size_t count = 0, i;

	for (i = 0; i < cell->samples; i++)
		if (cell->sample[i].disturbed == disturbed &&
		    (disturbed || cell->sample[i].note[0])) {
			count++;
			note = cell->sample[i].note;
		}
	if (count)
		speak(speaker, name, "%s: %zu disturbed round%s%s%s", cell->leg, count,
		      count == 1 ? "" : "s", *note ? ", the last: " : "", note);
}

static void say_disturbed(const struct speaker *speaker,
			  const struct comparison_cell *cell)
{
	if (cell->repeated)
		speak(speaker, "repeated", "%s: %" PRIu32 " disturbed round%s", cell->leg,
		      cell->repeated, cell->repeated == 1 ? "" : "s");
	say_noted(speaker, cell, "left out", true);
	say_noted(speaker, cell, "kept", false);
}

/* Where the sender counts as well: do both agree? */
static void say_counts(const struct speaker *speaker, const struct comparison_cell *cell)
{
	uint64_t seen = 0, own = 0;
	size_t known = 0, i;

	for (i = 0; i < cell->samples; i++) {
		const struct comparison_sample *sample = &cell->sample[i];

		if (sample->life_own == COMPARISON_UNKNOWN ||
		    sample->life_packets == COMPARISON_UNKNOWN)
			continue;
		seen += sample->life_packets;
		own += sample->life_own;
		known++;
	}
	if (known && seen != own)
		speak(speaker, "counts",
		      "%s: %" PRIu64 " sent as it says itself, %" PRIu64
		      " seen by the witness (%s), %+" PRId64,
		      cell->leg, own, seen, or_unknown(cell->witness),
		      (int64_t)(seen - own));
}

void comparison_remarks(const struct comparison *c, const struct comparison_block *block,
			const struct speaker *speaker)
{
	size_t i;

	for (i = 0; i < block->cells; i++) {
		const struct comparison_cell *cell = &c->cell[block->cell[i]];

		if (cell->unavailable)
			speak(speaker, "not run", "%s: %s", cell->leg, cell->unavailable);
		if (cell->failure)
			speak(speaker, "broke off", "%s: %s", cell->leg, cell->failure);
		say_disturbed(speaker, cell);
		say_counts(speaker, cell);
	}
}

/* ---- curves ---- */

/* The points to name of a curve: all, or the first ones, the knee and the last. */
static bool is_named(const struct judgement *j, const struct judgement_curve *curve,
		     size_t i)
{
	if (j->cell[curve->cell[i]].rounds == 0)
		return false;
	return curve->cells <= POINTS || i + 2 < POINTS || i == curve->knee ||
	       i + 1 == curve->cells;
}

static void say_curve(const struct speaker *speaker, const struct comparison *c,
		      const struct judgement *j, const struct judgement_curve *curve)
{
	const char *axis = comparison_settings[curve->axis].key;
	char *text = NULL, fixed[COMPARISON_TITLE], pps[TEXT_NUMBER_BYTES];
	size_t length, i;
	FILE *out = open_memstream(&text, &length);

	if (!out)
		return;
	for (i = 0; i < curve->cells; i++) {
		size_t cell = curve->cell[i];

		if (!is_named(j, curve, i))
			continue;
		fprintf(out, "%s%s at %" PRIu32, ftell(out) ? ", " : "",
			text_scaled(j->cell[cell].pps.median, "pps", pps),
			comparison_setting(&c->cell[cell], curve->axis));
	}
	if (curve->knee < curve->cells)
		fprintf(out, "; knee%s at %s %" PRIu32,
			curve->axis == AXIS_SIZE ? " of the L1 rate" : "", axis,
			comparison_setting(&c->cell[curve->cell[curve->knee]],
					   curve->axis));
	comparison_title(&c->cell[curve->cell[0]], curve->axis, fixed);
	if (fclose(out) == 0)
		speak(speaker, axis, "%s, %s: %s", c->cell[curve->cell[0]].leg, fixed,
		      text);
	free(text);
}

static bool was_measured(const struct judgement *j, const struct judgement_curve *curve)
{
	size_t i;

	for (i = 0; i < curve->cells; i++)
		if (j->cell[curve->cell[i]].rounds)
			return true;
	return false;
}

void comparison_curves(const struct comparison *c, const struct judgement *j,
		       const struct speaker *speaker)
{
	size_t i;

	for (i = 0; i < j->curves; i++)
		if (was_measured(j, &j->curve[i]))
			say_curve(speaker, c, j, &j->curve[i]);
}
