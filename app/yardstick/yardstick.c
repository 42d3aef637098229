/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The run of a yardstick: what it cannot do is refused, then a pinned thread per
 * planned queue opens its socket, and all send from one trigger on until the count,
 * the duration, or the stop descriptor ends them.
 */
#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "cpu.h"
#include "message.h"
#include "planning.h"
#include "privileges.h"
#include "sender.h"
#include "yardstick_link.h"
#include "yardstick_parts.h"

#define END_NS UINT64_C(2000000000) /* for threads that were told to end */

static void notify(struct yardstick_run *run)
{
	const uint64_t one = 1;
	ssize_t n = write(run->event_fd, &one, sizeof(one));

	(void)n; /* a full counter is readable all the same */
}

/* ---- what a thread calls ---- */

bool yardstick_pause(struct yardstick_thread *t)
{
	struct yardstick_run *run = t->run;

	while (atomic_load_explicit(&run->hold, memory_order_relaxed) &&
	       !atomic_load_explicit(&run->stop, memory_order_relaxed)) {
		poll(NULL, 0, YARDSTICK_SLICE_MS);
		t->moved_ns = 0;
	}
	return atomic_load_explicit(&run->stop, memory_order_relaxed);
}

int yardstick_stuck(struct yardstick_thread *t, short events, int error)
{
	struct pollfd socket = { .fd = events ? t->fd : -1, .events = events };
	uint64_t now_ns = clock_ns();

	if (t->moved_ns == 0)
		t->moved_ns = now_ns;
	if (now_ns - t->moved_ns > YARDSTICK_STALL_NS)
		return fail(EXIT_RUNTIME, t->run->yardstick->nic->name,
			    "took no frame for %" PRIu64 " s: %s; check `ip link` and "
			    "`tc -s qdisc`",
			    YARDSTICK_STALL_NS / 1000000000u, strerror(error));
	poll(&socket, 1, YARDSTICK_SLICE_MS);
	return EXIT_DONE;
}

int yardstick_broken(const struct yardstick_thread *t, const char *call, int error)
{
	return fail(EXIT_RUNTIME, t->run->yardstick->nic->name,
		    "%s is answered: %s; check `ip link` and the kernel's log", call,
		    strerror(error));
}

/* ---- a thread ---- */

static int out_of(const char *object, int err)
{
	return fail(EXIT_RUNTIME, object,
		    "cannot be set up: %s; check memory, `ulimit -n` and `ulimit -u`",
		    strerror(-err));
}

static int drop_privileges(void)
{
	int err = privileges_drop();

	return err ? fail(EXIT_RUNTIME, "privileges",
			  "cannot be given up: %s; allow prctl(2) and capset(2) for it",
			  strerror(-err))
		   : EXIT_DONE;
}

static uint64_t packets_before(const struct yardstick_thread *t)
{
	const struct yardstick *y = t->run->yardstick;
	uint64_t before = 0;
	uint32_t i;

	for (i = 0; y->config->count_given && i < t->index; i++)
		before += y->plan->queue[i].count;
	return before;
}

static int prepare(struct yardstick_thread *t)
{
	const struct yardstick *y = t->run->yardstick;
	int err = cpu_pin(t->plan->cpu), code;

	if (err)
		return out_of("cpus", err);
	t->frames.content.queue = (uint16_t)t->plan->queue;
	err = content_queue_open(&t->frames.content, &t->run->content, t->index,
				 (uint32_t)y->plan->queues, packets_before(t), t->batch);
	if (err)
		return out_of("frames", err);
	code = t->run->way->open(t);
	if (code)
		return code;
	return drop_privileges();
}

/* Report to the main thread and wait for its trigger; true means go. */
static bool wait_for_go(struct yardstick_thread *t, int code)
{
	struct yardstick_run *run = t->run;
	bool go;

	pthread_mutex_lock(&run->lock);
	run->ready++;
	if (!run->code)
		run->code = code;
	notify(run);
	while (!code && run->go == YARDSTICK_WAIT)
		pthread_cond_wait(&run->go_changed, &run->lock);
	go = !code && run->go == YARDSTICK_GO;
	pthread_mutex_unlock(&run->lock);
	return go;
}

static uint64_t since(uint64_t now, uint64_t before)
{
	return now > before ? now - before : 0;
}

static int send_measured(struct yardstick_thread *t)
{
	uint64_t user_ns, system_ns, user_end_ns, system_end_ns;
	int code;

	cpu_time(&user_ns, &system_ns);
	code = t->run->way->send(t);
	t->end_ns = clock_ns();
	cpu_time(&user_end_ns, &system_end_ns);
	t->share.cpu_user_ns = since(user_end_ns, user_ns);
	t->share.cpu_system_ns = since(system_end_ns, system_ns);
	return code;
}

static void *thread_main(void *arg)
{
	struct yardstick_thread *t = arg;
	struct yardstick_run *run = t->run;
	int code = prepare(t);

	if (wait_for_go(t, code))
		code = send_measured(t);
	pthread_mutex_lock(&run->lock);
	run->ended++;
	if (!run->code)
		run->code = code;
	pthread_mutex_unlock(&run->lock);
	notify(run);
	return NULL;
}

/* ---- the main thread ---- */

static void set_go(struct yardstick_run *run, bool go)
{
	pthread_mutex_lock(&run->lock);
	if (run->go == YARDSTICK_WAIT)
		run->go = go ? YARDSTICK_GO : YARDSTICK_ABORT;
	pthread_cond_broadcast(&run->go_changed);
	pthread_mutex_unlock(&run->lock);
}

static void stop(struct yardstick_run *run)
{
	atomic_store_explicit(&run->stop, true, memory_order_relaxed);
	set_go(run, false);
}

static int start_threads(struct yardstick_run *run)
{
	const struct yardstick *y = run->yardstick;
	uint32_t i;
	int err;

	run->thread = calloc(y->plan->queues, sizeof(*run->thread));
	if (!run->thread)
		return out_of("threads", -ENOMEM);
	for (i = 0; i < y->plan->queues; i++) {
		struct yardstick_thread *t = &run->thread[i];

		t->run = run;
		t->index = i;
		t->plan = &y->plan->queue[i];
		t->fd = -1;
		t->batch = planning_batch(y->config, y->plan);
		t->count = y->config->count_given ? t->plan->count : UINT64_MAX;
		err = pthread_create(&t->thread, NULL, thread_main, t);
		if (err)
			return out_of("threads", -err);
		t->started = true;
	}
	return EXIT_DONE;
}

/* How far the threads are. */
static int progress(struct yardstick_run *run, uint32_t *ready, uint32_t *ended)
{
	uint64_t drained;
	ssize_t n = read(run->event_fd, &drained, sizeof(drained));
	int code;

	(void)n;
	pthread_mutex_lock(&run->lock);
	*ready = run->ready;
	*ended = run->ended;
	code = run->code;
	pthread_mutex_unlock(&run->lock);
	return code;
}

/* What ends a run. */
struct watch {
	uint64_t end_ns;  /* of the duration; UINT64_MAX: none */
	uint64_t late_ns; /* threads must have ended; 0: they need not yet */
	uint32_t ended;
	struct yardstick_link link;
};

/* Between two waits. Returns an exit code. */
static int look(struct yardstick_run *run, struct watch *w, bool stopped)
{
	uint32_t ready, threads = (uint32_t)run->yardstick->plan->queues;
	uint64_t now_ns = clock_ns();
	int code = progress(run, &ready, &w->ended), link = EXIT_DONE;

	if (!code && !w->late_ns)
		link = yardstick_link_check(&w->link, now_ns, &run->hold);
	if (!code && !w->late_ns && ready == threads && run->go == YARDSTICK_WAIT) {
		run->start_ns = now_ns;
		if (run->yardstick->config->duration_ns)
			w->end_ns = now_ns + run->yardstick->config->duration_ns;
		set_go(run, true);
	}
	if (!w->late_ns && (code || link || stopped || now_ns >= w->end_ns)) {
		w->late_ns = now_ns + END_NS;
		stop(run);
	}
	return code ? code : link;
}

/* Until every thread that was started has ended, or will not. Returns an exit
 * code. */
static int watch(struct yardstick_run *run, uint32_t started, bool *abandoned)
{
	struct pollfd fds[2] = { { .fd = run->yardstick->stop_fd, .events = POLLIN },
				 { .fd = run->event_fd, .events = POLLIN } };
	struct watch w = { .end_ns = UINT64_MAX, .link.yardstick = run->yardstick };
	int code = EXIT_DONE;

	while (w.ended < started) {
		struct timespec slice = { 0, YARDSTICK_LINK_NS };
		uint64_t now_ns = clock_ns();
		int again;

		if (w.end_ns != UINT64_MAX && w.end_ns < now_ns + YARDSTICK_LINK_NS)
			slice.tv_nsec = w.end_ns > now_ns ? (long)(w.end_ns - now_ns) : 0;
		if (ppoll(fds, 2, &slice, NULL) < 0)
			fds[0].revents = 0; /* interrupted */
		if (w.late_ns && now_ns > w.late_ns)
			break;
		again = look(run, &w, fds[0].revents != 0 || code);
		code = code ? code : again;
		if (w.late_ns)
			fds[0].fd = -1;
	}
	*abandoned = w.ended < started;
	return *abandoned && !code
		       ? fail(EXIT_RUNTIME, run->yardstick->nic->name,
			      "threads stay in a system call; see the kernel's log")
		       : code;
}

static void end_thread(struct yardstick_thread *t)
{
	if (t->started)
		pthread_join(t->thread, NULL);
	if (t->run->way->close)
		t->run->way->close(t);
	yardstick_frames_close(&t->frames);
	if (t->fd >= 0)
		close(t->fd);
	t->fd = -1;
}

static void take_results(struct yardstick_run *run, struct yardstick_result *result)
{
	size_t i;

	for (i = 0; i < run->yardstick->plan->queues; i++) {
		const struct yardstick_thread *t = &run->thread[i];

		result->share[i] = t->share;
		if (run->start_ns && t->end_ns > run->start_ns + result->ns)
			result->ns = t->end_ns - run->start_ns;
	}
}

static int run_threads(struct yardstick_run *run, struct yardstick_result *result)
{
	size_t queues = run->yardstick->plan->queues, i;
	uint32_t started = 0;
	bool abandoned;
	int code, watched;

	pthread_mutex_init(&run->lock, NULL);
	pthread_cond_init(&run->go_changed, NULL);
	run->event_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (run->event_fd < 0)
		return out_of("events", -errno);
	code = start_threads(run);
	for (i = 0; run->thread && i < queues; i++)
		started += run->thread[i].started;
	if (!code) /* each thread does so when its socket is open */
		code = drop_privileges();
	if (code)
		stop(run);
	watched = watch(run, started, &abandoned);
	code = code ? code : watched;
	if (abandoned) /* their memory stays theirs; the process ends them */
		_exit(code);
	if (!code)
		take_results(run, result);
	for (i = 0; run->thread && i < queues; i++)
		end_thread(&run->thread[i]);
	free(run->thread);
	close(run->event_fd);
	return code;
}

/* ---- the yardstick ---- */

static const struct yardstick_way *way_of(enum leg_kind kind)
{
	switch (kind) {
	case LEG_AF_PACKET:
	case LEG_AF_PACKET_BYPASS:
		return &yardstick_packet_way;
	case LEG_AF_PACKET_RING:
		return &yardstick_ring_way;
	case LEG_UDP:
	case LEG_UDP_GSO:
		return &yardstick_udp_way;
	default: /* pktgen's */
		return NULL;
	}
}

/* What only the AF_XDP sender does. */
static int check_config(const struct yardstick *y)
{
	const struct config *c = y->config;
	const char *name = leg_kind_name(y->kind);

	if (c->replay.path)
		return fail(EXIT_USAGE, name,
			    "sends no captures; compare the AF_XDP legs alone");
	if (c->rate.micro || c->profile.steps || c->bursts.packets)
		return fail(EXIT_USAGE, name,
			    "sends as fast as it can; leave out --rate, --profile and "
			    "--burst");
	return EXIT_DONE;
}

static int run_way(struct yardstick_run *run, struct yardstick_result *result)
{
	const struct yardstick *y = run->yardstick;
	int code;

	if (run->content.skip_all || run->content.rate_micro_pps)
		return fail(EXIT_USAGE, leg_kind_name(y->kind),
			    run->content.skip_all
				    ? "has no frame that the MTU allows; use shorter ones"
				    : "sends as fast as it can; give streams weights");
	if (run->content.mtu > y->nic->mtu)
		return fail(EXIT_USAGE, leg_kind_name(y->kind),
			    "the kernel's stack sends nothing beyond the MTU %" PRIu32
			    " of %s; use shorter frames or raise it",
			    y->nic->mtu, y->nic->name);
	run->way = way_of(y->kind);
	if (!run->way)
		return yardstick_pktgen_run(y, &run->content, result);
	code = run->way->check ? run->way->check(run) : EXIT_DONE;
	return code ? code : run_threads(run, result);
}

int yardstick_run(const struct yardstick *yardstick, FILE *out)
{
	struct yardstick_run *run = calloc(1, sizeof(*run));
	struct yardstick_result result = { 0 };
	int code = check_config(yardstick);

	result.share = calloc(yardstick->plan->queues, sizeof(*result.share));
	if (!run || !result.share) {
		code = out_of("memory", -ENOMEM);
	} else if (!code) {
		run->yardstick = yardstick;
		code = content_make(yardstick->config, yardstick->nic, &run->content);
		if (!code)
			code = run_way(run, &result);
		content_free(&run->content);
	}
	if (!code)
		code = yardstick_json(yardstick, &result, out);
	free(result.share);
	free(run);
	return code;
}

void yardstick_clean_up(enum leg_kind kind, const struct dxmit_nic *nic,
			const struct dxmit_plan *plan)
{
	if (leg_is_pktgen(kind))
		yardstick_pktgen_clean_up(nic, plan);
}
