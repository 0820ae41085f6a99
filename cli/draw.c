/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* raydex draw */

#include "cli/draw.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/probes.h"

#define MAX_ROWS 4096

typedef enum draw_kind { DRAW_INDEX, DRAW_SCAN, DRAW_CUBE } draw_kind;

typedef struct draw_options {
  draw_kind kind;
  rdx_index_params index;
  rdx_scan_params scan;
  uint64_t rows;
  const char *data, *key, *where, *group, *sum, *method_options;
  char *point, *range;
  cli_common common;
} draw_options;

static void print_help(void) {
  printf(
      "Example: raydex draw rx --keys 32 --range 5..9 --out rx.svg\n\n"
      "Usage: raydex draw METHOD [--keys N | --data FILE] QUERY [OPTION...]\n\n"
      "Draw what a method makes of a few rows: its primitives where they stand in the scene, the rays of one query,\n"
      "and what they hit. Each axis has a scale of its own. The CPU builds and traces what is drawn.\n\n"
      "Methods:\n"
      "  rx, rx_optimized, cgrx, cgrx_naive, cgrx_updatable   indexes; queries: --point, --range\n"
      "  rtindex, rtc1, rtc3, rtscan     scans; queries: --where\n"
      "  rt_cube, coarse_cube            cubes; queries: --where\n\n"
      "Queries:\n"
      "  --point VALUE           rows whose key is VALUE\n"
      "  --range LO..HI          rows with LO <= key <= HI; LO.. and ..HI are open\n"
      "  --where CONDITION       SQL, as it stands after WHERE; its columns make the space\n\n"
      "Rows:\n"
      "  --keys N                N rows, at most %d (32): key is 0 to N - 1; a, b and c are random below N, g below 3\n"
      "                          and m below 10, always the same\n"
      "  --data FILE             a table file or CSV file instead\n"
      "  --key COLUMN            the column that indexes are over (key)\n"
      "  --group COLUMN          of cubes: what rows are grouped by (g)\n"
      "  --sum COLUMN            of cubes: what is added up (m)\n\n"
      "Options:\n"
      "  --options NAME=VALUE[,...]   options of the method, see raydex lookup --help and raydex scan --help. Here\n"
      "                          rtscan has 3 bit vectors without planes, groups of 3 columns, and a box for each row\n"
      "  --out FILE              write to FILE, which appears when it is complete, instead of the standard output\n\n",
      MAX_ROWS);
  cli_print_csv_help();
}

/* ---- Options ---- */

enum { KEYS = CLI_OWN, DATA, KEY, POINT, RANGE, WHERE, GROUP, SUM, OPTIONS };

static const struct option options[] = {{"keys", required_argument, NULL, KEYS},
                                        {"data", required_argument, NULL, DATA},
                                        {"key", required_argument, NULL, KEY},
                                        {"point", required_argument, NULL, POINT},
                                        {"range", required_argument, NULL, RANGE},
                                        {"where", required_argument, NULL, WHERE},
                                        {"group", required_argument, NULL, GROUP},
                                        {"sum", required_argument, NULL, SUM},
                                        {"options", required_argument, NULL, OPTIONS},
                                        {"out", required_argument, NULL, CLI_OUT},
                                        CLI_CSV_OPTIONS,
                                        {"help", no_argument, NULL, CLI_HELP},
                                        {0}};

static const char *take(int option, char *value, void *context) {
  draw_options *o = context;
  switch (option) {
  case KEYS:
    return console_parse_u64(value, 1, MAX_ROWS, &o->rows) ? NULL : "it is a number from 1 to 4096";
  case DATA:
    o->data = value;
    return NULL;
  case KEY:
    return cli_parse_name(value, &o->key);
  case POINT:
    o->point = value;
    return NULL;
  case RANGE:
    o->range = value;
    return cli_is_range(value) ? NULL : "a range has the form LO..HI, LO.. or ..HI";
  case WHERE:
    o->where = value;
    return NULL;
  case GROUP:
    return cli_parse_name(value, &o->group);
  case SUM:
    return cli_parse_name(value, &o->sum);
  default:
    o->method_options = value;
    return NULL;
  }
}

/* What is drawn of a method; NULL or what is wrong. */
static const char *find_method(const char *name, draw_options *o) {
  static const rdx_index_method kinds[] = {RDX_INDEX_RX, RDX_INDEX_RX_OPTIMIZED, RDX_INDEX_CGRX, RDX_INDEX_CGRX_NAIVE,
                                           RDX_INDEX_CGRX_UPDATABLE};
  static const rdx_scan_method methods[] = {RDX_SCAN_RTINDEX, RDX_SCAN_RTC1, RDX_SCAN_RTC3, RDX_SCAN_RTSCAN};
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
    if (strcmp(name, rdx_index_method_name(kinds[i])) == 0) {
      o->kind = DRAW_INDEX;
      o->index.method = kinds[i];
      return NULL;
    }
  }
  for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
    if (strcmp(name, rdx_scan_method_name(methods[i])) == 0) {
      o->kind = DRAW_SCAN;
      o->scan = (rdx_scan_params){.method = methods[i]};
      if (methods[i] == RDX_SCAN_RTC3)
        o->scan.rtc3.rows_per_box = 1;
      if (methods[i] == RDX_SCAN_RTSCAN)
        o->scan.rtscan = (rdx_rtscan_params){.vectors = 3, .derived = RDX_SWITCH_OFF, .group = 3, .rows_per_box = 1};
      return NULL;
    }
  }
  o->kind = DRAW_CUBE;
  return strcmp(name, "rt_cube") == 0 || strcmp(name, "coarse_cube") == 0
             ? NULL
             : "it is no method that traces rays; there are rx, rx_optimized, cgrx, cgrx_naive, cgrx_updatable, "
               "rtindex, rtc1, rtc3, rtscan, rt_cube and coarse_cube";
}

static const char *check(draw_options *o) {
  const bool probes = o->point || o->range;
  const char *wrong = find_method(o->common.words[0], o);
  if (wrong)
    return wrong;
  if (o->data && o->rows > 0)
    return "--keys and --data exclude each other";
  if (o->kind == DRAW_INDEX && (o->where || !probes || (o->point && o->range)))
    return "an index takes one query: --point or --range";
  if (o->kind != DRAW_INDEX && (probes || !o->where))
    return "scans and cubes take --where";
  if (o->kind != DRAW_CUBE && (o->group || o->sum))
    return "--group and --sum are for cubes";
  if (o->kind != DRAW_INDEX && o->key)
    return "--key is for indexes";
  if (!o->method_options || o->kind == DRAW_CUBE)
    return NULL;
  return o->kind == DRAW_INDEX ? console_parse_index_options(o->method_options, &o->index)
                               : console_parse_scan_options(o->method_options, &o->scan);
}

/* 0 to go on, else the exit status plus one. */
static int parse(int argc, char **argv, draw_options *o) {
  const int parsed = cli_parse(&(cli_command){"draw", options, print_help, take, NULL}, argc, argv, o, &o->common);
  if (parsed != 0)
    return parsed;
  const char *wrong = check(o);
  return wrong ? console_usage("draw", "%s: %s", o->common.words[0], wrong) + 1
               : cli_check_output("draw", "--out", o->common.out, true, &o->data, 1);
}

/* ---- Rows ---- */

typedef struct job {
  const draw_options *options;
  rdx_table *data;
  rdx_device *device;
  rdx_recording *recording;
  uint64_t rows, found;
  char query[512];
  rdx_condition *condition; /* of scans and cubes */
} job;

/* A number that looks random and depends on nothing but its place. */
static uint64_t scatter(uint64_t row, uint64_t column, uint64_t below) {
  uint64_t x = (row * 8 + column + 1) * 0x9e3779b97f4a7c15u;
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
  x = (x ^ x >> 27) * 0x94d049bb133111ebu;
  return (x ^ x >> 31) % below;
}

static rdx_status make_rows(uint64_t rows, rdx_table **out, rdx_error *err) {
  static const rdx_csv_type types[] = {{"key", RDX_TYPE_U32, 0}};
  static const rdx_csv_params params = {.types = types, .type_count = 1};
  char *text = NULL;
  size_t size = 0;
  FILE *f = open_memstream(&text, &size);
  if (f)
    fprintf(f, "key,a,b,c,g,m\n");
  for (uint64_t i = 0; i < rows && f; i++)
    fprintf(f, "%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 "\n", i, scatter(i, 0, rows),
            scatter(i, 1, rows), scatter(i, 2, rows), scatter(i, 3, 3), scatter(i, 4, 10));
  const rdx_status status = f && fclose(f) == 0
                                ? rdx_table_parse_csv("the rows of --keys", text, size, &params, out, err)
                                : console_error(err, RDX_ERROR_MEMORY, "host memory ran out");
  free(text);
  return status;
}

static rdx_status read_rows(job *j, rdx_error *err) {
  const draw_options *o = j->options;
  const rdx_status status = o->data ? cli_read(o->data, &o->common.csv, NULL, &j->data, err)
                                    : make_rows(o->rows ? o->rows : 32, &j->data, err);
  if (status != RDX_OK)
    return status;
  j->rows = rdx_table_rows(j->data);
  if (j->rows <= MAX_ROWS)
    return RDX_OK;
  return console_error(err, RDX_ERROR_UNSUPPORTED, "%" PRIu64 " rows are too many for a picture: at most %d", j->rows,
                       MAX_ROWS);
}

/* ---- Indexes ---- */

static rdx_status ask_index(job *j, const rdx_index *index, const rdx_column *keys, uint32_t column, rdx_error *err) {
  const draw_options *o = j->options;
  char *points[] = {o->point}, *ranges[] = {o->range};
  const cli_probe_options wanted = {
      .points = points, .point_count = o->point != NULL, .ranges = ranges, .range_count = o->range != NULL};
  const rdx_lookup_params params = {.result = RDX_LOOKUP_COUNT};
  cli_probes probes;
  rdx_lookup_result *result = NULL;
  rdx_lookup_view view;
  rdx_status status =
      cli_probes_create(&wanted, keys, o->key ? o->key : "key", rdx_table_choice(j->data, column), &probes, err);
  if (status == RDX_OK)
    status = probes.upper ? rdx_index_range(index, probes.lower, probes.upper, &params, &result, err)
                          : rdx_index_lookup(index, probes.lower, &params, &result, err);
  if (status == RDX_OK)
    status = rdx_lookup_result_view(result, &view, err);
  if (status == RDX_OK)
    j->found = view.count[0];
  rdx_lookup_result_destroy(&result);
  cli_probes_destroy(&probes);
  return status;
}

static rdx_status draw_index(job *j, rdx_error *err) {
  const rdx_column *keys = NULL;
  rdx_index *index = NULL;
  uint32_t column = 0;
  const char *name = j->options->key ? j->options->key : "key";
  rdx_status status = rdx_table_find(j->data, name, &keys, err);
  while (status == RDX_OK && rdx_table_column(j->data, column) != keys)
    column++;
  if (status == RDX_OK)
    status = rdx_index_create(j->device, keys, &j->options->index, &index, err);
  rdx_recording_forget_rays(j->recording);
  if (status == RDX_OK)
    status = ask_index(j, index, keys, column, err);
  rdx_index_destroy(&index);
  return status;
}

/* ---- Scans ---- */

static rdx_status find_columns(const job *j, const rdx_condition *condition, rdx_column *out, rdx_error *err) {
  for (uint32_t i = 0; i < rdx_condition_columns(condition); i++) {
    const rdx_column *found = NULL;
    const rdx_status status = rdx_table_find(j->data, rdx_condition_column_name(condition, i), &found, err);
    if (status != RDX_OK)
      return status;
    out[i] = *found;
  }
  return RDX_OK;
}

static rdx_status run_scan(job *j, rdx_condition *condition, const rdx_column *columns, rdx_error *err) {
  const rdx_predicate *predicate = NULL;
  rdx_scan *scan = NULL;
  rdx_scan_result *result = NULL;
  rdx_scan_view view = {0};
  rdx_status status = rdx_condition_bind(condition, columns, NULL, &predicate, err);
  if (status == RDX_OK)
    status = rdx_scan_create(j->device, columns, rdx_condition_columns(condition), &j->options->scan, &scan, err);
  rdx_recording_forget_rays(j->recording);
  if (status == RDX_OK)
    status = rdx_scan_run(scan, predicate, NULL, &result, err);
  if (status == RDX_OK)
    status = rdx_scan_result_view(result, &view, err);
  j->found = view.count;
  rdx_scan_result_destroy(&result);
  rdx_scan_destroy(&scan);
  return status;
}

#define MAX_COLUMNS 8 /* of a condition */

/* A condition of a few columns of the data. */
static rdx_status read_condition(job *j, rdx_column *columns, rdx_error *err) {
  const rdx_status status = rdx_condition_parse(j->options->where, &j->condition, err);
  if (status != RDX_OK)
    return status;
  const uint32_t count = rdx_condition_columns(j->condition);
  if (count > 0 && count <= MAX_COLUMNS)
    return find_columns(j, j->condition, columns, err);
  return console_error(err, RDX_ERROR_UNSUPPORTED,
                       "a picture takes conditions of 1 to %d columns; this one has %" PRIu32, MAX_COLUMNS, count);
}

static rdx_status draw_scan(job *j, rdx_error *err) {
  rdx_column columns[MAX_COLUMNS];
  const rdx_status status = read_condition(j, columns, err);
  return status == RDX_OK ? run_scan(j, j->condition, columns, err) : status;
}

/* ---- Cubes: in SQL ---- */

/* A name in double quotes. */
static void put_name(FILE *f, const char *name) {
  fputc('"', f);
  for (; *name; name++)
    fprintf(f, "%s%c", *name == '"' ? "\"" : "", *name);
  fputc('"', f);
}

/* The columns of the condition, and that of groups where it is none of these. */
static void put_names(FILE *f, const rdx_condition *condition, const char *group) {
  bool there = false;
  for (uint32_t i = 0; i < rdx_condition_columns(condition); i++) {
    const char *name = rdx_condition_column_name(condition, i);
    fputs(i ? ", " : "", f);
    put_name(f, name);
    there |= strcmp(name, group) == 0;
  }
  fputs(there ? "" : ", ", f);
  if (!there)
    put_name(f, group);
}

/* WITH (name = 'value', ...) of "name=value,...". */
static void put_options(FILE *f, const char *text) {
  fprintf(f, " WITH (");
  while (text && *text) {
    const size_t length = strcspn(text, ","), name = strcspn(text, "=,");
    fprintf(f, "%.*s = '%.*s'%s", (int)name, text, (int)(length - name - (name < length)),
            text + name + (name < length), text[length] ? ", " : "");
    text += length + (text[length] == ',');
  }
  fprintf(f, ")");
}

/* The statements: the cube, the method, the query. */
static void put_statements(FILE *f, const draw_options *o, const rdx_condition *condition) {
  const char *group = o->group ? o->group : "g", *sum = o->sum ? o->sum : "m";
  fprintf(f, "CREATE MATERIALIZED VIEW picture USING %s", o->common.words[0]);
  if (o->method_options)
    put_options(f, o->method_options);
  fprintf(f, " AS SELECT ");
  put_names(f, condition, group);
  fprintf(f, ", sum(");
  put_name(f, sum);
  fprintf(f, "), count(*) FROM rows GROUP BY ");
  put_names(f, condition, group);
  fprintf(f, "; SET method = %s; SELECT ", o->common.words[0]);
  put_name(f, group);
  fprintf(f, ", sum(");
  put_name(f, sum);
  fprintf(f, "), count(*) AS found FROM rows WHERE %s GROUP BY ", o->where);
  put_name(f, group);
}

/* The number of rows that the groups of the answer have. */
static uint64_t count_found(const rdx_table *answer) {
  const rdx_column *found = NULL;
  rdx_error ignored;
  uint64_t count = 0;
  if (!answer || rdx_table_find(answer, "found", &found, &ignored) != RDX_OK || found->type != RDX_TYPE_I64)
    return 0;
  for (uint64_t i = 0; i < found->rows; i++)
    count += (uint64_t)((const int64_t *)found->values)[i];
  return count;
}

static rdx_status run_statements(job *j, rdx_database *database, const char *text, rdx_error *err) {
  rdx_status status = RDX_OK;
  while (status == RDX_OK && text && *text) {
    rdx_statement *statement = NULL;
    rdx_answer *answer = NULL;
    rdx_recording_forget_rays(j->recording);
    status = rdx_statement_prepare(database, text, &text, &statement, err);
    if (status == RDX_OK && statement)
      status = rdx_statement_execute(statement, &answer, err);
    if (status == RDX_OK && answer)
      j->found = count_found(rdx_answer_table(answer));
    rdx_answer_destroy(&answer);
    rdx_statement_destroy(&statement);
  }
  return status;
}

static rdx_status run_cube(job *j, const rdx_condition *condition, rdx_error *err) {
  char *text = NULL;
  size_t size = 0;
  rdx_database *database = NULL;
  FILE *f = open_memstream(&text, &size);
  if (f)
    put_statements(f, j->options, condition);
  if (!f || fclose(f) != 0) {
    free(text);
    return console_error(err, RDX_ERROR_MEMORY, "host memory ran out");
  }
  rdx_status status = rdx_database_open(j->device, NULL, NULL, &database, err);
  if (status == RDX_OK) {
    status = rdx_database_add(database, "rows", j->data, err);
    j->data = NULL; /* the database has it */
  }
  if (status == RDX_OK)
    status = run_statements(j, database, text, err);
  rdx_database_close(&database);
  free(text);
  return status;
}

static rdx_status draw_cube(job *j, rdx_error *err) {
  rdx_column columns[MAX_COLUMNS];
  const rdx_status status = read_condition(j, columns, err);
  return status == RDX_OK ? run_cube(j, j->condition, err) : status;
}

/* ---- The picture ---- */

/* Spaces of scans have columns for axes, lines one each. */
static void name_axes(const job *j, draw_picture *picture) {
  const rdx_scan_params *p = &j->options->scan;
  const uint32_t groups = p->method == RDX_SCAN_RTSCAN ? p->rtscan.group : p->rtc3.group;
  picture->columns_each = p->method == RDX_SCAN_RTC1 || p->method == RDX_SCAN_RTINDEX ? 1 : groups ? groups : 3;
  picture->column_count = rdx_condition_columns(j->condition);
  for (uint32_t i = 0; i < picture->column_count; i++)
    picture->columns[i] = rdx_condition_column_name(j->condition, i);
}

/* Before the query's text is cut into its values. */
static void name_query(job *j) {
  const draw_options *o = j->options;
  if (o->kind == DRAW_INDEX)
    snprintf(j->query, sizeof j->query, "%.100s %s %.200s", o->key ? o->key : "key", o->range ? "in" : "=",
             o->range ? o->range : o->point);
  else
    snprintf(j->query, sizeof j->query, "WHERE %.480s", o->where);
}

static rdx_status write_picture(const job *j, rdx_error *err) {
  const draw_options *o = j->options;
  char title[256];
  console_output out;
  draw_picture picture = {
      .title = title, .query = j->query, .found = j->found, .view = rdx_recording_get(j->recording)};
  uint64_t primitives = 0;
  for (uint32_t i = 0; i < picture.view.scene_count; i++)
    primitives += picture.view.scenes[i].count;
  if (primitives == 0)
    return console_error(err, RDX_ERROR_NOT_FOUND, "there is nothing to draw: the method made no scene of these rows");
  snprintf(title, sizeof title, "%s: %" PRIu64 " row%s%s%.150s", o->common.words[0], j->rows, console_s(j->rows),
           o->method_options ? ", " : "", o->method_options ? o->method_options : "");
  if (o->kind == DRAW_SCAN)
    name_axes(j, &picture);
  rdx_status status = console_output_open(o->common.out, &out, err);
  if (status != RDX_OK)
    return status;
  if (!draw_svg(out.stream, &picture)) {
    console_output_discard(&out);
    return console_error(err, RDX_ERROR_MEMORY, "host memory ran out");
  }
  if (picture.view.incomplete)
    console_note("the picture lacks some of the rays or hits, which were too many");
  return console_output_finish(&out, err);
}

static rdx_status run(void *context, rdx_error *err) {
  job *j = context;
  name_query(j);
  rdx_status status = read_rows(j, err);
  if (status == RDX_OK)
    status = rdx_device_open("cpu", &(rdx_device_params){.threads = 1}, &j->device, err);
  if (status == RDX_OK)
    status = rdx_recording_start(j->device, &j->recording, err);
  if (status == RDX_OK)
    status = (j->options->kind == DRAW_INDEX  ? draw_index
              : j->options->kind == DRAW_SCAN ? draw_scan
                                              : draw_cube)(j, err);
  return status == RDX_OK ? write_picture(j, err) : status;
}

int cli_draw(int argc, char **argv) {
  static const char *const words[] = {"METHOD"};
  draw_options o = {.common = {.word_names = words, .word_count = 1}};
  const int parsed = parse(argc, argv, &o);
  job j = {.options = &o};
  const int exit_status = cli_run(parsed, run, &j);
  rdx_condition_destroy(&j.condition);
  rdx_table_destroy(&j.data);
  rdx_recording_stop(&j.recording);
  rdx_device_close(&j.device);
  return exit_status;
}
