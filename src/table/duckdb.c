/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

#include "table/duckdb.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/utf8.h"

#define OLDEST 1 /* major version */

_Static_assert(sizeof(rdx_duckdb_result) == 32 + 2 * sizeof(void *), "as DuckDB has it");
_Static_assert(sizeof(rdx_duckdb_text) == 16, "as DuckDB has it");

static const char how_to_get[] = "install it (https://duckdb.org/install, C/C++; npm has it in "
                                 "@duckdb/node-bindings-linux-x64), or name its libduckdb.so by RAYDEX_DUCKDB";

/* ---- The library ---- */

/* It stays open for the life of the process, which its threads may outlast a query in. */
static struct {
  pthread_once_t once;
  rdx_duckdb_functions functions;
  char wrong[800]; /* why it cannot be used; "": it can */
} library = {.once = PTHREAD_ONCE_INIT};

static const struct {
  const char *name;
  size_t offset;
} functions[] = {
#define NAME(result, name, parameters) {"duckdb_" #name, offsetof(rdx_duckdb_functions, name)},
    RDX_DUCKDB_FUNCTIONS(NAME)
#undef NAME
};

static void fail_library(const char *what) {
  snprintf(library.wrong, sizeof library.wrong, "Parquet needs libduckdb %d.0 or newer, but %.400s: %s", OLDEST, what,
           how_to_get);
}

static void find_functions(void *handle, const char *name) {
  char text[300];
  void *version = dlsym(handle, "duckdb_library_version");
  if (!version) {
    snprintf(text, sizeof text, "%.200s is none", name);
    fail_library(text);
    return;
  }
  memcpy(&library.functions.library_version, &version, sizeof version);
  const char *number = library.functions.library_version();
  if (atoi(number + (*number == 'v')) < OLDEST) {
    snprintf(text, sizeof text, "%.200s is %.40s", name, number);
    fail_library(text);
    return;
  }
  for (size_t i = 0; i < RDX_COUNT(functions); i++) {
    void *function = dlsym(handle, functions[i].name);
    if (!function) {
      snprintf(text, sizeof text, "%.160s, which is %.40s, has no %s", name, number, functions[i].name);
      fail_library(text);
      return;
    }
    memcpy((char *)&library.functions + functions[i].offset, &function, sizeof function);
  }
  *(void **)&library.functions.pending_prepared_streaming = dlsym(handle, "duckdb_pending_prepared_streaming");
}

static void load(void) {
  char text[400];
  const char *given = getenv("RAYDEX_DUCKDB");
  const char *name = given && *given ? given : "libduckdb.so";
  void *handle = dlopen(name, RTLD_NOW | RTLD_LOCAL);
  if (handle) {
    find_functions(handle, name);
    return;
  }
  const char *why = dlerror();
  snprintf(text, sizeof text, "it cannot be opened (%.300s)", why ? why : name);
  fail_library(text);
}

/* ---- A database ---- */

rdx_status rdx_duckdb_fail(const rdx_duckdb *d, const char *message, rdx_error *err) {
  char text[600] = "", escaped[900];
  size_t used = 0;
  const size_t alias = strlen(d->alias);
  for (const char *from = message ? message : "DuckDB does not say why"; *from && *from != '\n';) {
    const bool is_alias = strncmp(from, d->alias, alias) == 0 && (from[alias] < '0' || from[alias] > '9');
    if (used + strlen(d->path) + 2 > sizeof text)
      break;
    if (is_alias)
      used += (size_t)snprintf(text + used, sizeof text - used, "%s", d->path);
    else
      text[used++] = *from;
    from += is_alias ? alias : 1;
  }
  rdx_utf8_escape(text, used, escaped, sizeof escaped);
  return rdx_fail(err, d->status, "cannot %s %.200s: %s", d->doing, d->path, escaped);
}

/* What a file does not need: libraries from the net, files of its own. */
static rdx_status set_up(const rdx_duckdb *d, rdx_error *err) {
  static const char *const settings[] = {"SET autoinstall_known_extensions = false", "SET temp_directory = ''"};
  for (size_t i = 0; i < RDX_COUNT(settings); i++) {
    rdx_duckdb_result result = {0};
    const rdx_status status = rdx_duckdb_run(d, settings[i], &(rdx_duckdb_watch){.stage = d->doing}, &result, err);
    rdx_duckdb_drop(d, &result);
    RDX_TRY(status);
  }
  return RDX_OK;
}

rdx_status rdx_duckdb_open(int file, const char *path, bool writes, rdx_duckdb *out, rdx_error *err) {
  *out = (rdx_duckdb){
      .path = path, .doing = writes ? "write" : "read", .status = writes ? RDX_ERROR_IO : RDX_ERROR_FORMAT};
  snprintf(out->alias, sizeof out->alias, "/proc/self/fd/%d", file);
  pthread_once(&library.once, load);
  if (*library.wrong)
    return rdx_fail(err, RDX_ERROR_UNSUPPORTED, "cannot %s %.200s: %s", out->doing, path, library.wrong);
  out->call = &library.functions;
  if (out->call->open(NULL, &out->database) != 0 || out->call->connect(out->database, &out->connection) != 0)
    return rdx_fail(err, RDX_ERROR_MEMORY, "cannot %s %.200s: DuckDB does not start", out->doing, path);
  return set_up(out, err);
}

void rdx_duckdb_close(rdx_duckdb *d) {
  if (d->connection)
    d->call->disconnect(&d->connection);
  if (d->database)
    d->call->close(&d->database);
}

/* ---- Statements ---- */

/* They have all of the work. */
static void wait_for_threads(void) {
  nanosleep(&(struct timespec){.tv_nsec = 500000}, NULL);
}

/* A statement that was not run to its end is stopped, and over when this returns: its threads may be at it else, while
 * what they use is freed. */
static void stop_tasks(const rdx_duckdb *d, rdx_duckdb_handle pending) {
  d->call->interrupt(d->connection);
  for (int state = RDX_DUCKDB_GOES_ON; state == RDX_DUCKDB_GOES_ON || state == RDX_DUCKDB_WAITS;) {
    state = d->call->pending_execute_task(pending);
    if (state == RDX_DUCKDB_WAITS)
      wait_for_threads();
  }
}

void rdx_duckdb_drop(const rdx_duckdb *d, rdx_duckdb_result *result) {
  if (result->content) {
    d->call->interrupt(d->connection);
    for (rdx_duckdb_handle chunk; (chunk = d->call->fetch_chunk(*result)) != NULL;)
      d->call->destroy_data_chunk(&chunk);
    d->call->destroy_result(result);
  }
  *result = (rdx_duckdb_result){0};
}

static rdx_status run_tasks(const rdx_duckdb *d, rdx_duckdb_handle pending, const rdx_duckdb_watch *w, rdx_error *err) {
  for (;;) {
    const rdx_status status = rdx_progress(w->stage, w->done ? atomic_load(w->done) : 0, w->total, err);
    if (status != RDX_OK) {
      stop_tasks(d, pending);
      return status;
    }
    switch (d->call->pending_execute_task(pending)) {
    case RDX_DUCKDB_READY:
      return RDX_OK;
    case RDX_DUCKDB_GOES_ON:
      break;
    case RDX_DUCKDB_FAILED:
      return rdx_duckdb_fail(d, d->call->pending_error(pending), err);
    default:
      wait_for_threads();
    }
  }
}

static rdx_status finish_pending(const rdx_duckdb *d, rdx_duckdb_handle pending, const rdx_duckdb_watch *watch,
                                 rdx_duckdb_result *out, rdx_error *err) {
  RDX_TRY(run_tasks(d, pending, watch, err));
  if (d->call->execute_pending(pending, out) == 0)
    return RDX_OK;
  const rdx_status status = rdx_duckdb_fail(d, d->call->result_error(out), err);
  d->call->destroy_result(out);
  *out = (rdx_duckdb_result){0};
  return status;
}

static rdx_status run_prepared(const rdx_duckdb *d, rdx_duckdb_handle statement, const rdx_duckdb_watch *watch,
                               rdx_duckdb_result *out, rdx_error *err) {
  rdx_duckdb_handle pending = NULL;
  const bool made = (d->call->pending_prepared_streaming ? d->call->pending_prepared_streaming(statement, &pending)
                                                         : d->call->pending_prepared(statement, &pending)) == 0;
  const rdx_status status =
      made ? finish_pending(d, pending, watch, out, err) : rdx_duckdb_fail(d, d->call->pending_error(pending), err);
  d->call->destroy_pending(&pending);
  return status;
}

rdx_status rdx_duckdb_run(const rdx_duckdb *d, const char *sql, const rdx_duckdb_watch *watch, rdx_duckdb_result *out,
                          rdx_error *err) {
  rdx_duckdb_handle statement = NULL;
  *out = (rdx_duckdb_result){0};
  const bool made = d->call->prepare(d->connection, sql, &statement) == 0;
  const rdx_status status =
      made ? run_prepared(d, statement, watch, out, err) : rdx_duckdb_fail(d, d->call->prepare_error(statement), err);
  d->call->destroy_prepare(&statement);
  return status;
}

/* ---- Sources ---- */

static void bind_source(rdx_duckdb_handle bind) {
  const rdx_duckdb_source *s = library.functions.bind_get_extra_info(bind);
  s->bind(s->user, bind);
}

static void start_source(rdx_duckdb_handle init) {
  const rdx_duckdb_source *s = library.functions.init_get_extra_info(init);
  s->start(s->user);
}

static void fill_source(rdx_duckdb_handle call, rdx_duckdb_handle chunk) {
  const rdx_duckdb_source *s = library.functions.function_get_extra_info(call);
  s->fill(s->user, chunk);
}

rdx_status rdx_duckdb_add_source(const rdx_duckdb *d, const char *name, rdx_duckdb_source *source, rdx_error *err) {
  rdx_duckdb_handle function = d->call->create_table_function();
  d->call->table_function_set_name(function, name);
  d->call->table_function_set_extra_info(function, source, NULL);
  d->call->table_function_set_bind(function, bind_source);
  d->call->table_function_set_init(function, start_source);
  d->call->table_function_set_function(function, fill_source);
  const bool added = d->call->register_table_function(d->connection, function) == 0;
  d->call->destroy_table_function(&function);
  return added ? RDX_OK : rdx_duckdb_fail(d, NULL, err);
}
