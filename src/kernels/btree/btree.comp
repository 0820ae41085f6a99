/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#include "kernels/btree/btree.h"

/* One thread per lookup. A node is read whole, by loads of 16 bytes that do not wait for each other: one trip to memory
 * for each level. */

layout(constant_id = 0) const u32 KEY64 = 0;
layout(constant_id = 1) const u32 GATHER = GATHER_COUNT;
layout(constant_id = 2) const u32 VALUE = VALUE_U32;
layout(constant_id = 3) const u32 LEVELS = 0;
layout(constant_id = 4) const u32 DISTINCT = 0;
COMPUTE(btree_args, 256)

#include "kernels/lookup/found.h"

const u64 LARGEST = KEY64 != 0 ? 0xfffffffffffffffful : 0xfffffffful;

u32 total(uvec4 v) {
  return v.x + v.y + v.z + v.w;
}

u64 low_of(uvec4 pair) {
  return packUint2x32(pair.xy);
}

u64 high_of(uvec4 pair) {
  return packUint2x32(pair.zw);
}

/* Of the node that begins with key `begin`, the keys below `key`. */
u32 below(u32_ptr keys, u32 begin, u64 key) {
  uvec4_ptr from = uvec4_ptr(keys);
  if (KEY64 != 0) {
    u32 n = 0;
    for (u32 j = 0; j < BTREE_WIDTH / 2; j++) {
      const uvec4 pair = AT(from, begin / 2 + j);
      n += u32(low_of(pair) < key) + u32(high_of(pair) < key);
    }
    return n;
  }
  uvec4 n = uvec4(0);
  for (u32 j = 0; j < BTREE_WIDTH / 4; j++)
    n += uvec4(lessThan(AT(from, begin / 4 + j), uvec4(u32(key))));
  return total(n);
}

/* Of a leaf, the keys below `key` (x), and those not above it (y). */
uvec2 search_leaf(u32 begin, u64 key) {
  uvec4_ptr from = uvec4_ptr(a.keys);
  if (KEY64 != 0) {
    uvec2 n = uvec2(0);
    for (u32 j = 0; j < BTREE_WIDTH / 2; j++) {
      const uvec4 pair = AT(from, begin / 2 + j);
      n += uvec2(low_of(pair) < key, low_of(pair) <= key) + uvec2(high_of(pair) < key, high_of(pair) <= key);
    }
    return n;
  }
  uvec4 less = uvec4(0), upto = uvec4(0);
  for (u32 j = 0; j < BTREE_WIDTH / 4; j++) {
    const uvec4 four = AT(from, begin / 4 + j);
    less += uvec4(lessThan(four, uvec4(u32(key))));
    upto += uvec4(lessThanEqual(four, uvec4(u32(key))));
  }
  return uvec2(total(less), total(upto));
}

/* The place of the first leaf with a key that is not below `key`. */
u32 find(u64 key) {
  u32 node = 0, base = 0;
  for (u32 level = LEVELS; level > 0; level--) {
    const u32 child = below(a.levels, base + BTREE_WIDTH * node, key);
    base += BTREE_WIDTH * btree_level_size(a.leaves, level);
    node = BTREE_WIDTH * node + child;
  }
  return node;
}

u32 leaf_at(u32 place) {
  return btree_leaf(AT(a.state, 0).order, place);
}

u32 start(u32 place) {
  return btree_start(AT(a.state, 0).starts, AT(a.state, 0).n, AT(a.state, 0).per_leaf, place);
}

/* The entries of the tree that are not above `key`. */
u32 rank_above(u64 key) {
  if (key == LARGEST)
    return AT(a.state, 0).n;
  const u32 place = find(key + 1);
  return start(place) + below(a.keys, leaf_at(place) * BTREE_WIDTH, key + 1);
}

/* Gather `count` entries from `slot` of the leaf at `place` on. `inside`: all of them are in that leaf. */
void gather(inout findings f, u32 place, u32 leaf, u32 slot, u32 count, bool inside, u32 to) {
  u32_ptr rows = AT(a.state, 0).rows;
  for (;;) {
    const u32 here = inside ? count : min(count, start(place + 1) - start(place) - slot);
    for (u32 k = 0; k < here; k++) {
      const u32 row = AT(rows, leaf * BTREE_WIDTH + slot + k);
      f = found_add(f, a.io, row, to, GATHER, VALUE);
    }
    count -= here;
    if (count == 0)
      return;
    slot = 0;
    leaf = leaf_at(++place);
  }
}

MAIN_ITEM(i) {
  findings f = FOUND_NONE;
  const u64 lower = load_key(a.lower, i, KEY64);
  const u64 upper = IS_NULL(a.upper) ? lower : load_key(a.upper, i, KEY64);
  if (lower <= upper && has_bit(a.valid, i) && a.leaves > 0) {
    const u32 place = find(lower), leaf = leaf_at(place);
    const uvec2 found_at = search_leaf(leaf * BTREE_WIDTH, lower);
    const u32 slot = found_at.x;
    u32 count = found_at.y - slot;
    /* A run that ends with the last key of a leaf may go on in the next; the largest key also fills leaves. */
    bool inside = IS_NULL(a.upper);
    if (inside && count > 0 && (DISTINCT == 0 || lower == LARGEST))
      inside = found_at.y < BTREE_WIDTH && load_key(a.keys, leaf * BTREE_WIDTH + found_at.y, KEY64) != LARGEST;
    if (!inside && (GATHER != GATHER_ANY || count == 0 || lower == LARGEST))
      count = rank_above(upper) - start(place) - slot;
    if (GATHER == GATHER_ANY) {
      f.count = count;
    } else if (GATHER == GATHER_COUNT && (IS_NULL(a.io.out_first) || (count > 0 && IS_NULL(a.upper)))) {
      f.count = count; /* the rows of equal keys ascend */
      if (!IS_NULL(a.io.out_first))
        f.first = AT(AT(a.state, 0).rows, leaf * BTREE_WIDTH + slot);
    } else if (count > 0) {
      gather(f, place, leaf, slot, count, inside, GATHER == GATHER_ROWS ? u32(AT(a.io.offsets, i)) : 0);
    }
  }
  found_store(f, a.io, i, GATHER);
}
