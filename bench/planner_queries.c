/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* Queries for the planner at random, and what they may use: indexes and cubes. */

#include "bench/planner.h"

#include <stdarg.h>
#include <string.h>

const char *const planner_kind_names[PLANNER_KINDS] = {"scan", "lookup", "join", "star"};

static void append(char *text, const char *format, ...) RDX_PRINTF(2, 3);

static void append(char *text, const char *format, ...) {
  const size_t used = strlen(text);
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text + used, PLANNER_TEXT - used, format, arguments);
  va_end(arguments);
}

/* ---- Attributes of stars ---- */

enum { FACT_G, FACT_S, FACT_C, FACT_A, D1_X, D1_Y, D2_X, ATTRIBUTES };

static const struct {
  const char *name;
  uint32_t dimension; /* 0: the fact table */
} attributes[ATTRIBUTES] = {{"f.g", 0}, {"f.s", 0}, {"f.c", 0}, {"f.a", 0}, {"d1.x", 1}, {"d1.y", 1}, {"d2.x", 2}};

static void choose_attributes(planner_tables *t, planner_random *r) {
  uint32_t left[ATTRIBUTES], count = 0;
  for (uint32_t i = 0; i < ATTRIBUTES; i++)
    if (i != FACT_A || t->distinct <= 5000)
      left[count++] = i;
  t->attribute_count = 0;
  for (uint64_t wanted = 1 + planner_below(r, 4); wanted > 0 && count > 0; wanted--) {
    const uint64_t place = planner_below(r, count);
    t->attributes[t->attribute_count++] = left[place];
    left[place] = left[--count];
  }
}

static bool has_dimension(const planner_tables *t, uint32_t dimension) {
  for (uint32_t i = 0; i < t->attribute_count; i++)
    if (attributes[t->attributes[i]].dimension == dimension)
      return true;
  return false;
}

/* FROM and the joins, with room for conditions behind. */
static void append_from(const planner_tables *t, char *text) {
  append(text, " FROM fact f%s%s", has_dimension(t, 1) ? " JOIN d1 ON f.k1 = d1.key" : "",
         has_dimension(t, 2) ? " JOIN d2 ON f.k2 = d2.key" : "");
}

static void append_attributes(const planner_tables *t, uint32_t wanted, const char *before, char *text) {
  for (uint32_t i = 0, count = 0; i < t->attribute_count; i++)
    if (wanted >> i & 1)
      append(text, "%s%s", count++ ? ", " : before, attributes[t->attributes[i]].name);
}

/* ---- Conditions ---- */

static void append_days(planner_random *r, double share, const char *column, char *text) {
  const uint64_t days = (uint64_t)(share * 3650) + 1, first = planner_below(r, 3651 - (days < 3650 ? days : 3650));
  append(text, "%s BETWEEN DATE '2015-01-01' + %d AND DATE '2015-01-01' + %d", column, (int)first,
         (int)(first + days - 1));
}

/* Values below a bound, or those between two. */
static void append_range(planner_random *r, double share, uint64_t values, const char *column, char *text) {
  const uint64_t width = (uint64_t)(share * (double)values) + 1;
  if (planner_below(r, 2) == 0 || width >= values) {
    append(text, "%s < %llu", column, (unsigned long long)width);
    return;
  }
  const uint64_t low = planner_below(r, values - width + 1);
  append(text, "%s BETWEEN %llu AND %llu", column, (unsigned long long)low, (unsigned long long)(low + width - 1));
}

static void append_text(planner_random *r, const char *column, char *text) {
  const unsigned first = (unsigned)planner_below(r, 40);
  if (planner_below(r, 2) == 0)
    append(text, "%s = 'w%03u'", column, first);
  else
    append(text, "%s IN ('w%03u', 'w%03u', 'w%03u')", column, first, (first + 7) % 40, (first + 21) % 40);
}

static void append_condition(const planner_tables *t, planner_random *r, uint32_t attribute, char *text) {
  const double share = planner_spread(r, 0.001, 1);
  const char *name = attributes[attribute].name;
  const uint64_t values[ATTRIBUTES] = {
      [FACT_G] = t->groups, [FACT_A] = t->distinct, [D1_X] = 25, [D1_Y] = 1000, [D2_X] = 25};
  if (attribute == FACT_C)
    append_days(r, share, name, text);
  else if (attribute == FACT_S)
    append_text(r, name, text);
  else if (planner_below(r, 3) == 0)
    append(text, "%s = %llu", name, (unsigned long long)planner_below(r, values[attribute]));
  else
    append_range(r, share, values[attribute], name, text);
}

/* ---- What is prepared ---- */

static void choose_cubes(planner_tables *t, planner_random *r, bool traces_rays) {
  static const char *const names[] = {"sorted_cube", "coarse_cube", "rt_cube"};
  const uint64_t wanted = 1 + planner_below(r, 7); /* bits: one of them at least */
  t->cube_count = 0;
  for (uint32_t i = 0; i < 3; i++)
    if (wanted >> i & 1 && (i == 0 || (traces_rays && t->rows <= 1u << 20)))
      t->cubes[t->cube_count++] = names[i];
  if (t->cube_count == 0)
    t->cubes[t->cube_count++] = names[0];
}

bool planner_prepare(planner_tables *t, planner_random *r, uint32_t step, bool traces_rays, char *create) {
  static const char *const lookups[] = {"tree", "hash", "sorted_array", "btree", "rx", "cgrx"};
  static const char *const scans[] = {"bindex", "rtscan", "rtc3", "rtc1"};
  create[0] = '\0';
  if (step == 0) {
    t->lookup_method = lookups[planner_below(r, traces_rays ? 6 : 4)];
    append(create, "CREATE INDEX by_a ON fact USING %s (a)", t->lookup_method);
    return true;
  }
  if (step == 1) {
    t->scan_method = scans[planner_below(r, traces_rays ? 4 : 1)];
    append(create, "CREATE INDEX by_a_b ON fact USING %s (a, b)", t->scan_method);
    choose_attributes(t, r);
    choose_cubes(t, r, traces_rays);
    return true;
  }
  const uint32_t cube = step - 2;
  if (cube >= t->cube_count)
    return false;
  append(create, "CREATE MATERIALIZED VIEW v%u USING %s AS SELECT ", cube, t->cubes[cube]);
  append_attributes(t, UINT32_MAX, "", create);
  append(create, ", sum(f.m), count(*)");
  append_from(t, create);
  append_attributes(t, UINT32_MAX, " GROUP BY ", create);
  return true;
}

/* ---- Queries ---- */

static void add_method(planner_query *q, const char *name, const char *setting, const char *value) {
  planner_method *m = &q->methods[q->method_count++];
  snprintf(m->name, sizeof m->name, "%s", name);
  snprintf(m->set, sizeof m->set, "SET %s = '%s'", setting, value);
}

static void ask_scan(const planner_tables *t, planner_random *r, planner_query *q) {
  const uint64_t conditions = 1 + planner_below(r, 3), first = planner_below(r, 4);
  const bool only_b = conditions == 1 && first == 0; /* of which there is an index */
  append(q->text, "SELECT f.id, f.m FROM fact f WHERE ");
  for (uint64_t i = 0, place = first; i < conditions; i++, place++) {
    append(q->text, "%s", i ? " AND " : "");
    if (place % 4 == 0)
      append_range(r, planner_spread(r, 0.001, 1), PLANNER_WIDE, "f.b", q->text);
    else if (place % 4 == 1)
      append_range(r, planner_unit(r), t->groups, "f.g", q->text);
    else if (place % 4 == 2)
      append_days(r, planner_spread(r, 0.001, 1), "f.c", q->text);
    else
      append_text(r, "f.s", q->text);
  }
  add_method(q, "evaluation", "scan_method", "evaluation");
  add_method(q, "column", "scan_method", "column");
  if (t->scan_method && only_b)
    add_method(q, t->scan_method, "scan_method", t->scan_method);
}

static void ask_lookup(const planner_tables *t, planner_random *r, planner_query *q) {
  const unsigned long long value = planner_below(r, t->distinct);
  const bool range = strcmp(t->lookup_method, "hash") != 0 && planner_below(r, 2) == 0;
  append(q->text, "SELECT f.id, f.m FROM fact f WHERE ");
  if (range)
    append_range(r, planner_spread(r, 1e-5, 1), t->distinct, "f.a", q->text);
  else
    append(q->text, "f.a = %llu", value);
  if (planner_below(r, 3) == 0) {
    append(q->text, " AND ");
    append_range(r, planner_unit(r), PLANNER_WIDE, "f.b", q->text);
  }
  add_method(q, "evaluation", "scan_method", "evaluation");
  add_method(q, "column", "scan_method", "column");
  add_method(q, t->lookup_method, "scan_method", "index");
  if (t->scan_method)
    add_method(q, t->scan_method, "scan_method", t->scan_method);
}

static void ask_join(const planner_tables *t, planner_random *r, planner_query *q) {
  static const char *const methods[] = {"hash", "radix_hash", "tree", "sorted_array", "btree"};
  if (t->distinct > t->rows / 2 && planner_below(r, 2) == 0) {
    append(q->text, "SELECT f.id, o.m FROM fact f JOIN fact o ON f.a = o.a WHERE ");
    append_range(r, planner_spread(r, 0.001, 1), PLANNER_WIDE, "f.b", q->text);
    append(q->text, " AND ");
    append_range(r, planner_spread(r, 0.001, 1), PLANNER_WIDE, "o.b", q->text);
  } else {
    append(q->text, "SELECT f.id, d1.y FROM fact f JOIN d1 ON f.k1 = d1.key WHERE ");
    append_range(r, planner_spread(r, 0.001, 1), PLANNER_WIDE, "f.b", q->text);
    if (planner_below(r, 2) == 0) {
      append(q->text, " AND ");
      append_range(r, planner_unit(r), 25, "d1.x", q->text);
    }
  }
  for (size_t i = 0; i < sizeof methods / sizeof *methods; i++)
    add_method(q, methods[i], "join_method", methods[i]);
}

static void ask_star(const planner_tables *t, planner_random *r, planner_query *q) {
  const uint32_t all = (1u << t->attribute_count) - 1;
  const uint32_t groups = (uint32_t)planner_below(r, all + 1) & (uint32_t)planner_below(r, all + 1);
  const uint32_t restricted = 1 + (uint32_t)planner_below(r, all);
  append(q->text, "SELECT ");
  append_attributes(t, groups, "", q->text);
  append(q->text, "%s", groups ? ", sum(f.m)" : "sum(f.m), count(*)");
  append_from(t, q->text);
  for (uint32_t i = 0, count = 0; i < t->attribute_count; i++) {
    if (!(restricted >> i & 1))
      continue;
    append(q->text, "%s", count++ ? " AND " : " WHERE ");
    append_condition(t, r, t->attributes[i], q->text);
  }
  append_attributes(t, groups, " GROUP BY ", q->text);
  add_method(q, "column", "method", "column");
  for (uint32_t i = 0; i < t->cube_count; i++)
    add_method(q, t->cubes[i], "method", t->cubes[i]);
}

void planner_ask(const planner_tables *t, planner_random *r, planner_kind kind, planner_query *out) {
  static void (*const ask[PLANNER_KINDS])(const planner_tables *, planner_random *,
                                          planner_query *) = {ask_scan, ask_lookup, ask_join, ask_star};
  *out = (planner_query){.kind = kind};
  ask[kind](t, r, out);
}
