/* SPDX-License-Identifier: BSD-2-Clause */
/* Reading and converting what profile.h describes. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "parse.h"
#include "profile.h"

#define FIELD_BYTES 48
#define FIELDS 3

/*
 * Copy the fields of one step, up to a comma or the end, apart. Returns how
 * many, 0 if that are too many or one is too long; *text is then past them.
 */
static size_t split_step(const char **text, char field[FIELDS][FIELD_BYTES])
{
	size_t fields = 0;

	for (;;) {
		size_t length = strcspn(*text, ":,");

		if (fields == FIELDS || length >= FIELD_BYTES)
			return 0;
		memcpy(field[fields], *text, length);
		field[fields++][length] = '\0';
		*text += length;
		if (**text != ':')
			return fields;
		(*text)++;
	}
}

static bool parse_length(const char *text, uint64_t *ns, struct parse_reason *reason)
{
	if (!parse_time_ns(text, ns, reason))
		return false;
	if (*ns == 0 || *ns > SCHEDULE_MAX_NS)
		return parse_refuse(reason, text, "out of range");
	return true;
}

static bool parse_step(char field[FIELDS][FIELD_BYTES], size_t fields,
		       struct profile_step *step, struct parse_reason *reason)
{
	if (!rate_parse(field[0], &step->from, reason))
		return false;
	step->to = step->from;
	step->length_ns = SCHEDULE_ENDLESS;
	if (fields == 3 && !rate_parse(field[1], &step->to, reason))
		return false;
	return fields == 1 || parse_length(field[fields - 1], &step->length_ns, reason);
}

static bool is_silent(const struct profile_step *step)
{
	return step->from.micro == 0 && step->to.micro == 0;
}

bool profile_parse(const char *text, struct profile *profile, struct parse_reason *reason)
{
	struct profile read = { 0 };
	const char *rest = text;
	uint64_t total_ns = 0;

	for (;; rest++) {
		struct profile_step *step = &read.step[read.steps];
		char field[FIELDS][FIELD_BYTES];
		size_t fields;

		if (read.steps == SCHEDULE_MAX_SEGMENTS)
			return parse_refuse(reason, text, "a list of too many steps");
		fields = split_step(&rest, field);
		if (fields == 0)
			return parse_refuse(reason, text, "not a list of steps");
		if (!parse_step(field, fields, step, reason))
			return false;
		read.steps++;
		if (step->length_ns != SCHEDULE_ENDLESS)
			total_ns += step->length_ns;
		if (total_ns > SCHEDULE_MAX_NS)
			return parse_refuse(reason, text, "too long");
		if (*rest == '\0')
			break;
		if (step->length_ns == SCHEDULE_ENDLESS)
			return parse_refuse(reason, text,
					    "a list with a step without time before "
					    "its end");
	}
	if (is_silent(&read.step[read.steps - 1]))
		return parse_refuse(reason, text, "a list that ends in silence");
	*profile = read;
	return true;
}

bool bursts_parse(const char *text, struct bursts *bursts, struct parse_reason *reason)
{
	char field[FIELDS][FIELD_BYTES];
	const char *rest = text;
	struct bursts read;

	if (split_step(&rest, field) != 2 || *rest)
		return parse_refuse(reason, text, "not a number and a time");
	if (!parse_number(field[0], PARSE_DECIMAL, &read.packets, reason))
		return false;
	if (read.packets == 0)
		return parse_refuse(reason, text, "no packets");
	if (!parse_length(field[1], &read.period_ns, reason))
		return false;
	*bursts = read;
	return true;
}

static int add_step(struct schedule *schedule, const struct profile_step *step,
		    const struct rate_basis *basis, struct rate *which)
{
	uint64_t from, to;
	int err;

	*which = step->from;
	err = rate_convert(&step->from, basis, &from);
	if (err)
		return err;
	*which = step->to;
	err = rate_convert(&step->to, basis, &to);
	return err ? err : schedule_add(schedule, from, to, step->length_ns);
}

int profile_schedule(const struct rate *rate, const struct profile *profile,
		     const struct bursts *bursts, const struct rate_basis *basis,
		     struct schedule *schedule, struct rate *which)
{
	uint32_t i;
	int err = 0;

	memset(schedule, 0, sizeof(*schedule));
	if (bursts->packets)
		schedule_set_bursts(schedule, bursts->packets, bursts->period_ns);
	for (i = 0; i < profile->steps && !err; i++)
		err = add_step(schedule, &profile->step[i], basis, which);
	if (rate->micro) {
		const struct profile_step steady = { *rate, *rate, SCHEDULE_ENDLESS };

		err = add_step(schedule, &steady, basis, which);
	}
	return err;
}

const char *profile_text(const struct rate *rate, const struct profile *profile,
			 const struct bursts *bursts, char buf[PROFILE_TEXT_BYTES])
{
	char number[RATE_TEXT_BYTES];

	buf[0] = '\0';
	if (rate->micro)
		snprintf(buf, PROFILE_TEXT_BYTES, "%s", rate_text(rate, number));
	else if (bursts->packets)
		snprintf(buf, PROFILE_TEXT_BYTES, "bursts of %" PRIu64 " every %.6g ms",
			 bursts->packets, (double)bursts->period_ns / 1e6);
	else if (profile->steps)
		snprintf(buf, PROFILE_TEXT_BYTES, "a profile of %" PRIu32 " step%s",
			 profile->steps, profile->steps == 1 ? "" : "s");
	return buf;
}
