/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The transmit loop. One turn: reclaim, ask the pace, reserve, write what
 * changes, submit, kick, publish. Everything that is not part of an ordinary
 * turn (link loss, stalls, errors, waiting) is a function of its own below it.
 */
#include <errno.h>
#include <net/if.h>
#include <sched.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>

#include "sender.h"

#define DRAIN_NS 2000000000ull     /* for the last completions */
#define DRAIN_HURRY_NS 50000000ull /* the same after a signal */
#define LINK_POLL_NS 1000000       /* how often a lost link is looked at */
#define LATE_NS 20000000ull        /* past the duration, for what was due in it */
#define SLEEP_MAX_NS 20000000ull   /* so that a stop is seen in time */
/* Wake a quarter of the gap early, within these bounds, and spin the rest: timers
 * were seen 80 us late on a busy virtual CPU, and after long sleeps, from which an
 * idle one has to come back, 480 us. Spinning longer only burns CPU. */
#define SPIN_MIN_NS 120000ull
#define SPIN_MAX_NS 600000ull

uint64_t clock_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static void sleep_ns(uint64_t ns)
{
	const struct timespec pause = { .tv_nsec = (long)ns };

	nanosleep(&pause, NULL);
}

/* Is the time up? A sender that was held up to the end of its duration still has
 * frames that were due before it: once it is awake it gets LATE_NS for them. */
static bool duration_is_over(struct sender *s)
{
	uint64_t end_ns = s->start_ns + s->duration_ns;
	uint64_t now_ns = clock_ns();

	if (now_ns < end_ns)
		return false;
	if (!s->late_end_ns)
		s->late_end_ns = now_ns + LATE_NS;
	return !s->pace.schedule || now_ns >= s->late_end_ns ||
	       pace_next_ns(&s->pace, s->queue->submitted) >= end_ns;
}

/* Told to stop, or at the end of the duration: the clock is looked at here, so
 * that the end does not depend on a main thread that waits for its output. */
static bool stopped(struct sender *s)
{
	return atomic_load_explicit(&s->control->stop, memory_order_relaxed) ||
	       (s->duration_ns && duration_is_over(s));
}

static bool held(const struct sender *s)
{
	return atomic_load_explicit(&s->control->hold, memory_order_relaxed);
}

static void publish(struct sender *s)
{
	struct counters *c = &s->counters;
	const struct dxmit_queue *q = s->queue;
	uint32_t cpu = (uint32_t)sched_getcpu();

#define STORE(field, value) atomic_store_explicit(&c->field, value, memory_order_relaxed)
	STORE(packets, q->submitted);
	STORE(bytes, s->bytes);
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

static enum sender_end end_with(struct sender *s, enum sender_end end, int error)
{
	s->error = error;
	s->end = end;
	return end;
}

/* What the interface says of itself; a missing interface counts as up, so that
 * the next kick tells that it is gone. */
static bool link_is_up(const struct sender *s)
{
	struct ifreq request = { 0 };

	memcpy(request.ifr_name, s->interface, sizeof(request.ifr_name) - 1);
	if (ioctl(s->link_fd, SIOCGIFFLAGS, &request) < 0)
		return true;
	return (request.ifr_flags & IFF_UP) && (request.ifr_flags & IFF_RUNNING);
}

static void wait_for_link(struct sender *s)
{
	uint64_t begin_ns = clock_ns();

	while (!stopped(s) && !link_is_up(s))
		sleep_ns(LINK_POLL_NS);
	atomic_fetch_add_explicit(&s->counters.paused_ns, clock_ns() - begin_ns,
				  memory_order_relaxed);
}

/*
 * The kick answered that frames are lost or the interface is down, or nothing
 * moved for long. While the link is up that is for the caller to judge.
 * Returns whether the sender may go on.
 */
static bool link_allows(struct sender *s, bool down)
{
	if (s->link_loss == LINK_LOSS_GO && !down)
		return true;
	if (link_is_up(s))
		return true;
	if (s->link_loss == LINK_LOSS_FAIL)
		return false;
	wait_for_link(s);
	return true;
}

/* Judge a kick; SENDER_RUNNING means go on. */
static enum sender_end judge(struct sender *s, int answer, uint64_t down_before)
{
	bool down = s->queue->down != down_before;

	if (answer == -ETIMEDOUT) {
		if (link_is_up(s) || s->link_loss == LINK_LOSS_FAIL)
			return end_with(s, SENDER_STALLED, ETIMEDOUT);
		wait_for_link(s);
		return SENDER_RUNNING;
	}
	if (answer < 0)
		return end_with(s, answer == -EINVAL ? SENDER_REFUSED : SENDER_GONE,
				-answer);
	if ((answer == DXMIT_LOST || down) && !link_allows(s, down))
		return end_with(s, SENDER_LINK_LOST, down ? ENETDOWN : EBUSY);
	return SENDER_RUNNING;
}

static uint64_t spin_ns(const struct sender *s)
{
	uint64_t ns = 0;

	if (s->pace.schedule)
		ns = pace_gap_ns(&s->pace, s->queue->submitted) / 4;
	if (ns < SPIN_MIN_NS)
		return SPIN_MIN_NS;
	return ns < SPIN_MAX_NS ? ns : SPIN_MAX_NS;
}

/* Nothing could be submitted: let completions come, or wait for the schedule.
 * No sleep while the kernel has frames it would take at the next kick. */
static void idle(struct sender *s, uint32_t wanted, int answer)
{
	uint64_t now_ns, due_ns, early_ns;

	if (wanted)
		atomic_fetch_add_explicit(&s->counters.starved, 1, memory_order_relaxed);
	if (wanted || answer == DXMIT_RETRY) {
		sched_yield();
		return;
	}
	if (held(s)) {
		sleep_ns(LINK_POLL_NS);
		return;
	}
	now_ns = clock_ns();
	due_ns = s->replay ? replay_next_ns(s->replay, now_ns - s->start_ns)
			   : pace_next_ns(&s->pace, s->queue->submitted);
	if (due_ns == SCHEDULE_NEVER) { /* the profile is over, and so is the run */
		s->count = s->queue->submitted;
		return;
	}
	if (s->replay)
		due_ns += s->start_ns;
	if (s->duration_ns && due_ns > s->start_ns + s->duration_ns)
		due_ns = s->start_ns + s->duration_ns;
	early_ns = spin_ns(s);
	if (due_ns <= now_ns + early_ns) {
		sched_yield(); /* spin, but let a queue on the same CPU run */
		return;
	}
	due_ns -= now_ns + early_ns;
	sleep_ns(due_ns < SLEEP_MAX_NS ? due_ns : SLEEP_MAX_NS);
}

/* Since the start, and never the end of the duration or later, even if that has
 * come since stopped() looked: what is due then is not sent. */
static uint64_t elapsed_ns(struct sender *s)
{
	uint64_t ns;

	s->now_ns = clock_ns();
	ns = s->now_ns - s->start_ns;
	return s->duration_ns && ns >= s->duration_ns ? s->duration_ns - 1 : ns;
}

static uint64_t frames_due(struct sender *s)
{
	return pace_due(&s->pace, s->start_ns + elapsed_ns(s), s->queue->submitted);
}

/* Frames to send in this turn: the batch, what is left, what is due. */
static uint32_t frames_wanted(struct sender *s)
{
	uint64_t wanted = s->count - s->queue->submitted;

	if (held(s))
		return 0;
	if (wanted > s->batch)
		wanted = s->batch;
	if (s->replay)
		return replay_due(s->replay, elapsed_ns(s), (uint32_t)wanted);
	if (s->pace.schedule) {
		uint64_t due = frames_due(s);

		if (wanted > due)
			wanted = due;
	}
	return (uint32_t)wanted;
}

/* Write what changes into the n frames reserved; how many can be sent. */
static uint32_t fill(struct sender *s, uint32_t n)
{
	if (s->replay)
		return replay_fill(s->replay, s->queue, n, s->content.lengths);
	content_fill(&s->content, s->queue, n);
	return n;
}

static int submit(struct sender *s, uint32_t n)
{
	uint32_t i;

	if (s->length) {
		s->bytes += (uint64_t)n * s->length;
		return dxmit_submit(s->queue, n, s->length);
	}
	for (i = 0; i < n; i++)
		s->bytes += s->lengths[i];
	return dxmit_submit_lengths(s->queue, n, s->lengths);
}

/* After the kick, so that it is not held up; the time is from before it. */
static void note_gaps(struct sender *s, uint32_t n)
{
	gaps_note(s->gaps, s->now_ns, n, pace_gap_ns(&s->pace, s->queue->submitted - n));
}

static enum sender_end send_all(struct sender *s)
{
	struct dxmit_queue *q = s->queue;

	while (!stopped(s) && q->submitted < s->count &&
	       !(s->replay && replay_ended(s->replay))) {
		int reclaimed = dxmit_reclaim(q);
		uint64_t down_before = q->down;
		uint32_t wanted = frames_wanted(s);
		uint32_t n = dxmit_reserve(q, wanted);
		enum sender_end end;
		int answer;

		if (reclaimed < 0)
			return end_with(s, SENDER_BROKEN, -reclaimed);
		if (n && (n = fill(s, n)) == 0)
			wanted = 0; /* the capture is slower than the queue */
		/* Lengths were checked before the start; going on without them
		 * would be a loop that sends nothing. */
		if (n && submit(s, n) < 0)
			return end_with(s, SENDER_BROKEN, EINVAL);
		answer = dxmit_kick(q);
		end = judge(s, answer, down_before);
		publish(s);
		if (n && s->gaps)
			note_gaps(s, n);
		if (end != SENDER_RUNNING)
			return end;
		if (n == 0)
			idle(s, wanted, answer);
	}
	return SENDER_DONE;
}

/* Has waiting for the last completions taken long enough? */
static bool drain_is_over(const struct sender *s, uint64_t begin_ns)
{
	bool hurry = atomic_load_explicit(&s->control->hurry, memory_order_relaxed);

	return clock_ns() - begin_ns > (hurry ? DRAIN_HURRY_NS : DRAIN_NS);
}

/*
 * Bring home what is in flight, within a deadline. Frames that then are still
 * out are stalled, unless a signal did not leave them the time.
 */
static enum sender_end drain(struct sender *s)
{
	struct dxmit_queue *q = s->queue;
	uint64_t begin_ns = clock_ns();

	while (q->in_flight) {
		int reclaimed = dxmit_reclaim(q);
		int answer;

		if (reclaimed < 0)
			return end_with(s, SENDER_BROKEN, -reclaimed);
		if (reclaimed == 0 && drain_is_over(s, begin_ns))
			break;
		answer = dxmit_kick(q);
		if (answer == -ENXIO || answer == -EINVAL)
			return end_with(s, SENDER_GONE, -answer);
		if (reclaimed == 0)
			sched_yield();
	}
	if (q->in_flight &&
	    !atomic_load_explicit(&s->control->hurry, memory_order_relaxed))
		return end_with(s, SENDER_STALLED, ETIMEDOUT);
	return SENDER_DONE;
}

enum sender_end sender_run(struct sender *s)
{
	enum sender_end end = send_all(s);
	uint64_t loop_end_ns = clock_ns();

	if (end == SENDER_DONE)
		end = drain(s);
	else if (end != SENDER_BROKEN)
		dxmit_reclaim(s->queue); /* what came with the last kick */
	s->end_ns = s->queue->in_flight ? loop_end_ns : clock_ns();
	publish(s);
	s->end = end;
	return end;
}
