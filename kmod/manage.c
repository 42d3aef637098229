// SPDX-License-Identifier: GPL-2.0-only
/*
 * What can be asked about attachments: DETACH, STATS and LIST.
 */
#include <linux/capability.h>
#include <linux/err.h>
#include <linux/net.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
#include <net/sock.h>

#include "internal.h"

/* Ids one LIST gives at most. */
#define LIST_MAX 4096

/* By descriptor, or with -1 by id; attachments_lock is held. */
static struct attachment *find(int fd, u64 id)
{
	struct attachment *at;
	struct socket *sock = NULL;
	int err;

	if (fd < -1)
		return ERR_PTR(-EBADF);
	if (fd >= 0) {
		sock = sockfd_lookup(fd, &err);
		if (!sock)
			return ERR_PTR(err);
	}
	list_for_each_entry(at, &attachments, list)
		if (sock ? sock->sk == &at->xs->sk : at->id == id)
			goto out;
	at = ERR_PTR(-ENOENT);
out:
	if (sock)
		sockfd_put(sock);
	return at;
}

/* The file that attached may go on, also after it dropped its privileges. */
static bool may_manage(const struct attachment *at, const void *caller)
{
	return at->owner == caller ||
	       ns_capable(sock_net(&at->xs->sk)->user_ns, CAP_NET_ADMIN);
}

int detach_socket(const struct dxmit_ioc_which *which, const void *caller)
{
	struct attachment *at;
	int err = 0;

	if (which->flags || which->reserved[0] || which->reserved[1])
		return -EINVAL;
	mutex_lock(&attachments_lock);
	at = find(which->fd, which->id);
	if (IS_ERR(at)) {
		err = PTR_ERR(at);
	} else if (!may_manage(at, caller)) {
		err = -EPERM;
	} else {
		mutex_lock(&at->xs->mutex);
		err = at->active ? 0 : -ENOENT;
		deactivate(at);
		mutex_unlock(&at->xs->mutex);
	}
	mutex_unlock(&attachments_lock);
	return err;
}

int attachment_stats(struct dxmit_ioc_stats *stats, const void *caller)
{
	struct attachment *at;
	int err = 0;

	if (stats->flags || memchr_inv(stats->reserved, 0, sizeof(stats->reserved)))
		return -EINVAL;
	mutex_lock(&attachments_lock);
	at = find(stats->fd, stats->id);
	if (IS_ERR(at)) {
		err = PTR_ERR(at);
	} else if (!may_manage(at, caller)) {
		err = -EPERM;
	} else {
		s32 fd = stats->fd;

		mutex_lock(&at->xs->mutex);
		*stats = at->stats;
		stats->fd = fd;
		stats->id = at->id;
		stats->active = at->active;
		stats->ifindex = at->xs->state == XSK_BOUND ? at->xs->dev->ifindex : 0;
		stats->queue = at->queue_id;
		stats->kept = at->kept_count;
		mutex_unlock(&at->xs->mutex);
	}
	mutex_unlock(&attachments_lock);
	return err;
}

/* Under attachments_lock: how many there are that the caller may manage. */
static u32 collect(u64 *ids, u32 room)
{
	struct attachment *at;
	u32 n = 0;

	list_for_each_entry(at, &attachments, list) {
		bool active;

		mutex_lock(&at->xs->mutex);
		active = at->active;
		mutex_unlock(&at->xs->mutex);
		if (!active || !ns_capable(sock_net(&at->xs->sk)->user_ns, CAP_NET_ADMIN))
			continue;
		if (n < room)
			ids[n] = at->id;
		n++;
	}
	return n;
}

/* Copied out when the lock is free: the notifier waits for it with rtnl held,
 * and a page of user memory may take for ever to come. */
int attachment_list(struct dxmit_ioc_list *list)
{
	u32 room = min_t(u32, list->count, LIST_MAX);
	u64 *ids;
	u32 n;
	int err = 0;

	if (list->flags || list->reserved[0] || list->reserved[1])
		return -EINVAL;
	ids = kcalloc(room + 1, sizeof(*ids), GFP_KERNEL);
	if (!ids)
		return -ENOMEM;
	mutex_lock(&attachments_lock);
	n = collect(ids, room);
	mutex_unlock(&attachments_lock);
	if (copy_to_user(u64_to_user_ptr(list->ids), ids, min(n, room) * sizeof(*ids)))
		err = -EFAULT;
	list->count = n;
	kfree(ids);
	return err;
}
