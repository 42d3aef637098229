/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Both ends of a replay, for test_replay.sh. It knows its frames by a number
 * and a flow in their payload, and takes nothing from the code under test.
 *
 *	replayed make FILE FRAMES FLOWS STEP_US
 *		write a capture: UDP over IPv4, over a VLAN tag, over IPv6, and
 *		frames that are not IP; 14 to 1514 bytes long
 *	replayed record IF FILE COUNT SECONDS
 *		say "ready", then write what arrives until COUNT or the time
 *	replayed compare SENT SEEN LOOPS
 *		every frame LOOPS times, byte for byte (filled up to 60), each
 *		flow in order; prints its frames or what is wrong
 *	replayed order SENT SEEN
 *		print how many frames are the same and in the same order
 *	replayed times SENT SEEN FACTOR
 *		print the largest deviation from FACTOR x the recorded times, in us
 */
#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <pcap/pcap.h>

#define MAX_FRAME 2048
#define MIN_FRAME 60
#define MAX_FLOWS 256

static void die(const char *what, const char *why)
{
	fprintf(stderr, "replayed: %s: %s\n", what, why);
	exit(1);
}

/* ---- make ---- */

static void put16(uint8_t *at, uint32_t value)
{
	at[0] = (uint8_t)(value >> 8);
	at[1] = (uint8_t)value;
}

/* One frame of a flow; its kind and addresses come from the flow, its direction
 * from the number. Returns the length. */
static uint32_t make_frame(uint8_t *frame, uint32_t flow, uint32_t number)
{
	static const uint8_t macs[12] = { 2, 0, 0, 0, 0, 2, 2, 0, 0, 0, 0, 1 };
	uint32_t length = 100 + number * 61 % 1415, at = 12, i;
	bool back = number / 3 % 2;
	uint8_t near = (uint8_t)(flow + 1), far = 0;

	for (i = 0; i < length; i++)
		frame[i] = (uint8_t)(number + i);
	memcpy(frame, macs, sizeof(macs));
	frame[back ? 5 : 11] = near;
	frame[back ? 11 : 5] = 255;
	if (flow % 4 == 1) {
		put16(frame + at, 0x8100);
		put16(frame + at + 2, 100 + flow);
		at += 4;
	}
	put16(frame + at, flow % 4 == 2 ? 0x86dd : flow % 4 == 3 ? 0x88b5 : 0x0800);
	at += 2;
	if (flow % 4 < 2) {
		memset(frame + at, 0, 20);
		frame[at] = 0x45;
		put16(frame + at + 2, length - at);
		frame[at + 9] = 17;
		frame[at + 15] = back ? far : near;
		frame[at + 19] = back ? near : far;
		at += 20;
	} else if (flow % 4 == 2) {
		memset(frame + at, 0, 40);
		frame[at] = 0x60;
		put16(frame + at + 4, length - at - 40);
		frame[at + 6] = 17;
		frame[at + 23] = back ? far : near;
		frame[at + 39] = back ? near : far;
		at += 40;
	}
	if (flow % 4 < 3) {
		put16(frame + at, back ? 53 : 1000 + flow);
		put16(frame + at + 2, back ? 1000 + flow : 53);
		put16(frame + at + 4, length - at);
		put16(frame + at + 6, 0);
	} else if (number % 5 == 0) {
		length = 14 + number % 60; /* some need filling up */
	}
	return length;
}

/* Which flow and number a frame has is known from the order in the file. */
static void make(char **argv)
{
	uint32_t frames = (uint32_t)atol(argv[1]), flows = (uint32_t)atol(argv[2]);
	uint64_t step_us = (uint64_t)atol(argv[3]), i;
	pcap_t *dead = pcap_open_dead_with_tstamp_precision(DLT_EN10MB, 65535,
							    PCAP_TSTAMP_PRECISION_NANO);
	pcap_dumper_t *out = pcap_dump_open(dead, argv[0]);
	uint8_t frame[MAX_FRAME];

	if (!out)
		die(argv[0], pcap_geterr(dead));
	for (i = 0; i < frames; i++) {
		uint32_t length =
			make_frame(frame, (uint32_t)(i * 7 % flows), (uint32_t)i);
		struct pcap_pkthdr header = { .caplen = length, .len = length };

		header.ts.tv_sec = (time_t)(1700000000 + i * step_us / 1000000);
		header.ts.tv_usec = (suseconds_t)(i * step_us % 1000000 * 1000);
		pcap_dump((u_char *)out, &header, frame);
	}
	pcap_dump_close(out);
	pcap_close(dead);
}

/* ---- record ---- */

static void record(char **argv)
{
	long count = atol(argv[2]), seconds = atol(argv[3]), seen = 0;
	char errbuf[PCAP_ERRBUF_SIZE] = "";
	pcap_t *in = pcap_create(argv[0], errbuf);
	time_t end = time(NULL) + seconds;
	struct pcap_pkthdr *header;
	struct pcap_stat stat;
	const u_char *bytes;
	pcap_dumper_t *out;

	if (!in)
		die(argv[0], errbuf);
	pcap_set_snaplen(in, 4096);
	pcap_set_promisc(in, 1);
	pcap_set_timeout(in, 10);
	pcap_set_immediate_mode(in, 1);
	pcap_set_buffer_size(in, 64 << 20);
	pcap_set_tstamp_precision(in, PCAP_TSTAMP_PRECISION_NANO);
	if (pcap_activate(in) < 0 || pcap_setdirection(in, PCAP_D_IN) < 0 ||
	    pcap_setnonblock(in, 1, errbuf) < 0)
		die(argv[0], pcap_geterr(in));
	out = pcap_dump_open(in, argv[1]);
	if (!out)
		die(argv[1], pcap_geterr(in));
	puts("ready");
	fflush(stdout);
	while (seen < count && time(NULL) < end) {
		const struct timespec pause = { .tv_nsec = 1000000 };

		if (pcap_next_ex(in, &header, &bytes) == 1) {
			pcap_dump((u_char *)out, header, bytes);
			seen++;
		} else
			nanosleep(&pause, NULL);
	}
	/* what comes on top of the count must be seen, too */
	nanosleep(&(struct timespec){ .tv_nsec = 100000000 }, NULL);
	for (; pcap_next_ex(in, &header, &bytes) == 1; seen++)
		pcap_dump((u_char *)out, header, bytes);
	if (pcap_stats(in, &stat) == 0 && stat.ps_drop)
		die(argv[0], "the receiver did not keep up");
	pcap_dump_close(out);
	printf("%ld\n", seen);
}

/* ---- compare ---- */

struct packet {
	uint32_t length;
	uint64_t time_ns;
	uint32_t flow;
	uint8_t *bytes;
};

struct packets {
	struct packet *packet;
	size_t count;
};

/* Fill up to what Ethernet allows. */
static struct packets load(const char *path)
{
	char errbuf[PCAP_ERRBUF_SIZE];
	pcap_t *in = pcap_open_offline_with_tstamp_precision(
		path, PCAP_TSTAMP_PRECISION_NANO, errbuf);
	struct packets p = { NULL, 0 };
	struct pcap_pkthdr *header;
	const u_char *bytes;
	int answer;

	if (!in)
		die(path, errbuf);
	while ((answer = pcap_next_ex(in, &header, &bytes)) == 1) {
		struct packet *now;

		if (p.count % 1024 == 0)
			p.packet = realloc(p.packet, (p.count + 1024) * sizeof(*now));
		now = &p.packet[p.count++];
		now->length = header->len < MIN_FRAME ? MIN_FRAME : header->len;
		now->time_ns = (uint64_t)header->ts.tv_sec * 1000000000u +
			       (uint64_t)header->ts.tv_usec;
		now->bytes = calloc(1, now->length);
		memcpy(now->bytes, bytes, header->caplen);
	}
	if (answer == -1)
		die(path, pcap_geterr(in));
	pcap_close(in);
	return p;
}

/* The flow is in the last byte of the MAC address that is not 255. */
static uint32_t flow_of(const struct packet *packet)
{
	uint8_t a = packet->bytes[5], b = packet->bytes[11];

	return a == 255 ? b : a;
}

static bool equal(const struct packet *a, const struct packet *b)
{
	return a->length == b->length && memcmp(a->bytes, b->bytes, a->length) == 0;
}

static void compare(char **argv)
{
	struct packets sent = load(argv[0]), seen = load(argv[1]);
	size_t loops = (size_t)atol(argv[2]), next[MAX_FLOWS] = { 0 }, i;

	for (i = 0; i < seen.count; i++) {
		uint32_t flow = flow_of(&seen.packet[i]);
		size_t turn, at;

		/* the next of this flow, around the end of the file */
		for (turn = 0; turn < sent.count; turn++) {
			at = (next[flow] + turn) % sent.count;
			if (flow_of(&sent.packet[at]) == flow)
				break;
		}
		if (turn == sent.count || !equal(&sent.packet[at], &seen.packet[i])) {
			printf("frame %zu at the far end is not the next of flow %" PRIu32
			       "\n",
			       i, flow);
			return;
		}
		next[flow] = at + 1;
	}
	if (seen.count != sent.count * loops)
		printf("%zu frames, %zu expected\n", seen.count, sent.count * loops);
	else
		printf("%zu\n", seen.count);
}

/* All frames, whatever their flow, in the order of the file. */
static void order(char **argv)
{
	struct packets sent = load(argv[0]), seen = load(argv[1]);
	size_t i;

	for (i = 0; i < seen.count && i < sent.count; i++)
		if (!equal(&sent.packet[i], &seen.packet[i]))
			break;
	printf("%zu\n", i);
}

static void times(char **argv)
{
	struct packets sent = load(argv[0]), seen = load(argv[1]);
	double factor = atof(argv[2]), worst = 0;
	size_t i;

	if (sent.count != seen.count)
		die(argv[1], "another number of frames");
	for (i = 0; i < sent.count; i++) {
		double should = (double)(sent.packet[i].time_ns - sent.packet[0].time_ns);
		double is = (double)(seen.packet[i].time_ns - seen.packet[0].time_ns);
		double off = is - should * factor;

		if (off < 0)
			off = -off;
		if (off > worst)
			worst = off;
	}
	printf("%.0f\n", worst / 1000);
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		int arguments;
		void (*run)(char **argv);
	} modes[] = {
		{ "make", 4, make },   { "record", 4, record }, { "compare", 3, compare },
		{ "order", 2, order }, { "times", 3, times },
	};
	size_t i;

	for (i = 0; i < sizeof(modes) / sizeof(modes[0]); i++)
		if (argc > 1 && strcmp(argv[1], modes[i].name) == 0 &&
		    argc - 2 == modes[i].arguments) {
			modes[i].run(argv + 2);
			return 0;
		}
	die("usage", "see the head of replayed.c");
	return 2;
}
