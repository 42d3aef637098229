// SPDX-License-Identifier: GPL-2.0-only
/*
 * What can be asked about attachments: DETACH, STATS and LIST.
 */
#include <linux/capability.h>
#include <linux/delay.h>
#include <linux/err.h>
#include <linux/net.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
#include <net/sock.h>

#include "internal.h"

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

/* One try: 0, -EAGAIN when the driver must be waited for, or an error. `which` is
 * by id afterwards. */
static int detach_step(struct dxmit_ioc_which *which, const void *caller,
		       unsigned long deadline)
{
	struct attachment *at;
	int err;

	mutex_lock(&attachments_lock);
	at = find(which->fd, which->id);
	if (IS_ERR(at)) {
		err = PTR_ERR(at);
	} else if (!may_manage(at, caller)) {
		err = -EPERM;
	} else {
		which->fd = -1;
		which->id = at->id;
		mutex_lock(&at->xs->mutex);
		if (!at->active)
			err = -ENOENT;
		else
			err = settle(at, deadline) ? 0 : -EAGAIN;
		mutex_unlock(&at->xs->mutex);
	}
	mutex_unlock(&attachments_lock);
	return err;
}

int detach_socket(struct dxmit_ioc_which which, const void *caller)
{
	unsigned long deadline = jiffies + msecs_to_jiffies(SETTLE_WAIT_MS);
	bool waited = false;
	int err;

	if (which.flags || which.reserved[0] || which.reserved[1])
		return -EINVAL;
	while ((err = detach_step(&which, caller, deadline)) == -EAGAIN) {
		waited = true;
		msleep(1);
	}
	/* Meanwhile it was closed, or its device went. */
	return err == -ENOENT && waited ? 0 : err;
}

void attachment_snapshot(struct attachment *at, struct dxmit_ioc_stats *stats)
{
	struct xdp_sock *xs = at->xs;

	mutex_lock(&xs->mutex);
	*stats = at->stats;
	stats->id = at->id;
	stats->active = at->active;
	stats->ifindex = xs->state == XSK_BOUND ? xs->dev->ifindex : 0;
	stats->queue = at->queue_id;
	stats->kept = at->kept_count;
	mutex_unlock(&xs->mutex);
}

int attachment_stats(struct dxmit_ioc_stats *stats, const void *caller)
{
	struct attachment *at;
	s32 fd = stats->fd;
	int err = 0;

	if (stats->flags || memchr_inv(stats->reserved, 0, sizeof(stats->reserved)))
		return -EINVAL;
	mutex_lock(&attachments_lock);
	at = find(fd, stats->id);
	if (IS_ERR(at)) {
		err = PTR_ERR(at);
	} else if (!may_manage(at, caller)) {
		err = -EPERM;
	} else {
		attachment_snapshot(at, stats);
		stats->fd = fd;
	}
	mutex_unlock(&attachments_lock);
	return err;
}

/* How many there are that the caller may manage; the first `room` of them in ids. */
static u32 collect(u64 *ids, u32 room)
{
	struct attachment *at;
	u32 n = 0;

	mutex_lock(&attachments_lock);
	list_for_each_entry(at, &attachments, list) {
		bool active;

		mutex_lock(&at->xs->mutex);
		active = at->active;
		mutex_unlock(&at->xs->mutex);
		if (!active || !ns_capable_noaudit(sock_net(&at->xs->sk)->user_ns,
						   CAP_NET_ADMIN))
			continue;
		if (n < room)
			ids[n] = at->id;
		n++;
	}
	mutex_unlock(&attachments_lock);
	return n;
}

/*
 * Room is made for as many as there are, whatever the caller says he has, and
 * again if there are more by then. Nothing is allocated or copied out under the
 * lock: the notifier waits for it with rtnl held, and a page of user memory may
 * take for ever to come.
 */
int attachment_list(struct dxmit_ioc_list *list)
{
	u32 n, room = 0;
	u64 *ids = NULL;
	int err = 0;

	if (list->flags || list->reserved[0] || list->reserved[1])
		return -EINVAL;
	while ((n = collect(ids, room)) > room && room < list->count) {
		kvfree(ids);
		room = min(n, list->count);
		ids = kvcalloc(room, sizeof(*ids), GFP_KERNEL);
		if (!ids)
			return -ENOMEM;
	}
	if (copy_to_user(u64_to_user_ptr(list->ids), ids, min(n, room) * sizeof(*ids)))
		err = -EFAULT;
	list->count = n;
	kvfree(ids);
	return err;
}
