/* SPDX-License-Identifier: BSD-2-Clause */
/* Privileges: which ones this process has, and giving them all up. */
#include <errno.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <cap-ng.h>
#include <linux/capability.h>

#include "privileges.h"

/* Inode of the initial user namespace: include/linux/proc_ns.h,
 * PROC_USER_INIT_INO, the same since Linux 3.8. */
#define INITIAL_USER_NAMESPACE 0xEFFFFFFDu

/* Since Linux 5.8; before that CAP_SYS_ADMIN did its work. */
#ifndef CAP_BPF
#define CAP_BPF 39
#endif

static const struct {
	unsigned int capability;
	const char *name;
} known[PRIVILEGES_COUNT] = {
	[PRIVILEGE_NET_RAW] = { CAP_NET_RAW, "CAP_NET_RAW" },
	[PRIVILEGE_NET_ADMIN] = { CAP_NET_ADMIN, "CAP_NET_ADMIN" },
	[PRIVILEGE_IPC_LOCK] = { CAP_IPC_LOCK, "CAP_IPC_LOCK" },
	[PRIVILEGE_SYS_NICE] = { CAP_SYS_NICE, "CAP_SYS_NICE" },
	[PRIVILEGE_BPF] = { CAP_BPF, "CAP_BPF" },
	[PRIVILEGE_SYS_RESOURCE] = { CAP_SYS_RESOURCE, "CAP_SYS_RESOURCE" },
};

/*
 * libcap-ng keeps its working copy per thread; pid 0 is the calling thread.
 * The bounding set goes first, because emptying it takes CAP_SETPCAP. Where
 * that is missing the set stays, and no_new_privs makes it moot. The kernel
 * clears the ambient set with the inheritable one (capabilities(7)).
 */
int privileges_drop(void)
{
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
		return -errno;

	capng_setpid(0);
	capng_clear(CAPNG_SELECT_BOTH);
	(void)capng_apply(CAPNG_SELECT_BOUNDS);
	if (capng_apply(CAPNG_SELECT_CAPS))
		return -EPERM;

	if (capng_get_caps_process())
		return -EIO;
	return capng_have_capabilities(CAPNG_SELECT_CAPS) == CAPNG_NONE ? 0 : -EPERM;
}

int privileges_describe(struct privileges *out)
{
	struct stat ns;
	unsigned int i;

	capng_setpid(0);
	if (capng_get_caps_process())
		return -EIO;
	out->effective = 0;
	for (i = 0; i < PRIVILEGES_COUNT; i++)
		if (capng_have_capability(CAPNG_EFFECTIVE, known[i].capability) == 1)
			out->effective |= 1u << i;
	if (stat("/proc/self/ns/user", &ns))
		return -errno;
	out->initial_user_namespace = ns.st_ino == INITIAL_USER_NAMESPACE;
	return 0;
}

const char *privilege_name(enum privilege privilege)
{
	if ((unsigned int)privilege >= PRIVILEGES_COUNT)
		return NULL;
	return known[privilege].name;
}
