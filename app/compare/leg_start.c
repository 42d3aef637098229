/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The start of a leg in its child process: `dxmit tx` as a function, a yardstick,
 * or a command. The parent has looked after route, sandbox and plan; the child
 * gives up its privileges as a run of its own would.
 */
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "leg_start.h"
#include "message.h"
#include "options.h"
#include "signals.h"
#include "yardstick.h"

/* The configuration of a run without end that reports to standard output. */
static void make_config(const struct leg_task *task, struct config *config)
{
	*config = task->setting->config;
	config->interface = task->nic->name;
	config->sandbox = false; /* we are in it */
	config->force = true;    /* the parent has looked at the routes */
	config->count_given = false;
	config->count = 0;
	config->duration_ns = 0;
	config->interval_ns = 0;
	config->json = "-";
	config->csv = NULL;
	config->prometheus = NULL;
	config->dry_run = false;
	leg_configure(task->leg, config);
}

static int run_xdp(const struct config *config)
{
	static const struct command tx = { "tx", "", NULL, COMMAND_TX };
	/* The sweeps and the leg's settings together; nothing else was given
	 * that the parent has not checked. */
	int code = options_check(&tx, config, OPTION_BIT(OPT_INTERFACE));

	return code ? code : cmd_tx(config);
}

static int run_yardstick(const struct leg_task *task, const struct config *config)
{
	struct yardstick yardstick = {
		.kind = task->leg->kind,
		.config = config,
		.nic = task->nic,
		.plan = task->setting->plan,
		.stop_fd = signals_open(),
	};

	if (yardstick.stop_fd < 0)
		return fail(EXIT_RUNTIME, "signals",
			    "cannot be taken: %s; check "
			    "`ulimit -n`",
			    strerror(-yardstick.stop_fd));
	return yardstick_run(&yardstick, stdout);
}

static int run_command(const struct leg_task *task)
{
	const struct compare_setting *s = task->setting;
	char *command =
		leg_expand(task->leg->command, task->nic->name, s->plan->queue[0].queue,
			   s->plan->queue[0].cpu, s->config.wire_size);
	int code;

	if (!command)
		return fail(EXIT_RUNTIME, "exec", "out of memory; free some");
	code = leg_exec(command, s->cpus.cpu, s->cpus.cpus);
	free(command);
	return code;
}

int leg_start(const void *context)
{
	const struct leg_task *task = context;
	struct config config;

	if (task->leg->kind == LEG_EXEC)
		return run_command(task);
	make_config(task, &config);
	return leg_is_xdp(task->leg->kind) ? run_xdp(&config)
					   : run_yardstick(task, &config);
}
