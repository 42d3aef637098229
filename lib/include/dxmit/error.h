/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Why a call failed: enough facts to name the object, the reason and the
 * remedy, and a function that does so in one line.
 */
#ifndef DXMIT_ERROR_H
#define DXMIT_ERROR_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/** The step that failed. Values are ABI; new ones are added at the end. */
enum dxmit_stage {
	DXMIT_STAGE_NONE = 0,
	DXMIT_STAGE_OPTIONS,    /* an option is out of range */
	DXMIT_STAGE_INTERFACE,  /* looking the interface up */
	DXMIT_STAGE_QUEUE,      /* the queue does not exist or cannot send */
	DXMIT_STAGE_HUGE_PAGES, /* mapping 2 MiB pages */
	DXMIT_STAGE_MEMORY,     /* mapping frame memory */
	DXMIT_STAGE_SOCKET,     /* socket(AF_XDP) */
	DXMIT_STAGE_UMEM,       /* registering the frame memory */
	DXMIT_STAGE_RING,       /* making or mapping a ring */
	DXMIT_STAGE_BIND,       /* bind() */
	DXMIT_STAGE_MODE,       /* the mode asked for was not obtained */
	DXMIT_STAGE_PROGRAM,    /* loading or attaching the XDP program */
	DXMIT_STAGE_CARRIER,    /* waiting for carrier */
	DXMIT_STAGE_TOPOLOGY,   /* reading the machine's topology */
	DXMIT_STAGE_PLAN,       /* placing queues on CPUs */
	DXMIT_STAGE_FRAME,      /* building a frame */
	DXMIT_STAGE_STALLED,    /* see dxmit_queue_stalled() */
	DXMIT_STAGE_DIRECT,     /* the direct path was required and refused */
	DXMIT_STAGE_SEGMENTS,   /* frames of several chunks cannot be had */
};

struct dxmit_error {
	enum dxmit_stage stage;
	int code;        /* positive errno */
	char object[32]; /* the interface, option or file concerned */
	uint64_t value;  /* what was asked: bytes, queue, size … */
	uint64_t limit;  /* what is allowed or present */
	uint64_t extra;  /* a third figure of some stages */
};

/**
 * Write "REASON; REMEDY" for an error into buf (always terminated, truncated
 * to len). Returns the length it would have had. Pure; any thread.
 */
int dxmit_error_text(const struct dxmit_error *error, char *buf, size_t len);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
#endif
