/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* Columns of texts with their sorted dictionaries. */

#include "expression/vectors.h"

#include <stdatomic.h>
#include <string.h>

#include <raydex/index.h>

#include "column/column.h"
#include "expression/casts.h"
#include "column/dictionary.h"

/* ---- The parts of such a column ---- */

static rdx_status take_rows(rdx_vector *out, uint64_t rows, rdx_error *err) {
  out->column = (rdx_column){.type = RDX_TYPE_STRING, .rows = rows};
  RDX_TRY(rdx_calloc(rows, sizeof(uint32_t), "the values of an expression", &out->memory[0], err));
  RDX_TRY(rdx_calloc((rows + 7) / 8, 1, "the values of an expression", &out->memory[1], err));
  out->column.values = out->memory[0];
  return RDX_OK;
}

/* A dictionary's struct and the offsets behind it are one piece of memory. */
static rdx_status take_dictionary(rdx_vector *out, uint64_t count, uint64_t bytes, uint64_t **offsets, char **text,
                                  rdx_error *err) {
  const size_t head = (sizeof(rdx_column) + 7) / 8;
  RDX_TRY(rdx_alloc(head + count + 1, sizeof(uint64_t), "the dictionary of an expression", &out->memory[2], err));
  RDX_TRY(rdx_alloc(bytes, 1, "the dictionary of an expression", &out->memory[3], err));
  rdx_column *dictionary = out->memory[2];
  *offsets = (uint64_t *)out->memory[2] + head;
  *text = out->memory[3];
  (*offsets)[0] = 0;
  *dictionary = (rdx_column){.type = RDX_TYPE_STRING, .rows = count, .values = *text, .offsets = *offsets};
  out->column.dictionary = dictionary;
  return RDX_OK;
}

/* The distinct strings as the dictionary; `*places` are those of their numbers in it. */
static rdx_status sort_distinct(const rdx_distinct *distinct, rdx_vector *out, uint32_t **places, rdx_error *err) {
  const rdx_column *strings = &distinct->strings;
  const uint64_t count = strings->rows;
  RDX_SCOPED(rdx_free_local) uint32_t *sorted = NULL;
  uint64_t *offsets = NULL;
  char *text = NULL;
  if (count == 0)
    return take_dictionary(out, 0, 0, &offsets, &text, err);
  RDX_TRY(rdx_distinct_sort(distinct, "evaluate", &sorted, places, err));
  RDX_TRY(take_dictionary(out, count, strings->offsets[count], &offsets, &text, err));
  for (uint64_t i = 0; i < count; i++) {
    uint64_t length = 0;
    RDX_TRY(rdx_loop_goes_on(i, count, "evaluate", err));
    const char *from = rdx_column_text(strings, sorted[i], &length);
    if (length > 0)
      memcpy(text + offsets[i], from, length);
    offsets[i + 1] = offsets[i] + length;
  }
  return RDX_OK;
}

/* ---- Texts of any expression ---- */

typedef struct collecting {
  rdx_vector *out;
  rdx_sql_type type;
  rdx_distinct *distinct; /* of each worker */
  uint32_t *workers;      /* which worker had a block */
  uint32_t **places;      /* of each worker's numbers in the dictionary */
  uint32_t threads;
  _Atomic bool has_nulls;
} collecting;

static rdx_status collect(rdx_worker *w, void *context, uint32_t worker, rdx_class class, const rdx_values *values) {
  collecting *c = context;
  uint32_t *codes = (uint32_t *)c->out->memory[0] + w->place;
  uint8_t *validity = (uint8_t *)c->out->memory[1] + w->place / 8;
  rdx_sql_text last = {NULL, 0};
  uint32_t number = 0;
  bool has_nulls = false;
  c->workers[w->place / RDX_BLOCK] = worker;
  for (uint32_t i = 0; i < w->rows; i++) {
    char formatted[RDX_TEXT_OF_VALUE];
    const rdx_datum value = rdx_get_value(values, class, i);
    if (value.null) {
      has_nulls = true;
      continue;
    }
    validity[i / 8] |= (uint8_t)(1u << i % 8);
    rdx_sql_text text = value.text;
    if (class == RDX_CLASS_INTERVAL)
      text = (rdx_sql_text){formatted, rdx_value_format(c->type, class, &value, formatted)};
    if (class == RDX_CLASS_INTERVAL || !last.data || text.data != last.data || text.length != last.length)
      RDX_TRY(rdx_distinct_add(&c->distinct[worker], text.data, text.length, &number, &w->err));
    last = text;
    codes[i] = number;
  }
  if (has_nulls)
    atomic_store_explicit(&c->has_nulls, true, memory_order_relaxed);
  return RDX_OK;
}

/* All workers' strings among those of the first; c->places are their numbers there, then their places. */
static rdx_status merge(collecting *c, rdx_error *err) {
  for (uint32_t i = 1; i < c->threads; i++) {
    const rdx_column *strings = &c->distinct[i].strings;
    RDX_TRY(rdx_alloc(strings->rows, sizeof(uint32_t), "the dictionary of an expression", (void **)&c->places[i], err));
    for (uint64_t k = 0; k < strings->rows; k++) {
      uint64_t length = 0;
      const char *text = rdx_column_text(strings, k, &length);
      RDX_TRY(rdx_loop_goes_on(k, strings->rows, "evaluate", err));
      RDX_TRY(rdx_distinct_add(&c->distinct[0], text, length, &c->places[i][k], err));
    }
  }
  RDX_TRY(sort_distinct(&c->distinct[0], c->out, &c->places[0], err));
  for (uint32_t i = 1; i < c->threads; i++) {
    const uint64_t count = c->distinct[i].strings.rows;
    for (uint64_t k = 0; k < count; k++) {
      RDX_TRY(rdx_loop_goes_on(k, count, "evaluate", err));
      c->places[i][k] = c->places[0][c->places[i][k]];
    }
  }
  return RDX_OK;
}

static void place_codes(void *context, uint64_t begin, uint64_t end, RDX_UNUSED uint32_t worker) {
  const collecting *c = context;
  uint32_t *codes = c->out->memory[0];
  for (uint64_t i = begin; i < end; i++)
    if (((const uint8_t *)c->out->memory[1])[i / 8] >> (i % 8) & 1)
      codes[i] = c->places[c->workers[i / RDX_BLOCK]][codes[i]];
}

static rdx_status collect_all(const rdx_program *program, collecting *c, rdx_error *err) {
  const uint64_t rows = program->e->rows;
  RDX_TRY(rdx_calloc(c->threads, sizeof *c->distinct, "an expression", (void **)&c->distinct, err));
  RDX_TRY(rdx_calloc(c->threads, sizeof *c->places, "an expression", (void **)&c->places, err));
  RDX_TRY(rdx_alloc(rows / RDX_BLOCK + 1, sizeof *c->workers, "an expression", (void **)&c->workers, err));
  RDX_TRY(take_rows(c->out, rows, err));
  RDX_TRY(rdx_program_run(program, collect, c, err));
  RDX_TRY(merge(c, err));
  if (program->e->pool)
    RDX_TRY(rdx_pool_run_stage(program->e->pool, rows, 8 * RDX_BLOCK, place_codes, c, "evaluate", err));
  else
    place_codes(c, 0, rows, 0);
  if (atomic_load(&c->has_nulls))
    c->out->column.validity = c->out->memory[1];
  return RDX_OK;
}

static rdx_status evaluate_any_texts(const rdx_program *program, rdx_vector *out, rdx_error *err) {
  collecting c = {.out = out, .type = program->wide->type};
  c.threads = program->e->pool ? rdx_pool_threads(program->e->pool) : 1;
  const rdx_status status = collect_all(program, &c, err);
  for (uint32_t i = 0; i < c.threads; i++) {
    if (c.distinct)
      rdx_distinct_drop(&c.distinct[i]);
    if (c.places)
      rdx_free(c.places[i]);
  }
  RDX_FREE_ALL(c.distinct, c.places, c.workers);
  return status;
}

/* ---- Texts by code ---- */

/* Rows that have a code: what a column with a dictionary is, and a table by its codes. */
typedef struct coded {
  rdx_vector *out;
  const rdx_input *input;
  const rdx_values *table; /* NULL: the dictionary itself */
  uint64_t entries;        /* of the dictionary; the table has one more, of NULL */
  uint8_t *used;           /* whether a row has an entry */
  uint32_t *places;        /* of entries in the new dictionary */
  _Atomic bool has_nulls;
} coded;

/* The entry of a row. */
static uint64_t entry_of(const coded *c, uint64_t i) {
  const rdx_column *column = &c->input->column;
  const uint64_t row = c->input->rows ? c->input->rows[i] : i;
  return row == RDX_NO_ROW || !rdx_column_has(column, row) ? c->entries : ((const uint32_t *)column->values)[row];
}

static bool is_null_entry(const coded *c, uint64_t entry) {
  return c->table ? c->table->nulls && c->table->nulls[entry] : entry == c->entries;
}

static void mark_used(void *context, uint64_t begin, uint64_t end, RDX_UNUSED uint32_t worker) {
  const coded *c = context;
  for (uint64_t i = begin; i < end; i++) {
    uint8_t *used = &c->used[entry_of(c, i)];
    if (!__atomic_load_n(used, __ATOMIC_RELAXED))
      __atomic_store_n(used, 1, __ATOMIC_RELAXED);
  }
}

static void code_rows(void *context, uint64_t begin, uint64_t end, RDX_UNUSED uint32_t worker) {
  coded *c = context;
  uint32_t *codes = c->out->memory[0];
  uint8_t *validity = c->out->memory[1];
  for (uint64_t i = begin; i < end; i++) {
    const uint64_t entry = entry_of(c, i);
    if (is_null_entry(c, entry)) {
      atomic_store_explicit(&c->has_nulls, true, memory_order_relaxed);
      continue;
    }
    codes[i] = c->places[entry];
    validity[i / 8] |= (uint8_t)(1u << i % 8);
  }
}

static rdx_status run_rows(const rdx_program *program, rdx_task_fn task, coded *c, rdx_error *err) {
  if (program->e->pool && program->e->rows > RDX_BLOCK)
    return rdx_pool_run_stage(program->e->pool, program->e->rows, 8 * RDX_BLOCK, task, c, "evaluate", err);
  task(c, 0, program->e->rows, 0);
  return RDX_OK;
}

/* The used strings of a dictionary, in the order that they have there. */
static rdx_status keep_used(coded *c, rdx_error *err) {
  const rdx_column *strings = c->input->column.dictionary;
  uint64_t count = 0, bytes = 0, *offsets = NULL;
  char *text = NULL;
  for (uint64_t i = 0; i < c->entries; i++) {
    c->places[i] = (uint32_t)count;
    count += c->used[i];
    bytes += c->used[i] ? strings->offsets[i + 1] - strings->offsets[i] : 0;
  }
  RDX_TRY(take_dictionary(c->out, count, bytes, &offsets, &text, err));
  count = 0;
  for (uint64_t i = 0; i < c->entries; i++) {
    uint64_t length = 0;
    const char *from = rdx_column_text(strings, i, &length);
    RDX_TRY(rdx_loop_goes_on(i, c->entries, "evaluate", err));
    if (!c->used[i])
      continue;
    if (length > 0)
      memcpy(text + offsets[count], from, length);
    offsets[count + 1] = offsets[count] + length;
    count++;
  }
  return RDX_OK;
}

/* The distinct texts of the table's used entries. */
static rdx_status sort_used(coded *c, rdx_error *err) {
  const rdx_sql_text *texts = c->table->data;
  RDX_SCOPED(rdx_distinct_drop) rdx_distinct distinct = {0};
  RDX_SCOPED(rdx_free_local) uint32_t *places = NULL;
  for (uint64_t i = 0; i <= c->entries; i++) {
    RDX_TRY(rdx_loop_goes_on(i, c->entries, "evaluate", err));
    if (c->used[i] && !is_null_entry(c, i))
      RDX_TRY(rdx_distinct_add(&distinct, texts[i].data, texts[i].length, &c->places[i], err));
  }
  RDX_TRY(sort_distinct(&distinct, c->out, &places, err));
  for (uint64_t i = 0; i <= c->entries; i++)
    if (c->used[i] && !is_null_entry(c, i))
      c->places[i] = places[c->places[i]];
  return RDX_OK;
}

static rdx_status evaluate_coded_texts(const rdx_program *program, coded *c, rdx_error *err) {
  RDX_TRY(rdx_calloc(c->entries + 1, 1, "the dictionary of an expression", (void **)&c->used, err));
  RDX_TRY(rdx_alloc(c->entries + 1, sizeof *c->places, "the dictionary of an expression", (void **)&c->places, err));
  RDX_TRY(take_rows(c->out, program->e->rows, err));
  RDX_TRY(run_rows(program, mark_used, c, err));
  RDX_TRY(c->table ? sort_used(c, err) : keep_used(c, err));
  RDX_TRY(run_rows(program, code_rows, c, err));
  if (atomic_load(&c->has_nulls))
    c->out->column.validity = c->out->memory[1];
  return RDX_OK;
}

rdx_status rdx_evaluate_texts(const rdx_program *program, rdx_vector *out, rdx_error *err) {
  const rdx_node *root = program->wide;
  const bool is_table = root->evaluate == rdx_evaluate_lookup;
  if (root->class != RDX_CLASS_TEXT || (!is_table && root->evaluate != rdx_evaluate_column) ||
      !root->input->column.dictionary)
    return evaluate_any_texts(program, out, err);
  coded c = {.out = out, .input = root->input, .table = is_table ? &root->table : NULL};
  c.entries = root->input->column.dictionary->rows;
  const rdx_status status = evaluate_coded_texts(program, &c, err);
  RDX_FREE_ALL(c.used, c.places);
  return status;
}
