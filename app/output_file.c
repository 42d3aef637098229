/* SPDX-License-Identifier: BSD-2-Clause */
/* A file a command writes, and what is said when it cannot be written. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "message.h"
#include "output_file.h"

#define READER_WAIT_MS 2000
#define READER_POLL_MS 10

bool output_is_stdout(const char *path)
{
	return path && strcmp(path, "-") == 0;
}

/*
 * A FIFO opens only once somebody reads it; that is waited for, but not for
 * ever. Writes then block as usual.
 */
static FILE *open_file(const char *path)
{
	int fd, turn = 0;

	do {
		fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NONBLOCK,
			  0666);
	} while (fd < 0 && errno == ENXIO && turn++ < READER_WAIT_MS / READER_POLL_MS &&
		 poll(NULL, 0, READER_POLL_MS) == 0);
	if (fd < 0)
		return NULL;
	fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) & ~O_NONBLOCK);
	return fdopen(fd, "w");
}

int output_open(const char *path, FILE **out)
{
	*out = output_is_stdout(path) ? stdout : open_file(path);
	if (*out)
		return 0;
	return fail(
		EXIT_RUNTIME, path,
		"cannot open for writing: %s; check the path, its permissions and, for "
		"a FIFO, that it is read",
		strerror(errno));
}

bool output_same_file(FILE *a, FILE *b)
{
	struct stat x, y;

	return fstat(fileno(a), &x) == 0 && fstat(fileno(b), &y) == 0 &&
	       S_ISREG(x.st_mode) && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
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
