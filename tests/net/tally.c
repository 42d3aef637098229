/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Counts the IP frames that arrive on an interface by length, by kind and by flow,
 * and computes every checksum again.
 *
 *	tally INTERFACE COUNT
 *
 * Prints "ready" once it listens, then one JSON object after COUNT frames or 20 s
 * without one. A kind is "4" or "6" and the protocol's number, as in "4/17"; a
 * flow is what has the same addresses, protocol and ports. Exit: 0, 1 when it could
 * not receive, 2 usage.
 */
#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <arpa/inet.h>
#include <net/if.h>
#include <sys/socket.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>

#include "sum16.h"

#define ROOM 16384
#define SILENCE_MS 20000 /* an emulated machine may be slow */
#define RECEIVE_BYTES (256 << 20)
#define FLOWS (1u << 20) /* places of the table */

struct flow {
	uint8_t key[37]; /* protocol, addresses, ports */
	bool used;
	uint64_t frames;
};

struct tally {
	uint64_t frames, bad_checksum, foreign;
	uint64_t pktgen; /* UDP payloads that begin as those of pktgen */
	uint64_t length[ROOM];
	uint64_t kind[2][256]; /* IPv4 or IPv6; protocol */
	struct flow *flow;
	uint64_t flows;
};

struct packet {
	bool six;
	uint8_t protocol;
	const uint8_t *addresses; /* source and destination */
	uint32_t address_bytes;
	const uint8_t *body;
	uint32_t body_bytes;
};

static bool parse(const uint8_t *frame, uint32_t length, struct packet *p)
{
	uint32_t type = length >= 60 ? (uint32_t)frame[12] << 8 | frame[13] : 0;
	uint32_t header = type == ETH_P_IP ? (frame[14] & 15u) * 4 : 40;
	uint32_t bytes;

	if (type != ETH_P_IP && type != ETH_P_IPV6)
		return false;
	p->six = type == ETH_P_IPV6;
	bytes = p->six ? ((uint32_t)frame[18] << 8 | frame[19]) + 40
		       : (uint32_t)frame[16] << 8 | frame[17];
	if (header < 20 || bytes < header + 8 || bytes > length - ETH_HLEN)
		return false;
	p->protocol = frame[p->six ? 20 : 23];
	p->addresses = frame + (p->six ? 22 : 26);
	p->address_bytes = p->six ? 32 : 8;
	p->body = frame + ETH_HLEN + header;
	p->body_bytes = bytes - header;
	return true;
}

static bool checksums_are_right(const uint8_t *frame, const struct packet *p)
{
	uint32_t sum;

	if (!p->six &&
	    sum16(0, frame + ETH_HLEN, (size_t)(p->body - frame) - ETH_HLEN) != 0xffff)
		return false;
	if (p->protocol == IPPROTO_UDP && p->body[6] == 0 && p->body[7] == 0)
		return false; /* "no checksum": we always send one */
	if (p->protocol != IPPROTO_UDP && p->protocol != IPPROTO_TCP)
		return true;
	sum = sum16(p->protocol + p->body_bytes, p->addresses, p->address_bytes);
	return sum16(sum, p->body, p->body_bytes) == 0xffff;
}

static void count_flow(struct tally *t, const struct packet *p)
{
	uint8_t key[sizeof(t->flow->key)] = { p->protocol };
	uint64_t hash = 14695981039346656037u; /* FNV-1a */
	struct flow *flow;
	size_t i;

	memcpy(key + 1, p->addresses, p->address_bytes);
	memcpy(key + 33, p->body, 4);
	for (i = 0; i < sizeof(key); i++)
		hash = (hash ^ key[i]) * 1099511628211u;
	for (i = hash;; i++) {
		flow = &t->flow[i % FLOWS];
		if (!flow->used || memcmp(flow->key, key, sizeof(key)) == 0)
			break;
	}
	if (!flow->used && t->flows + 1 == FLOWS) {
		fprintf(stderr, "tally: too many flows\n");
		exit(1);
	}
	t->flows += !flow->used;
	flow->used = true;
	memcpy(flow->key, key, sizeof(key));
	flow->frames++;
}

static void take(struct tally *t, const uint8_t *frame, uint32_t length)
{
	struct packet p;

	if (!parse(frame, length, &p)) {
		t->foreign++;
		return;
	}
	t->frames++;
	t->length[length]++;
	t->kind[p.six][p.protocol]++;
	t->bad_checksum += !checksums_are_right(frame, &p);
	count_flow(t, &p);
	if (p.protocol == IPPROTO_UDP && p.body_bytes >= 24 &&
	    memcmp(p.body + 8, "\xbe\x9b\xe9\x55", 4) == 0)
		t->pktgen++;
}

/* ---- report ---- */

static void print_numbers(const char *name, const uint64_t *count, size_t n)
{
	const char *comma = "";
	size_t i;

	printf("\"%s\":{", name);
	for (i = 0; i < n; i++)
		if (count[i]) {
			printf("%s\"%zu\":%" PRIu64, comma, i, count[i]);
			comma = ",";
		}
	printf("}");
}

static void print_report(const struct tally *t)
{
	uint64_t least = UINT64_MAX, most = 0;
	size_t i;

	for (i = 0; i < FLOWS; i++) {
		if (!t->flow[i].used)
			continue;
		if (t->flow[i].frames < least)
			least = t->flow[i].frames;
		if (t->flow[i].frames > most)
			most = t->flow[i].frames;
	}
	printf("{\"frames\":%" PRIu64 ",\"foreign\":%" PRIu64 ",\"bad_checksum\":%" PRIu64
	       ",\"pktgen\":%" PRIu64 ",\"flows\":%" PRIu64 ",\"flow_least\":%" PRIu64
	       ",\"flow_most\":%" PRIu64 ",",
	       t->frames, t->foreign, t->bad_checksum, t->pktgen, t->flows,
	       t->flows ? least : 0, most);
	print_numbers("lengths", t->length, ROOM);
	printf(",\"kinds\":{");
	print_numbers("4", t->kind[0], 256);
	printf(",");
	print_numbers("6", t->kind[1], 256);
	printf("}}\n");
}

static int open_socket(const char *interface)
{
	struct sockaddr_ll address = { .sll_family = AF_PACKET,
				       .sll_protocol = htons(ETH_P_ALL),
				       .sll_ifindex = (int)if_nametoindex(interface) };
	int bytes = RECEIVE_BYTES, on = 1;
	int fd = socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC, 0);

	if (fd < 0 || !address.sll_ifindex ||
	    setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &bytes, sizeof(bytes)) ||
	    setsockopt(fd, SOL_PACKET, PACKET_IGNORE_OUTGOING, &on, sizeof(on)) ||
	    bind(fd, (struct sockaddr *)&address, sizeof(address)))
		return -1;
	return fd;
}

int main(int argc, char **argv)
{
	static struct tally t;
	static uint8_t frame[ROOM];
	struct pollfd pfd = { .events = POLLIN };
	uint64_t count;

	if (argc != 3) {
		fprintf(stderr, "usage: tally INTERFACE COUNT\n");
		return 2;
	}
	count = strtoull(argv[2], NULL, 10);
	t.flow = calloc(FLOWS, sizeof(*t.flow));
	pfd.fd = open_socket(argv[1]);
	if (!t.flow || pfd.fd < 0) {
		fprintf(stderr, "tally: %s: %s\n", argv[1], strerror(errno));
		return 1;
	}
	printf("ready\n");
	fflush(stdout);
	while (t.frames < count && poll(&pfd, 1, SILENCE_MS) > 0) {
		ssize_t n = recv(pfd.fd, frame, sizeof(frame), 0);

		if (n > 0)
			take(&t, frame, (uint32_t)n);
	}
	print_report(&t);
	return 0;
}
