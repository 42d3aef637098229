/* SPDX-License-Identifier: BSD-2-Clause */
#include "message.h"
#include "yardstick_parts.h"

int yardstick_pktgen_run(const struct yardstick *yardstick, const struct content *content,
			 struct yardstick_result *result)
{
	(void)content;
	(void)result;
	return fail(EXIT_USAGE, yardstick_name(yardstick->kind), "not there yet; wait");
}

void yardstick_pktgen_clean_up(const struct dxmit_nic *nic, const struct dxmit_plan *plan)
{
	(void)nic;
	(void)plan;
}
