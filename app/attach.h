/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The requests of the module's device as `dxmit attach` and `dxmit detach` make
 * them, for sockets they did not open. What was attached stays so after the
 * device is closed.
 */
#ifndef APP_ATTACH_H
#define APP_ATTACH_H

#include <stddef.h>
#include <stdint.h>

#include "config.h"
#include "dxmit_ioctl.h"

/* Returns a descriptor; or -1 after the one line on stderr (exit code 1). */
int attach_device(void);

#define ATTACH_REASON 256
/*
 * Put the AF_XDP socket `fd` of this process on the direct path, with the settings
 * of `config`; *stats is where it is then. Take it off again, by descriptor or with
 * fd -1 by id. Return 0, or -errno with "REASON; REMEDY" in `reason`.
 */
int attach_socket(int device, int fd, const struct config *config,
		  struct dxmit_ioc_stats *stats, char reason[ATTACH_REASON]);
int detach_socket(int device, int fd, uint64_t id, char reason[ATTACH_REASON]);

/*
 * The counters of all attachments, by id. Returns 0 or -errno; free(*list) in
 * every case.
 */
int attach_read_all(int device, struct dxmit_ioc_stats **list, size_t *count);

#endif
