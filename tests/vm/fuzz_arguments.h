/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Where the arguments of fuzz.c come from: numbers, descriptors of many kinds,
 * and memory the kernel may use, only read, or neither.
 */
#ifndef FUZZ_ARGUMENTS_H
#define FUZZ_ARGUMENTS_H

#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>
#include <sys/mman.h>
#include <sys/socket.h>

#include "dxmit_ioctl.h"
#include "fuzz_sender.h"

#define OTHERS 8
#define DUPS 4
#define PAGE 4096u

static int devices[2];
static int others[OTHERS], dups[DUPS];
static uint64_t last_id;                          /* of an attachment */
static uint8_t *writable, *read_only, *forbidden; /* the first two are one page */

static uint64_t caller_state;

static uint32_t below(uint32_t n)
{
	return (uint32_t)(next(&caller_state) >> 32) % n;
}

static bool one_in(uint32_t n)
{
	return below(n) == 0;
}

/* Up to `most`, its neighbours, or anything. */
static uint32_t around(uint32_t most)
{
	switch (below(8)) {
	case 0:
		return most + below(3) - 1;
	case 1:
		return one_in(4) ? (uint32_t)next(&caller_state) : 0;
	case 2:
		return 1u << below(32);
	default:
		return below(most + 1);
	}
}

static int pick_fd(void)
{
	switch (below(16)) {
	case 0:
		return others[below(OTHERS)];
	case 1:
		return dups[below(DUPS)];
	case 2:
		return devices[below(2)];
	case 3:
		return (int)next(&caller_state);
	case 4:
		return (int)below(32);
	case 5:
		return one_in(2) ? INT_MIN : -2;
	case 6:
		return get_fd(&slots[below(slot_count)].share);
	default:
		return get_fd(&slots[below(slot_count)].fd);
	}
}

static uint64_t pick_id(void)
{
	switch (below(4)) {
	case 0:
		return last_id - below(16);
	case 1:
		return one_in(8) ? next(&caller_state) : 0;
	default:
		return last_id;
	}
}

enum where { GOOD, READ_ONLY, BAD };

/* Where the kernel finds the argument that is at `from`, and may write to it. */
static void *place(const void *from, size_t size, enum where *where)
{
	*where = GOOD;
	if (!one_in(8)) {
		memcpy(writable, from, size);
		return writable;
	}
	if (one_in(2)) {
		*where = READ_ONLY;
		memcpy(writable, from, size);
		return read_only;
	}
	*where = BAD;
	switch (below(4)) {
	case 0:
		return NULL;
	case 1:
		return (void *)(uintptr_t)(0xffff800000000000u | next(&caller_state));
	case 2: /* its last byte */
		return forbidden - size + 1;
	default:
		return forbidden;
	}
}

static int bare_socket(bool rings)
{
	int fd = socket(AF_XDP, SOCK_RAW | SOCK_CLOEXEC, 0);
	int entries = 16;

	if (rings && (setsockopt(fd, SOL_XDP, XDP_TX_RING, &entries, sizeof(entries)) ||
		      setsockopt(fd, SOL_XDP, XDP_UMEM_COMPLETION_RING, &entries,
				 sizeof(entries))))
		complain("ring: %s", strerror(errno));
	return fd;
}

static bool arguments_start(void)
{
	int page = memfd_create("argument", 0), i, end[2];

	for (i = 0; i < SLOTS; i++)
		slots[i].fd = slots[i].share = -1;
	for (i = 0; i < DUPS; i++)
		dups[i] = -1;
	for (i = 0; i < 2; i++)
		devices[i] = open(DXMIT_DEVICE, O_RDWR | O_CLOEXEC);
	if (devices[0] < 0 || devices[1] < 0 || page < 0 || ftruncate(page, PAGE) ||
	    pipe(end))
		return false;
	writable = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, page, 0);
	read_only = mmap(NULL, PAGE, PROT_READ, MAP_SHARED, page, 0);
	forbidden = mmap(NULL, 2 * (size_t)PAGE, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (writable == MAP_FAILED || read_only == MAP_FAILED || forbidden == MAP_FAILED)
		return false;
	forbidden += PAGE; /* a hole would be filled by the other thread's memory */
	if (mprotect(forbidden, PAGE, PROT_NONE))
		return false;
	others[0] = socket(AF_INET, SOCK_DGRAM, 0);
	others[1] = socket(AF_UNIX, SOCK_STREAM, 0);
	others[2] = open("/dev/null", O_RDWR);
	others[3] = page;
	others[4] = end[0];
	others[5] = bare_socket(false);
	others[6] = bare_socket(true);
	others[7] = open("/", O_PATH);
	return true;
}

#endif
