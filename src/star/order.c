/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* HAVING, ORDER BY and LIMIT, on the codes and keys of columns. */

#include "star/result.h"

#include <string.h>

#include "column/keys.h"
#include "base/numbers.h"

typedef struct ordering {
  rdx_finishing *f;
  uint64_t **keys; /* of columns of values that are asked for */
} ordering;

/* ---- Keys ---- */

/* The keys of a column of values, or the codes of an attribute. */
static rdx_status list_keys(ordering *o, uint32_t column, rdx_error *err) {
  rdx_group_column *c = &o->f->columns[column];
  const uint64_t n = c->values.rows;
  if (c->attribute)
    return rdx_group_codes(o->f, column, err);
  if (o->keys[column])
    return RDX_OK;
  RDX_TRY(rdx_arena_alloc(o->f->arena, n, 8, "the keys of a result", (void **)&o->keys[column], err));
  uint64_t *keys = o->keys[column];
  rdx_keys_encode(&c->values, 0, n, keys);
  for (uint64_t i = n; rdx_key_bits(c->values.type) == 32 && i-- > 0;) { /* widened in place, from the end */
    uint32_t key;
    memcpy(&key, (const char *)keys + 4 * i, sizeof key);
    keys[i] = key;
  }
  c->low = UINT64_MAX;
  c->high = 0;
  for (uint64_t i = 0; i < n; i++) {
    if (c->nulls && !rdx_column_has(&c->values, i))
      continue;
    c->low = keys[i] < c->low ? keys[i] : c->low;
    c->high = keys[i] > c->high ? keys[i] : c->high;
  }
  return RDX_OK;
}

static bool is_null(const rdx_group_column *c, uint64_t group) {
  return c->nulls && (c->attribute ? c->codes[group] >= c->attribute->count : !rdx_column_has(&c->values, group));
}

/* Codes or keys, in their order. */
static const uint64_t *keys_of(const ordering *o, uint32_t column) {
  return o->f->columns[column].attribute ? o->f->columns[column].codes : o->keys[column];
}

/* ---- HAVING ---- */

/* List what the leaves of a predicate ask for. */
static rdx_status list_asked(ordering *o, const rdx_predicate *p, uint32_t depth, rdx_error *err) {
  if (p->kind == RDX_PREDICATE_TRUE || depth > RDX_PREDICATE_DEPTH)
    return RDX_OK; /* what is too deep is refused when it is brought into its form */
  if (p->kind <= RDX_PREDICATE_NOT) {
    for (uint32_t i = 0; p->children && i < p->child_count; i++)
      RDX_TRY(list_asked(o, &p->children[i], depth + 1, err));
    return RDX_OK;
  }
  return p->column < o->f->column_count ? list_keys(o, p->column, err) : RDX_OK;
}

/* What the form of predicates wants to know of a column. */
static rdx_encoded_column describe(const rdx_group_column *c) {
  rdx_encoded_column described = {.type = c->values.type,
                                  .scale = c->values.scale,
                                  .key_bits = rdx_key_bits(c->values.type),
                                  .smallest = c->low,
                                  .largest = c->high};
  if (c->attribute)
    described = *c->attribute;
  described.nulls = c->nulls;
  described.rows = UINT64_MAX; /* whether all are NULL is not known */
  return described;
}

static bool has_key(const ordering *o, const rdx_term *term, uint64_t group) {
  const rdx_group_column *c = &o->f->columns[term->column];
  if (is_null(c, group))
    return false;
  const uint64_t key =
      c->attribute ? rdx_encoded_column_key(c->attribute, c->codes[group]) : o->keys[term->column][group];
  return rdx_code_set_has(&term->set, key);
}

static bool qualifies(const ordering *o, const rdx_term_node *node, uint64_t group) {
  switch (node->kind) {
  case RDX_NODE_TERM:
    return has_key(o, &node->term, group);
  case RDX_NODE_NULL:
    return is_null(&o->f->columns[node->term.column], group);
  case RDX_NODE_AND:
  case RDX_NODE_OR:
    for (uint32_t i = 0; i < node->count; i++)
      if (qualifies(o, &node->children[i], group) != (node->kind == RDX_NODE_AND))
        return node->kind == RDX_NODE_OR;
    return node->kind == RDX_NODE_AND;
  default:
    return node->kind == RDX_NODE_TRUE;
  }
}

static rdx_status apply_having(ordering *o, rdx_error *err) {
  rdx_finishing *f = o->f;
  rdx_encoded_column *columns = NULL;
  uint64_t *rows = NULL, count = 0;
  rdx_term_node node;
  RDX_TRY(list_asked(o, f->plan->query->having, 1, err));
  RDX_TRY(rdx_arena_alloc(f->arena, f->column_count, sizeof *columns, "a result", (void **)&columns, err));
  for (uint32_t i = 0; i < f->column_count; i++)
    columns[i] = describe(&f->columns[i]);
  RDX_TRY(
      rdx_predicate_normalize(columns, f->column_count, RDX_DOMAIN_KEYS, f->plan->query->having, f->arena, &node, err));
  RDX_TRY(rdx_arena_alloc(f->arena, f->count, sizeof *rows, "the rows of a result", (void **)&rows, err));
  for (uint64_t i = 0; i < f->count; i++) {
    rows[count] = i;
    count += qualifies(o, &node, i);
  }
  f->rows = rows;
  f->count = count;
  return RDX_OK;
}

/* ---- ORDER BY ---- */

#define MAX_COLUMNS (RDX_MAX_GROUP_BY + RDX_MAX_AGGREGATES)

/* The terms that tell rows apart: not those of a column that stands before already, nor any once all attributes of the
 * groups do. Returns their number. */
static uint32_t find_terms(const rdx_finishing *f, rdx_order *terms) {
  const rdx_query *q = f->plan->query;
  uint32_t seen = 0, count = 0, groups = 0;
  for (uint32_t i = 0; i < q->group_count; i++)
    groups |= (uint32_t)(f->plan->group_width[i] > 1) << i;
  for (uint32_t i = 0; i < q->order_count && (groups & ~seen) != 0; i++) {
    const uint32_t column = q->order_by[i].column;
    const bool tells = column >= q->group_count || (groups >> column & 1) != 0;
    if (tells && (seen >> column & 1) == 0)
      terms[count++] = q->order_by[i];
    seen |= 1u << column;
  }
  return count;
}

/* RTCUDB, section 5 "avoids the real execution of OrderBy in certain queries". */
/* Whether they say what the numbers of groups do: the first attributes, ascending (RTCUDB, section 4.3). */
static bool are_numbered(const rdx_finishing *f, const rdx_order *terms, uint32_t count) {
  uint32_t column = 0;
  for (uint32_t i = 0; i < count; i++, column++) {
    while (column < f->plan->query->group_count && f->plan->group_width[column] == 1)
      column++;
    if (terms[i].column != column || terms[i].descending || (terms[i].nulls_first && f->columns[column].nulls))
      return false;
  }
  return true;
}

/* What rows are sorted by: numbers that ascend, those of all terms packed into as few words as hold them. */
typedef struct sort_words {
  uint64_t *words; /* `size` for each group */
  uint32_t size;
  uint32_t bits; /* that are free in the last of the words so far */
} sort_words;

typedef struct packed_term {
  uint32_t flag_word, flag_shift; /* of the bit that says whether a value is NULL, where some may be */
  uint32_t word, shift, bits;     /* of the value less the least, or the largest less it */
} packed_term;

/* The word that `bits` more are packed into, one after another. */
static uint32_t next_word(sort_words *s, uint32_t bits) {
  if (s->size == 0 || bits > s->bits) {
    s->size++;
    s->bits = 64;
  }
  s->bits -= bits;
  return s->size - 1;
}

static packed_term lay_out(const rdx_group_column *c, sort_words *s) {
  packed_term p = {.bits = c->low < c->high ? rdx_bit_length(c->high - c->low) : 0};
  p.flag_word = c->nulls ? next_word(s, 1) : 0;
  p.flag_shift = s->bits;
  p.word = next_word(s, p.bits);
  p.shift = p.bits > 0 ? s->bits : 0;
  return p;
}

static void pack_term(const ordering *o, const rdx_order *term, const packed_term *p, const sort_words *s) {
  const rdx_group_column *c = &o->f->columns[term->column];
  const uint64_t *keys = keys_of(o, term->column), n = o->f->groups->count;
  const uint64_t turn = term->descending ? UINT64_MAX : 0, first = (term->descending ? c->high : c->low) ^ turn;
  const uint32_t size = s->size, shift = p->shift;
  if (!c->nulls && size == 1) { /* most queries */
    uint64_t *restrict words = s->words;
    for (uint64_t i = 0; i < n; i++)
      words[i] |= ((keys[i] ^ turn) - first) << shift;
    return;
  }
  for (uint64_t i = 0; i < n; i++) {
    const bool null = is_null(c, i);
    if (c->nulls)
      s->words[i * size + p->flag_word] |= (uint64_t)(null != term->nulls_first) << p->flag_shift;
    if (!null)
      s->words[i * size + p->word] |= ((keys[i] ^ turn) - first) << shift;
  }
}

static rdx_status pack_terms(ordering *o, const rdx_order *terms, uint32_t count, sort_words *s, rdx_error *err) {
  packed_term packed[MAX_COLUMNS];
  const uint64_t n = o->f->groups->count;
  for (uint32_t i = 0; i < count; i++) {
    RDX_TRY(list_keys(o, terms[i].column, err));
    packed[i] = lay_out(&o->f->columns[terms[i].column], s);
  }
  RDX_TRY(rdx_arena_alloc(o->f->arena, n, s->size * 8ul, "the order of a result", (void **)&s->words, err));
  memset(s->words, 0, n * s->size * 8ul);
  for (uint32_t i = 0; i < count; i++)
    pack_term(o, &terms[i], &packed[i], s);
  return RDX_OK;
}

/* Order the rows that are left by words; those of equal ones stay as they are. */
static rdx_status sort_rows(rdx_finishing *f, const uint64_t *words, uint32_t size, rdx_error *err) {
  const uint64_t n = f->count, *rows = f->rows;
  uint64_t *keys = NULL;
  const uint64_t needed = size == 1 ? 5 * n + 4 : (n + 1) * (size + 1) * 2;
  RDX_TRY(rdx_arena_alloc(f->arena, needed, 8, "the order of a result", (void **)&keys, err));
  if (size == 1) {
    for (uint64_t i = 0; rows && i < n; i++)
      keys[i] = words[rows[i]];
    rdx_sort_order(rows ? keys : words, n, keys, keys + n);
    for (uint64_t i = 0; rows && i < n; i++)
      keys[i] = rows[keys[i]];
    f->rows = keys;
    return RDX_OK;
  }
  for (uint64_t i = 0; i < n; i++) {
    const uint64_t row = rows ? rows[i] : i;
    memcpy(keys + i * (size + 1), words + row * size, size * 8ul);
    keys[i * (size + 1) + size] = row;
  }
  const uint64_t *sorted = rdx_sort(keys, n, size + 1, size, keys + n * (size + 1));
  for (uint64_t i = 0; i < n; i++)
    keys[i] = sorted[i * (size + 1) + size];
  f->rows = keys;
  return RDX_OK;
}

/* Whether rows that follow each other are equal in the words that they are sorted by. */
static bool have_ties(const rdx_finishing *f, const sort_words *s) {
  for (uint64_t i = 1; i < f->count; i++) {
    const uint64_t *a = s->words + f->rows[i - 1] * s->size, *b = s->words + f->rows[i] * s->size;
    uint32_t word = 0;
    while (word < s->size && a[word] == b[word])
      word++;
    if (word == s->size)
      return true;
  }
  return false;
}

/* Rows that no term tells apart are in the order of their groups' numbers. */
static rdx_status order_rows(ordering *o, rdx_error *err) {
  rdx_finishing *f = o->f;
  const uint64_t *rows = f->rows, *numbers = f->groups->numbers;
  rdx_order terms[MAX_COLUMNS];
  sort_words s = {0};
  const uint32_t count = find_terms(f, terms);
  if (are_numbered(f, terms, count))
    return f->groups->ascending ? RDX_OK : sort_rows(f, numbers, 1, err);
  RDX_TRY(pack_terms(o, terms, count, &s, err));
  RDX_TRY(sort_rows(f, s.words, s.size, err));
  if (f->groups->ascending || !have_ties(f, &s))
    return RDX_OK;
  f->rows = rows;
  RDX_TRY(sort_rows(f, numbers, 1, err));
  return sort_rows(f, s.words, s.size, err);
}

/* ---- LIMIT ---- */

static rdx_status limit_rows(rdx_finishing *f, rdx_error *err) {
  const rdx_query *q = f->plan->query;
  const uint64_t first = q->offset < f->count ? q->offset : f->count, rest = f->count - first;
  const uint64_t count = q->limit < rest ? q->limit : rest;
  uint64_t *rows = NULL;
  if (count == f->count)
    return RDX_OK;
  f->count = count;
  if (f->rows) {
    f->rows += first;
    return RDX_OK;
  }
  RDX_TRY(rdx_arena_alloc(f->arena, count, sizeof *rows, "the rows of a result", (void **)&rows, err));
  for (uint64_t i = 0; i < count; i++)
    rows[i] = first + i;
  f->rows = rows;
  return RDX_OK;
}

/* RTCUDB, section 5 "OrderBy, Having, and Top". */
rdx_status rdx_groups_order(rdx_finishing *f, rdx_error *err) {
  ordering o = {.f = f};
  RDX_TRY(rdx_arena_alloc(f->arena, f->column_count, sizeof *o.keys, "a result", (void **)&o.keys, err));
  memset(o.keys, 0, f->column_count * sizeof *o.keys);
  if (f->plan->query->having)
    RDX_TRY(apply_having(&o, err));
  RDX_TRY(order_rows(&o, err));
  return f->plan->query->limited ? limit_rows(f, err) : RDX_OK;
}
