/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* What is prepared over tables: listed, and destroyed where memory is short. */

#include "catalog/internal.h"
#include "column/device_column.h"

/* ---- Listing ---- */

static rdx_catalog_kept describe_scan(const rdx_table_version *v, const rdx_kept_scan *s) {
  rdx_scan_stats stats;
  rdx_scan_get_stats(s->scan, &stats);
  return (rdx_catalog_kept){.kind = "scan",
                            .method = rdx_scan_method_name(stats.method),
                            .tables = {&v->table},
                            .table_count = 1,
                            .columns = s->columns,
                            .column_count = s->count,
                            .bytes = stats.bytes_resident,
                            .uses = s->usage.uses,
                            .used_ms = s->usage.used_ms};
}

static rdx_catalog_kept describe_index(const rdx_table_version *v, const rdx_kept_index *x) {
  rdx_index_stats stats;
  rdx_index_get_stats(x->index, &stats);
  return (rdx_catalog_kept){.kind = "index",
                            .method = rdx_index_method_name(stats.method),
                            .tables = {&v->table},
                            .table_count = 1,
                            .columns = x->columns,
                            .column_count = x->count,
                            .bytes = stats.bytes_resident,
                            .uses = x->usage.uses,
                            .used_ms = x->usage.used_ms};
}

static rdx_catalog_kept describe_copy(const rdx_table_version *v, const rdx_kept_column *k) {
  return (rdx_catalog_kept){.kind = "column",
                            .method = "copy",
                            .tables = {&v->table},
                            .table_count = 1,
                            .columns = &k->column,
                            .column_count = 1,
                            .bytes = rdx_device_column_bytes(k->copy),
                            .uses = k->usage.uses,
                            .used_ms = k->usage.used_ms};
}

static rdx_catalog_kept describe_star(const rdx_kept_star *k) {
  rdx_star_stats stats;
  rdx_star_get_stats(k->star, &stats);
  rdx_catalog_kept kept = {.kind = "star",
                           .method = rdx_star_method_name(stats.method),
                           .tables = {k->definition.fact},
                           .table_count = 1 + k->definition.dimension_count,
                           .cubes = k->cubes,
                           .cube_count = k->cube_count,
                           .bytes = stats.bytes_columns + stats.bytes_cubes,
                           .uses = k->usage.uses,
                           .used_ms = k->usage.used_ms};
  for (uint32_t i = 0; i < k->definition.dimension_count; i++)
    kept.tables[1 + i] = k->definition.dimensions[i].table;
  return kept;
}

static rdx_status visit_version(const rdx_table_version *v, rdx_kept_fn visit, void *user, rdx_error *err) {
  for (uint32_t i = 0; i < v->scan_count; i++) {
    const rdx_catalog_kept kept = describe_scan(v, &v->scans[i]);
    RDX_TRY(visit(user, &kept, err));
  }
  for (uint32_t i = 0; i < v->index_count; i++) {
    const rdx_catalog_kept kept = describe_index(v, &v->indexes[i]);
    RDX_TRY(visit(user, &kept, err));
  }
  for (uint32_t i = 0; i < v->copy_count; i++) {
    const rdx_catalog_kept kept = describe_copy(v, &v->copies[i]);
    RDX_TRY(visit(user, &kept, err));
  }
  return RDX_OK;
}

rdx_status rdx_catalog_visit(rdx_catalog *c, rdx_kept_fn visit, void *user, rdx_error *err) {
  RDX_LOCKED(&c->lock);
  for (uint32_t i = 0; i < c->source_count; i++)
    if (c->sources[i].version)
      RDX_TRY(visit_version(c->sources[i].version, visit, user, err));
  for (uint32_t i = 0; i < c->star_count; i++) {
    const rdx_catalog_kept kept = describe_star(&c->stars[i]);
    RDX_TRY(visit(user, &kept, err));
  }
  return RDX_OK;
}

/* ---- Trimming ---- */

typedef enum kept_kind {
  KEPT_STAR,
  KEPT_SCAN,
  KEPT_INDEX,
  KEPT_COLUMN,
} kept_kind;

/* What is kept that may go, and the one of it that was not used for longest. */
typedef struct oldest {
  uint64_t bytes;
  double used_ms;
  kept_kind kind;
  bool found;
  rdx_table_version *version; /* NULL of a star */
  uint32_t place;
} oldest;

static void consider(oldest *o, kept_kind kind, const rdx_usage *usage, uint64_t bytes, rdx_table_version *version,
                     uint32_t place) {
  o->bytes += bytes;
  if (!o->found || usage->used_ms < o->used_ms)
    *o = (oldest){o->bytes, usage->used_ms, kind, true, version, place};
}

static oldest find_oldest(rdx_catalog *c) {
  oldest o = {0};
  for (uint32_t i = 0; i < c->source_count; i++) {
    rdx_table_version *v = c->sources[i].version;
    for (uint32_t k = 0; v && k < v->scan_count; k++)
      consider(&o, KEPT_SCAN, &v->scans[k].usage, describe_scan(v, &v->scans[k]).bytes, v, k);
    for (uint32_t k = 0; v && k < v->index_count; k++)
      consider(&o, KEPT_INDEX, &v->indexes[k].usage, describe_index(v, &v->indexes[k]).bytes, v, k);
    for (uint32_t k = 0; v && k < v->copy_count; k++)
      consider(&o, KEPT_COLUMN, &v->copies[k].usage, describe_copy(v, &v->copies[k]).bytes, v, k);
  }
  for (uint32_t i = 0; i < c->star_count; i++)
    if (c->stars[i].users == 0)
      consider(&o, KEPT_STAR, &c->stars[i].usage, describe_star(&c->stars[i]).bytes, NULL, i);
  return o;
}

static void drop(rdx_catalog *c, const oldest *o) {
  rdx_table_version *v = o->version;
  switch (o->kind) {
  case KEPT_STAR:
    rdx_kept_star_drop(&c->stars[o->place]);
    c->stars[o->place] = c->stars[--c->star_count];
    return;
  case KEPT_SCAN:
    rdx_kept_scan_drop(&v->scans[o->place]);
    v->scans[o->place] = v->scans[--v->scan_count];
    return;
  case KEPT_INDEX:
    rdx_index_destroy(&v->indexes[o->place].index);
    v->indexes[o->place] = v->indexes[--v->index_count];
    return;
  case KEPT_COLUMN:
    rdx_device_column_destroy(&v->copies[o->place].copy);
    v->copies[o->place] = v->copies[--v->copy_count];
    return;
  }
}

void rdx_catalog_trim(rdx_catalog *c, uint64_t bytes) {
  RDX_LOCKED(&c->lock);
  for (oldest o = find_oldest(c); o.found && o.bytes > bytes; o = find_oldest(c))
    drop(c, &o);
}
