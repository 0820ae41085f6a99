/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#ifndef RDX_DEVICE_DEVICE_H
#define RDX_DEVICE_DEVICE_H

/* What a device can do: buffers, scenes, streams of kernels and data-parallel primitives.
 *
 * device.c validates arguments and limits, keeps the books on memory, and calls a back end (cpu/, vulkan/) through
 * rdx_device_ops; a back end may assume valid input. All calls are safe from many threads, except that one
 * stream belongs to one thread. */

#include <raydex/cost.h>
#include <raydex/device.h>
#include <raydex/index.h> /* rdx_build_preference */

#include "base/base.h"

/* ---- Buffers ---- */

/* Device memory. `address` is what kernels use: a pointer on the CPU, a device address on Vulkan; 256-byte aligned. */
typedef struct rdx_buffer {
  rdx_device *device;
  uint64_t size;
  uint64_t address;
  _Atomic uint32_t references;
} rdx_buffer;

/* A size of 0 is a valid buffer. Contents are undefined. */
RDX_MUST_USE rdx_status rdx_buffer_create(rdx_device *device, uint64_t size, const char *what, rdx_buffer **out,
                                          rdx_error *err);
/* Drop one reference, free at the last, and clear `*buffer`. NULL is fine. */
void rdx_buffer_destroy(rdx_buffer **buffer);
void rdx_buffers_destroy(rdx_buffer **const *list, size_t count);
#define RDX_DESTROY_BUFFERS(...)                                                                                       \
  rdx_buffers_destroy((rdx_buffer **const[]){__VA_ARGS__}, RDX_COUNT(((rdx_buffer **const[]){__VA_ARGS__})))
rdx_buffer *rdx_buffer_retain(rdx_buffer *buffer);
RDX_MUST_USE rdx_status rdx_buffer_upload(rdx_buffer *buffer, uint64_t offset, const void *source, uint64_t size,
                                          rdx_error *err);
RDX_MUST_USE rdx_status rdx_buffer_download(const rdx_buffer *buffer, uint64_t offset, void *target, uint64_t size,
                                            rdx_error *err);
/* The address as a kernel's PTR(T) argument; 0 for NULL. */
#define RDX_ADDRESS(T, buffer) ((T *)(uintptr_t)((buffer) ? (buffer)->address : 0))

/* ---- The host's part ---- */

/* Call task(context, begin, end, worker) over disjoint pieces of [0, count) by all of the host's cores, as
 * rdx_pool_run() does: what is brought to a device and what comes from it is much at a time. Where threads cannot be
 * started the calling one does it all. */
void rdx_device_run_on_host(rdx_device *device, uint64_t count, uint64_t grain, rdx_task_fn task, void *context);
/* The same, as rdx_pool_run_stage() does it. */
RDX_MUST_USE rdx_status rdx_device_run_stage_on_host(rdx_device *device, uint64_t count, uint64_t grain,
                                                     rdx_task_fn task, void *context, const char *stage,
                                                     rdx_error *err);
/* The threads that these are run by: one for each of the host's cores, or those of the CPU device. They are the
 * device's, and start with the first call. */
RDX_MUST_USE rdx_status rdx_device_host_pool(rdx_device *device, rdx_pool **out, rdx_error *err);
/* The CPU with these threads as a device, for work that is too little for a GPU: of the CPU itself, of a GPU one that
 * it keeps and that has its limit of memory. */
RDX_MUST_USE rdx_status rdx_device_host(rdx_device *device, rdx_device **out, rdx_error *err);
/* memcpy() by all of them. */
void rdx_device_copy_on_host(rdx_device *device, void *target, const void *source, uint64_t size);
/* The same, as rdx_device_run_stage_on_host() does it. */
RDX_MUST_USE rdx_status rdx_device_copy_stage_on_host(rdx_device *device, void *target, const void *source,
                                                      uint64_t size, const char *stage, rdx_error *err);

/* ---- Scenes ---- */

typedef enum rdx_scene_kind {
  RDX_SCENE_TRIANGLES, /* 9 f32 a primitive: three vertices */
  RDX_SCENE_BOXES,     /* 6 f32 a primitive: lower and upper corner; a hit is what the kernel's box program says */
} rdx_scene_kind;

/* Writes the primitives first .. first + count - 1 to the start of a buffer. */
typedef struct rdx_scene_source {
  rdx_status (*make)(void *context, uint64_t first, uint64_t count, rdx_buffer *out, rdx_error *err);
  void *context;
} rdx_scene_source;

typedef struct rdx_scene_params {
  rdx_scene_kind kind;
  rdx_buffer *primitives;  /* the scene takes its own reference where it needs the buffer later */
  rdx_scene_source source; /* `make` not NULL: instead of these; a scene in parts may ask for one part at a time */
  uint64_t count;          /* 0 is a valid scene that nothing hits */
  uint32_t partitions;     /* instances over equal contiguous runs of primitives; 0: as few as the limits allow */
  rdx_build_preference preference;
  bool updatable; /* allow refits */
  bool compact;
  bool single_any_hit; /* a hit program runs at most once per ray and primitive */
  bool splits;         /* Embree may split triangles, which are then hit once for each part */
} rdx_scene_params;

typedef struct rdx_scene {
  rdx_device *device;
  rdx_scene_params params;
  uint64_t partition_size; /* primitive i is in instance i / partition_size */
  uint32_t partitions;
  uint64_t address;     /* goes to kernels; 0 for an empty scene */
  uint64_t bytes;       /* resident, after compaction */
  uint64_t bytes_built; /* the same before it */
  double build_ms;
  double compact_ms;
} rdx_scene;

/* RDX_ERROR_UNSUPPORTED where the device traces no rays, which `what` needs. */
RDX_MUST_USE rdx_status rdx_device_check_tracing(const rdx_device *device, const char *what, rdx_error *err);
RDX_MUST_USE rdx_status rdx_scene_create(rdx_device *device, const rdx_scene_params *params, rdx_scene **out,
                                         rdx_error *err);
/* Move the primitives to the contents of `primitives` (as many as before), keeping the tree. `build_ms` is set anew. */
RDX_MUST_USE rdx_status rdx_scene_refit(rdx_scene *scene, rdx_buffer *primitives, rdx_error *err);
void rdx_scene_destroy(rdx_scene **scene);
/* Bytes that the primitives of a source take at a time. */
uint64_t rdx_scene_source_bytes(const rdx_device *device, const rdx_scene_params *params);
/* Bytes that a scene of these params will hold at its peak, its primitives not counted. An estimate. */
uint64_t rdx_scene_estimate(const rdx_device *device, const rdx_scene_params *params);

/* ---- Kernels ---- */

#define RDX_MAX_ARGS 128
#define RDX_MAX_VARIANT 8

/* SPIR-V words of one shader: spirv/shaders.h, which is generated, declares one for each. */
typedef struct rdx_spirv {
  const uint32_t *words;
  size_t size; /* bytes */
} rdx_spirv;

/* A C body does items first .. first + count - 1 of `args`' header; `variant` as in the launch. */
typedef void (*rdx_kernel_fn)(const void *args, const uint32_t *variant, const rdx_scene *scene);

/* A job that runs on a device: one constant object per kernel. Compute kernels have `compute`, ray kernels the
 * others. */
typedef struct rdx_kernel {
  const char *name;
  uint32_t args_size;        /* bytes of the args struct, LAUNCH_HEADER included */
  uint32_t variants;         /* values in `variant`: specialization constants 0, 1, ... */
  uint32_t grain;            /* CPU: items in one call of `body` (a multiple of the items that share an output word) */
  uint32_t group;            /* compute: items per workgroup of the shader (its local_size_x) */
  uint32_t items_per_thread; /* rays: items that a thread does one after the other, at most, of large launches; the
                              * shader divides, too */
  bool subgroup_per_item;    /* rays: items of a small launch get a subgroup each; the shader divides by size / count */
  rdx_kernel_fn body;
  const rdx_spirv *compute;
  const rdx_spirv *raygen, *closest_hit, *any_hit, *intersection;
} rdx_kernel;

/* A compute kernel: the members above in their order. Where items are workgroups there is 1 item per group. */
#define RDX_COMPUTE_KERNEL(title, args, constants, each, items, function, code)                                        \
  {                                                                                                                    \
    .name = title, .args_size = sizeof(struct args), .variants = constants, .grain = each, .group = items,             \
    .body = function, .compute = &(code)                                                                               \
  }

/* A ray kernel: the same, and then what it has of the other members. */
#define RDX_RAY_KERNEL(title, args, constants, each, function, code, ...)                                              \
  {                                                                                                                    \
    .name = title, .args_size = sizeof(struct args), .variants = constants, .grain = each, .body = function,           \
    .raygen = &(code), __VA_ARGS__                                                                                     \
  }

/* The body `function` of a kernel: what follows in braces does the items that its arguments `a`, a struct `args`, ask
 * for, knowing `variant` and `scene`. */
#define RDX_KERNEL_BODY(function, args)                                                                                \
  static inline void function##_items(const struct args *a, const uint32_t *variant, const rdx_scene *scene);          \
  static void function(const void *arguments, const uint32_t *variant, const rdx_scene *scene) {                       \
    function##_items(arguments, variant, scene);                                                                       \
  }                                                                                                                    \
  static inline void function##_items(RDX_UNUSED const struct args *a, RDX_UNUSED const uint32_t *variant,             \
                                      RDX_UNUSED const rdx_scene *scene)

/* One that does `statement` for an item `i` after the other. */
#define RDX_EACH_ITEM(function, args, statement)                                                                       \
  RDX_KERNEL_BODY(function, args) {                                                                                    \
    for (uint64_t i = a->first; i < (uint64_t)a->first + a->count; i++)                                                \
      statement;                                                                                                       \
  }

/* ---- Streams: work in order ---- */

/* Commands run in the order they are given, each seeing the writes of those before it. The CPU runs them at once;
 * Vulkan records them and runs them in rdx_stream_finish(). */
typedef struct rdx_stream rdx_stream;

RDX_MUST_USE rdx_status rdx_stream_create(rdx_device *device, rdx_stream **out, rdx_error *err);
/* Let launches of a stream from now on be cancelled: see rdx_stream_launch(). `stage` lives as long as it; NULL:
 * they are not. Fails where the call is cancelled already. */
RDX_MUST_USE rdx_status rdx_stream_begin(rdx_stream *stream, const char *stage, rdx_error *err);
/* A stream that begins so. */
RDX_MUST_USE rdx_status rdx_stream_create_for(rdx_device *device, const char *stage, rdx_stream **out, rdx_error *err);
void rdx_stream_destroy(rdx_stream **stream);

/* Run `count` items of a kernel. `args` begins with LAUNCH_HEADER, which this call fills in. `variant` has
 * kernel->variants values (NULL when 0). `scene` is NULL for compute kernels. Split where a launch limit is lower.
 *
 * On the CPU a long launch of a stream with a stage asks rdx_progress() whether to go on, as do the primitives below. A
 * cancelled one has written a part of what it was to write: only streams whose results are dropped then have one. */
RDX_MUST_USE rdx_status rdx_stream_launch(rdx_stream *stream, const rdx_kernel *kernel, const void *args,
                                          const uint32_t *variant, uint64_t count, const rdx_scene *scene,
                                          rdx_error *err);
/* Set `size` bytes (a multiple of 4) to the repeated word `value`. */
RDX_MUST_USE rdx_status rdx_stream_fill(rdx_stream *stream, rdx_buffer *buffer, uint64_t offset, uint64_t size,
                                        uint32_t value, rdx_error *err);
RDX_MUST_USE rdx_status rdx_stream_copy(rdx_stream *stream, const rdx_buffer *source, uint64_t source_offset,
                                        rdx_buffer *target, uint64_t target_offset, uint64_t size, rdx_error *err);

/* Give later launches of the stream `size` bytes (a multiple of 4) to read: the device address of a copy that lives
 * until the stream finishes. Part of the stream's own submission, so it is the way for what a query brings along.
 * `data` must stay valid until the launches that use it are given: the CPU reads it in place. */
RDX_MUST_USE rdx_status rdx_stream_constants(rdx_stream *stream, const void *data, uint64_t size, uint64_t *address,
                                             rdx_error *err);

/* Bring `size` bytes (at most RDX_STREAM_READ_MAX of all reads between two finishes) to the host: `*out` may be read
 * from the next finish on until the stream is used again, or the buffer changes or goes (the CPU reads it in place).
 * Part of the stream's own submission, so it is the way for small results. */
#define RDX_STREAM_READ_MAX (1u << 20)
RDX_MUST_USE rdx_status rdx_stream_read(rdx_stream *stream, const rdx_buffer *buffer, uint64_t offset, uint64_t size,
                                        const void **out, rdx_error *err);

/* Sort `count` keys of `key_bytes` (4 or 8), ascending, in place, stable, moving the u32 `values` (or NULL) along.
 * Only the low `key_bits` bits of a key, or those up to whole bytes, are looked at. */
RDX_MUST_USE rdx_status rdx_stream_sort(rdx_stream *stream, rdx_buffer *keys, uint32_t key_bytes, uint32_t key_bits,
                                        rdx_buffer *values, uint64_t count, rdx_error *err);
/* Device bytes that it takes beside the input while it runs, values moved along. */
uint64_t rdx_device_sort_bytes(const rdx_device *device, uint64_t count, uint32_t key_bytes);
/* out[i] = in[0] + ... + in[i-1] for i in 0 .. count; in is u32, out is u64 with count + 1 elements. Exact below 2^62;
 * no sum that is larger comes out below that. */
RDX_MUST_USE rdx_status rdx_stream_scan(rdx_stream *stream, const rdx_buffer *in, rdx_buffer *out, uint64_t count,
                                        rdx_error *err);
/* The same in place for `count` u64, behind which the buffer has one more; for thousands of them, not for millions. */
RDX_MUST_USE rdx_status rdx_stream_scan_wide(rdx_stream *stream, rdx_buffer *sums, uint64_t count, rdx_error *err);
typedef enum rdx_reduce_op {
  RDX_REDUCE_SUM,     /* of u32 in, as u64 */
  RDX_REDUCE_MAX,     /* 0 for no element */
  RDX_REDUCE_NONZERO, /* how many u32 are not 0 */
} rdx_reduce_op;
/* Reduce `count` unsigned values of `value_bytes` (4; RDX_REDUCE_MAX: 4 or 8) to one u64 at the start of `out`. */
RDX_MUST_USE rdx_status rdx_stream_reduce(rdx_stream *stream, rdx_reduce_op op, const rdx_buffer *in,
                                          uint32_t value_bytes, rdx_buffer *out, uint64_t count, rdx_error *err);
/* Write the positions of the set bits among the first `count` bits of `bits` (LSB first in u32 words), ascending, as
 * u32 to `out` and their number as one u64 to `out_count`. */
RDX_MUST_USE rdx_status rdx_stream_select(rdx_stream *stream, const rdx_buffer *bits, rdx_buffer *out,
                                          rdx_buffer *out_count, uint64_t count, rdx_error *err);
/* Of ascending `keys` (`key_bytes` 4 or 8), write each distinct value of key >> shift once, ascending, as u64 to
 * `out` (NULL: only count them) and their number as one u64 to `out_count`. */
RDX_MUST_USE rdx_status rdx_stream_unique(rdx_stream *stream, const rdx_buffer *keys, uint32_t key_bytes,
                                          uint32_t shift, rdx_buffer *out, rdx_buffer *out_count, uint64_t count,
                                          rdx_error *err);

/* Device memory that lives until the next finish of the stream (or its end). */
RDX_MUST_USE rdx_status rdx_stream_scratch(rdx_stream *stream, uint64_t size, const char *what, rdx_buffer **out,
                                           rdx_error *err);

/* Note the time after all work so far; at most 16 marks between two finishes. */
RDX_MUST_USE rdx_status rdx_stream_mark(rdx_stream *stream, rdx_error *err);
/* Run what is recorded and wait for it. The stream can then be used anew; its scratch memory is freed. */
RDX_MUST_USE rdx_status rdx_stream_finish(rdx_stream *stream, rdx_error *err);
/* Milliseconds of device time between marks `from` and `to` of the last finish. */
double rdx_stream_elapsed(const rdx_stream *stream, uint32_t from, uint32_t to);
/* Mark, finish, and add the time since the first mark to `*ms`. */
RDX_MUST_USE rdx_status rdx_stream_finish_timed(rdx_stream *stream, double *ms, rdx_error *err);

/* Run one launch by itself, and add its device time to `*ms`; `stage` as of rdx_stream_create_for(), or NULL. */
RDX_MUST_USE rdx_status rdx_launch_timed(rdx_device *device, const rdx_kernel *kernel, const void *args,
                                         const uint32_t *variant, uint64_t count, const char *stage, double *ms,
                                         rdx_error *err);

/* Bytes that may still be taken. */
uint64_t rdx_device_memory_left(const rdx_device *device);

/* Refuse what will take about `need` bytes where they are not free: RDX_ERROR_DEVICE_MEMORY with numbers. The text says
 * "`what` takes about ...; `advice`". */
RDX_MUST_USE rdx_status rdx_device_expect(const rdx_device *device, uint64_t need, const char *what, const char *advice,
                                          rdx_error *err);

/* Refuse a result that takes `need` bytes of host memory where the limit or the system does not have them:
 * RDX_ERROR_MEMORY with numbers. The text says "`what` of host memory ...; `advice`". */
RDX_MUST_USE rdx_status rdx_device_expect_host(const rdx_device *device, uint64_t need, const char *what,
                                               const char *advice, rdx_error *err);

/* The same, and count it until it is released. */
RDX_MUST_USE rdx_status rdx_device_reserve_host(rdx_device *device, uint64_t size, const char *what, rdx_error *err);
void rdx_device_release_host(rdx_device *device, uint64_t size);
/* Make an array of host memory hold `count` items (`old` before: 0 for a new one), and count what is new of it until it
 * is released, in `*reserved`, too. `what` is in the plural. */
RDX_MUST_USE rdx_status rdx_device_grow_host(rdx_device *device, void **memory, uint64_t old, uint64_t count,
                                             size_t size, const char *what, uint64_t *reserved, rdx_error *err);

/* Whether a ray for the closest hit visits near primitives first, so that far ones cost it nothing. GPUs that trace in
 * software do not. */
bool rdx_device_traces_nearest_first(const rdx_device *device);

/* The build preference of a scene of keys' triangles where the caller has none. On GPUs that trace in software a fast
 * build is traced as fast, unless triangles lie `dense`, side by side (measured on an H100). */
rdx_build_preference rdx_device_build_preference(const rdx_device *device, rdx_build_preference asked, bool dense);

/* ---- What came back ----
 *
 * The host does not index, count or allocate by what a device returned before it knows that it can be: a driver may be
 * wrong, and so may a kernel. Else it is RDX_ERROR_INTERNAL, with what was seen; `what` names it in the text. */

/* Says that `value` is not `min` to `max`. */
RDX_MUST_USE rdx_status rdx_returned_wrong(const rdx_device *device, uint64_t value, uint64_t min, uint64_t max,
                                           const char *what, rdx_error *err);
/* `value` is `min` to `max`. */
RDX_MUST_USE static inline rdx_status rdx_returned_number(const rdx_device *device, uint64_t value, uint64_t min,
                                                          uint64_t max, const char *what, rdx_error *err) {
  return value >= min && value <= max ? RDX_OK : rdx_returned_wrong(device, value, min, max, what, err);
}
/* Download such a number (u64). */
RDX_MUST_USE rdx_status rdx_buffer_number(const rdx_buffer *buffer, uint64_t offset, uint64_t min, uint64_t max,
                                          const char *what, uint64_t *out, rdx_error *err);
/* None is above `max`. */
RDX_MUST_USE rdx_status rdx_returned_u32s(rdx_device *device, const uint32_t *values, uint64_t count, uint64_t max,
                                          const char *what, rdx_error *err);
/* Numbers of some of `all` rows: each is above the one before it. */
RDX_MUST_USE rdx_status rdx_returned_rows(rdx_device *device, const uint32_t *rows, uint64_t count, uint64_t all,
                                          const char *what, rdx_error *err);
/* Where runs of `all` rows begin: the same, and the first is 0. */
RDX_MUST_USE rdx_status rdx_returned_starts(rdx_device *device, const uint32_t *starts, uint64_t count, uint64_t all,
                                            const char *what, rdx_error *err);
/* Distinct keys: each is above the one before it, and none above `max`. */
RDX_MUST_USE rdx_status rdx_returned_keys(const rdx_device *device, const uint64_t *keys, uint64_t count, uint64_t max,
                                          const char *what, rdx_error *err);
/* Where the rows of `count` probes end: none is below the one before it, and the last is `total`. */
RDX_MUST_USE rdx_status rdx_returned_ends(rdx_device *device, const uint64_t *ends, uint64_t count, uint64_t total,
                                          rdx_error *err);

/* ---- For back ends ---- */

#define RDX_MAX_MARKS 16

typedef struct rdx_device_ops rdx_device_ops;

struct rdx_stream {
  rdx_device *device;
  double marks_ms[RDX_MAX_MARKS]; /* set by finish (Vulkan) or mark (CPU) */
  uint32_t mark_count;            /* of the marks recorded since the last finish */
  const char *stage;              /* of launches that may be cancelled: see rdx_stream_launch(); NULL: none may */
  uint32_t grain;       /* CPU: of launches whose items take long and share no output word; 0: as kernels have it */
  rdx_buffer **scratch; /* device.c's own */
  uint32_t scratch_count, scratch_capacity;
  uint64_t read_bytes; /* device.c's own: of the reads since the last finish, padded */
};

struct rdx_device {
  const rdx_device_ops *ops;
  rdx_device_info info;
  _Atomic uint64_t memory_limit; /* 0: none beyond the device's own */
  bool has_f64;                  /* kernels may use 64-bit floats */
  bool has_atomic_u64;           /* kernels may use 64-bit atomics in buffers */
  bool keeps_build_order;        /* the scene builder keeps primitives in input order: sort them in space first */
  uint32_t coordinate_exponent;  /* coordinates of scenes stay below 2 to this */
  uint64_t launch_limit;         /* items of one launch where that is less than the device allows; 0: none. For tests */
  _Atomic uint64_t memory_used;
  _Atomic uint64_t host_used; /* by results on the host; of a CPU's memory that is a part, too */
  _Atomic uint64_t memory_peak;
  _Atomic uint64_t memory_mark; /* the highest memory_used since someone last set this */
  _Atomic uint64_t validation_messages;
  char *cache_folder;              /* where what holds for later processes is kept; "": nowhere */
  rdx_calibration *calibration;    /* cost/'s own; NULL: not asked for yet */
  _Atomic(rdx_pool *) host_pool;   /* see rdx_device_run_on_host(); NULL: no threads are started yet */
  _Atomic(rdx_device *) host;      /* see rdx_device_host(); NULL: not asked for yet, or it is the CPU */
  struct rdx_recording *recording; /* that hears of scenes and rays; NULL: none */
};

/* End the threads of rdx_device_run_on_host(), unless the device has them for itself. */
void rdx_device_end_host(rdx_device *device);
/* The folder that `dir` of rdx_device_params means, "" for none. */
void rdx_device_cache_folder(const char *dir, char *out, size_t size);
/* Make the folders that a path goes through, as far as they are missing and can be made. */
void rdx_make_parents(char *path);

/* Back ends embed rdx_buffer, rdx_scene, rdx_stream and rdx_device as their first member and fill in the public fields
 * that only they know. Each create returns an object whose common fields device.c then completes. */
struct rdx_device_ops {
  void (*close)(rdx_device *device);
  rdx_status (*buffer_create)(rdx_device *device, uint64_t size, rdx_buffer **out, rdx_error *err);
  void (*buffer_destroy)(rdx_buffer *buffer);
  rdx_status (*buffer_upload)(rdx_buffer *buffer, uint64_t offset, const void *source, uint64_t size, rdx_error *err);
  rdx_status (*buffer_download)(const rdx_buffer *buffer, uint64_t offset, void *target, uint64_t size, rdx_error *err);
  rdx_status (*scene_create)(rdx_device *device, const rdx_scene_params *params, uint64_t partition_size,
                             uint32_t partitions, rdx_scene **out, rdx_error *err);
  rdx_status (*scene_refit)(rdx_scene *scene, rdx_buffer *primitives, rdx_error *err);
  void (*scene_destroy)(rdx_scene *scene);
  uint64_t (*scene_estimate)(const rdx_device *device, const rdx_scene_params *params);
  rdx_status (*stream_create)(rdx_device *device, rdx_stream **out, rdx_error *err);
  void (*stream_destroy)(rdx_stream *stream);
  rdx_status (*launch)(rdx_stream *stream, const rdx_kernel *kernel, const void *args, const uint32_t *variant,
                       uint64_t count, const rdx_scene *scene, rdx_error *err);
  rdx_status (*fill)(rdx_stream *stream, rdx_buffer *buffer, uint64_t offset, uint64_t size, uint32_t value,
                     rdx_error *err);
  rdx_status (*copy)(rdx_stream *stream, const rdx_buffer *source, uint64_t source_offset, rdx_buffer *target,
                     uint64_t target_offset, uint64_t size, rdx_error *err);
  rdx_status (*constants)(rdx_stream *stream, const void *data, uint64_t size, uint64_t *address, rdx_error *err);
  rdx_status (*read)(rdx_stream *stream, const rdx_buffer *buffer, uint64_t offset, uint64_t size, uint64_t place,
                     const void **out, rdx_error *err);
  rdx_status (*sort)(rdx_stream *stream, rdx_buffer *keys, uint32_t key_bytes, uint32_t key_bits, rdx_buffer *values,
                     uint64_t count, rdx_error *err);
  uint64_t (*sort_bytes)(const rdx_device *device, uint64_t count, uint32_t key_bytes);
  rdx_status (*scan)(rdx_stream *stream, const rdx_buffer *in, rdx_buffer *out, uint64_t count, rdx_error *err);
  rdx_status (*scan_wide)(rdx_stream *stream, rdx_buffer *sums, uint64_t count, rdx_error *err);
  rdx_status (*reduce)(rdx_stream *stream, rdx_reduce_op op, const rdx_buffer *in, uint32_t value_bytes,
                       rdx_buffer *out, uint64_t count, rdx_error *err);
  rdx_status (*select)(rdx_stream *stream, const rdx_buffer *bits, rdx_buffer *out, rdx_buffer *out_count,
                       uint64_t count, rdx_error *err);
  rdx_status (*unique)(rdx_stream *stream, const rdx_buffer *keys, uint32_t key_bytes, uint32_t shift, rdx_buffer *out,
                       rdx_buffer *out_count, uint64_t count, rdx_error *err);
  rdx_status (*mark)(rdx_stream *stream, rdx_error *err);
  rdx_status (*finish)(rdx_stream *stream, rdx_error *err);
};

/* Count memory that a back end takes outside of rdx_buffer_create() (scenes, scratch): refuses with
 * RDX_ERROR_DEVICE_MEMORY and numbers over the limit, else adds it to the books. */
RDX_MUST_USE rdx_status rdx_device_reserve(rdx_device *device, uint64_t size, const char *what, rdx_error *err);
void rdx_device_release(rdx_device *device, uint64_t size);

/* The back ends. The Vulkan list is empty where there is no loader; then *out_count is 0. `index` counts within the
 * back end. */
void rdx_cpu_describe(rdx_device_info *out);
RDX_MUST_USE rdx_status rdx_cpu_open(const rdx_device_params *params, rdx_device **out, rdx_error *err);
/* With the threads of another device, which closes it. */
RDX_MUST_USE rdx_status rdx_cpu_open_over(rdx_pool *pool, rdx_device **out, rdx_error *err);
RDX_MUST_USE rdx_status rdx_vulkan_count(uint32_t *out, rdx_error *err);
uint32_t rdx_vulkan_find_missing(char *text, size_t size); /* see rdx_device_find_missing() */
RDX_MUST_USE rdx_status rdx_vulkan_describe(uint32_t index, rdx_device_info *out, rdx_error *err);
RDX_MUST_USE rdx_status rdx_vulkan_open(uint32_t index, const rdx_device_params *params, rdx_device **out,
                                        rdx_error *err);

#endif
