/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors
 *
 * Keys, CHECKs and MERGE against queries: a statement that changes rows makes of a table what a query says, or fails
 * where rows of that query break a constraint; a statement with ON CONFLICT does what one does for each of its rows. */

#include "diff_sql.h"

#include <stdio.h>
#include <string.h>

#define CONTENT "SELECT * FROM kept"

/* ---- ON CONFLICT ---- */

static void say_small(words *w, uint64_t values, unsigned nulls) {
  if (chance(nulls))
    say(w, "NULL");
  else
    say(w, "%d", (int)below(values));
}

static void say_kept_row(words *w) {
  static const char *const texts[] = {"'a'", "'b'", "''", "NULL"};
  say(w, "(");
  say_small(w, 7, 5);
  say(w, ", %s, ", texts[below(4)]);
  say_small(w, 3, 15);
  say(w, ", ");
  say_small(w, 20, 5);
  say(w, ")");
}

/* A table in both databases, with one key or two. */
static void create_kept(const char **target) {
  static const char *const keys[] = {"id integer PRIMARY KEY, s text, i integer, n integer",
                                     "id integer UNIQUE, s text, i integer, n integer",
                                     "id integer, s text, i integer, n integer, UNIQUE (s, i)",
                                     "id integer UNIQUE, s text, i integer, n integer, UNIQUE (i, s)",
                                     "id integer, s text, i integer UNIQUE, n integer NOT NULL, PRIMARY KEY (s)"};
  static const char *const targets[] = {"(id)", "(id)", "(i, s)", "(i, s)", "(s)"};
  const uint64_t which = below(5);
  words create = {0};
  answer nothing;
  say(&create, "CREATE TABLE kept (%s)", keys[which]);
  *target = targets[which];
  (void)ask(memory, create.data, &nothing);
  (void)ask(files, create.data, &nothing);
}

static void say_conflict(words *w, const char *target) {
  static const char *const sets[] = {"n = coalesce(kept.n, 0) + excluded.n", "n = excluded.n, i = excluded.i",
                                     "n = excluded.n - kept.n, s = 'c'", "id = excluded.id + 1"};
  if (chance(45))
    say(w, " ON CONFLICT %s DO NOTHING", chance(50) ? target : "");
  else {
    say(w, " ON CONFLICT %s DO UPDATE SET %s", target, sets[chance(85) ? below(2) : 2 + below(2)]);
    if (chance(40))
      say(w, " WHERE kept.n %s excluded.n", chance(50) ? "<" : "IS DISTINCT FROM");
  }
  say(w, " RETURNING *");
}

/* Rows at once in one database, and one by one in the other; false: one is refused. Rows that are updated at once may
 * hold together where one of them by itself does not. */
static bool insert_both(const char *target) {
  words all = {0}, conflict = {0};
  answer whole, parts[6], together, got;
  refusal refused = {0}, each = {0};
  const uint32_t count = 1 + (uint32_t)below(6);
  bool passes = true;
  say_conflict(&conflict, target);
  say(&all, "INSERT INTO kept VALUES ");
  for (uint32_t i = 0; i < count; i++) {
    words row = {0}, one = {0};
    say_kept_row(&row);
    say(&all, "%s%s", i > 0 ? ", " : "", row.data);
    say(&one, "INSERT INTO kept VALUES %s%s", row.data, conflict.data);
    may_refuse(&each, RDX_ERROR_ARGUMENT, "a constraint");
    passes = passes && ask_or(files, one.data, &parts[i], &each);
  }
  say(&all, "%s", conflict.data);
  const bool updates = strstr(conflict.data, "UPDATE") != NULL;
  if (!passes && !updates)
    must_refuse(&refused, RDX_ERROR_ARGUMENT, "a constraint");
  else if (!passes)
    may_refuse(&refused, RDX_ERROR_ARGUMENT, "a constraint");
  if (updates)
    may_refuse(&refused, RDX_ERROR_ARGUMENT, "a row is changed twice");
  if (!ask_or(memory, all.data, &whole, &refused) || !passes)
    return false;
  together = join_answers(parts, count);
  expect_same("RETURNING of single rows and of all", &together, &whole);
  if (ask(files, CONTENT, &whole) && ask(memory, CONTENT, &got))
    expect_same("rows one by one and at once", &whole, &got);
  return true;
}

void ask_conflicts(void) {
  const char *target;
  answer nothing;
  create_kept(&target);
  for (uint64_t i = 2 + below(5); i > 0; i--)
    if (!insert_both(target))
      break;
  (void)ask(memory, "DROP TABLE kept", &nothing);
  (void)ask(files, "DROP TABLE kept", &nothing);
}

/* ---- What a change makes ---- */

#define LIST "f.id, f.k, f.s, f.i, f.h, f.t"

/* A key and a CHECK; what is empty is not there. */
typedef struct limits {
  const char *key;
  words check;
} limits;

/* Without the name of the table before its columns. */
static void say_bare(words *w, const char *text) {
  for (; *text; text++) {
    if (text[0] == 'f' && text[1] == '.' && !strchr("abcdefghijklmnopqrstuvwxyz_", text[-1]))
      text++;
    else
      say(w, "%c", *text);
  }
}

/* A predicate over columns that are kept. */
static void say_kept_predicate(words *w) {
  static const char *const others[] = {"f.m", "f.x", "f.n", "f.b", "f.u"};
  const source s = {"f", 1, 0};
  bool fits;
  words one;
  do {
    one = (words){0};
    say_simple_predicate(&one, &s);
    fits = true;
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
      fits = fits && !strstr(one.data, others[i]);
  } while (!fits);
  say(w, "%s", one.data);
}

static void make_limits(limits *l) {
  static const char *const keys[] = {"", "id", "k", "s", "k, s", "s, i", "i", "t, h"};
  *l = (limits){.key = keys[below(8)]};
  if (*l->key && chance(50))
    return;
  words text = {0};
  say(&text, "((");
  say_kept_predicate(&text);
  say(&text, ") OR (");
  say_kept_predicate(&text);
  say(&text, "))");
  say_bare(&l->check, text.data);
}

/* How many rows of a query break them. */
static uint64_t count_broken(rdx_database *database, const limits *l, const char *query) {
  words text = {0};
  answer checked = {0}, doubled = {0};
  if (l->check.length) {
    say(&text, "SELECT 1 FROM (%s) f WHERE NOT %s", query, l->check.data);
    (void)ask(database, text.data, &checked);
  }
  if (*l->key) {
    text = (words){0};
    say(&text, "SELECT 1 FROM (%s) f WHERE (%s) IS NOT NULL GROUP BY %s HAVING count(*) > 1", query, l->key, l->key);
    (void)ask(database, text.data, &doubled);
  }
  return checked.rows + doubled.rows;
}

static void say_merge(words *query, words *statement) {
  const source dimension = {"d", 2, 0};
  words on = {0}, matched = {0}, missing = {0}, changed = {0};
  const uint64_t action = below(3); /* UPDATE, DELETE, or only INSERT */
  const bool inserts = action == 2 || chance(70);
  say(&on, "f.k = d.id");
  chance(60) ? say_kept_predicate(&matched) : say_simple_predicate(&matched, &dimension);
  say_simple_predicate(&missing, &dimension);
  say(&changed, "CASE WHEN d.i > f.h THEN d.i ELSE f.i END");
  say(statement, "MERGE INTO kept AS f USING d ON %s", on.data);
  if (action == 0)
    say(statement, " WHEN MATCHED AND %s THEN UPDATE SET s = d.s, i = %s", matched.data, changed.data);
  if (action == 1)
    say(statement, " WHEN MATCHED AND %s THEN DELETE", matched.data);
  if (inserts)
    say(statement, " WHEN NOT MATCHED AND %s THEN INSERT (id, s, i) VALUES (d.id, d.s, d.i)", missing.data);
  say(query, "SELECT f.id, f.k, ");
  if (action == 0)
    say(query,
        "CASE WHEN d.id IS NOT NULL AND %s THEN d.s ELSE f.s END AS s, "
        "CASE WHEN d.id IS NOT NULL AND %s THEN %s ELSE f.i END AS i, f.h, f.t",
        matched.data, matched.data, changed.data);
  else
    say(query, "f.s, f.i, f.h, f.t");
  say(query, " FROM kept f LEFT JOIN d ON %s", on.data);
  if (action == 1)
    say(query, " WHERE (d.id IS NOT NULL AND %s) IS NOT TRUE", matched.data);
  if (inserts)
    say(query,
        " UNION ALL SELECT d.id, NULL, d.s, d.i, NULL, NULL FROM d WHERE %s AND NOT EXISTS "
        "(SELECT 1 FROM kept f WHERE %s)",
        missing.data, on.data);
}

static void say_plain_change(words *query, words *statement) {
  words where = {0};
  const uint64_t way = below(3);
  say_kept_predicate(&where);
  if (way == 0) {
    say(statement, "INSERT INTO kept SELECT " LIST " FROM f WHERE %s", where.data);
    say(query, CONTENT " UNION ALL SELECT " LIST " FROM f WHERE %s", where.data);
  } else if (way == 1) {
    say(statement, "UPDATE kept AS f SET i = f.h, k = f.k + 1, id = f.id - 1 WHERE %s", where.data);
    say(query, "SELECT f.id - 1 AS id, f.k + 1 AS k, f.s, f.h AS i, f.h, f.t FROM kept f WHERE %s UNION ALL ",
        where.data);
    say(query, "SELECT " LIST " FROM kept f WHERE (%s) IS NOT TRUE", where.data);
  } else {
    say(statement, "DELETE FROM kept AS f WHERE %s", where.data);
    say(query, "SELECT " LIST " FROM kept f WHERE (%s) IS NOT TRUE", where.data);
  }
}

/* A statement fails where its rows would break a limit, and the table is as before; else it is what the query says. */
static void change_kept(rdx_database *database, const limits *l) {
  words query = {0}, statement = {0};
  answer before, after, got, nothing;
  refusal r = {0};
  chance(50) ? say_merge(&query, &statement) : say_plain_change(&query, &statement);
  if (!ask(database, CONTENT, &before) || !ask(database, query.data, &after))
    return;
  if (count_broken(database, l, query.data) > 0)
    must_refuse(&r, RDX_ERROR_ARGUMENT, "a constraint");
  const bool changed = ask_or(database, statement.data, &nothing, &r);
  if (ask(database, CONTENT, &got))
    expect_same(changed ? "a query and the table after a change" : "the table before and after a failure",
                changed ? &after : &before, &got);
}

/* The same limits of a table that is there, by ALTER TABLE. */
static void add_limits(rdx_database *database, const limits *l) {
  words alter = {0};
  answer nothing;
  refusal r = {0};
  say(&alter, "ALTER TABLE free ADD ");
  *l->key ? say(&alter, "UNIQUE (%s)", l->key) : say(&alter, "CHECK (%s)", l->check.data);
  if (*l->key && l->check.length)
    say(&alter, ", ADD CHECK (%s)", l->check.data);
  if (!ask(database, "CREATE TABLE free AS SELECT " LIST " FROM f", &nothing))
    return;
  if (count_broken(database, l, "SELECT * FROM free") > 0)
    must_refuse(&r, RDX_ERROR_ARGUMENT, "a constraint");
  (void)ask_or(database, alter.data, &nothing, &r);
  (void)ask(database, "DROP TABLE free", &nothing);
}

void ask_constraints(void) {
  rdx_database *database = either();
  limits l;
  words create = {0}, fill = {0};
  answer nothing;
  make_limits(&l);
  say(&create, "CREATE TABLE kept (id integer, k integer, s text, i integer, h smallint, t date");
  if (*l.key)
    say(&create, ", UNIQUE (%s)", l.key);
  if (l.check.length)
    say(&create, ", CHECK (%s)", l.check.data);
  say(&create, ")");
  say(&fill, "INSERT INTO kept SELECT * FROM (SELECT " LIST " FROM f) f WHERE %s IS NOT FALSE ON CONFLICT DO NOTHING",
      l.check.length ? l.check.data : "true");
  if (ask(database, create.data, &nothing) && ask(database, fill.data, &nothing))
    for (uint64_t i = 2 + below(4); i > 0; i--)
      change_kept(database, &l);
  (void)ask(database, "DROP TABLE kept", &nothing);
  add_limits(database, &l);
}
