/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#ifndef RDX_KERNELS_CGRX_CGRX_ENCODE_H
#define RDX_KERNELS_CGRX_CGRX_ENCODE_H

/* C and GLSL: the triangles of a scene: algorithm 1 (naive), algorithm 3 (optimized), and
 * those that cover. Each bucket has three slots:
 * for its representative, for a row's marker, for a plane's. Slots that the algorithm leaves empty get no triangle. */

#include "kernels/cgrx/cgrx.h"

#ifdef RDX_GLSL
#define CGRX_TRIANGLE(triangles, i) f32_ptr(u64(triangles) + u64(i) * 36)
#else
#define CGRX_TRIANGLE(triangles, i) ((triangles) + (u64)(i)*9)
#endif

/* What stands in a slot. */
struct cgrx_slot {
  u32 x, y, z; /* naive markers are at NO_ROW, which stands for -1 */
  bool wanted, flipped;
};

SHARED_TYPE(cgrx_slot);

#ifndef RDX_GLSL
#define cgrx_slot(...) ((struct cgrx_slot){__VA_ARGS__})
#endif

/* cgRX, section 3.1 "bucket representative". */
FN u64 cgrx_rep(PTR(u32) keys, u32 bucket, cgrx_state s, u32 key64) {
  return cgrx_image(load_key(keys, cgrx_last(bucket, s), key64), s);
}

/* cgRX, section 2.1 "rows and planes". */
/* Whether two images lie in different planes. */
FN bool cgrx_planes_differ(u64 first, u64 second, cgrx_state s) {
  u32 shift = s.x_bits + s.y_bits;
  return first >> shift != second >> shift;
}

/* cgRX, section 3.1 "row markers". */
/* cgRX, section 3.1 "plane marker". */
/* cgRX, section 3.1 "multiple consecutive buckets share the same representative". */
/* cgRX, Algorithm 1 "Construction of the naive representation". */
/* Algorithm 1: the representative where it differs from the one before, and markers for the first of a row or plane. */
FN cgrx_slot cgrx_slot_naive(PTR(u32) keys, u32 bucket, u32 kind, cgrx_state s, u32 key64) {
  u64 rep = cgrx_rep(keys, bucket, s, key64), previous = bucket == 0 ? 0ul : cgrx_rep(keys, bucket - 1u, s, key64);
  u32 x = cgrx_axis(rep, 0, s.x_bits), y = cgrx_axis(rep, s.x_bits, s.y_bits);
  u32 z = cgrx_axis(rep, s.x_bits + s.y_bits, s.z_bits);
  if (kind == 0)
    return cgrx_slot(x, y, z, bucket == 0 || rep != previous, false);
  if (kind == 1)
    return cgrx_slot(NO_ROW, y, z, bucket == 0 || rep >> s.x_bits != previous >> s.x_bits, false);
  return cgrx_slot(NO_ROW, NO_ROW, z, bucket == 0 || cgrx_planes_differ(rep, previous, s), false);
}

/* cgRX, Algorithm 3 "Construction of the optimized representation". */
/* cgRX, Figure 6 "Visualization of the optimized representation". */
/* Algorithm 3. The last bucket has no next key: it moves to the end of its row, and marks its plane. */
FN cgrx_slot cgrx_slot_optimized(PTR(u32) keys, u32 bucket, u32 kind, cgrx_state s, u32 key64) {
  bool final = bucket + 1u == s.buckets;
  u64 rep = cgrx_rep(keys, bucket, s, key64), previous = bucket == 0 ? rep : cgrx_rep(keys, bucket - 1u, s, key64);
  u64 next_rep = final ? rep : cgrx_rep(keys, bucket + 1u, s, key64);
  u64 next_key = final ? rep : cgrx_image(load_key(keys, cgrx_last(bucket, s) + 1u, key64), s);
  u32 x_max = (1u << s.x_bits) - 1u, y_max = (1u << s.y_bits) - 1u;
  u32 x = cgrx_axis(rep, 0, s.x_bits), y = cgrx_axis(rep, s.x_bits, s.y_bits);
  u32 z = cgrx_axis(rep, s.x_bits + s.y_bits, s.z_bits);
  bool movable = final || next_key >> s.x_bits != rep >> s.x_bits;
  if (kind == 0)
    return cgrx_slot(movable ? x_max : x, y, z, bucket == 0 || rep != previous || (movable && x != x_max),
                     movable && (bucket == 0 || previous >> s.x_bits != rep >> s.x_bits));
  if (kind == 1)
    return cgrx_slot(x_max, y, z, !movable && rep >> s.x_bits != next_rep >> s.x_bits, false);
  return cgrx_slot(x_max, y_max, z, y != y_max && (final || cgrx_planes_differ(rep, next_rep, s)), false);
}

FN cgrx_slot cgrx_slot_at(PTR(u32) keys, u32 slot, cgrx_state s, u32 key64) {
  u32 bucket = slot % s.buckets, kind = slot / s.buckets;
  if (s.representation == CGRX_OPTIMIZED)
    return cgrx_slot_optimized(keys, bucket, kind, s, key64);
  return cgrx_slot_naive(keys, bucket, kind, s, key64);
}

/* The images of a row that a covering triangle stands for; none where `from` is above `to`. */
struct cgrx_cover {
  u32 from, to, y;
};

SHARED_TYPE(cgrx_cover);

#ifndef RDX_GLSL
#define cgrx_cover(...) ((struct cgrx_cover){__VA_ARGS__})
#endif

/* Of kind 0, in the representative's row; of kind 1, in the row of the one before it where that is another. */
FN cgrx_cover cgrx_cover_at(PTR(u32) keys, u32 slot, cgrx_state s, u32 key64) {
  u32 bucket = slot % s.buckets, kind = slot / s.buckets;
  u64 rep = cgrx_rep(keys, bucket, s, key64), previous = bucket == 0 ? 0ul : cgrx_rep(keys, bucket - 1u, s, key64);
  bool begins = bucket == 0 || rep >> s.x_bits != previous >> s.x_bits;
  u32 behind = cgrx_axis(previous, 0, s.x_bits) + 1u;
  if (kind == 0)
    return cgrx_cover(begins ? 0u : behind, cgrx_axis(rep, 0, s.x_bits), cgrx_axis(rep, s.x_bits, s.y_bits));
  return cgrx_cover(begins && bucket > 0 ? behind : 1u << s.x_bits, (1u << s.x_bits) - 1u,
                    cgrx_axis(previous, s.x_bits, s.y_bits));
}

FN bool cgrx_is_wanted(PTR(u32) keys, u32 slot, cgrx_state s, u32 key64) {
  if (s.representation != CGRX_COVERING)
    return cgrx_slot_at(keys, slot, s, key64).wanted;
  cgrx_cover cover = cgrx_cover_at(keys, slot, s, key64);
  return cover.from <= cover.to;
}

/* One bit for each of 32 slots that are wanted. */
FN u32 cgrx_wanted(PTR(u32) keys, u32 word, u32 slots, cgrx_state s, u32 key64) {
  u32 bits = 0;
  for (u32 k = 0; k < 32 && word * 32 + k < slots; k++)
    if (cgrx_is_wanted(keys, word * 32 + k, s, key64))
      bits |= 1u << k;
  return bits;
}

FN f32 cgrx_coordinate(u32 axis) {
  return axis == NO_ROW ? -1.0f : TO_F32(axis);
}

FN void cgrx_write_cover(PTR(u32) keys, PTR(f32) v, u32 slot, cgrx_state s, u32 key64) {
  cgrx_cover cover = cgrx_cover_at(keys, slot, s, key64);
  f32 left = TO_F32(cover.from) - 0.5f, right = TO_F32(cover.to) + 0.5f, y = TO_F32(cover.y) * s.scale_y;
  AT(v, 0) = left;
  AT(v, 3) = AT(v, 6) = right;
  AT(v, 1) = AT(v, 4) = AT(v, 7) = y;
  AT(v, 2) = AT(v, 5) = 0.0f;
  AT(v, 8) = (right - left) * CGRX_COVER_SLOPE;
}

/* cgRX, section 3.2 "mkTri(x, y, z) function". */
/* cgRX, section 3.3 "triangle flipping". */
/* A triangle around the point of a slot, which no axis is parallel to; flipped: with two corners exchanged. */
FN void cgrx_write(PTR(u32) keys, PTR(f32) triangles, u32 i, u32 slot, cgrx_state s, u32 key64) {
  PTR(f32) v = CGRX_TRIANGLE(triangles, i);
  if (s.representation == CGRX_COVERING) {
    cgrx_write_cover(keys, v, slot, s, key64);
    return;
  }
  cgrx_slot what = cgrx_slot_at(keys, slot, s, key64);
  f32 x = cgrx_coordinate(what.x), y = cgrx_coordinate(what.y), z = cgrx_coordinate(what.z);
  u32 second = what.flipped ? 6 : 3, third = what.flipped ? 3 : 6;
  AT(v, 0) = x + 0.5f;
  AT(v, 1) = (y - 0.5f) * s.scale_y;
  AT(v, 2) = z * s.scale_z;
  AT(v, second) = x - 0.5f;
  AT(v, second + 1) = y * s.scale_y;
  AT(v, second + 2) = (z + 0.5f) * s.scale_z;
  AT(v, third) = x;
  AT(v, third + 1) = (y + 0.5f) * s.scale_y;
  AT(v, third + 2) = (z - 0.5f) * s.scale_z;
}

/* An entry of a row layout. */
FN void cgrx_write_entry(PTR(u32) entries, u32 entry, u64 key, u32 row, u32 layout_kind, u32 key64) {
  PTR(u32) at = ENTRY_AT(entries, entry, entry_words(layout_kind, key64));
  AT(at, 0) = TO_U32(key);
  if (key64 != 0)
    AT(at, 1) = TO_U32(key >> 32);
  AT(at, key64 != 0 ? 2 : 1) = row;
}

#endif
