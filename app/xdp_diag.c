/* SPDX-License-Identifier: BSD-2-Clause */
/* The question of xdp_diag.h: a netlink dump of all AF_XDP sockets. */
#include <errno.h>
#include <linux/sock_diag.h>
#include <linux/xdp_diag.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <netlink/msg.h>
#include <netlink/netlink.h>

#include "xdp_diag.h"

#define TIMEOUT_SECONDS 2

struct search {
	uint64_t inode;
	bool found;
	struct xdp_diag_info info;
};

static int on_socket(struct nl_msg *msg, void *arg)
{
	struct search *search = arg;
	struct nlmsghdr *header = nlmsg_hdr(msg);
	const struct xdp_diag_msg *socket = nlmsg_data(header);
	struct nlattr *attribute;

	if (nlmsg_datalen(header) < (int)sizeof(*socket) ||
	    socket->xdiag_ino != search->inode)
		return NL_OK;
	attribute = nlmsg_find_attr(header, sizeof(*socket), XDP_DIAG_INFO);
	if (attribute && nla_len(attribute) >= (int)sizeof(search->info)) {
		nla_memcpy(&search->info, attribute, sizeof(search->info));
		search->found = true;
	}
	return NL_OK;
}

static bool ask(struct nl_sock *nl, struct search *search)
{
	const struct timeval timeout = { .tv_sec = TIMEOUT_SECONDS };
	struct xdp_diag_req request = { .sdiag_family = AF_XDP,
					.xdiag_show = XDP_SHOW_INFO };

	return nl_connect(nl, NETLINK_SOCK_DIAG) >= 0 &&
	       setsockopt(nl_socket_get_fd(nl), SOL_SOCKET, SO_RCVTIMEO, &timeout,
			  sizeof(timeout)) == 0 &&
	       nl_socket_modify_cb(nl, NL_CB_VALID, NL_CB_CUSTOM, on_socket, search) >=
		       0 &&
	       nl_send_simple(nl, SOCK_DIAG_BY_FAMILY, NLM_F_DUMP, &request,
			      sizeof(request)) >= 0 &&
	       nl_recvmsgs_default(nl) >= 0;
}

bool xdp_diag_find(uint64_t inode, uint32_t *ifindex, uint32_t *queue)
{
	struct search search = { .inode = inode };
	struct nl_sock *nl = nl_socket_alloc();
	bool asked = nl && ask(nl, &search);

	nl_socket_free(nl);
	*ifindex = search.info.ifindex;
	*queue = search.info.queue_id;
	return asked && search.found;
}
