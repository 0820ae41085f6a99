/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#ifndef CLI_SHELL_H
#define CLI_SHELL_H

/* The shell: statements from the command line, from files, and from a terminal. */

#include "cli/cli.h"
#include "cli/shell/format.h"
#include "cli/shell/text.h"

#include <sys/types.h>

/* Where answers go. */
typedef struct shell_output {
  console_output out;
  char *path;    /* NULL: the standard output, or nowhere where there is no stream */
  bool direct;   /* the path is no ordinary file: it is written, not replaced */
  pid_t pager;   /* that reads it; 0: none */
  bool terminal; /* what is written is seen on one */
} shell_output;

/* A text of which statements are taken. */
typedef struct shell_reader {
  const char *name;        /* in messages; NULL: the command line or a terminal */
  shell_text text;         /* what was read */
  size_t used;             /* of it by statements that are done */
  uint64_t lines;          /* that were read */
  uint64_t line;           /* that `used` is in, from 1 */
  shell_splitter splitter; /* behind `used` */
} shell_reader;

typedef struct shell {
  rdx_device *device;
  rdx_database *database;
  shell_format format; /* as it was set; `separator` and `null` are owned */
  shell_output standard, file, once;
  rdx_table *last;    /* the last answer; NULL: none */
  bool last_explains; /* it is EXPLAIN's */
  bool interactive, safe, bail, echo, timer, explain;
  bool has_max_rows;          /* else they depend on the output */
  bool done;                  /* nothing more is to be run */
  bool failed;                /* there was an error */
  bool cancelled;             /* by Ctrl-C, or after an error: the rest of what was typed, or of a file, is dropped */
  int exit_status;            /* of done */
  uint32_t depth;             /* of files that read files */
  const shell_reader *reader; /* of what runs */
  uint64_t place;             /* and its line there */
} shell;

/* ---- Running (run.c) ---- */

/* Run what a line, with its end, completes. */
void shell_feed(shell *s, shell_reader *reader, const char *line, size_t length);

/* Run what no semicolon ended, and forget the text. */
void shell_feed_end(shell *s, shell_reader *reader);

/* Forget a statement that has not ended. */
void shell_forget(shell_reader *reader);

/* Whether a statement has begun that has not ended. */
bool shell_is_inside(const shell_reader *reader);

/* Run all of a text, and of a file. */
void shell_run_text(shell *s, const char *text);
void shell_run_stream(shell *s, FILE *stream, const char *name);
void shell_run_file(shell *s, const char *path);

/* Run one statement and show its answer. */
void shell_run_statement(shell *s, const char *text);

/* Run a statement of the shell's own; its result is the caller's. NULL: it failed, and that was said. */
rdx_table *shell_query(shell *s, const char *text);

/* Say what is wrong, and where. */
void shell_fail(shell *s, rdx_status status, const char *format, ...) RDX_PRINTF(3, 4);

/* After work that Ctrl-C may have ended: go on in the interactive shell, else be done. */
void shell_settle(shell *s);

/* ---- Output (output.c) ---- */

/* Open the standard output. */
bool shell_open_output(shell *s);

/* Write to a file from now on, which appears when it is complete; NULL: the standard output. */
void shell_set_output(shell *s, const char *path);

/* Write the next answer to a file. */
void shell_set_once(shell *s, const char *path);

/* Complete what is open, or drop it where the work did not end well. */
void shell_close_outputs(shell *s);

/* Where text of dot commands goes. */
FILE *shell_stream(shell *s);

/* See that it got there. The file of one answer is complete then. */
void shell_flush(shell *s);

/* The same, but that file waits on where nothing was written. */
void shell_check(shell *s);

/* Show a table as it is set; `explains`: as lines. */
void shell_show(shell *s, const rdx_table *table, bool explains);

/* ---- Dot commands (commands.c) ---- */

/* Run a line that begins with . or \. */
void shell_run_command(shell *s, const char *line);

/* The names of all, NULL at the end. */
const char *const *shell_command_names(void);

/* ---- What there is (describe.c) ---- */

/* Run DESCRIBE or SUMMARIZE; false: the statement is neither. */
bool shell_describe(shell *s, const char *text);

void shell_list_tables(shell *s, const char *part);
void shell_list_indexes(shell *s);
void shell_describe_table(shell *s, const char *name);

/* Show the statement that makes a table, or all of them for NULL. */
void shell_show_schema(shell *s, const char *name);

/* The columns of a table or view as a table without rows. */
RDX_MUST_USE rdx_status shell_columns(const shell *s, const char *name, rdx_table **out, rdx_error *err);

/* ---- The terminal (terminal.c, complete.c, history.c) ---- */

/* Read and run what the user types, until there is no more. */
void shell_run_terminal(shell *s);

/* What completes a word. */
typedef struct shell_completions {
  char **words;
  size_t count;
} shell_completions;

/* The words that the one at the end of `line` may become, where `before` was typed in lines before. `*begin` is where
 * the word begins. */
void shell_complete(shell *s, const char *before, const char *line, shell_completions *out, size_t *begin);
void shell_drop_completions(shell_completions *completions);

/* Call `entry` for what was typed in earlier runs, and keep what is typed now. */
typedef void (*shell_history_fn)(void *user, const char *text);
void shell_load_history(shell_history_fn entry, void *user);
void shell_save_history(const char *text);

/* A file of the user's: $VARIABLE/raydex/NAME, else ~/FOLDER/raydex/NAME; NULL: there is no home. free() it. */
char *shell_user_file(const char *variable, const char *folder, const char *name);

/* ---- Command line (options.c) ---- */

typedef struct shell_work {
  bool is_file;
  const char *text; /* or the file's path */
} shell_work;

typedef struct shell_options {
  cli_common common;
  shell_format format;
  shell_work *work; /* -c and -f, in their order */
  size_t work_count;
  const char *folder; /* NULL: none */
  const char **files;
  size_t file_count;
  const char *init;
  bool header_given, no_init, read_only, safe, keep_going;
} shell_options;

/* 0 to go on, else the exit status plus one. */
int shell_parse_options(int argc, char **argv, shell_options *out);
void shell_drop_options(shell_options *options);

/* The name of a file's table: that of the file, without its folder and suffix. */
char *shell_table_name(const char *path);

/* Replace \t, \n, \r and \\ by what they stand for. */
char *shell_unescape(const char *text);

#endif
