/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Configuration files that are right: each option has a key that does the same,
 * each key is an option, lists have two spellings, the command line wins, and
 * what --dump-config writes reads back to the same.
 */
#include "config_fixture.h"

/* "KEY: 'VALUE'" as a line of YAML. */
static void yaml_line(const struct option_row *row, const char *value, char *line,
		      size_t len)
{
	size_t at = (size_t)snprintf(line, len, "%s: ", row->name);

	if (!row->argument) {
		snprintf(line + at, len - at, "true\n");
		return;
	}
	line[at++] = '\'';
	for (; *value; value++) {
		if (*value == '\'')
			line[at++] = '\'';
		line[at++] = *value;
	}
	snprintf(line + at, len - at, "'\n");
}

static void test_each_option_has_its_key(void **state)
{
	size_t i, keys = 0;

	(void)state;
	for (i = 0; i < OPTIONS; i++) {
		const struct option_row *row = &option_table[i];
		struct setting flag = { 0 }, key = { 0 };
		char value[SAMPLE_LEN], line[2 * SAMPLE_LEN + 64];

		if (!config_is_key(row))
			continue;
		keys++;
		sample_value(row, value);
		set_by_flag(&flag, row, row->argument ? value : NULL);
		yaml_line(row, value, line, sizeof(line));
		set_by_file(&key, command_taking(row), line);
		assert_true(key.given == OPTION_BIT(i));
		assert_same(row, &flag, &key);
		setting_free(&flag);
		setting_free(&key);
	}
	assert_true(keys > 40);
}

/* The other way round, and which options have no key. */
static void test_each_key_is_an_option(void **state)
{
	static const char *const flags_only[] = { "config", "dump-config", "help",
						  "version" };
	struct config_schema schema;
	size_t i, fields = 0, left_out = 0;

	(void)state;
	config_schema_make(&schema, NULL);
	for (; schema.field[fields].key; fields++) {
		size_t found = 0;

		/* The last one, and the only one that is more than an option. */
		if (strcmp(schema.field[fields].key, CONFIG_STREAMS_KEY) == 0)
			break;
		for (i = 0; i < OPTIONS; i++)
			found += config_is_key(&option_table[i]) &&
				 strcmp(option_table[i].name, schema.field[fields].key) ==
					 0;
		assert_int_equal(found, 1);
	}
	assert_null(schema.field[fields + 1].key);
	for (i = 0; i < OPTIONS; i++) {
		const struct option_row *row = &option_table[i];
		size_t j;

		if (config_is_key(row))
			fields--;
		if (config_is_key(row) || !(row->commands & CONFIG_COMMANDS))
			continue;
		for (j = 0; j < sizeof(flags_only) / sizeof(flags_only[0]); j++)
			left_out += strcmp(flags_only[j], row->name) == 0;
		left_out--;
	}
	assert_int_equal(fields, 0);
	assert_int_equal(left_out, 0);
}

static void test_dump_reads_back_to_the_same(void **state)
{
	size_t i;

	(void)state;
	for (i = 0; i < OPTIONS; i++) {
		const struct option_row *row = &option_table[i];
		const struct command *command;
		struct setting flag = { 0 }, key = { 0 };
		char value[SAMPLE_LEN], *written, *again;

		if (!config_is_key(row))
			continue;
		command = command_taking(row);
		sample_value(row, value);
		set_by_flag(&flag, row, row->argument ? value : NULL);
		written = dump(command, &flag);
		set_by_file(&key, command, written);
		assert_true(key.given == flag.given);
		assert_same(row, &flag, &key);
		again = dump(command, &key);
		assert_string_equal(again, written);
		free(again);
		free(written);
		setting_free(&flag);
		setting_free(&key);
	}
}

/* Values that YAML would take for something else if they were not quoted. */
static void test_dump_of_odd_text(void **state)
{
	static const char *const odd[] = {
		"-",    "- a",        "a: b",  "a #b",    "#a",     " a ",    "&a",
		"*a",   "!a",         "%a",    "@a",      "`a`",    "'a'",    "\"a\"",
		"{a}",  "[a, b]",     "? a",   "|",       ">",      "null",   "~",
		"true", "0x1",        "a\nb",  "a\n\n b", "\n",     "a\\b",   "a\tb",
		"\x01", "\x7f",       "---",   "...",     "\u00e4", "\u2028", "a, b",
		"a:b",  "\U0001f600", "...\n",
	};
	const struct option_row *row = &option_table[OPT_CSV];
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(odd) / sizeof(odd[0]); i++) {
		struct setting flag = { 0 }, key = { 0 };
		char *written;

		set_by_flag(&flag, row, odd[i]);
		written = dump(command_named("tx"), &flag);
		set_by_file(&key, command_named("tx"), written);
		assert_string_equal(key.config.csv, odd[i]);
		free(written);
		setting_free(&flag);
		setting_free(&key);
	}
}

static void test_lists_have_two_spellings(void **state)
{
	static const uint32_t queues[] = { 0, 2, 4, 5, 6 };
	static const char *const right[] = {
		"queues: 0,2,4-6\n",
		"queues: '0,2,4-6'\n",
		"queues: [0, 2, 4-6]\n",
		"queues: [0, \"2\", '4,5', 6]\n",
		"queues:\n- 0\n- 2\n- 4-6\n",
		"queues:\n  - 0\n  - 2,4\n  - 5-6\n",
		"{queues: [0, 2, 4-6]}",
		"---\nqueues: 0,2,4-6\n...\n",
		"%YAML 1.1\n---\nqueues: 0,2,4-6\n",
		"\xef\xbb\xbfqueues: 0,2,4-6\n",
		"queues: 0,2,4-6\r\n# the end\r\n",
		"? queues\n: 0,2,4-6\n",
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(right) / sizeof(right[0]); i++) {
		struct setting setting = { 0 };

		set_by_file(&setting, command_named("tx"), right[i]);
		assert_int_equal(setting.config.queues.count, 5);
		assert_memory_equal(setting.config.queues.value, queues, sizeof(queues));
		setting_free(&setting);
	}
}

static void test_switches(void **state)
{
	struct setting setting = { 0 };

	(void)state;
	set_by_file(&setting, command_named("tx"),
		    "stamp: false\nsandbox: false\nforce: 'false'\nverbose: true\n");
	assert_false(setting.config.stamp || setting.config.sandbox ||
		     setting.config.force);
	assert_true(setting.config.verbose);
	assert_true(setting.given == OPTION_BIT(OPT_VERBOSE));
	setting_free(&setting);

	memset(&setting, 0, sizeof(setting));
	set_by_file(&setting, command_named("tx"), "sandbox: true\n");
	assert_true(setting.config.sandbox);
	assert_int_equal(setting.config.sandbox_queues, 2);
	setting_free(&setting);
}

/* One file serves every command: each takes what concerns it. */
static void test_options_of_other_commands(void **state)
{
	struct setting setting = { 0 };

	(void)state;
	set_by_file(&setting, command_named("plan"),
		    "sandbox: 3\ncsv: out.csv\nttl: 7\nsize: 128\n");
	assert_null(setting.config.csv);
	assert_int_equal(setting.config.frame.ttl, 0);
	assert_int_equal(setting.config.sandbox_queues, 3);
	assert_int_equal(setting.config.wire_size, 128);
	assert_true(setting.given == (OPTION_BIT(OPT_SANDBOX) | OPTION_BIT(OPT_SIZE)));
	setting_free(&setting);
}

/* ---- streams ---- */

static void test_streams(void **state)
{
	static const char yaml[] = "sandbox: 2\n"
				   "streams:\n"
				   "  - name: voice\n"
				   "    size: 128\n"
				   "    weight: 3\n"
				   "  - {}\n"
				   "  - {size: '64:7,594:4', weight: 1048576}\n";
	struct setting setting = { 0 }, again = { 0 };
	const struct stream_config *stream;
	char *written, *second;

	(void)state;
	set_by_file(&setting, command_named("tx"), yaml);
	assert_int_equal(setting.config.streams, 3);
	stream = setting.config.stream;
	assert_string_equal(stream[0].name, "voice");
	assert_null(stream[0].frame);
	assert_int_equal(stream[0].sizes.entries, 1);
	assert_int_equal(stream[0].sizes.entry[0].wire_size, 128);
	assert_int_equal(stream[0].weight, 3);
	assert_int_equal(stream[0].rate.micro, 0);
	assert_null(stream[1].name);
	assert_int_equal(stream[1].sizes.entries, 0);
	assert_int_equal(stream[1].weight, 0);
	assert_int_equal(stream[2].sizes.entries, 2);
	assert_int_equal(stream[2].sizes.entry[0].weight, 7);
	assert_int_equal(stream[2].weight, 1048576);
	/* The run's own are left alone. */
	assert_int_equal(setting.config.sizes.entries, 0);
	assert_int_equal(setting.config.count, 0);

	written = dump(command_named("tx"), &setting);
	set_by_file(&again, command_named("tx"), written);
	second = dump(command_named("tx"), &again);
	assert_string_equal(second, written);
	assert_int_equal(again.config.streams, 3);
	free(written);
	free(second);
	setting_free(&setting);
	setting_free(&again);
}

static void test_rates_of_streams(void **state)
{
	struct setting setting = { 0 };

	(void)state;
	set_by_file(&setting, command_named("tx"),
		    "streams: [{rate: 2kpps}, {rate: 0.5pps, name: '2'}]\n");
	assert_int_equal(setting.config.stream[0].rate.micro, 2000000000);
	assert_int_equal(setting.config.stream[1].rate.micro, 500000);
	assert_int_equal(setting.config.stream[1].weight, 0);
	setting_free(&setting);
}

/* ---- with the command line ---- */

static void write_file(const char *yaml)
{
	FILE *out = fopen(config_path, "w");

	assert_non_null(out);
	fputs(yaml, out);
	assert_int_equal(fclose(out), 0);
}

static void parse_with(const char *yaml, const char *options, struct words *words,
		       struct config *config)
{
	char line[256];

	write_file(yaml);
	snprintf(line, sizeof(line), "tx --config %s %s", config_path, options);
	parse_good(line, words, config);
}

static void test_command_line_wins(void **state)
{
	struct config config;
	struct words words;

	(void)state;
	parse_with("interface: eth7\nsize: 128\nqueues: [1, 2]\ndst-ip: 192.0.2.1\n",
		   "-s 256 -q 5", &words, &config);
	assert_string_equal(config.interface, "eth7");
	assert_int_equal(config.wire_size, 256);
	assert_int_equal(config.frame.length, 252);
	assert_int_equal(config.queues.count, 1);
	assert_int_equal(config.queues.value[0], 5);
	assert_int_equal(config.frame.destination_ip, 0xc0000201);
	config_free(&config);
	assert_null(config.file);
	/* Wherever --config stands; defaults are those of the command line. */
	parse_with("interface: eth7\ncount: 0\n", "-n 3 --dscp 5", &words, &config);
	assert_int_equal(config.count, 3);
	assert_int_equal(config.frame.dscp, 5);
	assert_int_equal(config.frame.ttl, 64);
	config_free(&config);
}

/* What contradicts the command line gives way to it. */
static void test_command_line_replaces(void **state)
{
	struct config config;
	struct words words;

	(void)state;
	parse_with("interface: eth7\nprofile: 1kpps:5\n", "--rate 2kpps", &words,
		   &config);
	assert_int_equal(config.profile.steps, 0);
	assert_int_equal(config.rate.micro, 2000000000);
	config_free(&config);
	parse_with("interface: eth7\nrate: 2kpps\n", "--burst 8:10ms", &words, &config);
	assert_int_equal(config.rate.micro, 0);
	assert_int_equal(config.bursts.packets, 8);
	config_free(&config);
	parse_with("interface: eth7\nforce: true\nzero-copy: true\n", "--sandbox=3 -c",
		   &words, &config);
	assert_null(config.interface);
	assert_false(config.force);
	assert_int_equal(config.mode, DXMIT_MODE_COPY);
	assert_int_equal(config.sandbox_queues, 3);
	config_free(&config);
	parse_with("sandbox: 4\n", "-i eth7 -z", &words, &config);
	assert_false(config.sandbox);
	assert_int_equal(config.mode, DXMIT_MODE_ZEROCOPY);
	config_free(&config);
	parse_with("sandbox: 4\navoid-irq-cpus: true\ncsv: x\nprometheus: y\n",
		   "--cpus 1 --dry-run", &words, &config);
	assert_false(config.avoid_irq_cpus);
	assert_null(config.csv);
	assert_null(config.prometheus);
	config_free(&config);
	parse_with("sandbox: 4\ncpus: 0\n", "--avoid-irq-cpus", &words, &config);
	assert_int_equal(config.cpus.count, 0);
	config_free(&config);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_each_option_has_its_key),
		cmocka_unit_test(test_each_key_is_an_option),
		cmocka_unit_test(test_dump_reads_back_to_the_same),
		cmocka_unit_test(test_dump_of_odd_text),
		cmocka_unit_test(test_lists_have_two_spellings),
		cmocka_unit_test(test_switches),
		cmocka_unit_test(test_options_of_other_commands),
		cmocka_unit_test(test_streams),
		cmocka_unit_test(test_rates_of_streams),
		cmocka_unit_test(test_command_line_wins),
		cmocka_unit_test(test_command_line_replaces),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, make_config_file, remove_config_file);
}
