/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* Regular expressions as automata that are made while they run: a state is all places that a match may be at, and keeps
 * where each ASCII character leads. What depends on words around, or has too many states, goes place by place. */

#include <string.h>

#include "expression/regex_tree.h"

#define WHAT "a regular expression"
#define ASCII 128u
#define MAX_BYTES (1ul << 20) /* of the states of a regular expression */
#define RECENT 256u           /* characters beyond ASCII whose states are kept */

typedef rdx_regex_tree tree;
typedef rdx_regex_state state;

struct rdx_regex_state {
  uint64_t hash;
  uint32_t count; /* of steps; 0: nothing that began matches any more */
  bool accepts;
  struct rdx_regex_state *other;          /* the automaton's next one */
  struct rdx_regex_state *next[2][ASCII]; /* behind a character, and behind the text's last one; NULL: not known yet */
  uint32_t steps[];
};

typedef struct recent {
  const state *from;
  uint32_t character;
  bool last;
  state *to;
} recent;

struct rdx_regex_automaton {
  const tree *of;
  bool anywhere; /* a match may begin at each character, not just at the first */
  state *states;
  state *starts[2][2]; /* at the text's begin or not, at its end or not */
  recent recent[RECENT];
};

/* Memory for states; false: there is no more, and none is made from now on. */
static bool take(rdx_regex *r, uint64_t bytes, void **out) {
  r->state_bytes += bytes;
  r->stateless |= r->state_bytes > MAX_BYTES || rdx_arena_alloc(r->arena, 1, bytes, WHAT, out, NULL) != RDX_OK;
  return !r->stateless;
}

rdx_regex_automaton *rdx_regex_automaton_of(rdx_regex *r, const tree *t, bool anywhere, rdx_regex_automaton **kept) {
  void *memory = NULL;
  if (r->stateless || r->status != RDX_OK)
    return NULL;
  if (!*kept && take(r, sizeof **kept, &memory)) {
    *kept = memory;
    memset(*kept, 0, sizeof **kept);
    (*kept)->of = t;
    (*kept)->anywhere = anywhere;
  }
  return *kept;
}

static uint64_t hash_of(const rdx_regex_places *places) {
  uint64_t hash = places->count;
  for (uint32_t i = 0; i < places->count; i++)
    hash = (hash ^ places->steps[i]) * 0x9e3779b97f4a7c15u;
  return hash;
}

/* The state of these places; NULL: there is no memory for it, or no time. */
static state *find_state(rdx_regex *r, rdx_regex_automaton *a, const rdx_regex_places *places) {
  const uint64_t hash = hash_of(places), bytes = places->count * sizeof *places->steps;
  void *memory = NULL;
  for (state *s = a->states; s; s = s->other)
    if (s->hash == hash && s->count == places->count && memcmp(s->steps, places->steps, bytes) == 0)
      return s;
  if (r->status != RDX_OK || !take(r, sizeof(state) + bytes, &memory))
    return NULL;
  state *made = memory;
  memset(made, 0, sizeof *made);
  made->hash = hash;
  made->count = places->count;
  memcpy(made->steps, places->steps, bytes);
  for (uint32_t i = 0; i < places->count; i++)
    made->accepts |= places->steps[i] == a->of->end;
  made->other = a->states;
  a->states = made;
  return made;
}

static state *find_start(rdx_regex *r, rdx_regex_automaton *a, rdx_sql_text text, uint64_t from) {
  state **start = &a->starts[from == 0][from == text.length];
  if (!*start) {
    rdx_regex_start_places(r, a->of, text, from, &r->places[0]);
    *start = find_state(r, a, &r->places[0]);
  }
  return *start;
}

/* The state behind the character at `at`, place by place. */
static state *make_next(rdx_regex *r, rdx_regex_automaton *a, const state *from, rdx_sql_text text, uint64_t at) {
  rdx_regex_places *now = &r->places[0], *then = &r->places[1];
  memcpy(now->steps, from->steps, from->count * sizeof *now->steps);
  memset(now->begins, 0, from->count * sizeof *now->begins);
  now->count = from->count;
  rdx_regex_next_places(r, a->of, now, then, text, at, a->anywhere);
  return find_state(r, a, then);
}

static state *next_beyond_ascii(rdx_regex *r, rdx_regex_automaton *a, const state *from, rdx_sql_text text, uint64_t at,
                                uint64_t *size) {
  const uint32_t c = rdx_regex_character(text, at, size);
  const bool last = at + *size == text.length;
  recent *kept = &a->recent[(c ^ (uint32_t)(from->hash >> 56)) % RECENT];
  if (kept->from != from || kept->character != c || kept->last != last)
    *kept = (recent){from, c, last, make_next(r, a, from, text, at)};
  return kept->to;
}

static state *next_state(rdx_regex *r, rdx_regex_automaton *a, state *from, rdx_sql_text text, uint64_t at,
                         uint64_t *size) {
  const unsigned char c = (unsigned char)text.data[at];
  if (c >= ASCII)
    return next_beyond_ascii(r, a, from, text, at, size);
  state **next = &from->next[at + 1 == text.length][c];
  if (!*next)
    *next = make_next(r, a, from, text, at);
  *size = 1;
  return *next;
}

rdx_regex_known rdx_regex_run(rdx_regex *r, rdx_regex_automaton *a, rdx_sql_text text, uint64_t from,
                              rdx_regex_ends wanted, uint64_t *end, uint64_t *stopped) {
  state *s = find_start(r, a, text, from);
  bool found = false;
  uint64_t at = from;
  for (uint64_t size = 0; s && (s->count > 0 || a->anywhere); at += size) {
    if (s->accepts && at >= wanted.min && at <= wanted.max) {
      *end = at;
      found = true;
    }
    if ((found && !wanted.last) || at >= wanted.max)
      break;
    s = next_state(r, a, s, text, at, &size);
  }
  *stopped = at;
  rdx_regex_looked(r, at - from + 1);
  return !s ? RDX_REGEX_UNKNOWN : found ? RDX_REGEX_FOUND : RDX_REGEX_NONE;
}
