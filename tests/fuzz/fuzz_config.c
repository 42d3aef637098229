/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Configuration files of any content: refused with a line or stored, and what
 * was stored is written as a file that is taken again and says the same.
 */
#include "message.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t length);

#define NAME "fuzz"

struct setting {
	struct config config;
	struct config_file *file;
	option_set given;
	const char *text[OPTIONS];
};

static bool set(struct setting *setting, const char *yaml, size_t length)
{
	memset(setting, 0, sizeof(*setting));
	return config_file_parse(NAME, yaml, length, &setting->file) == 0 &&
	       config_file_apply(setting->file, &commands[0], &setting->config,
				 &setting->given, setting->text) == 0;
}

static void unset(struct setting *setting)
{
	config_free(&setting->config);
	config_file_free(setting->file);
}

static char *dump(const struct setting *setting, size_t *length)
{
	char *text = NULL;
	FILE *out = open_memstream(&text, length);

	if (!out ||
	    config_dump(&commands[0], setting->given, setting->text, setting->file, out))
		abort();
	fclose(out);
	return text;
}

static void check_round_trip(const struct setting *setting)
{
	size_t length, second_length;
	char *written = dump(setting, &length), *second;
	struct setting again;

	/* A file of false switches alone has nothing to write. */
	if (setting->given || setting->config.streams) {
		if (!set(&again, written, length) || again.given != setting->given)
			abort();
		second = dump(&again, &second_length);
		if (length != second_length || memcmp(written, second, length) != 0)
			abort();
		free(second);
		unset(&again);
	}
	free(written);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t length)
{
	struct setting setting;

	/* Only the first error of a process is printed: one line a search. */
	if (set(&setting, (const char *)data, length))
		check_round_trip(&setting);
	unset(&setting);
	return 0;
}
