/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Placing queues: which CPU serves which queue, on which node its memory lies
 * and how the work is split. Reads nothing but its arguments.
 *
 * Order in which CPUs are given out when a node is wanted:
 *	1. one thread per physical core of that node, ascending CPU number
 *	2. the other threads of those cores, first every core's second, …
 *	3. one thread per core of the other nodes, node by node
 *	4. the other threads there
 * Siblings come before remote cores (2 before 3) on purpose. On the kernel's
 * transmit path a remote sender allocates its skbs on its own node and reaches
 * UMEM, transmit lock and doorbell across the interconnect, which every other
 * sender pays for too; a sibling costs only the one core it shares. It is the
 * rule of the field as well: the DPDK guides put lcores on the NIC's socket
 * first. Whoever measures otherwise on his machine lists the CPUs.
 *
 * When no node is wanted (ANY, or the NIC's is unknown) there is only one
 * class: one thread per core in order of CPU number, then the siblings.
 */
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <dxmit/plan.h>
#include <dxmit/settings.h>

#include "internal.h"

#define RING_HEADER_BYTES 4096 /* indexes, on a page of their own at most */
#define TX_DESC_BYTES 16       /* struct xdp_desc */
#define ADDRESS_BYTES 8        /* completion ring and free list entries */
#define PPB 1000000000ull

/* A CPU that may be given out, with its sort key. */
struct candidate {
	const struct dxmit_cpu *cpu;
	bool remote;   /* off the wanted node */
	uint32_t rank; /* n-th allowed thread of its core */
	bool avoided;  /* serves an interrupt and that is unwanted */
};

struct planner {
	const struct dxmit_nic *nic;
	const struct dxmit_topology *topology;
	struct dxmit_wishes wishes;
	struct dxmit_error *error;
	int32_t wanted_node; /* -1: no node is wanted */
	struct candidate *candidate;
	size_t candidates;
};

/* ---- checking the wishes ---------------------------------------------- */

static int refuse(const struct planner *planner, int code, const char *object,
		  uint64_t value, uint64_t limit)
{
	return dxmit_error_set(planner->error, DXMIT_STAGE_PLAN, code, object, value,
			       limit, 0);
}

static int refuse_option(const struct planner *planner, const char *object,
			 uint64_t value, uint64_t limit, uint64_t rule)
{
	return dxmit_error_set(planner->error, DXMIT_STAGE_OPTIONS, EINVAL, object, value,
			       limit, rule);
}

static int copy_wishes(struct planner *planner, const struct dxmit_wishes *from)
{
	struct dxmit_wishes *to = &planner->wishes;
	int err = dxmit_copy_in(to, sizeof(*to), from, sizeof(from->size));

	if (err)
		return dxmit_error_set(planner->error, DXMIT_STAGE_OPTIONS, -err,
				       "wishes", from ? from->size : 0, sizeof(*to), 0);
	if (!to->ring_size)
		to->ring_size = DXMIT_DEFAULT_RING;
	if (!to->frame_size)
		to->frame_size = DXMIT_DEFAULT_FRAME_SIZE;
	if (!to->frames)
		to->frames = default_frames(to->ring_size,
					    segments_of(to->max_length, to->frame_size));
	return 0;
}

/* As queue.c does: the longest frame against the chunks and the ring. */
static int check_segments(const struct planner *planner)
{
	const struct dxmit_wishes *w = &planner->wishes;
	uint32_t most = (w->multi_buffer ? DXMIT_MAX_SEGMENTS : 1) * w->frame_size;
	uint32_t segments = segments_of(w->max_length, w->frame_size);

	if (w->max_length > most)
		return refuse_option(planner, "max_length", w->max_length, most,
				     RULE_AT_MOST);
	if (w->ring_size < segments)
		return refuse_option(planner, "ring_size", w->ring_size, segments,
				     RULE_AT_LEAST);
	if (w->frames > DXMIT_MAX_FRAMES / segments)
		return refuse_option(planner, "frames", w->frames,
				     DXMIT_MAX_FRAMES / segments, RULE_AT_MOST);
	return 0;
}

static int check_sizes(const struct planner *planner)
{
	const struct dxmit_wishes *w = &planner->wishes;

	if (!is_power_of_two(w->ring_size) || w->ring_size > DXMIT_MAX_RING)
		return refuse_option(planner, "ring_size", w->ring_size, DXMIT_MAX_RING,
				     RULE_POWER_OF_TWO);
	if (w->frame_size != 2048 && w->frame_size != 4096)
		return refuse_option(planner, "frame_size", w->frame_size, 0,
				     RULE_FRAME_SIZE);
	return check_segments(planner);
}

static int check_queues(const struct planner *planner)
{
	const struct dxmit_wishes *w = &planner->wishes;
	const struct dxmit_nic *nic = planner->nic;
	size_t i, j;

	if (!w->queues) {
		if (nic->tx_queues == 0)
			return dxmit_error_set(planner->error, DXMIT_STAGE_QUEUE, ENXIO,
					       nic->name, 0, 0, nic->tx_queues_max);
		if (nic->tx_queues > DXMIT_MAX_QUEUES)
			return refuse(planner, EINVAL, "queues", nic->tx_queues,
				      DXMIT_MAX_QUEUES);
		return 0;
	}
	if (w->queues_count == 0 || w->queues_count > DXMIT_MAX_QUEUES)
		return refuse(planner, EINVAL, "queues", w->queues_count,
			      DXMIT_MAX_QUEUES);
	for (i = 0; i < w->queues_count; i++) {
		if (w->queues[i] >= nic->tx_queues)
			return dxmit_error_set(planner->error, DXMIT_STAGE_QUEUE, ENXIO,
					       nic->name, w->queues[i], nic->tx_queues,
					       nic->tx_queues_max);
		for (j = 0; j < i; j++)
			if (w->queues[j] == w->queues[i])
				return refuse(planner, EINVAL, "queues", w->queues[i], 0);
	}
	return 0;
}

static int check_cpus(const struct planner *planner)
{
	const struct dxmit_wishes *w = &planner->wishes;
	size_t i;

	if (w->cpus && w->cpus_count == 0)
		return refuse(planner, EINVAL, "cpus", 0, planner->topology->cpus);
	for (i = 0; w->cpus && i < w->cpus_count; i++) {
		const struct dxmit_cpu *cpu =
			dxmit_topology_cpu(planner->topology, w->cpus[i]);

		if (!cpu || !cpu->allowed)
			return refuse(planner, ENODEV, "cpus", w->cpus[i],
				      planner->topology->cpus);
	}
	return 0;
}

/* ---- nodes ------------------------------------------------------------ */

static const struct dxmit_node *find_node(const struct dxmit_topology *topology,
					  int32_t id)
{
	size_t i;

	for (i = 0; id >= 0 && i < topology->nodes; i++)
		if (topology->node[i].id == id)
			return &topology->node[i];
	return NULL;
}

static bool memory_allowed(const struct dxmit_topology *topology, int32_t id)
{
	const struct dxmit_node *node = find_node(topology, id);

	return node && node->allowed;
}

/* Settle the wanted node and the plan's remarks about nodes. */
static int choose_node(struct planner *planner, struct dxmit_plan *plan)
{
	const struct dxmit_topology *topology = planner->topology;
	const struct dxmit_wishes *w = &planner->wishes;

	/* A node the topology does not know says nothing (a saved topology, or
	 * firmware that counts differently). */
	plan->nic_node =
		find_node(topology, planner->nic->node) ? planner->nic->node : -1;
	plan->nic_node_unknown = plan->nic_node < 0 && topology->nodes > 1;
	switch (w->numa) {
	case DXMIT_NUMA_NIC:
		planner->wanted_node = plan->nic_node;
		return 0;
	case DXMIT_NUMA_NODE:
		if (w->node < 0)
			return refuse(planner, EINVAL, "node", (uint64_t)(int64_t)w->node,
				      topology->nodes);
		if (!memory_allowed(topology, w->node))
			return refuse(planner, ENODEV, "node", (uint64_t)w->node,
				      topology->nodes);
		planner->wanted_node = w->node;
		return 0;
	case DXMIT_NUMA_ANY:
		planner->wanted_node = -1;
		return 0;
	}
	return refuse(planner, EINVAL, "numa", (uint64_t)w->numa, DXMIT_NUMA_ANY);
}

static int32_t memory_node(const struct planner *planner, int32_t cpu_node)
{
	if (memory_allowed(planner->topology, planner->wanted_node))
		return planner->wanted_node;
	return memory_allowed(planner->topology, cpu_node) ? cpu_node : -1;
}

/* ---- CPUs ------------------------------------------------------------- */

static bool serves_irq(const struct dxmit_nic *nic, uint32_t cpu)
{
	uint32_t i;

	for (i = 0; i < nic->irqs && i < DXMIT_MAX_IRQS; i++)
		if (nic->irq[i].cpu >= 0 && (uint32_t)nic->irq[i].cpu == cpu)
			return true;
	return false;
}

static int compare_candidates(const void *a, const void *b)
{
	const struct candidate *x = a, *y = b;

	if (x->remote != y->remote)
		return x->remote - y->remote;
	if (x->rank != y->rank)
		return x->rank < y->rank ? -1 : 1;
	if (x->avoided != y->avoided)
		return x->avoided - y->avoided;
	if (x->remote && x->cpu->node != y->cpu->node)
		return x->cpu->node < y->cpu->node ? -1 : 1;
	return x->cpu->id < y->cpu->id ? -1 : x->cpu->id > y->cpu->id;
}

/* List the allowed CPUs in the order described at the top. */
static int rank_cpus(struct planner *planner, struct dxmit_plan *plan)
{
	const struct dxmit_topology *topology = planner->topology;
	uint32_t *threads = calloc((size_t)topology->cores + 1, sizeof(*threads));
	bool on_node = false;
	size_t i;

	planner->candidate = calloc(topology->cpus + 1, sizeof(*planner->candidate));
	if (!threads || !planner->candidate) {
		free(threads);
		return refuse(planner, ENOMEM, "plan", topology->cpus, 0);
	}
	/* cpu[] is ordered by number, so ranks follow the numbers. */
	for (i = 0; i < topology->cpus; i++) {
		const struct dxmit_cpu *cpu = &topology->cpu[i];
		struct candidate *c = &planner->candidate[planner->candidates];

		if (!cpu->allowed || cpu->core >= topology->cores)
			continue;
		c->cpu = cpu;
		c->rank = threads[cpu->core]++;
		c->remote =
			planner->wanted_node >= 0 && cpu->node != planner->wanted_node;
		c->avoided = planner->wishes.avoid_irq_cpus &&
			     serves_irq(planner->nic, cpu->id);
		on_node |= !c->remote;
		planner->candidates++;
	}
	free(threads);
	if (planner->candidates == 0)
		return refuse(planner, ENODEV, "cpus", 0, topology->cpus);
	qsort(planner->candidate, planner->candidates, sizeof(*planner->candidate),
	      compare_candidates);
	plan->cpus_allowed = (uint32_t)planner->candidates;
	plan->node_without_cpus = planner->wanted_node >= 0 && !on_node;
	return 0;
}

static enum dxmit_reason reason_of(const struct planner *planner,
				   const struct candidate *c)
{
	bool smt = c->rank > 0;

	if (planner->wanted_node < 0)
		return smt ? DXMIT_REASON_ANY_SMT : DXMIT_REASON_ANY_CORE;
	if (c->remote)
		return smt ? DXMIT_REASON_REMOTE_SMT : DXMIT_REASON_REMOTE_CORE;
	if (planner->wishes.numa == DXMIT_NUMA_NODE)
		return smt ? DXMIT_REASON_WISHED_NODE_SMT : DXMIT_REASON_WISHED_NODE;
	return smt ? DXMIT_REASON_NIC_NODE_SMT : DXMIT_REASON_NIC_NODE;
}

/* The CPU of the i-th queue, and why. */
static const struct dxmit_cpu *choose_cpu(const struct planner *planner, size_t i,
					  enum dxmit_reason *reason)
{
	const struct dxmit_wishes *w = &planner->wishes;
	const struct candidate *c;

	if (w->cpus) {
		*reason = DXMIT_REASON_EXPLICIT;
		return dxmit_topology_cpu(planner->topology, w->cpus[i % w->cpus_count]);
	}
	c = &planner->candidate[i % planner->candidates];
	*reason = i < planner->candidates ? reason_of(planner, c) : DXMIT_REASON_SHARED;
	return c->cpu;
}

/* ---- the plan --------------------------------------------------------- */

static bool off_node(int32_t node, int32_t nic_node)
{
	return node >= 0 && nic_node >= 0 && node != nic_node;
}

/* The i-th of `parts` shares: the remainder goes to the first ones, so that
 * packet k * parts + i belongs to queue i. */
static uint64_t share(uint64_t whole, size_t parts, size_t i)
{
	return whole / parts + (i < whole % parts);
}

static void place_queue(const struct planner *planner, const struct dxmit_plan *plan,
			size_t i, struct dxmit_plan_queue *q)
{
	const struct dxmit_wishes *w = &planner->wishes;
	const struct dxmit_cpu *cpu = choose_cpu(planner, i, &q->reason);
	uint32_t segments = segments_of(w->max_length, w->frame_size);
	uint64_t addresses = power_of_two_from(w->frames);
	uint64_t completions = power_of_two_from(w->frames * segments);

	q->queue = w->queues ? w->queues[i] : (uint32_t)i;
	q->cpu = cpu->id;
	q->core = cpu->core;
	q->cpu_node = cpu->node;
	q->memory_node = memory_node(planner, cpu->node);
	q->remote = off_node(q->cpu_node, plan->nic_node) ||
		    off_node(q->memory_node, plan->nic_node);
	q->serves_irq = serves_irq(planner->nic, cpu->id);
	q->ring_size = w->ring_size;
	q->frames = w->frames;
	q->frame_size = w->frame_size;
	q->frame_room = frame_room(w->max_length, w->frame_size);
	q->umem_bytes = umem_bytes(w->frames, q->frame_room, w->frame_size);
	q->resident_bytes = q->umem_bytes + (uint64_t)w->ring_size * TX_DESC_BYTES +
			    RING_HEADER_BYTES + completions * ADDRESS_BYTES +
			    RING_HEADER_BYTES +        /* completion ring */
			    addresses * ADDRESS_BYTES; /* free list */
	q->count = share(w->count, plan->queues, i);
	q->rate_share_ppb = share(PPB, plan->queues, i);
}

/* Who shares a CPU or a core with whom, and the totals. */
static void sum_up(struct dxmit_plan *plan)
{
	size_t i, j;

	for (i = 0; i < plan->queues; i++) {
		struct dxmit_plan_queue *q = &plan->queue[i];
		bool first = true;

		for (j = 0; j < plan->queues; j++) {
			const struct dxmit_plan_queue *other = &plan->queue[j];

			if (j == i || other->core != q->core)
				continue;
			if (other->cpu != q->cpu)
				q->shares_core = 1;
			else
				q->shares_cpu = 1;
			if (other->cpu == q->cpu && j < i)
				first = false;
		}
		plan->cpus_used += first;
		plan->umem_bytes += q->umem_bytes;
		plan->resident_bytes += q->resident_bytes;
	}
}

static int build(struct planner *planner, struct dxmit_plan *plan)
{
	const struct dxmit_wishes *w = &planner->wishes;
	size_t i, cpus;
	int err;

	err = choose_node(planner, plan);
	if (!err)
		err = rank_cpus(planner, plan);
	if (err)
		return err;
	plan->queues = w->queues ? w->queues_count : planner->nic->tx_queues;
	plan->queue = calloc(plan->queues, sizeof(*plan->queue));
	if (!plan->queue)
		return refuse(planner, ENOMEM, "plan", plan->queues, 0);
	for (i = 0; i < plan->queues; i++)
		place_queue(planner, plan, i, &plan->queue[i]);
	sum_up(plan);
	cpus = w->cpus ? w->cpus_count : planner->candidates;
	plan->fewer_cpus_than_queues = cpus < plan->queues;
	snprintf(plan->interface_name, sizeof(plan->interface_name), "%.15s",
		 planner->nic->name);
	return 0;
}

int dxmit_plan_make(const struct dxmit_nic *nic, const struct dxmit_topology *topology,
		    const struct dxmit_wishes *wishes, struct dxmit_plan **out,
		    struct dxmit_error *error)
{
	struct planner planner = { .nic = nic, .topology = topology, .error = error };
	int err;

	*out = NULL;
	err = copy_wishes(&planner, wishes);
	if (!err)
		err = check_sizes(&planner);
	if (!err)
		err = check_queues(&planner);
	if (!err)
		err = check_cpus(&planner);
	if (err)
		return err;
	*out = calloc(1, sizeof(**out));
	err = *out ? build(&planner, *out) : refuse(&planner, ENOMEM, "plan", 0, 0);
	free(planner.candidate);
	if (err)
		dxmit_plan_free(out);
	return err;
}

void dxmit_plan_free(struct dxmit_plan **plan)
{
	if (!plan || !*plan)
		return;
	free((*plan)->queue);
	free(*plan);
	*plan = NULL;
}

const char *dxmit_plan_reason(enum dxmit_reason reason)
{
	static const char *const text[] = {
		[DXMIT_REASON_EXPLICIT] = "listed by the user",
		[DXMIT_REASON_NIC_NODE] = "free core on the NIC's node",
		[DXMIT_REASON_NIC_NODE_SMT] = "sibling thread on the NIC's node",
		[DXMIT_REASON_WISHED_NODE] = "free core on the node asked for",
		[DXMIT_REASON_WISHED_NODE_SMT] = "sibling thread on the node asked for",
		[DXMIT_REASON_ANY_CORE] = "free core",
		[DXMIT_REASON_ANY_SMT] = "sibling thread, every core is taken",
		[DXMIT_REASON_REMOTE_CORE] =
			"core on another node, the wanted one is full",
		[DXMIT_REASON_REMOTE_SMT] = "sibling thread on another node",
		[DXMIT_REASON_SHARED] = "shared, every allowed CPU has a queue already",
	};

	if ((unsigned int)reason >= sizeof(text) / sizeof(text[0]))
		return "unknown";
	return text[reason];
}
