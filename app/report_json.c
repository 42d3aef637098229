/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The report as one JSON document. Fields are added, never renamed; rates say
 * L1 or L2 in their name, and L2 counts the FCS.
 */
#include "json_parts.h"
#include "path.h"
#include "replay_report.h"

static void set_span(struct json_maker *part, const struct span *span)
{
	json_set_u64(part, "packets", span->packets);
	json_set_u64(part, "bytes", span->bytes);
	json_set_u64(part, "completed", span->completed);
	json_set_real(part, "seconds", (double)span->ns / 1e9);
	json_set_real(part, "pps", span_pps(span));
	json_set_real(part, "l1_bps", span_l1_bps(span));
	json_set_real(part, "l2_bps", span_l2_bps(span));
	json_set_real(part, "ns_per_packet", span_ns_per_packet(span));
	json_set_u64(part, "kicks", span->kicks);
	json_set_real(part, "kicks_per_second", span_kicks_per_second(span));
	json_set_real(part, "packets_per_kick", span_packets_per_kick(span));
	json_set_u64(part, "lost", span->lost);
	json_set_u64(part, "retries", span->retries);
	json_set_u64(part, "down", span->down);
	json_set_u64(part, "starved", span->starved);
	json_set_real(part, "paused_seconds", (double)span->paused_ns / 1e9);
	json_set_real(part, "cpu_user_seconds", (double)span->cpu_user_ns / 1e9);
	json_set_real(part, "cpu_system_seconds", (double)span->cpu_system_ns / 1e9);
	json_set_real(part, "cpu_seconds",
		      (double)(span->cpu_user_ns + span->cpu_system_ns) / 1e9);
}

static void set_placement(struct json_maker *part, const struct report_queue *queue)
{
	char placement[160];

	report_placement_text(queue, placement, sizeof(placement));
	json_set_u64(part, "cpu", queue->plan->cpu);
	json_set_known(part, "cpu_seen", queue->cpu_seen);
	json_set_u64(part, "cpu_other", queue->cpu_other);
	json_set_known(part, "cpu_node_seen", queue->cpu_node_seen);
	json_set_known(part, "node",
		       queue->residence.verified ? queue->residence.node : -1);
	json_set_u64(part, "pages", queue->residence.pages);
	json_set_u64(part, "pages_on_node", queue->residence.pages_on_node);
	json_set_bool(part, "pages_verified", queue->residence.verified);
	json_set_text(part, "placement", placement);
	json_set_bool(part, "placement_verified",
		      report_placement(queue) == PLACEMENT_YES);
}

static void set_obtained(struct json_maker *part, const struct dxmit_queue_info *info)
{
	json_set_text(part, "mode", json_mode_name(info->mode));
	json_set_text(part, "kick", json_kick_name(info->kick));
	json_set_u64(part, "ring", info->ring_size);
	json_set_u64(part, "completion_ring", info->completion_size);
	json_set_u64(part, "frames", info->frames);
	json_set_u64(part, "frame_size", info->frame_size);
	json_set_u64(part, "segments", info->segments);
	json_set_u64(part, "budget", info->budget);
	json_set_bool(part, "budget_settable", info->budget_settable);
	json_set_u64(part, "sndbuf", info->sndbuf);
	json_set_u64(part, "sndbuf_wanted", info->sndbuf_wanted);
	json_set_u64(part, "sndbuf_frames", info->sndbuf_frames);
	json_set_u64(part, "page_size", info->page_size);
	json_set_u64(part, "huge_missing", info->huge_missing);
	json_set_u64(part, "bytes", info->umem_bytes);
	json_set_u64(part, "bind_retries", info->bind_retries);
	json_set_bool(part, "program_attached", info->program_attached);
}

static struct json_maker direct_part(const struct dxmit_direct_stats *stats)
{
	struct json_maker part = json_make_object();

	json_set_bool(&part, "active", stats->active);
	json_set_u64(&part, "kicks", stats->kicks);
	json_set_u64(&part, "packets", stats->packets);
	json_set_u64(&part, "bytes", stats->bytes);
	json_set_u64(&part, "kept", stats->kept);
	json_set_u64(&part, "kept_total", stats->kept_total);
	json_set_u64(&part, "dropped_driver", stats->dropped_driver);
	json_set_u64(&part, "dropped_link", stats->dropped_link);
	json_set_u64(&part, "dropped_validate", stats->dropped_validate);
	json_set_u64(&part, "dropped_close", stats->dropped_close);
	json_set_u64(&part, "invalid", stats->invalid);
	json_set_u64(&part, "no_skb", stats->no_skb);
	json_set_u64(&part, "validations_skipped", stats->validations_skipped);
	json_set_u64(&part, "shadow_checks", stats->shadow_checks);
	json_set_u64(&part, "shadow_mismatches", stats->shadow_mismatches);
	json_set_u64(&part, "assertions", stats->assertions);
	return part;
}

static void set_path(struct json_maker *part, const struct report_queue *queue)
{
	const struct dxmit_queue_info *info = &queue->info;
	char reason[PATH_REASON];

	dxmit_direct_text(info->direct_errno, info->direct_refusal, reason,
			  sizeof(reason));
	json_set_text(part, "path", path_name(info->path));
	json_set_text(part, "path_reason", reason[0] ? reason : NULL);
	json_set_bool(part, "path_lost", path_was_lost(info));
	json_set_known(part, "direct_batch",
		       info->direct_batch ? (int64_t)info->direct_batch : -1);
	if (queue->direct_valid)
		json_set_part(part, "direct", direct_part(&queue->direct));
	else
		json_set_null(part, "direct");
}

static struct json_maker queues_part(const struct report *report)
{
	struct json_maker queues = json_make_array();
	size_t i;

	for (i = 0; i < report->plan->queues; i++) {
		const struct report_queue *queue = &report->queue[i];
		struct json_maker part = json_make_object();

		json_set_u64(&part, "queue", queue->plan->queue);
		json_set_bool(&part, "opened", queue->opened);
		set_placement(&part, queue);
		set_span(&part, &queue->run);
		json_set_u64(&part, "in_flight", queue->in_flight);
		json_set_u64(&part, "invalid", queue->invalid);
		report_pace_json_queue(queue, &part);
		if (queue->opened) {
			set_obtained(&part, &queue->info);
			set_path(&part, queue);
		}
		json_append_part(&queues, part);
	}
	return queues;
}

static struct json_maker total_part(const struct report *report)
{
	struct json_maker part = json_make_object();
	const struct span *total = &report->total;
	double cpu_ns = (double)(total->cpu_user_ns + total->cpu_system_ns);

	set_span(&part, total);
	json_set_limit(&part, "asked_pps", (double)report->asked_micro_pps / 1e6);
	report_pace_json_total(report, &part);
	json_set_real(&part, "cpu_ns_per_packet",
		      total->packets ? cpu_ns / (double)total->packets : 0);
	json_set_u64(&part, "max_rss_bytes", report->max_rss_bytes);
	json_set_u64(&part, "start_unix_ns", report->start_unix_ns);
	return part;
}

/* Counters only grow, unless the driver was reset in between: then the
 * difference is negative, and shown so. */
static void set_delta(struct json_maker *part, const char *key, uint64_t before,
		      uint64_t after)
{
	json_set_i64(part, key, (int64_t)(after - before));
}

static void set_device(struct json_maker *document, const struct report *report)
{
	const struct dxmit_nic_counters *before = &report->device_before;
	const struct dxmit_nic_counters *after = &report->device_after;
	struct json_maker part;

	if (!report->device_valid) {
		json_set_null(document, "device");
		return;
	}
	part = json_make_object();
	set_delta(&part, "tx_packets", before->tx_packets, after->tx_packets);
	set_delta(&part, "tx_bytes", before->tx_bytes, after->tx_bytes);
	set_delta(&part, "tx_dropped", before->tx_dropped, after->tx_dropped);
	set_delta(&part, "tx_errors", before->tx_errors, after->tx_errors);
	set_delta(&part, "rx_packets", before->rx_packets, after->rx_packets);
	set_delta(&part, "rx_bytes", before->rx_bytes, after->rx_bytes);
	set_delta(&part, "rx_dropped", before->rx_dropped, after->rx_dropped);
	json_set_u64(&part, "mtu", after->mtu);
	json_set_bool(&part, "up", after->up);
	json_set_bool(&part, "carrier", after->carrier);
	json_set_part(document, "device", part);
}

static void set_far_end(struct json_maker *document, const struct report *report)
{
	struct json_maker part;

	if (!report->far_end_present) {
		json_set_null(document, "far_end");
		return;
	}
	part = json_make_object();
	json_set_u64(&part, "packets", report->far_end_packets);
	json_set_part(document, "far_end", part);
}

static struct json_maker ledger_part(const struct ledger *ledger)
{
	struct json_maker part = json_make_object();

	json_set_u64(&part, "queued", ledger->queued);
	json_set_u64(&part, "sent", ledger->sent);
	json_set_u64(&part, "dropped", ledger->dropped);
	json_set_u64(&part, "invalid", ledger->invalid);
	json_set_u64(&part, "in_flight", ledger->in_flight);
	json_set_u64(&part, "foreign", ledger->foreign);
	json_set_u64(&part, "skipped", ledger->skipped);
	json_set_i64(&part, "unexplained", ledger->unexplained);
	json_set_bool(&part, "settled", ledger->settled);
	json_set_bool(&part, "closed", ledger->closed);
	json_set_text(&part, "witness", ledger->witness);
	return part;
}

static struct json_maker streams_part(const struct report *report)
{
	struct json_maker streams = json_make_array();
	size_t i;

	for (i = 0; i < report->streams; i++) {
		const struct report_stream *stream = &report->stream[i];
		struct json_maker part = json_make_object();

		json_set_text(&part, "name", stream->name);
		json_set_u64(&part, "weight", stream->weight);
		json_set_u64(&part, "packets", stream->packets);
		json_set_u64(&part, "bytes", stream->bytes);
		json_append_part(&streams, part);
	}
	return streams;
}

static struct json_maker bounds_part(const struct report *report)
{
	struct json_maker bounds = json_make_array();
	uint32_t i;

	for (i = 0; i < report->bounds && i < REPORT_MAX_BOUNDS; i++) {
		struct json_maker part = json_make_object();

		json_set_text(&part, "name", report->bound[i].name);
		json_set_text(&part, "evidence", report->bound[i].evidence);
		json_set_text(&part, "remedy", report->bound[i].remedy);
		json_append_part(&bounds, part);
	}
	return bounds;
}

int report_json(const struct report *report, FILE *out)
{
	struct json_maker document = json_document(report);

	json_set_part(&document, "queues", queues_part(report));
	json_set_part(&document, "streams", streams_part(report));
	json_set_part(&document, "total", total_part(report));
	set_device(&document, report);
	set_far_end(&document, report);
	json_set_part(&document, "ledger", ledger_part(&report->ledger));
	replay_report_json(report, &document);
	json_set_part(&document, "bounds", bounds_part(report));
	json_set_bool(&document, "interrupted", report->interrupted);
	json_set_i64(&document, "exit_code", report->exit_code);
	return json_write(document, out);
}
