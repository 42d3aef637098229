/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The ways a sender can enter the kernel to have an AF_XDP ring transmitted,
 * behind one call, so that a bench can compare them.
 */
#ifndef BENCH_KICK_METHOD_H
#define BENCH_KICK_METHOD_H

#include <stdint.h>

enum kick_method {
	METHOD_SENDTO = 0,  /* one sendto(): one budget */
	METHOD_POLL,        /* one poll() naming the socket once per budget */
	METHOD_POLL_CAPPED, /* the same, at most POLL_STACK_ENTRIES names */
	METHOD_URING,       /* one io_uring_enter() of many empty sends */
	METHOD_COUNT
};

/*
 * poll() keeps its first entries on the kernel's stack and allocates memory
 * for more: (POLL_STACK_ALLOC 256 - sizeof(struct poll_list) 16) / 8, fs/select.c.
 */
#define POLL_STACK_ENTRIES 30

extern const char *const kick_method_names[METHOD_COUNT];

struct kicker;

/*
 * Prepare a method for socket `fd`, `budget` frames per entry and at most
 * `ring` frames outstanding. Returns NULL when the machine has no such method
 * (errno says why).
 */
struct kicker *kicker_open(enum kick_method method, int fd, uint32_t budget,
			   uint32_t ring);
void kicker_close(struct kicker *kicker);

/*
 * Have up to `pending` frames transmitted with one system call. Returns 0 or a
 * negative errno that is neither "budget used up" nor "driver busy".
 */
int kicker_kick(struct kicker *kicker, uint32_t pending);

#endif
