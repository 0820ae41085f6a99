/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* Sort, scan, reduce, select and unique, as compute kernels. */

#include "device/vulkan/shaders/primitives.h"
#include "device/vulkan/vulkan.h"
#include "spirv/shaders.h"

/* A kernel whose items are workgroups. */
#define GROUP_KERNEL(name_, args, variants_, words_)                                                                   \
  { .name = name_, .args_size = sizeof(struct args), .variants = variants_, .group = 1, .compute = &words_ }

static const rdx_kernel scan_kernel = GROUP_KERNEL("scan", scan_args, 0, spirv_scan_comp);
static const rdx_kernel spine_kernel = GROUP_KERNEL("scan spine", spine_args, 0, spirv_spine_comp);
static const rdx_kernel select_kernel = GROUP_KERNEL("select", compact_args, 0, spirv_compact_comp_bits);
static const rdx_kernel unique_u32 = GROUP_KERNEL("unique u32", compact_args, 0, spirv_compact_comp_keys_u32);
static const rdx_kernel unique_u64 = GROUP_KERNEL("unique u64", compact_args, 0, spirv_compact_comp_keys_u64);
static const rdx_kernel reduce_u32 = GROUP_KERNEL("reduce u32", reduce_args, 1, spirv_reduce_comp_keys_u32);
static const rdx_kernel reduce_u64 = GROUP_KERNEL("reduce u64", reduce_args, 1, spirv_reduce_comp_keys_u64);
static const rdx_kernel count_u32 =
    GROUP_KERNEL("sort count u32", radix_count_args, 3, spirv_radix_count_comp_keys_u32);
static const rdx_kernel count_u64 =
    GROUP_KERNEL("sort count u64", radix_count_args, 3, spirv_radix_count_comp_keys_u64);
static const rdx_kernel bins_kernel = GROUP_KERNEL("sort bins", radix_bins_args, 0, spirv_radix_bins_comp);
static const rdx_kernel scatter_u32 =
    GROUP_KERNEL("sort scatter u32", radix_args, 4, spirv_radix_scatter_comp_keys_u32);
static const rdx_kernel scatter_u64 =
    GROUP_KERNEL("sort scatter u64", radix_args, 4, spirv_radix_scatter_comp_keys_u64);

#define COUNT_GROUPS 2048 /* at most, to count digits: each adds what it has counted to the bins of all */

/* How often a tile looks whether another has counted its keys before it counts them itself: far more often than it
 * takes where tiles run side by side or in order. Drivers on the CPU may put a tile aside for as long as they like. */
#define PATIENCE 100000
#define EMULATED_PATIENCE 0

static uint64_t tiles_of(uint64_t count, uint64_t tile) {
  return (count + tile - 1) / tile;
}

static rdx_status launch(rdx_vk_stream *s, const rdx_kernel *kernel, const void *args, const uint32_t *variant,
                         uint64_t groups, rdx_error *err) {
  return rdx_vk_stream_launch(&s->base, kernel, args, variant, groups, NULL, err);
}

static uint32_t patience_of(const rdx_vk_stream *s) {
  return s->base.device->info.emulated ? EMULATED_PATIENCE : PATIENCE;
}

/* Words in which `tiles` of `n` publish each other what they have. */
static rdx_status create_tile_status(rdx_vk_stream *s, uint64_t tiles, rdx_buffer **out, rdx_error *err) {
  RDX_TRY(rdx_stream_scratch(&s->base, tiles * 8, "scanning", out, err));
  return rdx_vk_stream_fill(&s->base, *out, 0, tiles * 8, 0, err);
}

rdx_status rdx_vk_stream_scan(rdx_stream *stream, const rdx_buffer *in, rdx_buffer *out, uint64_t count,
                              rdx_error *err) {
  rdx_vk_stream *s = (rdx_vk_stream *)stream;
  const uint64_t tiles = tiles_of(count, TILE);
  rdx_buffer *status = NULL;
  RDX_TRY(create_tile_status(s, tiles, &status, err));
  const struct scan_args args = {.source = RDX_ADDRESS(uint32_t, in),
                                 .sums = RDX_ADDRESS(uint64_t, status),
                                 .results = RDX_ADDRESS(uint64_t, out),
                                 .n = (uint32_t)count,
                                 .patience = patience_of(s)};
  return launch(s, &scan_kernel, &args, NULL, tiles, err);
}

rdx_status rdx_vk_stream_scan_wide(rdx_stream *stream, rdx_buffer *sums, uint64_t count, rdx_error *err) {
  uint64_t *const results = RDX_ADDRESS(uint64_t, sums);
  const struct spine_args args = {.sums = results, .total = results + count, .n = (uint32_t)count};
  return launch((rdx_vk_stream *)stream, &spine_kernel, &args, NULL, 1, err);
}

static rdx_status compact(rdx_vk_stream *s, const rdx_kernel *kernel, struct compact_args args, rdx_error *err) {
  const uint64_t tiles = tiles_of(args.n, TILE);
  rdx_buffer *status = NULL;
  RDX_TRY(create_tile_status(s, tiles, &status, err));
  args.sums = RDX_ADDRESS(uint64_t, status);
  args.patience = patience_of(s);
  return launch(s, kernel, &args, NULL, tiles, err);
}

rdx_status rdx_vk_stream_select(rdx_stream *stream, const rdx_buffer *bits, rdx_buffer *out, rdx_buffer *out_count,
                                uint64_t count, rdx_error *err) {
  const struct compact_args args = {.source = RDX_ADDRESS(uint32_t, bits),
                                    .out_u32 = RDX_ADDRESS(uint32_t, out),
                                    .out_count = RDX_ADDRESS(uint64_t, out_count),
                                    .n = (uint32_t)count};
  return compact((rdx_vk_stream *)stream, &select_kernel, args, err);
}

rdx_status rdx_vk_stream_unique(rdx_stream *stream, const rdx_buffer *keys, uint32_t key_bytes, uint32_t shift,
                                rdx_buffer *out, rdx_buffer *out_count, uint64_t count, rdx_error *err) {
  const struct compact_args args = {.source = RDX_ADDRESS(uint32_t, keys),
                                    .out_u64 = RDX_ADDRESS(uint64_t, out),
                                    .out_count = RDX_ADDRESS(uint64_t, out_count),
                                    .n = (uint32_t)count,
                                    .shift = shift};
  return compact((rdx_vk_stream *)stream, key_bytes == 4 ? &unique_u32 : &unique_u64, args, err);
}

rdx_status rdx_vk_stream_reduce(rdx_stream *stream, rdx_reduce_op op, const rdx_buffer *in, uint32_t value_bytes,
                                rdx_buffer *out, uint64_t count, rdx_error *err) {
  rdx_vk_stream *s = (rdx_vk_stream *)stream;
  uint32_t variant = op == RDX_REDUCE_SUM ? REDUCE_SUM : op == RDX_REDUCE_MAX ? REDUCE_MAX : REDUCE_NONZERO;
  const rdx_kernel *kernel = value_bytes == 4 ? &reduce_u32 : &reduce_u64;
  uint32_t *source = RDX_ADDRESS(uint32_t, in);
  for (;;) { /* a level of the tree of tiles each time */
    const uint64_t tiles = tiles_of(count, TILE);
    rdx_buffer *level = out;
    if (tiles > 1)
      RDX_TRY(rdx_stream_scratch(&s->base, tiles * 8, "reducing", &level, err));
    const struct reduce_args args = {
        .source = source, .out_values = RDX_ADDRESS(uint64_t, level), .n = (uint32_t)count};
    RDX_TRY(launch(s, kernel, &args, &variant, tiles, err));
    if (tiles <= 1)
      return RDX_OK;
    kernel = &reduce_u64;
    variant = op == RDX_REDUCE_MAX ? REDUCE_MAX : REDUCE_SUM;
    source = RDX_ADDRESS(uint32_t, level);
    count = tiles;
  }
}

/* How a pass of the sort divides keys: constants of its shaders. */
typedef struct radix_sizes {
  uint32_t threads, subgroups, items, words;
} radix_sizes;

static radix_sizes radix_sizes_of(uint32_t threads, uint32_t subgroup_size, uint32_t items, uint32_t key_bytes) {
  const uint32_t subgroups = threads / subgroup_size;
  const uint32_t keys = threads * items * (key_bytes / 4), ranks = subgroups * RADIX;
  return (radix_sizes){threads, subgroups, items, keys > ranks ? keys : ranks};
}

/* A large tile makes long runs of one digit, which memory takes best, and few tiles, which wait for each other. It must
 * fit a workgroup's shared memory. Many threads of few keys were faster on an H100 than the reverse. */
static radix_sizes choose_radix_sizes(const rdx_vk_physical *p, uint32_t key_bytes) {
  uint32_t threads = 16 * p->subgroup_size, items = key_bytes == 4 ? 18 : 11;
  while (threads > 512 || threads > p->max_threads)
    threads /= 2;
  radix_sizes sizes = radix_sizes_of(threads, p->subgroup_size, items, key_bytes);
  while ((sizes.words + 2 * RADIX) * 4 > p->shared_memory && threads > p->subgroup_size) {
    if (items > 4)
      items--;
    else
      threads /= 2;
    sizes = radix_sizes_of(threads, p->subgroup_size, items, key_bytes);
  }
  return sizes;
}

static uint64_t tell_bytes(const radix_sizes *sizes, uint64_t count) {
  return tiles_of(count, (uint64_t)sizes->threads * sizes->items) * RADIX * 8;
}

uint64_t rdx_vk_sort_bytes(const rdx_device *device, uint64_t count, uint32_t key_bytes) {
  const radix_sizes sizes = choose_radix_sizes(&((const rdx_vk_device *)device)->physical, key_bytes);
  return count * (key_bytes + 4) + RADIX_MAX_PASSES * RADIX * 4 + tell_bytes(&sizes, count);
}

/* Count the digits of all passes, and turn the counts into bins. */
static rdx_status make_bins(rdx_vk_stream *s, const rdx_buffer *keys, uint32_t key_bytes, uint64_t count,
                            const radix_sizes *sizes, uint32_t passes, rdx_buffer *bins, rdx_error *err) {
  const uint64_t tiles = tiles_of(count, (uint64_t)sizes->threads * sizes->items);
  const uint32_t variant[] = {sizes->threads, sizes->subgroups, sizes->items};
  const struct radix_count_args args = {.keys = RDX_ADDRESS(uint32_t, keys),
                                        .bins = RDX_ADDRESS(uint32_t, bins),
                                        .n = (uint32_t)count,
                                        .tiles = (uint32_t)tiles,
                                        .groups = tiles < COUNT_GROUPS ? (uint32_t)tiles : COUNT_GROUPS,
                                        .passes = passes};
  const struct radix_bins_args bins_args = {.bins = args.bins};
  RDX_TRY(rdx_vk_stream_fill(&s->base, bins, 0, passes * RADIX * 4, 0, err));
  RDX_TRY(launch(s, key_bytes == 4 ? &count_u32 : &count_u64, &args, variant, args.groups, err));
  return launch(s, &bins_kernel, &bins_args, NULL, passes, err);
}

/* RX, section 4.1 "DeviceRadixSort". */
/* A least-significant-digit radix sort that reads keys once to count the digits of all passes, and once in each pass
 * (Adinets and Merrill, Onesweep, 2022). */
rdx_status rdx_vk_stream_sort(rdx_stream *stream, rdx_buffer *keys, uint32_t key_bytes, uint32_t key_bits,
                              rdx_buffer *values, uint64_t count, rdx_error *err) {
  rdx_vk_stream *s = (rdx_vk_stream *)stream;
  const rdx_vk_device *d = (rdx_vk_device *)stream->device;
  const uint32_t passes = (key_bits + RADIX_BITS - 1) / RADIX_BITS;
  const radix_sizes sizes = choose_radix_sizes(&d->physical, key_bytes);
  const uint32_t variant[] = {sizes.threads, sizes.subgroups, sizes.items, sizes.words};
  const uint64_t tiles = tiles_of(count, (uint64_t)sizes.threads * sizes.items);
  if (passes == 0)
    return RDX_OK;

  rdx_buffer *other_keys = NULL, *other_values = NULL, *bins = NULL, *sums = NULL;
  RDX_TRY(rdx_stream_scratch(&s->base, count * key_bytes, "sorting", &other_keys, err));
  if (values)
    RDX_TRY(rdx_stream_scratch(&s->base, count * 4, "sorting", &other_values, err));
  RDX_TRY(rdx_stream_scratch(&s->base, passes * RADIX * 4, "sorting", &bins, err));
  RDX_TRY(rdx_stream_scratch(&s->base, tell_bytes(&sizes, count), "sorting", &sums, err));
  RDX_TRY(make_bins(s, keys, key_bytes, count, &sizes, passes, bins, err));
  RDX_TRY(rdx_vk_stream_fill(stream, sums, 0, tell_bytes(&sizes, count), 0, err));

  rdx_buffer *from[2] = {keys, values}, *to[2] = {other_keys, other_values};
  for (uint32_t pass = 0; pass < passes; pass++) {
    const struct radix_args args = {.keys = RDX_ADDRESS(uint32_t, from[0]),
                                    .values = RDX_ADDRESS(uint32_t, from[1]),
                                    .keys_out = RDX_ADDRESS(uint32_t, to[0]),
                                    .values_out = RDX_ADDRESS(uint32_t, to[1]),
                                    .bins = RDX_ADDRESS(uint32_t, bins) + pass * RADIX,
                                    .sums = RDX_ADDRESS(uint64_t, sums),
                                    .n = (uint32_t)count,
                                    .shift = pass * RADIX_BITS,
                                    .patience = patience_of(s)};
    RDX_TRY(launch(s, key_bytes == 4 ? &scatter_u32 : &scatter_u64, &args, variant, tiles, err));
    for (uint32_t i = 0; i < 2; i++) {
      rdx_buffer *swap = from[i];
      from[i] = to[i];
      to[i] = swap;
    }
  }
  if (from[0] != keys) { /* an odd number of passes ended in the scratch buffers */
    RDX_TRY(rdx_vk_stream_copy(stream, from[0], 0, keys, 0, count * key_bytes, err));
    if (values)
      RDX_TRY(rdx_vk_stream_copy(stream, from[1], 0, values, 0, count * 4, err));
  }
  return RDX_OK;
}
