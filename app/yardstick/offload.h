/* SPDX-License-Identifier: BSD-2-Clause */
/* Offloads of an interface, by the names that `ethtool -k` has for them. */
#ifndef APP_OFFLOAD_H
#define APP_OFFLOAD_H

#include <stdbool.h>

#define OFFLOAD_UDP_SEGMENTATION "tx-udp-segmentation"

/* Whether it is on. Returns 0, or -errno; -EOPNOTSUPP where the kernel does not
 * know it. No privilege. */
int offload_read(const char *interface, const char *offload, bool *on);

/* Switch it; needs CAP_NET_ADMIN. Returns 0 or -errno; -EBUSY if the interface took
 * the request and did otherwise. */
int offload_set(const char *interface, const char *offload, bool on);

#endif
