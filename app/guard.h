/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Host safety: would flooding this interface cut the machine off?
 */
#ifndef APP_GUARD_H
#define APP_GUARD_H

#include <stdbool.h>

/*
 * Sets *is_default if the interface carries a default route: IPv4 or IPv6, in
 * any routing table, also as one of several next hops, also when it is only
 * the lower device (bridge port, bond slave, VLAN or macvlan parent, veth
 * end …) of one that does. Blackhole and unreachable routes do not count.
 * Looks at the calling thread's network namespace. No privilege.
 * Returns 0 or -errno (then *is_default is true: when in doubt, refuse).
 */
int guard_default_route(int ifindex, bool *is_default);

#endif
