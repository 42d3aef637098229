/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * AF_XDP sockets of another, unmodified process. They are reached by copies of
 * its descriptors (pidfd_getfd(2), Linux 5.6), each closed as soon as it has been
 * used: a copy that stays would keep the socket's queue busy.
 */
#ifndef APP_PEER_H
#define APP_PEER_H

#include <stddef.h>
#include <stdint.h>

struct peer {
	uint32_t pid;
	int pidfd; /* stays that process, whoever gets its number next */
};

struct peer_socket {
	int fd;         /* its number in that process */
	uint64_t inode; /* which socket it is */
};

/* Returns 0, or an exit code after the one line on stderr. */
int peer_open(uint32_t pid, struct peer *peer);
void peer_close(struct peer *peer);

/*
 * All its AF_XDP sockets, each once, by descriptor. Returns 0, or an exit code
 * after the one line on stderr; free(*sockets) in every case.
 */
int peer_find(const struct peer *peer, struct peer_socket **sockets, size_t *count);

/* A copy of the descriptor, close-on-exec. Returns it, or -errno. */
int peer_copy(const struct peer *peer, int fd);

/* Is this descriptor of ours an AF_XDP socket? Then *inode is which one. */
int peer_is_xdp(int fd, uint64_t *inode);

/* The one line for a descriptor that could not be copied. */
int peer_copy_failed(const struct peer *peer, int fd, int err);

#endif
