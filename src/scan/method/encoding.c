/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* Uniform encoding (RTScan, section 4.2), by a sort on the device. */

#include "scan/method/encoding.h"

#include "kernels/bitmap/kernels.h"
#include "kernels/primitives/kernels.h"
#include "kernels/sieve/kernels.h"

void rdx_encoding_destroy(rdx_encoding *e) {
  rdx_buffer_destroy(&e->order);
  RDX_FREE_ALL(e->codes, e->first, e->end);
  *e = (rdx_encoding){0};
}

uint64_t rdx_encoding_bytes(const rdx_encoding *e) {
  return e->entry_count * (uint64_t)(sizeof *e->codes + sizeof *e->first + sizeof *e->end) +
         (e->order ? e->order->size : 0);
}

uint64_t rdx_encoding_estimate(const rdx_encoded_column *column) {
  return 2 * column->rows * (column->key_bits / 8 + 4);
}

/* ---- Order ---- */

/* The rows that are NULL to the end of the order. */
static rdx_status place_nulls(rdx_stream *stream, const rdx_encoded_column *column, const rdx_encoding *e,
                              rdx_error *err) {
  rdx_buffer *bits = NULL, *rows = NULL, *number = NULL;
  RDX_TRY(rdx_stream_scratch(stream, rdx_bitmap_bytes(column->rows), "the NULL rows", &bits, err));
  RDX_TRY(rdx_stream_scratch(stream, column->nulls * 4, "the NULL rows", &rows, err));
  RDX_TRY(rdx_stream_scratch(stream, 8, "a count", &number, err));
  RDX_TRY(rdx_bitmap_combine(stream, BITMAP_NOT, bits, column->valid, column->rows, err));
  RDX_TRY(rdx_stream_select(stream, bits, rows, number, column->rows, err));
  return rdx_stream_copy(stream, rows, 0, e->order, e->count * 4ull, column->nulls * 4, err);
}

/* RTScan, Figure 8 "Uniform encoding". */
/* Fill e->order, and `codes` with the codes in that order. */
static rdx_status sort_rows(rdx_stream *stream, const rdx_encoded_column *column, const rdx_encoding *e,
                            rdx_buffer *codes, rdx_error *err) {
  const uint32_t bytes = column->key_bits / 8;
  if (column->nulls == 0) {
    RDX_TRY(rdx_primitive_iota(stream, e->order, e->count, err));
    RDX_TRY(rdx_stream_copy(stream, column->keys, 0, codes, 0, (uint64_t)e->count * bytes, err));
  } else {
    rdx_buffer *number = NULL;
    RDX_TRY(rdx_stream_scratch(stream, 8, "a count", &number, err));
    RDX_TRY(rdx_stream_select(stream, column->valid, e->order, number, column->rows, err));
    RDX_TRY(rdx_primitive_gather(stream, RDX_ADDRESS(uint32_t, column->keys), e->order, column->key_bits, codes,
                                 e->count, err));
    RDX_TRY(place_nulls(stream, column, e, err));
  }
  return rdx_stream_sort(stream, codes, bytes, column->key_bits, e->order, e->count, err);
}

/* ---- The mapping table ---- */

static rdx_status table_alloc(rdx_encoding *e, uint64_t entries, rdx_error *err) {
  RDX_TRY(rdx_alloc(entries, sizeof *e->codes, "a mapping table", (void **)&e->codes, err));
  RDX_TRY(rdx_alloc(entries, sizeof *e->first, "a mapping table", (void **)&e->first, err));
  return rdx_alloc(entries, sizeof *e->end, "a mapping table", (void **)&e->end, err);
}

/* That codes ascend and the ranks of each are about those of its entry. */
static rdx_status check_table(const rdx_device *device, const rdx_encoded_column *column, const rdx_encoding *e,
                              uint64_t entries, uint32_t step, rdx_error *err) {
  for (uint64_t i = 0; i < entries; i++) {
    const bool repeats = i > 0 && e->codes[i] == e->codes[i - 1];
    const uint64_t rank = i * step, before = i > 0 ? e->end[i - 1] : 0;
    RDX_TRY(rdx_returned_number(device, e->codes[i], i > 0 ? e->codes[i - 1] : column->smallest, column->largest,
                                "a code of a mapping table", err));
    RDX_TRY(rdx_returned_number(device, e->first[i], repeats ? e->first[i - 1] : before,
                                repeats ? e->first[i - 1] : rank, "the first rank of a code", err));
    RDX_TRY(rdx_returned_number(device, e->end[i], repeats ? before : rank + 1, repeats ? before : e->count,
                                "the end of a code's ranks", err));
  }
  return RDX_OK;
}

/* Keep one entry of each code. */
static void drop_repeats(rdx_encoding *e, uint64_t entries) {
  for (uint64_t i = 0; i < entries; i++) {
    if (e->entry_count > 0 && e->codes[e->entry_count - 1] == e->codes[i])
      continue;
    e->codes[e->entry_count] = e->codes[i];
    e->first[e->entry_count] = e->first[i];
    e->end[e->entry_count++] = e->end[i];
  }
}

/* RTScan, section 4.2 "mapping table". */
static rdx_status map_codes(rdx_stream *stream, const rdx_encoded_column *column, const rdx_buffer *codes,
                            uint32_t step, rdx_encoding *e, rdx_error *err) {
  const uint64_t entries = ((uint64_t)e->count + step - 1) / step;
  RDX_SCOPED(rdx_buffer_destroy) rdx_buffer *table = NULL;
  RDX_TRY(table_alloc(e, entries, err));
  RDX_TRY(rdx_buffer_create(stream->device, entries * 16, "a mapping table", &table, err));
  uint64_t *const at = RDX_ADDRESS(uint64_t, table);
  const struct sieve_map_args args = {.sorted = RDX_ADDRESS(uint32_t, codes),
                                      .out_codes = at,
                                      .out_first = (uint32_t *)(at + entries),
                                      .out_end = (uint32_t *)(at + entries) + entries,
                                      .n = e->count,
                                      .step = step};
  const uint32_t key64 = column->key_bits == 64;
  RDX_TRY(rdx_stream_launch(stream, &rdx_kernel_sieve_map, &args, &key64, entries, NULL, err));
  RDX_TRY(rdx_stream_finish(stream, err));
  RDX_TRY(rdx_buffer_download(table, 0, e->codes, entries * 8, err));
  RDX_TRY(rdx_buffer_download(table, entries * 8, e->first, entries * 4, err));
  RDX_TRY(rdx_buffer_download(table, entries * 12, e->end, entries * 4, err));
  RDX_TRY(check_table(stream->device, column, e, entries, step, err));
  drop_repeats(e, entries);
  return RDX_OK;
}

/* RTScan, section 4.2 "Uniform Encoding". */
rdx_status rdx_encoding_create(rdx_device *device, const rdx_encoded_column *column, uint32_t step, rdx_encoding *out,
                               rdx_error *err) {
  RDX_SCOPED(rdx_encoding_destroy)
  rdx_encoding made = {.rows = (uint32_t)column->rows, .count = (uint32_t)(column->rows - column->nulls)};
  RDX_SCOPED(rdx_buffer_destroy) rdx_buffer *codes = NULL;
  RDX_SCOPED(rdx_stream_destroy) rdx_stream *stream = NULL;
  RDX_TRY(rdx_stream_create_for(device, "build", &stream, err));
  RDX_TRY(rdx_buffer_create(device, column->rows * 4, "rows in the order of their values", &made.order, err));
  RDX_TRY(rdx_buffer_create(device, (uint64_t)made.count * column->key_bits / 8, "sorted values", &codes, err));
  RDX_TRY(sort_rows(stream, column, &made, codes, err));
  RDX_TRY(rdx_stream_finish(stream, err)); /* and free what the sort took */
  RDX_TRY(map_codes(stream, column, codes, step, &made, err));
  *out = RDX_KEEP(made);
  return RDX_OK;
}

/* RTScan, section 4.2 "a binary search is conducted on the mapping table". */
rdx_rank rdx_encoding_rank(const rdx_encoding *e, uint64_t code, bool included) {
  const uint32_t begin = lower_bound_u64(e->codes, 0, e->entry_count, code);
  if (begin < e->entry_count && e->codes[begin] == code) {
    const uint32_t rank = included ? e->end[begin] : e->first[begin];
    return (rdx_rank){rank, rank};
  }
  return (rdx_rank){begin > 0 ? e->end[begin - 1] : 0, begin < e->entry_count ? e->first[begin] : e->count};
}

/* The first entry whose first rank is not below `rank`. */
static uint32_t entry_from(const rdx_encoding *e, uint32_t rank) {
  return lower_bound(e->first, 0, e->entry_count, rank);
}

rdx_interval rdx_encoding_codes(const rdx_encoding *e, uint32_t begin, uint32_t end) {
  const uint32_t from = entry_from(e, begin + 1), to = entry_from(e, end); /* rank 0 has an entry */
  return (rdx_interval){e->codes[from - 1], to < e->entry_count ? e->codes[to] - 1 : UINT64_MAX};
}

double rdx_encoding_selectivity(const rdx_encoding *e, const rdx_term *term) {
  double ranks = 0;
  for (uint32_t i = 0; i < term->set.count; i++)
    ranks += (double)rdx_encoding_rank(e, term->set.list[i].high, true).high -
             (double)rdx_encoding_rank(e, term->set.list[i].low, false).low;
  return ranks / ((double)e->rows + 1);
}
