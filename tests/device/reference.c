/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

#include "reference.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Making columns ---- */

static uint64_t number_of(test_shape shape, uint64_t row, uint64_t rows) {
  static const uint64_t extremes[] = {
      0,      1,      UINT64_MAX, INT64_MAX, (uint64_t)INT64_MIN, UINT32_MAX, 0x80000000, 0x7fffffff, 0x7f, 0x80, 0xff,
      0x7fff, 0x8000, 0xffff,     2,         UINT64_MAX - 1};
  const uint64_t power = (uint64_t)1 << (test_random() % 64);
  switch (shape) {
  case SHAPE_DENSE:
    return (row * 7 + 3) % (rows % 7 == 0 ? rows + 1 : rows);
  case SHAPE_SORTED:
    return row;
  case SHAPE_REVERSED:
    return rows - row;
  case SHAPE_EQUAL:
    return 42;
  case SHAPE_FEW:
    return test_random() % 8;
  case SHAPE_SKEWED:
    return test_random() >> (test_random() % 64);
  case SHAPE_EXTREMES:
    return extremes[test_random() % (sizeof extremes / sizeof *extremes)];
  case SHAPE_EDGES:
    return power + test_random() % 3 - 1;
  default:
    return test_random();
  }
}

static void set_float(void *to, rdx_type type, test_shape shape, uint64_t number) {
  static const double special[] = {0.0, -0.0, 1.0, -1.0, INFINITY, -INFINITY, NAN, 1e-310, -1e-310, 1e300, -1e300};
  double value = (double)(int64_t)number;
  if (shape == SHAPE_FEW || shape == SHAPE_SORTED)
    value *= 0.01;
  if (shape == SHAPE_EXTREMES)
    value = special[number % 11];
  else if (shape == SHAPE_RANDOM)
    memcpy(&value, &number, sizeof value);
  const float narrow = (float)value;
  if (type == RDX_TYPE_F32)
    memcpy(to, &narrow, sizeof narrow);
  else
    memcpy(to, &value, sizeof value);
}

static void set_fixed(void *values, rdx_type type, test_shape shape, uint64_t row, uint64_t number) {
  void *to = (char *)values + row * rdx_type_size(type);
  if (type == RDX_TYPE_F32 || type == RDX_TYPE_F64) {
    set_float(to, type, shape, number);
  } else if (type == RDX_TYPE_BOOL) {
    *(uint8_t *)to = number & 1;
  } else {
    memcpy(to, &number, rdx_type_size(type)); /* little endian: the low bytes */
  }
}

/* Text with common prefixes, of all lengths around the eight bytes of a prefix, with NUL bytes now and then. */
static size_t text_of(test_shape shape, uint64_t number, char text[64]) {
  static const char *const prefixes[] = {"", "a", "common-prefix-", "12345678", "1234567", "\xc3\xa9t\xc3\xa9"};
  const char *prefix = shape == SHAPE_DENSE || shape == SHAPE_SORTED ? "" : prefixes[number % 6];
  if (shape == SHAPE_EXTREMES && number % 3 == 0) {
    memcpy(text, "ab\0\0\0\0\0\0\0\0", 10);
    return number % 11;
  }
  return (size_t)snprintf(text, 64, "%s%llu", prefix, (unsigned long long)(number % 997));
}

static void make_strings(test_column *c, test_shape shape) {
  const uint64_t rows = c->view.rows;
  uint64_t *offsets = calloc(rows + 1, sizeof *offsets);
  char *bytes = malloc(rows * 64 + 1);
  assert_true(offsets && bytes);
  for (uint64_t i = 0; i < rows; i++)
    offsets[i + 1] = offsets[i] + text_of(shape, number_of(shape, i, rows), bytes + offsets[i]);
  c->view.offsets = offsets;
  c->view.values = bytes;
}

static void make_nulls(test_column *c, test_nulls nulls) {
  if (nulls == NO_NULLS)
    return;
  uint8_t *validity = malloc(c->view.rows / 8 + 1);
  assert_non_null(validity);
  for (uint64_t i = 0; i <= c->view.rows / 8; i++)
    validity[i] = nulls == ALL_NULLS ? 0 : (uint8_t)(test_random() | test_random());
  c->view.validity = validity;
}

static int compare_rows(const void *x, const void *y, void *context) {
  const rdx_column *c = context;
  return column_compare(c, *(const uint32_t *)x, c, *(const uint32_t *)y);
}

static void free_strings(const rdx_column *c) {
  free((void *)(uintptr_t)c->values);
  free((void *)(uintptr_t)c->offsets);
}

/* Now and then give a column of strings a dictionary, with the strings of NULLs, which no row has. */
static void make_dictionary(test_column *c) {
  if (test_random() % 2)
    return;
  const rdx_column plain = c->view;
  rdx_column *d = malloc(sizeof *d);
  uint32_t *places = calloc(plain.rows + 1, sizeof *places), *sorted = calloc(plain.rows + 1, sizeof *sorted);
  uint64_t *offsets = calloc(plain.rows + 1, sizeof *offsets), length;
  char *bytes = malloc(plain.rows > 0 ? plain.offsets[plain.rows] + 1 : 1);
  assert_true(d && places && sorted && offsets && bytes);
  *d = (rdx_column){.type = RDX_TYPE_STRING, .values = bytes, .offsets = offsets};
  for (uint64_t i = 0; i < plain.rows; i++)
    sorted[i] = (uint32_t)i;
  qsort_r(sorted, plain.rows, sizeof *sorted, compare_rows, (void *)(uintptr_t)&plain);
  for (uint64_t i = 0; i < plain.rows; i++) {
    if (i == 0 || column_compare(&plain, sorted[i - 1], &plain, sorted[i]) != 0) {
      const char *text = rdx_column_string(&plain, sorted[i], &length);
      memcpy(bytes + offsets[d->rows], text, length);
      offsets[d->rows + 1] = offsets[d->rows] + length;
      d->rows++;
    }
    places[sorted[i]] = column_has(&plain, sorted[i]) ? (uint32_t)d->rows - 1 : (uint32_t)test_random();
  }
  free(sorted);
  free_strings(&plain);
  c->view.values = places;
  c->view.offsets = NULL;
  c->view.dictionary = d;
}

test_column column_make(rdx_type type, test_shape shape, test_nulls nulls, uint64_t rows) {
  rows = shape == SHAPE_EMPTY ? 0 : shape == SHAPE_ONE ? 1 : rows;
  test_column c = {.view = {.type = type, .scale = type == RDX_TYPE_DECIMAL ? 2 : 0, .rows = rows}};
  if (type == RDX_TYPE_STRING) {
    make_strings(&c, shape);
  } else {
    void *values = malloc(rows * 8 + 8);
    assert_non_null(values);
    for (uint64_t i = 0; i < rows; i++)
      set_fixed(values, type, shape, i, number_of(shape, i, rows));
    c.view.values = values;
  }
  make_nulls(&c, nulls);
  if (type == RDX_TYPE_STRING)
    make_dictionary(&c);
  return c;
}

void column_free(test_column *c) {
  if (c->view.dictionary)
    free_strings(c->view.dictionary);
  free((void *)(uintptr_t)c->view.dictionary);
  free_strings(&c->view);
  free((void *)(uintptr_t)c->view.validity);
  *c = (test_column){0};
}

static test_column probe_strings(const test_column *keys, uint64_t rows) {
  test_column c = {.view = {.type = RDX_TYPE_STRING, .rows = rows}};
  uint64_t *offsets = calloc(rows + 1, sizeof *offsets);
  char *bytes = malloc(rows * 66 + 1);
  assert_true(offsets && bytes);
  for (uint64_t i = 0; i < rows; i++) {
    char *to = bytes + offsets[i];
    uint64_t length = 0;
    if (keys->view.rows > 0 && test_random() % 4 != 0) {
      const uint64_t row = test_random() % keys->view.rows;
      const char *text = rdx_column_string(&keys->view, row, &length);
      memcpy(to, text, length);
      if (test_random() % 4 == 0)
        to[length++] = (char)(test_random() % 2);
      else if (test_random() % 8 == 0 && length > 0)
        length--;
    } else {
      length = text_of(SHAPE_RANDOM, test_random(), to);
    }
    offsets[i + 1] = offsets[i] + length;
  }
  c.view.offsets = offsets;
  c.view.values = bytes;
  return c;
}

test_column column_probes(const test_column *keys, uint64_t rows, test_nulls nulls) {
  const rdx_type type = keys->view.type;
  if (type == RDX_TYPE_STRING) {
    test_column c = probe_strings(keys, rows);
    make_nulls(&c, nulls);
    make_dictionary(&c);
    return c;
  }
  test_column c = column_make(type, SHAPE_SKEWED, nulls, rows);
  const size_t size = rdx_type_size(type);
  for (uint64_t i = 0; i < rows && keys->view.rows > 0; i++) {
    char *to = (char *)(uintptr_t)c.view.values + i * size;
    const uint64_t choice = test_random() % 8;
    if (choice == 0)
      set_fixed((void *)(uintptr_t)c.view.values, type, SHAPE_EXTREMES, i, number_of(SHAPE_EXTREMES, i, rows));
    if (choice < 3)
      continue;
    memcpy(to, (const char *)keys->view.values + test_random() % keys->view.rows * size, size);
    if (choice < 5 && type != RDX_TYPE_BOOL) { /* a neighbour: one more or less in the lowest bits */
      uint64_t bits = 0;
      memcpy(&bits, to, size);
      bits += choice == 3 ? 1u : UINT64_MAX;
      memcpy(to, &bits, size);
    }
  }
  return c;
}

/* ---- Comparing ---- */

bool column_has(const rdx_column *c, uint64_t i) {
  return !c->validity || (c->validity[i / 8] >> (i % 8) & 1);
}

i128 integer_at(const rdx_column *c, uint64_t i) {
  switch (c->type) {
  case RDX_TYPE_I8:
    return ((const int8_t *)c->values)[i];
  case RDX_TYPE_I16:
    return ((const int16_t *)c->values)[i];
  case RDX_TYPE_I32:
  case RDX_TYPE_DATE:
    return ((const int32_t *)c->values)[i];
  case RDX_TYPE_BOOL:
  case RDX_TYPE_U8:
    return ((const uint8_t *)c->values)[i];
  case RDX_TYPE_U16:
    return ((const uint16_t *)c->values)[i];
  case RDX_TYPE_U32:
    return ((const uint32_t *)c->values)[i];
  case RDX_TYPE_U64:
    return ((const uint64_t *)c->values)[i];
  default:
    return ((const int64_t *)c->values)[i];
  }
}

static bool is_float(rdx_type type) {
  return type == RDX_TYPE_F32 || type == RDX_TYPE_F64;
}

static double float_at(const rdx_column *c, uint64_t i) {
  return c->type == RDX_TYPE_F32 ? (double)((const float *)c->values)[i] : ((const double *)c->values)[i];
}

static int compare_floats(double a, double b) {
  if (a != a || b != b)
    return (a != a) - (b != b);
  return (a > b) - (a < b);
}

int column_compare(const rdx_column *a, uint64_t i, const rdx_column *b, uint64_t j) {
  if (a->type == RDX_TYPE_STRING) {
    uint64_t m, n;
    const char *x = rdx_column_string(a, i, &m), *y = rdx_column_string(b, j, &n);
    const int order = memcmp(x, y, m < n ? m : n);
    return order != 0 ? order : (m > n) - (m < n);
  }
  if (is_float(a->type))
    return compare_floats(float_at(a, i), float_at(b, j));
  const i128 x = integer_at(a, i), y = integer_at(b, j);
  return (x > y) - (x < y);
}

/* ---- Checking lookups ---- */

bool column_matches(const rdx_column *keys, uint64_t row, const rdx_column *lower, const rdx_column *upper,
                    uint64_t probe) {
  if (!column_has(keys, row) || !column_has(lower, probe) || (upper && !column_has(upper, probe)))
    return false;
  if (!upper)
    return column_compare(keys, row, lower, probe) == 0;
  return column_compare(lower, probe, keys, row) <= 0 && column_compare(keys, row, upper, probe) <= 0;
}

/* What a probe must find. */
typedef struct found {
  uint32_t *rows;
  uint32_t count, with_value;
  i128 sum;
  double float_sum;
} found;

/* Whether integers, which are most keys, are compared in `find`: it reads the bounds once, as there are many rows. */
static bool are_integers(const rdx_column *keys, const rdx_column *lower, const rdx_column *upper, uint64_t probe) {
  return keys->type != RDX_TYPE_STRING && !is_float(keys->type) && column_has(lower, probe) &&
         (!upper || column_has(upper, probe));
}

static void find(found *f, const rdx_column *keys, const rdx_column *lower, const rdx_column *upper, uint64_t probe,
                 const rdx_column *values) {
  f->count = f->with_value = 0;
  f->sum = 0;
  f->float_sum = 0;
  const bool integers = are_integers(keys, lower, upper, probe);
  const i128 low = integers ? integer_at(lower, probe) : 0;
  const i128 high = integers && upper ? integer_at(upper, probe) : low;
  for (uint64_t row = 0; row < keys->rows; row++) {
    const i128 key = integers ? integer_at(keys, row) : 0;
    if (integers ? key < low || key > high || !column_has(keys, row)
                 : !column_matches(keys, row, lower, upper, probe))
      continue;
    f->rows[f->count++] = (uint32_t)row;
    if (!column_has(values, row))
      continue;
    f->with_value++;
    if (is_float(values->type))
      f->float_sum += float_at(values, row);
    else
      f->sum += integer_at(values, row);
  }
}

static bool fits(const rdx_column *values, i128 sum) {
  const bool is_unsigned = values->type >= RDX_TYPE_U8 && values->type <= RDX_TYPE_U64;
  return is_unsigned ? sum <= (i128)UINT64_MAX : sum >= INT64_MIN && sum <= INT64_MAX;
}

static void check_sum(const rdx_lookup_view *v, const rdx_column *values, uint64_t i, const found *f) {
  assert_int_equal(v->count[i], f->with_value);
  if (is_float(values->type)) {
    assert_int_equal(v->sum_type, RDX_TYPE_F64);
    if (f->float_sum != f->float_sum)
      assert_true(v->sum_f64[i] != v->sum_f64[i]);
    else
      assert_memory_equal(&v->sum_f64[i], &f->float_sum, sizeof f->float_sum);
  } else if (v->sum_u64) {
    assert_true((i128)v->sum_u64[i] == f->sum);
  } else {
    assert_non_null(v->sum_i64);
    assert_true((i128)v->sum_i64[i] == f->sum);
  }
}

static void check_one(const rdx_lookup_view *v, const rdx_column *values, uint64_t i, const found *f) {
  switch (v->kind) {
  case RDX_LOOKUP_COUNT:
    assert_int_equal(v->count[i], f->count);
    break;
  case RDX_LOOKUP_FIRST:
    assert_int_equal(v->first[i], f->count > 0 ? f->rows[0] : RDX_NO_ROW);
    break;
  case RDX_LOOKUP_SUM:
    check_sum(v, values, i, f);
    break;
  case RDX_LOOKUP_ROWS:
    assert_int_equal(v->offsets[i + 1] - v->offsets[i], f->count);
    if (f->count > 0)
      assert_memory_equal(v->rows + v->offsets[i], f->rows, f->count * sizeof *f->rows);
    break;
  }
}

/* One result of each kind. */
typedef struct answers {
  rdx_lookup_result *result[RDX_LOOKUP_ROWS + 1];
  rdx_lookup_view view[RDX_LOOKUP_ROWS + 1];
  rdx_status status[RDX_LOOKUP_ROWS + 1];
  rdx_error err[RDX_LOOKUP_ROWS + 1];
} answers;

/* What is asked: an index, or keys that are to look themselves up in an index over the probes. */
typedef struct asked {
  const rdx_index *index; /* NULL: inverse */
  const rdx_index_params *inverse;
  const rdx_column *keys;
} asked;

static rdx_status ask(const asked *what, const rdx_column *lower, const rdx_column *upper,
                      const rdx_lookup_params *params, rdx_lookup_result **out, rdx_error *err) {
  if (!what->index)
    return rdx_lookup_inverse(test_device, what->keys, lower, what->inverse, params, NULL, out, err);
  return upper ? rdx_index_range(what->index, lower, upper, params, out, err)
               : rdx_index_lookup(what->index, lower, params, out, err);
}

/* `values` NULL: sums are of the column that the index includes. */
static void look_up(const asked *what, const rdx_column *lower, const rdx_column *upper, const rdx_column *values,
                    answers *a) {
  for (rdx_lookup_result_kind kind = RDX_LOOKUP_COUNT; kind <= RDX_LOOKUP_ROWS; kind++) {
    const rdx_lookup_params params = {.result = kind,
                                      .values = kind == RDX_LOOKUP_SUM ? values : NULL,
                                      .stats = test_random() % 2 == 0,
                                      .sort_probes = test_random() % 3 == 0};
    rdx_error *err = &a->err[kind];
    a->status[kind] = ask(what, lower, upper, &params, &a->result[kind], err);
    if (a->status[kind] == RDX_OK)
      a->status[kind] = rdx_lookup_result_view(a->result[kind], &a->view[kind], err);
  }
}

/* Looking at every row takes most of the time: do it once for all kinds of results. */
static void check_all(const asked *what, const rdx_column *lower, const rdx_column *upper, const rdx_column *values,
                      bool included) {
  const rdx_column *keys = what->keys;
  answers a = {0};
  found f = {.rows = malloc((keys->rows + 1) * sizeof *f.rows)};
  bool sums_fit = true;
  assert_non_null(f.rows);
  look_up(what, lower, upper, included ? NULL : values, &a);
  for (uint64_t i = 0; i < lower->rows; i++) {
    find(&f, keys, lower, upper, i, values);
    sums_fit &= is_float(values->type) || fits(values, f.sum);
    for (rdx_lookup_result_kind kind = RDX_LOOKUP_COUNT; kind <= RDX_LOOKUP_ROWS; kind++)
      if (a.status[kind] == RDX_OK)
        check_one(&a.view[kind], values, i, &f);
  }
  for (rdx_lookup_result_kind kind = RDX_LOOKUP_COUNT; kind <= RDX_LOOKUP_ROWS; kind++) {
    if (kind == RDX_LOOKUP_SUM && !sums_fit) {
      assert_int_equal(a.status[kind], RDX_ERROR_OVERFLOW);
    } else {
      if (a.status[kind] != RDX_OK)
        fail_msg("%s: %s", rdx_status_name(a.status[kind]), a.err[kind].text);
      assert_int_equal(a.view[kind].kind, kind);
      assert_int_equal(a.view[kind].probes, lower->rows);
    }
    rdx_lookup_result_destroy(&a.result[kind]);
    assert_null(a.result[kind]);
  }
  free(f.rows);
}

rdx_index_params params_here(const rdx_index_params *params) {
  rdx_index_params p = *params;
  if (rdx_device_get_info(test_device)->backend != RDX_BACKEND_CPU)
    return p;
  p.rx.compaction = p.rx_optimized.compaction = p.cgrx.compaction = p.cgrx_updatable.compaction = RDX_SWITCH_DEFAULT;
  uint8_t *const lanes[] = {&p.sorted_array.lanes, &p.tree.lanes, &p.btree.lanes, &p.hash.lanes};
  for (size_t i = 0; i < sizeof lanes / sizeof *lanes; i++)
    *lanes[i] = *lanes[i] > 1 ? 0 : *lanes[i];
  return p;
}

void check_lookups(const rdx_index *index, const rdx_column *keys, const rdx_column *lower, const rdx_column *upper,
                   const rdx_column *values) {
  check_all(&(asked){.index = index, .keys = keys}, lower, upper, values, false);
}

void check_inverse_lookups(const rdx_index_params *params, const rdx_column *keys, const rdx_column *probes,
                           const rdx_column *values) {
  check_all(&(asked){.inverse = params, .keys = keys}, probes, NULL, values, false);
}

void check_included_lookups(const rdx_index *index, const rdx_column *keys, const rdx_column *lower,
                            const rdx_column *upper, const rdx_column *values) {
  check_all(&(asked){.index = index, .keys = keys}, lower, upper, values, true);
}
