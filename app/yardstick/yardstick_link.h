/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The link during a yardstick's run. Without one the kernel's stack throws packets
 * away and calls that success (noop_enqueue() in net/sched/sch_generic.c), so the
 * threads must be held.
 */
#ifndef APP_YARDSTICK_LINK_H
#define APP_YARDSTICK_LINK_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "yardstick.h"

#define YARDSTICK_LINK_NS 20000000 /* between two looks */

struct yardstick_link {
	const struct yardstick *yardstick;
	uint64_t lost_ns; /* when it was first seen to be gone; 0: it is there */
};

/*
 * Look, and set *hold by the policy --link-loss. Returns EXIT_DONE, or an exit code
 * after the one line where the run must end: the interface is gone, the policy is
 * to fail, or the link was away for too long.
 */
int yardstick_link_check(struct yardstick_link *link, uint64_t now_ns,
			 _Atomic bool *hold);

#endif
