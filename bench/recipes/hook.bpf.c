/* SPDX-License-Identifier: BSD-2-Clause */
/* The programs of the recipes: what a hook costs that does nothing else. */
#include <linux/bpf.h>
#include <linux/pkt_cls.h>

#define SECTION(name) __attribute__((section(name), used))

SECTION("xdp") int xdp_drops(struct xdp_md *context)
{
	(void)context;
	return XDP_DROP;
}

/* In tc's direct action mode the answer is what becomes of the frame. */
SECTION("pass") int tc_passes(struct __sk_buff *frame)
{
	(void)frame;
	return TC_ACT_OK;
}

SECTION("drop") int tc_drops(struct __sk_buff *frame)
{
	(void)frame;
	return TC_ACT_SHOT;
}
