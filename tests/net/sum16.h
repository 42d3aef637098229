/* SPDX-License-Identifier: BSD-2-Clause */
/* The Internet checksum of the far ends: RFC 1071, written again here, since the
 * library's own sum is under test. */
#ifndef TESTS_NET_SUM16_H
#define TESTS_NET_SUM16_H

#include <stddef.h>
#include <stdint.h>

static inline uint32_t sum16(uint32_t sum, const uint8_t *data, size_t len)
{
	size_t i;

	for (i = 0; i + 1 < len; i += 2)
		sum += (uint32_t)data[i] << 8 | data[i + 1];
	if (len & 1)
		sum += (uint32_t)data[len - 1] << 8;
	while (sum >> 16)
		sum = (sum & 0xffff) + (sum >> 16);
	return sum;
}

#endif
