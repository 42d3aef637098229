/* SPDX-License-Identifier: BSD-2-Clause */
/* Reading a JSON document: its values, checked one by one. */
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "json_reader.h"
#include "message.h"

bool json_wrong(struct json_reader *r, const char *key, const char *format, ...)
{
	char what[128];
	va_list args;

	va_start(args, format);
	vsnprintf(what, sizeof(what), format, args);
	va_end(args);
	r->code = fail(EXIT_USAGE, r->name, "%s%s %s; %s", r->at, key, what, r->remedy);
	return false;
}

bool json_no_memory(struct json_reader *r)
{
	r->code = fail(EXIT_RUNTIME, r->name, "out of memory; free some and try again");
	return false;
}

const json_t *json_member(const json_t *object, const char *key)
{
	const json_t *value = json_object_get(object, key);

	return json_is_null(value) ? NULL : value;
}

bool json_require(struct json_reader *r, const json_t *object, const char *key)
{
	return json_member(object, key) || json_wrong(r, key, "is missing");
}

static bool whole(const json_t *value, uint64_t *number)
{
	const char *text;
	char *end;

	if (json_is_integer(value)) {
		*number = (uint64_t)json_integer_value(value);
		return json_integer_value(value) >= 0;
	}
	text = json_string_value(value);
	if (!text || text[0] < '0' || text[0] > '9')
		return false;
	errno = 0;
	*number = strtoull(text, &end, 10);
	return errno == 0 && *end == '\0';
}

bool json_read_u64(struct json_reader *r, const json_t *object, const char *key,
		   uint64_t max, uint64_t *number)
{
	const json_t *value = json_member(object, key);
	uint64_t got;

	if (!value)
		return true;
	if (!whole(value, &got))
		return json_wrong(r, key, "is no whole number from 0 up");
	if (got > max)
		return json_wrong(r, key, "is %" PRIu64 ", more than %" PRIu64, got, max);
	*number = got;
	return true;
}

bool json_read_u32(struct json_reader *r, const json_t *object, const char *key,
		   uint32_t *number)
{
	uint64_t got = *number;

	if (!json_read_u64(r, object, key, UINT32_MAX, &got))
		return false;
	*number = (uint32_t)got;
	return true;
}

bool json_read_real(struct json_reader *r, const json_t *object, const char *key,
		    double *number)
{
	const json_t *value = json_member(object, key);

	if (!value)
		return true;
	if (!json_is_number(value) || json_number_value(value) < 0)
		return json_wrong(r, key, "is no number from 0 up");
	*number = json_number_value(value);
	return true;
}

bool json_read_bool(struct json_reader *r, const json_t *object, const char *key,
		    bool *flag)
{
	const json_t *value = json_member(object, key);

	if (!value)
		return true;
	if (!json_is_boolean(value))
		return json_wrong(r, key, "is neither true nor false");
	*flag = json_is_true(value);
	return true;
}

/* *text stays the document's; NULL where it is missing. */
static bool look_at_text(struct json_reader *r, const json_t *object, const char *key,
			 const char **text)
{
	const json_t *value = json_member(object, key);

	*text = json_string_value(value);
	return !value || *text || json_wrong(r, key, "is no text");
}

bool json_read_text(struct json_reader *r, const json_t *object, const char *key,
		    char **text)
{
	const char *found;

	if (!look_at_text(r, object, key, &found))
		return false;
	if (!found)
		return true;
	*text = strdup(found);
	return *text || json_no_memory(r);
}

bool json_read_note(struct json_reader *r, const json_t *object, const char *key,
		    char *buf, size_t len)
{
	const char *found;

	if (!look_at_text(r, object, key, &found))
		return false;
	if (found)
		snprintf(buf, len, "%s", found);
	return true;
}

bool json_read_object(struct json_reader *r, const json_t *object, const char *key,
		      const json_t **part)
{
	*part = json_member(object, key);
	return !*part || json_is_object(*part) || json_wrong(r, key, "is no object");
}

bool json_read_array(struct json_reader *r, const json_t *object, const char *key,
		     const json_t **part)
{
	*part = json_member(object, key);
	return !*part || json_is_array(*part) || json_wrong(r, key, "is no array");
}
