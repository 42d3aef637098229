/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The report in the Prometheus text exposition format, version 0.0.4: counters
 * since the start of the run, labelled with interface and queue.
 */
#include <inttypes.h>
#include <stddef.h>

#include "report.h"

/* How to find a 64-bit counter of one queue. */
struct queue_metric {
	const char *name;
	const char *type;
	const char *help;
	size_t offset; /* in struct report_queue */
};

#define QUEUE_METRIC(name, type, field, help)                          \
	{                                                              \
		name, type, help, offsetof(struct report_queue, field) \
	}

static const struct queue_metric queue_metrics[] = {
	QUEUE_METRIC("dxmit_packets_total", "counter", run.packets,
		     "Descriptors handed to the kernel."),
	QUEUE_METRIC("dxmit_completions_total", "counter", run.completed,
		     "Completions read back from the kernel."),
	QUEUE_METRIC("dxmit_lost_total", "counter", run.lost,
		     "Frames the kernel dropped, as told by EBUSY."),
	QUEUE_METRIC("dxmit_kicks_total", "counter", run.kicks,
		     "System calls made to transmit."),
	QUEUE_METRIC("dxmit_retries_total", "counter", run.retries,
		     "Kicks that have to be repeated (EAGAIN, ENOBUFS)."),
	QUEUE_METRIC("dxmit_down_total", "counter", run.down,
		     "Kicks that found the interface down."),
	QUEUE_METRIC("dxmit_starved_total", "counter", run.starved,
		     "Turns of the sending loop with every frame in flight."),
	QUEUE_METRIC("dxmit_invalid_total", "counter", invalid,
		     "Descriptors the kernel refused."),
	QUEUE_METRIC("dxmit_in_flight", "gauge", in_flight,
		     "Frames submitted and not completed."),
};

struct ledger_metric {
	const char *name;
	const char *help;
	size_t offset; /* in struct ledger */
};

#define LEDGER_METRIC(field, help)                                                    \
	{                                                                             \
		"dxmit_ledger_" #field "_total", help, offsetof(struct ledger, field) \
	}

static const struct ledger_metric ledger_metrics[] = {
	LEDGER_METRIC(queued, "Frames of the ledger: descriptors submitted."),
	LEDGER_METRIC(sent, "Frames of the ledger: seen leaving by the witness."),
	LEDGER_METRIC(dropped, "Frames of the ledger: dropped by kernel or driver."),
	LEDGER_METRIC(invalid, "Frames of the ledger: refused descriptors."),
	LEDGER_METRIC(foreign, "Frames of the ledger: not ours, seen at the device."),
	LEDGER_METRIC(skipped, "Frames of the ledger: too long for the MTU."),
};

/* Label values: backslash, quote and line feed are escaped, as the format
 * demands. */
static void put_label(FILE *out, const char *value)
{
	for (; *value; value++) {
		if (*value == '\\' || *value == '"')
			fputc('\\', out);
		if (*value == '\n')
			fputs("\\n", out);
		else
			fputc(*value, out);
	}
}

static void put_head(FILE *out, const char *name, const char *type, const char *help)
{
	fprintf(out, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, type);
}

/* NAME{interface="…" without the closing brace, so that labels can follow. */
static void put_name(FILE *out, const struct report *report, const char *name)
{
	fprintf(out, "%s{interface=\"", name);
	put_label(out, report->nic->name);
	fputc('"', out);
}

static uint64_t field_u64(const void *base, size_t offset)
{
	return *(const uint64_t *)((const char *)base + offset);
}

static void queue_counters(const struct report *report, FILE *out)
{
	size_t m, i;

	for (m = 0; m < sizeof(queue_metrics) / sizeof(queue_metrics[0]); m++) {
		const struct queue_metric *metric = &queue_metrics[m];

		put_head(out, metric->name, metric->type, metric->help);
		for (i = 0; i < report->plan->queues; i++) {
			const struct report_queue *queue = &report->queue[i];

			put_name(out, report, metric->name);
			fprintf(out, ",queue=\"%" PRIu32 "\"} %" PRIu64 "\n",
				queue->plan->queue, field_u64(queue, metric->offset));
		}
	}
}

static void cpu_seconds(const struct report *report, FILE *out)
{
	static const char name[] = "dxmit_cpu_seconds_total";
	size_t i;

	put_head(out, name, "counter", "CPU time of the sending thread.");
	for (i = 0; i < report->plan->queues; i++) {
		const struct report_queue *queue = &report->queue[i];

		put_name(out, report, name);
		fprintf(out, ",queue=\"%" PRIu32 "\",mode=\"user\"} %.9f\n",
			queue->plan->queue, (double)queue->run.cpu_user_ns / 1e9);
		put_name(out, report, name);
		fprintf(out, ",queue=\"%" PRIu32 "\",mode=\"system\"} %.9f\n",
			queue->plan->queue, (double)queue->run.cpu_system_ns / 1e9);
	}
}

static void put_value(const struct report *report, FILE *out, const char *name,
		      const char *help, double value)
{
	put_head(out, name, "gauge", help);
	put_name(out, report, name);
	fprintf(out, "} %.17g\n", value);
}

static void ledger_counters(const struct report *report, FILE *out)
{
	size_t m;

	for (m = 0; m < sizeof(ledger_metrics) / sizeof(ledger_metrics[0]); m++) {
		const struct ledger_metric *metric = &ledger_metrics[m];

		put_head(out, metric->name, "counter", metric->help);
		put_name(out, report, metric->name);
		fprintf(out, "} %" PRIu64 "\n",
			field_u64(&report->ledger, metric->offset));
	}
	put_value(report, out, "dxmit_ledger_unexplained",
		  "Frames the ledger cannot account for.",
		  (double)report->ledger.unexplained);
	put_value(report, out, "dxmit_ledger_closed",
		  "1 if every frame is accounted for.", report->ledger.closed);
}

void report_prometheus(const struct report *report, FILE *out)
{
	queue_counters(report, out);
	cpu_seconds(report, out);
	ledger_counters(report, out);
	put_value(report, out, "dxmit_start_time_seconds", "Unix time of the start.",
		  (double)report->start_unix_ns / 1e9);
	put_value(report, out, "dxmit_run_seconds", "Length of the run.",
		  (double)report->total.ns / 1e9);
	put_value(report, out, "dxmit_l1_bps",
		  "Mean rate in bit/s with FCS, preamble and inter-packet gap.",
		  span_l1_bps(&report->total));
	put_value(report, out, "dxmit_l2_bps", "Mean rate in bit/s with FCS.",
		  span_l2_bps(&report->total));
	put_value(report, out, "dxmit_exit_code", "Exit code of the run.",
		  report->exit_code);
	fflush(out);
}
