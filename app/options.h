/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The option table: every option of every command, once. The command line
 * parser, the defaults, --help, the manual page and the shell completion are
 * all made from it.
 */
#ifndef APP_OPTIONS_H
#define APP_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "command.h"
#include "config.h"
#include "parse.h"

enum option_id {
	OPT_INTERFACE,
	OPT_SANDBOX,
	OPT_QUEUES,
	OPT_SIZE,
	OPT_COUNT,
	OPT_DURATION,
	OPT_RATE,
	OPT_PROFILE,
	OPT_BURST,
	OPT_BATCH,
	OPT_LEGS,
	OPT_WITNESS,
	OPT_SIZES,
	OPT_QUEUE_COUNTS, /* --queues of compare */
	OPT_BATCHES,
	OPT_RINGS,
	OPT_WINDOW, /* --duration of compare */
	OPT_WARM_UP,
	OPT_ROUNDS,
	OPT_UNTIL,
	OPT_TIME_LIMIT,
	OPT_COOL_DOWN,
	OPT_SEED,
	OPT_PROFILE_CODE, /* --profile of compare */
	OPT_COPY,
	OPT_ZERO_COPY,
	OPT_PATH,
	OPT_DIRECT_BATCH,
	OPT_DIRECT_VALIDATE,
	OPT_DIRECT_SHADOW,
	OPT_KICK,
	OPT_BUDGET,
	OPT_RING,
	OPT_FRAMES,
	OPT_FRAME_SIZE,
	OPT_COMPLETION_RING,
	OPT_HUGE,
	OPT_SNDBUF,
	OPT_CPUS,
	OPT_NUMA,
	OPT_AVOID_IRQ_CPUS,
	OPT_TOPOLOGY,
	OPT_FRAME,
	OPT_DST_MAC,
	OPT_SRC_MAC,
	OPT_DST_IP,
	OPT_SRC_IP,
	OPT_DST_PORT,
	OPT_SRC_PORT,
	OPT_TTL,
	OPT_DSCP,
	OPT_PAYLOAD,
	OPT_STAMP,
	OPT_STAMP_FORMAT,
	OPT_FLOWS,
	OPT_REPLAY,
	OPT_REPLAY_TIMING,
	OPT_LOOP,
	OPT_MAX_GAP,
	OPT_MAP_IP,
	OPT_FIX_CHECKSUMS,
	OPT_BIND_WAIT,
	OPT_CARRIER_WAIT,
	OPT_LINK_LOSS,
	OPT_OVERSIZE,
	OPT_BAD_RECORD,
	OPT_SNAPPED,
	OPT_FORCE,
	OPT_PID,
	OPT_FD,
	OPT_ALL,
	OPT_ID,
	OPT_LIST,
	OPT_INTERVAL,
	OPT_JSON,
	OPT_CSV,
	OPT_PROMETHEUS,
	OPT_MARKDOWN,
	OPT_HTML,
	OPT_DRY_RUN,
	OPT_CONFIG,
	OPT_DUMP_CONFIG,
	OPT_VERBOSE,
	OPT_HELP,
	OPT_VERSION,
	OPTIONS /* how many there are */
};

/* Headings under which options are listed. */
enum option_group {
	GROUP_TARGET,
	GROUP_LOAD,
	GROUP_COMPARE,
	GROUP_SOCKET,
	GROUP_PLACEMENT,
	GROUP_FRAME,
	GROUP_REPLAY,
	GROUP_FAULTS,
	GROUP_SOCKETS,
	GROUP_OUTPUT,
	GROUP_OTHER,
	OPTION_GROUPS
};

/* How the text of a value is read and stored. */
enum option_type {
	VALUE_SWITCH,       /* no value; stores `min`, which is 1 by default */
	VALUE_ACTION,       /* no value; acts at once (--help, --version) */
	VALUE_NUMBER,       /* whole, min … max */
	VALUE_POWER_OF_TWO, /* whole, min … max */
	VALUE_TIME,         /* decimal; stored, and min … max, in nanoseconds */
	VALUE_SIZES,        /* of frames, min … max; see sizes.h */
	VALUE_RATE,         /* struct rate; or "max" */
	VALUE_PROFILE,      /* struct profile */
	VALUE_BURST,        /* struct bursts */
	VALUE_ADDRESS_MAPS, /* OLD=NEW,… into a struct address_maps */
	VALUE_SPEED,        /* "2x" or a word; stored in 1e-6 */
	VALUE_CHOICE,       /* one of `choices` */
	VALUE_LIST,         /* distinct numbers up to max, or "all" */
	VALUE_REPEAT_LIST,  /* numbers up to max, repeats allowed */
	VALUE_NUMBERS,      /* distinct numbers, min … max */
	VALUE_PERCENT,      /* stored, and min … max, in 1e-6 */
	VALUE_LEGS,         /* see leg.h */
	VALUE_COMMAND,      /* for the shell */
	VALUE_INTERFACE,
	VALUE_FILE,     /* path, "-" is stdout */
	VALUE_TOPOLOGY, /* path or description */
	VALUE_FRAME,    /* frame expression */
	VALUE_MAC,
	VALUE_IPV4,
	VALUE_PAYLOAD,
	VALUE_NUMA,
	VALUE_SANDBOX, /* optional number, min … max */
};

struct option_choice {
	const char *word; /* NULL ends the list */
	uint32_t value;
};

struct option_row {
	const char *name; /* long flag, and key in a configuration file */
	char letter;      /* short flag, 0: none */
	enum option_group group;
	enum option_type type;
	unsigned commands;    /* COMMAND_ bits of those that take it */
	const char *argument; /* placeholder in help, NULL: takes none */
	const char *unit;     /* what the value counts or names */
	enum parse_suffix suffix;
	uint64_t min, max;
	bool zero; /* 0 is legal too, below min */
	const struct option_choice *choices;
	const char *legal;     /* legal values, where type and range cannot say */
	const char *fallback;  /* default, as the user would type it; or NULL */
	const char *otherwise; /* in words, what holds without it if there is no
				    such text */
	const char *help;      /* one sentence or more */
	size_t offset;         /* where in struct config */
	size_t bytes;          /* width there */
	size_t given;          /* a bool there that tells it was given, or 0 */
};

/* Two rows may have one name where no command takes both. */
extern const struct option_row option_table[OPTIONS];
extern const char *const option_group_titles[OPTION_GROUPS];

#define OPTION_FLAG_LEN 32
/* How messages call the option: "-s", or "--ring" if it has no letter. */
void option_flag(const struct option_row *row, char flag[OPTION_FLAG_LEN]);

#define OPTION_LEGAL_LEN 160
/* What values are legal, to stand after "use". "" for options without value. */
void option_legal(const struct option_row *row, char legal[OPTION_LEGAL_LEN]);

/*
 * Read `text` (NULL where the value is optional and absent) and store it.
 * Strings are kept as pointers to `text`.
 */
bool option_store(const struct option_row *row, const char *text, struct config *config,
		  struct parse_reason *reason);

/* A set of options, by id; more than 64, so no integer of C has room for it. */
typedef unsigned __int128 option_set;
#define OPTION_BIT(id) ((option_set)1 << (id))
_Static_assert(OPTIONS <= 128, "an option_set has a bit for every option");

static inline bool option_in(option_set set, enum option_id id)
{
	return set >> id & 1;
}

/* The lowest one, or OPTIONS of an empty set. */
static inline enum option_id option_first(option_set set)
{
	int id = 0;

	while (id < OPTIONS && !option_in(set, (enum option_id)id))
		id++;
	return (enum option_id)id;
}

/* Note in `set`, and in *config where there is a place for it, that the option
 * was given. */
void option_mark_given(const struct option_row *row, struct config *config,
		       option_set *set);

/*
 * Whether options that are legal each by itself go together. No system calls.
 * `given` is the set of those on the command line or in a configuration file.
 * Returns 0, or EXIT_USAGE after the one line on stderr.
 */
int options_check(const struct command *command, const struct config *config,
		  option_set given);

/* The part of it that is about compare: options_compare.c. */
int options_check_compare(const struct config *config, option_set given);

#define OPTIONS_DONE 64 /* no exit code: the request was answered */

/*
 * Read the command line of one command: argv[0] is its name. Fills *config
 * completely, defaults and configuration file included; its strings point into
 * argv or that file's text. An option given twice: the last one wins; one in the
 * file as well: the command line wins.
 * Returns 0, OPTIONS_DONE (help or version was printed), or an exit code after
 * the one line on stderr. config_free() is due in every case.
 */
int options_parse(const struct command *command, int argc, char **argv,
		  struct config *config);

/* Free what options_parse() allocated; the struct is then all zero. */
void config_free(struct config *config);

#endif
