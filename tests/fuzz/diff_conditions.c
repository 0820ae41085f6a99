/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors
 *
 * Predicates by way of SQL's text. */

#include "diff.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct text {
  char bytes[1 << 15];
  size_t length;
  bool impossible; /* there is no such SQL */
} text;

static void put(text *t, const char *bytes, size_t length) {
  if (t->length + length >= sizeof t->bytes) {
    t->impossible = true;
    return;
  }
  memcpy(t->bytes + t->length, bytes, length);
  t->length += length;
  t->bytes[t->length] = '\0';
}

static void say(text *t, const char *words) {
  put(t, words, strlen(words));
}

static void say_string(text *t, const char *bytes, uint64_t length) {
  say(t, "'");
  for (uint64_t i = 0; i < length; i++) {
    t->impossible |= bytes[i] <= 0; /* a zero byte, or perhaps not UTF-8 */
    put(t, bytes[i] == '\'' ? "''" : &bytes[i], bytes[i] == '\'' ? 2 : 1);
  }
  say(t, "'");
}

/* Literals of the column's type are in quotes, other numbers are not. */
static void say_literal(text *t, const rdx_column *values, uint64_t i, const rdx_column *column) {
  const value v = value_at(values, i);
  if (v.kind == VALUE_NULL) {
    say(t, "NULL");
    return;
  }
  if (v.kind == VALUE_TEXT) {
    say_string(t, v.text, v.length);
    return;
  }
  const bool same = values->type == column->type && values->scale == column->scale;
  char bytes[RDX_VALUE_TEXT];
  size_t length = rdx_column_format(values, i, bytes);
  if (!same && v.kind == VALUE_REAL) /* which numbers are compared with as doubles */
    length = (size_t)snprintf(bytes, sizeof bytes, "%.17g", v.real);
  if ((!same && v.kind == VALUE_REAL && !isfinite(v.real)) ||
      (values->type == RDX_TYPE_DATE && (v.whole < -719162 || v.whole > 2932896)) ||
      (values->type == RDX_TYPE_TIMESTAMP && (v.whole < -62135596800000000 || v.whole > 253402300799999999)))
    t->impossible = true; /* years with more or fewer than four digits, too */
  say(t, same ? "'" : "");
  put(t, bytes, length);
  say(t, same ? "'" : "");
}

static void say_name(text *t, uint32_t column) {
  char name[16];
  put(t, name, (size_t)snprintf(name, sizeof name, "\"#%u\"", column));
}

static void say_leaf(text *t, const rdx_predicate *p, const rdx_column *columns) {
  static const char *const signs[] = {" = ",  " <> ",      " < ",   " <= ",     " > ",
                                      " >= ", " BETWEEN ", " IN (", " IS NULL", " IS NOT NULL"};
  const char *separator = p->kind == RDX_PREDICATE_BETWEEN ? " AND " : ", ";
  say_name(t, p->column);
  say(t, signs[p->kind - RDX_PREDICATE_EQ]);
  if (p->kind >= RDX_PREDICATE_IS_NULL)
    return;
  t->impossible |= p->values.rows == 0;
  for (uint64_t i = 0; i < p->values.rows; i++) {
    say(t, i ? separator : "");
    say_literal(t, &p->values, i, &columns[p->column]);
  }
  say(t, p->kind == RDX_PREDICATE_IN ? ")" : "");
}

static void say_predicate(text *t, const rdx_predicate *p, const rdx_column *columns) {
  if (p->kind == RDX_PREDICATE_TRUE) {
    say(t, "TRUE");
  } else if (p->kind >= RDX_PREDICATE_EQ) {
    say_leaf(t, p, columns);
  } else {
    t->impossible |= p->child_count == 0;
    say(t, p->kind == RDX_PREDICATE_NOT ? "NOT (" : "(");
    for (uint32_t i = 0; i < p->child_count; i++) {
      say(t, i == 0 ? "" : p->kind == RDX_PREDICATE_AND ? " AND " : " OR ");
      say_predicate(t, &p->children[i], columns);
    }
    say(t, ")");
  }
}

static void destroy_condition(void *object) {
  rdx_condition *condition = object;
  rdx_condition_destroy(&condition);
}

const rdx_predicate *predicate_by_sql(const rdx_predicate *p, const rdx_column *columns) {
  text *t = take(sizeof *t);
  t->length = 0;
  t->impossible = false;
  say_predicate(t, p, columns);
  if (t->impossible)
    return p;
  note("\n%s\n", t->bytes);
  rdx_condition *condition = NULL;
  rdx_error err = {""};
  passed("parsing a condition", rdx_condition_parse(t->bytes, &condition, &err), &err, NULL);
  at_end(destroy_condition, condition);
  const uint32_t count = rdx_condition_columns(condition);
  rdx_column *named = take(count * sizeof *named);
  uint32_t *numbers = take(count * sizeof *numbers);
  for (uint32_t i = 0; i < count; i++) {
    numbers[i] = (uint32_t)(rdx_condition_column_name(condition, i)[1] - '0');
    named[i] = columns[numbers[i]];
  }
  const rdx_predicate *bound = NULL;
  passed("binding a condition", rdx_condition_bind(condition, named, numbers, &bound, &err), &err, NULL);
  return bound;
}
