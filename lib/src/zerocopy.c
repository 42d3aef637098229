/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The little that zero-copy needs beyond bind: some drivers (igb) refuse every
 * kick until an XDP program is attached. Then a two-instruction "pass" program
 * is attached on a bpf_link, which the kernel removes with our descriptor, even
 * if the process is killed.
 */
#include <bpf/bpf.h>
#include <errno.h>
#include <linux/bpf.h>
#include <linux/if_link.h>
#include <net/if.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include <dxmit/nic.h>

#include "queue_private.h"

/* return XDP_PASS */
static int load_pass_program(void)
{
	const struct bpf_insn program[] = {
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K,
		  .dst_reg = BPF_REG_0,
		  .imm = XDP_PASS },
		{ .code = BPF_JMP | BPF_EXIT },
	};

	return bpf_prog_load(BPF_PROG_TYPE_XDP, "dxmit_pass", "Dual BSD/GPL", program,
			     sizeof(program) / sizeof(program[0]), NULL);
}

/*
 * Another queue of ours, or somebody else, may have a program attached
 * already (EBUSY, EEXIST); the driver only wants that there is one.
 */
int dxmit_zerocopy_attach(struct dxmit_queue_private *p, const char *ifname,
			  struct dxmit_error *error)
{
	LIBBPF_OPTS(bpf_link_create_opts, options, .flags = XDP_FLAGS_DRV_MODE);
	int program = load_pass_program();
	int link;

	if (program < 0)
		return dxmit_error_set(error, DXMIT_STAGE_PROGRAM, -program, ifname, 0, 0,
				       0);
	link = bpf_link_create(program, p->options.ifindex, BPF_XDP, &options);
	close(program);
	if (link == -EBUSY || link == -EEXIST)
		return 0;
	if (link < 0)
		return dxmit_error_set(error, DXMIT_STAGE_PROGRAM, -link, ifname, 1, 0,
				       0);
	p->program_link_fd = link;
	return 0;
}

/* Attaching can reset the device: wait until it has its link again. */
static int wait_carrier(struct dxmit_queue_private *p, const char *ifname,
			struct dxmit_error *error)
{
	const struct timespec pause = { .tv_nsec = 10000000 };
	uint64_t deadline =
		dxmit_monotonic_ns() + p->options.carrier_wait_ms * 1000000ull;
	struct dxmit_nic_watch *watch;
	struct dxmit_nic_counters now = { 0 };
	int err = dxmit_nic_watch_open(p->options.ifindex, &watch);

	if (err)
		return dxmit_error_set(error, DXMIT_STAGE_CARRIER, -err, ifname, 0, 0, 0);
	for (;;) {
		err = dxmit_nic_watch_read(watch, &now);
		if (err || now.carrier || dxmit_monotonic_ns() >= deadline)
			break;
		nanosleep(&pause, NULL);
	}
	dxmit_nic_watch_close(&watch);
	if (err || !now.carrier)
		return dxmit_error_set(error, DXMIT_STAGE_CARRIER, err ? -err : ETIMEDOUT,
				       ifname, p->options.carrier_wait_ms, 0, 0);
	return 0;
}

static int empty_kick(int fd)
{
	return sendto(fd, NULL, 0, MSG_DONTWAIT, NULL, 0) < 0 ? errno : 0;
}

int dxmit_zerocopy_prepare(struct dxmit_queue_private *p, const char *ifname,
			   struct dxmit_error *error)
{
	int err = empty_kick(p->fd);

	/* EINVAL (igb), ENXIO (i40e, ice): no program yet. */
	if (err != EINVAL && err != ENXIO)
		return 0;
	if (p->program_link_fd < 0) {
		int attached = dxmit_zerocopy_attach(p, ifname, error);

		if (attached < 0)
			return attached;
	}
	return wait_carrier(p, ifname, error);
}
