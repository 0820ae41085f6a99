/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* A star as a flat table file, piece by piece: codes are gathered through the join index and turned into values. */

#include <raydex/table.h>

#include <string.h>

#include "star/relation.h"

#define PIECE_ROWS (1u << 18)

typedef struct flattening {
  const rdx_packed_relation *relation;
  rdx_table_writer *writer;
  rdx_buffer *joined; /* rows that have all their foreign rows, ascending; NULL: all */
  uint64_t rows;
  uint32_t *numbers; /* rows of a piece */
  void *codes;       /* of an attribute in them */
  rdx_column *columns;
  rdx_column *dictionaries;
  rdx_arena arena; /* what the columns of a piece view */
} flattening;

/* The codes of an attribute in the rows of a piece. (Values of codes that are none are NULL.) */
static rdx_status read_codes(const flattening *f, uint32_t attribute, rdx_buffer *numbers, uint64_t count,
                             uint32_t bytes, void *out, rdx_error *err) {
  RDX_SCOPED(rdx_buffer_destroy) rdx_buffer *gathered = NULL;
  RDX_TRY(rdx_packed_gather(f->relation, &f->relation->attributes[attribute], numbers, count, bytes, &gathered, err));
  return rdx_buffer_download(gathered, 0, out, count * bytes, err);
}

/* Strings stay places in their dictionary. */
static rdx_status make_strings(flattening *f, uint32_t attribute, rdx_buffer *numbers, uint64_t count, rdx_column *out,
                               rdx_error *err) {
  const rdx_encoded_column *c = &f->relation->attributes[attribute];
  uint32_t *places = NULL;
  uint8_t *validity = NULL;
  *out = (rdx_column){.type = RDX_TYPE_STRING, .rows = count, .dictionary = &f->dictionaries[attribute]};
  RDX_TRY(rdx_arena_alloc(&f->arena, count, sizeof *places, "a piece of a flat table", (void **)&places, err));
  out->values = places;
  RDX_TRY(read_codes(f, attribute, numbers, count, sizeof *places, places, err));
  RDX_TRY(rdx_returned_u32s(f->relation->device, places, count, c->count - !c->nulls, "the code of a string", err));
  if (!c->nulls)
    return RDX_OK;
  RDX_TRY(rdx_arena_alloc(&f->arena, (count + 7) / 8, 1, "a piece of a flat table", (void **)&validity, err));
  memset(validity, 0, (count + 7) / 8);
  out->validity = validity;
  for (uint64_t i = 0; i < count; i++)
    validity[i / 8] |= (uint8_t)((places[i] < c->count) << i % 8);
  return RDX_OK;
}

static rdx_status make_column(flattening *f, uint32_t attribute, rdx_buffer *numbers, uint64_t count, rdx_column *out,
                              rdx_error *err) {
  const rdx_encoded_column *c = &f->relation->attributes[attribute];
  if (c->type == RDX_TYPE_STRING)
    return make_strings(f, attribute, numbers, count, out, err);
  RDX_TRY(read_codes(f, attribute, numbers, count, sizeof(uint64_t), f->codes, err));
  return rdx_encoded_column_values(c, f->codes, count, c->nulls, &f->arena, out, err);
}

static rdx_status write_columns(flattening *f, rdx_buffer *numbers, uint64_t count, rdx_error *err) {
  const uint32_t attributes = f->relation->attribute_count;
  rdx_status status = RDX_OK;
  for (uint32_t i = 0; i < attributes && status == RDX_OK; i++)
    status = make_column(f, i, numbers, count, &f->columns[i], err);
  if (status == RDX_OK)
    status = rdx_table_writer_append(f->writer, f->columns, err);
  rdx_arena_free(&f->arena);
  return status;
}

static rdx_status write_piece(flattening *f, uint64_t begin, uint64_t count, rdx_error *err) {
  if (f->joined) {
    RDX_TRY(rdx_buffer_download(f->joined, begin * sizeof *f->numbers, f->numbers, count * sizeof *f->numbers, err));
    RDX_TRY(rdx_returned_rows(f->relation->device, f->numbers, count, f->relation->rows, "a row", err));
  }
  for (uint64_t i = 0; i < count && !f->joined; i++)
    f->numbers[i] = (uint32_t)(begin + i);
  RDX_SCOPED(rdx_buffer_destroy) rdx_buffer *numbers = NULL;
  RDX_TRY(rdx_buffer_create(f->relation->device, count * sizeof *f->numbers, "rows", &numbers, err));
  RDX_TRY(rdx_buffer_upload(numbers, 0, f->numbers, count * sizeof *f->numbers, err));
  return write_columns(f, numbers, count, err);
}

static rdx_status prepare(flattening *f, const char *path, rdx_error *err) {
  const rdx_packed_relation *r = f->relation;
  RDX_SCOPED(rdx_free_local) rdx_field *fields = NULL;
  RDX_TRY(rdx_packed_joined(r, &f->joined, &f->rows, err));
  const uint64_t max = f->rows < PIECE_ROWS ? f->rows : PIECE_ROWS;
  RDX_TRY(rdx_alloc(max, sizeof *f->numbers, "a piece of a flat table", (void **)&f->numbers, err));
  RDX_TRY(rdx_alloc(max, sizeof(uint64_t), "a piece of a flat table", &f->codes, err));
  RDX_TRY(rdx_calloc(r->attribute_count, sizeof *f->columns, "a flat table", (void **)&f->columns, err));
  RDX_TRY(rdx_calloc(r->attribute_count, sizeof *f->dictionaries, "a flat table", (void **)&f->dictionaries, err));
  RDX_TRY(rdx_alloc(r->attribute_count, sizeof *fields, "a flat table", (void **)&fields, err));
  for (uint32_t i = 0; i < r->attribute_count; i++) {
    const rdx_encoded_column *source = &r->attributes[i];
    const rdx_dictionary *d = source->dictionary;
    fields[i] = (rdx_field){r->names[i], source->type, source->scale};
    if (source->type == RDX_TYPE_STRING)
      f->dictionaries[i] =
          (rdx_column){.type = RDX_TYPE_STRING, .rows = d->count, .values = d->bytes, .offsets = d->offsets};
  }
  return rdx_table_writer_create(path, fields, r->attribute_count, &f->writer, err);
}

static rdx_status write_all(flattening *f, const char *path, rdx_error *err) {
  RDX_TRY(prepare(f, path, err));
  for (uint64_t begin = 0; begin < f->rows; begin += PIECE_ROWS) {
    const uint64_t rest = f->rows - begin;
    RDX_TRY(rdx_progress("flatten", begin, f->rows, err));
    RDX_TRY(write_piece(f, begin, rest < PIECE_ROWS ? rest : PIECE_ROWS, err));
  }
  return rdx_table_writer_finish(f->writer, err);
}

/* RTCUDB, section 6.1 "flattens SSB into a wide table model". */
rdx_status rdx_relation_flatten(rdx_device *device, const rdx_relation *relation, const char *path, rdx_error *err) {
  rdx_packed_relation *coded = NULL;
  if (!device || !relation || !path)
    return rdx_fail(err, RDX_ERROR_ARGUMENT, "rdx_relation_flatten: device, relation and path must not be NULL");
  RDX_TRY(rdx_packed_relation_create(device, relation, NULL, &coded, err));
  flattening f = {.relation = coded};
  const rdx_status status = write_all(&f, path, err);
  rdx_table_writer_destroy(&f.writer);
  rdx_buffer_destroy(&f.joined);
  RDX_FREE_ALL(f.numbers, f.codes, f.columns, f.dictionaries);
  rdx_packed_relation_destroy(&coded);
  return status;
}
