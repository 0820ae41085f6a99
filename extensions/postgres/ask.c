/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors
 *
 * Queries and their answers: by this session on the CPU, or by the worker. */
#include "raydex_fdw.h"

#include <poll.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <miscadmin.h>
#include <storage/latch.h>
#include <utils/memutils.h>
#include <utils/timestamp.h>
#include <utils/wait_event.h>

#include "wire.h"

#define START_SECONDS 30

/* To the worker; -1: none. */
static int connection = -1;

/* ---- The worker ---- */

static void disconnect(void) {
  if (connection >= 0)
    close(connection);
  connection = -1;
}

static bool try_connect(void) {
  struct sockaddr_un address = {.sun_family = AF_UNIX, .sun_path = RAYDEX_SOCKET};
  const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd >= 0 && connect(fd, (struct sockaddr *)&address, sizeof address) == 0)
    connection = fd;
  else if (fd >= 0)
    close(fd);
  return connection >= 0;
}

/* A worker that was started anew has closed what was open. */
static bool is_connected(void) {
  struct pollfd polled = {.fd = connection, .events = POLLIN};
  if (connection >= 0 && poll(&polled, 1, 0) != 0)
    disconnect();
  return connection >= 0 || try_connect();
}

static void start_worker(void) {
  const TimestampTz end = TimestampTzPlusMilliseconds(GetCurrentTimestamp(), START_SECONDS * 1000);
  if (!raydex_worker_start())
    ereport(ERROR, (errcode(ERRCODE_INSUFFICIENT_RESOURCES), errmsg("raydex: the worker could not be started"),
                    errhint("max_worker_processes may be too small; SET raydex.worker = off needs no worker.")));
  while (!try_connect()) {
    if (GetCurrentTimestamp() > end)
      ereport(ERROR, (errcode(ERRCODE_CONNECTION_FAILURE), errmsg("raydex: the worker did not start"),
                      errhint("The server's log may say why; SET raydex.worker = off needs no worker.")));
    WaitLatch(MyLatch, WL_LATCH_SET | WL_TIMEOUT | WL_EXIT_ON_PM_DEATH, 10, PG_WAIT_EXTENSION);
    ResetLatch(MyLatch);
    CHECK_FOR_INTERRUPTS();
  }
}

static void wait_for_reply(void) {
  for (;;) {
    const int events = WaitLatchOrSocket(MyLatch, WL_LATCH_SET | WL_SOCKET_READABLE | WL_EXIT_ON_PM_DEATH,
                                         (pgsocket)connection, -1, PG_WAIT_EXTENSION);
    if (events & WL_SOCKET_READABLE)
      return;
    ResetLatch(MyLatch);
    CHECK_FOR_INTERRUPTS();
  }
}

static bool exchange(WireKind kind, const char *folder, const char *text, WireReply *reply, int *file) {
  const WireRequest request = {(uint32_t)kind, raydex_count_rays, (uint32_t)strlen(folder) + 1,
                               (uint32_t)strlen(text) + 1};
  if (!wire_send(connection, &request, sizeof request) || !wire_send(connection, folder, request.folder_size) ||
      !wire_send(connection, text, request.text_size))
    return false;
  wait_for_reply();
  return wire_receive_reply(connection, reply, file);
}

/* False: there is no worker, and none is started, or it ended. Who leaves in the middle hangs up, by which the worker
 * cancels. */
static bool call_once(WireKind kind, const char *folder, const char *text, WireReply *reply, int *file) {
  volatile bool answered = false;
  if (!is_connected()) {
    if (kind != WIRE_ASK)
      return false;
    start_worker();
  }
  PG_TRY();
  { answered = exchange(kind, folder, text, reply, file); }
  PG_CATCH();
  {
    disconnect();
    PG_RE_THROW();
  }
  PG_END_TRY();
  if (!answered)
    disconnect();
  return answered;
}

/* A worker that ends has new settings, or was ended by somebody: the next one is asked once more. A query that ends
 * that one, too, is told. */
static bool call_worker(WireKind kind, const char *folder, const char *text, WireReply *reply, int *file) {
  if (call_once(kind, folder, text, reply, file))
    return true;
  if (kind != WIRE_ASK)
    return false;
  if (call_once(kind, folder, text, reply, file))
    return true;
  ereport(ERROR, (errcode(ERRCODE_CONNECTION_FAILURE), errmsg("raydex: the worker ended while it ran a query"),
                  errhint("It is started anew. SET raydex.worker = off lets this session answer, on the CPU."),
                  errcontext("Raydex SQL: %s", text)));
}

/* The table of a reply; the file is closed. */
static void map_table(const WireReply *reply, int file, MemoryContext context, RaydexResult *out) {
  void *map = reply->size > 0 && file >= 0 ? mmap(NULL, reply->size, PROT_READ, MAP_SHARED, file, 0) : MAP_FAILED;
  if (file >= 0)
    close(file);
  if (map == MAP_FAILED)
    ereport(ERROR, (errcode(ERRCODE_OUT_OF_MEMORY), errmsg("raydex: the answer of the worker cannot be mapped: %m")));
  out->map = map;
  out->size = reply->size;
  out->count = wire_read_table(map, NULL);
  out->columns = MemoryContextAlloc(context, sizeof *out->columns * Max(out->count, 1));
  wire_read_table(map, out->columns);
  out->rows = out->count > 0 ? out->columns[0].rows : reply->rows;
}

static void ask_worker(const char *folder, const char *sql, MemoryContext context, RaydexResult *out) {
  WireReply reply;
  int file = -1;
  call_worker(WIRE_ASK, folder, sql, &reply, &file);
  if (reply.status != RDX_OK && file >= 0)
    close(file);
  raydex_check((rdx_status)reply.status, &reply.error, sql);
  map_table(&reply, file, context, out);
  strlcpy(out->method, reply.method, sizeof out->method);
  strlcpy(out->device, reply.device, sizeof out->device);
  out->stats = (rdx_answer_stats){.rows = reply.rows,
                                  .rays = reply.rays,
                                  .plan_ms = reply.plan_ms,
                                  .execute_ms = reply.execute_ms,
                                  .device_ms = reply.device_ms};
}

bool raydex_ask_prepared(const char *folder, RaydexResult *out) {
  WireReply reply;
  int file = -1;
  memset(out, 0, sizeof *out);
  if (!call_worker(WIRE_PREPARED, folder, "", &reply, &file))
    return false;
  raydex_check((rdx_status)reply.status, &reply.error, NULL);
  if (file < 0)
    return false;
  map_table(&reply, file, CurrentMemoryContext, out);
  return true;
}

/* ---- This session ---- */

static void ask_here(const char *folder, const char *sql, MemoryContext context, RaydexResult *out) {
  rdx_error error;
  sigset_t old;
  rdx_database *database = raydex_database(folder);
  CHECK_FOR_INTERRUPTS();
  raydex_block_signals(&old);
  rdx_status status = rdx_statement_prepare(database, sql, NULL, &out->statement, &error);
  raydex_unblock_signals(&old);
  rdx_statement_count_rays(out->statement, raydex_count_rays);
  if (status == RDX_OK)
    status = rdx_statement_execute(out->statement, &out->answer, &error);
  raydex_check(status, &error, sql);
  const rdx_table *table = rdx_answer_table(out->answer);
  rdx_answer_get_stats(out->answer, &out->stats);
  strlcpy(out->method, out->stats.method ? out->stats.method : "", sizeof out->method);
  strlcpy(out->device, "cpu", sizeof out->device);
  out->rows = rdx_table_rows(table);
  out->count = rdx_table_columns(table);
  out->columns = MemoryContextAlloc(context, sizeof *out->columns * Max(out->count, 1));
  for (uint32 i = 0; i < out->count; i++)
    out->columns[i] = *rdx_table_column(table, i);
}

/* ---- Both ---- */

static void ask(const char *folder, const char *sql, MemoryContext context, RaydexResult *out) {
  raydex_result_free(out);
  if (raydex_worker)
    ask_worker(folder, sql, context, out);
  else
    ask_here(folder, sql, context, out);
  out->stats.method = out->method;
  out->ready = true;
}

void raydex_ask(const char *folder, const char *sql, MemoryContext context, RaydexResult *out) {
  ask(folder, sql, context, out);
  raydex_count(out->device, &out->stats);
}

void raydex_ask_plan(const char *folder, const char *sql, MemoryContext context, RaydexResult *out) {
  ask(folder, psprintf("EXPLAIN %s", sql), context, out);
}

void raydex_result_free(RaydexResult *result) {
  rdx_answer_destroy(&result->answer);
  rdx_statement_destroy(&result->statement);
  if (result->map)
    munmap(result->map, result->size);
  result->map = NULL;
  result->ready = false;
  result->rows = 0;
}
