/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The plan: which queue is served by which CPU, on which NUMA node its memory
 * lies, how much memory that is, and why. A pure function of the interface,
 * the topology and the user's wishes: no I/O, same input, same plan.
 */
#ifndef DXMIT_PLAN_H
#define DXMIT_PLAN_H

#include <stddef.h>
#include <stdint.h>

#include <dxmit/error.h>
#include <dxmit/nic.h>
#include <dxmit/topology.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

#define DXMIT_MAX_QUEUES 1024

/** Which NUMA node to use. */
enum dxmit_numa {
	DXMIT_NUMA_NIC = 0,  /* the interface's node; when unknown, the node of
				    each queue's CPU */
	DXMIT_NUMA_NODE = 1, /* wishes.node */
	DXMIT_NUMA_ANY = 2,  /* CPUs in order of number, memory by their node */
};

struct dxmit_wishes {
	size_t size;            /* sizeof(struct dxmit_wishes) */
	const uint32_t *queues; /* queue numbers, NULL: all active TX queues */
	size_t queues_count;
	const uint32_t *cpus; /* CPU numbers in order of use, NULL: chosen */
	size_t cpus_count;
	enum dxmit_numa numa;
	int32_t node;           /* for DXMIT_NUMA_NODE */
	uint8_t avoid_irq_cpus; /* 1: CPUs serving the NIC's interrupts last */
	uint32_t ring_size;     /* as in dxmit_queue_options; 0 = default */
	uint32_t frames;
	uint32_t frame_size;
	uint64_t count;      /* packets over all queues, 0: no limit */
	uint32_t max_length; /* as in dxmit_queue_options */
	uint32_t multi_buffer;
};

/** Why a CPU was chosen; one text each, see dxmit_plan_reason(). */
enum dxmit_reason {
	DXMIT_REASON_EXPLICIT = 0, /* the user listed it */
	DXMIT_REASON_NIC_NODE,     /* free core on the NIC's node */
	DXMIT_REASON_NIC_NODE_SMT, /* sibling thread on the NIC's node */
	DXMIT_REASON_WISHED_NODE,  /* free core on the node asked for */
	DXMIT_REASON_WISHED_NODE_SMT,
	DXMIT_REASON_ANY_CORE, /* node unknown or irrelevant: a free core */
	DXMIT_REASON_ANY_SMT,
	DXMIT_REASON_REMOTE_CORE, /* wanted node is full: core on another node */
	DXMIT_REASON_REMOTE_SMT,
	DXMIT_REASON_SHARED, /* every allowed CPU already has a queue */
};

struct dxmit_plan_queue {
	uint32_t queue;
	uint32_t cpu;
	uint32_t core;
	int32_t cpu_node;    /* node of that CPU, -1 without NUMA */
	int32_t memory_node; /* node for the UMEM, -1: no preference */
	enum dxmit_reason reason;
	uint8_t shares_cpu;  /* another queue of the plan has this CPU */
	uint8_t shares_core; /* another queue has a sibling of it */
	uint8_t remote;      /* CPU or memory off the NIC's (known) node */
	uint8_t serves_irq;  /* the CPU also serves the NIC's interrupts */
	uint32_t frames;
	uint32_t frame_size;
	uint32_t ring_size;
	uint32_t frame_room;     /* bytes from one frame to the next */
	uint64_t umem_bytes;     /* frames * frame_room, whole chunks */
	uint64_t resident_bytes; /* UMEM + rings + free list */
	uint64_t count;          /* this queue's packets; sums to wishes.count */
	uint64_t rate_share_ppb; /* share of the rate in 1e-9; sums to 1e9 */
};

struct dxmit_plan {
	char interface_name[DXMIT_NAME_LEN];
	int32_t nic_node; /* -1 unknown */
	size_t queues;
	struct dxmit_plan_queue *queue;
	uint32_t cpus_used; /* distinct */
	uint32_t cpus_allowed;
	uint64_t umem_bytes; /* totals over the queues */
	uint64_t resident_bytes;
	/* Things a user should be told once. */
	uint8_t fewer_cpus_than_queues;
	uint8_t nic_node_unknown;  /* on a machine with several nodes */
	uint8_t node_without_cpus; /* the wanted node has no allowed CPU */
};

/**
 * Make a plan.
 * Queues must be active TX queues of `nic`, each named once; CPUs listed must
 * exist and be allowed. When there are fewer CPUs than queues, CPUs are reused
 * in order and fewer_cpus_than_queues is set.
 * Returns 0; -ENXIO: a queue does not exist or can only receive
 * (error->value = queue, limit = active, extra = maximum); -EINVAL: a list is
 * empty, repeats a queue, or a wish is out of range; -ENODEV: a CPU or node
 * does not exist or is not allowed (error->value); -ENOMEM.
 */
int dxmit_plan_make(const struct dxmit_nic *nic, const struct dxmit_topology *topology,
		    const struct dxmit_wishes *wishes, struct dxmit_plan **out,
		    struct dxmit_error *error);

/** Free; sets *plan to NULL; NULL-safe. */
void dxmit_plan_free(struct dxmit_plan **plan);

/** A short English reason, for example "free core on the NIC's node". */
const char *dxmit_plan_reason(enum dxmit_reason reason);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
#endif
