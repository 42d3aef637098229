/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Compares every byte of the frames that arrive on an interface with the frame
 * the library says it sends.
 *
 *	content INTERFACE COUNT [KEY=VALUE …]
 *
 * Keys: length, destination_mac, source_mac, destination_ip, source_ip,
 * destination_port, source_port, ttl, dscp, payload (zero, count or a byte),
 * stamp (0 or 1), sequence (1: stamped frames are numbered from 0), any_id (1: the
 * IPv4 identification may be any, with the right header checksum). Prints "ready", then one JSON object after COUNT UDP frames or 5 s without one. Exit:
 * 0, 1 when it could not receive, 2 usage.
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

#include <dxmit/frame.h>

#define ROOM 16384
#define SILENCE_MS 5000
#define RECEIVE_BYTES (64 << 20)

struct content {
	struct dxmit_udp_spec spec;
	bool stamp, sequence, any_id;
	uint8_t want[ROOM], got[ROOM];
	uint32_t length; /* of the template */
	uint64_t frames, differing, foreign;
	uint32_t offset; /* of the first difference ever seen */
	uint8_t offset_got, offset_want;
	uint8_t first[ROOM]; /* the first frame as it came */
	size_t first_length;
};

static bool parse_mac(const char *text, uint8_t mac[6])
{
	return sscanf(text, "%hhx:%hhx:%hhx:%hhx:%hhx:%hhx", &mac[0], &mac[1], &mac[2],
		      &mac[3], &mac[4], &mac[5]) == 6;
}

static bool parse_ip(const char *text, uint32_t *ip)
{
	struct in_addr address;

	if (inet_pton(AF_INET, text, &address) != 1)
		return false;
	*ip = ntohl(address.s_addr);
	return true;
}

static bool parse_payload(const char *text, struct dxmit_udp_spec *spec)
{
	char *end;

	spec->payload =
		strcmp(text, "count") == 0 ? DXMIT_PAYLOAD_COUNT : DXMIT_PAYLOAD_ZERO;
	if (strcmp(text, "count") == 0 || strcmp(text, "zero") == 0)
		return true;
	spec->payload = DXMIT_PAYLOAD_BYTE;
	spec->payload_byte = (uint8_t)strtoul(text, &end, 0);
	return *text && !*end;
}

static bool parse_number(struct content *c, const char *key, const char *text)
{
	char *end;
	unsigned long n = strtoul(text, &end, 10);

	if (!*text || *end)
		return false;
	if (strcmp(key, "length") == 0)
		c->spec.length = (uint32_t)n;
	else if (strcmp(key, "destination_port") == 0)
		c->spec.destination_port = (uint16_t)n;
	else if (strcmp(key, "source_port") == 0)
		c->spec.source_port = (uint16_t)n;
	else if (strcmp(key, "ttl") == 0)
		c->spec.ttl = (uint8_t)n;
	else if (strcmp(key, "dscp") == 0)
		c->spec.dscp = (uint8_t)n;
	else if (strcmp(key, "stamp") == 0)
		c->stamp = n != 0;
	else if (strcmp(key, "sequence") == 0)
		c->sequence = n != 0;
	else if (strcmp(key, "any_id") == 0)
		c->any_id = n != 0;
	else
		return false;
	return true;
}

static bool parse(struct content *c, char *word)
{
	char *value = strchr(word, '=');

	if (!value)
		return false;
	*value++ = '\0';
	if (strcmp(word, "destination_mac") == 0)
		return parse_mac(value, c->spec.destination_mac);
	if (strcmp(word, "source_mac") == 0)
		return parse_mac(value, c->spec.source_mac);
	if (strcmp(word, "destination_ip") == 0)
		return parse_ip(value, &c->spec.destination_ip);
	if (strcmp(word, "source_ip") == 0)
		return parse_ip(value, &c->spec.source_ip);
	if (strcmp(word, "payload") == 0)
		return parse_payload(value, &c->spec);
	return parse_number(c, word, value);
}

static int open_socket(unsigned int ifindex)
{
	struct sockaddr_ll address = {
		.sll_family = AF_PACKET,
		.sll_protocol = htons(ETH_P_ALL),
		.sll_ifindex = (int)ifindex,
	};
	int bytes = RECEIVE_BYTES, on = 1;
	int fd = socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC, 0);

	if (fd < 0)
		return -errno;
	if (setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &bytes, sizeof(bytes)) ||
	    setsockopt(fd, SOL_PACKET, PACKET_IGNORE_OUTGOING, &on, sizeof(on)) ||
	    bind(fd, (struct sockaddr *)&address, sizeof(address)))
		return -errno;
	return fd;
}

static void note_difference(struct content *c, size_t length)
{
	uint32_t i = 0;

	while (i < length && i < c->length && c->got[i] == c->want[i])
		i++;
	if (c->differing++)
		return;
	c->offset = i;
	c->offset_got = c->got[i];
	c->offset_want = c->want[i];
}

/* RFC 791: bytes 4 and 5 of the header; its checksum is in 10 and 11. */
static void take_id(struct content *c)
{
	uint8_t *ip = c->want + ETH_HLEN;
	uint16_t sum;

	memcpy(ip + 4, c->got + ETH_HLEN + 4, 2);
	memset(ip + 10, 0, 2);
	sum = dxmit_checksum_fold(dxmit_checksum_add(0, ip, 20));
	memcpy(ip + 10, &sum, sizeof(sum));
}

static void compare(struct content *c, size_t length)
{
	struct dxmit_stamp stamp = { 0 };

	if (length < ETH_HLEN || c->got[12] != 0x08 || c->got[13] != 0) {
		c->foreign++;
		return;
	}
	if (c->frames++ == 0) {
		memcpy(c->first, c->got, length);
		c->first_length = length;
	}
	dxmit_udp_build(&c->spec, c->want, sizeof(c->want));
	/* Queue and number vary from frame to frame, so they are taken from the
	 * frame itself; the receiver checks them, or `sequence` the number. */
	if (c->stamp && dxmit_stamp_read(c->got, length, &stamp)) {
		if (c->sequence)
			stamp.sequence = c->frames - 1;
		dxmit_stamp_write(c->want, &stamp);
	}
	if (c->any_id)
		take_id(c);
	if (length != c->length || memcmp(c->got, c->want, length) != 0)
		note_difference(c, length);
}

static void print_report(const struct content *c)
{
	size_t i;

	printf("{\"frames\":%" PRIu64 ",\"differing\":%" PRIu64 ",\"foreign\":%" PRIu64,
	       c->frames, c->differing, c->foreign);
	if (c->differing)
		printf(",\"first_difference\":{\"offset\":%" PRIu32
		       ",\"got\":%u,\"want\":%u}",
		       c->offset, c->offset_got, c->offset_want);
	printf(",\"first\":\"");
	for (i = 0; i < c->first_length; i++)
		printf("%02x", c->first[i]);
	printf("\"}\n");
}

int main(int argc, char **argv)
{
	static struct content c;
	struct pollfd pfd = { .events = POLLIN };
	unsigned int ifindex;
	uint64_t count;
	int i;

	c.spec.size = sizeof(c.spec);
	for (i = 3; i < argc; i++)
		if (!parse(&c, argv[i]))
			argc = 0;
	if (argc < 3 || dxmit_udp_build(&c.spec, c.want, sizeof(c.want)) < 0) {
		fprintf(stderr, "usage: content INTERFACE COUNT [KEY=VALUE ...]\n");
		return 2;
	}
	c.length = c.spec.length;
	count = strtoull(argv[2], NULL, 10);
	ifindex = if_nametoindex(argv[1]);
	pfd.fd = ifindex ? open_socket(ifindex) : -ENODEV;
	if (pfd.fd < 0) {
		fprintf(stderr, "content: %s: %s\n", argv[1], strerror(-pfd.fd));
		return 1;
	}
	printf("ready\n");
	fflush(stdout);
	while (c.frames < count && poll(&pfd, 1, SILENCE_MS) > 0) {
		ssize_t n = recv(pfd.fd, c.got, sizeof(c.got), 0);

		if (n > 0)
			compare(&c, (size_t)n);
	}
	print_report(&c);
	return 0;
}
