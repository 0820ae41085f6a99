/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* Files that commands read and write: their names, and the types of their columns. */

#include "cli/cli.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

/* ---- Names ---- */

const char *cli_stream_path(const char *path) {
  return path && strcmp(path, "-") == 0 ? NULL : path;
}

/* What the end of a name says of its format, without a dot; NULL: nothing, or that it is text and may be. */
static const char *format_of(const char *path, bool text) {
  static const struct {
    const char *ends, *format; /* text is the first */
  } formats[] = {{" csv tsv tab psv txt tbl ", "text"},
                 {" rdx ", "a table file of Raydex"},
                 {" parquet pq ", "Parquet"},
                 {" arrow arrows feather ipc ", "Arrow"},
                 {" orc ", "ORC"},
                 {" avro ", "Avro"},
                 {" json jsonl ndjson geojson ", "JSON"},
                 {" xml html ", "XML"},
                 {" xls xlsx xlsm xlsb ods ", "a spreadsheet"},
                 {" h5 hdf5 nc npy npz pkl rds sas7bdat dta sav ", "of another program"},
                 {" db sqlite sqlite3 duckdb sql mdb dbf ", "a database"},
                 {" gz bz2 xz zst lz4 br z zip 7z tar tgz ", "compressed"}};
  char word[32];
  const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path, *dot = strrchr(name, '.');
  if (!dot || dot == name || strlen(dot) > sizeof word - 3)
    return NULL;
  snprintf(word, sizeof word, " %s ", dot + 1);
  for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
    if (strcasestr(formats[i].ends, word))
      return (i == 0 && text) || (i == 1 && !text) ? NULL : formats[i].format;
  return NULL;
}

bool cli_is_parquet_name(const char *path) {
  const char *format = path ? format_of(path, true) : NULL;
  return format && strcmp(format, "Parquet") == 0;
}

/* What is written under a name that says something else is not found by what it says, and misleads other programs. */
static int check_format(const char *command, const char *path, bool text) {
  const char *format = format_of(path, text);
  if (!format)
    return 0;
  const char *end = text ? ".csv" : ".rdx";
  const size_t stem = (size_t)(strrchr(path, '.') - path);
  const bool ends = stem > 4 && strncmp(path + stem - 4, end, 4) == 0; /* as in a.rdx.gz */
  return console_usage(command, "%s: its name says that it is %s, but %s is written: name it %.*s%s", path, format,
                       text ? "text" : "a table file of Raydex", (int)stem, path, ends ? "" : end) +
         1;
}

/* Whether the files can be read, and none of them would be replaced. */
static int check_inputs(const char *command, const char *option, const char *path, const char *const *inputs,
                        size_t count) {
  size_t standard = 0;
  for (size_t i = 0; i < count; i++)
    standard += inputs[i] && !cli_stream_path(inputs[i]);
  if (standard > 1)
    return console_usage(command, "only one of the files can be -, the standard input") + 1;
  path = cli_stream_path(path);
  for (size_t i = 0; path && i < count; i++)
    if (inputs[i] && cli_stream_path(inputs[i]) && console_same_file(path, inputs[i]))
      return console_usage(command, "%s%s%s: it would replace %s", option ? option : "", option ? " " : "", path,
                           inputs[i]) +
             1;
  return 0;
}

static int check_place(const char *path, bool streams) {
  rdx_error err = {""};
  const rdx_status status = console_output_check(cli_stream_path(path), streams, &err);
  return status == RDX_OK ? 0 : console_fail(status, "%s", err.text) + 1;
}

int cli_check_output(const char *command, const char *option, const char *path, bool streams, const char *const *inputs,
                     size_t count) {
  int wrong = check_inputs(command, option, path, inputs, count);
  if (wrong == 0 && path && !cli_stream_path(path) && !streams)
    return console_usage(command, "a table file is no stream: name a file instead of -") + 1;
  if (wrong == 0 && cli_stream_path(path))
    wrong = check_format(command, path, streams);
  return wrong != 0 ? wrong : check_place(path, streams);
}

int cli_check_parquet(const char *command, const char *option, const char *path, const char *const *inputs,
                      size_t count) {
  const int wrong = check_inputs(command, option, path, inputs, count);
  return wrong != 0 ? wrong : check_place(path, false);
}

const char *cli_csv_option(const cli_common *o) {
  const rdx_csv_params *csv = &o->csv;
  return csv->delimiter                                ? "--delimiter"
         : csv->header == RDX_SWITCH_OFF               ? "--no-header"
         : csv->null_count > 0                         ? "--null"
         : csv->quote || csv->quotes == RDX_SWITCH_OFF ? "--quote"
         : csv->encoding != RDX_ENCODING_UTF8          ? "--encoding"
                                                       : NULL;
}

rdx_status cli_open_table(const char *path, const char *const *columns, uint32_t count, rdx_table **out,
                          rdx_error *err) {
  struct stat info;
  const char *name = cli_stream_path(path) ? path : "the standard input";
  path = cli_stream_path(path) ? path : "/dev/stdin";
  if (stat(path, &info) == 0 && !S_ISREG(info.st_mode) && !S_ISDIR(info.st_mode))
    return console_error(err, RDX_ERROR_FORMAT, "%s is no ordinary file: a table file cannot be read from a pipe",
                         name);
  return count > 0 ? rdx_table_open_columns(path, columns, count, out, err) : rdx_table_open(path, out, err);
}

/* ---- Types ---- */

const char *cli_type_text(rdx_type type, uint8_t scale, char out[CLI_TYPE_TEXT]) {
  snprintf(out, CLI_TYPE_TEXT, type == RDX_TYPE_DECIMAL ? "%s(%u)" : "%s", rdx_type_name(type), scale);
  return out;
}

/* ---- Reading ---- */

static void note_choice(const char *path, const rdx_table *table, uint32_t i, const char *type_option) {
  const rdx_choice *choice = rdx_table_choice(table, i);
  const rdx_column *c = rdx_table_column(table, i);
  char type[CLI_TYPE_TEXT];
  if (!choice || !choice->doubtful)
    return;
  const char *option = type_option ? strstr(choice->why, "; --type ") : NULL;
  const int before = option ? (int)(option - choice->why) + 2 : (int)strlen(choice->why);
  console_note("%s: column '%s' is %s: %.*s%s%s", path, rdx_table_column_name(table, i),
               cli_type_text(c->type, c->scale, type), before, choice->why, option ? type_option : "",
               option ? option + strlen("; --type") : "");
}

rdx_status cli_read(const char *path, const rdx_csv_params *params, const char *type_option, rdx_table **out,
                    rdx_error *err) {
  const rdx_status status = rdx_table_read(cli_stream_path(path), params, out, err);
  if (status != RDX_OK)
    return status;
  path = cli_stream_path(path) ? path : "the standard input";
  const char delimiter = rdx_table_delimiter(*out);
  if (delimiter && delimiter != ',' && !params->delimiter)
    console_note(delimiter == '\t' ? "%s: fields are separated by tabs" : "%s: fields are separated by '%c'", path,
                 delimiter);
  for (uint32_t i = 0; i < rdx_table_columns(*out); i++)
    note_choice(path, *out, i, type_option);
  return RDX_OK;
}

/* ---- Types ---- */

void cli_write_types(FILE *stream, const rdx_table *table, bool numbered) {
  char text[CLI_TYPE_TEXT], number[16];
  fputs("column,type\n", stream);
  for (uint32_t i = 0; i < rdx_table_columns(table); i++) {
    const rdx_column *c = rdx_table_column(table, i);
    const char *name = numbered ? number : rdx_table_column_name(table, i);
    snprintf(number, sizeof number, "%u", i + 1);
    cli_write_text(stream, name, strlen(name));
    fprintf(stream, ",%s\n", cli_type_text(c->type, c->scale, text));
  }
}

/* A string with a NUL behind it, at `*to`, which moves on. */
static char *copy_string(const rdx_column *c, uint64_t row, char **to) {
  uint64_t length;
  const char *text = rdx_column_string(c, row, &length);
  char *copy = *to;
  memcpy(copy, text, length);
  copy[length] = '\0';
  *to += length + 1;
  return copy;
}

static rdx_status take_types(const char *path, const rdx_table *table, cli_types *out, rdx_error *err) {
  const rdx_column *names = rdx_table_column(table, 0), *types = rdx_table_column(table, 1);
  const uint64_t rows = rdx_table_rows(table);
  uint64_t size = 2 * rows + 1;
  for (uint64_t i = 0; i < rows; i++) {
    uint64_t length;
    rdx_column_string(names, i, &length);
    size += length;
    rdx_column_string(types, i, &length);
    size += length;
  }
  out->types = calloc(rows + 1, sizeof *out->types);
  out->names = malloc(size);
  if (!out->types || !out->names)
    return console_error(err, RDX_ERROR_MEMORY, "host memory ran out");
  char *to = out->names;
  for (out->count = 0; out->count < rows; out->count++) {
    rdx_csv_type *type = &out->types[out->count];
    type->column = copy_string(names, out->count, &to);
    for (uint64_t i = 0; i < out->count; i++)
      if (strcmp(out->types[i].column, type->column) == 0)
        return console_error(err, RDX_ERROR_FORMAT, "%s names column '%s' twice", path, type->column);
    const char *wrong = cli_parse_type_name(copy_string(types, out->count, &to), type);
    if (wrong)
      return console_error(err, RDX_ERROR_FORMAT, "%s, column '%s': %s", path, type->column, wrong);
  }
  return RDX_OK;
}

rdx_status cli_read_types(const char *path, cli_types *out, rdx_error *err) {
  static const char *const columns[] = {"column", "type"};
  static const rdx_csv_type types[] = {{"column", RDX_TYPE_STRING, 0}, {"type", RDX_TYPE_STRING, 0}};
  const rdx_csv_params params = {
      .delimiter = ',', .types = types, .type_count = 2, .columns = columns, .column_count = 2};
  rdx_table *table = NULL;
  *out = (cli_types){0};
  rdx_status status = rdx_table_read_csv(cli_stream_path(path), &params, &table, err);
  if (status == RDX_OK)
    status = take_types(path, table, out, err);
  rdx_table_destroy(&table);
  return status;
}

void cli_drop_types(cli_types *types) {
  free(types->types);
  free(types->names);
  *types = (cli_types){0};
}
