/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#ifndef RAYDEX_VERSION_H
#define RAYDEX_VERSION_H

#include <raydex/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/** The version of these headers. CMakeLists.txt reads it from here; the soname has the major number, before 1.0 the
 * minor one, too. */
#define RDX_VERSION_MAJOR 0
#define RDX_VERSION_MINOR 1
#define RDX_VERSION_PATCH 0

/** The version of the library in use, as "0.1.0". */
RDX_API const char *rdx_version(void);

#ifdef __cplusplus
}
#endif
#endif
