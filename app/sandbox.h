/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The sandbox: a private network namespace with a multi-queue veth pair, so
 * that dxmit can be tried, tested and compared without a NIC and without root.
 */
#ifndef APP_SANDBOX_H
#define APP_SANDBOX_H

#include <stdbool.h>
#include <stdint.h>

#include <dxmit/nic.h>

#define SANDBOX_INTERFACE "dxmit0"     /* dxmit sends here */
#define SANDBOX_FAR_INTERFACE "dxmit1" /* and the frames arrive here */
#define SANDBOX_MAX_QUEUES 1024

struct sandbox {
	bool open;
	bool user_namespace; /* no root: we made a user namespace too */
	int ifindex;         /* of SANDBOX_INTERFACE */
	int far_ifindex;     /* of SANDBOX_FAR_INTERFACE */
	uint32_t queues;     /* TX and RX queues on both ends */
};

/*
 * Move this process into a network namespace of its own and make the pair
 * there, up, without IPv6 and ARP, so that nothing flows but what we send.
 * Call before any thread starts: namespaces are a property of the thread and
 * are inherited. Where CAP_SYS_ADMIN is missing a user namespace is made
 * first, in which the process has every capability over the new network.
 * /sys still shows the outer network afterwards; netlink and ioctls show the
 * new one.
 *
 * Returns EXIT_DONE, or the exit code after the one line on stderr (message.h).
 */
int sandbox_open(uint32_t queues, struct sandbox *out);

/*
 * Delete the pair. Not needed for tidiness: namespace and pair go with the
 * process, however it ends. Idempotent. Needs the capabilities of
 * sandbox_open(), so after privileges_drop() it does nothing.
 */
void sandbox_close(struct sandbox *sandbox);

#endif
