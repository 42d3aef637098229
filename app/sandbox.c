/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The sandbox: a private network namespace with a multi-queue veth pair. Both
 * ends live in it, so the far end can be counted from the same process.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <linux/if.h>
#include <netlink/errno.h>
#include <netlink/route/link.h>
#include <netlink/route/link/veth.h>

#include "message.h"
#include "procfs.h"
#include "rtnetlink.h"
#include "sandbox.h"

#define OBJECT "--sandbox"
#define CARRIER_WAIT_MS 2000
#define CARRIER_POLL_MS 2
#define NO_CARRIER (-NLE_MAX - 1) /* beside libnl's codes */

/* Write a short string to a file of /proc; 0 or -errno. */
static int write_file(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	ssize_t n;
	int err = 0;

	if (fd < 0)
		return -errno;
	n = write(fd, text, strlen(text));
	if (n != (ssize_t)strlen(text))
		err = n < 0 ? -errno : -EIO;
	close(fd);
	return err;
}

/*
 * Why a user namespace could not be had. The three switches: Debian's own
 * sysctl, the kernel's limit (4.9), and AppArmor's (Ubuntu 23.10 on), which
 * lets the namespace be made but empties its capabilities.
 */
static int explain_user_namespace(int err)
{
	if (procfs_number("/proc/sys/kernel/unprivileged_userns_clone", 1) == 0)
		return fail(EXIT_RUNTIME, OBJECT,
			    "user namespaces are switched off for ordinary users; run as "
			    "root or set sysctl kernel.unprivileged_userns_clone=1");
	if (procfs_number("/proc/sys/user/max_user_namespaces", 1) == 0)
		return fail(EXIT_RUNTIME, OBJECT,
			    "no user namespaces are allowed; run as root or raise "
			    "sysctl user.max_user_namespaces");
	if (procfs_number("/proc/sys/kernel/apparmor_restrict_unprivileged_userns", 0) ==
	    1)
		return fail(EXIT_RUNTIME, OBJECT,
			    "AppArmor restricts user namespaces; run as root or set "
			    "sysctl kernel.apparmor_restrict_unprivileged_userns=0");
	if (err == -ENOSPC)
		return fail(EXIT_RUNTIME, OBJECT,
			    "the limit of namespaces is reached; raise sysctl "
			    "user.max_user_namespaces or user.max_net_namespaces");
	if (err == -EINVAL)
		return fail(EXIT_RUNTIME, OBJECT,
			    "no user namespace: the kernel lacks CONFIG_USER_NS or the "
			    "process has several threads; run as root");
	return fail(EXIT_RUNTIME, OBJECT,
		    "no user namespace: %s (a container or seccomp profile may forbid "
		    "it); run as root or allow unshare(2)",
		    strerror(-err));
}

/* Map the user and group to themselves, so that files keep their owner. */
static int map_identity(uid_t uid, gid_t gid)
{
	char map[64];
	int err;

	/* Required before an unprivileged gid_map (Linux 3.19). */
	err = write_file("/proc/self/setgroups", "deny");
	if (err && err != -ENOENT)
		return err;
	snprintf(map, sizeof(map), "%u %u 1\n", uid, uid);
	err = write_file("/proc/self/uid_map", map);
	if (err)
		return err;
	snprintf(map, sizeof(map), "%u %u 1\n", gid, gid);
	return write_file("/proc/self/gid_map", map);
}

static int enter_namespace(struct sandbox *sandbox)
{
	uid_t uid = geteuid();
	gid_t gid = getegid();
	int err;

	if (unshare(CLONE_NEWNET) == 0)
		return EXIT_DONE;
	if (errno == ENOSPC)
		return fail(EXIT_RUNTIME, OBJECT,
			    "the limit of network namespaces is reached; raise sysctl "
			    "user.max_net_namespaces");
	if (errno != EPERM)
		return fail(EXIT_RUNTIME, OBJECT,
			    "no network namespace: %s; the kernel needs CONFIG_NET_NS",
			    strerror(errno));
	if (unshare(CLONE_NEWUSER | CLONE_NEWNET))
		return explain_user_namespace(-errno);
	sandbox->user_namespace = true;
	err = map_identity(uid, gid);
	return err ? explain_user_namespace(err) : EXIT_DONE;
}

/*
 * No IPv6 on interfaces to come: neighbour and multicast discovery would put
 * frames on the wire that nobody asked for. Where the kernel has no IPv6 there
 * is nothing to do; where /proc is read-only those few frames are told apart
 * by content.
 */
static void disable_ipv6(void)
{
	(void)write_file("/proc/sys/net/ipv6/conf/all/disable_ipv6", "1");
	(void)write_file("/proc/sys/net/ipv6/conf/default/disable_ipv6", "1");
}

static int create_pair(struct nl_sock *nl, uint32_t queues)
{
	struct rtnl_link *near = rtnl_link_veth_alloc();
	struct rtnl_link *far;
	int err;

	if (!near)
		return -NLE_NOMEM;
	far = rtnl_link_veth_get_peer(near); /* takes a reference */
	rtnl_link_set_name(near, SANDBOX_INTERFACE);
	rtnl_link_set_name(far, SANDBOX_FAR_INTERFACE);
	rtnl_link_set_num_tx_queues(near, queues);
	rtnl_link_set_num_rx_queues(near, queues);
	rtnl_link_set_num_tx_queues(far, queues);
	rtnl_link_set_num_rx_queues(far, queues);
	err = rtnl_link_add(nl, near, NLM_F_CREATE | NLM_F_EXCL);
	rtnl_link_put(far);
	rtnl_link_veth_release(near);
	return err;
}

/* if_nametoindex() would need a socket of its own. An answer out of turn, left
 * by a request that failed late, gives no link (libnl 3.7): ask again. */
static int find(struct nl_sock *nl, const char *name, int *ifindex)
{
	struct rtnl_link *link = NULL;
	int err, tries;

	for (tries = 0; tries < 3 && !link; tries++) {
		err = rtnl_link_get_kernel(nl, 0, name, &link);
		if (err)
			break;
	}
	if (!err && !link)
		err = -NLE_OBJ_NOTFOUND;
	if (!err)
		*ifindex = rtnl_link_get_ifindex(link);
	rtnl_link_put(link);
	return err;
}

static int set_up(struct nl_sock *nl, int ifindex)
{
	struct rtnl_link *which = rtnl_link_alloc();
	struct rtnl_link *change = rtnl_link_alloc();
	int err = -NLE_NOMEM;

	if (which && change) {
		rtnl_link_set_ifindex(which, ifindex);
		rtnl_link_set_flags(change, IFF_UP | IFF_NOARP);
		err = rtnl_link_change(nl, which, change, 0);
	}
	rtnl_link_put(change);
	rtnl_link_put(which);
	return err;
}

/* A veth has carrier once both ends are up; bounded all the same. */
static int wait_for_carrier(struct nl_sock *nl, int ifindex)
{
	int waited_ms;

	for (waited_ms = 0;; waited_ms += CARRIER_POLL_MS) {
		struct rtnl_link *link = NULL;
		unsigned int flags;
		int err = rtnl_link_get_kernel(nl, ifindex, NULL, &link);

		if (err)
			return err;
		/* As in find(), there may be none. */
		flags = link ? rtnl_link_get_flags(link) : 0;
		rtnl_link_put(link);
		if (flags & IFF_LOWER_UP)
			return 0;
		if (waited_ms >= CARRIER_WAIT_MS)
			return NO_CARRIER;
		poll(NULL, 0, CARRIER_POLL_MS);
	}
}

/* Returns 0 or a negative libnl error. */
static int build_network(struct nl_sock *nl, struct sandbox *sandbox)
{
	int err;

	disable_ipv6();
	err = create_pair(nl, sandbox->queues);
	if (err)
		return err;
	err = find(nl, SANDBOX_INTERFACE, &sandbox->ifindex);
	if (!err)
		err = find(nl, SANDBOX_FAR_INTERFACE, &sandbox->far_ifindex);
	if (!err)
		err = set_up(nl, sandbox->ifindex);
	if (!err)
		err = set_up(nl, sandbox->far_ifindex);
	if (!err)
		err = wait_for_carrier(nl, sandbox->ifindex);
	if (!err)
		err = wait_for_carrier(nl, sandbox->far_ifindex);
	return err;
}

/* libnl turns EPERM into its own code; tell the three likely causes. */
static int explain_network(int err, const struct sandbox *sandbox)
{
	if ((err == -NLE_PERM || err == -NLE_NOACCESS) && sandbox->user_namespace)
		return explain_user_namespace(-EPERM);
	if (err == -NLE_OPNOTSUPP)
		return fail(EXIT_RUNTIME, OBJECT,
			    "the kernel cannot make veth interfaces; load the module "
			    "veth (`modprobe veth`) or enable CONFIG_VETH");
	if (err == -NLE_NOMEM)
		return fail(EXIT_RUNTIME, OBJECT,
			    "no memory for a veth pair with %u queues; ask for fewer",
			    sandbox->queues);
	if (err == NO_CARRIER)
		return fail(EXIT_RUNTIME, OBJECT,
			    "no carrier on the veth pair within %d ms; try again",
			    CARRIER_WAIT_MS);
	return fail(EXIT_RUNTIME, OBJECT,
		    "cannot make a veth pair with %u queues: %s; does "
		    "`unshare -rn ip link add type veth` work here?",
		    sandbox->queues, nl_geterror(err));
}

int sandbox_open(uint32_t queues, struct sandbox *out)
{
	struct nl_sock *nl;
	int err;

	memset(out, 0, sizeof(*out));
	if (queues < 1 || queues > SANDBOX_MAX_QUEUES)
		return fail(EXIT_USAGE, OBJECT, "%u queues asked; give 1 to %d", queues,
			    SANDBOX_MAX_QUEUES);
	out->queues = queues;
	err = enter_namespace(out);
	if (err)
		return err;

	err = rtnetlink_open(&nl);
	if (err)
		return fail(EXIT_RUNTIME, OBJECT,
			    "cannot ask the kernel for a veth pair: "
			    "%s; check memory and `ulimit -n`",
			    strerror(-err));
	err = build_network(nl, out);
	nl_socket_free(nl);
	if (err)
		return explain_network(err, out);
	out->open = true;
	return EXIT_DONE;
}

void sandbox_close(struct sandbox *sandbox)
{
	struct nl_sock *nl;
	struct rtnl_link *link;

	if (!sandbox->open)
		return;
	sandbox->open = false;
	link = rtnl_link_alloc();
	if (rtnetlink_open(&nl) == 0 && link) {
		/* The peer goes with it. A refusal leaves both to the end of
		 * the process. */
		rtnl_link_set_ifindex(link, sandbox->ifindex);
		(void)rtnl_link_delete(nl, link);
	}
	rtnl_link_put(link);
	nl_socket_free(nl);
}
