/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Making and writing JSON with jansson: values that never fail half-way, and
 * write errors that reach the caller.
 */
#include <errno.h>
#include <inttypes.h>
#include <math.h> /* isfinite(), a macro: nothing of libm is linked */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "json_parts.h"

/* Enough to give every counter rate back to the last packet per second. */
#define REAL_DIGITS 15

struct json_maker json_make_object(void)
{
	json_t *json = json_object();

	return (struct json_maker){ json, json == NULL };
}

struct json_maker json_make_array(void)
{
	json_t *json = json_array();

	return (struct json_maker){ json, json == NULL };
}

static void set(struct json_maker *to, const char *key, json_t *value)
{
	/* Takes the reference; a NULL value is refused with -1. */
	if (json_object_set_new(to->json, key, value) < 0)
		to->failed++;
}

void json_set_u64(struct json_maker *to, const char *key, uint64_t value)
{
	set(to, key, json_integer(value > INT64_MAX ? INT64_MAX : (json_int_t)value));
}

void json_set_i64(struct json_maker *to, const char *key, int64_t value)
{
	set(to, key, json_integer(value));
}

void json_set_real(struct json_maker *to, const char *key, double value)
{
	set(to, key, json_real(isfinite(value) ? value : 0));
}

void json_set_bool(struct json_maker *to, const char *key, bool value)
{
	set(to, key, json_boolean(value));
}

void json_set_null(struct json_maker *to, const char *key)
{
	set(to, key, json_null());
}

void json_set_known(struct json_maker *to, const char *key, int64_t value)
{
	if (value < 0)
		json_set_null(to, key);
	else
		json_set_i64(to, key, value);
}

void json_set_exact(struct json_maker *to, const char *key, uint64_t value)
{
	char digits[24];

	if (value == UINT64_MAX) {
		json_set_null(to, key);
	} else if (value <= INT64_MAX) {
		json_set_i64(to, key, (int64_t)value);
	} else {
		snprintf(digits, sizeof(digits), "%" PRIu64, value);
		json_set_text(to, key, digits);
	}
}

void json_set_finite(struct json_maker *to, const char *key, double value)
{
	if (isfinite(value))
		json_set_real(to, key, value);
	else
		json_set_null(to, key);
}

void json_set_limit(struct json_maker *to, const char *key, double value)
{
	if (value > 0)
		json_set_real(to, key, value);
	else
		json_set_null(to, key);
}

/* An interface name is any bytes but '/', ':' and white space. */
static json_t *text_or_ascii(const char *value)
{
	json_t *text = json_string(value);
	char *copy, *c;

	if (text)
		return text;
	copy = strdup(value);
	if (!copy)
		return NULL;
	for (c = copy; *c; c++)
		if ((unsigned char)*c >= 0x80)
			*c = '?';
	text = json_string(copy);
	free(copy);
	return text;
}

void json_set_text(struct json_maker *to, const char *key, const char *value)
{
	if (value)
		set(to, key, text_or_ascii(value));
	else
		json_set_null(to, key);
}

void json_set_part(struct json_maker *to, const char *key, struct json_maker part)
{
	to->failed += part.failed;
	set(to, key, part.json);
}

void json_append_part(struct json_maker *to, struct json_maker part)
{
	to->failed += part.failed;
	if (json_array_append_new(to->json, part.json) < 0)
		to->failed++;
}

int json_write(struct json_maker document, FILE *out)
{
	char *text = NULL;
	int err = 0;

	if (!document.failed)
		text = json_dumps(document.json,
				  JSON_INDENT(2) | JSON_REAL_PRECISION(REAL_DIGITS));
	json_decref(document.json);
	if (!text)
		return -ENOMEM;
	errno = 0;
	if (fputs(text, out) == EOF || fputc('\n', out) == EOF || fflush(out) == EOF)
		err = errno ? -errno : -EIO;
	free(text);
	return err;
}
