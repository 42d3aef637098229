/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Errors in words: REASON; REMEDY for every stage. What `value`, `limit` and
 * `extra` hold is stated with each function here.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>

#include <dxmit/direct.h>
#include <dxmit/settings.h>

#include "internal.h"

struct text {
	char *buf;
	size_t len;
};

static int put(struct text *t, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

static int put(struct text *t, const char *format, ...)
{
	va_list args;
	int n;

	va_start(args, format);
	n = vsnprintf(t->buf, t->len, format, args);
	va_end(args);
	return n;
}

int dxmit_error_set(struct dxmit_error *error, enum dxmit_stage stage, int code,
		    const char *object, uint64_t value, uint64_t limit, uint64_t extra)
{
	if (error) {
		memset(error, 0, sizeof(*error));
		error->stage = stage;
		error->code = code;
		snprintf(error->object, sizeof(error->object), "%s", object);
		error->value = value;
		error->limit = limit;
		error->extra = extra;
	}
	return -code;
}

/* strerror_r as a plain value: the errno's own words. */
static const char *reason(int code, char buf[128])
{
	return strerror_r(code, buf, 128);
}

/* extra: the rule, see internal.h */
static int option_text(const struct dxmit_error *e, struct text *t)
{
	if (e->code == EOPNOTSUPP)
		return put(t,
			   "this kernel moves %" PRIu64 " frames per kick and cannot be "
			   "told to move %" PRIu64
			   "; leave it out, or use Linux 6.17 or newer",
			   e->limit, e->value);
	if (e->code == E2BIG)
		return put(t, "the struct asks for something this version does not know; "
			      "load a newer libdxmit");
	switch (e->extra) {
	case RULE_POWER_OF_TWO:
		return put(t, "%" PRIu64 " is not a power of two; use 1, 2, 4 … %" PRIu64,
			   e->value, e->limit);
	case RULE_FRAME_SIZE:
		return put(t, "%" PRIu64 " is not a legal frame size; use 2048 or 4096",
			   e->value);
	case RULE_AT_LEAST:
		return put(t, "%" PRIu64 " is too small; use at least %" PRIu64, e->value,
			   e->limit);
	case RULE_AT_MOST:
		return put(t, "%" PRIu64 " is too large; use at most %" PRIu64, e->value,
			   e->limit);
	case RULE_EQUAL:
		return put(t,
			   "%" PRIu64 " does not fit fixed slots; use %" PRIu64
			   ", one frame per ring slot",
			   e->value, e->limit);
	default:
		return put(t, "invalid value; see <dxmit/queue.h>");
	}
}

/* value: the queue; limit: active TX queues; extra: the device's maximum */
static int queue_text(const struct dxmit_error *e, struct text *t)
{
	return put(t,
		   "has %" PRIu64 " TX queue%s (max %" PRIu64 "); queue %" PRIu64
		   " does not exist; use a lower one, or see `ethtool -L %s`",
		   e->limit, e->limit == 1 ? "" : "s", e->extra, e->value, e->object);
}

/* value: 2 MiB pages wanted; limit: of these, free; extra: in use by others */
static int huge_text(const struct dxmit_error *e, struct text *t)
{
	return put(t,
		   "%" PRIu64 " pages of 2 MiB are needed and %" PRIu64 " are free; "
		   "reserve them with `sysctl vm.nr_hugepages=%" PRIu64 "`, or use auto",
		   e->value, e->limit, e->value + e->extra);
}

/* value: bytes of frame memory; limit: RLIMIT_MEMLOCK. Where one queue would
 * fit, other sockets of the same user hold the rest. */
static int umem_text(const struct dxmit_error *e, struct text *t)
{
	char buf[128];

	if (e->code == ENOBUFS && e->value <= e->limit &&
	    e->limit != (uint64_t)RLIM_INFINITY)
		return put(t,
			   "needs %" PRIu64
			   " KiB of locked memory more and the limit of %" PRIu64
			   " KiB is taken by other sockets of this user; raise it with "
			   "`ulimit -l %" PRIu64
			   "`, use fewer frames, or grant CAP_IPC_LOCK",
			   e->value / 1024, e->limit / 1024,
			   (e->value + e->limit) / 1024);
	if (e->code == ENOBUFS && e->limit != (uint64_t)RLIM_INFINITY)
		return put(t,
			   "needs %" PRIu64
			   " KiB of locked memory and the limit is %" PRIu64
			   " KiB; raise it with `ulimit -l %" PRIu64
			   "`, use fewer frames, or grant CAP_IPC_LOCK",
			   e->value / 1024, e->limit / 1024, e->value / 1024);
	return put(t,
		   "cannot register %" PRIu64
		   " KiB with the kernel: %s; use fewer frames",
		   e->value / 1024, reason(e->code, buf));
}

static int socket_text(const struct dxmit_error *e, struct text *t)
{
	char buf[128];

	switch (e->code) {
	case EPERM:
	case EACCES:
		return put(
			t,
			"an AF_XDP socket needs CAP_NET_RAW in this network namespace; "
			"run as root, or `setcap cap_net_raw+ep` the program");
	case EAFNOSUPPORT:
		return put(
			t,
			"this kernel has no AF_XDP; use one with CONFIG_XDP_SOCKETS=y");
	case EMFILE:
		return put(t, "no file descriptor left; raise `ulimit -n`");
	default:
		return put(t, "cannot make an AF_XDP socket: %s; see the kernel log",
			   reason(e->code, buf));
	}
}

/* value: the queue; limit: how long EBUSY was waited for, ms */
static int bind_text(const struct dxmit_error *e, struct text *t)
{
	char buf[128];

	switch (e->code) {
	case EBUSY:
		return put(
			t,
			"queue %" PRIu64 " is in use by another AF_XDP socket, or by one "
			"that closed with frames in flight (waited %" PRIu64 " ms); stop "
			"its owner, or choose another queue",
			e->value, e->limit);
	case ENETDOWN:
		return put(t, "the interface is down; `ip link set %s up`", e->object);
	case ENODEV:
		return put(t, "the interface has gone; check `ip link`");
	case EMFILE:
		return put(t, "no file descriptor left; raise `ulimit -n`");
	default:
		return put(t,
			   "cannot bind to queue %" PRIu64 ": %s; check `ethtool -l %s`",
			   e->value, reason(e->code, buf), e->object);
	}
}

/* value: the queue; extra: 1 if the mode obtained could not be read */
static int mode_text(const struct dxmit_error *e, struct text *t)
{
	char buf[128];

	if (e->extra)
		return put(t,
			   "cannot read back the mode of queue %" PRIu64 ": %s; see the "
			   "kernel log",
			   e->value, reason(e->code, buf));
	return put(t,
		   "zero-copy is not supported on queue %" PRIu64 " (%s); use copy mode",
		   e->value, reason(e->code, buf));
}

/* value: 1 if the program was loaded and could not be attached */
static int program_text(const struct dxmit_error *e, struct text *t)
{
	char buf[128];

	if (e->code == EPERM)
		return put(t,
			   "zero-copy on this driver needs an XDP program, which needs "
			   "CAP_BPF and CAP_NET_ADMIN; run as root, or use copy mode");
	return put(
		t,
		"cannot %s the XDP program that zero-copy needs here: %s; use copy mode",
		e->value ? "attach" : "load", reason(e->code, buf));
}

/* value: the longest frame; limit: a chunk; extra: 1 for zero-copy mode */
static int segments_text(const struct dxmit_error *e, struct text *t)
{
	return put(t,
		   "frames of %" PRIu64 " bytes take several chunks of %" PRIu64
		   " bytes, %s; use frames of up to %u bytes without FCS, or %s",
		   e->value, e->limit,
		   e->extra ? "which dxmit sends in copy mode only"
			    : "and this kernel does not take them (AF_XDP multi-buffer)",
		   DXMIT_MAX_FRAME_SIZE, e->extra ? "copy mode" : "Linux 6.6 or newer");
}

/* value: how long was waited, ms */
static int carrier_text(const struct dxmit_error *e, struct text *t)
{
	char buf[128];

	if (e->code == ETIMEDOUT)
		return put(t,
			   "no carrier %" PRIu64
			   " ms after the XDP program was attached; "
			   "check the cable, or wait longer",
			   e->value);
	return put(t, "cannot watch the carrier: %s; check `ip link`",
		   reason(e->code, buf));
}

/* value: bytes, or descriptors at DXMIT_STAGE_RING */
static int memory_text(const struct dxmit_error *e, struct text *t)
{
	char buf[128];

	if (e->stage == DXMIT_STAGE_RING)
		return put(t,
			   "no memory for a ring of %" PRIu64
			   " descriptors; use a smaller "
			   "ring",
			   e->value);
	return put(t, "cannot allocate %" PRIu64 " KiB: %s; use fewer or smaller frames",
		   (e->value + 1023) / 1024, reason(e->code, buf));
}

static int interface_text(const struct dxmit_error *e, struct text *t)
{
	char buf[128];

	if (e->code == ENODEV)
		return put(t, "no such interface in this network namespace; "
			      "`ip link` lists them");
	return put(t, "cannot read the interface's facts: %s; check `ip link`",
		   reason(e->code, buf));
}

/* object: the file or description */
static int topology_text(const struct dxmit_error *e, struct text *t)
{
	char buf[128];

	if (e->code == ENOENT || e->code == EINVAL)
		return put(
			t,
			"is neither a readable hwloc XML file nor a synthetic "
			"description; save one with `lstopo FILE.xml`, or write one such "
			"as \"pack:2 numa:1 core:4 pu:2\"");
	return put(t, "cannot read the machine's topology: %s; check /sys and memory",
		   reason(e->code, buf));
}

/* object: the list or wish; value: the entry at fault; limit: how many exist */
static int plan_text(const struct dxmit_error *e, struct text *t)
{
	char buf[128];

	if (strcmp(e->object, "cpus") == 0 && e->code == ENODEV)
		return put(t,
			   "CPU %" PRIu64 " does not exist or this process may not run "
			   "there; see `taskset -p $$` and `dxmit plan`",
			   e->value);
	if (strcmp(e->object, "cpus") == 0 && e->code == EPERM)
		return put(t,
			   "CPU %" PRIu64 " cannot be pinned to: %s; allow "
			   "sched_setaffinity(2)",
			   e->value, reason(e->code, buf));
	if (strcmp(e->object, "node") == 0)
		return put(t,
			   "NUMA node %" PRId64
			   " does not exist or may not be used (there "
			   "are %" PRIu64 "); see `numactl -H`",
			   (int64_t)e->value, e->limit);
	if (strcmp(e->object, "queues") == 0 && e->limit == 0)
		return put(t, "queue %" PRIu64 " is named twice; name each queue once",
			   e->value);
	if (e->code == EINVAL)
		return put(t,
			   "%" PRIu64 " entries are not possible; use 1 up to %" PRIu64,
			   e->value, e->limit);
	return put(t, "%" PRIu64 ": %s; choose another", e->value, reason(e->code, buf));
}

/* value: frames in flight; limit: of these, completed and not yet reclaimed */
static int stalled_text(const struct dxmit_error *e, struct text *t)
{
	if (e->limit)
		return put(t,
			   "is stalled: %" PRIu64 " completions unread, %" PRIu64
			   " frames "
			   "outstanding; reclaim completions",
			   e->limit, e->value);
	return put(t,
		   "is stalled: %" PRIu64
		   " frames outstanding and none completed for 2 s; "
		   "check what the device does with its frames",
		   e->value);
}

static int dispatch(const struct dxmit_error *e, struct text *t)
{
	char buf[128];

	switch (e->stage) {
	case DXMIT_STAGE_OPTIONS:
		return option_text(e, t);
	case DXMIT_STAGE_INTERFACE:
		return interface_text(e, t);
	case DXMIT_STAGE_QUEUE:
		return queue_text(e, t);
	case DXMIT_STAGE_HUGE_PAGES:
		return huge_text(e, t);
	case DXMIT_STAGE_MEMORY:
	case DXMIT_STAGE_RING:
		return memory_text(e, t);
	case DXMIT_STAGE_SOCKET:
		return socket_text(e, t);
	case DXMIT_STAGE_UMEM:
		return umem_text(e, t);
	case DXMIT_STAGE_BIND:
		return bind_text(e, t);
	case DXMIT_STAGE_MODE:
		return mode_text(e, t);
	case DXMIT_STAGE_PROGRAM:
		return program_text(e, t);
	case DXMIT_STAGE_CARRIER:
		return carrier_text(e, t);
	case DXMIT_STAGE_STALLED:
		return stalled_text(e, t);
	case DXMIT_STAGE_SEGMENTS:
		return segments_text(e, t);
	case DXMIT_STAGE_TOPOLOGY:
		return topology_text(e, t);
	case DXMIT_STAGE_PLAN:
		return plan_text(e, t);
	case DXMIT_STAGE_DIRECT: /* value: the module's reason */
		return dxmit_direct_text(e->code, (uint32_t)e->value, t->buf, t->len);
	default:
		return put(t, "%s; see the arguments", reason(e->code, buf));
	}
}

int dxmit_error_text(const struct dxmit_error *error, char *buf, size_t len)
{
	struct text t = { .buf = buf, .len = len };

	if (len)
		buf[0] = '\0';
	return error ? dispatch(error, &t) : 0;
}
