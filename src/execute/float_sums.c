/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* Sums of numbers and of their products, block by block, in one pass over the rows: each group has a superaccumulator,
 * which is a number for every 32 exponents, to which mantissas are added as whole numbers (Kulisch, Computer Arithmetic
 * and Validity, 2008, chapter 8; that they overlap is from Neal, Fast Exact Summation, 2015). */

#include "execute/float_sums.h"

#include <math.h>
#include <stdatomic.h>
#include <string.h>

#include "base/numbers.h"
#include "base/wide.h"
#include "device/device.h"
#include "expression/types.h"

#define WHAT "the sums of floats"
#define UNIT (-1074)           /* the exponent of the least bit of any f64, from which exponents are counted */
#define EXPONENTS 2048u        /* of f64 */
#define PART 32u               /* exponents of a number: 2^32 mantissas of 63 bits, up by 31, fit 127 with a sign */
#define WHOLE_DIGITS 18u       /* of DECIMALs of 64 bits */
#define NARROW_DIGITS 9u       /* of DECIMALs below 2^31 */
#define FEW_GROUPS 64u         /* have numbers for all exponents */
#define OWN_BYTES (64ul << 20) /* of groups, for all threads: of more there is one table */
#define AHEAD 12u              /* rows whose groups are asked for before it is their turn */
#define PREFETCHED 512u        /* bytes of a group */
#define LINE 64u               /* bytes of memory that come together */
#define PIECE 1024u            /* groups that a thread takes at a time */

__extension__ typedef unsigned __int128 unsigned_i128;

/* The exponents that there are numbers for: `count` is a multiple of PART. */
typedef struct window {
  uint32_t base, count;
} window;

/* Those that were beyond: none where min > max. */
typedef struct beyond {
  uint32_t min, max;
} beyond;

/* A value, or the product of a pair of them. */
typedef struct column {
  bool pair;
  bool whole;           /* all are whole numbers: their exponent is one */
  bool narrow;          /* of them none passes 31 bits, no product 62: a sum of these is one number */
  uint32_t left, right; /* of a pair */
  window window;
  uint32_t cell; /* where its numbers begin in a group; before those of a value is a tally */
} column;

/* A tally counts values that are not NULL, and of them those that are infinite, above and below; NaN is both. */
#define TALLY_UP ((rdx_i128)1 << 40)
#define TALLY_DOWN ((rdx_i128)1 << 80)
#define TALLY_MASK (((uint64_t)1 << 40) - 1)

enum { IS_NULL, IS_FINITE, IS_UP, IS_DOWN, IS_NAN }; /* of whole numbers the first two, which are 0 and 1 */

static const rdx_i128 tallies[] = {
    [IS_NULL] = 0,
    [IS_FINITE] = 1,
    [IS_UP] = 1 + TALLY_UP,
    [IS_DOWN] = 1 + TALLY_DOWN,
    [IS_NAN] = 1 + TALLY_UP + TALLY_DOWN,
};

/* The values of a block as whole numbers of 2^(exponent + UNIT), DECIMALs without their point; what is not finite is 0.
 */
typedef struct block {
  int64_t mantissas[RDX_BLOCK];
  uint16_t exponents[RDX_BLOCK];
  uint8_t kinds[RDX_BLOCK];
} block;

typedef struct rdx_float_sums sums;

struct rdx_float_sums {
  rdx_float_sums_query q;
  rdx_bound **values;
  column *columns; /* values, then pairs */
  uint32_t value_count, column_count;
  uint32_t *parts; /* of each aggregate: its column and, of a moment, the other one and the pair */
  uint32_t threads;
  block *blocks;   /* [thread][value] */
  beyond *beyonds; /* [thread][column] */
  /* A run: */
  const uint32_t *codes;
  uint64_t groups;
  uint32_t cells, tables; /* cells of a group: the first is its lock, where threads share the only table */
  rdx_i128 *memory;       /* [table][group][cell] */
  /* Of portions before, in the layout that the columns had then: */
  bool in_portions;
  rdx_i128 *before; /* [group][cell] */
  column *before_columns;
  uint64_t before_groups, rows;
  uint32_t before_cells;
};

/* ---- What is added up ---- */

static uint32_t add_value(sums *s, rdx_bound *value) {
  for (uint32_t i = 0; i < s->value_count; i++)
    if (rdx_bound_equal(s->values[i], value))
      return i;
  s->values[s->value_count] = value;
  return s->value_count++;
}

static uint32_t add_pair(sums *s, uint32_t left, uint32_t right) {
  for (uint32_t i = s->value_count; i < s->column_count; i++)
    if (s->columns[i].left == left && s->columns[i].right == right)
      return i;
  const column *a = &s->columns[left], *b = &s->columns[right];
  s->columns[s->column_count] = (column){.pair = true,
                                         .whole = a->whole && b->whole,
                                         .narrow = a->narrow && b->narrow,
                                         .left = left,
                                         .right = right,
                                         .window = {-2 * UNIT, a->whole && b->whole ? PART : 0}};
  return s->column_count++;
}

bool rdx_fits_sums(rdx_sql_type type) {
  return rdx_is_float(type) || (rdx_is_exact(type) && (type.kind != RDX_SQL_DECIMAL || type.precision <= WHOLE_DIGITS));
}

static bool is_narrow(rdx_sql_type type) {
  return type.kind == RDX_SQL_SMALLINT || type.kind == RDX_SQL_INTEGER ||
         (type.kind == RDX_SQL_DECIMAL && type.precision <= NARROW_DIGITS);
}

static rdx_status list_columns(sums *s, rdx_error *err) {
  const rdx_float_sums_query *q = &s->q;
  rdx_arena *arena = q->x->arena;
  RDX_TRY(rdx_arena_alloc(arena, 2 * (size_t)q->count, sizeof(rdx_bound *), WHAT, (void **)&s->values, err));
  RDX_TRY(rdx_arena_alloc(arena, 3 * (size_t)q->count, sizeof *s->columns, WHAT, (void **)&s->columns, err));
  RDX_TRY(rdx_arena_alloc(arena, 3 * (size_t)q->count, sizeof *s->parts, WHAT, (void **)&s->parts, err));
  for (uint32_t i = 0; i < q->count; i++) {
    const rdx_plan_aggregate *a = &q->aggregates[i];
    s->parts[3 * i] = add_value(s, a->value);
    s->parts[3 * i + 1] = a->kind == RDX_PLAN_MOMENT ? add_value(s, a->argument) : 0;
  }
  s->column_count = s->value_count;
  for (uint32_t i = 0; i < s->value_count; i++) {
    const rdx_sql_type type = s->values[i]->type;
    s->columns[i] = (column){.whole = !rdx_is_float(type), .narrow = is_narrow(type)};
    s->columns[i].window = (window){-UNIT, s->columns[i].whole ? PART : 0};
  }
  for (uint32_t i = 0; i < q->count; i++)
    if (q->aggregates[i].kind == RDX_PLAN_MOMENT)
      s->parts[3 * i + 2] = add_pair(s, s->parts[3 * i], s->parts[3 * i + 1]);
  return RDX_OK;
}

/* ---- Blocks of rows ---- */

/* Exponents of whole numbers are there from the beginning. */
static void take_whole(const rdx_values *values, uint32_t rows, block *out) {
  if (!values->nulls) {
    memcpy(out->mantissas, values->data, rows * sizeof *out->mantissas);
    memset(out->kinds, IS_FINITE, rows);
    return;
  }
  for (uint32_t i = 0; i < rows; i++) {
    const bool null = values->nulls[i];
    out->mantissas[i] = null ? 0 : ((const int64_t *)values->data)[i];
    out->kinds[i] = null ? IS_NULL : IS_FINITE;
  }
}

/* Only whether they are NULL. */
static void take_nulls(const rdx_values *values, uint32_t rows, block *out) {
  memset(out->mantissas, 0, rows * sizeof *out->mantissas);
  for (uint32_t i = 0; i < rows; i++)
    out->kinds[i] = values->nulls && values->nulls[i] ? IS_NULL : IS_FINITE;
}

static void cut_floats(const rdx_values *values, uint32_t rows, block *out) {
  const uint64_t fraction = ((uint64_t)1 << 52) - 1;
  for (uint32_t i = 0; i < rows; i++) {
    uint64_t bits;
    memcpy(&bits, (const double *)values->data + i, sizeof bits);
    const uint32_t exponent = (uint32_t)(bits >> 52 & 2047);
    const bool null = values->nulls && values->nulls[i], finite = exponent < 2047;
    const int64_t size = (int64_t)(exponent > 0 ? (bits & fraction) | (fraction + 1) : bits & fraction);
    out->exponents[i] = (uint16_t)(exponent > 0 ? exponent - 1 : 0);
    out->mantissas[i] = null || !finite ? 0 : bits >> 63 ? -size : size;
    out->kinds[i] = null ? IS_NULL : finite ? IS_FINITE : bits & fraction ? IS_NAN : bits >> 63 ? IS_DOWN : IS_UP;
  }
}

static void note_beyond(beyond *b, uint32_t exponent) {
  b->min = exponent < b->min ? exponent : b->min;
  b->max = exponent > b->max ? exponent : b->max;
}

/* Where rows begin .. end - 1 of a block go. */
typedef struct target {
  rdx_i128 *table;
  const uint32_t *codes; /* of the block's rows; NULL: all are of the first group */
  uint32_t cells, begin, end;
} target;

static rdx_i128 *group_of(const target *t, const column *c, uint32_t i) {
  return t->table + (t->codes ? (uint64_t)t->codes[i] * t->cells : 0) + c->cell;
}

static void add_whole_values(const target *t, const column *c, const block *b) {
  if (!t->codes) { /* all in one group */
    rdx_i128 sum = 0;
    uint32_t count = 0;
    for (uint32_t i = t->begin; i < t->end; i++) {
      sum += b->mantissas[i];
      count += b->kinds[i];
    }
    group_of(t, c, 0)[-1] += count;
    group_of(t, c, 0)[0] += sum;
    return;
  }
  for (uint32_t i = t->begin; i < t->end; i++) {
    rdx_i128 *numbers = group_of(t, c, i);
    numbers[-1] += b->kinds[i];
    numbers[0] += b->mantissas[i];
  }
}

static void add_values(const target *t, const column *c, const block *b, beyond *out) {
  for (uint32_t i = t->begin; i < t->end; i++) {
    rdx_i128 *numbers = group_of(t, c, i);
    const uint32_t at = b->exponents[i] - c->window.base;
    numbers[-1] += tallies[b->kinds[i]];
    if (at < c->window.count)
      numbers[at / PART] += (rdx_i128)((unsigned_i128)(rdx_i128)b->mantissas[i] << at % PART);
    else if (b->mantissas[i] != 0)
      note_beyond(out, b->exponents[i]);
  }
}

/* Products have 126 bits and a sign: the low 64 are added to one number, the others to the second one after it. */
static void add_products(const target *t, const column *c, const block *left, const block *right, beyond *out) {
  for (uint32_t i = t->begin; i < t->end; i++) {
    rdx_i128 *numbers = group_of(t, c, i);
    const rdx_i128 product = (rdx_i128)left->mantissas[i] * right->mantissas[i];
    const uint32_t exponent = (uint32_t)left->exponents[i] + right->exponents[i], at = exponent - c->window.base;
    if (at < c->window.count) {
      numbers[at / PART] += (rdx_i128)((unsigned_i128)(uint64_t)product << at % PART);
      numbers[at / PART + 2] += (rdx_i128)((unsigned_i128)(product >> 64) << at % PART);
    } else if (product != 0) {
      note_beyond(out, exponent);
    }
  }
}

static void add_narrow_products(const target *t, const column *c, const block *left, const block *right) {
  for (uint32_t i = t->begin; i < t->end; i++)
    *group_of(t, c, i) += left->mantissas[i] * right->mantissas[i];
}

static void add_rows(const sums *s, const target *t, const block *blocks, beyond *beyonds) {
  for (uint32_t i = 0; i < s->column_count; i++) {
    const column *c = &s->columns[i];
    if (c->pair && c->narrow)
      add_narrow_products(t, c, &blocks[c->left], &blocks[c->right]);
    else if (c->pair)
      add_products(t, c, &blocks[c->left], &blocks[c->right], &beyonds[i]);
    else if (c->whole)
      add_whole_values(t, c, &blocks[i]);
    else
      add_values(t, c, &blocks[i], &beyonds[i]);
  }
}

static void lock_group(uint32_t *lock) {
  while (__atomic_exchange_n(lock, 1, __ATOMIC_ACQUIRE))
    while (__atomic_load_n(lock, __ATOMIC_RELAXED))
      continue;
}

/* Ask for the memory of a row's group: a lock that waits for it keeps others waiting. */
static void prefetch_group(const target *t, uint32_t i) {
  const char *group = (const char *)(t->table + (uint64_t)t->codes[i] * t->cells);
  const uint64_t bytes = t->cells * sizeof *t->table;
  for (uint64_t at = 0; at < bytes && at < PREFETCHED; at += LINE)
    __builtin_prefetch(group + at, 1);
}

/* Row by row, while its group is locked. */
static void add_shared(const sums *s, target *t, uint32_t rows, const block *blocks, beyond *beyonds) {
  for (uint32_t i = 0; i < rows; i++) {
    if (i + AHEAD < rows)
      prefetch_group(t, i + AHEAD);
    uint32_t *lock = (uint32_t *)(t->table + (uint64_t)t->codes[i] * t->cells);
    t->begin = i;
    t->end = i + 1;
    lock_group(lock);
    add_rows(s, t, blocks, beyonds);
    __atomic_store_n(lock, 0, __ATOMIC_RELEASE);
  }
}

static void add_block(void *context, uint64_t begin, uint32_t rows, const rdx_values *values, uint32_t worker) {
  const sums *s = context;
  block *blocks = s->blocks + (uint64_t)worker * s->value_count;
  beyond *beyonds = s->beyonds + (uint64_t)worker * s->column_count;
  const bool shared = s->tables < s->threads;
  target t = {.table = s->memory + (shared ? 0 : worker * s->groups * s->cells),
              .codes = s->codes ? s->codes + begin : NULL,
              .cells = s->cells,
              .end = rows};
  for (uint32_t i = 0; i < s->value_count; i++) {
    const rdx_sql_type type = s->values[i]->type;
    (rdx_is_float(type) ? cut_floats : rdx_fits_sums(type) ? take_whole : take_nulls)(&values[i], rows, &blocks[i]);
  }
  if (shared)
    add_shared(s, &t, rows, blocks, beyonds);
  else
    add_rows(s, &t, blocks, beyonds);
}

/* ---- Runs ---- */

static rdx_status make_blocks(sums *s, rdx_error *err) {
  const uint64_t count = (uint64_t)s->threads * s->value_count;
  RDX_TRY(rdx_alloc(count, sizeof *s->blocks, WHAT, (void **)&s->blocks, err));
  for (uint64_t i = 0; i < count; i++)
    for (uint32_t k = 0; k < RDX_BLOCK; k++)
      s->blocks[i].exponents[k] = -UNIT;
  return RDX_OK;
}

/* The numbers that a column has in each group. */
static uint32_t numbers_of(const column *c) {
  return c->window.count / PART + (c->pair && !c->narrow ? 2 : 0);
}

static void lay_out(sums *s) {
  s->cells = 1;
  for (uint32_t i = 0; i < s->column_count; i++) {
    column *c = &s->columns[i];
    c->cell = s->cells + !c->pair;
    s->cells = c->cell + numbers_of(c);
  }
  const double bytes = (double)s->groups * s->cells * sizeof *s->memory * s->threads;
  s->tables = s->codes && bytes > (double)OWN_BYTES ? 1 : s->threads;
}

/* Add up the first rows. */
static rdx_status run(sums *s, uint64_t rows, rdx_error *err) {
  for (uint32_t i = 0; i < s->threads * s->column_count; i++)
    s->beyonds[i] = (beyond){UINT32_MAX, 0};
  rdx_free(s->memory);
  s->memory = NULL;
  lay_out(s);
  const uint64_t groups = s->tables * s->groups, bytes = s->cells * sizeof *s->memory;
  RDX_TRY(rdx_device_expect_host(s->q.x->device, groups * bytes, "the sums of groups take",
                                 "aggregate fewer rows, or raise memory_limit", err));
  RDX_TRY(rdx_calloc(groups, bytes, WHAT, (void **)&s->memory, err));
  rdx_evaluation e = rdx_operand_evaluation(s->q.x, s->q.in);
  e.rows = rows;
  return rdx_evaluate_blocks(&e, s->values, s->value_count, add_block, s, err);
}

/* Make windows wider where values were beyond, and then some; false: none was. */
static bool widen(sums *s) {
  bool any = false;
  for (uint32_t i = 0; i < s->column_count; i++) {
    column *c = &s->columns[i];
    const uint32_t all = EXPONENTS << c->pair, more = PART << c->pair;
    beyond b = {UINT32_MAX, 0};
    for (uint32_t k = 0; k < s->threads; k++) {
      const beyond *own = &s->beyonds[(uint64_t)k * s->column_count + i];
      b.min = own->min < b.min ? own->min : b.min;
      b.max = own->max > b.max ? own->max : b.max;
    }
    if (b.min > b.max)
      continue;
    if (c->window.count > 0) {
      note_beyond(&b, c->window.base);
      note_beyond(&b, c->window.base + c->window.count - 1);
    }
    c->window.base = b.min > more ? (b.min - more) / PART * PART : 0; /* of all windows the numbers fit together */
    c->window.count = (b.max + more - c->window.base) / PART * PART + PART;
    if (c->window.base + c->window.count > all)
      c->window.count = (all - c->window.base + PART - 1) / PART * PART;
    any = true;
  }
  return any;
}

/* The first block tells what numbers of floats many groups have; where others are beyond them all is done again. */
static rdx_status run_all(sums *s, rdx_error *err) {
  const uint64_t rows = s->q.in->frame.rows;
  bool whole = true;
  for (uint32_t i = 0; i < s->value_count; i++) {
    RDX_TRY(rdx_operand_bring(s->q.in, s->values[i], err));
    whole &= s->columns[i].whole;
  }
  if ((s->q.groups > FEW_GROUPS || s->in_portions) && !whole) {
    s->codes = NULL;
    s->groups = 1;
    RDX_TRY(run(s, rows < RDX_BLOCK ? rows : RDX_BLOCK, err));
    widen(s);
  } else {
    for (uint32_t i = 0; i < s->column_count; i++)
      if (!s->columns[i].whole)
        s->columns[i].window = (window){0, EXPONENTS << s->columns[i].pair};
  }
  s->codes = s->q.codes;
  s->groups = s->q.groups;
  do
    RDX_TRY(run(s, rows, err));
  while (widen(s));
  return RDX_OK;
}

/* ---- Results ---- */

typedef struct finishing {
  const sums *s;
  const rdx_plan_aggregate *aggregate;
  const uint32_t *parts;
  void *values;
  uint8_t *validity;
  _Atomic bool overflow;
} finishing;

static void merge_tables(void *context, uint64_t begin, uint64_t end, RDX_UNUSED uint32_t worker) {
  const sums *s = context;
  for (uint32_t t = 1; t < s->tables; t++)
    for (uint64_t i = begin * s->cells; i < end * s->cells; i++)
      s->memory[i] += s->memory[t * s->groups * s->cells + i];
}

/* Words that a column's number has, up by `shift` bits and with `more` bits above. */
static uint32_t words_of(const column *c, uint32_t shift, uint32_t more) {
  const uint32_t words = (c->window.count + 96 + 64 * c->pair + shift + more) / 64 + 1;
  return words < RDX_WIDE_MAX_WORDS ? words : RDX_WIDE_MAX_WORDS;
}

static void add_parts(const column *c, const rdx_i128 *group, uint32_t shift, uint64_t *out, uint32_t words) {
  const uint32_t count = numbers_of(c);
  memset(out, 0, words * sizeof *out);
  for (uint32_t i = 0; i < count; i++)
    if (group[c->cell + i] != 0)
      rdx_wide_add(out, words, group[c->cell + i], i * PART + shift);
}

static rdx_i128 tally_of(const column *c, const rdx_i128 *group) {
  return group[c->cell - 1];
}

/* What values that are not finite make of a sum; 0: there are none. */
static double special_of(rdx_i128 tally) {
  const bool up = ((uint64_t)(tally >> 40) & TALLY_MASK) > 0, down = tally >> 80 > 0;
  return up && down ? (double)NAN : up ? (double)INFINITY : down ? -(double)INFINITY : 0;
}

/* DECIMALs are so many times as large as their values. */
static rdx_i128 units_of(const rdx_bound *value) {
  return rdx_power_of_ten(value->type.kind == RDX_SQL_DECIMAL ? value->type.scale : 0);
}

static double sum_of(const column *c, const rdx_i128 *group, rdx_i128 divisor) {
  const double special = special_of(tally_of(c, group));
  const uint32_t words = words_of(c, 0, 0);
  uint64_t sum[RDX_WIDE_MAX_WORDS];
  if (special != 0)
    return special;
  add_parts(c, group, 0, sum, words);
  return rdx_wide_quotient(sum, words, UNIT + (int)c->window.base, divisor);
}

/* Of numbers of 31 bits: sums of 2^32 of them have 63, those of their products 94. */
static double narrow_moment(rdx_i128 n, rdx_i128 x, rdx_i128 y, rdx_i128 products) {
  const rdx_i128 all = n * products - x * y;
  const uint64_t words[] = {(uint64_t)all, (uint64_t)(all >> 64)};
  return rdx_wide_quotient(words, RDX_COUNT(words), 0, n);
}

static double moment_of(const column *x, const column *y, const column *pair, const rdx_i128 *group) {
  const uint64_t n = (uint64_t)tally_of(x, group) & TALLY_MASK;
  const uint32_t low = x->window.base + y->window.base, products = pair->window.base;
  const uint32_t base = low < products ? low : products;
  uint32_t words = words_of(pair, products - base, 64);
  const uint32_t other = words_of(x, low - base, y->window.count + 128);
  uint64_t all[3][RDX_WIDE_MAX_WORDS];
  if (pair->narrow)
    return narrow_moment((rdx_i128)n, group[x->cell], group[y->cell], group[pair->cell]);
  if (special_of(tally_of(x, group)) != 0 || special_of(tally_of(y, group)) != 0)
    return (double)NAN;
  words = words > other ? words : other;
  add_parts(x, group, low - base, all[0], words);
  add_parts(y, group, 0, all[1], words);
  add_parts(pair, group, products - base, all[2], words);
  return rdx_wide_moment(all[0], all[1], all[2], words, 2 * UNIT + (int)base, n);
}

static void finish_groups(void *context, uint64_t begin, uint64_t end, RDX_UNUSED uint32_t worker) {
  finishing *f = context;
  const rdx_plan_aggregate_kind kind = f->aggregate->kind;
  const column *columns = f->s->columns, *c = &columns[f->parts[0]];
  const rdx_i128 units = units_of(f->s->values[f->parts[0]]), others = units_of(f->s->values[f->parts[1]]);
  for (uint64_t i = begin; i < end; i++) {
    const rdx_i128 *group = f->s->memory + i * f->s->cells;
    const uint64_t count = (uint64_t)tally_of(c, group) & TALLY_MASK;
    double value = 0;
    if (kind == RDX_PLAN_SUM && c->whole) {
      const rdx_i128 sum = group[c->cell];
      ((int64_t *)f->values)[i] = (int64_t)sum;
      f->validity[i / 8] |= (uint8_t)((count > 0) << i % 8);
      if (sum != (int64_t)sum)
        atomic_store_explicit(&f->overflow, true, memory_order_relaxed);
      continue;
    }
    if (kind == RDX_PLAN_COUNT) {
      ((int64_t *)f->values)[i] = (int64_t)count;
      continue;
    }
    f->validity[i / 8] |= (uint8_t)((count > 0) << i % 8);
    if (count > 0 && kind == RDX_PLAN_MOMENT)
      value = moment_of(c, &columns[f->parts[1]], &columns[f->parts[2]], group) / (double)units / (double)others;
    else if (count > 0)
      value = sum_of(c, group, kind == RDX_PLAN_AVG ? (rdx_i128)count * units : 1);
    ((double *)f->values)[i] = value;
    if (isinf(value) && special_of(tally_of(c, group)) == 0)
      atomic_store_explicit(&f->overflow, true, memory_order_relaxed);
  }
}

static rdx_status take_result(const sums *s, uint32_t index, rdx_frame *out, rdx_error *err) {
  const rdx_plan_aggregate *a = &s->q.aggregates[index];
  const uint64_t groups = s->groups;
  const bool counts = a->kind == RDX_PLAN_COUNT;
  RDX_SCOPED(rdx_vector_destroy) rdx_vector made = {0};
  RDX_TRY(rdx_alloc(groups, sizeof(double), WHAT, &made.memory[0], err));
  RDX_TRY(rdx_calloc(groups / 8 + 1, 1, WHAT, &made.memory[1], err));
  finishing f = {s, a, s->parts + 3 * (size_t)index, made.memory[0], made.memory[1], false};
  RDX_TRY(rdx_pool_run_stage(s->q.x->pool, groups, PIECE, finish_groups, &f, "execute", err));
  if (atomic_load(&f.overflow))
    return rdx_sql_error(err, RDX_ERROR_OVERFLOW, s->q.x->text, a->value->place, NULL,
                         a->kind == RDX_PLAN_MOMENT ? "value out of range: overflow"
                                                    : "the sum of a group passes the largest float");
  const rdx_sql_type type = a->value->type;
  const bool whole = a->kind == RDX_PLAN_SUM && !rdx_is_float(type), decimal = whole && type.kind == RDX_SQL_DECIMAL;
  made.column = (rdx_column){.type = decimal           ? RDX_TYPE_DECIMAL
                                     : counts || whole ? RDX_TYPE_I64
                                                       : RDX_TYPE_F64,
                             .scale = decimal ? type.scale : 0,
                             .rows = groups,
                             .values = made.memory[0],
                             .validity = counts ? NULL : made.memory[1]};
  return rdx_frame_take(out, index, &made, err);
}

static rdx_status begin_sums(sums *s, rdx_error *err) {
  s->threads = s->q.x->pool ? rdx_pool_threads(s->q.x->pool) : 1;
  RDX_TRY(list_columns(s, err));
  RDX_TRY(make_blocks(s, err));
  return rdx_alloc((uint64_t)s->threads * s->column_count, sizeof *s->beyonds, WHAT, (void **)&s->beyonds, err);
}

static rdx_status add_all(sums *s, rdx_error *err) {
  RDX_TRY(run_all(s, err));
  return rdx_pool_run_stage(s->q.x->pool, s->groups, PIECE, merge_tables, s, "execute", err);
}

static rdx_status take_results(const sums *s, rdx_frame *out, rdx_error *err) {
  RDX_TRY(rdx_frame_create(s->q.count, s->groups, out, err));
  for (uint32_t i = 0; i < s->q.count; i++)
    RDX_TRY(take_result(s, i, out, err));
  return RDX_OK;
}

static void drop_sums(sums *s) {
  RDX_FREE_ALL(s->blocks, s->beyonds, s->memory, s->before);
}

rdx_status rdx_float_sums_run(const rdx_float_sums_query *q, rdx_frame *out, rdx_error *err) {
  RDX_SCOPED(drop_sums) sums s = {.q = *q};
  RDX_TRY(begin_sums(&s, err));
  RDX_TRY(add_all(&s, err));
  return take_results(&s, out, err);
}

/* ---- Rows in portions ---- */

#define MAX_PAIRS UINT32_MAX /* rows whose products' sums fit */

/* What was added up before is added to the groups, whose windows have become wider at most. */
static void add_before(void *context, uint64_t begin, uint64_t end, RDX_UNUSED uint32_t worker) {
  const sums *s = context;
  for (uint32_t k = 0; k < s->column_count; k++) {
    const column *c = &s->columns[k], *old = &s->before_columns[k];
    const uint32_t shift = old->window.count > 0 ? (old->window.base - c->window.base) / PART : 0;
    for (uint64_t i = begin; i < end; i++) {
      rdx_i128 *to = s->memory + i * s->cells + c->cell;
      const rdx_i128 *from = s->before + i * s->before_cells + old->cell;
      if (!c->pair)
        to[-1] += from[-1];
      for (uint32_t n = 0; n < numbers_of(old); n++)
        to[shift + n] += from[n];
    }
  }
}

rdx_status rdx_float_sums_create(rdx_execution *x, const rdx_plan_aggregate *aggregates, uint32_t count,
                                 rdx_float_sums **out, rdx_error *err) {
  RDX_SCOPED(rdx_float_sums_destroy) sums *s = NULL;
  RDX_TRY(rdx_calloc(1, sizeof *s, WHAT, (void **)&s, err));
  s->q = (rdx_float_sums_query){.x = x, .aggregates = aggregates, .count = count};
  s->in_portions = true;
  RDX_TRY(begin_sums(s, err));
  RDX_TRY(rdx_arena_alloc(x->arena, s->column_count, sizeof *s->columns, WHAT, (void **)&s->before_columns, err));
  *out = RDX_KEEP(s);
  return RDX_OK;
}

rdx_status rdx_float_sums_add(sums *s, rdx_operand *in, const uint32_t *codes, uint64_t groups, rdx_error *err) {
  s->rows += in->frame.rows;
  if (s->rows > MAX_PAIRS && s->column_count > s->value_count)
    return rdx_fail(err, RDX_ERROR_UNSUPPORTED, "deviations of more than 4294967295 rows are not calculated");
  s->q.in = in;
  s->q.codes = codes;
  s->q.groups = groups;
  RDX_TRY(add_all(s, err));
  if (s->before)
    RDX_TRY(rdx_pool_run_stage(s->q.x->pool, s->before_groups, PIECE, add_before, s, "execute", err));
  rdx_free(s->before);
  s->before = s->memory;
  s->memory = NULL;
  s->before_groups = groups;
  s->before_cells = s->cells;
  memcpy(s->before_columns, s->columns, s->column_count * sizeof *s->columns);
  return RDX_OK;
}

rdx_status rdx_float_sums_finish(sums *s, rdx_frame *out, rdx_error *err) {
  s->memory = s->before;
  s->before = NULL;
  return take_results(s, out, err);
}

void rdx_float_sums_destroy(rdx_float_sums **out) {
  if (*out)
    drop_sums(*out);
  rdx_free(*out);
  *out = NULL;
}
