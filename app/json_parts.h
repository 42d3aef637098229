/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The parts of a JSON document that a report and a plan have in common.
 * Internal to the JSON writers.
 */
#ifndef APP_JSON_PARTS_H
#define APP_JSON_PARTS_H

#include <jansson.h>

#include "report.h"

/*
 * A JSON object or array under construction. A value that could not be made
 * (only for want of memory) is counted, and json_write() then fails as a whole
 * instead of writing a document with holes.
 */
struct json_maker {
	json_t *json;
	int failed;
};

struct json_maker json_make_object(void);
struct json_maker json_make_array(void);

/* Each sets the member `key` of an object. */
void json_set_u64(struct json_maker *to, const char *key, uint64_t value);
void json_set_i64(struct json_maker *to, const char *key, int64_t value);
/* A number that is not finite becomes 0: JSON has no word for it. */
void json_set_real(struct json_maker *to, const char *key, double value);
void json_set_bool(struct json_maker *to, const char *key, bool value);
/* Bytes that are not UTF-8 become '?'; NULL becomes null. */
void json_set_text(struct json_maker *to, const char *key, const char *value);
/* A number where -1 means "unknown" and becomes null. */
void json_set_known(struct json_maker *to, const char *key, int64_t value);
/* A number where UINT64_MAX means "unknown" and becomes null. Beyond INT64_MAX, where
 * jansson has no integers, it is a text of digits, so that none is changed. */
void json_set_exact(struct json_maker *to, const char *key, uint64_t value);
/* A number that becomes null if it is not finite. */
void json_set_finite(struct json_maker *to, const char *key, double value);
/* A number where 0 means "no limit" and becomes null. */
void json_set_limit(struct json_maker *to, const char *key, double value);
void json_set_null(struct json_maker *to, const char *key);
/* Takes the reference; the failures of `part` are added. */
void json_set_part(struct json_maker *to, const char *key, struct json_maker part);

/* The same at the end of an array. */
void json_append_part(struct json_maker *to, struct json_maker part);

/* report_pace.c: asked_packets, given_up and gaps. */
void report_pace_json_total(const struct report *report, struct json_maker *part);
void report_pace_json_queue(const struct report_queue *queue, struct json_maker *part);

/* schema, version, command, host, interface, config, plan. */
struct json_maker json_document(const struct report *report);

/* What the settings are called on the command line. */
const char *json_mode_name(enum dxmit_mode mode);
const char *json_kick_name(enum dxmit_kick_method kick);

/*
 * Write the document, a newline after it, flush, and free it. Returns 0,
 * -ENOMEM, or -errno of the write (-ENOSPC, -EPIPE …).
 */
int json_write(struct json_maker document, FILE *out);

#endif
