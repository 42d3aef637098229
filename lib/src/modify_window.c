/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Compiling modifiers: the window of the frame that holds a field, and what a
 * change in it does to checksums.
 */
#include <endian.h>
#include <errno.h>
#include <string.h>

#include "modify_compile.h"

/* Bytes of a window as the mask that a load of that many gives. */
static uint64_t byte_mask(const uint8_t *byte, uint32_t bytes)
{
	uint16_t two;
	uint32_t four;
	uint64_t eight;

	memcpy(&two, byte, sizeof(two));
	memcpy(&four, byte, sizeof(four));
	memcpy(&eight, byte, sizeof(eight));
	return bytes == 2 ? two : bytes == 4 ? four : eight;
}

/* The bytes of a window that lie in from … to but not in the two at `hole`. */
static uint64_t covered(const struct field *f, uint32_t from, uint32_t to, uint32_t hole)
{
	uint8_t byte[8] = { 0 };
	uint32_t i;

	for (i = 0; i < f->bytes; i++) {
		uint32_t at = f->window.at + i;

		if (at >= from && at < to && at != hole && at != hole + 1)
			byte[i] = 0xff;
	}
	return byte_mask(byte, f->bytes);
}

static uint64_t swap_bytes(uint64_t big_endian, uint32_t bytes)
{
	if (bytes == 2)
		return htobe16((uint16_t)big_endian);
	if (bytes == 4)
		return htobe32((uint32_t)big_endian);
	return htobe64(big_endian);
}

/* Does the window hold bytes first … last of a frame? */
static bool fits(uint32_t at, uint32_t bytes, uint32_t first, uint32_t last,
		 uint32_t length)
{
	return at <= first && last < at + bytes && at + bytes <= length;
}

/*
 * The narrowest window, at an even offset if there is one: sums then need no
 * swap. It may begin before the field, and does so at the end of the frame.
 */
static int choose_window(const struct dxmit_modifier *m, uint32_t length, struct field *f)
{
	uint32_t first = m->bit / 8, last = (m->bit + m->bits - 1) / 8;
	uint32_t odd, bytes, i;

	for (odd = 0; odd < 2; odd++)
		for (bytes = 2; bytes <= 8; bytes *= 2) {
			uint32_t ends = length > bytes ? length - bytes : 0;
			uint32_t at[2] = { odd ? first : first & ~1u,
					   odd ? ends : ends & ~1u };

			for (i = 0; i < 2; i++)
				if (fits(at[i], bytes, first, last, length)) {
					f->window.at = at[i];
					f->bytes = bytes;
					return 0;
				}
		}
	return -EINVAL; /* wider than 8 bytes */
}

int dxmit_modify_window_(const struct compile *c, uint32_t index, struct field *f)
{
	const struct dxmit_modifier *m = &c->spec->modifier[index];
	uint32_t length = c->spec->length, in_window;
	int err;

	if (m->bits < 1 || m->bits > 64)
		return -EINVAL;
	if ((uint64_t)m->bit + m->bits > (uint64_t)length * 8)
		return -EMSGSIZE;
	err = choose_window(m, length, f);
	if (err)
		return err;
	in_window = m->bit - 8 * f->window.at;
	f->window.shift = 8 * f->bytes - in_window - m->bits;
	f->window.mask = swap_bytes(field_max(m) << f->window.shift, f->bytes);
	f->window.cover = UINT64_MAX;
	f->span = covered(f, m->bit / 8, (m->bit + m->bits - 1) / 8 + 1, UINT32_MAX - 1);
	return 0;
}

/* ---- effects on checksums ---- */

/* A UDP checksum that is 0 in the template is none, and stays so (RFC 768). */
static bool is_kept(const struct dxmit_modify_spec *spec, uint32_t checksum)
{
	const struct dxmit_packet_checksum *s = &spec->checksum[checksum];
	const uint8_t *frame = spec->frame;

	return !s->udp || frame[s->at] || frame[s->at + 1];
}

/* A stretch of the frame that a checksum sums up. */
static bool effect_on(const struct field *f, uint32_t from, uint32_t to, uint32_t hole,
		      struct effect *effect)
{
	effect->cover = covered(f, from, to, hole);
	effect->swap = (f->window.at - from) & 1;
	if ((effect->cover & f->span) == f->span)
		effect->cover = UINT64_MAX; /* other bytes do not change */
	return (effect->cover & f->span) != 0;
}

/* Returns how many there are. */
uint32_t dxmit_modify_effects_(const struct compile *c, const struct field *f,
			       struct effect effect[2 * MODIFY_MAX_CHECKSUMS])
{
	uint32_t i, n = 0;

	for (i = 0; i < c->spec->checksums; i++) {
		const struct dxmit_packet_checksum *s = &c->spec->checksum[i];

		if (!is_kept(c->spec, i))
			continue;
		effect[n].checksum = i;
		n += effect_on(f, s->from, s->to, s->at, &effect[n]);
		effect[n].checksum = i;
		n += effect_on(f, s->pseudo_from, s->pseudo_to, s->at, &effect[n]);
	}
	return n;
}

bool dxmit_modify_covers_(const struct dxmit_modify_spec *spec, uint32_t outer,
			  uint32_t inner)
{
	return outer != inner && is_kept(spec, outer) &&
	       spec->checksum[inner].at >= spec->checksum[outer].from &&
	       spec->checksum[inner].at < spec->checksum[outer].to;
}
