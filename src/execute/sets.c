/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* Two inputs of the same columns, as one after the other, or by which rows of one the other has. */

#include <string.h>

#include "column/column.h"
#include "execute/keys.h"

#define WHAT "the rows of two queries"

static void drop_vectors(rdx_vector (*both)[2]) {
  rdx_vector_destroy(&(*both)[0]);
  rdx_vector_destroy(&(*both)[1]);
}

/* ---- The same column of both ---- */

/* Flat, with the same layout, strings with dictionaries. */
static rdx_status make_alike(rdx_execution *x, const rdx_plan_node *node, rdx_operand in[2], uint32_t i,
                             rdx_vector out[2], rdx_error *err) {
  for (uint32_t k = 0; k < 2; k++)
    RDX_TRY(rdx_operand_coded(x, &in[k], i, &out[k], err));
  if (out[0].column.type == out[1].column.type && out[0].column.scale == out[1].column.scale)
    return RDX_OK;
  for (uint32_t k = 0; k < 2; k++) {
    rdx_vector_destroy(&out[k]);
    RDX_TRY(rdx_operand_cast(x, &in[k], i, node->columns[i].type, &out[k], err));
  }
  RDX_TRY(rdx_make_unsigned(&out[0].column, &out[1].column, err));
  return out[0].column.type == out[1].column.type
             ? RDX_OK
             : rdx_sql_error(err, RDX_ERROR_OVERFLOW, x->text, node->place, "cast it to double precision",
                             "numeric field overflow: column %u of two queries has values beyond bigint and below 0",
                             i + 1);
}

/* ---- One after the other ---- */

/* The strings of two dictionaries in the places that they have in both. */
static rdx_status join_dictionaries(const rdx_column parts[2], uint32_t *const places[2], uint32_t count,
                                    rdx_vector *out, rdx_error *err) {
  rdx_column *dictionary = NULL;
  uint64_t *offsets = NULL, length;
  RDX_TRY(rdx_alloc(1, sizeof *dictionary, WHAT, (void **)&dictionary, err));
  out->memory[2] = dictionary;
  *dictionary = (rdx_column){0};
  const uint64_t bytes_of[2] = {parts[0].rows ? parts[0].offsets[parts[0].rows] - parts[0].offsets[0] : 0,
                                parts[1].rows ? parts[1].offsets[parts[1].rows] - parts[1].offsets[0] : 0};
  const size_t head = ((size_t)count + 1) * sizeof *offsets;
  RDX_TRY(rdx_alloc(head + bytes_of[0] + bytes_of[1], 1, WHAT, (void **)&offsets, err));
  out->memory[3] = offsets;
  char *bytes = (char *)offsets + head;
  offsets[0] = 0;
  for (uint64_t i = 0, k = 0, n = 0; n < count; n++) {
    const bool first = i < parts[0].rows && places[0][i] == n;
    const char *text = first ? rdx_column_text(&parts[0], i, &length) : rdx_column_text(&parts[1], k, &length);
    memcpy(bytes + offsets[n], text, length);
    offsets[n + 1] = offsets[n] + length;
    k += k < parts[1].rows && places[1][k] == n;
    i += first;
  }
  *dictionary = (rdx_column){.type = RDX_TYPE_STRING, .rows = count, .values = bytes, .offsets = offsets};
  out->column.dictionary = dictionary;
  return RDX_OK;
}

static rdx_status append_strings(const rdx_vector parts[2], rdx_vector *out, rdx_error *err) {
  uint32_t *to = out->memory[0], *places[2] = {0}, count = 0;
  const rdx_column dictionaries[2] = {*parts[0].column.dictionary, *parts[1].column.dictionary};
  RDX_TRY(rdx_merge_dictionaries(&dictionaries[0], &dictionaries[1], places, &count, err));
  rdx_status status = join_dictionaries(dictionaries, places, count, out, err);
  for (uint32_t k = 0; k < 2; k++) {
    const uint32_t *from = parts[k].column.values;
    for (uint64_t i = 0; i < parts[k].column.rows && status == RDX_OK; i++)
      *to++ = from[i] < dictionaries[k].rows ? places[k][from[i]] : 0;
    rdx_free(places[k]);
  }
  return status;
}

static rdx_status append_validity(const rdx_vector parts[2], rdx_vector *out, rdx_error *err) {
  uint8_t *bits = NULL;
  const uint64_t before = parts[0].column.rows;
  if (!parts[0].column.validity && !parts[1].column.validity)
    return RDX_OK;
  RDX_TRY(rdx_calloc(out->column.rows / 8 + 1, 1, WHAT, (void **)&bits, err));
  out->memory[1] = bits;
  out->column.validity = bits;
  for (uint64_t i = 0; i < before; i++)
    bits[i / 8] |= (uint8_t)(rdx_column_has(&parts[0].column, i) << i % 8);
  for (uint64_t i = before; i < out->column.rows; i++)
    bits[i / 8] |= (uint8_t)(rdx_column_has(&parts[1].column, i - before) << i % 8);
  return RDX_OK;
}

static rdx_status append(const rdx_vector parts[2], rdx_vector *out, rdx_error *err) {
  const rdx_column *a = &parts[0].column, *b = &parts[1].column;
  const size_t size = a->type == RDX_TYPE_STRING ? sizeof(uint32_t) : rdx_type_size(a->type);
  char *values = NULL;
  RDX_TRY(rdx_alloc(a->rows + b->rows, size, WHAT, (void **)&values, err));
  out->memory[0] = values;
  out->column = (rdx_column){.type = a->type, .scale = a->scale, .rows = a->rows + b->rows, .values = values};
  RDX_TRY(append_validity(parts, out, err));
  if (a->type == RDX_TYPE_STRING && a->dictionary != b->dictionary)
    return append_strings(parts, out, err);
  out->column.dictionary = a->dictionary;
  if (a->rows > 0)
    memcpy(values, a->values, a->rows * size);
  if (b->rows > 0)
    memcpy(values + a->rows * size, b->values, b->rows * size);
  return RDX_OK;
}

static rdx_status append_column(rdx_execution *x, const rdx_plan_node *node, rdx_operand in[2], uint32_t i,
                                rdx_frame *out, rdx_error *err) {
  RDX_SCOPED(drop_vectors) rdx_vector parts[2] = {0};
  RDX_SCOPED(rdx_vector_destroy) rdx_vector both = {0};
  RDX_TRY(make_alike(x, node, in, i, parts, err));
  RDX_TRY(append(parts, &both, err));
  return rdx_frame_take_from(out, i, &both, &in[0].frame, err);
}

static rdx_status fail_many(const rdx_operand in[2], rdx_error *err) {
  return rdx_fail(err, RDX_ERROR_UNSUPPORTED, "%llu and %llu rows are too many for one result",
                  (unsigned long long)in[0].frame.rows, (unsigned long long)in[1].frame.rows);
}

rdx_status rdx_append_frames(rdx_execution *x, const rdx_plan_node *node, rdx_operand in[2], rdx_frame *out,
                             rdx_error *err) {
  if (in[0].frame.rows + in[1].frame.rows >= UINT32_MAX)
    return fail_many(in, err);
  RDX_TRY(rdx_frame_create(node->column_count, in[0].frame.rows + in[1].frame.rows, out, err));
  for (uint32_t i = 0; i < node->column_count; i++)
    RDX_TRY(append_column(x, node, in, i, out, err));
  return RDX_OK;
}

static rdx_status run_both(rdx_execution *x, const rdx_plan_node *node, rdx_operand in[2], rdx_error *err) {
  RDX_TRY(rdx_operand_run(x, node->left, &in[0], err));
  return rdx_operand_run(x, node->right, &in[1], err);
}

rdx_status rdx_execute_union(rdx_execution *x, const rdx_plan_node *node, rdx_frame *out, rdx_error *err) {
  RDX_SCOPED(rdx_operands_drop) rdx_operand in[2] = {0};
  RDX_TRY(run_both(x, node, in, err));
  return rdx_append_frames(x, node, in, out, err);
}

/* ---- Which rows the other has ---- */

/* Left rows, by how often each distinct row stands in the right input and stood in the left one before. */
static rdx_status choose_rows(const rdx_plan_node *node, const uint32_t *codes, uint64_t lefts, uint32_t *right,
                              uint32_t *left, uint32_t *out, uint64_t *chosen, rdx_error *err) {
  const bool except = node->kind == RDX_PLAN_EXCEPT;
  uint64_t count = 0;
  for (uint64_t i = 0; i < lefts; i++) {
    RDX_TRY(rdx_loop_goes_on(i, lefts, "execute", err));
    const uint32_t code = codes[i], before = left[code]++;
    const bool has = node->all ? before < right[code] : right[code] > 0;
    if (has != except && (node->all || before == 0))
      out[count++] = (uint32_t)i;
  }
  *chosen = count;
  return RDX_OK;
}

static rdx_status count_and_choose(const rdx_plan_node *node, const uint32_t *codes, const uint64_t rows[2],
                                   uint64_t distinct, uint32_t **out, uint64_t *count, rdx_error *err) {
  RDX_SCOPED(rdx_free_local) uint32_t *counts = NULL;
  RDX_TRY(rdx_calloc(2 * distinct, sizeof *counts, WHAT, (void **)&counts, err));
  RDX_TRY(rdx_alloc(rows[0], sizeof **out, WHAT, (void **)out, err));
  for (uint64_t i = rows[0]; i < rows[0] + rows[1]; i++) {
    RDX_TRY(rdx_loop_goes_on(i, rows[0] + rows[1], "execute", err));
    counts[codes[i]]++;
  }
  return choose_rows(node, codes, rows[0], counts, counts + distinct, *out, count, err);
}

rdx_status rdx_rank_frames(rdx_execution *x, const rdx_plan_node *node, rdx_operand in[2], rdx_ranks *out,
                           rdx_error *err) {
  const uint64_t rows[2] = {in[0].frame.rows, in[1].frame.rows};
  rdx_key_column *columns = NULL;
  RDX_SCOPED(rdx_vectors_destroy) rdx_vectors flat = {0};
  RDX_SCOPED(rdx_key_words_destroy) rdx_key_words words = {0};
  if (rows[0] + rows[1] >= UINT32_MAX)
    return fail_many(in, err);
  RDX_TRY(rdx_vectors_create(2 * node->column_count, &flat, err));
  RDX_TRY(rdx_arena_alloc(x->arena, node->column_count, sizeof *columns, WHAT, (void **)&columns, err));
  for (uint32_t i = 0; i < node->column_count; i++) {
    rdx_vector *both = &flat.list[2 * i];
    RDX_TRY(make_alike(x, node, in, i, both, err));
    columns[i] = (rdx_key_column){.parts = {&both[0].column, &both[1].column}};
  }
  RDX_TRY(rdx_key_words_create(x, columns, node->column_count, rows, false, &words, err));
  RDX_TRY(rdx_alloc(rows[0] + rows[1], sizeof *out->codes, WHAT, (void **)&out->codes, err));
  return rdx_key_words_rank(x, &words, out->codes, &out->distinct, &out->firsts, err);
}

void rdx_ranks_drop(rdx_ranks *ranks) {
  RDX_FREE_ALL(ranks->codes, ranks->firsts);
  *ranks = (rdx_ranks){0};
}

rdx_status rdx_execute_intersect(rdx_execution *x, const rdx_plan_node *node, rdx_frame *out, rdx_error *err) {
  RDX_SCOPED(rdx_operands_drop) rdx_operand in[2] = {0};
  RDX_SCOPED(rdx_free_local) uint32_t *rows = NULL;
  RDX_SCOPED(rdx_ranks_drop) rdx_ranks ranks = {0};
  uint64_t count = 0;
  RDX_TRY(run_both(x, node, in, err));
  RDX_TRY(rdx_rank_frames(x, node, in, &ranks, err));
  RDX_TRY(count_and_choose(node, ranks.codes, (const uint64_t[]){in[0].frame.rows, in[1].frame.rows}, ranks.distinct,
                           &rows, &count, err));
  RDX_TRY(rdx_frame_select(x->pool, &in[0].frame, RDX_KEEP(rows), count, err));
  *out = RDX_KEEP(in[0].frame);
  return RDX_OK;
}
