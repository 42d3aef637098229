/* SPDX-License-Identifier: BSD-2-Clause */
/* What the samples of a cell mean: figures derived from their counts and times. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include <dxmit/dxmit.h>
#include "judgement_figures.h"

static double known(uint64_t value)
{
	return value == COMPARISON_UNKNOWN ? NAN : (double)value;
}

static double per(double what, double of)
{
	return of > 0 ? what / of : NAN;
}

static void derive(const struct comparison_sample *sample, struct judged_round *out)
{
	double seconds = (double)sample->ns / 1e9;
	double packets = known(sample->packets), kicks = known(sample->kicks);
	double l2_bytes = known(sample->bytes) + packets * DXMIT_FCS_BYTES;
	double l1_bytes = l2_bytes + packets * DXMIT_L1_OVERHEAD_BYTES;
	double user = known(sample->cpu_user_ns), system = known(sample->cpu_system_ns);
	double cpu = user + system + known(sample->ksoftirqd_ns);
	double *figure = out->figure;

	out->round = sample->round;
	out->lost = sample->lost;
	figure[FIGURE_PPS] = packets / seconds;
	figure[FIGURE_L1_BPS] = l1_bytes * 8 / seconds;
	figure[FIGURE_L2_BPS] = l2_bytes * 8 / seconds;
	figure[FIGURE_NS_PER_PACKET] = per((double)sample->ns, packets);
	figure[FIGURE_CPU] = per(cpu / 1e3, packets);
	figure[FIGURE_CPU_USER] = per(user / 1e3, packets);
	figure[FIGURE_CPU_SYSTEM] = per(system / 1e3, packets);
	figure[FIGURE_CPU_SOFTIRQ] = per(known(sample->softirq_ns) / 1e3, packets);
	figure[FIGURE_KICKS_PER_SECOND] = kicks / seconds;
	figure[FIGURE_PACKETS_PER_KICK] = per(packets, kicks);
}

static int by_round(const void *a, const void *b)
{
	uint32_t x = ((const struct judged_round *)a)->round;
	uint32_t y = ((const struct judged_round *)b)->round;

	return (x > y) - (x < y);
}

int judged_rounds(const struct comparison_cell *cell, struct judged_rounds *out)
{
	size_t i;

	*out = (struct judged_rounds){ 0 };
	if (!cell->samples)
		return 0;
	out->round = calloc(cell->samples, sizeof(*out->round));
	if (!out->round)
		return -ENOMEM;
	for (i = 0; i < cell->samples; i++) {
		const struct comparison_sample *sample = &cell->sample[i];

		if (!sample->disturbed && sample->ns &&
		    sample->ns != COMPARISON_UNKNOWN &&
		    sample->packets != COMPARISON_UNKNOWN)
			derive(sample, &out->round[out->rounds++]);
	}
	qsort(out->round, out->rounds, sizeof(*out->round), by_round);
	return 0;
}
