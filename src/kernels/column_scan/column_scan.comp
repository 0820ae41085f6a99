/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#version 460
#extension GL_GOOGLE_include_directive : require
#include "kernels/column_scan/column_scan.h"

/* A thread per word of 32 rows, a workgroup per block. In a plane, byte j of a thread's word i is row 8j + i: the
 * results of byte comparisons, which are the highest bits of bytes, then fall into the order of rows by one shift for
 * each word. */

layout(constant_id = 0) const u32 COUNT_BYTES = 0;
layout(local_size_x = BLOCK_WORDS) in;
layout(push_constant, scalar) uniform push { column_scan_args a; };

layout(buffer_reference, scalar, buffer_reference_align = 16) buffer uvec4_ptr {
  uvec4 v[];
};

#define HIGH_BITS 0x80808080u

shared u32 group_bytes;
u32 bytes = 0;

u32[8] load_plane(scan_term s, u32 plane, u32 word) {
  const u64 at = u64(s.planes) + plane * a.stride + u64(word) * 32;
  const uvec4 x = AT(uvec4_ptr(at), 0), y = AT(uvec4_ptr(at), 1);
  bytes += 32;
  return u32[8](x.x, x.y, x.z, x.w, y.x, y.y, y.z, y.w);
}

/* The highest bit of each byte of x that is not below that of y. */
u32 bytes_at_least(u32 x, u32 y) {
  const u32 z = (x | HIGH_BITS) - (y & ~HIGH_BITS);
  return (x & ~y) | (~(x ^ y) & z);
}

u32 rows_at_most(u32 w[8], u32 bound) {
  u32 rows = 0;
  for (u32 i = 0; i < 8; i++)
    rows |= (bytes_at_least(bound, w[i]) & HIGH_BITS) >> (7 - i);
  return rows;
}

u32 rows_at_least(u32 w[8], u32 bound) {
  u32 rows = 0;
  for (u32 i = 0; i < 8; i++)
    rows |= (bytes_at_least(w[i], bound) & HIGH_BITS) >> (7 - i);
  return rows;
}

/* Of `rows`, those whose number is not above `bound`. */
u32 at_most(scan_term s, u64 bound, u32 word, u32 rows) {
  const u32 planes = planes_of_bound(bound, s.plane_count);
  u32 result = rows, undecided = rows;
  for (u32 p = 0; p < planes && undecided != 0; p++) {
    const u32 byte = (u32(bound >> (8 * (s.plane_count - 1 - p))) & 255u) * 0x01010101u;
    const u32 w[8] = load_plane(s, p, word);
    const u32 below = rows_at_most(w, byte);
    result &= ~(undecided & ~below);
    if (p + 1 < planes)
      undecided &= below & rows_at_least(w, byte);
  }
  return result;
}

u32 in_interval(scan_term s, u32 interval, u32 word, u32 rows) {
  const u64 low = AT(a.intervals, 2 * interval), high = AT(a.intervals, 2 * interval + 1);
  if (high != ~0ul)
    rows = at_most(s, high, word, rows);
  if (low != 0 && rows != 0)
    rows &= ~at_most(s, low - 1, word, rows);
  return rows;
}

/* What one byte does not decide is searched for, row by row. */
u32 in_table(scan_term s, u32 word, u32 rows) {
  const u32 w[8] = load_plane(s, 0, word);
  u32 result = 0;
  for (u32 r = 0; r < 32; r++) {
    if ((rows >> r & 1u) == 0)
      continue;
    const u32 shift = r / 8 * 8;
    const u32 byte = w[r % 8] >> shift & 255u;
    bool inside = byte_table(a.intervals, s.table, byte);
    if (byte_table(a.intervals, s.table + BYTE_TABLE_SOME, byte)) {
      u64 number = byte;
      for (u32 p = 1; p < s.plane_count; p++)
        number = number << 8 |
                 (AT(u32_ptr(u64(s.planes) + p * a.stride + u64(word) * 32), r % 8) >> shift & 255u);
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

void main() {
  const u32 word = a.first + gl_GlobalInvocationID.x;
  const bool inside = gl_GlobalInvocationID.x < a.count;
  if (COUNT_BYTES != 0) {
    if (gl_LocalInvocationIndex == 0)
      group_bytes = 0;
    barrier();
  }
  if (inside) {
    const u32 rest = a.rows - word * 32;
    u32 rows = rest >= 32 ? ~0u : (1u << rest) - 1;
    if (a.narrow != 0)
      rows &= AT(a.words, word);
    for (u32 t = 0; t < a.term_count && rows != 0; t++)
      rows = filter_rows(AT(a.terms, t), word, rows);
    AT(a.words, word) = rows;
    bytes += a.narrow != 0 ? 8 : 4;
  }
  if (COUNT_BYTES != 0) {
    if (inside)
      atomicAdd(group_bytes, bytes);
    barrier();
    if (gl_LocalInvocationIndex == 0)
      AT(a.bytes, word / BLOCK_WORDS) = group_bytes;
  }
}
