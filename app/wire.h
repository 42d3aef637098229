/* SPDX-License-Identifier: BSD-2-Clause */
/* Numbers in frames: big endian, at any address. */
#ifndef APP_WIRE_H
#define APP_WIRE_H

#include <stdint.h>

static inline uint16_t get16(const uint8_t *at)
{
	return (uint16_t)(at[0] << 8 | at[1]);
}

static inline void put16(uint8_t *at, uint32_t value)
{
	at[0] = (uint8_t)(value >> 8);
	at[1] = (uint8_t)value;
}

/* A MAC address as the value of a field. */
static inline uint64_t mac_number(const uint8_t mac[6])
{
	return (uint64_t)get16(mac) << 32 | (uint64_t)get16(mac + 2) << 16 |
	       get16(mac + 4);
}

#endif
