/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#ifndef RDX_KERNELS_CGRX_CGRX_NODES_H
#define RDX_KERNELS_CGRX_CGRX_NODES_H

/* C and GLSL: the updatable cgRX (cgRX, section 4). A bucket is a chain of nodes of sorted entries. Nodes below
 * `buckets` are the representative nodes, which begin the chains and lie side by side; the linked nodes lie in slabs,
 * each twice as large as the one before, so that the region grows without being moved.
 *
 * A fence is the largest key that a bucket held when it was built; its triangle stands for it ever after. A bucket
 * holds keys from the fence before it to its own; equal ones may span buckets and nodes. The last bucket stands for all
 * greater keys, too. A new key goes behind all that are equal: into the first bucket whose fence is above it.
 *
 * In a chain, no key of a node is above the node's max, and none of the nodes after it is below that; the max of the
 * last node is the fence (in the last bucket the largest number). A node is empty only where its whole bucket is, or
 * where it is the representative node. */

#include "kernels/cgrx/cgrx.h"
#include "kernels/changes/changes.h"

/* Words of a node: its max as two, the next node, its entries, then keys, then rows. */
#define NODE_NEXT 2
#define NODE_SIZE 3
#define NODE_HEAD 4
#define NO_NODE 0xffffffffu
#define NODE_NO_MAX 0xfffffffffffffffful

#ifdef RDX_GLSL
#define TO_U32_PTR(x) u32_ptr(x)
#else
#define TO_U32_PTR(x) ((u32 *)(uintptr_t)(x))
#endif

/* Item: a bucket. Make its representative node of `per_bucket` of `n` sorted entries. */
struct cgrx_load_args {
  LAUNCH_HEADER;
  PTR(cgrx_nodes) nodes;
  PTR(u32) keys;
  PTR(u32) rows;
  u32 n;
  u32 per_bucket;
};
ARGS_SIZE(cgrx_load_args, 48);

/* ---- Nodes ---- */

/* A whole number of 16 bytes. */
FN u32 node_words(u32 node_size, u32 key64) {
  return NODE_HEAD + (node_size * (key64 != 0 ? 3u : 2u) + 3u) / 4u * 4u;
}

/* cgRX, section 4 "linked list of nodes". */
/* cgRX, section 4 "representative node region". */
/* cgRX, Figure 7 "Node based representation for updates". */
FN PTR(u32) node_at(cgrx_nodes t, u32 node, u32 key64) {
  u32 words = node_words(t.node_size, key64);
  if (node < t.buckets)
    return ENTRY_AT(t.reps, node, words);
  u32 place = node - t.buckets + (1u << t.slab_log), log = HIGHEST_BIT(place);
  return ENTRY_AT(TO_U32_PTR(AT(t.slabs, log - t.slab_log)), place - (1u << log), words);
}

FN PTR(u32) node_keys(PTR(u32) node) {
  return ENTRY_AT(node, 1, NODE_HEAD);
}

FN PTR(u32) node_rows(PTR(u32) node, u32 node_size, u32 key64) {
  return ENTRY_AT(node, 1, NODE_HEAD + node_size * (key64 != 0 ? 2u : 1u));
}

FN u64 node_max(PTR(u32) node) {
  return load_key(node, 0, 1);
}

FN void node_set(PTR(u32) node, u64 max, u32 next, u32 entries) {
  store_key(node, 0, max, 1);
  AT(node, NODE_NEXT) = next;
  AT(node, NODE_SIZE) = entries;
}

#ifndef RDX_GLSL
/* Have the first words of a node on their way: of larger nodes than this fetches whole, no more than a search needs. */
static inline void node_prefetch(const u32 *node, u32 words) {
  for (u32 at = 0; at < words && at < 128; at += 16)
    __builtin_prefetch(node + at);
}
#endif

/* cgRX, section 4 "Initial construction". */
/* The head of a representative node of entries begin .. begin + size - 1 of `n`, and what is beside it. */
FN void load_bucket(cgrx_nodes t, u32 bucket, u32 begin, u32 size, u32 n, u32 key64) {
  PTR(u32) p = node_at(t, bucket, key64);
  u64 fence = load_key(node_keys(p), size - 1u, key64);
  bool last = bucket + 1u == t.buckets;
  node_set(p, last ? NODE_NO_MAX : fence, NO_NODE, size);
  store_key(t.fences, bucket, fence, key64);
  AT(t.starts, bucket) = begin;
  if (last)
    AT(t.starts, t.buckets) = n;
}

/* ---- Places ---- */

/* cgRX, section 4 "either linear search or binary search to obtain the rowID". */
/* The first entry of a node that is not below `key`. */
FN u32 node_search(cgrx_nodes t, PTR(u32) node, u64 key, u32 key64) {
  PTR(u32) keys = node_keys(node);
  u32 at = 0, size = AT(node, NODE_SIZE);
  if (t.linear_search == 0)
    return entry_search(keys, 0, size, key, LAYOUT_COLUMN, key64);
  while (at < size && load_key(keys, at, key64) < key)
    at++;
  return at;
}

/* A place in a chain. */
struct cgrx_spot {
  u32 bucket;
  u32 node; /* NO_NODE: behind all */
  u32 slot;
  u32 before; /* entries of the bucket in the nodes before this one */
  u32 visits; /* nodes looked into on the way */
};

SHARED_TYPE(cgrx_spot);

#ifndef RDX_GLSL
#define cgrx_spot(...) ((struct cgrx_spot){__VA_ARGS__})
#endif

/* cgRX, section 4 "Point-lookups and range-lookups". */
/* Where the first entry that is not below `key` would stand: in the first node whose max is not below it, of the first
 * bucket whose fence is not. `bucket` is what rays found, or a guess; nodes tell whether it is right, and if not the
 * fences which one is. */
FN cgrx_spot nodes_spot(cgrx_nodes t, u32 bucket, u64 key, u32 key64) {
  cgrx_spot s = cgrx_spot(bucket, bucket, 0, 0, 0);
  for (;;) {
    PTR(u32) p = node_at(t, s.node, key64);
    s.visits++;
    while (node_max(p) < key) {
      if (AT(p, NODE_NEXT) != NO_NODE) {
        s.before += AT(p, NODE_SIZE);
        s.node = AT(p, NODE_NEXT);
      } else {
        s.bucket = entry_search_up(t.fences, s.bucket + 1u, t.buckets - 1u, key, LAYOUT_COLUMN, key64);
        s.node = s.bucket;
        s.before = 0;
      }
      p = node_at(t, s.node, key64);
      s.visits++;
    }
    s.slot = node_search(t, p, key, key64);
    if (s.slot > 0 || s.node != s.bucket || s.bucket == 0 || load_key(t.fences, s.bucket - 1u, key64) < key)
      return s;
    s.bucket = entry_search_down(t.fences, s.bucket - 1u, key, LAYOUT_COLUMN, key64);
    s.node = s.bucket;
  }
  return s;
}

/* The beginning of the next node, which may be of the next bucket. */
FN cgrx_spot nodes_next(cgrx_nodes t, cgrx_spot s, u32 key64) {
  s.node = AT(node_at(t, s.node, key64), NODE_NEXT);
  if (s.node == NO_NODE) {
    s.bucket++;
    s.node = s.bucket < t.buckets ? s.bucket : NO_NODE;
  }
  s.slot = 0;
  return s;
}

/* The entries before a place that nodes_spot() found. */
FN u32 nodes_rank(cgrx_nodes t, cgrx_spot s) {
  return TO_U32(AT(t.starts, s.bucket)) + s.before + s.slot;
}

/* The entries from a place to the last that is not above `upper`. */
FN u32 nodes_count(cgrx_nodes t, cgrx_spot from, u64 upper, u32 key64) {
  u32 begin = nodes_rank(t, from);
  if (upper == (key64 != 0 ? 0xfffffffffffffffful : 0xfffffffful))
    return TO_U32(AT(t.starts, t.buckets)) - begin;
  u32 bucket = entry_search_up(t.fences, from.bucket, t.buckets - 1u, upper + 1ul, LAYOUT_COLUMN, key64);
  return nodes_rank(t, nodes_spot(t, bucket, upper + 1ul, key64)) - begin;
}

#endif
