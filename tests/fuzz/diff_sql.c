/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors
 *
 * SQL against itself. What a predicate, its negation and its being unknown select makes the whole (TLP: Rigger and Su,
 * OOPSLA 2020); what a predicate selects is as many as those for which it is calculated to be true (NoREC: the same,
 * ESEC/FSE 2020); all methods, with and without indexes, over table files and tables in memory, give one answer; what
 * statements change is what queries say, and so is what ALTER TABLE, recursive queries and WITHIN GROUP give; keys
 * and CHECKs refuse what breaks them (diff_sql_keys.c). */

#include "diff_sql.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Databases ---- */

rdx_database *memory, *files;
static char folder[64];

static void close_database(void *database) {
  rdx_database **which = database;
  rdx_database_close(which);
}

static void remove_folder(void *path) {
  char command[128];
  snprintf(command, sizeof command, "rm -rf '%s'", (const char *)path);
  if (system(command) != 0)
    fprintf(stderr, "cannot remove %s\n", (const char *)path);
}

static void must(const char *what, rdx_status status, const rdx_error *err) {
  (void)passed(what, status, err, NULL);
}

/* The tables in memory, and as files of a folder. */
static void open_databases(const tables *t) {
  rdx_error err;
  snprintf(folder, sizeof folder, "/tmp/raydex-diff-XXXXXX");
  if (!mkdtemp(folder))
    wrong("no temporary folder");
  at_end(remove_folder, folder);
  must("open", rdx_database_open(diff_device, NULL, NULL, &memory, &err), &err);
  at_end(close_database, &memory);
  for (uint32_t i = 0; i < SQL_TABLES; i++) {
    char path[128];
    rdx_table *table = NULL;
    rdx_csv_params params = {0};
    params.types = sql_types(i, &params.type_count);
    must("CSV", rdx_table_parse_csv(sql_names[i], t->csv[i].data, t->csv[i].length, &params, &table, &err), &err);
    snprintf(path, sizeof path, "%s/%s.csv", folder, sql_names[i]);
    must("write", rdx_table_write_csv(table, path, ',', true, &err), &err);
    must("add", rdx_database_add(memory, sql_names[i], table, &err), &err);
    rdx_import_params import = {.csv = params};
    char out[128];
    snprintf(out, sizeof out, "%s/%s.rdx", folder, sql_names[i]);
    must("import", rdx_table_import_csv(path, out, &import, NULL, &err), &err);
    remove(path);
  }
  must("open", rdx_database_open(diff_device, folder, NULL, &files, &err), &err);
  at_end(close_database, &files);
}

/* ---- Answers ---- */

static int compare_lines(const void *a, const void *b) {
  return strcmp(*(char *const *)a, *(char *const *)b);
}

/* A value; numbers without what says nothing: 1.50 is 1.5. */
static void say_cell(words *w, const rdx_column *c, uint64_t row) {
  char text[RDX_VALUE_TEXT + 1];
  if (is_null(c, row)) {
    say(w, "NULL|");
    return;
  }
  if (c->type == RDX_TYPE_STRING) {
    uint64_t length;
    const char *bytes = rdx_column_string(c, row, &length);
    say(w, "'%.*s'|", (int)length, bytes);
    return;
  }
  size_t length = rdx_column_format(c, row, text);
  text[length] = '\0';
  if (strchr(text, '.') && !strpbrk(text, "e:")) {
    while (text[length - 1] == '0')
      text[--length] = '\0';
    if (text[length - 1] == '.')
      text[--length] = '\0';
  }
  say(w, "%s|", strcmp(text, "-0") != 0 ? text : "0");
}

static answer read_answer(const rdx_table *table) {
  answer a = {rdx_table_rows(table), take(rdx_table_rows(table) * sizeof(char *))};
  for (uint64_t row = 0; row < a.rows; row++) {
    words line = {0};
    for (uint32_t c = 0; c < rdx_table_columns(table); c++)
      say_cell(&line, rdx_table_column(table, c), row);
    a.lines[row] = line.data;
  }
  if (a.rows > 0)
    qsort(a.lines, a.rows, sizeof *a.lines, compare_lines);
  return a;
}

bool ask_or(rdx_database *database, const char *text, answer *out, refusal *r) {
  rdx_error err = {""};
  rdx_statement *statement = NULL;
  rdx_answer *got = NULL;
  note("%s;\n", text);
  rdx_status status = rdx_statement_prepare(database, text, NULL, &statement, &err);
  const char *what = status == RDX_OK ? "execute" : "prepare";
  if (status == RDX_OK)
    status = rdx_statement_execute(statement, &got, &err);
  const bool answered = passed(what, status, &err, r);
  *out = (answer){0};
  if (answered && rdx_answer_table(got))
    *out = read_answer(rdx_answer_table(got));
  rdx_answer_destroy(&got);
  rdx_statement_destroy(&statement);
  return answered;
}

bool ask(rdx_database *database, const char *text, answer *out) {
  refusal r = {0};
  may_refuse(&r, RDX_ERROR_UNSUPPORTED, "what SQL has and Raydex has not");
  return ask_or(database, text, out, &r);
}

answer join_answers(const answer *parts, uint32_t count) {
  answer all = {0};
  for (uint32_t i = 0; i < count; i++)
    all.rows += parts[i].rows;
  all.lines = take(all.rows * sizeof *all.lines);
  all.rows = 0;
  for (uint32_t i = 0; i < count; i++)
    for (uint64_t row = 0; row < parts[i].rows; row++)
      all.lines[all.rows++] = parts[i].lines[row];
  if (all.rows > 0)
    qsort(all.lines, all.rows, sizeof *all.lines, compare_lines);
  return all;
}

void expect_same(const char *what, const answer *expected, const answer *got) {
  for (uint64_t i = 0; i < expected->rows || i < got->rows; i++) {
    const char *a = i < expected->rows ? expected->lines[i] : "nothing", *b = i < got->rows ? got->lines[i] : "nothing";
    if (strcmp(a, b) != 0)
      wrong("%s: %" PRIu64 " and %" PRIu64 " rows; sorted row %" PRIu64 " is %s and %s", what, expected->rows,
            got->rows, i, a, b);
  }
}

/* ---- Oracles ---- */

rdx_database *either(void) {
  return chance(50) ? memory : files;
}

/* Rows of all three parts are those without a predicate. */
static void partition_rows(void) {
  const source s = source_make();
  words list = {0}, p = {0}, all = {0}, one = {0};
  answer whole, parts[3], together;
  const bool distinct = chance(20);
  for (uint64_t i = 1 + below(3); i > 0; i--) {
    chance(70) ? say_column(&list, &s) : say_number(&list, &s, 2);
    say(&list, i > 1 ? ", " : "");
  }
  say_predicate(&p, &s, 3);
  say(&all, "SELECT %s%s FROM %s", distinct ? "DISTINCT " : "", list.data, s.from);
  if (!ask(either(), all.data, &whole))
    return;
  rdx_database *database = either();
  for (uint32_t i = 0; i < 3; i++) {
    words part = {0}, where = {0};
    say(&where, i == 0 ? "(%s)" : i == 1 ? "NOT (%s)" : "(%s) IS NULL", p.data);
    say(&part, "%s WHERE %s", all.data, where.data);
    say(&one, "%s%s", i ? distinct ? " UNION " : " UNION ALL " : "", part.data);
    if (!ask(database, part.data, &parts[i]))
      return;
  }
  if (!distinct) {
    together = join_answers(parts, 3);
    expect_same("the whole and its three parts", &whole, &together);
  }
  if (ask(database, one.data, &together))
    expect_same("the whole and the union of its parts", &whole, &together);
}

/* Aggregates of the parts, aggregated, are those of the whole. */
static void partition_groups(void) {
  const source s = source_make();
  words group = {0}, number = {0}, p = {0}, all = {0}, parts = {0};
  answer whole, together;
  say_group(&group, &s);
  say_number(&number, &s, 2);
  say_predicate(&p, &s, 3);
  say(&all, "SELECT %s AS g, count(*) AS c, sum(%s) AS s, min(%s) AS l, max(%s) AS m FROM %s", group.data, number.data,
      number.data, number.data, s.from);
  say(&parts, "SELECT g, sum(c) AS c, sum(s) AS s, min(l) AS l, max(m) AS m FROM (");
  for (uint32_t i = 0; i < 3; i++)
    say(&parts,
        i == 0   ? "%s WHERE (%s) GROUP BY 1"
        : i == 1 ? " UNION ALL %s WHERE NOT (%s) GROUP BY 1"
                 : " UNION ALL %s WHERE (%s) IS NULL GROUP BY 1",
        all.data, p.data);
  say(&parts, ") parts GROUP BY g");
  say(&all, " GROUP BY 1");
  if (ask(either(), all.data, &whole) && ask(either(), parts.data, &together))
    expect_same("groups and groups of parts", &whole, &together);
}

/* As many rows as are counted one by one. */
static void count_rows(void) {
  const source s = source_make();
  words p = {0}, counted = {0}, summed = {0}, filtered = {0};
  answer a, b;
  say_predicate(&p, &s, 3);
  say(&counted, "SELECT count(*) FROM %s WHERE %s", s.from, p.data);
  say(&summed, "SELECT coalesce(sum(CASE WHEN %s THEN 1 ELSE 0 END), 0) FROM %s", p.data, s.from);
  say(&filtered, "SELECT count(*) FILTER (WHERE %s) FROM %s", p.data, s.from);
  if (!ask(either(), counted.data, &a))
    return;
  if (ask(either(), summed.data, &b))
    expect_same("rows and the sum of CASE", &a, &b);
  if (ask(either(), filtered.data, &b))
    expect_same("rows and count() FILTER", &a, &b);
}

/* What joins are: pairs that satisfy a condition, and rows of a side that are in none. */
static void ask_joined(void) {
  const source s = {"f CROSS JOIN d", 3, 0};
  words on = {0}, pairs = {0}, left = {0}, right = {0}, joined = {0}, parts = {0};
  answer expected, got;
  const uint64_t kind = below(4);
  static const char *const kinds[] = {"JOIN", "LEFT JOIN", "RIGHT JOIN", "FULL JOIN"};
  const bool keyed = chance(70), below_another = chance(40);
  if (keyed)
    say(&on, "f.k = d.id AND ");
  say_predicate(&on, &s, chance(50) ? 1 : 2);
  say(&pairs, "SELECT f.id AS a, d.id AS b FROM f CROSS JOIN d WHERE %s", on.data);
  say(&left, " UNION ALL SELECT f.id, NULL FROM f WHERE NOT EXISTS (SELECT 1 FROM d WHERE %s)", on.data);
  say(&right, " UNION ALL SELECT NULL, d.id FROM d WHERE NOT EXISTS (SELECT 1 FROM f WHERE %s)", on.data);
  say(&parts, "%s%s%s", pairs.data, kind == 1 || kind == 3 ? left.data : "", kind >= 2 ? right.data : "");
  say(&joined, "SELECT f.id AS a, d.id AS b FROM f %s d ON %s", kinds[kind], on.data);
  if (below_another) /* which leaves each row as it is */
    say(&joined, " LEFT JOIN e ON e.id = f.m AND f.m IS NULL");
  if (ask(either(), parts.data, &expected) && ask(either(), joined.data, &got))
    expect_same("pairs and a join", &expected, &got);
}

/* Queries in FROM that become a part of the one that reads them, and the same with OFFSET 0, which stay. */
static void ask_pulled(void) {
  static const char *const kinds[] = {"JOIN", "LEFT JOIN", "RIGHT JOIN", "FULL JOIN"}, *const fences[] = {"",
                                                                                                          " OFFSET 0"};
  static const char *const facts[] = {"f", "f JOIN e ON f.m = e.id", "f LEFT JOIN e ON f.m = e.id"};
  static const char *const lists[] = {"*", "id, coalesce(s, 'none') AS s, i + 1 AS i, t",
                                      "id, s || 'x' AS s, 4 AS i, t"};
  const source fact = {"f", 1, 0}, dimension = {"d", 2, 0}, both = {"f CROSS JOIN d", 3, 0};
  const char *kind = kinds[below(4)], *from = facts[below(3)], *list = lists[below(3)];
  const bool groups = chance(50);
  words inner[2] = {{0}}, outer[3] = {{0}};
  answer answers[2];
  say_predicate(&inner[0], &fact, 1);
  say_predicate(&inner[1], &dimension, 1);
  say_group(&outer[0], &both);
  say_simple_predicate(&outer[1], &both);
  say_predicate(&outer[2], &both, 2);
  for (uint32_t i = 0; i < 2; i++) {
    words w = {0};
    say(&w, "SELECT %s, %s FROM (SELECT f.* FROM %s WHERE %s%s) f %s (SELECT %s FROM d WHERE %s%s) d", outer[0].data,
        groups ? "count(*), sum(d.i), min(f.s)" : "d.s, d.i, f.id", from, inner[0].data, fences[i], kind, list,
        inner[1].data, fences[i]);
    say(&w, " ON f.k = d.id AND %s WHERE %s%s%s", outer[1].data, outer[2].data, groups ? " GROUP BY " : "",
        groups ? outer[0].data : "");
    if (!ask(either(), w.data, &answers[i]))
      return;
  }
  expect_same("a query in FROM as a part and for itself", &answers[0], &answers[1]);
}

/* ---- Methods ---- */

static void set(rdx_database *database, const char *setting, const char *method) {
  words w = {0};
  answer nothing;
  say(&w, "SET %s = '%s'", setting, method);
  (void)ask(database, w.data, &nothing);
}

/* One answer by every method that answers; by some where each takes seconds. */
static void by_all_methods(rdx_database *database, const char *statement, const char *setting,
                           const char *const *methods, size_t count, const answer *expected) {
  answer got;
  for (size_t i = 0; i < count; i++) {
    if (diff_slow && chance(70))
      continue;
    set(database, setting, methods[i]);
    if (ask(database, statement, &got))
      expect_same(methods[i], expected, &got);
  }
  set(database, setting, "auto");
}

static void say_star(words *w, const source *s, const char *list, const char *group, const char *where) {
  say(w, "SELECT %s, %s FROM %s WHERE %s GROUP BY %s", group, list, s->from, where, group);
}

static const char *const places[] = {"host", "device", "auto"};

/* A star query by each method of the star layer, and written so that it is none. */
static void ask_stars(void) {
  static const char *const methods[] = {"column", "sorted_cube", "coarse_cube", "rt_cube"};
  const bool both = chance(50);
  const source star = source_star(both, true), none = source_star(both, false);
  words group = {0}, where = {0}, one = {0}, other = {0};
  answer expected, got;
  static const char *const lists[] = {"count(*), sum(f.i)",
                                      "sum(f.n)",
                                      "count(f.s), sum(f.i), min(f.i), max(f.n)",
                                      "avg(f.i), sum(f.i * f.h)",
                                      "sum(f.n * f.h), count(*)",
                                      "min(f.t), max(f.t)"};
  const char *list = lists[below(6)];
  for (uint64_t i = 1 + below(2); i > 0; i--) {
    say_group(&group, &star);
    say(&group, i > 1 ? ", " : "");
  }
  for (uint64_t i = 1 + below(3); i > 0; i--) {
    say_simple_predicate(&where, &star);
    say(&where, i > 1 ? " AND " : "");
  }
  say_star(&one, &star, list, group.data, where.data);
  say_star(&other, &none, list, group.data, where.data);
  rdx_database *database = either();
  if (!ask(database, one.data, &expected))
    return;
  if (ask(either(), other.data, &got))
    expect_same("a star and none", &expected, &got);
  by_all_methods(database, other.data, "operators", places, 3, &expected);
  by_all_methods(database, one.data, "method", methods, 4, &expected);
}

/* Groups by columns of a row that a key determines, and by values of these columns, which no key does. */
static void ask_determined(void) {
  static const char *const joins[] = {"f JOIN d ON f.k = d.id", "f LEFT JOIN d ON f.k = d.id",
                                      "f JOIN d ON f.k = d.id JOIN e ON f.m = e.id"};
  static const char *const groups[] = {"d.id, d.s", "d.s, d.id, d.i", "f.h, d.id, d.s", "f.id, f.s, f.i",
                                       "f.id, d.id, f.s, d.s"};
  static const char *const values[] = {"d.id + 0, coalesce(d.s, NULL)", "coalesce(d.s, NULL), d.id + 0, d.i + 0",
                                       "f.h, d.id + 0, coalesce(d.s, NULL)", "f.id + 0, coalesce(f.s, NULL), f.i + 0",
                                       "f.id + 0, d.id + 0, coalesce(f.s, NULL), coalesce(d.s, NULL)"};
  const source s = {"f", 1, 0};
  const char *join = joins[below(3)];
  const uint64_t which = below(5);
  words where = {0}, one = {0}, other = {0};
  answer expected, got;
  say_simple_predicate(&where, &s);
  say(&one, "SELECT %s, count(*), sum(f.i), min(f.s) FROM %s WHERE %s GROUP BY %s", groups[which], join, where.data,
      groups[which]);
  say(&other, "SELECT %s, count(*), sum(f.i), min(f.s) FROM %s WHERE %s GROUP BY %s", values[which], join, where.data,
      values[which]);
  if (ask(either(), other.data, &expected) && ask(either(), one.data, &got))
    expect_same("groups by columns and by their values", &expected, &got);
}

static void ask_scans(void) {
  static const char *const methods[] = {"column", "bindex", "btree_scan", "rtindex", "rtc1", "rtc3", "rtscan"};
  const source s = {"f", 1, 0};
  words statement = {0};
  answer expected;
  say(&statement, "SELECT f.id, f.s, f.i FROM f WHERE ");
  for (uint64_t i = 1 + below(3); i > 0; i--) {
    say_simple_predicate(&statement, &s);
    say(&statement, i > 1 ? " AND " : "");
  }
  rdx_database *database = either();
  if (ask(database, statement.data, &expected))
    by_all_methods(database, statement.data, "scan_method", methods, 7, &expected);
}

static void ask_joins(void) {
  static const char *const methods[] = {"rx",           "sorted_array", "tree",       "btree",      "hash",
                                        "rx_optimized", "cgrx",         "cgrx_naive", "radix_hash", "cgrx_updatable"};
  const source s = source_make();
  words statement = {0};
  answer expected;
  say(&statement, "SELECT ");
  say_column(&statement, &s);
  say(&statement, ", ");
  say_column(&statement, &s);
  say(&statement, " FROM %s WHERE ", s.from);
  say_predicate(&statement, &s, 2);
  rdx_database *database = either();
  if (!ask(database, statement.data, &expected))
    return;
  by_all_methods(database, statement.data, "operators", places, 3, &expected);
  by_all_methods(database, statement.data, "join_method", methods, 10, &expected);
}

/* Both databases get the same rows more. */
static void add_rows(void) {
  const source s = {"f", 1, 0};
  words insert = {0};
  answer nothing;
  say(&insert, "INSERT INTO f SELECT * FROM f WHERE id < %d AND ", (int)below(60));
  say_simple_predicate(&insert, &s);
  if (ask(memory, insert.data, &nothing) != ask(files, insert.data, &nothing))
    wrong("one database takes rows, the other one does not");
}

/* An index by any method over one to three columns. */
static void say_index(words *w) {
  static const char *const columns[] = {"id", "k", "m", "s", "i", "h", "x", "n", "b", "t", "u"};
  static const char *const methods[] = {"hash", "tree",   "sorted_array", "btree",          "rx",    "cgrx", "tree",
                                        "hash", "bindex", "rx_optimized", "cgrx_updatable", "rtscan"};
  const uint64_t first = below(11), step = 1 + below(10), count = chance(60) ? 1 : 2 + below(2);
  say(w, "CREATE INDEX kept ON f USING %s (", methods[below(12)]);
  for (uint64_t i = 0; i < count; i++)
    say(w, "%s%s", i ? ", " : "", columns[(first + i * step) % 11]);
  say(w, ")");
}

/* The same with an index of the folder, which is used wherever it can be half of the time. */
static void ask_indexed(void) {
  const bool simple = chance(60);
  const source s = simple ? (source){"f", 1, 0} : source_make();
  words statement = {0}, create = {0}, drop = {0};
  answer expected, got, nothing;
  say(&statement, "SELECT ");
  say_column(&statement, &s);
  say(&statement, " FROM %s WHERE ", s.from);
  say_simple_predicate(&statement, &s);
  for (uint64_t more = simple ? below(4) : 0; more > 0; more--) {
    say(&statement, " AND ");
    say_simple_predicate(&statement, &s);
  }
  if (!simple) {
    say(&statement, " AND ");
    say_predicate(&statement, &s, 1);
  }
  if (!ask(memory, statement.data, &expected))
    return;
  say_index(&create);
  say(&drop, "DROP INDEX kept");
  if (!ask(files, create.data, &nothing))
    return;
  if (chance(50))
    (void)ask(files, "SET scan_method = 'index'", &nothing);
  if (ask(files, statement.data, &got))
    expect_same("without and with an index", &expected, &got);
  if (chance(30)) {
    add_rows();
    if (ask(memory, statement.data, &expected) && ask(files, statement.data, &got))
      expect_same("without and with an index, and more rows", &expected, &got);
  }
  (void)ask(files, "RESET scan_method", &nothing);
  (void)ask(files, drop.data, &nothing);
}

/* A cube of the fact table or of a star, which is right after rows were added, too. */
static void ask_views(void) {
  static const char *const methods[] = {"", " USING sorted_cube", " USING coarse_cube", " USING rt_cube"};
  static const char *const groups[] = {"f.s", "f.h", "f.k", "f.b", "d.s", "d.i"};
  const bool star = chance(40);
  const source s = star ? source_star(false, true) : (source){"f", 1, 0};
  const uint64_t first = below(star ? 6 : 4), second = (first + 1 + below(3)) % 4;
  words create = {0}, statement = {0};
  answer expected, got, nothing;
  say(&create,
      "CREATE MATERIALIZED VIEW kept%s AS SELECT %s AS g1, %s AS g2, count(*) AS c, sum(f.i) AS i, sum(f.n) AS n",
      methods[below(4)], groups[first], groups[second]);
  say(&create, " FROM %s GROUP BY %s, %s", s.from, groups[first], groups[second]);
  if (!ask(files, create.data, &nothing))
    return;
  say(&statement, "SELECT %s, sum(f.i), count(*)%s FROM %s", groups[first], chance(50) ? ", sum(f.n)" : "", s.from);
  if (chance(60))
    say(&statement, " WHERE %s IS NOT NULL", groups[second]);
  say(&statement, " GROUP BY %s", groups[first]);
  for (int again = 0; again < 2; again++) {
    if (ask(memory, statement.data, &expected) && ask(files, statement.data, &got))
      expect_same("without and with a view", &expected, &got);
    if (again == 0)
      add_rows();
  }
  (void)ask(files, "DROP MATERIALIZED VIEW kept", &nothing);
}

/* ---- Changes ---- */

#define NUMBERED "(SELECT *, row_number() OVER () AS o FROM d) AS d"

/* Which rows of f a statement changes, with what they are then: those that it joins, by their first row of d. */
typedef struct changed {
  bool joined, deletes;
  words condition, value; /* value: of i, in UPDATE */
} changed;

/* Rows of f as they are then, or, `rest`, those that stay as they are. */
static void say_rows(words *w, const changed *c, bool rest, const char *more) {
  say(w, "SELECT f.id, %s, %s%s FROM f", rest || c->deletes ? "f.i" : c->value.data,
      rest || c->deletes ? "f.s" : "'new' AS s", more);
  if (!c->joined)
    say(w, rest ? " WHERE (%s) IS NOT TRUE" : " WHERE %s", c->condition.data);
  else
    say(w, ", LATERAL (SELECT min(d.o) AS o FROM " NUMBERED " WHERE %s) AS m WHERE m.o IS %sNULL", c->condition.data,
        rest ? "" : "NOT ");
}

static void say_change(words *w, const changed *c) {
  if (c->deletes)
    say(w, "DELETE FROM changed AS f%s", c->joined ? " USING " NUMBERED : "");
  else
    say(w, "UPDATE changed AS f SET s = 'new', i = %s%s", c->value.data, c->joined ? " FROM " NUMBERED : "");
  say(w, " WHERE %s RETURNING f.id, f.i, f.s%s", c->condition.data, c->joined ? ", d.o" : "");
}

static void compare_change(rdx_database *database, const changed *c) {
  words returned = {0}, taken = {0}, rest = {0}, change = {0};
  answer rows[2], expected, got;
  say_rows(&returned, c, false, c->joined ? ", m.o" : "");
  say_rows(&taken, c, false, "");
  say_rows(&rest, c, true, "");
  say_change(&change, c);
  if (!ask(either(), returned.data, &expected) || !ask(either(), taken.data, &rows[1]) ||
      !ask(either(), rest.data, &rows[0]) || !ask(database, change.data, &got))
    return;
  expect_same("rows and RETURNING", &expected, &got);
  expected = join_answers(rows, c->deletes ? 1 : 2);
  if (ask(database, "SELECT id, i, s FROM changed", &got))
    expect_same("rows and the table after a change", &expected, &got);
}

/* What RETURNING says of a change, and what the table is then, is what queries say. */
static void ask_changes(void) {
  changed c = {.joined = chance(50), .deletes = chance(50)};
  const source fact = {"f", 1, 0}, both = {"f CROSS JOIN d", 3, 0};
  rdx_database *database = either();
  answer nothing;
  say(&c.condition, c.joined && chance(60) ? "f.k = d.id AND " : "");
  if (chance(60))
    say_simple_predicate(&c.condition, c.joined ? &both : &fact);
  else
    say_predicate(&c.condition, c.joined ? &both : &fact, 2);
  say(&c.value, "CASE WHEN ");
  say_predicate(&c.value, &fact, 1);
  say(&c.value, " THEN NULL ELSE f.h END");
  if (!ask(database, "CREATE TABLE changed AS SELECT * FROM f", &nothing))
    return;
  compare_change(database, &c);
  (void)ask(database, "DROP TABLE changed", &nothing);
}

/* ---- Tables with other columns ---- */

/* What a table of rows of f is after its alterations: its name, its columns, and what they are of f. */
typedef struct altered {
  const char *name;
  uint32_t count, made;
  struct altered_column {
    words name, value, none; /* none: what it is where an INSERT does not name it */
  } columns[24];
} altered;

static void start_altered(altered *a) {
  static const char *const names[] = {"id", "k", "s", "i", "n", "t"};
  *a = (altered){.name = "altered", .count = sizeof names / sizeof *names};
  for (uint32_t i = 0; i < a->count; i++) {
    say(&a->columns[i].name, "%s", names[i]);
    say(&a->columns[i].value, "f.%s", names[i]);
    say(&a->columns[i].none, "nullif(f.%s, f.%s)", names[i], names[i]);
  }
}

static void add_altered(altered *a, words *statement) {
  static const char *const types[] = {"integer", "text", "numeric(8,2)", "date", "double precision", "boolean"};
  static const char *const values[] = {"7", "'new'", "1.25", "'2020-03-04'", "0.5", "true"};
  const uint64_t type = below(6);
  const bool given = chance(60);
  struct altered_column *c = &a->columns[a->count++];
  *c = (struct altered_column){0};
  say(&c->name, "c%u", a->made++);
  say(&c->value, given ? "CAST(%s AS %s)" : "CAST(NULL AS %.0s%s)", values[type], types[type]);
  c->none = c->value;
  say(statement, "ADD %s%s %s", chance(50) ? "COLUMN " : "", c->name.data, types[type]);
  if (given)
    say(statement, " DEFAULT %s", values[type]);
}

static void drop_altered(altered *a, words *statement) {
  const uint64_t which = 1 + below(a->count - 1);
  say(statement, "DROP COLUMN %s", a->columns[which].name.data);
  memmove(&a->columns[which], &a->columns[which + 1], (--a->count - which) * sizeof *a->columns);
}

static void say_alteration(altered *a, words *w) {
  const uint64_t way = below(4);
  struct altered_column *c = &a->columns[below(a->count)];
  say(w, "ALTER TABLE %s ", a->name);
  if (way == 0) {
    a->name = strcmp(a->name, "altered") == 0 ? "moved" : "altered";
    say(w, "RENAME TO %s", a->name);
  } else if (way == 1) {
    say(w, "RENAME %s TO c%u", c->name.data, a->made);
    c->name = (words){0};
    say(&c->name, "c%u", a->made++);
  }
  for (uint64_t i = way < 2 ? 0 : 1 + below(3); i > 0; i--) {
    a->count > 2 && chance(40) ? drop_altered(a, w) : add_altered(a, w);
    say(w, i > 1 ? ", " : "");
  }
}

/* Its rows, by its own names or from f; an order that an index may serve. */
static void say_altered(const altered *a, bool own, words *w) {
  say(w, "SELECT ");
  for (uint32_t i = 0; i < a->count; i++)
    say(w, "%s%s", i > 0 ? ", " : "", own ? a->columns[i].name.data : a->columns[i].value.data);
  say(w, " FROM %s WHERE %s >= 5", own ? a->name : "f", own ? a->columns[0].name.data : a->columns[0].value.data);
}

/* Rows that name one column have the DEFAULT of the others. */
static void insert_into_altered(rdx_database *database, const altered *a) {
  words insert = {0}, query = {0};
  answer expected, got;
  say(&insert, "INSERT INTO %s (%s) SELECT id FROM f RETURNING *", a->name, a->columns[0].name.data);
  say(&query, "SELECT f.id");
  for (uint32_t i = 1; i < a->count; i++)
    say(&query, ", %s", a->columns[i].none.data);
  say(&query, " FROM f");
  if (ask(database, insert.data, &got) && ask(either(), query.data, &expected))
    expect_same("values of DEFAULT and rows of INSERT", &expected, &got);
}

/* A table after ALTER TABLE is what a query makes of its rows. */
static void ask_altered(void) {
  rdx_database *database = either();
  altered a;
  answer expected, got, nothing;
  words end = {0};
  start_altered(&a);
  if (!ask(database, "CREATE TABLE altered AS SELECT id, k, s, i, n, t FROM f", &nothing))
    return;
  if (chance(50))
    (void)ask(database, "CREATE INDEX on_altered ON altered (id)", &nothing);
  for (uint64_t i = 1 + below(5); i > 0; i--) {
    words statement = {0}, own = {0}, query = {0};
    say_alteration(&a, &statement);
    if (!ask(database, statement.data, &nothing))
      wrong("ALTER TABLE is refused");
    say_altered(&a, true, &own);
    say_altered(&a, false, &query);
    if (ask(database, own.data, &got) && ask(either(), query.data, &expected))
      expect_same("rows and a table after ALTER TABLE", &expected, &got);
  }
  insert_into_altered(database, &a);
  say(&end, "DROP TABLE %s", a.name);
  (void)ask(database, end.data, &nothing);
}

/* ---- Queries that read themselves ---- */

/* Edges between few numbers. */
#define EDGES "(SELECT id AS a, i AS b FROM d UNION ALL SELECT id, i FROM e)"

/* The steps of a recursive query written one after the other: as many as it makes, or, where it leaves rows out that
 * were there, until nothing is new: numbers are 0 to 5 after the first step. */
static void ask_recursive(void) {
  const bool all = chance(50);
  const uint64_t steps = all ? 1 + below(4) : 9;
  words start = {0}, recursive = {0}, one = {0};
  answer expected, got;
  const source s = {"d", 2, 0};
  say(&start, "SELECT d.id, 0 FROM d WHERE ");
  chance(50) ? say_simple_predicate(&start, &s) : say_predicate(&start, &s, 1);
  say(&recursive, "WITH RECURSIVE r (n, step) AS (%s UNION %s SELECT g.b, %s FROM r JOIN " EDGES " g ON g.a = r.n",
      start.data, all ? "ALL" : "", all ? "r.step + 1" : "0");
  if (all)
    say(&recursive, " WHERE r.step < %d", (int)steps);
  say(&recursive, ") SELECT n, step FROM r");
  say(&one, "%s", start.data);
  for (uint64_t i = 0; i < steps; i++) {
    words next = {0};
    say(&next, "%s UNION %s SELECT g.b, %s FROM (%s) r (n, step) JOIN " EDGES " g ON g.a = r.n", start.data,
        all ? "ALL" : "", all ? "r.step + 1" : "0", one.data);
    one = next;
  }
  if (ask(either(), one.data, &expected) && ask(either(), recursive.data, &got))
    expect_same("steps and a recursive query", &expected, &got);
}

/* ---- Places of rows that are not there ---- */

/* As window functions give them where these rows are there. */
static void ask_places(void) {
  static const char *const functions[] = {"rank", "dense_rank", "percent_rank", "cume_dist"};
  static const char *const orders[] = {"", " DESC", " NULLS FIRST", " DESC NULLS LAST"};
  const source s = source_make();
  const char *order = orders[below(4)];
  words group = {0}, x = {0}, v = {0}, places_of = {0}, windows = {0};
  answer expected, got;
  say_group(&group, &s);
  say_number(&x, &s, 2);
  say(&v, chance(10) ? "CAST(NULL AS integer)" : "(%d)", (int)below(60) - 20);
  say(&places_of, "SELECT %s", group.data);
  say(&windows, "SELECT g");
  for (uint32_t i = 0; i < 4; i++) {
    say(&places_of, ", %s(%s) WITHIN GROUP (ORDER BY %s%s)", functions[i], v.data, x.data, order);
    say(&windows, ", w%u", i);
  }
  say(&places_of, " FROM %s GROUP BY 1", s.from);
  say(&windows, " FROM (SELECT g, there");
  for (uint32_t i = 0; i < 4; i++)
    say(&windows, ", %s() OVER (PARTITION BY g ORDER BY x%s) AS w%u", functions[i], order, i);
  say(&windows, " FROM (SELECT %s AS g, %s AS x, true AS there FROM %s UNION ALL ", group.data, x.data, s.from);
  say(&windows, "SELECT DISTINCT %s, %s, false FROM %s) rows) places WHERE NOT there", group.data, v.data, s.from);
  if (ask(either(), windows.data, &expected) && ask(either(), places_of.data, &got))
    expect_same("window functions and WITHIN GROUP", &expected, &got);
}

void sql_case(void) {
  static void (*const oracles[])(void) = {
      ask_views,     ask_joined, partition_rows, partition_groups, count_rows,     ask_stars,
      ask_scans,     ask_joins,  ask_indexed,    ask_determined,   ask_changes,    ask_altered,
      ask_recursive, ask_places, ask_pulled,     ask_conflicts,    ask_constraints};
  tables t;
  tables_make(&t);
  open_databases(&t);
  for (uint32_t i = 0; i < SQL_TABLES && t.rows[i] <= 12; i++)
    note("%s:\n%s", sql_names[i], t.csv[i].data);
  for (uint64_t i = diff_slow ? 2 : 6; i > 0; i--) {
    note("\n");
    set(memory, "operators", places[below(3)]);
    set(files, "operators", places[below(3)]);
    oracles[below(sizeof oracles / sizeof *oracles)]();
  }
}
