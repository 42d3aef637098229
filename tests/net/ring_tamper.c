/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Writes into the ring memory of a running sender, as a broken kernel or a
 * stray pointer would.
 *
 *	ring_tamper PID completions|options
 *
 * "completions" announces more completions than any queue has frames;
 * "options" sets the metadata bit in every TX descriptor. Every AF_XDP ring
 * of the process is written. Exit: 0, 1 with a line on stderr, 2 usage.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <sys/socket.h>
#include <linux/if_xdp.h>

#define METADATA_OPTION (1u << 1)    /* XDP_TX_METADATA, Linux 6.8 */
#define FALSE_COMPLETIONS (1u << 25) /* more than the most frames a queue has */

struct tamper {
	int memory; /* /proc/PID/mem */
	bool options;
	struct xdp_mmap_offsets at;
	unsigned int rings; /* written so far */
};

static int read_offsets(struct xdp_mmap_offsets *at)
{
	socklen_t len = sizeof(*at);
	int fd = socket(AF_XDP, SOCK_RAW | SOCK_CLOEXEC, 0);
	int err;

	if (fd < 0)
		return -errno;
	err = getsockopt(fd, SOL_XDP, XDP_MMAP_OFFSETS, at, &len) ? -errno : 0;
	close(fd);
	return err;
}

static bool put32(const struct tamper *t, uint64_t address, uint32_t value)
{
	return pwrite(t->memory, &value, sizeof(value), (off_t)address) == sizeof(value);
}

static bool announce(struct tamper *t, uint64_t ring)
{
	uint64_t producer = ring + t->at.cr.producer;
	uint32_t value;

	if (pread(t->memory, &value, sizeof(value), (off_t)producer) != sizeof(value))
		return false;
	return put32(t, producer, value + FALSE_COMPLETIONS);
}

static bool set_options(struct tamper *t, uint64_t ring, uint64_t end)
{
	uint64_t desc = ring + t->at.tx.desc;

	for (; desc + sizeof(struct xdp_desc) <= end; desc += sizeof(struct xdp_desc))
		if (!put32(t, desc + offsetof(struct xdp_desc, options), METADATA_OPTION))
			return false;
	return true;
}

/* One line of /proc/PID/maps; the offset tells which ring it is. */
static bool take_mapping(struct tamper *t, const char *line)
{
	uint64_t begin, end, offset;
	bool ok = true;

	if (!strstr(line, "socket:[") ||
	    sscanf(line, "%" SCNx64 "-%" SCNx64 " %*s %" SCNx64, &begin, &end, &offset) !=
		    3)
		return true;
	if (t->options && offset == XDP_PGOFF_TX_RING)
		ok = set_options(t, begin, end);
	else if (!t->options && offset == XDP_UMEM_PGOFF_COMPLETION_RING)
		ok = announce(t, begin);
	else
		return true;
	t->rings++;
	return ok;
}

int main(int argc, char **argv)
{
	struct tamper t = { .memory = -1 };
	char path[64], line[512];
	bool ok = true;
	FILE *maps;

	if (argc != 3) {
		fprintf(stderr, "usage: ring_tamper PID completions|options\n");
		return 2;
	}
	t.options = strcmp(argv[2], "options") == 0;
	snprintf(path, sizeof(path), "/proc/%s/mem", argv[1]);
	t.memory = open(path, O_RDWR | O_CLOEXEC);
	snprintf(path, sizeof(path), "/proc/%s/maps", argv[1]);
	maps = fopen(path, "re");
	if (t.memory < 0 || !maps || read_offsets(&t.at) < 0) {
		fprintf(stderr, "ring_tamper: %s: %s\n", path, strerror(errno));
		return 1;
	}
	while (ok && fgets(line, sizeof(line), maps))
		ok = take_mapping(&t, line);
	fclose(maps);
	close(t.memory);
	if (ok && t.rings)
		return 0;
	fprintf(stderr, "ring_tamper: %u rings written: %s\n", t.rings, strerror(errno));
	return 1;
}
