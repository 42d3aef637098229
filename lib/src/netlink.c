/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Netlink requests: send one message, read its answer within a bounded time,
 * parse the few attributes the library needs.
 *
 * Requests are built by hand on libnl instead of through rtnl_link objects: one
 * parser then serves look-up by index, name and alternative name as well as the
 * repeated counter reads, and the answer never lists virtual functions.
 */
#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <linux/if.h>
#include <linux/if_link.h>
#include <linux/rtnetlink.h>
#include <netlink/attr.h>
#include <netlink/errno.h>
#include <netlink/genl/ctrl.h>
#include <netlink/genl/genl.h>
#include <netlink/socket.h>

#include "netlink.h"

/* include/uapi/linux/netdev.h: the header came with 6.3, queues with 6.8. The
 * enumerators are ABI, so names of our own avoid a clash with newer headers. */
#define NETDEV_DEV_GET 1
#define NETDEV_DEV_IFINDEX 1
#define NETDEV_DEV_XDP_FEATURES 3
#define NETDEV_QUEUE_GET 10
#define NETDEV_QUEUE_ID 1
#define NETDEV_QUEUE_IFINDEX 2
#define NETDEV_QUEUE_TYPE 3
#define NETDEV_QUEUE_IS_TX 1

#define ALT_NAME_MAX 127    /* ALTIFNAMSIZ - 1, linux/if.h */
#define RECEIVE_BYTES 32768 /* a link is about 2 KiB, a dump part 8 KiB */
#define RECEIVE_TRIES 16    /* stale answers to skip before giving up */

static int error_of(int nl_error)
{
	switch (nl_error < 0 ? -nl_error : nl_error) {
	case NLE_AGAIN:
		return -ETIMEDOUT;
	case NLE_NOMEM:
		return -ENOMEM;
	case NLE_NODEV:
		return -ENODEV;
	case NLE_PERM:
	case NLE_NOACCESS:
		return -EPERM;
	case NLE_OPNOTSUPP:
		return -EOPNOTSUPP;
	case NLE_OBJ_NOTFOUND:
		return -ENOENT;
	case NLE_INTR:
		return -EINTR;
	default:
		return -EIO;
	}
}

static int on_sequence(struct nl_msg *msg, void *arg)
{
	const struct dxmit_netlink *netlink = arg;

	/* An answer that came after its request had timed out. */
	return nlmsg_hdr(msg)->nlmsg_seq == netlink->sequence ? NL_OK : NL_SKIP;
}

static int on_valid(struct nl_msg *msg, void *arg)
{
	struct dxmit_netlink *netlink = arg;
	struct nlmsghdr *header = nlmsg_hdr(msg);

	netlink->parse(header, netlink->arg);
	if (!(header->nlmsg_flags & NLM_F_MULTI))
		netlink->answered = true;
	return NL_OK;
}

static int on_finish(struct nl_msg *msg, void *arg)
{
	struct dxmit_netlink *netlink = arg;

	(void)msg;
	netlink->answered = true;
	return NL_STOP;
}

static int on_error(struct sockaddr_nl *from, struct nlmsgerr *error, void *arg)
{
	struct dxmit_netlink *netlink = arg;

	(void)from;
	netlink->answered = true;
	netlink->error = error->error;
	return NL_STOP;
}

static int install_callbacks(struct dxmit_netlink *netlink)
{
	struct nl_sock *socket = netlink->socket;

	if (nl_socket_modify_cb(socket, NL_CB_SEQ_CHECK, NL_CB_CUSTOM, on_sequence,
				netlink) < 0 ||
	    nl_socket_modify_cb(socket, NL_CB_VALID, NL_CB_CUSTOM, on_valid, netlink) <
		    0 ||
	    nl_socket_modify_cb(socket, NL_CB_FINISH, NL_CB_CUSTOM, on_finish, netlink) <
		    0 ||
	    nl_socket_modify_err_cb(socket, NL_CB_CUSTOM, on_error, netlink) < 0)
		return -ENOMEM;
	nl_socket_disable_auto_ack(socket);
	return 0;
}

int dxmit_netlink_open(struct dxmit_netlink *netlink, const char *family)
{
	const struct timeval timeout = {
		.tv_sec = DXMIT_NETLINK_TIMEOUT_MS / 1000,
		.tv_usec = DXMIT_NETLINK_TIMEOUT_MS % 1000 * 1000,
	};
	int err;

	memset(netlink, 0, sizeof(*netlink));
	netlink->socket = nl_socket_alloc();
	if (!netlink->socket)
		return -ENOMEM;
	errno = 0;
	/* libnl makes the socket close-on-exec. */
	err = nl_connect(netlink->socket, family ? NETLINK_GENERIC : NETLINK_ROUTE);
	if (err < 0) {
		err = errno ? -errno : error_of(err);
		goto close;
	}
	if (setsockopt(nl_socket_get_fd(netlink->socket), SOL_SOCKET, SO_RCVTIMEO,
		       &timeout, sizeof(timeout)) < 0) {
		err = -errno;
		goto close;
	}
	/* A fixed buffer saves the extra recvmsg() that asks for the length. */
	nl_socket_set_msg_buf_size(netlink->socket, RECEIVE_BYTES);
	if (family) {
		/* Before our callbacks: libnl answers this one itself. */
		err = genl_ctrl_resolve(netlink->socket, family);
		if (err < 0) {
			err = error_of(err);
			goto close;
		}
		netlink->family = err;
	}
	err = install_callbacks(netlink);
	if (!err)
		return 0;
close:
	dxmit_netlink_close(netlink);
	return err;
}

void dxmit_netlink_close(struct dxmit_netlink *netlink)
{
	if (netlink->socket)
		nl_socket_free(netlink->socket);
	netlink->socket = NULL;
}

/* Send `msg` (consumed) and feed its answer to `parse`. */
static int request(struct dxmit_netlink *netlink, struct nl_msg *msg,
		   void (*parse)(struct nlmsghdr *, void *), void *arg)
{
	int err, tries;

	netlink->parse = parse;
	netlink->arg = arg;
	netlink->answered = false;
	netlink->error = 0;
	err = nl_send_auto(netlink->socket, msg);
	netlink->sequence = nlmsg_hdr(msg)->nlmsg_seq;
	nlmsg_free(msg);
	if (err < 0)
		return error_of(err);

	for (tries = 0; tries < RECEIVE_TRIES && !netlink->answered; tries++) {
		err = nl_recvmsgs_default(netlink->socket);
		if (netlink->error)
			return netlink->error;
		if (err < 0)
			return error_of(err);
	}
	return netlink->answered ? 0 : -ETIMEDOUT;
}

static void copy_text(char *to, size_t len, struct nlattr *attr)
{
	if (attr)
		nla_strlcpy(to, attr, len);
}

static void parse_kind(struct dxmit_link *link, struct nlattr *linkinfo)
{
	struct nlattr *info[IFLA_INFO_MAX + 1];

	if (linkinfo && nla_parse_nested(info, IFLA_INFO_MAX, linkinfo, NULL) == 0)
		copy_text(link->kind, sizeof(link->kind), info[IFLA_INFO_KIND]);
}

static void parse_stats(struct dxmit_nic_counters *counters, struct nlattr *attr)
{
	struct rtnl_link_stats64 stats;

	/* Older kernels send a shorter struct; the fields used are its first. */
	memset(&stats, 0, sizeof(stats));
	nla_memcpy(&stats, attr, sizeof(stats));
	counters->tx_packets = stats.tx_packets;
	counters->tx_bytes = stats.tx_bytes;
	counters->tx_dropped = stats.tx_dropped;
	counters->tx_errors = stats.tx_errors;
	counters->rx_packets = stats.rx_packets;
	counters->rx_bytes = stats.rx_bytes;
	counters->rx_dropped = stats.rx_dropped;
}

static void parse_link(struct nlmsghdr *header, void *arg)
{
	struct dxmit_link *link = arg;
	const struct ifinfomsg *info = nlmsg_data(header);
	struct nlattr *attr[IFLA_MAX + 1];

	if (header->nlmsg_type != RTM_NEWLINK ||
	    nlmsg_parse(header, sizeof(*info), attr, IFLA_MAX, NULL) < 0)
		return;
	link->ifindex = info->ifi_index;
	link->flags = info->ifi_flags;
	link->type = info->ifi_type;
	copy_text(link->name, sizeof(link->name), attr[IFLA_IFNAME]);
	copy_text(link->parent_bus, sizeof(link->parent_bus),
		  attr[IFLA_PARENT_DEV_BUS_NAME]);
	copy_text(link->parent, sizeof(link->parent), attr[IFLA_PARENT_DEV_NAME]);
	if (attr[IFLA_ADDRESS])
		nla_memcpy(link->mac, attr[IFLA_ADDRESS], sizeof(link->mac));
	if (attr[IFLA_NUM_TX_QUEUES])
		link->tx_queues_max = nla_get_u32(attr[IFLA_NUM_TX_QUEUES]);
	if (attr[IFLA_NUM_RX_QUEUES])
		link->rx_queues_max = nla_get_u32(attr[IFLA_NUM_RX_QUEUES]);
	if (attr[IFLA_MTU])
		link->counters.mtu = nla_get_u32(attr[IFLA_MTU]);
	if (attr[IFLA_STATS64])
		parse_stats(&link->counters, attr[IFLA_STATS64]);
	link->counters.up = (info->ifi_flags & IFF_UP) != 0;
	link->counters.carrier = (info->ifi_flags & IFF_LOWER_UP) != 0;
	parse_kind(link, attr[IFLA_LINKINFO]);
}

static int get_link(struct dxmit_netlink *netlink, int ifindex, int name_attr,
		    const char *name, struct dxmit_link *link)
{
	struct ifinfomsg info = { .ifi_family = AF_UNSPEC, .ifi_index = ifindex };
	struct nl_msg *msg = nlmsg_alloc_simple(RTM_GETLINK, NLM_F_REQUEST);
	int err;

	memset(link, 0, sizeof(*link));
	if (!msg)
		return -ENOMEM;
	if (nlmsg_append(msg, &info, sizeof(info), NLMSG_ALIGNTO) < 0 ||
	    (name && nla_put_string(msg, name_attr, name) < 0)) {
		nlmsg_free(msg);
		return -ENOMEM;
	}
	err = request(netlink, msg, parse_link, link);
	if (err)
		return err;
	return link->ifindex > 0 ? 0 : -ENODEV;
}

int dxmit_netlink_link(struct dxmit_netlink *netlink, int ifindex,
		       struct dxmit_link *link)
{
	memset(link, 0, sizeof(*link));
	if (ifindex <= 0)
		return -ENODEV;
	return get_link(netlink, ifindex, 0, NULL, link);
}

int dxmit_netlink_link_named(struct dxmit_netlink *netlink, const char *name,
			     struct dxmit_link *link)
{
	size_t length = strlen(name);
	int err = -ENODEV;

	memset(link, 0, sizeof(*link));
	if (length == 0 || length > ALT_NAME_MAX)
		return -ENODEV;
	if (length < DXMIT_NAME_LEN)
		err = get_link(netlink, 0, IFLA_IFNAME, name, link);
	if (err == -ENODEV)
		err = get_link(netlink, 0, IFLA_ALT_IFNAME, name, link);
	return err;
}

static struct nl_msg *netdev_request(const struct dxmit_netlink *netlink, int command,
				     int flags, int ifindex_attr, int ifindex)
{
	struct nl_msg *msg = nlmsg_alloc();

	if (!msg)
		return NULL;
	if (!genlmsg_put(msg, NL_AUTO_PORT, NL_AUTO_SEQ, netlink->family, 0, flags,
			 (uint8_t)command, 1) ||
	    nla_put_u32(msg, ifindex_attr, (uint32_t)ifindex) < 0) {
		nlmsg_free(msg);
		return NULL;
	}
	return msg;
}

struct features_answer {
	uint64_t features;
	bool present;
};

static void parse_features(struct nlmsghdr *header, void *arg)
{
	struct nlattr *attr[NETDEV_DEV_XDP_FEATURES + 1];
	struct features_answer *answer = arg;

	if (genlmsg_parse(header, 0, attr, NETDEV_DEV_XDP_FEATURES, NULL) < 0 ||
	    !attr[NETDEV_DEV_XDP_FEATURES])
		return;
	answer->features = nla_get_u64(attr[NETDEV_DEV_XDP_FEATURES]);
	answer->present = true;
}

int dxmit_netlink_xdp_features(struct dxmit_netlink *netlink, int ifindex,
			       uint64_t *features)
{
	struct features_answer answer = { .present = false };
	struct nl_msg *msg =
		netdev_request(netlink, NETDEV_DEV_GET, 0, NETDEV_DEV_IFINDEX, ifindex);
	int err;

	if (!msg)
		return -ENOMEM;
	err = request(netlink, msg, parse_features, &answer);
	if (err)
		return err;
	*features = answer.features;
	return answer.present ? 0 : -EOPNOTSUPP;
}

struct queues_answer {
	int ifindex;
	uint32_t count[2]; /* RX, TX */
};

static void parse_queue(struct nlmsghdr *header, void *arg)
{
	struct nlattr *attr[NETDEV_QUEUE_TYPE + 1];
	struct queues_answer *answer = arg;
	uint32_t type, id;

	if (genlmsg_parse(header, 0, attr, NETDEV_QUEUE_TYPE, NULL) < 0 ||
	    !attr[NETDEV_QUEUE_TYPE] || !attr[NETDEV_QUEUE_ID] ||
	    !attr[NETDEV_QUEUE_IFINDEX] ||
	    nla_get_u32(attr[NETDEV_QUEUE_IFINDEX]) != (uint32_t)answer->ifindex)
		return;
	type = nla_get_u32(attr[NETDEV_QUEUE_TYPE]);
	id = nla_get_u32(attr[NETDEV_QUEUE_ID]);
	if (type <= NETDEV_QUEUE_IS_TX && id < UINT32_MAX && id >= answer->count[type])
		answer->count[type] = id + 1;
}

int dxmit_netlink_queues(struct dxmit_netlink *netlink, int ifindex, uint32_t *tx,
			 uint32_t *rx)
{
	struct queues_answer answer = { .ifindex = ifindex };
	struct nl_msg *msg = netdev_request(netlink, NETDEV_QUEUE_GET, NLM_F_DUMP,
					    NETDEV_QUEUE_IFINDEX, ifindex);
	int err;

	if (!msg)
		return -ENOMEM;
	err = request(netlink, msg, parse_queue, &answer);
	if (err)
		return err;
	*tx = answer.count[NETDEV_QUEUE_IS_TX];
	*rx = answer.count[1 - NETDEV_QUEUE_IS_TX];
	return 0;
}
