/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A finished run of two queues with known figures, for the tests of the
 * report, and a way to catch what is printed.
 */
#ifndef REPORT_FIXTURE_H
#define REPORT_FIXTURE_H

#include <stdarg.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report.h"

#define FIXTURE_QUEUES 2
#define FIXTURE_PACKETS 14880952u /* 10 Gbit/s of 64-byte frames, 1 s */

struct fixture {
	struct config config;
	struct dxmit_nic nic;
	struct dxmit_plan_queue planned[FIXTURE_QUEUES];
	struct dxmit_plan plan;
	struct report_queue queue[FIXTURE_QUEUES];
	struct schedule schedule;
	struct report report;
};

static inline void fixture_queue(struct fixture *f, uint32_t i)
{
	f->planned[i] = (struct dxmit_plan_queue){
		.queue = i,
		.cpu = 2 + i,
		.core = 1 + i,
		.cpu_node = 1,
		.memory_node = 1,
		.reason = DXMIT_REASON_NIC_NODE,
		.frames = 2048,
		.frame_size = 2048,
		.frame_room = 2048,
		.ring_size = 2048,
		.umem_bytes = 4 << 20,
		.resident_bytes = (4 << 20) + (64 << 10),
		.rate_share_ppb = 500000000,
	};
	f->queue[i] = (struct report_queue){
		.plan = &f->planned[i],
		.info = { .queue = i,
			  .kick = DXMIT_KICK_POLL,
			  .ring_size = 2048,
			  .completion_size = 4096,
			  .frames = 2048,
			  .frame_size = 2048,
			  .budget = 32,
			  .sndbuf = 6291456,
			  .page_size = 4096 },
		.residence = { .verified = 1,
			       .pages = 1024,
			       .pages_on_node = 1024,
			       .node = 1 },
		.run = { .ns = 1000000000,
			 .packets = FIXTURE_PACKETS,
			 .completed = FIXTURE_PACKETS - 7,
			 .lost = 5,
			 .kicks = FIXTURE_PACKETS / 64,
			 .retries = 11,
			 .cpu_user_ns = 250000000,
			 .cpu_system_ns = 750000000,
			 .bytes = 60ull * FIXTURE_PACKETS },
		.interval = { .ns = 500000000,
			      .packets = 1000,
			      .lost = 3,
			      .kicks = 100,
			      .retries = 2,
			      .bytes = 60000 },
		.in_flight = 7,
		.cpu_seen = (int32_t)(2 + i),
		.cpu_node_seen = 1,
		.opened = true,
	};
}

/* Fill *f: 2 * FIXTURE_PACKETS queued, 10 lost, 14 in flight, the rest sent. */
static inline void fixture_init(struct fixture *f)
{
	uint32_t i;

	memset(f, 0, sizeof(*f));
	f->config.interface = "nic0";
	f->config.wire_size = 64;
	f->config.batch = 64;
	strcpy(f->nic.name, "nic0");
	strcpy(f->nic.driver, "ixgbe");
	f->nic.tx_queues = f->nic.rx_queues = 2;
	f->nic.tx_queues_max = f->nic.rx_queues_max = 64;
	f->nic.mtu = 1500;
	f->nic.node = 1;
	f->nic.speed_mbps = 10000;
	f->nic.irqs = 1;
	f->nic.irq[0] = (struct dxmit_irq){ 24, 6, 1 };
	strcpy(f->plan.interface_name, "nic0");
	f->plan.nic_node = 1;
	f->plan.queues = FIXTURE_QUEUES;
	f->plan.queue = f->planned;
	f->plan.cpus_used = 2;
	f->plan.cpus_allowed = 8;
	f->plan.umem_bytes = 8 << 20;
	f->plan.resident_bytes = (8 << 20) + (128 << 10);
	f->report = (struct report){
		.command = "tx",
		.schedule = &f->schedule,
		.config = &f->config,
		.nic = &f->nic,
		.plan = &f->plan,
		.frame_length = 60,
		.queue = f->queue,
		.ledger = { .queued = 2ull * FIXTURE_PACKETS,
			    .sent = 2ull * FIXTURE_PACKETS - 24,
			    .dropped = 10,
			    .in_flight = 14,
			    .settled = true,
			    .closed = true,
			    .witness = "far end" },
		.device_valid = true,
		.far_end_present = true,
		.far_end_packets = 2ull * FIXTURE_PACKETS - 24,
		.max_rss_bytes = 12 << 20,
		.start_unix_ns = 1700000000000000000ull,
		.bounds = 1,
		.tell_bounds = true,
		.bound = { { .name = "budget" } },
	};
	strcpy(f->report.bound[0].evidence, "every kick moved 32 frames");
	for (i = 0; i < FIXTURE_QUEUES; i++) {
		fixture_queue(f, i);
		span_add(&f->report.total, &f->queue[i].run);
	}
}

/* The run was to have this rate. */
static inline void fixture_rate(struct fixture *f, uint64_t micro_pps)
{
	f->config.rate.micro = f->report.asked_micro_pps = micro_pps;
	assert_int_equal(
		schedule_add(&f->schedule, micro_pps, micro_pps, SCHEDULE_ENDLESS), 0);
}

/* What `print` writes to a file that is no terminal; free() it. */
static inline char *printed(void (*print)(const struct report *, FILE *),
			    const struct report *report)
{
	FILE *file = tmpfile();
	char *text;
	long length;

	assert_non_null(file);
	print(report, file);
	length = ftell(file);
	assert_true(length >= 0);
	text = calloc(1, (size_t)length + 1);
	assert_non_null(text);
	rewind(file);
	assert_int_equal(fread(text, 1, (size_t)length, file), length);
	fclose(file);
	return text;
}

#endif
