/* SPDX-License-Identifier: BSD-2-Clause */
/* How far a mistyped word is from a known one. */
#ifndef APP_NEAREST_H
#define APP_NEAREST_H

#include <stdbool.h>

/*
 * True if `typed` is probably meant to be `known`: it is a beginning of it, or
 * at most two letters were added, left out or changed (one in short words).
 */
bool nearest_matches(const char *typed, const char *known);

#endif
