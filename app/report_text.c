/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The report of a run as text for people: the live table, then the final
 * table, the ledger, the placement, what bound the rate, and the cost. No line
 * is wider than 80 columns.
 */
#include <inttypes.h>
#include <string.h>

#include "path.h"
#include "replay_report.h"
#include "report.h"
#include "text.h"

/* Queues whose placement is wrong and told one by one. */
#define PLACEMENT_LINES 8
/* Lines of the live table besides its queues: heads, total, the prompt's. */
#define LIVE_SPARE_LINES 4

static void table_heads(FILE *out)
{
	fprintf(out, "%5s %4s %4s %7s %8s %8s %7s %8s %8s %8s\n", "queue", "CPU", "node",
		"pps", "L1 bit/s", "L2 bit/s", "ns/pkt", "kicks/s", "pkt/kick", "lost");
}

/* Nanoseconds are read as they are: four digits, no prefix while that fits. */
static const char *plain(double value, char buf[TEXT_NUMBER_BYTES])
{
	if (value >= 1e6)
		return text_scaled(value, "", buf);
	snprintf(buf, TEXT_NUMBER_BYTES, "%.*f",
		 value < 10     ? 3
		 : value < 100  ? 2
		 : value < 1000 ? 1
				: 0,
		 value);
	return buf;
}

/* One row of the table: `who` is the queue number or "total". */
static void table_row(FILE *out, const char *who, const char *cpu, const char *node,
		      const struct span *span)
{
	char pps[TEXT_NUMBER_BYTES], l1[TEXT_NUMBER_BYTES], l2[TEXT_NUMBER_BYTES];
	char cost[TEXT_NUMBER_BYTES], kicks[TEXT_NUMBER_BYTES], lost[TEXT_NUMBER_BYTES];
	char batch[TEXT_NUMBER_BYTES];

	fprintf(out, "%5s %4s %4s %7s %8s %8s %7s %8s %8s %8s", who, cpu, node,
		text_scaled(span_pps(span), "", pps),
		text_scaled(span_l1_bps(span), "", l1),
		text_scaled(span_l2_bps(span), "", l2),
		plain(span_ns_per_packet(span), cost),
		text_scaled(span_kicks_per_second(span), "", kicks),
		text_scaled(span_packets_per_kick(span), "", batch),
		text_count(span->lost, lost));
}

static void queue_row(FILE *out, const struct report *report, size_t i,
		      const struct span *span)
{
	const struct report_queue *queue = &report->queue[i];
	int32_t node =
		queue->residence.verified ? queue->residence.node : queue->plan->cpu_node;
	char who[12], cpu[12], node_text[12] = "-";

	snprintf(who, sizeof(who), "%" PRIu32, queue->plan->queue);
	if (queue->cpu_seen >= 0)
		snprintf(cpu, sizeof(cpu), "%" PRId32, queue->cpu_seen);
	else
		snprintf(cpu, sizeof(cpu), "%" PRIu32, queue->plan->cpu);
	if (node >= 0)
		snprintf(node_text, sizeof(node_text), "%" PRId32, node);
	table_row(out, who, cpu, node_text, span);
}

/* Which bytes the rates count; said wherever rates are printed. */
static void rates_legend(const struct report *report, FILE *out)
{
	uint32_t wire = report->frame_length + DXMIT_FCS_BYTES;

	if (report->frame_shortest)
		text_paragraph(out,
			       "L2 rates count each frame with its FCS, L1 rates %d "
			       "bytes more (preamble and gap too).",
			       DXMIT_L1_OVERHEAD_BYTES);
	else
		text_paragraph(out,
			       "L2 rates count %" PRIu32
			       " bytes a frame (with FCS), L1 rates %" PRIu32
			       " (preamble and gap too).",
			       wire, wire + DXMIT_L1_OVERHEAD_BYTES);
}

void report_text_header(const struct report *report, FILE *out)
{
	rates_legend(report, out);
	if (text_is_terminal(out))
		table_heads(out);
}

static struct span interval_total(const struct report *report)
{
	struct span total = { 0 };
	size_t i;

	for (i = 0; i < report->plan->queues; i++)
		span_add(&total, &report->queue[i].interval);
	return total;
}

/* Redraw in place: the cursor goes up over the table drawn last time. */
static void interval_terminal(const struct report *report, const struct span *total,
			      FILE *out)
{
	size_t rows = report->plan->queues, i;

	if (rows + LIVE_SPARE_LINES > text_terminal_lines(out))
		rows = 0; /* too many queues for this terminal: total only */
	if (report->interval_index > 0)
		fprintf(out, "\033[%zuA", rows + 1);
	for (i = 0; i < rows; i++) {
		queue_row(out, report, i, &report->queue[i].interval);
		fputs("\033[K\n", out);
	}
	table_row(out, "total", "", "", total);
	fputs("\033[K\n", out);
}

/* One line for one interval, made for grep: NAME=VALUE, whatever happens. The
 * L2 rate is left out to stay within 80 columns; the final table has it. */
static void interval_line(const struct report *report, const struct span *total,
			  FILE *out)
{
	char pps[TEXT_NUMBER_BYTES], l1[TEXT_NUMBER_BYTES];
	char batch[TEXT_NUMBER_BYTES], lost[TEXT_NUMBER_BYTES];

	fprintf(out, "interval=%" PRIu64 " s=%.3f pps=%s L1=%s pkt/kick=%s lost=%s\n",
		report->interval_index, (double)total->ns / 1e9,
		text_scaled(span_pps(total), "", pps),
		text_scaled(span_l1_bps(total), "", l1),
		text_scaled(span_packets_per_kick(total), "", batch),
		text_count(total->lost, lost));
}

void report_text_interval(const struct report *report, FILE *out)
{
	struct span total = interval_total(report);

	if (text_is_terminal(out))
		interval_terminal(report, &total, out);
	else
		interval_line(report, &total, out);
	fflush(out);
}

/* The mode obtained, or the one asked for while no queue is open. */
static enum dxmit_mode mode_of(const struct report *report)
{
	size_t i;

	for (i = 0; i < report->plan->queues; i++)
		if (report->queue[i].opened)
			return report->queue[i].info.mode;
	return report->config->mode;
}

#define REPORT_SIZES_BYTES 64
static const char *sizes_words(const struct report *report, char buf[REPORT_SIZES_BYTES])
{
	uint32_t longest = report->frame_length + DXMIT_FCS_BYTES;

	if (report->frame_shortest)
		snprintf(buf, REPORT_SIZES_BYTES,
			 "frames of %" PRIu32 " to %" PRIu32 " bytes",
			 report->frame_shortest + DXMIT_FCS_BYTES, longest);
	else
		snprintf(buf, REPORT_SIZES_BYTES,
			 "%" PRIu32 "-byte frames (%" PRIu32 " in the descriptor)",
			 longest, report->frame_length);
	return buf;
}

static void final_table(const struct report *report, FILE *out)
{
	char path[PATH_WORDS], sizes[REPORT_SIZES_BYTES];
	size_t i;

	text_paragraph(out, "dxmit %s: %s, %zu queue%s, %s, %s mode, %s, %.3f s%s",
		       report->command, report->nic->name, report->plan->queues,
		       report->plan->queues == 1 ? "" : "s", sizes_words(report, sizes),
		       mode_of(report) == DXMIT_MODE_ZEROCOPY ? "zero-copy" : "copy",
		       path_words(report, path), (double)report->total.ns / 1e9,
		       report->interrupted ? ", stopped by a signal" : "");
	rates_legend(report, out);
	table_heads(out);
	for (i = 0; i < report->plan->queues; i++) {
		queue_row(out, report, i, &report->queue[i].run);
		fputc('\n', out);
	}
	table_row(out, "total", "", "", &report->total);
	fputc('\n', out);
}

static void pauses_text(const struct report *report, FILE *out)
{
	const struct span *total = &report->total;

	if (total->paused_ns || total->down)
		text_field(out, "link",
			   "waited %.3f s for it; %" PRIu64
			   " kicks found the interface down",
			   (double)total->paused_ns / 1e9, total->down);
}

static void ledger_text(const struct report *report, FILE *out)
{
	const struct ledger *ledger = &report->ledger;
	bool witnessed = ledger->witness && strcmp(ledger->witness, "none") != 0;

	fputs("ledger, in frames\n", out);
	text_field(out, "queued", "%" PRIu64, ledger->queued);
	text_field(out, "sent", "%" PRIu64 " (%s%s)", ledger->sent,
		   witnessed ? "witness: " : "no witness: nothing could count them",
		   witnessed ? ledger->witness : "");
	text_field(out, "dropped", "%" PRIu64, ledger->dropped);
	text_field(out, "invalid", "%" PRIu64, ledger->invalid);
	text_field(out, "in flight", "%" PRIu64, ledger->in_flight);
	text_field(out, "foreign", "%" PRIu64 "%s", ledger->foreign,
		   ledger->foreign ? " (counted by the witness, not sent by dxmit)" : "");
	if (ledger->skipped)
		text_field(out, "skipped",
			   "%" PRIu64 " (too long for the MTU, not queued)",
			   ledger->skipped);
	text_field(out, "unexplained", "%" PRId64, ledger->unexplained);
	if (!ledger->settled)
		text_field(out, "settled", "no: the counters may still be behind");
	if (ledger->closed)
		text_paragraph(out, "ledger closed");
	else
		text_paragraph(out, "ledger NOT closed: %" PRId64 " frames unexplained%s",
			       ledger->unexplained,
			       ledger->unexplained < 0 ? " (more seen than queued)" : "");
}

/* One line for all queues of one node that are where the plan put them. */
static void placement_node(const struct report *report, size_t first, FILE *out)
{
	int32_t node = report->queue[first].plan->memory_node;
	uint64_t queues = 0, pages = 0;
	size_t i;

	for (i = 0; i < report->plan->queues; i++) {
		const struct report_queue *queue = &report->queue[i];

		if (report_placement(queue) != PLACEMENT_YES ||
		    queue->plan->memory_node != node)
			continue;
		if (i < first)
			return; /* this node has had its line */
		queues++;
		pages += queue->residence.pages;
	}
	if (node < 0)
		text_field(out, "placement",
			   "verified: %" PRIu64
			   " queue%s on the planned CPUs; no node was "
			   "asked for",
			   queues, queues == 1 ? "" : "s");
	else
		text_field(out, "placement",
			   "verified: %" PRIu64
			   " queue%s on the planned CPUs, all %" PRIu64
			   " pages on node %" PRId32,
			   queues, queues == 1 ? "" : "s", pages, node);
}

static void placement_text(const struct report *report, FILE *out)
{
	char text[160];
	size_t i, told = 0, untold = 0;

	for (i = 0; i < report->plan->queues; i++) {
		const struct report_queue *queue = &report->queue[i];

		if (report_placement(queue) == PLACEMENT_YES) {
			placement_node(report, i, out);
			continue;
		}
		if (told == PLACEMENT_LINES) {
			untold++;
			continue;
		}
		report_placement_text(queue, text, sizeof(text));
		text_field(out, "placement", "queue %" PRIu32 ": %s", queue->plan->queue,
			   text);
		told++;
	}
	if (untold)
		text_field(out, "placement", "%zu more queues not verified", untold);
}

/* Automatic huge pages that were not to be had: one line. */
static void pages_text(const struct report *report, FILE *out)
{
	const uint64_t huge_bytes = 2u << 20;
	uint64_t needed = 0;
	bool missing = false;
	size_t i;

	for (i = 0; i < report->plan->queues; i++) {
		const struct dxmit_queue_info *info = &report->queue[i].info;

		missing |= info->huge_missing != 0;
		needed += (info->umem_bytes + huge_bytes - 1) / huge_bytes;
	}
	if (missing)
		text_field(out, "pages",
			   "4 KiB; for 2 MiB ones `sysctl vm.nr_hugepages=%" PRIu64 "`",
			   needed);
}

static void bounds_text(const struct report *report, FILE *out)
{
	uint32_t i;

	for (i = 0; report->tell_bounds && i < report->bounds; i++) {
		const struct bound *bound = &report->bound[i];

		text_field(out, "bound by", "%s: %s%s%s", bound->name, bound->evidence,
			   bound->remedy[0] ? "; " : "", bound->remedy);
	}
}

static void cost_text(const struct report *report, FILE *out)
{
	const struct span *total = &report->total;
	double user = (double)total->cpu_user_ns / 1e9;
	double system = (double)total->cpu_system_ns / 1e9;
	char each[TEXT_NUMBER_BYTES], resident[TEXT_NUMBER_BYTES];

	text_field(out, "cost",
		   "%.3f CPU seconds (%.3f user, %.3f system), %s a packet; %s resident",
		   user + system, user, system,
		   text_time(total->packets
				     ? (user + system) * 1e9 / (double)total->packets
				     : 0,
			     each),
		   text_bytes(report->max_rss_bytes, resident));
}

void report_text_final(const struct report *report, FILE *out)
{
	final_table(report, out);
	ledger_text(report, out);
	report_streams_text(report, out);
	fputs("run\n", out);
	report_pace_text(report, out);
	replay_report_text(report, out);
	pauses_text(report, out);
	path_text(report, out);
	placement_text(report, out);
	pages_text(report, out);
	bounds_text(report, out);
	cost_text(report, out);
	fflush(out);
}
