/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The plan on machines nobody has to own: synthetic descriptions, small hwloc
 * files and plain structs, each with the placement a person would choose.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "plan_machine.h"

/* ---- machines as hwloc files ------------------------------------------ */

/* One hardware thread of a machine to be written as hwloc XML. Threads of one
 * core follow each other, and so do the cores of one node. */
struct thread {
	int node, core, cpu;
};

static uint64_t cpu_mask(const struct thread *t, size_t n, int node, int core)
{
	uint64_t mask = 0;
	size_t i;

	for (i = 0; i < n; i++)
		if ((node < 0 || t[i].node == node) && (core < 0 || t[i].core == core))
			mask |= 1ull << t[i].cpu;
	return mask;
}

static void put_object(FILE *f, const char *type, int index, uint64_t cpus,
		       uint64_t nodes, const char *end)
{
	static unsigned int gp_index;

	fprintf(f,
		"<object type=\"%s\" os_index=\"%d\" gp_index=\"%u\" "
		"cpuset=\"0x%08x,0x%08x\" complete_cpuset=\"0x%08x,0x%08x\" "
		"nodeset=\"0x%08x\" complete_nodeset=\"0x%08x\"%s",
		type, index, ++gp_index, (uint32_t)(cpus >> 32), (uint32_t)cpus,
		(uint32_t)(cpus >> 32), (uint32_t)cpus, (uint32_t)nodes, (uint32_t)nodes,
		end);
}

static void put_node_objects(FILE *f, const struct thread *t, size_t n, int node)
{
	uint64_t here = 1ull << node;
	int core = -1;
	size_t i;

	put_object(f, "Package", node, cpu_mask(t, n, node, -1), here, ">\n");
	put_object(f, "NUMANode", node, cpu_mask(t, n, node, -1), here,
		   " local_memory=\"1073741824\"/>\n");
	for (i = 0; i < n; i++) {
		if (t[i].node != node)
			continue;
		if (t[i].core != core) {
			if (core >= 0)
				fputs("</object>\n", f);
			core = t[i].core;
			put_object(f, "Core", core, cpu_mask(t, n, node, core), here,
				   ">\n");
		}
		put_object(f, "PU", t[i].cpu, 1ull << t[i].cpu, here, "/>\n");
	}
	fputs("</object>\n</object>\n", f);
}

/* Nodes 0 … nodes - 1; one without threads becomes a memory-only node. */
static struct dxmit_topology *xml_machine(const struct thread *t, size_t n, int nodes,
					  uint64_t allowed)
{
	char path[] = "/tmp/dxmit-plan-XXXXXX";
	struct dxmit_topology *topology;
	uint64_t all_nodes = (1ull << nodes) - 1;
	char attributes[128];
	int node, fd = mkstemp(path);
	FILE *f;

	assert_true(fd >= 0);
	f = fdopen(fd, "w");
	assert_non_null(f);
	fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
	      "<!DOCTYPE topology SYSTEM \"hwloc2.dtd\">\n<topology version=\"2.0\">\n",
	      f);
	snprintf(attributes, sizeof(attributes),
		 " allowed_cpuset=\"0x%08x,0x%08x\" "
		 "allowed_nodeset=\"0x%08x\">\n",
		 (uint32_t)(allowed >> 32), (uint32_t)allowed, (uint32_t)all_nodes);
	put_object(f, "Machine", 0, cpu_mask(t, n, -1, -1), all_nodes, attributes);
	for (node = 0; node < nodes; node++)
		if (!cpu_mask(t, n, node, -1))
			put_object(f, "NUMANode", node, 0, 1ull << node,
				   " local_memory=\"1073741824\"/>\n");
	for (node = 0; node < nodes; node++)
		if (cpu_mask(t, n, node, -1))
			put_node_objects(f, t, n, node);
	fputs("</object>\n</topology>\n", f);
	assert_int_equal(fclose(f), 0);
	topology = machine(path);
	unlink(path);
	return topology;
}

/* ---- named machines --------------------------------------------------- */

static void two_nodes_nic_on_second(void **state)
{
	struct dxmit_topology *topology = machine("pack:2 numa:1 core:4 pu:1");
	struct dxmit_nic nic = nic_on(1, 6);
	struct dxmit_wishes wishes = no_wishes();
	struct dxmit_plan *plan = plan_for(&nic, topology, &wishes);
	size_t i;

	(void)state;
	EXPECT_CPUS(plan, 4, 5, 6, 7, 0, 1);
	for (i = 0; i < 6; i++) {
		assert_int_equal(plan->queue[i].memory_node, 1);
		assert_int_equal(plan->queue[i].remote, i >= 4);
		assert_int_equal(plan->queue[i].reason, i < 4 ? DXMIT_REASON_NIC_NODE
							      : DXMIT_REASON_REMOTE_CORE);
	}
	assert_int_equal(plan->nic_node, 1);
	assert_int_equal(plan->cpus_used, 6);
	assert_int_equal(plan->cpus_allowed, 8);
	assert_false(plan->nic_node_unknown || plan->fewer_cpus_than_queues);
	assert_string_equal(plan->interface_name, "nic0");
	dxmit_plan_free(&plan);
	assert_null(plan);
	dxmit_plan_free(&plan);
	dxmit_topology_free(&topology);
}

static void eight_nodes(void **state)
{
	struct dxmit_topology *topology = machine("pack:8 numa:1 core:2 pu:1");
	struct dxmit_nic nic = nic_on(5, 6);
	struct dxmit_wishes wishes = no_wishes();
	struct dxmit_plan *plan = plan_for(&nic, topology, &wishes);

	(void)state;
	/* Node 5, then the others from node 0 up. */
	EXPECT_CPUS(plan, 10, 11, 0, 1, 2, 3);
	dxmit_plan_free(&plan);

	wishes.numa = DXMIT_NUMA_NODE;
	wishes.node = 2;
	plan = plan_for(&nic, topology, &wishes);
	EXPECT_CPUS(plan, 4, 5, 0, 1, 2, 3);
	assert_int_equal(plan->queue[0].reason, DXMIT_REASON_WISHED_NODE);
	assert_int_equal(plan->queue[0].memory_node, 2);
	assert_true(plan->queue[0].remote); /* off the NIC's node 5 */
	dxmit_plan_free(&plan);
	dxmit_topology_free(&topology);
}

/* Local siblings come before remote cores: the rule stated in plan.c. */
static void smt2_siblings_before_remote_cores(void **state)
{
	struct dxmit_topology *topology = machine("pack:2 numa:1 core:2 pu:2");
	struct dxmit_nic nic = nic_on(0, 8);
	struct dxmit_wishes wishes = no_wishes();
	struct dxmit_plan *plan = plan_for(&nic, topology, &wishes);

	(void)state;
	EXPECT_CPUS(plan, 0, 2, 1, 3, 4, 6, 5, 7);
	assert_int_equal(plan->queue[1].reason, DXMIT_REASON_NIC_NODE);
	assert_int_equal(plan->queue[2].reason, DXMIT_REASON_NIC_NODE_SMT);
	assert_int_equal(plan->queue[4].reason, DXMIT_REASON_REMOTE_CORE);
	assert_int_equal(plan->queue[6].reason, DXMIT_REASON_REMOTE_SMT);
	assert_true(plan->queue[0].shares_core);
	assert_false(plan->queue[0].shares_cpu);
	dxmit_plan_free(&plan);

	nic.tx_queues = 2;
	plan = plan_for(&nic, topology, &wishes);
	assert_false(plan->queue[0].shares_core || plan->queue[1].shares_core);
	dxmit_plan_free(&plan);
	dxmit_topology_free(&topology);
}

static void smt4_spreads_siblings(void **state)
{
	struct dxmit_topology *topology = machine("pack:1 numa:1 core:2 pu:4");
	struct dxmit_nic nic = nic_on(0, 7);
	struct dxmit_wishes wishes = no_wishes();
	struct dxmit_plan *plan = plan_for(&nic, topology, &wishes);

	(void)state;
	EXPECT_CPUS(plan, 0, 4, 1, 5, 2, 6, 3);
	dxmit_plan_free(&plan);

	wishes.numa = DXMIT_NUMA_NODE;
	plan = plan_for(&nic, topology, &wishes);
	assert_int_equal(plan->queue[2].reason, DXMIT_REASON_WISHED_NODE_SMT);
	dxmit_plan_free(&plan);
	dxmit_topology_free(&topology);
}

static void sibling_numbers_far_apart(void **state)
{
	/* As most servers number them: 0 and 4 are one core. */
	static const struct thread t[] = {
		{ 0, 0, 0 }, { 0, 0, 4 }, { 0, 1, 1 }, { 0, 1, 5 },
		{ 1, 2, 2 }, { 1, 2, 6 }, { 1, 3, 3 }, { 1, 3, 7 },
	};
	struct dxmit_topology *topology = xml_machine(t, 8, 2, 0xff);
	struct dxmit_nic nic = nic_on(1, 8);
	struct dxmit_wishes wishes = no_wishes();
	struct dxmit_plan *plan = plan_for(&nic, topology, &wishes);

	(void)state;
	EXPECT_CPUS(plan, 2, 3, 6, 7, 0, 1, 4, 5);
	dxmit_plan_free(&plan);
	dxmit_topology_free(&topology);
}

static void remote_nodes_one_after_the_other(void **state)
{
	/* CPU numbers dealt out round robin, as some firmware does. */
	static const struct thread t[] = {
		{ 0, 0, 0 }, { 0, 1, 3 }, { 1, 2, 1 },
		{ 1, 3, 4 }, { 2, 4, 2 }, { 2, 5, 5 },
	};
	struct dxmit_topology *topology = xml_machine(t, 6, 3, 0x3f);
	struct dxmit_nic nic = nic_on(2, 6);
	struct dxmit_wishes wishes = no_wishes();
	struct dxmit_plan *plan = plan_for(&nic, topology, &wishes);

	(void)state;
	EXPECT_CPUS(plan, 2, 5, 0, 3, 1, 4);
	dxmit_plan_free(&plan);

	wishes.numa = DXMIT_NUMA_ANY; /* in order of number */
	plan = plan_for(&nic, topology, &wishes);
	EXPECT_CPUS(plan, 0, 1, 2, 3, 4, 5);
	assert_int_equal(plan->queue[4].memory_node, 1);
	dxmit_plan_free(&plan);
	dxmit_topology_free(&topology);
}

static void restricted_cpus(void **state)
{
	static const struct thread t[] = {
		{ 0, 0, 0 }, { 0, 0, 1 }, { 0, 1, 2 }, { 0, 1, 3 },
		{ 1, 2, 4 }, { 1, 2, 5 }, { 1, 3, 6 }, { 1, 3, 7 },
	};
	/* Allowed: 1 (second thread of its core), 2, 3, 6. */
	struct dxmit_topology *topology = xml_machine(t, 8, 2, 0x4e);
	struct dxmit_nic nic = nic_on(0, 4);
	struct dxmit_wishes wishes = no_wishes();
	struct dxmit_plan *plan = plan_for(&nic, topology, &wishes);
	const uint32_t forbidden[] = { 2, 0 };
	struct dxmit_error error;

	(void)state;
	/* CPU 1 is the first thread of its core we may use: no sibling. */
	EXPECT_CPUS(plan, 1, 2, 3, 6);
	assert_int_equal(plan->queue[0].reason, DXMIT_REASON_NIC_NODE);
	assert_int_equal(plan->queue[2].reason, DXMIT_REASON_NIC_NODE_SMT);
	assert_int_equal(plan->cpus_allowed, 4);
	dxmit_plan_free(&plan);

	wishes.cpus = forbidden;
	wishes.cpus_count = 2;
	assert_int_equal(dxmit_plan_make(&nic, topology, &wishes, &plan, &error),
			 -ENODEV);
	assert_null(plan);
	assert_int_equal(error.value, 0);
	assert_int_equal(error.stage, DXMIT_STAGE_PLAN);
	dxmit_topology_free(&topology);
}

static void sparse_cpu_numbers(void **state)
{
	/* Offline gaps: 0, 3, 17, 40 are all there is. */
	static const struct thread t[] = {
		{ 0, 0, 0 },
		{ 0, 1, 3 },
		{ 1, 2, 17 },
		{ 1, 3, 40 },
	};
	struct dxmit_topology *topology = xml_machine(t, 4, 2, ~0ull);
	struct dxmit_nic nic = nic_on(1, 4);
	struct dxmit_wishes wishes = no_wishes();
	struct dxmit_plan *plan = plan_for(&nic, topology, &wishes);
	const uint32_t offline = 2;
	struct dxmit_error error;

	(void)state;
	EXPECT_CPUS(plan, 17, 40, 0, 3);
	assert_int_equal(plan->queue[1].core, 3);
	dxmit_plan_free(&plan);
	wishes.cpus = &offline;
	wishes.cpus_count = 1;
	assert_int_equal(dxmit_plan_make(&nic, topology, &wishes, &plan, &error),
			 -ENODEV);
	assert_int_equal(error.value, 2);
	dxmit_topology_free(&topology);
}

static void no_numa(void **state)
{
	struct dxmit_topology *topology = machine("core:2 pu:2");
	struct dxmit_nic nic = nic_on(-1, 3);
	struct dxmit_wishes wishes = no_wishes();
	struct dxmit_plan *plan;
	struct dxmit_error error;
	size_t i;

	(void)state;
	topology->nodes = 0;
	for (i = 0; i < topology->cpus; i++)
		topology->cpu[i].node = -1;
	plan = plan_for(&nic, topology, &wishes);
	EXPECT_CPUS(plan, 0, 2, 1);
	assert_int_equal(plan->queue[0].memory_node, -1);
	assert_int_equal(plan->queue[0].cpu_node, -1);
	assert_int_equal(plan->queue[0].reason, DXMIT_REASON_ANY_CORE);
	assert_int_equal(plan->queue[2].reason, DXMIT_REASON_ANY_SMT);
	assert_false(plan->nic_node_unknown);
	assert_false(plan->queue[0].remote);
	dxmit_plan_free(&plan);
	wishes.numa = DXMIT_NUMA_NODE;
	assert_int_equal(dxmit_plan_make(&nic, topology, &wishes, &plan, &error),
			 -ENODEV);
	dxmit_topology_free(&topology);
}

static void node_without_cpus(void **state)
{
	static const struct thread t[] = { { 0, 0, 0 }, { 0, 1, 1 } };
	struct dxmit_topology *topology = xml_machine(t, 2, 2, 0x3);
	struct dxmit_nic nic = nic_on(1, 2);
	struct dxmit_wishes wishes = no_wishes();
	struct dxmit_plan *plan;

	(void)state;
	assert_int_equal(topology->nodes, 2);
	plan = plan_for(&nic, topology, &wishes);
	EXPECT_CPUS(plan, 0, 1);
	assert_true(plan->node_without_cpus);
	assert_int_equal(plan->queue[0].cpu_node, 0);
	assert_int_equal(plan->queue[0].memory_node, 1);
	assert_int_equal(plan->queue[0].reason, DXMIT_REASON_REMOTE_CORE);
	assert_true(plan->queue[0].remote);
	dxmit_plan_free(&plan);

	/* Nor may memory go where this process must not allocate. */
	topology->node[1].allowed = 0;
	plan = plan_for(&nic, topology, &wishes);
	assert_int_equal(plan->queue[0].memory_node, 0);
	dxmit_plan_free(&plan);
	dxmit_topology_free(&topology);
}

static void single_cpu_and_too_few(void **state)
{
	struct dxmit_topology *topology = machine("core:1 pu:1");
	struct dxmit_nic nic = nic_on(0, 3);
	struct dxmit_wishes wishes = no_wishes();
	struct dxmit_plan *plan = plan_for(&nic, topology, &wishes);

	(void)state;
	EXPECT_CPUS(plan, 0, 0, 0);
	assert_true(plan->fewer_cpus_than_queues);
	assert_int_equal(plan->cpus_used, 1);
	assert_int_equal(plan->queue[0].reason, DXMIT_REASON_NIC_NODE);
	assert_int_equal(plan->queue[1].reason, DXMIT_REASON_SHARED);
	assert_true(plan->queue[0].shares_cpu && plan->queue[2].shares_cpu);
	assert_false(plan->queue[0].shares_core);
	dxmit_plan_free(&plan);
	dxmit_topology_free(&topology);

	topology = machine("pack:2 numa:1 core:2 pu:1");
	nic.tx_queues = 6;
	plan = plan_for(&nic, topology, &wishes);
	EXPECT_CPUS(plan, 0, 1, 2, 3, 0, 1);
	assert_true(plan->queue[0].shares_cpu);
	assert_false(plan->queue[2].shares_cpu);
	dxmit_plan_free(&plan);
	dxmit_topology_free(&topology);
}

static void unknown_nic_node(void **state)
{
	struct dxmit_topology *topology = machine("pack:2 numa:1 core:2 pu:1");
	struct dxmit_nic nic = nic_on(-1, 3);
	struct dxmit_wishes wishes = no_wishes();
	struct dxmit_plan *plan = plan_for(&nic, topology, &wishes);

	(void)state;
	EXPECT_CPUS(plan, 0, 1, 2);
	assert_true(plan->nic_node_unknown);
	assert_int_equal(plan->queue[2].memory_node, 1);
	assert_false(plan->queue[2].remote);
	dxmit_plan_free(&plan);

	nic.node = 9; /* a node this machine does not have */
	plan = plan_for(&nic, topology, &wishes);
	assert_int_equal(plan->nic_node, -1);
	assert_true(plan->nic_node_unknown);
	dxmit_plan_free(&plan);
	dxmit_topology_free(&topology);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(two_nodes_nic_on_second),
		cmocka_unit_test(eight_nodes),
		cmocka_unit_test(smt2_siblings_before_remote_cores),
		cmocka_unit_test(smt4_spreads_siblings),
		cmocka_unit_test(sibling_numbers_far_apart),
		cmocka_unit_test(remote_nodes_one_after_the_other),
		cmocka_unit_test(restricted_cpus),
		cmocka_unit_test(sparse_cpu_numbers),
		cmocka_unit_test(no_numa),
		cmocka_unit_test(node_without_cpus),
		cmocka_unit_test(single_cpu_and_too_few),
		cmocka_unit_test(unknown_nic_node),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("plan", tests, NULL, NULL);
}
