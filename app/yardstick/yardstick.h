/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Yardsticks: the kernel's other ways to send, to hold AF_XDP against. Each runs
 * in a child process of `dxmit compare` until it is told to stop.
 */
#ifndef APP_YARDSTICK_H
#define APP_YARDSTICK_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include <dxmit/dxmit.h>
#include "config.h"
#include "leg.h"

/* What one run is to do. */
struct yardstick {
	enum leg_kind kind;          /* LEG_AF_PACKET … LEG_PKTGEN_RX */
	const struct config *config; /* frames, sizes, batch, ring, rate max */
	const struct dxmit_nic *nic;
	const struct dxmit_plan *plan; /* a queue: a thread (pktgen: a device) on its
					    CPU */
	int stop_fd;                   /* readable: end now (signals.h) */
};

/*
 * Send until stop_fd is readable, config->count or config->duration_ns is reached,
 * and then write to `out` a JSON document with the members of `dxmit tx --json`
 * that it can know: total {packets, seconds, kicks, lost, cpu_user_seconds,
 * cpu_system_seconds}, queues[] {queue, cpu, packets, mode, path}; mode is the
 * leg's name, path is "kernel".
 *
 * packets are those that the kernel accepted, lost those it said it threw away;
 * together they are the count. A driver's or a discipline's drops that it keeps to
 * itself are in neither: the witness decides. kicks is null for pktgen, whose CPU
 * time is that of the kernel's threads; pktgen-rx is in no counter of the device,
 * since the packets never pass its driver. The socket kinds are spread over TX queues
 * by the kernel (XPS, flow, CPU), `queue` is only the thread's in the plan.
 *
 * Returns EXIT_DONE, or an exit code after the one line on stderr; EXIT_USAGE where
 * it cannot run here (no privilege, no route, no module, frames it cannot send):
 * the line then is the reason that the comparison lists. Nothing of what it set up
 * is left behind, however the process ends; what the kernel would keep
 * (pktgen's devices) is removed by yardstick_clean_up(). The socket kinds give up all
 * privileges before they send; pktgen's files ask for CAP_NET_ADMIN at every write,
 * to the end, and what runs meanwhile is the kernel.
 */
int yardstick_run(const struct yardstick *yardstick, FILE *out);

/* After the child has ended, however it did: remove what the kernel kept. Idempotent;
 * silent where there is nothing to do. */
void yardstick_clean_up(enum leg_kind kind, const struct dxmit_nic *nic,
			const struct dxmit_plan *plan);

/*
 * In a sandbox (sandbox.h), once, before the first child: give the interface what
 * the UDP legs need to send the frames of this config: the source address, the
 * destination as a neighbour, and no segmentation offload, because a veth would pass
 * many datagrams as one packet. Nothing to do where the frames are not UDP's.
 * Returns EXIT_DONE, or an exit code after the one line.
 */
int yardstick_prepare_sandbox(const struct config *config, int ifindex);

#endif
