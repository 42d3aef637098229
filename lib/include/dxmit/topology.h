/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The machine's CPUs and NUMA nodes as plain data, from hwloc: this machine, a
 * saved XML file, or a synthetic description. Read only; hwloc itself does not
 * appear in this header.
 */
#ifndef DXMIT_TOPOLOGY_H
#define DXMIT_TOPOLOGY_H

#include <stddef.h>
#include <stdint.h>

#include <dxmit/error.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

struct dxmit_cpu {
	uint32_t id;      /* the kernel's CPU number; may have gaps */
	uint32_t core;    /* index of its physical core, unique in the
				    machine, 0 … cores - 1 */
	uint32_t sibling; /* 0 for the core's first hardware thread, then 1 … */
	uint32_t package;
	int32_t node;    /* NUMA node (kernel's number), -1 without NUMA */
	uint8_t allowed; /* this process may run there */
};

struct dxmit_node {
	int32_t id;            /* the kernel's node number; may have gaps */
	uint64_t memory_bytes; /* local memory, 0 unknown */
	uint8_t allowed;       /* this process may allocate there */
};

struct dxmit_topology {
	size_t cpus; /* entries in cpu[], ordered by id */
	struct dxmit_cpu *cpu;
	size_t nodes; /* entries in node[]; 0: the machine has no NUMA */
	struct dxmit_node *node;
	uint32_t cores;
	uint8_t smt;     /* 1 if some core has several hardware threads */
	char source[64]; /* "this machine", "FILE" or the synthetic string */
};

/**
 * Load a topology.
 * @source  NULL: this machine, restricted to the CPUs and nodes this thread is
 *          allowed (affinity, cpuset). Otherwise an existing file is read as
 *          hwloc XML, anything else is taken as a hwloc synthetic description
 *          ("pack:2 numa:1 core:4 pu:2"); all CPUs in it count as allowed
 *          unless the XML restricts them.
 * Returns 0, -ENOENT/-EINVAL (neither a file nor a valid description), -ENOMEM.
 * Free with dxmit_topology_free(). Any thread.
 */
int dxmit_topology_load(const char *source, struct dxmit_topology **out,
			struct dxmit_error *error);

/** Free; sets *topology to NULL; NULL-safe. */
void dxmit_topology_free(struct dxmit_topology **topology);

/** The entry of CPU `id`, or NULL. */
const struct dxmit_cpu *dxmit_topology_cpu(const struct dxmit_topology *topology,
					   uint32_t id);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
#endif
