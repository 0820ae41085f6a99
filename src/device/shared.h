/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#ifndef RDX_DEVICE_SHARED_H
#define RDX_DEVICE_SHARED_H

/* The common subset of C11 and GLSL 4.60 in which kernel logic is written once.
 *
 *   u32, u64, i32, f32   scalars of the same size on both sides
 *   PTR(T)               a device address of an array of T: 8 bytes on both sides
 *   AT(p, i)             element i of it; i may have 64 bits
 *   SHARED_TYPE(T)       after its definition: names struct T so in C, too
 *   SHARED_STRUCT(T, n)  the same, and lets PTR(T) stand for an array of it; its size is a multiple of n (4, 8, 16
 *                        or 32)
 *   AS_U64_PTR(p)        the address of an array of u32 as that of an array of u64
 *   1ul                  a u64 literal (C: Raydex is for 64-bit systems, where unsigned long is u64)
 *   FN                   starts a function definition
 *   LAUNCH_HEADER        the first members of every args struct: which part of the launch this is
 *
 * An args struct is pushed as push constants in scalar layout: order members by falling size, at most 128 bytes,
 * and state its size with ARGS_SIZE in C. */

#ifdef RDX_GLSL

#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
#extension GL_EXT_scalar_block_layout : require
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_buffer_reference2 : require
#extension GL_EXT_buffer_reference_uvec2 : require

#define u32 uint
#define i32 int
#define u64 uint64_t
#define f32 float
#define f64 double

/* The offset of an element has 64 bits: arrays may pass 4 GiB. (Of `T v[]` drivers work out offsets in 32 bits.) */
#define DEVICE_ARRAY(T, align)                                                                                         \
  layout(buffer_reference, scalar, buffer_reference_align = align) buffer T##_ptr {                                    \
    T v;                                                                                                               \
  };

DEVICE_ARRAY(u32, 4)
DEVICE_ARRAY(u64, 8)
DEVICE_ARRAY(f32, 4)
DEVICE_ARRAY(f64, 8)
DEVICE_ARRAY(uvec2, 8)
DEVICE_ARRAY(uvec4, 16)

#define PTR(T) T##_ptr
#define AT(p, i) ((p) + u64(i)).v
#define IS_NULL(p) (u64(p) == 0ul)
#define AS_U64_PTR(p) u64_ptr(p)
#define FN
#define ARGS_SIZE(type, size)
#define SHARED_TYPE(type)
#define SHARED_STRUCT(type, align) DEVICE_ARRAY(type, align)
#define TO_U32(x) u32(x)
#define TO_U64(x) u64(x)
#define TO_I32(x) i32(x)
#define TO_F32(x) f32(x)
#define BITS_TO_F32(x) uintBitsToFloat(x)
#define HIGHEST_BIT(x) u32(findMSB(x)) /* of a u32 that is not 0 */

/* The arguments `a` of a compute shader, and how many threads a group has. */
#define COMPUTE(args, group)                                                                                           \
  layout(local_size_x = group) in;                                                                                     \
  layout(push_constant, scalar) uniform push {                                                                         \
    args a;                                                                                                            \
  };

/* main() where threads do an item each: what follows in braces does item `i`. */
#define MAIN_ITEM(i)                                                                                                   \
  void do_item(u32 i);                                                                                                 \
  void main() {                                                                                                        \
    if (gl_GlobalInvocationID.x < a.count)                                                                             \
      do_item(a.first + gl_GlobalInvocationID.x);                                                                      \
  }                                                                                                                    \
  void do_item(u32 i)

/* Both, in groups of 256. */
#define EACH_ITEM(args, i) COMPUTE(args, 256) MAIN_ITEM(i)

#else

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

typedef uint32_t u32;
typedef int32_t i32;
typedef uint64_t u64;
typedef float f32;
typedef double f64;

#define PTR(T) T *
#define AT(p, i) (p)[i]
#define IS_NULL(p) ((p) == 0)
#define AS_U64_PTR(p) ((u64 *)(void *)(p))
#define FN static inline
#define SHARED_TYPE(type) typedef struct type type
#define ARGS_SIZE(type, size)                                                                                          \
  SHARED_TYPE(type);                                                                                                   \
  _Static_assert(sizeof(struct type) == (size), "args differ from the shader's")
#define SHARED_STRUCT(type, align)                                                                                     \
  SHARED_TYPE(type);                                                                                                   \
  _Static_assert(sizeof(struct type) % (align) == 0, "elements lie closer than the shader's");
#define TO_U32(x) ((u32)(x))
#define TO_U64(x) ((u64)(x))
#define TO_I32(x) ((i32)(x))
#define TO_F32(x) ((f32)(x))

static inline f32 rdx_bits_to_f32(u32 bits) {
  f32 value;
  memcpy(&value, &bits, sizeof value);
  return value;
}
#define BITS_TO_F32(x) rdx_bits_to_f32(x)
#define HIGHEST_BIT(x) (31u - (u32)__builtin_clz(x))

#endif

/* scene: the acceleration structure's address (0 without one); this launch does items first .. first + count - 1. */
#define LAUNCH_HEADER                                                                                                  \
  u64 scene;                                                                                                           \
  u32 first;                                                                                                           \
  u32 count

#endif
