/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Opening and closing a queue, and reading back what was obtained.
 *
 * Open runs the steps of umem.c, socket.c, direct.c and zerocopy.c in order; each leaves
 * what it made in the private struct, and close undoes whatever is there, so a
 * failed open is simply closed.
 */
#include <errno.h>
#include <limits.h>
#include <net/if.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <dxmit/nic.h>

#include "ethtool.h"
#include "queue_private.h"

#define DEFAULT_CARRIER_WAIT_MS 10000
#define CACHE_LINE 64

/* Of all frames at once. */
static uint64_t descriptors(const struct dxmit_queue_options *o)
{
	return (uint64_t)o->frames * segments_of(o->max_length, o->frame_size);
}

static void options_defaults(struct dxmit_queue_options *o)
{
	if (!o->ring_size)
		o->ring_size = DXMIT_DEFAULT_RING;
	if (!o->frame_size)
		o->frame_size = DXMIT_DEFAULT_FRAME_SIZE;
	if (!o->frames)
		o->frames = default_frames(o->ring_size,
					   segments_of(o->max_length, o->frame_size));
	if (!o->completion_size && descriptors(o) <= DXMIT_MAX_FRAMES)
		o->completion_size = power_of_two_from((uint32_t)descriptors(o));
	if (!o->bind_wait_ms)
		o->bind_wait_ms = DXMIT_BIND_WAIT_MS;
	if (!o->carrier_wait_ms)
		o->carrier_wait_ms = DEFAULT_CARRIER_WAIT_MS;
}

static int options_check_choices(const struct dxmit_queue_options *o,
				 struct dxmit_error *error)
{
	const enum dxmit_stage stage = DXMIT_STAGE_OPTIONS;

	if ((unsigned int)o->mode > DXMIT_MODE_ZEROCOPY ||
	    (unsigned int)o->huge > DXMIT_HUGE_OFF ||
	    (unsigned int)o->kick > DXMIT_KICK_POLL || o->node_plus_1 < 0)
		return dxmit_error_set(error, stage, EINVAL, "mode, huge, kick or node",
				       0, 0, 0);
	if (o->direct_batch > DXMIT_DIRECT_MAX_BATCH)
		return dxmit_error_set(error, stage, EINVAL, "direct_batch",
				       o->direct_batch, DXMIT_DIRECT_MAX_BATCH,
				       RULE_AT_MOST);
	if ((unsigned int)o->direct > DXMIT_DIRECT_REQUIRE || o->direct_validate > 1 ||
	    (o->direct == DXMIT_DIRECT_OFF &&
	     (o->direct_batch || o->direct_validate || o->direct_shadow_every)))
		return dxmit_error_set(error, stage, EINVAL, "direct", 0, 0, 0);
	return dxmit_direct_check(o, error);
}

/* The longest frame against the chunks, and all of them against the rings. */
static int options_check_segments(const struct dxmit_queue_options *o,
				  struct dxmit_error *error)
{
	const enum dxmit_stage stage = DXMIT_STAGE_OPTIONS;
	uint32_t most = (o->multi_buffer ? DXMIT_MAX_SEGMENTS : 1) * o->frame_size;
	uint32_t segments = segments_of(o->max_length, o->frame_size);

	if (o->max_length > most)
		return dxmit_error_set(error, stage, EINVAL, "max_length", o->max_length,
				       most, RULE_AT_MOST);
	if (o->ring_size < segments)
		return dxmit_error_set(error, stage, EINVAL, "ring_size", o->ring_size,
				       segments, RULE_AT_LEAST);
	if (descriptors(o) > DXMIT_MAX_FRAMES)
		return dxmit_error_set(error, stage, EINVAL, "frames", o->frames,
				       DXMIT_MAX_FRAMES / segments, RULE_AT_MOST);
	if (o->multi_buffer > 1)
		return dxmit_error_set(error, stage, EINVAL, "multi_buffer", 0, 0, 0);
	if (segments > 1 && o->fixed_slots)
		return dxmit_error_set(error, stage, EINVAL, "fixed_slots", 0, 0, 0);
	if (segments > 1 && o->mode == DXMIT_MODE_ZEROCOPY)
		return dxmit_error_set(error, DXMIT_STAGE_SEGMENTS, EINVAL, "zero-copy",
				       o->max_length, o->frame_size, 1);
	return 0;
}

static int options_check(const struct dxmit_queue_options *o, struct dxmit_error *error)
{
	const enum dxmit_stage stage = DXMIT_STAGE_OPTIONS;

	if (!is_power_of_two(o->ring_size) || o->ring_size > DXMIT_MAX_RING)
		return dxmit_error_set(error, stage, EINVAL, "ring_size", o->ring_size,
				       DXMIT_MAX_RING, RULE_POWER_OF_TWO);
	if (o->frame_size != 2048 && o->frame_size != 4096)
		return dxmit_error_set(error, stage, EINVAL, "frame_size", o->frame_size,
				       0, RULE_FRAME_SIZE);
	if (options_check_segments(o, error))
		return -EINVAL;
	if (!is_power_of_two(o->completion_size) || o->completion_size > DXMIT_MAX_FRAMES)
		return dxmit_error_set(error, stage, EINVAL, "completion_size",
				       o->completion_size, DXMIT_MAX_FRAMES,
				       RULE_POWER_OF_TWO);
	if (o->completion_size < descriptors(o))
		return dxmit_error_set(error, stage, EINVAL, "completion_size",
				       o->completion_size, descriptors(o), RULE_AT_LEAST);
	if (o->budget && o->budget < DXMIT_KERNEL_BUDGET)
		return dxmit_error_set(error, stage, EINVAL, "budget", o->budget,
				       DXMIT_KERNEL_BUDGET, RULE_AT_LEAST);
	if (o->budget > DXMIT_KERNEL_BUDGET && o->budget > o->ring_size)
		return dxmit_error_set(error, stage, EINVAL, "budget", o->budget,
				       o->ring_size, RULE_AT_MOST);
	if (o->fixed_slots && o->frames != o->ring_size)
		return dxmit_error_set(error, stage, EINVAL, "frames", o->frames,
				       o->ring_size, RULE_EQUAL);
	if (o->sndbuf > INT_MAX)
		return dxmit_error_set(error, stage, EINVAL, "sndbuf", o->sndbuf, INT_MAX,
				       RULE_AT_MOST);
	return options_check_choices(o, error);
}

static int options_resolve(const struct dxmit_queue_options *from,
			   struct dxmit_queue_options *o, struct dxmit_error *error)
{
	int err = dxmit_copy_in(o, sizeof(*o), from,
				offsetof(struct dxmit_queue_options, ring_size));

	if (err)
		return dxmit_error_set(error, DXMIT_STAGE_OPTIONS, -err, "options",
				       from ? from->size : 0, sizeof(*o), 0);
	options_defaults(o);
	return options_check(o, error);
}

uint64_t dxmit_queue_locked_bytes(const struct dxmit_queue_options *options)
{
	struct dxmit_queue_options o;

	if (options_resolve(options, &o, NULL) < 0)
		return 0;
	return umem_bytes(o.frames, frame_room(o.max_length, o.frame_size), o.frame_size);
}

/* if_indextoname() does not tell a missing interface from a missing socket. */
static int read_name(int ifindex, char *ifname)
{
	int fd = dxmit_ethtool_open();
	int err;

	if (fd < 0)
		return fd;
	err = dxmit_ethtool_name(fd, ifindex, ifname);
	close(fd);
	return err;
}

/*
 * The kernel binds to any queue below max(RX, TX) and then sends nothing from
 * a queue that can only receive, so the TX count is checked here.
 */
static int check_queue(const struct dxmit_queue_options *o, char *ifname,
		       struct dxmit_error *error)
{
	struct dxmit_nic nic;
	int active;
	int err = read_name(o->ifindex, ifname);

	if (err)
		return dxmit_error_set(error, DXMIT_STAGE_INTERFACE, -err, "interface",
				       (uint64_t)o->ifindex, 0, 0);
	active = dxmit_nic_active_tx_queues(o->ifindex);
	if (active < 0)
		return dxmit_error_set(error, DXMIT_STAGE_INTERFACE, -active, ifname, 0,
				       0, 0);
	if (o->queue < (uint32_t)active)
		return 0;
	if (dxmit_nic_read_index(o->ifindex, &nic, NULL) < 0)
		nic.tx_queues_max = (uint32_t)active;
	return dxmit_error_set(error, DXMIT_STAGE_QUEUE, ENXIO, ifname, o->queue,
			       (uint64_t)active, nic.tx_queues_max);
}

static struct dxmit_queue *queue_new(void)
{
	struct dxmit_queue *q = NULL;
	struct dxmit_queue_private *p = calloc(1, sizeof(*p));

	/* Own cache lines: no other queue's writes may share one with it. */
	if (!p ||
	    posix_memalign((void **)&q, CACHE_LINE,
			   (sizeof(*q) + CACHE_LINE - 1) / CACHE_LINE * CACHE_LINE)) {
		free(p);
		return NULL;
	}
	memset(q, 0, sizeof(*q));
	q->priv = p;
	p->fd = -1;
	p->program_link_fd = -1;
	p->direct_fd = -1;
	return q;
}

/* Point the public struct at the rings libxdp has mapped. */
static int connect_rings(struct dxmit_queue *q)
{
	struct dxmit_queue_private *p = q->priv;
	const struct dxmit_queue_options *o = &p->options;

	q->tx_producer = p->tx.producer;
	q->tx_consumer = p->tx.consumer;
	q->tx_descs = p->tx.ring;
	q->cq_producer = p->completion.producer;
	q->cq_consumer = p->completion.consumer;
	q->cq_addrs = p->completion.ring;
	q->umem = p->memory.area;
	q->tx_mask = o->ring_size - 1;
	q->cq_mask = o->completion_size - 1;
	q->free_mask = power_of_two_from(o->frames) - 1;
	q->frame_size = frame_room(o->max_length, o->frame_size);
	q->frames = o->frames;
	q->fixed_slots = o->fixed_slots != 0;
	if (dxmit_segments_open(q) < 0)
		return -ENOMEM;
	q->free_addrs = calloc(q->free_mask + 1u, sizeof(*q->free_addrs));
	if (!q->free_addrs)
		return -ENOMEM;
	dxmit_ring_start(q);
	return 0;
}

static void fill_info(struct dxmit_queue_private *p)
{
	const struct dxmit_queue_options *o = &p->options;
	struct dxmit_queue_info *info = &p->info;
	unsigned int i;

	info->fd = p->fd;
	info->ifindex = o->ifindex;
	info->queue = o->queue;
	info->ring_size = o->ring_size;
	info->completion_size = o->completion_size;
	info->frames = o->frames;
	info->frame_size = o->frame_size;
	info->frame_room = frame_room(o->max_length, o->frame_size);
	info->segments = segments_of(o->max_length, o->frame_size);
	info->umem_bytes = p->memory.used_bytes;
	info->page_size = p->memory.page_size;
	info->huge_missing = p->memory.huge_missing;
	info->program_attached = p->program_link_fd >= 0;
	info->kick = o->kick;
	/* On the direct path poll() would save nothing and hide losses. */
	if (o->kick == DXMIT_KICK_AUTO)
		info->kick = info->mode == DXMIT_MODE_COPY &&
					     info->budget < info->ring_size &&
					     p->direct_fd < 0
				     ? DXMIT_KICK_POLL
				     : DXMIT_KICK_SENDTO;
	for (i = 0; i < POLL_ENTRIES; i++)
		p->poll_entry[i] = (struct pollfd){ .fd = p->fd, .events = POLLOUT };
}

static int open_steps(struct dxmit_queue *q, struct dxmit_error *error)
{
	struct dxmit_queue_private *p = q->priv;
	char ifname[IF_NAMESIZE];
	int err = check_queue(&p->options, ifname, error);

	if (!err)
		err = dxmit_umem_allocate(p, error);
	if (!err)
		err = dxmit_socket_register_umem(p, error);
	if (!err)
		err = dxmit_socket_bind(p, ifname, error);
	if (!err)
		err = dxmit_socket_read_mode(p, error);
	if (!err)
		err = dxmit_direct_attach(p, error);
	if (!err)
		err = dxmit_socket_set_limits(p, error);
	if (!err && p->options.mode == DXMIT_MODE_ZEROCOPY)
		err = dxmit_zerocopy_prepare(p, ifname, error);
	if (!err && connect_rings(q) < 0)
		err = dxmit_error_set(error, DXMIT_STAGE_MEMORY, ENOMEM, "free list",
				      p->options.frames * sizeof(uint64_t), 0, 0);
	return err;
}

int dxmit_queue_open(const struct dxmit_queue_options *options, struct dxmit_queue **out,
		     struct dxmit_error *error)
{
	struct dxmit_queue_options resolved;
	struct dxmit_queue *q;
	int err;

	if (!out)
		return dxmit_error_set(error, DXMIT_STAGE_OPTIONS, EINVAL, "out", 0, 0,
				       0);
	*out = NULL;
	err = options_resolve(options, &resolved, error);
	if (err)
		return err;
	q = queue_new();
	if (!q)
		return dxmit_error_set(error, DXMIT_STAGE_MEMORY, ENOMEM, "queue",
				       sizeof(*q), 0, 0);
	q->priv->options = resolved;
	q->priv->wait_end_ns = dxmit_monotonic_ns() + resolved.bind_wait_ms * 1000000ull;
	err = open_steps(q, error);
	if (err) {
		dxmit_queue_close(&q);
		return err;
	}
	fill_info(q->priv);
	*out = q;
	return 0;
}

/*
 * libxdp unmaps the rings before it closes the socket; that order matters,
 * since a mapping keeps the socket and so the queue busy for other openers.
 */
void dxmit_queue_close(struct dxmit_queue **queue)
{
	struct dxmit_queue *q = queue ? *queue : NULL;
	struct dxmit_queue_private *p;

	if (!q)
		return;
	p = q->priv;
	if (p->xsk)
		xsk_socket__delete(p->xsk);
	if (p->umem)
		xsk_umem__delete(p->umem); /* closes p->fd */
	if (p->program_link_fd >= 0)
		close(p->program_link_fd); /* detaches the program */
	if (p->direct_fd >= 0)
		close(p->direct_fd); /* the module let go of the socket with it */
	dxmit_umem_free(&p->memory);
	free(q->free_addrs);
	free(p->segment_state);
	free(p);
	free(q);
	*queue = NULL;
}

int dxmit_queue_info(const struct dxmit_queue *q, struct dxmit_queue_info *info)
{
	struct dxmit_queue_info now;

	if (!q || !info)
		return -EINVAL;
	now = q->priv->info;
	dxmit_direct_info(q->priv, &now);
	return dxmit_copy_out(info, &now, sizeof(now));
}

/* The kernel's own count; the short form (before 5.9) has it too. */
static int read_invalid(int fd, uint64_t *invalid)
{
	struct xdp_statistics kernel = { 0 };
	socklen_t len = sizeof(kernel);

	if (getsockopt(fd, SOL_XDP, XDP_STATISTICS, &kernel, &len) < 0)
		return -errno;
	*invalid = kernel.tx_invalid_descs;
	return 0;
}

void dxmit_queue_stalled(const struct dxmit_queue *q, struct dxmit_error *error)
{
	const struct dxmit_queue_private *p = q->priv;
	char object[sizeof(error->object)];

	snprintf(object, sizeof(object), "queue %u", p->options.queue);
	dxmit_error_set(
		error, DXMIT_STAGE_STALLED, ETIMEDOUT, object, q->in_flight,
		__atomic_load_n(q->cq_producer, __ATOMIC_RELAXED) - q->cq_position, 0);
}

int dxmit_queue_stats(const struct dxmit_queue *q, struct dxmit_queue_stats *stats)
{
	const struct dxmit_queue_private *p;
	struct dxmit_queue_stats now = { .size = sizeof(now) };
	int err;

	if (!q || !stats)
		return -EINVAL;
	p = q->priv;
	now.submitted = q->submitted;
	now.completed = q->completed;
	now.in_flight = q->in_flight;
	now.unread = __atomic_load_n(q->cq_producer, __ATOMIC_RELAXED) - q->cq_position;
	now.unconsumed =
		q->tx_position - __atomic_load_n(q->tx_consumer, __ATOMIC_RELAXED);
	now.lost = q->lost;
	now.kicks = q->kicks;
	now.retries = q->retries;
	now.down = q->down;
	now.last_error = p->last_error;
	if (p->still_since_ns)
		now.stalled_ns = dxmit_monotonic_ns() - p->still_since_ns;
	err = read_invalid(p->fd, &now.invalid);
	return err ? err : dxmit_copy_out(stats, &now, sizeof(now));
}
