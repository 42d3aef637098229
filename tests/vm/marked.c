/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Counts the frames an interface sends and those among them whose skb has a
 * given priority and mark.
 *
 *	marked INTERFACE COUNT PRIORITY MARK
 *
 * It sees what packet sockets see, so not what AF_XDP sends on INTERFACE itself,
 * but what a macvlan sends through it. Prints "ready" once it listens, then
 * "frames=N equal=N", after COUNT frames or 20 s.
 * Exit: 0, 1 when it could not listen, 2 usage.
 */
#include <errno.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <arpa/inet.h>
#include <net/if.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <linux/bpf.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>

#define TURNS 400
#define TURN_US 50000

static int listen_on(const char *interface)
{
	struct sockaddr_ll address = {
		.sll_family = AF_PACKET,
		.sll_protocol = htons(ETH_P_ALL),
		.sll_ifindex = (int)if_nametoindex(interface),
	};
	/* No protocol yet: nothing comes before the filter is there. */
	int fd = socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC, 0);

	if (fd < 0 || address.sll_ifindex == 0)
		return -1;
	return bind(fd, (struct sockaddr *)&address, sizeof(address)) ? -1 : fd;
}

#define LOAD(reg, field)                                       \
	((struct bpf_insn){ .code = BPF_LDX | BPF_MEM | BPF_W, \
			    .dst_reg = (reg),                  \
			    .src_reg = BPF_REG_1,              \
			    .off = offsetof(struct __sk_buff, field) })
#define SET(reg, value)     \
	((struct bpf_insn){ \
		.code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = (reg), .imm = (value) })
#define SKIP_UNLESS(reg, value, over)                            \
	((struct bpf_insn){ .code = BPF_JMP32 | BPF_JNE | BPF_K, \
			    .dst_reg = (reg),                    \
			    .off = (over),                       \
			    .imm = (value) })

/* Lets a frame through that has both. The old packet filter has no priority. */
static int load_filter(int32_t priority, int32_t mark)
{
	struct bpf_insn program[] = {
		SET(BPF_REG_0, 0),
		LOAD(BPF_REG_2, priority),
		SKIP_UNLESS(BPF_REG_2, priority, 3),
		LOAD(BPF_REG_2, mark),
		SKIP_UNLESS(BPF_REG_2, mark, 1),
		SET(BPF_REG_0, 64),
		{ .code = BPF_JMP | BPF_EXIT },
	};
	union bpf_attr attr = { 0 };

	attr.prog_type = BPF_PROG_TYPE_SOCKET_FILTER;
	attr.insns = (uintptr_t)program;
	attr.insn_cnt = sizeof(program) / sizeof(program[0]);
	attr.license = (uintptr_t) "GPL";
	return (int)syscall(__NR_bpf, BPF_PROG_LOAD, &attr, sizeof(attr));
}

/* Reading them sets them to zero. */
static uint64_t packets(int fd)
{
	struct tpacket_stats stats = { 0 };
	socklen_t len = sizeof(stats);

	getsockopt(fd, SOL_PACKET, PACKET_STATISTICS, &stats, &len);
	return stats.tp_packets;
}

int main(int argc, char **argv)
{
	uint64_t wanted, frames = 0;
	int all, some, filter, turn;

	if (argc != 5) {
		fprintf(stderr, "usage: marked INTERFACE COUNT PRIORITY MARK\n");
		return 2;
	}
	wanted = strtoull(argv[2], NULL, 10);
	filter = load_filter(atoi(argv[3]), atoi(argv[4]));
	all = listen_on(argv[1]);
	some = listen_on(argv[1]);
	if (filter < 0 || all < 0 || some < 0 ||
	    setsockopt(some, SOL_SOCKET, SO_ATTACH_BPF, &filter, sizeof(filter))) {
		fprintf(stderr, "marked: %s: %s\n", argv[1], strerror(errno));
		return 1;
	}
	packets(some); /* those from before the filter */
	printf("ready\n");
	fflush(stdout);
	for (turn = 0; turn < TURNS && frames < wanted; turn++) {
		usleep(TURN_US);
		frames += packets(all);
	}
	printf("frames=%" PRIu64 " equal=%" PRIu64 "\n", frames, packets(some));
	return 0;
}
