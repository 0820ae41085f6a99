/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* Queries of the published mapping of RTCUDB: intervals of z, checks of the other attributes, one launch. */

#include "star/method/rtcudb.h"
#include "star/method/rt_filter.h"

/* ---- Intervals of z ---- */

#define FEW_RAYS 65536

/* What a query selects of each digit, the highest first. */
typedef struct selection {
  uint32_t count;                 /* of digits down to the last that the query asks for */
  rdx_code_set sets[RTCUDB_BITS]; /* of digits, all within the radix */
  uint32_t strides[RTCUDB_BITS];
  uint32_t attributes[RTCUDB_BITS]; /* of the cube's list */
  rdx_ranges *out;
} selection;

/* RTCUDB, section 4.2 "the query area is split into two parts". */
static rdx_status add_intervals(const selection *s, uint32_t position, uint32_t base, rdx_error *err) {
  const rdx_code_set *set = &s->sets[position];
  const uint32_t stride = s->strides[position];
  for (uint32_t i = 0; i < set->count; i++) {
    const uint32_t low = (uint32_t)set->list[i].low, high = (uint32_t)set->list[i].high;
    if (position + 1 == s->count)
      RDX_TRY(rdx_ranges_add(s->out, base + low * stride, base + (high + 1) * stride, err));
    for (uint32_t digit = low; digit <= high && position + 1 < s->count; digit++)
      RDX_TRY(add_intervals(s, position + 1, base + digit * stride, err));
  }
  return RDX_OK;
}

/* RTCUDB, section 5 "Fewer Operators". */
/* The digits of an attribute that codes of a set have (NULL: all). */
static rdx_status find_digits(const rtcudb_attribute *a, const rdx_code_set *set, rdx_arena *arena, rdx_code_set *out,
                              rdx_error *err) {
  const rdx_interval all = {0, UINT64_MAX};
  const uint32_t count = set ? set->count : 1;
  const uint64_t last = a->radix - 1;
  RDX_TRY(rdx_arena_alloc(arena, count, sizeof *out->list, "the intervals of a query", (void **)&out->list, err));
  out->count = 0;
  for (uint32_t i = 0; i < count; i++) {
    const rdx_interval *codes = set ? &set->list[i] : &all;
    const uint64_t low = codes->low >> a->shift, high = codes->high >> a->shift;
    if (low <= last)
      out->list[out->count++] = (rdx_interval){low, high < last ? high : last};
  }
  out->count = rdx_code_set_union(out->list, out->count);
  return RDX_OK;
}

/* The digits that a query asks for, the highest first. False where no row has them. */
static rdx_status select_digits(const rdx_rtcudb *c, const rdx_plan *plan, rdx_arena *arena, selection *s, bool *none,
                                rdx_error *err) {
  uint32_t digits = 0;
  for (uint32_t i = 0; i < c->scan_count && !*none; i++) {
    const rtcudb_attribute *a = &c->scan[i];
    const rdx_code_set *set = rdx_plan_set(plan, a->number);
    *none = a->radix == 1 && set && !rdx_code_set_has(set, 0);
    if (a->radix < 2) /* fewer than RTCUDB_BITS are left */
      continue;
    RDX_TRY(find_digits(a, set, arena, &s->sets[digits], err));
    *none |= s->sets[digits].count == 0;
    s->attributes[digits] = i;
    s->strides[digits++] = a->stride;
    s->count = set ? digits : s->count;
  }
  return RDX_OK;
}

/* How many of the digits intervals are made of: as many as take no more rays than there are rows, or FEW_RAYS. Then it
 * is faster to look at rows of the intervals that have other digits. */
static uint32_t count_digits(const rdx_rtcudb *c, const selection *s) {
  const double grid = (double)c->grid.columns * c->grid.lines,
               max = c->core.rows > FEW_RAYS ? (double)c->core.rows : FEW_RAYS;
  double before = 1;
  for (uint32_t i = 0; i < s->count && !c->params.insist; i++) {
    double digits = 0;
    for (uint32_t k = 0; k < s->sets[i].count; k++)
      digits += (double)(s->sets[i].list[k].high - s->sets[i].list[k].low) + 1;
    if (before * s->sets[i].count * grid > max)
      return i;
    before *= digits;
  }
  return s->count;
}

/* RTCUDB, Figure 8 "Processing for conjunctive predicates". */
/* The intervals of z that rows which qualify can have: a mixed-radix number for each combination of digits. Attributes
 * from `*checked` on are left to the hit program. */
static rdx_status select_intervals(const rdx_rtcudb *c, const rdx_plan *plan, rdx_arena *arena, rdx_ranges *out,
                                   uint32_t *checked, rdx_error *err) {
  selection s = {.out = out};
  bool none = false;
  out->count = 0;
  *checked = c->scan_count;
  RDX_TRY(select_digits(c, plan, arena, &s, &none, err));
  if (none)
    return RDX_OK;
  const uint32_t count = count_digits(c, &s);
  if (count < s.count)
    *checked = s.attributes[count];
  s.count = count;
  return s.count == 0 ? rdx_ranges_add(out, 0, c->z_codes, err) : add_intervals(&s, 0, 0, err);
}

/* ---- Checks ---- */

typedef struct compiling {
  const rdx_rtcudb *cube;
  rdx_stream *stream;
  rtcudb_check *checks;
  uint32_t count, capacity;
} compiling;

/* A comparison that goes on to one of two others; `*entry` is its number. */
static rdx_status add_check(compiling *p, uint32_t attribute, const rdx_code_set *set, uint32_t on_true,
                            uint32_t on_false, uint32_t *entry, rdx_error *err) {
  const rtcudb_attribute *a = p->cube->scan;
  uint64_t intervals = 0;
  while (a->number != attribute)
    a++;
  if (p->count == p->capacity) {
    p->capacity = p->capacity ? 2 * p->capacity : 16;
    RDX_TRY(rdx_realloc((void **)&p->checks, p->capacity, sizeof *p->checks, "the conditions of a query", err));
  }
  RDX_TRY(rdx_stream_constants(p->stream, set->list, set->count * sizeof *set->list, &intervals, err));
  *entry = p->count;
  p->checks[p->count++] = (rtcudb_check){.codes = RDX_ADDRESS(uint32_t, a->codes),
                                         .intervals = (uint64_t *)(uintptr_t)intervals,
                                         .bytes = a->bytes,
                                         .stride = a->stride,
                                         .radix = a->radix,
                                         .interval_count = set->count,
                                         .on_true = on_true,
                                         .on_false = on_false};
  return RDX_OK;
}

/* The checks of a tree, the last first. */
static rdx_status compile(compiling *p, const rdx_term_node *node, uint32_t on_true, uint32_t on_false, uint32_t *entry,
                          rdx_error *err) {
  const bool all = node->kind == RDX_NODE_AND;
  if (node->kind == RDX_NODE_TERM)
    return add_check(p, node->term.column, &node->term.set, on_true, on_false, entry, err);
  *entry = node->kind == RDX_NODE_TRUE || all ? on_true : on_false;
  for (uint32_t i = node->count; i-- > 0;)
    RDX_TRY(compile(p, &node->children[i], all ? *entry : on_true, all ? on_false : *entry, entry, err));
  return RDX_OK;
}

/* What z does not tell: conditions on attributes in memory, and what is no conjunction. */
static rdx_status compile_plan(compiling *p, const rdx_plan *plan, uint32_t checked, uint32_t *entry, rdx_error *err) {
  const rdx_rtcudb *c = p->cube;
  *entry = RTCUDB_TRUE;
  if (c->params.operators == RDX_RT_CUBE_SEPARATE_SCAN)
    return RDX_OK;
  if (plan->residual)
    RDX_TRY(compile(p, plan->residual, RTCUDB_TRUE, RTCUDB_FALSE, entry, err));
  for (uint32_t i = c->scan_count; i-- > 0;) {
    const rdx_code_set *set = rdx_plan_set(plan, c->scan[i].number);
    if (set && (c->scan[i].codes || i >= checked))
      RDX_TRY(add_check(p, c->scan[i].number, set, *entry, RTCUDB_FALSE, entry, err));
  }
  return RDX_OK;
}

/* ---- Answering ---- */

typedef struct request {
  rdx_cube_run *run;
  rdx_arena arena;
  compiling program;
  rtcudb_query query;
  uint64_t rays;
  uint32_t checked; /* scan attributes from here on are not in the intervals */
} request;

/* As if conditions were independent and each code as frequent as any other. A triangle is hit twice. */
void rdx_rtcudb_work(const void *self, const rdx_plan *plan, rdx_work *out) {
  const rdx_rtcudb *c = self;
  const double grid = (double)c->grid.columns * c->grid.lines, rows = (double)c->core.rows;
  double before = 1, intervals = 1, share = 1;
  for (uint32_t i = 0; i < c->scan_count; i++) {
    const rdx_code_set *set = rdx_plan_set(plan, c->scan[i].number);
    const double all = (double)c->core.relation->attributes[c->scan[i].number].count + 1;
    double codes = set ? 0 : all;
    for (uint32_t k = 0; set && k < set->count; k++)
      codes += (double)(set->list[k].high - set->list[k].low) + 1;
    if (c->scan[i].radix == 0)
      continue;
    intervals = set ? before * set->count : intervals;
    before *= codes < all ? codes : all;
    share *= codes < all ? codes / all : 1;
  }
  const double rays = intervals * grid < rows ? intervals * grid : rows;
  *out = (rdx_work){.launches = 1, .rays = rays, .hits = 2 * share * rows, .primitives = rows};
}

static rdx_status describe(const rdx_rtcudb *c, request *r, uint64_t *address, rdx_error *err) {
  uint64_t checks = 0, cuts = 0;
  uint32_t first = RTCUDB_TRUE;
  r->program = (compiling){.cube = c, .stream = r->run->stream};
  RDX_TRY(compile_plan(&r->program, r->run->call->plan, r->checked, &first, err));
  RDX_TRY(rdx_stream_constants(r->run->stream, r->program.checks, r->program.count * sizeof *r->program.checks, &checks,
                               err));
  RDX_TRY(rdx_stream_constants(r->run->stream, c->cuts, (uint64_t)c->cut_count * 4, &cuts, err));
  r->query = (rtcudb_query){.query = (star_query *)(uintptr_t)r->run->query_address,
                            .corners = RDX_ADDRESS(float, c->corners),
                            .rests = RDX_ADDRESS(uint32_t, c->rests),
                            .cuts = (uint32_t *)(uintptr_t)(r->run->query.group_count > 1 ? cuts : 0),
                            .checks = (rtcudb_check *)(uintptr_t)checks,
                            .bits = RDX_ADDRESS(uint32_t, r->run->bits),
                            .flags = RDX_ADDRESS(uint32_t, r->run->hit_list),
                            .corner_stride = c->corner_stride,
                            .rest_bytes = c->rest_bytes,
                            .first_check = first,
                            .centre_x = c->x_codes / 2,
                            .centre_y = c->y_codes / 2,
                            .centre_z = c->z_codes / 2,
                            .half_x = c->grid.half_x,
                            .half_y = c->grid.half_y,
                            .x_codes = c->x_codes,
                            .y_codes = c->y_codes,
                            .columns = c->grid.columns,
                            .lines = c->grid.lines,
                            .unit_z = c->unit_z,
                            .per_unit_z = 1 / c->unit_z};
  for (uint32_t i = 0; i < r->run->call->plan->measure_count; i++) {
    const uint32_t m = rdx_cube_measure_of(&c->core, &r->run->call->plan->measures[i]);
    r->query.fields[i] = (rtcudb_field){.rest = RDX_ADDRESS(uint32_t, c->core.measures[m].codes),
                                        .rest_bytes = c->core.measures[m].bytes,
                                        .shift = c->parts[m].shift,
                                        .bits = c->parts[m].bits};
  }
  return rdx_stream_constants(r->run->stream, &r->query, sizeof r->query, address, err);
}

/* Flags of rows, cleared. */
static rdx_status clear_flags(const rdx_rtcudb *c, request *r, rdx_error *err) {
  const uint64_t size = (c->core.rows + 31) / 32 * 4;
  if (!r->run->hit_list)
    RDX_TRY(rdx_buffer_create(c->core.device, size, "the flags of rows", &r->run->hit_list, err));
  return rdx_stream_fill(r->run->stream, r->run->hit_list, 0, size, 0, err);
}

/* RTCUDB, section 4.2 "Ray Launching after Encoding". */
static rdx_status launch(const rdx_rtcudb *c, request *r, rdx_error *err) {
  const bool cpu = c->core.device->info.backend == RDX_BACKEND_CPU;
  const uint32_t parts = rdx_rt_cube_parts(&c->core, r->rays);
  uint64_t cube = 0, intervals = 0;
  RDX_TRY(rdx_cube_start(&c->core, rdx_rt_cube_copies(&c->core, &c->params, parts, 1), r->run, err));
  RDX_TRY(clear_flags(c, r, err));
  RDX_TRY(describe(c, r, &cube, err));
  RDX_TRY(
      rdx_stream_constants(r->run->stream, r->run->ranges.list, (uint64_t)r->run->ranges.count * 8, &intervals, err));
  const struct rtcudb_rays_args args = {.cube = (rtcudb_query *)(uintptr_t)cube,
                                        .intervals = (uint32_t *)(uintptr_t)intervals,
                                        .counters = RDX_ADDRESS(uint64_t, r->run->counters),
                                        .rays = (uint32_t)r->rays,
                                        .parts = parts,
                                        .partition_size = (uint32_t)c->scene->partition_size};
  return rdx_stream_launch(r->run->stream, &rdx_kernel_rtcudb_rays, &args, NULL, cpu ? parts : r->rays, c->scene, err);
}

/* What a hit reads is its row's corner and flag; what a row reads besides is in memory. */
static rdx_status count(const rdx_rtcudb *c, const request *r, rdx_error *err) {
  rdx_query_counts *counts = r->run->call->counts;
  if (!counts)
    return RDX_OK;
  const rdx_query_counts before = *counts;
  RDX_TRY(rdx_cube_count(r->run, c->scene, r->rays, err));
  const uint64_t rows = counts->rows - before.rows;
  counts->bytes += (counts->hits - before.hits) * 16 + rows * (r->query.cuts ? c->rest_bytes : 0);
  for (uint32_t i = 0; i < r->program.count; i++)
    counts->bytes += rows * r->program.checks[i].bytes;
  return RDX_OK;
}

static rdx_status answer_request(const rdx_rtcudb *c, request *r, rdx_error *err) {
  if (c->core.rows == 0)
    return RDX_OK;
  RDX_TRY(rdx_rt_filter_run(&c->core, c->numbers, c->scan_count, r->run, err));
  RDX_TRY(select_intervals(c, r->run->call->plan, &r->arena, &r->run->ranges, &r->checked, err));
  r->rays = (uint64_t)r->run->ranges.count * c->grid.columns * c->grid.lines;
  if (r->rays == 0)
    return RDX_OK;
  RDX_TRY(rdx_rt_cube_check_rays(&c->params, r->rays, c->core.rows, &c->grid, err));
  RDX_TRY(launch(c, r, err));
  RDX_TRY(rdx_cube_finish(&c->core, r->run, err));
  return count(c, r, err);
}

static rdx_status answer(const void *self, rdx_cube_run *run, rdx_error *err) {
  request r = {.run = run};
  const rdx_status status = answer_request(self, &r, err);
  rdx_free(r.program.checks);
  rdx_arena_free(&r.arena);
  return status;
}

rdx_status rdx_rtcudb_run(const void *self, rdx_star_call *call, rdx_error *err) {
  return rdx_cube_answer(self, answer, call, err);
}
