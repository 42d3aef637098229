/* SPDX-License-Identifier: BSD-2-Clause */
/* For tests of frames: their bytes against hexadecimal text. After cmocka.h. */
#ifndef TESTS_BYTES_FIXTURE_H
#define TESTS_BYTES_FIXTURE_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* Bytes of a frame at `at`, in hexadecimal; blanks are ignored, ".." is any byte.
 * `what` is for the message. */
static inline void frame_bytes_are(const char *what, const uint8_t *frame, size_t at,
				   const char *hex)
{
	unsigned int byte;

	for (; *hex; hex++) {
		if (*hex == ' ')
			continue;
		if (*hex != '.') {
			assert_int_equal(sscanf(hex, "%2x", &byte), 1);
			if (frame[at] != byte)
				fail_msg("%s: byte %zu is %02x, not %02x", what, at,
					 frame[at], byte);
		}
		at++;
		hex++;
	}
}

#endif
