/* SPDX-License-Identifier: BSD-2-Clause */
/* The options of --replay: what they take, and what is said of the rest. */
#include "options_fixture.h"

#define MAPS                                                      \
	"; use up to 16 pairs of addresses or networks, such as " \
	"10.0.0.1=10.0.0.9,192.168.0.0/16=198.18.0.0/16"
#define TIMING "; use top, recorded or a factor such as 2x or 0.5x"

static void test_replay_refused(void **state)
{
	static const struct wrong_line wrong[] = {
		{ "tx -i x --replay f --replay-timing 2",
		  "--replay-timing: '2' is not a number with a known unit" TIMING },
		{ "tx -i x --replay f --replay-timing 0x",
		  "--replay-timing: '0x' is out of range" TIMING },
		{ "tx -i x --replay f --replay-timing -1x",
		  "--replay-timing: '-1x' is negative" TIMING },
		{ "tx -i x --replay f --replay-timing now",
		  "--replay-timing: 'now' is not a number" TIMING },
		{ "tx -i x --loop 2",
		  "--loop: has no effect without --replay; add --replay FILE" },
		{ "tx -i x --snapped pad",
		  "--snapped: has no effect without --replay; add --replay FILE" },
		{ "tx -i x --replay f --bad-record send",
		  "--bad-record: 'send' is not one of its words; use skip or stop" },
		{ "tx -i x --replay f -s 64",
		  "-s: has no effect with --replay; leave it out" },
		{ "tx -i x --replay f --stamp",
		  "--stamp: has no effect with --replay; leave it out" },
		{ "tx -i x --replay f --map-ip 1.2.3.4",
		  "--map-ip: '1.2.3.4' is no pair OLD=NEW" MAPS },
		{ "tx -i x --replay f --map-ip 1.2.3.4=1.2.3.0/24",
		  "--map-ip: '1.2.3.4=1.2.3.0/24' is a pair with different prefix "
		  "lengths" MAPS },
		{ "tx -i x --replay f --map-ip 1.2.3.0/23=1.2.4.0/23",
		  "--map-ip: '1.2.3.0/23=1.2.4.0/23' is an address and no network" MAPS },
		{ "tx -i x --replay f --map-ip 1.2.3.4=1.2.3.4,",
		  "--map-ip: '' is no pair OLD=NEW" MAPS },
		{ "tx -i x --map-ip 1.2.3.4=1.2.3.5",
		  "--map-ip: has no effect without --replay; add --replay FILE" },
		{ "tx -i x --replay f --dry-run",
		  "--replay: has no effect with --dry-run; leave it out" },
		{ "tx -i x --replay f --rate 10 --replay-timing 2x",
		  "--replay-timing: contradicts --rate, --profile and --burst; leave it out" },
		{ "tx -i x --replay f --max-gap 1",
		  "--max-gap: has no effect without recorded times; "
		  "add --replay-timing recorded" },
		{ "plan -i x --replay f",
		  "--replay: is no option of 'dxmit plan' but of 'dxmit tx'; leave it "
		  "out" },
	};

	(void)state;
	CHECK_WRONG_LINES(wrong);
}

static void test_replay_taken(void **state)
{
	static const struct {
		const char *line;
		uint64_t speed_micro, loops;
		bool loops_given;
	} right[] = {
		{ "tx -i x --replay f", 0, 0, false },
		{ "tx -i x --replay f --replay-timing top --rate 1k", 0, 0, false },
		{ "tx -i x --replay f --replay-timing recorded --max-gap 1ms", 1000000, 0,
		  false },
		{ "tx -i x --replay - --replay-timing 0.25x --loop 3", 250000, 3, true },
		{ "tx -i x --replay f --replay-timing 1000x --loop 0 --dst-mac "
		  "02:00:00:00:00:09",
		  1000000000, 0, true },
	};
	struct config config;
	struct words words;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(right) / sizeof(right[0]); i++) {
		parse_good(right[i].line, &words, &config);
		assert_int_equal(config.replay.speed_micro, right[i].speed_micro);
		assert_int_equal(config.replay.loops, right[i].loops);
		assert_int_equal(config.replay.loops_given, right[i].loops_given);
		assert_int_equal(config.destination_mac_given, i == 4);
		config_free(&config);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_replay_refused),
		cmocka_unit_test(test_replay_taken),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
