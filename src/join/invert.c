/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* Pairs by right row become pairs by left row. */

#include "join/invert.h"

#include "base/base.h"
#include "kernels/primitives/kernels.h"

static rdx_status make(uint64_t left, uint64_t pairs, rdx_join_matches *m, rdx_error *err) {
  RDX_TRY(rdx_calloc(left + 2, 8, "the matches of a join", (void **)&m->own_offsets, err));
  RDX_TRY(rdx_alloc(pairs + 1, 4, "the matches of a join", (void **)&m->own_rows, err));
  m->offsets = m->own_offsets;
  m->rows = m->own_rows;
  return RDX_OK;
}

/* ---- On the device ---- */

/* Sort the left rows of all pairs, right rows moving along. */
static rdx_status sort_pairs(rdx_stream *stream, const rdx_lookup_result *r, uint64_t left, rdx_buffer *right,
                             rdx_error *err) {
  uint32_t bits = 1;
  while (left >> bits > 0)
    bits++;
  RDX_TRY(rdx_primitive_owner(stream, r->parts.offsets, r->probes, right, r->parts.row_count, err));
  RDX_TRY(rdx_stream_sort(stream, r->parts.rows, 4, bits, right, r->parts.row_count, err));
  return rdx_stream_finish(stream, err);
}

/* thesis, Figure 4.5 "Illustration for Point Query after Inverse Mapping". */
static rdx_status invert_on_device(const rdx_lookup_result *r, uint64_t left, rdx_join_matches *m, uint32_t **left_rows,
                                   rdx_buffer **right, rdx_stream **stream, rdx_error *err) {
  const uint64_t pairs = r->parts.row_count;
  RDX_TRY(rdx_alloc(pairs + 1, 4, "the matches of a join", (void **)left_rows, err));
  RDX_TRY(rdx_buffer_create(r->device, pairs * 4, "the pairs of a join", right, err));
  RDX_TRY(rdx_stream_create_for(r->device, "join", stream, err));
  RDX_TRY(sort_pairs(*stream, r, left, *right, err));
  RDX_TRY(rdx_buffer_download(r->parts.rows, 0, *left_rows, pairs * 4, err));
  RDX_TRY(rdx_buffer_download(*right, 0, m->own_rows, pairs * 4, err));
  RDX_TRY(rdx_returned_u32s(r->device, *left_rows, pairs, left - 1, "the row of a key", err));
  RDX_TRY(rdx_returned_u32s(r->device, m->own_rows, pairs, r->probes - 1, "the probe of a row", err));
  for (uint64_t k = 0; k < pairs; k++)
    m->own_offsets[(*left_rows)[k] + 1]++;
  for (uint64_t i = 0; i < left; i++)
    m->own_offsets[i + 1] += m->own_offsets[i];
  return RDX_OK;
}

/* ---- On the host ---- */

static rdx_status invert_on_host(const rdx_lookup_view *f, uint64_t left, rdx_join_matches *m, rdx_error *err) {
  const uint64_t total = f->offsets[f->probes];
  uint64_t *next = m->own_offsets + 1; /* while filling, next[i] is where the next match of left row i goes */
  for (uint64_t k = 0; k < total; k++) {
    RDX_TRY(rdx_loop_goes_on(k, total, "join", err));
    next[f->rows[k] + 1]++;
  }
  for (uint64_t i = 0; i < left; i++)
    next[i + 1] += next[i];
  for (uint64_t right = 0; right < f->probes; right++) {
    RDX_TRY(rdx_loop_goes_on(right, f->probes, "join", err));
    for (uint64_t k = f->offsets[right]; k < f->offsets[right + 1]; k++)
      m->own_rows[next[f->rows[k]]++] = (uint32_t)right;
  }
  return RDX_OK;
}

static rdx_status read_and_invert(rdx_lookup_result *found, uint64_t left, rdx_join_matches *out, rdx_error *err) {
  rdx_lookup_view view;
  RDX_TRY(rdx_lookup_result_view(found, &view, err));
  RDX_TRY(make(left, view.offsets[view.probes], out, err));
  return invert_on_host(&view, left, out, err);
}

rdx_status rdx_join_matches_invert(rdx_lookup_result *found, uint64_t left, rdx_join_matches *out, rdx_error *err) {
  uint32_t *left_rows = NULL;
  rdx_buffer *right = NULL;
  rdx_stream *stream = NULL;
  *out = (rdx_join_matches){0};
  if (!found->on_device)
    return read_and_invert(found, left, out, err);
  RDX_TRY(make(left, found->parts.row_count, out, err));
  rdx_status status = invert_on_device(found, left, out, &left_rows, &right, &stream, err);
  rdx_stream_destroy(&stream);
  rdx_buffer_destroy(&right);
  rdx_free(left_rows);
  if (status != RDX_ERROR_DEVICE_MEMORY) /* which is found out before the rows are moved */
    return status;
  rdx_join_matches_drop(out);
  return read_and_invert(found, left, out, err);
}

void rdx_join_matches_drop(rdx_join_matches *matches) {
  RDX_FREE_ALL(matches->own_offsets, matches->own_rows);
  *matches = (rdx_join_matches){0};
}
