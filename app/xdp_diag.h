/* SPDX-License-Identifier: BSD-2-Clause */
/* Where an AF_XDP socket is bound, as the kernel's socket monitor tells it. */
#ifndef APP_XDP_DIAG_H
#define APP_XDP_DIAG_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Find a socket of our network namespace by its inode. False where it is not
 * found, or the kernel cannot tell (CONFIG_XDP_SOCKETS_DIAG).
 */
bool xdp_diag_find(uint64_t inode, uint32_t *ifindex, uint32_t *queue);

#endif
