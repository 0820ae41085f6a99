/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* The ranges of places that a condition means. */

#include <stdlib.h>
#include <string.h>

#include "star/tuples.h"

/* The first of keys begin .. end - 1 that is not below `key`, which is probably near `begin`. */
static uint32_t lower_bound_near(const uint64_t *keys, uint32_t begin, uint32_t end, uint64_t key) {
  uint32_t step = 1;
  while (step < end - begin && keys[begin + step] < key) {
    begin += step;
    step *= 2;
  }
  return lower_bound_u64(keys, begin, step < end - begin ? begin + step : end, key);
}

/* ---- Selecting: down the attributes, as through a trie whose nodes are runs of keys ---- */

#define MAX_DERIVED 64

/* What the terms of other attributes say of an attribute without one. */
typedef struct derived {
  rdx_code_set set;
  rdx_interval list[MAX_DERIVED];
} derived;

typedef struct selection {
  const rdx_tuples *tuples;
  const rdx_code_set *sets[RDX_MAX_TUPLE]; /* of codes; NULL: any */
  uint32_t depth;                          /* of the last that has one, plus 1 */
  rdx_ranges *ranges;
  rdx_error *err;
} selection;

rdx_status rdx_ranges_add(rdx_ranges *r, uint32_t begin, uint32_t end, rdx_error *err) {
  if (begin >= end)
    return RDX_OK;
  if (r->count > 0 && r->list[2 * r->count - 1] == begin) {
    r->list[2 * r->count - 1] = end;
    return RDX_OK;
  }
  if (r->count > INT32_MAX - 1)
    return rdx_fail(err, RDX_ERROR_UNSUPPORTED, "a query selects more than 2^31 - 1 ranges of a cube");
  if (r->count == r->capacity) {
    const uint32_t capacity = r->capacity ? 2 * r->capacity : 64;
    RDX_TRY(rdx_realloc((void **)&r->list, capacity, 8, "the ranges of a query", err));
    r->capacity = capacity;
  }
  r->list[2 * r->count] = begin;
  r->list[2 * r->count++ + 1] = end;
  return RDX_OK;
}

/* An interval of codes as one of fields; false where it is empty. */
static bool fields_of(const rdx_tuples *t, uint32_t position, rdx_interval codes, uint64_t *low, uint64_t *high) {
  const uint64_t max = rdx_tuples_max(t, position), *dictionary = t->dictionaries[position];
  *low = codes.low;
  *high = codes.high;
  if (dictionary) {
    const uint32_t n = t->dictionary_counts[position];
    *low = lower_bound_u64(dictionary, 0, n, codes.low);
    const uint64_t end = codes.high == UINT64_MAX ? n : lower_bound_u64(dictionary, (uint32_t)*low, n, codes.high + 1);
    if (end <= *low)
      return false;
    *high = end - 1;
  }
  *high = *high < max ? *high : max;
  return *low <= *high;
}

static rdx_status descend(selection *s, uint32_t begin, uint32_t end, uint32_t position);

/* Go on below each distinct value of the attribute at `position`. */
static rdx_status descend_each(selection *s, uint32_t begin, uint32_t end, uint32_t position) {
  const rdx_tuples *t = s->tuples;
  if (t->bits[position] == 0)
    return descend(s, begin, end, position + 1);
  while (begin < end) {
    const uint64_t next = ((t->keys[begin] >> t->shifts[position]) + 1) << t->shifts[position];
    const uint32_t stop = next == 0 ? end : lower_bound_near(t->keys, begin, end, next); /* 0: it was the last of all */
    RDX_TRY(descend(s, begin, stop, position + 1));
    begin = stop;
  }
  return RDX_OK;
}

static rdx_status below(selection *s, uint32_t begin, uint32_t end, uint32_t position) {
  return position + 1 == s->depth ? rdx_ranges_add(s->ranges, begin, end, s->err)
                                  : descend_each(s, begin, end, position);
}

/* Keys begin .. end - 1 agree in all attributes before `position`. */
static rdx_status descend(selection *s, uint32_t begin, uint32_t end, uint32_t position) {
  const rdx_tuples *t = s->tuples;
  if (begin >= end)
    return RDX_OK;
  if (position >= s->depth)
    return rdx_ranges_add(s->ranges, begin, end, s->err);
  const rdx_code_set *set = s->sets[position];
  if (!set)
    return below(s, begin, end, position);
  const uint32_t bits = t->bits[position], shift = t->shifts[position];
  const uint64_t prefix = bits + shift >= 64 ? 0 : t->keys[begin] >> (bits + shift) << (bits + shift);
  /* Intervals and keys take turns to say from where on to look: neither are all gone through. */
  uint64_t code = rdx_tuples_code(t, begin, position);
  for (uint32_t i = 0; begin < end;) {
    uint64_t low = 0, high = 0;
    i = rdx_code_set_from(set->list, i, set->count, code);
    if (i == set->count)
      break;
    if (!fields_of(t, position, set->list[i], &low, &high)) {
      if (!t->dictionaries[position] || low >= t->dictionary_counts[position])
        break;
      code = t->dictionaries[position][low];
      continue;
    }
    uint32_t stop = end;
    if (bits > 0) {
      begin = lower_bound_near(t->keys, begin, end, prefix | low << shift);
      stop = high == rdx_tuples_max(t, position) ? end
                                                 : lower_bound_near(t->keys, begin, end, prefix | (high + 1) << shift);
    }
    RDX_TRY(below(s, begin, stop, position));
    begin = stop;
    code = begin < end ? rdx_tuples_code(t, begin, position) : 0;
  }
  return RDX_OK;
}

/* False where there is no room. */
static bool add_derived(derived *d, uint64_t code) {
  if (d->set.count > 0 && d->list[d->set.count - 1].high + 1 == code) {
    d->list[d->set.count - 1].high = code;
    return true;
  }
  if (d->set.count == MAX_DERIVED)
    return false;
  d->list[d->set.count++] = (rdx_interval){code, code};
  return true;
}

/* The codes of an attribute that go with a term of another, where one determines the other; false: nothing known. */
static bool derive(const rdx_tuples *t, uint32_t position, uint32_t other, const rdx_code_set *set, derived *out) {
  const uint32_t *forth = t->determined[position][other], *back = t->determined[other][position];
  const uint64_t size = 1ull << t->bits[forth ? position : other];
  *out = (derived){.set.list = out->list};
  for (uint64_t code = 0; forth && code < size; code++)
    if (forth[code] != UINT32_MAX && rdx_code_set_has(set, forth[code]) && !add_derived(out, code))
      return false;
  for (uint32_t i = 0; !forth && back && i < set->count; i++)
    for (uint64_t code = set->list[i].low; code <= set->list[i].high && code < size; code++)
      if (back[code] != UINT32_MAX && !add_derived(out, back[code]))
        return false;
  out->set.count = rdx_code_set_union(out->list, out->set.count);
  return forth || back;
}

/* Attributes without a term that come before one with: else all their values are gone through. */
static void derive_all(selection *s, derived *scratch) {
  const rdx_code_set *asked[RDX_MAX_TUPLE];
  memcpy(asked, s->sets, sizeof asked);
  for (uint32_t position = 0; position < s->depth; position++)
    for (uint32_t other = 0; other < s->depth && !s->sets[position]; other++)
      if (asked[other] && derive(s->tuples, position, other, asked[other], &scratch[position]))
        s->sets[position] = &scratch[position].set;
}

/* ---- Selecting: tuple by tuple ---- */

#define TUPLES 1024 /* that are looked at together */

/* Leave those of `left`, one of each of keys first .. first + count - 1, whose attribute is in the set. */
static void keep(const rdx_tuples *t, uint32_t position, const rdx_code_set *set, uint32_t first, uint32_t count,
                 uint8_t *left) {
  const uint64_t *keys = t->keys + first;
  uint64_t low = 1, high = 0; /* none */
  if (set->count > 1) {
    for (uint32_t i = 0; i < count; i++)
      if (left[i])
        left[i] = rdx_code_set_has(set, rdx_tuples_code(t, first + i, position));
    return;
  }
  if (set->count == 0 || !fields_of(t, position, set->list[0], &low, &high)) {
    memset(left, 0, count);
    return;
  }
  for (uint32_t i = 0; i < count; i++)
    left[i] &= rdx_tuples_field(t, keys[i], position) - low <= high - low;
}

static rdx_status scan(selection *s) {
  const rdx_tuples *t = s->tuples;
  uint8_t left[TUPLES];
  for (uint32_t first = 0, count; first < t->count; first += count) {
    count = t->count - first < TUPLES ? t->count - first : TUPLES;
    memset(left, 1, count);
    if (first % (1024 * TUPLES) == 0 && first > 0)
      RDX_TRY(rdx_progress("query", first, t->count, s->err));
    for (uint32_t position = 0; position < s->depth; position++)
      if (s->sets[position])
        keep(t, position, s->sets[position], first, count, left);
    for (uint32_t i = 0; i < count; i++)
      if (left[i])
        RDX_TRY(rdx_ranges_add(s->ranges, first + i, first + i + 1, s->err));
  }
  return RDX_OK;
}

/* ---- Conditions ---- */

#define WORTH_PREFIXES 16 /* tuples that are looked at in the time of finding the next prefix */
#define FEW_TUPLES 256    /* of which each is asked, whatever the condition */
#define MANY_RANGES 65536
#define ASK_EACH 64 /* children of an OR whether to go on */

/* The tuples whose attributes are in `sets` (NULL: any). */
static rdx_status select_sets(const rdx_tuples *t, const rdx_code_set *const sets[RDX_MAX_TUPLE], rdx_ranges *out,
                              rdx_error *err) {
  selection s = {.tuples = t, .ranges = out, .err = err};
  derived scratch[RDX_MAX_TUPLE];
  uint32_t first = 0; /* that has a set */
  memcpy(s.sets, sets, sizeof s.sets);
  for (uint32_t i = 0; i < t->attribute_count; i++)
    s.depth = sets[i] ? i + 1 : s.depth;
  derive_all(&s, scratch);
  while (first < s.depth && !s.sets[first])
    first++;
  out->count = 0;
  return t->prefixes[first] > t->count / WORTH_PREFIXES + 1 ? scan(&s) : descend(&s, 0, t->count, 0);
}

static int compare_ranges(const void *x, const void *y) {
  const uint32_t *a = x, *b = y;
  return (a[0] > b[0]) - (a[0] < b[0]);
}

/* Ranges in any order to disjoint ascending ones. */
static void make_disjoint(rdx_ranges *r) {
  uint32_t kept = 0, *list = r->list;
  bool ascending = true;
  for (uint32_t i = 1; i < r->count && ascending; i++)
    ascending = list[2 * i - 2] <= list[2 * i];
  if (!ascending)
    qsort(list, r->count, 8, compare_ranges);
  for (uint32_t i = 0; i < r->count; i++) {
    if (kept > 0 && list[2 * i] <= list[2 * kept - 1]) {
      list[2 * kept - 1] = list[2 * i + 1] > list[2 * kept - 1] ? list[2 * i + 1] : list[2 * kept - 1];
      continue;
    }
    list[2 * kept] = list[2 * i];
    list[2 * kept++ + 1] = list[2 * i + 1];
  }
  r->count = kept;
}

static void drop_ranges(rdx_ranges *r) {
  rdx_free(r->list);
}

static void swap(rdx_ranges *x, rdx_ranges *y) {
  const rdx_ranges kept = *x;
  *x = *y;
  *y = kept;
}

/* Leave of `r` what is in `other`, too. */
static rdx_status intersect(rdx_ranges *r, const rdx_ranges *other, rdx_error *err) {
  RDX_SCOPED(drop_ranges) rdx_ranges both = {0};
  for (uint32_t i = 0, k = 0; i < r->count && k < other->count;) {
    const uint32_t *a = r->list + 2 * i, *b = other->list + 2 * k;
    RDX_TRY(rdx_ranges_add(&both, a[0] > b[0] ? a[0] : b[0], a[1] < b[1] ? a[1] : b[1], err));
    i += a[1] <= b[1];
    k += b[1] <= a[1];
  }
  swap(r, &both);
  return RDX_OK;
}

static rdx_status select_node(const rdx_tuples *t, const rdx_term_node *node,
                              const rdx_code_set *const sets[RDX_MAX_TUPLE], rdx_ranges *out, rdx_error *err);

/* Those of any child. */
static rdx_status select_any(const rdx_tuples *t, const rdx_term_node *node,
                             const rdx_code_set *const sets[RDX_MAX_TUPLE], rdx_ranges *out, rdx_error *err) {
  RDX_SCOPED(drop_ranges) rdx_ranges one = {0};
  uint32_t max = MANY_RANGES; /* that are gathered before their union is made */
  out->count = 0;
  for (uint32_t i = 0; i < node->count; i++) {
    if (i % ASK_EACH == ASK_EACH - 1)
      RDX_TRY(rdx_progress("query", i, node->count, err));
    RDX_TRY(select_node(t, &node->children[i], sets, &one, err));
    for (uint32_t k = 0; k < one.count; k++)
      RDX_TRY(rdx_ranges_add(out, one.list[2 * k], one.list[2 * k + 1], err));
    if (out->count > max) {
      make_disjoint(out);
      max = out->count > MANY_RANGES / 2 ? 2 * out->count : MANY_RANGES;
    }
  }
  make_disjoint(out);
  return RDX_OK;
}

/* Those of all children: of terms together, each of another attribute, then of the others one after the other. */
static rdx_status select_all(const rdx_tuples *t, const rdx_term_node *children, uint32_t count,
                             const rdx_code_set *const outer[RDX_MAX_TUPLE], rdx_ranges *out, rdx_error *err) {
  const rdx_code_set *sets[RDX_MAX_TUPLE];
  uint32_t taken[RDX_MAX_TUPLE]; /* the child, plus 1, whose set an attribute has */
  RDX_SCOPED(drop_ranges) rdx_ranges one = {0};
  memcpy(sets, outer, sizeof sets);
  memset(taken, 0, sizeof taken);
  for (uint32_t i = 0; i < count; i++) {
    const rdx_term_node *c = &children[i];
    const uint32_t position = c->kind == RDX_NODE_TERM ? rdx_tuples_position(t, c->term.column) : 0;
    if (c->kind != RDX_NODE_TERM || taken[position])
      continue;
    taken[position] = i + 1;
    sets[position] = &c->term.set;
  }
  RDX_TRY(select_sets(t, sets, out, err));
  for (uint32_t i = 0; i < count && out->count > 0; i++) {
    const rdx_term_node *c = &children[i];
    if (c->kind == RDX_NODE_TERM && taken[rdx_tuples_position(t, c->term.column)] == i + 1)
      continue;
    RDX_TRY(select_node(t, c, sets, &one, err));
    RDX_TRY(intersect(out, &one, err));
  }
  return RDX_OK;
}

/* The tuples for which a node holds; of those whose attributes are not in `sets` maybe none. */
static rdx_status select_node(const rdx_tuples *t, const rdx_term_node *node,
                              const rdx_code_set *const sets[RDX_MAX_TUPLE], rdx_ranges *out, rdx_error *err) {
  return node->kind == RDX_NODE_OR    ? select_any(t, node, sets, out, err)
         : node->kind == RDX_NODE_AND ? select_all(t, node->children, node->count, sets, out, err)
                                      : select_all(t, node, 1, sets, out, err);
}

static bool holds(const rdx_tuples *t, uint32_t place, const rdx_term_node *node) {
  if (node->kind == RDX_NODE_TERM) {
    const uint64_t code = rdx_tuples_code(t, place, rdx_tuples_position(t, node->term.column));
    return rdx_code_set_has(&node->term.set, code);
  }
  const bool absorbing = node->kind == RDX_NODE_OR;
  for (uint32_t i = 0; i < node->count; i++)
    if (holds(t, place, &node->children[i]) == absorbing)
      return absorbing;
  return !absorbing;
}

/* Leave those for which a node holds, of few. */
static rdx_status ask_each(const rdx_tuples *t, const rdx_term_node *node, rdx_ranges *r, rdx_error *err) {
  RDX_SCOPED(drop_ranges) rdx_ranges left = {0};
  for (uint32_t i = 0; i < r->count; i++)
    for (uint32_t place = r->list[2 * i]; place < r->list[2 * i + 1]; place++)
      if (holds(t, place, node))
        RDX_TRY(rdx_ranges_add(&left, place, place + 1, err));
  swap(r, &left);
  return RDX_OK;
}

static uint64_t count_places(const rdx_ranges *r) {
  uint64_t count = 0;
  for (uint32_t i = 0; i < r->count; i++)
    count += r->list[2 * i + 1] - r->list[2 * i];
  return count;
}

rdx_status rdx_tuples_select(const rdx_tuples *tuples, const rdx_plan *plan, rdx_ranges *ranges, rdx_error *err) {
  const rdx_code_set *sets[RDX_MAX_TUPLE] = {0};
  RDX_SCOPED(drop_ranges) rdx_ranges rest = {0};
  ranges->count = 0;
  if (plan->empty)
    return RDX_OK;
  for (uint32_t i = 0; i < plan->term_count; i++)
    sets[rdx_tuples_position(tuples, plan->terms[i].column)] = &plan->terms[i].set;
  RDX_TRY(select_sets(tuples, sets, ranges, err));
  if (!plan->residual || ranges->count == 0)
    return RDX_OK;
  if (count_places(ranges) <= FEW_TUPLES)
    return ask_each(tuples, plan->residual, ranges, err);
  RDX_TRY(select_node(tuples, plan->residual, sets, &rest, err));
  return intersect(ranges, &rest, err);
}
