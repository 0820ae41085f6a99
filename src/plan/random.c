/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* random() and TABLESAMPLE: a function of the numbers of the rows that a row is joined of, and of a number that is
 * another one for each call that is written and for each run. So it is no constant, and however often a plan evaluates
 * a call, its value for a row is one. Where rows have no such numbers it is refused. */

#include "plan/internal.h"

#include <stdatomic.h>
#include <string.h>

static rdx_status refuse(rdx_block *b, const rdx_ast *ast, const char *hint) {
  return rdx_planner_fail(b->planner, RDX_ERROR_UNSUPPORTED, ast->place, hint, "%s is not supported here",
                          strcmp(ast->name, "random") == 0 ? "random()" : "TABLESAMPLE");
}

/* A seed with the numbers of the rows of FROM in it. */
static rdx_status add_numbers(rdx_block *b, const rdx_ast *ast, rdx_bound **seed) {
  for (uint32_t i = 0; i < b->leaf_count; i++) {
    rdx_leaf *leaf = &b->leaves[i];
    rdx_bound *args[2] = {*seed, NULL};
    if (!leaf->alias || (b->scope && !(b->scope >> i & 1)))
      continue;
    if (!leaf->countable)
      return refuse(b, ast, "put what is in FROM in a query in FROM");
    leaf->numbered = true;
    RDX_TRY(rdx_bind_column(b->planner, rdx_leaf_column(i, leaf->column_count), (rdx_sql_type){.kind = RDX_SQL_BIGINT},
                            ast->place, &args[1]));
    RDX_TRY(rdx_bind_call_of(b->planner, "random seed", args, 2, ast->place, seed));
  }
  return RDX_OK;
}

/* Another one for each call and run, or that of REPEATABLE. */
static rdx_status bind_seed(rdx_block *b, const rdx_ast *ast, rdx_bound **out) {
  rdx_planner *p = b->planner;
  const rdx_datum first = {.i = (int64_t)(p->random * 0x9e3779b97f4a7c15u + ++p->randoms)};
  if (ast->count == 0)
    return rdx_bind_constant(&p->binding, (rdx_sql_type){.kind = RDX_SQL_BIGINT}, first, ast->place, out);
  RDX_TRY(rdx_bind(b, ast->args[0], out));
  return rdx_bind_call_of(p, "sample seed", out, 1, ast->place, out);
}

rdx_status rdx_bind_random(rdx_block *b, const rdx_ast *ast, rdx_bound **out) {
  rdx_planner *p = b->planner;
  rdx_bound *seed = NULL;
  if (!p->catalog || !p->settings->random)
    return refuse(b, ast, NULL);
  if (p->recursions > 0)
    return refuse(b, ast, "put it in the query that reads the recursive one");
  if (b->parent)
    return refuse(b, ast, "name the subquery in WITH, and read that");
  if (!p->plan->random)
    p->random = atomic_fetch_add(p->settings->random, 1);
  p->plan->random = true;
  RDX_TRY(bind_seed(b, ast, &seed));
  RDX_TRY(add_numbers(b, ast, &seed));
  return rdx_bind_call_of(p, "random of", &seed, 1, ast->place, out);
}
