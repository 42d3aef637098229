/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Privileges: which ones this process has, and giving them all up.
 */
#ifndef APP_PRIVILEGES_H
#define APP_PRIVILEGES_H

#include <stdbool.h>
#include <stddef.h>

/* Bits of struct privileges.effective. */
enum privilege {
	PRIVILEGE_NET_RAW,      /* socket(AF_XDP), AF_PACKET */
	PRIVILEGE_NET_ADMIN,    /* large send buffers, budgets, XDP programs */
	PRIVILEGE_IPC_LOCK,     /* frame memory beyond RLIMIT_MEMLOCK */
	PRIVILEGE_SYS_NICE,     /* real-time priority, move_pages of others */
	PRIVILEGE_BPF,          /* loading the zero-copy pass program */
	PRIVILEGE_SYS_RESOURCE, /* raising hard limits */
	PRIVILEGES_COUNT,
};

struct privileges {
	unsigned int effective;      /* 1 << enum privilege */
	bool initial_user_namespace; /* false: the bits above count only
					    inside our own user namespace */
};

/*
 * Give up every capability of the calling thread (effective, permitted,
 * inheritable, ambient, and the bounding set where CAP_SETPCAP allows it) and
 * set no_new_privs, so that no program started later gets any back.
 *
 * Linux keeps capabilities per thread. Threads created afterwards inherit the
 * lack of them; threads that exist already do not change. So each thread calls
 * this itself once its sockets are open, the main thread too.
 * Verifies the result. Returns 0 or -errno.
 */
int privileges_drop(void);

/* What the calling thread has now. Returns 0 or -errno. */
int privileges_describe(struct privileges *out);

/* "CAP_NET_RAW" …; NULL beyond the end. */
const char *privilege_name(enum privilege privilege);

#endif
