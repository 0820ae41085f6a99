/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* Statements from text: trees as they should be, refusals with their places, deep and long texts. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sql/statement.h"
#include "tests/unit/statement_text.h"

typedef struct example {
  const char *text, *expected;
} example;

static char scratch[1 << 16];

/* The tree of the first statement, or the name of the status and the error's text. */
static const char *parsed(const char *text) {
  rdx_arena arena = {0};
  rdx_error err = {""};
  rdx_sql_statement *statement = NULL;
  const char *next = NULL;
  const rdx_status status = rdx_sql_parse(text, &arena, &statement, &next, &err);
  assert_non_null(next);
  assert_true(next >= text && next <= text + strlen(text));
  if (status != RDX_OK) {
    assert_null(statement);
    snprintf(scratch, sizeof scratch, "%s: %s", rdx_status_name(status), err.text);
  } else if (statement) {
    statement_text(statement, scratch, sizeof scratch);
  } else {
    strcpy(scratch, "nothing");
  }
  rdx_arena_free(&arena);
  return scratch;
}

static void check(const example *examples, size_t count) {
  for (size_t i = 0; i < count; i++)
    if (strcmp(parsed(examples[i].text), examples[i].expected) != 0)
      fail_msg("%s\nis      %s\nand not %s", examples[i].text, scratch, examples[i].expected);
}

static void test_expressions(void **state) {
  (void)state;
  static const example examples[] = {
      {"SELECT a, t.b, \"T\".\"C d\", *, t.*, 1, 1.50, 1e5, .5, 'x''y', NULL, TRUE, false, $2",
       "select a, t.b, T.C d, *, t.*, #1, #1.50, #1e5, #.5, 'x'y', NULL, true, false, $2 /2"},
      {"SELECT -5, - -5.5, -a, +a, -2147483648, 99999999999999999999",
       "select [-](#5), #5.5, [-](a), [+](a), #-2147483648, #99999999999999999999"},
      {"SELECT a + b * c - d / e % f ^ g || h", "select [||]([-]([+](a, [*](b, c)), [%]([/](d, e), [^](f, g))), h)"},
      {"SELECT a = b, a <> b, a != b, a < b, a <= b, a > b, a >= b, a ~ b, abs(a) FROM t",
       "select [=](a, b), [<>](a, b), [<>](a, b), [<](a, b), [<=](a, b), [>](a, b), [>=](a, b), [~](a, b), [abs](a) "
       "from t"},
      {"SELECT a AND (b AND c) AND d OR (e OR f), NOT a", "select [or]([and](a, b, c, d), e, f), [not](a)"},
      {"SELECT a IS NULL, a IS NOT NULL, a IS TRUE, a IS NOT TRUE, a IS FALSE, a IS NOT FALSE, a IS UNKNOWN, a IS NOT "
       "UNKNOWN, a IS DISTINCT FROM b, a IS NOT DISTINCT FROM b",
       "select [is null](a), [is not null](a), [is true](a), [is not true](a), [is false](a), [is not false](a), [is "
       "unknown](a), [is not unknown](a), [is distinct from](a, b), [is not distinct from](a, b)"},
      {"SELECT a BETWEEN 1 AND 2, a NOT BETWEEN b AND c, a BETWEEN SYMMETRIC 1 AND 2, a NOT BETWEEN SYMMETRIC 1 AND 2",
       "select [between](a, #1, #2), [not between](a, b, c), [between symmetric](a, #1, #2), [not between "
       "symmetric](a, "
       "#1, #2)"},
      {"SELECT a IN (1, 2), a NOT IN ('x'), a LIKE 'x%', a NOT LIKE 'x' ESCAPE '!', a ILIKE b, a NOT ILIKE b",
       "select [in](a, #1, #2), [not in](a, 'x'), [like](a, 'x%'), [not like](a, [like_escape]('x', '!')), "
       "[ilike](a, b), [not ilike](a, b)"},
      {"SELECT CASE WHEN a THEN 1 WHEN b THEN 2 END, CASE a WHEN 1 THEN x WHEN 2 THEN y ELSE z END",
       "select [case](a, #1, b, #2), [case]([=](a, #1), x, [=](a, #2), y, z)"},
      {"SELECT COALESCE(a, b, 1), NULLIF(a, b), GREATEST(a, b), LEAST(a), ROW(a, b) < (1, 2), GROUPING(a)",
       "select [coalesce](a, b, #1), [nullif](a, b), [greatest](a, b), [least](a), "
       "[or]([<](a, #1), [and]([=](a, #1), [<](b, #2))), [grouping](a)"},
      {"SELECT string_agg(DISTINCT a, ',' ORDER BY b DESC, c NULLS FIRST), mode() WITHIN GROUP (ORDER BY a) FILTER "
       "(WHERE b)",
       "select [string_agg] distinct(a, ',' order b desc, c nulls first), [mode]() within ( order a) filter b"},
      {"SELECT a FROM generate_series(1, b, 2) AS s (a)", "select a from [generate_series](#1, b, #2) as s(a)"},
      {"SELECT DATE '1994-01-01', INTERVAL '3' MONTH, INTERVAL '1-2' YEAR TO MONTH, INTERVAL '1 day', INTERVAL(3) '1'",
       "select <date>('1994-01-01'), <interval month>('3'), <interval year to month>('1-2'), <interval>('1 day'), "
       "<interval:3>('1')"},
      {"SELECT a::int, CAST(a AS numeric(12, 2)), a::varchar(10), a::double precision, a::char(3), a::timestamp",
       "select <int4>(a), <numeric:12:2>(a), <varchar:10>(a), <float8>(a), <bpchar:3>(a), <timestamp>(a)"},
      {"SELECT extract(year FROM a), substring(a FROM 1 FOR 2), position('x' IN a), trim(a), trim(LEADING 'x' FROM a), "
       "trim(TRAILING FROM a), current_date, current_timestamp, a AT TIME ZONE 'UTC'",
       "select [extract]('year', a), [substring](a, #1, #2), [position](a, 'x'), [btrim](a), [ltrim](a, 'x'), "
       "[rtrim](a), [current_date](), [current_timestamp](), [timezone]('UTC', a)"},
      {"SELECT count(*), count(DISTINCT a), SUM(a) FILTER (WHERE b > 1)",
       "select [count] *(), [count] distinct(a), [sum](a) filter [>](b, #1)"},
      {"SELECT (SELECT 1), EXISTS (SELECT 2), a IN (SELECT 3), a NOT IN (SELECT 4), a > ALL (SELECT 5), a = SOME "
       "(SELECT 6), a LIKE ANY (SELECT 7)",
       "select scalar{select #1}, exists{select #2}, a = any{select #3}, [not](a = any{select #4}), a > all{select "
       "#5}, "
       "a = any{select #6}, a like any{select #7}"},
  };
  check(examples, RDX_COUNT(examples));
}

static void test_queries(void **state) {
  (void)state;
  static const example examples[] = {
      {"SELECT DISTINCT a x, b AS \"Y\" FROM t WHERE a GROUP BY a, 2 HAVING b ORDER BY 1 DESC NULLS LAST, b ASC NULLS "
       "FIRST LIMIT 5 OFFSET 2",
       "select distinct a as x, b as Y from t where a group <a>, <#2> having b order #1 desc nulls last, b nulls first "
       "limit #5 offset #2"},
      {"SELECT a FROM t FETCH FIRST 3 ROWS ONLY", "select a from t limit #3"},
      {"SELECT a FROM t FETCH FIRST ROW ONLY", "select a from t limit #1"},
      {"SELECT a FROM t LIMIT ALL OFFSET $1", "select a from t offset $1 /1"},
      {"SELECT 1 FROM t, u AS v (a, b), (SELECT 2) w (c)", "select #1 from t, u as v(a,b), {select #2} as w(c)"},
      {"SELECT 1 FROM a JOIN b ON a.x = b.x LEFT JOIN c USING (y, z) RIGHT JOIN d ON true NATURAL FULL JOIN e CROSS "
       "JOIN LATERAL (SELECT a.x) f",
       "select #1 from (((((a inner b on [=](a.x, b.x)) left c using (y,z)) right d on true) natural full e) inner "
       "lateral {select a.x} as f)"},
      {"SELECT 1 FROM a JOIN (b JOIN c ON x) ON y", "select #1 from (a inner (b inner c on x) on y)"},
      {"SELECT 1 GROUP BY (a, b), ROLLUP ((a, b), c), CUBE (a, b), GROUPING SETS ((a, b), a, (), ROLLUP (a)), ()",
       "select #1 group <a>, <b>, rollup<<a, b><c>>, cube<<a><b>>, sets<<a, b><a><>rollup<<a>>>, sets<<>>"},
      {"VALUES (1, 'a'), (2, NULL) ORDER BY 1", "values (#1, 'a') (#2, NULL) order #1"},
      {"SELECT 1 UNION ALL SELECT 2 EXCEPT SELECT 3 INTERSECT ALL SELECT 4 ORDER BY 1 LIMIT 1",
       "{{select #1} union all {select #2}} except {{select #3} intersect all {select #4}} order #1 limit #1"},
      {"(SELECT 1 LIMIT 1) UNION (VALUES (2))", "{select #1 limit #1} union {values (#2)}"},
      {"WITH a (x) AS (SELECT 1), b AS (WITH c AS (SELECT 2) SELECT * FROM c) SELECT * FROM a, b",
       "with a(x){select #1} with b{with c{select #2} select * from c} select * from a, b"},
      {"TABLE t", "select * from t"},
  };
  check(examples, RDX_COUNT(examples));
}

static void test_names(void **state) {
  (void)state;
#define LONG "aaaaaaaaaabbbbbbbbbbccccccccccddddddddddeeeeeeeeeeffffffffffgggggggggghhhhhhhhhh"
  static const example examples[] = {
      {"SELECT Foo, \"Foo\", \"A\"\"B\", \"\" AS \"\", \"a;b\" FROM \"\"", "select foo, Foo, A\"B,  as , a;b from "},
      {"SELECT A" LONG ", \"" LONG "Z\"\"\", x AS B" LONG " FROM " LONG "1 C" LONG,
       "select a" LONG ", " LONG "Z\", x as b" LONG " from " LONG "1 as c" LONG},
      {"SELECT 1 FROM 'x.csv', 'it''s.csv' AS q JOIN 'a/b \"c\".parquet' ON 'x' = 'y', ('z.csv' CROSS JOIN t), "
       "'" LONG ".csv' WHERE a IN ('b', 'c')",
       "select #1 from x.csv, (it's.csv as q inner a/b \"c\".parquet on [=]('x', 'y')), (z.csv inner t), " LONG
       ".csv where [in](a, 'b', 'c')"},
      {"SELECT extract(year FROM 'x'), a IS DISTINCT FROM 'y' FROM t WHERE trim(both FROM 'z') IS DISTINCT FROM 'u' "
       "GROUP BY 'v', 'w'",
       "select [extract]('year', 'x'), [is distinct from](a, 'y') from t where [is distinct from]([btrim]('z'), 'u') "
       "group <'v'>, <'w'>"},
      {"SELECT \"t.csv\".a FROM (SELECT 'x', 'y' FROM 't.csv') s",
       "select t.csv.a from {select 'x', 'y' from t.csv} as s"},
      {"SELECT a\"b\", c\"" LONG "\",d FROM'x''y'", "select a as b, c as " LONG ", d from x'y"},
      {"CREATE TABLE " LONG " (\"" LONG "\" int)", "create table: name=" LONG " " LONG " int4"},
  };
  check(examples, RDX_COUNT(examples));
}

static void test_statements(void **state) {
  (void)state;
  static const example examples[] = {
      {"EXPLAIN SELECT 1", "explain: select #1"},
      {"EXPLAIN ANALYZE SELECT $1", "explain: analyze select $1 /1"},
      {"EXPLAIN (ANALYZE, FORMAT JSON) INSERT INTO t VALUES (1)", "explain: analyze json insert: name=t values (#1)"},
      {"EXPLAIN (ANALYZE false, FORMAT text) SELECT 1", "explain: select #1"},
      {"CREATE TABLE IF NOT EXISTS t (a int, b numeric(12, 2), \"C\" varchar(10), d date, e text)",
       "create table: name=t if not exists a int4 b numeric:12:2 C varchar:10 d date e text"},
      {"CREATE TABLE t AS SELECT 1 AS a", "create table as: name=t data select #1 as a"},
      {"CREATE TABLE IF NOT EXISTS t AS VALUES (1) WITH NO DATA", "create table as: name=t if not exists values (#1)"},
      {"CREATE MATERIALIZED VIEW v USING sorted_cube WITH (a = 1, b = 'x', c = foo, d, e = 1.5) AS SELECT 1",
       "create view: name=v method=sorted_cube data a=(1) b=(x) c=(foo) d=() e=(1.5) select #1"},
      {"CREATE INDEX ON t (a)", "create index: table=t (a)"},
      {"CREATE INDEX IF NOT EXISTS i ON t USING cgrx (a, \"B\") WITH (bucket_size = 16)",
       "create index: name=i table=t method=cgrx if not exists (a,B) bucket_size=(16)"},
      {"CREATE INDEX i ON t USING btree (a)", "create index: name=i table=t method=btree (a)"},
      {"ALTER TABLE t ADD a numeric(5, 2) DEFAULT -1, DROP COLUMN IF EXISTS \"B\", ADD COLUMN IF NOT EXISTS c date",
       "alter table: name=t add a numeric:5:2 = [-](#1) '-1' drop if B add if c date"},
      {"ALTER TABLE IF EXISTS t RENAME TO u", "alter table: name=t if exists rename  to u"},
      {"ALTER TABLE t RENAME a TO \"B\"", "alter table: name=t rename a to B"},
      {"DROP TABLE IF EXISTS a, \"B\"", "drop: object=table if exists (a,B)"},
      {"DROP INDEX i", "drop: object=index (i)"},
      {"CREATE VIEW v (a, \"B\") AS SELECT 1, 2", "define view: name=v (a,B) select #1, #2"},
      {"CREATE OR REPLACE VIEW v AS SELECT 1", "define view: name=v replaces select #1"},
      {"DROP VIEW IF EXISTS v", "drop: object=view if exists (v)"},
      {"DROP MATERIALIZED VIEW v", "drop: object=materialized view (v)"},
      {"INSERT INTO t (a, b) VALUES (1, 'x'), (2, NULL)", "insert: name=t (a,b) values (#1, 'x') (#2, NULL)"},
      {"UPDATE t AS u SET a = 1, b = DEFAULT WHERE c",
       "update: name=t (a,b) #1, [default]() select  from t as u where c"},
      {"DELETE FROM t WHERE c", "delete: name=t select  from t where c"},
      {"TRUNCATE t", "delete: name=t select  from t"},
      {"INSERT INTO t AS u VALUES (1) RETURNING *, u.a AS b", "insert: name=t values (#1) returning *, u.a as b"},
      {"UPDATE t SET a = 1 FROM u, v JOIN w ON x WHERE c RETURNING a",
       "update: name=t (a) #1 select  from t, u, (v inner w on x) where c returning a"},
      {"DELETE FROM t USING u AS x WHERE c RETURNING x.*",
       "delete: name=t select  from t, u as x where c returning x.*"},
      {"SELECT a INTO b FROM t", "create table as: name=b data select a from t"},
      {"INSERT INTO t WITH a AS (SELECT 1) SELECT * FROM a", "insert: name=t with a{select #1} select * from a"},
      {"COPY t (a, b) FROM 'x.csv' CSV HEADER DELIMITER ';' NULL ''",
       "copy: name=t path=x.csv from (a,b) format=(csv) header=(true) delimiter=(;) null=()"},
      {"COPY t TO STDOUT (FORMAT csv, HEADER, FORCE_QUOTE (a, b), n 5)",
       "copy: name=t format=(csv) header=() force_quote=(a,b) n=(5)"},
      {"COPY (SELECT 1) TO 'x.parquet' WITH (FORMAT parquet)", "copy: path=x.parquet format=(parquet) select #1"},
      {"COPY t FROM STDIN", "copy: name=t from"},
      {"PREPARE p AS SELECT $1 + $3", "prepare: name=p select [+]($1, $3) /3 /3"},
      {"PREPARE p (int, numeric(3, 2)) AS SELECT $1, $3", "prepare: name=p select <int4>($1), $3 /3 /3"},
      {"EXECUTE p (1, 'x', -2)", "execute: name=p #1, 'x', [-](#2)"},
      {"EXECUTE p", "execute: name=p"},
      {"DEALLOCATE p", "deallocate: name=p"},
      {"DEALLOCATE PREPARE ALL", "deallocate:"},
      {"SET device = gpu", "set: name=device value=gpu"},
      {"SET threads TO 4", "set: name=threads value=4"},
      {"SET memory_limit TO '8 GB'", "set: name=memory_limit value=8 GB"},
      {"SET a.b TO -1.5", "set: name=a.b value=-1.5"},
      {"SET device TO DEFAULT", "set: name=device"},
      {"RESET device", "set: name=device"},
      {"RESET ALL", "set: name=all"},
      {"SHOW device", "show: name=device"},
      {"SHOW ALL", "show: name=all"},
      {"ANALYZE", "analyze:"},
      {"ANALYZE \"T\"", "analyze: name=T"},
  };
  check(examples, RDX_COUNT(examples));
}

static void test_declarations(void **state) {
  (void)state;
  static const example examples[] = {
      {"ALTER TABLE t ALTER a SET DEFAULT (1, 2) = (3, 4), ALTER b DROP DEFAULT, ALTER c SET NOT NULL, ALTER d DROP "
       "NOT "
       "NULL, ALTER \"set\" SET DEFAULT 'a, b' || $$)$$",
       "alter table: name=t default a = [and]([=](#1, #3), [=](#2, #4)) '(1, 2) = (3, 4)' default b set not null c "
       "drop not null d default set = [||]('a, b', ')') ''a, b' || $$)$$'"},
      {"CREATE TABLE t (a int DEFAULT NULL NOT NULL, b text DEFAULT (1 + 2) * 3 NULL, c date DEFAULT "
       "'x'::date -- y\n"
       ", d bool DEFAULT 1 IS NOT DISTINCT FROM 2 NOT NULL)",
       "create table: name=t a int4 not null = NULL 'NULL' b text null = [*]([+](#1, #2), #3) '(1 + 2) * 3' c date = "
       "<date>('x') ''x'::date' d bool not null = [is not distinct from](#1, #2) '1 IS NOT DISTINCT FROM 2'"},
      {"INSERT INTO t VALUES (DEFAULT, 1), (2, DEFAULT)", "insert: name=t values ([default](), #1) (#2, [default]())"},
      {"INSERT INTO t DEFAULT VALUES", "insert: name=t values ([default]())"},
  };
  check(examples, RDX_COUNT(examples));
}

static const struct refusal {
  const char *text, *caret, *message;
} refusals[] = {
    {"UPDATE t SET (a, b) = (SELECT 1, 2 ORDER BY 1)", "              ^", "(columns) = takes (values), or a query"},
    {"INSERT INTO t VALUES (1) ON CONFLICT (lower(a)) DO NOTHING", "                         ^",
     "indexes of expressions"},
    {"WITH x AS (DELETE FROM t RETURNING a) SELECT a FROM x", "     ^", "WITH takes queries only"},
    {"TRUNCATE t, u", "^", "TRUNCATE takes one table"},
    {"CREATE VIEW v AS SELECT 1 WITH LOCAL CHECK OPTION", "            ^", "WITH CHECK OPTION is not supported"},
    {"ALTER TABLE t ALTER a TYPE text", "^", "ALTER TABLE renames, adds and drops"},
    {"ALTER TABLE t VALIDATE CONSTRAINT a", "^", "ALTER TABLE renames, adds and drops"},
    {"ALTER TABLE t ADD a int UNIQUE DEFERRABLE", "                               ^", "DEFERRABLE is not supported"},
    {"ALTER TABLE t ADD UNIQUE (a) DEFERRABLE", "                  ^", "DEFERRABLE is not supported"},
    {"ALTER TABLE t ADD UNIQUE USING INDEX i", "                  ^", "USING INDEX is not supported"},
    {"ALTER TABLE t ADD CHECK (a > 1) NOT VALID", "                  ^", "NOT VALID is not supported"},
    {"ALTER TABLE t ADD CHECK (a > 1) NO INHERIT", "                  ^", "NO INHERIT is not supported"},
    {"ALTER TABLE t ADD FOREIGN KEY (a) REFERENCES u", "                  ^", "REFERENCES and FOREIGN KEY are not"},
    {"ALTER TABLE t DROP CONSTRAINT a CASCADE", "^", "CASCADE is not supported"},
    {"ALTER TABLE t DROP a CASCADE", "^", "CASCADE is not supported"},
    {"ALTER INDEX i RENAME TO j", "^", "ALTER INDEX is not supported"},
    {"ALTER VIEW v RENAME TO w", "^", "ALTER VIEW is not supported"},
    {"ALTER SCHEMA s RENAME TO t", "^", "ALTER SCHEMA is not supported"},
    {"BEGIN", "^", "BEGIN is not supported"},
    {"VACUUM t", "^", "VACUUM is not supported"},
    {"DROP SCHEMA s", "^", "DROP SCHEMA is not supported"},
    {"DROP TABLE t CASCADE", "^", "CASCADE is not supported"},
    {"SELECT sum(VARIADIC a)", "       ^", "VARIADIC is not supported"},
    {"SELECT * FROM f(1)", "              ^", "of functions in FROM there are generate_series,"},
    {"SELECT * FROM ROWS FROM (generate_series(1, 2))", "                         ^", "ROWS FROM is not supported"},
    {"SELECT a FROM t FOR UPDATE", "       ^", "FOR UPDATE and FOR SHARE are not supported"},
    {"SELECT 1 UNION SELECT a INTO b FROM t", "                      ^", "SELECT INTO cannot stand here"},
    {"SELECT FROM t", "^", "SELECT without columns is not supported"},
    {"SELECT a FROM s.t", "              ^", "schemas are not supported"},
    {"SELECT a.b.c", "       ^", "schemas are not supported"},
    {"SELECT a COLLATE \"de_DE\"", "         ^", "collations are not supported"},
    {"SELECT ARRAY[1]", "       ^", "arrays are not supported"},
    {"SELECT 1, b[1]", "          ^", "parts of arrays and of rows are not supported"},
    {"SELECT a = ANY ('{{1}}')", "         ^", "ANY and ALL take a subquery, ARRAY[...]"},
    {"SELECT a = ANY ($1)", "         ^", "ANY and ALL take a subquery, ARRAY[...]"},
    {"SELECT (a, b) = 1", "              ^", "rows are compared with rows only"},
    {"SELECT (a, b) + (1, 2)", "              ^", "rows are compared with rows only"},
    {"SELECT f(a => 1)", "         ^", "arguments by name are not supported"},
    {"SELECT current_user", "       ^", "this value is not supported"},
    {"SELECT B'101'", "       ^", "bit strings are not supported"},
    {"SELECT a::int[]", "          ^", "arrays, sets and types of columns are not supported"},
    {"SELECT * FROM ONLY t", "                   ^", "ONLY is not supported"},
    {"SELECT * FROM (a CROSS JOIN b) AS c", "                            ^", "an alias of a join is not supported"},
    {"VALUES (1), (DEFAULT)", "             ^", "DEFAULT is not allowed in this context"},
    {"INSERT INTO t VALUES (1) ON CONFLICT (a) WHERE a > 1 DO NOTHING", "                         ^",
     "WHERE of a key is not supported"},
    {"INSERT INTO t VALUES (1 + DEFAULT)", "                          ^", "DEFAULT is not allowed in this context"},
    {"INSERT INTO t SELECT * FROM (VALUES (DEFAULT)) v", "                                     ^",
     "DEFAULT is not allowed"},
    {"CREATE TABLE t (a int REFERENCES u)", "                      ^", "REFERENCES and FOREIGN KEY are not supported"},
    {"CREATE TABLE t (a int, UNIQUE NULLS NOT DISTINCT (a))", "                       ^", "NULLS NOT DISTINCT is not"},
    {"CREATE TABLE t (a int, UNIQUE (a) INCLUDE (b))", "                       ^", "a key has columns only"},
    {"CREATE TABLE t (a int, EXCLUDE (a WITH =))", "                       ^", "EXCLUDE is not supported"},
    {"CREATE TEMP TABLE t (a int) ON COMMIT DROP", "                  ^",
     "ON COMMIT is not supported, except PRESERVE"},
    {"CREATE TEMP TABLE t ON COMMIT DELETE ROWS AS SELECT 1", "                  ^", "ON COMMIT is not supported"},
    {"CREATE UNLOGGED TABLE t (a int)", "                      ^", "UNLOGGED is not supported"},
    {"CREATE TEMP VIEW v AS SELECT 1", "                 ^", "only a table that is created can be TEMPORARY"},
    {"CREATE UNIQUE INDEX ON t (a)", "                       ^", "UNIQUE indexes are not supported"},
    {"CREATE INDEX ON t (lower(a))", "                ^", "indexes of expressions are not supported"},
    {"CREATE INDEX ON t (a DESC)", "                ^", "orders of an index's columns are not supported"},
    {"CREATE INDEX ON t (a) WHERE b", "                ^", "indexes of a part of a table are not supported"},
    {"EXPLAIN (COSTS off) SELECT 1", "         ^", "EXPLAIN has no option costs off"},
    {"COPY t FROM PROGRAM 'x'", "^", "COPY with a PROGRAM is not supported"},
    {"SET LOCAL a TO 1", "^", "SET LOCAL is not supported"},
    {"ANALYZE a, b", "^", "ANALYZE takes one table"},
};

/* Each is refused, with what follows, and a caret under the byte where `^` stands in the second text. */
static void test_refusals(void **state) {
  (void)state;
  for (size_t i = 0; i < RDX_COUNT(refusals); i++) {
    const struct refusal *r = &refusals[i];
    char expected[2][512];
    parsed(r->text);
    snprintf(expected[0], sizeof expected[0], "not supported: %s", r->message);
    snprintf(expected[1], sizeof expected[1], "\nLINE 1: %s\n        %s", r->text, r->caret);
    if (strncmp(scratch, expected[0], strlen(expected[0])) != 0 || !strstr(scratch, expected[1]))
      fail_msg("%s\n%s\n", r->text, scratch);
    const char *behind = strstr(scratch, expected[1]) + strlen(expected[1]);
    assert_true(*behind == '\0' || *behind == '\n');
  }
}

static void test_errors(void **state) {
  (void)state;
  static const example examples[] = {
      {"SELECT a FORM t x", "malformed input: syntax error at or near \"t\"\n"
                            "LINE 1: SELECT a FORM t x\n"
                            "                      ^"},
      {"SELECT 'äöü', b FORM t x", "malformed input: syntax error at or near \"t\"\n"
                                   "LINE 1: SELECT 'äöü', b FORM t x\n"
                                   "                             ^"},
      {"\n\nSELECT a,\n\t'é€𝄞' x y\nFROM t", "malformed input: syntax error at or near \"y\"\n"
                                             "LINE 2:  'é€𝄞' x y\n"
                                             "                 ^"},
      {"SELECT (1", "malformed input: syntax error at end of input\n"
                    "LINE 1: SELECT (1\n"
                    "                 ^"},
      {"SELECT 'abc", "malformed input: unterminated quoted string at or near \"'abc\"\n"
                      "LINE 1: SELECT 'abc\n"
                      "               ^"},
      {"VALUES (1, 2), (3)", "malformed input: VALUES has rows of 2 and of 1 columns\n"
                             "LINE 1: VALUES (1, 2), (3)\n"
                             "                        ^"},
      {"SELECT $0", "malformed input: there is no parameter $0\n"
                    "LINE 1: SELECT $0\n"
                    "               ^"},
      {"SELECT a FROM data.csv", "not supported: schemas are not supported, except public, which all tables are in\n"
                                 "LINE 1: SELECT a FROM data.csv\n"
                                 "                      ^\n"
                                 "HINT: the name of a file stands in quotes: FROM 'file.csv'"},
      {"SELECT a " LONG "x " LONG "y",
       "malformed input: syntax error at or near \"aaaaaaaaaabbbbbbbbbbccccccccccddddddddddeeeeeeeeeeffffffffff...\"\n"
       "LINE 1: ...ccccccccddddddddddeeeeeeeeeeffffffffffgggggggggghhhhhhhhhhx aaaaaaaaaabbbbbbbbbbcccccccccc...\n"
       "                                                                       ^"},
  };
  check(examples, RDX_COUNT(examples));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_expressions), cmocka_unit_test(test_queries),      cmocka_unit_test(test_names),
      cmocka_unit_test(test_statements),  cmocka_unit_test(test_declarations), cmocka_unit_test(test_refusals),
      cmocka_unit_test(test_errors),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
