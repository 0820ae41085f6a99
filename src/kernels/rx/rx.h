/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#ifndef RDX_KERNELS_RX_RX_H
#define RDX_KERNELS_RX_RX_H

/* C and GLSL: RX (RTIndeX). Keys to points, lookups to rays, and what counts as a hit.
 *
 * A key k (less the code of zero, so that signed types can use the naive and extended modes) becomes a point:
 *   3D        x = its low x_bits, y = the next y_bits, z = the next z_bits     (section 3.2)
 *   naive     the same with x_bits = 23 and no y or z
 *   extended  x = the float with the bits of 2k + a power of two, 2^128 below what the device's scenes can hold
 * Axes have at most 23 bits: below 2^23, offsets of one half are exact in f32.
 *
 * Rays along x are cut into segments of at most 2^SEGMENT_BITS keys. Over that length the error of a hit distance (a
 * few units in the last place, each at most 1/16) stays below the half unit between a ray's end and the next key, so
 * no neighbour can slip in or out. Rays from zero and the extended mode are not cut, as they would overlap, nor those
 * of the published form: their bounds are widened by FAR_SLACK and every hit is checked against its exact key
 * (VERIFY). */

#include "kernels/lookup/lookup.h"

/* Kernel constants, in the order of the specialization. */
#define RX_CONSTANTS 8 /* KEY64, GATHER, VALUE, VERIFY, FROM_ZERO, FIRST_HIT, PRIMITIVE, COUNT_ONLY */

#define RX_PRIMITIVE_TRIANGLE 1 /* as rdx_rx_primitive */
#define RX_PRIMITIVE_SPHERE 2
#define RX_PRIMITIVE_BOX 3

#define SEGMENT_BITS 20
#define EXTENDED_BITS 29 /* of keys; every second of 2^30 floats, 2^23 of them to an octave */
#define EXTENDED_OCTAVES 128
#define FAR_SLACK 9.5367431640625e-7f /* 2^-20 */
#define RX_RADIUS 0.25f               /* of spheres; also half a box (section 3.5) */

/* How keys become points, packed into a word. In extended mode x_bits is the biased exponent of the first key. */
#define RX_SCHEME(x_bits, y_bits, z_bits, extended, segment_shift)                                                     \
  ((x_bits) | (y_bits) << 8 | (z_bits) << 16 | (extended) << 24 | (segment_shift) << 25)
#define RX_X_BITS(scheme) ((scheme)&0xff)
#define RX_Y_BITS(scheme) ((scheme) >> 8 & 0xff)
#define RX_Z_BITS(scheme) ((scheme) >> 16 & 0xff)
#define RX_EXTENDED(scheme) (((scheme) >> 24 & 1) != 0)
#define EXTENDED_FIRST(scheme) (RX_X_BITS(scheme) << 23)

/* What a lookup needs of an index beside the scene; it lies in a device buffer. */
struct rx_state {
  PTR(u32) keys;     /* the encoded key of each primitive; 0 unless hits are verified or primitives are not triangles */
  PTR(u64) segments; /* the segments that hold keys, ascending; 0: visit all between the bounds */
  u64 min_key;       /* smallest and largest key less zero; min > max for an empty index */
  u64 max_key;
  u32 segment_count;
};

SHARED_STRUCT(rx_state, 8)

/* Points and ranges; the upper bound of a point is its lower. Exactly 128 bytes. */
struct rx_args {
  LAUNCH_HEADER;
  LOOKUP_FIELDS;
  PTR(rx_state) state;
  u64 zero;           /* the code of the value 0 in naive and extended mode, else 0 */
  PTR(u32) rows;      /* the row of each primitive; 0: primitive i is row i */
  u32 partition_size; /* primitives of an instance */
  u32 scheme;
};
ARGS_SIZE(rx_args, 128);

/* Keys to primitives. */
struct rx_encode_args {
  LAUNCH_HEADER;
  PTR(u32) keys;
  PTR(f32) primitives;
  u64 zero;
  u32 scheme;
};
ARGS_SIZE(rx_encode_args, 48);

/* The rays of each probe, for statistics. */
struct rx_rays_args {
  LAUNCH_HEADER;
  PTR(u32) lower;
  PTR(u32) upper;
  PTR(u32) valid;
  PTR(u32) out_rays;
  PTR(rx_state) state;
  u64 zero;
  u32 scheme;
};
ARGS_SIZE(rx_rays_args, 72);

struct rx_vec {
  f32 x, y, z;
};

struct rx_ray {
  f32 x, y, z; /* origin */
  f32 tmin, tmax;
};

SHARED_TYPE(rx_vec);
SHARED_TYPE(rx_ray);

#ifndef RDX_GLSL
#define rx_vec(...) ((struct rx_vec){__VA_ARGS__})
#define rx_ray(...) ((struct rx_ray){__VA_ARGS__})
#endif

/* RX, Table 1 "Distinct Keys". */
/* Bits of a key that a scheme can represent. */
FN u32 rx_key_bits(u32 scheme) {
  return RX_EXTENDED(scheme) ? EXTENDED_BITS : RX_X_BITS(scheme) + RX_Y_BITS(scheme) + RX_Z_BITS(scheme);
}

FN bool rx_representable(u64 key, u32 scheme) {
  u32 bits = rx_key_bits(scheme);
  return bits >= 64 || key >> bits == 0ul;
}

/* RX, section 3.4 "How Can We Decompose the Key?". */
FN f32 rx_axis(u64 key, u32 shift, u32 bits) {
  return shift >= 64 || bits == 0 ? 0.0f : TO_F32(TO_U32(key >> shift) & ((1u << bits) - 1u));
}

/* RX, Table 1 "Conversion Formula". */
/* RX, section 3.2 "Extended Mode". */
/* RX, section 3.2 "3D Mode". */
FN rx_vec rx_point(u64 key, u32 scheme) {
  if (RX_EXTENDED(scheme))
    return rx_vec(BITS_TO_F32(EXTENDED_FIRST(scheme) + 2u * TO_U32(key)), 0.0f, 0.0f);
  u32 x_bits = RX_X_BITS(scheme), y_bits = RX_Y_BITS(scheme);
  return rx_vec(rx_axis(key, 0, x_bits), rx_axis(key, x_bits, y_bits),
                rx_axis(key, x_bits + y_bits, RX_Z_BITS(scheme)));
}

/* RX, Table 1 "Gap Creation". */
/* RX, section 3.2 "nextafter()". */
/* How far a primitive reaches along x: to the gap values (extended mode), else half a unit. */
FN f32 rx_left(f32 x, u64 key, u32 scheme) {
  return RX_EXTENDED(scheme) ? BITS_TO_F32(EXTENDED_FIRST(scheme) + 2u * TO_U32(key) - 1u) : x - 0.5f;
}

FN f32 rx_right(f32 x, u64 key, u32 scheme) {
  return RX_EXTENDED(scheme) ? BITS_TO_F32(EXTENDED_FIRST(scheme) + 2u * TO_U32(key) + 1u) : x + 0.5f;
}

/* Keys of one segment share key >> rx_segment_shift(). */
FN u32 rx_segment_shift(u32 scheme) {
  return scheme >> 25;
}

/* RX, section 3.3 "Using Perpendicular". */
/* Perpendicular (section 3.3): along z through the key's point. */
FN rx_ray rx_perpendicular(u64 key, u32 scheme) {
  rx_vec p = rx_point(key, scheme);
  return rx_ray(p.x, p.y, p.z - 0.5f, 0.0f, 1.0f);
}

/* RX, section 3.3 "In Parallel from offset". */
/* RX, section 3.3 "In Parallel from zero". */
/* RX, Figure 5 "the two options we have to look up the range". */
/* Parallel (section 3.3): along x over the keys from lower to upper, which share a segment. */
FN rx_ray rx_parallel(u64 lower, u64 upper, u32 scheme, u32 from_zero) {
  rx_vec p = rx_point(lower, scheme);
  f32 end = rx_point(upper, scheme).x;
  if (RX_EXTENDED(scheme))
    return rx_ray(0.0f, 0.0f, 0.0f, p.x - p.x * FAR_SLACK, end + end * FAR_SLACK);
  f32 length = end - p.x + 1.0f, beyond = rx_segment_shift(scheme) > SEGMENT_BITS ? length * FAR_SLACK : 0.0f;
  if (from_zero == 0)
    return rx_ray(p.x - 0.5f, p.y, p.z, 0.0f, length + beyond);
  f32 slack = 0.5f + (end + 1.0f) * FAR_SLACK;
  f32 tmin = p.x + 1.0f - slack;
  return rx_ray(-1.0f, p.y, p.z, tmin > 0.0f ? tmin : 0.0f, end + 1.0f + slack);
}

/* The keys from lower to upper that lie in a segment. */
FN u64 rx_segment_lower(u64 lower, u64 segment, u32 shift) {
  u64 begin = segment << shift;
  return lower > begin ? lower : begin;
}

FN u64 rx_segment_upper(u64 upper, u64 segment, u32 shift) {
  u64 end = (segment << shift) + ((1ul << shift) - 1ul);
  return upper < end ? upper : end;
}

/* RX, section 3.5 "Spheres". */
/* Whether the ray meets the sphere or box of a key within its interval, for scenes of boxes. In extended mode only
 * the key decides, since the neighbouring boxes touch. */
FN bool rx_meets(rx_vec center, rx_vec origin, rx_vec direction, f32 tmin, f32 tmax, u32 primitive, u32 scheme) {
  if (RX_EXTENDED(scheme))
    return true;
  f32 x = center.x - origin.x, y = center.y - origin.y, z = center.z - origin.z;
  f32 t = x * direction.x + y * direction.y + z * direction.z; /* rays are along an axis: exact */
  x -= t * direction.x;
  y -= t * direction.y;
  z -= t * direction.z;
  f32 off = x * x + y * y + z * z;
  if (primitive == RX_PRIMITIVE_SPHERE
          ? off > RX_RADIUS * RX_RADIUS
          : x > RX_RADIUS || -x > RX_RADIUS || y > RX_RADIUS || -y > RX_RADIUS || z > RX_RADIUS || -z > RX_RADIUS)
    return false;
  /* All rays pass through the centre or miss: the half chord is the radius. */
  return t + RX_RADIUS >= tmin && t - RX_RADIUS <= tmax;
}

#endif
