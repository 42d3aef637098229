/* SPDX-License-Identifier: BSD-2-Clause */
/* The bus device behind an interface: its NUMA node and its interrupts. */
#ifndef DXMIT_SRC_IRQ_H
#define DXMIT_SRC_IRQ_H

#include <dxmit/nic.h>

/*
 * Fill node, irqs and irq[] of `nic` from the device `name` on `bus` (as in
 * IFLA_PARENT_DEV_NAME and IFLA_PARENT_DEV_BUS_NAME). What is not there stays
 * at its unknown value.
 */
void dxmit_irq_read(const char *bus, const char *name, struct dxmit_nic *nic);

/* Parse a kernel CPU list ("0-3,8"): lowest CPU and how many. Returns 0 or
 * -EINVAL (empty or malformed). */
int dxmit_cpu_list_parse(const char *text, int32_t *lowest, uint32_t *count);

#endif
