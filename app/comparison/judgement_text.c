/* SPDX-License-Identifier: BSD-2-Clause */
/* Verdicts in plain words, each with its interval. */
#include <math.h>
#include <stdio.h>

#include "judgement.h"

/* From this ratio on (and below its inverse) people say "times", not "percent". */
#define TIMES_RATIO 1.25

/* Digits after the point that show a number of this size to about a percent. */
static int decimals(double size)
{
	return size < 0.1 ? 3 : size < 1 ? 2 : size < 100 ? 1 : 0;
}

static void too_few_text(size_t rounds, char buf[JUDGEMENT_TEXT])
{
	if (rounds)
		snprintf(buf, JUDGEMENT_TEXT, "too few rounds (%zu of %d)", rounds,
			 STATISTICS_MIN_ROUNDS);
	else
		snprintf(buf, JUDGEMENT_TEXT, "no rounds to compare");
}

static void none_text(const struct statistics_effect *effect, char buf[JUDGEMENT_TEXT])
{
	double percent = judgement_half_width(effect) * 100;
	int digits = decimals(percent);

	snprintf(buf, JUDGEMENT_TEXT,
		 "no difference seen (±%.*f %%); %.*f %% would have shown", digits,
		 percent, digits, effect->smallest * 100);
}

static void times_text(const struct statistics_effect *effect, char buf[JUDGEMENT_TEXT])
{
	int digits = effect->ratio >= 100 ? 0 : effect->ratio < 0.1 ? 4 : 2;

	snprintf(buf, JUDGEMENT_TEXT, "%.*f times as fast [%.*f, %.*f]", digits,
		 effect->ratio, digits, effect->low, digits, effect->high);
}

/* The interval's end that is closer to "none" comes first. */
static void percent_text(const struct statistics_effect *effect, const char *word,
			 double near, double far, char buf[JUDGEMENT_TEXT])
{
	double percent = fabs(effect->ratio - 1) * 100;
	int digits = decimals(fabs(near - 1) * 100);

	snprintf(buf, JUDGEMENT_TEXT, "%.*f %% %s [%.*f %%, %.*f %%]", digits, percent,
		 word, digits, fabs(near - 1) * 100, digits, fabs(far - 1) * 100);
}

void judgement_verdict_text(const struct statistics_effect *effect,
			    char buf[JUDGEMENT_TEXT])
{
	bool large = effect->ratio >= TIMES_RATIO || effect->ratio <= 1 / TIMES_RATIO;

	switch (effect->verdict) {
	case VERDICT_TOO_FEW:
		too_few_text(effect->rounds, buf);
		break;
	case VERDICT_NONE:
		none_text(effect, buf);
		break;
	case VERDICT_FASTER:
		if (large)
			times_text(effect, buf);
		else
			percent_text(effect, "faster", effect->low, effect->high, buf);
		break;
	case VERDICT_SLOWER:
		if (large)
			times_text(effect, buf);
		else
			percent_text(effect, "slower", effect->high, effect->low, buf);
		break;
	}
}

void judgement_time_text(const struct statistics_effect *effect, const char *unit,
			 char buf[JUDGEMENT_TEXT])
{
	double low = effect->difference_low, high = effect->difference_high;
	bool more = effect->verdict == VERDICT_FASTER;
	int digits = decimals((high - low) / 2);

	if (effect->verdict == VERDICT_TOO_FEW)
		too_few_text(effect->rounds, buf);
	else if (effect->verdict == VERDICT_NONE)
		snprintf(buf, JUDGEMENT_TEXT, "no difference seen (±%.*f %s)", digits,
			 (high - low) / 2, unit);
	else
		snprintf(buf, JUDGEMENT_TEXT, "%.*f %s %s [%.*f, %.*f]", digits,
			 fabs(effect->difference), unit, more ? "more" : "less", digits,
			 more ? low : -high, digits, more ? high : -low);
}
