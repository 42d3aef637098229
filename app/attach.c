/* SPDX-License-Identifier: BSD-2-Clause */
/* The requests of attach.h. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>

#include "attach.h"
#include "message.h"

#define LIST_TRIES 8 /* the list may grow while it is read */
#define LIST_SPARE 16

int attach_device(void)
{
	struct dxmit_direct_module module = { .size = sizeof(module) };
	int err = dxmit_direct_module(&module);
	char reason[ATTACH_REASON];
	int fd = -1;

	if (!err) {
		fd = open(DXMIT_DEVICE, O_RDWR | O_CLOEXEC);
		err = fd < 0 ? -errno : 0;
	}
	if (err) {
		dxmit_direct_text(-err, 0, reason, sizeof(reason));
		fail(EXIT_RUNTIME, DXMIT_DEVICE, "%s", reason);
	}
	return fd;
}

int attach_socket(int device, int fd, const struct config *config,
		  struct dxmit_ioc_stats *stats, char reason[ATTACH_REASON])
{
	struct dxmit_ioc_attach request = {
		.fd = fd,
		.flags = config->direct_validate ? DXMIT_ATTACH_VALIDATE : 0,
		.batch = config->direct_batch,
		.shadow_every = config->direct_shadow,
	};
	int err;

	*stats = (struct dxmit_ioc_stats){ .fd = fd };
	if (ioctl(device, DXMIT_IOC_ATTACH, &request) == 0) {
		stats->id = request.id;
		/* Only tells where it is: not to know that is no failure. */
		(void)ioctl(device, DXMIT_IOC_STATS, stats);
		return 0;
	}
	err = errno;
	dxmit_direct_text(err, request.refusal, reason, ATTACH_REASON);
	return -err;
}

int detach_socket(int device, int fd, uint64_t id, char reason[ATTACH_REASON])
{
	const struct dxmit_ioc_which which = { .fd = fd, .id = id };
	int err;

	if (ioctl(device, DXMIT_IOC_DETACH, &which) == 0)
		return 0;
	err = errno;
	if (err == ENOENT)
		snprintf(reason, ATTACH_REASON,
			 "not on the direct path; 'dxmit attach --list' shows what is");
	else
		dxmit_direct_text(err, err == EPERM ? DXMIT_REFUSED_PRIVILEGE : 0, reason,
				  ATTACH_REASON);
	return -err;
}

/* The ids; their number may have changed between question and answer. */
static int read_ids(int device, uint64_t **ids, size_t *count)
{
	struct dxmit_ioc_list list = { 0 };
	uint32_t room = 0;
	int i;

	*ids = NULL;
	for (i = 0; i < LIST_TRIES; i++) {
		list = (struct dxmit_ioc_list){ .ids = (uintptr_t)*ids, .count = room };
		if (ioctl(device, DXMIT_IOC_LIST, &list) < 0)
			return -errno;
		if (list.count <= room)
			break;
		free(*ids);
		room = list.count + LIST_SPARE;
		*ids = calloc(room, sizeof(**ids));
		if (!*ids)
			return -ENOMEM;
	}
	*count = list.count < room ? list.count : room;
	return 0;
}

int attach_read_all(int device, struct dxmit_ioc_stats **list, size_t *count)
{
	size_t i, ids = 0;
	uint64_t *id;
	int err = read_ids(device, &id, &ids);

	*count = 0;
	*list = err ? NULL : calloc(ids + 1, sizeof(**list));
	if (!err && !*list)
		err = -ENOMEM;
	for (i = 0; !err && i < ids; i++) {
		struct dxmit_ioc_stats *stats = &(*list)[*count];

		*stats = (struct dxmit_ioc_stats){ .fd = -1, .id = id[i] };
		if (ioctl(device, DXMIT_IOC_STATS, stats) == 0)
			++*count;
		else if (errno != ENOENT) /* it has gone meanwhile */
			err = -errno;
	}
	free(id);
	return err;
}
