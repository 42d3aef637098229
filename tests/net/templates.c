/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Sends a frame for every legal stack of layers and several lengths of each:
 *
 *	templates INTERFACE [LONGEST] > EXPECTED
 *
 * and writes a line for each, in order: its length and the layers a decoder has
 * to see in it. Frames up to 4096 bytes go through a queue of the library; longer
 * ones do not fit a chunk of its memory and go through a packet socket.
 */
#include <errno.h>
#include <net/if.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>
#include <linux/if_packet.h>

#include <dxmit/dxmit.h>
#include "../unit/packet_fixture.h"

#define DEPTH 5
#define MAX_STACKS 4096
#define TURN_LIMIT_NS 2000000000ull /* for one frame to be completed */

static const uint32_t lengths[] = { 60,   61,   64,   127,  128,  333,  777,  1280,
				    1499, 1514, 1518, 2048, 3001, 4095, 4096, 9000 };

#define LENGTHS (sizeof(lengths) / sizeof(lengths[0]))

/* What Wireshark calls the layers. */
static const char *const decoded[DXMIT_LAYER_KINDS] = {
	[DXMIT_LAYER_ETHERNET] = "eth",     [DXMIT_LAYER_VLAN] = "vlan",
	[DXMIT_LAYER_SVLAN] = "ieee8021ad", [DXMIT_LAYER_MPLS] = "mpls",
	[DXMIT_LAYER_ARP] = "arp",          [DXMIT_LAYER_IPV4] = "ip",
	[DXMIT_LAYER_IPV6] = "ipv6",        [DXMIT_LAYER_UDP] = "udp",
	[DXMIT_LAYER_TCP] = "tcp",          [DXMIT_LAYER_ICMP] = "icmp",
	[DXMIT_LAYER_ICMPV6] = "icmpv6",    [DXMIT_LAYER_GRE] = "gre",
	[DXMIT_LAYER_VXLAN] = "vxlan",
};

static struct dxmit_queue *queue;
static int packet_socket;
static uint32_t longest = 9000;
static unsigned int stacks, frames;
static uint8_t frame[TEST_FRAME_ROOM];

static void die(const char *what, int err)
{
	fprintf(stderr, "templates: %s: %s\n", what, strerror(err));
	exit(1);
}

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* One frame, until it is completed: so all arrive in order. */
static void send_by_queue(uint32_t length)
{
	uint64_t begin_ns = now_ns();
	int err = 0;

	if (dxmit_reserve(queue, 1) != 1)
		die("reserve", ENOBUFS);
	memcpy(dxmit_frame(queue, 0), frame, length);
	if (dxmit_submit(queue, 1, length) < 0)
		die("submit", EINVAL);
	while (queue->in_flight && err >= 0 && now_ns() - begin_ns < TURN_LIMIT_NS) {
		err = dxmit_kick(queue);
		if (err >= 0)
			err = dxmit_reclaim(queue);
	}
	if (queue->in_flight || err < 0)
		die("kick", err < 0 ? -err : ETIMEDOUT);
}

static void send_frame(uint32_t length)
{
	if (length <= DXMIT_MAX_FRAME_SIZE)
		send_by_queue(length);
	else if (send(packet_socket, frame, length, 0) != (ssize_t)length)
		die("send", errno);
}

/* Options and fields that move what follows, in some of the frames. */
static void vary(struct dxmit_layer *layer, unsigned int turn)
{
	static const uint8_t router_alert[] = { 0x94, 4, 0, 0 };    /* RFC 2113 */
	static const uint8_t mss[] = { 2, 4, 5, 0xb4, 1, 3, 3, 7 }; /* RFC 9293, 7323 */
	static const struct dxmit_field_value ip4[] = {
		{ DXMIT_FIELD_IPV4_DSCP, 46, 0 },
		{ DXMIT_FIELD_IPV4_ECN, 1, 0 },
		{ DXMIT_FIELD_IPV4_ID, 0xbeef, 0 },
		{ DXMIT_FIELD_IPV4_DONT_FRAGMENT, 0, 0 },
	};
	static const struct dxmit_field_value ip6[] = {
		{ DXMIT_FIELD_IPV6_CLASS, 0xb9, 0 },
		{ DXMIT_FIELD_IPV6_FLOW_LABEL, 0xfffff, 0 },
	};
	static const struct dxmit_field_value key[] = { { DXMIT_FIELD_GRE_KEY, 0xcafebabe,
							  0 } };

	if (layer->kind == DXMIT_LAYER_IPV4 && turn % 3 == 1) {
		layer->bytes = router_alert;
		layer->byte_count = sizeof(router_alert);
	} else if (layer->kind == DXMIT_LAYER_IPV4 && turn % 3 == 2) {
		layer->field = ip4;
		layer->fields = 4;
	} else if (layer->kind == DXMIT_LAYER_IPV6 && turn % 2) {
		layer->field = ip6;
		layer->fields = 2;
	} else if (layer->kind == DXMIT_LAYER_TCP && turn % 2) {
		layer->bytes = mss;
		layer->byte_count = sizeof(mss);
	} else if (layer->kind == DXMIT_LAYER_GRE && turn % 2) {
		layer->field = key;
		layer->fields = 1;
	}
}

/* The decoder takes a stack of labels, and two service tags, for one layer. */
static bool seen_as_one(const struct dxmit_layer pair[2])
{
	return pair[0].kind == pair[1].kind &&
	       (pair[0].kind == DXMIT_LAYER_MPLS || pair[0].kind == DXMIT_LAYER_SVLAN);
}

static void one_frame(const struct dxmit_layer *layer, uint32_t layers, uint32_t length)
{
	const struct dxmit_packet_spec spec = {
		sizeof(spec), layer, layers, length, DXMIT_PAYLOAD_COUNT, 0
	};
	uint32_t i;

	if (dxmit_packet_build(&spec, frame, sizeof(frame), NULL, NULL) != (int)length)
		die("build", EINVAL);
	send_frame(length);
	frames++;
	printf("%u", length);
	for (i = 0; i < layers; i++)
		if (decoded[layer[i].kind] && !(i && seen_as_one(&layer[i - 1])))
			printf(" %s", decoded[layer[i].kind]);
	printf("\n");
}

/* Four lengths of each stack, other ones for the next. Where raw bytes stand for
 * a packet, under MPLS and VXLAN, they would be decoded as one. */
static void one_stack(const struct dxmit_layer *layer, uint32_t layers, void *arg)
{
	struct dxmit_layer varied[DXMIT_PACKET_MAX_LAYERS];
	struct dxmit_packet_map map = { .size = sizeof(map) };
	struct dxmit_packet_spec spec = { sizeof(spec),       varied, layers, 0,
					  DXMIT_PAYLOAD_ZERO, 0 };
	uint32_t i;

	(void)arg;
	if (layers > 1 && layer[layers - 1].kind == DXMIT_LAYER_RAW &&
	    (layer[layers - 2].kind == DXMIT_LAYER_MPLS ||
	     layer[layers - 2].kind == DXMIT_LAYER_VXLAN))
		return;
	memcpy(varied, layer, layers * sizeof(*layer));
	for (i = 0; i < layers; i++)
		vary(&varied[i], stacks + i);
	if (dxmit_packet_build(&spec, frame, sizeof(frame), &map, NULL) < 0)
		die("build", EINVAL);
	for (i = 0; i < LENGTHS; i++)
		if (i % 4 == stacks % 4 && lengths[i] >= map.payload_at &&
		    lengths[i] <= longest)
			one_frame(varied, layers, lengths[i]);
	stacks++;
}

static void open_all(const char *interface)
{
	static struct dxmit_queue_options options;
	struct sockaddr_ll address = { .sll_family = AF_PACKET };
	struct dxmit_error error;

	options.size = sizeof(options);
	options.ifindex = (int)if_nametoindex(interface);
	options.frame_size = DXMIT_MAX_FRAME_SIZE;
	options.ring_size = 64;
	options.frames = 64;
	if (dxmit_queue_open(&options, &queue, &error) != 0)
		die("queue", error.code);
	packet_socket = socket(AF_PACKET, SOCK_RAW, 0);
	address.sll_ifindex = options.ifindex;
	if (packet_socket < 0 ||
	    bind(packet_socket, (struct sockaddr *)&address, sizeof(address)))
		die("packet socket", errno);
}

int main(int argc, char **argv)
{
	if (argc < 2)
		die("templates INTERFACE [LONGEST]", EINVAL);
	if (argc > 2)
		longest = (uint32_t)strtoul(argv[2], NULL, 10);
	open_all(argv[1]);
	each_stack(DEPTH, one_stack, NULL);
	dxmit_queue_close(&queue);
	close(packet_socket);
	fprintf(stderr, "%u stacks, %u frames\n", stacks, frames);
	return fflush(stdout) != 0;
}
