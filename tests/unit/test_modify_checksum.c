/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Checksums under modifiers: after every change each checksum is what a full
 * computation gives, for fields at any bit, several checksums over one field,
 * pseudo headers, checksums within checksums, and the zero rule of UDP.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdbool.h>
#include <string.h>

#include <dxmit/modify.h>

#include "checksum_fixture.h"

#define ROOM 256
#define FRAMES 150 /* more than two blocks */

static uint64_t random_state = 88172645463325252u;

static uint32_t random_below(uint32_t n)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return (uint32_t)(random_state >> 20) % n;
}

static uint32_t sum_between(uint32_t sum, const uint8_t *frame, uint32_t from,
			    uint32_t to)
{
	return slow_sum(sum, frame + from, to - from);
}

/* What the field of the checksum has to hold; its own bytes count as 0. */
static uint32_t right_checksum(const uint8_t *frame,
			       const struct dxmit_packet_checksum *c)
{
	uint32_t sum = sum_between(c->protocol + c->to - c->from, frame, c->pseudo_from,
				   c->pseudo_to);

	if (c->pseudo_from == c->pseudo_to)
		sum = 0;
	if (c->at >= c->from && c->at < c->to) {
		sum = sum_between(sum, frame, c->from, c->at);
		sum = sum_between(sum, frame, c->at + 2, c->to);
	} else {
		sum = sum_between(sum, frame, c->from, c->to);
	}
	sum = 0xffff - sum;
	return sum == 0 && c->udp ? 0xffff : sum;
}

static void fill_in(uint8_t *frame, const struct dxmit_packet_checksum *c, uint32_t n)
{
	uint32_t i;

	for (i = 0; i < n; i++) {
		uint32_t right = right_checksum(frame, &c[i]);

		frame[c[i].at] = (uint8_t)(right >> 8);
		frame[c[i].at + 1] = (uint8_t)right;
	}
}

struct packet {
	uint8_t frame[ROOM];
	uint32_t length;
	struct dxmit_packet_checksum checksum[4];
	uint32_t checksums;
};

/* Run packets start … over copies of the template, twice as if a ring went
 * round, and compare every checksum. */
static void check_run(const struct packet *p, const struct dxmit_modifier *m, uint32_t n)
{
	const struct dxmit_modify_spec spec = {
		.size = sizeof(spec),
		.modifier = m,
		.modifiers = n,
		.checksum = p->checksum,
		.checksums = p->checksums,
		.frame = p->frame,
		.length = p->length,
	};
	static uint8_t frame[FRAMES][ROOM];
	uint8_t *frames[FRAMES];
	struct dxmit_modify *program;
	uint32_t lap, i, j;

	assert_int_equal(dxmit_modify_compile(&spec, &program, NULL), 0);
	for (i = 0; i < FRAMES; i++)
		frames[i] = memcpy(frame[i], p->frame, ROOM);
	for (lap = 0; lap < 3; lap++) {
		dxmit_modify_frames(program, frames, FRAMES, lap * 1000);
		for (i = 0; i < FRAMES; i++) {
			for (j = 0; j < p->checksums; j++)
				assert_int_equal(
					big16(frame[i] + p->checksum[j].at),
					right_checksum(frame[i], &p->checksum[j]));
			/* Behind the frame nothing is touched. */
			assert_memory_equal(frame[i] + p->length, p->frame + p->length,
					    ROOM - p->length);
		}
	}
	dxmit_modify_free(&program);
}

/* ---- packets ---- */

static void randomize(struct packet *p, uint32_t length)
{
	uint32_t i;

	p->length = length;
	for (i = 0; i < ROOM; i++)
		p->frame[i] = (uint8_t)random_below(256);
}

static struct packet udp4(uint32_t length)
{
	struct packet p = {
		.checksum = { { .at = 40,
				.from = 34,
				.to = length,
				.pseudo_from = 26,
				.pseudo_to = 34,
				.protocol = 17,
				.udp = 1 },
			      { .at = 24, .from = 14, .to = 34 } },
		.checksums = 2,
	};

	randomize(&p, length);
	fill_in(p.frame, p.checksum, p.checksums);
	return p;
}

static struct packet tcp6(uint32_t length)
{
	struct packet p = {
		.checksum = { { .at = 70,
				.from = 54,
				.to = length,
				.pseudo_from = 22,
				.pseudo_to = 54,
				.protocol = 6 } },
		.checksums = 1,
	};

	randomize(&p, length);
	fill_in(p.frame, p.checksum, p.checksums);
	return p;
}

/* IPv6, UDP with checksum, VXLAN, Ethernet, IPv4, UDP. */
static struct packet vxlan6(uint32_t length)
{
	struct packet p = {
		.checksum = { { .at = 118,
				.from = 112,
				.to = length,
				.pseudo_from = 104,
				.pseudo_to = 112,
				.protocol = 17,
				.udp = 1 },
			      { .at = 102, .from = 92, .to = 112 },
			      { .at = 60,
				.from = 54,
				.to = length,
				.pseudo_from = 22,
				.pseudo_to = 54,
				.protocol = 17,
				.udp = 1 } },
		.checksums = 3,
	};

	randomize(&p, length);
	fill_in(p.frame, p.checksum, p.checksums);
	return p;
}

static bool touches_a_checksum(const struct packet *p, const struct dxmit_modifier *m)
{
	uint32_t first = m->bit / 8, last = (m->bit + m->bits - 1) / 8, i;

	for (i = 0; i < p->checksums; i++)
		if (p->checksum[i].at + 1 >= first && p->checksum[i].at <= last)
			return true;
	return false;
}

static struct dxmit_modifier random_field(const struct packet *p)
{
	struct dxmit_modifier m;

	do {
		m = (struct dxmit_modifier){
			.bits = 1 + random_below(64),
			.kind = random_below(4) ? DXMIT_MODIFY_RANDOM
						: DXMIT_MODIFY_INCREMENT,
			.seed = random_below(1000),
		};
		m.bit = random_below(p->length * 8 - m.bits);
		if (random_below(2)) /* whole bytes, as most fields */
			m.bit &= ~7u, m.bits = (m.bits + 7) & ~7u;
	} while (m.bit % 8 + m.bits > 64 || touches_a_checksum(p, &m));
	return m;
}

static void many_random_fields(struct packet (*make)(uint32_t), uint32_t least,
			       uint32_t rounds)
{
	struct dxmit_modifier m[8];
	uint32_t round, n, i;

	for (round = 0; round < rounds; round++) {
		const struct packet p = make(least + random_below(ROOM - 8 - least));

		n = 1 + random_below(round % 2 ? 8 : 2);
		for (i = 0; i < n; i++)
			m[i] = random_field(&p);
		check_run(&p, m, n);
	}
}

static void test_random_fields_udp4(void **state)
{
	(void)state;
	many_random_fields(udp4, 60, 400);
}

static void test_random_fields_tcp6(void **state)
{
	(void)state;
	many_random_fields(tcp6, 90, 400);
}

static void test_random_fields_vxlan6(void **state)
{
	(void)state;
	many_random_fields(vxlan6, 130, 400);
}

/* Each named field of an IPv4/UDP frame alone: the fast loops. */
static void test_single_fields(void **state)
{
	const struct dxmit_modifier fields[] = {
		{ .bit = 0, .bits = 48 },      { .bit = 8 * 14 + 8, .bits = 6 },
		{ .bit = 8 * 18, .bits = 16 }, { .bit = 8 * 22, .bits = 8 },
		{ .bit = 8 * 26, .bits = 32 }, { .bit = 8 * 30, .bits = 32 },
		{ .bit = 8 * 34, .bits = 16 }, { .bit = 8 * 36, .bits = 16 },
		{ .bit = 8 * 42, .bits = 64 }, { .bit = 8 * 43, .bits = 32 },
		{ .bit = 8 * 30, .bits = 64 }, { .bit = 8 * 26, .bits = 64 },
		{ .bit = 8 * 59, .bits = 8 },  { .bit = 8 * 52 + 3, .bits = 61 },
	};
	size_t i, kind;

	(void)state;
	for (i = 0; i < sizeof(fields) / sizeof(fields[0]); i++)
		for (kind = 0; kind < 2; kind++) {
			const struct packet p = udp4(60);
			struct dxmit_modifier m = fields[i];

			m.kind = kind ? DXMIT_MODIFY_RANDOM : DXMIT_MODIFY_DECREMENT;
			check_run(&p, &m, 1);
		}
}

/* A 16-bit field that goes through all its values passes the one at which the
 * sum is 0: UDP says 0xffff, TCP 0. */
static void test_zero_rule(void **state)
{
	static uint8_t frame[ROOM];
	uint8_t *const frames[] = { frame };
	const struct dxmit_modifier m = { .bit = 8 * 36, .bits = 16 };
	uint32_t udp, number, hits;

	(void)state;
	for (udp = 0; udp < 2; udp++) {
		struct packet p = udp4(60);
		struct dxmit_modify_spec spec = {
			.size = sizeof(spec),
			.modifier = &m,
			.modifiers = 1,
			.checksum = p.checksum,
			.checksums = 2,
			.frame = p.frame,
			.length = 60,
		};
		struct dxmit_modify *program;

		p.checksum[0].udp = (uint8_t)udp;
		fill_in(p.frame, p.checksum, 2);
		memcpy(frame, p.frame, ROOM);
		assert_int_equal(dxmit_modify_compile(&spec, &program, NULL), 0);
		for (number = 0, hits = 0; number < 70000; number++) {
			uint32_t right;

			dxmit_modify_frames(program, frames, 1, number);
			right = right_checksum(frame, &p.checksum[0]);
			assert_int_equal(big16(frame + 40), right);
			hits += right == (udp ? 0xffff : 0);
		}
		assert_true(hits >= 1);
		dxmit_modify_free(&program);
	}
}

/* No UDP checksum stays none; the header's is kept right. */
static void test_no_udp_checksum(void **state)
{
	const struct dxmit_modifier m = { .bit = 8 * 26,
					  .bits = 32,
					  .kind = DXMIT_MODIFY_RANDOM };
	struct packet p = udp4(60);
	const struct dxmit_modify_spec spec = {
		.size = sizeof(spec),
		.modifier = &m,
		.modifiers = 1,
		.checksum = p.checksum,
		.checksums = 2,
		.frame = p.frame,
		.length = 60,
	};
	uint8_t *const frames[] = { p.frame };
	struct dxmit_modify *program;
	uint32_t number;

	(void)state;
	memset(p.frame + 40, 0, 2);
	assert_int_equal(dxmit_modify_compile(&spec, &program, NULL), 0);
	for (number = 0; number < 1000; number++) {
		dxmit_modify_frames(program, frames, 1, number);
		assert_int_equal(big16(p.frame + 40), 0);
		assert_int_equal(big16(p.frame + 24),
				 right_checksum(p.frame, &p.checksum[1]));
	}
	dxmit_modify_free(&program);
}

/* A modifier on a checksum makes it wrong as asked, and the one around it is
 * right for the wrong one. */
static void test_checksum_as_a_field(void **state)
{
	const struct dxmit_modifier m = { .bit = 8 * 118, .bits = 16, .first = 1000 };
	struct packet p = vxlan6(200);
	const struct dxmit_modify_spec spec = {
		.size = sizeof(spec),
		.modifier = &m,
		.modifiers = 1,
		.checksum = p.checksum,
		.checksums = 3,
		.frame = p.frame,
		.length = 200,
	};
	uint8_t *const frames[] = { p.frame };
	struct dxmit_modify *program;
	uint32_t number;

	(void)state;
	assert_int_equal(dxmit_modify_compile(&spec, &program, NULL), 0);
	for (number = 0; number < 1000; number++) {
		dxmit_modify_frames(program, frames, 1, number);
		assert_int_equal(big16(p.frame + 118), 1000 + number);
		assert_int_equal(big16(p.frame + 60),
				 right_checksum(p.frame, &p.checksum[2]));
	}
	dxmit_modify_free(&program);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_single_fields),
		cmocka_unit_test(test_random_fields_udp4),
		cmocka_unit_test(test_random_fields_tcp6),
		cmocka_unit_test(test_random_fields_vxlan6),
		cmocka_unit_test(test_zero_rule),
		cmocka_unit_test(test_no_udp_checksum),
		cmocka_unit_test(test_checksum_as_a_field),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
