/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* The device contract (device/device.h): buffers, data-parallel primitives, limits. */

#include "support.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "device/device.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* Around the sizes of subgroups, workgroups and tiles, and of words. */
static const uint64_t sizes[] = {0, 1, 2, 31, 32, 33, 255, 256, 257, 2047, 2048, 2049, 4096, 6143, 6144, 6145, 50000};

static size_t size_count(void) {
  return test_is_slow() ? COUNT(sizes) - 1 : COUNT(sizes);
}

static rdx_buffer *filled(const void *data, uint64_t size) {
  rdx_buffer *buffer = NULL;
  OK(rdx_buffer_create(test_device, size, "a test", &buffer, err));
  OK(rdx_buffer_upload(buffer, 0, data, size, err));
  return buffer;
}

static rdx_stream *new_stream(void) {
  rdx_stream *stream = NULL;
  OK(rdx_stream_create(test_device, &stream, err));
  return stream;
}

/* ---- Buffers ---- */

static void test_buffers(void **state) {
  (void)state;
  const uint64_t size = test_is_slow() ? 3u << 20 : 70u << 20; /* more than a staging buffer */
  uint8_t *in = malloc(size), *out = calloc(size, 1);
  assert_true(in && out);
  for (uint64_t i = 0; i < size; i++)
    in[i] = (uint8_t)(i * 2654435761u >> 13);
  rdx_buffer *buffer = filled(in, size);
  OK(rdx_buffer_download(buffer, 0, out, size, err));
  assert_memory_equal(in, out, size);
  OK(rdx_buffer_upload(buffer, 5, "raydex", 6, err));
  OK(rdx_buffer_download(buffer, 4, out, 8, err));
  assert_memory_equal(out + 1, "raydex", 6);
  assert_int_equal(out[0], in[4]);
  assert_int_equal(out[7], in[11]);
  FAILS(RDX_ERROR_ARGUMENT, rdx_buffer_upload(buffer, size - 3, "1234", 4, err));
  FAILS(RDX_ERROR_ARGUMENT, rdx_buffer_download(buffer, UINT64_MAX, out, 2, err));
  rdx_buffer *again = rdx_buffer_retain(buffer);
  rdx_buffer_destroy(&buffer);
  assert_null(buffer);
  OK(rdx_buffer_download(again, 5, out, 6, err));
  assert_memory_equal(out, "raydex", 6);
  rdx_buffer_destroy(&again);
  free(in);
  free(out);
}

static void test_many_buffers(void **state) {
  (void)state;
  rdx_buffer *buffers[300] = {NULL};
  for (int round = 0; round < 3; round++) {
    for (uint32_t i = 0; i < COUNT(buffers); i++) {
      if (buffers[i] && test_random() % 2)
        rdx_buffer_destroy(&buffers[i]);
      if (!buffers[i]) {
        OK(rdx_buffer_create(test_device, 1 + test_random() % 5000 * 4, "a test", &buffers[i], err));
        OK(rdx_buffer_upload(buffers[i], 0, &(uint8_t){(uint8_t)i}, 1, err));
      }
    }
  }
  for (uint32_t i = 0; i < COUNT(buffers); i++) {
    uint8_t byte = 0;
    OK(rdx_buffer_download(buffers[i], 0, &byte, 1, err));
    assert_int_equal(byte, (uint8_t)i); /* nobody else's memory */
    rdx_buffer_destroy(&buffers[i]);
  }
}

static void test_memory_limit(void **state) {
  (void)state;
  rdx_device *device = NULL;
  const char *name = rdx_device_get_info(test_device)->name;
  OK(rdx_device_open(name, &(rdx_device_params){.memory_limit = 1 << 20}, &device, err));
  rdx_buffer *first = NULL, *second = NULL;
  OK(rdx_buffer_create(device, 700 << 10, "a test", &first, err));
  FAILS(RDX_ERROR_DEVICE_MEMORY, rdx_buffer_create(device, 700 << 10, "a test", &second, err));
  assert_null(second);
  rdx_buffer_destroy(&first);
  OK(rdx_buffer_create(device, 700 << 10, "a test", &second, err));
  rdx_device_usage usage;
  rdx_device_get_usage(device, &usage);
  assert_int_equal(usage.memory_used, 700 << 10);
  rdx_buffer_destroy(&second);
  FAILS(RDX_ERROR_DEVICE_MEMORY, rdx_buffer_create(device, UINT64_MAX / 2, "a test", &second, err));
  rdx_device_close(&device);
}

/* ---- Sorting ---- */

typedef struct pair {
  uint64_t key;
  uint32_t value;
} pair;

static int compare_pairs(const void *a, const void *b) {
  const pair *x = a, *y = b;
  if (x->key != y->key)
    return x->key < y->key ? -1 : 1;
  return (x->value > y->value) - (x->value < y->value); /* values are places: the sort is stable */
}

static uint64_t sort_key(int kind, uint64_t i, uint64_t n) {
  switch (kind) {
  case 0:
    return test_random();
  case 1:
    return 7;
  case 2:
    return i;
  case 3:
    return n - i;
  case 4:
    return test_random() % 5;
  default:
    return i % 3 == 0 ? UINT64_MAX : i % 3 == 1 ? 0 : test_random() << 32;
  }
}

static void check_sort(uint64_t n, uint32_t key_bytes, int kind, bool with_values) {
  pair *pairs = calloc(n + 1, sizeof *pairs);
  uint8_t *keys = calloc(n + 1, key_bytes);
  uint32_t *values = calloc(n + 1, sizeof *values);
  assert_true(pairs && keys && values);
  for (uint64_t i = 0; i < n; i++) {
    pairs[i] = (pair){sort_key(kind, i, n), (uint32_t)i};
    if (key_bytes == 4)
      pairs[i].key &= UINT32_MAX;
    memcpy(keys + i * key_bytes, &pairs[i].key, key_bytes);
    values[i] = (uint32_t)i;
  }
  rdx_buffer *key_buffer = filled(keys, n * key_bytes), *value_buffer = filled(values, n * 4);
  rdx_stream *stream = new_stream();
  OK(rdx_stream_sort(stream, key_buffer, key_bytes, 8 * key_bytes, with_values ? value_buffer : NULL, n, err));
  OK(rdx_stream_finish(stream, err));
  OK(rdx_buffer_download(key_buffer, 0, keys, n * key_bytes, err));
  OK(rdx_buffer_download(value_buffer, 0, values, n * 4, err));
  qsort(pairs, n, sizeof *pairs, compare_pairs);
  for (uint64_t i = 0; i < n; i++) {
    assert_memory_equal(keys + i * key_bytes, &pairs[i].key, key_bytes);
    assert_int_equal(values[i], with_values ? pairs[i].value : i);
  }
  rdx_stream_destroy(&stream);
  rdx_buffer_destroy(&key_buffer);
  rdx_buffer_destroy(&value_buffer);
  free(pairs);
  free(keys);
  free(values);
}

static void test_sort(void **state) {
  (void)state;
  for (size_t s = 0; s < size_count(); s++)
    for (int kind = 0; kind < 6; kind++)
      for (uint32_t bytes = 4; bytes <= 8; bytes += 4)
        check_sort(sizes[s], bytes, kind, (s + (size_t)kind) % 3 != 0);
}

/* Only so many low bits of the keys are looked at; the others are 0. */
static void test_sort_of_low_bits(void **state) {
  (void)state;
  static const uint32_t bits[] = {0, 1, 7, 8, 9, 16, 23, 31, 33, 40, 63};
  for (size_t b = 0; b < COUNT(bits); b++) {
    const uint64_t n = bits[b] == 23 && !test_is_slow() ? 700001 : 5000; /* more than caches hold */
    for (uint32_t bytes = bits[b] > 32 ? 8 : 4; bytes <= 8; bytes += 4) {
      uint8_t *keys = calloc(n, bytes);
      uint32_t *values = calloc(n, sizeof *values);
      pair *pairs = calloc(n, sizeof *pairs);
      assert_true(keys && values && pairs);
      for (uint64_t i = 0; i < n; i++) {
        pairs[i] = (pair){test_random() & (((uint64_t)1 << bits[b]) - 1), (uint32_t)i};
        memcpy(keys + i * bytes, &pairs[i].key, bytes);
        values[i] = (uint32_t)i;
      }
      rdx_buffer *key_buffer = filled(keys, n * bytes), *value_buffer = filled(values, n * 4);
      rdx_stream *stream = new_stream();
      OK(rdx_stream_sort(stream, key_buffer, bytes, bits[b], value_buffer, n, err));
      OK(rdx_stream_finish(stream, err));
      OK(rdx_buffer_download(key_buffer, 0, keys, n * bytes, err));
      OK(rdx_buffer_download(value_buffer, 0, values, n * 4, err));
      qsort(pairs, n, sizeof *pairs, compare_pairs);
      for (uint64_t i = 0; i < n; i++) {
        assert_memory_equal(keys + i * bytes, &pairs[i].key, bytes);
        assert_int_equal(values[i], pairs[i].value);
      }
      rdx_stream_destroy(&stream);
      rdx_buffer_destroy(&key_buffer);
      rdx_buffer_destroy(&value_buffer);
      free(keys);
      free(values);
      free(pairs);
    }
  }
}

/* ---- Scan, reduce, select, unique ---- */

static void test_scan_and_reduce(void **state) {
  (void)state;
  for (size_t s = 0; s < size_count(); s++) {
    const uint64_t n = sizes[s];
    uint32_t *in = calloc(n + 1, sizeof *in);
    uint64_t *out = calloc(n + 1, sizeof *out), sum = 0, max = 0, nonzero = 0, reduced[3] = {1, 1, 1};
    assert_true(in && out);
    for (uint64_t i = 0; i < n; i++)
      in[i] = s % 2 ? UINT32_MAX * (i % 3 > 0) : (uint32_t)test_random();
    rdx_buffer *source = filled(in, n * 4), *target = filled(out, (n + 1) * 8), *one = filled(reduced, 8),
               *two = filled(reduced, 8), *three = filled(reduced, 8);
    rdx_stream *stream = new_stream();
    rdx_buffer *wide = filled(out, (n + 1) * 8);
    OK(rdx_stream_scan(stream, source, target, n, err));
    OK(rdx_stream_copy(stream, target, 0, wide, 0, n * 8, err));
    OK(rdx_stream_scan_wide(stream, wide, n, err));
    OK(rdx_stream_reduce(stream, RDX_REDUCE_SUM, source, 4, one, n, err));
    OK(rdx_stream_reduce(stream, RDX_REDUCE_MAX, source, 4, two, n, err));
    OK(rdx_stream_reduce(stream, RDX_REDUCE_NONZERO, source, 4, three, n, err));
    OK(rdx_stream_finish(stream, err));
    OK(rdx_buffer_download(target, 0, out, (n + 1) * 8, err));
    OK(rdx_buffer_download(one, 0, &reduced[0], 8, err));
    OK(rdx_buffer_download(two, 0, &reduced[1], 8, err));
    OK(rdx_buffer_download(three, 0, &reduced[2], 8, err));
    for (uint64_t i = 0; i <= n; i++) {
      assert_int_equal(out[i], sum);
      if (i < n) {
        sum += in[i];
        nonzero += in[i] != 0;
        max = in[i] > max ? in[i] : max;
      }
    }
    uint64_t *again = calloc(n + 1, sizeof *again), sum_of_sums = 0;
    assert_non_null(again);
    OK(rdx_buffer_download(wide, 0, again, (n + 1) * 8, err));
    for (uint64_t i = 0; i <= n; sum_of_sums += out[i++])
      assert_int_equal(again[i], sum_of_sums);
    assert_int_equal(reduced[0], sum);
    assert_int_equal(reduced[1], max);
    assert_int_equal(reduced[2], nonzero);
    rdx_stream_destroy(&stream);
    rdx_buffer_destroy(&source);
    rdx_buffer_destroy(&target);
    rdx_buffer_destroy(&one);
    rdx_buffer_destroy(&two);
    rdx_buffer_destroy(&three);
    rdx_buffer_destroy(&wide);
    free(in);
    free(out);
    free(again);
  }
}

static void test_select(void **state) {
  (void)state;
  for (size_t s = 0; s < size_count(); s++) {
    const uint64_t n = sizes[s], words = n / 32 + 1;
    uint32_t *bits = calloc(words, sizeof *bits), *out = calloc(n + 1, sizeof *out);
    uint64_t count = 0, found = 0;
    assert_true(bits && out);
    for (uint64_t i = 0; i < words; i++) /* bits after the last are set, too: they do not count */
      bits[i] = s % 3 == 0 ? UINT32_MAX : (uint32_t)test_random() & (uint32_t)test_random();
    rdx_buffer *source = filled(bits, words * 4), *target = filled(out, n * 4), *number = filled(&count, 8);
    rdx_stream *stream = new_stream();
    OK(rdx_stream_select(stream, source, target, number, n, err));
    OK(rdx_stream_finish(stream, err));
    OK(rdx_buffer_download(number, 0, &count, 8, err));
    OK(rdx_buffer_download(target, 0, out, n * 4, err));
    for (uint64_t i = 0; i < n; i++)
      if (bits[i / 32] >> (i % 32) & 1)
        assert_int_equal(out[found++], i);
    assert_int_equal(count, found);
    rdx_stream_destroy(&stream);
    rdx_buffer_destroy(&source);
    rdx_buffer_destroy(&target);
    rdx_buffer_destroy(&number);
    free(bits);
    free(out);
  }
}

static void test_unique(void **state) {
  (void)state;
  for (size_t s = 0; s < size_count(); s++) {
    const uint64_t n = sizes[s];
    const uint32_t shift = s % 2 ? 3 : 0;
    uint64_t *keys = calloc(n + 1, sizeof *keys), *out = calloc(n + 1, sizeof *out), key = 0, count = 0, found = 0;
    assert_true(keys && out);
    for (uint64_t i = 0; i < n; i++)
      keys[i] = key += s % 3 == 0 ? 0 : test_random() % 3 << (test_random() % 40);
    rdx_buffer *source = filled(keys, n * 8), *target = filled(out, n * 8), *number = filled(&count, 8);
    rdx_stream *stream = new_stream();
    OK(rdx_stream_unique(stream, source, 8, shift, target, number, n, err));
    OK(rdx_stream_finish(stream, err));
    OK(rdx_buffer_download(number, 0, &count, 8, err));
    OK(rdx_buffer_download(target, 0, out, n * 8, err));
    for (uint64_t i = 0; i < n; i++)
      if (i == 0 || keys[i] >> shift != keys[i - 1] >> shift)
        assert_int_equal(out[found++], keys[i] >> shift);
    assert_int_equal(count, found);
    rdx_stream_destroy(&stream);
    rdx_buffer_destroy(&source);
    rdx_buffer_destroy(&target);
    rdx_buffer_destroy(&number);
    free(keys);
    free(out);
  }
}

/* Narrow keys, shifts to the last bit, and no room for the values when only their number is asked for. */
static void test_unique_of_narrow_keys(void **state) {
  (void)state;
  static const uint32_t shifts[] = {0, 5, 31};
  for (size_t s = 0; s < size_count(); s++) {
    const uint64_t n = sizes[s];
    const uint32_t shift = shifts[s % 3];
    uint32_t *keys = calloc(n + 1, sizeof *keys), key = 0;
    uint64_t *out = calloc(n + 1, sizeof *out), counts[2] = {99, 99}, found = 0;
    assert_true(keys && out);
    for (uint64_t i = 0; i < n; i++)
      keys[i] = key += (uint32_t)(test_random() % (UINT32_MAX / n)) & (s % 2 ? UINT32_MAX : 3);
    rdx_buffer *source = filled(keys, n * 4), *target = filled(out, n * 8), *one = filled(&counts[0], 8),
               *two = filled(&counts[1], 8);
    rdx_stream *stream = new_stream();
    OK(rdx_stream_unique(stream, source, 4, shift, target, one, n, err));
    OK(rdx_stream_unique(stream, source, 4, shift, NULL, two, n, err));
    OK(rdx_stream_finish(stream, err));
    OK(rdx_buffer_download(one, 0, &counts[0], 8, err));
    OK(rdx_buffer_download(two, 0, &counts[1], 8, err));
    OK(rdx_buffer_download(target, 0, out, n * 8, err));
    for (uint64_t i = 0; i < n; i++)
      if (i == 0 || keys[i] >> shift != keys[i - 1] >> shift)
        assert_int_equal(out[found++], keys[i] >> shift);
    assert_int_equal(counts[0], found);
    assert_int_equal(counts[1], found);
    rdx_stream_destroy(&stream);
    rdx_buffer_destroy(&source);
    rdx_buffer_destroy(&target);
    rdx_buffer_destroy(&one);
    rdx_buffer_destroy(&two);
    free(keys);
    free(out);
  }
}

static void test_wide_maximum(void **state) {
  (void)state;
  for (size_t s = 0; s < size_count(); s++) {
    const uint64_t n = sizes[s], place = n > 0 ? test_random() % n : 0;
    uint64_t *in = calloc(n + 1, sizeof *in), max = 0, reduced = 1;
    assert_non_null(in);
    for (uint64_t i = 0; i < n; i++)
      in[i] = test_random() >> (i == place ? 0 : 33); /* the low halves do not decide */
    for (uint64_t i = 0; i < n; i++)
      max = in[i] > max ? in[i] : max;
    rdx_buffer *source = filled(in, n * 8), *out = filled(&reduced, 8);
    rdx_stream *stream = new_stream();
    OK(rdx_stream_reduce(stream, RDX_REDUCE_MAX, source, 8, out, n, err));
    OK(rdx_stream_finish(stream, err));
    OK(rdx_buffer_download(out, 0, &reduced, 8, err));
    assert_true(reduced == max);
    rdx_stream_destroy(&stream);
    rdx_buffer_destroy(&source);
    rdx_buffer_destroy(&out);
    free(in);
  }
}

/* What a stream is asked to do with buffers too small, or in widths that there are not. */
static void test_misused_streams(void **state) {
  (void)state;
  uint64_t words[8] = {0};
  rdx_buffer *a = filled(words, 32), *b = filled(words, 32), *number = filled(words, 4);
  rdx_stream *stream = new_stream();
  FAILS(RDX_ERROR_ARGUMENT, rdx_stream_sort(stream, a, 4, 32, b, 9, err));
  FAILS(RDX_ERROR_ARGUMENT, rdx_stream_sort(stream, a, 8, 64, NULL, 5, err));
  FAILS(RDX_ERROR_ARGUMENT, rdx_stream_sort(stream, a, 4, 32, number, 2, err));
  FAILS(RDX_ERROR_ARGUMENT, rdx_stream_sort(stream, a, 2, 16, NULL, 2, err));
  FAILS(RDX_ERROR_ARGUMENT, rdx_stream_sort(stream, a, 4, 33, NULL, 2, err));
  FAILS(RDX_ERROR_ARGUMENT, rdx_stream_sort(stream, a, 4, 32, NULL, UINT64_MAX / 4, err));
  FAILS(RDX_ERROR_ARGUMENT, rdx_stream_scan(stream, a, b, 4, err)); /* the last sum has no room */
  FAILS(RDX_ERROR_ARGUMENT, rdx_stream_scan(stream, number, b, 2, err));
  FAILS(RDX_ERROR_ARGUMENT, rdx_stream_scan_wide(stream, b, 4, err));
  FAILS(RDX_ERROR_ARGUMENT, rdx_stream_reduce(stream, RDX_REDUCE_SUM, a, 8, b, 2, err));
  FAILS(RDX_ERROR_ARGUMENT, rdx_stream_reduce(stream, RDX_REDUCE_MAX, a, 2, b, 2, err));
  FAILS(RDX_ERROR_ARGUMENT, rdx_stream_reduce(stream, RDX_REDUCE_MAX, a, 8, number, 2, err));
  FAILS(RDX_ERROR_ARGUMENT, rdx_stream_select(stream, number, a, b, 33, err));
  FAILS(RDX_ERROR_ARGUMENT, rdx_stream_select(stream, a, b, number, 32, err));
  FAILS(RDX_ERROR_ARGUMENT, rdx_stream_unique(stream, a, 3, 0, NULL, b, 2, err));
  FAILS(RDX_ERROR_ARGUMENT, rdx_stream_unique(stream, a, 4, 32, NULL, b, 2, err));
  FAILS(RDX_ERROR_ARGUMENT, rdx_stream_unique(stream, a, 8, 0, NULL, b, 5, err));
  FAILS(RDX_ERROR_ARGUMENT, rdx_stream_unique(stream, a, 8, 0, NULL, number, 2, err));
  FAILS(RDX_ERROR_ARGUMENT, rdx_stream_fill(stream, a, 0, 36, 1, err));
  FAILS(RDX_ERROR_ARGUMENT, rdx_stream_fill(stream, a, 2, 4, 1, err));
  FAILS(RDX_ERROR_ARGUMENT, rdx_stream_fill(stream, a, 0, 6, 1, err));
  FAILS(RDX_ERROR_ARGUMENT, rdx_stream_copy(stream, a, 0, number, 0, 8, err));
  FAILS(RDX_ERROR_ARGUMENT, rdx_stream_copy(stream, a, 28, b, 0, 8, err));
  FAILS(RDX_ERROR_ARGUMENT, rdx_stream_copy(stream, a, UINT64_MAX, b, 0, 2, err));
  const void *read = NULL;
  FAILS(RDX_ERROR_ARGUMENT, rdx_stream_read(stream, a, 28, 8, &read, err));
  OK(rdx_stream_finish(stream, err)); /* nothing was recorded */
  OK(rdx_buffer_download(a, 0, words, 32, err));
  for (size_t i = 0; i < COUNT(words); i++)
    assert_int_equal(words[i], 0);
  rdx_stream_destroy(&stream);
  assert_null(stream);
  rdx_stream_destroy(&stream);
  rdx_buffer_destroy(&a);
  rdx_buffer_destroy(&b);
  rdx_buffer_destroy(&number);
  rdx_buffer_destroy(&number);
}

/* ---- Streams and scenes ---- */

static void test_memory_rates(void **state) {
  (void)state;
  rdx_device_rates rates = {0};
  OK(rdx_device_measure_memory(test_device, 1 << 20, &rates, err));
  assert_true(rates.read > 0 && rates.read < 1e6);
  assert_true(rates.copy > 0 && rates.copy < 1e6);
  FAILS(RDX_ERROR_ARGUMENT, rdx_device_measure_memory(NULL, 1 << 20, &rates, err));
  FAILS(RDX_ERROR_ARGUMENT, rdx_device_measure_memory(test_device, 1 << 20, NULL, err));
  FAILS(RDX_ERROR_ARGUMENT, rdx_device_measure_memory(test_device, 3, &rates, err));
  FAILS(RDX_ERROR_ARGUMENT, rdx_device_measure_memory(test_device, 1ull << 34, &rates, err));
}

static void test_fill_copy_and_marks(void **state) {
  (void)state;
  uint32_t words[256] = {0};
  rdx_buffer *a = filled(words, sizeof words), *b = filled(words, sizeof words);
  rdx_stream *stream = new_stream();
  OK(rdx_stream_mark(stream, err));
  OK(rdx_stream_fill(stream, a, 16, 32, 0xabcdef01, err));
  OK(rdx_stream_copy(stream, a, 8, b, 0, 64, err));
  OK(rdx_stream_mark(stream, err));
  OK(rdx_stream_finish(stream, err));
  assert_true(rdx_stream_elapsed(stream, 0, 1) >= 0);
  OK(rdx_buffer_download(b, 0, words, sizeof words, err));
  for (uint32_t i = 0; i < 256; i++)
    assert_int_equal(words[i], i >= 2 && i < 10 ? 0xabcdef01 : 0);
  rdx_stream_destroy(&stream);
  rdx_buffer_destroy(&a);
  rdx_buffer_destroy(&b);
}

/* Small results come with the submission, of a new stream as of one that took over from another. */
static void test_reads(void **state) {
  (void)state;
  enum { LARGE = RDX_STREAM_READ_MAX - 32 };
  static uint32_t words[LARGE / 4];
  for (uint32_t i = 0; i < COUNT(words); i++)
    words[i] = i * 2654435761u;
  rdx_buffer *buffer = filled(words, sizeof words);
  for (uint32_t round = 0; round < 12; round++) {
    rdx_stream *streams[10];
    for (uint32_t i = 0; i < COUNT(streams); i++)
      streams[i] = new_stream();
    rdx_stream *stream = streams[round % COUNT(streams)];
    const uint32_t *low = NULL, *high = NULL, *all = NULL;
    OK(rdx_stream_fill(stream, buffer, 4, 4, round, err));
    OK(rdx_stream_read(stream, buffer, 0, 12, (const void **)&low, err));
    OK(rdx_stream_read(stream, buffer, LARGE - 4, 4, (const void **)&high, err));
    OK(rdx_stream_finish(stream, err));
    assert_int_equal(low[0], words[0]);
    assert_int_equal(low[1], round);
    assert_int_equal(low[2], words[2]);
    assert_int_equal(high[0], words[LARGE / 4 - 1]);
    OK(rdx_stream_read(stream, buffer, 0, LARGE, (const void **)&all, err));
    FAILS(RDX_ERROR_ARGUMENT, rdx_stream_read(stream, buffer, 0, 33, (const void **)&high, err));
    OK(rdx_stream_finish(stream, err));
    words[1] = round;
    assert_memory_equal(all, words, LARGE);
    for (uint32_t i = 0; i < COUNT(streams); i++)
      rdx_stream_destroy(&streams[i]);
  }
  rdx_buffer_destroy(&buffer);
}

/* One stream, used again and again: its marks start anew and its scratch memory is given back. */
static void test_reused_stream(void **state) {
  (void)state;
  uint32_t keys[3000];
  rdx_buffer *buffer = NULL;
  rdx_stream *stream = new_stream();
  OK(rdx_buffer_create(test_device, sizeof keys, "a test", &buffer, err));
  rdx_device_usage before, after;
  rdx_device_get_usage(test_device, &before);
  for (uint32_t round = 0; round < 5; round++) {
    for (uint32_t i = 0; i < COUNT(keys); i++)
      keys[i] = (uint32_t)test_random();
    OK(rdx_buffer_upload(buffer, 0, keys, sizeof keys, err));
    for (uint32_t mark = 0; mark < RDX_MAX_MARKS; mark++) {
      OK(rdx_stream_sort(stream, buffer, 4, 32, NULL, COUNT(keys) - mark, err));
      OK(rdx_stream_mark(stream, err));
    }
    OK(rdx_stream_sort(stream, buffer, 4, 32, NULL, COUNT(keys), err));
    OK(rdx_stream_finish(stream, err));
    for (uint32_t mark = 1; mark < RDX_MAX_MARKS; mark++)
      assert_true(rdx_stream_elapsed(stream, mark - 1, mark) >= 0);
    OK(rdx_buffer_download(buffer, 0, keys, sizeof keys, err));
    for (uint32_t i = 1; i < COUNT(keys); i++)
      assert_true(keys[i - 1] <= keys[i]);
    rdx_device_get_usage(test_device, &after);
    assert_int_equal(after.memory_used, before.memory_used);
  }
  OK(rdx_stream_fill(stream, buffer, 0, 8, 1, err)); /* recorded, and never run on Vulkan */
  rdx_stream_destroy(&stream);
  rdx_buffer_destroy(&buffer);
}

/* Sort numbers and sum them up, in one stream of this thread. */
static bool sort_and_sum(rdx_stream *stream, uint32_t *keys, uint32_t count) {
  rdx_buffer *buffer = NULL, *out = NULL;
  uint64_t expected = 0, sum = 1;
  for (uint32_t i = 0; i < count; i++)
    expected += keys[i];
  bool right = rdx_buffer_create(test_device, count * 4, "a test", &buffer, NULL) == RDX_OK &&
               rdx_buffer_create(test_device, 8, "a test", &out, NULL) == RDX_OK &&
               rdx_buffer_upload(buffer, 0, keys, count * 4, NULL) == RDX_OK &&
               rdx_stream_sort(stream, buffer, 4, 32, NULL, count, NULL) == RDX_OK &&
               rdx_stream_reduce(stream, RDX_REDUCE_SUM, buffer, 4, out, count, NULL) == RDX_OK &&
               rdx_stream_finish(stream, NULL) == RDX_OK &&
               rdx_buffer_download(buffer, 0, keys, count * 4, NULL) == RDX_OK &&
               rdx_buffer_download(out, 0, &sum, 8, NULL) == RDX_OK && sum == expected;
  for (uint32_t i = 1; i < count && right; i++)
    right = keys[i - 1] <= keys[i];
  rdx_buffer_destroy(&buffer);
  rdx_buffer_destroy(&out);
  return right;
}

/* NULL where something went wrong. */
static void *use_stream(void *argument) {
  uint32_t *thread = argument;
  uint64_t x = *thread;
  uint32_t keys[7000];
  rdx_stream *stream = NULL;
  bool right = rdx_stream_create(test_device, &stream, NULL) == RDX_OK;
  for (int round = 0; round < (test_is_slow() ? 3 : 12) && right; round++) {
    const uint32_t count = 5000 + 400 * *thread + (uint32_t)round;
    for (uint32_t i = 0; i < count; i++)
      keys[i] = (uint32_t)((x = x * 6364136223846793005u + 1442695040888963407u) >> 32);
    right = sort_and_sum(stream, keys, count);
  }
  rdx_stream_destroy(&stream);
  return right ? thread : NULL;
}

/* Bare streams, one to a thread. */
static void test_streams_of_threads(void **state) {
  (void)state;
  enum { THREADS = 4 };
  pthread_t threads[THREADS];
  uint32_t numbers[THREADS];
  for (uint32_t i = 0; i < THREADS; i++) {
    numbers[i] = i;
    assert_int_equal(pthread_create(&threads[i], NULL, use_stream, &numbers[i]), 0);
  }
  for (uint32_t i = 0; i < THREADS; i++) {
    void *right = NULL;
    assert_int_equal(pthread_join(threads[i], &right), 0);
    assert_non_null(right);
  }
}

static void test_misused_scenes(void **state) {
  (void)state;
  float corners[18] = {0};
  rdx_buffer *two = filled(corners, sizeof corners);
  rdx_scene *scene = NULL;
  rdx_scene_params params = {.primitives = two, .count = 3};
  if (rdx_device_get_info(test_device)->tracing == RDX_TRACING_NONE) {
    FAILS(RDX_ERROR_UNSUPPORTED, rdx_scene_create(test_device, &params, &scene, err));
    rdx_buffer_destroy(&two);
    return;
  }
  FAILS(RDX_ERROR_ARGUMENT, rdx_scene_create(test_device, &params, &scene, err));
  params = (rdx_scene_params){.kind = RDX_SCENE_BOXES, .primitives = two, .count = 4};
  FAILS(RDX_ERROR_ARGUMENT, rdx_scene_create(test_device, &params, &scene, err));
  params = (rdx_scene_params){.count = 1};
  FAILS(RDX_ERROR_ARGUMENT, rdx_scene_create(test_device, &params, &scene, err));
  assert_null(scene);
  params = (rdx_scene_params){.primitives = two, .count = 2};
  OK(rdx_scene_create(test_device, &params, &scene, err));
  assert_true(rdx_scene_estimate(test_device, &params) > 0);
  FAILS(RDX_ERROR_UNSUPPORTED, rdx_scene_refit(scene, two, err)); /* not updatable */
  rdx_scene_destroy(&scene);
  rdx_scene_destroy(&scene);
  rdx_buffer_destroy(&two);
}

static void test_scenes(void **state) {
  (void)state;
  if (rdx_device_get_info(test_device)->tracing == RDX_TRACING_NONE)
    return;
  float corners[9 * 10];
  for (uint32_t i = 0; i < COUNT(corners); i++)
    corners[i] = (float)(test_random() % 100);
  rdx_buffer *vertices = filled(corners, sizeof corners);
  for (uint32_t partitions = 0; partitions <= 4; partitions += 2) {
    rdx_scene_params params = {
        .primitives = vertices, .count = 10, .partitions = partitions, .compact = partitions == 0, .updatable = true};
    rdx_scene *scene = NULL;
    OK(rdx_scene_create(test_device, &params, &scene, err));
    assert_int_equal(scene->partitions, partitions > 0 ? partitions : 1);
    assert_true(scene->bytes > 0 && scene->bytes <= scene->bytes_built);
    OK(rdx_scene_refit(scene, vertices, err));
    rdx_scene_destroy(&scene);
    assert_null(scene);
    params.count = 0;
    OK(rdx_scene_create(test_device, &params, &scene, err));
    rdx_scene_destroy(&scene);
  }
  rdx_buffer_destroy(&vertices);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_buffers),
      cmocka_unit_test(test_many_buffers),
      cmocka_unit_test(test_memory_limit),
      cmocka_unit_test(test_sort),
      cmocka_unit_test(test_sort_of_low_bits),
      cmocka_unit_test(test_scan_and_reduce),
      cmocka_unit_test(test_wide_maximum),
      cmocka_unit_test(test_select),
      cmocka_unit_test(test_unique),
      cmocka_unit_test(test_unique_of_narrow_keys),
      cmocka_unit_test(test_misused_streams),
      cmocka_unit_test(test_fill_copy_and_marks),
      cmocka_unit_test(test_memory_rates),
      cmocka_unit_test(test_reads),
      cmocka_unit_test(test_reused_stream),
      cmocka_unit_test(test_scenes),
      cmocka_unit_test(test_streams_of_threads),
      cmocka_unit_test(test_misused_scenes),
  };
  return TEST_MAIN(tests);
}
