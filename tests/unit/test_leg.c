/* SPDX-License-Identifier: BSD-2-Clause */
/* Legs: from the text of --legs to what each runs with, and what is refused. */
#include "options_fixture.h"

#include "leg.h"

static void check_leg(const struct leg *leg, enum leg_kind kind, const char *name,
		      const char *settings, const char *command)
{
	assert_int_equal(leg->kind, kind);
	assert_string_equal(leg->name, name);
	if (settings)
		assert_string_equal(leg->settings, settings);
	else
		assert_null(leg->settings);
	if (command)
		assert_string_equal(leg->command, command);
	else
		assert_null(leg->command);
}

static void test_default_legs(void **state)
{
	static const enum leg_kind kinds[] = {
		LEG_COPY,      LEG_DIRECT,           LEG_ZEROCOPY,
		LEG_AF_PACKET, LEG_AF_PACKET_BYPASS, LEG_AF_PACKET_RING,
		LEG_UDP,       LEG_UDP_GSO,          LEG_PKTGEN
	};
	struct legs legs;
	size_t i;

	(void)state;
	assert_int_equal(legs_parse(LEGS_DEFAULT, &legs), 0);
	assert_int_equal(legs.count, sizeof(kinds) / sizeof(kinds[0]));
	for (i = 0; i < legs.count; i++)
		check_leg(&legs.leg[i], kinds[i], leg_kind_name(kinds[i]), NULL, NULL);
	legs_free(&legs);
	assert_int_equal(legs.count, 0);
}

static void test_every_kind_has_a_name(void **state)
{
	struct legs legs;
	size_t i;

	(void)state;
	for (i = 0; i < LEG_EXEC; i++) {
		assert_int_equal(legs_parse(leg_kind_name((enum leg_kind)i), &legs), 0);
		check_leg(&legs.leg[0], (enum leg_kind)i, leg_kind_name((enum leg_kind)i),
			  NULL, NULL);
		legs_free(&legs);
	}
}

static void test_names_and_settings(void **state)
{
	struct legs legs;

	(void)state;
	assert_int_equal(legs_parse("copy,copy:budget=32,old=copy:budget=64:batch=128,"
				    "af_packet-ring:ring=256",
				    &legs),
			 0);
	assert_int_equal(legs.count, 4);
	check_leg(&legs.leg[1], LEG_COPY, "copy:budget=32", "budget=32", NULL);
	check_leg(&legs.leg[2], LEG_COPY, "old", "budget=64:batch=128", NULL);
	check_leg(&legs.leg[3], LEG_AF_PACKET_RING, "af_packet-ring:ring=256", "ring=256",
		  NULL);
	legs_free(&legs);
}

static void test_commands(void **state)
{
	struct legs legs;

	(void)state;
	assert_int_equal(legs_parse("exec:/usr/bin/xdpsock -i %i:0 -t a=b,"
				    "mz=exec:mausezahn 'a,b' \"c,'d\" -c 0,copy",
				    &legs),
			 0);
	assert_int_equal(legs.count, 3);
	check_leg(&legs.leg[0], LEG_EXEC, "xdpsock", NULL,
		  "/usr/bin/xdpsock -i %i:0 -t a=b");
	check_leg(&legs.leg[1], LEG_EXEC, "mz", NULL, "mausezahn 'a,b' \"c,'d\" -c 0");
	check_leg(&legs.leg[2], LEG_COPY, "copy", NULL, NULL);
	legs_free(&legs);
	assert_int_equal(legs_parse("exec: while :; do sleep 1; done", &legs), 0);
	check_leg(&legs.leg[0], LEG_EXEC, "while", NULL, " while :; do sleep 1; done");
	legs_free(&legs);
}

static void test_expansion(void **state)
{
	char *text = leg_expand("s -i %i -q%q %c%% -l %s %x %", "eth1", 2, 7, 1518);

	(void)state;
	assert_string_equal(text, "s -i eth1 -q2 7% -l 1518 %x %");
	free(text);
}

static struct config configured(const char *text)
{
	struct config config = { .budget = 1 };
	struct legs legs;

	assert_int_equal(legs_parse(text, &legs), 0);
	leg_configure(&legs.leg[0], &config);
	legs_free(&legs);
	return config;
}

static void test_what_a_leg_runs_with(void **state)
{
	struct config config = configured("copy");

	(void)state;
	assert_int_equal(config.direct, DXMIT_DIRECT_OFF);
	assert_int_equal(config.mode, DXMIT_MODE_COPY);
	assert_int_equal(config.budget, 1);
	config = configured("copy:budget=64:huge=off:frame-size=4k:kick=poll");
	assert_int_equal(config.budget, 64);
	assert_int_equal(config.huge, DXMIT_HUGE_OFF);
	assert_int_equal(config.frame_size, 4096);
	assert_true(config.frame_size_given);
	assert_int_equal(config.kick, DXMIT_KICK_POLL);
	config = configured("direct:direct-batch=4");
	assert_int_equal(config.direct, DXMIT_DIRECT_REQUIRE);
	assert_int_equal(config.direct_batch, 4);
	assert_false(config.direct_validate);
	config = configured("direct-validate");
	assert_int_equal(config.direct, DXMIT_DIRECT_REQUIRE);
	assert_true(config.direct_validate);
	config = configured("zerocopy");
	assert_int_equal(config.mode, DXMIT_MODE_ZEROCOPY);
}

#define LEGS "compare -i x --legs "
static void test_refused(void **state)
{
	static const struct wrong_line wrong[] = {
		{ LEGS "''", "--legs: '' is empty; use [NAME=]KIND[:OPTION=VALUE]... "
			     "separated by commas, or [NAME=]exec:COMMAND" },
		{ LEGS "copy,", "--legs: an item is empty; write LEG or LEG,LEG" },
		{ LEGS "copy,,direct", "--legs: an item is empty; write LEG or LEG,LEG" },
		{ LEGS "cpy", "--legs: there is no leg 'cpy'; perhaps copy is meant, see "
			      "'dxmit compare --help'" },
		{ LEGS "sendfile",
		  "--legs: there is no leg 'sendfile'; see 'dxmit compare --help'" },
		{ LEGS "=copy", "--legs: a name before = is empty; write NAME=KIND" },
		{ LEGS "copy,copy",
		  "--legs: two legs are called 'copy'; give one another "
		  "name with NAME=" },
		{ LEGS "a=copy,a=direct", "--legs: two legs are called 'a'; give one "
					  "another name with NAME=" },
		{ LEGS "exec", "--legs: leg exec has no command; write exec:COMMAND" },
		{ LEGS "exec:", "--legs: leg exec has no command; write exec:COMMAND" },
		{ LEGS "copy:budget",
		  "--legs: 'budget' is no setting of leg copy; it "
		  "takes OPTION=VALUE of: batch, kick, budget, ring, "
		  "frames, frame-size, completion-ring, huge, sndbuf" },
		{ LEGS "pktgen:batch=3",
		  "--legs: 'batch' is no setting of leg pktgen; it "
		  "takes OPTION=VALUE of: none" },
		{ LEGS "udp:ring=64", "--legs: 'ring' is no setting of leg udp; it takes "
				      "OPTION=VALUE of: batch, sndbuf" },
		{ LEGS "copy:budget=3",
		  "--legs: budget of leg copy:budget=3: '3' is out of "
		  "range; use a whole number from 32 to 1048576" },
		{ LEGS "copy:batch=1:batch=2",
		  "--legs: 'batch' stands twice in leg copy:batch=1:batch=2; leave one of "
		  "them out" },
		{ LEGS "copy:", "--legs: '' is no setting of leg copy; it takes "
				"OPTION=VALUE of: batch, kick, budget, ring, frames, "
				"frame-size, completion-ring, huge, sndbuf" },
	};

	(void)state;
	CHECK_WRONG_LINES(wrong);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_default_legs),
		cmocka_unit_test(test_every_kind_has_a_name),
		cmocka_unit_test(test_names_and_settings),
		cmocka_unit_test(test_commands),
		cmocka_unit_test(test_expansion),
		cmocka_unit_test(test_what_a_leg_runs_with),
		cmocka_unit_test(test_refused),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
