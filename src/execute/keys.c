/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* Words of rows, and their order. */

#include "execute/keys.h"

#include <string.h>

#include "column/column.h"
#include "device/device.h"
#include "column/keys.h"

#define WHAT "the keys of rows"
#define BLOCK 2048u
#define DEVICE_ROWS 65536u /* fewer are sorted here */

/* What of a column a digit says. */
typedef enum digit_role {
  DIGIT_ALL,
  DIGIT_NULL,  /* only whether it is NULL, */
  DIGIT_VALUE, /* and only its value, of a column that has all 2^64 of them, and NULL */
} digit_role;

typedef struct digit {
  const rdx_key_column *column;
  digit_role role;
  uint64_t offset[2];     /* added to codes, so that those of both tables compare */
  const uint32_t *map[2]; /* places in the dictionary of both; NULL: as they are */
  uint64_t min, max;      /* codes; least > most: none counts */
  bool nulls;             /* NULL has a number */
  uint64_t top;           /* the largest number */
  uint32_t word;
  bool opens; /* the first of its word */
} digit;

typedef struct span {
  uint64_t min, max;
} span;

typedef struct maker {
  rdx_execution *x;
  rdx_key_words *words;
  digit *digits; /* two for each column at most */
  uint32_t count;
  bool matching, may_narrow;
  uint32_t part;      /* at work on */
  const digit *asked; /* whose span is looked for */
  span *spans;        /* for each worker */
  uint32_t **maps;    /* two for each column: */
  uint32_t map_count;
} maker;

/* ---- Codes ---- */

static bool is_integer(rdx_type type) {
  return type >= RDX_TYPE_I8 && type <= RDX_TYPE_U64;
}

bool rdx_columns_alike(const rdx_column *a, const rdx_column *b) {
  if (a->type == b->type)
    return a->scale == b->scale;
  return is_integer(a->type) && is_integer(b->type) && a->type != RDX_TYPE_U64 && b->type != RDX_TYPE_U64;
}

/* The codes of rows begin .. begin + count - 1, at most BLOCK of them. */
static void load_codes(const digit *d, uint32_t part, uint64_t begin, uint64_t count, uint64_t *out) {
  const rdx_column *c = d->column->parts[part];
  if (c->type == RDX_TYPE_STRING) {
    const uint32_t *places = (const uint32_t *)c->values + begin, *map = d->map[part];
    const uint64_t entries = c->dictionary->rows;
    for (uint64_t i = 0; i < count; i++)
      out[i] = !map ? places[i] : places[i] < entries ? map[places[i]] : 0;
    return;
  }
  rdx_keys_encode(c, begin, count, out);
  if (rdx_key_bits(c->type) == 32)
    for (uint64_t i = count; i-- > 0;) {
      uint32_t code;
      memcpy(&code, (const char *)out + 4 * i, sizeof code);
      out[i] = code;
    }
  if (d->offset[part] != 0)
    for (uint64_t i = 0; i < count; i++)
      out[i] += d->offset[part];
}

void rdx_codes_of(const rdx_column *column, uint64_t *out) {
  const rdx_key_column keys = {.parts = {column}};
  const digit d = {.column = &keys};
  for (uint64_t begin = 0; begin < column->rows; begin += BLOCK)
    load_codes(&d, 0, begin, column->rows - begin < BLOCK ? column->rows - begin : BLOCK, out + begin);
}

/* ---- Spans ---- */

static void widen_span(void *context, uint64_t begin, uint64_t end, uint32_t worker) {
  const maker *m = context;
  const rdx_column *c = m->asked->column->parts[m->part];
  span *s = &m->spans[worker];
  uint64_t codes[BLOCK];
  for (uint64_t first = begin; first < end; first += BLOCK) {
    const uint64_t count = end - first < BLOCK ? end - first : BLOCK;
    load_codes(m->asked, m->part, first, count, codes);
    for (uint64_t i = 0; i < count; i++) {
      if (c->validity && !rdx_column_has(c, first + i))
        continue;
      s->min = codes[i] < s->min ? codes[i] : s->min;
      s->max = codes[i] > s->max ? codes[i] : s->max;
    }
  }
}

/* Of one part. */
static rdx_status find_span(maker *m, const digit *d, uint32_t part, span *out, rdx_error *err) {
  const uint32_t threads = rdx_pool_threads(m->x->pool);
  *out = (span){UINT64_MAX, 0};
  if (!d->column->parts[part])
    return RDX_OK;
  for (uint32_t i = 0; i < threads; i++)
    m->spans[i] = *out;
  m->asked = d;
  m->part = part;
  RDX_TRY(rdx_pool_run_stage(m->x->pool, m->words->rows[part], RDX_EXECUTE_GRAIN, widen_span, m, "execute", err));
  for (uint32_t i = 0; i < threads; i++) {
    out->min = m->spans[i].min < out->min ? m->spans[i].min : out->min;
    out->max = m->spans[i].max > out->max ? m->spans[i].max : out->max;
  }
  return RDX_OK;
}

/* ---- Dictionaries ---- */

rdx_status rdx_merge_dictionaries(const rdx_column *a, const rdx_column *b, uint32_t *places[2], uint32_t *count,
                                  rdx_error *err) {
  RDX_SCOPED(rdx_free_local) uint32_t *to_a = NULL, *to_b = NULL;
  uint32_t n = 0;
  places[0] = places[1] = NULL;
  RDX_TRY(rdx_alloc(a->rows, sizeof *to_a, WHAT, (void **)&to_a, err));
  RDX_TRY(rdx_alloc(b->rows, sizeof *to_b, WHAT, (void **)&to_b, err));
  for (uint64_t i = 0, k = 0; i < a->rows || k < b->rows; n++) {
    const int order = i == a->rows ? 1 : k == b->rows ? -1 : rdx_column_compare_strings(a, i, b, k);
    if (order <= 0)
      to_a[i++] = n;
    if (order >= 0)
      to_b[k++] = n;
  }
  places[0] = RDX_KEEP(to_a);
  places[1] = RDX_KEEP(to_b);
  *count = n;
  return RDX_OK;
}

static rdx_status share_dictionary(digit *d, uint32_t **maps, rdx_error *err) {
  const rdx_column *a = d->column->parts[0], *b = d->column->parts[1];
  uint32_t count = (uint32_t)a->dictionary->rows;
  if (b && b->dictionary != a->dictionary) {
    RDX_TRY(rdx_merge_dictionaries(a->dictionary, b->dictionary, maps, &count, err));
    d->map[0] = maps[0];
    d->map[1] = maps[1];
  }
  d->min = count == 0;
  d->max = count == 0 ? 0 : count - 1;
  return RDX_OK;
}

/* ---- Digits ---- */

static rdx_status measure(maker *m, digit *d, uint32_t **maps, rdx_error *err) {
  const rdx_column *a = d->column->parts[0], *b = d->column->parts[1];
  span one, other;
  d->nulls = !m->matching && (a->validity || (b && b->validity));
  if (a->type == RDX_TYPE_STRING)
    return share_dictionary(d, maps, err);
  if (b && a->type != b->type) {
    d->offset[0] = (1ull << 63) - rdx_key_zero(a->type);
    d->offset[1] = (1ull << 63) - rdx_key_zero(b->type);
  }
  RDX_TRY(find_span(m, d, 0, &one, err));
  RDX_TRY(find_span(m, d, 1, &other, err));
  const bool meet = m->matching && b; /* what only one table has is equal to nothing */
  d->min = (one.min < other.min) != meet ? one.min : other.min;
  d->max = (one.max > other.max) != meet ? one.max : other.max;
  return RDX_OK;
}

/* The numbers of digits, and the words that they are in: as few as hold them in this order. */
static void arrange(maker *m) {
  uint64_t capacity = 0; /* the largest number of the word so far */
  uint32_t word = 0;
  for (uint32_t i = 0; i < m->count; i++) {
    digit *d = &m->digits[i];
    const uint64_t top = d->min > d->max ? 0 : d->max - d->min;
    if (d->role == DIGIT_ALL)
      d->top = top + d->nulls;
    else
      d->top = d->role == DIGIT_NULL ? 1 : top;
    uint64_t numbers = capacity + 1;
    const bool fits = d->top == 0 || (capacity < UINT64_MAX && d->top < UINT64_MAX &&
                                      !__builtin_mul_overflow(capacity + 1, d->top + 1, &numbers));
    d->opens = i == 0 || !fits;
    word += d->opens && i > 0;
    capacity = d->opens ? d->top : numbers - 1;
    d->word = word;
    m->words->max[word] = capacity;
  }
  m->words->count = word + 1;
}

static rdx_status make_digits(maker *m, const rdx_key_column *columns, uint32_t count, rdx_error *err) {
  for (uint32_t i = 0; i < count; i++) {
    digit *d = &m->digits[m->count++];
    *d = (digit){.column = &columns[i]};
    RDX_TRY(measure(m, d, m->maps + 2 * (size_t)i, err));
    if (!d->nulls || d->min > d->max || d->max - d->min < UINT64_MAX)
      continue;
    m->digits[m->count] = *d;
    d->role = DIGIT_NULL;
    m->digits[m->count++].role = DIGIT_VALUE;
  }
  arrange(m);
  return RDX_OK;
}

/* ---- Words ---- */

static uint64_t number_of(const digit *d, uint64_t code, bool has) {
  const bool first = d->column->nulls_first;
  if (d->role == DIGIT_NULL)
    return has ? first : !first;
  const bool all = d->role == DIGIT_ALL && d->nulls;
  if (!has)
    return all && !first ? d->top : 0;
  return (d->column->descending ? d->max - code : code - d->min) + (all && first);
}

/* Clear the bits of eight rows at a time that are not `there`. */
static void clear_bits(const uint8_t *there, uint64_t count, uint8_t *valid) {
  for (uint64_t i = 0; i < count; i += 8) {
    uint64_t bytes = 0x0101010101010101u;
    memcpy(&bytes, there + i, count - i < 8 ? count - i : 8);
    valid[i / 8] &= (uint8_t)(bytes * 0x0102040810204080u >> 56);
  }
}

/* The same as write_block() of a column without NULLs, where those that match none get the number 0. */
static void write_plain(const digit *d, const uint64_t *codes, uint64_t count, uint64_t *word, uint8_t *valid) {
  const uint64_t min = d->min, top = d->max - d->min, radix = d->opens ? 0 : d->top + 1;
  uint8_t there[BLOCK];
  uint64_t all = 1;
  for (uint64_t i = 0; i < count; i++) {
    const uint64_t number = codes[i] - min, is = number <= top;
    word[i] = (radix ? word[i] * radix : 0) + (number & (0 - is));
    there[i] = (uint8_t)is;
    all &= is;
  }
  if (!all)
    clear_bits(there, count, valid);
}

/* The same of rows that need not match any: all values are between min and max. `validity` NULL: there is no NULL. */
static void write_values(const digit *d, const uint8_t *validity, const uint64_t *codes, uint64_t count,
                         uint64_t *word) {
  const bool first = d->column->nulls_first, all = d->role == DIGIT_ALL && d->nulls;
  const uint64_t radix = d->opens ? 0 : d->top + 1, null = all && !first ? d->top : 0, shift = all && first;
  const uint64_t from = d->column->descending ? d->max + shift : shift - d->min;
  const uint64_t sign = d->column->descending ? UINT64_MAX : 1;
  for (uint64_t i = 0; i < count && !validity; i++)
    word[i] = (radix ? word[i] * radix : 0) + from + sign * codes[i];
  for (uint64_t i = 0; i < count && validity; i++) {
    const uint64_t has = 0 - (uint64_t)(validity[i / 8] >> i % 8 & 1);
    word[i] = (radix ? word[i] * radix : 0) + (((from + sign * codes[i]) & has) | (null & ~has));
  }
}

static void write_block(const maker *m, const digit *d, uint64_t begin, uint64_t count, uint64_t *word,
                        uint8_t *valid) {
  const rdx_column *c = d->column->parts[m->part];
  uint64_t codes[BLOCK];
  load_codes(d, m->part, begin, count, codes);
  if (m->matching && !c->validity && !d->column->descending && d->min <= d->max) {
    write_plain(d, codes, count, word, valid + begin / 8);
    return;
  }
  if (!m->matching && d->role != DIGIT_NULL) {
    write_values(d, c->validity ? c->validity + begin / 8 : NULL, codes, count, word);
    return;
  }
  for (uint64_t i = 0; i < count; i++) {
    bool has = rdx_column_has(c, begin + i);
    if (m->matching && (!has || codes[i] < d->min || codes[i] > d->max)) {
      valid[(begin + i) / 8] &= (uint8_t) ~(1u << (begin + i) % 8);
      has = false;
    }
    const uint64_t number = number_of(d, codes[i], has);
    word[i] = d->opens ? number : word[i] * (d->top + 1) + number;
  }
}

static void write_words(void *context, uint64_t begin, uint64_t end, RDX_UNUSED uint32_t worker) {
  const maker *m = context;
  const rdx_key_words *w = m->words;
  const uint64_t before = m->part == 1 ? w->rows[0] : 0;
  uint64_t own[BLOCK];
  for (uint64_t first = begin; first < end; first += BLOCK) {
    const uint64_t count = end - first < BLOCK ? end - first : BLOCK;
    for (uint32_t i = 0; i < m->count; i++)
      write_block(m, &m->digits[i], first, count, w->narrow ? own : w->words[m->digits[i].word] + before + first,
                  w->valid[m->part]);
    for (uint64_t i = 0; w->narrow && i < count; i++)
      w->narrow[before + first + i] = (uint32_t)own[i];
  }
}

static rdx_status write_all(maker *m, rdx_error *err) {
  rdx_key_words *w = m->words;
  const uint64_t rows = w->rows[0] + w->rows[1];
  if (m->may_narrow && w->count == 1 && w->max[0] <= UINT32_MAX)
    RDX_TRY(rdx_alloc(rows, sizeof *w->narrow, WHAT, (void **)&w->narrow, err));
  for (uint32_t i = 0; i < w->count && !w->narrow; i++)
    RDX_TRY(rdx_alloc(rows, sizeof **w->words, WHAT, (void **)&w->words[i], err));
  for (uint32_t part = 0; part < 2 && m->matching; part++) {
    RDX_TRY(rdx_alloc(w->rows[part] / 8 + 1, 1, WHAT, (void **)&w->valid[part], err));
    memset(w->valid[part], 0xff, w->rows[part] / 8 + 1);
  }
  for (m->part = 0; m->part < 2; m->part++)
    if (w->rows[m->part] > 0)
      RDX_TRY(rdx_pool_run_stage(m->x->pool, w->rows[m->part], RDX_EXECUTE_GRAIN, write_words, m, "execute", err));
  return RDX_OK;
}

static void end(maker *m) {
  for (uint32_t i = 0; m->maps && i < m->map_count; i++)
    rdx_free(m->maps[i]);
  RDX_FREE_ALL(m->maps, m->digits, m->spans);
}

static rdx_status prepare(maker *m, const rdx_key_column *columns, uint32_t count, rdx_error *err) {
  rdx_key_words *w = m->words;
  RDX_TRY(rdx_calloc(2 * (size_t)count, sizeof *m->digits, WHAT, (void **)&m->digits, err));
  RDX_TRY(rdx_calloc(2 * (size_t)count, sizeof *m->maps, WHAT, (void **)&m->maps, err));
  RDX_TRY(rdx_calloc(rdx_pool_threads(m->x->pool), sizeof *m->spans, WHAT, (void **)&m->spans, err));
  RDX_TRY(rdx_calloc(2 * (size_t)count, sizeof *w->words, WHAT, (void **)&w->words, err));
  RDX_TRY(rdx_calloc(2 * (size_t)count, sizeof *w->max, WHAT, (void **)&w->max, err));
  return make_digits(m, columns, count, err);
}

static rdx_status create(maker *m, const rdx_key_column *columns, uint32_t count, rdx_error *err) {
  RDX_TRY(prepare(m, columns, count, err));
  return write_all(m, err);
}

rdx_status rdx_key_words_create(rdx_execution *x, const rdx_key_column *columns, uint32_t count, const uint64_t rows[2],
                                bool matching, rdx_key_words *out, rdx_error *err) {
  RDX_SCOPED(rdx_key_words_destroy) rdx_key_words made = {.rows = {rows[0], rows[1]}};
  RDX_SCOPED(end) maker m = {.x = x, .words = &made, .matching = matching, .map_count = 2 * count};
  RDX_TRY(create(&m, columns, count, err));
  *out = RDX_KEEP(made);
  return RDX_OK;
}

rdx_status rdx_key_words_join(rdx_execution *x, const rdx_key_column *columns, uint32_t count, const uint64_t rows[2],
                              rdx_key_words *out, rdx_error *err) {
  RDX_SCOPED(rdx_key_words_destroy) rdx_key_words made = {.rows = {rows[0], rows[1]}};
  RDX_SCOPED(end)
  maker m = {.x = x, .words = &made, .matching = true, .may_narrow = true, .map_count = 2 * count};
  RDX_TRY(create(&m, columns, count, err));
  *out = RDX_KEEP(made);
  return RDX_OK;
}

void rdx_key_words_destroy(rdx_key_words *w) {
  for (uint32_t i = 0; w->words && i < w->count; i++)
    rdx_free(w->words[i]);
  RDX_FREE_ALL(w->words, w->narrow, w->max, w->valid[0], w->valid[1]);
  *w = (rdx_key_words){0};
}

/* ---- First words ---- */

struct rdx_first_words {
  maker maker;
  rdx_key_words words; /* none of them is there */
  rdx_first_words_fn visit;
  void *context;
};

rdx_status rdx_first_words_create(rdx_execution *x, const rdx_key_column *columns, uint32_t count, uint64_t rows,
                                  rdx_first_words **out, rdx_error *err) {
  RDX_SCOPED(rdx_first_words_destroy) rdx_first_words *w = NULL;
  RDX_TRY(rdx_calloc(1, sizeof *w, WHAT, (void **)&w, err));
  w->words.rows[0] = rows;
  w->maker = (maker){.x = x, .words = &w->words, .map_count = 2 * count};
  RDX_TRY(prepare(&w->maker, columns, count, err));
  *out = RDX_KEEP(w);
  return RDX_OK;
}

uint64_t rdx_first_words_max(const rdx_first_words *w) {
  return w->words.max[0];
}

static void visit_blocks(void *context, uint64_t begin, uint64_t end, uint32_t worker) {
  const rdx_first_words *w = context;
  const maker *m = &w->maker;
  uint64_t own[BLOCK];
  for (uint64_t first = begin; first < end; first += BLOCK) {
    const uint64_t count = end - first < BLOCK ? end - first : BLOCK;
    for (uint32_t i = 0; i < m->count && m->digits[i].word == 0; i++)
      write_block(m, &m->digits[i], first, count, own, NULL);
    w->visit(w->context, first, count, own, worker);
  }
}

rdx_status rdx_first_words_visit(rdx_first_words *w, rdx_first_words_fn visit, void *context, rdx_error *err) {
  w->visit = visit;
  w->context = context;
  return rdx_pool_run_stage(w->maker.x->pool, w->words.rows[0], RDX_EXECUTE_GRAIN, visit_blocks, w, "execute", err);
}

void rdx_first_words_destroy(rdx_first_words **w) {
  if (!*w)
    return;
  end(&(*w)->maker);
  rdx_key_words_destroy(&(*w)->words);
  rdx_free(*w);
  *w = NULL;
}

/* ---- Order ---- */

static rdx_status order_here(const uint64_t *keys, uint64_t count, uint32_t *order, rdx_error *err) {
  uint64_t *places = NULL;
  RDX_TRY(rdx_alloc(count + 4 * (count + 1), sizeof *places, WHAT, (void **)&places, err));
  rdx_sort_order(keys, count, places, places + count);
  for (uint64_t i = 0; i < count; i++)
    order[i] = (uint32_t)places[i];
  rdx_free(places);
  return RDX_OK;
}

#define UPLOADED ((uint64_t)1 << 24) /* bytes at a time, after which it is asked whether to go on */

static rdx_status upload(rdx_buffer *buffer, const void *bytes, uint64_t size, rdx_error *err) {
  for (uint64_t done = 0; done < size; done += UPLOADED) {
    RDX_TRY(rdx_progress_at_times("sort", 0, 0, err));
    RDX_TRY(rdx_buffer_upload(buffer, done, (const char *)bytes + done, size - done < UPLOADED ? size - done : UPLOADED,
                              err));
  }
  return RDX_OK;
}

/* The places of keys, of which none is above `max`, in ascending order; equal ones as they are. */
static rdx_status order_keys(rdx_execution *x, const uint64_t *keys, uint64_t count, uint64_t max, uint32_t *order,
                             rdx_error *err) {
  if (count < DEVICE_ROWS)
    return order_here(keys, count, order, err);
  RDX_SCOPED(rdx_buffer_destroy) rdx_buffer *sorted = NULL, *places = NULL;
  RDX_SCOPED(rdx_stream_destroy) rdx_stream *stream = NULL;
  for (uint64_t i = 0; i < count; i++) {
    RDX_TRY(rdx_loop_goes_on(i, count, "sort", err));
    order[i] = (uint32_t)i;
  }
  RDX_TRY(rdx_stream_create_for(x->device, "sort", &stream, err));
  RDX_TRY(rdx_buffer_create(x->device, count * 8, WHAT, &sorted, err));
  RDX_TRY(rdx_buffer_create(x->device, count * 4, WHAT, &places, err));
  RDX_TRY(upload(sorted, keys, count * 8, err));
  RDX_TRY(upload(places, order, count * 4, err));
  RDX_TRY(rdx_stream_sort(stream, sorted, 8, 64 - (uint32_t)__builtin_clzll(max | 1), places, count, err));
  RDX_TRY(rdx_stream_finish(stream, err));
  RDX_TRY(rdx_buffer_download(places, 0, order, count * 4, err));
  return rdx_returned_u32s(x->device, order, count, count - 1, "a row in order", err);
}

/* ---- Ranks ---- */

/* Keys that have not many numbers between them are ranked by a table of all that there may be. */
typedef struct ranking {
  const uint64_t *keys;
  uint32_t *codes;
  uint32_t *table; /* the first row of each key, RDX_NO_ROW for none; then its number */
} ranking;

static bool fits_table(uint64_t count, uint64_t max) {
  return max < UINT16_MAX || max / 4 < count;
}

static void find_firsts(void *context, uint64_t begin, uint64_t end, RDX_UNUSED uint32_t worker) {
  const ranking *r = context;
  for (uint64_t i = begin; i < end; i++) {
    uint32_t *first = &r->table[r->keys[i]], seen = __atomic_load_n(first, __ATOMIC_RELAXED);
    while (i < seen &&
           !__atomic_compare_exchange_n(first, &seen, (uint32_t)i, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
      continue;
  }
}

static void write_codes(void *context, uint64_t begin, uint64_t end, RDX_UNUSED uint32_t worker) {
  const ranking *r = context;
  for (uint64_t i = begin; i < end; i++)
    r->codes[i] = r->table[r->keys[i]];
}

/* Number the keys of the table that there are; `firsts` (may be NULL) has room for so many. */
static rdx_status number_table(const ranking *r, uint64_t size, uint64_t *distinct, uint32_t *firsts, rdx_error *err) {
  uint64_t n = 0;
  for (uint64_t i = 0; i < size; i++) {
    RDX_TRY(rdx_loop_goes_on(i, size, "execute", err));
    if (r->table[i] == RDX_NO_ROW)
      continue;
    if (firsts) {
      firsts[n] = r->table[i];
      r->table[i] = (uint32_t)n;
    }
    n++;
  }
  *distinct = n;
  return RDX_OK;
}

static rdx_status rank_by_table(rdx_execution *x, const uint64_t *keys, uint64_t count, uint64_t max, uint32_t *codes,
                                uint64_t *distinct, uint32_t **firsts, rdx_error *err) {
  const uint64_t size = max + 1;
  RDX_SCOPED(rdx_free_local) uint32_t *table = NULL, *rows = NULL;
  RDX_TRY(rdx_alloc(size, sizeof *table, WHAT, (void **)&table, err));
  memset(table, 0xff, size * sizeof *table);
  ranking r = {keys, codes, table};
  RDX_TRY(rdx_pool_run_stage(x->pool, count, RDX_EXECUTE_GRAIN, find_firsts, &r, "execute", err));
  RDX_TRY(number_table(&r, size, distinct, NULL, err));
  RDX_TRY(rdx_alloc(*distinct, sizeof *rows, WHAT, (void **)&rows, err));
  RDX_TRY(number_table(&r, size, distinct, rows, err));
  RDX_TRY(rdx_pool_run_stage(x->pool, count, RDX_EXECUTE_GRAIN, write_codes, &r, "execute", err));
  if (firsts) {
    *firsts = rows;
    rows = NULL;
  }
  return RDX_OK;
}

#define SLOT_BITS 18u
#define SLOTS (1u << SLOT_BITS)
#define MAX_HASHED (SLOTS / 4) /* distinct keys: more are sorted as fast */

/* Distinct keys that are few beside the rows, and far apart, by a hash table of the first row of each: where there are
 * more it is soon full. */
typedef struct hashing {
  const uint64_t *keys;
  uint32_t *codes; /* the slot of each row's key; then its number */
  uint32_t *table; /* RDX_NO_ROW: free; then numbers */
  uint32_t used;
} hashing;

static uint32_t find_key_slot(hashing *h, uint32_t row) {
  uint32_t slot = (uint32_t)(h->keys[row] * 0x9e3779b97f4a7c15u >> (64 - SLOT_BITS));
  for (;; slot = (slot + 1) % SLOTS) {
    uint32_t *first = &h->table[slot], seen = __atomic_load_n(first, __ATOMIC_RELAXED);
    if (seen == RDX_NO_ROW &&
        __atomic_compare_exchange_n(first, &seen, row, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
      __atomic_fetch_add(&h->used, 1, __ATOMIC_RELAXED);
      return slot;
    }
    if (h->keys[seen] != h->keys[row])
      continue;
    while (row < seen && !__atomic_compare_exchange_n(first, &seen, row, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
      continue;
    return slot;
  }
}

static void find_slots(void *context, uint64_t begin, uint64_t end, RDX_UNUSED uint32_t worker) {
  hashing *h = context;
  for (uint64_t i = begin; i < end && __atomic_load_n(&h->used, __ATOMIC_RELAXED) <= MAX_HASHED; i++)
    h->codes[i] = find_key_slot(h, (uint32_t)i);
}

static void number_slots(void *context, uint64_t begin, uint64_t end, RDX_UNUSED uint32_t worker) {
  const hashing *h = context;
  for (uint64_t i = begin; i < end; i++)
    h->codes[i] = h->table[h->codes[i]];
}

/* `*done` false: there are too many distinct keys. */
static rdx_status rank_by_hash(rdx_execution *x, const uint64_t *keys, uint64_t count, uint32_t *codes,
                               uint64_t *distinct, uint32_t **firsts, bool *done, rdx_error *err) {
  RDX_SCOPED(rdx_free_local) uint32_t *table = NULL, *slots = NULL, *order = NULL, *rows = NULL;
  RDX_SCOPED(rdx_free_local) uint64_t *own = NULL;
  uint32_t n = 0;
  RDX_TRY(rdx_alloc(SLOTS, sizeof *table, WHAT, (void **)&table, err));
  memset(table, 0xff, SLOTS * sizeof *table);
  hashing h = {keys, codes, table, 0};
  RDX_TRY(rdx_pool_run_stage(x->pool, count, RDX_EXECUTE_GRAIN, find_slots, &h, "execute", err));
  *done = h.used <= MAX_HASHED;
  if (!*done)
    return RDX_OK;
  RDX_TRY(rdx_alloc(h.used, sizeof *slots, WHAT, (void **)&slots, err));
  RDX_TRY(rdx_alloc(h.used, sizeof *order, WHAT, (void **)&order, err));
  RDX_TRY(rdx_alloc(h.used, sizeof *rows, WHAT, (void **)&rows, err));
  RDX_TRY(rdx_alloc(h.used, sizeof *own, WHAT, (void **)&own, err));
  for (uint32_t i = 0; i < SLOTS; i++)
    if (table[i] != RDX_NO_ROW) {
      own[n] = keys[table[i]];
      slots[n++] = i;
    }
  RDX_TRY(order_here(own, n, order, err));
  for (uint32_t i = 0; i < n; i++) {
    rows[i] = table[slots[order[i]]];
    table[slots[order[i]]] = i;
  }
  RDX_TRY(rdx_pool_run_stage(x->pool, count, RDX_EXECUTE_GRAIN, number_slots, &h, "execute", err));
  *distinct = n;
  if (firsts) {
    *firsts = rows;
    rows = NULL;
  }
  return RDX_OK;
}

/* Numbers of keys in their order. */
static rdx_status rank_keys(rdx_execution *x, const uint64_t *keys, uint64_t count, uint64_t max, uint32_t *codes,
                            uint64_t *distinct, uint32_t **firsts, rdx_error *err) {
  RDX_SCOPED(rdx_free_local) uint32_t *order = NULL;
  uint64_t n = 0;
  bool done = false;
  if (fits_table(count, max))
    return rank_by_table(x, keys, count, max, codes, distinct, firsts, err);
  if (count >= DEVICE_ROWS)
    RDX_TRY(rank_by_hash(x, keys, count, codes, distinct, firsts, &done, err));
  if (done)
    return RDX_OK;
  RDX_TRY(rdx_alloc(count, sizeof *order, WHAT, (void **)&order, err));
  RDX_TRY(order_keys(x, keys, count, max, order, err));
  for (uint64_t i = 0; i < count; i++) {
    RDX_TRY(rdx_loop_goes_on(i, count, "execute", err));
    const bool begins = i == 0 || keys[order[i]] != keys[order[i - 1]];
    n += begins;
    codes[order[i]] = (uint32_t)(n - 1);
  }
  if (firsts) {
    RDX_TRY(rdx_alloc(n, sizeof **firsts, WHAT, (void **)firsts, err));
    for (uint64_t i = count; i-- > 0;) {
      RDX_TRY(rdx_loop_goes_on(i, count, "execute", err));
      (*firsts)[codes[i]] = (uint32_t)i;
    }
  }
  *distinct = n;
  return RDX_OK;
}

/* Each word is ranked by itself, and with the ranks of those before it. */
rdx_status rdx_key_words_rank(rdx_execution *x, const rdx_key_words *w, uint32_t *codes, uint64_t *distinct,
                              uint32_t **firsts, rdx_error *err) {
  const uint64_t rows = w->rows[0] + w->rows[1];
  RDX_SCOPED(rdx_free_local) uint64_t *keys = NULL;
  RDX_SCOPED(rdx_free_local) uint32_t *own = NULL;
  RDX_TRY(rank_keys(x, w->words[0], rows, w->max[0], codes, distinct, w->count > 1 ? NULL : firsts, err));
  if (w->count == 1)
    return RDX_OK;
  RDX_TRY(rdx_alloc(rows, sizeof *keys, WHAT, (void **)&keys, err));
  RDX_TRY(rdx_alloc(rows, sizeof *own, WHAT, (void **)&own, err));
  for (uint32_t k = 1; k < w->count; k++) {
    const uint64_t before = *distinct;
    RDX_TRY(rank_keys(x, w->words[k], rows, w->max[k], own, distinct, NULL, err));
    for (uint64_t i = 0; i < rows; i++) {
      RDX_TRY(rdx_loop_goes_on(i, rows, "execute", err));
      keys[i] = codes[i] * (*distinct ? *distinct : 1) + own[i];
    }
    RDX_TRY(rank_keys(x, keys, rows, before * *distinct, codes, distinct, k + 1 < w->count ? NULL : firsts, err));
  }
  return RDX_OK;
}

/* From the last word to the first, each sort keeping the order of the one before. */
rdx_status rdx_key_words_order(rdx_execution *x, const rdx_key_words *w, uint32_t *order, rdx_error *err) {
  const uint64_t rows = w->rows[0];
  RDX_SCOPED(rdx_free_local) uint64_t *keys = NULL;
  RDX_SCOPED(rdx_free_local) uint32_t *places = NULL;
  RDX_TRY(order_keys(x, w->words[w->count - 1], rows, w->max[w->count - 1], order, err));
  if (w->count == 1)
    return RDX_OK;
  RDX_TRY(rdx_alloc(rows, sizeof *keys, WHAT, (void **)&keys, err));
  RDX_TRY(rdx_alloc(rows, sizeof *places, WHAT, (void **)&places, err));
  for (uint32_t k = w->count - 1; k-- > 0;) {
    for (uint64_t i = 0; i < rows; i++) {
      RDX_TRY(rdx_loop_goes_on(i, rows, "sort", err));
      keys[i] = w->words[k][order[i]];
    }
    RDX_TRY(order_keys(x, keys, rows, w->max[k], places, err));
    for (uint64_t i = 0; i < rows; i++) {
      RDX_TRY(rdx_loop_goes_on(i, rows, "sort", err));
      places[i] = order[places[i]];
    }
    memcpy(order, places, rows * sizeof *order);
  }
  return RDX_OK;
}
