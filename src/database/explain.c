/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* EXPLAIN: a plan as a tree of lines, or as JSON. */

#include <raydex/device.h>

#include <stdio.h>
#include <string.h>

#include "database/internal.h"
#include "plan/text.h"

typedef struct writer {
  const rdx_explanation *explanation;
  rdx_printed out;
  bool *written; /* shared nodes, by id */
} writer;

/* ---- What a node says ---- */

static const char *const join_names[] = {
    [RDX_PLAN_INNER] = "Inner Join",  [RDX_PLAN_LEFT] = "Left Join", [RDX_PLAN_FULL] = "Full Join",
    [RDX_PLAN_SEMI] = "Semi Join",    [RDX_PLAN_ANTI] = "Anti Join", [RDX_PLAN_ANTI_NULL] = "Anti Join",
    [RDX_PLAN_SINGLE] = "Single Join"};

static const char *const node_names[] = {
    [RDX_PLAN_TABLE] = "Scan",
    [RDX_PLAN_VALUES] = "Values",
    [RDX_PLAN_FILTER] = "Filter",
    [RDX_PLAN_PROJECT] = "Project",
    [RDX_PLAN_JOIN] = "Join",
    [RDX_PLAN_AGGREGATE] = "Aggregate",
    [RDX_PLAN_STAR] = "Star Query",
    [RDX_PLAN_SORT] = "Sort",
    [RDX_PLAN_LIMIT] = "Limit",
    [RDX_PLAN_UNION] = "Append",
    [RDX_PLAN_INTERSECT] = "Intersect",
    [RDX_PLAN_EXCEPT] = "Except",
    [RDX_PLAN_WINDOW] = "Window",
    [RDX_PLAN_ROWS] = "Number Rows",
    [RDX_PLAN_SERIES] = "Series",
    [RDX_PLAN_RECURSIVE] = "Recursive Union",
    [RDX_PLAN_WORKING] = "Working Table",
};

static const char *name_of(const rdx_plan_node *n) {
  if (n->kind == RDX_PLAN_JOIN)
    return n->key_count == 0 && n->join == RDX_PLAN_INNER && !n->filter ? "Cross Join" : join_names[n->join];
  if (n->kind == RDX_PLAN_AGGREGATE && n->aggregate_count == 0)
    return "Distinct";
  return node_names[n->kind];
}

/* The tables that a node reads by itself, "" for none. */
static void put_tables(const rdx_plan_node *n, char *out, size_t size) {
  out[0] = '\0';
  if (n->kind == RDX_PLAN_TABLE)
    snprintf(out, size, "%s", n->table->name);
  if (n->kind != RDX_PLAN_STAR)
    return;
  size_t used = (size_t)snprintf(out, size, "%s", n->star->fact->name);
  for (uint32_t i = 0; i < n->star->dimension_count && used < size; i++)
    used += (size_t)snprintf(out + used, size - used, ", %s", n->star->dimensions[i].table->name);
}

typedef struct property {
  const char *name;
  char *text;
} property;

#define MAX_PROPERTIES 8

typedef struct properties {
  property list[MAX_PROPERTIES];
  uint32_t count;
} properties;

static void add(writer *w, properties *p, const char *name, rdx_printed *text) {
  if (text->status != RDX_OK && w->out.status == RDX_OK)
    w->out.status = text->status;
  if (text->size > 0 && p->count < MAX_PROPERTIES) {
    p->list[p->count++] = (property){name, text->data};
    return;
  }
  rdx_free(text->data);
}

/* What a node's expressions read. */
static rdx_names_of names_of(const rdx_plan_node *n) {
  if (n->kind == RDX_PLAN_STAR || n->kind == RDX_PLAN_JOIN || n->kind == RDX_PLAN_TABLE)
    return (rdx_names_of){n, true};
  return (rdx_names_of){n->left, false};
}

static void add_word(writer *w, properties *p, const char *name, const char *word) {
  rdx_printed text = {.err = w->out.err};
  rdx_print(&text, "%s", word);
  add(w, p, name, &text);
}

static void add_expressions(writer *w, properties *p, const char *name, rdx_names_of names, rdx_bound *const *list,
                            uint32_t count) {
  rdx_printed text = {.err = w->out.err};
  for (uint32_t i = 0; i < count; i++) {
    rdx_print(&text, "%s", i > 0 ? ", " : "");
    rdx_bound_text(list[i], names, &text);
  }
  add(w, p, name, &text);
}

static void add_keys(writer *w, properties *p, const rdx_plan_node *n) {
  rdx_printed text = {.err = w->out.err};
  if (n->band_key) {
    const rdx_names_of key = {n->band_left ? n->left : n->right, false};
    const rdx_names_of bounds = {n->band_left ? n->right : n->left, false};
    rdx_bound_text(n->band_key, key, &text);
    rdx_print(&text, " BETWEEN ");
    rdx_bound_text(n->band_lower, bounds, &text);
    rdx_print(&text, " AND ");
    rdx_bound_text(n->band_upper, bounds, &text);
  }
  for (uint32_t i = 0; i < n->key_count; i++) {
    rdx_print(&text, "%s", i > 0 ? " AND " : "");
    rdx_bound_text(n->left_keys[i], (rdx_names_of){n->left, false}, &text);
    rdx_print(&text, " = ");
    rdx_bound_text(n->right_keys[i], (rdx_names_of){n->right, false}, &text);
  }
  add(w, p, "Join Condition", &text);
}

static void put_orderings(rdx_printed *text, const rdx_plan_node *n, const rdx_plan_ordering *list, uint32_t count) {
  for (uint32_t i = 0; i < count; i++) {
    rdx_print(text, i > 0 ? ", " : "ORDER BY ");
    rdx_bound_text(list[i].value, names_of(n), text);
    rdx_print(text, list[i].descending ? " DESC" : "");
  }
}

/* value, delimiter ORDER BY ...; fraction) WITHIN GROUP (ORDER BY value; what comes before a row that is not there */
static void put_ordered(rdx_printed *text, const rdx_plan_node *n, const rdx_plan_aggregate *a) {
  const bool texts = a->kind == RDX_PLAN_STRING_AGG,
             values = texts || a->kind == RDX_PLAN_FIRST || rdx_is_of_bits(a->kind) || rdx_is_hypothetical(a->kind);
  if (values)
    rdx_bound_text(a->value, names_of(n), text);
  rdx_print(text, texts ? ", " : a->kind == RDX_PLAN_FIRST && a->argument ? " OFFSET " : "");
  if (a->argument)
    rdx_bound_text(a->argument, names_of(n), text);
  rdx_print(text, !values ? ") WITHIN GROUP (" : a->order_count > 0 ? " " : "");
  put_orderings(text, n, a->orders, a->order_count);
}

static void add_aggregates(writer *w, properties *p, const rdx_plan_node *n) {
  rdx_printed text = {.err = w->out.err};
  for (uint32_t i = 0; i < n->aggregate_count; i++) {
    const rdx_plan_aggregate *a = &n->aggregates[i];
    rdx_print(&text, "%s%s(%s", i > 0 ? ", " : "", rdx_plan_aggregate_name(a), a->distinct ? "DISTINCT " : "");
    if (rdx_is_ordered(a))
      put_ordered(&text, n, a);
    else if (a->value)
      rdx_bound_text(a->value, names_of(n), &text);
    else
      rdx_print(&text, "*");
    rdx_print(&text, a->kind == RDX_PLAN_MOMENT ? ", " : "");
    if (a->kind == RDX_PLAN_MOMENT)
      rdx_bound_text(a->argument, names_of(n), &text);
    rdx_print(&text, ")");
  }
  add(w, p, "Aggregates", &text);
}

static void add_windows(writer *w, properties *p, const rdx_plan_node *n) {
  rdx_printed text = {.err = w->out.err};
  for (uint32_t i = 0; i < n->window_count; i++) {
    const rdx_plan_window *f = &n->windows[i];
    rdx_print(&text, "%s%s(", i > 0 ? ", " : "", f->name);
    if (f->value)
      rdx_bound_text(f->value, names_of(n), &text);
    const rdx_bound *const second = f->other ? f->other : f->number;
    rdx_print(&text, second && f->value ? ", " : "");
    if (second)
      rdx_bound_text(second, names_of(n), &text);
    rdx_print(&text, f->kind == RDX_WINDOW_COUNT && !f->value ? "*) OVER (" : ") OVER (");
    for (uint32_t k = 0; k < f->partition_count; k++) {
      rdx_print(&text, k > 0 ? ", " : "PARTITION BY ");
      rdx_bound_text(f->partition[k], names_of(n), &text);
    }
    rdx_print(&text, f->partition_count > 0 && f->order_count > 0 ? " " : "");
    put_orderings(&text, n, f->orders, f->order_count);
    rdx_print(&text, ")");
  }
  add(w, p, "Windows", &text);
  if (n->first_numbers > 0) {
    rdx_printed first = {.err = w->out.err};
    rdx_print(&first, "%llu", (unsigned long long)n->first_numbers);
    add(w, p, "First Numbers", &first);
  }
}

static void add_orders(writer *w, properties *p, const rdx_plan_node *n) {
  rdx_printed text = {.err = w->out.err};
  for (uint32_t i = 0; i < n->order_count; i++) {
    const rdx_plan_order *o = &n->orders[i];
    const char *name = n->columns[o->column].name;
    rdx_print(&text, "%s", i > 0 ? ", " : "");
    if (*name)
      rdx_print(&text, "%s", name);
    else
      rdx_print(&text, "%u", o->column + 1);
    rdx_print(&text, "%s%s", o->descending ? " DESC" : "",
              o->nulls_first == o->descending ? ""
              : o->nulls_first                ? " NULLS FIRST"
                                              : " NULLS LAST");
  }
  add(w, p, "Sort Key", &text);
}

static void list_properties(writer *w, const rdx_plan_node *n, properties *p) {
  if (n->kind == RDX_PLAN_JOIN)
    add_keys(w, p, n);
  if (n->filter)
    add_expressions(w, p, "Filter", names_of(n), &n->filter, 1);
  if (n->kind == RDX_PLAN_SERIES)
    add_expressions(w, p, "Bounds", n->left ? names_of(n) : (rdx_names_of){0}, n->exprs, n->expr_count);
  if (n->kind == RDX_PLAN_PROJECT)
    add_expressions(w, p, "Output", names_of(n), n->exprs, n->expr_count);
  if (n->kind == RDX_PLAN_AGGREGATE || n->kind == RDX_PLAN_STAR) {
    add_expressions(w, p, "Group Key", names_of(n), n->exprs, n->expr_count);
    add_aggregates(w, p, n);
  }
  if (n->index)
    add_word(w, p, "Index", n->index->name);
  if (n->view)
    add_word(w, p, "Cube", n->view->name);
  add_windows(w, p, n);
  add_orders(w, p, n);
  if (n->limit)
    add_expressions(w, p, n->ties ? "Limit with Ties" : "Limit", (rdx_names_of){0}, &n->limit, 1);
  if (n->offset)
    add_expressions(w, p, "Offset", (rdx_names_of){0}, &n->offset, 1);
}

static void free_properties(properties *p) {
  for (uint32_t i = 0; i < p->count; i++)
    rdx_free(p->list[i].text);
}

/* ---- Text ---- */

static void indent(writer *w, uint32_t level) {
  rdx_print(&w->out, "%*s", (int)(level * 6), "");
}

static const rdx_node_actuals *actuals_of(const writer *w, const rdx_plan_node *n) {
  const rdx_node_actuals *a = w->explanation->actuals ? &w->explanation->actuals[n->id] : NULL;
  return a && a->ran ? a : NULL;
}

static bool calls_device(const rdx_plan_node *n) {
  return n->kind == RDX_PLAN_STAR || n->kind == RDX_PLAN_JOIN || n->kind == RDX_PLAN_AGGREGATE ||
         (n->kind == RDX_PLAN_TABLE && n->filter);
}

static void indent_details(writer *w, uint32_t level) {
  rdx_print(&w->out, "%*s", (int)(level > 0 ? level * 6 + 4 : 0), "");
}

/* The method that ran, or that is expected to run; and the others. */
static const char *method_of(const rdx_plan_node *n, const rdx_node_actuals *a) {
  return a && *a->method ? a->method : n->method;
}

/* That worked, or that is expected to. */
static const char *device_of(const writer *w, const rdx_plan_node *n, const rdx_node_actuals *a) {
  const bool on_host = a && a->ran ? a->on_host : n->on_host;
  return on_host ? "cpu" : rdx_device_get_info(w->explanation->prepared->database->device)->name;
}

static void put_method(writer *w, const rdx_plan_node *n, const rdx_node_actuals *a, uint32_t level) {
  const char *method = method_of(n, a);
  if (!method)
    return;
  indent_details(w, level);
  rdx_print(&w->out, "  Method: %s", method);
  rdx_print(&w->out, n->method ? " (expected %.3f ms)\n" : "\n", n->own_ms);
  if (n->rejected_count == 0)
    return;
  indent_details(w, level);
  rdx_print(&w->out, "  Rejected:");
  for (uint32_t i = 0; i < n->rejected_count; i++) {
    const rdx_plan_method *r = &n->rejected[i];
    rdx_print(&w->out, "%s %s", i > 0 ? "," : "", r->name);
    if (r->reason)
      rdx_print(&w->out, ": %s", r->reason);
    else
      rdx_print(&w->out, " %.3f ms", r->ms);
  }
  rdx_print(&w->out, "\n");
}

static void put_details(writer *w, const rdx_plan_node *n, const rdx_node_actuals *a, uint32_t level) {
  properties p = {0};
  list_properties(w, n, &p);
  for (uint32_t i = 0; i < p.count; i++) {
    indent_details(w, level);
    rdx_print(&w->out, "  %s: %s\n", p.list[i].name, p.list[i].text);
  }
  free_properties(&p);
  if (calls_device(n)) {
    indent_details(w, level);
    rdx_print(&w->out, "  Device: %s\n", device_of(w, n, a));
  }
  put_method(w, n, a, level);
  if (!a)
    return;
  if (a->on_device) {
    indent_details(w, level);
    rdx_print(&w->out, "  Rows: on the device\n");
  }
  if (a->rays > 0) {
    indent_details(w, level);
    rdx_print(&w->out, "  Rays: %llu  Hits: %llu\n", (unsigned long long)a->rays, (unsigned long long)a->hits);
  }
  if (a->rows_read > 0 || a->bytes > 0) {
    indent_details(w, level);
    rdx_print(&w->out, "  Rows read: %llu  Bytes: %llu\n", (unsigned long long)a->rows_read,
              (unsigned long long)a->bytes);
  }
}

static void put_node(writer *w, const rdx_plan_node *n, uint32_t level) {
  const rdx_node_actuals *a = actuals_of(w, n);
  char tables[512];
  put_tables(n, tables, sizeof tables);
  indent(w, level);
  rdx_print(&w->out, "%s%s%s%s  (cost=%.3f rows=%.0f)", level > 0 ? "->  " : "", name_of(n), *tables ? " on " : "",
            tables, n->expected_ms, n->expected_rows);
  if (a)
    rdx_print(&w->out, " (actual time=%.3f rows=%llu)", a->ms, (unsigned long long)a->rows);
  if (n->shared && w->written[n->id]) {
    rdx_print(&w->out, " (as above)\n");
    return;
  }
  w->written[n->id] = true;
  rdx_print(&w->out, "\n");
  put_details(w, n, a, level);
  if (n->left)
    put_node(w, n->left, level + 1);
  if (n->right)
    put_node(w, n->right, level + 1);
}

static void put_text(writer *w) {
  const rdx_query_plan *plan = w->explanation->prepared->plan;
  put_node(w, plan->root, 0);
  for (uint32_t i = 0; i < plan->scalar_count; i++) {
    rdx_print(&w->out, "Subquery %u (returns $%u)\n", i + 1, plan->scalars[i].parameter + 1);
    put_node(w, plan->scalars[i].plan, 1);
  }
  rdx_print(&w->out, "Planning Time: %.3f ms\n", w->explanation->prepared->plan_ms);
  if (w->explanation->actuals)
    rdx_print(&w->out, "Execution Time: %.3f ms\n", w->explanation->execute_ms);
}

/* ---- JSON ---- */

static void put_string(writer *w, const char *text) {
  rdx_print(&w->out, "\"");
  for (; *text; text++) {
    const unsigned char c = (unsigned char)*text;
    if (c == '"' || c == '\\')
      rdx_print(&w->out, "\\%c", c);
    else if (c < 0x20)
      rdx_print(&w->out, "\\u%04x", c);
    else
      rdx_print(&w->out, "%c", c);
  }
  rdx_print(&w->out, "\"");
}

static void put_json_method(writer *w, const rdx_plan_node *n, const rdx_node_actuals *a) {
  const char *method = method_of(n, a);
  if (!method)
    return;
  rdx_print(&w->out, ", \"Method\": ");
  put_string(w, method);
  if (n->method)
    rdx_print(&w->out, ", \"Expected Time\": %.6f", n->own_ms);
  for (uint32_t i = 0; i < n->rejected_count; i++) {
    const rdx_plan_method *r = &n->rejected[i];
    rdx_print(&w->out, "%s{\"Method\": ", i > 0 ? ", " : ", \"Rejected\": [");
    put_string(w, r->name);
    if (r->reason) {
      rdx_print(&w->out, ", \"Reason\": ");
      put_string(w, r->reason);
    } else {
      rdx_print(&w->out, ", \"Expected Time\": %.6f", r->ms);
    }
    rdx_print(&w->out, "}");
  }
  rdx_print(&w->out, "%s", n->rejected_count > 0 ? "]" : "");
}

static void put_json_actuals(writer *w, const rdx_node_actuals *a) {
  if (!a)
    return;
  rdx_print(&w->out, ", \"Actual Time\": %.3f, \"Actual Rows\": %llu", a->ms, (unsigned long long)a->rows);
  rdx_print(&w->out, "%s", a->on_device ? ", \"Rows\": \"on the device\"" : "");
  rdx_print(&w->out, ", \"Rays\": %llu, \"Hits\": %llu, \"Rows read\": %llu, \"Bytes\": %llu",
            (unsigned long long)a->rays, (unsigned long long)a->hits, (unsigned long long)a->rows_read,
            (unsigned long long)a->bytes);
}

static void put_json_node(writer *w, const rdx_plan_node *n) {
  const rdx_plan_node *children[] = {n->left, n->right};
  char tables[512];
  properties p = {0};
  put_tables(n, tables, sizeof tables);
  rdx_print(&w->out, "{\"Node Type\": ");
  put_string(w, name_of(n));
  if (*tables) {
    rdx_print(&w->out, ", \"Relation Name\": ");
    put_string(w, tables);
  }
  rdx_print(&w->out, ", \"Total Cost\": %.6f, \"Plan Rows\": %.0f", n->expected_ms, n->expected_rows);
  list_properties(w, n, &p);
  for (uint32_t i = 0; i < p.count; i++) {
    rdx_print(&w->out, ", \"%s\": ", p.list[i].name);
    put_string(w, p.list[i].text);
  }
  free_properties(&p);
  if (calls_device(n)) {
    rdx_print(&w->out, ", \"Device\": ");
    put_string(w, device_of(w, n, actuals_of(w, n)));
  }
  put_json_method(w, n, actuals_of(w, n));
  put_json_actuals(w, actuals_of(w, n));
  for (uint32_t i = 0; i < 2 && children[i]; i++) {
    rdx_print(&w->out, "%s", i == 0 ? ", \"Plans\": [" : ", ");
    put_json_node(w, children[i]);
  }
  rdx_print(&w->out, "%s}", n->left ? "]" : "");
}

static void put_json(writer *w) {
  const rdx_query_plan *plan = w->explanation->prepared->plan;
  rdx_print(&w->out, "[{\"Plan\": ");
  put_json_node(w, plan->root);
  for (uint32_t i = 0; i < plan->scalar_count; i++) {
    rdx_print(&w->out, "%s{\"Returns\": \"$%u\", \"Plan\": ", i == 0 ? ", \"Subqueries\": [" : ", ",
              plan->scalars[i].parameter + 1);
    put_json_node(w, plan->scalars[i].plan);
    rdx_print(&w->out, "}");
  }
  rdx_print(&w->out, "%s, \"Planning Time\": %.3f", plan->scalar_count > 0 ? "]" : "",
            w->explanation->prepared->plan_ms);
  if (w->explanation->actuals)
    rdx_print(&w->out, ", \"Execution Time\": %.3f", w->explanation->execute_ms);
  rdx_print(&w->out, "}]\n");
}

/* Each line of the text is a row. */
static rdx_status make_table(writer *w, rdx_table **out) {
  char **lines = NULL;
  uint32_t count = 0;
  for (size_t i = 0; i < w->out.size; i++)
    count += w->out.data[i] == '\n';
  RDX_TRY(rdx_alloc(count, sizeof *lines, "EXPLAIN", (void **)&lines, w->out.err));
  char *at = w->out.data;
  for (uint32_t i = 0; i < count; i++) {
    lines[i] = at;
    at = strchr(at, '\n');
    *at++ = '\0';
  }
  const rdx_status status = rdx_lines_table("QUERY PLAN", lines, count, out, w->out.err);
  rdx_free(lines);
  return status;
}

rdx_status rdx_explain(const rdx_explanation *explanation, rdx_table **out, rdx_error *err) {
  writer w = {.explanation = explanation, .out = {.err = err}};
  w.out.status = rdx_calloc(explanation->prepared->plan->node_count, 1, "EXPLAIN", (void **)&w.written, err);
  if (explanation->json)
    put_json(&w);
  else
    put_text(&w);
  if (w.out.status == RDX_OK)
    w.out.status = make_table(&w, out);
  RDX_FREE_ALL(w.out.data, w.written);
  return w.out.status;
}
