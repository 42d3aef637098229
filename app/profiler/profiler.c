/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The profiler of profiler.h: events (profiler_events.h) fill rings, draining counts
 * addresses (profiler_hits.h), collecting names them (profiler_names.h).
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "profiler.h"
#include "profiler_events.h"
#include "profiler_names.h"

struct profiler {
	struct profiler_events events;
	struct profiler_hits hits;
	struct profiler_counts counts;
	uint64_t uncollected; /* samples that are in `hits` */
	FILE *kallsyms;       /* open from the begin: privileges may go; NULL: none */
	int pid;
};

#define BY_CYCLES ", by CPU cycles"
#define BY_TIMER ", by a timer"
/*
 * The timer's interrupt waits where interrupts are off, and is then taken, and its
 * sample counted, where they come on again (kernel/events/core.c,
 * perf_swevent_hrtimer()). The counter's is not maskable on x86.
 */
#define BLIND                                                                \
	", which counts what runs with interrupts off at the function that " \
	"turns them on again"
/* kernel/ksyms_common.c, kallsyms_show_value(). */
#define HIDDEN                                                                       \
	"; functions of the kernel without names, which need CAP_SYSLOG, or sysctl " \
	"kernel.kptr_restrict=0 kernel.perf_event_paranoid=1"
/* clang-format off: it takes the braces for a block's */
#define WITH_KERNEL(scope)                                                     \
	{                                                                      \
		{ scope BY_CYCLES, scope BY_CYCLES HIDDEN },                   \
			{ scope BY_TIMER BLIND, scope BY_TIMER BLIND HIDDEN }, \
	}
/* clang-format on */
#define ALONE "the sender alone, without the kernel"

static const char *const described[PROFILER_SCOPES][PROFILER_CLOCKS][2] = {
	[PROFILER_CPUS] = WITH_KERNEL("all on the senders' CPUs"),
	[PROFILER_PROCESS] = WITH_KERNEL("the sender alone, with the kernel"),
	[PROFILER_PROCESS_USER] = { { ALONE BY_CYCLES }, { ALONE BY_TIMER } },
};

/* Of the first line: all addresses are zero, or none is. */
static bool names_are_hidden(FILE *kallsyms)
{
	unsigned long long address;

	return !kallsyms || fscanf(kallsyms, "%llx", &address) != 1 || address == 0;
}

/* Each CPU once, even if several queues are on it. Returns how many are left. */
static size_t copy_once(const uint32_t *cpu, size_t cpus, uint32_t *out)
{
	size_t count = 0, i, k;

	for (i = 0; i < cpus; i++) {
		for (k = 0; k < count && out[k] != cpu[i];)
			k++;
		if (k == count)
			out[count++] = cpu[i];
	}
	return count;
}

static int open_events(struct profiler *profiler, const uint32_t *cpu, size_t cpus,
		       uint32_t hz, const char **how)
{
	uint32_t *once = calloc(cpus ? cpus : 1, sizeof(*once));
	int err;

	if (!once) {
		*how = "out of memory; free some";
		return -ENOMEM;
	}
	cpus = copy_once(cpu, cpus, once);
	err = profiler_events_open(once, cpus, profiler->pid, hz, &profiler->events, how);
	free(once);
	return err;
}

int profiler_open(const uint32_t *cpu, size_t cpus, int pid, uint32_t hz,
		  struct profiler **out, const char **how)
{
	struct profiler *profiler = calloc(1, sizeof(*profiler));
	bool hidden;
	int err;

	*out = NULL;
	if (!profiler) {
		*how = "out of memory; free some";
		return -ENOMEM;
	}
	profiler->pid = pid;
	err = open_events(profiler, cpu, cpus, hz, how);
	if (err) {
		free(profiler);
		return err;
	}
	profiler->kallsyms = fopen("/proc/kallsyms", "re");
	hidden = profiler->events.scope != PROFILER_PROCESS_USER &&
		 names_are_hidden(profiler->kallsyms);
	*how = described[profiler->events.scope][profiler->events.clock][hidden];
	*out = profiler;
	return 0;
}

int profiler_start(struct profiler *profiler)
{
	return profiler_events_switch(&profiler->events, true);
}

int profiler_stop(struct profiler *profiler)
{
	return profiler_events_switch(&profiler->events, false);
}

/* What PERF_SAMPLE_IP | PERF_SAMPLE_TID ask for, in the order that the header's
 * comment on PERF_RECORD_SAMPLE gives; and PERF_RECORD_LOST. */
struct sample_record {
	struct perf_event_header header;
	uint64_t address;
	uint32_t pid, tid;
};

struct lost_record {
	struct perf_event_header header;
	uint64_t id;
	uint64_t lost;
};

static void take_sample(struct profiler *profiler, const struct sample_record *sample)
{
	unsigned int mode = sample->header.misc & PERF_RECORD_MISC_CPUMODE_MASK;

	profiler->counts.samples++;
	profiler->uncollected++;
	if (mode == PERF_RECORD_MISC_KERNEL)
		profiler_hits_add(&profiler->hits, HIT_KERNEL, sample->pid,
				  sample->address);
	else if (mode == PERF_RECORD_MISC_USER)
		profiler_hits_add(&profiler->hits, HIT_USER, sample->pid,
				  sample->address);
	else
		profiler_hits_add(&profiler->hits, HIT_GUEST, 0, 0);
}

static void take_record(void *context, const struct perf_event_header *record)
{
	struct profiler *profiler = context;

	if (record->type == PERF_RECORD_SAMPLE &&
	    record->size >= sizeof(struct sample_record))
		take_sample(profiler, (const struct sample_record *)record);
	else if (record->type == PERF_RECORD_LOST &&
		 record->size >= sizeof(struct lost_record))
		profiler->counts.lost += ((const struct lost_record *)record)->lost;
}

void profiler_drain(struct profiler *profiler)
{
	size_t i;

	for (i = 0; i < profiler->events.rings; i++)
		profiler->counts.lost += profiler_ring_drain(&profiler->events.ring[i],
							     take_record, profiler);
}

int profiler_collect(struct profiler *profiler, struct comparison_cell *cell)
{
	struct profiler_functions functions = { 0 };
	uint64_t idle = 0, hits;
	size_t i;
	int err;

	for (i = 0; i < profiler->events.rings; i++)
		profiler->counts.lost += profiler_ring_is_full(&profiler->events.ring[i]);
	profiler_drain(profiler);
	err = profiler_names_find(&profiler->hits, profiler->kallsyms, profiler->pid,
				  &functions, &idle);
	hits = profiler->uncollected - idle;
	profiler->counts.idle += idle;
	profiler->uncollected = 0;
	profiler_hits_free(&profiler->hits);
	if (!err)
		return profiler_functions_merge(&functions, hits, cell);
	profiler_functions_free(&functions);
	return err;
}

void profiler_counts(const struct profiler *profiler, struct profiler_counts *out)
{
	*out = profiler->counts;
}

void profiler_close(struct profiler **profiler)
{
	struct profiler *p = *profiler;

	if (!p)
		return;
	profiler_events_close(&p->events);
	profiler_hits_free(&p->hits);
	if (p->kallsyms)
		fclose(p->kallsyms);
	free(p);
	*profiler = NULL;
}
