/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A comparison as CSV (RFC 4180, with its CRLF line ends): a row per sample, and one
 * without figures for a leg that has none. What is not known is empty.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <dxmit/frame.h>

#include "comparison_fields.h"
#include "utf8.h"

static void put_head(FILE *out)
{
	size_t i;

	fputs("leg,wire_bytes,queues,batch,ring,unavailable,failure,mode,path,witness,"
	      "round,place,",
	      out);
	for (i = 0; i < COMPARISON_COUNTERS; i++)
		fprintf(out, "%s,", comparison_counters[i].key);
	fputs("pps,l1_bps,l2_bps,ns_per_packet,disturbed,note\r\n", out);
}

/* Quoted where it has to be; then what ends the field. */
static void put_text(const char *text, const char *end, FILE *out)
{
	char *clean = utf8_clean(text);
	const char *at;

	if (clean && strpbrk(clean, ",\"")) {
		fputc('"', out);
		for (at = clean; *at; at++)
			fprintf(out, *at == '"' ? "\"%c" : "%c", *at);
		fputc('"', out);
	} else if (clean) {
		fputs(clean, out);
	}
	fputs(end, out);
	free(clean);
}

static void put_cell(const struct comparison_cell *cell, FILE *out)
{
	size_t i;

	put_text(cell->leg, ",", out);
	for (i = 0; i < COMPARISON_SETTINGS; i++)
		fprintf(out, "%" PRIu32 ",", comparison_setting(cell, i));
	put_text(cell->unavailable, ",", out);
	put_text(cell->failure, ",", out);
	put_text(cell->mode, ",", out);
	put_text(cell->path, ",", out);
	put_text(cell->witness, ",", out);
}

static void put_rates(const struct comparison_sample *sample, FILE *out)
{
	double seconds = (double)sample->ns / 1e9;
	double packets = (double)sample->packets;
	double l2 = (double)sample->bytes + packets * DXMIT_FCS_BYTES;

	fprintf(out, "%.3f,%.3f,%.3f,", packets / seconds,
		8 * (l2 + packets * DXMIT_L1_OVERHEAD_BYTES) / seconds, 8 * l2 / seconds);
	if (sample->packets)
		fprintf(out, "%.3f", (double)sample->ns / packets);
	fputc(',', out);
}

static void put_sample(const struct comparison_sample *sample, FILE *out)
{
	size_t i;

	fprintf(out, "%" PRIu32 ",%" PRIu32 ",", sample->round, sample->place);
	for (i = 0; i < COMPARISON_COUNTERS; i++)
		if (comparison_count(sample, i) == COMPARISON_UNKNOWN)
			fputc(',', out);
		else
			fprintf(out, "%" PRIu64 ",", comparison_count(sample, i));
	put_rates(sample, out);
	fprintf(out, "%d,", sample->disturbed);
	put_text(sample->note, "\r\n", out);
}

/* Of round, place, the counters, four rates, disturbed and note. */
static void put_nothing(FILE *out)
{
	size_t commas = 2 + COMPARISON_COUNTERS + 4 + 1;

	for (; commas > 0; commas--)
		fputc(',', out);
	fputs("\r\n", out);
}

void comparison_csv(const struct comparison *c, FILE *out)
{
	size_t i, k;

	put_head(out);
	for (i = 0; i < c->cells; i++) {
		const struct comparison_cell *cell = &c->cell[i];

		for (k = 0; k < cell->samples; k++) {
			put_cell(cell, out);
			put_sample(&cell->sample[k], out);
		}
		if (cell->samples == 0) {
			put_cell(cell, out);
			put_nothing(out);
		}
	}
}
