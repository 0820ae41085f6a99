/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

#include "database/definitions.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/replace.h"
#include "table/format.h"

#define HEADER "raydex definition 1 "
#define HEADER_SIZE (sizeof HEADER - 1 + 16 + 1) /* a checksum in hexadecimal digits, a line break */
#define MAX_SIZE ((off_t)1 << 24)

static bool names_file(const char *name) {
  return *name && !strchr(name, '/') && *name != '.';
}

static rdx_status make_path(const rdx_database *d, const char *kind, const char *name, char **out, rdx_error *err) {
  const size_t size = strlen(d->folder) + strlen(name) + strlen(kind) + 3;
  if (!names_file(name))
    return rdx_fail(err, RDX_ERROR_ARGUMENT, "'%s' cannot be the name of a file", name);
  RDX_TRY(rdx_alloc(size, 1, "a definition", (void **)out, err));
  snprintf(*out, size, "%s/%s.%s", d->folder, name, kind);
  return RDX_OK;
}

static rdx_status write_file(const char *path, const char *text, rdx_error *err) {
  RDX_SCOPED(rdx_replacement_drop) rdx_replacement file = {.file = -1};
  char header[HEADER_SIZE + 1];
  const size_t length = strlen(text);
  RDX_TRY(rdx_replacement_open(path, &file, err));
  snprintf(header, sizeof header, HEADER "%016llx\n", (unsigned long long)rdx_file_checksum(text, length));
  RDX_TRY(rdx_write(file.file, header, HEADER_SIZE, path, err));
  RDX_TRY(rdx_write(file.file, text, length, path, err));
  return rdx_replacement_commit(&file, err);
}

rdx_status rdx_definition_write(const rdx_database *d, const char *kind, const char *name, const char *text,
                                rdx_error *err) {
  if (!d->folder)
    return RDX_OK;
  RDX_SCOPED(rdx_free_local) char *path = NULL;
  RDX_TRY(make_path(d, kind, name, &path, err));
  return write_file(path, text, err);
}

rdx_status rdx_definition_check_new(const rdx_statement *s, const char *kind, const char *name, rdx_error *err) {
  if (!s->database->folder || !names_file(name))
    return RDX_OK;
  RDX_SCOPED(rdx_free_local) char *path = NULL;
  RDX_TRY(make_path(s->database, kind, name, &path, err));
  if (access(path, F_OK) != 0)
    return RDX_OK;
  return rdx_sql_error(err, RDX_ERROR_ARGUMENT, s->prepared->text, s->prepared->statement->place,
                       "a database that is opened now knows it",
                       "%s is there: it was made since this database was opened", path);
}

rdx_status rdx_definition_remove(const rdx_database *d, const char *kind, const char *name, rdx_error *err) {
  if (!d->folder)
    return RDX_OK;
  RDX_SCOPED(rdx_free_local) char *path = NULL;
  RDX_TRY(make_path(d, kind, name, &path, err));
  const bool gone = unlink(path) == 0 || errno == ENOENT;
  return gone ? RDX_OK : rdx_fail(err, RDX_ERROR_IO, "cannot remove %s: %s", path, strerror(errno));
}

/* All of an open file, for rdx_free(); NULL where it cannot be a definition. */
static rdx_status read_all(int file, const char *path, char **out, size_t *size, rdx_error *err) {
  struct stat info;
  if (fstat(file, &info) != 0)
    return rdx_fail(err, RDX_ERROR_IO, "cannot read %s: %s", path, strerror(errno));
  if (info.st_size < (off_t)HEADER_SIZE || info.st_size > MAX_SIZE)
    return RDX_OK;
  *size = (size_t)info.st_size;
  RDX_TRY(rdx_calloc(*size + 1, 1, "a definition", (void **)out, err));
  return rdx_read_at(file, *out, *size, 0, path, err);
}

/* The text of a file, for rdx_free(); NULL: it is gone, as another process has dropped it. */
static rdx_status read_file(const char *path, char **out, rdx_error *err) {
  unsigned long long checksum = 0;
  size_t size = 0;
  const int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0 && errno == ENOENT)
    return RDX_OK;
  if (file < 0)
    return rdx_fail(err, RDX_ERROR_IO, "cannot open %s: %s", path, strerror(errno));
  const rdx_status status = read_all(file, path, out, &size, err);
  close(file);
  RDX_TRY(status);
  char *text = *out;
  if (!text || sscanf(text, HEADER "%16llx", &checksum) != 1 ||
      checksum != rdx_file_checksum(text + HEADER_SIZE, size - HEADER_SIZE))
    return rdx_fail(err, RDX_ERROR_FORMAT, "%s is damaged: remove it, and create it again", path);
  memmove(text, text + HEADER_SIZE, size - HEADER_SIZE + 1);
  return RDX_OK;
}

static rdx_status load_one(rdx_database *d, const char *kind, const char *name, rdx_definition_fn load,
                           rdx_error *err) {
  RDX_SCOPED(rdx_free_local) char *path = NULL, *text = NULL;
  RDX_TRY(make_path(d, kind, name, &path, err));
  RDX_TRY(read_file(path, &text, err));
  return text ? load(d, name, text, err) : RDX_OK;
}

rdx_status rdx_definitions_load(rdx_database *d, const char *kind, rdx_definition_fn load, rdx_error *err) {
  rdx_status status = RDX_OK;
  const size_t suffix = strlen(kind) + 1;
  DIR *folder = opendir(d->folder);
  for (struct dirent *e = folder ? readdir(folder) : NULL; e && status == RDX_OK; e = readdir(folder)) {
    const size_t length = strlen(e->d_name);
    if (e->d_name[0] == '.' || length <= suffix || e->d_name[length - suffix] != '.' ||
        strcmp(e->d_name + length - suffix + 1, kind) != 0)
      continue;
    e->d_name[length - suffix] = '\0';
    status = load_one(d, kind, e->d_name, load, err);
  }
  if (folder)
    closedir(folder);
  return status;
}

void rdx_definitions_changed(rdx_database *d) {
  RDX_LOCKED(&d->lock);
  d->settings_version++;
}
