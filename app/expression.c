/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The parser of frame expressions: the stack of layers. What stands behind a
 * layer's name is read in expression_arguments.c. One pass from left to right; an
 * error is at the place the parser has come to.
 */
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "expression_parser.h"
#include "parse.h"

bool expression_refuse(struct expression_parser *p, const char *at, const char *format,
		       ...)
{
	va_list arguments;

	p->error->at = (size_t)(at - p->text) + 1;
	va_start(arguments, format);
	vsnprintf(p->error->text, sizeof(p->error->text), format, arguments);
	va_end(arguments);
	return false;
}

size_t expression_word(const struct expression_parser *p)
{
	size_t n = 0;

	while (p->at[n] == '_' || parse_is_digit(p->at[n]) ||
	       (p->at[n] >= 'a' && p->at[n] <= 'z'))
		n++;
	return n;
}

struct expression_layer *expression_last(const struct expression_parser *p)
{
	return &p->out->layer[p->out->layers - 1];
}

/* ---- names ---- */

const char *expression_shown(const struct expression_parser *p, size_t length,
			     char buf[EXPRESSION_SHOWN])
{
	char word[64];
	size_t n = length < sizeof(word) - 1 ? length : sizeof(word) - 1;

	memcpy(word, p->at, n);
	word[n] = '\0';
	parse_printable(buf, EXPRESSION_SHOWN, word);
	return buf;
}

static bool refuse_layer(struct expression_parser *p, size_t length)
{
	char list[128] = "", shown[EXPRESSION_SHOWN];
	size_t at = 0;
	int kind;

	for (kind = 1; kind < DXMIT_LAYER_KINDS; kind++)
		at += (size_t)snprintf(
			list + at, sizeof(list) - at, "%s, ",
			dxmit_layer_info((enum dxmit_layer_kind)kind)->name);
	if (length == 0)
		return expression_refuse(p, p->at, "a layer is missing; use %spad", list);
	return expression_refuse(p, p->at, "'%s' is no layer; use %spad",
				 expression_shown(p, length, shown), list);
}

bool expression_word_is(const struct expression_parser *p, size_t length,
			const char *word)
{
	return strlen(word) == length && memcmp(p->at, word, length) == 0;
}

static enum dxmit_layer_kind find_kind(const struct expression_parser *p, size_t length)
{
	int kind;

	for (kind = 1; kind < DXMIT_LAYER_KINDS; kind++)
		if (expression_word_is(
			    p, length,
			    dxmit_layer_info((enum dxmit_layer_kind)kind)->name))
			return (enum dxmit_layer_kind)kind;
	return DXMIT_LAYER_NONE;
}

static bool read_layer(struct expression_parser *p)
{
	size_t length = expression_word(p);
	enum dxmit_layer_kind kind = find_kind(p, length);

	if (expression_word_is(p, length, "pad") && p->out->layers) {
		p->out->pad = true;
		p->at += length;
		return *p->at == '\0' ||
		       expression_refuse(p, p->at,
					 "nothing can follow pad; use it as the last");
	}
	if (kind == DXMIT_LAYER_NONE)
		return refuse_layer(p, length);
	if (p->out->layers == DXMIT_PACKET_MAX_LAYERS)
		return expression_refuse(p, p->at, "too many layers; use at most %d",
					 DXMIT_PACKET_MAX_LAYERS);
	p->out->layer[p->out->layers++] = (struct expression_layer){
		.at = (size_t)(p->at - p->text) + 1,
		.kind = kind,
		.value_from = p->out->values,
	};
	p->at += length;
	if (*p->at == ':' && !expression_arguments(p))
		return false;
	if (*p->at && *p->at != '/')
		return expression_refuse(p, p->at,
					 "unexpected after %s; use / and a layer, or : "
					 "and its arguments",
					 dxmit_layer_info(kind)->name);
	return true;
}

/* Is the stack one? The shortest packet of it is built, nowhere in particular. */
static bool check_stack(struct expression_parser *p)
{
	const struct expression_rest rest = { .length = 0 };
	uint8_t *frame = malloc(DXMIT_PACKET_MAX_LENGTH);
	int length;

	if (!frame)
		return expression_refuse(p, p->text, "out of memory; free some");
	length = expression_build(p->out, &rest, frame, DXMIT_PACKET_MAX_LENGTH, NULL,
				  p->error);
	free(frame);
	return length >= 0;
}

bool expression_parse(const char *text, struct expression **out,
		      struct expression_error *error)
{
	struct expression_parser p = { .text = text, .at = text, .error = error };
	bool ok;

	*out = NULL;
	memset(error, 0, sizeof(*error));
	p.out = calloc(1, sizeof(*p.out));
	if (!p.out)
		return expression_refuse(&p, text, "out of memory; free some");
	ok = read_layer(&p);
	while (ok && *p.at == '/') {
		p.at++;
		ok = read_layer(&p);
	}
	if (!ok || !check_stack(&p)) {
		expression_free(p.out);
		return false;
	}
	*out = p.out;
	return true;
}

void expression_free(struct expression *expression)
{
	uint32_t i;

	if (!expression)
		return;
	for (i = 0; i < expression->layers; i++) {
		free(expression->layer[i].bytes);
		free(expression->layer[i].file);
	}
	free(expression);
}
