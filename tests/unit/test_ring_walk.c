/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Guards the ownership of frames: a long random walk over the verbs and a
 * kernel that takes, publishes and completes as it likes, against a model that
 * only knows free, submitted and completed. No frame is ever in two states,
 * none is lost, and none is written while it is the kernel's.
 */
#include "fake_ring.h"

#include <errno.h>

#define STEPS 150000u /* for each shape; the sum must pass a million */
#define FRAMES_MAX 64u
#define FRAME 2048u

enum owner { FREE, SUBMITTED, COMPLETED };

struct model {
	struct fake f;
	uint64_t random;
	bool reorders;
	enum owner owner[FRAMES_MAX];
	uint32_t stamp[FRAMES_MAX];  /* what the frame was filled with last */
	uint32_t length[FRAMES_MAX]; /* submitted with */
	uint32_t next_stamp;
	uint32_t count[3];          /* frames by owner */
	uint32_t order[FRAMES_MAX]; /* ring: frames submitted, not taken */
	uint32_t order_head, order_tail;
	uint64_t reserved[FRAMES_MAX];
	uint32_t reserved_count;
	uint64_t submitted, completed;
};

static uint32_t random_below(struct model *m, uint32_t limit)
{
	m->random ^= m->random << 13;
	m->random ^= m->random >> 7;
	m->random ^= m->random << 17;
	return (uint32_t)(m->random >> 20) % limit;
}

static void pass_on(struct model *m, uint64_t addr, enum owner from, enum owner to)
{
	uint32_t frame = (uint32_t)(addr / FRAME);

	assert_true(frame < m->f.shape.frames);
	assert_int_equal(m->owner[frame], from);
	m->owner[frame] = to;
	m->count[from]--;
	m->count[to]++;
}

static void assert_reservation(struct model *m)
{
	uint32_t i, j;

	assert_int_equal(m->f.q.reserved, m->reserved_count);
	for (i = 0; i < m->reserved_count; i++) {
		uint64_t addr = dxmit_frame_addr(&m->f.q, i);

		assert_int_equal(addr, m->reserved[i]);
		assert_int_equal(m->owner[addr / FRAME], FREE);
		for (j = 0; j < i; j++)
			assert_int_not_equal(addr, m->reserved[j]);
	}
}

static void step_reserve(struct model *m)
{
	struct fake *f = &m->f;
	uint32_t wanted = random_below(m, f->shape.frames + 3);
	uint32_t used = f->tx_producer - f->tx_consumer;
	uint32_t expected = m->count[FREE];
	uint32_t i;

	/* What the published index leaves, or the frames in flight prove: the
	 * index may be more than a lap behind. */
	if (used > m->count[SUBMITTED] + m->count[COMPLETED])
		used = m->count[SUBMITTED] + m->count[COMPLETED];
	used = used < f->shape.ring ? used : f->shape.ring;
	expected = expected < wanted ? expected : wanted;
	expected = expected < f->shape.ring - used ? expected : f->shape.ring - used;
	m->reserved_count = dxmit_reserve(&f->q, wanted);
	assert_int_equal(m->reserved_count, expected);
	assert_true(expected <= f->shape.ring - fake_waiting(f));
	for (i = 0; i < m->reserved_count; i++) {
		m->reserved[i] = dxmit_frame_addr(&f->q, i);
		m->stamp[m->reserved[i] / FRAME] = ++m->next_stamp;
		memcpy(dxmit_frame(&f->q, i), &m->next_stamp, sizeof(m->next_stamp));
	}
	assert_reservation(m);
}

static void step_submit(struct model *m)
{
	uint32_t lengths[FRAMES_MAX + 1];
	uint32_t n = random_below(m, m->reserved_count + 2);
	uint32_t length = random_below(m, 8) ? 60 : 61;
	bool each = random_below(m, 12) == 0;
	int answer;
	uint32_t i;

	for (i = 0; i < n; i++)
		lengths[i] = each ? 60 + random_below(m, 5) : length;
	answer = each ? dxmit_submit_lengths(&m->f.q, n, lengths)
		      : dxmit_submit(&m->f.q, n, length);
	if (n > m->reserved_count) {
		assert_int_equal(answer, -ENOSPC);
		assert_reservation(m);
		return;
	}
	assert_int_equal(answer, 0);
	for (i = 0; i < n; i++) {
		uint32_t frame = (uint32_t)(m->reserved[i] / FRAME);

		pass_on(m, m->reserved[i], FREE, SUBMITTED);
		m->length[frame] = lengths[i];
		m->order[m->order_tail++ % FRAMES_MAX] = frame;
	}
	m->submitted += n;
	m->reserved_count = 0;
}

/* The kernel takes some, and may or may not say so. */
static void step_take(struct model *m)
{
	uint32_t n = random_below(m, fake_waiting(&m->f) + 1);

	while (n--) {
		const struct xdp_desc *desc = fake_next_desc(&m->f);
		uint32_t frame = m->order[m->order_head++ % FRAMES_MAX];

		assert_int_equal(desc->addr, (uint64_t)frame * FRAME);
		assert_int_equal(desc->len, m->length[frame]);
		fake_take(&m->f);
	}
	if (fake_waiting(&m->f) == 0 || random_below(m, 2))
		fake_publish(&m->f);
}

static void step_complete(struct model *m)
{
	uint32_t n = random_below(m, m->f.held_count + 1);

	while (n--) {
		bool later = m->reorders && random_below(m, 50) == 0;
		uint64_t addr = fake_complete(
			&m->f, later ? random_below(m, m->f.held_count) : 0);

		/* Until now nobody has written to it. */
		assert_memory_equal(m->f.q.umem + addr, &m->stamp[addr / FRAME], 4);
		pass_on(m, addr, SUBMITTED, COMPLETED);
	}
}

static void step_reclaim(struct model *m)
{
	uint32_t frame, n = 0;

	assert_int_equal(dxmit_reclaim(&m->f.q), m->count[COMPLETED]);
	for (frame = 0; frame < m->f.shape.frames; frame++)
		if (m->owner[frame] == COMPLETED) {
			pass_on(m, (uint64_t)frame * FRAME, COMPLETED, FREE);
			n++;
		}
	m->completed += n;
	assert_int_equal(m->f.cq_consumer, m->f.cq_producer);
	assert_reservation(m);
}

/* The free list holds the free frames, each once. */
static void assert_free_list(const struct model *m)
{
	const struct dxmit_queue *q = &m->f.q;
	bool seen[FRAMES_MAX] = { false };
	uint32_t i;

	if (q->fixed_slots)
		return;
	assert_int_equal(q->free_tail - q->free_head, m->count[FREE]);
	for (i = q->free_head; i != q->free_tail; i++) {
		uint32_t frame = (uint32_t)(q->free_addrs[i & q->free_mask] / FRAME);

		assert_int_equal(m->owner[frame], FREE);
		assert_false(seen[frame]);
		seen[frame] = true;
	}
}

static void assert_counts(const struct model *m)
{
	const struct dxmit_queue *q = &m->f.q;

	assert_int_equal(q->in_flight, m->count[SUBMITTED] + m->count[COMPLETED]);
	assert_true(q->submitted == m->submitted);
	assert_true(q->completed == m->completed);
	assert_true(q->submitted - q->completed == q->in_flight);
	assert_int_equal(q->tx_position, m->f.tx_producer);
	assert_int_equal(q->tx_position - m->f.shape.start, (uint32_t)m->submitted);
}

static void walk(struct fake_shape shape, bool reorders, uint32_t seed)
{
	static void (*const steps[])(struct model *) = {
		step_reserve, step_submit, step_take, step_complete, step_reclaim,
	};
	struct model m = { .random = 0x9e3779b97f4a7c15ull * (seed + 1),
			   .reorders = reorders };
	uint32_t i;

	fake_open(&m.f, shape);
	m.count[FREE] = shape.frames;
	for (i = 0; i < STEPS; i++) {
		steps[random_below(&m, 5)](&m);
		assert_counts(&m);
		if (i % 16 == 0)
			assert_free_list(&m);
	}
	/* The walk went somewhere, past the wrap of the positions. */
	assert_true(m.completed > 2000);
	assert_true(shape.start + (uint32_t)m.completed < shape.start);
	assert_int_equal(m.f.q.fixed_slots, shape.fixed && !reorders);
	fake_close(&m.f);
}

static void frames_have_one_owner(void **state)
{
	static const struct {
		struct fake_shape shape;
		bool reorders;
	} walks[] = {
		{ { 1, 1, 1, FRAME, 1, UINT32_MAX - 1000 }, false },
		{ { 8, 8, 8, FRAME, 1, UINT32_MAX - 9000 }, false },
		{ { 64, 64, 64, FRAME, 1, UINT32_MAX - 9000 }, false },
		{ { 64, 64, 64, FRAME, 1, UINT32_MAX - 9000 }, true },
		{ { 8, 16, 8, FRAME, 1, UINT32_MAX - 10 }, true },
		{ { 8, 8, 8, FRAME, 0, UINT32_MAX - 9000 }, false },
		{ { 8, 8, 5, FRAME, 0, UINT32_MAX - 9000 }, true },
		{ { 64, 64, 3, FRAME, 0, UINT32_MAX - 10 }, true },
		{ { 8, 64, 37, FRAME, 0, UINT32_MAX - 9000 }, true },
		{ { 1, 8, 7, FRAME, 0, UINT32_MAX - 1000 }, true },
	};
	uint32_t i;

	(void)state;
	assert_true(sizeof(walks) / sizeof(walks[0]) * STEPS >= 1000000);
	for (i = 0; i < sizeof(walks) / sizeof(walks[0]); i++)
		walk(walks[i].shape, walks[i].reorders, i);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(frames_have_one_owner),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("ring walk", tests, NULL, NULL);
}
