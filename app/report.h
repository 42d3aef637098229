/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Everything a run has to say, as one structure. Text, JSON, CSV and
 * Prometheus output are four ways to write it; none of them computes anything
 * that is not derived here.
 */
#ifndef APP_REPORT_H
#define APP_REPORT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include <dxmit/dxmit.h>
#include "config.h"
#include "gaps.h"

#define REPORT_SCHEMA "dxmit-report"
#define REPORT_VERSION 1

/* Counters of one queue over one span of time (an interval or the run). */
struct span {
	uint64_t ns;      /* length of the span */
	uint64_t packets; /* descriptors submitted */
	uint64_t completed;
	uint64_t lost; /* frames dropped, as told by EBUSY */
	uint64_t kicks;
	uint64_t retries;
	uint64_t down;        /* kicks answered ENETDOWN */
	uint64_t starved;     /* turns of the loop with every frame in flight */
	uint64_t paused_ns;   /* waiting for the link */
	uint64_t cpu_user_ns; /* of the sending thread; 0 in intervals */
	uint64_t cpu_system_ns;
	uint64_t bytes; /* of the packets, without FCS */
};

struct report_queue {
	const struct dxmit_plan_queue *plan;
	struct dxmit_queue_info info;
	struct dxmit_residence residence;
	struct span run;
	struct span interval; /* the last one, for the live table and CSV */
	uint64_t in_flight;
	uint64_t invalid;
	int32_t cpu_seen;      /* CPU the thread really ran on, -1 unknown */
	uint32_t cpu_other;    /* samples that found it on another CPU */
	int32_t cpu_node_seen; /* node of cpu_seen */
	bool opened;           /* false: it never got a socket */
	uint64_t given_up;     /* packets of the schedule passed over */
	struct gaps_summary gaps;
	bool direct_valid; /* the module has counted for it: */
	struct dxmit_direct_stats direct;
};

/* What one of several streams has sent, over all queues. */
struct report_stream {
	const char *name;
	uint64_t weight; /* frames of it per turn of all streams */
	uint64_t packets;
	uint64_t bytes; /* without FCS */
};

/* Every frame, accounted for. See ledger.c for the rules. */
struct ledger {
	uint64_t queued, sent, dropped, invalid, in_flight, foreign, skipped;
	int64_t unexplained; /* queued - sent - dropped - invalid - in_flight */
	bool settled;        /* the counters had time to catch up */
	bool closed;         /* unexplained == 0 */
	const char *witness; /* "far end", "device tx_packets" or "none" */
};

struct replay_stats;

/* One thing that limited the rate. See bound.c. */
struct bound {
	const char *name; /* "budget", "send buffer", "cpu" … */
	char evidence[160];
	char remedy[160]; /* a command or option, "" if there is none */
};
#define REPORT_MAX_BOUNDS 8

struct report {
	const char *command; /* "tx" */
	const struct config *config;
	const struct dxmit_nic *nic;
	const struct dxmit_plan *plan;
	uint32_t frame_length;   /* bytes in the descriptor, without FCS; the
				      longest if they differ */
	uint32_t frame_shortest; /* 0: they do not */

	struct report_queue *queue;         /* plan->queues entries */
	const struct report_stream *stream; /* where there are several */
	size_t streams;
	struct span total;               /* sums; ns is the wall time since the start
					trigger, in interval output too */
	const struct schedule *schedule; /* NULL or without limit: no rate asked */
	uint64_t asked_micro_pps;        /* its mean over the run; 0: none */
	struct gaps_summary gaps;        /* of all queues, each by itself */

	struct dxmit_nic_counters device_before, device_after;
	bool device_valid;
	bool far_end_present;
	uint64_t far_end_packets; /* our frames as seen there */
	struct ledger ledger;
	const struct replay_stats *replay; /* NULL: frames were made */

	struct bound bound[REPORT_MAX_BOUNDS];
	uint32_t bounds;
	bool tell_bounds; /* in the text too; JSON has them always */

	uint64_t max_rss_bytes;  /* of the process */
	uint64_t start_unix_ns;  /* CLOCK_REALTIME at the start trigger */
	uint64_t interval_index; /* 0, 1 … for interval output */
	bool interrupted;        /* stopped by a signal */
	int exit_code;
};

/* ---- derived figures (report.c), 0 when the span is empty ---- */
double span_pps(const struct span *span);
double span_l1_bps(const struct span *span);
double span_l2_bps(const struct span *span);
double span_ns_per_packet(const struct span *span);
double span_packets_per_kick(const struct span *span);
double span_kicks_per_second(const struct span *span);
/* Add b's counters to a. Times on the wall clock (ns, paused_ns) do not add up
 * over threads that run side by side: they become the longer of both. */
void span_add(struct span *a, const struct span *b);
/* Was the queue where the plan put it: its thread's CPU and its pages? */
enum placement {
	PLACEMENT_YES,
	PLACEMENT_NO,
	PLACEMENT_UNVERIFIED, /* it could not be checked */
};
enum placement report_placement(const struct report_queue *queue);
/* "yes, node 1", "no: 12 of 1024 pages …" or "unverified: reason". */
void report_placement_text(const struct report_queue *queue, char *buf, size_t len);

/* ---- pace (report_pace.c) ---- */
/* The mean rate asked for in a run of run_ns, or in the one that is planned if
 * that is 0. */
uint64_t report_asked_micro_pps(const struct config *config,
				const struct schedule *schedule, uint64_t run_ns);
#define PACE_ASKED_BYTES 256
/* What was asked, in words and in packets per second; "" if nothing was. */
const char *report_asked_text(const struct report *report, char buf[PACE_ASKED_BYTES]);
void report_pace_text(const struct report *report, FILE *out);

/* ---- writers ---- */
void report_text_header(const struct report *report, FILE *out); /* live table */
void report_text_interval(const struct report *report, FILE *out);
void report_text_final(const struct report *report, FILE *out);
void report_streams_text(const struct report *report, FILE *out);
int report_json(const struct report *report, FILE *out); /* 0 or -errno */
void report_csv_header(FILE *out);
void report_csv_interval(const struct report *report, FILE *out); /* a row per queue */
void report_prometheus(const struct report *report, FILE *out);
/* The plan alone, for `dxmit plan`, --dry-run and the head of a run. */
void plan_text(const struct report *report, FILE *out);
int plan_json(const struct report *report, FILE *out); /* 0 or -errno */
/* What a user should know about the plan, a sentence each. Returns how many. */
#define PLAN_MAX_NOTES 8
#define PLAN_NOTE_BYTES 160
size_t plan_notes(const struct report *report,
		  char notes[PLAN_MAX_NOTES][PLAN_NOTE_BYTES]);

#endif
