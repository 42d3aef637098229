/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The sender's loop of app/sender.c, written out with public headers only and
 * kicking a fake kernel: every step of an ordinary turn (stop check, reclaim,
 * count, hold and pace, reserve, fill, submit, kick, judge, publish).
 */
#ifndef BENCH_FAKE_SENDER_H
#define BENCH_FAKE_SENDER_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include <dxmit/modify.h>
#include <dxmit/queue.h>

#include "fake_ring.h"

/* As in app/sender.h. */
struct counters {
	_Atomic uint64_t packets, completed, lost, kicks, retries, down;
	_Atomic uint32_t cpu, cpu_other;
} __attribute__((aligned(128)));

struct control {
	_Atomic bool stop, hurry, hold;
} __attribute__((aligned(128)));

struct sender {
	struct dxmit_queue *queue;
	struct control *control;
	struct fake_ring *ring;
	uint32_t batch, length, cpu;
	uint64_t count;
	const void *schedule, *gaps;
	const struct dxmit_modify *program; /* NULL: static frames */
	int error;
	struct counters counters;
};

/* Send until sender->count; 0 or an error of the verbs. */
int fake_sender_run(struct sender *sender);

#endif
