/* SPDX-License-Identifier: BSD-2-Clause */
/* The sender's loop of fake_sender.h. */
#include <sched.h>

#include "fake_sender.h"

static void publish(struct sender *s)
{
	struct counters *c = &s->counters;
	const struct dxmit_queue *q = s->queue;
	uint32_t cpu = (uint32_t)sched_getcpu();

#define STORE(field, value) atomic_store_explicit(&c->field, value, memory_order_relaxed)
	STORE(packets, q->submitted);
	STORE(completed, q->completed);
	STORE(lost, q->lost);
	STORE(kicks, q->kicks);
	STORE(retries, q->retries);
	STORE(down, q->down);
	STORE(cpu, cpu);
	if (cpu != s->cpu)
		STORE(cpu_other, c->cpu_other + 1);
#undef STORE
}

static uint32_t frames_wanted(struct sender *s)
{
	uint64_t wanted = s->count - s->queue->submitted;

	if (atomic_load_explicit(&s->control->hold, memory_order_relaxed))
		return 0;
	if (wanted > s->batch)
		wanted = s->batch;
	if (s->schedule) /* the bench has no rate; the tests stay */
		wanted = 0;
	return (uint32_t)wanted;
}

/* As send_all() in app/sender.c, kicking the fake kernel. */
int fake_sender_run(struct sender *s)
{
	struct dxmit_queue *q = s->queue;

	while (!atomic_load_explicit(&s->control->stop, memory_order_relaxed) &&
	       q->submitted < s->count) {
		int reclaimed = dxmit_reclaim(q);
		uint64_t down_before = q->down;
		uint32_t wanted = frames_wanted(s);
		uint32_t n = dxmit_reserve(q, wanted);

		if (reclaimed < 0)
			return reclaimed;
		if (n && s->program)
			dxmit_modify_run(s->program, q, n, q->submitted);
		if (n)
			dxmit_submit(q, n, s->length);
		q->kicks++;
		fake_ring_kick(s->ring);
		if (q->down != down_before)
			s->error = ENETDOWN;
		publish(s);
		if (n && s->gaps)
			s->error = EINVAL;
		if (n == 0)
			sched_yield();
	}
	return 0;
}
