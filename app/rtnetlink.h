/* SPDX-License-Identifier: BSD-2-Clause */
/* Route netlink sessions that never wait for ever. */
#ifndef APP_RTNETLINK_H
#define APP_RTNETLINK_H

#include <netlink/netlink.h>

/*
 * Open a session whose answers are waited for at most two seconds: libnl waits
 * for the answer to a request that it could not send. End it with
 * nl_socket_free(), which takes NULL. Returns 0 or -errno, *out is NULL then.
 */
int rtnetlink_open(struct nl_sock **out);

#endif
