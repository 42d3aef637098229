/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The direct path: what the kernel module dxmit.ko gives a queue that was opened
 * with dxmit_queue_options.direct, and why it does not.
 */
#ifndef DXMIT_DIRECT_H
#define DXMIT_DIRECT_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

struct dxmit_queue;

/** The module that is loaded. */
struct dxmit_direct_module {
	size_t size; /* set by the caller before the call */
	uint32_t abi_version;
	uint32_t batch_max;
	uint32_t batch_default; /* frames per lock where none are asked for */
	char version[16];
};

/**
 * Ask the module what it is: open, ioctl and close of /dev/dxmit. Needs the
 * right to open it. Any thread. Returns 0, -EINVAL (argument), or a negative
 * errno that dxmit_direct_text() explains: -ENOENT (not loaded), -EACCES,
 * -EPROTONOSUPPORT (it speaks another version of its interface) …
 */
int dxmit_direct_module(struct dxmit_direct_module *module);

/**
 * Write "REASON; REMEDY" for a direct path that was not obtained into buf (always
 * terminated, truncated to len). `error` is a positive errno, `refusal` the
 * module's reason or 0: see dxmit_queue_info and, at DXMIT_STAGE_DIRECT,
 * dxmit_error (code, value). A refusal of a newer module is given by its number.
 * Returns the length it would have had; 0 if `error` and `refusal` are 0. Pure;
 * any thread.
 */
int dxmit_direct_text(int error, uint32_t refusal, char *buf, size_t len);

/** The module's counters for one queue, since it was attached. */
struct dxmit_direct_stats {
	size_t size;     /* set by the caller before the call */
	uint32_t active; /* 0: the queue is back on the kernel's path */
	uint32_t kept;   /* frames the driver has refused for now */
	uint64_t kicks;
	uint64_t packets;          /* handed to the driver */
	uint64_t bytes;            /* of these, without FCS */
	uint64_t kept_total;       /* times a frame had to be kept */
	uint64_t dropped_driver;   /* frames, by the driver */
	uint64_t dropped_link;     /* for want of a carrier */
	uint64_t dropped_validate; /* by a validation that was asked for */
	uint64_t dropped_close;    /* kept, and not sent at the end */
	uint64_t invalid;          /* descriptors completed, but not sent */
	uint64_t no_skb;           /* kicks that found no memory */
	uint64_t validations_skipped;
	uint64_t shadow_checks;     /* frames validated on the side */
	uint64_t shadow_mismatches; /* of these, would have been changed */
	uint64_t assertions;        /* checks that failed: sent back */
};

/**
 * Fill *stats (stats->size bytes). One ioctl(); no privilege. Not while another
 * thread closes the queue. Returns 0, -EINVAL (argument), -ENOENT (the queue
 * never was on the direct path), or -errno.
 */
int dxmit_queue_direct(const struct dxmit_queue *q, struct dxmit_direct_stats *stats);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
#endif
