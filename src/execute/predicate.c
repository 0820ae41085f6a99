/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* Expressions as predicates. Only for which rows they are true counts, so NOT is pushed down to what can be said the
 * other way round. A literal that a column cannot represent becomes another comparison that is true for the same
 * values: x < 2.5 is x <= 2. */

#include "execute/predicate.h"

#include <math.h>
#include <string.h>

#include "base/numbers.h"
#include "column/column.h"
#include "execute/operators.h"
#include "expression/types.h"
#include "predicate/terms.h"

#define WHAT "a condition"
#define MAX_LEVELS 150         /* predicates have a bound on theirs */
#define MAX_LISTED 1024u       /* entries of a dictionary, unless it must be */
#define MAX_ENTRIES 65536u     /* of a dictionary that an expression is evaluated for */
#define DAY_MICROS 86400000000 /* microseconds */
#define EXACT_DOUBLE 0x1p53    /* integers up to here are doubles */

typedef struct translator {
  const rdx_translation *t;
  uint32_t level;
  rdx_error *err;
} translator;

static rdx_status alloc(const translator *t, uint64_t count, size_t size, void **out) {
  return rdx_arena_alloc(t->t->x->arena, count, size, WHAT, out, t->err);
}

/* ---- Values and columns of expressions ---- */

/* The only column that an expression reads: UINT32_MAX for none so far, UINT32_MAX - 1 for several. */
static void find_column(const rdx_bound *e, uint32_t *column) {
  if (e->kind == RDX_BOUND_COLUMN)
    *column = *column == UINT32_MAX || *column == e->index ? e->index : UINT32_MAX - 1;
  for (uint32_t i = 0; e->kind == RDX_BOUND_CALL && i < e->count; i++)
    find_column(e->args[i], column);
}

bool rdx_known(rdx_execution *x, const rdx_bound *e, rdx_known_value *out) {
  uint32_t column = UINT32_MAX;
  find_column(e, &column);
  if (column != UINT32_MAX || rdx_value_of(x, e, &out->datum, NULL) != RDX_OK)
    return false;
  out->units = e->type.kind == RDX_SQL_DECIMAL && e->type.precision > 18 ? out->datum.wide : out->datum.i;
  return true;
}

const rdx_bound *rdx_uncast(const rdx_bound *e) {
  e = rdx_without_casts(e);
  return e->kind == RDX_BOUND_COLUMN ? e : NULL;
}

/* ---- Predicates without values ---- */

static rdx_status make_always(rdx_predicate *out) {
  *out = (rdx_predicate){.kind = RDX_PREDICATE_TRUE};
  return RDX_OK;
}

static rdx_status make_never(rdx_predicate *out) {
  *out = (rdx_predicate){.kind = RDX_PREDICATE_OR};
  return RDX_OK;
}

static rdx_status make_null_test(uint32_t column, bool null, rdx_predicate *out) {
  *out = (rdx_predicate){.kind = null ? RDX_PREDICATE_IS_NULL : RDX_PREDICATE_IS_NOT_NULL, .column = column};
  return RDX_OK;
}

/* Two predicates, joined. */
static rdx_status make_either(const translator *t, rdx_predicate a, rdx_predicate b, rdx_predicate *out) {
  rdx_predicate *children = NULL;
  RDX_TRY(alloc(t, 2, sizeof *children, (void **)&children));
  children[0] = a;
  children[1] = b;
  *out = (rdx_predicate){.kind = RDX_PREDICATE_OR, .children = children, .child_count = 2};
  return RDX_OK;
}

/* ---- Comparisons ---- */

static rdx_predicate_kind predicate_of_op(rdx_op op) {
  return (rdx_predicate_kind)(RDX_PREDICATE_EQ + (op - RDX_OP_EQ));
}

static rdx_predicate_kind opposite(rdx_predicate_kind kind) {
  static const rdx_predicate_kind other[] = {RDX_PREDICATE_NE, RDX_PREDICATE_EQ, RDX_PREDICATE_GE,
                                             RDX_PREDICATE_GT, RDX_PREDICATE_LE, RDX_PREDICATE_LT};
  return other[kind - RDX_PREDICATE_EQ];
}

/* A value as units of a column: its floor; `exact`: it is that. Beyond all that the column may have: `high`, `low`. */
typedef struct units {
  int64_t floor; /* the bits of u64 */
  bool exact, high, low;
} units;

static units clip_units(const rdx_column *column, rdx_i128 value, bool exact) {
  rdx_i128 min, max;
  rdx_type_limits(column->type, &min, &max);
  return (units){(int64_t)(uint64_t)value, exact, value > max, value < min};
}

static units floor_units(const rdx_column *column, rdx_i128 value, rdx_i128 divisor) {
  const rdx_i128 rest = value % divisor;
  return clip_units(column, value / divisor - (rest < 0), rest == 0);
}

/* A value of an exact type; columns have at most 18 digits after the point, values 38 in all. */
static units exact_units(const rdx_column *column, rdx_i128 value, uint32_t scale) {
  if (scale >= column->scale)
    return floor_units(column, value, rdx_power_of_ten(scale - column->scale));
  const rdx_i128 factor = rdx_power_of_ten(column->scale - scale);
  rdx_i128 product;
  if (__builtin_mul_overflow(value, factor, &product))
    return (units){.high = value > 0, .low = value < 0};
  return clip_units(column, product, true);
}

/* A double, for a column of integers, which are compared as doubles; false: where rounding may tell. */
static bool double_units(const rdx_column *column, double value, units *out) {
  const bool rounds = rdx_type_size(column->type) == 8;
  *out = (units){.high = value != value || value > 0, .low = value < 0};
  if (fabs(value) < EXACT_DOUBLE)
    *out = clip_units(column, (rdx_i128)floor(value), floor(value) == value);
  else if (rounds && fabs(value) < 0x1p65)
    return false;
  return true;
}

static bool units_of(const rdx_column *column, rdx_sql_type type, const rdx_known_value *value, units *out) {
  switch (column->type) {
  case RDX_TYPE_BOOL:
  case RDX_TYPE_TIMESTAMP:
    *out = clip_units(column, value->units, true);
    return true;
  case RDX_TYPE_DATE:
    *out = floor_units(column, value->units, type.kind == RDX_SQL_TIMESTAMP ? (rdx_i128)DAY_MICROS : 1);
    return true;
  default:
    break;
  }
  if (type.kind == RDX_SQL_DOUBLE)
    return column->type != RDX_TYPE_DECIMAL && double_units(column, value->datum.f, out);
  *out = exact_units(column, value->units, type.kind == RDX_SQL_DECIMAL ? type.scale : 0);
  return rdx_is_exact(type);
}

/* The comparison with the floor of a value above it that is true for the same values. */
static rdx_predicate_kind compare_floor(rdx_predicate_kind kind) {
  return kind == RDX_PREDICATE_LT ? RDX_PREDICATE_LE : kind == RDX_PREDICATE_GE ? RDX_PREDICATE_GT : kind;
}

static rdx_status make_units_leaf(const translator *t, rdx_predicate_kind kind, uint32_t column, units u,
                                  rdx_predicate *out) {
  const rdx_column *c = &t->t->columns[column];
  const bool below = kind == RDX_PREDICATE_LT || kind == RDX_PREDICATE_LE;
  const bool apart = u.high || u.low || !u.exact; /* no value of the column is equal */
  if (apart && (kind == RDX_PREDICATE_EQ || kind == RDX_PREDICATE_NE))
    return kind == RDX_PREDICATE_EQ ? make_never(out) : make_null_test(column, false, out);
  if (u.high || u.low)
    return u.high == below ? make_null_test(column, false, out) : make_never(out);
  int64_t *value = NULL;
  RDX_TRY(alloc(t, 1, sizeof *value, (void **)&value));
  *value = u.floor; /* little endian: the low bytes are those of narrower types */
  *out = (rdx_predicate){.kind = u.exact ? kind : compare_floor(kind),
                         .column = column,
                         .values = {.type = c->type, .scale = c->scale, .rows = 1, .values = value}};
  return RDX_OK;
}

static rdx_status make_text_column(const translator *t, const rdx_sql_text *texts, uint64_t count, rdx_column *out) {
  uint64_t *offsets = NULL, total = 0;
  char *bytes = NULL;
  for (uint64_t i = 0; i < count; i++)
    total += texts[i].length;
  RDX_TRY(alloc(t, count + 1, sizeof *offsets, (void **)&offsets));
  RDX_TRY(alloc(t, total, 1, (void **)&bytes));
  offsets[0] = 0;
  for (uint64_t i = 0; i < count; i++) {
    if (texts[i].length > 0)
      memcpy(bytes + offsets[i], texts[i].data, texts[i].length);
    offsets[i + 1] = offsets[i] + texts[i].length;
  }
  *out = (rdx_column){.type = RDX_TYPE_STRING, .rows = count, .values = bytes, .offsets = offsets};
  return RDX_OK;
}

/* column `kind` value, none of them NULL. */
static rdx_status make_comparison(const translator *t, rdx_predicate_kind kind, uint32_t column, rdx_sql_type type,
                                  const rdx_known_value *value, rdx_predicate *out, bool *found) {
  const rdx_column *c = &t->t->columns[column];
  *out = (rdx_predicate){.kind = kind, .column = column};
  *found = true;
  if (c->type == RDX_TYPE_STRING)
    return make_text_column(t, &value->datum.text, 1, &out->values);
  if (rdx_type_is_float(c->type)) {
    double *copy = NULL;
    RDX_TRY(alloc(t, 1, sizeof *copy, (void **)&copy));
    *copy = value->datum.f;
    out->values = (rdx_column){.type = RDX_TYPE_F64, .rows = 1, .values = copy};
    return RDX_OK;
  }
  units u;
  *found = units_of(c, type, value, &u);
  return *found ? make_units_leaf(t, kind, column, u, out) : RDX_OK;
}

/* Whether values of a type can be compared with those of the column that an expression is, below its casts. */
static bool is_comparable(const rdx_column *c, rdx_sql_type type) {
  switch (c->type) {
  case RDX_TYPE_BOOL:
    return type.kind == RDX_SQL_BOOL;
  case RDX_TYPE_F32:
  case RDX_TYPE_F64:
    return type.kind == RDX_SQL_REAL || type.kind == RDX_SQL_DOUBLE;
  case RDX_TYPE_DATE:
    return type.kind == RDX_SQL_DATE || type.kind == RDX_SQL_TIMESTAMP;
  case RDX_TYPE_TIMESTAMP:
    return type.kind == RDX_SQL_TIMESTAMP;
  case RDX_TYPE_STRING:
    return type.kind == RDX_SQL_TEXT;
  default:
    return rdx_is_exact(type) || type.kind == RDX_SQL_DOUBLE;
  }
}

static rdx_status compare(const translator *t, const rdx_bound *e, bool negated, rdx_predicate *out, bool *found) {
  const rdx_bound *left = rdx_uncast(e->args[0]), *right = rdx_uncast(e->args[1]);
  const rdx_bound *column = left ? left : right, *other = left ? e->args[1] : e->args[0];
  rdx_known_value value;
  if (!column || !is_comparable(&t->t->columns[column->index], other->type) || !rdx_known(t->t->x, other, &value))
    return RDX_OK;
  if (e->op == RDX_OP_DISTINCT) {
    if (value.datum.null) {
      *found = true;
      return make_null_test(column->index, negated, out);
    }
    const rdx_predicate_kind kind = negated ? RDX_PREDICATE_EQ : RDX_PREDICATE_NE;
    RDX_TRY(make_comparison(t, kind, column->index, other->type, &value, out, found));
    if (!*found || negated)
      return RDX_OK;
    rdx_predicate null;
    RDX_TRY(make_null_test(column->index, true, &null));
    return make_either(t, *out, null, out);
  }
  *found = true;
  if (value.datum.null)
    return make_never(out);
  rdx_predicate_kind kind = predicate_of_op(e->op);
  kind = left ? kind : rdx_predicate_mirrored(kind);
  return make_comparison(t, negated ? opposite(kind) : kind, column->index, other->type, &value, out, found);
}

/* ---- Lists ---- */

/* Values of a list that the column can have, as a column of its type; false: some value cannot be said so. */
static rdx_status list_values(const translator *t, const rdx_bound *e, const rdx_column *c, rdx_column *out,
                              bool *has_null, bool *found) {
  const size_t size = c->type == RDX_TYPE_STRING   ? sizeof(rdx_sql_text)
                      : rdx_type_is_float(c->type) ? 8
                                                   : rdx_type_size(c->type);
  char *values = NULL;
  uint64_t count = 0;
  RDX_TRY(alloc(t, e->count, size, (void **)&values));
  *has_null = false;
  for (uint32_t i = 1; i < e->count; i++) {
    rdx_known_value value;
    units u = {.exact = true};
    *found = rdx_known(t->t->x, e->args[i], &value) && is_comparable(c, e->args[i]->type);
    if (*found && !value.datum.null && c->type != RDX_TYPE_STRING && !rdx_type_is_float(c->type))
      *found = units_of(c, e->args[i]->type, &value, &u);
    if (!*found)
      return RDX_OK;
    *has_null |= value.datum.null;
    if (value.datum.null || !u.exact || u.high || u.low)
      continue;
    const void *from = c->type == RDX_TYPE_STRING   ? (const void *)&value.datum.text
                       : rdx_type_is_float(c->type) ? (const void *)&value.datum.f
                                                    : (const void *)&u.floor;
    memcpy(values + size * count++, from, size);
  }
  if (c->type == RDX_TYPE_STRING)
    return make_text_column(t, (const rdx_sql_text *)(const void *)values, count, out);
  *out = (rdx_column){
      .type = rdx_type_is_float(c->type) ? RDX_TYPE_F64 : c->type, .scale = c->scale, .rows = count, .values = values};
  return RDX_OK;
}

static rdx_status list(const translator *t, const rdx_bound *e, bool negated, rdx_predicate *out, bool *found) {
  const rdx_bound *column = rdx_uncast(e->args[0]);
  rdx_predicate in = {.kind = RDX_PREDICATE_IN};
  bool has_null = false;
  if (!column)
    return RDX_OK;
  in.column = column->index;
  RDX_TRY(list_values(t, e, &t->t->columns[column->index], &in.values, &has_null, found));
  if (!*found)
    return RDX_OK;
  if (negated ? has_null : in.values.rows == 0)
    return make_never(out);
  if (in.values.rows == 0)
    return make_null_test(column->index, false, out);
  *out = in;
  if (!negated)
    return RDX_OK;
  rdx_predicate *child = NULL;
  RDX_TRY(alloc(t, 1, sizeof *child, (void **)&child));
  *child = in;
  *out = (rdx_predicate){.kind = RDX_PREDICATE_NOT, .children = child, .child_count = 1};
  return RDX_OK;
}

/* ---- Any expression over one column of strings, by its dictionary ---- */

/* The entries, or for a column of a NULL its row, for which an expression is true; false: it fails for some. */
static bool find_entries(const translator *t, const rdx_bound *e, uint32_t column, const rdx_column *values,
                         uint32_t **rows, uint64_t *count) {
  rdx_input *inputs = NULL;
  rdx_error unwanted;
  if (alloc(t, (uint64_t)column + 1, sizeof *inputs, (void **)&inputs) != RDX_OK)
    return false;
  memset(inputs, 0, ((size_t)column + 1) * sizeof *inputs);
  inputs[column].column = *values;
  const rdx_execution *x = t->t->x;
  const rdx_evaluation evaluation = {
      .pool = x->pool, .inputs = inputs, .parameters = x->parameters, .rows = values->rows, .text = x->text};
  return rdx_evaluate_filter(&evaluation, e, rows, count, &unwanted) == RDX_OK;
}

static uint64_t count_runs(const uint32_t *rows, uint64_t count) {
  uint64_t runs = 0;
  for (uint64_t i = 0; i < count; i++)
    runs += i == 0 || rows[i] != rows[i - 1] + 1;
  return runs;
}

static rdx_sql_text entry_of(const rdx_column *dictionary, uint32_t entry) {
  rdx_sql_text text;
  text.data = rdx_column_text(dictionary, entry, &text.length);
  return text;
}

/* Runs of entries are ranges of strings, entries that stand alone go to one list. */
static rdx_status make_runs(const translator *t, uint32_t column, const rdx_column *dictionary, const uint32_t *rows,
                            uint64_t count, uint64_t runs, rdx_predicate *out) {
  rdx_predicate *children = NULL;
  rdx_sql_text *single = NULL;
  uint32_t singles = 0, made = 0;
  RDX_TRY(alloc(t, runs + 1, sizeof *children, (void **)&children));
  RDX_TRY(alloc(t, runs, sizeof *single, (void **)&single));
  for (uint64_t i = 0, end; i < count; i = end) {
    for (end = i + 1; end < count && rows[end] == rows[end - 1] + 1; end++) {
    }
    if (end == i + 1) {
      single[singles++] = entry_of(dictionary, rows[i]);
      continue;
    }
    const rdx_sql_text ends[2] = {entry_of(dictionary, rows[i]), entry_of(dictionary, rows[end - 1])};
    children[made] = (rdx_predicate){.kind = RDX_PREDICATE_BETWEEN, .column = column};
    RDX_TRY(make_text_column(t, ends, 2, &children[made++].values));
  }
  if (singles > 0) {
    children[made] = (rdx_predicate){.kind = RDX_PREDICATE_IN, .column = column};
    RDX_TRY(make_text_column(t, single, singles, &children[made++].values));
  }
  *out = (rdx_predicate){.kind = RDX_PREDICATE_OR, .children = children, .child_count = made};
  return RDX_OK;
}

static rdx_status by_entries(const translator *t, const rdx_bound *e, uint32_t column, rdx_predicate *out,
                             bool *found) {
  static const uint64_t no_offsets[2] = {0};
  static const uint8_t no_validity = 0;
  const rdx_column *dictionary = t->t->columns[column].dictionary;
  const rdx_column null = {
      .type = RDX_TYPE_STRING, .rows = 1, .values = "", .offsets = no_offsets, .validity = &no_validity};
  RDX_SCOPED(rdx_free_local) uint32_t *rows = NULL, *null_rows = NULL;
  uint64_t count = 0, null_count = 0;
  if (find_entries(t, e, column, dictionary, &rows, &count) &&
      find_entries(t, e, column, &null, &null_rows, &null_count)) {
    const uint64_t runs = count_runs(rows, count);
    *found = t->t->insist || runs <= MAX_LISTED;
    if (*found && count == dictionary->rows)
      RDX_TRY(make_null_test(column, false, out));
    else if (*found)
      RDX_TRY(make_runs(t, column, dictionary, rows, count, runs, out));
    rdx_predicate when_null;
    if (*found && null_count > 0) {
      RDX_TRY(make_null_test(column, true, &when_null));
      RDX_TRY(make_either(t, *out, when_null, out));
    }
  }
  return RDX_OK;
}

static rdx_status by_dictionary(const translator *t, const rdx_bound *e, bool negated, rdx_predicate *out,
                                bool *found) {
  uint32_t column = UINT32_MAX;
  find_column(e, &column);
  if (column >= UINT32_MAX - 1)
    return RDX_OK;
  const rdx_column *c = &t->t->columns[column];
  if (c->type != RDX_TYPE_STRING || !c->dictionary)
    return RDX_OK;
  if (!t->t->insist && (c->dictionary->rows > MAX_ENTRIES || c->dictionary->rows > c->rows / 4))
    return RDX_OK;
  rdx_bound *args[1] = {(rdx_bound *)(uintptr_t)e};
  const rdx_bound not = {.kind = RDX_BOUND_CALL,
                         .op = RDX_OP_NOT,
                         .type = {.kind = RDX_SQL_BOOL},
                         .place = e->place,
                         .args = args,
                         .count = 1};
  return by_entries(t, negated ? &not : e, column, out, found);
}

/* ---- Trees ---- */

static rdx_status translate(translator *t, const rdx_bound *e, bool negated, rdx_predicate *out, bool *found);

static rdx_status connect(translator *t, const rdx_bound *e, bool negated, rdx_predicate *out, bool *found) {
  rdx_predicate *children = NULL;
  RDX_TRY(alloc(t, e->count, sizeof *children, (void **)&children));
  for (uint32_t i = 0; i < e->count; i++) {
    RDX_TRY(translate(t, e->args[i], negated, &children[i], found));
    if (!*found)
      return RDX_OK;
  }
  *out = (rdx_predicate){.kind = (e->op == RDX_OP_AND) != negated ? RDX_PREDICATE_AND : RDX_PREDICATE_OR,
                         .children = children,
                         .child_count = e->count};
  return RDX_OK;
}

/* A column of BOOL; `or_null`: or NULL. */
static rdx_status bare(const translator *t, uint32_t column, bool value, bool or_null, rdx_predicate *out,
                       bool *found) {
  const rdx_known_value known = {.units = value};
  RDX_TRY(make_comparison(t, RDX_PREDICATE_EQ, column, (rdx_sql_type){.kind = RDX_SQL_BOOL}, &known, out, found));
  rdx_predicate null;
  RDX_TRY(make_null_test(column, true, &null));
  return or_null ? make_either(t, *out, null, out) : RDX_OK;
}

static rdx_status call(translator *t, const rdx_bound *e, bool negated, rdx_predicate *out, bool *found) {
  const rdx_bound *column = NULL;
  switch (e->op) {
  case RDX_OP_AND:
  case RDX_OP_OR:
    return connect(t, e, negated, out, found);
  case RDX_OP_NOT:
    return translate(t, e->args[0], !negated, out, found);
  case RDX_OP_IS_TRUE:
    if (!negated)
      return translate(t, e->args[0], false, out, found);
    return e->args[0]->kind == RDX_BOUND_COLUMN ? bare(t, e->args[0]->index, false, true, out, found) : RDX_OK;
  case RDX_OP_IS_NULL:
    column = rdx_uncast(e->args[0]);
    *found = column != NULL;
    return column ? make_null_test(column->index, !negated, out) : RDX_OK;
  case RDX_OP_EQ:
  case RDX_OP_NE:
  case RDX_OP_LT:
  case RDX_OP_LE:
  case RDX_OP_GT:
  case RDX_OP_GE:
  case RDX_OP_DISTINCT:
    return compare(t, e, negated, out, found);
  case RDX_OP_IN:
    return list(t, e, negated, out, found);
  default:
    return RDX_OK;
  }
}

static rdx_status translate(translator *t, const rdx_bound *e, bool negated, rdx_predicate *out, bool *found) {
  rdx_known_value value;
  *found = false;
  if (t->level == MAX_LEVELS)
    return RDX_OK;
  if (e->kind == RDX_BOUND_COLUMN)
    return bare(t, e->index, !negated, false, out, found);
  if (rdx_known(t->t->x, e, &value)) {
    *found = true;
    return !value.datum.null && (value.datum.i != 0) != negated ? make_always(out) : make_never(out);
  }
  t->level++;
  rdx_status status = call(t, e, negated, out, found);
  t->level--;
  if (status == RDX_OK && !*found)
    status = by_dictionary(t, e, negated, out, found);
  return status;
}

rdx_status rdx_predicate_of(const rdx_translation *translation, const rdx_bound *expression, rdx_predicate *out,
                            bool *found, rdx_error *err) {
  translator t = {.t = translation, .err = err};
  return translate(&t, expression, false, out, found);
}

/* ---- Columns of predicates ---- */

void rdx_predicate_mark(const rdx_predicate *p, bool *used) {
  if (p->kind >= RDX_PREDICATE_EQ)
    used[p->column] = true;
  for (uint32_t i = 0; i < p->child_count; i++)
    rdx_predicate_mark(&p->children[i], used);
}

void rdx_predicate_number(rdx_predicate *p, const uint32_t *numbers) {
  if (p->kind >= RDX_PREDICATE_EQ)
    p->column = numbers[p->column];
  for (uint32_t i = 0; i < p->child_count; i++)
    rdx_predicate_number((rdx_predicate *)(uintptr_t)&p->children[i], numbers);
}
