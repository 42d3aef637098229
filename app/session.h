/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One `dxmit tx` from start to end: the pieces it holds, and the steps over
 * them. cmd_tx.c runs the steps in order; each has a file of its own.
 */
#ifndef APP_SESSION_H
#define APP_SESSION_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include <dxmit/dxmit.h>
#include "config.h"
#include "content.h"
#include "farend.h"
#include "replay.h"
#include "report.h"
#include "run.h"
#include "sandbox.h"

/* Where the outputs go; NULL where none was asked for. */
struct outputs {
	FILE *text; /* NULL when stdout carries another format */
	FILE *json, *csv, *prometheus;
};

struct session {
	const struct config *config;
	int signal_fd;
	struct sandbox sandbox;
	struct dxmit_nic nic;
	struct dxmit_topology *topology;
	struct dxmit_plan *plan;
	struct dxmit_nic_watch *watch;
	struct farend farend; /* fd -1: none */
	struct outputs outputs;
	struct content content;
	uint32_t frame_length;    /* of its longest frame, bytes without FCS */
	bool skip_all;            /* frames are too long and the policy is to skip */
	struct replay replay;     /* if config->replay.path */
	struct config amended;    /* *config, with what machine and capture tell */
	struct schedule schedule; /* when frames are due */

	struct run run;
	struct report report;
	struct report_stream *stream; /* what report.stream points to */
	struct span *last;            /* per queue, at the last interval */
	uint64_t last_ns;
	int witness_error; /* 0, or -errno: the witness could not be read */
	bool interrupted;  /* a stop signal came */
	bool abandoned;    /* threads did not end in time; do not join */
	int exit_code;     /* of the first thing that went wrong */
};

/* outputs.c: open every output file, so that a bad path is known at once. */
int outputs_open(struct session *session);
/* Write what is due now, or at the end. A failed write is exit code 1. */
int outputs_interval(struct session *session);
int outputs_final(struct session *session);
void outputs_close(struct session *session);

/* preflight.c: everything that can be refused before a socket exists. */
int preflight(struct session *session);
/* Wait, bounded, until the link is up. */
int preflight_link(struct session *session);
/* Steps of these that other commands take as well: what of the interface alone
 * is to be refused, and what is said where it is down or has no carrier. */
int preflight_interface(const struct config *config, const struct dxmit_nic *nic);
int preflight_link_failed(const struct dxmit_nic *nic, bool up);

/* replaying.c: open the capture; after the plan, divide it over the queues;
 * after the run, what has become of it. */
int replaying_open(struct session *session);
int replaying_spread(struct session *session);
void replaying_finish(struct session *session);

/* monitor.c: wait for the threads to be ready; run until the end. */
int monitor_until_ready(struct session *session);
void monitor_run(struct session *session);

/* collect.c: fill session->report. 0, or -errno if a device that is there cannot
 * be counted. */
int collect_create(struct session *session);
void collect_interval(struct session *session);
/* After the threads ended: placement, statistics, settled ledger, bounds. */
void collect_final(struct session *session);
void collect_destroy(struct session *session);

#endif
