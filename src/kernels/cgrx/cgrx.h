/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#ifndef RDX_KERNELS_CGRX_CGRX_H
#define RDX_KERNELS_CGRX_CGRX_H

/* C and GLSL: cgRX. Sorted entries in buckets; the largest key of each, its representative, stands in the scene, and
 * rays find the first representative that is not below a key.
 *
 * What stands for a key in the scene is its image: (key - origin) >> shift, whose bits are split over x, y and z. As
 * published the image is the key itself. The compact mapping keeps so many leading bits of the range of keys that
 * representatives lie close to each other along x; keys that share an image share a representative, the first. Whatever
 * bucket a ray finds, the entries decide: a search from there ends at the first entry that is not below the key. So a
 * hit that is not the closest one, or a lossy image, costs time, never the answer. */

#include "kernels/lookup/entries.h"

#define CGRX_CONSTANTS 6 /* KEY64, GATHER, VALUE, OUTPUT, CHAINED, REPRESENTATION */
#define CGRX_OUTPUT_RESULT 0
#define CGRX_OUTPUT_RAYS 1 /* out_count: the rays that were cast */
/* out_count: the buckets that were looked into: 2 where the first was not the one; CHAINED (buckets are chains of
 * nodes, see cgrx_nodes.h): the nodes. */
#define CGRX_OUTPUT_VISITS 2

/* Representations: section 3.2, section 3.3, and one of our own. There a triangle stands for all images of a bucket in
 * a row, from the one behind the representative before it to its own, or to the row's end where the bucket goes on in a
 * later row: one short ray across the row meets the one triangle of a key. It lies in the plane y = row, with a right
 * angle at the end of its lower side, which is on z = 0; rays cross a little above that, where it is nearly as wide.
 * Images have no z there (a compact image has at most 39 bits). */
#define CGRX_NAIVE 0
#define CGRX_OPTIMIZED 1
#define CGRX_COVERING 2
#define CGRX_COVER_SLOPE 0.5f /* height by length: at the rays' height a triangle is an eighth of a unit shorter */
#define CGRX_COVER_RAY 0.0625f

#define CGRX_GROW 8.0f /* a ray that ends without a hit goes on, so many times as long */

struct cgrx_state {
  PTR(u32) slots; /* of each triangle */
  u64 origin;
  u64 min_rep, max_rep; /* keys */
  u32 n;
  u32 bucket_size;
  u32 buckets;
  u32 shift;
  u32 x_bits, y_bits, z_bits;
  u32 multi_row, multi_plane; /* whether representatives lie in several */
  u32 representation;         /* CGRX_NAIVE, ... */
  u32 layout_kind, linear_search;
  f32 scale_y, scale_z;
  f32 reach_x, reach_y, reach_z; /* of a first ray */
  u32 partition_size;            /* primitives of an instance */
  u32 published;                 /* naive markers are followed by further rays; ranges are read entry by entry */
};

/* What a bucket is where it is a chain of nodes: see cgrx_nodes.h. */
struct cgrx_nodes {
  PTR(u32) reps;   /* the representative nodes */
  PTR(u64) slabs;  /* addresses of the linked nodes' slabs */
  PTR(u32) fences; /* of each bucket; the ray part takes them for the last keys of its buckets */
  PTR(u64) starts; /* the entries before each bucket, and of all */
  u32 buckets;
  u32 node_size;     /* entries that a node has room for */
  u32 slab_log;      /* the first slab has 2^slab_log nodes */
  u32 linear_search; /* within a node */
};

SHARED_STRUCT(cgrx_state, 8)
SHARED_STRUCT(cgrx_nodes, 8)

struct cgrx_args {
  LAUNCH_HEADER;
  LOOKUP_FIELDS;
  PTR(cgrx_state) state;
  PTR(u32) keys; /* entries, or in column layout their keys; CHAINED: fences, to rays the entries of buckets of one */
  PTR(u32) rows;
  PTR(cgrx_nodes) nodes; /* CHAINED */
};
ARGS_SIZE(cgrx_args, 128);

/* Item: 32 slots. Mark those that get a triangle. Constants: KEY64. */
struct cgrx_mark_args {
  LAUNCH_HEADER;
  PTR(cgrx_state) state;
  PTR(u32) keys; /* in columns */
  PTR(u32) bits;
  u32 slots_in_all;
};
ARGS_SIZE(cgrx_mark_args, 48);

/* Item: a triangle, of slot slots[i]. Constants: KEY64. */
struct cgrx_encode_args {
  LAUNCH_HEADER;
  PTR(cgrx_state) state;
  PTR(u32) keys; /* in columns */
  PTR(u32) slots;
  PTR(f32) triangles;
};
ARGS_SIZE(cgrx_encode_args, 48);

/* Item: an entry. Bring it into a row layout. Constants: KEY64. */
struct cgrx_rows_args {
  LAUNCH_HEADER;
  PTR(u32) keys;
  PTR(u32) rows;
  PTR(u32) entries;
  u32 layout_kind;
};
ARGS_SIZE(cgrx_rows_args, 48);

/* ---- Images and buckets ---- */

FN u64 cgrx_image(u64 key, cgrx_state s) {
  return (key - s.origin) >> s.shift;
}

/* cgRX, section 2.1 "key mapping". */
FN u32 cgrx_axis(u64 image, u32 shift, u32 bits) {
  return bits == 0 || shift >= 64 ? 0u : TO_U32(image >> shift) & ((1u << bits) - 1u);
}

/* cgRX, section 1.1 "indexes it at the granularity of buckets". */
/* The last entry of a bucket. */
FN u32 cgrx_last(u32 bucket, cgrx_state s) {
  u64 end = (TO_U64(bucket) + 1ul) * s.bucket_size;
  return (end < s.n ? TO_U32(end) : s.n) - 1u;
}

/* cgRX, section 3.4 "Linear search". */
/* The first entry that is not below `key`, searched from a bucket on (section 3.4). */
FN u32 cgrx_entry(PTR(u32) keys, u32 bucket, u64 key, cgrx_state s, u32 key64) {
  u32 begin = bucket * s.bucket_size, end = cgrx_last(bucket, s) + 1u, at = begin;
  if (s.linear_search != 0)
    while (at < end && entry_key(keys, at, s.layout_kind, key64) < key)
      at++;
  else
    at = entry_search(keys, begin, end, key, s.layout_kind, key64);
  if (at == begin && at > 0)
    return entry_search_down(keys, at, key, s.layout_kind, key64);
  if (at == end && at < s.n && entry_key(keys, at, s.layout_kind, key64) < key)
    return entry_search_up(keys, at, s.n, key, s.layout_kind, key64);
  return at;
}

FN u32 cgrx_visits(PTR(u32) keys, u32 bucket, u64 key, cgrx_state s, u32 key64) {
  return cgrx_entry(keys, bucket, key, s, key64) / s.bucket_size == bucket ? 1u : 2u;
}

/* ---- Rays ---- */

#define CGRX_ROW 0    /* along x, in row y of plane z */
#define CGRX_COLUMN 1 /* along y past the ends (naive: the beginnings) of rows */
#define CGRX_DEPTH 2  /* along z past those of planes */
#define CGRX_DONE 3

/* A search for a bucket: a ray at a time. Coordinates are where the ray starts. */
struct cgrx_walk {
  u32 phase;
  u32 x, y, z;
  f32 from, reach; /* the part of the way that the next ray covers */
  u32 bucket;      /* when done */
  u32 rays;
};

struct cgrx_ray {
  f32 x, y, z, dx, dy, dz, tmin, tmax;
};

SHARED_TYPE(cgrx_walk);
SHARED_TYPE(cgrx_ray);

#ifndef RDX_GLSL
#define cgrx_walk(...) ((struct cgrx_walk){__VA_ARGS__})
#define cgrx_ray(...) ((struct cgrx_ray){__VA_ARGS__})
#endif

FN cgrx_walk cgrx_done(u32 bucket, u32 rays) {
  return cgrx_walk(CGRX_DONE, 0, 0, 0, 0.0f, 0.0f, bucket, rays);
}

/* cgRX, section 3.1 "Case (1)". */
/* cgRX, Figure 3 "Example key set and associated triangle representation". */
/* cgRX, Algorithm 2 "Point-lookup in the naive representation". */
/* cgRX, section 3.2 "additional checks (lines 1 and 2)". */
/* Algorithm 2, lines 1 to 3. Keys above max_rep belong to the last bucket, if to any. */
FN cgrx_walk cgrx_start(u64 key, cgrx_state s) {
  if (key < s.min_rep || key > s.max_rep || (key == s.min_rep && s.published == 0))
    return cgrx_done(key <= s.min_rep ? 0 : s.buckets - 1u, 0);
  u64 image = cgrx_image(key, s);
  return cgrx_walk(CGRX_ROW, cgrx_axis(image, 0, s.x_bits), cgrx_axis(image, s.x_bits, s.y_bits),
                   cgrx_axis(image, s.x_bits + s.y_bits, s.z_bits), 0.0f, s.reach_x, 0, 0);
}

/* How far the way of this phase is. */
FN f32 cgrx_length(cgrx_walk w, cgrx_state s) {
  if (s.representation == CGRX_COVERING)
    return w.phase == CGRX_ROW ? 1.0f : TO_F32(w.y);
  u32 bits = w.phase == CGRX_ROW ? s.x_bits : w.phase == CGRX_COLUMN ? s.y_bits : s.z_bits;
  u32 start = w.phase == CGRX_ROW ? w.x : w.phase == CGRX_COLUMN ? w.y : w.z;
  return TO_F32((1u << bits) - start);
}

/* Across the key's row; where nothing is there, from row to row downwards past their ends. */
FN cgrx_ray cgrx_covering_ray(cgrx_walk w, cgrx_state s) {
  f32 end = TO_F32((1u << s.x_bits) - 1u), y = (TO_F32(w.y) - 0.5f) * s.scale_y;
  if (w.phase == CGRX_ROW)
    return cgrx_ray(TO_F32(w.x), y, CGRX_COVER_RAY, 0.0f, s.scale_y, 0.0f, 0.0f, 1.0f);
  return cgrx_ray(end, y, CGRX_COVER_RAY, 0.0f, -s.scale_y, 0.0f, w.from, w.from + w.reach);
}

/* cgRX, section 3.2 "xCast(x, y, z)". */
/* The next ray. Distances are in units of the image, whatever the scale of the axis. */
FN cgrx_ray cgrx_next_ray(cgrx_walk w, cgrx_state s) {
  if (s.representation == CGRX_COVERING)
    return cgrx_covering_ray(w, s);
  f32 left = s.representation == CGRX_NAIVE ? -1.0f : TO_F32((1u << s.x_bits) - 1u);
  f32 low = s.representation == CGRX_NAIVE ? -1.0f : TO_F32((1u << s.y_bits) - 1u);
  f32 end = w.from + w.reach, length = cgrx_length(w, s);
  end = end < length ? end : length;
  if (w.phase == CGRX_ROW)
    return cgrx_ray(TO_F32(w.x) - 0.5f, TO_F32(w.y) * s.scale_y, TO_F32(w.z) * s.scale_z, 1.0f, 0.0f, 0.0f, w.from,
                    end);
  if (w.phase == CGRX_COLUMN)
    return cgrx_ray(left, (TO_F32(w.y) - 0.5f) * s.scale_y, TO_F32(w.z) * s.scale_z, 0.0f, s.scale_y, 0.0f, w.from,
                    end);
  return cgrx_ray(left, low * s.scale_y, (TO_F32(w.z) - 0.5f) * s.scale_z, 0.0f, 0.0f, s.scale_z, w.from, end);
}

/* cgRX, section 3.1 "Case (2)". */
/* cgRX, section 3.1 "Case (3)". */
/* cgRX, Figure 4 "Lookup of key 6 which returns rowID 8". */
/* cgRX, Algorithm 2 "Point-lookup in the naive representation". */
/* After a ray without a hit: farther, or round the corner (algorithm 2). Where there is no way left, what rays ought to
 * have found was not found: bucket 0, from which the entries are searched. */
FN cgrx_walk cgrx_miss(cgrx_walk w, cgrx_state s) {
  u32 rays = w.rays + 1u;
  if (w.from + w.reach < cgrx_length(w, s))
    return cgrx_walk(w.phase, w.x, w.y, w.z, w.from + w.reach, w.reach * CGRX_GROW, 0, rays);
  if (s.representation == CGRX_COVERING && w.phase == CGRX_ROW && w.y > 0u)
    return cgrx_walk(CGRX_COLUMN, 0, w.y, 0, 0.0f, s.reach_y, 0, rays);
  if (s.representation == CGRX_COVERING)
    return cgrx_done(0, rays);
  if (w.phase == CGRX_ROW && s.multi_row != 0 && w.y + 1u < 1u << s.y_bits)
    return cgrx_walk(CGRX_COLUMN, 0, w.y + 1u, w.z, 0.0f, s.reach_y, 0, rays);
  if (w.phase != CGRX_DEPTH && s.multi_plane != 0 && w.z + 1u < 1u << s.z_bits)
    return cgrx_walk(CGRX_DEPTH, 0, 0, w.z + 1u, 0.0f, s.reach_z, 0, rays);
  return cgrx_done(0, rays);
}

/* cgRX, Figure 5 "the worst case where five rays are required to perform the lookup". */
/* cgRX, section 3.3 "the primitive index has to be re-mapped to the corresponding bucketID". */
/* cgRX, Algorithm 2 "Point-lookup in the naive representation". */
/* After a hit. Naive: a marker has the number of the first bucket of its row or plane, so that no further ray is
 * needed; as published (algorithm 2, lines 5 to 12) rays go on from the marker. Covering: what
 * a ray along y hits belongs to the bucket that goes on in later rows, or ends where its row does. Optimized (section
 * 3.3): what a ray along y or z hits is the end of a row; unless it is flipped, or the end of a plane, which tells that
 * nothing else is in the row, a ray along the row follows. */
FN cgrx_walk cgrx_hit(cgrx_walk w, u32 primitive, bool flipped, PTR(u32) keys, cgrx_state s, u32 key64) {
  u32 slot = AT(s.slots, primitive), bucket = slot % s.buckets, kind = slot / s.buckets, rays = w.rays + 1u;
  bool follows = s.representation == CGRX_NAIVE && s.published != 0 && w.phase != CGRX_ROW;
  if ((s.representation == CGRX_NAIVE && !follows) ||
      (s.representation == CGRX_COVERING && (w.phase == CGRX_ROW || kind == 1u)))
    return cgrx_done(bucket, rays);
  if (s.representation == CGRX_COVERING)
    return cgrx_done(bucket + 1u < s.buckets ? bucket + 1u : bucket, rays);
  if (!follows && (w.phase == CGRX_ROW || (w.phase == CGRX_COLUMN && (flipped || kind == 2)))) {
    bool next = kind != 0 && bucket + 1u < s.buckets;
    return cgrx_done(next ? bucket + 1u : bucket, rays);
  }
  u64 image = cgrx_image(entry_key(keys, cgrx_last(bucket, s), s.layout_kind, key64), s);
  u32 y = cgrx_axis(image, s.x_bits, s.y_bits), z = cgrx_axis(image, s.x_bits + s.y_bits, s.z_bits);
  if (w.phase == CGRX_COLUMN)
    return cgrx_walk(CGRX_ROW, 0, y, z, 0.0f, s.reach_x, 0, rays);
  return cgrx_walk(CGRX_COLUMN, 0, 0, z, 0.0f, s.reach_y, 0, rays);
}

#endif
