/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Recording and restoring an interface. A leg of ours attaches its program by a
 * link that goes with its process, a little later; a foreign sender may attach by
 * netlink and be killed, and then the program stays until somebody takes it off.
 */
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <linux/if_link.h>
#include <net/if.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <xdp/libxdp.h>

#include "device_request.h"
#include "restore.h"
#include "sender.h"

#define WAIT_NS 1000000000ull /* for what the kernel undoes by itself */
#define STEP_MS 5

/* ---- XDP program ---- */

/* False: it cannot be asked. */
static bool read_program(int ifindex, uint32_t *id, uint32_t *mode)
{
	LIBBPF_OPTS(bpf_xdp_query_opts, query);

	if (bpf_xdp_query(ifindex, 0, &query))
		return false;
	*id = query.prog_id;
	*mode = 0;
	if (query.attach_mode == XDP_ATTACHED_SKB)
		*mode = XDP_FLAGS_SKB_MODE;
	if (query.attach_mode == XDP_ATTACHED_DRV)
		*mode = XDP_FLAGS_DRV_MODE;
	if (query.attach_mode == XDP_ATTACHED_HW)
		*mode = XDP_FLAGS_HW_MODE;
	if (query.attach_mode == XDP_ATTACHED_MULTI)
		*id = query.drv_prog_id ? query.drv_prog_id : query.skb_prog_id;
	return true;
}

static bool program_is(const struct restore_state *before, uint32_t *now, uint32_t *mode)
{
	return !read_program(before->ifindex, now, mode) ||
	       (*now == before->program && *mode == before->program_mode);
}

/* libxdp knows its dispatchers and what it pinned for them. */
static void detach(int ifindex, uint32_t mode)
{
	struct xdp_multiprog *programs = xdp_multiprog__get_from_ifindex(ifindex);

	if (libxdp_get_error(programs) || xdp_multiprog__detach(programs))
		(void)bpf_xdp_detach(ifindex, mode, NULL);
	if (!libxdp_get_error(programs))
		xdp_multiprog__close(programs);
}

static bool restore_program(const struct restore_state *before, uint64_t deadline_ns,
			    char what[RESTORE_TEXT])
{
	uint32_t now, mode;

	while (!program_is(before, &now, &mode) && clock_ns() < deadline_ns)
		poll(NULL, 0, STEP_MS);
	if (program_is(before, &now, &mode))
		return true;
	if (now)
		detach(before->ifindex, mode);
	if (before->program_fd >= 0)
		(void)bpf_xdp_attach(before->ifindex, before->program_fd,
				     before->program_mode, NULL);
	if (program_is(before, &now, &mode))
		return true;
	if (now)
		snprintf(what, RESTORE_TEXT,
			 "has an XDP program that it had not before; `ip link set %s xdp "
			 "off` takes it off",
			 before->link.name);
	else
		snprintf(what, RESTORE_TEXT, "has lost its XDP program; attach it again");
	return false;
}

/* ---- queues ---- */

static bool restore_queues(const struct restore_state *before, char what[RESTORE_TEXT])
{
	struct ethtool_channels channels = before->channels;

	if (dxmit_nic_active_tx_queues(before->ifindex) == (int)before->tx_queues)
		return true;
	channels.cmd = ETHTOOL_SCHANNELS;
	if (before->channels_known && device_ethtool(before->link.name, &channels) == 0 &&
	    dxmit_nic_active_tx_queues(before->ifindex) == (int)before->tx_queues)
		return true;
	snprintf(what, RESTORE_TEXT,
		 "has not the %u transmit queues that it had; `ethtool -L %s` sets them",
		 before->tx_queues, before->link.name);
	return false;
}

void restore_record(const struct dxmit_nic *nic, struct restore_state *out)
{
	memset(out, 0, sizeof(*out));
	out->program_fd = -1;
	out->ifindex = nic->ifindex;
	out->link_known = restore_link_read(nic->ifindex, &out->link) == 0;
	out->tx_queues = nic->tx_queues;
	out->channels.cmd = ETHTOOL_GCHANNELS;
	out->channels_known = device_ethtool(nic->name, &out->channels) == 0;
	/* Without the privilege to ask there is none to attach one either. */
	if (read_program(nic->ifindex, &out->program, &out->program_mode) && out->program)
		out->program_fd = bpf_prog_get_fd_by_id(out->program);
}

bool restore_apply(const struct restore_state *before, bool foreign,
		   char what[RESTORE_TEXT])
{
	char other[RESTORE_TEXT];
	bool done = true;

	what[0] = '\0';
	if (foreign && before->link_known)
		done = restore_link_apply(before->ifindex, &before->link, what,
					  RESTORE_TEXT);
	/* Before the queues: drivers may refuse to change them under a program. */
	done &= restore_program(before, clock_ns() + WAIT_NS, done ? what : other);
	if (foreign)
		done &= restore_queues(before, done ? what : other);
	return done;
}

void restore_close(struct restore_state *state)
{
	if (state->program_fd >= 0)
		close(state->program_fd);
	state->program_fd = -1;
}
