/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Values from text at their edges: nothing is rounded, wrapped, skipped or cut,
 * and what is refused says why and leaves the value alone.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nearest.h"
#include "parse.h"

#define UNTOUCHED 0x5a5a5a5a5a5a5a5aull

static struct parse_reason reason;

struct number_case {
	const char *text;
	enum parse_suffix suffix;
	uint64_t value;
	const char *why; /* NULL: accepted */
};

static const struct number_case numbers[] = {
	{ "0", PARSE_PLAIN, 0, NULL },
	{ "007", PARSE_PLAIN, 7, NULL },
	{ "4294967296", PARSE_PLAIN, 4294967296, NULL },
	{ "18446744073709551615", PARSE_PLAIN, UINT64_MAX, NULL },
	{ "18446744073709551616", PARSE_PLAIN, 0, "too large for 64 bits" },
	{ "99999999999999999999999999", PARSE_PLAIN, 0, "too large for 64 bits" },
	{ "2k", PARSE_BINARY, 2048, NULL },
	{ "2K", PARSE_BINARY, 2048, NULL },
	{ "3M", PARSE_BINARY, 3 << 20, NULL },
	{ "1G", PARSE_BINARY, 1 << 30, NULL },
	{ "2k", PARSE_DECIMAL, 2000, NULL },
	{ "1M", PARSE_DECIMAL, 1000000, NULL },
	{ "1G", PARSE_DECIMAL, 1000000000, NULL },
	{ "18446744073709551k", PARSE_DECIMAL, 18446744073709551000ull, NULL },
	{ "18446744073709552k", PARSE_DECIMAL, 0, "too large for 64 bits" },
	{ "17179869184G", PARSE_BINARY, 0, "too large for 64 bits" },
	{ "2k", PARSE_PLAIN, 0, "not a whole number" },
	{ "1m", PARSE_DECIMAL, 0, "not a whole number" },
	{ "1kk", PARSE_DECIMAL, 0, "not a whole number" },
	{ "k", PARSE_DECIMAL, 0, "not a whole number" },
	{ "", PARSE_PLAIN, 0, "not a whole number" },
	{ " 1", PARSE_PLAIN, 0, "not a whole number" },
	{ "1 ", PARSE_PLAIN, 0, "not a whole number" },
	{ "+1", PARSE_PLAIN, 0, "not a whole number" },
	{ "-1", PARSE_PLAIN, 0, "negative" },
	{ "-0", PARSE_PLAIN, 0, "negative" },
	{ "-", PARSE_PLAIN, 0, "not a whole number" },
	{ "1.5", PARSE_PLAIN, 0, "not a whole number" },
	{ "0x10", PARSE_PLAIN, 0, "not a whole number" },
	{ "1e3", PARSE_PLAIN, 0, "not a whole number" },
	{ "abc", PARSE_PLAIN, 0, "not a whole number" },
};

static void check_refused(const char *text, const char *why)
{
	char expected[PARSE_REASON_LEN + 64];

	snprintf(expected, sizeof(expected), "'%s' is %s", text, why);
	assert_string_equal(reason.text, expected);
}

static void test_numbers(void **state)
{
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
		const struct number_case *c = &numbers[i];
		uint64_t value = UNTOUCHED;
		bool ok = parse_number(c->text, c->suffix, &value, &reason);

		if (ok != !c->why)
			fail_msg("'%s' gave %d", c->text, ok);
		assert_int_equal(value, c->why ? UNTOUCHED : c->value);
		if (c->why)
			check_refused(c->text, c->why);
	}
}

struct decimal_case {
	const char *text;
	uint64_t value;
	const char *why;
};

static void check_decimals(const struct decimal_case *c, size_t count,
			   bool (*parse)(const char *, uint64_t *, struct parse_reason *))
{
	for (; count > 0; count--, c++) {
		uint64_t value = UNTOUCHED;
		bool ok = parse(c->text, &value, &reason);

		if (ok != !c->why)
			fail_msg("'%s' gave %d", c->text, ok);
		if (value != (c->why ? UNTOUCHED : c->value))
			fail_msg("'%s' gave %llu", c->text, (unsigned long long)value);
		if (c->why)
			check_refused(c->text, c->why);
	}
}

static void test_times(void **state)
{
	static const struct decimal_case cases[] = {
		{ "0", 0, NULL },
		{ "2", 2000000000, NULL },
		{ "0.5", 500000000, NULL },
		{ "1.5s", 1500000000, NULL },
		{ "200ms", 200000000, NULL },
		{ "0.25ms", 250000, NULL },
		{ "3m", 180000000000, NULL },
		{ "500us", 500000, NULL },
		{ "0.5us", 500, NULL },
		{ "1.5m", 90000000000, NULL },
		{ "0.000000001", 1, NULL },
		{ "0.1000000000000000000000", 100000000, NULL },
		{ "18446744073.709551615", UINT64_MAX, NULL },
		{ "18446744073.709551616", 0, "too large for 64 bits" },
		{ "18446744074", 0, "too large for 64 bits" },
		{ "99999999999999999999s", 0, "too large for 64 bits" },
		{ "0.0000000001", 0, "finer than can be kept" },
		{ "0.0000001ms", 0, "finer than can be kept" },
		{ "-1", 0, "negative" },
		{ "-.5", 0, "negative" },
		{ ".5", 0, "not a number" },
		{ "1.", 0, "not a number" },
		{ "1.s", 0, "not a number" },
		{ "1.5.5", 0, "not a number with a known unit" },
		{ "1h", 0, "not a number with a known unit" },
		{ "1 s", 0, "not a number with a known unit" },
		{ "1e3", 0, "not a number with a known unit" },
		{ "", 0, "not a number" },
		{ "inf", 0, "not a number" },
		{ "nan", 0, "not a number" },
	};

	(void)state;
	check_decimals(cases, sizeof(cases) / sizeof(cases[0]), parse_time_ns);
}

/* Parse a list and compare it with what "%u," prints of it. */
static void check_list(const char *text, const struct parse_list_limits *limits,
		       const char *numbers_text)
{
	struct number_list list = { NULL, 0 };
	char printed[256] = "";
	size_t i, at = 0;

	if (!parse_list(text, limits, &list, &reason))
		fail_msg("'%s' was refused: %s", text, reason.text);
	for (i = 0; i < list.count; i++)
		at += (size_t)snprintf(printed + at, sizeof(printed) - at, "%u,",
				       list.value[i]);
	assert_string_equal(printed, numbers_text);
	free(list.value);
}

static void test_lists(void **state)
{
	static const struct parse_list_limits limits = { 100, 8, true };
	static const struct parse_list_limits repeats = { 100, 8, false };
	static const struct parse_list_limits widest = { UINT32_MAX, 8, true };

	(void)state;
	check_list("0", &limits, "0,");
	check_list("0,2,4-7", &limits, "0,2,4,5,6,7,");
	check_list("7,3", &limits, "7,3,");
	check_list("5-5", &limits, "5,");
	check_list("0-7", &limits, "0,1,2,3,4,5,6,7,");
	check_list("100", &limits, "100,");
	check_list("1,1,0-1", &repeats, "1,1,0,1,");
	check_list("4294967288-4294967295", &widest,
		   "4294967288,4294967289,4294967290,4294967291,4294967292,"
		   "4294967293,4294967294,4294967295,");
}

static void test_lists_refused(void **state)
{
	static const char range[] = "not a list of numbers in range";
	static const char twice[] = "a list that names a number twice";
	static const char many[] = "a list of too many numbers";
	static const struct {
		const char *text, *why;
	} cases[] = {
		{ "", range },
		{ ",", range },
		{ "1,", range },
		{ ",1", range },
		{ "1,,2", range },
		{ "1-", range },
		{ "-1", range },
		{ "1--2", range },
		{ "1-2-3", range },
		{ "a", range },
		{ "1 2", range },
		{ "1, 2", range },
		{ "101", range },
		{ "0-101", range },
		{ "4294967296", range },
		{ "18446744073709551616", range },
		{ "0x1", range },
		{ "3-1", "a list with a range that runs backwards" },
		{ "1,1", twice },
		{ "0-3,2", twice },
		{ "0-8", many },
		{ "0-7,8", many },
		{ "0-100", many },
	};
	static const struct parse_list_limits limits = { 100, 8, true };
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct number_list list = { NULL, 77 };

		if (parse_list(cases[i].text, &limits, &list, &reason))
			fail_msg("'%s' was accepted", cases[i].text);
		assert_null(list.value);
		assert_int_equal(list.count, 77);
		check_refused(cases[i].text, cases[i].why);
	}
}

static void test_macs(void **state)
{
	static const char *const bad[] = {
		"",
		"0",
		"02",
		"02:",
		"02:00:00:00:00",
		"02:00:00:00:00:",
		"02:00:00:00:00:0",
		"02:00:00:00:00:001",
		"02:00:00:00:00:00:00",
		"2:0:0:0:0:0",
		"02:00:00-00:00:00",
		"g2:00:00:00:00:00",
		"020000000000",
		"02.00.00.00.00.00",
		" 02:00:00:00:00:00",
	};
	static const uint8_t expected[6] = { 0x02, 0xab, 0xCD, 0x00, 0xff, 0x09 };
	uint8_t mac[6];
	size_t i;

	(void)state;
	assert_true(parse_mac("02:ab:CD:00:ff:09", mac, &reason));
	assert_memory_equal(mac, expected, 6);
	memset(mac, 0, sizeof(mac));
	assert_true(parse_mac("02-AB-cd-00-FF-09", mac, &reason));
	assert_memory_equal(mac, expected, 6);
	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		if (parse_mac(bad[i], mac, &reason))
			fail_msg("'%s' was accepted", bad[i]);
		check_refused(bad[i], "not a MAC address");
		assert_memory_equal(mac, expected, 6);
	}
}

static void test_addresses(void **state)
{
	static const char *const bad[] = {
		"",        "1",   "1.2.3",    "1.2.3.256", "1.2.3.4.5",
		"a.b.c.d", "::1", "1.2.3.4 ", "-1.2.3.4",  "0x1.2.3.4",
	};
	uint32_t address;
	size_t i;

	(void)state;
	assert_true(parse_ipv4("198.18.0.2", &address, &reason));
	assert_int_equal(address, 0xc6120002);
	assert_true(parse_ipv4("255.255.255.255", &address, &reason));
	assert_int_equal(address, 0xffffffff);
	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		if (parse_ipv4(bad[i], &address, &reason))
			fail_msg("'%s' was accepted", bad[i]);
		check_refused(bad[i], "not an IPv4 address");
	}
}

static void test_bytes(void **state)
{
	static const char *const bad[] = {
		"", "0", "0x", "0x5", "0x5a5", "5a", "0xg0", "0x0g", "0X5a", "90",
	};
	uint8_t byte = 1;
	size_t i;

	(void)state;
	assert_true(parse_hex_byte("0x00", &byte, &reason));
	assert_int_equal(byte, 0);
	assert_true(parse_hex_byte("0xFf", &byte, &reason));
	assert_int_equal(byte, 255);
	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		if (parse_hex_byte(bad[i], &byte, &reason))
			fail_msg("'%s' was accepted", bad[i]);
		check_refused(bad[i], "not a byte");
	}
}

static void test_reasons_stay_one_short_line(void **state)
{
	char text[5000];
	char shown[8];
	uint64_t value;

	(void)state;
	memset(text, '9', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	assert_false(parse_number(text, PARSE_PLAIN, &value, &reason));
	assert_string_equal(reason.text, "'9999999999999999999999999999999999999...' is "
					 "too large for 64 bits");
	assert_false(parse_number("a\nb\033[31m\xff", PARSE_PLAIN, &value, &reason));
	assert_string_equal(reason.text, "'a?b?[31m?' is not a whole number");
	parse_printable(shown, sizeof(shown), "1234567");
	assert_string_equal(shown, "1234567");
	parse_printable(shown, sizeof(shown), "12345678");
	assert_string_equal(shown, "1234...");
}

static void test_nearest(void **state)
{
	(void)state;
	assert_true(nearest_matches("pla", "plan"));
	assert_true(nearest_matches("paln", "plan") == false);
	assert_true(nearest_matches("plam", "plan"));
	assert_true(nearest_matches("xt", "tx") == false);
	assert_true(nearest_matches("framesize", "frame-size"));
	assert_true(nearest_matches("freme-sise", "frame-size"));
	assert_false(nearest_matches("", "plan"));
	assert_false(nearest_matches("receive", "plan"));
	assert_false(nearest_matches("an-option-longer-than-any-there-ever-was", "plan"));
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_numbers),
		cmocka_unit_test(test_times),
		cmocka_unit_test(test_lists),
		cmocka_unit_test(test_lists_refused),
		cmocka_unit_test(test_macs),
		cmocka_unit_test(test_addresses),
		cmocka_unit_test(test_bytes),
		cmocka_unit_test(test_reasons_stay_one_short_line),
		cmocka_unit_test(test_nearest),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
