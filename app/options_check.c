/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Options together: those that contradict each other, sizes that do not fit
 * one another, and options that would have no effect.
 */
#include <inttypes.h>
#include <string.h>

#include "message.h"
#include "options.h"

#define BIT(id) OPTION_BIT(id)
/* Settings of the direct path. */
#define DIRECT_OPTIONS \
	(BIT(OPT_DIRECT_BATCH) | BIT(OPT_DIRECT_VALIDATE) | BIT(OPT_DIRECT_SHADOW))

static int check_target(const struct command *command, const struct config *config,
			option_set given)
{
	(void)config;
	if (option_in(given, OPT_INTERFACE) && option_in(given, OPT_SANDBOX))
		return fail(EXIT_USAGE, "--sandbox",
			    "makes its own interface, so -i contradicts it; "
			    "leave one of them out");
	if (command->mask == COMMAND_PROBE && !option_in(given, OPT_INTERFACE))
		return fail(EXIT_USAGE, command->name,
			    "no interface is named; use -i IF");
	if (!option_in(given, OPT_INTERFACE) && !option_in(given, OPT_SANDBOX))
		return fail(EXIT_USAGE, command->name,
			    "no interface is named; use -i IF, or --sandbox to "
			    "need none");
	return 0;
}

static int fail_no_effect(enum option_id id, const char *why, const char *remedy)
{
	char flag[OPTION_FLAG_LEN];

	option_flag(&option_table[id], flag);
	return fail(EXIT_USAGE, flag, "has no effect %s; %s", why, remedy);
}

/* The lowest option of a set that was given, or OPTIONS. */
static enum option_id first_given(option_set given, option_set set)
{
	return option_first(given & set);
}

static int check_mode(const struct command *command, const struct config *config,
		      option_set given)
{
	(void)command;
	(void)config;
	if (option_in(given, OPT_COPY) && option_in(given, OPT_ZERO_COPY))
		return fail(EXIT_USAGE, "-z", "contradicts -c; leave one of them out");
	return 0;
}

/* `option` is `value`, more than `what` allows. */
static int fail_above(const char *option, uint32_t value, const char *what,
		      uint32_t limit)
{
	return fail(EXIT_USAGE, option,
		    "%" PRIu32 " is more than the %" PRIu32 " of %s; use at most %" PRIu32
		    ", or a larger %s",
		    value, limit, what, limit, what);
}

static int check_rings(const struct command *command, const struct config *config,
		       option_set given)
{
	uint32_t ring = config->ring ? config->ring : DXMIT_DEFAULT_RING;
	uint32_t frames = config->frames ? config->frames : ring;

	(void)command;
	(void)given;
	if (config->batch > ring)
		return fail_above("-b", config->batch, "--ring", ring);
	if (config->batch > frames)
		return fail_above("-b", config->batch, "--frames", frames);
	/* That much is always allowed, however small the ring. */
	if (config->budget > DXMIT_KERNEL_BUDGET && config->budget > ring)
		return fail_above("--budget", config->budget, "--ring", ring);
	if (config->completion_ring && config->completion_ring < frames)
		return fail(EXIT_USAGE, "--completion-ring",
			    "%" PRIu32 " cannot take the completions of %" PRIu32
			    " frames; use at least that, or --frames %" PRIu32,
			    config->completion_ring, frames, config->completion_ring);
	return 0;
}

/* One way to say when frames are due. */
static int check_timing(const struct command *command, const struct config *config,
			option_set given)
{
	enum option_id first = first_given(given, BIT(OPT_RATE) | BIT(OPT_PROFILE));

	(void)command;
	(void)config;
	if (option_in(given, OPT_RATE) && option_in(given, OPT_PROFILE))
		return fail(EXIT_USAGE, "--profile",
			    "contradicts --rate; leave one of them out");
	if (option_in(given, OPT_BURST) && first != OPTIONS)
		return fail(EXIT_USAGE, "--burst",
			    "contradicts --%s; leave one of them out",
			    option_table[first].name);
	return 0;
}

static int check_size(const struct command *command, const struct config *config,
		      option_set given)
{
	uint32_t length = config->wire_size - DXMIT_FCS_BYTES;

	uint32_t chunk = option_in(given, OPT_FRAME_SIZE) ? config->frame_size
							  : DXMIT_MAX_FRAME_SIZE;

	(void)command;
	if (length > chunk && config->mode == DXMIT_MODE_ZEROCOPY)
		return fail(EXIT_USAGE, "-s",
			    "%" PRIu32 " bytes do not fit one chunk of %" PRIu32
			    ", and zero-copy mode takes no more of them; use at most "
			    "%" PRIu32 ", or copy mode",
			    config->wire_size, chunk, chunk + DXMIT_FCS_BYTES);
	if (length > DXMIT_MAX_SEGMENTS * chunk)
		return fail(EXIT_USAGE, "-s",
			    "%" PRIu32 " bytes, %" PRIu32 " without FCS, do not fit "
			    "%u chunks of --frame-size %" PRIu32
			    "; use --frame-size 4096",
			    config->wire_size, length, DXMIT_MAX_SEGMENTS, chunk);
	return 0;
}

/* No two outputs into one file, which would mix them. */
static int check_outputs(const struct command *command, const struct config *config,
			 option_set given)
{
	const struct {
		const char *option;
		const char *path;
	} outputs[] = {
		{ "--json", config->json },
		{ "--csv", config->csv },
		{ "--prometheus", config->prometheus },
		{ "--markdown", config->markdown },
		{ "--html", config->html },
	};
	const size_t count = sizeof(outputs) / sizeof(outputs[0]);
	size_t i, j;

	(void)command;
	(void)given;
	for (i = 0; i < count; i++)
		for (j = 0; j < i; j++)
			if (outputs[i].path && outputs[j].path &&
			    strcmp(outputs[i].path, outputs[j].path) == 0)
				return fail(EXIT_USAGE, outputs[i].option,
					    "names the same output as %s; give each its "
					    "own",
					    outputs[j].option);
	return 0;
}

/* Without a run of its own, probe only looks. */
static int check_probe(const struct command *command, const struct config *config,
		       option_set given)
{
	const option_set looking = BIT(OPT_INTERFACE) | BIT(OPT_JSON) | BIT(OPT_VERBOSE);
	option_set idle = given & ~looking;

	(void)config;
	if (command->mask != COMMAND_PROBE || idle == 0 ||
	    option_in(given, OPT_DURATION) || option_in(given, OPT_COUNT))
		return 0;
	return fail_no_effect(option_first(idle), "without a run",
			      "add -d SECONDS or -n N to make one");
}

static int check_effect(const struct command *command, const struct config *config,
			option_set given)
{
	if (option_in(given, OPT_TOPOLOGY) && command->mask == COMMAND_TX &&
	    !config->dry_run)
		return fail_no_effect(OPT_TOPOLOGY, "on a real run",
				      "add --dry-run, or use 'dxmit plan'");
	if (option_in(given, OPT_FORCE) && option_in(given, OPT_SANDBOX))
		return fail_no_effect(OPT_FORCE, "with --sandbox", "leave it out");
	if (option_in(given, OPT_AVOID_IRQ_CPUS) && option_in(given, OPT_CPUS))
		return fail_no_effect(OPT_AVOID_IRQ_CPUS, "when --cpus lists the CPUs",
				      "leave one of them out");
	if (option_in(given, OPT_STAMP_FORMAT) && !config->stamp)
		return fail_no_effect(OPT_STAMP_FORMAT, "without --stamp", "add --stamp");
	if (option_in(given, OPT_CSV) && config->dry_run)
		return fail_no_effect(OPT_CSV, "with --dry-run", "use --json");
	if (option_in(given, OPT_PROMETHEUS) && config->dry_run)
		return fail_no_effect(OPT_PROMETHEUS, "with --dry-run", "use --json");
	if (option_in(given, OPT_CSV) && config->interval_ns == 0)
		return fail_no_effect(OPT_CSV, "with --interval 0",
				      "give an interval above 0");
	return 0;
}

static int check_path(const struct command *command, const struct config *config,
		      option_set given)
{
	enum option_id idle = first_given(given, DIRECT_OPTIONS);

	(void)command;
	if (config->mode == DXMIT_MODE_ZEROCOPY && config->direct == DXMIT_DIRECT_REQUIRE)
		return fail(EXIT_USAGE, "--path",
			    "direct is for copy mode and contradicts -z; leave one of "
			    "them out");
	if (idle != OPTIONS && config->mode == DXMIT_MODE_ZEROCOPY)
		return fail_no_effect(idle, "in zero-copy mode", "leave it out");
	if (idle != OPTIONS && config->direct == DXMIT_DIRECT_OFF)
		return fail_no_effect(idle, "on the kernel's path",
				      "use --path auto or direct");
	return 0;
}

/* What --frame says itself. */
#define FIXED_OPTIONS                                                              \
	(BIT(OPT_DST_MAC) | BIT(OPT_SRC_MAC) | BIT(OPT_DST_IP) | BIT(OPT_SRC_IP) | \
	 BIT(OPT_DST_PORT) | BIT(OPT_SRC_PORT) | BIT(OPT_TTL) | BIT(OPT_DSCP) |    \
	 BIT(OPT_FLOWS))

static int check_frame(const struct command *command, const struct config *config,
		       option_set given)
{
	enum option_id idle = first_given(given, FIXED_OPTIONS);

	(void)command;
	if (!config->frame_text || idle == OPTIONS)
		return 0;
	return fail_no_effect(idle, "with --frame", "write it into the expression");
}

/* Options that need a capture, and those a capture makes idle. */
#define REPLAY_OPTIONS                                                                 \
	(BIT(OPT_REPLAY_TIMING) | BIT(OPT_LOOP) | BIT(OPT_MAX_GAP) | BIT(OPT_MAP_IP) | \
	 BIT(OPT_FIX_CHECKSUMS) | BIT(OPT_BAD_RECORD) | BIT(OPT_SNAPPED))
#define MADE_OPTIONS                                                            \
	(BIT(OPT_FRAME) | BIT(OPT_SIZE) | BIT(OPT_DST_IP) | BIT(OPT_SRC_IP) |   \
	 BIT(OPT_DST_PORT) | BIT(OPT_SRC_PORT) | BIT(OPT_TTL) | BIT(OPT_DSCP) | \
	 BIT(OPT_PAYLOAD) | BIT(OPT_STAMP) | BIT(OPT_FLOWS))

static int check_replay(const struct command *command, const struct config *config,
			option_set given)
{
	bool replay = config->replay.path != NULL;
	enum option_id idle = first_given(given, replay ? MADE_OPTIONS : REPLAY_OPTIONS);

	(void)command;
	if (idle != OPTIONS)
		return fail_no_effect(idle, replay ? "with --replay" : "without --replay",
				      replay ? "leave it out" : "add --replay FILE");
	if (replay && config->dry_run)
		return fail_no_effect(OPT_REPLAY, "with --dry-run", "leave it out");
	if (replay && config->streams)
		return fail(EXIT_USAGE, "--replay",
			    "contradicts streams; leave one of them out");
	if (config->replay.speed_micro &&
	    (config->rate.micro || config->profile.steps || config->bursts.packets))
		return fail(EXIT_USAGE, "--replay-timing",
			    "contradicts --rate, --profile and --burst; leave it out");
	if (config->replay.max_gap_ns && !config->replay.speed_micro)
		return fail_no_effect(OPT_MAX_GAP, "without recorded times",
				      "add --replay-timing recorded");
	return 0;
}

/* attach and detach: exactly one way to say which sockets. */
static int check_sockets(const struct command *command, const struct config *config,
			 option_set given)
{
	bool attach = command->mask == COMMAND_ATTACH;
	enum option_id other = attach ? OPT_LIST : OPT_ID, idle;
	const char *flag = attach ? "--list" : "--id";

	if (option_in(given, OPT_FD) && option_in(given, OPT_ALL))
		return fail(EXIT_USAGE, "--all",
			    "contradicts --fd; leave one of them out");
	if (option_in(given, other)) {
		idle = first_given(given, DIRECT_OPTIONS | BIT(OPT_PID) | BIT(OPT_FD) |
						  BIT(OPT_ALL));
		return idle == OPTIONS
			       ? 0
			       : fail_no_effect(idle,
						attach ? "with --list" : "with --id",
						"leave one of them out");
	}
	if (!option_in(given, OPT_PID))
		return fail(EXIT_USAGE, command->name,
			    "no process is named; use -p PID, or %s%s", flag,
			    attach ? "" : " N");
	return config->json ? fail_no_effect(OPT_JSON, "without --list", "leave it out")
			    : 0;
}

/* report: which files, and what can be written of several. */
static int check_report(const struct command *command, const struct config *config,
			option_set given)
{
	enum option_id single = first_given(given, BIT(OPT_JSON) | BIT(OPT_CSV));
	size_t streams = 0, i;

	if (config->inputs == 0)
		return fail(EXIT_USAGE, command->name,
			    "no file is named; give what 'dxmit compare --json FILE' "
			    "wrote");
	for (i = 0; i < config->inputs; i++)
		streams += strcmp(config->input[i], "-") == 0;
	if (streams > 1)
		return fail(EXIT_USAGE, "-",
			    "standard input can be read only once; name it once");
	if (config->inputs > 1 && single != OPTIONS)
		return fail_no_effect(single, "on several files", "name one file");
	return check_outputs(command, config, given);
}

/* Everything that sends, plans or looks. */
static int check_run(const struct command *command, const struct config *config,
		     option_set given)
{
	static int (*const checks[])(const struct command *, const struct config *,
				     option_set) = {
		check_target, check_mode,  check_path,    check_rings,
		check_timing, check_size,  check_outputs, check_effect,
		check_probe,  check_frame, check_replay,
	};
	size_t i;

	for (i = 0; i < sizeof(checks) / sizeof(checks[0]); i++) {
		int code = checks[i](command, config, given);

		if (code)
			return code;
	}
	return command->mask == COMMAND_COMPARE ? options_check_compare(config, given)
						: 0;
}

int options_check(const struct command *command, const struct config *config,
		  option_set given)
{
	if (command->mask & (COMMAND_ATTACH | COMMAND_DETACH))
		return check_sockets(command, config, given);
	if (command->mask & COMMAND_REPORT)
		return check_report(command, config, given);
	return check_run(command, config, given);
}
