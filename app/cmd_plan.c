/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * `dxmit plan`: print the placement without sending anything: as text, and as
 * JSON with --json (only as JSON when that goes to stdout). Needs no privilege
 * and changes nothing.
 */
#include <errno.h>
#include <stdio.h>

#include "command.h"
#include "content.h"
#include "message.h"
#include "output_file.h"
#include "planning.h"
#include "report.h"

static int read_nic(const struct config *config, struct dxmit_nic *nic)
{
	struct dxmit_error error = { 0 };

	if (config->sandbox) {
		planning_sandbox_nic(config, nic);
		return EXIT_DONE;
	}
	if (dxmit_nic_read(config->interface, nic, &error) < 0)
		return fail_library(&error);
	return EXIT_DONE;
}

static int print_text(const struct report *report)
{
	errno = 0;
	plan_text(report, stdout);
	if (fflush(stdout) == EOF || ferror(stdout))
		return output_failed("-", -errno);
	return EXIT_DONE;
}

static int print_json(const struct report *report, const char *path)
{
	FILE *out;
	int code = output_open(path, &out);

	return code ? code : output_close(path, out, plan_json(report, out));
}

static int print_plan(const struct config *config, const struct dxmit_nic *nic,
		      const struct dxmit_plan *plan, const struct content *content,
		      const struct schedule *schedule)
{
	const struct report report = {
		.command = "plan",
		.config = config,
		.nic = nic,
		.plan = plan,
		.frame_length = content->longest,
		.frame_shortest = content->length ? 0 : content_shortest(content),
		.schedule = schedule,
		.asked_micro_pps = report_asked_micro_pps(config, schedule, 0),
	};
	int code = EXIT_DONE;

	if (!output_is_stdout(config->json))
		code = print_text(&report);
	if (code == EXIT_DONE && config->json)
		code = print_json(&report, config->json);
	return code;
}

/* Placement and times of what would be sent. `config` may be amended. */
static int show_plan(struct config *config, const struct dxmit_nic *nic,
		     const struct content *content)
{
	struct dxmit_topology *topology;
	struct schedule schedule;
	struct dxmit_plan *plan;
	int code = content_schedule(content, nic, config, &schedule);

	if (code == EXIT_DONE)
		code = make_plan(config, nic, &topology, &plan);
	if (code != EXIT_DONE)
		return code;
	code = print_plan(config, nic, plan, content, &schedule);
	dxmit_plan_free(&plan);
	dxmit_topology_free(&topology);
	return code;
}

int cmd_plan(const struct config *config)
{
	struct config amended = *config;
	struct content content = { 0 };
	struct dxmit_nic nic;
	int code = read_nic(config, &nic);

	if (code != EXIT_DONE)
		return code;
	code = content_make(config, &nic, &content);
	if (code == EXIT_DONE)
		code = show_plan(&amended, &nic, &content);
	content_free(&content);
	return code;
}
