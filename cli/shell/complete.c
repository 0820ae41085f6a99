/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* What a word may become: dot commands, words of SQL, names of tables, of columns, and of files. */

#include "cli/shell/shell.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

typedef struct search {
  shell_completions *out;
  const char *prefix;
  size_t length;
} search;

static void add(search *f, char *word) {
  shell_completions *out = f->out;
  for (size_t i = 0; i < out->count; i++) {
    if (strcmp(out->words[i], word) == 0) {
      free(word);
      return;
    }
  }
  char **longer = realloc(out->words, (out->count + 1) * sizeof *longer);
  if (!longer) {
    free(word);
    return;
  }
  out->words = longer;
  out->words[out->count++] = word;
}

/* A name of a table or column that begins as the word does. */
static void offer_name(search *f, const char *name) {
  if (strncasecmp(name, f->prefix, f->length) != 0)
    return;
  shell_text text = {0};
  shell_append_name(&text, name);
  add(f, text.data);
}

/* A word of SQL, in the capitals or small letters that it was begun with. */
static void offer_word(search *f, const char *word) {
  if (f->length == 0 || strncasecmp(word, f->prefix, f->length) != 0)
    return;
  char *copy = shell_copy(word);
  const bool small = f->prefix[f->length - 1] >= 'a';
  for (char *p = copy; small && *p; p++)
    *p = (char)(*p >= 'A' && *p <= 'Z' ? *p - 'A' + 'a' : *p);
  add(f, copy);
}

static void offer_exact(search *f, const char *word) {
  if (strncmp(word, f->prefix, f->length) == 0)
    add(f, shell_copy(word));
}

static bool is_name(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || (c & 0x80);
}

/* Whether a text has `name` as a word. */
static bool mentions(const char *text, const char *name) {
  const size_t length = strlen(name);
  for (const char *at = text; (at = strcasestr(at, name)); at++)
    if ((at == text || !is_name(at[-1])) && !is_name(at[length]))
      return true;
  return false;
}

static void offer_columns(const shell *s, search *f, const char *table) {
  rdx_error err;
  rdx_table *columns = NULL;
  if (shell_columns(s, table, &columns, &err) != RDX_OK)
    return;
  for (uint32_t i = 0; i < rdx_table_columns(columns); i++)
    offer_name(f, rdx_table_column_name(columns, i));
  rdx_table_destroy(&columns);
}

/* Names of tables, and of the columns of those that the statement mentions. */
static void offer_names(shell *s, search *f, const char *before, const char *line) {
  const char *const *names = NULL;
  uint32_t count = 0;
  if (rdx_database_tables(s->database, &names, &count, NULL) != RDX_OK)
    return;
  char **copies = shell_allocate((count + 1) * sizeof *copies); /* what follows may change the list */
  for (uint32_t i = 0; i < count; i++)
    copies[i] = shell_copy(names[i]);
  for (uint32_t i = 0; i < count; i++) {
    offer_name(f, copies[i]);
    if (mentions(before, copies[i]) || mentions(line, copies[i]))
      offer_columns(s, f, copies[i]);
    free(copies[i]);
  }
  free(copies);
}

static void offer_files(search *f) {
  const char *slash = strrchr(f->prefix, '/');
  const int folder_length = slash ? (int)(slash - f->prefix) + 1 : 0;
  const char *name = f->prefix + folder_length;
  char *folder = folder_length > 0 ? strndup(f->prefix, (size_t)folder_length) : shell_copy(".");
  DIR *entries = folder ? opendir(folder) : NULL;
  for (struct dirent *e; entries && (e = readdir(entries));) {
    struct stat info;
    shell_text path = {0};
    if (strncmp(e->d_name, name, strlen(name)) != 0 || (e->d_name[0] == '.' && *name != '.'))
      continue;
    shell_print(&path, "%.*s%s", folder_length, f->prefix, e->d_name);
    if (stat(path.data, &info) == 0 && S_ISDIR(info.st_mode))
      shell_append(&path, "/", 1);
    add(f, path.data);
  }
  if (entries)
    closedir(entries);
  free(folder);
}

static bool begins_with(const char *line, const char *word) {
  return strncmp(line, word, strlen(word)) == 0;
}

/* What a dot command takes. */
static void offer_argument(shell *s, search *f, const char *line) {
  if (begins_with(line, ".mode ")) {
    for (int i = 0; i < SHELL_MODES; i++)
      offer_exact(f, shell_mode_name((shell_mode)i));
  } else if (begins_with(line, ".schema ") || begins_with(line, "\\d ") || begins_with(line, ".tables ")) {
    offer_names(s, f, "", "");
  } else if (begins_with(line, ".help ")) {
    for (const char *const *name = shell_command_names(); *name; name++)
      offer_exact(f, *name);
  } else if (begins_with(line, ".timer ") || begins_with(line, ".headers ") || begins_with(line, ".echo ") ||
             begins_with(line, ".bail ") || begins_with(line, ".explain ")) {
    offer_exact(f, "on");
    offer_exact(f, "off");
  } else {
    offer_files(f);
  }
}

void shell_complete(shell *s, const char *before, const char *line, shell_completions *out, size_t *begin) {
  const size_t length = strlen(line);
  const bool command = !*before && (*line == '.' || *line == '\\');
  size_t at = length;
  while (at > 0 && (command ? line[at - 1] != ' ' : is_name(line[at - 1])))
    at--;
  search f = {.out = out, .prefix = line + at, .length = length - at};
  *out = (shell_completions){0};
  *begin = at;
  if (command && at == 0) {
    for (const char *const *name = shell_command_names(); *name; name++)
      offer_exact(&f, *name);
  } else if (command) {
    offer_argument(s, &f, line);
  } else {
    offer_names(s, &f, before, line);
    for (size_t i = 0; i < shell_word_count; i++)
      offer_word(&f, shell_words[i]);
  }
}

void shell_drop_completions(shell_completions *completions) {
  for (size_t i = 0; i < completions->count; i++)
    free(completions->words[i]);
  free(completions->words);
  *completions = (shell_completions){0};
}
