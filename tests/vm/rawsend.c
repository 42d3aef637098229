/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A sender as a user may have written it: plain system calls, no libdxmit and
 * no libxdp, and nothing about the kernel module. For attaching from outside.
 *
 *	rawsend INTERFACE [SECONDS]
 *
 * Sends frames of 60 bytes from queue 0 until SIGTERM or for SECONDS, a kick for
 * every 64. Prints "pps=N" each second and "submitted=N completed=N" at the
 * end. Exit: 0, 1 with the reason, 2 usage.
 */
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <net/if.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <linux/if_xdp.h>

#define RING 2048u
#define CHUNK 2048u
#define AT_ONCE 64u
#define LENGTH 60u
#define SETTLE_NS 2000000000u

static volatile sig_atomic_t stopped;

struct ring {
	uint32_t *producer, *consumer;
	void *entries;
};

struct sender {
	int fd;
	uint8_t *memory;
	struct ring tx, completion;
	uint64_t submitted, completed;
};

static void on_signal(int number)
{
	(void)number;
	stopped = 1;
}

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static void must(int done, const char *what)
{
	if (done)
		return;
	fprintf(stderr, "rawsend: %s: %s\n", what, strerror(errno));
	exit(1);
}

static void set(int fd, int option, const void *value, socklen_t size)
{
	must(setsockopt(fd, SOL_XDP, option, value, size) == 0, "socket option");
}

static struct ring map_ring(int fd, const struct xdp_ring_offset *offset, size_t entry,
			    off_t page)
{
	uint8_t *map = mmap(NULL, offset->desc + RING * entry, PROT_READ | PROT_WRITE,
			    MAP_SHARED | MAP_POPULATE, fd, page);

	must((void *)map != MAP_FAILED, "ring");
	return (struct ring){ (uint32_t *)(map + offset->producer),
			      (uint32_t *)(map + offset->consumer), map + offset->desc };
}

/* A queue that was just closed stays busy for a moment. */
static void bind_queue(int fd, const char *interface)
{
	struct sockaddr_xdp address = {
		.sxdp_family = AF_XDP,
		.sxdp_flags = XDP_COPY | XDP_USE_NEED_WAKEUP,
		.sxdp_ifindex = if_nametoindex(interface),
	};
	int turn, err = -1;

	for (turn = 0; turn < 500; turn++) {
		err = bind(fd, (struct sockaddr *)&address, sizeof(address));
		if (err == 0 || errno != EBUSY)
			break;
		usleep(1000);
	}
	must(err == 0, "bind");
}

static void open_socket(struct sender *s, const char *interface)
{
	struct xdp_umem_reg umem = { .len = (uint64_t)RING * CHUNK, .chunk_size = CHUNK };
	struct xdp_mmap_offsets offsets;
	socklen_t len = sizeof(offsets);
	int entries = RING;

	s->fd = socket(AF_XDP, SOCK_RAW | SOCK_CLOEXEC, 0);
	s->memory = mmap(NULL, umem.len, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	must(s->fd >= 0 && (void *)s->memory != MAP_FAILED, "AF_XDP socket");
	umem.addr = (uintptr_t)s->memory;
	set(s->fd, XDP_UMEM_REG, &umem, sizeof(umem));
	set(s->fd, XDP_UMEM_FILL_RING, &entries, sizeof(entries));
	set(s->fd, XDP_UMEM_COMPLETION_RING, &entries, sizeof(entries));
	set(s->fd, XDP_TX_RING, &entries, sizeof(entries));
	must(getsockopt(s->fd, SOL_XDP, XDP_MMAP_OFFSETS, &offsets, &len) == 0,
	     "ring offsets");
	s->tx = map_ring(s->fd, &offsets.tx, sizeof(struct xdp_desc), XDP_PGOFF_TX_RING);
	s->completion = map_ring(s->fd, &offsets.cr, sizeof(uint64_t),
				 XDP_UMEM_PGOFF_COMPLETION_RING);
	bind_queue(s->fd, interface);
}

/* Slot i always sends chunk i, so all can be written once. Ethernet type 0x88b5
 * is for experiments. */
static void write_frames(struct sender *s)
{
	static const uint8_t header[14] = {
		2, 0, 0, 0, 0, 2, 2, 0, 0, 0, 0, 1, 0x88, 0xb5
	};
	struct xdp_desc *descs = s->tx.entries;
	uint32_t i;

	for (i = 0; i < RING; i++) {
		memcpy(s->memory + (size_t)i * CHUNK, header, sizeof(header));
		descs[i] =
			(struct xdp_desc){ .addr = (uint64_t)i * CHUNK, .len = LENGTH };
	}
}

/* Acquire and release: completions are counted between the two. */
static void reclaim(struct sender *s)
{
	uint32_t producer = __atomic_load_n(s->completion.producer, __ATOMIC_ACQUIRE);

	s->completed += producer - *s->completion.consumer;
	__atomic_store_n(s->completion.consumer, producer, __ATOMIC_RELEASE);
}

static void kick(struct sender *s)
{
	if (sendto(s->fd, NULL, 0, MSG_DONTWAIT, NULL, 0) < 0)
		must(errno == EAGAIN || errno == EBUSY || errno == ENOBUFS ||
			     errno == ENETDOWN,
		     "sendto");
	reclaim(s);
}

static void send_frames(struct sender *s, uint64_t end_ns)
{
	uint64_t second = now_ns() + 1000000000u, before = 0;

	while (!stopped && now_ns() < end_ns) {
		if (s->submitted - s->completed + AT_ONCE <= RING) {
			s->submitted += AT_ONCE;
			/* Release: the frames are written before they are announced. */
			__atomic_store_n(s->tx.producer, (uint32_t)s->submitted,
					 __ATOMIC_RELEASE);
		}
		kick(s);
		if (now_ns() < second)
			continue;
		second += 1000000000u;
		printf("pps=%" PRIu64 "\n", s->completed - before);
		fflush(stdout);
		before = s->completed;
	}
}

int main(int argc, char **argv)
{
	struct sigaction action = { .sa_handler = on_signal };
	struct sender s = { 0 };
	uint64_t end_ns = UINT64_MAX;

	if (argc < 2 || argc > 3) {
		fprintf(stderr, "usage: rawsend INTERFACE [SECONDS]\n");
		return 2;
	}
	if (argc == 3)
		end_ns = now_ns() + strtoull(argv[2], NULL, 10) * 1000000000u;
	sigaction(SIGTERM, &action, NULL);
	sigaction(SIGINT, &action, NULL);
	open_socket(&s, argv[1]);
	write_frames(&s);
	send_frames(&s, end_ns);
	end_ns = now_ns() + SETTLE_NS;
	while (s.completed < s.submitted && now_ns() < end_ns)
		kick(&s);
	printf("submitted=%" PRIu64 " completed=%" PRIu64 "\n", s.submitted, s.completed);
	return 0;
}
