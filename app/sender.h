/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The sender: one thread's transmit loop on one queue, and the counters it
 * publishes. It opens nothing, prints nothing and decides nothing about other
 * queues; run.c starts it and reads its counters.
 */
#ifndef APP_SENDER_H
#define APP_SENDER_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include <dxmit/dxmit.h>
#include "config.h"
#include "content.h"
#include "gaps.h"
#include "pace.h"
#include "replay.h"

/* Why a sender stopped. */
enum sender_end {
	SENDER_RUNNING = 0,
	SENDER_DONE,      /* its count is sent, or it was told to stop */
	SENDER_LINK_LOST, /* and the policy is to fail */
	SENDER_STALLED,   /* nothing moved for DXMIT_STALL_NS */
	SENDER_GONE,      /* the interface; sender.error says how */
	SENDER_REFUSED,   /* the kernel refuses the ring (EINVAL) */
	SENDER_BROKEN,    /* completions or refusals that cannot be: a defect */
};

/*
 * Written by the sending thread alone, read by anyone: relaxed atomics, since
 * each value stands for itself. On cache lines of their own.
 */
struct counters {
	_Atomic uint64_t packets;
	_Atomic uint64_t bytes;
	_Atomic uint64_t completed;
	_Atomic uint64_t lost;
	_Atomic uint64_t kicks;
	_Atomic uint64_t retries;
	_Atomic uint64_t down;
	_Atomic uint64_t starved;
	_Atomic uint64_t paused_ns;
	_Atomic uint32_t cpu;       /* where the thread ran last */
	_Atomic uint32_t cpu_other; /* turns off the planned CPU */
} __attribute__((aligned(128)));

/* Written by the main thread, read by all senders once per turn. */
struct control {
	_Atomic bool stop;  /* end the run: finish what is in flight */
	_Atomic bool hurry; /* stopped by a signal: hardly any drain */
	_Atomic bool hold;  /* send nothing for now */
} __attribute__((aligned(128)));

struct sender {
	/* Set before the thread runs, then constant. */
	struct dxmit_queue *queue;
	struct control *control;
	const char *interface; /* for the link state */
	int link_fd;           /* any socket that knows SIOCGIFFLAGS */
	uint32_t cpu;          /* planned */
	uint32_t batch;
	uint32_t length;         /* bytes, without FCS; 0: as `lengths` says */
	const uint32_t *lengths; /* of the batch that was filled */
	uint16_t queue_number;
	struct replay_queue *replay; /* fills the frames; NULL: content does */
	uint64_t count;       /* UINT64_MAX: no limit; lowered at the schedule's end */
	uint64_t duration_ns; /* since the start; 0: no limit */
	enum link_loss link_loss;

	/* The thread's own. */
	struct content_queue content;
	uint64_t bytes; /* submitted, without FCS */
	struct pace pace;
	uint64_t now_ns;             /* of this turn, if the run is paced */
	uint64_t late_end_ns;        /* for what is late at the duration's end */
	struct gaps *gaps;           /* NULL: not kept */
	uint64_t start_ns;           /* CLOCK_MONOTONIC of the trigger */
	_Atomic enum sender_end end; /* set after `error`; read by run.c's user */
	int error;                   /* errno behind `end`, or 0 */
	uint64_t end_ns;             /* CLOCK_MONOTONIC at the last completion */

	struct counters counters;
};

/* Send until done; returns sender->end. Called with the pace started. */
enum sender_end sender_run(struct sender *sender);

/* CLOCK_MONOTONIC in nanoseconds. */
uint64_t clock_ns(void);

#endif
