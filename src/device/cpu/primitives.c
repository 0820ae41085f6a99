/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* Sort, scan, reduce, select and unique on the CPU's threads. */

#include <string.h>

#include "base/numbers.h"
#include "device/cpu/cpu.h"

#ifdef __x86_64__
#include <emmintrin.h>
#endif

#define MAX_DIGIT_BITS 9
#define MAX_RADIX (1u << MAX_DIGIT_BITS)
#define LINE 16u                       /* elements that are written together: whole lines of a cache */
#define MIN_STRIPE ((uint64_t)4096)    /* items that a thread takes at a time, */
#define MAX_STRIPE ((uint64_t)1 << 18) /* so that it can be stopped in between */
#define PAGE 4096                      /* bytes of memory that come at once, at least, */
#define PAGES 512                      /* and how many of these a thread takes at a time */
#define CACHED (4u << 20)              /* bytes that caches may hold from one pass to the next */
#define PIECE 65536u                   /* elements a thread works on at a time */

static rdx_pool *pool_of(const rdx_stream *stream) {
  return ((rdx_cpu_device *)stream->device)->pool;
}

static uint64_t pieces_of(uint64_t count) {
  return (count + PIECE - 1) / PIECE;
}

/* ---- Sort: least significant digit first ----
 *
 * Each pass counts the digits of each stripe (a stripe is what one thread moves), turns the counts into places, and
 * moves. Elements of one digit gather in a line of the stripe's own before they are written together, which saves the
 * TLB from many open pages; lines are aligned as their places are, and pass by the caches where all elements would not
 * stay there anyway (Wassenberg and Sanders, Euro-Par 2011). */

typedef struct sort_pass {
  const void *keys;
  void *keys_out;
  const uint32_t *values;
  uint32_t *values_out;
  uint64_t count, stripe;
  uint32_t shift, radix;         /* of the digit */
  bool large;                    /* more than the caches hold */
  uint64_t (*places)[MAX_RADIX]; /* of each stripe: counts, then places */
} sort_pass;

/* Write whole lines, from one aligned address to another. */
static inline void write_lines(void *to, const void *from, size_t size, bool large) {
#ifdef __x86_64__
  if (large) {
    for (size_t i = 0; i < size / sizeof(__m128i); i++)
      _mm_stream_si128((__m128i *)to + i, _mm_load_si128((const __m128i *)from + i));
    return;
  }
#endif
  (void)large;
  memcpy(to, from, size);
}

/* What passed by the caches is seen by other threads. */
static inline void end_lines(bool large) {
#ifdef __x86_64__
  if (large)
    _mm_sfence();
#endif
  (void)large;
}

#define DEFINE_SORT(suffix, type)                                                                                      \
  static void count_##suffix(void *context, uint64_t begin, uint64_t end, uint32_t worker) {                           \
    (void)worker;                                                                                                      \
    const sort_pass *p = context;                                                                                      \
    const type *keys = p->keys;                                                                                        \
    uint64_t *counts = p->places[begin / p->stripe];                                                                   \
    memset(counts, 0, p->radix * sizeof *counts);                                                                      \
    for (uint64_t i = begin; i < end; i++)                                                                             \
      counts[keys[i] >> p->shift & (p->radix - 1)]++;                                                                  \
  }                                                                                                                    \
                                                                                                                       \
  typedef struct lines_##suffix {                                                                                      \
    _Alignas(64) type keys[MAX_RADIX][LINE];                                                                           \
    _Alignas(64) uint32_t values[MAX_RADIX][LINE];                                                                     \
    uint64_t first[MAX_RADIX]; /* the first place of each digit that is not written yet */                             \
  } lines_##suffix;                                                                                                    \
                                                                                                                       \
  static void write_##suffix(const sort_pass *p, const lines_##suffix *l, uint32_t digit, uint64_t end) {              \
    type *out = p->keys_out;                                                                                           \
    for (uint64_t i = l->first[digit]; i < end; i++) {                                                                 \
      out[i] = l->keys[digit][i % LINE];                                                                               \
      if (p->values)                                                                                                   \
        p->values_out[i] = l->values[digit][i % LINE];                                                                 \
    }                                                                                                                  \
  }                                                                                                                    \
                                                                                                                       \
  static void move_##suffix(void *context, uint64_t begin, uint64_t end, uint32_t worker) {                            \
    (void)worker;                                                                                                      \
    const sort_pass *p = context;                                                                                      \
    const type *keys = p->keys;                                                                                        \
    type *out = p->keys_out;                                                                                           \
    uint64_t *places = p->places[begin / p->stripe];                                                                   \
    lines_##suffix l;                                                                                                  \
    memcpy(l.first, places, p->radix * sizeof *places);                                                                \
    for (uint64_t i = begin; i < end; i++) {                                                                           \
      const uint32_t d = (uint32_t)(keys[i] >> p->shift) & (p->radix - 1);                                             \
      const uint64_t place = places[d]++;                                                                              \
      l.keys[d][place % LINE] = keys[i];                                                                               \
      if (p->values)                                                                                                   \
        l.values[d][place % LINE] = p->values[i];                                                                      \
      if (place % LINE < LINE - 1)                                                                                     \
        continue;                                                                                                      \
      const uint64_t start = place + 1 - LINE;                                                                         \
      if (l.first[d] > start) { /* the line is shared with what lies before */                                         \
        write_##suffix(p, &l, d, place + 1);                                                                           \
      } else {                                                                                                         \
        write_lines(&out[start], l.keys[d], sizeof l.keys[d], p->large);                                               \
        if (p->values)                                                                                                 \
          write_lines(&p->values_out[start], l.values[d], sizeof l.values[d], p->large);                               \
      }                                                                                                                \
      l.first[d] = place + 1;                                                                                          \
    }                                                                                                                  \
    for (uint32_t d = 0; d < p->radix; d++)                                                                            \
      write_##suffix(p, &l, d, places[d]);                                                                             \
    end_lines(p->large);                                                                                               \
  }                                                                                                                    \
                                                                                                                       \
  static void copy_##suffix(void *context, uint64_t begin, uint64_t end, uint32_t worker) {                            \
    (void)worker;                                                                                                      \
    const sort_pass *p = context;                                                                                      \
    memcpy((type *)p->keys_out + begin, (const type *)p->keys + begin, (end - begin) * sizeof(type));                  \
    if (p->values)                                                                                                     \
      memcpy(p->values_out + begin, p->values + begin, (end - begin) * sizeof *p->values);                             \
  }

DEFINE_SORT(u32, uint32_t)
DEFINE_SORT(u64, uint64_t)

/* Counts to places: by digit, then by stripe. False where all keys have one digit, so that nothing need move. */
static bool place(sort_pass *p, uint64_t stripes) {
  uint64_t running = 0;
  for (uint32_t d = 0; d < p->radix; d++) {
    const uint64_t before = running;
    for (uint64_t s = 0; s < stripes; s++) {
      const uint64_t n = p->places[s][d];
      p->places[s][d] = running;
      running += n;
    }
    if (running - before == p->count)
      return false;
  }
  return true;
}

/* As few passes as may be, of equal digits, which do not go beyond the bytes of `key_bits`. */
static rdx_status sort_passes(rdx_stream *stream, sort_pass *p, uint32_t key_bytes, uint32_t key_bits, bool *swapped,
                              rdx_error *err) {
  rdx_pool *pool = pool_of(stream);
  const uint64_t stripes = (p->count + p->stripe - 1) / p->stripe;
  const uint32_t passes = (key_bits + MAX_DIGIT_BITS - 1) / MAX_DIGIT_BITS;
  const uint32_t digit_bits = passes > 0 ? (key_bits + passes - 1) / passes : 0;
  p->radix = 1u << digit_bits;
  for (p->shift = 0; p->shift < key_bits; p->shift += digit_bits) {
    RDX_TRY(
        rdx_pool_run_stage(pool, p->count, p->stripe, key_bytes == 4 ? count_u32 : count_u64, p, stream->stage, err));
    if (!place(p, stripes))
      continue;
    RDX_TRY(rdx_pool_run_stage(pool, p->count, p->stripe, key_bytes == 4 ? move_u32 : move_u64, p, stream->stage, err));
    void *keys = (void *)(uintptr_t)p->keys;
    uint32_t *values = (uint32_t *)(uintptr_t)p->values;
    p->keys = p->keys_out;
    p->keys_out = keys;
    p->values = p->values_out;
    p->values_out = values;
    *swapped = !*swapped;
  }
  return RDX_OK;
}

uint64_t rdx_cpu_sort_bytes(RDX_UNUSED const rdx_device *device, uint64_t count, uint32_t key_bytes) {
  return count * (key_bytes + 4);
}

static void touch_pages(void *context, uint64_t begin, uint64_t end, RDX_UNUSED uint32_t worker) {
  volatile uint8_t *bytes = context;
  for (uint64_t i = begin; i < end; i++)
    bytes[i * PAGE] = 0;
}

/* The first stripe would take all pages of new memory at once: one after the other they can be stopped in between. */
static rdx_status take_pages(rdx_stream *stream, rdx_buffer *buffer, uint64_t bytes, rdx_error *err) {
  return rdx_pool_run_stage(pool_of(stream), bytes / PAGE, PAGES, touch_pages, RDX_ADDRESS(uint8_t, buffer),
                            stream->stage, err);
}

/* RX, section 4.1 "DeviceRadixSort". */
rdx_status rdx_cpu_sort(rdx_stream *stream, rdx_buffer *keys, uint32_t key_bytes, uint32_t key_bits, rdx_buffer *values,
                        uint64_t count, rdx_error *err) {
  rdx_pool *pool = pool_of(stream);
  const uint64_t threads = rdx_pool_threads(pool), share = (count + threads - 1) / threads;
  const uint64_t stripe = share < MIN_STRIPE ? MIN_STRIPE : share < MAX_STRIPE ? share : MAX_STRIPE;
  const bool large = count * (key_bytes + 4) > CACHED;
  RDX_SCOPED(rdx_buffer_destroy) rdx_buffer *other_keys = NULL, *other_values = NULL;
  RDX_SCOPED(rdx_free_local) uint64_t(*places)[MAX_RADIX] = NULL;
  bool swapped = false;
  RDX_TRY(rdx_alloc(count / stripe + 1, sizeof *places, "sorting", (void **)&places, err));
  RDX_TRY(rdx_buffer_create(stream->device, count * key_bytes, "sorting", &other_keys, err));
  if (values)
    RDX_TRY(rdx_buffer_create(stream->device, count * 4, "sorting", &other_values, err));
  if (large)
    RDX_TRY(take_pages(stream, other_keys, count * key_bytes, err));
  if (large && values)
    RDX_TRY(take_pages(stream, other_values, count * 4, err));
  sort_pass p = {.keys = RDX_ADDRESS(void, keys),
                 .values = RDX_ADDRESS(uint32_t, values),
                 .keys_out = RDX_ADDRESS(void, other_keys),
                 .values_out = RDX_ADDRESS(uint32_t, other_values),
                 .count = count,
                 .large = large,
                 .stripe = stripe,
                 .places = places};
  RDX_TRY(sort_passes(stream, &p, key_bytes, key_bits, &swapped, err));
  return swapped ? rdx_pool_run_stage(pool, count, PIECE, key_bytes == 4 ? copy_u32 : copy_u64, &p, stream->stage, err)
                 : RDX_OK;
}

/* ---- Everything else: a number for each piece, a sum over the pieces, a second pass that writes ---- */

typedef struct piecewise {
  const void *in;
  uint64_t *numbers; /* of each piece */
  uint32_t key_bytes, shift;
  bool write;
  uint32_t *out_u32;
  uint64_t *out_u64;
} piecewise;

/* Sums to exclusive prefix sums; returns the total. */
static uint64_t accumulate(uint64_t *numbers, uint64_t count) {
  uint64_t running = 0;
  for (uint64_t i = 0; i < count; i++) {
    const uint64_t n = numbers[i];
    numbers[i] = running;
    running += n;
  }
  return running;
}

/* Run `task` to count, and a second time to write where there is something to write. */
static rdx_status run_pieces(rdx_stream *stream, piecewise *p, rdx_task_fn task, uint64_t count, uint64_t *total,
                             rdx_error *err) {
  const uint64_t pieces = pieces_of(count);
  RDX_SCOPED(rdx_free_local) uint64_t *numbers = NULL;
  RDX_TRY(rdx_alloc(pieces, sizeof *numbers, "counting", (void **)&numbers, err));
  p->numbers = numbers;
  RDX_TRY(rdx_pool_run_stage(pool_of(stream), count, PIECE, task, p, stream->stage, err));
  *total = accumulate(numbers, pieces);
  p->write = true;
  return p->out_u32 || p->out_u64 ? rdx_pool_run_stage(pool_of(stream), count, PIECE, task, p, stream->stage, err)
                                  : RDX_OK;
}

static void scan_piece(void *context, uint64_t begin, uint64_t end, RDX_UNUSED uint32_t worker) {
  const piecewise *p = context;
  const uint32_t *in = p->in;
  uint64_t running = p->write ? p->numbers[begin / PIECE] : 0;
  for (uint64_t i = begin; i < end; i++) {
    if (p->write)
      p->out_u64[i] = running;
    running += in[i];
  }
  if (!p->write)
    p->numbers[begin / PIECE] = running;
}

rdx_status rdx_cpu_scan(rdx_stream *stream, const rdx_buffer *in, rdx_buffer *out, uint64_t count, rdx_error *err) {
  piecewise p = {.in = RDX_ADDRESS(void, in), .out_u64 = RDX_ADDRESS(uint64_t, out)};
  return run_pieces(stream, &p, scan_piece, count, &p.out_u64[count], err);
}

rdx_status rdx_cpu_scan_wide(RDX_UNUSED rdx_stream *stream, rdx_buffer *sums, uint64_t count,
                             RDX_UNUSED rdx_error *err) {
  uint64_t *at = RDX_ADDRESS(uint64_t, sums), running = 0;
  for (uint64_t i = 0; i <= count; i++) {
    const uint64_t own = i < count ? at[i] : 0;
    at[i] = running;
    running += own;
  }
  return RDX_OK;
}

/* The bits from `at` to before `end`, at most 64. `at` is a multiple of 32. */
static uint64_t bits_at(const uint32_t *words, uint64_t at, uint64_t end) {
  uint64_t bits = 0;
  memcpy(&bits, words + at / 32, end - at > 32 ? 8 : 4);
  return end - at < 64 ? bits & ((1ul << (end - at)) - 1) : bits;
}

/* PIECE is a multiple of 32: a piece starts on a word. */
static void select_piece(void *context, uint64_t begin, uint64_t end, RDX_UNUSED uint32_t worker) {
  const piecewise *p = context;
  const uint32_t *words = p->in;
  if (!p->write) {
    const uint64_t whole = (end - begin) / 32, rest = begin + 32 * whole;
    p->numbers[begin / PIECE] = rdx_count_bits(words + begin / 32, whole) +
                                (rest < end ? (uint64_t)__builtin_popcountll(bits_at(words, rest, end)) : 0);
    return;
  }
  uint32_t *out = p->out_u32 + p->numbers[begin / PIECE];
  for (uint64_t i = begin; i < end; i += 64)
    for (uint64_t bits = bits_at(words, i, end); bits; bits &= bits - 1)
      *out++ = (uint32_t)i + (uint32_t)__builtin_ctzll(bits);
}

rdx_status rdx_cpu_select(rdx_stream *stream, const rdx_buffer *bits, rdx_buffer *out, rdx_buffer *out_count,
                          uint64_t count, rdx_error *err) {
  piecewise p = {.in = RDX_ADDRESS(void, bits), .out_u32 = RDX_ADDRESS(uint32_t, out)};
  return run_pieces(stream, &p, select_piece, count, RDX_ADDRESS(uint64_t, out_count), err);
}

static uint64_t shifted_key(const piecewise *p, uint64_t i) {
  return (p->key_bytes == 4 ? ((const uint32_t *)p->in)[i] : ((const uint64_t *)p->in)[i]) >> p->shift;
}

static void unique_piece(void *context, uint64_t begin, uint64_t end, RDX_UNUSED uint32_t worker) {
  const piecewise *p = context;
  uint64_t at = p->write ? p->numbers[begin / PIECE] : 0;
  uint64_t previous = begin > 0 ? shifted_key(p, begin - 1) : 0;
  for (uint64_t i = begin; i < end; i++) {
    const uint64_t key = shifted_key(p, i);
    if (i == 0 || key != previous) {
      if (p->write)
        p->out_u64[at] = key;
      at++;
    }
    previous = key;
  }
  if (!p->write)
    p->numbers[begin / PIECE] = at;
}

rdx_status rdx_cpu_unique(rdx_stream *stream, const rdx_buffer *keys, uint32_t key_bytes, uint32_t shift,
                          rdx_buffer *out, rdx_buffer *out_count, uint64_t count, rdx_error *err) {
  piecewise p = {
      .in = RDX_ADDRESS(void, keys), .key_bytes = key_bytes, .shift = shift, .out_u64 = RDX_ADDRESS(uint64_t, out)};
  return run_pieces(stream, &p, unique_piece, count, RDX_ADDRESS(uint64_t, out_count), err);
}

RDX_INLINE uint64_t sum_of(const uint32_t *values, uint64_t count) {
  uint64_t sum = 0;
  for (uint64_t i = 0; i < count; i++)
    sum += values[i];
  return sum;
}

static uint64_t sum_plain(const uint32_t *values, uint64_t count) {
  return sum_of(values, count);
}

#ifdef __x86_64__
__attribute__((target("avx2"))) static uint64_t sum_avx2(const uint32_t *values, uint64_t count) {
  return sum_of(values, count);
}

#ifdef __clang__
#define AVX512 "avx512f"
#else
#define AVX512 "avx512f,prefer-vector-width=512" /* GCC's default is half of it */
#endif
__attribute__((target(AVX512))) static uint64_t sum_avx512(const uint32_t *values, uint64_t count) {
  return sum_of(values, count);
}
#endif

static void sum_piece(void *context, uint64_t begin, uint64_t end, RDX_UNUSED uint32_t worker) {
  const piecewise *p = context;
  const uint32_t *values = (const uint32_t *)p->in + begin;
#ifdef __x86_64__
  if (__builtin_cpu_supports("avx2")) {
    p->numbers[begin / PIECE] = (__builtin_cpu_supports("avx512f") ? sum_avx512 : sum_avx2)(values, end - begin);
    return;
  }
#endif
  p->numbers[begin / PIECE] = sum_plain(values, end - begin);
}

static void nonzero_piece(void *context, uint64_t begin, uint64_t end, RDX_UNUSED uint32_t worker) {
  const piecewise *p = context;
  uint64_t count = 0;
  for (uint64_t i = begin; i < end; i++)
    count += ((const uint32_t *)p->in)[i] != 0;
  p->numbers[begin / PIECE] = count;
}

static void max_piece(void *context, uint64_t begin, uint64_t end, RDX_UNUSED uint32_t worker) {
  const piecewise *p = context;
  uint64_t largest = 0;
  for (uint64_t i = begin; i < end; i++) {
    const uint64_t key = shifted_key(p, i);
    largest = key > largest ? key : largest;
  }
  p->numbers[begin / PIECE] = largest;
}

rdx_status rdx_cpu_reduce(rdx_stream *stream, rdx_reduce_op op, const rdx_buffer *in, uint32_t value_bytes,
                          rdx_buffer *out, uint64_t count, rdx_error *err) {
  const uint64_t pieces = pieces_of(count);
  piecewise p = {.in = RDX_ADDRESS(void, in), .key_bytes = value_bytes};
  RDX_SCOPED(rdx_free_local) void *numbers = NULL;
  RDX_TRY(rdx_alloc(pieces, sizeof *p.numbers, "reducing", &numbers, err));
  p.numbers = numbers;
  static const rdx_task_fn tasks[] = {
      [RDX_REDUCE_SUM] = sum_piece, [RDX_REDUCE_MAX] = max_piece, [RDX_REDUCE_NONZERO] = nonzero_piece};
  RDX_TRY(rdx_pool_run_stage(pool_of(stream), count, PIECE, tasks[op], &p, stream->stage, err));
  uint64_t result = 0;
  for (uint64_t i = 0; i < pieces; i++)
    result = op != RDX_REDUCE_MAX ? result + p.numbers[i] : p.numbers[i] > result ? p.numbers[i] : result;
  *RDX_ADDRESS(uint64_t, out) = result;
  return RDX_OK;
}
