/* SPDX-License-Identifier: BSD-2-Clause */
/* A queue with a UDP packet in each of its frames, for the guest's programs. */
#ifndef VM_FILLED_QUEUE_H
#define VM_FILLED_QUEUE_H

#include <dxmit/frame.h>
#include <dxmit/queue.h>

/* Packets of `length` bytes; *fd is the socket. Returns what dxmit_queue_open()
 * does, with *error if that is not NULL. */
static inline int open_filled(const struct dxmit_queue_options *options, uint32_t length,
			      struct dxmit_queue **queue, int *fd,
			      struct dxmit_error *error)
{
	struct dxmit_queue_info info = { .size = sizeof(info) };
	struct dxmit_udp_spec udp = { .size = sizeof(udp), .length = length };
	int err = dxmit_queue_open(options, queue, error);
	uint32_t i;

	if (err)
		return err;
	dxmit_queue_info(*queue, &info);
	*fd = info.fd;
	for (i = 0; i < (*queue)->frames; i++)
		dxmit_udp_build(&udp, (*queue)->umem + (size_t)i * (*queue)->frame_size,
				(*queue)->frame_size);
	return 0;
}

#endif
