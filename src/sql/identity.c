/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* Columns that number rows: GENERATED ... AS IDENTITY, and serial. The next number is a part of their declaration, as
 * RESTART WITH. */

#include <string.h>

#include "sql/tree.h"

static int64_t clamp(rdx_i128 count) {
  return count > INT64_MAX ? INT64_MAX : count < 0 ? 0 : (int64_t)count;
}

rdx_sql_numbers rdx_sql_numbers_of(const rdx_sql_identity *d, uint32_t bits) {
  const rdx_i128 limit = (rdx_i128)1 << (bits - 1);
  const bool rises = d->increment > 0, is_number = d->next >= -limit && d->next < limit;
  const rdx_i128 size = rises ? d->increment : -(rdx_i128)d->increment;
  rdx_sql_numbers n = {.min = d->has_min ? d->min
                              : rises    ? 1
                                         : (int64_t)-limit,
                       .max = d->has_max ? d->max
                              : rises    ? (int64_t)(limit - 1)
                                         : -1,
                       .step = d->increment};
  const rdx_i128 way = rises ? n.max - d->next : d->next - n.min;
  n.count = is_number && way >= 0 ? clamp(way / size + 1) : 0;
  n.next = n.count > 0 ? (int64_t)d->next : 0;
  n.again = rises ? n.min : n.max;
  n.period = d->cycles ? clamp(((rdx_i128)n.max - n.min) / size + 1) : 0;
  return n;
}

bool rdx_sql_number(const rdx_sql_numbers *n, uint64_t row, int64_t *out) {
  const bool first = row < (uint64_t)n->count;
  const uint64_t place = first ? row : n->period > 0 ? (row - (uint64_t)n->count) % (uint64_t)n->period : 0;
  *out = (int64_t)((first ? n->next : n->again) + (rdx_i128)n->step * (rdx_i128)place);
  return first || n->period > 0;
}

int64_t rdx_sql_default_start(const rdx_sql_identity *d) {
  if (d->increment < 0)
    return d->has_max ? d->max : -1;
  return d->has_min ? d->min : 1;
}

rdx_status rdx_sql_no_more_numbers(const char *text, rdx_sql_place place, const char *type, const char *column,
                                   const char *table, rdx_error *err) {
  return rdx_sql_error(err, RDX_ERROR_OVERFLOW, text, place, NULL,
                       "%s out of range: column \"%.100s\" of relation \"%.100s\" has no more numbers", type, column,
                       table);
}

const char *rdx_sql_number_text(rdx_i128 number, char to[44]) {
  char *at = to + 43;
  *at = '\0';
  for (rdx_i128 rest = number < 0 ? -number : number; rest > 0 || *at == '\0'; rest /= 10)
    *--at = (char)('0' + (int)(rest % 10));
  if (number < 0)
    *--at = '-';
  return at;
}

void rdx_sql_identity_apply(const rdx_sql_identity *changes, uint32_t bits, rdx_sql_identity *d) {
  if (changes->sets_increment && (changes->increment < 0) != (d->increment < 0)) {
    const rdx_sql_numbers before = rdx_sql_numbers_of(d, bits);
    d->min = before.min;
    d->max = before.max;
    d->has_min = d->has_max = true;
  }
  d->always = changes->sets_always ? changes->always : d->always;
  d->increment = changes->sets_increment ? changes->increment : d->increment;
  d->start = changes->sets_start ? changes->start : d->start;
  d->cycles = changes->sets_cycles ? changes->cycles : d->cycles;
  if (changes->sets_min) {
    d->has_min = changes->has_min;
    d->min = changes->min;
  }
  if (changes->sets_max) {
    d->has_max = changes->has_max;
    d->max = changes->max;
  }
  if (changes->restarts)
    d->next = d->start;
  if (changes->sets_next)
    d->next = changes->next;
}

/* ---- What is written ---- */

/* A whole number of at most 19 digits, which may be one beyond bigint. */
static rdx_status take_number(const rdx_tree *t, const rdx_tree_node *n, rdx_sql_place place, rdx_i128 *out) {
  const bool small = n->node_case == PG_QUERY__NODE__NODE_INTEGER;
  const char *text = small ? "" : n->node_case == PG_QUERY__NODE__NODE_FLOAT ? n->float_->fval : "?";
  const char *digits = text + (*text == '-');
  *out = small ? n->integer->ival : 0;
  if (small)
    return RDX_OK;
  if (strspn(digits, "0123456789") != strlen(digits) || strlen(digits) > 19)
    return rdx_sql_error(t->err, RDX_ERROR_ARGUMENT, t->text->text, place, NULL,
                         "invalid input syntax for type bigint: \"%.60s\"", text);
  for (; *digits; digits++)
    *out = *out * 10 + (*digits - '0');
  *out = *text == '-' ? -*out : *out;
  return RDX_OK;
}

static rdx_status take_bigint(const rdx_tree *t, const rdx_tree_node *n, rdx_sql_place place, int64_t *out) {
  rdx_i128 number = 0;
  RDX_TRY(take_number(t, n, place, &number));
  if (number > INT64_MAX || number < INT64_MIN)
    return rdx_sql_error(t->err, RDX_ERROR_ARGUMENT, t->text->text, place, NULL, "bigint out of range");
  *out = (int64_t)number;
  return RDX_OK;
}

static rdx_status take_increment(const rdx_tree *t, const rdx_tree_node *n, rdx_sql_place place,
                                 rdx_sql_identity *out) {
  RDX_TRY(take_bigint(t, n, place, &out->increment));
  out->sets_increment = true;
  return out->increment != 0
             ? RDX_OK
             : rdx_sql_error(t->err, RDX_ERROR_ARGUMENT, t->text->text, place, NULL, "INCREMENT must not be zero");
}

/* Whether an option says nothing that matters here. */
static bool says_nothing(const PgQuery__DefElem *o) {
  return strcmp(o->defname, "cache") == 0 || strcmp(o->defname, "sequence_name") == 0;
}

/* MINVALUE, MAXVALUE, with NO before them without a number. */
static rdx_status take_bound(const rdx_tree *t, const rdx_tree_node *n, rdx_sql_place place, bool *sets, bool *has,
                             int64_t *out) {
  *sets = true;
  *has = n != NULL;
  return n ? take_bigint(t, n, place, out) : RDX_OK;
}

static bool is_twice(const char *name, const rdx_sql_identity *d) {
  return (strcmp(name, "start") == 0 && d->sets_start) || (strcmp(name, "increment") == 0 && d->sets_increment) ||
         (strcmp(name, "minvalue") == 0 && d->sets_min) || (strcmp(name, "maxvalue") == 0 && d->sets_max) ||
         (strcmp(name, "cycle") == 0 && d->sets_cycles) ||
         (strcmp(name, "restart") == 0 && (d->sets_next || d->restarts));
}

static rdx_status take_option(const rdx_tree *t, const PgQuery__DefElem *o, rdx_sql_identity *out) {
  const rdx_sql_place place = o->location > 0 ? rdx_tree_place(t, o->location) : out->place;
  if (is_twice(o->defname, out))
    return rdx_sql_error(t->err, RDX_ERROR_ARGUMENT, t->text->text, place, NULL, "conflicting or redundant options");
  if (strcmp(o->defname, "generated") == 0) {
    out->sets_always = true;
    out->always = o->arg->integer->ival == 'a';
    return RDX_OK;
  }
  if (strcmp(o->defname, "restart") == 0) {
    out->restarts = !o->arg;
    out->sets_next = o->arg != NULL;
    return o->arg ? take_number(t, o->arg, place, &out->next) : RDX_OK;
  }
  if (strcmp(o->defname, "start") == 0) {
    out->sets_start = true;
    return take_bigint(t, o->arg, place, &out->start);
  }
  if (strcmp(o->defname, "increment") == 0)
    return take_increment(t, o->arg, place, out);
  if (strcmp(o->defname, "minvalue") == 0)
    return take_bound(t, o->arg, place, &out->sets_min, &out->has_min, &out->min);
  if (strcmp(o->defname, "maxvalue") == 0)
    return take_bound(t, o->arg, place, &out->sets_max, &out->has_max, &out->max);
  if (strcmp(o->defname, "cycle") == 0) {
    out->sets_cycles = true;
    out->cycles = o->arg && o->arg->node_case == PG_QUERY__NODE__NODE_BOOLEAN && o->arg->boolean->boolval;
    return RDX_OK;
  }
  return rdx_tree_refuse_if(
      t, !says_nothing(o), place,
      "IDENTITY has START, INCREMENT, MINVALUE, MAXVALUE, CYCLE and RESTART; other options are not supported");
}

rdx_status rdx_tree_identity_options(rdx_tree *t, size_t count, rdx_tree_node *const *options, rdx_sql_identity *out) {
  for (size_t i = 0; i < count; i++)
    RDX_TRY(take_option(t, options[i]->def_elem, out));
  return RDX_OK;
}

rdx_status rdx_tree_identity(rdx_tree *t, const PgQuery__Constraint *k, const rdx_sql_identity **out) {
  rdx_sql_identity *d = NULL;
  RDX_TRY(rdx_tree_alloc(t, 1, sizeof *d, (void **)&d));
  *d = (rdx_sql_identity){
      .place = rdx_tree_place(t, k->location), .always = k->generated_when[0] == 'a', .increment = 1};
  RDX_TRY(rdx_tree_identity_options(t, k->n_options, k->options, d));
  d->start = d->sets_start ? d->start : rdx_sql_default_start(d);
  d->next = d->sets_next ? d->next : d->start;
  *out = d;
  return RDX_OK;
}

rdx_status rdx_tree_serial(rdx_tree *t, const char **type, rdx_sql_place place, const rdx_sql_identity **out) {
  static const char *const types[][2] = {{"smallserial", "smallint"}, {"serial2", "smallint"}, {"serial", "integer"},
                                         {"serial4", "integer"},      {"bigserial", "bigint"}, {"serial8", "bigint"}};
  size_t i = 0;
  rdx_sql_identity *d = NULL;
  while (i < RDX_COUNT(types) && strcmp(types[i][0], *type) != 0)
    i++;
  if (i == RDX_COUNT(types))
    return RDX_OK;
  RDX_TRY(rdx_tree_alloc(t, 1, sizeof *d, (void **)&d));
  *d = (rdx_sql_identity){.place = place, .start = 1, .increment = 1, .next = 1};
  *type = types[i][1];
  *out = d;
  return RDX_OK;
}
