/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* Probes from the command line or a file, as columns that go with the keys. */

#include "cli/probes.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* ---- Values of the command line ---- */

/* The value in quotes that an error text of the CSV reader is about: after the place, which ends with "): ". */
static const char *culprit(char *text) {
  char *begin = strstr(text, "): '"), *end = begin ? strrchr(begin, '\'') : NULL;
  if (!end)
    return text;
  end[1] = '\0';
  return begin + 3;
}

/* Parse values by way of a CSV text with one column; `what` names them in errors. */
static rdx_status parse_values(const cli_literal *values, size_t count, const rdx_column *keys, cli_role role,
                               const char *what, rdx_table **out, rdx_error *err) {
  size_t size = 1;
  for (size_t i = 0; i < count; i++)
    size += 2 * values[i].length + CLI_LITERAL_CAPACITY;
  char *text = malloc(size), *to = text;
  if (!text)
    return console_error(err, RDX_ERROR_MEMORY, "host memory ran out");
  const rdx_csv_type type = cli_literal_type(keys);
  for (size_t i = 0; i < count; i++)
    to = cli_literal_write(&values[i], &type, role, to);
  const rdx_csv_params params = {.delimiter = ',', .header = RDX_SWITCH_OFF, .types = &type, .type_count = 1};
  rdx_error parse_err = {""};
  rdx_status status = rdx_table_parse_csv(what, text, (size_t)(to - text), &params, out, &parse_err);
  free(text);
  if (status == RDX_ERROR_FORMAT || status == RDX_ERROR_RANGE)
    return console_error(err, status, "%s: %s is no value for keys of type %s", what, culprit(parse_err.text),
                         rdx_type_name(keys->type));
  if (status != RDX_OK)
    *err = parse_err;
  return status;
}

/* ---- Values and keys that are text ---- */

/* Keys that the CSV reader took for strings, which others would not. */
typedef struct text_keys {
  const char *name;
  const rdx_choice *choice; /* NULL: keys have another type, or were given this one */
  bool ranges;
} text_keys;

/* Whether a value is more than text. */
static bool is_more(const cli_literal *literal) {
  rdx_error ignored;
  rdx_table *table = NULL;
  const rdx_csv_params params = {.delimiter = ',', .header = RDX_SWITCH_OFF};
  const rdx_csv_type text = {.type = RDX_TYPE_STRING};
  char *line = literal->open ? NULL : malloc(2 * literal->length + CLI_LITERAL_CAPACITY);
  bool more = false;
  if (line) {
    const char *end = cli_literal_write(literal, &text, CLI_POINT, line);
    if (rdx_table_parse_csv("", line, (size_t)(end - line), &params, &table, &ignored) == RDX_OK)
      more = rdx_table_column(table, 0)->type != RDX_TYPE_STRING || rdx_table_choice(table, 0)->doubtful;
  }
  rdx_table_destroy(&table);
  free(line);
  return more;
}

/* Ranges of texts are not those of numbers or dates; points among keys that are texts and others may be meant as such,
 * too. */
static bool is_doubtful(const text_keys *k) {
  return k->choice && (k->ranges || (k->choice->mixed && k->choice->instead != RDX_TYPE_STRING));
}

static rdx_status refuse_text(const text_keys *k, const char *what, const char *value, rdx_error *err) {
  return console_error(
      err, RDX_ERROR_ARGUMENT,
      "%s: '%.60s' would be compared as text, since key '%.60s' is string: %.400s; --type COLUMN=string is to "
      "say that this is meant",
      what, value, k->name, k->choice->why ? k->choice->why : "it has no values");
}

static rdx_status check_literal(const text_keys *k, const char *what, const cli_literal *values, size_t count,
                                rdx_error *err) {
  for (size_t i = 0; i < count && is_doubtful(k); i++)
    if (is_more(&values[i]))
      return refuse_text(k, what, values[i].text, err);
  return RDX_OK;
}

/* ---- Values of the command line ---- */

static rdx_status parse_points(const cli_probe_options *o, const rdx_column *keys, const text_keys *text, cli_probes *p,
                               rdx_error *err) {
  cli_literal *values = p->literals[0] = calloc(o->point_count, sizeof *values);
  if (!values)
    return console_error(err, RDX_ERROR_MEMORY, "host memory ran out");
  for (size_t i = 0; i < o->point_count; i++) {
    values[i] = (cli_literal){.text = o->points[i], .length = strlen(o->points[i])};
    if (values[i].length == 0 && keys->type != RDX_TYPE_STRING)
      return console_error(err, RDX_ERROR_FORMAT, "--point: an empty value is no %s", rdx_type_name(keys->type));
  }
  rdx_status status = check_literal(text, "--point", values, o->point_count, err);
  if (status == RDX_OK)
    status = parse_values(values, o->point_count, keys, CLI_POINT, "--point", &p->tables[0], err);
  if (status != RDX_OK)
    return status;
  p->lower = rdx_table_column(p->tables[0], 0);
  p->single = o->point_count == 1;
  return RDX_OK;
}

bool cli_is_range(const char *text) {
  return strstr(text, "..") && strlen(text) > 2;
}

/* Cut LO..HI in two; an absent end is open. */
static void cut_range(char *text, const rdx_column *keys, cli_literal *lower, cli_literal *upper) {
  char *dots = strstr(text, "..");
  *dots = '\0';
  *lower = *text ? (cli_literal){.text = text, .length = strlen(text)} : cli_literal_open(keys, CLI_LOWER);
  text = dots + 2;
  *upper = *text ? (cli_literal){.text = text, .length = strlen(text)} : cli_literal_open(keys, CLI_UPPER);
}

static rdx_status parse_ranges(const cli_probe_options *o, const rdx_column *keys, const text_keys *text, cli_probes *p,
                               rdx_error *err) {
  const size_t count = o->range_count;
  p->literals[0] = calloc(count, sizeof *p->literals[0]);
  p->literals[1] = calloc(count, sizeof *p->literals[1]);
  if (!p->literals[0] || !p->literals[1])
    return console_error(err, RDX_ERROR_MEMORY, "host memory ran out");
  for (size_t i = 0; i < count; i++)
    cut_range(o->ranges[i], keys, &p->literals[0][i], &p->literals[1][i]);
  rdx_status status = check_literal(text, "--range, lower bound", p->literals[0], count, err);
  if (status == RDX_OK)
    status = check_literal(text, "--range, upper bound", p->literals[1], count, err);
  if (status == RDX_OK)
    status = parse_values(p->literals[0], count, keys, CLI_LOWER, "--range, lower bound", &p->tables[0], err);
  if (status == RDX_OK)
    status = parse_values(p->literals[1], count, keys, CLI_UPPER, "--range, upper bound", &p->tables[1], err);
  if (status != RDX_OK)
    return status;
  p->lower = rdx_table_column(p->tables[0], 0);
  p->upper = rdx_table_column(p->tables[1], 0);
  p->single = count == 1;
  return RDX_OK;
}

/* ---- Files ---- */

static bool is_number(rdx_type type) {
  return (type >= RDX_TYPE_I8 && type <= RDX_TYPE_U64) || type == RDX_TYPE_DECIMAL;
}

/* What comes through a pipe can be read once. */
static bool is_pipe(const char *path) {
  struct stat info;
  return !cli_stream_path(path) || (stat(path, &info) == 0 && !S_ISREG(info.st_mode));
}

/* Probes of a file that are more than text, where the keys are text that is not meant to be. */
static rdx_status check_file(const cli_probe_options *o, const text_keys *k, const char *const *names, size_t count,
                             rdx_error *err) {
  rdx_table *table = NULL;
  rdx_csv_params params = o->csv;
  params.columns = names;
  params.column_count = count;
  if (!is_doubtful(k) || is_pipe(o->file))
    return RDX_OK;
  rdx_status status = rdx_table_read(o->file, &params, &table, err);
  for (uint32_t i = 0; status == RDX_OK && i < count; i++)
    if (rdx_table_column(table, i)->type != RDX_TYPE_STRING)
      status = refuse_text(k, o->file, names[i], err);
  rdx_table_destroy(&table);
  return status;
}

/* Read columns of the probe file. For keys that are numbers they may be any numbers, as inferred: what the keys cannot
 * be matches nothing. Where something else was inferred, and for other keys, they are read as the keys' type, which
 * gives an error with its line, or NULLs. */
static rdx_status read_file(const cli_probe_options *o, const rdx_column *keys, const text_keys *text,
                            const char *const *names, size_t count, cli_probes *p, rdx_error *err) {
  rdx_csv_type types[2];
  for (size_t i = 0; i < count; i++) {
    types[i] = is_number(keys->type) ? cli_literal_type(keys) : (rdx_csv_type){.type = keys->type};
    types[i].column = names[i];
  }
  rdx_csv_params params = o->csv;
  params.types = types;
  params.type_count = is_number(keys->type) ? 0 : count;
  params.columns = names;
  params.column_count = count;
  rdx_status status = check_file(o, text, names, count, err);
  if (status == RDX_OK)
    status = rdx_table_read(cli_stream_path(o->file), &params, &p->tables[0], err);
  if (status != RDX_OK)
    return status;
  rdx_csv_type misfits[2];
  size_t misfit_count = 0;
  for (size_t i = 0; i < count && params.type_count == 0; i++)
    if (!is_number(rdx_table_column(p->tables[0], (uint32_t)i)->type))
      misfits[misfit_count++] = types[i];
  if (misfit_count > 0 && is_pipe(o->file))
    return console_error(err, RDX_ERROR_FORMAT, "%s: column '%s' holds what are no values of type %s", o->file,
                         misfits[0].column, rdx_type_name(keys->type));
  if (misfit_count > 0) {
    rdx_table_destroy(&p->tables[0]);
    params.types = misfits;
    params.type_count = misfit_count;
    status = rdx_table_read(cli_stream_path(o->file), &params, &p->tables[0], err);
    if (status != RDX_OK)
      return status;
  }
  p->lower = rdx_table_column(p->tables[0], 0);
  p->lower_name = names[0];
  if (count > 1) {
    p->upper = rdx_table_column(p->tables[0], 1);
    p->upper_name = names[1];
  }
  return RDX_OK;
}

/* The only column of the file, where none is named as the key. The name is copied into `name`. */
static rdx_status choose_only_column(const cli_probe_options *o, const char *key_name, char name[256], rdx_error *err) {
  rdx_table *table = NULL;
  rdx_status status = rdx_table_read(cli_stream_path(o->file), &o->csv, &table, err);
  if (status != RDX_OK)
    return status;
  if (rdx_table_columns(table) == 1)
    snprintf(name, 256, "%s", rdx_table_column_name(table, 0));
  else
    status = console_error(err, RDX_ERROR_NOT_FOUND,
                           "%s has %u columns and none is named '%s': name the one to look up with --probe-column",
                           o->file, (unsigned)rdx_table_columns(table), key_name);
  rdx_table_destroy(&table);
  return status;
}

rdx_status cli_probes_create(const cli_probe_options *o, const rdx_column *keys, const char *key_name,
                             const rdx_choice *choice, cli_probes *out, rdx_error *err) {
  const bool chosen = choice && !choice->given && keys->type == RDX_TYPE_STRING;
  const text_keys text = {key_name, chosen ? choice : NULL, o->range_count > 0 || o->lower};
  *out = (cli_probes){.lower_name = key_name};
  if (o->point_count > 0)
    return parse_points(o, keys, &text, out, err);
  if (o->range_count > 0) {
    out->lower_name = "lower";
    out->upper_name = "upper";
    return parse_ranges(o, keys, &text, out, err);
  }
  if (o->lower) {
    const char *const names[2] = {o->lower, o->upper};
    return read_file(o, keys, &text, names, 2, out, err);
  }
  const char *names[1] = {o->column ? o->column : key_name};
  rdx_status status = read_file(o, keys, &text, names, 1, out, err);
  if (status != RDX_ERROR_NOT_FOUND || o->column)
    return status;
  if (is_pipe(o->file))
    return console_error(err, status, "%s has no column named '%s': name the one to look up with --probe-column",
                         o->file, key_name);
  static char name[256]; /* outlives the probes, which refer to it */
  names[0] = name;
  status = choose_only_column(o, key_name, name, err);
  return status == RDX_OK ? read_file(o, keys, &text, names, 1, out, err) : status;
}

void cli_probes_destroy(cli_probes *probes) {
  rdx_table_destroy(&probes->tables[0]);
  rdx_table_destroy(&probes->tables[1]);
  free(probes->literals[0]);
  free(probes->literals[1]);
  *probes = (cli_probes){0};
}

void cli_probes_write(FILE *stream, const cli_probes *p, uint64_t i) {
  const rdx_column *const columns[2] = {p->lower, p->upper};
  for (int end = 0; end < 2 && columns[end]; end++) {
    if (end > 0)
      fputc(',', stream);
    if (!p->literals[end])
      cli_write_value(stream, columns[end], i);
    else if (!p->literals[end][i].open)
      cli_write_text(stream, p->literals[end][i].text, p->literals[end][i].length);
  }
}
