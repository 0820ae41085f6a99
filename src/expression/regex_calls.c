/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* The functions of regular expressions. */

#include <string.h>

#include "expression/functions.h"
#include "expression/regex.h"

#define NOWHERE UINT64_MAX

/* The regular expression, unless it is the one that was used before. */
static rdx_status compile(rdx_worker *w, const rdx_node *n, rdx_sql_text pattern, bool any_case, rdx_regex **out) {
  const char *wrong = NULL;
  if (!w->regex || !rdx_regex_is(w->regex, pattern, any_case)) {
    rdx_arena_free(&w->regex_memory);
    w->regex = NULL;
    RDX_TRY(rdx_regex_compile(pattern, any_case, &w->regex_memory, &w->regex, &wrong, &w->err));
    if (wrong)
      return rdx_node_fail(w, n, RDX_ERROR_ARGUMENT, "invalid regular expression: %s", wrong);
  }
  *out = w->regex;
  return RDX_OK;
}

typedef struct flags {
  bool any_case, all;
} flags;

/* i and c, g where all matches may be meant. */
static rdx_status read_flags(rdx_worker *w, const rdx_node *n, rdx_sql_text text, bool may_be_all, flags *out) {
  *out = (flags){0};
  for (uint64_t i = 0; i < text.length; i++) {
    const char c = text.data[i];
    if (c != 'i' && c != 'c' && c != 's' && (c != 'g' || !may_be_all))
      return rdx_node_fail(w, n, RDX_ERROR_ARGUMENT, "invalid regular expression option: only i, c, s%s are supported",
                           may_be_all ? " and g" : "");
    out->all |= c == 'g';
    out->any_case = c == 'i' || (out->any_case && c != 'c');
  }
  return RDX_OK;
}

/* A start, counted in characters from 1, in bytes; beyond the text's end where that is before it. */
static rdx_status read_start(rdx_worker *w, const rdx_node *n, rdx_sql_text text, int64_t start, uint64_t *out) {
  if (start < 1)
    return rdx_function_fail(w, n, "invalid value for parameter \"start\": it counts from 1");
  *out = 0;
  for (; start > 1 && *out < text.length; start--)
    *out += rdx_text_character(text.data + *out, text.length - *out);
  *out += start > 1;
  return RDX_OK;
}

/* Where the search for the match after this one begins; beyond the text's end where there is none. */
static uint64_t after(rdx_sql_text text, rdx_regex_span match) {
  if (match.end > match.begin)
    return match.end;
  return match.end + (match.end < text.length ? rdx_text_character(text.data + match.end, text.length - match.end) : 1);
}

/* ---- Whether, how many, where ---- */

static rdx_status matches(rdx_worker *w, const rdx_node *n, const rdx_datum *args, bool any_case, rdx_datum *out) {
  rdx_regex *r = NULL;
  RDX_TRY(compile(w, n, args[1].text, any_case, &r));
  out->i = rdx_regex_matches(r, args[0].text);
  return rdx_regex_status(r, &w->err);
}

rdx_status rdx_regex_match(RDX_ROW_ARGUMENTS) {
  return matches(w, n, args, false, out);
}

rdx_status rdx_regex_match_any_case(RDX_ROW_ARGUMENTS) {
  return matches(w, n, args, true, out);
}

/* regexp_like(text, pattern [, flags]) */
rdx_status rdx_regex_like(RDX_ROW_ARGUMENTS) {
  flags f = {0};
  if (n->count > 2)
    RDX_TRY(read_flags(w, n, args[2].text, false, &f));
  return matches(w, n, args, f.any_case, out);
}

/* regexp_count(text, pattern [, start [, flags]]) */
rdx_status rdx_regex_count(RDX_ROW_ARGUMENTS) {
  const rdx_sql_text text = args[0].text;
  rdx_regex *r = NULL;
  flags f = {0};
  uint64_t from = 0;
  if (n->count > 2)
    RDX_TRY(read_start(w, n, text, args[2].i, &from));
  if (n->count > 3)
    RDX_TRY(read_flags(w, n, args[3].text, false, &f));
  RDX_TRY(compile(w, n, args[1].text, f.any_case, &r));
  out->i = 0;
  for (rdx_regex_span match; from <= text.length && rdx_regex_find(r, text, from, &match, NULL); out->i++)
    from = after(text, match);
  return rdx_regex_status(r, &w->err);
}

/* Match `number` of (text, pattern [, start [, number, ... flags [, group]]]), or a group of it: of what none is there
 * is nowhere. `flags_at`: which argument they are. */
static rdx_status find(rdx_worker *w, const rdx_node *n, const rdx_datum *args, uint32_t flags_at,
                       rdx_regex_span *out) {
  const rdx_sql_text text = args[0].text;
  int64_t group = n->count > flags_at + 1 ? args[flags_at + 1].i : 0;
  rdx_regex_span groups[RDX_REGEX_GROUPS];
  rdx_regex *r = NULL;
  flags f = {0};
  uint64_t from = 0;
  const int64_t number = n->count > 3 ? args[3].i : 1;
  if (n->count > 2)
    RDX_TRY(read_start(w, n, text, args[2].i, &from));
  if (number < 1)
    return rdx_function_fail(w, n, "invalid value for parameter \"n\": it counts from 1");
  if (group < 0)
    return rdx_function_fail(w, n, "invalid value for parameter \"subexpr\": it counts from 0");
  if (n->count > flags_at)
    RDX_TRY(read_flags(w, n, args[flags_at].text, false, &f));
  RDX_TRY(compile(w, n, args[1].text, f.any_case, &r));
  if (group == 1 && rdx_regex_groups(r) == 0) /* the whole match is the first one */
    group = 0;
  for (int64_t i = 0; i < number; i++) {
    if (from > text.length || group > rdx_regex_groups(r) ||
        !rdx_regex_find(r, text, from, out, group > 0 ? groups : NULL)) {
      *out = (rdx_regex_span){NOWHERE, NOWHERE};
      break;
    }
    from = after(text, *out);
  }
  if (group > 0 && out->begin != NOWHERE)
    *out = groups[group];
  return rdx_regex_status(r, &w->err);
}

static void take_span(rdx_sql_text text, rdx_regex_span span, rdx_datum *out) {
  out->null = span.begin == NOWHERE;
  out->text = out->null ? (rdx_sql_text){"", 0} : (rdx_sql_text){text.data + span.begin, span.end - span.begin};
}

rdx_status rdx_regex_substr(RDX_ROW_ARGUMENTS) {
  rdx_regex_span match;
  RDX_TRY(find(w, n, args, 4, &match));
  take_span(args[0].text, match, out);
  return RDX_OK;
}

/* regexp_instr(text, pattern [, start [, number [, end [, flags [, group]]]]]): where it begins, or what follows it. */
rdx_status rdx_regex_instr(RDX_ROW_ARGUMENTS) {
  rdx_regex_span match;
  const bool end = n->count > 4 && args[4].i == 1;
  if (n->count > 4 && args[4].i != 0 && !end)
    return rdx_function_fail(w, n, "invalid value for parameter \"endoption\": it is 0 or 1");
  RDX_TRY(find(w, n, args, 5, &match));
  out->i = match.begin != NOWHERE;
  const uint64_t place = end ? match.end : match.begin;
  for (uint64_t at = 0; match.begin != NOWHERE && at < place; out->i++)
    at += rdx_text_character(args[0].text.data + at, args[0].text.length - at);
  return RDX_OK;
}

/* substring(text FROM pattern): the first group, if there is one. */
rdx_status rdx_regex_substring(RDX_ROW_ARGUMENTS) {
  rdx_regex *r = NULL;
  rdx_regex_span match, groups[RDX_REGEX_GROUPS];
  RDX_TRY(compile(w, n, args[1].text, false, &r));
  if (!rdx_regex_find(r, args[0].text, 0, &match, groups))
    match = groups[0] = groups[1] = (rdx_regex_span){NOWHERE, NOWHERE};
  take_span(args[0].text, groups[rdx_regex_groups(r) > 0], out);
  return rdx_regex_status(r, &w->err);
}

/* The parts between matches from one before part `number` on up to this, where `p` then is, and which `*out` is.
 * Matches of nothing at the ends, and right behind another one, do not count. */
static rdx_status split(rdx_worker *w, const rdx_node *n, const rdx_datum *args, int64_t number, rdx_part_place *p,
                        rdx_sql_text *out) {
  const rdx_sql_text text = args[0].text;
  rdx_regex *r = NULL;
  rdx_regex_span match;
  RDX_TRY(compile(w, n, args[1].text, false, &r));
  uint64_t before = p->before;
  for (uint64_t from = p->at; from <= text.length && rdx_regex_find(r, text, from, &match, NULL);) {
    from = after(text, match);
    const bool counts = match.begin < text.length && match.end > before;
    before = match.end;
    if (counts && p->number == number) {
      *out = (rdx_sql_text){text.data + p->begin, match.begin - p->begin};
      return RDX_OK;
    }
    if (counts) {
      p->begin = p->before = match.end;
      p->at = from;
      p->number++;
    }
  }
  *out = (rdx_sql_text){text.data + p->begin, text.length - p->begin};
  return rdx_regex_status(r, &w->err);
}

rdx_status rdx_regex_parts(RDX_ROW_ARGUMENTS) {
  rdx_part_place p = {.number = 1};
  rdx_sql_text ignored;
  RDX_TRY(split(w, n, args, INT64_MAX, &p, &ignored));
  out->i = p.number;
  return RDX_OK;
}

rdx_status rdx_regex_part(RDX_ROW_ARGUMENTS) {
  return split(w, n, args, args[2].i, rdx_part_before(w, n, args), &out->text);
}

/* ---- Replacing ---- */

/* \1 to \9 are groups, \& is the match, \\ a backslash. */
static void write_replacement(rdx_text_output *o, rdx_sql_text by, rdx_sql_text text, const rdx_regex_span *groups) {
  for (uint64_t i = 0; i < by.length; i++) {
    const char c = by.data[i], following = i + 1 < by.length ? by.data[i + 1] : '\0';
    const bool is_group = c == '\\' && ((following >= '1' && following <= '9') || following == '&');
    const rdx_regex_span *group = &groups[is_group && following != '&' ? following - '0' : 0];
    if (is_group && group->begin != NOWHERE)
      rdx_text_put(o, text.data + group->begin, group->end - group->begin);
    else if (!is_group)
      rdx_text_put(o, &by.data[i], 1);
    i += is_group || (c == '\\' && following == '\\');
  }
}

#define KNOWN 4 /* matches that are not looked for twice */

typedef struct replacing {
  rdx_regex *r;
  rdx_sql_text text, by;
  uint64_t from;
  int64_t number;                                /* of the match that is replaced; 0: all */
  rdx_regex_span known[KNOWN][RDX_REGEX_GROUPS]; /* the first matches, which the first time finds */
  int64_t known_count;
  bool again;
} replacing;

/* Match `number`, at or behind byte `from`, and the places of its groups. */
static bool find_match(replacing *x, int64_t number, uint64_t from, rdx_regex_span groups[RDX_REGEX_GROUPS]) {
  rdx_regex_span match;
  if (number <= x->known_count) {
    memcpy(groups, x->known[number - 1], sizeof x->known[0]);
    return true;
  }
  if (from > x->text.length || (x->again && number <= KNOWN) || !rdx_regex_find(x->r, x->text, from, &match, groups))
    return false;
  if (number <= KNOWN)
    memcpy(x->known[x->known_count++], groups, sizeof x->known[0]);
  return true;
}

static rdx_status write_all(rdx_worker *w, replacing *x, rdx_text_output *o) {
  rdx_regex_span groups[RDX_REGEX_GROUPS];
  uint64_t from = x->from, copied = 0;
  for (int64_t i = 1; find_match(x, i, from, groups); i++) {
    from = after(x->text, groups[0]);
    if (x->number > 0 && i < x->number)
      continue;
    rdx_text_put(o, x->text.data + copied, groups[0].begin - copied);
    write_replacement(o, x->by, x->text, groups);
    copied = groups[0].end;
    if (x->number > 0)
      break;
  }
  RDX_TRY(rdx_regex_status(x->r, &w->err));
  rdx_text_put(o, x->text.data + copied, x->text.length - copied);
  x->again = true;
  return RDX_OK;
}

/* regexp_replace(text, pattern, by [, flags]), regexp_replace(text, pattern, by, start [, number [, flags]]) */
rdx_status rdx_regex_replace(RDX_ROW_ARGUMENTS) {
  replacing x = {.text = args[0].text, .by = args[2].text, .number = 1};
  flags f = {0};
  rdx_text_output o = {0};
  const bool has_start = n->count > 3 && n->args[3]->class != RDX_CLASS_TEXT;
  if (n->count > 3 && (!has_start || n->count > 5))
    RDX_TRY(read_flags(w, n, args[n->count - 1].text, !has_start, &f));
  if (has_start)
    RDX_TRY(read_start(w, n, x.text, args[3].i, &x.from));
  x.number = f.all ? 0 : has_start && n->count > 4 ? args[4].i : 1;
  if (x.number < 0)
    return rdx_function_fail(w, n, "invalid value for parameter \"n\": it is not negative");
  RDX_TRY(compile(w, n, args[1].text, f.any_case, &x.r));
  RDX_TRY(write_all(w, &x, &o));
  if (o.used > RDX_LONGEST_TEXT)
    return rdx_function_fail(w, n, "the text would be longer than 1 GiB");
  RDX_TRY(rdx_take_text(w, o.used, &o.to));
  o.used = 0;
  RDX_TRY(write_all(w, &x, &o));
  out->text = (rdx_sql_text){o.to, o.used};
  return RDX_OK;
}

/* ---- SIMILAR TO ---- */

/* A pattern of SIMILAR TO as a regular expression; the second argument is the escape. */
rdx_status rdx_regex_of_similar(RDX_ROW_ARGUMENTS) {
  const rdx_sql_text pattern = args[0].text;
  const rdx_sql_text escape = n->count < 2 ? (rdx_sql_text){"\\", 1} : args[1].text;
  rdx_text_output o = {0};
  bool in_set = false;
  RDX_TRY(rdx_check_escape(w, n, escape));
  RDX_TRY(rdx_take_text(w, 3 * pattern.length + 8, &o.to));
  rdx_text_put(&o, "^(?:", 4);
  for (uint64_t i = 0; i < pattern.length; i++) {
    const bool escaped = escape.length > 0 && i + escape.length < pattern.length &&
                         memcmp(&pattern.data[i], escape.data, escape.length) == 0;
    i += escaped ? escape.length : 0;
    const char c = pattern.data[i];
    if (escaped || c == '\\' || (!in_set && (c == '.' || c == '^' || c == '$')))
      rdx_text_put(&o, "\\", 1);
    if (!in_set && !escaped && (c == '%' || c == '_'))
      rdx_text_put(&o, ".*", c == '%' ? 2 : 1);
    else if (!in_set && !escaped && c == '(')
      rdx_text_put(&o, "(?:", 3);
    else
      rdx_text_put(&o, &pattern.data[i], 1);
    in_set = escaped ? in_set : in_set ? c != ']' : c == '[';
  }
  rdx_text_put(&o, ")$", 2);
  out->text = (rdx_sql_text){o.to, o.used};
  return RDX_OK;
}
