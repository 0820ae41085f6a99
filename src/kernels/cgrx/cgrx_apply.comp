/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_ballot : require
#extension GL_KHR_shader_subgroup_shuffle : require
#include "kernels/cgrx/cgrx_update.h"

/* Where a node's entries fit the lanes of a subgroup, its lanes change the nodes of a bucket together, an entry each:
 * the same as update_apply() does, but nodes are read and written as a whole. Else, and where nodes are split, a lane
 * does all for a bucket. */

layout(constant_id = 0) const u32 KEY64 = 0;
COMPUTE(cgrx_apply_args, 128)

#define LANE gl_SubgroupInvocationID

/* A lane's entry of a node. `stays` depends on the row so that all lanes have read theirs before any lane writes. */
struct lane_entry {
  u64 key;
  u32 row;
  bool stays;
};

lane_entry entry_of(u32_ptr node, u32 size, u32 node_size) {
  lane_entry entry = lane_entry(0, NO_ROW, false);
  if (LANE < size) {
    entry.key = load_key(node_keys(node), LANE, KEY64);
    entry.row = AT(node_rows(node, node_size, KEY64), LANE);
  }
  entry.stays = entry.row != NO_ROW;
  return entry;
}

u64 of_lane(u64 key, u32 lane) {
  const u32 high = KEY64 != 0 ? subgroupShuffle(u32(key >> 32), lane) : 0;
  return u64(high) << 32 | subgroupShuffle(u32(key), lane);
}

/* As update_remove(), but marks what is removed; the first remove that is left for the nodes after this one. */
u32 remove_together(inout lane_entry entry, u32 size, u32 remove, u32 remove_end) {
  const u32 begin = remove;
  u64 removes = 0;
  for (u32 slot = 0; slot < size && remove < remove_end; remove++) {
    const u32 at = (remove - begin) % gl_SubgroupSize;
    if (at == 0 && remove + LANE < remove_end)
      removes = load_key(a.removes, remove + LANE, KEY64);
    const u64 key = of_lane(removes, at);
    const uvec4 reached = subgroupBallot(LANE >= slot && LANE < size && entry.key >= key);
    if (subgroupBallotBitCount(reached) == 0)
      break;
    slot = subgroupBallotFindLSB(reached);
    if (of_lane(entry.key, slot) == key) {
      entry.stays = entry.stays && LANE != slot;
      slot++;
    }
  }
  return remove;
}

/* Write the entries that stay and `count` inserts in order from place `to` of a node on. */
void write_together(lane_entry entry, u32 insert, u32 count, u32_ptr node, u32 to, bool all, u32 node_size) {
  const uvec4 staying = subgroupBallot(entry.stays);
  const u32 stay = subgroupBallotBitCount(staying);
  u32 place = subgroupBallotExclusiveBitCount(staying), insert_place = LANE;
  const u64 key = LANE < count ? load_key(a.inserts, insert + LANE, KEY64) : 0;
  for (u32 i = 0; i < count; i++) {
    const u64 inserted = of_lane(key, i); /* by all lanes, not only those whose entries stay */
    const bool above = entry.stays && entry.key > inserted;
    const u32 before = stay - subgroupBallotBitCount(subgroupBallot(above));
    place += u32(above);
    insert_place += LANE == i ? before : 0;
  }
  if (entry.stays && (all || place != LANE)) {
    store_key(node_keys(node), to + place, entry.key, KEY64);
    AT(node_rows(node, node_size, KEY64), to + place) = entry.row;
  }
  if (LANE < count) {
    store_key(node_keys(node), to + insert_place, key, KEY64);
    AT(node_rows(node, node_size, KEY64), to + insert_place) = AT(a.insert_rows, insert + LANE);
  }
}

/* Nodes that the subgroup has freed, as many as lanes at most, so that few of all subgroups count at once. */
u32 freed = NO_NODE, freed_count = 0;

void list_freed() {
  u32 place = 0;
  if (LANE == 0)
    place = atomicAdd(AT(a.freed, 0), freed_count);
  place = subgroupBroadcastFirst(place);
  if (LANE < freed_count)
    AT(a.free_out, place + LANE) = freed;
  freed_count = 0;
}

void free_together(u32 node) {
  if (LANE == freed_count)
    freed = node;
  freed_count++;
  if (freed_count == gl_SubgroupSize)
    list_freed();
}

/* As update_apply(), where no node is split. */
u32 apply_together(cgrx_nodes t, u32 bucket) {
  const cgrx_part part = AT(a.parts, bucket);
  u32 node = bucket, previous = NO_NODE, before = NO_NODE, total = 0;
  u32 from = part.insert_begin, remove = part.remove_begin;
  while (node != NO_NODE) {
    u32_ptr p = node_at(t, node, KEY64);
    const u32 next = AT(p, NODE_NEXT), size = AT(p, NODE_SIZE);
    const u64 max = node_max(p);
    lane_entry entry = entry_of(p, size, t.node_size);
    remove = remove_together(entry, size, remove, part.remove_end);
    const u32 to = update_insert_end(p, a.inserts, from, part.insert_end, KEY64);
    const u32 entries = subgroupBallotBitCount(subgroupBallot(entry.stays)) + (to - from);
    const bool merges = update_merges(before, entries, t.node_size);
    previous = merges ? previous : node;
    before = merges ? before : 0;
    p = node_at(t, previous, KEY64);
    write_together(entry, from, to - from, p, before, merges, t.node_size);
    before += entries;
    if (LANE == 0 && merges)
      node_set(p, max, next, before);
    else if (LANE == 0 && entries != size)
      AT(p, NODE_SIZE) = entries;
    if (merges)
      free_together(node);
    total += entries;
    from = to;
    node = next;
  }
  return total;
}

/* cgRX, section 4 "Insertion and deletion". */
void main() {
  cgrx_nodes t = AT(a.nodes, 0);
  const u32 i = gl_WorkGroupID.x * gl_WorkGroupSize.x + gl_SubgroupID * gl_SubgroupSize + LANE, bucket = a.first + i;
  const bool changes = i < a.count && update_changes(AT(a.parts, bucket));
  const bool splits = changes && !IS_NULL(a.takes) && AT(a.takes, bucket) != AT(a.takes, bucket + 1);
  const bool alone = changes && (t.node_size > gl_SubgroupSize || splits);
  const uvec4 together = subgroupBallot(changes && !alone);
  u32 total = 0;
  for (u32 lane = 0; lane < gl_SubgroupSize; lane++) {
    if (subgroupBallotBitExtract(together, lane)) {
      const u32 entries = apply_together(t, bucket - LANE + lane);
      total = LANE == lane ? entries : total;
    }
  }
  if (freed_count > 0)
    list_freed();
  if (alone || (i < a.count && !changes && !IS_NULL(a.totals)))
    total = update_apply(a, t, bucket, KEY64);
  if (i < a.count && !IS_NULL(a.totals))
    AT(a.totals, bucket) = total;
}
