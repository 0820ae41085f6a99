/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* Expressions to trees of nodes. */

#include <string.h>

#include "expression/block.h"
#include "expression/casts.h"
#include "expression/functions.h"
#include "expression/lookups.h"

#define FILLED 64 /* constants that are kept as blocks */

typedef struct compiler {
  const rdx_evaluation *e;
  rdx_program *program;
  bool narrow;     /* DECIMALs in 64 bits, whatever their digits */
  bool has_wide;   /* there is one of more than 18 */
  bool impossible; /* a constant that is too large for that */
  uint32_t filled;
  rdx_day_range days;
  rdx_error *err;
} compiler;

static rdx_status compile(compiler *c, const rdx_bound *b, rdx_node **out);

static rdx_status alloc(compiler *c, uint64_t count, size_t size, void **out) {
  RDX_TRY(rdx_arena_alloc(&c->program->arena, count, size, "an expression", out, c->err));
  if (count > 0)
    memset(*out, 0, count * size);
  return RDX_OK;
}

static rdx_class class_of(compiler *c, rdx_sql_type type) {
  const rdx_class class = rdx_class_of(type);
  c->has_wide |= class == RDX_CLASS_WIDE;
  return c->narrow && class == RDX_CLASS_WIDE ? RDX_CLASS_I64 : class;
}

static rdx_status new_node(compiler *c, const rdx_bound *b, rdx_node **out) {
  RDX_TRY(alloc(c, 1, sizeof **out, (void **)out));
  **out = (rdx_node){.class = class_of(c, b->type), .type = b->type, .place = b->place, .bound = b};
  return RDX_OK;
}

/* ---- Leaves ---- */

/* Keep a block of a constant, unless there are many: those are filled in where they are used. */
static rdx_status fill(compiler *c, rdx_node *n) {
  const uint32_t rows = c->program->capacity;
  if (c->filled++ >= FILLED)
    return RDX_OK;
  RDX_TRY(alloc(c, rows, rdx_class_size(n->class), &n->table.data));
  for (uint32_t i = 0; i < rows; i++)
    rdx_put_value(&n->table, n->class, i, &n->value);
  if (!n->value.null)
    return RDX_OK;
  RDX_TRY(alloc(c, rows, 1, (void **)&n->table.nulls));
  memset(n->table.nulls, 1, rows);
  return RDX_OK;
}

/* A datum as a class keeps it. */
static rdx_datum kept_as(compiler *c, const rdx_node *n, const rdx_datum *value) {
  rdx_datum kept = *value;
  if (value->null) {
    kept = (rdx_datum){.null = true};
    if (n->class == RDX_CLASS_TEXT)
      kept.text = (rdx_sql_text){"", 0};
  } else if (rdx_class_of(n->type) == RDX_CLASS_WIDE && n->class == RDX_CLASS_I64) {
    kept.i = (int64_t)value->wide;
    c->impossible |= kept.i != value->wide;
  }
  return kept;
}

static rdx_status compile_constant(compiler *c, const rdx_bound *b, rdx_node **out) {
  RDX_TRY(new_node(c, b, out));
  const rdx_datum *value = b->kind == RDX_BOUND_PARAMETER ? &c->e->parameters[b->index] : &b->value;
  const rdx_datum null = {.null = true};
  (*out)->value = kept_as(c, *out, value->failed ? &null : value);
  (*out)->evaluate = value->failed ? rdx_evaluate_failure : rdx_evaluate_constant;
  (*out)->is_safe = !value->failed;
  return fill(c, *out);
}

/* ---- Calls ---- */

/* A node whose value is that of another as a type. */
static rdx_status convert(compiler *c, rdx_node *from, rdx_sql_type type, const rdx_bound *b, rdx_node **out) {
  rdx_node *n = NULL;
  RDX_TRY(new_node(c, b, &n));
  n->type = type;
  n->class = class_of(c, type);
  *out = from;
  if (rdx_cast_is_free(from, n))
    return RDX_OK;
  RDX_TRY(alloc(c, 1, sizeof *n->args, (void **)&n->args));
  n->args[0] = from;
  n->count = 1;
  n->kernel = rdx_cast_kernel(from, n);
  n->evaluate = rdx_evaluate_strict;
  *out = n;
  return RDX_OK;
}

/* A column may be kept otherwise than its type says: sums of many digits in 64 bits, intervals as texts. */
static rdx_status compile_column(compiler *c, const rdx_bound *b, rdx_node **out) {
  const rdx_input *input = &c->e->inputs[b->index];
  const rdx_sql_type kept = rdx_sql_type_of_column(&input->column);
  rdx_node *n = NULL;
  RDX_TRY(new_node(c, b, &n));
  n->input = input;
  n->evaluate = rdx_evaluate_column;
  n->is_safe = true;
  n->class = class_of(c, kept);
  *out = n;
  if (b->type.kind == RDX_SQL_UNKNOWN ||
      (kept.kind == b->type.kind && kept.scale == b->type.scale && n->class == class_of(c, b->type)))
    return RDX_OK;
  n->type = kept;
  return convert(c, n, b->type, b, out);
}

static rdx_status compile_args(compiler *c, const rdx_bound *b, rdx_node *n) {
  RDX_TRY(alloc(c, b->count, sizeof *n->args, (void **)&n->args));
  n->count = b->count;
  for (uint32_t i = 0; i < b->count; i++)
    RDX_TRY(compile(c, b->args[i], &n->args[i]));
  return RDX_OK;
}

/* Make arguments `from`, from + step, ... of a node, and the last, have one type. */
static rdx_status align(compiler *c, rdx_node *n, rdx_sql_type type, uint32_t from, uint32_t step) {
  for (uint32_t i = from; i < n->count; i += step)
    RDX_TRY(convert(c, n->args[i], type, n->args[i]->bound, &n->args[i]));
  return RDX_OK;
}

/* The type of all arguments together: DECIMALs may differ in their digits. */
static rdx_status align_all(compiler *c, rdx_node *n) {
  rdx_sql_type common = n->args[0]->bound->type;
  for (uint32_t i = 1; i < n->count; i++) {
    const rdx_sql_type pair[] = {common, n->args[i]->bound->type};
    if (!rdx_sql_common_type(pair, 2, &common))
      return rdx_fail(c->err, RDX_ERROR_INTERNAL, "operands of different types were bound together");
  }
  return align(c, n, common, 0, 1);
}

static rdx_status compile_comparison(compiler *c, rdx_node *n) {
  RDX_TRY(align_all(c, n));
  n->kernel = rdx_comparison_kernel(n->bound->op, n->args[0]->class);
  n->evaluate = n->bound->op == RDX_OP_DISTINCT ? rdx_evaluate_distinct : rdx_evaluate_strict;
  return RDX_OK;
}

/* Operands of + and so on have the scale of the result, but for those of *. */
static rdx_status compile_arithmetic(compiler *c, rdx_node *n) {
  if (n->type.kind == RDX_SQL_DECIMAL && n->bound->op != RDX_OP_MULTIPLY)
    RDX_TRY(align(c, n, n->type, 0, 1));
  for (uint32_t i = 0; n->class == RDX_CLASS_WIDE && i < n->count; i++) {
    const rdx_sql_type t = n->args[i]->type;
    const rdx_sql_type wide = rdx_decimal_type(RDX_DECIMAL_DIGITS, rdx_type_as_decimal(t).scale);
    RDX_TRY(convert(c, n->args[i], wide, n->args[i]->bound, &n->args[i]));
  }
  n->kernel = rdx_arithmetic_kernel(n);
  n->evaluate = rdx_evaluate_strict;
  return RDX_OK;
}

/* Constants of the list become a set, other values stay arguments. */
static rdx_status compile_in(compiler *c, rdx_node *n) {
  rdx_datum *values = NULL;
  rdx_value_set *set = NULL;
  uint32_t kept = 1, count = 0;
  RDX_TRY(alloc(c, n->count, sizeof *values, (void **)&values));
  for (uint32_t i = 1; i < n->count; i++) {
    rdx_node *arg = n->args[i];
    if (arg->evaluate != rdx_evaluate_constant) {
      n->args[kept++] = arg;
      continue;
    }
    n->has_null |= arg->value.null;
    if (!arg->value.null)
      values[count++] = arg->value;
  }
  n->count = kept;
  RDX_TRY(rdx_value_set_create(n->args[0]->class, values, count, &c->program->arena, &set, c->err));
  n->set = set;
  n->evaluate = rdx_evaluate_in;
  return RDX_OK;
}

static rdx_status compile_function(RDX_UNUSED compiler *c, rdx_node *n) {
  n->kernel = n->bound->function->kernel;
  n->evaluate = n->kernel ? rdx_evaluate_strict : rdx_evaluate_rows;
  return RDX_OK;
}

static rdx_status compile_choice(compiler *c, rdx_node *n) {
  switch (n->bound->op) {
  case RDX_OP_CASE:
    RDX_TRY(align(c, n, n->type, 1, 2));
    RDX_TRY(align(c, n, n->type, n->count - 1, 1));
    n->evaluate = rdx_evaluate_case;
    return RDX_OK;
  case RDX_OP_COALESCE:
    n->evaluate = rdx_evaluate_coalesce;
    break;
  default:
    n->evaluate = rdx_evaluate_extreme;
    break;
  }
  return align(c, n, n->type, 0, 1);
}

static rdx_status compile_op(compiler *c, rdx_node *n) {
  static const rdx_node_fn logic[] = {[RDX_OP_AND] = rdx_evaluate_and,
                                      [RDX_OP_OR] = rdx_evaluate_or,
                                      [RDX_OP_NOT] = rdx_evaluate_strict,
                                      [RDX_OP_IS_NULL] = rdx_evaluate_is_null,
                                      [RDX_OP_IS_TRUE] = rdx_evaluate_is_true};
  const rdx_op op = n->bound->op;
  if (op <= RDX_OP_IS_TRUE) {
    n->evaluate = logic[op];
    n->kernel = rdx_not_kernel;
    return RDX_OK;
  }
  if (op <= RDX_OP_DISTINCT)
    return compile_comparison(c, n);
  if (op >= RDX_OP_ADD && op <= RDX_OP_NEGATE)
    return compile_arithmetic(c, n);
  switch (op) {
  case RDX_OP_IN:
    RDX_TRY(align_all(c, n));
    return compile_in(c, n);
  case RDX_OP_LIKE:
  case RDX_OP_ILIKE:
    n->kernel = rdx_like_kernel;
    n->evaluate = rdx_evaluate_strict;
    return RDX_OK;
  case RDX_OP_FUNCTION:
    return compile_function(c, n);
  default:
    return compile_choice(c, n);
  }
}

/* Whether rows cannot fail where arguments do not. */
static bool keeps_safe(rdx_op op) {
  return op <= RDX_OP_IN || op == RDX_OP_CASE || op == RDX_OP_COALESCE || op == RDX_OP_GREATEST || op == RDX_OP_LEAST;
}

static rdx_status compile_call(compiler *c, const rdx_bound *b, rdx_node **out) {
  rdx_node *n = NULL, *arg = NULL;
  bool found = false;
  RDX_TRY(new_node(c, b, out));
  RDX_TRY(rdx_look_up(c->e, b, *out, &c->program->arena, &c->days, &found, c->err));
  if (found)
    return RDX_OK;
  if (b->op == RDX_OP_CAST) {
    RDX_TRY(compile(c, b->args[0], &arg));
    return convert(c, arg, b->type, b, out);
  }
  RDX_TRY(new_node(c, b, &n));
  RDX_TRY(compile_args(c, b, n));
  *out = n;
  RDX_TRY(compile_op(c, n));
  n->is_safe = keeps_safe(b->op);
  for (uint32_t i = 0; i < n->count; i++)
    n->is_safe &= n->args[i]->is_safe;
  return RDX_OK;
}

static rdx_status compile(compiler *c, const rdx_bound *b, rdx_node **out) {
  switch (b->kind) {
  case RDX_BOUND_CONSTANT:
  case RDX_BOUND_PARAMETER:
    return compile_constant(c, b, out);
  case RDX_BOUND_COLUMN:
    return compile_column(c, b, out);
  default:
    return compile_call(c, b, out);
  }
}

/* ---- Programs ---- */

/* The values of each argument, side by side. */
static rdx_status evaluate_all(rdx_worker *w, const rdx_node *n, const uint8_t *active, rdx_values *out) {
  *out = (rdx_values){0};
  RDX_TRY(rdx_scratch_take(&w->stack, n->count * sizeof *out, &out->data, &w->err));
  for (uint32_t i = 0; i < n->count; i++)
    RDX_TRY(n->args[i]->evaluate(w, n->args[i], active, (rdx_values *)out->data + i));
  return RDX_OK;
}

static rdx_status compile_all(compiler *c, rdx_bound *const *expressions, uint32_t count, rdx_node **out) {
  if (count == 1)
    return compile(c, expressions[0], out);
  RDX_TRY(alloc(c, 1, sizeof **out, (void **)out));
  RDX_TRY(alloc(c, count, sizeof *(*out)->args, (void **)&(*out)->args));
  (*out)->evaluate = evaluate_all;
  (*out)->count = count;
  for (uint32_t i = 0; i < count; i++)
    RDX_TRY(compile(c, expressions[i], &(*out)->args[i]));
  return RDX_OK;
}

rdx_status rdx_compile_all(const rdx_evaluation *e, rdx_bound *const *expressions, uint32_t count, rdx_program *out,
                           rdx_error *err) {
  compiler c = {.e = e, .program = out, .err = err};
  *out = (rdx_program){.e = e, .capacity = e->rows < RDX_BLOCK ? (uint32_t)e->rows : RDX_BLOCK};
  rdx_status status = compile_all(&c, expressions, count, &out->wide);
  if (status == RDX_OK && c.has_wide) {
    c.narrow = true;
    c.filled = 0;
    status = compile_all(&c, expressions, count, &out->narrow);
    if (c.impossible)
      out->narrow = NULL;
  } else {
    out->narrow = out->wide; /* no block is evaluated anew: nothing is too wide */
  }
  if (status != RDX_OK)
    rdx_program_free(out);
  return status;
}

rdx_status rdx_compile(const rdx_evaluation *e, const rdx_bound *expression, rdx_program *out, rdx_error *err) {
  rdx_bound *const one = (rdx_bound *)(uintptr_t)expression;
  return rdx_compile_all(e, &one, 1, out, err);
}

void rdx_program_free(rdx_program *program) {
  rdx_arena_free(&program->arena);
}
