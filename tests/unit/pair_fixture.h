/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A veth pair in a network namespace of our own, and queues of the library on
 * it: va sends, vb counts.
 */
#ifndef PAIR_FIXTURE_H
#define PAIR_FIXTURE_H

#include <errno.h>
#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <net/if.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <dxmit/dxmit.h>

#include "skip.h"

#define PAIR_QUEUES 4

/* IPv6 would send frames nobody asked for. */
static inline int make_pair(void **state)
{
	(void)state;
	if (unshare(CLONE_NEWNET | CLONE_NEWNS) < 0)
		skip_reason = "no permission to make a network namespace";
	else if (
		system("mount --make-rprivate / && mount -t sysfs sysfs /sys &&"
		       "{ echo 1 >/proc/sys/net/ipv6/conf/default/disable_ipv6; } 2>&- ;"
		       "ip link add va numtxqueues 4 numrxqueues 4 type veth "
		       "peer name vb numtxqueues 4 numrxqueues 4 &&"
		       "ip link set va arp off up && ip link set vb arp off up &&"
		       "while [ \"$(cat /sys/class/net/va/carrier)\" != 1 ]; do sleep 0.01; done"))
		skip_reason = "no veth with several queues here";
	return 0;
}

static inline struct dxmit_queue_options options_for(uint32_t queue)
{
	return (struct dxmit_queue_options){
		.size = sizeof(struct dxmit_queue_options),
		.ifindex = (int)if_nametoindex("va"),
		.queue = queue,
	};
}

static inline struct dxmit_queue *open_with(const struct dxmit_queue_options *options)
{
	struct dxmit_error error = { 0 };
	struct dxmit_queue *q;
	char text[256];

	if (dxmit_queue_open(options, &q, &error)) {
		dxmit_error_text(&error, text, sizeof(text));
		fail_msg("%s: %s", error.object, text);
	}
	return q;
}

static inline struct dxmit_queue_info info_of(const struct dxmit_queue *q)
{
	struct dxmit_queue_info info = { .size = sizeof(info) };

	assert_int_equal(dxmit_queue_info(q, &info), 0);
	return info;
}

static inline uint32_t fill_udp(void *arg, void *frame, uint32_t room)
{
	const struct dxmit_udp_spec udp = { .size = sizeof(udp),
					    .length = DXMIT_UDP_MIN_LENGTH };

	(void)arg;
	return (uint32_t)dxmit_udp_build(&udp, frame, room);
}

/* Until all of them are completed; false if the library objects. */
static inline bool send_frames(struct dxmit_queue *q, uint64_t count)
{
	while (q->completed < count) {
		uint64_t left = count - q->submitted;

		if (dxmit_send(q, left < 64 ? (uint32_t)left : 64, fill_udp, NULL) < 0)
			return false;
	}
	return true;
}

#endif
