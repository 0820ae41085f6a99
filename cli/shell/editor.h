/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#ifndef CLI_EDITOR_H
#define CLI_EDITOR_H

/* Lines from a terminal: edited by libedit where the program was built with it, else as the terminal gives them. */

#include "cli/shell/shell.h"

typedef enum shell_typed {
  SHELL_TYPED_LINE,
  SHELL_TYPED_END,       /* Ctrl-D */
  SHELL_TYPED_INTERRUPT, /* Ctrl-C, or a signal that ends the program */
} shell_typed;

typedef struct shell_editor shell_editor;

/* `reader` has the lines before, for completion. */
shell_editor *shell_open_editor(shell *s, const shell_reader *reader);
void shell_close_editor(shell_editor *editor);

/* Read a line; it ends with its line break and is owned by the editor. */
shell_typed shell_read_line(shell_editor *editor, const char *prompt, const char **line);

/* Offer a statement again. */
void shell_remember(shell_editor *editor, const char *text);

#endif
