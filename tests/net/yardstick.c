/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Runs one yardstick as a child of `dxmit compare` does.
 *
 *	yardstick KIND OPTION…            options are those of `dxmit tx`
 *	yardstick clean KIND OPTION…      only remove what such a run left behind
 *
 * KIND is the leg's name, as af_packet-ring. Prints the JSON document on stdout.
 * Exit: the code of the run.
 */
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "command.h"
#include "message.h"
#include "options.h"
#include "planning.h"
#include "sandbox.h"
#include "signals.h"
#include "yardstick_parts.h"

static int find_kind(const char *name, enum leg_kind *kind)
{
	int i;

	for (i = LEG_AF_PACKET; i <= LEG_PKTGEN_RX; i++)
		if (!strcmp(leg_kind_name((enum leg_kind)i), name)) {
			*kind = (enum leg_kind)i;
			return 0;
		}
	return fail(EXIT_USAGE, name, "no such yardstick; see app/compare/leg.c");
}

static int read_interface(const struct config *config, struct dxmit_nic *nic)
{
	static struct sandbox sandbox;
	const char *name = config->interface;
	struct dxmit_error error = { 0 };
	int code = 0;

	if (config->sandbox) {
		code = sandbox_open(config->sandbox_queues, &sandbox);
		if (!code)
			code = yardstick_prepare_sandbox(config, sandbox.ifindex);
		name = SANDBOX_INTERFACE;
	}
	if (!code && dxmit_nic_read(name, nic, &error) < 0)
		code = fail_library(&error);
	return code;
}

static int run(enum leg_kind kind, const struct config *config, bool clean)
{
	static struct dxmit_nic nic;
	struct dxmit_topology *topology = NULL;
	struct dxmit_plan *plan = NULL;
	struct yardstick yardstick = { .kind = kind, .config = config, .nic = &nic };
	int code = read_interface(config, &nic);

	if (!code)
		code = make_plan(config, &nic, &topology, &plan);
	if (code)
		return code;
	yardstick.plan = plan;
	yardstick.stop_fd = signals_open();
	if (!clean)
		code = yardstick_run(&yardstick, stdout);
	yardstick_clean_up(kind, &nic, plan);
	dxmit_plan_free(&plan);
	dxmit_topology_free(&topology);
	return code;
}

int main(int argc, char **argv)
{
	struct config config;
	enum leg_kind kind = LEG_COPY;
	bool clean = argc > 2 && !strcmp(argv[1], "clean");
	int code;

	if (argc < 2 + clean)
		return EXIT_USAGE;
	signal(SIGPIPE, SIG_IGN);
	code = find_kind(argv[1 + clean], &kind);
	if (code)
		return code;
	code = options_parse(&commands[0], argc - 1 - clean, argv + 1 + clean, &config);
	if (!code)
		code = run(kind, &config, clean);
	config_free(&config);
	return code;
}
