/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Wrong command lines: the exact line on stderr and the exit code for every way
 * to get one wrong, and their nearest right neighbours.
 */
#include "options_fixture.h"

static void test_frame_sizes(void **state)
{
#define FRAME_SIZES "; use 2048 (2k) or 4096 (4k)"
	static const struct wrong_line wrong[] = {
		{ "tx -i x --frame-size 0",
		  "--frame-size: '0' is out of range" FRAME_SIZES },
		{ "tx -i x --frame-size 1",
		  "--frame-size: '1' is out of range" FRAME_SIZES },
		{ "tx -i x --frame-size 1024",
		  "--frame-size: '1024' is out of range" FRAME_SIZES },
		{ "tx -i x --frame-size 2047",
		  "--frame-size: '2047' is out of range" FRAME_SIZES },
		{ "tx -i x --frame-size 3000",
		  "--frame-size: '3000' is not a power of two" FRAME_SIZES },
		{ "tx -i x --frame-size 4097",
		  "--frame-size: '4097' is out of range" FRAME_SIZES },
		{ "tx -i x --frame-size 8192",
		  "--frame-size: '8192' is out of range" FRAME_SIZES },
		{ "tx -i x --frame-size -1",
		  "--frame-size: '-1' is negative" FRAME_SIZES },
		{ "tx -i x --frame-size abc",
		  "--frame-size: 'abc' is not a whole number" FRAME_SIZES },
		{ "plan -i x --frame-size=18446744073709553664",
		  "--frame-size: '18446744073709553664' is too large for 64 bits" FRAME_SIZES },
	};
	static const struct {
		const char *line;
		uint32_t bytes;
	} right[] = {
		{ "tx -i x", 2048 },
		{ "tx -i x -s 2052", 2048 },
		{ "tx -i x -s 2053", 4096 },
		{ "tx -i x -s 9018", 4096 },
		{ "tx -i x -s 9018 --frame-size 2048", 2048 },
		{ "tx -i x --frame-size 2048", 2048 },
		{ "tx -i x --frame-size 2k", 2048 },
		{ "tx -i x --frame-size 4096", 4096 },
		{ "tx -i x --frame-size=4k", 4096 },
	};
	struct config config;
	struct words words;
	size_t i;

	(void)state;
	CHECK_WRONG_LINES(wrong);
	for (i = 0; i < sizeof(right) / sizeof(right[0]); i++) {
		parse_good(right[i].line, &words, &config);
		assert_int_equal(config.frame_size, right[i].bytes);
		config_free(&config);
	}
}

static void test_ring_sizes(void **state)
{
#define RINGS "; use a power of two from 1 to 1048576"
	static const struct wrong_line wrong[] = {
		{ "tx -i x --ring 0", "--ring: '0' is out of range" RINGS },
		{ "tx -i x --ring 3", "--ring: '3' is not a power of two" RINGS },
		{ "tx -i x --ring 31", "--ring: '31' is not a power of two" RINGS },
		{ "tx -i x --ring 1000", "--ring: '1000' is not a power of two" RINGS },
		{ "tx -i x --ring 4194304", "--ring: '4194304' is out of range" RINGS },
		{ "tx -i x --ring 4294967296",
		  "--ring: '4294967296' is out of range" RINGS },
		{ "tx -i x --ring 2k", "--ring: '2k' is not a whole number" RINGS },
		{ "tx -i x -b 0", "-b: '0' is out of range; use a whole number from 1 to "
				  "1048576" },
		{ "tx -i x -b 513", "-b: 513 is more than the 512 of --ring; use at "
				    "most 512, or a larger --ring" },
		{ "tx -i x --ring 64 -b 65",
		  "-b: 65 is more than the 64 of --ring; use at "
		  "most 64, or a larger --ring" },
		{ "tx -i x --frames 8 -b 9",
		  "-b: 9 is more than the 8 of --frames; use at "
		  "most 8, or a larger --frames" },
		{ "tx -i x --ring 256 --completion-ring 128",
		  "--completion-ring: 128 cannot take the completions of 256 frames; use "
		  "at least that, or --frames 128" },
		{ "tx -i x --frames 4096 --completion-ring 2048",
		  "--completion-ring: 2048 cannot take the completions of 4096 frames; use "
		  "at least that, or --frames 2048" },
		{ "tx -i x --budget 31",
		  "--budget: '31' is out of range; use a whole number from 32 to 1048576" },
		{ "tx -i x --ring 64 --budget 65",
		  "--budget: 65 is more than the 64 of --ring; use at most 64, or a larger "
		  "--ring" },
		{ "tx -i x --frames 0",
		  "--frames: '0' is out of range; use a whole number from 1 to 16777216" },
	};
	static const char *const right[] = {
		"tx -i x --ring 1",
		"tx -i x --ring 1048576",
		"tx -i x --frames 1",
		"tx -i x --ring 64 --frames 32",
		"tx -i x --ring 64 -b 64",
		"tx -i x --ring 256 --frames 128 --completion-ring 128",
		"tx -i x --ring 16 --budget 32",
		"tx -i x --ring 64 --budget 64",
	};
	struct config config;
	struct words words;
	size_t i;

	(void)state;
	CHECK_WRONG_LINES(wrong);
	for (i = 0; i < sizeof(right) / sizeof(right[0]); i++) {
		parse_good(right[i], &words, &config);
		config_free(&config);
	}
}

static void test_values_refused(void **state)
{
#define SIZES                                                             \
	"; use sizes from 64 to 66004 such as 128, 64,1518, 64-1518:32, " \
	"64:7,594:4,1518:1, random:64-1518, or imix"
#define LIST "; use numbers from 0 to 65535, each once, as in 0,2,4-7, or all"
	static const struct wrong_line wrong[] = {
		{ "tx -i x -s -1", "-s: '-1' is negative" SIZES },
		{ "tx -i x -s 63", "-s: '63' is out of range" SIZES },
		{ "tx -i x -s 66005", "-s: '66005' is out of range" SIZES },
		{ "tx -i x -s 34821 --frame-size 2048",
		  "-s: 34821 bytes, 34817 without FCS, do not fit 17 chunks of "
		  "--frame-size 2048; use --frame-size 4096" },
		{ "tx -i x -z -s 4101",
		  "-s: 4101 bytes do not fit one chunk of 4096, and zero-copy mode takes "
		  "no more of them; use at most 4100, or copy mode" },
		{ "tx -i x -n -1", "-n: '-1' is negative; use a whole number from 0 up "
				   "(k, M, G: powers of 1000)" },
		{ "tx -i x -d 0", "-d: '0' is out of range; use a time from 0.001 to "
				  "1000000000 s (units s, ms, m)" },
		{ "tx -i x -q 0,0",
		  "-q: '0,0' is a list that names a number twice" LIST },
		{ "tx -i x -q 65536",
		  "-q: '65536' is not a list of numbers in range" LIST },
		{ "tx -i x -q 0-1024",
		  "-q: '0-1024' is a list of too many numbers" LIST },
		{ "tx -i x --cpus all",
		  "--cpus: 'all' is not a list of numbers in range; "
		  "use numbers from 0 to 65535, as in 0,2,4-7" },
		{ "tx -i x --huge maybe",
		  "--huge: 'maybe' is not one of its words; use auto, on or off" },
		{ "tx -i x --link-loss ''",
		  "--link-loss: '' is not one of its words; use "
		  "wait, fail or go" },
		{ "tx -i x --numa far",
		  "--numa: 'far' is not a whole number; use nic, any "
		  "or a node number from 0 to 1023" },
		{ "tx -i x --numa 1024",
		  "--numa: '1024' is out of range; use nic, any or "
		  "a node number from 0 to 1023" },
	};

	(void)state;
	CHECK_WRONG_LINES(wrong);
}

static void test_rates_refused(void **state)
{
#define RATES \
	"; use a rate such as 10pps, 0.25pps, 2.5kpps, 500Mbps, 1Gbps-l1, 50%, or max"
#define PROFILES                                                                    \
	"; use steps such as 100kpps:5,200kpps:5 (steady), 1kpps:1Mpps:10 (ramp), " \
	"and perhaps a last rate without time"
#define BURSTS "; use a whole number of packets and a time, such as 64:10ms or 32:500us"
	static const struct wrong_line wrong[] = {
		{ "tx -i x --rate 0", "--rate: '0' is no rate" RATES },
		{ "tx -i x --rate 0%", "--rate: '0%' is no rate" RATES },
		{ "tx -i x --rate 101%",
		  "--rate: '101%' is more than the link carries" RATES },
		{ "tx -i x --rate 1Mbit",
		  "--rate: '1Mbit' is not a number with a known unit" RATES },
		{ "tx -i x --profile 1k:2,3k:0",
		  "--profile: '0' is out of range" PROFILES },
		{ "tx -i x --profile 1k,2k",
		  "--profile: '1k,2k' is a list with a step without time before its "
		  "end" PROFILES },
		{ "tx -i x --burst 64",
		  "--burst: '64' is not a number and a time" BURSTS },
	};

	(void)state;
	CHECK_WRONG_LINES(wrong);
}

static void test_values_of_frames_and_outputs_refused(void **state)
{
	static const struct wrong_line wrong[] = {
		{ "tx -i x --ttl 0",
		  "--ttl: '0' is out of range; use a whole number from 1 to 255" },
		{ "tx -i x --ttl 256",
		  "--ttl: '256' is out of range; use a whole number from 1 to 255" },
		{ "tx -i x --dscp 64",
		  "--dscp: '64' is out of range; use a whole number from 0 to 63" },
		{ "tx -i x --dst-port 65536",
		  "--dst-port: '65536' is out of range; use a whole number from 0 to "
		  "65535" },
		{ "tx -i x --dst-mac 1", "--dst-mac: '1' is not a MAC address; use six "
					 "pairs of hexadecimal digits such as "
					 "02:00:00:00:00:02" },
		{ "tx -i x --src-ip 1.2.3",
		  "--src-ip: '1.2.3' is not an IPv4 address; use "
		  "four numbers such as 198.18.0.1" },
		{ "tx -i x --payload 0x5", "--payload: '0x5' is not a byte; use zero, "
					   "count or a byte such as 0x5a" },
		{ "tx -i x --interval 0.001",
		  "--interval: '0.001' is out of range; use 0 or a time from 0.01 to 86400 "
		  "s (units s, ms, m)" },
		{ "tx -i x --json ''", "--json: '' is empty; use a file name, or - for "
				       "standard output" },
		{ "tx -i a/b",
		  "-i: 'a/b' is not an interface name; use the name of an interface" },
		{ "tx -i ''", "-i: '' is empty; use the name of an interface" },
		{ "tx --sandbox=0",
		  "--sandbox: '0' is out of range; use a whole number from 1 to 1024" },
	};

	(void)state;
	CHECK_WRONG_LINES(wrong);
}

static void test_command_line_refused(void **state)
{
	static const struct wrong_line wrong[] = {
		{ "tx -i x --path fast",
		  "--path: 'fast' is not one of its words; use auto, kernel or direct" },
		{ "tx -i x --direct-batch 65",
		  "--direct-batch: '65' is out of range; use a "
		  "whole number from 1 to 64" },
		{ "attach -p 0", "-p: '0' is out of range; use a whole number from 1 to "
				 "2147483647" },
		{ "detach --id 0",
		  "--id: '0' is out of range; use a whole number from 1 up" },
		{ "attach -p 1 --fd -1",
		  "--fd: '-1' is negative; use a whole number from 0 "
		  "to 2147483647" },
		{ "attach -i x",
		  "-i: is no option of 'dxmit attach' but of 'dxmit tx' and "
		  "'dxmit plan' and 'dxmit probe' and 'dxmit compare'; leave it out" },
		{ "detach -l",
		  "-l: is no option of 'dxmit detach' but of 'dxmit attach'; "
		  "leave it out" },
		{ "tx --foo", "--foo: no such option; see 'dxmit tx --help'" },
		{ "tx -X", "-X: no such option; see 'dxmit tx --help'" },
		{ "tx -cX", "-X: no such option; see 'dxmit tx --help'" },
		{ "tx --framez=3", "--framez: no such option; perhaps --frames is meant, "
				   "see 'dxmit tx --help'" },
		{ "tx --fr 3",
		  "--fr: could be --frames or --frame-size; write the option "
		  "out" },
		{ "tx -i", "-i: needs a value; use the name of an interface" },
		{ "tx -i x --huge", "--huge: needs a value; use auto, on or off" },
		{ "tx -i x --copy=1", "-c: takes no value; use -c alone" },
		{ "tx eth1",
		  "eth1: 'dxmit tx' takes no such argument; options begin with "
		  "-, see 'dxmit tx --help'" },
		{ "tx -i x -- -c", "-c: 'dxmit tx' takes no such argument; options begin "
				   "with -, see 'dxmit tx --help'" },
		{ "tx ''", "'': 'dxmit tx' takes no such argument; options begin with -, "
			   "see 'dxmit tx --help'" },
		{ "tx --sandbox 4", "4: belongs to no option; for the number of queues "
				    "write --sandbox=4" },
		{ "probe --topology x",
		  "--topology: is no option of 'dxmit probe' but of "
		  "'dxmit tx' and 'dxmit plan'; leave it out" },
		{ "plan --link-loss go",
		  "--link-loss: is no option of 'dxmit plan' but of "
		  "'dxmit tx' and 'dxmit probe'; leave it out" },
		{ "probe --prometheus f",
		  "--prometheus: is no option of 'dxmit probe' but of 'dxmit tx'; leave "
		  "it out" },
		{ "compare -q 0", "-q: is no option of 'dxmit compare' but of 'dxmit tx' "
				  "and 'dxmit plan' and 'dxmit probe'; leave it out" },
		{ "tx --rounds 3", "--rounds: is no option of 'dxmit tx' but of 'dxmit "
				   "compare'; leave it out" },
		{ "attach --queues 1",
		  "--queues: is no option of 'dxmit attach' but of 'dxmit tx' and 'dxmit "
		  "plan' and 'dxmit probe' and 'dxmit compare'; leave it out" },
	};

	(void)state;
	CHECK_WRONG_LINES(wrong);
}

static void test_options_that_clash(void **state)
{
	static const struct wrong_line wrong[] = {
		{ "tx",
		  "tx: no interface is named; use -i IF, or --sandbox to need none" },
		{ "plan --topology numa:2",
		  "plan: no interface is named; use -i IF, or --sandbox to need none" },
		{ "probe", "probe: no interface is named; use -i IF" },
		{ "probe -i x -s 128",
		  "-s: has no effect without a run; add -d SECONDS or "
		  "-n N to make one" },
		{ "probe -i x --stamp --json -",
		  "--stamp: has no effect without a run; add -d SECONDS or -n N to make "
		  "one" },
		{ "tx -i x --sandbox", "--sandbox: makes its own interface, so -i "
				       "contradicts it; leave one of them out" },
		{ "tx -i x -c -z", "-z: contradicts -c; leave one of them out" },
		{ "tx -i x -z -c", "-z: contradicts -c; leave one of them out" },
		{ "tx -i x --json - --csv -",
		  "--csv: names the same output as --json; give each its own" },
		{ "tx -i x --prometheus f --csv f",
		  "--prometheus: names the same output as --csv; give each its own" },
		{ "tx -i x --topology numa:2", "--topology: has no effect on a real run; "
					       "add --dry-run, or use 'dxmit plan'" },
		{ "tx --sandbox --force",
		  "--force: has no effect with --sandbox; leave it out" },
		{ "tx -i x --cpus 0 --avoid-irq-cpus",
		  "--avoid-irq-cpus: has no effect when --cpus lists the CPUs; leave one "
		  "of them out" },
		{ "tx -i x --dry-run --csv f",
		  "--csv: has no effect with --dry-run; use --json" },
		{ "tx -i x --stamp-format full",
		  "--stamp-format: has no effect without --stamp; add --stamp" },
		{ "tx -i x --flows 2 --frame eth/ip4/udp",
		  "--flows: has no effect with --frame; write it into the expression" },
		{ "tx -i x --dry-run --prometheus f",
		  "--prometheus: has no effect with --dry-run; use --json" },
		{ "tx -i x --csv f --interval 0",
		  "--csv: has no effect with --interval 0; give an interval above 0" },
		{ "tx -i x --rate 1k --profile 1k:1",
		  "--profile: contradicts --rate; leave one of them out" },
		{ "tx -i x --burst 1:1 --profile 1k:1",
		  "--burst: contradicts --profile; leave one of them out" },
		{ "plan -i x --burst 1:1 --rate max",
		  "--burst: contradicts --rate; leave one of them out" },
	};

	(void)state;
	CHECK_WRONG_LINES(wrong);
}

static void test_options_of_the_direct_path_that_clash(void **state)
{
	static const struct wrong_line wrong[] = {
		{ "tx -i x -z --path direct",
		  "--path: direct is for copy mode and contradicts "
		  "-z; leave one of them out" },
		{ "tx -i x -z --direct-shadow 9",
		  "--direct-shadow: has no effect in zero-copy mode; leave it out" },
		{ "tx -i x --path kernel --direct-validate",
		  "--direct-validate: has no effect on the kernel's path; use --path auto "
		  "or direct" },
		{ "attach", "attach: no process is named; use -p PID, or --list" },
		{ "detach --all", "detach: no process is named; use -p PID, or --id N" },
		{ "attach -p 1 --fd 3 --all",
		  "--all: contradicts --fd; leave one of them out" },
		{ "attach -p 1 -l",
		  "-p: has no effect with --list; leave one of them out" },
		{ "attach -l --direct-batch 3",
		  "--direct-batch: has no effect with --list; leave one of them out" },
		{ "detach --id 7 -p 1",
		  "-p: has no effect with --id; leave one of them out" },
		{ "attach -p 1 --json f",
		  "--json: has no effect without --list; leave it out" },
	};

	(void)state;
	CHECK_WRONG_LINES(wrong);
}

static void test_options_that_go_together(void **state)
{
	struct config config;
	struct words words;

	(void)state;
	parse_good("tx -i x --topology numa:2 --dry-run", &words, &config);
	assert_string_equal(config.topology, "numa:2");
	config_free(&config);
	parse_good("probe -i x --json f -v", &words, &config);
	config_free(&config);
	parse_good("probe -i x -s 128 -d 1", &words, &config);
	config_free(&config);
	parse_good("tx --sandbox -z", &words, &config);
	assert_int_equal(config.mode, DXMIT_MODE_ZEROCOPY);
	config_free(&config);
}

static void test_frame_expressions(void **state)
{
	static const struct wrong_line wrong[] = {
		{ "tx -i x --frame", "--frame: needs a value; use layers such as "
				     "eth/vlan:100/ip4:10.0.0.1>10.0.0.2/udp:1>2, see "
				     "--frame help" },
		{ "tx -i x --frame ip4/udp",
		  "--frame: at character 1, 'ip4/udp': the first layer is IPv4; begin "
		  "with Ethernet" },
		{ "tx -i x --frame eth/", "--frame: at the end: a layer is missing; use "
					  "eth, vlan, svlan, mpls, arp, ip4, ip6, udp, "
					  "tcp, icmp, icmp6, gre, vxlan, raw, pad" },
		{ "plan -i x --frame eth/ip4:ttl=256",
		  "--frame: at character 13, '256': the number is too large for ttl; "
		  "use 0 to 255" },
		{ "tx -i x --frame eth/ip4/udp --dst-ip 10.0.0.1",
		  "--dst-ip: has no effect with --frame; write it into the expression" },
		{ "tx -i x --frame eth/ip4/udp --src-mac 00:00:00:00:00:01",
		  "--src-mac: has no effect with --frame; write it into the "
		  "expression" },
		{ "tx -i x --frame eth/ip4/udp --dscp 1",
		  "--dscp: has no effect with --frame; write it into the expression" },
		{ "tx -i x --frame eth/ip6/udp -s 64",
		  "-s: 64 bytes are too short for the layers of --frame; use at least "
		  "66" },
		{ "tx -i x --frame eth/ip6/udp --stamp -s 81",
		  "-s: 81 bytes are too short for the stamp; use at least 82" },
		{ "tx -i x --frame eth/ip4/tcp --stamp",
		  "--stamp: goes into the payload of UDP, and the layers of --frame end "
		  "in TCP; leave it out, or end them in udp" },
		{ "tx -i x --frame eth/ip4/udp/pad --stamp",
		  "--stamp: needs payload, and pad leaves none; leave one of them out" },
		{ "tx -i x --frame eth/raw:file=/dev/null",
		  "--frame: at character 5, 'raw:file=/dev/null': file '/dev/null' is "
		  "empty; use a file of 1 to 66000 bytes" },
		{ "probe -i x --frame eth",
		  "--frame: is no option of 'dxmit probe' but of 'dxmit tx' and 'dxmit "
		  "plan' and 'dxmit compare'; leave it out" },
	};

	(void)state;
	CHECK_WRONG_LINES(wrong);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_frame_sizes),
		cmocka_unit_test(test_frame_expressions),
		cmocka_unit_test(test_ring_sizes),
		cmocka_unit_test(test_values_refused),
		cmocka_unit_test(test_rates_refused),
		cmocka_unit_test(test_values_of_frames_and_outputs_refused),
		cmocka_unit_test(test_command_line_refused),
		cmocka_unit_test(test_options_that_clash),
		cmocka_unit_test(test_options_of_the_direct_path_that_clash),
		cmocka_unit_test(test_options_that_go_together),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
