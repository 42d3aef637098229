/* SPDX-License-Identifier: BSD-2-Clause */
/* What several streams have sent, as text. */
#include <inttypes.h>

#include "report.h"
#include "text.h"

void report_streams_text(const struct report *report, FILE *out)
{
	uint64_t all = 0;
	size_t i;

	for (i = 0; i < report->streams; i++)
		all += report->stream[i].packets;
	for (i = 0; i < report->streams; i++) {
		const struct report_stream *s = &report->stream[i];

		fprintf(out,
			"stream %-16.40s %12" PRIu64 " packets (%.4f %%), %" PRIu64
			" bytes\n",
			s->name, s->packets,
			all ? 100.0 * (double)s->packets / (double)all : 0, s->bytes);
	}
}
