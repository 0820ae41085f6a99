/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* Regular expressions at work: all places that a match may be at go through the text together, where no automaton
 * does it. Which bytes a group has is found afterwards, from the tree. */

#include "expression/regex.h"

#include <string.h>

#include "expression/functions.h"
#include "expression/regex_tree.h"

#define NOWHERE UINT64_MAX
#define ASK_EVERY (1u << 20) /* places: it is a few milliseconds */

typedef rdx_regex_tree tree;

/* ---- Steps ---- */

static uint32_t add_step(rdx_regex *r, rdx_regex_op op, const tree *t) {
  r->steps[r->step_count] = (rdx_regex_step){.op = op, .tree = t};
  return r->step_count++;
}

/* FORK goes on behind itself first. */
static void write_steps(rdx_regex *r, tree *t) {
  uint32_t fork = 0, jump = 0;
  t->begin = r->step_count;
  switch (t->kind) {
  case RDX_REGEX_EMPTY:
    break;
  case RDX_REGEX_JOIN:
    write_steps(r, t->left);
    write_steps(r, t->right);
    break;
  case RDX_REGEX_GROUP:
    write_steps(r, t->left);
    break;
  case RDX_REGEX_EITHER:
    fork = add_step(r, RDX_STEP_FORK, t);
    write_steps(r, t->left);
    jump = add_step(r, RDX_STEP_JUMP, t);
    r->steps[fork].to = fork + 1;
    r->steps[fork].or_to = r->step_count;
    write_steps(r, t->right);
    r->steps[jump].to = r->step_count;
    break;
  case RDX_REGEX_STAR:
  case RDX_REGEX_MAYBE:
    fork = add_step(r, RDX_STEP_FORK, t);
    write_steps(r, t->left);
    if (t->kind == RDX_REGEX_STAR)
      r->steps[add_step(r, RDX_STEP_JUMP, t)].to = fork;
    r->steps[fork].to = fork + 1;
    r->steps[fork].or_to = r->step_count;
    break;
  default:
    r->stateless |= t->kind == RDX_REGEX_ASSERT && t->value != RDX_REGEX_BEGIN && t->value != RDX_REGEX_END;
    add_step(r, RDX_STEP_TREE, t);
  }
  t->end = r->step_count;
  t->has_groups = t->kind == RDX_REGEX_GROUP || (t->left && t->left->has_groups) || (t->right && t->right->has_groups);
}

static rdx_status take_memory(rdx_regex *r, rdx_arena *arena, rdx_error *err) {
  const char *what = "a regular expression";
  const uint64_t steps = 2 * (uint64_t)r->tree_count + 1;
  RDX_TRY(rdx_arena_alloc(arena, steps, sizeof *r->steps, what, (void **)&r->steps, err));
  RDX_TRY(rdx_arena_alloc(arena, steps, sizeof *r->marks, what, (void **)&r->marks, err));
  RDX_TRY(rdx_arena_alloc(arena, 2 * steps, sizeof *r->open, what, (void **)&r->open, err));
  memset(r->marks, 0, steps * sizeof *r->marks);
  for (int i = 0; i < 2; i++) {
    RDX_TRY(rdx_arena_alloc(arena, steps, sizeof(uint32_t), what, (void **)&r->places[i].steps, err));
    RDX_TRY(rdx_arena_alloc(arena, steps, sizeof(uint64_t), what, (void **)&r->places[i].begins, err));
  }
  return RDX_OK;
}

rdx_status rdx_regex_compile(rdx_sql_text pattern, bool any_case, rdx_arena *arena, rdx_regex **out, const char **wrong,
                             rdx_error *err) {
  rdx_regex *r = NULL;
  char *bytes = NULL;
  *out = NULL;
  *wrong = NULL;
  RDX_TRY(rdx_arena_alloc(arena, 1, sizeof *r, "a regular expression", (void **)&r, err));
  RDX_TRY(rdx_arena_alloc(arena, pattern.length + 1, 1, "a regular expression", (void **)&bytes, err));
  memcpy(bytes, pattern.data, pattern.length);
  *r = (rdx_regex){.pattern = {bytes, pattern.length}, .any_case = any_case, .arena = arena};
  const rdx_status status = rdx_regex_parse(r, arena, wrong, err);
  if (status != RDX_OK)
    return *wrong ? RDX_OK : status;
  RDX_TRY(take_memory(r, arena, err));
  write_steps(r, r->root);
  r->any_case |= any_case;
  *out = r;
  return RDX_OK;
}

bool rdx_regex_is(const rdx_regex *r, rdx_sql_text pattern, bool any_case) {
  return r->any_case == any_case && r->pattern.length == pattern.length &&
         memcmp(r->pattern.data, pattern.data, pattern.length) == 0;
}

uint32_t rdx_regex_groups(const rdx_regex *r) {
  return r->group_count;
}

rdx_status rdx_regex_status(const rdx_regex *r, rdx_error *err) {
  if (r->status != RDX_OK && err)
    *err = r->err;
  return r->status;
}

void rdx_regex_looked(rdx_regex *r, uint64_t places) {
  r->looked += places;
  if (r->looked < ASK_EVERY || r->status != RDX_OK)
    return;
  r->looked = 0;
  r->status = rdx_progress_at_times("evaluate", 0, 0, &r->err);
}

/* ---- Places ---- */

static bool is_word_at(rdx_sql_text text, uint64_t at) {
  uint64_t size = 0;
  return at < text.length && rdx_regex_is_word(rdx_regex_character(text, at, &size));
}

static bool is_word_before(rdx_sql_text text, uint64_t at) {
  if (at == 0)
    return false;
  do
    at--;
  while (at > 0 && ((unsigned char)text.data[at] & 0xc0) == 0x80);
  return is_word_at(text, at);
}

static bool holds(uint32_t assertion, rdx_sql_text text, uint64_t at) {
  if (assertion == RDX_REGEX_BEGIN)
    return at == 0;
  if (assertion == RDX_REGEX_END)
    return at == text.length;
  const bool before = is_word_before(text, at), behind = is_word_at(text, at);
  return assertion == RDX_REGEX_WORD_BEGIN  ? !before && behind
         : assertion == RDX_REGEX_WORD_END  ? before && !behind
         : assertion == RDX_REGEX_WORD_EDGE ? before != behind
                                            : before == behind;
}

/* The places that a step leads to without a character; what was reached in this round is there already. */
static void reach(rdx_regex *r, const tree *t, rdx_regex_places *to, uint32_t step, uint64_t begin, rdx_sql_text text,
                  uint64_t at) {
  uint32_t count = 0;
  r->open[count++] = step;
  while (count > 0) {
    const uint32_t one = r->open[--count];
    if (r->marks[one] == r->round)
      continue;
    r->marks[one] = r->round;
    const rdx_regex_step *s = &r->steps[one];
    if (one == t->end || (s->op == RDX_STEP_TREE && s->tree->kind != RDX_REGEX_ASSERT)) {
      to->steps[to->count] = one;
      to->begins[to->count++] = begin;
    } else if (s->op == RDX_STEP_TREE) {
      if (holds(s->tree->value, text, at))
        r->open[count++] = one + 1;
    } else {
      if (s->op == RDX_STEP_FORK)
        r->open[count++] = s->or_to;
      r->open[count++] = s->to;
    }
  }
}

/* Of a letter beyond ASCII. */
static bool is_lower(uint32_t c) {
  return rdx_text_letter(c, true) != c || c == 0xdf;
}

static bool is_in(const rdx_regex_set *s, uint32_t c) {
  for (uint32_t i = 0; i < s->count; i++)
    if (c >= s->ranges[i].first && c <= s->ranges[i].last)
      return true;
  return c >= 0x80 && ((s->upper && rdx_text_letter(c, false) != c) || (s->lower && is_lower(c)));
}

static bool takes(const rdx_regex *r, const tree *t, uint32_t c) {
  if (t->kind == RDX_REGEX_ANY)
    return true;
  if (t->kind == RDX_REGEX_CHARACTER)
    return t->value == c ||
           (r->any_case && (rdx_text_letter(t->value, false) == c || rdx_text_letter(t->value, true) == c));
  const uint32_t small = r->any_case ? rdx_text_letter(c, false) : c,
                 large = r->any_case ? rdx_text_letter(c, true) : c;
  const rdx_regex_set *s = &r->sets[t->value];
  return (is_in(s, c) || (r->any_case && (is_in(s, small) || is_in(s, large)))) != s->negated;
}

/* All places one character on. */
static void go_on(rdx_regex *r, const tree *t, const rdx_regex_places *from, rdx_regex_places *to, rdx_sql_text text,
                  uint64_t at, uint64_t before) {
  uint64_t size = 0;
  const uint32_t c = rdx_regex_character(text, at, &size);
  r->round++;
  rdx_regex_looked(r, from->count + 1);
  to->count = 0;
  for (uint32_t i = 0; i < from->count; i++)
    if (from->steps[i] != t->end && from->begins[i] < before && takes(r, r->steps[from->steps[i]].tree, c))
      reach(r, t, to, from->steps[i] + 1, from->begins[i], text, at + size);
}

static void start_round(rdx_regex *r) {
  if (r->round > UINT32_MAX / 2) {
    memset(r->marks, 0, r->step_count * sizeof *r->marks + sizeof *r->marks);
    r->round = 0;
  }
  r->round++;
}

void rdx_regex_start_places(rdx_regex *r, const tree *t, rdx_sql_text text, uint64_t from, rdx_regex_places *out) {
  start_round(r);
  out->count = 0;
  reach(r, t, out, t->begin, from, text, from);
}

void rdx_regex_next_places(rdx_regex *r, const tree *t, const rdx_regex_places *from, rdx_regex_places *to,
                           rdx_sql_text text, uint64_t at, bool anywhere) {
  start_round(r);
  go_on(r, t, from, to, text, at, NOWHERE);
  at += rdx_text_character(text.data + at, text.length - at);
  if (anywhere)
    reach(r, t, to, t->begin, at, text, at);
}

/* ---- Matching ---- */

/* Whether `t` takes bytes from `from` to one of the ends, place by place. */
static bool find_end_by_places(rdx_regex *r, const tree *t, rdx_sql_text text, uint64_t from, rdx_regex_ends wanted,
                               uint64_t *end) {
  rdx_regex_places *now = &r->places[0], *then = &r->places[1];
  bool found = false;
  rdx_regex_start_places(r, t, text, from, now);
  for (uint64_t at = from, size; now->count > 0 && r->status == RDX_OK; at += size) {
    for (uint32_t i = 0; at >= wanted.min && at <= wanted.max && i < now->count; i++)
      if (now->steps[i] == t->end) {
        *end = at;
        found = true;
      }
    if ((found && !wanted.last) || at >= wanted.max)
      break;
    size = rdx_text_character(text.data + at, text.length - at);
    go_on(r, t, now, then, text, at, NOWHERE);
    rdx_regex_places *other = now;
    now = then;
    then = other;
  }
  return found;
}

static bool find_end(rdx_regex *r, tree *t, rdx_sql_text text, uint64_t from, rdx_regex_ends wanted, uint64_t *end) {
  rdx_regex_automaton *a = rdx_regex_automaton_of(r, t, false, &t->automaton);
  uint64_t found = 0, stopped = 0;
  const rdx_regex_known known = a ? rdx_regex_run(r, a, text, from, wanted, &found, &stopped) : RDX_REGEX_UNKNOWN;
  if (known == RDX_REGEX_UNKNOWN)
    return find_end_by_places(r, t, text, from, wanted, end);
  *end = known == RDX_REGEX_FOUND ? found : *end;
  return known == RDX_REGEX_FOUND;
}

static bool fits(rdx_regex *r, tree *t, rdx_sql_text text, uint64_t from, uint64_t to) {
  uint64_t end = 0;
  return find_end(r, t, text, from, (rdx_regex_ends){to, to, false}, &end);
}

/* Where the first match at or behind `from` begins, place by place; with `any` where some match does. */
static uint64_t find_begin_by_places(rdx_regex *r, rdx_sql_text text, uint64_t from, bool any) {
  const tree *t = r->root;
  rdx_regex_places *now = &r->places[0], *then = &r->places[1];
  uint64_t first = NOWHERE;
  start_round(r);
  now->count = 0;
  for (uint64_t at = from, size; r->status == RDX_OK; at += size) {
    if (first == NOWHERE)
      reach(r, t, now, t->begin, at, text, at);
    for (uint32_t i = 0; i < now->count; i++)
      if (now->steps[i] == t->end && now->begins[i] < first)
        first = now->begins[i];
    if (at >= text.length || (first != NOWHERE && (any || now->count == 0)))
      return first;
    size = rdx_text_character(text.data + at, text.length - at);
    if (r->round > UINT32_MAX / 2) /* marks of this round are not needed any more */
      start_round(r);
    go_on(r, t, now, then, text, at, first);
    rdx_regex_places *other = now;
    now = then;
    then = other;
  }
  return NOWHERE;
}

/* Whether there is a match at or behind `from`, and where the one ends that ends first. */
static rdx_regex_known find_any(rdx_regex *r, rdx_sql_text text, uint64_t from, uint64_t *end) {
  rdx_regex_automaton *a = rdx_regex_automaton_of(r, r->root, true, &r->anywhere);
  uint64_t stopped = 0;
  return a ? rdx_regex_run(r, a, text, from, (rdx_regex_ends){from, text.length, false}, end, &stopped)
           : RDX_REGEX_UNKNOWN;
}

bool rdx_regex_matches(rdx_regex *r, rdx_sql_text text) {
  uint64_t end = 0;
  const rdx_regex_known known = find_any(r, text, 0, &end);
  return known == RDX_REGEX_UNKNOWN ? find_begin_by_places(r, text, 0, true) != NOWHERE : known == RDX_REGEX_FOUND;
}

#define AGAIN 8u /* times that the bytes of a text are looked at: then all beginnings go through it together */

/* Where the first match at or behind `from` begins: before the end of the one that ends first. */
static uint64_t find_begin(rdx_regex *r, rdx_sql_text text, uint64_t from) {
  uint64_t max = 0, end = 0, looked = 0, stopped = 0;
  rdx_regex_known known = find_any(r, text, from, &max);
  if (known == RDX_REGEX_NONE)
    return NOWHERE;
  for (uint64_t at = from; known != RDX_REGEX_UNKNOWN && at <= max && looked <= AGAIN * (max - from) + AGAIN;) {
    rdx_regex_automaton *a = rdx_regex_automaton_of(r, r->root, false, &r->root->automaton);
    known =
        a ? rdx_regex_run(r, a, text, at, (rdx_regex_ends){at, text.length, false}, &end, &stopped) : RDX_REGEX_UNKNOWN;
    if (known == RDX_REGEX_FOUND)
      return at;
    looked += stopped - at;
    at += at < text.length ? rdx_text_character(text.data + at, text.length - at) : 1;
  }
  return find_begin_by_places(r, text, from, false);
}

/* ---- Groups ---- */

static void forget(const tree *t, rdx_regex_span *groups) {
  if (t->kind == RDX_REGEX_GROUP && t->value < RDX_REGEX_GROUPS)
    groups[t->value] = (rdx_regex_span){NOWHERE, NOWHERE};
  if (t->left)
    forget(t->left, groups);
  if (t->right)
    forget(t->right, groups);
}

/* Whether a tree takes exactly one character, or nothing. */
static bool takes_one(const tree *t) {
  return t->kind == RDX_REGEX_CHARACTER || t->kind == RDX_REGEX_ANY || t->kind == RDX_REGEX_SET;
}

static bool takes_nothing(const tree *t) {
  return t->kind == RDX_REGEX_ASSERT || t->kind == RDX_REGEX_EMPTY;
}

/* Where the left part ends, so that the right one takes the rest: as far as it can, or as near as it can. */
static uint64_t divide(rdx_regex *r, tree *left, tree *right, rdx_sql_text text, rdx_regex_span whole, uint64_t min) {
  const bool last = left->prefers != RDX_PREFERS_SHORT;
  uint64_t max = whole.end, end = whole.end;
  if (takes_nothing(left) && min == whole.begin)
    return whole.begin;
  if (takes_one(left))
    return whole.begin + rdx_text_character(text.data + whole.begin, text.length - whole.begin);
  if (takes_nothing(right))
    return whole.end;
  if (takes_one(right) && (unsigned char)text.data[whole.end - 1] < 0x80)
    return whole.end - 1;
  while (min <= max && find_end(r, left, text, whole.begin, (rdx_regex_ends){min, max, last}, &end)) {
    if (fits(r, right, text, end, whole.end))
      return end;
    if (last && end == 0)
      break;
    max = last ? end - 1 : max;
    min = last ? min : end + 1;
  }
  return whole.end;
}

/* Where the last part of a STAR begins that takes all of `whole`. Mostly each part may be as it likes best; where the
 * last one then does not end with `whole`, each has to leave what others can take. */
static uint64_t find_last(rdx_regex *r, tree *t, rdx_sql_text text, rdx_regex_span whole) {
  const bool last = t->left->prefers != RDX_PREFERS_SHORT;
  uint64_t begin = whole.begin, at = begin, end = begin;
  for (; at < whole.end && find_end(r, t->left, text, at, (rdx_regex_ends){at + 1, whole.end, last}, &end); at = end)
    begin = at;
  if (at == whole.end)
    return begin;
  for (; whole.begin < whole.end; whole.begin = divide(r, t->left, t, text, whole, whole.begin + 1))
    begin = whole.begin;
  return begin;
}

/* Which bytes the groups of a tree have that takes all of `whole`. */
static void find_groups(rdx_regex *r, tree *t, rdx_sql_text text, rdx_regex_span whole, rdx_regex_span *groups) {
  if (!t->has_groups || r->status != RDX_OK)
    return;
  switch (t->kind) {
  case RDX_REGEX_GROUP:
    if (t->value < RDX_REGEX_GROUPS)
      groups[t->value] = whole;
    find_groups(r, t->left, text, whole, groups);
    return;
  case RDX_REGEX_JOIN: {
    const uint64_t middle = divide(r, t->left, t->right, text, whole, whole.begin);
    find_groups(r, t->left, text, (rdx_regex_span){whole.begin, middle}, groups);
    find_groups(r, t->right, text, (rdx_regex_span){middle, whole.end}, groups);
    return;
  }
  case RDX_REGEX_EITHER:
    find_groups(r, fits(r, t->left, text, whole.begin, whole.end) ? t->left : t->right, text, whole, groups);
    return;
  case RDX_REGEX_MAYBE:
  case RDX_REGEX_STAR:
    if (whole.begin == whole.end || t->kind == RDX_REGEX_MAYBE) {
      const bool taken = whole.begin < whole.end || (t->value && t->left->prefers != RDX_PREFERS_SHORT);
      if (taken && fits(r, t->left, text, whole.begin, whole.end)) {
        forget(t->left, groups);
        find_groups(r, t->left, text, whole, groups);
      }
      return;
    }
    whole.begin = find_last(r, t, text, whole);
    forget(t->left, groups);
    find_groups(r, t->left, text, whole, groups);
    return;
  default:
    return;
  }
}

bool rdx_regex_find(rdx_regex *r, rdx_sql_text text, uint64_t from, rdx_regex_span *match,
                    rdx_regex_span groups[RDX_REGEX_GROUPS]) {
  const rdx_regex_ends any = {from, text.length, r->root->prefers != RDX_PREFERS_SHORT};
  match->begin = from;
  if (!find_end(r, r->root, text, from, any, &match->end)) {
    match->begin = match->end = find_begin(r, text, from);
    if (match->begin == NOWHERE)
      return false;
    (void)find_end(r, r->root, text, match->begin, any, &match->end);
  }
  if (!groups)
    return true;
  for (uint32_t i = 0; i < RDX_REGEX_GROUPS; i++)
    groups[i] = (rdx_regex_span){NOWHERE, NOWHERE};
  groups[0] = *match;
  if (r->group_count > 0)
    find_groups(r, r->root, text, *match, groups);
  return r->status == RDX_OK;
}
