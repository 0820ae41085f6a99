/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#ifndef CLI_H
#define CLI_H

/* The commands of the program, each with the arguments after its name; they return the exit status. */

#include <getopt.h>

#include "common/common.h"

int cli_devices(int argc, char **argv);
int cli_calibrate(int argc, char **argv);
int cli_lookup(int argc, char **argv);
int cli_join(int argc, char **argv);
int cli_scan(int argc, char **argv);
int cli_draw(int argc, char **argv);
int cli_import(int argc, char **argv);
int cli_export(int argc, char **argv);
int cli_table(int argc, char **argv);
int cli_ssb(int argc, char **argv);
int cli_tpch(int argc, char **argv);
int cli_shell(int argc, char **argv);

/* ---- Options (options.c) ---- */

#define CLI_MAX_NULLS 64

/* Options that commands on data share. */
typedef struct cli_common {
  const char *device;
  rdx_device_params device_params;
  bool scans; /* set by the command: its methods are those of scans */
  rdx_index_params index;
  rdx_scan_params scan;
  const char *method_options;
  rdx_csv_params csv; /* without types and columns */
  const char *nulls[CLI_MAX_NULLS];
  const char *out; /* NULL: the standard output */
  bool stats;
  uint32_t word_count;           /* set by the command: words that it takes besides options */
  const char *const *word_names; /* as in "FILE.csv is needed" */
  const char *words[2];
} cli_common;

enum {
  CLI_METHOD = 1,
  CLI_METHOD_OPTIONS,
  CLI_DEVICE,
  CLI_THREADS,
  CLI_MEMORY_LIMIT,
  CLI_DELIMITER,
  CLI_NO_HEADER,
  CLI_NULL,
  CLI_QUOTE,
  CLI_ENCODING,
  CLI_OUT,
  CLI_STATS,
  CLI_VALIDATION,
  CLI_HELP,
  CLI_OWN, /* of a command itself, from here on */
};

/* How CSV is read. */
#define CLI_CSV_OPTIONS                                                                                                \
  {"delimiter", required_argument, NULL, CLI_DELIMITER}, {"no-header", no_argument, NULL, CLI_NO_HEADER},              \
      {"null", required_argument, NULL, CLI_NULL}, {"quote", required_argument, NULL, CLI_QUOTE}, {                    \
    "encoding", required_argument, NULL, CLI_ENCODING                                                                  \
  }

/* The options of commands on data; a command's own have numbers from CLI_OWN on. */
#define CLI_COMMON_OPTIONS                                                                                             \
  {"method", required_argument, NULL, CLI_METHOD}, {"options", required_argument, NULL, CLI_METHOD_OPTIONS},           \
      {"device", required_argument, NULL, CLI_DEVICE}, {"threads", required_argument, NULL, CLI_THREADS},              \
      {"memory-limit", required_argument, NULL, CLI_MEMORY_LIMIT}, CLI_CSV_OPTIONS,                                    \
      {"out", required_argument, NULL, CLI_OUT}, {"stats", no_argument, NULL, CLI_STATS},                              \
      {"validation", no_argument, NULL, CLI_VALIDATION}, {                                                             \
    "help", no_argument, NULL, CLI_HELP                                                                                \
  }

/* What --help says of the methods of indexes and of the options above; --help of a command on indexes ends with the
 * options of methods. */
void cli_print_index_help(void);
void cli_print_common_help(void);
void cli_print_csv_help(void);

/* A command: `take` gets each option of its own and its value, and returns NULL or what is wrong. */
typedef struct cli_command {
  const char *name;
  const struct option *options;
  void (*help)(void);
  const char *(*take)(int option, char *value, void *context);
  const int *repeats; /* options of its own that may be given with several values, 0 behind them; NULL: none */
} cli_command;

/* Parse a command line. 0 to go on, else the exit status plus one. */
int cli_parse(const cli_command *command, int argc, char **argv, void *context, cli_common *common);

/* What a command returns: what `parsed` says, or else how `run` ends. */
int cli_run(int parsed, rdx_status (*run)(void *job, rdx_error *err), void *job);

/* The parts of it, for a command that parses its line itself: take one of the options above; NULL or what is wrong. */
const char *cli_take_common(int option, char *value, cli_common *common);

/* Whether what was said of CSV fits together. 0 to go on, else the exit status plus one. */
int cli_check_csv(const char *command, const cli_common *common);

/* ---- Files (files.c) ---- */

/* "-" is the standard input or output: the path for the library, which is NULL for these. */
const char *cli_stream_path(const char *path);

/* Before the work: whether the command can read all of the `count` files (NULL among them: none), of which only one can
 * be the standard input, and can write `path`, the value of `option` (NULL: none): it is none of these, and its name
 * does not say another format than it gets. That is text where the command `streams`, since it could go to the standard
 * output, too, else a table file. 0 to go on, else the exit status plus one. */
int cli_check_output(const char *command, const char *option, const char *path, bool streams, const char *const *inputs,
                     size_t count);

/* The same where the file is Parquet, as the name says. */
int cli_check_parquet(const char *command, const char *option, const char *path, const char *const *inputs,
                      size_t count);

/* Whether a name says that a file is Parquet. NULL is no such name. */
bool cli_is_parquet_name(const char *path);

/* An option that was given and is for CSV only; NULL: none. */
const char *cli_csv_option(const cli_common *common);

/* Open a table file, or `count` of its columns (0: all). One in a pipe is refused for what it is. */
RDX_MUST_USE rdx_status cli_open_table(const char *path, const char *const *columns, uint32_t count, rdx_table **out,
                                       rdx_error *err);

/* Types of columns as CSV, "column,type": what raydex table prints begins so, too. */
void cli_write_types(FILE *stream, const rdx_table *table, bool numbered);

/* Read them, for rdx_csv_params; free with cli_drop_types(), also on failure. */
typedef struct cli_types {
  rdx_csv_type *types;
  size_t count;
  char *names;
} cli_types;
RDX_MUST_USE rdx_status cli_read_types(const char *path, cli_types *out, rdx_error *err);
void cli_drop_types(cli_types *types);

/* Read a table file or CSV, and tell of the types of its columns, on stderr, where one might expect others, and of what
 * separates its fields where nobody said. `type_option` (NULL: --type) is the option that gives types. */
RDX_MUST_USE rdx_status cli_read(const char *path, const rdx_csv_params *params, const char *type_option,
                                 rdx_table **out, rdx_error *err);

/* "decimal(2)" */
#define CLI_TYPE_TEXT 32
const char *cli_type_text(rdx_type type, uint8_t scale, char out[CLI_TYPE_TEXT]);

/* ---- Texts of options ---- */

/* Parse "COLUMN=TYPE", TYPE such as i32 or decimal(2); NULL or what is wrong. `*out` points into `text`, which is
 * cut. */
const char *cli_parse_type(char *text, rdx_csv_type *out);

/* The same of an option that may be repeated. */
#define CLI_MAX_TYPES 256
typedef struct cli_type_list {
  rdx_csv_type list[CLI_MAX_TYPES];
  size_t count;
} cli_type_list;
const char *cli_add_type(char *text, cli_type_list *out);

/* Parse a type alone. `text` is cut. */
const char *cli_parse_type_name(char *text, rdx_csv_type *out);

/* Names of columns, "A,B,C". */
#define CLI_MAX_COLUMNS 4096
typedef struct cli_columns {
  const char *names[CLI_MAX_COLUMNS];
  uint32_t count;
} cli_columns;

/* The name at `*at`, which is cut off there: up to `end` ("": all), or between double quotes as in SQL, where two stand
 * for one. `*at` becomes what follows `end`, or NULL where that is not there. NULL: the quotes are wrong. */
char *cli_cut_name(char **at, const char *end);

/* The whole of a text as a name, which may be in double quotes; NULL or what is wrong. */
const char *cli_parse_name(char *text, const char **out);

/* The same of "sum(NAME)"; false: it has another form. `*wrong` is NULL or what is wrong with the name. */
bool cli_parse_sum(char *text, const char **out, const char **wrong);

/* Cut `text` into names and add them; NULL or what is wrong. */
const char *cli_parse_columns(char *text, cli_columns *out);

/* ---- Values to text (values.c) ---- */

/* Write row `row` of a host column as a CSV field; nothing for NULL. */
void cli_write_value(FILE *stream, const rdx_column *column, uint64_t row);

/* Write a sum: that of its type (RDX_TYPE_F64, RDX_TYPE_U64, else i64). */
void cli_write_sum(FILE *stream, rdx_type type, uint8_t scale, const int64_t *i64, const uint64_t *u64,
                   const double *f64);

/* Write `length` bytes as a CSV field, in quotes where needed. */
void cli_write_text(FILE *stream, const char *text, size_t length);

#endif
