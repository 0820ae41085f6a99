/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#ifndef RDX_BASE_REUSE_H
#define RDX_BASE_REUSE_H

/* Large blocks of the C library's memory that are not needed any more, for those to come. */

#include <stdbool.h>
#include <stddef.h>

/* A block of at least so many bytes; NULL: none is kept that fits. */
void *rdx_reuse_take(size_t size);
/* Keep a block; false: it is to be freed. */
bool rdx_reuse_keep(void *memory);
/* Free all that are kept; whether there was one. */
bool rdx_reuse_drop(void);

#endif
