/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* What was typed before: a file with a line for each statement, where \n is a line break and \\ a backslash. A line is
 * added when it is typed, so that shells that run at the same time keep all of it. */

#include "cli/shell/shell.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MAX_LINES = 5000 }; /* kept when there are twice as many */

char *shell_user_file(const char *variable, const char *folder, const char *name) {
  const char *base = getenv(variable), *home = getenv("HOME");
  shell_text path = {0};
  if (base && *base == '/')
    shell_print(&path, "%s/raydex/%s", base, name);
  else if (home && *home)
    shell_print(&path, "%s/%s/raydex/%s", home, folder, name);
  return path.data;
}

/* The folders of a path that are missing. */
static void make_folders(char *path) {
  for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
    *slash = '\0';
    (void)!mkdir(path, 0700);
    *slash = '/';
  }
}

/* Keep the last lines of a file that has grown. */
static void shorten(const char *path, char *const *lines, size_t count) {
  shell_text temporary = {0};
  shell_print(&temporary, "%s.XXXXXX", path);
  const int file = mkstemp(temporary.data); /* mode 0600 */
  FILE *stream = file >= 0 ? fdopen(file, "w") : NULL;
  for (size_t i = count - MAX_LINES; stream && i < count; i++)
    fputs(lines[i], stream);
  const bool written = stream && fclose(stream) == 0;
  if (file >= 0 && (!written || rename(temporary.data, path) != 0))
    unlink(temporary.data);
  free(temporary.data);
}

static void enter_line(const char *line, shell_history_fn entry, void *user) {
  shell_text text = {0};
  for (const char *p = line; *p && *p != '\n'; p++) {
    const bool escape = *p == '\\' && (p[1] == 'n' || p[1] == '\\');
    shell_append(&text, escape && p[1] == 'n' ? "\n" : p, 1);
    p += escape;
  }
  if (text.size > 0)
    entry(user, text.data);
  free(text.data);
}

void shell_load_history(shell_history_fn entry, void *user) {
  char *path = shell_user_file("XDG_STATE_HOME", ".local/state", "history"), *line = NULL, **lines = NULL;
  size_t capacity = 0, count = 0;
  FILE *stream = path ? fopen(path, "re") : NULL;
  while (stream && getline(&line, &capacity, stream) > 0) {
    char **longer = realloc(lines, (count + 1) * sizeof *longer);
    if (!longer)
      break;
    lines = longer;
    lines[count++] = shell_copy(line);
  }
  if (stream)
    fclose(stream);
  for (size_t i = count > MAX_LINES ? count - MAX_LINES : 0; i < count; i++)
    enter_line(lines[i], entry, user);
  if (count > 2 * (size_t)MAX_LINES)
    shorten(path, lines, count);
  for (size_t i = 0; i < count; i++)
    free(lines[i]);
  free(lines);
  free(line);
  free(path);
}

void shell_save_history(const char *entry) {
  char *path = shell_user_file("XDG_STATE_HOME", ".local/state", "history");
  shell_text line = {0};
  for (const char *p = entry; *p; p++) {
    const char *escape = *p == '\n' ? "\\n" : *p == '\\' ? "\\\\" : NULL;
    shell_append(&line, escape ? escape : p, escape ? 2 : 1);
  }
  shell_append(&line, "\n", 1);
  int file = -1;
  if (path) {
    make_folders(path);
    file = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
  }
  if (file >= 0) {
    (void)!fchmod(file, 0600);
    (void)!write(file, line.data, line.size);
    close(file);
  }
  free(line.data);
  free(path);
}
