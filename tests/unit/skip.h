/* SPDX-License-Identifier: BSD-2-Clause */
/* Cases that need devices, skipped where a group's set-up could not make them. */
#ifndef UNIT_SKIP_H
#define UNIT_SKIP_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

static const char *skip_reason; /* NULL: the devices are there */

#define NEED_DEVICES()                                                 \
	do {                                                           \
		if (skip_reason) {                                     \
			print_message("# skipped: %s\n", skip_reason); \
			skip();                                        \
		}                                                      \
	} while (0)

#endif
