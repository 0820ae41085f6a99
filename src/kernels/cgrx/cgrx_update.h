/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#ifndef RDX_KERNELS_CGRX_CGRX_UPDATE_H
#define RDX_KERNELS_CGRX_CGRX_UPDATE_H

/* C and GLSL: batches of changes of the updatable cgRX (cgRX, section 4, "Insertion and deletion"). Each bucket is the
 * work of one invocation, which finds its part of the sorted batch by search, and goes through its chain node by node:
 * it removes, then inserts, then splits what overflows and merges what is nearly empty. (On GPUs a subgroup changes
 * nodes that it has a lane for each entry of: see cgrx_apply.comp.)
 *
 * First all buckets are planned: how many nodes each takes. Then memory is found for them, and only when nothing can
 * fail any more the nodes are changed in place. Nodes that are no longer in use are put on a list in any order. */

#include "kernels/cgrx/cgrx_nodes.h"

/* The part of a batch that is a bucket's. */
struct cgrx_part {
  u32 insert_begin, insert_end;
  u32 remove_begin, remove_end;
};

SHARED_STRUCT(cgrx_part, 4)

/* Item: a bucket. What a batch makes of it; all but its part is left out where the kernel's constant says so. */
struct cgrx_plan_args {
  LAUNCH_HEADER;
  PTR(cgrx_nodes) nodes;
  PTR(u32) inserts;
  PTR(u32) removes;
  PTR(cgrx_part) parts;
  PTR(u32) totals; /* the entries it will have */
  PTR(u32) takes;  /* new nodes */
  PTR(u32) chains; /* its nodes, where it changes */
  u32 insert_count;
  u32 remove_count;
};
ARGS_SIZE(cgrx_plan_args, 80);

/* Item: a bucket. Change it. */
struct cgrx_apply_args {
  LAUNCH_HEADER;
  PTR(cgrx_nodes) nodes;
  PTR(u32) inserts;
  PTR(u32) insert_rows;
  PTR(u32) removes;
  PTR(cgrx_part) parts;
  PTR(u64) takes;  /* of the buckets before each; 0: nothing is inserted, none takes any */
  PTR(u32) totals; /* GPUs: the entries that each has then; 0: not wanted */
  PTR(u32) free;   /* nodes to take; after them, those from `used` on */
  PTR(u32) free_out;
  PTR(u32) freed; /* how many `free_out` has got */
  u32 free_count;
  u32 used; /* a node that never was in use; nor were those after it */
};
ARGS_SIZE(cgrx_apply_args, 104);

/* Item: a bucket. Write the entries that stay in it, without the inserts, in order. */
struct cgrx_collect_args {
  LAUNCH_HEADER;
  PTR(cgrx_nodes) nodes;
  PTR(u32) removes;
  PTR(cgrx_part) parts;
  PTR(u64) starts; /* the entries before each bucket after the batch */
  PTR(u32) keys_out;
  PTR(u32) rows_out;
};
ARGS_SIZE(cgrx_collect_args, 64);

FN bool update_changes(cgrx_part part) {
  return part.insert_begin < part.insert_end || part.remove_begin < part.remove_end;
}

/* ---- Removing ---- */

/* A slot that a remove takes, and the removes after that one. */
struct cgrx_taken {
  u32 slot;
  u32 remove;
};

SHARED_TYPE(cgrx_taken);

#ifndef RDX_GLSL
#define cgrx_taken(...) ((struct cgrx_taken){__VA_ARGS__})
#endif

/* The next slot from `slot` on that one of the sorted removes from `remove` on takes, or `size`. Each takes the first
 * entry of its key that those before it left, which has the smallest row. */
FN cgrx_taken update_taken(PTR(u32) keys, u32 slot, u32 size, PTR(u32) removes, u32 remove, u32 remove_end, u32 key64) {
  while (slot < size && remove < remove_end) {
    u64 key = load_key(removes, remove, key64);
    slot = entry_search_up(keys, slot, size, key, LAYOUT_COLUMN, key64);
    if (slot == size)
      break;
    remove++;
    if (load_key(keys, slot, key64) == key)
      return cgrx_taken(slot, remove);
  }
  return cgrx_taken(size, remove);
}

/* ---- The shape of a chain ---- */

/* The nodes that the entries of one become: as it overflows, evenly filled ones with room for more. */
FN u32 update_nodes_of(u32 entries, u32 node_size) {
  u32 filled = node_size - node_size / 4u;
  return entries <= node_size ? 1u : (entries + filled - 1u) / filled;
}

/* The entries of the last of them. */
FN u32 update_last(u32 entries, u32 nodes) {
  return entries - TO_U32(TO_U64(entries) * (nodes - 1u) / nodes);
}

/* Whether a node with so many entries is merged into the one before it, which has `before` (NO_NODE: there is none). */
FN bool update_merges(u32 before, u32 entries, u32 node_size) {
  return before != NO_NODE && entries <= node_size &&
         (entries == 0 || before == 0 || before + entries <= node_size / 2u);
}

/* The inserts of a node: those that are not below the max of the node before it, and below its own. */
FN u32 update_insert_end(PTR(u32) node, PTR(u32) inserts, u32 begin, u32 end, u32 key64) {
  if (begin == end || AT(node, NODE_NEXT) == NO_NODE)
    return end;
  return entry_search_up(inserts, begin, end, node_max(node), LAYOUT_COLUMN, key64);
}

/* ---- Planning ---- */

/* Of the removes of the fence before a bucket, those that find nothing to take in the buckets before it are its. */
FN u32 update_skip(cgrx_plan_args a, cgrx_nodes t, u32 bucket, u32 begin, u64 fence, u32 key64) {
  u32 end = upper_bound_key(a.removes, begin, a.remove_count, fence, key64);
  if (begin == end)
    return begin;
  u32 first = entry_search_down(t.fences, bucket - 1u, fence, LAYOUT_COLUMN, key64);
  u32 before = TO_U32(AT(t.starts, bucket)) - nodes_rank(t, nodes_spot(t, first, fence, key64));
  return before < end - begin ? begin + before : end;
}

/* cgRX, section 4 "dedicates one thread to each bucket". */
/* The part of a bucket. No insert before `insert`, and no remove before `remove`, reaches the fence before it. */
FN cgrx_part update_part(cgrx_plan_args a, cgrx_nodes t, u32 bucket, u32 insert, u32 remove, u32 key64) {
  cgrx_part part;
  bool last = bucket + 1u == t.buckets;
  u64 fence = load_key(t.fences, bucket, key64);
  part.insert_begin = insert;
  part.insert_end =
      last ? a.insert_count : entry_search_up(a.inserts, insert, a.insert_count, fence, LAYOUT_COLUMN, key64);
  part.remove_begin = remove;
  part.remove_end = a.remove_count;
  if (remove < a.remove_count && bucket > 0)
    part.remove_begin = update_skip(a, t, bucket, remove, load_key(t.fences, bucket - 1u, key64), key64);
  if (part.remove_begin < a.remove_count && !last && load_key(a.removes, a.remove_count - 1u, key64) > fence)
    part.remove_end = entry_search_up(a.removes, part.remove_begin, a.remove_count, fence + 1ul, LAYOUT_COLUMN, key64);
  return part;
}

FN u32 update_size(cgrx_nodes t, u32 bucket) {
  return TO_U32(AT(t.starts, bucket + 1u) - AT(t.starts, bucket));
}

/* A bucket of which the part is known. */
FN void update_plan(cgrx_plan_args a, cgrx_nodes t, u32 bucket, cgrx_part part, u32 key64) {
  u32 takes = 0, chain = 0, total = update_size(t, bucket);
  u32 node = update_changes(part) ? bucket : NO_NODE, before = NO_NODE;
  u32 from = part.insert_begin, remove = part.remove_begin;
  total += part.insert_end - part.insert_begin;
  while (node != NO_NODE) {
    PTR(u32) p = node_at(t, node, key64);
    u32 size = AT(p, NODE_SIZE), entries = size, slot = 0;
    while (remove < part.remove_end && slot < size) {
      cgrx_taken taken = update_taken(node_keys(p), slot, size, a.removes, remove, part.remove_end, key64);
      remove = taken.remove;
      slot = taken.slot + 1u;
      if (taken.slot < size)
        entries--;
    }
    total -= size - entries;
    u32 to = update_insert_end(p, a.inserts, from, part.insert_end, key64);
    entries += to - from;
    from = to;
    if (update_merges(before, entries, t.node_size)) {
      before += entries;
    } else {
      u32 nodes = update_nodes_of(entries, t.node_size);
      takes += nodes - 1u;
      chain += nodes;
      before = update_last(entries, nodes);
    }
    node = AT(p, NODE_NEXT);
  }
  AT(a.totals, bucket) = total;
  AT(a.takes, bucket) = takes;
  AT(a.chains, bucket) = chain;
}

/* ---- Changing ---- */

/* Move entries within a node or from one to another. */
FN void update_move(PTR(u32) source, u32 from, PTR(u32) target, u32 to, u32 count, u32 node_size, u32 key64) {
  PTR(u32) keys = node_keys(source);
  PTR(u32) rows = node_rows(source, node_size, key64);
  PTR(u32) keys_out = node_keys(target);
  PTR(u32) rows_out = node_rows(target, node_size, key64);
#ifdef RDX_GLSL
  for (u32 i = 0; i < count; i++) {
    u32 k = to <= from ? i : count - 1u - i; /* so that nothing is overwritten before it has moved */
    store_key(keys_out, to + k, load_key(keys, from + k, key64), key64);
    AT(rows_out, to + k) = AT(rows, from + k);
  }
#else
  u32 words = key64 != 0 ? 2 : 1;
  memmove(keys_out + (u64)to * words, keys + (u64)from * words, (u64)count * words * 4);
  memmove(rows_out + to, rows + from, (u64)count * 4);
#endif
}

/* cgRX, section 4 "Deletion of a key results in keys to the right being shifted to the left". */
/* Take the entries of removes out of a node, and tell how many are left (slot), and which removes (remove). */
FN cgrx_taken update_remove(PTR(u32) node, PTR(u32) removes, u32 remove, u32 remove_end, u32 node_size, u32 key64) {
  u32 size = AT(node, NODE_SIZE);
  cgrx_taken taken = update_taken(node_keys(node), 0, size, removes, remove, remove_end, key64);
  u32 to = taken.slot;
  while (taken.slot < size) {
    u32 from = taken.slot + 1u;
    taken = update_taken(node_keys(node), from, size, removes, taken.remove, remove_end, key64);
    update_move(node, from, node, to, taken.slot - from, node_size, key64);
    to += taken.slot - from;
  }
  return cgrx_taken(to, taken.remove);
}

FN u32 update_new_node(cgrx_apply_args a, u32 k) {
  return k < a.free_count ? AT(a.free, k) : a.used + (k - a.free_count);
}

/* Inserts begin .. end - 1 of a node, which becomes `nodes` of them: itself and new ones from `take` on. */
struct cgrx_inserts {
  u32 begin;
  u32 end;
  u32 nodes;
  u32 take;
};
SHARED_TYPE(cgrx_inserts);

#ifndef RDX_GLSL
#define cgrx_inserts(...) ((struct cgrx_inserts){__VA_ARGS__})
#endif

/* cgRX, section 4 "insertion into a full node splits the node". */
/* Insert them into a node with `size` entries. From the last entry to the first: no target is above its source, so that
 * the node is its own source. Inserts come after equal entries. */
FN void update_insert(cgrx_apply_args a, cgrx_nodes t, u32 node, u32 size, cgrx_inserts of, u32 key64) {
  u32 begin = of.begin, end = of.end, nodes = of.nodes;
  PTR(u32) source = node_at(t, node, key64);
  u64 max = node_max(source);
  u32 next = AT(source, NODE_NEXT), entries = size + (end - begin), at = entries;
  for (u32 k = nodes; k > 0; k--) {
    u32 here = k == 1u ? node : update_new_node(a, of.take + k - 2u);
    u32 first = TO_U32(TO_U64(entries) * (k - 1u) / nodes), last = at;
    PTR(u32) target = node_at(t, here, key64);
    while (at > first && (k > 1u || begin < end)) {
      u64 key = begin < end ? load_key(a.inserts, end - 1u, key64) : 0ul;
      u32 stays = begin < end ? upper_bound_key(node_keys(source), 0, size, key, key64) : 0u;
      u32 count = size - stays < at - first ? size - stays : at - first;
      size -= count;
      at -= count;
      update_move(source, size, target, at - first, count, t.node_size, key64);
      if (at > first) {
        end--;
        at--;
        store_key(node_keys(target), at - first, key, key64);
        AT(node_rows(target, t.node_size, key64), at - first) = AT(a.insert_rows, end);
      }
    }
    at = first;
    node_set(target, k == nodes ? max : load_key(node_keys(target), last - first - 1u, key64), next, last - first);
    next = here;
  }
}

/* cgRX, section 4 "Underutilized nodes". */
/* Append a node of `entries` to the one before it, which has `before`. */
FN void update_merge(cgrx_nodes t, PTR(u32) node, u32 entries, PTR(u32) target, u32 before, u32 key64) {
  update_move(node, 0, target, before, entries, t.node_size, key64);
  node_set(target, node_max(node), AT(node, NODE_NEXT), before + entries);
}

FN void update_free(cgrx_apply_args a, u32 node) {
#ifdef RDX_GLSL
  u32 place = atomicAdd(AT(a.freed, 0), 1u);
#else
  u32 place = __atomic_fetch_add(a.freed, 1, __ATOMIC_RELAXED);
#endif
  AT(a.free_out, place) = node;
}

/* cgRX, section 4 "Insertion and deletion". */
/* The entries that the bucket has then. */
FN u32 update_apply(cgrx_apply_args a, cgrx_nodes t, u32 bucket, u32 key64) {
  cgrx_part part = AT(a.parts, bucket);
  u32 node = update_changes(part) ? bucket : NO_NODE, previous = NO_NODE, before = NO_NODE;
  u32 take = IS_NULL(a.takes) ? 0u : TO_U32(AT(a.takes, bucket)), from = part.insert_begin, total = 0;
  cgrx_taken left = cgrx_taken(0, part.remove_begin);
  while (node != NO_NODE) {
    PTR(u32) p = node_at(t, node, key64);
    u32 next = AT(p, NODE_NEXT);
    left.slot = AT(p, NODE_SIZE);
    if (left.remove < part.remove_end)
      left = update_remove(p, a.removes, left.remove, part.remove_end, t.node_size, key64);
    u32 to = update_insert_end(p, a.inserts, from, part.insert_end, key64), entries = left.slot + (to - from);
    bool merges = update_merges(before, entries, t.node_size);
    u32 nodes = merges ? 1u : update_nodes_of(entries, t.node_size);
    update_insert(a, t, node, left.slot, cgrx_inserts(from, to, nodes, take), key64);
    if (merges) {
      update_merge(t, p, entries, node_at(t, previous, key64), before, key64);
      update_free(a, node);
      before += entries;
    } else {
      previous = nodes == 1u ? node : update_new_node(a, take + nodes - 2u);
      take += nodes - 1u;
      before = update_last(entries, nodes);
    }
    total += entries;
    from = to;
    node = next;
  }
  return update_changes(part) ? total : update_size(t, bucket);
}

/* ---- Collecting ---- */

FN void update_collect(cgrx_collect_args a, cgrx_nodes t, u32 bucket, u32 key64) {
  cgrx_part part = AT(a.parts, bucket);
  u32 to = TO_U32(AT(a.starts, bucket)) - part.insert_begin, node = bucket;
  cgrx_taken taken = cgrx_taken(0, part.remove_begin);
  while (node != NO_NODE) {
    PTR(u32) p = node_at(t, node, key64);
    u32 size = AT(p, NODE_SIZE);
    for (u32 slot = 0; slot < size; slot = taken.slot + 1u) {
      taken = update_taken(node_keys(p), slot, size, a.removes, taken.remove, part.remove_end, key64);
      for (; slot < taken.slot; slot++) {
        store_key(a.keys_out, to, load_key(node_keys(p), slot, key64), key64);
        AT(a.rows_out, to) = AT(node_rows(p, t.node_size, key64), slot);
        to++;
      }
    }
    node = AT(p, NODE_NEXT);
  }
}

#endif
