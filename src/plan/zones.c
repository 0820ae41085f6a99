/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* Filters over zone maps. The filter becomes a condition over the smallest and the largest values of blocks, columns
 * 2 * i and 2 * i + 1 for its column i, that is true wherever a row of the block may satisfy it. */

#include "plan/zones.h"

#include <string.h>

#define WHAT "a zone map"
#define FEW_SHARE 4u  /* blocks that are looked at are at most one in so many */
#define MAX_LISTED 64 /* values of IN: of more, each block has some */

typedef struct rewriting {
  const rdx_zone_filter *z;
  const bool *known; /* columns that have zones */
  rdx_error *err;
} rewriting;

static const rdx_sql_type boolean = {.kind = RDX_SQL_BOOL};

/* ---- Conditions over bounds ---- */

/* The column below casts that keep its values, and so their order; NULL: there is none, or it has no zones. */
static const rdx_bound *zoned_column(const rewriting *r, const rdx_bound *e) {
  e = rdx_without_casts(e);
  return e->kind == RDX_BOUND_COLUMN && r->known[e->index] ? e : NULL;
}

static rdx_status make_call(const rewriting *r, rdx_op op, rdx_bound **args, uint32_t count, rdx_bound **out) {
  RDX_TRY(rdx_arena_alloc(r->z->arena, 1, sizeof **out, WHAT, (void **)out, r->err));
  **out = (rdx_bound){.kind = RDX_BOUND_CALL, .op = op, .type = boolean, .args = args, .count = count};
  return RDX_OK;
}

/* Two conditions, joined. */
static rdx_status make_pair(const rewriting *r, rdx_op op, rdx_bound *a, rdx_bound *b, rdx_bound **out) {
  rdx_bound **args = NULL;
  RDX_TRY(rdx_arena_alloc(r->z->arena, 2, sizeof(rdx_bound *), WHAT, (void **)&args, r->err));
  args[0] = a;
  args[1] = b;
  return make_call(r, op, args, 2, out);
}

/* The same casts of a bound of the column. */
static rdx_status bound_of(const rewriting *r, const rdx_bound *e, bool largest, rdx_bound **out) {
  RDX_TRY(rdx_arena_alloc(r->z->arena, 1, sizeof **out, WHAT, (void **)out, r->err));
  **out = *e;
  if (e->kind == RDX_BOUND_COLUMN) {
    (*out)->index = 2 * e->index + largest;
    return RDX_OK;
  }
  RDX_TRY(rdx_arena_alloc(r->z->arena, 1, sizeof(rdx_bound *), WHAT, (void **)&(*out)->args, r->err));
  return bound_of(r, e->args[0], largest, &(*out)->args[0]);
}

/* Whether the value may lie on this side of a block: smallest `op` value, or largest `op` value. */
static rdx_status compare_bound(const rewriting *r, const rdx_bound *column, rdx_op op, rdx_bound *value,
                                rdx_bound **out) {
  rdx_bound *bound = NULL;
  RDX_TRY(bound_of(r, column, op == RDX_OP_GT || op == RDX_OP_GE, &bound));
  return make_pair(r, op, bound, value, out);
}

static rdx_status within(const rewriting *r, const rdx_bound *column, rdx_bound *value, rdx_bound **out) {
  rdx_bound *above = NULL, *below = NULL;
  RDX_TRY(compare_bound(r, column, RDX_OP_LE, value, &above));
  RDX_TRY(compare_bound(r, column, RDX_OP_GE, value, &below));
  return make_pair(r, RDX_OP_AND, above, below, out);
}

static rdx_op mirrored(rdx_op op) {
  static const rdx_op mirror[] = {RDX_OP_EQ, RDX_OP_NE, RDX_OP_GT, RDX_OP_GE, RDX_OP_LT, RDX_OP_LE};
  return mirror[op - RDX_OP_EQ];
}

static rdx_status compare(const rewriting *r, const rdx_bound *e, rdx_bound **out) {
  const bool left = zoned_column(r, e->args[0]) != NULL;
  const rdx_bound *column = e->args[left ? 0 : 1];
  rdx_bound *value = e->args[left ? 1 : 0];
  const rdx_op op = left ? e->op : mirrored(e->op);
  if (e->op == RDX_OP_NE || !zoned_column(r, column) || rdx_bound_has(value, RDX_BOUND_COLUMN))
    return RDX_OK;
  return op == RDX_OP_EQ ? within(r, column, value, out) : compare_bound(r, column, op, value, out);
}

static rdx_status list(const rewriting *r, const rdx_bound *e, rdx_bound **out) {
  rdx_bound **args = NULL;
  if (!zoned_column(r, e->args[0]) || e->count > MAX_LISTED)
    return RDX_OK;
  RDX_TRY(rdx_arena_alloc(r->z->arena, e->count, sizeof(rdx_bound *), WHAT, (void **)&args, r->err));
  for (uint32_t i = 1; i < e->count; i++) {
    if (rdx_bound_has(e->args[i], RDX_BOUND_COLUMN))
      return RDX_OK;
    RDX_TRY(within(r, e->args[0], e->args[i], &args[i - 1]));
  }
  return make_call(r, RDX_OP_OR, args, e->count - 1, out);
}

/* `*out` stays NULL where nothing is known. */
static rdx_status rewrite(const rewriting *r, const rdx_bound *e, rdx_bound **out) {
  rdx_bound **args = NULL;
  uint32_t count = 0;
  if (e->kind != RDX_BOUND_CALL)
    return RDX_OK;
  if (e->op >= RDX_OP_EQ && e->op <= RDX_OP_GE)
    return compare(r, e, out);
  if (e->op == RDX_OP_IN)
    return list(r, e, out);
  if (e->op != RDX_OP_AND && e->op != RDX_OP_OR)
    return RDX_OK;
  RDX_TRY(rdx_arena_alloc(r->z->arena, e->count, sizeof(rdx_bound *), WHAT, (void **)&args, r->err));
  for (uint32_t i = 0; i < e->count; i++) {
    args[count] = NULL;
    RDX_TRY(rewrite(r, e->args[i], &args[count]));
    if (!args[count] && e->op == RDX_OP_OR)
      return RDX_OK;
    count += args[count] != NULL;
  }
  if (count == 1)
    *out = args[0];
  return count > 1 ? make_call(r, e->op, args, count, out) : RDX_OK;
}

/* ---- Blocks ---- */

/* The bounds of the columns that are marked, because the filter reads them; those that have some stay so. */
static rdx_status open_zones(const rdx_zone_filter *z, bool *known, rdx_input *inputs, bool *any, rdx_error *err) {
  *any = false;
  for (uint32_t i = 0; i < z->count; i++) {
    if (!known[i])
      continue;
    RDX_TRY(rdx_catalog_zones(z->catalog, z->table, z->columns[i], &inputs[2 * i].column, &inputs[2 * i + 1].column,
                              &known[i], err));
    *any |= known[i];
  }
  return RDX_OK;
}

static rdx_status find_true(const rdx_zone_filter *z, const rdx_input *inputs, const rdx_bound *condition,
                            uint32_t **blocks, uint64_t *count, bool *few, rdx_error *err) {
  const uint64_t all = (z->table->rows + RDX_CATALOG_BLOCK - 1) / RDX_CATALOG_BLOCK;
  const rdx_evaluation e = {
      .pool = z->pool, .inputs = inputs, .parameters = z->parameters, .rows = all, .text = z->text};
  RDX_SCOPED(rdx_free_local) uint32_t *found = NULL;
  rdx_error ignored; /* what fails here fails again where rows are evaluated */
  *count = 0;
  if (rdx_evaluate_filter(&e, condition, &found, count, &ignored) != RDX_OK)
    return RDX_OK;
  *few = *count <= all / FEW_SHARE;
  if (*few)
    RDX_TRY(rdx_arena_alloc(z->arena, *count, sizeof **blocks, WHAT, (void **)blocks, err));
  if (*few && *count > 0)
    memcpy(*blocks, found, *count * sizeof **blocks);
  return RDX_OK;
}

rdx_status rdx_zones_find(const rdx_zone_filter *z, uint32_t **blocks, uint64_t *count, bool *few, rdx_error *err) {
  rdx_input *inputs = NULL;
  rdx_bound *condition = NULL;
  bool *known = NULL, any = false;
  *few = false;
  if (!z->table->path || z->table->rows <= RDX_CATALOG_BLOCK)
    return RDX_OK;
  RDX_TRY(rdx_arena_alloc(z->arena, z->count, sizeof *known, WHAT, (void **)&known, err));
  RDX_TRY(rdx_arena_alloc(z->arena, 2 * (uint64_t)z->count, sizeof *inputs, WHAT, (void **)&inputs, err));
  memset(inputs, 0, 2 * (size_t)z->count * sizeof *inputs);
  memset(known, 0, z->count * sizeof *known);
  rdx_bound_mark_columns(z->filter, known);
  RDX_TRY(open_zones(z, known, inputs, &any, err));
  const rewriting r = {.z = z, .known = known, .err = err};
  if (any)
    RDX_TRY(rewrite(&r, z->filter, &condition));
  return condition ? find_true(z, inputs, condition, blocks, count, few, err) : RDX_OK;
}

uint64_t rdx_zones_rows(const rdx_catalog_table *table, const uint32_t *blocks, uint64_t count) {
  const uint64_t rest = table->rows % RDX_CATALOG_BLOCK;
  const bool last = count > 0 && rest > 0 && blocks[count - 1] == table->rows / RDX_CATALOG_BLOCK;
  return count * RDX_CATALOG_BLOCK - (last ? RDX_CATALOG_BLOCK - rest : 0);
}
