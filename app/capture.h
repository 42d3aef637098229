/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Capture files, read record by record: pcap (microseconds and nanoseconds,
 * both byte orders) and pcapng, by libpcap. The file is not trusted: memory is
 * bounded by libpcap's largest record (256 KiB) or pcapng block (16 MiB),
 * whatever the file says.
 */
#ifndef APP_CAPTURE_H
#define APP_CAPTURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* No Ethernet record is longer: libpcap's own limit, MAXIMUM_SNAPLEN. */
#define CAPTURE_MAX_LENGTH 262144u

#define CAPTURE_REASON_LEN 200

/* What is wrong with a file, and where. */
struct capture_fault {
	uint64_t record; /* 1, 2 … the record it is about; 0: the file */
	int64_t offset;  /* byte in the file where that begins; -1: unknown */
	bool canceled;   /* nothing is wrong: the stop descriptor was readable */
	char reason[CAPTURE_REASON_LEN];
};

struct capture_record {
	uint64_t number;      /* 1, 2 … since the beginning of the file */
	int64_t offset;       /* where it begins; in pcapng, where the block before
			     it ends */
	uint64_t time_ns;     /* since 1970, as far as the file can be believed */
	const uint8_t *bytes; /* valid until the next call */
	uint32_t captured;    /* bytes there are */
	uint32_t original;    /* bytes the frame had on the wire */
};

struct capture;

/*
 * Open a file, or standard input if the path is "-". It must be an Ethernet
 * capture. With stop_fd >= 0 every read gives up once that is readable, so that
 * a pipe nobody writes to holds nobody up.
 * Returns 0, or -errno with *fault filled: -EISDIR, -EPROTO (no capture, or
 * not of Ethernet), -ECANCELED, what open(2) and read(2) say.
 */
int capture_open(const char *path, int stop_fd, struct capture **out,
		 struct capture_fault *fault);

/*
 * The next record. Returns 1, 0 at the end, or a negative error with *fault
 * filled: -EPROTO where the file is cut or damaged, and as above. After an error
 * only capture_rewind() and capture_close() make sense; records already read
 * were good.
 */
int capture_next(struct capture *capture, struct capture_record *record,
		 struct capture_fault *fault);

/* Start over, as after capture_open(). -ESPIPE where that cannot be done. */
int capture_rewind(struct capture *capture, struct capture_fault *fault);

/* Bytes of the file; -1 for a pipe, which capture_rewind() cannot rewind. */
int64_t capture_size(const struct capture *capture);

/* From now on another descriptor stops reads. */
void capture_stop_on(struct capture *capture, int stop_fd);

/* Idempotent. */
void capture_close(struct capture **capture);

/*
 * The bytes of the first record of a file (a template for generated frames).
 * Returns their number, 0 if there is no record, -EMSGSIZE if they do not fit
 * `room`, or an error of capture_open() or capture_next() with *fault filled.
 */
int capture_first(const char *path, void *buf, size_t room, struct capture_fault *fault);

/* "record 3 at byte 120: REASON", as far as known, without ';' and newlines. */
#define CAPTURE_TEXT_LEN 280
void capture_fault_text(const struct capture_fault *fault, char text[CAPTURE_TEXT_LEN]);

#endif
