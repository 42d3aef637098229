/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The option table and what it does with right command lines: every option is
 * complete, each stores its value in its place, and the defaults are as told.
 */
#include "leg.h"
#include "options_fixture.h"

static void test_defaults(void **state)
{
	static const uint8_t mac[6] = { 2, 0, 0, 0, 0, 2 }, none[6];
	struct config config;
	struct words words;

	(void)state;
	parse_good("tx -i x", &words, &config);
	assert_string_equal(config.interface, "x");
	assert_false(config.sandbox);
	assert_null(config.queues.value);
	assert_null(config.cpus.value);
	assert_int_equal(config.wire_size, 64);
	assert_int_equal(config.frame.length, 60);
	assert_int_equal(config.frame.size, sizeof(config.frame));
	assert_false(config.count_given);
	assert_int_equal(config.duration_ns, 0);
	assert_int_equal(config.rate.micro, 0);
	assert_int_equal(config.profile.steps, 0);
	assert_int_equal(config.bursts.packets, 0);
	assert_int_equal(config.batch, 0);
	assert_int_equal(config.ring, 0);
	assert_int_equal(config.frames, 0);
	assert_int_equal(config.completion_ring, 0);
	assert_int_equal(config.budget, 0);
	assert_int_equal(config.sndbuf, 0);
	assert_int_equal(config.bind_wait_ms, DXMIT_BIND_WAIT_MS);
	assert_int_equal(config.carrier_wait_ns, 10000000000);
	assert_int_equal(config.mode, DXMIT_MODE_COPY);
	assert_int_equal(config.direct, DXMIT_DIRECT_AUTO);
	assert_int_equal(config.direct_batch, 0);
	assert_int_equal(config.direct_shadow, 0);
	assert_false(config.direct_validate);
	assert_int_equal(config.link_loss, LINK_LOSS_WAIT);
	assert_int_equal(config.oversize, OVERSIZE_REFUSE);
	assert_memory_equal(config.frame.destination_mac, mac, 6);
	assert_memory_equal(config.frame.source_mac, none, 6);
	assert_false(config.source_mac_given);
	assert_int_equal(config.frame.source_ip, 0xc6120001);
	assert_int_equal(config.frame.destination_ip, 0xc6120002);
	assert_int_equal(config.frame.source_port, 4660);
	assert_int_equal(config.frame.destination_port, 9);
	assert_int_equal(config.frame.ttl, 64);
	assert_int_equal(config.interval_ns, 1000000000);
	assert_false(config.dry_run || config.force || config.verbose || config.stamp);
	config_free(&config);
}

static void test_load_is_stored(void **state)
{
	struct config config;
	struct words words;

	(void)state;
	parse_good("tx -i x -n 0", &words, &config);
	assert_true(config.count_given);
	assert_int_equal(config.count, 0);
	config_free(&config);
	parse_good("tx --sandbox -s1518 -n2M -d 1.5m --rate 2.5kpps -b 64 -z --kick poll "
		   "--stamp",
		   &words, &config);
	assert_null(config.interface);
	assert_true(config.sandbox);
	assert_int_equal(config.sandbox_queues, 2);
	assert_int_equal(config.wire_size, 1518);
	assert_int_equal(config.frame.length, 1514);
	assert_int_equal(config.count, 2000000);
	assert_int_equal(config.duration_ns, 90000000000);
	assert_int_equal(config.rate.unit, RATE_PPS);
	assert_int_equal(config.rate.micro, 2500000000);
	assert_int_equal(config.batch, 64);
	assert_int_equal(config.mode, DXMIT_MODE_ZEROCOPY);
	assert_int_equal(config.kick, DXMIT_KICK_POLL);
	assert_true(config.stamp);
	config_free(&config);
	parse_good("tx --sandbox=7 -d 50ms", &words, &config);
	assert_int_equal(config.sandbox_queues, 7);
	assert_int_equal(config.duration_ns, 50000000);
	config_free(&config);
}

static void test_timing_is_stored(void **state)
{
	struct config config;
	struct words words;

	(void)state;
	parse_good("tx -i x --rate 1Gbps-l1", &words, &config);
	assert_int_equal(config.rate.unit, RATE_L1_BPS);
	assert_int_equal(config.rate.micro, 1000000000000000);
	config_free(&config);
	parse_good("tx -i x --rate 50% --rate max", &words, &config);
	assert_int_equal(config.rate.unit, RATE_PPS);
	assert_int_equal(config.rate.micro, 0);
	config_free(&config);
	parse_good("tx -i x --profile 1k:2k:3,4k", &words, &config);
	assert_int_equal(config.profile.steps, 2);
	assert_int_equal(config.profile.step[0].to.micro, 2000000000);
	assert_int_equal(config.profile.step[0].length_ns, 3000000000);
	assert_int_equal(config.profile.step[1].length_ns, SCHEDULE_ENDLESS);
	config_free(&config);
	parse_good("tx -i x --burst 2k:10ms", &words, &config);
	assert_int_equal(config.bursts.packets, 2000);
	assert_int_equal(config.bursts.period_ns, 10000000);
	config_free(&config);
}

static void test_queue_options_are_stored(void **state)
{
	static const uint32_t queues[] = { 0, 2, 4, 5, 6 }, cpus[] = { 3, 3, 1 };
	struct config config;
	struct words words;

	(void)state;
	parse_good("tx -i x -q 0,2,4-6 --cpus 3,3,1 --numa 5 --ring 512 --frames 256 "
		   "--completion-ring 256 --budget 128 --sndbuf 1M --huge on",
		   &words, &config);
	assert_int_equal(config.queues.count, 5);
	assert_memory_equal(config.queues.value, queues, sizeof(queues));
	assert_int_equal(config.cpus.count, 3);
	assert_memory_equal(config.cpus.value, cpus, sizeof(cpus));
	assert_int_equal(config.numa, DXMIT_NUMA_NODE);
	assert_int_equal(config.node, 5);
	assert_int_equal(config.ring, 512);
	assert_int_equal(config.frames, 256);
	assert_int_equal(config.completion_ring, 256);
	assert_int_equal(config.budget, 128);
	assert_int_equal(config.sndbuf, 1048576);
	assert_int_equal(config.huge, DXMIT_HUGE_ON);
	config_free(&config);
	assert_null(config.queues.value);
	config_free(&config);
	parse_good("tx -i x --numa any --avoid-irq-cpus", &words, &config);
	assert_int_equal(config.numa, DXMIT_NUMA_ANY);
	assert_true(config.avoid_irq_cpus);
	config_free(&config);
}

static void test_path_is_stored(void **state)
{
	struct config config;
	struct words words;

	(void)state;
	parse_good("tx -i x --path direct --direct-batch 8 --direct-validate "
		   "--direct-shadow 1000",
		   &words, &config);
	assert_int_equal(config.direct, DXMIT_DIRECT_REQUIRE);
	assert_int_equal(config.direct_batch, 8);
	assert_true(config.direct_validate);
	assert_int_equal(config.direct_shadow, 1000);
	config_free(&config);
	parse_good("plan -i x --path kernel", &words, &config);
	assert_int_equal(config.direct, DXMIT_DIRECT_OFF);
	config_free(&config);
}

static void test_sockets_are_stored(void **state)
{
	struct config config;
	struct words words;

	(void)state;
	parse_good("attach -p 42 --fd 0 --direct-batch 64", &words, &config);
	assert_int_equal(config.pid, 42);
	assert_true(config.fd_given);
	assert_int_equal(config.fd, 0);
	assert_int_equal(config.direct_batch, 64);
	assert_false(config.all || config.list);
	config_free(&config);
	parse_good("attach -l --json -", &words, &config);
	assert_true(config.list);
	config_free(&config);
	parse_good("detach --pid 42 --all", &words, &config);
	assert_true(config.all);
	assert_false(config.fd_given);
	config_free(&config);
	parse_good("detach --id 18446744073709551615", &words, &config);
	assert_int_equal(config.id, UINT64_MAX);
	config_free(&config);
}

static void test_frame_is_stored(void **state)
{
	static const uint8_t dst[6] = { 0xaa, 1, 2, 3, 4, 5 },
			     src[6] = { 2, 9, 8, 7, 6, 5 };
	struct config config;
	struct words words;

	(void)state;
	parse_good("tx -i x --dst-mac aa:01:02:03:04:05 --src-mac 02-09-08-07-06-05 "
		   "--dst-ip 10.0.0.1 --src-ip 10.0.0.2 --dst-port 0",
		   &words, &config);
	assert_memory_equal(config.frame.destination_mac, dst, 6);
	assert_memory_equal(config.frame.source_mac, src, 6);
	assert_true(config.source_mac_given);
	assert_int_equal(config.frame.destination_ip, 0x0a000001);
	assert_int_equal(config.frame.source_ip, 0x0a000002);
	assert_int_equal(config.frame.destination_port, 0);
	assert_int_equal(config.frame.payload, DXMIT_PAYLOAD_ZERO);
	config_free(&config);
	parse_good("tx -i x --ttl 255 --dscp 46 --payload 0x5a --src-port 65535", &words,
		   &config);
	assert_int_equal(config.frame.ttl, 255);
	assert_int_equal(config.frame.dscp, 46);
	assert_int_equal(config.frame.payload, DXMIT_PAYLOAD_BYTE);
	assert_int_equal(config.frame.payload_byte, 0x5a);
	assert_int_equal(config.frame.source_port, 65535);
	assert_int_equal(config.frame.destination_port, 9);
	config_free(&config);
}

static void test_faults_and_outputs_are_stored(void **state)
{
	struct config config;
	struct words words;

	(void)state;
	parse_good(
		"tx -i x --link-loss go --oversize skip --bind-wait 1 --carrier-wait 0 "
		"--force --interval 0 --json - --prometheus p -v",
		&words, &config);
	assert_int_equal(config.link_loss, LINK_LOSS_GO);
	assert_int_equal(config.oversize, OVERSIZE_SKIP);
	assert_int_equal(config.bind_wait_ms, 1);
	assert_int_equal(config.carrier_wait_ns, 0);
	assert_int_equal(config.interval_ns, 0);
	assert_string_equal(config.json, "-");
	assert_string_equal(config.prometheus, "p");
	assert_true(config.force && config.verbose);
	config_free(&config);
}

static void test_what_changes_is_stored(void **state)
{
	struct config config;
	struct words words;

	(void)state;
	parse_good("tx -i x -s 64:7,594-600:2 --flows 1k --stamp --stamp-format pktgen",
		   &words, &config);
	assert_int_equal(config.sizes.entries, 5);
	assert_int_equal(config.sizes.entry[0].weight, 7);
	assert_int_equal(config.sizes.entry[4].wire_size, 600);
	assert_int_equal(config.wire_size, 600);
	assert_int_equal(config.flows, 1000);
	assert_int_equal(config.stamp_format, STAMP_PKTGEN);
	config_free(&config);
}

static void test_last_one_wins(void **state)
{
	struct config config;
	struct words words;

	(void)state;
	parse_good("tx -i x -i y -s 64 --size=128 -q 1,2 -q 3 --payload 0x11 --payload "
		   "count --cpus 1 --cpus 2,3 --numa 1 --numa nic",
		   &words, &config);
	assert_string_equal(config.interface, "y");
	assert_int_equal(config.wire_size, 128);
	assert_int_equal(config.queues.count, 1);
	assert_int_equal(config.queues.value[0], 3);
	assert_int_equal(config.cpus.count, 2);
	assert_int_equal(config.frame.payload, DXMIT_PAYLOAD_COUNT);
	assert_int_equal(config.numa, DXMIT_NUMA_NIC);
	config_free(&config);
	parse_good("tx -i x -q 1,2 -q all", &words, &config);
	assert_null(config.queues.value);
	assert_int_equal(config.queues.count, 0);
	config_free(&config);
}

/* Whether a command has this option, be it by another row of the same name. */
static bool is_taken(const struct command *command, const struct option_row *row)
{
	size_t i;

	for (i = 0; i < OPTIONS; i++)
		if ((option_table[i].commands & command->mask) &&
		    strcmp(option_table[i].name, row->name) == 0 &&
		    !option_table[i].argument == !row->argument)
			return true;
	return false;
}

static void test_help_and_version(void **state)
{
	static char out[65536];
	size_t c, i;

	(void)state;
	assert_int_equal(
		parse_in_child("tx -i x --version", STDOUT_FILENO, out, sizeof(out)),
		OPTIONS_DONE);
	assert_string_equal(out, "dxmit " DXMIT_VERSION_STRING "\n");
	for (c = 0; c < COMMANDS; c++) {
		char line[32];

		snprintf(line, sizeof(line), "%s -h", commands[c].name);
		assert_int_equal(parse_in_child(line, STDOUT_FILENO, out, sizeof(out)),
				 OPTIONS_DONE);
		for (i = 0; i < OPTIONS; i++) {
			const struct option_row *row = &option_table[i];
			bool taken = is_taken(&commands[c], row);
			char flag[64];

			snprintf(flag, sizeof(flag), " --%s%s", row->name,
				 row->type == VALUE_SANDBOX ? "[="
				 : row->argument            ? "="
							    : " ");
			if (!!strstr(out, flag) != taken)
				fail_msg("'%s' in help of %s: expected %d", flag,
					 commands[c].name, taken);
		}
	}
}

static void test_table_is_complete(void **state)
{
	const unsigned all = COMMAND_TX | COMMAND_PLAN | COMMAND_PROBE | COMMAND_ATTACH |
			     COMMAND_DETACH | COMMAND_COMPARE | COMMAND_REPORT;
	size_t i, j;

	(void)state;
	for (i = 0; i < OPTIONS; i++) {
		const struct option_row *row = &option_table[i];
		char legal[OPTION_LEGAL_LEN];
		size_t end;

		assert_non_null(row->name);
		assert_int_equal(
			row->name[strspn(row->name, "abcdefghijklmnopqrstuvwxyz-")], 0);
		assert_non_null(row->unit);
		assert_non_null(row->help);
		end = strlen(row->help);
		assert_true(end > 1 && row->help[end - 1] == '.');
		assert_true(row->commands != 0 && (row->commands & ~all) == 0);
		option_legal(row, legal);
		assert_true(strlen(legal) < OPTION_LEGAL_LEN - 1);
		assert_int_equal(legal[0] != '\0', row->argument != NULL);
		if (row->argument)
			assert_true((row->fallback != NULL) != (row->otherwise != NULL));
		if (row->type != VALUE_ACTION) {
			assert_true(row->bytes > 0);
			assert_true(row->offset + row->bytes <= sizeof(struct config));
		}
		for (j = 0; j < i; j++) {
			/* Of two with one name a command takes one at most. */
			if (row->commands & option_table[j].commands) {
				assert_string_not_equal(row->name, option_table[j].name);
				if (row->letter)
					assert_int_not_equal(row->letter,
							     option_table[j].letter);
			}
			/* Only -c and -z share a place. */
			if (row->bytes && row->offset == option_table[j].offset)
				assert_int_equal(i, OPT_ZERO_COPY);
		}
	}
}

/* What means one thing on tx and another on compare. */
static void test_compare_is_stored(void **state)
{
	struct words words;
	struct config config;

	(void)state;
	parse_good("compare --sandbox=4", &words, &config);
	assert_string_equal(config.compare.legs, LEGS_DEFAULT);
	assert_true(config.compare.window_ns == 500000000);
	assert_true(config.compare.warm_up_ns == 100000000);
	assert_int_equal(config.compare.rounds, 15);
	assert_int_equal(config.compare.until_ppm, 0);
	assert_false(config.compare.profile || config.compare.seed_given);
	assert_null(config.compare.queues.value);
	config_free(&config);

	parse_good("compare -i x --legs copy,zerocopy --queues 1,3 --sizes 64,1518 "
		   "--batches 64,256 --rings 512 -d 2 --until 0.5% --seed 0 --profile "
		   "--warm-up 0 --cool-down 1.5 --time-limit 60 --html h",
		   &words, &config);
	assert_string_equal(config.compare.legs, "copy,zerocopy");
	assert_int_equal(config.compare.queues.count, 2);
	assert_int_equal(config.compare.queues.value[1], 3);
	assert_null(config.queues.value);
	assert_int_equal(config.compare.sizes.value[1], 1518);
	assert_int_equal(config.compare.batches.value[0], 64);
	assert_int_equal(config.compare.rings.value[0], 512);
	assert_true(config.compare.window_ns == 2000000000);
	assert_true(config.duration_ns == 0);
	assert_int_equal(config.compare.until_ppm, 5000);
	assert_true(config.compare.seed_given && config.compare.profile);
	assert_int_equal(config.profile.steps, 0);
	assert_true(config.compare.cool_down_ns == 1500000000);
	config_free(&config);

	parse_good("tx -i x -q 0,3 -d 2 --profile 1pps:1", &words, &config);
	assert_int_equal(config.queues.count, 2);
	assert_true(config.duration_ns == 2000000000);
	assert_int_equal(config.profile.steps, 1);
	assert_false(config.compare.profile);
	config_free(&config);
}

static void test_compare_refuses(void **state)
{
	static const struct wrong_line wrong[] = {
		{ "compare", "compare: no interface is named; use -i IF, or --sandbox to "
			     "need none" },
		{ "compare -i x --sizes 63",
		  "--sizes: '63' is out of range; use sizes from "
		  "64 to 66004, each once, as in 64,512,1518" },
		{ "compare -i x --queues 0",
		  "--queues: '0' is out of range; use numbers from 1 to 1024, each once, "
		  "as in 1,2,4" },
		{ "compare -i x --queues all",
		  "--queues: 'all' is not a list of numbers in range; use numbers from 1 to 1024, "
		  "each once, as in 1,2,4" },
		{ "compare --sandbox=2 --queues 3",
		  "--queues: 3 are more than the sandbox has; use --sandbox=3" },
		{ "compare -i x --rings 100",
		  "--rings: 100 is not a power of two; use 64, 512 or the like" },
		{ "compare -i x --until 1",
		  "--until: '1' is not a number with a known unit; use a share such as "
		  "1% or 0.5%" },
		{ "compare -i x -s 64 --sizes 128",
		  "--sizes: contradicts --size; leave one of them out" },
		{ "compare -i x --html a --csv a",
		  "--html: names the same output as --csv; give each its own" },
		{ "compare -i x --rounds 0", "--rounds: '0' is out of range; use a whole "
					     "number from 1 to 100000" },
	};

	(void)state;
	CHECK_WRONG_LINES(wrong);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_table_is_complete),
		cmocka_unit_test(test_defaults),
		cmocka_unit_test(test_load_is_stored),
		cmocka_unit_test(test_timing_is_stored),
		cmocka_unit_test(test_queue_options_are_stored),
		cmocka_unit_test(test_path_is_stored),
		cmocka_unit_test(test_sockets_are_stored),
		cmocka_unit_test(test_frame_is_stored),
		cmocka_unit_test(test_faults_and_outputs_are_stored),
		cmocka_unit_test(test_what_changes_is_stored),
		cmocka_unit_test(test_last_one_wins),
		cmocka_unit_test(test_help_and_version),
		cmocka_unit_test(test_compare_is_stored),
		cmocka_unit_test(test_compare_refuses),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
