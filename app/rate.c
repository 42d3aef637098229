/* SPDX-License-Identifier: BSD-2-Clause */
/* The units of rate.h. */
#include <errno.h>
#include <stdio.h>

#include <dxmit/dxmit.h>
#include "parse.h"
#include "rate.h"
#include "text.h"

typedef unsigned __int128 u128;

#define ONE 1000000ull /* of any unit, in millionths */
#define KILO 1000u
#define MEGA 1000000u
#define GIGA 1000000000u

/* Suffixes of bit rates; one without a layer is L2, as in RFC 2544. */
#define BITS(layer, unit)                                               \
	{ "bps" layer, ONE, unit }, { "kbps" layer, ONE * KILO, unit }, \
		{ "Mbps" layer, ONE * MEGA, unit },                     \
	{                                                               \
		"Gbps" layer, ONE *GIGA, unit                           \
	}

static const struct parse_unit units[] = {
	{ "", ONE, RATE_PPS },
	{ "pps", ONE, RATE_PPS },
	{ "k", ONE *KILO, RATE_PPS },
	{ "kpps", ONE *KILO, RATE_PPS },
	{ "M", ONE *MEGA, RATE_PPS },
	{ "Mpps", ONE *MEGA, RATE_PPS },
	{ "G", ONE *GIGA, RATE_PPS },
	{ "Gpps", ONE *GIGA, RATE_PPS },
	BITS("", RATE_L2_BPS),
	BITS("-l2", RATE_L2_BPS),
	BITS("-l1", RATE_L1_BPS),
	{ "%", ONE, RATE_PERCENT },
	{ NULL, 0, 0 },
};

bool rate_parse(const char *text, struct rate *rate, struct parse_reason *reason)
{
	const struct parse_unit *unit;
	uint64_t micro;

	if (!parse_decimal(text, units, &micro, &unit, reason))
		return false;
	if (unit->kind == RATE_PERCENT && micro > 100 * ONE)
		return parse_refuse(reason, text, "more than the link carries");
	if (unit->kind == RATE_PPS && micro > RATE_MAX_MICRO_PPS)
		return parse_refuse(reason, text, "too large");
	*rate = (struct rate){ (enum rate_unit)unit->kind, micro };
	return true;
}

/* Millionths of a bit per second and what each frame takes of them. */
static int from_bits(u128 micro_bps, const struct rate_basis *basis, uint64_t overhead,
		     uint64_t *micro_pps)
{
	u128 bits = ((u128)basis->l2_bytes + (u128)overhead * basis->frames) * 8;
	u128 rate = micro_bps * basis->frames / bits;

	if ((rate == 0 && micro_bps) || rate > RATE_MAX_MICRO_PPS)
		return -ERANGE;
	*micro_pps = (uint64_t)rate;
	return 0;
}

int rate_convert(const struct rate *rate, const struct rate_basis *basis,
		 uint64_t *micro_pps)
{
	switch (rate->unit) {
	case RATE_L2_BPS:
		return from_bits(rate->micro, basis, 0, micro_pps);
	case RATE_L1_BPS:
		return from_bits(rate->micro, basis, DXMIT_L1_OVERHEAD_BYTES, micro_pps);
	case RATE_PERCENT:
		if (!basis->link_bps)
			return -ENODATA;
		return from_bits((u128)rate->micro * basis->link_bps / 100, basis,
				 DXMIT_L1_OVERHEAD_BYTES, micro_pps);
	default:
		if (rate->micro > RATE_MAX_MICRO_PPS)
			return -ERANGE;
		*micro_pps = rate->micro;
		return 0;
	}
}

const char *rate_text(const struct rate *rate, char buf[RATE_TEXT_BYTES])
{
	double value = (double)rate->micro / 1e6;
	char number[TEXT_NUMBER_BYTES];

	switch (rate->unit) {
	case RATE_L2_BPS:
	case RATE_L1_BPS:
		snprintf(buf, RATE_TEXT_BYTES, "%s L%d",
			 text_scaled(value, "bit/s", number),
			 rate->unit == RATE_L1_BPS ? 1 : 2);
		break;
	case RATE_PERCENT:
		snprintf(buf, RATE_TEXT_BYTES, "%.6g %% of the link (L1)", value);
		break;
	default:
		snprintf(buf, RATE_TEXT_BYTES, "%s", text_scaled(value, "pps", number));
		break;
	}
	return buf;
}
