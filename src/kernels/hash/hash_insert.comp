/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#include "kernels/hash/table.glsl.h"

// variants: U32 U64 ROWS

/* Keys one by one, each by an invocation of its own; ROWS: then the row of each, of keys of either width. */

layout(constant_id = 0) const u32 KEY64 = 0;
COMPUTE(hash_insert_args, 256)

bool is_last(u32 bucket, u32 slot, u32 slots) {
  return bucket + 1 == a.buckets && slot + 1 == slots;
}

#ifdef ROWS

/* What went wrong, or -1. */
int put_row(u64 key, u32 row) {
  const u32 slots = bucket_slots(KEY64, 0);
  for (u32 bucket = home_bucket(key, KEY64, a.homes); bucket < a.buckets; bucket++) {
    bucket_ptr words = bucket_ptr(bucket_address(a.table, bucket));
    long_bucket_ptr longs = long_bucket_ptr(bucket_address(a.table, bucket));
    for (u32 slot = 0; slot < slots && !is_last(bucket, slot, slots); slot++) {
      if ((KEY64 != 0 ? longs.v[slot] : TO_U64(words.v[slot])) != key)
        continue;
      return atomicCompSwap(words.v[values_at(KEY64, 0) + slot], NO_ROW, row) == NO_ROW ? -1 : INSERT_REPEATED;
    }
  }
  return INSERT_FULL;
}

#else

#ifdef U64
#extension GL_EXT_shader_atomic_int64 : require
#define WIDE 1
#define KEY_TYPE u64
#define EMPTY 0xfffffffffffffffful
#define KEYS_PTR long_bucket_ptr
#else
#define WIDE 0
#define KEY_TYPE u32
#define EMPTY 0xffffffffu
#define KEYS_PTR bucket_ptr
#endif

bool insert(KEY_TYPE key) {
  const u32 slots = bucket_slots(WIDE, 0);
  for (u32 bucket = home_bucket(TO_U64(key), WIDE, a.homes); bucket < a.buckets; bucket++) {
    KEYS_PTR keys = KEYS_PTR(bucket_address(a.table, bucket));
    for (u32 slot = 0; slot < slots && !is_last(bucket, slot, slots); slot++) {
      /* What is read may be old, and a u64 in halves of different age. Keys of a slot only become smaller. */
      if (WIDE == 0 && keys.v[slot] < key)
        continue;
      const KEY_TYPE seen = atomicMin(keys.v[slot], key);
      if (seen == key || seen == EMPTY)
        return true;
      key = max(key, seen);
    }
  }
  return false;
}

#endif

MAIN_ITEM(i) {
#ifdef ROWS
  const int trouble = put_row(mix_key(load_key(a.keys, i, KEY64), KEY64), IS_NULL(a.rows) ? i : AT(a.rows, i));
  if (trouble >= 0)
    AT(a.trouble, trouble) = 1;
#else
  if (!insert(KEY_TYPE(mix_key(load_key(a.keys, i, WIDE), WIDE))))
    AT(a.trouble, INSERT_FULL) = 1;
#endif
}
