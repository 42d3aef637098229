/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Guards the one line on stderr: its form, that it stays one line whatever the
 * user typed, that only the first error is told, and the exit codes.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#undef fail /* cmocka's, not ours; fail_msg() is not used here */
#include "message.h"

#define THREADS 8
#define LINES_EACH 200

/*
 * What `speak` writes to stderr in a process of its own (the first error is
 * remembered per process), and its exit code.
 */
static int heard(int (*speak)(void), char *buf, size_t len)
{
	size_t used = 0;
	ssize_t got;
	int ends[2], status;
	pid_t child;

	assert_int_equal(pipe(ends), 0);
	child = fork();
	assert_true(child >= 0);
	if (child == 0) {
		dup2(ends[1], STDERR_FILENO);
		close(ends[0]);
		close(ends[1]);
		_exit(speak());
	}
	close(ends[1]);
	while ((got = read(ends[0], buf + used, len - 1 - used)) > 0)
		used += (size_t)got;
	buf[used] = 0;
	close(ends[0]);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status));
	return WEXITSTATUS(status);
}

static int two_errors(void)
{
	int first = fail(EXIT_MISMATCH, "eth9", "%d frames are missing; look", 3);

	warn("eth9", "still here");
	return fail(EXIT_USAGE, "-s", "a consequence") == EXIT_USAGE ? first : 99;
}

static void only_the_first_error_is_told(void **state)
{
	char text[4096];

	(void)state;
	assert_int_equal(heard(two_errors, text, sizeof(text)), EXIT_MISMATCH);
	assert_string_equal(text, "dxmit: eth9: 3 frames are missing; look\n"
				  "dxmit: eth9: warning: still here\n");
}

static int hostile_object(void)
{
	return fail(EXIT_USAGE, "a\nb\t\033[2J\x7f", "no %s", "such\r\nthing");
}

static void control_characters_are_escaped(void **state)
{
	char text[4096];

	(void)state;
	heard(hostile_object, text, sizeof(text));
	assert_string_equal(text, "dxmit: a\\nb\\t\\x1b[2J\\x7f: no such\\x0d\\nthing\n");
}

static int endless_object(void)
{
	static char object[100000];

	memset(object, '\n', sizeof(object) - 1);
	return fail(EXIT_USAGE, object, "%s", object);
}

static void a_long_line_is_still_one_line(void **state)
{
	char text[8192];

	(void)state;
	heard(endless_object, text, sizeof(text));
	assert_true(strlen(text) > 1000);
	assert_ptr_equal(strchr(text, '\n'), text + strlen(text) - 1);
}

static void *warn_often(void *arg)
{
	int i;

	for (i = 0; i < LINES_EACH; i++)
		warn("eth9", "thread %d says the very same thing %d times", *(int *)arg,
		     LINES_EACH);
	fail(EXIT_RUNTIME, "eth9", "failed");
	return NULL;
}

static int many_threads(void)
{
	pthread_t thread[THREADS];
	int number[THREADS], i;

	for (i = 0; i < THREADS; i++) {
		number[i] = i;
		if (pthread_create(&thread[i], NULL, warn_often, &number[i]) != 0)
			return 99;
	}
	for (i = 0; i < THREADS; i++)
		pthread_join(thread[i], NULL);
	return 0;
}

static void lines_of_threads_do_not_mix(void **state)
{
	size_t len = 1 << 20;
	char *text = calloc(1, len), *line, *rest = text;
	int warnings[THREADS] = { 0 }, errors = 0, i;

	(void)state;
	assert_non_null(text);
	assert_int_equal(heard(many_threads, text, len), 0);
	while ((line = strsep(&rest, "\n")) != NULL && *line) {
		char form[96];
		int who = -1;

		if (strcmp(line, "dxmit: eth9: failed") == 0) {
			errors++;
			continue;
		}
		sscanf(line, "dxmit: eth9: warning: thread %d", &who);
		assert_in_range(who, 0, THREADS - 1);
		snprintf(form, sizeof(form),
			 "dxmit: eth9: warning: thread %d says the "
			 "very same thing %d times",
			 who, LINES_EACH);
		assert_string_equal(line, form);
		warnings[who]++;
	}
	assert_int_equal(errors, 1);
	for (i = 0; i < THREADS; i++)
		assert_int_equal(warnings[i], LINES_EACH);
	free(text);
}

static struct dxmit_error library_error;

static int tell_library_error(void)
{
	return fail_library(&library_error);
}

static void library_stages_give_exit_codes(void **state)
{
	static const struct {
		enum dxmit_stage stage;
		int code, exit_code;
	} cases[] = {
		{ DXMIT_STAGE_OPTIONS, EINVAL, EXIT_USAGE },
		{ DXMIT_STAGE_QUEUE, ENXIO, EXIT_USAGE },
		{ DXMIT_STAGE_PLAN, ENODEV, EXIT_USAGE },
		{ DXMIT_STAGE_PLAN, EPERM, EXIT_RUNTIME },
		{ DXMIT_STAGE_FRAME, EMSGSIZE, EXIT_USAGE },
		{ DXMIT_STAGE_INTERFACE, ENODEV, EXIT_RUNTIME },
		{ DXMIT_STAGE_SOCKET, EPERM, EXIT_RUNTIME },
		{ DXMIT_STAGE_UMEM, ENOBUFS, EXIT_RUNTIME },
		{ DXMIT_STAGE_DIRECT, EINVAL, EXIT_RUNTIME },
		{ DXMIT_STAGE_BIND, EBUSY, EXIT_RUNTIME },
		{ DXMIT_STAGE_TOPOLOGY, ENOENT, EXIT_USAGE },
		{ DXMIT_STAGE_TOPOLOGY, ENOMEM, EXIT_RUNTIME },
	};
	char text[4096], reason[1024], line[2048];
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		library_error = (struct dxmit_error){ .stage = cases[i].stage,
						      .code = cases[i].code,
						      .object = "eth9",
						      .value = 4,
						      .limit = 2,
						      .extra = 8 };
		assert_int_equal(heard(tell_library_error, text, sizeof(text)),
				 cases[i].exit_code);
		dxmit_error_text(&library_error, reason, sizeof(reason));
		snprintf(line, sizeof(line), "dxmit: eth9: %s\n", reason);
		assert_string_equal(text, line);
	}
	library_error.object[0] = 0;
	heard(tell_library_error, text, sizeof(text));
	assert_int_equal(strncmp(text, "dxmit: topology: ", 17), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(only_the_first_error_is_told),
		cmocka_unit_test(control_characters_are_escaped),
		cmocka_unit_test(a_long_line_is_still_one_line),
		cmocka_unit_test(lines_of_threads_do_not_mix),
		cmocka_unit_test(library_stages_give_exit_codes),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
