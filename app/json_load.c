/* SPDX-License-Identifier: BSD-2-Clause */
/* Reading a JSON document: from a text or a file into memory, within bounds. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "json_reader.h"
#include "message.h"
#include "parse.h"

/*
 * jansson takes up to about 400 bytes for an object or array and 100 for another
 * value, so a document within these needs less than half a gigabyte.
 */
#define MAX_BYTES (64u << 20)
#define MAX_CONTAINERS (512u << 10)
#define MAX_COMMAS (3u << 20)

#define FIRST_BYTES 65536 /* of the buffer a file is read into */

static void fail_size(struct json_reader *r)
{
	r->code = fail(EXIT_USAGE, r->name,
		       "is larger than such a document may be; use at most %u MiB, %u "
		       "objects and %u values",
		       MAX_BYTES >> 20, MAX_CONTAINERS, MAX_COMMAS);
}

/* Counts what stands in texts, too, which makes no honest document too large. */
static bool is_bounded(const char *text, size_t length)
{
	size_t containers = 0, commas = 0, i;

	for (i = 0; i < length; i++) {
		containers += text[i] == '{' || text[i] == '[';
		commas += text[i] == ',';
	}
	return length <= MAX_BYTES && containers <= MAX_CONTAINERS &&
	       commas <= MAX_COMMAS;
}

json_t *json_reader_load(struct json_reader *r, const char *text, size_t length)
{
	char shown[JSON_ERROR_TEXT_LENGTH];
	json_error_t error;
	json_t *document;

	if (!is_bounded(text, length)) {
		fail_size(r);
		return NULL;
	}
	document = json_loadb(text, length, JSON_REJECT_DUPLICATES, &error);
	if (document)
		return document;
	if (json_error_code(&error) == json_error_out_of_memory) {
		json_no_memory(r);
		return NULL;
	}
	/* jansson quotes what is near the place. */
	parse_printable(shown, sizeof(shown), error.text);
	r->code = fail(EXIT_USAGE, r->name, "line %d: is no JSON: %s; %s", error.line,
		       shown, r->remedy);
	return NULL;
}

static void fail_read(struct json_reader *r)
{
	r->code = fail(EXIT_USAGE, r->name, "cannot be read: %s; %s", strerror(errno),
		       r->remedy);
}

/* All there is, into a buffer that grows; NULL with the code set. */
static char *read_all(struct json_reader *r, int fd, size_t *length)
{
	size_t room = 0;
	char *text = NULL, *grown;
	ssize_t n = 1;

	for (*length = 0; n != 0; *length += n > 0 ? (size_t)n : 0) {
		if (*length == room) {
			room = room ? 2 * room : FIRST_BYTES;
			grown = room <= 2 * MAX_BYTES ? realloc(text, room) : NULL;
			if (!grown) {
				if (room > 2 * MAX_BYTES)
					fail_size(r);
				else
					json_no_memory(r);
				break;
			}
			text = grown;
		}
		n = read(fd, text + *length, room - *length);
		if (n < 0 && errno != EINTR) {
			fail_read(r);
			break;
		}
	}
	if (r->code) {
		free(text);
		return NULL;
	}
	return text;
}

static json_t *load_descriptor(struct json_reader *r, int fd)
{
	size_t length;
	char *text = read_all(r, fd, &length);
	json_t *document = text ? json_reader_load(r, text, length) : NULL;

	free(text);
	return document;
}

json_t *json_reader_load_file(struct json_reader *r, const char *path)
{
	json_t *document;
	int fd;

	r->name = path;
	if (strcmp(path, "-") == 0) {
		r->name = "standard input";
		return load_descriptor(r, STDIN_FILENO);
	}
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	if (fd < 0) {
		fail_read(r);
		return NULL;
	}
	document = load_descriptor(r, fd);
	close(fd);
	return document;
}
