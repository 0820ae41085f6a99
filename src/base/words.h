/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#ifndef RDX_BASE_WORDS_H
#define RDX_BASE_WORDS_H

/* "Did you mean": the known word that is nearest to one that is not known. */

#include "base/base.h"

/* All zero has no word yet. */
typedef struct rdx_nearest {
  const char *word; /* NULL: none is near enough */
  uint32_t distance;
} rdx_nearest;

/* Consider a known word; case does not count. */
void rdx_nearest_consider(rdx_nearest *nearest, const char *word, const char *known);

/* Whether two words are the same but for the case of ASCII letters. */
bool rdx_words_alike(const char *a, const char *b);

/* By their bytes, of pointers to words: for qsort(). */
int rdx_words_order(const void *a, const void *b);

#endif
