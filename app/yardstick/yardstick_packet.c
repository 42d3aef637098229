/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * af_packet and af_packet-bypass: whole frames through a packet socket. Which TX
 * queue they take is the kernel's choice: by XPS, the flow, or the CPU
 * (packet_pick_tx_queue() in net/packet/af_packet.c).
 */
#include <errno.h>
#include <net/ethernet.h>
#include <string.h>
#include <unistd.h>
#include <linux/if_packet.h>

#include "message.h"
#include "yardstick_packet.h"

int yardstick_packet_refused(const char *interface, const char *what, int error)
{
	if (error == EPERM || error == EACCES)
		return fail(EXIT_USAGE, interface,
			    "a packet socket needs CAP_NET_RAW; run as root or use "
			    "--sandbox");
	if (error == EAFNOSUPPORT)
		return fail(EXIT_USAGE, interface,
			    "the kernel has no packet sockets; load af_packet or enable "
			    "CONFIG_PACKET");
	return fail(EXIT_RUNTIME, interface,
		    "%s is refused for a packet socket: %s; check memory and `ulimit -n`",
		    what, strerror(error));
}

int yardstick_packet_socket(struct yardstick_thread *t)
{
	const struct yardstick *y = t->run->yardstick;
	int bytes = (int)y->config->sndbuf;

	/* Protocol 0 receives nothing. */
	t->fd = socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC, 0);
	if (t->fd < 0)
		return yardstick_packet_refused(y->nic->name, "socket", errno);
	if (bytes &&
	    setsockopt(t->fd, SOL_SOCKET, SO_SNDBUFFORCE, &bytes, sizeof(bytes)) &&
	    setsockopt(t->fd, SOL_SOCKET, SO_SNDBUF, &bytes, sizeof(bytes)))
		return yardstick_packet_refused(y->nic->name, "SO_SNDBUF", errno);
	return EXIT_DONE;
}

int yardstick_packet_bind(struct yardstick_thread *t)
{
	const struct dxmit_nic *nic = t->run->yardstick->nic;
	const struct sockaddr_ll address = {
		.sll_family = AF_PACKET,
		.sll_ifindex = nic->ifindex,
	};

	if (bind(t->fd, (const struct sockaddr *)&address, sizeof(address)))
		return yardstick_packet_refused(nic->name, "bind", errno);
	return EXIT_DONE;
}

static int open_packet(struct yardstick_thread *t)
{
	const char *name = t->run->yardstick->nic->name;
	int on = 1, code = yardstick_packet_socket(t), err;

	if (code)
		return code;
	if (t->run->yardstick->kind == LEG_AF_PACKET_BYPASS &&
	    setsockopt(t->fd, SOL_PACKET, PACKET_QDISC_BYPASS, &on, sizeof(on)))
		return yardstick_packet_refused(name, "PACKET_QDISC_BYPASS", errno);
	code = yardstick_packet_bind(t);
	if (code)
		return code;
	t->per_message = 1;
	err = yardstick_frames_map(&t->frames, &t->run->content, t->batch);
	if (!err)
		err = yardstick_messages_open(t);
	return err ? yardstick_packet_refused(name, "memory", -err) : EXIT_DONE;
}

const struct yardstick_way yardstick_packet_way = {
	.open = open_packet,
	.send = yardstick_messages_send,
	.close = yardstick_messages_close,
};
