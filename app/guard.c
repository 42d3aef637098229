/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Host safety: finds out whether an interface, or anything stacked on it,
 * carries a default route.
 *
 * Two dumps: the links, to know what sits on what, and the routes of every
 * table, streamed (a border router has a million of them).
 */
#include <errno.h>
#include <stdlib.h>
#include <linux/rtnetlink.h>
#include <netlink/errno.h>
#include <netlink/netlink.h>
#include <netlink/msg.h>
#include <netlink/route/link.h>
#include <netlink/route/nexthop.h>
#include <netlink/route/route.h>

#include "guard.h"
#include "rtnetlink.h"

/* Since Linux 5.3: the route names a next-hop object. */
#ifndef RTA_NH_ID
#define RTA_NH_ID 30
#endif

/* The interface and all that is stacked on it. */
struct stack {
	int *ifindex;
	size_t count;
	size_t room;
	bool grew;
	bool out_of_memory;
};

struct search {
	const struct stack *stack;
	bool found;
};

static bool stack_has(const struct stack *stack, int ifindex)
{
	size_t i;

	for (i = 0; i < stack->count; i++)
		if (stack->ifindex[i] == ifindex)
			return true;
	return false;
}

static void stack_add(struct stack *stack, int ifindex)
{
	if (ifindex <= 0 || stack_has(stack, ifindex))
		return;
	if (stack->count == stack->room) {
		size_t room = stack->room ? 2 * stack->room : 16;
		int *grown = reallocarray(stack->ifindex, room, sizeof(*grown));

		if (!grown) {
			stack->out_of_memory = true;
			return;
		}
		stack->ifindex = grown;
		stack->room = room;
	}
	stack->ifindex[stack->count++] = ifindex;
	stack->grew = true;
}

static void add_if_on_top(struct nl_object *object, void *arg)
{
	struct rtnl_link *link = (struct rtnl_link *)object;
	struct stack *stack = arg;
	int elsewhere;

	/* Its master is on top of a port or slave. */
	if (stack_has(stack, rtnl_link_get_ifindex(link)))
		stack_add(stack, rtnl_link_get_master(link));
	/* It is a VLAN, macvlan, tunnel or veth end over one of ours; with a
	 * namespace id the number belongs to another namespace. */
	if (rtnl_link_get_link_netnsid(link, &elsewhere) != 0 &&
	    stack_has(stack, rtnl_link_get_link(link)))
		stack_add(stack, rtnl_link_get_ifindex(link));
}

/* Each pass but the last adds an interface, so the loop ends. */
static int read_stack(struct nl_sock *nl, int ifindex, struct stack *stack)
{
	struct nl_cache *links;
	int err = rtnl_link_alloc_cache(nl, AF_UNSPEC, &links);

	if (err)
		return err;
	stack_add(stack, ifindex);
	do {
		stack->grew = false;
		nl_cache_foreach(links, add_if_on_top, stack);
	} while (stack->grew && !stack->out_of_memory);
	nl_cache_free(links);
	return stack->out_of_memory ? -NLE_NOMEM : 0;
}

/*
 * 0.0.0.0/0 and ::/0, and their halves, which VPNs use to override the default
 * route without replacing it. Only routes that lead somewhere.
 */
static bool is_default_route(const struct rtmsg *rtm)
{
	return rtm->rtm_dst_len <= 1 && rtm->rtm_type == RTN_UNICAST &&
	       (rtm->rtm_family == AF_INET || rtm->rtm_family == AF_INET6) &&
	       !(rtm->rtm_flags & RTM_F_CLONED);
}

static void check_next_hop(struct rtnl_nexthop *hop, void *arg)
{
	struct search *search = arg;

	if (stack_has(search->stack, rtnl_route_nh_get_ifindex(hop)))
		search->found = true;
}

static int check_route(struct nl_msg *msg, void *arg)
{
	struct nlmsghdr *header = nlmsg_hdr(msg);
	struct search *search = arg;
	struct rtnl_route *route;

	if (header->nlmsg_type != RTM_NEWROUTE || !is_default_route(nlmsg_data(header)))
		return NL_OK;
	if (rtnl_route_parse(header, &route)) {
		search->found = true; /* cannot be read: when in doubt, refuse */
		return NL_OK;
	}
	rtnl_route_foreach_nexthop(route, check_next_hop, search);
	/* With sysctl net.ipv4.nexthop_compat_mode=0 the kernel names a
	 * next-hop object only; it could be any interface. */
	if (rtnl_route_get_nnexthops(route) == 0 &&
	    nlmsg_find_attr(header, sizeof(struct rtmsg), RTA_NH_ID))
		search->found = true;
	rtnl_route_put(route);
	return NL_OK;
}

/* A dump of AF_UNSPEC has the routes of every family and table. */
static int search_routes(struct nl_sock *nl, struct search *search)
{
	struct rtmsg request = { .rtm_family = AF_UNSPEC };
	int err;

	nl_socket_modify_cb(nl, NL_CB_VALID, NL_CB_CUSTOM, check_route, search);
	err = nl_send_simple(nl, RTM_GETROUTE, NLM_F_DUMP, &request, sizeof(request));
	return err < 0 ? err : nl_recvmsgs_default(nl);
}

int guard_default_route(int ifindex, bool *is_default)
{
	struct stack stack = { 0 };
	struct search search = { .stack = &stack };
	struct nl_sock *nl;
	int err;

	*is_default = true;
	err = rtnetlink_open(&nl);
	if (err)
		return err;
	err = read_stack(nl, ifindex, &stack);
	if (!err)
		err = search_routes(nl, &search);
	nl_socket_free(nl);
	free(stack.ifindex);
	if (err < 0)
		return err == -NLE_NOMEM   ? -ENOMEM
		       : err == -NLE_AGAIN ? -ETIMEDOUT
					   : -EIO;
	*is_default = search.found;
	return 0;
}
