/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* Regular expressions, against a reference that follows the definition: a part of a pattern is a set of ends for each
 * begin. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "base/base.h"
#include "expression/regex.h"
#include "expression/regex_tree.h"
#include "random.h"

#define LONGEST 9 /* of a text */

/* A pattern, and what it matches of the text at hand: bit e of ends[b], where it takes bytes b to e. */
typedef struct pattern {
  char text[400];
  uint32_t ends[LONGEST + 1];
} pattern;

static char text[LONGEST + 1];
static uint32_t length;

static uint32_t pick(uint32_t count) {
  return (uint32_t)(next_random() >> 20) % count;
}

static void join(const pattern *a, const pattern *b, pattern *out) {
  memset(out->ends, 0, sizeof out->ends);
  for (uint32_t from = 0; from <= length; from++)
    for (uint32_t middle = from; middle <= length; middle++)
      if (a->ends[from] >> middle & 1)
        out->ends[from] |= b->ends[middle];
}

static void make_character(pattern *out) {
  static const char *const choices[] = {"a", "b", "c", ".", "[ab]", "[^a]", "[b-c]", "\\w", "^", "$"};
  static const char *const taken[] = {"a", "b", "c", "abc", "ab", "bc", "bc", "abc", "", ""};
  const uint32_t which = pick(RDX_COUNT(choices));
  snprintf(out->text, sizeof out->text, "%s", choices[which]);
  for (uint32_t from = 0; from <= length; from++) {
    out->ends[from] = from < length && strchr(taken[which], text[from]) ? 2u << from : 0;
    if (which >= 8)
      out->ends[from] = from == (which == 8 ? 0 : length) ? 1u << from : 0;
  }
}

static void make(uint32_t levels, pattern *out);

/* x*, x+, x?, x{least,most}, some of them lazy, which changes no ends. */
static void make_repeated(uint32_t levels, pattern *out) {
  static const char *const counts[] = {"*", "+", "?", "{2}", "{1,2}", "{0,2}", "{2,}", "*?", "+?"};
  static const uint32_t min[] = {0, 1, 0, 2, 1, 0, 2, 0, 1}, max[] = {20, 20, 1, 2, 2, 2, 20, 20, 20};
  const uint32_t which = pick(RDX_COUNT(counts));
  pattern x, power;
  make(levels - 1, &x);
  memset(out->ends, 0, sizeof out->ends);
  for (uint32_t from = 0; from <= length; from++)
    power.ends[from] = 1u << from;
  for (uint32_t i = 0; i <= max[which]; i++) {
    pattern next;
    for (uint32_t from = 0; i >= min[which] && from <= length; from++)
      out->ends[from] |= power.ends[from];
    join(&power, &x, &next);
    memcpy(power.ends, next.ends, sizeof power.ends);
  }
  snprintf(out->text, sizeof out->text, "(%.300s)%s", x.text, counts[which]);
}

static void make(uint32_t levels, pattern *out) {
  const uint32_t kind = levels > 0 ? pick(4) : 0;
  pattern a, b;
  if (kind == 0) {
    make_character(out);
    return;
  }
  if (kind == 1) {
    make_repeated(levels, out);
    return;
  }
  make(levels - 1, &a);
  make(levels - 1, &b);
  join(&a, &b, out);
  for (uint32_t from = 0; kind == 3 && from <= length; from++)
    out->ends[from] = a.ends[from] | b.ends[from];
  snprintf(out->text, sizeof out->text, kind == 3 ? "(?:%.180s|%.180s)" : "%.180s%.180s", a.text, b.text);
}

static void check(const pattern *p) {
  rdx_arena arena = {0};
  rdx_regex *r = NULL;
  const char *wrong = NULL;
  rdx_regex_span match = {0, 0}, groups[RDX_REGEX_GROUPS];
  const rdx_sql_text whole = {text, length}, written = {p->text, strlen(p->text)};
  uint32_t from = 0;
  assert_int_equal(rdx_regex_compile(written, false, &arena, &r, &wrong, NULL), RDX_OK);
  if (wrong)
    fail_msg("'%s': %s", p->text, wrong);
  while (from <= length && p->ends[from] == 0)
    from++;
  const bool found = rdx_regex_find(r, whole, 0, &match, groups);
  if (rdx_regex_matches(r, whole) != (from <= length) || found != (from <= length))
    fail_msg("'%s' ~ '%s': %d", text, p->text, found);
  if (found && (match.begin != from || !(p->ends[from] >> match.end & 1)))
    fail_msg("'%s' ~ '%s': %llu to %llu", text, p->text, (unsigned long long)match.begin,
             (unsigned long long)match.end);
  if (found && !strchr(p->text, '?') && p->ends[from] >> match.end != 1) /* the longest, where none is lazy */
    fail_msg("'%s' ~ '%s' ends at %llu", text, p->text, (unsigned long long)match.end);
  for (uint32_t i = 1; found && i < RDX_REGEX_GROUPS; i++)
    if (groups[i].begin != UINT64_MAX)
      assert_true(match.begin <= groups[i].begin && groups[i].begin <= groups[i].end && groups[i].end <= match.end);
  for (uint32_t i = 0; i < 2; i++) { /* with states that are there already, and without any */
    rdx_regex_span again = {0, 0}, alike[RDX_REGEX_GROUPS] = {{0, 0}};
    r->stateless |= i > 0;
    assert_int_equal(rdx_regex_matches(r, whole), found);
    assert_int_equal(rdx_regex_find(r, whole, 0, &again, alike), found);
    if (found && memcmp(groups, alike, sizeof groups) != 0)
      fail_msg("'%s' ~ '%s' differs in turn %u", text, p->text, i + 2);
  }
  rdx_arena_free(&arena);
}

static void test_random(void **state) {
  (void)state;
  for (uint32_t i = 0; i < 30000; i++) {
    pattern p;
    length = pick(LONGEST);
    for (uint32_t k = 0; k < length; k++)
      text[k] = (char)('a' + pick(3));
    text[length] = '\0';
    make(1 + pick(3), &p);
    check(&p);
  }
}

/* What PostgreSQL says of these. */
static void test_groups(void **state) {
  static const struct {
    const char *text, *pattern, *match, *first; /* NULL: none */
  } cases[] = {{"foobar", "o(.)b", "oob", "o"},
               {"abab", "(a|ab)(c|bab)", "abab", "a"},
               {"abcd", "(a|ab)(c|bcd)?", "abcd", "a"},
               {"aXb", "(a)|(b)", "a", "a"},
               {"b", "(a)|(b)", "b", NULL},
               {"aaa", "(a+?)a*", "a", "a"},
               {"aaa", "a+?", "a", NULL},
               {"xyz", "(x*)*", "x", "x"},
               {"", "(a*)*", "", ""},
               {"abc", "((a)|b)*", "ab", "b"},
               {"2024-01-05", "(\\d+)-\\d+", "2024-01", "2024"}};
  (void)state;
  for (size_t i = 0; i < RDX_COUNT(cases); i++) {
    rdx_arena arena = {0};
    rdx_regex *r = NULL;
    const char *wrong = NULL;
    rdx_regex_span match, groups[RDX_REGEX_GROUPS];
    const rdx_sql_text whole = {cases[i].text, strlen(cases[i].text)};
    const rdx_sql_text written = {cases[i].pattern, strlen(cases[i].pattern)};
    assert_int_equal(rdx_regex_compile(written, false, &arena, &r, &wrong, NULL), RDX_OK);
    assert_null(wrong);
    assert_true(rdx_regex_find(r, whole, 0, &match, groups));
    if (match.end - match.begin != strlen(cases[i].match))
      fail_msg("'%s': %llu bytes", cases[i].pattern, (unsigned long long)(match.end - match.begin));
    if ((groups[1].begin == UINT64_MAX) != !cases[i].first ||
        (cases[i].first && groups[1].end - groups[1].begin != strlen(cases[i].first)))
      fail_msg("'%s': \\1 is %llu to %llu", cases[i].pattern, (unsigned long long)groups[1].begin,
               (unsigned long long)groups[1].end);
    rdx_arena_free(&arena);
  }
}

static void test_wrong(void **state) {
  static const char *const patterns[] = {"(",
                                         ")",
                                         "[a",
                                         "a**",
                                         "*a",
                                         "^*",
                                         "a{2",
                                         "a{3,2}",
                                         "a{256}",
                                         "[b-a]",
                                         "(?=a)",
                                         "[[:x:]]",
                                         "\\1",
                                         "a\\",
                                         "\\q",
                                         "(?q)a",
                                         "[a-\\d]",
                                         "[\\D]",
                                         "((((((a{200}){200}){200}){200}){200}){200})"};
  (void)state;
  for (size_t i = 0; i < RDX_COUNT(patterns); i++) {
    rdx_arena arena = {0};
    rdx_regex *r = NULL;
    const char *wrong = NULL;
    const rdx_sql_text written = {patterns[i], strlen(patterns[i])};
    assert_int_equal(rdx_regex_compile(written, false, &arena, &r, &wrong, NULL), RDX_OK);
    if (!wrong || r)
      fail_msg("'%s' is no error", patterns[i]);
    rdx_arena_free(&arena);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_random), cmocka_unit_test(test_groups),
                                     cmocka_unit_test(test_wrong)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
