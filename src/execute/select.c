/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* Rows chosen by their first words. */

#include "execute/select.h"

#include <string.h>

#include "base/numbers.h"

#define WHAT "a choice of rows"

/* ---- Between bounds ---- */

typedef struct choice {
  uint64_t min, max;
  uint64_t *chosen; /* a bit for each row */
} choice;

static void choose_rows(void *context, uint64_t begin, uint64_t count, const uint64_t *words,
                        RDX_UNUSED uint32_t worker) {
  const choice *c = context;
  const uint64_t min = c->min, span = c->max - c->min;
  for (uint64_t i = 0; i < count; i += 64) {
    uint64_t bits = 0;
    for (uint64_t k = i; k < i + 64 && k < count; k++)
      bits |= (uint64_t)(words[k] - min <= span) << (k - i);
    c->chosen[(begin + i) / 64] = bits;
  }
}

/* The rows that have a bit. */
static rdx_status list_chosen(const uint64_t *chosen, uint64_t rows, uint32_t **out, uint64_t *count, rdx_error *err) {
  uint64_t n = 0;
  for (uint64_t i = 0; i < (rows + 63) / 64; i++)
    n += (uint64_t)__builtin_popcountll(chosen[i]);
  RDX_TRY(rdx_alloc(n, sizeof **out, WHAT, (void **)out, err));
  *count = n;
  n = 0;
  for (uint64_t i = 0; i < (rows + 63) / 64; i++)
    for (uint64_t bits = chosen[i]; bits; bits &= bits - 1)
      (*out)[n++] = (uint32_t)(64 * i) + (uint32_t)__builtin_ctzll(bits);
  return RDX_OK;
}

rdx_status rdx_select_between(rdx_first_words *words, uint64_t rows, uint64_t min, uint64_t max, uint32_t **out,
                              uint64_t *count, rdx_error *err) {
  RDX_SCOPED(rdx_free_local) uint64_t *chosen = NULL;
  RDX_TRY(rdx_alloc(rows / 64 + 1, sizeof *chosen, WHAT, (void **)&chosen, err));
  choice c = {min, max, chosen};
  RDX_TRY(rdx_first_words_visit(words, choose_rows, &c, err));
  return list_chosen(chosen, rows, out, count, err);
}

/* ---- Places ---- */

#define BUCKETS 65536u /* of as many words each */
#define FEW 131072u    /* rows that may be sorted */

/* Rows by the buckets that their words are in. */
typedef struct histogram {
  uint64_t min, max; /* what is looked at: words between these, both included */
  uint32_t shift;    /* of buckets */
  uint64_t *counts;  /* of each worker */
} histogram;

static void count_buckets(void *context, RDX_UNUSED uint64_t begin, uint64_t count, const uint64_t *words,
                          uint32_t worker) {
  const histogram *h = context;
  const uint64_t min = h->min, span = h->max - h->min;
  uint64_t *counts = h->counts + (size_t)worker * BUCKETS;
  for (uint64_t i = 0; i < count; i++)
    if (words[i] - min <= span)
      counts[(words[i] - min) >> h->shift]++;
}

/* The buckets that the places are in become what is looked at. */
static rdx_status narrow(rdx_execution *x, rdx_first_words *words, rdx_selection *s, histogram *h, rdx_error *err) {
  const uint32_t threads = rdx_pool_threads(x->pool), bits = rdx_bit_length(h->max - h->min);
  uint64_t at = s->before, begin = 0, end = 0;
  h->shift = bits > 16 ? bits - 16 : 0;
  memset(h->counts, 0, (size_t)threads * BUCKETS * sizeof *h->counts);
  RDX_TRY(rdx_first_words_visit(words, count_buckets, h, err));
  for (uint64_t i = 0; i < BUCKETS && at <= s->last; i++) {
    uint64_t here = 0;
    for (uint32_t k = 0; k < threads; k++)
      here += h->counts[(size_t)k * BUCKETS + i];
    if (at + here <= s->first) { /* all of it comes before */
      s->before = at + here;
      begin = i + 1;
    }
    at += here;
    end = i;
  }
  const uint64_t min = h->min;
  s->count = at - s->before;
  h->min = min + (begin << h->shift);
  if (end < (h->max - min) >> h->shift)
    h->max = min + ((end + 1) << h->shift) - 1;
  return RDX_OK;
}

rdx_status rdx_select_places(rdx_execution *x, const rdx_key_column *columns, uint32_t count, uint64_t rows,
                             rdx_selection *s, rdx_error *err) {
  RDX_SCOPED(rdx_first_words_destroy) rdx_first_words *words = NULL;
  RDX_SCOPED(rdx_free_local) uint64_t *counts = NULL;
  RDX_TRY(rdx_first_words_create(x, columns, count, rows, &words, err));
  RDX_TRY(rdx_alloc(BUCKETS, rdx_pool_threads(x->pool) * sizeof *counts, WHAT, (void **)&counts, err));
  histogram h = {.max = rdx_first_words_max(words), .counts = counts};
  s->before = 0;
  do
    RDX_TRY(narrow(x, words, s, &h, err));
  while (s->count > FEW && h.shift > 0);
  return rdx_select_between(words, rows, h.min, h.max, &s->rows, &s->count, err);
}
