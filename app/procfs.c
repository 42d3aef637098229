/* SPDX-License-Identifier: BSD-2-Clause */
/* Numbers from files of /proc and /sys. */
#include <inttypes.h>
#include <stdio.h>

#include "procfs.h"

uint64_t procfs_number(const char *path, uint64_t missing)
{
	FILE *file = fopen(path, "re");
	int64_t value;

	if (!file)
		return missing;
	if (fscanf(file, "%" SCNd64, &value) != 1)
		value = -1;
	fclose(file);
	return value < 0 ? missing : (uint64_t)value;
}
