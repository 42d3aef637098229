/* SPDX-License-Identifier: BSD-2-Clause */
/* What a replay adds to the report: a line of text, a member of the document. */
#include <inttypes.h>

#include "json_parts.h"
#include "replay.h"
#include "replay_report.h"
#include "text.h"

void replay_report_text(const struct report *report, FILE *out)
{
	const struct replay_stats *r = report->replay;

	if (!r)
		return;
	text_field(out, "replay",
		   "%" PRIu64 " records%s, %" PRIu64 " bad, %" PRIu64 " skipped, %" PRIu64
		   " not recorded to their end; sent %" PRIu64 " times whole",
		   r->records, r->in_memory ? "" : " read during the run", r->bad,
		   r->skipped, r->snapped, r->loops);
}

void replay_report_json(const struct report *report, struct json_maker *document)
{
	const struct replay_stats *r = report->replay;
	struct json_maker part;
	char text[CAPTURE_TEXT_LEN];

	if (!r) {
		json_set_null(document, "replay");
		return;
	}
	part = json_make_object();
	json_set_text(&part, "file", report->config->replay.path);
	json_set_bool(&part, "in_memory", r->in_memory);
	json_set_u64(&part, "records", r->records);
	json_set_u64(&part, "bytes", r->bytes);
	json_set_u64(&part, "bad", r->bad);
	json_set_u64(&part, "skipped", r->skipped);
	json_set_u64(&part, "snapped", r->snapped);
	json_set_u64(&part, "padded", r->padded);
	json_set_u64(&part, "loops", r->loops);
	if (r->faulty)
		capture_fault_text(&r->fault, text);
	json_set_text(&part, "fault", r->faulty ? text : NULL);
	json_set_part(document, "replay", part);
}
