/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Name, flags, MTU and queue length of an interface, by its index: a foreign sender
 * may rename it, and something else may have its name then.
 */
#include <errno.h>
#include <net/if.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "device_request.h"
#include "restore_link.h"

/* Those that `ip link` sets; the others are the device's. */
#define FLAGS (IFF_UP | IFF_NOARP | IFF_PROMISC | IFF_ALLMULTI)

int restore_link_read(int ifindex, struct restore_link *out)
{
	struct ifreq ifr = { .ifr_ifindex = ifindex };
	int err = device_request(SIOCGIFNAME, &ifr);

	memset(out, 0, sizeof(*out));
	if (err)
		return err;
	snprintf(out->name, sizeof(out->name), "%.*s", IFNAMSIZ, ifr.ifr_name);
	err = device_request(SIOCGIFFLAGS, &ifr);
	out->flags = ifr.ifr_flags;
	if (!err)
		err = device_request(SIOCGIFMTU, &ifr);
	out->mtu = ifr.ifr_mtu;
	if (!err)
		err = device_request(SIOCGIFTXQLEN, &ifr);
	out->queue = ifr.ifr_qlen;
	return err;
}

static struct ifreq of(const struct restore_link *link)
{
	struct ifreq ifr = { 0 };

	snprintf(ifr.ifr_name, sizeof(ifr.ifr_name), "%s", link->name);
	return ifr;
}

static int set_flags(struct restore_link *now, short flags)
{
	struct ifreq ifr = of(now);
	int err;

	ifr.ifr_flags = (short)((now->flags & ~FLAGS) | (flags & FLAGS));
	err = device_request(SIOCSIFFLAGS, &ifr);
	if (!err)
		now->flags = ifr.ifr_flags;
	return err;
}

static int set_name(struct restore_link *now, const char *name)
{
	struct ifreq ifr = of(now);
	int err;

	snprintf(ifr.ifr_newname, sizeof(ifr.ifr_newname), "%s", name);
	err = device_request(SIOCSIFNAME, &ifr);
	/* Before Linux 6.2 not while it is up (dev_change_name()). */
	if (err == -EBUSY && set_flags(now, now->flags & ~IFF_UP) == 0)
		err = device_request(SIOCSIFNAME, &ifr);
	if (!err)
		snprintf(now->name, sizeof(now->name), "%s", name);
	return err;
}

static int set_mtu(const struct restore_link *now, int mtu)
{
	struct ifreq ifr = of(now);

	ifr.ifr_mtu = mtu;
	return device_request(SIOCSIFMTU, &ifr);
}

static int set_queue(const struct restore_link *now, int queue)
{
	struct ifreq ifr = of(now);

	ifr.ifr_qlen = queue;
	return device_request(SIOCSIFTXQLEN, &ifr);
}

static bool fail_link(char *what, size_t len, const struct restore_link *before,
		      const char *is, const char *setting, int value)
{
	snprintf(what, len, "has not the %s of %d that it had; `ip link set %s %s %d`",
		 is, value, before->name, setting, value);
	return false;
}

static bool apply_numbers(const struct restore_link *now,
			  const struct restore_link *before, char *what, size_t len)
{
	if (now->mtu != before->mtu && set_mtu(now, before->mtu))
		return fail_link(what, len, before, "MTU", "mtu", before->mtu);
	if (now->queue != before->queue && set_queue(now, before->queue))
		return fail_link(what, len, before, "queue length", "txqueuelen",
				 before->queue);
	return true;
}

/* The name first, by which the others are set; flags last, since some devices take an
 * MTU only while they are down. */
bool restore_link_apply(int ifindex, const struct restore_link *before, char *what,
			size_t len)
{
	struct restore_link now;

	if (restore_link_read(ifindex, &now)) {
		snprintf(what, len,
			 "was deleted or moved to another network namespace; "
			 "check `ip link`");
		return false;
	}
	if (strcmp(now.name, before->name) != 0 && set_name(&now, before->name)) {
		snprintf(what, len, "is called %s now; `ip link set %s name %s`",
			 now.name, now.name, before->name);
		return false;
	}
	if (!apply_numbers(&now, before, what, len))
		return false;
	if (((now.flags ^ before->flags) & FLAGS) == 0 ||
	    set_flags(&now, before->flags) == 0)
		return true;
	snprintf(what, len, "has not the flags that it had; `ip link set %s %s`",
		 before->name, before->flags & IFF_UP ? "up" : "down");
	return false;
}
