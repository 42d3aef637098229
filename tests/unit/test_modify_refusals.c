/* SPDX-License-Identifier: BSD-2-Clause */
/* Modifiers, and lists of them, that the compiler of modifiers refuses. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>

#include <dxmit/modify.h>

#define LENGTH 64

static uint8_t template[LENGTH];

static void refused(const struct dxmit_modifier *second, int error)
{
	const struct dxmit_modifier m[] = { { .bits = 8, .link = 1 }, *second };
	const struct dxmit_modify_spec spec = { .size = sizeof(spec),
						.modifier = m,
						.modifiers = 2,
						.frame = template,
						.length = LENGTH };
	struct dxmit_modify *program = (void *)template;
	uint32_t which = 77;

	assert_int_equal(dxmit_modify_compile(&spec, &program, &which), error);
	assert_null(program);
	assert_int_equal(which, 1);
}

#define REFUSED(error, ...) refused(&(const struct dxmit_modifier){ __VA_ARGS__ }, error)

static void test_what_is_refused(void **state)
{
	static const uint64_t list[] = { 255, 256 };

	(void)state;
	REFUSED(-EINVAL, .bits = 0);
	REFUSED(-EINVAL, .bits = 65);
	REFUSED(-EINVAL, .bits = 64, .bit = 1);
	REFUSED(-EMSGSIZE, .bits = 16, .bit = 8 * LENGTH - 8);
	REFUSED(-EMSGSIZE, .bits = 64, .bit = UINT32_MAX);
	REFUSED(-EINVAL, .bits = 8, .kind = (enum dxmit_modify_kind)5);
	REFUSED(-EINVAL, .bits = 8, .kind = DXMIT_MODIFY_LIST);
	REFUSED(-ERANGE, .bits = 8, .kind = DXMIT_MODIFY_LIST, .list = list,
		.list_values = 2);
	REFUSED(-ERANGE, .bits = 8, .first = 256);
	REFUSED(-ERANGE, .bits = 8, .step = 256);
	REFUSED(-ERANGE, .bits = 8, .kind = DXMIT_MODIFY_RANGE, .last = 256);
	REFUSED(-ERANGE, .bits = 8, .kind = DXMIT_MODIFY_RANDOM, .first = 2, .last = 1);
	REFUSED(-EINVAL, .bits = 8, .link = 1, .nested = 1);
	REFUSED(-EINVAL, .bits = 8, .link = 1, .hold = 2);
	REFUSED(-EINVAL, .bits = 8, .nested = 1, .per_queue = 1);
}

static void test_bad_specs_are_refused(void **state)
{
	const struct dxmit_modifier m = { .bits = 8, .nested = 1 };
	const struct dxmit_packet_checksum outer_first[] = {
		{ .at = 50, .from = 20, .to = 60 },
		{ .at = 30, .from = 24, .to = 40 },
	};
	struct dxmit_modify_spec spec = { .size = sizeof(spec),
					  .frame = template,
					  .length = LENGTH };
	struct dxmit_modify *program;

	(void)state;
	assert_int_equal(dxmit_modify_compile(&spec, &program, NULL), 0);
	dxmit_modify_free(&program);
	dxmit_modify_free(&program);
	dxmit_modify_free(NULL);
	spec.modifier = &m; /* nested in nothing */
	spec.modifiers = 1;
	assert_int_equal(dxmit_modify_compile(&spec, &program, NULL), -EINVAL);
	spec.modifiers = DXMIT_MODIFY_MAX + 1;
	assert_int_equal(dxmit_modify_compile(&spec, &program, NULL), -E2BIG);
	spec.modifiers = 0;
	spec.checksum = outer_first;
	spec.checksums = 2;
	assert_int_equal(dxmit_modify_compile(&spec, &program, NULL), -EINVAL);
	spec.checksums = 1;
	spec.length = 51; /* the field at 50 has two bytes */
	assert_int_equal(dxmit_modify_compile(&spec, &program, NULL), -EINVAL);
	spec.checksums = 0;
	spec.frame = NULL;
	assert_int_equal(dxmit_modify_compile(&spec, &program, NULL), -EINVAL);
	spec.size = 0;
	assert_int_equal(dxmit_modify_compile(&spec, &program, NULL), -EINVAL);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_what_is_refused),
		cmocka_unit_test(test_bad_specs_are_refused),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
