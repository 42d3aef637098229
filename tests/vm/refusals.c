/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Asks the kernel module for what it must refuse.
 *
 *	refusals INTERFACE NARROW POINT
 *
 * NARROW has two receive queues and one transmit queue, POINT is no Ethernet
 * device. Prints a line "NAME ERRNO REFUSAL" per request. Exit: 0, 1 when a
 * request could not be made, 2 usage.
 */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <net/if.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <linux/capability.h>
#include <linux/if_xdp.h>
#include <sys/syscall.h>

#include "dxmit_ioctl.h"

#define UMEM_BYTES (16u * 2048)
#define RING 16
#define METADATA_FLAG (1u << 2) /* XDP_UMEM_TX_METADATA_LEN, Linux 6.11 */
#define MULTI_BUFFER (1u << 4)  /* XDP_USE_SG, Linux 6.6 */

/* struct xdp_umem_reg of Linux 6.8. */
struct umem_reg {
	uint64_t addr, len;
	uint32_t chunk_size, headroom, flags, tx_metadata_len;
};

enum { RX = 1, METADATA = 2, UNBOUND = 4 };

static int device;

static void must(bool done, const char *what)
{
	if (done)
		return;
	fprintf(stderr, "refusals: %s: %s\n", what, strerror(errno));
	exit(1);
}

static void set(int fd, int option, const void *value, socklen_t size)
{
	must(setsockopt(fd, SOL_XDP, option, value, size) == 0, "socket option");
}

static int bind_to(int fd, const char *interface, uint32_t queue, unsigned int flags,
		   int shared)
{
	struct sockaddr_xdp address = {
		.sxdp_family = AF_XDP,
		.sxdp_flags = (uint16_t)flags,
		.sxdp_ifindex = if_nametoindex(interface),
		.sxdp_queue_id = queue,
		.sxdp_shared_umem_fd = (uint32_t)shared,
	};

	return bind(fd, (struct sockaddr *)&address, sizeof(address)) ? -errno : 0;
}

/* This kernel has no such sockets. */
static int not_had(int fd)
{
	close(fd);
	return -1;
}

/* A socket with a UMEM of its own, or -1. A queue just closed is busy for a moment. */
static int open_socket(const char *interface, uint32_t queue, unsigned int flags,
		       int kind)
{
	int fd = socket(AF_XDP, SOCK_RAW | SOCK_CLOEXEC, 0);
	struct umem_reg umem = { .len = UMEM_BYTES, .chunk_size = 2048 };
	int entries = RING, turn, err = -EBUSY;
	void *memory = mmap(NULL, UMEM_BYTES, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	must(fd >= 0 && memory != MAP_FAILED, "AF_XDP socket");
	umem.addr = (uintptr_t)memory;
	if (kind & METADATA) {
		umem.flags = METADATA_FLAG;
		umem.tx_metadata_len = 24;
	}
	if (setsockopt(fd, SOL_XDP, XDP_UMEM_REG, &umem, sizeof(umem)) && kind & METADATA)
		return not_had(fd);
	set(fd, XDP_UMEM_FILL_RING, &entries, sizeof(entries));
	set(fd, XDP_UMEM_COMPLETION_RING, &entries, sizeof(entries));
	set(fd, XDP_TX_RING, &entries, sizeof(entries));
	if (kind & RX)
		set(fd, XDP_RX_RING, &entries, sizeof(entries));
	if (kind & UNBOUND)
		return fd;
	for (turn = 0; turn < 500 && err == -EBUSY; turn++) {
		err = bind_to(fd, interface, queue, XDP_COPY | flags, -1);
		if (err == -EBUSY)
			usleep(2000);
	}
	if (err == -EINVAL && flags & MULTI_BUFFER)
		return not_had(fd);
	errno = -err;
	must(!err, "bind");
	return fd;
}

/* A second socket that wants the UMEM of another, with completion and fill rings
 * of its own or not. */
static int share(int with, const char *interface, uint32_t queue, bool rings, int *err)
{
	int fd = socket(AF_XDP, SOCK_RAW | SOCK_CLOEXEC, 0);
	int entries = RING;

	must(fd >= 0, "AF_XDP socket");
	set(fd, XDP_TX_RING, &entries, sizeof(entries));
	if (rings) {
		set(fd, XDP_UMEM_FILL_RING, &entries, sizeof(entries));
		set(fd, XDP_UMEM_COMPLETION_RING, &entries, sizeof(entries));
	}
	*err = bind_to(fd, interface, queue, XDP_SHARED_UMEM, with);
	return fd;
}

static int request(unsigned long command, void *data)
{
	return ioctl(device, command, data) ? errno : 0;
}

static void attach_with(const char *name, struct dxmit_ioc_attach attach)
{
	int err = request(DXMIT_IOC_ATTACH, &attach);

	printf("%s %d %u\n", name, err, attach.refusal);
}

static void attach(const char *name, int fd)
{
	if (fd < 0) {
		printf("%s not had\n", name);
		return;
	}
	attach_with(name, (struct dxmit_ioc_attach){ .fd = fd });
}

static void attach_and_close(const char *name, int fd)
{
	attach(name, fd);
	close(fd);
}

static void sockets(const char *interface, const char *narrow, const char *point)
{
	int one = 1, err, fd, other;

	attach("bad_descriptor", 999);
	attach_and_close("no_socket", open("/dev/null", O_RDONLY));
	attach_and_close("udp", socket(AF_INET, SOCK_DGRAM, 0));
	attach_and_close("unbound", open_socket(interface, 0, 0, UNBOUND));
	attach_and_close("rx_ring", open_socket(interface, 0, 0, RX));
	attach_and_close("multi_buffer", open_socket(interface, 0, MULTI_BUFFER, 0));
	attach_and_close("metadata", open_socket(interface, 0, 0, METADATA));
	attach_and_close("queue", open_socket(narrow, 1, 0, 0));
	attach_and_close("device", open_socket(point, 0, 0, 0));
	fd = open_socket(interface, 0, 0, 0);
	setsockopt(fd, SOL_SOCKET, SO_BUSY_POLL, &one, sizeof(one));
	attach_and_close("busy_poll", fd);
	fd = open_socket(interface, 0, 0, 0);
	other = share(fd, interface, 0, false, &err);
	must(!err, "shared bind");
	attach("shared", fd);
	close(other);
	close(fd);
}

static void requests(int fd)
{
	struct dxmit_ioc_which which = { .fd = fd, .flags = 1 };
	struct dxmit_ioc_stats stats = { .fd = fd, .reserved[3] = 1 };
	struct dxmit_ioc_list list = { .reserved[1] = 1 };

	attach_with("unknown_flag", (struct dxmit_ioc_attach){ .fd = fd, .flags = 2 });
	attach_with("batch_65", (struct dxmit_ioc_attach){ .fd = fd, .batch = 65 });
	attach_with("budget", (struct dxmit_ioc_attach){ .fd = fd, .budget = 65537 });
	attach_with("reserved", (struct dxmit_ioc_attach){ .fd = fd, .reserved[1] = 1 });
	printf("detach_flags %d 0\n", request(DXMIT_IOC_DETACH, &which));
	which.flags = 0;
	printf("detach_none %d 0\n", request(DXMIT_IOC_DETACH, &which));
	printf("stats_reserved %d 0\n", request(DXMIT_IOC_STATS, &stats));
	printf("list_reserved %d 0\n", request(DXMIT_IOC_LIST, &list));
	printf("unknown_request %d 0\n", request(_IO(DXMIT_IOC_MAGIC, 99), NULL));
}

/* While attached: twice, and others who want the pool. */
static void attached(int fd, const char *interface)
{
	struct dxmit_ioc_stats stats = { .fd = fd };
	__u64 ids[2] = { 0 };
	struct dxmit_ioc_list list = { .ids = (uintptr_t)ids, .count = 2 };
	int err, other;

	attach("first", fd);
	attach("second", fd);
	err = request(DXMIT_IOC_LIST, &list);
	printf("list %d %u\n", err, list.count);
	other = share(fd, interface, 0, false, &err);
	printf("share_queue %d 0\n", -err);
	close(other);
	other = share(fd, interface, 0, true, &err);
	printf("share_queue_own_rings %d 0\n", -err);
	close(other);
	sendto(fd, NULL, 0, MSG_DONTWAIT, NULL, 0);
	request(DXMIT_IOC_STATS, &stats);
	printf("still_attached %u %llu\n", stats.active, stats.assertions);
	/* The one way onto the pool: the socket goes back to the stock path. */
	other = share(fd, interface, 65535, false, &err);
	printf("share_65535 %d 0\n", -err);
	sendto(fd, NULL, 0, MSG_DONTWAIT, NULL, 0);
	memset(&stats, 0, sizeof(stats));
	stats.fd = fd;
	request(DXMIT_IOC_STATS, &stats);
	printf("sent_back %u %llu\n", stats.active, stats.assertions);
	close(other);
}

static void drop_privileges(void)
{
	struct __user_cap_header_struct header = { _LINUX_CAPABILITY_VERSION_3, 0 };
	struct __user_cap_data_struct none[2];

	memset(none, 0, sizeof(none));
	must(syscall(SYS_capset, &header, none) == 0, "capset");
}

/* All capabilities, but in a user namespace that does not own the network's. */
static void in_another_user_namespace(const char *interface)
{
	int fd = open_socket(interface, 0, 0, 0);
	pid_t child;

	fflush(stdout);
	child = fork();
	if (child == 0) {
		must(unshare(CLONE_NEWUSER) == 0, "unshare");
		attach("user_namespace", fd);
		fflush(stdout);
		_exit(0);
	}
	must(child > 0 && waitpid(child, NULL, 0) == child, "fork");
	close(fd);
}

/* The file that attached may go on; another may not, nor may it attach. */
static void without_privileges(const char *interface)
{
	int fd = open_socket(interface, 0, 0, 0);
	int mine = device, other = open(DXMIT_DEVICE, O_RDWR | O_CLOEXEC);
	struct dxmit_ioc_which which = { .fd = fd };
	struct dxmit_ioc_stats stats = { .fd = fd };
	struct dxmit_ioc_list list = { 0 };
	int err;

	attach("privileged", fd);
	drop_privileges();
	device = other;
	printf("detach_other %d 0\n", request(DXMIT_IOC_DETACH, &which));
	printf("stats_other %d 0\n", request(DXMIT_IOC_STATS, &stats));
	err = request(DXMIT_IOC_LIST, &list);
	printf("list_other %d %u\n", err, list.count);
	device = mine;
	printf("stats_own %d 0\n", request(DXMIT_IOC_STATS, &stats));
	printf("detach_own %d 0\n", request(DXMIT_IOC_DETACH, &which));
	attach("unprivileged", fd);
	close(fd);
}

int main(int argc, char **argv)
{
	int fd;

	if (argc != 4) {
		fprintf(stderr, "usage: refusals INTERFACE NARROW POINT\n");
		return 2;
	}
	device = open(DXMIT_DEVICE, O_RDWR | O_CLOEXEC);
	must(device >= 0, DXMIT_DEVICE);
	sockets(argv[1], argv[2], argv[3]);
	fd = open_socket(argv[1], 0, 0, 0);
	requests(fd);
	attached(fd, argv[1]);
	close(fd);
	in_another_user_namespace(argv[1]);
	without_privileges(argv[1]);
	return 0;
}
