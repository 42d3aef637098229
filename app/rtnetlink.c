/* SPDX-License-Identifier: BSD-2-Clause */
/* The session of rtnetlink.h. */
#include <errno.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <netlink/errno.h>
#include <netlink/socket.h>

#include "rtnetlink.h"

#define TIMEOUT_SECONDS 2

int rtnetlink_open(struct nl_sock **out)
{
	const struct timeval timeout = { .tv_sec = TIMEOUT_SECONDS };
	struct nl_sock *nl = nl_socket_alloc();
	int err = 0;

	*out = NULL;
	if (!nl)
		return -ENOMEM;
	errno = 0;
	if (nl_connect(nl, NETLINK_ROUTE) < 0)
		err = errno ? -errno : -EIO;
	else if (setsockopt(nl_socket_get_fd(nl), SOL_SOCKET, SO_RCVTIMEO, &timeout,
			    sizeof(timeout)) < 0)
		err = -errno;
	if (err) {
		nl_socket_free(nl);
		return err;
	}
	*out = nl;
	return 0;
}
