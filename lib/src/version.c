/* SPDX-License-Identifier: BSD-2-Clause */
/* The version of the library that was loaded. */
#include <dxmit/version.h>

const char *dxmit_version(void)
{
	return DXMIT_VERSION_STRING;
}
