/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* Tiles on the CPU: batches of rows that stay in the cache, operator by operator (MonetDB/X100: Boncz, Zukowski, Nes,
 * CIDR 2005). Terms, and dimensions while many rows are left, narrow bits; the rows of those that are set are listed,
 * and other dimensions shorten the list. */

#include "kernels/column_engine/host.h"
#include "kernels/column_engine/operators.h"

#define WORDS (ENGINE_BATCH / 64)
#define MAX_LATE 16 /* columns */
#define MAX_WAITING (ENGINE_CHUNK + ENGINE_BATCH + ENGINE_SLACK)

/* A column that rows are read from which are few by then. */
typedef struct late_column {
  const char *codes; /* of the tile's first row */
  uint32_t bytes;
} late_column;

typedef struct batch {
  const engine_query *q;
  const small_bits *small_terms, *small_links; /* of the first ENGINE_MAX_EARLY, if they are small */
  uint32_t first;                              /* row of the tile */
  uint32_t dense;                              /* a bit for each of 32 terms: its column is fetched ahead */
  uint32_t fetched;                            /* bytes of a row that are, going by the first batch */
  uint32_t late_count;
  late_column late[MAX_LATE];
  uint32_t n;       /* of rows that qualify and wait to be added */
  uint32_t *rows;   /* MAX_WAITING, less `first`, ascending */
  uint32_t *groups; /* their numbers, as far as they are known */
} batch;

/* ---- Rows that qualify ---- */

static bool is_small_link(const engine_link *link) {
  return link->bits && link->rows < ENGINE_SMALL && link->bytes <= 2;
}

static bool is_small_term(const engine_term *term) {
  return term->count == 0 && term->low + term->span < ENGINE_SMALL && term->bytes <= 2;
}

static const uint32_t *set_bits(const engine_term *term, const uint64_t *numbers) {
  return (const uint32_t *)(const void *)(numbers + term->set);
}

static void make_small_terms(const engine_term *terms, uint32_t count, const uint64_t *numbers, uint32_t min_size,
                             small_bits *out) {
  for (uint32_t t = 0; t < count && t < ENGINE_MAX_EARLY; t++)
    if (is_small_term(&terms[t]))
      make_small(set_bits(&terms[t], numbers), terms[t].low, terms[t].span + 1, min_size, &out[t]);
}

static void make_small_links(const engine_link *links, uint32_t count, uint32_t min_size, small_bits *out) {
  for (uint32_t l = 0; l < count && l < ENGINE_MAX_EARLY; l++)
    if (is_small_link(&links[l]))
      make_small(links[l].bits, 0, links[l].rows + 1ul, min_size, &out[l]);
}

/* Bits of the first `n` rows of a batch. Returns the number of words. */
static uint32_t all_rows(uint32_t n, uint64_t *words) {
  const uint32_t count = (n + 63) / 64;
  for (uint32_t w = 0; w < count; w++)
    words[w] = n - 64 * w >= 64 ? UINT64_MAX : UINT64_MAX >> (64 - n % 64);
  return count;
}

typedef struct term_list {
  const engine_term *terms;
  uint64_t *numbers;
  const small_bits *small;
} term_list;

/* Narrow the bits of the `n` rows of a piece, which begins with row `first`, to those for which a term holds. */
RDX_INLINE void apply_term(const operators *o, term_list of, uint32_t t, uint32_t ahead, uint32_t first, uint32_t n,
                           uint64_t *words) {
  const engine_term *term = &of.terms[t];
  piece p = {(const char *)term->codes + (uint64_t)first * term->bytes, term->bytes, n / 64, ahead};
  uint32_t done = p.count;
  o->compare(&p, term->low, term->span, words);
  p.ahead = 0;
  if (term->count == 0 && o->look_up_small && t < ENGINE_MAX_EARLY && is_small_term(term)) {
    o->look_up_small(&p, &of.small[t], words);
  } else if (term->count == 0) {
    const code_set set = {set_bits(term, of.numbers), term->low};
    o->look_up(&p, &set, words);
  }
  if (term->count > 1) /* intervals */
    done = 0;
  for (uint32_t w = done; 64 * w < n; w++)
    for (uint64_t bits = words[w]; bits != 0; bits &= bits - 1) {
      const uint32_t row = first + 64 * w + (uint32_t)__builtin_ctzll(bits);
      if (!engine_holds((engine_term *)(uintptr_t)of.terms, of.numbers, t, row))
        words[w] &= ~(bits & (0 - bits));
    }
}

static uint32_t count_rows(const uint64_t *words, uint32_t count) {
  uint32_t n = 0;
  for (uint32_t w = 0; w < count; w++)
    n += (uint32_t)__builtin_popcountll(words[w]);
  return n;
}

/* ---- Columns ---- */

/* Whether at least every second line of a column has one of the `left` among `n` rows. */
static bool is_dense(uint32_t bytes, uint32_t n, uint32_t left) {
  return (uint64_t)left * 2 * 64 >= (uint64_t)n * bytes;
}

/* How far ahead the next `n` rows are in a column after those from `at` on; 0: there are not as many. */
static uint32_t bytes_ahead(const engine_query *q, uint32_t bytes, uint32_t at, uint32_t n) {
  return q->rows - at >= 2 * n ? n * bytes : 0;
}

/* Narrow the bits of the batch by terms. The first batch of a tile tells which columns are fetched ahead: where two
 * rows of a line are looked at, on average; but not the first one alone. */
RDX_INLINE void apply_terms(const operators *o, batch *b, uint32_t at, uint32_t n, uint64_t *words, uint32_t count) {
  const engine_query *q = b->q;
  for (uint32_t t = 0; t < q->term_count; t++) {
    const uint32_t bytes = q->terms[t].bytes;
    if (at == b->first && t < 32 && is_dense(bytes, n, count_rows(words, count) / 4)) {
      b->dense |= 1u << t;
      b->fetched += bytes;
    }
    const uint32_t ahead = t < 32 && (b->dense >> t & 1) != 0 ? bytes_ahead(q, bytes, at, n) : 0;
    apply_term(o, (term_list){q->terms, q->numbers, b->small_terms}, t, ahead, at, n, words);
  }
  if (at == b->first && b->dense == 1)
    b->dense = b->fetched = 0;
}

/* A dimension's piece of a batch, of whose `n` rows some are left. */
RDX_INLINE piece foreign_rows_of(batch *b, const engine_link *link, uint32_t at, uint32_t n, uint32_t left) {
  const bool dense = is_dense(link->bytes, n, left);
  if (at == b->first && dense)
    b->fetched += link->bytes;
  return (piece){(const char *)link->foreign_rows + (uint64_t)at * link->bytes, link->bytes, (n + 63) / 64,
                 dense ? bytes_ahead(b->q, link->bytes, at, n) : 0};
}

/* Narrow the bits of the batch by dimensions while that is sooner done than by a list of rows. Returns how many of the
 * dimensions were looked at. */
RDX_INLINE uint32_t apply_links(const operators *o, batch *b, uint32_t at, uint32_t n, uint64_t *words,
                                uint32_t count) {
  const engine_query *q = b->q;
  uint32_t l = 0;
  for (; l < q->link_count; l++) {
    const engine_link *link = &q->links[l];
    if (!link->bits)
      continue;
    const uint32_t left = count_rows(words, count);
    const bool small = o->look_up_small && l < ENGINE_MAX_EARLY && is_small_link(link);
    if (left * (small ? o->small_few : o->few) < n)
      break;
    const piece p = foreign_rows_of(b, link, at, n, left);
    const code_set set = {link->bits, 0};
    if (small)
      o->look_up_small(&p, &b->small_links[l], words);
    else
      o->look_up(&p, &set, words);
  }
  return l;
}

/* Shorten the list of the batch by the other dimensions. Returns how many rows are left. */
RDX_INLINE uint32_t follow_links(const operators *o, batch *b, uint32_t l, uint32_t at, uint32_t n, uint32_t *rows,
                                 uint32_t left) {
  const engine_query *q = b->q;
  for (; l < q->link_count && left > 0; l++) {
    if (!q->links[l].bits)
      continue;
    const piece p = foreign_rows_of(b, &q->links[l], at, n, left);
    if (p.ahead != 0)
      for (uint32_t w = 0; w < p.count; w++)
        fetch_word_ahead(&p, w);
    left = o->follow(&q->links[l], b->first, rows, left);
  }
  return left;
}

static uint32_t apply_tests(const engine_query *q, uint32_t first, uint32_t *rows, uint32_t n) {
  uint32_t kept = 0;
  for (uint32_t i = 0; i < n; i++) {
    rows[kept] = rows[i];
    kept += engine_passes(q->terms, q->tests, q->numbers, q->test_count, first + rows[i]);
  }
  return kept;
}

/* Rows that are far from each other: what will be read of them is on its way meanwhile. */
static void fetch(const batch *b, const uint32_t *rows, uint32_t n) {
  for (uint32_t c = 0; c < b->late_count; c++)
    for (uint32_t i = 0; i < n; i++)
      __builtin_prefetch(b->late[c].codes + (uint64_t)rows[i] * b->late[c].bytes);
}

/* ---- Groups ---- */

#define ADD_ENTRIES(type)                                                                                              \
  for (uint32_t i = 0; i < n; i++)                                                                                     \
    groups[i] += link->table[((const type *)(const void *)link->foreign_rows)[(uint64_t)first + rows[i]]];             \
  break

/* Add a dimension's part to the numbers of groups. */
RDX_INLINE void add_entries(const engine_link *link, uint32_t first, const uint32_t *rows, uint32_t n,
                            uint32_t *groups) {
  switch (link->bytes) {
  case 1:
    ADD_ENTRIES(uint8_t);
  case 2:
    ADD_ENTRIES(uint16_t);
  default:
    ADD_ENTRIES(uint32_t);
  }
}

/* What dimensions say that the batch looked at, as their columns are in the cache. */
RDX_INLINE void begin_groups(const engine_query *q, uint32_t first, const uint32_t *rows, uint32_t n,
                             uint32_t *groups) {
  memset(groups, 0, n * sizeof *groups);
  for (uint32_t l = 0; l < q->link_count; l++)
    if (q->links[l].table && q->links[l].bits)
      add_entries(&q->links[l], first, rows, n, groups);
}

/* List the rows that qualify among `n` from `at` on, behind those that wait. */
RDX_INLINE void select_rows(const operators *o, batch *b, uint32_t at, uint32_t n) {
  const engine_query *q = b->q;
  uint64_t words[WORDS];
  uint32_t *rows = b->rows + b->n;
  const uint32_t count = all_rows(n, words);
  apply_terms(o, b, at, n, words, count);
  const uint32_t done = apply_links(o, b, at, n, words, count);
  uint32_t left = o->list(words, count, at - b->first, rows);
  left = follow_links(o, b, done, at, n, rows, left);
  if (q->test_count > 0)
    left = apply_tests(q, b->first, rows, left);
  if (left < n / 8)
    fetch(b, rows, left);
  if (q->group_count > 1)
    begin_groups(q, b->first, rows, left, b->groups + b->n);
  b->n += left;
}

/* ---- Values ---- */

/* A loop over rows that is a function of its own, as in the body of a tile there are too few registers for it. */
#define ALONE static __attribute__((noinline))

/* Rows that are added at a time, at most ENGINE_CHUNK, less `first`. `together`: they ascend without a gap. */
typedef struct chunk {
  uint32_t first, n;
  const uint32_t *rows;
  bool together;
} chunk;

#define BY_WIDTH(bytes, each)                                                                                          \
  switch (bytes) {                                                                                                     \
  case 1:                                                                                                              \
    each(uint8_t);                                                                                                     \
    break;                                                                                                             \
  case 2:                                                                                                              \
    each(uint16_t);                                                                                                    \
    break;                                                                                                             \
  case 4:                                                                                                              \
    each(uint32_t);                                                                                                    \
    break;                                                                                                             \
  default:                                                                                                             \
    each(uint64_t);                                                                                                    \
    break;                                                                                                             \
  }

#define EACH_ROW(type)                                                                                                 \
  for (uint32_t i = 0; i < n; i++)                                                                                     \
  out[i] = ((const type *)(const void *)codes)[(uint64_t)first + rows[i]]

ALONE void load_scattered(const uint32_t *codes, uint32_t bytes, uint32_t first, const uint32_t *rows, uint32_t n,
                          uint64_t *restrict out){BY_WIDTH(bytes, EACH_ROW)}

#define EACH_CODE(type)                                                                                                \
  for (uint32_t i = 0; i < n; i++)                                                                                     \
  out[i] = ((const type *)(const void *)codes)[(uint64_t)first + i]

RDX_INLINE void load_rows(const uint32_t *codes, uint32_t bytes, chunk c, uint64_t *restrict out) {
  const uint32_t n = c.n, first = c.first + (c.together ? c.rows[0] : 0);
  if (c.together)
    BY_WIDTH(bytes, EACH_CODE)
  else
    load_scattered(codes, bytes, first, c.rows, n, out);
}

RDX_INLINE void load_step(const engine_step *s, chunk c, uint64_t *out) {
  load_rows(s->foreign_rows ? s->foreign_rows : s->codes, s->foreign_rows ? s->foreign_bytes : s->bytes, c, out);
  for (uint32_t i = 0; i < c.n && s->foreign_rows; i++)
    out[i] = load_code(s->codes, s->bytes, (uint32_t)out[i]);
}

/* Add what the columns of attributes say, and those of dimensions that were not looked at before, to the numbers of
 * groups. */
RDX_INLINE void number_groups(const engine_query *q, chunk c, uint32_t *groups) {
  uint64_t codes[ENGINE_CHUNK];
  for (uint32_t l = 0; l < q->link_count; l++)
    if (q->links[l].table && !q->links[l].bits)
      add_entries(&q->links[l], c.first, c.rows, c.n, groups);
  for (uint32_t p = 0; p < q->part_count; p++) {
    const engine_part *part = &q->parts[p];
    load_rows(part->codes, part->bytes, c, codes);
    for (uint32_t i = 0; i < c.n; i++)
      groups[i] += (uint32_t)((codes[i] - part->low) * part->stride);
  }
}

RDX_INLINE void combine(uint32_t kind, uint64_t *left, const uint64_t *right, uint32_t n) {
  if (kind == STEP_ADD)
    for (uint32_t i = 0; i < n; i++)
      left[i] += right[i];
  else if (kind == STEP_SUBTRACT)
    for (uint32_t i = 0; i < n; i++)
      left[i] -= right[i];
  else
    for (uint32_t i = 0; i < n; i++)
      left[i] *= right[i];
}

/* The values of a measure in rows where it is not NULL. */
RDX_INLINE void calculate(const engine_query *q, const engine_measure *m, chunk c,
                          uint64_t stack[STEP_STACK][ENGINE_CHUNK]) {
  const uint32_t n = c.n;
  uint32_t height = 0;
  for (uint32_t k = 0; k < m->step_count; k++) {
    const engine_step *s = &q->steps[m->first_step + k];
    uint64_t *top = stack[height];
    if (s->kind == STEP_ATTRIBUTE) {
      load_step(s, c, top);
      for (uint32_t i = 0; i < n && s->values; i++)
        top[i] = s->values[top[i]];
      for (uint32_t i = 0; i < n && (s->factor != 1 || s->value != 0); i++)
        top[i] = top[i] * s->factor + s->value;
      height++;
    } else if (s->kind == STEP_CONSTANT) {
      for (uint32_t i = 0; i < n; i++)
        top[i] = s->value;
      height++;
    } else {
      height--;
      combine(s->kind, stack[height - 1], stack[height], n);
    }
  }
}

/* List the rows in which a measure is not NULL, and their groups. */
typedef struct listed {
  uint32_t n;
  uint32_t rows[ENGINE_CHUNK], groups[ENGINE_CHUNK];
} listed;

RDX_INLINE void drop_nulls(const engine_query *q, const engine_measure *m, uint32_t first, listed *l) {
  uint64_t codes[ENGINE_CHUNK];
  for (uint32_t k = 0; k < m->step_count; k++) {
    const engine_step *s = &q->steps[m->first_step + k];
    uint32_t kept = 0;
    if (s->kind != STEP_ATTRIBUTE || s->null_code == UINT64_MAX)
      continue;
    load_step(s, (chunk){first, l->n, l->rows, false}, codes);
    for (uint32_t i = 0; i < l->n; i++) {
      l->rows[kept] = l->rows[i];
      l->groups[kept] = l->groups[i];
      kept += codes[i] != s->null_code;
    }
    l->n = kept;
  }
}

static bool may_be_null(const engine_query *q, const engine_measure *m) {
  for (uint32_t k = 0; k < m->step_count; k++)
    if (q->steps[m->first_step + k].kind == STEP_ATTRIBUTE && q->steps[m->first_step + k].null_code != UINT64_MAX)
      return true;
  return false;
}

/* ---- Adding ---- */

/* Where a batch goes: to the slots of its groups, or with `groups` NULL of one. `shared`: of several threads. */
typedef struct target {
  uint64_t *cells;
  const uint32_t *groups;
  uint32_t slots;
  bool shared;
} target;

/* What is added of each value: all of it above `less`, or one half of that. */
typedef struct addend {
  uint64_t less, mask;
  uint32_t shift;
} addend;

RDX_INLINE uint64_t part_of(uint64_t value, addend a) {
  return (value - a.less) >> a.shift & a.mask;
}

ALONE void count_in_groups(uint64_t *restrict cells, uint32_t slots, const uint32_t *groups, uint32_t n) {
  for (uint32_t i = 0; i < n; i++)
    cells[(uint64_t)groups[i] * slots]++;
}

ALONE void add_to_groups(uint64_t *restrict cells, uint32_t slots, const uint32_t *groups, uint32_t n,
                         const uint64_t *values, addend a) {
  for (uint32_t i = 0; i < n; i++)
    cells[(uint64_t)groups[i] * slots] += part_of(values[i], a);
}

/* Count rows in the first slot, and add their values to another, in one go. */
ALONE void count_and_add(uint64_t *restrict cells, uint32_t slots, uint32_t slot, const uint32_t *groups, uint32_t n,
                         const uint64_t *values, uint64_t less) {
  for (uint32_t i = 0; i < n; i++) {
    uint64_t *cell = cells + (uint64_t)groups[i] * slots;
    cell[0]++;
    cell[slot] += values[i] - less;
  }
}

RDX_INLINE void count_rows_in(target t, uint32_t slot, uint32_t n) {
  if (!t.groups)
    t.cells[slot] += n;
  else if (!t.shared)
    count_in_groups(t.cells + slot, t.slots, t.groups, n);
  else
    for (uint32_t i = 0; i < n; i++)
      __atomic_fetch_add(&t.cells[(uint64_t)t.groups[i] * t.slots + slot], 1, __ATOMIC_RELAXED);
}

RDX_INLINE void add_values(target t, uint32_t slot, uint32_t n, const uint64_t *values, addend a) {
  uint64_t *const cells = t.cells + slot;
  uint64_t sum = 0;
  if (!t.groups) {
    for (uint32_t i = 0; i < n; i++)
      sum += part_of(values[i], a);
    *cells += sum;
  } else if (!t.shared) {
    add_to_groups(cells, t.slots, t.groups, n, values, a);
  } else {
    for (uint32_t i = 0; i < n; i++)
      __atomic_fetch_add(&cells[(uint64_t)t.groups[i] * t.slots], part_of(values[i], a), __ATOMIC_RELAXED);
  }
}

static void raise_cell(uint64_t *cell, uint64_t x, bool shared) {
  uint64_t seen = __atomic_load_n(cell, __ATOMIC_RELAXED);
  if (!shared) {
    *cell = x > seen ? x : seen;
    return;
  }
  while (seen < x && !__atomic_compare_exchange_n(cell, &seen, x, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
    continue;
}

/* How far a value is from the least one there may be, or from the most. */
RDX_INLINE uint64_t distance(uint64_t value, uint64_t from, bool down) {
  return down ? from - value : value - from;
}

ALONE void raise_in_groups(uint64_t *restrict cells, uint32_t slots, const uint32_t *groups, uint32_t n,
                           const uint64_t *values, uint64_t from, bool down) {
  for (uint32_t i = 0; i < n; i++) {
    uint64_t *cell = cells + (uint64_t)groups[i] * slots;
    const uint64_t x = distance(values[i], from, down);
    *cell = x > *cell ? x : *cell;
  }
}

RDX_INLINE void raise_values(target t, uint32_t slot, uint32_t n, const uint64_t *values, uint64_t from, bool down) {
  uint64_t *const cells = t.cells + slot;
  if (t.groups && !t.shared) {
    raise_in_groups(cells, t.slots, t.groups, n, values, from, down);
    return;
  }
  for (uint32_t i = 0; i < n; i++)
    raise_cell(cells + (t.groups ? (uint64_t)t.groups[i] * t.slots : 0), distance(values[i], from, down), t.shared);
}

/* The sum of a measure; `counts`: with the number of rows in the first slot. */
RDX_INLINE void add_sum(const engine_measure *m, uint32_t n, const uint64_t *values, target t, bool counts) {
  const addend low = {m->min, m->wide ? UINT32_MAX : UINT64_MAX, 0}, high = {m->min, UINT32_MAX, 32};
  if (counts) {
    count_and_add(t.cells, t.slots, m->sum_slot, t.groups, n, values, m->min);
    return;
  }
  add_values(t, m->sum_slot, n, values, low);
  if (m->wide)
    add_values(t, m->sum_slot + 1, n, values, high);
}

RDX_INLINE void add_measure(const engine_query *q, const engine_measure *m, chunk c, target t, bool counts) {
  const uint32_t n = c.n;
  uint64_t stack[STEP_STACK][ENGINE_CHUNK];
  const uint64_t *v = stack[0];
  if (m->count_slot != NO_SLOT)
    count_rows_in(t, m->count_slot, n);
  if (m->sum_slot == NO_SLOT && m->min_slot == NO_SLOT && m->max_slot == NO_SLOT)
    return;
  calculate(q, m, c, stack);
  if (m->sum_slot != NO_SLOT)
    add_sum(m, n, v, t, counts);
  if (m->min_slot != NO_SLOT)
    raise_values(t, m->min_slot, n, v, m->max, true);
  if (m->max_slot != NO_SLOT)
    raise_values(t, m->max_slot, n, v, m->min, false);
}

/* Whether rows are counted where the first measure's sums are added. */
static bool counts_with_sum(const engine_query *q, target t) {
  const engine_measure *m = q->measures;
  return t.groups && !t.shared && q->measure_count > 0 && m->sum_slot != NO_SLOT && !m->wide && !may_be_null(q, m);
}

RDX_INLINE void add_rows(const engine_query *q, chunk c, target t) {
  const bool with_sum = counts_with_sum(q, t);
  if (!with_sum)
    count_rows_in(t, 0, c.n);
  for (uint32_t k = 0; k < q->measure_count; k++) {
    const engine_measure *m = &q->measures[k];
    if (!may_be_null(q, m)) {
      add_measure(q, m, c, t, with_sum && k == 0);
      continue;
    }
    listed l = {.n = c.n};
    memcpy(l.rows, c.rows, c.n * sizeof *c.rows);
    memcpy(l.groups, t.groups ? t.groups : c.rows, c.n * sizeof *c.rows);
    drop_nulls(q, m, c.first, &l);
    const target narrowed = {t.cells, t.groups ? l.groups : NULL, t.slots, t.shared};
    add_measure(q, m, (chunk){c.first, l.n, l.rows, false}, narrowed, false);
  }
}

void engine_add_single(const engine_query *q, uint32_t first, const uint32_t *rows, uint32_t n, uint64_t *cells) {
  add_rows(q, (chunk){first, n, rows, false}, (target){.cells = cells, .slots = q->slots});
}

/* ---- Tiles ---- */

#define FETCHED_BYTES 8192u /* of the next batch, beside this one in a core's first cache */

/* Rows of the batches of a tile, by the bytes of a row that are fetched ahead; fewer would cost more than they save. */
static uint32_t batch_rows(uint32_t fetched) {
  const uint32_t rows = fetched > 0 ? FETCHED_BYTES / fetched / 64 * 64 : ENGINE_BATCH;
  return rows > ENGINE_BATCH ? ENGINE_BATCH : rows < ENGINE_BATCH / 2 ? ENGINE_BATCH / 2 : rows;
}

static void add_late(batch *b, const uint32_t *codes, uint32_t bytes) {
  if (b->late_count < MAX_LATE)
    b->late[b->late_count++] = (late_column){(const char *)codes + (uint64_t)b->first * bytes, bytes};
}

/* The columns of groups and measures. */
static void list_late(batch *b) {
  const engine_query *q = b->q;
  for (uint32_t l = 0; l < q->link_count; l++)
    if (q->links[l].table && !q->links[l].bits)
      add_late(b, q->links[l].foreign_rows, q->links[l].bytes);
  for (uint32_t p = 0; p < q->part_count; p++)
    add_late(b, q->parts[p].codes, q->parts[p].bytes);
  for (uint32_t m = 0; m < q->measure_count; m++)
    for (uint32_t k = 0; k < q->measures[m].step_count; k++) {
      const engine_step *s = &q->steps[q->measures[m].first_step + k];
      if (s->kind == STEP_ATTRIBUTE)
        add_late(b, s->foreign_rows ? s->foreign_rows : s->codes, s->foreign_rows ? s->foreign_bytes : s->bytes);
    }
}

/* Add the rows that wait. */
RDX_INLINE void add_waiting(batch *b, target t) {
  for (uint32_t done = 0; done < b->n; done += ENGINE_CHUNK) {
    const uint32_t n = b->n - done < ENGINE_CHUNK ? b->n - done : ENGINE_CHUNK, *rows = b->rows + done;
    const chunk c = {b->first, n, rows, rows[n - 1] - rows[0] == n - 1};
    if (t.groups) {
      number_groups(b->q, c, b->groups + done);
      t.groups = b->groups + done;
    }
    add_rows(b->q, c, t);
  }
  b->n = 0;
}

RDX_INLINE void run_tile(const operators *o, const struct engine_tile_args *a, uint32_t tile) {
  const engine_query *q = a->query;
  const uint64_t begin = (uint64_t)tile * a->tile, end = begin + a->tile < q->rows ? begin + a->tile : q->rows;
  const bool single = q->group_count == 1;
  uint64_t *cells = q->groups + (a->copies ? (uint64_t)tile * q->group_count * q->slots : 0);
  uint64_t own[ENGINE_MAX_SLOTS] = {0};
  small_bits terms[ENGINE_MAX_EARLY], links[ENGINE_MAX_EARLY];
  uint32_t rows[MAX_WAITING], groups[MAX_WAITING];
  batch b = {
      .q = q, .small_terms = terms, .small_links = links, .first = (uint32_t)begin, .rows = rows, .groups = groups};
  const target t = {single ? own : cells, single ? NULL : groups, q->slots, !single && !a->copies};
  list_late(&b);
  if (o->look_up_small) {
    make_small_terms(q->terms, q->term_count, q->numbers, o->small_size, terms);
    make_small_links(q->links, q->link_count, o->small_size, links);
  }
  for (uint64_t row = begin, size = ENGINE_BATCH; row < end; row += size) {
    if (row > begin)
      size = batch_rows(b.fetched);
    select_rows(o, &b, (uint32_t)row, (uint32_t)(end - row < size ? end - row : size));
    if (b.n >= ENGINE_CHUNK)
      add_waiting(&b, t);
  }
  add_waiting(&b, t);
  if (single && own[0] > 0)
    engine_join(q, own, cells, !a->copies);
}

/* ---- Tables ---- */

/* Rows that do not qualify get no entry where bits tell. */
static void fill_entries(const struct engine_table_args *a, bool group64, uint32_t first, uint32_t n,
                         const uint64_t *words) {
  for (uint32_t i = 0; group64 && i < n; i++)
    AS_U64_PTR(a->table)[first + i] = NO_LINK64;
  for (uint32_t w = 0; 64 * w < n; w++)
    for (uint64_t bits = words[w]; bits != 0; bits &= bits - 1) {
      const uint32_t row = first + 64 * w + (uint32_t)__builtin_ctzll(bits);
      uint64_t group = 0;
      for (uint32_t p = 0; p < a->part_count; p++)
        group += engine_part_of(a->parts, p, row);
      if (group64)
        AS_U64_PTR(a->table)[row] = group;
      else
        a->table[row] = (uint32_t)group;
    }
}

/* Rows from a multiple of 64 on, as the grain is one. */
RDX_INLINE void fill_table(const operators *o, const struct engine_table_args *a, bool group64) {
  const uint64_t end = (uint64_t)a->first + a->count;
  small_bits small[ENGINE_MAX_EARLY];
  if (o->look_up_small)
    make_small_terms(a->terms, a->term_count, a->numbers, o->small_size, small);
  for (uint64_t row = a->first; row < end; row += ENGINE_BATCH) {
    const uint32_t first = (uint32_t)row, n = end - row < ENGINE_BATCH ? (uint32_t)(end - row) : ENGINE_BATCH;
    uint64_t words[WORDS];
    const uint32_t count = all_rows(n, words);
    if (row + n > a->rows) /* the last is none */
      words[count - 1] &= ~(1ul << (n - 1) % 64);
    for (uint32_t t = 0; t < a->term_count; t++)
      apply_term(o, (term_list){a->terms, a->numbers, small}, t, 0, first, n, words);
    if (a->bits)
      memcpy(a->bits + first / 32, words, count * sizeof *words);
    if (a->table)
      fill_entries(a, group64, first, n, words);
  }
}

#define DEFINE_BODIES(isa, TARGET)                                                                                     \
  TARGET static void tile_##isa(const struct engine_tile_args *a, uint32_t tile) {                                     \
    run_tile(&operators_##isa, a, tile);                                                                               \
  }                                                                                                                    \
  TARGET static void table_##isa(const struct engine_table_args *a, bool group64) {                                    \
    fill_table(&operators_##isa, a, group64);                                                                          \
  }

DEFINE_BODIES(plain, )
#if defined __x86_64__
DEFINE_BODIES(avx2, AVX2)
DEFINE_BODIES(avx512, AVX512)
DEFINE_BODIES(vbmi2, VBMI2)
#endif

typedef struct bodies {
  void (*tile)(const struct engine_tile_args *a, uint32_t tile);
  void (*table)(const struct engine_table_args *a, bool group64);
} bodies;

static bodies best_bodies(void) {
#if defined __x86_64__
  if (has_vbmi2())
    return (bodies){tile_vbmi2, table_vbmi2};
  if (has_avx512())
    return (bodies){tile_avx512, table_avx512};
  if (__builtin_cpu_supports("avx2"))
    return (bodies){tile_avx2, table_avx2};
#endif
  return (bodies){tile_plain, table_plain};
}

void engine_tile_body(const void *arguments, RDX_UNUSED const uint32_t *variant, RDX_UNUSED const rdx_scene *scene) {
  const struct engine_tile_args *a = arguments;
  const bodies best = best_bodies();
  if (a->first == 0)
    *a->counters = 0;
  for (uint32_t k = 0; k < a->count; k++)
    best.tile(a, a->first + k);
}

void engine_table_body(const void *arguments, const uint32_t *variant, RDX_UNUSED const rdx_scene *scene) {
  best_bodies().table(arguments, variant[0] != 0);
}
