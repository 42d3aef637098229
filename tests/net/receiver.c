/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The far end of the network tests: receives on an interface, reads the stamps
 * of our frames and says what came, what is missing and what came twice.
 *
 *	receiver INTERFACE [--count N] [--time SECONDS] [--linger MS] [--times]
 *
 * Prints "ready" once it listens, then one JSON object. Stops after N of our
 * frames, after the time limit (default 10 s) or on SIGINT/SIGTERM, and then
 * still takes what comes until nothing has for the linger time (default 50 ms).
 * Exit: 0, 1 when it could not receive or had to drop frames, 2 usage.
 */
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <arpa/inet.h>
#include <net/if.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>

#include <dxmit/frame.h>

#include "sum16.h"

/* A block is given to us when full or after the timeout; at a low rate the ring
 * so covers a receiver that is held up for BLOCKS * BLOCK_TIMEOUT_MS = 1 s. */
#define BLOCK_BYTES (1u << 18)
#define BLOCKS 256u
#define BLOCK_TIMEOUT_MS 4
#define QUEUES 1024u
/* One bit per sequence number: 16 MiB per queue at most. */
#define SEQUENCES (UINT64_C(1) << 27)

struct queue {
	uint64_t frames, first, last, highest;
	uint64_t distinct, duplicates, out_of_order;
	uint8_t *seen;
	size_t seen_bytes;
};

struct receiver {
	int fd;
	uint8_t *ring;
	unsigned int block;
	uint64_t full, bad_time; /* stamps of version 2; their time is not now */
	uint64_t frames, foreign, bad_checksum, bad_length, out_of_range, dropped;
	uint32_t min_length, max_length;
	bool keep_times;
	uint64_t *time_ns;
	size_t times, times_room;
	uint64_t first_ns, last_ns;
	struct queue queue[QUEUES];
};

static volatile sig_atomic_t stopped;

static void on_signal(int number)
{
	(void)number;
	stopped = 1;
}

static uint64_t now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

static void *grow(void *memory, size_t bytes)
{
	void *grown = realloc(memory, bytes);

	if (!grown) {
		fprintf(stderr, "receiver: out of memory\n");
		exit(1);
	}
	return grown;
}

/* ---- content ---- */

/* Lengths of the headers agree with each other and with the frame? */
static bool length_is_right(const uint8_t *frame, uint32_t length)
{
	uint32_t ip = (uint32_t)frame[16] << 8 | frame[17];
	uint32_t udp = (uint32_t)frame[38] << 8 | frame[39];

	return frame[14] == 0x45 && ip == udp + 20 && ip + ETH_HLEN == length;
}

static bool checksum_is_right(const uint8_t *frame, uint32_t length)
{
	const uint8_t *ip = frame + ETH_HLEN, *udp = ip + 20;
	uint32_t udp_length = length - ETH_HLEN - 20;
	uint32_t sum;

	if (sum16(0, ip, 20) != 0xffff)
		return false;
	if (udp[6] == 0 && udp[7] == 0)
		return false; /* "no checksum": we always send one */
	sum = sum16(IPPROTO_UDP + udp_length, ip + 12, 8);
	return sum16(sum, udp, udp_length) == 0xffff;
}

static void mark_seen(struct queue *q, uint64_t sequence)
{
	size_t byte = (size_t)(sequence / 8);
	uint8_t bit = (uint8_t)(1u << (sequence % 8));

	if (byte >= q->seen_bytes) {
		size_t bytes = q->seen_bytes ? q->seen_bytes : 4096;

		while (bytes <= byte)
			bytes *= 2;
		q->seen = grow(q->seen, bytes);
		memset(q->seen + q->seen_bytes, 0, bytes - q->seen_bytes);
		q->seen_bytes = bytes;
	}
	if (q->seen[byte] & bit) {
		q->duplicates++;
		return;
	}
	q->seen[byte] |= bit;
	q->distinct++;
	if (q->frames > 0 && sequence < q->highest)
		q->out_of_order++;
}

static void count_stamp(struct receiver *r, const struct dxmit_stamp *stamp)
{
	struct queue *q;

	if (stamp->queue >= QUEUES || stamp->sequence >= SEQUENCES) {
		r->out_of_range++;
		return;
	}
	q = &r->queue[stamp->queue];
	mark_seen(q, stamp->sequence);
	if (q->frames == 0)
		q->first = stamp->sequence;
	if (stamp->sequence > q->highest)
		q->highest = stamp->sequence;
	q->last = stamp->sequence;
	q->frames++;
}

/* It was sent before it was received, and not long ago. */
static void count_full(struct receiver *r, const uint8_t *frame, uint32_t length,
		       uint64_t now)
{
	struct dxmit_stamp_full stamp;

	if (!dxmit_stamp_read_full(frame, length, &stamp))
		return;
	r->full++;
	r->bad_time += stamp.time_ns > now || now - stamp.time_ns > 10000000000u;
}

static void take_frame(struct receiver *r, const struct tpacket3_hdr *header)
{
	const uint8_t *frame = (const uint8_t *)header + header->tp_mac;
	uint64_t ns = (uint64_t)header->tp_sec * 1000000000u + header->tp_nsec;
	struct dxmit_stamp stamp;

	if (header->tp_len != header->tp_snaplen ||
	    !dxmit_stamp_read(frame, header->tp_len, &stamp)) {
		r->foreign++;
		return;
	}
	if (r->frames++ == 0) {
		r->first_ns = ns;
		r->min_length = header->tp_len;
	}
	r->last_ns = ns;
	if (header->tp_len < r->min_length)
		r->min_length = header->tp_len;
	if (header->tp_len > r->max_length)
		r->max_length = header->tp_len;
	if (!length_is_right(frame, header->tp_len))
		r->bad_length++;
	else if (!checksum_is_right(frame, header->tp_len))
		r->bad_checksum++;
	count_stamp(r, &stamp);
	count_full(r, frame, header->tp_len, ns);
	if (r->keep_times) {
		if (r->times == r->times_room) {
			r->times_room = r->times_room ? 2 * r->times_room : 4096;
			r->time_ns = grow(r->time_ns, r->times_room * sizeof(uint64_t));
		}
		r->time_ns[r->times++] = ns;
	}
}

/* ---- receiving ---- */

static int open_ring(struct receiver *r, unsigned int ifindex)
{
	struct tpacket_req3 request = {
		.tp_block_size = BLOCK_BYTES,
		.tp_block_nr = BLOCKS,
		.tp_frame_size = 2048,
		.tp_frame_nr = BLOCKS * (BLOCK_BYTES / 2048),
		.tp_retire_blk_tov = BLOCK_TIMEOUT_MS,
	};
	struct sockaddr_ll address = {
		.sll_family = AF_PACKET,
		.sll_protocol = htons(ETH_P_ALL),
		.sll_ifindex = (int)ifindex,
	};
	int version = TPACKET_V3, on = 1;

	r->fd = socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC, 0);
	if (r->fd < 0 ||
	    setsockopt(r->fd, SOL_PACKET, PACKET_VERSION, &version, sizeof(version)) ||
	    setsockopt(r->fd, SOL_PACKET, PACKET_IGNORE_OUTGOING, &on, sizeof(on)) ||
	    setsockopt(r->fd, SOL_PACKET, PACKET_RX_RING, &request, sizeof(request)))
		return -errno;
	r->ring = mmap(NULL, (size_t)BLOCK_BYTES * BLOCKS, PROT_READ | PROT_WRITE,
		       MAP_SHARED | MAP_POPULATE, r->fd, 0);
	if (r->ring == MAP_FAILED ||
	    bind(r->fd, (struct sockaddr *)&address, sizeof(address)))
		return -errno;
	return 0;
}

/* Take the next block if the kernel has given it to us. */
static bool take_block(struct receiver *r)
{
	struct tpacket_block_desc *block =
		(void *)(r->ring + (size_t)r->block * BLOCK_BYTES);
	struct tpacket_hdr_v1 *info = &block->hdr.bh1;
	struct tpacket3_hdr *header;
	uint32_t i;

	/* Acquire: the kernel wrote the frames before it gave the block away. */
	if (!(__atomic_load_n(&info->block_status, __ATOMIC_ACQUIRE) & TP_STATUS_USER))
		return false;
	header = (void *)((uint8_t *)block + info->offset_to_first_pkt);
	for (i = 0; i < info->num_pkts; i++) {
		take_frame(r, header);
		header = (void *)((uint8_t *)header + header->tp_next_offset);
	}
	/* Release: our reads are over before the kernel fills it again. */
	__atomic_store_n(&info->block_status, TP_STATUS_KERNEL, __ATOMIC_RELEASE);
	r->block = (r->block + 1) % BLOCKS;
	return true;
}

/* Wait for a block; false when none came in time. */
static bool wait_for_block(struct receiver *r, int wait_ms)
{
	struct pollfd pfd = { .fd = r->fd, .events = POLLIN };
	socklen_t len = sizeof(int);
	int error;

	if (poll(&pfd, 1, wait_ms) <= 0)
		return false;
	/* The interface went down: said once, else each poll returns at once. */
	if (pfd.revents & POLLERR)
		getsockopt(r->fd, SOL_SOCKET, SO_ERROR, &error, &len);
	return true;
}

static void receive(struct receiver *r, uint64_t count, uint64_t limit_ns, int linger_ms)
{
	uint64_t end = now_ns() + limit_ns;

	while (!stopped && (count == 0 || r->frames < count) && now_ns() < end)
		if (!take_block(r))
			wait_for_block(r, 20);
	/* A sender that never stops must not keep us: 2 s at most. */
	end = now_ns() + 2000000000u;
	while (now_ns() < end)
		if (!take_block(r) && !wait_for_block(r, linger_ms) && !take_block(r))
			break;
}

static int read_drops(struct receiver *r)
{
	struct tpacket_stats_v3 stats;
	socklen_t len = sizeof(stats);

	if (getsockopt(r->fd, SOL_PACKET, PACKET_STATISTICS, &stats, &len))
		return -errno;
	r->dropped = stats.tp_drops;
	return 0;
}

/* ---- report ---- */

static int compare_u64(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

static void print_gaps(struct receiver *r)
{
	size_t gaps = r->times > 1 ? r->times - 1 : 0, i;

	/* In place: each gap overwrites the time before it. Arrival order is
	 * the ring's order, so a clock step shows as a huge gap. */
	for (i = 0; i < gaps; i++)
		r->time_ns[i] = r->time_ns[i + 1] - r->time_ns[i];
	qsort(r->time_ns, gaps, sizeof(uint64_t), compare_u64);
	printf(",\"gaps\":{\"count\":%zu", gaps);
	if (gaps)
		printf(",\"min_ns\":%" PRIu64 ",\"median_ns\":%" PRIu64
		       ",\"max_ns\":%" PRIu64,
		       r->time_ns[0], r->time_ns[gaps / 2], r->time_ns[gaps - 1]);
	printf("}");
}

/* Missing: numbers below the highest that never came. */
static uint64_t missing(const struct queue *q)
{
	return q->frames ? q->highest + 1 - q->distinct : 0;
}

static void print_report(struct receiver *r)
{
	uint64_t gone = 0, twice = 0, late = 0;
	const char *comma = "";
	uint32_t i;

	for (i = 0; i < QUEUES; i++) {
		gone += missing(&r->queue[i]);
		twice += r->queue[i].duplicates;
		late += r->queue[i].out_of_order;
	}
	printf("{\"frames\":%" PRIu64 ",\"foreign\":%" PRIu64 ",\"dropped\":%" PRIu64,
	       r->frames, r->foreign, r->dropped);
	printf(",\"missing\":%" PRIu64 ",\"duplicates\":%" PRIu64
	       ",\"out_of_order\":%" PRIu64,
	       gone, twice, late);
	printf(",\"out_of_range\":%" PRIu64 ",\"bad_checksum\":%" PRIu64
	       ",\"bad_length\":%" PRIu64,
	       r->out_of_range, r->bad_checksum, r->bad_length);
	printf(",\"full\":%" PRIu64 ",\"bad_time\":%" PRIu64, r->full, r->bad_time);
	printf(",\"min_length\":%u,\"max_length\":%u,\"span_ns\":%" PRIu64, r->min_length,
	       r->max_length, r->last_ns - r->first_ns);
	if (r->keep_times)
		print_gaps(r);
	printf(",\"queues\":[");
	for (i = 0; i < QUEUES; i++) {
		const struct queue *q = &r->queue[i];

		if (q->frames == 0)
			continue;
		printf("%s{\"queue\":%u,\"frames\":%" PRIu64 ",\"first\":%" PRIu64
		       ",\"last\":%" PRIu64 ",\"missing\":%" PRIu64
		       ",\"duplicates\":%" PRIu64 ",\"out_of_order\":%" PRIu64 "}",
		       comma, i, q->frames, q->first, q->last, missing(q), q->duplicates,
		       q->out_of_order);
		comma = ",";
	}
	printf("]}\n");
}

/* ---- command line ---- */

struct options {
	const char *interface;
	uint64_t count;
	double seconds;
	int linger_ms;
	bool times;
};

static int parse(int argc, char **argv, struct options *o)
{
	static const struct option table[] = {
		{ "count", required_argument, NULL, 'n' },
		{ "time", required_argument, NULL, 't' },
		{ "linger", required_argument, NULL, 'l' },
		{ "times", no_argument, NULL, 'T' },
		{ NULL, 0, NULL, 0 },
	};
	int c;

	while ((c = getopt_long(argc, argv, "", table, NULL)) != -1) {
		char none[1] = "", *end = none;

		if (c == 'n')
			o->count = strtoull(optarg, &end, 10);
		else if (c == 't')
			o->seconds = strtod(optarg, &end);
		else if (c == 'l')
			o->linger_ms = (int)strtol(optarg, &end, 10);
		else if (c == 'T')
			o->times = true;
		else
			return -1;
		if (*end || o->seconds <= 0 || o->linger_ms < 0)
			return -1;
	}
	if (optind != argc - 1)
		return -1;
	o->interface = argv[optind];
	return 0;
}

int main(int argc, char **argv)
{
	static struct receiver r;
	struct options o = { .seconds = 10, .linger_ms = 50 };
	struct sigaction action = { .sa_handler = on_signal };
	unsigned int ifindex;
	int err;

	if (parse(argc, argv, &o)) {
		fprintf(stderr, "usage: receiver INTERFACE [--count N] [--time SECONDS] "
				"[--linger MS] [--times]\n");
		return 2;
	}
	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	ifindex = if_nametoindex(o.interface);
	err = ifindex ? open_ring(&r, ifindex) : -ENODEV;
	if (err) {
		fprintf(stderr, "receiver: %s: %s\n", o.interface, strerror(-err));
		return 1;
	}
	r.keep_times = o.times;
	printf("ready\n");
	fflush(stdout);
	receive(&r, o.count, (uint64_t)(o.seconds * 1e9), o.linger_ms);
	err = read_drops(&r);
	print_report(&r);
	if (err || r.dropped) {
		fprintf(stderr,
			"receiver: %s: %" PRIu64 " frames dropped before they "
			"could be read; send fewer\n",
			o.interface, r.dropped);
		return 1;
	}
	return 0;
}
