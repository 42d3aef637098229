/* SPDX-License-Identifier: BSD-2-Clause */
/* Figures of a comparison as they are shown; "-" for what is not known. */
#include <math.h>
#include <string.h>

#include "comparison_sheets.h"

static const char *unknown(char buf[TEXT_NUMBER_BYTES])
{
	return strcpy(buf, "-");
}

const char *figure_scaled(double value, char buf[TEXT_NUMBER_BYTES])
{
	return isfinite(value) ? text_scaled(value, "", buf) : unknown(buf);
}

/* Decimals that leave four digits of a value of that size. */
static int decimals(double value)
{
	value = fabs(value);
	return value < 9.9995 ? 3 : value < 99.995 ? 2 : value < 999.95 ? 1 : 0;
}

const char *figure_plain(double value, char buf[TEXT_NUMBER_BYTES])
{
	if (!isfinite(value))
		return unknown(buf);
	if (fabs(value) >= 1e6)
		return text_scaled(value, "", buf);
	snprintf(buf, TEXT_NUMBER_BYTES, "%.*f", decimals(value), value);
	return buf;
}

const char *figure_difference(double value, char buf[TEXT_NUMBER_BYTES])
{
	char size[TEXT_NUMBER_BYTES];

	if (!isfinite(value))
		return unknown(buf);
	snprintf(buf, TEXT_NUMBER_BYTES, "%c%.*s", value < 0 ? '-' : '+',
		 TEXT_NUMBER_BYTES - 2, figure_plain(fabs(value), size));
	return buf;
}

const char *figure_share(double value, char buf[TEXT_NUMBER_BYTES])
{
	double percent = 100 * value;

	if (!isfinite(value))
		return unknown(buf);
	snprintf(buf, TEXT_NUMBER_BYTES, "%.*f %%", percent < 0.995 ? 2 : 1, percent);
	return buf;
}

const char *figure_count(uint64_t count, char buf[TEXT_NUMBER_BYTES])
{
	return count == COMPARISON_UNKNOWN ? unknown(buf) : text_count(count, buf);
}
