/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What every plan must keep: refusals, sizes and sums, wishes about CPUs, and
 * then random machines against the rules of placement themselves.
 */
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "plan_machine.h"

/* ---- refusals and sums ------------------------------------------------ */

static void bad_queues(void **state)
{
	struct dxmit_topology *topology = machine("core:2 pu:1");
	static const uint32_t beyond[] = { 0, 3 }, twice[] = { 1, 0, 1 },
			      some[] = { 2, 0 };
	struct dxmit_nic nic = nic_on(0, 3);
	struct dxmit_wishes wishes = no_wishes();
	struct dxmit_error error;
	struct dxmit_plan *plan;

	(void)state;
	nic.rx_queues = 4; /* queue 3 can only receive */
	wishes.queues = beyond;
	wishes.queues_count = 2;
	assert_int_equal(dxmit_plan_make(&nic, topology, &wishes, &plan, &error), -ENXIO);
	assert_int_equal(error.stage, DXMIT_STAGE_QUEUE);
	assert_int_equal(error.value, 3);
	assert_int_equal(error.limit, 3);
	assert_int_equal(error.extra, 64);
	assert_string_equal(error.object, "nic0");

	wishes.queues = twice;
	wishes.queues_count = 3;
	assert_int_equal(dxmit_plan_make(&nic, topology, &wishes, &plan, &error),
			 -EINVAL);
	assert_int_equal(error.value, 1);
	wishes.queues_count = 0;
	assert_int_equal(dxmit_plan_make(&nic, topology, &wishes, &plan, &error),
			 -EINVAL);

	wishes.queues = some;
	wishes.queues_count = 2;
	plan = plan_for(&nic, topology, &wishes);
	assert_int_equal(plan->queue[0].queue, 2);
	assert_int_equal(plan->queue[1].queue, 0);
	dxmit_plan_free(&plan);

	nic.tx_queues = 0;
	wishes = no_wishes();
	assert_int_equal(dxmit_plan_make(&nic, topology, &wishes, &plan, &error), -ENXIO);
	dxmit_topology_free(&topology);
}

/* The plan and dxmit_queue_open() must agree on what is a legal size. */
static void sizes_agree_with_queue(void **state)
{
	static const uint32_t value[] = {
		0,          1,        2,        3,       31,       64,
		1000,       1024,     2047,     2048,    3000,     4096,
		8192,       1u << 20, 1u << 21, 4194304, 1u << 24, (1u << 24) + 1,
		UINT32_MAX,
	};
	struct dxmit_topology *topology = machine("core:1 pu:1");
	struct dxmit_nic nic = nic_on(0, 1);
	struct dxmit_queue_options options = { .size = sizeof(options), .ifindex = 7 };
	struct dxmit_wishes wishes = no_wishes();
	struct dxmit_plan *plan;
	size_t i, field;
	int legal = 0;

	(void)state;
	for (field = 0; field < 3; field++) {
		for (i = 0; i < sizeof(value) / sizeof(value[0]); i++) {
			int err;

			wishes.ring_size = options.ring_size = field == 0 ? value[i] : 0;
			wishes.frames = options.frames = field == 1 ? value[i] : 0;
			wishes.frame_size = options.frame_size =
				field == 2 ? value[i] : 0;
			err = dxmit_plan_make(&nic, topology, &wishes, &plan, NULL);
			if (dxmit_queue_locked_bytes(&options) == 0) {
				assert_int_equal(err, -EINVAL);
				continue;
			}
			assert_int_equal(err, 0);
			assert_int_equal(plan->umem_bytes,
					 (uint64_t)plan->queue[0].frames *
						 plan->queue[0].frame_size);
			dxmit_plan_free(&plan);
			legal++;
		}
	}
	assert_true(legal > 10 && legal < 50);
	dxmit_topology_free(&topology);
}

static void default_sizes_and_totals(void **state)
{
	struct dxmit_topology *topology = machine("core:4 pu:1");
	struct dxmit_nic nic = nic_on(0, 2);
	struct dxmit_wishes wishes = no_wishes();
	struct dxmit_plan *plan = plan_for(&nic, topology, &wishes);

	(void)state;
	assert_int_equal(plan->queue[0].ring_size, 512);
	assert_int_equal(plan->queue[0].frames, 512);
	assert_int_equal(plan->queue[0].frame_size, 2048);
	assert_int_equal(plan->queue[0].umem_bytes, 1048576);
	/* 1 MiB + 512 * (16 + 8 + 8) + 2 pages */
	assert_int_equal(plan->queue[0].resident_bytes, 1048576 + 16384 + 8192);
	assert_int_equal(plan->umem_bytes, 2 * 1048576);
	assert_int_equal(plan->resident_bytes, 2 * (1048576 + 16384 + 8192));
	dxmit_plan_free(&plan);

	wishes.ring_size = 64;
	wishes.frames = 100; /* completion ring and free list: 128 */
	wishes.frame_size = 4096;
	plan = plan_for(&nic, topology, &wishes);
	assert_int_equal(plan->queue[0].resident_bytes,
			 409600 + 64 * 16 + 4096 + 128 * 8 + 4096 + 128 * 8);
	dxmit_plan_free(&plan);

	/* Frames of three chunks: three completions each. */
	wishes.frames = 20;
	wishes.max_length = 9014;
	wishes.multi_buffer = 1;
	plan = plan_for(&nic, topology, &wishes);
	assert_int_equal(plan->queue[0].frame_room, 16384);
	assert_int_equal(plan->queue[0].resident_bytes,
			 20 * 16384 + 64 * 16 + 4096 + 64 * 8 + 4096 + 32 * 8);
	dxmit_plan_free(&plan);
	wishes.frames = 0;
	plan = plan_for(&nic, topology, &wishes);
	assert_int_equal(plan->queue[0].frames, 21);
	dxmit_plan_free(&plan);
	dxmit_topology_free(&topology);
}

static void counts_split(void **state)
{
	static const uint64_t count[] = {
		0, 1, 2, 3, 5, 63, 64, 65, 1000003, UINT64_MAX
	};
	struct dxmit_topology *topology = machine("core:4 pu:1");
	struct dxmit_wishes wishes = no_wishes();
	struct dxmit_plan *plan;
	uint32_t queues;
	size_t c, i;

	(void)state;
	for (queues = 1; queues <= 7; queues++) {
		struct dxmit_nic nic = nic_on(0, queues);

		for (c = 0; c < sizeof(count) / sizeof(count[0]); c++) {
			wishes.count = count[c];
			plan = plan_for(&nic, topology, &wishes);
			for (i = 0; i < queues; i++) {
				/* packets 0 … n-1 with packet % queues == i */
				uint64_t own = count[c] > i
						       ? (count[c] - i - 1) / queues + 1
						       : 0;

				assert_true(plan->queue[i].count == own);
			}
			dxmit_plan_free(&plan);
		}
	}
	dxmit_topology_free(&topology);
}

static void bad_wishes(void **state)
{
	struct dxmit_topology *topology = machine("pack:2 numa:1 core:1 pu:1");
	struct dxmit_nic nic = nic_on(0, 1);
	struct {
		struct dxmit_wishes wishes;
		uint64_t later;
	} newer = { .later = 0 };
	struct dxmit_wishes wishes = no_wishes();
	struct dxmit_error error;
	struct dxmit_plan *plan;

	(void)state;
	wishes.numa = DXMIT_NUMA_NODE;
	wishes.node = 2;
	assert_int_equal(dxmit_plan_make(&nic, topology, &wishes, &plan, &error),
			 -ENODEV);
	assert_int_equal(error.value, 2);
	wishes.node = -1;
	assert_int_equal(dxmit_plan_make(&nic, topology, &wishes, &plan, &error),
			 -EINVAL);
	wishes.numa = (enum dxmit_numa)17;
	assert_int_equal(dxmit_plan_make(&nic, topology, &wishes, &plan, &error),
			 -EINVAL);
	wishes = no_wishes();
	wishes.size = 0;
	assert_int_equal(dxmit_plan_make(&nic, topology, &wishes, &plan, &error),
			 -EINVAL);
	assert_int_equal(dxmit_plan_make(&nic, topology, NULL, &plan, &error), -EINVAL);

	/* A caller built with a newer header is served unless it asks for more. */
	newer.wishes.size = sizeof(newer);
	plan = plan_for(&nic, topology, &newer.wishes);
	dxmit_plan_free(&plan);
	newer.later = 1;
	assert_int_equal(dxmit_plan_make(&nic, topology, &newer.wishes, &plan, &error),
			 -E2BIG);

	topology->cpu[0].allowed = topology->cpu[1].allowed = 0;
	wishes = no_wishes();
	assert_int_equal(dxmit_plan_make(&nic, topology, &wishes, &plan, &error),
			 -ENODEV);
	dxmit_topology_free(&topology);
}

static void reasons_have_text(void **state)
{
	int i, j;

	(void)state;
	for (i = 0; i <= DXMIT_REASON_SHARED; i++) {
		const char *text = dxmit_plan_reason((enum dxmit_reason)i);

		assert_true(strlen(text) > 8);
		for (j = 0; j < i; j++)
			assert_string_not_equal(text,
						dxmit_plan_reason((enum dxmit_reason)j));
	}
	assert_string_equal(dxmit_plan_reason((enum dxmit_reason)99), "unknown");
}

/* ---- wishes about CPUs ------------------------------------------------ */

static void explicit_cpus(void **state)
{
	struct dxmit_topology *topology = machine("pack:2 numa:1 core:2 pu:2");
	static const uint32_t cpus[] = { 7, 1, 0 };
	struct dxmit_nic nic = nic_on(0, 4);
	struct dxmit_wishes wishes = no_wishes();
	struct dxmit_plan *plan;
	size_t i;

	(void)state;
	wishes.cpus = cpus;
	wishes.cpus_count = 3;
	plan = plan_for(&nic, topology, &wishes);
	EXPECT_CPUS(plan, 7, 1, 0, 7);
	for (i = 0; i < 4; i++)
		assert_int_equal(plan->queue[i].reason, DXMIT_REASON_EXPLICIT);
	assert_true(plan->fewer_cpus_than_queues);
	assert_true(plan->queue[0].remote);
	assert_int_equal(plan->queue[0].memory_node, 0);
	assert_true(plan->queue[1].shares_core && !plan->queue[1].shares_cpu);
	dxmit_plan_free(&plan);

	wishes.numa = DXMIT_NUMA_ANY; /* memory goes with the CPU */
	plan = plan_for(&nic, topology, &wishes);
	assert_int_equal(plan->queue[0].memory_node, 1);
	assert_int_equal(plan->queue[1].memory_node, 0);
	dxmit_plan_free(&plan);

	wishes.cpus_count = 0;
	assert_int_equal(dxmit_plan_make(&nic, topology, &wishes, &plan, NULL), -EINVAL);
	dxmit_topology_free(&topology);
}

static void irq_cpus_last(void **state)
{
	struct dxmit_topology *topology = machine("pack:2 numa:1 core:3 pu:1");
	struct dxmit_nic nic = nic_on(0, 4);
	struct dxmit_wishes wishes = no_wishes();
	struct dxmit_plan *plan;

	(void)state;
	nic.irqs = 3;
	nic.irq[0] = (struct dxmit_irq){ .number = 30, .cpu = 0, .cpus = 1 };
	nic.irq[1] = (struct dxmit_irq){ .number = 31, .cpu = 3, .cpus = 1 };
	nic.irq[2] = (struct dxmit_irq){ .number = 32, .cpu = -1 };
	plan = plan_for(&nic, topology, &wishes);
	EXPECT_CPUS(plan, 0, 1, 2, 3);
	assert_true(plan->queue[0].serves_irq && plan->queue[3].serves_irq);
	assert_false(plan->queue[1].serves_irq);
	dxmit_plan_free(&plan);

	/* Last within the class: 0 stays before any remote core. */
	wishes.avoid_irq_cpus = 1;
	plan = plan_for(&nic, topology, &wishes);
	EXPECT_CPUS(plan, 1, 2, 0, 4);
	dxmit_plan_free(&plan);
	dxmit_topology_free(&topology);
}

/* ---- random machines -------------------------------------------------- */

static uint32_t next_random(uint64_t *state, uint32_t below)
{
	*state = *state * 6364136223846793005ull + 1442695040888963407ull;
	return (uint32_t)((*state >> 33) % below);
}

/* Is CPU c used by one of the first n queues? */
static bool used(const struct dxmit_plan *plan, size_t n, uint32_t cpu)
{
	size_t i;

	for (i = 0; i < n; i++)
		if (plan->queue[i].cpu == cpu)
			return true;
	return false;
}

static bool core_used(const struct dxmit_plan *plan, size_t n, uint32_t core)
{
	size_t i;

	for (i = 0; i < n; i++)
		if (plan->queue[i].core == core)
			return true;
	return false;
}

/* The rules for queue i, from its predecessors alone. */
static void check_choice(const struct dxmit_topology *topology,
			 const struct dxmit_plan *plan, size_t i, int32_t wanted)
{
	const struct dxmit_plan_queue *q = &plan->queue[i];
	const struct dxmit_cpu *cpu = dxmit_topology_cpu(topology, q->cpu);
	bool reused = used(plan, i, q->cpu);
	bool sibling = !reused && core_used(plan, i, q->core);
	size_t c;

	assert_non_null(cpu);
	assert_true(cpu->allowed);
	assert_int_equal(cpu->core, q->core);
	assert_int_equal(cpu->node, q->cpu_node);
	assert_int_equal(q->reason == DXMIT_REASON_SHARED, reused);
	for (c = 0; c < topology->cpus; c++) {
		const struct dxmit_cpu *other = &topology->cpu[c];

		if (!other->allowed || used(plan, i, other->id) || other->id == q->cpu)
			continue;
		/* `other` was free when this queue was placed. */
		assert_false(reused);
		if (wanted >= 0 && other->node == wanted)
			assert_int_equal(q->cpu_node, wanted);
		if (sibling && other->node == q->cpu_node)
			assert_true(core_used(plan, i, other->core));
	}
}

static void check_sums(const struct dxmit_plan *plan, uint64_t count)
{
	uint64_t packets = 0, ppb = 0, umem = 0, resident = 0;
	size_t i;

	for (i = 0; i < plan->queues; i++) {
		packets += plan->queue[i].count;
		ppb += plan->queue[i].rate_share_ppb;
		umem += plan->queue[i].umem_bytes;
		resident += plan->queue[i].resident_bytes;
		assert_true(plan->queue[0].count - plan->queue[i].count <= 1);
	}
	assert_int_equal(packets, count);
	assert_int_equal(ppb, 1000000000);
	assert_int_equal(umem, plan->umem_bytes);
	assert_int_equal(resident, plan->resident_bytes);
}

static void random_machine(uint64_t seed)
{
	uint64_t r = seed * 2654435761u + 1;
	uint32_t nodes = 1 + next_random(&r, 4);
	struct dxmit_topology *topology;
	struct dxmit_plan *plan, *again;
	struct dxmit_wishes wishes = no_wishes();
	struct dxmit_nic nic =
		nic_on((int32_t)next_random(&r, nodes + 1) - 1, 1 + next_random(&r, 40));
	int32_t wanted = nic.node;
	char description[64];
	size_t i, allowed = 0;

	snprintf(description, sizeof(description), "pack:%u numa:1 core:%u pu:%u", nodes,
		 1 + next_random(&r, 5), 1 + next_random(&r, 4));
	topology = machine(description);
	for (i = 0; i < topology->cpus; i++) {
		topology->cpu[i].allowed = next_random(&r, 4) != 0;
		allowed += topology->cpu[i].allowed;
	}
	topology->cpu[topology->cpus - 1].allowed |= allowed == 0;
	nic.irqs = next_random(&r, 5);
	for (i = 0; i < nic.irqs; i++)
		nic.irq[i].cpu =
			(int32_t)next_random(&r, (uint32_t)topology->cpus + 1) - 1;
	wishes.avoid_irq_cpus = (uint8_t)next_random(&r, 2);
	wishes.count = next_random(&r, 100000);
	wishes.numa = (enum dxmit_numa)next_random(&r, 3);
	wishes.node = (int32_t)next_random(&r, nodes);
	if (wishes.numa != DXMIT_NUMA_NIC)
		wanted = wishes.numa == DXMIT_NUMA_NODE ? wishes.node : -1;

	plan = plan_for(&nic, topology, &wishes);
	for (i = 0; i < plan->queues; i++)
		check_choice(topology, plan, i, wanted);
	check_sums(plan, wishes.count);
	again = plan_for(&nic, topology, &wishes);
	assert_memory_equal(plan->queue, again->queue,
			    plan->queues * sizeof(*plan->queue));
	dxmit_plan_free(&again);
	dxmit_plan_free(&plan);
	dxmit_topology_free(&topology);
}

static void random_machines_keep_the_rules(void **state)
{
	uint64_t seed;

	(void)state;
	for (seed = 1; seed <= 2000; seed++)
		random_machine(seed);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(bad_queues),
		cmocka_unit_test(sizes_agree_with_queue),
		cmocka_unit_test(default_sizes_and_totals),
		cmocka_unit_test(counts_split),
		cmocka_unit_test(bad_wishes),
		cmocka_unit_test(reasons_have_text),
		cmocka_unit_test(explicit_cpus),
		cmocka_unit_test(irq_cpus_last),
		cmocka_unit_test(random_machines_keep_the_rules),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("plan rules", tests, NULL, NULL);
}
