// SPDX-License-Identifier: GPL-2.0-only
/*
 * Putting a socket on the direct path and taking it off.
 *
 * ATTACH gives one socket a copy of its proto_ops in which release, sendmsg and
 * poll are ours. Threads may be inside the stock functions at that moment, and
 * poll() goes on into them; both paths on one completion ring would corrupt it.
 * So the stock path is made inert first: under xs->mutex xs->queue_id becomes
 * U16_MAX, which __xsk_generic_xmit() finds beyond the device's queues when it
 * gets that mutex, and then leaves with 0. A later XDP_SHARED_UMEM bind to the
 * same queue differs in its id, asks for a pool of its own, and is refused; one
 * to queue 65535 does share the pool, is inert itself, and sends this socket
 * back to the stock path (xmit.c).
 *
 * A detached socket keeps our table, which then only forwards, until it closes:
 * a thread may still be in our code. So each table holds a module reference.
 */
#include <linux/capability.h>
#include <linux/delay.h>
#include <linux/if_arp.h>
#include <linux/file.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/rtnetlink.h>
#include <linux/slab.h>
#include <net/busy_poll.h>

#include "compat.h"
#include "internal.h"

#define QUEUE_INERT U16_MAX
#define IN_FLIGHT_WAIT_MS 2000

DEFINE_MUTEX(attachments_lock);
LIST_HEAD(attachments);
static u64 last_id;

static struct attachment *attachment_of(const struct proto_ops *table)
{
	return container_of(table, struct attachment, ops);
}

/* ---- the three functions of the table ---------------------------------- */

/* Under xs->mutex: what the stock path asks before it sends, in its order. */
static int check_common(const struct xdp_sock *xs)
{
	if (unlikely(xs->state != XSK_BOUND))
		return -ENXIO;
	if (unlikely(!(xs->dev->flags & IFF_UP)))
		return -ENETDOWN;
	return 0;
}

static int direct_sendmsg(struct socket *sock, struct msghdr *msg, size_t len)
{
	struct attachment *at = attachment_of(READ_ONCE(sock->ops));
	struct xdp_sock *xs = at->xs;
	int err;

	mutex_lock(&xs->mutex);
	if (unlikely(!at->active)) {
		mutex_unlock(&xs->mutex);
		return at->stock->sendmsg(sock, msg, len);
	}
	err = check_common(xs);
	if (!err && unlikely(!(msg->msg_flags & MSG_DONTWAIT)))
		err = -EOPNOTSUPP;
	if (!err)
		err = direct_kick(at);
	mutex_unlock(&xs->mutex);
	return err;
}

/*
 * Poll transmits, as it does on the stock path; the original, inert as it is,
 * then says what the rings allow. No destructor will wake a sender, so one whose
 * frames did not all go (some are kept, the budget ended, one was dropped) is
 * told that it may write: its next call goes on with them.
 */
static __poll_t direct_poll(struct file *file, struct socket *sock,
			    struct poll_table_struct *wait)
{
	struct attachment *at = attachment_of(READ_ONCE(sock->ops));
	struct xdp_sock *xs = at->xs;
	__poll_t left = 0;

	mutex_lock(&xs->mutex);
	if (at->active && !check_common(xs)) {
		if (direct_kick(at) || at->kept_count)
			left = EPOLLOUT | EPOLLWRNORM;
	}
	mutex_unlock(&xs->mutex);
	return at->stock->poll(file, sock, wait) | left;
}

void give_back(struct attachment *at)
{
	at->xs->queue_id = at->queue_id;
	at->active = false;
	heads_free(&at->heads);
}

bool settle(struct attachment *at, unsigned long deadline)
{
	if (!at->active)
		return true;
	at->draining = true;
	if (at->xs->state == XSK_BOUND)
		direct_flush(at);
	if (at->kept_count && at->xs->state == XSK_BOUND && time_before(jiffies, deadline))
		return false;
	direct_purge(at);
	give_back(at);
	return true;
}

/* Until then a notifier must find it: what is kept names the device. */
static bool settle_and_forget(struct attachment *at, unsigned long deadline)
{
	bool settled;

	mutex_lock(&attachments_lock);
	mutex_lock(&at->xs->mutex);
	settled = settle(at, deadline);
	if (settled)
		list_del(&at->list);
	mutex_unlock(&at->xs->mutex);
	mutex_unlock(&attachments_lock);
	return settled;
}

/*
 * Last user gone: the socket layer drops the module reference of the table after
 * this returns (__sock_release), and reads nothing of the table any more.
 */
static int direct_release(struct socket *sock)
{
	struct attachment *at = attachment_of(READ_ONCE(sock->ops));
	const struct proto_ops *stock = at->stock;
	unsigned long deadline = jiffies + msecs_to_jiffies(SETTLE_WAIT_MS);
	int err;

	while (!settle_and_forget(at, deadline))
		msleep(1);
	err = stock->release(sock);
	kfree_rcu(at, rcu);
	return err;
}

/* ---- attach ------------------------------------------------------------ */

static int refuse(struct dxmit_ioc_attach *request, u32 refusal, int err)
{
	request->refusal = refusal;
	return err;
}

static bool busy_polls(const struct sock *sk)
{
#ifdef CONFIG_NET_RX_BUSY_POLL
	return READ_ONCE(sk->sk_prefer_busy_poll) || READ_ONCE(sk->sk_ll_usec);
#else
	return false;
#endif
}

/* Under xs->mutex: everything that decides once what the stock path would ask
 * for every packet. */
static int check_socket(struct dxmit_ioc_attach *request, struct xdp_sock *xs)
{
	struct net_device *dev = xs->dev;

	if (xs->state != XSK_BOUND || !dev || !xs->pool)
		return refuse(request, DXMIT_REFUSED_NOT_BOUND, -ENXIO);
	if (xs->zc)
		return refuse(request, DXMIT_REFUSED_ZEROCOPY, -EOPNOTSUPP);
	if (xs->rx)
		return refuse(request, DXMIT_REFUSED_RX_RING, -EOPNOTSUPP);
	if (!xs->tx)
		return refuse(request, DXMIT_REFUSED_NO_TX_RING, -EOPNOTSUPP);
	if (dxmit_multi_buffer(xs))
		return refuse(request, DXMIT_REFUSED_MULTI_BUFFER, -EOPNOTSUPP);
	if (dxmit_tx_metadata(xs))
		return refuse(request, DXMIT_REFUSED_TX_METADATA, -EOPNOTSUPP);
	if (refcount_read(&xs->pool->users) != 1 ||
	    !list_is_singular(&xs->pool->xsk_tx_list))
		return refuse(request, DXMIT_REFUSED_SHARED_POOL, -EBUSY);
	if (xs->queue_id == QUEUE_INERT)
		return refuse(request, DXMIT_REFUSED_ATTACHED, -EALREADY);
	if (dev->type != ARPHRD_ETHER && dev->type != ARPHRD_LOOPBACK)
		return refuse(request, DXMIT_REFUSED_DEVICE, -EOPNOTSUPP);
	if (xs->queue_id >= dev->real_num_tx_queues)
		return refuse(request, DXMIT_REFUSED_QUEUE, -ERANGE);
	if (busy_polls(&xs->sk))
		return refuse(request, DXMIT_REFUSED_BUSY_POLL, -EOPNOTSUPP);
	return 0;
}

static struct attachment *attachment_new(const struct socket *sock,
					 const struct proto_ops *table)
{
	struct attachment *at = kzalloc(sizeof(*at), GFP_KERNEL_ACCOUNT);

	if (!at)
		return NULL;
	at->stock = table;
	at->ops = *table;
	at->ops.owner = THIS_MODULE;
	at->ops.release = direct_release;
	at->ops.sendmsg = direct_sendmsg;
	at->ops.poll = direct_poll;
	at->xs = container_of(sock->sk, struct xdp_sock, sk);
	INIT_LIST_HEAD(&at->list);
	return at;
}

/*
 * Make the stock path inert. One that is so already belongs to an attachment or
 * to another thread's ATTACH. That the socket's table is still the one that `at`
 * was found or made by is asked under the same mutex: no socket gets two. With
 * rtnl, as bind() holds it from where it reads this queue_id to where it is on the
 * pool's list: a socket that shares the pool is either seen here or sees U16_MAX.
 */
static int hold_stock(const struct socket *sock, const struct proto_ops *table,
		      struct dxmit_ioc_attach *request, struct attachment *at)
{
	struct xdp_sock *xs = at->xs;
	int err;

	rtnl_lock();
	mutex_lock(&xs->mutex);
	if (READ_ONCE(sock->ops) != table)
		err = refuse(request, DXMIT_REFUSED_ATTACHED, -EALREADY);
	else
		err = check_socket(request, xs);
	if (!err) {
		at->dev = xs->dev;
		at->queue_id = xs->queue_id;
		xs->queue_id = QUEUE_INERT;
	}
	mutex_unlock(&xs->mutex);
	rtnl_unlock();
	return err;
}

static bool stock_frames(const struct xdp_sock *xs)
{
	return refcount_read(&xs->sk.sk_wmem_alloc) != 1 || dxmit_half_a_packet(xs);
}

/*
 * Wait, without the mutex, until no skb of the stock path is in flight: only
 * then may the completion ring change hands. Being inert it makes no new ones.
 */
static int wait_for_stock_frames(struct dxmit_ioc_attach *request,
				 const struct xdp_sock *xs)
{
	unsigned long deadline = jiffies + msecs_to_jiffies(IN_FLIGHT_WAIT_MS);

	while (stock_frames(xs)) {
		if (time_after(jiffies, deadline))
			return refuse(request, DXMIT_REFUSED_IN_FLIGHT, -EBUSY);
		if (msleep_interruptible(1))
			return -EINTR;
	}
	/* With sock_wfree(), which lets go of a frame after its completion was
	 * written: the ring we go on with has them all. */
	smp_rmb();
	return 0;
}

/*
 * Under attachments_lock and xs->mutex: from here on the socket is ours. The
 * first time our table takes the place of the socket's. Release pairs with the
 * address dependency of whoever reads sock->ops: the table is complete.
 */
static void activate(struct socket *sock, struct attachment *at,
		     struct dxmit_ioc_attach *request, const void *owner)
{
	u32 batch = request->batch ? request->batch : BATCH_DEFAULT;

	at->batch = batch;
	at->take = min(max_t(u32, batch, TAKE_DEFAULT), dxmit_descs_room(at->xs->pool));
	/* Bounded: a sender that keeps filling its ring from another thread must not
	 * hold this one in the kernel for ever. */
	at->budget = request->budget ? request->budget : DXMIT_BUDGET_DEFAULT;
	at->flags = request->flags;
	at->shadow_every = request->shadow_every;
	at->shadow_left = request->shadow_every;
	at->owner = owner;
	at->kept_first = 0;
	at->kept_count = 0;
	at->draining = false;
	at->in_chain = false;
	memset(&at->stats, 0, sizeof(at->stats));
	at->id = ++last_id;
	at->active = true;
	request->id = at->id;
	if (READ_ONCE(sock->ops) != &at->ops) {
		__module_get(THIS_MODULE);
		list_add_tail(&at->list, &attachments);
		smp_store_release(&sock->ops, &at->ops);
	}
}

/* What may have changed while hold_stock() had let go of the mutex. */
static int check_again(struct dxmit_ioc_attach *request, const struct xdp_sock *xs)
{
	if (xs->state != XSK_BOUND)
		return refuse(request, DXMIT_REFUSED_NOT_BOUND, -ENXIO);
	if (refcount_read(&xs->pool->users) != 1 ||
	    !list_is_singular(&xs->pool->xsk_tx_list))
		return refuse(request, DXMIT_REFUSED_SHARED_POOL, -EBUSY);
	return 0;
}

/* Either take the socket, to DETACH, notifier and list in one step, or give the
 * stock path back. */
static int take_over(struct socket *sock, struct dxmit_ioc_attach *request,
		     struct attachment *at, const void *owner, int err)
{
	struct xdp_sock *xs = at->xs;

	mutex_lock(&attachments_lock);
	mutex_lock(&xs->mutex);
	if (!err)
		err = check_again(request, xs);
	if (err)
		xs->queue_id = at->queue_id;
	else
		activate(sock, at, request, owner);
	mutex_unlock(&xs->mutex);
	mutex_unlock(&attachments_lock);
	return err;
}

/* The caller holds the socket's file, so that it does not close meanwhile. */
static int attach_xdp(struct socket *sock, struct dxmit_ioc_attach *request,
		      const void *owner)
{
	const struct proto_ops *table = READ_ONCE(sock->ops);
	bool again = table->release == direct_release; /* ours, active or not */
	struct attachment *at;
	int err;

	at = again ? attachment_of(table) : attachment_new(sock, table);
	if (!at)
		return -ENOMEM;
	err = hold_stock(sock, table, request, at);
	if (!err) {
		err = wait_for_stock_frames(request, at->xs);
		err = take_over(sock, request, at, owner, err);
	}
	if (err && !again)
		kfree(at);
	return err;
}

static int check_request(const struct dxmit_ioc_attach *request)
{
	if (request->flags & ~DXMIT_ATTACH_FLAGS || request->batch > DXMIT_BATCH_MAX ||
	    request->budget > DXMIT_BUDGET_MAX || request->reserved[0] ||
	    request->reserved[1])
		return -EINVAL;
	return 0;
}

int attach_socket(struct dxmit_ioc_attach *request, const void *owner)
{
	struct socket *sock;
	int err = check_request(request);

	request->refusal = DXMIT_REFUSED_NOT;
	request->id = 0;
	if (err)
		return err;
	sock = sockfd_lookup(request->fd, &err);
	if (!sock)
		return err == -ENOTSOCK ? refuse(request, DXMIT_REFUSED_NOT_XDP, err) : err;
	if (!sock->sk || sock->sk->sk_family != AF_XDP)
		err = refuse(request, DXMIT_REFUSED_NOT_XDP, -EPROTOTYPE);
	else if (!ns_capable(sock_net(sock->sk)->user_ns, CAP_NET_ADMIN))
		err = refuse(request, DXMIT_REFUSED_PRIVILEGE, -EPERM);
	else
		err = attach_xdp(sock, request, owner);
	sockfd_put(sock);
	return err;
}

/* ---- devices that go away ---------------------------------------------- */

/*
 * Kept skbs name the device without holding it, so they must be gone before it
 * is. The kernel's own notifier unbinds the socket, before or after this.
 */
static int device_event(struct notifier_block *block, unsigned long event, void *ptr)
{
	struct net_device *dev = netdev_notifier_info_to_dev(ptr);
	struct attachment *at;

	if (event != NETDEV_UNREGISTER)
		return NOTIFY_DONE;
	mutex_lock(&attachments_lock);
	list_for_each_entry(at, &attachments, list) {
		mutex_lock(&at->xs->mutex);
		if (at->active && at->dev == dev) {
			direct_purge(at);
			give_back(at);
		}
		mutex_unlock(&at->xs->mutex);
	}
	mutex_unlock(&attachments_lock);
	return NOTIFY_DONE;
}

static struct notifier_block device_notifier = { .notifier_call = device_event };

int attachments_init(void)
{
	return register_netdevice_notifier(&device_notifier);
}

void attachments_exit(void)
{
	unregister_netdevice_notifier(&device_notifier);
}
