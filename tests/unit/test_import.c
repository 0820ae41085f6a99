/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* CSV files imported by threads: the same as read from the beginning to the end; rejects; CSV that is written. */

#include "tables.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static char folder[] = "/tmp/raydex-import-XXXXXX";
static char csv[64], rdx[64], back[64];
static uint64_t seed;

static uint64_t next_random(void) {
  seed ^= seed << 13;
  seed ^= seed >> 7;
  seed ^= seed << 17;
  return seed * 0x2545f4914f6cdd1du;
}

static int make_folder(void **state) {
  (void)state;
  const char *given = getenv("RAYDEX_TEST_SEED");
  seed = given ? strtoull(given, NULL, 10) | 1 : (uint64_t)getpid() * 2654435761u | 1;
  print_message("RAYDEX_TEST_SEED=%llu\n", (unsigned long long)seed);
  if (!mkdtemp(folder))
    return -1;
  snprintf(csv, sizeof csv, "%s/in.csv", folder);
  snprintf(rdx, sizeof rdx, "%s/t.rdx", folder);
  snprintf(back, sizeof back, "%s/back.csv", folder);
  return 0;
}

static int remove_folder(void **state) {
  (void)state;
  unlink(csv);
  unlink(rdx);
  unlink(back);
  return rmdir(folder); /* fails when something was left behind */
}

/* ---- Random files ---- */

static void put_string(FILE *f) {
  static const char *const parts[] = {"plain", "with, comma", "quote \"\" quote", "line\nbreak", "\"\"", "x", "\r\n",
                                      ""};
  const char *first = parts[next_random() % 8], *second = parts[next_random() % 8];
  if (next_random() % 200 == 0) {
    fputc('"', f);
    for (uint64_t i = next_random() % 40000; i > 0; i--)
      fputs(next_random() % 20 ? "y\n" : "\"\"", f);
    fputc('"', f);
  } else if (next_random() % 3 == 0) {
    fprintf(f, "\"%s%s\"", first, second);
  } else {
    fprintf(f, "word%llu", (unsigned long long)(next_random() % 3000));
  }
}

/* Integers, some of them NULL, strings with all that quotes allow, decimals, and a type that widens late or never. */
static void make_csv(uint64_t rows, bool late, bool empty) {
  FILE *f = fopen(csv, "wb");
  assert_non_null(f);
  fputs("a,text,price,late,none\n", f);
  for (uint64_t i = 0; i < rows; i++) {
    if (next_random() % 50)
      fprintf(f, "%lld", (long long)(next_random() % 100000) - 50000);
    fputc(',', f);
    put_string(f);
    fprintf(f, ",%llu.%02llu,", (unsigned long long)(next_random() % 1000), (unsigned long long)(next_random() % 100));
    fprintf(f, late && i > rows - 3 ? "%llu.5" : "%llu", (unsigned long long)i);
    fprintf(f, !empty && i > rows / 2 ? ",2024-01-%02llu\n" : ",\n", (unsigned long long)(1 + i % 28));
  }
  fclose(f);
}

static void check_import(const rdx_import_params *params) {
  rdx_table *imported = NULL, *read = NULL;
  rdx_import_stats stats;
  OK(rdx_table_import_csv(csv, rdx, params, &stats, err));
  OK(rdx_table_open(rdx, &imported, err));
  OK(rdx_table_read_csv(csv, params ? &params->csv : NULL, &read, err));
  check_same(imported, read);
  assert_int_equal(stats.rows, rdx_table_rows(read));
  assert_int_equal(stats.rejected, 0);
  rdx_table_destroy(&imported);
  rdx_table_destroy(&read);
}

static void test_random_files(void **state) {
  (void)state;
  static const uint64_t rows[] = {0, 1, 2, 1500, 20000, 90000};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    for (int k = 0; k < 4; k++) {
      make_csv(rows[i], k & 1, k & 2);
      static const char *const names[] = {"none", "text", "a"};
      const rdx_import_params params = {.threads = 1 + (uint32_t)i % 3};
      const rdx_import_params some = {.threads = 3, .csv = {.columns = names, .column_count = 3}};
      check_import(&params);
      check_import(&some);
    }
  }
}

/* What is written as CSV and read with the same types is the same. */
static void test_export(void **state) {
  (void)state;
  static const char delimiters[] = {',', '|', '\t', ':'};
  for (int i = 0; i < 4; i++) {
    rdx_table *first = NULL, *again = NULL;
    make_csv(9000, true, i % 2);
    OK(rdx_table_import_csv(csv, rdx, NULL, NULL, err));
    OK(rdx_table_open(rdx, &first, err));
    rdx_csv_type types[5];
    for (uint32_t k = 0; k < 5; k++) {
      const rdx_column *c = rdx_table_column(first, k);
      types[k] = (rdx_csv_type){rdx_table_column_name(first, k), c->type, c->scale};
    }
    rdx_csv_params params = {.delimiter = delimiters[i], .types = types, .type_count = 5};
    OK(rdx_table_write_csv(first, back, delimiters[i], true, err));
    OK(rdx_table_read(back, &params, &again, err));
    check_same(first, again);
    rdx_table_destroy(&first);
    rdx_table_destroy(&again);
  }
}

static void test_export_values(void **state) {
  (void)state;
  static const double reals[] = {0.1, -0.0, 1e300, 5e-324, 1.0 / 3, 123456789.125};
  static const float narrow[] = {0.1f, -0.0f, 3.4e38f, 1e-45f, 1.0f / 3, 16777216};
  static const int64_t longs[] = {INT64_MIN, INT64_MAX, 0, -1, 1, 10};
  static const int64_t times[] = {-62135596800000000, 253402300799999999, 0, -1, 1, 1700000000123456};
  static const int32_t days[] = {-719162, 2932896, 0, -1, 59, 19782};
  static const uint64_t offsets[] = {0, 0, 1, 3, 4, 7, 13};
  const rdx_column in[] = {
      {.type = RDX_TYPE_F64, .rows = 6, .values = reals},
      {.type = RDX_TYPE_F32, .rows = 6, .values = narrow},
      {.type = RDX_TYPE_I64, .rows = 6, .values = longs},
      {.type = RDX_TYPE_DECIMAL, .scale = 18, .rows = 6, .values = longs},
      {.type = RDX_TYPE_DECIMAL, .scale = 0, .rows = 6, .values = longs},
      {.type = RDX_TYPE_TIMESTAMP, .rows = 6, .values = times},
      {.type = RDX_TYPE_DATE, .rows = 6, .values = days},
      {.type = RDX_TYPE_STRING, .rows = 6, .values = "\"\r\n,\xef\xbb\xbf a b c", .offsets = offsets}};
  enum { N = sizeof in / sizeof *in };
  rdx_field fields[N];
  rdx_csv_type types[N];
  static const char *const names[] = {"\357\273\277a", "b,b", "c\"c", "d\nd", "e", "f", " g ", ""};
  for (int k = 0; k < N; k++) {
    fields[k] = (rdx_field){names[k], in[k].type, in[k].scale};
    types[k] = (rdx_csv_type){names[k], in[k].type, in[k].scale};
  }
  rdx_table_writer *w = NULL;
  rdx_table *first = NULL, *again = NULL;
  OK(rdx_table_writer_create(rdx, fields, N, &w, err));
  OK(rdx_table_writer_append(w, in, err));
  OK(rdx_table_writer_finish(w, err));
  rdx_table_writer_destroy(&w);
  OK(rdx_table_open(rdx, &first, err));
  OK(rdx_table_write_csv(first, back, 0, true, err));
  const rdx_csv_params params = {.types = types, .type_count = N};
  OK(rdx_table_read(back, &params, &again, err));
  check_same(first, again);
  rdx_table_destroy(&again);
  /* The types of a table file are what they are. */
  OK(rdx_table_read(rdx, &params, &again, err));
  check_same(first, again);
  rdx_table_destroy(&again);
  types[1].type = RDX_TYPE_F64;
  FAILS(rdx_table_read(rdx, &params, &again, err), RDX_ERROR_ARGUMENT, "column 'b,b' has type f32");
  rdx_table_destroy(&first);
}

/* ---- Rejects ---- */

typedef struct told {
  uint64_t count, last_line;
  char problem[1100], record[200];
} told;

static rdx_status tell(void *user, uint64_t line, const char *problem, const char *record, size_t length,
                       rdx_error *err) {
  (void)err;
  told *t = user;
  assert_true(line > t->last_line);
  t->last_line = line;
  t->count++;
  snprintf(t->problem, sizeof t->problem, "%s", problem);
  snprintf(t->record, sizeof t->record, "%.*s", (int)length, record);
  return RDX_OK;
}

/* Every kind of bad record, among many good ones, over several pieces. */
static void test_rejects(void **state) {
  (void)state;
  static const char *const bad[] = {
      "x,1,\"multi\nline\"", "1", "1,2,3,4", "1,2,\"a\nb\",\"c\nd\"", "1,a\"b,c", "1,2,\"a\"b", "99999999999,1,c"};
  enum { KINDS = sizeof bad / sizeof *bad };
  const rdx_csv_type types[] = {{"a", RDX_TYPE_I32, 0}};
  uint64_t line = 2, rejected = 0, rows = 0, lines[64];
  FILE *f = fopen(csv, "wb");
  assert_non_null(f);
  fputs("a,b,c\n", f);
  for (uint64_t i = 0; i < 240000; i++) {
    if (i % 6000 == 4999) {
      const char *text = bad[rejected % KINDS];
      lines[rejected++] = line;
      fprintf(f, "%s\n", text);
      for (; *text; text++)
        line += *text == '\n';
      line++;
    }
    fprintf(f, "%llu,%d,\"%s\"\n", (unsigned long long)i, 7, i % 100 ? "some text" : "two\nlines");
    line += i % 100 ? 1 : 2;
    rows++;
  }
  fclose(f);
  told t = {0};
  rdx_import_stats stats;
  rdx_table *table = NULL;
  rdx_import_params params = {
      .csv = {.types = types, .type_count = 1}, .threads = 3, .max_rejects = 1000, .reject = tell, .user = &t};
  OK(rdx_table_import_csv(csv, rdx, &params, &stats, err));
  assert_int_equal(stats.rows, rows);
  assert_int_equal(stats.rejected, rejected);
  assert_int_equal(t.count, rejected);
  assert_int_equal(t.last_line, lines[rejected - 1]);
  OK(rdx_table_open(rdx, &table, err));
  for (uint64_t i = 0; i < rows; i++)
    if (((const int32_t *)rdx_table_column(table, 0)->values)[i] != (int32_t)i)
      fail_msg("row %llu", (unsigned long long)i);
  rdx_table_destroy(&table);
  /* One fewer than there are: the table stays. */
  t = (told){0};
  params.max_rejects = rejected - 1;
  char words[200];
  snprintf(words, sizeof words, "more than %llu records would be rejected; the next is %s, line %llu",
           (unsigned long long)rejected - 1, csv, (unsigned long long)lines[rejected - 1]);
  FAILS(rdx_table_import_csv(csv, rdx, &params, &stats, err), RDX_ERROR_FORMAT, words);
  assert_int_equal(t.count, rejected - 1);
  OK(rdx_table_open(rdx, &table, err));
  assert_int_equal(rdx_table_rows(table), rows);
  rdx_table_destroy(&table);
  /* None: what reading it says. */
  params.max_rejects = 0;
  rdx_error read_err = {""}, import_err = {""};
  assert_int_equal(rdx_table_read_csv(csv, &params.csv, &table, &read_err), RDX_ERROR_FORMAT);
  assert_int_equal(rdx_table_import_csv(csv, rdx, &params, &stats, &import_err), RDX_ERROR_FORMAT);
  assert_string_equal(import_err.text, read_err.text);
}

/* Good records to both files, and bad ones among them to the first. Their values would make other types. */
static uint64_t make_both(uint64_t rows) {
  static const char *const bad[] = {"1,word",           "1,word,2024-01-01,more", "text,0.5,word", "1,\"word\"more,x",
                                    "99999999999,1.5,", "1,two,\"a\"b",           "1,1e9",         "1.5,true,\"word\""};
  const uint64_t often = 1 + next_random() % 300, first_value = next_random() % 2 ? next_random() % rows : 0;
  const bool late = next_random() % 2;
  uint64_t rejected = 0;
  FILE *mixed = fopen(csv, "wb"), *good = fopen(back, "wb");
  assert_true(mixed && good);
  for (FILE *f = mixed; f; f = f == mixed ? good : NULL)
    fputs("given,number,date\n", f);
  for (uint64_t i = 0; i < rows; i++) {
    for (; next_random() % often == 0 && rejected < 5000; rejected++)
      fprintf(mixed, "%s\n", bad[next_random() % (sizeof bad / sizeof *bad)]);
    for (FILE *f = mixed; f; f = f == mixed ? good : NULL)
      fprintf(f, late && i + 1 == rows ? "%d,%d.5,%s\n" : "%d,%d,%s\n", (int)i, (int)(i % 7),
              i < first_value ? "" : "2024-02-03");
  }
  fputs("7,word", mixed); /* ends in the middle */
  fclose(mixed);
  fclose(good);
  return rejected + 1;
}

/* Records that are left out tell no types. */
static void test_types_of_rejects(void **state) {
  (void)state;
  const rdx_csv_type given = {"given", RDX_TYPE_I32, 0};
  for (int i = 0; i < 60; i++) {
    const rdx_import_params params = {
        .csv = {.types = &given, .type_count = 1}, .threads = 1 + (uint32_t)i % 3, .max_rejects = 10000};
    rdx_table *imported = NULL, *read = NULL;
    rdx_import_stats stats;
    const uint64_t rejected = make_both(1 + next_random() % (i % 20 ? 3000 : 120000));
    OK(rdx_table_import_csv(csv, rdx, &params, &stats, err));
    assert_int_equal(stats.rejected, rejected);
    OK(rdx_table_open(rdx, &imported, err));
    OK(rdx_table_read_csv(back, &params.csv, &read, err));
    check_same(imported, read);
    rdx_table_destroy(&imported);
    rdx_table_destroy(&read);
  }
}

/* Blank lines are records that are malformed, except at the end; many of them are no reason to take long. */
static void test_blank_lines(void **state) {
  (void)state;
  enum { BLANK = 60000 };
  static const char *const ends[] = {"", "\r", "\n\r\n\n", "\n\n\r"};
  for (int i = 0; i < 4; i++) {
    FILE *f = fopen(csv, "wb");
    assert_non_null(f);
    fputs("a,b\n1,2\n", f);
    for (int k = 0; k < BLANK; k++)
      fputs(k % 2 ? "\r\n" : "\n", f);
    fprintf(f, "3,4\n%s", ends[i]);
    fclose(f);
    rdx_import_stats stats;
    rdx_import_params params = {.threads = 2, .max_rejects = BLANK};
    OK(rdx_table_import_csv(csv, rdx, &params, &stats, err));
    assert_int_equal(stats.rows, 2);
    assert_int_equal(stats.rejected, BLANK);
    params.max_rejects = BLANK - 1;
    FAILS(rdx_table_import_csv(csv, rdx, &params, NULL, err), RDX_ERROR_FORMAT, "line 60002");
  }
}

/* A quote that is never closed takes one line; then come good ones. */
static void test_open_quote(void **state) {
  (void)state;
  told t = {0};
  FILE *f = fopen(csv, "wb");
  assert_non_null(f);
  fputs("a,b\n", f);
  for (int i = 0; i < 300000; i++)
    fprintf(f, i == 1000 ? "\"%d,x\n" : "%d,x\n", i);
  fclose(f);
  rdx_import_stats stats;
  const rdx_import_params params = {.threads = 2, .max_rejects = 1, .reject = tell, .user = &t};
  OK(rdx_table_import_csv(csv, rdx, &params, &stats, err));
  assert_int_equal(stats.rows, 299999);
  assert_int_equal(t.last_line, 1002);
  assert_string_equal(t.record, "\"1000,x");
  assert_non_null(strstr(t.problem, "line 1002, column 1: the quote that opens here is never closed"));
}

static void test_errors(void **state) {
  (void)state;
  FILE *f = fopen(csv, "wb");
  fclose(f);
  unlink(rdx);
  FAILS(rdx_table_import_csv(csv, rdx, NULL, NULL, err), RDX_ERROR_FORMAT, "is empty");
  FAILS(rdx_table_import_csv("/nowhere.csv", rdx, NULL, NULL, err), RDX_ERROR_NOT_FOUND, "cannot open /nowhere.csv");
  make_csv(10, false, false);
  FAILS(rdx_table_import_csv(csv, "/nowhere/t.rdx", NULL, NULL, err), RDX_ERROR_IO, "cannot write /nowhere/t.rdx");
  FAILS(rdx_table_import_csv(csv, NULL, NULL, NULL, err), RDX_ERROR_ARGUMENT, "must not be NULL");
  assert_int_not_equal(access(rdx, F_OK), 0);
  f = fopen(csv, "wb");
  fputs("a,a\n1,2\n", f);
  fclose(f);
  FAILS(rdx_table_import_csv(csv, rdx, NULL, NULL, err), RDX_ERROR_ARGUMENT, "both named 'a'");
}

/* ---- Files that change ---- */

/* What happens to the file when so many bytes of it were read. */
typedef struct change {
  uint64_t after;
  off_t size; /* -1: it is replaced */
  bool done;
} change;

static bool change_file(void *user, const char *stage, uint64_t done, uint64_t total) {
  (void)stage;
  (void)total;
  change *c = user;
  if (!c->done && done >= c->after) {
    if (c->size < 0) {
      FILE *f = fopen(back, "wb");
      fputs("another\n", f);
      fclose(f);
      assert_int_equal(rename(back, csv), 0);
    } else {
      assert_int_equal(truncate(csv, c->size), 0);
    }
    c->done = true;
  }
  return false;
}

static void on_other(int number) {
  (void)number;
}

/* A file that becomes shorter or longer is an error, and the table stays; one that is replaced is read as it was. */
static void test_changes(void **state) {
  (void)state;
  struct sigaction before, after;
  struct stat info;
  const char *const words[] = {"has become shorter while it was read", "has become longer while it was read"};
  signal(SIGBUS, on_other);
  assert_int_equal(sigaction(SIGBUS, NULL, &before), 0);
  for (int i = 0; i < 6; i++) {
    rdx_table *table = NULL;
    rdx_import_stats stats;
    make_csv(300, false, false);
    OK(rdx_table_import_csv(csv, rdx, NULL, NULL, err));
    make_csv(100000, i & 1, i & 2);
    assert_int_equal(stat(csv, &info), 0);
    change c = {(uint64_t)info.st_size / 2, i % 3 == 0 ? 100 : i % 3 == 1 ? info.st_size + 1 : -1, false};
    const rdx_import_params params = {.threads = 2, .max_rejects = i & 4 ? UINT64_MAX : 0};
    rdx_set_progress(change_file, &c);
    if (c.size < 0)
      OK(rdx_table_import_csv(csv, rdx, &params, &stats, err));
    else
      FAILS(rdx_table_import_csv(csv, rdx, &params, &stats, err), RDX_ERROR_IO, words[i % 3]);
    make_csv(100000, i & 1, i & 2);
    assert_int_equal(stat(csv, &info), 0);
    c = (change){(uint64_t)info.st_size / 2, i % 3 == 0 ? 100 : i % 3 == 1 ? info.st_size + 1 : -1, false};
    if (c.size < 0)
      OK(rdx_table_read_csv(csv, NULL, &table, err));
    else
      FAILS(rdx_table_read_csv(csv, NULL, &table, err), RDX_ERROR_IO, words[i % 3]);
    rdx_set_progress(NULL, NULL);
    assert_int_equal(table ? rdx_table_rows(table) : 100000, 100000);
    rdx_table_destroy(&table);
    OK(rdx_table_open(rdx, &table, err));
    assert_int_equal(rdx_table_rows(table), c.size < 0 ? 100000 : 300);
    rdx_table_destroy(&table);
    assert_int_equal(sigaction(SIGBUS, NULL, &after), 0);
    assert_true(after.sa_handler == before.sa_handler);
  }
  signal(SIGBUS, SIG_DFL);
}

/* A table file that is cut while it is verified. */
static void test_changed_table(void **state) {
  (void)state;
  rdx_table *table = NULL;
  make_csv(100000, false, false);
  OK(rdx_table_import_csv(csv, rdx, NULL, NULL, err));
  assert_int_equal(rename(rdx, csv), 0);
  change c = {0, 8192, false};
  rdx_set_progress(change_file, &c);
  FAILS(rdx_table_open(csv, &table, err), RDX_ERROR_IO, "has become shorter while it was read");
  rdx_set_progress(NULL, NULL);
  assert_null(table);
}

/* The standard input from where it stands, as a file or a pipe, and as a table file. */
static void test_standard_input(void **state) {
  (void)state;
  static const char text[] = "skipped\na,b\n1,x\n2,y\n";
  rdx_table *table = NULL;
  const int saved = dup(STDIN_FILENO);
  for (int i = 0; i < 3; i++) {
    int ends[2];
    FILE *f = fopen(csv, "wb");
    fputs(text, f);
    fclose(f);
    assert_int_equal(pipe(ends), 0);
    assert_int_equal(write(ends[1], text + 8, sizeof text - 9), sizeof text - 9);
    close(ends[1]);
    const int file = open(csv, O_RDONLY);
    lseek(file, 8, SEEK_SET);
    dup2(i == 0 ? ends[0] : file, STDIN_FILENO);
    close(ends[0]);
    close(file);
    if (i < 2)
      OK(rdx_table_read(NULL, NULL, &table, err));
    else
      OK(rdx_table_import_csv(NULL, rdx, NULL, NULL, err));
    char rest;
    assert_int_equal(read(STDIN_FILENO, &rest, 1), 0);
    if (i == 2) {
      const int made = open(rdx, O_RDONLY);
      dup2(made, STDIN_FILENO);
      close(made);
      OK(rdx_table_read(NULL, NULL, &table, err));
    }
    assert_int_equal(rdx_table_rows(table), 2);
    assert_string_equal(rdx_table_column_name(table, 1), "b");
    rdx_table_destroy(&table);
  }
  dup2(saved, STDIN_FILENO);
  close(saved);
}

/* Whoever is told may end an import, and the table stays. */
static rdx_status refuse(void *user, rdx_error *err) {
  snprintf(err->text, sizeof err->text, "%s", (const char *)user);
  return RDX_ERROR_IO;
}

static rdx_status refuse_record(void *user, uint64_t line, const char *problem, const char *record, size_t length,
                                rdx_error *err) {
  (void)line, (void)problem, (void)record, (void)length;
  return refuse(user, err);
}

static void test_refused(void **state) {
  (void)state;
  rdx_table *table = NULL;
  make_csv(300, false, false);
  OK(rdx_table_import_csv(csv, rdx, NULL, NULL, err));
  FILE *f = fopen(csv, "wb");
  fputs("a,b\n1,2\n3\n", f);
  fclose(f);
  rdx_import_params params = {.max_rejects = 1, .ready = refuse, .user = (void *)(uintptr_t) "the disk is full"};
  FAILS(rdx_table_import_csv(csv, rdx, &params, NULL, err), RDX_ERROR_IO, "the disk is full");
  params.ready = NULL;
  params.reject = refuse_record;
  FAILS(rdx_table_import_csv(csv, rdx, &params, NULL, err), RDX_ERROR_IO, "the disk is full");
  OK(rdx_table_open(rdx, &table, err));
  assert_int_equal(rdx_table_rows(table), 300);
  rdx_table_destroy(&table);
}

static bool cancel(void *user, const char *stage, uint64_t done, uint64_t total) {
  (void)total;
  return strcmp(stage, user) == 0 && done > 0;
}

static void test_cancel(void **state) {
  (void)state;
  static const char *const stages[] = {"import", "write"};
  rdx_table *table = NULL;
  make_csv(200000, false, false);
  OK(rdx_table_import_csv(csv, rdx, NULL, NULL, err));
  for (int i = 0; i < 2; i++) {
    rdx_set_progress(cancel, (void *)(uintptr_t)stages[i]);
    const rdx_import_params params = {.threads = 2};
    const rdx_status status = rdx_table_import_csv(csv, rdx, &params, NULL, NULL);
    rdx_set_progress(NULL, NULL);
    assert_int_equal(status, RDX_ERROR_CANCELLED);
    OK(rdx_table_open(rdx, &table, err));
    rdx_table_destroy(&table);
  }
}

/* ---- Kills ---- */

/* Kill a job in a child after a while, `count` times, and look at what it left. */
static void kill_often(void (*job)(void), void (*look)(void), int count, uint64_t max_us) {
  for (int i = 0; i < count; i++) {
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0)
      for (;;)
        job();
    usleep((useconds_t)(next_random() % max_us));
    kill(child, SIGKILL);
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status));
    look();
  }
}

static uint64_t good_rows;
static char *good_text;
static size_t good_size;

static void import_job(void) {
  const rdx_import_params params = {.threads = 2};
  if (rdx_table_import_csv(csv, rdx, &params, NULL, NULL) != RDX_OK)
    _exit(1);
}

static void look_at_table(void) {
  rdx_table *table = NULL;
  rdx_error err = {""};
  const rdx_status status = rdx_table_open(rdx, &table, &err);
  if (status == RDX_ERROR_NOT_FOUND)
    return;
  if (status != RDX_OK)
    fail_msg("%s", err.text);
  assert_int_equal(rdx_table_rows(table), good_rows);
  rdx_table_destroy(&table);
}

static rdx_table *exported;

static void export_job(void) {
  if (rdx_table_write_csv(exported, back, 0, true, NULL) != RDX_OK)
    _exit(1);
}

static void look_at_csv(void) {
  FILE *f = fopen(back, "rb");
  if (!f)
    return;
  char *text = malloc(good_size + 1);
  assert_int_equal(fread(text, 1, good_size + 1, f), good_size);
  assert_memory_equal(text, good_text, good_size);
  free(text);
  fclose(f);
}

static void test_kills(void **state) {
  (void)state;
  unlink(rdx);
  unlink(back);
  good_rows = 70000;
  make_csv(good_rows, false, true);
  kill_often(import_job, look_at_table, 60, 100000);
  OK(rdx_table_import_csv(csv, rdx, NULL, NULL, err));
  OK(rdx_table_open(rdx, &exported, err));
  OK(rdx_table_write_csv(exported, back, 0, true, err));
  struct stat info;
  assert_int_equal(stat(back, &info), 0);
  good_size = (size_t)info.st_size;
  good_text = malloc(good_size);
  FILE *f = fopen(back, "rb");
  assert_int_equal(fread(good_text, 1, good_size, f), good_size);
  fclose(f);
  unlink(back);
  kill_often(export_job, look_at_csv, 60, 60000);
  OK(rdx_table_write_csv(exported, back, 0, true, err)); /* takes over what the last one left */
  rdx_table_destroy(&exported);
  free(good_text);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_random_files),     cmocka_unit_test(test_export),
      cmocka_unit_test(test_export_values),    cmocka_unit_test(test_rejects),
      cmocka_unit_test(test_types_of_rejects), cmocka_unit_test(test_blank_lines),
      cmocka_unit_test(test_open_quote),       cmocka_unit_test(test_errors),
      cmocka_unit_test(test_cancel),           cmocka_unit_test(test_kills),
      cmocka_unit_test(test_changes),          cmocka_unit_test(test_changed_table),
      cmocka_unit_test(test_standard_input),   cmocka_unit_test(test_refused),
  };
  return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
