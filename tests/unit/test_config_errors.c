/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Configuration files that are wrong: the exact line on stderr with file, line
 * and key, exit code 2, and no more than that.
 */
#include "config_fixture.h"

#include "config_walk.h"

static void write_bytes(const char *bytes, size_t length)
{
	FILE *out = fopen(config_path, "w");

	assert_non_null(out);
	assert_int_equal(fwrite(bytes, 1, length, out), length);
	assert_int_equal(fclose(out), 0);
}

/* `message` comes after "dxmit: FILE"; the file is there already. */
static void check_refused(const char *message, const char *options)
{
	char line[256], seen[2048], expected[2048];
	int code;

	snprintf(line, sizeof(line), "tx --config %s%s", config_path, options);
	code = parse_in_child(line, STDERR_FILENO, seen, sizeof(seen));
	snprintf(expected, sizeof(expected), "dxmit: %s%s\n", config_path, message);
	assert_string_equal(seen, expected);
	assert_int_equal(code, EXIT_USAGE);
}

struct wrong {
	const char *yaml;
	const char *message;
};

static void check_wrong(const struct wrong *wrong, size_t count)
{
	for (; count > 0; count--, wrong++) {
		write_bytes(wrong->yaml, strlen(wrong->yaml));
		check_refused(wrong->message, "");
	}
}
#define CHECK_WRONG(table) check_wrong(table, sizeof(table) / sizeof((table)[0]))

static void test_keys(void **state)
{
#define SEE_HELP "use long options without --, see 'dxmit tx --help'"
	static const struct wrong wrong[] = {
		{ "sandbox: 2\nrat: 5\n", ":2: key rat: no such key; perhaps 'rate' is "
					  "meant, see 'dxmit tx --help'" },
		{ "\n\n  xyzzy: 5\n", ":3: key xyzzy: no such key; " SEE_HELP },
		{ "Rate: 5\n", ":1: key Rate: no such key; perhaps 'rate' is meant, see "
			       "'dxmit tx --help'" },
		{ "--rate: 5\n", ":1: key --rate: no such key; perhaps 'rate' is meant, "
				 "see 'dxmit tx --help'" },
		{ "pid: 5\n", ":1: key pid: no such key; " SEE_HELP },
		{ "help: true\n", ":1: key help: no such key; " SEE_HELP },
		{ "config: x\n", ":1: key config: no such key; " SEE_HELP },
		{ "'': x\n", ":1: key '': no such key; " SEE_HELP },
		{ "\"a\\tb\\x7fc\": 5\n", ":1: key a?b?c: no such key; " SEE_HELP },
		{ "rate: 5\ncount: 1\nrate: 5\n",
		  ":3: key rate: is in line 1 already; leave one of them out" },
		{ "[1]: 5\n", ":1: a key must be one word; write KEY: VALUE" },
		{ "<<: 5\n", ":1: key <<: no such key; " SEE_HELP },
	};

	(void)state;
	CHECK_WRONG(wrong);
}

static void test_values(void **state)
{
#define WAITS "; use a whole number from 1 to 600000"
	static const struct wrong wrong[] = {
		{ "sandbox: 2\nring: 3\n", ":2: key ring: '3' is not a power of two; use "
					   "a power of two from 1 to 1048576" },
		{ "kick: often\n", ":1: key kick: 'often' is not one of its words; use "
				   "auto, sendto or poll" },
		{ "queues: [0,\n  1, 1]\n",
		  ":1: key queues: '0,1,1' is a list that names a number twice; use numbers "
		  "from 0 to 65535, each once, as in 0,2,4-7, or all" },
		{ "bind-wait:\n", ":1: key bind-wait: has no value" WAITS },
		{ "bind-wait: ''\n", ":1: key bind-wait: has no value" WAITS },
		{ "bind-wait: ~\n",
		  ":1: key bind-wait: '~' is not a whole number" WAITS },
		{ "bind-wait: |\n  5\n",
		  ":1: key bind-wait: '5?' is not a whole number" WAITS },
		{ "bind-wait: {pps: 5}\n",
		  ":1: key bind-wait: keys stand where a value belongs" WAITS },
		{ "bind-wait:\n  pps: 5\n",
		  ":2: key bind-wait: keys stand where a value belongs" WAITS },
		{ "bind-wait: [[5]]\n",
		  ":1: key bind-wait: a list stands where one value belongs" WAITS },
		{ "bind-wait: []\n", ":1: key bind-wait: is an empty list" WAITS },
		{ "interface: [a, b]\n",
		  ":1: key interface: a list stands where one value belongs; use the "
		  "name of an interface" },
		{ "stamp: [true]\n",
		  ":1: key stamp: a list stands where one value belongs; use true or "
		  "false" },
		{ "stamp: yes\n", ":1: key stamp: 'yes' is neither true nor false; use "
				  "true or false" },
		{ "stamp: 1\n", ":1: key stamp: '1' is neither true nor false; use true "
				"or false" },
		{ "sandbox: 0\n", ":1: key sandbox: '0' is out of range; use true, false "
				  "or a whole number from 1 to 1024" },
		/* Refused although the command line has another. */
		{ "ttl: 0\n", ":1: key ttl: '0' is out of range; use a whole number from "
			      "1 to 255" },
	};

	(void)state;
	CHECK_WRONG(wrong);
	write_bytes("ttl: 0\n", 7);
	check_refused(
		":1: key ttl: '0' is out of range; use a whole number from 1 to 255",
		" --ttl 5");
}

static void test_streams(void **state)
{
#define A_LIST                                                                      \
	"; use a list of at most 256 entries with keys such as name, frame, size, " \
	"weight and rate"
#define WEIGHTS "; use a whole number from 1 to 1048576"
	static const struct wrong wrong[] = {
		{ "streams: 3\n", ":1: key streams: is no list" A_LIST },
		{ "streams:\n", ":1: key streams: is no list" A_LIST },
		{ "streams: {name: a}\n", ":1: key streams: is no list" A_LIST },
		{ "streams: []\n", ":1: key streams: is an empty list" A_LIST },
		{ "streams: [a]\n", ":1: key streams: an entry has no keys" A_LIST },
		{ "streams: [{}, [a]]\n",
		  ":1: key streams: an entry has no keys" A_LIST },
		{ "streams: [{}]\nstreams: [{}]\n",
		  ":2: key streams: is in line 1 already; leave one of them out" },
		{ "streams:\n- name: a\n- colour: b\n",
		  ":3: key colour: no key of a stream; use name, frame, size, weight or "
		  "rate" },
		{ "streams:\n- name: a\n- name: b\n  name: c\n",
		  ":4: key name of stream 2: is in line 3 already; leave one of them out" },
		{ "streams:\n- weight: 0\n",
		  ":2: key weight of stream 1: '0' is out of range" WEIGHTS },
		{ "streams:\n- weight: [1]\n",
		  ":2: key weight of stream 1: a list stands "
		  "where one value belongs" WEIGHTS },
		{ "streams:\n- {}\n-\n  name:\n",
		  ":4: key name of stream 2: has no value; use a name for the report" },
		{ "streams:\n- rate: max\n",
		  ":2: key rate of stream 1: max cannot be kept by one of several; use a "
		  "rate such as 10pps, 0.25pps, 2.5kpps, 500Mbps, 1Gbps-l1, 50%, or max" },
		{ "streams:\n- rate: 5\n- name: a\n",
		  ":3: key streams: some streams have a rate and others none; use a "
		  "rate in each of them or weights" },
		{ "streams:\n- rate: 5\n- rate: 5\n  weight: 1\n",
		  ":3: key streams: stream 2 has a weight beside its rate, which says the same; "
		  "leave one of them out" },
	};
	char yaml[4096] = "streams:\n";
	size_t i;

	(void)state;
	CHECK_WRONG(wrong);
	for (i = 0; i < CONFIG_MAX_STREAMS + 1; i++)
		strcat(yaml, "- {}\n");
	write_bytes(yaml, strlen(yaml));
	check_refused(":258: key streams: are too many" A_LIST, "");
}

static void test_documents(void **state)
{
#define WRITE_KEYS "; write KEY: VALUE lines, with long options as keys"
#define YAML_RULES                                                             \
	"; write KEY: VALUE lines, indented by blanks, and quote values with " \
	"characters special to YAML"
	static const struct wrong wrong[] = {
		{ "", ":1: holds nothing" WRITE_KEYS },
		{ "# only\n", ":2: holds nothing" WRITE_KEYS },
		{ "rate\n", ":1: holds no keys" WRITE_KEYS },
		{ "- rate: 5\n", ":1: holds no keys" WRITE_KEYS },
		{ "rate: 5\n---\nrate: 5\n",
		  ":2: a second document begins; use a file for each" },
		{ "rate: &a 5\n",
		  ":1: anchors (&) are not taken; leave it out and write values out, or "
		  "quote a value that begins with &" },
		{ "rate: 5\n\nduration: *a\n",
		  ":3: aliases (*) are not taken; write the value out, or quote one that "
		  "begins with *" },
		{ "rate: !!int 5\n", ":1: tags (!) are not taken; leave it out, or quote "
				     "a value that begins with !" },
		{ "rate: 5\ncsv: \"a\\0b\"\n",
		  ":2: a NUL character cannot be part of a value; leave it out" },
		{ "rate: [5\n", ":2: no valid YAML: did not find expected ',' or "
				"']'" YAML_RULES },
		{ "rate: 5\n\tcount: 6\n",
		  ":2: no valid YAML: found a tab character that "
		  "violates indentation" YAML_RULES },
		{ "rate: 5\ncsv: \xff\n", ":2: no text in UTF-8: invalid leading UTF-8 "
					  "octet; save it as UTF-8" },
		{ "rate: 5\n\ncsv: \x01\n",
		  ":3: no text in UTF-8: control characters are "
		  "not allowed; save it as UTF-8" },
		{ "\xff\xfer", ":1: no text in UTF-8: invalid leading UTF-8 octet; save "
			       "it as UTF-8" },
	};

	(void)state;
	CHECK_WRONG(wrong);
}

/* The whole of it would take 10^9 values if it were obeyed. */
static void test_billion_laughs(void **state)
{
	char yaml[4096];
	size_t at = 0, i;

	(void)state;
	at += (size_t)snprintf(yaml, sizeof(yaml), "cpus: &a0 [1, 1]\n");
	for (i = 1; i < 30; i++)
		at += (size_t)snprintf(yaml + at, sizeof(yaml) - at,
				       "queues: &a%zu [*a%zu, *a%zu]\n", i, i - 1, i - 1);
	write_bytes(yaml, at);
	check_refused(":1: anchors (&) are not taken; leave it out and write values out, "
		      "or quote a value that begins with &",
		      "");
}

static void test_files(void **state)
{
#define TOO_LARGE \
	": is larger than a configuration file may be; use at most 1048576 bytes"
	static char large[CONFIG_FILE_MAX_BYTES + 1];

	(void)state;
	memset(large, '[', sizeof(large));
	write_bytes(large, sizeof(large));
	check_refused(TOO_LARGE, "");
	write_bytes(large, sizeof(large) - 1);
	check_refused(":1: holds no keys" WRITE_KEYS, "");
	/* Deep where one may begin. */
	memcpy(large, "bind-wait: ", 11);
	write_bytes(large, sizeof(large) - 1);
	check_refused(":1: key bind-wait: a list stands where one value belongs" WAITS,
		      "");
	/* As long as may be, and right. */
	memset(large, '\n', sizeof(large));
	memcpy(large, "sandbox: true", 13);
	memcpy(large + sizeof(large) - 9, "\nring: 3\n", 9);
	write_bytes(large, sizeof(large) - 1);
	check_refused(":1048557: key ring: '3' is not a power of two; use a power of two "
		      "from 1 to 1048576",
		      "");
}

static void test_what_cannot_be_read(void **state)
{
#define NAME_ONE "; name a configuration file, or - for standard input"
	static const struct wrong wrong[] = {
		{ "tx --config /nonexistent/x",
		  "/nonexistent/x: cannot be read: No such file or directory" NAME_ONE },
		{ "plan --config /tmp", "/tmp: cannot be read: Is a directory" NAME_ONE },
		{ "probe --config ''",
		  "--config: '' is empty; use a file name, or - for standard input" },
		{ "attach --config x", "--config: is no option of 'dxmit attach' but of "
				       "'dxmit tx' and 'dxmit plan' and 'dxmit probe'; "
				       "leave it out" },
	};
	char seen[1024], expected[1024];
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		int code =
			parse_in_child(wrong[i].yaml, STDERR_FILENO, seen, sizeof(seen));

		snprintf(expected, sizeof(expected), "dxmit: %s\n", wrong[i].message);
		assert_string_equal(seen, expected);
		assert_int_equal(code, EXIT_USAGE);
	}
}

/* What contradicts itself is told with the place of the option that is named. */
static void test_options_of_the_file_are_checked_together(void **state)
{
	static const struct wrong wrong[] = {
		{ "interface: a\n\nsandbox: true\n",
		  ":3: key sandbox: makes its own interface, so -i contradicts it; leave "
		  "one of them out" },
		{ "sandbox: 2\nsize: 34821\nframe-size: 2048\n",
		  ":2: key size: 34821 bytes, 34817 without FCS, do not fit 17 chunks of "
		  "--frame-size 2048; use --frame-size 4096" },
		{ "sandbox: 2\nbatch: 9\nframes: 8\n",
		  ":2: key batch: 9 is more than the 8 of --frames; use at most 8, or a "
		  "larger --frames" },
	};
	char line[128], seen[1024];

	(void)state;
	CHECK_WRONG(wrong);
	/* The command line's own are called as there. */
	write_bytes("sandbox: 2\nsize: 64\n", 20);
	snprintf(line, sizeof(line), "tx --config %s -s 34821 --frame-size 2048",
		 config_path);
	assert_int_equal(parse_in_child(line, STDERR_FILENO, seen, sizeof(seen)),
			 EXIT_USAGE);
	assert_non_null(strstr(seen, "dxmit: -s: 34821 bytes"));
	write_bytes("count: 5\n", 9);
	snprintf(line, sizeof(line), "tx --config %s", config_path);
	assert_int_equal(parse_in_child(line, STDERR_FILENO, seen, sizeof(seen)),
			 EXIT_USAGE);
	assert_non_null(strstr(seen, "dxmit: tx: no interface is named"));
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_keys),
		cmocka_unit_test(test_values),
		cmocka_unit_test(test_streams),
		cmocka_unit_test(test_documents),
		cmocka_unit_test(test_billion_laughs),
		cmocka_unit_test(test_files),
		cmocka_unit_test(test_what_cannot_be_read),
		cmocka_unit_test(test_options_of_the_file_are_checked_together),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, make_config_file, remove_config_file);
}
