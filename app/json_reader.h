/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reading a JSON document that may come from anywhere: its size and the number of
 * its values are bounded before jansson allocates for them, and each value is
 * checked. What is wrong is one line that names the file and the place in it.
 */
#ifndef APP_JSON_READER_H
#define APP_JSON_READER_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct json_reader {
	const char *name;   /* of the file, in messages */
	const char *remedy; /* "give a file that …" */
	char at[96];        /* the object that is read: "cells[3].samples[2]." or "" */
	int code;           /* EXIT_DONE until something is wrong */
};

/*
 * json_load.c: the document in a text, or in a file ("-" is standard input, and
 * reader->name then says so). NULL with reader->code set if it cannot be had.
 */
json_t *json_reader_load(struct json_reader *reader, const char *text, size_t length);
json_t *json_reader_load_file(struct json_reader *reader, const char *path);

/* Each sets reader->code and returns false, so that a step can be `return
 * json_wrong(…)`: "AT.KEY WHAT; REMEDY". */
bool json_wrong(struct json_reader *reader, const char *key, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
bool json_no_memory(struct json_reader *reader);

/* NULL where it is missing or null. */
const json_t *json_member(const json_t *object, const char *key);
bool json_require(struct json_reader *reader, const json_t *object, const char *key);

/*
 * Members of an object. Each returns false where the value is of the wrong kind or
 * out of range, and leaves its target where the member is missing.
 */
/* An integer, or the digits of one that json_set_exact() wrote as a text. */
bool json_read_u64(struct json_reader *reader, const json_t *object, const char *key,
		   uint64_t max, uint64_t *number);
bool json_read_u32(struct json_reader *reader, const json_t *object, const char *key,
		   uint32_t *number);
/* 0 or more, and finite as all numbers in JSON are. */
bool json_read_real(struct json_reader *reader, const json_t *object, const char *key,
		    double *number);
bool json_read_bool(struct json_reader *reader, const json_t *object, const char *key,
		    bool *flag);
/* The text is owned by the caller. */
bool json_read_text(struct json_reader *reader, const json_t *object, const char *key,
		    char **text);
/* A text into a buffer, cut to it. */
bool json_read_note(struct json_reader *reader, const json_t *object, const char *key,
		    char *buf, size_t len);
/* *part is NULL where the member is missing. */
bool json_read_object(struct json_reader *reader, const json_t *object, const char *key,
		      const json_t **part);
bool json_read_array(struct json_reader *reader, const json_t *object, const char *key,
		     const json_t **part);

#endif
