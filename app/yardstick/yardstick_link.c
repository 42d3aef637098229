/* SPDX-License-Identifier: BSD-2-Clause */
/* The link during a yardstick's run: yardstick_link.h. */
#include <net/if.h>
#include <string.h>

#include "device_request.h"
#include "message.h"
#include "yardstick_link.h"

#define PATIENCE_NS UINT64_C(2000000000)

static int gone(const struct yardstick_link *link, int flags)
{
	return fail(EXIT_RUNTIME, link->yardstick->nic->name,
		    flags & IFF_UP ? "lost its carrier; check the cable or the far end, "
				     "or see --link-loss"
				   : "is down; `ip link set %s up`",
		    link->yardstick->nic->name);
}

int yardstick_link_check(struct yardstick_link *link, uint64_t now_ns, _Atomic bool *hold)
{
	const enum link_loss policy = link->yardstick->config->link_loss;
	short flags;
	bool up;
	int err = device_flags(link->yardstick->nic->name, &flags);

	if (err)
		return fail(EXIT_RUNTIME, link->yardstick->nic->name,
			    "cannot be asked for its link: %s; check `ip link` and "
			    "`ulimit -n`",
			    strerror(-err));
	up = (flags & IFF_UP) && (flags & IFF_RUNNING);
	if (up)
		link->lost_ns = 0;
	else if (link->lost_ns == 0)
		link->lost_ns = now_ns;
	atomic_store_explicit(hold, !up && policy != LINK_LOSS_GO, memory_order_relaxed);
	if (up || policy == LINK_LOSS_GO)
		return EXIT_DONE;
	if (policy == LINK_LOSS_FAIL || now_ns - link->lost_ns > PATIENCE_NS)
		return gone(link, flags);
	return EXIT_DONE;
}
