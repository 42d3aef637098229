/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * `dxmit attach` and `dxmit detach`: sockets of another process onto the direct
 * path of the module, and off it.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "attach.h"
#include "attach_list.h"
#include "command.h"
#include "message.h"
#include "peer.h"
#include "xdp_diag.h"

#define NAMES_BYTES 512

/* What is done to each socket: returns 0 with what to say in `said`, or -errno with
 * "REASON; REMEDY" there. */
typedef int (*act_fn)(int device, int copy, const struct config *config,
		      char said[ATTACH_REASON]);

static int act_attach(int device, int copy, const struct config *config,
		      char said[ATTACH_REASON])
{
	struct dxmit_ioc_stats stats;
	int err = attach_socket(device, copy, config, &stats, said);

	if (!err)
		snprintf(said, ATTACH_REASON,
			 "on the direct path: id %" PRIu64 ", ifindex %" PRId32
			 ", queue %" PRIu32,
			 (uint64_t)stats.id, stats.ifindex, stats.queue);
	return err;
}

static int act_detach(int device, int copy, const struct config *config,
		      char said[ATTACH_REASON])
{
	int err = detach_socket(device, copy, 0, said);

	if (!err)
		snprintf(said, ATTACH_REASON, "on the kernel's path again");
	/* Of all of them, some may never have left it. */
	return err == -ENOENT && config->all ? 0 : err;
}

/* Copy one descriptor, act on it, and let go of it. Returns an exit code. */
static int act_on(const struct peer *peer, int fd, int device, act_fn act,
		  const struct config *config)
{
	char object[64], said[ATTACH_REASON];
	int copy = peer_copy(peer, fd);
	int err;

	if (copy < 0)
		return peer_copy_failed(peer, fd, copy);
	err = act(device, copy, config, said);
	close(copy);
	snprintf(object, sizeof(object), "process %" PRIu32 ", descriptor %d", peer->pid,
		 fd);
	printf("%s: %s\n", object, said);
	return err ? fail(EXIT_RUNTIME, object, "%s", said) : EXIT_DONE;
}

/* "5 (ifindex 3, queue 0), 7": for the user to choose from. */
static void name_sockets(const struct peer_socket *sockets, size_t count,
			 char names[NAMES_BYTES])
{
	uint32_t ifindex, queue;
	size_t i, at = 0;

	for (i = 0; i < count && at < NAMES_BYTES; i++) {
		at += (size_t)snprintf(names + at, NAMES_BYTES - at, "%s%d",
				       i ? ", " : "", sockets[i].fd);
		if (at < NAMES_BYTES && xdp_diag_find(sockets[i].inode, &ifindex, &queue))
			at += (size_t)snprintf(names + at, NAMES_BYTES - at,
					       " (ifindex %" PRIu32 ", queue %" PRIu32
					       ")",
					       ifindex, queue);
	}
}

static int check_choice(const struct config *config, const struct peer_socket *sockets,
			size_t count)
{
	char object[32], names[NAMES_BYTES];

	snprintf(object, sizeof(object), "process %" PRIu32, config->pid);
	if (count == 0)
		return fail(
			EXIT_RUNTIME, object,
			"it has no AF_XDP socket; name one that sends through AF_XDP");
	if (count == 1 || config->all)
		return EXIT_DONE;
	name_sockets(sockets, count, names);
	return fail(EXIT_USAGE, object,
		    "it has %zu AF_XDP sockets, descriptors %s; use --fd N or --all",
		    count, names);
}

/* The one socket that --fd names. */
static int take_named(const struct peer *peer, int fd, struct peer_socket **sockets,
		      size_t *count)
{
	char object[64];
	uint64_t inode = 0;
	int copy = peer_copy(peer, fd);
	int is_xdp;

	*sockets = NULL;
	if (copy < 0)
		return peer_copy_failed(peer, fd, copy);
	is_xdp = peer_is_xdp(copy, &inode);
	close(copy);
	snprintf(object, sizeof(object), "process %" PRIu32 ", descriptor %d", peer->pid,
		 fd);
	if (!is_xdp)
		return fail(
			EXIT_RUNTIME, object,
			"it is not an AF_XDP socket; leave out --fd to have it found");
	*sockets = malloc(sizeof(**sockets));
	if (!*sockets)
		return fail(EXIT_RUNTIME, object, "out of memory; free some");
	**sockets = (struct peer_socket){ .fd = fd, .inode = inode };
	*count = 1;
	return EXIT_DONE;
}

static int act_on_all(const struct peer *peer, const struct peer_socket *sockets,
		      size_t count, act_fn act, const struct config *config)
{
	int device = attach_device();
	int code = EXIT_DONE;
	size_t i;

	if (device < 0)
		return EXIT_RUNTIME;
	for (i = 0; i < count; i++) {
		int one = act_on(peer, sockets[i].fd, device, act, config);

		if (!code)
			code = one;
	}
	close(device);
	return code;
}

static int over_sockets(const struct config *config, act_fn act)
{
	struct peer_socket *sockets = NULL;
	struct peer peer;
	size_t count = 0;
	int code = peer_open(config->pid, &peer);

	if (code)
		return code;
	if (config->fd_given)
		code = take_named(&peer, (int)config->fd, &sockets, &count);
	else
		code = peer_find(&peer, &sockets, &count);
	if (!code)
		code = check_choice(config, sockets, count);
	if (!code)
		code = act_on_all(&peer, sockets, count, act, config);
	free(sockets);
	peer_close(&peer);
	return code;
}

int cmd_attach(const struct config *config)
{
	return config->list ? attach_list(config) : over_sockets(config, act_attach);
}

static int detach_by_id(uint64_t id)
{
	char object[32], reason[ATTACH_REASON];
	int device = attach_device();
	int err;

	if (device < 0)
		return EXIT_RUNTIME;
	err = detach_socket(device, -1, id, reason);
	close(device);
	snprintf(object, sizeof(object), "attachment %" PRIu64, id);
	if (err)
		return fail(EXIT_RUNTIME, object, "%s", reason);
	printf("%s: on the kernel's path again\n", object);
	return EXIT_DONE;
}

int cmd_detach(const struct config *config)
{
	return config->id ? detach_by_id(config->id) : over_sockets(config, act_detach);
}
