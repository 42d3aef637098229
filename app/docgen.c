/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The program that writes the manual page and the shell completion during the
 * build, so that neither can differ from the options dxmit really has:
 *
 *	docgen man PROSE > dxmit.1
 *	docgen bash > dxmit.bash
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "docgen.h"

static bool write_man(const char *path)
{
	FILE *prose = fopen(path, "r");
	bool complete;

	if (!prose) {
		fprintf(stderr, "docgen: %s: %s\n", path, strerror(errno));
		return false;
	}
	complete = docgen_man(prose, stdout);
	fclose(prose);
	if (!complete)
		fprintf(stderr, "docgen: %s: a placeholder is missing\n", path);
	return complete;
}

int main(int argc, char **argv)
{
	bool done = false;

	if (argc == 3 && strcmp(argv[1], "man") == 0) {
		done = write_man(argv[2]);
	} else if (argc == 2 && strcmp(argv[1], "bash") == 0) {
		docgen_bash(stdout);
		done = true;
	} else {
		fputs("docgen: use 'docgen man PROSE' or 'docgen bash'\n", stderr);
	}
	if (fflush(stdout) != 0)
		done = false;
	return done ? EXIT_SUCCESS : EXIT_FAILURE;
}
