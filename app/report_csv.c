/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The report as CSV (RFC 4180, with its CRLF line ends): a row per interval
 * and queue. Every field is a number, so nothing ever needs quoting.
 */
#include <inttypes.h>

#include "report.h"

void report_csv_header(FILE *out)
{
	fputs("time_unix_ns,interval,queue,cpu,packets,pps,l1_bps,l2_bps,kicks,"
	      "packets_per_kick,lost,retries,in_flight\r\n",
	      out);
}

void report_csv_interval(const struct report *report, FILE *out)
{
	size_t i;

	for (i = 0; i < report->plan->queues; i++) {
		const struct report_queue *queue = &report->queue[i];
		const struct span *span = &queue->interval;
		int64_t cpu = queue->cpu_seen >= 0 ? (int64_t)queue->cpu_seen
						   : (int64_t)queue->plan->cpu;

		fprintf(out,
			"%" PRIu64 ",%" PRIu64 ",%" PRIu32 ",%" PRId64 ",%" PRIu64
			",%.3f,%.3f,%.3f,%" PRIu64 ",%.3f,%" PRIu64 ",%" PRIu64
			",%" PRIu64 "\r\n",
			report->start_unix_ns + report->total.ns, report->interval_index,
			queue->plan->queue, cpu, span->packets, span_pps(span),
			span_l1_bps(span), span_l2_bps(span), span->kicks,
			span_packets_per_kick(span), span->lost, span->retries,
			queue->in_flight);
	}
	fflush(out);
}
