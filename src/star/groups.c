/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* Records that methods found, as groups: column by column. */

#include "star/groups.h"

#include <string.h>

void rdx_groups_drop(rdx_groups *groups) {
  rdx_free(groups->memory);
  *groups = (rdx_groups){0};
}

/* ---- Records of one group are joined ---- */

#define NO_RECORD UINT32_MAX

/* A word takes the sum of what is joined, or the largest: a bit for each word that does the latter. */
static uint64_t largest_words(const rdx_plan *plan, const rdx_records *r) {
  uint64_t largest = 0;
  for (uint32_t m = 0; m < plan->measure_count; m++) {
    const rdx_record_words *w = &r->measures[m];
    largest |= w->min == RDX_NO_WORD ? 0 : 1ull << w->min;
    largest |= w->max == RDX_NO_WORD ? 0 : 1ull << w->max;
  }
  return largest;
}

static void join(const uint64_t *from, uint32_t size, uint64_t largest, uint64_t *to) {
  for (uint32_t i = 0; i < size; i++)
    to[i] = (largest >> i & 1) == 0 ? to[i] + from[i] : to[i] > from[i] ? to[i] : from[i];
}

/* For each record the number of its group among those that records have; of those the first record in `firsts`. Returns
 * how many they are. `table` has 2^bits places, all NO_RECORD: a hash table with linear probing. */
static uint64_t match_records(const rdx_records *r, uint32_t *table, uint32_t bits, uint32_t *firsts,
                              uint32_t *joined) {
  uint64_t count = 0;
  for (uint64_t i = 0; i < r->count; i++) {
    uint64_t at = r->numbers[i] * 0x9e3779b97f4a7c15u >> (64 - bits);
    while (table[at] != NO_RECORD && r->numbers[firsts[table[at]]] != r->numbers[i])
      at = (at + 1) & ((1ull << bits) - 1);
    if (table[at] == NO_RECORD) {
      firsts[count] = (uint32_t)i;
      table[at] = (uint32_t)count++;
    }
    joined[i] = table[at];
  }
  return count;
}

/* One record for each group: `count` of them. */
static rdx_status join_into(const rdx_plan *plan, const rdx_records *r, uint64_t count, const uint32_t *joined,
                            rdx_records *out, uint64_t **memory, rdx_error *err) {
  const uint64_t largest = largest_words(plan, r);
  RDX_TRY(rdx_calloc((size_t)count * (r->size + 1ul), sizeof **memory, "the groups of a query", (void **)memory, err));
  uint64_t *const numbers = *memory, *const words = numbers + count;
  for (uint64_t i = 0; i < r->count; i++) {
    numbers[joined[i]] = r->numbers[i];
    join(r->words + i * r->stride, r->size, largest, words + (uint64_t)joined[i] * r->size);
  }
  *out = *r;
  out->count = count;
  out->numbers = numbers;
  out->words = words;
  out->stride = r->size;
  return RDX_OK;
}

/* Replace records by one for each group, if some are of the same. `*memory` holds them then, and is to be freed. */
static rdx_status join_records(const rdx_plan *plan, rdx_records *r, uint64_t **memory, rdx_error *err) {
  const uint64_t n = r->count;
  RDX_SCOPED(rdx_free_local) uint32_t *table = NULL;
  uint32_t bits = 1;
  while (1ull << bits < 2 * n)
    bits++;
  RDX_TRY(rdx_alloc((1ul << bits) + 2 * n, sizeof *table, "the groups of a query", (void **)&table, err));
  memset(table, 0xff, sizeof *table << bits);
  uint32_t *const firsts = table + (1ul << bits), *const joined = firsts + n;
  const uint64_t count = match_records(r, table, bits, firsts, joined);
  return count < n ? join_into(plan, r, count, joined, r, memory, err) : RDX_OK;
}

/* ---- Columns ---- */

/* Whether the sum of a measure might pass 64 bits. */
static bool is_wide(const rdx_plan *plan, const rdx_measure *m) {
  const rdx_i128 rows = plan->relation->rows;
  return m->min * rows < INT64_MIN || m->max * rows > INT64_MAX;
}

/* Whether an aggregate asks for rows: COUNT of them, or where each row has a value AVG, and how many are too large. */
static bool wants_rows(const rdx_plan *plan) {
  for (uint32_t i = 0; i < plan->query->aggregate_count; i++)
    if (plan->query->aggregates[i].kind == RDX_AGGREGATE_COUNT ||
        plan->query->aggregates[i].kind == RDX_AGGREGATE_AVG || plan->wide[i].some_beyond)
      return true;
  return false;
}

/* The next array of `count` numbers of so many bytes, in one block of memory (NULL: how much it has to be). */
static void *take(char *memory, uint64_t *used, uint64_t count, uint64_t size) {
  void *const array = memory ? memory + *used : NULL;
  *used += (count * size + 15) / 16 * 16;
  return array;
}

static uint64_t lay_out(const rdx_plan *plan, const rdx_records *r, char *memory, rdx_groups *out) {
  const uint64_t n = r->count;
  uint64_t used = 0;
  out->numbers = take(memory, &used, n, 8);
  out->rows = wants_rows(plan) ? take(memory, &used, n, 8) : NULL;
  for (uint32_t m = 0; m < plan->measure_count; m++) {
    const rdx_record_words *w = &r->measures[m];
    const bool wide = is_wide(plan, &plan->measures[m]);
    rdx_group_values *v = &out->values[m];
    v->counts = w->count == RDX_NO_WORD ? NULL : take(memory, &used, n, 8);
    v->sums = w->sum == RDX_NO_WORD || wide ? NULL : take(memory, &used, n, 8);
    v->wide_sums = w->sum == RDX_NO_WORD || !wide ? NULL : take(memory, &used, n, 16);
    v->min = w->min == RDX_NO_WORD ? NULL : take(memory, &used, n, 8);
    v->max = w->max == RDX_NO_WORD ? NULL : take(memory, &used, n, 8);
  }
  return used;
}

static bool are_ascending(const uint64_t *numbers, uint64_t count) {
  for (uint64_t i = 1; i < count; i++)
    if (numbers[i - 1] >= numbers[i])
      return false;
  return true;
}

/* Records and what becomes of them, piece by piece. */
typedef struct filling {
  const rdx_plan *plan;
  const rdx_records *records;
  rdx_groups *out;
  _Atomic bool wrong;     /* a record cannot be */
  _Atomic bool unordered; /* their numbers do not ascend */
} filling;

#define PIECE 16384 /* records */

static void copy_words(const rdx_records *r, uint32_t word, uint64_t begin, uint64_t end, uint64_t *out) {
  for (uint64_t i = begin; out && i < end; i++)
    out[i] = r->words[i * r->stride + word];
}

/* Sums of codes to sums of values: modulo 2^64, which they fit. Then there are no high halves. */
static void add_sums(const rdx_records *r, const rdx_record_words *w, uint64_t begin, uint64_t end, int64_t *out) {
  const uint32_t count = w->count == RDX_NO_WORD ? 0 : w->count;
  const uint64_t *record = r->words + begin * r->stride;
  for (uint64_t i = begin; i < end; i++, record += r->stride)
    out[i] = (int64_t)(record[w->sum] + record[count] * w->zero);
}

static void add_wide_sums(const rdx_records *r, const rdx_record_words *w, uint64_t begin, uint64_t end,
                          rdx_i128 *out) {
  const uint32_t count = w->count == RDX_NO_WORD ? 0 : w->count;
  const uint64_t *record = r->words + begin * r->stride;
  for (uint64_t i = begin; i < end; i++, record += r->stride)
    out[i] = (rdx_i128)record[w->sum] + (rdx_i128)(int64_t)w->zero * record[count] +
             (w->high == RDX_NO_WORD ? 0 : (rdx_i128)record[w->high] << 32);
}

static void fill_piece(void *context, uint64_t begin, uint64_t end, RDX_UNUSED uint32_t worker) {
  const filling *f = context;
  const rdx_records *r = f->records;
  memcpy(f->out->numbers + begin, r->numbers + begin, (end - begin) * sizeof *r->numbers);
  copy_words(r, 0, begin, end, f->out->rows);
  for (uint32_t m = 0; m < f->plan->measure_count; m++) {
    const rdx_record_words *w = &r->measures[m];
    const rdx_group_values *v = &f->out->values[m];
    copy_words(r, w->count, begin, end, v->counts);
    if (v->sums)
      add_sums(r, w, begin, end, v->sums);
    if (v->wide_sums)
      add_wide_sums(r, w, begin, end, v->wide_sums);
    for (uint64_t i = begin; v->min && i < end; i++)
      v->min[i] = (int64_t)(w->top - r->words[i * r->stride + w->min]);
    for (uint64_t i = begin; v->max && i < end; i++)
      v->max[i] = (int64_t)(w->zero + r->words[i * r->stride + w->max]);
  }
}

/* That groups are the plan's, and have no more rows than the relation. */
static rdx_status check(const rdx_plan *plan, const rdx_records *r, uint64_t begin, uint64_t end, rdx_error *err) {
  const rdx_device *device = plan->relation->device;
  const uint64_t *record = r->words + begin * r->stride;
  for (uint64_t i = begin; i < end; i++, record += r->stride) {
    RDX_TRY(rdx_returned_number(device, r->numbers[i], 0, plan->groups - 1, "the number of a group", err));
    RDX_TRY(rdx_returned_number(device, record[0], 1, plan->relation->rows, "the rows of a group", err));
  }
  for (uint32_t m = 0; m < plan->measure_count; m++) {
    const uint32_t count = r->measures[m].count;
    record = r->words + begin * r->stride;
    for (uint64_t i = begin; count != RDX_NO_WORD && i < end; i++, record += r->stride)
      RDX_TRY(rdx_returned_number(device, record[count], 0, record[0], "the values of a group", err));
  }
  return RDX_OK;
}

static void check_piece(void *context, uint64_t begin, uint64_t end, RDX_UNUSED uint32_t worker) {
  filling *f = context;
  const uint64_t *numbers = f->records->numbers;
  bool ascend = true;
  for (uint64_t i = begin > 0 ? begin : 1; i < end; i++)
    ascend &= numbers[i - 1] < numbers[i];
  if (!ascend)
    f->unordered = true;
  if (check(f->plan, f->records, begin, end, NULL) != RDX_OK)
    f->wrong = true;
}

static rdx_status check_all(filling *f, rdx_error *err) {
  const uint64_t count = f->records->count;
  f->unordered = false;
  RDX_TRY(rdx_device_run_stage_on_host(f->plan->relation->device, count, PIECE, check_piece, f, "query", err));
  return f->wrong ? check(f->plan, f->records, 0, count, err) : RDX_OK;
}

rdx_status rdx_groups_create(const rdx_plan *plan, rdx_records records, rdx_groups *out, rdx_error *err) {
  filling f = {.plan = plan, .records = &records, .out = out};
  RDX_SCOPED(rdx_free_local) uint64_t *memory = NULL;
  RDX_TRY(check_all(&f, err));
  if (!records.distinct && f.unordered) {
    RDX_TRY(join_records(plan, &records, &memory, err));
    f.unordered = !are_ascending(records.numbers, records.count);
  }
  RDX_TRY(rdx_alloc(lay_out(plan, &records, NULL, out), 1, "the groups of a query", &out->memory, err));
  lay_out(plan, &records, out->memory, out);
  out->count = records.count;
  out->ascending = !f.unordered;
  return rdx_device_run_stage_on_host(plan->relation->device, records.count, PIECE, fill_piece, &f, "query", err);
}

/* ---- Parts ---- */

static void reorder(void *array, uint64_t words, const uint64_t *order, uint64_t count, uint64_t *scratch) {
  uint64_t *values = array;
  for (uint64_t i = 0; i < count; i++)
    memcpy(scratch + i * words, values + order[i] * words, words * sizeof *scratch);
  memcpy(values, scratch, count * words * sizeof *scratch);
}

/* `scratch` is for 5 * (count + 1) words. */
static void sort_groups(rdx_groups *g, uint64_t *scratch) {
  uint64_t *const order = scratch, *const rest = scratch + g->count;
  rdx_sort_order(g->numbers, g->count, order, rest);
  reorder(g->numbers, 1, order, g->count, rest);
  if (g->rows)
    reorder(g->rows, 1, order, g->count, rest);
  for (uint32_t m = 0; m < RDX_MAX_MEASURES; m++) {
    const rdx_group_values *v = &g->values[m];
    uint64_t *const arrays[] = {v->counts, (uint64_t *)v->sums, (uint64_t *)v->min, (uint64_t *)v->max};
    for (uint32_t i = 0; i < RDX_COUNT(arrays); i++)
      if (arrays[i])
        reorder(arrays[i], 1, order, g->count, rest);
    if (v->wide_sums)
      reorder(v->wide_sums, 2, order, g->count, rest);
  }
  g->ascending = true;
}

rdx_status rdx_groups_align(rdx_groups *parts, uint32_t count, rdx_error *err) {
  const uint64_t groups = parts[0].count;
  uint64_t *scratch = NULL;
  if (count == 1)
    return RDX_OK;
  RDX_TRY(rdx_alloc(5 * ((size_t)groups + 1), sizeof *scratch, "the groups of a query", (void **)&scratch, err));
  bool same = true;
  for (uint32_t i = 0; i < count && same; i++) {
    same = parts[i].count == groups;
    if (same && !parts[i].ascending)
      sort_groups(&parts[i], scratch);
    same = same && memcmp(parts[i].numbers, parts[0].numbers, groups * sizeof *scratch) == 0;
  }
  rdx_free(scratch);
  return same ? RDX_OK : rdx_fail(err, RDX_ERROR_INTERNAL, "parts of a query found different groups");
}
