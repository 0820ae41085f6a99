/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#ifndef RDX_EXPRESSION_REGEX_TREE_H
#define RDX_EXPRESSION_REGEX_TREE_H

/* What the parser of regular expressions makes, and the matcher runs. */

#include "expression/regex.h"

typedef enum rdx_regex_kind {
  RDX_REGEX_EMPTY,
  RDX_REGEX_CHARACTER, /* `value` */
  RDX_REGEX_ANY,
  RDX_REGEX_SET,    /* sets[value] */
  RDX_REGEX_ASSERT, /* `value`, an rdx_regex_assertion */
  RDX_REGEX_JOIN,   /* left, then right */
  RDX_REGEX_EITHER, /* left or right */
  RDX_REGEX_STAR,   /* left, any number of times; `value`: of nothing once, where left takes nothing */
  RDX_REGEX_MAYBE,  /* left, or nothing; `value` alike */
  RDX_REGEX_GROUP,  /* left, as group `value` */
} rdx_regex_kind;

typedef enum rdx_regex_assertion {
  RDX_REGEX_BEGIN,
  RDX_REGEX_END,
  RDX_REGEX_WORD_BEGIN,
  RDX_REGEX_WORD_END,
  RDX_REGEX_WORD_EDGE,
  RDX_REGEX_NO_WORD_EDGE,
} rdx_regex_assertion;

typedef enum rdx_regex_preference { RDX_PREFERS_NONE, RDX_PREFERS_LONG, RDX_PREFERS_SHORT } rdx_regex_preference;

typedef struct rdx_regex_tree {
  rdx_regex_kind kind;
  rdx_regex_preference prefers;
  uint32_t value;
  uint32_t begin, end; /* its steps */
  bool has_groups;
  struct rdx_regex_automaton *automaton; /* NULL: none yet */
  struct rdx_regex_tree *left, *right;
} rdx_regex_tree;

typedef struct rdx_regex_range {
  uint32_t first, last; /* characters */
} rdx_regex_range;

typedef struct rdx_regex_set {
  bool negated;
  bool upper, lower; /* letters beyond ASCII of that case, too */
  rdx_regex_range *ranges;
  uint32_t count;
} rdx_regex_set;

typedef enum rdx_regex_op { RDX_STEP_TREE, RDX_STEP_FORK, RDX_STEP_JUMP } rdx_regex_op;

typedef struct rdx_regex_step {
  rdx_regex_op op;
  uint32_t to, or_to;         /* FORK, JUMP */
  const rdx_regex_tree *tree; /* TREE: a character, a set, an assertion */
} rdx_regex_step;

/* Places that a match may be at in the steps, in the order in which matches begin. */
typedef struct rdx_regex_places {
  uint32_t *steps;
  uint64_t *begins;
  uint32_t count;
} rdx_regex_places;

typedef struct rdx_regex_automaton rdx_regex_automaton;
typedef struct rdx_regex_state rdx_regex_state;

struct rdx_regex {
  rdx_sql_text pattern;
  bool any_case;
  rdx_regex_tree *root;
  rdx_regex_set *sets;
  uint32_t set_count, group_count, tree_count;
  rdx_regex_step *steps;
  uint32_t step_count;
  rdx_regex_places places[2];
  uint32_t *marks, *open; /* by step: the round in which it was reached; steps to look at */
  uint32_t round;
  rdx_arena *arena;
  rdx_regex_automaton *anywhere; /* of the root, from any character on */
  uint64_t state_bytes;          /* of automata */
  bool stateless;                /* there are none */
  uint64_t looked;               /* at places since it last asked whether to go on */
  rdx_status status;             /* not RDX_OK: it is to stop, and what it says from then on means nothing */
  rdx_error err;
};

/* Ends of a match between these places. */
typedef struct rdx_regex_ends {
  uint64_t min, max;
  bool last; /* the last such one is wanted, not the first */
} rdx_regex_ends;

typedef enum rdx_regex_known { RDX_REGEX_NONE, RDX_REGEX_FOUND, RDX_REGEX_UNKNOWN } rdx_regex_known;

/* The character at byte `at`, and its bytes; bytes that are not UTF-8 are characters beyond Unicode. */
uint32_t rdx_regex_character(rdx_sql_text text, uint64_t at, uint64_t *size);
bool rdx_regex_is_word(uint32_t c);

/* That places were looked at: now and then it asks whether to go on. */
void rdx_regex_looked(rdx_regex *r, uint64_t places);

/* The places of a tree before byte `from`, and those behind the character at `at`, with `anywhere` those before the
 * next one, too. */
void rdx_regex_start_places(rdx_regex *r, const rdx_regex_tree *t, rdx_sql_text text, uint64_t from,
                            rdx_regex_places *out);
void rdx_regex_next_places(rdx_regex *r, const rdx_regex_tree *t, const rdx_regex_places *from, rdx_regex_places *to,
                           rdx_sql_text text, uint64_t at, bool anywhere);

/* The automaton of a tree, which `kept` is where there was one; NULL: there is no memory for it. */
rdx_regex_automaton *rdx_regex_automaton_of(rdx_regex *r, const rdx_regex_tree *t, bool anywhere,
                                            rdx_regex_automaton **kept);
/* Whether its tree takes bytes from `from` to one of the ends, unless there is no memory for what tells; `*stopped` is
 * how far it had to look. */
rdx_regex_known rdx_regex_run(rdx_regex *r, rdx_regex_automaton *a, rdx_sql_text text, uint64_t from,
                              rdx_regex_ends wanted, uint64_t *end, uint64_t *stopped);

/* The tree, the sets and counts of a pattern. */
RDX_MUST_USE rdx_status rdx_regex_parse(rdx_regex *r, rdx_arena *arena, const char **wrong, rdx_error *err);

#endif
