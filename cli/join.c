/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* raydex join: match the rows of two files. */

#include "cli/cli.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

typedef struct join_options {
  const char *files[2]; /* left, right */
  char *on, *between;
  const char *left, *lower, *upper; /* columns; `upper` NULL: equal */
  const char *value;                /* column to sum, of the right file (--between: of the left) */
  cli_type_list types[2];
  rdx_join_params join;
  bool has_result;
  cli_common common;
} join_options;

static void print_help(void) {
  printf("Example: raydex join --left orders.csv --right customers.csv --on customer=id --return count\n\n"
         "Usage: raydex join --left FILE --right FILE ON --return WHAT [OPTION...]\n\n"
         "Match the rows of two table files (see raydex import) or CSV files, by an index over one of them.\n\n"
         "ON, one of:\n"
         "  --on COLUMN             equal values of the column of that name in both files\n"
         "  --on LEFT=RIGHT         equal values of the left and the right file's column\n"
         "  --between LEFT=LO..HI   left values that lie between the right file's columns LO and HI\n"
         "Names may stand in double quotes, and do with = or .. in them: --on '\"a=b\"'.\n\n"
         "Answers (--return), on the standard output:\n"
         "  pairs                   the rows that match, counted from 0, as CSV: left,right (semi, anti: left)\n"
         "  count                   their number\n"
         "  'sum(COLUMN)'           the sum of a column of the right file (--between: of the left) over the pairs;\n"
         "                          an empty line if there are none\n\n"
         "Options:\n"
         "  --kind KIND             inner, left (with left rows that match nothing), semi (left rows that match\n"
         "                          something), anti (left rows that match nothing) (inner)\n"
         "  --index-side SIDE       auto, left or right: which file's column gets the index (auto: the smaller);\n"
         "                          --on: left is not for sums of f32 and f64; --between: right sorts the\n"
         "                          ranges, and is not for sums\n"
         "  --sort-probes           sort the values that are looked up first\n"
         "  --left-type COLUMN=TYPE, --right-type COLUMN=TYPE\n"
         "                          the type of a column; see raydex lookup --help; may be repeated\n");
  cli_print_index_help();
}

/* ---- Options ---- */

enum { LEFT = CLI_OWN, RIGHT, ON, BETWEEN, RETURN, KIND, INDEX_SIDE, SORT_PROBES, LEFT_TYPE, RIGHT_TYPE };

static const int repeats[] = {LEFT_TYPE, RIGHT_TYPE, 0};

static const struct option options[] = {CLI_COMMON_OPTIONS,
                                        {"left", required_argument, NULL, LEFT},
                                        {"right", required_argument, NULL, RIGHT},
                                        {"on", required_argument, NULL, ON},
                                        {"between", required_argument, NULL, BETWEEN},
                                        {"return", required_argument, NULL, RETURN},
                                        {"kind", required_argument, NULL, KIND},
                                        {"index-side", required_argument, NULL, INDEX_SIDE},
                                        {"sort-probes", no_argument, NULL, SORT_PROBES},
                                        {"left-type", required_argument, NULL, LEFT_TYPE},
                                        {"right-type", required_argument, NULL, RIGHT_TYPE},
                                        {0}};

/* The place of `text` among `names`, which ends with NULL; -1 for none. */
static int find(const char *text, const char *const *names) {
  for (int i = 0; names[i]; i++)
    if (strcmp(text, names[i]) == 0)
      return i;
  return -1;
}

static const char *parse_return(char *text, join_options *o) {
  static const char *const names[] = {"pairs", "count", NULL};
  const int place = find(text, names);
  o->has_result = true;
  o->join.result = (rdx_join_result_kind)place;
  if (place >= 0)
    return NULL;
  const char *wrong = NULL;
  if (!cli_parse_sum(text, &o->value, &wrong))
    return "it is pairs, count or 'sum(COLUMN)'";
  o->join.result = RDX_JOIN_SUM;
  return wrong;
}

static const char *parse_on(char *text, join_options *o) {
  o->left = o->lower = cli_cut_name(&text, "=");
  if (o->left && text)
    o->lower = cli_cut_name(&text, "");
  return o->left && o->lower ? NULL : "it is COLUMN or LEFT=RIGHT";
}

static const char *parse_between(char *text, join_options *o) {
  o->left = cli_cut_name(&text, "=");
  o->lower = o->left && text ? cli_cut_name(&text, "..") : NULL;
  o->upper = o->lower && text ? cli_cut_name(&text, "") : NULL;
  return o->upper ? NULL : "it has the form LEFT=LO..HI, of columns";
}

static const char *take(int option, char *value, void *context) {
  static const char *const kinds[] = {"inner", "left", "semi", "anti", NULL};
  static const char *const sides[] = {"auto", "right", "left", NULL};
  join_options *o = context;
  int place = 0;
  switch (option) {
  case LEFT:
    o->files[0] = value;
    return NULL;
  case RIGHT:
    o->files[1] = value;
    return NULL;
  case ON:
    o->on = value;
    return parse_on(value, o);
  case BETWEEN:
    o->between = value;
    return parse_between(value, o);
  case RETURN:
    return parse_return(value, o);
  case KIND:
    place = find(value, kinds);
    o->join.kind = (rdx_join_kind)place;
    return place >= 0 ? NULL : "it is inner, left, semi or anti";
  case INDEX_SIDE:
    place = find(value, sides);
    o->join.mapping = (rdx_join_mapping)place;
    return place >= 0 ? NULL : "it is auto, left or right";
  case SORT_PROBES:
    o->join.sort_probes = true;
    return NULL;
  default:
    return cli_add_type(value, &o->types[option == RIGHT_TYPE]);
  }
}

/* An index over the other side cannot do these. */
static const char *check_side(const join_options *o) {
  const bool over_right = o->join.mapping == RDX_JOIN_MAPPING_DIRECT;
  const rdx_index_method method = o->common.index.method;
  if (o->value && o->join.kind > RDX_JOIN_LEFT)
    return "--return 'sum(COLUMN)' is for --kind inner and left: only these have pairs";
  if (o->value && o->between && over_right)
    return "--index-side right is not for sums of the left file's column: leave it out, or say left";
  if (o->between && over_right && method != RDX_INDEX_AUTO && method != RDX_INDEX_SORTED_ARRAY)
    return "--index-side right sorts the ranges of --between, which is --method sorted_array or auto";
  return NULL;
}

static const char *check(const join_options *o) {
  if (!o->files[0] || !o->files[1])
    return "--left FILE and --right FILE are needed";
  if (!o->on == !o->between)
    return "one of --on and --between is needed";
  if (!o->has_result)
    return "--return pairs|count|'sum(COLUMN)' is needed";
  return check_side(o);
}

static int parse(int argc, char **argv, join_options *o) {
  const int parsed = cli_parse(&(cli_command){"join", options, print_help, take, repeats}, argc, argv, o, &o->common);
  if (parsed != 0)
    return parsed;
  o->join.index = o->common.index;
  const char *wrong = check(o);
  return wrong ? console_usage("join", "%s", wrong) + 1
               : cli_check_output("join", "--out", o->common.out, true, o->files, 2);
}

/* ---- The answer ---- */

typedef struct job {
  const join_options *options;
  rdx_table *tables[2];
  rdx_device *device;
  rdx_join_result *join;
  rdx_join_view view;
  console_output out;
  bool begun; /* the header is written */
} job;

static void write_sum(FILE *stream, const rdx_join_view *v) {
  if (!v->sum_is_null)
    cli_write_sum(stream, v->sum_type, v->sum_scale, &v->sum_i64, &v->sum_u64, &v->sum_f64);
  fputc('\n', stream);
}

/* Not before there is an answer. */
static void write_header(job *j) {
  if (!j->begun)
    fputs(j->options->join.kind > RDX_JOIN_LEFT ? "left\n" : "left,right\n", j->out.stream);
  j->begun = true;
}

/* A part of the pairs. */
static bool write_pairs(void *user, const uint32_t *left_rows, const uint32_t *right_rows, uint64_t count) {
  job *j = user;
  FILE *stream = j->out.stream;
  write_header(j);
  for (uint64_t i = 0; i < count && !console_output_stopped(&j->out); i++) {
    fprintf(stream, "%" PRIu32, left_rows[i]);
    if (right_rows && right_rows[i] != RDX_NO_ROW)
      fprintf(stream, ",%" PRIu32, right_rows[i]);
    else if (right_rows)
      fputc(',', stream);
    fputc('\n', stream);
  }
  return console_output_stopped(&j->out);
}

static void write_answer(job *j) {
  if (j->view.result == RDX_JOIN_COUNT)
    fprintf(j->out.stream, "%" PRIu64 "\n", j->view.count);
  else if (j->view.result == RDX_JOIN_SUM)
    write_sum(j->out.stream, &j->view);
  else
    write_header(j);
}

static void print_stats(const job *j) {
  rdx_join_stats s;
  char resident[32], peak[32];
  rdx_join_result_get_stats(j->join, &s);
  console_note("device    %s", rdx_device_get_info(j->device)->name);
  console_note("method    %s over the %s side", rdx_index_method_name(s.index.method), s.inverse ? "left" : "right");
  console_note("keys      %" PRIu64 " of %" PRIu64 " row%s, type %s", s.index.keys, s.index.rows,
               console_s(s.index.rows), rdx_type_name(s.index.key_type));
  console_note("index     %s, %s at most during the build", console_bytes(s.index.bytes_resident, resident),
               console_bytes(s.index.bytes_peak, peak));
  console_note("join      %.3f ms: build %.3f, lookup %.3f of which search %.3f", s.total_ms, s.index.total_ms,
               s.lookup.total_ms, s.lookup.device_ms);
}

/* ---- The work ---- */

/* Read the columns that are needed of one file: one, two or three, none twice. */
static rdx_status read_side(job *j, int side, const char *const *names, size_t count, rdx_error *err) {
  const join_options *o = j->options;
  const char *columns[3];
  size_t used = 0;
  for (size_t i = 0; i < count; i++) {
    bool known = !names[i];
    for (size_t k = 0; k < used; k++)
      known |= names[i] && strcmp(names[i], columns[k]) == 0;
    if (!known)
      columns[used++] = names[i];
  }
  rdx_csv_params params = o->common.csv;
  params.types = o->types[side].list;
  params.type_count = o->types[side].count;
  params.columns = columns;
  params.column_count = used;
  return cli_read(o->files[side], &params, side ? "--right-type" : "--left-type", &j->tables[side], err);
}

/* Say which columns an error is about where types are the likely cause. */
static rdx_status name_columns(const join_options *o, const rdx_column *left, const rdx_column *right,
                               rdx_status status, rdx_error *err) {
  const rdx_error why = *err;
  if (status != RDX_OK && left && right && left->type != right->type)
    snprintf(err->text, sizeof err->text, "'%.100s' is %s and '%.100s' is %s: %.700s", o->left,
             rdx_type_name(left->type), o->lower, rdx_type_name(right->type), why.text);
  return status;
}

static rdx_status run_join(job *j, rdx_error *err) {
  const join_options *o = j->options;
  rdx_join_params params = o->join;
  if (params.result == RDX_JOIN_PAIRS) {
    params.each = write_pairs;
    params.each_user = j;
  }
  const rdx_column *left = NULL, *lower = NULL, *upper = NULL;
  rdx_status status = rdx_table_find(j->tables[0], o->left, &left, err);
  if (status == RDX_OK)
    status = rdx_table_find(j->tables[1], o->lower, &lower, err);
  if (status == RDX_OK && o->upper)
    status = rdx_table_find(j->tables[1], o->upper, &upper, err);
  if (status == RDX_OK && o->value)
    status = rdx_table_find(j->tables[o->upper ? 0 : 1], o->value, &params.values, err);
  if (status == RDX_OK)
    status = o->upper ? rdx_join_between(j->device, left, lower, upper, &params, &j->join, err)
                      : rdx_join_equal(j->device, left, lower, &params, &j->join, err);
  status = name_columns(o, left, lower, status, err);
  if (status == RDX_OK)
    status = rdx_join_result_view(j->join, &j->view, err);
  return status;
}

/* Pairs are written as they come. */
static rdx_status join_and_write(job *j, rdx_error *err) {
  const rdx_status status = run_join(j, err);
  if (status == RDX_OK)
    write_answer(j);
  return console_output_close(&j->out, status, err);
}

static rdx_status run(void *context, rdx_error *err) {
  job *j = context;
  const join_options *o = j->options;
  const char *left[] = {o->left, o->upper ? o->value : NULL};
  const char *right[] = {o->lower, o->upper, o->upper ? NULL : o->value};
  rdx_status status = rdx_device_open(o->common.device, &o->common.device_params, &j->device, err);
  if (status == RDX_OK)
    status = read_side(j, 0, left, 2, err);
  if (status == RDX_OK)
    status = read_side(j, 1, right, 3, err);
  if (status == RDX_OK)
    status = console_output_open(o->common.out, &j->out, err);
  if (status == RDX_OK)
    status = join_and_write(j, err);
  if (status == RDX_OK && o->common.stats)
    print_stats(j);
  return status;
}

int cli_join(int argc, char **argv) {
  static join_options o; /* large */
  o.common.device = "auto";
  const int parsed = parse(argc, argv, &o);
  job j = {.options = &o};
  const int exit_status = cli_run(parsed, run, &j);
  rdx_join_result_destroy(&j.join);
  rdx_table_destroy(&j.tables[0]);
  rdx_table_destroy(&j.tables[1]);
  rdx_device_close(&j.device);
  return exit_status;
}
