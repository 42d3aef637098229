/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Templates: the fixed options give the frame they always gave, expressions get
 * the size and the stamp they need, and the far end is told what to look at.
 */
#include "message.h" /* before cmocka's macro fail() */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "options.h"
#include "template.h"

static const uint8_t nic_mac[6] = { 2, 0, 0, 0, 0, 0x77 };
static uint8_t frame[DXMIT_MAX_FRAME_SIZE];

/* What `dxmit tx --sandbox …` would read. */
static int read_options(struct config *config, const char *const *arguments)
{
	const char *argv[16] = { "tx", "--sandbox" };
	int argc = 2;

	for (; *arguments; arguments++)
		argv[argc++] = *arguments;
	return options_parse(&commands[0], argc, (char **)argv, config);
}

#define READ(config, ...) read_options(config, (const char *const[]){ __VA_ARGS__, NULL })

static void built(const struct config *config, const struct expression *expression,
		  struct template *template)
{
	assert_int_equal(template_build(config, expression, nic_mac,
					config->wire_size - DXMIT_FCS_BYTES, frame,
					sizeof(frame), template),
			 EXIT_DONE);
}

static struct expression *parsed(const char *text)
{
	struct expression *expression;

	assert_int_equal(template_read("--frame", text, &expression), EXIT_DONE);
	return expression;
}

static void fixed_options(void **state)
{
	uint8_t plain[DXMIT_MAX_FRAME_SIZE];
	struct template template;
	struct config config;
	int turn;

	(void)state;
	for (turn = 0; turn < 2; turn++) {
		if (turn)
			assert_int_equal(READ(&config, "-s", "777", "--dst-ip",
					      "10.1.2.3", "--src-mac",
					      "00:11:22:33:44:55", "--dscp", "46",
					      "--ttl", "3", "--payload", "count",
					      "--dst-port", "7"),
					 0);
		else
			assert_int_equal(READ(&config, "--stamp"), 0);
		built(&config, NULL, &template);
		if (!turn)
			memcpy(config.frame.source_mac, nic_mac, 6);
		assert_int_equal(dxmit_udp_build(&config.frame, plain, sizeof(plain)),
				 template.map.length);
		assert_memory_equal(frame, plain, template.map.length);
		assert_int_equal(template.stamp.at, turn ? 0 : DXMIT_UDP_HEADERS_BYTES);
		config_free(&config);
	}
}

/* Without -s a frame is as short as its layers allow, with room for a stamp. */
static void size_follows_the_layers(void **state)
{
	static const struct {
		const char *frame, *stamp;
		uint32_t wire_size;
	} rows[] = {
		{ "eth/ip4/udp", NULL, 64 },
		{ "eth/ip4/udp", "--stamp", 64 },
		{ "eth/ip6/udp", NULL, 14 + 40 + 8 + 4 },
		{ "eth/ip6/udp", "--stamp", 14 + 40 + 8 + 16 + 4 },
		{ "eth/ip4:options=00/tcp", NULL, 64 },
		{ "eth/ip6/udp/vxlan/eth/vlan/ip6/tcp:options=00", NULL,
		  14 + 40 + 8 + 8 + 14 + 4 + 40 + 24 + 4 },
	};
	struct config config;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		assert_int_equal(READ(&config, "--frame", rows[i].frame, rows[i].stamp),
				 0);
		assert_int_equal(config.wire_size, rows[i].wire_size);
		config_free(&config);
	}
	assert_int_equal(READ(&config, "--frame", "eth/ip6/udp", "-s", "100"), 0);
	assert_int_equal(config.wire_size, 100);
	config_free(&config);
}

static void payload_is_the_options(void **state)
{
	struct expression *e = parsed("eth/ip6/udp");
	struct template template;
	struct config config;

	(void)state;
	assert_int_equal(
		READ(&config, "--frame", "eth/ip6/udp", "-s", "100", "--payload", "0x5a"),
		0);
	built(&config, e, &template);
	assert_int_equal(frame[62], 0x5a);
	assert_int_equal(frame[95], 0x5a);
	assert_memory_equal(frame + 6, nic_mac, 6);
	expression_free(e);
	config_free(&config);
}

/* The test of a match that looks at `at`, or NULL. */
static const struct farend_test *test_at(const struct farend_match *match, uint32_t at)
{
	uint32_t i;

	for (i = 0; i < match->tests; i++)
		if (match->test[i].at == at)
			return &match->test[i];
	return NULL;
}

static void match_of(const char *text, struct farend_match *match)
{
	struct expression *e = parsed(text);
	struct template template;
	struct config config = { .wire_size = 404 };

	built(&config, e, &template);
	template_match(&template, e, match);
	expression_free(e);
}

#define IS_TEST(match, at_, width_, value_)                           \
	do {                                                          \
		assert_non_null(test_at(match, at_));                 \
		assert_int_equal(test_at(match, at_)->width, width_); \
		assert_int_equal(test_at(match, at_)->value, value_); \
	} while (0)

static void far_end_looks_at_what_stays(void **state)
{
	struct farend_match match;

	(void)state;
	match_of("eth/ip4:10.0.0.1>10.0.0.2/udp:1>2", &match);
	assert_true(match.ipv4);
	IS_TEST(&match, 12, 2, 0x0800);
	IS_TEST(&match, 23, 1, 17);
	IS_TEST(&match, 26, 4, 0x0a000001);
	IS_TEST(&match, 30, 4, 0x0a000002);
	IS_TEST(&match, 34, 2, 1);
	IS_TEST(&match, 36, 2, 2);
	assert_int_equal(match.tests, 6);
	/* What changes is not looked at, however it is changed. */
	match_of("eth/ip4:10.0.0.0/24>10.0.0.2,byte19=list(1|2)/udp:1>2-3", &match);
	assert_null(test_at(&match, 26));
	assert_null(test_at(&match, 30));
	assert_null(test_at(&match, 36));
	IS_TEST(&match, 34, 2, 1);
	match_of("eth:type=list(0x0800|0x0801)/ip4", &match);
	assert_false(match.ipv4);
	assert_null(test_at(&match, 12));
	/* Of an IPv6 address the upper half stays. */
	match_of("eth/ip6:2001:2::/64>::1/icmp6", &match);
	assert_false(match.ipv4);
	IS_TEST(&match, 22, 4, 0x20010002);
	IS_TEST(&match, 26, 4, 0);
	assert_null(test_at(&match, 30));
	assert_null(test_at(&match, 34));
	IS_TEST(&match, 50, 4, 1);
	IS_TEST(&match, 54, 1, 128);
}

/* The kernel takes the outermost tag off, whatever it is. */
static void far_end_sees_no_first_tag(void **state)
{
	struct farend_match match;

	(void)state;
	match_of("eth/vlan:5/ip4/udp", &match);
	assert_false(match.ipv4);
	IS_TEST(&match, 12, 2, 0x0800);
	IS_TEST(&match, 23, 1, 17);
	assert_null(test_at(&match, 8));
	match_of("eth/svlan:5/vlan:6/ip4/udp", &match);
	IS_TEST(&match, 12, 2, 0x8100);
	IS_TEST(&match, 16, 2, 0x0800);
	/* This one it does not know. */
	match_of("eth:type=0x9100/vlan:5/ip4/udp", &match);
	IS_TEST(&match, 12, 2, 0x9100);
	IS_TEST(&match, 16, 2, 0x0800);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(fixed_options),
		cmocka_unit_test(size_follows_the_layers),
		cmocka_unit_test(payload_is_the_options),
		cmocka_unit_test(far_end_looks_at_what_stays),
		cmocka_unit_test(far_end_sees_no_first_tag),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
