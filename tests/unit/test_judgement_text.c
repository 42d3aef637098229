/* SPDX-License-Identifier: BSD-2-Clause */
/* Guards the words in which a comparison's verdicts are told, digit by digit. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "judgement.h"

static void verdicts_in_words(void **state)
{
	static const struct {
		struct statistics_effect effect;
		const char *text;
	} row[] = {
		{ { .rounds = 15,
		    .verdict = VERDICT_FASTER,
		    .ratio = 2.05,
		    .low = 1.98,
		    .high = 2.11 },
		  "2.05 times as fast [1.98, 2.11]" },
		{ { .rounds = 15,
		    .verdict = VERDICT_FASTER,
		    .ratio = 1.031,
		    .low = 1.012,
		    .high = 1.05 },
		  "3.1 % faster [1.2 %, 5.0 %]" },
		{ { .rounds = 15,
		    .verdict = VERDICT_FASTER,
		    .ratio = 1.0031,
		    .low = 1.0012,
		    .high = 1.005 },
		  "0.31 % faster [0.12 %, 0.50 %]" },
		{ { .rounds = 15,
		    .verdict = VERDICT_SLOWER,
		    .ratio = 0.969,
		    .low = 0.95,
		    .high = 0.988 },
		  "3.1 % slower [1.2 %, 5.0 %]" },
		{ { .rounds = 15,
		    .verdict = VERDICT_SLOWER,
		    .ratio = 0.488,
		    .low = 0.474,
		    .high = 0.505 },
		  "0.49 times as fast [0.47, 0.51]" },
		{ { .rounds = 15,
		    .verdict = VERDICT_NONE,
		    .ratio = 1,
		    .low = 1 / 1.012,
		    .high = 1.012,
		    .smallest = 0.018 },
		  "no difference seen (±1.2 %); 1.8 % would have shown" },
		{ { .rounds = 3, .verdict = VERDICT_TOO_FEW },
		  "too few rounds (3 of 6)" },
		{ { .verdict = VERDICT_TOO_FEW }, "no rounds to compare" },
	};
	char text[JUDGEMENT_TEXT];
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
		judgement_verdict_text(&row[i].effect, text);
		assert_string_equal(text, row[i].text);
	}
}

static void times_in_words(void **state)
{
	struct statistics_effect effect = { .rounds = 15,
					    .verdict = VERDICT_FASTER,
					    .difference = 12.51,
					    .difference_low = 10.1,
					    .difference_high = 14.2 };
	char text[JUDGEMENT_TEXT];

	(void)state;
	judgement_time_text(&effect, "ns", text);
	assert_string_equal(text, "12.5 ns more [10.1, 14.2]");
	effect.verdict = VERDICT_SLOWER;
	effect.difference = -0.51;
	effect.difference_low = -0.7;
	effect.difference_high = -0.4;
	judgement_time_text(&effect, "µs", text);
	assert_string_equal(text, "0.51 µs less [0.40, 0.70]");
	effect.verdict = VERDICT_NONE;
	judgement_time_text(&effect, "ns", text);
	assert_string_equal(text, "no difference seen (±0.15 ns)");
	effect.verdict = VERDICT_TOO_FEW;
	effect.rounds = 2;
	judgement_time_text(&effect, "ns", text);
	assert_string_equal(text, "too few rounds (2 of 6)");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(verdicts_in_words),
		cmocka_unit_test(times_in_words),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
