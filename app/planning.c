/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * From what the user asked to a plan: the step `dxmit plan` and `dxmit tx`
 * share.
 */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "message.h"
#include "planning.h"
#include "sandbox.h"

/* ns of CPU per frame on ifb for 256, 512 and 2048: 343, 341 and 338; more per
 * kick only lengthens its pauses (Linux 6.18, bench/README.md). */
#define DEFAULT_BATCH 512

void planning_sandbox_nic(const struct config *config, struct dxmit_nic *nic)
{
	memset(nic, 0, sizeof(*nic));
	strcpy(nic->name, SANDBOX_INTERFACE);
	strcpy(nic->driver, "veth");
	nic->tx_queues = nic->tx_queues_max = config->sandbox_queues;
	nic->rx_queues = nic->rx_queues_max = config->sandbox_queues;
	nic->mtu = 1500;         /* what the kernel gives a new veth */
	nic->speed_mbps = 10000; /* drivers/net/veth.c: SPEED_10000 */
	nic->node = -1;
	nic->up = 1;
	nic->carrier = 1;
	nic->ethernet = 1;
	nic->zerocopy = DXMIT_ZEROCOPY_UNKNOWN;
}

int make_plan(const struct config *config, const struct dxmit_nic *nic,
	      struct dxmit_topology **topology, struct dxmit_plan **plan)
{
	const struct dxmit_wishes wishes = {
		.size = sizeof(wishes),
		.queues = config->queues.value,
		.queues_count = config->queues.count,
		.cpus = config->cpus.value,
		.cpus_count = config->cpus.count,
		.numa = config->numa,
		.node = config->node,
		.avoid_irq_cpus = config->avoid_irq_cpus,
		.ring_size = config->ring,
		.frames = config->frames,
		.frame_size = config->frame_size,
		.count = config->count,
		.max_length = config->wire_size - DXMIT_FCS_BYTES,
		.multi_buffer = 1,
	};
	struct dxmit_error error = { 0 };

	*plan = NULL;
	*topology = NULL;
	if (dxmit_topology_load(config->topology, topology, &error) < 0)
		return fail_library(&error);
	if (dxmit_plan_make(nic, *topology, &wishes, plan, &error) < 0) {
		dxmit_topology_free(topology);
		return fail_library(&error);
	}
	return 0;
}

int make_schedule(const struct config *config, const struct dxmit_nic *nic,
		  const struct rate_basis *lengths, struct schedule *schedule)
{
	struct rate_basis basis = *lengths;
	const char *option = config->profile.steps ? "--profile" : "--rate";
	char words[RATE_TEXT_BYTES];
	struct rate rate;
	int err;

	basis.link_bps = nic->speed_mbps * 1000000u;
	err = profile_schedule(&config->rate, &config->profile, &config->bursts, &basis,
			       schedule, &rate);
	if (err == -ENODATA)
		return fail(EXIT_USAGE, option,
			    "%s cannot be had: %s reports no link speed; use packets or "
			    "bits per second",
			    rate_text(&rate, words), nic->name);
	if (err)
		return fail(EXIT_USAGE, option,
			    "%s of frames of %" PRIu64 " bytes is out of range; use what "
			    "comes to 0.000001 pps up to 10^12 pps",
			    rate_text(&rate, words), basis.l2_bytes / basis.frames);
	return 0;
}

/* The fewer chunks a frame takes the better, and every kernel takes one. */
void planning_chunk(struct config *config)
{
	if (!config->frame_size_given)
		config->frame_size =
			config->wire_size - DXMIT_FCS_BYTES > DXMIT_DEFAULT_FRAME_SIZE
				? DXMIT_MAX_FRAME_SIZE
				: DXMIT_DEFAULT_FRAME_SIZE;
}

uint32_t planning_segments(const struct config *config,
			   const struct dxmit_plan_queue *queue)
{
	uint32_t length = config->wire_size - DXMIT_FCS_BYTES;

	return queue->frame_size && length > queue->frame_size
		       ? (length - 1) / queue->frame_size + 1
		       : 1;
}

uint32_t planning_batch(const struct config *config, const struct dxmit_plan *plan)
{
	uint32_t batch = config->batch ? config->batch : DEFAULT_BATCH;

	if (plan->queues && batch > plan->queue[0].ring_size)
		batch = plan->queue[0].ring_size;
	if (plan->queues && batch > plan->queue[0].frames)
		batch = plan->queue[0].frames;
	return batch;
}
