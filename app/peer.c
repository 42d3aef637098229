/* SPDX-License-Identifier: BSD-2-Clause */
/* Finding and copying the sockets of peer.h. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "message.h"
#include "peer.h"
#include "procfs.h"

#define OBJECT_BYTES 48

static int fail_peer(const struct peer *peer, int err)
{
	char object[OBJECT_BYTES];

	snprintf(object, sizeof(object), "process %" PRIu32, peer->pid);
	if (err == -ESRCH)
		return fail(EXIT_RUNTIME, object,
			    "there is none; `pidof` finds its number");
	if (err == -EPERM || err == -EACCES)
		return fail(
			EXIT_RUNTIME, object,
			"its descriptors may not be copied: CAP_SYS_PTRACE is missing, "
			"or Yama forbids it (kernel.yama.ptrace_scope is %" PRIu64
			"); run as root",
			procfs_number("/proc/sys/kernel/yama/ptrace_scope", 0));
	return fail(EXIT_RUNTIME, object,
		    "its descriptors cannot be read: %s; check /proc", strerror(-err));
}

int peer_open(uint32_t pid, struct peer *peer)
{
	peer->pid = pid;
	peer->pidfd = pidfd_open((pid_t)pid, 0);
	if (peer->pidfd >= 0)
		return 0;
	/* A thread's number is no process's (pidfd_open(2)). */
	return fail_peer(peer, errno == EINVAL ? -ESRCH : -errno);
}

void peer_close(struct peer *peer)
{
	if (peer->pidfd >= 0)
		close(peer->pidfd);
	peer->pidfd = -1;
}

int peer_copy(const struct peer *peer, int fd)
{
	int copy = pidfd_getfd(peer->pidfd, fd, 0);

	return copy < 0 ? -errno : copy;
}

int peer_copy_failed(const struct peer *peer, int fd, int err)
{
	char object[OBJECT_BYTES];

	if (err != -EBADF)
		return fail_peer(peer, err);
	snprintf(object, sizeof(object), "process %" PRIu32, peer->pid);
	return fail(EXIT_RUNTIME, object,
		    "it has no descriptor %d; `ls -l /proc/%" PRIu32 "/fd` shows them",
		    fd, peer->pid);
}

int peer_is_xdp(int fd, uint64_t *inode)
{
	int domain = 0;
	socklen_t len = sizeof(domain);
	struct stat of;

	if (getsockopt(fd, SOL_SOCKET, SO_DOMAIN, &domain, &len) < 0 ||
	    domain != AF_XDP || fstat(fd, &of) < 0)
		return 0;
	*inode = of.st_ino;
	return 1;
}

/*
 * One of its descriptors, if that may be a socket: by the link in /proc, so that
 * other files of the process are not touched. 1, 0, or -errno: from another user
 * namespace the directory may be read, but no link in it.
 */
static int may_be_socket(int directory, const char *name, int *fd)
{
	char target[64];
	ssize_t length = readlinkat(directory, name, target, sizeof(target));
	char *end;

	if (length < 0 && (errno == EACCES || errno == EPERM))
		return -errno;
	*fd = (int)strtol(name, &end, 10);
	return *end == '\0' && length > 7 && memcmp(target, "socket:", 7) == 0;
}

static bool known(const struct peer_socket *sockets, size_t count, uint64_t inode)
{
	size_t i;

	for (i = 0; i < count; i++)
		if (sockets[i].inode == inode)
			return true;
	return false;
}

/* Add what `fd` is, if it is one. Returns 0 or -errno. */
static int add(const struct peer *peer, int fd, struct peer_socket **sockets,
	       size_t *count)
{
	struct peer_socket *grown;
	uint64_t inode = 0;
	int copy = peer_copy(peer, fd);
	int is_xdp;

	if (copy == -EBADF)
		return 0; /* closed meanwhile */
	if (copy < 0)
		return copy;
	is_xdp = peer_is_xdp(copy, &inode);
	close(copy);
	if (!is_xdp || known(*sockets, *count, inode))
		return 0;
	grown = realloc(*sockets, (*count + 1) * sizeof(*grown));
	if (!grown)
		return -ENOMEM;
	*sockets = grown;
	grown[(*count)++] = (struct peer_socket){ .fd = fd, .inode = inode };
	return 0;
}

static int by_descriptor(const void *a, const void *b)
{
	return ((const struct peer_socket *)a)->fd - ((const struct peer_socket *)b)->fd;
}

static int walk(const struct peer *peer, DIR *directory, struct peer_socket **sockets,
		size_t *count)
{
	struct dirent *entry;
	int err = 0;
	int fd;

	while (err >= 0 && (entry = readdir(directory)) != NULL) {
		err = may_be_socket(dirfd(directory), entry->d_name, &fd);
		if (err > 0)
			err = add(peer, fd, sockets, count);
	}
	return err;
}

int peer_find(const struct peer *peer, struct peer_socket **sockets, size_t *count)
{
	char path[OBJECT_BYTES];
	DIR *directory;
	int err;

	*sockets = NULL;
	*count = 0;
	snprintf(path, sizeof(path), "/proc/%" PRIu32 "/fd", peer->pid);
	directory = opendir(path);
	if (!directory)
		return fail_peer(peer, errno == ENOENT ? -ESRCH : -errno);
	err = walk(peer, directory, sockets, count);
	closedir(directory);
	if (err)
		return fail_peer(peer, err);
	if (*count)
		qsort(*sockets, *count, sizeof(**sockets), by_descriptor);
	return 0;
}
