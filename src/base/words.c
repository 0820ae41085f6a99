/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* Words that are near each other: by insertions, deletions, replacements and swaps of neighbours. */

#include "base/words.h"

#include <string.h>

#define MAX_LENGTH 63

static char lower(char c) {
  return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

bool rdx_words_alike(const char *a, const char *b) {
  while (*a && lower(*a) == lower(*b))
    a++, b++;
  return lower(*a) == lower(*b);
}

static uint32_t min(uint32_t a, uint32_t b) {
  return a < b ? a : b;
}

static uint32_t distance_of(const char *a, const char *b) {
  uint32_t rows[3][MAX_LENGTH + 1];
  const uint32_t n = (uint32_t)strlen(a), m = (uint32_t)strlen(b);
  if (n > MAX_LENGTH || m > MAX_LENGTH)
    return UINT32_MAX;
  for (uint32_t k = 0; k <= m; k++)
    rows[0][k] = k;
  for (uint32_t i = 1; i <= n; i++) {
    uint32_t *row = rows[i % 3], *above = rows[(i + 2) % 3], *second = rows[(i + 1) % 3];
    row[0] = i;
    for (uint32_t k = 1; k <= m; k++) {
      const bool same = lower(a[i - 1]) == lower(b[k - 1]);
      row[k] = min(min(row[k - 1], above[k]) + 1, above[k - 1] + !same);
      if (i > 1 && k > 1 && lower(a[i - 1]) == lower(b[k - 2]) && lower(a[i - 2]) == lower(b[k - 1]))
        row[k] = min(row[k], second[k - 2] + 1);
    }
  }
  return rows[n % 3][m];
}

void rdx_nearest_consider(rdx_nearest *nearest, const char *word, const char *known) {
  const uint32_t away = distance_of(word, known), length = (uint32_t)strlen(word);
  if (away > (length + 2) / 3 || (nearest->word && away >= nearest->distance))
    return;
  *nearest = (rdx_nearest){known, away};
}

int rdx_words_order(const void *a, const void *b) {
  return strcmp(*(char *const *)a, *(char *const *)b);
}
