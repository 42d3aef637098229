/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The command line: argp with an option list made from the table, and our own
 * one line for everything argp would complain about.
 */
#include <argp.h>
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config_file.h"
#include "message.h"
#include "nearest.h"
#include "options.h"
#include "planning.h"
#include "streams.h"
#include "template.h"

#define LONG_KEY 256 /* keys of options without a letter start here */
#define SHOWN_LEN 64 /* of what the user typed, in a message */

struct parse {
	const struct command *command;
	struct config *config;
	const struct argp *argp;
	option_set given;          /* options seen so far */
	const char *text[OPTIONS]; /* their values; NULL: none */
	int result;                /* exit code or OPTIONS_DONE once decided */
};

static int key_of(const struct option_row *row)
{
	return row->letter ? row->letter : LONG_KEY + (int)(row - option_table);
}

/* That of the command, or else of another. */
static const struct option_row *row_of_key(const struct parse *parse, int key)
{
	const struct option_row *elsewhere = NULL;
	size_t i;

	for (i = 0; i < OPTIONS; i++) {
		const struct option_row *row = &option_table[i];

		if (key_of(row) != key)
			continue;
		if (row->commands & parse->command->mask)
			return row;
		elsewhere = row;
	}
	return elsewhere;
}

/* ---- errors ---- */

static int fail_value(const struct option_row *row, const struct parse_reason *reason)
{
	char legal[OPTION_LEGAL_LEN], flag[OPTION_FLAG_LEN];

	option_legal(row, legal);
	option_flag(row, flag);
	return fail(EXIT_USAGE, flag, "%s; use %s", reason->text, legal);
}

static int fail_missing_value(const struct option_row *row)
{
	char legal[OPTION_LEGAL_LEN], flag[OPTION_FLAG_LEN];

	option_legal(row, legal);
	option_flag(row, flag);
	return fail(EXIT_USAGE, flag, "needs a value; use %s", legal);
}

static int fail_stray(const struct parse *parse, const char *argument)
{
	char shown[SHOWN_LEN];

	parse_printable(shown, sizeof(shown), argument);
	/* An optional value must be part of the word; people forget. */
	if (option_in(parse->given, OPT_SANDBOX) && argument[0] >= '0' &&
	    argument[0] <= '9')
		return fail(EXIT_USAGE, shown,
			    "belongs to no option; for the number of "
			    "queues write --sandbox=%s",
			    shown);
	return fail(EXIT_USAGE, argument[0] ? shown : "''",
		    "'dxmit %s' takes no such argument; options begin with -, see "
		    "'dxmit %s --help'",
		    parse->command->name, parse->command->name);
}

/* An option that exists, but not for this command. */
static int fail_elsewhere(const struct parse *parse, const struct option_row *row)
{
	char names[24 * COMMANDS] = "", flag[OPTION_FLAG_LEN];
	unsigned takers = 0;
	size_t i, at = 0;

	for (i = 0; i < OPTIONS; i++)
		if (strcmp(option_table[i].name, row->name) == 0)
			takers |= option_table[i].commands & ~parse->command->mask;
	for (i = 0; i < COMMANDS; i++)
		if (takers & commands[i].mask)
			at += (size_t)snprintf(names + at, sizeof(names) - at,
					       "%s'dxmit %s'", at ? " and " : "",
					       commands[i].name);
	option_flag(row, flag);
	return fail(EXIT_USAGE, flag,
		    "is no option of 'dxmit %s' but of %s; leave it out",
		    parse->command->name, names);
}

static int fail_unknown(const struct parse *parse, const char *flag, const char *meant)
{
	if (meant)
		return fail(
			EXIT_USAGE, flag,
			"no such option; perhaps --%s is meant, see 'dxmit %s --help'",
			meant, parse->command->name);
	return fail(EXIT_USAGE, flag, "no such option; see 'dxmit %s --help'",
		    parse->command->name);
}

static int fail_letter(const struct parse *parse, int letter)
{
	const char flag[] = { '-', letter > ' ' && letter <= '~' ? (char)letter : '?',
			      0 };
	const struct option_row *row = row_of_key(parse, letter);

	if (row)
		return fail_elsewhere(parse, row);
	return fail_unknown(parse, flag, NULL);
}

/* An abbreviation that fits several options of this command. */
static int fail_ambiguous(const char *flag, const struct option_row *first,
			  const struct option_row *second)
{
	return fail(EXIT_USAGE, flag, "could be --%s or --%s; write the option out",
		    first->name, second->name);
}

/* `argument` begins with "--" and is unknown to getopt or ambiguous. */
static int fail_long(const struct parse *parse, const char *argument)
{
	const struct option_row *fits[2] = { NULL, NULL };
	const struct option_row *near = NULL, *elsewhere = NULL;
	char flag[SHOWN_LEN];
	size_t length, fit = 0, i;

	parse_printable(flag, sizeof(flag), argument);
	flag[strcspn(flag, "=")] = '\0';
	length = strlen(flag + 2);
	for (i = 0; i < OPTIONS; i++) {
		const struct option_row *row = &option_table[i];

		if (!(row->commands & parse->command->mask)) {
			if (strcmp(row->name, flag + 2) == 0)
				elsewhere = row;
			continue;
		}
		if (strncmp(row->name, flag + 2, length) == 0 && fit < 2)
			fits[fit++] = row;
		if (!near && nearest_matches(flag + 2, row->name))
			near = row;
	}
	if (elsewhere)
		return fail_elsewhere(parse, elsewhere);
	if (fit == 2)
		return fail_ambiguous(flag, fits[0], fits[1]);
	return fail_unknown(parse, flag, near ? near->name : NULL);
}

/* ---- what argp does not tell ---- */

static int argument_kind(const struct option_row *row)
{
	if (!row->argument)
		return no_argument;
	return row->type == VALUE_SANDBOX ? optional_argument : required_argument;
}

/* The command's options as getopt_long() wants them. */
static void make_getopt(unsigned mask, struct option *longs, char *shorts)
{
	size_t i;

	*shorts++ = ':'; /* makes a missing value distinct from '?' */
	for (i = 0; i < OPTIONS; i++) {
		const struct option_row *row = &option_table[i];

		if (!(row->commands & mask))
			continue;
		*longs++ = (struct option){ row->name, argument_kind(row), NULL,
					    key_of(row) };
		if (!row->letter)
			continue;
		*shorts++ = row->letter;
		if (row->argument)
			*shorts++ = ':';
	}
	*longs = (struct option){ NULL, 0, NULL, 0 };
	*shorts = '\0';
}

/*
 * argp keeps to itself which option it did not like. Run the same line through
 * getopt_long() once more and stop where it stops.
 */
static int diagnose(const struct parse *parse, int argc, char **argv)
{
	struct option longs[OPTIONS + 1];
	char shorts[2 * OPTIONS + 2];
	const struct option_row *row;
	int answer;

	make_getopt(parse->command->mask, longs, shorts);
	opterr = 0;
	optind = 0; /* glibc: start over */
	do {
		answer = getopt_long(argc, argv, shorts, longs, NULL);
	} while (answer != -1 && answer != '?' && answer != ':');

	row = optopt ? row_of_key(parse, optopt) : NULL;
	if (answer == ':' && row)
		return fail_missing_value(row);
	if (answer == '?' && optopt == 0)
		return fail_long(parse, argv[optind - 1]);
	if (answer == '?' && row && (row->commands & parse->command->mask)) {
		char flag[OPTION_FLAG_LEN];

		option_flag(row, flag);
		return fail(EXIT_USAGE, flag, "takes no value; use %s alone", flag);
	}
	if (answer == '?')
		return fail_letter(parse, optopt);
	return fail(EXIT_INTERNAL, parse->command->name,
		    "the command line was refused without a reason; please report it");
}

/* ---- help and version ---- */

static void print_help(const struct parse *parse)
{
	char name[32];

	snprintf(name, sizeof(name), "dxmit %s", parse->command->name);
	argp_help(parse->argp, stdout,
		  ARGP_HELP_SHORT_USAGE | ARGP_HELP_LONG | ARGP_HELP_DOC, name);
}

/* Help of one option: sentence, legal values, default. NULL: no memory. */
static char *help_text(const struct option_row *row)
{
	const char *fallback = row->fallback ? row->fallback : row->otherwise;
	char legal[OPTION_LEGAL_LEN];
	char *text;
	int length;

	option_legal(row, legal);
	length = asprintf(&text, "%s%s%s%s%s%s%s", row->help, legal[0] ? " Legal: " : "",
			  legal, legal[0] ? "." : "", fallback ? " Default: " : "",
			  fallback ? fallback : "", fallback ? "." : "");
	return length < 0 ? NULL : text;
}

static char *heading(const char *title)
{
	char *text;

	return asprintf(&text, "%s:", title) < 0 ? NULL : text;
}

/* argp's option list; the texts in it are allocated. At most
 * OPTIONS + OPTION_GROUPS + 1 entries. */
static bool make_argp_options(unsigned mask, struct argp_option *entry)
{
	int group = -1;
	size_t i;

	for (i = 0; i < OPTIONS; i++) {
		const struct option_row *row = &option_table[i];

		if (!(row->commands & mask))
			continue;
		/* argp sets help and version apart by itself. */
		if ((int)row->group != group && row->type != VALUE_ACTION) {
			group = (int)row->group;
			entry->doc = heading(option_group_titles[group]);
			entry->group = group + 1;
			if (!entry++->doc)
				return false;
		}
		entry->name = row->name;
		entry->key = key_of(row);
		entry->arg = row->argument;
		entry->flags =
			argument_kind(row) == optional_argument ? OPTION_ARG_OPTIONAL : 0;
		entry->doc = help_text(row);
		entry->group = group + 1;
		if (!entry++->doc)
			return false;
	}
	return true;
}

static void free_argp_options(struct argp_option *entry)
{
	for (; entry->doc; entry++)
		free((char *)entry->doc);
}

/* ---- parsing ---- */

static void act(struct parse *parse, const struct option_row *row)
{
	if (row == &option_table[OPT_HELP])
		print_help(parse);
	else
		printf("dxmit %s\n", DXMIT_VERSION_STRING);
	parse->result = OPTIONS_DONE;
}

/* A word that belongs to no option. */
static int take_argument(struct parse *parse, const char *argument)
{
	struct config *config = parse->config;

	if (parse->command->mask != COMMAND_REPORT)
		return fail_stray(parse, argument);
	if (config->inputs == CONFIG_INPUTS)
		return fail(EXIT_USAGE, parse->command->name,
			    "too many files are named; use at most %d", CONFIG_INPUTS);
	config->input[config->inputs++] = argument;
	return 0;
}

static error_t parse_one(int key, char *argument, struct argp_state *state)
{
	struct parse *parse = state->input;
	const struct option_row *row;
	struct parse_reason reason;

	if (key == ARGP_KEY_ARG) {
		parse->result = take_argument(parse, argument);
		return parse->result ? EINVAL : 0;
	}
	row = row_of_key(parse, key);
	if (!row)
		return ARGP_ERR_UNKNOWN; /* argp's own events */
	if (row->type == VALUE_ACTION) {
		act(parse, row);
		return ECANCELED;
	}
	if (row == &option_table[OPT_FRAME] && strcmp(argument, "help") == 0) {
		expression_help(stdout);
		parse->result = OPTIONS_DONE;
		return ECANCELED;
	}
	if (!option_store(row, argument, parse->config, &reason)) {
		parse->result = fail_value(row, &reason);
		return EINVAL;
	}
	option_mark_given(row, parse->config, &parse->given);
	parse->text[row - option_table] = argument;
	return 0;
}

static int store_defaults(struct config *config)
{
	struct parse_reason reason;
	size_t i;

	memset(config, 0, sizeof(*config));
	config->frame.size = sizeof(config->frame);
	for (i = 0; i < OPTIONS; i++) {
		const struct option_row *row = &option_table[i];

		if (row->fallback && !option_store(row, row->fallback, config, &reason))
			return fail(EXIT_INTERNAL, row->name,
				    "its default is refused: %s; please report it",
				    reason.text);
	}
	return 0;
}

static int run_argp(struct parse *parse, int argc, char **argv)
{
	bool takes_files = parse->command->mask == COMMAND_REPORT;
	struct argp_option entries[OPTIONS + OPTION_GROUPS + 1];
	struct argp argp = { .options = entries,
			     .parser = parse_one,
			     .args_doc = takes_files ? "FILE..." : NULL };
	error_t err;

	memset(entries, 0, sizeof(entries));
	if (!make_argp_options(parse->command->mask, entries)) {
		free_argp_options(entries);
		return fail(EXIT_RUNTIME, "command line",
			    "out of memory; free some and try again");
	}
	parse->argp = &argp;
	err = argp_parse(&argp, argc, argv, ARGP_SILENT, NULL, parse);
	if (err && !parse->result)
		parse->result = diagnose(parse, argc, argv);
	free_argp_options(entries);
	return parse->result;
}

/* Add what a configuration file says, if there is one. The options about files
 * do not count as given: they set nothing of a run. */
static int add_config(struct parse *parse)
{
	struct config *config = parse->config;
	int code;

	parse->given &= ~(OPTION_BIT(OPT_CONFIG) | OPTION_BIT(OPT_DUMP_CONFIG));
	if (!config->config_path)
		return 0;
	code = config_file_read(config->config_path, &config->file);
	return code ? code
		    : config_file_apply(config->file, parse->command, config,
					&parse->given, parse->text);
}

static int dump(const struct parse *parse)
{
	int code = config_dump(parse->command, parse->given, parse->text,
			       parse->config->file, stdout);

	return code ? code : OPTIONS_DONE;
}

int options_parse(const struct command *command, int argc, char **argv,
		  struct config *config)
{
	struct parse parse = { .command = command, .config = config };
	int code = store_defaults(config);

	if (!code)
		code = run_argp(&parse, argc, argv);
	if (!code)
		code = add_config(&parse);
	if (config->file)
		message_set_place(config_file_place, config->file);
	if (!code)
		code = streams_resolve(config, option_in(parse.given, OPT_SIZE));
	if (!code)
		code = options_check(command, config, parse.given);
	message_set_place(NULL, NULL);
	config->frame_size_given = option_in(parse.given, OPT_FRAME_SIZE);
	planning_chunk(config);
	if (!code && config->dump_config)
		code = dump(&parse);
	config->frame.length = config->wire_size - DXMIT_FCS_BYTES;
	return code;
}

void config_free(struct config *config)
{
	size_t i;

	free(config->queues.value);
	free(config->cpus.value);
	free(config->compare.sizes.value);
	free(config->compare.queues.value);
	free(config->compare.batches.value);
	free(config->compare.rings.value);
	sizes_free(&config->sizes);
	for (i = 0; i < config->streams; i++)
		sizes_free(&config->stream[i].sizes);
	free(config->stream);
	config_file_free(config->file);
	memset(config, 0, sizeof(*config));
}
