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
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include <arpa/inet.h>
#include <linux/filter.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>

#include "farend.h"
#include "message.h"

/* ---- the filter ---- */

static uint32_t match_statements(const struct farend_match *match)
{
	return 3 * (match->tests + 1) + 1;
}

/* Go on with the next statement if the condition holds, else with `next`. */
static void put_condition(struct sock_fprog *program, unsigned short condition,
			  uint32_t value, uint32_t next)
{
	struct sock_filter *code = program->filter;

	code[program->len++] = (struct sock_filter)BPF_JUMP(
		(unsigned short)(BPF_JMP | condition | BPF_K), value, 1, 0);
	code[program->len] =
		(struct sock_filter)BPF_STMT(BPF_JMP | BPF_JA, next - program->len - 1);
	program->len++;
}

/* The length comes first: a load beyond the end of a frame ends the program.
 * Loads convert to host byte order. */
static void put_match(struct sock_fprog *program, const struct farend_match *match)
{
	uint32_t next = program->len + match_statements(match), reach = 0, i;
	struct sock_filter *code = program->filter;

	for (i = 0; i < match->tests; i++)
		if (match->test[i].at + match->test[i].width > reach)
			reach = match->test[i].at + match->test[i].width;
	code[program->len++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_LEN, 0);
	put_condition(program, BPF_JGE, reach, next);
	for (i = 0; i < match->tests; i++) {
		const struct farend_test *test = &match->test[i];
		unsigned short width = test->width == 4 ? BPF_W : BPF_H;

		if (test->width == 1)
			width = BPF_B;
		code[program->len++] = (struct sock_filter)BPF_STMT(
			(unsigned short)(BPF_LD | width | BPF_ABS), test->at);
		put_condition(program, BPF_JEQ, test->value, next);
	}
	code[program->len++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, 1);
}

/* Without matches, or with more than a filter holds, every frame counts. */
static int attach_filter(int fd, const struct farend_match *match, size_t matches)
{
	struct sock_fprog program = { .len = 0 };
	uint32_t statements = 1;
	size_t i;
	int err;

	for (i = 0; i < matches && statements <= BPF_MAXINSNS; i++)
		statements += match_statements(&match[i]);
	if (matches == 0 || statements > BPF_MAXINSNS)
		return 0;
	program.filter = calloc(statements, sizeof(*program.filter));
	if (!program.filter)
		return -1;
	for (i = 0; i < matches; i++)
		put_match(&program, &match[i]);
	program.filter[program.len++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, 0);
	err = setsockopt(fd, SOL_SOCKET, SO_ATTACH_FILTER, &program, sizeof(program));
	free(program.filter);
	return err;
}

static bool all_ipv4(const struct farend_match *match, size_t matches)
{
	size_t i;

	for (i = 0; i < matches; i++)
		if (!match[i].ipv4)
			return false;
	return matches > 0;
}

/* ---- the socket ---- */

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
static int open_socket(int ifindex, const struct farend_match *match, size_t matches)
{
	struct sockaddr_ll address = {
		.sll_family = AF_PACKET,
		.sll_protocol = htons(all_ipv4(match, matches) ? ETH_P_IP : ETH_P_ALL),
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
	    attach_filter(fd, match, matches) ||
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

int farend_open(const char *interface, const struct farend_match *match, size_t matches,
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
	fd = open_socket((int)ifindex, match, matches);
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
