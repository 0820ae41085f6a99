/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* Calls by their names: forms with words of their own, operators, functions. */

#include <stdio.h>
#include <string.h>
#include <time.h>

#include <raydex/version.h>

#include "base/words.h"
#include "expression/binding.h"
#include "expression/calendar.h"

typedef struct call {
  rdx_binding *b;
  const char *name;
  rdx_bound *const *args;
  uint32_t count;
  rdx_sql_place place;
  rdx_op op;    /* of the form */
  bool negated; /* NOT LIKE and so on */
} call;

/* A call of what the table of functions has under a name: at the end of this file. */
static rdx_status bind_named(rdx_binding *b, const char *name, rdx_bound *const *args, uint32_t count,
                             rdx_sql_place place, rdx_bound **out);

static const rdx_sql_type truth = {.kind = RDX_SQL_BOOL};

/* The place of an argument, or else that of the call. */
static rdx_sql_place place_of(const call *c, const rdx_bound *arg) {
  return arg->place ? arg->place : c->place;
}

/* Arguments that may be replaced. */
static rdx_status copy_args(const call *c, rdx_bound ***out) {
  RDX_TRY(rdx_arena_alloc(c->b->arena, c->count + 1, sizeof **out, "a call", (void **)out, c->b->err));
  memcpy(*out, c->args, c->count * sizeof **out);
  return RDX_OK;
}

static rdx_status negate(const call *c, rdx_bound *value, bool negated, rdx_bound **out) {
  *out = value;
  return negated ? rdx_bind_op(c->b, RDX_OP_NOT, truth, &value, 1, c->place, out) : RDX_OK;
}

/* ---- Forms ---- */

/* An argument that must be true or false; `what` names whose it is. */
static rdx_status as_truth(const call *c, rdx_bound *arg, const char *what, rdx_bound **out) {
  char type[32];
  if (arg->type.kind == RDX_SQL_UNKNOWN)
    return rdx_bind_as(c->b, arg, truth, out);
  *out = arg;
  if (arg->type.kind == RDX_SQL_BOOL)
    return RDX_OK;
  return rdx_sql_error(c->b->err, RDX_ERROR_ARGUMENT, c->b->text, place_of(c, arg), NULL,
                       "argument of %s must be type boolean, not type %s", what, rdx_sql_type_text(arg->type, type));
}

/* Whether a value is a constant that is true, or false. */
static bool is_constantly(const rdx_bound *value, int64_t truth_value) {
  return rdx_is_constant(value) && !value->value.null && value->value.i == truth_value;
}

rdx_status rdx_bind_junction(rdx_binding *b, const rdx_bound *junction, rdx_bound **out) {
  const int64_t decides = junction->op == RDX_OP_OR;
  rdx_bound **args = junction->args;
  uint32_t count = 0;
  if (b->keeps_all && junction->count > 1)
    return rdx_bind_op(b, junction->op, truth, args, junction->count, junction->place, out);
  for (uint32_t i = 0; i < junction->count; i++) {
    *out = args[i];
    if (is_constantly(args[i], decides))
      return RDX_OK;
    if (!is_constantly(args[i], !decides))
      args[count++] = args[i];
  }
  if (count > 0)
    *out = args[0];
  return count > 1 ? rdx_bind_op(b, junction->op, truth, args, count, junction->place, out) : RDX_OK;
}

static rdx_status bind_junction(const call *c, rdx_bound **out) {
  rdx_bound **args = NULL;
  RDX_TRY(copy_args(c, &args));
  for (uint32_t i = 0; i < c->count; i++)
    RDX_TRY(as_truth(c, args[i], c->op == RDX_OP_AND ? "AND" : c->op == RDX_OP_OR ? "OR" : "NOT", &args[i]));
  if (c->op != RDX_OP_NOT)
    return rdx_bind_junction(c->b, &(rdx_bound){.op = c->op, .args = args, .count = c->count, .place = c->place}, out);
  return rdx_bind_op(c->b, c->op, truth, args, c->count, c->place, out);
}

static rdx_status bind_is_null(const call *c, rdx_bound **out) {
  rdx_bound *result = NULL;
  RDX_TRY(rdx_bind_op(c->b, RDX_OP_IS_NULL, truth, c->args, 1, c->place, &result));
  return negate(c, result, c->negated, out);
}

/* IS UNKNOWN, which is IS NULL of something true or false. */
static rdx_status bind_is_unknown(const call *c, rdx_bound **out) {
  rdx_bound *arg = NULL;
  call form = *c;
  RDX_TRY(as_truth(c, c->args[0], "IS UNKNOWN", &arg));
  form.args = &arg;
  return bind_is_null(&form, out);
}

static rdx_status bind_is_true(const call *c, rdx_bound **out) {
  rdx_bound *arg = NULL, *result = NULL;
  RDX_TRY(as_truth(c, c->args[0], "IS TRUE", &arg));
  RDX_TRY(negate(c, arg, c->op == RDX_OP_NOT, &arg)); /* IS FALSE */
  RDX_TRY(rdx_bind_op(c->b, RDX_OP_IS_TRUE, truth, &arg, 1, c->place, &result));
  return negate(c, result, c->negated, out);
}

static rdx_status bind_comparison(const call *c, rdx_bound **out) {
  rdx_bound *result = NULL;
  RDX_TRY(rdx_bind_comparison(c->b, c->op, c->args, c->place, &result));
  return negate(c, result, c->negated, out);
}

/* low <= x and x <= high. */
static rdx_status within(const call *c, rdx_bound *low, rdx_bound *high, rdx_bound **out) {
  rdx_bound *ends[2], *from[] = {c->args[0], low}, *to[] = {c->args[0], high};
  RDX_TRY(rdx_bind_comparison(c->b, RDX_OP_GE, from, c->place, &ends[0]));
  RDX_TRY(rdx_bind_comparison(c->b, RDX_OP_LE, to, c->place, &ends[1]));
  return rdx_bind_op(c->b, RDX_OP_AND, truth, ends, 2, c->place, out);
}

static rdx_status bind_between(const call *c, rdx_bound **out) {
  rdx_bound *ways[2] = {NULL, NULL};
  RDX_TRY(within(c, c->args[1], c->args[2], &ways[0]));
  if (strstr(c->name, "symmetric")) {
    RDX_TRY(within(c, c->args[2], c->args[1], &ways[1]));
    RDX_TRY(rdx_bind_op(c->b, RDX_OP_OR, truth, ways, 2, c->place, &ways[0]));
  }
  return negate(c, ways[0], c->negated, out);
}

static rdx_status bind_in(const call *c, rdx_bound **out) {
  rdx_bound *result = NULL;
  RDX_TRY(rdx_bind_in(c->b, c->args, c->count, c->place, &result));
  return negate(c, result, c->negated, out);
}

static rdx_status bind_like(const call *c, rdx_bound **out) {
  rdx_bound **args = NULL, *result = NULL;
  RDX_TRY(copy_args(c, &args));
  for (uint32_t i = 0; i < c->count; i++) {
    if (args[i]->type.kind != RDX_SQL_TEXT && args[i]->type.kind != RDX_SQL_UNKNOWN)
      return rdx_no_operator(c->b, c->op == RDX_OP_LIKE ? "LIKE" : "ILIKE", c->args, 2, c->place);
    RDX_TRY(rdx_bind_as(c->b, args[i], rdx_type_of_kind(RDX_SQL_TEXT), &args[i]));
  }
  RDX_TRY(rdx_bind_op(c->b, c->op, truth, args, c->count, c->place, &result));
  return negate(c, result, c->negated, out);
}

/* Whether a text matches a regular expression; a * behind the operator means in any case. */
static rdx_status bind_regex(const call *c, rdx_bound **out) {
  rdx_bound *result = NULL;
  if (c->count == 1) /* the other bits */
    return bind_named(c->b, c->name, c->args, 1, c->place, out);
  RDX_TRY(bind_named(c->b, strchr(c->name, '*') ? "~*" : "~", c->args, 2, c->place, &result));
  return negate(c, result, c->negated, out);
}

/* A string that meets a DECIMAL keeps all of its digits, which the type then has. */
static rdx_status keep_digits(const call *c, rdx_bound **value, rdx_sql_type *common) {
  if (common->kind != RDX_SQL_DECIMAL || (*value)->type.kind != RDX_SQL_UNKNOWN || !rdx_is_constant(*value) ||
      (*value)->value.null)
    return RDX_OK;
  RDX_TRY(rdx_bind_as(c->b, *value, rdx_type_of_kind(RDX_SQL_DECIMAL), value));
  const rdx_sql_type pair[] = {*common, (*value)->type};
  return rdx_sql_common_type(pair, 2, common) ? RDX_OK : rdx_fail(c->b->err, RDX_ERROR_INTERNAL, "numbers do not mix");
}

/* Arguments from, from + step, ... and the last as their common type. */
static rdx_status unify(const call *c, rdx_bound **args, uint32_t count, uint32_t from, uint32_t step,
                        rdx_sql_type *out) {
  rdx_sql_type common = {0};
  char first[32], second[32];
  for (uint32_t i = from; i < count; i = i + step < count || i == count - 1 ? i + step : count - 1) {
    const rdx_sql_type pair[] = {common, args[i]->type};
    if (common.kind == RDX_SQL_UNKNOWN)
      common = args[i]->type;
    else if (!rdx_sql_common_type(pair, 2, &common))
      return rdx_sql_error(c->b->err, RDX_ERROR_ARGUMENT, c->b->text, place_of(c, args[i]), NULL,
                           "%s types %s and %s cannot be matched", c->op == RDX_OP_CASE ? "CASE" : c->name,
                           rdx_sql_type_text(pair[0], first), rdx_sql_type_text(pair[1], second));
  }
  common = common.kind == RDX_SQL_UNKNOWN ? rdx_type_of_kind(RDX_SQL_TEXT) : common;
  for (uint32_t i = from; i < count; i = i + step < count || i == count - 1 ? i + step : count - 1)
    RDX_TRY(keep_digits(c, &args[i], &common));
  for (uint32_t i = from; i < count; i = i + step < count || i == count - 1 ? i + step : count - 1)
    RDX_TRY(rdx_bind_as(c->b, args[i], common, &args[i]));
  *out = common;
  return RDX_OK;
}

/* Leave branches out that no row takes; returns how many arguments there still are. */
static uint32_t drop_branches(rdx_bound **args, uint32_t count) {
  uint32_t kept = 0;
  for (uint32_t i = 0; i + 1 < count; i += 2) {
    if (rdx_is_constant(args[i]) && !is_constantly(args[i], 1))
      continue;
    if (is_constantly(args[i], 1)) {
      args[kept++] = args[i + 1];
      return kept;
    }
    args[kept++] = args[i];
    args[kept++] = args[i + 1];
  }
  args[kept++] = args[count - 1];
  return kept;
}

static rdx_status bind_case(const call *c, rdx_bound **out) {
  rdx_bound **args = NULL;
  rdx_sql_type type;
  uint32_t count = c->count;
  RDX_TRY(copy_args(c, &args));
  if (count % 2 == 0)
    RDX_TRY(rdx_bind_constant(c->b, rdx_type_of_kind(RDX_SQL_UNKNOWN), (rdx_datum){.null = true}, c->place,
                              &args[count++]));
  for (uint32_t i = 0; i + 1 < count; i += 2)
    RDX_TRY(as_truth(c, args[i], "CASE/WHEN", &args[i]));
  RDX_TRY(unify(c, args, count, 1, 2, &type));
  if (!c->b->keeps_all)
    count = drop_branches(args, count);
  *out = args[0];
  return count > 1 ? rdx_bind_op(c->b, RDX_OP_CASE, type, args, count, c->place, out) : RDX_OK;
}

/* COALESCE, GREATEST, LEAST. */
static rdx_status bind_choice(const call *c, rdx_bound **out) {
  rdx_bound **args = NULL;
  rdx_sql_type type;
  RDX_TRY(copy_args(c, &args));
  RDX_TRY(unify(c, args, c->count, 0, 1, &type));
  return rdx_bind_op(c->b, c->op, type, args, c->count, c->place, out);
}

static rdx_status bind_nullif(const call *c, rdx_bound **out) {
  rdx_bound *args[3] = {NULL, NULL, c->args[0]};
  RDX_TRY(rdx_bind_comparison(c->b, RDX_OP_EQ, c->args, c->place, &args[0]));
  if (args[2]->type.kind == RDX_SQL_UNKNOWN)
    RDX_TRY(rdx_bind_as(c->b, args[2], rdx_type_of_kind(RDX_SQL_TEXT), &args[2]));
  RDX_TRY(rdx_bind_constant(c->b, args[2]->type, (rdx_datum){.null = true}, c->place, &args[1]));
  return rdx_bind_op(c->b, RDX_OP_CASE, args[2]->type, args, 3, c->place, out);
}

/* ---- Operators ---- */

static rdx_status bind_arithmetic(const call *c, rdx_bound **out) {
  if (c->count == 1 && c->op == RDX_OP_SUBTRACT)
    return rdx_bind_negate(c->b, c->args[0], c->place, out);
  if (c->count == 1 && c->op == RDX_OP_ADD && (rdx_is_number(c->args[0]->type))) {
    *out = c->args[0];
    return RDX_OK;
  }
  if (c->count == 1)
    return rdx_no_operator(c->b, c->name, c->args, 1, c->place);
  return rdx_bind_arithmetic(c->b, c->op, c->args, c->place, out);
}

static rdx_status bind_power(const call *c, rdx_bound **out) {
  return bind_named(c->b, "power", c->args, c->count, c->place, out);
}

/* One side is text, the other becomes text. */
static rdx_status bind_join(const call *c, rdx_bound **out) {
  const rdx_sql_type text = rdx_type_of_kind(RDX_SQL_TEXT);
  rdx_bound *args[] = {c->args[0], c->args[1]};
  bool any = false;
  for (uint32_t i = 0; i < 2; i++)
    any |= args[i]->type.kind == RDX_SQL_TEXT || args[i]->type.kind == RDX_SQL_UNKNOWN;
  if (!any)
    return rdx_no_operator(c->b, "||", c->args, 2, c->place);
  for (uint32_t i = 0; i < 2; i++)
    RDX_TRY(rdx_bind_cast(c->b, args[i], text, true, args[i]->place, &args[i]));
  return bind_named(c->b, "||", args, 2, c->place, out);
}

static bool is_text(rdx_sql_type type) {
  return type.kind == RDX_SQL_TEXT || type.kind == RDX_SQL_UNKNOWN;
}

/* substring(t SIMILAR pattern ESCAPE c) comes as a call with three texts. */
static rdx_status bind_substring(const call *c, rdx_bound **out) {
  if (c->count == 3 && is_text(c->args[0]->type) && is_text(c->args[1]->type) && is_text(c->args[2]->type) &&
      rdx_is_constant(c->args[1]) && !c->args[1]->value.null)
    return rdx_sql_error(c->b->err, RDX_ERROR_UNSUPPORTED, c->b->text, c->place,
                         "write substring(t FROM 'a(b*)c') with a regular expression: it gives the part in ( )",
                         "substring(t SIMILAR pattern ESCAPE c) is not supported");
  return bind_named(c->b, c->name, c->args, c->count, c->place, out);
}

/* quote_literal() and quote_nullable() take values of any type. */
static rdx_status bind_quoted(const call *c, rdx_bound **out) {
  rdx_bound *text = NULL;
  RDX_TRY(rdx_bind_cast(c->b, c->args[0], rdx_type_of_kind(RDX_SQL_TEXT), true, place_of(c, c->args[0]), &text));
  return bind_named(c->b, c->name, &text, 1, c->place, out);
}

/* What programs ask of a database first. */
static rdx_status bind_system_text(const call *c, rdx_bound **out) {
  const char *text = strcmp(c->name, "current_schema") == 0 ? "public" : "raydex";
  if (strcmp(c->name, "version") == 0) {
    char version[64];
    snprintf(version, sizeof version, "Raydex %s", rdx_version());
    RDX_TRY(rdx_arena_text(c->b->arena, version, "a version", &text, c->b->err));
  }
  return rdx_bind_constant(c->b, rdx_type_of_kind(RDX_SQL_TEXT), (rdx_datum){.text = {text, strlen(text)}}, c->place,
                           out);
}

/* ---- Times ---- */

/* (begin, end) OVERLAPS (begin, end): an end may be an interval behind the begin. */
static rdx_status bind_overlaps(const call *c, rdx_bound **out) {
  rdx_bound **args = NULL;
  RDX_TRY(copy_args(c, &args));
  for (uint32_t i = 1; i < c->count; i += 2)
    if (args[i]->type.kind == RDX_SQL_INTERVAL)
      RDX_TRY(rdx_bind_call(c->b, "+", &args[i - 1], 2, place_of(c, args[i]), &args[i]));
  return bind_named(c->b, c->name, args, c->count, c->place, out);
}

static rdx_status bind_now(const call *c, rdx_bound **out) {
  const bool date = strcmp(c->name, "current_date") == 0;
  struct timespec now = {0};
  int64_t rest = 0;
  if (c->b->now == 0) { /* a statement has one time */
    clock_gettime(CLOCK_REALTIME, &now);
    c->b->now = (int64_t)now.tv_sec * RDX_MICROS_A_SECOND + now.tv_nsec / 1000;
  }
  const rdx_datum value = {.i = date ? rdx_day_of_time(c->b->now, &rest) : c->b->now};
  return rdx_bind_constant(c->b, rdx_type_of_kind(date ? RDX_SQL_DATE : RDX_SQL_TIMESTAMP), value, c->place, out);
}

/* age(x) is age(current_date, x). */
static rdx_status bind_age(const call *c, rdx_bound **out) {
  rdx_bound *args[] = {NULL, c->args[0]};
  if (c->count == 2)
    return bind_named(c->b, "age", c->args, 2, c->place, out);
  RDX_TRY(rdx_bind_call(c->b, "current_date", NULL, 0, c->place, &args[0]));
  return bind_named(c->b, "age", args, 2, c->place, out);
}

static rdx_status bind_type_name(const call *c, rdx_bound **out) {
  char name[32];
  const char *text = NULL;
  rdx_sql_type_text(c->args[0]->type, name);
  RDX_TRY(rdx_arena_text(c->b->arena, name, "a type", &text, c->b->err));
  const rdx_datum value = {.text = {text, strcspn(name, "(")}};
  return rdx_bind_constant(c->b, rdx_type_of_kind(RDX_SQL_TEXT), value, c->place, out);
}

/* extract() as a float. */
static rdx_status bind_date_part(const call *c, rdx_bound **out) {
  rdx_bound *part = NULL;
  RDX_TRY(bind_named(c->b, "extract", c->args, c->count, c->place, &part));
  return rdx_bind_cast(c->b, part, rdx_type_of_kind(RDX_SQL_DOUBLE), true, c->place, out);
}

/* ---- All of them ---- */

typedef struct form {
  const char *name;
  uint32_t min, max; /* arguments */
  rdx_op op;
  bool negated;
  rdx_status (*bind)(const call *c, rdx_bound **out);
} form;

#define ANY UINT32_MAX

/* clang-format off */
static const form forms[] = {
    {"and", 1, ANY, RDX_OP_AND, false, bind_junction},
    {"or", 1, ANY, RDX_OP_OR, false, bind_junction},
    {"not", 1, 1, RDX_OP_NOT, false, bind_junction},
    {"is null", 1, 1, RDX_OP_IS_NULL, false, bind_is_null},
    {"is not null", 1, 1, RDX_OP_IS_NULL, true, bind_is_null},
    {"is unknown", 1, 1, RDX_OP_IS_NULL, false, bind_is_unknown},
    {"is not unknown", 1, 1, RDX_OP_IS_NULL, true, bind_is_unknown},
    {"is true", 1, 1, RDX_OP_IS_TRUE, false, bind_is_true},
    {"is not true", 1, 1, RDX_OP_IS_TRUE, true, bind_is_true},
    {"is false", 1, 1, RDX_OP_NOT, false, bind_is_true},
    {"is not false", 1, 1, RDX_OP_NOT, true, bind_is_true},
    {"=", 2, 2, RDX_OP_EQ, false, bind_comparison},
    {"<>", 2, 2, RDX_OP_NE, false, bind_comparison},
    {"!=", 2, 2, RDX_OP_NE, false, bind_comparison},
    {"<", 2, 2, RDX_OP_LT, false, bind_comparison},
    {"<=", 2, 2, RDX_OP_LE, false, bind_comparison},
    {">", 2, 2, RDX_OP_GT, false, bind_comparison},
    {">=", 2, 2, RDX_OP_GE, false, bind_comparison},
    {"is distinct from", 2, 2, RDX_OP_DISTINCT, false, bind_comparison},
    {"is not distinct from", 2, 2, RDX_OP_DISTINCT, true, bind_comparison},
    {"between", 3, 3, RDX_OP_AND, false, bind_between},
    {"not between", 3, 3, RDX_OP_AND, true, bind_between},
    {"between symmetric", 3, 3, RDX_OP_AND, false, bind_between},
    {"not between symmetric", 3, 3, RDX_OP_AND, true, bind_between},
    {"in", 2, ANY, RDX_OP_IN, false, bind_in},
    {"not in", 2, ANY, RDX_OP_IN, true, bind_in},
    {"like", 2, 2, RDX_OP_LIKE, false, bind_like},
    {"not like", 2, 2, RDX_OP_LIKE, true, bind_like},
    {"ilike", 2, 2, RDX_OP_ILIKE, false, bind_like},
    {"not ilike", 2, 2, RDX_OP_ILIKE, true, bind_like},
    {"~~", 2, 2, RDX_OP_LIKE, false, bind_like},
    {"!~~", 2, 2, RDX_OP_LIKE, true, bind_like},
    {"~~*", 2, 2, RDX_OP_ILIKE, false, bind_like},
    {"!~~*", 2, 2, RDX_OP_ILIKE, true, bind_like},
    {"~", 1, 2, RDX_OP_FUNCTION, false, bind_regex},
    {"~*", 2, 2, RDX_OP_FUNCTION, false, bind_regex},
    {"!~", 2, 2, RDX_OP_FUNCTION, true, bind_regex},
    {"!~*", 2, 2, RDX_OP_FUNCTION, true, bind_regex},
    {"case", 2, ANY, RDX_OP_CASE, false, bind_case},
    {"coalesce", 1, ANY, RDX_OP_COALESCE, false, bind_choice},
    {"greatest", 1, ANY, RDX_OP_GREATEST, false, bind_choice},
    {"least", 1, ANY, RDX_OP_LEAST, false, bind_choice},
    {"nullif", 2, 2, RDX_OP_CASE, false, bind_nullif},
    {"+", 1, 2, RDX_OP_ADD, false, bind_arithmetic},
    {"-", 1, 2, RDX_OP_SUBTRACT, false, bind_arithmetic},
    {"*", 2, 2, RDX_OP_MULTIPLY, false, bind_arithmetic},
    {"/", 2, 2, RDX_OP_DIVIDE, false, bind_arithmetic},
    {"%", 2, 2, RDX_OP_MODULO, false, bind_arithmetic},
    {"mod", 2, 2, RDX_OP_MODULO, false, bind_arithmetic},
    {"^", 2, 2, RDX_OP_FUNCTION, false, bind_power},
    {"||", 2, 2, RDX_OP_FUNCTION, false, bind_join},
    {"quote_literal", 1, 1, RDX_OP_FUNCTION, false, bind_quoted},
    {"quote_nullable", 1, 1, RDX_OP_FUNCTION, false, bind_quoted},
    {"version", 0, 0, RDX_OP_FUNCTION, false, bind_system_text},
    {"current_schema", 0, 0, RDX_OP_FUNCTION, false, bind_system_text},
    {"current_database", 0, 0, RDX_OP_FUNCTION, false, bind_system_text},
    {"overlaps", 4, 4, RDX_OP_FUNCTION, false, bind_overlaps},
    {"substring", 0, ANY, RDX_OP_FUNCTION, false, bind_substring},
    {"current_date", 0, 0, RDX_OP_FUNCTION, false, bind_now},
    {"current_timestamp", 0, 0, RDX_OP_FUNCTION, false, bind_now},
    {"localtimestamp", 0, 0, RDX_OP_FUNCTION, false, bind_now},
    {"now", 0, 0, RDX_OP_FUNCTION, false, bind_now},
    {"statement_timestamp", 0, 0, RDX_OP_FUNCTION, false, bind_now},
    {"transaction_timestamp", 0, 0, RDX_OP_FUNCTION, false, bind_now},
    {"age", 1, 2, RDX_OP_FUNCTION, false, bind_age},
    {"pg_typeof", 1, 1, RDX_OP_FUNCTION, false, bind_type_name},
    {"date_part", 2, 2, RDX_OP_FUNCTION, false, bind_date_part},
};
/* clang-format on */

rdx_status rdx_bind_call(rdx_binding *b, const char *name, rdx_bound *const *args, uint32_t count, rdx_sql_place place,
                         rdx_bound **out) {
  for (size_t i = 0; i < RDX_COUNT(forms); i++) {
    const form *f = &forms[i];
    if (strcmp(f->name, name) != 0)
      continue;
    const call c = {
        .b = b, .name = name, .args = args, .count = count, .place = place, .op = f->op, .negated = f->negated};
    if (count >= f->min && count <= f->max)
      return f->bind(&c, out);
    return rdx_sql_error(b->err, RDX_ERROR_ARGUMENT, b->text, place, NULL, "%s does not take %u argument%s", name,
                         count, count == 1 ? "" : "s");
  }
  return bind_named(b, name, args, count, place, out);
}

/* Forms whose names are words that one may mean. */
static bool is_called(const form *f) {
  return !strchr(f->name, ' ') && f->name[0] >= 'a' && f->name[0] <= 'z' && f->bind != bind_junction &&
         f->bind != bind_in && f->bind != bind_case && f->bind != bind_like && f->bind != bind_between;
}

/* ---- Functions ---- */

static const char *nearest(const char *name) {
  static const char *const aggregates[] = {"count",          "sum",       "avg",  "min",       "max",
                                           "stddev",         "variance",  "corr", "covar_pop", "regr_slope",
                                           "regr_intercept", "string_agg"};
  rdx_nearest found = {0};
  for (uint32_t i = 0; i < rdx_function_count; i++)
    rdx_nearest_consider(&found, name, rdx_functions[i].name);
  for (size_t i = 0; i < RDX_COUNT(forms); i++)
    if (is_called(&forms[i]))
      rdx_nearest_consider(&found, name, forms[i].name);
  for (size_t i = 0; i < RDX_COUNT(aggregates); i++)
    rdx_nearest_consider(&found, name, aggregates[i]);
  return found.word;
}

static void write_types(rdx_bound *const *args, uint32_t count, char *out, size_t capacity) {
  size_t used = 0;
  char type[32];
  out[0] = '\0';
  for (uint32_t i = 0; i < count && used < capacity; i++)
    used += (size_t)snprintf(out + used, capacity - used, "%s%s", i > 0 ? ", " : "",
                             rdx_sql_type_text(args[i]->type, type));
}

/* Which type a letter of a function's arguments stands for. */
static rdx_sql_type type_of_letter(char letter) {
  static const struct {
    char letter;
    rdx_sql_kind kind;
  } letters[] = {{'s', RDX_SQL_SMALLINT},  {'t', RDX_SQL_TEXT},    {'i', RDX_SQL_INTEGER}, {'b', RDX_SQL_BIGINT},
                 {'r', RDX_SQL_REAL},      {'d', RDX_SQL_DOUBLE},  {'n', RDX_SQL_DECIMAL}, {'D', RDX_SQL_DATE},
                 {'T', RDX_SQL_TIMESTAMP}, {'v', RDX_SQL_INTERVAL}};
  for (size_t i = 0; i < RDX_COUNT(letters); i++)
    if (letters[i].letter == letter)
      return rdx_type_of_kind(letters[i].kind);
  return rdx_type_of_kind(RDX_SQL_UNKNOWN);
}

static void write_signatures(const char *name, char *out, size_t capacity) {
  size_t used = 0;
  char type[32];
  out[0] = '\0';
  for (uint32_t i = 0; i < rdx_function_count; i++) {
    if (strcmp(rdx_functions[i].name, name) != 0)
      continue;
    used += (size_t)snprintf(out + used, used < capacity ? capacity - used : 0, "%s%s(", used > 0 ? ", " : "there is ",
                             name);
    for (const char *a = rdx_functions[i].args; *a && used < capacity; a++)
      used += (size_t)snprintf(out + used, capacity - used, "%s%s", a > rdx_functions[i].args ? ", " : "",
                               *a == 'a'   ? "any"
                               : *a == '*' ? "..."
                                           : rdx_sql_type_text(type_of_letter(*a), type));
    used += used < capacity ? (size_t)snprintf(out + used, capacity - used, ")") : 0;
    if (used >= capacity)
      return;
  }
}

/* What is there, but not as a value or a function: a text, and a hint or "". */
static const char *const refusals[][3] = {
    {"row", "rows as values are not supported; they can be compared", ""},
    {"generate_series", "generate_series() is not supported here: it stands in FROM",
     "write FROM t, generate_series(1, t.c) AS n"},
    {"string_to_table", "string_to_table() is not supported here: it stands in FROM",
     "write FROM t, string_to_table(t.c, ',') AS part; split_part(c, ',', n) gives part n"},
    {"regexp_split_to_table", "regexp_split_to_table() is not supported here: it stands in FROM",
     "write FROM t, regexp_split_to_table(t.c, ',') AS part"},
};

/* What is written here instead of functions of others. */
static const char *const others[][2] = {
    {"ifnull", "write coalesce(a, b)"},
    {"nvl", "write coalesce(a, b)"},
    {"isnull", "write coalesce(a, b), or x IS NULL"},
    {"if", "write CASE WHEN condition THEN a ELSE b END"},
    {"iff", "write CASE WHEN condition THEN a ELSE b END"},
    {"len", "write length(t)"},
    {"instr", "write strpos(t, a)"},
    {"ucase", "write upper(t)"},
    {"lcase", "write lower(t)"},
    {"group_concat", "write string_agg(t, ',')"},
    {"listagg", "write string_agg(t, ',')"},
    {"array_agg", "arrays are not supported; string_agg(x::text, ',') joins values, DISTINCT ON (k) has the first row"},
    {"first", "SELECT DISTINCT ON (k) ... ORDER BY k, x has the first row of each k"},
    {"last", "SELECT DISTINCT ON (k) ... ORDER BY k, x DESC has the last row of each k"},
    {"arg_max", "SELECT DISTINCT ON (k) ... ORDER BY k, x DESC has the last row of each k"},
    {"arg_min", "SELECT DISTINCT ON (k) ... ORDER BY k, x has the first row of each k"},
    {"substring_index", "write split_part(t, '.', n)"},
    {"median", "write percentile_cont(0.5) WITHIN GROUP (ORDER BY x)"},
    {"approx_count_distinct", "write count(DISTINCT x)"},
    {"any_value", "write min(x)"},
    {"year", "write extract(year FROM d)"},
    {"month", "write extract(month FROM d)"},
    {"day", "write extract(day FROM d)"},
    {"strftime", "write to_char(d, 'YYYY-MM-DD')"},
    {"date_format", "write to_char(d, 'YYYY-MM-DD')"},
    {"datediff", "write a - b"},
    {"date_diff", "write a - b"},
    {"dateadd", "write d + INTERVAL '1 day'"},
    {"date_add", "write d + INTERVAL '1 day'"},
    {"random", "it has no arguments: low + random() * (high - low)"},
    {"gen_random_uuid", "values that differ from run to run are not supported"},
    {"clock_timestamp", "write now(): a statement has one time"},
    {"timeofday", "write now(): a statement has one time"},
    {"make_time", "there is no type for times of day; make_timestamp() has dates"},
    {"trim_scale",
     "all values of a numeric have as many digits; min_scale(x) is how many it needs, x::float8 drops zeros"},
    {"regexp_match", "arrays are not supported; regexp_substr(t, p) or substring(t FROM p) gives the match"},
    {"regexp_matches", "arrays are not supported; regexp_substr(t, p, 1, n) gives match n"},
    {"regexp_split_to_array",
     "it stands in FROM, as unnest(regexp_split_to_array(t, ',')); split_part(t, ',', n) gives part n"},
    {"string_to_array", "it stands in FROM, as unnest(string_to_array(t, ',')); split_part(t, ',', n) gives part n"},
    {"array_length", "arrays are not supported"},
    {"encode", "there is no type for bytes; to_hex(n) and md5(t) are to the base 16"},
    {"decode", "there is no type for bytes"},
    {"sha256", "there is no type for bytes; md5(t) is a digest"},
    {"normalize", "texts are kept as they are, byte by byte"},
    {"json_build_object", "JSON is not supported as values; raydex -json writes answers as JSON"},
    {"json_agg", "JSON is not supported as values; raydex -json writes answers as JSON"},
    {"jsonb_agg", "JSON is not supported as values; raydex -json writes answers as JSON"},
    {"json_object_agg", "JSON is not supported as values; raydex -json writes answers as JSON"},
    {"jsonb_build_object", "JSON is not supported as values; raydex -json writes answers as JSON"},
    {"jsonb_object_agg", "JSON is not supported as values; raydex -json writes answers as JSON"},
    {"to_jsonb", "JSON is not supported as values; raydex -json writes answers as JSON"},
    {"to_json", "JSON is not supported as values; raydex -json writes answers as JSON"},
    {"row_to_json", "JSON is not supported as values; raydex -json writes answers as JSON"},
    {"nextval", "there are no sequences: a column that is GENERATED BY DEFAULT AS IDENTITY, or serial, numbers rows"},
    {"currval", "there are no sequences: a column that is GENERATED BY DEFAULT AS IDENTITY, or serial, numbers rows"},
    {"lastval", "there are no sequences: a column that is GENERATED BY DEFAULT AS IDENTITY, or serial, numbers rows"},
    {"setval", "there are no sequences: ALTER TABLE t ALTER column RESTART WITH n sets the next number"},
    {"pg_sleep", "statements do not wait"},
    {"unnest", "it stands in FROM: FROM unnest(ARRAY[1, 2]) AS v (x)"},
};

/* What other databases have under another name; NULL: nothing is known. */
static const char *known_as(const char *name) {
  for (size_t i = 0; i < RDX_COUNT(others); i++)
    if (strcmp(others[i][0], name) == 0)
      return others[i][1];
  return NULL;
}

static rdx_status no_function(rdx_binding *b, const char *name, rdx_bound *const *args, uint32_t count,
                              rdx_sql_place place) {
  char types[160], hint[200];
  write_types(args, count, types, sizeof types);
  for (size_t i = 0; i < RDX_COUNT(refusals); i++)
    if (strcmp(refusals[i][0], name) == 0)
      return rdx_sql_error(b->err, RDX_ERROR_UNSUPPORTED, b->text, place, refusals[i][2], "%s", refusals[i][1]);
  if (!strpbrk(name, "abcdefghijklmnopqrstuvwxyz"))
    return rdx_sql_error(b->err, RDX_ERROR_ARGUMENT, b->text, place, NULL, "there is no operator %.60s of %s", name,
                         types);
  write_signatures(name, hint, sizeof hint);
  const char *other = nearest(name), *known = known_as(name);
  if (hint[0] == '\0' && known)
    snprintf(hint, sizeof hint, "%s", known);
  else if (hint[0] == '\0' && other)
    snprintf(hint, sizeof hint, "did you mean %s?", other);
  return rdx_sql_error(b->err, RDX_ERROR_ARGUMENT, b->text, place, hint[0] ? hint : NULL,
                       "there is no function %.60s(%s)", name, types);
}

/* How many arguments a function must cast; -1: it does not take these. */
static int cost_of(const rdx_function *f, rdx_bound *const *args, uint32_t count) {
  const char *letter = f->args;
  int cost = 0;
  if (letter[0] && letter[1] == '*')
    return count > 0 ? 0 : -1;
  if (strlen(letter) != count)
    return -1;
  for (uint32_t i = 0; i < count; i++) {
    const rdx_sql_type wanted = type_of_letter(letter[i]);
    if (!rdx_is_implicit(args[i]->type, wanted))
      return -1;
    cost += args[i]->type.kind != wanted.kind;
  }
  return cost;
}

/* A value as the text that it is shown as: truth in one letter. */
static rdx_status bind_any(rdx_binding *b, rdx_bound *value, rdx_bound **out) {
  rdx_bound *args[2] = {value, NULL};
  const bool is_truth = value->type.kind == RDX_SQL_BOOL;
  RDX_TRY(rdx_bind_cast(b, value, rdx_type_of_kind(RDX_SQL_TEXT), true, value->place, &args[0]));
  *out = args[0];
  if (!is_truth)
    return RDX_OK;
  RDX_TRY(rdx_bind_constant(b, rdx_type_of_kind(RDX_SQL_BIGINT), (rdx_datum){.i = 1}, value->place, &args[1]));
  return bind_named(b, "left", args, 2, value->place, out);
}

static rdx_status bind_named(rdx_binding *b, const char *name, rdx_bound *const *args, uint32_t count,
                             rdx_sql_place place, rdx_bound **out) {
  const rdx_function *best = NULL;
  rdx_bound **cast = NULL;
  rdx_sql_type as;
  int min = 0;
  for (uint32_t i = 0; i < rdx_function_count; i++) {
    const rdx_function *f = &rdx_functions[i];
    const int cost = strcmp(f->name, name) == 0 ? cost_of(f, args, count) : -1;
    if (cost >= 0 && (!best || cost < min)) {
      best = f;
      min = cost;
    }
  }
  if (!best && count == 1 && rdx_sql_type_from_name(name, NULL, 0, &as)) /* date(t) is t::date */
    return rdx_bind_cast(b, args[0], as, true, place, out);
  if (!best)
    return no_function(b, name, args, count, place);
  RDX_TRY(rdx_arena_alloc(b->arena, count, sizeof *cast, "a call", (void **)&cast, b->err));
  for (uint32_t i = 0; i < count; i++) {
    const bool any = best->args[0] == 'a';
    rdx_sql_type type = type_of_letter(best->args[any ? 0 : i]);
    if (type.kind == RDX_SQL_DOUBLE && args[i]->type.kind == RDX_SQL_DECIMAL)
      type = rdx_quotient_type();
    RDX_TRY(any ? bind_any(b, args[i], &cast[i]) : rdx_bind_cast(b, args[i], type, false, args[i]->place, &cast[i]));
  }
  const rdx_sql_type type =
      best->type ? best->type((const rdx_bound *const *)cast, count) : rdx_type_of_kind(best->result);
  return rdx_bind_function(b, best, type, cast, count, place, out);
}
