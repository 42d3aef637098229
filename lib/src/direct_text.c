/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Why the direct path was not obtained, in words: REASON; REMEDY for every errno
 * and every refusal of the module.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <dxmit/direct.h>

#include "dxmit_ioctl.h"

static const char *const refusals[] = {
	[DXMIT_REFUSED_NOT_XDP] = "not an AF_XDP socket; name one that is",
	[DXMIT_REFUSED_NOT_BOUND] =
		"the socket is bound to no interface, or that has gone; bind it first",
	[DXMIT_REFUSED_ZEROCOPY] =
		"the direct path is for copy mode and the socket is in "
		"zero-copy mode; use one of them",
	[DXMIT_REFUSED_RX_RING] =
		"the socket has a receive ring and the direct path is for "
		"sockets that only send; use one without a receive ring",
	[DXMIT_REFUSED_NO_TX_RING] = "the socket has no transmit ring; make it with one "
				     "(XDP_TX_RING)",
	[DXMIT_REFUSED_MULTI_BUFFER] =
		"the socket was bound for packets of several buffers "
		"(XDP_USE_SG); use frames that fit one chunk of the frame memory, or "
		"the kernel path",
	[DXMIT_REFUSED_TX_METADATA] = "the frame memory was registered with room for TX "
				      "metadata; register it with tx_metadata_len 0",
	[DXMIT_REFUSED_SHARED_POOL] =
		"another socket sends from the same frame memory and "
		"queue; give each its own (no XDP_SHARED_UMEM)",
	[DXMIT_REFUSED_IN_FLIGHT] =
		"frames sent before did not complete within 2 s; look at "
		"what the device does with them, then try again",
	[DXMIT_REFUSED_DEVICE] =
		"the interface is neither Ethernet nor loopback; use the "
		"kernel path there",
	[DXMIT_REFUSED_QUEUE] =
		"the queue is beyond the active TX queues of its interface; "
		"use a lower one, or see `ethtool -L`",
	[DXMIT_REFUSED_BUSY_POLL] =
		"the socket busy-polls; make it without SO_BUSY_POLL, "
		"SO_PREFER_BUSY_POLL and `sysctl net.core.busy_read`",
	[DXMIT_REFUSED_ATTACHED] = "the socket is on the direct path already; detach it "
				   "first if its settings are to change",
	[DXMIT_REFUSED_PRIVILEGE] =
		"CAP_NET_ADMIN over the socket's network namespace is "
		"missing; run as root, or grant CAP_NET_ADMIN",
};

/* NULL: no sentence of our own. */
static const char *error_words(int error)
{
	switch (error) {
	case ENOENT:
	case ENXIO:
	case ENODEV:
		return "the kernel module is not loaded; `modprobe dxmit`, or use the "
		       "kernel path";
	case EACCES:
		return "no right to open " DXMIT_DEVICE
		       "; run as root, or join the group "
		       "dxmit where its udev rule is installed";
	case EPERM:
		return "the use of " DXMIT_DEVICE
		       " is forbidden here; allow the device in "
		       "this container or cgroup";
	case EPROTONOSUPPORT:
		return "the module that is loaded speaks another version of its interface; "
		       "install module and libdxmit of one release";
	case EINVAL:
		return "the module does not know a setting it was asked for; load a newer "
		       "one, or leave the setting out";
	case ECANCELED:
		return "the socket was taken off the direct path from outside; see who "
		       "runs `dxmit detach`";
	case EPROTO:
		return "another socket got onto the frame memory, so the module sent this "
		       "one back to the kernel path; look for it with `ss --xdp -ap`";
	default:
		return NULL;
	}
}

int dxmit_direct_text(int error, uint32_t refusal, char *buf, size_t len)
{
	const char *words = NULL;
	char reason[128];

	if (len)
		buf[0] = '\0';
	if (error == 0 && refusal == 0)
		return 0;
	if (refusal == 0)
		words = error_words(error);
	else if (refusal < sizeof(refusals) / sizeof(refusals[0]))
		words = refusals[refusal];
	if (words)
		return snprintf(buf, len, "%s", words);
	if (refusal)
		return snprintf(
			buf, len,
			"the module refuses with its reason number %u (%s), which this "
			"version does not know; load a newer libdxmit",
			refusal, strerror_r(error, reason, sizeof(reason)));
	return snprintf(buf, len, "%s does not work: %s; see the kernel log",
			DXMIT_DEVICE, strerror_r(error, reason, sizeof(reason)));
}
