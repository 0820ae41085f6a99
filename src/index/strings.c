/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* Exact comparison of strings that share a prefix (RTIndeX, section 3.2: "compared and filtered in software"). */

#include "column/column.h"
#include "index/index.h"

static bool matches(const rdx_column *keys, uint32_t row, const rdx_column *lower, const rdx_column *upper,
                    uint64_t probe) {
  if (!upper)
    return rdx_column_compare_strings(keys, row, lower, probe) == 0;
  return rdx_column_compare_strings(keys, row, lower, probe) >= 0 &&
         rdx_column_compare_strings(keys, row, upper, probe) <= 0;
}

/* RX, section 3.2 "compared and filtered in software". */
void rdx_strings_refine(const rdx_device_column *keys, const rdx_column *lower, const rdx_column *upper, uint64_t begin,
                        uint64_t count, uint64_t *offsets, uint32_t *rows) {
  const rdx_column text = rdx_device_column_text(keys);
  uint64_t kept = 0, from = offsets[0];
  for (uint64_t i = 0; i < count; i++) {
    const uint64_t to = offsets[i + 1];
    for (uint64_t k = from; k < to; k++)
      if (matches(&text, rows[k], lower, upper, begin + i))
        rows[kept++] = rows[k];
    from = to;
    offsets[i + 1] = kept;
  }
}
