/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* What to do instead of what is refused. */

#include <string.h>

#include "sql/tree.h"

const char *rdx_refusal_hint(const char *what) {
  static const struct {
    const char *begin, *hint;
  } hints[] = {
      {"BEGIN", "each statement is a transaction by itself: leave it out"},
      {"START TRANSACTION", "each statement is a transaction by itself: leave it out"},
      {"COMMIT", "each statement is a transaction by itself: leave it out"},
      {"END", "each statement is a transaction by itself: leave it out"},
      {"ROLLBACK", "what a statement has done stays; CREATE TABLE copy AS TABLE t keeps what was there"},
      {"SAVEPOINT", "what a statement has done stays; CREATE TABLE copy AS TABLE t keeps what was there"},
      {"VACUUM", "tables have no dead rows: leave it out"},
      {"REINDEX", "indexes follow their tables: leave it out"},
      {"CLUSTER", "CREATE TABLE t2 AS SELECT * FROM t ORDER BY a keeps an order"},
      {"REFRESH MATERIALIZED", "materialized views follow their tables: leave it out"},
      {"LOCK", "changes of a table take turns: leave it out"},
      {"DECLARE", "LIMIT and OFFSET take parts of an answer"},
      {"FETCH", "LIMIT and OFFSET take parts of an answer"},
      {"CREATE SEQUENCE", "row_number() OVER (ORDER BY x) numbers rows"},
      {"CREATE SCHEMA", "a folder is a database: raydex FOLDER"},
      {"CREATE DATABASE", "a folder is a database: raydex FOLDER"},
      {"CREATE TYPE", "write text, with CHECK (column IN ('a', 'b'))"},
      {"CREATE DOMAIN", "write the type, with CHECK (condition)"},
      {"CREATE FUNCTION", "CREATE VIEW and PREPARE give queries names"},
      {"CREATE OR REPLACE FUNCTION", "CREATE VIEW and PREPARE give queries names"},
      {"CREATE TRIGGER", "constraints and DEFAULT are checked and set with each change"},
      {"GRANT", "who may read and write the files may read and change the tables"},
      {"REVOKE", "who may read and write the files may read and change the tables"},
      {"COMMENT", "write -- comments into a file of statements"},
      {"LIKE is not supported in CREATE", "write CREATE TABLE t2 AS SELECT * FROM t LIMIT 0"},
      {"WITH takes queries only",
       "run the statement before, or write WITH before it: WITH x AS (SELECT ...) DELETE ..."},
      {"ONLY is not supported", "no table has others below it: leave it out"},
      {"arrays are not supported",
       "string_agg(x::text, ',') joins values, unnest(ARRAY[...]) in FROM has rows of them"},
      {"parts of arrays and of rows",
       "split_part(t, ',', n) gives a part, substring(t FROM 'a(b*)') a match, DISTINCT ON a first row"},
      {"orders of an index's columns", "an index serves ranges in either order: write the columns alone"},
      {"indexes of a part of a table", "write the index without WHERE"},
      {"an alias of a join", "put the join in a subquery: (SELECT * FROM a JOIN b ...) AS j"},
      {"GROUP BY DISTINCT", "name each set once: GROUP BY GROUPING SETS ((a, b), (a), ())"},
      {"arguments by name", "write the arguments in their order"},
  };
  for (size_t i = 0; i < RDX_COUNT(hints); i++)
    if (strncmp(what, hints[i].begin, strlen(hints[i].begin)) == 0)
      return hints[i].hint;
  return NULL;
}
