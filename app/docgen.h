/* SPDX-License-Identifier: BSD-2-Clause */
/* Documents made from the option table at build time. */
#ifndef APP_DOCGEN_H
#define APP_DOCGEN_H

#include <stdbool.h>
#include <stdio.h>

/*
 * The manual page: the text of `prose` with its lines "@HEADER@", "@COMMANDS@"
 * and "@OPTIONS@" replaced. Returns false if one of them is missing.
 */
bool docgen_man(FILE *prose, FILE *out);

/* The completion script for bash. */
void docgen_bash(FILE *out);

#endif
