/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Measuring a leg. The window opens and closes on readings of the witness while
 * the leg sends, so neither its start nor its end counts. Between them the
 * counters are looked at only as often as it takes to see whether they move and
 * whether the link stays: each look is a netlink request.
 */
#include <errno.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "leg_start.h"
#include "leg_window.h"
#include "profiler.h"
#include "sender.h"

#define MOVE_NS 5000000000ull  /* for the first frame, beside the carrier's wait */
#define GRACE_NS 4000000000ull /* xdpsock sleeps 1 s per socket before it ends */
#define COMMAND_NS 50000000ull /* between two runs of a command, which costs time */
#define LOOKS 40               /* in a window, more or less */
#define LOOK_MIN_NS 4000000ull
#define LOOK_MAX_NS 50000000ull /* the profiler's rings want 100 ms at most */
#define SETTLE_NS 2000000000ull /* some drivers refresh once a second */
#define SETTLE_STEP_NS 5000000ull
#define STILL_NS 50000000ull         /* more than a busy CPU puts a softirq off */
#define SAMPLES_HZ 997               /* of the profiler: no multiple of a timer's tick */
#define OUTPUT_LIMIT (1024u * 1024u) /* leg_child_trim() leaves it */
#define ALL_CPUS 8192

/* ---- waiting ---- */

static uint64_t look_ns(const struct leg_run *run)
{
	uint64_t ns = run->window_ns / LOOKS;

	return ns < LOOK_MIN_NS ? LOOK_MIN_NS : ns > LOOK_MAX_NS ? LOOK_MAX_NS : ns;
}

/* Until the time, the end of the leg or a stop signal. False: one of the latter,
 * and run->end says which. */
static bool wait_until(struct compare *c, struct leg_run *run, uint64_t until_ns)
{
	for (;;) {
		uint64_t now_ns = clock_ns();
		uint64_t left_ns = until_ns > now_ns ? until_ns - now_ns : 0;
		bool last = left_ns <= LOOK_MAX_NS;
		uint64_t sleep_ns = last ? left_ns : LOOK_MAX_NS;
		struct timespec timeout = { .tv_nsec = (long)sleep_ns };
		struct pollfd fd[] = { { .fd = run->child.pidfd, .events = POLLIN },
				       { .fd = c->signal_fd, .events = POLLIN } };
		int ready = ppoll(fd, 2, &timeout, NULL);

		if (compare_stopped(c)) {
			run->end = LEG_INTERRUPTED;
			return false;
		}
		if (leg_child_ended(&run->child)) {
			run->end = LEG_DIED;
			return false;
		}
		leg_child_trim(&run->child);
		if (ready == 0 && last)
			return true;
	}
}

/* At the device. False: it is gone. */
static bool look(struct compare *c, struct leg_run *run)
{
	if (witness_read(&c->witness, &run->device) == 0)
		return true;
	run->end = LEG_GONE;
	return false;
}

/* By the witness, be it the device or a command. Returns 0 or -errno. */
static int read_count(struct compare *c, struct leg_run *run, struct witness_count *now)
{
	if (!look(c, run))
		return -ENODEV;
	*now = run->device;
	if (!c->witness.command.text)
		return 0;
	if (c->interrupted)
		return -EINTR;
	return witness_command_read(&c->witness.command, c->signal_fd, now);
}

/* The same; false: there is no count, and run->end says why. */
static bool count(struct compare *c, struct leg_run *run, struct witness_count *now)
{
	int err = read_count(c, run, now);

	if (err && compare_stopped(c))
		run->end = LEG_INTERRUPTED;
	else if (err && err != -ENODEV)
		run->end = LEG_NO_WITNESS;
	return err == 0;
}

/* ---- the parts of a run ---- */

/* netif_receive moves no counter of the device (Documentation/networking/
 * pktgen.rst): that leg is measured by its own word. */
static bool has_witness(const struct leg_run *run)
{
	return run->leg->kind != LEG_PKTGEN_RX;
}

static bool start(struct compare *c, struct leg_run *run)
{
	const struct leg_task task = { run->leg, run->setting, &c->nic };
	cpu_set_t *all = CPU_ALLOC(ALL_CPUS);
	size_t bytes = CPU_ALLOC_SIZE(ALL_CPUS);

	if (!all) {
		run->error = -ENOMEM;
		return false;
	}
	/* The kernel takes out what is not allowed. */
	memset(all, 0xff, bytes);
	run->error =
		leg_child_start(&run->child, &c->strangers, all, bytes, leg_start, &task);
	CPU_FREE(all);
	return run->error == 0;
}

static bool wait_for_movement(struct compare *c, struct leg_run *run)
{
	uint64_t deadline_ns = clock_ns() + MOVE_NS + c->config->carrier_wait_ns;
	uint64_t first = run->device.packets, command_ns = run->before.ns + COMMAND_NS;

	if (!has_witness(run))
		return true;
	for (;;) {
		if (!wait_until(c, run, clock_ns() + LOOK_MIN_NS) || !look(c, run))
			return false;
		if (run->device.packets != first)
			return run->moved = true;
		/* The device may count nothing of what the command does. */
		if (c->witness.command.text && run->device.ns >= command_ns) {
			struct witness_count now;

			if (!count(c, run, &now))
				return false;
			if (now.packets != run->before.packets)
				return run->moved = true;
			command_ns = now.ns + COMMAND_NS;
		}
		if (run->device.ns >= deadline_ns) {
			run->end = LEG_NEVER_SENT;
			return false;
		}
	}
}

static void open_profiler(struct leg_run *run)
{
	const struct cpu_watch *cpus = &run->setting->cpus;
	const char *how = NULL;
	int err;

	if (!run->profile)
		return;
	err = profiler_open(cpus->cpu, cpus->cpus, run->child.pid, SAMPLES_HZ,
			    &run->profiler, &how);
	*(err ? &run->profile_error : &run->profile_how) = how;
}

static void begin_window(struct leg_run *run)
{
	cpu_times_read(&run->setting->cpus, run->child.pid, &run->cpu);
	run->start_unix_ns = compare_unix_ns();
	if (run->profiler)
		profiler_start(run->profiler);
}

static void end_window(struct leg_run *run)
{
	struct cpu_times now;

	if (run->profiler)
		profiler_stop(run->profiler);
	cpu_times_read(&run->setting->cpus, run->child.pid, &now);
	cpu_times_since(&now, &run->cpu);
	run->cpu = now;
	/* While the process is there to tell its names; without memory there are
	 * fewer of them. */
	if (run->profiler)
		(void)profiler_collect(run->profiler, run->profile);
}

static bool watch_window(struct compare *c, struct leg_run *run)
{
	uint64_t end_ns = run->begin.ns + run->window_ns;

	run->last = run->begin;
	while (run->device.ns < end_ns) {
		uint64_t next_ns = run->device.ns + look_ns(run);
		uint64_t packets = run->device.packets;

		if (!wait_until(c, run, next_ns < end_ns ? next_ns : end_ns) ||
		    !look(c, run))
			return false;
		run->looks++;
		run->changes += run->device.packets != packets;
		if (!run->device.link) {
			run->end = LEG_LINK_LOST;
			return false;
		}
		if (run->profiler)
			profiler_drain(run->profiler);
	}
	return true;
}

static bool measure_window(struct compare *c, struct leg_run *run)
{
	open_profiler(run);
	if (!wait_until(c, run, clock_ns() + run->warm_up_ns))
		return false;
	/* CPU times within the readings of the witness, as near as can be. */
	if (!count(c, run, &run->begin))
		return false;
	begin_window(run);
	if (!watch_window(c, run))
		return false;
	end_window(run);
	run->last = run->device;
	return !c->witness.command.text || count(c, run, &run->last);
}

/* Is this the last of it? `still_ns` long the counter has not moved. */
static bool settled(const struct compare *c, const struct leg_run *run, uint64_t still_ns)
{
	const struct leg_answer *a = &run->answer;

	if (a->valid && a->packets != COMPARISON_UNKNOWN && has_witness(run)) {
		if (run->after.packets - run->before.packets >= a->packets)
			return true;
		return !c->counters_seldom && still_ns >= STILL_NS;
	}
	return still_ns >= STILL_NS;
}

/* Counters may lag behind: by a driver that refreshes them seldom, or by a softirq
 * that a busy CPU does late. What the leg says it sent is where they should end;
 * without that they must have stopped. */
static void settle(struct compare *c, struct leg_run *run)
{
	uint64_t begin_ns = clock_ns(), moved_ns = begin_ns;

	run->after = run->last.ns ? run->last : run->before;
	for (;;) {
		struct witness_count now;

		if (read_count(c, run, &now))
			return;
		if (now.packets != run->after.packets)
			moved_ns = now.ns;
		run->after = now;
		run->link_after = now.link;
		if (c->interrupted || now.ns - begin_ns >= SETTLE_NS ||
		    settled(c, run, now.ns - moved_ns))
			return;
		compare_sleep(c, SETTLE_STEP_NS);
	}
}

static void stop(struct compare *c, struct leg_run *run)
{
	struct cpu_times now;
	char *json;

	run->asked_ns = clock_ns();
	/* A foreign sender ends at SIGINT, as from a terminal. */
	run->killed = !leg_child_stop(&run->child,
				      run->leg->kind == LEG_EXEC ? SIGINT : SIGTERM,
				      GRACE_NS, c->signal_fd);
	cpu_times_read(&run->setting->cpus, 0, &now);
	cpu_times_since(&now, &run->cpu_life);
	run->cpu_life = now;
	if (run->leg->kind != LEG_EXEC) {
		json = leg_child_text(run->child.out, OUTPUT_LIMIT);
		if (json)
			leg_answer_read(json, &run->answer);
		free(json);
	}
	settle(c, run);
}

void leg_measure(struct compare *c, struct leg_run *run)
{
	run->child.pidfd = run->child.out = run->child.err = -1;
	run->end = LEG_NO_PROCESS;
	if (!count(c, run, &run->before))
		return;
	cpu_times_read(&run->setting->cpus, 0, &run->cpu_life);
	run->started_ns = clock_ns();
	if (!start(c, run))
		return;
	run->end = LEG_MEASURED;
	if (wait_for_movement(c, run)) {
		if (leg_is_pktgen(run->leg->kind))
			cpu_watch_find_pktgen(&run->setting->cpus);
		measure_window(c, run);
	}
	stop(c, run);
}

void leg_run_close(struct leg_run *run)
{
	if (run->profiler)
		profiler_close(&run->profiler);
	leg_child_close(&run->child);
}
