/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#extension GL_EXT_control_flow_attributes : require
#include "kernels/bitmap/group_rows.glsl.h"
#include "kernels/column_scan/column_scan.h"
#include "kernels/column_scan/planes.glsl.h"

/* A workgroup per tile, in which a thread has a word of 32 rows at a time. */

#define THREADS 256

layout(constant_id = 0) const u32 COUNT_BYTES = 0;
COMPUTE(column_scan_args, THREADS)

shared u32 group_bytes;
u32 bytes = 0;

u32[8] load_plane(scan_term s, u32 plane, u32 word) {
  const u64 at = u64(s.planes) + plane * a.stride + u64(word) * 32;
  const uvec4 x = AT(uvec4_ptr(at), 0), y = AT(uvec4_ptr(at), 1);
  bytes += 32;
  return u32[8](x.x, x.y, x.z, x.w, y.x, y.y, y.z, y.w);
}

/* Of rows that are not above a bound as far as is known, and those of them that are undecided: what one more byte, of
 * whose bits the bound has `byte`, says. */
void compare(u32 w[8], u32 byte, bool last, inout u32 at_most, inout u32 undecided) {
  u32 not_above = ~0u, equal = ~0u;
  [[unroll]] for (u32 i = 0; i < 8; i++) {
    const u32 bit = 0 - (byte >> i & 1u);
    not_above = (~w[i] & (bit | not_above)) | (bit & not_above);
    equal &= ~(w[i] ^ bit);
  }
  at_most &= not_above | ~undecided;
  undecided = last ? 0 : undecided & equal;
}

/* The byte of a number that lies in a plane. */
u32 byte_of(scan_term s, u64 number, u32 plane) {
  return u32(number >> (8 * (s.plane_count - 1 - plane))) & 255u;
}

/* Of `rows` those whose number is in an interval: not above its end, nor at or below what is before it. */
u32 in_interval(scan_term s, u32 interval, u32 word, u32 rows) {
  const u64 low = AT(a.intervals, 2 * interval), high = AT(a.intervals, 2 * interval + 1);
  const u32 planes = high == ~0ul ? 0 : planes_of_bound(high, s.plane_count);
  const u32 planes_below = low == 0 ? 0 : planes_of_bound(low - 1, s.plane_count);
  u32 at_most = rows, undecided = planes > 0 ? rows : 0;
  u32 below = planes_below > 0 ? rows : 0, undecided_below = below;
  for (u32 p = 0; p < max(planes, planes_below) && (undecided | undecided_below) != 0; p++) {
    const u32 w[8] = load_plane(s, p, word);
    if (planes > 0)
      compare(w, byte_of(s, high, p), p + 1 >= planes, at_most, undecided);
    if (planes_below > 0)
      compare(w, byte_of(s, low - 1, p), p + 1 >= planes_below, below, undecided_below);
  }
  return at_most & ~below;
}

/* What one byte does not decide is searched for, row by row. */
u32 in_table(scan_term s, u32 word, u32 rows) {
  const u32 w[8] = transposed(load_plane(s, 0, word));
  u32 result = 0;
  for (u32 r = 0; r < 32; r++) {
    if ((rows >> r & 1u) == 0)
      continue;
    const u32 byte = w[r % 8] >> r / 8 * 8 & 255u;
    bool inside = byte_table(a.intervals, s.table, byte);
    if (byte_table(a.intervals, s.table + BYTE_TABLE_SOME, byte)) {
      u64 number = byte;
      for (u32 p = 1; p < s.plane_count; p++)
        for (u32 i = 8; i > 0; i--)
          number = number << 1 | (AT(u32_ptr(u64(s.planes) + p * a.stride + u64(word) * 32), i - 1) >> r & 1u);
      inside = zone_meets(a.intervals, s.first, s.interval_count, number, number) == ZONE_ALL;
    }
    result |= u32(inside) << r;
  }
  return result;
}

u32 filter_rows(scan_term s, u32 word, u32 rows) {
  if (!IS_NULL(s.valid)) {
    rows &= AT(s.valid, word);
    bytes += 4;
  }
  if (!IS_NULL(s.zones)) {
    const u32 block = word / BLOCK_WORDS;
    const u32 meets = zone_meets(a.intervals, s.first, s.interval_count, AT(s.zones, 2 * block),
                                 AT(s.zones, 2 * block + 1));
    if (meets != ZONE_SOME)
      return meets == ZONE_ALL ? rows : 0;
  }
  if (s.interval_count > LINEAR_INTERVALS)
    return in_table(s, word, rows);
  u32 found = 0;
  for (u32 k = 0; k < s.interval_count; k++)
    found |= in_interval(s, s.first + k, word, rows & ~found);
  return found;
}

/* The rows of a word for which all terms are true. */
u32 scan_word(u32 word) {
  const u32 rest = a.rows - word * 32;
  u32 rows = rest >= 32 ? ~0u : (1u << rest) - 1;
  if (a.narrow != 0)
    rows &= AT(a.words, word);
  for (u32 t = 0; t < a.term_count && rows != 0; t++)
    rows = filter_rows(AT(a.terms, t), word, rows);
  AT(a.words, word) = rows;
  bytes += a.narrow != 0 ? 8 : 4;
  return rows;
}

void main() {
  const u32 tile = a.first + gl_WorkGroupID.x, lane = gl_LocalInvocationIndex;
  const u32 words = a.rows / 32 + u32(a.rows % 32 != 0);
  u32 found = 0;
  if (COUNT_BYTES != 0 && lane == 0)
    group_bytes = 0;
  for (u32 k = lane; k < TILE_WORDS; k += THREADS)
    if (tile * TILE_WORDS + k < words)
      found += bitCount(scan_word(tile * TILE_WORDS + k));
  add_group_rows(found, a.total);
  if (COUNT_BYTES == 0)
    return;
  atomicAdd(group_bytes, bytes);
  barrier();
  if (lane == 0)
    AT(a.bytes, tile) = group_bytes;
}
