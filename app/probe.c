/* SPDX-License-Identifier: BSD-2-Clause */
/* Finding the facts of probe.h. */
#include <errno.h>
#include <linux/if_xdp.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "guard.h"
#include "message.h"
#include "probe.h"
#include "procfs.h"

/* include/uapi/linux/if_xdp.h, Linux 6.17 */
#ifndef XDP_MAX_TX_SKB_BUDGET
#define XDP_MAX_TX_SKB_BUDGET 9
#endif

/* An unbound socket with a TX ring is enough to ask for the budget. */
static void probe_socket(struct probe *probe)
{
	const uint32_t ring = 64, budget = 32;
	int fd = socket(AF_XDP, SOCK_RAW | SOCK_CLOEXEC, 0);

	if (fd < 0) {
		probe->socket_error = errno;
		return;
	}
	if (setsockopt(fd, SOL_XDP, XDP_TX_RING, &ring, sizeof(ring)) == 0)
		probe->budget_settable = setsockopt(fd, SOL_XDP, XDP_MAX_TX_SKB_BUDGET,
						    &budget, sizeof(budget)) == 0;
	close(fd);
}

static void probe_limits(struct probe *probe)
{
	const struct dxmit_queue_options defaults = { .size = sizeof(defaults) };
	struct rlimit limit;

	probe->memlock_limit = UINT64_MAX;
	if (getrlimit(RLIMIT_MEMLOCK, &limit) == 0 && limit.rlim_max != RLIM_INFINITY)
		probe->memlock_limit = limit.rlim_max;
	probe->memlock_needed = dxmit_queue_locked_bytes(&defaults);
	probe->memlock_exempt = probe->privileges.initial_user_namespace &&
				(probe->privileges.effective & 1u << PRIVILEGE_IPC_LOCK);
	/* The kernel doubles what a socket asks for (socket(7)). */
	probe->sndbuf_max = 2 * procfs_number("/proc/sys/net/core/wmem_max", 212992);
	probe->sndbuf_needed = DXMIT_DEFAULT_RING *
			       (DXMIT_DEFAULT_FRAME_SIZE + DXMIT_SKB_OVERHEAD_BYTES);
	probe->huge_pages_free = procfs_number(
		"/sys/kernel/mm/hugepages/hugepages-2048kB/free_hugepages", 0);
}

static void probe_kernel(struct probe *probe)
{
	unsigned int major = 0, minor = 0;
	struct utsname name;

	if (uname(&name) < 0)
		return;
	snprintf(probe->kernel, sizeof(probe->kernel), "%s", name.release);
	if (sscanf(name.release, "%u.%u", &major, &minor) == 2)
		probe->multi_buffer = major > 6 || (major == 6 && minor >= 6);
}

int probe_run(const struct config *config, struct probe *probe)
{
	struct dxmit_error error = { 0 };

	memset(probe, 0, sizeof(*probe));
	if (dxmit_nic_read(config->interface, &probe->nic, &error) < 0)
		return fail_library(&error);
	probe_kernel(probe);
	probe_socket(probe);
	privileges_describe(&probe->privileges);
	probe_limits(probe);
	guard_default_route(probe->nic.ifindex, &probe->default_route);
	probe->module.size = sizeof(probe->module);
	probe->module_error = -dxmit_direct_module(&probe->module);
	return 0;
}
