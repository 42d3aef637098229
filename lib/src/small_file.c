/* SPDX-License-Identifier: BSD-2-Clause */
/* Reading the small text files of /proc and /sys, each in one read(). */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "small_file.h"

int dxmit_file_text(int dir, const char *path, char *buf, size_t len)
{
	int fd = openat(dir, path, O_RDONLY | O_CLOEXEC);
	ssize_t n;
	int err;

	buf[0] = '\0';
	if (fd < 0)
		return -errno;
	n = read(fd, buf, len - 1);
	err = n < 0 ? -errno : (int)n;
	close(fd);
	buf[n > 0 ? n : 0] = '\0';
	return err;
}

int dxmit_file_number(int dir, const char *path, long *number)
{
	char text[32], *end;
	int len = dxmit_file_text(dir, path, text, sizeof(text));

	if (len < 0)
		return len;
	*number = strtol(text, &end, 10);
	return end == text ? -EINVAL : 0;
}
