/* SPDX-License-Identifier: BSD-2-Clause */
/* The version of the headers, and of the library that was loaded. */
#ifndef DXMIT_VERSION_H
#define DXMIT_VERSION_H

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

#define DXMIT_VERSION_MAJOR 0
#define DXMIT_VERSION_MINOR 1
#define DXMIT_VERSION_PATCH 0
#define DXMIT_VERSION_STRING "0.1.0"

/** Version of the library at run time, "MAJOR.MINOR.PATCH". */
const char *dxmit_version(void);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
#endif
