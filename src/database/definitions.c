/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

#include "database/definitions.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/replace.h"
#include "table/format.h"

#define HEADER "raydex definition 1 "
#define HEADER_SIZE (sizeof HEADER - 1 + 16 + 1) /* a checksum in hexadecimal digits, a line break */
#define MAX_SIZE ((off_t)1 << 24)
#define PAUSE_NS 50000 /* between two looks whether another thread has read the folder */

/* ---- Files ---- */

static const struct {
  const char *name;
  rdx_definition_fn learn;
} kinds[] = {{"view", rdx_views_learn}, {"query", rdx_defined_learn}, {"index", rdx_indexes_learn}};

/* The number of a kind; that of kinds where it is none. */
static uint32_t number_of(const char *kind) {
  uint32_t i = 0;
  while (i < RDX_COUNT(kinds) && strcmp(kinds[i].name, kind) != 0)
    i++;
  return i;
}

static void free_files(rdx_definition_files *files) {
  rdx_arena_free(&files->arena);
  rdx_free(files->list);
  *files = (rdx_definition_files){0};
}

static rdx_status add_file(rdx_definition_files *to, uint32_t kind, const char *name, const struct stat *file,
                           rdx_error *err) {
  rdx_definition_file added = {.kind = kind, .file = *file};
  RDX_TRY(rdx_arena_text(&to->arena, name, "a definition", &added.name, err));
  RDX_TRY(rdx_reserve_one((void **)&to->list, to->count, &to->capacity, sizeof *to->list, "a definition", err));
  to->list[to->count++] = added;
  return RDX_OK;
}

/* One that is written here, so that it is missed where another database removes it. */
static rdx_status note_file(rdx_definition_files *to, uint32_t kind, const char *name, rdx_error *err) {
  for (uint32_t i = 0; i < to->count; i++)
    if (to->list[i].kind == kind && strcmp(to->list[i].name, name) == 0)
      return RDX_OK;
  return add_file(to, kind, name, &(struct stat){0}, err);
}

static rdx_status make_path(const rdx_database *d, const char *kind, const char *name, char **out, rdx_error *err) {
  const size_t size = strlen(d->folder) + strlen(name) + strlen(kind) + 3;
  if (!*name || strchr(name, '/') || *name == '.')
    return rdx_fail(err, RDX_ERROR_ARGUMENT, "'%s' cannot be the name of a file", name);
  RDX_TRY(rdx_alloc(size, 1, "a definition", (void **)out, err));
  snprintf(*out, size, "%s/%s.%s", d->folder, name, kind);
  return RDX_OK;
}

/* All of an open file, for rdx_free(), as far as it can be a definition; NULL: it is none. */
static rdx_status read_all(int file, const char *path, char **out, size_t *size, rdx_error *err) {
  struct stat info;
  if (fstat(file, &info) != 0)
    return rdx_fail(err, RDX_ERROR_IO, "cannot read %s: %s", path, strerror(errno));
  if (!S_ISREG(info.st_mode))
    return RDX_OK;
  *size = (size_t)(info.st_size < MAX_SIZE ? info.st_size : MAX_SIZE);
  RDX_TRY(rdx_calloc(*size + 1, 1, "a definition", (void **)out, err));
  return rdx_read_at(file, *out, *size, 0, path, err);
}

/* Whether a file begins as definitions do, though it may be damaged behind that. */
static bool begins_as_one(const char *text, size_t size) {
  return memcmp(text, HEADER, size < sizeof HEADER - 1 ? size : sizeof HEADER - 1) == 0;
}

/* The text of a file, for rdx_free(); NULL: it is gone, as another process has dropped it, or `*foreign`: something
 * else has such a name. */
static rdx_status read_file(const char *path, char **out, bool *foreign, rdx_error *err) {
  RDX_SCOPED(rdx_free_local) char *text = NULL;
  unsigned long long checksum = 0;
  size_t size = 0;
  *foreign = false;
  const int file = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC); /* a pipe would wait for a writer */
  if (file < 0 && errno == ENOENT)
    return RDX_OK;
  if (file < 0)
    return rdx_fail(err, RDX_ERROR_IO, "cannot open %s: %s", path, strerror(errno));
  const rdx_status status = read_all(file, path, &text, &size, err);
  close(file);
  RDX_TRY(status);
  *foreign = !text || !begins_as_one(text, size);
  if (*foreign)
    return RDX_OK;
  if (size < HEADER_SIZE || sscanf(text, HEADER "%16llx", &checksum) != 1 ||
      checksum != rdx_file_checksum(text + HEADER_SIZE, size - HEADER_SIZE))
    return rdx_fail(err, RDX_ERROR_FORMAT, "%s is damaged: remove it, and create it again", path);
  memmove(text, text + HEADER_SIZE, size - HEADER_SIZE + 1);
  *out = RDX_KEEP(text);
  return RDX_OK;
}

static rdx_status write_file(const char *path, const char *text, rdx_error *err) {
  RDX_SCOPED(rdx_replacement_drop) rdx_replacement file = {.file = -1};
  char header[HEADER_SIZE + 1];
  const size_t length = strlen(text);
  bool foreign = false;
  RDX_SCOPED(rdx_free_local) char *old = NULL;
  if (length + HEADER_SIZE > (size_t)MAX_SIZE)
    return rdx_fail(err, RDX_ERROR_UNSUPPORTED, "a definition has at most %zu bytes, and this one %zu",
                    (size_t)MAX_SIZE - HEADER_SIZE, length);
  if (read_file(path, &old, &foreign, NULL) == RDX_OK && foreign)
    return rdx_fail(err, RDX_ERROR_ARGUMENT, "%s is there already, and no definition", path);
  RDX_TRY(rdx_replacement_open(path, &file, err));
  snprintf(header, sizeof header, HEADER "%016llx\n", (unsigned long long)rdx_file_checksum(text, length));
  RDX_TRY(rdx_write(file.file, header, HEADER_SIZE, path, err));
  RDX_TRY(rdx_write(file.file, text, length, path, err));
  return rdx_replacement_commit(&file, err);
}

rdx_status rdx_definition_write(rdx_database *d, const char *kind, const char *name, const char *text, rdx_error *err) {
  if (!d->folder)
    return RDX_OK;
  RDX_SCOPED(rdx_free_local) char *path = NULL;
  RDX_TRY(make_path(d, kind, name, &path, err));
  RDX_TRY(note_file(&d->files, number_of(kind), name, err));
  return write_file(path, text, err);
}

bool rdx_definition_is(const rdx_database *d, const char *kind, const char *name, const char *text) {
  RDX_SCOPED(rdx_free_local) char *path = NULL, *now = NULL;
  bool foreign = false;
  return make_path(d, kind, name, &path, NULL) == RDX_OK && read_file(path, &now, &foreign, NULL) == RDX_OK && now &&
         strcmp(now, text) == 0;
}

rdx_status rdx_definition_remove(const rdx_database *d, const char *kind, const char *name, rdx_error *err) {
  if (!d->folder)
    return RDX_OK;
  RDX_SCOPED(rdx_free_local) char *path = NULL;
  RDX_TRY(make_path(d, kind, name, &path, err));
  const bool gone = unlink(path) == 0 || errno == ENOENT;
  return gone ? RDX_OK : rdx_fail(err, RDX_ERROR_IO, "cannot remove %s: %s", path, strerror(errno));
}

/* ---- What other databases do ---- */

/* Read one again, unless it is as it was. */
static rdx_status learn(rdx_database *d, const rdx_definition_file *was, rdx_definition_file *is, bool *settled,
                        rdx_error *err) {
  if (was && was->file.st_ino != 0 && rdx_file_is_same(&was->file, &is->file))
    return RDX_OK;
  bool lasts = true, foreign;
  RDX_SCOPED(rdx_free_local) char *path = NULL, *text = NULL;
  RDX_TRY(make_path(d, kinds[is->kind].name, is->name, &path, err));
  RDX_TRY(read_file(path, &text, &foreign, err));
  RDX_TRY(kinds[is->kind].learn(d, is->name, text, &lasts, err));
  if (!lasts)
    is->file = (struct stat){0};
  *settled &= lasts;
  return RDX_OK;
}

static int compare(const void *a, const void *b) {
  const rdx_definition_file *x = a, *y = b;
  return x->kind != y->kind ? (x->kind > y->kind) - (x->kind < y->kind) : strcmp(x->name, y->name);
}

/* Both lists side by side. What is new is noted before it is learned: if a later file cannot be read, it is missed all
 * the same where it goes. */
static rdx_status learn_all(rdx_database *d, rdx_definition_files *now, bool *settled, rdx_error *err) {
  rdx_definition_files *then = &d->files;
  const uint32_t before = then->count;
  if (then->count > 0)
    qsort(then->list, then->count, sizeof *then->list, compare);
  if (now->count > 0)
    qsort(now->list, now->count, sizeof *now->list, compare);
  for (uint32_t i = 0, k = 0; i < now->count || k < before;) {
    const int order = k == before ? 1 : i == now->count ? -1 : compare(&then->list[k], &now->list[i]);
    if (order > 0)
      RDX_TRY(add_file(then, now->list[i].kind, now->list[i].name, &(struct stat){0}, err));
    if (order < 0)
      RDX_TRY(kinds[then->list[k].kind].learn(d, then->list[k].name, NULL, settled, err));
    else
      RDX_TRY(learn(d, order == 0 ? &then->list[k] : NULL, &now->list[i], settled, err));
    i += order >= 0;
    k += order <= 0;
  }
  return RDX_OK;
}

static rdx_status list_one(rdx_definition_files *to, int folder, char *name, rdx_error *err) {
  struct stat file;
  bool shows_changes = false;
  char *dot = strrchr(name, '.');
  const uint32_t kind = dot && *name != '.' ? number_of(dot + 1) : RDX_COUNT(kinds);
  if (kind == RDX_COUNT(kinds) || rdx_file_look(folder, name, &file, &shows_changes) != 0 || !S_ISREG(file.st_mode))
    return RDX_OK;
  *dot = '\0';
  return add_file(to, kind, name, shows_changes ? &file : &(struct stat){0}, err);
}

/* A folder that is gone, or may not be listed, has none. */
static rdx_status list_files(const rdx_database *d, rdx_definition_files *to, rdx_error *err) {
  DIR *folder = opendir(d->folder);
  rdx_status status = RDX_OK;
  if (!folder && (errno == ENOENT || errno == ENOTDIR || errno == EACCES))
    return RDX_OK;
  struct dirent *e = NULL;
  while (folder && status == RDX_OK && (errno = 0, e = readdir(folder)))
    status = list_one(to, dirfd(folder), e->d_name, err);
  if (status == RDX_OK && errno != 0)
    status = rdx_fail(err, RDX_ERROR_IO, "cannot read the folder %s: %s", d->folder, strerror(errno));
  if (folder)
    closedir(folder);
  return status;
}

/* With `defining` held. */
static rdx_status read_folder(rdx_database *d, rdx_error *err) {
  RDX_SCOPED(free_files) rdx_definition_files now = {0};
  struct stat folder = {0};
  bool settled = false;
  (void)rdx_file_look(AT_FDCWD, d->folder, &folder, &settled);
  RDX_TRY(list_files(d, &now, err));
  RDX_TRY(learn_all(d, &now, &settled, err));
  free_files(&d->files);
  d->files = RDX_KEEP(now);
  RDX_LOCKED(&d->lock);
  d->looked_at = settled ? folder : (struct stat){0};
  return RDX_OK;
}

static bool is_as_it_was(rdx_database *d) {
  struct stat folder;
  if (!d->folder)
    return true;
  const bool there = stat(d->folder, &folder) == 0;
  RDX_LOCKED(&d->lock);
  return there && rdx_file_is_same(&folder, &d->looked_at);
}

rdx_status rdx_definitions_refresh(rdx_database *d, rdx_error *err) {
  const struct timespec pause = {.tv_nsec = PAUSE_NS};
  if (is_as_it_was(d))
    return RDX_OK;
  for (; pthread_mutex_trylock(&d->defining) != 0; nanosleep(&pause, NULL))
    if (d->defines)
      return RDX_OK;
  const rdx_status status = read_folder(d, err);
  pthread_mutex_unlock(&d->defining);
  return status;
}

rdx_status rdx_definitions_take(rdx_database *d, rdx_error *err) {
  pthread_mutex_lock(&d->defining);
  const rdx_status status = is_as_it_was(d) ? RDX_OK : read_folder(d, err);
  d->defines = status == RDX_OK;
  if (status != RDX_OK)
    pthread_mutex_unlock(&d->defining);
  return status;
}

void rdx_definitions_give(rdx_database *d) {
  d->defines = false;
  pthread_mutex_unlock(&d->defining);
}

void rdx_definitions_free(rdx_database *d) {
  free_files(&d->files);
}

void rdx_definitions_changed(rdx_database *d) {
  RDX_LOCKED(&d->lock);
  d->settings_version++;
}
