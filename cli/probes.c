/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* Probes from the command line or a file, as columns that go with the keys. */

#include "cli/probes.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

static rdx_status fail(rdx_error *err, rdx_status status, const char *format, ...) RDX_PRINTF(3, 4);

static rdx_status fail(rdx_error *err, rdx_status status, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(err->text, sizeof err->text, format, arguments);
  va_end(arguments);
  return status;
}

static bool is_number(rdx_type type) {
  return (type >= RDX_TYPE_I8 && type <= RDX_TYPE_U64) || type == RDX_TYPE_DECIMAL;
}

/* ---- Values of the command line ---- */

/* A value, or the end of a range that was left open. */
typedef struct given {
  const char *text;
  size_t length;
  bool open, upper;
} given;

/* Text for an open end of a range: below or above all that a CSV file can hold of the type. */
static const char *open_end(rdx_type type, bool upper) {
  switch (type) {
  case RDX_TYPE_BOOL:
    return upper ? "true" : "false";
  case RDX_TYPE_U8:
  case RDX_TYPE_U16:
  case RDX_TYPE_U32:
  case RDX_TYPE_U64:
    return upper ? "18446744073709551615" : "0";
  case RDX_TYPE_F32:
  case RDX_TYPE_F64:
    return upper ? "nan" : "-inf";
  case RDX_TYPE_DATE:
    return upper ? "9999-12-31" : "0001-01-01";
  case RDX_TYPE_TIMESTAMP:
    return upper ? "9999-12-31 23:59:59.999999" : "0001-01-01 00:00:00";
  case RDX_TYPE_STRING: /* no UTF-8 text has a byte 0xff */
    return upper ? "\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff" : "";
  default:
    return upper ? "9223372036854775807" : "-9223372036854775808";
  }
}

/* The type to parse values as. Numbers may be wider than the keys: what the keys cannot be matches nothing. */
static rdx_csv_type type_of(const given *values, size_t count, rdx_type key_type) {
  rdx_csv_type type = {.column = "1", .type = key_type};
  if (key_type == RDX_TYPE_F32)
    type.type = RDX_TYPE_F64;
  if (!is_number(key_type))
    return type;
  bool negative = false;
  size_t digits = 0;
  for (size_t i = 0; i < count; i++) {
    const char *point = memchr(values[i].text, '.', values[i].length);
    const size_t after = point ? values[i].length - (size_t)(point + 1 - values[i].text) : 0;
    digits = after > digits ? after : digits;
    negative |= values[i].text[0] == '-';
  }
  type.type = digits > 0 ? RDX_TYPE_DECIMAL : negative ? RDX_TYPE_I64 : RDX_TYPE_U64;
  type.scale = (uint8_t)(digits > 18 ? 18 : digits);
  return type;
}

/* The value in quotes that an error text of the CSV reader is about: after the place, which ends with "): ". */
static const char *culprit(char *text) {
  char *begin = strstr(text, "): '"), *end = begin ? strrchr(begin, '\'') : NULL;
  if (!end)
    return text;
  end[1] = '\0';
  return begin + 3;
}

/* Parse values by way of a CSV text with one column; `what` names them in errors. */
static rdx_status parse_values(const given *values, size_t count, rdx_type key_type, const char *what, rdx_table **out,
                               rdx_error *err) {
  size_t size = 1;
  for (size_t i = 0; i < count; i++)
    size += 2 * values[i].length + 3;
  char *text = malloc(size), *to = text;
  if (!text)
    return fail(err, RDX_ERROR_MEMORY, "host memory ran out");
  for (size_t i = 0; i < count; i++) {
    *to++ = '"';
    for (size_t k = 0; k < values[i].length; k++) {
      if (values[i].text[k] == '"')
        *to++ = '"';
      *to++ = values[i].text[k];
    }
    *to++ = '"';
    *to++ = '\n';
  }
  const rdx_csv_type type = type_of(values, count, key_type);
  const rdx_csv_params params = {.no_header = true, .types = &type, .type_count = 1};
  rdx_error parse_err = {""};
  rdx_status status = rdx_table_parse_csv(what, text, (size_t)(to - text), &params, out, &parse_err);
  free(text);
  if (status == RDX_ERROR_FORMAT || status == RDX_ERROR_RANGE)
    return fail(err, status, "%s: %s is no value for keys of type %s", what, culprit(parse_err.text),
                rdx_type_name(key_type));
  if (status != RDX_OK)
    *err = parse_err;
  return status;
}

static rdx_status parse_points(const cli_probe_options *o, const rdx_column *keys, cli_probes *p, rdx_error *err) {
  given *values = calloc(o->point_count, sizeof *values);
  if (!values)
    return fail(err, RDX_ERROR_MEMORY, "host memory ran out");
  rdx_status status = RDX_OK;
  for (size_t i = 0; i < o->point_count && status == RDX_OK; i++) {
    values[i] = (given){.text = o->points[i], .length = strlen(o->points[i])};
    if (values[i].length == 0 && keys->type != RDX_TYPE_STRING)
      status = fail(err, RDX_ERROR_FORMAT, "--point: an empty value is no %s", rdx_type_name(keys->type));
  }
  if (status == RDX_OK)
    status = parse_values(values, o->point_count, keys->type, "--point", &p->tables[0], err);
  free(values);
  if (status != RDX_OK)
    return status;
  p->lower = rdx_table_column(p->tables[0], 0);
  p->single = o->point_count == 1;
  return RDX_OK;
}

/* Cut LO..HI; an absent end is open. */
static rdx_status cut_range(const char *text, rdx_type type, given *lower, given *upper, rdx_error *err) {
  const char *dots = strstr(text, "..");
  if (!dots || strlen(text) == 2)
    return fail(err, RDX_ERROR_FORMAT, "--range '%s': a range has the form LO..HI, LO.. or ..HI", text);
  *lower = (given){.text = text, .length = (size_t)(dots - text)};
  *upper = (given){.text = dots + 2, .length = strlen(dots + 2), .upper = true};
  given *const ends[2] = {lower, upper};
  for (int i = 0; i < 2; i++) {
    if (ends[i]->length == 0) {
      ends[i]->text = open_end(type, ends[i]->upper);
      ends[i]->length = strlen(ends[i]->text);
      ends[i]->open = true;
    }
  }
  return RDX_OK;
}

static rdx_status parse_ranges(const cli_probe_options *o, const rdx_column *keys, cli_probes *p, rdx_error *err) {
  given *lower = calloc(2 * o->range_count, sizeof *lower), *upper = lower + o->range_count;
  if (!lower)
    return fail(err, RDX_ERROR_MEMORY, "host memory ran out");
  rdx_status status = RDX_OK;
  for (size_t i = 0; i < o->range_count && status == RDX_OK; i++)
    status = cut_range(o->ranges[i], keys->type, &lower[i], &upper[i], err);
  if (status == RDX_OK)
    status = parse_values(lower, o->range_count, keys->type, "--range, lower bound", &p->tables[0], err);
  if (status == RDX_OK)
    status = parse_values(upper, o->range_count, keys->type, "--range, upper bound", &p->tables[1], err);
  free(lower);
  if (status != RDX_OK)
    return status;
  p->lower = rdx_table_column(p->tables[0], 0);
  p->upper = rdx_table_column(p->tables[1], 0);
  p->single = o->range_count == 1;
  return RDX_OK;
}

/* ---- Files ---- */

/* Read columns of the probe file. Numbers are inferred; everything else has the type of the keys. */
static rdx_status read_file(const cli_probe_options *o, const rdx_column *keys, const char *const *names, size_t count,
                            cli_probes *p, rdx_error *err) {
  rdx_csv_type types[2];
  for (size_t i = 0; i < count; i++)
    types[i] = (rdx_csv_type){.column = names[i], .type = keys->type};
  const rdx_csv_params params = {.delimiter = o->delimiter,
                                 .no_header = o->no_header,
                                 .types = types,
                                 .type_count = is_number(keys->type) ? 0 : count,
                                 .columns = names,
                                 .column_count = count};
  rdx_status status = rdx_table_read_csv(o->file, &params, &p->tables[0], err);
  if (status != RDX_OK)
    return status;
  p->lower = rdx_table_column(p->tables[0], 0);
  p->lower_name = names[0];
  if (count > 1) {
    p->upper = rdx_table_column(p->tables[0], 1);
    p->upper_name = names[1];
  }
  return RDX_OK;
}

/* The column of points: as asked for, else named as the key, else the only one. The name is copied into `name`. */
static rdx_status choose_column(const cli_probe_options *o, const char *key_name, char name[256], rdx_error *err) {
  if (o->column) {
    snprintf(name, 256, "%s", o->column);
    return RDX_OK;
  }
  rdx_table *table = NULL;
  const rdx_csv_params params = {.delimiter = o->delimiter, .no_header = o->no_header};
  rdx_status status = rdx_table_read_csv(o->file, &params, &table, err);
  if (status != RDX_OK)
    return status;
  const rdx_column *found = NULL;
  if (rdx_table_columns(table) == 1)
    snprintf(name, 256, "%s", rdx_table_column_name(table, 0));
  else if (rdx_table_find(table, key_name, &found, err) == RDX_OK)
    snprintf(name, 256, "%s", key_name);
  else
    status = fail(err, RDX_ERROR_NOT_FOUND,
                  "%s has %u columns and none is named '%s': name the one to look up with --probe-column", o->file,
                  (unsigned)rdx_table_columns(table), key_name);
  rdx_table_destroy(&table);
  return status;
}

rdx_status cli_probes_create(const cli_probe_options *o, const rdx_column *keys, const char *key_name, cli_probes *out,
                             rdx_error *err) {
  *out = (cli_probes){.lower_name = key_name};
  if (o->point_count > 0)
    return parse_points(o, keys, out, err);
  if (o->range_count > 0) {
    out->lower_name = "lower";
    out->upper_name = "upper";
    return parse_ranges(o, keys, out, err);
  }
  if (o->lower) {
    const char *const names[2] = {o->lower, o->upper};
    return read_file(o, keys, names, 2, out, err);
  }
  static char name[256]; /* outlives the probes, which refer to it */
  rdx_status status = choose_column(o, key_name, name, err);
  const char *const names[1] = {name};
  return status == RDX_OK ? read_file(o, keys, names, 1, out, err) : status;
}

void cli_probes_destroy(cli_probes *probes) {
  rdx_table_destroy(&probes->tables[0]);
  rdx_table_destroy(&probes->tables[1]);
  *probes = (cli_probes){0};
}
