/* SPDX-License-Identifier: BSD-2-Clause */
/* Command lines for tests: parsed here when right, in a child when wrong. */
#ifndef UNIT_OPTIONS_FIXTURE_H
#define UNIT_OPTIONS_FIXTURE_H

#include "message.h" /* before cmocka.h, which has a macro fail() */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "options.h"

#define MAX_WORDS 40

static inline const struct command *command_named(const char *name)
{
	size_t i;

	for (i = 0; i < COMMANDS; i++)
		if (strcmp(commands[i].name, name) == 0)
			return &commands[i];
	fail_msg("no command %s", name);
	return NULL;
}

/* A line split at blanks; "''" is an empty word. */
struct words {
	char text[256];
	char *argv[MAX_WORDS + 1];
	int argc;
};

static inline void split(const char *line, struct words *words)
{
	char *word, *save = NULL;

	assert_true(strlen(line) < sizeof(words->text));
	strcpy(words->text, line);
	words->argc = 0;
	for (word = strtok_r(words->text, " ", &save); word;
	     word = strtok_r(NULL, " ", &save)) {
		assert_true(words->argc < MAX_WORDS);
		if (strcmp(word, "''") == 0)
			word[0] = '\0';
		words->argv[words->argc++] = word;
	}
	words->argv[words->argc] = NULL;
}

/* Parse a line that is right. The strings of *config live in *words. */
static inline void parse_good(const char *line, struct words *words,
			      struct config *config)
{
	int code;

	split(line, words);
	code = options_parse(command_named(words->argv[0]), words->argc, words->argv,
			     config);
	if (code)
		fail_msg("'%s' gave %d", line, code);
}

static inline void read_all(int fd, char *buf, size_t len)
{
	size_t at = 0;
	ssize_t n;

	while (at + 1 < len && (n = read(fd, buf + at, len - 1 - at)) > 0)
		at += (size_t)n;
	buf[at] = '\0';
}

/* Parse in a child, since a process prints only its first error. Returns the
 * code; what went to descriptor `fd` is in buf. */
static inline int parse_in_child(const char *line, int fd, char *buf, size_t len)
{
	int ends[2], status;
	pid_t child;

	assert_int_equal(pipe(ends), 0);
	fflush(stdout);
	child = fork();
	assert_true(child >= 0);
	if (child == 0) {
		struct words words;
		struct config config;
		int code;

		dup2(ends[1], fd);
		close(ends[0]);
		split(line, &words);
		code = options_parse(command_named(words.argv[0]), words.argc, words.argv,
				     &config);
		config_free(&config);
		fflush(stdout);
		_exit(code);
	}
	close(ends[1]);
	read_all(ends[0], buf, len);
	close(ends[0]);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status));
	return WEXITSTATUS(status);
}

struct wrong_line {
	const char *line;
	const char *message; /* after "dxmit: " */
};

/* The exact line on stderr, and the exit code. */
static inline void check_wrong_lines(const struct wrong_line *wrong, size_t count)
{
	char seen[1024], expected[1024];

	for (; count > 0; count--, wrong++) {
		int code = parse_in_child(wrong->line, STDERR_FILENO, seen, sizeof(seen));

		snprintf(expected, sizeof(expected), "dxmit: %s\n", wrong->message);
		assert_string_equal(seen, expected);
		assert_int_equal(code, EXIT_USAGE);
	}
}
#define CHECK_WRONG_LINES(table) \
	check_wrong_lines(table, sizeof(table) / sizeof((table)[0]))

#endif
