/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors
 *
 * Lookups of points and ranges, with every index, and indexes that change. */

#include "diff.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* What an index holds: row i of `keys` where `gone` (if any) does not say otherwise. */
typedef struct model {
  const rdx_column *column;
  const value *keys;
  uint64_t rows;
  const bool *gone;
  bool distinct;
} model;

typedef struct probes {
  const rdx_column *lower, *upper; /* host columns; upper NULL: points */
  const value *min, *max;          /* their values */
} probes;

static bool matches(const model *m, uint64_t row, const probes *p, uint64_t i) {
  const value *key = &m->keys[row];
  if ((m->gone && m->gone[row]) || key->kind == VALUE_NULL || p->min[i].kind == VALUE_NULL)
    return false;
  if (!p->upper)
    return value_compare(key, &p->min[i]) == 0;
  return p->max[i].kind != VALUE_NULL && value_compare(key, &p->min[i]) >= 0 && value_compare(key, &p->max[i]) <= 0;
}

/* ---- Sums ---- */

static bool is_unsigned(rdx_type type) {
  return type >= RDX_TYPE_U8 && type <= RDX_TYPE_U64;
}

typedef struct sum {
  uint32_t count;
  i128 whole;
  double real;
} sum;

static sum sum_of(const model *m, const probes *p, uint64_t i, const rdx_column *values) {
  sum s = {0};
  for (uint64_t row = 0; row < m->rows; row++)
    if (!is_null(values, row) && matches(m, row, p, i)) {
      const value v = value_at(values, row);
      s.count++;
      s.whole += v.whole;
      s.real += v.real;
    }
  return s;
}

static bool sum_fits(const sum *s, rdx_type type) {
  if (is_float(type))
    return true;
  return is_unsigned(type) ? s->whole <= UINT64_MAX : s->whole >= INT64_MIN && s->whole <= INT64_MAX;
}

static void check_sum(const rdx_lookup_view *got, const sum *s, const rdx_column *values, uint64_t i) {
  const rdx_type type = is_float(values->type)             ? RDX_TYPE_F64
                        : values->type == RDX_TYPE_DECIMAL ? RDX_TYPE_DECIMAL
                        : is_unsigned(values->type)        ? RDX_TYPE_U64
                                                           : RDX_TYPE_I64;
  if (got->sum_type != type || got->sum_scale != values->scale)
    wrong("the sum is of type %s(%d)", rdx_type_name(got->sum_type), got->sum_scale);
  if (got->count[i] != s->count)
    wrong("probe %" PRIu64 ": %u values added, expected %u", i, got->count[i], s->count);
  if (type == RDX_TYPE_F64 && !same_real(got->sum_f64[i], s->real))
    wrong("probe %" PRIu64 ": sum %.17g, expected %.17g", i, got->sum_f64[i], s->real);
  if (type == RDX_TYPE_U64 && got->sum_u64[i] != (uint64_t)s->whole)
    wrong("probe %" PRIu64 ": sum %" PRIu64 ", expected %" PRIu64, i, got->sum_u64[i], (uint64_t)s->whole);
  if ((type == RDX_TYPE_I64 || type == RDX_TYPE_DECIMAL) && got->sum_i64[i] != (int64_t)s->whole)
    wrong("probe %" PRIu64 ": sum %" PRId64 ", expected %" PRId64, i, got->sum_i64[i], (int64_t)s->whole);
}

/* ---- Comparing ---- */

static void check_rows(const rdx_lookup_view *got, const model *m, const probes *p) {
  if (got->offsets[0] != 0)
    wrong("the first offset is %" PRIu64, got->offsets[0]);
  for (uint64_t i = 0; i < p->lower->rows; i++) {
    uint64_t at = got->offsets[i];
    for (uint64_t row = 0; row < m->rows; row++) {
      if (!matches(m, row, p, i))
        continue;
      if (at >= got->offsets[i + 1])
        wrong("probe %" PRIu64 ": row %" PRIu64 " is missing at the end", i, row);
      if (got->rows[at] != row)
        wrong("probe %" PRIu64 ": row %u, expected %" PRIu64, i, got->rows[at], row);
      at++;
    }
    if (at != got->offsets[i + 1])
      wrong("probe %" PRIu64 ": row %u is too much", i, got->rows[at]);
  }
}

static void check_counts(const rdx_lookup_view *got, const model *m, const probes *p) {
  for (uint64_t i = 0; i < p->lower->rows; i++) {
    uint32_t count = 0, first = RDX_NO_ROW;
    for (uint64_t row = m->rows; row-- > 0;)
      if (matches(m, row, p, i)) {
        count++;
        first = (uint32_t)row;
      }
    if (got->kind == RDX_LOOKUP_COUNT && got->count[i] != count)
      wrong("probe %" PRIu64 ": count %u, expected %u", i, got->count[i], count);
    if (got->kind == RDX_LOOKUP_FIRST && got->first[i] != first)
      wrong("probe %" PRIu64 ": first %u, expected %u", i, got->first[i], first);
  }
}

static void destroy_result(void *object) {
  rdx_lookup_result *result = object;
  rdx_lookup_result_destroy(&result);
}

static void check_result(rdx_lookup_result *result, const model *m, const probes *p, rdx_lookup_result_kind kind,
                         const rdx_column *values, const sum *sums) {
  rdx_error err = {""};
  rdx_lookup_view got;
  passed("reading a result", rdx_lookup_result_view(result, &got, &err), &err, NULL);
  if (got.kind != kind || got.probes != p->lower->rows)
    wrong("the result is of kind %d, of %" PRIu64 " probes", (int)got.kind, got.probes);
  if (kind == RDX_LOOKUP_SUM)
    for (uint64_t i = 0; i < got.probes; i++)
      check_sum(&got, &sums[i], values, i);
  else if (kind == RDX_LOOKUP_ROWS)
    check_rows(&got, m, p);
  else
    check_counts(&got, m, p);
}

/* ---- A lookup ---- */

/* Look up; `values`: their sums, of which the index knows where they are `included`. */
static void look_up(const rdx_index *index, const rdx_index_params *params, const model *m, const probes *p,
                    const rdx_column *values, bool included) {
  const rdx_lookup_result_kind kind =
      values ? RDX_LOOKUP_SUM : (rdx_lookup_result_kind)(below(3) == 0 ? RDX_LOOKUP_ROWS : below(2));
  refusal r = {0};
  sum *sums = NULL;
  if (values) {
    sums = take(p->lower->rows * sizeof *sums);
    for (uint64_t i = 0; i < p->lower->rows; i++) {
      sums[i] = sum_of(m, p, i, values);
      if (!sum_fits(&sums[i], values->type))
        must_refuse(&r, RDX_ERROR_OVERFLOW, "a sum beyond 64 bits");
    }
  }
  if (p->upper && !rdx_index_method_abilities(params->method).ranges)
    must_refuse(&r, RDX_ERROR_UNSUPPORTED, "ranges of a hash table");
  if (params->method == RDX_INDEX_RX && params->rx.duplicate_any_hit &&
      (p->upper || !m->distinct || params->rx.always_any_hit || params->rx.published))
    may_refuse(&r, RDX_ERROR_UNSUPPORTED, "duplicate_any_hit");
  if (params->method == RDX_INDEX_RX && params->rx.published && p->upper)
    may_refuse(&r, RDX_ERROR_UNSUPPORTED, "ranges over many rows of a scene, as published");
  const rdx_column lower = maybe_upload(p->lower), upper = p->upper ? maybe_upload(p->upper) : lower;
  if ((lower.device && lower.type != m->column->type) || (upper.device && upper.type != m->column->type)) {
    may_refuse(&r, RDX_ERROR_ARGUMENT, "a device column of another integer type");
    r.must |= p->lower->rows > 0 ? r.may : 0;
  }
  const rdx_column uploaded = values ? maybe_upload(values) : lower;
  const rdx_lookup_params lookup = {
      .result = kind, .values = values && !included ? &uploaded : NULL, .stats = chance(20), .sort_probes = chance(30)};
  note("%s, result %d, stats %d, sort %d, device %d %d\n", p->upper ? "ranges" : "points", (int)kind, lookup.stats,
       lookup.sort_probes, lower.device != NULL, upper.device != NULL);
  rdx_lookup_result *result = NULL;
  rdx_error err = {""};
  const rdx_status status = p->upper ? rdx_index_range(index, &lower, &upper, &lookup, &result, &err)
                                     : rdx_index_lookup(index, &lower, &lookup, &result, &err);
  const bool ok = passed("lookup", status, &err, &r);
  if (ok) {
    at_end(destroy_result, result);
    check_result(result, m, p, kind, values, sums);
  }
}

/* The same integers in another type, where it has room for them all. */
static rdx_column as_other_type(const rdx_column *from) {
  const rdx_type type = (rdx_type)(RDX_TYPE_I8 + below(8));
  cell *cells = take(from->rows * sizeof *cells);
  for (uint64_t i = 0; i < from->rows; i++) {
    const value v = value_at(from, i);
    cells[i] = (cell){.null = v.kind == VALUE_NULL, .bits = (uint64_t)v.whole};
    if (chance(10))
      cells[i].bits += draw() << 32;
  }
  return column_make(type, 0, cells, from->rows);
}

static void look_up_random(const rdx_index *index, const rdx_index_params *params, const model *m, const pool *keys,
                           const rdx_column *values, bool included) {
  const size_t before = watched();
  const bool ranges = chance(!rdx_index_method_abilities(params->method).ranges ? 3 : 50);
  const uint64_t max = m->rows > 5000 ? 20 : 150;
  const uint64_t count = chance(4) ? below(2) : 1 + magnitude(max);
  rdx_column lower = pool_probes(keys, count, chance(70) ? 0 : (unsigned)below(20));
  rdx_column upper = ranges ? pool_probes(keys, count, chance(80) ? 0 : (unsigned)below(20)) : lower;
  if (is_integer(lower.type) && chance(15)) {
    lower = as_other_type(&lower);
    if (ranges)
      upper = as_other_type(&upper);
  }
  if (ranges && upper.type == lower.type && lower.type != RDX_TYPE_STRING && chance(70)) {
    /* Put the ends in order, mostly. */
    const size_t size = rdx_type_size(lower.type);
    for (uint64_t i = 0; i < lower.rows; i++)
      if (!is_null(&lower, i) && !is_null(&upper, i) && compare_rows(&lower, i, &upper, i) > 0) {
        char old[8], *a = (char *)(uintptr_t)lower.values + i * size, *b = (char *)(uintptr_t)upper.values + i * size;
        memcpy(old, a, size);
        memcpy(a, b, size);
        memcpy(b, old, size);
      }
  }
  watch(ranges ? "lower" : "probes", &lower);
  if (ranges)
    watch("upper", &upper);
  const probes p = {&lower, ranges ? &upper : NULL, values_of(&lower), ranges ? values_of(&upper) : NULL};
  look_up(index, params, m, &p, values, included);
  unwatch(before);
}

static void destroy_index(void *object) {
  rdx_index *index = object;
  rdx_index_destroy(&index);
}

/* ---- Lookups ---- */

static pool keys_pool(rdx_type type, uint64_t rows) {
  const uint64_t count = chance(40) ? rows : chance(50) ? 1 + magnitude(rows + 1) : 1 + below(2 * rows + 1);
  return pool_make(type, count, chance(10));
}

static pool value_pool(void) {
  const rdx_type type = random_type(TYPES_SUM);
  const uint64_t count = 1 + magnitude(100);
  return pool_make(type, count, chance(60));
}

static void check_stats(const rdx_index *index, const rdx_column *keys) {
  rdx_index_stats stats;
  rdx_index_get_stats(index, &stats);
  uint64_t count = 0;
  for (uint64_t i = 0; i < keys->rows; i++)
    count += !is_null(keys, i);
  if (stats.rows != keys->rows || stats.keys != count)
    wrong("%" PRIu64 " rows and %" PRIu64 " keys, expected %" PRIu64, stats.rows, stats.keys, count);
  const bool distinct = all_distinct(keys);
  if (stats.distinct != distinct && (stats.distinct || keys->type != RDX_TYPE_STRING))
    wrong("distinct: %d", stats.distinct);
}

static bool can_include(const rdx_index_params *p) {
  const bool published = p->method == RDX_INDEX_RX_OPTIMIZED ? p->rx_optimized.published : p->cgrx.published;
  return rdx_index_method_abilities(p->method).includes && !published;
}

static bool include(rdx_index *index, const rdx_index_params *params, const rdx_column *keys,
                    const rdx_column *values) {
  refusal r = {0};
  if (!can_include(params) || is_float(values->type))
    must_refuse(&r, RDX_ERROR_UNSUPPORTED, "a column that cannot be included");
  else if (has_long_strings(keys))
    may_refuse(&r, RDX_ERROR_UNSUPPORTED, "included with long strings as keys");
  rdx_error err = {""};
  const rdx_column view = maybe_upload(values);
  note("included\n");
  return passed("include", rdx_index_include(index, &view, &err), &err, &r);
}

/* New keys for an index, or the old ones moved by a refit. */
static bool replace_keys(rdx_index *index, const rdx_index_params *params, const pool *p, rdx_column *keys) {
  const bool refit = chance(50);
  const uint64_t rows = refit && chance(90) ? keys->rows : random_rows(400, 0);
  rdx_column new_keys = pool_column(p, rows, refit ? 0 : random_nulls());
  if (refit && rows == keys->rows)
    new_keys.validity = keys->validity;
  refusal r = {0};
  if (refit && (params->method != RDX_INDEX_RX || !params->rx.updatable))
    must_refuse(&r, RDX_ERROR_UNSUPPORTED, "refit without updatable");
  if (refit && rows != keys->rows) {
    must_refuse(&r, RDX_ERROR_ARGUMENT, "refit of another number of rows");
    must_refuse(&r, RDX_ERROR_UNSUPPORTED, "refit of another number of rows");
  }
  if (params->method == RDX_INDEX_RX &&
      (params->rx.key_mode != RDX_RX_KEY_3D || params->rx.x_bits || params->rx.y_bits))
    may_refuse(&r, RDX_ERROR_RANGE, "new keys beyond the key mode");
  if (refit && p->type == RDX_TYPE_STRING)
    may_refuse(&r, RDX_ERROR_UNSUPPORTED, "refit of strings");
  if (params->hash.build == RDX_HASH_BUILD_INSERT && !all_distinct(&new_keys))
    must_refuse(&r, RDX_ERROR_UNSUPPORTED, "equal keys of build=insert");
  const rdx_column view = maybe_upload(&new_keys);
  rdx_error err = {""};
  note("update, mode %d\n", refit);
  const rdx_status status = rdx_index_update(index, &view, refit ? RDX_UPDATE_REFIT : RDX_UPDATE_REBUILD, &err);
  if (passed("update", status, &err, &r))
    *keys = new_keys;
  return status == RDX_OK;
}

void lookups_case(void) {
  if (!diff_slow && below(1500) == 0) {
    large_lookups();
    return;
  }
  const rdx_index_method method = random_index_method(false);
  const bool large = !diff_slow && !chance(50);
  const uint64_t rows =
      random_rows(diff_slow && rdx_index_method_abilities(method).traces ? 600 : 2000, large ? 100000 : 0);
  const pool p = keys_pool(random_type(TYPES_KEYS), rows);
  rdx_column keys = pool_column(&p, rows, random_nulls());
  refusal r = {0};
  const rdx_index_params params = index_params(method, &keys, &r);
  index_note(&params);
  watch("keys", &keys);
  rdx_index *index = NULL;
  rdx_error err = {""};
  const rdx_column view = maybe_upload(&keys);
  if (!passed("index", rdx_index_create(diff_device, &view, &params, &index, &err), &err, &r))
    return;
  at_end(destroy_index, index);
  check_stats(index, &keys);
  const pool v = value_pool();
  rdx_column values = pool_column(&v, rows, random_nulls());
  watch("values", &values);
  bool included = false;
  for (uint64_t calls = 1 + below(6); calls > 0; calls--) {
    if (rows < 5000 && below(20) == 0 && replace_keys(index, &params, &p, &keys)) {
      values = pool_column(&v, keys.rows, random_nulls());
      unwatch(0);
      watch("keys", &keys);
      watch("values", &values);
      included = false;
      check_stats(index, &keys);
    } else if (chance(can_include(&params) ? 20 : 2)) {
      included |= include(index, &params, &keys, &values);
    }
    const model m = {&keys, values_of(&keys), keys.rows, NULL, all_distinct(&keys) && !has_long_strings(&keys)};
    const bool sums = chance(30);
    look_up_random(index, &params, &m, &p, sums ? &values : NULL, included && chance(80));
  }
}

/* ---- Indexes that change ---- */

typedef struct changing {
  cell *cells; /* of all rows that there were */
  value *values;
  bool *gone;
  uint64_t rows;
  bool odd_strings; /* such that no batch may have */
} changing;

static value value_of(const pool *p, const cell *c) {
  if (p->type == RDX_TYPE_STRING)
    return (value){.kind = VALUE_TEXT, .text = c->text, .length = c->length};
  const rdx_column column = {.type = p->type, .scale = p->scale, .rows = 1, .values = &c->bits};
  return value_at(&column, 0);
}

static void apply_to_model(changing *c, const pool *p, const cell *insert, uint64_t inserts, const cell *remove,
                           uint64_t removes) {
  for (uint64_t i = 0; i < inserts; i++) {
    c->cells[c->rows + i] = insert[i];
    c->values[c->rows + i] = insert[i].null ? (value){.kind = VALUE_NULL} : value_of(p, &insert[i]);
    c->gone[c->rows + i] = false;
  }
  for (uint64_t i = 0; i < removes; i++) {
    if (remove[i].null)
      continue;
    const value key = value_of(p, &remove[i]);
    bool found = false;
    for (uint64_t j = c->rows; j < c->rows + inserts && !found; j++) /* they cancel out */
      if (c->values[j].kind != VALUE_NULL && !c->gone[j] && value_compare(&c->values[j], &key) == 0)
        found = c->gone[j] = true;
    for (uint64_t j = 0; j < c->rows && !found; j++)
      if (c->values[j].kind != VALUE_NULL && !c->gone[j] && value_compare(&c->values[j], &key) == 0)
        found = c->gone[j] = true;
  }
  c->rows += inserts;
}

/* The cells of a batch; `existing`: mostly keys that there were. */
static cell *batch_of(const pool *p, const changing *c, uint64_t count, unsigned nulls, bool existing) {
  cell *cells = take(count * sizeof *cells);
  const cell one = pool_cell(p);
  const bool same = chance(10);
  for (uint64_t i = 0; i < count; i++) {
    cells[i] = same ? one : existing && c->rows && chance(70) ? c->cells[below(c->rows)] : pool_probe(p);
    cells[i].null = chance(nulls);
  }
  return cells;
}

static bool apply(rdx_index *index, rdx_index_method method, const pool *p, changing *c) {
  const uint64_t inserts = chance(20) ? 0 : magnitude(200), removes = chance(30) ? 0 : magnitude(200);
  const cell *insert = batch_of(p, c, inserts, chance(80) ? 0 : 20, false);
  const cell *remove = batch_of(p, c, removes, chance(80) ? 0 : 20, true);
  const rdx_column inserted = column_make(p->type, p->scale, insert, inserts);
  const rdx_column removed = column_make(p->type, p->scale, remove, removes);
  const rdx_column insert_view = maybe_upload(&inserted), remove_view = maybe_upload(&removed);
  const rdx_index_changes changes = {inserts || chance(50) ? &insert_view : NULL,
                                     removes || chance(50) ? &remove_view : NULL};
  refusal r = {0};
  if (!rdx_index_method_abilities(method).changes)
    must_refuse(&r, RDX_ERROR_UNSUPPORTED, "changes of an index that does not change");
  else if (c->odd_strings || has_long_strings(&inserted) || has_long_strings(&removed))
    may_refuse(&r, RDX_ERROR_UNSUPPORTED, "changes with long strings");
  note("apply %" PRIu64 " inserts, %" PRIu64 " removes\n", inserts, removes);
  rdx_error err = {""};
  if (!passed("apply", rdx_index_apply(index, &changes, &err), &err, &r))
    return false;
  apply_to_model(c, p, insert, changes.insert ? inserts : 0, remove, changes.remove ? removes : 0);
  return true;
}

static void rebuild(rdx_index *index, rdx_index_method method) {
  refusal r = {0};
  if (method != RDX_INDEX_CGRX_UPDATABLE)
    must_refuse(&r, RDX_ERROR_UNSUPPORTED, "rebuild of another index");
  note("rebuild\n");
  rdx_error err = {""};
  passed("rebuild", rdx_index_rebuild(index, &err), &err, &r);
}

static cell cell_at(const rdx_column *column, uint64_t row) {
  cell c = {.null = is_null(column, row)};
  const size_t size = rdx_type_size(column->type);
  if (column->type == RDX_TYPE_STRING && !c.null)
    c.text = rdx_column_string(column, row, &c.length);
  else if (!c.null)
    memcpy(&c.bits, (const char *)column->values + row * size, size);
  return c;
}

#define MAX_CHANGES 12

void changes_case(void) {
  const rdx_index_method method = chance(2)    ? random_index_method(true)
                                  : chance(50) ? RDX_INDEX_BTREE
                                               : RDX_INDEX_CGRX_UPDATABLE;
  const uint64_t rows = random_rows(diff_slow ? 300 : 1000, diff_slow ? 0 : 20000);
  const pool p = keys_pool(random_type(TYPES_KEYS), rows);
  const rdx_column keys = pool_column(&p, rows, random_nulls());
  refusal r = {0};
  const rdx_index_params params = index_params(method, &keys, &r);
  index_note(&params);
  watch("keys", &keys);
  rdx_index *index = NULL;
  rdx_error err = {""};
  const rdx_column view = maybe_upload(&keys);
  if (!passed("index", rdx_index_create(diff_device, &view, &params, &index, &err), &err, &r))
    return;
  at_end(destroy_index, index);
  const size_t capacity = rows + MAX_CHANGES * 200;
  changing c = {.cells = take(capacity * sizeof(cell)),
                .values = take(capacity * sizeof(value)),
                .gone = take(capacity * sizeof(bool)),
                .rows = rows};
  for (uint64_t i = 0; i < rows; i++) {
    c.values[i] = value_at(&keys, i);
    c.cells[i] = cell_at(&keys, i);
  }
  memset(c.gone, 0, capacity * sizeof(bool));
  c.odd_strings = has_long_strings(&keys);
  const pool v = value_pool();
  for (uint64_t changes = 1 + below(MAX_CHANGES); changes > 0; changes--) {
    if (!apply(index, method, &p, &c))
      return;
    if (chance(method == RDX_INDEX_CGRX_UPDATABLE ? 8 : 1))
      rebuild(index, method);
    if (chance(30))
      continue;
    const rdx_column now = column_make(p.type, p.scale, c.cells, c.rows);
    unwatch(0);
    watch("keys, those that were removed included", &now);
    const rdx_column values = pool_column(&v, c.rows, random_nulls());
    watch("values", &values);
    const model m = {&now, values_of(&now), now.rows, c.gone, false};
    const bool sums = chance(30);
    look_up_random(index, &params, &m, &p, sums ? &values : NULL, false);
  }
}
