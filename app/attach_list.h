/* SPDX-License-Identifier: BSD-2-Clause */
/* `dxmit attach --list`. */
#ifndef APP_ATTACH_LIST_H
#define APP_ATTACH_LIST_H

#include "config.h"

/* Print every socket on the direct path that the caller may manage. Returns an
 * exit code. */
int attach_list(const struct config *config);

#endif
