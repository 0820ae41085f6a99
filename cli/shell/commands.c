/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* Dot commands. */

#include "cli/shell/shell.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MAX_ARGUMENTS = 3 };

typedef struct arguments {
  char *words[MAX_ARGUMENTS + 2]; /* the command is the first */
  uint32_t count;                 /* without the command */
  char *rest;                     /* of the line, where a command takes it as it is */
} arguments;

/* ---- Settings ---- */

static void set_switch(shell *s, const char *name, const char *value, bool *out) {
  const bool on = strcmp(value, "on") == 0;
  if (on || strcmp(value, "off") == 0)
    *out = on;
  else
    shell_fail(s, RDX_ERROR_ARGUMENT, "%s %s: it is on or off", name, value);
}

static void run_timer(shell *s, const arguments *a) {
  set_switch(s, ".timer", a->words[1], &s->timer);
}

static void run_echo(shell *s, const arguments *a) {
  set_switch(s, ".echo", a->words[1], &s->echo);
}

static void run_bail(shell *s, const arguments *a) {
  set_switch(s, ".bail", a->words[1], &s->bail);
}

static void run_explain(shell *s, const arguments *a) {
  set_switch(s, ".explain", a->words[1], &s->explain);
}

static void run_headers(shell *s, const arguments *a) {
  set_switch(s, ".headers", a->words[1], &s->format.header);
}

static void run_mode(shell *s, const arguments *a) {
  char text[64];
  console_guess guess = {0};
  if (a->count == 0)
    fprintf(shell_stream(s), "%s\n", shell_mode_name(s->format.mode));
  else if (!shell_mode_from_name(a->words[1], &s->format.mode, &guess))
    shell_fail(s, RDX_ERROR_ARGUMENT,
               "there is no mode '%s'%s (auto, box, csv, json, jsonlines, line, list, markdown, tabs)", a->words[1],
               console_guess_text(&guess, "", text));
}

static void replace(const char **value, char *by) {
  free((char *)*value);
  *value = by;
}

static void run_separator(shell *s, const arguments *a) {
  char *value = shell_unescape(a->words[1]);
  if (*value) {
    replace(&s->format.separator, value);
    return;
  }
  free(value);
  shell_fail(s, RDX_ERROR_ARGUMENT, ".separator: between fields there is at least one character");
}

static void run_nullvalue(shell *s, const arguments *a) {
  replace(&s->format.null, shell_unescape(a->words[1]));
}

static void run_maxrows(shell *s, const arguments *a) {
  if (console_parse_u64(a->words[1], 0, UINT64_MAX, &s->format.max_rows))
    s->has_max_rows = true;
  else
    shell_fail(s, RDX_ERROR_ARGUMENT, ".maxrows %s: it is a number; 0: all rows", a->words[1]);
}

/* A text as one would have to write it. */
static void show_text(FILE *stream, const char *name, const char *text) {
  fprintf(stream, "%12s: ", name);
  if (!text) {
    fputs("that of the mode\n", stream);
    return;
  }
  fputc('"', stream);
  shell_write_escaped(stream, text, strlen(text), SHELL_ESCAPE_CONTROLS | SHELL_ESCAPE_BREAKS);
  fputs("\"\n", stream);
}

static void run_show(shell *s, const arguments *a) {
  (void)a;
  FILE *stream = shell_stream(s);
  const struct {
    const char *name;
    bool on;
  } switches[] = {{"bail", s->bail},
                  {"echo", s->echo},
                  {"explain", s->explain},
                  {"headers", s->format.header},
                  {"timer", s->timer}};
  for (size_t i = 0; i < sizeof switches / sizeof *switches; i++)
    fprintf(stream, "%12s: %s\n", switches[i].name, switches[i].on ? "on" : "off");
  if (s->has_max_rows)
    fprintf(stream, "%12s: %" PRIu64 "\n", "maxrows", s->format.max_rows);
  else
    fprintf(stream, "%12s: 1000 on a terminal, else all\n", "maxrows");
  fprintf(stream, "%12s: %s\n", "mode", shell_mode_name(s->format.mode));
  show_text(stream, "nullvalue", s->format.null);
  fprintf(stream, "%12s: %s\n", "output", s->file.path ? s->file.path : "the standard output");
  show_text(stream, "separator", s->format.separator);
  fprintf(stream, "%12s: %s\n", "device", rdx_device_get_info(s->device)->name);
}

/* ---- What there is ---- */

static void run_tables(shell *s, const arguments *a) {
  shell_list_tables(s, a->words[1]);
}

static void run_indexes(shell *s, const arguments *a) {
  (void)a;
  shell_list_indexes(s);
}

static void run_schema(shell *s, const arguments *a) {
  shell_show_schema(s, a->words[1]);
}

static void run_describe(shell *s, const arguments *a) {
  if (a->count > 0)
    shell_describe_table(s, a->words[1]);
  else
    shell_list_tables(s, NULL);
}

/* ---- Files ---- */

static void run_read(shell *s, const arguments *a) {
  shell_run_file(s, a->words[1]);
}

static void run_output(shell *s, const arguments *a) {
  shell_set_output(s, cli_stream_path(a->words[1]));
}

static void run_once(shell *s, const arguments *a) {
  shell_set_once(s, a->words[1]);
}

static void run_cd(shell *s, const arguments *a) {
  const char *home = getenv("HOME"), *path = a->count > 0 ? a->words[1] : home ? home : "/";
  if (chdir(path) != 0)
    shell_fail(s, RDX_ERROR_IO, "cannot go to the folder %s: %s", path, strerror(errno));
}

static bool has_table(shell *s, const char *name) {
  rdx_error err = {""};
  const char *const *names = NULL;
  uint32_t count = 0;
  if (rdx_database_tables(s->database, &names, &count, &err) != RDX_OK)
    return false;
  for (uint32_t i = 0; i < count; i++)
    if (strcmp(names[i], name) == 0)
      return true;
  return false;
}

/* Rows of a file into a table, which is made where there is none. */
static void run_import(shell *s, const arguments *a) {
  const char *file = a->words[1], *table = a->words[2];
  shell_text text = {0};
  if (has_table(s, table)) {
    shell_print(&text, "INSERT INTO ");
    shell_append_name(&text, table);
  } else {
    shell_print(&text, "CREATE TABLE ");
    shell_append_name(&text, table);
    shell_print(&text, " AS");
  }
  shell_print(&text, " SELECT * FROM ");
  if (access(file, R_OK) == 0 && !strpbrk(file, "./"))
    shell_print(&text, "\"./%s\"", file); /* else it would be the name of a table */
  else
    shell_append_quoted_name(&text, file);
  rdx_table *answer = shell_query(s, text.data);
  rdx_table_destroy(&answer);
  free(text.data);
}

/* ---- As in psql ---- */

static void run_timing(shell *s, const arguments *a) {
  if (a->count > 0)
    set_switch(s, "\\timing", a->words[1], &s->timer);
  else
    s->timer = !s->timer;
}

/* A line for each field, or the mode that there is without. */
static void run_expanded(shell *s, const arguments *a) {
  bool on = s->format.mode != SHELL_LINE;
  if (a->count > 0)
    set_switch(s, "\\x", a->words[1], &on);
  s->format.mode = on ? SHELL_LINE : SHELL_AUTO;
}

/* What is behind the first TO or FROM that stands in no parentheses and no quotes; NULL: there is none. */
static char *find_file(char *text) {
  int open = 0;
  for (char *at = text, *end; *at; at = end) {
    end = at + 1;
    if (*at == '\'' || *at == '"') {
      end = strchr(at + 1, *at);
      if (!end++)
        return NULL;
      continue;
    }
    open += (*at == '(') - (*at == ')');
    if (*at != ' ' || open > 0)
      continue;
    const size_t length = strcspn(at + 1, " ");
    if ((length == 2 && strncasecmp(at + 1, "to", 2) == 0) || (length == 4 && strncasecmp(at + 1, "from", 4) == 0))
      return at + 1 + length + strspn(at + 1 + length, " ");
  }
  return NULL;
}

/* \copy is COPY, but that the file may stand without quotes. */
static void copy_line(shell *s, char *line) {
  shell_text text = {0};
  char *file = find_file(line);
  const size_t length = file ? strcspn(file, " ;") : 0;
  const bool bare =
      length > 0 && *file != '\'' && strncasecmp(file, "stdin", 5) != 0 && strncasecmp(file, "stdout", 6) != 0;
  shell_print(&text, "COPY ");
  if (bare) {
    shell_append(&text, line, (size_t)(file - line));
    shell_append(&text, "'", 1);
    for (size_t i = 0; i < length; i++)
      shell_append(&text, file[i] == '\'' ? "''" : file + i, file[i] == '\'' ? 2 : 1);
    shell_print(&text, "'%s", file + length);
  } else {
    shell_print(&text, "%s", line);
  }
  shell_run_text(s, text.data);
  free(text.data);
}

static void run_copy(shell *s, const arguments *a) {
  copy_line(s, a->rest);
}

/* ---- Others ---- */

static char *cut_word(char **at);
static bool is_open(shell *s, const char *at);

/* Words, of which those in quotes may hold blanks. */
static void run_print(shell *s, const arguments *a) {
  FILE *stream = shell_stream(s);
  char *at = a->rest, *word = NULL;
  shell_text text = {0};
  for (; at && (word = cut_word(&at)); shell_append(&text, " ", 1))
    shell_append(&text, word, strlen(word));
  if (!at || !is_open(s, at))
    fprintf(stream, "%.*s\n", text.size > 0 ? (int)text.size - 1 : 0, text.size > 0 ? text.data : "");
  free(text.data);
}

static void run_last(shell *s, const arguments *a) {
  (void)a;
  if (s->last)
    shell_show(s, s->last, s->last_explains);
  else
    shell_fail(s, RDX_ERROR_NOT_FOUND, "there is no last answer");
}

static void run_quit(shell *s, const arguments *a) {
  uint64_t code = s->failed && !s->interactive ? EXIT_FAILURE : EXIT_SUCCESS;
  if (a->count > 0 && !console_parse_u64(a->words[1], 0, 255, &code)) {
    shell_fail(s, RDX_ERROR_ARGUMENT, "%s %s: an exit status is a number from 0 to 255", a->words[0], a->words[1]);
    return;
  }
  s->done = true;
  s->exit_status = (int)code;
}

static void run_help(shell *s, const arguments *a);

static const struct command {
  const char *name, *usage, *help;
  void (*run)(shell *s, const arguments *a);
  uint8_t min, max; /* arguments */
  bool unsafe;      /* not with -safe */
  bool whole;       /* what is behind it is one argument */
} commands[] = {
    {".bail", "on|off", "stop after an error", run_bail, 1, 1, false, false},
    {".cd", "[FOLDER]", "go to a folder", run_cd, 0, 1, true, false},
    {".echo", "on|off", "show statements before they run", run_echo, 1, 1, false, false},
    {".exit", "[STATUS]", "leave the shell", run_quit, 0, 1, false, false},
    {".explain", "on|off", "show the plan of each query before its answer", run_explain, 1, 1, false, false},
    {".headers", "on|off", "show the names of columns", run_headers, 1, 1, false, false},
    {".help", "[WORD]", "describe the commands that have a word in their description", run_help, 0, 1, false, false},
    {".import", "FILE TABLE", "add the rows of a file to a table, or make it of them", run_import, 2, 2, true, false},
    {".indexes", "", "list the indexes and materialized views", run_indexes, 0, 0, false, false},
    {".last", "", "show the last answer again", run_last, 0, 0, false, false},
    {".maxrows", "N", "rows that a box shows, half of them from the start, half to the end; 0: all", run_maxrows, 1, 1,
     false, false},
    {".mode", "[MODE]", "how answers look: auto, box, csv, json, jsonlines, line, list, markdown, tabs", run_mode, 0, 1,
     false, false},
    {".nullvalue", "TEXT", "what is shown for NULL", run_nullvalue, 1, 1, false, false},
    {".once", "FILE", "write the next answer to a file", run_once, 1, 1, true, false},
    {".output", "[FILE]", "write answers to a file, which appears when the next .output ends it", run_output, 0, 1,
     true, false},
    {".print", "[TEXT]", "write a text", run_print, 0, 1, false, true},
    {".quit", "[STATUS]", "leave the shell", run_quit, 0, 1, false, false},
    {".read", "FILE", "run the statements of a file", run_read, 1, 1, true, false},
    {".schema", "[TABLE]", "show the statements that make the tables", run_schema, 0, 1, false, false},
    {".separator", "TEXT", "what stands between fields in the modes csv and list", run_separator, 1, 1, false, false},
    {".show", "", "show what is set", run_show, 0, 0, false, false},
    {".tables", "[PART]", "list the tables, or those with PART in their names", run_tables, 0, 1, false, false},
    {".timer", "on|off", "tell on stderr what statements took", run_timer, 1, 1, false, false},
    {"\\d", "[TABLE]", "list the tables, or the columns of one", run_describe, 0, 1, false, false},
    {"\\d+", "[TABLE]", "as \\d", run_describe, 0, 1, false, false},
    {"\\di", "", "as .indexes", run_indexes, 0, 0, false, false},
    {"\\dt", "[PART]", "as .tables", run_tables, 0, 1, false, false},
    {"\\copy", "TABLE|(QUERY) FROM|TO FILE [OPTIONS]", "as COPY; the file needs no quotes", run_copy, 1, 1, true, true},
    {"\\echo", "[TEXT]", "as .print", run_print, 0, 1, false, true},
    {"\\i", "FILE", "as .read", run_read, 1, 1, true, false},
    {"\\o", "[FILE]", "as .output", run_output, 0, 1, true, false},
    {"\\timing", "[on|off]", "as .timer", run_timing, 0, 1, false, false},
    {"\\x", "[on|off]", "show a line for each field", run_expanded, 0, 1, false, false},
    {"\\q", "", "leave the shell", run_quit, 0, 0, false, false},
    {"\\?", "[WORD]", "as .help", run_help, 0, 1, false, false},
};

enum { COMMANDS = sizeof commands / sizeof *commands };

const char *const *shell_command_names(void) {
  static const char *names[COMMANDS + 1];
  for (size_t i = 0; i < COMMANDS; i++)
    names[i] = commands[i].name;
  return names;
}

static const char statements_help[] = "Statements end with ; and may take several lines. DESCRIBE TABLE lists columns, "
                                      "SUMMARIZE TABLE what is in them.\n";

static void run_help(shell *s, const arguments *a) {
  FILE *stream = shell_stream(s);
  bool found = a->count > 0 && strcasestr(statements_help, a->words[1]);
  if (found)
    fputs(statements_help, stream);
  for (size_t i = 0; i < COMMANDS; i++) {
    const struct command *c = &commands[i];
    if (a->count > 0 && !strcasestr(c->name, a->words[1]) && !strcasestr(c->help, a->words[1]))
      continue;
    const int width = (int)(strlen(c->name) + 1 + strlen(c->usage));
    fprintf(stream, "%s %s%*s %s\n", c->name, c->usage, width < 22 ? 22 - width : 0, "", c->help);
    found = true;
  }
  if (!found)
    shell_fail(s, RDX_ERROR_NOT_FOUND, "no command has '%s' in its description; .help lists all", a->words[1]);
  if (a->count == 0)
    fprintf(stream, "\n%sCtrl-C cancels a statement, Ctrl-D leaves.\n", statements_help);
}

/* ---- Lines ---- */

/* The end of what is in quotes from `text` on, in which two quotes have become one; NULL: it has none. */
static char *cut_quoted(char *text, char quote, char **behind) {
  char *to = text;
  for (; *text && (*text != quote || text[1] == quote); text++) {
    text += *text == quote;
    *to++ = *text;
  }
  if (!*text)
    return NULL;
  *behind = text + 1;
  return to;
}

/* Cut off the word at `*at`, which may be in quotes; NULL: there is none. */
static char *cut_word(char **at) {
  char *word = *at + strspn(*at, " \t"), *end = word + strcspn(word, " \t");
  const char quote = *word == '\'' || *word == '"' ? *word : '\0';
  if (!*word)
    return NULL;
  if (quote)
    end = cut_quoted(++word, quote, at);
  else
    *at = *end ? end + 1 : end;
  if (end)
    *end = '\0';
  return end ? word : NULL;
}

/* Whether a word is left whose quote has no end, which is an error. */
static bool is_open(shell *s, const char *at) {
  at += strspn(at, " \t");
  if (*at != '\'' && *at != '"')
    return false;
  shell_fail(s, RDX_ERROR_ARGUMENT, "the quote %c has no end", *at);
  return true;
}

static const struct command *find_command(shell *s, const char *name) {
  char text[64];
  console_guess guess = {0};
  for (size_t i = 0; i < COMMANDS; i++) {
    if (strcmp(commands[i].name, name) == 0)
      return &commands[i];
    console_nearest(name, commands[i].name, &guess);
  }
  shell_fail(s, RDX_ERROR_NOT_FOUND, "there is no command '%s'%s (.help lists them)", name,
             console_guess_text(&guess, "", text));
  return NULL;
}

static void run_line(shell *s, char *line) {
  arguments a = {0};
  char *at = line;
  const size_t length = strlen(line);
  if (length > 0 && line[length - 1] == ';' && !strchr(line, ' '))
    line[length - 1] = '\0'; /* as if it were a statement */
  a.words[0] = cut_word(&at);
  const struct command *c = a.words[0] ? find_command(s, a.words[0]) : NULL;
  if (!c)
    return;
  if (c->whole && *at) {
    a.rest = at;
    a.count = 1;
    at += strlen(at);
  }
  while (a.count <= MAX_ARGUMENTS && (a.words[a.count + 1] = cut_word(&at)))
    a.count++;
  if (a.count <= MAX_ARGUMENTS && is_open(s, at))
    return;
  if (a.count > c->max || a.count < c->min || at[strspn(at, " \t")])
    shell_fail(s, RDX_ERROR_ARGUMENT, "usage: %s %s", c->name, c->usage);
  else if (c->unsafe && s->safe)
    shell_fail(s, RDX_ERROR_UNSUPPORTED, "%s is not there with -safe", c->name);
  else
    c->run(s, &a);
}

void shell_run_command(shell *s, const char *line) {
  char *copy = shell_copy(line);
  size_t length = strlen(copy);
  while (length > 0 && strchr(" \t", copy[length - 1]))
    copy[--length] = '\0';
  run_line(s, copy);
  free(copy);
  shell_check(s);
  shell_settle(s);
}
