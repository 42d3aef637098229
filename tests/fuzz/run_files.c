/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A main() for fuzz targets where the compiler has no libFuzzer: runs each file
 * it is given once.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define LARGEST_BYTES (4 * 1024 * 1024)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t length);

static bool run_file(const char *path)
{
	uint8_t *data = malloc(LARGEST_BYTES);
	FILE *in = fopen(path, "rb");
	size_t length;

	if (!data || !in) {
		perror(path);
		free(data);
		return false;
	}
	length = fread(data, 1, LARGEST_BYTES, in);
	fclose(in);
	/* A copy of just that size, so that reads past its end are seen. */
	data = realloc(data, length ? length : 1);
	if (data)
		LLVMFuzzerTestOneInput(data, length);
	free(data);
	return true;
}

int main(int argc, char **argv)
{
	bool all = argc > 1;
	int i;

	for (i = 1; i < argc; i++)
		if (argv[i][0] != '-') /* an option of libFuzzer */
			all &= run_file(argv[i]);
	return all ? EXIT_SUCCESS : EXIT_FAILURE;
}
