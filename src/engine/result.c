/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* Results of queries: groups become columns, of which HAVING, ORDER BY and LIMIT choose and order the rows (RTCUDB,
 * section 5: what follows the stage of rays). */

#include "engine/result.h"

#include <math.h>
#include <string.h>

#include "base/wide.h"
#include "engine/plan.h"
#include "index/keys.h"

typedef struct finishing {
  const rdx_plan *plan;
  const rdx_groups *groups;
  uint64_t count;      /* of groups */
  rdx_column *columns; /* of all groups; those of attributes are not made where only some groups are left, in the end */
  uint64_t *codes;     /* room for one column */
} finishing;

static void free_column(rdx_column *c) {
  rdx_free((void *)(uintptr_t)c->values);
  rdx_free((void *)(uintptr_t)c->offsets);
  rdx_free((void *)(uintptr_t)c->validity);
  *c = (rdx_column){0};
}

static void free_columns(rdx_column *columns, uint32_t count) {
  for (uint32_t i = 0; columns && i < count; i++)
    free_column(&columns[i]);
  rdx_free(columns);
}

static uint32_t column_count(const finishing *f) {
  return f->plan->query->group_count + f->plan->query->aggregate_count;
}

/* ---- Groups ---- */

static const rdx_coded *group_attribute(const finishing *f, uint32_t number) {
  return &f->plan->relation->attributes[f->plan->query->group_by[number]];
}

/* Numbers below 2^32 are divided by multiplying: 2^64 / divisor, rounded up, is so near that the quotient is exact. */
static uint64_t inverse_of(uint64_t divisor) {
  return divisor > 1 ? UINT64_MAX / divisor + 1 : 0;
}

static uint64_t quotient(uint64_t number, uint64_t inverse) {
  return inverse ? (uint64_t)((rdx_i128)number * inverse >> 64) : number;
}

/* The codes of one of the attributes in `count` groups: `rows`, or the first ones where that is NULL. */
static void list_codes(const finishing *f, uint32_t number, const uint64_t *rows, uint64_t count, uint64_t *codes) {
  const rdx_plan *p = f->plan;
  const uint64_t low = p->group_low[number], stride = p->group_stride[number], width = p->group_width[number];
  const uint64_t by_stride = inverse_of(stride), by_width = inverse_of(width);
  const bool small = p->groups <= UINT32_MAX;
  const rdx_code_places *places = p->group_places[number];
  for (uint64_t i = 0; i < count; i++) {
    const uint64_t group = f->groups->group[rows ? rows[i] : i];
    const uint64_t place = small ? quotient(group, by_stride) : group / stride;
    codes[i] = low + (small ? place - quotient(place, by_width) * width : place % width);
    if (places)
      codes[i] = places->codes[codes[i]];
  }
}

static rdx_status make_group(const finishing *f, uint32_t number, const uint64_t *rows, uint64_t count, rdx_column *out,
                             rdx_error *err) {
  list_codes(f, number, rows, count, f->codes);
  return rdx_coded_values(group_attribute(f, number), f->codes, count, out, err);
}

/* ---- Aggregates ---- */

static const rdx_group_value *value_at(const finishing *f, uint32_t measure, uint64_t group) {
  return &f->groups->values[group * f->plan->measure_count + measure];
}

/* How many values the group has that are not NULL. */
static uint64_t values_of(const finishing *f, uint32_t measure, uint64_t group) {
  if (measure == UINT32_MAX || !f->plan->measures[measure].nulls)
    return f->groups->rows[group];
  return value_at(f, measure, group)->count;
}

static rdx_status make_validity(const finishing *f, uint32_t measure, rdx_column *out, rdx_error *err) {
  uint64_t nulls = 0;
  uint8_t *validity = NULL;
  for (uint64_t i = 0; i < f->count; i++)
    nulls += values_of(f, measure, i) == 0;
  if (nulls == 0)
    return RDX_OK;
  RDX_TRY(rdx_calloc((f->count + 7) / 8, 1, "the NULL bits of a result", (void **)&validity, err));
  out->validity = validity;
  for (uint64_t i = 0; i < f->count; i++)
    validity[i / 8] |= (uint8_t)((values_of(f, measure, i) > 0) << i % 8);
  return RDX_OK;
}

static rdx_status make_sums(const finishing *f, uint32_t measure, int64_t *values, rdx_error *err) {
  for (uint64_t i = 0; i < f->count; i++) {
    const rdx_i128 sum = values_of(f, measure, i) > 0 ? value_at(f, measure, i)->sum : 0;
    if (sum < INT64_MIN || sum > INT64_MAX)
      return rdx_fail(err, RDX_ERROR_OVERFLOW, "a sum of %llu values does not fit 64 bits: it is about %.6g",
                      (unsigned long long)values_of(f, measure, i), (double)sum);
    values[i] = (int64_t)sum;
  }
  return RDX_OK;
}

static void make_averages(const finishing *f, uint32_t measure, double *values) {
  rdx_i128 scale = 1;
  for (uint8_t i = 0; i < f->plan->measures[measure].scale; i++)
    scale *= 10;
  for (uint64_t i = 0; i < f->count; i++) {
    const uint64_t count = values_of(f, measure, i);
    rdx_wide sum = {0};
    rdx_wide_add(&sum, value_at(f, measure, i)->sum, 0);
    values[i] = count > 0 ? rdx_wide_quotient(&sum, 0, count * scale) : 0;
  }
}

/* What values that are not finite make of a sum; 0: there are none. */
static double special_sum(const finishing *f, const rdx_float_sum *sum, uint64_t group) {
  if (!sum->digits->special)
    return 0;
  const rdx_i128 all = value_at(f, sum->measures[sum->digits->count], group)->sum;
  const bool up = all % RDX_SPECIAL_DOWN > 0, down = all >= RDX_SPECIAL_DOWN;
  return up && down ? NAN : up ? INFINITY : down ? -INFINITY : 0;
}

/* Sums of floats, or their averages: rounded once. */
static rdx_status make_float_sums(const finishing *f, uint32_t number, double *values, rdx_error *err) {
  const rdx_float_sum *sum = &f->plan->float_sums[number];
  const bool average = f->plan->query->aggregates[number].kind == RDX_AGGREGATE_AVG;
  for (uint64_t i = 0; i < f->count; i++) {
    const uint64_t count = values_of(f, sum->measures[0], i);
    rdx_wide all = {0};
    values[i] = count > 0 ? special_sum(f, sum, i) : 0;
    if (count == 0 || values[i] != 0)
      continue;
    for (uint32_t k = 0; k < sum->digits->count; k++)
      rdx_wide_add(&all, value_at(f, sum->measures[k], i)->sum, k * sum->digits->bits);
    values[i] = rdx_wide_quotient(&all, sum->digits->exponent, average ? count : 1);
    if (isinf(values[i]))
      return rdx_fail(err, RDX_ERROR_OVERFLOW, "a sum of %llu values passes the largest float",
                      (unsigned long long)count);
  }
  return RDX_OK;
}

/* MIN or MAX of an attribute: as codes again, so that the column gets its type. */
static rdx_status make_extremes(const finishing *f, uint32_t measure, bool most, rdx_column *out, rdx_error *err) {
  const rdx_measure *m = &f->plan->measures[measure];
  const rdx_coded *c = &f->plan->relation->attributes[m->steps->attribute];
  for (uint64_t i = 0; i < f->count; i++) {
    const rdx_group_value *v = value_at(f, measure, i);
    f->codes[i] = values_of(f, measure, i) == 0 ? c->count : (uint64_t)(most ? v->most : v->least);
  }
  RDX_TRY(rdx_coded_values(c, f->codes, f->count, out, err));
  rdx_free((void *)(uintptr_t)out->validity);
  out->validity = NULL;
  return RDX_OK;
}

/* Numbers, as the type of the attribute or of calculated values. */
static void make_numbers(const finishing *f, uint32_t measure, bool most, rdx_type type, void *values) {
  const uint64_t zero = rdx_key_zero(type);
  for (uint64_t i = 0; i < f->count; i++) {
    const rdx_group_value *v = value_at(f, measure, i);
    f->codes[i] = values_of(f, measure, i) == 0 ? zero : (uint64_t)(most ? v->most : v->least) + zero;
  }
  rdx_keys_decode(type, f->codes, f->count, values);
}

static rdx_type type_of(const finishing *f, uint32_t number) {
  const rdx_aggregate *a = &f->plan->query->aggregates[number];
  const uint32_t measure = f->plan->aggregate_measure[number];
  const rdx_measure *m = measure == UINT32_MAX ? NULL : &f->plan->measures[measure];
  if (a->kind == RDX_AGGREGATE_COUNT)
    return RDX_TYPE_U64;
  if (a->kind == RDX_AGGREGATE_AVG || f->plan->float_sums[number].digits)
    return RDX_TYPE_F64;
  if (a->kind != RDX_AGGREGATE_SUM && a->expression->kind == RDX_EXPRESSION_ATTRIBUTE)
    return f->plan->relation->attributes[a->expression->attribute].source.type;
  return m->scale > 0 ? RDX_TYPE_DECIMAL : RDX_TYPE_I64;
}

static rdx_status make_aggregate(const finishing *f, uint32_t number, rdx_column *out, rdx_error *err) {
  const rdx_aggregate *a = &f->plan->query->aggregates[number];
  const uint32_t measure = f->plan->aggregate_measure[number];
  const rdx_type type = type_of(f, number);
  const bool most = a->kind == RDX_AGGREGATE_MAX;
  void *values = NULL;
  if ((a->kind == RDX_AGGREGATE_MIN || most) && !f->plan->measures[measure].numeric) {
    RDX_TRY(make_extremes(f, measure, most, out, err));
    return make_validity(f, measure, out, err);
  }
  *out = (rdx_column){
      .type = type, .scale = type == RDX_TYPE_DECIMAL ? f->plan->measures[measure].scale : 0, .rows = f->count};
  RDX_TRY(rdx_alloc(f->count, rdx_type_size(type), "the values of a result", &values, err));
  out->values = values;
  if (f->plan->float_sums[number].digits) {
    RDX_TRY(make_float_sums(f, number, values, err));
    return make_validity(f, measure, out, err);
  }
  switch (a->kind) {
  case RDX_AGGREGATE_COUNT:
    for (uint64_t i = 0; i < f->count; i++)
      ((uint64_t *)values)[i] = values_of(f, measure, i);
    return RDX_OK;
  case RDX_AGGREGATE_SUM:
    RDX_TRY(make_sums(f, measure, values, err));
    break;
  case RDX_AGGREGATE_AVG:
    make_averages(f, measure, values);
    break;
  default:
    make_numbers(f, measure, most, type, values);
    break;
  }
  return make_validity(f, measure, out, err);
}

/* ---- HAVING and ORDER BY, on the keys of the columns ---- */

/* A column's rows as order-preserving keys, and what the form of predicates wants to know of it. */
static rdx_status make_keys(const rdx_column *c, rdx_scan_column *out, uint64_t *keys, rdx_error *err) {
  *out = (rdx_scan_column){.type = c->type,
                           .scale = c->scale,
                           .key_bits = c->type == RDX_TYPE_STRING ? 32 : rdx_key_bits(c->type),
                           .rows = c->rows,
                           .smallest = UINT64_MAX};
  if (c->type == RDX_TYPE_STRING)
    RDX_TRY(rdx_dictionary_create(c, (uint32_t *)(void *)keys, &out->dictionary, err));
  else
    rdx_keys_encode(c, 0, c->rows, keys);
  for (uint64_t i = c->rows; out->key_bits == 32 && i-- > 0;) { /* widened in place, from the end */
    uint32_t key;
    memcpy(&key, (const char *)keys + 4 * i, sizeof key);
    keys[i] = key;
  }
  for (uint64_t i = 0; i < c->rows; i++) {
    if (!rdx_column_has(c, i)) {
      out->nulls++;
      continue;
    }
    out->smallest = keys[i] < out->smallest ? keys[i] : out->smallest;
    out->largest = keys[i] > out->largest ? keys[i] : out->largest;
  }
  return RDX_OK;
}

typedef struct choosing {
  const finishing *f;
  rdx_arena arena;
  rdx_scan_column *keyed; /* of each column */
  uint64_t **keys;        /* NULL: not asked for */
  uint64_t *rows;         /* that are left, in order */
  uint64_t count;
} choosing;

static bool qualifies(const choosing *c, const rdx_node *node, uint64_t row) {
  switch (node->kind) {
  case RDX_NODE_TERM:
    return rdx_column_has(&c->f->columns[node->term.column], row) &&
           rdx_intervals_have(node->term.intervals, node->term.interval_count, c->keys[node->term.column][row]);
  case RDX_NODE_NULL:
    return !rdx_column_has(&c->f->columns[node->term.column], row);
  case RDX_NODE_AND:
  case RDX_NODE_OR:
    for (uint32_t i = 0; i < node->count; i++)
      if (qualifies(c, &node->children[i], row) != (node->kind == RDX_NODE_AND))
        return node->kind == RDX_NODE_OR;
    return node->kind == RDX_NODE_AND;
  default:
    return node->kind == RDX_NODE_TRUE;
  }
}

static rdx_status apply_having(choosing *c, rdx_error *err) {
  rdx_node node;
  RDX_TRY(rdx_predicate_normalize(c->keyed, column_count(c->f), c->f->plan->query->having, &c->arena, &node, err));
  for (uint64_t i = 0; i < c->f->count; i++)
    if (qualifies(c, &node, i))
      c->rows[c->count++] = i;
  return RDX_OK;
}

/* What rows are sorted by, as numbers that ascend: those of all columns packed into as few words as hold them. Records
 * are these words and the row. */
typedef struct sort_records {
  uint64_t *words;
  uint32_t size; /* words of a record */
  uint32_t bits; /* that are free in the last of the words packed so far */
} sort_records;

static uint32_t bits_of(uint64_t x) {
  return x ? 64 - (uint32_t)__builtin_clzll(x) : 0;
}

/* The word that `bits` more are packed into, one after another. */
static uint32_t next_word(sort_records *r, uint32_t bits) {
  if (r->size == 0 || bits > r->bits) {
    r->size++;
    r->bits = 64;
  }
  r->bits -= bits;
  return r->size - 1;
}

/* Whether the keys of a column are the codes of a group's attribute. */
static bool has_codes(const choosing *c, uint32_t column) {
  return column < c->f->plan->query->group_count && !c->f->plan->query->having;
}

static bool has_nulls(const choosing *c, uint32_t column) {
  return has_codes(c, column) ? group_attribute(c->f, column)->nulls : c->f->columns[column].validity != NULL;
}

static bool is_null(const choosing *c, uint32_t column, uint64_t row) {
  return has_codes(c, column) ? c->keys[column][row] >= group_attribute(c->f, column)->count
                              : !rdx_column_has(&c->f->columns[column], row);
}

/* Add a column: whether a value is NULL as a bit where some may be, then the value less the smallest. */
static void pack_column(const choosing *c, const rdx_order *o, sort_records *r, uint32_t stride) {
  const uint64_t *keys = c->keys[o->column], *rows = c->rows;
  const bool nulls = has_nulls(c, o->column);
  const uint64_t least = c->keyed[o->column].smallest, most = c->keyed[o->column].largest;
  const uint32_t bits = least < most ? bits_of(most - least) : 0, flag = nulls ? next_word(r, 1) : 0,
                 flag_shift = r->bits, value = next_word(r, bits), shift = r->bits;
  for (uint64_t i = 0; i < c->count; i++) {
    uint64_t *record = r->words + i * stride;
    const bool null = nulls && is_null(c, o->column, rows[i]);
    if (nulls)
      record[flag] |= (uint64_t)(null != o->nulls_first) << flag_shift;
    if (!null && bits > 0)
      record[value] |= (o->descending ? most - keys[rows[i]] : keys[rows[i]] - least) << shift;
  }
}

/* Sort the rows by words that lie `stride` apart. */
static void sort_by_word(choosing *c, uint64_t *words, uint32_t stride, uint64_t *room) {
  uint64_t *const rows = room;
  for (uint64_t i = 0; i < c->count; i++) {
    words[i] = words[i * stride];
    rows[i] = c->rows[i];
  }
  rdx_sort_order(words, c->count, words, room + c->count);
  for (uint64_t i = 0; i < c->count; i++)
    c->rows[i] = rows[words[i]];
}

static rdx_status sort_rows(choosing *c, rdx_error *err) {
  const rdx_query *q = c->f->plan->query;
  const uint32_t most = 2 * q->order_count + 1, room_words = most < 5 ? 5 : most;
  sort_records r = {0};
  uint64_t *room = NULL;
  RDX_TRY(rdx_arena_alloc(&c->arena, c->count, most * 8ul, "the order of a result", (void **)&r.words, err));
  RDX_TRY(rdx_arena_alloc(&c->arena, c->count + 1, room_words * 8ul, "the order of a result", (void **)&room, err));
  memset(r.words, 0, c->count * most * 8ul);
  for (uint32_t i = 0; i < q->order_count; i++)
    pack_column(c, &q->order_by[i], &r, most);
  if (r.size == 1) {
    sort_by_word(c, r.words, most, room);
    return RDX_OK;
  }
  const uint32_t stride = r.size + 1;
  for (uint64_t i = 0; i < c->count; i++) {
    memmove(r.words + i * stride, r.words + i * most, r.size * 8ul);
    r.words[i * stride + r.size] = c->rows[i];
  }
  const uint64_t *sorted = rdx_sort(r.words, c->count, stride, r.size, room);
  for (uint64_t i = 0; i < c->count; i++)
    c->rows[i] = sorted[i * stride + r.size];
  return RDX_OK;
}

/* The codes of a group's attribute as keys: they keep the order of values. */
static void key_codes(choosing *c, uint32_t number) {
  const rdx_plan *p = c->f->plan;
  const uint64_t low = p->group_low[number], high = low + p->group_width[number] - 1;
  const rdx_code_places *places = p->group_places[number];
  list_codes(c->f, number, NULL, c->f->count, c->keys[number]);
  c->keyed[number] =
      (rdx_scan_column){.smallest = places ? places->codes[low] : low, .largest = places ? places->codes[high] : high};
}

/* Keys of the columns that HAVING or ORDER BY may ask for. */
static rdx_status key_columns(choosing *c, rdx_error *err) {
  const rdx_query *q = c->f->plan->query;
  for (uint32_t i = 0; i < column_count(c->f); i++) {
    bool wanted = q->having;
    for (uint32_t k = 0; k < q->order_count; k++)
      wanted |= q->order_by[k].column == i;
    c->keys[i] = NULL;
    if (!wanted)
      continue;
    RDX_TRY(rdx_arena_alloc(&c->arena, c->f->count, 8, "the keys of a result", (void **)&c->keys[i], err));
    if (!q->having && i < q->group_count)
      key_codes(c, i);
    else
      RDX_TRY(make_keys(&c->f->columns[i], &c->keyed[i], c->keys[i], err));
  }
  return RDX_OK;
}

static rdx_status choose(choosing *c, rdx_error *err) {
  const rdx_query *q = c->f->plan->query;
  const uint64_t count = c->f->count;
  RDX_TRY(rdx_arena_alloc(&c->arena, count, sizeof *c->rows, "the order of a result", (void **)&c->rows, err));
  RDX_TRY(key_columns(c, err));
  if (q->having)
    RDX_TRY(apply_having(c, err));
  else
    for (; c->count < count; c->count++)
      c->rows[c->count] = c->count;
  if (q->order_count > 0)
    RDX_TRY(sort_rows(c, err));
  if (q->limited) {
    const uint64_t skipped = q->offset < c->count ? q->offset : c->count;
    c->rows += skipped;
    c->count -= skipped;
    c->count = q->limit < c->count ? q->limit : c->count;
  }
  return RDX_OK;
}

/* ---- The rows that are left ---- */

static rdx_status take_strings(const rdx_column *c, const uint64_t *rows, uint64_t count, rdx_column *out,
                               rdx_error *err) {
  uint64_t *offsets = NULL, bytes = 0;
  char *text = NULL;
  RDX_TRY(rdx_alloc(count + 1, 8, "the strings of a result", (void **)&offsets, err));
  out->offsets = offsets;
  for (uint64_t i = 0; i < count; i++) {
    offsets[i] = bytes;
    bytes += c->offsets[rows[i] + 1] - c->offsets[rows[i]];
  }
  offsets[count] = bytes;
  RDX_TRY(rdx_alloc(bytes, 1, "the strings of a result", (void **)&text, err));
  out->values = text;
  for (uint64_t i = 0; i < count; i++)
    if (offsets[i + 1] > offsets[i])
      memcpy(text + offsets[i], (const char *)c->values + c->offsets[rows[i]], offsets[i + 1] - offsets[i]);
  return RDX_OK;
}

static rdx_status take_rows(const rdx_column *c, const uint64_t *rows, uint64_t count, rdx_column *out,
                            rdx_error *err) {
  const size_t size = rdx_type_size(c->type);
  void *values = NULL;
  uint8_t *validity = NULL;
  *out = (rdx_column){.type = c->type, .scale = c->scale, .rows = count};
  if (c->validity) {
    RDX_TRY(rdx_calloc((count + 7) / 8, 1, "the NULL bits of a result", (void **)&validity, err));
    out->validity = validity;
    for (uint64_t i = 0; i < count; i++)
      validity[i / 8] |= (uint8_t)(rdx_column_has(c, rows[i]) << i % 8);
  }
  if (c->type == RDX_TYPE_STRING)
    return take_strings(c, rows, count, out, err);
  RDX_TRY(rdx_alloc(count, size, "the values of a result", &values, err));
  out->values = values;
  for (uint64_t i = 0; i < count && size == 8; i++) /* most results */
    ((uint64_t *)values)[i] = ((const uint64_t *)c->values)[rows[i]];
  for (uint64_t i = 0; i < count && size != 8; i++)
    memcpy((char *)values + i * size, (const char *)c->values + rows[i] * size, size);
  return RDX_OK;
}

/* Values of a group's attribute, whose codes may be at hand as keys. */
static rdx_status take_group(const finishing *f, const choosing *c, uint32_t number, rdx_column *out, rdx_error *err) {
  if (!c->keys[number])
    return make_group(f, number, c->rows, c->count, out, err);
  for (uint64_t i = 0; i < c->count; i++)
    f->codes[i] = c->keys[number][c->rows[i]];
  return rdx_coded_values(group_attribute(f, number), f->codes, c->count, out, err);
}

/* Columns of the rows that the query leaves. */
static rdx_status take_columns(const finishing *f, const choosing *c, rdx_column *out, rdx_error *err) {
  const rdx_query *q = f->plan->query;
  for (uint32_t i = 0; i < column_count(f); i++)
    RDX_TRY(i < q->group_count && !q->having ? take_group(f, c, i, &out[i], err)
                                             : take_rows(&f->columns[i], c->rows, c->count, &out[i], err));
  return RDX_OK;
}

/* Replace the columns by these. */
static rdx_status reduce(finishing *f, rdx_error *err) {
  const uint32_t columns = column_count(f);
  choosing c = {.f = f};
  rdx_column *taken = NULL;
  rdx_status status = rdx_arena_alloc(&c.arena, columns, sizeof *c.keys, "the keys of a result", (void **)&c.keys, err);
  if (status == RDX_OK)
    status = rdx_calloc(columns, sizeof *c.keyed, "the keys of a result", (void **)&c.keyed, err);
  if (status == RDX_OK)
    status = choose(&c, err);
  if (status == RDX_OK)
    status = rdx_calloc(columns, sizeof *taken, "a result", (void **)&taken, err);
  if (status == RDX_OK)
    status = take_columns(f, &c, taken, err);
  for (uint32_t i = 0; c.keyed && i < columns; i++)
    rdx_scan_column_drop(&c.keyed[i]);
  rdx_free(c.keyed);
  if (status == RDX_OK) {
    free_columns(f->columns, columns);
    f->columns = taken;
    f->count = c.count;
  } else {
    free_columns(taken, columns);
  }
  rdx_arena_free(&c.arena);
  return status;
}

/* ---- Results ---- */

static rdx_status make_columns(finishing *f, rdx_error *err) {
  const rdx_query *q = f->plan->query;
  RDX_TRY(rdx_calloc(column_count(f), sizeof *f->columns, "a result", (void **)&f->columns, err));
  RDX_TRY(rdx_alloc(f->count, 8, "the codes of a result", (void **)&f->codes, err));
  const bool reduced = q->having || q->order_count > 0 || q->limited;
  for (uint32_t i = 0; i < q->group_count && (q->having || !reduced); i++)
    RDX_TRY(make_group(f, i, NULL, f->count, &f->columns[i], err));
  for (uint32_t i = 0; i < q->aggregate_count; i++)
    RDX_TRY(make_aggregate(f, i, &f->columns[q->group_count + i], err));
  return reduced ? reduce(f, err) : RDX_OK;
}

static rdx_status finish(finishing *f, rdx_query_result **out, rdx_error *err) {
  rdx_query_result *result = NULL;
  RDX_TRY(make_columns(f, err));
  RDX_TRY(rdx_calloc(1, sizeof *result, "a result", (void **)&result, err));
  result->rows = f->count;
  result->count = column_count(f);
  result->columns = f->columns;
  result->stats.groups = f->groups->count;
  *out = result;
  return RDX_OK;
}

rdx_status rdx_groups_finish(const rdx_plan *plan, const rdx_groups *groups, rdx_query_result **out, rdx_error *err) {
  /* Without GROUP BY there is a group of no rows, too. */
  static uint64_t zero;
  static rdx_group_value none[RDX_MOST_MEASURES];
  const rdx_groups one = {.count = 1, .group = &zero, .rows = &zero, .values = none};
  const bool bare = groups->count == 0 && plan->query->group_count == 0;
  finishing f = {.plan = plan, .groups = bare ? &one : groups, .count = bare ? 1 : groups->count};
  const rdx_status status = finish(&f, out, err);
  if (status != RDX_OK)
    free_columns(f.columns, column_count(&f));
  else
    (*out)->stats.groups = groups->count;
  rdx_free(f.codes);
  return status;
}

uint64_t rdx_query_result_rows(const rdx_query_result *result) {
  return result->rows;
}

uint32_t rdx_query_result_columns(const rdx_query_result *result) {
  return result->count;
}

const rdx_column *rdx_query_result_column(const rdx_query_result *result, uint32_t index) {
  return index < result->count ? &result->columns[index] : NULL;
}

void rdx_query_result_get_stats(const rdx_query_result *result, rdx_query_stats *out) {
  *out = result->stats;
}

void rdx_query_result_destroy(rdx_query_result **result) {
  if (!result || !*result)
    return;
  free_columns((*result)->columns, (*result)->count);
  rdx_free(*result);
  *result = NULL;
}
