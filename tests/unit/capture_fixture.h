/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Captures written byte by byte, without libpcap: pcap and pcapng in both byte
 * orders and resolutions. As files they live in memory, under /proc/self/fd.
 * Formats: draft-ietf-opsawg-pcap, draft-ietf-opsawg-pcapng.
 */
#ifndef UNIT_CAPTURE_FIXTURE_H
#define UNIT_CAPTURE_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define LINK_ETHERNET 1
#define MAX_CAPTURE (1u << 20)
#define MAX_RECORDS 4096

struct file {
	bool big;  /* byte order */
	bool nano; /* resolution */
	bool next; /* pcapng */
	uint8_t bytes[MAX_CAPTURE];
	size_t used;
	size_t record_at[MAX_RECORDS + 1]; /* where each begins; the end */
	size_t records;
	int fd; /* -1: not written */
	char path[64];
};

static inline void put(struct file *f, const void *bytes, size_t n)
{
	assert_true(f->used + n <= sizeof(f->bytes));
	memcpy(f->bytes + f->used, bytes, n);
	f->used += n;
}

static inline void put_n(struct file *f, uint64_t value, unsigned int n)
{
	uint8_t bytes[8];
	unsigned int i;

	for (i = 0; i < n; i++)
		bytes[f->big ? n - 1 - i : i] = (uint8_t)(value >> 8 * i);
	put(f, bytes, n);
}

static inline void put_header(struct file *f, uint32_t snaplen, uint32_t link)
{
	if (!f->next) {
		put_n(f, f->nano ? 0xa1b23c4d : 0xa1b2c3d4, 4);
		put_n(f, 2, 2); /* version 2.4 */
		put_n(f, 4, 2);
		put_n(f, 0, 8); /* reserved */
		put_n(f, snaplen, 4);
		put_n(f, link, 4);
		return;
	}
	put_n(f, 0x0a0d0d0a, 4); /* section header block */
	put_n(f, 28, 4);
	put_n(f, 0x1a2b3c4d, 4);
	put_n(f, 1, 2); /* version 1.0 */
	put_n(f, 0, 2);
	put_n(f, UINT64_MAX, 8); /* length unknown */
	put_n(f, 28, 4);
	put_n(f, 1, 4); /* interface description block */
	put_n(f, 32, 4);
	put_n(f, link, 2);
	put_n(f, 0, 2);
	put_n(f, snaplen, 4);
	put_n(f, 9, 2); /* if_tsresol */
	put_n(f, 1, 2);
	put_n(f, f->nano ? 9 : 6, 1);
	put_n(f, 0, 3);
	put_n(f, 0, 4); /* end of options */
	put_n(f, 32, 4);
}

/* A file to write: its header is in it. */
static inline void file_begin(struct file *f, bool next, bool big, bool nano)
{
	memset(f, 0, sizeof(*f));
	f->next = next;
	f->big = big;
	f->nano = nano;
	f->fd = -1;
	put_header(f, 65535, LINK_ETHERNET);
	f->record_at[0] = f->used;
}

/* A record that claims to hold `captured` of `original` bytes, and does hold
 * `there`. */
static inline void put_record(struct file *f, uint64_t time_ns, const uint8_t *frame,
			      uint32_t there, uint32_t captured, uint32_t original)
{
	uint64_t units = f->nano ? time_ns : time_ns / 1000;
	uint32_t per_second = f->nano ? 1000000000 : 1000000;
	uint32_t padded = (there + 3) & ~3u;

	assert_true(f->records < MAX_RECORDS);
	if (f->next) {
		put_n(f, 6, 4); /* enhanced packet block */
		put_n(f, 32 + padded, 4);
		put_n(f, 0, 4);
		put_n(f, units >> 32, 4);
		put_n(f, units, 4);
	} else {
		put_n(f, units / per_second, 4);
		put_n(f, units % per_second, 4);
	}
	put_n(f, captured, 4);
	put_n(f, original, 4);
	put(f, frame, there);
	if (f->next) {
		put_n(f, 0, padded - there);
		put_n(f, 32 + padded, 4);
	}
	f->record_at[++f->records] = f->used;
}

static inline void put_frame(struct file *f, uint64_t time_ns, const uint8_t *frame,
			     uint32_t length)
{
	put_record(f, time_ns, frame, length, length, length);
}

static inline void file_close(struct file *f)
{
	if (f->fd >= 0)
		close(f->fd);
	f->fd = -1;
}

/* Write the first `n` bytes; the name is then in f->path. */
static inline const char *file_written(struct file *f, size_t n)
{
	file_close(f);
	f->fd = memfd_create("capture", MFD_CLOEXEC);
	assert_true(f->fd >= 0);
	assert_int_equal(write(f->fd, f->bytes, n), n);
	snprintf(f->path, sizeof(f->path), "/proc/self/fd/%d", f->fd);
	return f->path;
}

/* ---- frames ---- */

/* UDP over IPv4 between two hosts; `mark` tells it from others. */
static inline void make_frame(uint8_t *frame, uint32_t length, uint32_t flow,
			      uint32_t mark)
{
	const uint8_t head[42] = {
		2, 0,  0,  0, 0, 2,  2, 0, 0, 0,  0, 1, 8, 0, 0x45, 0, 0, 0, 0, 0, 0,
		0, 64, 17, 0, 0, 10, 0, 0, 1, 10, 0, 0, 2, 0, 0,    0, 9, 0, 0, 0, 0,
	};
	uint32_t i;

	for (i = 0; i < length; i++)
		frame[i] = i < sizeof(head) ? head[i] : (uint8_t)(i * 7 + mark);
	if (length < 60)
		return;
	frame[16] = (uint8_t)((length - 14) >> 8);
	frame[17] = (uint8_t)(length - 14);
	frame[34] = (uint8_t)(flow >> 8);
	frame[35] = (uint8_t)flow;
	frame[38] = (uint8_t)((length - 34) >> 8);
	frame[39] = (uint8_t)(length - 34);
	for (i = 0; i < 4; i++)
		frame[42 + i] = (uint8_t)(mark >> 8 * i);
}

#endif
