/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A sender that leaves an XDP program behind, as one does that attaches by netlink
 * and is killed: leaves_program INTERFACE. It attaches a program that passes
 * everything, sends frames of 60 bytes without end and takes nothing back.
 */
#include <arpa/inet.h>
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <linux/bpf.h>
#include <linux/if_link.h>
#include <linux/if_packet.h>
#include <net/ethernet.h>
#include <net/if.h>
#include <stdio.h>
#include <sys/socket.h>

/* return XDP_PASS */
static int load_pass_program(void)
{
	const struct bpf_insn program[] = {
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K,
		  .dst_reg = BPF_REG_0,
		  .imm = XDP_PASS },
		{ .code = BPF_JMP | BPF_EXIT },
	};

	return bpf_prog_load(BPF_PROG_TYPE_XDP, "left_behind", "Dual BSD/GPL", program,
			     sizeof(program) / sizeof(program[0]), NULL);
}

int main(int argc, char **argv)
{
	static const unsigned char frame[60];
	struct sockaddr_ll to = { .sll_family = AF_PACKET, .sll_halen = ETH_ALEN };
	int fd = socket(AF_PACKET, SOCK_RAW, 0), program = load_pass_program();

	to.sll_ifindex = argc == 2 ? (int)if_nametoindex(argv[1]) : 0;
	if (fd < 0 || program < 0 || to.sll_ifindex == 0 ||
	    bpf_xdp_attach(to.sll_ifindex, program, XDP_FLAGS_SKB_MODE, NULL)) {
		perror("leaves_program");
		return 1;
	}
	for (;;)
		sendto(fd, frame, sizeof(frame), 0, (struct sockaddr *)&to, sizeof(to));
}
