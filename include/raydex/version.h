/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#ifndef RAYDEX_VERSION_H
#define RAYDEX_VERSION_H

/**
 * The version of the headers, and of the library in use.
 *
 * - Shapes: three numbers; CMakeLists.txt reads them here, and raydex.h says what the soname has of them.
 * - Ownership: the text is the library's.
 * - Errors: none.
 *
 * Example:
 *
 *     printf("built for %d.%d.%d, runs with ", RDX_VERSION_MAJOR, RDX_VERSION_MINOR, RDX_VERSION_PATCH);
 *     puts(rdx_version());
 */

#include <raydex/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/** The version of these headers. */
#define RDX_VERSION_MAJOR 0
#define RDX_VERSION_MINOR 1
#define RDX_VERSION_PATCH 0

/** The version of the library in use, as "0.1.0". */
RDX_API const char *rdx_version(void);

#ifdef __cplusplus
}
#endif
#endif
