/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors
 *
 * Random tables and pieces of statements for SQL. Numbers are small, doubles are quarters: sums are exact in any order,
 * and nothing overflows. */

#include "diff_sql.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void say(words *w, const char *format, ...) {
  va_list list;
  va_start(list, format);
  const int length = vsnprintf(NULL, 0, format, list);
  va_end(list);
  if (w->length + (size_t)length + 1 > w->capacity) {
    w->capacity = 2 * w->capacity + (size_t)length + 256;
    char *larger = take(w->capacity);
    if (w->length > 0)
      memcpy(larger, w->data, w->length);
    w->data = larger;
  }
  va_start(list, format);
  vsnprintf(w->data + w->length, w->capacity - w->length, format, list);
  va_end(list);
  w->length += (size_t)length;
}

/* ---- Tables ---- */

const char *const sql_names[SQL_TABLES] = {"f", "d", "e"};

typedef enum value_sort { WHOLE, QUARTERS, CENTS, DAY, TIME, TRUTH, WORD } value_sort;

/* A column: its name, what its values are, and up to how many of them there are. */
typedef struct field {
  const char *name;
  value_sort sort;
  rdx_type type;
  uint32_t distinct;
  unsigned nulls;
} field;

static const field fields[SQL_TABLES][12] = {
    {{"id", WHOLE, RDX_TYPE_I32, 0, 0},
     {"k", WHOLE, RDX_TYPE_I32, 40, 5},
     {"m", WHOLE, RDX_TYPE_I64, 12, 10},
     {"s", WORD, RDX_TYPE_STRING, 12, 10},
     {"i", WHOLE, RDX_TYPE_I32, 1000, 20},
     {"h", WHOLE, RDX_TYPE_I16, 4, 0},
     {"x", QUARTERS, RDX_TYPE_F64, 500, 15},
     {"n", CENTS, RDX_TYPE_DECIMAL, 300, 10},
     {"b", TRUTH, RDX_TYPE_BOOL, 2, 30},
     {"t", DAY, RDX_TYPE_DATE, 60, 5},
     {"u", TIME, RDX_TYPE_TIMESTAMP, 90, 5},
     {NULL, WHOLE, RDX_TYPE_NONE, 0, 0}},
    {{"id", WHOLE, RDX_TYPE_I32, 0, 0},
     {"s", WORD, RDX_TYPE_STRING, 8, 5},
     {"i", WHOLE, RDX_TYPE_I32, 6, 0},
     {"t", DAY, RDX_TYPE_DATE, 20, 5},
     {NULL, WHOLE, RDX_TYPE_NONE, 0, 0}},
    {{"id", WHOLE, RDX_TYPE_I64, 0, 0},
     {"n", CENTS, RDX_TYPE_DECIMAL, 9, 10},
     {"i", WHOLE, RDX_TYPE_I32, 4, 30},
     {"s", WORD, RDX_TYPE_STRING, 5, 0},
     {NULL, WHOLE, RDX_TYPE_NONE, 0, 0}},
};

static const char *const word_list[] = {"a", "ab", "b", "abc", "B", "", "zz", "apple", "x_y", "ab%", "abcdefghi", "ä"};
#define WORDS (sizeof word_list / sizeof *word_list)

static uint32_t count_fields(uint32_t table) {
  uint32_t count = 0;
  while (fields[table][count].name)
    count++;
  return count;
}

const rdx_csv_type *sql_types(uint32_t table, size_t *count) {
  *count = count_fields(table);
  rdx_csv_type *types = take(*count * sizeof *types);
  for (size_t i = 0; i < *count; i++)
    types[i] = (rdx_csv_type){fields[table][i].name, fields[table][i].type, fields[table][i].sort == CENTS ? 2 : 0};
  return types;
}

/* Value number `i` of a sort as in CSV or, `literal`, in SQL. */
static void say_value(words *w, value_sort sort, int64_t i, bool literal) {
  const char *quote = literal ? "'" : "", *open = literal && i < 0 ? "(" : "", *close = *open ? ")" : "";
  switch (sort) {
  case WHOLE:
    say(w, "%s%" PRId64 "%s", open, i, close);
    break;
  case QUARTERS:
    say(w, literal ? "CAST(%.2f AS double precision)" : "%.2f", (double)i / 4);
    break;
  case CENTS:
    say(w, "%s%.2f%s", open, (double)i / 100, close);
    break;
  case DAY:
  case TIME:
    say(w, "%s%s2020-%02d-%02d", literal ? sort == DAY ? "DATE " : "TIMESTAMP " : "", quote, (int)(i / 28 % 12) + 1,
        (int)(i % 28) + 1);
    say(w, sort == TIME ? " %02d:30:00%s" : "%.0d%s", sort == TIME ? (int)(i % 24) : 0, quote);
    break;
  case TRUTH:
    say(w, i ? "true" : "false");
    break;
  case WORD:
    say(w, literal ? "'%s'" : "\"%s\"", word_list[(uint64_t)i % WORDS]);
    break;
  }
}

static int64_t draw_value(const field *f) {
  const int64_t number = (int64_t)below(f->distinct);
  return (f->sort == WHOLE && f->distinct > 100) || f->sort == QUARTERS || f->sort == CENTS
             ? number - (int64_t)f->distinct / 2
             : number;
}

static void make_table(tables *t, uint32_t table) {
  const field *list = fields[table];
  words *w = &t->csv[table];
  const bool shuffled = chance(50);
  for (uint32_t c = 0; list[c].name; c++)
    say(w, "%s%s", c ? "," : "", list[c].name);
  say(w, "\n");
  t->ids[table] = (int64_t)below(4);
  for (uint64_t row = 0; row < t->rows[table]; row++) {
    /* An order of all rows that is not ascending: a step without a common divisor. */
    const uint64_t number = shuffled && t->rows[table] % 7 ? row * 7 % t->rows[table] : row;
    for (uint32_t c = 0; list[c].name; c++) {
      if (c > 0)
        say(w, ",");
      if (c == 0)
        say(w, "%" PRId64, t->ids[table] + (int64_t)number);
      else if (!chance(list[c].nulls))
        say_value(w, list[c].sort, draw_value(&list[c]), false);
    }
    say(w, "\n");
  }
}

void tables_make(tables *t) {
  *t = (tables){0};
  t->rows[0] = chance(5) ? below(2) : chance(80) || diff_slow ? below(200) : 500 + below(4000);
  t->rows[1] = chance(5) ? below(2) : 1 + below(45);
  t->rows[2] = chance(5) ? below(2) : 1 + below(14);
  for (uint32_t i = 0; i < SQL_TABLES; i++)
    make_table(t, i);
}

/* ---- Sources ---- */

source source_make(void) {
  static const source list[] = {
      {"f", 1, 0},
      {"f JOIN d ON f.k = d.id", 3, 0},
      {"f LEFT JOIN d ON f.k = d.id", 3, 2},
      {"f RIGHT JOIN d ON f.k = d.id AND f.h < d.i", 3, 1},
      {"f FULL JOIN e ON f.m = e.id", 5, 5},
      {"f JOIN d ON f.k = d.id JOIN e ON f.m = e.id", 7, 0},
      {"f LEFT JOIN (d JOIN e ON d.i = e.id) ON f.k = d.id", 7, 6},
      {"d CROSS JOIN e", 6, 0},
      {"f JOIN d ON f.s = d.s", 3, 0},
      {"d LEFT JOIN e ON d.i > e.i", 6, 4},
      {"d JOIN e ON d.s = e.s AND d.i <> e.i", 6, 0},
      {"(SELECT * FROM f WHERE i > 0 OR b) f", 1, 0},
      {"(SELECT id, s, i, t FROM d UNION ALL SELECT id, s, i, NULL FROM e) d", 2, 0},
      {"(SELECT k AS id, min(s) AS s, max(i) AS i, min(t) AS t FROM f GROUP BY k) d", 2, 0},
      {"f JOIN e ON f.n = e.n", 5, 0},
      {"e LEFT JOIN f ON e.id = f.h AND f.b", 5, 1},
  };
  return list[below(sizeof list / sizeof *list)];
}

source source_star(bool both, bool plain) {
  static const source list[2][2] = {
      {{"f JOIN (SELECT * FROM d OFFSET 0) d ON f.k = d.id", 3, 0}, {"f JOIN d ON f.k = d.id", 3, 0}},
      {{"f JOIN (SELECT * FROM d OFFSET 0) d ON f.k = d.id JOIN (SELECT * FROM e OFFSET 0) e ON f.m = e.id", 7, 0},
       {"f JOIN d ON f.k = d.id JOIN e ON f.m = e.id", 7, 0}},
  };
  return list[both][plain];
}

/* ---- Expressions ---- */

/* A column of the source; `wanted` below 0: of any. NULL: there is none. */
static const field *pick(const source *s, int wanted, uint32_t *table) {
  for (int tries = 0; tries < 40; tries++) {
    *table = (uint32_t)below(SQL_TABLES);
    if (!(s->has >> *table & 1))
      continue;
    const field *f = &fields[*table][below(count_fields(*table))];
    if (wanted < 0 || (int)f->sort == wanted)
      return f;
  }
  return NULL;
}

static void say_field(words *w, const field *f, uint32_t table) {
  say(w, "%s.%s", sql_names[table], f->name);
}

void say_column(words *w, const source *s) {
  uint32_t table;
  const field *f = pick(s, -1, &table);
  say_field(w, f, table);
}

void say_group(words *w, const source *s) {
  uint32_t table;
  const field *f = pick(s, -1, &table);
  for (int tries = 0; tries < 40 && (f->distinct == 0 || f->distinct > 60); tries++)
    f = pick(s, -1, &table);
  say_field(w, f, table);
}

void say_number(words *w, const source *s, unsigned depth) {
  uint32_t table;
  const field *f = pick(s, WHOLE, &table);
  if (!f || chance(15)) {
    say_value(w, WHOLE, (int64_t)below(40) - 10, true);
    return;
  }
  if (depth == 0 || chance(40)) {
    say_field(w, f, table);
    return;
  }
  const uint64_t way = below(6);
  say(w, way == 0 ? "CASE WHEN " : way == 1 ? "coalesce(" : way == 2 ? "nullif(" : way == 3 ? "greatest(" : "(");
  if (way == 0) {
    say_predicate(w, s, 1);
    say(w, " THEN ");
  }
  say_number(w, s, depth - 1);
  say(w, way == 0 ? " ELSE " : way < 4 ? ", " : way == 4 ? " + " : " - ");
  say_number(w, s, depth - 1);
  say(w, way == 0 ? " END" : ")");
}

/* Values of a field that are there, or nearly. */
static void say_literal(words *w, const field *f) {
  say_value(w, f->sort, f->distinct > 0 ? draw_value(f) : (int64_t)below(100), true);
}

static void say_list(words *w, const field *f) {
  say(w, "%s", chance(30) ? " NOT IN (" : " IN (");
  for (uint64_t i = below(4) + 1; i > 0; i--) {
    say_literal(w, f);
    say(w, i > 1 ? ", " : ")");
  }
}

void say_simple_predicate(words *w, const source *s) {
  static const char *const signs[] = {" = ", " <> ", " < ", " <= ", " > ", " >= "};
  uint32_t table;
  const field *f = pick(s, -1, &table);
  if (f->sort == TRUTH) {
    say_field(w, f, table);
    return;
  }
  say_field(w, f, table);
  const uint64_t way = below(8);
  if (way == 0) {
    say(w, chance(50) ? " IS NULL" : " IS NOT NULL");
  } else if (way == 1) {
    say_list(w, f);
  } else if (way == 2) {
    say(w, chance(30) ? " NOT BETWEEN " : " BETWEEN ");
    say_literal(w, f);
    say(w, " AND ");
    say_literal(w, f);
  } else if (way == 3 && f->sort == WORD) {
    static const char *const patterns[] = {"a%", "%b", "_", "%p%", "", "ab\\%", "x__"};
    say(w, "%sLIKE '%s'", chance(30) ? " NOT " : " ", patterns[below(7)]);
  } else {
    say(w, "%s", signs[below(6)]);
    say_literal(w, f);
  }
}

static void say_subquery(words *w, const source *s) {
  uint32_t table;
  const field *f = pick(s, WHOLE, &table);
  if (!f) {
    say(w, "true");
    return;
  }
  static const char *const forms[] = {
      "%s.%s %sIN (SELECT z.i FROM d z WHERE z.i > %d)",
      "%s.%s %sIN (SELECT z.i FROM e z WHERE z.id < %d)",
      "%s.%s %s= (SELECT max(z.i) FROM d z WHERE z.id < %d)",
  };
  const bool exists = chance(40);
  if (exists)
    say(w, "%sEXISTS (SELECT 1 FROM d z WHERE z.id = %s.%s AND z.i >= %d)", chance(40) ? "NOT " : "", sql_names[table],
        f->name, (int)below(6));
  else {
    const uint64_t form = below(3);
    const char *negation = chance(40) ? form == 2 ? "<" : "NOT " : "";
    say(w, forms[form], sql_names[table], f->name, negation, (int)below(12));
  }
}

void say_predicate(words *w, const source *s, unsigned depth) {
  const uint64_t way = depth > 0 ? below(11) : 10;
  if (way < 3) {
    say(w, "(");
    say_predicate(w, s, depth - 1);
    say(w, way == 0 ? " AND " : " OR ");
    say_predicate(w, s, depth - 1);
    say(w, ")");
  } else if (way == 3) {
    say(w, "NOT (");
    say_predicate(w, s, depth - 1);
    say(w, ")");
  } else if (way == 4) {
    static const char *const words_of[] = {"TRUE", "NOT TRUE", "FALSE", "NOT FALSE", "UNKNOWN", "NOT UNKNOWN"};
    say(w, "(");
    say_predicate(w, s, depth - 1);
    say(w, ") IS %s", words_of[below(6)]);
  } else if (way == 5 || way == 6) {
    static const char *const signs[] = {"=", "<>", "<", ">=", "IS DISTINCT FROM", "IS NOT DISTINCT FROM"};
    say(w, "(");
    say_number(w, s, depth);
    say(w, " %s ", signs[below(6)]);
    say_number(w, s, depth);
    say(w, ")");
  } else if (way == 7 && chance(50)) {
    say_subquery(w, s);
  } else {
    say_simple_predicate(w, s);
  }
}
