/* SPDX-License-Identifier: BSD-2-Clause */
/* For tests of frames: a second, slow way to the Internet checksum. */
#ifndef TESTS_CHECKSUM_FIXTURE_H
#define TESTS_CHECKSUM_FIXTURE_H

#include <stddef.h>
#include <stdint.h>

/* One big-endian word at a time, carry added back at once: deliberately not
 * the way the library does it. */
static inline unsigned int slow_sum(unsigned int sum, const uint8_t *data, size_t len)
{
	size_t i;

	for (i = 0; i < len; i++) {
		sum += i % 2 ? data[i] : data[i] * 256u;
		if (sum > 0xffff)
			sum -= 0xffff;
	}
	return sum;
}

static inline unsigned int big16(const uint8_t *at)
{
	return at[0] * 256u + at[1];
}

#endif
