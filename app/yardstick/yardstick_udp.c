/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * udp and udp-gso: datagrams through a connected UDP socket, whose frames are those
 * of dxmit but for what a socket cannot say:
 *	- the IPv4 identification counts up (and so the header checksum differs),
 *	- the UDP checksum is left to the device where that offers to compute it,
 *	- the TX queue is the kernel's choice: by XPS, or the flow.
 *
 * udp-gso hands over many datagrams of one length as one packet (UDP_SEGMENT), which
 * the stack cuts up before the driver. A virtual device that claims to do that
 * itself passes the whole on and counts it as one, so that nothing could be compared.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <inttypes.h>
#include <netinet/in.h>
#include <netinet/udp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "message.h"
#include "offload.h"
#include "yardstick_network.h"
#include "yardstick_parts.h"

#ifndef UDP_SEGMENT
#define UDP_SEGMENT 103 /* include/uapi/linux/udp.h */
#endif
/* UDP_MAX_SEGMENTS in include/linux/udp.h: 64 up to Linux 6.8, 128 since. */
#define MAX_SEGMENTS 64
/* Of an IPv4 packet, which this is until it is cut: RFC 791, total length. */
#define MAX_PAYLOAD (65535 - 20 - 8)

struct address_text {
	char text[INET_ADDRSTRLEN];
};

static struct address_text text_of(uint32_t address)
{
	const struct in_addr in = { htonl(address) };
	struct address_text buf;

	inet_ntop(AF_INET, &in, buf.text, sizeof(buf.text));
	return buf;
}

struct mac_text {
	char text[18];
};

static struct mac_text mac_of(const uint8_t mac[6])
{
	struct mac_text buf;

	snprintf(buf.text, sizeof(buf.text), "%02x:%02x:%02x:%02x:%02x:%02x", mac[0],
		 mac[1], mac[2], mac[3], mac[4], mac[5]);
	return buf;
}

/* ---- before there are threads ---- */

static int check_neighbour(const struct yardstick *y, const struct yardstick_udp *udp)
{
	const char *name = y->nic->name;
	uint8_t mac[6] = { 0 };
	uint32_t hop;
	int err = yardstick_next_hop(y->nic->ifindex, udp->destination_ip, &hop, mac);

	if (err == -ENETUNREACH)
		return fail(EXIT_USAGE, leg_kind_name(y->kind),
			    "there is no route to %s by %s; `ip route add %s/32 dev %s`",
			    text_of(udp->destination_ip).text, name,
			    text_of(udp->destination_ip).text, name);
	if (err && err != -ENOENT)
		return fail(EXIT_RUNTIME, name,
			    "its neighbours cannot be read: %s; check memory and "
			    "`ulimit -n`",
			    strerror(-err));
	if (err || memcmp(mac, udp->destination_mac, sizeof(mac)))
		return fail(EXIT_USAGE, leg_kind_name(y->kind),
			    "the kernel does not know %s as %s on %s; `ip neigh replace "
			    "%s lladdr %s dev %s nud permanent`",
			    text_of(hop).text, mac_of(udp->destination_mac).text, name,
			    text_of(hop).text, mac_of(udp->destination_mac).text, name);
	return EXIT_DONE;
}

static int check_segmentation(const struct yardstick *y)
{
	const char *name = y->nic->name;
	bool on;

	if (y->kind != LEG_UDP_GSO || y->nic->bus[0])
		return EXIT_DONE;
	/* An unreadable feature is one that the device does not have. */
	if (offload_read(name, OFFLOAD_UDP_SEGMENTATION, &on) || !on)
		return EXIT_DONE;
	return fail(EXIT_USAGE, leg_kind_name(y->kind),
		    "%s is virtual and would count many datagrams as one packet; "
		    "`ethtool -K %s " OFFLOAD_UDP_SEGMENTATION " off`",
		    name, name);
}

static int check(struct yardstick_run *run)
{
	const struct yardstick *y = run->yardstick;
	const char *why, *name = leg_kind_name(y->kind);

	if (!yardstick_udp_headers(&run->content, &run->udp, &why))
		return fail(EXIT_USAGE, name,
			    "a UDP socket cannot send these frames: %s; use plain UDP "
			    "over IPv4",
			    why);
	if (memcmp(run->udp.source_mac, y->nic->mac, sizeof(run->udp.source_mac)))
		return fail(EXIT_USAGE, name,
			    "a UDP socket sends from %s, the MAC address of %s; leave "
			    "out the other",
			    mac_of(y->nic->mac).text, y->nic->name);
	if (y->kind == LEG_UDP_GSO && run->content.length == 0)
		return fail(EXIT_USAGE, name,
			    "datagrams of one packet have one length; use a single -s");
	if (check_segmentation(y))
		return EXIT_USAGE;
	return check_neighbour(y, &run->udp);
}

/* ---- a thread's socket ---- */

static int refused(const struct yardstick_thread *t, const char *what, int error)
{
	const struct yardstick *y = t->run->yardstick;
	const struct address_text source = text_of(t->run->udp.source_ip);

	if (error == EADDRNOTAVAIL)
		return fail(EXIT_USAGE, leg_kind_name(y->kind),
			    "%s is no address of this host; `ip addr add %s/32 dev %s`",
			    source.text, source.text, y->nic->name);
	if (error == EPERM || error == EACCES)
		return fail(EXIT_USAGE, leg_kind_name(y->kind),
			    "%s needs a privilege that is missing; run as root or use "
			    "--sandbox",
			    what);
	if (error == ENETUNREACH || error == EHOSTUNREACH)
		return fail(EXIT_USAGE, leg_kind_name(y->kind),
			    "there is no route to %s; `ip route add %s/32 dev %s`",
			    text_of(t->run->udp.destination_ip).text,
			    text_of(t->run->udp.destination_ip).text, y->nic->name);
	return fail(error == EADDRINUSE ? EXIT_USAGE : EXIT_RUNTIME, y->nic->name,
		    "%s is refused for a UDP socket: %s; check --src-port, memory and "
		    "`ulimit -n`",
		    what, strerror(error));
}

static int set_number(struct yardstick_thread *t, int level, int option, int value)
{
	return setsockopt(t->fd, level, option, &value, sizeof(value));
}

/* Each returns what the kernel refused, or NULL. */
static const char *set_headers(struct yardstick_thread *t)
{
	const struct yardstick_udp *udp = &t->run->udp;

	if (set_number(t, IPPROTO_IP, IP_TTL, udp->ttl))
		return "IP_TTL";
	if (set_number(t, IPPROTO_IP, IP_TOS, udp->tos))
		return "IP_TOS";
	/* Sets DF, as in dxmit's frames. */
	if (set_number(t, IPPROTO_IP, IP_MTU_DISCOVER, IP_PMTUDISC_DO))
		return "IP_MTU_DISCOVER";
	/* Without it a socket is not told of what a full queue throws away
	 * (udp_send_skb() in net/ipv4/udp.c). */
	if (set_number(t, IPPROTO_IP, IP_RECVERR, 1))
		return "IP_RECVERR";
	if (set_number(t, SOL_SOCKET, SO_BROADCAST, 1))
		return "SO_BROADCAST";
	return NULL;
}

static const char *set_buffer(struct yardstick_thread *t)
{
	int bytes = (int)t->run->yardstick->config->sndbuf;

	if (bytes && set_number(t, SOL_SOCKET, SO_SNDBUFFORCE, bytes) &&
	    set_number(t, SOL_SOCKET, SO_SNDBUF, bytes))
		return "SO_SNDBUF";
	return NULL;
}

static const char *set_addresses(struct yardstick_thread *t)
{
	const struct yardstick_udp *udp = &t->run->udp;
	const char *name = t->run->yardstick->nic->name;
	struct sockaddr_in address = {
		.sin_family = AF_INET,
		.sin_port = htons(udp->source_port),
		.sin_addr.s_addr = htonl(udp->source_ip),
	};

	/* Before bind(): a datagram for another interface's network would leave
	 * there. Without a privilege since Linux 5.7. */
	if (setsockopt(t->fd, SOL_SOCKET, SO_BINDTODEVICE, name,
		       (socklen_t)strlen(name) + 1))
		return "SO_BINDTODEVICE";
	/* The sockets of all queues have the same addresses. */
	if (set_number(t, SOL_SOCKET, SO_REUSEADDR, 1))
		return "SO_REUSEADDR";
	if (bind(t->fd, (const struct sockaddr *)&address, sizeof(address)))
		return "bind";
	address.sin_port = htons(udp->destination_port);
	address.sin_addr.s_addr = htonl(udp->destination_ip);
	if (connect(t->fd, (const struct sockaddr *)&address, sizeof(address)))
		return "connect";
	return NULL;
}

static const char *set_segments(struct yardstick_thread *t)
{
	uint32_t payload = t->run->content.longest - YARDSTICK_UDP_HEADERS;
	uint32_t most = payload ? MAX_PAYLOAD / payload : 1;

	t->per_message = 1;
	if (t->run->yardstick->kind != LEG_UDP_GSO || payload == 0)
		return NULL;
	t->per_message = most < MAX_SEGMENTS ? most : MAX_SEGMENTS;
	return set_number(t, IPPROTO_UDP, UDP_SEGMENT, (int)payload) ? "UDP_SEGMENT"
								     : NULL;
}

static int open_udp(struct yardstick_thread *t)
{
	const char *what = NULL;
	int err;

	t->fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (t->fd < 0)
		return refused(t, "socket", errno);
	t->skip = YARDSTICK_UDP_HEADERS;
	what = set_headers(t);
	if (!what)
		what = set_buffer(t);
	if (!what)
		what = set_addresses(t);
	if (!what)
		what = set_segments(t);
	if (what)
		return refused(t, what, errno);
	err = yardstick_frames_map(&t->frames, &t->run->content, t->batch);
	if (!err)
		err = yardstick_messages_open(t);
	return err ? refused(t, "memory", -err) : EXIT_DONE;
}

const struct yardstick_way yardstick_udp_way = {
	.check = check,
	.open = open_udp,
	.send = yardstick_messages_send,
	.close = yardstick_messages_close,
};

/* ---- the sandbox ---- */

int yardstick_prepare_sandbox(const struct config *config, int ifindex)
{
	struct content content = { 0 };
	struct yardstick_udp udp;
	struct dxmit_error error = { 0 };
	struct dxmit_nic *nic = NULL;
	const char *why;
	int code = EXIT_DONE, err = 0;

	nic = calloc(1, sizeof(*nic));
	if (!nic)
		return fail(EXIT_RUNTIME, "--sandbox",
			    "there is no memory for it; free some");
	if (dxmit_nic_read_index(ifindex, nic, &error) < 0)
		code = fail_library(&error);
	if (!code)
		code = content_make(config, nic, &content);
	/* Other frames need nothing: they are refused in UDP's legs. */
	if (!code && yardstick_udp_headers(&content, &udp, &why)) {
		err = yardstick_add_address(ifindex, udp.source_ip);
		if (!err)
			err = yardstick_add_neighbour(ifindex, udp.destination_ip,
						      udp.destination_mac);
		if (!err)
			err = offload_set(nic->name, OFFLOAD_UDP_SEGMENTATION, false);
	}
	content_free(&content);
	free(nic);
	return err ? fail(EXIT_RUNTIME, "--sandbox",
			  "cannot be made ready for UDP: %s; leave out the udp legs",
			  strerror(-err))
		   : code;
}
