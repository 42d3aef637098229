/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A scripted kernel module: open() and ioctl() are wrapped at link time (see
 * ../CMakeLists.txt), so that library and command run unchanged against it.
 */
#ifndef FAKE_MODULE_H
#define FAKE_MODULE_H

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <setjmp.h>
#include <stddef.h>
#include <cmocka.h>

#include "dxmit_ioctl.h"

/* The module as one test wants it. */
static struct {
	int open_error;   /* of /dev/dxmit */
	int info_error;   /* of a request */
	int attach_error; /* of a request, with its reason: */
	uint32_t refusal;
	uint32_t abi_version;
	int opened; /* the descriptor last given for the device */
	struct dxmit_ioc_attach asked;
	struct dxmit_ioc_stats stats; /* of every attachment, but for its id */
	struct dxmit_ioc_which detached;
	int detach_error;
	uint32_t listed; /* ids 1 … */
	uint32_t grows;  /* by 40 at each LIST, that often */
	uint64_t gone;   /* an id that STATS does not find */
	uint32_t opens, attaches;
} module;

/* Visible, since a linker may bind a shared library's references to them. */
#pragma GCC visibility push(default)
int __real_open(const char *path, int flags, ...);
int __real_ioctl(int fd, unsigned long request, ...);
int __wrap_open(const char *path, int flags, ...);
int __wrap_ioctl(int fd, unsigned long request, ...);
#pragma GCC visibility pop

int __wrap_open(const char *path, int flags, ...)
{
	va_list args;
	mode_t mode;

	va_start(args, flags);
	mode = flags & O_CREAT ? va_arg(args, mode_t) : 0;
	va_end(args);
	if (strcmp(path, DXMIT_DEVICE) != 0)
		return __real_open(path, flags, mode);
	module.opens++;
	assert_int_equal(flags, O_RDWR | O_CLOEXEC);
	if (module.open_error) {
		errno = module.open_error;
		return -1;
	}
	module.opened = __real_open("/dev/null", flags);
	return module.opened;
}

static int answer(int error)
{
	errno = error;
	return error ? -1 : 0;
}

static int give_stats(struct dxmit_ioc_stats *stats)
{
	const struct dxmit_ioc_stats asked = *stats;

	assert_true(asked.fd == -1 || asked.fd == module.asked.fd);
	*stats = module.stats;
	stats->fd = asked.fd;
	stats->id = asked.id;
	return answer(asked.fd == -1 && asked.id == module.gone ? ENOENT : 0);
}

static int give_list(struct dxmit_ioc_list *list)
{
	uint64_t *ids = (uint64_t *)(uintptr_t)list->ids;
	uint32_t i;

	assert_int_equal(list->flags | list->reserved[0] | list->reserved[1], 0);
	for (i = 0; i < list->count && i < module.listed; i++)
		ids[i] = i + 1;
	list->count = module.listed;
	if (module.grows) {
		module.grows--;
		module.listed += 40;
	}
	return 0;
}

int __wrap_ioctl(int fd, unsigned long request, ...)
{
	struct dxmit_ioc_info *info;
	va_list args;
	void *arg;

	va_start(args, request);
	arg = va_arg(args, void *);
	va_end(args);
	switch (request) {
	case DXMIT_IOC_INFO:
		info = arg;
		info->abi_version = module.abi_version;
		info->batch_max = DXMIT_BATCH_MAX;
		info->batch_default = 16;
		strcpy(info->version, "9.8.7");
		return answer(module.info_error);
	case DXMIT_IOC_ATTACH:
		assert_int_equal(fd, module.opened);
		module.attaches++;
		memcpy(&module.asked, arg, sizeof(module.asked));
		((struct dxmit_ioc_attach *)arg)->refusal = module.refusal;
		((struct dxmit_ioc_attach *)arg)->id = module.attaches;
		return answer(module.attach_error);
	case DXMIT_IOC_STATS:
		assert_int_equal(fd, module.opened);
		return give_stats(arg);
	case DXMIT_IOC_DETACH:
		memcpy(&module.detached, arg, sizeof(module.detached));
		return answer(module.detach_error);
	case DXMIT_IOC_LIST:
		return give_list(arg);
	default:
		return __real_ioctl(fd, request, arg);
	}
}

static void load_module(void)
{
	memset(&module, 0, sizeof(module));
	module.abi_version = DXMIT_ABI_VERSION;
	module.opened = -1;
	module.stats.active = 1;
}

#endif
