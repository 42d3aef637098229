/* SPDX-License-Identifier: BSD-2-Clause */
/* Configuration files for tests, and a value of every option to put there. */
#ifndef UNIT_CONFIG_FIXTURE_H
#define UNIT_CONFIG_FIXTURE_H

#include "options_fixture.h"

#include "config_file.h"
#include "config_schema.h"

#define SAMPLE_LEN 64

/* The group's file; the name is filled in by make_config_file(). */
static char config_path[] = "/tmp/dxmit-config-XXXXXX";

static inline int make_config_file(void **state)
{
	int fd = mkstemp(config_path);

	(void)state;
	return fd < 0 ? -1 : close(fd);
}

static inline int remove_config_file(void **state)
{
	(void)state;
	return unlink(config_path);
}

/* Where type and range do not tell of a value; other than the default. */
static const struct {
	const char *name, *text;
} samples[] = {
	{ "interface", "dxmit7" },
	{ "queues", "0,2,4-7" },
	{ "cpus", "1,1,3" },
	{ "rate", "2.5kpps" },
	{ "numa", "any" },
	{ "topology", "numa:2 core:4 pu:2" },
	{ "dst-mac", "02:aa:bb:cc:dd:ee" },
	{ "src-mac", "02:11:22:33:44:55" },
	{ "dst-ip", "192.0.2.7" },
	{ "src-ip", "192.0.2.8" },
	{ "payload", "0x5a" },
};

/* The first example that the legal values name, as in "a time, such as 5ms". */
static inline bool sample_of_legal(const struct option_row *row, char text[SAMPLE_LEN])
{
	static const char before[] = "such as ";
	const char *example = row->legal ? strstr(row->legal, before) : NULL;
	size_t length;

	if (!example)
		return false;
	example += sizeof(before) - 1;
	length = strcspn(example, " ");
	length -= example[length - 1] == ',';
	if (length >= SAMPLE_LEN)
		return false;
	memcpy(text, example, length);
	text[length] = '\0';
	return true;
}

/* Some legal value of an option, as text of the flag; "" for a switch. */
static inline void sample_value(const struct option_row *row, char text[SAMPLE_LEN])
{
	const struct option_choice *choice = row->choices;
	uint64_t largest = row->max == UINT64_MAX ? row->min + 1 : row->max;
	size_t i;

	text[0] = '\0';
	if (!row->argument)
		return;
	for (i = 0; i < sizeof(samples) / sizeof(samples[0]); i++)
		if (strcmp(samples[i].name, row->name) == 0) {
			snprintf(text, SAMPLE_LEN, "%s", samples[i].text);
			return;
		}
	if (row->type == VALUE_FILE)
		snprintf(text, SAMPLE_LEN, "file: 'of' %s #1", row->name);
	else if (row->type == VALUE_NUMBER || row->type == VALUE_SANDBOX)
		snprintf(text, SAMPLE_LEN, "%llu", (unsigned long long)largest);
	else if (row->type == VALUE_POWER_OF_TWO)
		snprintf(text, SAMPLE_LEN, "%llu",
			 1ull << (63 - __builtin_clzll(largest)));
	else if (row->type == VALUE_TIME)
		snprintf(text, SAMPLE_LEN, "1500ms");
	else if (choice)
		snprintf(text, SAMPLE_LEN, "%s", choice[choice[1].word != NULL].word);
	else if (row->fallback)
		snprintf(text, SAMPLE_LEN, "%s", row->fallback);
	else if (!sample_of_legal(row, text))
		fail_msg("--%s: add a value to the samples", row->name);
}

static inline const struct command *command_taking(const struct option_row *row)
{
	size_t i;

	for (i = 0; i < COMMANDS; i++)
		if (row->commands & CONFIG_COMMANDS & commands[i].mask)
			return &commands[i];
	fail_msg("--%s: no command", row->name);
	return NULL;
}

/* What a set of options made: the config, which they are, their texts. */
struct setting {
	struct config config;
	struct config_file *file;
	option_set given;
	const char *text[OPTIONS];
};

static inline void setting_free(struct setting *setting)
{
	config_free(&setting->config);
	config_file_free(setting->file);
}

/* From a file that is right, over what is there. */
static inline void set_by_file(struct setting *setting, const struct command *command,
			       const char *yaml)
{
	if (config_file_parse("test", yaml, strlen(yaml), &setting->file))
		fail_msg("refused: %s", yaml);
	if (config_file_apply(setting->file, command, &setting->config, &setting->given,
			      setting->text))
		fail_msg("a value is refused: %s", yaml);
}

/* As the command line does; NULL: no value. */
static inline void set_by_flag(struct setting *setting, const struct option_row *row,
			       const char *text)
{
	struct parse_reason reason;

	if (!option_store(row, text, &setting->config, &reason))
		fail_msg("--%s: %s", row->name, reason.text);
	option_mark_given(row, &setting->config, &setting->given);
	setting->text[row - option_table] = text;
}

static inline void assert_lists_equal(const struct number_list *a,
				      const struct number_list *b)
{
	assert_int_equal(a->count, b->count);
	if (a->count)
		assert_memory_equal(a->value, b->value, a->count * sizeof(*a->value));
}

/*
 * One option is the same in both: its text, and what was stored of it where that
 * is plain. All else is option_store()'s, which gets the same text.
 */
static inline void assert_same(const struct option_row *row, const struct setting *a,
			       const struct setting *b)
{
	const void *of_a = (const char *)&a->config + row->offset;
	const void *of_b = (const char *)&b->config + row->offset;
	const char *text_a = a->text[row - option_table];
	const char *text_b = b->text[row - option_table];

	assert_string_equal(text_a ? text_a : "", text_b ? text_b : "");
	switch (row->type) {
	case VALUE_LIST:
	case VALUE_REPEAT_LIST:
		assert_lists_equal(of_a, of_b);
		break;
	case VALUE_INTERFACE:
	case VALUE_FILE:
	case VALUE_TOPOLOGY:
		assert_string_equal(*(const char *const *)of_a,
				    *(const char *const *)of_b);
		break;
	case VALUE_SWITCH:
	case VALUE_NUMBER:
	case VALUE_POWER_OF_TWO:
	case VALUE_TIME:
	case VALUE_CHOICE:
	case VALUE_MAC:
	case VALUE_IPV4:
	case VALUE_NUMA:
	case VALUE_SANDBOX:
		assert_memory_equal(of_a, of_b, row->bytes);
		break;
	default:
		break;
	}
	if (row->given)
		assert_memory_equal((const char *)&a->config + row->given,
				    (const char *)&b->config + row->given, sizeof(bool));
}

/* What config_dump() writes of it; free(). */
static inline char *dump(const struct command *command, const struct setting *setting)
{
	char *text = NULL;
	size_t length = 0;
	FILE *out = open_memstream(&text, &length);

	assert_non_null(out);
	assert_int_equal(
		config_dump(command, setting->given, setting->text, setting->file, out),
		0);
	fclose(out);
	return text;
}

#endif
