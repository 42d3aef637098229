/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Guards the direct path as the library asks for it: what the module is told,
 * what is read back, why it was not obtained, in words, and that nothing is left
 * open. The module is a script, sockets are real.
 */
#include "pair_fixture.h"

#include <dirent.h>

#include "fake_module.h"
#include "queue_private.h"

static int descriptors(void)
{
	DIR *dir = opendir("/proc/self/fd");
	int n = 0;

	assert_non_null(dir);
	while (readdir(dir))
		n++;
	closedir(dir);
	return n;
}

static struct dxmit_queue_options wanting(enum dxmit_direct direct)
{
	struct dxmit_queue_options options = options_for(0);

	options.direct = direct;
	return options;
}

/* ---- words ------------------------------------------------------------- */

static void assert_sentence(int error, uint32_t refusal)
{
	char text[512], cut[20], *half;
	int length = dxmit_direct_text(error, refusal, text, sizeof(text));

	assert_in_range(length, 20, 240);
	assert_int_equal(strlen(text), length);
	half = strstr(text, "; ");
	if (!half || strstr(half + 2, "; ") || strlen(half) < 10 ||
	    text[length - 1] == '.')
		fail_msg("error %d, refusal %u: not two halves: %s", error, refusal,
			 text);
	memset(cut, '#', sizeof(cut));
	assert_int_equal(dxmit_direct_text(error, refusal, cut, 10), length);
	assert_true(strlen(cut) == 9 && cut[10] == '#');
}

static void every_reason_is_a_sentence(void **state)
{
	char text[512], other[512];
	uint32_t refusal, i;
	int error;

	(void)state;
	for (error = 1; error <= 133; error++)
		assert_sentence(error, DXMIT_REFUSED_NOT);
	for (refusal = 1; refusal <= DXMIT_REFUSED_PRIVILEGE; refusal++) {
		assert_sentence(EOPNOTSUPP, refusal);
		dxmit_direct_text(EOPNOTSUPP, refusal, text, sizeof(text));
		assert_null(strstr(text, "number"));
		for (i = 1; i < refusal; i++) {
			dxmit_direct_text(EOPNOTSUPP, i, other, sizeof(other));
			assert_string_not_equal(text, other);
		}
	}
	assert_int_equal(dxmit_direct_text(0, 0, text, sizeof(text)), 0);
	assert_string_equal(text, "");
	assert_int_equal(dxmit_direct_text(0, 0, NULL, 0), 0);
}

static void unknown_refusals_have_their_number(void **state)
{
	char text[512];

	(void)state;
	assert_sentence(EBUSY, DXMIT_REFUSED_PRIVILEGE + 1);
	assert_sentence(EBUSY, UINT32_MAX);
	dxmit_direct_text(EBUSY, 4711, text, sizeof(text));
	assert_non_null(strstr(text, "number 4711"));
}

/* ---- asking ------------------------------------------------------------ */

static void what_is_asked_and_read_back(void **state)
{
	struct dxmit_queue_options options = wanting(DXMIT_DIRECT_REQUIRE);
	struct dxmit_direct_stats stats = { .size = sizeof(stats) };
	struct dxmit_queue_info info;
	struct dxmit_queue *q;
	int before = descriptors();

	(void)state;
	NEED_DEVICES();
	load_module();
	options.direct_batch = 8;
	options.direct_validate = 1;
	options.direct_shadow_every = 1000;
	options.budget = 256;
	q = open_with(&options);
	info = info_of(q);
	assert_int_equal(module.asked.fd, info.fd);
	assert_int_equal(module.asked.flags, DXMIT_ATTACH_VALIDATE);
	assert_int_equal(module.asked.batch, 8);
	assert_int_equal(module.asked.budget, 256);
	assert_int_equal(module.asked.shadow_every, 1000);
	assert_int_equal(info.path, DXMIT_PATH_DIRECT);
	assert_int_equal(info.direct_errno, 0);
	assert_int_equal(info.direct_batch, 8);
	assert_int_equal(info.budget, 256);
	assert_int_equal(info.kick, DXMIT_KICK_SENDTO);
	module.stats.packets = 7;
	module.stats.shadow_mismatches = 3;
	assert_int_equal(dxmit_queue_direct(q, &stats), 0);
	assert_int_equal(stats.active, 1);
	assert_int_equal(stats.packets, 7);
	assert_int_equal(stats.shadow_mismatches, 3);
	dxmit_queue_close(&q);
	assert_int_equal(descriptors(), before);
}

static void zero_means_the_modules_choice(void **state)
{
	struct dxmit_queue_options options = wanting(DXMIT_DIRECT_AUTO);
	struct dxmit_queue *q;

	(void)state;
	NEED_DEVICES();
	load_module();
	q = open_with(&options);
	assert_int_equal(module.asked.flags | module.asked.batch | module.asked.budget |
				 module.asked.shadow_every,
			 0);
	assert_int_equal(info_of(q).direct_batch, 16);
	assert_int_equal(info_of(q).budget, 16384);
	dxmit_queue_close(&q);
	/* A batch is never more than the ring has. */
	options.ring_size = 8;
	q = open_with(&options);
	assert_int_equal(info_of(q).direct_batch, 8);
	dxmit_queue_close(&q);
	options = wanting(DXMIT_DIRECT_OFF);
	q = open_with(&options);
	assert_int_equal(module.opens, 2);
	assert_int_equal(info_of(q).path, DXMIT_PATH_KERNEL);
	assert_int_equal(info_of(q).direct_errno, 0);
	dxmit_queue_close(&q);
}

/* The module may end it at any time; what is read back follows. */
static void losing_the_path_is_read_back(void **state)
{
	struct dxmit_queue_options options = wanting(DXMIT_DIRECT_REQUIRE);
	struct dxmit_queue_info info;
	struct dxmit_queue *q;
	uint32_t i;

	(void)state;
	NEED_DEVICES();
	for (i = 0; i < 2; i++) {
		load_module();
		options.budget = 32;
		q = open_with(&options);
		module.stats.active = 0;
		module.stats.assertions = i;
		info = info_of(q);
		assert_int_equal(info.path, DXMIT_PATH_KERNEL);
		assert_int_equal(info.direct_errno, i ? EPROTO : ECANCELED);
		assert_int_equal(info.direct_batch, 0);
		assert_int_equal(info.budget, 32);
		dxmit_queue_close(&q);
	}
}

/* Each way to be refused: AUTO goes on and records it, REQUIRE is an error. */
static void refusals_are_recorded_or_errors(void **state)
{
	static const struct {
		int open_error, info_error, attach_error;
		uint32_t refusal, abi_version;
		int is;
	} cases[] = {
		{ ENOENT, 0, 0, 0, 1, ENOENT },
		{ EACCES, 0, 0, 0, 1, EACCES },
		{ 0, ENOTTY, 0, 0, 1, EPROTONOSUPPORT },
		{ 0, 0, 0, 0, 2, EPROTONOSUPPORT },
		{ 0, 0, 0, 0, 0, EPROTONOSUPPORT },
		{ 0, 0, EPERM, DXMIT_REFUSED_PRIVILEGE, 1, EPERM },
		{ 0, 0, EOPNOTSUPP, DXMIT_REFUSED_DEVICE, 1, EOPNOTSUPP },
		{ 0, 0, EINVAL, 0, 1, EINVAL },
	};
	struct dxmit_queue_options options = wanting(DXMIT_DIRECT_AUTO);
	struct dxmit_direct_stats stats = { .size = sizeof(stats) };
	struct dxmit_error error;
	struct dxmit_queue_info info;
	struct dxmit_queue *q;
	size_t i;
	int before = descriptors();

	(void)state;
	NEED_DEVICES();
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		load_module();
		module.open_error = cases[i].open_error;
		module.info_error = cases[i].info_error;
		module.attach_error = cases[i].attach_error;
		module.refusal = cases[i].refusal;
		module.abi_version = cases[i].abi_version;
		options.direct = DXMIT_DIRECT_AUTO;
		q = open_with(&options);
		info = info_of(q);
		assert_int_equal(info.path, DXMIT_PATH_KERNEL);
		assert_int_equal(info.direct_errno, cases[i].is);
		assert_int_equal(info.direct_refusal, cases[i].refusal);
		assert_int_equal(info.direct_batch, 0);
		assert_int_equal(dxmit_queue_direct(q, &stats), -ENOENT);
		assert_true(send_frames(q, 10));
		dxmit_queue_close(&q);
		options.direct = DXMIT_DIRECT_REQUIRE;
		assert_int_equal(dxmit_queue_open(&options, &q, &error), -cases[i].is);
		assert_null(q);
		assert_int_equal(error.stage, DXMIT_STAGE_DIRECT);
		assert_int_equal(error.value, cases[i].refusal);
		assert_int_equal(descriptors(), before);
	}
}

/* Before any system call. */
static void what_excludes_the_direct_path(void **state)
{
	struct dxmit_queue_options options = wanting(DXMIT_DIRECT_REQUIRE);
	struct dxmit_error error;
	struct dxmit_queue *q;

	(void)state;
	load_module();
	options.ifindex = 1 << 30;
	options.mode = DXMIT_MODE_ZEROCOPY;
	assert_int_equal(dxmit_queue_open(&options, &q, &error), -EINVAL);
	assert_int_equal(error.stage, DXMIT_STAGE_DIRECT);
	assert_int_equal(error.value, DXMIT_REFUSED_ZEROCOPY);
	options.direct = DXMIT_DIRECT_AUTO;
	assert_int_equal(dxmit_queue_open(&options, &q, &error), -ENODEV);
	options.direct_batch = 65;
	assert_int_equal(dxmit_queue_open(&options, &q, &error), -EINVAL);
	assert_string_equal(error.object, "direct_batch");
	options = wanting(DXMIT_DIRECT_OFF);
	options.direct_shadow_every = 1;
	assert_int_equal(dxmit_queue_open(&options, &q, &error), -EINVAL);
	options = wanting((enum dxmit_direct)3);
	assert_int_equal(dxmit_queue_open(&options, &q, &error), -EINVAL);
	options = wanting(DXMIT_DIRECT_AUTO);
	options.direct_validate = 2;
	assert_int_equal(dxmit_queue_open(&options, &q, &error), -EINVAL);
	assert_int_equal(module.opens, 0);
}

static void the_module_says_what_it_is(void **state)
{
	struct dxmit_direct_module is = { .size = sizeof(is) };
	int before = descriptors();

	(void)state;
	load_module();
	assert_int_equal(dxmit_direct_module(&is), 0);
	assert_string_equal(is.version, "9.8.7");
	assert_int_equal(is.batch_default, 16);
	module.open_error = ENOENT;
	assert_int_equal(dxmit_direct_module(&is), -ENOENT);
	module.open_error = 0;
	module.abi_version = 77;
	assert_int_equal(dxmit_direct_module(&is), -EPROTONOSUPPORT);
	assert_int_equal(descriptors(), before);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_reason_is_a_sentence),
		cmocka_unit_test(unknown_refusals_have_their_number),
		cmocka_unit_test(what_is_asked_and_read_back),
		cmocka_unit_test(zero_means_the_modules_choice),
		cmocka_unit_test(losing_the_path_is_read_back),
		cmocka_unit_test(refusals_are_recorded_or_errors),
		cmocka_unit_test(what_excludes_the_direct_path),
		cmocka_unit_test(the_module_says_what_it_is),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("direct", tests, make_pair, NULL);
}
