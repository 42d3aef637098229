/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The direct path: asking the kernel module to take a socket that is bound, and
 * what it says of it afterwards. The open device is kept, since its owner may ask
 * for the counters also after it dropped its privileges; closing the socket is
 * what detaches it.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <dxmit/direct.h>

#include "dxmit_ioctl.h"
#include "queue_private.h"

_Static_assert(DXMIT_DIRECT_MAX_BATCH == DXMIT_BATCH_MAX, "the limit of the module");

/* The device and what it says of itself. Returns a descriptor or -errno. */
static int open_module(struct dxmit_ioc_info *info)
{
	int fd = open(DXMIT_DEVICE, O_RDWR | O_CLOEXEC);
	int err = 0;

	if (fd < 0)
		return -errno;
	memset(info, 0, sizeof(*info));
	if (ioctl(fd, DXMIT_IOC_INFO, info) < 0)
		err = errno == ENOTTY ? -EPROTONOSUPPORT : -errno;
	else if (info->abi_version != DXMIT_ABI_VERSION)
		err = -EPROTONOSUPPORT;
	if (err) {
		close(fd);
		return err;
	}
	return fd;
}

int dxmit_direct_module(struct dxmit_direct_module *module)
{
	struct dxmit_direct_module now = { .size = sizeof(now) };
	struct dxmit_ioc_info info;
	int fd;

	if (!module || module->size < sizeof(module->size))
		return -EINVAL;
	fd = open_module(&info);
	if (fd < 0)
		return fd;
	close(fd);
	now.abi_version = info.abi_version;
	now.batch_max = info.batch_max;
	now.batch_default = info.batch_default;
	memcpy(now.version, info.version, sizeof(now.version) - 1);
	return dxmit_copy_out(module, &now, sizeof(now));
}

static uint32_t smaller(uint32_t a, uint32_t b)
{
	return a < b ? a : b;
}

/* Returns 0, or -errno with the module's reason in *refusal. */
static int attach(struct dxmit_queue_private *p, uint32_t *refusal)
{
	const struct dxmit_queue_options *o = &p->options;
	struct dxmit_ioc_attach request = {
		.fd = p->fd,
		.flags = o->direct_validate ? DXMIT_ATTACH_VALIDATE : 0,
		.batch = o->direct_batch,
		.budget = smaller(o->budget, DXMIT_BUDGET_MAX),
		.shadow_every = o->direct_shadow_every,
	};
	struct dxmit_ioc_info info;
	int fd = open_module(&info);
	int err;

	if (fd < 0)
		return fd;
	if (ioctl(fd, DXMIT_IOC_ATTACH, &request) < 0) {
		err = -errno;
		*refusal = request.refusal;
		close(fd);
		return err;
	}
	p->direct_fd = fd;
	p->direct_budget = request.budget ? request.budget : DXMIT_BUDGET_DEFAULT;
	p->direct_batch = smaller(o->direct_batch ? o->direct_batch : info.batch_default,
				  o->ring_size);
	return 0;
}

/* What the module would refuse; 0: nothing that is known before it is asked. */
static uint32_t foreseen(const struct dxmit_queue_options *o)
{
	if (o->mode == DXMIT_MODE_ZEROCOPY)
		return DXMIT_REFUSED_ZEROCOPY;
	if (segments_of(o->max_length, o->frame_size) > 1)
		return DXMIT_REFUSED_MULTI_BUFFER;
	return 0;
}

int dxmit_direct_check(const struct dxmit_queue_options *o, struct dxmit_error *error)
{
	uint32_t refusal = foreseen(o);

	if (o->direct != DXMIT_DIRECT_REQUIRE || !refusal)
		return 0;
	return dxmit_error_set(error, DXMIT_STAGE_DIRECT, EINVAL, "direct path", refusal,
			       0, 0);
}

int dxmit_direct_attach(struct dxmit_queue_private *p, struct dxmit_error *error)
{
	uint32_t refusal = foreseen(&p->options);
	int err;

	if (p->options.direct == DXMIT_DIRECT_OFF)
		return 0;
	err = refusal ? -EOPNOTSUPP : attach(p, &refusal);
	if (!err)
		return 0;
	if (p->options.direct == DXMIT_DIRECT_REQUIRE)
		return dxmit_error_set(error, DXMIT_STAGE_DIRECT, -err, "direct path",
				       refusal, 0, 0);
	p->info.direct_errno = -err;
	p->info.direct_refusal = refusal;
	return 0;
}

static int read_stats(const struct dxmit_queue_private *p, struct dxmit_ioc_stats *stats)
{
	memset(stats, 0, sizeof(*stats));
	stats->fd = p->fd;
	return ioctl(p->direct_fd, DXMIT_IOC_STATS, stats) < 0 ? -errno : 0;
}

void dxmit_direct_info(const struct dxmit_queue_private *p, struct dxmit_queue_info *info)
{
	struct dxmit_ioc_stats stats;

	if (p->direct_fd < 0)
		return;
	/* Not to be answered is no sign that the path is lost. */
	if (read_stats(p, &stats) == 0 && !stats.active) {
		info->direct_errno = stats.assertions ? EPROTO : ECANCELED;
		return;
	}
	info->path = DXMIT_PATH_DIRECT;
	info->budget = p->direct_budget;
	info->direct_batch = p->direct_batch;
}

int dxmit_queue_direct(const struct dxmit_queue *q, struct dxmit_direct_stats *stats)
{
	struct dxmit_ioc_stats now;
	struct dxmit_direct_stats out = { .size = sizeof(out) };
	int err;

	if (!q || !stats || stats->size < sizeof(stats->size))
		return -EINVAL;
	if (q->priv->direct_fd < 0)
		return -ENOENT;
	err = read_stats(q->priv, &now);
	if (err)
		return err;
	out.active = now.active;
	out.kept = now.kept;
	out.kicks = now.kicks;
	out.packets = now.packets;
	out.bytes = now.bytes;
	out.kept_total = now.kept_total;
	out.dropped_driver = now.dropped_driver;
	out.dropped_link = now.dropped_link;
	out.dropped_validate = now.dropped_validate;
	out.dropped_close = now.dropped_close;
	out.invalid = now.invalid;
	out.no_skb = now.no_skb;
	out.validations_skipped = now.validations_skipped;
	out.shadow_checks = now.shadow_checks;
	out.shadow_mismatches = now.shadow_mismatches;
	out.assertions = now.assertions;
	return dxmit_copy_out(stats, &out, sizeof(out));
}
