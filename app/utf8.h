/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Texts of others (names of legs, what a program printed, files) made fit to be
 * shown, and how wide they are. UTF-8, whatever the locale.
 */
#ifndef APP_UTF8_H
#define APP_UTF8_H

#include <stddef.h>

/*
 * A copy in which bytes that are no UTF-8, control characters, and characters that
 * turn the direction of what follows are '?', so that it can neither command a
 * terminal nor hide what it says. Newlines and tabs become spaces. NULL becomes "".
 * Returns NULL if there is no memory; else free() is due.
 */
char *utf8_clean(const char *text);

/* Columns it takes in a terminal; of clean text. */
size_t utf8_width(const char *text);

/* Bytes of its longest beginning that takes at most `columns`. */
size_t utf8_fitting(const char *text, size_t columns);

#endif
