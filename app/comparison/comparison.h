/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A comparison: ways to send (legs) under settings, each measured in several
 * rounds. Plain data, as `dxmit compare` fills it and its JSON document keeps it;
 * what follows from it is computed in judgement.h.
 */
#ifndef APP_COMPARISON_H
#define APP_COMPARISON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define COMPARISON_SCHEMA "dxmit-comparison"
#define COMPARISON_VERSION 1

/* What a sample cannot know is this. */
#define COMPARISON_UNKNOWN UINT64_MAX

/* One leg, once. Counts and times are those of the window but for `life_…`. */
struct comparison_sample {
	uint32_t round;         /* 1 …; samples of one round belong together */
	uint32_t place;         /* 0 …: when in its round it ran */
	uint64_t start_unix_ns; /* CLOCK_REALTIME at the window's begin */
	uint64_t ns;            /* length of the window */
	uint64_t packets;       /* that the witness saw */
	uint64_t bytes;         /* of them, without FCS */
	uint64_t kicks;         /* system calls that sent; COMPARISON_UNKNOWN */
	uint64_t lost;          /* as the sender knows; COMPARISON_UNKNOWN */
	uint64_t cpu_user_ns;   /* of the sender's threads */
	uint64_t cpu_system_ns; /* softirqs that ran inside them included */
	uint64_t ksoftirqd_ns;  /* of those threads of its CPUs, beside */
	uint64_t softirq_ns;    /* on its CPUs, by ticks; part of the two above */
	uint64_t life_packets;  /* witness, from before its start to after its end */
	uint64_t life_own;      /* what the sender itself says it sent, or UNKNOWN */
	bool disturbed;         /* not to be used; `note` says why */
	char note[96];          /* "" for nothing to say */
};

/* Share of a function in the samples of the profiler. */
struct comparison_function {
	char *name;
	bool kernel;
	uint64_t hits;
};

/* One leg under one setting. Texts are owned; see comparison_free(). */
struct comparison_cell {
	char *leg;          /* what it is called: "copy", "copy:budget=32" */
	uint32_t wire_size; /* bytes with FCS; 0: several */
	uint32_t queues;
	uint32_t batch; /* 0: the default */
	uint32_t ring;  /* likewise */

	char *unavailable; /* why it cannot run here; NULL: it can */
	char *failure;     /* why it broke off; NULL: it did not */
	char *mode;        /* obtained: "copy", "zerocopy", "af_packet" …; NULL */
	char *path;        /* obtained: "kernel", "direct" …; NULL */
	char *witness;     /* "far end", "device tx_packets" …; NULL */
	char *output;      /* last lines of an exec leg; NULL */

	struct comparison_sample *sample;
	size_t samples;
	uint32_t repeated; /* samples thrown away as disturbed and run again */

	struct comparison_function *function; /* most hits first */
	size_t functions;
	uint64_t profile_hits; /* all, also those of functions left out */
};

struct comparison {
	char *kernel;  /* uname -r */
	char *machine; /* model of the CPU */
	char *hostname;
	char *version; /* of the dxmit that measured */
	uint32_t cpus; /* online */
	char *interface;
	char *driver;
	char *placement; /* "queue 0 on CPU 1, node 0; …" */
	char *command_line;
	uint64_t start_unix_ns;
	double window_seconds, warm_up_seconds, cool_down_seconds;
	uint64_t seed;     /* of the order and the bootstrap */
	double until;      /* half width asked for, as a ratio (0.01); 0: none */
	uint32_t rounds;   /* completed */
	char *profile_how; /* what the profiler sampled; NULL: nothing */
	bool interrupted;  /* ended early by a signal */
	bool out_of_time;  /* ended by --time-limit before --until was reached */
	int exit_code;

	struct comparison_cell *cell; /* settings outermost, legs innermost */
	size_t cells;
};

/* Append a sample to a cell. Returns 0 or -ENOMEM. */
int comparison_add_sample(struct comparison_cell *cell,
			  const struct comparison_sample *sample);

/* Free everything it owns; the struct is then all zero. Idempotent. */
void comparison_free(struct comparison *comparison);

/* ---- comparison_json.c: 0 or -errno ---- */
int comparison_write_json(const struct comparison *comparison, FILE *out);

/* ---- comparison_read.c ---- */
/* "-" is standard input. Returns EXIT_DONE, or an exit code after the one line on
 * stderr; *out then holds nothing. */
int comparison_read_json(const char *path, struct comparison *out);
/* The same of a text; `name` is what messages call it. */
int comparison_parse(const char *name, const char *text, size_t length,
		     struct comparison *out);

/* ---- writers ---- */
struct judgement;
/* Pairs of legs: against the first one, or all where there are up to three. */
void comparison_text(const struct comparison *c, const struct judgement *j, FILE *out);
/* All pairs, and what other senders said. */
void comparison_text_verbose(const struct comparison *c, const struct judgement *j,
			     FILE *out);
void comparison_markdown(const struct comparison *c, const struct judgement *j,
			 FILE *out);
/* A row per sample. */
void comparison_csv(const struct comparison *c, FILE *out);
/* One self-contained page. Needs gnuplot(1) for its plots and says so in the page
 * if there is none. 0 or -errno. */
int comparison_html(const struct comparison *c, const struct judgement *j, FILE *out);

#endif
