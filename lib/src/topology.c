/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * CPUs and NUMA nodes read through hwloc into plain arrays. hwloc objects do
 * not outlive dxmit_topology_load().
 */
#include <errno.h>
#include <hwloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <dxmit/topology.h>
#include "internal.h"

#define XML_MAX_BYTES (64 << 20) /* a large cluster node's is below 1 MiB */
#define NO_CORE UINT32_MAX

/* Returns 0 or -errno. */
static int set_source(hwloc_topology_t hw, const char *source)
{
	struct stat st;

	if (!source)
		return 0;
	if (stat(source, &st) < 0) {
		if (hwloc_topology_set_synthetic(hw, source) == 0)
			return 0;
		return strchr(source, '/') || strstr(source, ".xml") ? -ENOENT : -EINVAL;
	}
	/* A pipe would be read for ever. */
	if (!S_ISREG(st.st_mode) || st.st_size > XML_MAX_BYTES)
		return -EINVAL;
	return hwloc_topology_set_xml(hw, source) < 0 ? -EINVAL : 0;
}

static int load_hwloc(hwloc_topology_t *hw, const char *source)
{
	int err;

	if (hwloc_topology_init(hw) < 0)
		return -ENOMEM;
	/* The x86 part would move the calling thread from CPU to CPU. */
	hwloc_topology_set_components(*hw, HWLOC_TOPOLOGY_COMPONENTS_FLAG_BLACKLIST,
				      "x86");
	/* No I/O discovery and no caches: they cost time and are not used.
	 * Groups are, to hang NUMA nodes on: without them hwloc 2.9 attaches a
	 * synthetic node to the wrong CPUs.
	 * Disallowed CPUs are kept, so that a plan can name them. */
	hwloc_topology_set_flags(*hw, HWLOC_TOPOLOGY_FLAG_INCLUDE_DISALLOWED);
	hwloc_topology_set_all_types_filter(*hw, HWLOC_TYPE_FILTER_KEEP_NONE);
	hwloc_topology_set_type_filter(*hw, HWLOC_OBJ_PACKAGE,
				       HWLOC_TYPE_FILTER_KEEP_ALL);
	hwloc_topology_set_type_filter(*hw, HWLOC_OBJ_CORE, HWLOC_TYPE_FILTER_KEEP_ALL);
	hwloc_topology_set_type_filter(*hw, HWLOC_OBJ_GROUP,
				       HWLOC_TYPE_FILTER_KEEP_STRUCTURE);
	err = set_source(*hw, source);
	if (!err && hwloc_topology_load(*hw) < 0)
		err = errno == ENOMEM ? -ENOMEM : -EINVAL;
	if (err)
		hwloc_topology_destroy(*hw);
	return err;
}

/* CPUs this thread may use; to be freed. NULL: no memory. */
static hwloc_bitmap_t allowed_cpus(hwloc_topology_t hw, const char *source)
{
	hwloc_bitmap_t allowed = hwloc_bitmap_dup(hwloc_topology_get_allowed_cpuset(hw));
	hwloc_bitmap_t bound;

	if (!allowed || source)
		return allowed;
	bound = hwloc_bitmap_alloc();
	if (!bound) {
		hwloc_bitmap_free(allowed);
		return NULL;
	}
	/* sched_getaffinity() with a set as large as the kernel needs. */
	if (hwloc_get_cpubind(hw, bound, HWLOC_CPUBIND_THREAD) == 0)
		hwloc_bitmap_and(allowed, allowed, bound);
	hwloc_bitmap_free(bound);
	return allowed;
}

/* The smallest node around a CPU; the lowest number where several are equally
 * near (high-bandwidth memory beside DRAM). -1: none. */
static int32_t node_of(hwloc_topology_t hw, unsigned int cpu)
{
	hwloc_obj_t node = NULL;
	int32_t best = -1;
	int best_weight = 0;

	while ((node = hwloc_get_next_obj_by_type(hw, HWLOC_OBJ_NUMANODE, node)) !=
	       NULL) {
		int weight = hwloc_bitmap_weight(node->cpuset);

		if (!hwloc_bitmap_isset(node->cpuset, cpu))
			continue;
		if (best < 0 || weight < best_weight ||
		    (weight == best_weight && (int32_t)node->os_index < best)) {
			best = (int32_t)node->os_index;
			best_weight = weight;
		}
	}
	return best;
}

static int compare_cpus(const void *a, const void *b)
{
	const struct dxmit_cpu *x = a, *y = b;

	return x->id < y->id ? -1 : x->id > y->id;
}

static int compare_nodes(const void *a, const void *b)
{
	const struct dxmit_node *x = a, *y = b;

	return x->id < y->id ? -1 : x->id > y->id;
}

/*
 * Until number_cores(), `core` holds hwloc's index of the core, or NO_CORE
 * where a machine reports none: such a CPU is a core of its own.
 */
static int read_cpus(hwloc_topology_t hw, hwloc_const_bitmap_t allowed,
		     struct dxmit_topology *topology)
{
	int count = hwloc_get_nbobjs_by_type(hw, HWLOC_OBJ_PU);
	hwloc_obj_t pu = NULL;
	size_t i = 0;

	if (count <= 0)
		return -EINVAL;
	topology->cpu = calloc((size_t)count, sizeof(*topology->cpu));
	if (!topology->cpu)
		return -ENOMEM;
	topology->cpus = (size_t)count;
	while ((pu = hwloc_get_next_obj_by_type(hw, HWLOC_OBJ_PU, pu)) != NULL) {
		hwloc_obj_t core = hwloc_get_ancestor_obj_by_type(hw, HWLOC_OBJ_CORE, pu);
		hwloc_obj_t package =
			hwloc_get_ancestor_obj_by_type(hw, HWLOC_OBJ_PACKAGE, pu);
		struct dxmit_cpu *cpu = &topology->cpu[i++];

		cpu->id = pu->os_index;
		cpu->core = core ? core->logical_index : NO_CORE;
		cpu->package = !package ? 0
			       : package->os_index != HWLOC_UNKNOWN_INDEX
				       ? package->os_index
				       : package->logical_index;
		cpu->node = topology->nodes ? node_of(hw, pu->os_index) : -1;
		cpu->allowed = hwloc_bitmap_isset(allowed, pu->os_index) != 0;
	}
	qsort(topology->cpu, topology->cpus, sizeof(*topology->cpu), compare_cpus);
	for (i = 1; i < topology->cpus; i++)
		if (topology->cpu[i].id == topology->cpu[i - 1].id)
			return -EINVAL; /* a broken file */
	return 0;
}

/* A core while numbering: our number, and threads met so far. */
struct core {
	uint32_t number, threads;
};

/* Number cores 0, 1 … in order of their lowest CPU, and threads within them. */
static int number_cores(struct dxmit_topology *topology)
{
	struct core *seen;
	size_t i, indexes = 1;

	for (i = 0; i < topology->cpus; i++)
		if (topology->cpu[i].core != NO_CORE && topology->cpu[i].core >= indexes)
			indexes = (size_t)topology->cpu[i].core + 1;
	seen = calloc(indexes, sizeof(*seen));
	if (!seen)
		return -ENOMEM;
	for (i = 0; i < topology->cpus; i++) {
		struct dxmit_cpu *cpu = &topology->cpu[i];
		struct core *core;

		if (cpu->core == NO_CORE) {
			cpu->core = topology->cores++;
			continue;
		}
		core = &seen[cpu->core];
		if (core->threads == 0)
			core->number = topology->cores++;
		cpu->core = core->number;
		cpu->sibling = core->threads++;
		if (cpu->sibling)
			topology->smt = 1;
	}
	free(seen);
	return 0;
}

/*
 * hwloc always shows at least one node. On this machine that one stands for
 * nothing when the kernel was built without NUMA.
 */
static int read_nodes(hwloc_topology_t hw, const char *source,
		      struct dxmit_topology *topology)
{
	hwloc_const_nodeset_t allowed = hwloc_topology_get_allowed_nodeset(hw);
	int count = hwloc_get_nbobjs_by_type(hw, HWLOC_OBJ_NUMANODE);
	hwloc_obj_t node = NULL;
	size_t i = 0;

	if (count <= 0 ||
	    (!source && count == 1 && access("/sys/devices/system/node", F_OK) < 0))
		return 0;
	topology->node = calloc((size_t)count, sizeof(*topology->node));
	if (!topology->node)
		return -ENOMEM;
	topology->nodes = (size_t)count;
	while ((node = hwloc_get_next_obj_by_type(hw, HWLOC_OBJ_NUMANODE, node)) !=
	       NULL) {
		topology->node[i].id = (int32_t)node->os_index;
		topology->node[i].memory_bytes = node->attr->numanode.local_memory;
		topology->node[i].allowed =
			hwloc_bitmap_isset(allowed, node->os_index) != 0;
		i++;
	}
	qsort(topology->node, topology->nodes, sizeof(*topology->node), compare_nodes);
	return 0;
}

static int convert(hwloc_topology_t hw, const char *source,
		   struct dxmit_topology *topology)
{
	hwloc_bitmap_t allowed = allowed_cpus(hw, source);
	int err;

	if (!allowed)
		return -ENOMEM;
	snprintf(topology->source, sizeof(topology->source), "%s",
		 source ? source : "this machine");
	err = read_nodes(hw, source, topology);
	if (!err)
		err = read_cpus(hw, allowed, topology);
	if (!err)
		err = number_cores(topology);
	hwloc_bitmap_free(allowed);
	return err;
}

int dxmit_topology_load(const char *source, struct dxmit_topology **out,
			struct dxmit_error *error)
{
	hwloc_topology_t hw;
	int err;

	*out = NULL;
	err = load_hwloc(&hw, source);
	if (!err) {
		*out = calloc(1, sizeof(**out));
		err = *out ? convert(hw, source, *out) : -ENOMEM;
		hwloc_topology_destroy(hw);
	}
	if (err) {
		dxmit_topology_free(out);
		dxmit_error_set(error, DXMIT_STAGE_TOPOLOGY, -err,
				source ? source : "this machine", 0, 0, 0);
	}
	return err;
}

void dxmit_topology_free(struct dxmit_topology **topology)
{
	if (!topology || !*topology)
		return;
	free((*topology)->cpu);
	free((*topology)->node);
	free(*topology);
	*topology = NULL;
}

const struct dxmit_cpu *dxmit_topology_cpu(const struct dxmit_topology *topology,
					   uint32_t id)
{
	const struct dxmit_cpu key = { .id = id };

	return bsearch(&key, topology->cpu, topology->cpus, sizeof(key), compare_cpus);
}
