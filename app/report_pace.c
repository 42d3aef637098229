/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The timing of a run in its report: asked against reached, what the schedule
 * had for times the sender was held up, and the gaps between departures.
 */
#include <inttypes.h>

#include "json_parts.h"
#include "report.h"
#include "text.h"

/* The time for which the schedule counts: a run lasts a little longer than its
 * duration, or than the schedule, until the last frames are home. */
static uint64_t asked_ns(const struct config *config, const struct schedule *schedule,
			 uint64_t run_ns)
{
	uint64_t length_ns = schedule_length_ns(schedule);
	uint64_t ns = run_ns ? run_ns : SCHEDULE_ENDLESS;

	if (config->duration_ns && config->duration_ns < ns)
		ns = config->duration_ns;
	return length_ns < ns ? length_ns : ns;
}

uint64_t report_asked_micro_pps(const struct config *config,
				const struct schedule *schedule, uint64_t run_ns)
{
	return schedule_mean_micro_pps(schedule, asked_ns(config, schedule, run_ns));
}

/* Packets the schedule had for the run. */
static uint64_t asked_packets(const struct report *report)
{
	const struct config *config = report->config;
	uint64_t ns = asked_ns(config, report->schedule, report->total.ns);
	uint64_t packets = ns ? schedule_due(report->schedule, ns - 1) : 0;

	return config->count_given && config->count < packets ? config->count : packets;
}

static bool is_paced(const struct report *report)
{
	return report->schedule && schedule_is_limited(report->schedule);
}

const char *report_asked_text(const struct report *report, char buf[PACE_ASKED_BYTES])
{
	const struct config *config = report->config;
	double pps = (double)report->asked_micro_pps / 1e6;
	char words[PROFILE_TEXT_BYTES], number[TEXT_NUMBER_BYTES];
	const char *mean = config->rate.micro ? "" : " on average";

	text_scaled(pps, "pps", number);
	profile_text(&config->rate, &config->profile, &config->bursts, words);
	if (!is_paced(report))
		buf[0] = '\0';
	else if (config->rate.micro && config->rate.unit == RATE_PPS)
		snprintf(buf, PACE_ASKED_BYTES, "%s", number);
	else
		snprintf(buf, PACE_ASKED_BYTES, "%s, %s%s", words, number, mean);
	return buf;
}

static uint64_t given_up(const struct report *report)
{
	uint64_t sum = 0;
	size_t i;

	for (i = 0; i < report->plan->queues; i++)
		sum += report->queue[i].given_up;
	return sum;
}

static void percentiles_text(const char *name, const struct gaps_percentiles *p,
			     FILE *out)
{
	char p50[TEXT_NUMBER_BYTES], p90[TEXT_NUMBER_BYTES], p99[TEXT_NUMBER_BYTES];
	char p999[TEXT_NUMBER_BYTES], max[TEXT_NUMBER_BYTES];

	text_field(out, name, "p50 %s, p90 %s, p99 %s, p99.9 %s, max %s",
		   text_time((double)p->p50_ns, p50), text_time((double)p->p90_ns, p90),
		   text_time((double)p->p99_ns, p99), text_time((double)p->p999_ns, p999),
		   text_time((double)p->max_ns, max));
}

void report_pace_text(const struct report *report, FILE *out)
{
	char asked[PACE_ASKED_BYTES], reached[TEXT_NUMBER_BYTES];

	if (!is_paced(report))
		return;
	text_field(out, "rate", "asked %s, reached %s", report_asked_text(report, asked),
		   text_scaled(span_pps(&report->total), "pps", reached));
	if (given_up(report))
		text_field(out, "given up",
			   "%" PRIu64 " packets of the schedule, after hold-ups",
			   given_up(report));
	if (!report->gaps.count)
		return;
	percentiles_text("gaps", &report->gaps.gap, out);
	percentiles_text("gap error", &report->gaps.error, out);
	text_field(out, "", "%.2f %% of %" PRIu64 " gaps within %u us of what was asked",
		   100 * report->gaps.near, report->gaps.count, GAPS_NEAR_NS / 1000);
}

static struct json_maker percentiles_part(const struct gaps_percentiles *p)
{
	struct json_maker part = json_make_object();

	json_set_u64(&part, "min_ns", p->min_ns);
	json_set_real(&part, "mean_ns", p->mean_ns);
	json_set_u64(&part, "p50_ns", p->p50_ns);
	json_set_u64(&part, "p90_ns", p->p90_ns);
	json_set_u64(&part, "p99_ns", p->p99_ns);
	json_set_u64(&part, "p999_ns", p->p999_ns);
	json_set_u64(&part, "max_ns", p->max_ns);
	return part;
}

static void set_gaps(struct json_maker *to, const struct gaps_summary *gaps)
{
	struct json_maker part;

	if (!gaps->count) {
		json_set_null(to, "gaps");
		return;
	}
	part = percentiles_part(&gaps->gap);
	json_set_u64(&part, "count", gaps->count);
	json_set_u64(&part, "near_ns", GAPS_NEAR_NS);
	json_set_real(&part, "near_share", gaps->near);
	json_set_part(&part, "off_asked", percentiles_part(&gaps->error));
	json_set_part(to, "gaps", part);
}

void report_pace_json_total(const struct report *report, struct json_maker *part)
{
	if (is_paced(report))
		json_set_u64(part, "asked_packets", asked_packets(report));
	else
		json_set_null(part, "asked_packets");
	json_set_u64(part, "given_up", given_up(report));
	set_gaps(part, &report->gaps);
}

void report_pace_json_queue(const struct report_queue *queue, struct json_maker *part)
{
	json_set_u64(part, "given_up", queue->given_up);
	set_gaps(part, &queue->gaps);
}
