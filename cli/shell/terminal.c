/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* The interactive shell. */

#include "cli/shell/editor.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define PROMPT "raydex> "
#define PROMPT_INSIDE "   ...> "

/* A statement that is complete goes into the history as it was typed, unless it begins with a blank. */
static void remember(shell_editor *editor, shell_text *typed) {
  while (typed->size > 0 && strchr(" \t\r\n", typed->data[typed->size - 1]))
    typed->data[--typed->size] = '\0';
  if (typed->size > 0 && typed->data[0] != ' ')
    shell_remember(editor, typed->data);
  typed->size = 0;
}

/* The command that is meant by a word that users of other shells type; NULL: none. */
static const char *command_of(const char *line) {
  static const char *const words[][2] = {{"exit", ".quit\n"}, {"quit", ".quit\n"}, {"help", ".help\n"}};
  const size_t length = strcspn(line, "; \t\r\n");
  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    if (strlen(words[i][0]) == length && strncasecmp(line, words[i][0], length) == 0 &&
        !line[length + strspn(line + length, "; \t\r\n")])
      return words[i][1];
  return NULL;
}

static void read_lines(shell *s, shell_editor *editor, shell_reader *reader) {
  shell_text typed = {0};
  while (!s->done) {
    const char *line = NULL;
    const shell_typed what = shell_read_line(editor, shell_is_inside(reader) ? PROMPT_INSIDE : PROMPT, &line);
    if (what == SHELL_TYPED_END)
      break;
    if (what == SHELL_TYPED_LINE) {
      const char *command = shell_is_inside(reader) ? NULL : command_of(line);
      shell_append(&typed, line, strlen(line));
      shell_feed(s, reader, command ? command : line, strlen(command ? command : line));
    } else {
      shell_settle(s);
      shell_forget(reader);
      typed.size = 0;
    }
    s->cancelled = false;
    if (!shell_is_inside(reader))
      remember(editor, &typed);
  }
  free(typed.data);
}

void shell_run_terminal(shell *s) {
  shell_reader reader = {0};
  console_stay();
  shell_editor *editor = shell_open_editor(s, &reader);
  console_note("Raydex %s on %s; .help describes the commands", rdx_version(), rdx_device_get_info(s->device)->name);
  read_lines(s, editor, &reader);
  shell_forget(&reader);
  shell_feed_end(s, &reader);
  shell_close_editor(editor);
}
