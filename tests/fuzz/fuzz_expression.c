/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Fuzz target (libFuzzer): frame expressions. Whatever the text, the parser
 * returns; what it refuses it explains in one line and at a place within the
 * text; what it accepts can be built, with every checksum right.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "../unit/packet_fixture.h"
#include "expression.h"

#define CHECK(condition)          \
	do {                      \
		if (!(condition)) \
			abort();  \
	} while (0)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static uint8_t frame[DXMIT_PACKET_MAX_LENGTH];

static void check_error(const struct expression_error *error, size_t length)
{
	const char *c;

	CHECK(error->at <= length + 1);
	CHECK(strstr(error->text, "; "));
	CHECK(strlen(error->text) < sizeof(error->text) - 1);
	for (c = error->text; *c; c++)
		CHECK(*c >= ' ' && *c <= '~');
}

static void check_frame(const struct expression *e, uint32_t length)
{
	static const uint8_t mac[6] = { 2, 0, 0, 0, 0, 9 };
	const struct expression_rest rest = { .length = length,
					      .payload = DXMIT_PAYLOAD_COUNT,
					      .source_mac = mac };
	struct dxmit_packet_map map = { .size = sizeof(map) };
	struct expression_error error = { 0 };
	uint32_t i, bit;

	if (expression_build(e, &rest, frame, sizeof(frame), &map, &error) < 0) {
		CHECK(strstr(error.text, "; "));
		return;
	}
	for (i = 0; i < map.checksums; i++)
		CHECK(big16(frame + map.checksum[i].at) ==
		      right_checksum(frame, &map.checksum[i]));
	for (i = 0; i < e->modifiers; i++) {
		const struct expression_modifier *m = &e->modifier[i];

		CHECK(m->bits >= 1 && m->bits <= 64 && m->layer < e->layers);
		CHECK(m->list_from + m->list_values <= e->listed_values);
		CHECK((m->change == EXPRESSION_LIST) == (m->list_values > 0));
		CHECK(m->bits == 64 ||
		      (m->first >> m->bits == 0 && m->last >> m->bits == 0));
		(void)expression_modifier_bit(m, &map, &bit, &error);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct expression_error error;
	struct expression *e;
	char *text = malloc(size + 1);

	if (!text)
		return 0;
	memcpy(text, data, size);
	text[size] = '\0';
	if (!expression_parse(text, &e, &error)) {
		CHECK(!e);
		check_error(&error, strlen(text));
	} else {
		check_frame(e, 0);
		check_frame(e, 1514);
		check_frame(e, 333);
	}
	expression_free(e);
	free(text);
	return 0;
}
