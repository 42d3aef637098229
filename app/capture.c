/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The reader of capture.h. libpcap reads through a stdio stream of ours (a
 * cookie), which counts bytes, so that offsets are known in a pipe too, and
 * which gives up when it is told to.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <pcap/pcap.h>

#include "capture.h"

/* What a pipe holds; a poll and a read per so much vanish in its copying. */
#define BUFFER_BYTES (64u * 1024)

struct capture {
	int fd;
	int stop_fd;
	int64_t size;       /* bytes of a regular file, else -1 */
	uint64_t number;    /* of the last record */
	uint64_t delivered; /* bytes given to stdio since the beginning */
	int read_errno;     /* of the last failed read */
	pcap_t *pcap;       /* owns `stream` once there is one */
	FILE *stream;
	char buffer[BUFFER_BYTES]; /* setvbuf() would not allocate that much */
};

/* ---- messages ---- */

/* libpcap's sentences have semicolons, which in our messages end the reason. */
static void make_one_line(char *text)
{
	for (; *text; text++) {
		if (*text == ';')
			*text = ',';
		else if ((unsigned char)*text < ' ' || *text == 0x7f)
			*text = ' ';
	}
}

static int fault_is(struct capture_fault *fault, int err, uint64_t record, int64_t offset,
		    const char *reason)
{
	fault->record = record;
	fault->offset = offset;
	fault->canceled = err == -ECANCELED;
	snprintf(fault->reason, sizeof(fault->reason), "%s", reason);
	make_one_line(fault->reason);
	return err;
}

void capture_fault_text(const struct capture_fault *fault, char text[CAPTURE_TEXT_LEN])
{
	char at[64] = "";

	if (fault->record && fault->offset >= 0)
		snprintf(at, sizeof(at), "record %" PRIu64 " at byte %" PRId64 ": ",
			 fault->record, fault->offset);
	else if (fault->record)
		snprintf(at, sizeof(at), "record %" PRIu64 ": ", fault->record);
	snprintf(text, CAPTURE_TEXT_LEN, "%s%s", at, fault->reason);
}

/* ---- the stream ---- */

/* Wait for something to read, or for the order to stop. */
static int wait_for_input(const struct capture *c)
{
	struct pollfd fd[] = { { .fd = c->stop_fd, .events = POLLIN },
			       { .fd = c->fd, .events = POLLIN } };
	int ready;

	do {
		ready = poll(fd, 2, -1);
	} while (ready < 0 && errno == EINTR);
	if (ready < 0)
		return -errno;
	return fd[0].revents ? -ECANCELED : 0;
}

static ssize_t stream_read(void *cookie, char *buf, size_t size)
{
	struct capture *c = cookie;
	ssize_t n;
	int err;

	do {
		err = wait_for_input(c);
		n = err ? err : read(c->fd, buf, size);
		if (n < 0 && !err)
			err = -errno;
	} while (err == -EINTR || err == -EAGAIN);
	if (n >= 0) {
		c->delivered += (uint64_t)n;
		return n;
	}
	c->read_errno = -err;
	errno = -err;
	return -1;
}

/* Only to tell where the stream is. */
static int stream_seek(void *cookie, off64_t *offset, int whence)
{
	const struct capture *c = cookie;

	if (whence != SEEK_CUR || *offset != 0) {
		errno = ESPIPE;
		return -1;
	}
	*offset = (off64_t)c->delivered;
	return 0;
}

/* Where a failed or short read of libpcap really failed. */
static int error_of(const struct capture *c)
{
	return c->read_errno ? -c->read_errno : -EPROTO;
}

static int begin_reading(struct capture *c, struct capture_fault *fault)
{
	const cookie_io_functions_t calls = { .read = stream_read, .seek = stream_seek };
	char errbuf[PCAP_ERRBUF_SIZE] = "";
	int link;

	c->number = 0;
	c->delivered = 0;
	c->read_errno = 0;
	c->stream = fopencookie(c, "r", calls);
	if (!c->stream)
		return fault_is(fault, -ENOMEM, 0, -1, "out of memory");
	setvbuf(c->stream, c->buffer, _IOFBF, sizeof(c->buffer));
	c->pcap = pcap_fopen_offline_with_tstamp_precision(
		c->stream, PCAP_TSTAMP_PRECISION_NANO, errbuf);
	if (!c->pcap && c->read_errno)
		return fault_is(fault, -c->read_errno, 0, 0, strerror(c->read_errno));
	if (!c->pcap)
		return fault_is(fault, -EPROTO, 0, 0,
				c->delivered ? errbuf : "it is empty");
	link = pcap_datalink(c->pcap);
	if (link != DLT_EN10MB) {
		const char *name = pcap_datalink_val_to_name(link);

		snprintf(errbuf, sizeof(errbuf), "it holds %s packets and not Ethernet",
			 name ? name : "unknown");
		return fault_is(fault, -EPROTO, 0, 0, errbuf);
	}
	return 0;
}

static void end_reading(struct capture *c)
{
	if (c->pcap)
		pcap_close(c->pcap); /* closes the stream */
	else if (c->stream)
		fclose(c->stream);
	c->pcap = NULL;
	c->stream = NULL;
}

/* ---- life ---- */

/* Without O_NONBLOCK a FIFO nobody writes to would hold up the open itself. */
static int open_input(const char *path)
{
	if (strcmp(path, "-") == 0)
		return fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0);
	return open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
}

int capture_open(const char *path, int stop_fd, struct capture **out,
		 struct capture_fault *fault)
{
	struct capture *c = calloc(1, sizeof(*c));
	struct stat st;
	int err;

	*out = NULL;
	memset(fault, 0, sizeof(*fault));
	if (!c)
		return fault_is(fault, -ENOMEM, 0, -1, "out of memory");
	c->stop_fd = stop_fd;
	c->fd = open_input(path);
	if (c->fd < 0 || fstat(c->fd, &st) < 0)
		err = fault_is(fault, -errno, 0, -1, strerror(errno));
	else if (S_ISDIR(st.st_mode))
		err = fault_is(fault, -EISDIR, 0, -1, "it is a directory");
	else {
		c->size = S_ISREG(st.st_mode) ? (int64_t)st.st_size : -1;
		err = begin_reading(c, fault);
	}
	if (err)
		capture_close(&c);
	*out = c;
	return err;
}

void capture_close(struct capture **capture)
{
	struct capture *c = *capture;

	*capture = NULL;
	if (!c)
		return;
	end_reading(c);
	if (c->fd >= 0)
		close(c->fd);
	free(c);
}

int64_t capture_size(const struct capture *c)
{
	return c->size;
}

void capture_stop_on(struct capture *c, int stop_fd)
{
	c->stop_fd = stop_fd;
}

int capture_rewind(struct capture *c, struct capture_fault *fault)
{
	end_reading(c);
	if (c->size < 0)
		return fault_is(fault, -ESPIPE, 0, -1, "a pipe cannot be read twice");
	if (lseek(c->fd, 0, SEEK_SET) < 0)
		return fault_is(fault, -errno, 0, -1, strerror(errno));
	return begin_reading(c, fault);
}

/* ---- records ---- */

/* libpcap was asked for nanoseconds, so tv_usec holds them. A damaged header can
 * say anything: unsigned arithmetic wraps and is harmless. */
static uint64_t time_of(const struct pcap_pkthdr *header)
{
	return (uint64_t)header->ts.tv_sec * 1000000000u + (uint64_t)header->ts.tv_usec;
}

int capture_next(struct capture *c, struct capture_record *record,
		 struct capture_fault *fault)
{
	struct pcap_pkthdr *header;
	const u_char *bytes;
	int64_t offset;
	int answer;

	if (!c->pcap)
		return fault_is(fault, -EPROTO, 0, -1, "it is not open any more");
	offset = ftello(c->stream);
	answer = pcap_next_ex(c->pcap, &header, &bytes);
	if (answer == PCAP_ERROR_BREAK) /* the end */
		return 0;
	if (answer != 1) {
		int err = error_of(c);

		return fault_is(fault, err, c->number + 1, offset,
				err == -EPROTO ? pcap_geterr(c->pcap) : strerror(-err));
	}
	*record = (struct capture_record){
		.number = ++c->number,
		.offset = offset,
		.time_ns = time_of(header),
		.bytes = bytes,
		.captured = header->caplen,
		.original = header->len,
	};
	return 1;
}

int capture_first(const char *path, void *buf, size_t room, struct capture_fault *fault)
{
	struct capture_record record;
	struct capture *c;
	int answer = capture_open(path, -1, &c, fault);

	if (answer)
		return answer;
	answer = capture_next(c, &record, fault);
	if (answer == 1) {
		answer = record.captured <= room ? (int)record.captured : -EMSGSIZE;
		if (answer < 0)
			fault_is(fault, answer, 1, record.offset, "it is too long");
		else
			memcpy(buf, record.bytes, record.captured);
	}
	capture_close(&c);
	return answer;
}
