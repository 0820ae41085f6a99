/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* A libduckdb of another version, without anything but its number. */

#include <raydex/status.h>

#include <stdlib.h>

RDX_API const char *duckdb_library_version(void);

const char *duckdb_library_version(void) {
  const char *version = getenv("RAYDEX_TEST_VERSION");
  return version ? version : "v0.10.3";
}
