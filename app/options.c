/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The option table: names, commands, types, ranges, defaults and help of every
 * option, and nothing else.
 */
#include <stdio.h>

#include <dxmit/packet.h>

#include "leg.h"
#include "options.h"
#include "sandbox.h"

/* Most that the kernel takes. */
#define MAX_SNDBUF 1073741823u /* INT_MAX / 2: the kernel doubles it */
#define MAX_ID 65535           /* of a queue or CPU */

#define NS_PER_S 1000000000ull
#define NS_PER_MS 1000000ull

#define TX COMMAND_TX
#define TX_PLAN (COMMAND_TX | COMMAND_PLAN)
#define RUN (COMMAND_TX | COMMAND_PROBE) /* probe can make a run, too */
#define EVERY (COMMAND_TX | COMMAND_PLAN | COMMAND_PROBE)
#define COMPARE COMMAND_COMPARE
#define COMPARISONS (COMMAND_COMPARE | COMMAND_REPORT)
#define OTHERS (COMMAND_ATTACH | COMMAND_DETACH) /* sockets of other processes */

#define STORE(member)                              \
	.offset = offsetof(struct config, member), \
	.bytes = sizeof(((struct config *)0)->member)

static const struct option_choice huge_choices[] = {
	{ "auto", DXMIT_HUGE_AUTO },
	{ "on", DXMIT_HUGE_ON },
	{ "off", DXMIT_HUGE_OFF },
	{ NULL, 0 },
};

static const struct option_choice path_choices[] = {
	{ "auto", DXMIT_DIRECT_AUTO },
	{ "kernel", DXMIT_DIRECT_OFF },
	{ "direct", DXMIT_DIRECT_REQUIRE },
	{ NULL, 0 },
};

static const struct option_choice kick_choices[] = {
	{ "auto", DXMIT_KICK_AUTO },
	{ "sendto", DXMIT_KICK_SENDTO },
	{ "poll", DXMIT_KICK_POLL },
	{ NULL, 0 },
};

static const struct option_choice link_loss_choices[] = {
	{ "wait", LINK_LOSS_WAIT },
	{ "fail", LINK_LOSS_FAIL },
	{ "go", LINK_LOSS_GO },
	{ NULL, 0 },
};

static const struct option_choice oversize_choices[] = {
	{ "refuse", OVERSIZE_REFUSE },
	{ "skip", OVERSIZE_SKIP },
	{ "send", OVERSIZE_SEND },
	{ NULL, 0 },
};

static const struct option_choice bad_record_choices[] = {
	{ "skip", BAD_RECORD_SKIP },
	{ "stop", BAD_RECORD_STOP },
	{ NULL, 0 },
};

static const struct option_choice snapped_choices[] = {
	{ "pad", SNAPPED_PAD },
	{ "send", SNAPPED_SEND },
	{ "skip", SNAPPED_SKIP },
	{ NULL, 0 },
};

static const struct option_choice timing_choices[] = {
	{ "top", 0 },
	{ "recorded", 1000000 },
	{ NULL, 0 },
};

/* These two also take a number, so their parsers know the words; listed here
 * for the completion. */
static const struct option_choice numa_choices[] = {
	{ "nic", DXMIT_NUMA_NIC },
	{ "any", DXMIT_NUMA_ANY },
	{ NULL, 0 },
};

static const struct option_choice payload_choices[] = {
	{ "zero", DXMIT_PAYLOAD_ZERO },
	{ "count", DXMIT_PAYLOAD_COUNT },
	{ NULL, 0 },
};

static const struct option_choice stamp_choices[] = {
	{ "sequence", STAMP_SEQUENCE },
	{ "full", STAMP_FULL },
	{ "pktgen", STAMP_PKTGEN },
	{ NULL, 0 },
};

const char *const option_group_titles[OPTION_GROUPS] = {
	[GROUP_TARGET] = "Where to send",
	[GROUP_LOAD] = "How much",
	[GROUP_COMPARE] = "What to compare, and how well",
	[GROUP_SOCKET] = "Sockets, rings and memory",
	[GROUP_PLACEMENT] = "Placement",
	[GROUP_FRAME] = "Content of the frames",
	[GROUP_REPLAY] = "Replay of a capture",
	[GROUP_FAULTS] = "When something is in the way",
	[GROUP_SOCKETS] = "Which sockets of another process",
	[GROUP_OUTPUT] = "Output",
	[GROUP_OTHER] = "Help",
};

/* clang-format off */
const struct option_row option_table[OPTIONS] = {
	[OPT_INTERFACE] = {
		.name = "interface", .letter = 'i', .group = GROUP_TARGET,
		.type = VALUE_INTERFACE, .commands = EVERY | COMPARE, .argument = "IF",
		.unit = "interface name", .legal = "the name of an interface",
		.otherwise = "none; this or --sandbox must be given",
		.help = "Interface to send through.", STORE(interface) },
	[OPT_SANDBOX] = {
		.name = "sandbox", .group = GROUP_TARGET, .type = VALUE_SANDBOX,
		.commands = TX_PLAN | COMPARE, .argument = "QUEUES", .unit = "queues",
		.min = 1, .max = SANDBOX_MAX_QUEUES, .otherwise = "no sandbox",
		.help = "Need no NIC: send through a veth pair with this many queues "
			"(2 if no number is given) in a network namespace of its own, "
			"where a far end counts what arrives.",
		STORE(sandbox_queues), .given = offsetof(struct config, sandbox) },
	[OPT_QUEUES] = {
		.name = "queues", .letter = 'q', .group = GROUP_TARGET,
		.type = VALUE_LIST, .commands = EVERY, .argument = "LIST",
		.unit = "queue numbers", .max = MAX_ID,
		.legal = "numbers from 0 to 65535, each once, as in 0,2,4-7, or all",
		.fallback = "all",
		.help = "Transmit queues to use; all means every active one.",
		STORE(queues) },

	[OPT_SIZE] = {
		.name = "size", .letter = 's', .group = GROUP_LOAD,
		.type = VALUE_SIZES, .commands = EVERY | COMPARE, .argument = "SIZES",
		.unit = "bytes",
		.min = DXMIT_UDP_MIN_LENGTH + DXMIT_FCS_BYTES,
		.max = DXMIT_PACKET_MAX_LENGTH + DXMIT_FCS_BYTES, .fallback = "64",
		.legal = "sizes from 64 to 66004 such as 128, 64,1518, 64-1518:32, "
			 "64:7,594:4,1518:1, random:64-1518, or imix",
		.help = "Length of each frame on the wire with its 4 bytes of FCS, as "
			"in RFC 2544. The MTU sets the upper limit: MTU + 18. Above "
			"4100 bytes Linux 6.6 and copy mode are needed. Several are sent in turn: a list, each with :WEIGHT if not equally "
			"often; FIRST-LAST, with :STEP if not 1; random: before either "
			"shuffles the order; imix is 64:7,594:4,1518:1.",
		STORE(sizes) },
	[OPT_COUNT] = {
		.name = "count", .letter = 'n', .group = GROUP_LOAD,
		.type = VALUE_NUMBER, .commands = EVERY, .argument = "N",
		.unit = "packets", .suffix = PARSE_DECIMAL, .max = UINT64_MAX,
		.otherwise = "no limit",
		.help = "Stop after this many packets over all queues. With "
			"--duration, whichever is reached first ends the run.",
		STORE(count), .given = offsetof(struct config, count_given) },
	[OPT_DURATION] = {
		.name = "duration", .letter = 'd', .group = GROUP_LOAD,
		.type = VALUE_TIME, .commands = EVERY, .argument = "SECONDS",
		.unit = "seconds", .min = NS_PER_MS, .max = 1000000000 * NS_PER_S,
		.otherwise = "until stopped", .help = "Stop after this long.",
		STORE(duration_ns) },
	[OPT_RATE] = {
		.name = "rate", .group = GROUP_LOAD, .type = VALUE_RATE,
		.commands = EVERY, .argument = "RATE", .unit = "rate",
		.legal = "a rate such as 10pps, 0.25pps, 2.5kpps, 500Mbps, 1Gbps-l1, "
			 "50%, or max",
		.fallback = "max",
		.help = "Rate over all queues: packets (a bare number or pps), bits of "
			"the frames with their FCS (bps or bps-l2), the same with 20 "
			"bytes of preamble and gap a frame (bps-l1), or a share of the "
			"link's speed, which is L1, too. k, M and G are powers of 1000; "
			"max sends as fast as possible.",
		STORE(rate) },
	[OPT_PROFILE] = {
		.name = "profile", .group = GROUP_LOAD, .type = VALUE_PROFILE,
		.commands = EVERY, .argument = "STEPS", .unit = "rates and times",
		.legal = "steps such as 100kpps:5,200kpps:5 (steady), "
			 "1kpps:1Mpps:10 (ramp), and perhaps a last rate without time",
		.otherwise = "a steady --rate",
		.help = "Change the rate over time: RATE:TIME is a steady step, "
			"START:END:TIME a ramp, even in packets per second; a rate may "
			"be 0. The run ends with the last step, or holds a last rate "
			"that has no time.",
		STORE(profile) },
	[OPT_BURST] = {
		.name = "burst", .group = GROUP_LOAD, .type = VALUE_BURST,
		.commands = EVERY, .argument = "N:TIME", .unit = "packets and time",
		.legal = "a whole number of packets and a time, such as 64:10ms or 32:500us",
		.otherwise = "frames evenly spaced",
		.help = "Send N packets, over all queues, at once and as fast as "
			"possible, and the next N this TIME later.",
		STORE(bursts) },
	[OPT_BATCH] = {
		.name = "batch", .letter = 'b', .group = GROUP_LOAD,
		.type = VALUE_NUMBER, .commands = EVERY, .argument = "N",
		.unit = "frames", .min = 1, .max = DXMIT_MAX_RING,
		.otherwise = "512, or the ring size if that is less",
		.help = "Hand over at most this many frames per system call; no more "
			"than --ring and --frames.",
		STORE(batch) },

	[OPT_LEGS] = {
		.name = "legs", .group = GROUP_COMPARE, .type = VALUE_LEGS,
		.commands = COMPARE, .argument = "LIST", .unit = "legs",
		.legal = "[NAME=]KIND[:OPTION=VALUE]... separated by commas, or "
			 "[NAME=]exec:COMMAND",
		.fallback = LEGS_DEFAULT,
		.help = "Ways to send. KIND is copy, direct, direct-validate, zerocopy; "
			"af_packet, af_packet-bypass, af_packet-ring, udp, udp-gso; "
			"pktgen, pktgen-clone, pktgen-queue, pktgen-rx; or exec, which "
			"hands COMMAND to the shell with %i, %q, %c and %s replaced by "
			"interface, first queue, first CPU and frame size (%% is a "
			"percent sign) and is judged by the device's counters alone. "
			"Settings are options of 'dxmit tx' without --, as in "
			"copy:budget=32. Commas in quotes belong to a command.",
		STORE(compare.legs) },
	[OPT_WITNESS] = {
		.name = "witness", .group = GROUP_COMPARE, .type = VALUE_COMMAND,
		.commands = COMPARE, .argument = "COMMAND", .unit = "shell command",
		.legal = "a command that prints one number, such as "
			 "'ip netns exec far cat /sys/class/net/vb/statistics/rx_packets'",
		.otherwise = "the far end of a sandbox, or the device's own counter",
		.help = "Who says how many packets there were: a command for the shell "
			"that prints those seen so far, one whole number. It runs at "
			"both ends of each window and of each leg's life, and takes the "
			"place of the interface's counter.",
		STORE(compare.witness) },
	[OPT_SIZES] = {
		.name = "sizes", .group = GROUP_COMPARE, .type = VALUE_NUMBERS,
		.commands = COMPARE, .argument = "LIST", .unit = "bytes",
		.min = DXMIT_UDP_MIN_LENGTH + DXMIT_FCS_BYTES,
		.max = DXMIT_PACKET_MAX_LENGTH + DXMIT_FCS_BYTES,
		.legal = "sizes from 64 to 66004, each once, as in 64,512,1518",
		.otherwise = "that of --size",
		.help = "Compare with frames of each of these sizes, with FCS.",
		STORE(compare.sizes) },
	[OPT_QUEUE_COUNTS] = {
		.name = "queues", .group = GROUP_COMPARE, .type = VALUE_NUMBERS,
		.commands = COMPARE, .argument = "LIST", .unit = "numbers of queues",
		.min = 1, .max = DXMIT_MAX_QUEUES,
		.legal = "numbers from 1 to 1024, each once, as in 1,2,4",
		.otherwise = "1",
		.help = "Compare on each of these numbers of queues, from queue 0 up.",
		STORE(compare.queues) },
	[OPT_BATCHES] = {
		.name = "batches", .group = GROUP_COMPARE, .type = VALUE_NUMBERS,
		.commands = COMPARE, .argument = "LIST", .unit = "frames",
		.min = 1, .max = DXMIT_MAX_RING,
		.legal = "numbers from 1 to 1048576, each once, as in 32,64,512",
		.otherwise = "each leg's own default",
		.help = "Compare with each of these batches: frames per system call.",
		STORE(compare.batches) },
	[OPT_RINGS] = {
		.name = "rings", .group = GROUP_COMPARE, .type = VALUE_NUMBERS,
		.commands = COMPARE, .argument = "LIST", .unit = "descriptors",
		.min = 1, .max = DXMIT_MAX_RING,
		.legal = "powers of two from 1 to 1048576, each once, as in 64,512,2048",
		.otherwise = "each leg's own default",
		.help = "Compare with each of these ring sizes.",
		STORE(compare.rings) },
	[OPT_WINDOW] = {
		.name = "duration", .letter = 'd', .group = GROUP_COMPARE,
		.type = VALUE_TIME, .commands = COMPARE, .argument = "SECONDS",
		.unit = "seconds", .min = 20 * NS_PER_MS, .max = 3600 * NS_PER_S,
		.fallback = "0.5",
		.help = "How long each leg is measured in each round.",
		STORE(compare.window_ns) },
	[OPT_WARM_UP] = {
		.name = "warm-up", .group = GROUP_COMPARE, .type = VALUE_TIME,
		.commands = COMPARE, .argument = "SECONDS", .unit = "seconds",
		.min = NS_PER_MS, .max = 3600 * NS_PER_S, .zero = true,
		.fallback = "0.1",
		.help = "How long each leg sends before it is measured.",
		STORE(compare.warm_up_ns) },
	[OPT_ROUNDS] = {
		.name = "rounds", .group = GROUP_COMPARE, .type = VALUE_NUMBER,
		.commands = COMPARE, .argument = "N", .unit = "rounds", .min = 1,
		.max = 100000, .fallback = "15",
		.help = "How often each leg is measured, in an order that differs from "
			"round to round; one more round before warms up. Six are the "
			"fewest that give an interval.",
		STORE(compare.rounds) },
	[OPT_UNTIL] = {
		.name = "until", .group = GROUP_COMPARE, .type = VALUE_PERCENT,
		.commands = COMPARE, .argument = "PERCENT", .unit = "percent",
		.min = 1, .max = 1000000, .legal = "a share such as 1% or 0.5%",
		.otherwise = "none; --rounds alone ends the comparison",
		.help = "After --rounds go on until the interval of every pair of legs "
			"is this narrow on either side, or --time-limit has passed.",
		STORE(compare.until_ppm) },
	[OPT_TIME_LIMIT] = {
		.name = "time-limit", .group = GROUP_COMPARE, .type = VALUE_TIME,
		.commands = COMPARE, .argument = "SECONDS", .unit = "seconds",
		.min = NS_PER_MS, .max = 30 * 86400 * NS_PER_S,
		.otherwise = "none; ten minutes with --until",
		.help = "Begin no further round after this long.",
		STORE(compare.time_limit_ns) },
	[OPT_COOL_DOWN] = {
		.name = "cool-down", .group = GROUP_COMPARE, .type = VALUE_TIME,
		.commands = COMPARE, .argument = "SECONDS", .unit = "seconds",
		.min = NS_PER_MS, .max = 3600 * NS_PER_S, .zero = true,
		.fallback = "0",
		.help = "Pause before each leg, for machines whose credit for bursts "
			"runs out.",
		STORE(compare.cool_down_ns) },
	[OPT_SEED] = {
		.name = "seed", .group = GROUP_COMPARE, .type = VALUE_NUMBER,
		.commands = COMPARE, .argument = "N", .unit = "number",
		.max = INT64_MAX, .otherwise = "by the clock; the results name it",
		.help = "Of the order of the legs and of the intervals: the same seed "
			"gives the same order again.",
		STORE(compare.seed), .given = offsetof(struct config, compare.seed_given) },
	[OPT_PROFILE_CODE] = {
		.name = "profile", .group = GROUP_COMPARE, .type = VALUE_SWITCH,
		.commands = COMPARE, .unit = "switch", .min = 1,
		.help = "Run each leg once more at the end and sample where the CPUs "
			"are, in the kernel and outside; the results then have each "
			"leg's share of every function.",
		STORE(compare.profile) },

	[OPT_COPY] = {
		.name = "copy", .letter = 'c', .group = GROUP_SOCKET,
		.type = VALUE_SWITCH, .commands = EVERY, .unit = "switch",
		.min = DXMIT_MODE_COPY,
		.help = "Copy mode, the default. It never attaches an XDP program.", STORE(mode) },
	[OPT_ZERO_COPY] = {
		.name = "zero-copy", .letter = 'z', .group = GROUP_SOCKET,
		.type = VALUE_SWITCH, .commands = EVERY, .unit = "switch",
		.min = DXMIT_MODE_ZEROCOPY,
		.help = "Zero-copy mode, or an error where the driver has none; never "
			"a silent fall back to copy mode.",
		STORE(mode) },
	[OPT_PATH] = {
		.name = "path", .group = GROUP_SOCKET, .type = VALUE_CHOICE,
		.commands = EVERY, .argument = "WHICH", .unit = "word",
		.choices = path_choices, .fallback = "auto",
		.help = "Way through the kernel: its own, or the direct one of the "
			"module dxmit, or an error where that cannot be had; auto "
			"takes the direct one if it can be had.",
		STORE(direct) },
	[OPT_DIRECT_BATCH] = {
		.name = "direct-batch", .group = GROUP_SOCKET, .type = VALUE_NUMBER,
		.commands = RUN | COMMAND_ATTACH, .argument = "N", .unit = "frames",
		.min = 1, .max = DXMIT_DIRECT_MAX_BATCH,
		.otherwise = "the module's choice",
		.help = "Direct path: frames per lock of the device's queue.",
		STORE(direct_batch) },
	[OPT_DIRECT_VALIDATE] = {
		.name = "direct-validate", .group = GROUP_SOCKET,
		.type = VALUE_SWITCH, .commands = RUN | COMMAND_ATTACH,
		.unit = "switch", .min = 1,
		.help = "Direct path: validate every frame, as the kernel's own path "
			"does. Slower; for comparisons.",
		STORE(direct_validate) },
	[OPT_DIRECT_SHADOW] = {
		.name = "direct-shadow", .group = GROUP_SOCKET, .type = VALUE_NUMBER,
		.commands = RUN | COMMAND_ATTACH, .argument = "N", .unit = "frames",
		.min = 1, .max = UINT32_MAX, .otherwise = "none",
		.help = "Direct path: validate every Nth frame on the side and count "
			"those that validation would have changed.",
		STORE(direct_shadow) },
	[OPT_KICK] = {
		.name = "kick", .group = GROUP_SOCKET, .type = VALUE_CHOICE,
		.commands = EVERY, .argument = "HOW", .unit = "word",
		.choices = kick_choices, .fallback = "auto",
		.help = "System call that makes the kernel transmit: sendto, or one "
			"poll that names the socket many times, which moves more "
			"frames per call where the kernel's budget is fixed.",
		STORE(kick) },
	[OPT_BUDGET] = {
		.name = "budget", .group = GROUP_SOCKET, .type = VALUE_NUMBER,
		.commands = EVERY, .argument = "N", .unit = "frames",
		.min = DXMIT_KERNEL_BUDGET, .max = DXMIT_MAX_RING,
		.otherwise = "the ring size",
		.help = "Frames the kernel sends per kick, at most the ring size. "
			"Kernels before 6.17 always use 32.",
		STORE(budget) },
	[OPT_RING] = {
		.name = "ring", .group = GROUP_SOCKET, .type = VALUE_POWER_OF_TWO,
		.commands = EVERY, .argument = "N", .unit = "descriptors", .min = 1,
		.max = DXMIT_MAX_RING, .otherwise = "512",
		.help = "Size of each queue's transmit ring.", STORE(ring) },
	[OPT_FRAMES] = {
		.name = "frames", .group = GROUP_SOCKET, .type = VALUE_NUMBER,
		.commands = EVERY, .argument = "N", .unit = "frames", .min = 1,
		.max = DXMIT_MAX_FRAMES, .otherwise = "the ring size",
		.help = "Frames in each queue's memory; fewer than the ring size limit "
			"what can be in flight.",
		STORE(frames) },
	[OPT_FRAME_SIZE] = {
		.name = "frame-size", .group = GROUP_SOCKET,
		.type = VALUE_POWER_OF_TWO, .commands = EVERY, .argument = "BYTES",
		.unit = "bytes", .suffix = PARSE_BINARY, .min = 2048,
		.max = DXMIT_MAX_FRAME_SIZE, .legal = "2048 (2k) or 4096 (4k)",
		.fallback = "2048",
		.help = "Size of a chunk of frame memory. Short packets share one, a "
			"packet that is longer, without FCS, takes up to 17. Where "
			"2048 bytes are not enough, 4096 is the default.",
		STORE(frame_size) },
	[OPT_COMPLETION_RING] = {
		.name = "completion-ring", .group = GROUP_SOCKET,
		.type = VALUE_POWER_OF_TWO, .commands = EVERY, .argument = "N",
		.unit = "descriptors", .min = 1, .max = DXMIT_MAX_FRAMES,
		.otherwise = "the number of frames, rounded up",
		.help = "Size of each queue's completion ring; no smaller than the "
			"number of frames.",
		STORE(completion_ring) },
	[OPT_HUGE] = {
		.name = "huge", .group = GROUP_SOCKET, .type = VALUE_CHOICE,
		.commands = EVERY, .argument = "WHEN", .unit = "word",
		.choices = huge_choices, .fallback = "auto",
		.help = "Take frame memory from 2 MiB pages: on fails if too few are "
			"reserved; auto then uses 4 KiB pages, and also where the "
			"frames would not fill one.",
		STORE(huge) },
	[OPT_SNDBUF] = {
		.name = "sndbuf", .group = GROUP_SOCKET, .type = VALUE_NUMBER,
		.commands = EVERY, .argument = "BYTES", .unit = "bytes",
		.suffix = PARSE_BINARY, .min = 4096, .max = MAX_SNDBUF,
		.otherwise = "enough for the whole ring",
		.help = "Send buffer of each socket. In copy mode it limits the frames "
			"in flight: a driver that keeps them is charged about 3 KiB "
			"for each.",
		STORE(sndbuf) },

	[OPT_CPUS] = {
		.name = "cpus", .group = GROUP_PLACEMENT, .type = VALUE_REPEAT_LIST,
		.commands = EVERY | COMPARE, .argument = "LIST", .unit = "CPU numbers",
		.max = MAX_ID, .legal = "numbers from 0 to 65535, as in 0,2,4-7",
		.otherwise = "chosen by the plan",
		.help = "CPUs for the sending threads, in the order of the queues.",
		STORE(cpus) },
	[OPT_NUMA] = {
		.name = "numa", .group = GROUP_PLACEMENT, .type = VALUE_NUMA,
		.commands = EVERY | COMPARE, .argument = "WHERE", .unit = "node",
		.max = 1023, .choices = numa_choices,
		.legal = "nic, any or a node number from 0 to 1023",
		.fallback = "nic",
		.help = "NUMA node for threads and memory: that of the interface, a "
			"given one, or any (CPUs in order of number, memory by their "
			"node).",
		STORE(numa) },
	[OPT_AVOID_IRQ_CPUS] = {
		.name = "avoid-irq-cpus", .group = GROUP_PLACEMENT,
		.type = VALUE_SWITCH, .commands = EVERY | COMPARE, .unit = "switch", .min = 1,
		.help = "Use CPUs that serve the interface's interrupts last.",
		STORE(avoid_irq_cpus) },
	[OPT_TOPOLOGY] = {
		.name = "topology", .group = GROUP_PLACEMENT, .type = VALUE_TOPOLOGY,
		.commands = TX_PLAN, .argument = "FILE|DESCRIPTION",
		.unit = "topology",
		.legal = "a file of hwloc XML or a description such as "
			 "\"numa:2 core:4 pu:2\"",
		.otherwise = "this machine",
		.help = "Plan for another machine: hwloc XML as written by lstopo, or "
			"a synthetic description. With tx only together with "
			"--dry-run.",
		STORE(topology) },

	[OPT_FRAME] = {
		.name = "frame", .group = GROUP_FRAME, .type = VALUE_FRAME,
		.commands = TX_PLAN | COMPARE, .argument = "EXPRESSION",
		.unit = "frame expression",
		.legal = "layers such as eth/vlan:100/ip4:10.0.0.1>10.0.0.2/udp:1>2, "
			 "see --frame help",
		.otherwise = "an Ethernet, IPv4 and UDP frame of the options below",
		.help = "Build the frames from layers; the word help prints the syntax "
			"with every layer and field. Without --size they are as short "
			"as the layers allow.",
		STORE(frame_text) },
	[OPT_DST_MAC] = {
		.name = "dst-mac", .group = GROUP_FRAME, .type = VALUE_MAC,
		.commands = RUN | COMPARE, .argument = "MAC", .unit = "MAC address",
		.legal = "six pairs of hexadecimal digits such as 02:00:00:00:00:02",
		.fallback = "02:00:00:00:00:02",
		.help = "Destination MAC address. A replay keeps the captured one "
			"unless this is given.",
		STORE(frame.destination_mac),
		.given = offsetof(struct config, destination_mac_given) },
	[OPT_SRC_MAC] = {
		.name = "src-mac", .group = GROUP_FRAME, .type = VALUE_MAC,
		.commands = RUN | COMPARE, .argument = "MAC", .unit = "MAC address",
		.legal = "six pairs of hexadecimal digits such as 02:00:00:00:00:01",
		.otherwise = "the interface's own, or the captured one",
		.help = "Source MAC address.",
		STORE(frame.source_mac),
		.given = offsetof(struct config, source_mac_given) },
	[OPT_DST_IP] = {
		.name = "dst-ip", .group = GROUP_FRAME, .type = VALUE_IPV4,
		.commands = RUN | COMPARE, .argument = "ADDRESS", .unit = "IPv4 address",
		.legal = "four numbers such as 198.18.0.2", .fallback = "198.18.0.2",
		.help = "Destination IPv4 address. The default lies in the range that "
			"RFC 2544 reserves for benchmarks.",
		STORE(frame.destination_ip) },
	[OPT_SRC_IP] = {
		.name = "src-ip", .group = GROUP_FRAME, .type = VALUE_IPV4,
		.commands = RUN | COMPARE, .argument = "ADDRESS", .unit = "IPv4 address",
		.legal = "four numbers such as 198.18.0.1", .fallback = "198.18.0.1",
		.help = "Source IPv4 address.", STORE(frame.source_ip) },
	[OPT_DST_PORT] = {
		.name = "dst-port", .group = GROUP_FRAME, .type = VALUE_NUMBER,
		.commands = RUN | COMPARE, .argument = "PORT", .unit = "UDP port", .max = 65535,
		.fallback = "9",
		.help = "Destination UDP port. The default is discard (RFC 863).",
		STORE(frame.destination_port) },
	[OPT_SRC_PORT] = {
		.name = "src-port", .group = GROUP_FRAME, .type = VALUE_NUMBER,
		.commands = RUN | COMPARE, .argument = "PORT", .unit = "UDP port", .max = 65535,
		.fallback = "4660", .help = "Source UDP port.",
		STORE(frame.source_port) },
	[OPT_TTL] = {
		.name = "ttl", .group = GROUP_FRAME, .type = VALUE_NUMBER,
		.commands = RUN | COMPARE, .argument = "N", .unit = "hops", .min = 1, .max = 255,
		.fallback = "64", .help = "IPv4 time to live.", STORE(frame.ttl) },
	[OPT_DSCP] = {
		.name = "dscp", .group = GROUP_FRAME, .type = VALUE_NUMBER,
		.commands = RUN | COMPARE, .argument = "N", .unit = "code point", .max = 63,
		.fallback = "0", .help = "IPv4 differentiated services code point.",
		STORE(frame.dscp) },
	[OPT_PAYLOAD] = {
		.name = "payload", .group = GROUP_FRAME, .type = VALUE_PAYLOAD,
		.commands = RUN | COMPARE, .argument = "WHAT", .unit = "word or byte",
		.choices = payload_choices,
		.legal = "zero, count or a byte such as 0x5a", .fallback = "zero",
		.help = "What fills the UDP payload: zeros, bytes that count up, or "
			"one byte repeated.",
		STORE(frame.payload) },
	[OPT_STAMP] = {
		.name = "stamp", .group = GROUP_FRAME, .type = VALUE_SWITCH,
		.commands = EVERY | COMPARE, .unit = "switch", .min = 1,
		.help = "Put queue and sequence number into every frame, so that a "
			"receiver can tell loss and order.",
		STORE(stamp) },
	[OPT_STAMP_FORMAT] = {
		.name = "stamp-format", .group = GROUP_FRAME, .type = VALUE_CHOICE,
		.commands = EVERY | COMPARE, .argument = "WORD", .unit = "word",
		.choices = stamp_choices, .fallback = "sequence",
		.help = "What the stamp holds: queue and sequence number; full for "
			"stream, flow and time of sending as well (32 bytes of payload "
			"instead of 16); or pktgen for the header of the kernel's "
			"pktgen.",
		STORE(stamp_format) },
	[OPT_FLOWS] = {
		.name = "flows", .group = GROUP_FRAME, .type = VALUE_NUMBER,
		.commands = RUN | COMPARE, .argument = "N", .unit = "flows",
		.suffix = PARSE_DECIMAL, .min = 1, .max = UINT32_MAX,
		.otherwise = "one flow",
		.help = "Send this many flows in turn, each exactly as often as the "
			"others: source ports from --src-port up, or source addresses "
			"from --src-ip up where the ports do not suffice.",
		STORE(flows) },

	[OPT_REPLAY] = {
		.name = "replay", .group = GROUP_REPLAY, .type = VALUE_FILE,
		.commands = TX, .argument = "FILE", .unit = "file",
		.legal = "a pcap or pcapng file of Ethernet frames, or - for standard "
			 "input",
		.otherwise = "frames are made",
		.help = "Send the frames of this capture; all frames of a conversation "
			"go through one queue and stay in order. Frames shorter than "
			"60 bytes are filled up with zeros. Up to 256 MiB are held in "
			"memory; longer captures and pipes are read during the run.",
		STORE(replay.path) },
	[OPT_REPLAY_TIMING] = {
		.name = "replay-timing", .group = GROUP_REPLAY, .type = VALUE_SPEED,
		.commands = TX, .argument = "WHEN", .unit = "word or factor",
		.min = 1, .max = 1000000000000000, .choices = timing_choices,
		.legal = "top, recorded or a factor such as 2x or 0.5x",
		.fallback = "top",
		.help = "When to send: top is as fast as possible, or at --rate; "
			"recorded keeps the times of the capture; 2x is twice as fast "
			"as recorded. A frame recorded before its predecessor follows "
			"it at once.",
		STORE(replay.speed_micro) },
	[OPT_LOOP] = {
		.name = "loop", .group = GROUP_REPLAY, .type = VALUE_NUMBER,
		.commands = TX, .argument = "N", .unit = "times",
		.suffix = PARSE_DECIMAL, .min = 1, .max = UINT64_MAX, .zero = true,
		.otherwise = "once, or as often as -n or -d ask for",
		.help = "Send the capture this many times; 0 is until stopped. A pipe "
			"can be sent only once.",
		STORE(replay.loops), .given = offsetof(struct config, replay.loops_given) },
	[OPT_MAX_GAP] = {
		.name = "max-gap", .group = GROUP_REPLAY, .type = VALUE_TIME,
		.commands = TX, .argument = "SECONDS", .unit = "seconds", .min = 1000,
		.max = 86400 * NS_PER_S, .otherwise = "pauses stay as recorded",
		.help = "Longest pause between two recorded frames; longer ones are "
			"shortened to this.",
		STORE(replay.max_gap_ns) },
	[OPT_MAP_IP] = {
		.name = "map-ip", .group = GROUP_REPLAY, .type = VALUE_ADDRESS_MAPS,
		.commands = TX, .argument = "OLD=NEW", .unit = "pairs",
		.legal = "up to 16 pairs of addresses or networks, such as "
			 "10.0.0.1=10.0.0.9,192.168.0.0/16=198.18.0.0/16",
		.otherwise = "addresses stay as captured",
		.help = "Replace IPv4 addresses, in ARP too; of several pairs the first "
			"that fits. Checksums are updated: right ones stay right.",
		STORE(replay.addresses) },
	[OPT_FIX_CHECKSUMS] = {
		.name = "fix-checksums", .group = GROUP_REPLAY, .type = VALUE_SWITCH,
		.commands = TX, .unit = "switch", .min = 1,
		.help = "Compute the checksums of IPv4, TCP, UDP and ICMP anew, for "
			"captures from a host that left them to its device.",
		STORE(replay.fix_checksums) },

	[OPT_BIND_WAIT] = {
		.name = "bind-wait", .group = GROUP_FAULTS, .type = VALUE_NUMBER,
		.commands = RUN, .argument = "MS", .unit = "milliseconds", .min = 1,
		.max = 600000, .fallback = "500",
		.help = "Wait this long for a queue that another socket, perhaps one "
			"just closed, still holds.",
		STORE(bind_wait_ms) },
	[OPT_CARRIER_WAIT] = {
		.name = "carrier-wait", .group = GROUP_FAULTS, .type = VALUE_TIME,
		.commands = RUN | COMPARE, .argument = "SECONDS", .unit = "seconds",
		.min = NS_PER_MS, .max = 3600 * NS_PER_S, .zero = true,
		.fallback = "10",
		.help = "Wait this long for the link at the start; 0 does not wait.",
		STORE(carrier_wait_ns) },
	[OPT_LINK_LOSS] = {
		.name = "link-loss", .group = GROUP_FAULTS, .type = VALUE_CHOICE,
		.commands = RUN, .argument = "WHAT", .unit = "word",
		.choices = link_loss_choices, .fallback = "wait",
		.help = "When the link goes down during the run: wait for it, fail "
			"with exit code 1, or go on sending and count what is lost.",
		STORE(link_loss) },
	[OPT_OVERSIZE] = {
		.name = "oversize", .group = GROUP_FAULTS, .type = VALUE_CHOICE,
		.commands = EVERY | COMPARE, .argument = "WHAT", .unit = "word",
		.choices = oversize_choices, .fallback = "refuse",
		.help = "Frames longer than the MTU allows: refuse to start, skip and "
			"count them, or send them and leave it to the device.",
		STORE(oversize) },
	[OPT_BAD_RECORD] = {
		.name = "bad-record", .group = GROUP_FAULTS, .type = VALUE_CHOICE,
		.commands = TX, .argument = "WHAT", .unit = "word",
		.choices = bad_record_choices, .fallback = "skip",
		.help = "Records of a capture that are no frames, and a capture that "
			"is cut or damaged: warn, count them and send what is good, or "
			"stop with exit code 1.",
		STORE(replay.bad_record) },
	[OPT_SNAPPED] = {
		.name = "snapped", .group = GROUP_FAULTS, .type = VALUE_CHOICE,
		.commands = TX, .argument = "WHAT", .unit = "word",
		.choices = snapped_choices, .fallback = "pad",
		.help = "Frames of a capture that were not recorded to their end: pad "
			"them with zeros to the length they had, send what there is, or "
			"skip and count them.",
		STORE(replay.snapped) },
	[OPT_FORCE] = {
		.name = "force", .group = GROUP_FAULTS, .type = VALUE_SWITCH,
		.commands = RUN | COMPARE, .unit = "switch", .min = 1,
		.help = "Send even through an interface that carries the default "
			"route.",
		STORE(force) },

	[OPT_PID] = {
		.name = "pid", .letter = 'p', .group = GROUP_SOCKETS,
		.type = VALUE_NUMBER, .commands = OTHERS, .argument = "PID",
		.unit = "process", .min = 1, .max = INT32_MAX,
		.otherwise = "none; it must be given, unless another option says what "
			     "is meant",
		.help = "Process whose AF_XDP sockets are meant. Its descriptors are "
			"copied for a moment, which needs CAP_SYS_PTRACE or the same "
			"user, and that Yama allows it.",
		STORE(pid) },
	[OPT_FD] = {
		.name = "fd", .group = GROUP_SOCKETS, .type = VALUE_NUMBER,
		.commands = OTHERS, .argument = "N", .unit = "descriptor",
		.max = INT32_MAX, .otherwise = "its only AF_XDP socket",
		.help = "Descriptor of the socket in that process.", STORE(fd),
		.given = offsetof(struct config, fd_given) },
	[OPT_ALL] = {
		.name = "all", .group = GROUP_SOCKETS, .type = VALUE_SWITCH,
		.commands = OTHERS, .unit = "switch", .min = 1,
		.help = "All AF_XDP sockets of that process.", STORE(all) },
	[OPT_ID] = {
		.name = "id", .group = GROUP_SOCKETS, .type = VALUE_NUMBER,
		.commands = COMMAND_DETACH, .argument = "N", .unit = "number",
		.min = 1, .max = UINT64_MAX, .otherwise = "none",
		.help = "The attachment with this number, in whatever process; "
			"'dxmit attach -l' shows the numbers.",
		STORE(id) },
	[OPT_LIST] = {
		.name = "list", .letter = 'l', .group = GROUP_SOCKETS,
		.type = VALUE_SWITCH, .commands = COMMAND_ATTACH, .unit = "switch",
		.min = 1,
		.help = "Attach nothing; list the sockets on the direct path with their "
			"counters.",
		STORE(list) },

	[OPT_INTERVAL] = {
		.name = "interval", .group = GROUP_OUTPUT, .type = VALUE_TIME,
		.commands = RUN, .argument = "SECONDS", .unit = "seconds",
		.min = 10 * NS_PER_MS, .max = 86400 * NS_PER_S, .zero = true,
		.fallback = "1",
		.help = "Time between two reports during the run; 0 reports only at "
			"the end.",
		STORE(interval_ns) },
	[OPT_JSON] = {
		.name = "json", .group = GROUP_OUTPUT, .type = VALUE_FILE,
		.commands = EVERY | COMMAND_ATTACH | COMPARISONS, .argument = "FILE",
		.unit = "file",
		.legal = "a file name, or - for standard output",
		.otherwise = "not written",
		.help = "Write the whole report as one JSON document; - is standard "
			"output.",
		STORE(json) },
	[OPT_CSV] = {
		.name = "csv", .group = GROUP_OUTPUT, .type = VALUE_FILE,
		.commands = TX | COMPARISONS, .argument = "FILE", .unit = "file",
		.legal = "a file name, or - for standard output",
		.otherwise = "not written",
		.help = "Write CSV: a row for each interval and queue, of a comparison "
			"for each sample; - is standard output.",
		STORE(csv) },
	[OPT_PROMETHEUS] = {
		.name = "prometheus", .group = GROUP_OUTPUT, .type = VALUE_FILE,
		.commands = TX, .argument = "FILE", .unit = "file",
		.legal = "a file name, or - for standard output",
		.otherwise = "not written",
		.help = "Write the counters in Prometheus text format; - is standard "
			"output.",
		STORE(prometheus) },
	[OPT_MARKDOWN] = {
		.name = "markdown", .group = GROUP_OUTPUT, .type = VALUE_FILE,
		.commands = COMPARISONS, .argument = "FILE", .unit = "file",
		.legal = "a file name, or - for standard output",
		.otherwise = "not written",
		.help = "Write the tables as Markdown; - is standard output.",
		STORE(markdown) },
	[OPT_HTML] = {
		.name = "html", .group = GROUP_OUTPUT, .type = VALUE_FILE,
		.commands = COMPARISONS, .argument = "FILE", .unit = "file",
		.legal = "a file name, or - for standard output",
		.otherwise = "not written",
		.help = "Write tables and plots as one HTML page that needs nothing "
			"else; - is standard output. Plots are drawn by gnuplot(1).",
		STORE(html) },
	[OPT_DRY_RUN] = {
		.name = "dry-run", .group = GROUP_OUTPUT, .type = VALUE_SWITCH,
		.commands = TX, .unit = "switch", .min = 1,
		.help = "Print the plan and send nothing.", STORE(dry_run) },
	[OPT_CONFIG] = {
		.name = "config", .group = GROUP_OUTPUT,
		.type = VALUE_FILE, .commands = EVERY, .argument = "FILE",
		.unit = "file", .legal = "a file name, or - for standard input",
		.otherwise = "none",
		.help = "Read options from a YAML file, whose keys are the long options "
			"without --; - is standard input. The command line overrides "
			"the file.",
		STORE(config_path) },
	[OPT_DUMP_CONFIG] = {
		.name = "dump-config", .group = GROUP_OUTPUT, .type = VALUE_SWITCH,
		.commands = EVERY, .unit = "switch", .min = 1,
		.help = "Do nothing but print the options in effect as a file for "
			"--config.",
		STORE(dump_config) },
	[OPT_VERBOSE] = {
		.name = "verbose", .letter = 'v', .group = GROUP_OUTPUT,
		.type = VALUE_SWITCH, .commands = EVERY | COMPARISONS, .unit = "switch", .min = 1,
		.help = "Tell more, and let libxdp and libbpf print their messages.",
		STORE(verbose) },

	[OPT_HELP] = {
		.name = "help", .letter = 'h', .group = GROUP_OTHER,
		.type = VALUE_ACTION, .commands = EVERY | COMPARISONS | OTHERS, .unit = "action",
		.help = "Print the options of this command and exit." },
	[OPT_VERSION] = {
		.name = "version", .letter = 'V', .group = GROUP_OTHER,
		.type = VALUE_ACTION, .commands = EVERY | COMPARISONS | OTHERS, .unit = "action",
		.help = "Print the version and exit." },
};
/* clang-format on */
