/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Configuration files: read whole, walked through for their lines, loaded by
 * the schema, and stored option by option as if on the command line.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "config_file.h"
#include "config_schema.h"
#include "config_streams.h"
#include "config_walk.h"
#include "message.h"

struct config_file {
	char *name; /* in messages */
	struct config_marks marks;
	struct config_schema schema;
	struct config_text *text;
	char *joined[OPTIONS]; /* lists as the flag takes them */
	option_set taken;      /* what was stored of it */
};

#define BIT(id) OPTION_BIT(id)
#define TARGETS (BIT(OPT_INTERFACE) | BIT(OPT_SANDBOX))
#define MODES (BIT(OPT_COPY) | BIT(OPT_ZERO_COPY))
#define CPU_CHOICES (BIT(OPT_CPUS) | BIT(OPT_AVOID_IRQ_CPUS))
#define TIMINGS (BIT(OPT_RATE) | BIT(OPT_PROFILE) | BIT(OPT_BURST))

/*
 * Any of these flags on the command line takes the place of all these keys of
 * the file, which would else contradict it or have no effect.
 */
static const struct {
	option_set flags, keys;
} replacements[] = {
	{ TARGETS, TARGETS },
	{ MODES, MODES },
	{ CPU_CHOICES, CPU_CHOICES },
	{ TIMINGS, TIMINGS },
	{ BIT(OPT_SANDBOX), BIT(OPT_FORCE) },
	{ BIT(OPT_DRY_RUN), BIT(OPT_CSV) | BIT(OPT_PROMETHEUS) },
};

static bool is_replaced(option_set flags, enum option_id key)
{
	size_t i;

	for (i = 0; i < sizeof(replacements) / sizeof(replacements[0]); i++)
		if (option_in(replacements[i].keys, key) &&
		    (replacements[i].flags & flags))
			return true;
	return option_in(flags, key);
}

/* ---- reading ---- */

static int fail_memory(const char *name)
{
	return fail(EXIT_RUNTIME, name, "out of memory; free some and try again");
}

static int fail_read(const char *name, int err)
{
	return fail(EXIT_USAGE, name,
		    "cannot be read: %s; name a configuration file, or - for standard "
		    "input",
		    strerror(err));
}

/* The items with commas between them, as the flag takes them. */
static char *join(char *const *item, size_t count)
{
	size_t length = 1, at = 0, i;
	char *text;

	for (i = 0; i < count; i++)
		length += strlen(item[i]) + 1;
	text = malloc(length);
	for (i = 0; text && i < count; i++) {
		if (i > 0)
			text[at++] = ',';
		at += strlen(strcpy(text + at, item[i]));
	}
	return text;
}

static int join_lists(struct config_file *file)
{
	size_t i;

	for (i = 0; i < OPTIONS; i++) {
		if (!file->marks.list[i])
			continue;
		file->joined[i] = join(file->text->item[i], file->text->item_count[i]);
		if (!file->joined[i])
			return fail_memory(file->name);
	}
	return 0;
}

static int load(struct config_file *file, const char *yaml, size_t length)
{
	int code = config_walk(file->name, yaml, length, &file->marks);
	cyaml_err_t err;

	if (code)
		return code;
	config_schema_make(&file->schema, file->marks.list);
	err = config_text_load(&file->schema, yaml, length, &file->text);
	if (err == CYAML_ERR_OOM)
		return fail_memory(file->name);
	if (err != CYAML_OK)
		return fail(EXIT_INTERNAL, file->name,
			    "libcyaml refuses it without a line: %s; please report it",
			    cyaml_strerror(err));
	return join_lists(file);
}

int config_file_parse(const char *name, const char *yaml, size_t length,
		      struct config_file **file)
{
	static const char byte_order_mark[] = { '\xef', '\xbb', '\xbf' };
	const size_t mark = sizeof(byte_order_mark);
	int code;

	if (length >= mark && memcmp(yaml, byte_order_mark, mark) == 0) {
		yaml += mark;
		length -= mark;
	}
	*file = calloc(1, sizeof(**file));
	if (!*file || !((*file)->name = strdup(name)))
		code = fail_memory(name);
	else
		code = load(*file, yaml, length);
	if (code) {
		config_file_free(*file);
		*file = NULL;
	}
	return code;
}

/* Up to `room` bytes. Returns how many, or -errno. */
static ssize_t read_whole(int fd, char *buf, size_t room)
{
	size_t length = 0;
	ssize_t n;

	do {
		n = read(fd, buf + length, room - length);
		if (n > 0)
			length += (size_t)n;
	} while (n > 0 || (n < 0 && errno == EINTR));
	return n < 0 ? -errno : (ssize_t)length;
}

static int parse_descriptor(const char *name, int fd, struct config_file **file)
{
	char *yaml = malloc(CONFIG_FILE_MAX_BYTES + 1);
	ssize_t length;
	int code;

	if (!yaml)
		return fail_memory(name);
	/* One byte more than may be there tells that there is too much. */
	length = read_whole(fd, yaml, CONFIG_FILE_MAX_BYTES + 1);
	if (length < 0)
		code = fail_read(name, (int)-length);
	else if (length > CONFIG_FILE_MAX_BYTES)
		code = fail(EXIT_USAGE, name,
			    "is larger than a configuration file may be; use at most %d "
			    "bytes",
			    CONFIG_FILE_MAX_BYTES);
	else
		code = config_file_parse(name, yaml, (size_t)length, file);
	free(yaml);
	return code;
}

int config_file_read(const char *path, struct config_file **file)
{
	int fd, code;

	*file = NULL;
	if (strcmp(path, "-") == 0)
		return parse_descriptor("standard input", STDIN_FILENO, file);
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	if (fd < 0)
		return fail_read(path, errno);
	code = parse_descriptor(path, fd, file);
	close(fd);
	return code;
}

bool config_file_place(const void *context, const char *object, char *buf, size_t len)
{
	const struct config_file *file = context;
	char flag[OPTION_FLAG_LEN];
	size_t i;

	if (file->marks.streams_line && strcmp(object, CONFIG_STREAMS_KEY) == 0) {
		snprintf(buf, len, "%s:%zu: key %s", file->name, file->marks.streams_line,
			 object);
		return true;
	}
	for (i = 0; i < OPTIONS; i++) {
		const char *name = option_table[i].name;

		option_flag(&option_table[i], flag);
		if (!option_in(file->taken, (enum option_id)i) ||
		    (strcmp(object, flag) != 0 &&
		     (strncmp(object, "--", 2) != 0 || strcmp(object + 2, name) != 0)))
			continue;
		snprintf(buf, len, "%s:%zu: key %s", file->name, file->marks.line[i],
			 name);
		return true;
	}
	return false;
}

const struct config_text *config_file_text(const struct config_file *file)
{
	return file->text;
}

void config_file_free(struct config_file *file)
{
	size_t i;

	if (!file)
		return;
	for (i = 0; i < OPTIONS; i++)
		free(file->joined[i]);
	if (file->text)
		config_text_free(&file->schema, file->text);
	free(file->name);
	free(file);
}

/* ---- storing ---- */

/*
 * What the option would get on the command line: *text, or no option at all.
 * Returns false for a switch that is neither.
 */
static bool as_flag(const struct option_row *row, const char *value, const char **text,
		    bool *present)
{
	bool off = strcmp(value, "false") == 0;

	*text = value;
	*present = true;
	if (row->argument && row->type != VALUE_SANDBOX)
		return true;
	*present = !off;
	if (off || strcmp(value, "true") == 0)
		*text = NULL;
	return row->argument || *text == NULL;
}

static int store(const struct config_file *file, enum option_id id, struct config *config,
		 const char **text, bool *present)
{
	const struct option_row *row = &option_table[id];
	const char *value = file->joined[id] ? file->joined[id] : file->text->value[id];
	char legal[CONFIG_LEGAL_LEN];
	struct parse_reason reason;
	bool good;

	if (!as_flag(row, value, text, present))
		good = parse_refuse(&reason, value, "neither true nor false");
	else
		good = !*present || option_store(row, *text, config, &reason);
	if (good)
		return 0;
	config_legal(row, legal);
	return config_refuse(file->name, file->marks.line[id], row->name, "%s; use %s",
			     reason.text, legal);
}

int config_file_apply(struct config_file *file, const struct command *command,
		      struct config *config, option_set *given, const char *text[OPTIONS])
{
	const option_set flags = *given;
	struct config unused = { 0 };
	int code = 0;
	size_t i;

	for (i = 0; !code && i < OPTIONS; i++) {
		const struct option_row *row = &option_table[i];
		bool used = (row->commands & command->mask) &&
			    !is_replaced(flags, (enum option_id)i);
		const char *value;
		bool present;

		if (!file->marks.line[i])
			continue;
		code = store(file, (enum option_id)i, used ? config : &unused, &value,
			     &present);
		if (code || !used || !present)
			continue;
		text[i] = value;
		file->taken |= BIT(i);
		option_mark_given(row, config, given);
	}
	config_free(&unused);
	return code ? code
		    : config_streams_apply(file->name, &file->marks, file->text, config);
}
