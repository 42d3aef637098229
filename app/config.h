/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the user asked: the plain result of reading the command line. Filled
 * by options_parse.c, from the option table; read by everyone else.
 */
#ifndef APP_CONFIG_H
#define APP_CONFIG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <dxmit/dxmit.h>
#include "profile.h"
#include "sizes.h"

/* A list of unsigned numbers as given: "0,2,4-7". */
struct number_list {
	uint32_t *value; /* NULL: not given, or "all" */
	size_t count;
};

/* What to do when the interface loses its link during a run. */
enum link_loss {
	LINK_LOSS_WAIT = 0, /* pause, resume when it is back (default) */
	LINK_LOSS_FAIL,     /* stop with exit code 1 */
	LINK_LOSS_GO,       /* keep sending; every lost frame is counted */
};

/* What to do with frames longer than the MTU allows. */
enum oversize {
	OVERSIZE_REFUSE = 0, /* usage error at start, stop during a run */
	OVERSIZE_SKIP,       /* do not send them, count them as skipped */
	OVERSIZE_SEND,       /* send them and let the device decide */
};

/*
 * One of several streams that share a run. Rates are what the streams' weights
 * are made of where they are given; then the run's rate is their sum.
 */
struct stream_config {
	const char *name;      /* for the report; NULL: its number */
	const char *frame;     /* expression as of --frame; NULL: the run's */
	struct size_mix sizes; /* entries 0: the run's */
	uint64_t weight;       /* frames per turn; 0: 1 */
	struct rate rate;      /* micro 0: by weight; all have one or none */
};

/* What --stamp puts into the payload; dxmit/frame.h has the layouts. */
enum stamp_format {
	STAMP_SEQUENCE = 0, /* version 1: queue, sequence number */
	STAMP_FULL,         /* version 2: stream, flow and time, too */
	STAMP_PKTGEN,       /* the header of the kernel's pktgen */
};

/* Records of a capture that cannot be frames, and the place where a file is cut
 * or damaged. */
enum bad_record {
	BAD_RECORD_SKIP = 0, /* leave them out, warn, go on with the good ones */
	BAD_RECORD_STOP,     /* exit code 1 */
};

/* Records that hold less of a frame than there was on the wire. */
enum snapped {
	SNAPPED_PAD = 0, /* bytes that are missing become zero */
	SNAPPED_SEND,    /* as short as they are */
	SNAPPED_SKIP,    /* leave them out, count them as skipped */
};

/* Addresses of one IPv4 network become those of another; host byte order. */
struct address_map {
	uint32_t from, to; /* without host bits */
	uint32_t mask;
};
#define ADDRESS_MAPS 16

struct address_maps {
	struct address_map map[ADDRESS_MAPS];
	uint32_t count;
};

struct replay_config {
	const char *path;     /* capture to send; NULL: frames are made */
	uint64_t speed_micro; /* 1000000: as recorded; 0: as fast as possible,
				     or at the rate */
	uint64_t loops;       /* 0: endless */
	bool loops_given;
	uint64_t max_gap_ns; /* longest pause between two frames; 0: any */
	enum bad_record bad_record;
	enum snapped snapped;
	bool fix_checksums;
	struct address_maps addresses;
};

#define CONFIG_INPUTS 32

/* What `dxmit compare` alone is asked. */
struct compare_config {
	const char *legs;    /* see leg.h */
	const char *witness; /* command for the shell; NULL: the device */
	struct number_list sizes, queues, batches, rings; /* sweeps; NULL: none */
	uint64_t window_ns, warm_up_ns, cool_down_ns;
	uint64_t time_limit_ns; /* 0: none, or the default of --until */
	uint32_t rounds;
	uint32_t until_ppm; /* half width of the intervals in 1e-6; 0: none */
	uint64_t seed;
	bool seed_given;
	bool profile;
};

struct config {
	const char *interface; /* as typed; NULL with --sandbox */
	bool sandbox;
	uint32_t sandbox_queues;   /* TX queues of the sandbox's device */
	struct number_list queues; /* -q; value NULL: all active */
	struct number_list cpus;   /* --cpus; value NULL: planned */

	struct size_mix sizes; /* -s: bytes on the wire with FCS */
	uint32_t wire_size;    /* the longest of these */
	bool count_given;      /* -n given (0 is a legal count) */
	uint64_t count;        /* packets over all queues */
	uint64_t duration_ns;  /* 0: no limit */
	struct rate rate;      /* over all queues; at most one of these three */
	struct profile profile;
	struct bursts bursts;
	uint32_t batch; /* frames per kick at most */

	uint32_t ring; /* 0: the library's default, as below */
	uint32_t frames;
	uint32_t frame_size;
	bool frame_size_given;
	uint32_t completion_ring;
	uint32_t budget;
	uint32_t sndbuf;
	uint32_t bind_wait_ms;
	uint64_t carrier_wait_ns;
	enum dxmit_mode mode;
	enum dxmit_huge huge;
	enum dxmit_kick_method kick;
	enum dxmit_direct direct; /* --path */
	uint32_t direct_batch;    /* 0: the module's default */
	bool direct_validate;
	uint32_t direct_shadow; /* 0: none */
	enum dxmit_numa numa;
	int32_t node;
	bool avoid_irq_cpus;
	enum link_loss link_loss;
	enum oversize oversize;

	struct dxmit_udp_spec frame;  /* addresses, ports, payload; .length is
					    set from wire_size */
	const char *frame_text;       /* --frame; NULL: the fixed options above */
	bool source_mac_given;        /* else the interface's own */
	bool stamp;                   /* sequence stamp in every frame */
	struct stream_config *stream; /* NULL: one stream of the above; its strings
					   are owned by whoever filled it */
	size_t streams;
	enum stamp_format stamp_format;
	uint64_t flows;             /* --flows; 0: not given */
	bool destination_mac_given; /* a replay keeps the captured one, else */
	struct replay_config replay;

	const char *topology; /* saved topology instead of this machine */
	uint64_t interval_ns; /* live table period; 0: none */
	const char *json;     /* output files, "-" is stdout; NULL: none */
	const char *csv;
	const char *prometheus;
	const char *markdown;
	const char *html;
	bool dry_run;
	bool force;
	bool verbose;
	const char *config_path;  /* configuration file; NULL: none */
	struct config_file *file; /* what it held; owns strings above */
	bool dump_config;
	bool probe; /* the run belongs to `dxmit probe` */
	struct compare_config compare;

	const char *input[CONFIG_INPUTS]; /* files of `dxmit report` */
	size_t inputs;

	/* `dxmit attach` and `dxmit detach` */
	uint32_t pid; /* 0: not given */
	bool fd_given;
	uint32_t fd; /* in that process */
	bool all;
	uint64_t id; /* of an attachment; 0: not given */
	bool list;
};

#endif
