/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What this kernel, user and interface can do for a transmitter: facts found
 * by asking, without sending a frame or changing a setting.
 */
#ifndef APP_PROBE_H
#define APP_PROBE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include <dxmit/dxmit.h>
#include "config.h"
#include "privileges.h"

struct probe {
	char kernel[65];
	int socket_error;         /* errno of socket(AF_XDP), 0: can be made */
	bool budget_settable;     /* XDP_MAX_TX_SKB_BUDGET is there */
	bool multi_buffer;        /* XDP_USE_SG, Linux 6.6 */
	uint64_t memlock_limit;   /* bytes, UINT64_MAX: none */
	uint64_t memlock_needed;  /* bytes for one default queue */
	bool memlock_exempt;      /* CAP_IPC_LOCK in the initial namespace */
	uint64_t sndbuf_max;      /* bytes a socket may have without force */
	uint64_t sndbuf_needed;   /* bytes for one default queue on any driver */
	uint64_t huge_pages_free; /* of 2 MiB */
	struct privileges privileges;
	int module_error; /* why the module cannot be used, 0: it can */
	struct dxmit_direct_module module;
	bool default_route; /* the interface carries it */
	struct dxmit_nic nic;
};

/* Fill *probe for config->interface. Returns 0 or an exit code. */
int probe_run(const struct config *config, struct probe *probe);

void probe_text(const struct probe *probe, FILE *out);
int probe_json(const struct probe *probe, const struct config *config, FILE *out);

#endif
