/* SPDX-License-Identifier: BSD-2-Clause */
/* The checks of leg_check.h. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "leg_check.h"
#include "sender.h"

/*
 * Shares of the CPUs' time that others may take in a window. A sender that spins
 * loses about what others get, so these are the largest errors of one sample that
 * pass; the median over the rounds takes out what is left. Beside two compilers on
 * two shared CPUs (Linux 6.18) the share was 0.2 to 0.7, in between below 0.1. Idle
 * and stolen time are counted in ticks of 10 ms, each off by one at either end: less
 * than three ticks is not told from nothing.
 */
#define OTHER_SHARE 0.10
#define STEAL_SHARE 0.05
#define FLOOR_NS 30000000.0
/* Frames of others among those of a leg. */
#define FOREIGN_SHARE 0.01

#define QUIET_NS 500000000ull      /* to wait for it, at most */
#define QUIET_LOOK_NS 100000000ull /* ten ticks */
#define QUIET_SHARE 0.8            /* of them idle */

uint64_t leg_governors(const struct cpu_watch *watch)
{
	uint64_t hash = 14695981039346656037u; /* FNV-1a, 64 bits */
	size_t i;

	for (i = 0; i < watch->cpus; i++) {
		char path[96];
		FILE *file;
		int byte;

		snprintf(path, sizeof(path),
			 "/sys/devices/system/cpu/cpu%" PRIu32
			 "/cpufreq/scaling_governor",
			 watch->cpu[i]);
		file = fopen(path, "re");
		while (file && (byte = getc(file)) != EOF)
			hash = (hash ^ (uint64_t)byte) * 1099511628211u;
		if (file)
			fclose(file);
	}
	return hash;
}

static void note(struct leg_check *out, enum disturbance disturbance, double badness,
		 const char *text)
{
	out->badness += badness;
	if (disturbance > out->disturbance) {
		out->disturbance = disturbance;
		snprintf(out->note, sizeof(out->note), "%s", text);
	}
}

static void note_share(struct leg_check *out, double share, const char *format)
{
	char text[LEG_NOTE];

	snprintf(text, sizeof(text), "%.0f %% %s", share * 100, format);
	note(out, DISTURBED, share, text);
}

/* In the window. */
static void check_load(const struct leg_run *run, struct leg_check *out)
{
	const struct cpu_times *t = &run->cpu;
	double all =
		(double)(run->last.ns - run->begin.ns) * (double)run->setting->cpus.cpus;
	double own = (double)(t->process_ns + t->ksoftirqd_ns + t->kpktgend_ns);
	double other = all - own - (double)t->idle_ns - (double)t->steal_ns;

	if (other > all * OTHER_SHARE && other > FLOOR_NS)
		note_share(out, other / all, "of its CPUs was taken by other processes");
	if ((double)t->steal_ns > all * STEAL_SHARE && (double)t->steal_ns > FLOOR_NS)
		note_share(out, (double)t->steal_ns / all,
			   "of its CPUs was taken by other virtual machines");
}

/* By the device's counter; the far end of a sandbox has no others. */
static void check_foreign(const struct leg_run *run,
			  const struct comparison_sample *sample, struct leg_check *out)
{
	uint64_t own = sample->life_own, seen = sample->life_packets;

	if (own == COMPARISON_UNKNOWN || run->leg->kind == LEG_PKTGEN_RX || seen <= own)
		return;
	if ((double)(seen - own) > (double)seen * FOREIGN_SHARE)
		note_share(out, (double)(seen - own) / (double)seen,
			   "of the frames seen were not its own");
}

static void check_answer(const struct leg_run *run, struct leg_check *out)
{
	if (run->answer.fault)
		note(out, SPOILED, 1, run->answer.note);
}

void leg_check(const struct compare *c, const struct leg_run *run, uint64_t governors,
	       const struct comparison_sample *sample, struct leg_check *out)
{
	(void)c;
	memset(out, 0, sizeof(*out));
	check_answer(run, out);
	if (leg_governors(&run->setting->cpus) != governors)
		note(out, DISTURBED, 1, "the frequency governor was changed");
	check_load(run, out);
	check_foreign(run, sample, out);
}

void leg_wait_quiet(struct compare *c, const struct compare_setting *setting)
{
	uint64_t deadline_ns = clock_ns() + QUIET_NS;

	while (clock_ns() < deadline_ns && !compare_stopped(c)) {
		struct cpu_times before, now;
		uint64_t begin_ns = clock_ns(), all_ns;

		cpu_times_read(&setting->cpus, 0, &before);
		compare_sleep(c, QUIET_LOOK_NS);
		cpu_times_read(&setting->cpus, 0, &now);
		cpu_times_since(&now, &before);
		all_ns = (clock_ns() - begin_ns) * setting->cpus.cpus;
		if ((double)now.idle_ns >= (double)all_ns * QUIET_SHARE)
			return;
	}
}
