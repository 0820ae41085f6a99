/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#ifndef RDX_KERNELS_LOOKUP_ENTRIES_H
#define RDX_KERNELS_LOOKUP_ENTRIES_H

/* C and GLSL: sorted (key, row) entries in columns or in rows of words (cgRX, section 3.4), and searches among them
 * from a guess. */

#include "kernels/lookup/lookup.h"

#define LAYOUT_COLUMN 0      /* all keys, then elsewhere all rows */
#define LAYOUT_ROW_ALIGNED 1 /* key and row side by side; entries begin at multiples of 8 bytes */
#define LAYOUT_ROW_PACKED 2  /* the same without padding */

/* cgRX, section 3.4 "aligned variant". */
/* cgRX, section 3.4 "packed variant". */
/* Words of an entry in a row layout. */
FN u32 entry_words(u32 layout_kind, u32 key64) {
  return key64 == 0 ? 2u : layout_kind == LAYOUT_ROW_PACKED ? 3u : 4u;
}

#ifdef RDX_GLSL
#define ENTRY_AT(words, entry, size) u32_ptr(u64(words) + u64(entry) * (4 * (size)))
#else
#define ENTRY_AT(words, entry, size) ((words) + (u64)(entry) * (size))
#endif

/* cgRX, section 3.4 "column layout". */
FN u64 entry_key(PTR(u32) keys, u32 entry, u32 layout_kind, u32 key64) {
  if (layout_kind == LAYOUT_COLUMN)
    return load_key(keys, entry, key64);
  PTR(u32) at = ENTRY_AT(keys, entry, entry_words(layout_kind, key64));
  return key64 == 0 ? TO_U64(AT(at, 0)) : TO_U64(AT(at, 0)) | TO_U64(AT(at, 1)) << 32;
}

/* `rows` is used by the column layout alone. */
FN u32 entry_row(PTR(u32) keys, PTR(u32) rows, u32 entry, u32 layout_kind, u32 key64) {
  if (layout_kind == LAYOUT_COLUMN)
    return AT(rows, entry);
  return AT(ENTRY_AT(keys, entry, entry_words(layout_kind, key64)), key64 == 0 ? 1 : 2);
}

/* cgRX, section 3.4 "Upper-bound binary search". */
/* The first of the entries begin .. end - 1 that is not below `key`, or `end`; all by halves. */
DEFINE_BOUND(entry_search, (PTR(u32) keys, u32 begin, u32 end, u64 key, u32 layout_kind, u32 key64),
             entry_key(keys, middle, layout_kind, key64) < key)

/* The first entry of `n` that is not below `key`, given that none before `begin` is: by steps that double. */
FN u32 entry_search_up(PTR(u32) keys, u32 begin, u32 n, u64 key, u32 layout_kind, u32 key64) {
  u32 step_size = 1;
  while (n - begin > step_size && entry_key(keys, begin + step_size, layout_kind, key64) < key) {
    begin += step_size;
    step_size = step_size < 0x40000000u ? 2 * step_size : step_size;
  }
  return entry_search(keys, begin, n - begin > step_size ? begin + step_size : n, key, layout_kind, key64);
}

/* The first entry that is not below `key`, given that entry `end` (or the end) is not: by steps that double. */
FN u32 entry_search_down(PTR(u32) keys, u32 end, u64 key, u32 layout_kind, u32 key64) {
  u32 step_size = 1;
  while (end > step_size && entry_key(keys, end - step_size, layout_kind, key64) >= key) {
    end -= step_size;
    step_size = step_size < 0x40000000u ? 2 * step_size : step_size;
  }
  return entry_search(keys, end > step_size ? end - step_size : 0, end, key, layout_kind, key64);
}

#endif
