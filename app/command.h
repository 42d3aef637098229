/* SPDX-License-Identifier: BSD-2-Clause */
/* The commands of dxmit: their names, what they do, where they start. */
#ifndef APP_COMMAND_H
#define APP_COMMAND_H

#include <stddef.h>

#include "config.h"

/* One bit per command; an option names the commands that take it. */
#define COMMAND_TX 1u
#define COMMAND_PLAN 2u
#define COMMAND_PROBE 4u
#define COMMAND_ATTACH 8u
#define COMMAND_DETACH 16u
#define COMMAND_COMPARE 32u
#define COMMAND_REPORT 64u

struct command {
	const char *name;
	const char *summary;                     /* one line, no full stop */
	int (*run)(const struct config *config); /* returns the exit code */
	unsigned mask;                           /* its COMMAND_ bit */
};

#define COMMANDS 7
extern const struct command commands[COMMANDS];

int cmd_tx(const struct config *config);
int cmd_plan(const struct config *config);
int cmd_probe(const struct config *config);
int cmd_compare(const struct config *config);
int cmd_report(const struct config *config);
int cmd_attach(const struct config *config);
int cmd_detach(const struct config *config);

#endif
