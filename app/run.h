/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A run: one pinned thread per planned queue. Each opens its queue (so that
 * the memory is touched where it will be used), lays its frames, gives up its
 * privileges, waits for the common trigger and sends.
 */
#ifndef APP_RUN_H
#define APP_RUN_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include <dxmit/dxmit.h>
#include "config.h"
#include "sender.h"

struct run_thread {
	struct run *run;
	uint32_t index; /* into plan->queue and sender */
	pthread_t thread;
	bool started;
	int privileges_error; /* 0 or -errno; valid once the thread is ready */
	uint64_t cpu_user_ns; /* of the thread, at its end */
	uint64_t cpu_system_ns;
	struct sender sender;
};

struct run {
	const struct config *config;
	const struct dxmit_nic *nic;
	const struct dxmit_plan *plan;
	const struct content *content;
	const struct schedule *schedule; /* of all queues together */
	struct replay *replay;           /* instead of the content; NULL: none */

	struct control control;
	struct run_thread *thread; /* plan->queues of them */
	int event_fd;              /* readable when a thread is ready or ends */
	int link_fd;               /* for SIOCGIFFLAGS; an AF_XDP socket has no ioctl */
	uint64_t start_ns;         /* CLOCK_MONOTONIC of the trigger */

	/* The trigger. All under `lock`. */
	pthread_mutex_t lock;
	pthread_cond_t go_changed;
	enum { RUN_WAIT, RUN_GO, RUN_ABORT } go;
	uint32_t ready;           /* threads that opened their queue */
	uint32_t failed;          /* threads that could not */
	uint32_t ended;           /* threads past their last instruction but one */
	struct dxmit_error error; /* of the first that failed */
};

/* Allocate and start the threads, which begin to open their queues.
 * Returns 0 or -errno. */
int run_create(struct run *run);

/* How many threads are ready, failed, ended. */
void run_progress(struct run *run, uint32_t *ready, uint32_t *failed, uint32_t *ended);

/* Pull the trigger: all threads start sending together. */
void run_go(struct run *run);

/* Tell the threads to end. With `hurry` they hardly wait for completions. */
void run_stop(struct run *run, bool hurry);

/* Wait for every thread and close every queue. Idempotent. */
void run_destroy(struct run *run);

#endif
