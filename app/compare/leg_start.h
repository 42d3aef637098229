/* SPDX-License-Identifier: BSD-2-Clause */
/* What a leg does in its child process. */
#ifndef APP_LEG_START_H
#define APP_LEG_START_H

#include "compare.h"

struct leg_task {
	const struct leg *leg;
	const struct compare_setting *setting;
	const struct dxmit_nic *nic;
};

/*
 * Run the leg until SIGTERM (SIGINT, for exec) or until it fails; what it has to
 * say goes to standard output as JSON, but for exec. `context` is a struct
 * leg_task. Returns an exit code, after the one line on stderr if it is not 0.
 */
int leg_start(const void *context);

/* leg_exec.c: run a command for the shell on these CPUs. */
int leg_exec(const char *command, const uint32_t *cpu, size_t cpus);
/* Become a shell that runs it, in a process made for that. */
_Noreturn void leg_shell(const char *command);

#endif
