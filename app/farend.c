/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The far-end witness: a packet socket whose filter knows our frames and whose
 * statistics count them.
 *
 * Nothing is ever read from it. The receive buffer is as small as the kernel
 * allows, so after the first few frames each match ends in packet_rcv() as a
 * "drop": no clone, no copy, two atomic increments, and PACKET_STATISTICS
 * reports it within tp_packets (net/packet/af_packet.c, 6.1 to 7.3).
 *
 * Cost: about 100 ns of CPU per frame, on a path of 880 (xdpsock through one
 * queue of a veth pair, Linux 6.18, medians of 80 interleaved pairs of 100 ms,
 * CPU time of the sending thread: 93 to 109 in six runs). Nearly all of it is
 * the delivery to a second protocol: with a filter that matches nothing it is
 * 85 to 91, and with ETH_P_ALL instead of ETH_P_IP 94 to 96. So a counter
 * elsewhere could save a tenth of it at most.
 */
#include <errno.h>
#include <net/if.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include <arpa/inet.h>
#include <linux/filter.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>

#include "farend.h"
#include "message.h"

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

/* Offsets in an untagged Ethernet frame, IPv4 without options. */
enum {
	AT_ETHERTYPE = 12,
	AT_IP_VERSION_IHL = 14,
	AT_IP_PROTOCOL = 23,
	AT_IP_SOURCE = 26,
	AT_IP_DESTINATION = 30,
	AT_UDP_PORTS = 34,
};

static int attach_filter(int fd, const struct dxmit_udp_spec *spec)
{
	uint32_t ports = (uint32_t)spec->source_port << 16 | spec->destination_port;
	/* Each test falls through on a match and else jumps to the last
	 * instruction; loads convert to host byte order. */
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, AT_UDP_PORTS),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, ports, 0, 11),
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, AT_IP_SOURCE),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, spec->source_ip, 0, 9),
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, AT_IP_DESTINATION),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, spec->destination_ip, 0, 7),
		BPF_STMT(BPF_LD | BPF_B | BPF_ABS, AT_IP_PROTOCOL),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, IPPROTO_UDP, 0, 5),
		BPF_STMT(BPF_LD | BPF_B | BPF_ABS, AT_IP_VERSION_IHL),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 0x45, 0, 3),
		BPF_STMT(BPF_LD | BPF_H | BPF_ABS, AT_ETHERTYPE),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, ETH_P_IP, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, 1),
		BPF_STMT(BPF_RET | BPF_K, 0),
	};
	struct sock_fprog program = { .len = ARRAY_SIZE(code), .filter = code };

	return setsockopt(fd, SOL_SOCKET, SO_ATTACH_FILTER, &program, sizeof(program));
}

/* Frames since the last call, queued or not; the kernel starts again at 0. */
static int read_statistics(int fd, uint32_t *packets)
{
	struct tpacket_stats stats;
	socklen_t len = sizeof(stats);

	if (getsockopt(fd, SOL_PACKET, PACKET_STATISTICS, &stats, &len))
		return -errno;
	*packets = stats.tp_packets;
	return 0;
}

/*
 * The filter goes on before the bind, and the socket is made with protocol 0,
 * which receives nothing: so not one frame is counted unfiltered.
 */
static int open_socket(int ifindex, const struct dxmit_udp_spec *spec)
{
	struct sockaddr_ll address = {
		.sll_family = AF_PACKET,
		.sll_protocol = htons(ETH_P_IP),
		.sll_ifindex = ifindex,
	};
	int smallest = 0, on = 1, fd, err;
	uint32_t ignored = 0;

	fd = socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return -errno;
	/* Frames our own side sends out of this interface are not arrivals. */
	if (setsockopt(fd, SOL_PACKET, PACKET_IGNORE_OUTGOING, &on, sizeof(on)) ||
	    setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &smallest, sizeof(smallest)) ||
	    attach_filter(fd, spec) ||
	    bind(fd, (struct sockaddr *)&address, sizeof(address))) {
		err = -errno;
		close(fd);
		return err;
	}
	err = read_statistics(fd, &ignored);
	if (err) {
		close(fd);
		return err;
	}
	return fd;
}

int farend_open(const char *interface, const struct dxmit_udp_spec *spec,
		struct farend *out)
{
	unsigned int ifindex = if_nametoindex(interface);
	int fd;

	out->fd = -1;
	out->packets = 0;
	if (ifindex == 0 && errno == ENODEV)
		return fail(
			EXIT_USAGE, interface,
			"no such interface to count arrivals on; `ip link` lists them");
	if (ifindex == 0)
		return fail(EXIT_RUNTIME, interface,
			    "cannot be looked up: %s; check memory and `ulimit -n`",
			    strerror(errno));
	fd = open_socket((int)ifindex, spec);
	if (fd == -EPERM)
		return fail(EXIT_RUNTIME, interface,
			    "counting arrivals needs CAP_NET_RAW; run as root or "
			    "use --sandbox");
	if (fd == -EAFNOSUPPORT)
		return fail(EXIT_RUNTIME, interface,
			    "cannot count arrivals: the kernel has no packet sockets; "
			    "load af_packet or enable CONFIG_PACKET");
	if (fd < 0)
		return fail(EXIT_RUNTIME, interface,
			    "cannot count arrivals: %s; check memory and `ulimit -n`",
			    strerror(-fd));
	out->fd = fd;
	return EXIT_DONE;
}

int farend_read(struct farend *farend, uint64_t *packets)
{
	uint32_t more = 0;
	int err;

	if (farend->fd < 0)
		return -EBADF;
	err = read_statistics(farend->fd, &more);
	if (err)
		return err;
	farend->packets += more;
	*packets = farend->packets;
	return 0;
}

void farend_close(struct farend *farend)
{
	if (farend->fd >= 0)
		close(farend->fd);
	farend->fd = -1;
}
