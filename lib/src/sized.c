/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Structs that begin with their own size: how they cross from callers built
 * with another version of the headers, and back.
 */
#include <errno.h>
#include <string.h>

#include "internal.h"

int dxmit_copy_in(void *to, size_t to_size, const void *from, size_t least)
{
	const char *bytes = from;
	size_t from_size;
	size_t i;

	if (!from)
		return -EINVAL;
	memcpy(&from_size, from, sizeof(from_size));
	if (from_size < least || from_size < sizeof(from_size))
		return -EINVAL;
	for (i = to_size; i < from_size; i++)
		if (bytes[i])
			return -E2BIG;
	memset(to, 0, to_size);
	memcpy(to, from, from_size < to_size ? from_size : to_size);
	memcpy(to, &to_size, sizeof(to_size));
	return 0;
}

int dxmit_copy_out(void *to, const void *from, size_t from_size)
{
	size_t to_size;

	memcpy(&to_size, to, sizeof(to_size));
	if (to_size < sizeof(size_t))
		return -EINVAL;
	if (to_size > from_size)
		memset((char *)to + from_size, 0, to_size - from_size);
	memcpy((char *)to + sizeof(size_t), (const char *)from + sizeof(size_t),
	       (to_size < from_size ? to_size : from_size) - sizeof(size_t));
	return 0;
}
