/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Errors and warnings: one line each on stderr, written in one system call so
 * that the lines of several threads never mix.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "message.h"

/* Long enough for any message of ours around a path of PATH_MAX / 4 bytes;
 * below PIPE_BUF (4096), so a pipe takes it whole. */
#define LINE_BYTES 1536

/* A line being put together; the last byte stays free for the newline. */
struct line {
	char text[LINE_BYTES];
	size_t length;
};

static void line_add(struct line *line, const char *text)
{
	size_t room = sizeof(line->text) - 1 - line->length;
	size_t length = strlen(text);

	if (length > room)
		length = room;
	memcpy(line->text + line->length, text, length);
	line->length += length;
}

/* What comes from the user may hold control characters: shown, not obeyed. */
static void line_add_escaped(struct line *line, const char *text)
{
	for (; *text; text++) {
		unsigned char c = (unsigned char)*text;
		char shown[8] = { (char)c, 0 };

		if (c == '\n')
			strcpy(shown, "\\n");
		else if (c == '\t')
			strcpy(shown, "\\t");
		else if (c < 0x20 || c == 0x7f)
			snprintf(shown, sizeof(shown), "\\x%02x", c);
		line_add(line, shown);
	}
}

static void line_print(const char *object, const char *kind, const char *text)
{
	struct line line = { .length = 0 };
	ssize_t written;

	line_add(&line, "dxmit: ");
	if (object && *object) {
		line_add_escaped(&line, object);
		line_add(&line, ": ");
	}
	line_add(&line, kind);
	line_add_escaped(&line, text);
	line.text[line.length++] = '\n';
	do {
		written = write(STDERR_FILENO, line.text, line.length);
	} while (written < 0 && errno == EINTR);
	/* Nowhere is left to say that stderr itself failed. */
}

static atomic_flag printed = ATOMIC_FLAG_INIT;

void message_begin_again(void)
{
	atomic_flag_clear_explicit(&printed, memory_order_relaxed);
}

/* True once: for the thread that comes first. No data is published with it,
 * so the order is relaxed. */
static bool first_error(void)
{
	return !atomic_flag_test_and_set_explicit(&printed, memory_order_relaxed);
}

static struct {
	bool (*find)(const void *context, const char *object, char *buf, size_t len);
	const void *context;
} place;

void message_set_place(bool (*find)(const void *context, const char *object, char *buf,
				    size_t len),
		       const void *context)
{
	place.find = find;
	place.context = context;
}

int fail(enum exit_code code, const char *object, const char *format, ...)
{
	char text[LINE_BYTES], where[LINE_BYTES];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	if (place.find && place.find(place.context, object, where, sizeof(where)))
		object = where;
	if (first_error())
		line_print(object, "", text);
	return code;
}

void warn(const char *object, const char *format, ...)
{
	char text[LINE_BYTES];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	line_print(object, "warning: ", text);
}

/* What to call the object when the library had no name for it. */
static const char *stage_object(enum dxmit_stage stage)
{
	switch (stage) {
	case DXMIT_STAGE_HUGE_PAGES:
	case DXMIT_STAGE_MEMORY:
	case DXMIT_STAGE_UMEM:
		return "frame memory";
	case DXMIT_STAGE_SOCKET:
		return "AF_XDP socket";
	case DXMIT_STAGE_TOPOLOGY:
		return "topology";
	case DXMIT_STAGE_PLAN:
		return "plan";
	case DXMIT_STAGE_FRAME:
		return "frame";
	default:
		return "interface";
	}
}

/* Could a better command line have avoided it? */
static enum exit_code stage_code(const struct dxmit_error *error)
{
	switch (error->stage) {
	case DXMIT_STAGE_OPTIONS:
	case DXMIT_STAGE_QUEUE:
	case DXMIT_STAGE_PLAN:
	case DXMIT_STAGE_FRAME:
		return error->code == ENOMEM || error->code == EPERM ? EXIT_RUNTIME
								     : EXIT_USAGE;
	case DXMIT_STAGE_TOPOLOGY:
		return error->code == ENOENT || error->code == EINVAL ? EXIT_USAGE
								      : EXIT_RUNTIME;
	default:
		return EXIT_RUNTIME;
	}
}

int fail_library(const struct dxmit_error *error)
{
	const char *object =
		error->object[0] ? error->object : stage_object(error->stage);
	char text[LINE_BYTES];

	dxmit_error_text(error, text, sizeof(text));
	return fail(stage_code(error), object, "%s", text);
}
