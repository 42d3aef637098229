/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What can be refused before a socket exists: an interface that carries the
 * default route, a device of the wrong kind, frames the MTU does not allow, a
 * link that does not come up.
 */
#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <string.h>
#include <sys/resource.h>

#include "guard.h"
#include "message.h"
#include "planning.h"
#include "session.h"
#include "signals.h"

#define LINK_POLL_MS 10

int preflight_interface(const struct config *config, const struct dxmit_nic *nic)
{
	bool is_default = false;
	int err = 0;

	if (!config->sandbox && !config->force)
		err = guard_default_route(nic->ifindex, &is_default);
	if (err)
		return fail(EXIT_RUNTIME, nic->name,
			    "cannot read the routes: %s; "
			    "use --force if flooding it is really meant",
			    strerror(-err));
	if (is_default)
		return fail(EXIT_USAGE, nic->name,
			    "carries a default route and would be "
			    "flooded; choose another interface, or use --force");
	if (!nic->ethernet)
		return fail(EXIT_USAGE, nic->name,
			    "is not an Ethernet device; "
			    "dxmit sends Ethernet frames only");
	return 0;
}

static int make_content(struct session *s)
{
	int code = content_make(s->config, &s->nic, &s->content);

	s->frame_length = s->content.longest;
	s->skip_all = s->content.skip_all;
	return code;
}

/*
 * Frame memory counts against RLIMIT_MEMLOCK. The soft limit may be raised to
 * the hard one by anybody; if that is refused or not enough, the registration
 * itself will say so with figures.
 */
static void raise_memlock(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_MEMLOCK, &limit) == 0 && limit.rlim_cur < limit.rlim_max) {
		limit.rlim_cur = limit.rlim_max;
		(void)setrlimit(RLIMIT_MEMLOCK, &limit);
	}
}

static int plan_rate(struct session *s)
{
	s->amended = *s->config;
	s->config = &s->amended;
	return content_schedule(&s->content, &s->nic, &s->amended, &s->schedule);
}

int preflight(struct session *s)
{
	int err = preflight_interface(s->config, &s->nic);

	if (!err)
		err = make_content(s);
	if (!err)
		err = plan_rate(s);
	if (!err)
		raise_memlock();
	return err;
}

int preflight_link_failed(const struct dxmit_nic *nic, bool up)
{
	return fail(
		EXIT_RUNTIME, nic->name,
		up ? "has no carrier; check the cable or the far end, or see --carrier-wait"
		   : "is down; `ip link set %s up`",
		nic->name);
}

int preflight_link(struct session *s)
{
	uint64_t deadline_ns = clock_ns() + s->config->carrier_wait_ns;
	struct pollfd signal = { .fd = s->signal_fd, .events = POLLIN };
	struct dxmit_nic_counters now;
	bool told = false;

	for (;;) {
		int err = dxmit_nic_watch_read(s->watch, &now);

		if (err)
			return fail(EXIT_RUNTIME, s->nic.name,
				    "cannot be read: %s; "
				    "check `ip link`",
				    strerror(-err));
		if (now.up && (now.carrier || s->config->link_loss == LINK_LOSS_GO))
			return 0;
		if (s->config->link_loss == LINK_LOSS_FAIL || clock_ns() >= deadline_ns)
			return preflight_link_failed(&s->nic, now.up);
		if (!told && s->outputs.text)
			fprintf(s->outputs.text, "waiting for the link of %s …\n",
				s->nic.name);
		told = true;
		if (poll(&signal, 1, LINK_POLL_MS) > 0 && signals_take(s->signal_fd)) {
			s->interrupted = true;
			return 0;
		}
	}
}
