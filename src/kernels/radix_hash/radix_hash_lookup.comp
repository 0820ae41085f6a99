/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#include "kernels/radix_hash/radix_hash.h"

layout(constant_id = 0) const u32 KEY64 = 0;
layout(constant_id = 1) const u32 BITS = 8;
layout(constant_id = 2) const u32 GATHER = GATHER_COUNT;
layout(constant_id = 3) const u32 VALUE = VALUE_U32;
COMPUTE(radix_hash_args, 256)

#include "kernels/lookup/found.h"

/* The head of the chain of `key`, or NO_ROW; the chain's length in `count`. */
u32 find(u64 key, out u32 count) {
  const u32 p = partition_of(key, BITS);
  const u32 begin = AT(a.starts, p), slots = partition_slots(AT(a.starts, p + 1) - begin);
  count = 0;
  if (slots == 0)
    return NO_ROW;
  for (u32 slot = home_bucket(key, KEY64, slots);; slot = slot + 1 == slots ? 0 : slot + 1) {
    u32_ptr words = SLOT_AT(a.table, begin, slot);
    const u32 head = AT(words, 0);
    if (head == NO_ROW)
      return NO_ROW;
    if (load_key(a.keys, head, KEY64) == key) {
      count = AT(words, 1) + 1;
      return head;
    }
  }
}

MAIN_ITEM(i) {
  findings f = FOUND_NONE;
  u32 count = 0, entry = NO_ROW;
  if (has_bit(a.valid, i))
    entry = find(load_key(a.lower, i, KEY64), count);
  if (GATHER == GATHER_COUNT && IS_NULL(a.io.out_first)) {
    f.count = count;
  } else {
    const u32 to = GATHER == GATHER_ROWS && count > 0 ? u32(AT(a.io.offsets, i)) : 0;
    while (entry != NO_ROW) {
      u32_ptr link = LINK_AT(a.links, entry);
      const u32 row = AT(link, 0);
      entry = AT(link, 1);
      f = found_add(f, a.io, row, to, GATHER, VALUE);
    }
  }
  found_store(f, a.io, i, GATHER);
}
