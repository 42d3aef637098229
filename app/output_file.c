/* SPDX-License-Identifier: BSD-2-Clause */
/* A file a command writes, and what is said when it cannot be written. */
#include <errno.h>
#include <string.h>

#include "message.h"
#include "output_file.h"

bool output_is_stdout(const char *path)
{
	return path && strcmp(path, "-") == 0;
}

int output_open(const char *path, FILE **out)
{
	*out = output_is_stdout(path) ? stdout : fopen(path, "we");
	if (*out)
		return 0;
	return fail(EXIT_RUNTIME, path,
		    "cannot open for writing: %s; "
		    "check the path and its permissions",
		    strerror(errno));
}

int output_failed(const char *path, int err)
{
	return fail(EXIT_RUNTIME, output_is_stdout(path) ? "stdout" : path,
		    "write failed: %s; check the disk or the reader",
		    err ? strerror(-err) : "not everything was taken");
}

int output_close(const char *path, FILE *out, int err)
{
	if (out != stdout && fclose(out) == EOF && !err)
		err = -errno;
	return err ? output_failed(path, err) : 0;
}
