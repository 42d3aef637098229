/* SPDX-License-Identifier: BSD-2-Clause */
/* Machines, interfaces and wishes the tests of the plan share. */
#ifndef TESTS_PLAN_MACHINE_H
#define TESTS_PLAN_MACHINE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <dxmit/dxmit.h>

static inline struct dxmit_topology *machine(const char *source)
{
	struct dxmit_topology *topology;

	assert_int_equal(dxmit_topology_load(source, &topology, NULL), 0);
	return topology;
}

static inline struct dxmit_nic nic_on(int32_t node, uint32_t tx_queues)
{
	struct dxmit_nic nic = {
		.name = "nic0",
		.ifindex = 7,
		.node = node,
		.tx_queues = tx_queues,
		.rx_queues = tx_queues,
		.tx_queues_max = 64,
		.rx_queues_max = 64,
	};

	return nic;
}

static inline struct dxmit_wishes no_wishes(void)
{
	struct dxmit_wishes wishes = { .size = sizeof(wishes) };

	return wishes;
}

static inline struct dxmit_plan *plan_for(const struct dxmit_nic *nic,
					  const struct dxmit_topology *topology,
					  const struct dxmit_wishes *wishes)
{
	struct dxmit_plan *plan;

	assert_int_equal(dxmit_plan_make(nic, topology, wishes, &plan, NULL), 0);
	assert_non_null(plan);
	return plan;
}

/* Assert the CPUs of a plan in queue order. */
static inline void expect_cpus(const struct dxmit_plan *plan, const uint32_t *cpus,
			       size_t n)
{
	size_t i;

	assert_int_equal(plan->queues, n);
	for (i = 0; i < n; i++)
		assert_int_equal(plan->queue[i].cpu, cpus[i]);
}
#define EXPECT_CPUS(plan, ...)                               \
	expect_cpus(plan, (const uint32_t[]){ __VA_ARGS__ }, \
		    sizeof((const uint32_t[]){ __VA_ARGS__ }) / sizeof(uint32_t))

#endif
