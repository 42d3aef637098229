/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * `dxmit probe`: what this machine and interface can do; with -d or -n also a
 * short run and what bound its rate.
 */
#include "command.h"
#include "message.h"
#include "output_file.h"
#include "probe.h"

int cmd_probe(const struct config *config)
{
	struct config run = *config;
	struct probe probe;
	FILE *out;
	int code = probe_run(config, &probe);

	if (code)
		return code;
	if (!output_is_stdout(config->json))
		probe_text(&probe, stdout);
	if (config->duration_ns || config->count_given) {
		run.probe = true;
		return cmd_tx(&run); /* writes the JSON, if any, of the run */
	}
	if (!config->json)
		return EXIT_DONE;
	code = output_open(config->json, &out);
	return code ? code
		    : output_close(config->json, out, probe_json(&probe, config, out));
}
