/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#ifndef RDX_CATALOG_UNIQUE_H
#define RDX_CATALOG_UNIQUE_H

#include <raydex/column.h>

#include "base/base.h"

/* Whether no two rows of a column without NULLs are equal; false for strings that are not mostly in a dictionary. The
 * host's threads of the device look. */
RDX_MUST_USE rdx_status rdx_column_is_unique(rdx_device *device, const rdx_column *column, bool *out, rdx_error *err);

#endif
