/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Guards what a run says of its path: the one obtained, calmly; a path that was
 * lost, always; why it was not obtained, only to those who ask; and what the
 * module counted.
 */
#include "report_fixture.h"

#include <errno.h>

#include "path.h"

static void expect_words(const struct fixture *f, const char *words)
{
	char buf[PATH_WORDS];

	assert_string_equal(path_words(&f->report, buf), words);
}

static void words_before_and_after(void **state)
{
	struct fixture f;

	(void)state;
	fixture_init(&f);
	expect_words(&f, "kernel path");
	f.queue[0].info.path = DXMIT_PATH_DIRECT;
	expect_words(&f, "direct path on 1 of 2 queues");
	f.queue[1].info.path = DXMIT_PATH_DIRECT;
	expect_words(&f, "direct path");
	f.queue[1].opened = false;
	expect_words(&f, "direct path");
	f.queue[0].opened = false;
	f.config.direct = DXMIT_DIRECT_AUTO;
	expect_words(&f, "direct path if it can be had");
	f.report.queue = NULL;
	expect_words(&f, "direct path if it can be had");
	f.config.mode = DXMIT_MODE_ZEROCOPY;
	expect_words(&f, "kernel path");
	f.config.direct = DXMIT_DIRECT_REQUIRE;
	expect_words(&f, "direct path");
	f.config.direct = DXMIT_DIRECT_OFF;
	expect_words(&f, "kernel path");
	assert_string_equal(path_asked_name(DXMIT_DIRECT_AUTO), "auto");
	assert_string_equal(path_asked_name(DXMIT_DIRECT_OFF), "kernel");
	assert_string_equal(path_asked_name(DXMIT_DIRECT_REQUIRE), "direct");
	assert_string_equal(path_name(DXMIT_PATH_DIRECT), "direct");
}

static void falling_back_is_no_news(void **state)
{
	struct fixture f;
	char *text;

	(void)state;
	fixture_init(&f);
	f.config.direct = DXMIT_DIRECT_AUTO;
	f.queue[0].info.direct_errno = f.queue[1].info.direct_errno = ENOENT;
	text = printed(path_text, &f.report);
	assert_string_equal(text, "");
	free(text);
	f.config.verbose = true;
	text = printed(path_text, &f.report);
	assert_non_null(strstr(text, "queue 0 is on the kernel path: the kernel module"));
	assert_null(strstr(text, "queue 1")); /* the same reason */
	free(text);
	f.queue[1].info.direct_errno = EACCES;
	text = printed(path_text, &f.report);
	assert_non_null(strstr(text, "queue 1 is on the kernel path: no right"));
	free(text);
}

static void losing_it_is_always_told(void **state)
{
	static const int reasons[] = { ECANCELED, EPROTO };
	struct fixture f;
	char *text;
	size_t i;

	(void)state;
	for (i = 0; i < 2; i++) {
		fixture_init(&f);
		f.queue[1].info.direct_errno = reasons[i];
		assert_true(path_was_lost(&f.queue[1].info));
		assert_false(path_was_lost(&f.queue[0].info));
		text = printed(path_text, &f.report);
		assert_non_null(strstr(text, "queue 1 lost the direct path: "));
		assert_null(strstr(text, "queue 0"));
		free(text);
	}
	f.queue[1].info.direct_errno = ENOENT;
	assert_false(path_was_lost(&f.queue[1].info));
}

static void counters_of_the_module(void **state)
{
	struct fixture f;
	char *text;

	(void)state;
	fixture_init(&f);
	f.queue[0].direct_valid = f.queue[1].direct_valid = true;
	f.queue[0].direct.packets = 1000;
	f.queue[1].direct.packets = 234;
	f.queue[1].direct.kept_total = 5;
	text = printed(path_text, &f.report);
	assert_non_null(strstr(text, "1234 frames sent, 5 times one was kept"));
	assert_null(strstr(text, "shadow"));
	free(text);
	f.queue[0].direct.shadow_checks = 70;
	f.queue[1].direct.shadow_checks = 7;
	f.queue[1].direct.shadow_mismatches = 3;
	text = printed(path_text, &f.report);
	assert_non_null(strstr(text, "77 frames validated on the side, 3 would"));
	free(text);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(words_before_and_after),
		cmocka_unit_test(falling_back_is_no_news),
		cmocka_unit_test(losing_it_is_always_told),
		cmocka_unit_test(counters_of_the_module),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("path", tests, NULL, NULL);
}
