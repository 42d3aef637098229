/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The larger stamp, with stream, flow and time, and the header of pktgen. Both
 * replace words of the payload and update the checksum above them by RFC 1624.
 */
#include <endian.h>
#include <string.h>

#include <dxmit/packet.h>

enum {
	FULL_WORDS = DXMIT_STAMP_FULL_BYTES / 8,
	PKTGEN_WORDS = DXMIT_PKTGEN_BYTES / 8,
};

/* Eqn. 3 of RFC 1624 over all words: ~HC + ~m + m'. The sums of 32-bit halves of
 * at most 8 words stay far below 2^64. */
static void replace(uint8_t *frame, const struct dxmit_stamp_place *place,
		    const uint64_t *word, size_t words)
{
	uint16_t checksum = 0;
	uint64_t sum, old;
	size_t i;

	if (place->checksum_at)
		memcpy(&checksum, frame + place->checksum_at, sizeof(checksum));
	sum = (uint16_t)~checksum;
	for (i = 0; i < words; i++) {
		uint64_t new = htobe64(word[i]);

		memcpy(&old, frame + place->at + 8 * i, sizeof(old));
		memcpy(frame + place->at + 8 * i, &new, sizeof(new));
		sum += (~old & UINT32_MAX) + (~old >> 32);
		sum += (new &UINT32_MAX) + (new >> 32);
	}
	if (!place->checksum_at || (place->udp && checksum == 0))
		return; /* there is none */
	sum = (sum & UINT32_MAX) + (sum >> 32);
	sum = (sum & UINT32_MAX) + (sum >> 32);
	checksum = dxmit_checksum_fold((uint32_t)sum);
	if (checksum == 0 && place->udp)
		checksum = 0xffff; /* RFC 768 */
	memcpy(frame + place->checksum_at, &checksum, sizeof(checksum));
}

void dxmit_stamp_write_full(void *frame, const struct dxmit_stamp_place *place,
			    const struct dxmit_stamp_full *stamp)
{
	const uint64_t word[FULL_WORDS] = {
		(uint64_t)DXMIT_STAMP_MAGIC << 32 |
			(uint32_t)DXMIT_STAMP_FULL_VERSION << 24 | stamp->queue,
		stamp->sequence,
		(uint64_t)stamp->stream << 48 | (stamp->flow & UINT64_MAX >> 16),
		stamp->time_ns,
	};

	replace(frame, place, word, FULL_WORDS);
}

void dxmit_pktgen_write(void *frame, const struct dxmit_stamp_place *place,
			uint32_t sequence, uint64_t time_ns)
{
	const uint64_t word[PKTGEN_WORDS] = {
		(uint64_t)DXMIT_PKTGEN_MAGIC << 32 | sequence,
		(time_ns / 1000000000u) << 32 | (time_ns % 1000000000u) / 1000u,
	};

	replace(frame, place, word, PKTGEN_WORDS);
}
