/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* raydex ssb run, raydex ssb flatten */

#include "cli/ssb_run.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const char *const sum_names[] = {
    [SSB_DISCOUNTED] = "revenue", [SSB_REVENUE] = "revenue", [SSB_PROFIT] = "profit"};

/* "1.1,3.4" or "all" to which queries are meant; NULL or what is wrong. */
static const char *parse_queries(const char *text, bool wanted[SSB_QUERIES]) {
  const bool all = strcmp(text, "all") == 0;
  for (uint32_t q = 0; q < SSB_QUERIES; q++)
    wanted[q] = all;
  for (const char *at = text; !all; at++) {
    const size_t length = strcspn(at, ",");
    uint32_t q = 0;
    while (q < SSB_QUERIES && (strlen(ssb_queries[q].name) != length || strncmp(at, ssb_queries[q].name, length) != 0))
      q++;
    if (q == SSB_QUERIES)
      return "it is all, or names of queries such as 1.1,3.4";
    wanted[q] = true;
    at += length;
    if (*at == '\0')
      break;
  }
  return NULL;
}

static rdx_status parse_methods(const char *text, bool wanted[], rdx_error *err) {
  const bool all = strcmp(text, "all") == 0;
  for (uint32_t method = RDX_STAR_AUTO; method < RDX_STAR_METHODS; method++)
    wanted[method] = all && method != RDX_STAR_AUTO;
  for (const char *at = text; !all;) {
    char name[64];
    const size_t length = strcspn(at, ",");
    snprintf(name, sizeof name, "%.*s", (int)(length < 63 ? length : 63), at);
    rdx_star_method method = RDX_STAR_AUTO;
    const rdx_status status = rdx_star_method_from_name(name, &method, err);
    if (status != RDX_OK)
      return status;
    wanted[method] = true;
    if (at[length] == '\0')
      break;
    at += length + 1;
  }
  return RDX_OK;
}

typedef struct job {
  const cli_ssb_run_options *options;
  bool queries[SSB_QUERIES], methods[RDX_STAR_METHODS];
  rdx_star_params params[RDX_STAR_METHODS];
  ssb_star *star;
  rdx_device *device;
  console_output output;
  uint32_t wrong; /* answers that differ */
  int shown;      /* the method whose results are written; -1: none yet */
  bool warm;      /* the device has just worked */
  char doing[32]; /* what an error is of */
} job;

/* Options are those of one method. NULL or what is wrong. */
static const char *parse_options(job *j) {
  uint32_t count = 0, only = 0;
  for (uint32_t kind = RDX_STAR_AUTO; kind < RDX_STAR_METHODS; kind++) {
    j->params[kind].method = (rdx_star_method)kind;
    count += j->methods[kind];
    only = j->methods[kind] ? kind : only;
  }
  if (!j->options->options)
    return NULL;
  return count == 1 ? console_parse_star_options(j->options->options, &j->params[only])
                    : "options belong to one method; name it with --method";
}

/* The columns in the order of the query's SQL: the result has the sum last. */
static void write_result(FILE *out, const ssb_star *star, uint32_t q, const rdx_query_view *result) {
  const rdx_query *query = ssb_star_query(star, q);
  const rdx_relation *relation = ssb_star_relation(star);
  const uint32_t columns = result->column_count, first = ssb_queries[q].sum_first ? columns - 1 : 0;
  for (uint32_t i = 0; i < columns; i++) {
    const uint32_t c = (first + i) % columns;
    const bool is_sum = c == query->group_count;
    fprintf(out, "%s%s", i > 0 ? "," : "",
            is_sum ? sum_names[ssb_queries[q].aggregate] : relation->attributes[query->group_by[c]].name);
  }
  fputc('\n', out);
  for (uint64_t row = 0; row < result->rows; row++) {
    for (uint32_t i = 0; i < columns; i++) {
      if (i > 0)
        fputc(',', out);
      cli_write_value(out, &result->columns[(first + i) % columns], row);
    }
    fputc('\n', out);
  }
}

static rdx_status run_query(job *j, rdx_star_method method, rdx_star *star, uint32_t q, rdx_error *err) {
  const cli_ssb_run_options *o = j->options;
  ssb_timing t = {0};
  rdx_query_result *result = NULL;
  rdx_star_stats built;
  rdx_query_view found = {0};
  ssb_difference difference = {""};
  snprintf(j->doing, sizeof j->doing, "%s, Q%s: ", rdx_star_method_name(method), ssb_queries[q].name);
  const double warm_ms = j->warm ? SSB_WARM_MS : SSB_WARM_UP_MS;
  rdx_status status = ssb_star_run(j->star, q, star, warm_ms, o->runs, &t, &result, err);
  j->warm = true;
  if (status == RDX_OK)
    status = rdx_query_result_view(result, &found, err);
  if (status == RDX_OK && o->check)
    status = ssb_star_check(j->star, q, result, &difference, err);
  if (status == RDX_OK) {
    rdx_star_get_stats(star, &built);
    j->wrong += difference.text[0] != '\0';
    if ((int)built.method == j->shown || j->shown < 0) { /* of several methods, the first one's */
      j->shown = (int)built.method;
      uint32_t wanted = 0;
      for (uint32_t i = 0; i < SSB_QUERIES; i++)
        wanted += j->queries[i];
      if (wanted > 1)
        fprintf(j->output.stream, "-- Q%s\n", ssb_queries[q].name);
      write_result(j->output.stream, j->star, q, &found);
    }
    if (o->stats || o->check)
      console_note("Q%s %-12s %6" PRIu64 " row%s %10.4f ms (%.4f to %.4f) %10.4f on the device %10" PRIu64
                   " rays %10" PRIu64 " hits %10" PRIu64 " rows read %12" PRIu64 " bytes%s%s",
                   ssb_queries[q].name, rdx_star_method_name(t.stats.method), found.rows, console_s(found.rows),
                   t.total_ms, t.min_ms, t.max_ms, t.device_ms, t.stats.rays, t.stats.hits, t.stats.rows, t.stats.bytes,
                   !o->check            ? ""
                   : difference.text[0] ? "  WRONG: "
                                        : "  checked",
                   difference.text);
  }
  rdx_query_result_destroy(&result);
  return status;
}

static rdx_status run_method(job *j, rdx_star_method method, rdx_error *err) {
  const rdx_star_params params = j->params[method];
  rdx_star *star = NULL;
  rdx_query needed[SSB_QUERIES];
  uint32_t count = 0;
  snprintf(j->doing, sizeof j->doing, "%s: ", rdx_star_method_name(method));
  for (uint32_t q = 0; q < SSB_QUERIES; q++)
    if (j->queries[q])
      needed[count++] = *ssb_star_query(j->star, q);
  const rdx_relation *relation = j->options->flat ? ssb_star_flat(j->star) : ssb_star_relation(j->star);
  rdx_status status = rdx_star_create(j->device, relation, &params, &star, err);
  if (status == RDX_OK)
    status = rdx_star_prepare(star, needed, count, err);
  if (status == RDX_OK && j->options->stats) {
    rdx_star_stats s;
    char columns[32], cubes[32], peak[32];
    rdx_star_get_stats(star, &s);
    console_note("%s: %" PRIu64 " row%s, columns %s in %.0f ms, %u cube%s %s in %.0f ms, peak %s",
                 rdx_star_method_name(s.method), s.rows, console_s(s.rows), console_bytes(s.bytes_columns, columns),
                 s.encode_ms, s.cubes, console_s(s.cubes), console_bytes(s.bytes_cubes, cubes), s.build_ms,
                 console_bytes(s.bytes_peak, peak));
  }
  const rdx_device_info *info = rdx_device_get_info(j->device);
  j->warm = info->backend == RDX_BACKEND_CPU || info->emulated;
  for (uint32_t q = 0; q < SSB_QUERIES && status == RDX_OK && !console_interrupted(); q++)
    if (j->queries[q])
      status = run_query(j, method, star, q, err);
  if (status == RDX_OK)
    j->doing[0] = '\0';
  rdx_star_destroy(&star);
  return status;
}

static rdx_status run(job *j, rdx_error *err) {
  const cli_ssb_run_options *o = j->options;
  rdx_status status = rdx_device_open(o->device, &o->device_params, &j->device, err);
  if (status == RDX_OK)
    status = ssb_star_open(o->folder, &j->star, err);
  if (status == RDX_OK && o->flat)
    status = ssb_star_open_flat(j->star, o->flat, err);
  if (status == RDX_OK)
    status = console_output_open(cli_stream_path(o->out), &j->output, err);
  if (status != RDX_OK)
    return status;
  /* Now, so that no device waits for it. */
  for (uint32_t q = 0; q < SSB_QUERIES && o->check && status == RDX_OK && !console_interrupted(); q++) {
    uint64_t selected = 0, rows = 0;
    status = j->queries[q] ? ssb_star_count(j->star, q, &selected, &rows, err) : RDX_OK;
  }
  for (uint32_t kind = RDX_STAR_AUTO; kind < RDX_STAR_METHODS && status == RDX_OK && !console_interrupted(); kind++)
    if (j->methods[kind])
      status = run_method(j, (rdx_star_method)kind, err);
  if (status == RDX_OK)
    return console_output_finish(&j->output, err);
  console_output_discard(&j->output);
  return status;
}

/* Not over the tables that are read. */
static int check_output(const cli_ssb_run_options *o, bool streams) {
  char paths[SSB_TABLES][GENERATOR_PATH];
  const char *inputs[SSB_TABLES + 1] = {o->flat};
  for (ssb_table t = 0; t < SSB_TABLES; t++)
    if (ssb_table_path(o->folder, t, GENERATOR_TABLE_FILES, paths[t]))
      inputs[1 + t] = paths[t];
  return cli_check_output("ssb", "--out", o->out, streams, inputs, SSB_TABLES + 1);
}

int cli_ssb_run(const cli_ssb_run_options *o) {
  job j = {.options = o, .shown = -1};
  rdx_error err = {""};
  const char *wrong = parse_queries(o->queries ? o->queries : "all", j.queries);
  if (wrong)
    return console_usage("ssb", "--query %s: %s", o->queries, wrong);
  if (parse_methods(o->methods ? o->methods : "all", j.methods, &err) != RDX_OK)
    return console_usage("ssb", "--method: %s", err.text);
  wrong = parse_options(&j);
  if (wrong)
    return console_usage("ssb", "--options %s: %s", o->options, wrong);
  const int unfit = check_output(o, true);
  if (unfit != 0)
    return unfit - 1;
  const rdx_status status = run(&j, &err);
  ssb_star_close(&j.star);
  rdx_device_close(&j.device);
  if (status != RDX_OK)
    return console_fail(status, "%s%s", j.doing, err.text);
  if (j.wrong > 0)
    return console_fail(RDX_ERROR_INTERNAL, "%u answers differ from those of looking at every row", j.wrong);
  return EXIT_SUCCESS;
}

int cli_ssb_flatten(const cli_ssb_run_options *o) {
  char beside[4200]; /* ssb_star_open() refuses what is too long for a path */
  rdx_error err = {""};
  ssb_star *star = NULL;
  rdx_device *device = NULL;
  snprintf(beside, sizeof beside, "%s/lineorder_flat.rdx", o->folder);
  const int wrong = check_output(o, false);
  if (wrong != 0)
    return wrong - 1;
  rdx_status status = ssb_star_open(o->folder, &star, &err);
  if (status == RDX_OK)
    status = rdx_device_open(o->device, &o->device_params, &device, &err);
  if (status == RDX_OK)
    status = rdx_relation_flatten(device, ssb_star_relation(star), o->out ? o->out : beside, &err);
  ssb_star_close(&star);
  rdx_device_close(&device);
  return status == RDX_OK ? EXIT_SUCCESS : console_fail(status, "%s", err.text);
}
