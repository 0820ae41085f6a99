/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* Predicates as terms. A leaf becomes the set of codes for which it is true, NOT turns leaves and connectives round,
 * and the terms of one column under one connective become one. */

#include "predicate/terms.h"

#include <stdlib.h>
#include <string.h>

#include "column/keys.h"

typedef struct context {
  const rdx_encoded_column *columns;
  uint32_t count;
  rdx_domain domain;
  rdx_arena *arena;
} context;

static const rdx_term_node never = {.kind = RDX_NODE_FALSE}, always = {.kind = RDX_NODE_TRUE};

/* ---- Literals as codes ---- */

/* The codes of all literals of a leaf in the roles of its column. */
typedef struct literals {
  uint64_t count;
  uint64_t *codes;
  uint32_t *usable; /* a bit each: it is not NULL, and some value of the type can match it */
  bool has_null;
} literals;

static bool is_usable(const literals *l, uint64_t i) {
  return (l->usable[i / 32] >> (i % 32) & 1u) != 0;
}

static void code_strings(const rdx_encoded_column *c, const rdx_column *values, rdx_probe_role role, literals *l) {
  for (uint64_t i = 0; i < l->count; i++) {
    bool equal = false;
    if (rdx_column_has(values, i)) {
      const uint32_t at = rdx_dictionary_search(c->dictionary, values, i, &equal);
      l->codes[i] = role == RDX_PROBE_UPPER && !equal ? (uint64_t)at - 1 : at; /* below the first: nothing is */
      if (role == RDX_PROBE_POINT ? equal : role == RDX_PROBE_LOWER ? at < c->dictionary->count : equal || at > 0)
        continue;
    }
    l->usable[i / 32] &= ~(1u << i % 32);
  }
}

/* u32 codes to u64 in place, from the end. */
static void widen(literals *l) {
  for (uint64_t i = l->count; i-- > 0;) {
    uint32_t code;
    memcpy(&code, (const char *)l->codes + 4 * i, sizeof code);
    l->codes[i] = code;
  }
}

/* Literals that have been checked. */
static rdx_status code_literals(const context *c, const rdx_predicate *leaf, rdx_probe_role role, literals *out,
                                rdx_error *err) {
  const rdx_encoded_column *column = &c->columns[leaf->column];
  const rdx_column *values = &leaf->values;
  *out = (literals){.count = values->rows};
  RDX_TRY(rdx_arena_alloc(c->arena, values->rows, 8, "the literals of a predicate", (void **)&out->codes, err));
  RDX_TRY(rdx_arena_alloc(c->arena, (values->rows + 31) / 32, 4, "the literals of a predicate", (void **)&out->usable,
                          err));
  memset(out->codes, 0, values->rows * 8);
  memset(out->usable, 0xff, (values->rows + 31) / 32 * 4);
  for (uint64_t i = 0; i < values->rows; i++)
    out->has_null |= !rdx_column_has(values, i);
  if (column->type == RDX_TYPE_STRING) {
    code_strings(column, values, role, out);
    return RDX_OK;
  }
  const rdx_probe_target target = {column->type, column->scale, true, role};
  RDX_TRY(rdx_keys_encode_probes(values, 0, values->rows, &target, out->codes, out->usable, err));
  if (column->key_bits == 32)
    widen(out);
  return RDX_OK;
}

static uint64_t wanted_literals(rdx_predicate_kind kind) {
  return kind == RDX_PREDICATE_BETWEEN ? 2 : 1;
}

static rdx_status check_leaf(const context *c, const rdx_predicate *leaf, rdx_error *err) {
  if (leaf->column >= c->count)
    return rdx_fail(err, RDX_ERROR_ARGUMENT, "a predicate over column %u: the scan has %u columns, from 0",
                    leaf->column, c->count);
  if (leaf->kind >= RDX_PREDICATE_IS_NULL)
    return RDX_OK;
  const rdx_encoded_column *column = &c->columns[leaf->column];
  if (leaf->values.device)
    return rdx_fail(err, RDX_ERROR_ARGUMENT, "the literals of a predicate must be in host memory");
  RDX_TRY(rdx_column_check(&leaf->values, "the literals of a predicate", err));
  const rdx_type type = leaf->values.type;
  const rdx_probe_target target = {column->type, column->scale, true, RDX_PROBE_POINT};
  uint32_t bits = UINT32_MAX;
  if (column->type == RDX_TYPE_STRING
          ? type != RDX_TYPE_STRING
          : rdx_keys_encode_probes(&leaf->values, 0, 0, &target, NULL, &bits, NULL) != RDX_OK)
    return rdx_fail(err, RDX_ERROR_ARGUMENT,
                    "column %u is of type %s, which cannot be compared with a literal of type %s", leaf->column,
                    rdx_type_name(column->type), rdx_type_name(type));
  if (leaf->kind != RDX_PREDICATE_IN && leaf->values.rows != wanted_literals(leaf->kind))
    return rdx_fail(err, RDX_ERROR_ARGUMENT, "a comparison has %llu literals, but takes %llu",
                    (unsigned long long)leaf->values.rows, (unsigned long long)wanted_literals(leaf->kind));
  if (leaf->values.rows >= UINT32_MAX / 2)
    return rdx_fail(err, RDX_ERROR_UNSUPPORTED, "a list of %llu literals is too long",
                    (unsigned long long)leaf->values.rows);
  return RDX_OK;
}

/* ---- Terms ---- */

static bool has_values(const rdx_encoded_column *c) {
  return c->smallest <= c->largest;
}

/* The keys that values may have. Packed codes of strings stand for all of the dictionary, whether rows have them or
 * not. */
static rdx_interval values_of(const context *c, const rdx_encoded_column *column) {
  return c->domain == RDX_DOMAIN_CODES && column->type == RDX_TYPE_STRING
             ? (rdx_interval){0, column->count - 1}
             : (rdx_interval){column->smallest, column->largest};
}

/* What sets of the domain lie in. */
static rdx_interval all_of(const context *c, const rdx_encoded_column *column) {
  return c->domain == RDX_DOMAIN_CODES ? (rdx_interval){0, rdx_encoded_column_codes(column) - 1} : values_of(c, column);
}

static bool is_all(const context *c, uint32_t column, const rdx_code_set *set) {
  const rdx_interval all = all_of(c, &c->columns[column]);
  return set->list[0].low == all.low && set->list[0].high == all.high;
}

static rdx_term_node make_term(const context *c, uint32_t column, rdx_code_set set) {
  const bool nulls = c->domain == RDX_DOMAIN_KEYS && c->columns[column].nulls > 0;
  if (set.count == 0)
    return never;
  return !nulls && is_all(c, column, &set) ? always : (rdx_term_node){.kind = RDX_NODE_TERM, .term = {column, set}};
}

/* Keys `from` .. `to`, clipped. */
static rdx_status make_span(const context *c, const rdx_encoded_column *column, uint64_t from, uint64_t to,
                            rdx_code_set *out, rdx_error *err) {
  const rdx_interval all = values_of(c, column);
  *out = (rdx_code_set){0};
  if (from > all.high || to < all.low || from > to)
    return RDX_OK;
  RDX_TRY(rdx_arena_alloc(c->arena, 1, sizeof *out->list, "a predicate", (void **)&out->list, err));
  out->list[0] = (rdx_interval){from > all.low ? from : all.low, to < all.high ? to : all.high};
  out->count = 1;
  return RDX_OK;
}

/* The packed codes of keys of a column, in place. Keys that no row has leave no code, and may have kept sets apart. */
static void take_codes(const rdx_encoded_column *column, rdx_code_set *set) {
  uint32_t kept = 0;
  for (uint32_t i = 0; i < set->count; i++) {
    const rdx_interval keys = set->list[i];
    if (!rdx_encoded_column_has_ranks(column)) {
      set->list[kept++] = (rdx_interval){keys.low - column->base, keys.high - column->base};
      continue;
    }
    const uint64_t begin = rdx_encoded_column_rank(column, keys.low);
    const uint64_t end = keys.high == UINT64_MAX ? column->count : rdx_encoded_column_rank(column, keys.high + 1);
    if (begin < end)
      set->list[kept++] = (rdx_interval){begin, end - 1};
  }
  set->count = rdx_code_set_union(set->list, kept);
}

/* The keys for which a leaf is true, or (`turned`) false, as a term of the domain. */
static rdx_status finish_leaf(const context *c, uint32_t number, rdx_code_set keys, bool turned, rdx_term_node *out,
                              rdx_error *err) {
  const rdx_encoded_column *column = &c->columns[number];
  const rdx_interval all = values_of(c, column);
  if (turned)
    RDX_TRY(rdx_code_set_complement(keys, all.low, all.high, c->arena, &keys, err));
  if (c->domain == RDX_DOMAIN_CODES)
    take_codes(column, &keys);
  *out = make_term(c, number, keys);
  return RDX_OK;
}

/* =, <> and lists. An unknown comparison in a list leaves the list unknown where no other one is true. */
static rdx_status make_points(const context *c, const rdx_predicate *leaf, bool turned, rdx_term_node *out,
                              rdx_error *err) {
  const rdx_encoded_column *column = &c->columns[leaf->column];
  const rdx_interval all = values_of(c, column);
  literals l;
  rdx_code_set set = {0};
  if (leaf->values.rows == 0) {
    *out = turned ? always : never;
    return RDX_OK;
  }
  RDX_TRY(code_literals(c, leaf, RDX_PROBE_POINT, &l, err));
  *out = never;
  if (!has_values(column) || (turned && l.has_null))
    return RDX_OK;
  RDX_TRY(rdx_arena_alloc(c->arena, l.count, sizeof *set.list, "a predicate", (void **)&set.list, err));
  for (uint64_t i = 0; i < l.count; i++)
    if (is_usable(&l, i) && l.codes[i] >= all.low && l.codes[i] <= all.high)
      set.list[set.count++] = (rdx_interval){l.codes[i], l.codes[i]};
  set.count = rdx_code_set_union(set.list, set.count);
  return finish_leaf(c, leaf->column, set, turned, out, err);
}

/* column >= literal `i` (LOWER) or column <= it (UPPER), or turned round < and >. */
static rdx_status make_bound(const context *c, const rdx_predicate *leaf, uint64_t i, rdx_probe_role role, bool turned,
                             rdx_term_node *out, rdx_error *err) {
  const rdx_encoded_column *column = &c->columns[leaf->column];
  literals l;
  rdx_code_set set = {0};
  RDX_TRY(code_literals(c, leaf, role, &l, err));
  *out = never;
  if (!has_values(column) || !rdx_column_has(&leaf->values, i))
    return RDX_OK;
  const bool lower = role == RDX_PROBE_LOWER;
  if (is_usable(&l, i))
    RDX_TRY(make_span(c, column, lower ? l.codes[i] : 0, lower ? UINT64_MAX : l.codes[i], &set, err));
  return finish_leaf(c, leaf->column, set, turned, out, err);
}

static rdx_status combine(const context *c, rdx_node_kind kind, rdx_term_node *children, uint32_t count,
                          rdx_term_node *out, rdx_error *err);

static rdx_status make_between(const context *c, const rdx_predicate *leaf, bool turned, rdx_term_node *out,
                               rdx_error *err) {
  rdx_term_node sides[2];
  RDX_TRY(make_bound(c, leaf, 0, RDX_PROBE_LOWER, turned, &sides[0], err));
  RDX_TRY(make_bound(c, leaf, 1, RDX_PROBE_UPPER, turned, &sides[1], err));
  return combine(c, turned ? RDX_NODE_OR : RDX_NODE_AND, sides, 2, out, err);
}

static rdx_status make_null_test(const context *c, const rdx_predicate *leaf, bool null, rdx_term_node *out,
                                 rdx_error *err) {
  const rdx_encoded_column *column = &c->columns[leaf->column];
  rdx_code_set set = {0};
  if (!null) {
    if (has_values(column))
      RDX_TRY(make_span(c, column, 0, UINT64_MAX, &set, err));
    return finish_leaf(c, leaf->column, set, false, out, err);
  }
  *out = (rdx_term_node){.kind = RDX_NODE_NULL, .term = {.column = leaf->column}};
  if (column->nulls == 0) {
    *out = never;
  } else if (column->nulls == column->rows) {
    *out = always;
  } else if (c->domain == RDX_DOMAIN_CODES) {
    RDX_TRY(rdx_arena_alloc(c->arena, 1, sizeof *set.list, "a predicate", (void **)&set.list, err));
    set.list[set.count++] = (rdx_interval){column->count, column->count};
    *out = make_term(c, leaf->column, set);
  }
  return RDX_OK;
}

static rdx_status make_leaf(const context *c, const rdx_predicate *leaf, bool turned, rdx_term_node *out,
                            rdx_error *err) {
  RDX_TRY(check_leaf(c, leaf, err));
  switch (leaf->kind) {
  case RDX_PREDICATE_EQ:
  case RDX_PREDICATE_IN:
    return make_points(c, leaf, turned, out, err);
  case RDX_PREDICATE_NE:
    return make_points(c, leaf, !turned, out, err);
  case RDX_PREDICATE_GE:
    return make_bound(c, leaf, 0, RDX_PROBE_LOWER, turned, out, err);
  case RDX_PREDICATE_LT:
    return make_bound(c, leaf, 0, RDX_PROBE_LOWER, !turned, out, err);
  case RDX_PREDICATE_LE:
    return make_bound(c, leaf, 0, RDX_PROBE_UPPER, turned, out, err);
  case RDX_PREDICATE_GT:
    return make_bound(c, leaf, 0, RDX_PROBE_UPPER, !turned, out, err);
  case RDX_PREDICATE_BETWEEN:
    return make_between(c, leaf, turned, out, err);
  case RDX_PREDICATE_IS_NULL:
    return make_null_test(c, leaf, !turned, out, err);
  case RDX_PREDICATE_IS_NOT_NULL:
    return make_null_test(c, leaf, turned, out, err);
  default:
    return rdx_fail(err, RDX_ERROR_ARGUMENT, "unknown predicate kind %d", (int)leaf->kind);
  }
}

/* ---- Connectives ---- */

/* What decides an AND or OR alone, and what does nothing in it. */
static rdx_node_kind absorbing(rdx_node_kind kind) {
  return kind == RDX_NODE_AND ? RDX_NODE_FALSE : RDX_NODE_TRUE;
}

static rdx_node_kind neutral(rdx_node_kind kind) {
  return kind == RDX_NODE_AND ? RDX_NODE_TRUE : RDX_NODE_FALSE;
}

static int compare_nodes(const void *x, const void *y) {
  const rdx_term_node *a = x, *b = y;
  if (a->kind != b->kind)
    return (int)a->kind - (int)b->kind;
  return (a->term.column > b->term.column) - (a->term.column < b->term.column);
}

/* Children in one list without those that do nothing, with the children of children of the same kind. */
static rdx_status flatten(const context *c, rdx_node_kind kind, const rdx_term_node *children, uint32_t count,
                          rdx_term_node **out, uint32_t *out_count, rdx_error *err) {
  uint64_t total = 0;
  for (uint32_t i = 0; i < count; i++)
    total += children[i].kind == kind ? children[i].count : 1;
  if (total >= UINT32_MAX)
    return rdx_fail(err, RDX_ERROR_UNSUPPORTED, "the predicate is too large");
  RDX_TRY(rdx_arena_alloc(c->arena, total, sizeof **out, "a predicate", (void **)out, err));
  uint32_t n = 0;
  for (uint32_t i = 0; i < count; i++) {
    if (children[i].kind == kind) {
      memcpy(*out + n, children[i].children, children[i].count * sizeof **out);
      n += children[i].count;
    } else if (children[i].kind != neutral(kind)) {
      (*out)[n++] = children[i];
    }
  }
  *out_count = n;
  return RDX_OK;
}

/* RTScan, section 3.1 "common subexpression elimination (CSE)". */
/* One term for terms of the same column: their union, or the complement of the union of their complements. */
static rdx_status merge_terms(const context *c, rdx_node_kind kind, const rdx_term_node *terms, uint32_t count,
                              rdx_term_node *out, rdx_error *err) {
  const uint32_t number = terms[0].term.column;
  const rdx_interval domain = all_of(c, &c->columns[number]);
  uint64_t total = 0;
  for (uint32_t i = 0; i < count; i++)
    total += terms[i].term.set.count + 1ul;
  if (total >= UINT32_MAX)
    return rdx_fail(err, RDX_ERROR_UNSUPPORTED, "the predicate is too large");
  rdx_code_set all = {0};
  RDX_TRY(rdx_arena_alloc(c->arena, total, sizeof *all.list, "a predicate", (void **)&all.list, err));
  for (uint32_t i = 0; i < count; i++) {
    rdx_code_set part = terms[i].term.set;
    if (kind == RDX_NODE_AND)
      RDX_TRY(rdx_code_set_complement(part, domain.low, domain.high, c->arena, &part, err));
    memcpy(all.list + all.count, part.list, part.count * sizeof *all.list);
    all.count += part.count;
  }
  all.count = rdx_code_set_union(all.list, all.count);
  if (kind == RDX_NODE_AND)
    RDX_TRY(rdx_code_set_complement(all, domain.low, domain.high, c->arena, &all, err));
  *out = make_term(c, number, all);
  return RDX_OK;
}

/* Merge terms and NULL nodes of equal columns among sorted children; drop what does nothing. */
static rdx_status merge(const context *c, rdx_node_kind kind, rdx_term_node *nodes, uint32_t *count, rdx_error *err) {
  uint32_t kept = 0;
  for (uint32_t i = 0, end; i < *count; i = end) {
    end = i + 1;
    if (nodes[i].kind == RDX_NODE_TERM || nodes[i].kind == RDX_NODE_NULL)
      while (end < *count && compare_nodes(&nodes[i], &nodes[end]) == 0)
        end++;
    rdx_term_node node = nodes[i];
    if (node.kind == RDX_NODE_TERM && end - i > 1)
      RDX_TRY(merge_terms(c, kind, nodes + i, end - i, &node, err));
    if (node.kind != neutral(kind))
      nodes[kept++] = node;
  }
  *count = kept;
  return RDX_OK;
}

/* Whether the children decide the whole: one of them does, or a column has to be NULL and in a set (AND), or may be
 * NULL or anything else (OR). */
static bool is_decided(const context *c, rdx_node_kind kind, const rdx_term_node *nodes, uint32_t count) {
  uint32_t terms = 0;
  while (terms < count && nodes[terms].kind == RDX_NODE_TERM)
    terms++;
  for (uint32_t i = 0, t = 0; i < count; i++) {
    if (nodes[i].kind == absorbing(kind))
      return true;
    if (nodes[i].kind != RDX_NODE_NULL)
      continue;
    const uint32_t column = nodes[i].term.column;
    while (t < terms && nodes[t].term.column < column)
      t++;
    if (t < terms && nodes[t].term.column == column && (kind == RDX_NODE_AND || is_all(c, column, &nodes[t].term.set)))
      return true;
  }
  return false;
}

static rdx_status combine(const context *c, rdx_node_kind kind, rdx_term_node *children, uint32_t count,
                          rdx_term_node *out, rdx_error *err) {
  rdx_term_node *nodes = NULL;
  uint32_t n = 0;
  RDX_TRY(flatten(c, kind, children, count, &nodes, &n, err));
  if (n > 1)
    qsort(nodes, n, sizeof *nodes, compare_nodes);
  RDX_TRY(merge(c, kind, nodes, &n, err));
  /* A merge may have decided: bring that to light, too. */
  if (is_decided(c, kind, nodes, n))
    *out = kind == RDX_NODE_AND ? never : always;
  else if (n == 0)
    *out = kind == RDX_NODE_AND ? always : never;
  else if (n == 1)
    *out = nodes[0];
  else
    *out = (rdx_term_node){.kind = kind, .count = n, .children = nodes};
  return RDX_OK;
}

/* ---- Trees ---- */

static rdx_status normalize(const context *c, const rdx_predicate *p, bool turned, uint32_t depth, rdx_term_node *out,
                            rdx_error *err) {
  if (depth > RDX_PREDICATE_DEPTH)
    return rdx_fail(err, RDX_ERROR_UNSUPPORTED, "the predicate is more than %d levels deep", RDX_PREDICATE_DEPTH);
  if (p->kind == RDX_PREDICATE_TRUE) {
    *out = turned ? never : always;
    return RDX_OK;
  }
  if (p->kind > RDX_PREDICATE_NOT || p->kind < RDX_PREDICATE_TRUE)
    return make_leaf(c, p, turned, out, err);
  if (p->child_count > 0 && !p->children)
    return rdx_fail(err, RDX_ERROR_ARGUMENT, "a predicate names %u children, but has none", p->child_count);
  if (p->kind == RDX_PREDICATE_NOT) {
    if (p->child_count != 1)
      return rdx_fail(err, RDX_ERROR_ARGUMENT, "NOT takes one child, not %u", p->child_count);
    return normalize(c, p->children, !turned, depth + 1, out, err);
  }
  rdx_term_node *children = NULL;
  RDX_TRY(rdx_arena_alloc(c->arena, p->child_count, sizeof *children, "a predicate", (void **)&children, err));
  for (uint32_t i = 0; i < p->child_count; i++)
    RDX_TRY(normalize(c, &p->children[i], turned, depth + 1, &children[i], err));
  const bool conjunction = (p->kind == RDX_PREDICATE_AND) != turned;
  return combine(c, conjunction ? RDX_NODE_AND : RDX_NODE_OR, children, p->child_count, out, err);
}

rdx_status rdx_predicate_normalize(const rdx_encoded_column *columns, uint32_t count, rdx_domain domain,
                                   const rdx_predicate *predicate, rdx_arena *arena, rdx_term_node *out,
                                   rdx_error *err) {
  const context c = {columns, count, domain, arena};
  return normalize(&c, predicate, false, 1, out, err);
}

rdx_predicate_kind rdx_predicate_mirrored(rdx_predicate_kind kind) {
  static const rdx_predicate_kind mirror[] = {RDX_PREDICATE_EQ, RDX_PREDICATE_NE, RDX_PREDICATE_GT,
                                              RDX_PREDICATE_GE, RDX_PREDICATE_LT, RDX_PREDICATE_LE};
  return mirror[kind - RDX_PREDICATE_EQ];
}
