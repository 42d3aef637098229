/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * `dxmit probe`: what this machine and interface can do; with -d or -n also a
 * short run and what bound its rate.
 */
#include <errno.h>
#include <string.h>

#include "command.h"
#include "message.h"
#include "probe.h"

int cmd_probe(const struct config *config)
{
	bool json_only = config->json && strcmp(config->json, "-") == 0;
	struct config run = *config;
	struct probe probe;
	FILE *out;
	int err = probe_run(config, &probe);

	if (err)
		return err;
	if (!json_only)
		probe_text(&probe, stdout);
	if (config->duration_ns || config->count_given) {
		run.probe = true;
		return cmd_tx(&run); /* writes the JSON, if any, of the run */
	}
	if (!config->json)
		return EXIT_DONE;
	out = json_only ? stdout : fopen(config->json, "we");
	if (!out)
		return fail(EXIT_RUNTIME, config->json,
			    "cannot open for writing: %s; "
			    "check the path and its permissions",
			    strerror(errno));
	err = probe_json(&probe, config, out);
	if (out != stdout && fclose(out) != 0 && !err)
		err = -errno;
	if (err)
		return fail(EXIT_RUNTIME, config->json,
			    "write failed: %s; check the disk "
			    "or the reader",
			    strerror(-err));
	return EXIT_DONE;
}
