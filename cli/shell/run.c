/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* Texts are taken apart into statements and dot commands, and these are run. */

#include "cli/shell/shell.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { MAX_DEPTH = 16 }; /* of files that read files */

static double now_ms(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec * 1e3 + (double)now.tv_nsec * 1e-6;
}

/* ---- Errors ---- */

/* The line of the statement that a message is about: that of "LINE n:", from 1. */
static uint64_t line_of(const char *message) {
  const char *line = strstr(message, "\nLINE ");
  const uint64_t number = line ? strtoull(line + strlen("\nLINE "), NULL, 10) : 1;
  return number > 0 ? number : 1;
}

void shell_fail(shell *s, rdx_status status, const char *format, ...) {
  char text[2048];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  const char *name = s->reader ? s->reader->name : NULL;
  if (status == RDX_ERROR_CANCELLED && s->interactive)
    console_note("%s", text);
  else if (name)
    console_fail(status, "%s:%" PRIu64 ": %s", name, s->place + line_of(text) - 1, text);
  else
    console_fail(status, "%s", text);
  s->failed = true;
  if (s->bail && s->interactive) {
    s->cancelled = true;
  } else if (s->bail && !s->done) {
    s->done = true;
    s->exit_status = EXIT_FAILURE;
  }
}

void shell_settle(shell *s) {
  if (!console_interrupted())
    return;
  s->cancelled = true;
  if (s->interactive && console_forget_interrupt())
    return;
  s->done = true;
  s->exit_status = console_interrupt_status();
}

/* ---- Statements ---- */

static void note_time(const rdx_answer *answer, double ms) {
  rdx_answer_stats stats;
  rdx_answer_get_stats(answer, &stats);
  const bool has_method = stats.method && *stats.method;
  console_note("real %.3f ms, device %.3f ms, %" PRIu64 " row%s%s%s", ms, stats.device_ms, stats.rows,
               console_s(stats.rows), has_method ? ", method " : "", has_method ? stats.method : "");
}

static void show_answer(shell *s, rdx_answer *answer) {
  rdx_answer_stats stats;
  rdx_answer_get_stats(answer, &stats);
  rdx_table_destroy(&s->last);
  s->last = rdx_answer_take_table(answer);
  s->last_explains = stats.explains;
  if (s->last) {
    shell_show(s, s->last, stats.explains);
  } else if (s->interactive) {
    fprintf(shell_stream(s), "%s\n", rdx_answer_tag(answer));
    shell_flush(s);
  }
}

static void execute(shell *s, rdx_statement *statement, double begin) {
  rdx_error err = {""};
  rdx_answer *answer = NULL;
  rdx_table_destroy(&s->last); /* two answers would take twice the memory */
  const rdx_status status = rdx_statement_execute(statement, &answer, &err);
  if (status != RDX_OK) {
    shell_fail(s, status, "%s", err.text);
    return;
  }
  const double ms = now_ms() - begin;
  show_answer(s, answer);
  if (s->timer)
    note_time(answer, ms);
  rdx_answer_destroy(&answer);
}

/* Prepare and run a statement; what follows it, or NULL. */
static const char *run_first(shell *s, const char *text) {
  rdx_error err = {""};
  rdx_statement *statement = NULL;
  const char *rest = NULL;
  const double begin = now_ms();
  const rdx_status status = rdx_statement_prepare(s->database, text, &rest, &statement, &err);
  if (status != RDX_OK) {
    shell_fail(s, status, "%s", err.text);
    return NULL;
  }
  if (!statement)
    return NULL;
  execute(s, statement, begin);
  rdx_statement_destroy(&statement);
  return rest;
}

static void run_parsed(shell *s, const char *text) {
  const uint64_t place = s->place;
  for (const char *rest = text; rest && *rest && !s->done && !s->cancelled;) {
    const char *before = rest;
    rest = run_first(s, rest);
    shell_settle(s);
    for (; rest && before < rest; before++)
      s->place += *before == '\n';
  }
  s->place = place;
}

static bool is_query(const char *text) {
  return shell_starts_with(text, "SELECT") || shell_starts_with(text, "WITH") || shell_starts_with(text, "VALUES");
}

static void explain(shell *s, const char *text) {
  shell_text statement = {0};
  shell_print(&statement, "EXPLAIN %s", text);
  rdx_table *table = shell_query(s, statement.data);
  if (table)
    shell_show(s, table, true);
  rdx_table_destroy(&table);
  free(statement.data);
}

void shell_run_statement(shell *s, const char *text) {
  if (s->echo)
    fprintf(shell_stream(s), "%s\n", text);
  if (shell_describe(s, text)) {
    shell_settle(s);
    return;
  }
  if (s->explain && is_query(text))
    explain(s, text);
  if (!s->done && !s->cancelled)
    run_parsed(s, text);
}

rdx_table *shell_query(shell *s, const char *text) {
  rdx_error err = {""};
  rdx_statement *statement = NULL;
  rdx_answer *answer = NULL;
  rdx_table *table = NULL;
  rdx_status status = rdx_statement_prepare(s->database, text, NULL, &statement, &err);
  if (status == RDX_OK)
    status = rdx_statement_execute(statement, &answer, &err);
  if (status == RDX_OK)
    table = rdx_answer_take_table(answer);
  else
    shell_fail(s, status, "%s", err.text);
  rdx_answer_destroy(&answer);
  rdx_statement_destroy(&statement);
  shell_settle(s);
  return table;
}

/* ---- Texts ---- */

bool shell_is_inside(const shell_reader *reader) {
  return reader->splitter.begun || reader->splitter.inside == SHELL_IN_COMMENT;
}

static uint64_t count_lines(const char *text, size_t size) {
  uint64_t lines = 0;
  for (size_t i = 0; i < size; i++)
    lines += text[i] == '\n';
  return lines;
}

/* Run what is between the reader's place and `end`, and move there. */
static void run_until(shell *s, shell_reader *r, size_t end) {
  char *text = r->text.data + r->used;
  const size_t size = end - r->used, begin = r->splitter.begun ? r->splitter.begin : size;
  const char after = text[size];
  text[size] = '\0';
  s->place = r->line + count_lines(text, begin);
  if (memchr(text, '\0', size))
    shell_fail(s, RDX_ERROR_FORMAT, "there is a NUL byte in the text, which SQL has nowhere");
  else if (begin < size)
    shell_run_statement(s, text + begin);
  text[size] = after;
  r->line += count_lines(text, size);
  r->used = end;
  r->splitter = (shell_splitter){0};
}

/* Drop what is done. */
static void drop_used(shell_reader *r) {
  shell_text *text = &r->text;
  if (r->used == 0)
    return;
  memmove(text->data, text->data + r->used, text->size - r->used + 1);
  text->size -= r->used;
  r->used = 0;
}

void shell_forget(shell_reader *r) {
  r->text.size = 0;
  r->used = 0;
  r->line = r->lines + 1;
  r->splitter = (shell_splitter){0};
}

static void feed_command(shell *s, shell_reader *r, const char *line, size_t length) {
  char *command = shell_allocate(length + 1);
  memcpy(command, line, length);
  command[strcspn(command, "\r\n")] = '\0';
  shell_forget(r);
  s->place = r->lines;
  if (s->echo)
    fprintf(shell_stream(s), "%s\n", command);
  shell_run_command(s, command);
  free(command);
}

void shell_feed(shell *s, shell_reader *r, const char *line, size_t length) {
  const shell_reader *before = s->reader;
  const size_t blanks = strspn(line, " \t");
  s->reader = r;
  r->lines++;
  if (r->line == 0)
    r->line = r->lines;
  if (!shell_is_inside(r) && (line[blanks] == '.' || line[blanks] == '\\')) {
    feed_command(s, r, line + blanks, length - blanks);
  } else {
    shell_append(&r->text, line, length);
    size_t end;
    while (!s->done && !s->cancelled &&
           (end = shell_split(&r->splitter, r->text.data + r->used, r->text.size - r->used)) > 0)
      run_until(s, r, r->used + end);
    drop_used(r);
  }
  if (s->cancelled)
    shell_forget(r);
  s->reader = before;
}

void shell_feed_end(shell *s, shell_reader *r) {
  const shell_reader *before = s->reader;
  s->reader = r;
  if (!s->done && !s->cancelled && shell_is_inside(r))
    run_until(s, r, r->text.size);
  s->reader = before;
  free(r->text.data);
  r->text = (shell_text){0};
  shell_forget(r);
}

void shell_run_text(shell *s, const char *text) {
  shell_reader reader = {0};
  while (*text && !s->done) {
    const size_t length = strcspn(text, "\n") + (strchr(text, '\n') != NULL);
    char *line = strndup(text, length);
    if (line)
      shell_feed(s, &reader, line, length);
    else
      shell_fail(s, RDX_ERROR_MEMORY, "host memory ran out: a line of %zu bytes", length);
    free(line);
    text += length;
  }
  shell_feed_end(s, &reader);
}

void shell_run_stream(shell *s, FILE *stream, const char *name) {
  shell_reader reader = {.name = name};
  char *line = NULL;
  size_t capacity = 0;
  ssize_t length;
  errno = 0;
  while (!s->done && !s->cancelled && (length = getline(&line, &capacity, stream)) >= 0)
    shell_feed(s, &reader, line, (size_t)length);
  /* A line that is too long for the memory is an error without a mark of the stream. */
  const int wrong = !s->done && !s->cancelled && !feof(stream) ? errno : 0;
  free(line);
  shell_settle(s);
  if (wrong && !s->done)
    shell_fail(s, RDX_ERROR_IO, "cannot read %s: %s", name, strerror(wrong));
  shell_feed_end(s, &reader);
}

void shell_run_file(shell *s, const char *path) {
  if (!cli_stream_path(path)) {
    FILE *input = console_open_input(STDIN_FILENO);
    if (input) {
      shell_run_stream(s, input, "stdin");
      fclose(input);
    } else {
      shell_fail(s, RDX_ERROR_IO, "cannot read stdin: %s", strerror(errno));
    }
    return;
  }
  if (!*path) {
    shell_fail(s, RDX_ERROR_ARGUMENT, "cannot read a file without a name");
    return;
  }
  if (s->depth == MAX_DEPTH) {
    shell_fail(s, RDX_ERROR_ARGUMENT, "%s: files read each other %d levels deep: does one read itself?", path,
               MAX_DEPTH);
    return;
  }
  const int file = open(path, O_RDONLY | O_CLOEXEC);
  FILE *stream = file >= 0 ? console_open_input(file) : NULL;
  if (!stream) {
    shell_fail(s, RDX_ERROR_IO, "cannot read %s: %s", path, strerror(errno));
    if (file >= 0)
      close(file);
    return;
  }
  const shell_reader *before = s->reader;
  const uint64_t place = s->place;
  s->depth++;
  shell_run_stream(s, stream, path);
  s->depth--;
  s->reader = before;
  s->place = place;
  fclose(stream);
  close(file);
}
