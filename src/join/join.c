/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* Joins by an index over either side. */

#include <raydex/join.h>

#include <string.h>

#include "base/base.h"
#include "column/column.h"
#include "column/derived.h"
#include "index/index.h"
#include "index/result.h"
#include "join/interval_stabbing.h"
#include "join/invert.h"
#include "column/keys.h"
#include "join/wide_sums.h"
#include "join/strings.h"
#include "join/weighted_sums.h"

struct rdx_join_result {
  rdx_join_view view;
  rdx_join_stats stats;
  rdx_device *device;
  rdx_lookup_result *found; /* on the device: the rows of left rows, which nobody has looked at yet; or NULL */
  uint32_t *left_rows, *right_rows;
  uint64_t host_bytes; /* of these */
};

/* A join at work. Sides are seen from the lookup: `indexed` holds the keys, `lower` and `upper` the probes. */
typedef struct work {
  rdx_device *device;
  const rdx_join_params *params;
  const rdx_column *values;                  /* that sums are of; NULL: those of the params */
  const rdx_column *indexed, *lower, *upper; /* upper NULL: equal */
  const rdx_column *ends;                    /* not NULL: `indexed` to `ends` are ranges, the probes are points */
  bool inverse;                              /* the left side is indexed */
  bool chosen;                               /* which it need not be */
  uint64_t left_first;                       /* the left row that is row 0 here */
  rdx_index_params index_params;
  rdx_index *index;
  rdx_lookup_result *result;
  rdx_lookup_view found;
  rdx_join_result *join;
} work;

static uint64_t left_count(const work *w) {
  return w->inverse ? w->indexed->rows : w->lower->rows;
}

static void drop_index(work *w) {
  rdx_lookup_result_destroy(&w->result);
  rdx_index_destroy(&w->index);
}

/* ---- Lookups ---- */

static const rdx_lookup_options in_order = {0};

/* What the last lookup did, and building its index, if that was new. */
static void note(work *w, bool built) {
  rdx_join_stats *s = &w->join->stats;
  rdx_lookup_result_get_stats(w->result, &s->lookup);
  s->rays += s->lookup.rays;
  s->hits += s->lookup.hits;
  s->device_ms += s->lookup.device_ms;
  if (built)
    s->device_ms += s->index.sort_ms + s->index.encode_ms + s->index.scene_ms + s->index.compact_ms;
}

/* thesis, Figure 4.4 "Illustration for Point Query before Inverse Mapping". */
static rdx_status look_up(work *w, rdx_lookup_result_kind kind, const rdx_lookup_options *options, rdx_error *err) {
  const rdx_column *values = w->values ? w->values : w->params->values;
  const rdx_lookup_params params = {.result = kind,
                                    .values = kind == RDX_LOOKUP_SUM ? values : NULL,
                                    .stats = w->params->stats,
                                    .sort_probes = w->params->sort_probes};
  const bool built = !w->index;
  rdx_lookup_result_destroy(&w->result);
  if (w->ends) {
    const rdx_stabbing stabbing = {w->lower, w->indexed, w->ends};
    RDX_TRY(rdx_interval_stabbing_look_up(w->device, &stabbing, kind, options, &w->join->stats.index, &w->result, err));
    note(w, true);
    return RDX_OK;
  }
  if (!w->index)
    RDX_TRY(rdx_index_create(w->device, w->indexed, &w->index_params, &w->index, err));
  rdx_index_get_stats(w->index, &w->join->stats.index);
  RDX_TRY(rdx_index_look_up_for(w->index, w->lower, w->upper, &params, options, &w->result, err));
  note(w, built);
  return RDX_OK;
}

/* The pairs of all probes (semi and anti joins: as many as were looked at), and how many probes have some. */
static rdx_status find_total(work *w, uint64_t *pairs, uint64_t *matched, rdx_error *err) {
  const bool any = w->params->kind > RDX_JOIN_LEFT; /* a match will do */
  RDX_TRY(look_up(w, RDX_LOOKUP_COUNT, &(rdx_lookup_options){.unordered = true, .any = any}, err));
  return rdx_lookup_result_totals(w->result, pairs, matched, err);
}

/* ---- Left rows that match something ---- */

static bool wants_matched(rdx_join_kind kind) {
  return kind == RDX_JOIN_SEMI;
}

/* A bit for each left row, of an index over the left side. Rows are found once each, however many pairs there are. */
static rdx_status mark_left(work *w, uint32_t **out, rdx_error *err) {
  RDX_SCOPED(rdx_free_local) uint32_t *marks = NULL;
  RDX_TRY(rdx_calloc(left_count(w) / 32 + 1, 4, "the left rows of a join", (void **)&marks, err));
  RDX_TRY(look_up(w, RDX_LOOKUP_ROWS, &(rdx_lookup_options){.marks = marks}, err));
  *out = RDX_KEEP(marks);
  return RDX_OK;
}

static rdx_status count_matched_left(work *w, uint64_t *out, rdx_error *err) {
  uint32_t *marks = NULL;
  *out = 0;
  RDX_TRY(mark_left(w, &marks, err));
  for (uint64_t i = 0; i < left_count(w) / 32 + 1; i++)
    *out += (uint64_t)__builtin_popcount(marks[i]);
  rdx_free(marks);
  return RDX_OK;
}

/* An array for rows, on the books of the device. */
static rdx_status make_rows(rdx_join_result *j, uint64_t count, uint32_t **out, rdx_error *err) {
  return rdx_device_grow_host(j->device, (void **)out, 0, count + 1, 4, "the rows of a join", &j->host_bytes, err);
}

static void free_rows(rdx_join_result *j) {
  rdx_device_release_host(j->device, j->host_bytes);
  RDX_FREE_ALL(j->left_rows, j->right_rows);
  j->left_rows = j->right_rows = NULL;
  j->host_bytes = 0;
}

static bool is_marked(const uint32_t *marks, uint64_t i) {
  return (marks[i / 32] >> i % 32 & 1u) != 0;
}

/* List the left rows of a semi or an anti join: by marks, or by the counts of a lookup. */
static rdx_status list_left(work *w, const uint32_t *marks, const uint32_t *counts, rdx_error *err) {
  rdx_join_result *j = w->join;
  const bool wanted = wants_matched(w->params->kind);
  const uint64_t left = left_count(w);
  uint64_t count = 0;
  for (uint64_t i = 0; i < left; i++)
    count += (marks ? is_marked(marks, i) : counts[i] > 0) == wanted;
  RDX_TRY(make_rows(j, count, &j->left_rows, err));
  for (uint64_t i = 0; i < left; i++)
    if ((marks ? is_marked(marks, i) : counts[i] > 0) == wanted)
      j->left_rows[j->view.count++] = (uint32_t)i;
  j->view.left_rows = j->left_rows;
  return RDX_OK;
}

static rdx_status find_left(work *w, rdx_error *err) {
  if (!w->inverse) {
    RDX_TRY(look_up(w, RDX_LOOKUP_COUNT, &(rdx_lookup_options){.any = true}, err));
    RDX_TRY(rdx_lookup_result_view(w->result, &w->found, err));
    return list_left(w, NULL, w->found.count, err);
  }
  RDX_SCOPED(rdx_free_local) uint32_t *marks = NULL;
  RDX_TRY(mark_left(w, &marks, err));
  return list_left(w, marks, NULL, err);
}

/* ---- Counts ---- */

/* Nobody asks for the count of a single probe: they stay on the device. */
static rdx_status count_pairs(work *w, rdx_error *err) {
  const uint64_t left = left_count(w);
  uint64_t pairs = 0, matched = 0;
  if (!w->inverse || w->params->kind <= RDX_JOIN_LEFT)
    RDX_TRY(find_total(w, &pairs, &matched, err));
  if (w->inverse && w->params->kind != RDX_JOIN_INNER)
    RDX_TRY(count_matched_left(w, &matched, err));
  switch (w->params->kind) {
  case RDX_JOIN_LEFT:
    w->join->view.count = pairs + left - matched;
    return RDX_OK;
  case RDX_JOIN_SEMI:
    w->join->view.count = matched;
    return RDX_OK;
  case RDX_JOIN_ANTI:
    w->join->view.count = left - matched;
    return RDX_OK;
  default:
    w->join->view.count = pairs;
    return RDX_OK;
  }
}

/* ---- Pairs ---- */

static uint64_t rows_of_left(const rdx_join_matches *m, uint64_t i) {
  return m->offsets[i + 1] - m->offsets[i];
}

static uint64_t count_of(const rdx_join_matches *m, uint64_t left, bool outer) {
  uint64_t count = m->offsets[left];
  for (uint64_t i = 0; i < left && outer; i++)
    count += rows_of_left(m, i) == 0;
  return count;
}

/* The pairs of left rows `first` and on. */
static void list_pairs(const rdx_join_matches *m, uint64_t first, uint64_t left, bool outer, uint32_t *left_rows,
                       uint32_t *right_rows) {
  for (uint64_t i = 0; i < left; i++) {
    if (outer && rows_of_left(m, i) == 0) {
      *left_rows++ = (uint32_t)(first + i);
      *right_rows++ = RDX_NO_ROW;
    }
    for (uint64_t k = m->offsets[i]; k < m->offsets[i + 1]; k++) {
      *left_rows++ = (uint32_t)(first + i);
      *right_rows++ = m->rows[k];
    }
  }
}

static rdx_status list_matches(work *w, const rdx_join_matches *m, uint64_t first, uint64_t left, rdx_error *err) {
  rdx_join_result *j = w->join;
  const bool outer = w->params->kind == RDX_JOIN_LEFT;
  const uint64_t count = count_of(m, left, outer);
  RDX_TRY(make_rows(j, count, &j->left_rows, err));
  RDX_TRY(make_rows(j, count, &j->right_rows, err));
  list_pairs(m, w->left_first + first, left, outer, j->left_rows, j->right_rows);
  j->view.count += count;
  return RDX_OK;
}

#define PAIR_BYTES 8 /* on the host, beside what a lookup of rows takes */
#define INVERTED_BYTES 4

/* Leave the rows that left rows find on the device, where that is all that there is to an answer. */
static bool keep_found(work *w) {
  rdx_join_result *j = w->join;
  if (w->inverse || w->params->kind != RDX_JOIN_INNER || !w->result->on_device)
    return false;
  j->view.count = w->result->parts.row_count;
  j->found = w->result;
  w->result = NULL;
  return true;
}

/* List the pairs that were left on the device. */
static rdx_status list_found(rdx_join_result *j, rdx_error *err) {
  rdx_lookup_view v;
  RDX_TRY(rdx_lookup_result_view(j->found, &v, err));
  const rdx_join_matches m = {.offsets = v.offsets, .rows = v.rows};
  RDX_TRY(make_rows(j, j->view.count, &j->left_rows, err));
  const rdx_status status = make_rows(j, j->view.count, &j->right_rows, err);
  if (status != RDX_OK) {
    free_rows(j);
    return status;
  }
  list_pairs(&m, 0, v.probes, false, j->left_rows, j->right_rows);
  rdx_lookup_result_destroy(&j->found);
  j->view.left_rows = j->left_rows;
  j->view.right_rows = j->right_rows;
  return RDX_OK;
}

static rdx_status find_matches(work *w, rdx_error *err) {
  const rdx_lookup_options options = {.bytes_more = PAIR_BYTES + (w->inverse ? INVERTED_BYTES : 0)};
  RDX_TRY(look_up(w, RDX_LOOKUP_ROWS, &options, err));
  if (keep_found(w))
    return RDX_OK;
  RDX_SCOPED(rdx_join_matches_drop) rdx_join_matches m = {0};
  if (w->inverse)
    RDX_TRY(rdx_join_matches_invert(w->result, left_count(w), &m, err));
  else
    RDX_TRY(rdx_lookup_result_view(w->result, &w->found, err));
  if (!w->inverse)
    m = (rdx_join_matches){.offsets = w->found.offsets, .rows = w->found.rows};
  RDX_TRY(list_matches(w, &m, 0, left_count(w), err));
  w->join->view.left_rows = w->join->left_rows;
  w->join->view.right_rows = w->join->right_rows;
  return RDX_OK;
}

/* ---- Pairs in parts ---- */

/* Give away the rows that are listed, `count` of them. */
static rdx_status give(work *w, uint64_t count, rdx_error *err) {
  rdx_join_result *j = w->join;
  const bool stop = count > 0 && w->params->each(w->params->each_user, j->left_rows, j->right_rows, count);
  free_rows(j);
  j->view.left_rows = j->view.right_rows = NULL;
  return stop ? rdx_fail(err, RDX_ERROR_CANCELLED, "cancelled by the function that gets the pairs") : RDX_OK;
}

/* A part of the rows that left rows find. */
static rdx_status take_part(void *context, uint64_t first, const rdx_lookup_view *part, rdx_error *err) {
  work *w = context;
  const uint64_t before = w->join->view.count;
  const rdx_join_matches m = {.offsets = part->offsets, .rows = part->rows};
  RDX_TRY(list_matches(w, &m, first, part->probes, err));
  return give(w, w->join->view.count - before, err);
}

static rdx_status stream_direct(work *w, rdx_error *err) {
  const rdx_lookup_options options = {.sink = {take_part, w}, .bytes_more = PAIR_BYTES};
  return look_up(w, RDX_LOOKUP_ROWS, &options, err);
}

/* Rows `first` to `first + count - 1` of a host column; `*bits` is what it owns. */
static rdx_status cut_column(const rdx_column *column, uint64_t first, uint64_t count, rdx_column *out, uint8_t **bits,
                             rdx_error *err) {
  const size_t size = column->dictionary ? 4 : rdx_type_size(column->type);
  *out = *column;
  out->rows = count;
  if (size > 0)
    out->values = (const char *)column->values + first * size;
  else
    out->offsets = column->offsets + first;
  if (!column->validity)
    return RDX_OK;
  RDX_TRY(rdx_calloc(count / 8 + 1, 1, "the NULL bits of left rows", (void **)bits, err));
  for (uint64_t i = 0; i < count; i++)
    (*bits)[i / 8] |= (uint8_t)(rdx_column_has(column, first + i) << i % 8);
  out->validity = *bits;
  return RDX_OK;
}

static rdx_status stream_inverse(work *w, rdx_error *err);

/* By an index over some of the left rows. */
static rdx_status stream_some(work *w, uint64_t first, uint64_t count, rdx_error *err) {
  rdx_column some;
  uint8_t *bits = NULL;
  RDX_TRY(cut_column(w->indexed, first, count, &some, &bits, err));
  work part = *w;
  part.indexed = &some;
  part.left_first = w->left_first + first;
  const rdx_status status = stream_inverse(&part, err);
  drop_index(&part);
  rdx_free(bits);
  return status;
}

/* Left rows look up the right ones instead; `*done`: that can be. */
static rdx_status turn_around(work *w, bool *done, rdx_error *err) {
  const bool ranges = w->upper != NULL;
  *done = w->chosen &&
          (!ranges || w->params->index.method == RDX_INDEX_AUTO || w->params->index.method == RDX_INDEX_SORTED_ARRAY);
  if (!*done)
    return RDX_OK;
  work direct = *w;
  direct.indexed = w->lower;
  direct.lower = w->indexed;
  direct.ends = w->upper;
  direct.upper = NULL;
  direct.inverse = w->join->stats.inverse = false;
  const rdx_status status = stream_direct(&direct, err);
  drop_index(&direct);
  if (ranges && status == RDX_ERROR_UNSUPPORTED) { /* strings that their prefixes do not tell apart */
    *done = false;
    w->join->stats.inverse = true;
    return RDX_OK;
  }
  return status;
}

/* By an index over the left rows where the pairs are few enough to bring them into order, else in halves. */
static rdx_status stream_inverse(work *w, rdx_error *err) {
  const uint64_t left = left_count(w), before = w->join->view.count;
  uint64_t pairs = 0, matched = 0;
  bool done = false;
  RDX_TRY(find_total(w, &pairs, &matched, err));
  if (pairs <= rdx_part_rows(w->device, PAIR_BYTES + INVERTED_BYTES) || left == 1) {
    RDX_TRY(find_matches(w, err));
    return give(w, w->join->view.count - before, err);
  }
  drop_index(w);
  RDX_TRY(turn_around(w, &done, err));
  if (done)
    return RDX_OK;
  if (w->indexed->device)
    return rdx_fail(err, RDX_ERROR_UNSUPPORTED,
                    "%llu pairs come in parts by indexes over stretches of left rows, which then must be on the host; "
                    "or index the right side",
                    (unsigned long long)pairs);
  w->chosen = false;
  RDX_TRY(stream_some(w, 0, left / 2, err));
  return stream_some(w, left / 2, left - left / 2, err);
}

static rdx_status stream(work *w, rdx_error *err) {
  if (w->params->kind > RDX_JOIN_LEFT) { /* no more than left rows */
    RDX_TRY(find_left(w, err));
    return give(w, w->join->view.count, err);
  }
  return w->inverse ? stream_inverse(w, err) : stream_direct(w, err);
}

/* ---- Sums ---- */

typedef struct total {
  uint64_t values; /* that were added */
  rdx_i128 sum;
  double floats;
} total;

/* Add the values that all lookups find, whole numbers times `unit`. */
static rdx_status add_values(work *w, rdx_i128 unit, total *t, rdx_error *err) {
  RDX_TRY(look_up(w, RDX_LOOKUP_SUM, &(rdx_lookup_options){.unordered = true}, err));
  RDX_TRY(rdx_lookup_result_view(w->result, &w->found, err));
  const rdx_lookup_view *f = &w->found;
  for (uint64_t i = 0; i < f->probes; i++) {
    t->values += f->count[i];
    if (f->sum_f64)
      t->floats += f->sum_f64[i];
    else
      t->sum += unit * (f->sum_u64 ? (rdx_i128)f->sum_u64[i] : (rdx_i128)f->sum_i64[i]);
  }
  return RDX_OK;
}

/* The same in halves, each of which fits where the sum of one lookup does not. */
static rdx_status add_wide_sums(work *w, total *t, rdx_error *err) {
  static const rdx_i128 units[] = {1, (rdx_i128)1 << 32};
  const uint64_t before = t->values;
  RDX_SCOPED(rdx_wide_sums_free) rdx_wide_sums sums_of_halves = {0};
  RDX_TRY(rdx_wide_sums_make(w->params->values, &sums_of_halves, err));
  for (uint32_t i = 0; i < RDX_COUNT(units); i++) {
    t->values = before;
    w->values = &sums_of_halves.columns[i];
    RDX_TRY(add_values(w, units[i], t, err));
  }
  w->values = NULL;
  w->found.sum_type = sums_of_halves.sum_type;
  w->found.sum_scale = sums_of_halves.sum_scale;
  return RDX_OK;
}

static rdx_status add_found(work *w, total *t, rdx_error *err) {
  rdx_error why = {""};
  const rdx_status status = add_values(w, 1, t, &why);
  if (status == RDX_ERROR_OVERFLOW) /* before anything was added */
    return add_wide_sums(w, t, err);
  return status == RDX_OK ? RDX_OK : rdx_fail(err, status, "%s", why.text);
}

/* Add the values of some rows, by joining these with the numbers of all. */
static rdx_status add_rows(rdx_device *device, const rdx_join_params *p, const uint32_t *rows, uint64_t count, total *t,
                           rdx_error *err) {
  RDX_SCOPED(rdx_free_local) uint32_t *numbers = NULL;
  RDX_TRY(rdx_alloc(p->values->rows, sizeof *numbers, "the rows of a join", (void **)&numbers, err));
  for (uint64_t i = 0; i < p->values->rows; i++)
    numbers[i] = (uint32_t)i;
  const rdx_column all = {.type = RDX_TYPE_U32, .rows = p->values->rows, .values = numbers};
  const rdx_column some = {.type = RDX_TYPE_U32, .rows = count, .values = rows};
  rdx_join_result scratch = {.device = device};
  RDX_SCOPED(drop_index) work w = {.device = device, .params = p, .indexed = &all, .lower = &some, .join = &scratch};
  w.index_params.method = RDX_INDEX_HASH;
  return add_found(&w, t, err);
}

/* A band join's left rows without a match, whose values a left join adds once. */
static rdx_status add_unmatched(const work *w, total *t, rdx_error *err) {
  const bool strings = w->indexed->type == RDX_TYPE_STRING; /* which ranges may not hold */
  const rdx_join_params anti = {.kind = RDX_JOIN_ANTI,
                                .mapping = strings ? RDX_JOIN_MAPPING_INVERSE : RDX_JOIN_MAPPING_DIRECT};
  RDX_SCOPED(rdx_join_result_destroy) rdx_join_result *unmatched = NULL;
  RDX_TRY(rdx_join_between(w->device, w->indexed, w->lower, w->upper, &anti, &unmatched, err));
  const rdx_join_view *v = &unmatched->view;
  return v->count > 0 ? add_rows(w->device, w->params, v->left_rows, v->count, t, err) : RDX_OK;
}

/* thesis, section 4.3 "the result of the key is added to the corresponding query". */
/* Of an index over the left side: a right row's value counts for each left row that it finds. */
static rdx_status add_inverse(work *w, total *t, rdx_error *err) {
  rdx_weighted_sum sum;
  RDX_TRY(look_up(w, RDX_LOOKUP_COUNT, &in_order, err));
  RDX_TRY(rdx_lookup_result_view(w->result, &w->found, err));
  RDX_TRY(rdx_weighted_sum_make(w->device, w->params->values, w->found.count, w->found.probes, &sum, err));
  t->sum = sum.sum;
  t->values = sum.count;
  w->found.sum_type = sum.type;
  w->found.sum_scale = sum.scale;
  return RDX_OK;
}

static rdx_status add_sums(work *w, rdx_error *err) {
  rdx_join_view *v = &w->join->view;
  total t = {0};
  RDX_TRY(w->inverse && !w->upper ? add_inverse(w, &t, err) : add_found(w, &t, err));
  if (w->upper && w->params->kind == RDX_JOIN_LEFT)
    RDX_TRY(add_unmatched(w, &t, err));
  v->sum_type = w->found.sum_type;
  v->sum_scale = w->found.sum_scale;
  v->sum_is_null = t.values == 0;
  v->count = t.values;
  v->sum_f64 = t.floats;
  v->sum_u64 = (uint64_t)t.sum;
  v->sum_i64 = (int64_t)t.sum;
  const bool fits =
      v->sum_type == RDX_TYPE_U64 ? t.sum <= (rdx_i128)UINT64_MAX : t.sum >= INT64_MIN && t.sum <= INT64_MAX;
  return fits ? RDX_OK : rdx_fail(err, RDX_ERROR_OVERFLOW, "the sum over a join does not fit 64 bits");
}

/* ---- Joins ---- */

static rdx_status answer(work *w, rdx_error *err) {
  const rdx_join_params *p = w->params;
  if (p->result == RDX_JOIN_SUM)
    return add_sums(w, err);
  if (p->result == RDX_JOIN_COUNT)
    return count_pairs(w, err);
  if (p->each)
    return stream(w, err);
  return p->kind > RDX_JOIN_LEFT ? find_left(w, err) : find_matches(w, err);
}

static rdx_status check(const char *name, const rdx_device *device, const rdx_column *left, const rdx_column *right,
                        const rdx_join_params *p, rdx_join_result **out, rdx_error *err) {
  if (!device || !left || !right || !out)
    return rdx_fail(err, RDX_ERROR_ARGUMENT, "%s: device, columns and out must not be NULL", name);
  if (p->kind > RDX_JOIN_ANTI || p->result > RDX_JOIN_SUM || p->mapping > RDX_JOIN_MAPPING_INVERSE)
    return rdx_fail(err, RDX_ERROR_ARGUMENT, "%s: unknown kind, result or mapping", name);
  if ((p->result == RDX_JOIN_SUM) != (p->values != NULL))
    return rdx_fail(err, RDX_ERROR_ARGUMENT, "%s: a value column goes with RDX_JOIN_SUM and with nothing else", name);
  if (p->result == RDX_JOIN_SUM && p->kind > RDX_JOIN_LEFT)
    return rdx_fail(err, RDX_ERROR_ARGUMENT, "only the pairs of inner and left joins have a sum");
  if (p->each && p->result != RDX_JOIN_PAIRS)
    return rdx_fail(err, RDX_ERROR_ARGUMENT, "%s: only pairs come in parts", name);
  if (p->index.method >= RDX_INDEX_METHODS)
    return rdx_fail(err, RDX_ERROR_ARGUMENT, "%s: unknown index method %d", name, (int)p->index.method);
  RDX_TRY(rdx_column_check_view(left, name, err));
  RDX_TRY(rdx_column_check_view(right, name, err));
  RDX_TRY(rdx_rows_check("a side of a join", left->rows, err));
  RDX_TRY(rdx_rows_check("a side of a join", right->rows, err));
  return rdx_index_check_options(&p->index, err);
}

/* Equal keys need no order: hash tables are faster than the tree. Partitions make a join of them; to list rows, though,
 * the answers to probes have to be brought back into order, which costs more than partitions save. */
static rdx_index_params choose_index(const work *w) {
  rdx_index_params index = w->params->index;
  if (index.method == RDX_INDEX_AUTO && !w->upper && !w->ends)
    index.method = w->params->result == RDX_JOIN_PAIRS ? RDX_INDEX_HASH : RDX_INDEX_RADIX_HASH;
  return index;
}

/* thesis, section 4.3 "Inverse Mapping Algorithm for Point Query". */
static rdx_status join(work *w, rdx_join_result **out, rdx_error *err) {
  const double start = rdx_now_ms();
  w->index_params = choose_index(w);
  RDX_TRY(rdx_calloc(1, sizeof *w->join, "a join", (void **)&w->join, err));
  w->join->device = w->device;
  w->join->view.kind = w->params->kind;
  w->join->view.result = w->params->result;
  w->join->stats.inverse = w->inverse;
  rdx_status status = answer(w, err);
  drop_index(w);
  if (status != RDX_OK) {
    rdx_join_result_destroy(&w->join);
    return status;
  }
  w->join->stats.total_ms = rdx_now_ms() - start;
  *out = w->join;
  return RDX_OK;
}

static const rdx_join_params defaults = {0};

static rdx_status join_strings(rdx_device *device, const rdx_column *left, const rdx_column *right,
                               const rdx_join_params *p, rdx_join_result **out, rdx_error *err) {
  const double start = rdx_now_ms();
  RDX_SCOPED(rdx_join_codes_drop) rdx_join_codes codes = {0};
  RDX_TRY(rdx_join_codes_make(left, right, &codes, err));
  RDX_TRY(rdx_join_equal(device, &codes.left, &codes.right, p, out, err));
  (*out)->stats.total_ms = rdx_now_ms() - start;
  return RDX_OK;
}

/* thesis, section 3.5 "Inverse Mapping". */
rdx_status rdx_join_equal(rdx_device *device, const rdx_column *left, const rdx_column *right,
                          const rdx_join_params *params, rdx_join_result **out, rdx_error *err) {
  const rdx_join_params *p = params ? params : &defaults;
  RDX_TRY(check("rdx_join_equal", device, left, right, p, out, err));
  if (rdx_join_wants_codes(left, right))
    return join_strings(device, left, right, p, out, err);
  const bool smaller = left->rows < right->rows && !p->values;
  const bool inverse = p->mapping == RDX_JOIN_MAPPING_INVERSE || (p->mapping == RDX_JOIN_MAPPING_AUTO && smaller);
  work w = {.device = device,
            .params = p,
            .indexed = inverse ? left : right,
            .lower = inverse ? right : left,
            .inverse = inverse,
            .chosen = p->mapping == RDX_JOIN_MAPPING_AUTO};
  return join(&w, out, err);
}

static rdx_status check_over_ranges(const rdx_join_params *p, rdx_error *err) {
  if (p->values)
    return rdx_fail(err, RDX_ERROR_UNSUPPORTED,
                    "rdx_join_between: values of left rows are added by an index over the left side");
  if (p->index.method != RDX_INDEX_AUTO && p->index.method != RDX_INDEX_SORTED_ARRAY)
    return rdx_fail(err, RDX_ERROR_UNSUPPORTED,
                    "rdx_join_between: %s holds points, which are on the left side; ranges are sorted by their bounds "
                    "(sorted_array)",
                    rdx_index_method_name(p->index.method));
  if (p->index.sorted_array.lanes > 0)
    return rdx_fail(err, RDX_ERROR_UNSUPPORTED,
                    "rdx_join_between: ranges that are sorted are searched by single threads; leave lanes out");
  return RDX_OK;
}

/* From how many points a range on, of 64 bits, to sort the ranges and search among them takes less than an index over
 * the points, as measured (docs/measurements.md). Points of 32 bits are sorted too fast for that; to list pairs, each
 * point is searched for twice. */
#define POINTS_A_RANGE 64

static bool prefers_ranges(const rdx_join_params *p, const rdx_column *left, const rdx_column *lower) {
  return p->mapping == RDX_JOIN_MAPPING_AUTO && p->index.method == RDX_INDEX_AUTO && p->result == RDX_JOIN_COUNT &&
         left->type != RDX_TYPE_STRING && rdx_key_bits(left->type) == 64 && lower->rows < left->rows / POINTS_A_RANGE;
}

rdx_status rdx_join_between(rdx_device *device, const rdx_column *left, const rdx_column *lower,
                            const rdx_column *upper, const rdx_join_params *params, rdx_join_result **out,
                            rdx_error *err) {
  const rdx_join_params *p = params ? params : &defaults;
  RDX_TRY(check("rdx_join_between", device, left, lower, p, out, err));
  if (!upper || upper->rows != lower->rows)
    return rdx_fail(err, RDX_ERROR_ARGUMENT, "rdx_join_between: there must be as many upper bounds as lower ones");
  RDX_TRY(rdx_column_check_view(upper, "rdx_join_between", err));
  if (p->mapping == RDX_JOIN_MAPPING_DIRECT)
    RDX_TRY(check_over_ranges(p, err));
  if (p->mapping == RDX_JOIN_MAPPING_DIRECT || prefers_ranges(p, left, lower)) {
    work w = {.device = device, .params = p, .indexed = lower, .ends = upper, .lower = left};
    return join(&w, out, err);
  }
  work w = {.device = device,
            .params = p,
            .indexed = left,
            .lower = lower,
            .upper = upper,
            .inverse = true,
            .chosen = p->mapping == RDX_JOIN_MAPPING_AUTO};
  return join(&w, out, err);
}

rdx_status rdx_join_result_view(rdx_join_result *j, rdx_join_view *out, rdx_error *err) {
  if (!j || !out)
    return rdx_fail(err, RDX_ERROR_ARGUMENT, "rdx_join_result_view: result and out must not be NULL");
  if (j->found)
    RDX_TRY(list_found(j, err));
  *out = j->view;
  return RDX_OK;
}

/* Of rows that are still on the device. */
static rdx_status share_column(rdx_join_result *j, rdx_join_side side, rdx_device_column **out, rdx_error *err) {
  const rdx_parts *p = &j->found->parts;
  return side == RDX_JOIN_SIDE_LEFT ? rdx_device_column_of_probes(p->offsets, j->found->probes, p->row_count, out, err)
                                    : rdx_device_column_of_rows(p->rows, p->row_count, false, out, err);
}

rdx_status rdx_join_result_column(rdx_join_result *j, rdx_join_side side, rdx_device_column **out, rdx_error *err) {
  if (!j || !out || side > RDX_JOIN_SIDE_RIGHT)
    return rdx_fail(err, RDX_ERROR_ARGUMENT,
                    "rdx_join_result_column: result and out must not be NULL, side LEFT or RIGHT");
  if (j->found)
    return share_column(j, side, out, err);
  const uint32_t *rows = side == RDX_JOIN_SIDE_LEFT ? j->view.left_rows : j->view.right_rows;
  if (!rows)
    return rdx_fail(err, RDX_ERROR_ARGUMENT,
                    "rdx_join_result_column: the join has no such rows; ask for RDX_JOIN_PAIRS without `each`, of semi "
                    "and anti joins for the left ones");
  const rdx_column column = {.type = RDX_TYPE_U32, .rows = j->view.count, .values = rows};
  return rdx_device_column_upload(j->device, &column, rows, RDX_NO_ROW, out, err);
}

void rdx_join_result_get_stats(const rdx_join_result *j, rdx_join_stats *out) {
  *out = j ? j->stats : (rdx_join_stats){0};
}

void rdx_join_result_destroy(rdx_join_result **j) {
  if (!j || !*j)
    return;
  free_rows(*j);
  rdx_lookup_result_destroy(&(*j)->found);
  rdx_free(*j);
  *j = NULL;
}
