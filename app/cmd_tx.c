/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * `dxmit tx`: the order of a run. Outputs and signals first, then what the
 * machine is, what may be refused, the plan, the threads; then the run, and
 * the report whatever happened in it.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bound.h"
#include "command.h"
#include "message.h"
#include "planning.h"
#include "privileges.h"
#include "session.h"
#include "signals.h"

static int out_of(const char *object, int err)
{
	return fail(EXIT_RUNTIME, object,
		    "cannot be set up: %s; "
		    "check memory, `ulimit -n` and `ulimit -u`",
		    strerror(-err));
}

/* The interface: the user's, or one of a sandbox made here. */
static int open_interface(struct session *s)
{
	const char *name = s->config->interface;
	struct dxmit_error error = { 0 };
	int err;

	if (s->config->sandbox) {
		err = sandbox_open(s->config->sandbox_queues, &s->sandbox);
		if (err)
			return err;
		name = SANDBOX_INTERFACE;
	}
	if (dxmit_nic_read(name, &s->nic, &error) < 0)
		return fail_library(&error);
	err = dxmit_nic_watch_open(s->nic.ifindex, &s->watch);
	return err ? out_of(s->nic.name, err) : 0;
}

static int open_far_end(struct session *s)
{
	if (!s->config->sandbox)
		return 0;
	/* What is in a capture is anybody's guess: there, everything counts. */
	return farend_open(SANDBOX_FAR_INTERFACE, s->content.match,
			   s->config->replay.path ? 0 : s->content.matches, &s->farend);
}

static int set_up(struct session *s)
{
	int err = outputs_open(s);

	if (err)
		return err;
	s->signal_fd = signals_open();
	if (s->signal_fd < 0)
		return out_of("signals", s->signal_fd);
	err = open_interface(s);
	if (!err)
		err = preflight(s);
	if (!err)
		err = replaying_open(s);
	if (!err)
		err = make_plan(s->config, &s->nic, &s->topology, &s->plan);
	if (!err)
		err = replaying_spread(s);
	if (!err)
		err = preflight_link(s);
	if (!err)
		err = open_far_end(s);
	return err;
}

static int start_threads(struct session *s)
{
	int err;

	s->run.config = s->config;
	s->run.nic = &s->nic;
	s->run.plan = s->plan;
	s->run.content = &s->content;
	s->run.schedule = &s->schedule;
	s->run.replay = s->config->replay.path ? &s->replay : NULL;
	if (s->run.replay && (err = replay_start(s->run.replay)))
		return out_of("the reader of the capture", err);
	err = run_create(&s->run);
	if (err)
		return out_of("threads", err);
	return monitor_until_ready(s);
}

/* Each thread did so when its queue was open. */
static int give_up_privileges(struct session *s)
{
	int err = privileges_drop();
	size_t i;

	for (i = 0; !err && !s->abandoned && i < s->plan->queues; i++)
		err = s->run.thread[i].privileges_error;
	return err ? fail(EXIT_RUNTIME, "privileges",
			  "cannot be given up: %s; allow "
			  "prctl(2) and capset(2) for it",
			  strerror(-err))
		   : 0;
}

/* From the open queues to the report. */
static void send_and_report(struct session *s)
{
	if (s->skip_all)
		run_stop(&s->run, false);
	if (!s->interrupted && !s->skip_all)
		run_go(&s->run);
	if (!s->abandoned)
		monitor_run(s);
	replaying_finish(s);
	if (!s->abandoned && s->outputs.csv && s->run.start_ns) {
		collect_interval(s);
		report_csv_interval(&s->report, s->outputs.csv);
	}
	collect_final(s);
}

static int not_counted(const struct session *s, int err)
{
	return fail(EXIT_RUNTIME, s->nic.name,
		    "what it sent cannot be counted: %s; "
		    "check `ip link` and memory",
		    strerror(-err));
}

static int mismatch(const struct session *s)
{
	const struct ledger *l = &s->report.ledger;

	if (s->witness_error)
		return not_counted(s, s->witness_error);
	return fail(EXIT_MISMATCH, s->nic.name,
		    "%" PRIu64 " frames were queued and %" PRIi64
		    " of them are unexplained (%s saw %" PRIu64 "); see the ledger, and "
		    "`ip -s link show %s`",
		    l->queued, l->unexplained, l->witness, l->sent, s->nic.name);
}

static int transmit(struct session *s)
{
	int err = start_threads(s);

	if (err)
		return err;
	err = give_up_privileges(s);
	if (err)
		return err;
	err = collect_create(s);
	if (err)
		return not_counted(s, err);
	if (s->outputs.text) {
		plan_text(&s->report, s->outputs.text);
		report_text_header(&s->report, s->outputs.text);
	}
	send_and_report(s);
	if (!s->exit_code && s->report.ledger.unexplained > 0 && s->report.ledger.settled)
		s->exit_code = mismatch(s);
	s->report.exit_code = s->exit_code;
	s->report.tell_bounds =
		s->config->verbose || s->config->probe || bound_worth_telling(&s->report);
	err = outputs_final(s);
	return s->exit_code ? s->exit_code : err;
}

static void tear_down(struct session *s)
{
	run_destroy(&s->run);
	replay_close(&s->replay);
	collect_destroy(s);
	content_free(&s->content);
	farend_close(&s->farend);
	dxmit_nic_watch_close(&s->watch);
	dxmit_plan_free(&s->plan);
	dxmit_topology_free(&s->topology);
	outputs_close(s);
	sandbox_close(&s->sandbox);
}

int cmd_tx(const struct config *config)
{
	struct session *s;
	int code;

	if (config->dry_run)
		return cmd_plan(config);
	s = calloc(1, sizeof(*s));
	if (!s)
		return out_of("session", -ENOMEM);
	s->config = config;
	s->signal_fd = -1;
	s->farend.fd = -1;
	s->replay.stop_fd = -1;
	s->run.event_fd = -1;
	s->run.link_fd = -1;
	code = set_up(s);
	if (!code && !s->interrupted)
		code = transmit(s);
	/* Threads that did not end in time are in a system call; leaving the
	 * process is the only way to end them. */
	if (s->abandoned)
		_exit(code);
	tear_down(s);
	free(s);
	return code;
}
