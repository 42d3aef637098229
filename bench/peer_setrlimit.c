/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A preload for peers that give up when they may not raise RLIMIT_MEMLOCK:
 * where CAP_SYS_RESOURCE is missing but CAP_IPC_LOCK is there, the limit does
 * not matter. Only a refused RLIMIT_MEMLOCK is turned into success.
 */
#include <errno.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

int setrlimit(__rlimit_resource_t resource, const struct rlimit *limit)
{
	long ret = syscall(SYS_prlimit64, 0, (int)resource, limit, NULL);

	if (ret < 0 && errno == EPERM && resource == RLIMIT_MEMLOCK)
		return 0;
	return (int)ret;
}
