/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* What all that is taken over from PostgreSQL's tree needs: places, names, types, refusals. */

#include "sql/tree.h"

rdx_sql_place rdx_tree_place(const rdx_tree *t, int32_t location) {
  if (location < 0 || t->placeless)
    return 0;
  return (rdx_sql_place)((size_t)(t->text->begin - t->text->text) + rdx_sql_text_offset(t->text, (size_t)location) + 1);
}

rdx_status rdx_tree_refuse(const rdx_tree *t, rdx_sql_place place, const char *what) {
  return rdx_sql_error(t->err, RDX_ERROR_UNSUPPORTED, t->text->text, place > 0 ? place : t->near,
                       rdx_refusal_hint(what), "%s", what);
}

rdx_status rdx_tree_refuse_if(const rdx_tree *t, bool refused, rdx_sql_place place, const char *what) {
  return refused ? rdx_tree_refuse(t, place, what) : RDX_OK;
}

rdx_status rdx_tree_enter(rdx_tree *t, rdx_sql_place place) {
  t->levels++;
  t->deepest = t->levels > t->deepest ? t->levels : t->deepest;
  return rdx_tree_refuse_if(t, t->levels > RDX_SQL_MAX_LEVELS, place, "the statement is nested too deeply");
}

rdx_status rdx_tree_alloc(const rdx_tree *t, size_t count, size_t size, void **out) {
  RDX_TRY(rdx_arena_alloc(t->arena, count, size, "a statement", out, t->err));
  memset(*out, 0, count * size);
  return RDX_OK;
}

rdx_status rdx_tree_copy(const rdx_tree *t, const char *text, const char **out) {
  return rdx_arena_text(t->arena, text, "a statement", out, t->err);
}

rdx_status rdx_tree_name(const rdx_tree *t, const char *parsed, const char **out) {
  *out = NULL;
  return parsed && parsed[0] ? rdx_sql_text_name(t->text, parsed, t->arena, out, t->err) : RDX_OK;
}

const char *rdx_tree_string(const rdx_tree_node *n) {
  return n && n->node_case == PG_QUERY__NODE__NODE_STRING ? n->string->sval : "";
}

rdx_status rdx_tree_names(const rdx_tree *t, size_t count, rdx_tree_node *const *strings, const char ***out,
                          uint32_t *out_count) {
  RDX_TRY(rdx_tree_alloc(t, count, sizeof **out, (void **)out));
  *out_count = (uint32_t)count;
  for (size_t i = 0; i < count; i++)
    RDX_TRY(rdx_sql_text_name(t->text, rdx_tree_string(strings[i]), t->arena, &(*out)[i], t->err));
  return RDX_OK;
}

rdx_status rdx_tree_last_name(const rdx_tree *t, size_t count, rdx_tree_node *const *strings, rdx_sql_place place,
                              const char **out) {
  const bool own = count == 2 && strcmp(rdx_tree_string(strings[0]), "pg_catalog") == 0;
  if (count == 0 || (count > 1 && !own))
    return rdx_tree_refuse(t, place, "schemas are not supported");
  return rdx_sql_text_name(t->text, rdx_tree_string(strings[count - 1]), t->arena, out, t->err);
}

/* ---- Types ---- */

#define FULL_RANGE 0x7fff /* an interval of no particular fields */

/* INTERVAL's fields are a set of bits, from the first of which to the last the fields go. */
static rdx_status take_fields(const rdx_tree *t, int32_t fields, rdx_tree_type *out) {
  static const struct {
    int32_t bits;
    const char *name;
  } names[] = {{1 << 2, "year"},
               {1 << 1, "month"},
               {1 << 3, "day"},
               {1 << 10, "hour"},
               {1 << 11, "minute"},
               {1 << 12, "second"},
               {1 << 2 | 1 << 1, "year to month"},
               {1 << 3 | 1 << 10, "day to hour"},
               {1 << 3 | 1 << 10 | 1 << 11, "day to minute"},
               {1 << 3 | 1 << 10 | 1 << 11 | 1 << 12, "day to second"},
               {1 << 10 | 1 << 11, "hour to minute"},
               {1 << 10 | 1 << 11 | 1 << 12, "hour to second"},
               {1 << 11 | 1 << 12, "minute to second"}};
  for (size_t i = 0; i < RDX_COUNT(names); i++)
    if (names[i].bits == fields)
      out->field = names[i].name;
  return rdx_tree_refuse_if(t, !out->field && fields != FULL_RANGE, out->place, "such an interval is not supported");
}

rdx_status rdx_tree_take_type(const rdx_tree *t, const PgQuery__TypeName *type, rdx_tree_type *out) {
  *out = (rdx_tree_type){.place = rdx_tree_place(t, type->location)};
  RDX_TRY(rdx_tree_refuse_if(t, type->n_array_bounds > 0 || type->setof || type->pct_type, out->place,
                             "arrays, sets and types of columns are not supported as types"));
  RDX_TRY(rdx_tree_last_name(t, type->n_names, type->names, out->place, &out->name));
  RDX_TRY(rdx_tree_refuse_if(t, type->n_typmods > 2, out->place, "a type has at most two modifiers"));
  for (size_t i = 0; i < type->n_typmods; i++) {
    const rdx_tree_node *n = type->typmods[i];
    if (n->node_case != PG_QUERY__NODE__NODE_A_CONST || n->a_const->val_case != PG_QUERY__A__CONST__VAL_IVAL)
      return rdx_tree_refuse(t, out->place, "modifiers of types are whole numbers");
    out->modifiers[out->modifier_count++] = n->a_const->ival->ival;
  }
  if (strcmp(out->name, "interval") != 0 || out->modifier_count == 0)
    return RDX_OK;
  RDX_TRY(take_fields(t, out->modifiers[0], out));
  out->modifiers[0] = out->modifiers[1];
  out->modifiers[1] = 0;
  out->modifier_count--;
  return RDX_OK;
}
