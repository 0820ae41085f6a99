/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* Columns of texts with their sorted dictionaries. */

#include "expression/vectors.h"

#include <stdatomic.h>
#include <string.h>

#include <raydex/index.h>

#include "column/column.h"
#include "expression/casts.h"
#include "column/string_runs.h"

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

/* Less memory for what takes less. */
static rdx_status shrink_dictionary(rdx_vector *out, uint64_t count, uint64_t bytes, rdx_error *err) {
  const size_t head = (sizeof(rdx_column) + 7) / 8;
  RDX_TRY(rdx_realloc(&out->memory[2], head + count + 1, sizeof(uint64_t), "the dictionary of an expression", err));
  RDX_TRY(rdx_realloc(&out->memory[3], bytes, 1, "the dictionary of an expression", err));
  rdx_column *dictionary = out->memory[2];
  const uint64_t *offsets = (uint64_t *)out->memory[2] + head;
  *dictionary = (rdx_column){.type = RDX_TYPE_STRING, .rows = count, .values = out->memory[3], .offsets = offsets};
  out->column.dictionary = dictionary;
  return RDX_OK;
}

/* ---- Texts that threads collect by blocks ---- */

/* Which worker had a block, and the run that its strings are in. */
typedef struct block_run {
  uint32_t worker, run;
} block_run;

typedef struct collecting {
  rdx_pool *pool; /* NULL: one thread is all */
  rdx_vector *out;
  rdx_sql_type type;
  uint32_t *codes; /* numbers in the runs, then in the dictionary */
  rdx_string_runs *runs;
  block_run *blocks;
  _Atomic bool has_nulls;
} collecting;

static rdx_status collect_begin(collecting *c, uint64_t rows, rdx_error *err) {
  RDX_TRY(rdx_string_runs_create(c->pool ? rdx_pool_threads(c->pool) : 1, rows, &c->runs, err));
  return rdx_alloc(rows / RDX_BLOCK + 1, sizeof *c->blocks, "an expression", (void **)&c->blocks, err);
}

static void collect_end(collecting *c) {
  rdx_string_runs_destroy(&c->runs);
  rdx_free(c->blocks);
}

/* Values of a block, from row `place` on: numbers of those that are not NULL. */
static rdx_status collect_block(collecting *c, uint32_t worker, uint64_t place, uint32_t rows, rdx_class class,
                                const rdx_values *values, rdx_error *err) {
  uint32_t *codes = c->codes + place, n = 0, same_count = 0, before = UINT32_MAX;
  char formatted[RDX_ARRIVALS][RDX_TEXT_OF_VALUE];
  rdx_arrival arrivals[RDX_ARRIVALS];
  uint16_t same[RDX_BLOCK]; /* rows that have the very text of the one before */
  block_run *block = &c->blocks[place / RDX_BLOCK];
  block->worker = worker;
  RDX_TRY(rdx_string_runs_open(c->runs, worker, rows, &block->run, err));
  for (uint32_t i = 0; i < rows; i++) {
    if (values->nulls && values->nulls[i])
      continue;
    rdx_sql_text text;
    if (class == RDX_CLASS_INTERVAL) {
      const rdx_datum value = rdx_get_value(values, class, i);
      text = (rdx_sql_text){formatted[n], rdx_value_format(c->type, class, &value, formatted[n])};
    } else {
      const rdx_sql_text *texts = values->data;
      text = texts[i];
      if (before != UINT32_MAX && text.data == texts[before].data && text.length == texts[before].length) {
        codes[i] = before;
        same[same_count++] = (uint16_t)i;
        continue;
      }
      before = i;
    }
    arrivals[n++] = (rdx_arrival){.bytes = text.data, .length = text.length, .number = &codes[i]};
    if (n == RDX_ARRIVALS) {
      RDX_TRY(rdx_string_runs_add(c->runs, worker, arrivals, n, err));
      n = 0;
    }
  }
  RDX_TRY(rdx_string_runs_add(c->runs, worker, arrivals, n, err));
  for (uint32_t i = 0; i < same_count; i++)
    codes[same[i]] = codes[codes[same[i]]];
  return RDX_OK;
}

/* The dictionary of all texts; c->codes are still numbers of runs. */
static rdx_status collect_dictionary(collecting *c, rdx_error *err) {
  uint64_t count = 0, all = 0, bytes = 0, *offsets = NULL;
  char *text = NULL;
  RDX_TRY(rdx_string_runs_end(c->runs, c->pool, &all, &bytes, err));
  RDX_TRY(take_dictionary(c->out, all, bytes, &offsets, &text, err));
  RDX_TRY(rdx_string_runs_merge(c->runs, offsets, text, &count, err));
  return shrink_dictionary(c->out, count, offsets[count], err);
}

/* The places in the runs' strings of a block of rows. */
static const uint32_t *places_of(const collecting *c, uint64_t row) {
  const block_run *block = &c->blocks[row / RDX_BLOCK];
  return rdx_string_runs_places(c->runs, block->worker, block->run);
}

/* ---- Texts of any expression ---- */

static rdx_status collect(rdx_worker *w, void *context, uint32_t worker, rdx_class class, const rdx_values *values) {
  collecting *c = context;
  uint8_t *validity = (uint8_t *)c->out->memory[1] + w->place / 8, any = 0;
  memset(validity, 0xff, (w->rows + 7) / 8);
  for (uint32_t i = 0; values->nulls && i < w->rows; i++) {
    validity[i / 8] &= (uint8_t) ~(values->nulls[i] << i % 8);
    any |= values->nulls[i];
  }
  if (any)
    atomic_store_explicit(&c->has_nulls, true, memory_order_relaxed);
  return collect_block(c, worker, w->place, w->rows, class, values, &w->err);
}

static void place_codes(void *context, uint64_t begin, uint64_t end, RDX_UNUSED uint32_t worker) {
  const collecting *c = context;
  const uint8_t *validity = c->out->memory[1];
  for (uint64_t first = begin; first < end; first += RDX_BLOCK) {
    const uint32_t *places = places_of(c, first);
    for (uint64_t i = first; i < end && i < first + RDX_BLOCK; i++)
      if (validity[i / 8] >> (i % 8) & 1)
        c->codes[i] = places[c->codes[i]];
  }
}

static rdx_status evaluate_any_texts(const rdx_program *program, rdx_vector *out, rdx_error *err) {
  const uint64_t rows = program->e->rows;
  RDX_SCOPED(collect_end) collecting c = {.out = out, .type = program->wide->type, .pool = program->e->pool};
  RDX_TRY(collect_begin(&c, rows, err));
  RDX_TRY(take_rows(out, rows, err));
  c.codes = out->memory[0];
  RDX_TRY(rdx_program_run(program, collect, &c, err));
  RDX_TRY(collect_dictionary(&c, err));
  if (c.pool)
    RDX_TRY(rdx_pool_run_stage(c.pool, rows, 8 * RDX_BLOCK, place_codes, &c, "evaluate", err));
  else
    place_codes(&c, 0, rows, 0);
  if (atomic_load(&c.has_nulls))
    out->column.validity = out->memory[1];
  return RDX_OK;
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

/* The table's entries by blocks. */
typedef struct sorting {
  collecting collecting;
  coded *coded;
  rdx_status *statuses; /* of workers */
  rdx_error *errors;
} sorting;

static void collect_entries(void *context, uint64_t begin, uint64_t end, uint32_t worker) {
  sorting *s = context;
  const coded *c = s->coded;
  uint8_t unused[RDX_BLOCK];
  if (s->statuses[worker] != RDX_OK)
    return;
  for (uint64_t i = begin; i < end; i++)
    unused[i - begin] = !c->used[i] || is_null_entry(c, i);
  const rdx_values values = {.data = (rdx_sql_text *)c->table->data + begin, .nulls = unused};
  s->statuses[worker] = collect_block(&s->collecting, worker, begin, (uint32_t)(end - begin), RDX_CLASS_TEXT, &values,
                                      &s->errors[worker]);
}

static void end_sorting(sorting *s) {
  collect_end(&s->collecting);
  RDX_FREE_ALL(s->statuses, s->errors);
}

/* The distinct texts of the table's used entries. */
static rdx_status sort_used(const rdx_program *program, coded *c, rdx_error *err) {
  rdx_pool *pool = program->e->pool;
  const uint64_t entries = c->entries + 1;
  const uint32_t threads = pool ? rdx_pool_threads(pool) : 1;
  RDX_SCOPED(end_sorting)
  sorting s = {.collecting = {.pool = pool, .out = c->out, .codes = c->places}, .coded = c};
  RDX_TRY(rdx_calloc(threads, sizeof *s.statuses, "an expression", (void **)&s.statuses, err));
  RDX_TRY(rdx_calloc(threads, sizeof *s.errors, "an expression", (void **)&s.errors, err));
  RDX_TRY(collect_begin(&s.collecting, entries, err));
  if (pool && entries > RDX_BLOCK)
    RDX_TRY(rdx_pool_run_stage(pool, entries, RDX_BLOCK, collect_entries, &s, "evaluate", err));
  for (uint64_t i = 0; (!pool || entries <= RDX_BLOCK) && i < entries; i += RDX_BLOCK)
    collect_entries(&s, i, i + RDX_BLOCK < entries ? i + RDX_BLOCK : entries, 0);
  for (uint32_t i = 0; i < threads; i++)
    if (s.statuses[i] != RDX_OK) {
      if (err)
        *err = s.errors[i];
      return s.statuses[i];
    }
  RDX_TRY(collect_dictionary(&s.collecting, err));
  for (uint64_t i = 0; i < entries; i++)
    if (c->used[i] && !is_null_entry(c, i))
      c->places[i] = places_of(&s.collecting, i)[c->places[i]];
  return RDX_OK;
}

static rdx_status evaluate_coded_texts(const rdx_program *program, coded *c, rdx_error *err) {
  RDX_TRY(rdx_calloc(c->entries + 1, 1, "the dictionary of an expression", (void **)&c->used, err));
  RDX_TRY(rdx_alloc(c->entries + 1, sizeof *c->places, "the dictionary of an expression", (void **)&c->places, err));
  RDX_TRY(take_rows(c->out, program->e->rows, err));
  RDX_TRY(run_rows(program, mark_used, c, err));
  RDX_TRY(c->table ? sort_used(program, c, err) : keep_used(c, err));
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
