/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* Rows that are equal in some columns: the words of their keys are ranked. Where few rows are new, only those old ones
 * take part that have the hash of a new one, so that these cost a pass over the old ones. */

#include "execute/equal_rows.h"

#include <string.h>

#include "column/column.h"
#include "column/keys.h"
#include "execute/keys.h"
#include "table/format.h"

#define WHAT "a comparison of rows"
#define BLOCK 1024u
#define FEW 4u /* times as many old rows as new ones make the new ones few */

typedef struct search {
  rdx_execution *x;
  uint32_t count;
  rdx_vector *coded[2]; /* the columns of old rows, of new ones: strings with dictionaries */
  rdx_key_column *keys;
} search;

static void drop_search(search *s) {
  for (uint32_t part = 0; part < 2; part++) {
    for (uint32_t i = 0; s->coded[part] && i < s->count; i++)
      rdx_vector_destroy(&s->coded[part][i]);
    rdx_free(s->coded[part]);
  }
  rdx_free(s->keys);
}

/* Of `rows` rows of the columns, those of the list or, where that is NULL, the first. */
static rdx_status code_columns(search *s, const rdx_column *const *columns, const uint32_t *list, uint64_t rows,
                               uint32_t part, rdx_error *err) {
  RDX_SCOPED(rdx_operand_drop) rdx_operand operand = {0};
  RDX_TRY(rdx_calloc(s->count, sizeof **s->coded, WHAT, (void **)&s->coded[part], err));
  RDX_TRY(rdx_frame_create(s->count, rows, &operand.frame, err));
  for (uint32_t i = 0; i < s->count; i++)
    operand.frame.columns[i].input = (rdx_input){*columns[i], list};
  RDX_TRY(rdx_operand_refresh(s->x, &operand, err));
  for (uint32_t i = 0; i < s->count; i++)
    RDX_TRY(rdx_operand_coded(s->x, &operand, i, &s->coded[part][i], err));
  return RDX_OK;
}

static bool is_valid(const rdx_key_words *w, uint32_t part, uint64_t row) {
  return w->valid[part][row / 8] >> row % 8 & 1;
}

/* ---- New rows ---- */

static rdx_status find_firsts(search *s, uint64_t rows, uint32_t *first, rdx_error *err) {
  const uint64_t counts[2] = {rows, 0};
  RDX_SCOPED(rdx_key_words_destroy) rdx_key_words words = {0};
  RDX_SCOPED(rdx_free_local) uint32_t *codes = NULL, *seen = NULL;
  uint64_t distinct = 0;
  for (uint32_t i = 0; i < s->count; i++)
    s->keys[i] = (rdx_key_column){.parts = {&s->coded[1][i].column}};
  RDX_TRY(rdx_key_words_create(s->x, s->keys, s->count, counts, true, &words, err));
  RDX_TRY(rdx_alloc(rows, sizeof *codes, WHAT, (void **)&codes, err));
  RDX_TRY(rdx_key_words_rank(s->x, &words, codes, &distinct, NULL, err));
  RDX_TRY(rdx_alloc(distinct, sizeof *seen, WHAT, (void **)&seen, err));
  memset(seen, 0xff, distinct * sizeof *seen);
  for (uint64_t i = 0; i < rows; i++) {
    RDX_TRY(rdx_loop_goes_on(i, rows, "compare", err));
    if (!is_valid(&words, 0, i)) {
      first[i] = RDX_NO_ROW;
      continue;
    }
    if (seen[codes[i]] == RDX_NO_ROW)
      seen[codes[i]] = (uint32_t)i;
    first[i] = seen[codes[i]];
  }
  return RDX_OK;
}

/* ---- Old rows that may be equal to a new one ---- */

typedef struct filter {
  const rdx_column *const *columns;
  uint32_t count;
  uint64_t *hashes; /* of new rows; a power of two of slots, 0: free */
  uint64_t slots;
  uint32_t *marks; /* a bit for each old row */
} filter;

static void load_keys(const rdx_column *c, uint64_t begin, uint64_t count, uint64_t *out) {
  uint64_t length;
  if (c->type == RDX_TYPE_STRING) {
    for (uint64_t i = 0; i < count; i++) {
      const char *text = rdx_column_has(c, begin + i) ? rdx_column_string(c, begin + i, &length) : NULL;
      out[i] = text ? rdx_file_checksum(text, length) : 0;
    }
    return;
  }
  rdx_keys_encode(c, begin, count, out);
  for (uint64_t i = count; rdx_key_bits(c->type) == 32 && i-- > 0;) {
    uint32_t key;
    memcpy(&key, (const char *)out + 4 * i, sizeof key);
    out[i] = key;
  }
}

/* The hashes of rows begin .. begin + count - 1, at most BLOCK of them; 0: it has a NULL. */
static void hash_block(const filter *f, uint64_t begin, uint64_t count, uint64_t *out) {
  uint64_t keys[BLOCK];
  for (uint64_t i = 0; i < count; i++)
    out[i] = 1;
  for (uint32_t k = 0; k < f->count; k++) {
    load_keys(f->columns[k], begin, count, keys);
    for (uint64_t i = 0; i < count; i++) {
      const uint64_t mixed = (out[i] ^ keys[i]) * 0x9e3779b97f4a7c15u;
      out[i] = out[i] != 0 && rdx_column_has(f->columns[k], begin + i) ? (mixed ^ mixed >> 32) | 1 : 0;
    }
  }
}

/* The slot of a hash, or the free one where it belongs. */
static uint64_t *find_slot(const filter *f, uint64_t hash) {
  uint64_t slot = hash * 0x9e3779b97f4a7c15u >> 20 & (f->slots - 1);
  while (f->hashes[slot] != 0 && f->hashes[slot] != hash)
    slot = (slot + 1) & (f->slots - 1);
  return &f->hashes[slot];
}

static rdx_status add_hashes(filter *f, uint64_t rows, rdx_error *err) {
  uint64_t hashes[BLOCK];
  f->slots = 64;
  while (f->slots < 2 * rows)
    f->slots *= 2;
  RDX_TRY(rdx_calloc(f->slots, sizeof *f->hashes, WHAT, (void **)&f->hashes, err));
  for (uint64_t begin = 0; begin < rows; begin += BLOCK) {
    const uint64_t count = rows - begin < BLOCK ? rows - begin : BLOCK;
    hash_block(f, begin, count, hashes);
    for (uint64_t i = 0; i < count; i++)
      if (hashes[i] != 0)
        *find_slot(f, hashes[i]) = hashes[i];
  }
  return RDX_OK;
}

static void mark(void *context, uint64_t begin, uint64_t end, RDX_UNUSED uint32_t worker) {
  const filter *f = context;
  uint64_t hashes[BLOCK];
  for (uint64_t first = begin; first < end; first += BLOCK) {
    const uint64_t count = end - first < BLOCK ? end - first : BLOCK;
    hash_block(f, first, count, hashes);
    for (uint64_t i = 0; i < count; i++)
      if (hashes[i] != 0 && *find_slot(f, hashes[i]) != 0)
        f->marks[(first + i) / 32] |= 1u << (first + i) % 32;
  }
}

/* A list of the old rows, for rdx_free(). */
static rdx_status list_likely(search *s, const rdx_column *const *old, const rdx_column *const *rows, uint32_t **out,
                              uint64_t *count, rdx_error *err) {
  RDX_SCOPED(rdx_free_local) uint64_t *hashes = NULL;
  RDX_SCOPED(rdx_free_local) uint32_t *marks = NULL;
  filter f = {.columns = rows, .count = s->count};
  const rdx_status status = add_hashes(&f, rows[0]->rows, err);
  hashes = f.hashes;
  RDX_TRY(status);
  RDX_TRY(rdx_calloc(old[0]->rows / 32 + 1, sizeof *marks, WHAT, (void **)&marks, err));
  f.columns = old;
  f.marks = marks;
  RDX_TRY(rdx_pool_run_stage(s->x->pool, old[0]->rows, RDX_EXECUTE_GRAIN, mark, &f, "compare", err));
  return rdx_list_marked(marks, old[0]->rows, true, out, count, err);
}

/* ---- Old rows ---- */

/* Leave the valid rows of a part, which go to `rows`, behind `before` others. */
static rdx_status take_valid(rdx_key_words *w, uint32_t part, uint64_t before, uint32_t *rows, uint64_t *count,
                             rdx_error *err) {
  const uint64_t first = part == 0 ? 0 : w->rows[0];
  *count = 0;
  for (uint64_t i = 0; i < w->rows[part]; i++) {
    RDX_TRY(rdx_loop_goes_on(i, w->rows[part], "compare", err));
    if (!is_valid(w, part, i))
      continue;
    for (uint32_t k = 0; k < w->count; k++)
      w->words[k][before + *count] = w->words[k][first + i];
    rows[(*count)++] = (uint32_t)i;
  }
  return RDX_OK;
}

/* What the ranks of `counts` candidates say. */
static rdx_status match(search *s, rdx_key_words *words, const uint64_t counts[2], uint32_t *const candidates[2],
                        const uint32_t *list, uint32_t *old, rdx_error *err) {
  RDX_SCOPED(rdx_free_local) uint32_t *codes = NULL, *seen = NULL;
  uint64_t distinct = 0;
  words->rows[0] = counts[0];
  words->rows[1] = counts[1];
  RDX_TRY(rdx_alloc(counts[0] + counts[1], sizeof *codes, WHAT, (void **)&codes, err));
  RDX_TRY(rdx_key_words_rank(s->x, words, codes, &distinct, NULL, err));
  RDX_TRY(rdx_alloc(distinct, sizeof *seen, WHAT, (void **)&seen, err));
  memset(seen, 0xff, distinct * sizeof *seen);
  for (uint64_t i = 0; i < counts[0]; i++)
    seen[codes[i]] = list ? list[candidates[0][i]] : candidates[0][i];
  for (uint64_t i = 0; i < counts[1]; i++)
    old[candidates[1][i]] = seen[codes[counts[0] + i]];
  return RDX_OK;
}

/* `list`: the old rows, NULL: all of them. */
static rdx_status find_old(search *s, const uint64_t rows[2], const uint32_t *list, uint32_t *old, rdx_error *err) {
  RDX_SCOPED(rdx_key_words_destroy) rdx_key_words words = {0};
  RDX_SCOPED(rdx_free_local) uint32_t *before = NULL, *behind = NULL;
  uint64_t counts[2] = {0};
  for (uint32_t i = 0; i < s->count; i++)
    s->keys[i] = (rdx_key_column){.parts = {&s->coded[0][i].column, &s->coded[1][i].column}};
  RDX_TRY(rdx_key_words_create(s->x, s->keys, s->count, rows, true, &words, err));
  RDX_TRY(rdx_alloc(rows[0], sizeof *before, WHAT, (void **)&before, err));
  RDX_TRY(rdx_alloc(rows[1], sizeof *behind, WHAT, (void **)&behind, err));
  RDX_TRY(take_valid(&words, 0, 0, before, &counts[0], err));
  RDX_TRY(take_valid(&words, 1, counts[0], behind, &counts[1], err));
  return counts[0] > 0 && counts[1] > 0 ? match(s, &words, counts, (uint32_t *const[]){before, behind}, list, old, err)
                                        : RDX_OK;
}

/* ---- Both ---- */

static rdx_status find(search *s, const rdx_column *const *old, const rdx_column *const *rows, rdx_equal_rows *out,
                       rdx_error *err) {
  uint64_t counts[2] = {old ? old[0]->rows : 0, rows[0]->rows};
  RDX_SCOPED(rdx_free_local) uint32_t *list = NULL;
  RDX_TRY(rdx_alloc(counts[1], sizeof *out->first, WHAT, (void **)&out->first, err));
  RDX_TRY(rdx_alloc(counts[1], sizeof *out->old, WHAT, (void **)&out->old, err));
  memset(out->old, 0xff, counts[1] * sizeof *out->old);
  if (counts[1] == 0)
    return RDX_OK;
  RDX_TRY(rdx_calloc(s->count, sizeof *s->keys, WHAT, (void **)&s->keys, err));
  RDX_TRY(code_columns(s, rows, NULL, counts[1], 1, err));
  RDX_TRY(find_firsts(s, counts[1], out->first, err));
  if (counts[0] / FEW > counts[1])
    RDX_TRY(list_likely(s, old, rows, &list, &counts[0], err));
  if (counts[0] == 0)
    return RDX_OK;
  RDX_TRY(code_columns(s, old, list, counts[0], 0, err));
  return find_old(s, counts, list, out->old, err);
}

rdx_status rdx_equal_rows_find(rdx_execution *x, const rdx_column *const *old, const rdx_column *const *rows,
                               uint32_t count, rdx_equal_rows *out, rdx_error *err) {
  search s = {.x = x, .count = count};
  *out = (rdx_equal_rows){0};
  const rdx_status status = find(&s, old, rows, out, err);
  drop_search(&s);
  if (status != RDX_OK)
    rdx_equal_rows_drop(out);
  return status;
}

void rdx_equal_rows_drop(rdx_equal_rows *equal) {
  RDX_FREE_ALL(equal->first, equal->old);
  *equal = (rdx_equal_rows){0};
}
