/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* Adding rows to accumulators on the CPU. A copy belongs to one thread: no atomics. */

#include "kernels/star/kernels.h"

/* Records, and the list of those touched. */
typedef struct target {
  uint64_t *sums;
  uint32_t *list;
  uint32_t touched;
} target;

RDX_INLINE uint64_t *record_of(target *t, uint32_t group, uint32_t slots) {
  uint64_t *record = t->sums + (uint64_t)group * slots;
  t->list[t->touched] = group;
  t->touched += record[0]++ == 0; /* no branch; the list has room for one too many */
  return record;
}

/* ---- One sum, or only the number of rows: most queries ---- */

RDX_INLINE uint64_t load(const void *column, uint32_t bytes, uint64_t i) {
  return bytes == 1   ? ((const uint8_t *)column)[i]
         : bytes == 2 ? ((const uint16_t *)column)[i]
         : bytes == 4 ? ((const uint32_t *)column)[i]
         : bytes == 8 ? ((const uint64_t *)column)[i]
                      : 0;
}

RDX_INLINE void add_run(target *t, uint32_t group, uint32_t slots, uint64_t rows, uint64_t sum) {
  if (rows == 0)
    return;
  uint64_t *record = record_of(t, group, slots);
  record[0] += rows - 1;
  if (slots > 1)
    record[1] += sum;
}

/* Inlined with constant sizes, and with `rows` NULL or not. `value_bytes` 0: no measure. Rows of a group that follow
 * each other are added up before they go to its record. Returns how often the group changes. */
RDX_INLINE uint32_t add_runs(const star_query *q, target *t, const uint32_t *rows, uint32_t begin, uint32_t end,
                             uint32_t group_bytes, uint32_t value_bytes) {
  const void *groups = q->groups, *values = q->measures[0].codes;
  const uint32_t slots = value_bytes ? 2 : 1;
  uint64_t sum = 0, first = begin; /* of the run */
  uint32_t group = begin < end ? (uint32_t)load(groups, group_bytes, rows ? rows[begin] : begin) : 0, changes = 0;
  for (uint64_t i = begin; i < end; i++) {
    const uint64_t row = rows ? rows[i] : i;
    const uint32_t next = (uint32_t)load(groups, group_bytes, row);
    if (next != group) {
      add_run(t, group, slots, i - first, sum);
      group = next;
      first = i;
      sum = 0;
      changes++;
    }
    sum += load(values, value_bytes, row);
  }
  add_run(t, group, slots, end - first, sum);
  return changes;
}

/* The same where the group changes at nearly every row, which no processor foresees: without a branch. */
RDX_INLINE uint32_t add_each(const star_query *q, target *t, const uint32_t *rows, uint32_t begin, uint32_t end,
                             uint32_t group_bytes, uint32_t value_bytes) {
  const void *groups = q->groups, *values = q->measures[0].codes;
  const uint32_t slots = value_bytes ? 2 : 1;
  target local = *t;
  uint32_t group = UINT32_MAX, changes = 0;
  for (uint64_t i = begin; i < end; i++) {
    const uint64_t row = rows ? rows[i] : i;
    const uint32_t next = (uint32_t)load(groups, group_bytes, row);
    uint64_t *record = record_of(&local, next, slots);
    if (value_bytes > 0)
      record[1] += load(values, value_bytes, row);
    changes += next != group;
    group = next;
  }
  *t = local;
  return changes;
}

#define MIN_STRETCH 128 /* rows that tell how those after them are added */
#define MAX_STRETCH 8192

RDX_INLINE void add_simple(const star_query *q, target *t, const uint32_t *rows, uint32_t begin, uint32_t end,
                           uint32_t group_bytes, uint32_t value_bytes) {
  uint32_t stretch = group_bytes > 0 ? MIN_STRETCH : UINT32_MAX;
  bool mixed = false;
  for (uint32_t from = begin, to = 0; from < end; from = to) {
    to = end - from < stretch ? end : from + stretch;
    const uint32_t changes = mixed ? add_each(q, t, rows, from, to, group_bytes, value_bytes)
                                   : add_runs(q, t, rows, from, to, group_bytes, value_bytes);
    const bool same = mixed == (changes > (to - from) / 8);
    mixed ^= !same;
    stretch = !same ? MIN_STRETCH : stretch < MAX_STRETCH ? 2 * stretch : stretch;
  }
}

#define BY_VALUE(group_bytes)                                                                                          \
  switch (q->measure_count ? q->measures[0].bytes : 0) {                                                               \
  case 0:                                                                                                              \
    add_simple(q, t, rows, begin, end, group_bytes, 0);                                                                \
    break;                                                                                                             \
  case 1:                                                                                                              \
    add_simple(q, t, rows, begin, end, group_bytes, 1);                                                                \
    break;                                                                                                             \
  case 2:                                                                                                              \
    add_simple(q, t, rows, begin, end, group_bytes, 2);                                                                \
    break;                                                                                                             \
  case 4:                                                                                                              \
    add_simple(q, t, rows, begin, end, group_bytes, 4);                                                                \
    break;                                                                                                             \
  default:                                                                                                             \
    add_simple(q, t, rows, begin, end, group_bytes, 8);                                                                \
  }

RDX_INLINE void add_by_size(const star_query *q, target *t, const uint32_t *rows, uint32_t begin, uint32_t end) {
  switch (q->group_bytes) {
  case 0:
    BY_VALUE(0)
    break;
  case 1:
    BY_VALUE(1)
    break;
  case 2:
    BY_VALUE(2)
    break;
  default:
    BY_VALUE(4)
  }
}

static void add_range(const star_query *q, target *t, uint32_t begin, uint32_t end) {
  add_by_size(q, t, NULL, begin, end);
}

static void add_list(const star_query *q, target *t, const uint32_t *rows, uint32_t begin, uint32_t end) {
  add_by_size(q, t, rows, begin, end);
}

/* ---- Any query ---- */

/* Add a code to the slots of its measure; returns the slot after them. */
static uint64_t *add_code(uint64_t *slot, uint64_t code, const star_measure *m) {
  if (star_is_null(m->slots, code, m->null_code))
    return slot + __builtin_popcount(m->slots & ~STAR_NULLS);
  if (m->slots & STAR_COUNT)
    (*slot++)++;
  if (m->slots & STAR_SUM)
    *slot++ += m->slots & STAR_HIGH ? (uint32_t)code : code;
  if (m->slots & STAR_HIGH)
    *slot++ += code >> 32;
  if (m->slots & STAR_MIN) {
    *slot = ~code > *slot ? ~code : *slot;
    slot++;
  }
  if (m->slots & STAR_MAX) {
    *slot = code > *slot ? code : *slot;
    slot++;
  }
  return slot;
}

static void add_any(const star_query *q, target *t, const uint32_t *rows, uint32_t begin, uint32_t end) {
  for (uint64_t i = begin; i < end; i++) {
    const uint32_t row = rows ? rows[i] : (uint32_t)i;
    uint64_t *slot = record_of(t, (uint32_t)star_load(q->groups, q->group_bytes, row), q->slot_count) + 1;
    for (uint32_t m = 0; m < q->measure_count; m++)
      slot = add_code(slot, star_load(q->measures[m].codes, q->measures[m].bytes, row), &q->measures[m]);
  }
}

void rdx_star_add(const star_query *q, uint32_t copy, const uint32_t *rows, uint32_t begin, uint32_t end) {
  target t = {.sums = q->sums + copy * star_record_stride(q),
              .list = q->touched + copy * star_list_stride(q),
              .touched = q->marks[copy]};
  if (!q->simple)
    add_any(q, &t, rows, begin, end);
  else if (rows)
    add_list(q, &t, rows, begin, end);
  else
    add_range(q, &t, begin, end);
  q->marks[copy] = t.touched;
}

/* ---- Batches ---- */

void rdx_star_batch_row(const star_query *q, uint32_t row, rdx_star_batch *b) {
  b->groups[b->count] = (uint32_t)star_load(q->groups, q->group_bytes, row);
  for (uint32_t m = 0; m < q->measure_count; m++)
    b->codes[m][b->count] = star_load(q->measures[m].codes, q->measures[m].bytes, row);
  b->count++;
}

static void raise_shared(uint64_t *slot, uint64_t value) {
  uint64_t now = __atomic_load_n(slot, __ATOMIC_RELAXED);
  while (now < value && !__atomic_compare_exchange_n(slot, &now, value, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
    ;
}

/* The same as add_code(). */
static uint64_t *add_code_shared(uint64_t *slot, uint64_t code, const star_measure *m) {
  if (star_is_null(m->slots, code, m->null_code))
    return slot + __builtin_popcount(m->slots & ~STAR_NULLS);
  if (m->slots & STAR_COUNT)
    __atomic_fetch_add(slot++, 1, __ATOMIC_RELAXED);
  if (m->slots & STAR_SUM)
    __atomic_fetch_add(slot++, m->slots & STAR_HIGH ? (uint32_t)code : code, __ATOMIC_RELAXED);
  if (m->slots & STAR_HIGH)
    __atomic_fetch_add(slot++, code >> 32, __ATOMIC_RELAXED);
  if (m->slots & STAR_MIN)
    raise_shared(slot++, ~code);
  if (m->slots & STAR_MAX)
    raise_shared(slot++, code);
  return slot;
}

/* RTCUDB, Algorithm 1 "atomic_add". */
static void add_shared(const star_query *q, uint32_t copy, const rdx_star_batch *b) {
  uint64_t *sums = q->sums + copy * star_record_stride(q);
  uint32_t *list = q->touched + copy * star_list_stride(q);
  for (uint32_t i = 0; i < b->count; i++) {
    uint64_t *slot = sums + (uint64_t)b->groups[i] * q->slot_count;
    if (__atomic_fetch_add(slot++, 1, __ATOMIC_RELAXED) == 0)
      list[__atomic_fetch_add(&q->marks[copy], 1, __ATOMIC_RELAXED)] = b->groups[i];
    for (uint32_t m = 0; m < q->measure_count; m++)
      slot = add_code_shared(slot, b->codes[m][i], &q->measures[m]);
  }
}

static void add_own(const star_query *q, uint32_t copy, const rdx_star_batch *b) {
  target t = {.sums = q->sums + copy * star_record_stride(q),
              .list = q->touched + copy * star_list_stride(q),
              .touched = q->marks[copy]};
  for (uint32_t i = 0; i < b->count; i++) {
    uint64_t *slot = record_of(&t, b->groups[i], q->slot_count) + 1;
    if (q->simple && q->measure_count > 0)
      *slot += b->codes[0][i];
    for (uint32_t m = 0; m < q->measure_count && !q->simple; m++)
      slot = add_code(slot, b->codes[m][i], &q->measures[m]);
  }
  q->marks[copy] = t.touched;
}

void rdx_star_add_batch(const star_query *q, uint32_t copy, bool shared, rdx_star_batch *b) {
  if (shared)
    add_shared(q, copy, b);
  else
    add_own(q, copy, b);
  b->count = 0;
}
