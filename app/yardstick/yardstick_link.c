/* SPDX-License-Identifier: BSD-2-Clause */
/* The link during a yardstick's run: yardstick_link.h. */
#include <errno.h>
#include <inttypes.h>
#include <net/if.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "message.h"
#include "yardstick_link.h"

#define PATIENCE_NS UINT64_C(2000000000)

int yardstick_link_open(struct yardstick_link *link, const struct yardstick *yardstick)
{
	link->yardstick = yardstick;
	link->lost_ns = 0;
	link->fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	return link->fd < 0 ? fail(EXIT_RUNTIME, yardstick->nic->name,
				   "its link cannot be watched: %s; check `ulimit -n`",
				   strerror(errno))
			    : EXIT_DONE;
}

void yardstick_link_close(struct yardstick_link *link)
{
	if (link->fd >= 0)
		close(link->fd);
	link->fd = -1;
}

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
	struct ifreq request = { 0 };
	bool up;

	memcpy(request.ifr_name, link->yardstick->nic->name,
	       sizeof(request.ifr_name) - 1);
	if (ioctl(link->fd, SIOCGIFFLAGS, &request) < 0)
		return fail(EXIT_RUNTIME, link->yardstick->nic->name,
			    "cannot be asked for its link: %s; check `ip link`",
			    strerror(errno));
	up = (request.ifr_flags & IFF_UP) && (request.ifr_flags & IFF_RUNNING);
	if (up)
		link->lost_ns = 0;
	else if (link->lost_ns == 0)
		link->lost_ns = now_ns;
	atomic_store_explicit(hold, !up && policy != LINK_LOSS_GO, memory_order_relaxed);
	if (up || policy == LINK_LOSS_GO)
		return EXIT_DONE;
	if (policy == LINK_LOSS_FAIL || now_ns - link->lost_ns > PATIENCE_NS)
		return gone(link, request.ifr_flags);
	return EXIT_DONE;
}
