/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* Where answers go: the standard output, files, and a pager. */

#include "cli/shell/shell.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio_ext.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { SHOWN_ROWS = 1000 }; /* of a box on a terminal, where nothing else was said */

extern char **environ;

/* ---- Files ---- */

/* What is no ordinary file, such as /dev/null or a named pipe, cannot be replaced. */
static bool is_special(const char *path) {
  struct stat info;
  return stat(path, &info) == 0 && !S_ISREG(info.st_mode) && !S_ISDIR(info.st_mode);
}

/* One thread writes: no lock is taken for each piece. */
static void write_alone(FILE *stream) {
  __fsetlocking(stream, FSETLOCKING_BYCALLER);
}

static void open_file(shell *s, shell_output *o, const char *path) {
  rdx_error err = {""};
  o->path = shell_copy(path);
  o->direct = is_special(path);
  if (o->direct) {
    o->out = (console_output){.stream = fopen(path, "we"), .path = o->path};
    o->terminal = o->out.stream && isatty(fileno(o->out.stream));
    if (!o->out.stream)
      snprintf(err.text, sizeof err.text, "cannot write %s: %s", path, strerror(errno));
  } else if (console_output_open(o->path, &o->out, &err) != RDX_OK) {
    o->out.stream = NULL;
  }
  if (o->out.stream) {
    write_alone(o->out.stream);
    return;
  }
  shell_fail(s, RDX_ERROR_IO, "%s", err.text);
  free(o->path);
  *o = (shell_output){0};
}

/* Complete a file, or drop it where it still can be. */
static void close_file(shell *s, shell_output *o, bool drop) {
  rdx_error err = {""};
  rdx_status status = RDX_OK;
  if (!o->out.stream)
    return;
  if (drop && !o->direct) {
    console_output_discard(&o->out);
  } else if (o->direct) {
    if (fclose(o->out.stream) != 0) {
      status = RDX_ERROR_IO;
      snprintf(err.text, sizeof err.text, "cannot write %s: %s", o->path, strerror(errno));
    }
  } else {
    status = console_output_finish(&o->out, &err);
  }
  if (status != RDX_OK)
    shell_fail(s, status, "%s", err.text);
  free(o->path);
  *o = (shell_output){0};
}

bool shell_open_output(shell *s) {
  rdx_error err = {""};
  const rdx_status status = console_output_open(NULL, &s->standard.out, &err);
  s->standard.terminal = isatty(STDOUT_FILENO) != 0;
  if (status != RDX_OK) {
    console_fail(status, "%s", err.text);
    return false;
  }
  write_alone(s->standard.out.stream);
  if (!s->standard.terminal)
    setvbuf(s->standard.out.stream, NULL, _IOFBF, 1 << 16);
  return true;
}

void shell_set_output(shell *s, const char *path) {
  close_file(s, &s->file, false);
  if (path)
    open_file(s, &s->file, path);
}

void shell_set_once(shell *s, const char *path) {
  close_file(s, &s->once, true);
  open_file(s, &s->once, path);
}

void shell_close_outputs(shell *s) {
  close_file(s, &s->once, true);
  close_file(s, &s->file, s->failed && s->bail);
  if (s->standard.out.stream)
    fclose(s->standard.out.stream);
  s->standard.out.stream = NULL;
}

/* ---- The pager ---- */

static bool find_program(const char *name) {
  const char *at = getenv("PATH");
  char path[4096];
  while (at && *at) {
    const int length = (int)strcspn(at, ":");
    if (snprintf(path, sizeof path, "%.*s/%s", length, at, name) < (int)sizeof path && access(path, X_OK) == 0)
      return true;
    at += length + (at[length] == ':');
  }
  return false;
}

/* The command of the pager; NULL: none. */
static const char *pager_command(void) {
  const char *given = getenv("PAGER");
  if (given)
    return given[strspn(given, " ")] ? given : NULL;
  return find_program("less") ? "less -S" : NULL;
}

static bool get_size(struct winsize *size) {
  return ioctl(STDOUT_FILENO, TIOCGWINSZ, size) == 0 && size->ws_col > 0;
}

static bool wants_pager(const shell *s, const shell_output *o, uint64_t lines) {
  struct winsize size;
  return o == &s->standard && s->interactive && !s->safe && o->terminal && get_size(&size) && size.ws_row > 0 &&
         lines + 1 > size.ws_row;
}

static pid_t spawn(const char *command, int input) {
  char shell_name[] = "sh", option[] = "-c";
  char *text = shell_copy(command), *arguments[] = {shell_name, option, text, NULL};
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  sigset_t defaults;
  pid_t child = 0;
  sigemptyset(&defaults);
  sigaddset(&defaults, SIGPIPE);
  sigaddset(&defaults, SIGXFSZ);
  posix_spawn_file_actions_init(&actions);
  posix_spawnattr_init(&attributes);
  posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO);
  posix_spawnattr_setsigdefault(&attributes, &defaults);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
  if (posix_spawn(&child, "/bin/sh", &actions, &attributes, arguments, environ) != 0)
    child = 0;
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  free(text);
  return child;
}

/* Start the pager; false: there is none. */
static bool open_pager(shell_output *o) {
  int ends[2];
  const char *command = pager_command();
  if (!command || pipe2(ends, O_CLOEXEC) != 0)
    return false;
  o->pager = spawn(command, ends[0]);
  close(ends[0]);
  o->out.stream = o->pager ? fdopen(ends[1], "w") : NULL;
  o->terminal = true;
  if (o->out.stream)
    write_alone(o->out.stream);
  else
    close(ends[1]);
  return o->out.stream != NULL;
}

/* Wait until the user has left it. Ctrl-C is the pager's meanwhile. */
static void close_pager(shell_output *o) {
  if (o->out.stream)
    fclose(o->out.stream);
  while (waitpid(o->pager, NULL, 0) < 0 && errno == EINTR)
    ;
  console_forget_interrupt();
  *o = (shell_output){0};
}

/* ---- Writing ---- */

static shell_output *current(shell *s) {
  return s->once.out.stream ? &s->once : s->file.out.stream ? &s->file : &s->standard;
}

FILE *shell_stream(shell *s) {
  return current(s)->out.stream;
}

/* What was written before Ctrl-C and is still here is not wanted any more. */
static void drop_pending(shell_output *o) {
  __fpurge(o->out.stream);
  clearerr(o->out.stream);
  o->out.error = 0;
}

static void check_output(shell *s, shell_output *o) {
  errno = 0;
  const bool flushed = fflush(o->out.stream) == 0;
  const bool stopped = console_output_stopped(&o->out);
  const int wrong = o->out.error ? o->out.error : flushed ? 0 : errno;
  if (console_interrupted()) {
    if (o == &s->standard)
      drop_pending(o);
    return;
  }
  if (flushed && !stopped)
    return;
  if (o == &s->standard) {
    s->done = true; /* nobody would see more */
    s->failed = true;
    s->exit_status = wrong == EPIPE ? 128 + SIGPIPE : EXIT_FAILURE;
  }
  if (wrong != EPIPE || o != &s->standard)
    shell_fail(s, RDX_ERROR_IO, "cannot write %s: %s", o->path ? o->path : "the standard output", strerror(wrong));
  drop_pending(o);
  if (o != &s->standard)
    close_file(s, o, true);
}

void shell_check(shell *s) {
  shell_output *o = current(s);
  check_output(s, o);
  if (o == &s->once && o->out.stream && (o->direct || ftello(o->out.stream) > 0))
    close_file(s, o, false);
}

void shell_flush(shell *s) {
  shell_output *o = current(s);
  check_output(s, o);
  if (o == &s->once)
    close_file(s, o, false);
}

static void write_answer(shell_output *o, const rdx_table *table, const shell_format *format, bool explains) {
  if (explains)
    shell_write_lines(&o->out, table, format);
  else
    shell_write_table(&o->out, table, format);
}

void shell_show(shell *s, const rdx_table *table, bool explains) {
  struct winsize size;
  shell_output *o = current(s), pager = {0};
  shell_format format = s->format;
  format.terminal = o->terminal;
  format.width = o->terminal ? get_size(&size) ? size.ws_col : 80 : 0;
  if (!s->has_max_rows)
    format.max_rows = o->terminal ? SHOWN_ROWS : 0;
  const bool box = shell_mode_of(&format) == SHELL_BOX;
  const uint64_t lines = explains ? rdx_table_rows(table) : box ? shell_box_lines(table, &format) : 0;
  if (wants_pager(s, o, lines) && open_pager(&pager)) {
    write_answer(&pager, table, &format, explains);
    close_pager(&pager);
    return;
  }
  write_answer(o, table, &format, explains);
  shell_flush(s);
}
