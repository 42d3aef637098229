/* SPDX-License-Identifier: BSD-2-Clause */
/* The files of compare_outputs.h. */
#include <errno.h>
#include <string.h>

#include "compare_outputs.h"
#include "judgement.h"
#include "message.h"
#include "output_file.h"

/* Two names of one file, such as a link: each would write over the other. */
static int check_files(const struct compare_outputs *out)
{
	size_t i, j;

	for (i = 0; i < COMPARE_FORMATS; i++)
		for (j = 0; j < i; j++)
			if (out->file[i] && out->file[j] &&
			    output_same_file(out->file[i], out->file[j]))
				return fail(EXIT_USAGE, out->path[i],
					    "is the same file as %s; give each output "
					    "its own",
					    out->path[j]);
	return 0;
}

int compare_outputs_open(const struct config *config, struct compare_outputs *out)
{
	bool stdout_taken = false;
	int code = 0;
	size_t i;

	memset(out, 0, sizeof(*out));
	out->verbose = config->verbose;
	out->path[COMPARE_JSON] = config->json;
	out->path[COMPARE_CSV] = config->csv;
	out->path[COMPARE_MARKDOWN] = config->markdown;
	out->path[COMPARE_HTML] = config->html;
	for (i = 0; i < COMPARE_FORMATS && !code; i++) {
		if (!out->path[i])
			continue;
		code = output_open(out->path[i], &out->file[i]);
		stdout_taken |= out->file[i] == stdout;
	}
	if (!code && !stdout_taken) {
		out->path[COMPARE_TEXT] = "standard output";
		out->file[COMPARE_TEXT] = stdout;
	}
	return code ? code : check_files(out);
}

static int write_one(enum compare_format format, bool verbose, const struct comparison *c,
		     const struct judgement *judgement, FILE *out)
{
	switch (format) {
	case COMPARE_TEXT:
		if (verbose)
			comparison_text_verbose(c, judgement, out);
		else
			comparison_text(c, judgement, out);
		return 0;
	case COMPARE_JSON:
		return comparison_write_json(c, out);
	case COMPARE_CSV:
		comparison_csv(c, out);
		return 0;
	case COMPARE_MARKDOWN:
		comparison_markdown(c, judgement, out);
		return 0;
	default:
		return comparison_html(c, judgement, out);
	}
}

/* Returns 0, or an exit code after the one line on stderr. */
static int write_to(struct compare_outputs *outputs, enum compare_format format,
		    const struct comparison *comparison,
		    const struct judgement *judgement)
{
	FILE *out = outputs->file[format];
	int err;

	if (!out)
		return 0;
	err = write_one(format, outputs->verbose, comparison, judgement, out);
	if (!err && (fflush(out) == EOF || ferror(out)))
		err = errno ? -errno : -EIO;
	return err ? output_failed(outputs->path[format], err) : 0;
}

/* Those that can be written are, whatever becomes of the others: what took hours to
 * measure is not to be lost with one full disk. */
int compare_outputs_write(const struct comparison *comparison,
			  struct compare_outputs *outputs)
{
	struct judgement judgement;
	bool judged = !judge(comparison, &judgement);
	int code = 0;
	size_t i;

	if (!judged)
		code = fail(EXIT_RUNTIME, "compare",
			    "out of memory; free some and try "
			    "again");
	for (i = 0; i < COMPARE_FORMATS; i++) {
		/* These say what was measured, and nothing of what follows. */
		bool plain = i == COMPARE_JSON || i == COMPARE_CSV;
		int failed = judged || plain ? write_to(outputs, (enum compare_format)i,
							comparison, &judgement)
					     : 0;

		code = code ? code : failed;
	}
	judgement_free(&judgement);
	return code;
}

void compare_outputs_close(struct compare_outputs *outputs)
{
	size_t i;

	for (i = 0; i < COMPARE_FORMATS; i++) {
		if (outputs->file[i] && outputs->file[i] != stdout)
			fclose(outputs->file[i]);
		outputs->file[i] = NULL;
	}
}
