/* SPDX-License-Identifier: BSD-2-Clause */
/* What an interface is called and how it is set, as far as ioctl(2) knows it. */
#ifndef APP_RESTORE_LINK_H
#define APP_RESTORE_LINK_H

#include <stdbool.h>
#include <stddef.h>

#include <dxmit/dxmit.h>

struct restore_link {
	char name[DXMIT_NAME_LEN];
	short flags; /* IFF_…, as of netdevice(7) */
	int mtu;     /* bytes */
	int queue;   /* length of the transmit queue, in packets */
};

/* Returns 0 or -errno: -ENODEV, there is no such interface in this namespace. */
int restore_link_read(int ifindex, struct restore_link *out);

/* Make it so again. False: `what` says what could not be undone, as the end of a
 * sentence about the interface, with a remedy. */
bool restore_link_apply(int ifindex, const struct restore_link *before, char *what,
			size_t len);

#endif
