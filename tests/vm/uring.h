/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The little of io_uring that hammer needs, by system calls: one thread submits
 * and reaps, nothing waits.
 */
#ifndef DXMIT_TESTS_URING_H
#define DXMIT_TESTS_URING_H

#include <errno.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <linux/io_uring.h>

#define URING_ENTRIES 32u

struct uring {
	int fd;
	unsigned int *sq_head, *sq_tail, *sq_array, *cq_head, *cq_tail;
	unsigned int sq_mask, cq_mask;
	struct io_uring_sqe *sqes;
	struct io_uring_cqe *cqes;
	unsigned int queued, outstanding; /* not entered; not completed */
};

static inline void *uring_map(int fd, size_t bytes, off_t what)
{
	return mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, fd,
		    what);
}

/* 0 or -errno: a kernel may lack it, or a sysctl forbid it. */
static inline int uring_open(struct uring *u)
{
	struct io_uring_params p = { 0 };
	uint8_t *sq, *cq;

	u->fd = (int)syscall(__NR_io_uring_setup, URING_ENTRIES, &p);
	if (u->fd < 0)
		return -errno;
	sq = uring_map(u->fd, p.sq_off.array + p.sq_entries * sizeof(unsigned int),
		       IORING_OFF_SQ_RING);
	cq = uring_map(u->fd, p.cq_off.cqes + p.cq_entries * sizeof(*u->cqes),
		       IORING_OFF_CQ_RING);
	u->sqes = uring_map(u->fd, p.sq_entries * sizeof(*u->sqes), IORING_OFF_SQES);
	if (sq == MAP_FAILED || cq == MAP_FAILED || (void *)u->sqes == MAP_FAILED)
		return -ENOMEM;
	u->sq_head = (unsigned int *)(sq + p.sq_off.head);
	u->sq_tail = (unsigned int *)(sq + p.sq_off.tail);
	u->sq_array = (unsigned int *)(sq + p.sq_off.array);
	u->sq_mask = p.sq_entries - 1;
	u->cq_head = (unsigned int *)(cq + p.cq_off.head);
	u->cq_tail = (unsigned int *)(cq + p.cq_off.tail);
	u->cqes = (struct io_uring_cqe *)(cq + p.cq_off.cqes);
	u->cq_mask = p.cq_entries - 1;
	return 0;
}

/* A zeroed entry to fill in, announced already but not entered; NULL when as
 * many are under way as the completion ring is sure to hold. */
static inline struct io_uring_sqe *uring_next(struct uring *u)
{
	unsigned int tail = *u->sq_tail;
	struct io_uring_sqe *sqe = &u->sqes[tail & u->sq_mask];

	if (u->outstanding >= URING_ENTRIES)
		return NULL;
	memset(sqe, 0, sizeof(*sqe));
	u->sq_array[tail & u->sq_mask] = tail & u->sq_mask;
	/* The kernel reads it when entered, by this same thread. */
	*u->sq_tail = tail + 1;
	u->queued++;
	u->outstanding++;
	return sqe;
}

static inline void uring_enter(struct uring *u)
{
	long n = syscall(__NR_io_uring_enter, u->fd, u->queued, 0, IORING_ENTER_GETEVENTS,
			 NULL, 0);

	if (n > 0)
		u->queued -= (unsigned int)n;
}

/* The next completion, copied out; 0 when there is none. */
static inline int uring_reap(struct uring *u, struct io_uring_cqe *out)
{
	unsigned int head = *u->cq_head;

	/* Acquire: the kernel wrote the entry before the index. */
	if (head == __atomic_load_n(u->cq_tail, __ATOMIC_ACQUIRE))
		return 0;
	*out = u->cqes[head & u->cq_mask];
	/* Release: it is read before the kernel may write there again. */
	__atomic_store_n(u->cq_head, head + 1, __ATOMIC_RELEASE);
	u->outstanding--;
	return 1;
}

#endif
