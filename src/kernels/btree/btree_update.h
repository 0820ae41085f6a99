/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#ifndef RDX_KERNELS_BTREE_BTREE_UPDATE_H
#define RDX_KERNELS_BTREE_BTREE_UPDATE_H

/* C and GLSL: batches of changes. As in cgRX (section 4, "Insertion and deletion"), each leaf is the work of one
 * invocation, which finds its part of the sorted batch by binary search and removes before it inserts. Unlike there it
 * only plans what its leaf becomes: an invocation of its own writes each new leaf, so that many inserts into one leaf
 * are not the work of one invocation, and the old leaves stay until all is done, so that nothing is lost if it fails.
 *
 * A batch that changes few leaves replaces those (place, split): new leaves go where leaves replaced before lay, then
 * to the end. One that changes many, or leaves few entries in many leaves, writes all leaves anew (rewrite). Then the
 * inner nodes are built over the leaves as at first. */

#include "kernels/btree/btree.h"

#define BTREE_CHANGED 0x80000000u

/* Item: a place. What stays of its leaf, and how many entries it becomes.
 *
 * Keys not below the separator before a leaf and below its own go there, so that an inserted key comes after all equal
 * ones; the last leaf takes all that are left. */
struct btree_plan_args {
  LAUNCH_HEADER;
  PTR(u32) keys;
  PTR(u32) order;
  PTR(u64) starts;
  PTR(u32) levels;
  PTR(u32) separators; /* level 0 */
  PTR(u32) inserts;
  PTR(u32) removes;
  PTR(u32) plans;   /* a bit for each entry that stays, and BTREE_CHANGED */
  PTR(u32) merged;  /* the entries that stay and those inserted */
  PTR(u32) become;  /* the leaves that they fill */
  PTR(u32) changed; /* 1 where that is not the old leaf */
  u32 leaves;
  u32 per_leaf;
  u32 n;
  u32 depth; /* levels */
  u32 insert_count;
  u32 remove_count;
};
ARGS_SIZE(btree_plan_args, 128);

/* What place and split work with; it lies in a device buffer. */
struct btree_change {
  PTR(u32) keys; /* of old leaves and new ones */
  PTR(u32) rows;
  PTR(u32) order;
  PTR(u32) separators;
  PTR(u32) inserts;
  PTR(u32) insert_rows;
  PTR(u32) plans;
  PTR(u64) places;  /* the new place of what each old place becomes */
  PTR(u64) changed; /* the changed leaves before each place */
  PTR(u32) free;    /* leaves to write to; after them, those from `used` on */
  PTR(u32) order_out;
  PTR(u32) counts_out; /* the entries of the leaf at each new place */
  PTR(u32) separators_out;
  PTR(u32) free_out; /* the leaves that are replaced */
  u32 leaves;
  u32 insert_count;
  u32 per_leaf;
  u32 free_count;
  u32 used;
};

SHARED_STRUCT(btree_change, 8)

/* Item: an old place (place), or a new leaf (split). */
struct btree_change_args {
  LAUNCH_HEADER;
  PTR(btree_change) change;
};
ARGS_SIZE(btree_change_args, 24);

/* Item: a leaf of the new tree. */
struct btree_rewrite_args {
  LAUNCH_HEADER;
  PTR(u32) keys;
  PTR(u32) rows;
  PTR(u32) order;
  PTR(u32) separators;
  PTR(u32) inserts;
  PTR(u32) insert_rows;
  PTR(u32) plans;
  PTR(u64) begins; /* the entries before what each place becomes, and of all */
  PTR(u32) keys_out;
  PTR(u32) rows_out;
  u32 leaves;
  u32 insert_count;
  u32 per_leaf; /* of the new tree */
  u32 n;        /* of the new tree */
};
ARGS_SIZE(btree_rewrite_args, 112);

/* The leaf of a place, and its part of the inserts. */
struct btree_part {
  u32 leaf;
  u32 begin;
  u32 end;
};

SHARED_TYPE(btree_part);

/* The place of the first leaf with a key that is not below `key`, which there is. */
FN u32 btree_find(PTR(u32) levels, u32 leaves, u32 depth, u64 key, u32 key64) {
  u32 node = 0, base = 0;
  for (u32 level = depth; level > 0; level--) {
    u32 begin = base + BTREE_WIDTH * node;
    u32 child = lower_bound_key(levels, begin, begin + BTREE_WIDTH, key, key64) - begin;
    base += BTREE_WIDTH * btree_level_size(leaves, level);
    node = BTREE_WIDTH * node + child;
  }
  return node;
}

/* Where a key would stand among the inserts of a leaf: all of them are not below the separator before it. */
FN btree_part btree_part_of(PTR(u32) order, PTR(u32) separators, u32 leaves, PTR(u32) inserts, u32 insert_count,
                            u32 place, u32 key64) {
  btree_part part;
  part.leaf = btree_leaf(order, place);
  part.begin = 0;
  part.end = insert_count;
  if (insert_count == 0)
    return part;
  if (place > 0)
    part.begin = lower_bound_key(inserts, 0, insert_count, load_key(separators, place - 1, key64), key64);
  if (place + 1 < leaves)
    part.end = lower_bound_key(inserts, part.begin, insert_count, load_key(separators, place, key64), key64);
  return part;
}

/* Where entries and inserts come from, and where they go. */
struct btree_merging {
  PTR(u32) keys;
  PTR(u32) rows;
  PTR(u32) inserts;
  PTR(u32) insert_rows;
  PTR(u32) keys_out;
  PTR(u32) rows_out;
};
SHARED_TYPE(btree_merging);

#ifndef RDX_GLSL
#define btree_merging(...) ((struct btree_merging){__VA_ARGS__})
#endif

/* Write entries t .. t_end - 1 of a leaf merged with its inserts to the entries from `to` on. `stays` has a bit for
 * each old entry that stays; an old entry comes before inserts of the same key. */
FN void btree_merge(btree_merging m, btree_part part, u32 stays, u32 t, u32 t_end, u32 to, u32 key64) {
  u32 passed = 0;
  while (t > 0 && stays != 0) {
    u64 key = load_key(m.keys, part.leaf * BTREE_WIDTH + LOWEST_BIT(stays), key64);
    if (passed + lower_bound_key(m.inserts, part.begin, part.end, key, key64) - part.begin >= t)
      break;
    stays &= stays - 1u;
    passed++;
  }
  u32 next = part.begin + (t - passed);
  for (; t < t_end; t++) {
    u32 from = part.leaf * BTREE_WIDTH + (stays != 0 ? LOWEST_BIT(stays) : 0u);
    u64 old_key = stays != 0 ? load_key(m.keys, from, key64) : 0ul;
    u64 new_key = next < part.end ? load_key(m.inserts, next, key64) : 0ul;
    if (stays != 0 && (next == part.end || old_key <= new_key)) {
      store_key(m.keys_out, to, old_key, key64);
      AT(m.rows_out, to) = AT(m.rows, from);
      stays &= stays - 1u;
    } else {
      store_key(m.keys_out, to, new_key, key64);
      AT(m.rows_out, to) = AT(m.insert_rows, next);
      next++;
    }
    to++;
  }
}

/* Mark what a leaf does not use: entries begin .. end - 1. */
FN void btree_fill(PTR(u32) keys_out, PTR(u32) rows_out, u32 begin, u32 end, u32 key64) {
  for (u32 to = begin; to < end; to++) {
    store_key(keys_out, to, btree_largest_key(key64), key64);
    AT(rows_out, to) = NO_ROW;
  }
}

/* How many entries equal to the first key of a place are in leaves before it. */
FN u32 btree_run_before(btree_plan_args a, u32 place, u64 key, u32 key64) {
  u32 first = btree_find(a.levels, a.leaves, a.depth, key, key64);
  if (first == place)
    return 0;
  u32 begin = btree_leaf(a.order, first) * BTREE_WIDTH;
  u32 slot = lower_bound_key(a.keys, begin, begin + BTREE_WIDTH, key, key64) - begin;
  return btree_start(a.starts, a.n, a.per_leaf, place) - btree_start(a.starts, a.n, a.per_leaf, first) - slot;
}

/* Of the entries of a leaf, those that removes begin .. end - 1 leave. They take the first entries of each run of
 * equal keys, which are the oldest. */
FN u32 btree_remove(btree_plan_args a, u32 place, u32 leaf, u32 entries, u32 begin, u32 end, u32 key64) {
  u32 stays = (1u << entries) - 1u;
  u32 run = 0;
  while (run < entries) {
    u64 key = load_key(a.keys, leaf * BTREE_WIDTH + run, key64);
    u32 run_end = run + 1;
    while (run_end < entries && load_key(a.keys, leaf * BTREE_WIDTH + run_end, key64) == key)
      run_end++;
    u32 first = lower_bound_key(a.removes, begin, end, key, key64);
    u32 gone = upper_bound_key(a.removes, first, end, key, key64) - first;
    u32 before = gone > 0 && run == 0 ? btree_run_before(a, place, key, key64) : 0u;
    for (; run < run_end; run++, before++)
      if (before < gone)
        stays &= ~(1u << run);
  }
  return stays;
}

/* A leaf that overflows is split evenly, into leaves as full as those that are built. */
FN u32 btree_leaves_of(u32 entries, u32 per_leaf) {
  if (entries <= BTREE_WIDTH)
    return entries > 0 ? 1u : 0u;
  return TO_U32((TO_U64(entries) + per_leaf - 1ul) / per_leaf);
}

FN void btree_plan(btree_plan_args a, u32 place, u32 key64) {
  btree_part part = btree_part_of(a.order, a.separators, a.leaves, a.inserts, a.insert_count, place, key64);
  u32 entries = btree_start(a.starts, a.n, a.per_leaf, place + 1) - btree_start(a.starts, a.n, a.per_leaf, place);
  u32 all = (1u << entries) - 1u, stays = all;
  u32 begin = 0, end = a.remove_count;
  if (end > 0 && place > 0)
    begin = lower_bound_key(a.removes, 0, end, load_key(a.separators, place - 1, key64), key64);
  if (end > 0 && place + 1 < a.leaves)
    end = upper_bound_key(a.removes, begin, end, load_key(a.separators, place, key64), key64);
  if (begin < end)
    stays = btree_remove(a, place, part.leaf, entries, begin, end, key64);
  AT(a.plans, place) = stays | (stays != all || part.begin < part.end ? BTREE_CHANGED : 0u);
  u32 merged = BIT_COUNT(stays) + (part.end - part.begin);
  AT(a.merged, place) = merged;
  AT(a.become, place) = btree_leaves_of(merged, a.per_leaf);
  AT(a.changed, place) = stays != all || part.begin < part.end ? 1u : 0u;
}

/* Of ascending `begins`, the last of the first `n` that is not above `at`. The first is not. */
FN u32 btree_place_of(PTR(u64) begins, u32 n, u64 at) {
  return upper_bound_u64(begins, 1, n, at) - 1;
}

/* The new leaves before what a place becomes. */
FN u32 btree_new_before(btree_change c, u32 place) {
  return TO_U32(AT(c.places, place) + AT(c.changed, place) - place);
}

/* Keep a leaf, at its new place, or add it to those that are free. */
FN void btree_place(btree_change c, u32 place, u32 key64) {
  u32 leaf = btree_leaf(c.order, place), plan = AT(c.plans, place);
  if ((plan & BTREE_CHANGED) != 0) {
    AT(c.free_out, TO_U32(AT(c.changed, place))) = leaf;
    return;
  }
  u32 to = TO_U32(AT(c.places, place));
  AT(c.order_out, to) = leaf;
  AT(c.counts_out, to) = BIT_COUNT(plan);
  store_key(c.separators_out, to, load_key(c.separators, place, key64), key64);
}

DEFINE_BOUND(btree_place_after, (btree_change c, u32 begin, u32 end, u32 leaf), btree_new_before(c, middle) <= leaf)

/* Write a new leaf. */
FN void btree_split(btree_change c, u32 leaf, u32 key64) {
  u32 place = btree_place_after(c, 1, c.leaves, leaf) - 1;
  btree_part part = btree_part_of(c.order, c.separators, c.leaves, c.inserts, c.insert_count, place, key64);
  u32 stays = AT(c.plans, place) & 0xffffu;
  u32 merged = BIT_COUNT(stays) + (part.end - part.begin);
  u32 parts = btree_leaves_of(merged, c.per_leaf), k = leaf - btree_new_before(c, place);
  u32 t = TO_U32(TO_U64(merged) * k / parts), t_end = TO_U32(TO_U64(merged) * (k + 1u) / parts);
  u32 to = leaf < c.free_count ? AT(c.free, leaf) : c.used + (leaf - c.free_count);
  btree_merge(btree_merging(c.keys, c.rows, c.inserts, c.insert_rows, c.keys, c.rows), part, stays, t, t_end,
              to * BTREE_WIDTH, key64);
  btree_fill(c.keys, c.rows, to * BTREE_WIDTH + (t_end - t), (to + 1u) * BTREE_WIDTH, key64);
  u32 at = TO_U32(AT(c.places, place)) + k;
  AT(c.order_out, at) = to;
  AT(c.counts_out, at) = t_end - t;
  store_key(c.separators_out, at, load_key(c.keys, to * BTREE_WIDTH + (t_end - t - 1u), key64), key64);
}

FN void btree_rewrite(btree_rewrite_args a, u32 leaf, u32 key64) {
  u64 at = TO_U64(leaf) * a.per_leaf;
  u64 end = at + a.per_leaf < a.n ? at + a.per_leaf : TO_U64(a.n);
  u32 to = leaf * BTREE_WIDTH;
  for (u32 place = btree_place_of(a.begins, a.leaves, at); at < end; place++) {
    u64 begin = AT(a.begins, place), next = AT(a.begins, place + 1);
    u64 stop = next < end ? next : end;
    if (at >= stop)
      continue; /* nothing is left of this leaf */
    btree_part part = btree_part_of(a.order, a.separators, a.leaves, a.inserts, a.insert_count, place, key64);
    btree_merge(btree_merging(a.keys, a.rows, a.inserts, a.insert_rows, a.keys_out, a.rows_out), part,
                AT(a.plans, place) & 0xffffu, TO_U32(at - begin), TO_U32(stop - begin), to, key64);
    to += TO_U32(stop - at);
    at = stop;
  }
  btree_fill(a.keys_out, a.rows_out, to, (leaf + 1) * BTREE_WIDTH, key64);
}

#endif
