/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors
 *
 * One thread looks after sockets, another runs queries in the order in which they came: a device has no more to give to
 * two at a time. A session that hangs up cancels its query. */
#include "serve.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include "wire.h"

#define MAX_SESSIONS 4096

typedef enum SessionState { SESSION_IDLE, SESSION_WAITS, SESSION_RUNS } SessionState;

typedef struct Session {
  int fd;
  SessionState state;
  WireRequest request;
  char *folder, *text; /* one block */
  uint64_t ticket;     /* the lowest of those that wait is next */
} Session;

/* A folder that is open. */
typedef struct Folder {
  struct Folder *next;
  char *path;
  rdx_database *database;
  uint64_t used; /* by queries, counted up */
} Folder;

static const ServeParams *settings;
static rdx_device *device;
static Folder *folders; /* of the thread that runs queries */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t news = PTHREAD_COND_INITIALIZER;
static Session sessions[MAX_SESSIONS];
static int session_count, running = -1, wakes;
static uint64_t tickets;
static atomic_bool cancelled;
static volatile sig_atomic_t stops;

static bool is_cancelled(void *user, const char *stage, uint64_t done, uint64_t total) {
  (void)user, (void)stage, (void)done, (void)total;
  return cancelled;
}

static void stop(int number) {
  (void)number;
  stops = 1;
}

/* ---- Folders ---- */

static Folder *find_folder(const char *path) {
  Folder *f = folders;
  while (f && strcmp(f->path, path) != 0)
    f = f->next;
  return f;
}

static rdx_status open_folder(const char *path, Folder **out, rdx_error *error) {
  static uint64_t uses;
  const rdx_device_params device_params = {.threads = settings->threads, .memory_limit = settings->memory_limit};
  const rdx_database_params params = {.read_only = true, .safe = true};
  rdx_status status = device ? RDX_OK : rdx_device_open(settings->device, &device_params, &device, error);
  if (status != RDX_OK)
    return status;
  Folder *f = find_folder(path);
  if (!f) {
    f = calloc(1, sizeof *f);
    char *copy = strdup(path);
    status = RDX_ERROR_MEMORY;
    if (f && copy)
      status = rdx_database_open(device, path, &params, &f->database, error);
    if (status != RDX_OK) {
      if (!f || !copy)
        snprintf(error->text, sizeof error->text, "the worker is out of memory");
      free(copy);
      free(f);
      return status;
    }
    f->path = copy;
    f->next = folders;
    folders = f;
  }
  f->used = ++uses;
  *out = f;
  return RDX_OK;
}

static uint64_t bytes_of(const Folder *f) {
  rdx_table *table = NULL;
  uint64_t bytes = 0;
  if (rdx_database_prepared(f->database, &table, NULL) != RDX_OK)
    return 0;
  const rdx_column *column = rdx_table_column(table, 5);
  for (uint64_t row = 0; row < column->rows; row++)
    bytes += ((const uint64_t *)column->values)[row];
  rdx_table_destroy(&table);
  return bytes;
}

/* Destroy what was not used for longest: all of another folder, else half of what this one has. False: there is
 * nothing. */
static bool evict(Folder *asked) {
  Folder *oldest = NULL;
  for (Folder *f = folders; f; f = f->next)
    if (f != asked && (!oldest || f->used < oldest->used) && bytes_of(f) > 0)
      oldest = f;
  if (oldest) {
    rdx_database_trim(oldest->database, 0);
    return true;
  }
  const uint64_t bytes = bytes_of(asked);
  rdx_database_trim(asked->database, bytes / 2);
  return bytes > 0;
}

/* ---- Queries ---- */

static rdx_status run_query(Folder *f, const Session *s, rdx_statement **statement, rdx_answer **answer,
                            rdx_error *error) {
  rdx_status status = rdx_statement_prepare(f->database, s->text, NULL, statement, error);
  rdx_statement_count_rays(*statement, s->request.counts_rays != 0);
  if (status == RDX_OK)
    status = rdx_statement_execute(*statement, answer, error);
  return status;
}

static rdx_status reply_table(const rdx_table *table, WireReply *reply, int *file) {
  *file = wire_write_table(table, &reply->size);
  if (*file >= 0)
    return RDX_OK;
  snprintf(reply->error.text, sizeof reply->error.text, "there is no memory for the result of the worker");
  return RDX_ERROR_MEMORY;
}

static void note_stats(const rdx_answer *answer, WireReply *reply) {
  rdx_answer_stats stats;
  rdx_answer_get_stats(answer, &stats);
  reply->rows = stats.rows;
  reply->rays = stats.rays;
  reply->plan_ms = stats.plan_ms;
  reply->execute_ms = stats.execute_ms;
  reply->device_ms = stats.device_ms;
  snprintf(reply->method, sizeof reply->method, "%s", stats.method ? stats.method : "");
}

static rdx_status answer_query(const Session *s, WireReply *reply, int *file) {
  Folder *f = NULL;
  rdx_statement *statement = NULL;
  rdx_answer *answer = NULL;
  rdx_status status = open_folder(s->folder, &f, &reply->error);
  if (status != RDX_OK)
    return status;
  snprintf(reply->device, sizeof reply->device, "%s", rdx_device_get_info(device)->name);
  for (;;) {
    status = run_query(f, s, &statement, &answer, &reply->error);
    if (status != RDX_ERROR_MEMORY && status != RDX_ERROR_DEVICE_MEMORY)
      break;
    rdx_statement_destroy(&statement);
    if (!evict(f))
      break;
  }
  if (status == RDX_OK) {
    note_stats(answer, reply);
    status = reply_table(rdx_answer_table(answer), reply, file);
  }
  rdx_answer_destroy(&answer);
  rdx_statement_destroy(&statement);
  return status;
}

static rdx_status answer_prepared(const Session *s, WireReply *reply, int *file) {
  rdx_table *table = NULL;
  Folder *f = find_folder(s->folder);
  if (!f)
    return RDX_OK;
  rdx_status status = rdx_database_prepared(f->database, &table, &reply->error);
  if (status == RDX_OK)
    status = reply_table(table, reply, file);
  rdx_table_destroy(&table);
  return status;
}

static void answer(const Session *s) {
  WireReply reply = {0};
  int file = -1;
  switch ((WireKind)s->request.kind) {
  case WIRE_ASK:
    reply.status = answer_query(s, &reply, &file);
    break;
  case WIRE_PREPARED:
    reply.status = answer_prepared(s, &reply, &file);
    break;
  }
  wire_send_reply(s->fd, &reply, file);
  if (file >= 0)
    close(file);
  if (reply.status == RDX_ERROR_DEVICE_LOST)
    _exit(1); /* it is started anew, with the device */
}

/* The session that waits for longest; -1: none does. With the lock held. */
static int next_session(void) {
  int next = -1;
  for (int i = 0; i < session_count; i++)
    if (sessions[i].state == SESSION_WAITS && (next < 0 || sessions[i].ticket < sessions[next].ticket))
      next = i;
  return next;
}

static void *run_queries(void *argument) {
  (void)argument;
  pthread_mutex_lock(&lock);
  for (;;) {
    const int next = next_session();
    if (next < 0) {
      pthread_cond_wait(&news, &lock);
      continue;
    }
    running = next;
    cancelled = false;
    sessions[next].state = SESSION_RUNS;
    Session s = sessions[next];
    pthread_mutex_unlock(&lock);
    answer(&s);
    pthread_mutex_lock(&lock);
    free(s.folder);
    sessions[next].folder = NULL;
    sessions[next].state = SESSION_IDLE;
    running = -1;
    if (write(wakes, &(uint64_t){1}, sizeof(uint64_t)) < 0)
      _exit(1);
  }
  return NULL;
}

/* ---- Sockets ---- */

/* The place of a session that runs stays as long as that. */
static void drop_session(int i) {
  close(sessions[i].fd);
  free(sessions[i].folder);
  sessions[i] = (Session){.fd = -1};
  while (session_count > 0 && sessions[session_count - 1].fd < 0)
    session_count--;
}

static void add_session(int fd) {
  int place = 0;
  while (place < session_count && sessions[place].fd >= 0)
    place++;
  if (place == MAX_SESSIONS) {
    close(fd);
    return;
  }
  /* A client that stops in the middle of its request must not stop the others. */
  const struct timeval patience = {.tv_sec = 5};
  setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
  setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
  sessions[place] = (Session){.fd = fd};
  session_count = place >= session_count ? place + 1 : session_count;
}

/* False: the session is gone. */
static bool read_request(Session *s) {
  WireRequest r;
  if (!wire_receive(s->fd, &r, sizeof r) || r.kind > WIRE_PREPARED || r.folder_size == 0 || r.text_size == 0 ||
      r.folder_size > WIRE_MAX_TEXT || r.text_size > WIRE_MAX_TEXT)
    return false;
  char *block = malloc((size_t)r.folder_size + r.text_size);
  if (!block || !wire_receive(s->fd, block, (size_t)r.folder_size + r.text_size) || block[r.folder_size - 1] != '\0' ||
      block[r.folder_size + r.text_size - 1] != '\0') {
    free(block);
    return false;
  }
  s->request = r;
  s->folder = block;
  s->text = block + r.folder_size;
  s->ticket = ++tickets;
  s->state = SESSION_WAITS;
  return true;
}

static void look_after(int i, short events) {
  Session *s = &sessions[i];
  if (s->fd < 0 || events == 0)
    return;
  if (s->state == SESSION_RUNS) /* it sends nothing meanwhile: it has hung up */
    cancelled = true;
  else if (s->state == SESSION_WAITS || !read_request(s))
    drop_session(i);
  else
    pthread_cond_signal(&news);
}

/* With the lock held. A session whose query is cancelled is looked at again when that has ended. */
static nfds_t list_sockets(struct pollfd *polled, int listener) {
  polled[0] = (struct pollfd){.fd = listener, .events = POLLIN};
  polled[1] = (struct pollfd){.fd = wakes, .events = POLLIN};
  for (int i = 0; i < session_count; i++) {
    const bool ignored = i == running && cancelled;
    polled[2 + i] = (struct pollfd){.fd = ignored ? -1 : sessions[i].fd, .events = POLLIN};
  }
  return 2 + (nfds_t)session_count;
}

static void accept_session(int listener) {
  const int fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
  if (fd >= 0)
    add_session(fd);
}

static void handle(const struct pollfd *polled, nfds_t count, int listener) {
  uint64_t ignored;
  if (polled[1].revents && read(wakes, &ignored, sizeof ignored) < 0 && errno != EAGAIN)
    _exit(1);
  for (nfds_t i = 2; i < count; i++)
    look_after((int)i - 2, polled[i].revents);
  if (polled[0].revents)
    accept_session(listener);
}

static void start(pthread_t *runner) {
  sigset_t all, old;
  wakes = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  signal(SIGPIPE, SIG_IGN);
  signal(SIGTERM, stop);
  rdx_set_progress(is_cancelled, NULL);
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, &old);
  if (wakes < 0 || pthread_create(runner, NULL, run_queries, NULL) != 0)
    _exit(1);
  pthread_sigmask(SIG_SETMASK, &old, NULL);
}

void serve(int listener, const ServeParams *params) {
  static struct pollfd polled[2 + MAX_SESSIONS];
  pthread_t runner;
  settings = params;
  start(&runner);
  while (!stops) {
    pthread_mutex_lock(&lock);
    const nfds_t count = list_sockets(polled, listener);
    pthread_mutex_unlock(&lock);
    if (poll(polled, count, -1) < 0)
      continue;
    pthread_mutex_lock(&lock);
    handle(polled, count, listener);
    pthread_mutex_unlock(&lock);
  }
  _exit(0);
}
