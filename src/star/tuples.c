/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* Dictionaries of tuples. */

#include "star/tuples.h"

#include <string.h>

#include "kernels/bitmap/kernels.h"
#include "kernels/primitives/kernels.h"
#include "kernels/star/kernels.h"
#include "base/numbers.h"

#define KEY_BITS 64

static uint64_t largest_code(const rdx_encoded_column *a) {
  const uint64_t codes = rdx_encoded_column_codes(a);
  return codes > 0 ? codes - 1 : 0;
}

uint32_t rdx_tuples_code_bytes(const rdx_encoded_column *attribute) {
  return largest_code(attribute) > UINT32_MAX ? 8 : 4;
}

/* ---- Building ---- */

typedef struct building {
  const rdx_packed_relation *relation;
  rdx_device *device;
  rdx_buffer *rows;
  uint64_t count;
  rdx_tuples *tuples;
  rdx_stream *stream;
  uint32_t key_bytes;
  rdx_buffer *keys, *number;
} building;

static rdx_status download_array(const rdx_buffer *from, uint64_t count, size_t size, void **out, rdx_error *err) {
  RDX_TRY(rdx_alloc(count + 1, size, "the tuples of a cube", out, err));
  return rdx_buffer_download(from, 0, *out, count * size, err);
}

/* How many tuples were found, of at most so many. */
static rdx_status read_count(const building *b, uint64_t max, uint64_t *out, rdx_error *err) {
  return rdx_buffer_number(b->number, 0, 1, max < b->count ? max : b->count, "the tuples of a cube", out, err);
}

/* The distinct values among ascending keys, which are at most `max`. */
static rdx_status distinct(building *b, const rdx_buffer *keys, uint32_t key_bytes, uint64_t max, uint64_t **out,
                           uint32_t *out_count, rdx_error *err) {
  RDX_SCOPED(rdx_buffer_destroy) rdx_buffer *values = NULL;
  uint64_t count = 0;
  RDX_TRY(rdx_buffer_create(b->device, b->count * 8, "the tuples of a cube", &values, err));
  RDX_TRY(rdx_stream_unique(b->stream, keys, key_bytes, 0, values, b->number, b->count, err));
  RDX_TRY(rdx_stream_finish(b->stream, err));
  RDX_TRY(read_count(b, UINT64_MAX, &count, err));
  RDX_TRY(download_array(values, count, sizeof **out, (void **)out, err));
  *out_count = (uint32_t)count;
  return rdx_returned_keys(b->device, *out, count, max, "a tuple", err);
}

/* The dictionary of the widest attribute that has none, for want of bits. */
static rdx_status shorten_widest(building *b, uint32_t total, rdx_error *err) {
  rdx_tuples *t = b->tuples;
  uint32_t widest = t->attribute_count;
  for (uint32_t i = 0; i < t->attribute_count; i++)
    if (!t->dictionaries[i] && (widest == t->attribute_count || t->bits[i] > t->bits[widest]))
      widest = i;
  if (widest == t->attribute_count)
    return rdx_fail(err, RDX_ERROR_UNSUPPORTED,
                    "the %u attributes of a tuple take %u bits together, and may take %d: use fewer of them",
                    t->attribute_count, total, KEY_BITS);
  const rdx_encoded_column *attribute = &b->relation->attributes[t->attributes[widest]];
  RDX_SCOPED(rdx_buffer_destroy) rdx_buffer *codes = NULL;
  RDX_TRY(rdx_packed_gather(b->relation, attribute, b->rows, b->count, 8, &codes, err));
  RDX_TRY(rdx_stream_sort(b->stream, codes, 8, t->bits[widest], NULL, b->count, err));
  RDX_TRY(distinct(b, codes, 8, largest_code(attribute), &t->dictionaries[widest], &t->dictionary_counts[widest], err));
  t->bits[widest] = rdx_bits_below(t->dictionary_counts[widest]);
  return RDX_OK;
}

static rdx_status choose_bits(building *b, rdx_error *err) {
  rdx_tuples *t = b->tuples;
  uint32_t total = 0;
  for (uint32_t i = 0; i < t->attribute_count; i++) {
    t->bits[i] = rdx_bit_length(largest_code(&b->relation->attributes[t->attributes[i]]));
    total += t->bits[i];
  }
  while (total > KEY_BITS) {
    RDX_TRY(shorten_widest(b, total, err));
    total = 0;
    for (uint32_t i = 0; i < t->attribute_count; i++)
      total += t->bits[i];
  }
  for (uint32_t i = t->attribute_count, shift = 0; i-- > 0; shift += t->bits[i])
    t->shifts[i] = shift;
  return RDX_OK;
}

/* Append an attribute to the keys of all rows. */
static rdx_status append(building *b, uint32_t i, rdx_error *err) {
  const rdx_tuples *t = b->tuples;
  const rdx_encoded_column *c = &b->relation->attributes[t->attributes[i]];
  const rdx_foreign_rows *p = rdx_packed_foreign_rows(b->relation, c);
  struct star_key_args args = {.keys = RDX_ADDRESS(uint64_t, b->keys),
                               .codes = RDX_ADDRESS(uint32_t, c->codes),
                               .rows = RDX_ADDRESS(uint32_t, b->rows),
                               .foreign_rows = p ? RDX_ADDRESS(uint32_t, p->codes) : NULL,
                               .dictionary_count = t->dictionary_counts[i],
                               .bytes = c->bytes,
                               .foreign_bytes = p ? p->bytes : 0,
                               .bits = t->bits[i],
                               .first_attribute = i == 0,
                               .narrow = b->key_bytes == 4};
  uint64_t dictionary = 0;
  if (t->dictionaries[i])
    RDX_TRY(
        rdx_stream_constants(b->stream, t->dictionaries[i], (uint64_t)t->dictionary_counts[i] * 8, &dictionary, err));
  args.dictionary = (uint64_t *)(uintptr_t)dictionary;
  return rdx_stream_launch(b->stream, &rdx_kernel_star_key, &args, NULL, b->count, NULL, err);
}

/* The bitmap of all keys that there might be, and what finds ranks in it, take half a byte for each: 8 bytes a row at
 * most, or 32 KiB. */
static bool fits_bitmap(uint64_t count, uint32_t bits) {
  return bits <= 16 || (bits < 32 && 1ull << bits <= 16 * count);
}

/* RTCUDB, Figure 9 "Encoding for GroupBy". */
/* Keys are numbers of a set: places are ranks in it. */
static rdx_status rank_keys(building *b, uint32_t bits, rdx_buffer *buffers[3], rdx_buffer **places, rdx_error *err) {
  const uint64_t size = 1ull << bits, max = size < b->count ? size : b->count;
  RDX_SCOPED(rdx_free_local) uint32_t *numbers = NULL;
  uint64_t count = 0;
  RDX_TRY(rdx_buffer_create(b->device, rdx_bitmap_bytes(size), "the tuples of a cube", &buffers[0], err));
  RDX_TRY(rdx_buffer_create(b->device, (buffers[0]->size / 4 + 1) * 8, "the tuples of a cube", &buffers[1], err));
  RDX_TRY(rdx_buffer_create(b->device, max * 4, "the tuples of a cube", &buffers[2], err));
  const rdx_marked_keys keys = {.keys = b->keys, .key_bits = 8 * b->key_bytes, .rows = b->count};
  RDX_TRY(rdx_bitmap_mark(b->stream, &keys, buffers[0], err));
  RDX_TRY(rdx_bitmap_before(b->stream, buffers[0], buffers[1], err));
  RDX_TRY(rdx_stream_select(b->stream, buffers[0], buffers[2], b->number, size, err));
  RDX_TRY(rdx_buffer_create(b->device, b->count * 4, "the places of rows", places, err));
  RDX_TRY(rdx_bitmap_rank(b->stream, b->keys, 8 * b->key_bytes, buffers[0], buffers[1], *places, b->count, err));
  RDX_TRY(rdx_stream_finish(b->stream, err));
  RDX_TRY(read_count(b, size, &count, err));
  RDX_TRY(download_array(buffers[2], count, sizeof *numbers, (void **)&numbers, err));
  RDX_TRY(rdx_returned_rows(b->device, numbers, count, size, "a tuple", err));
  b->tuples->count = (uint32_t)count;
  RDX_TRY(rdx_alloc(count, sizeof *b->tuples->keys, "the tuples of a cube", (void **)&b->tuples->keys, err));
  for (uint64_t i = 0; i < count; i++)
    b->tuples->keys[i] = numbers[i];
  return RDX_OK;
}

/* Too many bits for that: keys are sorted, and places are the numbers of their runs. */
static rdx_status sort_keys(building *b, uint32_t bits, rdx_buffer *buffers[3], rdx_buffer **places, rdx_error *err) {
  RDX_TRY(rdx_buffer_create(b->device, b->count * 4, "the order of a cube", &buffers[0], err));
  RDX_TRY(rdx_primitive_iota(b->stream, buffers[0], b->count, err));
  RDX_TRY(rdx_stream_sort(b->stream, b->keys, b->key_bytes, bits, buffers[0], b->count, err));
  RDX_TRY(
      distinct(b, b->keys, b->key_bytes, UINT64_MAX >> (KEY_BITS - bits), &b->tuples->keys, &b->tuples->count, err));
  RDX_TRY(rdx_buffer_create(b->device, (b->count + 31) / 32 * 4, "the tuples of a cube", &buffers[1], err));
  RDX_TRY(rdx_buffer_create(b->device, (uint64_t)b->tuples->count * 4, "the tuples of a cube", &buffers[2], err));
  RDX_TRY(rdx_primitive_heads(b->stream, b->keys, 8 * b->key_bytes, buffers[1], b->count, err));
  RDX_TRY(rdx_stream_select(b->stream, buffers[1], buffers[2], b->number, b->count, err));
  RDX_TRY(rdx_buffer_create(b->device, b->count * 4, "the places of rows", places, err));
  const struct star_place_args args = {.starts = RDX_ADDRESS(uint32_t, buffers[2]),
                                       .order = RDX_ADDRESS(uint32_t, buffers[0]),
                                       .out_places = RDX_ADDRESS(uint32_t, *places),
                                       .starts_count = b->tuples->count};
  RDX_TRY(rdx_stream_launch(b->stream, &rdx_kernel_star_place, &args, NULL, b->count, NULL, err));
  return rdx_stream_finish(b->stream, err);
}

/* That fields of keys are codes, or places in dictionaries. */
static rdx_status check_fields(const building *b, rdx_error *err) {
  const rdx_tuples *t = b->tuples;
  for (uint32_t i = 0; i < t->attribute_count; i++) {
    const uint64_t max =
        t->dictionaries[i] ? t->dictionary_counts[i] - 1 : largest_code(&b->relation->attributes[t->attributes[i]]);
    for (uint32_t k = 0; k < t->count && max < rdx_tuples_max(t, i); k++)
      RDX_TRY(rdx_returned_number(b->device, rdx_tuples_field(t, t->keys[k], i), 0, max, "a code of a tuple", err));
  }
  return RDX_OK;
}

/* Attributes of up to so many bits are looked at: what they determine is searched in each query. */
#define DETERMINING_BITS 12

static rdx_status find_determined(rdx_tuples *t, uint32_t from, uint32_t to, rdx_error *err) {
  const size_t size = (size_t)1 << t->bits[from];
  uint32_t *codes = NULL;
  RDX_TRY(rdx_alloc(size, sizeof *codes, "the tuples of a cube", (void **)&codes, err));
  memset(codes, 0xff, size * sizeof *codes);
  for (uint32_t i = 0; i < t->count; i++) {
    const uint32_t code = (uint32_t)rdx_tuples_field(t, t->keys[i], to);
    uint32_t *known = &codes[rdx_tuples_field(t, t->keys[i], from)];
    if (*known != UINT32_MAX && *known != code) {
      rdx_free(codes);
      return RDX_OK;
    }
    *known = code;
  }
  t->determined[from][to] = codes;
  return RDX_OK;
}

static rdx_status find_all_determined(rdx_tuples *t, rdx_error *err) {
  for (uint32_t from = 0; from < t->attribute_count; from++)
    for (uint32_t to = 0; to < t->attribute_count; to++)
      if (from != to && t->bits[from] <= DETERMINING_BITS && t->bits[to] < 32 && !t->dictionaries[from] &&
          !t->dictionaries[to])
        RDX_TRY(find_determined(t, from, to, err));
  return RDX_OK;
}

/* Where neighbours differ first. */
static void count_prefixes(rdx_tuples *t) {
  uint32_t differ[RDX_MAX_TUPLE] = {0}, position_of[64];
  for (uint32_t i = t->attribute_count; i-- > 0;)
    for (uint32_t bit = 0; bit < t->bits[i]; bit++)
      position_of[t->shifts[i] + bit] = i;
  for (uint32_t i = 1; i < t->count; i++)
    differ[position_of[63 - (uint32_t)__builtin_clzll(t->keys[i] ^ t->keys[i - 1])]]++;
  t->prefixes[0] = t->count > 0;
  for (uint32_t i = 0; i < t->attribute_count; i++)
    t->prefixes[i + 1] = t->prefixes[i] + differ[i];
}

static rdx_status build(building *b, rdx_buffer **places, rdx_error *err) {
  rdx_tuples *t = b->tuples;
  rdx_buffer *buffers[3] = {0};
  RDX_TRY(rdx_stream_create_for(b->device, "build", &b->stream, err));
  RDX_TRY(rdx_buffer_create(b->device, 8, "the tuples of a cube", &b->number, err));
  RDX_TRY(choose_bits(b, err));
  const uint32_t bits = t->attribute_count == 0 ? 0 : t->shifts[0] + t->bits[0];
  if (b->count == 0 || bits == 0) { /* one tuple: its key is 0 */
    t->count = b->count > 0;
    return rdx_calloc(1, sizeof *t->keys, "the tuples of a cube", (void **)&t->keys, err);
  }
  b->key_bytes = bits <= 32 ? 4 : 8;
  RDX_TRY(rdx_buffer_create(b->device, b->count * b->key_bytes, "the tuples of a cube", &b->keys, err));
  for (uint32_t i = 0; i < t->attribute_count; i++)
    RDX_TRY(append(b, i, err));
  const rdx_status status = (fits_bitmap(b->count, bits) ? rank_keys : sort_keys)(b, bits, buffers, places, err);
  for (uint32_t i = 0; i < RDX_COUNT(buffers); i++)
    rdx_buffer_destroy(&buffers[i]);
  if (t->count == 1)
    rdx_buffer_destroy(places);
  RDX_TRY(status);
  RDX_TRY(check_fields(b, err));
  count_prefixes(t);
  return find_all_determined(t, err);
}

/* RTCUDB, section 4.3 "GroupBy with Multiple Attributes". */
rdx_status rdx_tuples_create(const rdx_packed_relation *relation, rdx_buffer *rows, uint64_t count,
                             const uint32_t *attributes, uint32_t attribute_count, rdx_tuples *out,
                             rdx_buffer **out_places, rdx_error *err) {
  *out = (rdx_tuples){.attribute_count = attribute_count};
  *out_places = NULL;
  memcpy(out->attributes, attributes, attribute_count * sizeof *attributes);
  building b = {.relation = relation, .device = relation->device, .rows = rows, .count = count, .tuples = out};
  const rdx_status status = build(&b, out_places, err);
  rdx_stream_destroy(&b.stream);
  RDX_DESTROY_BUFFERS(&b.keys, &b.number);
  if (status != RDX_OK) {
    rdx_buffer_destroy(out_places);
    rdx_tuples_destroy(out);
  }
  return status;
}

void rdx_tuples_destroy(rdx_tuples *t) {
  for (uint32_t i = 0; i < RDX_MAX_TUPLE; i++)
    rdx_free(t->dictionaries[i]);
  for (uint32_t i = 0; i < RDX_MAX_TUPLE * RDX_MAX_TUPLE; i++)
    rdx_free(t->determined[i / RDX_MAX_TUPLE][i % RDX_MAX_TUPLE]);
  RDX_FREE_ALL(t->keys, t->starts);
  *t = (rdx_tuples){0};
}

/* ---- Reading ---- */

uint64_t rdx_tuples_bytes(const rdx_tuples *tuples) {
  uint64_t bytes = (uint64_t)tuples->count * (sizeof *tuples->keys + sizeof *tuples->starts);
  for (uint32_t i = 0; i < tuples->attribute_count; i++) {
    bytes += (uint64_t)tuples->dictionary_counts[i] * sizeof **tuples->dictionaries;
    for (uint32_t j = 0; j < tuples->attribute_count; j++)
      bytes += tuples->determined[i][j] ? sizeof **tuples->determined[i] << tuples->bits[i] : 0;
  }
  return bytes;
}

uint32_t rdx_tuples_position(const rdx_tuples *t, uint32_t attribute) {
  for (uint32_t i = 0; i < t->attribute_count; i++)
    if (t->attributes[i] == attribute)
      return i;
  return RDX_MAX_TUPLE;
}

uint64_t rdx_tuples_code(const rdx_tuples *t, uint32_t place, uint32_t position) {
  const uint64_t field = rdx_tuples_field(t, t->keys[place], position);
  return t->dictionaries[position] ? t->dictionaries[position][field] : field;
}

/* A field's part of the number of a group. */
typedef struct field {
  uint32_t shift;
  uint64_t mask, stride;
} field;

/* Of an attribute whose fields stand for codes, or whose codes for places. */
static void add_codes(const rdx_tuples *t, const rdx_plan *plan, uint32_t number, const uint64_t *places,
                      uint64_t stride, uint64_t count, uint64_t *numbers) {
  const uint32_t position = rdx_tuples_position(t, plan->query->group_by[number]);
  for (uint64_t i = 0; i < count; i++) {
    uint64_t code = rdx_tuples_code(t, (uint32_t)places[i * stride], position);
    if (plan->group_dense[number])
      code = rdx_encoded_column_rank(plan->group_dense[number], code);
    numbers[i] += code * plan->group_stride[number];
  }
}

/* RTCUDB, section 4.3 "mapping table that allows efficient lookup". */
void rdx_tuples_number(const rdx_tuples *t, const rdx_plan *plan, const uint64_t *places, uint64_t stride,
                       uint64_t count, uint64_t *numbers) {
  const uint32_t attributes = plan->query->group_count;
  field fields[RDX_MAX_TUPLE];
  uint32_t n = 0;
  uint64_t lowest = 0; /* the number of codes that are all the least */
  for (uint32_t a = 0; a < attributes; a++) {
    const uint32_t position = rdx_tuples_position(t, plan->query->group_by[a]);
    lowest += plan->group_low[a] * plan->group_stride[a];
    if (t->bits[position] > 0 && !t->dictionaries[position] && !plan->group_dense[a])
      fields[n++] = (field){t->shifts[position], rdx_tuples_max(t, position), plan->group_stride[a]};
  }
  for (uint64_t i = 0; i < count; i++) {
    const uint64_t key = attributes > 0 ? t->keys[places[i * stride]] : 0;
    uint64_t number = -lowest;
    for (uint32_t k = 0; k < n; k++)
      number += (key >> fields[k].shift & fields[k].mask) * fields[k].stride;
    numbers[i] = number;
  }
  for (uint32_t a = 0; a < attributes; a++) {
    const uint32_t position = rdx_tuples_position(t, plan->query->group_by[a]);
    if (t->dictionaries[position] || plan->group_dense[a])
      add_codes(t, plan, a, places, stride, count, numbers);
  }
}

/* Whether rows of one group agree in an attribute. */
static bool is_constant_within_group(const rdx_plan *plan, uint32_t attribute) {
  for (uint32_t i = 0; i < plan->query->group_count; i++)
    if (plan->query->group_by[i] == attribute)
      return true;
  const rdx_code_set *set = rdx_plan_set(plan, attribute);
  return set && set->count == 1 && set->list[0].low == set->list[0].high;
}

bool rdx_tuples_are_constant(const rdx_tuples *t, const rdx_plan *plan) {
  bool constant[RDX_MAX_TUPLE];
  for (uint32_t i = 0; i < t->attribute_count; i++)
    constant[i] = t->bits[i] == 0 || is_constant_within_group(plan, t->attributes[i]);
  for (uint32_t i = 0; i < t->attribute_count; i++) {
    for (uint32_t k = 0; k < t->attribute_count && !constant[i]; k++)
      constant[i] = constant[k] && t->determined[k][i];
    if (!constant[i])
      return false;
  }
  return true;
}
