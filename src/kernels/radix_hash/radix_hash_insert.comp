/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#include "kernels/radix_hash/radix_hash.h"

/* A slot keeps its key once it has one, whoever is at the head of its chain meanwhile. */

layout(constant_id = 0) const u32 KEY64 = 0;
layout(constant_id = 1) const u32 BITS = 8;

EACH_ITEM(radix_hash_insert_args, e) {
  const u64 key = load_key(a.keys, e, KEY64);
  const u32 p = partition_of(key, BITS);
  const u32 begin = AT(a.starts, p), slots = partition_slots(AT(a.starts, p + 1) - begin);
  u32 slot = home_bucket(key, KEY64, slots);
  u32 before = NO_ROW;
  for (;;) {
    u32_ptr words = SLOT_AT(a.table, begin, slot);
    u32 head = atomicCompSwap(AT(words, 0), NO_ROW, e);
    if (head == NO_ROW)
      break;
    if (load_key(a.keys, head, KEY64) == key) {
      before = atomicExchange(AT(words, 0), e);
      break;
    }
    slot = slot + 1 == slots ? 0 : slot + 1;
  }
  const u32 number = atomicAdd(AT(SLOT_AT(a.table, begin, slot), 1), 1u) + 1u; /* of entries before */
  u32_ptr link = LINK_AT(a.links, e);
  AT(link, 0) = AT(a.rows, e);
  AT(link, 1) = before;
  if (before != NO_ROW)
    AT(a.repeated, 0) = 1;
  if (number >= LONG_RUN)
    AT(a.repeated, 1) = 1;
}
