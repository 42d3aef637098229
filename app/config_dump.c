/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The settings in effect as a configuration file: what was given as keys, the
 * defaults as comments. A default written as a key would count as given, and
 * might then contradict something.
 */
#include "config_file.h"
#include "config_schema.h"
#include "message.h"

static char yes[] = "true";

static void print_defaults(const struct command *command, option_set given, FILE *out)
{
	size_t i;

	fputs("# not given:\n", out);
	for (i = 0; i < OPTIONS; i++) {
		const struct option_row *row = &option_table[i];
		const char *fallback = row->fallback ? row->fallback : row->otherwise;

		if (config_is_key(row) && (row->commands & command->mask) &&
		    !option_in(given, (enum option_id)i))
			fprintf(out, "# %s: %s\n", row->name,
				fallback ? fallback : "false");
	}
}

int config_dump(const struct command *command, option_set given,
		const char *const text[OPTIONS], const struct config_file *file,
		FILE *out)
{
	struct config_text written = { 0 };
	cyaml_err_t err;
	size_t i;

	for (i = 0; i < OPTIONS; i++)
		if (option_in(given, (enum option_id)i) &&
		    config_is_key(&option_table[i]))
			written.value[i] = text[i] ? (char *)text[i] : yes;
	if (file) {
		written.stream = config_file_text(file)->stream;
		written.streams = config_file_text(file)->streams;
	}
	fprintf(out, "# dxmit %s --config FILE\n", command->name);
	err = config_text_save(&written, out);
	if (err != CYAML_OK)
		return fail(err == CYAML_ERR_OOM ? EXIT_RUNTIME : EXIT_USAGE,
			    "--dump-config",
			    "a value cannot be written as YAML: %s; use text in UTF-8",
			    cyaml_strerror(err));
	print_defaults(command, given, out);
	return 0;
}
