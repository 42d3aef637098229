/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * From what the user asked to a plan: the step `dxmit plan` and `dxmit tx`
 * share.
 */
#ifndef APP_PLANNING_H
#define APP_PLANNING_H

#include <dxmit/dxmit.h>

#include "config.h"

/*
 * The facts of the interface the sandbox would have, without making it: a veth
 * with config->sandbox_queues queues.
 */
void planning_sandbox_nic(const struct config *config, struct dxmit_nic *nic);

/*
 * Load the topology (config->topology, or this machine) and place the queues.
 * Returns 0, or the exit code of the error it has printed; then *topology and
 * *plan are NULL. Free both with their own functions; the plan does not refer
 * to the topology.
 */
int make_plan(const struct config *config, const struct dxmit_nic *nic,
	      struct dxmit_topology **topology, struct dxmit_plan **plan);

/*
 * When frames are due: --rate, --profile or --burst, for the mean length of the
 * frames and the link of *nic. Returns 0, or the exit code of the error it has printed.
 */
int make_schedule(const struct config *config, const struct dxmit_nic *nic,
		  const struct rate_basis *lengths, struct schedule *schedule);

/* Choose the chunk for the longest frame, unless the user did. */
void planning_chunk(struct config *config);

/* Chunks the longest frame takes, as planned. */
uint32_t planning_segments(const struct config *config,
			   const struct dxmit_plan_queue *queue);

/*
 * Frames a kick moves at most: what was asked, or the default, and never more
 * than a queue of the plan has.
 */
uint32_t planning_batch(const struct config *config, const struct dxmit_plan *plan);

#endif
