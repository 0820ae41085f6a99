/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* Texts of several statements, deep and long ones, the queries of benchmarks, and the form of errors. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sql/statement.h"
#include "ssb/ssb.h"
#include "tests/unit/statement_text.h"
#include "tpch/tpch.h"

static char scratch[1 << 16];

/* ---- Several statements ---- */

/* The statements of a text, each behind a bar; an error is "!". */
static const char *split(const char *text) {
  size_t used = 0;
  scratch[0] = '\0';
  while (*text) {
    rdx_arena arena = {0};
    rdx_error err = {""};
    rdx_sql_statement *statement = NULL;
    const char *next = NULL;
    const rdx_status status = rdx_sql_parse(text, &arena, &statement, &next, &err);
    assert_true(next > text);
    used += (size_t)snprintf(scratch + used, sizeof scratch - used, "|");
    if (status != RDX_OK)
      used += (size_t)snprintf(scratch + used, sizeof scratch - used, "!");
    else if (statement)
      used += strlen(statement_text(statement, scratch + used, sizeof scratch - used));
    rdx_arena_free(&arena);
    text = next;
  }
  return scratch;
}

static void test_several(void **state) {
  (void)state;
  assert_string_equal(split(""), "");
  assert_string_equal(split(" \n\t"), "|");
  assert_string_equal(split(" -- a;b\n /* c; /* d; */ ; */ ;; "), "|");
  assert_string_equal(split("SELECT 1"), "|select #1");
  assert_string_equal(split("SELECT 1; -- more\n"), "|select #1");
  assert_string_equal(split(";SELECT 1;;\nSELECT 2 ; "), "|select #1|select #2");
  assert_string_equal(split("SELECT ';', \";\" ; SELECT $$;$$, $a$;$$;$a$; SELECT E'\\';', U&';', 2"),
                      "|select ';', ;|select ';', ';$$;'|select '';', ';', #2");
  assert_string_equal(split("SELECT 'a''; b' -- ;'\n; SELECT 3 /* ; ' */;SELECT 'c'\n'd;'; SELECT E'e'\n'\\';'"),
                      "|select 'a'; b'|select #3|select 'cd;'|select 'e';'");
  assert_string_equal(split("SELECT 1; SELEC 2; SELECT (3; SELECT 4"), "|select #1|!|!|select #4");
  assert_string_equal(split("SELECT a$b$ FROM t; SELECT $1;"), "|select a$b$ from t|select $1 /1");
  assert_string_equal(split("SELECT 1; SELECT 'x"), "|select #1|!");
  assert_string_equal(split("SELECT 1; SELECT 2 /* /* */"), "|select #1|!");
  assert_string_equal(split("SELECT 1 /*/ ; */ + /**/ 2 -- ;\r - 3"), "|select [-]([+](#1, #2), #3)");
}

/* Places are those of the text that is given, from its first byte. */
static void test_places(void **state) {
  (void)state;
  static const char text[] = "  /* é */ SELECT é, b + 1 FROM t; SELECT 2";
  rdx_arena arena = {0};
  rdx_error err = {""};
  rdx_sql_statement *s = NULL;
  const char *next = NULL;
  assert_int_equal(rdx_sql_parse(text, &arena, &s, &next, &err), RDX_OK);
  assert_string_equal(next, "SELECT 2");
  assert_int_equal(s->place, strstr(text, "SELECT") - text + 1);
  assert_int_equal(s->query->targets[0].value->place, strstr(text, "é, b") - text + 1);
  assert_int_equal(s->query->targets[1].value->place, strstr(text, "+") - text + 1);
  assert_int_equal(s->query->targets[1].value->args[0]->place, strstr(text, "b +") - text + 1);
  assert_int_equal(s->query->from[0]->place, strstr(text, "t;") - text + 1);
  rdx_arena_free(&arena);
}

/* ---- Deep and long ---- */

static char *repeat(char *to, const char *what, uint32_t count) {
  const size_t length = strlen(what);
  for (uint32_t i = 0; i < count; i++, to += length)
    memcpy(to, what, length);
  *to = '\0';
  return to;
}

typedef struct nest {
  const char *head, *open, *middle, *close, *tail;
} nest;

/* head (open...) middle (close...) tail */
static rdx_status parse_nest(const nest *n, uint32_t levels, rdx_error *err) {
  const size_t size = strlen(n->head) + strlen(n->middle) + strlen(n->tail) + 1;
  char *text = malloc(size + (strlen(n->open) + strlen(n->close)) * levels);
  assert_non_null(text);
  char *to = repeat(text, n->head, 1);
  to = repeat(to, n->open, levels);
  to = repeat(to, n->middle, 1);
  to = repeat(to, n->close, levels);
  repeat(to, n->tail, 1);
  rdx_arena arena = {0};
  rdx_sql_statement *statement = NULL;
  const char *next = NULL;
  const rdx_status status = rdx_sql_parse(text, &arena, &statement, &next, err);
  assert_true((status == RDX_OK) == (statement != NULL));
  assert_string_equal(next, "");
  rdx_arena_free(&arena);
  free(text);
  return status;
}

static const nest nests[] = {
    {"SELECT ", "(", "1", ")", ""},
    {"SELECT ", "1 + ", "1", "", ""},
    {"SELECT ", "- ", "a", "", ""},
    {"SELECT ", "NOT ", "a", "", ""},
    {"SELECT ", "a AND (", "b", ")", ""},
    {"SELECT ", "a AND (b OR ", "c", ")", ""},
    {"SELECT 1 ", "", "", "::int", ""},
    {"SELECT 1 ", "", "", "::numeric(3, 2)", ""},
    {"SELECT ", "CASE WHEN a THEN 1 ELSE ", "2", " END", ""},
    {"SELECT ", "CASE WHEN ", "a", " THEN 1 END", ""},
    {"SELECT ", "CASE ", "a", " WHEN 1 THEN 2 END", ""},
    {"SELECT 1 ", "", "", "UNION SELECT 2 ", ""},
    {"SELECT a, b FROM t ", "", "", "UNION ALL SELECT a, b FROM t WHERE c AND d ", ""},
    {"", "(SELECT 1 UNION ", "SELECT 2", ")", ""},
    {"SELECT 1 FROM a ", "", "", "JOIN b ON a.x = b.x AND a.y = b.y ", ""},
    {"SELECT 1 FROM ", "a JOIN ", "b", " ON x", ""},
    {"SELECT 1 FROM ", "(SELECT * FROM ", "t", ") q", ""},
    {"SELECT ", "(SELECT ", "1", ")", ""},
    {"SELECT 1 WHERE ", "EXISTS (SELECT 1 WHERE ", "a", ")", ""},
    {"SELECT 1 WHERE ", "a IN (SELECT 1 WHERE ", "b", ")", ""},
    {"SELECT ", "f(a, ", "b", ")", ""},
    {"SELECT ", "coalesce(a, ", "b", ")", ""},
    {"SELECT ", "(", "a", " IS NULL)", ""},
    {"SELECT ", "a BETWEEN 1 AND NOT ", "b", "", ""},
    {"WITH x AS (", "WITH x AS (", "SELECT 1", ") SELECT 2", ") SELECT 3"},
    {"SELECT 1 GROUP BY ", "GROUPING SETS (a, ", "b", ")", ""},
    {"SELECT ", "trim(BOTH FROM ", "a", ")", ""},
};

/* A thousand levels of everything are taken in; ten thousand and a million are taken in or refused. */
static void test_deep(void **state) {
  (void)state;
  rdx_error err = {""};
  for (size_t i = 0; i < RDX_COUNT(nests); i++) {
    if (parse_nest(&nests[i], 1000, &err) != RDX_OK)
      fail_msg("%s: %s", nests[i].open, err.text);
    const rdx_status deep = parse_nest(&nests[i], 10000, &err);
    assert_true(deep == RDX_OK || deep == RDX_ERROR_UNSUPPORTED);
    const rdx_status deepest = parse_nest(&nests[i], 1000000, &err);
    assert_true(deepest == RDX_OK || deepest == RDX_ERROR_UNSUPPORTED);
  }
}

/* Chains within chains: 140 parentheses, each with 70 additions behind it. */
static void test_chains(void **state) {
  (void)state;
  rdx_error err = {""};
  char chain[150] = ")";
  repeat(chain + 1, "+1", 70);
  assert_int_equal(parse_nest(&(nest){"SELECT ", "(", "1", chain, ""}, 140, &err), RDX_ERROR_UNSUPPORTED);
  assert_non_null(strstr(err.text, "nested too deeply"));
  assert_int_equal(parse_nest(&(nest){"SELECT ", "(", "1", chain, ""}, 14, &err), RDX_OK);
  /* CASE x has x in each of its comparisons, so that trees of these grow by doubling. */
  const nest doubling = {"SELECT ", "CASE ", "a", " WHEN 1 THEN 2 WHEN 3 THEN 4 END", ""};
  assert_int_equal(parse_nest(&doubling, 10, &err), RDX_OK);
  assert_int_equal(parse_nest(&doubling, 100, &err), RDX_ERROR_UNSUPPORTED);
}

/* What the parser would take a time for that grows with the square. */
static void test_slow(void **state) {
  (void)state;
  rdx_error err = {""};
  assert_int_equal(parse_nest(&(nest){"SELECT ", "+-", "1", "", ""}, 100000, &err), RDX_ERROR_FORMAT);
  assert_int_equal(parse_nest(&(nest){"SELECT ", "(+", "1", ")", ""}, 1000, &err), RDX_OK);
  assert_int_equal(parse_nest(&(nest){"SELECT 1", "/*", " ", "*/", ""}, 1000000, &err), RDX_OK);
  assert_int_equal(parse_nest(&(nest){"SELECT 1", "/*", " ", "", ""}, 1000000, &err), RDX_ERROR_FORMAT);
}

static void test_long(void **state) {
  (void)state;
  rdx_error err = {""};
  static const nest lists[] = {
      {"SELECT 1 WHERE ", "a = 1 OR ", "a = 2", "", ""},
      {"SELECT 1 WHERE ", "a = 1 AND ", "a = 2", "", ""},
      {"SELECT a IN (", "1, ", "2", "", ")"},
      {"VALUES ", "(1, 'x'), ", "(2, 'y')", "", ""},
      {"SELECT ", "a + 1 AS b, ", "c", "", " FROM t"},
      {"SELECT CASE ", "WHEN a = 1 THEN 'b' ", "", "", "END"},
      {"SELECT 1 FROM ", "t, ", "u", "", ""},
      {"INSERT INTO t VALUES ", "(1, 2), ", "(3, 4)", "", ""},
      {"CREATE TABLE t (", "a int, ", "b text", "", ")"},
      {"SELECT 1 ORDER BY ", "a DESC, ", "b", "", ""},
      {"SELECT '", "x", "", "", "'"},
      {"SELECT 1 --", " comment", "", "", ""},
      {"SELECT ", " ", "1", "", ""},
      {"SELECT /*", "/*", "", "*/", "*/ 1"},
  };
  for (size_t i = 0; i < RDX_COUNT(lists); i++)
    if (parse_nest(&lists[i], 100000, &err) != RDX_OK)
      fail_msg("%s: %s", lists[i].open, err.text);
}

/* ---- Memory ---- */

static uint64_t allocations_left;

static void *allocate(void *user, size_t size) {
  (void)user;
  return allocations_left-- > 0 ? malloc(size) : NULL;
}

static void *reallocate(void *user, void *old, size_t size) {
  (void)user;
  return allocations_left-- > 0 ? realloc(old, size) : NULL;
}

static void release(void *user, void *memory) {
  (void)user;
  free(memory);
}

/* Whichever allocation fails, the status says so, and nothing is left behind. */
static void test_memory(void **state) {
  (void)state;
  const rdx_allocator failing = {allocate, reallocate, release, NULL};
  static const char text[] =
      "PREPARE p (int) AS WITH a (b) AS (VALUES (1)) SELECT b, count(*), $1 + 2 FROM a JOIN t ON x "
      "IN (1, 2, 3) GROUP BY ROLLUP (b) HAVING EXISTS (SELECT 1) ORDER BY 1";
  rdx_status status = RDX_ERROR_MEMORY;
  for (uint64_t n = 0; status != RDX_OK; n++) {
    rdx_arena arena = {0};
    rdx_error err = {""};
    rdx_sql_statement *statement = NULL;
    const char *next = NULL;
    rdx_set_allocator(&failing);
    allocations_left = n;
    status = rdx_sql_parse(text, &arena, &statement, &next, &err);
    rdx_arena_free(&arena);
    rdx_set_allocator(NULL);
    assert_true(status == RDX_OK || status == RDX_ERROR_MEMORY);
    assert_true((status == RDX_OK) == (err.text[0] == '\0'));
    assert_true(n < 1000);
  }
}

/* ---- Queries of benchmarks ---- */

static bool is_keyword(const char *word) {
  static const char *const words[] = {
      "all",   "and",    "as",        "asc",    "between", "by",    "case", "date",  "day",    "desc", "distinct",
      "else",  "end",    "escape",    "exists", "extract", "for",   "from", "group", "having", "in",   "interval",
      "is",    "join",   "left",      "like",   "limit",   "month", "not",  "null",  "on",     "or",   "order",
      "outer", "select", "substring", "then",   "when",    "where", "with", "year"};
  for (size_t i = 0; i < RDX_COUNT(words); i++)
    if (strcmp(words[i], word) == 0)
      return true;
  return false;
}

/* Nothing of a query is lost: the tree has all words of its text that are no keywords. */
static void check_query(const char *query) {
  assert_null(strchr(split(query), '!'));
  for (const char *at = query; *at;) {
    char word[100] = "";
    size_t length = 0;
    for (; isalnum((unsigned char)*at) || *at == '_'; at++)
      word[length++] = (char)tolower((unsigned char)*at);
    if (length == 0)
      at++;
    else if (!is_keyword(word) && !strcasestr(scratch, word))
      fail_msg("%s is lost in\n%s", word, scratch);
  }
}

static void test_benchmarks(void **state) {
  (void)state;
  for (uint32_t i = 0; i < TPCH_QUERIES; i++)
    check_query(tpch_queries[i]);
  for (uint32_t i = 0; i < SSB_QUERIES; i++) {
    check_query(ssb_queries[i].star);
    check_query(ssb_queries[i].flat);
  }
}

/* ---- Errors ---- */

static void test_error_form(void **state) {
  (void)state;
  rdx_error err;
  static const char text[] = "\n SELECT a,\n\tb FROM \"c\xff\x01\"";
  assert_int_equal(rdx_sql_error(&err, RDX_ERROR_RANGE, text, 14, "there is \"c\"", "no column \"%s\"", "b\n"),
                   RDX_ERROR_RANGE);
  assert_string_equal(err.text, "no column \"b\\n\"\nLINE 2:  b FROM \"c??\"\n         ^\nHINT: there is \"c\"");
  rdx_sql_error(&err, RDX_ERROR_RANGE, text, sizeof text - 1, NULL, "x");
  assert_string_equal(err.text, "x\nLINE 2:  b FROM \"c??\"\n                    ^");
  rdx_sql_error(&err, RDX_ERROR_RANGE, text, 0, "", "no place");
  assert_string_equal(err.text, "no place");
  rdx_sql_error(&err, RDX_ERROR_RANGE, NULL, 5, NULL, "no text");
  assert_string_equal(err.text, "no text");
  assert_int_equal(rdx_sql_error(NULL, RDX_ERROR_IO, text, 1, NULL, "x"), RDX_ERROR_IO);
}

/* Everything long is cut, and what is left has its form. */
static void test_error_scratch(void **state) {
  (void)state;
  static char line[100001], message[2001];
  memset(message, 'm', sizeof message - 1);
  for (int kind = 0; kind < 3; kind++) {
    static const char *const pieces[] = {"x", "é", "\xff"};
    repeat(line, pieces[kind], (uint32_t)(100000 / strlen(pieces[kind])));
    for (uint32_t place = 1; place < 100000; place += 1 + place / 3) {
      rdx_error err;
      rdx_sql_error(&err, RDX_ERROR_FORMAT, line, place, message, "%s", message);
      assert_true(strlen(err.text) < sizeof err.text);
      assert_non_null(strstr(err.text, "\nLINE 1: "));
      assert_non_null(strstr(err.text, "^\nHINT: mmm"));
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_several),       cmocka_unit_test(test_places),     cmocka_unit_test(test_deep),
      cmocka_unit_test(test_chains),        cmocka_unit_test(test_slow),       cmocka_unit_test(test_long),
      cmocka_unit_test(test_memory),        cmocka_unit_test(test_benchmarks), cmocka_unit_test(test_error_form),
      cmocka_unit_test(test_error_scratch),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
