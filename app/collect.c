/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Collecting: from the senders' counters, the queues, the device and the far
 * end into the one report structure.
 */
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "bound.h"
#include "ledger.h"
#include "session.h"

#define SETTLE_NS 2000000000ull /* some drivers refresh once a second */
#define SETTLE_POLL_MS 10

static uint64_t get(const _Atomic uint64_t *counter)
{
	return atomic_load_explicit(counter, memory_order_relaxed);
}

static void read_counters(const struct counters *c, struct span *span)
{
	span->packets = get(&c->packets);
	span->bytes = get(&c->bytes);
	span->completed = get(&c->completed);
	span->lost = get(&c->lost);
	span->kicks = get(&c->kicks);
	span->retries = get(&c->retries);
	span->down = get(&c->down);
	span->starved = get(&c->starved);
	span->paused_ns = get(&c->paused_ns);
}

static void subtract(struct span *now, const struct span *before)
{
	now->packets -= before->packets;
	now->bytes -= before->bytes;
	now->completed -= before->completed;
	now->lost -= before->lost;
	now->kicks -= before->kicks;
	now->retries -= before->retries;
	now->down -= before->down;
	now->starved -= before->starved;
	now->paused_ns -= before->paused_ns;
}

static uint64_t max_rss_bytes(void)
{
	struct rusage usage;

	if (getrusage(RUSAGE_SELF, &usage) < 0)
		return 0;
	return (uint64_t)usage.ru_maxrss * 1024;
}

/* What each queue is, which is constant but for its path. */
static void collect_obtained(struct session *s, size_t i)
{
	struct report_queue *queue = &s->report.queue[i];
	const struct dxmit_queue *q = s->run.thread[i].sender.queue;

	queue->opened = q != NULL;
	queue->info.size = sizeof(queue->info);
	dxmit_queue_info(q, &queue->info);
}

int collect_create(struct session *s)
{
	struct report *r = &s->report;
	struct timespec now;
	size_t i;
	int err;

	r->command = s->config->probe ? "probe" : "tx";
	r->config = s->config;
	r->nic = &s->nic;
	r->plan = s->plan;
	r->frame_length = s->frame_length;
	r->frame_shortest = s->content.length ? 0 : content_shortest(&s->content);
	if (s->config->replay.path)
		r->frame_shortest = s->replay.uniform ? 0 : s->replay.shortest;
	r->schedule = &s->schedule;
	r->asked_micro_pps = report_asked_micro_pps(s->config, &s->schedule, 0);
	r->queue = calloc(s->plan->queues, sizeof(*r->queue));
	s->last = calloc(s->plan->queues, sizeof(*s->last));
	if (!r->queue || !s->last)
		return -ENOMEM;
	for (i = 0; i < s->plan->queues; i++) {
		r->queue[i].plan = &s->plan->queue[i];
		r->queue[i].cpu_seen = -1;
		r->queue[i].cpu_node_seen = -1;
		r->queue[i].residence.node = -1;
		if (!s->abandoned) /* else its thread may still be opening it */
			collect_obtained(s, i);
	}
	clock_gettime(CLOCK_REALTIME, &now);
	r->start_unix_ns = (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
	r->far_end_present = s->farend.fd >= 0;
	err = dxmit_nic_watch_read(s->watch, &r->device_before);
	r->device_valid = err == 0;
	r->device_after = r->device_before;
	return err == -ENODEV ? 0 : err; /* the run will say so */
}

/* The counters as they are now, for every queue and in total. */
static void collect_now(struct session *s)
{
	struct report *r = &s->report;
	uint64_t run_ns = s->run.start_ns ? clock_ns() - s->run.start_ns : 0;
	size_t i;

	memset(&r->total, 0, sizeof(r->total));
	for (i = 0; i < s->plan->queues; i++) {
		struct report_queue *queue = &r->queue[i];
		const struct sender *sender = &s->run.thread[i].sender;

		queue->run.ns = run_ns;
		read_counters(&sender->counters, &queue->run);
		if (queue->run.packets)
			queue->cpu_seen = (int32_t)sender->counters.cpu;
		queue->cpu_other = sender->counters.cpu_other;
		queue->in_flight = queue->run.packets - queue->run.completed;
		span_add(&r->total, &queue->run);
	}
	r->max_rss_bytes = max_rss_bytes();
}

void collect_interval(struct session *s)
{
	struct report *r = &s->report;
	uint64_t now_ns = clock_ns();
	uint64_t since_ns = s->last_ns ? s->last_ns : s->run.start_ns;
	size_t i;

	collect_now(s);
	for (i = 0; i < s->plan->queues; i++) {
		struct report_queue *queue = &r->queue[i];

		queue->interval = queue->run;
		subtract(&queue->interval, &s->last[i]);
		queue->interval.ns = now_ns - since_ns;
		s->last[i] = queue->run;
	}
	if (s->last_ns)
		r->interval_index++;
	s->last_ns = now_ns;
}

static int32_t node_of_cpu(const struct session *s, int32_t cpu)
{
	const struct dxmit_cpu *found =
		cpu < 0 ? NULL : dxmit_topology_cpu(s->topology, (uint32_t)cpu);

	return found ? found->node : -1;
}

/* What only a thread that has ended can tell. */
static void collect_queue(struct session *s, size_t i)
{
	struct report_queue *queue = &s->report.queue[i];
	const struct run_thread *thread = &s->run.thread[i];
	const struct sender *sender = &thread->sender;
	struct dxmit_queue_stats stats = { .size = sizeof(stats) };

	collect_obtained(s, i);
	queue->cpu_node_seen = node_of_cpu(s, queue->cpu_seen);
	if (!queue->opened)
		return;
	queue->residence.size = sizeof(queue->residence);
	dxmit_queue_residence(sender->queue, &queue->residence);
	if (dxmit_queue_stats(sender->queue, &stats) == 0)
		queue->invalid = stats.invalid;
	queue->direct.size = sizeof(queue->direct);
	queue->direct_valid = dxmit_queue_direct(sender->queue, &queue->direct) == 0;
	if (queue->direct_valid) /* completed like others, which the kernel's are not */
		queue->invalid += queue->direct.invalid;
	if (sender->end_ns > s->run.start_ns && s->run.start_ns)
		queue->run.ns = sender->end_ns - s->run.start_ns;
	queue->run.cpu_user_ns = thread->cpu_user_ns;
	queue->run.cpu_system_ns = thread->cpu_system_ns;
	queue->given_up = sender->pace.given_up;
	if (sender->gaps)
		gaps_summarize(sender->gaps, &queue->gaps);
}

/* Of all queues together; without the memory for it there is none. */
static void collect_gaps(struct session *s)
{
	struct gaps *all = calloc(1, sizeof(*all));
	size_t i;

	for (i = 0; all && !s->abandoned && i < s->plan->queues; i++)
		if (s->run.thread[i].sender.gaps)
			gaps_merge(all, s->run.thread[i].sender.gaps);
	if (all)
		gaps_summarize(all, &s->report.gaps);
	free(all);
}

/* False when the device is gone and will never tell more. */
static bool read_witnesses(struct session *s)
{
	struct report *r = &s->report;
	struct dxmit_nic_counters now;
	int err = r->device_valid ? dxmit_nic_watch_read(s->watch, &now) : 0;

	if (r->device_valid && !err)
		r->device_after = now;
	s->witness_error = err;
	if (r->far_end_present)
		s->witness_error = farend_read(&s->farend, &r->far_end_packets);
	ledger_fill(r);
	return err != -ENODEV;
}

/*
 * Counters may lag: wait until the ledger closes, but not for ever, and not at
 * all once the user has asked to stop.
 */
static void settle(struct session *s)
{
	uint64_t deadline_ns = clock_ns() + SETTLE_NS;
	bool there = read_witnesses(s);

	while (there && !s->report.ledger.closed && !s->interrupted &&
	       clock_ns() < deadline_ns) {
		struct pollfd signal = { .fd = s->signal_fd, .events = POLLIN };

		if (poll(&signal, 1, SETTLE_POLL_MS) > 0)
			s->interrupted = true;
		there = read_witnesses(s);
	}
	s->report.ledger.settled = s->report.ledger.closed || (there && !s->interrupted);
}

/* Of several, what each has sent. */
static int collect_streams(struct session *s)
{
	const struct content *c = &s->content;
	size_t i, q;

	if (s->config->streams == 0)
		return 0;
	s->stream = calloc(c->streams, sizeof(*s->stream));
	if (!s->stream)
		return -ENOMEM;
	for (i = 0; i < c->streams; i++) {
		struct report_stream *stream = &s->stream[i];

		stream->name = c->stream[i].name;
		stream->weight = c->stream[i].weight;
		for (q = 0; q < s->plan->queues; q++) {
			stream->packets +=
				s->run.thread[q].sender.content.turn[i].packets;
			stream->bytes += s->run.thread[q].sender.content.turn[i].bytes;
		}
	}
	s->report.stream = s->stream;
	s->report.streams = c->streams;
	return 0;
}

void collect_final(struct session *s)
{
	struct report *r = &s->report;
	size_t i;

	collect_now(s);
	memset(&r->total, 0, sizeof(r->total));
	for (i = 0; i < s->plan->queues; i++) {
		if (!s->abandoned)
			collect_queue(s, i);
		span_add(&r->total, &r->queue[i].run);
	}
	collect_gaps(s);
	r->asked_micro_pps = report_asked_micro_pps(s->config, &s->schedule, r->total.ns);
	if (s->skip_all)
		r->ledger.skipped = s->config->count;
	if (!s->abandoned) /* else its threads still count */
		collect_streams(s);
	settle(s);
	r->interrupted = s->interrupted;
	bound_fill(r);
}

void collect_destroy(struct session *s)
{
	free(s->report.queue);
	free(s->last);
	free(s->stream);
	s->stream = NULL;
	s->report.queue = NULL;
	s->last = NULL;
}
