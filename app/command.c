/* SPDX-License-Identifier: BSD-2-Clause */
/* The table of commands, in the order in which they are listed to the user. */
#include "command.h"

const struct command commands[COMMANDS] = {
	{ "tx", "send frames from every transmit queue and account for each of them",
	  cmd_tx, COMMAND_TX },
	{ "plan", "print which CPU and which memory would serve each queue", cmd_plan,
	  COMMAND_PLAN },
	{ "probe", "tell what machine and interface can do and what binds the rate",
	  cmd_probe, COMMAND_PROBE },
	{ "compare", "measure ways to send against each other, with confidence",
	  cmd_compare, COMMAND_COMPARE },
	{ "report", "show saved comparisons again, or what one is against another",
	  cmd_report, COMMAND_REPORT },
	{ "attach", "put sockets of another process on the module's direct path",
	  cmd_attach, COMMAND_ATTACH },
	{ "detach", "take sockets off the direct path again", cmd_detach,
	  COMMAND_DETACH },
};
