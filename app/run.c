/* SPDX-License-Identifier: BSD-2-Clause */
/* The threads of run.h: from pinning to the last completion. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "cpu.h"
#include "planning.h"
#include "privileges.h"
#include "run.h"

static void notify(struct run *run)
{
	const uint64_t one = 1;
	ssize_t n = write(run->event_fd, &one, sizeof(one));

	(void)n; /* a full counter is readable all the same */
}

static void queue_options(const struct run *run, const struct dxmit_plan_queue *plan,
			  struct dxmit_queue_options *o)
{
	const struct config *c = run->config;

	*o = (struct dxmit_queue_options){
		.size = sizeof(*o),
		.ifindex = run->nic->ifindex,
		.queue = plan->queue,
		.ring_size = plan->ring_size,
		.frames = plan->frames,
		.frame_size = plan->frame_size,
		.completion_size = c->completion_ring,
		.budget = c->budget,
		.sndbuf = c->sndbuf,
		.bind_wait_ms = c->bind_wait_ms,
		.node_plus_1 = plan->memory_node + 1,
		.mode = c->mode,
		.huge = c->huge,
		.kick = c->kick,
		.direct = c->direct,
		.direct_batch = c->direct_batch,
		.direct_validate = c->direct_validate,
		.direct_shadow_every = c->direct_shadow,
		.max_length = run->replay ? run->replay->longest : run->content->longest,
		.multi_buffer = 1,
		/* 0 would be the library's default and not "do not wait". */
		.carrier_wait_ms = c->carrier_wait_ns
					   ? (uint32_t)(c->carrier_wait_ns / 1000000u)
					   : 1,
	};
	o->fixed_slots =
		plan->frames == plan->ring_size && o->max_length <= plan->frame_size;
}

/* Everything before the trigger. */
static int prepare(struct run_thread *t, struct dxmit_error *error)
{
	struct run *run = t->run;
	const struct dxmit_plan_queue *plan = &run->plan->queue[t->index];
	struct dxmit_queue_options options;
	int err = cpu_pin(plan->cpu);

	if (err) {
		/* EINVAL: the CPU has been taken away since the plan. */
		*error = (struct dxmit_error){ .stage = DXMIT_STAGE_PLAN,
					       .code = err == -EINVAL ? ENODEV : -err,
					       .value = plan->cpu };
		memcpy(error->object, "cpus", sizeof("cpus"));
		return err;
	}
	/* Timers of a paced run: the default slack is 50 us. */
	prctl(PR_SET_TIMERSLACK, 1);
	queue_options(run, plan, &options);
	err = dxmit_queue_open(&options, &t->sender.queue, error);
	if (err)
		return err;
	err = run->replay ? replay_attach(t->sender.replay, t->sender.queue)
			  : content_queue_lay(&t->sender.content, t->sender.queue);
	if (err) {
		*error =
			(struct dxmit_error){ .stage = DXMIT_STAGE_MEMORY, .code = -err };
		memcpy(error->object, "frames", sizeof("frames"));
		return err;
	}
	t->privileges_error = privileges_drop();
	return 0;
}

/* Report to the main thread and wait for its trigger; true means go. */
static bool wait_for_go(struct run_thread *t, int err, const struct dxmit_error *error)
{
	struct run *run = t->run;
	bool go;

	pthread_mutex_lock(&run->lock);
	if (err && run->failed++ == 0)
		run->error = *error;
	if (!err)
		run->ready++;
	notify(run);
	while (!err && run->go == RUN_WAIT)
		pthread_cond_wait(&run->go_changed, &run->lock);
	go = !err && run->go == RUN_GO;
	pthread_mutex_unlock(&run->lock);
	return go;
}

static uint64_t since(uint64_t now, uint64_t before)
{
	return now > before ? now - before : 0;
}

static void send_measured(struct run_thread *t)
{
	uint64_t user_ns, system_ns;

	cpu_time(&user_ns, &system_ns);
	t->sender.start_ns = t->run->start_ns;
	pace_start(&t->sender.pace, t->run->start_ns);
	sender_run(&t->sender);
	cpu_time(&t->cpu_user_ns, &t->cpu_system_ns);
	t->cpu_user_ns = since(t->cpu_user_ns, user_ns);
	t->cpu_system_ns = since(t->cpu_system_ns, system_ns);
}

static void *thread_main(void *arg)
{
	struct run_thread *t = arg;
	struct run *run = t->run;
	struct dxmit_error error = { .stage = DXMIT_STAGE_NONE };
	int err = prepare(t, &error);

	if (wait_for_go(t, err, &error))
		send_measured(t);
	pthread_mutex_lock(&run->lock);
	run->ended++;
	pthread_mutex_unlock(&run->lock);
	notify(run);
	return NULL;
}

/* Packets of the run that queues before this one send. */
static uint64_t packets_before(const struct run *run, uint32_t i)
{
	uint64_t before = 0;
	uint32_t j;

	for (j = 0; run->config->count_given && j < i; j++)
		before += run->plan->queue[j].count;
	return before;
}

/* Gaps are kept where every frame is likely to have a turn of its own. */
static int init_gaps(const struct run *run, struct sender *s)
{
	uint64_t limit = (uint64_t)GAPS_MAX_PPS * 1000000u * run->plan->queues;

	if (!s->pace.schedule ||
	    schedule_peak_micro_pps(s->pace.schedule, 0, SCHEDULE_ENDLESS) > limit)
		return 0;
	s->gaps = calloc(1, sizeof(*s->gaps));
	return s->gaps ? 0 : -ENOMEM;
}

/* A replay knows by itself what each queue sends, and when. */
static void init_replay(struct replay *replay, struct sender *s, uint32_t i)
{
	if (!replay)
		return;
	s->replay = &replay->queue[i];
	s->count = s->replay->count;
	s->length = replay->uniform;
}

static int init_sender(struct run *run, uint32_t i)
{
	const struct dxmit_plan_queue *plan = &run->plan->queue[i];
	struct sender *s = &run->thread[i].sender;
	int err;

	s->control = &run->control;
	s->interface = run->nic->name;
	s->link_fd = run->link_fd;
	s->cpu = plan->cpu;
	s->batch = planning_batch(run->config, run->plan);
	s->length = run->content->length;
	s->queue_number = (uint16_t)plan->queue;
	s->count = run->config->count_given ? plan->count : UINT64_MAX;
	s->duration_ns = run->config->duration_ns;
	s->link_loss = run->config->link_loss;
	/* Frames of a replay are due by themselves; see replay.h. */
	pace_init(&s->pace, run->replay ? NULL : run->schedule,
		  (uint32_t)run->plan->queues, i, s->batch);
	init_replay(run->replay, s, i);
	s->content.queue = s->queue_number;
	err = content_queue_open(&s->content, run->content, i,
				 (uint32_t)run->plan->queues, packets_before(run, i),
				 s->batch);
	s->lengths = s->content.lengths;
	return err ? err : init_gaps(run, s);
}

int run_create(struct run *run)
{
	size_t queues = run->plan->queues;
	uint32_t i;

	pthread_mutex_init(&run->lock, NULL);
	pthread_cond_init(&run->go_changed, NULL);
	run->event_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	run->link_fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (run->event_fd < 0 || run->link_fd < 0)
		return -errno;
	if (posix_memalign((void **)&run->thread, _Alignof(struct run_thread),
			   queues * sizeof(*run->thread)))
		return -ENOMEM;
	memset(run->thread, 0, queues * sizeof(*run->thread));
	for (i = 0; i < queues; i++) {
		struct run_thread *t = &run->thread[i];
		int err;

		t->run = run;
		t->index = i;
		err = init_sender(run, i);
		if (err)
			return err;
		err = pthread_create(&t->thread, NULL, thread_main, t);
		if (err)
			return -err;
		t->started = true;
	}
	return 0;
}

void run_progress(struct run *run, uint32_t *ready, uint32_t *failed, uint32_t *ended)
{
	uint64_t drained;
	ssize_t n = read(run->event_fd, &drained, sizeof(drained));

	(void)n;
	pthread_mutex_lock(&run->lock);
	*ready = run->ready;
	*failed = run->failed;
	*ended = run->ended;
	pthread_mutex_unlock(&run->lock);
}

static void set_go(struct run *run, bool go)
{
	pthread_mutex_lock(&run->lock);
	if (run->go == RUN_WAIT)
		run->go = go ? RUN_GO : RUN_ABORT;
	pthread_cond_broadcast(&run->go_changed);
	pthread_mutex_unlock(&run->lock);
}

void run_go(struct run *run)
{
	run->start_ns = clock_ns();
	set_go(run, true);
}

void run_stop(struct run *run, bool hurry)
{
	if (hurry)
		atomic_store_explicit(&run->control.hurry, true, memory_order_relaxed);
	atomic_store_explicit(&run->control.stop, true, memory_order_relaxed);
	set_go(run, false);
}

static void close_fd(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

void run_destroy(struct run *run)
{
	size_t i;

	if (!run->plan)
		return;
	run_stop(run, true);
	for (i = 0; run->thread && i < run->plan->queues; i++) {
		if (run->thread[i].started)
			pthread_join(run->thread[i].thread, NULL);
		dxmit_queue_close(&run->thread[i].sender.queue);
		content_queue_close(&run->thread[i].sender.content);
		free(run->thread[i].sender.gaps);
	}
	free(run->thread);
	run->thread = NULL;
	close_fd(&run->event_fd);
	close_fd(&run->link_fd);
	pthread_cond_destroy(&run->go_changed);
	pthread_mutex_destroy(&run->lock);
	run->plan = NULL;
}
