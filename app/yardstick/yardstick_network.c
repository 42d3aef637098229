/* SPDX-License-Identifier: BSD-2-Clause */
/* Next hops, addresses and neighbours, by route netlink. */
#include <arpa/inet.h>
#include <errno.h>
#include <linux/neighbour.h>
#include <linux/rtnetlink.h>
#include <netlink/attr.h>
#include <netlink/errno.h>
#include <netlink/msg.h>
#include <netlink/route/addr.h>
#include <netlink/route/neighbour.h>
#include <string.h>

#include "rtnetlink.h"
#include "yardstick_network.h"

/* libnl's codes that matter to a caller, as errno. */
static int from_nl(int err)
{
	switch (err) {
	case -NLE_PERM:
	case -NLE_NOACCESS:
		return -EPERM;
	case -NLE_NOMEM:
		return -ENOMEM;
	default:
		return err < 0 ? -EIO : 0;
	}
}

/* ---- next hop ---- */

static int take_gateway(struct nl_msg *message, void *arg)
{
	struct nlattr *gateway =
		nlmsg_find_attr(nlmsg_hdr(message), sizeof(struct rtmsg), RTA_GATEWAY);
	uint32_t *hop = arg;

	if (gateway && nla_len(gateway) == 4)
		*hop = ntohl(nla_get_u32(gateway));
	return NL_OK;
}

static int ask_route(struct nl_sock *nl, int ifindex, uint32_t destination)
{
	const struct rtmsg route = { .rtm_family = AF_INET, .rtm_dst_len = 32 };
	struct nl_msg *message = nlmsg_alloc_simple(RTM_GETROUTE, NLM_F_REQUEST);
	int err = -NLE_NOMEM;

	if (message &&
	    !nlmsg_append(message, (void *)&route, sizeof(route), NLMSG_ALIGNTO) &&
	    !nla_put_u32(message, RTA_DST, htonl(destination)) &&
	    !nla_put_u32(message, RTA_OIF, (uint32_t)ifindex))
		err = nl_send_auto(nl, message);
	nlmsg_free(message);
	return err < 0 ? err : 0;
}

static int find_hop(struct nl_sock *nl, int ifindex, uint32_t destination, uint32_t *hop)
{
	int err;

	*hop = destination;
	nl_socket_modify_cb(nl, NL_CB_VALID, NL_CB_CUSTOM, take_gateway, hop);
	err = ask_route(nl, ifindex, destination);
	if (!err)
		err = nl_recvmsgs_default(nl);
	if (!err)
		err = nl_wait_for_ack(nl);
	return err < 0 ? -ENETUNREACH : 0;
}

/* ---- neighbours ---- */

static struct nl_addr *address_of(uint32_t address)
{
	const uint32_t wire = htonl(address);

	return nl_addr_build(AF_INET, &wire, sizeof(wire));
}

static int find_neighbour(struct nl_sock *nl, int ifindex, uint32_t address,
			  uint8_t mac[6])
{
	const int usable = NUD_PERMANENT | NUD_REACHABLE | NUD_STALE | NUD_DELAY |
			   NUD_PROBE | NUD_NOARP;
	struct nl_addr *key = address_of(address), *found = NULL;
	struct rtnl_neigh *neighbour = NULL;
	struct nl_cache *cache = NULL;
	int err = rtnl_neigh_alloc_cache(nl, &cache);

	if (!err && key)
		neighbour = rtnl_neigh_get(cache, ifindex, key);
	if (neighbour && rtnl_neigh_get_state(neighbour) & usable)
		found = rtnl_neigh_get_lladdr(neighbour);
	if (!err && found && nl_addr_get_len(found) == 6)
		memcpy(mac, nl_addr_get_binary_addr(found), 6);
	else if (!err)
		err = -NLE_OBJ_NOTFOUND;
	rtnl_neigh_put(neighbour);
	nl_cache_free(cache);
	nl_addr_put(key);
	return err == -NLE_OBJ_NOTFOUND ? -ENOENT : from_nl(err);
}

int yardstick_next_hop(int ifindex, uint32_t destination, uint32_t *hop, uint8_t mac[6])
{
	struct nl_sock *nl;
	int err = rtnetlink_open(&nl);

	if (err)
		return err;
	err = find_hop(nl, ifindex, destination, hop);
	nl_socket_free(nl);
	if (err)
		return err;
	/* With a session of its own: that one has a callback. */
	err = rtnetlink_open(&nl);
	if (err)
		return err;
	err = find_neighbour(nl, ifindex, *hop, mac);
	nl_socket_free(nl);
	return err;
}

/* ---- changes ---- */

int yardstick_add_address(int ifindex, uint32_t address)
{
	struct nl_addr *local = address_of(address);
	struct rtnl_addr *entry = rtnl_addr_alloc();
	struct nl_sock *nl;
	int err = rtnetlink_open(&nl);

	if (!err && (!local || !entry))
		err = -ENOMEM;
	if (!err) {
		rtnl_addr_set_ifindex(entry, ifindex);
		rtnl_addr_set_local(entry, local);
		rtnl_addr_set_prefixlen(entry, 32);
		err = from_nl(rtnl_addr_add(nl, entry, NLM_F_CREATE | NLM_F_REPLACE));
	}
	rtnl_addr_put(entry);
	nl_addr_put(local);
	nl_socket_free(nl);
	return err;
}

int yardstick_add_neighbour(int ifindex, uint32_t address, const uint8_t mac[6])
{
	struct nl_addr *key = address_of(address);
	struct nl_addr *link = nl_addr_build(AF_LLC, mac, 6);
	struct rtnl_neigh *entry = rtnl_neigh_alloc();
	struct nl_sock *nl;
	int err = rtnetlink_open(&nl);

	if (!err && (!key || !link || !entry))
		err = -ENOMEM;
	if (!err) {
		rtnl_neigh_set_ifindex(entry, ifindex);
		rtnl_neigh_set_dst(entry, key);
		rtnl_neigh_set_lladdr(entry, link);
		rtnl_neigh_set_state(entry, NUD_PERMANENT);
		err = from_nl(rtnl_neigh_add(nl, entry, NLM_F_CREATE | NLM_F_REPLACE));
	}
	rtnl_neigh_put(entry);
	nl_addr_put(link);
	nl_addr_put(key);
	nl_socket_free(nl);
	return err;
}
