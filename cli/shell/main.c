/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* The shell: from the command line to the exit status. */

#include "cli/shell/shell.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Its real path, so that .cd changes nothing; a pipe of <(...) has none. NULL: the file is not there. */
static char *path_of(const char *path) {
  char *real = cli_stream_path(path) ? realpath(path, NULL) : shell_copy("/dev/stdin");
  return real || *path != '/' || access(path, F_OK) != 0 ? real : shell_copy(path);
}

static rdx_status add_file(shell *s, const char *path, const rdx_csv_params *csv, rdx_error *err) {
  char *name = shell_table_name(path), *real = path_of(path);
  const rdx_status status = real ? rdx_database_add_file(s->database, name, real, csv, err)
                                 : console_error(err, RDX_ERROR_IO, "cannot read %s: %s", path, strerror(errno));
  free(real);
  free(name);
  return status;
}

static rdx_status open_database(shell *s, const shell_options *o, rdx_error *err) {
  const rdx_database_params params = {.read_only = o->read_only, .safe = o->safe};
  char *folder = o->folder ? realpath(o->folder, NULL) : NULL;
  rdx_status status = rdx_device_open(o->common.device, &o->common.device_params, &s->device, err);
  if (status == RDX_OK)
    status = rdx_database_open(s->device, folder ? folder : o->folder, &params, &s->database, err);
  for (size_t i = 0; status == RDX_OK && i < o->file_count; i++)
    status = add_file(s, o->files[i], &o->common.csv, err);
  free(folder);
  return status;
}

static void run_init(shell *s, const shell_options *o) {
  char *path = o->init || o->no_init || !s->interactive ? NULL : shell_user_file("XDG_CONFIG_HOME", ".config", "init");
  if (o->init)
    shell_run_file(s, o->init);
  else if (path && access(path, F_OK) == 0)
    shell_run_file(s, path);
  free(path);
}

static void copy_text(const char **to, const char *from) {
  if (!from)
    return;
  free((char *)*to);
  *to = shell_copy(from);
}

/* What the command line says goes before what the file of the start has set. */
static void apply_options(shell *s, const shell_options *o) {
  if (o->format.mode != SHELL_AUTO)
    s->format.mode = o->format.mode;
  if (o->header_given)
    s->format.header = o->format.header;
  copy_text(&s->format.separator, o->format.separator);
  copy_text(&s->format.null, o->format.null);
}

static void run(shell *s, const shell_options *o) {
  run_init(s, o);
  apply_options(s, o);
  for (size_t i = 0; i < o->work_count && !s->done; i++) {
    if (o->work[i].is_file)
      shell_run_file(s, o->work[i].text);
    else
      shell_run_text(s, o->work[i].text);
  }
  if (s->interactive && !s->done)
    shell_run_terminal(s);
  else if (o->work_count == 0 && !s->done)
    shell_run_file(s, "-");
}

static int finish(shell *s) {
  shell_close_outputs(s);
  rdx_table_destroy(&s->last);
  rdx_database_close(&s->database);
  rdx_device_close(&s->device);
  free((char *)s->format.separator);
  free((char *)s->format.null);
  return s->done ? s->exit_status : s->failed && !s->interactive ? EXIT_FAILURE : EXIT_SUCCESS;
}

int cli_shell(int argc, char **argv) {
  shell_options o = {.common = {.device = "auto"}, .format = {.header = true}};
  const int parsed = shell_parse_options(argc, argv, &o);
  int exit_status = parsed - 1;
  if (parsed == 0) {
    rdx_error err = {""};
    shell s = {.format = {.header = true}, .bail = !o.keep_going, .safe = o.safe};
    s.interactive = o.work_count == 0 && isatty(STDIN_FILENO);
    s.bail = !o.keep_going && !s.interactive;
    shell_set_locale();
    const rdx_status status = open_database(&s, &o, &err);
    if (status != RDX_OK) {
      s.done = true;
      s.exit_status = console_fail(status, "%s", err.text);
    } else if (shell_open_output(&s)) {
      run(&s, &o);
    }
    exit_status = finish(&s);
  }
  shell_drop_options(&o);
  return exit_status;
}
