/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The interface as it was before, and again: XDP program, queues, name and settings. What
 * legs leave behind is undone after each of them.
 */
#ifndef APP_RESTORE_H
#define APP_RESTORE_H

#include <stdbool.h>
#include <stdint.h>
#include <linux/ethtool.h>

#include <dxmit/dxmit.h>
#include "restore_link.h"

struct restore_state {
	int ifindex;
	struct restore_link link;
	bool link_known;
	uint32_t program;      /* id; 0: none */
	uint32_t program_mode; /* XDP_FLAGS_…_MODE of it */
	int program_fd;        /* to attach it again; -1: cannot be had */
	bool channels_known;
	struct ethtool_channels channels;
	uint32_t tx_queues; /* active */
};

/* Remember what the interface is. restore_close() is due. */
void restore_record(const struct dxmit_nic *nic, struct restore_state *out);

/*
 * Make it so again. What the kernel undoes by itself is waited for, at most 1 s. Our
 * own legs change nothing but the program; only after a `foreign` one are queues,
 * name, flags, MTU and queue length put back, since otherwise somebody else has
 * changed them on purpose. One that fails keeps none of the others. Returns true if it
 * is as it was; else `what` says what could not be undone, of several the first, as a
 * sentence's end with a remedy ("has an XDP program that …; `ip link …`").
 */
#define RESTORE_TEXT 192
bool restore_apply(const struct restore_state *before, bool foreign,
		   char what[RESTORE_TEXT]);

void restore_close(struct restore_state *state);

#endif
