/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * `dxmit report`: a saved comparison shown again, or several held against the first
 * of them.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "comparison_runs.h"
#include "message.h"
#include "output_file.h"

struct files {
	const struct config *config;
	struct comparison comparison[CONFIG_INPUTS];
	struct comparison_run run[CONFIG_INPUTS];
	struct judgement judgement; /* of the first, if it is the only one */
};

static int read_files(struct files *files)
{
	const struct config *config = files->config;
	size_t i;
	int code;

	for (i = 0; i < config->inputs; i++) {
		code = comparison_read_json(config->input[i], &files->comparison[i]);
		if (code)
			return code;
		files->run[i] = (struct comparison_run){ config->input[i],
							 &files->comparison[i] };
	}
	if (config->inputs == 1 && judge(&files->comparison[0], &files->judgement))
		return fail(EXIT_RUNTIME, config->input[0],
			    "out of memory; free some and try again");
	return 0;
}

/* ---- each form, of one file or of several; 0 or -errno ---- */

static int write_text(const struct files *files, FILE *out)
{
	const struct comparison *c = &files->comparison[0];

	if (files->config->inputs > 1)
		comparison_runs_text(files->run, files->config->inputs, out);
	else if (files->config->verbose)
		comparison_text_verbose(c, &files->judgement, out);
	else
		comparison_text(c, &files->judgement, out);
	return 0;
}

static int write_markdown(const struct files *files, FILE *out)
{
	if (files->config->inputs > 1)
		comparison_runs_markdown(files->run, files->config->inputs, out);
	else
		comparison_markdown(&files->comparison[0], &files->judgement, out);
	return 0;
}

static int write_html(const struct files *files, FILE *out)
{
	if (files->config->inputs > 1)
		return comparison_runs_html(files->run, files->config->inputs, out);
	return comparison_html(&files->comparison[0], &files->judgement, out);
}

static int write_csv(const struct files *files, FILE *out)
{
	comparison_csv(&files->comparison[0], out);
	return 0;
}

static int write_json(const struct files *files, FILE *out)
{
	return comparison_write_json(&files->comparison[0], out);
}

/* ---- where to ---- */

typedef int (*write_fn)(const struct files *files, FILE *out);

static int write_one(const struct files *files, const char *path, write_fn write)
{
	FILE *out;
	int err, code = output_open(path, &out);

	if (code)
		return code;
	err = write(files, out);
	errno = 0;
	if (!err && (fflush(out) == EOF || ferror(out)))
		err = errno ? -errno : -EIO;
	return output_close(path, out, err);
}

static int write_all(const struct files *files)
{
	const struct config *config = files->config;
	const struct {
		const char *path;
		write_fn write;
	} outputs[] = {
		{ config->json, write_json },
		{ config->csv, write_csv },
		{ config->markdown, write_markdown },
		{ config->html, write_html },
	};
	bool stdout_taken = false;
	size_t i;
	int code;

	for (i = 0; i < sizeof(outputs) / sizeof(outputs[0]); i++) {
		code = outputs[i].path
			       ? write_one(files, outputs[i].path, outputs[i].write)
			       : 0;
		if (code)
			return code;
		stdout_taken |= output_is_stdout(outputs[i].path);
	}
	return stdout_taken ? 0 : write_one(files, "-", write_text);
}

int cmd_report(const struct config *config)
{
	struct files *files = calloc(1, sizeof(*files));
	size_t i;
	int code;

	if (!files)
		return fail(EXIT_RUNTIME, "report", "out of memory; free some");
	files->config = config;
	code = read_files(files);
	if (!code)
		code = write_all(files);
	for (i = 0; i < config->inputs; i++)
		comparison_free(&files->comparison[i]);
	judgement_free(&files->judgement);
	free(files);
	return code;
}
