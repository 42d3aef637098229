/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The main thread during a run: it sleeps in poll() and looks at signals, at
 * threads that ended, at the interface ten times a second and at the interval.
 * It stops the senders when one of these says so; their count and duration they
 * keep themselves.
 */
#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <string.h>

#include "message.h"
#include "session.h"
#include "signals.h"

#define CHECK_NS 100000000ull   /* look at the interface */
#define ABANDON_NS 100000000ull /* after a signal: wait for threads */

/* What the loop waits for; 0: nothing. */
struct deadlines {
	uint64_t check_ns;
	uint64_t interval_ns;
	uint64_t abandon_ns;
};

static uint64_t sooner(uint64_t a, uint64_t b)
{
	return a == 0 || (b != 0 && b < a) ? b : a;
}

static void wait_for_event(struct session *s, const struct deadlines *d)
{
	uint64_t next_ns = sooner(sooner(d->check_ns, d->interval_ns), d->abandon_ns);
	uint64_t now_ns = clock_ns();
	uint64_t left_ns = next_ns > now_ns ? next_ns - now_ns : 0;
	struct timespec timeout = { .tv_sec = (time_t)(left_ns / 1000000000u),
				    .tv_nsec = (long)(left_ns % 1000000000u) };
	struct pollfd fd[] = { { .fd = s->signal_fd, .events = POLLIN },
			       { .fd = s->run.event_fd, .events = POLLIN } };

	ppoll(fd, 2, &timeout, NULL);
}

/* The first signal ends the run with its report; signals.c sees to others. */
static void take_signals(struct session *s, struct deadlines *d)
{
	if (!signals_take(s->signal_fd))
		return;
	s->interrupted = true;
	run_stop(&s->run, true);
	d->abandon_ns = clock_ns() + ABANDON_NS;
}

static void stop_with(struct session *s, int code)
{
	if (!s->exit_code)
		s->exit_code = code;
	run_stop(&s->run, false);
}

/* MTU lowered in mid-run: the same policy as at the start. */
static void check_mtu(struct session *s, uint32_t mtu)
{
	/* The longest frame of a capture may be longer for its tags, which do not
	 * count: it was measured against the MTU at the start. */
	bool fits = s->config->replay.path
			    ? mtu >= s->nic.mtu ||
				      s->frame_length <= mtu + DXMIT_ETH_HEADER_BYTES
			    : s->content.mtu <= mtu;

	if (s->config->oversize == OVERSIZE_SEND)
		return;
	if (s->config->oversize == OVERSIZE_SKIP || fits) {
		atomic_store_explicit(&s->run.control.hold, !fits, memory_order_relaxed);
		return;
	}
	stop_with(s, fail(EXIT_RUNTIME, s->nic.name,
			  "MTU fell to %" PRIu32 " during the run "
			  "and frames of %" PRIu32 " bytes no longer fit; see --oversize",
			  mtu, s->config->wire_size));
}

/* A queue beyond the active ones takes frames and never sends them. */
static void check_queues(struct session *s)
{
	int active = dxmit_nic_active_tx_queues(s->nic.ifindex);
	size_t i;

	for (i = 0; active >= 0 && i < s->plan->queues; i++) {
		uint32_t queue = s->plan->queue[i].queue;

		if (queue < (uint32_t)active)
			continue;
		stop_with(s, fail(EXIT_RUNTIME, s->nic.name,
				  "was cut to %d TX queues during "
				  "the run and queue %" PRIu32 " cannot send any more; "
				  "`ethtool -L %s` brings it back",
				  active, queue, s->nic.name));
		return;
	}
}

static int link_lost(const struct session *s)
{
	return fail(EXIT_RUNTIME, s->nic.name,
		    "lost its link during the run; "
		    "--link-loss wait goes on when it is back");
}

/* A sender learns of it by a frame that is dropped: not while none is due. */
static void check_link(struct session *s, const struct dxmit_nic_counters *now)
{
	if (s->config->link_loss == LINK_LOSS_FAIL && !(now->up && now->carrier))
		stop_with(s, link_lost(s));
}

static void check_interface(struct session *s)
{
	struct dxmit_nic_counters now;
	uint64_t packets;
	int err = dxmit_nic_watch_read(s->watch, &now);

	if (err == -ENODEV) {
		stop_with(s, fail(EXIT_RUNTIME, s->nic.name,
				  "was deleted or moved to another "
				  "network namespace during the run; check `ip link`"));
		return;
	}
	if (s->farend.fd >= 0) /* its counter has 32 bits and is read to stay exact */
		farend_read(&s->farend, &packets);
	if (err)
		return;
	/* Kept in case this is the last time that it can be read. */
	s->report.device_after = now;
	check_link(s, &now);
	check_mtu(s, now.mtu);
	check_queues(s);
}

static const char *link_words(struct session *s)
{
	struct dxmit_nic_counters now;

	if (dxmit_nic_watch_read(s->watch, &now) < 0)
		return "interface gone";
	return !now.up ? "interface down" : now.carrier ? "link up" : "no carrier";
}

static int sender_failed(struct session *s, const struct sender *sender)
{
	const char *name = s->nic.name;
	uint32_t queue = sender->queue_number;
	struct dxmit_error error;
	char text[256];
	enum sender_end end = sender->end; /* clang switches on no atomic */

	switch (end) {
	case SENDER_LINK_LOST:
		return link_lost(s);
	case SENDER_STALLED:
		dxmit_queue_stalled(sender->queue, &error);
		dxmit_error_text(&error, text, sizeof(text));
		return fail(EXIT_RUNTIME, name, "%s %s (%s)", error.object, text,
			    link_words(s));
	case SENDER_GONE:
		return fail(EXIT_RUNTIME, name,
			    "was deleted or moved to another network "
			    "namespace during the run (%s); check `ip link`",
			    strerror(sender->error));
	case SENDER_REFUSED:
		return fail(EXIT_RUNTIME, name,
			    "queue %" PRIu32 ": the kernel refuses the "
			    "ring (%s); see the kernel log",
			    queue, strerror(sender->error));
	case SENDER_BROKEN:
		return fail(EXIT_INTERNAL, name,
			    "queue %" PRIu32 ": %s; please report this", queue,
			    sender->error == EPROTO
				    ? "a completion for a frame that was not in flight"
				    : "frames of a checked length were refused");
	default:
		return 0;
	}
}

/* One queue that failed ends the run: the rest alone is not what was asked. */
static uint32_t check_senders(struct session *s)
{
	uint32_t ready, failed, ended;
	size_t i;

	run_progress(&s->run, &ready, &failed, &ended);
	for (i = 0; ended && i < s->plan->queues; i++) {
		const struct sender *sender = &s->run.thread[i].sender;
		enum sender_end end = sender->end;

		if (end != SENDER_RUNNING && end != SENDER_DONE)
			stop_with(s, sender_failed(s, sender));
	}
	return ended;
}

static bool due(uint64_t *deadline_ns, uint64_t now_ns, uint64_t period_ns)
{
	if (*deadline_ns == 0 || now_ns < *deadline_ns)
		return false;
	*deadline_ns = period_ns ? *deadline_ns + period_ns : 0;
	if (period_ns && *deadline_ns <= now_ns) /* we were held up */
		*deadline_ns = now_ns + period_ns;
	return true;
}

int monitor_until_ready(struct session *s)
{
	struct deadlines d = { 0 };
	uint32_t ready = 0, failed = 0, ended = 0;
	struct dxmit_error error;

	do {
		uint64_t now_ns = clock_ns();

		run_progress(&s->run, &ready, &failed, &ended);
		if (ready + failed == s->plan->queues)
			break;
		take_signals(s, &d);
		if (due(&d.abandon_ns, now_ns, 0)) {
			s->abandoned = true;
			return 0;
		}
		d.check_ns = now_ns + CHECK_NS;
		wait_for_event(s, &d);
	} while (true);
	if (!failed)
		return 0;
	pthread_mutex_lock(&s->run.lock);
	error = s->run.error;
	pthread_mutex_unlock(&s->run.lock);
	if (error.stage == DXMIT_STAGE_HUGE_PAGES || error.stage == DXMIT_STAGE_UMEM)
		error.value *= s->plan->queues; /* all need as many */
	return fail_library(&error);
}

void monitor_run(struct session *s)
{
	const struct config *c = s->config;
	uint64_t start_ns = s->run.start_ns;
	struct deadlines d = {
		.check_ns = start_ns + CHECK_NS,
		.interval_ns = c->interval_ns ? start_ns + c->interval_ns : 0,
	};

	while (check_senders(s) < s->plan->queues) {
		uint64_t now_ns;

		take_signals(s, &d);
		now_ns = clock_ns();
		if (due(&d.abandon_ns, now_ns, 0)) {
			s->abandoned = true;
			return;
		}
		if (due(&d.check_ns, now_ns, CHECK_NS))
			check_interface(s);
		if (due(&d.interval_ns, now_ns, c->interval_ns)) {
			collect_interval(s);
			if (outputs_interval(s))
				stop_with(s, EXIT_RUNTIME);
		}
		wait_for_event(s, &d);
	}
}
